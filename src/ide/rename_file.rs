//! Renames of data files and directories: adapts the paths and data directories of `hiera.yaml` that name them literally.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::flow_yaml::flow_text;
use super::labelled_edits::{EditLabel, LabelledEdit, LabelledEdits, LabelledFile};
use super::pair_edits::insert_first;
use super::rename::inside_string;
use crate::data::{Files as _, Format, PathKind, scalar};
use crate::syntax::tree::{NodeKind, Pair};
use crate::syntax::yaml;
use crate::text::edit::apply_edits;
use crate::text::{TextEdit, TextRange};
use crate::world::{DataPlace, World, paths};

/// The edits that keep every `hiera.yaml` correct when `old` is renamed to `new`. A path or `datadir` with `%{…}` is adapted
/// if the part before it names the directory.
pub fn rename_file(world: &Arc<World>, old: &str, new: &str) -> LabelledEdits {
    if !new.contains("%{") {
        let mut edits = edits_of(world, old, new);
        // If something has to be changed by hand, it is not known what levels will read.
        if edits.warnings.is_empty() {
            edits.warnings = losses(world, &edits.files, old, new);
        }
        return edits;
    }
    // In a path, Puppet allows no `%{literal('%')}`.
    let LabelledEdits { files, mut warnings } = edits_of(world, old, &new.replace("%{", "%"));
    let warning = |it: LabelledFile| {
        let config = it.path;
        format!(
            "{config} keeps its paths: in a path, `%{{` starts a variable, so none can name {new}."
        )
    };
    warnings.extend(files.into_iter().map(warning));
    LabelledEdits { files: Vec::new(), warnings }
}

/// An edit of `hiera.yaml`; `Err` has the path that must be adapted by hand.
type EditOrPath = Result<TextEdit, String>;

fn edits_of(world: &Arc<World>, old: &str, new: &str) -> LabelledEdits {
    let mut files: BTreeMap<Arc<str>, Vec<LabelledEdit>> = BTreeMap::new();
    let mut warnings = BTreeSet::new();
    let mut kept = BTreeSet::new();
    for environment in world.environments().iter() {
        let reach = world.reach(environment);
        for place in reach.places.iter().chain(&reach.places_of_plans) {
            let edits = [
                edit_of_path(world, place, old, new),
                edit_of_datadir(world, place, old, new),
                datadir_to_write(world, place, old, new).map(Ok),
            ];
            if edits.iter().any(Option::is_some) && is_pattern_in_glob(place, new) {
                kept.insert(place.config.clone());
            }
            for edit in edits.into_iter().flatten() {
                match edit {
                    Ok(edit) => {
                        let edits = files.entry(place.config.clone()).or_default();
                        edits.push(LabelledEdit { edit, label: EditLabel::HieraYaml });
                    }
                    Err(path) => {
                        let config = &place.config;
                        warnings.insert(format!(
                            "{config} keeps the path `{path}`: change it by hand, because of the way in which it is written."
                        ));
                    }
                }
            }
        }
    }
    // Other levels may share the data directory of a glob, so nothing in the file is edited.
    for config in kept {
        files.remove(&config);
        warnings.insert(format!(
            "{config} keeps its paths: a glob would read {new} as a pattern. Choose another name, or change them by hand."
        ));
    }
    let change = |(path, mut edits): (Arc<str>, Vec<LabelledEdit>)| {
        // Levels and environments may share a path, so the same edit may be found several times.
        edits.sort_unstable();
        edits.dedup();
        LabelledFile { path, edits }
    };
    let files = files.into_iter().map(change).collect();
    LabelledEdits { files, warnings: warnings.into_iter().collect() }
}

/// Whether a glob would read the path `new` in another way than as a name.
fn is_pattern_in_glob(place: &DataPlace, new: &str) -> bool {
    let root = paths::parent(&place.config).unwrap_or("/");
    place.template().is_glob && relative(root, new).contains(['*', '?', '[', '{', '\\'])
}

