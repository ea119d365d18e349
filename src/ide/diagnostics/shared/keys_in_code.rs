//! Which keys are named in Ruby code and in strings of Puppet code. A search reads all code, and thousands of files may have the
//! same keys.

use std::sync::{Arc, Mutex, PoisonError};

use crate::config::Environment;
use crate::ide::diagnostics::shared::kept_by_name::KeptByName;
use crate::world::{ByEnvironment, Moment, World};

/// What is kept from one snapshot to the next, with the moment when it was begun.
#[derive(Default)]
struct Cache {
    environments: ByEnvironment<(Moment, Arc<KeysInCode>)>,
    /// Held while it is decided whether the results still hold, so that several threads share them.
    deciding: Mutex<()>,
}

/// The keys that were searched for in the code of an environment, and whether it names them.
#[derive(Default)]
pub(crate) struct KeysInCode(KeptByName<bool>);

impl KeysInCode {
    /// Those of a snapshot. Nothing is kept if code has changed.
    pub(crate) fn of(world: &World, environment: &Environment) -> Arc<Self> {
        let cache = world.attached::<Cache>();
        let _others_wait = cache.deciding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((moment, known)) = cache.environments.get(environment)
            && world.has_same_code(&moment)
        {
            return known;
        }
        let new = Arc::new(Self::default());
        cache.environments.set(world, environment, (world.moment(), new.clone()));
        new
    }

    /// Whether code names the key. `search` is called for a key that is new.
    pub(crate) fn name(&self, key: &str, search: impl FnOnce() -> bool) -> bool {
        self.0.get_or(key, search)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Change, Host, MemoryDisk};

    fn is_kept(host: &Host) -> bool {
        let world = host.snapshot();
        let environment = world.environments()[0].clone();
        let mut is_kept = true;
        let search = || {
            is_kept = false;
            true
        };
        assert!(KeysInCode::of(&world, &environment).name("a", search));
        is_kept
    }

    fn open(host: &mut Host, path: &str, text: &str) {
        let (path, text) = (path.to_owned(), text.to_owned());
        host.apply(Change::OpenBuffer { path, text, version: 1 });
    }

    #[test]
    fn a_key_is_searched_for_again_after_code_has_changed() {
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/data/common.yaml", "a: 1\n"),
            ("/r/manifests/site.pp", "$x = 'a'\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        assert!(!is_kept(&host));
        assert!(is_kept(&host));
        open(&mut host, "/r/data/common.yaml", "a: 2\n");
        assert!(is_kept(&host));
        open(&mut host, "/r/manifests/site.pp", "$x = 'b'\n");
        assert!(!is_kept(&host));
    }
}
