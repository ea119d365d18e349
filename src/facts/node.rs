//! A sample node: everything about a machine that a lookup can depend on.

mod classified;
mod top_scope;
mod variables;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;

pub use self::classified::{ClassifiedClass, GivenValue};
use self::top_scope::{add_if_missing, common_text};
use self::variables::{OfName, OnDemand, Variables};
use super::NamePatterns;
use super::variable::{self, VariablePath, is_environment};
use crate::config::Environment;
use crate::data::fingerprint::hash_of;
use crate::data::{Hash, Located, Value};
use crate::syntax::key_path::{self, KeyPath, Segment};

/// A node: facts, trusted data, server_facts, environment and extra variables, flattened to top-scope variables.
///
/// A node with a fact set is complete: what it does not have is not set. For any other node, some variables are known and all
/// others are open: it is not known whether they are set, and to what.
#[derive(Debug, Clone)]
pub struct Node {
    /// The name that users see; its certname if it is known.
    pub name: Arc<str>,
    /// The environment that it says it belongs to. Without it, the one in its variables is only assumed.
    pub environment: Option<Arc<str>>,
    /// The origin of its facts.
    pub origin: Origin,
    variables: Arc<OnDemand>,
    /// The classes from an external node classifier.
    classes: Arc<[ClassifiedClass]>,
    /// The patterns that extract variables from names of nodes.
    patterns: NamePatterns,
    /// The variables that have its name as their value, because a data file is named by them.
    named_by: Arc<[Arc<str>]>,
    /// The names of other nodes, if its own is not known.
    other_than: Option<Arc<NamesByVariable>>,
    /// The ways in which it reads the file that it is shown for, if there are several.
    ways: Arc<[TextsOfWay]>,
    /// The class that calls lookups, in lower case.
    calling_class: Option<Arc<str>>,
}

/// Variables with their texts, which are true together.
pub type TextsOfWay = Vec<(Arc<str>, Arc<str>)>;

/// Names of nodes, by the variables that have them as values. Lookups search for very many names in these.
pub type NamesByVariable = HashMap<Arc<str>, HashSet<Arc<str>, foldhash::fast::RandomState>>;

/// The origin of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Read from a file (its path).
    File(Arc<str>),
    /// Known by its certname, without a fact set.
    Name,
    /// Any node for which a few variables are known, not a single machine.
    Any,
}

/// A variable of a node without a fact set.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownVariable {
    /// Its value.
    pub value: Value,
    /// Why it is known.
    pub basis: Basis,
}

/// Why a variable is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The settings or the command line set it.
    Set,
    /// It follows from the node's name.
    Proved,
    /// It follows from the path of the file that is shown.
    Path,
}

/// The state of a variable of a node.
#[derive(Debug, Clone)]
pub enum Reading {
    /// This value, and the segments that must still be dug out of it.
    Known(Located, Vec<Segment>),
    /// It is known to be unset.
    Unset,
    /// It is not known. The name is that of [`Node::name_of`].
    Open(Arc<str>),
}

/// A variable that is known although no fact set contains it: its canonical name, its value, and why.
pub type Proved = (Arc<str>, Value, Basis);

/// The parts of a node. All hashes have string keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeParts {
    /// The certname.
    pub name: String,
    /// The environment, if known.
    pub environment: Option<String>,
    /// Facts: each becomes a variable and a member of `$facts`.
    pub facts: Hash,
    /// Members of `$trusted`; missing members of `{authenticated: remote, certname: name, extensions: {}, hostname, domain,
    /// external: {}}` are added.
    pub trusted: Option<Hash>,
    /// Members of `$server_facts`; `serverversion` and `environment` are added. The other ones are not known if they are missing.
    pub server_facts: Option<Hash>,
    /// Extra top-scope variables (ENC parameters, `site.pp`); they win over facts.
    pub variables: Hash,
    /// The classes from a classifier; `None` if there is no classifier output.
    pub classes: Option<Vec<ClassifiedClass>>,
}

