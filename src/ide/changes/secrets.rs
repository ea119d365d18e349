//! What a comparison does not show: values that are Sensitive or encrypted on either side of it, and texts that contain them.
//! Other people read its report, most of all when an edit makes a secret readable.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock};

use memchr::memmem;

use crate::data::{Hash, Located, Value, render};
use crate::engine::Answer;
use crate::ide::perspective::{HIDDEN_SENSITIVE, holds_encrypted, redacted, redacted_message};
use crate::world::{AnswerChange, parallel};

/// Finds the mark of a Sensitive value in thousands of texts.
static HIDDEN: LazyLock<memmem::Finder<'_>> =
    LazyLock::new(|| memmem::Finder::new(HIDDEN_SENSITIVE));

/// Shorter secrets are not searched for in other texts, because they would be found everywhere.
const MIN_SEARCHED: usize = 6;

/// The secrets in the answers of a comparison.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    /// For each key, the values before and after in which something is Sensitive.
    sensitive: HashMap<Arc<str>, [Vec<Value>; 2]>,
    /// The texts of Sensitive values.
    texts: BTreeSet<String>,
}

/// One side of a change, as it may be shown.
pub struct ShownSide<'a> {
    secrets: &'a Secrets,
    is_after: bool,
    /// The values of the other side in which something is secret.
    others: Vec<&'a Value>,
    /// What is shown after the edit instead of an encrypted text that is the same before, if Puppet decrypts it on one side only.
    decryption: Option<&'static str>,
}

impl Secrets {
    /// The secrets in the answers of these changes.
    pub fn of(changes: &[AnswerChange]) -> Self {
        let holds_secret = |it: &&Value| is_somewhere(it, &is_sensitive);
        // There can be a million values, and very few of them are secret.
        let holds_secrets = parallel::map(changes, |change| {
            [&change.before, &change.after]
                .into_iter()
                .flat_map(|it| values(it))
                .any(|it| holds_secret(&it))
        });
        let mut secrets = Self::default();
        for (change, _) in changes.iter().zip(holds_secrets).filter(|(_, holds)| *holds) {
            for (side, answer) in [&change.before, &change.after].into_iter().enumerate() {
                for value in values(answer).filter(holds_secret) {
                    secrets.add_texts(value);
                    let of_key = secrets.sensitive.entry(change.key.clone()).or_default();
                    of_key[side].push(value.clone());
                }
            }
        }
        secrets
    }

    /// Both sides of one of the changes.
    pub fn sides<'a>(&'a self, change: &'a AnswerChange) -> [ShownSide<'a>; 2] {
        let decrypts = |answer: &Answer| answer.each_case().iter().any(|(_, it)| it.decrypts());
        let decryption = match (decrypts(&change.before), decrypts(&change.after)) {
            (true, false) => Some("the same text, no longer decrypted (not shown)"),
            (false, true) => Some("the same text, decrypted (not shown)"),
            _ => None,
        };
        let side = |is_after: bool, other: &'a Answer| {
            let encrypted = values(other).filter(|it| is_somewhere(it, &is_encrypted));
            // What is Sensitive for some nodes was not meant to be read for others.
            let of_key = self.sensitive.get(&change.key).map(|it| &it[usize::from(!is_after)]);
            let others = encrypted.chain(of_key.into_iter().flatten()).collect();
            let decryption = if is_after { decryption } else { None };
            ShownSide { secrets: self, is_after, others, decryption }
        };
        [side(false, &change.after), side(true, &change.before)]
    }

    /// Adds the texts of what is Sensitive in a value.
    fn add_texts(&mut self, value: &Value) {
        match value {
            Value::Sensitive(secret) => self.add_all_texts(&secret.value),
            _ => members(value).for_each(|it| self.add_texts(it)),
        }
    }

    fn add_all_texts(&mut self, value: &Value) {
        match value {
            Value::String(_) | Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) => {
                let text = render::to_ruby_s(value);
                let text = text.trim();
                if text.chars().count() >= MIN_SEARCHED {
                    self.texts.insert(text.to_owned());
                }
            }
            Value::Sensitive(secret) => self.add_all_texts(&secret.value),
            _ => members(value).for_each(|it| self.add_all_texts(it)),
        }
    }

    /// Whether a text contains one of the secrets.
    fn are_in(&self, text: &str) -> bool {
        self.texts.iter().any(|it| text.contains(it))
    }
}

/// An answer for programs: without what is Sensitive or encrypted in it, whatever the other side of the comparison is.
pub fn without_own_secrets(answer: &Answer) -> Answer {
    let secrets = Secrets::default();
    let side =
        ShownSide { secrets: &secrets, is_after: false, others: Vec::new(), decryption: None };
    side.answer(answer)
}

