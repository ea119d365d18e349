//! The names of variables: which spellings mean the same variable, and the form for users.
//!
//! Every fact is also a top-scope variable, so `role`, `::role` and `facts.role` are one variable. A legacy fact is the
//! structured fact that replaced it.

use std::sync::{Arc, OnceLock};

use super::legacy::modern_name_of_whole;
use super::mapped::is_member;
use crate::syntax::key_path::{self, KeyPath, Segment};

/// Puppet's own hashes, whose members are not facts.
const HASHES: [&str; 2] = ["trusted", "server_facts"];

/// The hashes that Puppet sets for every node, and that nothing else can set.
pub const NODE_HASHES: [&str; 3] = ["facts", "trusted", "server_facts"];

/// Variables that Hiera 3 set in every lookup. Puppet sets them for Hiera 3 alone.
pub const VARIABLES_OF_HIERA_3: [&str; 3] =
    ["calling_module", "calling_class", "calling_class_path"];

/// The name of a node, which no other node has.
pub const CERTNAME: &str = "trusted.certname";

/// The first part of the name of a machine.
pub(super) const HOSTNAMES: [&str; 2] = ["trusted.hostname", "facts.networking.hostname"];

/// The fact called `environment`, if there is one: the only fact that is no top-scope variable, because Puppet sets `$environment`
/// itself. The name of the environment is in `$server_facts`, and not in `$facts`.
const FACT_CALLED_ENVIRONMENT: &str = "facts.environment";

/// Whether a top-scope variable is the name of the environment, which no fact of the same name can set.
pub(super) fn is_environment(name: &str) -> bool {
    name == "environment"
}

/// The variable that `path` reads, under the canonical name for all its spellings: `role`, `facts.os.family`,
/// `trusted.extensions.pp_role`. `None` if the path starts with a number, which does not name a variable.
pub fn name_of(path: &KeyPath) -> Option<Arc<str>> {
    name_with(path, modern_name_of_whole)
}

/// The same, but a legacy fact keeps its own name: of a node with a fact set, it is known whether it has the one or the other.
pub fn name_beside_modern(path: &KeyPath) -> Option<Arc<str>> {
    name_with(path, |_| None)
}

fn name_with(path: &KeyPath, modern_name: fn(&str) -> Option<&'static str>) -> Option<Arc<str>> {
    let root = path.root_name()?;
    let root = root.strip_prefix("::").unwrap_or(root);
    let rest = path.rest.as_slice();
    if HASHES.contains(&root) {
        return Some(match rest {
            // Puppet sets both to the name of the environment, so they are one variable.
            [Segment::Name(member)] if root == "server_facts" && &**member == "environment" => {
                "environment".into()
            }
            _ => joined(root, rest).into(),
        });
    }
    if root == "facts" && rest.is_empty() {
        return Some(root.into());
    }
    let (first, rest) = match rest {
        [Segment::Name(member), rest @ ..] if root == "facts" => (&**member, rest),
        _ => (root, rest),
    };
    if root == "facts" && is_environment(first) && rest.is_empty() {
        return Some(FACT_CALLED_ENVIRONMENT.into());
    }
    // A name with `::` inside is a variable of a class.
    let is_fact = root == "facts" || !first.contains("::");
    let modern = if rest.is_empty() { modern_name(first) } else { None };
    let name = modern.map_or_else(|| joined(first, rest), str::to_owned);
    let is_member = name.contains('.') && is_fact;
    Some(if is_member { ["facts.", &name].concat().into() } else { name.into() })
}

/// What a text reads a variable by, split into its parts.
#[derive(Debug, Clone)]
pub struct VariablePath {
    /// The parts.
    pub path: KeyPath,
    /// [`name_of`] the path. Nodes with fact sets do not need it.
    name: OnceLock<Option<Arc<str>>>,
}

impl VariablePath {
    /// Splits the text in a token; `None` if Puppet refuses it.
    pub fn parse(expression: &str) -> Option<Self> {
        let path = key_path::parse(expression).ok()?;
        Some(Self { path, name: OnceLock::new() })
    }

    /// The canonical name of the variable.
    pub(super) fn name(&self) -> Option<Arc<str>> {
        self.name.get_or_init(|| name_of(&self.path)).clone()
    }
}

/// [`name_of`] for a name as written; `None` if it does not name a variable.
pub fn name_of_text(text: &str) -> Option<Arc<str>> {
    name_of(&key_path::parse(text).ok()?)
}

/// [`name_of_text`] for a name to which someone gives a value. Variables of a hierarchy are not checked like this, because Puppet
/// reads any text as a name there.
pub fn settable_name(text: &str) -> Option<Arc<str>> {
    let path = key_path::parse(text).ok()?;
    let root = path.root_name()?;
    let is_strange = |letter: char| letter.is_whitespace() || "%{}'\"".contains(letter);
    // `groups[]` means any member of the list, which cannot be set alone.
    let is_name =
        !root.trim_start_matches("::").is_empty() && !root.contains(is_strange) && !is_member(text);
    name_of(&path).filter(|_| is_name)
}

