//! A snapshot of everything: its results never change, whatever happens on disk or in editors meanwhile.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use super::attachments::{Attachments, OfSnapshot};
use super::code::{CodeCache, may_hold_code};
use super::disk::{DiskReader, DiskTable};
use super::evaluators::Evaluators;
use super::file_entry::FileEntry;
use super::indexes::Indexes;
use super::node_classes::FleetClassesCache;
use super::nodes::NodesCache;
use super::overlay::OpenFile;
use super::paths;
use super::roots::RootsCache;
use super::texts::Texts;
use super::type_aliases::{AliasCache, may_define_types};
use crate::backends::{Announcer, Registry};
use crate::config::Environment;
use crate::data::{DataFile, DirItem, FileId, Files, Format, InvalidUtf8, OddItem, PathKind};
use crate::settings::Settings;
use crate::text::SharedText;

/// The user's choice of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Choice {
    /// No choice: the settings may name a node.
    #[default]
    None,
    /// Any node, whatever the settings name.
    AnyNode,
    /// The node of this name.
    Node(Arc<str>),
}

/// Files, environments, sample nodes and settings at one moment. Derived data is computed on demand, kept here, and passed on
/// to the next snapshot as long as it stays valid.
pub struct World {
    pub(super) revision: u64,
    pub(super) texts: Texts,
    pub(super) settings: Arc<Settings>,
    pub(super) folders: Arc<[Arc<str>]>,
    pub(super) choice: Choice,
    pub(super) assumed: Arc<[(Arc<str>, Arc<str>)]>,
    pub(super) roots: Arc<RootsCache>,
    pub(super) nodes: Arc<NodesCache>,
    pub(super) indexes: Indexes,
    pub(super) evaluators: Evaluators,
    pub(super) code: Arc<CodeCache>,
    pub(super) type_aliases: Arc<AliasCache>,
    pub(super) fleet_classes: Arc<FleetClassesCache>,
    pub(super) attachments: Arc<Attachments>,
    pub(super) of_snapshot: Arc<OfSnapshot>,
    /// Created on demand, and kept until its inputs change.
    pub(super) back_ends: Arc<OnceLock<Arc<Registry>>>,
    pub(super) announcer: Announcer,
    /// The environment that files belong to if several environments read them; `None` for the one that [`World::environment_of`]
    /// would choose.
    pub(super) view: Option<Arc<Environment>>,
}

impl World {
    pub(super) fn new(base: DiskTable) -> Self {
        let texts = Texts { base: Arc::new(base), overlay: Arc::default() };
        Self {
            revision: 0,
            indexes: Indexes::new(texts.clone()),
            texts,
            settings: Arc::default(),
            folders: Arc::from([]),
            choice: Choice::None,
            assumed: Arc::from([]),
            roots: Arc::default(),
            nodes: Arc::default(),
            evaluators: Evaluators::default(),
            code: Arc::default(),
            type_aliases: Arc::default(),
            fleet_classes: Arc::default(),
            attachments: Arc::default(),
            of_snapshot: Arc::default(),
            back_ends: Arc::default(),
            announcer: Announcer::default(),
            view: None,
        }
    }

    /// A separate world for a single request: the disk behind `reader`, without editors.
    pub fn on_disk(
        reader: Arc<dyn DiskReader>,
        folders: Vec<Arc<str>>,
        settings: Settings,
    ) -> Arc<Self> {
        let world = Self::new(DiskTable::new(reader));
        Arc::new(Self { folders: folders.into(), settings: Arc::new(settings), ..world })
    }

    /// Another world with the same folders on the disk of `reader`. Texts that both have in common are parsed once, and files
    /// have the same numbers.
    pub fn on_other_disk(&self, reader: Arc<dyn DiskReader>, settings: Settings) -> Arc<Self> {
        let world = Self::new(self.texts.base.on_other_disk(reader));
        let folders = self.folders.clone();
        Arc::new(Self { folders, settings: Arc::new(settings), ..world })
    }

    /// Reads from another disk from now on.
    pub(super) fn read_from(&mut self, reader: Arc<dyn DiskReader>) {
        self.texts.base = Arc::new(self.texts.base.emptied(reader));
        self.indexes = Indexes::new(self.texts.clone());
    }

