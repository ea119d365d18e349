//! Markdown or plain text: the same sentences for editors and for terminals.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::text::is_hidden;

/// The markup of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Markup {
    /// For editors.
    Markdown,
    /// For terminals.
    None,
}

impl Markup {
    /// Text in inline code.
    pub(crate) fn code(self, text: &str) -> String {
        match self {
            Self::Markdown => code(text),
            Self::None => on_one_line(text),
        }
    }

    /// Text without markup, whatever it contains.
    pub(crate) fn plain(self, text: &str) -> String {
        match self {
            Self::Markdown => plain(text),
            Self::None => on_one_line(text),
        }
    }

    /// Highlighted text.
    pub(crate) fn strong(self, text: &str) -> String {
        match self {
            Self::Markdown => format!("**{text}**"),
            Self::None => text.to_owned(),
        }
    }

    /// Lines of code in a language.
    pub(crate) fn block(self, language: &str, text: &str) -> String {
        match self {
            Self::Markdown => fenced(language, text),
            Self::None => format!("{text}\n"),
        }
    }

    /// A sentence that is already marked up.
    pub(crate) fn of_markdown(self, text: &str) -> String {
        match self {
            Self::Markdown => text.to_owned(),
            Self::None => without_markup(text, "`"),
        }
    }
}

/// A hover without any markup, for editors that do not read Markdown.
pub fn plain_text_of(markdown: &str) -> String {
    let mut shown = String::with_capacity(markdown.len());
    // The fence of the block that a line is in.
    let mut open: Option<&str> = None;
    for line in markdown.split_inclusive('\n') {
        let fence = &line[..line.len() - line.trim_start_matches('`').len()];
        match open {
            Some(known) if line.trim_end() == known => open = None,
            Some(_) => shown.push_str(line),
            None if fence.len() >= 3 && !line[fence.len()..].contains('`') => open = Some(fence),
            None => shown.push_str(&without_markup(line, "")),
        }
    }
    shown.truncate(shown.trim_end().len());
    shown
}

/// A text in which every character can be seen: all others are escaped as YAML does, also the space that does not break.
fn visible(text: &str) -> Cow<'_, str> {
    let is_wanted = |c: char| (is_hidden(c) || c == '\u{a0}') && !matches!(c, '\n' | '\r' | '\t');
    if !text.contains(is_wanted) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let _ = match u32::from(c) {
            _ if !is_wanted(c) => visible.write_char(c),
            code @ ..=0xffff => write!(visible, "\\u{code:04X}"),
            code => write!(visible, "\\U{code:08X}"),
        };
    }
    Cow::Owned(visible)
}

fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Removes what [`code`] and [`plain`] added. `mark` on each side shows where a name ends in a sentence.
fn without_markup(text: &str, mark: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '\\' if after.starts_with(|it: char| it.is_ascii_punctuation()) => {
                shown.push_str(&after[..1]);
                &after[1..]
            }
            '`' => {
                let (code, behind) = code_at(rest);
                match code {
                    Ok(code) => shown.extend([mark, code, mark]),
                    Err(text) => shown.push_str(text),
                }
                behind
            }
            '*' => after,
            _ => {
                shown.push(c);
                after
            }
        };
    }
    shown
}

/// The inline code at the start of a text, between single backticks, and the rest of the text. Code ends at as many backticks
/// as it starts with; without these, the backticks at the start are text (`Err`).
fn code_at(text: &str) -> (Result<&str, &str>, &str) {
    let run = |text: &str| text.len() - text.trim_start_matches('`').len();
    let opening = run(text);
    let inside = &text[opening..];
    let mut end = 0;
    while let Some(found) = inside[end..].find('`') {
        let length = run(&inside[end + found..]);
        if length == opening {
            let code = &inside[..end + found];
            let trimmed = code.strip_prefix(' ').and_then(|it| it.strip_suffix(' '));
            return (Ok(trimmed.unwrap_or(code)), &inside[end + found + length..]);
        }
        end += found + length;
    }
    (Err(&text[..opening]), inside)
}

/// Text as inline code, whatever backticks it contains.
pub(crate) fn code(text: &str) -> String {
    let text = visible(text).replace(['\n', '\r'], " ");
    let fence = "`".repeat(longest_run(&text) + 1);
    // A backtick at the edge of code needs a space, which Markdown removes again.
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    if text.is_empty() { "`\"\"`".to_owned() } else { format!("{fence}{pad}{text}{pad}{fence}") }
}

/// Text that must not be read as Markdown. An underscore inside a word has no meaning, and some editors show the Markdown
/// source, so such an underscore is not escaped.
pub(crate) fn plain(text: &str) -> String {
    let text = visible(text);
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let is_in_word = || {
            plain.ends_with(char::is_alphanumeric)
                && rest.as_str().starts_with(char::is_alphanumeric)
        };
        let is_markup = match c {
            '_' => !is_in_word(),
            _ => matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '#' | '|'),
        };
        if is_markup {
            plain.push('\\');
        }
        plain.push(if c == '\n' { ' ' } else { c });
    }
    plain
}

fn fenced(language: &str, text: &str) -> String {
    let text = visible(text);
    let fence = "`".repeat(longest_run(&text).max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscores_within_words_stay_alone() {
        let check = |text: &str, expected: &str| assert_eq!(plain(text), expected);
        check("trusted.extensions.pp_role is a_b_c", "trusted.extensions.pp_role is a_b_c");
        check("_a_ __b", "\\_a\\_ \\_\\_b");
        check("a_*b*", "a\\_\\*b\\*");
    }

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        let text = "a\u{202e}b\u{200b}c\u{a0}d\u{e0041}\tü";
        let shown = "a\\u202Eb\\u200Bc\\u00A0d\\U000E0041\tü";
        assert_eq!(code(text), format!("`{shown}`"));
        assert_eq!(plain(text), shown.replace('\\', "\\\\"));
        assert_eq!(fenced("yaml", text), format!("```yaml\n{shown}\n```\n"));
    }

    #[test]
    fn sentences_lose_their_marks() {
        let check = |text: &str, expected: &str| assert_eq!(without_markup(text, "`"), expected);
        check("`a\\_b` and \\_c\\_", "`a\\_b` and _c_");
        check("level \"\\*\" is **not** read", "level \"*\" is not read");
        check("`` a`b `` and \\_c\\_ *d*", "`a`b` and _c_ d");
        check("``a`*\\_b`` *c*", "`a`*\\_b` c");
        check(&format!("{} *d*", code("``a`")), "```a`` d");
        check("never `closed *a*", "never `closed a");
    }

    #[test]
    fn plain_text_has_no_marks_but_those_of_values() {
        let check = |text: &str, expected: &str| assert_eq!(plain_text_of(text), expected);
        check("**`a::b`** for any node\n\nFrom `x_y`\n", "a::b for any node\n\nFrom x_y");
        check("A:\n\n```yaml\n- '*`x`*'\n\\*\n```\n\n1. \\*", "A:\n\n- '*`x`*'\n\\*\n\n1. *");
        check("````yaml\n```\n````\nb", "```\nb");
        check("```yaml\nno end", "no end");
    }
}
