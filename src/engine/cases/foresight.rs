//! What a single run can tell about the number of cases: how the values that a key has at the open locations differ.
//!
//! If sixty roles give the key sixty values, no list of cases is complete, and thirty lookups would be needed to find this out. The
//! values as they are written show it at once. They are not what nodes get, so this only decides which locations are summed up
//! before all ways are gone. A list of cases is always made of lookups.

use std::collections::HashSet;
use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use super::{MAX_CASES, Spot};
use crate::data::fingerprint::{hash_of, new_hasher};
use crate::data::{Format, Located, Value};
use crate::engine::assumptions::{Assumptions, Way};
use crate::engine::hierarchy::ResolvedLevel;
use crate::engine::invocation::{Found, Invocation};
use crate::engine::key::Key;
use crate::engine::layer::Layer;
use crate::engine::lookup::LOOKUP_OPTIONS;
use crate::engine::merge::{Merge, Strategy};
use crate::engine::open_files::Allowed;
use crate::engine::sources::dig_value;
use crate::facts::Node;
use crate::syntax::key_path::Segment;

/// The ways of a location are compared until so many of them have different values: they alone are too many cases.
const ENOUGH: usize = MAX_CASES + 1;

/// The number of combinations that are looked at.
const MAX_COMBINATIONS: usize = 16 * MAX_CASES;

/// The number of locations that are looked at, and of keys: a value can look up thousands of keys.
const MAX_SEEN: usize = u64::BITS as usize;

/// What a run that takes none of the ways sees at the open locations that it comes to: first for the requested key, then for the
/// keys that its values look up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Foresight {
    /// How the values of each key that is searched for are merged.
    keys: Vec<Strategy>,
    /// The number of the key that is being searched for.
    key: usize,
    locations: Vec<SeenLocation>,
}

#[derive(Debug, Clone)]
struct SeenLocation {
    /// The number of the key.
    key: usize,
    spot: Spot,
    /// The number of ways.
    ways: usize,
    /// The first way to each value.
    values: Vec<(Way, Seen)>,
}

/// What a way leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Seen {
    /// Stands for the value as it is written.
    fingerprint: u64,
    /// Whether the search for the key ends there.
    ends: bool,
}

impl Foresight {
    /// A key is searched for from now on. Returns the number of the one before, for [`Self::end_key`].
    fn begin_key(&mut self, merge: &Merge) -> usize {
        self.keys.push(merge.strategy());
        std::mem::replace(&mut self.key, self.keys.len() - 1)
    }

    /// The search for a key has ended.
    fn end_key(&mut self, before: usize) {
        self.key = before;
    }

    /// Adds a location. `seen` tells what is at the end of a way; it is asked until the values are certainly too many cases.
    fn add(&mut self, spot: Spot, ways: &[Way], mut seen: impl FnMut(&Self, usize) -> Seen) {
        if self.locations.len() >= MAX_SEEN || self.key >= MAX_SEEN {
            return;
        }
        let mut values: Vec<(Way, Seen)> = Vec::new();
        let mut known: HashSet<Seen, foldhash::fast::RandomState> = HashSet::default();
        for (number, way) in ways.iter().enumerate() {
            let it = seen(self, number);
            if known.insert(it) {
                values.push((Way::clone(way), it));
            }
            if values.len() >= ENOUGH {
                break;
            }
        }
        let (key, ways) = (self.key, ways.len());
        self.locations.push(SeenLocation { key, spot, ways, values });
    }

    /// What a value of the root key contributes to the value of the key that is searched for, which `rest` leads to.
    fn value(&self, value: &Located, rest: &[Segment]) -> Seen {
        let part = if rest.is_empty() { None } else { Some(dig_value(value, rest)) };
        let fingerprint = match &part {
            None => hash_of(&value.value),
            Some(Some(part)) => hash_of(&part.value),
            Some(None) => 0,
        };
        let ends = match self.keys.get(self.key) {
            Some(Strategy::First | Strategy::Default) | None => true,
            Some(Strategy::Unique | Strategy::Hash) => false,
            Some(Strategy::Deep | Strategy::UnconstrainedDeep | Strategy::ReverseDeep) => {
                !matches!(value.value, Value::Hash(_) | Value::Array(_))
            }
        };
        Seen { fingerprint, ends }
    }

    /// The locations that have to be summed up, those with the most ways first, so that cases can be listed.
    pub(super) fn to_sum_up(&self, node: &Node) -> Vec<Spot> {
        let mut left: Vec<&SeenLocation> = self.locations.iter().collect();
        let mut summed_up = Vec::new();
        while needs_too_many_cases(&left, node) {
            // Of two locations with the same number of ways, the one that is reached first.
            let most = left.iter().map(|it| it.ways).max();
            let Some(at) = left.iter().position(|it| Some(it.ways) == most) else { break };
            let spot = &left[at].spot;
            summed_up.push(spot.clone());
            left.retain(|it| it.spot != *spot);
        }
        summed_up
    }
}

