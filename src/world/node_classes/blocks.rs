//! Which node block of the main manifest is a node's.

use std::sync::Arc;

use super::MainManifest;
use crate::code::CodeFile;
use crate::facts::{Node, Origin};
use crate::syntax::puppet::{Declaration, DeclarationKind};
use crate::syntax::ruby_regex;

/// Which node block is a node's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeBlock {
    /// There is none.
    None,
    /// The declaration of this number in the main manifest of this number.
    At(usize, usize),
    /// It cannot be told.
    Unknown,
}

/// The node block that Puppet takes for a node: the exact name, then the first regular expression, then
/// `default`.
pub(super) fn node_block_of(manifests: &[MainManifest], node: &Node) -> NodeBlock {
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

/// What a node block matches, as it is written.
pub fn hosts<'a>(file: &'a CodeFile, node: &'a Declaration) -> impl Iterator<Item = &'a str> {
    node.hosts.iter().map(|it| file.slice(*it))
}

/// The name that a host is, if it is one.
pub fn host_name(host: &str) -> Option<String> {
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
