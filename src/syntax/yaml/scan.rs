//! Scans the root keys of a block hash in one pass without a tree: where entries start, and the properties of each entry that
//! matter to other entries or to whether Puppet accepts the file.

use super::events::{Event, EventKind, Events, Properties, ScanError};
use super::{PRECEDING, YamlError};
use crate::limits::MAX_YAML_NESTING;
use crate::syntax::tree::ScalarStyle;

/// A pass over the root keys of a text. It costs one run of libyaml and keeps no allocations.
pub struct RootScan<'t> {
    events: Events<'t>,
    text: &'t str,
    from: usize,
    preceding: &'static [u8],
    depth: usize,
    key_comes_next: bool,
    flags: EntryFlags,
    /// Up to here the text was searched for `?`, which starts a key that may continue on another line.
    searched: usize,
}

/// The result of [`RootScan::step`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanStep {
    /// A root key; the flags are those of the entry before it.
    Key {
        /// Byte of the text at which the entry starts.
        start: u32,
        /// Length of the key if it equals its source: plain, and without tag, anchor or folding. Otherwise 0.
        plain_length: u32,
        /// The properties of the entry before this key.
        before: EntryFlags,
    },
    /// The end of the text; the flags are those of the last entry.
    End(EntryFlags),
    /// libyaml refuses the text; the error's positions refer to the whole text.
    Failed(YamlError),
    /// The text is not, or not entirely, a block hash at column 0. It must be parsed as a whole.
    NotEntries,
}

/// Properties of an entry that matter outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntryFlags(u8);

impl EntryFlags {
    /// An anchor (`&name`).
    pub const ANCHOR: Self = Self(1);
    /// An alias (`*name`).
    pub const ALIAS: Self = Self(2);
    /// A tag, or a plain scalar that Psych may refuse to convert (a date, for example).
    pub const REFUSABLE: Self = Self(4);
    /// The root key is `<<` or may be a symbol, so the content of the root hash depends on all root keys together.
    pub const ENTANGLED: Self = Self(8);
    /// libyaml refuses the entry.
    pub const BROKEN: Self = Self(16);

    /// Whether any of `others` is set.
    pub fn has(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// The union of both.
    #[must_use]
    pub fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }
}

impl<'t> RootScan<'t> {
    /// Scans `text` from its start.
    pub fn new(text: &'t str) -> Self {
        Self::starting(text, 0, &[])
    }

    /// Scans `text` from byte `from`, where an entry starts, as libyaml continues in the middle of a block hash. An error
    /// comes with its [`Self::reach`].
    pub fn in_the_middle(text: &'t str, from: u32) -> Result<Self, (YamlError, u32)> {
        let mut scan = Self::starting(text, from as usize, PRECEDING);
        match scan.pass_preceding() {
            Ok(()) => Ok(scan),
            Err(error) => Err((error.shifted(0, from), scan.reach())),
        }
    }

    fn starting(text: &'t str, from: usize, preceding: &'static [u8]) -> Self {
        let events = super::start(text.get(from..).unwrap_or(""), preceding);
        let flags = EntryFlags::default();
        Self {
            events,
            text,
            from,
            preceding,
            depth: 0,
            key_comes_next: true,
            flags,
            searched: from,
        }
    }

    /// The byte after the last one that had any influence on the steps so far.
    pub fn reach(&self) -> u32 {
        (self.from + self.events.reach()).saturating_sub(self.preceding.len()) as u32
    }

    /// The next root key, or the end. After any other result than a key, there are no more steps.
    pub fn step(&mut self) -> ScanStep {
        loop {
            let event = match self.events.next() {
                Ok(event) => event,
                Err(error) => {
                    let error = self.error(error).shifted(0, self.from as u32);
                    return ScanStep::Failed(error);
                }
            };
            if let Some(step) = self.event(&event) {
                return step;
            }
        }
    }

    fn event(&mut self, event: &Event) -> Option<ScanStep> {
        let is_root_key = self.depth == 1 && self.key_comes_next;
        let kind = event.kind();
        match &kind {
            EventKind::StreamStart | EventKind::DocumentStart => return None,
            EventKind::StreamEnd => return Some(ScanStep::NotEntries),
            EventKind::DocumentEnd { implicit } => {
                let end = self.offset(event.start());
                // What follows a `...`, or text behind the hash, does not belong to an entry of the hash.
                return Some(if *implicit && end == self.text.len() && !self.has_long_key(end) {
                    ScanStep::End(self.flags)
                } else {
                    ScanStep::NotEntries
                });
            }
            EventKind::SequenceEnd | EventKind::MappingEnd => {
                self.depth -= 1;
                return None;
            }
            EventKind::MappingStart { properties, is_block } if self.depth == 0 => {
                // A tag or an anchor of the root hash concerns all entries, so they cannot be parsed one by one.
                let has_properties = properties.tag.is_some() || properties.anchor.is_some();
                self.depth = 1;
                let is_plain = *is_block && event.column() == 0 && !has_properties;
                return (!is_plain).then_some(ScanStep::NotEntries);
            }
            _ if self.depth == 0 => return Some(ScanStep::NotEntries),
            _ if is_root_key
                && (event.column() != 0
                    || self.has_directive(self.offset(event.start()))
                    || self.has_long_key(self.offset(event.start()))) =>
            {
                return Some(ScanStep::NotEntries);
            }
            _ => {}
        }
        // `root_key` takes the flags of the entry before it. Only then are the flags of the key itself added.
        let step = is_root_key.then(|| self.root_key(self.offset(event.start()), &kind));
        self.flags = self.flags.with(flags_of(&kind, is_root_key));
        if self.depth == 1 {
            self.key_comes_next = !self.key_comes_next;
        }
        if let EventKind::SequenceStart(_) | EventKind::MappingStart { .. } = &kind {
            self.depth += 1;
            if self.depth > MAX_YAML_NESTING {
                let offset = self.offset(event.start()) as u32;
                return Some(ScanStep::Failed(YamlError::too_deep(offset)));
            }
        }
        step
    }

