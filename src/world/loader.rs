//! The only place of the library that reads the disk. Reading always ends: it reads only regular files, of at most
//! [`MAX_FILE_BYTES`].

use std::collections::HashMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use super::disk::DiskReader;
use super::paths;
use crate::data::{DirItem, OddItem, Oddity, PathKind};
use crate::limits::{MAX_DIRECTORY_NAMES, MAX_FILE_BYTES, MAX_SIZELESS_FILE_BYTES};

/// What follows the path of a file that may not be read, in the words of [`WorkspaceDisk`].
pub const IS_OUTSIDE: &str = " is outside of the workspace and is not read";

/// The start of Ruby's message about a file that the user may not read.
pub(super) const PERMISSION_DENIED: &str = "Permission denied";

/// The machine's disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl DiskReader for Disk {
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        // Checked first, because opening a named pipe would wait for a writer.
        let metadata = fs::metadata(path).map_err(|error| ruby_message(&error, path))?;
        if metadata.is_dir() {
            return Err(format!("Is a directory @ io_fread - {path}"));
        }
        if !metadata.is_file() && is_null_device(path) {
            return Ok(());
        }
        if !metadata.is_file() || is_made_by_the_kernel(path, &metadata) {
            return Err(format!("Not a regular file @ rb_sysopen - {path}"));
        }
        // The size of a file that appears empty says nothing: on some file systems, content comes with reading.
        let most = if metadata.len() == 0 { MAX_SIZELESS_FILE_BYTES } else { MAX_FILE_BYTES };
        if metadata.len() > most {
            return Err(too_large(path, most));
        }
        // The file may have become a pipe since the check, so opening it must not wait either.
        let file = open(path).map_err(|error| ruby_message(&error, path))?;
        let read = read_all(file, metadata.len(), most, bytes);
        let read = read.map_err(|error| ruby_message(&error, path))?;
        if read as u64 > most { Err(too_large(path, most)) } else { Ok(()) }
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        match fs::read_dir(directory) {
            Ok(entries) => {
                // A name that cannot be read does not hide the others.
                let entries = entries.flatten().take(MAX_DIRECTORY_NAMES);
                Some(entries.filter_map(|entry| dir_item(&entry)).collect())
            }
            // Puppet may open a file by name in a directory that it may not list, so such a directory is not the same as an empty one.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => None,
            Err(_) => Some(Vec::new()),
        }
    }

    fn odd_items(&self, directory: &str) -> Vec<OddItem> {
        let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
        let entries = entries.flatten().take(MAX_DIRECTORY_NAMES);
        entries.filter_map(|entry| odd_item(&entry)).collect()
    }

    fn kind(&self, path: &str) -> PathKind {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => PathKind::Directory,
            Ok(_) => PathKind::File,
            Err(_) => PathKind::Missing,
        }
    }

    fn real_path(&self, path: &str) -> Option<String> {
        fs::canonicalize(path).ok()?.into_os_string().into_string().ok()
    }

    #[cfg(unix)]
    fn changed_at(&self, path: &str) -> Option<SystemTime> {
        use std::os::unix::fs::MetadataExt;
        use std::time::Duration;

        let metadata = fs::metadata(path).ok()?;
        // Not the time of the content: a file that was moved here keeps that.
        let seconds = u64::try_from(metadata.ctime()).ok()?;
        let nanoseconds = u64::try_from(metadata.ctime_nsec()).ok()?;
        let since_1970 = Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds);
        SystemTime::UNIX_EPOCH.checked_add(since_1970)
    }

    fn is_broken_link(&self, path: &str) -> bool {
        let is_link = fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
        is_link && fs::metadata(path).is_err()
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        let is_a_name = !name.is_empty() && !name.contains(['=', '\0']);
        is_a_name.then(|| std::env::var(name).ok()).flatten()
    }
}

/// The part of the disk that an untrusted workspace may read: files outside its trees are not read, whatever leads there.
#[derive(Debug)]
pub struct WorkspaceDisk {
    /// Without links.
    trees: Vec<PathBuf>,
    /// Directories that were checked.
    known: RwLock<HashMap<PathBuf, bool>>,
}