/// Names the levels that no longer read a file after the rename and the edits of `hiera.yaml` files.
fn losses(world: &Arc<World>, files: &[LabelledFile], old: &str, new: &str) -> Vec<String> {
    let edited = |file: &LabelledFile| {
        let edits: Vec<TextEdit> = file.edits.iter().map(|it| it.edit.clone()).collect();
        let text = world.text(&file.path).ok()?;
        Some((file.path.clone(), apply_edits(&text, &edits).into()))
    };
    let after = world.as_if(&files.iter().filter_map(edited).collect::<Vec<_>>());
    let mut lost: BTreeMap<(Arc<str>, Arc<str>), BTreeSet<String>> = BTreeMap::new();
    for environment in world.environments().iter() {
        let (before, after) = (world.reach(environment), after.reach(environment));
        let files = world.data_files(environment);
        let files = files.iter().map(|(path, _)| &**path).chain([old]);
        let moves: BTreeMap<&str, String> = files
            .filter(|it| paths::below(old, it).is_some() && world.kind(it) == PathKind::File)
            .map(|it| (it, moved(it, old, new)))
            .collect();
        for place in before.places.iter().chain(&before.places_of_plans) {
            // A `hiera.yaml` that is renamed as well takes its relative paths along.
            if paths::below(old, &place.config).is_some() {
                continue;
            }
            let places = after.places.iter().chain(&after.places_of_plans);
            let of_level = places.filter(|it| it.config == place.config && it.level == place.level);
            let of_level: Vec<&DataPlace> = of_level.collect();
            let is_lost = |from: &str, to: &str| {
                reads(place, from) && !of_level.iter().any(|it| reads(it, to))
            };
            for (_, to) in moves.iter().filter(|(from, to)| is_lost(from, to)) {
                let level = (place.config.clone(), place.level.clone());
                lost.entry(level).or_default().insert(to.clone());
            }
        }
    }
    let message = |((config, level), files): ((Arc<str>, Arc<str>), BTreeSet<String>)| {
        let what = match (files.len(), files.first()) {
            (1, Some(file)) => file.clone(),
            (count, _) => format!("{count} files below {new}"),
        };
        format!(
            "The level `{level}` of {config} no longer reads {what}: add a path that leads there, or choose another name."
        )
    };
    lost.into_iter().map(message).collect()
}

/// Whether the path of a level leads to `path` for some node whose facts have no slashes, as those of most nodes.
fn reads(place: &DataPlace, path: &str) -> bool {
    let slashes = |path: &str| path.matches('/').count();
    let written = paths::join(place.datadir(), place.location());
    let is_as_deep = place.template().is_glob || slashes(&written) == slashes(path);
    is_as_deep && place.reaches(path)
}

/// The edit of a level's path, if the renamed file or directory is written in it, or if it leads out of a renamed `datadir`.
fn edit_of_path(world: &World, place: &DataPlace, old: &str, new: &str) -> Option<EditOrPath> {
    let at = place.template_place?.range;
    let (datadir, location) = (place.datadir(), place.location());
    let literal = literal_names(location);
    // `./a` and `b/../a` lead to the same file as `a`, and `a/../a` leads there twice.
    let leading = starts(literal).filter(|it| paths::join(datadir, it) == old).last();
    if paths::is_absolute(location) {
        let after = absolute_after(place, old, old, new)?;
        return Some(written_otherwise(world, place, (at, location), leading?, &after));
    }
    if datadir.contains("%{") {
        return None;
    }
    let datadir_after = moved(datadir, old, new);
    let (part, target) = if datadir_after == datadir {
        (leading?, new.to_owned())
    } else {
        (literal, moved(&paths::join(datadir, literal), old, new))
    };
    if paths::join(&datadir_after, part) == target {
        return None;
    }
    let after = relative(&datadir_after, &target);
    if after.is_empty() {
        return Some(Err(location.to_owned()));
    }
    let after = in_the_style_of(part, after);
    Some(written_otherwise(world, place, (at, location), part, &after))
}

/// The edit of a level's `datadir`, if it is in the renamed directory, or leads out of it.
fn edit_of_datadir(world: &World, place: &DataPlace, old: &str, new: &str) -> Option<EditOrPath> {
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
        return Some(written_otherwise(world, place, (at, written), literal, &after));
    }
    // If the directory of the `hiera.yaml` is renamed as well, most of its relative paths stay correct.
    let root_after = moved(root, old, new);
    let after = relative(&root_after, &target_after);
    if after.is_empty() || after == relative(root, &target) {
        return None;
    }
    let after = in_the_style_of(literal, after);
    Some(written_otherwise(world, place, (at, written), literal, &after))
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

