//! The root keys that the data of an environment refers to, and the words in the Ruby code of its modules.
//!
//! The references of a file are kept as long as its text, so after an edit only the edited file is read again. The
//! references of all files are counted once and shared by all checks of the same snapshot.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use memchr::memmem;

use crate::config::Environment;
use crate::data::{Files as _, Format, PathKind};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::syntax::interpolation;
use crate::syntax::key_path;
use crate::world::{KeyIndex, World, paths};

/// The maximum depth below a module's `lib` and `templates` in which Ruby code is searched, and the maximum number of
/// files.
const MAX_RUBY_DEPTH: usize = 6;
const MAX_RUBY_FILES: usize = 1_000;

/// If more files than this have changed since the references were counted, they are counted again.
const MAX_CHANGED: usize = 64;

/// What is kept from one file to the next, and from one snapshot to the next.
#[derive(Default)]
pub(crate) struct ReferenceCache {
    /// The words of code, by path, with the text that holds them.
    code: Mutex<HashMap<Arc<str>, ReadText>>,
    /// By environment.
    collected: Mutex<HashMap<String, Collected>>,
}

/// What was collected for one key index. Each snapshot has its own key index.
#[derive(Default)]
struct Collected {
    index: Weak<KeyIndex>,
    referenced: Option<Arc<ReferencedKeys>>,
    unread_code: Option<Arc<UnreadCode>>,
}

/// A text, and the names in it.
type ReadText = (Arc<str>, Names);

type Names = Arc<HashSet<Arc<str>>>;

/// The references of one environment.
pub(crate) struct ReferencedKeys {
    counted: Arc<CountedReferences>,
    /// The references of files that are changed or new.
    added: Vec<Names>,
    /// The references of the same files when the references were counted.
    gone: Vec<Names>,
}

/// The references of all files at one moment.
#[derive(Default)]
struct CountedReferences {
    files: HashMap<Arc<str>, ReadText>,
    /// The number of files that refer to each key.
    counts: HashMap<Arc<str>, usize>,
}

/// The words in the Ruby code and the ERB templates of an environment's modules, and in directories that look like modules but
/// are not on the modulepath.
pub(crate) struct UnreadCode {
    of_files: Vec<Names>,
}

impl ReferencedKeys {
    /// The references in a snapshot. What has changed since the last time is read.
    pub(crate) fn of(world: &Arc<World>, environment: &Environment) -> Arc<Self> {
        world.attached::<ReferenceCache>().with(world, environment, |collected, index| {
            // The counts of an earlier snapshot are still useful: only files that have changed are searched again.
            let counted = collected.referenced.as_ref().map(|it| it.counted.clone());
            if collected.index.ptr_eq(&Arc::downgrade(index))
                && let Some(known) = &collected.referenced
            {
                return known.clone();
            }
            let new = Arc::new(Self::new(world, index, counted.unwrap_or_default()));
            collected.begin(index).referenced = Some(new.clone());
            new
        })
    }

    fn new(world: &World, index: &KeyIndex, counted: Arc<CountedReferences>) -> Self {
        let files = index.files();
        let (mut added, mut gone, mut known) = (Vec::new(), Vec::new(), 0);
        let mut changed: Vec<(&Arc<str>, Format, Arc<str>)> = Vec::new();
        for (path, format) in &files {
            let Ok(text) = world.text(path) else { continue };
            let before = counted.files.get(path);
            known += usize::from(before.is_some());
            match before {
                // A file that was not edited keeps the same text object, so the addresses show what has changed.
                Some((other, _)) if Arc::ptr_eq(other, &text) => {}
                Some((_, names)) => {
                    gone.push(names.clone());
                    changed.push((path, *format, text));
                }
                None => changed.push((path, *format, text)),
            }
        }
        // If a file was removed, its references no longer count.
        if changed.len() > MAX_CHANGED || known < counted.files.len() {
            let counted = Arc::new(CountedReferences::new(world, &files, &counted));
            return Self { counted, added: Vec::new(), gone: Vec::new() };
        }
        let names = |(path, format, text): (&Arc<str>, Format, Arc<str>)| {
            Arc::new(references(world, path, format, &text))
        };
        added.extend(changed.into_iter().map(names));
        Self { counted, added, gone }
    }

