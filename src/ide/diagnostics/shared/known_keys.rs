//! The keys that an environment's data can have, as far as files show, and where they may have other keys.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::backends::Registry;
use crate::config::hiera_yaml::{LayerKind, Level, Locations};
use crate::config::{Environment, HieraYaml};
use crate::data::{Files as _, PathKind, inspect};
use crate::engine::module_of_key;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::Related;
use crate::ide::diagnostics::shared::circles::Circles;
use crate::ide::diagnostics::shared::kept_by_name::KeptByName;
use crate::ide::diagnostics::shared::near::{end_in_short_names, near_key};
use crate::ide::diagnostics::shared::option_keys::{Demands, OptionKeys};
use crate::limits::MAX_SLOW_COMPARISONS;
use crate::syntax::ruby_regex::RubyRegex;
use crate::world::{KeyIndex, Structure, World, paths};

/// The back ends that read files.
pub(crate) const FILE_BACKENDS: [&str; 4] =
    ["yaml_data", "json_data", "hocon_data", "eyaml_lookup_key"];

/// The keys of one environment.
pub(crate) struct KnownKeys<'a> {
    world: &'a Arc<World>,
    environment: Arc<Environment>,
    index: Arc<KeyIndex>,
    kept: Arc<KeptForKeys>,
    /// The keys that slow patterns match, by the pattern's address. This is kept for each file, because a file may use only so many
    /// of them.
    by_slow_pattern: RefCell<HashMap<*const RubyRegex, (Arc<RubyRegex>, Names)>>,
}

/// What is found about the keys of a snapshot. Thousands of its files have the same keys.
#[derive(Default)]
struct KeptForKeys {
    /// Where keys without a module may come from.
    elsewhere: OnceLock<Elsewhere>,
    options: OnceLock<Arc<OptionKeys>>,
    /// Where keys of modules may come from, for the modules that were checked so far.
    of_modules: KeptByName<Elsewhere>,
    all: OnceLock<Vec<Arc<str>>>,
    /// The keys of several lines.
    of_lines: OnceLock<Vec<Arc<str>>>,
    /// By prefix.
    by_prefix: KeptByName<Names>,
    /// By prefix.
    shared: KeptByName<Arc<Siblings>>,
    circles: Circles,
}

/// Keys, sorted.
type Names = Arc<[Arc<str>]>;

/// Where keys may come from that no file of the workspace has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Elsewhere {
    Nowhere,
    /// Files that are stored elsewhere. Lookups here do not see them.
    MissingFiles,
    /// Functions, for which lookups here may have sample data, or levels that cannot be read.
    Functions,
}

/// Where keys may come from that hiera.yaml files have levels for, each with the structure for which this was computed.
#[derive(Default)]
struct KnownElsewhere {
    known: Mutex<HashMap<String, (Structure, Elsewhere)>>,
}

/// The maximum number of `hiera.yaml` files for which this is kept. Few workspaces have more.
const MAX_CONFIGS: usize = 4_096;

/// The keys with the same prefix.
pub(crate) struct Siblings {
    /// How many there are.
    pub(crate) count: usize,
    /// Those that are in several files, sorted.
    pub(crate) shared: Vec<Arc<str>>,
}

impl<'a> KnownKeys<'a> {
    /// Reads all data files of the environment the first time.
    pub(crate) fn new(world: &'a Arc<World>, environment: Arc<Environment>) -> Self {
        let index = world.key_index(&environment);
        let kept = world.of_snapshot(&environment);
        Self { world, environment, index, kept, by_slow_pattern: RefCell::default() }
    }

    /// Where keys without a module may come from.
    fn elsewhere(&self) -> Elsewhere {
        *self.kept.elsewhere.get_or_init(|| {
            // If only a module is open, the data of the environment is not known.
            let Some(root) = &self.environment.root else { return Elsewhere::Functions };
            let own =
                self.elsewhere_of_config(&paths::join(root, "hiera.yaml"), LayerKind::Environment);
            let global = self.environment.global_config.as_ref();
            let global = global.map(|it| self.elsewhere_of_config(it, LayerKind::Global));
            own.max(global.unwrap_or(Elsewhere::Nowhere))
        })
    }

    /// Whether there is no data file at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Whether some file has the root key.
    pub(crate) fn contains(&self, key: &str) -> bool {
        self.index.contains(key)
    }

    /// Whether no file has the root key, or can be meant to have it: what is in a file that Puppet refuses is not known.
    pub(crate) fn is_missing(&self, key: &str) -> bool {
        !self.index.contains(key) && !self.may_be_refused(key)
    }

    /// [`KeyIndex::may_be_refused`]
    pub(crate) fn may_be_refused(&self, key: &str) -> bool {
        self.index.may_be_refused(key)
    }

