//! A layer expanded for one node: its levels with their templates filled in and their files found.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::calls::SourceState;
use super::evaluator::Evaluator;
use super::failure::Failure;
use super::interpolate::{self, Variable, interpolate_path, interpolate_text};
use super::invocation::{InterpolatedText, Invocation, Mapped};
use super::layer::{Layer, Which};
use super::open_files::OpenFiles;
use super::shared_levels::FilledLocations;
use super::trace::{Outcome, TraceKind};
use crate::backends::{BackEnd, Refusal, Refused, Registry};
use crate::config::hiera_yaml::{DatadirRule, Function, FunctionKind, HieraYaml, Level, Locations};
use crate::config::path;
use crate::data::{DataFile, Files, Format, Hash, Located, PathKind, Place, Value, inspect};
use crate::facts::open_path::{self, OpenPath};
use crate::facts::variable::may_contain_slash;

/// A level as one node sees it.
#[derive(Debug)]
pub struct ResolvedLevel {
    /// Its name.
    pub name: Arc<str>,
    /// The name in explain: `Hierarchy entry "x"`.
    pub title: Arc<str>,
    /// Where hiera.yaml defines it.
    pub place: Option<Place>,
    /// The back end.
    pub function: Function,
    /// Its options, interpolated.
    pub options: Arc<Hash>,
    /// Its directory, interpolated.
    pub datadir: Arc<str>,
    /// Where hiera.yaml sets the directory, for this level or for all.
    pub datadir_place: Option<Place>,
    /// The locations of its data; `None` if the level names no location at all.
    pub locations: Option<Vec<Location>>,
    /// Whether one of its locations is a glob with open variables.
    pub(crate) has_open_glob: bool,
    /// Provides its data; `None` for a back end that is not evaluated here.
    pub(crate) back_end: Option<Arc<dyn BackEnd>>,
    /// How the back end reads the files at the level's paths, if it uses nothing else.
    pub(crate) reads: Option<Format>,
    /// The state of the level's source, if it names no location.
    pub(crate) source: SourceState,
    /// Open variables in its options.
    pub(crate) open_options: Vec<Arc<str>>,
}

impl ResolvedLevel {
    /// The format of the files that a built-in function reads at the level's paths.
    pub fn built_in_format(&self) -> Option<Format> {
        Registry::format(&self.function)
    }

    /// Whether its function is called for every path. Puppet calls all others only for paths that exist.
    pub(super) fn is_called_without_a_file(&self) -> bool {
        self.function.kind == FunctionKind::Hiera3Backend
    }
}

/// One path or URI of a level.
#[derive(Debug)]
pub struct Location {
    /// The template in hiera.yaml; for a glob, the absolute pattern.
    pub original: Arc<str>,
    /// Where hiera.yaml writes the template.
    pub template_place: Option<Place>,
    /// The absolute path as Puppet names it, or the URI.
    pub location: Arc<str>,
    /// The path under which the file is known: without `.`, `..` and double slashes. For a URI, the URI.
    pub file: Arc<str>,
    /// Whether it is a URI.
    pub is_uri: bool,
    /// Whether something (a file or a directory) exists there. URIs always exist.
    pub exists: bool,
    /// The file, after it was needed for the first time.
    pub(crate) data: OnceLock<Result<Arc<DataFile>, Box<Failure>>>,
    /// The results of a function for this location.
    pub(crate) source: SourceState,
    /// The files that it can lead to if its path contains open variables; such a location does not exist. Boxed, because most
    /// locations are not open.
    pub(crate) open: Option<Box<OpenLocation>>,
}

/// A location whose path contains open variables.
#[derive(Debug)]
pub(crate) struct OpenLocation {
    /// Its position.
    pub(crate) position: Position,
    pub(crate) path: OpenPath,
    /// Whether it is not known which texts make the path lead to a file.
    pub(crate) is_obscure: bool,
    /// Whether it represents all members of a list that is not known (`mapped_paths`).
    pub(crate) is_list: bool,
    /// The open variables, each once.
    pub(crate) variables: Arc<[Arc<str>]>,
    /// The concrete locations that lookups reached.
    filled: OnceLock<Arc<FilledLocations>>,
    /// Which of its files have which keys, as far as they were looked up.
    shared: OnceLock<Arc<OpenFiles>>,
    /// Whether it can lead to a file, for the files that were asked about.
    leads_to: Mutex<HashMap<Arc<str>, bool, foldhash::fast::RandomState>>,
}

