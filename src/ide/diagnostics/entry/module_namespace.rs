//! `module-namespace`: a module's data contains keys outside the module.
//!
//! Puppet searches a module's data only for keys that start with the module's name. It warns about other keys and never finds
//! them. `lookup_options` for other keys are an error that makes every lookup of the module's keys fail; a pattern must have
//! the module's name directly after its `^`.

use std::collections::HashMap;

use crate::data::Format;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::file::{DataContext, FileContext};
use crate::ide::diagnostics::shared::fix::{Fix, in_style_of};
use crate::ide::diagnostics::shared::near::distance;
use crate::ide::diagnostics::shared::walk::{option_entries, text_of};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "module-namespace",
    name: "Key outside the module",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A module's data has keys or lookup_options that do not start with the module's name.",
    page: include_str!("../../../../docs/rules/module-namespace.md"),
    may_quote: |_| false,
    checks: &[Check::File(check), Check::Entry(check_lookup_options)],
    ..Rule::USUAL
};

/// Checks the keys of a file. They are checked together, because a fix must not write a key twice.
pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let Some(module) = file.file.and_then(|it| it.module) else { return };
    let prefix = format!("{module}::");
    let mut taken: HashMap<String, usize> = HashMap::new();
    for key in file.data.root_keys() {
        let name = meant(&key.text, module).filter(|_| !key.text.starts_with(&prefix));
        *taken.entry(name.unwrap_or_else(|| key.text.into_owned())).or_default() += 1;
    }
    for tree in file.data.trees() {
        let NodeKind::Scalar { text: key, .. } = &tree.key.kind else { continue };
        if &**key == LOOKUP_OPTIONS || key.starts_with(&prefix) {
            continue;
        }
        let meant = meant(key, module);
        let is_taken = meant.as_ref().is_some_and(|it| taken.get(it).is_some_and(|it| *it > 1));
        let advice = match &meant {
            Some(meant) if is_taken => {
                format!(
                    "The file has `{meant}`, too. Remove one, or move this to the environment's data."
                )
            }
            Some(meant) => format!("Write `{meant}`, or move it to the environment's data."),
            None => "Move it to the environment's data.".to_owned(),
        };
        // Puppet checks the keys only if it gets all of them at once.
        let words = if file.file.is_some_and(DataContext::is_read_by_eyaml) {
            format!("`{key}` does not start with `{prefix}`")
        } else {
            format!(
                "Module '{module}': keys must be qualified with the name of the module; got {key}"
            )
        };
        let message = format!("{words}\nPuppet never finds this key here. {advice}");
        let finding = report.add(&RULE, tree.key.range.shifted(tree.start), message);
        let source = (tree.text, file.format);
        let fix = meant.filter(|_| !is_taken);
        let fix = fix.and_then(|meant| renamed(source, tree.key, &meant, Fix::changing));
        finding.fixes.extend(fix.map(|fix| fix.shifted(tree.start)));
    }
}

/// The key of the module that was meant: the key has no module, or one with a similar name.
fn meant(key: &str, module: &str) -> Option<String> {
    match key.split_once("::") {
        None => Some(format!("{module}::{key}")),
        Some((other, name)) => {
            // Too many names of two letters differ by one letter only.
            let is_near = module.len() > 2 && distance(other, module, 1).is_some();
            is_near.then(|| format!("{module}::{name}"))
        }
    }
}

/// The fix that renames a key.
fn renamed(
    (text, format): (&str, Format),
    key: &Node,
    name: &str,
    make: fn(String, Vec<TextEdit>) -> Fix,
) -> Option<Fix> {
    let written = in_style_of(key, text, format, name)?;
    Some(make(format!("Write `{name}`"), vec![TextEdit::replace(key.range, written)]))
}

