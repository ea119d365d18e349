//! The files that an environment's hierarchies can lead to, for any node. They follow from `hiera.yaml` alone.

mod pattern;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

use self::pattern::{Known, Pattern};
use super::paths;
use super::texts::Texts;
use crate::backends::Registry;
use crate::config::hiera_yaml::{LayerKind, Level, Locations};
use crate::config::{Environment, HieraYaml};
use crate::data::inspect;
use crate::data::{Files, Format, Located, Place, Value};
use crate::facts::infer::Template;
use crate::facts::open_path::OpenPath;
use crate::limits::{MAX_DATA_FILES, MAX_DIRECTORIES, MAX_DIRECTORY_DEPTH};
use crate::settings::Settings;
use crate::syntax::interpolation;

/// The places where an environment's data can be, for all layers and modules together.
#[derive(Debug, Default)]
pub struct Reach {
    /// In the order of the layers, levels and templates.
    pub places: Vec<DataPlace>,
    /// Those of each `plan_hierarchy`, which no lookup reads here.
    pub places_of_plans: Vec<DataPlace>,
    /// The functions of levels that are none of Puppet's own.
    pub functions: BTreeSet<Arc<str>>,
    /// The variables that URIs and options of levels read, as they are written, each once.
    pub beside_paths: Vec<Arc<str>>,
}

/// One path or glob template of a hierarchy.
#[derive(Debug)]
pub struct DataPlace {
    /// The layer of the `hiera.yaml`.
    pub layer: LayerKind,
    /// The module's name in the module layer.
    pub module: Option<Arc<str>>,
    /// Path of that `hiera.yaml`.
    pub config: Arc<str>,
    /// The level's name.
    pub level: Arc<str>,
    /// Whether the level belongs to the `default_hierarchy`.
    pub is_default: bool,
    /// Where `hiera.yaml` contains the template.
    pub template_place: Option<Place>,
    /// The data directory as written in `hiera.yaml`, for this level or for all; without a position if it is not written.
    pub written_datadir: Located,
    /// The format of the files.
    pub format: Format,
    /// Whether the back end is one of Puppet's own; for other back ends, the format is inferred from the file.
    pub is_built_in: bool,
    template: Template,
    pattern: Pattern,
}

impl Reach {
    /// Reads the `hiera.yaml` files of `environment`, including those of all its modules.
    pub(super) fn new(texts: &Texts, settings: &Settings, environment: &Environment) -> Self {
        Self::with_modules(texts, settings, environment, usize::MAX)
    }

    /// Reads only the global `hiera.yaml` and that of the environment, or that of a module that is the workspace: few files,
    /// however many modules there are.
    pub(super) fn own(texts: &Texts, settings: &Settings, environment: &Environment) -> Self {
        let modules = usize::from(environment.root.is_none());
        Self::with_modules(texts, settings, environment, modules)
    }

    fn with_modules(
        texts: &Texts,
        settings: &Settings,
        environment: &Environment,
        count: usize,
    ) -> Self {
        let global = environment.global_config.as_ref().map(|it| (it.clone(), None));
        let own = environment.root.as_ref().map(|root| (hiera_yaml(root), None));
        let modules = environment
            .modules
            .iter()
            .take(count)
            .map(|(name, directory)| (hiera_yaml(directory), Some(name.clone())));
        let layers = global
            .map(|it| (LayerKind::Global, it))
            .into_iter()
            .chain(own.map(|it| (LayerKind::Environment, it)))
            .chain(modules.map(|it| (LayerKind::Module, it)));
        let mut reach = Self::default();
        for (layer, (path, module)) in layers {
            let version = settings.puppet_version;
            let read = HieraYaml::of_layer(texts, &path, (layer, module.as_deref()), version);
            let (config, _) = read
                .unwrap_or_else(|_| HieraYaml::read(&path, texts.id(&path), None, layer, version));
            let Some(config) = config else { continue };
            for (levels, is_default) in
                [(&config.hierarchy, false), (&config.default_hierarchy, true)]
            {
                for level in levels {
                    let of = (layer, module.as_ref(), is_default);
                    let places = places_of_level(settings, environment, &config, of, level);
                    reach.places.extend(places);
                    reach.add_beside_paths(level);
                }
            }
            for level in &config.plan_hierarchy {
                let of = (layer, module.as_ref(), false);
                let places = places_of_level(settings, environment, &config, of, level);
                reach.places_of_plans.extend(places);
            }
        }
        reach
    }

