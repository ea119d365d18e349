//! To which keys the `lookup_options` of an environment may apply, whatever the node, and which of them may make values
//! sensitive. Most keys have none, and a set of names shows that without collecting options for a node.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use crate::config::Environment;
use crate::data::{Files as _, Value};
use crate::engine::convert_to::may_name_sensitive;
use crate::engine::may_make_sensitive;
use crate::engine::merge::Merge;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::shared::kept_by_name::KeptByName;
use crate::syntax::interpolation;
use crate::syntax::ruby_regex::RegexList;
use crate::world::{ByEnvironment, KeyIndex, KeyPlace, Moment, World};

/// The keys of all `lookup_options` in the files of one environment.
#[derive(Default)]
pub(crate) struct OptionKeys {
    plain: HashMap<Arc<str>, Demands, foldhash::fast::RandomState>,
    patterns: RegexList<Demands>,
    /// Whether some entries cannot be known without a lookup, so that there may be options for every key.
    may_be_for_any: bool,
    /// Whether options that may make values sensitive are in a file that cannot be read completely.
    may_make_any_sensitive: bool,
    known: KeptByName<Option<Demands>>,
}

/// What options may request that can refuse values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Demands {
    /// The strategy `hash`.
    pub(crate) hash: bool,
    /// The strategy `unique`.
    pub(crate) unique: bool,
    /// The conversion.
    pub(crate) conversion: Conversion,
}

/// What options may convert a value to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Conversion {
    /// Nothing: it stays as it is.
    None,
    /// A type that does not hide it.
    Shown,
    /// `Sensitive`, or a type that may contain it.
    Sensitive,
}

impl Demands {
    const NONE: Self = Self { hash: false, unique: false, conversion: Conversion::None };
    const ALL: Self = Self { hash: true, unique: true, conversion: Conversion::Sensitive };

    /// What the options of a key may request.
    fn of(options: &Value) -> Self {
        let Some(hash) = options.as_hash().filter(|_| !options.has_tokens()) else {
            return Self::ALL;
        };
        // Puppet refuses a strategy that it does not know before it merges anything.
        let merge = hash.get("merge").and_then(|it| Merge::of(Some(&it.value.value)).ok());
        let is = |name| merge.as_ref().is_some_and(|it| it.name() == name);
        let conversion = match hash.get("convert_to") {
            _ if may_make_sensitive(options) => Conversion::Sensitive,
            Some(_) => Conversion::Shown,
            None => Conversion::None,
        };
        Self { hash: is("hash"), unique: is("unique"), conversion }
    }

    fn or(self, other: Self) -> Self {
        Self {
            hash: self.hash || other.hash,
            unique: self.unique || other.unique,
            conversion: self.conversion.max(other.conversion),
        }
    }
}

/// By environment. They are valid while no `lookup_options` are edited.
#[derive(Default)]
struct OptionKeysCache {
    environments: ByEnvironment<KeptOptionKeys>,
}

