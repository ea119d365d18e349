//! Converts previews: questions from the protocol, documents to the protocol, and the URIs of documents.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Result};
use tower_lsp_server::ls_types::{Location, Position, TextDocumentIdentifier, Uri};

use super::context::Context;
use super::{from_proto, to_proto};
use crate::data::{FileId, Files, Place};
use crate::ide::changes;
use crate::ide::preview::{
    self, Counterpart, Language, LineKind, Preview, Question, Scope, UnknownNode,
};
use crate::text::{Encoding, LineIndex};
use crate::world::{Before, FileEntry, World};

/// The scheme of the URIs.
pub(super) const SCHEME: &str = "hiera-ls";

/// A question of a client.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct QuestionParams {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text_document: Option<TextDocumentIdentifier>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<String>,
    #[serde(skip_serializing_if = "ScopeName::is_key")]
    pub(super) scope: ScopeName,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) full: bool,
}

/// What the preview shows: a key, a file or a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScopeName {
    #[default]
    Key,
    File,
    Node,
}

/// The other side of a comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct With {
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    saved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
}

/// Selects one of the documents for a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    Value,
    Explanation,
    AllNodes,
    Difference,
    Left,
    Right,
    Changes,
}

/// A document that a URI names.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) view: View,
    pub(super) question: QuestionParams,
    pub(super) with: With,
}

/// A preview in the form that clients get.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PreviewItem {
    title: String,
    uri: String,
    language_id: &'static str,
    text: String,
    key: Option<String>,
    node: Option<String>,
    environment: String,
    lines: Vec<LineItem>,
}

#[derive(Debug, Clone, Serialize)]
struct LineItem {
    line: u32,
    kind: &'static str,
    location: Option<Location>,
    origin: Option<Columns>,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Columns {
    start: u32,
    end: u32,
}

impl ScopeName {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
    fn is_key(&self) -> bool {
        *self == Self::Key
    }
}

impl QuestionParams {
    /// Converts the question to our types.
    pub(super) fn question(&self, context: &Context) -> Question {
        let path = self.text_document.as_ref().and_then(|it| from_proto::path(&it.uri));
        let offset = path.as_ref().zip(self.position).and_then(|(path, position)| {
            let file = context.world.file(path).ok()?;
            Some(from_proto::offset(context, &file, position))
        });
        Question {
            path: path.map(Arc::from),
            offset,
            key: self.key.as_deref().map(Arc::from),
            node: self.node.as_deref().map(Arc::from),
            scope: match self.scope {
                ScopeName::Key => Scope::Key,
                ScopeName::File => Scope::File,
                ScopeName::Node => Scope::Node,
            },
            is_full: self.full,
            seen_from: None,
        }
    }
}

impl With {
    /// The other side of *What changes*: the one in the question, or else the one in the settings.
    pub(super) fn before(&self, world: &World) -> Result<Before> {
        match (&self.node, &self.revision) {
            (Some(_), _) => {
                Err(Error::invalid_params("`with` takes `saved: true` or a `revision` here"))
            }
            (None, Some(revision)) => Ok(Before::Revision(revision.as_str().into())),
            (None, None) if self.saved => Ok(Before::Saved),
            (None, None) => Ok(world.usual_before()),
        }
    }

    /// Converts the other side to our types.
    pub(super) fn counterpart(&self) -> Result<Counterpart> {
        match &self.node {
            Some(node) => Ok(Counterpart::Node(node.as_str().into())),
            None if self.saved => Ok(Counterpart::Saved),
            None => Err(Error::invalid_params("`with` needs a `node`, or `saved: true`")),
        }
    }
}

impl View {
    const NAMES: [(Self, &'static str); 7] = [
        (Self::Value, "value"),
        (Self::Explanation, "explanation"),
        (Self::AllNodes, "all-nodes"),
        (Self::Difference, "difference"),
        (Self::Left, "left"),
        (Self::Right, "right"),
        (Self::Changes, "changes"),
    ];

    fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(view, _)| *view == self).map_or("value", |(_, name)| name)
    }
}

