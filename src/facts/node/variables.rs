//! The variables of a node: what Puppet's top scope contains, and what is known if there is no fact set.

use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use super::top_scope::{RESERVED_NAMES, common_text, top_scope_of};
use super::{Basis, KnownVariable, NodeParts, Proved, Reading, is_set_by_server};
use crate::data::{Hash, Value};
use crate::facts::mapped::is_member;
use crate::facts::variable::{self, VariablePath};
use crate::facts::{NamePatterns, proved_by_name};
use crate::syntax::interpolation::may_have_tokens;
use crate::syntax::key_path::{self, KeyPath, Segment};

/// The variables of a node.
#[derive(Debug, Clone)]
pub(super) struct Variables {
    /// Top-scope variables by name, without `::`.
    pub(super) top_scope: Hash,
    /// The known variables of a node without a fact set, by [`variable::name_of`].
    pub(super) known: IndexMap<Arc<str>, KnownVariable>,
    /// The top-scope variables that are set for such a node, without `::`. They say nothing of the facts of the same names.
    pub(super) set: IndexMap<Arc<str>, Value>,
}

/// The variables of a node that may be computed only when one of them is read. An environment can have data files for
/// thousands of machines, and a user looks at a few of them.
#[derive(Debug, Clone)]
pub(super) enum OnDemand {
    Read(Variables),
    OfName(OfName, OnceLock<Variables>),
}

/// A node of which only the name and the parts that it shares with others are known.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OfName {
    name: Arc<str>,
    /// What is set for all of these nodes.
    set: Arc<NodeParts>,
    /// Other variables that have the name as their value.
    named_by: Arc<[Arc<str>]>,
    patterns: NamePatterns,
    /// The environment that it was moved to.
    environment: Option<Arc<str>>,
}

impl From<Variables> for OnDemand {
    fn from(variables: Variables) -> Self {
        Self::Read(variables)
    }
}

impl From<OfName> for OnDemand {
    fn from(of_name: OfName) -> Self {
        Self::OfName(of_name, OnceLock::new())
    }
}

impl OnDemand {
    pub(super) fn get(&self) -> &Variables {
        match self {
            Self::Read(variables) => variables,
            Self::OfName(of_name, variables) => variables.get_or_init(|| {
                let (mut parts, proved) = of_name.parts();
                let mut variables = Variables::partial(&mut parts, &proved);
                if let Some(environment) = &of_name.environment {
                    variables.set_environment(environment, false);
                }
                variables
            }),
        }
    }

    /// The variables of the node in another environment. What has not been computed yet is not computed for this.
    pub(super) fn in_environment(&self, environment: &Arc<str>, is_complete: bool) -> Self {
        match self {
            Self::Read(variables) => {
                let mut variables = variables.clone();
                variables.set_environment(environment, is_complete);
                variables.into()
            }
            Self::OfName(of_name, _) => {
                let environment = Some(Arc::clone(environment));
                OfName { environment, ..of_name.clone() }.into()
            }
        }
    }

    /// Whether both are computed from the same; `false` if they would have to be computed to find out.
    pub(super) fn are_made_of_the_same(&self, other: &Self) -> bool {
        matches!((self, other), (Self::OfName(one, _), Self::OfName(other, _)) if one == other)
    }

    /// Whether the text of one of them may contain lookups, by what they are computed from.
    pub(super) fn may_hold_lookups(&self) -> bool {
        match self {
            Self::Read(_) => true,
            Self::OfName(of_name, _) => of_name.has_tokens(),
        }
    }

    /// Whether nothing has been computed yet.
    #[cfg(test)]
    pub(super) fn is_unread(&self) -> bool {
        matches!(self, Self::OfName(_, variables) if variables.get().is_none())
    }
}

impl OfName {
    pub(super) fn new(
        name: &Arc<str>,
        set: &Arc<NodeParts>,
        named_by: &Arc<[Arc<str>]>,
        patterns: &NamePatterns,
    ) -> Self {
        let (name, set, patterns) = (Arc::clone(name), Arc::clone(set), patterns.clone());
        let named_by = Arc::clone(named_by);
        Self { name, set, named_by, patterns, environment: None }
    }

