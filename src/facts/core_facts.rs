//! Facter's core facts: the dotted paths that exist in real fact sets. A script generates the table from them
//! (`tests/conformance/core_facts.rb`).

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Each line is a path and the first and last version of Facter whose fact sets have it.
const TABLE: &str = include_str!("core_facts.txt");

/// In the table, replaces names that machines choose.
const ANY: &str = "*";

/// The result for a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoreFact {
    /// Facter has it on some system, or it is not known what is below it.
    Exists,
    /// The name with this index is not one of those that Facter has there.
    Missing {
        /// The index; 0 for the fact itself.
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

/// The names that Facter has below a path without `facts`, or those of all facts for an empty path; sorted.
pub fn core_fact_members(names: &[&str]) -> Vec<&'static str> {
    let mut facts = facts();
    for name in names {
        let Some(member) = facts.members.get(name).or_else(|| facts.members.get(ANY)) else {
            return Vec::new();
        };
        facts = member;
    }
    facts.members.keys().copied().filter(|name| *name != ANY).collect()
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
    use super::{CoreFact, core_fact, core_fact_members};

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
    fn members() {
        assert_eq!(core_fact_members(&["augeas"]), ["version"]);
        assert!(core_fact_members(&[]).contains(&"networking"));
        assert!(core_fact_members(&["disks", "sda"]).contains(&"size"));
        assert_eq!(core_fact_members(&["disks"]), [""; 0]);
        assert_eq!(core_fact_members(&["role"]), [""; 0]);
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
