//! `hiera-yaml-schema`: what Puppet refuses in a `hiera.yaml`, or warns about, in Puppet's words.

use crate::ide::diagnostics::config::ConfigTextContext;
use crate::ide::diagnostics::config::hiera_yaml_version;
use crate::ide::diagnostics::file::yaml_syntax::{explained, reader_words};
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::text_of;
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "hiera-yaml-schema",
    name: "Wrong hiera.yaml",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "Puppet refuses this `hiera.yaml`, so every lookup that uses it fails.",
    page: include_str!("../../../../docs/rules/hiera-yaml-schema.md"),
    checks: &[Check::ConfigText(check)],
    ..Rule::USUAL
};

const ROOT_KEYS: [&str; 5] =
    ["version", "defaults", "hierarchy", "default_hierarchy", "plan_hierarchy"];
const DEFAULTS_KEYS: [&str; 5] = ["datadir", "data_hash", "lookup_key", "data_dig", "options"];
const LEVEL_KEYS: [&str; 13] = [
    "name",
    "path",
    "paths",
    "glob",
    "globs",
    "uri",
    "uris",
    "mapped_paths",
    "datadir",
    "data_hash",
    "lookup_key",
    "data_dig",
    "options",
];

pub(crate) fn check(file: &ConfigTextContext<'_>, report: &mut Report) {
    let ConfigTextContext { text, problems, root, .. } = *file;
    for problem in problems.iter().filter(|problem| !hiera_yaml_version::is_of_version(problem)) {
        let severity = if problem.is_error() { Severity::Error } else { Severity::Warning };
        for detail in &problem.details {
            let place = detail.place.or(problem.place);
            let range = place.map_or(TextRange::empty(0), |place| place.range);
            let (message, related) = plain_words(text, range, &detail.message);
            let finding = report.add_as(&RULE, severity, range, message);
            finding.related.extend(related);
            let fix = root.and_then(|root| known_key((text, root), range, &detail.message));
            finding.fixes.extend(fix);
        }
    }
}

/// The message without path and place if the file is not YAML, because the finding has them. The likely mistake comes with it.
fn plain_words(text: &str, range: TextRange, message: &str) -> (String, Option<Related>) {
    let of_parser = message.strip_prefix('(').and_then(|it| it.split_once(".yaml): "));
    let Some((_, words)) = of_parser else { return (message.to_owned(), None) };
    let words = reader_words(words);
    let line_start = text[..range.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let is_tab = words.contains("tab character")
        || text[line_start..].trim_start_matches(' ').starts_with('\t');
    if is_tab {
        return (format!("{words}\nIndent with spaces instead of tabs."), None);
    }
    explained(text, range, &words)
}

/// The intended name, if Puppet reports an unknown one.
fn known_key((text, root): (&str, &Node), range: TextRange, message: &str) -> Option<Fix> {
    let (context, name) = message.split_once("unrecognized key ")?;
    let name = name.trim_matches('\'');
    let known: &[&str] = match context {
        _ if context.contains("hierarchy' index") => &LEVEL_KEYS,
        _ if context.contains("entry 'defaults'") => &DEFAULTS_KEYS,
        _ => &ROOT_KEYS,
    };
    let near = nearest_name(name, known.iter().copied())?;
    // Of two equal keys, only the last one counts.
    if siblings(root, range)?.iter().any(|it| text_of(&it.key).is_some_and(|it| **it == *near)) {
        return None;
    }
    let edits = vec![TextEdit::replace(range, near)];
    // Puppet refuses the file as it is, so the fix changes no value.
    (range.slice(text) == name).then(|| Fix::safe(format!("Write `{near}`"), edits))
}

/// The pairs of the hash that has its key at `range`.
fn siblings(node: &Node, range: TextRange) -> Option<&[Pair]> {
    match &node.kind {
        NodeKind::Mapping(pairs) if pairs.iter().any(|it| it.key.range == range) => Some(pairs),
        NodeKind::Mapping(pairs) => pairs.iter().find_map(|it| siblings(&it.value, range)),
        NodeKind::Sequence(items) => items.iter().find_map(|it| siblings(it, range)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::ide::diagnostics::testing::{check, check_fix, check_related, fix_counts};

    #[test]
    fn what_is_not_yaml() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: a, path: a.yaml}\n\t- {name: b, path: b.yaml}\n\
             #^^^^^^^^^^^^^^^^^^^^^^^^^ error[hiera-yaml-schema]: found character that cannot start any token while scanning for \
             the next token Indent with spaces instead of tabs.\n",
        );
    }

    #[test]
    fn the_likely_mistake_in_what_is_not_yaml() {
        check_related(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [\n\ndefaults:\n  - x\n",
            RULE.code,
            &["/hiera.yaml: [: this bracket is not closed"],
        );
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy\n#^^^^^^^^ error[hiera-yaml-schema]: could not find expected ':' while \
             scanning a simple key This line has no `: `.\n  - {name: a, path: a.yaml}\n",
        );
    }

    #[test]
    fn keys_that_were_meant() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: x\n    paht: y.yaml # z\n",
            "Write `path`",
            "version: 5\nhierarchy:\n  - name: x\n    path: y.yaml # z\n",
        );
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierachy:\n  - {name: x, path: y.yaml}\n",
            "Write `hierarchy`",
            "version: 5\nhierarchy:\n  - {name: x, path: y.yaml}\n",
        );
    }

    #[test]
    fn a_key_that_is_there_is_not_written_again() {
        let count = |text: &str| fix_counts(&format!("#- /hiera.yaml\n{text}"), RULE.code);
        let rest = "hierarchy:\n  - {name: x, path: y.yaml}\n";
        assert_eq!(
            count(&format!("version: 5\ndefaults: {{datadir: a, data_dir: b}}\n{rest}")),
            [0]
        );
        assert_eq!(count(&format!("version: 5\n{rest}hierachy: []\n")), [0]);
        assert_eq!(
            count("version: 5\nhierarchy:\n  - {name: x, path: y.yaml, pathh: z.yaml}\n"),
            [0]
        );
        assert_eq!(count(&format!("version: 5\ndefaults: {{data_dir: b}}\n{rest}")), [1]);
        // Puppet takes it for version 3, which does not have this key.
        assert_eq!(count(&format!("defaults: {{datadir: a}}\n{rest}")), [0, 0, 0]);
    }

    #[test]
    fn version_three_becomes_five() {
        check_fix(
            "#- /hiera.yaml\n:yaml:\n  :datadir: data\n:hierarchy: [common]\n#- /data/common.yaml\na: 1\n",
            "Convert to version 5",
            "version: 5\ndefaults:\n  datadir: 'data'\n  data_hash: yaml_data\nhierarchy:\n  - name: 'common'\n    path: 'common.yaml'\n",
        );
    }

    #[test]
    fn puppets_complaints() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    pathh: y
#   ^^^^^ error[hiera-yaml-schema]: entry 'hierarchy' index 0 unrecognized key 'pathh'
",
        );
    }
}
