//! Parses YAML with libyaml, the parser that Puppet itself uses, into a tree with byte ranges.
//!
//! This is the only module that uses the YAML library.

mod decode;
mod events;
mod scan;
mod source;
mod tree;

use super::tree::{Node, Pair};
use crate::limits::MAX_YAML_NESTING;
use crate::text::TextRange;
use events::{EventKind, Events, ScanError};

pub use decode::decode_map;
pub(crate) use scan::may_be_refused;
pub use scan::{EntryFlags, RootScan, ScanStep};

/// Replaces the entries before the one that is parsed, so that libyaml reads it as if it were in the middle of a file.
const PRECEDING: &[u8] = b"a:\n";

/// The content of a YAML text.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The root of the first document; `None` if the text has no node, or if the error is before the end of the document.
    pub root: Option<Node>,
    /// Why the text is refused.
    pub error: Option<YamlError>,
    /// Where the second document starts, if there is one. Puppet reads only the first.
    pub second_document: Option<u32>,
}

/// Why libyaml refuses a text, in the words of Ruby's Psych.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// Problem and context, e.g. `did not find expected key while parsing a block mapping`.
    pub message: String,
    /// The byte at which the problem was found.
    pub offset: u32,
    /// The position in Psych's message, often the start of the construct that could not be finished.
    pub named: NamedPlace,
    /// Whether the text has a character that YAML forbids, which libyaml found while reading ahead.
    pub is_of_reader: bool,
    /// Whether something has no end. Users then look for its start.
    pub(super) has_no_end: bool,
    /// Whether it is our own limit, [`MAX_YAML_NESTING`], that is exceeded, and not an error of libyaml.
    pub is_too_deep: bool,
}

/// The position that Psych names in a message: the start of the construct that libyaml could not finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPlace {
    /// This byte of the text.
    At(u32),
    /// The first key of the file's root hash.
    RootHash,
    /// Line 1, column 1, because libyaml has no position.
    Begin,
}

/// Parses the first document of `text`.
pub fn parse(text: &str) -> Parsed {
    tree::parse_document(text)
}

/// Parses top-level entries as libyaml does in the middle of a block hash. `text` starts with the key of the first entry, at
/// column 0. The ranges of each pair are relative to the first byte of its own entry. libyaml is needed only for texts of an
/// unusual form.
pub fn parse_entries(text: &str) -> Result<Vec<Pair>, YamlError> {
    tree::parse_pairs(text)
}

/// [`parse_entries`] by libyaml alone.
#[cfg(test)]
pub(super) fn pairs_by_libyaml(text: &str) -> Result<Vec<Pair>, YamlError> {
    tree::pairs_by_libyaml(text)
}

impl YamlError {
    /// libyaml's error, with its marks moved back by the length of the bytes before the text.
    fn new(error: ScanError, preceding: &[u8]) -> Self {
        let named = match error.context_index {
            None => NamedPlace::Begin,
            Some(index) if index < preceding.len() => NamedPlace::RootHash,
            Some(index) => NamedPlace::At((index - preceding.len()) as u32),
        };
        let has_no_end = error.context.as_deref().is_some_and(|context| {
            context.starts_with("while scanning") || context.starts_with("while parsing a flow")
        });
        let problem = libyaml_spells_it_hexdecimal(&error.problem);
        let message = match error.context {
            Some(context) => format!("{problem} {context}"),
            None => problem,
        };
        let offset = error.problem_index.saturating_sub(preceding.len()) as u32;
        let is_of_reader = error.is_of_reader;
        Self { message, offset, named, is_of_reader, has_no_end, is_too_deep: false }
    }

    /// The same error in a text in which the content of byte `old` is at byte `new`.
    #[must_use]
    pub fn shifted(mut self, old: u32, new: u32) -> Self {
        let shift = |at: u32| (at + new).saturating_sub(old);
        self.offset = shift(self.offset);
        if let NamedPlace::At(at) = self.named {
            self.named = NamedPlace::At(shift(at));
        }
        self
    }