/// The edit that replaces the start `old` of the string `whole` with `new`. The string is at a place of a `hiera.yaml`.
fn written_otherwise(
    world: &World,
    place: &DataPlace,
    (at, whole): (TextRange, &str),
    old: &str,
    new: &str,
) -> EditOrPath {
    let kept = || whole.to_owned();
    let file = world.file(&place.config).map_err(|_| kept())?;
    let written = at.slice(&file.text);
    let quote = written.chars().next().filter(|it| matches!(it, '\'' | '"'));
    let content = written.trim_start_matches(['\'', '"']);
    if let Some(rest) = content.strip_prefix(old)
        && (quote.is_some() || !rest.contains('\n'))
    {
        let plain = [new, rest].concat();
        if quote.is_none() && !is_plain_string(&plain) {
            return Ok(TextEdit::replace(at, flow_text(&plain)));
        }
        let start = at.start + (written.len() - content.len()) as u32;
        let range = TextRange::new(start, start + old.len() as u32);
        return Ok(TextEdit::replace(range, inside_string(Format::Yaml, written, new)));
    }
    // The start is written with escapes or on several lines, so the whole string is written again.
    if !is_written_as(whole, written) {
        return Err(kept());
    }
    let after = [new, whole.strip_prefix(old).ok_or_else(kept)?].concat();
    let text = match quote.filter(|_| !after.contains(char::is_control)) {
        Some(quote) => format!("{quote}{}{quote}", inside_string(Format::Yaml, written, &after)),
        None => flow_text(&after),
    };
    Ok(TextEdit::replace(at, text))
}