    /// [`KeyIndex::has_refused_files`]
    pub(crate) fn has_refused_files(&self) -> bool {
        self.index.has_refused_files()
    }

    /// Whether there may be keys that no file of the workspace has: keys of `module`, or keys without a module.
    pub(crate) fn is_open(&self, module: Option<&str>) -> bool {
        self.elsewhere_for(module) != Elsewhere::Nowhere
    }

    /// Whether lookups here may find keys of `module`, or keys without a module, that no file of the workspace has.
    fn may_find_others(&self, module: Option<&str>) -> bool {
        self.elsewhere_for(module) == Elsewhere::Functions
    }

    /// Where keys of `module`, or keys without a module, may come from.
    fn elsewhere_for(&self, module: Option<&str>) -> Elsewhere {
        // For Puppet, the whole of `::a::b` is the name of its module, and no module has such a name.
        let module = module.filter(|it| !it.contains("::"));
        let of_module = module.map_or(Elsewhere::Nowhere, |module| {
            self.kept.of_modules.get_or(module, || {
                let Some(directory) = self.environment.modules.get(module) else {
                    return Elsewhere::Functions;
                };
                self.elsewhere_of_config(&paths::join(directory, "hiera.yaml"), LayerKind::Module)
            })
        });
        self.elsewhere().max(of_module)
    }

    /// Whether a lookup of the root key here certainly looks up nothing else, as long as the facts of the node do not.
    pub(crate) fn looks_up_nothing(&self, key: &str) -> bool {
        !self.may_find_others(self.module_with_data(key))
            && !self.index.may_call(key)
            && !self.index.may_call(LOOKUP_OPTIONS)
    }

    /// Whether a hash merge can certainly merge all values of the root key, as long as the facts of the node look up nothing.
    pub(crate) fn has_only_hashes(&self, key: &str) -> bool {
        self.is_all_here(key) && !self.index.may_not_merge_as_hash(key)
    }

    /// The same for a unique merge, whatever the order of the values.
    pub(crate) fn has_only_items(&self, key: &str) -> bool {
        self.is_all_here(key) && !self.index.may_not_merge_as_list(key)
    }

    /// Whether a root key has values, and all of them are in files.
    fn is_all_here(&self, key: &str) -> bool {
        self.contains(key) && !self.is_open(self.module_with_data(key))
    }

