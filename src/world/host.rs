//! The only mutable owner: receives changes, and creates snapshots.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::changed_paths::ChangedPaths;
use super::disk::{DiskReader, DiskTable};
use super::overlay::OpenFile;
use super::snapshot::{Choice, Kept, World};
use super::{nodes, paths, roots};
use crate::data::{DirItem, Files};
use crate::settings::{PROJECT_FILE, Settings};
use crate::text::{Buffer, BufferEdit, Encoding, without_halves};

/// Contains the newest snapshot and the buffers of open editors.
pub struct Host {
    world: Arc<World>,
    buffers: BTreeMap<Arc<str>, Buffer>,
    /// Where the text of a buffer is put together. It is as long as the longest text that was edited.
    room: String,
}

/// Every kind of change to a world. Paths do not need to be normalized.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "changes are taken in one at a time, never stored")]
pub enum Change {
    /// An editor opens a file: from now on its text replaces the content on disk.
    OpenBuffer {
        /// The file, which does not have to exist on disk.
        path: String,
        /// Its text.
        text: String,
        /// The editor's version number of the text.
        version: i32,
    },
    /// The user types. Ignored for a file that is not open.
    EditBuffer {
        /// The file.
        path: String,
        /// The editor's version number after the edits.
        version: i32,
        /// The edits; each refers to the text after the previous one.
        edits: Vec<BufferEdit>,
        /// How the editor counts columns.
        encoding: Encoding,
    },
    /// The editor closes a file: its content on disk is read again and used.
    CloseBuffer {
        /// The file.
        path: String,
    },
    /// Files or directories were created, changed or removed on disk. A directory includes everything in it.
    DiskChanged(Vec<String>),
    /// All folders of the workspace.
    Folders(Vec<String>),
    /// All settings.
    Settings(Settings),
    /// The assumed texts of open variables, by their canonical names.
    Assumed(Vec<(Arc<str>, Arc<str>)>),
    /// The sample node whose values are shown; `None` for any node, even if the settings name one.
    ActiveNode(Option<Arc<str>>),
    /// A back end started to fail, or works again.
    BackEnds,
}

/// The effect of a change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effect {
    /// The number of the snapshot after the change.
    pub revision: u64,
    /// The files whose texts changed or may have changed; sorted. Empty if the change had no effect.
    pub paths: Vec<Arc<str>>,
    /// Whether more than these texts may have changed: the hierarchy, modules, nodes or settings.
    pub is_structural: bool,
    /// Whether [`Self::paths`] contains the workspace's project file. The caller should then read it again and apply
    /// [`Change::Settings`].
    pub is_settings_file_changed: bool,
}

impl Host {
    /// A host for the disk that `reader` reads. It reads nothing yet.
    pub fn new(reader: Arc<dyn DiskReader>) -> Self {
        Self {
            world: Arc::new(World::new(DiskTable::new(reader))),
            buffers: BTreeMap::new(),
            room: String::new(),
        }
    }

    /// The current world. Later changes do not affect it.
    pub fn snapshot(&self) -> Arc<World> {
        self.world.clone()
    }

    /// Reads from another disk from now on, or from another part of it. Texts that are open in an editor stay.
    pub fn read_from(&mut self, reader: Arc<dyn DiskReader>) -> Effect {
        self.structural(|world| world.read_from(reader))
    }

    /// Goes on as if a file on disk had this text. In contrast to a text in an editor, nothing else of the file counts, not even
    /// its byte order mark.
    pub fn assume(&mut self, path: &str, text: Arc<str>) {
        self.world = self.world.as_if(&[(path.into(), text)]);
    }

    /// Calls `listener`, on any thread, whenever [`Change::BackEnds`] should be applied. Only the first listener is used.
    pub fn on_back_ends_changed(&self, listener: impl Fn() + Send + Sync + 'static) {
        self.world.announcer.listen(listener);
    }

    /// Applies a change.
    pub fn apply(&mut self, change: Change) -> Effect {
        match change {
            Change::OpenBuffer { path, text, version } => self.open(&path, &text, version),
            Change::EditBuffer { path, version, edits, encoding } => {
                self.edit(&path, version, &edits, encoding)
            }
            Change::CloseBuffer { path } => self.close(&path),
            Change::DiskChanged(changed) => self.disk_changed(&changed),
            Change::Folders(folders) => {
                let folders = folders.iter().map(|it| paths::normalise(it).into()).collect();
                self.structural(|world| {
                    world.folders = folders;
                    // Back ends start programs in the directory of the settings, which may be the first folder.
                    world.back_ends = Arc::default();
                })
            }
            // Editors send all settings again when anything changes, and a structural change is expensive.
            Change::Settings(settings) if settings == *self.world.settings => self.no_effect(),
            Change::Settings(settings) => self.structural(|world| {
                if settings.backends != world.settings.backends {
                    world.back_ends = Arc::default();
                }
                world.settings = Arc::new(settings);
            }),
            Change::ActiveNode(name) => self.beside_texts(|world| {
                world.choice = name.map_or(Choice::AnyNode, Choice::Node);
            }),
            Change::Assumed(assumed) => self.beside_texts(|world| world.assumed = assumed.into()),
            // No input changes, but in a new snapshot, everything is evaluated again.
            Change::BackEnds => self.beside_texts(|_| {}),
        }
    }