    /// Names the root hash, which starts at byte `root`, instead of that byte: an edit may move the error, but not the hash.
    pub fn name_root_hash(&mut self, root: u32) {
        let is_about_hash = self.message.ends_with("while parsing a block mapping");
        if is_about_hash && self.named == NamedPlace::At(root) {
            self.named = NamedPlace::RootHash;
        }
    }

    /// The range to mark in `text`: the rest of the line from the problem on. For a construct without an end (a quoted
    /// string, a bracket, a key without a colon), it starts where the construct starts.
    pub fn range(&self, text: &str) -> TextRange {
        let at = match self.named {
            NamedPlace::At(at) if self.has_no_end => at,
            _ => self.offset,
        };
        source::rest_of_line(text, at as usize)
    }

    /// The line and column in Psych's message for `text`, whose root hash starts at byte `root`. Both start at 1; columns
    /// count characters.
    pub fn line_and_column(&self, text: &str, root: u32) -> (u32, u32) {
        match self.named {
            NamedPlace::At(at) => source::line_and_column(text, at as usize),
            NamedPlace::RootHash => source::line_and_column(text, root as usize),
            NamedPlace::Begin => (1, 1),
        }
    }

    fn too_deep(offset: u32) -> Self {
        Self {
            message: "stack level too deep".to_owned(),
            offset,
            named: NamedPlace::Begin,
            is_of_reader: false,
            has_no_end: false,
            is_too_deep: true,
        }
    }

    /// libyaml's error if an entry should start but does not.
    pub fn no_key() -> Self {
        Self {
            message: "did not find expected key while parsing a block mapping".to_owned(),
            offset: 0,
            named: NamedPlace::RootHash,
            is_of_reader: false,
            has_no_end: false,
            is_too_deep: false,
        }
    }
}

/// The `[` and `{` that are open where libyaml refuses `text`, from the outermost on, and the byte at which it does.
pub fn open_brackets(text: &str) -> (Vec<u32>, u32) {
    let mut events = start(text, &[]);
    let mut open: Vec<Option<u32>> = Vec::new();
    let refused_at = loop {
        let event = match events.next() {
            Ok(event) => event,
            Err(error) => break error.problem_index,
        };
        let at = event.start();
        match event.kind() {
            EventKind::MappingStart { is_block: true, .. } => open.push(None),
            EventKind::SequenceStart(_) | EventKind::MappingStart { .. } => {
                let is_bracket = text.as_bytes().get(at).is_some_and(|it| b"[{".contains(it));
                open.push(is_bracket.then_some(at as u32));
            }
            EventKind::SequenceEnd | EventKind::MappingEnd => drop(open.pop()),
            EventKind::StreamEnd => return (Vec::new(), text.len() as u32),
            _ => {}
        }
        if open.len() > MAX_YAML_NESTING {
            return (Vec::new(), at as u32);
        }
    };
    (open.into_iter().flatten().collect(), refused_at as u32)
}

/// libyaml's message for bytes that are not UTF-8; `bytes` starts at the first invalid one.
pub fn utf8_problem(bytes: &[u8]) -> String {
    let mut events = Events::new(&[], bytes);
    loop {
        match events.next().map(|event| matches!(event.kind(), EventKind::StreamEnd)) {
            Ok(false) => {}
            Ok(true) => return "invalid leading UTF-8 octet".to_owned(),
            Err(error) => return error.problem,
        }
    }
}

/// Whether `text` has a character that YAML forbids. libyaml reads ahead in pieces and reports such a character before any
/// other error.
pub fn has_forbidden_character(text: &str) -> bool {
    source::has_forbidden_character(text)
}

fn start<'t>(text: &'t str, preceding: &'t [u8]) -> Events<'t> {
    Events::new(preceding, text.as_bytes())
}

/// libyaml 0.2.5, which Puppet uses, has this misspelling; its Rust port corrected it.
fn libyaml_spells_it_hexdecimal(problem: &str) -> String {
    problem.replace("hexadecimal", "hexdecimal")
}
