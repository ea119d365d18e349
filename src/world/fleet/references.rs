//! Which root keys are made of which others, by the words of `%{lookup(…)}` in files: found in one pass over their texts,
//! without a parse. It names rather too many keys than too few.

use memchr::{memchr, memmem};

use super::mixed;

/// The calls in one text.
#[derive(Debug)]
pub(crate) struct TextReferences {
    /// Whether the text does not show what its values hold.
    is_obscure: bool,
    /// The words of calls, as numbers, each with the byte at which its call begins; sorted.
    words: Box<[(u32, u32)]>,
    /// Where calls begin.
    calls: Box<[u32]>,
}

/// Ways of writing `%`, or of writing it apart from the `{` behind it.
const DISGUISES: [&str; 4] = ["\\x25", "\\u0025", "\\U00000025", "%\\"];

impl TextReferences {
    /// What a text of YAML or JSON shows.
    pub(crate) fn of(text: &str) -> Self {
        let (mut words, mut calls) = (Vec::new(), Vec::new());
        let is_obscure = !collect(text, |at, inside| {
            calls.push(at);
            words.extend(words_of(inside).map(|word| (number(word), at)));
        });
        words.sort_unstable();
        words.dedup();
        Self { is_obscure, words: words.into(), calls: calls.into() }
    }

    /// Whether the file must be parsed to know what it refers to.
    pub(super) fn is_obscure(&self) -> bool {
        self.is_obscure
    }

    /// Where calls begin that may name a root key.
    pub(super) fn to(&self, root: &RootName) -> impl Iterator<Item = u32> {
        let (words, calls): (&[(u32, u32)], &[u32]) = match root.0 {
            Some(number) => {
                let from = self.words.partition_point(|(word, _)| *word < number);
                let length = self.words[from..].partition_point(|(word, _)| *word == number);
                (&self.words[from..from + length], &[])
            }
            None => (&[], &self.calls),
        };
        words.iter().map(|(_, at)| *at).chain(calls.iter().copied())
    }
}

/// A root key as calls may name it.
pub(super) struct RootName(Option<u32>);

impl RootName {
    pub(super) fn of(root: &str) -> Self {
        Self(words_of(root).max_by_key(|word| word.len()).map(number))
    }
}

/// Different words rarely have the same number.
fn number(word: &str) -> u32 {
    mixed(word) as u32
}

/// Hands over each call with the byte at which it begins; false if a text does not show what its values hold.
fn collect<'t>(text: &'t str, mut each: impl FnMut(u32, &'t str)) -> bool {
    let bytes = text.as_bytes();
    let has = |disguise: &&str| memmem::find(bytes, disguise.as_bytes()).is_some();
    if DISGUISES.iter().any(has) || has_aliases(text) {
        return false;
    }
    let opening = memmem::Finder::new(b"%{");
    let mut from = 0;
    while let Some(found) = opening.find(&bytes[from..]) {
        let start = from + found;
        let length = memchr(b'}', &bytes[start..]).unwrap_or(bytes.len() - start);
        let inside = &text[start..start + length];
        from = start + length;
        if inside.contains('\\') {
            return false;
        }
        if inside.contains('(') {
            each(start as u32, inside);
        }
    }
    true
}

/// Whether YAML's `*name` or `<<` may bring the text of one entry into another.
fn has_aliases(text: &str) -> bool {
    let begins_word = |at: usize| {
        let before = text.as_bytes()[..at].last();
        before.is_none_or(|it| it.is_ascii_whitespace() || b"[{,:-?".contains(it))
    };
    memchr::memchr_iter(b'*', text.as_bytes()).any(begins_word) || text.contains("<<")
}

/// The words of a name, or of a call that names it. What is no letter may be written in several ways.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-');
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, root: &str, expected: bool) {
        let found = TextReferences::of(text);
        assert_eq!(found.to(&RootName::of(root)).count() > 0, expected, "{text}");
        assert!(!found.is_obscure(), "{text}");
    }

    #[track_caller]
    fn check_obscure(text: &str) {
        assert!(TextReferences::of(text).is_obscure(), "{text}");
    }

    #[test]
    fn calls_are_found_by_the_words_in_them() {
        check("a: \"%{lookup('b::c')}\"\n", "b::c", true);
        check("a: \"%{lookup('b::c')}\"\n", "b", false);
        check("a: '%{alias(''b.c'')}'\n", "b", true);
        check("a: '%{lookup(\"\"\"b c\"\"\")}'\n", "b c", true);
        check("a: '%{facts.b}'\n", "b", false);
        check("a: b\n", "b", false);
        check("a: \"%{lookup('.')}\"\n", ".", true);
    }

    #[test]
    fn texts_that_hide_what_they_refer_to() {
        check_obscure("a: \"\\x25{lookup('b')}\"\n");
        check_obscure("a: \"%\\x7blookup('b')}\"\n");
        check_obscure("a: \"%{lookup('\\x62')}\"\n");
        check_obscure("a: &x \"%{lookup('b')}\"\nc: *x\n");
        check_obscure("<<: {a: \"%{lookup('b')}\"}\n");
    }
}