impl Invocation<'_> {
    fn foresight(&mut self) -> Option<&mut Foresight> {
        self.exploration.as_mut()?.foresight.as_mut()
    }

    /// Searches for a key with `work`. If this run is to tell what is at the open locations, it notes this for the key.
    pub(in crate::engine) fn foreseeing(
        &mut self,
        merge: &Merge,
        work: impl FnOnce(&mut Self) -> Found,
    ) -> Found {
        let before = self.foresight().map(|it| it.begin_key(merge));
        let found = work(self);
        if let (Some(before), Some(foresight)) = (before, self.foresight()) {
            foresight.end_key(before);
        }
        found
    }

    /// Notes what is at the ends of ways if this run is to tell it.
    pub(in crate::engine) fn foresee(
        &mut self,
        ways: &[Way],
        (layer, level, spot): (&Layer, &ResolvedLevel, Spot),
        allowed: &Allowed<'_>,
        key: &Key,
    ) {
        let Some(format) = level.reads else { return };
        if ways.is_empty() || **key.root() == *LOOKUP_OPTIONS {
            return;
        }
        let foresight = self.exploration.as_mut().and_then(|it| it.foresight.take());
        let Some(mut foresight) = foresight else { return };
        foresight.add(spot, ways, |foresight, number| {
            allowed.files_of(number).fold(Seen::NOTHING, |seen, path| {
                seen.followed_by(self.seen_in(path, (layer, format), key, foresight))
            })
        });
        if let Some(exploration) = &mut self.exploration {
            exploration.foresight = Some(foresight);
        }
    }

    /// What a file contributes to the value of a key.
    fn seen_in(
        &mut self,
        path: &Arc<str>,
        (layer, format): (&Layer, Format),
        key: &Key,
        foresight: &Foresight,
    ) -> Seen {
        let root = key.root();
        if self.is_elsewhere(path, root) {
            return Seen::END;
        }
        let evaluator = self.evaluator;
        let Ok(file) = evaluator.files().data(path, format) else { return Seen::END };
        let Some(entry) = layer.entry(evaluator, &file, root) else { return Seen::NOTHING };
        self.note_read(&file, root, &entry);
        foresight.value(&entry.value, key.rest())
    }
}

impl Seen {
    /// A search that ends in the same way wherever this is seen.
    const END: Self = Self { fingerprint: 0, ends: true };

    /// Nothing that would change an answer.
    const NOTHING: Self = Self { fingerprint: 0, ends: false };

    /// What several files at the end of one way contribute.
    fn followed_by(self, next: Self) -> Self {
        if self.ends {
            return self;
        }
        let fingerprint = continued(self.fingerprint, next.fingerprint);
        Self { fingerprint, ends: next.ends }
    }
}

fn continued(fingerprint: u64, next: u64) -> u64 {
    let mut hasher = new_hasher();
    (fingerprint, next).hash(&mut hasher);
    hasher.finish()
}

/// Whether the ways of the locations lead to more sequences of values than cases are listed.
fn needs_too_many_cases(locations: &[&SeenLocation], node: &Node) -> bool {
    let mut counting = Counting { node, found: HashSet::default(), left: MAX_COMBINATIONS };
    counting.go(locations, &Assumptions::default(), 0, 0);
    counting.found.len() > MAX_CASES
}

struct Counting<'n> {
    node: &'n Node,
    /// The sequences of values, each as one number.
    found: HashSet<u64, foldhash::fast::RandomState>,
    /// How many combinations may still be looked at.
    left: usize,
}

