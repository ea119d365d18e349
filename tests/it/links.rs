//! Symbolic links in data directories, on a real disk.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use hiera_ls::data::{Files as _, inspect};
use hiera_ls::engine::{CancelToken, Request};
use hiera_ls::ide::{ActionKind, FileChange, actions, rename};
use hiera_ls::text::{BufferEdit, Encoding, TextRange};
use hiera_ls::world::{Change, Disk, Host};

const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                          - {name: c, path: common.yaml}\n";

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, text).expect("a file");
}

/// The links to `path` in the folder, which is opened as `opened`.
#[track_caller]
fn check((folder, opened): (&Path, &Path), path: &str, expected: &[&str]) {
    let mut host = Host::new(Arc::new(Disk));
    let root = opened.to_str().expect("UTF-8");
    host.apply(Change::Folders(vec![root.to_owned()]));
    let world = host.snapshot();
    let path = format!("{root}/{path}");
    let environment = world.environment_of(&path).expect("there is one");
    let links = world.links_to(&environment, &path);
    let links: Vec<_> = links.iter().filter_map(|it| it.strip_prefix(root)).collect();
    assert_eq!(links, expected, "{path} in {}", folder.display());
}

#[test]
fn files_and_directories_behind_links() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let (root, elsewhere) = (folder.path().join("repository"), folder.path().join("other"));
    write(&root, "hiera.yaml", HIERA_YAML);
    write(&root, "data/shared/x.yaml", "a: 1\n");
    write(&root, "data/nodes/own.yaml", "a: 1\n");
    write(&elsewhere, "y.yaml", "a: 1\n");
    symlink("../shared/x.yaml", root.join("data/nodes/a.yaml")).expect("a link");
    symlink("a.yaml", root.join("data/nodes/b.yaml")).expect("a link");
    symlink("c.yaml", root.join("data/nodes/c.yaml")).expect("a link");
    symlink("../../../other/y.yaml", root.join("data/nodes/y.yaml")).expect("a link");
    let here = (&*root, &*root);
    check(here, "data/shared/x.yaml", &["/data/nodes/a.yaml", "/data/nodes/b.yaml"]);
    check(here, "data/nodes/own.yaml", &[]);
    check(here, "../other/y.yaml", &[]);
    // The workspace itself may be opened through a link.
    let opened = folder.path().join("link");
    symlink(&root, &opened).expect("a link");
    let through = (&*root, &*opened);
    check(through, "data/shared/x.yaml", &["/data/nodes/a.yaml", "/data/nodes/b.yaml"]);
    check(through, "data/nodes/own.yaml", &[]);
}

/// The value of a key, or the error.
fn answer(root: &Path, hierarchy: &str, key: &str) -> String {
    write(root, "hiera.yaml", &format!("version: 5\nhierarchy: [{hierarchy}]\n"));
    let mut host = Host::new(Arc::new(Disk));
    let folder = root.to_str().expect("UTF-8");
    host.apply(Change::Folders(vec![folder.to_owned()]));
    let world = host.snapshot();
    let environment = world.environment_of(&format!("{folder}/hiera.yaml")).expect("there is one");
    let evaluator = world.evaluator(&environment, &world.any_node(&environment));
    match evaluator.call(&Request::key(key)).outcome {
        Ok(found) => found.map_or_else(String::new, |it| inspect::to_s(&it.value)),
        Err(failure) => failure.message.replace(folder, ""),
    }
}

/// Real Puppet has the same answers.
#[test]
fn the_directory_above_a_link_is_that_of_its_target() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let root = folder.path().canonicalize().expect("a path");
    for (name, text) in [
        ("data/k.yaml", "a: data\n"),
        ("o/k.yaml", "a: o\n"),
        ("o/sub/x.yaml", ""),
        ("data/sub/x.yaml", ""),
    ] {
        write(&root, name, text);
    }
    symlink("../o/sub", root.join("data/lnk")).expect("a link");
    for level in [
        "{name: l, path: 'lnk/../k.yaml'}",
        "{name: l, glob: 'lnk/../k*.yaml'}",
        "{name: l, datadir: data/lnk/.., path: k.yaml}",
    ] {
        assert_eq!(answer(&root, level, "a"), "o", "{level}");
    }
    assert_eq!(answer(&root, "{name: l, path: 'sub/../k.yaml'}", "a"), "data");
}

