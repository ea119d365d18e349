//! `Callable[String, Integer, 0, 2]`: the types of functions. No data has such a type, but types can be compared.

use super::argument::{Argument, range_of};
use super::guard::Guard;
use super::{IntegerRange, Type, Wrapper};

/// The parameters and the result of a function.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Callable {
    /// The parameters: a `Tuple`.
    pub parameters: Option<Type>,
    /// The block, which may be `Optional`.
    pub block: Option<Type>,
    /// The return type; `None` means `Any`.
    pub returns: Option<Type>,
}

impl Callable {
    /// The types that it consists of.
    pub(super) fn parts(&self) -> impl Iterator<Item = &Type> {
        [&self.parameters, &self.block, &self.returns].into_iter().flatten()
    }

    /// A copy with changed types.
    pub(super) fn map(&self, change: impl Fn(&Type) -> Type) -> Self {
        Self {
            parameters: self.parameters.as_ref().map(&change),
            block: self.block.as_ref().map(&change),
            returns: self.returns.as_ref().map(&change),
        }
    }

    /// Whether every function of the type `other` can be called as one of this type.
    pub(super) fn takes(&self, other: &Self, guard: &mut Guard) -> bool {
        let returns_fit = self.returns.as_ref().is_none_or(|ours| {
            ours.assignable(other.returns.as_ref().unwrap_or(&Type::Any), guard)
        });
        let Some(ours) = &self.parameters else { return returns_fit };
        let undef = Type::Undef;
        returns_fit
            // A function that takes more can replace one that takes less, so parameters are compared the other way round.
            && other.parameters.as_ref().is_some_and(|theirs| theirs.assignable(ours, guard))
            && other
                .block
                .as_ref()
                .unwrap_or(&undef)
                .assignable(self.block.as_ref().unwrap_or(&undef), guard)
    }

    /// The texts between the brackets.
    pub(super) fn shown_parameters(&self, shown: &dyn Fn(&Type) -> String) -> Vec<String> {
        let Some(Type::Tuple(types, size)) = &self.parameters else { return Vec::new() };
        let mut parameters: Vec<String> =
            types.iter().filter(|it| **it != Type::Unit).map(shown).collect();
        if types.is_empty() {
            parameters.extend(["0".to_owned(), "0".to_owned()]);
        } else {
            parameters.extend(size.iter().flat_map(|it| it.parameters()));
        }
        parameters.extend(self.block.as_ref().map(shown));
        parameters
    }
}

/// `Callable[…]` with these arguments.
pub(super) fn callable_of(arguments: &[Argument]) -> Result<Type, String> {
    let (mut parameters, returns) = match arguments {
        [Argument::List(parameters), returns] => (parameters.clone(), Some(returns.as_type())),
        all => (all.to_vec(), None),
    };
    let block = match parameters.last() {
        Some(Argument::Type(it)) if is_callable(it) => Some(it.clone()),
        _ => None,
    };
    if block.is_some() {
        parameters.pop();
    }
    let bounds = parameters.iter().rev().take(2).take_while(|it| it.is_bound()).count();
    let bounds = parameters.split_off(parameters.len() - bounds);
    let size = match bounds.as_slice() {
        [] => None,
        [from] => Some(range_of(from.bound(), None)?.to_size()),
        [from, to, ..] => Some(range_of(from.bound(), to.bound())?.to_size()),
    };
    let mut types: Vec<Type> = parameters.iter().map(Argument::as_type).collect();
    if types.is_empty() && size.is_some_and(|it| it.to != Some(0)) {
        types.push(Type::Unit);
    }
    let returns = returns.filter(|it| *it != Type::Any);
    let parameters = Some(Type::Tuple(types, size));
    Ok(Type::Callable(Some(Callable { parameters, block, returns }.into())))
}

fn is_callable(it: &Type) -> bool {
    match it {
        Type::Callable(_) => true,
        Type::Wrapped(Wrapper::Optional, Some(inner)) => is_callable(inner),
        Type::Variant(types) => types.iter().all(is_callable),
        _ => false,
    }
}

impl IntegerRange {
    /// The bounds as they are shown in a type.
    pub(super) fn parameters(self) -> Vec<String> {
        match (self.from, self.to) {
            (None, None) => Vec::new(),
            (from, to) => {
                let from = from.map_or_else(|| "default".to_owned(), |it| it.to_string());
                std::iter::once(from).chain(to.map(|it| it.to_string())).collect()
            }
        }
    }
}