/// The maximum number of files for which a location keeps whether it can lead to them.
const MAX_ASKED_FILES: usize = 64;

/// The position of a location in a hierarchy. It is the same for all nodes that see the same hierarchy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Position {
    /// The path of the hiera.yaml.
    config: Arc<str>,
    is_default: bool,
    level: usize,
    location: usize,
}

#[cfg(test)]
impl Position {
    /// Some location of a level.
    pub(crate) fn of_level(level: usize) -> Self {
        Self { level, ..Self::default() }
    }
}

impl OpenLocation {
    /// Finds out which files texts with slashes and empty texts lead to, and whether there are too many ways to list them.
    /// `config` is the file with its level.
    fn prepare(&mut self, evaluator: &Evaluator, config: &HieraYaml) {
        if self.is_obscure {
            return;
        }
        if self.variables.len() > 1 {
            self.path.put_beside(evaluator.paths_of(config));
        }
        if self.variables.iter().any(|it| may_contain_slash(it)) {
            self.path.add_files_by_slashes(evaluator.files_by_slashes(config));
        }
        // Most paths have one variable in a name, and their files are looked for only when a key needs them.
        if self.path.may_have_many_ways() {
            let files = evaluator.prepared().fits(evaluator.files().as_ref(), &self.path);
            self.is_obscure = files.are_too_many();
        }
    }

    fn new(path: OpenPath, is_list: bool) -> Self {
        Self {
            position: Position::default(),
            is_obscure: path.is_obscure(),
            variables: path.variables().into(),
            path,
            is_list,
            filled: OnceLock::new(),
            shared: OnceLock::new(),
            leads_to: Mutex::default(),
        }
    }

    /// Whether it can lead to a file. Every run asks about the few files that are edited.
    fn may_lead_to(&self, path: &Arc<str>) -> bool {
        let mut known = self.leads_to.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_ASKED_FILES && !known.contains_key(path) {
            known.clear();
        }
        *known.entry(Arc::clone(path)).or_insert_with(|| self.path.may_lead_to(path))
    }

    /// Which of its files matter, shared by all evaluators that read the same.
    pub(super) fn files(
        &self,
        evaluator: &Evaluator,
        module: Option<&Arc<str>>,
        format: Format,
    ) -> &OpenFiles {
        self.shared.get_or_init(|| match evaluator.open_files() {
            Some(table) => {
                let reads_broken_files = evaluator.reads_broken_files();
                table.of(&self.path, format, module.is_some(), reads_broken_files)
            }
            None => Arc::default(),
        })
    }
}

impl Location {
    fn path(
        files: &dyn Files,
        original: Arc<str>,
        place: Option<Place>,
        location: Arc<str>,
        exists: bool,
    ) -> Self {
        let file = match path::resolve(files, &location) {
            Some(Cow::Owned(plain)) => plain.into(),
            _ => Arc::clone(&location),
        };
        Self { file, exists, ..Self::at(original, place, location) }
    }

    /// A location where nothing exists.
    fn at(original: Arc<str>, place: Option<Place>, location: Arc<str>) -> Self {
        Self {
            original,
            template_place: place,
            file: Arc::clone(&location),
            location,
            is_uri: false,
            exists: false,
            data: OnceLock::new(),
            source: SourceState::default(),
            open: None,
        }
    }

    fn open(original: Arc<str>, template: &Located, open: OpenLocation, text: &str) -> Self {
        let shown = open_path::shown(text).into();
        Self { open: Some(Box::new(open)), ..Self::at(original, template.place, shown) }
    }

    /// The step in the trace when it is searched.
    pub(super) fn trace_kind(&self) -> TraceKind {
        TraceKind::Location {
            is_uri: self.is_uri,
            original: Arc::clone(&self.original),
            location: Arc::clone(&self.location),
        }
    }

