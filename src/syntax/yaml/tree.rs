//! Builds trees from libyaml's events.

use std::borrow::Cow;
use std::sync::Arc;

use super::events::{Event, EventKind, Events, Properties};
use super::source::{behind_properties, end_of_block_scalar};
use super::{PRECEDING, Parsed, YamlError};
use crate::limits::MAX_YAML_NESTING;
use crate::syntax::plain_yaml::plain_pairs;
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextRange;

pub(super) fn parse_document(text: &str) -> Parsed {
    let mut builder = Builder::new(text, &[]);
    let mut parsed = Parsed::default();
    if let Err(error) = builder.document(&mut parsed) {
        parsed = Parsed { error: Some(error), ..Parsed::default() };
    }
    parsed
}

/// The pairs of a text that starts with a root key. Ranges are relative to the key of the pair.
pub(super) fn parse_pairs(text: &str) -> Result<Vec<Pair>, YamlError> {
    match plain_pairs(text) {
        Some(pairs) => Ok(pairs),
        None => pairs_by_libyaml(text),
    }
}

/// The same by libyaml.
pub(super) fn pairs_by_libyaml(text: &str) -> Result<Vec<Pair>, YamlError> {
    let mut builder = Builder::new(text, PRECEDING);
    let mut parsed = Parsed::default();
    builder.document(&mut parsed)?;
    let preceding_is_whole = parsed.second_document.is_none();
    match parsed.root.map(|root| root.kind) {
        Some(NodeKind::Mapping(mut pairs)) if preceding_is_whole && is_empty(&pairs) => {
            pairs.remove(0);
            Ok(pairs)
        }
        // The text continued the entry before it, or ended the document, so it is not an entry of a block hash.
        _ => Err(YamlError::no_key()),
    }
}

fn is_empty(pairs: &[Pair]) -> bool {
    let value = pairs.first().map(|pair| &pair.value);
    value.is_some_and(|value| match &value.kind {
        NodeKind::Scalar { text, style } => {
            text.is_empty()
                && *style == ScalarStyle::Plain
                && value.tag.is_none()
                && value.anchor.is_none()
        }
        _ => false,
    })
}

struct Builder<'t> {
    events: Events<'t>,
    text: &'t str,
    preceding: &'t [u8],
    /// The byte of the text that ranges are relative to.
    base: usize,
    depth: usize,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str, preceding: &'t [u8]) -> Self {
        Self { events: super::start(text, preceding), text, preceding, base: 0, depth: 0 }
    }

    fn next(&mut self) -> Result<Event, YamlError> {
        self.events.next().map_err(|error| YamlError::new(error, self.preceding))
    }

    /// Reads up to the end of the first document. Psych stops there, so the rest may be broken.
    fn document(&mut self, parsed: &mut Parsed) -> Result<(), YamlError> {
        loop {
            let event = self.next()?;
            match event.kind() {
                EventKind::StreamEnd => return Ok(()),
                EventKind::DocumentStart => {
                    let root = self.next()?;
                    parsed.root = Some(self.node(&root)?);
                    let end = self.next()?;
                    if let EventKind::DocumentEnd { implicit } = end.kind()
                        // The first document ends at its `...`, or at the `---` of the second one.
                        && (!implicit || end.start() < self.preceding.len() + self.text.len())
                    {
                        parsed.second_document = Some(self.offset(end.end()));
                    }
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    fn offset(&self, index: usize) -> u32 {
        index.saturating_sub(self.preceding.len() + self.base) as u32
    }

    /// The text that ranges refer to.
    fn source(&self) -> &'t str {
        self.text.get(self.base..).unwrap_or("")
    }

    fn node(&mut self, event: &Event) -> Result<Node, YamlError> {
        let (start, end) = (self.offset(event.start()), self.offset(event.end()));
        match event.kind() {
            EventKind::Alias(name) => Ok(Node {
                range: TextRange::new(start, end),
                tag: None,
                anchor: None,
                kind: NodeKind::Alias(name.into()),
            }),
            EventKind::Scalar { properties, text, style } => {
                Ok(self.scalar(properties, (start, end), text, style))
            }
            EventKind::SequenceStart(properties) => self.sequence(properties, start),
            EventKind::MappingStart { properties, .. } => self.mapping(properties, start),
            _ => {
                Ok(self.scalar(Properties::default(), (start, end), "".into(), ScalarStyle::Plain))
            }
        }
    }

    fn scalar(
        &self,
        properties: Properties<'_>,
        (start, end): (u32, u32),
        text: Cow<'_, str>,
        style: ScalarStyle,
    ) -> Node {
        let start = self.begin(&properties, start, end);
        let end = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                end_of_block_scalar(self.source(), start as usize, end as usize) as u32
            }
            _ => end,
        };
        node(properties, start, end, NodeKind::Scalar { text: text.into(), style })
    }

    fn sequence(&mut self, properties: Properties<'_>, start: u32) -> Result<Node, YamlError> {
        self.enter(start)?;
        let mut items = Vec::new();
        let last_event = loop {
            let event = self.next()?;
            if let EventKind::SequenceEnd = event.kind() {
                break event;
            }
            items.push(self.node(&event)?);
        };
        self.depth -= 1;
        let last_item = items.last().map(|item: &Node| item.range.end);
        let end = self.end_of_collection(&last_event, last_item);
        let start = self.begin(&properties, start, end);
        Ok(node(properties, start, end, NodeKind::Sequence(items)))
    }

    fn mapping(&mut self, properties: Properties<'_>, start: u32) -> Result<Node, YamlError> {
        self.enter(start)?;
        let mut pairs: Vec<Pair> = Vec::new();
        let last_event = loop {
            let event = self.next()?;
            if let EventKind::MappingEnd = event.kind() {
                break event;
            }
            // The ranges of a pair are relative to its key, so each pair of the root hash moves the base.
            if self.depth == 1 && !self.preceding.is_empty() {
                self.base = event.start().saturating_sub(self.preceding.len());
            }
            let key = self.node(&event)?;
            let event = self.next()?;
            let value = self.node(&event)?;
            pairs.push(Pair { key, value });
        };
        self.depth -= 1;
        let last = pairs.last().map(|pair| pair.value.range.end.max(pair.key.range.end));
        let end = self.end_of_collection(&last_event, last);
        let start = self.begin(&properties, start, end);
        Ok(node(properties, start, end, NodeKind::Mapping(pairs)))
    }

    /// Where a collection ends. Closing brackets have a width. A block collection ends with its last member, while libyaml
    /// extends it to the next token.
    fn end_of_collection(&self, end: &Event, last_member: Option<u32>) -> u32 {
        match last_member {
            Some(last) if end.start() == end.end() => last,
            _ => self.offset(end.end()),
        }
    }

    fn begin(&self, properties: &Properties<'_>, start: u32, end: u32) -> u32 {
        if properties.tag.is_none() && properties.anchor.is_none() {
            return start;
        }
        (behind_properties(self.source(), start as usize, end as usize) as u32).min(end)
    }

    fn enter(&mut self, offset: u32) -> Result<(), YamlError> {
        self.depth += 1;
        if self.depth <= MAX_YAML_NESTING { Ok(()) } else { Err(YamlError::too_deep(offset)) }
    }
}

fn node(properties: Properties<'_>, start: u32, end: u32, kind: NodeKind) -> Node {
    let owned = |text: Option<Cow<'_, str>>| text.map(Arc::from);
    Node {
        range: TextRange::new(start, end.max(start)),
        tag: owned(properties.tag),
        anchor: owned(properties.anchor),
        kind,
    }
}
