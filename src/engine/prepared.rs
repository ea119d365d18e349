//! What evaluators of the same files can share, whatever their nodes are: configurations, regular expressions, and the
//! results of globs.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::failure::Failure;
use super::path_files::PathFiles;
use super::undefined_variable::classes_of;
use crate::config::hiera_yaml::{ConfigProblem, LayerKind};
use crate::config::{HieraYaml, PuppetVersion, glob};
use crate::data::Files;
use crate::facts::open_path::OpenPath;
use crate::syntax::ruby_regex::{self, RegexProblem, RubyRegex};

/// Created once and shared. It identifies files by their paths alone, so it must not outlive a change of a hiera.yaml.
#[derive(Debug, Default)]
pub struct Prepared {
    configs: Arc<Table<ConfigKey, ReadConfig>>,
    regexes: Arc<Table<Arc<str>, Translated>>,
    globs: Table<Arc<str>, Arc<[Arc<str>]>>,
    open_paths: Table<OpenPath, Arc<PathFiles>>,
    directories: Table<OpenPath, Arc<[Arc<str>]>>,
    paths_of_hierarchies: Table<HierarchyKey, Arc<[OpenPath]>>,
    by_slashes: Table<HierarchyKey, FilesBySlashes>,
    classes: Arc<Table<Arc<str>, Classes>>,
    /// Texts that the levels of many nodes contain, most of them paths.
    texts: RwLock<HashSet<Arc<str>, foldhash::fast::RandomState>>,
    /// Whether some text read a variable that depends on the code that calls.
    reads_caller: AtomicBool,
}

/// The maximum number of patterns that are kept.
const MAX_REGEXES: usize = 16_384;

type Table<K, V> = RwLock<HashMap<K, V, foldhash::fast::RandomState>>;

type Translated = Result<Arc<RubyRegex>, RegexProblem>;

type ConfigKey = (Arc<str>, LayerKind, PuppetVersion);

/// The path of a hiera.yaml, and the name of the environment.
type HierarchyKey = (Arc<str>, Arc<str>);

/// The files to which the paths of a hiera.yaml lead only by texts with a slash.
type FilesBySlashes = Arc<[Arc<str>]>;

/// The text of a file of Puppet code, and the classes in it.
type Classes = (Arc<str>, Arc<[Arc<str>]>);

/// A hiera.yaml and its problems.
type ReadConfig = Arc<(Option<Arc<HieraYaml>>, Vec<ConfigProblem>)>;

impl Prepared {
    /// A copy for use after files were added or deleted.
    #[must_use]
    pub fn for_other_files(&self) -> Self {
        Self {
            configs: Arc::clone(&self.configs),
            regexes: Arc::clone(&self.regexes),
            globs: Table::default(),
            open_paths: Table::default(),
            directories: Table::default(),
            paths_of_hierarchies: Table::default(),
            by_slashes: Table::default(),
            classes: Arc::clone(&self.classes),
            texts: RwLock::default(),
            reads_caller: self.reads_caller().into(),
        }
    }

    /// Whether some text read a variable that depends on the code that calls a lookup, such as `module_name`, since the
    /// hierarchies are known. If none did, lookups find the same from everywhere.
    pub(crate) fn reads_caller(&self) -> bool {
        self.reads_caller.load(Ordering::Relaxed)
    }

    /// What `look_up` returns, if it is the same wherever the lookup is called from.
    pub(crate) fn whoever_calls<T>(&self, look_up: impl FnOnce() -> T) -> Option<T> {
        if self.reads_caller() {
            return None;
        }
        let found = look_up();
        // This lookup may be the first that reads such a variable.
        (!self.reads_caller()).then_some(found)
    }

    /// Notes that a text reads such a variable.
    pub(super) fn note_read_of_caller(&self) {
        self.reads_caller.store(true, Ordering::Relaxed);
    }

    /// The same text, once in memory: most levels of most nodes have the same paths.
    pub(super) fn shared_text(&self, text: &str) -> Arc<str> {
        let known = self.texts.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(text) {
            return Arc::clone(known);
        }
        drop(known);
        let shared: Arc<str> = text.into();
        let mut texts = self.texts.write().unwrap_or_else(PoisonError::into_inner);
        texts.insert(Arc::clone(&shared));
        shared
    }

