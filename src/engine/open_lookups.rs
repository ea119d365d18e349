//! Lookups in texts that can stay open while two answers are compared: those whose results are the same on both sides. One
//! comparison then serves all nodes that differ in nothing but these results.
//!
//! They stay open as names do (`open_names.rs`): the text contains a variable that no node has, `%{⟪lookup⟫profile⟫port}`.

use std::fmt::Debug;
use std::sync::Arc;

use super::invocation::{InterpolatedText, Invocation};
use super::open_names::{self, MARK, OwnNames, START, expression_left_open};
use super::request::Answer;
use crate::data::{Hash, Located, Value};
use crate::syntax::interpolation::{self, Method};

/// What follows the mark of a variable that stands for the text of a looked up value.
const LOOKUP: &str = "lookup⟫";

/// What follows the mark of a variable that stands for the looked up value itself.
const ALIAS: &str = "alias⟫";

/// What such a variable has in the place of `::`, which would make it a variable of a class.
const SEPARATOR: &str = "⟫";

/// Keys whose lookups have the same results on both sides of a comparison.
pub trait UnchangedKeys: Debug + Send + Sync {
    /// Whether every lookup of this root key has the same result on both sides, and none of them fails.
    fn never_change(&self, root: &Arc<str>) -> bool;
}

impl Invocation<'_> {
    /// The variable that stands for the result of a lookup in a text, if the request leaves it open.
    pub(super) fn lookup_left_open(
        &self,
        method: &Method,
        key: &Arc<str>,
        context: InterpolatedText,
    ) -> Option<Arc<str>> {
        let unchanged = self.unchanged?;
        if self.own_names == OwnNames::Known
            || context != InterpolatedText::Data
            || self.collects_options()
        {
            return None;
        }
        let kind = match method {
            Method::Lookup | Method::Hiera => LOOKUP,
            // Anything that reads the value would have to know what it is. The result of a lookup is not read.
            Method::Alias if self.ends_at_first_value && !self.budget.is_nested() => ALIAS,
            _ => return None,
        };
        let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b':');
        let is_name = key.starts_with(|it: char| it.is_ascii_alphabetic());
        if !(is_name && key.bytes().all(is_plain) && unchanged.never_change(key)) {
            return None;
        }
        Some([MARK, kind, &key.replace("::", SEPARATOR)].concat().into())
    }
}

impl Invocation<'_> {
    /// Runs `work`, which finds a value that is converted: a conversion reads the results of all lookups in it.
    pub(super) fn with_lookups<R>(
        &mut self,
        is_converted: bool,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let Some(unchanged) = self.unchanged.filter(|_| is_converted) else { return work(self) };
        self.unchanged = None;
        let result = self.without_nested_values(work);
        self.unchanged = Some(unchanged);
        result
    }
}

/// What a text contains where it reads `expression`, without the mark: as users write it.
fn as_written(expression: &str) -> String {
    let call =
        |method: &str, name: &str| format!("%{{{method}('{}')}}", name.replace(SEPARATOR, "::"));
    match (expression.strip_prefix(LOOKUP), expression.strip_prefix(ALIAS)) {
        (Some(name), _) => call("lookup", name),
        (_, Some(name)) => call("alias", name),
        _ => format!("%{{{expression}}}"),
    }
}

/// Whether a text stands for a value that is not read, which may be of any type.
fn is_any_value(text: &str) -> bool {
    text.strip_prefix(START).is_some_and(|rest| {
        rest.starts_with(ALIAS) && rest.find('}').is_some_and(|end| end + 1 == rest.len())
    })
}

