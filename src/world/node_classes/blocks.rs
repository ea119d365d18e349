//! Finds a node's block in the main manifest.

use std::sync::Arc;

use super::MainManifest;
use crate::code::CodeFile;
use crate::facts::{Node, Origin};
use crate::syntax::puppet::{Declaration, DeclarationKind};
use crate::syntax::ruby_regex;

/// The node block of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NodeBlock {
    /// There is none.
    None,
    /// The declaration with the second index, in the main manifest with the first index.
    At(usize, usize),
    /// It is not known.
    Unknown,
}

/// The node block that Puppet chooses for a node: the exact name, then the first matching regular expression, then `default`.
pub(in crate::world) fn node_block_of(manifests: &[MainManifest], node: &Node) -> NodeBlock {
    let blocks = || {
        manifests.iter().enumerate().flat_map(|(number, manifest)| {
            let declarations = manifest.file.manifest.declarations.iter().enumerate();
            let nodes = declarations.filter(|(_, it)| it.kind == DeclarationKind::Node);
            nodes.map(move |(index, it)| (NodeBlock::At(number, index), &manifest.file, it))
        })
    };
    let is_default = |(_, file, it): &(NodeBlock, &Arc<CodeFile>, &Declaration)| {
        hosts(file, it).any(|host| host == "default")
    };
    let name = match node.origin {
        // Any node may match any block. Only if there is nothing but `default`, all nodes have the same one.
        Origin::Any => {
            let mut others = blocks().filter(|it| !is_default(it));
            let default = blocks().find(is_default);
            return match (others.next(), default) {
                (None, default) => default.map_or(NodeBlock::None, |it| it.0),
                (Some(_), _) => NodeBlock::Unknown,
            };
        }
        Origin::Name | Origin::File(_) => node.name.to_lowercase(),
    };
    let exact = blocks().find(|(_, file, it)| hosts(file, it).any(|host| is_name(host, &name)));
    let by_regex = || blocks().find(|(_, file, it)| hosts(file, it).any(|it| is_match(it, &name)));
    let found = exact.or_else(by_regex).or_else(|| blocks().find(is_default));
    found.map_or(NodeBlock::None, |it| it.0)
}

/// The hosts of a node block, as written.
pub fn hosts<'a>(file: &'a CodeFile, node: &'a Declaration) -> impl Iterator<Item = &'a str> {
    node.hosts.iter().map(|it| file.slice(*it))
}

/// The name in a host, if it is a name.
pub fn host_name(host: &str) -> Option<String> {
    // Puppet compares the names of nodes without regard to case.
    let quoted = host.strip_prefix(['\'', '"']).and_then(|it| it.strip_suffix(['\'', '"']));
    match quoted {
        Some(name) => Some(name.to_lowercase()),
        None => (host != "default" && !host.starts_with(['/', '@'])).then(|| host.to_lowercase()),
    }
}

fn is_name(host: &str, name: &str) -> bool {
    host_name(host).is_some_and(|it| it == name)
}

fn is_match(host: &str, name: &str) -> bool {
    let source = host.strip_prefix('/').and_then(|it| it.strip_suffix('/'));
    let regex = source.and_then(|it| ruby_regex::translate(it).ok());
    regex.is_some_and(|it| it.is_match(name))
}