/// Whether Puppet sets the variable for every node that has a catalog, by its canonical name. It is never empty.
pub fn is_always_set(name: &str) -> bool {
    let always = [
        "trusted.certname",
        "trusted.hostname",
        "trusted.authenticated",
        "clientcert",
        "environment",
        "serverversion",
        "server_facts.serverversion",
    ];
    always.contains(&name)
}

/// Whether every agent adds the fact to those that it sends (`Puppet::Node::Facts#add_local_facts`). Facter does not have it, so
/// fact sets made with Facter lack it.
pub fn is_added_by_agents(name: &str) -> bool {
    matches!(name.trim_start_matches("::"), "clientcert" | "clientversion" | "clientnoop")
}

/// Whether the text of a variable may contain a slash, by its canonical name. Puppet refuses a certname with one, and the names of
/// environments and modules with anything but letters, digits and `_`.
pub fn may_contain_slash(name: &str) -> bool {
    let without = [
        "trusted.certname",
        "trusted.hostname",
        "trusted.domain",
        "clientcert",
        "environment",
        "module_name",
        "caller_module_name",
    ];
    !without.contains(&name)
}

/// Whether the text of a variable may contain a dot, by its canonical name. A hostname is the certname before its first dot.
pub(super) fn may_contain_dot(name: &str) -> bool {
    !HOSTNAMES.contains(&name)
}

/// The names of hashes that contain the variable, the longest first: `facts.os` and `facts` for `facts.os.family`.
pub(super) fn holders(name: &str) -> impl Iterator<Item = &str> {
    name.char_indices().rev().filter(|(_, c)| *c == '.').map(|(at, _)| &name[..at])
}

/// A name with its members, quoted if a dot is part of a member's name.
pub(super) fn joined(first: &str, rest: &[Segment]) -> String {
    let mut name = String::with_capacity(32);
    push_quoted(&mut name, first);
    push_members(&mut name, rest);
    name
}

/// Appends members to a name, quoted if a dot is part of one.
pub(super) fn push_members(name: &mut String, members: &[Segment]) {
    for segment in members {
        name.push('.');
        match segment {
            Segment::Index(index) => name.push_str(&index.to_string()),
            Segment::Name(member) => push_quoted(name, member),
        }
    }
}

fn push_quoted(name: &mut String, segment: &str) {
    // Most names need no quotes, and then no memory of their own.
    let needs_quotes = key_path::needs_quotes(segment);
    let quoted = needs_quotes.then(|| key_path::quote_segment(segment)).flatten();
    name.push_str(quoted.as_deref().unwrap_or(segment));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_variable_have_one_name() {
        let check = |spellings: &[&str], expected: &str| {
            for spelling in spellings {
                assert_eq!(name_of_text(spelling).as_deref(), Some(expected), "{spelling}");
            }
        };
        check(&["role", "::role", "facts.role"], "role");
        check(
            &["osfamily", "::osfamily", "facts.osfamily", "os.family", "facts.os.family"],
            "facts.os.family",
        );
        check(&["trusted.certname", "::trusted.certname"], "trusted.certname");
        check(&["fqdn", "networking.fqdn"], "facts.networking.fqdn");
        check(&["kernel", "facts.kernel"], "kernel");
        check(&["environment", "::environment", "server_facts.environment"], "environment");
        check(&["facts.environment", "::facts.environment"], "facts.environment");
        check(&["::profile::web::port"], "profile::web::port");
        check(&["facts"], "facts");
        check(&["facts.'a.b'"], "facts.'a.b'");
    }

    #[test]
    fn a_legacy_fact_can_be_told_from_the_modern_one() {
        let name = |text: &str| name_beside_modern(&key_path::parse(text).expect("a name"));
        assert_eq!(name("facts.fqdn").as_deref(), Some("fqdn"));
        assert_eq!(name("::fqdn").as_deref(), Some("fqdn"));
        assert_eq!(name("networking.fqdn").as_deref(), Some("facts.networking.fqdn"));
    }

    #[test]
    fn values_are_given_to_names_only() {
        assert_eq!(settable_name("::role").as_deref(), Some("role"));
        assert_eq!(settable_name("facts.'a b'").as_deref(), Some("a b"));
        for text in ["", "::", "a b", "%{x}", "a..b", "facts.groups[]"] {
            assert_eq!(settable_name(text), None, "{text}");
        }
    }

    #[test]
    fn facts_whose_modern_form_has_another_value_are_others() {
        assert_eq!(name_of_text("interfaces").as_deref(), Some("interfaces"));
    }
}