impl Node {
    /// A node of which everything is known.
    pub fn new(parts: NodeParts, origin: Origin) -> Self {
        let variables = Variables::of_fact_set(&parts);
        Self::of_parts(parts.name.as_str().into(), parts, variables, origin)
    }

    /// A node of which only `set`, what follows from it, and `proved` are known. `name` is its certname or, if `origin` says
    /// that it is not a single machine, a name for users.
    pub fn partial(set: NodeParts, proved: &[Proved], origin: Origin) -> Self {
        let mut parts = set;
        let name = parts.name.as_str().into();
        if origin == Origin::Any {
            // The users' name for such nodes is not a certname.
            parts.name.clear();
        }
        let variables = Variables::partial(&mut parts, proved);
        Self::of_parts(name, parts, variables, origin)
    }

    fn of_parts(name: Arc<str>, parts: NodeParts, variables: Variables, origin: Origin) -> Self {
        Self {
            name,
            environment: parts.environment.map(Arc::from),
            origin,
            variables: Arc::new(variables.into()),
            classes: parts.classes.unwrap_or_default().into(),
            patterns: NamePatterns::default(),
            named_by: Arc::default(),
            other_than: None,
            ways: Arc::default(),
            calling_class: None,
        }
    }

    /// A node of which only `set`, its certname and what the name proves are known. `named_by` are other variables that are
    /// known to have the name as their value. The variables are computed when one of them is read.
    pub fn of_name(
        name: Arc<str>,
        set: &Arc<NodeParts>,
        named_by: Vec<Arc<str>>,
        patterns: &NamePatterns,
    ) -> Self {
        let named_by: Arc<[Arc<str>]> = named_by.into();
        let variables = OnDemand::from(OfName::new(&name, set, &named_by, patterns));
        let environment = if patterns.is_empty() {
            set.environment.as_deref()
        } else {
            // A pattern can extract the environment, which is needed at once.
            let known = variables.get().known.get("environment");
            known.and_then(|it| it.value.as_str())
        };
        Self {
            name,
            environment: environment.map(Arc::from),
            origin: Origin::Name,
            variables: Arc::new(variables),
            classes: set.classes.clone().unwrap_or_default().into(),
            patterns: patterns.clone(),
            named_by,
            other_than: None,
            ways: Arc::default(),
            calling_class: None,
        }
    }

    /// The same node in `environment`, whose name for the node is the value of `$environment` and
    /// `$server_facts['environment']`, whatever its facts or its node parameters say.
    #[must_use]
    pub fn in_environment(self: &Arc<Self>, environment: &Environment) -> Arc<Self> {
        let name = environment.name_for(self.environment.as_deref());
        if self.environment.as_ref() == Some(&name) {
            return self.clone();
        }
        let variables = if self.assumes_environment(&name) {
            Arc::clone(&self.variables)
        } else {
            Arc::new(self.variables.in_environment(&name, self.is_complete()))
        };
        Arc::new(Self {
            name: Arc::clone(&self.name),
            variables,
            environment: Some(name),
            origin: self.origin.clone(),
            classes: Arc::clone(&self.classes),
            patterns: self.patterns.clone(),
            named_by: Arc::clone(&self.named_by),
            other_than: self.other_than.clone(),
            ways: Arc::clone(&self.ways),
            calling_class: self.calling_class.clone(),
        })
    }

    /// The same node with a fact set, if nothing says that it is in the environment of its variables: Puppet would assume it.
    #[must_use]
    pub fn with_assumed_environment(self) -> Self {
        Self { environment: None, ..self }
    }

    fn assumes_environment(&self, name: &str) -> bool {
        let assumed = || self.variable("environment")?.value.as_str();
        self.is_complete() && self.environment.is_none() && assumed() == Some(name)
    }

