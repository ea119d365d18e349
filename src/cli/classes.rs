//! `hiera-ls classes`: what the manifests below a directory declare, look up and include; with `--node`, the classes of nodes.

mod arguments;
mod of_nodes;
mod output;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::shown::as_seen_from_here;
use super::terminal::complain;
use super::workspace::{self, existing_directory};
use super::{print, print_or_complain};
use crate::code::CodeFile;
use crate::world::{DiskReader, loader, paths};
pub use arguments::ClassesArguments;
use arguments::ListFormat;
use output::{lines, summary};

/// The maximum number of files that are in memory at once.
const FILES_AT_ONCE: usize = 256;

/// The maximum number of bytes of such files. A larger file is alone in memory.
const BYTES_AT_ONCE: u64 = 64 << 20;

/// Prints the list.
pub fn run(arguments: &ClassesArguments) -> ExitCode {
    if !arguments.node.is_empty() {
        return print_or_complain(of_nodes::list(arguments));
    }
    let root = match existing_directory(&arguments.root) {
        Ok(root) => root,
        Err(message) => {
            complain(&message);
            return ExitCode::from(2);
        }
    };
    let disk: Box<dyn DiskReader> = if arguments.trust {
        Box::new(loader::Disk)
    } else {
        Box::new(workspace::disk(&root, std::iter::empty()))
    };
    let files = manifests(Path::new(&root));
    let mut left = files.as_slice();
    while !left.is_empty() {
        // A part is printed before the next one starts, so that a large tree needs little memory.
        let (part, others) = left.split_at(files_at_once(left));
        left = others;
        let show = |path: &PathBuf| one_file(&root, path, &*disk, arguments.render_as);
        let texts: Vec<_> = part.par_iter().map(show).collect();
        for text in texts {
            print(&text);
        }
    }
    ExitCode::SUCCESS
}

/// How many of the first files may be in memory at once; at least one.
fn files_at_once(files: &[PathBuf]) -> usize {
    let mut bytes = 0;
    let is_too_much = |path: &PathBuf| {
        bytes += fs::metadata(path).map_or(0, |it| it.len());
        bytes > BYTES_AT_ONCE
    };
    let fits = files.iter().take(FILES_AT_ONCE).position(is_too_much);
    fits.unwrap_or(FILES_AT_ONCE).clamp(1, files.len())
}

/// The output for one file.
fn one_file(root: &str, path: &Path, disk: &dyn DiskReader, format: ListFormat) -> String {
    let name = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    let bytes = match path.to_str() {
        Some(_) => disk.read(&name),
        None => Err(format!("The name is not UTF-8 - {}", as_seen_from_here(&name))),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(problem) => {
            complain(&format!("note: {problem}"));
            return String::new();
        }
    };
    let file = CodeFile::of_bytes(&name, bytes);
    match format {
        ListFormat::Jsonl => lines(paths::below(root, &name).unwrap_or(&name), &file),
        ListFormat::S => summary(as_seen_from_here(&name), &file),
    }
}

/// All `*.pp` files below `root`, in the order of the bytes of their paths. Names with a leading dot are skipped, and links
/// to directories are not followed.
fn manifests(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                complain(&format!("{}: {error}", directory.display()));
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            // `file_type` does not follow links, so a link to a directory above cannot cause a loop.
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with(b".") {
                continue;
            }
            if kind.is_dir() {
                directories.push(path);
            } else if name.ends_with(b".pp") && leads_to_file(&path) {
                found.push(path);
            }
        }
    }
    // A path is compared as bytes, because a name need not be UTF-8.
    found.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    found
}

/// Whether something other than a directory is there. What cannot be read, such as a named pipe, is named when it is read.
fn leads_to_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| !it.is_dir())
}
