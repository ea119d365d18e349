//! Renames of data files and directories: adapts the paths and data directories of `hiera.yaml` that name them literally.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::flow_yaml::flow_text;
use super::labelled_edits::{EditLabel, LabelledEdit, LabelledEdits, LabelledFile};
use super::pair_edits::insert_first;
use super::rename::inside_string;
use crate::data::{Files as _, Format, scalar};
use crate::syntax::tree::{NodeKind, Pair};
use crate::syntax::yaml;
use crate::text::{TextEdit, TextRange};
use crate::world::{DataPlace, World, paths};

/// The edits that keep every `hiera.yaml` correct when `old` is renamed to `new`. A path or `datadir` with `%{…}` is adapted
/// if the part before it names the directory.
pub fn rename_file(world: &Arc<World>, old: &str, new: &str) -> LabelledEdits {
    if !new.contains("%{") {
        return edits_of(world, old, new);
    }
    // In a path, Puppet allows no `%{literal('%')}`.
    let files = edits_of(world, old, &new.replace("%{", "%")).files;
    let warning = |it: LabelledFile| {
        let config = it.path;
        format!(
            "{config} keeps its paths: in a path, `%{{` starts a variable, so none can name {new}."
        )
    };
    LabelledEdits { files: Vec::new(), warnings: files.into_iter().map(warning).collect() }
}

fn edits_of(world: &Arc<World>, old: &str, new: &str) -> LabelledEdits {
    let mut files: BTreeMap<Arc<str>, Vec<LabelledEdit>> = BTreeMap::new();
    for environment in world.environments().iter() {
        for place in &world.reach(environment).places {
            let edits = [
                edit_of_path(world, place, old, new),
                edit_of_datadir(world, place, old, new),
                datadir_to_write(world, place, old, new),
            ];
            for edit in edits.into_iter().flatten() {
                let edits = files.entry(place.config.clone()).or_default();
                edits.push(LabelledEdit { edit, label: EditLabel::HieraYaml });
            }
        }
    }
    let change = |(path, mut edits): (Arc<str>, Vec<LabelledEdit>)| {
        // Levels and environments may share a path, so the same edit may be found several times.
        edits.sort_unstable();
        edits.dedup();
        LabelledFile { path, edits }
    };
    LabelledEdits { files: files.into_iter().map(change).collect(), warnings: Vec::new() }
}

/// The edit of a level's path, if the renamed file or directory is written in it, or if it leads out of a renamed `datadir`.
fn edit_of_path(world: &World, place: &DataPlace, old: &str, new: &str) -> Option<TextEdit> {
    let at = place.template_place?.range;
    let datadir = place.datadir();
    let literal = literal_names(place.location());
    if paths::is_absolute(place.location()) {
        let after = absolute_after(place, literal, old, new)?;
        return written_otherwise(world, place, at, literal, &after);
    }
    if datadir.contains("%{") {
        return None;
    }
    let datadir_after = moved(datadir, old, new);
    let (part, target) = if datadir_after == datadir {
        // `./a` and `b/../a` lead to the same file as `a`.
        let mut parts = starts(literal);
        (parts.find(|it| paths::join(datadir, it) == old)?, new.to_owned())
    } else {
        (literal, moved(&paths::join(datadir, literal), old, new))
    };
    let before = relative(datadir, &paths::join(datadir, part));
    let after = relative(&datadir_after, &target);
    if after.is_empty() || after == before {
        return None;
    }
    written_otherwise(world, place, at, part, &in_the_style_of(part, after))
}

