//! A sample node: everything about a machine that a lookup can depend on.

use std::sync::{Arc, LazyLock, OnceLock};

use indexmap::IndexMap;

use super::variable;
use super::{NamePatterns, proved_by_name};
use crate::config::PuppetVersion;
use crate::data::{Hash, Located, Value};
use crate::syntax::key_path::{self, KeyPath, Segment};

/// Variables that Puppet sets itself: a fact or node parameter of this name makes every compilation fail.
const RESERVED_NAMES: [&str; 5] = ["facts", "trusted", "server_facts", "name", "title"];

/// A node: facts, trusted data, server_facts, environment and extra variables, flattened to top-scope variables.
///
/// A node with a fact set is complete: what it does not have is not set. For any other node, some variables are known and all
/// others are open: it is not known whether they are set, and to what.
#[derive(Debug, Clone)]
pub struct Node {
    /// The name that users see; its certname if it is known.
    pub name: Arc<str>,
    /// The environment that it says it belongs to.
    pub environment: Option<Arc<str>>,
    /// The origin of its facts.
    pub origin: Origin,
    contents: Contents,
    /// The classes from an external node classifier.
    classes: Arc<[ClassifiedClass]>,
    /// The patterns that extract variables from names of nodes.
    patterns: NamePatterns,
}

/// The variables of a node, or what they follow from. An environment can have data files of thousands of machines, and a user
/// looks at a few of them.
#[derive(Debug, Clone)]
enum Contents {
    Read(Variables),
    OnDemand(OfName, OnceLock<Variables>),
}

#[derive(Debug, Clone)]
struct Variables {
    /// Top-scope variables by name, without `::`.
    top_scope: Hash,
    /// The known variables of a node without a fact set, by [`variable::name_of`].
    known: IndexMap<Arc<str>, KnownVariable>,
}

/// What a node follows from of which nothing but the name and what holds for all nodes is known.
#[derive(Debug, Clone)]
struct OfName {
    /// What holds for all such nodes.
    set: Arc<NodeParts>,
    /// The variable whose value the name is, in addition to those that every certname proves.
    named_by: Option<Arc<str>>,
}

/// A class that a node gets from an external node classifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifiedClass {
    /// In lower case, without a leading `::`.
    pub name: Arc<str>,
    /// The parameters that the classifier sets.
    pub given: Box<[Box<str>]>,
}

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
    /// It is not known. The name is the canonical one: [`variable::name_of`].
    Open(Arc<str>),
}

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
    /// Members of `$server_facts`; `serverversion`, `servername` and `environment` are added.
    pub server_facts: Option<Hash>,
    /// Extra top-scope variables (ENC parameters, `site.pp`); they win over facts.
    pub variables: Hash,
    /// The classes from a classifier; `None` if there is no classifier output.
    pub classes: Option<Vec<ClassifiedClass>>,
}

impl Node {
    /// Combines the parts as Puppet's compiler does.
    pub fn new(parts: NodeParts, origin: Origin) -> Self {
        let contents = Variables { top_scope: top_scope_of(&parts), known: IndexMap::new() };
        Self::of_parts(parts, contents, origin)
    }

    /// A node of which only `set`, what follows from it, and `proved` are known. `name` is its certname or, if `origin` says
    /// that it is not a single machine, a name for users.
    pub fn partial(set: NodeParts, proved: &[(Arc<str>, Value, Basis)], origin: Origin) -> Self {
        let mut parts = set;
        let known = known_of(&mut parts, proved);
        let top_scope = if origin == Origin::Any {
            // The users' name for such nodes is not a certname.
            top_scope_of(&NodeParts { name: String::new(), ..parts.clone() })
        } else {
            top_scope_of(&parts)
        };
        Self::of_parts(parts, Variables { top_scope, known }, origin)
    }

