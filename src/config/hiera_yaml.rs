//! Reads a `hiera.yaml`, checks it as Puppet does, and converts all versions to one form.
//!
//! Nothing is interpolated here: templates stay templates until a lookup provides a scope.

use std::sync::Arc;

use super::PuppetVersion;
use crate::data::{FileId, Files, Hash, Located, PathKind, Place, Value};

mod data_provider;
mod level;
mod lines;
mod reader;
mod schema;
mod v3;
mod v4;
mod v5;

pub(crate) use level::LOCATION_KEYS;

/// The layer of a `hiera.yaml`, which determines what it may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LayerKind {
    /// The machine's own layer.
    Global,
    /// An environment's.
    Environment,
    /// A module's.
    Module,
}

/// A checked configuration of any version.
#[derive(Debug, Clone)]
pub struct HieraYaml {
    /// 3, 4 or 5, as explain shows it.
    pub version: u8,
    /// Path of the file (which need not exist for the built-in default).
    pub path: Arc<str>,
    /// Whether the file exists; only then does explain say `Using configuration`.
    pub exists: bool,
    /// The text of the file; empty if there is none.
    pub text: Arc<str>,
    /// `defaults.datadir` or `data`, not interpolated.
    pub default_datadir: Located,
    /// The levels of `hierarchy`.
    pub hierarchy: Vec<Level>,
    /// The levels of `default_hierarchy` (modules only).
    pub default_hierarchy: Vec<Level>,
    /// The levels of `plan_hierarchy`, which Bolt's plans read, and no catalog.
    pub plan_hierarchy: Vec<Level>,
    declares_default_hierarchy: bool,
}

/// One item under `hierarchy`.
#[derive(Debug, Clone)]
pub struct Level {
    /// Its `name`.
    pub name: Arc<str>,
    /// Where the name is written.
    pub name_place: Option<Place>,
    /// Where the whole item is written.
    pub place: Option<Place>,
    /// The back end, its own or the default one.
    pub function: Function,
    /// `options`, or those of `defaults`; not interpolated.
    pub options: Option<Arc<Hash>>,
    /// `datadir`, or the default one; not interpolated. See [`HieraYaml::datadir_rule`].
    pub datadir: Located,
    /// The extension that is added to an interpolated path that does not end with it, such as `.yaml` (versions 3 and 4
    /// only).
    pub extension: Option<Arc<str>>,
    /// The locations of the data.
    pub locations: Locations,
}

impl Level {
    /// A path with the extension that versions 3 and 4 add.
    pub fn with_extension(&self, path: Arc<str>) -> Arc<str> {
        match &self.extension {
            Some(extension) if !path.ends_with(&**extension) => format!("{path}{extension}").into(),
            _ => path,
        }
    }
}

/// A level's back end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The calling convention.
    pub kind: FunctionKind,
    /// The function's name, e.g. `yaml_data`.
    pub name: Arc<str>,
    /// Where the name is written; `None` for a built-in default.
    pub place: Option<Place>,
}

/// The calling conventions of back ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `data_hash`: all data of a location at once.
    DataHash,
    /// `lookup_key`: one root key at a time.
    LookupKey,
    /// `data_dig`: one sequence of segments at a time.
    DataDig,
    /// `hiera3_backend`: global layer only, removed in Puppet 8.
    Hiera3Backend,
    /// `v4_data_hash`: a function that was written for Hiera 4.
    V4DataHash,
}

/// The locations of a level's data. Every text is a template.
#[derive(Debug, Clone)]
pub enum Locations {
    /// No location key: the function is called once without one.
    None,
    /// `path` or `paths`.
    Paths(Vec<Located>),
    /// `glob` or `globs`.
    Globs(Vec<Located>),
    /// `uri` or `uris`.
    Uris(Vec<Located>),
    /// `mapped_paths`: variable name, loop variable, template.
    MappedPaths(Box<[Located; 3]>),
}

