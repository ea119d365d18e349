//! The variables of Puppet's top scope, as its compiler combines them from the parts of a node.

use std::sync::{Arc, LazyLock};

use super::NodeParts;
use crate::config::PuppetVersion;
use crate::data::{Hash, Located, Value};
use crate::facts::name_pattern::parts_of_certname;

/// Variables that Puppet sets itself: a fact or node parameter of this name makes every compilation fail.
pub(super) const RESERVED_NAMES: [&str; 5] = ["facts", "trusted", "server_facts", "name", "title"];

/// The top-scope variables of a node: node parameters, then facts, then server facts, where the first value of a name wins;
/// and over them the variables that only Puppet may set.
pub(super) fn top_scope_of(parts: &NodeParts) -> Hash {
    let facts = facts_are_sanitized(&parts.facts);
    let server_facts = server_facts_of(parts);
    let mut variables = Hash::with_capacity(facts.len() + parts.variables.len() + 9);
    for source in [&parts.variables, &facts, &server_facts] {
        add_missing(&mut variables, source);
    }
    for name in RESERVED_NAMES.into_iter().chain(["environment"]) {
        variables.remove(&common_text(name));
    }
    let trusted = trusted_of(&parts.name, parts.trusted.clone());
    let mut set = |name: &'static str, value: Value| {
        variables.insert(common_text(name), None, value.into());
    };
    if let Some(environment) = &parts.environment {
        set("environment", Value::string(environment.as_str()));
    }
    set("trusted", Value::hash(trusted));
    set("server_facts", Value::hash(server_facts));
    set("facts", Value::hash(facts));
    // `puppet lookup` evaluates in the scope of the class `main`.
    set("name", common_text("main"));
    set("title", common_text("main"));
    variables.shrink_to_fit();
    variables
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
    let (hostname, domain) = parts_of_certname(&certname);
    let domain = domain.map_or(Value::Undef, Value::string);
    let defaults = [
        ("authenticated", common_text("remote")),
        ("certname", Value::string(certname.as_str())),
        ("extensions", Value::Hash(Hash::shared_empty())),
        ("hostname", Value::string(hostname)),
        ("domain", domain),
        ("external", Value::Hash(Hash::shared_empty())),
    ];
    for (key, value) in defaults {
        add_if_missing(&mut trusted, key, value);
    }
    trusted
}

/// `$server_facts`: which server compiles the catalog is not known unless the parts say it.
fn server_facts_of(parts: &NodeParts) -> Hash {
    let mut server_facts = parts.server_facts.clone().unwrap_or_default();
    let version = PuppetVersion::default().usual_server_version();
    add_if_missing(&mut server_facts, "serverversion", Value::string(version));
    if let Some(environment) = &parts.environment {
        let environment = Value::string(environment.as_str()).into();
        server_facts.insert(common_text("environment"), None, environment);
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

pub(super) fn add_if_missing(hash: &mut Hash, key: &'static str, value: Value) {
    if hash.get(key).is_none() {
        hash.insert(common_text(key), None, value.into());
    }
}

/// A text that all nodes have, with one allocation for all of them.
pub(super) fn common_text(text: &'static str) -> Value {
    static TEXTS: LazyLock<[Arc<str>; 15]> = LazyLock::new(|| {
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
        ]
        .map(Arc::from)
    });
    let known = TEXTS.iter().find(|it| ***it == *text);
    Value::String(known.map_or_else(|| text.into(), Arc::clone))
}
