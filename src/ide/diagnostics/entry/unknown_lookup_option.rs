//! `unknown-lookup-option`: Puppet reads `merge` and `convert_to`, and silently ignores all other options.

use crate::data::Format;
use crate::ide::diagnostics::shared::fix::{Fix, in_style_of};
use crate::ide::diagnostics::shared::walk::{
    OPTIONS, has_key, meant_below, option_entries, pairs_of, text_of,
};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity, Tag};
use crate::ide::pair_edits::{insert_first, remove_pair};
use crate::settings::nearest_name;
use crate::syntax::interpolation;
use crate::syntax::tree::{Node, Pair};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "unknown-lookup-option",
    name: "Unknown lookup option",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "In `lookup_options`, Puppet reads only `merge` and `convert_to`; anything else has no effect.",
    page: include_str!("../../../../docs/rules/unknown-lookup-option.md"),
    tag: Some(Tag::Unnecessary),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

/// The options that belong in the hash of `merge`.
const OF_MERGE: [&str; 5] =
    ["strategy", "knockout_prefix", "merge_hash_arrays", "sort_merged_arrays", "merge_debug"];

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let entries = option_entries(entry).iter().enumerate();
    let entries =
        entries.filter(|(number, _)| meant_below(option_entries(entry), *number).is_none());
    let options = entries.flat_map(|(_, pair)| {
        let options = pairs_of(&pair.value);
        options.iter().enumerate().map(move |(at, option)| (options, at, option))
    });
    for (option_of, at, option) in options {
        let Some(name) = text_of(&option.key) else { continue };
        if OPTIONS.contains(&&**name) || interpolation::may_have_tokens(name) {
            continue;
        }
        let message =
            format!("Puppet knows no lookup option `{name}` and ignores it\n{}", advice(option));
        let finding = report.add(&RULE, option.key.range, message);
        if OF_MERGE.contains(&&**name) {
            finding.fixes.extend(moved_into_merge(entry, option_of, at, name));
        }
        if **name == *"strategy" && is_text(&option.value) && !has_key(option_of, "merge") {
            let edit = in_style_of(&option.key, entry.text, entry.format, "merge");
            let edit = edit.map(|it| TextEdit::replace(option.key.range, it));
            finding.fixes.extend(edit.map(|it| Fix::changing("Write `merge`", vec![it])));
        }
        if let Some(near) = nearest_name(name, OPTIONS).filter(|near| !has_key(option_of, near)) {
            let edit = in_style_of(&option.key, entry.text, entry.format, near);
            let edit = edit.map(|it| TextEdit::replace(option.key.range, it));
            let title = format!("Write `{near}`");
            finding.fixes.extend(edit.map(|edit| Fix::changing(title, vec![edit])));
        }
    }
}

/// The fix that moves option number `at` into the hash of `merge`. If `merge` is the name of a strategy, the fix makes it a
/// hash.
fn moved_into_merge(
    entry: &EntryContext<'_>,
    options: &[Pair],
    at: usize,
    name: &str,
) -> Option<Fix> {
    let is_merge = |pair: &&Pair| text_of(&pair.key).is_some_and(|key| &**key == "merge");
    let merge = &options.iter().find(is_merge)?.value;
    let value = options[at].value.range.slice(entry.text);
    // Text over several lines, a comment, an alias or an anchor does not survive the move.
    if value.is_empty() || value.contains(['\n', '#', '*', '&']) {
        return None;
    }
    let added = match text_of(merge) {
        // Of the usual strategies, only `deep` takes options. With another strategy, the moved option would make the lookup fail.
        Some(strategy) if &**strategy == "deep" => {
            let strategy = merge.range.slice(entry.text);
            let pair = |name, value| match entry.format {
                Format::Yaml => format!("{name}: {value}"),
                Format::Json | Format::Hocon => format!("\"{name}\": {value}"),
            };
            let written = format!("{{{}, {}}}", pair("strategy", strategy), pair(name, value));
            TextEdit::replace(merge.range, written)
        }
        Some(_) => return None,
        None if has_key(pairs_of(merge), name) => return None,
        None => insert_first(entry.text, entry.format, merge, &[(name, value)])?,
    };
    let removed = remove_pair(entry.text, options, at)?;
    let mut edits = vec![added, removed.edit];
    // Edits must be in the order of the text, and `merge` may be before or after the option.
    edits.sort_by_key(|edit| edit.range.start);
    Some(Fix::changing("Move it into the hash of `merge`", edits))
}

