//! `nested-parameter`: a class parameter became part of the hash before it, because it is indented.

use std::sync::Arc;

use crate::data::{EntryTree, RootEntry, Value};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::key::KeyContext;
use crate::ide::diagnostics::shared::declared_classes::{DeclaredClasses, class_and_parameter};
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::ide::diagnostics::shared::walk::{pairs_of, text_of};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::tree::{Node, Pair};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "nested-parameter",
    name: "Parameter inside a hash",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A key of a class parameter is indented, so it is a member of the hash before it.",
    page: include_str!("../../../../docs/rules/nested-parameter.md"),
    checks: &[Check::Key(check)],
    ..Rule::USUAL
};

/// Checks the members of a root key's hash.
pub(crate) fn check(at: &KeyContext<'_>, report: &mut Report) {
    let KeyContext { known, classes, data, key, entry, .. } = *at;
    let Some(members) = entry.value.value.as_hash() else { return };
    let is_qualified = |name: &Value| name.as_str().is_some_and(|name| name.contains("::"));
    if key == LOOKUP_OPTIONS || !members.iter().any(|(name, _)| is_qualified(name)) {
        return;
    }
    let Some(tree) = data.entry_at(entry.key_place.range.start) else { return };
    let pairs = pairs_of(tree.value);
    let is_written_at =
        |it: &RootEntry, pair: &Pair| it.key_place.range == pair.key.range.shifted(tree.start);
    // The first members are members of the hash itself. If all members of a hash are such names, it is a list of classes or
    // keys.
    let is_parameter = |pair: &&Pair| {
        // What an alias brings to the root is looked up.
        let is_found = |name: &Arc<str>| data.get(name).is_some_and(|it| is_written_at(it, pair));
        text_of(&pair.key)
            .is_some_and(|name| is_parameter(known, classes, key, name) && !is_found(name))
    };
    let count = pairs.iter().rev().take_while(is_parameter).count();
    // If only the line of the key is indented, its value follows.
    let lone = pairs.iter().skip(1).position(|pair| is_empty(&pair.value) && is_parameter(&pair));
    let slipped = match lone {
        Some(at) => &pairs[at + 1..at + 2],
        None if count == pairs.len() => return,
        None => &pairs[pairs.len() - count..],
    };
    let names: Vec<_> = slipped.iter().filter_map(|pair| text_of(&pair.key)).collect();
    if let (Some(pair), Some(name)) = (slipped.first(), names.first()) {
        let others = if names.len() > 1 { ", like what follows it" } else { "" };
        let message = format!(
            "`{name}` is a member of `{key}` here, and Puppet does not look it up\nIt is indented{others}: write it at \
             the start of the line."
        );
        let range = pair.key.range.shifted(tree.start);
        let finding = report.add(&RULE, range, message);
        // At other places, the keys would override other values.
        let is_new = names.iter().all(|name| !known.contains(name));
        let edits = dedented(&tree, pair).filter(|_| is_new && lone.is_none());
        finding.fixes.extend(edits.map(|it| Fix::changing("Move it to the start of the line", it)));
    }
}

fn is_empty(value: &Node) -> bool {
    text_of(value).is_some_and(|text| text.is_empty()) && value.range.is_empty()
}

/// Whether the name of a member is that of a class parameter, as far as classes or other keys show.
fn is_parameter(
    known: &KnownKeys<'_>,
    classes: &DeclaredClasses<'_>,
    root: &str,
    name: &str,
) -> bool {
    let Some((class_name, _)) = class_and_parameter(name) else { return false };
    let is_of_class = class_and_parameter(root).is_some_and(|(own, _)| own == class_name);
    name != root && (is_of_class || known.contains(name) || classes.is_parameter(name))
}

/// The edits that remove the indentation of a member's lines, up to the end of the entry.
fn dedented(tree: &EntryTree<'_>, pair: &Pair) -> Option<Vec<TextEdit>> {
    let start = pair.key.range.start as usize;
    let line_start = tree.text[..start].rfind('\n')? + 1;
    let width = start - line_start;
    if width == 0 || !tree.text[line_start..start].bytes().all(|byte| byte == b' ') {
        return None;
    }
    let mut edits = Vec::new();
    let mut at = line_start;
    for line in tree.text[line_start..].split_inclusive('\n') {
        let indentation = line.len() - line.trim_start_matches(' ').len();
        if !line.trim().is_empty() {
            if indentation < width {
                return None;
            }
            let from = at as u32 + tree.start;
            edits.push(TextEdit::replace(TextRange::new(from, from + width as u32), ""));
        }
        at += line.len();
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn members_that_are_parameters() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
web::vhosts:
  shop: {port: 1}
  web::workers: 1
# ^^^^^^^^^^^^ warning[nested-parameter]: `web::workers` is a member of `web::vhosts` here…
  ssh::port: 22
other:
  a: 1
  db::engine: 1
db::users:
  root: 1
  db::grants:
# ^^^^^^^^^^ warning[nested-parameter]: `db::grants` is a member of `db::users` here…
  all: 1
lookup_options:
  web::vhosts: {merge: deep}
#- /data/b.yaml
ssh::port: 1
",
        );
    }

    #[test]
    fn hashes_of_keys() {
        check(
            r"
web::port: 1
classes:
  web::port: 1
  web::vhost: 2
web::resources:
  'file::x': {a: 1}
  b: 1
",
        );
    }

    #[test]
    fn to_the_beginning_of_the_line() {
        check_fix(
            "web::vhosts:\n  shop: 1\n  web::ports:\n    - 1\n\n    - 2\nx: 1\n",
            "Move it to the start of the line",
            "web::vhosts:\n  shop: 1\nweb::ports:\n  - 1\n\n  - 2\nx: 1\n",
        );
    }
}