/// An error or warning of Puppet about a `hiera.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Puppet's complete text, including the path.
    pub message: String,
    /// The position in the file.
    pub place: Option<Place>,
    /// An error stops every lookup of the layer; a warning does not.
    pub severity: ConfigSeverity,
    /// Ruby's exception class.
    pub class: ConfigErrorClass,
    /// The individual problems that `message` combines, at least one, each with its own position.
    pub details: Vec<ProblemDetail>,
    /// What it is about.
    pub subject: ProblemSubject,
}

/// What a [`ConfigProblem`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProblemSubject {
    /// What the file says.
    #[default]
    Content,
    /// The file contains no hash, so that it counts as version 3.
    NoHash,
    /// The version is old, or does not exist, or cannot be used in this layer.
    Version,
    /// The file has version 3, which Puppet refuses or ignores in this layer.
    VersionThree,
}

/// One part of a [`ConfigProblem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemDetail {
    /// Puppet's text without the path of the file, e.g. `entry 'hierarchy' index 0 unrecognized key 'foo'`.
    pub message: String,
    /// The position in the file.
    pub place: Option<Place>,
}

/// How a level's `datadir` becomes a directory, which depends on the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatadirRule {
    /// Joined to the directory of `hiera.yaml`, then interpolated (version 5).
    JoinThenInterpolate,
    /// Joined to the directory of `hiera.yaml`; not a template (version 4).
    JoinOnly,
    /// Interpolated; Puppet does not define what it is relative to (version 3).
    InterpolateOnly,
}

impl HieraYaml {
    /// Reads a `hiera.yaml`; `text` is `None` if the file does not exist.
    ///
    /// `None` means that this layer does not exist. If there is an error among the problems, Puppet refuses the layer with
    /// the first of them; the returned configuration is then only what could be read, for use in editors.
    pub fn read(
        path: &str,
        file: FileId,
        text: Option<&Arc<str>>,
        layer: LayerKind,
        puppet: PuppetVersion,
    ) -> (Option<Self>, Vec<ConfigProblem>) {
        match text {
            Some(text) => reader::read(path, file, (text, None), layer, puppet),
            None if layer == LayerKind::Global => (Some(Self::built_in(path)), Vec::new()),
            None => (None, Vec::new()),
        }
    }

    /// [`Self::read`] for a file that exists.
    ///
    /// # Errors
    /// Ruby's message, if the file cannot be read.
    pub fn of_file(
        files: &dyn Files,
        path: &str,
        layer: LayerKind,
        puppet: PuppetVersion,
    ) -> Result<(Option<Self>, Vec<ConfigProblem>), String> {
        let text = files.text(path)?;
        let invalid_utf8 = files.invalid_utf8(path);
        Ok(reader::read(path, files.id(path), (&text, invalid_utf8), layer, puppet))
    }

    /// The configuration of a layer, whether or not it has a `hiera.yaml` at `path`. That of the named module also depends on its
    /// `metadata.json`.
    ///
    /// # Errors
    /// Ruby's message, if the file cannot be read.
    pub fn of_layer(
        files: &dyn Files,
        path: &str,
        (layer, module): (LayerKind, Option<&str>),
        puppet: PuppetVersion,
    ) -> Result<(Option<Self>, Vec<ConfigProblem>), String> {
        let read = match files.kind(path) {
            PathKind::Missing => Self::read(path, files.id(path), None, layer, puppet),
            PathKind::File | PathKind::Directory => Self::of_file(files, path, layer, puppet)?,
        };
        Ok(match module {
            Some(module) => data_provider::of_module(files, path, module, read),
            None => read,
        })
    }

    /// Puppet's configuration for a global layer without a file, and for one of a module with the data provider `hiera`:
    /// `data/common.yaml` beside the place of the file.
    pub fn built_in(path: &str) -> Self {
        let datadir = Value::string("data").unplaced();
        Self {
            version: 5,
            path: path.into(),
            exists: false,
            text: Arc::default(),
            hierarchy: vec![level::common(&datadir, Function::yaml_data(), None)],
            default_datadir: datadir,
            default_hierarchy: Vec::new(),
            plan_hierarchy: Vec::new(),
            declares_default_hierarchy: false,
        }
    }

