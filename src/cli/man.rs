//! The man pages. clap_mangen omits the names of arguments in the synopsis, and fills the lines of examples.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use clap::{Arg, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

/// Writes a page for the command and one for each of its subcommands.
pub(super) fn write(command: Command, directory: &Path) -> Result<(), String> {
    let mut command = command.disable_help_subcommand(true);
    // Before this, options of all commands and the full names of subcommands are missing.
    command.build();
    write_pages(&with_synopsis(command), directory)
        .map_err(|error| format!("{}: {error}", directory.display()))
}

fn write_pages(command: &Command, directory: &Path) -> io::Result<()> {
    for command in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        write_pages(command, directory)?;
    }
    let man = Man::new(command.clone().after_help(None));
    let mut page = Vec::new();
    man.render(&mut page)?;
    if let Some(notes) = command.get_after_help() {
        add_notes(&notes.to_string(), &mut page)?;
    }
    std::fs::write(directory.join(man.get_filename()), page)
}

/// Adds what follows the options in the help. Lines that start with spaces stay as they are.
fn add_notes(notes: &str, page: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", ["NOTES"]);
    let mut is_verbatim = false;
    for line in notes.lines() {
        if line.starts_with(' ') != is_verbatim {
            is_verbatim = !is_verbatim;
            roff.control(if is_verbatim { "nf" } else { "fi" }, []);
        }
        if line.is_empty() {
            roff.control("PP", []);
        } else {
            roff.text([roman(line)]);
        }
    }
    if is_verbatim {
        roff.control("fi", []);
    }
    roff.to_writer(page)
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