/// Real Puppet has the same answers.
#[test]
fn a_glob_finds_links_that_lead_nowhere() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let root = folder.path().canonicalize().expect("a path");
    write(&root, "data/k.yaml", "a: 1\n");
    write(&root, "data/d/k.yaml", "a: 2\n");
    symlink("nowhere", root.join("data/x.yml")).expect("a link");
    symlink("y.yml", root.join("data/d/y.yml")).expect("a link");
    let nowhere = "No such file or directory @ rb_file_s_stat - /data";
    let circle = "Too many levels of symbolic links @ rb_file_s_stat - /data";
    for (level, expected) in [
        ("glob: '*.yml'", format!("{nowhere}/x.yml")),
        ("glob: x.yml", format!("{nowhere}/x.yml")),
        ("globs: [k.yaml, 'd/../x.yml']", format!("{nowhere}/d/../x.yml")),
        ("glob: '**/*.y*ml'", format!("{circle}/d/y.yml")),
        ("paths: [x.yml, d/y.yml, k.yaml]", "1".to_owned()),
    ] {
        assert_eq!(answer(&root, &format!("{{name: l, {level}}}"), "a"), expected, "{level}");
    }
}

#[test]
fn what_is_read_through_a_link_changes_with_the_file() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let root = folder.path();
    write(root, "hiera.yaml", HIERA_YAML);
    write(root, "data/shared/x.yaml", "a: 1\n");
    write(root, "real/c.yaml", "b: 1\n");
    fs::create_dir(root.join("data/nodes")).expect("a directory");
    symlink("../shared/x.yaml", root.join("data/nodes/a.yaml")).expect("a link");
    symlink("../real/c.yaml", root.join("data/common.yaml")).expect("a link");
    let shown = root.to_str().expect("UTF-8");
    let mut host = Host::new(Arc::new(Disk));
    host.apply(Change::Folders(vec![shown.to_owned()]));
    let value = |host: &Host, key: &str| {
        let world = host.snapshot();
        let path = format!("{shown}/data/nodes/a.yaml");
        let environment = world.environment_of(&path).expect("there is one");
        let node = world.node_named(&environment, "a");
        let found = world.evaluator(&environment, &node).lookup(key).outcome.ok().flatten();
        let count = world.key_index(&environment).count(key, 9);
        (found.map(|it| inspect::inspect(&it.value)), count)
    };
    let found = |value: &str, count| (Some(value.to_owned()), count);
    assert_eq!(value(&host, "a"), found("1", 1));
    assert_eq!(value(&host, "b"), found("1", 1));
    assert_eq!(value(&host, "new"), (None, 0));
    write(root, "data/shared/x.yaml", "a: 2\nnew: 3\n");
    host.apply(Change::DiskChanged(vec![format!("{shown}/data/shared/x.yaml")]));
    assert_eq!(value(&host, "a"), found("2", 1));
    assert_eq!(value(&host, "new"), found("3", 1));
    write(root, "real/c.yaml", "b: 2\n");
    host.apply(Change::DiskChanged(vec![format!("{shown}/real")]));
    assert_eq!(value(&host, "b"), found("2", 1));
    fs::remove_file(root.join("real/c.yaml")).expect("it was there");
    host.apply(Change::DiskChanged(vec![format!("{shown}/real/c.yaml")]));
    assert_eq!(value(&host, "b"), (None, 0));
}

#[test]
fn a_link_can_lead_to_another_file() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let root = folder.path();
    write(root, "hiera.yaml", HIERA_YAML);
    write(root, "shared/x.yaml", "a: 1\n");
    write(root, "shared/y.yaml", "a: 1\n");
    fs::create_dir(root.join("data")).expect("a directory");
    let (link, shown) = (root.join("data/common.yaml"), root.to_str().expect("UTF-8"));
    let mut host = Host::new(Arc::new(Disk));
    host.apply(Change::Folders(vec![shown.to_owned()]));
    for (target, other) in [("x", "y"), ("y", "x")] {
        let _ = fs::remove_file(&link);
        symlink(format!("../shared/{target}.yaml"), &link).expect("a link");
        host.apply(Change::DiskChanged(vec![format!("{shown}/data/common.yaml")]));
        let world = host.snapshot();
        let environment = world.environment_of(shown).expect("there is one");
        let count =
            |name: &str| world.links_to(&environment, &format!("{shown}/shared/{name}.yaml")).len();
        assert_eq!((count(target), count(other)), (1, 0), "{target}");
    }
}

#[test]
fn a_datadir_that_is_a_link() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let root = folder.path();
    write(root, "hiera.yaml", HIERA_YAML);
    write(root, "real/common.yaml", "a: 1\n");
    write(root, "real/nodes/a.yaml", "a: 1\n");
    symlink("real", root.join("data")).expect("a link");
    symlink("..", root.join("real/circle")).expect("a link");
    check((root, root), "real/common.yaml", &["/data/common.yaml"]);
    check((root, root), "real/nodes/a.yaml", &["/data/nodes/a.yaml"]);
    // The link in the directory is the same as the one through the linked directory.
    symlink("a.yaml", root.join("real/nodes/b.yaml")).expect("a link");
    let both = ["/data/nodes/a.yaml", "/data/nodes/b.yaml"];
    check((root, root), "real/nodes/a.yaml", &both);
    check((root, root), "real/nodes/b.yaml", &["/data/nodes/b.yaml"]);
}

