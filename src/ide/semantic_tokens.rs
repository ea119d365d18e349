//! Semantic tokens: keys, the parts of `%{…}`, encrypted values, and values that a higher level overrides.
//!
//! The editor's own highlighting of YAML, JSON and HOCON does the rest.

use std::sync::Arc;

use super::file_part::{FilePart, Known, Movable, joined, shifted};
use super::file_role::FileRole;
use super::overridden::Overridden;
use super::perspective::Perspective;
use super::shared_keys::{EntryAnswers, FileLookups};
use super::strings::StringNode;
use crate::data::EntryTree;
use crate::engine::CancelToken;
use crate::syntax::interpolation::{Expression, Token};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::TextRange;
use crate::world::World;

/// A piece of a file with a meaning. It may span several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticToken {
    /// The range, in bytes of the file.
    pub range: TextRange,
    /// Its kind.
    pub kind: SemanticKind,
    /// Whether a higher level overrides it.
    pub is_overridden: bool,
}

/// The kind of a piece of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SemanticKind {
    /// A hash key, or the key that `%{lookup('…')}` looks up.
    Key,
    /// A variable in `%{…}`.
    Variable,
    /// The function in `%{…}`.
    Function,
    /// `%{` and `}`.
    Braces,
    /// A text that is overridden.
    Text,
    /// A number that is overridden.
    Number,
    /// `ENC[…]`
    Encrypted,
}

impl SemanticKind {
    /// All kinds, in the order of their numbers in the protocol, with their names there.
    pub const NAMES: [(Self, &'static str); 7] = [
        (Self::Key, "property"),
        (Self::Variable, "variable"),
        (Self::Function, "function"),
        (Self::Braces, "operator"),
        (Self::Text, "string"),
        (Self::Number, "number"),
        (Self::Encrypted, "encrypted"),
    ];
}

/// The tokens that touch `range` (bytes) of the file at `path`, in order, without overlaps. Empty if the request was
/// cancelled.
pub fn semantic_tokens(
    world: &Arc<World>,
    path: &str,
    range: TextRange,
    cancel: &CancelToken,
) -> Vec<SemanticToken> {
    let mut found = joined(token_parts(world, path, range, &mut |_| false, cancel));
    found.retain(|token| token.range.start <= range.end && range.start <= token.range.end);
    found
}

/// The tokens of the entries that touch `range`, by section; `None` if the request was cancelled.
pub fn token_parts(
    world: &Arc<World>,
    path: &str,
    range: TextRange,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Vec<FilePart<SemanticToken>> {
    find(world, path, range, known, cancel).unwrap_or_default()
}

fn find(
    world: &Arc<World>,
    path: &str,
    range: TextRange,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Option<Vec<FilePart<SemanticToken>>> {
    let role = FileRole::of(world, path)?;
    let perspective = Perspective::shown(world, path);
    let file = world.file(path).ok()?;
    let mut found = Vec::new();
    let data = file.data(role.format());
    let perspective = perspective.as_ref().filter(|_| role.is_data());
    let answers = perspective.map(|perspective| {
        let lookups = FileLookups { perspective, path, cancel };
        (lookups, EntryAnswers::of(perspective, data))
    });
    for (number, section) in data.sections().enumerate() {
        if range.end < section.range.start || section.range.end < range.start {
            continue;
        }
        if cancel.is_cancelled() {
            return None;
        }
        let answers = answers.as_ref().map(|(it, answers)| (*it, answers.section(number)));
        let id = match &answers {
            // Entries outside of the range are left out, so these are not all findings of the section.
            _ if !range.contains_range(section.range) => 0,
            // Other files decide what is overridden, so the section's own number is not enough.
            Some((lookups, answers)) => answers.id(section, *lookups)?,
            None => section.id,
        };
        let tokens = || {
            let mut tokens = Vec::new();
            for (number, entry) in section.trees().enumerate() {
                let whole = entry.range();
                if range.end < whole.start || whole.end < range.start {
                    continue;
                }
                let answer = match answers {
                    Some((lookups, answers)) => Some(answers.get(number, entry, lookups)?),
                    None => None,
                };
                let overridden = answer.as_ref().map_or(&[][..], |it| &*it.overridden);
                let by = entry.start - section.range.start;
                tokens.extend(shifted(of_entry(entry, overridden), by));
            }
            Some(tokens)
        };
        found.push(FilePart::of(id, section.range.start, known, tokens)?);
    }
    Some(found)
}

/// The tokens of an entry, in order, without overlaps.
fn of_entry(entry: EntryTree<'_>, overridden: &[Overridden]) -> Vec<SemanticToken> {
    let mut found = Vec::new();
    Tokens { entry, overridden, found: &mut found }.pair(entry.key, entry.value);
    // HOCON inserts hashes that are written elsewhere.
    let (key, value) = (entry.key.range, entry.value.range);
    let own = TextRange::new(key.start, value.end.max(key.end));
    found.retain(|token| own.contains_range(token.range));
    found.sort_by_key(|token| (token.range.start, token.range.end));
    // Not every client accepts tokens that overlap.
    found.dedup_by(|later, earlier| later.range.start < earlier.range.end);
    found
}

impl Movable for SemanticToken {
    fn shift(&mut self, by: u32) {
        self.range = self.range.shifted(by);
    }
}

struct Tokens<'a> {
    entry: EntryTree<'a>,
    overridden: &'a [Overridden],
    found: &'a mut Vec<SemanticToken>,
}

impl Tokens<'_> {
    fn pair(&mut self, key: &Node, value: &Node) {
        if let NodeKind::Scalar { .. } = &key.kind {
            let range = key.range;
            let is_overridden = self
                .overridden
                .iter()
                .any(|it| it.key == range || (!it.is_scalar && it.value.contains_range(range)));
            if !self.interpolation(key, is_overridden) {
                self.push(key.range, SemanticKind::Key, is_overridden);
            }
        } else {
            self.value(key);
        }
        self.value(value);
    }

    fn value(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Mapping(pairs) => {
                for pair in pairs {
                    self.pair(&pair.key, &pair.value);
                }
            }
            NodeKind::Sequence(items) => items.iter().for_each(|item| self.value(item)),
            NodeKind::Scalar { text, style } => self.scalar(node, text, *style),
            NodeKind::Alias(_) => {}
        }
    }