    /// The templates that can lead to `path`.
    pub fn places_of(&self, path: &str) -> impl Iterator<Item = &DataPlace> {
        self.places.iter().filter(move |place| place.reaches(path))
    }

    /// The path of a template in its hierarchy, whose other paths decide whether an empty text, or one with a slash, can lead to the
    /// file at `path`.
    pub fn in_hierarchy(
        &self,
        place: &DataPlace,
        environment: &Environment,
        mut open: OpenPath,
        path: &Arc<str>,
    ) -> OpenPath {
        let root = paths::parent(&place.config).unwrap_or("/");
        let name = environment.known_name().map(|it| &**it);
        if open.is_obscure() {
            return open;
        }
        let all = || -> Arc<[OpenPath]> {
            let same = self.places_of(path).filter(|it| it.config == place.config);
            same.filter_map(|it| it.template.path_of_any_node(name)).collect()
        };
        if open.variables().len() > 1 {
            open.put_beside(all());
        }
        if !open.may_lead_to(path) {
            let files = OpenPath::files_by_slashes(&all(), root, vec![Arc::clone(path)]);
            open.add_files_by_slashes(files.into());
        }
        open
    }

    /// Whether some template can lead to `path`.
    pub fn reaches(&self, path: &str) -> bool {
        self.places_of(path).next().is_some()
    }

    /// Whether `path` is in a directory that some template leads to, even if no template can lead to `path` itself.
    pub fn surrounds(&self, path: &str) -> bool {
        let is_in =
            |it: &DataPlace| it.directory() != "/" && paths::below(it.directory(), path).is_some();
        self.places.iter().any(is_in)
    }

    /// The templates whose directory `path` is in, or whose data directory has it without another directory between, if it looks like
    /// data beside theirs. A directory that contains the whole environment or module also contains files of all kinds, so it does not
    /// count.
    pub fn places_around<'a>(
        &'a self,
        environment: &'a Environment,
        path: &'a str,
    ) -> impl Iterator<Item = &'a DataPlace> {
        let is_root = |directory: &str| {
            let mut roots = environment.root.iter().chain(environment.modules.values());
            directory == "/" || roots.any(|root| paths::below(directory, root).is_some())
        };
        self.places.iter().filter(move |place| {
            let (directory, datadir) = (place.directory(), place.datadir());
            !is_root(directory) && paths::below(directory, path).is_some()
                || paths::parent(path) == Some(datadir) && !is_root(datadir)
        })
    }

    /// The format of `path` according to the first template that can lead to it.
    pub fn format_of(&self, path: &str) -> Option<Format> {
        self.places_of(path).next().map(|place| place.format)
    }

    /// The templates of the hierarchies, except those of default hierarchies.
    pub fn templates(&self) -> Vec<Template> {
        let places = self.places.iter().filter(|place| !place.is_default);
        places.map(|place| place.template.clone()).collect()
    }

    /// Whether the first template that can lead to `path` is one of a module.
    pub fn is_of_module(&self, path: &str) -> bool {
        self.places_of(path).next().is_some_and(|place| place.module.is_some())
    }

    /// All existing files that some template can lead to, sorted by path, with their formats.
    pub(super) fn files(&self, texts: &Texts) -> BTreeMap<Arc<str>, Format> {
        let mut files = BTreeMap::new();
        let mut open: Vec<&DataPlace> = Vec::new();
        for place in &self.places {
            match place.pattern.only_path() {
                Some(path) if texts.is_file(path) => {
                    // Several templates may lead to a file. As with `format_of`, the first one decides.
                    files.entry(Arc::from(path)).or_insert(place.format);
                }
                Some(_) => {}
                None => open.push(place),
            }
        }
        let walk = Walk { texts, seen: HashSet::new(), linked: VecDeque::new(), depth: 0, files };
        walk.all(&open)
    }

    /// The function of a level, and the variables that it reads otherwise than in paths.
    fn add_beside_paths(&mut self, level: &Level) {
        if Registry::format(&level.function).is_none() {
            self.functions.insert(level.function.loaded_name());
        }
        let mut see = |text: &str| {
            for token in interpolation::tokens(text) {
                let new = token.variable().map(|(name, _)| name);
                let new = new.filter(|it| !self.beside_paths.contains(it));
                self.beside_paths.extend(new.cloned());
            }
        };
        if let Locations::Uris(uris) = &level.locations {
            for uri in uris {
                each_text(&uri.value, &mut see);
            }
        }
        for (_, option) in level.options.iter().flat_map(|it| it.iter()) {
            each_text(&option.value.value, &mut see);
        }
    }
}

