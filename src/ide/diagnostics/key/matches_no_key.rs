//! `matches-no-key`: an entry of `lookup_options` for a key that no data file has, or a pattern that matches none.

use std::sync::Arc;

use crate::engine::module_of_key;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::entry::pattern_without_caret::looks_like_pattern;
use crate::ide::diagnostics::key::OptionsContext;
use crate::ide::diagnostics::shared::declared_classes::DeclaredClasses;
use crate::ide::diagnostics::shared::fix::{Fix, Safety, in_style_of};
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::ide::diagnostics::shared::near::is_misspelling;
use crate::ide::diagnostics::shared::walk::{has_key, meant_below, pairs_of, text_of};
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Tag};
use crate::ide::pair_edits::remove_pair;
use crate::syntax::interpolation;
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "matches-no-key",
    name: "Options without a key",
    severity: Severity::Hint,
    since: "0.1.0",
    summary: "An entry of `lookup_options` is for a key that no data file has.",
    page: include_str!("../../../../docs/rules/matches-no-key.md"),
    tag: Some(Tag::Unnecessary),
    checks: &[Check::Options(check)],
    ..Rule::USUAL
};

/// Checks the entries of `lookup_options`; in a module, only entries that look misspelt, because its data may also be
/// elsewhere.
pub(crate) fn check(at: &OptionsContext<'_>, report: &mut Report) {
    let OptionsContext { known, classes, tree, .. } = *at;
    let is_of_module = at.module.is_some();
    let pairs = pairs_of(tree.value);
    for (number, pair) in pairs.iter().enumerate() {
        let Some(key) = text_of(&pair.key).filter(|key| !interpolation::may_have_tokens(key))
        else {
            continue;
        };
        if meant_below(pairs, number).is_some() {
            continue;
        }
        let message = match key.strip_prefix('^') {
            Some(rest) => unmatched_pattern(known, key, rest),
            None => unknown_key(known, classes, key),
        };
        if let Some(message) = message {
            let near = near_key(known, classes, key).filter(|_| !key.starts_with('^'));
            let is_misspelt = near.as_ref().is_some_and(|near| is_misspelling(key, near));
            let is_certain = is_misspelt
                && !classes.is_parameter(key)
                && !has_key(pairs, near.as_ref().map_or("", |it| it));
            if is_of_module && !is_certain {
                continue;
            }
            let severity = if is_certain { Severity::Warning } else { RULE.severity };
            let range = pair.key.range.shifted(tree.start);
            let finding = report.add_as(&RULE, severity, range, message);
            finding.related.extend(near.as_ref().and_then(|near| known.related(near)));
            // The options of a class parameter are right, and it is the key of the data that is misspelt.
            let near = near.filter(|near| !has_key(pairs, near) && !classes.is_parameter(key));
            let renamed = near.and_then(|near| {
                let written = in_style_of(&pair.key, tree.text, at.data.format(), &near)?;
                let edit = TextEdit::replace(pair.key.range, written);
                Some(Fix::changing(format!("Write `{near}`"), vec![edit]))
            });
            let removed = remove_pair(tree.text, pairs, number)
                .map(|it| Fix::removing("Remove these options", Safety::ChangesValue, it));
            let fixes = renamed.into_iter().chain(removed);
            finding.fixes.extend(fixes.map(|fix| fix.shifted(tree.start)));
        }
    }
}

/// The key of the data that a key is similar to. Of two parameters, neither is misspelt.
fn near_key(known: &KnownKeys<'_>, classes: &DeclaredClasses<'_>, key: &str) -> Option<Arc<str>> {
    let are_parameters = |near: &str| classes.is_parameter(key) && classes.is_parameter(near);
    known.near(key, LOOKUP_OPTIONS).filter(|near| !are_parameters(near))
}

fn unknown_key(known: &KnownKeys<'_>, classes: &DeclaredClasses<'_>, key: &str) -> Option<String> {
    // Other rules report keys with dots and keys that look like patterns.
    if known.contains(key) || key.contains('.') || key == "<<" || looks_like_pattern(key) {
        return None;
    }
    let near = near_key(known, classes, key);
    if near.is_none() && known.is_open(module_of_key(key)) {
        return None;
    }
    if known.may_be_refused(key) {
        return None;
    }
    let advice = match near {
        Some(near) if classes.is_parameter(key) => {
            format!("\n`{key}` is a class parameter, so `{near}` may be misspelt.")
        }
        Some(near) => format!("\nDid you mean `{near}`?"),
        None => String::new(),
    };
    Some(format!("no data file has the key `{key}`{advice}"))
}

