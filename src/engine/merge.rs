//! The merge strategies `first`, `unique`, `hash`, `deep` and their variants: how values of several sources are combined.

use std::sync::Arc;

use super::deep_merge::DeepMerge;
use super::failure::{Failure, FailureClass};
use crate::data::inspect;
use crate::data::puppet_type::{self, Type};
use crate::data::value::{Hash, Located, Value};
use crate::syntax::ruby_regex::RegexProblem;

/// A merge strategy with its options, as in `merge:` of lookup_options or in an argument of `lookup()`.
#[derive(Debug, Clone)]
pub struct Merge {
    strategy: Strategy,
    /// The whole hash as given, with `strategy`; `None` if there are no options.
    options: Option<Arc<Hash>>,
    deep: DeepMerge,
}

/// The merge strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The first value found, requested by name.
    First,
    /// The first value found, because no strategy was requested.
    Default,
    /// All values in one flat list without duplicates, the highest priority first.
    Unique,
    /// One hash with the keys of all.
    Hash,
    /// As [`Self::Hash`], at all depths, with lists joined; lower priority first.
    Deep,
    /// [`Self::Deep`] with every option of the gem.
    UnconstrainedDeep,
    /// [`Self::UnconstrainedDeep`] with reversed priorities.
    ReverseDeep,
}

impl Strategy {
    /// All strategies that have a name.
    pub const ALL: [Self; 7] = [
        Self::First,
        Self::Default,
        Self::Unique,
        Self::Hash,
        Self::Deep,
        Self::UnconstrainedDeep,
        Self::ReverseDeep,
    ];

    /// The name in `merge:`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Default => "default",
            Self::Unique => "unique",
            Self::Hash => "hash",
            Self::Deep => "deep",
            Self::UnconstrainedDeep => "unconstrained_deep",
            Self::ReverseDeep => "reverse_deep",
        }
    }

    /// The valid options, as a Puppet type.
    fn options_type(self) -> String {
        let name = self.name();
        match self {
            Self::Deep => "Struct[{strategy=>Optional[Pattern['deep']],\
                           knockout_prefix=>Optional[String],merge_debug=>Optional[Boolean],\
                           merge_hash_arrays=>Optional[Boolean],sort_merged_arrays=>Optional[Boolean]}]"
                .to_owned(),
            Self::UnconstrainedDeep | Self::ReverseDeep => "Hash[String[1],Any]".to_owned(),
            _ => format!("Struct[{{strategy=>Optional[Pattern[/{name}/]]}}]"),
        }
    }
}

impl Merge {
    /// The strategy `hash`, by which lookup_options themselves are collected.
    pub fn hash() -> Self {
        Self::plain(Strategy::Hash)
    }

    /// The strategy `first`.
    pub fn first() -> Self {
        Self::plain(Strategy::First)
    }

    /// The strategy in the value of `merge`; no value, `undef` and `false` request none.
    ///
    /// # Errors
    /// Puppet's, for an unknown strategy and for unknown options.
    pub fn of(value: Option<&Value>) -> Result<Self, Failure> {
        value.map_or_else(|| Ok(Self::plain(Strategy::Default)), Self::parse)
    }

    /// [`Self::of`] for a value that exists.
    ///
    /// # Errors
    /// As in [`Self::of`].
    pub fn parse(value: &Value) -> Result<Self, Failure> {
        if !value.is_truthy() {
            return Ok(Self::plain(Strategy::Default));
        }
        // A hash with nothing but `strategy` has no options in Puppet, and its type is not checked.
        let (name, options) = match value {
            Value::Hash(hash) => (strategy_of(hash)?, (hash.len() > 1).then_some(hash)),
            other => (other, None),
        };
        let text = inspect::to_s(name);
        let strategy = match name {
            Value::String(_) | Value::Symbol(_) => {
                Strategy::ALL.into_iter().find(|it| it.name() == text)
            }
            _ => None,
        };
        let strategy = strategy.ok_or_else(|| {
            Failure::ruby("ArgumentError", format!("Unknown merge strategy: '{text}'"))
        })?;
        match options {
            Some(options) => Self::with_options(strategy, options),
            // The Ruby class of this strategy inherits the cached instance of its parent.
            None if strategy == Strategy::UnconstrainedDeep => Ok(Self::plain(Strategy::Deep)),
            None => Ok(Self::plain(strategy)),
        }
    }

