//! Changes, and the results of snapshots after them.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::data::{FileId, Files, Format, PathKind};
use crate::text::LineCol;
use crate::world::{KeyPlace, MemoryDisk};

const PATHS: [&str; 10] = [
    "/r/hiera.yaml",
    "/r/environment.conf",
    "/r/data/a.yaml",
    "/r/data/nodes/b.yaml",
    "/r/modules/m/hiera.yaml",
    "/r/modules/m/manifests/init.pp",
    "/r/modules/n/data/x.yaml",
    "/r/site/role/manifests/x.pp",
    "/r/environments/e/hiera.yaml",
    "/r/.hiera-ls/facts/f.yaml",
];

const DIRECTORIES: [&str; 8] =
    ["/", "/r", "/r/data", "/r/data/nodes", "/r/modules", "/r/modules/m", "/r/site", "/r/nope"];

const TEXTS: [&str; 7] = [
    "",
    "a: 1\nb: 2\n",
    "b: 'ä😀'\n",
    "modulepath = site\n",
    "version: 5\nhierarchy: [{name: c, paths: [a.yaml, 'nodes/%{trusted.certname}.yaml', x.yaml]}]\n",
    "version: 5\nhierarchy: [{name: c, paths: ['%{y}.yaml']}]\n",
    "\u{feff}a: 1\nb: 2\n",
];

fn open(path: &str, text: &str) -> Change {
    Change::OpenBuffer { path: path.to_owned(), text: text.to_owned(), version: 1 }
}

fn edit(path: &str, from: (u32, u32), to: (u32, u32), new_text: &str) -> Change {
    let at = |(line, col)| LineCol { line, col };
    let edits = vec![BufferEdit { range: Some((at(from), at(to))), new_text: new_text.to_owned() }];
    Change::EditBuffer { path: path.to_owned(), version: 2, edits, encoding: Encoding::Utf16 }
}

fn close(path: &str) -> Change {
    Change::CloseBuffer { path: path.to_owned() }
}

/// All results of a world for these paths, as text.
fn answers(world: &World) -> Vec<String> {
    let mut all = Vec::new();
    for path in PATHS.iter().chain(&DIRECTORIES) {
        let data = world.data(path, Format::Yaml).map(|it| it.text().clone());
        let environment = world.environment_of(path);
        all.push(format!("{path} {:?} {:?} {data:?}", world.kind(path), world.text(path)));
        all.push(format!("{:?} {environment:?}", world.list(path)));
        assert_eq!(&*world.path(world.id(path)), *path);
    }
    for environment in world.environments().iter() {
        let index = world.key_index(environment);
        let nodes = world.nodes(environment);
        let nodes: Vec<_> = nodes.iter().map(|node| (&node.name, node.variable("a"))).collect();
        all.push(format!("{nodes:?}"));
        let places = index.keys().iter().map(|key| index.places(key)).collect::<Vec<_>>();
        all.push(format!("{environment:?} {:?} {:?}", index.files(), names_only(places)));
    }
    all
}

/// Without the numbers of files, which depend on the order of requests.
fn names_only(places: Vec<Vec<KeyPlace>>) -> Vec<KeyPlace> {
    places.into_iter().flatten().map(|place| KeyPlace { file: FileId(0), ..place }).collect()
}

#[test]
fn what_is_open_hides_the_disk() {
    let disk = Arc::new(MemoryDisk::new([("/r/a.yaml", "disk")]));
    let mut host = Host::new(disk.clone());
    let text = |host: &Host| host.snapshot().text("/r/a.yaml").ok().map(|it| it.to_string());
    assert_eq!(text(&host).as_deref(), Some("disk"));
    host.apply(open("/r/./a.yaml", "open"));
    let effect = host.apply(edit("/r/a.yaml", (0, 0), (0, 4), "typed"));
    assert_eq!(effect.paths, [Arc::from("/r/a.yaml")]);
    assert!(!effect.is_structural);
    assert_eq!(text(&host).as_deref(), Some("typed"));
    assert_eq!(host.snapshot().open_file("/r/a.yaml").map(|it| it.version), Some(2));
    disk.write("/r/a.yaml", "saved");
    host.apply(Change::DiskChanged(vec!["/r/a.yaml".to_owned()]));
    assert_eq!(text(&host).as_deref(), Some("typed"));
    host.apply(close("/r/a.yaml"));
    assert_eq!(text(&host).as_deref(), Some("saved"));
}

