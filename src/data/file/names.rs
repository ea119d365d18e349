//! The strings of a file that could be names with `::`, such as those of classes.

use std::sync::Arc;

use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextRange;

/// A string and its place.
pub type QualifiedName = (TextRange, Arc<str>);

/// The strings in `value` that could be names with `::`, in the order of the source. Ranges are those of the nodes.
pub fn qualified_names(value: &Node) -> impl Iterator<Item = QualifiedName> {
    let mut waiting = vec![value];
    std::iter::from_fn(move || {
        while let Some(node) = waiting.pop() {
            match &node.kind {
                NodeKind::Scalar { text, .. } if is_qualified_name(text) => {
                    return Some((node.range, Arc::clone(text)));
                }
                NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
                NodeKind::Mapping(pairs) => waiting.extend(pairs.iter().rev().map(|it| &it.value)),
                NodeKind::Scalar { .. } | NodeKind::Alias(_) => {}
            }
        }
        None
    })
}

fn is_qualified_name(text: &str) -> bool {
    text.contains("::") && text.bytes().all(|it| it.is_ascii_alphanumeric() || b"_:".contains(&it))
}
