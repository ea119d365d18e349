//! Puppet's type system, as far as data needs it: the type of a value, whether a value fits a type, and the words Puppet has for a misfit.
//!
//! Types that no data can be of (`Class[x]`, `Callable`, …) are only known by name.

mod assignable;
mod build;
mod common;
mod format;
mod generalize;
mod infer;
mod instance;
mod mismatch;
mod normalize;
mod parse;

use std::sync::{Arc, LazyLock};

use super::value::Value;
use crate::syntax::ruby_regex::RubyRegex;

pub use format::{puppet_double_quoted, puppet_quoted};
pub use infer::{type_of, type_set_of};
pub use mismatch::assert_instance;
pub use parse::{TypeProblem, parse};

/// A Puppet type.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// `Any`.
    Any,
    /// `Unit`: of what an empty collection holds.
    Unit,
    /// `Undef`.
    Undef,
    /// `Default`.
    Default,
    /// `Scalar`.
    Scalar,
    /// `ScalarData`.
    ScalarData,
    /// `Numeric`.
    Numeric,
    /// `Boolean`, `Boolean[true]`.
    Boolean(Option<bool>),
    /// `Integer[from, to]`.
    Integer(IntegerRange),
    /// `Float[from, to]`, unbounded where infinite.
    Float {
        /// The least value.
        from: f64,
        /// The greatest value.
        to: f64,
    },
    /// `String` and its restrictions.
    String(StringKind),
    /// `Enum['a', 'b']`.
    Enum {
        /// Sorted, without duplicates.
        values: Vec<Arc<str>>,
        /// Whether letter case is ignored.
        ignores_case: bool,
    },
    /// `Pattern[/a/, /b/]`.
    Pattern(Vec<Arc<Pattern>>),
    /// `Regexp`, `Regexp[/a/]`.
    Regexp(Option<Arc<str>>),
    /// `Collection[from, to]`.
    Collection(Option<IntegerRange>),
    /// `Array[T, from, to]`.
    Array(Box<Type>, Option<IntegerRange>),
    /// `Hash[K, V, from, to]`.
    Hash(Box<Type>, Box<Type>, Option<IntegerRange>),
    /// `Tuple[A, B, from, to]`.
    Tuple(Vec<Type>, Option<IntegerRange>),
    /// `Struct[{a => T}]`.
    Struct(Vec<StructElement>),
    /// `Variant[A, B]`.
    Variant(Vec<Type>),
    /// A type around another one: `Optional[T]`, `Sensitive[T]`, ….
    Wrapped(Wrapper, Option<Box<Type>>),
    /// `Binary`.
    Binary,
    /// A Ruby class that Puppet has no type for, e.g. `Symbol`: `Runtime[ruby, 'Symbol']`.
    Runtime(Arc<str>),
    /// An object of Puppet's, e.g. `Timestamp['2020-01-01…']`.
    Object {
        /// The type's name.
        name: Arc<str>,
        /// The only value that the type allows, as text.
        only: Option<Arc<str>>,
    },
    /// A name for a type that comes with Puppet.
    Alias(Alias),
    /// A type that is known by text alone; no data is of this type.
    Other(Arc<str>),
}

/// The bounds of an integer; none is no bound. Sizes are never negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IntegerRange {
    /// The least value.
    pub from: Option<i128>,
    /// The greatest value.
    pub to: Option<i128>,
}

/// What kind of strings a `String` type allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StringKind {
    /// All.
    Any,
    /// Those of a length, in characters.
    Sized(IntegerRange),
    /// Just one: what the type of a value is.
    Exactly(Arc<str>),
}

/// A regular expression of a `Pattern`.
#[derive(Debug)]
pub struct Pattern {
    source: Arc<str>,
    regex: RubyRegex,
}

/// One member of a `Struct`.
#[derive(Debug, Clone, PartialEq)]
pub struct StructElement {
    /// The key.
    pub name: Arc<str>,
    /// Whether the key may be missing.
    pub is_optional: bool,
    /// The value's type.
    pub value: Type,
}

/// The types that wrap one other type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapper {
    /// `Optional[T]`.
    Optional,
    /// `NotUndef[T]`.
    NotUndef,
    /// `Sensitive[T]`.
    Sensitive,
    /// `Type[T]`.
    Type,
    /// `Iterable[T]`.
    Iterable,
}

/// The type aliases that come with Puppet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alias {
    /// `Data`.
    Data,
    /// `RichData`.
    RichData,
    /// `RichDataKey`.
    RichDataKey,
    /// `Puppet::LookupKey`.
    LookupKey,
    /// `Puppet::LookupValue`.
    LookupValue,
}

/// The type of a value as messages name it briefly: `String`, `Tuple`, `Struct`, `Hash`, `Undef`, ….
pub fn infer(value: &Value) -> String {
    type_set_of(value).short_name()
}

/// The type of a value in full, as `got …` shows it: `Hash[String, Runtime[ruby, 'Symbol'], 1, 1]`.
pub fn infer_in_full(value: &Value) -> String {
    type_of(value).to_string()
}

/// What `got …` says of a value that lookup refuses to hand out; nothing if the value is fine.
pub fn check_lookup_value(value: &Value) -> Option<String> {
    let fits = Type::Alias(Alias::RichData).is_instance(value);
    (!fits).then(|| infer_in_full(value))
}

/// Whether the value is `Data`: strings, numbers, booleans, undef, lists and hashes with string keys of them.
pub fn is_data(value: &Value) -> bool {
    Type::Alias(Alias::Data).is_instance(value)
}

