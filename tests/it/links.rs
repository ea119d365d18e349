//! Symbolic links in data directories, on a real disk.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use hiera_ls::data::inspect;
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
}