fn is_text(value: &Node) -> bool {
    text_of(value).is_some_and(|it| !interpolation::may_have_tokens(it))
}

fn advice(option: &Pair) -> String {
    let name = text_of(&option.key).map_or("", |it| it);
    if name == "strategy" {
        let strategy = text_of(&option.value).filter(|_| is_text(&option.value));
        let strategy = strategy.map_or("…", |it| it);
        return format!("It belongs in `merge`: `merge: {strategy}`.");
    }
    if OF_MERGE.contains(&name) {
        return format!(
            "It belongs in the hash of `merge`: `merge: {{strategy: deep, {name}: …}}`."
        );
    }
    match nearest_name(name, OPTIONS) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => "The options are `merge` and `convert_to`.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};
    use crate::ide::fixture::Fixture;

    #[test]
    fn options_that_are_ignored() {
        check(
            r"
lookup_options:
  a: {merge: deep, convert_to: Sensitive, convertto: String}
#                                         ^^^^^^^^^ warning[unknown-lookup-option]: Puppet knows no lookup option `convertto` and ignores it Did you mean `convert_to`?
  ^a: {knockout_prefix: '--', merge: deep}
#      ^^^^^^^^^^^^^^^ warning[unknown-lookup-option]: Puppet knows no lookup option `knockout_prefix` and ignores it It belongs in the hash of `merge`…
a: {}
ab: {}
",
        );
    }

    #[test]
    fn a_strategy_belongs_in_merge() {
        check(
            r"
lookup_options:
  a: {strategy: deep}
#     ^^^^^^^^ warning[unknown-lookup-option]: Puppet knows no lookup option `strategy` and ignores it It belongs in `merge`: `merge: deep`.
a: {}
",
        );
        check_fix(
            "lookup_options:\n  a: {strategy: deep}\na: {}\n",
            "Write `merge`",
            "lookup_options:\n  a: {merge: deep}\na: {}\n",
        );
    }

    #[test]
    fn the_near_name() {
        check_fix(
            "lookup_options:\n  a: {mrege: deep}\na: {}\n",
            "Write `merge`",
            "lookup_options:\n  a: {merge: deep}\na: {}\n",
        );
    }

    #[test]
    fn options_of_merge_go_there() {
        let title = "Move it into the hash of `merge`";
        check_fix(
            "lookup_options:\n  a:\n    merge: deep # x\n    knockout_prefix: '--' # y\n    convert_to: Array\na: []\n",
            title,
            "lookup_options:\n  a:\n    merge: {strategy: deep, knockout_prefix: '--'} # x\n    convert_to: Array\na: []\n",
        );
        check_fix(
            "lookup_options:\n  a: {merge_debug: true, merge: {strategy: deep}}\na: []\n",
            title,
            "lookup_options:\n  a: {merge: {merge_debug: true, strategy: deep}}\na: []\n",
        );
        check_fix(
            "lookup_options:\n  a:\n    sort_merged_arrays: true\n    merge:\n      strategy: deep\na: []\n",
            title,
            "lookup_options:\n  a:\n    merge:\n      sort_merged_arrays: true\n      strategy: deep\na: []\n",
        );
    }

    #[test]
    fn what_merge_has_or_cannot_have_stays() {
        let fixture = Fixture::parse_without_marks(
            "lookup_options:\n  a: {merge: {strategy: deep, merge_debug: true}, merge_debug: false}\n  \
             b: {merge: unique, knockout_prefix: x}\n  \
             c:\n    merge: deep\n    knockout_prefix: |\n      x\n  \
             d:\n    merge: deep\n    merge_debug: [true,\n      false]\n  \
             e: {merge: deep, merge_debug: }\n\
             a: []\nb: []\nc: []\nd: []\ne: []\n",
        );
        let path = fixture.files[0].world_path();
        let found = crate::ide::diagnostics(&fixture.world(), &path);
        assert_eq!(found.len(), 5, "{found:?}");
        assert!(found.iter().all(|it| it.fixes.is_empty()), "{found:?}");
    }
}
