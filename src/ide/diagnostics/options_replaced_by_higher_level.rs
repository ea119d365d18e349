//! `options-replaced-by-higher-level`: the options of a key are those of the highest level that has any. They are not merged.

use super::lower::LowerLevels;
use super::{Related, Report, Rule, Severity};
use crate::data::{RootEntry, Value};

pub(super) const RULE: Rule = Rule {
    code: "options-replaced-by-higher-level",
    name: "Lookup options that replace others",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "Options of a key replace those of a lower level, some of which are missing here.",
    page: include_str!("../../../docs/rules/options-replaced-by-higher-level.md"),
    is_on: true,
};

/// Checks the entry `lookup_options` of a file.
pub(super) fn check(lower: &LowerLevels<'_>, entry: &RootEntry, report: &mut Report) {
    let Some(own) = entry.value.value.as_hash() else { return };
    let below = lower.options(None);
    for (key, member) in own {
        let (Some(name), Some(place)) = (key.as_str(), member.key_place) else { continue };
        for other in &below {
            let hidden = other.value.value.as_hash().and_then(|options| options.get(name));
            let Some(hidden) = hidden else { continue };
            let lost = lost_options(&member.value.value, &hidden.value.value);
            let Some(range) = hidden.key_place.map(|it| it.range) else { continue };
            if lost.is_empty() || report.holds(&RULE, place.range) {
                continue;
            }
            let lost = lost.join("` and `");
            let message = format!(
                "these options replace those of a lower level, whose `{lost}` does not apply any more\n\
                 Options of a key are not merged. Repeat here what shall hold."
            );
            let finding = report.add_as(&RULE, RULE.severity, place.range, message);
            let (path, message) = (Some(other.path.clone()), "these are replaced".to_owned());
            finding.related.push(Related { path, range, message });
        }
    }
}

/// The options with an effect that only the hidden hash has.
fn lost_options(own: &Value, hidden: &Value) -> Vec<&'static str> {
    let has = |options: &Value, name: &str| {
        let member = options.as_hash().and_then(|options| options.get(name));
        member.is_some_and(|it| it.value.value.is_truthy())
    };
    let is_named = |name: &str| own.as_hash().is_some_and(|options| options.get(name).is_some());
    let names = ["merge", "convert_to"].into_iter();
    names.filter(|name| has(hidden, name) && !is_named(name)).collect()
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn options_that_are_lost() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
lookup_options:
  a: {merge: deep}
# ^ information[options-replaced-by-higher-level]: these options replace those of a lower level, whose `convert_to` does not apply any more…
  b: {merge: deep, convert_to: ~}
  c: {merge: deep}
  ^e: {}
# ^^ information[options-replaced-by-higher-level]
#- /data/b.yaml
a: {}
b: {}
c: {}
e: {}
#- /data/c.yaml
lookup_options:
  a: {convert_to: Sensitive}
  b: {convert_to: Sensitive}
  c: {merge: hash}
  ^e: {merge: deep}
",
        );
    }
}
