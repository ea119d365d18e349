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
    let finding = report.add(&RULE, error.range, words);
    if let Some(comma) = comma_at_the_end(text, error.range) {
        finding.with_fix(Fix::safe("Remove the comma", vec![TextEdit::delete(comma)]));
    }
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
    use crate::ide::diagnostics::testing::check_fix;

    const HIERARCHY: &str = "#- /hiera.yaml\nversion: 5\n\
                             hierarchy: [{name: x, data_hash: json_data, path: common.json}]\n";

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
