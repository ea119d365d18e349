//! Heredocs: `@(TAG)`, and a text on the following lines.
//!
//! The text is split into tokens when its tag is read, and its tokens directly follow the tag. The lexer skips the text's
//! lines at the end of the tag's line.

use super::buffer::{Buffer, Line};
use super::characters::is_blank;
use super::strings::{Escapes, decode};
use super::{Language, Lexer};
use crate::syntax::puppet::token::{Kind, TokenText};

/// A longer tag is not read as a tag.
const MAX_TAG_BYTES: usize = 1_000;

/// After this many heredocs without an end, the lexer stops searching, because each search reads to the end of the file.
const MAX_WITHOUT_END: usize = 10;

/// A string that starts on the line of a heredoc's tag can extend beyond the heredoc. Puppet then reads it again from the line
/// after the heredoc. The lexer does so as long as this is not more than the whole text so many times.
const MAX_TIMES_READ_AGAIN: usize = 8;

/// Puppet crashes on a heredoc in an interpolation of another heredoc.
const INNER_HEREDOC: &str = "A heredoc cannot contain another heredoc";

/// The content of `@(…)`.
#[derive(Debug, PartialEq, Eq)]
struct Tag<'text> {
    name: &'text str,
    interpolates: bool,
    /// The text after `/`.
    escapes: Option<&'text str>,
    /// Length of the whole `@(…)`.
    length: usize,
}

/// The line that ends a text.
#[derive(Debug, PartialEq, Eq)]
struct EndLine<'text> {
    /// The margin that is removed from the lines that start with it; empty if there is none.
    margin: &'text str,
    /// Whether the last line end is removed.
    drops_line_end: bool,
}

impl<'text> Lexer<'text> {
    pub(super) fn heredoc(&mut self) {
        let start = self.at;
        let tag = match tag(&self.text()[start..]) {
            Ok(tag) if !self.buffer.is_heredoc_text() => tag,
            found => {
                let message = found.err().unwrap_or_else(|| INNER_HEREDOC.to_owned());
                self.error(start, 2, &message);
                return self.emit(Kind::At, 1);
            }
        };
        let escapes = escapes_of(tag.escapes);
        self.at = start + tag.length;
        let line_end = memchr::memchr(b'\n', &self.text().as_bytes()[self.at..]);
        // The texts of several heredocs on one line follow each other.
        let text_start = self.behind_heredocs.or(line_end.map(|it| self.at + it + 1));
        let found = text_start.and_then(|from| self.heredoc_end(from, tag.name));
        self.add(Kind::Heredoc, start, self.at);
        // The lexer goes on after the tag, with an empty text, so that the rest of the file is still read.
        let (Some(from), Some((to, behind, end_line))) = (text_start, found) else {
            self.error(start, tag.length, "Heredoc without end-tagged line");
            self.add_text(Kind::String, self.at, self.at, TokenText::Decoded(String::new()));
            self.after_heredoc();
            return;
        };
        self.behind_heredocs = Some(behind);
        let (text, lines) = without_margin(&self.text()[from..to], from, &end_line);
        self.cut_heredoc_text(&text, lines, escapes, tag.interpolates);
        self.after_heredoc();
    }

    /// Adds the tokens of the text of a heredoc.
    fn cut_heredoc_text(
        &mut self,
        text: &str,
        lines: Vec<Line>,
        escapes: Escapes,
        interpolates: bool,
    ) {
        // In the text of a heredoc, `%>` does not end a tag of the template.
        let language = match self.language {
            Language::Template => Language::Manifest,
            other => other,
        };
        let mut inner = Lexer::new(Buffer::of_heredoc(text, lines), language);
        if interpolates {
            inner.heredoc_escapes = escapes;
            inner.heredoc_text();
            inner.run();
        } else {
            let content = if text.contains('\\') {
                TokenText::Decoded(decode(text, &escapes))
            } else {
                inner.written(0, text.len())
            };
            inner.add_text(Kind::String, 0, text.len(), content);
        }
        let first_text = self.tokens.texts.len() as u32;
        self.tokens.texts.append(&mut inner.tokens.texts);
        for mut token in inner.tokens.list {
            if token.text != u32::MAX {
                token.text += first_text;
            }
            self.tokens.list.push(token);
        }
        self.errors.append(&mut inner.errors);
    }