#[derive(Clone)]
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
        let own = Arc::downgrade(index);
        let set = |keys: &Arc<Self>| {
            let (index, moment, keys) = (own.clone(), world.moment(), keys.clone());
            cache.environments.set(world, environment, KeptOptionKeys { index, moment, keys });
        };
        if let Some(kept) = cache.environments.get(environment) {
            if kept.index.ptr_eq(&own) {
                return kept.keys;
            }
            let edits = world.edits_since(&kept.moment, environment);
            if edits.is_some_and(|it| !it.keys.contains(LOOKUP_OPTIONS)) {
                set(&kept.keys);
                return kept.keys;
            }
        }
        let keys = Arc::new(Self::read(world, index));
        set(&keys);
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
        self.may_make_any_sensitive |= data.is_broken() && may_name_sensitive(data.text());
        let options = match &data.get(LOOKUP_OPTIONS)?.value.value {
            Value::Undef => return Some(()),
            Value::Hash(options) => options,
            _ => return None,
        };
        for (key, member) in options.as_ref() {
            let Value::String(key) = key else { return None };
            if interpolation::may_have_tokens(key) {
                return None;
            }
            let demands = Demands::of(&member.value.value);
            if key.starts_with('^') {
                self.patterns.push(world.pattern(key)?, demands);
            } else {
                // Levels that a node reads hide the options of others, so those of all files count.
                let all = self.plain.entry(key.clone()).or_insert(Demands::NONE);
                *all = all.or(demands);
            }
        }
        Some(())
    }

    /// Whether there may be options for a root key.
    pub(crate) fn may_apply_to(&self, root: &str) -> bool {
        self.may_be_for_any || self.plain.contains_key(root) || self.by_patterns(root).is_some()
    }

    /// What options may request for a root key.
    pub(crate) fn demands(&self, root: &str) -> Demands {
        if self.may_be_for_any {
            return Demands::ALL;
        }
        let plain = self.plain.get(root).copied().unwrap_or(Demands::NONE);
        plain.or(self.by_patterns(root).unwrap_or(Demands::NONE))
    }

    /// Those that patterns may request; `None` if no pattern matches the root key.
    fn by_patterns(&self, root: &str) -> Option<Demands> {
        self.known.get_or(root, || {
            let matching = self.patterns.matching(root).map(|(_, demands)| *demands);
            matching.reduce(Demands::or)
        })
    }

    /// Whether there may be options that make the values of a root key sensitive.
    pub(crate) fn may_make_sensitive(&self, root: &str) -> bool {
        self.may_make_any_sensitive || self.demands(root).conversion == Conversion::Sensitive
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Conversion, OptionKeys};
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
    fn what_can_refuse_values() {
        let of_aa = |options: &str| {
            let world = host(options).snapshot();
            let environment = world.environment_of("/r/data/a.yaml").expect("there is one");
            let index = world.key_index(&environment);
            let demands = OptionKeys::of(&world, &environment, &index).demands("aa");
            (demands.hash, demands.unique, demands.conversion != Conversion::None)
        };
        for (options, expected) in [
            ("aa: {merge: hash}", (true, false, false)),
            ("aa: {merge: {strategy: unique}}", (false, true, false)),
            ("aa: {merge: deep}, bb: {merge: hash}", (false, false, false)),
            ("aa: {merge: hash}, '^a': {merge: unique}", (true, true, false)),
            ("aa: {merge: '%{facts.x}'}", (true, true, true)),
            ("aa: '%{alias(''x'')}'", (true, true, true)),
            ("'%{facts.x}': {merge: deep}", (true, true, true)),
            ("aa: {merge: {strategy: hash, x: 1}}, '^b': {merge: unique}", (false, false, false)),
            ("aa: {convert_to: String}, '^b': {merge: unique}", (false, false, true)),
        ] {
            assert_eq!(of_aa(&format!("lookup_options: {{{options}}}\n")), expected, "{options}");
        }
    }

    #[test]
    fn what_may_make_values_sensitive() {
        let may_make_sensitive = |options: &str| {
            let world = host(options).snapshot();
            let environment = world.environment_of("/r/data/a.yaml").expect("there is one");
            let index = world.key_index(&environment);
            OptionKeys::of(&world, &environment, &index).may_make_sensitive("aa")
        };
        for options in [
            "lookup_options: {aa: {convert_to: Sensitive}}\n",
            "lookup_options: {aa: {convert_to: [Sensitive, 1]}}\n",
            "lookup_options: {aa: {convert_to: \"\\x53ensitive\"}}\n",
            "lookup_options: {aa: {convert_to: '%{x}'}}\n",
            "lookup_options: {'%{x}': {}}\n",
            "lookup_options: {'^a': {convert_to: Sensitive}, aa: {merge: hash}}\n",
            "lookup_options:\n  aa: {merge: hash}\n  '^a': {convert_to: Sensitive\n",
        ] {
            assert!(may_make_sensitive(options), "{options}");
        }
        for options in [
            "lookup_options: {aa: {merge: hash, convert_to: Integer}}\n",
            "lookup_options: {aa: {merge: hash}, '^b': {convert_to: Sensitive}} # Sensitive\n",
            "aa: Sensitive\n",
        ] {
            assert!(!may_make_sensitive(options), "{options}");
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
