//! Which root keys look up which others, by the words of `%{lookup(…)}` in files. They are found in one pass over the texts,
//! without parsing them. Some of the keys may be too many, but none is missing.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use memchr::memmem;

use super::mixed;
use crate::syntax::interpolation::{calls_in, end_of_token, hides_tokens, words};

/// For this many keys, a text is searched. Only then is it indexed, because an index costs as much as many searches.
const SEARCHES: u32 = 4;

/// What is known about the calls in one text.
#[derive(Debug, Default)]
pub(crate) struct KnownReferences {
    are_hidden: OnceLock<bool>,
    index: OnceLock<TextReferences>,
    searches: AtomicU32,
}

impl KnownReferences {
    /// Whether `text`, which is YAML or JSON, must be parsed to know what it refers to.
    pub(crate) fn are_hidden(&self, text: &str) -> bool {
        // An escape such as `\x25` in double quotes can hide the `%` of a reference.
        *self.are_hidden.get_or_init(|| hides_tokens(text) || calls_in(text).is_none())
    }

    /// Where the calls start that may name a root key, in a text that hides none.
    pub(crate) fn to(&self, text: &str, root: &RootName) -> Vec<u32> {
        let is_searched = || {
            self.index.get().is_none() && self.searches.fetch_add(1, Ordering::Relaxed) < SEARCHES
        };
        if is_searched()
            && let Some(calls) = root.calls_in(text)
        {
            return calls;
        }
        self.index.get_or_init(|| TextReferences::of(text)).to(root).collect()
    }
}

/// The calls in one text.
#[derive(Debug)]
struct TextReferences {
    /// The words of calls as numbers, each with the byte at which its call starts; sorted.
    words: Box<[(u32, u32)]>,
    /// Where calls start.
    calls: Box<[u32]>,
}

impl TextReferences {
    fn of(text: &str) -> Self {
        let place = |call: &str| (call.as_ptr().addr() - text.as_ptr().addr()) as u32;
        let (mut numbers, mut calls) = (Vec::new(), Vec::new());
        for call in calls_in(text).into_iter().flatten() {
            calls.push(place(call));
            numbers.extend(words(call).map(|word| (number(word), place(call))));
        }
        numbers.sort_unstable();
        numbers.dedup();
        Self { words: numbers.into(), calls: calls.into() }
    }

    /// Where the calls start that may name a root key.
    fn to(&self, root: &RootName) -> impl Iterator<Item = u32> {
        let (words, calls): (&[(u32, u32)], &[u32]) = match &root.0 {
            Some((number, _)) => {
                let from = self.words.partition_point(|(word, _)| word < number);
                let length = self.words[from..].partition_point(|(word, _)| word == number);
                (&self.words[from..from + length], &[])
            }
            // A key without words cannot be searched for, so every call may name it.
            None => (&[], &self.calls),
        };
        words.iter().map(|(_, at)| *at).chain(calls.iter().copied())
    }
}

/// A root key as calls may name it: its longest word. `None` if it has no words.
pub(crate) struct RootName(Option<(u32, memmem::Finder<'static>)>);

impl RootName {
    pub(super) fn of(root: &str) -> Self {
        // A long word is in fewer texts than a short one.
        let longest = words(root).max_by_key(|word| word.len());
        Self(longest.map(|word| (number(word), memmem::Finder::new(word).into_owned())))
    }

    /// Where the calls start that may name it; `None` if it cannot be searched for.
    fn calls_in(&self, text: &str) -> Option<Vec<u32>> {
        let (number_of_it, finder) = self.0.as_ref()?;
        let is_it = |call: &&str| words(call).any(|word| number(word) == *number_of_it);
        let start = |at| Some(call_around(text, at).filter(is_it)?.as_ptr().addr());
        let starts = finder.find_iter(text.as_bytes()).filter_map(start);
        let mut starts: Vec<u32> = starts.map(|it| (it - text.as_ptr().addr()) as u32).collect();
        // A call may contain the word several times.
        starts.dedup();
        Some(starts)
    }
}

/// The call that contains byte `at` of a text, as [`calls_in`] finds it.
fn call_around(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    // A call ends at the next brace, so behind the last one no other call has begun before.
    let from = memchr::memrchr(b'}', &bytes[..at]).unwrap_or(0);
    let start = from + memmem::rfind(&bytes[from..at], b"%{")?;
    Some(&text[start..end_of_token(bytes, at)]).filter(|call| call.contains('('))
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
        let found = KnownReferences::default();
        assert!(!found.are_hidden(text), "{text}");
        // First with searches, then with the index.
        for _ in 0..=SEARCHES {
            let calls = found.to(text, &RootName::of(root));
            assert_eq!(!calls.is_empty(), expected, "{text}");
        }
        assert!(found.index.get().is_some(), "{text}");
    }

    #[track_caller]
    fn check_obscure(text: &str) {
        assert!(KnownReferences::default().are_hidden(text), "{text}");
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
    fn text_that_looks_like_the_start_of_a_token_hides_no_call() {
        let text = "a: 50%{ off\nb: \"%{lookup('c')}\"\nd: 5%{\n";
        let found = KnownReferences::default();
        assert!(!found.are_hidden(text));
        for _ in 0..=SEARCHES {
            assert_eq!(found.to(text, &RootName::of("c")), [16]);
        }
        check_obscure("a: \"%{lookup('%{c')}\"\n");
        check_obscure("a: \"%{lookup('c'\"\nb: \"%{lookup('c')}\"\n");
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
