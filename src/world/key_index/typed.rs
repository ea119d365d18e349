//! The keys of a text after an edit. The edited part is searched for keys, and the keys after it are moved.

use std::ops::Range;
use std::sync::Arc;

use super::FileKeys;
use super::key_list::KeyHere;
use crate::data::RootKey;
use crate::syntax::entries::begins_entry;
use crate::text::{TextRange, common_prefix, common_suffix};
use crate::world::interner::Interner;

/// The number of bytes at the start of a line that decide whether it starts an entry (`--- `).
const MARK_LENGTH: usize = 4;

/// Where keys must be looked for again.
struct Edited {
    /// The keys there, by their places among those of the old text.
    keys: Range<usize>,
    /// The bytes of the new text.
    range: Range<usize>,
}

impl FileKeys {
    /// The keys of the text `new`, of which `self` has those of `old`. `None` if the whole text must be searched.
    pub(in crate::world) fn after_edit(
        &self,
        old: &str,
        new: &str,
        names: &Interner,
    ) -> Option<Self> {
        let Edited { keys: replaced, range } = self.edited(old, new)?;
        // A `<<` that was removed still counts. A whole search would cost more than a less exact answer.
        let may_merge = self.may_merge || new[range.clone()].contains("<<");
        // Whether a `<<` elsewhere brings keys depends on how the whole file can be read, which the edit may change.
        if may_merge && has_root_merge(new) {
            return None;
        }
        let found = RootKey::quick_between(new, range.start as u32, range.end as u32)?;
        let numbers = names.numbers(found.iter().map(|it| &*it.text));
        let found: Vec<KeyHere> = found.iter().zip(&numbers).map(KeyHere::of).collect();
        let replaced_names = self.keys.names().take(replaced.end).skip(replaced.start);
        let has_same_names = found.iter().map(|it| it.name).eq(replaced_names);
        let moved = |at: u32| at + new.len() as u32 - old.len() as u32;
        let moved = |range: TextRange| TextRange::new(moved(range.start), moved(range.end));
        let behind = self.keys.from(replaced.end);
        let behind = behind.map(|it| KeyHere { key: moved(it.key), value: moved(it.value), ..it });
        let keys = self.keys.iter().take(replaced.start).chain(found).chain(behind);
        Some(Self {
            keys: keys.collect(),
            is_quick: true,
            may_merge,
            brought: None,
            first: if has_same_names { Arc::clone(&self.first) } else { Arc::default() },
        })
    }

    /// The part that an edit may have changed: from the start of an entry to the start of another one, or to the end.
    fn edited(&self, old: &str, new: &str) -> Option<Edited> {
        // If the parser had to read the old text as a whole, its lines do not tell where entries start.
        // What a `<<` at the root brings may be written anywhere before it.
        if !self.is_quick || self.brought.is_some() {
            return None;
        }
        let prefix = common_prefix(old.as_bytes(), new.as_bytes());
        // The suffix is measured without the prefix, so that both never overlap in a text that repeats itself.
        let suffix = common_suffix(&old.as_bytes()[prefix..], &new.as_bytes()[prefix..]);
        // An entry that starts before the edit still does, and so do all entries before it. Before the first key, other
        // rules apply.
        let is_before = |here: &KeyHere| here.key.start as usize + MARK_LENGTH <= prefix;
        let known = self.keys.partition_point(is_before);
        let begin = |at: usize| Some((at, self.begin_of_entry(at, old)?));
        let (first, start) = (1..known).rev().find_map(begin)?;
        // An entry that starts after the edit still does, if the end of the line before it is the same.
        let edit_end = old.len() - suffix;
        let behind = self.keys.partition_point(|here| here.key.start as usize <= edit_end);
        let is_behind = |(_, start): &(usize, usize)| *start > edit_end;
        let behind = (behind..self.keys.len()).find_map(|at| begin(at).filter(is_behind));
        let (behind, end) = behind.unwrap_or((self.keys.len(), old.len()));
        Some(Edited { keys: first..behind, range: start..end + new.len() - old.len() })
    }

    /// The start of the entry of a key in the text, if that is the start of the key's line.
    fn begin_of_entry(&self, at: usize, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let before = &bytes[..self.keys.at(at).key.start as usize];
        let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        begins_entry(bytes, line).then_some(line)
    }
}

