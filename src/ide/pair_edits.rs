//! Edits of hashes: removes a `key: value` with its lines and its comments, and nothing else.

use super::comments;
use crate::data::{DataFile, EntryTree, Format};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::{TextEdit, TextRange};

/// An edit that removes a pair, and the number of comments that go with it.
#[derive(Debug)]
pub(crate) struct Removal {
    pub(crate) edit: TextEdit,
    pub(crate) comments: usize,
}

/// Removes a pair from a hash that has others. `None` if more than the pair would be removed: comments beside it, an anchor
/// that is used elsewhere, or the last pair of a hash.
pub(super) fn remove_pair(source: &str, pairs: &[Pair], number: usize) -> Option<Removal> {
    // Without its only pair, a hash in block style would be null.
    let pair = pairs.get(number).filter(|_| pairs.len() > 1)?;
    if has_anchor(&pair.key) || has_anchor(&pair.value) {
        return None;
    }
    let before = number.checked_sub(1).and_then(|number| pairs.get(number));
    let before = before.map(|it| Before { range: pair_range(it), value: &it.value });
    let after = pairs.get(number + 1).map(pair_range);
    let range = without(source, before.as_ref(), pair_range(pair), after)?;
    let above = comments::between(source, range.start, pair.key.range.start);
    let comments = comments::of_pair(source, &pair.key, &pair.value, range.end);
    Some(Removal { edit: TextEdit::delete(range), comments: above + comments })
}

/// Removes a root entry from a YAML or JSON file that has others. `None` if more than the entry would be removed.
pub(super) fn remove_entry(data: &DataFile, key: TextRange) -> Option<Removal> {
    let source = data.text();
    let entry = data.entry_at(key.start)?;
    if data.format() == Format::Hocon || holds_anchor(&entry) {
        return None;
    }
    let (before, after) = data.beside(&entry);
    // Without its only entry, the file would not be a hash.
    before.or(after)?;
    let before = before.and_then(|range| Before::of_entry(data, range));
    let range = without(source, before.as_ref(), entry.range(), after)?;
    let comments =
        if data.format() == Format::Yaml { comments_in(source, &entry, range) } else { 0 };
    Some(Removal { edit: TextEdit::delete(range), comments })
}

/// The number of comments in the range that is removed with an entry.
fn comments_in(source: &str, entry: &EntryTree<'_>, removed: TextRange) -> usize {
    let end_of_entry = entry.text.len() as u32;
    let own_end = removed.end.saturating_sub(entry.start).min(end_of_entry);
    let own = comments::of_pair(entry.text, entry.key, entry.value, own_end);
    let above = comments::between(source, removed.start, entry.range().start);
    above + own + comments::between(source, entry.start + end_of_entry, removed.end)
}

/// The end of the lines to remove with a root entry: `removed` has its own lines and perhaps the comments above.
pub(super) fn end_of_removal(data: &DataFile, entry: &EntryTree<'_>, removed: TextRange) -> u32 {
    let before = data.beside(entry).0.and_then(|range| Before::of_entry(data, range));
    let text = data.text();
    end_with_spaces(
        text,
        before.as_ref(),
        removed.start,
        end_with_comments(text, entry.range().start, removed.end),
    )
}

/// Whether the entry contains an anchor, which other entries may refer to.
pub(super) fn holds_anchor(entry: &EntryTree<'_>) -> bool {
    has_anchor(entry.key) || has_anchor(entry.value)
}

/// The pair before one that is removed.
struct Before<'a> {
    range: TextRange,
    value: &'a Node,
}

impl<'a> Before<'a> {
    /// The root entry at `range`.
    fn of_entry(data: &'a DataFile, range: TextRange) -> Option<Self> {
        Some(Self { range, value: data.entry_at(range.start)?.value })
    }
}

