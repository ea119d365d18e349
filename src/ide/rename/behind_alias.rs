//! Lookups that read a renamed sub key through another key, whose value is an alias of a hash that contains it. They keep the
//! old name, because the other key may have another value for some nodes: a message lists them.

use std::sync::Arc;

use super::renaming::{key_segment, segments};
use super::{Work, listed};
use crate::config::Environment;
use crate::ide::references::files_that_may_ask_for;
use crate::ide::strings::{StringNode, interpolated_strings};
use crate::syntax::interpolation::{Expression, Method};
use crate::syntax::key_path::Segment;
use crate::syntax::tree::{Node, NodeKind};

/// The maximum number of names by which a sub key is searched for, and of segments in each. An alias that contains itself has
/// no end.
const MAX_NAMES: usize = 64;
const MAX_SEGMENTS: usize = 32;

impl Work<'_> {
    /// Warns of lookups that find the renamed sub key through aliases.
    pub(super) fn warn_of_reads_behind_aliases(&mut self, environment: &Arc<Environment>) {
        let renamed = &self.renaming.path;
        let Some(Segment::Name(member)) = renamed.last().filter(|_| renamed.len() > 1) else {
            return;
        };
        let mut names = vec![renamed.clone()];
        let mut places = Vec::new();
        let mut searched = 0;
        while let Some(name) = names.get(searched).cloned() {
            if self.cancel.is_cancelled() {
                return;
            }
            // The lookups of the name itself are edited.
            if searched > 0 {
                places.extend(self.lookups_of(environment, &name));
            }
            for other in self.names_behind_aliases(environment, &name) {
                let is_short = names.len() < MAX_NAMES && other.len() <= MAX_SEGMENTS;
                if is_short && !names.contains(&other) && !other.starts_with(renamed) {
                    names.push(other);
                }
            }
            searched += 1;
        }
        places.sort_unstable();
        places.dedup();
        if !places.is_empty() {
            self.warnings.insert(format!(
                "`{member}` is also looked up through aliases of `{}` in {}: the old name stays there.",
                self.renaming.root(),
                listed(&places)
            ));
        }
    }

    /// The other names that a sub key has because some values are aliases of a hash that contains it.
    fn names_behind_aliases(
        &self,
        environment: &Environment,
        name: &[Segment],
    ) -> Vec<Vec<Segment>> {
        let mut names = Vec::new();
        let Some(Segment::Name(root)) = name.first() else { return names };
        for (file, format) in files_that_may_ask_for(self.world, environment, root) {
            for entry in file.data(format).trees() {
                let Some(key) = key_segment(entry.key) else { continue };
                let mut add = |path: &[Segment], node: &Node| {
                    let Some(aliased) = aliased(entry.text, node) else { return };
                    if !aliased.is_empty()
                        && aliased.len() < name.len()
                        && name.starts_with(&aliased)
                    {
                        names.push([path, &name[aliased.len()..]].concat());
                    }
                };
                each_scalar(entry.value, &mut vec![key], &mut add);
            }
        }
        names
    }

    /// The places in data and code that look up a name or something in it.
    fn lookups_of(&self, environment: &Arc<Environment>, name: &[Segment]) -> Vec<String> {
        let mut places = Vec::new();
        let Some(Segment::Name(root)) = name.first() else { return places };
        for (file, format) in files_that_may_ask_for(self.world, environment, root) {
            for entry in file.data(format).trees() {
                for string in interpolated_strings(entry.text, entry.value) {
                    let mut keys = string.tokens.iter().filter_map(|token| token.lookup_key());
                    if keys.any(|(key, _)| segments(key).starts_with(name)) {
                        let at = string.node.range.shifted(entry.start);
                        places.push(self.shown(environment, &file.path, at));
                    }
                }
            }
        }
        for (path, summary) in self.world.code_index(environment).files() {
            if !summary.keys.iter().any(|it| it.name == *root) {
                continue;
            }
            let Some(file) = self.world.code_file(path) else { continue };
            let lookups = file.manifest.calls.iter().filter(|it| it.is_lookup());
            let keys = lookups.flat_map(|it| &it.names);
            let found = keys.filter(|it| segments(&it.text).starts_with(name));
            places.extend(found.map(|it| self.shown(environment, path, it.range)));
        }
        places
    }
}

/// The key whose value a scalar has, with its type.
fn aliased(text: &str, node: &Node) -> Option<Vec<Segment>> {
    let string = StringNode::of(text, node)?;
    string.tokens.iter().find_map(|token| match &token.expression {
        Expression::Call { method: Method::Alias, argument, .. } => Some(segments(argument)),
        _ => None,
    })
}

/// Calls `visit` for each scalar of a value with the path by which lookups find it.
fn each_scalar(node: &Node, path: &mut Vec<Segment>, visit: &mut dyn FnMut(&[Segment], &Node)) {
    match &node.kind {
        NodeKind::Scalar { .. } => visit(path, node),
        NodeKind::Alias(_) => {}
        NodeKind::Sequence(items) => {
            for (number, item) in (0..).zip(items) {
                path.push(Segment::Index(number));
                each_scalar(item, path, visit);
                path.pop();
            }
        }
        NodeKind::Mapping(pairs) => {
            for pair in pairs {
                let Some(segment) = key_segment(&pair.key) else { continue };
                path.push(segment);
                each_scalar(&pair.value, path, visit);
                path.pop();
            }
        }
    }
}
