//! The shell commands: `lookup`, `diff`, `uses`, `readers`, `check`, `classes`, `type-check`, `rule`, `nodes`, `init`,
//! `schema`, `completions`, `man`, `server`, `mcp`.
//!
//! Commands print results on stdout and errors on stderr. The help of each command lists its exit codes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::ide::diagnostics::rule_names;
use crate::settings;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser, Subcommand};
use terminal::{Color, complain};

mod answer_json;
pub mod check;
pub mod classes;
mod completions;
pub mod diff;
mod fleet;
pub mod init;
mod input;
pub mod lookup;
mod man;
mod mcp;
pub mod nodes;
mod place;
mod progress;
pub mod readers;
pub mod rule;
mod server;
mod shown;
mod terminal;
pub mod type_check;
pub mod uses;
mod workspace;

/// What would Puppet answer, and why? The complete Hiera 5 engine for editors and shells.
#[derive(Debug, Parser)]
#[command(name = "hiera-ls", version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// When to print colours. Without it, hiera-ls follows NO_COLOR, CLICOLOR and CLICOLOR_FORCE
    #[arg(
        long,
        value_enum,
        global = true,
        default_value_t,
        hide_possible_values = true,
        hide_default_value = true
    )]
    #[arg(value_name = "auto|always|never", display_order = 900)]
    color: Color,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Look up keys as `puppet lookup` does
    Lookup(Box<lookup::LookupArguments>),
    /// Say which nodes get another value because of an edit: since a Git revision, or between two revisions
    Diff(Box<diff::DiffArguments>),
    /// List every place that uses a key: data, lookup_options, interpolations, manifests
    Uses(uses::UsesArguments),
    /// Say which nodes read a data file, and under which conditions another node reads it
    Readers(readers::ReadersArguments),
    /// Check data files, hiera.yaml files and Puppet code
    Check(check::CheckArguments),
    /// List what Puppet manifests declare and look up
    Classes(classes::ClassesArguments),
    /// Explain a rule of `check`, or list all rules
    Rule(rule::RuleArguments),
    /// List the nodes, what is known about each, and which facts are open
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
    /// Give an AI assistant access: speak the Model Context Protocol on standard input and output
    Mcp(mcp::McpArguments),
    /// Print a script that completes commands, keys, nodes and rules in a shell
    Completions {
        /// The shell
        shell: completions::Shell,
    },
    /// Write the man pages into a directory
    Man {
        /// The directory; it must exist
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
    },
}

/// Runs the command in the process's arguments. Whatever its result is, the command failed if that could not be written.
pub fn run() -> ExitCode {
    let code = run_command();
    if terminal::has_printed_all() { code } else { ExitCode::from(2) }
}

fn run_command() -> ExitCode {
    if completions::answer(Arguments::command) {
        return ExitCode::SUCCESS;
    }
    let arguments = with_names_as_in_puppet(std::env::args_os());
    let arguments = with_prefix_of_dashes(arguments.into_iter());
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(mut problem) => {
            let command = std::env::args().nth(1);
            if command.as_deref() == Some("diff") {
                say_where_keys_are_written(&mut problem);
            }
            let printed = problem.print();
            if !problem.use_stderr() {
                terminal::note_failure(printed);
            }
            // For wrong arguments, `puppet lookup` always exits with 1.
            let is_lookup = command.as_deref() == Some("lookup");
            return match problem.use_stderr() {
                true if is_lookup => ExitCode::FAILURE,
                true => ExitCode::from(2),
                false => ExitCode::SUCCESS,
            };
        }
    };
    arguments.color.choose();
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
            print(&format!("{:#}\n", settings::json_schema(&rule_names())));
            ExitCode::SUCCESS
        }
        Command::Server(arguments) => server::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Completions { shell } => print_or_complain(completions::script(shell)),
        Command::Man { directory } => {
            let written = man::write(Arguments::command(), &directory);
            print_or_complain(written.map(|()| String::new()))
        }
    }
}

/// Adds to the refusal of a second argument of `diff` that keys follow two dashes.
fn say_where_keys_are_written(problem: &mut clap::Error) {
    let key = match problem.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(key)) if !key.starts_with('-') => key,
        _ => return,
    };
    if problem.kind() == ErrorKind::UnknownArgument {
        let hint = format!("keys are written after '--': hiera-ls diff REV -- {key}");
        problem.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    }
}

/// `--knock_out_prefix` and the like as `--knock-out-prefix`: Puppet accepts underscores in the names of options of `lookup`.
fn with_names_as_in_puppet(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.get(1).is_none_or(|it| it != "lookup") {
        return arguments;
    }
    let command = Arguments::command();
    let lookup = command.find_subcommand("lookup").expect("it is one of the commands");
    let is_option = |name: &str| lookup.get_arguments().any(|it| it.get_long() == Some(name));
    let mut is_prefix = false;
    for argument in &mut arguments {
        if *argument == "--" && !is_prefix {
            break;
        }
        is_prefix = false;
        let Some(option) = argument.to_str().filter(|it| it.starts_with("--")) else { continue };
        let (name, value) = option.find('=').map_or((option, ""), |at| option.split_at(at));
        let in_puppet = name.replace('_', "-");
        if in_puppet != name && is_option(&in_puppet[2..]) {
            *argument = format!("{in_puppet}{value}").into();
        }
        is_prefix = *argument == "--knock-out-prefix";
    }
    arguments
}

/// `--knock-out-prefix --` as one argument. Puppet takes `--` as the prefix there; clap would take it as the end of the options.
fn with_prefix_of_dashes(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments = arguments.peekable();
    let mut joined = Vec::new();
    // Behind another `--`, everything is a key.
    let mut is_end = false;
    while let Some(argument) = arguments.next() {
        is_end |= argument == "--";
        let is_option = !is_end && argument == "--knock-out-prefix";
        match arguments.next_if(|next| is_option && next == "--") {
            Some(_) => joined.push("--knock-out-prefix=--".into()),
            None => joined.push(argument),
        }
    }
    joined
}

/// Writes to standard output.
pub(crate) fn print(text: &str) {
    terminal::print_bytes(text.as_bytes());
}

/// Prints the output of a command, or its error, and returns the exit code.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_dashes_can_be_the_knock_out_prefix() {
        let check = |line: &str, expected: &str| {
            let joined = with_prefix_of_dashes(line.split(' ').map(OsString::from));
            let joined: Vec<_> = joined.iter().map(|it| it.to_string_lossy()).collect();
            assert_eq!(joined.join(" "), expected);
        };
        check("x a --knock-out-prefix -- --node b", "x a --knock-out-prefix=-- --node b");
        check("x --knock-out-prefix - -- a", "x --knock-out-prefix - -- a");
        check("x -- --knock-out-prefix -- a", "x -- --knock-out-prefix -- a");
        check("x --knock-out-prefix", "x --knock-out-prefix");
    }
}
