//! The lookup_options in files that open paths can lead to: which keys they apply to, whatever the open variables are.
//!
//! They do not depend on the node, so evaluators of the same files share them. Otherwise each node of a fleet would search
//! all these files again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::evaluator::Evaluator;
use super::hierarchy::{Location, OpenLocation};
use super::invocation::Invocation;
use super::layer::{Layer, Which};
use super::lookup::LOOKUP_OPTIONS;
use super::open_paths::{is_refused, paths_of, refused_files};
use crate::data::{Format, Value};
use crate::facts::open_path::OpenPath;
use crate::syntax::interpolation;
use crate::syntax::ruby_regex::RubyRegex;

/// What is known of the lookup_options in files of open paths, for all evaluators that read the same texts in the same way.
#[derive(Debug, Default)]
pub struct OpenOptionsTable {
    paths: Mutex<HashMap<PathKey, Arc<OptionsOfPath>, foldhash::fast::RandomState>>,
}

/// The path, the format of its files, the module, and whether files that Puppet refuses are used.
type PathKey = (OpenPath, Format, Option<Arc<str>>, bool);

/// The lookup_options in the files of one path, computed on demand.
type OptionsOfPath = OnceLock<Arc<[OpenOptions]>>;

impl OpenOptionsTable {
    fn of(&self, key: PathKey) -> Arc<OptionsOfPath> {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(paths.entry(key).or_default())
    }
}

/// The lookup_options in files that open paths of a layer lead to, and those with keys of a wrong type in its other files.
/// `next` is a root key that is looked for in the same files after that.
pub(super) fn open_options<'l>(
    layer: &'l Layer,
    invocation: &Invocation<'_>,
    next: Option<&str>,
) -> impl Iterator<Item = &'l OpenOptions> {
    let found = layer.open_options.get_or_init(|| {
        let levels = layer.levels(invocation, Which::Hierarchy).as_deref().unwrap_or_default();
        let evaluator = invocation.evaluator;
        let mut found = Vec::new();
        for level in levels {
            let Some(format) = level.reads else { continue };
            for location in level.locations.iter().flatten() {
                found.push(match &location.open {
                    Some(open) => options_of_path(layer, evaluator, open, format, next),
                    None => odd_options_of_file(evaluator, location, format).into_iter().collect(),
                });
            }
        }
        found.retain(|it| !it.is_empty());
        found
    });
    found.iter().flat_map(|it| it.iter())
}

/// Whether some of the lookup_options of a layer may concern any key.
pub(super) fn has_odd_options(layer: &Layer, invocation: &Invocation<'_>) -> bool {
    open_options(layer, invocation, None).any(|it| it.is_odd)
}

/// Whether files that open paths lead to may have lookup_options for a root key.
pub(super) fn may_have_options_for(layer: &Layer, invocation: &Invocation<'_>, root: &str) -> bool {
    open_options(layer, invocation, Some(root)).any(|it| it.speak_of(root))
}

fn odd_options_of_file(
    evaluator: &Evaluator,
    location: &Location,
    format: Format,
) -> Option<OpenOptions> {
    let is_file = location.exists && !location.is_uri;
    is_file.then(|| OpenOptions::with_keys_of_a_wrong_type(evaluator, location, format))?
}

fn options_of_path(
    layer: &Layer,
    evaluator: &Evaluator,
    open: &OpenLocation,
    format: Format,
    next: Option<&str>,
) -> Arc<[OpenOptions]> {
    let module = layer.module.as_ref();
    let find = || find_options(module, evaluator, &open.path, format, next).into();
    let Some(table) = evaluator.open_options() else { return find() };
    let key = (open.path.clone(), format, module.cloned(), evaluator.reads_broken_files());
    Arc::clone(table.of(key).get_or_init(find))
}

fn find_options(
    module: Option<&Arc<str>>,
    evaluator: &Evaluator,
    path: &OpenPath,
    format: Format,
    next: Option<&str>,
) -> Vec<OpenOptions> {
    let files = evaluator.files().as_ref();
    let paths: Vec<Arc<str>> = if let Some(finder) = evaluator.key_finder() {
        let among = || paths_of(evaluator, path);
        let mut all = finder.files_with(LOOKUP_OPTIONS, next, &among);
        all.extend(refused_files(evaluator, module, (finder, &among), (path, format)));
        all.sort_unstable();
        all.dedup();
        path.fits_among(all.iter()).into_iter().flatten().map(|it| it.path).collect()
    } else {
        let all = evaluator.prepared().fits(files, path);
        files.expect(&all.iter().map(|it| (&*it.path, format)).collect::<Vec<_>>());
        all.iter().map(|it| Arc::clone(&it.path)).collect()
    };
    let asked: Vec<(&str, Format)> = paths.iter().map(|it| (&**it, format)).collect();
    let may_have = files.may_have(&asked, LOOKUP_OPTIONS);
    let options = |(path, may_have)| OpenOptions::of(evaluator, module, (path, format), may_have);
    paths.iter().zip(may_have).filter_map(options).collect()
}