    /// Whether another node sees the location in the same way.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.original == other.original
            && self.template_place == other.template_place
            && self.location == other.location
            && (self.is_uri, self.exists) == (other.is_uri, other.exists)
            && match (&self.open, &other.open) {
                (Some(one), Some(other)) => {
                    one.position == other.position
                        && one.path == other.path
                        && one.is_list == other.is_list
                }
                (one, other) => one.is_none() && other.is_none(),
            }
    }

    pub(super) fn is_open_glob(&self) -> bool {
        self.open.as_ref().is_some_and(|it| it.path.is_glob())
    }

    /// Whether its path contains open variables.
    pub fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether its path is open and can lead to the file at `path`.
    pub fn may_lead_to(&self, path: &Arc<str>) -> bool {
        self.open.as_ref().is_some_and(|it| it.may_lead_to(path))
    }

    /// [`Self::may_lead_to`], or it is not known what the path leads to.
    pub(super) fn may_lead_somehow_to(&self, path: &Arc<str>) -> bool {
        self.open.as_ref().is_some_and(|it| it.is_obscure) || self.may_lead_to(path)
    }

    /// The files that an open path can lead to; none if it is not open.
    pub fn open_files(&self, evaluator: &Evaluator) -> Vec<Arc<str>> {
        let Some(open) = &self.open else { return Vec::new() };
        let fits = evaluator.prepared().fits(evaluator.files().as_ref(), &open.path);
        let mut paths: Vec<Arc<str>> = fits.iter().map(|fit| Arc::clone(&fit.path)).collect();
        paths.dedup();
        paths
    }

    /// How its step in the trace ends if it is open.
    pub(super) fn outcome_while_open(&self, evaluator: &Evaluator) -> Outcome {
        let files = self.open_files(evaluator).len();
        match &self.open {
            Some(open) if open.is_obscure || files > 0 => {
                Outcome::LocationNotKnown { variables: Arc::clone(&open.variables), files }
            }
            _ => Outcome::LocationNotFound,
        }
    }

    /// The locations that an open location of a level becomes if its path is `text`: one, or all that a glob finds.
    pub(crate) fn filled(
        &self,
        evaluator: &Evaluator,
        (layer, level): (&Layer, &ResolvedLevel),
        text: String,
    ) -> Arc<[Location]> {
        let Some(open) = &self.open else { return Arc::default() };
        let shared = || evaluator.shared_levels()?.filled(layer, level, self);
        let filled = open.filled.get_or_init(|| shared().unwrap_or_default());
        filled.at(text, |text| {
            let files = evaluator.files().as_ref();
            let at = |location: Arc<str>, exists: bool| {
                let original = Arc::clone(&self.original);
                Self::path(files, original, self.template_place, location, exists)
            };
            if open.path.is_glob() {
                let found = evaluator.prepared().glob(files, &Arc::from(text));
                return found.iter().map(|path| at(Arc::clone(path), true)).collect();
            }
            let exists = path::kind(files, text) != PathKind::Missing;
            [at(text.into(), exists)].into()
        })
    }
}

/// Expands the levels of a hierarchy. If one level fails, all fail, as in Puppet.
pub(crate) fn resolve(
    invocation: &mut Invocation<'_>,
    config: &HieraYaml,
    which: Which,
) -> Result<Vec<ResolvedLevel>, Failure> {
    let levels = match which {
        Which::Hierarchy => &config.hierarchy,
        Which::DefaultHierarchy => &config.default_hierarchy,
    };
    let mut resolved = Vec::with_capacity(levels.len());
    for (number, level) in levels.iter().enumerate() {
        let mut level = resolve_level(invocation, config, level)
            .map_err(|failure| blame_config(config, level, failure))?;
        for (at, location) in level.locations.iter_mut().flatten().enumerate() {
            if let Some(open) = &mut location.open {
                open.position = Position {
                    config: Arc::clone(&config.path),
                    is_default: which == Which::DefaultHierarchy,
                    level: number,
                    location: at,
                };
                if !location.is_uri {
                    open.prepare(invocation.evaluator, config);
                }
            }
        }
        // Without a global hiera.yaml, Puppet has a level for `common.yaml`. Explanations show it only if that file exists.
        let is_dropped = !config.exists && level.locations.as_ref().is_some_and(Vec::is_empty);
        if !is_dropped {
            resolved.push(level);
        }
    }
    Ok(resolved)
}