#[test]
fn the_text_of_a_file_that_was_never_saved_goes_when_it_is_closed() {
    let disk = Arc::new(MemoryDisk::new([("/r/a.yaml", "disk")]));
    let mut host = Host::new(disk);
    let mut is_kept = |path: &str| {
        host.apply(open(path, "a: 1\n"));
        let file = host.snapshot().file(path).expect("it is open");
        let text = Arc::downgrade(&file);
        drop(file);
        host.apply(close(path));
        text.upgrade().is_some()
    };
    // Its text is a start for parsing what is on the disk.
    assert!(is_kept("/r/a.yaml"));
    assert!(!is_kept("/r/new.yaml"));
}

#[test]
fn a_file_that_is_not_open_takes_no_edits() {
    let mut host = Host::new(Arc::new(MemoryDisk::default()));
    assert_eq!(host.apply(edit("/r/a.yaml", (0, 0), (0, 0), "x")), Effect::default());
    assert_eq!(host.apply(close("/r/a.yaml")), Effect::default());
}

/// A disk on which `/r/data` is a link to `/r/real`.
struct LinkedDisk(MemoryDisk);

impl LinkedDisk {
    fn real(path: &str) -> String {
        paths::below("/r/data", path)
            .map_or_else(|| path.to_owned(), |it| paths::join("/r/real", it))
    }
}

impl DiskReader for LinkedDisk {
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        self.0.read_into(&Self::real(path), bytes)
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        let mut items = self.0.list(&Self::real(directory))?;
        if directory == "/r" {
            items.push(DirItem { name: "data".into(), is_directory: true, is_link: true });
        }
        Some(items)
    }

    fn kind(&self, path: &str) -> PathKind {
        self.0.kind(&Self::real(path))
    }

    fn real_path(&self, path: &str) -> Option<String> {
        (self.kind(path) != PathKind::Missing).then(|| Self::real(path))
    }
}

#[test]
fn a_file_that_comes_behind_a_linked_directory_is_there() {
    for path in ["b.yaml", "new/b.yaml", "new/er/b.yaml"] {
        let (linked, real) = (format!("/r/data/{path}"), format!("/r/real/{path}"));
        let disk = Arc::new(LinkedDisk(MemoryDisk::new([("/r/real/a.yaml", "a: 1")])));
        let mut host = Host::new(disk.clone());
        // Watchers name either path.
        for (told, other) in [(&real, &linked), (&linked, &real)] {
            for (step, expected) in [("create", PathKind::File), ("delete", PathKind::Missing)] {
                let world = host.snapshot();
                assert_ne!([world.kind(told), world.kind(other)], [expected; 2], "{step} {told}");
                if step == "create" {
                    disk.0.write(&real, "b: 1");
                } else {
                    disk.0.remove(&real);
                }
                host.apply(Change::DiskChanged(vec![told.clone()]));
                let world = host.snapshot();
                assert_eq!([world.kind(told), world.kind(other)], [expected; 2], "{step} {told}");
            }
        }
    }
}