    /// The same workspace as if no file were open in an editor.
    pub fn as_saved(&self) -> Arc<Self> {
        let mut world = self.successor();
        world.texts.overlay = Arc::default();
        let paths: Vec<Arc<str>> = self.paths_in_editors().collect();
        let kept = super::host::kept(&paths, self, &world);
        world.carry_over(self, &paths, kept);
        Arc::new(world)
    }

    /// What was read below `folders` and may have changed on disk since `time`. Only the attributes of files are read.
    pub fn changed_on_disk_since(&self, time: SystemTime, folders: &[String]) -> Vec<String> {
        self.texts.base.changed_since(time, folders)
    }

    /// The same workspace on another disk, with the same back ends.
    pub(super) fn at_revision(&self, disk: Arc<dyn DiskReader>) -> Arc<Self> {
        let texts =
            Texts { base: Arc::new(self.texts.base.on_other_disk(disk)), overlay: Arc::default() };
        Arc::new(Self { indexes: Indexes::new(texts.clone()), texts, ..self.successor() })
    }

    /// The same snapshot without the storage that snapshots share, so that it can be kept in that storage.
    pub(super) fn detached(&self) -> Arc<Self> {
        let mut world = self.successor();
        world.attachments = Arc::default();
        world.carry_over(self, &[], Kept::All);
        Arc::new(world)
    }

    /// Whether both give the same results because they have the same inputs.
    pub(super) fn is_same_moment(&self, other: &Self) -> bool {
        let is_same_overlay = Arc::ptr_eq(&self.texts.overlay, &other.texts.overlay)
            || self.texts.overlay.iter().chain(other.texts.overlay.iter()).next().is_none();
        is_same_overlay && self.has_same_disk(other)
    }

    /// Whether both have texts of editors, those of different moments. The saved files are no such moment.
    pub(super) fn has_other_unsaved_texts(&self, other: &Self) -> bool {
        let is_typed = |world: &Self| world.texts.overlay.iter().next().is_some();
        is_typed(self)
            && is_typed(other)
            && self.has_same_disk(other)
            && !self.is_same_moment(other)
    }

    /// The files that may have another text in the other snapshot: those in editors. `None` if the disk differs, so that any file
    /// may.
    pub fn files_that_may_differ(&self, other: &Self) -> Option<BTreeSet<Arc<str>>> {
        let open = self.paths_in_editors().chain(other.paths_in_editors());
        Arc::ptr_eq(&self.texts.base, &other.texts.base).then(|| open.collect())
    }