fn resolve_level(
    invocation: &mut Invocation<'_>,
    config: &HieraYaml,
    level: &Level,
) -> Result<ResolvedLevel, Failure> {
    let datadir = datadir_is_joined_before_it_is_interpolated(invocation, config, level)?;
    let locations = resolve_locations(invocation, config, level, &datadir)?;
    let options = match &level.options {
        None => Hash::shared_empty(),
        Some(options) => {
            let options = Value::Hash(Arc::clone(options)).unplaced();
            match interpolate::interpolate(invocation, &options, InterpolatedText::Config)?.value {
                Value::Hash(options) => options,
                _ => Hash::shared_empty(),
            }
        }
    };
    let open_options = open_variables(&Value::Hash(Arc::clone(&options)));
    let options = if open_options.is_empty() { options } else { without_holes(&options) };
    let evaluator = invocation.evaluator;
    let back_end = back_end_of(evaluator, level);
    let shared = |text: &str| evaluator.prepared().shared_text(text);
    Ok(ResolvedLevel {
        name: Arc::clone(&level.name),
        title: shared(&match level.function.kind {
            FunctionKind::V4DataHash => {
                format!("Deprecated API function \"{}\"", level.function.name)
            }
            _ => format!("Hierarchy entry \"{}\"", level.name),
        }),
        place: level.place,
        function: level.function.clone(),
        options,
        datadir: if open_path::has_holes(&datadir) {
            open_path::shown(&datadir).into()
        } else {
            shared(&datadir)
        },
        datadir_place: level.datadir.place,
        has_open_glob: locations.iter().flatten().any(Location::is_open_glob),
        locations,
        reads: back_end.as_ref().and_then(|it| it.reads()),
        back_end,
        source: SourceState::default(),
        open_options,
    })
}

/// The back end of a level; one that fails if Puppet certainly cannot call the function.
fn back_end_of(evaluator: &Evaluator, level: &Level) -> Option<Arc<dyn BackEnd>> {
    let back_ends = evaluator.back_ends();
    back_ends.find(&level.function, &level.name).or_else(|| {
        // The settings may say that nothing is known of the function.
        if back_ends.knows(&level.function, &level.name) {
            return None;
        }
        let environment = Some(&**evaluator.environment());
        let refusal = Refusal::of(&level.function, evaluator.files().as_ref(), environment)?;
        Some(Arc::new(Refused(refusal)) as Arc<dyn BackEnd>)
    })
}

/// The options, with `%{…}` where a variable is open.
fn without_holes(options: &Hash) -> Arc<Hash> {
    fn shown(value: &Located) -> Located {
        let text = match &value.value {
            Value::String(text) => Value::string(open_path::shown(text)),
            Value::Array(items) => Value::array(items.iter().map(shown).collect()),
            Value::Hash(hash) => Value::Hash(without_holes(hash)),
            other => other.clone(),
        };
        Located::new(text, value.place)
    }
    let mut plain = Hash::with_capacity(options.len());
    for (key, member) in options {
        plain.insert(key.clone(), member.key_place, shown(&member.value));
    }
    Arc::new(plain)
}

/// The open variables in all strings of a value.
fn open_variables(value: &Value) -> Vec<Arc<str>> {
    match value {
        Value::String(text) => open_path::variables_of(text),
        Value::Array(items) => items.iter().flat_map(|it| open_variables(&it.value)).collect(),
        Value::Hash(hash) => {
            hash.iter().flat_map(|(_, it)| open_variables(&it.value.value)).collect()
        }
        _ => Vec::new(),
    }
}

/// In version 5, the path is joined before it is interpolated, so `%{x}/data` stays below the directory of hiera.yaml even if
/// `x` starts with a slash. The older versions have their own rules.
fn datadir_is_joined_before_it_is_interpolated(
    invocation: &mut Invocation<'_>,
    config: &HieraYaml,
    level: &Level,
) -> Result<Arc<str>, Failure> {
    let template = inspect::to_s(&level.datadir.value);
    let joined = || path::join(path::parent(&config.path), &template);
    let datadir = match config.datadir_rule() {
        DatadirRule::JoinOnly => joined().into(),
        DatadirRule::JoinThenInterpolate => {
            let joined = Located::new(Value::string(joined()), level.datadir.place);
            interpolate_path(invocation, &joined, InterpolatedText::Config)?
        }
        DatadirRule::InterpolateOnly => {
            interpolate_path(invocation, &level.datadir, InterpolatedText::Config)?
        }
    };
    Ok(invocation.evaluator.map_datadir(datadir))
}