    /// Puppet forgets a heredoc inside an interpolation, as it does with a string there.
    fn after_heredoc(&mut self) {
        if self.interpolations.is_empty() {
            self.after = Some(Kind::String);
        }
    }

    /// Whether the lexer may continue after a heredoc, at `behind`, even if it was further already.
    pub(super) fn may_go_to(&mut self, behind: usize) -> bool {
        self.read_again += self.at.saturating_sub(behind);
        behind > self.at || self.read_again <= MAX_TIMES_READ_AGAIN * self.text().len()
    }

    /// Where the text that starts at `from` ends, where the line after its end line starts, and the content of the end line.
    fn heredoc_end(&mut self, from: usize, name: &str) -> Option<(usize, usize, EndLine<'text>)> {
        if self.heredocs_without_end >= MAX_WITHOUT_END {
            return None;
        }
        let mut start = from;
        let text = self.buffer.text;
        while start < text.len() {
            let line_end = memchr::memchr(b'\n', &text.as_bytes()[start..]);
            let behind = line_end.map_or(text.len(), |it| start + it + 1);
            if let Some(end_line) = end_line(&text[start..behind], name) {
                return Some((start, behind, end_line));
            }
            start = behind;
        }
        self.heredocs_without_end += 1;
        None
    }
}

/// Reads `@(TAG)` or `@("TAG")`, optionally followed by `:syntax` and `/escapes`. Spaces around the tag are ignored. As Puppet
/// does, it takes the first tag before the next `)`, and ignores what precedes it. The error is Puppet's message.
fn tag(text: &str) -> Result<Tag<'_>, String> {
    let invalid = || "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])".to_owned();
    let window = &text.as_bytes()[..text.len().min(MAX_TAG_BYTES)];
    let end = memchr::memchr(b')', window).ok_or_else(invalid)?;
    let mut rest = &text[..end];
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"@(") {
        rest = &rest[at + 2..];
        let name_end = memchr::memchr3(b':', b'/', b'\r', rest.as_bytes()).unwrap_or(rest.len());
        let name_end = memchr::memchr(b'\n', &rest.as_bytes()[..name_end]).unwrap_or(name_end);
        let (name, options) = rest.split_at(name_end);
        if let Some(escapes) = escapes_after_name(options).filter(|_| !name.is_empty()) {
            return tag_of(name, escapes.strip_prefix('/'), end + 1);
        }
        // Further tags before this place end like this one.
        rest = options;
    }
    Err(invalid())
}

/// What follows the name and the syntax of a tag: nothing, or `/` and escapes. `None` if the tag is not well-formed.
fn escapes_after_name(options: &str) -> Option<&str> {
    let rest = match options.strip_prefix(':') {
        Some(rest) => {
            let rest = rest.trim_start_matches(is_blank);
            let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '+');
            let behind = rest.trim_start_matches(is_part);
            let syntax = &rest[..rest.len() - behind.len()];
            if syntax.len() < 2 || !syntax.starts_with(|it: char| it.is_ascii_lowercase()) {
                return None;
            }
            behind.trim_start_matches(is_blank)
        }
        None => options,
    };
    if rest.is_empty() {
        return Some(rest);
    }
    let with_slash = rest.trim_end_matches(is_blank);
    let escapes = with_slash.strip_prefix('/')?;
    let are_words = escapes.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '$'));
    are_words.then_some(with_slash)
}

fn tag_of<'text>(
    name: &'text str,
    escapes: Option<&'text str>,
    length: usize,
) -> Result<Tag<'text>, String> {
    let name = name.trim();
    let quoted = name.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let plain = quoted.unwrap_or(name).trim();
    if plain.is_empty() {
        return Err("Heredoc with an empty endtag".to_owned());
    }
    let written = escapes.unwrap_or_default();
    if has_a_character_twice(written) {
        let all: Vec<String> = written.chars().map(String::from).collect();
        return Err(format!(
            "An escape char for @() may only appear once. Got '{}'",
            all.join(", ")
        ));
    }
    if let Some(wrong) = written.chars().find(|it| !"trnsuL$".contains(*it)) {
        return Err(format!(
            "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{wrong}'"
        ));
    }
    Ok(Tag { name: plain, interpolates: quoted.is_some(), escapes, length })
}

fn has_a_character_twice(text: &str) -> bool {
    text.char_indices().any(|(at, c)| text[at + c.len_utf8()..].contains(c))
}

