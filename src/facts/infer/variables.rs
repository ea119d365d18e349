//! The variables that templates mention: spellings of the same thing share a number.

use std::sync::Arc;

use super::files::Row;
use crate::data::{Hash, Value};
use crate::facts::NodeParts;
use crate::syntax::key_path::{self, Segment};

/// What Facter and Puppet call the same thing; the first of a line stands for all.
const SPELLINGS: &[&[&str]] = &[
    &["certname", "trusted.certname", "clientcert", "fqdn", "networking.fqdn"],
    &["hostname", "trusted.hostname", "networking.hostname"],
    &["domain", "trusted.domain", "networking.domain"],
    &["environment", "server_facts.environment", "agent_specified_environment"],
    &["os.family", "osfamily"],
    &["os.name", "operatingsystem"],
    &["os.release.major", "operatingsystemmajrelease"],
    &["os.release.full", "operatingsystemrelease"],
    &["os.distro.codename", "lsbdistcodename"],
];

/// Which operating systems belong to which family, as Facter tells.
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

/// All variables seen so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables {
    known: Vec<Variable>,
}

#[derive(Debug, Clone)]
struct Variable {
    /// The name that stands for all spellings, with dots.
    name: String,
    /// The paths under which templates ask for it.
    spellings: Vec<Vec<Arc<str>>>,
    /// Whether it is the one member of a list.
    is_member: bool,
}

impl Variables {
    /// The number of the variable that `expression` (`::role`, `facts.os.family`) asks for; `None` if it makes no sense,
    /// or digs into a list.
    pub(super) fn number_of(&mut self, expression: &str) -> Option<usize> {
        let path = path_of(expression)?;
        Some(self.numbered(canonical_name(&path), path, false))
    }

    /// The number of the member of the list that `expression` asks for.
    pub(super) fn number_of_member(&mut self, expression: &str) -> Option<usize> {
        let path = path_of(expression)?;
        Some(self.numbered(format!("{}[]", canonical_name(&path)), path, true))
    }

    fn numbered(&mut self, name: String, path: Vec<Arc<str>>, is_member: bool) -> usize {
        let number = self.known.iter().position(|it| it.name == name).unwrap_or_else(|| {
            self.known.push(Variable { name, spellings: Vec::new(), is_member });
            self.known.len() - 1
        });
        let spellings = &mut self.known[number].spellings;
        if !spellings.contains(&path) {
            spellings.push(path);
        }
        number
    }

    /// Whether the variable tells machines apart.
    pub(super) fn is_machine(&self, number: usize) -> bool {
        let name = &self.known[number].name;
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        ["certname", "hostname", "host", "fqdn", "nodename", "node"].contains(&last)
            || ["_host", "_hostname", "_fqdn", "_certname"].iter().any(|it| last.ends_with(it))
    }

    /// Whether it is the environment's name.
    pub(super) fn is_environment(&self, number: usize) -> bool {
        self.known[number].name == "environment"
    }

    /// The machine that a row is about: its certname, else its host name, else the first other variable that tells
    /// machines apart.
    pub(super) fn machine_of(&self, row: &Row) -> Option<Arc<str>> {
        let named = |name| self.known_number(name).and_then(|it| row.get(it));
        let other = || row.iter().find(|(it, _)| self.is_machine(*it)).map(|(_, text)| text);
        named("certname").or_else(|| named("hostname")).or_else(other).cloned()
    }

