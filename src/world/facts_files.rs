//! Which files have fact sets: those in a directory, and those that the setting `facts` names.

use std::sync::Arc;

use super::disk::DiskReader as _;
use super::loader::Disk;
use super::paths;
use super::snapshot::World;
use super::trust::fixed_part;
use crate::config::glob;
use crate::data::{DirItem, Files as _, PathKind};

/// Extensions of files that are read as fact sets.
const FACTS_EXTENSIONS: [&str; 4] = ["json", "yaml", "yml", "facts"];

/// The maximum depth below a directory of fact sets at which files are searched for.
const MAX_DEPTH: usize = 4;

/// The files that one member of the setting `facts` matches.
pub(super) fn facts_files(world: &World, entry: &str) -> Vec<String> {
    let path = world.settings_path(entry);
    match world.kind(&path) {
        PathKind::Directory => files_below(world, &path),
        PathKind::File => vec![path],
        PathKind::Missing => {
            world.leaves_out(fixed_part(&path));
            glob::glob(world, &path).iter().map(ToString::to_string).collect()
        }
    }
}

/// The files with fact sets in a directory and those below it.
pub(super) fn files_below(world: &World, directory: &str) -> Vec<String> {
    let mut files = Vec::new();
    if !world.leaves_out(directory) {
        add_files_below(&|it| world.list(it), directory, MAX_DEPTH, &mut files);
    }
    files
}

/// [`files_below`] on the disk, for commands that have no workspace yet.
pub(crate) fn fact_files_on_disk(directory: &str) -> Vec<String> {
    let mut files = Vec::new();
    let list = |it: &str| Arc::from(Disk.list(it).unwrap_or_default());
    add_files_below(&list, directory, MAX_DEPTH, &mut files);
    files
}

fn add_files_below(
    list: &impl Fn(&str) -> Arc<[DirItem]>,
    directory: &str,
    depth: usize,
    files: &mut Vec<String>,
) {
    // Hidden files are copies that editors and synchronization make.
    for item in list(directory).iter().filter(|it| !it.name.starts_with('.')) {
        let path = paths::join(directory, &item.name);
        if item.is_directory {
            // A link may lead back to a directory above it.
            if depth > 1 && !item.is_link {
                add_files_below(list, &path, depth - 1, files);
            }
        } else if FACTS_EXTENSIONS.contains(&paths::extension(&path)) {
            files.push(path);
        }
    }
}
