//! `knockout-no-effect`: a knocked-out item that stays, or a knockout of something that cannot be knocked out.
//!
//! The prefix works on items of lists, and only for the next lower value: it does not reach further levels. Keys of hashes
//! stay as they are, and a string becomes an empty string.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use crate::data::{Located, Value};
use crate::engine::Answer;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::lower::{KeyAbove, KeyBelow};
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "knockout-no-effect",
    name: "Knockout without effect",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "An entry with the `knockout_prefix` removes nothing.",
    page: include_str!("../../../../docs/rules/knockout-no-effect.md"),
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Characters with a special meaning: Puppet uses the prefix as a regular expression.
const REGEX_CHARACTERS: &[char] = &['.', '+', '*', '?', '(', ')', '[', ']', '|', '\\', '^', '$'];

/// What happens to a value with the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    /// No lower value has it.
    Missed,
    /// Only values below the next lower value have it.
    Consumed,
    /// It is the key of a hash.
    HashKey,
    /// It is not an item of a list.
    Text,
    /// It is knocked out, or may be.
    Effective,
    /// It starts with only a part of the prefix, and a lower level has the rest.
    Cut,
}

pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let Some(above) = at.above() else { return };
    let mut fates: BTreeMap<(TextRange, String), Fate> = BTreeMap::new();
    let mut is_deep_everywhere = true;
    for order in &above.orders {
        let Some(prefix) = prefix_of(order) else {
            is_deep_everywhere = false;
            continue;
        };
        // A deep merge skips null and false below.
        let lower = order.values.iter().map(|it| &it.value.value).filter(|it| it.is_truthy());
        let lower: Vec<&Value> = lower.collect();
        let answer = LazyCell::new(|| order.evaluator().lookup(&above.looked_up()));
        let mut add = |place: Option<TextRange>, name: &str, fate: Fate| {
            let Some(range) = place else { return };
            let fate = match fate {
                Fate::Missed | Fate::Consumed if order.is_first_uncertain => Fate::Effective,
                // The values of one level, or of one layer, are merged with each other first.
                Fate::Consumed if !stays(&answer, name) => Fate::Effective,
                _ => fate,
            };
            // A knockout that works for some nodes has its effect, so the best fate counts.
            let known = fates.entry((range, name.to_owned())).or_insert(fate);
            *known = (*known).max(fate);
        };
        walk(&above.own.value, &lower, prefix, &mut add);
    }
    for ((range, name), fate) in fates {
        let message = match fate {
            // A node with another order of files may have the item in a lower level, or may not merge at all.
            Fate::Missed if above.is_whole && is_deep_everywhere => format!(
                "no lower level has `{name}` here, so there is nothing to knock out\n\
                 If only one level has the key, the item stays, prefix included."
            ),
            Fate::Consumed => format!(
                "`{name}` is not knocked out: the next lower level does not have it\n\
                 A knockout reaches the next lower value only; it is gone when further levels are merged."
            ),
            Fate::HashKey => format!(
                "`{name}` knocks nothing out: it stays as a key of the hash\n\
                 Only items of lists can be knocked out."
            ),
            Fate::Text => "this becomes an empty string, it is not removed\n\
                           Only items of lists can be knocked out."
                .to_owned(),
            Fate::Cut => format!(
                "`{name}` knocks nothing out: the prefix is longer\nA lower level has the item that is meant."
            ),
            Fate::Missed | Fate::Effective => continue,
        };
        let finding = report.add(&RULE, range, message);
        finding.related = merged_values(above);
    }
}

/// The lower values that the strategy merges, if the first node has any.
fn merged_values(above: &KeyAbove<'_>) -> Vec<Related> {
    let merged = above.orders.iter().filter(|order| prefix_of(order).is_some());
    let values = merged.map(|order| &*order.values).find(|values| !values.is_empty());
    let related = values.into_iter().flatten().enumerate().map(|(number, lower)| {
        lower.related(if number == 0 { "the next lower value" } else { "a value further below" })
    });
    related.collect()
}