    fn of_parts(parts: NodeParts, contents: Variables, origin: Origin) -> Self {
        Self {
            name: parts.name.into(),
            environment: parts.environment.map(Arc::from),
            origin,
            contents: Contents::Read(contents),
            classes: parts.classes.unwrap_or_default().into(),
            patterns: NamePatterns::default(),
        }
    }

    /// A node of which only `set`, its certname and what follows from that are known. `named_by` is the variable whose value
    /// the name is, if something besides the certname is named after the node. Its variables are computed when one is read.
    pub fn of_name(
        name: Arc<str>,
        set: &Arc<NodeParts>,
        named_by: Option<Arc<str>>,
        patterns: &NamePatterns,
    ) -> Self {
        let of_name = OfName { set: Arc::clone(set), named_by };
        if !patterns.is_empty() {
            // A pattern can extract the environment, which the node must know.
            return of_name.node(&name, patterns).with_patterns(patterns.clone());
        }
        Self {
            name,
            environment: set.environment.as_deref().map(Arc::from),
            origin: Origin::Name,
            contents: Contents::OnDemand(of_name, OnceLock::new()),
            classes: set.classes.clone().unwrap_or_default().into(),
            patterns: patterns.clone(),
        }
    }

    fn contents(&self) -> &Variables {
        match &self.contents {
            Contents::Read(variables) => variables,
            Contents::OnDemand(of_name, variables) => {
                variables.get_or_init(|| of_name.variables(&self.name, &self.patterns))
            }
        }
    }

    fn with_contents(&self, contents: Variables) -> Self {
        Self {
            name: Arc::clone(&self.name),
            environment: self.environment.clone(),
            origin: self.origin.clone(),
            contents: Contents::Read(contents),
            classes: Arc::clone(&self.classes),
            patterns: self.patterns.clone(),
        }
    }

    /// The same node in another environment, which is the value of `$environment` and `$server_facts['environment']`,
    /// whatever the node, its facts or its node parameters say.
    #[must_use]
    pub fn in_environment(self: &Arc<Self>, environment: &str) -> Arc<Self> {
        if self.environment.as_deref() == Some(environment) {
            return self.clone();
        }
        let mut contents = self.contents().clone();
        let name = Value::string(environment);
        if let Some(server_facts) = self.variable("server_facts").and_then(|it| it.value.as_hash())
        {
            let mut server_facts = server_facts.clone();
            server_facts.insert(own_name("environment"), None, name.clone().into());
            let server_facts = Value::hash(server_facts).into();
            contents.top_scope.insert(own_name("server_facts"), None, server_facts);
        }
        if !self.is_complete() {
            let known = KnownVariable { value: name.clone(), basis: Basis::Set };
            contents.known.insert("environment".into(), known);
        }
        contents.top_scope.insert(own_name("environment"), None, name.into());
        let environment = Some(Arc::from(environment));
        Arc::new(Self { environment, ..self.with_contents(contents) })
    }

    /// The top-scope variable `name` (without a leading `::`), or `None` if it is not defined.
    pub fn variable(&self, name: &str) -> Option<&Located> {
        self.variables().get(name).map(|member| &member.value)
    }

    /// Whether the text of a variable may contain lookups. Hiera interpolates the values of variables again.
    pub fn holds_lookups(&self) -> bool {
        self.variables().iter().any(|(_, member)| member.value.value.has_tokens())
            || self.known().values().any(|known| known.value.has_tokens())
    }

    /// All top-scope variables in order.
    pub fn variables(&self) -> &Hash {
        &self.contents().top_scope
    }

    /// The classes from an external node classifier.
    pub fn classes(&self) -> &[ClassifiedClass] {
        &self.classes
    }

    /// Whether a missing variable is known to be unset.
    pub fn is_complete(&self) -> bool {
        matches!(self.origin, Origin::File(_))
    }

    /// The known variables of a node without a fact set, by [`variable::name_of`].
    pub fn known(&self) -> &IndexMap<Arc<str>, KnownVariable> {
        &self.contents().known
    }

