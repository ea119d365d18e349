//! Values that are not completely known, because they contain open strings or are merged with others: whether they fit a type
//! nevertheless.

use super::{StringKind, StructElement, Type, Wrapper, type_set_of};
use crate::data::value::Value;

/// Deeper types count as `Any`.
const MAX_DEPTH: usize = 100;

/// Whether a value is of a type, whatever the strings for which `is_open` holds become. `None` if it depends on these
/// strings.
pub fn fit_of_open(expected: &Type, value: &Value, is_open: &dyn Fn(&str) -> bool) -> Option<bool> {
    if fits_with_any(expected, value, &|text| is_open(text).then(Type::string)) {
        return Some(true);
    }
    let may_fit = has_open_key(value, is_open) || loosened(expected, MAX_DEPTH).is_instance(value);
    (!may_fit).then_some(false)
}

/// Whether a value is of a type, whatever of the type `open(text)` each string becomes for which there is such a type.
pub fn fits_with_any(expected: &Type, value: &Value, open: &dyn Fn(&str) -> Option<Type>) -> bool {
    if has_open_key(value, &|key| open(key).is_some()) {
        // Such a key can become any member of a `Struct`, or equal another key.
        return *expected == Type::Any;
    }
    expected.is_assignable(&with_any(&type_set_of(value), open))
}

impl Type {
    /// Whether the parts of a hash or a list that fits still fit after a merge, whatever it is merged with. If `is_deep`, hashes and
    /// lists in it are merged, too.
    pub fn is_kept_by_merges(&self, is_deep: bool) -> bool {
        self.is_kept_within(is_deep, MAX_DEPTH)
    }

    fn is_kept_within(&self, is_deep: bool, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self {
            Self::Array(_, None) => true,
            Self::Hash(_, value, None) => !is_deep || value.is_kept_within(is_deep, depth),
            Self::Named(named) => named.with_resolved(|it| it.is_kept_within(is_deep, depth)),
            other => other.takes_whole_kinds(),
        }
    }

    /// Whether the type accepts all hashes with strings as keys or none, and all lists or none. A mismatch is then not about
    /// parts of them.
    fn takes_whole_kinds(&self) -> bool {
        let hash = || Self::Hash(Box::new(Self::string()), Box::new(Self::Any), None);
        let list = || Self::Array(Box::new(Self::Any), None);
        match self {
            Self::Variant(types) => types.iter().all(Self::takes_whole_kinds),
            Self::Wrapped(Wrapper::Optional, Some(inner)) => inner.takes_whole_kinds(),
            other => {
                let accepts = |it: Self| other.is_assignable(&it);
                Self::Scalar.is_assignable(other) || accepts(hash()) || accepts(list())
            }
        }
    }
}

fn has_open_key(value: &Value, is_open: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|it| has_open_key(&it.value, is_open)),
        Value::Hash(hash) => hash.iter().any(|(key, member)| {
            key.as_str().is_some_and(is_open) || has_open_key(&member.value.value, is_open)
        }),
        Value::Sensitive(inner) => has_open_key(&inner.value, is_open),
        _ => false,
    }
}

/// The type of a value, with what the open strings can become instead of them.
fn with_any(actual: &Type, open: &dyn Fn(&str) -> Option<Type>) -> Type {
    let inner = |it: &Type| with_any(it, open);
    match actual {
        Type::String(StringKind::Exactly(text)) => open(text).unwrap_or_else(|| actual.clone()),
        Type::Array(item, size) => Type::Array(Box::new(inner(item)), *size),
        Type::Hash(key, value, size) => {
            Type::Hash(Box::new(inner(key)), Box::new(inner(value)), *size)
        }
        Type::Tuple(types, size) => Type::Tuple(types.iter().map(inner).collect(), *size),
        Type::Struct(elements) => {
            Type::Struct(elements.iter().map(|it| element(it, &inner)).collect())
        }
        Type::Variant(types) => Type::variant_of(types.iter().map(inner)),
        Type::Wrapped(wrapper, wrapped) => {
            Type::Wrapped(*wrapper, wrapped.as_ref().map(|it| Box::new(inner(it))))
        }
        other => other.clone(),
    }
}

