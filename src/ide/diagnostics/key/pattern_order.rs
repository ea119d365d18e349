//! `pattern-order`: which pattern of `lookup_options` is asked first is not what it looks like.
//!
//! Patterns of lower levels are asked before those of higher ones, and a module's before the environment's; within a file,
//! the first that matches counts.

use std::sync::Arc;

use crate::data::{Hash, Member};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::key::OptionsContext;
use crate::ide::diagnostics::shared::known_keys::{KnownKeys, module_of};
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::syntax::ruby_regex::RubyRegex;

pub(crate) const RULE: Rule = Rule {
    code: "pattern-order",
    name: "Pattern that another one precedes",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "Another pattern of `lookup_options` comes before this one.",
    page: include_str!("../../../../docs/rules/pattern-order.md"),
    checks: &[Check::Options(check)],
    ..Rule::USUAL
};

/// A pattern with its options.
struct Pattern<'o> {
    text: &'o str,
    regex: Arc<RubyRegex>,
    member: &'o Member,
}

/// Checks the entry `lookup_options` of a file.
pub(crate) fn check(options: &OptionsContext<'_>, report: &mut Report) {
    let OptionsContext { lower, known, entry, .. } = *options;
    let Some(own) = entry.value.value.as_hash() else { return };
    let patterns = patterns(known, own);
    for (at, pattern) in patterns.iter().enumerate() {
        let Some(place) = pattern.member.key_place else { continue };
        let is_for = |key: &&Arc<str>| {
            &***key != LOOKUP_OPTIONS && own.get(key).is_none() && pattern.regex.is_match(key)
        };
        let matching: Vec<_> = known.keys().iter().filter(is_for).collect();
        if matching.is_empty() {
            continue;
        }
        let module = module_of(pattern.text.trim_start_matches('^'));
        for other in lower.options(module) {
            let Some(options) = other.value.value.as_hash() else { continue };
            if let Some((first, key)) = preceding(known, options, pattern, &matching) {
                let message = format!(
                    "`{}` of a lower level is asked first, e.g. for `{key}`\n\
                     Patterns of lower levels precede those of higher ones. Name the key itself to win.",
                    first.text
                );
                let finding = report.add_as(&RULE, RULE.severity, place.range, message);
                let range = first.member.key_place.map_or(other.key_place.range, |it| it.range);
                let (path, message) = (Some(other.path.clone()), "asked first".to_owned());
                finding.related.push(Related { path, range, message });
                break;
            }
        }
        let earlier = &patterns[..at];
        let is_taken = |key: &&Arc<str>| earlier.iter().any(|it| it.regex.is_match(key));
        if matching.iter().all(is_taken) && !report.holds(&RULE, place.range) {
            let first = earlier.iter().find(|it| it.regex.is_match(matching[0]));
            let Some(first) = first.filter(|it| it.member.value != pattern.member.value) else {
                continue;
            };
            let message = format!(
                "this pattern never applies: `{}` is asked first\n\
                 The first pattern that matches counts. Write the narrower one first.",
                first.text
            );
            let finding = report.add_as(&RULE, RULE.severity, place.range, message);
            let range = first.member.key_place.map_or(place.range, |it| it.range);
            finding.related.push(Related { path: None, range, message: "asked first".to_owned() });
        }
    }
}

/// A pattern with other options that takes one of the keys which `pattern` is for, and that key.
fn preceding<'o, 'k>(
    known: &KnownKeys<'_>,
    options: &'o Hash,
    pattern: &Pattern<'_>,
    matching: &[&'k Arc<str>],
) -> Option<(Pattern<'o>, &'k Arc<str>)> {
    // The same pattern is the same entry: it has the options of the higher level.
    let is_other =
        |it: &Pattern<'_>| it.text != pattern.text && it.member.value != pattern.member.value;
    patterns(known, options).into_iter().filter(is_other).find_map(|other| {
        let is_taken = |key: &&&Arc<str>| options.get(key).is_none() && other.regex.is_match(key);
        let key = matching.iter().find(is_taken)?;
        Some((other, *key))
    })
}

fn patterns<'o>(known: &KnownKeys<'_>, options: &'o Hash) -> Vec<Pattern<'o>> {
    let pattern = |(key, member)| {
        let text = crate::data::Value::as_str(key).filter(|text| text.starts_with('^'))?;
        Some(Pattern { text, regex: known.pattern(text)?, member })
    };
    options.iter().filter_map(pattern).collect()
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    #[test]
    fn of_a_lower_level() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
lookup_options:
  ^ab: {merge: hash}
# ^^^ warning[pattern-order]: `^a` of a lower level is asked first, e.g. for `abc` Patterns of lower levels precede those of higher ones. Name the key itself to win.
  ^a: {merge: deep}
  ^b: {merge: hash}
  ^c: {merge: hash}
#- /data/b.yaml
lookup_options:
  ^a: {merge: deep}
  ^bb: {merge: deep}
  bb: {merge: deep}
  ^cc: {merge: hash}
abc: {}
ad: {}
bb: {}
cc: {}
",
        );
    }

    #[test]
    fn within_a_file() {
        check(
            r"
lookup_options:
  ^ab: {merge: hash}
  ^a: {merge: deep}
  ^ac: {merge: hash}
# ^^^ warning[pattern-order]: this pattern never applies: `^a` is asked first…
  ^ad: {merge: deep}
ab: {}
ac: {}
ad: {}
",
        );
    }

    #[test]
    fn of_a_module() {
        check(
            r"
#- /modules/m/hiera.yaml
version: 5
#- /modules/m/data/common.yaml
lookup_options:
  ^m::: {merge: deep}
m::a: {}
#- /data/common.yaml
lookup_options:
  ^m::a: {merge: hash}
# ^^^^^ warning[pattern-order]: `^m::` of a lower level is asked first, e.g. for `m::a`…
",
        );
    }

    #[test]
    fn the_one_that_is_asked_first_is_shown() {
        check_related(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
lookup_options:
  ^aa.*: {merge: first}
  ^a: {merge: hash}
  ^ab: {merge: unique}
aaa: {}
abc: 1
#- /data/b.yaml
lookup_options:
  ^aaa$: {merge: unique}
",
            "pattern-order",
            &[
                "/data/b.yaml: ^aaa$: asked first",
                "/data/b.yaml: ^aaa$: asked first",
                "/data/a.yaml: ^a: asked first",
            ],
        );
    }

    #[test]
    fn one_of_several_lower_levels_is_enough() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
lookup_options:
  ^aa: {merge: first}
# ^^^ warning[pattern-order]: `^aaa$` of a lower level is asked first…
aaa: [1]
aab: [1]
#- /data/b.yaml
lookup_options:
  ^aaa$: {merge: unique}
#- /data/c.yaml
lookup_options:
  ^aab$: {merge: unique}
",
        );
    }

    #[test]
    fn a_pattern_that_has_a_key_left_applies() {
        check(
            r"
lookup_options:
  ^ab$: {merge: unique}
  ^z: {merge: hash}
  ^a: {merge: deep}
ab: [1]
ac: [1]
z: {}
",
        );
    }
}