/// The range to remove with the pair at `own` between its neighbours: with a comma in braces, elsewhere whole lines with the
/// comments directly above and the indented ones after it.
fn without(
    source: &str,
    before: Option<&Before<'_>>,
    own: TextRange,
    after: Option<TextRange>,
) -> Option<TextRange> {
    let text = |start, end| TextRange::new(start, end).slice(source);
    let range_before = before.map(|it| it.range);
    let above = start_with_comments(source, range_before.map_or(0, |it| it.end), own.start);
    let gap = match (range_before, after) {
        (_, Some(after)) => text(own.end, after.start),
        (Some(before), None) => text(before.end, own.start),
        (None, None) => return None,
    };
    if !gap.trim_start().starts_with(',') {
        let lines = whole_lines(source, own)?;
        let end = end_with_comments(source, own.start, lines.end);
        let start = above.min(lines.start);
        let end = end_with_spaces(source, before, start, end);
        return Some(TextRange::new(start, end));
    }
    // In braces, comments stay, and one above the pair would then be above another one.
    let has_comments = text(above, own.start).trim_start().starts_with('#');
    let is_bare = gap.trim() == "," && !has_comments;
    is_bare.then(|| match (range_before, after) {
        (_, Some(after)) => TextRange::new(own.start, after.start),
        (Some(before), None) => TextRange::new(before.end, own.end),
        (None, None) => own,
    })
}

/// Where the comments directly above a pair start, or its line. The pair starts at `start`; if other text is before it on its line,
/// this is returned. The pair before it ends at `least`, and comments that are indented deeper belong to that pair.
pub(super) fn start_with_comments(source: &str, least: u32, start: u32) -> u32 {
    let mut above = source[..start as usize].trim_end_matches(' ').len();
    if above > 0 && !source[..above].ends_with(['\n', '\u{feff}']) {
        return start;
    }
    let column = start as usize - above;
    while let Some(lines) = source[..above].strip_suffix('\n') {
        let line_start = lines.rfind('\n').map_or(0, |at| at + 1);
        let line = lines[line_start..].trim_start_matches('\u{feff}');
        let content = line.trim_start();
        let is_deeper = line.len() - content.len() > column;
        if !content.starts_with('#') || is_deeper || line_start < least as usize {
            break;
        }
        above = lines.len() - line.len();
    }
    above as u32
}

/// The end of the comments after the lines of a pair that end at `end`. They are indented deeper than its key, which starts
/// at `start`. Without the pair, a text block before it could swallow them.
pub(super) fn end_with_comments(source: &str, start: u32, end: u32) -> u32 {
    let line_start = source[..start as usize].rfind('\n').map_or(0, |at| at + 1);
    let column = source[line_start..start as usize].trim_start_matches('\u{feff}').len();
    let (mut at, mut end) = (end as usize, end as usize);
    for line in source[end..].split_inclusive('\n') {
        at += line.len();
        let content = line.trim_start();
        let is_deeper = line.len() - content.len() > column;
        if content.starts_with('#') && is_deeper {
            end = at;
        } else if !content.is_empty() {
            break;
        }
    }
    end as u32
}

/// The end of the empty lines after a removed range if they would become part of a text block before it, such as `|+`.
fn end_with_spaces(source: &str, before: Option<&Before<'_>>, start: u32, end: u32) -> u32 {
    let Some(before) = before.filter(|it| ends_in_text_block(it.value)) else { return end };
    let between = source.get(before.range.end as usize..start as usize).unwrap_or_default();
    if !between.trim().is_empty() {
        return end;
    }
    end_of_empty_lines(source, end)
}

/// The number of entries whose distances are the model for an entry that is added after them.
const MODEL_ENTRIES: usize = 32;

/// Whether an empty line belongs between the entries of a YAML file, which end with `before`, and the lines that are `added` after
/// them. Often, only entries of several lines have empty lines around them, so those of the same kind are the model.
pub(super) fn separates_entries(data: &DataFile, before: &str, added: &str) -> bool {
    let follows_empty_line = |start: usize| {
        let line = before[..start].strip_suffix('\n').and_then(|it| it.rsplit('\n').next());
        line.is_some_and(|line| line.trim().is_empty())
    };
    let is_long = |entry: &str| entry.trim_end().contains('\n');
    // Findings ask this for each of thousands of entries.
    let end = before.len().saturating_sub(1) as u32;
    let Some(last) = data.entry_at(end).filter(|_| data.is_split()) else { return false };
    let is_last_long = is_long(last.range().slice(data.text()));
    // Whether one of the two entries has several lines, and whether an empty line is between them.
    let mut gaps: Vec<(bool, bool)> = Vec::new();
    let mut below = (last, is_last_long);
    while let Some(above) = data.beside(&below.0).0.filter(|_| gaps.len() < MODEL_ENTRIES) {
        let start = start_with_comments(before, above.end, below.0.range().start) as usize;
        let Some(entry) = data.entry_at(above.start) else { break };
        let is_entry_long = is_long(above.slice(data.text()));
        gaps.push((below.1 || is_entry_long, follows_empty_line(start)));
        below = (entry, is_entry_long);
    }
    // An empty line after `|+` would be a part of the text.
    let keeps_it = indicators(last.text, last.value).is_some_and(|it| it.contains('+'));
    if follows_empty_line(before.len()) || keeps_it {
        return false;
    }
    let is_long = is_last_long || is_long(added);
    let alike: Vec<bool> = gaps.iter().filter(|it| it.0 == is_long).map(|it| it.1).collect();
    let model = if alike.is_empty() { gaps.iter().map(|it| it.1).collect() } else { alike };
    !model.is_empty() && model.into_iter().all(|it| it)
}

