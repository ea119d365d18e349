//! The shell commands: `lookup`, `diff`, `uses`, `readers`, `check`, `classes`, `type-check`, `rule`, `nodes`, `init`, `schema`,
//! `completions`, `man`, `server`.
//!
//! Commands answer on stdout and complain on stderr; what they exit with stands in the help of each.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::ide::diagnostics::codes;
use crate::settings;
use clap::{CommandFactory as _, Parser, Subcommand};

pub mod check;
mod check_baseline;
mod check_findings;
mod check_fix;
mod check_output;
mod check_setup;
pub mod classes;
mod classes_output;
pub mod diff;
mod diff_output;
mod fleet;
pub mod init;
pub mod lookup;
mod lookup_class;
mod lookup_class_output;
mod lookup_fleet;
mod lookup_output;
mod lookup_queries;
mod lookup_setup;
mod node_classes;
pub mod nodes;
mod place;
mod progress;
pub mod readers;
pub mod rule;
mod server;
mod shown;
pub mod type_check;
pub mod uses;
mod workspace;

/// What would Puppet answer, and why? The complete Hiera 5 engine for editors and shells.
#[derive(Debug, Parser)]
#[command(name = "hiera-ls", version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Look up keys as `puppet lookup` does
    Lookup(Box<lookup::LookupArguments>),
    /// Say which nodes' answers an edit changes: between a Git revision and the working tree, or two revisions
    Diff(Box<diff::DiffArguments>),
    /// List everything that speaks of a key: data, lookup_options, interpolations, manifests
    Uses(uses::UsesArguments),
    /// Say which nodes read a data file, and under which conditions any node does
    Readers(readers::ReadersArguments),
    /// Check data files and hiera.yaml files
    Check(check::CheckArguments),
    /// List what Puppet manifests declare and look up
    Classes(classes::ClassesArguments),
    /// Explain a rule of `check`, or list all rules
    Rule(rule::RuleArguments),
    /// List the nodes: what is known of each, and which facts are open
    #[command(alias = "facts")]
    Nodes(nodes::NodesArguments),
    /// Write a project file `.hiera-ls.yaml` that says what was found and what is missing
    Init(init::InitArguments),
    /// Check values against Puppet types
    TypeCheck(type_check::TypeCheckArguments),
    /// Print the JSON schema of the project file `.hiera-ls.yaml`
    Schema,
    /// Speak the language server protocol on standard input and output
    Server(server::ServerArguments),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a directory
    Man {
        /// The directory; it must exist
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
    },
}

/// Runs the command that the process's arguments name.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(problem) => {
            let _ = problem.print();
            // `puppet lookup` knows no other status for wrong arguments than 1.
            let is_lookup = std::env::args().nth(1).as_deref() == Some("lookup");
            return match problem.use_stderr() {
                true if is_lookup => ExitCode::FAILURE,
                true => ExitCode::from(2),
                false => ExitCode::SUCCESS,
            };
        }
    };
    match arguments.command {
        Command::Lookup(arguments) => lookup::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Uses(arguments) => uses::run(&arguments),
        Command::Readers(arguments) => readers::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Classes(arguments) => classes::run(&arguments),
        Command::Rule(arguments) => rule::run(&arguments),
        Command::Nodes(arguments) => nodes::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::TypeCheck(arguments) => type_check::run(&arguments),
        Command::Schema => {
            print(&format!("{:#}\n", settings::json_schema(&codes())));
            ExitCode::SUCCESS
        }
        Command::Server(arguments) => server::run(&arguments),
        Command::Completions { shell } => {
            let mut command = Arguments::command();
            clap_complete::generate(shell, &mut command, "hiera-ls", &mut std::io::stdout());
            ExitCode::SUCCESS
        }
        Command::Man { directory } => {
            match clap_mangen::generate_to(Arguments::command(), &directory) {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    complain(&format!("{}: {error}", directory.display()));
                    ExitCode::from(2)
                }
            }
        }
    }
}

/// Writes to standard output; a reader that went away (`| head`) is no error.
pub(crate) fn print(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Prints what a command has to say, or what went wrong, and tells what it exits with.
pub(crate) fn print_or_complain(said: Result<String, String>) -> ExitCode {
    match said {
        Ok(text) => {
            print(&text);
            ExitCode::SUCCESS
        }
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

/// Says what went wrong.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "hiera-ls: {}", shown::in_lines(message));
}