/// The edit of a level's `datadir`, if it is in the renamed directory, or leads out of it.
fn edit_of_datadir(world: &World, place: &DataPlace, old: &str, new: &str) -> Option<TextEdit> {
    let at = place.written_datadir.place?.range;
    let written = place.written_datadir.value.as_str()?;
    // For a directory with `%{…}`, only the directories before the first `%{…}` are used.
    let literal = match written.split_once("%{") {
        Some((before, _)) => before.rsplit_once('/')?.0,
        None => written.trim_end_matches('/'),
    };
    let root = paths::parent(&place.config)?;
    if literal.is_empty() {
        return None;
    }
    let target = paths::join(root, literal);
    let target_after = moved(&target, old, new);
    if paths::is_absolute(literal) {
        let after = absolute_after(place, &target, old, new)?;
        return written_otherwise(world, place, at, literal, &after);
    }
    // If the directory of the `hiera.yaml` is renamed as well, most of its relative paths stay correct.
    let root_after = moved(root, old, new);
    let after = relative(&root_after, &target_after);
    if after.is_empty() || after == relative(root, &target) {
        return None;
    }
    written_otherwise(world, place, at, literal, &in_the_style_of(literal, after))
}

/// The edit that writes the data directory of a `hiera.yaml` which does not name it, if that directory is renamed.
fn datadir_to_write(world: &World, place: &DataPlace, old: &str, new: &str) -> Option<TextEdit> {
    if place.written_datadir.place.is_some() {
        return None;
    }
    let root = paths::parent(&place.config)?;
    let target = paths::join(root, place.written_datadir.value.as_str()?);
    let after = relative(&moved(root, old, new), &moved(&target, old, new));
    if after.is_empty() || after == relative(root, &target) {
        return None;
    }
    let text = &*world.text(&place.config).ok()?;
    let tree = yaml::parse(text).root?;
    let after = inside_string(Format::Yaml, "''", &after);
    let NodeKind::Mapping(pairs) = &tree.kind else { return None };
    let is_defaults = |pair: &&Pair| matches!(&pair.key.kind, NodeKind::Scalar { text, .. } if **text == *"defaults");
    if let Some(pair) = pairs.iter().find(is_defaults) {
        let datadir = format!("'{after}'");
        return insert_first(text, Format::Yaml, &pair.value, &[("datadir", &datadir)]);
    }
    // With `defaults`, Puppet no longer uses the default function, so that is written, too.
    let defaults = format!("{{datadir: '{after}', data_hash: yaml_data}}");
    insert_first(text, Format::Yaml, &tree, &[("defaults", &defaults)])
}

/// An absolute path of a `hiera.yaml` after `old` is renamed to `new`; `None` if it stays. A copy of the whole repository may be
/// deployed at that path, so it is not adapted to a move of the repository.
fn absolute_after(place: &DataPlace, path: &str, old: &str, new: &str) -> Option<String> {
    let after = moved(path, old, new);
    let is_moved = after != path && paths::below(old, paths::parent(&place.config)?).is_none();
    is_moved.then_some(after)
}

/// `path` after `old` is renamed to `new`.
fn moved(path: &str, old: &str, new: &str) -> String {
    match paths::below(old, path) {
        Some("") => new.to_owned(),
        Some(rest) => paths::join(new, rest),
        None => path.to_owned(),
    }
}

/// The names at the start of a path or glob that are not patterns. `a` is not the directory of `ab/c`, so only whole names
/// count.
fn literal_names(location: &str) -> &str {
    match location.find(['%', '*', '?', '[', '{']) {
        Some(pattern) => location[..pattern].rsplit_once('/').map_or("", |(names, _)| names),
        None => location,
    }
}

/// `a`, `a/b` and `a/b/c` of `a/b/c`.
fn starts(path: &str) -> impl Iterator<Item = &str> {
    let slashes = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    slashes.map(|end| &path[..end]).filter(|it| !it.is_empty())
}

/// A relative path, with the `./` that `written` starts with.
fn in_the_style_of(written: &str, path: String) -> String {
    let is_below = !path.starts_with("../") && !paths::is_absolute(&path);
    if written.starts_with("./") && is_below { format!("./{path}") } else { path }
}

