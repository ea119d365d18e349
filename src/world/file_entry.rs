//! One file of a snapshot: its text, and what is derived from the text on demand.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::fleet::{KnownReferences, RootNames};
use super::interner::Interner;
use super::key_index::{FileKeys, NamedKeys, named_keys};
use super::left_by_git::LeftByGit;
use crate::code::file::not_utf8;
use crate::code::{CodeFile, CodeSummary};
use crate::data::{
    DataFile, FileId, Format, InvalidUtf8, ReplacedBytes, RootEntry, may_have_key, may_hide_keys,
    may_spell_key,
};
use crate::limits::MAX_REPLACED_BYTES;
use crate::text::{BYTE_ORDER_MARK, LineIndex, SharedText, TextRange};

/// A file's text and what is derived from it. Immutable: an edit creates a new entry.
#[derive(Debug)]
pub struct FileEntry {
    /// The file's path.
    pub path: Arc<str>,
    /// The path's number.
    pub id: FileId,
    /// The text; bytes that are not UTF-8 are replaced.
    pub text: SharedText,
    /// The offset on disk of the first byte that is not UTF-8.
    pub invalid_utf8_at: Option<u32>,
    /// The first bytes from that offset on.
    invalid_bytes: Vec<u8>,
    /// The bytes that were replaced.
    replaced: Arc<[ReplacedBytes]>,
    /// Whether the byte order mark counts as a character: an editor sent it. Other editors do not show it.
    is_mark_counted: bool,
    line_index: OnceLock<LineIndex>,
    data: [OnceLock<Arc<DataFile>>; 3],
    keys: [OnceLock<Arc<FileKeys>>; 3],
    references: KnownReferences,
    left_by_git: OnceLock<Option<LeftByGit>>,
    may_hide_keys: [OnceLock<bool>; 3],
    is_refused: [OnceLock<bool>; 3],
    named_keys: [OnceLock<NamedKeys>; 3],
    code: OnceLock<Arc<CodeFile>>,
    code_summary: OnceLock<Arc<CodeSummary>>,
    /// The parsed form of the text before the edit. It is dropped when this entry's own is created, so that no chain builds
    /// up.
    earlier: Mutex<Earlier>,
    /// The text before the edit and its keys as YAML, likewise.
    earlier_keys: Mutex<Option<EarlierKeys>>,
}

