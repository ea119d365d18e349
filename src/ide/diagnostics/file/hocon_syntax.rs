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
    use crate::ide::diagnostics::testing::check;

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