    /// Whether `path` reads the name of the environment, and that is only what Puppet would assume: a checkout can be deployed as
    /// any environment.
    pub fn assumes(&self, path: &KeyPath) -> bool {
        let is_environment = || variable::name_of(path).is_some_and(|it| is_environment(&it));
        self.is_complete() && self.environment.is_none() && is_environment()
    }

    /// The top-scope variable `name` (without a leading `::`), or `None` if it is not defined.
    pub fn variable(&self, name: &str) -> Option<&Located> {
        self.variables().get(name).map(|member| &member.value)
    }

    /// Whether the text of a variable may contain lookups. Hiera interpolates the values of variables again.
    pub fn holds_lookups(&self) -> bool {
        let of_top_scope = || self.variables().iter().map(|(_, member)| &member.value.value);
        let of_known = || self.known().values().map(|known| &known.value);
        // Most nodes show it without their variables, which may not be computed yet.
        self.variables.may_hold_lookups() && of_top_scope().chain(of_known()).any(Value::has_tokens)
    }

    /// Whether lookups find the same for it and another node.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let hash = |node: &Self| hash_of(&Value::hash(node.variables().clone()));
        std::ptr::eq(self, other)
            || self.origin == other.origin
                && self.patterns == other.patterns
                && self.ways == other.ways
                && (self.variables.are_made_of_the_same(&other.variables)
                    || self.known() == other.known() && hash(self) == hash(other))
    }

    /// All top-scope variables in order.
    pub fn variables(&self) -> &Hash {
        &self.variables.get().top_scope
    }

    /// The variables that are known to have its name as their value, because a data file is named by them.
    pub fn named_by(&self) -> &[Arc<str>] {
        &self.named_by
    }

    /// The same node with other [`Self::named_by`]. Nothing else becomes known of it.
    #[must_use]
    pub fn with_named_by(self, variables: Arc<[Arc<str>]>) -> Self {
        Self { named_by: variables, ..self }
    }

    /// The classes from an external node classifier.
    pub fn classes(&self) -> &[ClassifiedClass] {
        &self.classes
    }

    /// Whether a missing variable is known to be unset.
    pub fn is_complete(&self) -> bool {
        matches!(self.origin, Origin::File(_))
    }

    /// The top-scope variables that are set for a node without a fact set.
    pub fn set_variables(&self) -> &IndexMap<Arc<str>, Value> {
        &self.variables.get().set
    }

    /// The canonical name of a variable: that of [`variable::name_of`], with `facts.` in front of a fact if a top-scope variable
    /// of the same name is set.
    pub fn name_of(&self, variable: &VariablePath) -> Option<Arc<str>> {
        self.variables.get().name_of(variable)
    }

    /// Why the variable that `path` reads is known; `None` if it is not, or part of another one.
    pub fn basis_of(&self, path: &KeyPath) -> Option<Basis> {
        let variables = self.variables.get();
        if variables.set_by(path).is_some() {
            return Some(Basis::Set);
        }
        variables.known.get(&variable::name_of(path)?).map(|it| it.basis)
    }

    /// The other known variables of a node without a fact set, by [`variable::name_of`].
    pub fn known(&self) -> &IndexMap<Arc<str>, KnownVariable> {
        &self.variables.get().known
    }

    /// The same node with more known variables; if a top-scope variable of a name is set, the name means the fact. `Err` is the
    /// name of a variable that is already known, or of one of a complete node.
    pub fn with(&self, set: &[(Arc<str>, Value)]) -> Result<Self, Arc<str>> {
        let mut variables = self.variables.get().clone();
        for (name, value) in set {
            let path = key_path::parse(name).map_err(|_| Arc::clone(name))?;
            let name_of = || variable::name_of(&path);
            let read = variables.read_beside_set(&path, name_of, self.is_complete());
            if !matches!(read, Reading::Open(_)) {
                return Err(Arc::clone(name));
            }
            let known = KnownVariable { value: value.clone(), basis: Basis::Set };
            let fact = variable::name_of(&path).unwrap_or_else(|| Arc::clone(name));
            variables.known.insert(fact, known);
            let mut parts = NodeParts::default();
            parts.set(name, value);
            for (key, member) in parts.facts.iter().chain(&parts.variables) {
                let is_free =
                    |it: &str| !variables.set.contains_key(it) && !variable::is_environment(it);
                if key.as_str().is_none_or(is_free) {
                    variables.top_scope.insert(key.clone(), None, member.value.clone());
                }
            }
        }
        Ok(Self { variables: Arc::new(variables.into()), ..self.clone() })
    }

    /// The same node as code of a module sees it, where `$module_name` is set. `title` is the class whose `$title` and `$name` are
    /// set: while Puppet looks up the parameters of the class that calls, they are still those of its parent or of `main`.
    #[must_use]
    pub fn within(&self, module: &str, title: Option<&str>, calling_class: Option<&str>) -> Self {
        let mut variables = self.variables.get().clone();
        let title = title.into_iter().flat_map(|it| [("title", it), ("name", it)]);
        for (name, value) in [("module_name", module)].into_iter().chain(title) {
            variables.top_scope.insert(common_text(name), None, Value::string(value).into());
        }
        let calling_class = calling_class.map(Arc::from);
        Self { variables: Arc::new(variables.into()), calling_class, ..self.clone() }
    }

    /// The class that calls lookups; `None` outside of classes.
    pub fn calling_class(&self) -> Option<&str> {
        self.calling_class.as_deref()
    }

    /// The same node with these patterns for names of nodes.
    #[must_use]
    pub fn with_patterns(self, patterns: NamePatterns) -> Self {
        Self { patterns, ..self }
    }

    /// The same node, of which it is known that no variable has one of the names listed for it.
    #[must_use]
    pub fn other_than(&self, names: Arc<NamesByVariable>) -> Self {
        Self { other_than: Some(names), ..self.clone() }
    }

    /// The names that a variable is known not to have, although nothing else is known of it.
    pub fn names_of_others(
        &self,
        variable: &str,
    ) -> Option<&HashSet<Arc<str>, foldhash::fast::RandomState>> {
        self.other_than.as_ref()?.get(variable)
    }

    /// The same node, of which it is known that one of these ways is true.
    #[must_use]
    pub fn in_one_of(self, ways: Vec<TextsOfWay>) -> Self {
        Self { ways: ways.into(), ..self }
    }

    /// Ways of which one is true, if that is known.
    pub fn ways(&self) -> &[TextsOfWay] {
        &self.ways
    }

    /// The patterns that extract variables from names of nodes.
    pub fn patterns(&self) -> &NamePatterns {
        &self.patterns
    }

    /// The state of the variable, and of its members, that `path` reads. For a complete node, only variables that the server
    /// sets are open.
    pub fn read(&self, path: &KeyPath) -> Reading {
        self.variables.get().read(path, || variable::name_of(path), self.is_complete())
    }

    /// Whether the server sets the variable, or the member of `$server_facts`, that `path` reads, and nothing says to what.
    pub fn leaves_to_server(&self, path: &KeyPath) -> bool {
        self.variables.get().are_left_to_server(path)
    }

    /// [`Self::read`] for a path whose name is known.
    pub fn read_variable(&self, variable: &VariablePath) -> Reading {
        self.variables.get().read(&variable.path, || variable.name(), self.is_complete())
    }
}

