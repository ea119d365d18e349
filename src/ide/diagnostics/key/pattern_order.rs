//! `pattern-order`: Puppet tries the patterns of `lookup_options` in another order than expected.
//!
//! It tries patterns of lower levels before those of higher levels, and those of a module before those of the environment.
//! Within a file, it uses the first one that matches.

use std::collections::HashMap;
use std::sync::Arc;

use crate::data::{Hash, Member};
use crate::engine::module_of_key;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::key::OptionsContext;
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::ide::diagnostics::shared::lower::{LowerLevels, LowerValue};
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::syntax::ruby_regex::{RegexList, RubyRegex};

pub(crate) const RULE: Rule = Rule {
    code: "pattern-order",
    name: "Pattern that comes after another one",
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

/// The patterns of the options of one level.
type Patterns<'o> = RegexList<Pattern<'o>>;

/// Checks the entry `lookup_options` of a file.
pub(crate) fn check(options: &OptionsContext<'_>, report: &mut Report) {
    let OptionsContext { lower, known, entry, .. } = *options;
    let Some(own) = entry.value.value.as_hash() else { return };
    let patterns = patterns(known, own);
    // A key with its own entry ignores all patterns, so their order does not matter for it.
    let is_for = |key: &&Arc<str>| &***key != LOOKUP_OPTIONS && own.get(key).is_none();
    let keys_of = |pattern: &Pattern<'_>| {
        let keys = known.matching(&pattern.regex);
        keys.iter().flat_map(|keys| keys.iter()).filter(is_for).cloned().collect::<Vec<_>>()
    };
    let used: Vec<(usize, &Pattern<'_>, Vec<Arc<str>>)> = patterns
        .items()
        .enumerate()
        .map(|(at, pattern)| (at, pattern, keys_of(pattern)))
        .filter(|(.., keys)| !keys.is_empty())
        .collect();
    let below = LowerOptions::of(lower, used.iter().map(|(_, pattern, _)| pattern.module()));
    let of_lower = below.patterns(known);
    for (at, pattern, keys) in &used {
        let Some(place) = pattern.member.key_place else { continue };
        let levels = below.by_module.get(&pattern.module()).into_iter().flatten();
        let mut first = levels.filter_map(|path| {
            let (level, options, others) = of_lower.get(path)?;
            Some((*level, preceding(others, options, pattern, keys)?))
        });
        if let Some((level, (first, key))) = first.next() {
            let message = format!(
                "`{}` of a lower level is tried first, e.g. for `{key}`\n\
                 Puppet tries patterns of lower levels before those of higher levels. An entry for the key itself always wins.",
                first.text
            );
            let finding = report.add_as(&RULE, RULE.severity, place.range, message);
            let range = first.member.key_place.map_or(level.key_place.range, |it| it.range);
            let (path, message) = (Some(level.path.clone()), "asked first".to_owned());
            finding.related.push(Related { path, range, message });
        }
        let earlier = |key: &str| patterns.matching(key).next().filter(|(number, _)| number < at);
        // The finding above already explains why the pattern does not apply.
        if keys.iter().all(|key| earlier(key).is_some()) && !report.holds(&RULE, place.range) {
            let first = earlier(&keys[0]).map(|(_, it)| it);
            // If both patterns have the same options, the order does not matter.
            let Some(first) = first.filter(|it| it.member.value != pattern.member.value) else {
                continue;
            };
            let message = format!(
                "this pattern never applies: `{}` is tried first\n\
                 Puppet uses the first pattern that matches. Write the narrower one first.",
                first.text
            );
            let finding = report.add_as(&RULE, RULE.severity, place.range, message);
            let range = first.member.key_place.map_or(place.range, |it| it.range);
            finding.related.push(Related { path: None, range, message: "asked first".to_owned() });
        }
    }
}

impl<'o> Pattern<'o> {
    /// The module whose keys it is for, if it names one.
    fn module(&self) -> Option<&'o str> {
        module_of_key(self.text.trim_start_matches('^'))
    }
}

/// The `lookup_options` of lower levels. Keys of many modules use the same ones, so each is read only once.
struct LowerOptions<'m> {
    levels: HashMap<Arc<str>, LowerValue>,
    /// The paths of the levels for keys of a module, highest first.
    by_module: HashMap<Option<&'m str>, Vec<Arc<str>>>,
}

impl<'m> LowerOptions<'m> {
    fn of(lower: &LowerLevels<'_>, modules: impl Iterator<Item = Option<&'m str>>) -> Self {
        let mut found = Self { levels: HashMap::new(), by_module: HashMap::new() };
        for module in modules {
            found.by_module.entry(module).or_insert_with(|| {
                let levels = lower.options(module).into_iter();
                let keep = |it: LowerValue| {
                    let path = it.path.clone();
                    found.levels.entry(path.clone()).or_insert(it);
                    path
                };
                levels.map(keep).collect()
            });
        }
        found
    }

    /// Each level by its path, with its options and their patterns.
    fn patterns(
        &self,
        known: &KnownKeys<'_>,
    ) -> HashMap<&Arc<str>, (&LowerValue, &Hash, Patterns<'_>)> {
        let levels = self.levels.iter().filter_map(|(path, level)| {
            let options = level.value.value.as_hash()?;
            Some((path, (level, options, patterns(known, options))))
        });
        levels.collect()
    }
}

/// The first pattern of the level that has other options and matches a key that `pattern` is for, with that key.
fn preceding<'l, 'o, 'k>(
    others: &'l Patterns<'o>,
    options: &Hash,
    pattern: &Pattern<'_>,
    keys: &'k [Arc<str>],
) -> Option<(&'l Pattern<'o>, &'k Arc<str>)> {
    // The same pattern is the same entry, and has the options of the higher level.
    let is_other =
        |it: &Pattern<'_>| it.text != pattern.text && it.member.value != pattern.member.value;
    let free = keys.iter().filter(|key| options.get(key).is_none());
    let found = free.filter_map(|key| {
        let first = others.matching(key).find(|(_, it)| is_other(it))?;
        Some((first, key))
    });
    let ((_, first), key) = found.min_by_key(|((number, _), _)| *number)?;
    Some((first, key))
}

fn patterns<'o>(known: &KnownKeys<'_>, options: &'o Hash) -> Patterns<'o> {
    let pattern = |(key, member)| {
        let text = crate::data::Value::as_str(key).filter(|text| text.starts_with('^'))?;
        let regex = known.pattern(text)?;
        Some((Arc::clone(&regex), Pattern { text, regex, member }))
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
# ^^^ warning[pattern-order]: `^a` of a lower level is tried first, e.g. for `abc` Puppet tries patterns of lower levels before those of higher levels. An entry for the key itself always wins.
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
# ^^^ warning[pattern-order]: this pattern never applies: `^a` is tried first…
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
# ^^^^^ warning[pattern-order]: `^m::` of a lower level is tried first, e.g. for `m::a`…
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
# ^^^ warning[pattern-order]: `^aaa$` of a lower level is tried first…
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
