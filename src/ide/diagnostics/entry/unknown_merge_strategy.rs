//! `unknown-merge-strategy`: a `merge` in `lookup_options` or in a call of `lookup()` that Puppet does not know, or with options
//! that it does not accept.
//!
//! The lookup of the key fails. Puppet checks nothing before the key is looked up.

use crate::data::{Format, Value, inspect};
use crate::engine::is_reserved;
use crate::engine::merge::Merge;
use crate::ide::code::lookup_call::LookupCall;
use crate::ide::diagnostics::code::CodeContext;
use crate::ide::diagnostics::shared::fix::{Fix, in_style_of};
use crate::ide::diagnostics::shared::walk::{has_key, option_entries, pairs_of, text_of};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::ide::pair_edits::insert_first;
use crate::settings::nearest_name;
use crate::syntax::interpolation;
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "unknown-merge-strategy",
    name: "Unknown merge strategy",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "`lookup_options` or a call of `lookup()` name a merge strategy that Puppet does not know.",
    page: include_str!("../../../../docs/rules/unknown-merge-strategy.md"),
    checks: &[Check::Entry(check), Check::Code(check_calls)],
    ..Rule::USUAL
};

/// The strategies' names; all are case-sensitive.
const STRATEGIES: [&str; 7] =
    ["first", "default", "unique", "hash", "deep", "unconstrained_deep", "reverse_deep"];

/// The strategies for people.
const NAMES: &str = "The strategies are `first`, `unique`, `hash` and `deep`; case matters.";

/// The options of `deep`, besides `strategy`.
const DEEP_OPTIONS: [&str; 4] =
    ["knockout_prefix", "merge_hash_arrays", "sort_merged_arrays", "merge_debug"];

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for option in option_entries(entry) {
        for member in pairs_of(&option.value) {
            if text_of(&member.key).is_some_and(|key| &**key == "merge") {
                check_merge(entry, &member.value, report);
            }
        }
    }
}

/// Checks the calls of `lookup()` in a file of code. They fail whether a key has data or not.
pub(crate) fn check_calls(code: &CodeContext<'_>, report: &mut Report) {
    for call in code.file.manifest.calls.iter().filter(|it| it.function == "lookup") {
        let Ok(LookupCall { request, merge_range, open, .. }) = LookupCall::of(&code.file, call)
        else {
            continue;
        };
        let (Some(merge), Some(range)) = (&request.merge, merge_range) else { continue };
        let Err(failure) = Merge::parse(merge) else { continue };
        // An override is found before the strategy matters, and other parts that are not constant may contain one.
        let is_only_key_open = open.len() == usize::from(call.is_dynamic);
        let is_looked_up = call.is_dynamic || request.names.iter().any(|it| !is_reserved(it));
        if !(is_only_key_open && is_looked_up && request.overrides.is_empty()) {
            continue;
        }
        let in_hash = || merge.as_hash().and_then(|it| it.get("strategy"))?.value.value.as_str();
        let advice = match merge.as_str().or_else(in_hash) {
            Some(name) if STRATEGIES.contains(&name) => taken_by(name),
            Some(_) => NAMES.to_owned(),
            None => "Add e.g. `'strategy' => 'deep'`.".to_owned(),
        };
        let finding = report.add(&RULE, range, format!("{}\n{advice}", failure.message));
        let meant = merge.as_str().and_then(meant_strategy);
        finding.fixes.extend(meant.map(|meant| {
            let edit = TextEdit::replace(range, format!("'{meant}'"));
            Fix::safe(format!("Write `{meant}`"), vec![edit])
        }));
    }
}

fn check_merge(entry: &EntryContext<'_>, merge: &Node, report: &mut Report) {
    match &merge.kind {
        NodeKind::Scalar { text, style } => {
            // `merge: ~` and `merge: false` mean no merge. Any other value, such as 5, is the name of a strategy for Puppet.
            let is_unset = *style == ScalarStyle::Plain && is_null_or_false(text);
            if !is_unset {
                check_strategy(entry, merge, text, report);
            }
        }
        NodeKind::Mapping(options) => check_merge_hash(entry, merge, options, report),
        NodeKind::Sequence(items) => check_merge_list(entry, merge, items, report),
        NodeKind::Alias(_) => {}
    }
}

/// Puppet takes the text of a list for a name.
fn check_merge_list(entry: &EntryContext<'_>, merge: &Node, items: &[Node], report: &mut Report) {
    let item = |node: &Node| {
        let NodeKind::Scalar { text, style } = &node.kind else { return None };
        let number = text.parse().ok().filter(|_| *style == ScalarStyle::Plain);
        Some(number.map_or_else(|| Value::String(text.clone()), Value::Integer).into())
    };
    let Some(values) = items.iter().map(item).collect() else { return };
    let name = inspect::inspect(&Value::array(values));
    let message =
        format!("Unknown merge strategy: '{name}'\nWrite the name of one strategy, not a list.");
    let finding = report.add(&RULE, merge.range, message);
    if let [only] = items
        && let Some(name) = text_of(only).filter(|it| STRATEGIES.contains(&&***it))
    {
        let written = only.range.slice(entry.text);
        let edit = TextEdit::replace(merge.range, written);
        finding.fixes.push(Fix::safe(format!("Write `{name}`"), vec![edit]));
    }
}

