//! Root entries of YAML files as whole lines, to be removed and added to other files.

use crate::data::{DataFile, EntryTree, Verdict};
use crate::ide::pair_edits::{
    end_of_own_empty_lines, end_with_comments, has_line_end, separates_entries, start_with_comments,
};
use crate::syntax::tree::{Node, NodeKind};
use crate::syntax::yaml;
use crate::text::{TextEdit, TextRange};

/// A root entry in block style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryLines {
    /// From the key to the end of the last line.
    pub(super) lines: TextRange,
    /// The same with the comments directly above and the indented ones after it.
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
    let end = end_of_own_empty_lines(text, end as u32, entry.text, entry.value);
    let start_with_comments = start_with_comments(text, 0, range.start);
    let end_with_comments = end_with_comments(text, range.start, end);
    Some(EntryLines {
        lines: TextRange::new(range.start, end),
        with_comments: TextRange::new(start_with_comments, end_with_comments),
    })
}

/// The edit that adds entries at the end of a file's first document, with the file's line ends.
///
/// # Errors
/// Why that would not add them to its hash, or would change another value, as the end of a sentence that starts with the file.
pub(super) fn append(data: &DataFile, entries: &str) -> Result<TextEdit, String> {
    let text = &**data.text();
    if text.starts_with('\u{feff}') {
        return Err("starts with a byte order mark, so that Puppet may lose added keys".to_owned());
    }
    let end = end_of_first_document(data);
    let before = &text[..end as usize];
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let entries = entries.replace("\r\n", "\n").replace('\n', line_end);
    let after = &text[end as usize..];
    let is_apart = after.is_empty() || after.starts_with("---") || after.starts_with("...");
    if let Some(braces) = empty_braces(before).filter(|_| is_apart) {
        let between = if before[..braces.start as usize].ends_with("---") { line_end } else { "" };
        return Ok(TextEdit::replace(braces, format!("{between}{entries}")));
    }
    if let Some(obstacle) = obstacle(data, before) {
        return Err(obstacle);
    }
    let between = if before.is_empty() || before.ends_with('\n') { "" } else { line_end };
    let gap = if separates_entries(data, before, &entries) { line_end } else { "" };
    Ok(TextEdit::insert(end, format!("{between}{gap}{entries}")))
}

/// Where the mark `---` or `...` after the first document starts, or the text ends.
fn end_of_first_document(data: &DataFile) -> u32 {
    let text = &**data.text();
    // A file that is read entry by entry has one document.
    let mark = if data.is_split() { None } else { yaml::parse(text).second_document };
    let Some(mark) = mark else { return text.len() as u32 };
    // The place is after `...`, but before `---`.
    let is_after =
        text[..mark as usize].ends_with("...") && !text[mark as usize..].starts_with("---");
    if is_after { mark - 3 } else { mark }
}

/// The `{}` of a document that has nothing else but comments, up to the end of its line: what was written so that the file is a
/// hash.
fn empty_braces(document: &str) -> Option<TextRange> {
    let mut found = None;
    let mut start = 0;
    for line in document.split_inclusive('\n') {
        let content = line.strip_prefix("---").filter(|it| it.starts_with([' ', '\t']));
        let content = content.unwrap_or(line);
        let inner = content.trim().strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        let end = start + line.len();
        if inner.is_some_and(|it| it.trim().is_empty()) {
            let range = TextRange::new((end - content.len()) as u32, end as u32);
            // Nothing can follow an empty hash.
            if found.replace(range).is_some() {
                return None;
            }
        } else if !is_without_value(line) {
            return None;
        }
        start = end;
    }
    found
}

/// Whether a line is empty, a comment, or the start of a document with nothing but a comment after it.
fn is_without_value(line: &str) -> bool {
    let line = line.trim_end();
    let after = line.strip_prefix("---").unwrap_or(line);
    let is_apart = after.len() == line.len() || after.starts_with([' ', '\t']);
    after.is_empty() || is_apart && after.trim_start().starts_with('#')
}

/// Why no entry in block style can follow the first document, which is `before` of the text.
fn obstacle(data: &DataFile, before: &str) -> Option<String> {
    let why = match data.verdict() {
        Verdict::Hash => return obstacle_in_hash(data, before),
        Verdict::Empty => {
            if before.lines().all(is_without_value) {
                return None;
            }
            "contains a value that is not a hash"
        }
        Verdict::NotAHash { .. } => "contains a value that is not a hash",
        Verdict::Broken(_) => "has an error, so Puppet cannot read it",
    };
    Some(why.to_owned())
}

fn obstacle_in_hash(data: &DataFile, before: &str) -> Option<String> {
    let text = &**data.text();
    let mut last = None;
    for entry in data.trees() {
        let start = entry.range().start as usize;
        // A key after `? ` at the start of a line is in no braces, so entries can follow it.
        let is_after_mark = text[..start].lines().next_back() == Some("? ");
        if !is_after_mark && entry_lines(text, &entry).is_none() {
            let is_in_braces = last.is_none() && text[..start].trim_end().ends_with('{');
            let why = if is_in_braces {
                "is written in braces".to_owned()
            } else {
                let line = text[..start].matches('\n').count() + 1;
                format!(
                    "has a root key that is not written at the start of a line, or not alone (line {line})"
                )
            };
            return Some(why);
        }
        last = Some(entry);
    }
    let Some(last) = last else { return Some("is written in braces".to_owned()) };
    let gets_line_end = !before.ends_with('\n') && has_line_end(last.text, last.value);
    gets_line_end.then(|| WITHOUT_LINE_END.to_owned())
}

/// A `|` at the end of a file has no line end if the file has none.
pub(super) const WITHOUT_LINE_END: &str = "ends in a text without a line end, which would get one";

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