fn resolve_locations(
    invocation: &mut Invocation<'_>,
    config: &HieraYaml,
    level: &Level,
    datadir: &str,
) -> Result<Option<Vec<Location>>, Failure> {
    let mut found = Vec::new();
    // Only version 5 tells Puppet to go on if a variable in a path is not defined.
    let context = match config.version {
        5 => InterpolatedText::ConfigLocation,
        _ => InterpolatedText::Config,
    };
    match &level.locations {
        Locations::None => return Ok(None),
        Locations::Paths(templates) => {
            found.reserve_exact(templates.len());
            for template in templates {
                let text = interpolate_path(invocation, template, context)?;
                let text = level.with_extension(text);
                let location = existing_path(invocation, datadir, &text, template);
                if config.exists || location.exists {
                    found.push(location);
                }
            }
        }
        Locations::Globs(templates) => {
            for template in templates {
                found.extend(expand_glob(invocation, datadir, template)?);
            }
        }
        Locations::Uris(templates) => {
            for template in templates {
                let text =
                    interpolate_text(invocation, template, InterpolatedText::ConfigLocation)?;
                found.push(uri(&text, template)?);
            }
        }
        Locations::MappedPaths(mapped) => {
            found = expand_mapped_paths(invocation, datadir, mapped)?;
        }
    }
    Ok(Some(found))
}

/// A template as it is written.
fn original(template: &Located) -> Arc<str> {
    match &template.value {
        Value::String(text) => Arc::clone(text),
        other => inspect::to_s(other).into(),
    }
}

fn existing_path(
    invocation: &Invocation<'_>,
    datadir: &str,
    text: &str,
    template: &Located,
) -> Location {
    if let Some(path) = OpenPath::joined(datadir, text, false) {
        let shown = Arc::clone(path.text());
        let open = OpenLocation::new(path, false);
        return Location::open(original(template), template, open, &shown);
    }
    let evaluator = invocation.evaluator;
    let location = evaluator.prepared().shared_text(&path::join(datadir, text));
    let files = evaluator.files();
    // A directory counts as existing, and reading it fails. Without the fact, even `path: "%{facts.x}"` leads to one, the datadir.
    let exists = path::kind(files.as_ref(), &location) != PathKind::Missing;
    Location::path(files.as_ref(), original(template), template.place, location, exists)
}

fn expand_glob(
    invocation: &mut Invocation<'_>,
    datadir: &str,
    template: &Located,
) -> Result<Vec<Location>, Failure> {
    let text = interpolate_path(invocation, template, InterpolatedText::ConfigLocation)?;
    if let Some(path) = OpenPath::joined(datadir, &text, true) {
        let shown = Arc::clone(path.text());
        let original = open_path::shown(&shown).into();
        let open = OpenLocation::new(path, false);
        return Ok(vec![Location::open(original, template, open, &shown)]);
    }
    let pattern: Arc<str> = path::join(datadir, &text).into();
    let evaluator = invocation.evaluator;
    let files = evaluator.files().as_ref();
    let found = evaluator.prepared().glob(files, &pattern);
    let location = |path: &Arc<str>| {
        Location::path(files, Arc::clone(&pattern), template.place, Arc::clone(path), true)
    };
    Ok(found.iter().map(location).collect())
}

fn uri(text: &Arc<str>, template: &Located) -> Result<Location, Failure> {
    if open_path::has_holes(text) && !interpolate::has_null_byte(template) {
        let open = OpenLocation::new(OpenPath::new(Arc::clone(text), false), false);
        let original = original(template);
        return Ok(Location { is_uri: true, ..Location::open(original, template, open, text) });
    }
    if !is_ruby_uri(text) {
        let message =
            format!("bad URI(is not URI?): {}", inspect::inspect(&Value::string(Arc::clone(text))));
        return Err(Failure::ruby("URI::InvalidURIError", message).at(template.place));
    }
    let location = Location::at(original(template), template.place, Arc::clone(text));
    Ok(Location { is_uri: true, exists: true, ..location })
}

/// Whether Ruby's `URI()` accepts the text: the characters of RFC 3986, percent signs only before two hex digits.
fn is_ruby_uri(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'%' => bytes.get(at + 1..at + 3).is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit)),
        // Brackets are valid only around an IPv6 address.
        b'[' | b']' => text.contains("://["),
        _ => byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(byte),
    })
}

