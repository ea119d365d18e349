//! Functions that Puppet certainly cannot call: those that belong to another key, and those that do not exist.

use std::sync::Arc;

use super::back_end::{BackEnd, Call, DataHash, Returned};
use super::context::PuppetContext;
use super::failure::Failure;
use super::registry::Registry;
use crate::config::Environment;
use crate::config::hiera_yaml::{Function, FunctionKind};
use crate::data::{Files, Located, PathKind};
use crate::syntax::key_path::Segment;
use crate::syntax::puppet::is_qualified_name;

/// The keys that Puppet's own functions belong to.
const KINDS: [FunctionKind; 3] =
    [FunctionKind::DataHash, FunctionKind::LookupKey, FunctionKind::DataDig];

/// Why Puppet certainly cannot call the function of a level. Every lookup that comes to the level fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is one of Puppet's own functions, which belongs to this other key and refuses the arguments.
    OtherKind(FunctionKind),
    /// Puppet finds no function of this name.
    Missing,
    /// No function can have this name.
    NotAName,
}

impl Refusal {
    /// `None` if the function may exist, on the server at least. Without an environment, it is not known which functions exist.
    pub fn of(
        function: &Function,
        files: &dyn Files,
        environment: Option<&Environment>,
    ) -> Option<Self> {
        if function.kind == FunctionKind::Hiera3Backend {
            return None;
        }
        if let Some(kind) = own_kind(function) {
            return (kind != function.kind).then_some(Self::OtherKind(kind));
        }
        let name = function.loaded_name();
        if !is_function_name(&name) {
            return Some(Self::NotAName);
        }
        let is_missing = environment.is_some_and(|it| lacks_function(files, &name, it));
        is_missing.then_some(Self::Missing)
    }

    /// Puppet's error.
    pub fn in_words(self, function: &Function) -> String {
        let Function { name, kind, .. } = function;
        let Self::OtherKind(own) = self else {
            return format!("Unable to find '{}' function named '{name}'", kind.key());
        };
        match (own, kind) {
            (FunctionKind::DataHash, FunctionKind::V4DataHash) => {
                format!("'{name}' expects 2 arguments, got none")
            }
            (_, FunctionKind::V4DataHash) => format!("'{name}' expects 3 arguments, got none"),
            (FunctionKind::DataHash, _) => format!("'{name}' expects 2 arguments, got 3"),
            (_, FunctionKind::DataHash) => format!("'{name}' expects 3 arguments, got 2"),
            _ => format!("'{name}' parameter 'key' expects a String value, got Tuple"),
        }
    }
}

/// The back end of a level whose function Puppet cannot call: it fails.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) Refusal);

impl Refused {
    fn failure(&self, call: &Call<'_>) -> Failure {
        let words = self.0.in_words(call.function);
        let failure = match self.0 {
            Refusal::OtherKind(_) => Failure::ruby("ArgumentError", words),
            // The function that the metadata of a module names is in no hiera.yaml.
            _ if call.function.place.is_none() => Failure::issue(words),
            Refusal::Missing | Refusal::NotAName => {
                Failure::issue(format!("{words} (file: {})", call.config))
            }
        };
        failure.at(call.function.place.or(call.level_place))
    }
}

impl BackEnd for Refused {
    fn data_hash(
        &self,
        call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<DataHash>, Failure> {
        Err(self.failure(call))
    }

    fn lookup_key(
        &self,
        _key: &Arc<str>,
        call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        Err(self.failure(call))
    }

    fn data_dig(
        &self,
        _segments: &[Segment],
        call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        Err(self.failure(call))
    }
}

/// The key that a function of Puppet belongs to.
fn own_kind(function: &Function) -> Option<FunctionKind> {
    let has = |kind: &FunctionKind| {
        Registry::format(&Function { kind: *kind, ..function.clone() }).is_some()
    };
    KINDS.into_iter().find(has)
}

/// Whether the name is valid for a Puppet function. Names are not interpolated.
fn is_function_name(name: &str) -> bool {
    is_qualified_name(name.trim_start_matches("::"), |it| it.is_ascii_lowercase())
}

/// Whether Puppet certainly finds no function of this name, as its loaders know it (`Function::loaded_name`). A name with a
/// module belongs to this module alone. Any other name may belong to every module, of which the server may have more, so
/// only the names that users leave out a part of count.
fn lacks_function(files: &dyn Files, name: &str, environment: &Environment) -> bool {
    let exists = |path: &String| files.kind(path) != PathKind::Missing;
    let Some((module, _)) = name.split_once("::") else {
        let is_short = ["yaml", "json", "hocon", "eyaml"].contains(&name);
        return is_short && !places_of_function(name, environment).iter().any(exists);
    };
    let Some(root) = environment.modules.get(module) else { return false };
    !places_below(root, name).iter().any(exists)
}

/// The files that may define a function: those in which Puppet's loaders search for it, and the back end of that name for Hiera 3.
pub fn places_of_function(name: &str, environment: &Environment) -> Vec<String> {
    let roots = environment.root.iter().chain(environment.modules.values());
    roots.flat_map(|root| places_below(root, name)).collect()
}

/// Those of them in one module, or in the environment itself.
fn places_below(root: &str, name: &str) -> [String; 3] {
    let below = name.replace("::", "/");
    let in_namespace = below.split_once('/').map_or(&*below, |(_, rest)| rest);
    let names = [
        format!("functions/{in_namespace}.pp"),
        format!("lib/puppet/functions/{below}.rb"),
        format!("lib/hiera/backend/{below}_backend.rb"),
    ];
    names.map(|name| format!("{root}/{name}"))
}
