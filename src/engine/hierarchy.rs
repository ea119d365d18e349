//! A layer made concrete for one node: its levels with their templates expanded and their files found.

use std::sync::{Arc, OnceLock};

use super::calls::Source;
use super::failure::Failure;
use super::interpolate::{self, interpolate_text};
use super::invocation::{Context, Invocation};
use crate::backends::{BackEnd, Registry};
use crate::config::hiera_yaml::{DatadirRule, Function, HieraYaml, Level, Locations};
use crate::config::path;
use crate::data::{DataFile, Format, Hash, Located, PathKind, Place, Value, inspect};

/// A level as one node sees it.
#[derive(Debug)]
pub struct ResolvedLevel {
    /// Its name.
    pub name: Arc<str>,
    /// As explain names it: `Hierarchy entry "x"`.
    pub title: Arc<str>,
    /// Where hiera.yaml defines it.
    pub place: Option<Place>,
    /// The back end.
    pub function: Function,
    /// Its options, interpolated.
    pub options: Arc<Hash>,
    /// Its directory, interpolated.
    pub datadir: Arc<str>,
    /// Where hiera.yaml writes the directory, for this level or for all.
    pub datadir_place: Option<Place>,
    /// Where its data lies; `None` if the level names no location at all.
    pub locations: Option<Vec<Location>>,
    /// What answers; `None` for a back end that is not evaluated here.
    pub(crate) back_end: Option<Arc<dyn BackEnd>>,
    /// How the back end reads the files at the level's paths, if they are all it knows.
    pub(crate) reads: Option<Format>,
    /// What is known of the level's source, if it names no location.
    pub(crate) source: Source,
}

impl ResolvedLevel {
    /// Whether something else than a file of the level gives its values.
    pub fn is_answered_by_function(&self) -> bool {
        self.back_end.is_some() && self.reads.is_none()
    }

    /// The format of the files that a built-in function reads at the level's paths.
    pub fn built_in_format(&self) -> Option<Format> {
        Registry::format(&self.function)
    }
}

/// One path or URI of a level.
#[derive(Debug)]
pub struct Location {
    /// The template in hiera.yaml; for a glob, the absolute pattern.
    pub original: Arc<str>,
    /// Where hiera.yaml writes the template.
    pub template_place: Option<Place>,
    /// The absolute path, or the URI.
    pub location: Arc<str>,
    /// Whether it is a URI.
    pub is_uri: bool,
    /// Whether something (a directory, too) lies there. URIs always exist.
    pub exists: bool,
    /// The file, once it was needed.
    pub(crate) data: OnceLock<Result<Arc<DataFile>, Failure>>,
    /// What a function said about it.
    pub(crate) source: Source,
}

impl Location {
    fn path(original: Arc<str>, template: &Located, location: Arc<str>, exists: bool) -> Self {
        Self {
            original,
            template_place: template.place,
            location,
            is_uri: false,
            exists,
            data: OnceLock::new(),
            source: Source::default(),
        }
    }
}

/// Expands the levels of a configuration. One bad level fails them all, as in Puppet.
pub(crate) fn resolve(
    invocation: &mut Invocation<'_>,
    config: &HieraYaml,
    levels: &[Level],
) -> Result<Vec<ResolvedLevel>, Failure> {
    let mut resolved = Vec::with_capacity(levels.len());
    for level in levels {
        let level = resolve_level(invocation, config, level)
            .map_err(|failure| blame_config(config, level, failure))?;
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
        None => Arc::default(),
        Some(options) => {
            let options = Value::Hash(Arc::clone(options)).unplaced();
            match interpolate::interpolate(invocation, &options, Context::Config)?.value {
                Value::Hash(options) => options,
                _ => Arc::default(),
            }
        }
    };
    let back_end = invocation.evaluator.back_ends().find(&level.function, &level.name);
    Ok(ResolvedLevel {
        name: Arc::clone(&level.name),
        title: format!("Hierarchy entry \"{}\"", level.name).into(),
        place: level.place,
        function: level.function.clone(),
        options,
        datadir,
        datadir_place: level.datadir.place,
        locations,
        reads: back_end.as_ref().and_then(|it| it.reads()),
        back_end,
        source: Source::default(),
    })
}