impl WorkspaceDisk {
    /// Allows only what is in `trees`, which are directories or files.
    pub fn new<'a>(trees: impl IntoIterator<Item = &'a str>) -> Self {
        let real = |tree: &str| fs::canonicalize(tree).unwrap_or_else(|_| PathBuf::from(tree));
        Self { trees: trees.into_iter().map(real).collect(), known: RwLock::default() }
    }

    /// Allows what belongs to a workspace of these directories: they, what they are a part of, and the trees of environments
    /// around them. What is `named` from outside is allowed as well.
    pub fn around(directories: &[&str], named: &[String]) -> Self {
        let above = |it| std::iter::once(it).chain(paths::ancestors(it));
        let trees = directories.iter().flat_map(|directory| {
            // A directory in `environments` uses the global `hiera.yaml` and the modules beside it.
            let environments = above(directory).filter(|it| paths::file_name(it) == "environments");
            let whole = whole_of(directory);
            [*directory].into_iter().chain(whole).chain(environments.filter_map(paths::parent))
        });
        Self::new(trees.chain(named.iter().map(String::as_str)))
    }

    /// Whether `path`, with links resolved, is in the workspace or does not exist, or is no secret.
    fn holds(&self, path: &str) -> bool {
        self.is_in_workspace(Path::new(path)) || is_public_key(path)
    }

    fn is_in_workspace(&self, path: &Path) -> bool {
        let is_link = fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
        // Most files are not links, so it is enough to resolve their directory, whose result is kept for all of its files.
        match path.parent() {
            Some(parent) if !is_link => {
                self.holds_directory(parent) || self.trees.iter().any(|tree| tree == path)
            }
            // A path that does not exist reveals nothing, and the error for it is the same as Puppet's.
            _ => fs::canonicalize(path).map_or(true, |real| self.is_within(&real)),
        }
    }

    fn holds_directory(&self, directory: &Path) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(directory) {
            return *known;
        }
        drop(known);
        let holds = fs::canonicalize(directory).map_or(true, |real| self.is_within(&real));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(directory.to_owned(), holds);
        holds
    }

    fn is_within(&self, real: &Path) -> bool {
        self.trees.iter().any(|tree| real.starts_with(tree))
    }
}

impl DiskReader for WorkspaceDisk {
    fn read_into(&self, path: &str, bytes: &mut Vec<u8>) -> Result<(), String> {
        if self.holds(path) || is_null_device(path) {
            Disk.read_into(path, bytes)
        } else {
            Err(format!("{path}{IS_OUTSIDE}"))
        }
    }

    fn list(&self, directory: &str) -> Option<Vec<DirItem>> {
        self.holds_directory(Path::new(directory)).then(|| Disk.list(directory)).flatten()
    }

    fn odd_items(&self, directory: &str) -> Vec<OddItem> {
        let is_held = self.holds_directory(Path::new(directory));
        if is_held { Disk.odd_items(directory) } else { Vec::new() }
    }

    fn may_read(&self, path: &str) -> bool {
        self.holds(path)
    }

    fn kind(&self, path: &str) -> PathKind {
        Disk.kind(path)
    }

    fn real_path(&self, path: &str) -> Option<String> {
        Disk.real_path(path)
    }

    fn is_broken_link(&self, path: &str) -> bool {
        Disk.is_broken_link(path)
    }

    fn changed_at(&self, path: &str) -> Option<SystemTime> {
        Disk.changed_at(path)
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        Disk.environment_variable(name)
    }
}

/// Whether a file is a public key, by the name that it has without links. Levels encrypt with keys that are outside of all
/// workspaces, such as `/etc/puppetlabs/puppet/eyaml/public_key.pkcs7.pem`.
fn is_public_key(path: &str) -> bool {
    if paths::extension(path) != "pem" {
        return false;
    }
    let real = fs::canonicalize(path).unwrap_or_default();
    let name = real.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.contains("public") && paths::extension(name) == "pem"
}

/// What a directory is a part of: its repository, or else its environment. A repository within an environment need not belong to
/// it.
fn whole_of(directory: &str) -> Option<&str> {
    let has = |it: &str, name: &str| Path::new(&paths::join(it, name)).exists();
    let above = || std::iter::once(directory).chain(paths::ancestors(directory));
    let is_environment = |it: &&str| has(it, "hiera.yaml") || has(it, "environment.conf");
    above().find(|it| has(it, ".git")).or_else(|| above().find(is_environment))
}

/// Whether a file that appears empty may have content: reading such a file may never end, or may consume what it shows.
fn is_made_by_the_kernel(path: &str, metadata: &Metadata) -> bool {
    let real = || fs::canonicalize(path).unwrap_or_default();
    // Most files are not empty, so their links do not have to be resolved.
    cfg!(unix) && metadata.len() == 0 && real().starts_with("/proc")
}

/// Appends the bytes of a file that probably has `size` bytes; of one that has more than `most`, some more than `most`. Returns
/// their number.
fn read_all(mut file: File, size: u64, most: u64, bytes: &mut Vec<u8>) -> std::io::Result<usize> {
    let before = bytes.len();
    // Most files are read as a whole by one call of the system.
    bytes.resize(before + size as usize, 0);
    let mut end = before;
    while end < bytes.len() {
        match file.read(&mut bytes[end..]) {
            Ok(0) => break,
            Ok(count) => end += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(end);
    // The file may have grown since its size was read.
    let left = (most + 1).saturating_sub((end - before) as u64);
    file.take(left).read_to_end(bytes)?;
    Ok(bytes.len() - before)
}

/// Opens a file so that reading it never waits for a writer.
#[cfg(unix)]
fn open(path: &str) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)
}

