//! Turns the content of a file into nodes: detects the format, and finds the facts, names and trusted data in it.

use std::sync::Arc;

use indexmap::IndexMap;

use super::{
    ClassifiedClass, FactsProblem, GivenValue, NodeParts, document, extension, file_stem, foreman,
    hash_without_places,
};
use crate::data::{Hash, Located, Place, Value, inspect};
use crate::text::TextRange;

/// Reports a problem, and the key that it is about.
type Note<'a> = &'a mut dyn FnMut(String, Option<&str>);

/// All nodes in `content`, the content of the file at `path`.
pub(super) fn nodes_of(
    path: &str,
    text: &str,
    content: &Value,
) -> (Vec<NodeParts>, Vec<FactsProblem>) {
    let file: Arc<str> = path.into();
    let mut problems = Vec::new();
    let mut note = |message: String, key: Option<&str>| problems.push(at_key(message, text, key));
    let mut nodes = match content {
        Value::Hash(members) => nodes_of_hash(members, &file, &mut note),
        Value::Array(items) if items.is_empty() => {
            note("The list is empty: it describes no node.".to_owned(), None);
            Vec::new()
        }
        Value::Array(items) => nodes_of_list(items, &file, &mut note),
        _ => {
            note("Facts must be a map from name to value, or a list of nodes.".to_owned(), None);
            Vec::new()
        }
    };
    for node in &mut nodes {
        node.facts = hash_without_places(&node.facts);
        if extension(path) == "facts" {
            file_stem(path).clone_into(&mut node.name);
        } else if node.name.is_empty() {
            node.name = name_within(node).unwrap_or_else(|| file_stem(path).to_owned());
        }
    }
    (nodes, problems)
}

/// A problem at the first place where `key` is written, or else at the first line.
fn at_key(message: String, text: &str, key: Option<&str>) -> FactsProblem {
    match key.and_then(|key| Some((key, text.find(key)?))) {
        Some((key, start)) => {
            let range = TextRange::new(start as u32, (start + key.len()) as u32);
            FactsProblem { message, range }
        }
        None => document::problem(message, 0, text),
    }
}

fn nodes_of_hash(members: &Hash, file: &Arc<str>, note: Note<'_>) -> Vec<NodeParts> {
    // Foreman's response has one object per host under `results`, keyed by the host's name.
    if let (Some(results), Some(_)) = (hash_at(members, "results"), members.get("total")) {
        return results
            .iter()
            .filter_map(|(host, facts)| {
                let facts = foreman::unflatten(facts.value.value.as_hash()?);
                Some(NodeParts { name: text_of(host)?, facts, ..NodeParts::default() })
            })
            .collect();
    }
    node_of_hash(members, file, note).into_iter().collect()
}

fn nodes_of_list(items: &[Located], file: &Arc<str>, note: Note<'_>) -> Vec<NodeParts> {
    let rows: Vec<&Hash> = items.iter().filter_map(|item| item.value.as_hash()).collect();
    if rows.len() < items.len() {
        let odd = items.len() - rows.len();
        note(
            format!("{odd} of {} items do not describe a node: they are not maps.", items.len()),
            None,
        );
    }
    for [certname, fact, value] in [["certname", "name", "value"], ["Host", "Fact", "Value"]] {
        let is_row = |row: &&Hash| row.get(fact).is_some() && row.get(value).is_some();
        if !rows.is_empty() && rows.iter().all(is_row) {
            return nodes_of_rows(&rows, certname, fact, value);
        }
    }
    rows.into_iter().filter_map(|row| node_of_hash(row, file, note)).collect()
}

/// One row per fact, as in PuppetDB's `/facts` and Foreman's lists; all rows without a host belong to one node.
fn nodes_of_rows(rows: &[&Hash], certname: &str, fact: &str, value: &str) -> Vec<NodeParts> {
    let mut nodes: IndexMap<String, NodeParts> = IndexMap::new();
    for row in rows {
        let name = text_at(row, certname).unwrap_or_default();
        let node = nodes.entry(name.clone()).or_insert_with(|| NodeParts {
            name,
            environment: text_at(row, "environment"),
            ..NodeParts::default()
        });
        if let (Some(fact), Some(value)) = (text_at(row, fact), row.get(value)) {
            node.facts.insert(Value::string(fact), None, value.value.clone());
        }
    }
    for node in nodes.values_mut() {
        node.facts = structured(&node.facts);
        node.trusted = trusted_among(&mut node.facts);
    }
    nodes.into_values().collect()
}

