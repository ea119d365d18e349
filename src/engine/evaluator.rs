//! One environment for one node: what Puppet calls a compiler. It keeps what does not change between lookups.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use super::budget::{Budget, CancelToken};
use super::code_variables::CodeVariables;
use super::failure::{Failure, FailureClass};
use super::hierarchy::{Location, ResolvedLevel};
use super::invocation::Invocation;
use super::kept_answers::KeptAnswers;
use super::known_variables::KnownVariables;
use super::layer::{Layer, Which};
use super::lookup_options::{AppliedOptions, OptionTable};
use super::merge::Merge;
use super::open_files::OpenFilesTable;
use super::open_options::OpenOptionsTable;
use super::path_files::PathFiles;
use super::prepared::Prepared;
use super::shared_levels::SharedLevels;
use super::sources::UsedMerge;
use super::within::OfCallers;
use crate::backends::Registry;
use crate::config::hiera_yaml::{ConfigErrorClass, ConfigProblem, ConfigSeverity, LayerKind};
use crate::config::{DatadirMap, Environment, HieraYaml, PuppetVersion};
use crate::data::{Files, Hash, Located};
use crate::facts::Node;

/// Looks keys up for one node in one environment, on one snapshot of the files. It is cheap to create: everything is read and
/// expanded when it is first needed, and then kept. Threads can share it.
pub struct Evaluator {
    files: Arc<dyn Files>,
    environment: Arc<Environment>,
    node: Arc<Node>,
    version: PuppetVersion,
    datadir_map: DatadirMap,
    /// The map for the environment; computed on demand, because most directories are never moved.
    own_datadir_map: OnceLock<DatadirMap>,
    back_ends: Arc<Registry>,
    global: OnceLock<Result<Arc<Layer>, Failure>>,
    own: OnceLock<Result<Option<Arc<Layer>>, Failure>>,
    /// The shared state for keys without a module.
    no_module: Arc<ModuleScope>,
    /// By name. A list, because a fleet has many evaluators, and a list takes less memory than a table.
    modules: RwLock<Vec<Arc<ModuleScope>>>,
    pub(crate) global_options: OnceLock<Option<Located>>,
    pub(crate) environment_options: OnceLock<Option<Located>>,
    config_warnings: Mutex<Vec<Arc<str>>>,
    prepared: Arc<Prepared>,
    key_finder: Option<Arc<dyn KeyFinder>>,
    open_files: Option<Arc<OpenFilesTable>>,
    open_options: Option<Arc<OpenOptionsTable>>,
    shared_levels: Option<Arc<SharedLevels>>,
    shared_scopes: Option<Arc<dyn SharedScopes>>,
    reads_broken_files: bool,
    default_merge: Result<Merge, Failure>,
    nothing: Hash,
    no_text: Arc<str>,
    never: CancelToken,
    pub(super) kept_answers: Mutex<KeptAnswers>,
    pub(super) known_variables: KnownVariables,
    pub(super) of_callers: Mutex<OfCallers>,
    code_variables: Option<Arc<CodeVariables>>,
}

/// Knows which files have a root key, without opening them.
pub trait KeyFinder: Send + Sync {
    /// The paths of the files that have `root`, sorted, each once. `among` returns the paths that matter; others may be missing.
    /// `next` is another root key that the caller will look for in the same files.
    fn files_with(
        &self,
        root: &str,
        next: Option<&str>,
        among: &dyn Fn() -> Vec<Arc<str>>,
    ) -> Vec<Arc<str>>;

    /// The positions of the ways to those files of a path that have `root`, ascending; `None` without an index of all files.
    fn members(&self, root: &str, files: &PathFiles) -> Option<Vec<u32>>;

    /// The paths of the files that may fail every lookup because of their root ([`may_have_odd_root`]), sorted, each once. `among`
    /// returns the paths that matter; others may be missing. After [`Self::files_with`], no text is searched again.
    ///
    /// [`may_have_odd_root`]: crate::data::may_have_odd_root
    fn odd_files(&self, among: &dyn Fn() -> Vec<Arc<str>>) -> Vec<Arc<str>>;