fn unmatched_pattern(known: &KnownKeys<'_>, pattern: &str, rest: &str) -> Option<String> {
    let regex = known.pattern(pattern)?;
    let is_word =
        |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let module = module_of_key(rest).filter(is_word);
    // A pattern that does not start with a module's name may be for keys of any module.
    if module.is_none() && rest.contains(':') || known.is_open(module) {
        return None;
    }
    // Puppet never applies options to `lookup_options` itself, although patterns match the name.
    let matches = known.matching(&regex)?.iter().any(|key| **key != *LOOKUP_OPTIONS);
    (!matches && !known.has_refused_files())
        .then(|| format!("no data file has a key that matches /{pattern}/"))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, check_related, fix_counts};

    #[test]
    fn keys_and_patterns() {
        check(
            r"
lookup_options:
  abc: {merge: deep}
  abd: {merge: deep}
# ^^^ hint[matches-no-key]: no data file has the key `abd` Did you mean `abc`?
  ^ab: {merge: deep}
  ^b: {merge: deep}
# ^^ hint[matches-no-key]: no data file has a key that matches /^b/
  ^elsewhere::x: {merge: deep}
  elsewhere::x: {merge: deep}
abc: {}
",
        );
    }

    #[test]
    fn fixes() {
        check_fix(
            "lookup_options:\n  ntp::server: {merge: unique}\nntp::servers: [a]\n",
            "Write `ntp::servers`",
            "lookup_options:\n  ntp::servers: {merge: unique}\nntp::servers: [a]\n",
        );
        check_fix(
            "lookup_options:\n  a: {merge: unique}\n  ^other: # none\n    merge: deep\na: [a]\n",
            "Remove these options (also removes a comment)",
            "lookup_options:\n  a: {merge: unique}\na: [a]\n",
        );
    }

    #[test]
    fn another_parameter_is_not_misspelt() {
        check(
            "#- /data/common.yaml\nlookup_options:\n  svc::ts: {convert_to: Timespan}\n\
             # ^^^^^^^ hint[matches-no-key]: no data file has the key `svc::ts`\n\
             svc::ah: [1]\n#- /modules/svc/manifests/init.pp\nclass svc($ts = 1, $ah = 2) { }\n",
        );
    }

    /// The key of the data is misspelt, and not the name of the parameter.
    #[test]
    fn options_of_a_class_parameter_are_not_renamed() {
        let files = "#- /data/common.yaml\nlookup_options:\n  m::users: {merge: deep}\nm::usrs: {a: 1}\n\
                     #- /modules/m/manifests/init.pp\nclass m (Hash $users = {}) { }\n";
        assert_eq!(fix_counts(files, "matches-no-key"), [0]);
    }

    #[test]
    fn the_near_key_is_shown() {
        check_related(
            r"
lookup_options: {ntp::servr: {merge: unique}}
ntp::server: [x]
",
            "matches-no-key",
            &["/data/common.yaml: ntp::server: `ntp::server` is here"],
        );
    }

    #[test]
    fn patterns_of_a_module_that_is_here() {
        check(
            r"
#- /modules/m/hiera.yaml
version: 5
#- /modules/m/data/common.yaml
m::a: 1
#- /data/common.yaml
lookup_options:
  ^m::nothing: {merge: unique}
# ^^^^^^^^^^^ hint[matches-no-key]: no data file has a key that matches /^m::nothing/
  ^(m|n)::nothing: {merge: unique}
  ^n::nothing: {merge: unique}
",
        );
    }

    /// The data of a module may be anywhere.
    #[test]
    fn options_in_modules() {
        check(
            r"
#- /modules/m/hiera.yaml
version: 5
#- /modules/m/data/common.yaml
lookup_options:
  m::nothing: {merge: unique}
  ^m::no_.*: {merge: unique}
  m::servers: {merge: unique}
  m::netwrok: {merge: unique}
# ^^^^^^^^^^ warning[matches-no-key]: no data file has the key `m::netwrok` Did you mean `m::network`?
m::server: 1
m::network: 1
#- /modules/m/manifests/init.pp
class m ($server, $servers, $network) { }
",
        );
    }
}
