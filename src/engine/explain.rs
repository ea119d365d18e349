//! The trace as text, JSON and YAML, byte for byte as `puppet lookup --explain` prints it.

mod structure;

use std::fmt::Write as _;

use super::cases::depends_in_words;
use super::dig::segment_text;
use super::trace::{FoundIn, Outcome, TraceKind, TraceNode};
use crate::data::{Located, Value, inspect, render};

/// Adds words of our own to Puppet's text.
pub trait Annotate {
    /// The text after a value, such as its file and line: after the first line of a found value, and after each scalar of a
    /// merged one. Empty for Puppet's own text.
    fn origin(&self, value: &Located) -> String;
}

/// Puppet's own text and nothing else.
#[derive(Debug, Clone, Copy)]
pub struct Plain;

impl Annotate for Plain {
    fn origin(&self, _value: &Located) -> String {
        String::new()
    }
}

/// Prints a trace as Puppet's explainer does, indented by two spaces for each level.
pub fn to_text(trace: &TraceNode, annotate: &dyn Annotate) -> String {
    let mut text = Text { out: String::new(), annotate };
    text.node(trace, "");
    text.out
}

/// The trace in one line of JSON.
pub fn to_json(trace: &TraceNode) -> String {
    render::tree_to_json(&structure::of_explanation(trace))
}

/// The trace as YAML with Ruby's symbols, and with aliases where Puppet reports the same object twice.
pub fn to_yaml(trace: &TraceNode) -> String {
    render::tree_to_yaml(&structure::of_explanation(trace))
}

struct Text<'a> {
    out: String,
    annotate: &'a dyn Annotate,
}