/// In version 5 joined before it is interpolated, so that `%{x}/data` stays below the directory of hiera.yaml even if `x`
/// begins with a slash; the older versions have rules of their own.
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
            interpolate_text(invocation, &joined, Context::Config)?
        }
        DatadirRule::InterpolateOnly => {
            interpolate_text(invocation, &level.datadir, Context::Config)?
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
    match &level.locations {
        Locations::None => return Ok(None),
        Locations::Paths(templates) => {
            for template in templates {
                let text = interpolate_text(invocation, template, Context::ConfigLocation)?;
                let text = older_versions_add_an_extension(level, text);
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
                let text = interpolate_text(invocation, template, Context::ConfigLocation)?;
                found.push(uri(&text, template)?);
            }
        }
        Locations::MappedPaths(mapped) => {
            found = expand_mapped_paths(invocation, datadir, mapped)?;
        }
    }
    Ok(Some(found))
}

fn existing_path(
    invocation: &Invocation<'_>,
    datadir: &str,
    text: &str,
    template: &Located,
) -> Location {
    let location: Arc<str> = path::join(datadir, text).into();
    let files = invocation.evaluator.files();
    let exists = path::kind(files.as_ref(), &location) != PathKind::Missing;
    Location::path(inspect::to_s(&template.value).into(), template, location, exists)
}

fn older_versions_add_an_extension(level: &Level, path: Arc<str>) -> Arc<str> {
    match &level.extension {
        Some(extension) if !path.ends_with(&**extension) => format!("{path}{extension}").into(),
        _ => path,
    }
}

fn expand_glob(
    invocation: &mut Invocation<'_>,
    datadir: &str,
    template: &Located,
) -> Result<Vec<Location>, Failure> {
    let text = interpolate_text(invocation, template, Context::ConfigLocation)?;
    let pattern: Arc<str> = path::join(datadir, &text).into();
    let evaluator = invocation.evaluator;
    let found = evaluator.prepared().glob(evaluator.files().as_ref(), &pattern);
    let location =
        |path: &Arc<str>| Location::path(Arc::clone(&pattern), template, Arc::clone(path), true);
    Ok(found.iter().map(location).collect())
}

fn uri(text: &Arc<str>, template: &Located) -> Result<Location, Failure> {
    if !is_ruby_uri(text) {
        let message =
            format!("bad URI(is not URI?): {}", inspect::inspect(&Value::string(Arc::clone(text))));
        return Err(Failure::ruby("URI::InvalidURIError", message).at(template.place));
    }
    Ok(Location {
        original: inspect::to_s(&template.value).into(),
        template_place: template.place,
        location: Arc::clone(text),
        is_uri: true,
        exists: true,
        data: OnceLock::new(),
        source: Source::default(),
    })
}

/// Whether Ruby's `URI()` takes the text: the characters of RFC 3986, percent signs only before two hex digits.
fn is_ruby_uri(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'%' => bytes.get(at + 1..at + 3).is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit)),
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
    let context = Context::ConfigLocation;
    let name = inspect::to_s(&variable.value);
    let value = interpolate::variable(invocation, &name, "mapped_path[0]", context)?;
    let Some(value) = value else { return Ok(Vec::new()) };
    let loop_variable: Arc<str> = inspect::to_s(&loop_variable.value).into();
    let mut found = Vec::new();
    for element in mapped_elements(value)? {
        let outer = invocation.local.replace((Arc::clone(&loop_variable), element));
        let text = interpolate_text(invocation, template, context);
        invocation.local = outer;
        found.push(existing_path(invocation, datadir, &text?, template));
    }
    Ok(found)
}

/// What `mapped_paths` goes through: a string is one element, a hash gives pairs, a number makes Puppet fall.
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
        None if failure.has_issue_code => {
            format!("{} (file: {})", failure.message, config.path)
        }
        None => return failure,
    };
    Failure { place: failure.place, ..Failure::issue(message) }
}
