//! A data file or directory gets another name: the paths of `hiera.yaml` that name it literally follow.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::labelled_edits::{EditLabel, LabelledEdit, LabelledEdits, LabelledFile};
use super::rename::inside_string;
use crate::data::Format;
use crate::text::{TextEdit, TextRange};
use crate::world::{DataPlace, World, paths};

/// The edits that keep every `hiera.yaml` right when `old` is called `new`. A path with `%{…}` follows if the part in
/// front of that names the directory.
pub fn rename_file(world: &Arc<World>, old: &str, new: &str) -> LabelledEdits {
    let mut files: BTreeMap<Arc<str>, Vec<LabelledEdit>> = BTreeMap::new();
    for environment in world.environments().iter() {
        for place in &world.reach(environment).places {
            if let Some(edit) = edit_of(world, place, old, new) {
                let edits = files.entry(place.config.clone()).or_default();
                edits.push(LabelledEdit { edit, label: EditLabel::HieraYaml });
            }
        }
    }
    let change = |(path, mut edits): (Arc<str>, Vec<LabelledEdit>)| {
        edits.sort_unstable();
        edits.dedup();
        LabelledFile { path, edits }
    };
    LabelledEdits { files: files.into_iter().map(change).collect(), warnings: Vec::new() }
}

fn edit_of(world: &World, place: &DataPlace, old: &str, new: &str) -> Option<TextEdit> {
    let at = place.template_place?.range;
    let datadir = place.datadir();
    if datadir.contains("%{") || paths::is_absolute(place.location()) {
        return None;
    }
    let old = paths::below(datadir, old).filter(|it| !it.is_empty())?;
    let rest = place.location().strip_prefix(old)?;
    if !(rest.is_empty() || rest.starts_with('/')) || old.contains(['%', '*', '?', '[', '{']) {
        return None;
    }
    let new = relative(datadir, new);
    let file = world.file(&place.config).ok()?;
    let written = at.slice(&file.text);
    let begin =
        written.find(old).filter(|begin| written[..*begin].trim_matches(['\'', '"']).is_empty())?;
    let start = at.start + begin as u32;
    let range = TextRange::new(start, start + old.len() as u32);
    Some(TextEdit::replace(range, inside_string(Format::Yaml, written, &new)))
}

/// `path` as it is written from `directory`.
fn relative(directory: &str, path: &str) -> String {
    let mut up = String::new();
    let mut around = directory;
    loop {
        if let Some(rest) = paths::below(around, path) {
            return up + rest;
        }
        let Some(parent) = paths::parent(around) else { return path.to_owned() };
        around = parent;
        up.push_str("../");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::text::edit::apply_edits;

    const HIERARCHY: &str = "version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, paths: [\"common.yaml\", other/common.yaml]} # common.yaml
  - {name: All, glob: 'nodes/*.yaml'}
";

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[(&str, &str)]) {
        let fixture =
            Fixture::parse(&format!("#- /hiera.yaml\n{HIERARCHY}#- /data/common.yaml\na: 1\n"));
        let edit = rename_file(&fixture.world(), old, new);
        let mut text = HIERARCHY.to_owned();
        for change in &edit.files {
            let LabelledFile { path, edits } = change;
            assert_eq!(&**path, "/repo/hiera.yaml");
            let edits: Vec<_> = edits.iter().map(|it| it.edit.clone()).collect();
            text = apply_edits(&text, &edits);
        }
        let mut wanted = HIERARCHY.to_owned();
        for (from, to) in expected {
            wanted = wanted.replacen(from, to, 1);
        }
        assert_eq!(text, wanted);
    }

    #[test]
    fn a_literal_path_follows_its_file() {
        check(
            "/repo/data/common.yaml",
            "/repo/data/base.yaml",
            &[("\"common.yaml\"", "\"base.yaml\"")],
        );
        check(
            "/repo/data/other/common.yaml",
            "/repo/data/o'c.yaml",
            &[("other/common.yaml", "o'c.yaml")],
        );
        check(
            "/repo/data/common.yaml",
            "/repo/more/c.yaml",
            &[("\"common.yaml\"", "\"../more/c.yaml\"")],
        );
        check("/repo/data/nodes/web01.yaml", "/repo/data/nodes/web02.yaml", &[]);
        check("/repo/data/mon.yaml", "/repo/data/x.yaml", &[]);
    }

    #[test]
    fn a_directory_takes_its_paths_along() {
        let both = [("'nodes/%", "'hosts/%"), ("'nodes/*", "'hosts/*")];
        check("/repo/data/nodes", "/repo/data/hosts", &both);
    }
}
