//! `merge-option-type`: an option of a merge strategy with a value of the wrong type. The message is Puppet's, from the
//! engine.

use crate::engine::merge::Merge;
use crate::ide::diagnostics::key::OptionsContext;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::ruby_regex::{self, RegexProblem};

pub(crate) const RULE: Rule = Rule {
    code: "merge-option-type",
    name: "Merge option of the wrong type",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "An option of a merge strategy has a value that Puppet refuses.",
    page: include_str!("../../../../docs/rules/merge-option-type.md"),
    checks: &[Check::Options(check)],
    ..Rule::USUAL
};

/// Checks the entry `lookup_options` of a file.
pub(crate) fn check(options: &OptionsContext<'_>, report: &mut Report) {
    let Some(options) = options.entry.value.value.as_hash() else { return };
    for (_, options) in options {
        let merge = options.value.value.as_hash().and_then(|options| options.get("merge"));
        let Some(merge) = merge else { continue };
        let Some(members) = merge.value.value.as_hash() else { continue };
        if let Err(failure) = Merge::of(Some(&merge.value.value)) {
            // Puppet's message may name several options. Each is reported at its own place.
            for words in failure.message.split(['\n', ',']) {
                // `entry 'knockout_prefix' expects a value of type Undef or String`
                let named = words.split_once("entry '").map(|(_, rest)| rest);
                let name = named.and_then(|rest| rest.split('\'').next());
                let member = name.and_then(|name| members.get(name));
                if let Some(place) = member.and_then(|member| member.value.place) {
                    let message = format!(
                        "{}\nThe lookup of every key with these options fails.",
                        failure.message.trim()
                    );
                    report.add_once(&RULE, RULE.severity, place.range, message);
                }
            }
        }
        let is_empty = |member: &crate::data::Member| member.value.value.as_str() == Some("");
        if let Some(member) = members.get("knockout_prefix").filter(|member| is_empty(member))
            && let Some(place) = member.value.place
        {
            let message = "knockout_prefix cannot be an empty string in deep_merge!\n\
                           Lookups fail as soon as two levels have the key. Remove the option, or name a prefix.";
            report.add_as(&RULE, Severity::Warning, place.range, message);
        }
        if let Some(member) = members.get("knockout_prefix")
            && let Some(place) = member.value.place
            && let Some(message) = member.value.value.as_str().and_then(refused_prefix)
        {
            let message = format!(
                "{message}\nThe prefix is a regular expression. Lookups fail as soon as two levels have the key."
            );
            report.add_as(&RULE, Severity::Warning, place.range, message);
        }
    }
}

/// Why Ruby refuses the regular expression with which a merge looks for the prefix.
fn refused_prefix(prefix: &str) -> Option<String> {
    match ruby_regex::translate(&format!("^{prefix}")) {
        Err(RegexProblem::Invalid(message)) => Some(message),
        Ok(_) | Err(RegexProblem::Unsupported(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn puppets_words() {
        check(
            r"
lookup_options:
  a: {merge: {strategy: deep, knockout_prefix: 5, sort_merged_arrays: x}}
#                                              ^ error[merge-option-type]
#                                                                     ^ error[merge-option-type]
  b: {merge: {strategy: deep, merge_hash_arrays: 1}}
#                                                ^ error[merge-option-type]: The merge options has wrong type, entry 'merge_hash_arrays' expects a value of type Undef or Boolean, got Integer…
  c: {merge: {strategy: deep, knockout_prefix: ''}}
#                                              ^^ warning[merge-option-type]: knockout_prefix cannot be an empty string in deep_merge!…
  d: {merge: {strategy: deep, knockout_prefix: ~, merge_debug: true}}
  e: {merge: {strategy: deep, knockout_prefix: '('}}
#                                              ^^^ warning[merge-option-type]: end pattern with unmatched parenthesis: /^(/…
  f: {merge: {strategy: deep, knockout_prefix: --}}
a: 1
b: 1
c: 1
d: 1
e: 1
f: 1
",
        );
    }
}