impl ShownSide<'_> {
    /// The answer without secrets.
    pub fn answer(&self, answer: &Answer) -> Answer {
        let mut answer = answer.clone();
        match &mut answer.outcome {
            Ok(Some(value)) => value.value = self.value(value),
            Ok(None) => {}
            Err(failure) => failure.message = self.message(&failure.message).into(),
        }
        for case in &mut answer.cases {
            case.answer = self.answer(&case.answer);
        }
        answer
    }

    /// Whether a value of an answer is not shown as it is.
    pub(super) fn hides(&self, answer: &Answer) -> bool {
        let is_hidden = |case: &Answer| match &case.outcome {
            Ok(Some(value)) => self.value(value) != value.value,
            _ => false,
        };
        answer.each_case().iter().any(|(_, case)| is_hidden(case))
    }

    /// A value without secrets.
    pub(super) fn value(&self, value: &Located) -> Value {
        if self.others.is_empty() && self.secrets.texts.is_empty() {
            return redacted(value);
        }
        self.shown(value, &self.others)
    }

    /// An error message without secrets.
    pub(super) fn message(&self, message: &str) -> String {
        // A conversion that fails names the value.
        let names_value = message.contains("convert_to") && {
            let is_secret =
                |it: &&Value| is_somewhere(it, &is_sensitive) || !holds_encrypted(message);
            self.others.iter().any(is_secret)
        };
        let redacted = redacted_message(message);
        if names_value || self.secrets.are_in(&redacted) {
            return "the message contains a secret and is not shown".to_owned();
        }
        redacted
    }

    /// A value without secrets; `others` are the values at the same place of the other side.
    fn shown(&self, located: &Located, others: &[&Value]) -> Value {
        let value = &located.value;
        if is_secret(value) {
            let words = self.instead_of_secret(value, others);
            return words.map_or_else(|| redacted(located), Value::string);
        }
        if let Some(words) = others.iter().find_map(|other| self.instead_of(value, other)) {
            return Value::string(words);
        }
        match value {
            Value::Array(items) => {
                let item = |(at, item)| {
                    let others = others.iter().flat_map(|it| items_at(it, at, items.len()));
                    self.shown(item, &others.collect::<Vec<_>>()).into()
                };
                Value::array(items.iter().enumerate().map(item).collect())
            }
            Value::Hash(hash) => {
                let mut shown = Hash::with_capacity(hash.len());
                for (key, member) in hash.as_ref() {
                    let others: Vec<&Value> =
                        others.iter().filter_map(|it| member_at(it, key)).collect();
                    shown.insert(key.clone(), None, self.shown(&member.value, &others).into());
                }
                Value::hash(shown)
            }
            _ if self.secrets.are_in(&render::to_ruby_s(value)) => {
                Value::string("contains a Sensitive value (not shown)")
            }
            _ => value.clone(),
        }
    }

    /// What is shown instead of a secret after the edit, if there was another one at its place. All secrets look the same, so
    /// the change would not be seen.
    fn instead_of_secret(&self, value: &Value, others: &[&Value]) -> Option<&'static str> {
        let mut secrets = others.iter().filter(|it| is_secret(it)).peekable();
        if !self.is_after || secrets.peek().is_none() {
            return None;
        }
        if secrets.any(|it| *it == value) {
            return self.decryption.filter(|_| is_encrypted(value));
        }
        let was_sensitive = others.iter().any(|it| matches!(it, Value::Sensitive(_)));
        Some(match value {
            Value::Sensitive(_) if was_sensitive => "another Sensitive value (not shown)",
            Value::Sensitive(_) => "now Sensitive (not shown)",
            _ => "another encrypted value (not shown)",
        })
    }

    /// What is shown instead of a value that is no secret itself, if the other side has a secret at its place.
    fn instead_of(&self, value: &Value, other: &Value) -> Option<&'static str> {
        // A text has the mark of each Sensitive value that it contains.
        let marks =
            |it: &Value| it.as_str().map_or(0, |text| text.matches(HIDDEN_SENSITIVE).count());
        let is_sensitive = matches!(other, Value::Sensitive(_)) || marks(other) > marks(value);
        match (is_sensitive, self.is_after) {
            (true, true) => Some("no longer Sensitive (not shown)"),
            (true, false) => Some("not yet Sensitive (not shown)"),
            // What is still encrypted is in a list or a hash now.
            (false, _) if !is_encrypted(other) || is_somewhere(value, &is_encrypted) => None,
            (false, true) => Some("no longer encrypted (not shown)"),
            (false, false) => Some("not yet encrypted (not shown)"),
        }
    }
}

/// The values of an answer in all of its cases.
fn values(answer: &Answer) -> impl Iterator<Item = &Value> {
    let cases = answer.each_case().into_iter();
    cases.filter_map(|(_, case)| Some(&case.outcome.as_ref().ok()?.as_ref()?.value))
}

/// The values in a list or a hash.
fn members(value: &Value) -> impl Iterator<Item = &Value> {
    let items = value.as_array().unwrap_or_default().iter();
    let of_hash = value.as_hash().into_iter().flatten().map(|(_, member)| &member.value);
    items.chain(of_hash).map(|it| &it.value)
}

/// The member of a hash of the other side. A secret that became a hash may be in each member.
fn member_at<'v>(other: &'v Value, key: &Value) -> Option<&'v Value> {
    let Some(hash) = other.as_hash() else { return Some(other) };
    Some(&hash.get_value(key)?.value.value)
}

/// The items of a list of the other side that may be the one at a place of a list of `length` items. A secret that became a list
/// may be in each item.
fn items_at(other: &Value, at: usize, length: usize) -> Vec<&Value> {
    let Some(items) = other.as_array() else { return vec![other] };
    if items.len() == length {
        return vec![&items[at].value];
    }
    // Which item became which is not known.
    let holds_secret = |it: &Value| is_sensitive(it) || is_encrypted(it);
    items.iter().map(|it| &it.value).filter(|it| is_somewhere(it, &holds_secret)).collect()
}

fn is_somewhere(value: &Value, is_it: &impl Fn(&Value) -> bool) -> bool {
    is_it(value) || members(value).any(|it| is_somewhere(it, is_it))
}

/// Whether a value is Sensitive, or a text that contains such a value.
fn is_sensitive(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::String(text) => HIDDEN.find(text.as_bytes()).is_some(),
        _ => false,
    }
}

/// Whether nothing of a value may be shown.
fn is_secret(value: &Value) -> bool {
    matches!(value, Value::Sensitive(_)) || is_encrypted(value)
}

fn is_encrypted(value: &Value) -> bool {
    value.as_str().is_some_and(holds_encrypted)
}