    /// Whether each value of `root` in all files is a number, a boolean or a string without tokens; `false` if that is not known.
    fn has_only_plain_values(&self, root: &str) -> bool;
}

/// Provides the shared state of a module's keys from evaluators of other nodes for which it is the same.
pub(crate) trait SharedScopes: Send + Sync {
    /// The state for the keys of `module`, or for keys without a module; `None` if it is not shared.
    fn scope(&self, module: Option<&str>) -> Option<Arc<ModuleScope>>;
}

type ModuleLayer = Result<Option<Arc<Layer>>, Failure>;

impl ModuleScope {
    /// An empty state for the keys of `name`.
    pub(crate) fn of(name: Option<&str>) -> Self {
        Self { name: name.map(Arc::from), ..Self::default() }
    }
}

/// The state that the keys of one module share.
#[derive(Debug, Default)]
pub(crate) struct ModuleScope {
    /// The module's name; `None` for keys without a module.
    pub(crate) name: Option<Arc<str>>,
    /// The lookup_options that apply to its keys.
    pub(crate) options: OnceLock<Arc<OptionTable>>,
    layer: OnceLock<ModuleLayer>,
}

/// A layer for users outside the engine: its configuration, and its levels for the node.
#[derive(Debug, Clone)]
pub struct LayerView {
    layer: Arc<Layer>,
}

impl LayerView {
    /// Which of the three layers.
    pub fn kind(&self) -> LayerKind {
        self.layer.kind
    }

    /// The module's name in the module layer.
    pub fn module(&self) -> Option<&Arc<str>> {
        self.layer.module.as_ref()
    }

    /// Its hiera.yaml.
    pub fn config(&self) -> &HieraYaml {
        &self.layer.config
    }

    /// Its levels with their paths for the node.
    pub fn levels(&self, evaluator: &Evaluator) -> Result<&[Arc<ResolvedLevel>], Failure> {
        self.resolved(evaluator, Which::Hierarchy)
    }

    /// The levels of its default hierarchy.
    pub fn default_levels(&self, evaluator: &Evaluator) -> Result<&[Arc<ResolvedLevel>], Failure> {
        self.resolved(evaluator, Which::DefaultHierarchy)
    }

    /// The locations of all levels, those of the default hierarchy last; none if the layer is broken.
    fn locations(&self, evaluator: &Evaluator) -> impl Iterator<Item = &Location> {
        let ordinary = self.levels(evaluator).unwrap_or_default();
        let default = self.default_levels(evaluator).unwrap_or_default();
        ordinary.iter().chain(default).flat_map(|level| level.locations.iter().flatten())
    }

    fn resolved(
        &self,
        evaluator: &Evaluator,
        which: Which,
    ) -> Result<&[Arc<ResolvedLevel>], Failure> {
        let invocation = evaluator.invocation(&evaluator.nothing, &evaluator.nothing);
        match self.layer.levels(&invocation, which) {
            Ok(levels) => Ok(levels),
            Err(failure) => Err(failure.clone()),
        }
    }
}

impl Evaluator {
    /// An evaluator that has read nothing yet.
    pub fn new(
        files: Arc<dyn Files>,
        environment: Arc<Environment>,
        node: Arc<Node>,
        version: PuppetVersion,
    ) -> Self {
        Self {
            files,
            environment,
            node,
            version,
            datadir_map: DatadirMap::default(),
            own_datadir_map: OnceLock::new(),
            back_ends: Arc::default(),
            global: OnceLock::new(),
            own: OnceLock::new(),
            no_module: Arc::default(),
            modules: RwLock::default(),
            global_options: OnceLock::new(),
            environment_options: OnceLock::new(),
            config_warnings: Mutex::default(),
            prepared: Arc::default(),
            key_finder: None,
            open_files: None,
            open_options: None,
            shared_levels: None,
            shared_scopes: None,
            reads_broken_files: false,
            default_merge: Merge::of(None),
            nothing: Hash::new(),
            no_text: Arc::from(""),
            never: CancelToken::default(),
            kept_answers: Mutex::default(),
            known_variables: KnownVariables::default(),
            of_callers: Mutex::default(),
            code_variables: None,
        }
    }

