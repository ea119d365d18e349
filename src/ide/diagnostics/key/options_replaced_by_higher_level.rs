//! `options-replaced-by-higher-level`: a key has the options of the highest level that has any. They are not merged.

use crate::data::{DataFile, Value};
use crate::ide::diagnostics::entry::shadowed_by_plain_entry;
use crate::ide::diagnostics::key::OptionsContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::lower::{LowerLevels, LowerValue};
use crate::ide::diagnostics::shared::walk::pairs_of;
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "options-replaced-by-higher-level",
    name: "Lookup options that replace others",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "Options of a key replace those of a lower level, some of which are missing here.",
    page: include_str!("../../../../docs/rules/options-replaced-by-higher-level.md"),
    checks: &[Check::Options(check)],
    ..Rule::USUAL
};

/// Checks the entry `lookup_options` of a file.
pub(crate) fn check(options: &OptionsContext<'_>, report: &mut Report) {
    let OptionsContext { data, lower, entry, .. } = *options;
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
            let names = lost.join("` and `");
            let message = format!(
                "these options replace those of a lower level, whose `{names}` no longer applies\n\
                 Options of a key are not merged. Repeat here the options that the key needs."
            );
            let finding = report.add_as(&RULE, RULE.severity, place.range, message);
            let (path, message) = (Some(other.path.clone()), "these are replaced".to_owned());
            finding.related.push(Related { path, range, message });
            let fix = repeated(data, place.range, lower, other, &hidden.value.value, &lost);
            finding.fixes.extend(fix);
        }
    }
}

/// The fix that adds the options that only a lower level has, as they are written there.
fn repeated(
    data: &DataFile,
    key: TextRange,
    lower: &LowerLevels<'_>,
    other: &LowerValue,
    hidden: &Value,
    lost: &[&'static str],
) -> Option<Fix> {
    let text = lower.text_of(other, data.format())?;
    let written = |name: &&'static str| {
        let place = hidden.as_hash()?.get(name)?.value.place?;
        Some((*name, place.range.slice(&text)))
    };
    let lost: Vec<_> = lost.iter().filter_map(written).collect();
    let tree = data.entry_at(key.start)?;
    let mut pairs = pairs_of(tree.value).iter();
    let own = pairs.find(|pair| pair.key.range.shifted(tree.start) == key)?;
    let fix = shadowed_by_plain_entry::repeat(tree.text, data.format(), &own.value, &lost)?;
    Some(fix.shifted(tree.start))
}

/// The options with an effect that only the hidden hash has.
fn lost_options(own: &Value, hidden: &Value) -> Vec<&'static str> {
    let has = |options: &Value, name: &str| {
        let member = options.as_hash().and_then(|options| options.get(name));
        member.is_some_and(|it| it.value.value.is_truthy())
    };
    // An option that is written here, even as null, is not lost by mistake.
    let is_named = |name: &str| own.as_hash().is_some_and(|options| options.get(name).is_some());
    let names = ["merge", "convert_to"].into_iter();
    names.filter(|name| has(hidden, name) && !is_named(name)).collect()
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

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
# ^ information[options-replaced-by-higher-level]: these options replace those of a lower level, whose `convert_to` no longer applies…
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

    #[test]
    fn the_replaced_options_are_shown() {
        check_related(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
lookup_options: {a: {merge: unique}}
a: [1]
#- /data/c.yaml
lookup_options: {a: {convert_to: Array}}
",
            "options-replaced-by-higher-level",
            &["/data/c.yaml: a: these are replaced"],
        );
    }

    #[test]
    fn repeated_options_hold() {
        check_fix(
            "lookup_options:\n  # ours\n  'a': {merge: unique} # x\na: [1]\n#- /data/b.yaml\n\
             lookup_options: {a: {merge: first, convert_to: [Array, true]}}\n#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{name: x, paths: [common.yaml, b.yaml]}]\n",
            "Repeat `convert_to` here",
            "lookup_options:\n  # ours\n  'a': {convert_to: [Array, true], merge: unique} # x\na: [1]\n",
        );
    }

    #[test]
    fn all_lower_levels_count() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
lookup_options:
  aa: {merge: unique}
# ^^ information[options-replaced-by-higher-level]
  bb: {merge: unique}
# ^^ information[options-replaced-by-higher-level]
aa: [1]
bb: [1]
#- /data/b.yaml
lookup_options: {bb: {convert_to: Array}}
#- /data/c.yaml
lookup_options: {aa: {convert_to: Array}}
",
        );
    }
}
