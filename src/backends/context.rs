//! The context object: what a function may request from the lookup that calls it, and what it may keep for the next call.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::failure::Failure;
use crate::config::{Environment, PuppetVersion};
use crate::data::{Files, Hash, Located, Value};
use crate::facts::Node;

/// Puppet's `LookupContext`, and what functions access through their scope. `not_found` is
/// [`Returned::NotFound`](super::Returned::NotFound).
pub trait PuppetContext {
    /// The environment.
    fn environment(&self) -> &Arc<Environment>;

    /// The environment's name for the node: the `environment_name` of functions.
    fn environment_name(&self) -> Arc<str> {
        self.environment().name_for(self.node().environment.as_deref())
    }

    /// The module to whose layer the level belongs, in the module layer.
    fn module_name(&self) -> Option<&Arc<str>>;

    /// The value with every `%{…}` in it expanded, functions included.
    ///
    /// # Errors
    /// As any lookup inside it.
    fn interpolate(&mut self, value: &Located) -> Result<Located, Failure>;

    /// Whether explanations are recorded.
    fn is_explained(&self) -> bool;

    /// Adds a text to the explanation, if one is recorded.
    fn explain(&mut self, text: &str);

    /// The private cache of the function: `cache`, `cache_all`, `cached_value`, `cache_has_key`, `cached_entries`.
    fn cache(&self) -> &Arc<FunctionContext>;

    /// The text of a file in the snapshot, including unsaved text in editors. Data derived from it may be kept as long as the
    /// text is the same.
    ///
    /// # Errors
    /// Ruby's exception for a file that cannot be read.
    fn cached_file_data(&self, path: &str) -> Result<Arc<str>, Failure> {
        self.files().text(path).map_err(file_failure)
    }

    /// A lookup inside the function, as `lookup()` does it, with the same stack of names to detect recursion.
    ///
    /// # Errors
    /// As for any lookup.
    fn lookup(&mut self, key: &Arc<str>, merge: Option<&Value>)
    -> Result<Option<Located>, Failure>;

    /// The files of the snapshot.
    fn files(&self) -> &Arc<dyn Files>;

    /// The node of the lookup.
    fn node(&self) -> &Arc<Node>;

    /// The Puppet version whose strictness applies.
    fn version(&self) -> PuppetVersion;

    /// Whether the readable entries of a file that Puppet refuses are used.
    fn reads_broken_files(&self) -> bool {
        false
    }

    /// Records one of Puppet's warnings; each is shown once.
    fn warn(&mut self, message: String);

    /// Whether the request was cancelled.
    fn is_cancelled(&self) -> bool;
}

/// The private cache of a function at one location of one level, for the life of the node's
/// [`Evaluator`](crate::engine::Evaluator).
#[derive(Default)]
pub struct FunctionContext {
    entries: Mutex<Hash>,
    attachment: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl FunctionContext {
    /// Caches a value under a key, which is a scalar or undef.
    pub fn cache(&self, key: Value, value: Located) {
        self.with(|entries| entries.insert(key, None, value));
    }

    /// Caches all members of a hash.
    pub fn cache_all(&self, hash: &Hash) {
        self.with(|entries| {
            for (key, member) in hash {
                entries.insert(key.clone(), None, member.value.clone());
            }
        });
    }

    /// Whether a value is cached under the key.
    pub fn cache_has_key(&self, key: &Value) -> bool {
        self.with(|entries| entries.get_value(key).is_some())
    }

    /// The value cached under the key; undef if there is none.
    pub fn cached_value(&self, key: &Value) -> Located {
        let kept = self.with(|entries| entries.get_value(key).map(|member| member.value.clone()));
        kept.unwrap_or_else(|| Value::Undef.unplaced())
    }

    /// All cached values, in the order in which their keys were added.
    pub fn cached_entries(&self) -> Hash {
        self.with(|entries| entries.clone())
    }

    /// Data of the back end itself that lives as long as this context; created on the first call.
    pub fn attachment<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.attachment.get_or_init(|| Box::new(make())).downcast_ref()
    }

    fn with<R>(&self, visit: impl FnOnce(&mut Hash) -> R) -> R {
        visit(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Omits the entries, which may be secrets.
impl fmt::Debug for FunctionContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FunctionContext").finish_non_exhaustive()
    }
}

/// Ruby's class for the message of a file that cannot be read.
pub(super) fn file_failure(message: String) -> Failure {
    match message.split(" @ ").next() {
        Some("No such file or directory") => Failure::ruby("Errno::ENOENT", of_stat(&message)),
        Some("Not a directory") => Failure::ruby("Errno::ENOTDIR", of_stat(&message)),
        Some("Is a directory") => Failure::ruby("Errno::EISDIR", message),
        Some("Permission denied") => Failure::ruby("Errno::EACCES", message),
        _ => Failure::ruby("SystemCallError", message),
    }
}

/// Puppet reads the modification time of a file before its content.
fn of_stat(message: &str) -> String {
    message.replace("@ rb_sysopen", "@ rb_file_s_stat")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_stays_and_keeps_its_order() {
        let context = FunctionContext::default();
        let (a, nil) = (Value::string("a"), Value::Undef);
        assert!(!context.cache_has_key(&a));
        assert_eq!(context.cached_value(&a).value, Value::Undef);
        context.cache(nil.clone(), Value::Integer(1).into());
        context.cache(a.clone(), Value::Undef.into());
        assert!(context.cache_has_key(&a), "undef is a value");
        let mut more = Hash::new();
        more.insert(nil, None, Value::Integer(2).into());
        more.insert(Value::Integer(3), None, Value::Integer(4).into());
        context.cache_all(&more);
        let kept = crate::data::inspect::inspect(&Value::hash(context.cached_entries()));
        assert_eq!(kept, r#"{nil=>2, "a"=>nil, 3=>4}"#);
    }
}
