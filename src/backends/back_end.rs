//! The trait: Hiera 5's three calling conventions.

use std::fmt::Debug;
use std::sync::Arc;

use super::context::PuppetContext;
use super::failure::Failure;
use crate::config::hiera_yaml::Function;
use crate::data::{DataFile, Format, Hash, Located, Place, Value};
use crate::syntax::key_path::Segment;

/// A function that a level may name, which supports at least one of the three calling conventions.
///
/// The engine calls it once for each existing path and each URI of its level, or once without a location. It calls
/// `data_hash` once for each source, `lookup_key` once for each source and key that was found (`lookup_options` is a key like
/// any other), and `data_dig` once for each source and sequence of segments. The engine checks the result and raises Puppet's
/// error if it is invalid. It interpolates only the result of `data_hash`.
pub trait BackEnd: Debug + Send + Sync {
    /// All data of the location.
    ///
    /// # Errors
    /// The error that the function raises, which ends the lookup.
    fn data_hash(
        &self,
        call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<DataHash>, Failure> {
        Err(has_no_such_convention(call))
    }

    /// The value of a root key.
    ///
    /// # Errors
    /// As [`Self::data_hash`].
    fn lookup_key(
        &self,
        _key: &Arc<str>,
        call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        Err(has_no_such_convention(call))
    }

    /// The value at the end of a sequence of segments, the root key first.
    ///
    /// # Errors
    /// As [`Self::data_hash`].
    fn data_dig(
        &self,
        _segments: &[Segment],
        call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        Err(has_no_such_convention(call))
    }

    /// The format of the file at its path, if the function uses nothing but that file: what is not a key of the file is not
    /// found, and the same file gives the same results. Such a back end must implement [`Self::data_hash`], which reads and
    /// checks the file and returns [`DataHash::File`]. As `lookup_key`, it is called only for keys of the file, which is then
    /// in [`Call::file`].
    fn reads(&self) -> Option<Format> {
        None
    }

    /// Whether the options of the level may change its results.
    fn depends_on_options(&self) -> bool {
        true
    }

    /// Whether the location may change its results.
    fn depends_on_location(&self) -> bool {
        true
    }

    /// Whether the values of a file may contain encrypted text that Puppet decrypts.
    fn keeps_encrypted_text(&self) -> bool {
        false
    }
}

/// The result of a function.
#[derive(Debug, Clone)]
pub enum Returned<T> {
    /// A value, which may be `undef`.
    Value(T),
    /// The result of `context.not_found`.
    NotFound,
    /// Nothing is known, so the level is opaque. Contains the reason, to follow the function's name: `is not evaluated here`.
    Unknown(Arc<str>),
}

/// The result of a `data_hash` function.
#[derive(Debug, Clone)]
pub enum DataHash {
    /// A file whose entries are read on demand, and which is a hash (or, for YAML, empty).
    File(Arc<DataFile>),
    /// Any value; the engine checks that it is a hash.
    Value(Value),
}

/// The location for which a function is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Site<'a> {
    /// Its level has no location.
    Nowhere,
    /// An absolute path. It exists, except for a back end of Hiera 3.
    Path(&'a Arc<str>),
    /// A URI.
    Uri(&'a Arc<str>),
}

/// The part of a call that does not depend on the key.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The function as the level names it.
    pub function: &'a Function,
    /// The level's name.
    pub level: &'a Arc<str>,
    /// The path of its hiera.yaml.
    pub config: &'a Arc<str>,
    /// The level's options, interpolated; without `path` and `uri`.
    pub options: &'a Arc<Hash>,
    /// The location.
    pub site: Site<'a>,
    /// Where hiera.yaml contains the location.
    pub site_place: Option<Place>,
    /// Where hiera.yaml defines the level.
    pub level_place: Option<Place>,
    /// The file at the path, for a function that [reads](BackEnd::reads) it and is called for a key.
    pub file: Option<&'a Arc<DataFile>>,
}

impl Call<'_> {
    /// The options hash that the function gets: the level's options, then `path` or `uri`.
    pub fn options_hash(&self) -> Hash {
        let mut options = Hash::clone(self.options);
        let (name, text) = match self.site {
            Site::Nowhere => return options,
            Site::Path(path) => ("path", path),
            Site::Uri(uri) => ("uri", uri),
        };
        options.insert(Value::string(name), None, Value::String(Arc::clone(text)).into());
        options
    }
}

fn has_no_such_convention(call: &Call<'_>) -> Failure {
    let (name, kind) = (&call.function.name, call.function.kind.key());
    Failure::ruby("ArgumentError", format!("'{name}' is not a {kind} function"))
        .at(call.function.place.or(call.level_place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::hiera_yaml::FunctionKind;
    use crate::data::inspect;

    #[track_caller]
    fn check(site: Site<'_>, expected: &str) {
        let mut options = Hash::new();
        options.insert(Value::string("a"), None, Value::Integer(1).into());
        let function = Function { kind: FunctionKind::LookupKey, name: "f".into(), place: None };
        let call = Call {
            function: &function,
            level: &"Level".into(),
            config: &"/hiera.yaml".into(),
            options: &Arc::new(options),
            site,
            site_place: None,
            level_place: None,
            file: None,
        };
        assert_eq!(inspect::inspect(&Value::hash(call.options_hash())), expected);
    }

    #[test]
    fn the_location_is_an_option() {
        check(Site::Nowhere, r#"{"a"=>1}"#);
        check(Site::Path(&"/d/a.yaml".into()), r#"{"a"=>1, "path"=>"/d/a.yaml"}"#);
        check(Site::Uri(&"http://x".into()), r#"{"a"=>1, "uri"=>"http://x"}"#);
    }
}