    fn plain(strategy: Strategy) -> Self {
        Self { strategy, options: None, deep: DeepMerge::default() }
    }

    fn with_options(strategy: Strategy, options: &Arc<Hash>) -> Result<Self, Failure> {
        let wanted = puppet_type::parse(&strategy.options_type())
            .expect("the types of merge options are correct");
        let value = Value::Hash(Arc::clone(options));
        assert_type("The merge options", &wanted, &value)?;
        let deep = DeepMerge::new(options);
        Ok(Self { strategy, options: Some(Arc::clone(options)), deep })
    }

    /// The strategy.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The strategy's name, as explain prints it.
    pub fn name(&self) -> &'static str {
        self.strategy.name()
    }

    /// The options besides `strategy`, if there are any.
    pub fn options_without_strategy(&self) -> Option<Value> {
        let mut options = Hash::clone(self.options.as_ref()?);
        options.remove(&Value::string("strategy"));
        (!options.is_empty()).then(|| Value::hash(options))
    }

    /// Whether a value that fits a type still fits after a merge with any others, apart from what they bring.
    pub fn keeps_fit(&self, value: &Value, wanted: &Type) -> bool {
        let is_list = |it: &Located| matches!(it.value, Value::Array(_));
        self.options_without_strategy().is_none()
            && match (self.strategy, value) {
                (Strategy::First | Strategy::Default, _) => true,
                // Lists in the list are flattened.
                (Strategy::Unique, Value::Array(items)) => {
                    !items.iter().any(is_list) && wanted.is_kept_by_merges(false)
                }
                (Strategy::Hash, Value::Hash(_)) => wanted.is_kept_by_merges(false),
                (Strategy::Deep, Value::Hash(_) | Value::Array(_)) => {
                    wanted.is_kept_by_merges(true)
                }
                _ => false,
            }
    }

    /// Whether a deep merge leaves a text as it is, and does not fail because of it.
    pub(super) fn takes_as_it_is(&self, text: &str) -> bool {
        self.deep.takes_as_it_is(text)
    }

    /// Whether a member of a hash stays as it is if the hash is merged with one that does not have the member.
    pub(super) fn leaves_alone(&self, member: &Value) -> bool {
        self.strategy == Strategy::Hash || self.deep.leaves_alone(member)
    }

    /// Whether a deep merge sorts lists.
    pub(super) fn sorts_lists(&self) -> bool {
        self.deep.sorts_lists()
    }

    /// One of its options, if it is given.
    pub fn option(&self, name: &str) -> Option<&Value> {
        Some(&self.options.as_ref()?.get(name)?.value.value)
    }

    /// Whether a lookup returns the first value found and never merges.
    pub fn is_first_found(&self) -> bool {
        matches!(self.strategy, Strategy::First | Strategy::Default)
    }

    /// Both values as Puppet passes them to a merge: a deep merge changes a copy, and explain distinguishes copies.
    #[must_use]
    pub fn with_copied_receiver(&self, high: Located, low: Located) -> (Located, Located) {
        match self.strategy {
            Strategy::Deep | Strategy::UnconstrainedDeep => (high, low.copied()),
            Strategy::ReverseDeep => (high.copied(), low),
            _ => (high, low),
        }
    }

    /// Converts the first value of several sources before others are merged into it.
    #[must_use]
    pub fn convert_first(&self, value: Located) -> Located {
        match self.strategy {
            Strategy::Unique => flattened(&value),
            _ => value,
        }
    }

    /// Converts the value of the only source: `unique` drops duplicates, without flattening.
    #[must_use]
    pub fn merge_single(&self, value: Located) -> Located {
        match (self.strategy, &value.value) {
            (Strategy::Unique, Value::Array(items)) => {
                Located::new(Value::array(without_duplicates(items.iter())), value.place)
            }
            _ => value,
        }
    }

    /// Merges the value of a source into the result of the sources above it.
    ///
    /// # Errors
    /// Puppet's, for values of types that the strategy cannot merge.
    #[expect(clippy::needless_pass_by_value, reason = "what was merged is of no use any more")]
    pub fn merge(&self, high: Located, low: Located) -> Result<Located, Failure> {
        match self.strategy {
            Strategy::First | Strategy::Default => Ok(high),
            Strategy::Unique => merge_unique(&high, &low),
            Strategy::Hash => merge_hash(&high, &low),
            Strategy::Deep | Strategy::UnconstrainedDeep => self.deep.merge(&high, &low),
            Strategy::ReverseDeep => self.deep.merge(&low, &high),
        }
    }
}