    fn has_tokens(&self) -> bool {
        let NodeParts { environment, facts, trusted, server_facts, variables, .. } = &*self.set;
        let mut hashes = [facts, variables].into_iter().chain(trusted).chain(server_facts);
        let environments = [environment.as_deref(), self.environment.as_deref()];
        let mut names = environments.into_iter().flatten().chain([&*self.name]);
        names.any(may_have_tokens) || hashes.any(|it| Value::hash(it.clone()).has_tokens())
    }

    /// The parts of the node, and what its name proves.
    pub(super) fn parts(&self) -> (NodeParts, Vec<Proved>) {
        let parts = NodeParts { name: self.name.to_string(), ..NodeParts::clone(&self.set) };
        let mut proved = proved_by_name(&self.name, &self.patterns);
        for variable in self.named_by.iter() {
            // The data file belongs to this machine, because it is named after it.
            let name = Value::String(Arc::clone(&self.name));
            proved.push((Arc::clone(variable), name, Basis::Proved));
        }
        (parts, proved)
    }
}

impl Variables {
    /// The variables of a node with a fact set.
    pub(super) fn of_fact_set(parts: &NodeParts) -> Self {
        Self { top_scope: top_scope_of(parts), known: IndexMap::new(), set: IndexMap::new() }
    }

    /// The variables of a node of which only `parts` and `proved` are known. `proved` is added to the parts.
    pub(super) fn partial(parts: &mut NodeParts, proved: &[Proved]) -> Self {
        let set = set_in(&parts.variables);
        let known = known_of(parts, proved);
        Self { top_scope: top_scope_of(parts), known, set }
    }

    /// Moves the node to another environment.
    fn set_environment(&mut self, environment: &str, is_complete: bool) {
        let name = Value::string(environment);
        let server_facts = self.top_scope.get("server_facts");
        if let Some(server_facts) = server_facts.and_then(|it| it.value.value.as_hash()) {
            let mut server_facts = server_facts.clone();
            server_facts.insert(common_text("environment"), None, name.clone().into());
            let server_facts = Value::hash(server_facts).into();
            self.top_scope.insert(common_text("server_facts"), None, server_facts);
        }
        if !is_complete {
            let known = KnownVariable { value: name.clone(), basis: Basis::Set };
            self.known.insert("environment".into(), known);
        }
        self.top_scope.insert(common_text("environment"), None, name.into());
    }

    /// See [`super::Node::read`]. `name` returns the canonical name of the variable.
    pub(super) fn read(
        &self,
        path: &KeyPath,
        name: impl FnOnce() -> Option<Arc<str>>,
        is_complete: bool,
    ) -> Reading {
        match self.set_by(path) {
            Some(value) => Reading::Known(value.clone().unplaced(), path.rest.clone()),
            None => self.read_beside_set(path, name, is_complete),
        }
    }

    /// The top-scope variable that `path` reads, if it is set for the node.
    pub(super) fn set_by(&self, path: &KeyPath) -> Option<&Value> {
        let root = path.root_name()?;
        self.set.get(root.strip_prefix("::").unwrap_or(root))
    }

    /// [`Self::read`] if `path` means a fact, although a top-scope variable of the same name may be set.
    pub(super) fn read_beside_set(
        &self,
        path: &KeyPath,
        name: impl FnOnce() -> Option<Arc<str>>,
        is_complete: bool,
    ) -> Reading {
        let Some(root) = path.root_name() else { return Reading::Unset };
        let root = root.strip_prefix("::").unwrap_or(root);
        let found = self.top_scope.get(root).map(|member| member.value.clone());
        let is_all = is_complete && !self.are_left_to_server(path);
        if is_all || is_always_known(root) {
            return found.map_or(Reading::Unset, |it| Reading::Known(it, path.rest.clone()));
        }
        let Some(name) = name() else { return Reading::Unset };
        if let Some(known) = self.known.get(&name) {
            return Reading::Known(known.value.clone().unplaced(), Vec::new());
        }
        for holder in variable::holders(&name) {
            // A fact is known by its name alone, and only its members have `facts.` in front: `facts.os.family` is a member of `os`.
            let of_fact = holder.strip_prefix("facts.").filter(|fact| !fact.contains('.'));
            let known = self.known.get(holder).or_else(|| self.known.get(of_fact?));
            let Some(known) = known else { continue };
            let Ok(below) = key_path::parse(&name[holder.len() + 1..]) else { continue };
            let rest = std::iter::once(below.root).chain(below.rest).collect();
            return Reading::Known(known.value.clone().unplaced(), rest);
        }
        Reading::Open(self.beside_set(path, name))
    }