/// The lookup_options of a file, as far as needed to know which keys they apply to.
#[derive(Debug, Clone)]
pub(super) struct OpenOptions {
    pub(super) path: Arc<str>,
    plain: HashSet<Arc<str>>,
    patterns: Vec<Arc<RubyRegex>>,
    /// Whether they may concern any key: they are not a hash, have keys with `%{…}` or of other modules, have invalid
    /// patterns, or contain lookups.
    is_odd: bool,
}

impl OpenOptions {
    /// The options of a file that is always read, if some of their keys are no texts: what they are merged with decides how
    /// every lookup fails.
    fn with_keys_of_a_wrong_type(
        evaluator: &Evaluator,
        location: &Location,
        format: Format,
    ) -> Option<Self> {
        let file = evaluator.files().data(&location.file, format).ok()?;
        let hash = file.get(LOOKUP_OPTIONS)?;
        let is_wrong = hash.value.value.as_hash()?.iter().any(|(key, _)| key.as_str().is_none());
        is_wrong.then(|| Self {
            path: Arc::clone(&location.file),
            plain: HashSet::new(),
            patterns: Vec::new(),
            is_odd: true,
        })
    }

    /// `may_have` says whether the file may have some.
    fn of(
        evaluator: &Evaluator,
        module: Option<&Arc<str>>,
        (path, format): (&Arc<str>, Format),
        may_have: bool,
    ) -> Option<Self> {
        let empty = Self {
            path: Arc::clone(path),
            plain: HashSet::new(),
            patterns: Vec::new(),
            is_odd: false,
        };
        let odd = || Some(Self { is_odd: true, ..empty.clone() });
        let Ok(file) = evaluator.files().data(path, format) else { return odd() };
        if is_refused(evaluator, module, &file) {
            return odd();
        }
        let entry = may_have.then(|| file.get(LOOKUP_OPTIONS))??;
        let Some(hash) = entry.value.value.as_hash() else {
            return odd();
        };
        let mut options = empty.clone();
        let is_foreign = |key: &str| {
            let key = key.strip_prefix('^').unwrap_or(key);
            module.is_some_and(|module| {
                key.strip_prefix(&**module).is_none_or(|rest| !rest.starts_with("::"))
            })
        };
        for (key, member) in hash {
            // Puppet fails every lookup for one inside lookup_options.
            options.is_odd |= may_call_a_function(&member.value.value);
            match key {
                Value::String(key) if is_foreign(key) => options.is_odd = true,
                Value::String(key) if key.contains("%{") => options.is_odd = true,
                Value::String(key) if key.starts_with('^') => {
                    match evaluator.prepared().regex(key) {
                        Ok(regex) => options.patterns.push(regex),
                        Err(_) => options.is_odd = true,
                    }
                }
                Value::String(key) => {
                    options.plain.insert(Arc::clone(key));
                }
                _ => options.is_odd = true,
            }
        }
        Some(options)
    }

    /// Whether an entry applies to a root key, or may make its lookup fail.
    pub(super) fn speak_of(&self, root: &str) -> bool {
        self.is_odd || self.plain.contains(root) || self.patterns.iter().any(|it| it.is_match(root))
    }
}

fn may_call_a_function(value: &Value) -> bool {
    match value {
        Value::String(text) => interpolation::may_have_tokens(text) && text.contains('('),
        Value::Array(items) => items.iter().any(|it| may_call_a_function(&it.value)),
        Value::Hash(hash) => hash.iter().any(|(key, member)| {
            may_call_a_function(key) || may_call_a_function(&member.value.value)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::{Files, MemoryFiles};
    use crate::facts::{Node, NodeParts, Origin};

    #[test]
    fn the_options_of_a_path_are_searched_for_once() {
        let files: Arc<dyn Files> = Arc::new(MemoryFiles::new([
            ("/e/hiera.yaml", "version: 5\nhierarchy: [{name: r, path: 'roles/%{role}.yaml'}]\n"),
            ("/e/data/roles/web.yaml", "lookup_options: {k: {merge: unique}}\nk: [1, 1]\n"),
            ("/e/data/roles/db.yaml", "k: [2]\n"),
        ]));
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let environment = Arc::new(environment);
        let table = Arc::new(OpenOptionsTable::default());
        let kept = || -> Vec<Arc<[OpenOptions]>> {
            let paths = table.paths.lock().expect("no panic");
            paths.values().filter_map(|it| it.get().cloned()).collect()
        };
        let mut first = None;
        for _ in 0..2 {
            let node = Arc::new(Node::partial(NodeParts::default(), &[], Origin::Any));
            let (files, environment) = (files.clone(), environment.clone());
            let evaluator = Evaluator::new(files, environment, node, PuppetVersion::V8)
                .sharing_open_options(table.clone());
            assert_eq!(evaluator.lookup("k").cases.len(), 3);
            let kept = kept();
            let [options] = kept.as_slice() else { panic!("one path: {kept:?}") };
            assert_eq!(options.len(), 1);
            assert!(options[0].speak_of("k") && !options[0].speak_of("l"));
            assert!(Arc::ptr_eq(first.get_or_insert_with(|| options.clone()), options));
        }
    }
}
