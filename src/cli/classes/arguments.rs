//! The arguments of `hiera-ls classes`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::completions;

const EXAMPLES: &str = "\
Examples:
  hiera-ls classes
  hiera-ls classes --root ~/control-repo/site-modules/profile
  hiera-ls classes --node web01.example.com
  hiera-ls classes --node all --render-as jsonl
  hiera-ls classes --render-as jsonl | jq 'select(.kind == \"class\") | .name'

Each JSON line has a `kind`: class, define, function, type_alias, plan or node (with `name`, `file`, `line`, `offset`, \
`length` in bytes, `parent`, `params`, `type`, `return_type` and `hosts`); call (with `function`, `keys`, `dynamic`, \
`args`, `pattern`, `attributes` and `in`); or error, for a file that Puppet refuses. hiera-ls still \
prints what it can read of such a file.

With --node, each JSON line is a node: `node`; `classes`, each with `name`, `certain` (false if it depends on facts \
that are not known), `here`, and the `file` and `line` that include it; `others`, the calls whose classes are not \
known; and `missing`, the keys of required parameters that no level has. If Puppet refuses the main manifest, no classes \
are known, and the node has `refused` with the `file`, `line` and `message` of the mistake; a class has it if Puppet \
refuses its file or finds no such class.

Exit status: 0, also if some files are broken; 2 if an argument is wrong.";

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ClassesArguments {
    /// The directory with the *.pp files
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub root: PathBuf,
    /// List the classes of this node instead, as its manifests, data and facts define them; `all` for all nodes with a
    /// fact set
    #[arg(long, value_name = "NAME", add = completions::nodes())]
    pub node: Vec<String>,
    /// With --node: the name of the environment. Selects one if there are several
    #[arg(long, short = 'E', value_name = "NAME", requires = "node", add = completions::environments())]
    pub environment: Option<String>,
    /// Trust the directory: its links may lead out of it, and its settings may name files outside of it
    #[arg(long)]
    pub trust: bool,
    /// s (for people), or jsonl: one JSON object per line
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ListFormat::S, hide_possible_values = true)]
    pub render_as: ListFormat,
}

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people
    S,
    /// One JSON object per line
    Jsonl,
}
