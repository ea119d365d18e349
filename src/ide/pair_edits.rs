//! Edits of hashes as they are written: taking a `key: value` away with its lines, and nothing else.

use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::text::{TextEdit, TextRange};

/// Takes a pair out of a hash that has others. `None` where more than the pair would go: comments beside it, an anchor
/// that is used elsewhere, a hash that would be left without anything.
pub(super) fn remove_pair(source: &str, pairs: &[Pair], number: usize) -> Option<TextEdit> {
    let pair = pairs.get(number).filter(|_| pairs.len() > 1)?;
    if has_anchor(&pair.key) || has_anchor(&pair.value) {
        return None;
    }
    whole_lines(source, pair_range(pair))
        .or_else(|| between_commas(source, pairs, number))
        .map(TextEdit::delete)
}

/// The lines of `range`, line ends included, if nothing else but a comment stands on them.
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

/// In `{a: 1, b: 2}`: the pair and one comma.
fn between_commas(source: &str, pairs: &[Pair], number: usize) -> Option<TextRange> {
    let range = pair_range(&pairs[number]);
    let range = match pairs.get(number + 1) {
        Some(next) => TextRange::new(range.start, next.key.range.start),
        None => TextRange::new(pair_range(&pairs[number - 1]).end, range.end),
    };
    let removed = range.slice(source);
    (removed.contains(',') && !removed.contains(['\n', '#'])).then_some(range)
}

/// From the first byte of the key to the last of the value.
pub(super) fn pair_range(pair: &Pair) -> TextRange {
    TextRange::new(pair.key.range.start, pair.value.range.end.max(pair.key.range.end))
}

/// Whether the hash that holds these pairs is written with braces.
pub(super) fn is_flow(source: &str, mapping: &Node) -> bool {
    mapping.range.slice(source).starts_with('{')
}

/// How lines end in this text.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
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
    use crate::syntax::yaml;
    use crate::text::apply_edits;

    /// What is left of a YAML hash without its pair number `number`; `None` if it stays as it is.
    #[track_caller]
    fn check(text: &str, number: usize, expected: Option<&str>) {
        for (text, expected) in [
            (text.to_owned(), expected.map(str::to_owned)),
            (text.replace('\n', "\r\n"), expected.map(|it| it.replace('\n', "\r\n"))),
        ] {
            let root = yaml::parse(&text).root.expect("valid YAML");
            let NodeKind::Mapping(pairs) = &root.kind else { panic!("no hash") };
            let edit = remove_pair(&text, pairs, number);
            assert_eq!(edit.map(|edit| apply_edits(&text, &[edit])), expected, "{text}");
        }
    }

    #[test]
    fn whole_lines_go() {
        check("a: 1\nb: 2\nc: 3\n", 1, Some("a: 1\nc: 3\n"));
        check("a: 1 # why\nb: 2", 0, Some("b: 2"));
        check("a: 1\nb: 2", 1, Some("a: 1\n"));
        check(
            "# of a\na:\n  x: |\n    text\n\n# of b\nb: 2\n",
            0,
            Some("# of a\n\n# of b\nb: 2\n"),
        );
        check("a: 'x\n  y'\nb:\n  - 1\n  - 2\n", 1, Some("a: 'x\n  y'\n"));
    }

    #[test]
    fn pairs_in_braces_take_a_comma_with_them() {
        check("{a: 1, b: 2}", 0, Some("{b: 2}"));
        check("{a: 1, b: 2}", 1, Some("{a: 1}"));
        check("{\n  a: 1,\n  b: 2\n}", 0, None);
    }

    #[test]
    fn what_is_needed_stays() {
        check("a: 1\n", 0, None);
        check("a: &x 1\nb: *x\n", 0, None);
    }
}
