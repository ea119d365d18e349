//! Markdown or plain text: the same sentences for editors and for terminals.

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
            Self::None => without_markup(text),
        }
    }
}

fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// Removes what [`code`] and [`plain`] added. Backticks become quotes, which show where a name ends in a sentence.
fn without_markup(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut is_code = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if !is_code && rest.peek().is_some_and(char::is_ascii_punctuation) => {
                shown.extend(rest.next());
            }
            '`' => {
                is_code = !is_code;
                while rest.next_if_eq(&'`').is_some() {}
                shown.push('`');
            }
            '*' if !is_code => {}
            _ => shown.push(c),
        }
    }
    shown
}

/// Text as inline code, whatever backticks it contains.
pub(crate) fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let fence = "`".repeat(longest_run(&text) + 1);
    // A backtick at the edge of code needs a space, which Markdown removes again.
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    if text.is_empty() { "`\"\"`".to_owned() } else { format!("{fence}{pad}{text}{pad}{fence}") }
}

/// Text that must not be read as Markdown. An underscore inside a word has no meaning, and some editors show the Markdown
/// source, so such an underscore is not escaped.
pub(crate) fn plain(text: &str) -> String {
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
    let fence = "`".repeat(longest_run(text).max(2) + 1);
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
    fn sentences_lose_their_marks() {
        let check = |text: &str, expected: &str| assert_eq!(without_markup(text), expected);
        check("`a\\_b` and \\_c\\_", "`a\\_b` and _c_");
        check("level \"\\*\" is **not** read", "level \"*\" is not read");
        check("`` a`b ``", "` a`b `");
    }
}
