//! The strings of a tree that contain `%{…}`, and the positions of their tokens.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::limits::MAX_SEARCHED_TEXT_BYTES;
use crate::syntax::decode_map::DecodeMap;
use crate::syntax::interpolation::{self, Token};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::syntax::yaml;
use crate::text::{TextEdit, TextRange};

/// What HOCON's strings without escapes start and end with. No string of YAML or JSON contains it.
const TRIPLE_QUOTES: &str = "\"\"\"";

/// A string that Puppet interpolates.
#[derive(Debug)]
pub struct StringNode<'a> {
    /// The scalar.
    pub node: &'a Node,
    /// Its decoded text.
    pub text: &'a str,
    /// Its tokens, in decoded offsets.
    pub tokens: Vec<Token>,
    /// Whether it is known to be a key of a hash in a value.
    pub is_key: bool,
    source: &'a str,
    /// Created when the first position is needed, because a string may contain thousands of tokens.
    map: OnceCell<DecodeMap>,
}

/// All strings in a value, including the keys of its hashes, that contain a `%{`. `source` is the text to which the tree's
/// ranges refer.
pub fn interpolated_strings<'a>(source: &'a str, value: &'a Node) -> Vec<StringNode<'a>> {
    let mut strings = Vec::new();
    let mut waiting = vec![(value, false)];
    while let Some((node, is_key)) = waiting.pop() {
        match &node.kind {
            NodeKind::Scalar { .. } => {
                let string = StringNode::of(source, node);
                strings.extend(string.map(|it| StringNode { is_key, ..it }));
            }
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev().map(|it| (it, false))),
            NodeKind::Mapping(pairs) => {
                let members = |pair: &'a Pair| [(&pair.value, false), (&pair.key, true)];
                waiting.extend(pairs.iter().rev().flat_map(members));
            }
            NodeKind::Alias(_) => {}
        }
    }
    strings
}

/// A name in a token, and the range of the whole token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlacedName {
    /// The variable with its sub keys, or the looked-up key.
    pub name: Arc<str>,
    /// The token, from `%` to `}`.
    pub range: TextRange,
    /// The range of the name; `None` if it is written with escapes.
    pub name_range: Option<TextRange>,
}