/// The templates of a level.
fn places_of_level(
    settings: &Settings,
    environment: &Environment,
    config: &HieraYaml,
    (layer, module, is_default): (LayerKind, Option<&Arc<str>>, bool),
    level: &Level,
) -> Vec<DataPlace> {
    let root = paths::parent(&config.path).unwrap_or("/");
    let datadir = inspect::to_s(&level.datadir.value);
    let known = Known { environment: environment.fixed_name().map(|name| &**name) };
    let datadirs = settings.datadirs().of_environment(environment);
    let datadir = paths::join(root, &datadir);
    let datadir = datadirs.moved_template(&datadir, environment).into_owned();
    let templates = Template::all_of(level, &datadir).into_iter();
    let place = |(written, template): (&Located, Template)| {
        let pattern = Pattern::new(root, &datadir, &template.path, template.is_glob, known)
            .moved(|path| datadirs.moved(path).into_owned());
        let built_in = Registry::format(&level.function);
        // For a back end that is not one of Puppet's own, the name of the file is the only sign of its format.
        let format = built_in.or_else(|| format_by_name(&template.path))?;
        Some(DataPlace {
            layer,
            module: module.cloned(),
            config: config.path.clone(),
            level: level.name.clone(),
            is_default,
            template_place: written.place,
            written_datadir: level.datadir.clone(),
            format,
            is_built_in: built_in.is_some(),
            template,
            pattern,
        })
    };
    templates.filter_map(place).collect()
}

/// Calls `see` for each string in a value.
fn each_text(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|it| each_text(&it.value, see)),
        Value::Hash(hash) => hash.iter().for_each(|(_, it)| each_text(&it.value.value, see)),
        _ => {}
    }
}

impl DataPlace {
    /// The path with its directory, both as written in `hiera.yaml`.
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// Whether the template can lead to `path`. Facts that lead to hidden directories are not considered.
    pub fn reaches(&self, path: &str) -> bool {
        let below = paths::below(self.directory(), path);
        let is_hidden = |rest: &str| rest.starts_with('.') || rest.contains("/.");
        let directories = below.and_then(|it| it.rsplit_once('/')).map_or("", |(it, _)| it);
        below.is_some() && !is_hidden(directories) && self.pattern.matches(path)
    }

    /// The deepest directory that contains all files of the template.
    pub fn directory(&self) -> &str {
        self.pattern.directory()
    }

    /// The level's data directory, not interpolated, after the setting `datadirMap` is applied.
    pub fn datadir(&self) -> &str {
        &self.template.datadir
    }

    /// The path or glob as written in `hiera.yaml`.
    pub fn location(&self) -> &str {
        &self.template.path
    }