fn check_merge_hash(entry: &EntryContext<'_>, merge: &Node, options: &[Pair], report: &mut Report) {
    let strategy =
        options.iter().find(|pair| text_of(&pair.key).is_some_and(|key| &**key == "strategy"));
    let Some((strategy, name)) =
        strategy.and_then(|pair| text_of(&pair.value).map(|name| (&pair.value, name)))
    else {
        let message = "The hash given as 'merge' must contain the name of a strategy in string form for the key \
                       'strategy'\nAdd e.g. `strategy: deep`.";
        let finding = report.add(&RULE, merge.range, message);
        finding.fixes.extend(with_strategy(entry, merge, options));
        return;
    };
    // `unconstrained_deep` and `reverse_deep` pass all options on to the gem deep_merge, so none is unknown there.
    if !check_strategy(entry, strategy, name, report) || name.ends_with("_deep") {
        return;
    }
    for pair in options {
        let Some(option) = text_of(&pair.key) else { continue };
        let known =
            &**option == "strategy" || (&**name == "deep" && DEEP_OPTIONS.contains(&&**option));
        if !known {
            let message = format!(
                "The merge options has wrong type, unrecognized key '{option}'\n{}",
                taken_by(name)
            );
            let finding = report.add(&RULE, pair.key.range, message);
            let meant = nearest_name(option, DEEP_OPTIONS).filter(|_| &**name == "deep");
            if let Some(meant) = meant.filter(|meant| !has_key(options, meant)) {
                finding.fixes.extend(written_as(entry, &pair.key, meant));
            }
        }
    }
}

/// The options of a strategy, for people.
fn taken_by(strategy: &str) -> String {
    match strategy {
        "deep" => format!("`deep` takes `{}`.", DEEP_OPTIONS.join("`, `")),
        _ => format!("`{strategy}` takes no options."),
    }
}

fn check_strategy(entry: &EntryContext<'_>, node: &Node, name: &str, report: &mut Report) -> bool {
    let known = STRATEGIES.contains(&name) || interpolation::may_have_tokens(name);
    if !known {
        let message = format!("Unknown merge strategy: '{name}'\n{NAMES}");
        let finding = report.add(&RULE, node.range, message);
        let meant = meant_strategy(name);
        finding.fixes.extend(meant.and_then(|meant| written_as(entry, node, meant)));
    }
    known
}

/// The strategy that was meant: one of Hiera 3's names, or a misspelt one.
fn meant_strategy(name: &str) -> Option<&'static str> {
    match &*name.to_ascii_lowercase() {
        // These are names of Hiera 3.
        "native" | "priority" => Some("first"),
        "array" => Some("unique"),
        "deeper" => Some("deep"),
        name => nearest_name(name, STRATEGIES),
    }
}

fn written_as(entry: &EntryContext<'_>, node: &Node, text: &str) -> Option<Fix> {
    let written = in_style_of(node, entry.text, entry.format, text)?;
    Some(Fix::safe(format!("Write `{text}`"), vec![TextEdit::replace(node.range, written)]))
}

/// The fix that adds `strategy: deep` before options that only `deep` has.
fn with_strategy(entry: &EntryContext<'_>, merge: &Node, options: &[Pair]) -> Option<Fix> {
    let names = options.iter().map(|pair| text_of(&pair.key).map_or("", |name| &**name));
    // `strategy: [deep]` has the key, but not as a string. A second `strategy` would be a duplicate key.
    if !names.clone().all(|name| DEEP_OPTIONS.contains(&name)) || has_key(options, "strategy") {
        return None;
    }
    let deep = if entry.format == Format::Yaml { "deep" } else { "\"deep\"" };
    let edit = insert_first(entry.text, entry.format, merge, &[("strategy", deep)])?;
    Some(Fix::safe("Add `strategy: deep`", vec![edit]))
}

