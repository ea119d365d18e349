//! `yaml-syntax`: YAML that Puppet cannot parse, in its own words.
//!
//! Any lookup reads all data files of the node's hierarchy, so one broken file breaks every lookup of such nodes.

use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::shared::fix::MAX_TRIED_BYTES;
use crate::ide::diagnostics::{Check, Family, Related, Report, Rule, Severity, Subject};
use crate::syntax::tree::{NodeKind, ScalarStyle};
use crate::syntax::yaml;
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "yaml-syntax",
    name: "YAML syntax error",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "Puppet cannot parse the YAML of this file, so every lookup that reads it fails.",
    page: include_str!("../../../../docs/rules/yaml-syntax.md"),
    family: Family::Syntax,
    explains: Some(Subject::BrokenFile),
    may_quote,
    checks: &[Check::File(check)],
    ..Rule::USUAL
};

pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let Some(error) = file.yaml_error() else { return };
    let (message, related) = explained(file.text, error.range, &reader_words(&error.message));
    report.add(&RULE, error.range, message).related.extend(related);
}

/// The parser's words about an error at `range` with the likely mistake, and where it is if that is on another line.
pub(crate) fn explained(text: &str, range: TextRange, words: &str) -> (String, Option<Related>) {
    let mistake = likely_mistake(text, range.start as usize, words);
    let message = mistake.as_ref().map(|it| format!("{words}\n{}", it.advice));
    let related = mistake.and_then(|it| it.elsewhere);
    (
        message.unwrap_or_else(|| words.to_owned()),
        related.map(|(range, message)| Related { path: None, range, message: message.to_owned() }),
    )
}

/// The likely mistake, where the parser's words hardly lead to it.
struct Mistake {
    advice: String,
    /// Its place, and what is wrong there, if it is not where the parser finds the error.
    elsewhere: Option<(TextRange, &'static str)>,
}

impl Mistake {
    fn here(advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), elsewhere: None }
    }
}

fn likely_mistake(text: &str, at: usize, words: &str) -> Option<Mistake> {
    let (before, rest) = text.split_at_checked(at)?;
    if let Some(quote) = quote_of_an_earlier_line(text, at) {
        let line = line_of(text, quote);
        return Some(Mistake {
            advice: format!(
                "Is a quote missing? The quoted text that starts on line {line} ends here."
            ),
            elsewhere: Some((one_letter(quote), "this quote is not closed on its line")),
        });
    }
    if let Some(mistake) = open_bracket(text, at) {
        return Some(mistake);
    }
    if words.starts_with("could not find expected ':'") {
        return missing_colon(rest.lines().next().unwrap_or_default()).map(Mistake::here);
    }
    if words.starts_with("mapping values are not allowed") {
        if before.rsplit('\n').next().is_some_and(|start| start.contains(": ")) {
            return Some(Mistake::here("Put the value in quotes: it contains `: `."));
        }
        return continued_text(before);
    }
    let first = rest.chars().next()?;
    let is_start = words.starts_with("found character that cannot start any token")
        && matches!(first, '@' | '`' | '%');
    is_start.then(|| Mistake::here(format!("A value that starts with `{first}` needs quotes.")))
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn one_letter(at: usize) -> TextRange {
    TextRange::new(at as u32, at as u32 + 1)
}

/// A bracket that is still open where the next key starts, or the text ends. The parser often stops some lines later.
fn open_bracket(text: &str, at: usize) -> Option<Mistake> {
    if text.len() > MAX_TRIED_BYTES {
        return None;
    }
    let (brackets, refused_at) = yaml::open_brackets(text);
    let mut refused_at = (refused_at as usize).min(text.len());
    while !text.is_char_boundary(refused_at) {
        refused_at -= 1;
    }
    let is_end = text[refused_at..].trim().is_empty();
    let end_of_line = text[refused_at..].find('\n').map_or(text.len(), |it| refused_at + it);
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_left = |bracket: usize| {
        let line_start = text[..bracket].rfind('\n').map_or(0, |it| it + 1);
        let mut lines = text[line_start..end_of_line].lines();
        let own = lines.next().map_or(0, indentation);
        let is_next = |line: &str| {
            let first = line.trim_start().chars().next();
            first.is_some_and(|it| !"]}#".contains(it)) && indentation(line) <= own
        };
        is_end || lines.any(is_next)
    };
    let bracket = brackets.into_iter().map(|it| it as usize).rfind(|it| is_left(*it))?;
    let (open, close) = if text[bracket..].starts_with('[') { ("[", "]") } else { ("{", "}") };
    if bracket == at {
        let line = line_of(text, refused_at);
        let still = if is_end { "at the end".to_owned() } else { format!("on line {line}") };
        return Some(Mistake::here(format!(
            "Is a `{close}` missing? The `{open}` is still open {still}."
        )));
    }
    let line = line_of(text, bracket);
    Some(Mistake {
        advice: format!("Is a `{close}` missing? The `{open}` on line {line} is still open here."),
        elsewhere: Some((one_letter(bracket), "this bracket is not closed")),
    })
}

/// What is wrong with a line that should start with a key.
fn missing_colon(line: &str) -> Option<&'static str> {
    let is_odd = |c: char| c.is_whitespace() && !c.is_ascii();
    let is_before_odd = |(at, _): (usize, &str)| line[at + 1..].starts_with(is_odd);
    match () {
        () if line.contains('：') => Some("The colon is not an ASCII one. Write `: `."),
        () if line.match_indices(':').any(is_before_odd) => {
            Some("The space after the colon is not an ordinary one.")
        }
        () if has_tight_colon(line) => Some("Is a space missing after the colon?"),
        () if !has_colon(line) => Some("This line has no `: `."),
        () => None,
    }
}

