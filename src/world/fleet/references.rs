//! Which root keys are made of which others, by the words of `%{lookup(…)}` in files: found in one pass over their texts,
//! without a parse. It names rather too many keys than too few.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::data::Format;
use crate::syntax::interpolation::{calls_in, hides_tokens, words};
use crate::world::{KeyIndex, parallel};

/// The calls in the texts of some files.
#[derive(Debug, Default)]
pub(super) struct References {
    /// By word, the calls that hold it.
    by_word: HashMap<Box<str>, Vec<Spot>, foldhash::fast::RandomState>,
    /// All calls, for root keys without a word.
    all: Vec<Spot>,
    /// Files whose texts do not show what their values hold.
    obscure: Vec<u32>,
}

/// A call in a file: the number of the file, and the byte at which the call begins.
type Spot = (u32, u32);

/// What one text shows.
enum Shown<'t> {
    Calls(Vec<(u32, BTreeSet<&'t str>)>),
    Obscure,
}

impl References {
    /// What the texts of files refer to, which are numbered by their order; `None` is a file to be left out.
    pub(super) fn of(files: &[Option<(Arc<str>, Format)>]) -> Self {
        let shown = parallel::map(files, |file| {
            file.as_ref().map(|(text, format)| match shown(text, *format) {
                Shown::Obscure => None,
                Shown::Calls(calls) => Some(
                    calls
                        .into_iter()
                        .map(|(at, words)| (at, words.into_iter().map(Box::from).collect()))
                        .collect::<Vec<(u32, Vec<Box<str>>)>>(),
                ),
            })
        });
        let mut found = Self::default();
        for (number, shown) in (0..).zip(shown) {
            match shown {
                None => {}
                Some(None) => found.obscure.push(number),
                Some(Some(calls)) => {
                    for (at, words) in calls {
                        found.all.push((number, at));
                        for word in words {
                            found.by_word.entry(word).or_default().push((number, at));
                        }
                    }
                }
            }
        }
        found
    }

    /// The calls that may name a root key.
    pub(super) fn to(&self, root: &str) -> &[Spot] {
        match words(root).max_by_key(|word| word.len()) {
            Some(word) => self.by_word.get(word).map_or(&[], Vec::as_slice),
            None => &self.all,
        }
    }

    /// The files that must be parsed to know what they refer to.
    pub(super) fn obscure(&self) -> &[u32] {
        &self.obscure
    }
}

/// The root key in whose entry byte `at` of the file at `path` lies.
pub(super) fn key_at(index: &KeyIndex, path: &str, at: u32) -> Option<Arc<str>> {
    let keys = index.keys_of(path).into_iter().filter(|(_, place)| place.key.start <= at);
    keys.max_by_key(|(_, place)| place.key.start).map(|(key, _)| key)
}

fn shown(text: &str, format: Format) -> Shown<'_> {
    if format == Format::Hocon || hides_tokens(text) {
        return Shown::Obscure;
    }
    let Some(calls) = calls_in(text) else { return Shown::Obscure };
    let place = |call: &str| (call.as_ptr().addr() - text.as_ptr().addr()) as u32;
    Shown::Calls(calls.into_iter().map(|call| (place(call), words(call).collect())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, root: &str, expected: bool) {
        let found = References::of(&[Some((text.into(), Format::Yaml))]);
        assert_eq!(!found.to(root).is_empty(), expected, "{text}");
        assert!(found.obscure().is_empty(), "{text}");
    }

    #[track_caller]
    fn check_obscure(text: &str) {
        let found = References::of(&[Some((text.into(), Format::Yaml))]);
        assert_eq!(found.obscure(), [0], "{text}");
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