/// A file that is looked at.
#[derive(Clone, Copy)]
pub(super) enum Seen<'f> {
    /// It stays in memory.
    Kept(&'f FileEntry),
    /// Its bytes are dropped unless it is needed.
    Bytes(&'f [u8]),
}

type Earlier = [Option<Arc<DataFile>>; 3];

type EarlierKeys = (SharedText, Arc<FileKeys>);

impl<'f> Seen<'f> {
    pub(super) fn bytes(self) -> &'f [u8] {
        match self {
            Self::Kept(file) => file.text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Whether the file may have each of the root keys; `false` is certain.
    pub(super) fn may_have_keys<const N: usize>(
        self,
        format: Format,
        keys: [&str; N],
    ) -> [bool; N] {
        let spelled = keys.map(|key| may_spell_key(self.bytes(), format, key));
        if spelled.contains(&false) && self.may_hide_keys(format) { [true; N] } else { spelled }
    }

    /// [`may_hide_keys`], which is found out once for a file that stays in memory.
    fn may_hide_keys(self, format: Format) -> bool {
        match self {
            Self::Kept(file) => {
                let find = || may_hide_keys(file.text.as_bytes(), format);
                *file.may_hide_keys[format as usize].get_or_init(find)
            }
            Self::Bytes(bytes) => may_hide_keys(bytes, format),
        }
    }
}

impl FileEntry {
    /// An entry for a text.
    pub fn new(path: Arc<str>, id: FileId, text: SharedText) -> Self {
        Self {
            path,
            id,
            text,
            invalid_utf8_at: None,
            invalid_bytes: Vec::new(),
            replaced: Arc::default(),
            is_mark_counted: false,
            line_index: OnceLock::new(),
            data: Default::default(),
            keys: Default::default(),
            references: KnownReferences::default(),
            left_by_git: OnceLock::new(),
            may_hide_keys: Default::default(),
            is_refused: Default::default(),
            named_keys: Default::default(),
            code: OnceLock::new(),
            code_summary: OnceLock::new(),
            earlier: Mutex::default(),
            earlier_keys: Mutex::default(),
        }
    }

    /// An entry for bytes that were read from disk.
    pub fn from_bytes(path: Arc<str>, id: FileId, bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::new(path, id, text.into()),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let (text, replaced) = with_replacements(error.as_bytes());
                let invalid_bytes = error.as_bytes()[at..].iter().take(4).copied().collect();
                let invalid_utf8_at = Some(at as u32);
                Self {
                    invalid_utf8_at,
                    invalid_bytes,
                    replaced,
                    ..Self::new(path, id, text.into())
                }
            }
        }
    }

    /// An entry for a text in an editor. Editors do not show a byte order mark or another encoding, and write both again, so
    /// the file on the disk decides about them.
    pub(super) fn in_editor(
        path: Arc<str>,
        id: FileId,
        mut text: Arc<str>,
        saved: Option<&Self>,
    ) -> Self {
        let is_mark_counted = text.starts_with(BYTE_ORDER_MARK);
        if !is_mark_counted && saved.is_some_and(|it| it.text.starts_with(BYTE_ORDER_MARK)) {
            text = format!("{BYTE_ORDER_MARK}{text}").into();
        }
        let mut entry = Self { is_mark_counted, ..Self::new(path, id, text.into()) };
        if let Some((saved, at)) = saved.and_then(|it| Some((it, it.invalid_utf8_at?))) {
            entry.invalid_utf8_at = Some(at.min(entry.text.len() as u32));
            entry.invalid_bytes.clone_from(&saved.invalid_bytes);
            // The places are those of the saved text.
            if entry.text == saved.text {
                entry.replaced = saved.replaced.clone();
            }
        }
        entry
    }

    /// Where it is not UTF-8.
    pub(super) fn invalid_utf8(&self) -> Option<InvalidUtf8> {
        self.invalid_utf8_at.map(|at| InvalidUtf8 { at, bytes: self.invalid_bytes.clone() })
    }

    /// The same text with its keys, without anything else that was derived from it.
    pub(super) fn unparsed(&self) -> Arc<Self> {
        Arc::new(Self {
            invalid_utf8_at: self.invalid_utf8_at,
            invalid_bytes: self.invalid_bytes.clone(),
            replaced: self.replaced.clone(),
            is_mark_counted: self.is_mark_counted,
            keys: self.keys.clone(),
            code_summary: self.code_summary.clone(),
            ..Self::new(self.path.clone(), self.id, self.text.clone())
        })
    }

    /// Where the text's lines start.
    pub fn line_index(&self) -> &LineIndex {
        self.line_index.get_or_init(|| self.as_counted(LineIndex::new(&self.text)))
    }

    fn as_counted(&self, lines: LineIndex) -> LineIndex {
        if self.is_mark_counted { lines } else { lines.after_mark(&self.text) }
    }

    /// The text parsed as `format`.
    pub fn data(&self, format: Format) -> &Arc<DataFile> {
        self.data[format as usize].get_or_init(|| {
            let data = self.read_as(format);
            // The old form is dropped as soon as it has been used. Otherwise, each edit would keep all texts before it in memory.
            self.earlier.lock().unwrap_or_else(PoisonError::into_inner)[format as usize] = None;
            Arc::new(data)
        })
    }

    /// The text parsed as `format` if that has been done.
    pub fn data_if_read(&self, format: Format) -> Option<&Arc<DataFile>> {
        self.data[format as usize].get()
    }

    /// Whether it must be parsed to know which keys its strings look up.
    pub(super) fn hides_references(&self) -> bool {
        self.references.are_hidden(&self.text)
    }

    /// Where the calls start that may look up one of the root keys, if no references are hidden.
    pub(super) fn calls_to(&self, roots: &RootNames) -> Vec<u32> {
        self.references.to(&self.text, roots)
    }

    /// Whether the text only stands for the content that the file has elsewhere.
    pub(super) fn stands_for_content(&self) -> bool {
        LeftByGit::at_start(self.text.as_bytes()).is_some()
    }

    /// Whether Puppet refuses the text as `format`. If it has not been parsed yet, it is parsed and dropped again.
    pub(super) fn is_refused(&self, format: Format) -> bool {
        *self.is_refused[format as usize].get_or_init(|| match self.data_if_read(format) {
            Some(data) => data.is_broken(),
            None => self.read_as(format).is_broken(),
        })
    }

    /// Whether the text may be meant to have a root key, even if no parser finds it there.
    pub(super) fn may_spell(&self, format: Format, key: &str) -> bool {
        // Text in UTF-16 has a zero byte in each letter.
        let is_wide = || self.invalid_utf8_at.is_some() && self.text.contains('\0');
        may_have_key(self.text.as_bytes(), format, key) || is_wide()
    }

    /// What Git wrote into the text in the place of data.
    pub(super) fn left_by_git(&self) -> Option<LeftByGit> {
        *self.left_by_git.get_or_init(|| LeftByGit::in_text(&self.text))
    }

    /// The root keys that the text as `format` looks up or has options for.
    pub(super) fn named_keys(&self, format: Format) -> &NamedKeys {
        self.named_keys[format as usize].get_or_init(|| Arc::new(named_keys(self, format)))
    }

    /// The text parsed as Puppet code.
    pub fn code(&self) -> &Arc<CodeFile> {
        self.code.get_or_init(|| Arc::new(self.read_as_code()))
    }

    /// The names in the text as Puppet code. If the code has not been parsed yet, it is parsed and dropped again.
    pub(super) fn code_summary(&self) -> &Arc<CodeSummary> {
        self.code_summary.get_or_init(|| {
            Arc::new(match self.code.get() {
                Some(code) => CodeSummary::of(code),
                None => CodeSummary::of(&self.read_as_code()),
            })
        })
    }

    /// The entry with the root key `name`, which an index has found in `range` of the text as `format`. The entry is parsed
    /// alone if that is possible, whether the whole text has been parsed or not: in a broken text, both may differ, and the
    /// answer must not depend on what was requested before.
    pub(super) fn entry(&self, format: Format, name: &str, range: TextRange) -> Option<RootEntry> {
        if format == Format::Yaml {
            let entry = DataFile::lone_entry(self.id, &self.text, range);
            if let Some(entry) = entry.filter(|entry| entry.key.as_str() == Some(name)) {
                return Some(entry);
            }
        }
        self.data(format).get(name).cloned()
    }

    /// The keys of the text as `format`. If the text has not been parsed yet, it is parsed and dropped again: an index of
    /// thousands of files must not keep their values in memory.
    pub(super) fn keys(&self, format: Format, names: &Interner) -> &Arc<FileKeys> {
        self.keys[format as usize].get_or_init(|| {
            let after_edit = self.keys_after_edit(format, names);
            Arc::new(after_edit.unwrap_or_else(|| match self.data_if_read(format) {
                Some(data) => FileKeys::new(data, names),
                None => FileKeys::new(&self.read_as(format), names),
            }))
        })
    }

    /// The index of the root keys as `format` if it has been built.
    pub(super) fn keys_if_known(&self, format: Format) -> Option<&Arc<FileKeys>> {
        self.keys[format as usize].get()
    }

    /// The root keys that lookups find in the text as `format`. Nothing is kept.
    pub(super) fn each_root_key(&self, format: Format, mut each: impl FnMut(&str)) {
        let mut tell = |data: &DataFile| {
            let keys = data.quick_root_keys().unwrap_or_else(|| data.root_keys());
            for key in keys {
                each(&key.text);
            }
            data.brought_keys().into_iter().flatten().for_each(&mut each);
        };
        match self.data_if_read(format) {
            Some(data) => tell(data),
            None => tell(&self.read_as(format)),
        }
    }

    /// The keys, derived from those of the text before the edit.
    fn keys_after_edit(&self, format: Format, names: &Interner) -> Option<FileKeys> {
        if format != Format::Yaml || self.invalid_utf8_at.is_some() {
            return None;
        }
        let mut earlier = self.earlier_keys.lock().unwrap_or_else(PoisonError::into_inner);
        let (text, keys) = earlier.take()?;
        keys.after_edit(&text, &self.text, names)
    }

    /// This file with another text. The parsed form of the old text is the start for parsing the new one.
    #[must_use]
    pub fn edited(self: &Arc<Self>, text: SharedText) -> Arc<Self> {
        let is_mark_counted = self.is_mark_counted;
        let next = Self { is_mark_counted, ..Self::new(self.path.clone(), self.id, text) };
        next.starting_from(self)
    }

    /// This entry, or `earlier` if that is the same. Its parsed form is the start for parsing this text.
    pub(super) fn starting_from(mut self, earlier: &Arc<Self>) -> Arc<Self> {
        if self.is_same(earlier) {
            return earlier.clone();
        }
        if let Some(lines) = earlier.line_index.get() {
            self.line_index = self.as_counted(lines.edited(&earlier.text, &self.text)).into();
        }
        self.earlier = Mutex::new(earlier.latest_data());
        self.earlier_keys = Mutex::new(earlier.latest_keys());
        Arc::new(self)
    }

    /// Whether both have the same text. If bytes were replaced, the texts alone do not tell.
    fn is_same(&self, other: &Self) -> bool {
        self.text == other.text
            && self.invalid_utf8_at == other.invalid_utf8_at
            && self.replaced == other.replaced
            && self.is_mark_counted == other.is_mark_counted
    }

    fn latest_data(&self) -> Earlier {
        let earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        std::array::from_fn(|format| {
            self.data[format].get().cloned().or_else(|| earlier[format].clone())
        })
    }

    fn latest_keys(&self) -> Option<EarlierKeys> {
        if let Some(keys) = self.keys[Format::Yaml as usize].get() {
            return Some((self.text.clone(), keys.clone()));
        }
        self.earlier_keys.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn read_as_code(&self) -> CodeFile {
        let mut code = CodeFile::of_text(&self.path, &self.text);
        // Puppet reads the file as UTF-8 before it parses it, so this error comes before those of the parser.
        code.manifest.errors.splice(0..0, self.invalid_utf8_at.map(not_utf8));
        code
    }

    fn read_as(&self, format: Format) -> DataFile {
        if let (Some(at), Format::Yaml) = (self.invalid_utf8_at, format) {
            return DataFile::not_utf8(self.id, format, at, &self.invalid_bytes);
        }
        if self.invalid_utf8_at.is_some() {
            let (text, replaced) = (self.text.clone(), self.replaced.clone());
            return DataFile::with_replaced_bytes(self.id, format, text, replaced);
        }
        let earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = earlier[format as usize].clone();
        match earlier {
            Some(data) => data.with_text(self.text.clone()),
            None => DataFile::new(self.id, format, self.text.clone()),
        }
    }
}

/// The text with a replacement character for each piece that is not UTF-8, and the first of those pieces.
fn with_replacements(bytes: &[u8]) -> (String, Arc<[ReplacedBytes]>) {
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            if replaced.len() < MAX_REPLACED_BYTES {
                let at = text.len() as u32;
                replaced.push(ReplacedBytes { at, bytes: chunk.invalid().into() });
            }
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    (text, replaced.into())
}