/// A repository in which a node reads the file of another one by a link, opened with an unsaved text of `data/nodes/a.yaml`.
fn with_unsaved_text(root: &Path, opened: &str) -> Host {
    write(root, "hiera.yaml", HIERA_YAML);
    write(root, "real/common.yaml", "x: 1\ny: \"%{lookup('x')}\"\n");
    write(root, "real/nodes/a.yaml", "x: 2\n");
    symlink("real", root.join("data")).expect("a link");
    symlink("a.yaml", root.join("real/nodes/b.yaml")).expect("a link");
    let shown = root.to_str().expect("UTF-8");
    let mut host = Host::new(Arc::new(Disk));
    host.apply(Change::Folders(vec![shown.to_owned()]));
    // No other path of the file has been read yet.
    let (path, text) = (format!("{shown}/{opened}"), "x: 2\n".to_owned());
    host.apply(Change::OpenBuffer { path: path.clone(), text, version: 1 });
    let edits = vec![BufferEdit { range: None, new_text: "# new\nx: 2\n".to_owned() }];
    host.apply(Change::EditBuffer { path, version: 2, edits, encoding: Encoding::Utf16 });
    host
}

#[test]
fn unsaved_text_counts_at_all_paths_of_a_file() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let root = folder.path().canonicalize().expect("a path");
    let shown = root.to_str().expect("UTF-8");
    let mut host = with_unsaved_text(&root, "real/nodes/a.yaml");
    let is_new = |host: &Host, path: &str| {
        let text = host.snapshot().text(&format!("{shown}/{path}")).expect("a file");
        text.starts_with("# new")
    };
    assert!(is_new(&host, "data/nodes/a.yaml") && is_new(&host, "data/nodes/b.yaml"));
    assert_eq!(host.snapshot().open_files().count(), 1);
    fs::remove_file(root.join("real/nodes/b.yaml")).expect("a link");
    symlink("../common.yaml", root.join("real/nodes/b.yaml")).expect("a link");
    host.apply(Change::DiskChanged(vec![format!("{shown}/data/nodes/b.yaml")]));
    assert!(is_new(&host, "data/nodes/a.yaml") && !is_new(&host, "data/nodes/b.yaml"));
    host.apply(Change::CloseBuffer { path: format!("{shown}/real/nodes/a.yaml") });
    assert!(!is_new(&host, "data/nodes/a.yaml"));
}

/// An editor has one text for the file, whatever its paths are.
#[test]
fn a_rename_edits_each_file_once_where_it_is_open() {
    for opened in ["real/nodes/a.yaml", "data/nodes/b.yaml"] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let root = folder.path().canonicalize().expect("a path");
        let shown = root.to_str().expect("UTF-8");
        let host = with_unsaved_text(&root, opened);
        let (world, common) = (host.snapshot(), format!("{shown}/data/common.yaml"));
        let renamed = rename(&world, &common, 0, "z", &CancelToken::default());
        let files = renamed.expect("no refusal").expect("a key").files;
        let edits = files.iter().map(|file| {
            let path = file.path.strip_prefix(shown).expect("below").trim_start_matches('/');
            (path, file.edits[0].edit.range.start, file.edits.len())
        });
        let expected = [("data/common.yaml", 0, 2), (opened, 6, 1)];
        let expected = BTreeSet::from(expected);
        assert_eq!(edits.collect::<BTreeSet<_>>(), expected);
    }
}

/// The node's file is behind a link, and the editor has it under another path.
#[test]
fn an_action_counts_and_edits_each_file_once_where_it_is_open() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let root = folder.path().canonicalize().expect("a path");
    let shown = root.to_str().expect("UTF-8");
    let long = "a value that is long enough";
    write(&root, "hiera.yaml", HIERA_YAML);
    write(&root, "real/common.yaml", &format!("x: {long}\n"));
    write(&root, "real/nodes/a.yaml", &format!("y: {long}\n"));
    symlink("real", root.join("data")).expect("a link");
    symlink("a.yaml", root.join("real/nodes/b.yaml")).expect("a link");
    let mut host = Host::new(Arc::new(Disk));
    host.apply(Change::Folders(vec![shown.to_owned()]));
    let (path, text) = (format!("{shown}/real/nodes/a.yaml"), format!("y: {long}\n"));
    host.apply(Change::OpenBuffer { path: path.clone(), text, version: 1 });
    let (world, common) = (host.snapshot(), format!("{shown}/data/common.yaml"));
    let found = actions(
        &world,
        &common,
        TextRange::new(4, 4),
        &[ActionKind::RefactorExtract],
        &CancelToken::default(),
    );
    let extract = found.iter().find(|it| it.title.contains("2 places"));
    let extract = extract.unwrap_or_else(|| panic!("{found:?}"));
    let edited = extract.edits.iter().filter(|it| matches!(it.change, FileChange::Edit(_)));
    let edited: BTreeSet<&str> = edited.map(|it| &*it.path).collect();
    assert_eq!(edited, BTreeSet::from([&*common, &*path]), "{}", extract.title);
}
