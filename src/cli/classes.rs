//! `hiera-ls classes`: what the manifests below a directory declare, look up and include; with `--node`, the classes of nodes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::classes_output::{lines, summary};
use super::shown::as_seen_from_here;
use super::terminal::complain;
use super::workspace::existing_directory;
use super::{completions, node_classes, print, print_or_complain};
use crate::code::CodeFile;
use crate::world::paths;

/// The maximum number of files that are in memory at once.
const FILES_AT_ONCE: usize = 256;

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
known; and `missing`, the keys of required parameters that no level has.

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
    #[arg(long, short = 'E', value_name = "NAME", requires = "node")]
    pub environment: Option<String>,
    /// With --node: trust the directory: its settings may name files outside of it
    #[arg(long, requires = "node")]
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

/// Prints the list.
pub fn run(arguments: &ClassesArguments) -> ExitCode {
    if !arguments.node.is_empty() {
        return print_or_complain(node_classes::list(arguments));
    }
    let root = match existing_directory(&arguments.root) {
        Ok(root) => root,
        Err(message) => {
            complain(&message);
            return ExitCode::from(2);
        }
    };
    let files = manifests(Path::new(&root));
    for part in files.chunks(FILES_AT_ONCE) {
        // A part is printed before the next one starts, so that a large tree needs little memory.
        let texts: Vec<_> =
            part.par_iter().map(|path| one_file(&root, path, arguments.render_as)).collect();
        for text in texts {
            print(&text);
        }
    }
    ExitCode::SUCCESS
}

/// The output for one file.
fn one_file(root: &str, path: &Path, format: ListFormat) -> String {
    let name = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            complain(&format!("{}: {error}", as_seen_from_here(&name)));
            return String::new();
        }
    };
    let file = CodeFile::of_bytes(&name, bytes);
    match format {
        ListFormat::Jsonl => lines(paths::below(root, &name).unwrap_or(&name), &file),
        ListFormat::S => summary(as_seen_from_here(&name), &file),
    }
}

/// All `*.pp` files below `root`, in the order of the bytes of their paths. Names with a leading dot are skipped, and links
/// to directories are not followed.
fn manifests(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                complain(&format!("{}: {error}", directory.display()));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            // `file_type` does not follow links, so a link to a directory above cannot cause a loop.
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with(b".") {
                continue;
            }
            if kind.is_dir() {
                directories.push(path);
            } else if name.ends_with(b".pp") && path.is_file() {
                found.push(path);
            }
        }
    }
    // A path is compared as bytes, because a name need not be UTF-8.
    found.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    found
}