/// The end of the empty lines that start at `start`.
pub(super) fn end_of_empty_lines(source: &str, start: u32) -> u32 {
    let lines = source[start as usize..].split_inclusive('\n');
    let empty = lines.take_while(|line| line.trim().is_empty());
    start + empty.map(str::len).sum::<usize>() as u32
}

/// Whether the last line of a value is a line of a text in the style `|` or `>`.
pub(super) fn ends_in_text_block(value: &Node) -> bool {
    last_text_block(value).is_some()
}

/// The end of the lines without visible characters after a value that belong to it: the lines of a text such as `|+`, and lines
/// of other text blocks that have spaces beyond the indentation. The value's lines end at `end` of `source`, and its ranges
/// refer to `text`.
pub(super) fn end_of_own_empty_lines(source: &str, end: u32, text: &str, value: &Node) -> u32 {
    if indicators(text, value).is_some_and(|it| it.contains('+')) {
        return end_of_empty_lines(source, end);
    }
    let Some(NodeKind::Scalar { text: decoded, .. }) = last_text_block(value).map(|it| &it.kind)
    else {
        return end;
    };
    let last = decoded.trim_end_matches('\n').rsplit('\n').next().unwrap_or_default();
    if last.is_empty() || !last.trim().is_empty() {
        return end;
    }
    let empty = &source[end as usize..end_of_empty_lines(source, end) as usize];
    let mut own = 0;
    let mut at = 0;
    for line in empty.split_inclusive('\n') {
        at += line.len();
        if !line.trim_end_matches(['\r', '\n']).is_empty() {
            own = at;
        }
    }
    end + own as u32
}

/// Whether a value ends in a text that has a line end after its last line if there is one: all but `|-`.
pub(super) fn has_line_end(source: &str, value: &Node) -> bool {
    indicators(source, value).is_some_and(|it| !it.contains('-'))
}

/// The `|2+` before the lines of the text in which a value ends.
fn indicators<'a>(source: &'a str, value: &Node) -> Option<&'a str> {
    let written = last_text_block(value)?.range.slice(source);
    written.split(|letter: char| letter.is_whitespace()).next()
}

fn last_text_block(value: &Node) -> Option<&Node> {
    match &value.kind {
        NodeKind::Scalar { style, .. } => {
            matches!(style, ScalarStyle::Literal | ScalarStyle::Folded).then_some(value)
        }
        NodeKind::Sequence(items) => last_text_block(items.last()?),
        NodeKind::Mapping(pairs) => last_text_block(&pairs.last()?.value),
        NodeKind::Alias(_) => None,
    }
}

/// The lines of `range`, including line ends, if they contain nothing else except a comment.
pub(super) fn whole_lines(source: &str, range: TextRange) -> Option<TextRange> {
    let (start, end) = (range.start as usize, range.end as usize);
    let line_start = source.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    if !source[line_start..start].chars().all(|c| matches!(c, ' ' | '\u{feff}')) {
        return None;
    }
    let end = start + source.get(start..end)?.trim_end().len();
    let line_end = source[end..].find('\n').map_or(source.len(), |at| end + at + 1);
    let rest = source[end..line_end].trim();
    let is_free =
        rest.is_empty() || rest.starts_with('#') && source[end..].starts_with([' ', '\t']);
    is_free.then(|| TextRange::new(line_start as u32, line_end as u32))
}