/// Whether the value always has a list with this item.
fn stays(answer: &Answer, item: &str) -> bool {
    let has_item = |answer: &Answer| {
        let found = answer.outcome.as_ref().ok().and_then(Option::as_ref);
        found.is_some_and(|it| has_item(&it.value, item))
    };
    has_item(answer) && answer.cases.iter().all(|case| has_item(&case.answer))
}

fn has_item(value: &Value, item: &str) -> bool {
    match value {
        Value::Array(items) => {
            items.iter().any(|it| it.value.as_str() == Some(item) || has_item(&it.value, item))
        }
        Value::Hash(hash) => hash.iter().any(|(_, member)| has_item(&member.value.value, item)),
        _ => false,
    }
}

fn prefix_of(order: &KeyBelow) -> Option<&str> {
    let prefix = order.merge.option("knockout_prefix").filter(|_| order.merge.is_deep())?;
    // Special characters match other texts than the prefix says, and Puppet refuses an empty prefix.
    prefix.as_str().filter(|it| !it.is_empty() && !it.contains(REGEX_CHARACTERS))
}

/// Whether an item of a list starts with only a part of the prefix, and a lower list has it without that part.
fn is_cut(text: &str, prefix: &str, lower: &[&Value]) -> bool {
    let starts = prefix.char_indices().skip(1).map(|(at, _)| &prefix[..at]);
    let mut names = starts.filter_map(|start| text.strip_prefix(start));
    let is_below = |name: &str| {
        let mut items = lower.iter().filter_map(|value| value.as_array()).flatten();
        items.any(|item| item.value.as_str() == Some(name))
    };
    !text.starts_with(prefix) && names.any(is_below)
}

/// Reports what happens to each value with the prefix. `lower` has the lower values at the same place, the nearest first.
fn walk(
    own: &Located,
    lower: &[&Value],
    prefix: &str,
    add: &mut impl FnMut(Option<TextRange>, &str, Fate),
) {
    let place = |it: &Located| it.place.map(|place| place.range);
    match &own.value {
        Value::Array(items) => {
            for item in items.iter() {
                let text = item.value.as_str().and_then(|text| text.strip_prefix(prefix));
                // The prefix alone is not checked: it empties the lower list.
                if let Some(name) = text.filter(|name| !name.is_empty()) {
                    add(place(item), name, fate_of_item(name, prefix, lower));
                } else if let Some(text) =
                    item.value.as_str().filter(|it| is_cut(it, prefix, lower))
                {
                    add(place(item), text, Fate::Cut);
                }
            }
        }
        Value::Hash(hash) => {
            for (key, member) in hash.as_ref() {
                if let Some(name) = key.as_str().filter(|text| text.starts_with(prefix)) {
                    add(member.key_place.map(|it| it.range), name, Fate::HashKey);
                }
                let member_of = |value: &&'_ Value| {
                    value.as_hash()?.get_value(key).map(|it| it.value.value.clone())
                };
                let below: Vec<Value> = lower.iter().filter_map(member_of).collect();
                let below: Vec<&Value> = below.iter().collect();
                walk(&member.value, &below, prefix, add);
            }
        }
        Value::String(text) if text.starts_with(prefix) => {
            // A value that is not a list or a hash does not change.
            let fate = if lower.is_empty() { Fate::Effective } else { Fate::Text };
            add(place(own), text, fate);
        }
        _ => {}
    }
}

