//! Definitions that Puppet refuses because of an earlier one in files that it reads together: classes, defined types and node blocks.

use std::collections::HashMap;

use super::blocks::{host_name, hosts};
use crate::code::CodeFile;
use crate::code::summary::known_as;
use crate::syntax::puppet::DeclarationKind;
use crate::text::TextRange;

/// A definition that Puppet refuses because of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redefinition {
    /// What is defined again.
    pub kind: DeclarationKind,
    /// Its name, as Puppet knows it.
    pub name: String,
    /// The file, by its number, and the range of the name.
    pub at: (usize, TextRange),
    /// The same of the earlier definition.
    pub first: (usize, TextRange),
    /// Puppet's message, without places.
    pub message: String,
}

/// A definition.
struct Definition {
    kind: DeclarationKind,
    name: String,
    at: (usize, TextRange),
}

/// The definitions that Puppet refuses if it reads these files in this order. A file that it refuses anyway defines nothing.
pub fn redefinitions<'f>(files: impl IntoIterator<Item = &'f CodeFile>) -> Vec<Redefinition> {
    let mut known: HashMap<String, Vec<Definition>> = HashMap::new();
    let mut found = Vec::new();
    for (number, file) in files.into_iter().enumerate() {
        for definition in definitions(number, file) {
            let Definition { kind, name, at } = definition;
            let earlier = known.entry(name.clone()).or_default();
            let refusing =
                earlier.iter().find_map(|it| Some((it.at, refusal(it.kind, kind, &name)?)));
            match refusing {
                Some((first, message)) => {
                    found.push(Redefinition { kind, name, at, first, message });
                }
                None => earlier.push(Definition { kind, name, at }),
            }
        }
    }
    found
}

/// Puppet's message for a definition if there is another one of this name; `None` if there may be both.
pub fn refusal(earlier: DeclarationKind, kind: DeclarationKind, name: &str) -> Option<String> {
    use DeclarationKind::{Class, Define, Node};
    Some(match (earlier, kind) {
        (Class, Class) => format!("Class '{name}' is already defined"),
        (Class, Define) => format!("'{name}' is already defined as a class"),
        (Class, Node) => {
            format!("Class '{name}' is already defined; cannot be redefined as a node")
        }
        (Define, Class) => {
            format!("Definition '{name}' is already defined; cannot be redefined as a class")
        }
        (Define, Define) => {
            format!("Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/{name}'")
        }
        (Node, Node) => format!("Node '{name}' is already defined"),
        (Node, Class) => {
            format!("Node '{name}' is already defined; cannot be redefined as a class")
        }
        _ => return None,
    })
}

/// The classes, defined types and node blocks of a file, in source order.
fn definitions(number: usize, file: &CodeFile) -> Vec<Definition> {
    let mut found = Vec::new();
    if !file.manifest.errors.is_empty() {
        return found;
    }
    for declaration in &file.manifest.declarations {
        let kind = declaration.kind;
        match (kind, &declaration.name) {
            (DeclarationKind::Node, _) => {
                let names = hosts(file, declaration).map(name_of_host);
                let places = declaration.hosts.iter().map(|range| (number, *range));
                found.extend(names.zip(places).map(|(name, at)| Definition { kind, name, at }));
            }
            (DeclarationKind::Class | DeclarationKind::Define, Some(name)) => {
                let name = known_as(kind, name).to_string();
                found.push(Definition { kind, name, at: (number, declaration.name_range) });
            }
            _ => {}
        }
    }
    found
}

/// The name by which Puppet knows a node block. It makes one of a regular expression, and different expressions can have the same.
fn name_of_host(host: &str) -> String {
    if let Some(source) = host.strip_prefix('/').and_then(|it| it.strip_suffix('/')) {
        let is_kept = |it: &char| it.is_ascii_alphanumeric() || "_-:.".contains(*it);
        let kept: String = source.to_lowercase().chars().filter(is_kept).collect();
        return format!("__node_regexp__{}", kept.trim_start_matches('.'));
    }
    host_name(host).unwrap_or_else(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Puppet 7.23 and 8.11.
    #[test]
    fn what_puppet_refuses() {
        let check = |files: &[&str], expected: &[&str]| {
            let files: Vec<_> = files.iter().map(|it| CodeFile::of_text("/m.pp", *it)).collect();
            let found = redefinitions(&files);
            let messages: Vec<_> = found.iter().map(|it| it.message.as_str()).collect();
            assert_eq!(messages, expected);
        };
        check(&["node default { } node default { }"], &["Node 'default' is already defined"]);
        check(&["node 'default' { } node default { }"], &["Node 'default' is already defined"]);
        check(&["node 'web01' { }", "node \"WEB01\" { }"], &["Node 'web01' is already defined"]);
        check(
            &["node a.b, c { } node c, 'a.b' { }"],
            &["Node 'c' is already defined", "Node 'a.b' is already defined"],
        );
        check(&["node a, a { }"], &["Node 'a' is already defined"]);
        check(
            &["node /^Web\\d+/ { } node /webd$/ { }"],
            &["Node '__node_regexp__webd' is already defined"],
        );
        check(&["node /a.b/ { } node 'a.b' { } node /a/ { } node a { } node default { }"], &[]);
        check(&["class a { } define a() { }"], &["'a' is already defined as a class"]);
        check(
            &["define a() { } class a { }"],
            &["Definition 'a' is already defined; cannot be redefined as a class"],
        );
        check(
            &["define a() { } define a() { }"],
            &["Attempt to redefine entity 'http://puppet.com/2016.1/runtime/type/a'"],
        );
        check(
            &["node a { }", "class a { }"],
            &["Node 'a' is already defined; cannot be redefined as a class"],
        );
        check(
            &["class a { } node a { }"],
            &["Class 'a' is already defined; cannot be redefined as a node"],
        );
        check(&["node a { } define a() { }"], &[]);
        check(&["class a { class b { } } class a::b { }"], &["Class 'a::b' is already defined"]);
        check(&["class a { }", "class a { } class {"], &[]);
    }
}