/// `O_NONBLOCK`
#[cfg(all(unix, any(target_os = "linux", target_os = "android")))]
const NONBLOCK: i32 = 0o4000;

/// `O_NONBLOCK`
#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
const NONBLOCK: i32 = 0x4;

#[cfg(not(unix))]
fn open(path: &str) -> std::io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

fn too_large(path: &str, most: u64) -> String {
    format!("File too large (more than {most} bytes) @ io_fread - {path}")
}

/// `None` for names that are not UTF-8, and for broken or circular links.
fn dir_item(entry: &fs::DirEntry) -> Option<DirItem> {
    let mut kind = entry.file_type().ok()?;
    let is_link = kind.is_symlink();
    if is_link {
        kind = fs::metadata(entry.path()).ok()?.file_type();
    }
    let name = entry.file_name().into_string().ok()?;
    Some(DirItem { name: Arc::from(name), is_directory: kind.is_dir(), is_link })
}

/// The name if [`dir_item`] leaves it out.
fn odd_item(entry: &fs::DirEntry) -> Option<OddItem> {
    let is_link = entry.file_type().is_ok_and(|it| it.is_symlink());
    let (name, oddity) = match entry.file_name().into_string() {
        Ok(name) if is_link && fs::metadata(entry.path()).is_err() => (name, Oddity::BrokenLink),
        Ok(_) => return None,
        Err(name) => (name.to_string_lossy().into_owned(), Oddity::NotUtf8),
    };
    Some(OddItem { name: name.into(), oddity })
}

/// Whether a path is `/dev/null` or a link to it: Puppet reads it like an empty file, and it tells nothing. A link to another link
/// does not count, because `/dev/stdin` can be one.
fn is_null_device(path: &str) -> bool {
    let null = Path::new("/dev/null");
    cfg!(unix) && (Path::new(path) == null || fs::read_link(path).is_ok_and(|it| it == null))
}

fn ruby_message(error: &std::io::Error, path: &str) -> String {
    let reason = match error.kind() {
        ErrorKind::NotFound => "No such file or directory",
        ErrorKind::PermissionDenied => PERMISSION_DENIED,
        ErrorKind::NotADirectory => "Not a directory",
        ErrorKind::InvalidFilename => "File name too long",
        ErrorKind::InvalidInput => return "path name contains null byte".to_owned(),
        _ => return format!("{} @ rb_sysopen - {path}", without_number(&error.to_string())),
    };
    format!("{reason} @ rb_sysopen - {path}")
}