    pub(crate) fn glob(&self, files: &dyn Files, pattern: &Arc<str>) -> Arc<[Arc<str>]> {
        kept(&self.globs, Arc::clone(pattern), || glob::glob(files, pattern).into())
    }

    /// The files that an open path can lead to.
    pub(super) fn fits(&self, files: &dyn Files, path: &OpenPath) -> Arc<PathFiles> {
        if let Some(known) = self.known_fits(path) {
            return known;
        }
        let found = Arc::new(PathFiles::new(path.fits(files)));
        let mut open_paths = self.open_paths.write().unwrap_or_else(PoisonError::into_inner);
        open_paths.insert(path.clone(), Arc::clone(&found));
        found
    }

    /// The directories that an open path can lead to. They are known without [`Self::fits`], which can be a long list.
    pub(super) fn directories(&self, files: &dyn Files, path: &OpenPath) -> Arc<[Arc<str>]> {
        kept(&self.directories, path.clone(), || path.directories(files).into())
    }

    /// The classes that the file of Puppet code at `path` declares; none if it does not exist. The file is read again if its text is
    /// another one, because code may be edited while hierarchies stay the same.
    pub(super) fn classes_in(&self, files: &dyn Files, path: &str) -> Arc<[Arc<str>]> {
        let Ok(text) = files.text(path) else { return Arc::default() };
        let known = self.classes.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, classes)) = known.get(path)
            && *of == text
        {
            return Arc::clone(classes);
        }
        drop(known);
        let classes = classes_of(path, &text);
        let mut known = self.classes.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(path.into(), (text, Arc::clone(&classes)));
        classes
    }

    /// The paths of a hiera.yaml; `find` makes them the first time.
    pub(super) fn paths_of_hierarchy(
        &self,
        key: HierarchyKey,
        find: impl FnOnce() -> Arc<[OpenPath]>,
    ) -> Arc<[OpenPath]> {
        kept(&self.paths_of_hierarchies, key, find)
    }

    /// The files that only texts with slashes lead to; `find` looks for them the first time.
    pub(super) fn files_by_slashes(
        &self,
        key: HierarchyKey,
        find: impl FnOnce() -> FilesBySlashes,
    ) -> FilesBySlashes {
        kept(&self.by_slashes, key, find)
    }

    /// [`Self::fits`], if they were looked for before.
    pub(super) fn known_fits(&self, path: &OpenPath) -> Option<Arc<PathFiles>> {
        let known = self.open_paths.read().unwrap_or_else(PoisonError::into_inner);
        known.get(path).cloned()
    }

    pub(crate) fn config(
        &self,
        files: &dyn Files,
        path: &str,
        (kind, module): (LayerKind, Option<&str>),
        version: PuppetVersion,
    ) -> Result<ReadConfig, Failure> {
        let key = (Arc::from(path), kind, version);
        let known = self.configs.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&key) {
            return Ok(Arc::clone(known));
        }
        drop(known);
        let (config, problems) = HieraYaml::of_layer(files, path, (kind, module), version)
            .map_err(|message| Failure::ruby("SystemCallError", message))?;
        let read = Arc::new((config.map(Arc::new), problems));
        let mut configs = self.configs.write().unwrap_or_else(PoisonError::into_inner);
        configs.insert(key, Arc::clone(&read));
        Ok(read)
    }

    /// The translation of Ruby's pattern `source`, which is made once.
    ///
    /// # Errors
    /// Ruby's own message, or that the pattern cannot be translated.
    pub fn regex(&self, source: &str) -> Translated {
        let known = self.regexes.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(source) {
            return known.clone();
        }
        drop(known);
        let translated = ruby_regex::translate(source).map(Arc::new);
        let mut regexes = self.regexes.write().unwrap_or_else(PoisonError::into_inner);
        // A pattern that is being typed is another one after each character.
        if regexes.len() >= MAX_REGEXES {
            regexes.clear();
        }
        regexes.insert(source.into(), translated.clone());
        translated
    }
}

/// What a table has for a key; `make` is called the first time. It may take long, and read other tables.
fn kept<K: Eq + Hash, V: Clone>(table: &Table<K, V>, key: K, make: impl FnOnce() -> V) -> V {
    let known = table.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    known.unwrap_or_else(|| {
        let made = make();
        table.write().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
        made
    })
}