    /// The same node with more known variables. `Err` is the name of a variable that is already known, or of one of a
    /// complete node.
    pub fn with(&self, set: &[(Arc<str>, Value)]) -> Result<Self, Arc<str>> {
        let mut node = self.clone();
        for (name, value) in set {
            let path = key_path::parse(name).map_err(|_| Arc::clone(name))?;
            if !matches!(node.read(&path), Reading::Open(_)) {
                return Err(Arc::clone(name));
            }
            let known = KnownVariable { value: value.clone(), basis: Basis::Set };
            let mut contents = node.contents().clone();
            contents.known.insert(Arc::clone(name), known);
            let mut parts = NodeParts::default();
            parts.set(name, value);
            for (key, member) in parts.facts.iter().chain(&parts.variables) {
                contents.top_scope.insert(key.clone(), None, member.value.clone());
            }
            node.contents = Contents::Read(contents);
        }
        Ok(node)
    }

    /// The same node with these patterns for names of nodes.
    #[must_use]
    pub fn with_patterns(self, patterns: NamePatterns) -> Self {
        Self { patterns, ..self }
    }

    /// The patterns that extract variables from names of nodes.
    pub fn patterns(&self) -> &NamePatterns {
        &self.patterns
    }

    /// The state of the variable, and of its members, that `path` reads. For a complete node, only variables that the server
    /// sets are open.
    pub fn read(&self, path: &KeyPath) -> Reading {
        let Some(root) = path.root_name() else { return Reading::Unset };
        let root = root.strip_prefix("::").unwrap_or(root);
        let found = self.variable(root).cloned();
        let is_all = self.is_complete() && (found.is_some() || !is_set_by_server(root));
        if is_all || is_always_known(root) {
            return found.map_or(Reading::Unset, |it| Reading::Known(it, path.rest.clone()));
        }
        let Some(name) = variable::name_of(path) else { return Reading::Unset };
        let all_known = self.known();
        if let Some(known) = all_known.get(&name) {
            return Reading::Known(known.value.clone().unplaced(), Vec::new());
        }
        for holder in variable::holders(&name) {
            // A fact is known by its name alone, and only its members have `facts.` in front: `facts.os.family` is a member of `os`.
            let of_fact = holder.strip_prefix("facts.").filter(|fact| !fact.contains('.'));
            let known = all_known.get(holder).or_else(|| all_known.get(of_fact?));
            let Some(known) = known else { continue };
            let Ok(below) = key_path::parse(&name[holder.len() + 1..]) else { continue };
            let rest = std::iter::once(below.root).chain(below.rest).collect();
            return Reading::Known(known.value.clone().unplaced(), rest);
        }
        Reading::Open(name)
    }
}

impl OfName {
    fn node(&self, name: &Arc<str>, patterns: &NamePatterns) -> Node {
        let (parts, proved) = self.parts(name, patterns);
        Node::partial(parts, &proved, Origin::Name)
    }

    fn variables(&self, name: &Arc<str>, patterns: &NamePatterns) -> Variables {
        let (mut parts, proved) = self.parts(name, patterns);
        let known = known_of(&mut parts, &proved);
        Variables { top_scope: top_scope_of(&parts), known }
    }

    /// The parts of the node of this name, and what its name proves.
    fn parts(
        &self,
        name: &Arc<str>,
        patterns: &NamePatterns,
    ) -> (NodeParts, Vec<(Arc<str>, Value, Basis)>) {
        let parts = NodeParts { name: name.to_string(), ..NodeParts::clone(&self.set) };
        let mut proved = proved_by_name(name, patterns);
        if let Some(variable) = &self.named_by {
            // The data file belongs to this machine, because it is named after it.
            proved.push((Arc::clone(variable), Value::String(Arc::clone(name)), Basis::Proved));
        }
        (parts, proved)
    }
}