/// The node in one object of any format.
fn node_of_hash(members: &Hash, file: &Arc<str>, note: Note<'_>) -> Option<NodeParts> {
    if let Some(values) = hash_at(members, "values") {
        return Some(wrapped(members, values, file));
    }
    if let Some(facts) = hash_at(members, "facts").filter(|_| is_envelope(members)) {
        // The fact sets of PuppetDB have their facts as rows in `data`, with an `href` beside it.
        let rows = facts.get("data").filter(|_| facts.get("href").is_some());
        return Some(match rows.and_then(|data| data.value.value.as_array()) {
            Some(rows) => wrapped(members, &facts_of_rows(rows), file),
            None => wrapped(members, facts, file),
        });
    }
    if is_classifier_output(members) {
        return Some(NodeParts {
            name: text_at(members, "name").unwrap_or_default(),
            environment: text_at(members, "environment"),
            variables: hash_at(members, "parameters").map(text_keys).unwrap_or_default(),
            classes: Some(classes_at(members, file)),
            ..NodeParts::default()
        });
    }
    if let Some((message, key)) = why_no_facts(members) {
        note(message, key);
        return None;
    }
    let mut facts = structured(members);
    let trusted = trusted_among(&mut facts);
    Some(NodeParts { facts, trusted, ..NodeParts::default() })
}

/// Facts inside an object that also names their node: `puppet facts find`, onceover, Puppet Server's cache, PuppetDB.
fn wrapped(envelope: &Hash, facts: &Hash, file: &Arc<str>) -> NodeParts {
    let mut facts = structured(facts);
    // In YAML, Puppet stores the time of the facts among them. It takes it out when it reads the file.
    facts.remove(&Value::string("_timestamp"));
    let inside = trusted_among(&mut facts);
    let outside = hash_at(envelope, "trusted").map(|trusted| {
        if is_whole_trusted_data(trusted) {
            return trusted.clone();
        }
        // onceover's short form: the members are those of `extensions`, and win over those of the long form.
        let mut whole = inside.clone().unwrap_or_default();
        whole.insert(Value::string("extensions"), None, Value::hash(trusted.clone()).into());
        whole
    });
    NodeParts {
        name: text_at(envelope, "certname")
            .or_else(|| text_at(envelope, "name"))
            .unwrap_or_default(),
        environment: text_at(envelope, "environment"),
        trusted: outside.or(inside),
        server_facts: hash_at(envelope, "server_facts").cloned(),
        variables: hash_at(envelope, "variables").map(text_keys).unwrap_or_default(),
        classes: envelope.get("classes").map(|_| classes_at(envelope, file)),
        facts,
    }
}

/// The classes from a classifier: a list of names, or a hash from names to parameters.
fn classes_at(members: &Hash, file: &Arc<str>) -> Vec<ClassifiedClass> {
    let range_of = |place: Option<Place>| place.map_or(TextRange::empty(0), |it| it.range);
    let new = |name: &str, given: Vec<GivenValue>, place: Option<Place>| {
        let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
        let place = (Arc::clone(file), range_of(place));
        let (name, given) = (name.into(), given.into());
        let class = ClassifiedClass { name, given, place };
        (!class.name.is_empty()).then_some(class)
    };
    match members.get("classes").map(|it| &it.value.value) {
        Some(Value::Array(names)) => {
            let of_name = |it: &Located| new(it.value.as_str()?, Vec::new(), it.place);
            names.iter().filter_map(of_name).collect()
        }
        Some(Value::Hash(classes)) => {
            let of_class = classes.iter().filter_map(|(name, class)| {
                let parameters = class.value.value.as_hash().into_iter().flatten();
                // `undef` counts as no value: Puppet then uses data or the default.
                let given = parameters.filter(|(_, it)| it.value.value != Value::Undef);
                let given = given.filter_map(|(name, it)| {
                    let (name, value) = (name.as_str()?.into(), it.value.value.clone());
                    Some(GivenValue { name, value, range: range_of(it.key_place) })
                });
                new(name.as_str()?, given.collect(), class.key_place)
            });
            of_class.collect()
        }
        _ => Vec::new(),
    }
}