    /// A new evaluator of the same files for another node, which shares what does not depend on the node.
    pub(super) fn for_node(&self, node: Arc<Node>) -> Self {
        let (files, environment) = (Arc::clone(&self.files), Arc::clone(&self.environment));
        Self {
            datadir_map: self.datadir_map.clone(),
            back_ends: Arc::clone(&self.back_ends),
            prepared: Arc::clone(&self.prepared),
            key_finder: self.key_finder.clone(),
            open_files: self.open_files.clone(),
            open_options: self.open_options.clone(),
            reads_broken_files: self.reads_broken_files,
            code_variables: self.code_variables.clone(),
            ..Self::new(files, environment, node, self.version)
        }
    }

    /// Reads data from other directories than those in hiera.yaml.
    #[must_use]
    pub fn with_datadir_map(mut self, map: DatadirMap) -> Self {
        self.datadir_map = map;
        self
    }

    /// Uses these back ends in addition to the built-in ones.
    #[must_use]
    pub fn with_back_ends(mut self, back_ends: Arc<Registry>) -> Self {
        self.back_ends = back_ends;
        self
    }

    /// Shares everything that does not depend on the node with other evaluators of the same files.
    #[must_use]
    pub fn sharing(mut self, prepared: Arc<Prepared>) -> Self {
        self.prepared = prepared;
        self
    }

    /// Uses `finder` to find which files that open paths can lead to have a key.
    #[must_use]
    pub fn with_key_finder(mut self, finder: Arc<dyn KeyFinder>) -> Self {
        self.key_finder = Some(finder);
        self
    }

    /// Shares with other evaluators which files of open paths matter. They must read the same files in the same way.
    #[must_use]
    pub fn sharing_open_files(mut self, table: Arc<OpenFilesTable>) -> Self {
        self.open_files = Some(table);
        self
    }

    /// Shares with other evaluators the lookup_options in files of open paths. They must read the same texts in the same way.
    #[must_use]
    pub fn sharing_open_options(mut self, table: Arc<OpenOptionsTable>) -> Self {
        self.open_options = Some(table);
        self
    }

    /// Shares with other evaluators the levels that both see in the same way, and the files that open locations become. They
    /// must read the same texts in the same way, with the same back ends.
    #[must_use]
    pub fn sharing_levels(mut self, table: Arc<SharedLevels>) -> Self {
        self.shared_levels = Some(table);
        self
    }

    pub(super) fn shared_levels(&self) -> Option<&SharedLevels> {
        self.shared_levels.as_deref()
    }

    pub(super) fn open_options(&self) -> Option<&OpenOptionsTable> {
        self.open_options.as_deref()
    }

    pub(super) fn open_files(&self) -> Option<&OpenFilesTable> {
        self.open_files.as_deref()
    }

    /// Gets from `scopes` what is the same for other nodes.
    #[must_use]
    pub(crate) fn with_shared_scopes(mut self, scopes: Arc<dyn SharedScopes>) -> Self {
        if let Some(own) = scopes.scope(None) {
            self.no_module = own;
        }
        self.shared_scopes = Some(scopes);
        self
    }

    /// Uses the entries of files that Puppet refuses as a whole, so that they keep their meaning while the user types.
    #[must_use]
    pub fn reading_broken_files(mut self) -> Self {
        self.reads_broken_files = true;
        self
    }

    /// Stands for the compilation of a catalog, in which code may have set these variables.
    #[must_use]
    pub fn with_code_variables(mut self, variables: Arc<CodeVariables>) -> Self {
        self.code_variables = Some(variables);
        self
    }

    /// The variables that code may have set; `None` for lookups like those of `puppet lookup`.
    pub fn code_variables(&self) -> Option<&CodeVariables> {
        self.code_variables.as_deref()
    }

    /// Whether the readable entries of a file that Puppet refuses are used.
    pub fn reads_broken_files(&self) -> bool {
        self.reads_broken_files
    }

