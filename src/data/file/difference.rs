//! Finds the root keys that differ between two versions of a file. The versions share chunks, so the cost depends on the
//! size of the edit and not on the size of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::chunk::EntryKey;
use super::entries::{Entries, Placed};
use super::{Content, DataFile};
use crate::syntax::entries::each_quick_key;
use crate::syntax::interpolation::{calls_in, hides_tokens};
use crate::syntax::yaml::EntryFlags;

/// What an edit did to the entries of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryEdits {
    /// The root keys whose entries were edited, added, removed or reordered; sorted.
    pub keys: Vec<Arc<str>>,
    /// Whether root keys were added or removed.
    pub has_other_keys: bool,
    /// Whether values may look up other keys than before.
    pub has_other_calls: bool,
}

impl DataFile {
    /// The difference to a later or an earlier version. `None` if an edit of one entry can change the meaning of others:
    /// then everything may be different.
    pub fn entry_edits(&self, other: &Self) -> Option<EntryEdits> {
        match (self.content(), other.content()) {
            (Content::Entries(one), Content::Entries(two)) => {
                one.edits(&self.text, two, &other.text)
            }
            _ => None,
        }
    }
}

/// The sources of entries by key, in the order of the file.
type Sources<'t> = BTreeMap<Arc<str>, Vec<&'t str>>;

impl Entries {
    fn edits(&self, text: &str, other: &Self, other_text: &str) -> Option<EntryEdits> {
        if self.is_entangled() || other.is_entangled() {
            return None;
        }
        let (one, two) = (self.chunks(), other.chunks());
        // If the text before the first entry is not a comment, it breaks the whole file.
        let heads = [before_first_entry(one, text), before_first_entry(two, other_text)];
        if heads[0] != heads[1] && !heads.iter().all(|it| is_blank_or_comment(it)) {
            return None;
        }
        let (one, two) = where_they_differ(one, two, Placed::is_same_source);
        // Versions that were read on their own share no chunks. To compare texts costs less than to look for keys.
        let one: Vec<_> = one.iter().flat_map(Placed::spots).collect();
        let two: Vec<_> = two.iter().flat_map(Placed::spots).collect();
        let (one, two) = where_they_differ(&one, &two, |(one, index), (two, other)| {
            one.source(*index, text) == two.source(*other, other_text)
        });
        let is_edited = !one.is_empty() || !two.is_empty();
        let (one, two) = (sources(one, text)?, sources(two, other_text)?);
        let mut edits = EntryEdits::default();
        for (key, before) in &one {
            let after = two.get(key);
            if after != Some(before) {
                edits.keys.push(Arc::clone(key));
                let after = after.map_or(&[][..], Vec::as_slice);
                // `None` equals `None`, but two texts whose calls are not visible can look up different keys.
                edits.has_other_calls |= calls(before) != calls(after) || calls(after).is_none();
            }
            edits.has_other_keys |= after.is_none_or(|after| after.len() != before.len());
        }
        for key in two.keys().filter(|key| !one.contains_key(*key)) {
            edits.keys.push(Arc::clone(key));
            (edits.has_other_keys, edits.has_other_calls) = (true, true);
        }
        if is_edited {
            // The meaning of an alias depends on another entry, which may have moved.
            let aliases = |entries: &Self, text: &str, keys: &mut Vec<Arc<str>>| {
                let with_alias = entries.flagged(EntryFlags::ALIAS);
                keys.extend(with_alias.filter_map(|(placed, index)| key_of(placed, index, text)));
            };
            aliases(self, text, &mut edits.keys);
            aliases(other, other_text, &mut edits.keys);
            edits.keys.sort_unstable();
            edits.keys.dedup();
        }
        Some(edits)
    }
}

/// Two lists without what is the same at their starts and at their ends.
fn where_they_differ<'a, T>(
    one: &'a [T],
    two: &'a [T],
    is_same: impl Fn(&T, &T) -> bool,
) -> (&'a [T], &'a [T]) {
    let same = |(one, two): &(&T, &T)| is_same(one, two);
    let before = one.iter().zip(two).take_while(same).count();
    let (one, two) = (&one[before..], &two[before..]);
    // Both lists are already without their common start, so an item cannot count for both ends.
    let behind = one.iter().rev().zip(two.iter().rev()).take_while(same).count();
    (&one[..one.len() - behind], &two[..two.len() - behind])
}

/// The calls in the texts of some entries; `None` if the text does not show what they call.
fn calls<'t>(sources: &[&'t str]) -> Option<Vec<&'t str>> {
    let mut found = Vec::new();
    for source in sources {
        if hides_tokens(source) {
            return None;
        }
        found.extend(calls_in(source)?);
    }
    Some(found)
}

/// Some entries by their keys. Text that looks like a key is included, because entries may be broken and indexes include
/// such keys. `None` if there may be a key that is not a string, because Puppet refuses a whole file for some of them.
fn sources<'t>(spots: &[(&Placed, usize)], text: &'t str) -> Option<Sources<'t>> {
    let mut sources = Sources::new();
    for &(placed, index) in spots {
        if matches!(placed.key(index, text), Some(EntryKey::Value(key)) if key.as_str().is_none()) {
            return None;
        }
        let source = placed.source(index, text);
        let mut keys: BTreeSet<Arc<str>> = key_of(placed, index, text).into_iter().collect();
        each_quick_key(source, |key| {
            keys.insert(key.text.into());
        })?;
        // An edit can turn broken text into a key that is not a string, or the other way round.
        if keys.is_empty() && !is_blank_or_comment(source) {
            return None;
        }
        for key in keys {
            sources.entry(key).or_default().push(source);
        }
    }
    Some(sources)
}