    fn root_key(&mut self, start: usize, kind: &EventKind<'_>) -> ScanStep {
        let plain_length = match kind {
            EventKind::Scalar { properties, text, style: ScalarStyle::Plain }
                if properties.tag.is_none() && properties.anchor.is_none() =>
            {
                let is_source = self.text[start..].starts_with(&**text);
                if is_source { text.len() as u32 } else { 0 }
            }
            _ => 0,
        };
        let before = std::mem::take(&mut self.flags);
        ScanStep::Key { start: start as u32, plain_length, before }
    }

    /// Whether a `%` starts a line before the first key: `%TAG` changes the meaning of tags in entries.
    fn has_directive(&self, end: usize) -> bool {
        let is_before_first = self.searched == 0 && self.preceding.is_empty();
        is_before_first && self.text[..end].split(['\n', '\r']).any(|line| line.starts_with('%'))
    }

    /// Whether a `?` starts a line of the text up to `end`.
    fn has_long_key(&mut self, end: usize) -> bool {
        let bytes = self.text.as_bytes();
        let begin = std::mem::replace(&mut self.searched, end);
        memchr::memchr_iter(b'?', bytes.get(begin..end).unwrap_or(&[])).any(|at| {
            let at = begin + at;
            let begins_line =
                // The last three are the last bytes of U+0085, U+2028 and U+2029.
                at == 0 || matches!(bytes[at - 1], b'\n' | b'\r' | 0x85 | 0xa8 | 0xa9);
            begins_line && is_blank_or_end(&bytes[at + 1..])
        })
    }

    /// Reads the entry before the text, which the text must not continue.
    fn pass_preceding(&mut self) -> Result<(), YamlError> {
        loop {
            let event = self.events.next().map_err(|error| self.error(error))?;
            match event.kind() {
                EventKind::MappingStart { .. } if self.depth == 0 => self.depth = 1,
                EventKind::Scalar { .. } if self.depth == 1 && event.start() == 0 => {
                    let value = self.events.next().map_err(|error| self.error(error))?;
                    return match value.kind() {
                        EventKind::Scalar { text, style: ScalarStyle::Plain, .. }
                            if text.is_empty() =>
                        {
                            Ok(())
                        }
                        _ => Err(YamlError::no_key()),
                    };
                }
                EventKind::StreamStart | EventKind::DocumentStart => {}
                _ => return Err(YamlError::no_key()),
            }
        }
    }

    fn offset(&self, index: usize) -> usize {
        (self.from + index).saturating_sub(self.preceding.len())
    }

    fn error(&self, error: ScanError) -> YamlError {
        YamlError::new(error, self.preceding)
    }
}

/// Whether a text starts with a character that libyaml treats as a blank or a line end.
fn is_blank_or_end(text: &[u8]) -> bool {
    let breaks: [&[u8]; 3] = [b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9"];
    text.first().is_none_or(u8::is_ascii_whitespace) || breaks.iter().any(|it| text.starts_with(it))
}

fn flags_of(kind: &EventKind<'_>, is_root_key: bool) -> EntryFlags {
    let of = |properties: &Properties<'_>| {
        let tag = properties.tag.as_ref().map(|_| EntryFlags::REFUSABLE);
        let anchor = properties.anchor.as_ref().map(|_| EntryFlags::ANCHOR);
        tag.unwrap_or_default().with(anchor.unwrap_or_default())
    };
    match kind {
        // The anchor of a root key's alias may be `<<`.
        EventKind::Alias(_) if is_root_key => EntryFlags::ALIAS.with(EntryFlags::ENTANGLED),
        EventKind::Alias(_) => EntryFlags::ALIAS,
        EventKind::Scalar { properties, text, style } => {
            let mut flags = of(properties);
            if *style == ScalarStyle::Plain && may_be_refused(text.as_bytes()) {
                flags = flags.with(EntryFlags::REFUSABLE);
            }
            let is_symbol = properties.tag.is_some() || text.starts_with(':');
            if is_root_key && (is_symbol || text == "<<") {
                flags = flags.with(EntryFlags::ENTANGLED);
            }
            flags
        }
        EventKind::SequenceStart(properties) | EventKind::MappingStart { properties, .. } => {
            of(properties)
        }
        _ => EntryFlags::default(),
    }
}

/// Whether Psych may fail to convert a plain scalar: a date, a time, a number without digits. If in doubt, it returns true.
pub(crate) fn may_be_refused(text: &[u8]) -> bool {
    let Some(first) = text.first() else { return false };
    if !matches!(first, b'0'..=b'9' | b'+' | b'-' | b'.') {
        return false;
    }
    let unsigned = if matches!(first, b'+' | b'-') { &text[1..] } else { text };
    match unsigned {
        [b'.', b'e' | b'E', ..] | [b'0', b'b' | b'x', ..] => true,
        // Four digits and a dash may start a date.
        [_, _, _, _, b'-', ..] => unsigned[..4].iter().all(u8::is_ascii_digit),
        _ => false,
    }
}
