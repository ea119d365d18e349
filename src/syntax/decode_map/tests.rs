//! Each character of a decoded scalar must be found where it is written.

use proptest::prelude::*;

use super::*;
use crate::syntax::{json, yaml};

fn scalars<'n>(node: &'n Node, found: &mut Vec<&'n Node>) {
    match &node.kind {
        NodeKind::Scalar { .. } => found.push(node),
        NodeKind::Sequence(items) => items.iter().for_each(|item| scalars(item, found)),
        NodeKind::Mapping(pairs) => {
            for pair in pairs {
                scalars(&pair.key, found);
                scalars(&pair.value, found);
            }
        }
        NodeKind::Alias(_) => {}
    }
}

/// The map's pieces must add up to the text, and its verbatim pieces must equal the source.
#[track_caller]
fn check_pieces(source: &str, node: &Node, map: &DecodeMap) {
    let NodeKind::Scalar { text, .. } = &node.kind else { panic!("a scalar was expected") };
    let is_given_up = map.pieces.len() == 1
        && !map.pieces[0].is_verbatim
        && map.pieces[0].source == node.range
        && text.len() > 1;
    assert!(!is_given_up, "no map for {node:?} of {source:?}");
    let mut decoded = 0;
    for piece in &map.pieces {
        assert_eq!(piece.decoded.start, decoded, "pieces of {source:?}");
        decoded = piece.decoded.end;
        if piece.is_verbatim {
            assert_eq!(
                piece.source.slice(source),
                piece.decoded.slice(text),
                "{node:?} of {source:?}: {map:?}"
            );
        }
    }
    assert_eq!(decoded as usize, text.len());
}

#[track_caller]
fn check_yaml(source: &str) {
    let root = yaml::parse(source).root;
    let mut found = Vec::new();
    if let Some(root) = &root {
        scalars(root, &mut found);
    }
    for node in found {
        check_pieces(source, node, &yaml::decode_map(source, node));
    }
}

/// Where `wanted` of the decoded value is written.
#[track_caller]
fn check(source: &str, wanted: &str, written: &str) {
    let root = yaml::parse(source).root.expect("a document");
    let NodeKind::Mapping(pairs) = &root.kind else { panic!("a hash was expected") };
    let NodeKind::Scalar { text, .. } = &pairs[0].value.kind else {
        panic!("a scalar was expected")
    };
    let start = text.find(wanted).expect("the decoded text has it") as u32;
    let map = yaml::decode_map(source, &pairs[0].value);
    let range = map.source_range(TextRange::new(start, start + wanted.len() as u32));
    assert_eq!(range.slice(source), written);
    check_yaml(source);
}

#[test]
fn plain_and_quoted_text() {
    check("a: x %{b} y\n", "%{b}", "%{b}");
    check("a: 'it''s %{b}'\n", "%{b}", "%{b}");
    check("a: 'it''s'\n", "'s", "''s");
    check("a: \"\\tx \\u00e4%{b}\"\n", "%{b}", "%{b}");
    check("a: \"\\tx \\u00e4%{b}\"\n", "ä%", "\\u00e4%");
}

#[test]
fn lines_that_are_folded() {
    check("a: one\n   two\n\n   three\n", "two\nthree", "two\n\n   three");
    check("a: 'one  \n   two'\n", "e t", "e  \n   t");
    check("a: \"one \\\n   two\"\n", "two", "two");
    check("a: \"one\r\n   two\"\r\n", "two", "two");
}

#[test]
fn block_scalars() {
    check("a: |\n  one\n   two\n\n  three\n", "two\n\nthree", "two\n\n  three");
    check("a: >\n  one\n  two\n\n  three\n   four\n  five\n", "one two", "one\n  two");
    check("a: >-\n  one\n  two\n\n  three\n   four\n  five\n", " four\nfive", " four\n  five");
    check("a: |2\n    one\n  two\n", "  one", "  one");
    check("a: |+\n\n  one\n\n", "one", "one");
}

#[test]
fn json_strings() {
    let source = "{\"a\": \"\\u00e4\\ud83d\\ude00%{b}\\n\"}";
    let root = json::parse(source).root.expect("it is sound");
    let NodeKind::Mapping(pairs) = &root.kind else { panic!("an object was expected") };
    let map = json::decode_map(source, &pairs[0].value);
    check_pieces(source, &pairs[0].value, &map);
    assert_eq!(map.source_range(TextRange::new(2, 10)).slice(source), "\\ud83d\\ude00%{b}");
}

proptest! {
    #[test]
    fn quoted_text_is_found(inner in "([a-c ä%{}'\t]|\n ?|\r\n|\\\\[nt\" /\\\\]|\\\\\n|\\\\x41|\u{85}|\u{2028}){0,14}") {
        check_yaml(&format!("a: \"{inner}\"\n"));
        check_yaml(&format!("a: '{}'\n", inner.replace('\'', "''")));
        check_yaml(&format!("a: x{inner}\n"));
    }

    #[test]
    fn block_text_is_found(
        lines in prop::collection::vec("( {0,4}|  [a-c ä\t]{1,5})", 0..8),
        header in "[|>][-+]?",
        end in "\n|\r\n",
        is_closed in any::<bool>(),
    ) {
        let close = if is_closed { &*end } else { "" };
        check_yaml(&format!("a: {header}{end}{}{close}", lines.join(&end)));
        check_yaml(&format!("a: {header}{end}{}{end}b: 1\n", lines.join(&end)));
    }
}
