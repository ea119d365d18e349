//! The `deep_merge` gem as Puppet calls it. Each oddity has a named function.
//!
//! The gem changes the values that it gets; here values are never changed. If the gem's changes show in its own result,
//! because it merges a value with itself, the result here is the same. `high` is the gem's `source`, `low` its `dest`.

mod knockout;
mod sort;

use std::sync::Arc;

use self::knockout::{Knockout, not_a_number_counts_as_a_knockout};
use super::failure::Failure;
use super::merge::without_duplicates;
use crate::data::inspect;
use crate::data::value::{Hash, Located, Member, Value};

/// The gem's options.
#[derive(Debug, Clone, Default)]
pub(super) struct DeepMerge {
    knockout: Option<Knockout>,
    /// `unpack_arrays`: lists are joined with this text and split at it.
    separator: Option<Value>,
    flags: Flags,
}

/// The gem's boolean options.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they are the gem's switches")]
struct Flags {
    merge_hash_arrays: bool,
    sort_merged_arrays: bool,
    overwrite_arrays: bool,
    extend_existing_arrays: bool,
    preserve_unmergeables: bool,
}

type Merged = Result<Located, Failure>;

impl DeepMerge {
    pub(super) fn new(options: &Hash) -> Self {
        // `merge_debug` is not read: it makes the gem print its steps, but does not change the result.
        let option = |name: &str| options.get(name).map(|it| &it.value.value);
        let is_on = |name: &str| option(name).is_some_and(Value::is_truthy);
        let given = |name: &str| option(name).filter(|it| it.is_truthy());
        Self {
            knockout: given("knockout_prefix").map(Knockout::new),
            separator: given("unpack_arrays").cloned(),
            flags: Flags {
                merge_hash_arrays: is_on("merge_hash_arrays"),
                sort_merged_arrays: is_on("sort_merged_arrays"),
                overwrite_arrays: is_on("overwrite_arrays"),
                extend_existing_arrays: is_on("extend_existing_arrays"),
                preserve_unmergeables: is_on("preserve_unmergeables"),
            },
        }
    }

    /// Whether a text stays as it is, and does not fail the merge.
    pub(super) fn takes_as_it_is(&self, text: &str) -> bool {
        self.separator.is_none() && self.knockout.as_ref().is_none_or(|it| it.misses(text))
    }