/// Inserts pairs before the first one of a hash. `added` are names that need no quotes in YAML, and values in their written
/// form. `None` for a hash without pairs.
pub(super) fn insert_first(
    source: &str,
    format: Format,
    mapping: &Node,
    added: &[(&str, &str)],
) -> Option<TextEdit> {
    let NodeKind::Mapping(pairs) = &mapping.kind else { return None };
    let at = pairs.first()?.key.range.start;
    let between = match (format, is_flow(source, mapping)) {
        (Format::Yaml, false) => {
            let line = source[..at as usize].rfind('\n').map_or(0, |at| at + 1);
            format!("{}{}", line_end(source), " ".repeat(at as usize - line))
        }
        _ => ", ".to_owned(),
    };
    let quote = if format == Format::Yaml { "" } else { "\"" };
    let pair = |(name, value): &(&str, &str)| format!("{quote}{name}{quote}: {value}{between}");
    Some(TextEdit::insert(at, added.iter().map(pair).collect::<String>()))
}

/// From the first byte of the key to the last of the value.
pub(super) fn pair_range(pair: &Pair) -> TextRange {
    TextRange::new(pair.key.range.start, pair.value.range.end.max(pair.key.range.end))
}

/// Whether the hash that contains these pairs is written with braces.
pub(super) fn is_flow(source: &str, mapping: &Node) -> bool {
    mapping.range.slice(source).starts_with('{')
}

/// The line end of this text.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Some lines with the line ends of `text`.
pub(super) fn with_line_ends_of(text: &str, lines: &str) -> String {
    lines.replace("\r\n", "\n").replace('\n', line_end(text))
}

