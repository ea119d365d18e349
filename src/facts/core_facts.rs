//! Facter's core facts: which dotted paths there are, as far as real fact sets show. A script writes the table from them
//! (`tests/conformance/core_facts.rb`).

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// A line is a path and the versions of Facter in whose sets it is, the first and the last.
const TABLE: &str = include_str!("core_facts.txt");

/// Stands in the table for names that machines choose.
const ANY: &str = "*";

/// What the table says of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoreFact {
    /// Facter has it on some system, or what is below it is not known.
    Exists,
    /// The name with this index is none of these, which Facter has there.
    Missing {
        /// 0 for the fact itself.
        at: usize,
        /// Sorted.
        known: Vec<&'static str>,
    },
}

/// Looks up a path without `facts`: `["os", "family"]`.
pub fn core_fact(names: &[&str]) -> CoreFact {
    let mut facts = facts();
    for (at, name) in names.iter().enumerate() {
        if facts.members.is_empty() {
            return CoreFact::Exists;
        }
        let Some(member) = facts.members.get(name).or_else(|| facts.members.get(ANY)) else {
            return CoreFact::Missing { at, known: facts.members.keys().copied().collect() };
        };
        facts = member;
    }
    CoreFact::Exists
}

#[derive(Debug, Default)]
struct Facts {
    members: BTreeMap<&'static str, Facts>,
}

fn facts() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    FACTS.get_or_init(|| {
        let mut root = Facts::default();
        for path in TABLE.lines().filter_map(|line| line.split(' ').next()) {
            let mut facts = &mut root;
            for name in path.split('.') {
                facts = facts.members.entry(name).or_default();
            }
        }
        root
    })
}

#[cfg(test)]
mod tests {
    use super::{CoreFact, core_fact};

    #[track_caller]
    fn check(path: &str, expected: Option<usize>) {
        let names: Vec<_> = path.split('.').collect();
        let missing = match core_fact(&names) {
            CoreFact::Exists => None,
            CoreFact::Missing { at, .. } => Some(at),
        };
        assert_eq!(missing, expected, "{path}");
    }

    #[test]
    fn paths() {
        check("os.family", None);
        check("os.distro.release.major", None);
        check("os.familly", Some(1));
        check("networking.interfaces.eth7.ip", None);
        check("networking.interfaces.eth7.ipp", Some(3));
        check("processors.models.0", None);
        check("role", Some(0));
    }
}