    /// The host name of a row that knows no certname.
    pub(super) fn lone_hostname<'r>(&self, row: &'r Row) -> Option<&'r Arc<str>> {
        let has_certname = self.known_number("certname").is_some_and(|it| row.get(it).is_some());
        row.get(self.known_number("hostname")?).filter(|_| !has_certname)
    }

    /// The row with all that follows from it: the certname from whatever names the machine, host name and domain from
    /// the certname, the family from the operating system.
    pub(super) fn with_what_follows(&self, row: &Row) -> Row {
        let mut row = row.clone();
        if let Some(machine) = self.machine_of(&row) {
            let (hostname, domain) = match machine.split_once('.') {
                Some((hostname, domain)) => (hostname, Some(domain)),
                None => (&*machine, None),
            };
            self.follow(&mut row, "hostname", hostname);
            if let Some(domain) = domain {
                self.follow(&mut row, "domain", domain);
            }
            self.follow(&mut row, "certname", &machine);
        }
        let system = self.known_number("os.name").and_then(|it| row.get(it)).cloned();
        if let Some(family) = system.and_then(|it| family_of(&it)) {
            self.follow(&mut row, "os.family", family);
        }
        row
    }

    /// Whether one node can have the operating system and the family that two rows say.
    pub(super) fn agree_on_family(&self, one: &Row, other: &Row) -> bool {
        let said = |name| {
            let number = self.known_number(name)?;
            one.get(number).or_else(|| other.get(number))
        };
        let Some(family) = said("os.family") else { return true };
        let of_system = said("os.name").and_then(|system| family_of(system));
        of_system.is_none_or(|it| it == &**family)
    }

    /// What the facts of a node say.
    pub(super) fn row_of(&self, parts: &NodeParts) -> Row {
        let mut row = Row::default();
        for (number, variable) in self.known.iter().enumerate() {
            let mut paths =
                variable.spellings.iter().map(|path| &path[usize::from(&*path[0] == "facts")..]);
            if let Some(text) = paths.find_map(|path| text_at(&parts.facts, path)) {
                row.set(number, text);
            }
        }
        row
    }

    /// The node that a row describes: every spelling that a template asks for has its text, and what is known of the
    /// operating system can be asked for as a member of `os`, too.
    pub(super) fn parts(&self, name: String, row: &Row) -> NodeParts {
        let mut parts = NodeParts { name, ..NodeParts::default() };
        if let Some(machine) = self.machine_of(row).filter(|it| **it != *parts.name) {
            let trusted = parts.trusted.get_or_insert_default();
            trusted.insert(Value::string("certname"), None, Value::String(machine).into());
        }
        let mut texts: Vec<(usize, &Arc<str>)> = row.iter().collect();
        texts.sort_by_key(|(number, _)| *number);
        for (number, text) in texts {
            let Variable { name, spellings, is_member } = &self.known[number];
            let value = Value::String(text.clone());
            let value = if *is_member { Value::array(vec![value.into()]) } else { value };
            for path in spellings {
                set_variable(&mut parts, path, &value);
            }
            if name.starts_with("os.") && !is_member {
                let path: Vec<Arc<str>> = name.split('.').map(Arc::from).collect();
                set_nested(&mut parts.facts, &path, &value);
            }
        }
        parts
    }

    fn follow(&self, row: &mut Row, name: &str, text: &str) {
        if let Some(number) = self.known_number(name).filter(|it| row.get(*it).is_none()) {
            row.set(number, text.into());
        }
    }

    fn known_number(&self, name: &str) -> Option<usize> {
        self.known.iter().position(|it| it.name == name)
    }
}

/// The names of a variable's path, without a leading `::`.
fn path_of(expression: &str) -> Option<Vec<Arc<str>>> {
    let key = key_path::parse(expression).ok()?;
    let mut path = Vec::with_capacity(key.depth());
    for segment in [&key.root].into_iter().chain(&key.rest) {
        match segment {
            Segment::Name(name) => path.push(name.clone()),
            Segment::Index(_) => return None,
        }
    }
    let root: Arc<str> = path[0].strip_prefix("::").unwrap_or(&path[0]).into();
    let is_whole_hash = path.len() == 1 && ["facts", "trusted", "server_facts"].contains(&&*root);
    path[0] = root;
    (!is_whole_hash).then_some(path)
}

/// The name that stands for all spellings: `facts.` is left out, as every fact is a variable too.
fn canonical_name(path: &[Arc<str>]) -> String {
    let name = path[usize::from(&*path[0] == "facts")..].join(".");
    let group = SPELLINGS.iter().find(|names| names.contains(&name.as_str()));
    group.map_or(name, |names| names[0].to_owned())
}

/// The family of an operating system.
pub(super) fn family_of(system: &str) -> Option<&'static str> {
    let (family, _) = FAMILIES.iter().find(|(_, systems)| systems.contains(&system))?;
    Some(family)
}

/// Sets what `path` asks for. A variable with `::` is no fact; any other is set as a fact, and so as a variable.
fn set_variable(parts: &mut NodeParts, path: &[Arc<str>], value: &Value) {
    match (&*path[0], &path[1..]) {
        ("environment", []) => parts.environment = value.as_str().map(ToOwned::to_owned),
        ("facts", rest) => set_nested(&mut parts.facts, rest, value),
        ("trusted", rest) => set_nested(parts.trusted.get_or_insert_default(), rest, value),
        ("server_facts", rest) => {
            if let [member] = rest
                && &**member == "environment"
            {
                parts.environment = value.as_str().map(ToOwned::to_owned);
            }
            set_nested(parts.server_facts.get_or_insert_default(), rest, value);
        }
        (name, _) if name.contains("::") => set_nested(&mut parts.variables, path, value),
        _ => set_nested(&mut parts.facts, path, value),
    }
}

/// The text of a member of a member ….
fn text_at(hash: &Hash, path: &[Arc<str>]) -> Option<Arc<str>> {
    let (name, rest) = path.split_first()?;
    match (&hash.get(name)?.value.value, rest) {
        (Value::String(text), []) => Some(text.clone()),
        (Value::Hash(inner), [_, ..]) => text_at(inner, rest),
        _ => None,
    }
}

/// Sets a member of a member …; a hash that is there stays one.
fn set_nested(hash: &mut Hash, path: &[Arc<str>], value: &Value) {
    let Some((name, rest)) = path.split_first() else { return };
    let there = hash.get(name).and_then(|member| member.value.value.as_hash());
    let value = match (rest, there) {
        ([], Some(_)) => return,
        ([], None) => value.clone(),
        (_, there) => {
            let mut inner = there.cloned().unwrap_or_default();
            set_nested(&mut inner, rest, value);
            Value::hash(inner)
        }
    };
    hash.insert(Value::String(name.clone()), None, value.into());
}
