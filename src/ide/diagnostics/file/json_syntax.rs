//! `json-syntax`: JSON that Puppet cannot parse, in its own words.

use crate::data::Format;
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::file::yaml_syntax::reader_words;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Family, Report, Rule, Severity, Subject};
use crate::syntax::json;
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "json-syntax",
    name: "JSON syntax error",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "Puppet cannot parse the JSON of this file, so every lookup that reads it fails.",
    page: include_str!("../../../../docs/rules/json-syntax.md"),
    family: Family::Syntax,
    explains: Some(Subject::BrokenFile),
    checks: &[Check::File(check)],
    ..Rule::USUAL
};

pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let Some(error) = file.error().filter(|_| file.format == Format::Json) else { return };
    let text = file.text;
    // What Ruby quotes is the rest of the file, which may be long and contain secrets.
    let words = reader_words(json::without_quoted_text(&error.message));
    let advice = advice(text, error.range).map_or(String::new(), |it| format!("\n{it}"));
    let finding =
        report.add(&RULE, error.range, format!("{}{advice}", without_line_of_ruby(&words)));
    if let Some(comma) = comma_at_the_end(text, error.range) {
        finding.with_fix(Fix::safe("Remove the comma", vec![TextEdit::delete(comma)]));
    }
}

/// Ruby's words start with a line number in the source of its parser, which looks like one in the file.
fn without_line_of_ruby(words: &str) -> &str {
    let rest = words.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.strip_prefix(": ").unwrap_or(words)
}

/// The likely mistake at the place where the parser fails: it has the same words for most mistakes.
fn advice(text: &str, place: TextRange) -> Option<&'static str> {
    let (before, rest) = text.split_at_checked(place.start as usize)?;
    let (last, next) = (before.trim_end().chars().next_back(), rest.trim_start().chars().next());
    let is_after_value = last.is_some_and(|it| it.is_alphanumeric() || "\"}]".contains(it));
    let is_number = |it: char| it.is_ascii_digit();
    Some(match next {
        None if last.is_none() => "The file is empty. Write `{}` for no keys.",
        None => "The file ends here. Is a bracket or a quote missing?",
        _ if comma_at_the_end(text, place).is_some() => "No comma follows the last member.",
        Some('\'') => "JSON has only double quotes.",
        Some('#') => "In JSON, `#` does not start a comment.",
        Some(',' | '}' | ']') if last == Some(':') => "A value is missing.",
        Some('0') if rest.trim_start()[1..].starts_with(is_number) => {
            "A number must not start with 0."
        }
        Some('"' | '{' | '[') if is_after_value => "Is a comma missing before this place?",
        Some(it) if it.is_alphabetic() && matches!(last, Some('{' | '[' | ':' | ',')) => {
            "A string needs double quotes."
        }
        Some(_) => return None,
    })
}

/// The comma after the last member of a hash or list, if the parser fails there.
fn comma_at_the_end(text: &str, place: TextRange) -> Option<TextRange> {
    let rest = text.get(place.start as usize..)?;
    // The parser may report the comma itself, or the bracket after it.
    let start = match rest.strip_prefix(',') {
        Some(_) => place.start as usize,
        None => text[..place.start as usize].trim_end().strip_suffix(',')?.len(),
    };
    let behind = text[start + 1..].trim_start();
    behind.starts_with(['}', ']']).then(|| TextRange::new(start as u32, start as u32 + 1))
}

#[cfg(test)]
mod tests {
    use super::{advice, without_line_of_ruby};
    use crate::ide::diagnostics::testing::check_fix;
    use crate::syntax::json;

    const HIERARCHY: &str = "#- /hiera.yaml\nversion: 5\n\
                             hierarchy: [{name: x, data_hash: json_data, path: common.json}]\n";

    #[test]
    fn the_likely_mistake() {
        for (text, expected) in [
            ("{\"a\": 1,}", Some("No comma follows the last member.")),
            ("{'a': 1}", Some("JSON has only double quotes.")),
            ("{\"a\": }", Some("A value is missing.")),
            ("{\"a\": 1 \"b\": 2}", Some("Is a comma missing before this place?")),
            ("{\"a\": [1 2]}", None),
            ("{\"a\": 01}", Some("A number must not start with 0.")),
            ("{a: 1}", Some("A string needs double quotes.")),
            ("{\"a\": NaN}", Some("A string needs double quotes.")),
            ("{\"a\": 1} # b", Some("In JSON, `#` does not start a comment.")),
            ("{\"a\": 1", Some("The file ends here. Is a bracket or a quote missing?")),
        ] {
            let error = json::parse(text).error.expect("Ruby refuses it");
            assert_eq!(advice(text, error.range), expected, "{text} {:?}", error.range);
            let words = without_line_of_ruby(json::without_quoted_text(&error.message));
            assert_eq!(words, "unexpected token", "{text}");
        }
    }

    #[test]
    fn a_comma_too_many() {
        for (text, expected) in [
            ("{\"a\": [1, 2,],\n\"b\": 1}\n", "{\"a\": [1, 2],\n\"b\": 1}\n"),
            ("{\n  \"a\": 1,\n}\n", "{\n  \"a\": 1\n}\n"),
        ] {
            check_fix(
                &format!("#- /data/common.json\n{text}{HIERARCHY}"),
                "Remove the comma",
                expected,
            );
        }
    }
}