fn before_first_entry<'t>(chunks: &[Placed], text: &'t str) -> &'t str {
    let first = chunks.iter().flat_map(Placed::spots).next();
    &text[..first.map_or(text.len(), |(placed, index)| placed.start(index) as usize)]
}

fn is_blank_or_comment(source: &str) -> bool {
    let mut lines = source.lines().map(str::trim_start);
    lines.all(|line| line.is_empty() || line.starts_with('#'))
}

fn key_of(placed: &Placed, index: usize, text: &str) -> Option<Arc<str>> {
    match placed.key(index, text)? {
        EntryKey::Plain(key) => Some(key.into()),
        EntryKey::Value(key) => key.as_str().map(Arc::from),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{FileId, Format};

    fn file(text: &str) -> DataFile {
        DataFile::new(FileId(0), Format::Yaml, text.into())
    }

    #[track_caller]
    fn check(before: &str, after: &str, expected: Option<(&[&str], bool)>) {
        let before = file(before);
        before.verdict();
        for after in [before.with_text(after.into()), file(after)] {
            for edits in [before.entry_edits(&after), after.entry_edits(&before)] {
                let keys = edits.as_ref().map(|it| it.keys.iter().map(|key| &**key).collect());
                let found: Option<(Vec<&str>, bool)> =
                    keys.zip(edits.as_ref().map(|it| it.has_other_keys));
                assert_eq!(found, expected.map(|(keys, other)| (keys.to_vec(), other)));
            }
        }
    }

    #[test]
    fn only_what_was_edited_differs() {
        check("a: 1\nb: 2\nc: 3\n", "a: 1\nb: 22\nc: 3\n", Some((&["b"], false)));
        check("a: 1\nb: 2\n", "a: 1\nb: 2\n", Some((&[], false)));
        check("a: 1\nb: 2\nc: 3\n", "a: 1\nc: 3\n", Some((&["b"], true)));
        check("a: 1\nb: 2\n", "a: 1\nbb: 2\n", Some((&["b", "bb"], true)));
        check("a: 1\na: 2\nb: 1\n", "a: 2\na: 1\nb: 1\n", Some((&["a"], false)));
        check("a: 1\na: 2\nb: 1\n", "a: 1\nb: 1\n", Some((&["a"], true)));
    }

    #[test]
    fn what_is_the_same_at_both_ends_is_left_out() {
        let differ = |one, two| where_they_differ(one, two, |one: &i32, two| one == two);
        assert_eq!(differ(&[1, 2, 3, 4], &[1, 9, 4]), (&[2, 3][..], &[9][..]));
        assert_eq!(differ(&[1, 1], &[1]), (&[1][..], &[][..]));
        assert_eq!(differ(&[1, 2], &[1, 2]), (&[][..], &[][..]));
    }

    #[test]
    fn what_aliases_mean_may_differ() {
        check("a: &x 1\nb: *x\nc: 1\n", "a: &x 2\nb: *x\nc: 1\n", Some((&["a", "b"], false)));
    }

    #[test]
    fn aliases_differ_where_entries_change_places() {
        check("a: *x\nb: &x 1\n", "b: &x 1\na: *x\n", Some((&["a"], false)));
    }

    #[test]
    fn keys_that_are_not_strings_concern_the_whole_file() {
        check("1: 1\nc: 1\n", "1: 2\nc: 1\n", None);
        // Whatever else the other version holds.
        check(": 1\nc: 1\n", "'# : 1\nc: 1\n", None);
        check("\nc: 1\n", ":\nc: 1\n", None);
    }

    #[test]
    fn broken_entries_count_by_their_looks() {
        let (before, after) = ("module::a: 1\nmodule::b: 2\n", "module::a: [\nmodule::b: 2\n");
        check(before, after, Some((&["module::a"], false)));
    }

    #[test]
    fn where_entries_are_entangled_everything_may_differ() {
        check("a: &x {b: 1}\n<<: *x\n", "a: &x {b: 2}\n<<: *x\n", None);
        check("{a: 1}\n", "{a: 2}\n", None);
    }

    proptest! {
        /// Whatever a lookup finds another value for is told.
        #[test]
        fn no_edited_key_is_missed(
            before in prop::collection::vec(("[a-d]", "[1-3]|\\[|&x 1|\\*x|\"%"), 0..6),
            after in prop::collection::vec(("[a-d]", "[1-3]|\\[|&x 1|\\*x|\"%"), 0..6),
        ) {
            let text = |entries: &[(String, String)]| {
                let lines = entries.iter().map(|(key, value)| format!("{key}: {value}\n"));
                lines.collect::<Vec<_>>().concat()
            };
            let (before, after) = (text(&before), text(&after));
            let (one, two) = (file(&before), file(&after));
            let Some(edits) = one.entry_edits(&two) else { return Ok(()) };
            for key in ["a", "b", "c", "d"] {
                let value = |file: &DataFile| file.get(key).map(|it| it.value.value.clone());
                let is_told = edits.keys.iter().any(|it| **it == *key);
                prop_assert!(is_told || value(&one) == value(&two), "{key}: {before:?} {after:?}");
            }
        }
    }
}