    /// Whether a value that only one of two hashes has certainly stays as it is. Lists lose duplicates, for example.
    pub(super) fn leaves_alone(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => {
                self.takes_as_it_is(text) && (self.knockout.is_none() || !value.has_tokens())
            }
            Value::Undef | Value::Boolean(_) | Value::Integer(_) => true,
            Value::Float(number) => !number.is_nan(),
            Value::Hash(hash) => hash.iter().all(|(_, it)| self.leaves_alone(&it.value.value)),
            _ => false,
        }
    }

    /// Whether merged lists are sorted.
    pub(super) fn sorts_lists(&self) -> bool {
        self.flags.sort_merged_arrays
    }

    /// Merges `low` into `high`.
    ///
    /// # Errors
    /// Those of the gem and of Ruby: bad options, lists that cannot be sorted, a prefix that is not a regular expression.
    pub(super) fn merge(&self, high: &Located, low: &Located) -> Merged {
        let invalid = |message| Err(Failure::ruby("DeepMerge::InvalidParameter", message));
        match &self.knockout {
            Some(knockout) if knockout.is_empty() => {
                invalid("knockout_prefix cannot be an empty string in deep_merge!")
            }
            Some(_) if self.flags.preserve_unmergeables => invalid(
                "overwrite_unmergeable must be true if knockout_prefix is specified in deep_merge!",
            ),
            _ => self.merge_two(high, low),
        }
    }

    fn merge_two(&self, high: &Located, low: &Located) -> Merged {
        if matches!(high.value, Value::Undef) {
            return Ok(low.clone());
        }
        // The gem tests `!dest`, so a `false` of the lower priority counts as missing, like undef.
        if !low.value.is_truthy() && !self.flags.preserve_unmergeables {
            return Ok(high.clone());
        }
        match &high.value {
            Value::Hash(hash) => self.merge_hash(high, hash, low),
            Value::Array(items) => self.merge_array(high, items, low),
            _ => match &low.value {
                Value::Array(items) if self.flags.extend_existing_arrays => {
                    Ok(extended(items, high, 1))
                }
                _ => self.overwrite(high, low),
            },
        }
    }

    fn merge_hash(&self, high: &Located, hash: &Hash, low: &Located) -> Merged {
        match &low.value {
            Value::Hash(low_hash) => {
                let mut merged = Hash::clone(low_hash);
                for (key, member) in hash {
                    let value = match low_hash.get_value(key) {
                        Some(below) if below.value.value.is_truthy() => {
                            if leaves_all_as_it_is(&member.value) {
                                // Inserting the lower value again would claim that its key is written in the higher file.
                                continue;
                            }
                            self.merge_two(&member.value, &below.value)?
                        }
                        _ => self.merge_over_copy(&member.value)?,
                    };
                    merged.insert(key.clone(), member.key_place, value);
                }
                Ok(Value::hash(merged).unplaced())
            }
            // The gem appends the whole hash once for each of its keys.
            Value::Array(items) if self.flags.extend_existing_arrays => {
                Ok(extended(items, high, hash.len()))
            }
            // An empty hash has no key that could overwrite anything.
            _ if hash.is_empty() || self.flags.preserve_unmergeables => Ok(low.clone()),
            _ => self.replace_by_hash(high, hash),
        }
    }

    /// A hash over something else: the first key replaces the value, and every further key merges the hash into itself.
    fn replace_by_hash(&self, high: &Located, hash: &Hash) -> Merged {
        let replaced = map_members(high, hash, |index, value| {
            if index == 0 { Ok(value.clone()) } else { self.merge_with_itself(value) }
        });
        replaced.map(|it| same_object_if_equal(high, it))
    }

    /// A value that only the higher priority has is merged over a shallow copy of itself, which removes duplicates and
    /// knockouts.
    fn merge_over_copy(&self, high: &Located) -> Merged {
        match &high.value {
            Value::Undef | Value::Boolean(false) => Ok(high.clone()),
            Value::Hash(hash) => map_members(high, hash, |_, value| self.merge_with_itself(value)),
            Value::Array(items) => self.merge_array_over_copy(high, items),
            // This makes a knockout an empty string even if the lower priority does not have the key.
            _ => self.overwrite(high, high),
        }
    }

    /// The gem merges an object with itself, below the top of a value that only the higher priority has.
    fn merge_with_itself(&self, value: &Located) -> Merged {
        match &value.value {
            Value::Undef | Value::Boolean(false) => Ok(value.clone()),
            Value::Hash(hash) => map_members(value, hash, |_, value| self.merge_with_itself(value))
                .map(|it| same_object_if_equal(value, it)),
            Value::Array(items) => self.merge_array_with_itself(value, items),
            _ => self.overwrite(value, value),
        }
    }

    fn merge_array(&self, high: &Located, items: &Arc<Vec<Located>>, low: &Located) -> Merged {
        if self.flags.overwrite_arrays {
            // The gem does not look for knockouts in a list that overwrites another.
            return Ok(high.clone());
        }
        let mut items = self.unpacked(items)?;
        let mut below = low.value.as_array().map(|it| self.unpacked(it)).transpose()?;
        if let Some(knockout) = &self.knockout
            && knockout.truncates(&items)
        {
            below = below.map(|_| Vec::new());
            items.retain(|it| !knockout.is_bare(it));
        }
        match below {
            Some(mut below) => {
                if let Some(knockout) = &self.knockout {
                    knockout.remove_from_both(&mut items, &mut below)?;
                }
                let merged = self.joined(&items, &below, |high, low| self.merge_two(high, low))?;
                // A list of items from two files must not have the place of one of them: `sources` would call that file the winner.
                let place = if below.is_empty() { high.place } else { None };
                Ok(Located::new(Value::array(merged), place))
            }
            None if self.flags.preserve_unmergeables => Ok(low.clone()),
            None => {
                if let Some(knockout) = &self.knockout {
                    knockout.remove(&mut items)?;
                }
                Ok(same_object_if_equal(high, Located::new(Value::array(items), high.place)))
            }
        }
    }

    /// [`Self::merge_array`] with a copy of the list, which contains the same objects.
    fn merge_array_over_copy(&self, high: &Located, items: &Arc<Vec<Located>>) -> Merged {
        if self.flags.overwrite_arrays {
            return Ok(high.clone());
        }
        let mut items = self.unpacked(items)?;
        let mut below = items.clone();
        if let Some(knockout) = &self.knockout {
            if knockout.truncates(&items) {
                below.clear();
                items.retain(|it| !knockout.is_bare(it));
            }
            knockout.remove_from_both(&mut items, &mut below)?;
        }
        let merged = self.joined(&items, &below, |_, low| self.merge_with_itself(low))?;
        Ok(Located::new(Value::array(merged), high.place))
    }

    /// [`Self::merge_array`] with the list itself: what is removed from one is removed from the other.
    fn merge_array_with_itself(&self, value: &Located, items: &Arc<Vec<Located>>) -> Merged {
        if self.flags.overwrite_arrays {
            return Ok(value.clone());
        }
        if self.separator.is_some() {
            // The gem splits both into new lists.
            return self.merge_array_over_copy(value, items);
        }
        let mut items = Vec::clone(items);
        if let Some(knockout) = &self.knockout {
            if knockout.truncates(&items) {
                // Both lists are the same object in the gem, so emptying the lower one also empties the higher one.
                items.clear();
            }
            knockout.remove_while_walking(&mut items)?;
        }
        let merged = self.joined(&items, &items, |_, low| self.merge_with_itself(low))?;
        Ok(Located::new(Value::array(merged), value.place))
    }

    /// The lower list and then the new items of the higher one or, for two lists of hashes, the merged hashes.
    fn joined(
        &self,
        high: &[Located],
        low: &[Located],
        merge: impl Fn(&Located, &Located) -> Merged,
    ) -> Result<Vec<Located>, Failure> {
        let all_hashes = |items: &[Located]| items.iter().all(|it| it.value.as_hash().is_some());
        let mut joined = if self.flags.merge_hash_arrays && all_hashes(high) && all_hashes(low) {
            let merged = low.iter().enumerate().map(|(index, below)| match high.get(index) {
                Some(above) => merge(above, below),
                None => Ok(below.clone()),
            });
            let mut merged = merged.collect::<Result<Vec<_>, _>>()?;
            merged.extend(high.iter().skip(low.len()).cloned());
            merged
        } else {
            // The gem's `dest | source` lists the lower priority first. The strategy `unique` lists the higher one first.
            without_duplicates(low.iter().chain(high))
        };
        if self.flags.sort_merged_arrays {
            joined = sort::sorted(joined)?;
        }
        Ok(joined)
    }

    fn unpacked(&self, items: &[Located]) -> Result<Vec<Located>, Failure> {
        let Some(separator) = &self.separator else { return Ok(items.to_vec()) };
        let Value::String(separator) = separator else {
            let kind = kind_name(separator);
            // An empty list is joined without checking the separator, and split afterwards.
            let message = match items {
                [] => format!("wrong argument type {kind} (expected Regexp)"),
                _ => format!("no implicit conversion of {kind} into String"),
            };
            return Err(Failure::ruby("TypeError", message));
        };
        let mut joined = Joined::default();
        joined.join(items, separator)?;
        let parts = match Value::of_bytes(joined.text) {
            Value::Bytes(_) if !separator.is_ascii() => {
                return Err(incompatible(Encoding::Binary, Encoding::Utf8));
            }
            // Ruby splits such a string byte by byte, and no byte that is not ASCII is a separator.
            Value::Bytes(bytes) => {
                let a_character_for_each: String = bytes.iter().map(|it| char::from(*it)).collect();
                let parts = split(&a_character_for_each, separator).into_iter();
                parts
                    .map(|it| it.chars().map(|it| it as u8).collect())
                    .map(Value::of_bytes)
                    .collect()
            }
            text => {
                let parts = split(text.as_str().unwrap_or_default(), separator).into_iter();
                parts.map(Value::string).collect::<Vec<_>>()
            }
        };
        Ok(parts.into_iter().map(Value::unplaced).collect())
    }

    /// Values that cannot be merged: the higher priority wins. A string that starts with the knockout prefix wins as `""`.
    fn overwrite(&self, high: &Located, low: &Located) -> Merged {
        if self.flags.preserve_unmergeables {
            return Ok(low.clone());
        }
        match (&self.knockout, &high.value) {
            (Some(knockout), value) if knockout.without_prefix(value)?.is_some() => {
                Ok(Located::new(Value::string(""), high.place))
            }
            (Some(_), value) if not_a_number_counts_as_a_knockout(value) => {
                Ok(Located::new(Value::string(""), high.place))
            }
            _ => Ok(high.clone()),
        }
    }
}

