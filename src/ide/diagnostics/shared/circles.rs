//! Whether the texts of values can lead from a key back to it. The words in their calls show that most cannot, and then no lookup
//! is needed.

use std::collections::HashSet;
use std::sync::Arc;

use super::kept_by_name::KeptByName;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::world::KeyIndex;

/// The maximum number of keys that are followed. From few keys, more can be reached.
const MAX_FOLLOWED: usize = 256;

/// What was found about the keys of a snapshot.
#[derive(Default)]
pub(super) struct Circles(KeptByName<bool>);

impl Circles {
    /// Whether lookups certainly do not lead from `key` back to it, as long as the values of variables look up nothing.
    /// `may_find_others` returns whether lookups of a key may find values that are not in files here.
    pub(super) fn has_none(
        &self,
        index: &KeyIndex,
        key: &str,
        may_find_others: impl Fn(&str) -> bool,
    ) -> bool {
        self.0.get_or(key, || {
            let is_known = !index.may_have_other_keys() && !index.may_call(LOOKUP_OPTIONS);
            is_known && Self::find_none(index, key, may_find_others).is_some()
        })
    }

    /// `None` if there may be a circle.
    fn find_none(
        index: &KeyIndex,
        start: &str,
        may_find_others: impl Fn(&str) -> bool,
    ) -> Option<()> {
        let mut seen: HashSet<Arc<str>> = HashSet::new();
        let mut waiting: Vec<Arc<str>> = vec![start.into()];
        while let Some(key) = waiting.pop() {
            if seen.len() > MAX_FOLLOWED || may_find_others(&key) {
                return None;
            }
            // The root keys that calls look up are among their words.
            for word in index.call_words(&key)?.iter().filter(|word| index.contains(word)) {
                if **word == *start {
                    return None;
                }
                if seen.insert(Arc::clone(word)) {
                    waiting.push(Arc::clone(word));
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Circles;
    use crate::world::{Change, Host, MemoryDisk};

    #[test]
    fn words_of_calls_show_that_keys_do_not_lead_back() {
        let config = "version: 5\nhierarchy: [{name: x, paths: [a.yaml, b.yaml]}]\n";
        let first = "\
a: \"%{lookup('b.c')}\"
b: {c: \"%{hiera('d')}\"}
d: 1
e: \"%{lookup('f')}\"
g: \"%{lookup('h(i')}\"
j: \"%{lookup('%{k}')}\"
l: \"%{alias('m')}\"
";
        let second = "f: \"%{lookup(\\\"e\\\")}\"\nm: \"%{alias('l.x')}\"\nd: 2\n";
        let disk =
            [("/r/hiera.yaml", config), ("/r/data/a.yaml", first), ("/r/data/b.yaml", second)];
        let mut host = Host::new(Arc::new(MemoryDisk::new(disk)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let world = host.snapshot();
        let environment = world.environment_of("/r/data/a.yaml").expect("there is one");
        let index = world.key_index(&environment);
        let circles = Circles::default();
        let has_none = |key: &str| circles.has_none(&index, key, |_| false);
        assert_eq!(["a", "b", "d"].map(has_none), [true; 3]);
        // A circle; a call with an escaped quote; another bracket; a variable in the key.
        assert_eq!(["l", "e", "g", "j"].map(has_none), [false; 4]);
        assert!(!Circles::default().has_none(&index, "a", |key| key == "d"));
    }
}
