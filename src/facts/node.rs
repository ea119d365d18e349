//! A sample node: everything about a machine that a lookup can depend on.

use std::sync::Arc;

use crate::data::{Hash, Located, Value};

/// `$serverversion` where nothing else is known.
pub const DEFAULT_SERVER_VERSION: &str = "8.11.0";

/// Variables that Puppet sets itself: a fact or node parameter of this name stops every compilation.
const RESERVED_NAMES: [&str; 5] = ["facts", "trusted", "server_facts", "name", "title"];

/// A node = facts + trusted + server_facts + environment + extra variables, flattened to top-scope variables.
#[derive(Debug, Clone)]
pub struct Node {
    /// What users call it; its certname where one is known.
    pub name: Arc<str>,
    /// The environment it says it belongs to.
    pub environment: Option<Arc<str>>,
    /// Where its facts come from.
    pub origin: Origin,
    /// Top-scope variables by name, without `::`.
    variables: Hash,
}

/// Where a sample node comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Read from a file (its path).
    File(Arc<str>),
    /// Made up from the hierarchy's path templates and the files that exist: unknown variables mean nothing.
    Inferred,
}

/// The parts that make a node. All hashes have string keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeParts {
    /// The certname.
    pub name: String,
    /// The environment, if known.
    pub environment: Option<String>,
    /// Facts: each becomes a variable and a member of `$facts`.
    pub facts: Hash,
    /// Members of `$trusted`; what is missing of `{authenticated: remote, certname: name, extensions: {}, hostname,
    /// domain, external: {}}` is added.
    pub trusted: Option<Hash>,
    /// Members of `$server_facts`; `serverversion`, `servername` and `environment` are added.
    pub server_facts: Option<Hash>,
    /// Extra top-scope variables (ENC parameters, `site.pp`); they win over facts.
    pub variables: Hash,
}

impl Node {
    /// Puts the parts together as Puppet's compiler does: node parameters, then facts, then server facts, the first of
    /// a name wins; and over them what no one else may set.
    pub fn new(parts: NodeParts, origin: Origin) -> Self {
        let facts = facts_are_sanitized(&parts.facts);
        let server_facts = server_facts_of(&parts);
        let mut variables = Hash::with_capacity(facts.len() + parts.variables.len() + 12);
        for source in [&parts.variables, &facts, &server_facts] {
            add_missing(&mut variables, source);
        }
        for name in RESERVED_NAMES.into_iter().chain(["environment"]) {
            variables.remove(&Value::string(name));
        }
        let trusted = trusted_of(&parts.name, parts.trusted);
        let mut set = |name: &str, value: Value| {
            variables.insert(Value::string(name), None, value.into());
        };
        if let Some(environment) = &parts.environment {
            set("environment", Value::string(environment.as_str()));
        }
        set("trusted", Value::hash(trusted));
        set("server_facts", Value::hash(server_facts));
        set("facts", Value::hash(facts));
        set("name", Value::string("main"));
        set("title", Value::string("main"));
        Self {
            name: parts.name.into(),
            environment: parts.environment.map(Arc::from),
            origin,
            variables,
        }
    }

    /// The same node in another environment: `$environment` and `$server_facts['environment']` are its name, whatever
    /// the node, its facts or its node parameters say.
    #[must_use]
    pub fn in_environment(&self, environment: &str) -> Self {
        let mut node = self.clone();
        if self.environment.as_deref() == Some(environment) {
            return node;
        }
        let name = Value::string(environment);
        if let Some(server_facts) = node.variable("server_facts").and_then(|it| it.value.as_hash())
        {
            let mut server_facts = server_facts.clone();
            server_facts.insert(Value::string("environment"), None, name.clone().into());
            let server_facts = Value::hash(server_facts).into();
            node.variables.insert(Value::string("server_facts"), None, server_facts);
        }
        node.variables.insert(Value::string("environment"), None, name.into());
        node.environment = Some(Arc::from(environment));
        node
    }

