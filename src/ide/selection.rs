//! Selection ranges: from a segment of a name in `%{…}` to the whole file.

use std::sync::Arc;

use super::context;
use super::file_role::FileRole;
use crate::data::EntryTree;
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::TextRange;
use crate::world::World;

/// The ranges around `offset` (bytes) of the file at `path`, the innermost first; each is inside the next one.
pub fn selections(world: &Arc<World>, path: &str, offset: u32) -> Vec<TextRange> {
    let Some(role) = FileRole::of(world, path) else { return Vec::new() };
    let Ok(file) = world.file(path) else { return Vec::new() };
    let mut ranges = vec![TextRange::new(0, file.text.len() as u32)];
    if let Some(entry) = file.data(role.format()).entry_at(offset) {
        add_entry(entry, offset, &mut ranges);
    }
    // In LSP, each range must be inside of the next one. An equal range would be a step that selects nothing new.
    let mut nested: Vec<TextRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        let is_inside =
            nested.last().is_none_or(|outer| outer.contains_range(range) && *outer != range);
        if is_inside && range.touches(offset) {
            nested.push(range);
        }
    }
    nested.reverse();
    nested
}

fn add_entry(entry: EntryTree<'_>, offset: u32, ranges: &mut Vec<TextRange>) {
    ranges.push(entry.range());
    let Some(at) = offset.checked_sub(entry.start) else { return };
    let node = if entry.key.range.touches(at) { entry.key } else { entry.value };
    let mut inner = Vec::new();
    add_node(entry.text, node, at, &mut inner);
    ranges.extend(inner.into_iter().map(|range| range.shifted(entry.start)));
    let token = context::data_spot(entry, offset).and_then(|spot| spot.token);
    if let Some(token) = token {
        ranges.push(token.range);
        ranges.extend(token.segment.map(|(_, range)| range));
    }
}

/// Adds the node and its parts, outermost first; ranges are relative to the entry.
fn add_node(source: &str, node: &Node, at: u32, ranges: &mut Vec<TextRange>) {
    if !node.range.touches(at) {
        return;
    }
    ranges.push(node.range);
    match &node.kind {
        NodeKind::Scalar {
            style: ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, ..
        } => {
            let written = node.range.slice(source);
            if written.len() >= 2 && written.ends_with(['\'', '"']) {
                ranges.push(TextRange::new(node.range.start + 1, node.range.end - 1));
            }
        }
        NodeKind::Scalar { .. } | NodeKind::Alias(_) => {}
        NodeKind::Sequence(items) => {
            for item in items {
                add_node(source, item, at, ranges);
            }
        }
        NodeKind::Mapping(pairs) => {
            for pair in pairs {
                let end = pair.value.range.end.max(pair.key.range.end);
                let whole = TextRange::new(pair.key.range.start, end);
                if whole.touches(at) {
                    ranges.push(whole);
                    let part = if pair.key.range.touches(at) { &pair.key } else { &pair.value };
                    add_node(source, part, at, ranges);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let fixture = Fixture::parse(text);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let found = selections(&fixture.world(), &file.world_path(), offset);
        let texts: Vec<_> = found.iter().map(|range| range.slice(&file.text)).collect();
        assert_eq!(texts, expected);
    }

    #[test]
    fn from_the_segment_to_the_file() {
        let text = "a: {b: [x, \"1 %{lookup('c.d')} 2\"]}\ne: 1\n";
        check(
            &text.replace("c.d", "c.d$0"),
            &[
                "d",
                "%{lookup('c.d')}",
                "1 %{lookup('c.d')} 2",
                "\"1 %{lookup('c.d')} 2\"",
                "[x, \"1 %{lookup('c.d')} 2\"]",
                "b: [x, \"1 %{lookup('c.d')} 2\"]",
                "{b: [x, \"1 %{lookup('c.d')} 2\"]}",
                "a: {b: [x, \"1 %{lookup('c.d')} 2\"]}",
                text,
            ],
        );
    }

    #[test]
    fn keys_blocks_and_what_is_between() {
        check("a:\n  b$0: 1\nc: 2\n", &["b", "b: 1", "a:\n  b: 1", "a:\n  b: 1\nc: 2\n"]);
        check("a: 1\n\n$0# x\nb: 2\n", &["a: 1\n\n# x\nb: 2\n"]);
        check("#- /data/other.yaml\na$0: 1\n", &[]);
    }
}
