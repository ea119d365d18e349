//! `null-hides-value`: a `null` in a higher level hides the values of lower levels.
//!
//! A key without a value is often meant to set nothing. A deep merge ignores `null`, and the other strategies refuse it, so
//! only first-found is checked.

use crate::data::Value;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::fix::{Fix, Safety};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::ide::pair_edits::remove_entry;

pub(crate) const RULE: Rule = Rule {
    code: "null-hides-value",
    former: &["undef-wins"],
    name: "Null that hides a value",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A key is `null` here, which hides the value of a lower level.",
    page: include_str!("../../../../docs/rules/null-hides-value.md"),
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(above) = at.above() else { return };
    if !matches!(above.own.value.value, Value::Undef) {
        return;
    }
    let hidden = above.orders.iter().filter(|order| order.merge.is_first_found());
    // If the next one is also null, that one hides the values below it.
    let mut values = hidden.filter_map(|order| order.values.first());
    let Some(lower) = values.find(|it| !matches!(it.value.value, Value::Undef)) else { return };
    let written = above.own.value.place.filter(|place| !place.range.is_empty());
    let (severity, range, advice) = match written {
        None => (
            RULE.severity,
            above.own.key_place.range,
            "Remove the key to use the value of the lower level, or write `~` if that is meant.",
        ),
        // The `null` is written out, so it may be intended.
        Some(place) => (
            Severity::Hint,
            place.range,
            "A class parameter falls back to its default if it has one, not to the lower level.",
        ),
    };
    let message =
        format!("`{}` is null here, which hides the value of a lower level\n{advice}", above.key);
    let finding = report.add_as(&RULE, severity, range, message);
    finding.related.push(lower.related("this value is hidden"));
    let removal = remove_entry(at.data, above.own.key_place.range);
    let title = "Remove the entry: the lower level's value is used";
    finding.fixes.extend(removal.map(|it| Fix::removing(title, Safety::ChangesValue, it)));
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    #[test]
    fn without_a_merge() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
kk:
#^ information[null-hides-value]: `kk` is null here, which hides the value of a lower level…
l: ~
#  ^ hint[null-hides-value]: `l` is null here, which hides the value of a lower level…
m: ~
nn: ~
#^ hint[redundant-override]
o: ~
pp:
#^ hint[redundant-override]
#- /data/b.yaml
lookup_options: {m: {merge: deep}}
nn: ~
#   ^ hint[null-hides-value]
pp:
#- /data/c.yaml
kk: 1
l: 1
m: {a: 1}
nn: 1
",
        );
    }

    #[test]
    fn the_lower_level_answers() {
        check_fix(
            "#- /data/a.yaml\na: 1\nb: # none\n# of c\nc: 1\n#- /data/b.yaml\nb: 2\n#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]\n",
            "Remove the entry: the lower level's value is used (also removes a comment)",
            "a: 1\n# of c\nc: 1\n",
        );
    }

    #[test]
    fn the_hidden_value_is_shown() {
        check_related(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
a: ~
#- /data/c.yaml
a: 1
",
            "null-hides-value",
            &["/data/c.yaml: a: this value is hidden"],
        );
    }
}