/// Removes `trusted` from the facts if PuppetDB put it there: real trusted data is not a fact.
fn trusted_among(facts: &mut Hash) -> Option<Hash> {
    let trusted = hash_at(facts, "trusted").filter(|it| is_whole_trusted_data(it))?.clone();
    facts.remove(&Value::string("trusted"));
    Some(trusted)
}

fn is_whole_trusted_data(trusted: &Hash) -> bool {
    trusted.get("authenticated").is_some()
        || ["extensions", "external"].iter().any(|it| hash_at(trusted, it).is_some())
}

/// Whether the object with `facts` is more than a fact set that happens to contain a fact of this name.
fn is_envelope(members: &Hash) -> bool {
    const BESIDE: [&str; 6] =
        ["certname", "name", "trusted", "environment", "server_facts", "variables"];
    members.len() == 1 || BESIDE.iter().any(|key| members.get(key).is_some())
}

/// The output of an external node classifier: `classes`, `parameters`, `environment`, and nothing that a machine would
/// report.
fn is_classifier_output(members: &Hash) -> bool {
    const KEYS: [&str; 4] = ["classes", "parameters", "environment", "name"];
    (members.get("classes").is_some() || members.get("parameters").is_some())
        && members.iter().all(|(key, _)| key.as_str().is_some_and(|it| KEYS.contains(&it)))
}

/// Any map could be facts, but some maps are recognizably something else.
fn why_no_facts(members: &Hash) -> Option<(String, Option<&str>)> {
    if members.is_empty() {
        return Some(("The map is empty: it holds no facts.".to_owned(), None));
    }
    if let Some((key, _)) = members.iter().find(|(key, _)| text_of(key).is_none()) {
        let key = inspect::inspect(key);
        return Some((format!("This is not a fact set: {key} is not the name of a fact."), None));
    }
    let mut keys = members.iter().filter_map(|(key, _)| key.as_str());
    if foreman::is_flattened(members) {
        return None;
    }
    let key = keys.find(|key| key.contains("::") || *key == "lookup_options")?;
    Some((format!("This is not a fact set: `{key}` looks like a Hiera key."), Some(key)))
}

fn facts_of_rows(rows: &[Located]) -> Hash {
    let mut facts = Hash::with_capacity(rows.len());
    for row in rows.iter().filter_map(|row| row.value.as_hash()) {
        if let (Some(name), Some(value)) = (text_at(row, "name"), row.get("value")) {
            facts.insert(Value::string(name), None, value.value.clone());
        }
    }
    facts
}

/// The facts with strings as names, and structured again if Foreman flattened them.
fn structured(facts: &Hash) -> Hash {
    if foreman::is_flattened(facts) { foreman::unflatten(facts) } else { text_keys(facts) }
}

fn text_keys(hash: &Hash) -> Hash {
    let mut named = Hash::with_capacity(hash.len());
    for (key, member) in hash {
        if let Some(name) = text_of(key) {
            named.insert(Value::string(name), member.key_place, member.value.clone());
        }
    }
    named
}

/// The node's name in its trusted data or facts.
fn name_within(node: &NodeParts) -> Option<String> {
    let trusted = node.trusted.as_ref().and_then(|it| text_at(it, "certname"));
    let fqdn = || hash_at(&node.facts, "networking").and_then(|it| text_at(it, "fqdn"));
    trusted
        .or_else(|| text_at(&node.facts, "clientcert"))
        .or_else(|| text_at(&node.facts, "fqdn"))
        .or_else(fqdn)
}

fn hash_at<'a>(hash: &'a Hash, key: &str) -> Option<&'a Hash> {
    hash.get(key)?.value.value.as_hash()
}

fn text_at(hash: &Hash, key: &str) -> Option<String> {
    hash.get(key)?.value.value.as_str().filter(|it| !it.is_empty()).map(str::to_owned)
}

/// A key as text; in old caches of Ruby, names are symbols.
fn text_of(key: &Value) -> Option<String> {
    match key {
        Value::String(text) | Value::Symbol(text) | Value::BigInteger(text) => {
            Some(text.to_string())
        }
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}