/// The type without its restrictions on strings. A value that does not fit even this type does not fit, whatever its strings
/// are.
fn loosened(expected: &Type, depth: usize) -> Type {
    if depth == 0 {
        return Type::Any;
    }
    let inner = |it: &Type| loosened(it, depth - 1);
    match expected {
        Type::String(_) | Type::Enum { .. } | Type::Pattern(_) => Type::string(),
        Type::Array(item, size) => Type::Array(Box::new(inner(item)), *size),
        Type::Hash(key, value, size) => {
            Type::Hash(Box::new(inner(key)), Box::new(inner(value)), *size)
        }
        Type::Tuple(types, size) => Type::Tuple(types.iter().map(inner).collect(), *size),
        Type::Struct(elements) => {
            Type::Struct(elements.iter().map(|it| element(it, &inner)).collect())
        }
        Type::Variant(types) => Type::variant_of(types.iter().map(inner)),
        Type::Wrapped(
            wrapper @ (Wrapper::Optional | Wrapper::NotUndef | Wrapper::Sensitive),
            it,
        ) => Type::Wrapped(*wrapper, it.as_ref().map(|it| Box::new(inner(it)))),
        Type::Named(named) if named.is_recursive() => Type::Any,
        Type::Named(named) => named.with_resolved(inner),
        Type::Wrapped(..) | Type::Init(_) | Type::Reference(_) => Type::Any,
        other => other.clone(),
    }
}

fn element(it: &StructElement, inner: &dyn Fn(&Type) -> Type) -> StructElement {
    StructElement { value: inner(&it.value), ..it.clone() }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[track_caller]
    fn check(expected: &str, value: &Value, fits: Option<bool>) {
        let parsed = parse(expected).expect("a type");
        let found = fit_of_open(&parsed, value, &|text| text.contains("%{"));
        assert_eq!(found, fits, "{expected}");
    }

    #[test]
    fn texts_decide_only_where_the_type_asks_for_more_than_a_text() {
        let open = Value::string("a%{b}");
        check("String", &open, Some(true));
        check("Variant[Integer, String]", &open, Some(true));
        check("String[1]", &open, None);
        check("Optional[Enum['a']]", &open, None);
        check("Integer", &open, Some(false));
        check("Sensitive[String]", &open, Some(false));
        check("Array[String]", &open, Some(false));
        let list = Value::array(vec![Value::Integer(1).unplaced(), open.unplaced()]);
        check("Array[Variant[Integer[1], String]]", &list, Some(true));
        check("Array[Variant[Integer[2], String]]", &list, Some(false));
        check("Array[Variant[Integer[1], Pattern[/x/]]]", &list, None);
    }

    #[test]
    fn what_an_open_text_becomes_may_be_no_text() {
        let value = Value::array(vec![Value::string("%{alias('a')}").unplaced()]);
        let any = |text: &str| text.contains("%{").then_some(Type::Any);
        let check = |expected: &str, fits: bool| {
            let parsed = parse(expected).expect("a type");
            assert_eq!(fits_with_any(&parsed, &value, &any), fits, "{expected}");
        };
        check("Array", true);
        check("Optional[Array[Any, 1]]", true);
        check("Array[String]", false);
        check("Array[Variant[String, Hash]]", false);
    }

    #[test]
    fn types_that_merges_keep() {
        let check = |expected: &str, flat: bool, deep: bool| {
            let parsed = parse(expected).expect("a type");
            let found = (parsed.is_kept_by_merges(false), parsed.is_kept_by_merges(true));
            assert_eq!(found, (flat, deep), "{expected}");
        };
        check("Any", true, true);
        check("Hash", true, true);
        check("Hash[String, Any]", true, true);
        check("Optional[Hash]", true, true);
        check("Variant[Array, Hash, String]", true, true);
        check("Array[Struct[{a => Integer}]]", true, true);
        check("Hash[String, Hash[String, Array[Integer]]]", true, true);
        check("Hash[String, Optional[Enum['a']]]", true, true);
        check("Hash[String, Struct[{a => Integer}]]", true, false);
        check("Hash[String, Variant[Hash[String, Integer], String]]", true, false);
        check("Hash[String, Array[Integer, 1, 2]]", true, false);
        check("Hash[String, Any, 0, 2]", false, false);
        check("Optional[Hash[String, Integer]]", false, false);
        check("Struct[{a => Any}]", false, false);
        check("Tuple[Any]", false, false);
    }
}
