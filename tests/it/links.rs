//! Symbolic links in data directories, on a real disk.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

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
