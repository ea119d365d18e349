//! Puppet's type system: types and their texts, whether a value fits a type, and Puppet's messages for mismatches.
//!
//! The members of object types (`Object[{…}]`) are not modelled, because no data can have such a type.

mod aliases;
mod argument;
mod assignable;
mod assignable_collections;
mod callable;
mod changed_part;
mod choices;
mod common;
mod describe;
mod describe_collections;
mod evaluate;
mod evaluate_sizes;
mod example;
mod expression;
mod expression_tokens;
mod format;
mod format_quoted;
mod generalize;
mod guard;
mod infer;
mod init;
mod instance;
mod interpret;
mod iterable;
mod kept;
mod misfit;
mod mismatch;
mod names;
mod normalize;
mod objects;
mod open_texts;
mod regexp;
mod resource;
mod strptime;
mod struct_of;
mod time_range;
mod timespan;
mod timestamp;
mod uri;
mod version;
mod version_parse;

use std::sync::{Arc, LazyLock};

use super::value::Value;

pub use aliases::{AliasFile, AliasFiles, AliasName, TypeAliases};
pub use callable::Callable;
pub use changed_part::ChangedParts;
pub use choices::Shape;
pub use describe::{Fit, assert_instance, fit, instance_problems};
pub use evaluate::evaluate;
pub use format_quoted::{puppet_double_quoted, puppet_quoted};
pub use infer::{type_of, type_set_of};
pub use init::Init;
pub use interpret::{TypeProblem, parse};
pub use kept::KnownType;
pub use misfit::{Misfit, Part};
pub use objects::unreadable_object;
pub use open_texts::{fit_of_open, fits_with_any};
pub use regexp::Pattern;
pub use time_range::{TimeProblem, TimeRange};
pub use timespan::timespan_text;
pub use timestamp::{TimestampFormats, read_timestamp, timestamp_text};
pub use uri::{UriMember, UriMembers};
pub use version::{Version, VersionRange};

/// A Puppet type.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// `Any`.
    Any,
    /// `Unit`: the element type of an empty collection.
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
        /// The minimum.
        from: f64,
        /// The maximum.
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
    /// `Runtime[ruby, 'Symbol']`: for Ruby objects that have no Puppet type.
    Runtime {
        /// The language, such as `ruby`.
        runtime: Option<Arc<str>>,
        /// The class.
        name: Option<Arc<str>>,
    },
    /// `Timestamp[from, to]`.
    Timestamp(TimeRange),
    /// `Timespan[from, to]`.
    Timespan(TimeRange),
    /// `SemVer['>=1.0.0']`; all versions if there is no range.
    SemVer(Vec<Arc<VersionRange>>),
    /// `SemVerRange`.
    SemVerRange,
    /// `URI[{scheme => 'https'}]`.
    Uri(Option<Arc<UriMembers>>),
    /// `Init[T, …]`: for values that `T.new` accepts.
    Init(Option<Arc<Init>>),
    /// `Callable[String, Integer]`.
    Callable(Option<Arc<Callable>>),
    /// `CatalogEntry`.
    CatalogEntry,
    /// `Class['name']`.
    Class(Option<Arc<str>>),
    /// `Resource`, `File`, `File['/tmp']`.
    Resource {
        /// The name of the resource type.
        name: Option<Arc<str>>,
        /// The title.
        title: Option<Arc<str>>,
    },
    /// One of Puppet's object types, such as `Deferred`. No data has such a type.
    Object {
        /// The type's name; `Object` for types without a name.
        name: Arc<str>,
    },
    /// An alias that is part of Puppet.
    Alias(Alias),
    /// An alias that a module or an environment defines.
    Named(AliasName),
    /// `TypeReference['text']`: a name without a definition.
    Reference(Arc<str>),
}

/// The bounds of an integer; `None` means unbounded. Sizes are never negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IntegerRange {
    /// The minimum.
    pub from: Option<i128>,
    /// The maximum.
    pub to: Option<i128>,
}