/// The edit that replaces the start `old` of a string in a `hiera.yaml` with `new`.
fn written_otherwise(
    world: &World,
    place: &DataPlace,
    at: TextRange,
    old: &str,
    new: &str,
) -> Option<TextEdit> {
    let file = world.file(&place.config).ok()?;
    let written = at.slice(&file.text);
    let begin =
        written.find(old).filter(|begin| written[..*begin].trim_matches(['\'', '"']).is_empty())?;
    let is_plain = !written.starts_with(['\'', '"']);
    let whole = [&written[..begin], new, &written[begin + old.len()..]].concat();
    if is_plain && !is_plain_string(&whole) {
        return Some(TextEdit::replace(at, flow_text(&whole)));
    }
    let start = at.start + begin as u32;
    let range = TextRange::new(start, start + old.len() as u32);
    Some(TextEdit::replace(range, inside_string(Format::Yaml, written, new)))
}

/// Whether YAML reads the text as a string without quotes, also in braces.
fn is_plain_string(text: &str) -> bool {
    let list = format!("[{text}]");
    let parsed = yaml::parse(&list);
    let Some(NodeKind::Sequence(items)) = parsed.root.map(|it| it.kind) else { return false };
    let [only] = items.as_slice() else { return false };
    let NodeKind::Scalar { text: read, .. } = &only.kind else { return false };
    parsed.error.is_none() && **read == *text && scalar::is_string(text)
}

