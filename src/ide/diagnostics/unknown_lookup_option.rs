//! `unknown-lookup-option`: Puppet reads `merge` and `convert_to`, and ignores all other options without a word.

use super::fix::{Fix, in_style_of};
use super::walk::{option_entries, pairs_of, text_of};
use super::{EntryContext, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::syntax::interpolation;
use crate::syntax::tree::Pair;
use crate::text::TextEdit;

pub(super) const RULE: Rule = Rule {
    code: "unknown-lookup-option",
    name: "Unknown lookup option",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "`lookup_options` know `merge` and `convert_to`; anything else has no effect.",
    page: include_str!("../../../docs/rules/unknown-lookup-option.md"),
    is_on: true,
};

const OPTIONS: [&str; 2] = ["merge", "convert_to"];
/// What belongs into the hash of `merge`.
const OF_MERGE: [&str; 5] =
    ["strategy", "knockout_prefix", "merge_hash_arrays", "sort_merged_arrays", "merge_debug"];

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let options = option_entries(entry).iter().flat_map(|pair| {
        let options = pairs_of(&pair.value);
        options.iter().map(move |option| (options, option))
    });
    for (option_of, option) in options {
        let Some(name) = text_of(&option.key) else { continue };
        let is_known = OPTIONS.contains(&&**name) || &**name == "<<";
        if is_known || interpolation::may_have_tokens(name) {
            continue;
        }
        let message =
            format!("Puppet knows no lookup option `{name}` and ignores it\n{}", advice(name));
        let finding = report.add(&RULE, option.key.range, message);
        if let Some(near) = nearest_name(name, OPTIONS).filter(|near| !has(option_of, near)) {
            let edit = in_style_of(&option.key, entry.text, entry.format, near);
            let edit = edit.map(|it| TextEdit::replace(option.key.range, it));
            let title = format!("Write `{near}`");
            finding.fixes.extend(edit.map(|edit| Fix::changing(title, vec![edit])));
        }
    }
}

fn has(options: &[Pair], name: &str) -> bool {
    options.iter().any(|option| text_of(&option.key).is_some_and(|key| &**key == name))
}

fn advice(name: &str) -> String {
    if OF_MERGE.contains(&name) {
        return format!(
            "It belongs into the hash of `merge`: `merge: {{strategy: deep, {name}: …}}`."
        );
    }
    match nearest_name(name, OPTIONS) {
        Some(near) => format!("Did you mean `{near}`?"),
        None => "Known are `merge` and `convert_to`.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn options_that_are_ignored() {
        check(
            r"
lookup_options:
  a: {merge: deep, convert_to: Sensitive, convertto: String}
#                                         ^^^^^^^^^ warning[unknown-lookup-option]: Puppet knows no lookup option `convertto` and ignores it Did you mean `convert_to`?
  ^a: {knockout_prefix: '--', merge: deep}
#      ^^^^^^^^^^^^^^^ warning[unknown-lookup-option]: Puppet knows no lookup option `knockout_prefix` and ignores it It belongs into the hash of `merge`…
a: {}
ab: {}
",
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
}