impl Named {
    /// Returns the document for a question.
    pub(super) fn new(view: View, question: &QuestionParams) -> Self {
        Self { view, question: question.clone(), with: With::default() }
    }

    /// Parses the URI of a document; `None` if it is not one of ours.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let (scheme, rest) = uri.split_once(':')?;
        if !scheme.eq_ignore_ascii_case(SCHEME) {
            return None;
        }
        // A client may add a fragment, which is for itself.
        let (path, query) = rest.split('#').next()?.split_once('?')?;
        // The rest of the path is the title of the editor's tab. Only the query says what to show.
        let name = path.trim_start_matches('/').split('/').next()?;
        let (view, _) = View::NAMES.into_iter().find(|(_, it)| *it == name)?;
        let mut query: Value = serde_json::from_str(&from_proto::percent_decoded(query)?).ok()?;
        let with = query.get_mut("with").map(Value::take);
        let with = with.and_then(|with| serde_json::from_value(with).ok()).unwrap_or_default();
        Some(Self { view, question: serde_json::from_value(query).ok()?, with })
    }

    /// The URI of the document that shows `preview`. It contains the key that was found instead of a position.
    fn uri(&self, preview: &Preview) -> String {
        let question = QuestionParams {
            // An edit would move the position to another key while the document stays open.
            key: preview.key.clone().or_else(|| self.question.key.clone()),
            position: None,
            ..self.question.clone()
        };
        let mut query = serde_json::to_value(&question).unwrap_or_default();
        if self.with != With::default() {
            query["with"] = serde_json::to_value(&self.with).unwrap_or_default();
        }
        // The URI does not name the active node, because the user may choose another one.
        let subject = preview.title.split(" · ").next().unwrap_or_default();
        let view = match self.view {
            View::Explanation => " explained",
            View::AllNodes => " on all nodes",
            _ => "",
        };
        let node = question.node.as_ref().map_or(String::new(), |node| format!(" for {node}"));
        let extension = match preview.language {
            Language::Yaml => "yaml",
            Language::Diff => "diff",
            Language::Plain => "txt",
        };
        // A slash would cut the title in an editor's tab, so U+2215, which looks the same, takes its place.
        let title = format!("{}{view}{node}.{extension}", subject.replace('/', "∕"));
        let mut uri = format!("{SCHEME}:/{}/", self.view.name());
        push_encoded(&mut uri, &title);
        uri.push('?');
        push_encoded(&mut uri, &query.to_string());
        uri
    }
}

/// Converts a preview to the types of the protocol.
pub(super) fn item(context: &Context, named: &Named, preview: Preview) -> PreviewItem {
    let uri = named.uri(&preview);
    let texts: Vec<&str> = preview.text.lines().collect();
    let mut locations = Locations { context, files: HashMap::new() };
    let mut line = |line: &crate::ide::preview::PreviewLine| LineItem {
        line: line.line,
        kind: kind_name(line.kind),
        location: line.place.and_then(|place| locations.of(place)),
        // The text of a preview is in no file, so its columns are counted here.
        origin: line.origin.and_then(|origin| {
            let text = texts.get(line.line as usize)?;
            let column = |offset| column(text, offset, context.encoding);
            Some(Columns { start: column(origin.start), end: column(origin.end) })
        }),
    };
    let lines = preview.lines.iter().map(&mut line).collect();
    PreviewItem {
        uri,
        lines,
        language_id: match preview.language {
            Language::Yaml => "yaml",
            Language::Diff => "diff",
            Language::Plain => "plaintext",
        },
        title: preview.title,
        text: preview.text,
        key: preview.key,
        node: preview.node,
        environment: preview.environment,
    }
}

/// Converts the places of many lines, and looks up each file and its URI only once.
struct Locations<'a> {
    context: &'a Context,
    files: HashMap<FileId, Option<(Arc<FileEntry>, Uri)>>,
}

impl Locations<'_> {
    fn of(&mut self, place: Place) -> Option<Location> {
        let world = &self.context.world;
        let known = self.files.entry(place.file).or_insert_with(|| {
            let path = world.path(place.file);
            Some((world.file(&path).ok()?, to_proto::uri(self.context, &path)))
        });
        let (file, uri) = known.as_ref()?;
        Some(Location { uri: uri.clone(), range: to_proto::range(self.context, file, place.range) })
    }
}

