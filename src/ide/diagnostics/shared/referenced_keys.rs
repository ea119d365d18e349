//! Which root keys the data of an environment refers to, and which words the Ruby code of its modules holds.
//!
//! What a file refers to is kept as long as its text; so after an edit only the edited file is read again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem;

use crate::config::Environment;
use crate::data::{Files as _, Format, PathKind};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::syntax::interpolation;
use crate::syntax::key_path;
use crate::world::{World, paths};

/// How deep below a module's `lib` and `templates` Ruby is looked for, and in how many files of a module.
const MAX_RUBY_DEPTH: usize = 6;
const MAX_RUBY_FILES: usize = 1_000;

/// What files refer to, by path, with the text that says so.
#[derive(Default)]
pub(crate) struct ReferenceCache {
    files: Mutex<HashMap<Arc<str>, ReadText>>,
}

/// A text, and the names in it.
type ReadText = (Arc<str>, Names);

type Names = Arc<HashSet<Arc<str>>>;

/// The references of one environment.
pub(crate) struct ReferencedKeys {
    of_data: Vec<Names>,
}

/// The words in the Ruby code and the ERB templates of an environment's modules, and in directories that look like modules but
/// are not on the modulepath.
pub(crate) struct UnreadCode {
    of_files: Vec<Names>,
}

impl ReferencedKeys {
    /// Reads what has changed since the last time.
    pub(crate) fn new(world: &Arc<World>, environment: &Arc<Environment>) -> Self {
        let cache = world.attached::<ReferenceCache>();
        let index = world.key_index(environment);
        let of_data = index.files().into_iter().map(|(path, format)| {
            cache.of(world, &path, |text| references(world, &path, format, text))
        });
        Self { of_data: of_data.filter(|keys| !keys.is_empty()).collect() }
    }

    /// Whether an interpolation or `lookup_options` name the key.
    pub(crate) fn by_data(&self, key: &str) -> bool {
        self.of_data.iter().any(|keys| keys.contains(key))
    }
}

impl UnreadCode {
    /// Reads what has changed since the last time.
    pub(crate) fn new(world: &World, environment: &Environment) -> Self {
        let cache = world.attached::<ReferenceCache>();
        let files = environment.modules.values().flat_map(|it| ruby_files(world, it));
        let strays = stray_modules(world, environment).into_iter();
        let files = files.chain(strays.flat_map(|it| files_of_stray(world, &it)));
        Self { of_files: files.map(|path| cache.of(world, &path, words)).collect() }
    }

    /// Whether some file holds the word.
    pub(crate) fn hold(&self, word: &str) -> bool {
        self.of_files.iter().any(|words| words.contains(word))
    }
}

/// Directories in that of the environment, or one further down, that have manifests and are no modules of it.
fn stray_modules(world: &World, environment: &Environment) -> Vec<String> {
    let Some(root) = &environment.root else { return Vec::new() };
    let below = |directory: &str| {
        let items = world.list(directory);
        let directories = items.iter().filter(|it| it.is_directory && !it.name.starts_with('.'));
        directories.map(|it| paths::join(directory, &it.name)).collect::<Vec<_>>()
    };
    let is_module = |path: &str| environment.modules.values().any(|it| **it == *path);
    let candidates =
        below(root).into_iter().flat_map(|it| std::iter::once(it.clone()).chain(below(&it)));
    let has_manifests =
        |it: &String| world.kind(&paths::join(it, "manifests")) == PathKind::Directory;
    candidates.filter(|it| has_manifests(it) && !is_module(it)).collect()
}

fn files_of_stray(world: &World, directory: &str) -> Vec<Arc<str>> {
    let mut found = ruby_files(world, directory);
    for below in ["manifests", "functions", "templates"] {
        collect(world, &paths::join(directory, below), &["pp", "epp"], MAX_RUBY_DEPTH, &mut found);
    }
    found
}

/// The Ruby files and ERB templates of the module at `directory`.
pub(crate) fn ruby_files(world: &World, directory: &str) -> Vec<Arc<str>> {
    let mut found = Vec::new();
    for below in ["lib", "templates"] {
        collect(world, &paths::join(directory, below), &["rb", "erb"], MAX_RUBY_DEPTH, &mut found);
    }
    found
}

impl ReferenceCache {
    fn of(
        &self,
        world: &World,
        path: &Arc<str>,
        read: impl Fn(&str) -> HashSet<Arc<str>>,
    ) -> Names {
        let Ok(text) = world.text(path) else { return Arc::default() };
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, keys)) = files.get(path)
            && Arc::ptr_eq(known, &text)
        {
            return keys.clone();
        }
        let keys = Arc::new(read(&text));
        files.insert(path.clone(), (text, keys.clone()));
        keys
    }
}

/// The root keys that a data file looks up or has options for.
fn references(world: &World, path: &str, format: Format, text: &str) -> HashSet<Arc<str>> {
    let mut keys = HashSet::new();
    if memmem::find(text.as_bytes(), b"%{").is_some() {
        for token in interpolation::tokens(text) {
            let root = token.lookup_key().and_then(|(key, _)| key_path::parse(key).ok());
            keys.extend(root.and_then(|path| path.root_name().cloned()));
        }
    }
    if memmem::find(text.as_bytes(), LOOKUP_OPTIONS.as_bytes()).is_some()
        && let Ok(data) = world.data(path, format)
        && let Some(options) = data.get(LOOKUP_OPTIONS).and_then(|it| it.value.value.as_hash())
    {
        keys.extend(options.iter().filter_map(|(key, _)| key.as_str()).map(Arc::from));
    }
    keys
}

fn words(text: &str) -> HashSet<Arc<str>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-');
    text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).map(Arc::from).collect()
}

fn collect(
    world: &World,
    directory: &str,
    extensions: &[&str],
    depth: usize,
    found: &mut Vec<Arc<str>>,
) {
    for item in world.list(directory).iter() {
        let path = paths::join(directory, &item.name);
        if item.is_directory && depth > 0 {
            collect(world, &path, extensions, depth - 1, found);
        } else if extensions.contains(&paths::extension(&item.name)) && found.len() < MAX_RUBY_FILES
        {
            found.push(path.into());
        }
    }
}