    /// [`Self::is_same_moment`] except for the texts in editors.
    pub(super) fn has_same_disk(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.texts.base, &other.texts.base)
            && Arc::ptr_eq(&self.settings, &other.settings)
            && Arc::ptr_eq(&self.folders, &other.folders)
            && Arc::ptr_eq(&self.assumed, &other.assumed)
            && Arc::ptr_eq(&self.back_ends, &other.back_ends)
    }

    /// The same workspace as if these files had these texts.
    pub fn as_if(&self, texts: &[(Arc<str>, Arc<str>)]) -> Arc<Self> {
        let mut world = self.successor();
        let mut paths: Vec<Arc<str>> = Vec::new();
        let at_all_paths = |(path, text): &(Arc<str>, Arc<str>)| {
            let others = self.texts.base.other_paths(path);
            let all = others.into_iter().chain([self.interned(path)]);
            all.map(|it| (it, text.clone())).collect::<Vec<_>>()
        };
        for (path, text) in texts.iter().flat_map(at_all_paths) {
            let known = self.texts.file(&path).ok();
            let entry = match known {
                Some(entry) => entry.edited(text.into()),
                None => Arc::new(FileEntry::new(path.clone(), self.id(&path), text.into())),
            };
            let overlay = world.texts.overlay.with(OpenFile { entry, version: 0, opened_as: None });
            world.texts.overlay = Arc::new(overlay);
            paths.push(path);
        }
        let kept = super::host::kept(&paths, self, &world);
        world.carry_over(self, &paths, kept);
        Arc::new(world)
    }

    /// Processes `files` in parts of at most `most` files, each with a snapshot. If there are several parts, the parsed files
    /// of each part are dropped with its snapshot.
    pub fn in_parts<'f, T>(
        self: &Arc<Self>,
        files: &'f [T],
        most: usize,
    ) -> impl Iterator<Item = (Arc<Self>, &'f [T])> {
        let is_one = files.len() <= most;
        files
            .chunks(most)
            .map(move |part| (if is_one { self.clone() } else { self.short_lived() }, part))
    }

    /// The same snapshot with nothing parsed. What does not depend on single files (nodes, keys) is computed before, once,
    /// and shared.
    pub(super) fn short_lived(&self) -> Arc<Self> {
        for environment in self.environments().iter() {
            self.key_index(environment);
        }
        let texts = Texts {
            base: Arc::new(self.texts.base.unparsed()),
            overlay: self.texts.overlay.clone(),
        };
        // The texts are the same, so it is the same moment, and results that are kept by its number stay valid.
        let of_snapshot = self.of_snapshot.clone();
        let mut world = Self { revision: self.revision, texts, of_snapshot, ..self.successor() };
        world.carry_over(self, &[], Kept::All);
        // There can be a view for each file, and only those of one part are needed together.
        world.nodes = Arc::new(self.nodes.without_views(&self.environments()));
        Arc::new(world)
    }

    /// The number of changes since the host was created.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The settings.
    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// The workspace's folders, in the editor's order.
    pub fn folders(&self) -> &[Arc<str>] {
        &self.folders
    }

    /// The name of the sample node that the user chose.
    pub fn active_node_name(&self) -> Option<&Arc<str>> {
        match &self.choice {
            Choice::Node(name) => Some(name),
            Choice::None | Choice::AnyNode => None,
        }
    }

    /// The assumptions about open variables.
    pub fn assumed(&self) -> &[(Arc<str>, Arc<str>)] {
        &self.assumed
    }

    /// The file at `path` with its lines; `Err` contains Ruby's message.
    pub fn file(&self, path: &str) -> Result<Arc<FileEntry>, String> {
        self.texts.file(path)
    }

    /// Whether a file can be created at `path`, which does not exist.
    pub fn can_create(&self, path: &str) -> bool {
        self.texts.base.can_create(path)
    }

    /// Whether the file at `path` may be read, if it exists.
    pub fn may_read(&self, path: &str) -> bool {
        self.texts.base.may_read(path)
    }

    /// Whether the files in a directory may be read; those outside of a workspace may be out of bounds.
    pub fn may_read_in(&self, directory: &str) -> bool {
        self.texts.base.may_read_in(directory)
    }

    /// Whether the file has the same text in another snapshot, or can be read in neither. Texts that both share are not compared.
    pub fn has_same_text_in(&self, other: &Self, path: &str) -> bool {
        let text = |world: &Self| world.texts.file(path).ok().map(|entry| entry.text.clone());
        text(self) == text(other)
    }

    /// Reads files that are needed one after the other, on all processors.
    pub fn read_together<'a>(&self, paths: impl Iterator<Item = &'a str>) {
        self.texts.read_together(paths, &|| true, &|_| {});
    }

    /// The file's text on disk, whatever is open in an editor.
    pub fn text_on_disk(&self, path: &str) -> Option<SharedText> {
        self.texts.base.file(path).ok().map(|entry| entry.text.clone())
    }

    /// What has been left out so far, because it is too large or cannot be read; in sentences for users.
    pub fn notes(&self) -> Vec<String> {
        self.texts.base.notes()
    }

    /// The files that are open in editors, sorted by path.
    pub fn open_files(&self) -> impl Iterator<Item = &OpenFile> {
        self.texts.overlay.iter().filter(|open| open.opened_as.is_none())
    }

    /// The paths that have texts of editors, sorted: also those by which a link leads to an open file.
    pub fn paths_in_editors(&self) -> impl Iterator<Item = Arc<str>> {
        self.texts.overlay.iter().map(|open| open.entry.path.clone())
    }

    /// The file at `path` if it is open in an editor.
    pub fn open_file(&self, path: &str) -> Option<&OpenFile> {
        self.texts.overlay.get(path).filter(|open| open.opened_as.is_none())
    }

    /// `path` in normal form; the same allocation for the life of the process.
    pub fn interned(&self, path: &str) -> Arc<str> {
        self.path(self.id(&paths::normalise(path)))
    }

    /// A path of the settings; relative paths start in the directory of the settings.
    pub fn settings_path(&self, path: &str) -> String {
        paths::join(&self.settings_directory(), path)
    }

    /// Where relative paths of the settings start: the project file's directory, or else the first folder.
    pub fn settings_directory(&self) -> Arc<str> {
        let directory = self.settings.directory.as_ref().or_else(|| self.folders.first());
        directory.cloned().unwrap_or_else(|| Arc::from("/"))
    }

    /// Where the baseline's path and the paths in it start.
    pub fn baseline_directory(&self) -> Arc<str> {
        let directory = self.settings.baseline_directory.clone();
        directory.unwrap_or_else(|| self.settings_directory())
    }

    /// The file with the known findings.
    pub fn baseline_path(&self) -> String {
        paths::join(&self.baseline_directory(), &self.settings.diagnostics.baseline)
    }

    /// The back ends of the workspace.
    pub fn back_ends(&self) -> &Arc<Registry> {
        self.back_ends.get_or_init(|| {
            let root = self.settings_directory();
            let announcer = self.announcer.clone();
            Arc::new(Registry::new(self.settings.backends.clone(), root, announcer))
        })
    }

    /// The next snapshot before anything is changed, without any derived data.
    pub(super) fn successor(&self) -> Self {
        Self {
            revision: self.revision + 1,
            texts: self.texts.clone(),
            settings: self.settings.clone(),
            folders: self.folders.clone(),
            choice: self.choice.clone(),
            assumed: self.assumed.clone(),
            roots: Arc::default(),
            nodes: Arc::default(),
            evaluators: Evaluators::default(),
            code: Arc::default(),
            type_aliases: Arc::default(),
            fleet_classes: Arc::default(),
            attachments: self.attachments.clone(),
            of_snapshot: Arc::default(),
            back_ends: self.back_ends.clone(),
            announcer: self.announcer.clone(),
            view: self.view.clone(),
            indexes: Indexes::new(self.texts.clone()),
        }
    }

    /// Takes over the derived data of `before` that the change left valid.
    pub(super) fn carry_over(&mut self, before: &Self, paths: &[Arc<str>], kept: Kept) {
        if kept == Kept::Nothing {
            // `successor` made indexes of the texts before the change.
            self.indexes = Indexes::new(self.texts.clone());
            return;
        }
        self.roots = before.roots.clone();
        let of_code: Vec<_> =
            paths.iter().filter(|path| may_hold_code(path, before, self)).collect();
        self.code = self.code_after(before, &of_code);
        if of_code.is_empty() && !paths.iter().any(|path| may_define_types(path)) {
            self.type_aliases = before.type_aliases.clone();
        }
        self.evaluators = before.evaluators.successors(kept, paths, &before.texts);
        self.indexes = before.indexes.after_change(paths, &self.texts);
        if kept == Kept::All {
            self.nodes = before.nodes.clone();
        }
        // Classes depend on data and code, so any edit may change them.
        if kept == Kept::All && paths.is_empty() {
            self.fleet_classes = before.fleet_classes.clone();
        }
    }
}

