//! Converts a `hiera.yaml` of version 4 to version 5.
//!
//! Both have levels with names and paths. Version 4 names a back end instead of a function, adds the extension to each path,
//! uses the level's name if there is no path, and has its directory at the root. Everything else stays as it is written.

use crate::config::hiera_yaml::data_hash_backend;
use crate::data::Format;
use crate::ide::diagnostics::shared::fix::in_style_of;
use crate::ide::diagnostics::shared::walk::{pairs_of, text_of};
use crate::ide::pair_edits::{is_flow, line_end, pair_range};
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::syntax::yaml;
use crate::text::TextEdit;

/// The keys of version 4 at the root and in a level.
const ROOT_KEYS: [&str; 3] = ["version", "datadir", "hierarchy"];
const LEVEL_KEYS: [&str; 5] = ["name", "backend", "datadir", "path", "paths"];

/// The edits that convert a text to version 5; `None` if it is not a valid version 4.
pub(crate) fn conversion(text: &str) -> Option<Vec<TextEdit>> {
    let root = yaml::parse(text).root?;
    let members = Members::of(text, pairs_of(&root), &ROOT_KEYS)?;
    let version = members.get("version").filter(|it| text_of(it).is_some_and(|it| &**it == "4"))?;
    let mut edits = vec![TextEdit::replace(version.range, "5")];
    if let Some(pair) = members.pair("datadir") {
        // `defaults` is written on lines of its own, which is not possible in a hash in braces.
        if is_flow(text, &root) || in_lines(&pair.value, text).is_none() {
            return None;
        }
        edits.push(TextEdit::replace(pair_range(pair), defaults(text, &pair.value)));
    }
    if let Some(hierarchy) = members.get("hierarchy") {
        let NodeKind::Sequence(levels) = &hierarchy.kind else { return None };
        for level in levels {
            edits.extend(of_level(text, level)?);
        }
    }
    edits.sort_by_key(|edit| edit.range.start);
    Some(edits)
}

fn defaults(text: &str, datadir: &Node) -> String {
    let (datadir, end) = (datadir.range.slice(text), line_end(text));
    format!("defaults:{end}  datadir: {datadir}{end}  data_hash: yaml_data")
}

fn of_level(text: &str, level: &Node) -> Option<Vec<TextEdit>> {
    let members = Members::of(text, pairs_of(level), &LEVEL_KEYS)?;
    let (name, backend) = (members.pair("name")?, members.pair("backend")?);
    let (function, extension) = data_hash_backend(text_of(&backend.value)?)?;
    let extension = &*format!(".{extension}");
    let written = format!("data_hash: {function}");
    let mut edits = vec![TextEdit::replace(pair_range(backend), written)];
    match (members.get("path"), members.get("paths")) {
        (Some(path), None) => edits.extend(extended(text, path, extension)?),
        (None, Some(paths)) => {
            let NodeKind::Sequence(paths) = &paths.kind else { return None };
            for path in paths {
                edits.extend(extended(text, path, extension)?);
            }
        }
        (None, None) => edits.push(path_of_name(text, level, name, extension)?),
        (Some(_), Some(_)) => return None,
    }
    Some(edits)
}

/// The edit that adds a missing extension to a path; an empty list if the path has it.
fn extended(text: &str, path: &Node, extension: &str) -> Option<Vec<TextEdit>> {
    let plain = text_of(path)?;
    if plain.ends_with(extension) {
        return Some(Vec::new());
    }
    // The extension goes inside the quotes.
    let at = path.range.end - u32::from(path.range.slice(text).ends_with(['\'', '"']));
    in_lines(path, text)?;
    Some(vec![TextEdit::insert(at, extension)])
}

