//! The words in code that hiera-ls does not read as code: the Ruby code of modules, and modules outside the modulepath.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::config::Environment;
use crate::data::{Files as _, PathKind};
use crate::ide::searched_code::{RUBY, WITH_RUBY, files_below, words};
use crate::world::{ByEnvironment, Moment, World, paths};

/// What is kept from one snapshot to the next: the code of each environment, with the moment when it was collected.
#[derive(Default)]
struct UnreadCodeCache {
    collected: ByEnvironment<(Moment, Arc<UnreadCode>)>,
    /// Held while files are read, so that several threads do not collect the same.
    collecting: Mutex<()>,
}

/// A text, and the words in it.
type ReadText = (Arc<str>, Words);

type Words = Arc<HashSet<Arc<str>>>;

/// The words in the Ruby code and the ERB templates of an environment's modules, and in directories that look like modules but
/// are not on the modulepath.
pub(crate) struct UnreadCode {
    /// By path.
    files: HashMap<Arc<str>, ReadText>,
}

impl UnreadCode {
    /// The code in a snapshot. It is collected again only if code has changed, and then only changed files are read again.
    pub(crate) fn of(world: &World, environment: &Environment) -> Arc<Self> {
        let cache = world.attached::<UnreadCodeCache>();
        let _others_wait = cache.collecting.lock().unwrap_or_else(PoisonError::into_inner);
        let known = cache.collected.get(environment);
        if let Some((_, known)) = known.as_ref().filter(|(moment, _)| world.has_same_code(moment)) {
            return known.clone();
        }
        let new = Arc::new(Self::new(world, environment, known.as_ref().map(|(_, it)| &**it)));
        cache.collected.set(world, environment, (world.moment(), new.clone()));
        new
    }

    fn new(world: &World, environment: &Environment, before: Option<&Self>) -> Self {
        let files = environment.modules.values().flat_map(|it| ruby_files(world, it));
        let strays = stray_modules(world, environment).into_iter();
        let files = files.chain(strays.flat_map(|it| files_of_stray(world, &it)));
        let read = |path: Arc<str>| {
            let text = world.text(&path).ok()?;
            let known = before.and_then(|it| it.files.get(&path));
            let known = known.filter(|(known, _)| Arc::ptr_eq(known, &text));
            let known = known.map(|(_, words)| words.clone());
            let all = known.unwrap_or_else(|| Arc::new(words(&text).map(Arc::from).collect()));
            Some((path, (text, all)))
        };
        Self { files: files.filter_map(read).collect() }
    }

    /// Whether some file holds the word.
    pub(crate) fn hold(&self, word: &str) -> bool {
        self.files.values().any(|(_, words)| words.contains(word))
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
    let others = ["manifests", "functions", "templates"];
    found.extend(files_below(world, directory, &others, &["pp", "epp"]));
    found
}

/// The Ruby files and ERB templates of the module at `directory`.
pub(crate) fn ruby_files(world: &World, directory: &str) -> Vec<Arc<str>> {
    files_below(world, directory, &WITH_RUBY, &RUBY)
}
