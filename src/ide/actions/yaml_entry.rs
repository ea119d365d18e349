//! Root entries of YAML files as whole lines, to be removed and added to other files.

use crate::data::{DataFile, EntryTree, Verdict};
use crate::syntax::tree::{Node, NodeKind};
use crate::text::{TextEdit, TextRange};

/// A root entry in block style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryLines {
    /// From the key to the end of the last line.
    pub(super) lines: TextRange,
    /// The same with the comments directly above.
    pub(super) with_comments: TextRange,
}

/// The lines of an entry; `None` if it shares them with other text, or is not written as ordinary lines.
pub(super) fn entry_lines(text: &str, entry: &EntryTree<'_>) -> Option<EntryLines> {
    let range = entry.range();
    let (start, end) = (range.start as usize, range.end as usize);
    let is_at_root = matches!(text[..start].chars().next_back(), None | Some('\n' | '\u{feff}'));
    // Only an entry that starts its line can be cut out as whole lines.
    if !is_at_root || text[start..].starts_with('?') {
        return None;
    }
    let end = if text[..end].ends_with('\n') {
        end
    } else {
        let rest = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        let behind = text[end..rest].trim();
        if !(behind.is_empty() || behind.starts_with('#')) {
            return None;
        }
        rest
    };
    let mut above = start;
    while let Some(line) = text[..above].strip_suffix('\n') {
        let line_start = line.rfind('\n').map_or(0, |at| at + 1);
        if !line[line_start..].starts_with('#') {
            break;
        }
        above = line_start;
    }
    let range = |start: usize| TextRange::new(start as u32, end as u32);
    Some(EntryLines { lines: range(start), with_comments: range(above) })
}

/// The edit that adds entries at the end of a file, with the file's line ends. `None` if that would not add them to its hash.
pub(super) fn append(data: &DataFile, entries: &str) -> Option<TextEdit> {
    let text = &**data.text();
    let is_fine = match data.verdict() {
        Verdict::Hash => {
            let mut trees = data.trees().peekable();
            trees.peek().is_some() && trees.all(|entry| entry_lines(text, &entry).is_some())
        }
        Verdict::Empty => text.lines().all(|line| {
            let line = line.trim_start_matches('\u{feff}').trim_end();
            line.is_empty() || line.starts_with('#') || line == "---"
        }),
        _ => false,
    };
    // With a second document or an end mark, text at the end of the file is not a part of the hash.
    let ends =
        text.lines().filter(|line| line.starts_with("---") || line.starts_with("...")).count();
    if !is_fine || ends > 1 || text.lines().any(|line| line.starts_with("...")) {
        return None;
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let entries = entries.replace("\r\n", "\n").replace('\n', line_end);
    let between = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
    Some(TextEdit::insert(text.len() as u32, format!("{between}{entries}")))
}

/// Whether a value is self-contained: it has no anchors and no aliases.
pub(super) fn is_self_contained(node: &Node) -> bool {
    node.anchor.is_none()
        && match &node.kind {
            NodeKind::Scalar { .. } => true,
            NodeKind::Alias(_) => false,
            NodeKind::Sequence(items) => items.iter().all(is_self_contained),
            NodeKind::Mapping(pairs) => pairs
                .iter()
                .all(|pair| is_self_contained(&pair.key) && is_self_contained(&pair.value)),
        }
}

/// The entry's text on lines of its own, with `\n` as line end.
pub(super) fn text_of(text: &str, lines: TextRange) -> String {
    let slice = lines.slice(text).replace("\r\n", "\n");
    if slice.ends_with('\n') { slice } else { slice + "\n" }
}