/// The gem changes this value in place. If nothing changes, it stays the same object, and explain shows that.
fn same_object_if_equal(before: &Located, after: Located) -> Located {
    if before.value == after.value { before.clone() } else { after }
}

fn map_members(whole: &Located, hash: &Hash, change: impl Fn(usize, &Located) -> Merged) -> Merged {
    let mut changed = Hash::with_capacity(hash.len());
    for (index, (key, Member { key_place, value })) in hash.iter().enumerate() {
        changed.insert(key.clone(), *key_place, change(index, value)?);
    }
    Ok(Located::new(Value::hash(changed), whole.place))
}

/// Whether merging this over something leaves it, and the position of its key, unchanged.
fn leaves_all_as_it_is(high: &Located) -> bool {
    match &high.value {
        Value::Undef => true,
        Value::Hash(hash) => hash.is_empty(),
        _ => false,
    }
}

fn extended(items: &[Located], by: &Located, times: usize) -> Located {
    let added = std::iter::repeat_n(by, times);
    Value::array(items.iter().chain(added).cloned().collect()).unplaced()
}

/// The name in Ruby's messages of a value that is not a string.
fn kind_name(value: &Value) -> String {
    match value {
        Value::Boolean(it) => it.to_string(),
        other => inspect::ruby_class(other).to_owned(),
    }
}