/// Whether two values can be equal after everything that stays open in them is known. It is the same for both.
pub(crate) fn may_be_same_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => may_be_same_text(one, other),
        (Value::String(text), _) | (_, Value::String(text)) => is_any_value(text),
        (Value::Array(one), Value::Array(other)) => {
            let mut items = one.iter().zip(other.iter());
            one.len() == other.len()
                && items.all(|(one, other)| may_be_same_value(&one.value, &other.value))
        }
        (Value::Hash(one), Value::Hash(other)) => {
            let mut members = one.iter().zip(other.iter());
            one.len() == other.len()
                && members.all(|((key, one), (other_key, other))| {
                    may_be_same_value(key, other_key)
                        && may_be_same_value(&one.value.value, &other.value.value)
                })
        }
        (Value::Sensitive(one), Value::Sensitive(other)) => {
            may_be_same_value(&one.value, &other.value)
        }
        (one, other) => one == other,
    }
}

fn may_be_same_text(one: &str, other: &str) -> bool {
    if one == other || is_any_value(one) || is_any_value(other) {
        return true;
    }
    let (one, other) = without_same_ends(one, other);
    open_names::may_be_equal(one, other)
}

/// What is between the texts that both begin with and end with. Tokens stay whole.
fn without_same_ends<'t>(one: &'t str, other: &'t str) -> (&'t str, &'t str) {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b);
    let start = same.map_or(one.len().min(other.len()), |((at, _), _)| at);
    // Both are the same up to here, so a token that begins before begins in both.
    let start = match one[..start].rfind(START) {
        Some(token) if !one[token..start].contains('}') => token,
        _ => start,
    };
    let (one, other) = (&one[start..], &other[start..]);
    let same = one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b);
    let mut length: usize = same.map(|(it, _)| it.len_utf8()).sum();
    let is_inside = |text: &str, at: usize| {
        text[..at].rfind(START).is_some_and(|token| !text[token..at].contains('}'))
    };
    if is_inside(one, one.len() - length) || is_inside(other, other.len() - length) {
        let end = &one[one.len() - length..];
        length = end.find('}').map_or(0, |brace| end.len() - brace - 1);
    }
    (&one[..one.len() - length], &other[..other.len() - length])
}

impl Answer {
    /// The same answer for people, whose texts contain what is open as users write it: `%{lookup('port')}`.
    pub(crate) fn as_written(&self) -> Self {
        let mut written = self.clone();
        written.write_open();
        for case in &mut written.cases {
            case.answer.write_open();
        }
        written
    }

    fn write_open(&mut self) {
        if let Ok(Some(value)) = &mut self.outcome
            && let Some(changed) = written(&value.value)
        {
            value.value = changed;
        }
    }
}

/// The value with everything that is open as users write it; `None` if nothing is.
fn written(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => text.contains(START).then(|| Value::string(written_text(text))),
        Value::Array(items) => {
            let changed: Vec<Option<Value>> = items.iter().map(|it| written(&it.value)).collect();
            changed.iter().any(Option::is_some).then(|| {
                let items = items.iter().zip(changed);
                Value::array(items.map(|(item, changed)| placed(item, changed)).collect())
            })
        }
        Value::Hash(hash) => {
            let members: Vec<_> =
                hash.iter().map(|(key, it)| (written(key), written(&it.value.value))).collect();
            members.iter().any(|(key, value)| key.is_some() || value.is_some()).then(|| {
                let mut copy = Hash::with_capacity(hash.len());
                for ((key, member), (new_key, changed)) in hash.iter().zip(members) {
                    let key = new_key.unwrap_or_else(|| key.clone());
                    copy.insert(key, member.key_place, placed(&member.value, changed));
                }
                Value::hash(copy)
            })
        }
        Value::Sensitive(inner) => {
            let changed = written(&inner.value)?;
            Some(Value::Sensitive(Located::new(changed, inner.place).into()))
        }
        _ => None,
    }
}

fn placed(value: &Located, changed: Option<Value>) -> Located {
    changed.map_or_else(|| value.clone(), |it| Located::new(it, value.place))
}

fn written_text(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for token in interpolation::tokens(text) {
        let Some(expression) = expression_left_open(&token) else { continue };
        result.push_str(&text[done..token.range.start as usize]);
        result.push_str(&as_written(expression));
        done = token.range.end as usize;
    }
    result + &text[done..]
}
