//! What is read again after changes, and what is kept.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use super::*;
use crate::world::MemoryDisk;

#[test]
fn files_that_are_read_together_are_the_same_as_one_by_one() {
    let long = "a: 1\n".repeat(MAX_BYTES_IN_A_BUFFER / 5 + 1);
    let files: [(&str, &[u8]); 5] = [
        ("/d/a.yaml", b"a: 1\n"),
        ("/d/b.yaml", b""),
        ("/d/c.yaml", b"c: \xff\n"),
        ("/d/d.yaml", long.as_bytes()),
        ("/d/e.yaml", b"e: 2\n"),
    ];
    let new_table = || DiskTable::new(Arc::new(MemoryDisk::new(files)));
    let (alone, together) = (new_table(), new_table());
    let paths = ["/d/a.yaml", "/d/b.yaml", "/d/c.yaml", "/d/d.yaml", "/d/missing", "/d/e.yaml"];
    let first = together.file("/d/a.yaml").expect("it exists");
    together.read_together(&paths, &|| true, &|_| {});
    for path in paths {
        let show = |table: &DiskTable| {
            let file = table.file(path)?;
            Ok((file.text.to_string(), file.invalid_utf8_at, file.path.clone()))
        };
        let expected: Result<_, String> = show(&alone);
        assert_eq!(show(&together), expected, "{path}");
    }
    let bytes = |table: &DiskTable| table.bytes.load(Ordering::Relaxed);
    assert_eq!(bytes(&together), bytes(&alone));
    let file = |path: &str| together.file(path).expect("it exists");
    assert!(Arc::ptr_eq(&file("/d/a.yaml"), &first));
}

#[test]
fn short_texts_that_are_read_together_share_a_buffer() {
    let files = [("/d/a.yaml", "a: 1\n"), ("/d/b.yaml", "b: 2\n")];
    let table = DiskTable::new(Arc::new(MemoryDisk::new(files)));
    table.read_together(&["/d/a.yaml", "/d/b.yaml"], &|| true, &|_| {});
    let text = |path: &str| table.file(path).expect("it exists").text.clone();
    let (a, b) = (text("/d/a.yaml"), text("/d/b.yaml"));
    assert_eq!(a.as_bytes().as_ptr_range().end, b.as_ptr());
}

#[test]
fn calls_at_the_same_time_read_each_file_once() {
    let paths: Vec<String> = (0..300).map(|number| format!("/d/{number:03}.yaml")).collect();
    let disk = Arc::new(MemoryDisk::new(paths.iter().map(|path| (path, "a: 1\n"))));
    let table = DiskTable::new(disk.clone());
    let paths: Vec<&str> = paths.iter().map(|path| &**path).collect();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| table.read_together(&paths, &|| true, &|_| {}));
        }
    });
    let listings = 1;
    assert_eq!(disk.questions(), paths.len() + listings);
}

/// A disk whose files exist but cannot be read.
struct LockedDisk(MemoryDisk);

impl DiskReader for LockedDisk {
    fn read_into(&self, path: &str, _: &mut Vec<u8>) -> Result<(), String> {
        Err(format!("Permission denied @ rb_sysopen - {path}"))
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        self.0.list(directory)
    }

    fn kind(&self, path: &str) -> PathKind {
        self.0.kind(path)
    }

    fn real_path(&self, path: &str) -> Option<String> {
        Some(path.replace("/link", "/real"))
    }
}

#[test]
fn what_an_earlier_state_reads_late_counts_for_the_next_one() {
    let first = DiskTable::new(Arc::new(LockedDisk(MemoryDisk::new([("/link/a.yaml", "")]))));
    // A thread is about to read the file when another one changes.
    let slot = first.files.slot("/link/a.yaml");
    let next = first.after_change(&ChangedPaths::new(["/d/b.yaml"].into_iter()), None);
    first.file("/link/a.yaml").expect_err("it is locked");
    assert!(slot.now.get().is_some() && next.files.get("/link/a.yaml").is_some());
    next.file("/link/a.yaml").expect_err("it is locked");
    assert_eq!(next.notes(), ["Permission denied @ rb_sysopen - /link/a.yaml"]);
    let links = next.links_to("/real/a.yaml");
    assert_eq!(links.iter().map(|it| &**it).collect::<Vec<_>>(), ["/link/a.yaml"]);
}

/// A disk on which nothing changed, and which takes time to list a directory.
struct SlowDisk {
    disk: MemoryDisk,
    is_listing: Barrier,
}

impl DiskReader for SlowDisk {
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        self.disk.read_into(path, bytes)
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        self.is_listing.wait();
        thread::sleep(Duration::from_millis(20));
        self.disk.list(directory)
    }

    fn kind(&self, path: &str) -> PathKind {
        self.disk.kind(path)
    }

    fn real_path(&self, path: &str) -> Option<String> {
        self.disk.real_path(path)
    }

    fn changed_at(&self, _: &str) -> Option<SystemTime> {
        Some(SystemTime::UNIX_EPOCH)
    }
}

#[test]
fn a_directory_that_is_being_listed_has_not_changed() {
    let disk = MemoryDisk::new([("/d/a.yaml", "a: 1\n")]);
    let disk = Arc::new(SlowDisk { disk, is_listing: Barrier::new(2) });
    let table = DiskTable::new(disk.clone());
    thread::scope(|scope| {
        scope.spawn(|| table.list("/d"));
        disk.is_listing.wait();
        let changed = table.changed_since(SystemTime::now(), &["/d".to_owned()]);
        assert!(changed.is_empty(), "{changed:?}");
    });
}