/// Whether a key and a value with nothing but a colon between them may be meant.
fn has_tight_colon(line: &str) -> bool {
    let line = without_comment(line);
    let is_between = |at: usize| {
        let (key, value) = (&line[..at], &line[at + 1..]);
        let is_single = !key.ends_with(':') && !value.starts_with(':');
        is_single && !key.contains(' ') && value.starts_with(|c: char| !c.is_whitespace())
    };
    line.match_indices(':').any(|(at, _)| is_between(at))
}

fn has_colon(line: &str) -> bool {
    let line = without_comment(line);
    line.contains(": ") || line.ends_with(':')
}

fn without_comment(line: &str) -> &str {
    line.split(" #").next().unwrap_or(line).trim()
}

/// The text without quotes on an earlier line that goes on to the end of `before`, where a key should be: a key without a colon, or
/// the value of a key that is followed by a line with deeper indentation.
fn continued_text(before: &str) -> Option<Mistake> {
    let lines_before = &before[..=before.rfind('\n')?];
    if lines_before.len() > MAX_TRIED_BYTES {
        return None;
    }
    let root = yaml::parse(lines_before).root?;
    let mut last = &root;
    let range = loop {
        last = match &last.kind {
            NodeKind::Scalar { text, style: ScalarStyle::Plain } if !text.is_empty() => {
                break last.range;
            }
            NodeKind::Sequence(items) => items.last()?,
            NodeKind::Mapping(pairs) => &pairs.last()?.value,
            NodeKind::Scalar { .. } | NodeKind::Alias(_) => return None,
        };
    };
    if !lines_before[range.end as usize..].trim().is_empty() {
        return None;
    }
    let start = range.start as usize;
    let number = line_of(before, start);
    let line = before[start..].lines().next()?;
    let same_line = lines_before[..start].rsplit('\n').next()?;
    let (advice, what) = if !same_line.trim_start_matches([' ', '-']).is_empty() {
        let advice = format!(
            "The value on line {number} continues on this line. Is this line indented too far?"
        );
        (advice, "this value continues on the next line")
    } else if has_tight_colon(line) {
        let advice = format!("Is a space missing after the colon on line {number}?");
        (advice, "this is not a key and a value")
    } else {
        (format!("Line {number} has no `: `."), "there is no `: ` after this")
    };
    let place = TextRange::new(range.start, range.start + line.trim_end().len() as u32);
    Some(Mistake { advice, elsewhere: Some((place, what)) })
}

