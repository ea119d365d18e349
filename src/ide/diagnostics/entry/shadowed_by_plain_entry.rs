//! `shadowed-by-plain-entry`: a key's own entry in `lookup_options` hides all patterns, even for options that the entry
//! does not have.

use crate::data::Format;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::{option_entries, pairs_of, text_of};
use crate::ide::diagnostics::{Check, EntryContext, Related, Report, Rule, Severity};
use crate::ide::pair_edits::insert_first;
use crate::syntax::ruby_regex;
use crate::syntax::tree::{Node, NodeKind, Pair};

pub(crate) const RULE: Rule = Rule {
    code: "shadowed-by-plain-entry",
    name: "Options hidden by a plain entry",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A plain entry of `lookup_options` hides a pattern whose options would apply too.",
    page: include_str!("../../../../docs/rules/shadowed-by-plain-entry.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let entries = option_entries(entry);
    let patterns = entries.iter().filter(|pair| is_pattern(pair));
    let patterns: Vec<_> = patterns
        .filter_map(|pair| Some((pair, ruby_regex::translate(text_of(&pair.key)?).ok()?)))
        .collect();
    for plain in entries.iter().filter(|pair| !is_pattern(pair) && is_hash(&pair.value)) {
        let Some(key) = text_of(&plain.key) else { continue };
        // Without its own entry, the key would get the options of the first pattern that matches. Later patterns never count.
        let first = patterns.iter().find(|(_, regex)| regex.is_match(key));
        let Some((pattern, _)) = first else { continue };
        let own = names(&plain.value);
        let lost: Vec<_> =
            names(&pattern.value).into_iter().filter(|it| !own.contains(it)).collect();
        if let (false, Some(text)) = (lost.is_empty(), text_of(&pattern.key)) {
            let lost = lost.join("` and `");
            let message = format!(
                "the `{lost}` of `{text}` does not apply to this key\n\
                 A key's own entry hides all patterns. Repeat here the options that the key needs."
            );
            let finding = report.add(&RULE, plain.key.range, message);
            let message = "these options do not apply to it".to_owned();
            finding.related.push(Related { path: None, range: pattern.key.range, message });
            finding.fixes.extend(repeated(entry, &plain.value, &pattern.value, &own));
        }
    }
}

/// The fix that adds the options of `hidden` that `own` lacks.
fn repeated(entry: &EntryContext<'_>, own: &Node, hidden: &Node, known: &[&str]) -> Option<Fix> {
    let is_lost = |pair: &&Pair| {
        let name = text_of(&pair.key).map_or("", |name| &**name);
        has_effect(name) && !known.contains(&name)
    };
    let lost = pairs_of(hidden).iter().filter(is_lost);
    let written = |pair: &'_ Pair| Some((text_of(&pair.key)?.clone(), pair.value.range));
    let lost: Vec<_> = lost.filter_map(written).collect();
    let lost: Vec<_> = lost.iter().map(|(name, at)| (&**name, at.slice(entry.text))).collect();
    repeat(entry.text, entry.format, own, &lost)
}

/// The fix that adds options of another entry, by name and text.
pub(crate) fn repeat(
    source: &str,
    format: Format,
    own: &Node,
    lost: &[(&str, &str)],
) -> Option<Fix> {
    // An alias, an anchor, a comment or a value over several lines does not survive a copy to another place.
    let is_simple =
        |(_, value): &(&str, &str)| !value.is_empty() && !value.contains(['\n', '#', '*', '&']);
    let edit = insert_first(source, format, own, lost).filter(|_| lost.iter().all(is_simple))?;
    let names: Vec<_> = lost.iter().map(|(name, _)| *name).collect();
    let title = format!("Repeat `{}` here", names.join("` and `"));
    Some(Fix::changing(title, vec![edit]))
}

fn has_effect(name: &str) -> bool {
    matches!(name, "merge" | "convert_to")
}

fn is_pattern(pair: &Pair) -> bool {
    text_of(&pair.key).is_some_and(|key| key.starts_with('^'))
}

fn is_hash(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Mapping(_))
}

/// The options that have an effect.
fn names(options: &Node) -> Vec<&str> {
    let names = pairs_of(options).iter().filter_map(|pair| text_of(&pair.key).map(|it| &**it));
    names.filter(|name| has_effect(name)).collect()
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related};

    #[test]
    fn the_first_pattern_would_hold() {
        check(
            r"
lookup_options:
  ^a: {merge: deep}
  ^ab: {convert_to: Sensitive}
  a1: {merge: unique}
  ab: {convert_to: String}
# ^^ information[shadowed-by-plain-entry]: the `merge` of `^a` does not apply to this key…
  b: {}
  ac: ~
a1: 1
ab: 1
ac: 1
b: 1
",
        );
    }

    #[test]
    fn the_hidden_pattern_is_shown() {
        check_related(
            r"
lookup_options:
  ^a: {merge: unique}
  aa: {convert_to: Array}
aa: [1]
",
            "shadowed-by-plain-entry",
            &["/data/common.yaml: ^a: these options do not apply to it"],
        );
    }

    #[test]
    fn repeated_options_hold() {
        check_fix(
            "lookup_options:\n  ^a: {merge: unique, convert_to: [Array, true]}\n  aa: {merge: first}\naa: [1]\n",
            "Repeat `convert_to` here",
            "lookup_options:\n  ^a: {merge: unique, convert_to: [Array, true]}\n  \
             aa: {convert_to: [Array, true], merge: first}\naa: [1]\n",
        );
        check_fix(
            "lookup_options:\n  aa:\n    merge: first\n  ^a:\n    convert_to: Array\naa: [1]\n",
            "Repeat `convert_to` here",
            "lookup_options:\n  aa:\n    convert_to: Array\n    merge: first\n  ^a:\n    convert_to: Array\naa: [1]\n",
        );
    }
}
