//! Records that contain values, as Ruby hashes with symbol keys: in YAML, with anchors for objects that occur twice.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::emitter::{Emitter, Node, Wide};
use super::{json, yaml};
use crate::data::value::Value;

/// A tree of records with values as leaves.
#[derive(Debug)]
pub enum Tree<'a> {
    /// Named parts in order; the names are symbols.
    Record(Vec<(&'static str, Tree<'a>)>),
    /// A list.
    List(Vec<Tree<'a>>),
    /// A symbol.
    Symbol(&'a str),
    /// A string.
    Text(String),
    /// A value. Two lists or hashes are the same object if they share memory.
    Value(&'a Value),
}

/// The tree as one line of JSON; symbols become strings.
pub fn tree_to_json(tree: &Tree<'_>) -> String {
    let mut out = String::new();
    write_json(tree, &mut out);
    out
}

/// The tree as a YAML document; repeated objects become aliases.
pub fn tree_to_yaml(tree: &Tree<'_>) -> String {
    let mut repeated = Repeated::default();
    repeated.find_in(tree);
    let mut nodes = Nodes { numbers: repeated.numbers, done: HashSet::new() };
    Emitter::document(&nodes.of_tree(tree), Wide::Escaped)
}

fn write_json(tree: &Tree<'_>, out: &mut String) {
    match tree {
        Tree::Record(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                json::write_json_text(name, out);
                out.push(':');
                write_json(member, out);
            }
            out.push('}');
        }
        Tree::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_json(item, out);
            }
            out.push(']');
        }
        Tree::Symbol(name) => json::write_json_text(name, out),
        Tree::Text(text) => json::write_json_text(text, out),
        Tree::Value(value) => json::write_json(value, out),
    }
}

/// Identifies an object.
type Identity = usize;

fn identity(value: &Value) -> Option<Identity> {
    match value {
        Value::Array(items) => Some(Arc::as_ptr(items) as Identity),
        Value::Hash(hash) => Some(Arc::as_ptr(hash) as Identity),
        _ => None,
    }
}

/// The objects that occur more than once in a tree, numbered in the order of their second occurrence.
#[derive(Default)]
struct Repeated {
    seen: HashSet<Identity>,
    numbers: HashMap<Identity, usize>,
}

impl Repeated {
    fn find_in(&mut self, tree: &Tree<'_>) {
        match tree {
            Tree::Record(members) => members.iter().for_each(|(_, member)| self.find_in(member)),
            Tree::List(items) => items.iter().for_each(|item| self.find_in(item)),
            Tree::Symbol(_) | Tree::Text(_) => {}
            Tree::Value(value) => self.find_in_value(value),
        }
    }

    fn find_in_value(&mut self, value: &Value) {
        let Some(identity) = identity(value) else { return };
        if !self.seen.insert(identity) {
            let next = self.numbers.len() + 1;
            self.numbers.entry(identity).or_insert(next);
            return;
        }
        match value {
            Value::Array(items) => items.iter().for_each(|it| self.find_in_value(&it.value)),
            Value::Hash(hash) => hash.iter().for_each(|(key, member)| {
                self.find_in_value(key);
                self.find_in_value(&member.value.value);
            }),
            _ => {}
        }
    }
}

struct Nodes {
    numbers: HashMap<Identity, usize>,
    /// The repeated objects that have been written.
    done: HashSet<Identity>,
}

impl Nodes {
    fn of_tree(&mut self, tree: &Tree<'_>) -> Node {
        match tree {
            Tree::Record(members) => {
                let member =
                    |(name, member): &(&str, Tree<'_>)| (yaml::symbol(name), self.of_tree(member));
                Node::Mapping { tag: None, members: members.iter().map(member).collect() }
            }
            Tree::List(items) => Node::Sequence(items.iter().map(|it| self.of_tree(it)).collect()),
            Tree::Symbol(name) => yaml::symbol(name),
            Tree::Text(text) => yaml::string(text),
            Tree::Value(value) => self.of_value(value),
        }
    }

    fn of_value(&mut self, value: &Value) -> Node {
        let number = identity(value).and_then(|it| Some((it, *self.numbers.get(&it)?)));
        let Some((identity, number)) = number else { return self.of_members(value) };
        if !self.done.insert(identity) {
            return Node::Alias(number);
        }
        Node::Anchored(number, Box::new(self.of_members(value)))
    }

    fn of_members(&mut self, value: &Value) -> Node {
        match value {
            Value::Array(items) => {
                Node::Sequence(items.iter().map(|it| self.of_value(&it.value)).collect())
            }
            Value::Hash(hash) => Node::Mapping {
                tag: None,
                members: hash
                    .iter()
                    .map(|(key, member)| (self.of_value(key), self.of_value(&member.value.value)))
                    .collect(),
            },
            scalar => yaml::node(scalar),
        }
    }
}