    fn scalar(&mut self, node: &Node, text: &str, style: ScalarStyle) {
        let is_overridden = self.overridden.iter().any(|it| it.value.contains_range(node.range));
        if text.contains("ENC[") {
            self.push(node.range, SemanticKind::Encrypted, is_overridden);
        } else if !self.interpolation(node, is_overridden) && is_overridden {
            // All other scalars have the colours of the editor's own grammar.
            let is_number = style == ScalarStyle::Plain && text.parse::<f64>().is_ok();
            let kind = if is_number { SemanticKind::Number } else { SemanticKind::Text };
            self.push(node.range, kind, true);
        }
    }

    /// Adds the parts of the tokens in a scalar, and returns whether there are any.
    fn interpolation(&mut self, node: &Node, is_overridden: bool) -> bool {
        let Some(string) = StringNode::of(self.entry.text, node) else { return false };
        for token in &string.tokens {
            let written = string.source_range(token.range);
            // The parts of a token that is written with escapes have no known places.
            if written.slice(self.entry.text) == token.range.slice(string.text) {
                self.token(written, token, is_overridden);
            }
        }
        !string.tokens.is_empty()
    }

    /// `written` is the range of the token in the entry, if it is written without escapes.
    fn token(&mut self, written: TextRange, token: &Token, is_overridden: bool) {
        let at = |decoded: TextRange| {
            let start = written.start + (decoded.start - token.range.start);
            TextRange::new(start, start + decoded.len())
        };
        let open = TextRange::new(written.start, written.start + 2);
        let close = TextRange::new(written.end - 1, written.end);
        self.push(open, SemanticKind::Braces, is_overridden);
        match &token.expression {
            Expression::Empty => {}
            Expression::Variable(_) => {
                self.push(at(token.expression_range), SemanticKind::Variable, is_overridden);
            }
            Expression::Call { method, argument_range, .. } => {
                let start = token.expression_range.start;
                let name = TextRange::new(start, start + method.name().len() as u32);
                self.push(at(name), SemanticKind::Function, is_overridden);
                let kind = match (token.lookup_key(), token.variable()) {
                    (Some(_), _) => SemanticKind::Key,
                    (None, Some(_)) => SemanticKind::Variable,
                    (None, None) => SemanticKind::Text,
                };
                self.push(at(*argument_range), kind, is_overridden);
            }
        }
        self.push(close, SemanticKind::Braces, is_overridden);
    }