#[test]
fn a_file_that_another_change_brought_to_light_still_makes_a_node() {
    let disk =
        Arc::new(MemoryDisk::new([("/r/hiera.yaml", TEXTS[4]), ("/r/data/nodes/a.yaml", "")]));
    let mut host = Host::new(disk.clone());
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    for (step, count) in [("come", 2), ("go", 1)] {
        answers(&host.snapshot());
        // The change of one file is reported when another one is there, or not there, already.
        if step == "come" {
            disk.write("/r/data/nodes/b.yaml", "");
        } else {
            disk.remove("/r/data/nodes/b.yaml");
        }
        for name in ["a", "b"] {
            host.apply(Change::DiskChanged(vec![format!("/r/data/nodes/{name}.yaml")]));
        }
        let world = host.snapshot();
        let environment = world.environment_of("/r/data/nodes/a.yaml").expect("there is one");
        assert_eq!(world.nodes(&environment).len(), count, "{step}");
    }
}

#[test]
fn a_module_goes_with_the_only_file_in_it() {
    let manifest = "/r/modules/m/manifests/init.pp";
    let disk = Arc::new(MemoryDisk::new([("/r/hiera.yaml", TEXTS[4])]));
    let mut host = Host::new(disk.clone());
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let modules = |host: &Host| {
        let environment = host.snapshot().environment_of("/r/hiera.yaml").expect("there is one");
        environment.modules.keys().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(modules(&host).is_empty());
    disk.write(manifest, "class m { }");
    host.apply(Change::DiskChanged(vec![manifest.to_owned()]));
    assert_eq!(modules(&host), ["m"]);
    disk.remove(manifest);
    host.apply(Change::DiskChanged(vec![manifest.to_owned()]));
    assert!(modules(&host).is_empty());
}

#[test]
fn a_text_that_did_not_change_is_not_parsed_again() {
    let disk = Arc::new(MemoryDisk::new([("/r/a.yaml", "a: 1\n")]));
    let mut host = Host::new(disk.clone());
    let data = |host: &Host| host.snapshot().data("/r/a.yaml", Format::Yaml).expect("a file");
    let first = data(&host);
    host.apply(open("/r/a.yaml", "a: 1\n"));
    assert!(Arc::ptr_eq(&first, &data(&host)));
    host.apply(edit("/r/a.yaml", (0, 3), (0, 4), "2"));
    let edited = data(&host);
    assert_eq!(&**edited.text(), "a: 2\n");
    disk.write("/r/a.yaml", "a: 2\n");
    host.apply(Change::DiskChanged(vec!["/r/a.yaml".to_owned()]));
    host.apply(close("/r/a.yaml"));
    assert!(Arc::ptr_eq(&edited, &data(&host)));
}

#[test]
fn only_what_is_asked_for_is_read() {
    let files = (0..1_000).map(|number| (format!("/r/data/{number}.yaml"), ""));
    let disk = Arc::new(MemoryDisk::new(files));
    let host = Host::new(disk.clone());
    let world = host.snapshot();
    for number in 0..2_000 {
        world.kind(&format!("/r/data/{number}.yaml"));
    }
    assert_eq!(disk.questions(), 1, "one listing answers for all names in a directory");
    assert!(world.text("/r/data/7.yaml").is_ok());
    assert!(world.text("/r/data/7.yaml").is_ok());
    assert_eq!(disk.questions(), 2);
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_remembered() {
    let disk = MemoryDisk::new([("/r/a.yaml", b"a: \xff\n".to_vec())]);
    let world = World::on_disk(Arc::new(disk), Vec::new(), Settings::default());
    let file = world.file("/r/a.yaml").expect("a file");
    assert_eq!((&*file.text, file.invalid_utf8_at), ("a: \u{fffd}\n", Some(3)));
}

/// The text that a world has of an open file, and what Puppet makes of the key `b`.
#[track_caller]
fn check_saved(host: &Host, expected: (&str, Option<&str>)) {
    let world = host.snapshot();
    let data = world.data("/r/a.yaml", Format::Yaml).expect("a file");
    let is_found = !data.is_broken() && data.get("b").is_some();
    let text = world.text("/r/a.yaml").expect("a file");
    assert_eq!((&*text, is_found.then_some("found")), expected);
}

/// Editors show the text without the mark, and write it again.
#[test]
fn the_saved_file_decides_about_a_byte_order_mark() {
    let (bare, marked) = ("a: ä\nb: 2\n", "\u{feff}a: ä\nb: 2\n");
    let disk = Arc::new(MemoryDisk::new([("/r/a.yaml", marked)]));
    let mut host = Host::new(disk.clone());
    host.apply(open("/r/a.yaml", bare));
    check_saved(&host, (marked, None));
    host.apply(edit("/r/a.yaml", (0, 0), (0, 1), "c"));
    check_saved(&host, ("\u{feff}c: ä\nb: 2\n", None));
    let file = host.snapshot().file("/r/a.yaml").expect("a file");
    let at = file.line_index().line_col(&file.text, 3, Encoding::Utf16);
    assert_eq!(at, LineCol { line: 0, col: 0 });
    disk.write("/r/a.yaml", bare);
    host.apply(Change::DiskChanged(vec!["/r/a.yaml".to_owned()]));
    check_saved(&host, ("c: ä\nb: 2\n", Some("found")));
    disk.write("/r/a.yaml", marked);
    host.apply(close("/r/a.yaml"));
    check_saved(&host, (marked, None));
}

/// An editor shows a text in Latin-1 with the right letters, and writes Latin-1 again.
#[test]
fn the_saved_file_decides_about_the_encoding() {
    let disk = Arc::new(MemoryDisk::new([("/r/a.yaml", b"a: \xe4\nb: 2\n".to_vec())]));
    let mut host = Host::new(disk.clone());
    host.apply(open("/r/a.yaml", "a: ä\nb: 2\n"));
    check_saved(&host, ("a: ä\nb: 2\n", None));
    disk.write("/r/a.yaml", "a: ä\nb: 2\n");
    host.apply(Change::DiskChanged(vec!["/r/a.yaml".to_owned()]));
    check_saved(&host, ("a: ä\nb: 2\n", Some("found")));
}

#[test]
fn a_directory_called_like_a_file_is_no_file() {
    let disk = MemoryDisk::new([("/r/data/x.yaml/y", "")]);
    let world = World::on_disk(Arc::new(disk), Vec::new(), Settings::default());
    let refused = Err("Is a directory @ io_fread - /r/data/x.yaml".to_owned());
    assert_eq!(world.text("/r/data/x.yaml"), refused);
}

/// One step of a script: a change on disk with its notification, or a change in an editor.
#[derive(Debug, Clone)]
enum Step {
    Write(Vec<(usize, String)>),
    /// As above, but each file has its own notification, and requests come in between.
    WriteAndTellLater(Vec<(usize, String)>),
    Remove(String),
    Open(usize, String),
    Edit(usize, (u32, u32), (u32, u32), String),
    Close(usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    let path = || 0..PATHS.len();
    let text = || prop::sample::select(&TEXTS[..]).prop_map(str::to_owned);
    let place = || (0u32..3, 0u32..9);
    let removed = || {
        let all: Vec<String> =
            PATHS.iter().chain(&DIRECTORIES[2..]).map(|&it| it.to_owned()).collect();
        prop::sample::select(all)
    };
    prop_oneof![
        4 => prop::collection::vec((path(), text()), 1..4).prop_map(Step::Write),
        2 => prop::collection::vec((path(), text()), 2..4).prop_map(Step::WriteAndTellLater),
        1 => removed().prop_map(Step::Remove),
        2 => (path(), text()).prop_map(|(path, text)| Step::Open(path, text)),
        4 => (path(), place(), place(), "[xö:😀\n]{0,3}")
            .prop_map(|(path, from, to, text)| Step::Edit(path, from, to, text)),
        2 => path().prop_map(Step::Close),
    ]
}

fn run(step: &Step, disk: &MemoryDisk, host: &mut Host) {
    match step {
        Step::Write(files) => {
            for (path, text) in files {
                disk.write(PATHS[*path], text.as_str());
            }
            let changed = files.iter().map(|(path, _)| PATHS[*path].to_owned()).collect();
            host.apply(Change::DiskChanged(changed));
        }
        Step::WriteAndTellLater(files) => {
            for (path, text) in files {
                disk.write(PATHS[*path], text.as_str());
            }
            for (path, _) in files {
                host.apply(Change::DiskChanged(vec![PATHS[*path].to_owned()]));
                answers(&host.snapshot());
            }
        }
        Step::Remove(path) => {
            disk.remove(path);
            host.apply(Change::DiskChanged(vec![path.clone()]));
        }
        Step::Open(path, text) => {
            host.apply(open(PATHS[*path], text));
        }
        Step::Edit(path, from, to, text) => {
            host.apply(edit(PATHS[*path], *from, *to, text));
        }
        Step::Close(path) => {
            host.apply(close(PATHS[*path]));
        }
    }
}

/// A world with the same disk and editors, built from scratch.
fn from_scratch(disk: &Arc<MemoryDisk>, host: &Host) -> Arc<World> {
    let mut fresh = Host::new(disk.clone());
    fresh.apply(Change::Folders(vec!["/r".to_owned()]));
    let texts: BTreeMap<_, _> = host
        .snapshot()
        .open_files()
        .map(|file| (file.entry.path.clone(), file.entry.text.clone()))
        .collect();
    for (path, text) in &texts {
        fresh.apply(open(path, text));
    }
    fresh.snapshot()
}

#[test]
fn a_short_lived_snapshot_takes_what_was_parsed_with_it() {
    let disk =
        Arc::new(MemoryDisk::new([("/r/hiera.yaml", TEXTS[4]), ("/r/data/a.yaml", TEXTS[1])]));
    let mut host = Host::new(disk.clone());
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let world = host.snapshot();
    let short_lived = world.short_lived();
    let questions = disk.questions();
    assert!(short_lived.data("/r/data/a.yaml", Format::Yaml).is_ok_and(|it| it.get("a").is_some()));
    assert_eq!(disk.questions(), questions, "the text was there");
    let is_parsed = |world: &World| {
        let file = world.file("/r/data/a.yaml").expect("a file");
        file.data_if_read(Format::Yaml).is_some()
    };
    assert!(is_parsed(&short_lived) && !is_parsed(&world));
}

#[test]
fn the_entries_in_files_of_open_paths_are_found_in_advance() {
    let paths: Vec<String> = (0..9).map(|number| format!("/r/data/{number}.yaml")).collect();
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: role, path: '%{role}.yaml'}\n";
    let data = paths.iter().map(|path| (&**path, "a: 1\n"));
    let disk = MemoryDisk::new(data.chain([("/r/hiera.yaml", hiera_yaml)]));
    let mut host = Host::new(Arc::new(disk));
    host.apply(Change::Folders(vec!["/r".to_owned()]));
    let world = host.snapshot();
    let environment = world.environments()[0].clone();
    let any = world.any_node(&environment);
    let are_parsed = || {
        paths
            .iter()
            .all(|path| world.file(path).is_ok_and(|it| it.data_if_read(Format::Yaml).is_some()))
    };
    assert!(!are_parsed());
    world.evaluator(&environment, &any).prepare_open_paths(&crate::engine::CancelToken::default());
    assert!(are_parsed());
}

proptest! {
    #[test]
    fn a_world_with_a_history_answers_as_one_without(steps in prop::collection::vec(any_step(), 1..12)) {
        let disk = Arc::new(MemoryDisk::default());
        let mut host = Host::new(disk.clone());
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let mut earlier = Vec::new();
        for step in &steps {
            run(step, &disk, &mut host);
            let now = answers(&host.snapshot());
            for (answer, fresh) in now.iter().zip(&answers(&from_scratch(&disk, &host))) {
                prop_assert_eq!(answer, fresh);
            }
            prop_assert_eq!(&answers(&host.snapshot().short_lived()), &now);
            earlier.push((host.snapshot(), now));
        }
        for (world, then) in earlier {
            prop_assert_eq!(answers(&world), then, "a snapshot never changes its answers");
        }
    }
}
