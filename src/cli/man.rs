//! The man pages, with the names of arguments in the synopsis, where clap_mangen omits them.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command};

/// Writes a page for the command and one for each of its subcommands.
pub(super) fn write(command: Command, directory: &Path) -> Result<(), String> {
    let mut command = command.disable_help_subcommand(true);
    // Before this, options of all commands and the full names of subcommands are missing.
    command.build();
    clap_mangen::generate_to(with_synopsis(command), directory)
        .map_err(|error| format!("{}: {error}", directory.display()))
}

fn with_synopsis(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    let synopsis = synopsis(&command);
    let command = command.override_usage(synopsis);
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, with_synopsis))
}

/// `hiera-ls check [--since REV] [-q|--quiet] [PATH]...`
fn synopsis(command: &Command) -> String {
    let mut text = command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned();
    let (positionals, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(|it| !it.is_hide_set()).partition(|it| it.is_positional());
    for option in options.into_iter().filter(|it| it.get_id() != "help") {
        let _ = write!(text, " [{}]", option_text(option));
    }
    for positional in positionals {
        let name = values(positional);
        let name = name.trim_start();
        let more = if is_repeated(positional) { "..." } else { "" };
        let (open, close) = match (positional.is_last_set(), positional.is_required_set()) {
            (true, _) => ("[-- ", "]"),
            (false, true) => ("", ""),
            (false, false) => ("[", "]"),
        };
        let _ = write!(text, " {open}{name}{close}{more}");
    }
    if command.has_subcommands() {
        text += " COMMAND";
    }
    text
}

fn option_text(option: &Arg) -> String {
    let short = option.get_short().map(|it| format!("-{it}"));
    let long = option.get_long().map(|it| format!("--{it}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let values = if option.get_action().takes_values() { values(option) } else { String::new() };
    names.join("|") + &values
}

/// ` DIR`, ` NAME=VALUE`.
fn values(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().fold(String::new(), |text, name| text + " " + name)
}

fn is_repeated(argument: &Arg) -> bool {
    argument.get_num_args().is_some_and(|it| it.max_values() > 1)
}
