//! To which keys the `lookup_options` of an environment may apply, whatever the node. Most keys have none, and a set of names
//! shows that without collecting options for a node.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::config::Environment;
use crate::data::{Files as _, Value};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::shared::patterns::pattern;
use crate::syntax::interpolation;
use crate::syntax::ruby_regex::RegexList;
use crate::world::{KeyIndex, KeyPlace, Moment, World};

/// The maximum number of keys whose results are kept.
const MAX_KNOWN: usize = 65_536;

/// The keys of all `lookup_options` in the files of one environment.
#[derive(Default)]
pub(crate) struct OptionKeys {
    plain: HashSet<Arc<str>, foldhash::fast::RandomState>,
    patterns: RegexList<()>,
    /// Whether some entries cannot be known without a lookup, so that there may be options for every key.
    may_be_for_any: bool,
    known: Mutex<HashMap<Box<str>, bool, foldhash::fast::RandomState>>,
}

/// By environment. They are valid while no `lookup_options` are edited.
#[derive(Default)]
struct OptionKeysCache {
    environments: Mutex<HashMap<String, KeptOptionKeys>>,
}

struct KeptOptionKeys {
    index: Weak<KeyIndex>,
    moment: Moment,
    keys: Arc<OptionKeys>,
}

impl OptionKeys {
    /// The keys of all `lookup_options` in files. `index` is that of the environment.
    pub(crate) fn of(
        world: &World,
        environment: &Environment,
        index: &Arc<KeyIndex>,
    ) -> Arc<OptionKeys> {
        let cache = world.attached::<OptionKeysCache>();
        let lock = || cache.environments.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{} {}", environment.name, environment.directory());
        let own = Arc::downgrade(index);
        let kept =
            lock().get(&name).map(|it| (it.index.clone(), it.moment.clone(), it.keys.clone()));
        if let Some((of, moment, keys)) = kept {
            if of.ptr_eq(&own) {
                return keys;
            }
            if world.edits_since(&moment, environment).is_some() {
                let kept =
                    KeptOptionKeys { index: own, moment: world.moment(), keys: keys.clone() };
                lock().insert(name, kept);
                return keys;
            }
        }
        // The lock is not held while files are parsed.
        let keys = Arc::new(Self::read(world, index));
        let kept = KeptOptionKeys { index: own, moment: world.moment(), keys: keys.clone() };
        lock().insert(name, kept);
        keys
    }

    fn read(world: &World, index: &KeyIndex) -> Self {
        let mut keys = Self { may_be_for_any: index.may_have_other_keys(), ..Self::default() };
        for place in index.places(LOOKUP_OPTIONS) {
            keys.may_be_for_any |= keys.add(world, &place).is_none();
        }
        keys
    }

    /// Adds the keys of one file; `None` if there may be others.
    fn add(&mut self, world: &World, place: &KeyPlace) -> Option<()> {
        let data = world.data(&place.path, place.format).ok()?;
        let options = match &data.get(LOOKUP_OPTIONS)?.value.value {
            Value::Undef => return Some(()),
            Value::Hash(options) => options,
            _ => return None,
        };
        for (key, _) in options.as_ref() {
            let Value::String(key) = key else { return None };
            if interpolation::may_have_tokens(key) {
                return None;
            }
            if key.starts_with('^') {
                self.patterns.push(pattern(world, key)?, ());
            } else {
                self.plain.insert(key.clone());
            }
        }
        Some(())
    }

    /// Whether there may be options for a root key.
    pub(crate) fn may_apply_to(&self, root: &str) -> bool {
        if self.may_be_for_any || self.plain.contains(root) {
            return true;
        }
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(root) {
            return *known;
        }
        let matches = self.patterns.matching(root).next().is_some();
        let mut known = lock();
        if known.len() == MAX_KNOWN {
            known.clear();
        }
        known.insert(root.into(), matches);
        matches
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::OptionKeys;
    use crate::world::{Change, Host, MemoryDisk};

    /// Whether there may be options for `aa`, `bb` and `cc`.
    fn asked(host: &Host) -> [bool; 3] {
        let world = host.snapshot();
        let environment = world.environment_of("/r/data/a.yaml").expect("there is one");
        let keys = OptionKeys::of(&world, &environment, &world.key_index(&environment));
        ["aa", "bb", "cc"].map(|key| keys.may_apply_to(key))
    }

    fn host(options: &str) -> Host {
        let files = [
            ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, paths: [a.yaml, b.yaml]}]\n"),
            ("/r/data/a.yaml", "aa: 1\nbb: 1\ncc: 1\n"),
            ("/r/data/b.yaml", options),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        host
    }

    #[test]
    fn names_and_patterns() {
        let options =
            "lookup_options: {aa: {merge: hash}, '^b': {merge: deep}, '.*': {merge: deep}}\n";
        assert_eq!(asked(&host(options)), [true, true, false]);
        assert_eq!(asked(&host("lookup_options: ~\n")), [false; 3]);
    }

    #[test]
    fn what_only_a_lookup_tells_may_be_for_any_key() {
        for options in [
            "lookup_options: {'%{facts.x}': {merge: hash}}\n",
            "lookup_options: \"%{alias('x')}\"\n",
            "lookup_options: {1: {merge: hash}}\n",
            "lookup_options: {'^(': {merge: hash}}\n",
            "x: &x {lookup_options: {}}\n<<: *x\n",
        ] {
            assert_eq!(asked(&host(options)), [true; 3], "{options}");
        }
    }

    #[test]
    fn an_edit_of_options_counts() {
        let mut host = host("lookup_options: {aa: {merge: hash}}\n");
        assert_eq!(asked(&host), [true, false, false]);
        let type_in = |host: &mut Host, path: &str, text: &str| {
            let (path, text) = (path.to_owned(), text.to_owned());
            host.apply(Change::OpenBuffer { path, text, version: 1 });
        };
        type_in(&mut host, "/r/data/a.yaml", "aa: 2\nbb: 1\ncc: 1\n");
        assert_eq!(asked(&host), [true, false, false]);
        type_in(&mut host, "/r/data/b.yaml", "lookup_options: {bb: {merge: hash}}\n");
        assert_eq!(asked(&host), [false, true, false]);
        type_in(&mut host, "/r/data/a.yaml", "lookup_options: {cc: {merge: hash}}\naa: 2\n");
        assert_eq!(asked(&host), [false, true, true]);
    }
}
