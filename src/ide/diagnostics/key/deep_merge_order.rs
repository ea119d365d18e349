//! `deep-merge-order`: in a deep merge, lists of lower levels come first. `unique` does the opposite.

use crate::data::{Located, Value};
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::{Check, Cost, Related, Report, Rule, Severity};

pub(crate) const RULE: Rule = Rule {
    code: "deep-merge-order",
    name: "Order of deeply merged lists",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "A deep merge puts the items of lower levels before those of this list.",
    page: include_str!("../../../../docs/rules/deep-merge-order.md"),
    is_on: false,
    cost: Cost::High,
    may_quote: |_| false,
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(above) = at.above() else { return };
    for order in above.orders.iter().filter(|order| order.merge.is_deep()) {
        // In a sorted list, the order of the levels does not matter.
        if order.merge.option("sort_merged_arrays").is_some() {
            continue;
        }
        for lower in order.values.iter() {
            let mut lists = Vec::new();
            collect(&above.own.value, &lower.value, &mut lists);
            for (own, low) in lists {
                let (Some(own), Some(low)) = (own.place, low.place) else { continue };
                // Many orders of files share the same lists.
                if report.holds(&RULE, own.range) {
                    continue;
                }
                let message = "the items of lower levels come before these: a deep merge puts them first\n\
                               `unique` has the items of higher levels first.";
                let finding = report.add_as(&RULE, RULE.severity, own.range, message);
                let message = "these items come first".to_owned();
                let path = Some(lower.path.clone());
                finding.related.push(Related { path, range: low.range, message });
            }
        }
    }
}

/// The lists that both values have at the same place.
fn collect<'v>(own: &'v Located, low: &'v Located, lists: &mut Vec<(&'v Located, &'v Located)>) {
    match (&own.value, &low.value) {
        (Value::Array(own_items), Value::Array(low_items))
            if !own_items.is_empty() && !low_items.is_empty() =>
        {
            lists.push((own, low));
        }
        (Value::Hash(own), Value::Hash(low)) => {
            for (key, member) in own.as_ref() {
                if let Some(other) = low.get_value(key) {
                    collect(&member.value, &other.value, lists);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn lists_of_both_levels() {
        check(
            r"
#- /.hiera-ls.yaml
diagnostics: {severity: {deep-merge-order: hint}}
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
k: {a: [1], b: [1], c: [], d: 1}
#      ^^^ hint[deep-merge-order]: the items of lower levels come before these: a deep merge puts them first…
l: [1]
m: [1]
#- /data/b.yaml
lookup_options:
  k: {merge: deep}
  l: {merge: {strategy: deep, sort_merged_arrays: true}}
  m: {merge: unique}
k: {a: [2], b: [], c: [1], d: [1]}
l: [2]
m: [2]
",
        );
    }

    #[test]
    fn the_first_of_several_levels_is_shown() {
        let fixture = r"
#- /.hiera-ls.yaml
diagnostics: {severity: {deep-merge-order: hint}}
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
k: [1]
#  ^^^ hint[deep-merge-order]
#- /data/b.yaml
lookup_options: {k: {merge: deep}}
k: [2]
#  ^^^ hint[deep-merge-order]
#- /data/c.yaml
k: [3]
";
        check(fixture);
        let shown = [
            "/data/b.yaml: [2]: these items come first",
            "/data/c.yaml: [3]: these items come first",
        ];
        check_related(fixture, "deep-merge-order", &shown);
    }
}