/// Whether some entry of a text may be a `<<`: one that is written in an unusual way counts if its line has one anywhere.
fn has_root_merge(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut line = 0;
    while let Some(ahead) = memchr::memmem::find(&bytes[line..], b"<<") {
        let at = line + ahead;
        let start = memchr::memrchr(b'\n', &bytes[line..at]).map_or(line, |end| line + end + 1);
        if !text[start..].starts_with([' ', '-', '#']) {
            return true;
        }
        let Some(end) = memchr::memchr(b'\n', &bytes[at..]) else { return false };
        line = at + end + 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::data::{DataFile, FileId, Format};

    fn keys(text: &str, names: &Interner) -> FileKeys {
        FileKeys::new(&DataFile::new(FileId(0), Format::Yaml, text.into()), names)
    }

    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "module::a: 1\n",
            "module::b: [1,\n  2]\n",
            "module::c:\n  d: 1\n# comment\n",
            "'quoted': 1\n",
            "\"more: than\": 1\n",
            "yes: 1\n",
            "!!str tagged: 1\n",
            "&x\n anchored: 1\n",
            "? long\n: 1\n",
            "- item\n",
            "{a: 1}\n",
            "<<: {a: 1}\n",
            "base: &x {brought: 1}\n",
            "<<: *x\n",
            "? <<\n: *x\n",
            "---\n",
            "...\n",
            "--- a\n",
            "%YAML 1.1\n",
            "text: |\n  some\n  text\n",
            "word\n",
            "no end: 1",
            "\r\n",
            "\n",
            "  - deep\n",
            "ä: 1\n",
            "calls: \"%{lookup('module::a')}\"\n",
            "deep:\n  - '%{alias(\"b\")}'\n",
            "copy: *x\n",
            "hidden: \"\\x25{lookup('a')}\"\n",
            "'open: \n",
            "a: \"\n",
            "longer: [\n",
            "'quotes\": ]\n",
        ])
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
    }

    fn edit() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
        let typed = prop_oneof![
            3 => prop::sample::select(vec!["", "x", " ", "\n", ":", "-", "---", "'", "\"", "#", "{", "\r"])
                .prop_map(str::to_owned),
            1 => piece().prop_map(str::to_owned),
        ];
        (any::<prop::sample::Index>(), 0_usize..6, typed)
    }

    proptest! {
        #[test]
        fn an_edit_leads_to_the_keys_of_the_new_text(
            text in text(),
            edits in prop::collection::vec(edit(), 1..8),
        ) {
            let names = Interner::default();
            let mut old = text;
            let mut known = keys(&old, &names);
            for (at, length, typed) in edits {
                let mut starts: Vec<usize> = old.char_indices().map(|(at, _)| at).collect();
                starts.push(old.len());
                let from = at.index(starts.len());
                let to = (from + length).min(starts.len() - 1);
                let mut new = old.clone();
                new.replace_range(starts[from]..starts[to], &typed);
                let anew = keys(&new, &names);
                if let Some(edited) = known.after_edit(&old, &new, &names) {
                    prop_assert!(anew.is_quick, "{old:?} {new:?}");
                    prop_assert_eq!(&edited.keys, &anew.keys, "{:?} {:?}", old, new);
                    prop_assert_eq!(&edited.brought, &anew.brought, "{:?} {:?}", old, new);
                    for name in 0..40 {
                        prop_assert_eq!(edited.first(name), anew.first(name));
                    }
                    known = edited;
                } else {
                    known = anew;
                }
                old = new;
            }
        }
    }

    /// How many keys of a text are looked for again when a value is edited.
    fn work_of_an_edit(count: usize) -> usize {
        let lines = (0..count).map(|number| format!("module::key_{number}: 1\n"));
        let text = lines.collect::<Vec<_>>().concat();
        let edited = text.replace("key_50: 1", "key_50: 12");
        let names = Interner::default();
        let known = keys(&text, &names);
        let work = known.edited(&text, &edited).expect("a part of the text");
        let after = known.after_edit(&text, &edited, &names).expect("keys");
        assert_eq!(after.keys, keys(&edited, &names).keys);
        assert!(Arc::ptr_eq(&after.first, &known.first), "the names are the same");
        work.keys.len()
    }

    #[test]
    fn work_follows_the_edit_and_not_the_file() {
        let small = work_of_an_edit(100);
        assert_eq!(work_of_an_edit(1_600), small);
        assert!(small <= 2, "{small}");
    }
}