impl Text<'_> {
    fn line(&mut self, indent: &str, line: &str) {
        self.out.push_str(indent);
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn branches(&mut self, node: &TraceNode, indent: &str) {
        for branch in &node.branches {
            self.node(branch, indent);
        }
    }

    fn node(&mut self, node: &TraceNode, indent: &str) {
        let inner = format!("{indent}  ");
        match &node.kind {
            TraceKind::Explanation => {
                self.branches(node, indent);
                self.texts(node, indent);
            }
            TraceKind::Search { key, .. } => {
                self.line(indent, &format!("Searching for \"{key}\""));
                self.branches(node, &inner);
            }
            TraceKind::InvalidKey(key) => self.line(indent, &format!("Invalid key \"{key}\"")),
            TraceKind::MergeSource => {
                self.line(indent, "Using merge options from \"lookup_options\" hash");
            }
            TraceKind::Module(name) => self.module(node, name, indent),
            TraceKind::Layer { title, config, .. } => {
                self.line(indent, title);
                if let Some(config) = config {
                    self.line(&inner, &format!("Using configuration \"{config}\""));
                }
                self.branches(node, &inner);
                self.outcome(node, &inner);
            }
            TraceKind::Level { title: name, .. } | TraceKind::Scope(name) => {
                self.line(indent, name);
                self.branches(node, &inner);
                self.outcome(node, &inner);
            }
            TraceKind::Location { is_uri, original, location } => {
                let (kind, kind_lower) = if *is_uri { ("URI", "uri") } else { ("Path", "path") };
                self.line(indent, &format!("{kind} \"{location}\""));
                self.line(&inner, &format!("Original {kind_lower}: \"{original}\""));
                self.branches(node, &inner);
                match &node.outcome {
                    Some(Outcome::LocationNotFound) => {
                        self.line(&inner, &format!("{kind} not found"));
                    }
                    Some(Outcome::LocationNotKnown { variables, files }) => {
                        let depends = depends_in_words(variables, *files);
                        self.line(&inner, &format!("{kind} not known: {depends}"));
                    }
                    _ => {}
                }
                self.outcome(node, &inner);
            }
            TraceKind::Merge { strategy, options } => {
                self.merge(node, strategy, options.as_ref(), indent);
            }
            TraceKind::Interpolation(text) => {
                self.line(indent, &format!("Interpolation on \"{text}\""));
                self.branches(node, &inner);
            }
            TraceKind::SubKey(segments) => {
                let segments: Vec<_> = segments.iter().map(segment_text).collect();
                self.line(indent, &format!("Sub key: \"{}\"", segments.join(".")));
                self.branches(node, &inner);
                self.outcome(node, &inner);
            }
            TraceKind::Segment(_) => self.outcome(node, indent),
        }
    }

    fn module(&mut self, node: &TraceNode, name: &str, indent: &str) {
        match node.outcome {
            Some(Outcome::ModuleNotFound) => {
                self.line(indent, &format!("Module \"{name}\" not found"));
            }
            Some(Outcome::ModuleProviderNotFound) => {
                let text = format!("Module data provider for module \"{name}\" not found");
                self.line(indent, &text);
            }
            _ => {}
        }
    }

    /// A merge with one branch is shown as that branch.
    fn merge(&mut self, node: &TraceNode, strategy: &str, options: Option<&Value>, indent: &str) {
        if let [] | [_] = node.branches.as_slice() {
            self.branches(node, indent);
            return;
        }
        let inner = format!("{indent}  ");
        self.line(indent, &format!("Merge strategy {strategy}"));
        if let Some(options) = options {
            self.out.push_str(&inner);
            self.out.push_str("Options: ");
            self.value(options, &inner);
            self.out.push('\n');
        }
        self.branches(node, &inner);
        if let Some(Outcome::Result(value)) = &node.outcome {
            self.out.push_str(&inner);
            self.out.push_str("Merged result: ");
            self.merged_value(value, &inner);
            self.out.push('\n');
        }
    }

    fn outcome(&mut self, node: &TraceNode, indent: &str) {
        match &node.outcome {
            Some(Outcome::NotFound { key }) => {
                self.line(indent, &format!("No such key: \"{key}\""));
            }
            Some(Outcome::Found { key, value, source }) => {
                let _ = write!(self.out, "{indent}Found key: \"{key}\" value: ");
                let start = self.out.len();
                self.value(&value.value, indent);
                self.out.push_str(match source {
                    FoundIn::Data => "",
                    FoundIn::Overrides => " in overrides",
                    FoundIn::Defaults => " in defaults",
                });
                self.out.push('\n');
                let first_line = self.out[start..].find('\n').map_or(start, |at| start + at);
                self.out.insert_str(first_line, &self.annotate.origin(value));
            }
            Some(Outcome::Opaque { function, reason }) => {
                self.line(indent, &format!("Unknown: back end \"{function}\" {reason}"));
            }
            _ => {}
        }
        self.texts(node, indent);
    }

    fn texts(&mut self, node: &TraceNode, indent: &str) {
        for text in &node.texts {
            self.line(indent, text);
        }
    }

    fn value(&mut self, value: &Value, indent: &str) {
        self.nested(value, indent, false);
    }

    /// A value whose scalars each show their origin.
    fn merged_value(&mut self, value: &Located, indent: &str) {
        self.nested(&value.value, indent, true);
        self.leaf_origin(value);
    }

    fn nested(&mut self, value: &Value, indent: &str, with_origins: bool) {
        let inner = format!("{indent}  ");
        match value {
            Value::Hash(hash) => {
                self.out.push('{');
                for (at, (key, member)) in hash.iter().enumerate() {
                    self.out.push_str(if at == 0 { "\n" } else { "" });
                    self.out.push_str(&inner);
                    self.value(key, &inner);
                    self.out.push_str(" => ");
                    self.item(&member.value, &inner, at + 1 == hash.len(), with_origins);
                }
                self.close(hash.is_empty(), indent, '}');
            }
            Value::Array(items) => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    self.out.push_str(if at == 0 { "\n" } else { "" });
                    self.out.push_str(&inner);
                    self.item(item, &inner, at + 1 == items.len(), with_origins);
                }
                self.close(items.is_empty(), indent, ']');
            }
            scalar => self.out.push_str(&inspect::inspect(scalar)),
        }
    }

    fn item(&mut self, item: &Located, indent: &str, is_last: bool, with_origins: bool) {
        self.nested(&item.value, indent, with_origins);
        self.out.push_str(if is_last { "" } else { "," });
        if with_origins {
            self.leaf_origin(item);
        }
        self.out.push('\n');
    }

    fn leaf_origin(&mut self, value: &Located) {
        let has_members = match &value.value {
            Value::Hash(hash) => !hash.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        };
        if !has_members {
            self.out.push_str(&self.annotate.origin(value));
        }
    }

    fn close(&mut self, is_empty: bool, indent: &str, bracket: char) {
        if !is_empty {
            self.out.push_str(indent);
        }
        self.out.push(bracket);
    }
}