    fn push(&mut self, range: TextRange, kind: SemanticKind, is_overridden: bool) {
        if range.start < range.end {
            self.found.push(SemanticToken { range, kind, is_overridden });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::ide::fixture_world::ROOT;

    const FILES: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, path: common.yaml}
  - {name: Json, data_hash: json_data, path: j.json}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {a: 1}}}
";

    /// `expected`: `text:kind` of each token, with `!` for overridden ones.
    #[track_caller]
    fn check(files: &str, path: &str, expected: &str) {
        let fixture = Fixture::parse_without_marks(&format!("{FILES}{files}"));
        let file = fixture.file(path).expect("the file is there");
        let range = TextRange::new(0, file.text.len() as u32);
        let path = format!("{ROOT}{path}");
        let tokens = semantic_tokens(&fixture.world(), &path, range, &CancelToken::default());
        assert!(tokens.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        let shown = tokens.iter().map(|token| {
            let name = SemanticKind::NAMES.iter().find(|it| it.0 == token.kind);
            let name = name.expect("every kind has a name").1;
            let mark = if token.is_overridden { "!" } else { "" };
            format!("{}:{name}{mark}", token.range.slice(&file.text).replace('\n', "⏎"))
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn keys_and_tokens() {
        check(
            "#- /data/common.yaml\na: {'b c': \"😀%{lookup('k.x')} %{ facts.a }%{literal('%')}\"}\n",
            "/data/common.yaml",
            "a:property 'b c':property %{:operator lookup:function k.x:property }:operator %{:operator facts.a:variable }:operator %{:operator literal:function %:string }:operator",
        );
        check(
            "#- /data/common.yaml\r\nc:\r\n  ? [a, '%{b}']\r\n  : 1\r\nx: |\r\n  %{y}\r\nbroken: [\r\nz: 1\r\n",
            "/data/common.yaml",
            "c:property %{:operator b:variable }:operator x:property %{:operator y:variable }:operator z:property",
        );
    }

    #[test]
    fn what_is_overridden_or_encrypted() {
        check(
            "#- /data/common.yaml\na: 1\nb: {c: [x, 'ENC[PKCS7,MIIB]']}\nd: >\n  ENC[PKCS7,\n  MIIB]\n#- /data/nodes/web01.yaml\na: 2\nb: 1\n",
            "/data/common.yaml",
            "a:property! 1:number! b:property! c:property! x:string! 'ENC[PKCS7,MIIB]':encrypted! d:property >⏎  ENC[PKCS7,⏎  MIIB]:encrypted",
        );
        check(
            "#- /data/common.yaml\nlookup_options: {a: {merge: deep}}\na: {b: '%{facts.a}', c: text, d: 1}\n#- /data/nodes/web01.yaml\na: {b: 1, c: 1}\n",
            "/data/common.yaml",
            "lookup_options:property a:property merge:property a:property b:property %{:operator facts.a:variable }:operator c:property! text:string! d:property",
        );
    }

    #[test]
    fn other_files() {
        check(
            "#- /data/j.json\n{\"a\": {\"b\": \"%{x}\"}}\n",
            "/data/j.json",
            "\"a\":property \"b\":property %{:operator x:variable }:operator",
        );
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: c.conf, data_hash: hocon_data}]\n#- /data/c.conf\nbase { x: 1 }\na.copy = ${base} { y: \"%{z}\" }\n",
            "/data/c.conf",
            "base:property x:property a:property copy:property y:property %{:operator z:variable }:operator",
        );
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: a, path: '%{x}.yaml'}]\n",
            "/hiera.yaml",
            "version:property hierarchy:property name:property path:property %{:operator x:variable }:operator",
        );
    }
}
