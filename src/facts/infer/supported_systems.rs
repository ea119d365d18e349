//! Sample nodes for a module on its own: one for each operating system that its `metadata.json` supports.

use serde::Deserialize;

use crate::data::{Hash, Value};
use crate::facts::NodeParts;

/// Systems whose major release is the complete release in `metadata.json`, such as `22.04`.
const MAJOR_WITH_DOT: [&str; 1] = ["Ubuntu"];

/// The operating systems of each family, as Facter reports them.
const FAMILIES: &[(&str, &[&str])] = &[
    ("Debian", &["Debian", "Ubuntu", "LinuxMint", "Raspbian", "Devuan", "KDE neon"]),
    (
        "RedHat",
        &[
            "RedHat",
            "CentOS",
            "Rocky",
            "AlmaLinux",
            "OracleLinux",
            "Fedora",
            "Scientific",
            "Amazon",
            "VirtuozzoLinux",
            "XenServer",
            "CloudLinux",
        ],
    ),
    ("Suse", &["SLES", "SLED", "openSUSE", "OpenSuSE", "SuSE", "SL-Micro"]),
    ("windows", &["windows"]),
    ("FreeBSD", &["FreeBSD"]),
    ("Archlinux", &["Archlinux", "Manjarolinux"]),
    ("Gentoo", &["Gentoo"]),
    ("Darwin", &["Darwin"]),
    ("Solaris", &["Solaris"]),
];

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    operatingsystem_support: Vec<System>,
}

#[derive(Deserialize)]
struct System {
    operatingsystem: String,
    #[serde(default)]
    operatingsystemrelease: Vec<String>,
}

/// The nodes that the text of a `metadata.json` suggests, in its order, such as `Debian 12`, with `os` and the equivalent
/// legacy facts. Empty if Puppet would not accept the file, or if it names no systems.
pub fn supported_systems(metadata_json: &str) -> Vec<NodeParts> {
    let text = metadata_json.trim_start_matches('\u{feff}');
    let Ok(metadata) = serde_json::from_str::<Metadata>(text) else { return Vec::new() };
    let mut nodes: Vec<NodeParts> = Vec::new();
    for system in &metadata.operatingsystem_support {
        let name = &*system.operatingsystem;
        match &*system.operatingsystemrelease {
            [] => nodes.push(node(name, None)),
            releases => nodes.extend(releases.iter().map(|release| node(name, Some(release)))),
        }
    }
    let mut seen = std::collections::HashSet::new();
    nodes.retain(|node| seen.insert(node.name.clone()));
    nodes
}

fn node(system: &str, release: Option<&str>) -> NodeParts {
    let mut facts = Facts::default();
    facts.set("name", "operatingsystem", system);
    if let Some(family) = family_of(system) {
        facts.set("family", "osfamily", family);
    }
    let Some(release) = release else { return facts.node(system.to_owned()) };
    let name = format!("{system} {release}");
    let has_whole = MAJOR_WITH_DOT.contains(&system);
    let (major, is_full) = match release.split_once(['.', ' ']) {
        // `Server 2019` is 2019, but `2012 R2` and `8.1` are what Facter reports.
        _ if system == "windows" => (release.strip_prefix("Server ").unwrap_or(release), false),
        // `12 SP4` is the full release 12.4.
        Some((major, _)) if !has_whole => (major, !release.contains(' ') && has_two_parts(system)),
        _ => (release, has_whole),
    };
    facts.set_release("major", "operatingsystemmajrelease", major);
    if is_full {
        facts.set_release("full", "operatingsystemrelease", release);
    }
    facts.node(name)
}

/// Whether the full release is written in `metadata.json`. That of CentOS has a third part, such as 7.9.2009.
fn has_two_parts(system: &str) -> bool {
    system != "CentOS"
}

/// The family of an operating system.
fn family_of(system: &str) -> Option<&'static str> {
    let (family, _) = FAMILIES.iter().find(|(_, systems)| systems.contains(&system))?;
    Some(family)
}

