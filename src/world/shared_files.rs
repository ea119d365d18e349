//! Files that several environments read: those of the global layer, of modules beside the environments, and data to which
//! several hierarchies lead. Such a file belongs to one environment, but what is said about it must be true for all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::attachments::Attachments;
use super::paths;
use super::snapshot::{Kept, World};
use crate::config::Environment;

/// What is kept for views from other environments, by their directories. What features keep for a file is true for the environment
/// of the file only, so views need storage of their own.
#[derive(Default)]
struct KeptForViews(Mutex<HashMap<String, Arc<Attachments>>>);

impl World {
    /// All environments that read the file at `path`, or that have the module that contains it: the one it belongs to first. Empty if
    /// there is none. The workspace may be one environment of a code directory. For a file outside of it, those beside it count, too.
    pub fn environments_with(&self, path: &str) -> Vec<Arc<Environment>> {
        let Some(own) = self.environment_of(path) else { return Vec::new() };
        let mut all = self.environments().to_vec();
        // There can be hundreds of them, each with modules to be listed.
        if !all.iter().any(|it| paths::below(it.directory(), path).is_some()) {
            all.extend(self.environments_beside().iter().cloned());
        }
        let is_other = |it: &Arc<Environment>| it.directory() != own.directory();
        let others = all.into_iter().filter(|it| is_other(it) && self.has_file(it, path)).collect();
        [vec![Arc::clone(&own)], others].concat()
    }

    /// Whether an environment reads the file at `path`, or has the module that contains it.
    fn has_file(&self, environment: &Arc<Environment>, path: &str) -> bool {
        if environment.global_config.as_deref() == Some(path)
            || self.own_reach(environment).reaches(path)
        {
            return true;
        }
        // Each environment can have hundreds of modules, and only those outside of all environments can be shared.
        let is_below = |root: &Arc<str>| paths::below(root, path).is_some();
        let is_in_one = self.environments().iter().any(|it| it.root.as_ref().is_some_and(is_below));
        !is_in_one && self.module_of(environment, path).is_some()
    }

    /// The same snapshot, except that files that several environments read belong to `environment` if it is one of these.
    pub fn seen_from(&self, environment: &Arc<Environment>) -> Arc<Self> {
        let kept = self.attached::<KeptForViews>();
        let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        let attachments = kept.entry(environment.directory().to_owned()).or_default().clone();
        // The texts are the same, so it is the same moment, and results that are kept by its number stay valid.
        let mut world = Self { revision: self.revision, attachments, ..self.successor() };
        world.carry_over(self, &[], Kept::All);
        world.view = Some(Arc::clone(environment));
        Arc::new(world)
    }

    /// Whether the snapshot is seen from one environment: [`Self::seen_from`].
    pub fn is_seen_from_one(&self) -> bool {
        self.view.is_some()
    }

    /// The environment from which the snapshot is seen, if it reads the file at `path`.
    pub(super) fn viewing(&self, path: &str) -> Option<Arc<Environment>> {
        self.view.as_ref().filter(|it| self.has_file(it, path)).cloned()
    }
}
