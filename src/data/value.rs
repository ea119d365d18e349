//! Puppet's values, and values with the position where they are written.
//!
//! Equality and hashing are Ruby's `eql?`: `1` does not equal `1.0`, and positions are ignored.

use std::hash::{BuildHasher as _, Hash as StdHash, Hasher};
use std::sync::{Arc, LazyLock};

use indexmap::Equivalent;

pub use super::members::Iter;
use super::members::Members;
use crate::syntax::interpolation::may_have_tokens;
use crate::text::TextRange;

/// A file of the workspace, by number; [`super::Files::path`] gives its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// The position of something that is written in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The range in bytes of the whole file.
    pub range: TextRange,
}

/// A value and its origin. `place` is `None` if no file contains the value as a whole: merged hashes, facts, defaults.
#[derive(Debug, Clone)]
pub struct Located {
    /// The value; its members have positions of their own.
    pub value: Value,
    /// Where the value (not its key) is written.
    pub place: Option<Place>,
}

/// A Puppet value. Cheap to clone: everything large is shared.
#[derive(Debug, Clone)]
pub enum Value {
    /// `undef`, YAML's `null`.
    Undef,
    /// `default`.
    Default,
    /// `true` or `false`.
    Boolean(bool),
    /// An integer of 64 bits.
    Integer(i64),
    /// A larger integer, as decimal digits with an optional `-`.
    BigInteger(Arc<str>),
    /// A float; NaN and infinities are possible.
    Float(f64),
    /// A string.
    String(Arc<str>),
    /// Bytes that are not UTF-8 (`!!binary` produces a Ruby string of them).
    Bytes(Arc<[u8]>),
    /// A Ruby symbol (`:name` in YAML): an error as soon as its key is looked up.
    Symbol(Arc<str>),
    /// A list.
    Array(Arc<Vec<Located>>),
    /// An insertion-ordered hash.
    Hash(Arc<Hash>),
    /// `Sensitive[…]`.
    Sensitive(Arc<Located>),
    /// `Binary`, as bytes.
    Binary(Arc<[u8]>),
    /// Any other object of Puppet's type system, represented only by type name and text: `Timestamp`, `Type`, `SemVer`, …
    Object(Arc<Object>),
}

/// An object of which only the type and the text are known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Object {
    /// The type's name, such as `Timestamp`.
    pub class: Arc<str>,
    /// The result of Ruby's `to_s`.
    pub text: Arc<str>,
}

/// An insertion-ordered hash whose keys have positions.
#[derive(Debug, Clone, Default)]
pub struct Hash {
    members: Members,
}

/// The value of a key in a [`Hash`].
#[derive(Debug, Clone)]
pub struct Member {
    /// Where the key is written.
    pub key_place: Option<Place>,
    /// The value.
    pub value: Located,
}