/// Removes the ` (os error 40)` that Rust adds to the system's message.
fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or(message)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::data::Files as _;
    use crate::world::Host;
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    #[track_caller]
    fn check_refused(path: &str, expected: &str) {
        assert_eq!(Disk.read(path), Err(format!("{expected} - {path}")));
    }

    #[test]
    fn refusals_are_worded_as_ruby_words_them() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().to_str().expect("a path that is a text");
        fs::create_dir(directory.path().join("x.yaml")).expect("a directory");
        symlink("loop", directory.path().join("loop")).expect("a link");
        fs::write(directory.path().join("file"), "text").expect("a file");
        assert_eq!(Disk.read("/a\0b"), Err("path name contains null byte".to_owned()));
        check_refused(&format!("{root}/nope"), "No such file or directory @ rb_sysopen");
        check_refused(&format!("{root}/x.yaml"), "Is a directory @ io_fread");
        check_refused(&format!("{root}/file/x"), "Not a directory @ rb_sysopen");
        check_refused(&format!("{root}/loop"), "Too many levels of symbolic links @ rb_sysopen");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_never_ends_or_blocks_is_not_read() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().to_str().expect("a path that is a text");
        let made = std::process::Command::new("mkfifo").arg(format!("{root}/fifo")).status();
        assert!(made.expect("mkfifo runs").success());
        check_refused(&format!("{root}/fifo"), "Not a regular file @ rb_sysopen");
        let endless =
            ["/proc/self/pagemap", "/proc/kmsg", "/dev/zero", "/dev/stdin", "/proc/cpuinfo"];
        for (number, path) in endless.into_iter().enumerate() {
            let link = format!("{root}/{number}");
            symlink(path, &link).expect("a link");
            if std::fs::metadata(path).is_ok_and(|it| !it.is_dir()) {
                check_refused(&link, "Not a regular file @ rb_sysopen");
            }
        }
        let sparse = format!("{root}/sparse");
        let file = File::create(&sparse).expect("a file");
        file.set_len(MAX_FILE_BYTES + 1).expect("a size");
        let error = Disk.read(&sparse).expect_err("it is too large");
        assert!(error.starts_with("File too large (more than "), "{error}");
        fs::write(format!("{root}/empty"), "").expect("a file");
        assert_eq!(Disk.read(&format!("{root}/empty")), Ok(Vec::new()));
    }

    #[test]
    fn the_null_device_is_an_empty_file() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().to_str().expect("a path that is a text");
        let link = format!("{root}/none.yaml");
        symlink("/dev/null", &link).expect("a link");
        for path in ["/dev/null", &link] {
            assert_eq!(Disk.read(path), Ok(Vec::new()));
            assert_eq!(WorkspaceDisk::new([root]).read(path), Ok(Vec::new()));
        }
    }

    #[test]
    fn a_workspace_ends_where_its_trees_end() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = fs::canonicalize(directory.path()).expect("it is there");
        let root = root.to_str().expect("a path that is a text");
        for name in ["w/data", "w/sub", "other"] {
            fs::create_dir_all(format!("{root}/{name}")).expect("a directory");
            fs::write(format!("{root}/{name}/a"), "x").expect("a file");
        }
        symlink(format!("{root}/other/a"), format!("{root}/w/link")).expect("a link");
        symlink(format!("{root}/other"), format!("{root}/w/dir")).expect("a link");
        symlink(format!("{root}/w/sub"), format!("{root}/w/inner")).expect("a link");
        let disk = WorkspaceDisk::new([&*format!("{root}/w")]);
        let path = |name: &str| format!("{root}/{name}");
        for held in ["w/data/a", "w/inner/a", "w/data/../sub/a"] {
            assert_eq!(disk.read(&path(held)), Ok(b"x".to_vec()), "{held}");
        }
        for outside in ["other/a", "w/link", "w/dir/a", "w/../other/a"] {
            let error = disk.read(&path(outside)).expect_err("it lies outside");
            assert!(error.ends_with("is outside of the workspace and is not read"), "{error}");
        }
        assert_eq!((disk.list(&path("other")), disk.list(&path("w/dir"))), (None, None));
        // Only what is called a public key without links counts as one.
        fs::write(path("other/public_key.pem"), "key").expect("a file");
        symlink(path("other/a"), path("w/my_public.pem")).expect("a link");
        assert_eq!(disk.read(&path("other/public_key.pem")), Ok(b"key".to_vec()));
        assert!(disk.read(&path("w/my_public.pem")).is_err());
        assert_eq!(disk.list(&path("w/data")).map(|it| it.len()), Some(1));
        assert!(disk.read(&path("w/none")).expect_err("there is none").starts_with("No such file"));
    }

    #[test]
    fn links_are_what_they_lead_to() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().to_str().expect("a path that is a text");
        fs::create_dir(directory.path().join("d")).expect("a directory");
        symlink("d", directory.path().join("to_d")).expect("a link");
        symlink("loop", directory.path().join("loop")).expect("a link");
        let mut items = Disk.list(root).expect("a readable directory");
        items.sort();
        let items: Vec<_> =
            items.iter().map(|it| (&*it.name, it.is_directory, it.is_link)).collect();
        assert_eq!(items, [("d", true, false), ("to_d", true, true)]);
        let odd = OddItem { name: "loop".into(), oddity: Oddity::BrokenLink };
        assert_eq!(Disk.odd_items(root), [odd]);
    }

    #[test]
    fn what_changes_after_it_was_read_is_found() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let root = directory.path().canonicalize().expect("a path");
        let root = root.to_str().expect("UTF-8");
        let path = |name: &str| format!("{root}/{name}");
        let write = |name: &str| fs::write(path(name), name).expect("a file");
        fs::create_dir(path("below")).expect("a directory");
        for name in ["a", "b", "c", "below/d"] {
            write(name);
        }
        let world = Host::new(Arc::new(Disk)).snapshot();
        // Nothing was read.
        let folders = [root.to_owned()];
        assert!(world.changed_on_disk_since(SystemTime::UNIX_EPOCH, &folders).is_empty());
        world.list(root);
        world.list(&path("below"));
        for name in ["a", "missing"] {
            let _ = world.text(&path(name));
        }
        // The clock of a file system counts in steps.
        let pause = || std::thread::sleep(Duration::from_millis(20));
        pause();
        let time = SystemTime::now();
        let changed = || {
            let found = world.changed_on_disk_since(time, &folders).into_iter();
            let names = found.map(|it| it.strip_prefix(&path("")).map(str::to_owned));
            names.map(Option::unwrap_or_default).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(changed(), "");
        pause();
        write("b");
        assert_eq!(changed(), "b");
        fs::rename(path("c"), path("a")).expect("it is moved");
        write("below/new");
        assert_eq!(changed(), "a b below/new c");
    }
}