    /// The top-scope variable `name` (without a leading `::`), or `None` if nothing defines it.
    pub fn variable(&self, name: &str) -> Option<&Located> {
        self.variables.get(name).map(|member| &member.value)
    }

    /// All top-scope variables in order.
    pub fn variables(&self) -> &Hash {
        &self.variables
    }

    /// Whether a variable that is not there is known not to be there.
    pub fn is_complete(&self) -> bool {
        self.origin != Origin::Inferred
    }
}

/// Puppet turns whatever is no string, number, boolean, list or hash into text before it uses facts: `null` becomes
/// the empty string, keys included.
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
        Value::Symbol(text) | Value::Object { text, .. } => Value::String(text.clone()),
        Value::Array(items) if !items.iter().all(|it| is_plain(&it.value)) => {
            Value::array(items.iter().map(sanitized_member).collect())
        }
        Value::Hash(hash) if !is_plain(value) => Value::hash(facts_are_sanitized(hash)),
        _ => value.clone(),
    }
}

/// Whether sanitizing changes nothing: nearly always, and then the value is shared.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Undef | Value::Default | Value::Symbol(_) | Value::Object { .. } => false,
        Value::Array(items) => items.iter().all(|it| is_plain(&it.value)),
        Value::Hash(hash) => {
            hash.iter().all(|(key, member)| is_plain(key) && is_plain(&member.value.value))
        }
        _ => true,
    }
}

/// `$trusted`: what is known, and for the rest what Puppet makes of a certificate without extensions.
fn trusted_of(name: &str, known: Option<Hash>) -> Hash {
    let mut trusted = known.unwrap_or_default();
    let certname = trusted.get("certname").and_then(|it| it.value.value.as_str());
    let certname = certname.unwrap_or(name).to_owned();
    let (hostname, domain) = match certname.split_once('.') {
        Some((hostname, domain)) => (hostname, Value::string(domain)),
        None => (certname.as_str(), Value::Undef),
    };
    let defaults = [
        ("authenticated", Value::string("remote")),
        ("certname", Value::string(certname.as_str())),
        ("extensions", Value::hash(Hash::new())),
        ("hostname", Value::string(hostname)),
        ("domain", domain),
        ("external", Value::hash(Hash::new())),
    ];
    for (key, value) in defaults {
        add_if_missing(&mut trusted, key, value);
    }
    trusted
}

/// `$server_facts`: the server is taken to be the node itself unless the parts say otherwise.
fn server_facts_of(parts: &NodeParts) -> Hash {
    let mut server_facts = parts.server_facts.clone().unwrap_or_default();
    add_if_missing(&mut server_facts, "serverversion", Value::string(DEFAULT_SERVER_VERSION));
    add_if_missing(&mut server_facts, "servername", Value::string(parts.name.as_str()));
    if let Some(environment) = &parts.environment {
        let environment = Value::string(environment.as_str()).into();
        server_facts.insert(Value::string("environment"), None, environment);
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

fn add_if_missing(hash: &mut Hash, key: &str, value: Value) {
    if hash.get(key).is_none() {
        hash.insert(Value::string(key), None, value.into());
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

    #[test]
    fn another_environment() {
        let node = example().in_environment("test");
        check(&node, "environment", r#""test""#);
        check(
            &node,
            "server_facts",
            r#"{"serverversion":"8.11.0","servername":"web.ex.com","environment":"test"}"#,
        );
        assert_eq!(node.environment.as_deref(), Some("test"));
    }

    #[test]
    fn no_environment_until_one_is_given() {
        let node = node(NodeParts { name: "web".into(), ..NodeParts::default() });
        check(&node, "environment", "undefined");
        check(&node, "server_facts", r#"{"serverversion":"8.11.0","servername":"web"}"#);
        check(&node.in_environment("test"), "environment", r#""test""#);
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