    /// The module of a key, if it is installed.
    fn module_with_data<'k>(&self, key: &'k str) -> Option<&'k str> {
        module_of_key(key).filter(|it| self.environment.modules.contains_key(*it))
    }

    /// Whether lookups here may find `lookup_options` for the root key, for any node.
    pub(crate) fn may_have_options(&self, key: &str) -> bool {
        self.may_find_others(self.module_with_data(key)) || self.options().may_apply_to(key)
    }

    /// What `lookup_options` that lookups here find may request for the root key, for any node; `None` if not all of them are
    /// known.
    pub(crate) fn demands(&self, key: &str) -> Option<Demands> {
        let may_find_others = self.may_find_others(self.module_with_data(key));
        (!may_find_others).then(|| self.options().demands(key))
    }

    /// Whether lookups here certainly do not lead from the root key back to it, as long as the facts of the node look up nothing.
    pub(crate) fn never_leads_back(&self, key: &str) -> bool {
        let may_find_others = |key: &str| self.may_find_others(self.module_with_data(key));
        self.kept.circles.has_none(&self.index, key, may_find_others)
    }

    /// Whether lookup options may make the values of the root key sensitive, for any node.
    pub(crate) fn may_be_sensitive(&self, key: &str) -> bool {
        self.is_open(self.module_with_data(key)) || self.options().may_make_sensitive(key)
    }

    fn options(&self) -> &OptionKeys {
        let read = || OptionKeys::of(self.world, &self.environment, &self.index);
        self.kept.options.get_or_init(read)
    }

    /// The key that a misspelt one was meant to be. It is not `here`, the root key of the entry that names it: a value that
    /// looks itself up never ends.
    pub(crate) fn near(&self, key: &str, here: &str) -> Option<Arc<str>> {
        let keys = self.keys().iter().map(|it| &**it);
        let keys = keys.filter(|it| *it != here && !end_in_short_names(key, it));
        near_key(key, keys).map(Arc::from)
    }

    /// The root keys that start with `prefix`, sorted.
    pub(crate) fn keys_in(&self, prefix: &str) -> Names {
        self.kept.by_prefix.get_or(prefix, || self.index.keys_in(prefix).into())
    }

    /// The number of files that have the root key, counted up to `most`.
    pub(crate) fn count(&self, key: &str, most: usize) -> usize {
        self.index.count(key, most)
    }

    /// The keys that start with `prefix` and are in several files, sorted.
    pub(crate) fn shared_keys_in(&self, prefix: &str) -> Arc<Siblings> {
        self.kept.shared.get_or(prefix, || {
            let (count, shared) = self.index.shared_keys_in(prefix);
            Arc::new(Siblings { count, shared })
        })
    }

    /// Points to the key in the first file that has it.
    pub(crate) fn related(&self, key: &str) -> Option<Related> {
        let (places, _) = self.index.first_places(key, 1);
        let place = places.into_iter().next()?;
        let message = format!("`{key}` is here");
        Some(Related { path: Some(place.path), range: place.key, message })
    }

    /// All keys, sorted.
    pub(crate) fn keys(&self) -> &[Arc<str>] {
        self.kept.all.get_or_init(|| self.index.keys())
    }

    /// The keys that an expression matches, sorted, except that keys with several lines come last. `None` if too many keys
    /// were compared with slow patterns.
    pub(crate) fn matching(&self, regex: &Arc<RubyRegex>) -> Option<Names> {
        let address = Arc::as_ptr(regex);
        if let Some((_, known)) = self.by_slow_pattern.borrow().get(&address) {
            return Some(known.clone());
        }
        let compared = self.by_slow_pattern.borrow().len() * self.keys().len();
        if regex.is_slow() && compared > MAX_SLOW_COMPARISONS {
            return None;
        }
        let found: Names = self.all_matching(regex).cloned().collect::<Vec<_>>().into();
        if regex.is_slow() {
            // Keep the pattern, so that no other pattern gets its address.
            let kept = (Arc::clone(regex), found.clone());
            self.by_slow_pattern.borrow_mut().insert(address, kept);
        }
        Some(found)
    }

    fn all_matching<'s>(&'s self, regex: &'s RubyRegex) -> impl Iterator<Item = &'s Arc<str>> {
        let keys = self.keys();
        // In Ruby, `^` matches at the start of every line, so a key of several lines need not start with the pattern's prefix.
        let has_lines = |key: &&Arc<str>| key.contains('\n');
        let of_lines =
            self.kept.of_lines.get_or_init(|| keys.iter().filter(has_lines).cloned().collect());
        // The keys are sorted, so those with the pattern's fixed prefix are next to one another.
        let start = keys.partition_point(|key| **key < *regex.prefix());
        let with_prefix = keys[start..].iter().take_while(|key| key.starts_with(regex.prefix()));
        let others = with_prefix.filter(move |key| !has_lines(key)).chain(of_lines);
        others.filter(|key| regex.is_match(key))
    }

    /// [`World::pattern`]
    pub(crate) fn pattern(&self, text: &str) -> Option<Arc<RubyRegex>> {
        self.world.pattern(text)
    }

    /// The result is the same for all files, and edits of data do not change it.
    fn elsewhere_of_config(&self, path: &str, layer: LayerKind) -> Elsewhere {
        let cache = self.world.attached::<KnownElsewhere>();
        let lock = || cache.known.lock().unwrap_or_else(PoisonError::into_inner);
        let own = self.world.structure();
        if let Some((structure, known)) = lock().get(path)
            && *structure == own
        {
            return *known;
        }
        // The lock is not held while the file is read. If two threads compute the same, the results are equal.
        let found = self.find_elsewhere_of_config(path, layer);
        let mut known = lock();
        if known.len() >= MAX_CONFIGS {
            known.clear();
        }
        known.insert(path.to_owned(), (own, found));
        found
    }

    fn find_elsewhere_of_config(&self, path: &str, layer: LayerKind) -> Elsewhere {
        // Without the file, there is no level, or only the one of Puppet's built-in hierarchy, which reads a file.
        let version = self.world.settings().puppet_version;
        let is_there = self.world.kind(path) != PathKind::Missing;
        if !is_there && layer != LayerKind::Module {
            return Elsewhere::Nowhere;
        }
        // The name is only a part of the names of functions.
        let module = (layer == LayerKind::Module).then_some("");
        // Nothing is known about levels that cannot be read.
        let unknown = if is_there { Elsewhere::Functions } else { Elsewhere::Nowhere };
        let Ok((config, _)) = HieraYaml::of_layer(&**self.world, path, (layer, module), version)
        else {
            return Elsewhere::Nowhere;
        };
        let Some(config) = config else { return unknown };
        let of_level = |level: &Level| match () {
            () if !reads_files(level) => Elsewhere::Functions,
            () if is_stored_elsewhere(self.world, &config, level) => Elsewhere::MissingFiles,
            () => Elsewhere::Nowhere,
        };
        let levels = config.hierarchy.iter().chain(&config.default_hierarchy);
        levels.map(of_level).max().unwrap_or(Elsewhere::Nowhere)
    }
}

