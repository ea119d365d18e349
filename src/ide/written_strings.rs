//! The strings of a file, in which a `#` does not start a comment.

use crate::code::file::language_of;
use crate::code::roots::is_code;
use crate::data::{Files as _, Format};
use crate::ide::file_role::FileRole;
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::syntax::{hocon, puppet, yaml};
use crate::text::TextRange;
use crate::world::World;

/// The strings in the order of the text. They do not overlap.
pub(super) struct WrittenStrings(Vec<TextRange>);

impl WrittenStrings {
    /// Those of the file at `path`, which has this text. In a broken file, they are those that can be read.
    pub(super) fn of(world: &World, path: &str, text: &str) -> Self {
        let mut ranges = Vec::new();
        match FileRole::of(world, path) {
            Some(FileRole::Data { format: Format::Hocon, .. }) => ranges = hocon::strings(text),
            Some(FileRole::Data { format, .. }) => {
                let data = world.data(path, format).ok();
                for entry in data.iter().flat_map(|data| data.trees()) {
                    collect(entry.key, entry.start, text, &mut ranges);
                    collect(entry.value, entry.start, text, &mut ranges);
                }
            }
            None if is_code(path) => ranges = puppet::written_parts(text, language_of(path)),
            _ => {
                if let Some(root) = &yaml::parse(text).root {
                    collect(root, 0, text, &mut ranges);
                }
            }
        }
        ranges.sort_by_key(|range| range.start);
        // The texts of heredocs follow the line that names them, which may contain further strings.
        ranges.dedup_by(|next, range| {
            let overlaps = next.start < range.end;
            range.end = if overlaps { range.end.max(next.end) } else { range.end };
            overlaps
        });
        Self(ranges)
    }

    /// Whether a byte offset is between the ends of a string.
    pub(super) fn contain(&self, offset: u32) -> bool {
        self.around(offset).is_some()
    }

    /// Where the string around a byte offset starts, or else the offset itself. A block starts at the end of the line above it.
    pub(super) fn start_of(&self, offset: u32) -> u32 {
        self.around(offset).map_or(offset, |range| range.start)
    }

    fn around(&self, offset: u32) -> Option<&TextRange> {
        let before = self.0.partition_point(|range| range.start < offset);
        self.0[..before].last().filter(|range| offset < range.end)
    }
}

/// Adds the strings of a tree whose ranges are relative to the byte `start` of `text`.
fn collect(root: &Node, start: u32, text: &str, ranges: &mut Vec<TextRange>) {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Scalar { style, .. } => {
                let range = node.range.shifted(start);
                let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                ranges.extend(if is_block { lines_of_block(range, text) } else { Some(range) });
            }
            NodeKind::Sequence(items) => waiting.extend(items),
            NodeKind::Mapping(pairs) => {
                waiting.extend(pairs.iter().flat_map(|pair| [&pair.key, &pair.value]));
            }
            NodeKind::Alias(_) => {}
        }
    }
}

/// The lines of a block scalar; `None` if it has none. A comment may follow the indicator that opens it, but what is written after
/// its last line would belong to it.
fn lines_of_block(block: TextRange, text: &str) -> Option<TextRange> {
    let header = block.slice(text).find(['\r', '\n'])?;
    let rest = text.get(block.end as usize..)?;
    let line_end = rest.find(['\r', '\n']).unwrap_or(rest.len()) as u32;
    Some(TextRange::new(block.start + header as u32, block.end + line_end + 1))
}