/// The strings that a `String` type accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StringKind {
    /// All strings.
    Any,
    /// Strings with a length in this range, in characters.
    Sized(IntegerRange),
    /// One string, as in the type of a value.
    Exactly(Arc<str>),
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
    /// `Iterator[T]`.
    Iterator,
}

/// The type aliases that are part of Puppet.
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

/// The type of a value in the short form of messages: `String`, `Tuple`, `Struct`, `Hash`, `Undef`, ….
pub fn infer(value: &Value) -> String {
    type_set_of(value).short_name()
}

/// The complete type of a value, as `got …` shows it: `Hash[String, Runtime[ruby, 'Symbol'], 1, 1]`.
pub fn infer_in_full(value: &Value) -> String {
    type_of(value).to_string()
}

/// The type after `got …` for a value that lookup refuses to return; `None` if the value is accepted.
pub fn check_lookup_value(value: &Value) -> Option<String> {
    let fits = Type::Alias(Alias::RichData).is_instance(value);
    (!fits).then(|| infer_in_full(value))
}

/// Whether the value is `Data`: strings, numbers, booleans, undef, and lists of these and hashes of these with string keys.
pub fn is_data(value: &Value) -> bool {
    Type::Alias(Alias::Data).is_instance(value)
}

/// Checks lookup's `value_type`. The message starts with `subject`: `Found value has wrong type, expects a String value,
/// got Undef`.
///
/// # Errors
/// The message, or that the result is not known.
pub fn check_type(
    type_text: &str,
    aliases: Option<&TypeAliases>,
    subject: &str,
    value: &Value,
) -> Result<(), TypeProblem> {
    let expected = aliases.map_or_else(|| parse(type_text), |it| it.parse(type_text))?;
    assert_instance(subject, &expected, value).map_err(TypeProblem::Invalid)
}

impl Type {
    /// `Hash[String, Data]`, which the merge strategy `hash` expects.
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

    /// `Array[T, from, to]`, with the range as it is written. If that is `0, 0`, Puppet drops the type of the items; a list that is
    /// empty for another reason, such as `default, 0`, keeps it.
    pub(super) fn array_of(item: Self, range: Option<IntegerRange>) -> Self {
        let item = if range.is_some_and(IntegerRange::is_empty) { Self::Unit } else { item };
        Self::Array(Box::new(item), range.map(IntegerRange::to_size))
    }

    /// `Hash[K, V, from, to]`, with the range as it is written. `0, 0` drops the types of the members, as for lists.
    pub(super) fn hash_of(key: Self, value: Self, range: Option<IntegerRange>) -> Self {
        if range.is_some_and(IntegerRange::is_empty) {
            return Self::empty_hash();
        }
        Self::Hash(Box::new(key), Box::new(value), range.map(IntegerRange::to_size))
    }

    /// The wrapper type around another type. `Sensitive` keeps only the generalized type.
    pub(super) fn wrapped(wrapper: Wrapper, inner: Self) -> Self {
        let inner = match wrapper {
            Wrapper::NotUndef if inner == Self::Any => None,
            Wrapper::Sensitive => Some(inner.generalized()),
            _ => Some(inner),
        };
        Self::Wrapped(wrapper, inner.map(Box::new))
    }

    /// The type of an empty list.
    fn empty_array() -> Self {
        Self::Array(Box::new(Self::Unit), Some(IntegerRange::exactly(0)))
    }

    /// The type of an empty hash.
    fn empty_hash() -> Self {
        Self::Hash(Box::new(Self::Unit), Box::new(Self::Unit), Some(IntegerRange::exactly(0)))
    }

    /// `Variant[…]` of the types, or the type itself if there is only one: nested variants are flattened, duplicates dropped.
    fn variant_of(types: impl IntoIterator<Item = Type>) -> Self {
        Self::variant_with(types, Self::has_bounds_of_time)
    }

    /// [`Self::variant_of`] for the types of values. Both bounds of the type of a time are the same object, and then Ruby finds
    /// that equal types are duplicates.
    fn variant_of_inferred(types: impl IntoIterator<Item = Type>) -> Self {
        Self::variant_with(types, |_| false)
    }