fn expand_mapped_paths(
    invocation: &mut Invocation<'_>,
    datadir: &str,
    mapped: &[Located; 3],
) -> Result<Vec<Location>, Failure> {
    let [variable, loop_variable, template] = mapped;
    let context = InterpolatedText::ConfigLocation;
    // This is a bare name and not a template. Puppet takes `%{x}` for a variable whose name contains these characters.
    let name = inspect::to_s(&variable.value);
    let value = interpolate::variable(invocation, &name, "mapped_path[0]", context)?;
    let loop_variable: Arc<str> = inspect::to_s(&loop_variable.value).into();
    let value = match value {
        Variable::Found(Some(value)) => value,
        Variable::Found(None) => return Ok(Vec::new()),
        Variable::Open(list) => {
            let member = (loop_variable, Mapped::AnyOf(list));
            return open_list(invocation, datadir, template, member);
        }
    };
    let mut found = Vec::new();
    for element in mapped_elements(value)? {
        let outer = invocation.local.replace((Arc::clone(&loop_variable), Mapped::Member(element)));
        let text = interpolate_path(invocation, template, context);
        invocation.local = outer;
        // An error leaves the function only here, after the variable of the outer template is restored.
        found.push(existing_path(invocation, datadir, &text?, template));
    }
    Ok(found)
}

/// The files that the members of an unknown list can lead to, and that of the member that is known because its file is shown.
fn open_list(
    invocation: &mut Invocation<'_>,
    datadir: &str,
    template: &Located,
    member: (Arc<str>, Mapped),
) -> Result<Vec<Location>, Failure> {
    let outer = invocation.local.replace(member);
    let text = interpolate_text(invocation, template, InterpolatedText::ConfigLocation);
    invocation.local = outer;
    let text = text?;
    let path = OpenPath::joined(datadir, &text, false)
        // A template without the loop variable has no hole. It is still open, because an empty list leads to no file.
        .unwrap_or_else(|| OpenPath::new(path::join(datadir, &text).into(), false));
    let known = invocation.evaluator.node().known();
    let text_of = |name: &str| known.get(name)?.value.as_str();
    let of_member =
        path.filled(text_of).filter(|_| open_path::has_holes(path.text())).map(|text| {
            let files = invocation.evaluator.files().as_ref();
            let exists = path::kind(files, &text) != PathKind::Missing;
            Location::path(files, original(template), template.place, text.into(), exists)
        });
    let shown = Arc::clone(path.text());
    let open = OpenLocation::new(path, true);
    let open = Location::open(original(template), template, open, &shown);
    Ok([open].into_iter().chain(of_member).collect())
}

/// The elements of `mapped_paths`: a string is one element, a hash consists of pairs, a number makes Puppet crash.
fn mapped_elements(value: Located) -> Result<Vec<Located>, Failure> {
    Ok(match &value.value {
        Value::Undef => Vec::new(),
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(_) => vec![value],
        Value::Array(items) => items.as_ref().clone(),
        Value::Hash(hash) => hash
            .iter()
            .map(|(key, member)| {
                Value::array(vec![key.clone().into(), member.value.clone()]).unplaced()
            })
            .collect(),
        other => {
            let message = format!(
                "undefined method `empty?' for {}:{}",
                inspect::inspect(other),
                ruby_class_of_scalar(other)
            );
            return Err(Failure::ruby("NoMethodError", message));
        }
    })
}

fn ruby_class_of_scalar(value: &Value) -> &'static str {
    match value {
        Value::Boolean(true) => "TrueClass",
        Value::Boolean(false) => "FalseClass",
        Value::Float(_) => "Float",
        _ => "Integer",
    }
}

/// Puppet names hiera.yaml and, for an undefined variable, the line that mentions it.
fn blame_config(config: &HieraYaml, level: &Level, failure: Failure) -> Failure {
    let failure = failure.at(level.place);
    let undefined = failure
        .message
        .strip_prefix("Undefined variable '")
        .and_then(|rest| rest.split_once('\''))
        .map(|(name, _)| name.to_owned());
    let message = match undefined {
        Some(name) => {
            let line = config.line_that_interpolates(&name);
            let line = line.map_or(String::new(), |line| format!(", line: {line}"));
            format!("Undefined variable '{name}' (file: {}{line})", config.path)
        }
        // Errors without an issue code, such as those about digging in a string, do not name the file.
        None if failure.has_issue_code => {
            format!("{} (file: {})", failure.message, config.path)
        }
        None => return failure,
    };
    Failure { place: failure.place, ..Failure::issue(message) }
}
