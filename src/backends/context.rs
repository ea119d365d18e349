//! The context object: what a function may ask of the lookup that calls it, and what it may keep for the next call.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::failure::Failure;
use crate::config::{Environment, PuppetVersion};
use crate::data::{Files, Hash, Located, Value};
use crate::facts::Node;

/// Puppet's `LookupContext`, and beside it what functions reach through their scope. `not_found` is
/// [`Returned::NotFound`](super::Returned::NotFound).
pub trait Context {
    /// The environment: `environment_name` is its name.
    fn environment(&self) -> &Arc<Environment>;

    /// The module whose layer the level belongs to, if it is a module's.
    fn module_name(&self) -> Option<&Arc<str>>;

    /// The value with every `%{…}` in it expanded, functions included.
    ///
    /// # Errors
    /// As any lookup inside it.
    fn interpolate(&mut self, value: &Located) -> Result<Located, Failure>;

    /// Whether explanations are kept.
    fn is_explained(&self) -> bool;

    /// Adds a text to the explanation; dropped if none is wanted.
    fn explain(&mut self, text: &str);

    /// What the function keeps for itself: `cache`, `cache_all`, `cached_value`, `cache_has_key`, `cached_entries`.
    fn cache(&self) -> &Arc<FunctionContext>;

    /// The text of a file as of the snapshot, an editor's unsaved text included; what is made of it may be kept as long
    /// as the text is the same.
    ///
    /// # Errors
    /// Ruby's exception for a file that cannot be read.
    fn cached_file_data(&self, path: &str) -> Result<Arc<str>, Failure> {
        self.files().text(path).map_err(file_failure)
    }

    /// A lookup inside the function, as `lookup()` does it: the stack of names that tells recursion goes on.
    ///
    /// # Errors
    /// As any lookup.
    fn lookup(&mut self, key: &Arc<str>, merge: Option<&Value>)
    -> Result<Option<Located>, Failure>;

    /// The files of the snapshot.
    fn files(&self) -> &Arc<dyn Files>;

    /// The node that is looked up for.
    fn node(&self) -> &Arc<Node>;

    /// The Puppet whose strictness holds.
    fn version(&self) -> PuppetVersion;

    /// Whether a file that Puppet refuses gives those of its entries that can be read.
    fn reads_broken_files(&self) -> bool {
        false
    }

    /// Says one of Puppet's warnings; each is said once.
    fn warn(&mut self, message: String);

    /// Whether the request was cancelled.
    fn is_cancelled(&self) -> bool;
}

/// What belongs to a function at one location of one level as long as the node's [`Evaluator`](crate::engine::Evaluator)
/// lives: the private cache of its context.
#[derive(Default)]
pub struct FunctionContext {
    entries: Mutex<Hash>,
    attachment: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl FunctionContext {
    /// Keeps a value under a key: a scalar or undef.
    pub fn cache(&self, key: Value, value: Located) {
        self.with(|entries| entries.insert(key, None, value));
    }

    /// Keeps all members of a hash.
    pub fn cache_all(&self, hash: &Hash) {
        self.with(|entries| {
            for (key, member) in hash {
                entries.insert(key.clone(), None, member.value.clone());
            }
        });
    }

    /// Whether something is kept under the key.
    pub fn cache_has_key(&self, key: &Value) -> bool {
        self.with(|entries| entries.get_value(key).is_some())
    }

    /// What is kept under the key; undef if nothing is.
    pub fn cached_value(&self, key: &Value) -> Located {
        let kept = self.with(|entries| entries.get_value(key).map(|member| member.value.clone()));
        kept.unwrap_or_else(|| Value::Undef.unplaced())
    }

    /// Everything that is kept, in the order in which its keys came.
    pub fn cached_entries(&self) -> Hash {
        self.with(|entries| entries.clone())
    }

    /// Something of the back end's own that lives as long as this context; made at the first call.
    pub fn attachment<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.attachment.get_or_init(|| Box::new(make())).downcast_ref()
    }

    fn with<R>(&self, visit: impl FnOnce(&mut Hash) -> R) -> R {
        visit(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Without the entries: they may be secrets.
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

/// Puppet asks for the time of a file before it reads it.
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
