//! Comments that an action or a fix takes away with a value: how many there are, and what the title says of them.

use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextRange;

/// The number of comments from the start of a YAML value to `end`, beside its scalars. `source` is the text to which the
/// ranges refer.
pub(super) fn count(source: &str, value: &Node, end: u32) -> usize {
    let mut scalars = Vec::new();
    let mut waiting = vec![value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items),
            NodeKind::Mapping(pairs) => {
                waiting.extend(pairs.iter().flat_map(|pair| [&pair.key, &pair.value]));
            }
            NodeKind::Scalar { .. } | NodeKind::Alias(_) => scalars.push(node.range),
        }
    }
    scalars.sort_unstable_by_key(|range| range.start);
    let mut at = value.range.start;
    let mut count = 0;
    for scalar in scalars {
        count += between(source, at, scalar.start);
        at = scalar.end.max(at);
    }
    count + between(source, at, end)
}

/// The number of comments in a part of a text that contains no scalars.
pub(super) fn between(source: &str, start: u32, end: u32) -> usize {
    if start >= end {
        return 0;
    }
    let is_comment = |line: &&str| {
        line.trim_start().starts_with('#') || line.contains(" #") || line.contains("\t#")
    };
    TextRange::new(start, end).slice(source).lines().filter(is_comment).count()
}

/// The number of comments that are removed with a pair, up to `end`: beside its key, within its value, and after it.
pub(super) fn of_pair(source: &str, key: &Node, value: &Node, end: u32) -> usize {
    let start = value.range.start.max(key.range.end);
    between(source, key.range.end, start) + count(source, value, end)
}

/// The title of an action that takes this number of comments away.
pub(super) fn title(title: String, removed: usize) -> String {
    match removed {
        0 => title,
        1 => format!("{title}: removes a comment"),
        count => format!("{title}: removes {count} comments"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml;

    #[track_caller]
    fn check(text: &str, expected: usize) {
        let root = yaml::parse(text).root.expect("a value");
        assert_eq!(count(text, &root, text.len() as u32), expected, "{text}");
    }

    #[test]
    fn comments_are_beside_scalars() {
        check("- a # one\n# two\n- b: '# x'\n  c: x#y\n  # three\n", 3);
        check("- |\n  # x\n- [a, # one\n  b]\n", 1);
        check("a\n", 0);
    }
}
