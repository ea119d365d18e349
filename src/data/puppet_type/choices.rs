//! The hints that a type gives for writing its values: the values that it names one by one, lists, hashes and their members.

use super::{StringKind, Type, Wrapper};
use crate::data::value::Value;

/// The maximum nesting of aliases and types that is followed.
const MAX_DEPTH: usize = 16;

/// The form of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// A single word, or not known.
    Scalar,
    /// A list.
    List,
    /// A hash that must have these members.
    Hash(Vec<String>),
}

impl Type {
    /// The values that the type names: those of an `Enum`, both values of `Boolean`, single strings. For a `Variant`, those
    /// of all its types.
    pub fn choices(&self) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        for leaf in self.leaves() {
            let values = match leaf {
                Self::Enum { values, .. } => values.into_iter().map(Value::String).collect(),
                Self::Boolean(None) => vec![Value::Boolean(true), Value::Boolean(false)],
                Self::Boolean(Some(value)) => vec![Value::Boolean(value)],
                Self::String(StringKind::Exactly(text)) => vec![Value::String(text)],
                _ => Vec::new(),
            };
            for value in values {
                if !found.contains(&value) {
                    found.push(value);
                }
            }
        }
        found
    }

    /// The form of a value; for a `Variant`, that of its first type.
    pub fn shape(&self) -> Shape {
        match self.leaves().first() {
            Some(Self::Array(..) | Self::Tuple(..)) => Shape::List,
            Some(Self::Hash(..)) => Shape::Hash(Vec::new()),
            Some(Self::Struct(elements)) => {
                let required = elements.iter().filter(|it| !it.is_optional);
                Shape::Hash(required.map(|it| it.name.to_string()).collect())
            }
            _ => Shape::Scalar,
        }
    }

    /// The possible types of the items of a list.
    pub fn items(&self) -> Vec<Self> {
        let items = self.leaves().into_iter().flat_map(|leaf| match leaf {
            Self::Array(item, _) => vec![*item],
            Self::Tuple(items, _) => items,
            _ => Vec::new(),
        });
        items.collect()
    }

    /// The possible types of the item at a position of a list.
    pub fn item(&self, position: usize) -> Vec<Self> {
        let items = self.leaves().into_iter().filter_map(|leaf| match leaf {
            Self::Array(item, _) => Some(*item),
            Self::Tuple(items, None) => items.get(position).cloned(),
            // With a size, the last type is that of all further items.
            Self::Tuple(items, Some(size)) => {
                let is_inside = size.to.is_none_or(|it| (position as i128) < it);
                items.get(position).or(items.last()).filter(|_| is_inside).cloned()
            }
            _ => None,
        });
        items.collect()
    }

    /// Whether the type of a list's item depends on its position.
    pub fn goes_by_position(&self) -> bool {
        self.leaves().iter().any(|it| matches!(it, Self::Tuple(items, _) if items.len() > 1))
    }

    /// The possible types of the member `name` of a hash, or of a hash in a list.
    pub fn member(&self, name: &str) -> Vec<Self> {
        let members = self.hashes(MAX_DEPTH).into_iter().filter_map(|hash| match hash {
            Self::Hash(_, value, _) => Some(*value),
            Self::Struct(elements) => {
                elements.into_iter().find(|it| &*it.name == name).map(|it| it.value)
            }
            _ => None,
        });
        members.collect()
    }

    /// The names that the members of a hash, or of a hash in a list, must or may have, as far as the type names them.
    pub fn member_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for hash in self.hashes(MAX_DEPTH) {
            let of_hash = match hash {
                Self::Struct(elements) => elements.iter().map(|it| it.name.to_string()).collect(),
                Self::Hash(key, ..) => {
                    let keys = key.choices().into_iter();
                    keys.filter_map(|it| it.as_str().map(str::to_owned)).collect()
                }
                _ => Vec::new(),
            };
            names.extend(of_hash);
        }
        names
    }

    /// Whether the type says that a value may be `Sensitive`. Types such as `Any` do not say it.
    pub fn names_sensitive(&self) -> bool {
        self.names_sensitive_within(MAX_DEPTH)
    }

    fn names_sensitive_within(&self, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self {
            Self::Wrapped(Wrapper::Sensitive, _) => true,
            Self::Variant(types) => types.iter().any(|it| it.names_sensitive_within(depth)),
            Self::Wrapped(Wrapper::Optional | Wrapper::NotUndef, Some(inner)) => {
                inner.names_sensitive_within(depth)
            }
            Self::Named(name) => name.with_resolved(|it| it.names_sensitive_within(depth)),
            _ => false,
        }
    }

    /// Whether the type accepts `Sensitive` values, and perhaps `undef`, but no other ones.
    pub fn takes_only_sensitive(&self) -> bool {
        self.names_sensitive() && self.takes_no_plain_value(MAX_DEPTH)
    }

    fn takes_no_plain_value(&self, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        match self {
            Self::Undef | Self::Wrapped(Wrapper::Sensitive, _) => true,
            Self::Variant(types) => types.iter().all(|it| it.takes_no_plain_value(depth)),
            Self::Wrapped(Wrapper::Optional | Wrapper::NotUndef, Some(inner)) => {
                inner.takes_no_plain_value(depth)
            }
            Self::Named(name) => name.with_resolved(|it| it.takes_no_plain_value(depth)),
            _ => false,
        }
    }

    /// The hash types that a value, or an item of a list, can have.
    fn hashes(&self, depth: usize) -> Vec<Self> {
        let hashes = self.leaves().into_iter().flat_map(|leaf| match leaf {
            Self::Hash(..) | Self::Struct(..) => vec![leaf],
            Self::Array(item, _) if depth > 0 => item.hashes(depth - 1),
            Self::Tuple(items, _) if depth > 0 => {
                items.iter().flat_map(|it| it.hashes(depth - 1)).collect()
            }
            _ => Vec::new(),
        });
        hashes.collect()
    }

    /// The types that a value can have, without wrapper types.
    fn leaves(&self) -> Vec<Self> {
        let mut found = Vec::new();
        self.add_leaves(MAX_DEPTH, &mut found);
        found
    }

    fn add_leaves(&self, depth: usize, found: &mut Vec<Self>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match self {
            Self::Variant(types) => types.iter().for_each(|it| it.add_leaves(depth, found)),
            Self::Wrapped(
                Wrapper::Optional | Wrapper::NotUndef | Wrapper::Sensitive,
                Some(inner),
            ) => inner.add_leaves(depth, found),
            Self::Named(name) => name.with_resolved(|it| it.add_leaves(depth, found)),
            other => found.push(other.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::inspect;
    use crate::data::puppet_type::parse;

    fn type_of(text: &str) -> Type {
        parse(text).unwrap_or_else(|_| panic!("{text} is a type"))
    }

    #[track_caller]
    fn check(text: &str, choices: &[&str], shape: &Shape) {
        let found = type_of(text);
        let shown: Vec<_> = found.choices().iter().map(inspect::to_s).collect();
        assert_eq!(shown, choices, "{text}");
        assert_eq!(found.shape(), *shape, "{text}");
    }

    #[test]
    fn values_that_are_named() {
        check("Enum['b', 'a']", &["a", "b"], &Shape::Scalar);
        check(
            "Optional[Variant[Boolean, Enum['on', 'off']]]",
            &["true", "false", "off", "on"],
            &Shape::Scalar,
        );
        check("Variant[Boolean[false], Optional['x'], Integer]", &["false", "x"], &Shape::Scalar);
        check("Integer[1, 5]", &[], &Shape::Scalar);
        check("Array[Enum['a']]", &[], &Shape::List);
        check("Optional[Hash[String, Integer]]", &[], &Shape::Hash(vec![]));
        let required = Shape::Hash(vec!["a".to_owned()]);
        check("Struct[{a => Integer, Optional[b] => String}]", &[], &required);
    }

    #[test]
    fn types_that_name_sensitive() {
        for text in ["Sensitive", "Variant[String, Optional[Sensitive[Integer]]]"] {
            assert!(type_of(text).names_sensitive(), "{text}");
        }
        for text in ["NotUndef", "Any", "Array[Sensitive]", "Variant[String, Integer]"] {
            assert!(!type_of(text).names_sensitive(), "{text}");
        }
    }

    #[test]
    fn members_and_items() {
        let found =
            type_of("Hash[Enum['x', 'y'], Array[Struct[{a => Boolean, Optional[b] => Any}]]]");
        assert_eq!(found.member_names(), ["x", "y"]);
        let [list] = &found.member("x")[..] else { panic!("one type") };
        assert_eq!(list.member_names(), ["a", "b"]);
        assert_eq!(list.member("a")[0].choices().len(), 2);
        assert_eq!(list.items()[0].shape(), Shape::Hash(vec!["a".to_owned()]));
        assert!(list.member("c").is_empty() && type_of("Any").items().is_empty());
        let found = type_of("Tuple[Integer, Struct[{a => Any}]]");
        assert_eq!((found.member_names(), found.member("a").len()), (vec!["a".to_owned()], 1));
    }

    #[test]
    fn items_at_positions() {
        let check = |text: &str, expected: &[&str]| {
            let found = (0..4).map(|position| type_of(text).item(position));
            let shown = found.map(|it| it.iter().map(ToString::to_string).collect::<Vec<_>>());
            assert_eq!(shown.map(|it| it.join(" ")).collect::<Vec<_>>(), expected, "{text}");
        };
        check("Tuple[String, Integer]", &["String", "Integer", "", ""]);
        check("Tuple[String, Integer, 1, 3]", &["String", "Integer", "Integer", ""]);
        check("Tuple[String, Integer, 0, 1]", &["String", "", "", ""]);
        check("Tuple[String, Integer, 1, default]", &["String", "Integer", "Integer", "Integer"]);
        check("Optional[Array[Float]]", &["Float"; 4]);
        check("Variant[Tuple[String], Array[Float]]", &["String Float", "Float", "Float", "Float"]);
        check("Tuple", &[""; 4]);
        assert!(type_of("Optional[Tuple[String, Integer]]").goes_by_position());
        assert!(!type_of("Array[Tuple[String, Integer]]").goes_by_position());
    }
}
