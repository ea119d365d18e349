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
    /// The texts one after the other in one buffer, which must have less than 4 GiB.
    pub fn in_one_buffer(texts: &[&str]) -> Vec<Self> {
        let buffer: Arc<str> = texts.concat().into();
        let mut end = 0;
        let part = |text: &&str| {
            let start = end;
            end += text.len() as u32;
            Self { buffer: buffer.clone(), range: TextRange::new(start, end) }
        };
        texts.iter().map(part).collect()
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
        let texts = ["a: ä\n", "", "b: 2\n"];
        let shared = SharedText::in_one_buffer(&texts);
        assert!(shared.iter().map(|it| &**it).eq(texts));
        assert!(shared.iter().all(|it| Arc::ptr_eq(&it.buffer, &shared[0].buffer)));
        assert_eq!(*Arc::<str>::from(&shared[2]), *texts[2]);
        assert_eq!(shared[2], SharedText::from("b: 2\n"));
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
