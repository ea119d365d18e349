//! Which root keys are made of which others, by the words of `%{lookup(…)}` in files: found in one pass over their texts,
//! without a parse. It names rather too many keys than too few.

use super::mixed;
use crate::syntax::interpolation::{calls_in, hides_tokens, words};

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

impl TextReferences {
    /// What a text of YAML or JSON shows.
    pub(crate) fn of(text: &str) -> Self {
        let shown = calls_in(text).filter(|_| !hides_tokens(text));
        let is_obscure = shown.is_none();
        let place = |call: &str| (call.as_ptr().addr() - text.as_ptr().addr()) as u32;
        let (mut numbers, mut calls) = (Vec::new(), Vec::new());
        for call in shown.into_iter().flatten() {
            calls.push(place(call));
            numbers.extend(words(call).map(|word| (number(word), place(call))));
        }
        numbers.sort_unstable();
        numbers.dedup();
        Self { is_obscure, words: numbers.into(), calls: calls.into() }
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
        Self(words(root).max_by_key(|word| word.len()).map(number))
    }
}

/// Different words rarely have the same number.
fn number(word: &str) -> u32 {
    mixed(word) as u32
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
