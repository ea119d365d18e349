//! Colours: one set of styles for all commands, and the two places where styled text is printed.
//!
//! Styled text always contains escapes; the stream removes them if the output is not a terminal. It follows `--color` or,
//! without it, `NO_COLOR`, `CLICOLOR`, `CLICOLOR_FORCE` and `TERM=dumb`.

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

use super::shown;
use crate::ide::diagnostics::Severity;

/// The style of titles.
pub(super) const STRONG: Style = Style::new().bold();
/// The style of success messages.
pub(super) const GOOD: Style = AnsiColor::Green.on_default().bold();
/// The style of less important text.
pub(super) const FAINT: Style = Style::new().dimmed();
/// The style of lines and numbers around an excerpt, and of positions.
pub(super) const FRAME: Style = AnsiColor::Blue.on_default().bold();

/// Whether nothing is printed on standard error: during completion, the shell would show it inside the line.
static IS_SILENT: AtomicBool = AtomicBool::new(false);

/// Whether output could not be written.
static HAS_LOST_OUTPUT: AtomicBool = AtomicBool::new(false);

/// When to print colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless the environment says otherwise
    #[default]
    Auto,
    /// Also into files and pipes
    Always,
    /// Never
    Never,
}

impl Color {
    /// Applies the choice to the whole process.
    pub(super) fn choose(self) {
        let choice = match self {
            Self::Auto if is_not_forced() && !are_terminals() => ColorChoice::Never,
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Whether `CLICOLOR_FORCE` is 0, which does not force colours. The streams would take it for any other text.
fn is_not_forced() -> bool {
    std::env::var_os("CLICOLOR_FORCE").is_some_and(|it| it == "0")
}

fn are_terminals() -> bool {
    std::io::stdout().is_terminal() && std::io::stderr().is_terminal()
}

/// The colour of findings of a severity.
pub(super) fn style_of(severity: Severity) -> Style {
    let color = match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Information => AnsiColor::Cyan,
        Severity::Hint => AnsiColor::Green,
    };
    color.on_default().bold()
}

/// `text` in a style.
pub(super) fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// `text` without any style.
pub(super) fn unstyled(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

/// Prints styled text to standard output.
pub(super) fn print_styled(text: &str) {
    note_failure(anstream::stdout().lock().write_all(text.as_bytes()));
}

/// Prints text as it is to standard output.
pub(super) fn print_bytes(text: &[u8]) {
    note_failure(std::io::stdout().lock().write_all(text));
}

/// Whether everything that was printed arrived, as far as that matters: a closed pipe (`| head`) is not an error. The reason
/// was said on standard error.
pub(super) fn has_printed_all() -> bool {
    // The last line may still be in a buffer.
    note_failure(std::io::stdout().lock().flush());
    !HAS_LOST_OUTPUT.load(Ordering::Relaxed)
}

/// Says the first time that output was lost. Otherwise, a full disk would leave a part of a report that looks complete.
pub(super) fn note_failure(written: std::io::Result<()>) {
    let Err(error) = written else { return };
    let is_closed = error.kind() == std::io::ErrorKind::BrokenPipe;
    if !is_closed && !HAS_LOST_OUTPUT.swap(true, Ordering::Relaxed) {
        complain(&format!("standard output: {error}"));
    }
}

/// Whether text on standard output keeps its styles.
pub(super) fn is_styled() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != ColorChoice::Never
}

/// Prints what `write` writes, which contains escapes only if it is styled.
pub(super) fn write_to_stdout(
    is_styled: bool,
    write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) {
    // To search a very long text for escapes takes longer than to write it.
    note_failure(if is_styled {
        write(&mut anstream::stdout().lock())
    } else {
        write(&mut std::io::stdout().lock())
    });
}

/// Prints a line of styled text to standard error, with the name of the program.
pub(super) fn tell(text: &str) {
    if IS_SILENT.load(Ordering::Relaxed) {
        return;
    }
    let _ = writeln!(anstream::stderr().lock(), "hiera-ls: {text}");
}

/// From now on, nothing is printed on standard error.
pub(super) fn be_silent() {
    IS_SILENT.store(true, Ordering::Relaxed);
}

/// Prints an error on standard error.
pub(super) fn complain(message: &str) {
    tell(&shown::in_lines(message));
}

/// [`complain`], unless it was said before.
pub(super) fn complain_once(message: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(message.to_owned()) {
        complain(message);
    }
}

/// An explanation or a reason as text, with highlighted titles and results.
pub(super) fn with_marks(text: &str) -> String {
    let mut marked = String::with_capacity(text.len() + 256);
    for line in text.split_inclusive('\n') {
        let (content, end) = line.strip_suffix('\n').map_or((line, ""), |content| (content, "\n"));
        let said = content.trim_start();
        let style = match said {
            _ if said.starts_with("Found key: ") => Some(GOOD),
            _ if said.starts_with("Searching for ") || said.starts_with("Merge strategy ") => {
                Some(STRONG)
            }
            _ if said.starts_with("No such key: ") || said.starts_with("Path not found") => {
                Some(FAINT)
            }
            _ => None,
        };
        match style {
            Some(style) => {
                let indent = &content[..content.len() - said.len()];
                marked += indent;
                marked += &styled(style, said);
            }
            None => marked += content,
        }
        marked += end;
    }
    marked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_change_no_words() {
        let text = "Searching for \"a\"\n  Path \"x\"\n    Found key: \"a\" value: 1\n    No such key: \"b\"\nend";
        let marked = with_marks(text);
        assert!(
            marked.contains("\n    \u{1b}[1m\u{1b}[32mFound key: \"a\" value: 1\u{1b}[0m\n"),
            "{marked:?}"
        );
        assert_eq!(anstream::adapter::strip_str(&marked).to_string(), text);
    }
}