fn strategy_of(hash: &Hash) -> Result<&Value, Failure> {
    match hash.get("strategy").map(|it| &it.value.value) {
        None | Some(Value::Undef) => Err(Failure::ruby(
            "ArgumentError",
            "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
        )),
        Some(name) => Ok(name),
    }
}

fn assert_type(subject: &str, wanted: &Type, value: &Value) -> Result<(), Failure> {
    puppet_type::assert_instance(subject, wanted, value)
        .map_err(|message| Failure::of(FailureClass::TypeAssertion, message))
}

/// Whether the strategy `hash` can merge a value.
pub fn merges_as_hash(value: &Value) -> bool {
    Type::hash_of_data().is_instance(value)
}

/// Whether the strategy `unique` can merge a value with others: the one of the highest priority, or another one.
pub fn merges_as_list(value: &Located, is_first: bool) -> bool {
    let wanted = mergeable_as_list();
    // The higher value already is a list. So Puppet refuses a hash below another value, but wraps one above it.
    if is_first {
        wanted.is_instance(&flattened(value).value)
    } else {
        wanted.is_instance(&value.value)
    }
}

/// What `unique` takes: `Variant[Scalar, Array[Data]]`. Hashes in `Data` have only strings as keys.
fn mergeable_as_list() -> Type {
    let data = Type::Array(Box::new(Type::Alias(puppet_type::Alias::Data)), None);
    Type::Variant(vec![Type::Scalar, data])
}

fn assert_types(wanted: &Type, high: &Located, low: &Located) -> Result<(), Failure> {
    assert_type("The first element of the merge", wanted, &high.value)
        .map_err(|it| it.at(high.place))?;
    assert_type("The second element of the merge", wanted, &low.value)
        .map_err(|it| it.at(low.place))
}

/// `low.merge(high)` in Ruby: the keys of the lower priority come first, with the values of the higher.
fn merge_hash(high: &Located, low: &Located) -> Result<Located, Failure> {
    assert_types(&Type::hash_of_data(), high, low)?;
    let (Value::Hash(high_hash), Value::Hash(low_hash)) = (&high.value, &low.value) else {
        return Ok(high.clone());
    };
    let mut merged = Hash::clone(low_hash);
    for (key, member) in high_hash.iter() {
        merged.insert(key.clone(), member.key_place, member.value.clone());
    }
    Ok(Value::hash(merged).unplaced())
}

/// The union of both as flat lists, the higher priority first.
fn merge_unique(high: &Located, low: &Located) -> Result<Located, Failure> {
    assert_types(&mergeable_as_list(), high, low)?;
    let (high, low) = (flattened(high), flattened(low));
    let items = [&high, &low].into_iter().filter_map(|it| it.value.as_array()).flatten();
    Ok(Value::array(without_duplicates(items)).unplaced())
}

/// Ruby's `flatten`; a value that is not a list becomes a list with one item.
fn flattened(value: &Located) -> Located {
    fn collect(items: &[Located], into: &mut Vec<Located>) {
        for item in items {
            match &item.value {
                Value::Array(inner) => collect(inner, into),
                _ => into.push(item.clone()),
            }
        }
    }
    let mut flat = Vec::new();
    match &value.value {
        Value::Array(items) => collect(items, &mut flat),
        _ => flat.push(value.clone()),
    }
    Located::new(Value::array(flat), value.place)
}

/// Ruby's `uniq`: the first of equal items stays.
pub(super) fn without_duplicates<'a>(items: impl Iterator<Item = &'a Located>) -> Vec<Located> {
    let mut seen = indexmap::IndexSet::<&Value, foldhash::fast::RandomState>::default();
    items.filter(|it| seen.insert(&it.value)).cloned().collect()
}

impl RegexProblem {
    /// The error that ends a lookup.
    pub(super) fn into_failure(self) -> Failure {
        match self {
            Self::Invalid(message) => Failure::ruby("RegexpError", message),
            Self::Unsupported(message) => Failure::of(FailureClass::Unsupported, message),
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