    /// See [`super::Node::leaves_to_server`].
    pub(super) fn are_left_to_server(&self, path: &KeyPath) -> bool {
        let Some(root) = path.root_name() else { return false };
        let root = root.strip_prefix("::").unwrap_or(root);
        if root != "server_facts" {
            return is_set_by_server(root) && self.top_scope.get(root).is_none();
        }
        let Some(Segment::Name(member)) = path.rest.first() else { return false };
        let known = self.top_scope.get(root).and_then(|it| it.value.value.as_hash());
        is_set_by_server(member) && known.is_none_or(|it| it.get(member).is_none())
    }

    /// See [`super::Node::name_of`].
    pub(super) fn name_of(&self, variable: &VariablePath) -> Option<Arc<str>> {
        variable.name().map(|name| self.beside_set(&variable.path, name))
    }

    /// The name of a variable, in which a fact is told from a top-scope variable of the same name.
    fn beside_set(&self, path: &KeyPath, name: Arc<str>) -> Arc<str> {
        let is_fact = path.root_name().is_some_and(|root| root.trim_start_matches("::") == "facts");
        if is_fact && self.set.contains_key(&name) { format!("facts.{name}").into() } else { name }
    }
}

/// The top-scope variables in the parts of a node, except those that only Puppet sets.
fn set_in(variables: &Hash) -> IndexMap<Arc<str>, Value> {
    let settable = variables.iter().filter_map(|(name, member)| {
        let name = name.as_str()?;
        let name = name.strip_prefix("::").unwrap_or(name);
        let is_free = !RESERVED_NAMES.contains(&name) && name != "environment";
        is_free.then(|| (Arc::from(name), member.value.value.clone()))
    });
    settable.collect()
}

/// The known variables of a node of which only `parts` and `proved` are known. `proved` is added to the parts.
fn known_of(parts: &mut NodeParts, proved: &[Proved]) -> IndexMap<Arc<str>, KnownVariable> {
    let mut known = IndexMap::new();
    flatten(&mut known, "facts", &parts.facts);
    for (prefix, members) in [("trusted", &parts.trusted), ("server_facts", &parts.server_facts)] {
        if let Some(members) = members {
            flatten(&mut known, prefix, members);
        }
    }
    for (name, value, basis) in proved {
        // What the settings say of a node wins over what its name proves.
        if !known.contains_key(name) {
            if !is_member(name) {
                parts.set(name, value);
            }
            known.insert(Arc::clone(name), KnownVariable { value: value.clone(), basis: *basis });
        }
    }
    if let Some(environment) = &parts.environment {
        let value = Value::string(environment.as_str());
        known.insert("environment".into(), KnownVariable { value, basis: Basis::Set });
    }
    known.shrink_to_fit();
    known
}

/// Whether Puppet sets the variable itself for every node.
fn is_always_known(root: &str) -> bool {
    matches!(root, "name" | "title") || root.bytes().all(|byte| byte.is_ascii_digit())
}

/// Adds each leaf value by its name. A hash from settings or from the command line may have more members than are written.
fn flatten(known: &mut IndexMap<Arc<str>, KnownVariable>, prefix: &str, hash: &Hash) {
    for (key, member) in hash {
        let Some(key) = key.as_str() else { continue };
        let segment = key_path::quote_segment(key);
        let segment = segment.as_deref().unwrap_or(key);
        let path = format!("{prefix}.{segment}");
        match &member.value.value {
            Value::Hash(inner) if !inner.is_empty() => flatten(known, &path, inner),
            value => {
                if let Some(name) = variable::name_of_text(&path) {
                    known.insert(name, KnownVariable { value: value.clone(), basis: Basis::Set });
                }
            }
        }
    }
}