fn has_anchor(root: &Node) -> bool {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if node.anchor.is_some() {
            return true;
        }
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items),
            NodeKind::Mapping(pairs) => {
                waiting.extend(pairs.iter().flat_map(|pair| [&pair.key, &pair.value]));
            }
            NodeKind::Scalar { .. } | NodeKind::Alias(_) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::FileId;
    use crate::syntax::yaml;
    use crate::text::apply_edits;

    /// The YAML hash after its pair with this index is removed; `None` if it stays as it is.
    #[track_caller]
    fn check(text: &str, number: usize, expected: Option<&str>) {
        for (text, expected) in [
            (text.to_owned(), expected.map(str::to_owned)),
            (text.replace('\n', "\r\n"), expected.map(|it| it.replace('\n', "\r\n"))),
        ] {
            let root = yaml::parse(&text).root.expect("valid YAML");
            let NodeKind::Mapping(pairs) = &root.kind else { panic!("no hash") };
            let edit = remove_pair(&text, pairs, number);
            let edited = edit.map(|it| apply_edits(&text, &[it.edit]));
            assert_eq!(edited, expected, "{text}");
        }
    }

    #[test]
    fn whole_lines_go() {
        check("a: 1\nb: 2\nc: 3\n", 1, Some("a: 1\nc: 3\n"));
        check("a: 1 # why\nb: 2", 0, Some("b: 2"));
        check("a: 1\nb: 2", 1, Some("a: 1\n"));
        check("# of a\na:\n  x: |\n    text\n\n# of b\nb: 2\n", 0, Some("\n# of b\nb: 2\n"));
        check("a: 'x\n  y'\nb:\n  - 1\n  - 2\n", 1, Some("a: 'x\n  y'\n"));
    }

    /// Left alone, they would describe the next pair.
    #[test]
    fn comments_directly_above_go_with_the_pair() {
        check("a: 1\n\n# x\n\n# of b\n#\nb: 2\nc: 3\n", 1, Some("a: 1\n\n# x\n\nc: 3\n"));
        check("a:\n  - 1\n  # - 2\n# of b\nb: 2\n", 1, Some("a:\n  - 1\n  # - 2\n"));
        check("a:\n# of b\nb: 2\n", 1, Some("a:\n"));
        check("a: |\n  x\n  # y\n# of b\nb: 2\n", 1, Some("a: |\n  x\n  # y\n"));
        check("a: 'x\n# y'\nb: 2\n", 1, Some("a: 'x\n# y'\n"));
        check("  a: {x: 1}\n# old\n  # of b\n  b: 2\n", 1, Some("  a: {x: 1}\n"));
    }

    #[test]
    fn indented_comments_go_with_the_pair_before_them() {
        check("a: |\n  x\nb:\n  - 1\n  # - 2\n\n  # - 3\nc: 3\n", 1, Some("a: |\n  x\nc: 3\n"));
        check("a: >\n  x\nb:\n  - 1\n  # - 2", 1, Some("a: >\n  x\n"));
        check(
            "a: 1\nb:\n  # - 2\n# of c\n  # more\nc: 3\n",
            1,
            Some("a: 1\n# of c\n  # more\nc: 3\n"),
        );
        check(
            "  a: |\n    x\n  b: 1\n    # y\n  # of c\n  c: 3\n",
            1,
            Some("  a: |\n    x\n  # of c\n  c: 3\n"),
        );
    }

    #[test]
    fn comments_that_go_are_counted() {
        let count = |text: &str, key: &str| {
            let data = DataFile::new(FileId(0), Format::Yaml, text.into());
            let at = text.find(key).expect("the key is in the text") as u32;
            let removal = remove_entry(&data, TextRange::new(at, at + key.len() as u32));
            removal.map(|it| it.comments)
        };
        assert_eq!(count("# of a\na: 1 # why\n# of b\nb: 2\n", "a:"), Some(2));
        let text = "a: # of it\n  # of x\n  x: '# 1' # one\n  # y: 2\nb: 2\n";
        assert_eq!(count(text, "a:"), Some(4));
        assert_eq!(count(text, "b:"), Some(0));
        assert_eq!(count("c: 1\na: |\n  # text\nb: 2\n", "a:"), Some(0));
    }

    #[test]
    fn a_text_block_gets_no_empty_lines() {
        check("a: |+\n  x\n\nb: 1\n\nc: 3\n", 1, Some("a: |+\n  x\n\nc: 3\n"));
        check("a:\n- |+\n  x\nb: 1\n\n   \n", 1, Some("a:\n- |+\n  x\n"));
        check("a: |+\n  x\n# of b\nb: 1\n\nc: 3\n", 1, Some("a: |+\n  x\nc: 3\n"));
    }

    #[test]
    fn pairs_in_braces_take_a_comma_with_them() {
        check("{a: 1, b: 2}", 0, Some("{b: 2}"));
        check("{a: 1, b: 2}", 1, Some("{a: 1}"));
        check("{\n  a: 1,\n  b: 2\n}", 0, Some("{\n  b: 2\n}"));
        check("{\n  a: 1,\n  b: 2\n}", 1, Some("{\n  a: 1\n}"));
        check("{\n  a: 1, # why\n  b: 2\n}", 0, None);
        check("{\n  # why\n  a: 1,\n  b: 2\n}", 0, None);
    }

    #[track_caller]
    fn check_entry(format: Format, text: &str, key: &str, expected: Option<&str>) {
        let data = DataFile::new(FileId(0), format, text.into());
        let at = text.find(key).expect("the key is in the text") as u32;
        let edit = remove_entry(&data, TextRange::new(at, at + key.len() as u32));
        let edited = edit.map(|it| apply_edits(text, &[it.edit]));
        assert_eq!(edited.as_deref(), expected, "{text}");
    }

    #[test]
    fn root_entries_go_with_their_lines_or_a_comma() {
        let yaml = "# of a\r\na: 1 # x\r\n# of b\r\nb:\r\n  - 2\r\n# of c\r\nc: 3\r\n";
        check_entry(Format::Yaml, yaml, "b:", Some("# of a\r\na: 1 # x\r\n# of c\r\nc: 3\r\n"));
        check_entry(Format::Yaml, "a: |+\n  x\nb:\n  - 2\n  # c:\n\n", "b", Some("a: |+\n  x\n"));
        check_entry(Format::Yaml, "{a: 1, b: 2}\n", "b", Some("{a: 1}\n"));
        check_entry(Format::Yaml, "a: 1\n", "a", None);
        check_entry(Format::Yaml, "a: &x 1\nb: *x\n", "a", None);
        let json = "{\n  \"a\": 1,\n  \"b\": [2,\n    3],\n  \"c\": 3\n}\n";
        check_entry(Format::Json, json, "\"a\"", Some("{\n  \"b\": [2,\n    3],\n  \"c\": 3\n}\n"));
        check_entry(Format::Json, json, "\"b\"", Some("{\n  \"a\": 1,\n  \"c\": 3\n}\n"));
        check_entry(Format::Json, json, "\"c\"", Some("{\n  \"a\": 1,\n  \"b\": [2,\n    3]\n}\n"));
        check_entry(Format::Json, "{\"a\": 1}", "\"a\"", None);
        check_entry(Format::Hocon, "a: 1\nb: 2\n", "a", None);
    }

    #[test]
    fn what_is_needed_stays() {
        check("a: 1\n", 0, None);
        check("a: &x 1\nb: *x\n", 0, None);
    }
}