    fn open(&mut self, path: &str, text: &str, version: i32) -> Effect {
        let path = self.world.interned(path);
        self.buffers.insert(path.clone(), Buffer::new(text));
        // An editor may send half a character, for which `intake` puts a mark. The text gets U+FFFD instead.
        let text = without_halves(text).into();
        self.show(&path, text, version)
    }

    fn edit(
        &mut self,
        path: &str,
        version: i32,
        edits: &[BufferEdit],
        encoding: Encoding,
    ) -> Effect {
        let path = self.world.interned(path);
        let Some(buffer) = self.buffers.get_mut(&path) else {
            return self.no_effect();
        };
        buffer.apply(edits, encoding);
        let text = buffer.text(&mut self.room);
        self.show(&path, text, version)
    }

    fn close(&mut self, path: &str) -> Effect {
        let path = self.world.interned(path);
        if self.buffers.remove(&path).is_none() {
            return self.no_effect();
        }
        if self.buffers.is_empty() {
            self.room = String::new();
        }
        let overlay = &self.world.texts.overlay;
        let last = overlay.get(&path).map(|file| file.entry.clone());
        let is_its = |it: &&OpenFile| it.opened_as.as_ref() == Some(&path);
        let mut changed: Vec<_> =
            overlay.iter().filter(is_its).map(|it| it.entry.path.clone()).collect();
        changed.push(path.clone());
        // The file on the disk often has the text that was in the editor last, so that entry is used again.
        self.replace_texts(changed, |world, changed| {
            world.texts.base = Arc::new(world.texts.base.after_change(changed, last.as_ref()));
            world.texts.overlay = Arc::new(world.texts.overlay.without(&path));
        })
    }

    fn disk_changed(&mut self, changed: &[String]) -> Effect {
        if changed.is_empty() {
            return self.no_effect();
        }
        let changed = changed.iter().map(|path| self.world.interned(path));
        // What is read through a link changes with what is behind it.
        let base = &self.world.texts.base;
        let changed = changed.flat_map(|path| [base.links_to(&path), vec![path]].concat());
        let changed: Vec<Arc<str>> = changed.collect();
        let is_changed = ChangedPaths::new(changed.iter().map(|path| &**path));
        let mut open = Vec::new();
        for file in self.world.texts.overlay.iter() {
            let path = &file.entry.path;
            let buffer = self.buffers.get(file.opened_as.as_ref().unwrap_or(path));
            if let Some(buffer) = buffer.filter(|_| is_changed.concerns(path)) {
                let text = buffer.text(&mut self.room);
                open.push((path.clone(), text, file.version, file.opened_as.clone()));
            }
        }
        self.replace_texts(changed.clone(), |world, changed| {
            world.texts.base = Arc::new(world.texts.base.after_change(changed, None));
            // The saved file may have another encoding now, and a link may lead to another file.
            for (path, text, version, opened_as) in open {
                let leads_there = |it: &Arc<str>| world.texts.base.other_paths(it).contains(&path);
                if opened_as.as_ref().is_none_or(leads_there) {
                    world.texts.put(&path, text, version, opened_as);
                } else {
                    world.texts.overlay = Arc::new(world.texts.overlay.without(&path));
                }
            }
        })
    }

    /// Puts `text` over the content on disk, at each path of the file that is not open itself.
    fn show(&mut self, path: &Arc<str>, text: Arc<str>, version: i32) -> Effect {
        let others = self.other_paths(path, &text);
        self.replace_texts([&others[..], std::slice::from_ref(path)].concat(), |world, _| {
            for other in others {
                world.texts.put(&other, text.clone(), version, Some(path.clone()));
            }
            world.texts.put(path, text, version, None);
        })
    }

    /// The paths at which a text also counts, because links lead from or to `path`, and no editor has opened them.
    fn other_paths(&self, path: &Arc<str>, text: &str) -> Vec<Arc<str>> {
        let world = &self.world;
        let mut others: BTreeSet<Arc<str>> =
            world.texts.base.other_paths(path).into_iter().collect();
        // There may be others that have not been read yet. They do not matter before the text is edited.
        if world.text_on_disk(path).is_none_or(|saved| *saved != *text)
            && let Some(environment) = world.environment_of(path)
        {
            others.extend(world.links_to(&environment, &world.real_path(path)));
        }
        others.retain(|it| it != path && !self.buffers.contains_key(it));
        others.into_iter().collect()
    }