/// Facts about an operating system, each as a member of `os` and as the legacy fact.
#[derive(Default)]
struct Facts {
    os: Hash,
    release: Hash,
    legacy: Hash,
}

impl Facts {
    fn set(&mut self, member: &str, legacy: &str, text: &str) {
        insert(&mut self.os, member, Value::string(text));
        insert(&mut self.legacy, legacy, Value::string(text));
    }

    fn set_release(&mut self, member: &str, legacy: &str, text: &str) {
        insert(&mut self.release, member, Value::string(text));
        insert(&mut self.legacy, legacy, Value::string(text));
    }

    fn node(mut self, name: String) -> NodeParts {
        if !self.release.is_empty() {
            insert(&mut self.os, "release", Value::hash(self.release));
        }
        let mut facts = self.legacy;
        insert(&mut facts, "os", Value::hash(self.os));
        NodeParts { name, facts, ..NodeParts::default() }
    }
}

fn insert(hash: &mut Hash, name: &str, value: Value) {
    hash.insert(Value::string(name), None, value.into());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::formats::test_support::show_hash;

    #[track_caller]
    fn check(support: &str, expected: &[&str]) {
        let nodes = supported_systems(&format!(r#"{{"operatingsystem_support": {support}}}"#));
        let show =
            |node: &NodeParts| format!("{} {}", node.name, show_hash(&node.facts).replace('"', ""));
        assert_eq!(nodes.iter().map(show).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn one_node_per_release() {
        check(
            r#"[{"operatingsystem": "RedHat", "operatingsystemrelease": ["8", "9.2"]}]"#,
            &[
                "RedHat 8 {operatingsystem:RedHat,osfamily:RedHat,operatingsystemmajrelease:8,\
                 os:{name:RedHat,family:RedHat,release:{major:8}}}",
                "RedHat 9.2 {operatingsystem:RedHat,osfamily:RedHat,operatingsystemmajrelease:9,operatingsystemrelease:9.2,\
                 os:{name:RedHat,family:RedHat,release:{major:9,full:9.2}}}",
            ],
        );
    }

    #[test]
    fn releases_of_ubuntu_have_a_dot() {
        check(
            r#"[{"operatingsystem": "Ubuntu", "operatingsystemrelease": ["22.04"]}]"#,
            &[
                "Ubuntu 22.04 {operatingsystem:Ubuntu,osfamily:Debian,operatingsystemmajrelease:22.04,\
               operatingsystemrelease:22.04,os:{name:Ubuntu,family:Debian,release:{major:22.04,full:22.04}}}",
            ],
        );
    }

    #[test]
    fn releases_that_facter_reports_otherwise() {
        let check_release = |system: &str, release: &str, expected: &str| {
            let text = format!(
                r#"{{"operatingsystem_support": [{{"operatingsystem": "{system}", "operatingsystemrelease": ["{release}"]}}]}}"#
            );
            let facts = show_hash(&supported_systems(&text)[0].facts).replace('"', "");
            assert!(facts.ends_with(&format!("release:{{{expected}}}}}}}")), "{facts}");
        };
        check_release("windows", "Server 2019", "major:2019");
        check_release("windows", "2012 R2", "major:2012 R2");
        check_release("windows", "8.1", "major:8.1");
        check_release("SLES", "12 SP4", "major:12");
        check_release("SLES", "15.3", "major:15,full:15.3");
        check_release("CentOS", "7.9", "major:7");
    }

    #[test]
    fn systems_without_releases_or_family() {
        check(
            r#"[{"operatingsystem": "Plan9"}]"#,
            &["Plan9 {operatingsystem:Plan9,os:{name:Plan9}}"],
        );
    }

    #[test]
    fn what_is_no_metadata_names_no_systems() {
        for text in ["", "{}", "[]", "{\"operatingsystem_support\": 1}"] {
            assert_eq!(supported_systems(text), []);
        }
    }
}
