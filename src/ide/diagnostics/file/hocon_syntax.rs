//! `hocon-syntax`: HOCON that Puppet cannot parse, in its own words.

use crate::data::Format;
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::file::yaml_syntax::reader_words;
use crate::ide::diagnostics::{Check, Family, Report, Rule, Severity, Subject};

pub(crate) const RULE: Rule = Rule {
    code: "hocon-syntax",
    name: "HOCON syntax error",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "Puppet cannot parse the HOCON of this file, so every lookup that reads it fails.",
    page: include_str!("../../../../docs/rules/hocon-syntax.md"),
    family: Family::Syntax,
    explains: Some(Subject::BrokenFile),
    checks: &[Check::File(check)],
    ..Rule::USUAL
};

pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let Some(error) = file.error().filter(|_| file.format == Format::Hocon) else { return };
    report.add(&RULE, error.range, reader_words(&error.message));
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::diagnostics;
    use crate::ide::diagnostics::testing::check;
    use crate::ide::fixture::Fixture;

    #[test]
    fn line_ends_of_windows_are_not_marked_in_part() {
        let hierarchy = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, path: a.conf, data_hash: hocon_data}]\n";
        for text in ["a : \"\r\nb = 2\r\n", "a : x\r\nb\r\nc = 2\r\n", "a = [\r\n}\r\n"] {
            let fixture = Fixture::parse(&format!("{hierarchy}#- /data/a.conf\n{text}"));
            let file = fixture.file("/data/a.conf").expect("the file of the fixture");
            let found = diagnostics(&fixture.world(), &file.world_path());
            let [finding] = &found[..] else { panic!("{found:?}") };
            let [before, marked, behind] = [
                &text[..finding.range.start as usize],
                finding.range.slice(text),
                &text[finding.range.end as usize..],
            ];
            assert!(!before.ends_with('\r') || !marked.starts_with('\n'), "{text:?}");
            assert!(!marked.ends_with('\r') || !behind.starts_with('\n'), "{text:?}");
        }
    }

    #[test]
    fn an_open_brace() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: a.conf, data_hash: hocon_data}]
#- /data/a.conf
a: 1
b: ]
#  ^ error[hocon-syntax]
",
        );
    }
}
