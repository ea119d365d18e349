//! What is kept for each environment of a workspace, and dropped when the environment is gone.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use super::indexes::key_of;
use super::snapshot::World;
use crate::config::Environment;

/// A value for each environment.
pub struct ByEnvironment<T>(Mutex<HashMap<String, T>>);

impl<T> Default for ByEnvironment<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> ByEnvironment<T> {
    /// The value of an environment.
    pub fn get(&self, environment: &Environment) -> Option<T> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&key_of(environment)).cloned()
    }

    /// Sets the value of an environment of `world`. Those of environments that it no longer has are dropped.
    pub fn set(&self, world: &World, environment: &Environment, value: T) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(key_of(environment), value);
        let environments = world.environments();
        if all.len() > environments.len() {
            // The command line can give an environment another name.
            let there: HashSet<String> = environments
                .iter()
                .map(|it| key_of(it))
                .chain(std::iter::once(key_of(environment)))
                .collect();
            all.retain(|key, _| there.contains(key));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::settings::Settings;
    use crate::world::MemoryDisk;

    fn world(names: &[&str]) -> Arc<World> {
        let files =
            names.iter().map(|it| (format!("/r/environments/{it}/hiera.yaml"), "version: 5\n"));
        World::on_disk(Arc::new(MemoryDisk::new(files)), vec!["/r".into()], Settings::default())
    }

    #[test]
    fn what_belongs_to_no_environment_is_dropped() {
        let kept = ByEnvironment::default();
        let all = world(&["a", "b", "c"]);
        let environments = all.environments();
        for environment in environments.iter() {
            kept.set(&all, environment, environment.name.to_string());
        }
        assert_eq!(kept.get(&environments[1]).as_deref(), Some("b"));
        let later = world(&["a", "c"]);
        kept.set(&later, &later.environments()[1], "new".to_owned());
        let values = environments.iter().map(|it| kept.get(it));
        assert_eq!(
            values.collect::<Vec<_>>(),
            [Some("a".to_owned()), None, Some("new".to_owned())]
        );
    }
}
