//! `yaml-syntax`: YAML that Puppet cannot parse, in its own words.
//!
//! Any lookup reads all data files of the node's hierarchy, so one broken file breaks every lookup of such nodes.

use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::{Check, Family, Related, Report, Rule, Severity, Subject};
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
    let text = file.text;
    let words = reader_words(&error.message);
    let Some(quote) = quote_of_an_earlier_line(text, error.range.start as usize) else {
        let advice = advice(text, error.range.start as usize, &words);
        report.add(&RULE, error.range, advice.map_or(words.clone(), |it| format!("{words}\n{it}")));
        return;
    };
    let line = text[..quote].matches('\n').count() + 1;
    let message = format!(
        "{words}\nIs a quote missing? The quoted text that starts on line {line} ends here."
    );
    let finding = report.add(&RULE, error.range, message);
    let range = TextRange::new(quote as u32, quote as u32 + 1);
    let message = "this quote is not closed on its line".to_owned();
    finding.related.push(Related { path: None, range, message });
}

/// The likely mistake, where the parser's words hardly lead to it.
fn advice(text: &str, at: usize, words: &str) -> Option<String> {
    let (before, rest) = text.split_at_checked(at)?;
    let (lines_before, start) = before.rsplit_once('\n').unwrap_or(("", before));
    if words.starts_with("could not find expected ':'") {
        let line = rest.lines().next().unwrap_or_default();
        let is_odd = |c: char| c.is_whitespace() && !c.is_ascii();
        let is_before_odd = |(at, _): (usize, &str)| line[at + 1..].starts_with(is_odd);
        let advice = match () {
            () if line.contains('：') => "The colon is not an ASCII one. Write `: `.",
            () if line.match_indices(':').any(is_before_odd) => {
                "The space after the colon is not an ordinary one."
            }
            () if line.contains(':') => "Is a space missing after the colon?",
            () => return None,
        };
        return Some(advice.to_owned());
    }
    if words.starts_with("mapping values are not allowed") {
        if start.contains(": ") {
            return Some("Put the value in quotes: it contains `: `.".to_owned());
        }
        let line = lines_before.rsplit('\n').next()?.trim();
        let (key, value) = line.split_once(':')?;
        let is_tight = !key.contains([' ', '#']) && value.starts_with(|c: char| !c.is_whitespace());
        let number = lines_before.matches('\n').count() + 1;
        return is_tight.then(|| format!("Is a space missing after the colon on line {number}?"));
    }
    let first = rest.chars().next()?;
    let is_start = words.starts_with("found character that cannot start any token")
        && matches!(first, '@' | '`' | '%');
    is_start.then(|| format!("A value that starts with `{first}` needs quotes."))
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
            ("a: [1\n", None),
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
