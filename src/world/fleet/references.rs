//! Which root keys look up which others, by the words of `%{lookup(…)}` in files. They are found in one pass over the texts,
//! without parsing them. Some of the keys may be too many, but none is missing.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use memchr::memmem;

use super::mixed;
use super::spread::Reference;
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

    /// Where the calls start that may name one of the root keys, in a text that hides none. Each once, in order.
    pub(crate) fn to(&self, text: &str, roots: &RootNames) -> Vec<u32> {
        let count = roots.names.len() as u32;
        let is_searched = || {
            self.index.get().is_none()
                && self.searches.fetch_add(count, Ordering::Relaxed) + count <= SEARCHES
        };
        if is_searched()
            && let Some(calls) = roots.calls_in(text)
        {
            return calls;
        }
        self.index.get_or_init(|| TextReferences::of(text)).to(roots)
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

    /// Where the calls start that may name one of the root keys.
    fn to(&self, roots: &RootNames) -> Vec<u32> {
        // A key without words cannot be searched for, so every call may name it.
        if roots.has_one_without_words {
            return self.calls.to_vec();
        }
        let is_named = |it: &&(u32, u32)| roots.numbers.contains(&it.0);
        let mut calls: Vec<u32> = match roots.only_number() {
            Some(number) => {
                let from = self.words.partition_point(|(word, _)| *word < number);
                let its = self.words[from..].iter().take_while(|(word, _)| *word == number);
                its.map(|(_, at)| *at).collect()
            }
            None => self.words.iter().filter(is_named).map(|(_, at)| *at).collect(),
        };
        calls.sort_unstable();
        calls.dedup();
        calls
    }
}

/// Root keys, also as calls may name them.
pub(crate) struct RootNames {
    roots: BTreeSet<Arc<str>>,
    names: Vec<RootName>,
    /// The numbers of the names.
    numbers: HashSet<u32, foldhash::fast::RandomState>,
    has_one_without_words: bool,
}

/// A root key as calls may name it: its longest word.
struct RootName {
    root: Arc<str>,
    number: u32,
    finder: memmem::Finder<'static>,
}

impl RootNames {
    pub(super) fn of(roots: BTreeSet<Arc<str>>) -> Self {
        let name = |root: &Arc<str>| {
            // A long word is in fewer texts than a short one.
            let longest = words(root).max_by_key(|word| word.len())?;
            let finder = memmem::Finder::new(longest).into_owned();
            Some(RootName { root: Arc::clone(root), number: number(longest), finder })
        };
        let mut names: Vec<RootName> = { roots.iter() }.filter_map(name).collect();
        names.sort_by_key(|it| it.number);
        Self {
            numbers: names.iter().map(|it| it.number).collect(),
            has_one_without_words: names.len() < roots.len(),
            names,
            roots,
        }
    }

    /// Those that the call at byte `at` of a text may look up: too many rather than too few.
    pub(super) fn named_by_call(&self, text: &str, at: u32) -> Vec<Reference> {
        let start = at as usize;
        let call = &text[start..end_of_token(text.as_bytes(), start + 2)];
        let digs = call.contains('.');
        if self.has_one_without_words {
            let all = self.roots.iter().cloned();
            return all.map(|root| Reference { root, digs }).collect();
        }
        let with_word = |word: &str| {
            let number = number(word);
            let from = self.names.partition_point(|it| it.number < number);
            self.names[from..].iter().take_while(move |it| it.number == number)
        };
        let named = words(call).flat_map(with_word);
        named.map(|it| Reference { root: Arc::clone(&it.root), digs }).collect()
    }

    /// The keys.
    pub(super) fn roots(&self) -> &BTreeSet<Arc<str>> {
        &self.roots
    }

    /// Whether one of them is this key.
    pub(super) fn contain(&self, root: &str) -> bool {
        self.roots.contains(root)
    }

    fn only_number(&self) -> Option<u32> {
        self.numbers.iter().next().copied().filter(|_| self.numbers.len() == 1)
    }

    /// Where the calls start that may name one of them; `None` if they cannot be searched for.
    fn calls_in(&self, text: &str) -> Option<Vec<u32>> {
        if self.has_one_without_words {
            return None;
        }
        let mut starts: Vec<u32> = self.names.iter().flat_map(|it| it.calls_in(text)).collect();
        starts.sort_unstable();
        // A call may contain several of the words.
        starts.dedup();
        Some(starts)
    }
}

impl RootName {
    /// Where the calls start that may name it; a call that names it twice is listed twice.
    fn calls_in<'t>(&'t self, text: &'t str) -> impl Iterator<Item = u32> + 't {
        let is_it = |call: &&str| words(call).any(|word| number(word) == self.number);
        let start = move |at| Some(call_around(text, at).filter(is_it)?.as_ptr().addr());
        let starts = self.finder.find_iter(text.as_bytes()).filter_map(start);
        starts.map(|it| (it - text.as_ptr().addr()) as u32)
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

    fn names_of(root: &str) -> RootNames {
        RootNames::of([Arc::from(root)].into())
    }

    #[track_caller]
    fn check(text: &str, root: &str, expected: bool) {
        let found = KnownReferences::default();
        assert!(!found.are_hidden(text), "{text}");
        // First with searches, then with the index.
        for _ in 0..=SEARCHES {
            let calls = found.to(text, &names_of(root));
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
            assert_eq!(found.to(text, &names_of("c")), [16]);
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