    fn replace_texts(
        &mut self,
        mut paths: Vec<Arc<str>>,
        change: impl FnOnce(&mut World, &ChangedPaths<'_>),
    ) -> Effect {
        paths.sort_unstable();
        paths.dedup();
        let changed = ChangedPaths::new(paths.iter().map(|path| &**path));
        let before = &self.world;
        let mut world = before.successor();
        change(&mut world, &changed);
        if paths.iter().any(|path| may_define_functions(path)) {
            world.back_ends = Arc::default();
        }
        // Whether a directory exists is compared on both sides, so the change must be made before this.
        let kept = kept(&paths, before, &world);
        world.carry_over(before, &paths, kept);
        let is_settings_file_changed =
            paths.iter().any(|path| paths::file_name(path) == PROJECT_FILE);
        self.world = Arc::new(world);
        let revision = self.world.revision();
        Effect { revision, paths, is_structural: kept != Kept::All, is_settings_file_changed }
    }

    fn beside_texts(&mut self, change: impl FnOnce(&mut World)) -> Effect {
        let mut world = self.world.successor();
        world.carry_over(&self.world, &[], Kept::All);
        change(&mut world);
        self.world = Arc::new(world);
        Effect { revision: self.world.revision(), is_structural: true, ..Effect::default() }
    }

    fn structural(&mut self, change: impl FnOnce(&mut World)) -> Effect {
        let mut world = self.world.successor();
        change(&mut world);
        self.world = Arc::new(world);
        Effect { revision: self.world.revision(), is_structural: true, ..Effect::default() }
    }

    fn no_effect(&self) -> Effect {
        Effect { revision: self.world.revision(), ..Effect::default() }
    }
}

/// Whether back ends that run functions must read them again.
fn may_define_functions(path: &str) -> bool {
    matches!(paths::extension(path), "rb" | "pp")
}

/// What remains valid of `before` if only these files differ in `after`.
pub(super) fn kept(paths: &[Arc<str>], before: &World, after: &World) -> Kept {
    if paths.iter().any(|path| roots::is_structural(path, before, after)) {
        return Kept::Nothing;
    }
    // Inferred nodes depend on which files exist.
    let comes_or_goes = |path: &str| before.kind(path) != after.kind(path);
    // A link may lead to another file now, although its directory looks the same.
    let is_link = |path: &str| after.texts.overlay.get(path).is_none() && after.is_link(path);
    let changes_nodes =
        |path: &str| nodes::may_hold_facts(path, after) || comes_or_goes(path) || is_link(path);
    let is_all = !paths.iter().any(|path| changes_nodes(path));
    let kept = if is_all { Kept::All } else { Kept::Structure };
    // `Kept` is ordered: the largest value keeps the least.
    kept.max(kept_beside(paths, before, after))
}

/// What remains valid although directories that are listed again show more than these files: others that came or went. Their
/// own changes are reported later. By then, the listing contains them already, so they do not look new.
fn kept_beside<'a>(paths: &'a [Arc<str>], before: &World, after: &World) -> Kept {
    let (before, after, folders) = (&before.texts.base, &after.texts.base, &after.folders);
    if Arc::ptr_eq(before, after) {
        return Kept::All;
    }
    let is_ours = |it: &&str| folders.iter().any(|folder| paths::below(folder, it).is_some());
    let around = |path: &'a Arc<str>| {
        paths::parent(path).into_iter().chain(paths::ancestors(path).filter(is_ours))
    };
    let directories: BTreeSet<&str> = paths.iter().flat_map(around).collect();
    let mut kept = Kept::All;
    for directory in directories {
        // Nobody can have derived anything from a directory that was not listed.
        let Some(known) = before.known_list(directory) else { continue };
        let now = after.list(directory);
        if known == now {
            continue;
        }
        // A directory comes or goes with its first or last file, and may be a module.
        let is_known = |item: &DirItem| {
            let path = paths::join(directory, &item.name);
            !item.is_directory && (paths.iter().any(|it| **it == *path) || is_temporary(item))
        };
        let gone = known.iter().filter(|item| now.binary_search(item).is_err());
        let new = now.iter().filter(|item| known.binary_search(item).is_err());
        for item in gone.chain(new).filter(|item| !is_known(item)) {
            kept = kept.max(if item.is_directory { Kept::Nothing } else { Kept::Structure });
        }
    }
    kept
}

/// Whether editors make and remove files of such names beside those that they save.
fn is_temporary(item: &DirItem) -> bool {
    !item.is_directory && (item.name.starts_with('.') || item.name.ends_with('~'))
}

#[cfg(test)]
mod tests;