/// `/` alone means all escapes. Without it there are no escapes, not even of the backslash.
fn escapes_of(written: Option<&str>) -> Escapes {
    let Some(written) = written else { return Escapes::default() };
    let written = if written.is_empty() { "trnsuL$" } else { written };
    // As soon as there is any escape, a backslash can be escaped as well.
    let characters = written.chars().filter(|it| *it != 'L').chain(['\\']).collect();
    Escapes { characters, joins_lines: written.contains('L') }
}

/// Whether `line` ends the text of the heredoc `name`. Only the end of the line matters, so `some text END` does.
fn end_line<'text>(line: &'text str, name: &str) -> Option<EndLine<'text>> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line).trim_end_matches(is_blank);
    let before = line.strip_suffix(name)?.trim_end_matches(is_blank);
    let without_dash = before.strip_suffix('-').map(|it| it.trim_end_matches(is_blank));
    let drops_line_end = without_dash.is_some();
    let before = without_dash.unwrap_or(before);
    let margin = before.strip_suffix('|').map_or("", |it| {
        let text = it.trim_end_matches(is_blank);
        &it[text.len()..]
    });
    Some(EndLine { margin, drops_line_end })
}

/// The effective text of a heredoc, and the positions of its lines in the file. The margin is removed from lines that start
/// with exactly the margin; other lines stay as they are.
fn without_margin(written: &str, from: usize, end_line: &EndLine<'_>) -> (String, Vec<Line>) {
    let mut text = String::with_capacity(written.len());
    let mut lines = Vec::new();
    let mut at = from;
    for line in written.split_inclusive('\n') {
        let kept = line.strip_prefix(end_line.margin).unwrap_or(line);
        let in_file = at + (line.len() - kept.len());
        lines.push(Line { start: text.len() as u32, in_file: in_file as u32 });
        text.push_str(kept);
        at += line.len();
    }
    if lines.is_empty() {
        lines.push(Line { start: 0, in_file: from as u32 });
    }
    // Puppet removes the `\r` of the last line end as well.
    if end_line.drops_line_end && text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    (text, lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_tag(text: &str, expected: Option<(&str, bool, Option<&str>)>) {
        let found = tag(text);
        assert_eq!(found.map(|it| (it.name, it.interpolates, it.escapes)).ok(), expected);
    }

    #[test]
    fn tags_are_names_with_a_syntax_and_escapes() {
        check_tag("@(END)", Some(("END", false, None)));
        check_tag("@( END OF IT )", Some(("END OF IT", false, None)));
        check_tag("@(\"END\":json/tn) x", Some(("END", true, Some("tn"))));
        check_tag("@(END/)", Some(("END", false, Some(""))));
        for refused in ["@()", "@(A:x-y)", "@(A/x)", "@(A/tt)", "@(A", "@(A\n)", "@(\"\")"] {
            check_tag(refused, None);
        }
    }

    #[test]
    fn the_first_tag_before_the_parenthesis_counts() {
        check_tag("@(\"A\"/L}\n$x = @(B/t)\n", Some(("B", false, Some("t"))));
        check_tag("@(a @(B)", Some(("a @(B", false, None)));
        check_tag("@(/ @(B)", Some(("B", false, None)));
        check_tag("@(A:x-y @(B)", Some(("B", false, None)));
    }

    #[test]
    fn wrong_tags_have_the_messages_of_puppet() {
        for (text, message) in [
            ("@(A/q)", "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got 'q'"),
            ("@(A/tt)", "An escape char for @() may only appear once. Got 't, t'"),
            ("@(\" \")", "Heredoc with an empty endtag"),
            ("@()", "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])"),
        ] {
            assert_eq!(tag(text).err().as_deref(), Some(message), "{text}");
        }
    }

    #[track_caller]
    fn check_end(line: &str, expected: Option<(&str, bool)>) {
        let found = end_line(line, "END");
        assert_eq!(found.map(|it| (it.margin, it.drops_line_end)), expected, "{line:?}");
    }

    #[test]
    fn only_the_end_of_an_end_line_counts() {
        check_end("END\n", Some(("", false)));
        check_end("  some text END  \r\n", Some(("", false)));
        check_end("   | END", Some(("   ", false)));
        check_end("  |- END\n", Some(("  ", true)));
        check_end(" - END\n", Some(("", true)));
        check_end("x  |  -END\n", Some(("  ", true)));
        check_end("ENDING\n", None);
    }
}
