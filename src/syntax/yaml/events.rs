//! libyaml's parser as safe events with byte marks. One of the few places with `unsafe` code.
#![allow(
    unsafe_code,
    reason = "libyaml's calls are raw; whatever leaves this module is checked and borrowed"
)]

use std::borrow::Cow;
use std::ffi::CStr;
use std::mem::MaybeUninit;

use libyaml_rs as sys;

use crate::syntax::tree::ScalarStyle;

/// A running parse of one text.
pub(super) struct Events<'t> {
    parser: Box<MaybeUninit<sys::yaml_parser_t>>,
    input: Box<Input<'t>>,
}

/// libyaml's input: some preceding bytes, then the text.
struct Input<'t> {
    prefix: &'t [u8],
    text: &'t [u8],
    fed: usize,
    /// The largest piece to pass at once. It starts small in the middle of a text, because libyaml usually reads only a
    /// little there.
    piece: usize,
}

/// The size in bytes of the first piece in the middle of a text.
const FIRST_PIECE: usize = 512;

/// The size in bytes of libyaml's own buffer, in which Psych passes its input.
const WHOLE_PIECE: usize = 16_384;

/// One event. Its texts live as long as the event.
pub(super) struct Event {
    raw: sys::yaml_event_t,
}

/// The content of an [`Event`].
#[derive(Debug)]
pub(super) enum EventKind<'e> {
    StreamStart,
    StreamEnd,
    DocumentStart,
    DocumentEnd { implicit: bool },
    Alias(Cow<'e, str>),
    Scalar { properties: Properties<'e>, text: Cow<'e, str>, style: ScalarStyle },
    SequenceStart(Properties<'e>),
    SequenceEnd,
    MappingStart { properties: Properties<'e>, is_block: bool },
    MappingEnd,
}

/// The properties before a node.
#[derive(Debug, Default)]
pub(super) struct Properties<'e> {
    /// The resolved tag; `!` is the tag that prevents quotes from making a string.
    pub(super) tag: Option<Cow<'e, str>>,
    pub(super) anchor: Option<Cow<'e, str>>,
}

/// Why libyaml stopped, with its own marks, which start at 0 and include the prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ScanError {
    pub(super) problem: String,
    pub(super) context: Option<String>,
    /// Where the problem was found.
    pub(super) problem_index: usize,
    /// Where the construct started that libyaml was parsing. Psych names this position in its message. `None` if libyaml
    /// named none.
    pub(super) context_index: Option<usize>,
    /// Whether the text has a character that YAML forbids, found while reading ahead, without a position.
    pub(super) is_of_reader: bool,
}

impl<'t> Events<'t> {
    /// Parses `text` as if `prefix` preceded it.
    pub(super) fn new(prefix: &'t [u8], text: &'t [u8]) -> Self {
        let mut parser = Box::new(MaybeUninit::<sys::yaml_parser_t>::uninit());
        let piece = if prefix.is_empty() { WHOLE_PIECE } else { FIRST_PIECE };
        let mut input = Box::new(Input { prefix, text, fed: 0, piece });
        // SAFETY: the parser is initialized before anything else is done with it. It and the input stay in their boxes
        // as long as it lives, and the input's texts outlive it by `'t`.
        unsafe {
            let raw = parser.as_mut_ptr();
            assert!(sys::yaml_parser_initialize(raw).ok, "libyaml got no memory");
            // Psych sets it as well. Otherwise, libyaml would skip a byte order mark, which moves line 1 by one column in Puppet.
            sys::yaml_parser_set_encoding(raw, sys::yaml_encoding_t::YAML_UTF8_ENCODING);
            sys::yaml_parser_set_input(raw, feed, (&raw mut *input).cast());
        }
        Self { parser, input }
    }

    /// The next event. It must not be called after the end of the stream or after an error.
    pub(super) fn next(&mut self) -> Result<Event, ScanError> {
        let mut event = MaybeUninit::<sys::yaml_event_t>::uninit();
        // SAFETY: the parser was initialized in `new`; the event is taken only if libyaml filled it.
        unsafe {
            let raw = self.parser.as_mut_ptr();
            if sys::yaml_parser_parse(raw, event.as_mut_ptr()).fail {
                return Err(error(&*raw));
            }
            Ok(Event { raw: event.assume_init() })
        }
    }

    /// How many bytes (the prefix included) libyaml has read. Later bytes had no influence.
    pub(super) fn reach(&self) -> usize {
        self.input.fed
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        // SAFETY: the parser was initialized in `new` and is deleted once.
        unsafe { sys::yaml_parser_delete(self.parser.as_mut_ptr()) }
    }
}

impl Event {
    /// The first byte, prefix included.
    pub(super) fn start(&self) -> usize {
        self.raw.start_mark.index as usize
    }

    /// The byte after the last one, prefix included.
    pub(super) fn end(&self) -> usize {
        self.raw.end_mark.index as usize
    }

    /// The column at which it starts, from 0.
    pub(super) fn column(&self) -> usize {
        self.raw.start_mark.column as usize
    }

