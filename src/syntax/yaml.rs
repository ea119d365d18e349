//! YAML by libyaml, the parser that Puppet itself uses, into a tree with byte ranges.
//!
//! The only module that knows the YAML library.

mod decode;
mod events;
mod scan;
mod source;
mod tree;

use super::tree::{Node, Pair};
use crate::text::TextRange;
use events::{Events, ScanError};

pub use decode::decode_map;
pub(crate) use scan::may_be_refused;
pub use scan::{EntryFlags, RootScan, ScanStep};

/// Lists and hashes inside each other before a text is refused. libyaml needs time in the square of the depth, and Ruby
/// itself gives up (`stack level too deep`) at some 900.
pub const MAX_NESTING: usize = 500;

/// What stands in for the entries before the one that is parsed: libyaml then reads it as in the middle of a file.
const SCENE: &[u8] = b"a:\n";

/// What a YAML text holds.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The first document's root; `None` for a text without any node, or if the error came before its end.
    pub root: Option<Node>,
    /// Why the text is refused.
    pub error: Option<YamlError>,
    /// Where the second document begins, if there is one. Puppet reads the first alone.
    pub second_document: Option<u32>,
}

/// Why libyaml refuses a text, in the words that Ruby's Psych makes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// Problem and context, e.g. `did not find expected key while parsing a block mapping`.
    pub message: String,
    /// Byte at which the problem was seen.
    pub offset: u32,
    /// The place that Psych's message names, often the begin of what could not be finished.
    pub named: NamedPlace,
    /// Whether the text has a character that YAML forbids, found while reading ahead.
    pub is_of_reader: bool,
    /// Whether something has no end: then its begin is what users look for.
    has_no_end: bool,
    /// Whether it is our own limit, [`MAX_NESTING`], and not libyaml that refuses.
    pub is_too_deep: bool,
}

/// The place that Psych names in a message: where that began which libyaml could not finish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedPlace {
    /// This byte of the text.
    At(u32),
    /// The first key of the file's root hash.
    RootHash,
    /// Line 1, column 1: libyaml knew no place.
    Begin,
}

/// Parses the first document of `text`.
pub fn parse(text: &str) -> Parsed {
    tree::parse_document(text)
}

/// Parses top-level entries (`text` begins with the key of the first, at column 0) as libyaml does in the middle of a
/// block hash. The ranges of each pair count from the first byte of its own entry.
pub fn parse_entries(text: &str) -> Result<Vec<Pair>, YamlError> {
    tree::parse_pairs(text)
}

impl YamlError {
    /// libyaml's error, its marks moved back by the scene that stood before the text.
    fn new(error: ScanError, scene: &[u8]) -> Self {
        let named = match error.context_index {
            None => NamedPlace::Begin,
            Some(index) if index < scene.len() => NamedPlace::RootHash,
            Some(index) => NamedPlace::At((index - scene.len()) as u32),
        };
        let has_no_end = error.context.as_deref().is_some_and(|context| {
            context.starts_with("while scanning") || context.starts_with("while parsing a flow")
        });
        let problem = libyaml_spells_it_hexdecimal(&error.problem);
        let message = match error.context {
            Some(context) => format!("{problem} {context}"),
            None => problem,
        };
        let offset = error.problem_index.saturating_sub(scene.len()) as u32;
        let is_of_reader = error.is_of_reader;
        Self { message, offset, named, is_of_reader, has_no_end, is_too_deep: false }
    }

    /// The same error in a text in which what stood at byte `old` stands at byte `new`.
    #[must_use]
    pub fn shifted(mut self, old: u32, new: u32) -> Self {
        let shift = |at: u32| (at + new).saturating_sub(old);
        self.offset = shift(self.offset);
        if let NamedPlace::At(at) = self.named {
            self.named = NamedPlace::At(shift(at));
        }
        self
    }

    /// What an editor should mark in `text`: the rest of the line from where it went wrong; for what does not end (a
    /// quoted text, a bracket, a key without colon), from its begin.
    pub fn range(&self, text: &str) -> TextRange {
        let at = match self.named {
            NamedPlace::At(at) if self.has_no_end => at,
            _ => self.offset,
        };
        source::rest_of_line(text, at as usize)
    }

    /// The line and column (both from 1; columns count characters) that Psych's message names in `text`, whose root hash
    /// begins at byte `root`.
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

    /// What libyaml says where an entry should begin and does not.
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

/// What libyaml says of bytes that are no UTF-8; `bytes` begin where they stop being it.
pub fn utf8_problem(bytes: &[u8]) -> String {
    let mut events = Events::new(&[], bytes);
    loop {
        match events.next().map(|event| matches!(event.kind(), events::EventKind::StreamEnd)) {
            Ok(false) => {}
            Ok(true) => return "invalid leading UTF-8 octet".to_owned(),
            Err(error) => return error.problem,
        }
    }
}

/// Whether `text` has a character that YAML forbids. libyaml reads ahead in pieces and then reports such a character
/// before whatever else is wrong.
pub fn has_forbidden_character(text: &str) -> bool {
    source::has_forbidden_character(text)
}

fn start<'t>(text: &'t str, scene: &'t [u8]) -> Events<'t> {
    Events::new(scene, text.as_bytes())
}

/// libyaml 0.2.5, which Puppet runs on, has this typing error; its Rust port mended it.
fn libyaml_spells_it_hexdecimal(problem: &str) -> String {
    problem.replace("hexadecimal", "hexdecimal")
}