fn is_null_or_false(text: &str) -> bool {
    ["", "~", "null", "false", "no", "off"].iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};
    use crate::ide::fixture::Fixture;

    #[test]
    fn a_list_is_no_name() {
        check(
            r#"
lookup_options:
  a: {merge: [deep]}
#            ^^^^^^ error[unknown-merge-strategy]: Unknown merge strategy: '["deep"]' Write the name of one strategy, not a list.
  b: {merge: [deep, 5]}
#            ^^^^^^^^^ error[unknown-merge-strategy]: Unknown merge strategy: '["deep", 5]'…
a: {x: 1}
b: {x: 1}
"#,
        );
        check_fix(
            "lookup_options:\n  a: {merge: ['deep']}\na: {x: 1}\n",
            "Write `deep`",
            "lookup_options:\n  a: {merge: 'deep'}\na: {x: 1}\n",
        );
    }

    #[test]
    fn names() {
        check(
            r#"
lookup_options:
  a: {merge: deep}
  b: {merge: Deep}
#            ^^^^ error[unknown-merge-strategy]: Unknown merge strategy: 'Deep'…
  c: {merge: ~}
  d: {merge: false}
  e: {merge: "%{facts.x}"}
  f: {merge: 5}
#            ^ error[unknown-merge-strategy]: Unknown merge strategy: '5'…
a: 1
b: 1
c: 1
d: 1
e: 1
f: 1
"#,
        );
    }

    #[test]
    fn calls() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n#- /data/common.yaml\nk: [1]\n\
             #- /manifests/site.pp\n\
             lookup('k', Array, 'deeep')\n\
             #                  ^^^^^^^ error[unknown-merge-strategy]: Unknown merge strategy: 'deeep' The strategies are…\n\
             lookup(\"${x}::k\", Array, 'Deep', [])\n\
             #                        ^^^^^^ error[unknown-merge-strategy]: Unknown merge strategy: 'Deep'…\n\
             lookup('k', { merge => { 'strategy' => 'deep', 'knockout' => '--' } })\n\
             #                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[unknown-merge-strategy]: The merge options has wrong type, unrecognized key 'knockout' `deep` takes `knockout_prefix`, `merge_hash_arrays`, `sort_merged_arrays`, `merge_debug`.\n\
             lookup('k', Array, { 'knockout_prefix' => '--' })\n\
             #                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[unknown-merge-strategy]: The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy' Add e.g. `'strategy' => 'deep'`.\n\
             lookup('k', Array, 'deep')\nlookup('k', Array, $deeep)\n\
             lookup('k', { merge => 'deeep', override => { k => 1 } })\n\
             lookup('k', { merge => 'deeep', override => $more })\n\
             lookup([], { merge => 'deeep', default_value => 2 })\n\
             lookup('lookup_options', { merge => 'deeep', default_value => 2 })\n",
        );
    }

    #[test]
    fn options() {
        check(
            r"
lookup_options:
  a: {merge: {strategy: deep, knockout_prefix: '-', merge_debug: true}}
  b: {merge: {strategy: unique, knockout_prefix: '-'}}
#                               ^^^^^^^^^^^^^^^ error[unknown-merge-strategy]: The merge options has wrong type, unrecognized key 'knockout_prefix'…
  c: {merge: {knockout_prefix: '-'}}
#            ^^^^^^^^^^^^^^^^^^^^^^ error[unknown-merge-strategy]: The hash given as 'merge' must contain the name of a strategy…
  d: {merge: {strategy: reverse_deep, anything: 1}}
a: 1
b: 1
c: 1
d: 1
",
        );
    }

    #[test]
    fn the_meant_one() {
        check_fix(
            "lookup_options:\n  a: {merge: deeper}\na: {}\n",
            "Write `deep`",
            "lookup_options:\n  a: {merge: deep}\na: {}\n",
        );
        check_fix(
            "lookup_options:\n  a:\n    merge: 'Unique'\na: [1]\n",
            "Write `unique`",
            "lookup_options:\n  a:\n    merge: 'unique'\na: [1]\n",
        );
        check_fix(
            "lookup_options:\n  a: {merge: {strategy: deep, knockoutprefix: x}}\na: {}\n",
            "Write `knockout_prefix`",
            "lookup_options:\n  a: {merge: {strategy: deep, knockout_prefix: x}}\na: {}\n",
        );
    }

    #[test]
    fn a_strategy_for_the_options_of_one() {
        check_fix(
            "lookup_options:\n  a:\n    merge:\n      knockout_prefix: x\na: {}\n",
            "Add `strategy: deep`",
            "lookup_options:\n  a:\n    merge:\n      strategy: deep\n      knockout_prefix: x\na: {}\n",
        );
        check_fix(
            "lookup_options:\n  a: {merge: {knockout_prefix: x}}\na: {}\n",
            "Add `strategy: deep`",
            "lookup_options:\n  a: {merge: {strategy: deep, knockout_prefix: x}}\na: {}\n",
        );
    }

    #[test]
    fn what_is_written_over_two_lines_stays() {
        let fixture =
            Fixture::parse_without_marks("lookup_options: {a: {merge: \"dee\\\n  per\"}}\na: {}\n");
        let found = crate::ide::diagnostics(&fixture.world(), &fixture.files[0].world_path());
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("'deeper'") && found[0].fixes.is_empty(), "{found:?}");
    }

    #[test]
    fn no_strategy_takes_other_options() {
        for merge in ["{knockout_prefix: x, other: 1}", "{strategy: [deep], knockout_prefix: x}"] {
            let text = format!("lookup_options: {{a: {{merge: {merge}}}}}\na: {{}}\n");
            let fixture = Fixture::parse_without_marks(&text);
            let found = crate::ide::diagnostics(&fixture.world(), &fixture.files[0].world_path());
            assert!(!found.is_empty() && found.iter().all(|it| it.fixes.is_empty()), "{found:?}");
        }
    }
}