/// The variables that the tokens of some strings read.
pub(crate) fn variables(strings: &[StringNode<'_>]) -> Vec<PlacedName> {
    placed_names(strings, Token::variable)
}

/// The keys that the tokens of some strings look up.
pub(crate) fn looked_up_keys(strings: &[StringNode<'_>]) -> Vec<PlacedName> {
    placed_names(strings, Token::lookup_key)
}

fn placed_names(
    strings: &[StringNode<'_>],
    name_of: impl Fn(&Token) -> Option<(&Arc<str>, TextRange)>,
) -> Vec<PlacedName> {
    let mut names = Vec::new();
    for string in strings {
        for token in &string.tokens {
            if let Some((name, part)) = name_of(token) {
                names.push(PlacedName {
                    name: name.clone(),
                    range: string.source_range(token.range),
                    name_range: string.verbatim_range(token, part),
                });
            }
        }
    }
    names
}

impl<'a> StringNode<'a> {
    /// The scalar `node` as a string with tokens; `None` if it contains no `%{`.
    pub fn of(source: &'a str, node: &'a Node) -> Option<Self> {
        let NodeKind::Scalar { text, .. } = &node.kind else { return None };
        let tokens = interpolation::may_have_tokens(text).then(|| interpolation::tokens(text))?;
        Some(Self { node, text, tokens, is_key: false, source, map: OnceCell::new() })
    }

    /// The source range of a part of a token; `part` is in decoded offsets.
    pub fn part_range(&self, token: &Token, part: TextRange) -> TextRange {
        let written = self.source_range(token.range);
        if written.slice(self.source) == token.range.slice(self.text) {
            let start = written.start + (part.start - token.range.start);
            return TextRange::new(start, start + part.len());
        }
        self.source_range(part)
    }

    /// The source range of a part of a token (in decoded offsets), if the part is written without escapes.
    pub fn verbatim_range(&self, token: &Token, part: TextRange) -> Option<TextRange> {
        let written = self.part_range(token, part);
        (written.slice(self.source) == part.slice(self.text)).then_some(written)
    }

    /// The edit that replaces a part of a token (in decoded offsets) with `new`, with the quotes and escapes that the string
    /// needs. `None` if that would change more than the token.
    pub fn rewritten(&self, token: &Token, part: TextRange, new: &str) -> Option<TextEdit> {
        let NodeKind::Scalar { style, .. } = &self.node.kind else { return None };
        if *style == ScalarStyle::DoubleQuoted
            && self.node.range.slice(self.source).contains(TRIPLE_QUOTES)
        {
            return self.rewritten_in_triple_quotes(part, new);
        }
        let escaped = |text: &str| match style {
            ScalarStyle::SingleQuoted => text.replace('\'', "''"),
            ScalarStyle::DoubleQuoted => {
                let quoted = serde_json::Value::from(text).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }
            ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => text.to_owned(),
        };
        if let Some(range) = self.verbatim_range(token, part) {
            return Some(TextEdit::replace(range, escaped(new)));
        }
        // The token itself has escapes: the string is rewritten, if that changes nothing else.
        let written = self.node.range.slice(self.source);
        let quote = written.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let write = |text: &str| format!("{quote}{}{quote}", escaped(text));
        let (start, end) = (part.start as usize, part.end as usize);
        let text = format!("{}{new}{}", &self.text[..start], &self.text[end..]);
        (write(self.text) == written).then(|| TextEdit::replace(self.node.range, write(&text)))
    }

    /// [`Self::rewritten`] for the expression of a token. The second pair of braces of a `%{{…}}` goes.
    pub fn rewritten_expression(&self, token: &Token, new: &str) -> Option<TextEdit> {
        let expression = token.expression_range;
        let behind = &self.text[token.range.end as usize..];
        if !expression.slice(self.text).starts_with('{') || !behind.starts_with('}') {
            return self.rewritten(token, expression, new);
        }
        let part = TextRange::new(expression.start, token.range.end + 1);
        self.rewritten(token, part, &format!("{new}}}"))
    }

    /// [`Self::rewritten`] for a string of HOCON within triple quotes, which has no escapes.
    fn rewritten_in_triple_quotes(&self, part: TextRange, new: &str) -> Option<TextEdit> {
        let written = self.node.range.slice(self.source);
        let inner = written.strip_prefix(TRIPLE_QUOTES)?.strip_suffix(TRIPLE_QUOTES)?;
        let (before, behind) = (&inner[..part.start as usize], &inner[part.end as usize..]);
        // Several strings beside each other are one string, too, and only some of them may have escapes.
        let is_one = inner == self.text && ![before, new, behind].concat().contains(TRIPLE_QUOTES);
        let start = self.node.range.start + TRIPLE_QUOTES.len() as u32;
        is_one.then(|| TextEdit::replace(part.shifted(start), new))
    }

    /// The edit that changes the string to this text, with its present quotes. `None` if more would change.
    pub fn rewritten_text(&self, text: &str) -> Option<TextEdit> {
        let written = self.node.range.slice(self.source);
        let inner = TextRange::new(self.node.range.start + 1, self.node.range.end.max(2) - 1);
        let at = written.find(text).filter(|_| written.starts_with(['\'', '"']))?;
        let before = TextRange::new(inner.start, self.node.range.start + at as u32);
        let is_blank = |range: TextRange| range.slice(self.source).trim().is_empty();
        let after = TextRange::new(before.end + text.len() as u32, inner.end);
        (is_blank(before) && is_blank(after)).then(|| TextEdit::replace(inner, text))
    }

    /// The source range of a range of the decoded text.
    pub fn source_range(&self, decoded: TextRange) -> TextRange {
        // JSON's escapes are a subset of YAML's. For HOCON strings of several pieces, positions are found only by searching
        // the text.
        let map = self.map.get_or_init(|| yaml::decode_map(self.source, self.node));
        let mapped = map.source_range(decoded);
        let written = self.node.range.slice(self.source);
        let wanted = decoded.slice(self.text);
        if mapped.slice(self.source) == wanted || written.len() > MAX_SEARCHED_TEXT_BYTES {
            return mapped;
        }
        // The same text may occur several times, so its number in the decoded string decides.
        let before = self.text.get(..decoded.start as usize).unwrap_or("");
        let nth = before.matches(wanted).count();
        match written.match_indices(wanted).nth(nth) {
            Some((at, _)) => {
                let start = self.node.range.start + at as u32;
                TextRange::new(start, start + decoded.len())
            }
            None => mapped,
        }
    }
}