    /// Whether an interpolation or `lookup_options` name the key.
    pub(crate) fn by_data(&self, key: &str) -> bool {
        let among = |files: &[Names]| files.iter().filter(|names| names.contains(key)).count();
        // `gone` has the earlier references of changed files, which are still in the count.
        let counted = self.counted.counts.get(key).copied().unwrap_or(0);
        counted + among(&self.added) > among(&self.gone)
    }
}

impl CountedReferences {
    /// Reads the files that `before` had not read.
    fn new(world: &World, files: &[(Arc<str>, Format)], before: &Self) -> Self {
        let mut all = Self::default();
        // The same few keys are named very often.
        let mut texts: HashSet<Arc<str>> = HashSet::new();
        for (path, format) in files {
            let Ok(text) = world.text(path) else { continue };
            let known = before.files.get(path).filter(|(other, _)| Arc::ptr_eq(other, &text));
            let names = if let Some((_, names)) = known {
                names.clone()
            } else {
                let found = references(world, path, *format, &text).into_iter();
                Arc::new(found.map(|name| shared(&mut texts, name)).collect())
            };
            names.iter().for_each(|name| *all.counts.entry(name.clone()).or_default() += 1);
            all.files.insert(path.clone(), (text, names));
        }
        all
    }
}

/// The same text for the same name.
fn shared(texts: &mut HashSet<Arc<str>>, name: Arc<str>) -> Arc<str> {
    let known = texts.get(&name).cloned();
    known.unwrap_or_else(|| {
        texts.insert(name.clone());
        name
    })
}

impl UnreadCode {
    /// The code in a snapshot. What has changed since the last time is read.
    pub(crate) fn of(world: &Arc<World>, environment: &Environment) -> Arc<Self> {
        let cache = world.attached::<ReferenceCache>();
        cache.with(world, environment, |collected, index| {
            if collected.index.ptr_eq(&Arc::downgrade(index))
                && let Some(known) = &collected.unread_code
            {
                return known.clone();
            }
            let new = Arc::new(Self::new(world, environment, &cache));
            collected.begin(index).unread_code = Some(new.clone());
            new
        })
    }

    fn new(world: &World, environment: &Environment, cache: &ReferenceCache) -> Self {
        let files = environment.modules.values().flat_map(|it| ruby_files(world, it));
        let strays = stray_modules(world, environment).into_iter();
        let files = files.chain(strays.flat_map(|it| files_of_stray(world, &it)));
        Self { of_files: files.map(|path| cache.words_of(world, &path)).collect() }
    }

    /// Whether some file holds the word.
    pub(crate) fn hold(&self, word: &str) -> bool {
        self.of_files.iter().any(|words| words.contains(word))
    }
}

impl Collected {
    /// What was collected for another index is out of date, except for the count, from which the next one starts.
    fn begin(&mut self, index: &Arc<KeyIndex>) -> &mut Self {
        let own = Arc::downgrade(index);
        if !self.index.ptr_eq(&own) {
            self.unread_code = None;
            self.index = own;
        }
        self
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
    /// Lets `collect` read and extend what is known about an environment. Other threads wait, because they need the same.
    fn with<T>(
        &self,
        world: &Arc<World>,
        environment: &Environment,
        collect: impl FnOnce(&mut Collected, &Arc<KeyIndex>) -> T,
    ) -> T {
        let index = world.key_index(environment);
        let key = format!("{} {}", environment.name, environment.directory());
        // The lock is held while files are read, so that several threads do not collect the same.
        let mut collected = self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        collect(collected.entry(key).or_default(), &index)
    }

    fn words_of(&self, world: &World, path: &Arc<str>) -> Names {
        let Ok(text) = world.text(path) else { return Arc::default() };
        let mut files = self.code.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, found)) = files.get(path)
            && Arc::ptr_eq(known, &text)
        {
            return found.clone();
        }
        let found = Arc::new(words(&text));
        files.insert(path.clone(), (text, found.clone()));
        found
    }
}

/// The root keys that a data file looks up or has options for.
fn references(world: &World, path: &str, format: Format, text: &str) -> HashSet<Arc<str>> {
    let mut keys = HashSet::new();
    // The text is searched without a parser. A token in a comment counts as a use, which can only silence a finding.
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
    // Keys contain colons and dashes, so a key is one word here.
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
