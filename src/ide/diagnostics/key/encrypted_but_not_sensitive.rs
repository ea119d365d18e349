//! `encrypted-but-not-sensitive`: a value is encrypted in the file, but a lookup returns a plain string, which Puppet writes
//! into catalogs, reports and logs.

use crate::engine::{AppliedOptions, ResolvedLevel};
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::option_edits::make_sensitive;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::ide::perspective::Perspective;

pub(crate) const RULE: Rule = Rule {
    code: "encrypted-but-not-sensitive",
    name: "Encrypted value that is not Sensitive",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "An encrypted value is not converted to `Sensitive` by `lookup_options`.",
    page: include_str!("../../../../docs/rules/encrypted-but-not-sensitive.md"),
    may_quote: |_| false,
    checks: &[Check::Lookup(check)],
    ..Rule::USUAL
};

/// The back end that decrypts.
const EYAML: &str = "eyaml_lookup_key";

/// Whether a level of the node decrypts the file at `path` for keys of `module`. Puppet gets the keys of such a file one by one.
pub(crate) fn is_read_by_eyaml(
    perspective: &Perspective,
    module: Option<&str>,
    path: &str,
) -> bool {
    let decrypts = |level: &ResolvedLevel| {
        *level.function.loaded_name() == *EYAML
            && level.locations.iter().flatten().any(|it| &*it.file == path)
    };
    let found = perspective.evaluator.find_level(module, |_, level| decrypts(level).then_some(()));
    found.is_some()
}

/// Checks the root key `key` at `range`, whose value contains encrypted text.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    let Some(perspective) = at.perspective else { return };
    if !at.summary.has_encrypted || !at.file.is_read_by_eyaml() {
        return;
    }
    let (key, data) = (at.key(), at.file.data);
    let range = at.entry.key.range.shifted(at.entry.start);
    let Ok(options) = perspective.evaluator.options_for(key) else { return };
    if options.as_ref().is_some_and(AppliedOptions::makes_sensitive) {
        return;
    }
    let (advice, fix) = make_sensitive(perspective, data, key, options.as_ref());
    let message = format!(
        "`{key}` is encrypted here, but Puppet treats its value as plain text\n{advice}, so that no log or report shows it."
    );
    let finding = report.add(&RULE, range, message);
    finding.fixes.extend(fix);
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn by_lookup_options() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml, lookup_key: eyaml_lookup_key}]
#- /data/common.yaml
lookup_options:
  a: {convert_to: Sensitive}
  b: {convert_to: [Sensitive]}
  cc: {convert_to: String}
a: ENC[GPG,YWJj]
b: {x: 'ENC[GPG,YWJj]'}
cc: ENC[GPG,YWJj]
#^ hint[encrypted-but-not-sensitive]: `cc` is encrypted here, but Puppet treats its value as plain text…
dd: [ENC]
",
        );
    }

    #[test]
    fn what_no_level_decrypts_stays_as_it_is() {
        check("a: ENC[GPG,YWJj]\n");
    }

    #[test]
    fn options_make_it_sensitive() {
        check_fix(
            "lookup_options:\n  a: {convert_to: Sensitive}\nbb: ENC[GPG,YWJj]\n#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{name: c, path: common.yaml, lookup_key: eyaml_lookup_key}]\n",
            "Make the value Sensitive with lookup_options",
            "lookup_options:\n  bb: {convert_to: Sensitive}\n  a: {convert_to: Sensitive}\nbb: ENC[GPG,YWJj]\n",
        );
    }
}