impl Value {
    /// A string value.
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::String(text.into())
    }

    /// The value for a string of Ruby with these bytes: [`Self::String`] if they are UTF-8, and otherwise [`Self::Bytes`].
    pub fn of_bytes(bytes: Vec<u8>) -> Self {
        match String::from_utf8(bytes) {
            Ok(text) => Self::string(text),
            Err(error) => Self::Bytes(error.into_bytes().into()),
        }
    }

    /// A list value.
    pub fn array(items: Vec<Located>) -> Self {
        Self::Array(Arc::new(items))
    }

    /// A hash value.
    pub fn hash(hash: Hash) -> Self {
        Self::Hash(Arc::new(hash))
    }

    /// An object of the type `class`, whose `to_s` is `text`.
    pub fn object(class: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        Self::Object(Arc::new(Object { class: class.into(), text: text.into() }))
    }

    /// The text of a [`Value::String`].
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The members of a [`Value::Hash`].
    pub fn as_hash(&self) -> Option<&Hash> {
        match self {
            Self::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    /// The items of a [`Value::Array`].
    pub fn as_array(&self) -> Option<&[Located]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// Whether it is neither a list nor a hash.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Self::Array(_) | Self::Hash(_))
    }

    /// The number of values in it that are neither lists nor hashes.
    pub fn scalars(&self) -> usize {
        match self {
            Self::Array(items) => items.iter().map(|it| it.value.scalars()).sum(),
            Self::Hash(hash) => hash.iter().map(|(_, it)| it.value.value.scalars()).sum(),
            _ => 1,
        }
    }

    /// Whether Ruby treats the value as true: everything except `undef` and `false`.
    pub fn is_truthy(&self) -> bool {
        !matches!(self, Self::Undef | Self::Boolean(false))
    }

    /// Whether any string in it, at any depth and including keys, may contain a `%{…}`.
    pub fn has_tokens(&self) -> bool {
        match self {
            Self::String(text) => may_have_tokens(text),
            Self::Array(items) => items.iter().any(|item| item.value.has_tokens()),
            Self::Hash(hash) => {
                let mut members = hash.iter();
                members.any(|(key, member)| key.has_tokens() || member.value.value.has_tokens())
            }
            Self::Sensitive(inner) => inner.value.has_tokens(),
            _ => false,
        }
    }

    /// A copy with its own lists and hashes, which differs from the original only in object identity.
    #[must_use]
    pub fn copied(&self) -> Self {
        match self {
            Self::Array(items) => Self::array(items.iter().map(Located::copied).collect()),
            Self::Hash(hash) => {
                let mut copy = Hash::with_capacity(hash.len());
                for (key, member) in hash.iter() {
                    copy.insert(key.copied(), member.key_place, member.value.copied());
                }
                Self::hash(copy)
            }
            scalar => scalar.clone(),
        }
    }

    /// The value without a position.
    pub fn unplaced(self) -> Located {
        Located { value: self, place: None }
    }
}

impl Located {
    /// A value with a position.
    pub fn new(value: Value, place: Option<Place>) -> Self {
        Self { value, place }
    }

    /// [`Value::copied`] with the same position.
    #[must_use]
    pub fn copied(&self) -> Self {
        Self::new(self.value.copied(), self.place)
    }
}

impl From<Value> for Located {
    fn from(value: Value) -> Self {
        value.unplaced()
    }
}

impl Hash {
    /// An empty hash.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty hash with room for `capacity` members.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { members: Members::with_capacity(capacity) }
    }

    /// An empty hash, with one allocation for all callers.
    pub fn shared_empty() -> Arc<Self> {
        static EMPTY: LazyLock<Arc<Hash>> = LazyLock::new(Arc::default);
        Arc::clone(&EMPTY)
    }

    /// Releases the memory that is kept for more members.
    pub fn shrink_to_fit(&mut self) {
        self.members.shrink_to_fit();
    }

    /// Sets `key` as Ruby's `[]=` does: an existing key keeps its position in the order and gets the new value and place.
    pub fn insert(&mut self, key: Value, key_place: Option<Place>, value: Located) {
        self.members.insert(key, Member { key_place, value });
    }

    /// The member under a string key.
    pub fn get(&self, key: &str) -> Option<&Member> {
        self.members.get(&StringKey(key))
    }

    /// The member under any kind of key.
    pub fn get_value(&self, key: &Value) -> Option<&Member> {
        self.members.get(key)
    }

    /// The member under any kind of key, to change it.
    pub fn get_value_mut(&mut self, key: &Value) -> Option<&mut Member> {
        self.members.get_mut(key)
    }

    /// Removes `key` and keeps the order of the others.
    pub fn remove(&mut self, key: &Value) -> Option<Member> {
        self.members.remove(key)
    }

    /// Key and member pairs in order.
    pub fn iter(&self) -> Iter<'_> {
        self.members.iter()
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> IntoIterator for &'a Hash {
    type Item = (&'a Value, &'a Member);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Located {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Eq for Located {}

impl PartialEq for Hash {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().all(|(key, member)| {
                other.get_value(key).is_some_and(|it| it.value == member.value)
            })
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Undef, Self::Undef) | (Self::Default, Self::Default) => true,
            (Self::Boolean(a), Self::Boolean(b)) => a == b,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::BigInteger(a), Self::BigInteger(b))
            | (Self::String(a), Self::String(b))
            | (Self::Symbol(a), Self::Symbol(b)) => a == b,
            // Ruby compares objects before values and has a single NaN, so NaN equals itself in lists and hashes.
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits() || a == b,
            (Self::Bytes(a), Self::Bytes(b)) | (Self::Binary(a), Self::Binary(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Hash(a), Self::Hash(b)) => Arc::ptr_eq(a, b) || a == b,
            (Self::Sensitive(a), Self::Sensitive(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Value {}

/// Has the same hash value as the [`Value::String`] with this text.
pub(super) struct StringKey<'a>(pub(super) &'a str);

const STRING_KIND: u8 = 6;

impl StdHash for StringKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        STRING_KIND.hash(state);
        self.0.hash(state);
    }
}

