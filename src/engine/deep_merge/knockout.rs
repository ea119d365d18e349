//! `knockout_prefix`: strings that remove other strings from a list.
//!
//! The prefix is a regular expression, anchored at the start of each line. Only strings of the higher priority knock out, and
//! only items of the next lower source.

use std::sync::{Arc, OnceLock};

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::data::inspect;
use crate::data::value::{Located, Value};
use crate::engine::failure::Failure;
use crate::syntax::ruby_regex::{self, RegexProblem, RubyRegex};

/// The first character for private use in Unicode.
const PRIVATE_USE: u32 = 0xE000;

/// The prefix, compiled when it is first matched with a string.
#[derive(Debug, Clone)]
pub(super) struct Knockout {
    prefix: Value,
    regex: Arc<OnceLock<Result<RubyRegex, RegexProblem>>>,
}

impl Knockout {
    pub(super) fn new(prefix: &Value) -> Self {
        Self { prefix: prefix.clone(), regex: Arc::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.prefix.as_str() == Some("")
    }

    /// Whether the text is certainly no knockout.
    pub(super) fn misses(&self, text: &str) -> bool {
        self.without_prefix(&Value::string(text)).is_ok_and(|shorter| shorter.is_none())
    }

    /// Whether the item is exactly the prefix, which empties the lower list.
    pub(super) fn is_bare(&self, item: &Located) -> bool {
        item.value == self.prefix
    }

    /// Whether the list contains the bare prefix.
    pub(super) fn truncates(&self, items: &[Located]) -> bool {
        items.iter().any(|it| self.is_bare(it))
    }

    fn regex(&self) -> Result<&RubyRegex, Failure> {
        let compile = || ruby_regex::translate(&format!("^{}", inspect::to_s(&self.prefix)));
        self.regex.get_or_init(compile).as_ref().map_err(|it| it.clone().into_failure())
    }

    /// The string without the prefix, if it has it on any line.
    pub(super) fn without_prefix(&self, value: &Value) -> Result<Option<Value>, Failure> {
        let shorter = |text: &str| -> Result<Option<String>, Failure> {
            let shorter = self.regex()?.remove_all(text);
            // The gem compares the texts before and after, so a prefix such as `-*` does not count where it matches the empty text.
            Ok((shorter != *text).then_some(shorter))
        };
        Ok(match value {
            Value::String(text) => shorter(text)?.map(Value::string),
            Value::Bytes(bytes) => shorter(&self.text_of(bytes)?)?.map(|it| value_of(&it)),
            _ => None,
        })
    }

    /// Bytes as a text with a character for each byte, because Ruby matches strings that are not UTF-8 byte by byte.
    fn text_of(&self, bytes: &[u8]) -> Result<String, Failure> {
        if !inspect::to_s(&self.prefix).is_ascii() {
            let message =
                "incompatible encoding regexp match (UTF-8 regexp with ASCII-8BIT string)";
            return Err(Failure::ruby("Encoding::CompatibilityError", message));
        }
        let character = |byte: &u8| match *byte {
            ascii @ ..0x80 => char::from(ascii),
            // No class of characters contains these, and no class of Ruby contains a byte that is not ASCII.
            other => char::from_u32(PRIVATE_USE + u32::from(other)).unwrap_or_default(),
        };
        Ok(bytes.iter().map(character).collect())
    }

    /// The value that an item knocks out, if it is a knockout.
    fn knocked_out(&self, item: &Located) -> Result<Option<Value>, Failure> {
        match &item.value {
            value @ (Value::String(_) | Value::Bytes(_)) => self.without_prefix(value),
            value => Ok(not_a_number_counts_as_a_knockout(value).then(|| value.clone())),
        }
    }

    /// Removes the items with the prefix from `high`, and both these items and what they name from `low`.
    pub(super) fn remove_from_both(
        &self,
        high: &mut Vec<Located>,
        low: &mut Vec<Located>,
    ) -> Result<(), Failure> {
        let mut kept = Vec::with_capacity(high.len());
        let mut out = IndexSet::<Value, RandomState>::default();
        for item in std::mem::take(high) {
            match self.knocked_out(&item)? {
                Some(named) => out.extend([named, item.value]),
                None => kept.push(item),
            }
        }
        if !out.is_empty() {
            low.retain(|it| !out.contains(&it.value));
        }
        *high = kept;
        Ok(())
    }

    /// Removes the items with the prefix from a list that has no lower list.
    pub(super) fn remove(&self, items: &mut Vec<Located>) -> Result<(), Failure> {
        let mut kept = Vec::with_capacity(items.len());
        for item in std::mem::take(items) {
            let is_out = match &item.value {
                // Here the gem calls `match`, not `gsub`, so a prefix that matches the empty text removes every string.
                Value::String(text) => self.regex()?.is_match(text),
                Value::Bytes(bytes) => self.regex()?.is_match(&self.text_of(bytes)?),
                _ => false,
            };
            if !is_out {
                kept.push(item);
            }
        }
        *items = kept;
        Ok(())
    }

    /// [`Self::remove_from_both`] if both are the same list: Ruby deletes from it while `delete_if` walks through it, so the
    /// item after a knockout is skipped.
    pub(super) fn remove_while_walking(&self, items: &mut Vec<Located>) -> Result<(), Failure> {
        let (mut walked, mut kept) = (0, 0);
        while walked < items.len() {
            let item = items[walked].clone();
            if let Some(named) = self.knocked_out(&item)? {
                items.retain(|it| it.value != named && it.value != item.value);
            } else {
                if walked != kept {
                    store(items, kept, item);
                }
                kept += 1;
            }
            walked += 1;
        }
        if kept < items.len() && kept < walked {
            let unwalked = items.split_off(walked.min(items.len()));
            items.truncate(kept);
            items.extend(unwalked);
        }
        Ok(())
    }
}

/// The value for a text with a character for each byte.
fn value_of(text: &str) -> Value {
    let byte = |it: char| (u32::from(it) & 0xFF) as u8;
    Value::of_bytes(text.chars().map(byte).collect())
}

/// The gem compares a value with its text without the prefix, and NaN does not equal itself. Ruby has a single NaN object, so
/// it knocks out the others.
pub(super) fn not_a_number_counts_as_a_knockout(value: &Value) -> bool {
    matches!(value, Value::Float(number) if number.is_nan())
}

/// Ruby's `array[index] = item`, which fills a gap with nil.
fn store(items: &mut Vec<Located>, index: usize, item: Located) {
    while items.len() <= index {
        items.push(Value::Undef.unplaced());
    }
    items[index] = item;
}