/// The encoding of a string of Ruby with other characters than ASCII.
#[derive(Clone, Copy, PartialEq)]
enum Encoding {
    Utf8,
    Binary,
}

/// What Ruby's `Array#join` has joined so far.
#[derive(Default)]
struct Joined {
    text: Vec<u8>,
    /// The encoding of `text`, if it has other characters than ASCII.
    encoding: Option<Encoding>,
}

impl Joined {
    fn join(&mut self, items: &[Located], separator: &str) -> Result<(), Failure> {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.push(separator.as_bytes(), Encoding::Utf8)?;
            }
            match &item.value {
                Value::Array(inner) => self.join(inner, separator)?,
                Value::Bytes(bytes) => self.push(bytes, Encoding::Binary)?,
                other => self.push(inspect::to_s(other).as_bytes(), Encoding::Utf8)?,
            }
        }
        Ok(())
    }

    fn push(&mut self, text: &[u8], encoding: Encoding) -> Result<(), Failure> {
        if !text.is_ascii() {
            match self.encoding.replace(encoding) {
                Some(before) if before != encoding => return Err(incompatible(before, encoding)),
                _ => (),
            }
        }
        self.text.extend_from_slice(text);
        Ok(())
    }
}

fn incompatible(one: Encoding, other: Encoding) -> Failure {
    let name = |it| match it {
        Encoding::Utf8 => "UTF-8",
        Encoding::Binary => "ASCII-8BIT",
    };
    let message = format!("incompatible character encodings: {} and {}", name(one), name(other));
    Failure::ruby("Encoding::CompatibilityError", message)
}

/// Ruby's `String#split`: drops empty strings at the end; a space splits at any white space, an empty string everywhere.
fn split(text: &str, separator: &str) -> Vec<String> {
    let mut parts: Vec<String> = match separator {
        " " => {
            let is_space = |it: char| matches!(it, '\0' | '\t'..='\r' | ' ');
            text.split(is_space).filter(|it| !it.is_empty()).map(str::to_owned).collect()
        }
        "" => text.chars().map(String::from).collect(),
        _ => text.split(separator).map(str::to_owned).collect(),
    };
    while parts.last().is_some_and(String::is_empty) {
        parts.pop();
    }
    parts
}