impl Equivalent<Value> for StringKey<'_> {
    fn equivalent(&self, key: &Value) -> bool {
        key.as_str() == Some(self.0)
    }
}

impl StdHash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Undef => 0u8.hash(state),
            Self::Default => 1u8.hash(state),
            Self::Boolean(it) => (2u8, it).hash(state),
            Self::Integer(it) => (3u8, it).hash(state),
            Self::BigInteger(it) => (4u8, it).hash(state),
            // 0.0 and -0.0 are equal, so they need the same hash.
            Self::Float(it) => (5u8, if *it == 0.0 { 0 } else { it.to_bits() }).hash(state),
            Self::String(it) => StringKey(it).hash(state),
            Self::Bytes(it) => (7u8, it).hash(state),
            Self::Symbol(it) => (8u8, it).hash(state),
            Self::Array(items) => {
                (9u8, items.len()).hash(state);
                items.iter().for_each(|it| it.value.hash(state));
            }
            // Equal hashes may have different orders, so the hash values of their members are summed up.
            Self::Hash(hash) => {
                let number = |(key, member): (&Self, &Member)| {
                    foldhash::fast::FixedState::default().hash_one((key, &member.value.value))
                };
                let sum = hash.iter().map(number).fold(0, u64::wrapping_add);
                (10u8, hash.len(), sum).hash(state);
            }
            Self::Sensitive(it) => (11u8, &it.value).hash(state),
            Self::Binary(it) => (12u8, it).hash(state),
            Self::Object(object) => (13u8, object).hash(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_told_apart_as_ruby_does() {
        let mut hash = Hash::new();
        hash.insert(Value::Integer(1), None, Value::string("integer").into());
        hash.insert(Value::Float(1.0), None, Value::string("float").into());
        hash.insert(Value::string("1"), None, Value::string("string").into());
        assert_eq!(hash.len(), 3);
        assert_eq!(hash.get("1").expect("the string key").value.value, Value::string("string"));
    }

    #[test]
    fn hashes_are_found_whatever_their_order_is() {
        let hash = |keys: [&str; 2]| {
            let mut hash = Hash::new();
            for key in keys {
                hash.insert(Value::string(key), None, Value::Integer(1).into());
            }
            Value::hash(hash)
        };
        let mut set = indexmap::IndexSet::<Value>::from([hash(["a", "b"])]);
        assert!(!set.insert(hash(["b", "a"])));
        assert!(set.insert(hash(["b", "c"])));
    }

    #[test]
    fn a_key_set_again_keeps_its_position() {
        let mut hash = Hash::new();
        hash.insert(Value::string("a"), None, Value::Integer(1).into());
        hash.insert(Value::string("b"), None, Value::Integer(2).into());
        hash.insert(Value::string("a"), None, Value::Integer(3).into());
        let keys: Vec<_> =
            hash.iter().map(|(key, member)| (key.as_str(), &member.value.value)).collect();
        assert_eq!(keys, [(Some("a"), &Value::Integer(3)), (Some("b"), &Value::Integer(2))]);
    }
}