/// The derived data that a change of texts leaves valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kept {
    /// Everything that was derived from other texts.
    All,
    /// Everything except the sample nodes.
    Structure,
    /// Nothing: the hierarchy or the modules changed.
    Nothing,
}

impl Files for World {
    fn kind(&self, path: &str) -> PathKind {
        self.texts.kind(path)
    }

    fn list(&self, directory: &str) -> Arc<[DirItem]> {
        self.texts.list(directory)
    }

    fn odd_items(&self, directory: &str) -> Arc<[OddItem]> {
        self.texts.odd_items(directory)
    }

    fn target_of_link(&self, path: &str) -> Option<String> {
        self.texts.target_of_link(path)
    }

    fn text(&self, path: &str) -> Result<Arc<str>, String> {
        self.texts.text(path)
    }

    fn data(&self, path: &str, format: Format) -> Result<Arc<DataFile>, String> {
        self.texts.data(path, format)
    }

    fn invalid_utf8(&self, path: &str) -> Option<InvalidUtf8> {
        self.texts.invalid_utf8(path)
    }

    fn environment_variable(&self, name: &str) -> Option<Arc<str>> {
        self.texts.environment_variable(name)
    }

    fn may_have(&self, files: &[(&str, Format)], key: &str) -> Vec<bool> {
        self.texts.may_have(files, key)
    }

    fn expect(&self, files: &[(&str, Format)]) {
        self.texts.expect(files);
    }

    fn left_out(&self, path: &str, why: String) {
        self.texts.left_out(path, why);
    }

    fn id(&self, path: &str) -> FileId {
        self.texts.id(path)
    }

    fn path(&self, file: FileId) -> Arc<str> {
        self.texts.path(file)
    }
}
