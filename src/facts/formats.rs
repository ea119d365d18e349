//! Reads fact sets from Facter, Puppet, PuppetDB, Foreman, onceover, facterdb or a node classifier.
//!
//! The structure of the content determines the format, not the name of the file. The caller chooses the files.

mod document;
mod foreman;
mod shapes;
#[cfg(test)]
pub(crate) mod test_support;
#[cfg(test)]
mod tests;

pub(crate) use self::document::{hash_without_places, read_yaml, without_places};
use super::{ClassifiedClass, GivenValue, NodeParts};
use crate::data::{Hash, Value};
use crate::text::TextRange;

/// Why a file, or a part of it, does not describe a node.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FactsProblem {
    /// What is wrong, and what was expected.
    pub message: String,
    /// The position in the file.
    pub range: TextRange,
}

/// The nodes that the file at `path` with `text` describes, in source order, and the problems.
///
/// The name of a node is the certname in the format; or else `trusted.certname`, or one of the facts `clientcert`, `fqdn` and
/// `networking.fqdn`; or else the file's name without extension. A node from a facterdb file (`.facts`) always has the file's
/// name, because all these files contain the facts of the same host.
pub fn read(path: &str, text: &str) -> (Vec<NodeParts>, Vec<FactsProblem>) {
    match document::parse(path, text) {
        Ok(content) => shapes::nodes_of(path, text, &content.value),
        Err(problem) => (Vec::new(), vec![problem]),
    }
}

/// Merges the parts of `top` over those of `base`, member by member; the name stays.
pub fn lay_over(base: &mut NodeParts, top: &NodeParts) {
    lay_members_over(&mut base.facts, &top.facts);
    lay_members_over(&mut base.variables, &top.variables);
    lay_trusted_over(&mut base.trusted, top.trusted.as_ref());
    if let Some(over) = &top.server_facts {
        lay_members_over(base.server_facts.get_or_insert_default(), over);
    }
    if let Some(over) = &top.classes {
        let classes = base.classes.get_or_insert_default();
        classes.retain(|it| over.iter().all(|other| other.name != it.name));
        classes.extend(over.iter().cloned());
    }
    if top.environment.is_some() {
        base.environment.clone_from(&top.environment);
    }
}

/// Merges another file's parts of the same node over `base`, if one of the two is a fact set and the other the output of a
/// classifier. Otherwise, nothing changes and the result is false.
pub fn lay_beside(base: &mut NodeParts, other: &NodeParts) -> bool {
    let fits = base.classes.is_some() != other.classes.is_some();
    if fits {
        lay_over(base, other);
    }
    fits
}

/// Merges `top` over `base`, member by member.
fn lay_members_over(base: &mut Hash, top: &Hash) {
    for (key, member) in top {
        base.insert(key.clone(), member.key_place, member.value.clone());
    }
}

/// Merges trusted data over other trusted data; the members of `extensions` and `external` are merged individually.
fn lay_trusted_over(base: &mut Option<Hash>, top: Option<&Hash>) {
    let Some(top) = top else { return };
    let base = base.get_or_insert_default();
    for (key, member) in top {
        let under = base.get_value(key).and_then(|it| it.value.value.as_hash());
        let joins = matches!(key.as_str(), Some("extensions" | "external"));
        let value = match (under, member.value.value.as_hash()) {
            (Some(under), Some(over)) if joins => {
                let mut joined = under.clone();
                lay_members_over(&mut joined, over);
                Value::hash(joined).into()
            }
            _ => member.value.clone(),
        };
        base.insert(key.clone(), member.key_place, value);
    }
}

/// The file's name without directories and without the last extension.
pub(crate) fn file_stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// The file's extension in lower case, without the dot.
fn extension(path: &str) -> String {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_lowercase())
}
