//! The text of a file, which may share its memory with the texts of other files.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::range::TextRange;

/// A text that never changes. Cheap to clone.
///
/// An allocator rounds up the size of every text, which costs a tenth of the memory of thousands of files. Files that are
/// read together therefore share one buffer, which is kept as long as one of their texts is.
#[derive(Clone)]
pub struct SharedText {
    buffer: Arc<str>,
    range: TextRange,
}

impl SharedText {
    /// The text with these bytes, which are copied; `None` if they are not UTF-8, or 4 GiB or more.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let range = TextRange::new(0, u32::try_from(bytes.len()).ok()?);
        Some(Self { buffer: str::from_utf8(bytes).ok()?.into(), range })
    }

    /// The text in `range`, in bytes of this text. It shares the buffer.
    #[must_use]
    pub fn part(&self, range: TextRange) -> Self {
        let (start, end) = (self.range.start + range.start, self.range.start + range.end);
        Self { buffer: self.buffer.clone(), range: TextRange::new(start, end) }
    }

    /// Whether both are the same memory.
    pub fn ptr_eq(one: &Self, other: &Self) -> bool {
        std::ptr::eq(&raw const **one, &raw const **other)
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        self.range.slice(&self.buffer)
    }
}

impl<T: Into<Arc<str>>> From<T> for SharedText {
    fn from(text: T) -> Self {
        let buffer: Arc<str> = text.into();
        let range = TextRange::new(0, buffer.len() as u32);
        Self { buffer, range }
    }
}

impl From<&SharedText> for Arc<str> {
    /// Copies a text that shares its buffer.
    fn from(text: &SharedText) -> Self {
        let is_whole = text.len() == text.buffer.len();
        if is_whole { text.buffer.clone() } else { Self::from(&**text) }
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        Self::ptr_eq(self, other) || **self == **other
    }
}

impl Eq for SharedText {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_one_buffer_are_what_they_were() {
        let whole = SharedText::of_bytes("a: ä\nb: 2\n".as_bytes()).expect("it is UTF-8");
        let part = |start, end| whole.part(TextRange::new(start, end));
        let (first, rest) = (part(0, 6), part(3, 11));
        assert_eq!((&*first, &*rest), ("a: ä\n", "ä\nb: 2\n"));
        let last = rest.part(TextRange::new(3, 8));
        assert_eq!(last, SharedText::from("b: 2\n"));
        assert_eq!(*Arc::<str>::from(&last), *"b: 2\n");
        assert!([first, rest, last].iter().all(|it| Arc::ptr_eq(&it.buffer, &whole.buffer)));
        assert!(SharedText::of_bytes(b"a: \xff").is_none());
    }

    #[test]
    fn a_text_with_a_buffer_of_its_own_is_not_copied() {
        let text: Arc<str> = "a: 1\n".into();
        let shared = SharedText::from(text.clone());
        assert!(Arc::ptr_eq(&Arc::from(&shared), &text));
        assert!(SharedText::ptr_eq(&shared, &shared.clone()));
        assert!(!SharedText::ptr_eq(&shared, &"a: 1\n".into()));
    }
}