    /// Whether files of the template can be in or below `directory`.
    fn is_near(&self, directory: &str) -> bool {
        let own = self.directory();
        paths::below(own, directory).is_some() || paths::below(directory, own).is_some()
    }
}

/// Finds the files that some place can lead to.
struct Walk<'a> {
    texts: &'a Texts,
    /// Without links.
    seen: HashSet<String>,
    /// Directories behind links, which are visited last: a file that is reachable without a link does not need them.
    linked: VecDeque<(String, Vec<&'a DataPlace>)>,
    /// The depth of the current directory.
    depth: usize,
    files: BTreeMap<Arc<str>, Format>,
}

impl<'a> Walk<'a> {
    fn all(mut self, places: &[&'a DataPlace]) -> BTreeMap<Arc<str>, Format> {
        // A directory inside of another one would be walked twice.
        for directory in topmost(places.iter().map(|place| place.directory())) {
            self.linked.push_back((directory.to_owned(), places.to_vec()));
        }
        while let Some((directory, places)) = self.linked.pop_front() {
            let real = self.real_path(&directory);
            // A template may name a directory that was visited by another path. Then its files count under both paths.
            let is_named =
                places.iter().any(|it| paths::below(&directory, it.directory()).is_some());
            if self.seen.insert(real.clone()) || is_named {
                self.directory(&directory, &real, &places);
            }
        }
        self.files
    }

    /// Walks `directory`; `places` are those whose files can be in it or below.
    fn directory(&mut self, directory: &str, real: &str, places: &[&'a DataPlace]) {
        for item in self.texts.list(directory).iter() {
            let path = paths::child(directory, &item.name);
            if !item.is_directory {
                if let Some(place) = places.iter().find(|place| place.reaches(&path)) {
                    self.files.entry(path.into()).or_insert(place.format);
                }
                continue;
            }
            let near: Vec<_> = places.iter().filter(|it| it.is_near(&path)).copied().collect();
            if item.name.starts_with('.') || near.is_empty() {
                continue;
            }
            if self.is_full() {
                let why = format!(
                    "the data below {directory} is more than hiera-ls reads ({MAX_DIRECTORIES} directories \
                     {MAX_DIRECTORY_DEPTH} deep, {MAX_DATA_FILES} files)"
                );
                self.texts.left_out(directory, why);
                return;
            }
            let real_child = self.real_path(&path);
            // If the names differ, the child is a link. Links may form cycles, so they wait until all real directories are known.
            if real_child == paths::child(real, &item.name) {
                self.seen.insert(real_child.clone());
                self.depth += 1;
                self.directory(&path, &real_child, &near);
                self.depth -= 1;
            } else {
                self.linked.push_back((path, near));
            }
        }
    }

    fn is_full(&self) -> bool {
        self.seen.len() >= MAX_DIRECTORIES
            || self.files.len() >= MAX_DATA_FILES
            || self.depth >= MAX_DIRECTORY_DEPTH
    }

    fn real_path(&self, directory: &str) -> String {
        self.texts.base.real_path(directory).unwrap_or_else(|| directory.to_owned())
    }
}

fn hiera_yaml(directory: &str) -> Arc<str> {
    paths::join(directory, "hiera.yaml").into()
}

/// The directories that are not inside any of the others.
fn topmost<'a>(directories: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut sorted: Vec<&str> = directories.collect();
    // A directory is never longer than one inside it, so each one follows those that may contain it.
    sorted.sort_unstable_by_key(|it| (it.len(), *it));
    let mut top: Vec<&str> = Vec::new();
    for directory in sorted {
        if !top.iter().any(|it| paths::below(it, directory).is_some()) {
            top.push(directory);
        }
    }
    top
}

/// The format that the extension of a path stands for.
pub(super) fn format_by_name(location: &str) -> Option<Format> {
    match paths::extension(location) {
        "yaml" | "yml" | "eyaml" => Some(Format::Yaml),
        "json" => Some(Format::Json),
        "conf" | "hocon" => Some(Format::Hocon),
        _ => None,
    }
}