impl Counting<'_> {
    /// Goes all ways of the locations that the assumptions allow, after a sequence of values. `ended` has a bit for each key whose
    /// search has ended.
    fn go(
        &mut self,
        locations: &[&SeenLocation],
        assumptions: &Assumptions,
        sequence: u64,
        ended: u64,
    ) {
        let Some((location, rest)) = locations.split_first() else {
            self.left = self.left.saturating_sub(1);
            self.found.insert(sequence);
            return;
        };
        let bit = 1 << location.key;
        if ended & bit != 0 {
            return self.go(rest, assumptions, sequence, ended);
        }
        for (way, seen) in &location.values {
            if self.left == 0 || self.found.len() > MAX_CASES {
                return;
            }
            if !assumptions.allow(way, self.node) {
                continue;
            }
            // The same value of another key stands elsewhere in the answer.
            let value = seen.fingerprint.wrapping_add(location.key as u64);
            let sequence = continued(sequence, value);
            // If the search for the requested key ends, no other value of it looks up keys.
            if seen.ends && location.key == 0 {
                self.left -= 1;
                self.found.insert(sequence);
                continue;
            }
            let mut assumptions = assumptions.clone();
            assumptions.assume(way, self.node);
            self.go(rest, &assumptions, sequence, if seen.ends { ended | bit } else { ended });
        }
        self.go(rest, assumptions, sequence, ended);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::{Files, MemoryFiles};
    use crate::engine::assumptions::{Assumed, Condition};
    use crate::engine::hierarchy::Position;
    use crate::engine::{Evaluator, Request};
    use crate::facts::{NodeParts, Origin};

    fn way(variable: &str, text: usize) -> Way {
        let value = Assumed::Text(text.to_string().into());
        Arc::new([Condition { variable: variable.into(), value }])
    }

    /// The number of locations that are summed up if there are locations with these variables and numbers of ways, each of which
    /// leads to one of so many values.
    fn summed_up(merge: &str, locations: &[(&str, usize, usize)]) -> usize {
        let mut foresight = Foresight::default();
        let merge = Merge::of(Some(&Value::string(merge))).expect("a strategy");
        foresight.begin_key(&merge);
        for (level, (variable, ways, values)) in locations.iter().enumerate() {
            // A key that is looked up by the value.
            let is_nested = variable.starts_with("nested");
            if is_nested {
                foresight.begin_key(&Merge::first());
            }
            let ways: Vec<Way> = (0..*ways).map(|it| way(variable, it)).collect();
            let position = Position::of_level(level);
            foresight.add(Spot { position, is_nested }, &ways, |it, number| {
                let text = format!("{variable} {}", number % values);
                it.value(&Value::array(vec![Value::string(text).unplaced()]).unplaced(), &[])
            });
        }
        let node = Node::partial(NodeParts::default(), &[], Origin::Any);
        foresight.to_sum_up(&node).len()
    }

    #[test]
    fn a_location_with_too_many_values_is_summed_up() {
        assert_eq!(summed_up("first", &[("role", 60, 60)]), 1);
        assert_eq!(summed_up("first", &[("role", 60, 20)]), 0);
        assert_eq!(summed_up("first", &[("role", 20, 20), ("site", 20, 20)]), 1);
        assert_eq!(summed_up("first", &[("role", 10, 10), ("site", 20, 20)]), 0);
    }

    #[test]
    fn values_that_are_merged_have_a_case_for_each_combination() {
        assert_eq!(summed_up("unique", &[("role", 10, 10), ("site", 20, 20)]), 1);
        assert_eq!(summed_up("unique", &[("role", 4, 4), ("site", 4, 4)]), 0);
    }

    #[test]
    fn the_keys_that_a_value_looks_up_have_cases_too() {
        assert_eq!(summed_up("first", &[("role", 10, 10), ("nested", 20, 20)]), 0);
        assert_eq!(summed_up("first", &[("role", 10, 10), ("nested", 25, 25)]), 1);
        assert_eq!(summed_up("first", &[("nested", 6, 6), ("nested too", 6, 6)]), 1);
    }

    #[test]
    fn a_value_may_look_up_very_many_keys() {
        // One key is the requested one, and the locations of five others have 32 combinations.
        assert_eq!(summed_up("first", &vec![("nested", 1, 1); 100_000]), MAX_SEEN - 6);
    }

    #[test]
    fn ways_that_exclude_each_other_are_no_combination() {
        assert_eq!(summed_up("deep", &[("role", 10, 10), ("role", 20, 20)]), 0);
    }

    #[test]
    fn a_few_runs_show_that_sixty_roles_are_too_many_cases() {
        let common = "b: '%{lookup(\"a\")}'\na: 0\n".to_owned();
        let hiera_yaml =
            "version: 5\nhierarchy: [{name: r, paths: ['roles/%{role}.yaml', c.yaml]}]\n";
        let mut files = vec![
            ("/e/hiera.yaml".to_owned(), hiera_yaml.to_owned()),
            ("/e/data/c.yaml".to_owned(), common),
        ];
        let role = |number: usize| {
            (format!("/e/data/roles/r{number}.yaml"), format!("a: {}\n", number + 1))
        };
        files.extend((0..60).map(role));
        let files = files.iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let evaluator = Evaluator::new(
            Arc::new(MemoryFiles::new(files)) as Arc<dyn Files>,
            Arc::new(environment),
            Arc::new(Node::partial(NodeParts::default(), &[], Origin::Any)),
            PuppetVersion::V8,
        );
        for key in ["a", "b"] {
            let request = Request { wants_footprint: true, ..Request::key(key) };
            let (answer, recording) = evaluator.call_and_record(&request, None);
            assert_eq!(answer.left_out[0].files, 60, "{key}");
            // The first way, no way, and the run in which the files are only counted, with its case.
            assert_eq!(recording.len(), 4, "{key}");
        }
    }
}