/// Converts a place.
pub(super) fn location(context: &Context, place: Place) -> Option<Location> {
    to_proto::place(context, &context.world.path(place.file), place.range)
}

/// Converts a line of a file, counted from 1.
pub(super) fn line_location(context: &Context, path: &str, line: u32) -> Option<Location> {
    let file = context.world.file(path).ok()?;
    let lines = file.line_index();
    let line = line.saturating_sub(1).min(lines.line_count().saturating_sub(1));
    to_proto::place(context, path, lines.line_range(&file.text, line))
}

/// The error for a node that does not exist.
pub(super) fn unknown_node(error: &UnknownNode) -> Error {
    Error::invalid_params(error.to_string())
}

/// Returns the document of a URI, if there is one.
pub(super) fn document(context: &Context, uri: &Uri) -> Option<Preview> {
    let named = Named::parse(uri.as_str())?;
    let question = named.question.question(context);
    let (world, cancel) = (&context.world, &context.cancel);
    match named.view {
        View::Value => preview::merged_value(world, &question, cancel).ok()?,
        View::Explanation => Some(preview::explain(world, &question, cancel).ok()??.preview),
        View::AllNodes => Some(preview::all_nodes(world, &question, cancel).ok()??.preview),
        View::Changes => {
            let before = named.with.before(world).ok()?;
            Some(changes::changes(world, &question, &before, cancel).ok()??.preview)
        }
        View::Difference | View::Left | View::Right => {
            let with = named.with.counterpart().ok()?;
            let both = preview::compare(world, &question, &with, cancel).ok()??;
            Some(match named.view {
                View::Left => both.left,
                View::Right => both.right,
                _ => both.diff,
            })
        }
    }
}

fn column(line: &str, offset: u32, encoding: Encoding) -> u32 {
    LineIndex::new(line).line_col(line, offset, encoding).col
}

fn kind_name(kind: LineKind) -> &'static str {
    match kind {
        LineKind::Header => "header",
        LineKind::Value => "value",
        LineKind::Overridden => "overridden",
        LineKind::Removed => "removed",
        LineKind::Opaque => "opaque",
        LineKind::Case => "case",
        LineKind::Error => "error",
        LineKind::Added => "added",
        LineKind::Deleted => "deleted",
        LineKind::Outlier => "outlier",
        LineKind::More => "more",
    }
}

fn push_encoded(uri: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            // A slash would end the title, and a `?` would start the query, so both are escaped.
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => to_proto::push_escaped(uri, byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_name_their_question_again() {
        let question = QuestionParams {
            text_document: Some(TextDocumentIdentifier {
                uri: "file:///r/a%20b.yaml".parse().expect("a URI"),
            }),
            position: Some(Position { line: 1, character: 2 }),
            node: Some("wéb/01".to_owned()),
            ..QuestionParams::default()
        };
        let preview = Preview {
            title: "a::b · web01".to_owned(),
            language: Language::Yaml,
            text: String::new(),
            key: Some("a::b".to_owned()),
            node: None,
            environment: String::new(),
            lines: Vec::new(),
        };
        let with = With { saved: true, ..With::default() };
        let named = Named { view: View::Left, question, with: with.clone() };
        let uri = named.uri(&preview);
        assert!(uri.parse::<Uri>().is_ok(), "{uri}");
        let again = Named::parse(&uri).expect("it is one of ours");
        assert_eq!((again.view, again.with), (View::Left, with));
        assert_eq!(again.question.key.as_deref(), Some("a::b"));
        assert_eq!(again.question.node.as_deref(), Some("wéb/01"));
        assert_eq!(again.question.position, None);
        let file = again.question.text_document.expect("there is a file").uri;
        assert_eq!(file.as_str(), "file:///r/a%20b.yaml");
        for other in ["file:///x?{}", "hiera-ls:/value/x", "hiera-ls:/no/x?%7B%7D", "hiera-ls:"] {
            assert!(Named::parse(other).is_none(), "{other}");
        }
    }
}