fn fate_of_item(name: &str, prefix: &str, lower: &[&Value]) -> Fate {
    let has = |value: &&Value| match value {
        // A knockout removes the item without the prefix, and the same text with the prefix.
        Value::Array(items) => items.iter().filter_map(|item| item.value.as_str()).any(|item| {
            item == name || item.strip_prefix(prefix) == Some(name) || item.contains("%{")
        }),
        // A string with a token may become anything.
        Value::String(text) => text.contains("%{"),
        _ => false,
    };
    match lower {
        [next, ..] if has(next) => Fate::Effective,
        [_, further @ ..] if further.iter().any(has) => Fate::Consumed,
        _ => Fate::Missed,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    const HIERARCHY: &str = r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
";
    const OPTIONS: &str =
        "lookup_options: {^k: {merge: {strategy: deep, knockout_prefix: '--'}}}\n";

    #[track_caller]
    fn check_files(files: &str) {
        check(&format!("{HIERARCHY}{files}{OPTIONS}"));
    }

    #[test]
    fn a_part_of_the_prefix() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
kk: [-one, -three, --two]
#    ^^^^ warning[knockout-no-effect]: `-one` knocks nothing out: the prefix is longer…
#- /data/b.yaml
lookup_options: {kk: {merge: {strategy: deep, knockout_prefix: "--"}}}
kk: [one, two]
"#,
        );
    }

    #[test]
    fn missed_and_consumed_items() {
        check_files(
            r#"
#- /data/a.yaml
k1: [--x, --y, --z]
#    ^^^ warning[knockout-no-effect]: `x` is not knocked out: the next lower level does not have it…
#              ^^^ warning[knockout-no-effect]: no lower level has `z` here, so there is nothing to knock out…
k2: {a: [--x], b: [--x], c: [--, x]}
#                  ^^^ warning[knockout-no-effect]: no lower level has `x` here…
k3: [--x]
#    ^^^ warning[knockout-no-effect]: no lower level has `x` here…
k4: [--x]
other: [--x]
#- /data/b.yaml
k1: [y]
k2: {a: [x], b: x}
k4: ["%{facts.x}"]
#- /data/c.yaml
k1: [x]
other: [y]
"#,
        );
    }

    #[test]
    fn keys_and_texts() {
        check_files(
            r"
#- /data/a.yaml
k1: {--a: 1, b: --x, c: --y}
#    ^^^ warning[knockout-no-effect]: `--a` knocks nothing out: it stays as a key of the hash…
#               ^^^ warning[knockout-no-effect]: this becomes an empty string, it is not removed…
k2: --a
#   ^^^ warning[knockout-no-effect]: this becomes an empty string…
k3: --a
#- /data/c.yaml
k1: {a: 1, b: x}
k2: a
",
        );
    }

    #[test]
    fn levels_that_may_have_the_item() {
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: a, path: a.yaml}}, {{name: b, path: 'b/%{{facts.x}}.yaml'}},\n\
             {{name: c, path: c.yaml}}]\n#- /data/a.yaml\nk: [--x, --y]\n\
             #- /data/b/b.yaml\nk: [x]\n#- /data/c.yaml\nk: [z]\n{OPTIONS}"
        ));
    }

    #[test]
    fn values_that_are_merged_with_each_other_first() {
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: a, path: a.yaml}}, {{name: b, paths: [b.yaml, c.yaml]}}]\n\
             #- /data/a.yaml\nk: [--x]\n#- /data/b.yaml\nk: [y]\n#- /data/c.yaml\nk: [x]\n{OPTIONS}"
        ));
    }

    #[test]
    fn null_is_not_a_lower_value() {
        check_files(
            r"
#- /data/a.yaml
k1: [--x]
k2: --x
#- /data/b.yaml
k1: ~
k2: ~
#- /data/c.yaml
k1: [x]
",
        );
    }

    #[test]
    fn a_prefix_that_is_a_regular_expression_is_not_judged() {
        check(&format!(
            "{HIERARCHY}#- /data/a.yaml\nk: ['.x']\n#- /data/b.yaml\nk: [y]\n\
             lookup_options: {{k: {{merge: {{strategy: deep, knockout_prefix: '.'}}}}}}\n"
        ));
    }

    #[test]
    fn the_lower_values_are_shown() {
        check_related(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
a: [--x]
#- /data/b.yaml
a: [y]
#- /data/c.yaml
lookup_options: {a: {merge: {strategy: deep, knockout_prefix: '--'}}}
a: [x]
",
            "knockout-no-effect",
            &["/data/b.yaml: a: the next lower value", "/data/c.yaml: a: a value further below"],
        );
    }
}