/// `path` relative to `directory`.
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
    fn check_in(hierarchy: &str, old: &str, new: &str, expected: &[(&str, &str)]) {
        let fixture =
            Fixture::parse(&format!("#- /hiera.yaml\n{hierarchy}#- /data/common.yaml\na: 1\n"));
        let edit = rename_file(&fixture.world(), old, new);
        let mut text = hierarchy.to_owned();
        for change in &edit.files {
            let LabelledFile { path, edits } = change;
            assert_eq!(&**path, "/repo/hiera.yaml");
            let edits: Vec<_> = edits.iter().map(|it| it.edit.clone()).collect();
            text = apply_edits(&text, &edits);
        }
        let mut wanted = hierarchy.to_owned();
        for (from, to) in expected {
            wanted = wanted.replacen(from, to, 1);
        }
        assert_eq!(text, wanted);
    }

    #[track_caller]
    fn check(old: &str, new: &str, expected: &[(&str, &str)]) {
        check_in(HIERARCHY, old, new, expected);
    }

    #[test]
    fn a_path_gets_the_quotes_that_its_new_name_needs() {
        let written = "paths: [\"common.yaml\", other/common.yaml]";
        for (name, new) in [
            ("a, b.yaml", "paths: [\"common.yaml\", 'other/a, b.yaml']"),
            ("a #b.yaml", "paths: [\"common.yaml\", 'other/a #b.yaml']"),
            ("it's.yaml", "paths: [\"common.yaml\", other/it's.yaml]"),
            // No path of a level can name this file.
            ("%{x}.yaml", written),
        ] {
            let new_path = format!("/repo/data/other/{name}");
            check("/repo/data/other/common.yaml", &new_path, &[(written, new)]);
        }
        let hierarchy = "version: 5\nhierarchy:\n  - name: C\n    path: common.yaml\n";
        for (name, new) in [("@c.yaml", "path: '@c.yaml'\n"), ("12", "path: '12'\n")] {
            let new_path = format!("/repo/data/{name}");
            let expected = [("path: common.yaml\n", new)];
            check_in(hierarchy, "/repo/data/common.yaml", &new_path, &expected);
        }
    }

    #[test]
    fn a_name_that_no_path_can_have_is_told() {
        let fixture = Fixture::parse(&format!("#- /hiera.yaml\n{HIERARCHY}"));
        let warnings =
            |old: &str| rename_file(&fixture.world(), old, "/repo/data/%{x}.yaml").warnings;
        assert_eq!(
            warnings("/repo/data/common.yaml"),
            [
                "/repo/hiera.yaml keeps its paths: in a path, `%{` starts a variable, so none can name /repo/data/%{x}.yaml."
            ]
        );
        assert_eq!(warnings("/repo/data/more.yaml"), [""; 0]);
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

    #[test]
    fn dots_are_followed() {
        let hierarchy = "version: 5
defaults: {datadir: ./data, data_hash: yaml_data}
hierarchy:
  - {name: Common, path: ./common.yaml}
  - {name: Nodes, path: './nodes/../nodes/%{trusted.certname}.yaml'}
  - {name: Shared, path: \"../shared/a.yaml\"}
  - {name: Other, path: x.yaml, datadir: ../other/data}
";
        check_in(
            hierarchy,
            "/repo/data/common.yaml",
            "/repo/data/base.yaml",
            &[("./common.yaml", "./base.yaml")],
        );
        check_in(
            hierarchy,
            "/repo/data/common.yaml",
            "/repo/base.yaml",
            &[("./common.yaml", "../base.yaml")],
        );
        check_in(
            hierarchy,
            "/repo/data/nodes",
            "/repo/data/hosts",
            &[("./nodes/..", "./hosts/..")],
        );
        check_in(hierarchy, "/repo/shared", "/repo/all", &[("../shared/", "../all/")]);
        check_in(
            hierarchy,
            "/repo/data",
            "/repo/x/data",
            &[("./data", "./x/data"), ("../shared/", "../../shared/")],
        );
        check_in(hierarchy, "/other", "/more/other", &[("../other/", "../more/other/")]);
        check_in(hierarchy, "/repo", "/more/repo", &[("../other/", "../../other/")]);
    }

    #[test]
    fn absolute_paths_are_followed() {
        let hierarchy = "version: 5
hierarchy:
  - {name: Nodes, path: '/repo/data/nodes/%{trusted.certname}.yaml', datadir: '%{environment}'}
  - {name: Common, path: /repo/data/common.yaml}
";
        check_in(
            hierarchy,
            "/repo/data/common.yaml",
            "/repo/data/base.yaml",
            &[("/repo/data/common.yaml", "/repo/data/base.yaml")],
        );
        let nodes = ("'/repo/data/nodes/%", "'/repo/hosts/%");
        check_in(hierarchy, "/repo/data/nodes", "/repo/hosts", &[nodes]);
        check_in(hierarchy, "/repo/data/nod", "/repo/hosts", &[]);
        check_in(hierarchy, "/repo", "/elsewhere", &[]);
    }

    #[test]
    fn a_data_directory_that_is_not_written_is_written() {
        let written = "defaults: {datadir: 'hieradata', data_hash: yaml_data}\nversion: 5";
        check("/repo/data", "/repo/hieradata", &[("version: 5", written)]);
        check("/repo/data/common.yaml/x", "/repo/y", &[]);
        check("/repo", "/elsewhere", &[]);
        let hierarchy = "version: 5
defaults:
  data_hash: yaml_data
hierarchy: [{name: Common, path: common.yaml}]
";
        let written = "  datadir: 'hier''a'\n  data_hash";
        check_in(hierarchy, "/repo/data", "/repo/hier'a", &[("  data_hash", written)]);
    }

    #[test]
    fn a_data_directory_is_followed() {
        let hierarchy = "version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Sites, path: common.yaml, datadir: 'data/sites/%{facts.site}'}
  - {name: Other, path: data.yaml, datadir: \"other/data/\"}
  - {name: Absolute, path: data.yaml, datadir: /repo/data/x}
";
        check_in(
            hierarchy,
            "/repo/data",
            "/repo/hieradata",
            &[
                ("datadir: data,", "datadir: hieradata,"),
                ("'data/sites/%", "'hieradata/sites/%"),
                ("/repo/data/x", "/repo/hieradata/x"),
            ],
        );
        check_in(
            hierarchy,
            "/repo/other",
            "/repo/more/other",
            &[("\"other/data/\"", "\"more/other/data/\"")],
        );
        check_in(hierarchy, "/repo/data/sites", "/repo/sites", &[("'data/sites/", "'sites/")]);
        check_in(hierarchy, "/repo/dat", "/repo/x", &[]);
        check_in(hierarchy, "/repo", "/elsewhere", &[]);
    }
}