    /// Whether other evaluators look up most of its keys, so that an index of all its keys would not pay.
    pub(super) fn is_one_of_many(&self) -> bool {
        self.shared_scopes.is_some()
    }

    pub(super) fn key_finder(&self) -> Option<&dyn KeyFinder> {
        self.key_finder.as_deref()
    }

    /// The files it reads.
    pub fn files(&self) -> &Arc<dyn Files> {
        &self.files
    }

    /// The environment's name for the node.
    pub fn environment_name(&self) -> Arc<str> {
        self.environment.name_for(self.node.environment.as_deref())
    }

    /// The environment of its lookups.
    pub fn environment(&self) -> &Arc<Environment> {
        &self.environment
    }

    /// The node of its lookups.
    pub fn node(&self) -> &Arc<Node> {
        &self.node
    }

    /// The Puppet version whose strictness it applies.
    pub fn version(&self) -> PuppetVersion {
        self.version
    }

    /// The back ends that it uses.
    pub fn back_ends(&self) -> &Arc<Registry> {
        &self.back_ends
    }

    /// The layers that can have keys of `module`, highest priority first; broken layers are left out.
    pub fn layers(&self, module: Option<&str>) -> Vec<LayerView> {
        let global = self.global_layer().ok().map(Arc::clone);
        let own = self.environment_layer().ok().flatten().map(Arc::clone);
        let scope = self.module_scope(module);
        let module = self.module_layer(&scope).ok().flatten().map(Arc::clone);
        [global, own, module].into_iter().flatten().map(|layer| LayerView { layer }).collect()
    }

    /// Whether a lookup of a key of `module` reads the file at `path`, also in a default hierarchy.
    pub fn reads(&self, module: Option<&str>, path: &str) -> bool {
        let layers = self.layers(module);
        layers.iter().any(|it| it.locations(self).any(|location| &*location.file == path))
    }

    /// Whether a lookup of a key of `module` may read the file at `path`, depending on open variables.
    pub fn may_read(&self, module: Option<&str>, path: &Arc<str>) -> bool {
        let layers = self.layers(module);
        layers.iter().any(|it| it.locations(self).any(|location| location.may_lead_to(path)))
    }

    /// [`Self::reads`] or [`Self::may_read`], or it is not known what some path leads to.
    pub(crate) fn may_read_somehow(&self, module: Option<&str>, path: &Arc<str>) -> bool {
        let is_near =
            |location: &Location| *location.file == **path || location.may_lead_somehow_to(path);
        self.layers(module).iter().any(|layer| layer.locations(self).any(is_near))
    }

    /// Why every lookup of a key of `module` fails, if the environment.conf, or the hiera.yaml of the global layer, of the environment
    /// or of the module cannot be loaded.
    pub fn config_failure(&self, module: Option<&str>) -> Option<Arc<str>> {
        let scope = self.module_scope(module);
        let failure = self.global_layer().err().or_else(|| self.environment_layer().err());
        let failure = failure.or_else(|| self.module_layer(&scope).err());
        failure.map(|failure| failure.message.clone())
    }

    /// The files that a lookup of a key of `module` reads in that module, including those of the default hierarchy.
    pub fn module_files(&self, module: &str) -> Vec<Arc<str>> {
        let layers = self.layers(Some(module));
        let of_module = layers.iter().filter(|layer| layer.kind() == LayerKind::Module);
        let locations = of_module.flat_map(|layer| layer.locations(self));
        locations.filter(|it| it.exists && !it.is_uri).map(|it| it.file.clone()).collect()
    }

    /// The entry of lookup_options that applies to a root key.
    ///
    /// # Errors
    /// Puppet's, or that the entry depends on variables that are not known.
    pub fn options_for(&self, root: &str) -> Result<Option<AppliedOptions>, Failure> {
        // A root key can contain dots and quotes, which would divide it into segments.
        let key = super::key::Key::verbatim(root);
        let mut invocation = self.invocation(&self.nothing, &self.nothing);
        let scope = self.module_scope(key.module());
        let options = super::lookup_options::for_key(&mut invocation, &scope, &key)?;
        if !invocation.notes.left_out.is_empty() {
            let message = format!("which lookup_options apply to '{root}' depends on the node");
            return Err(Failure::of(FailureClass::Unsupported, message));
        }
        Ok(options.map(|it| it.applied()))
    }