/// Checks the keys of lookup_options.
pub(crate) fn check_lookup_options(entry: &EntryContext<'_>, report: &mut Report) {
    let Some(module) = entry.module else { return };
    let prefix = &format!("{module}::");
    let pairs = option_entries(entry);
    for pair in pairs {
        let NodeKind::Scalar { text: key, .. } = &pair.key.kind else { continue };
        let message = match key.strip_prefix('^') {
            // Puppet compares the text directly after the `^`, so it refuses `^(m::a)`, although that only matches keys of the module.
            Some(pattern) if !pattern.starts_with(prefix) => format!(
                "all lookup_options patterns must match a key starting with module name '{module}'\n\
                 Start the pattern with `^{prefix}`."
            ),
            None if !key.starts_with(prefix) => format!(
                "all lookup_options keys must start with module name '{module}'\n\
                 Options for other keys belong in the environment's data."
            ),
            _ => continue,
        };
        let finding = report.add_as(&RULE, Severity::Error, pair.key.range, message);
        let bare = key.strip_prefix('^').unwrap_or(key);
        if !bare.contains("::") && bare.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let anchor = if key.starts_with('^') { "^" } else { "" };
            let name = format!("{anchor}{prefix}{bare}");
            // Only the last of equal keys counts.
            let is_taken = pairs.iter().any(|it| text_of(&it.key).is_some_and(|it| **it == *name));
            let source = (entry.text, entry.format);
            let fix = || renamed(source, &pair.key, &name, Fix::safe);
            finding.fixes.extend((!is_taken).then(fix).flatten());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    #[test]
    fn only_data_of_modules_is_checked() {
        check(
            r"
#- /modules/m/hiera.yaml
version: 5
#- /modules/m/data/common.yaml
m::a: 1
mm::c: 1
#^^^^ warning[module-namespace]: Module 'm': keys must be qualified with the name of the module; got mm::c…
#- /data/common.yaml
b: 1
",
        );
    }

    #[test]
    fn lookup_options() {
        check(
            r"
#- /modules/m/hiera.yaml
version: 5
#- /modules/m/data/common.yaml
lookup_options:
  m::a: {merge: deep}
  other: {merge: deep}
# ^^^^^ error[module-namespace]: all lookup_options keys must start with module name 'm'…
  ^m::(a|b)$: {merge: deep}
  ^m: {merge: deep}
# ^^ error[module-namespace]: all lookup_options patterns must match a key starting with module name 'm'…
",
        );
    }

    const MODULE: &str = "#- /modules/ntp/hiera.yaml\nversion: 5\n";

    #[track_caller]
    fn check_fix_of(file: &str, title: &str, expected: &str) {
        let fixture = format!("#- /modules/ntp/data/common.yaml\n{file}{MODULE}");
        check_fix(&fixture, title, expected);
    }

    #[test]
    fn the_module_s_name() {
        check_fix_of("servers: 1 # x\n", "Write `ntp::servers`", "ntp::servers: 1 # x\n");
        check_fix_of("'npt::servers': 1\n", "Write `ntp::servers`", "'ntp::servers': 1\n");
        check_fix_of(
            "lookup_options:\n  \"servers\": {merge: unique}\nntp::servers: [1]\n",
            "Write `ntp::servers`",
            "lookup_options:\n  \"ntp::servers\": {merge: unique}\nntp::servers: [1]\n",
        );
        check_fix_of(
            "lookup_options:\n  ^serv.*: {merge: unique}\nntp::servers: [1]\n",
            "Write `^ntp::serv.*`",
            "lookup_options:\n  '^ntp::serv.*': {merge: unique}\nntp::servers: [1]\n",
        );
    }

    #[test]
    fn a_key_that_is_there_is_not_written_again() {
        let count = |file: &str| {
            fix_counts(
                &format!("#- /modules/ntp/data/common.yaml\n{file}{MODULE}"),
                super::RULE.code,
            )
        };
        assert_eq!(count("ntp::servers: [a]\nservers: []\n"), [0]);
        assert_eq!(count("npt::servers: [a]\nservers: []\n"), [0, 0]);
        assert_eq!(count("lookup_options:\n  servers: {merge: deep}\n  ntp::servers: {}\n"), [0]);
    }

    #[test]
    fn a_file_of_which_puppet_gets_single_keys_does_not_fail() {
        check(
            r"
#- /modules/m/hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml, lookup_key: eyaml_lookup_key}]
#- /modules/m/data/common.yaml
m::a: 1
other: 1
#^^^^ warning[module-namespace]: `other` does not start with `m::` Puppet never finds this key here. Write `m::other`…
[a, b]: x
#^^^^^ warning[unreachable-integer-key]: no lookup finds this key: it is a list, and lookups search for strings
",
        );
    }

    #[test]
    fn a_short_name_is_like_no_other() {
        check(
            r"
#- /modules/mn/hiera.yaml
version: 5
#- /modules/mn/data/common.yaml
mm::cc: 1
#^^^^^ warning[module-namespace]: Module 'mn': keys must be qualified with the name of the module; got mm::cc Puppet never finds this key here. Move it to the environment's data.
",
        );
    }
}