impl NodeParts {
    /// Whether these are the parts of a fact set. The output of a classifier alone says nothing of facts.
    pub fn holds_facts(&self) -> bool {
        !self.facts.is_empty() || self.classes.is_none()
    }

    /// Whether nothing but the name is set.
    pub fn is_only_name(&self) -> bool {
        *self == Self { name: self.name.clone(), ..Self::default() }
    }

    /// Sets the version of the server unless `server_facts` already contain it.
    pub fn set_missing_server_version(&mut self, version: &str) {
        let server_facts = self.server_facts.get_or_insert_default();
        add_if_missing(server_facts, "serverversion", Value::string(version));
    }

    /// Sets the variable `name`, which may belong to the facts, the trusted data or the other variables.
    pub fn set(&mut self, name: &str, value: &Value) {
        if name == "environment" {
            self.environment = value.as_str().map(str::to_owned);
            return;
        }
        let Ok(path) = key_path::parse(name) else { return };
        let mut names: Vec<Arc<str>> = Vec::with_capacity(path.depth());
        for segment in [&path.root].into_iter().chain(&path.rest) {
            names.push(match segment {
                Segment::Name(name) => Arc::clone(name),
                Segment::Index(index) => index.to_string().into(),
            });
        }
        let (hash, names) = match (&*names[0], &names[1..]) {
            ("facts", rest @ [_, ..]) => (&mut self.facts, rest),
            ("trusted", rest @ [_, ..]) => (self.trusted.get_or_insert_default(), rest),
            ("server_facts", rest @ [_, ..]) => (self.server_facts.get_or_insert_default(), rest),
            (root, _) if root.contains("::") => (&mut self.variables, &names[..]),
            _ => (&mut self.facts, &names[..]),
        };
        set_member(hash, names, value);
    }
}