    /// How the `datadir` of the levels becomes a directory.
    pub fn datadir_rule(&self) -> DatadirRule {
        match self.version {
            3 => DatadirRule::InterpolateOnly,
            4 => DatadirRule::JoinOnly,
            _ => DatadirRule::JoinThenInterpolate,
        }
    }

    /// Whether the module has a `default_hierarchy`, even an empty one.
    pub fn has_default_hierarchy(&self) -> bool {
        self.declares_default_hierarchy
    }

    /// The line that Puppet names if `variable` is undefined: the first one that seems to interpolate it.
    pub fn line_that_interpolates(&self, variable: &str) -> Option<usize> {
        lines::find_line(&self.text, &format!(r#"%\{{['"]?{variable}['"]?\}}"#), 1)
    }
}

impl Function {
    /// `data_hash: yaml_data`, the built-in default.
    pub fn yaml_data() -> Self {
        Self { kind: FunctionKind::DataHash, name: "yaml_data".into(), place: None }
    }

    /// The name by which Puppet loads the function: in small letters, and without `::` before it
    /// (`Puppet::Pops::Loader::TypedName`).
    pub fn loaded_name(&self) -> Arc<str> {
        let name = self.name.strip_prefix("::").unwrap_or(&self.name);
        if name.len() == self.name.len() && !name.contains(char::is_uppercase) {
            return Arc::clone(&self.name);
        }
        name.to_lowercase().into()
    }
}

impl FunctionKind {
    /// All conventions, in the order in which Puppet looks for them in a level.
    pub const ALL: [Self; 5] =
        [Self::DataHash, Self::LookupKey, Self::DataDig, Self::Hiera3Backend, Self::V4DataHash];

    /// The key in `hiera.yaml`.
    pub fn key(self) -> &'static str {
        match self {
            Self::DataHash => "data_hash",
            Self::LookupKey => "lookup_key",
            Self::DataDig => "data_dig",
            Self::Hiera3Backend => "hiera3_backend",
            Self::V4DataHash => "v4_data_hash",
        }
    }
}

/// What has become of a back end that was part of Hiera 3: the function's kind and name, and the extension of the files without
/// a dot. Other back ends need Hiera 3 itself.
pub(crate) fn built_in_backend(name: &str) -> Option<(FunctionKind, &'static str, &'static str)> {
    Some(match name {
        "yaml" => (FunctionKind::DataHash, "yaml_data", "yaml"),
        "json" => (FunctionKind::DataHash, "json_data", "json"),
        "hocon" => (FunctionKind::DataHash, "hocon_data", "conf"),
        "eyaml" => (FunctionKind::LookupKey, "eyaml_lookup_key", "eyaml"),
        _ => return None,
    })
}

/// The function and the extension of those that version 4 has, too.
pub(crate) fn data_hash_backend(name: &str) -> Option<(&'static str, &'static str)> {
    let (kind, function, extension) = built_in_backend(name)?;
    (kind == FunctionKind::DataHash).then_some((function, extension))
}

impl ConfigProblem {
    /// Whether it stops Puppet.
    pub fn is_error(&self) -> bool {
        self.severity == ConfigSeverity::Error
    }
}

/// Ruby's exception classes for a `hiera.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigErrorClass {
    /// A LookupError from Puppet's table of issues, the only one that ends `puppet lookup` silently.
    Lookup,
    /// A TypeAssertionError, for violations of the schema.
    Schema,
    /// A YamlLoadError, for invalid YAML.
    Yaml,
    /// A crash, by its exception class.
    Ruby(&'static str),
}

/// The severity of a [`ConfigProblem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigSeverity {
    /// Lookups continue.
    Warning,
    /// Lookups of the layer fail with the message.
    Error,
}

#[cfg(test)]
mod tests;
