//! Makes text from other people safe to print: it cannot move the cursor, hide other text, or give commands to the machine
//! that runs the program.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use super::workspace::absolute;
use crate::text::is_hidden;
use crate::world::paths;

/// The commands in `::command::` that GitHub's runner knows.
const GITHUB_COMMANDS: [&str; 16] = [
    "add-mask",
    "add-matcher",
    "add-path",
    "debug",
    "echo",
    "endgroup",
    "error",
    "group",
    "internal-set-repo-path",
    "notice",
    "remove-matcher",
    "save-state",
    "set-env",
    "set-output",
    "stop-commands",
    "warning",
];

/// A path in output for people. A path below the current directory is shown without it, which is shorter; every path can be
/// opened from there.
pub(super) fn as_seen_from_here(path: &str) -> &str {
    seen_from(&here(), path)
}

/// A path relative to a directory, if it is below it. For programs, this is the directory of the environment.
pub(super) fn seen_from<'p>(directory: &str, path: &'p str) -> &'p str {
    paths::below(directory, path).filter(|it| !it.is_empty()).unwrap_or(path)
}

/// The current directory; empty if there is none.
pub(super) fn here() -> String {
    absolute(Path::new(".")).unwrap_or_default()
}

/// `text` on one line: characters that must not be printed are escaped, including line ends.
pub(super) fn in_a_line(text: &str) -> Cow<'_, str> {
    without_commands(escaped(text, is_hidden))
}

/// A key on one line. It is in quotes if it would be invisible, or look like a command of a CI server.
pub(super) fn key_in_a_line(key: &str) -> Cow<'_, str> {
    if key.trim().is_empty() || key.trim_start().starts_with("::") {
        return Cow::Owned(in_a_line(&format!("\"{key}\"")).into_owned());
    }
    in_a_line(key)
}

/// [`in_a_line`] for text that follows other text on its line.
pub(super) fn within_a_line(text: &str) -> Cow<'_, str> {
    match escaped(text, is_hidden) {
        shown if shown.contains("##") => Cow::Owned(without_marks(&shown)),
        shown => shown,
    }
}

/// `text` with its lines and tabs; each line is converted by [`in_a_line`].
pub(super) fn in_lines(text: &str) -> Cow<'_, str> {
    let shown = escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'));
    if !shown.contains("::") && !shown.contains('#') {
        return shown;
    }
    let lines: Vec<Cow<'_, str>> =
        shown.split('\n').map(|line| without_commands(Cow::Borrowed(line))).collect();
    Cow::Owned(lines.join("\n"))
}

/// `1 file`, `1,084 files`.
pub(super) fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", with_separators(count), if count == 1 { "" } else { "s" })
}

/// `1084` as `1,084`.
pub(super) fn with_separators(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn escaped(text: &str, is_wanted: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_wanted) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !is_wanted(c) => shown.push(c),
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c => {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
            }
        }
    }
    Cow::Owned(shown)
}

/// A line that no CI server treats as a command: GitHub's start with `::` or contain `##[`, those of Azure contain `##vso[`.
fn without_commands(line: Cow<'_, str>) -> Cow<'_, str> {
    let trimmed = line.trim_start();
    let begins_as_one = is_github_command(trimmed);
    if !begins_as_one && !line.contains("##") {
        return line;
    }
    let mut shown = without_marks(&line);
    if begins_as_one {
        let at = line.len() - trimmed.len();
        // The replaced `##` are all after this place, so the offset is still right.
        shown.replace_range(at..=at, "\\u{3a}");
    }
    Cow::Owned(shown)
}

/// Whether GitHub runs a command if a line starts like this. A key such as `::profile::web` is none.
fn is_github_command(line: &str) -> bool {
    let command = line.strip_prefix("::").and_then(|it| it.split_once("::"));
    let name = command.and_then(|(command, _)| command.split(' ').next());
    name.is_some_and(|name| GITHUB_COMMANDS.iter().any(|it| it.eq_ignore_ascii_case(name)))
}

/// The text without the `##` before a `[` or the name of a command and a `[`. Other `##` are ordinary comments.
fn without_marks(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find("##") {
        let (before, second) = rest.split_at(at + 1);
        shown.push_str(before);
        rest = second;
        if second[1..].trim_start_matches(|it: char| it.is_ascii_alphabetic()).starts_with('[') {
            shown.push_str("\\u{23}");
            rest = &second[1..];
        }
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_to_be_seen_is_escaped() {
        assert_eq!(
            in_a_line("a\u{1b}[31m\r\n\tb\u{7f}\u{9b}"),
            "a\\u{1b}[31m\\r\\n\\tb\\u{7f}\\u{9b}"
        );
        assert_eq!(in_a_line("ü\u{202e}\u{2066}\u{feff}x"), "ü\\u{202e}\\u{2066}\\u{feff}x");
        assert_eq!(in_lines("a\n\u{8}b\r\n"), "a\n\\u{8}b\\r\n");
        assert!(matches!(in_a_line("plain ü 😀 # x:: ::"), Cow::Borrowed(_)));
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!(counted(0, "file"), "0 files");
        assert_eq!(counted(1, "file"), "1 file");
        assert_eq!(counted(999, "file"), "999 files");
        assert_eq!(counted(1_084, "file"), "1,084 files");
        assert_eq!(with_separators(1_000_000), "1,000,000");
    }

    #[test]
    fn nothing_is_a_command() {
        assert_eq!(in_a_line("::error::x"), "\\u{3a}:error::x");
        assert_eq!(in_a_line("  ::add-mask::x"), "  \\u{3a}:add-mask::x");
        assert_eq!(
            in_lines("b\n ::error::x\n##[error]y"),
            "b\n \\u{3a}:error::x\n#\\u{23}[error]y"
        );
        assert_eq!(in_a_line("a ##vso[task.setvariable]"), "a #\\u{23}vso[task.setvariable]");
        assert_eq!(in_a_line("###[error]"), "##\\u{23}[error]");
        for harmless in ["## NTP", "#### [x] ####", "a: 1 ##", "::profile::web: 1", "::x"] {
            assert_eq!(in_a_line(harmless), harmless);
        }
        assert_eq!(in_a_line("b\n::error::x"), "b\\n::error::x");
    }
}