/// Checks lookup's `value_type`; `subject` begins the message: `Found value has wrong type, expects a String value, got
/// Undef`.
///
/// # Errors
/// The message, or that we cannot tell.
pub fn check_type(type_text: &str, subject: &str, value: &Value) -> Result<(), TypeProblem> {
    let expected = parse(type_text)?;
    assert_instance(subject, &expected, value).map_err(TypeProblem::Invalid)
}

impl Type {
    /// `Hash[String, Data]`, which the merge strategy `hash` wants.
    pub fn hash_of_data() -> Self {
        Self::Hash(Box::new(Self::string()), Box::new(Self::Alias(Alias::Data)), None)
    }

    /// `String`.
    pub const fn string() -> Self {
        Self::String(StringKind::Any)
    }

    /// `Integer`.
    pub const fn integer() -> Self {
        Self::Integer(IntegerRange::ALL)
    }

    /// `Float`.
    pub const fn float() -> Self {
        Self::Float { from: f64::NEG_INFINITY, to: f64::INFINITY }
    }

    /// `Array`.
    pub fn array() -> Self {
        Self::Array(Box::new(Self::Any), None)
    }

    /// `Hash`.
    pub fn hash() -> Self {
        Self::Hash(Box::new(Self::Any), Box::new(Self::Any), None)
    }

    /// `Optional[T]`.
    #[must_use]
    pub fn optional(self) -> Self {
        Self::Wrapped(Wrapper::Optional, Some(Box::new(self)))
    }

    /// The type of an empty list.
    fn empty_array() -> Self {
        Self::Array(Box::new(Self::Unit), Some(IntegerRange::exactly(0)))
    }

    /// The type of an empty hash.
    fn empty_hash() -> Self {
        Self::Hash(Box::new(Self::Unit), Box::new(Self::Unit), Some(IntegerRange::exactly(0)))
    }

    /// `Variant[…]` of the types, or the only type there is: nested variants are opened, duplicates dropped.
    fn variant_of(types: impl IntoIterator<Item = Type>) -> Self {
        let mut flat: Vec<Type> = Vec::new();
        for it in types {
            let members = if let Self::Variant(members) = it { members } else { vec![it] };
            for member in members {
                if !flat.contains(&member) {
                    flat.push(member);
                }
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Variant(flat) }
    }

    fn is_optional(&self) -> bool {
        matches!(self, Self::Wrapped(Wrapper::Optional, _))
    }
}

impl IntegerRange {
    /// No bounds.
    pub const ALL: Self = Self { from: None, to: None };
    /// The sizes of collections.
    pub const SIZES: Self = Self { from: Some(0), to: None };

    /// Just one number.
    pub const fn exactly(number: i128) -> Self {
        Self { from: Some(number), to: Some(number) }
    }

    /// Just the size of a collection.
    pub fn of_size(size: usize) -> Self {
        Self::exactly(i128::try_from(size).expect("a size fits i128"))
    }

    /// As a range of sizes: never below zero.
    #[must_use]
    pub fn to_size(self) -> Self {
        match self.from {
            Some(from) if from >= 0 => self,
            _ => Self { from: Some(0), to: self.to.map(|it| it.max(0)) },
        }
    }

    /// Whether the number lies inside.
    pub fn contains(self, number: i128) -> bool {
        self.from.is_none_or(|it| it <= number) && self.to.is_none_or(|it| number <= it)
    }

    /// Whether the size lies inside.
    pub fn contains_size(self, size: usize) -> bool {
        self.includes(Self::of_size(size))
    }

    /// Whether all of `other` lies inside.
    pub fn includes(self, other: Self) -> bool {
        let from_fits = self.from.is_none_or(|it| other.from.is_some_and(|other| it <= other));
        from_fits && self.to.is_none_or(|it| other.to.is_some_and(|other| it >= other))
    }
}

impl Pattern {
    fn new(source: &str, regex: RubyRegex) -> Self {
        Self { source: source.into(), regex }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Alias {
    /// The name in Puppet code.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "Data",
            Self::RichData => "RichData",
            Self::RichDataKey => "RichDataKey",
            Self::LookupKey => "Puppet::LookupKey",
            Self::LookupValue => "Puppet::LookupValue",
        }
    }

    /// What the name stands for.
    pub fn resolved(self) -> &'static Type {
        static DATA: LazyLock<Type> = LazyLock::new(data);
        static RICH_DATA: LazyLock<Type> = LazyLock::new(rich_data);
        static RICH_DATA_KEY: LazyLock<Type> =
            LazyLock::new(|| Type::Variant(vec![Type::string(), Type::Numeric]));
        match self {
            Self::Data => &DATA,
            Self::RichData => &RICH_DATA,
            Self::RichDataKey => &RICH_DATA_KEY,
            Self::LookupKey => &Type::Alias(Self::RichDataKey),
            Self::LookupValue => &Type::Alias(Self::RichData),
        }
    }
}

fn data() -> Type {
    let data = || Box::new(Type::Alias(Alias::Data));
    Type::Variant(vec![
        Type::ScalarData,
        Type::Undef,
        Type::Hash(Box::new(Type::string()), data(), None),
        Type::Array(data(), None),
    ])
}

fn rich_data() -> Type {
    let rich_data = || Box::new(Type::Alias(Alias::RichData));
    let object = |name: &str| Type::Object { name: name.into(), only: None };
    Type::Variant(vec![
        Type::Scalar,
        object("SemVerRange"),
        Type::Binary,
        Type::Wrapped(Wrapper::Sensitive, Some(Box::new(Type::Any))),
        Type::Wrapped(Wrapper::Type, None),
        object("DefaultTypeSet"),
        object("URI"),
        object("Object"),
        Type::Undef,
        Type::Default,
        Type::Hash(Box::new(Type::Alias(Alias::RichDataKey)), rich_data(), None),
        Type::Array(rich_data(), None),
    ])
}

#[cfg(test)]
mod tests;
