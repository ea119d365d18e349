//! Example values that a type accepts, as a template for data.

use super::{IntegerRange, StringKind, Type, Wrapper};
use crate::data::value::{Hash, Located, Value};

/// A placeholder that the user replaces.
const TEXT: &str = "changeme";

/// Strings to try with patterns.
const TEXTS: [&str; 8] = [
    TEXT,
    "/changeme",
    "1",
    "1.0.0",
    "10M",
    "192.0.2.1",
    "host.example.com",
    "https://example.com",
];

/// The maximum nesting of types that is followed.
const MAX_DEPTH: usize = 8;

/// The maximum length of strings and lists.
const MAX_SIZE: usize = 64;

impl Type {
    /// A short value of the type as data can contain it; for a `Sensitive`, its content. `None` if no value is found.
    pub fn example(&self) -> Option<Value> {
        self.example_within(MAX_DEPTH)
    }

    fn example_within(&self, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        Some(match self {
            Self::Any
            | Self::Scalar
            | Self::ScalarData
            | Self::Wrapped(Wrapper::NotUndef | Wrapper::Sensitive, None) => Value::string(TEXT),
            Self::Undef => Value::Undef,
            Self::Numeric => Value::Integer(0),
            Self::Integer(range) => Value::Integer(integer_in(*range)?),
            Self::Float { from, to } => Value::Float(float_in(*from, *to)),
            Self::Boolean(wanted) => Value::Boolean(wanted.unwrap_or(false)),
            Self::String(kind) => Value::string(text_of(kind)?),
            Self::Enum { values, .. } => Value::String(values.first()?.clone()),
            Self::Pattern(_) => {
                let mut texts = TEXTS.into_iter().map(Value::string);
                texts.find(|it| self.is_instance(it))?
            }
            Self::Collection(_) => Value::array(Vec::new()),
            Self::Array(item, size) => list_of(item, *size, depth)?,
            Self::Hash(key, value, size) => hash_of((key, value), *size, depth)?,
            Self::Tuple(types, size) => {
                let size = size.unwrap_or(IntegerRange::exactly(types.len() as i128));
                let least = usize::try_from(size.from.unwrap_or(0)).ok()?;
                let most = size.to.map_or(Ok(usize::MAX), usize::try_from).ok()?;
                let count = types.len().clamp(least, most.max(least)).min(MAX_SIZE);
                // Further items have the last type.
                let types = types.iter().chain(std::iter::repeat(types.last()?)).take(count);
                let items = types.map(|it| it.example_within(depth).map(Located::from));
                Value::array(items.collect::<Option<_>>()?)
            }
            Self::Struct(elements) => {
                let mut hash = Hash::new();
                for element in elements.iter().filter(|it| !it.is_optional) {
                    let value = element.value.example_within(depth)?;
                    hash.insert(Value::String(element.name.clone()), None, value.into());
                }
                Value::hash(hash)
            }
            Self::Variant(types) => types.iter().find_map(|it| it.example_within(depth))?,
            Self::Wrapped(
                Wrapper::Optional | Wrapper::NotUndef | Wrapper::Sensitive,
                Some(inner),
            ) => inner.example_within(depth)?,
            Self::Alias(alias) => alias.resolved().example_within(depth)?,
            Self::Named(named) => named.with_resolved(|it| it.example_within(depth))?,
            _ => return None,
        })
    }
}

fn integer_in(range: IntegerRange) -> Option<i64> {
    let number = if range.contains(0) { 0 } else { range.from.filter(|it| *it > 0).or(range.to)? };
    number.try_into().ok()
}

fn float_in(from: f64, to: f64) -> f64 {
    if from <= 0.0 && to >= 0.0 {
        0.0
    } else if from > 0.0 {
        from
    } else {
        to
    }
}

fn text_of(kind: &StringKind) -> Option<String> {
    match kind {
        StringKind::Any => Some(TEXT.to_owned()),
        StringKind::Exactly(text) => Some(text.to_string()),
        StringKind::Sized(range) => {
            let least = usize::try_from(range.from.unwrap_or(0)).ok()?;
            let most = range.to.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX);
            let length = TEXT.len().clamp(least, most.max(least));
            (length <= MAX_SIZE)
                .then(|| TEXT.chars().chain(std::iter::repeat('x')).take(length).collect())
        }
    }
}

/// One item, or as many as the size requires.
fn list_of(item: &Type, size: Option<IntegerRange>, depth: usize) -> Option<Value> {
    let least = size.and_then(|it| it.from).unwrap_or(0);
    let count = usize::try_from(least).ok().filter(|it| *it <= MAX_SIZE)?;
    let is_empty = size.is_some_and(|it| it.to == Some(0));
    match item.example_within(depth) {
        Some(item) if !is_empty => Some(Value::array(vec![item.into(); count.max(1)])),
        _ => (count == 0).then(|| Value::array(Vec::new())),
    }
}

/// One member.
fn hash_of(
    (key, value): (&Type, &Type),
    size: Option<IntegerRange>,
    depth: usize,
) -> Option<Value> {
    let least = size.and_then(|it| it.from).unwrap_or(0);
    let mut hash = Hash::new();
    let member = key.example_within(depth).zip(value.example_within(depth));
    if let Some((key, value)) = member.filter(|_| size.is_none_or(|it| it.to != Some(0))) {
        hash.insert(key, None, value.into());
    }
    (least <= hash.len() as i128).then(|| Value::hash(hash))
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use crate::data::render;

    #[track_caller]
    fn check(wanted: &str, expected: &str) {
        let wanted = parse(wanted).expect("a type");
        let example = wanted.example();
        if let Some(example) = &example {
            assert!(wanted.is_instance(example), "{wanted}");
        }
        assert_eq!(example.map(|it| render::to_json(&it)).as_deref(), Some(expected), "{wanted}");
    }

    #[test]
    fn values_have_the_shape_of_the_type() {
        check("String", "\"changeme\"");
        check("String[10]", "\"changemexx\"");
        check("String[1, 3]", "\"cha\"");
        check("Integer[1, 65535]", "1");
        check("Integer[default, -3]", "-3");
        check("Float[0.5, 1.0]", "0.5");
        check("Boolean", "false");
        check("Enum[present, absent]", "\"absent\"");
        check("Pattern[/\\A\\//]", "\"/changeme\"");
        check("Array[Integer, 2]", "[0,0]");
        check("Hash[String, Array[Boolean]]", "{\"changeme\":[false]}");
        check("Struct[{a => Integer, Optional[b] => String}]", "{\"a\":0}");
        check("Variant[Regexp, Tuple[Integer, String]]", "[0,\"changeme\"]");
        check("Optional[Data]", "\"changeme\"");
        check("Tuple[Integer, String, 1, 1]", "[0]");
        check("Tuple[Integer, String, 3]", "[0,\"changeme\",\"changeme\"]");
    }

    #[test]
    fn of_some_types_there_are_no_data() {
        for wanted in ["Regexp", "Timestamp", "Variant", "Array[Regexp, 1]", "String[1000]"] {
            assert_eq!(parse(wanted).expect("a type").example(), None, "{wanted}");
        }
    }
}