    fn variant_with(
        types: impl IntoIterator<Item = Type>,
        is_no_duplicate: impl Fn(&Type) -> bool,
    ) -> Self {
        let mut flat: Vec<Type> = Vec::new();
        for it in types {
            let members = if let Self::Variant(members) = it { members } else { vec![it] };
            for member in members {
                if is_no_duplicate(&member) || !flat.contains(&member) {
                    flat.push(member);
                }
            }
        }
        if flat.len() == 1 { flat.remove(0) } else { Self::Variant(flat) }
    }

    /// When Ruby drops duplicates, two time objects are never equal, because their hashes differ.
    fn has_bounds_of_time(&self) -> bool {
        match self {
            Self::Timestamp(range) | Self::Timespan(range) => *range != TimeRange::default(),
            _ => self.children().any(Self::has_bounds_of_time),
        }
    }

    /// The types that it consists of, without the definitions of its aliases.
    fn children(&self) -> impl Iterator<Item = &Self> {
        let (types, elements, pair): (&[Self], &[StructElement], [Option<&Self>; 2]) = match self {
            Self::Array(item, _) => (&[], &[], [Some(item), None]),
            Self::Hash(key, value, _) => (&[], &[], [Some(key), Some(value)]),
            Self::Tuple(types, _) | Self::Variant(types) => (types, &[], [None, None]),
            Self::Struct(elements) => (&[], elements, [None, None]),
            Self::Wrapped(_, inner) => (&[], &[], [inner.as_deref(), None]),
            Self::Init(Some(init)) => (&[], &[], [Some(&init.wanted), None]),
            _ => (&[], &[], [None, None]),
        };
        let elements = elements.iter().map(|it| &it.value);
        types.iter().chain(elements).chain(pair.into_iter().flatten())
    }

    fn is_optional(&self) -> bool {
        matches!(self, Self::Wrapped(Wrapper::Optional, _))
    }
}

impl IntegerRange {
    /// Unbounded.
    pub const ALL: Self = Self { from: None, to: None };
    /// The possible sizes of collections.
    pub const SIZES: Self = Self { from: Some(0), to: None };

    /// Exactly one number.
    pub const fn exactly(number: i128) -> Self {
        Self { from: Some(number), to: Some(number) }
    }

    /// Exactly the size of a collection.
    pub fn of_size(size: usize) -> Self {
        Self::exactly(i128::try_from(size).expect("a size fits i128"))
    }

    /// The range as a range of sizes, never below zero.
    #[must_use]
    pub fn to_size(self) -> Self {
        match self.from {
            Some(from) if from >= 0 => self,
            _ => Self { from: Some(0), to: self.to.map(|it| it.max(0)) },
        }
    }

    /// Whether the range contains the number.
    pub fn contains(self, number: i128) -> bool {
        self.from.is_none_or(|it| it <= number) && self.to.is_none_or(|it| number <= it)
    }

    /// Whether the range contains the size.
    pub fn contains_size(self, size: usize) -> bool {
        self.includes(Self::of_size(size))
    }

    /// Whether the range contains all of `other`.
    pub fn includes(self, other: Self) -> bool {
        let from_fits = self.from.is_none_or(|it| other.from.is_some_and(|other| it <= other));
        from_fits && self.to.is_none_or(|it| other.to.is_some_and(|other| it >= other))
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

    /// The definition of the alias.
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
    // The types are in the order of Puppet's definition, in which messages list them.
    let object = |name: &str| Type::Object { name: name.into() };
    Type::Variant(vec![
        Type::Scalar,
        Type::SemVerRange,
        Type::Binary,
        Type::Wrapped(Wrapper::Sensitive, Some(Box::new(Type::Any))),
        Type::Wrapped(Wrapper::Type, None),
        object("DefaultTypeSet"),
        Type::Uri(None),
        object("Object"),
        Type::Undef,
        Type::Default,
        Type::Hash(Box::new(Type::Alias(Alias::RichDataKey)), rich_data(), None),
        Type::Array(rich_data(), None),
    ])
}

#[cfg(test)]
mod tests;