impl NodeParts {
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

/// The top-scope variables of a node: node parameters, then facts, then server facts, where the first value of a name wins;
/// and over them the variables that only Puppet may set.
fn top_scope_of(parts: &NodeParts) -> Hash {
    let facts = facts_are_sanitized(&parts.facts);
    let server_facts = server_facts_of(parts);
    let mut variables = Hash::with_capacity(facts.len() + parts.variables.len() + 9);
    for source in [&parts.variables, &facts, &server_facts] {
        add_missing(&mut variables, source);
    }
    for name in RESERVED_NAMES.into_iter().chain(["environment"]) {
        variables.remove(&own_name(name));
    }
    let trusted = trusted_of(&parts.name, parts.trusted.clone());
    let mut set = |name: &'static str, value: Value| {
        variables.insert(own_name(name), None, value.into());
    };
    if let Some(environment) = &parts.environment {
        set("environment", Value::string(environment.as_str()));
    }
    set("trusted", Value::hash(trusted));
    set("server_facts", Value::hash(server_facts));
    set("facts", Value::hash(facts));
    // `puppet lookup` evaluates in the scope of the class `main`.
    set("name", own_name("main"));
    set("title", own_name("main"));
    variables.shrink_to_fit();
    variables
}

/// The known variables of a node of which only `parts` and `proved` are known; `proved` is added to the parts.
fn known_of(
    parts: &mut NodeParts,
    proved: &[(Arc<str>, Value, Basis)],
) -> IndexMap<Arc<str>, KnownVariable> {
    let mut known = IndexMap::new();
    flatten(&mut known, "", &parts.facts);
    for (name, member) in &parts.variables {
        let Some(name) = name.as_str().and_then(variable::name_of_text) else { continue };
        let value = member.value.value.clone();
        known.insert(name, KnownVariable { value, basis: Basis::Set });
    }
    for (prefix, members) in [("trusted", &parts.trusted), ("server_facts", &parts.server_facts)] {
        if let Some(members) = members {
            flatten(&mut known, prefix, members);
        }
    }
    for (name, value, basis) in proved {
        // What the settings say of a node wins over what its name proves.
        if !known.contains_key(name) {
            parts.set(name, value);
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

/// One of the names that many nodes have, as a value that they share.
fn own_name(name: &'static str) -> Value {
    static NAMES: LazyLock<[Arc<str>; 17]> = LazyLock::new(|| {
        [
            "environment",
            "trusted",
            "server_facts",
            "facts",
            "name",
            "title",
            "main",
            "remote",
            "authenticated",
            "certname",
            "extensions",
            "hostname",
            "domain",
            "external",
            "serverversion",
            "servername",
            "fqdn",
        ]
        .map(Arc::from)
    });
    let known = NAMES.iter().find(|it| ***it == *name);
    Value::String(known.map_or_else(|| name.into(), Arc::clone))
}

/// Whether a variable (without a leading `::`) is one of the server's own settings. Every compilation has them, `puppet
/// lookup` without `--compile` does not, and no fact set contains them.
pub fn is_set_by_server(root: &str) -> bool {
    root.starts_with("settings::")
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
        let path =
            if prefix.is_empty() { segment.to_owned() } else { format!("{prefix}.{segment}") };
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

/// Before it uses facts, Puppet converts everything that is not a string, number, boolean, list or hash to text, including
/// keys: `null` becomes the empty string.
fn facts_are_sanitized(facts: &Hash) -> Hash {
    let mut sanitized = Hash::with_capacity(facts.len());
    for (key, member) in facts {
        sanitized.insert(sanitized_fact(key), member.key_place, sanitized_member(&member.value));
    }
    sanitized
}

fn sanitized_member(fact: &Located) -> Located {
    Located::new(sanitized_fact(&fact.value), fact.place)
}

fn sanitized_fact(value: &Value) -> Value {
    match value {
        Value::Undef => Value::string(""),
        Value::Default => Value::string("default"),
        Value::Symbol(text) => Value::String(text.clone()),
        Value::Object(object) => Value::String(object.text.clone()),
        Value::Array(items) if !items.iter().all(|it| is_plain(&it.value)) => {
            Value::array(items.iter().map(sanitized_member).collect())
        }
        Value::Hash(hash) if !is_plain(value) => Value::hash(facts_are_sanitized(hash)),
        _ => value.clone(),
    }
}

/// Whether sanitizing changes nothing. This is nearly always true, and the value is then shared.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Undef | Value::Default | Value::Symbol(_) | Value::Object(_) => false,
        Value::Array(items) => items.iter().all(|it| is_plain(&it.value)),
        Value::Hash(hash) => {
            hash.iter().all(|(key, member)| is_plain(key) && is_plain(&member.value.value))
        }
        _ => true,
    }
}

/// `$trusted`: what is known, and for the rest what Puppet derives from a certificate without extensions.
fn trusted_of(name: &str, known: Option<Hash>) -> Hash {
    let mut trusted = known.unwrap_or_default();
    let certname = trusted.get("certname").and_then(|it| it.value.value.as_str());
    let certname = certname.unwrap_or(name).to_owned();
    let (hostname, domain) = match certname.split_once('.') {
        Some((hostname, domain)) => (hostname, Value::string(domain)),
        None => (certname.as_str(), Value::Undef),
    };
    let defaults = [
        ("authenticated", own_name("remote")),
        ("certname", Value::string(certname.as_str())),
        ("extensions", Value::Hash(Hash::none())),
        ("hostname", Value::string(hostname)),
        ("domain", domain),
        ("external", Value::Hash(Hash::none())),
    ];
    for (key, value) in defaults {
        add_if_missing(&mut trusted, key, value);
    }
    trusted
}

/// `$server_facts`: the server is assumed to be the node itself unless the parts say otherwise.
fn server_facts_of(parts: &NodeParts) -> Hash {
    let mut server_facts = parts.server_facts.clone().unwrap_or_default();
    let version = PuppetVersion::default().usual_server_version();
    add_if_missing(&mut server_facts, "serverversion", Value::string(version));
    add_if_missing(&mut server_facts, "servername", Value::string(parts.name.as_str()));
    if let Some(environment) = &parts.environment {
        let environment = Value::string(environment.as_str()).into();
        server_facts.insert(own_name("environment"), None, environment);
    }
    server_facts
}

fn add_missing(variables: &mut Hash, source: &Hash) {
    for (key, member) in source {
        if variables.get_value(key).is_none() {
            variables.insert(key.clone(), member.key_place, member.value.clone());
        }
    }
}

fn add_if_missing(hash: &mut Hash, key: &'static str, value: Value) {
    if hash.get(key).is_none() {
        hash.insert(own_name(key), None, value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::formats::test_support::{hash, show};

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
        check(
            &node,
            "server_facts",
            r#"{"serverversion":"8.11.0","servername":"web.ex.com","environment":"production"}"#,
        );
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
            ("title", r#""main""#),
        ] {
            assert_eq!(read(&node, name), expected, "{name}");
        }
    }

    #[test]
    fn nothing_is_open_of_a_node_with_facts() {
        let node = example();
        assert_eq!(read(&node, "role"), r#""web""#);
        assert_eq!(read(&node, "nope"), "unset");
    }

    #[test]
    fn another_environment() {
        let node = Arc::new(example()).in_environment("test");
        check(&node, "environment", r#""test""#);
        check(
            &node,
            "server_facts",
            r#"{"serverversion":"8.11.0","servername":"web.ex.com","environment":"test"}"#,
        );
        assert_eq!(node.environment.as_deref(), Some("test"));
        assert!(Arc::ptr_eq(&node.in_environment("test"), &node));
    }

    #[test]
    fn no_environment_until_one_is_given() {
        let node = node(NodeParts { name: "web".into(), ..NodeParts::default() });
        check(&node, "environment", "undefined");
        check(&node, "server_facts", r#"{"serverversion":"8.11.0","servername":"web"}"#);
        check(&Arc::new(node).in_environment("test"), "environment", r#""test""#);
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