fn set_member(hash: &mut Hash, names: &[Arc<str>], value: &Value) {
    let Some((name, rest)) = names.split_first() else { return };
    let value = if rest.is_empty() {
        value.clone()
    } else {
        let there = hash.get(name).and_then(|member| member.value.value.as_hash());
        let mut inner = there.cloned().unwrap_or_default();
        set_member(&mut inner, rest, value);
        Value::hash(inner)
    };
    hash.insert(Value::String(Arc::clone(name)), None, value.into());
}

/// The names of the server, which are variables and members of `$server_facts`. Few fact sets contain them.
const NAMES_OF_SERVER: [&str; 3] = ["servername", "serverip", "serverip6"];

/// Whether a variable (without a leading `::`) is one of the server's own settings, which no fact set contains, or names the
/// server.
pub fn is_set_by_server(root: &str) -> bool {
    root.starts_with("settings::") || NAMES_OF_SERVER.contains(&root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Naming;
    use crate::facts::NamePattern;
    use crate::facts::formats::test_support::{hash, show};
    use crate::text::TextRange;

    fn fixed(name: &str) -> Environment {
        Environment { name: name.into(), naming: Naming::Fixed, ..Environment::default() }
    }

    fn node(parts: NodeParts) -> Node {
        Node::new(parts, Origin::File(Arc::from("facts.json")))
    }

    #[track_caller]
    fn check(node: &Node, name: &str, expected: &str) {
        let shown = node.variable(name).map_or("undefined".to_owned(), |it| show(&it.value));
        assert_eq!(shown, expected, "${name}");
    }

    fn example() -> Node {
        node(NodeParts {
            name: "web.ex.com".into(),
            environment: Some("production".into()),
            facts: hash(
                r#"{"x": "fact", "environment": "own", "servername": "fact", "trusted": 1,
                    "facts": 2, "name": 3, "nothing": null, "deep": {"a": [null]}}"#,
            ),
            variables: hash(r#"{"x": "variable", "role": "web"}"#),
            ..NodeParts::default()
        })
    }

    #[test]
    fn top_scope_is_set_as_by_the_compiler() {
        let node = example();
        check(&node, "x", r#""variable""#);
        check(&node, "role", r#""web""#);
        check(&node, "servername", r#""fact""#);
        check(&node, "serverversion", r#""8.11.0""#);
        check(&node, "serverip", "undefined");
        check(&node, "environment", r#""production""#);
        check(&node, "name", r#""main""#);
        check(&node, "title", r#""main""#);
        check(&node, "server_facts", r#"{"serverversion":"8.11.0","environment":"production"}"#);
        check(
            &node,
            "trusted",
            r#"{"authenticated":"remote","certname":"web.ex.com","extensions":{},"hostname":"web","domain":"ex.com","external":{}}"#,
        );
        check(
            &node,
            "facts",
            r#"{"x":"fact","environment":"own","servername":"fact","trusted":1,"facts":2,"name":3,"nothing":"","deep":{"a":[""]}}"#,
        );
    }

    #[test]
    fn facts_are_sanitized() {
        check(&example(), "nothing", r#""""#);
        check(&example(), "deep", r#"{"a":[""]}"#);
    }

    fn read(node: &Node, name: &str) -> String {
        match node.read(&key_path::parse(name).expect("a name")) {
            Reading::Known(value, rest) if rest.is_empty() => show(&value.value),
            Reading::Known(value, rest) => format!("{} {}", show(&value.value), rest.len()),
            Reading::Unset => "unset".to_owned(),
            Reading::Open(name) => format!("open {name}"),
        }
    }

    #[test]
    fn what_is_not_known_of_a_node_without_facts_is_open() {
        let set = NodeParts {
            name: "web.ex.com".into(),
            environment: Some("production".into()),
            facts: hash(r#"{"os": {"family": "Debian"}, "teams": ["a"]}"#),
            variables: hash(r#"{"tier": {"zone": "x"}}"#),
            ..NodeParts::default()
        };
        let proved = [("trusted.certname".into(), Value::string("web.ex.com"), Basis::Proved)];
        let node = Node::partial(set, &proved, Origin::Name);
        for (name, expected) in [
            ("facts.os.family", r#""Debian""#),
            ("osfamily", r#""Debian""#),
            ("os.family", r#""Debian""#),
            ("facts.os.name", "open facts.os.name"),
            ("facts.os", "open os"),
            ("teams.0", r#"["a"] 1"#),
            ("::tier.zone", r#"{"zone":"x"} 1"#),
            ("role", "open role"),
            ("facts.role", "open role"),
            ("trusted.certname", r#""web.ex.com""#),
            ("trusted.extensions.pp_role", "open trusted.extensions.pp_role"),
            ("environment", r#""production""#),
            ("server_facts.environment", r#""production""#),
            ("facts.environment", "open facts.environment"),
            ("title", r#""main""#),
        ] {
            assert_eq!(read(&node, name), expected, "{name}");
        }
    }

    #[test]
    fn a_fact_called_environment_is_not_the_environment() {
        let set = |facts: &str| NodeParts {
            environment: Some("production".into()),
            facts: hash(facts),
            ..NodeParts::default()
        };
        let node = Node::partial(set(r#"{"environment": "of the fact"}"#), &[], Origin::Name);
        assert_eq!(read(&node, "environment"), r#""production""#);
        assert_eq!(read(&node, "facts.environment"), r#""of the fact""#);
        let node = Node::partial(set("{}"), &[], Origin::Name);
        let given = [("facts.environment".into(), Value::string("given"))];
        let node = node.with(&given).expect("it is open");
        assert_eq!(read(&node, "environment"), r#""production""#);
        assert_eq!(read(&node, "facts.environment"), r#""given""#);
        check(&node, "environment", r#""production""#);
        let given = [("environment".into(), Value::string("given"))];
        assert!(node.with(&given).is_err());
    }

    #[test]
    fn variables_of_a_name_are_computed_when_one_is_read() {
        let set = Arc::new(NodeParts {
            environment: Some("production".into()),
            variables: hash(r#"{"tier": "x"}"#),
            ..NodeParts::default()
        });
        let node = |patterns: &NamePatterns| {
            Node::of_name("web.ex.com".into(), &set, vec!["host".into()], patterns)
        };
        let lazy = node(&NamePatterns::default());
        assert_eq!(lazy.environment.as_deref(), Some("production"));
        assert!(lazy.variables.is_unread());
        for (name, expected) in [
            ("trusted.certname", r#""web.ex.com""#),
            ("facts.networking.domain", r#""ex.com""#),
            ("facts.host", r#""web.ex.com""#),
            ("tier", r#""x""#),
            ("environment", r#""production""#),
            ("role", "open role"),
        ] {
            assert_eq!(read(&lazy, name), expected, "{name}");
        }
        assert!(!lazy.variables.is_unread());
        assert_eq!(
            read(&Arc::new(lazy).in_environment(&fixed("test")), "environment"),
            r#""test""#
        );
        let pattern = NamePattern::new("(?<environment>[a-z]+)[.].*", TextRange::empty(0));
        let patterns = NamePatterns::new(vec![pattern.expect("a pattern")]);
        assert_eq!(node(&patterns).environment.as_deref(), Some("web"));
    }

    #[test]
    fn a_node_is_moved_and_compared_without_its_variables() {
        let set = |tier: &str| {
            Arc::new(NodeParts {
                environment: Some("production".into()),
                variables: hash(&format!(r#"{{"tier": "{tier}"}}"#)),
                ..NodeParts::default()
            })
        };
        let node = |name: &str, tier: &str| {
            let made = Node::of_name(name.into(), &set(tier), Vec::new(), &NamePatterns::default());
            Arc::new(made).in_environment(&fixed("test"))
        };
        let lazy = node("web.ex.com", "x");
        assert!(lazy.is_same_as(&node("web.ex.com", "x")) && !lazy.holds_lookups());
        assert!(lazy.variables.is_unread());
        let read_before = {
            let made = node("web.ex.com", "x");
            made.variables();
            made.in_environment(&fixed("other")).in_environment(&fixed("test"))
        };
        assert!(lazy.is_same_as(&read_before));
        assert_eq!(
            (lazy.variables(), lazy.known()),
            (read_before.variables(), read_before.known())
        );
        assert!(!lazy.is_same_as(&node("web.ex.com", "y")));
        assert!(!lazy.is_same_as(&node("db.ex.com", "x")));
        assert!(!lazy.is_same_as(&lazy.in_environment(&fixed("other"))));
        assert!(node("web.ex.com", "%{lookup('a')}").holds_lookups());
    }

    #[test]
    fn nothing_is_open_of_a_node_with_facts() {
        let node = example();
        assert_eq!(read(&node, "role"), r#""web""#);
        assert_eq!(read(&node, "nope"), "unset");
    }

    #[test]
    fn another_environment() {
        let node = Arc::new(example()).in_environment(&fixed("test"));
        check(&node, "environment", r#""test""#);
        check(&node, "server_facts", r#"{"serverversion":"8.11.0","environment":"test"}"#);
        assert_eq!(node.environment.as_deref(), Some("test"));
        assert!(Arc::ptr_eq(&node.in_environment(&fixed("test")), &node));
        let usual = Environment { naming: Naming::Usual, ..fixed("other") };
        assert!(Arc::ptr_eq(&node.in_environment(&usual), &node), "it names its own");
    }

    #[test]
    fn no_environment_until_one_is_given() {
        let node = node(NodeParts { name: "web".into(), ..NodeParts::default() });
        check(&node, "environment", "undefined");
        check(&node, "server_facts", r#"{"serverversion":"8.11.0"}"#);
        check(&Arc::new(node).in_environment(&fixed("test")), "environment", r#""test""#);
    }

    #[test]
    fn trusted_data_is_completed() {
        let trusted = Some(hash(r#"{"extensions": {"pp_role": "web"}, "certname": "db.ex.com"}"#));
        let node = node(NodeParts { name: "web".into(), trusted, ..NodeParts::default() });
        check(
            &node,
            "trusted",
            r#"{"extensions":{"pp_role":"web"},"certname":"db.ex.com","authenticated":"remote","hostname":"db","domain":"ex.com","external":{}}"#,
        );
    }
}