/// Whether the files of a level are stored elsewhere, as secrets often are.
fn is_stored_elsewhere(world: &World, config: &HieraYaml, level: &Level) -> bool {
    if directory_of(world, config, level).is_some() {
        return missing_place_of(world, config, level).is_some();
    }
    let template = directory_template_of(world, config, level);
    let fixed = fixed_part(&template);
    let is_absolute = paths::is_absolute(&inspect::to_s(&level.datadir.value));
    is_absolute && !fixed.is_empty() && world.kind(fixed) == PathKind::Missing
}

/// The first directory or file of a level's paths that certainly does not exist, whatever the node.
fn missing_place_of(world: &World, config: &HieraYaml, level: &Level) -> Option<String> {
    let directory = directory_of(world, config, level)?;
    let templates = match &level.locations {
        Locations::Paths(templates) | Locations::Globs(templates) => &**templates,
        Locations::MappedPaths(parts) => &parts[2..],
        Locations::Uris(_) | Locations::None => &[],
    };
    let fixed = templates.iter().filter_map(|it| it.value.as_str()).map(fixed_part);
    let mut all = [""].into_iter().chain(fixed).map(|it| paths::join(&directory, it));
    all.find(|it| world.kind(it) == PathKind::Missing)
}

/// The places of an environment's levels that do not exist here, with the `hiera.yaml` of each. Because keys may be stored there,
/// rules about missing keys report only names that are nearly a known key.
pub(crate) fn missing_places(world: &World, environment: &Environment) -> Vec<(String, String)> {
    let version = world.settings().puppet_version;
    let own = environment.root.iter().map(|root| paths::join(root, "hiera.yaml"));
    let own = own.map(|it| (it, LayerKind::Environment));
    let global = environment.global_config.iter().map(|it| (it.to_string(), LayerKind::Global));
    let mut found = Vec::new();
    for (path, layer) in own.chain(global) {
        let read = HieraYaml::of_layer(world, &path, (layer, None), version);
        let Ok((Some(config), _)) = read else { continue };
        for level in config.hierarchy.iter().filter(|it| reads_files(it)) {
            let missing = missing_place_of(world, &config, level);
            found.extend(missing.map(|it| (path.clone(), it)));
        }
    }
    found
}

/// Whether the data of a level is in files that can be read here.
pub(crate) fn reads_files(level: &Level) -> bool {
    is_file_backend(level) && !matches!(level.locations, Locations::Uris(_))
}

/// Whether the back end is one of Puppet's own for files, below the key that Puppet accepts for it.
pub(crate) fn is_file_backend(level: &Level) -> bool {
    Registry::format(&level.function).is_some()
}

/// The directory of a level's files; `None` if it depends on the node.
pub(crate) fn directory_of(world: &World, config: &HieraYaml, level: &Level) -> Option<String> {
    Some(directory_template_of(world, config, level)).filter(|it| !it.contains("%{"))
}

/// The directory of a level's files, not interpolated.
pub(crate) fn directory_template_of(world: &World, config: &HieraYaml, level: &Level) -> String {
    let datadir = inspect::to_s(&level.datadir.value);
    let directory = paths::join(paths::parent(&config.path).unwrap_or("/"), &datadir);
    let datadirs = world.settings().datadirs();
    match world.environment_of(&config.path) {
        Some(environment) => {
            let datadirs = datadirs.of_environment(&environment);
            datadirs.moved_template(&directory, &environment).into_owned()
        }
        None => datadirs.moved(&directory).into_owned(),
    }
}

/// The part of a template before anything that depends on the node, or is a pattern.
pub(crate) fn fixed_part(template: &str) -> &str {
    match template.find(['%', '*', '?', '[', '{']) {
        Some(at) => template[..at].rfind('/').map_or("", |slash| &template[..slash]),
        None => template,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Change, Host, MemoryDisk};

    #[test]
    fn whether_keys_may_be_elsewhere_is_found_again_when_the_hierarchy_changes() {
        let config = |function: &str| {
            format!("version: 5\nhierarchy: [{{name: x, path: a.yaml, {function}}}]\n")
        };
        let (known, unknown) = (config("data_hash: yaml_data"), config("data_hash: other::data"));
        let files = [("/r/hiera.yaml", known.as_str()), ("/r/data/a.yaml", "a: 1\n")];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let mut is_open_with = |path: &str, text: &str| {
            let (path, text) = (path.to_owned(), text.to_owned());
            host.apply(Change::OpenBuffer { path, text, version: 1 });
            let world = host.snapshot();
            let environment = world.environment_of("/r/data/a.yaml").expect("there is one");
            KnownKeys::new(&world, environment).is_open(None)
        };
        assert!(!is_open_with("/r/data/a.yaml", "a: 2\n"));
        assert!(is_open_with("/r/hiera.yaml", &unknown));
        assert!(is_open_with("/r/data/a.yaml", "a: 3\n"));
        assert!(!is_open_with("/r/hiera.yaml", &known));
    }
}
