//! Generalizes types, that is, removes their bounds: `Integer[5, 5]` becomes `Integer`.

use super::{IntegerRange, StringKind, StructElement, TimeRange, Type};

impl Type {
    /// The type without bounds and sizes.
    #[must_use]
    pub fn generalized(&self) -> Self {
        match self {
            Self::Boolean(_) => Self::Boolean(None),
            Self::Integer(_) => Self::integer(),
            Self::Float { .. } => Self::float(),
            Self::String(_) => Self::string(),
            Self::Collection(_) => Self::Collection(None),
            Self::Enum { values, .. } => generalized_enum(values),
            Self::Array(item, _) if **item == Self::Any => Self::array(),
            Self::Array(item, _) => Self::Array(Box::new(item.generalized()), None),
            Self::Hash(key, value, size) => {
                // The type of the empty hash stays as it is.
                if *self == Self::empty_hash() {
                    return Self::Hash(key.clone(), value.clone(), *size);
                }
                Self::Hash(Box::new(key.generalized()), Box::new(value.generalized()), None)
            }
            Self::Tuple(types, size) => {
                Self::Tuple(types.iter().map(Self::generalized).collect(), *size)
            }
            Self::Struct(elements) => Self::Struct(
                elements
                    .iter()
                    .map(|it| StructElement { value: it.value.generalized(), ..it.clone() })
                    .collect(),
            ),
            Self::Variant(types) if !types.is_empty() => {
                Self::variant_of(types.iter().map(Self::generalized))
            }
            Self::Wrapped(wrapper, inner) => {
                Self::Wrapped(*wrapper, inner.as_ref().map(|it| Box::new(it.generalized())))
            }
            Self::Timestamp(_) => Self::Timestamp(TimeRange::default()),
            Self::Timespan(_) => Self::Timespan(TimeRange::default()),
            Self::Uri(_) => Self::Uri(None),
            Self::Callable(Some(callable)) => {
                Self::Callable(Some(callable.map(Self::generalized).into()))
            }
            _ => self.clone(),
        }
    }
}

fn generalized_enum(values: &[std::sync::Arc<str>]) -> Type {
    // Unlike other types, a generalized `Enum` keeps bounds: `Enum['ab', 'abc']` becomes `String[2, 3]`.
    let lengths = || values.iter().map(|it| it.chars().count());
    match (lengths().min(), lengths().max()) {
        (Some(min), Some(max)) => Type::String(StringKind::Sized(IntegerRange {
            from: IntegerRange::of_size(min).from,
            to: IntegerRange::of_size(max).to,
        })),
        _ => Type::string(),
    }
}