/// The start of the quoted string over several lines that ends on the line of `at`, or not before it. A quote starts a
/// string where YAML expects a value: after a space, a bracket or a comma.
pub(crate) fn quote_of_an_earlier_line(text: &str, at: usize) -> Option<usize> {
    let line_end = text[at.min(text.len())..].find('\n').map_or(text.len(), |length| at + length);
    let line_start = text[..at.min(text.len())].rfind('\n').map_or(0, |it| it + 1);
    let bytes = &text.as_bytes()[..line_end];
    let mut open: Option<(usize, u8)> = None;
    let mut found = None;
    let mut index = 0;
    while let Some(&byte) = bytes.get(index) {
        let before = index.checked_sub(1).map_or(b'\n', |it| bytes[it]);
        match open {
            // An escaped or doubled quote does not end the string.
            Some((_, b'"')) if byte == b'\\' => index += 1,
            Some((_, b'\'')) if byte == b'\'' && bytes.get(index + 1) == Some(&b'\'') => index += 1,
            Some((start, quote)) if byte == quote => {
                let is_over_lines = index >= line_start && start < line_start;
                found = found.or(is_over_lines.then_some(start));
                open = None;
            }
            None if matches!(byte, b'"' | b'\'') && b" \n\t[{,".contains(&before) => {
                open = Some((index, byte));
            }
            // A quote in a comment does not start a string.
            None if byte == b'#' && b" \n\t".contains(&before) => {
                index += bytes[index..].iter().position(|it| *it == b'\n').unwrap_or(bytes.len());
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    found.or(open.map(|(start, _)| start).filter(|start| *start < line_start))
}

/// Whether the message may quote the file. libyaml's own messages are fixed words; those of Ruby may quote a name or a value.
pub(crate) fn may_quote(message: &str) -> bool {
    const OF_LIBYAML: [&str; 14] = [
        "did not find expected ",
        "could not find expected ",
        "found unexpected ",
        "found unknown escape character",
        "found character that cannot start any token",
        "found undefined tag handle",
        "found a tab character ",
        "found an indentation indicator ",
        "mapping values are not allowed ",
        "mapping keys are not allowed ",
        "block sequence entries are not allowed ",
        "invalid leading UTF-8 octet",
        "invalid trailing UTF-8 octet",
        "control characters are not allowed",
    ];
    !OF_LIBYAML.iter().any(|words| message.starts_with(words))
}

/// The parser's message without path and place, because the diagnostic has them.
pub(crate) fn reader_words(message: &str) -> String {
    let words = message.strip_prefix("Unable to parse ({path}): ").unwrap_or(message);
    // Editors show the position themselves.
    let words = match words.rfind(" at line ") {
        Some(at)
            if words[at + 9..].bytes().all(|b| b.is_ascii_digit() || b" column".contains(&b)) =>
        {
            &words[..at]
        }
        _ => words,
    };
    words.replace("{path}: ", "").replace("{path}", "this file")
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::ide::diagnostics::diagnostics;
    use crate::ide::diagnostics::testing::{check, check_related};
    use crate::ide::fixture::Fixture;

    #[test]
    fn mistakes_on_other_lines_are_marked() {
        let mark = |text: &str, expected: &str| {
            check_related(text, "yaml-syntax", &[&format!("/data/common.yaml: {expected}")]);
        };
        mark("m::a\nd: 3\n", "m::a: there is no `: ` after this");
        mark("a: b\n  c: d\n", "b: this value continues on the next line");
        mark("a: [\n\nb:\n  - c\n", "[: this bracket is not closed");
    }

    #[test]
    fn a_quote_that_is_missing_lines_before() {
        check_related(
            "a: \"b # it's\nc: [d, \"e\"]\nf: \"g\"\n",
            "yaml-syntax",
            &["/data/common.yaml: \": this quote is not closed on its line"],
        );
        check_related("a: \"b\"\nc: d: e\n", "yaml-syntax", &[]);
    }

    #[test]
    fn the_likely_mistake() {
        for (text, expected) in [
            (
                "b: 2\na::b:\u{a0}Text\nc: 3\n",
                Some("The space after the colon is not an ordinary one."),
            ),
            ("b: 2\na：1\nc: 3\n", Some("The colon is not an ASCII one. Write `: `.")),
            ("b: 2\na:1\nc: 3\n", Some("Is a space missing after the colon?")),
            ("a:\n  b:1\n  c: 2\n", Some("Is a space missing after the colon on line 2?")),
            ("a: b: c\n", Some("Put the value in quotes: it contains `: `.")),
            ("a: @b\n", Some("A value that starts with `@` needs quotes.")),
            ("a: `b`\n", Some("A value that starts with ``` needs quotes.")),
            ("a: %b\n", Some("A value that starts with `%` needs quotes.")),
            ("b: 2\na::b\nc: 3\n", Some("This line has no `: `.")),
            ("b: 2\na::b # c: d\nc: 3\n", Some("This line has no `: `.")),
            ("b: 2\na::b:1\nc: 3\n", Some("Is a space missing after the colon?")),
            ("---\n# b: 2\na::b\n\nc: 3\n", Some("Line 3 has no `: `.")),
            ("a::b:c\nd: 3\n", Some("Is a space missing after the colon on line 1?")),
            ("a:\n  - b\n    c: 3\n", Some("Line 2 has no `: `.")),
            ("a:\n  b:1\n\n  c: 2\n", Some("Is a space missing after the colon on line 2?")),
            (
                "a: b\n  c: 2\n",
                Some("The value on line 1 continues on this line. Is this line indented too far?"),
            ),
            ("a: [1\n", Some("Is a `]` missing? The `[` is still open at the end.")),
            ("a: {b: [\n", Some("Is a `]` missing? The `[` is still open at the end.")),
            ("a: [\n\nb: 1\nc: 2\n", Some("Is a `]` missing? The `[` is still open on line 4.")),
            ("a: {\nb: 1\nc: 2\n", Some("Is a `}` missing? The `{` is still open on line 3.")),
            (
                "a: [\n\nb:\n  - c\n",
                Some("Is a `]` missing? The `[` on line 1 is still open here."),
            ),
            (
                "a:\n- [\n- b: c: d\n",
                Some("Is a `]` missing? The `[` on line 2 is still open here."),
            ),
            // It may be closed as it should be.
            ("a: [\n  b: c: d,\n]\n", None),
            ("a: [\n  b: c: d\n]\ne: 1\n", None),
        ] {
            let fixture = Fixture::parse_without_marks(&format!("#- /data/common.yaml\n{text}"));
            let found = diagnostics(&fixture.world(), &fixture.files[0].world_path());
            let found = found.iter().find(|it| it.code == RULE.code);
            let message = &found.expect("Puppet cannot parse it").message;
            assert_eq!(message.split_once('\n').map(|it| it.1), expected, "{text}: {message}");
        }
    }

    #[test]
    fn puppets_words_at_the_place() {
        check(
            r"
a: 1
b: [1, 2
#  ^^^^^ error[yaml-syntax]: did not find expected ',' or ']' while parsing a flow sequence
  c: 3
",
        );
    }
}