/// Whether YAML reads the text `written` as this string, without a comment in it.
fn is_written_as(string: &str, written: &str) -> bool {
    let has_comment = written.starts_with(['|', '>'])
        && written.lines().next().is_some_and(|it| it.contains('#'));
    let root = yaml::parse(written).root;
    !has_comment
        && matches!(root.map(|it| it.kind), Some(NodeKind::Scalar { text, .. }) if *text == *string)
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

    #[track_caller]
    fn check_warnings(hierarchy: &str, old: &str, new: &str, expected: &[&str]) {
        let files = "#- /data/common.yaml\na: 1\n#- /data/nodes/a.yaml\na: 2\n#- /data/nodes/b.yaml\na: 3\n";
        let fixture = Fixture::parse(&format!("#- /hiera.yaml\n{hierarchy}{files}"));
        assert_eq!(rename_file(&fixture.world(), old, new).warnings, expected);
    }

    #[test]
    fn a_level_that_loses_a_file_is_told() {
        let lost = |level: &str, what: &str| {
            format!(
                "The level `{level}` of /repo/hiera.yaml no longer reads {what}: add a path that leads there, or choose another name."
            )
        };
        let of = |what: &str| [lost("All", what), lost("Nodes", what)];
        let nodes = "/repo/data/nodes";
        for (old, new, what) in [
            ("/a.yaml", "/old/a.yaml", "/repo/data/nodes/old/a.yaml"),
            ("/a.yaml", "/../a.yaml", "/repo/data/a.yaml"),
            ("/b.yaml", "/b.yaml.bak", "/repo/data/nodes/b.yaml.bak"),
        ] {
            let new = paths::join(nodes, &new[1..]);
            check_warnings(
                HIERARCHY,
                &format!("{nodes}{old}"),
                &new,
                &of(what).each_ref().map(|it| &**it),
            );
        }
        for (old, new) in
            [("data/nodes/a.yaml", "data/nodes/c.yaml"), ("data/nodes", "hosts"), ("data", "x")]
        {
            check_warnings(HIERARCHY, &format!("/repo/{old}"), &format!("/repo/{new}"), &[]);
        }
        check_warnings(HIERARCHY, "/repo/data/common.yaml", "/repo/data/c.yaml", &[]);
        check_warnings(HIERARCHY, "/repo", "/elsewhere", &[]);
        let several = "version: 5\nhierarchy: [{name: All, paths: ['nodes/%{facts.x}.yaml', '%{facts.y}.yaml']}]\n";
        check_warnings(several, "/repo/data/nodes/a.yaml", "/repo/data/a.yaml", &[]);
        let variable = "version: 5\nhierarchy: [{name: All, path: '%{facts.x}/%{facts.y}.yaml'}]\n";
        let what = lost("All", "2 files below /repo/nodes");
        check_warnings(variable, nodes, "/repo/nodes", &[&what]);
    }

    #[test]
    fn a_name_that_a_glob_reads_as_a_pattern_is_not_written() {
        let kept = |new: &str| {
            format!(
                "/repo/hiera.yaml keeps its paths: a glob would read {new} as a pattern. Choose another name, or change them by hand."
            )
        };
        for (old, new) in
            [("/repo/data", "/repo/[x]data"), ("/repo/data/nodes", "/repo/data/{nodes}")]
        {
            check(old, new, &[]);
            check_warnings(HIERARCHY, old, new, &[&kept(new)]);
        }
        let paths = "version: 5\nhierarchy: [{name: A, path: nodes/a.yaml}]\n";
        let edit = [("nodes/a.yaml", "'[x]/a.yaml'")];
        check_in(paths, "/repo/data/nodes", "/repo/data/[x]", &edit);
    }

    #[test]
    fn the_hierarchy_of_plans_is_adapted() {
        let hierarchy = "version: 5
defaults: {datadir: data, data_hash: yaml_data}
hierarchy: [{name: Common, path: common.yaml}]
plan_hierarchy: [{name: Static, path: static.yaml, datadir: data }]
";
        let both = [("datadir: data,", "datadir: hiera,"), ("datadir: data }", "datadir: hiera }")];
        check_in(hierarchy, "/repo/data", "/repo/hiera", &both);
        let edit = [("static.yaml", "plans.yaml")];
        check_in(hierarchy, "/repo/data/static.yaml", "/repo/data/plans.yaml", &edit);
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
            &[("./nodes/../nodes/", "./hosts/")],
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
    fn a_way_back_into_the_directory_is_followed() {
        let hierarchy = "version: 5
hierarchy:
  - {name: Sub, paths: [sub/../sub/x.yaml, sub/../other.yaml, sub//a.yaml, a/../sub/../sub/b.yaml]}
  - {name: Out, paths: [../data/c.yaml, /repo/data/sub/../sub/c.yaml]}
";
        let both = [
            ("[sub/../sub/x", "[sub2/x"),
            (" sub/../other", " sub2/../other"),
            (" sub//a", " sub2/a"),
            ("a/../sub/../sub/", "sub2/"),
            ("/repo/data/sub/../sub/", "/repo/data/sub2/"),
        ];
        check_in(hierarchy, "/repo/data/sub", "/repo/data/sub2", &both);
        let written = "defaults: {datadir: 'data2', data_hash: yaml_data}\nversion: 5";
        let both =
            [("version: 5", written), ("../data/c", "c"), ("/repo/data/sub/..", "/repo/data2")];
        check_in(hierarchy, "/repo/data", "/repo/data2", &both);
    }

    #[test]
    fn paths_with_escapes_and_on_several_lines_are_written_again() {
        let hierarchy = "version: 5
defaults: {datadir: \"d\\x61ta\", data_hash: yaml_data}
hierarchy:
  - name: a
    path: >-
      common.yaml
  - name: b
    path: \"\\u00e9.yaml\"
  - name: c
    path: plain
      name/%{facts.role}.yaml
  - {name: d, paths: ['it''s.yaml', other]}
";
        for (old, new, edit) in [
            ("common.yaml", "global.yaml", (">-\n      common.yaml", "global.yaml")),
            ("common.yaml", "a b.yaml", (">-\n      common.yaml", "'a b.yaml'")),
            ("é.yaml", "e\"x.yaml", ("\\u00e9.yaml", "e\\\"x.yaml")),
            ("plain name", "plain", ("plain\n      name/%{facts.role}", "\"plain/%{facts.role}")),
            ("it's.yaml", "that's.yaml", ("it''s", "that''s")),
        ] {
            let edits = [edit, ("role}.yaml\n", "role}.yaml\"\n")];
            let edits = if old.starts_with("plain") { &edits[..] } else { &edits[..1] };
            check_in(hierarchy, &format!("/repo/data/{old}"), &format!("/repo/data/{new}"), edits);
        }
        check_in(hierarchy, "/repo/data", "/repo/dáta", &[("d\\x61ta", "dáta")]);
    }

    #[test]
    fn a_path_that_is_not_adapted_is_told() {
        let fixture = Fixture::parse(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: a\n    path: >- # why\n      common.yaml\n",
        );
        let done = rename_file(&fixture.world(), "/repo/data/common.yaml", "/repo/data/x.yaml");
        assert_eq!(done.files, []);
        assert_eq!(
            done.warnings,
            [
                "/repo/hiera.yaml keeps the path `common.yaml`: change it by hand, because of the way in which it is written."
            ]
        );
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