/// The edit that writes the path that follows from the level's name.
fn path_of_name(text: &str, level: &Node, name: &Pair, extension: &str) -> Option<TextEdit> {
    let path = text_of(&name.value)?;
    let path =
        if path.ends_with(extension) { path.to_string() } else { format!("{path}{extension}") };
    let path = in_style_of(&name.value, text, Format::Yaml, &path)?;
    let between = if is_flow(text, level) {
        ", ".to_owned()
    } else {
        let line = text[..name.key.range.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let indentation = " ".repeat(name.key.range.start as usize - line);
        format!("{}{indentation}", line_end(text))
    };
    let range = pair_range(name);
    Some(TextEdit::replace(range, format!("{}{between}path: {path}", range.slice(text))))
}

/// A value that is written on one line.
fn in_lines<'n>(node: &'n Node, text: &str) -> Option<&'n Node> {
    let is_scalar = matches!(node.kind, NodeKind::Scalar { .. });
    (is_scalar && !node.range.is_empty() && !node.range.slice(text).contains('\n')).then_some(node)
}

/// The pairs of a hash that has none but known keys, each once.
struct Members<'n> {
    pairs: &'n [Pair],
}

impl<'n> Members<'n> {
    fn of(text: &str, pairs: &'n [Pair], known: &[&str]) -> Option<Self> {
        let is_known = |pair: &Pair| {
            let name = pair.key.range.slice(text);
            let count = pairs.iter().filter(|it| it.key.range.slice(text) == name).count();
            // A key that version 4 does not have, or that is written twice, is left to the user.
            known.contains(&name) && count == 1
        };
        pairs.iter().all(is_known).then_some(Self { pairs })
    }

    fn pair(&self, name: &str) -> Option<&'n Pair> {
        self.pairs.iter().find(|pair| text_of(&pair.key).is_some_and(|key| &**key == name))
    }

    fn get(&self, name: &str) -> Option<&'n Node> {
        self.pair(name).map(|pair| &pair.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::apply_edits;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        for (text, expected) in [
            (text.to_owned(), expected.map(str::to_owned)),
            (text.replace('\n', "\r\n"), expected.map(|it| it.replace('\n', "\r\n"))),
        ] {
            let edits = conversion(&text);
            assert_eq!(edits.map(|edits| apply_edits(&text, &edits)), expected, "{text}");
        }
    }

    #[test]
    fn back_ends_extensions_and_the_directory() {
        check(
            "\
---
# Ours
version: 4
datadir: 'hieradata' # here
hierarchy:
  # per machine
  - name: Nodes
    backend: yaml
    path: \"nodes/%{trusted.certname}\" # one
  - name: \"common\"
    backend: json # since 2016
    datadir: other
  - {name: More, backend: hocon, paths: [a, 'b.conf']}
  - {name: last.yaml, backend: yaml}
",
            Some(
                "\
---
# Ours
version: 5
defaults:
  datadir: 'hieradata'
  data_hash: yaml_data # here
hierarchy:
  # per machine
  - name: Nodes
    data_hash: yaml_data
    path: \"nodes/%{trusted.certname}.yaml\" # one
  - name: \"common\"
    path: \"common.json\"
    data_hash: json_data # since 2016
    datadir: other
  - {name: More, data_hash: hocon_data, paths: [a.conf, 'b.conf']}
  - {name: last.yaml, path: last.yaml, data_hash: yaml_data}
",
            ),
        );
        check("version: 4\n", Some("version: 5\n"));
    }

    #[test]
    fn what_puppet_refuses_is_left_alone() {
        check("version: 5\n", None);
        check("version: 4\nhierarchy: [{name: a, backend: mysql}]\n", None);
        check("version: 4\nhierarchy: [{name: a}]\n", None);
        check("version: 4\nhierarchy: [{name: a, backend: yaml, glob: x}]\n", None);
        check("version: 4\nhierarchy: [{name: a, backend: yaml, path: x, paths: [y]}]\n", None);
        check("version: 4\ndefaults: {}\n", None);
        check("{version: 4, datadir: x}\n", None);
    }
}