    pub(super) fn kind(&self) -> EventKind<'_> {
        use sys::yaml_event_type_t as Type;
        let event = &self.raw;
        // SAFETY: the union's member is chosen by the event's type, and its strings live as long as the event.
        unsafe {
            match event.type_ {
                Type::YAML_STREAM_START_EVENT | Type::YAML_NO_EVENT => EventKind::StreamStart,
                Type::YAML_STREAM_END_EVENT => EventKind::StreamEnd,
                Type::YAML_DOCUMENT_START_EVENT => EventKind::DocumentStart,
                Type::YAML_DOCUMENT_END_EVENT => {
                    EventKind::DocumentEnd { implicit: event.data.document_end.implicit }
                }
                Type::YAML_ALIAS_EVENT => {
                    EventKind::Alias(string(self, event.data.alias.anchor).unwrap_or_default())
                }
                Type::YAML_SCALAR_EVENT => self.scalar(),
                Type::YAML_SEQUENCE_START_EVENT => {
                    let sequence = &event.data.sequence_start;
                    EventKind::SequenceStart(properties(self, sequence.tag, sequence.anchor))
                }
                Type::YAML_SEQUENCE_END_EVENT => EventKind::SequenceEnd,
                Type::YAML_MAPPING_START_EVENT => {
                    let mapping = &event.data.mapping_start;
                    EventKind::MappingStart {
                        properties: properties(self, mapping.tag, mapping.anchor),
                        is_block: mapping.style
                            == sys::yaml_mapping_style_t::YAML_BLOCK_MAPPING_STYLE,
                    }
                }
                _ => EventKind::MappingEnd,
            }
        }
    }

    /// # Safety
    /// The event must be a scalar's.
    unsafe fn scalar(&self) -> EventKind<'_> {
        // SAFETY: as the caller promises; the value has `length` bytes.
        let (scalar, bytes, mut properties) = unsafe {
            let scalar = &self.raw.data.scalar;
            let bytes = std::slice::from_raw_parts(scalar.value, scalar.length as usize);
            (scalar, bytes, properties(self, scalar.tag, scalar.anchor))
        };
        let style = style(scalar.style);
        if style != ScalarStyle::Plain && scalar.plain_implicit && properties.tag.is_none() {
            // libyaml drops the tag `!`, but its flags show that it was there.
            properties.tag = Some(Cow::Borrowed("!"));
        }
        EventKind::Scalar { properties, text: String::from_utf8_lossy(bytes), style }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: libyaml filled the event, and it is deleted once.
        unsafe { sys::yaml_event_delete(&raw mut self.raw) }
    }
}

/// libyaml's read handler: passes the prefix, then the text, in pieces of the size that libyaml requests.
///
/// # Safety
/// `data` must be the input given to `yaml_parser_set_input`, `buffer` must have room for `size` bytes.
unsafe fn feed(data: *mut sys_void, buffer: *mut u8, size: u64, size_read: *mut u64) -> i32 {
    // SAFETY: as the caller promises; the copied piece is no longer than `size`.
    unsafe {
        let input = &mut *data.cast::<Input<'_>>();
        let prefix = input.prefix.get(input.fed..).unwrap_or(&[]);
        let piece =
            if prefix.is_empty() { &input.text[input.fed - input.prefix.len()..] } else { prefix };
        let length = piece.len().min(size as usize).min(input.piece);
        std::ptr::copy_nonoverlapping(piece.as_ptr(), buffer, length);
        input.fed += length;
        input.piece = (input.piece * 2).min(WHOLE_PIECE);
        *size_read = length as u64;
    }
    1
}

#[allow(non_camel_case_types, reason = "C's name for it")]
type sys_void = std::ffi::c_void;

/// # Safety
/// Both must be null or C strings of the event.
unsafe fn properties(event: &Event, tag: *const u8, anchor: *const u8) -> Properties<'_> {
    // SAFETY: as the caller promises.
    unsafe { Properties { tag: string(event, tag), anchor: string(event, anchor) } }
}

/// # Safety
/// Must be null or a C string that lives as long as its owner.
unsafe fn string<T>(_owner: &T, text: *const u8) -> Option<Cow<'_, str>> {
    if text.is_null() {
        return None;
    }
    // SAFETY: as the caller promises.
    let text = unsafe { CStr::from_ptr(text.cast()) };
    Some(text.to_string_lossy())
}

fn style(style: sys::yaml_scalar_style_t) -> ScalarStyle {
    use sys::yaml_scalar_style_t as Style;
    match style {
        Style::YAML_SINGLE_QUOTED_SCALAR_STYLE => ScalarStyle::SingleQuoted,
        Style::YAML_DOUBLE_QUOTED_SCALAR_STYLE => ScalarStyle::DoubleQuoted,
        Style::YAML_LITERAL_SCALAR_STYLE => ScalarStyle::Literal,
        Style::YAML_FOLDED_SCALAR_STYLE => ScalarStyle::Folded,
        _ => ScalarStyle::Plain,
    }
}

/// # Safety
/// The parser must have failed.
unsafe fn error(parser: &sys::yaml_parser_t) -> ScanError {
    // SAFETY: libyaml's texts are constants of the program.
    let (problem, context) =
        unsafe { (string(parser, parser.problem.cast()), string(parser, parser.context.cast())) };
    let is_of_reader = parser.error == sys::yaml_error_type_t::YAML_READER_ERROR;
    let is_of_parser = parser.error == sys::yaml_error_type_t::YAML_PARSER_ERROR;
    // The reader sets no mark, and the parser sets one only together with a context. Psych then names line 1, column 1.
    let has_mark = !(is_of_reader || is_of_parser && context.is_none());
    let problem_index =
        if is_of_reader { parser.problem_offset } else { parser.problem_mark.index };
    ScanError {
        problem: problem.map_or_else(String::new, Cow::into_owned),
        context: context.map(Cow::into_owned),
        problem_index: problem_index as usize,
        context_index: has_mark.then_some(parser.context_mark.index as usize),
        is_of_reader,
    }
}