    /// The merge that lookup_options set for a root key; first found if they set none or cannot be read.
    pub fn merge_for(&self, root: &str) -> UsedMerge {
        UsedMerge::of_options(self.options_for(root).ok().flatten())
    }

    /// Goes through the levels of a lookup of a key of `module`, those of default hierarchies last in each layer, and returns
    /// the first result of `find`. `find` also gets the layer's hiera.yaml.
    pub fn find_level<T>(
        &self,
        module: Option<&str>,
        find: impl Fn(&HieraYaml, &ResolvedLevel) -> Option<T>,
    ) -> Option<T> {
        self.layers(module).iter().find_map(|layer| {
            let ordinary = layer.levels(self).unwrap_or_default();
            let default = layer.default_levels(self).unwrap_or_default();
            ordinary.iter().chain(default).find_map(|level| find(layer.config(), level))
        })
    }

    /// Warnings from reading and expanding hiera.yaml files.
    pub fn config_warnings(&self) -> Vec<Arc<str>> {
        self.config_warnings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn invocation<'a>(
        &'a self,
        overrides: &'a Hash,
        default_values: &'a Hash,
    ) -> Invocation<'a> {
        self.invocation_with(overrides, default_values, self.never.clone())
    }

    pub(crate) fn invocation_with<'a>(
        &'a self,
        overrides: &'a Hash,
        default_values: &'a Hash,
        cancel: CancelToken,
    ) -> Invocation<'a> {
        Invocation::new(self, Budget::new(cancel), overrides, default_values)
    }

    pub(crate) fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// First-found, unless another strategy is set.
    pub(crate) fn default_merge(&self) -> &Result<Merge, Failure> {
        &self.default_merge
    }

    pub(crate) fn no_text(&self) -> &Arc<str> {
        &self.no_text
    }

    pub(crate) fn keep_config_warnings(&self, warnings: Vec<Arc<str>>) {
        let mut kept = self.config_warnings.lock().unwrap_or_else(PoisonError::into_inner);
        for warning in warnings {
            if !kept.contains(&warning) {
                kept.push(warning);
            }
        }
    }

    /// Where a data directory of a hiera.yaml is on this machine, before it is interpolated.
    pub(super) fn map_datadir_template(&self, datadir: &str) -> String {
        if !self.datadir_map.may_move(datadir) {
            return datadir.to_owned();
        }
        let own = self.datadir_map.clone().of_environment(&self.environment);
        own.moved_template(datadir, &self.environment).into_owned()
    }

    pub(crate) fn map_datadir(&self, datadir: Arc<str>) -> Arc<str> {
        if !self.datadir_map.may_move(&datadir) {
            return datadir;
        }
        // A node can say that it is in another environment. Its data is here nevertheless.
        let own = || {
            let names = [&*self.environment.name, &*self.environment_name()];
            self.datadir_map.clone().of_environment_called(&self.environment, &names)
        };
        match self.own_datadir_map.get_or_init(own).moved(&datadir) {
            Cow::Borrowed(_) => datadir,
            Cow::Owned(moved) => moved.into(),
        }
    }

    /// The global layer always exists: without a file, Puppet's built-in default configuration applies.
    pub(crate) fn global_layer(&self) -> Result<&Arc<Layer>, &Failure> {
        self.global
            .get_or_init(|| {
                // Without its environment, Puppet does not get as far as the first layer.
                if let Some(refusal) = &self.environment.refusal {
                    return Err(Failure::ruby(refusal.class, Arc::clone(&refusal.message)));
                }
                let path = self.environment.global_config.as_deref().unwrap_or(NO_GLOBAL_CONFIG);
                let layer = self.read_layer(path, LayerKind::Global, None)?;
                layer.ok_or_else(|| Failure::lookup("the global layer has no configuration"))
            })
            .as_ref()
    }

    /// Whether the configuration of the global layer is that of Hiera 3.
    pub(super) fn has_global_layer_of_version_3(&self) -> bool {
        self.global_layer().is_ok_and(|it| it.config.version == 3)
    }

    pub(crate) fn environment_layer(&self) -> Result<Option<&Arc<Layer>>, &Failure> {
        self.own
            .get_or_init(|| match &self.environment.root {
                None => Ok(None),
                Some(root) => {
                    let path = format!("{root}/hiera.yaml");
                    self.read_layer(&path, LayerKind::Environment, None)
                }
            })
            .as_ref()
            .map(Option::as_ref)
    }

    /// The shared state for the keys of a module, whether or not the module exists.
    pub(crate) fn module_scope(&self, name: Option<&str>) -> Arc<ModuleScope> {
        let Some(name) = name else { return Arc::clone(&self.no_module) };
        let place = |scopes: &[Arc<ModuleScope>]| {
            scopes.binary_search_by(|scope| scope.name.as_deref().cmp(&Some(name)))
        };
        let known = self.modules.read().unwrap_or_else(PoisonError::into_inner);
        if let Ok(at) = place(&known) {
            return Arc::clone(&known[at]);
        }
        // `write` would wait forever for the guard of this thread.
        drop(known);
        let shared = self.shared_scopes.as_ref().and_then(|it| it.scope(Some(name)));
        let made = shared.unwrap_or_else(|| Arc::new(ModuleScope::of(Some(name))));
        let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        // If another thread was faster, its scope is used: the lookup_options that it collects are kept in it.
        let at = place(&modules).unwrap_or_else(|at| {
            modules.insert(at, made);
            at
        });
        Arc::clone(&modules[at])
    }

    pub(crate) fn no_module(&self) -> &Arc<ModuleScope> {
        &self.no_module
    }

    pub(crate) fn module_layer<'s>(
        &self,
        scope: &'s ModuleScope,
    ) -> Result<Option<&'s Arc<Layer>>, &'s Failure> {
        let Some(name) = &scope.name else { return Ok(None) };
        let layer = scope.layer.get_or_init(|| {
            let Some(root) = self.environment.modules.get(name) else { return Ok(None) };
            let path = format!("{root}/hiera.yaml");
            self.read_layer(&path, LayerKind::Module, Some(Arc::clone(name)))
        });
        layer.as_ref().map(Option::as_ref)
    }

    fn read_layer(
        &self,
        path: &str,
        kind: LayerKind,
        module: Option<Arc<str>>,
    ) -> Result<Option<Arc<Layer>>, Failure> {
        let files = self.files.as_ref();
        let read = self.prepared.config(files, path, (kind, module.as_deref()), self.version)?;
        let (config, problems) = read.as_ref();
        // Evaluators share the configuration, but each of them reports its warnings.
        self.keep_config_warnings(
            problems
                .iter()
                .filter(|problem| problem.severity == ConfigSeverity::Warning)
                .map(|problem| Arc::from(problem.message.as_str()))
                .collect(),
        );
        if let Some(problem) = problems.iter().find(|it| it.severity == ConfigSeverity::Error) {
            return Err(config_failure(problem.clone()));
        }
        let layer =
            |config: &Arc<HieraYaml>| Arc::new(Layer::new(kind, module, Arc::clone(config)));
        Ok(config.as_ref().map(layer))
    }
}

/// A path that no file can have, so that a workspace without a global layer gets the built-in default, which finds nothing.
const NO_GLOBAL_CONFIG: &str = "/nonexistent/hiera.yaml";

fn config_failure(problem: ConfigProblem) -> Failure {
    let failure = match problem.class {
        ConfigErrorClass::Lookup => Failure::issue(problem.message),
        ConfigErrorClass::Schema => Failure::of(FailureClass::TypeAssertion, problem.message),
        ConfigErrorClass::Yaml => Failure::of(FailureClass::YamlLoad, problem.message),
        ConfigErrorClass::Ruby(class) => Failure::ruby(class, problem.message),
    };
    failure.at(problem.place)
}
