//! Builds the trees of entries in YAML's most common form.

use std::sync::Arc;

use super::{Kind, Scan, Sink, Written, has_plain_characters};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextRange;

/// The pairs of a text that starts with a root key, as [`crate::syntax::yaml::parse_entries`] returns them; `None` if libyaml
/// must find them.
pub(in crate::syntax) fn plain_pairs(text: &str) -> Option<Vec<Pair>> {
    if !has_plain_characters(text) {
        return None;
    }
    let mut scan = Scan::new(text, Trees { text, pairs: Vec::new(), open: Vec::new(), base: 0 });
    scan.all()?;
    // A mark would end the hash that the text is a part of.
    (!scan.has_mark && !scan.sink.pairs.is_empty()).then_some(scan.sink.pairs)
}

struct Trees<'t> {
    text: &'t str,
    /// The finished pairs of the root hash.
    pairs: Vec<Pair>,
    /// The root hash, and the collections in it that have not ended yet.
    open: Vec<Collection>,
    /// The byte at which the root key of the current entry starts: ranges count from there.
    base: usize,
}

/// A collection that has not ended yet.
struct Collection {
    start: u32,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    /// The pairs, and the last key while its value may follow.
    Hash(Vec<Pair>, Option<Node>),
}

impl Trees<'_> {
    fn offset(&self, at: usize) -> u32 {
        (at - self.base) as u32
    }

    /// Adds a value of the last key, or an item.
    fn add(&mut self, node: Node) {
        match self.open.last_mut().map(|it| &mut it.content) {
            Some(Content::List(items)) => items.push(node),
            Some(Content::Hash(pairs, key)) => {
                pairs.extend(key.take().map(|key| Pair { key, value: node }));
            }
            None => {}
        }
    }

    /// If the last key has no value, it gets an empty one, behind its colon.
    fn end_pair(&mut self) {
        let Some(Content::Hash(_, Some(key))) = self.open.last().map(|it| &it.content) else {
            return;
        };
        let end = key.range.end + 1;
        let text = Arc::from("");
        self.add(scalar(TextRange::empty(end), text, ScalarStyle::Plain));
    }

    fn written(&self, written: Written<'_>) -> Node {
        let Written { at, source, style } = written;
        let start = self.offset(at);
        let range = TextRange::new(start, start + source.len() as u32);
        let source = TextRange::new(at as u32, (at + source.len()) as u32).slice(self.text);
        scalar(range, decoded(source, style), style)
    }
}

impl Sink for Trees<'_> {
    fn open(&mut self, kind: Kind, at: usize) {
        let content = match kind {
            Kind::Hash => Content::Hash(Vec::new(), None),
            Kind::List => Content::List(Vec::new()),
        };
        // The root hash starts before there is an entry.
        let start = if self.open.is_empty() { 0 } else { self.offset(at) };
        self.open.push(Collection { start, content });
    }

    fn close(&mut self, end: Option<usize>) {
        self.end_pair();
        let Some(Collection { start, content }) = self.open.pop() else { return };
        if self.open.is_empty() {
            if let Content::Hash(pairs, _) = content {
                self.pairs = pairs;
            }
            return;
        }
        // Closing brackets have a width. A block collection ends with its last member.
        let last = match &content {
            Content::List(items) => items.last().map(|item| item.range.end),
            Content::Hash(pairs, _) => {
                pairs.last().map(|pair| pair.value.range.end.max(pair.key.range.end))
            }
        };
        let end = end.map(|end| self.offset(end)).or(last).unwrap_or(start);
        let kind = match content {
            Content::List(items) => NodeKind::Sequence(items),
            Content::Hash(pairs, _) => NodeKind::Mapping(pairs),
        };
        self.add(Node { range: TextRange::new(start, end), tag: None, anchor: None, kind });
    }

    fn key(&mut self, written: Written<'_>, is_root: bool) {
        self.end_pair();
        if is_root {
            self.base = written.at;
        }
        let node = self.written(written);
        if let Some(Content::Hash(_, key)) = self.open.last_mut().map(|it| &mut it.content) {
            *key = Some(node);
        }
    }

    fn scalar(&mut self, written: Written<'_>) {
        let node = self.written(written);
        self.add(node);
    }

    fn block(&mut self, at: usize, source: &[u8], indent: Option<usize>) -> Option<()> {
        let whole = TextRange::new(at as u32, (at + source.len()) as u32).slice(self.text);
        let text = literal_text(whole, indent)?;
        let start = self.offset(at);
        let range = TextRange::new(start, start + source.trim_ascii_end().len() as u32);
        self.add(scalar(range, text.into(), ScalarStyle::Literal));
        Some(())
    }
}

fn scalar(range: TextRange, text: Arc<str>, style: ScalarStyle) -> Node {
    Node { range, tag: None, anchor: None, kind: NodeKind::Scalar { text, style } }
}

/// The text of a scalar on one line. Quoted strings have no escapes except for `''`.
fn decoded(source: &str, style: ScalarStyle) -> Arc<str> {
    match style {
        ScalarStyle::SingleQuoted if source[1..source.len() - 1].contains('\'') => {
            source[1..source.len() - 1].replace("''", "'").into()
        }
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => source[1..source.len() - 1].into(),
        _ => source.into(),
    }
}

/// The text of a block scalar with `|`; `None` for other ones, whose lines libyaml folds.
fn literal_text(source: &str, indent: Option<usize>) -> Option<String> {
    let (head, lines) = source.split_once('\n').unwrap_or((source, ""));
    let (is_cut, is_kept) = match head.trim_ascii_end() {
        "|" => (false, false),
        "|-" => (true, false),
        "|+" => (false, true),
        _ => return None,
    };
    let mut text = String::with_capacity(lines.len());
    for line in lines.split_inclusive('\n') {
        let spaces = line.bytes().take_while(|byte| *byte == b' ').count();
        text.push_str(&line[spaces.min(indent.unwrap_or(0))..]);
    }
    if !is_kept {
        let end = text.trim_end_matches('\n').len();
        // Without a sign, the line end of the last line stays.
        let has_end = !is_cut && end > 0 && end < text.len();
        text.truncate(end + usize::from(has_end));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml::pairs_by_libyaml;

    #[track_caller]
    fn check(text: &str, is_plain: bool) {
        let found = plain_pairs(text);
        assert_eq!(found.is_some(), is_plain, "{text:?}");
        if let Some(found) = found {
            assert_eq!(pairs_by_libyaml(text).as_ref(), Ok(&found), "{text:?}");
        }
    }

    #[test]
    fn trees_are_those_of_libyaml() {
        check("a: b # c\n# d\n\n'x''y': \"z\"\nk:\n", true);
        check("a:\n  - b\n  - 'c''d'\n  - e: 1\n    f:\n    g: {}\n\n", true);
        check("a:\n- [b, 'c' , \"d\"]\n- []\nb:\n  c:\n  d:\n    e: \u{e4}\n", true);
        check("a: |\n  x\n   y\n\n   \n  z\n\n\n# c\nb: |-\n  x\n\nc: |+\n  x\n\n", true);
        check("a: |\n  x", true);
        check("a: |\n\n\nb: |+\n\n\nc: |-\nd: |", true);
    }

    #[test]
    fn what_libyaml_must_read() {
        check("a: >\n  x\n  y\n", false);
        check("---\na: b\n", false);
        check("a: b\n---\n", false);
        check("", false);
        check("# c\n", false);
    }
}
