//! `hocon-environment-variable`: a `${…}` in HOCON that names nothing in the file, and so a variable of the server's environment.

use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};

pub(crate) const RULE: Rule = Rule {
    code: "hocon-environment-variable",
    name: "Environment variable in HOCON",
    severity: Severity::Information,
    since: "0.2.0",
    summary: "A `${…}` in HOCON names no key of the file, so the value depends on the environment of the Puppet server.",
    page: include_str!("../../../../docs/rules/hocon-environment-variable.md"),
    checks: &[Check::File(check)],
    ..Rule::USUAL
};

pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    for open in file.data.open_keys() {
        let mut places = open.places.clone();
        // A value that is inserted twice has its members at the same places.
        places.sort_unstable_by_key(|it| (it.start, it.end));
        places.dedup();
        let why = open.in_words();
        for place in places {
            let key = &open.key;
            let message = format!("the value of `{key}` {why}\nSo it is not known here.");
            report.add_once(&RULE, RULE.severity, place, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn the_value_and_its_copies() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, path: a.conf, data_hash: hocon_data}]
#- /data/a.conf
home = ${HOME}/x
#      ^^^^^^^^^ information[hocon-environment-variable]: the value of `home` depends on the environment variable `HOME` of the Puppet server So it is not known here.
copy = ${home}
#      ^^^^^^^ information[hocon-environment-variable]
list = [1, ${?A}"b"${?C}]
#          ^^^^^^^^^^^^^ information[hocon-environment-variable]: the value of `list` depends on the environment variables `A`, `C` of the Puppet server So it is not known here.
sure = ${list_of}
list_of = [1]
list_of += 2
none = ${?a.b}
"#,
        );
    }
}
