//! The arguments of `hiera-ls lookup`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};

use crate::cli::completions;
use crate::cli::place::PlaceArguments;

const EXAMPLES: &str = "\
Examples:
  hiera-ls lookup profile::web::port --root ~/control-repo --node web01.example.com
  hiera-ls lookup ntp::servers --node web01.example.com --why
  hiera-ls lookup ntp::servers --facts web01.json --explain --origins
  hiera-ls lookup --all --node web01.example.com --render-as jsonl
  hiera-ls lookup profile::web::port --set role=web --set facts.os.family=Debian
  hiera-ls lookup --class profile::web --node web01.example.com
  hiera-ls lookup ntp::servers --nodes all
  hiera-ls lookup --all --nodes 'web*,db01.example.com' --render-as jsonl

If the value depends on facts that are not known, the result is a list of cases. The first case whose \
conditions hold applies.

Exit status, as with Puppet: 0 if the key is found, 1 if it is not found or the lookup fails; standard error has \
the reason. 3 if the value depends on facts that are not known; the cases are printed.
With --class: 1 if Puppet refuses the class, because a parameter is missing or its value does not fit.
With --explain: 0 also if the key is missing or the data has an error; the explanation says so.";

/// The exit code if the value depends on facts that are not known.
pub(super) const DEPENDS: u8 = 3;

/// The arguments: Puppet's flags where Puppet has one.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own, as Puppet has them")]
#[command(after_help = EXAMPLES)]
pub struct LookupArguments {
    /// The keys. With several, the value of the first key that is found (with jsonl: a result for each key)
    #[arg(value_name = "KEY", add = completions::keys())]
    pub keys: Vec<String>,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// A file with facts (facter, puppet facts, onceover, facterdb, PuppetDB; JSON or YAML). Or a directory of such
    /// files: the name of each file is the name of its node, unless it has several, and all of them are looked up
    #[arg(long, value_name = "FILE|DIR", help_heading = "The node")]
    pub facts: Option<PathBuf>,
    /// The certname of the node. It may have a fact set, or be known only by its name. Without it: the node that the
    /// setting `node` names, or else any node
    #[arg(long, value_name = "NAME", help_heading = "The node", add = completions::nodes())]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub node: Option<String>,
    /// Any node, even if the settings name one
    #[arg(long, help_heading = "The node", conflicts_with_all = ["node", "nodes", "facts"])]
    pub any_node: bool,
    /// Several nodes at once: `all`, or names with * and ?, separated by commas
    #[arg(long, value_name = "all|GLOB,…", help_heading = "The node", add = completions::nodes())]
    pub nodes: Option<String>,
    /// Give an open variable a value: role=web, facts.os.family=Debian (repeatable)
    #[arg(long, value_name = "NAME=VALUE", help_heading = "The node")]
    pub set: Vec<String>,
    /// A file with $trusted
    #[arg(long, value_name = "FILE", help_heading = "The node")]
    pub trusted: Option<PathBuf>,
    /// A file with more top-scope variables
    #[arg(long, value_name = "FILE", help_heading = "The node")]
    pub vars: Option<PathBuf>,
    /// A file with $server_facts
    #[arg(long, value_name = "FILE", help_heading = "The node")]
    pub server_facts: Option<PathBuf>,
    /// first, unique, hash, deep, or a JSON object with `strategy` and options
    #[arg(long, value_name = "STRATEGY", help_heading = "As arguments of lookup()")]
    pub merge: Option<String>,
    /// With --merge deep: the prefix that removes values of lower levels
    #[arg(long, value_name = "PREFIX", help_heading = "As arguments of lookup()")]
    pub knock_out_prefix: Option<String>,
    /// With --merge deep: sort merged lists
    #[arg(long, help_heading = "As arguments of lookup()")]
    pub sort_merged_arrays: bool,
    /// With --merge deep: merge hashes at the same position in two lists
    #[arg(long, help_heading = "As arguments of lookup()")]
    pub merge_hash_arrays: bool,
    /// The value to return if nothing is found
    #[arg(long, value_name = "VALUE", help_heading = "As arguments of lookup()")]
    pub default: Option<String>,
    /// The Puppet type the value must have
    #[arg(long = "type", value_name = "TYPE", help_heading = "As arguments of lookup()")]
    pub value_type: Option<String>,
    /// Read keys from a file (`-` is standard input), one per line: plain, as JSON strings, or as objects with key, merge,
    /// default, type
    #[arg(long, value_name = "FILE", help_heading = "More keys")]
    pub keys_from: Option<String>,
    /// Look up every key of every data file that a level of a hierarchy can read
    #[arg(long, help_heading = "More keys")]
    pub all: bool,
    /// Show all parameters of a class, as Puppet sets them when a node includes the class: from data, or from the default.
    /// Also say whether each value fits its type (repeatable). For one node
    #[arg(
        long,
        value_name = "CLASS",
        add = completions::classes(),
        help_heading = "More keys",
        conflicts_with_all = ["keys", "keys_from", "all", "merge", "default", "value_type", "explain", "explain_options"]
    )]
    pub class: Vec<String>,
    /// Say where the lookup searched and what it found, in Puppet's words
    #[arg(long, help_heading = "Output")]
    pub explain: bool,
    /// Say how the lookup found its lookup_options
    #[arg(long, help_heading = "Output")]
    pub explain_options: bool,
    /// Say why in a few lines: the value, what set the merge strategy, and file and line of each level that has the key
    #[arg(long, help_heading = "Output", conflicts_with_all = ["explain", "explain_options", "render_as", "merge", "default", "value_type"])]
    pub why: bool,
    /// With --explain: the file and line of each value, and of each part of a merged value
    #[arg(long, help_heading = "Output")]
    pub origins: bool,
    /// With --explain: like --origins, with the commit that wrote each line
    #[arg(long, help_heading = "Output")]
    pub blame: bool,
    /// What to do with values that are encrypted with eyaml: keep (leave them as they are
    /// written, or decrypt them if the setting eyaml.decrypt is on and the level's key can be read), fail (as Puppet does
    /// without the key), or decrypt (fail if there is no key)
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "keep|fail|decrypt",
        help_heading = "Output"
    )]
    pub encrypted: Encrypted,
    /// yaml (the default), s (plain text, the default with --explain and --class), json, or jsonl (one line with a JSON
    /// object per key, complete). For several nodes: table (the default), json or jsonl. --class also has table
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        hide_possible_values = true,
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub render_as: Option<RenderAs>,
}

/// What becomes of encrypted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Encrypted {
    /// They stay encrypted, unless the settings turn decryption on and the key exists
    #[default]
    Keep,
    /// The lookup fails, unless the settings turn decryption on and the key exists
    Fail,
    /// They are decrypted, or the lookup fails
    Decrypt,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RenderAs {
    /// Ruby's to_s; the default with --explain
    S,
    /// JSON
    Json,
    /// YAML; the default
    Yaml,
    /// One line with a JSON object per key, complete
    Jsonl,
    /// For many nodes: each different answer with the nodes that get it
    Table,
}
