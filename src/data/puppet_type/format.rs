//! Types as text: in full (`Integer[1, 5]`) and brief (`Integer`).

use std::fmt::{Display, Formatter, Result, Write as _};

use super::{IntegerRange, StringKind, StructElement, Type, Wrapper};
use crate::data::inspect::float_to_s;

impl Type {
    /// The name without parameters.
    pub fn name(&self) -> &str {
        match self {
            Self::Any => "Any",
            Self::Unit => "Unit",
            Self::Undef => "Undef",
            Self::Default => "Default",
            Self::Scalar => "Scalar",
            Self::ScalarData => "ScalarData",
            Self::Numeric => "Numeric",
            Self::Boolean(_) => "Boolean",
            Self::Integer(_) => "Integer",
            Self::Float { .. } => "Float",
            Self::String(_) => "String",
            Self::Enum { .. } => "Enum",
            Self::Pattern(_) => "Pattern",
            Self::Regexp(_) => "Regexp",
            Self::Collection(_) => "Collection",
            Self::Array(..) => "Array",
            Self::Hash(..) => "Hash",
            Self::Tuple(..) => "Tuple",
            Self::Struct(_) => "Struct",
            Self::Variant(_) => "Variant",
            Self::Wrapped(wrapper, _) => wrapper.name(),
            Self::Binary => "Binary",
            Self::Runtime(_) => "Runtime",
            Self::Object { name, .. } => name,
            Self::Alias(alias) => alias.name(),
            Self::Other(text) => text.split('[').next().unwrap_or(text),
        }
    }

    /// The name as messages use it: only wrapping types show their parameter.
    pub fn short_name(&self) -> String {
        match self {
            Self::Wrapped(wrapper, Some(inner)) if **inner != Self::Any => {
                format!("{}[{}]", wrapper.name(), inner.name())
            }
            _ => self.name().to_owned(),
        }
    }
}

impl Wrapper {
    /// The name in Puppet code.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Optional => "Optional",
            Self::NotUndef => "NotUndef",
            Self::Sensitive => "Sensitive",
            Self::Type => "Type",
            Self::Iterable => "Iterable",
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Self::Other(text) = self {
            return f.write_str(text);
        }
        f.write_str(self.name())?;
        let parameters = self.parameters();
        if parameters.is_empty() { Ok(()) } else { write!(f, "[{}]", parameters.join(", ")) }
    }
}

impl Type {
    fn parameters(&self) -> Vec<String> {
        match self {
            Self::Boolean(Some(it)) => vec![it.to_string()],
            Self::Integer(range) => range.parameters(),
            Self::Float { from, to } => float_parameters(*from, *to),
            Self::String(StringKind::Sized(range)) | Self::Collection(Some(range)) => {
                range.parameters()
            }
            Self::Enum { values, ignores_case } => {
                let case = ignores_case.then(|| "true".to_owned());
                values.iter().map(|it| puppet_quoted(it)).chain(case).collect()
            }
            Self::Pattern(patterns) => patterns.iter().map(|it| slashed(&it.source)).collect(),
            Self::Regexp(Some(source)) => vec![slashed(source)],
            Self::Array(_, Some(range)) | Self::Hash(_, _, Some(range)) if range.is_empty() => {
                vec!["0".to_owned(), "0".to_owned()]
            }
            Self::Array(item, None) if **item == Self::Any => Vec::new(),
            Self::Hash(key, value, None) if **key == Self::Any && **value == Self::Any => {
                Vec::new()
            }
            Self::Array(item, range) => with_range(vec![item.to_string()], *range),
            Self::Hash(key, value, range) => {
                with_range(vec![key.to_string(), value.to_string()], *range)
            }
            Self::Tuple(types, range) => {
                with_range(types.iter().map(ToString::to_string).collect(), *range)
            }
            Self::Struct(elements) if !elements.is_empty() => {
                let members: Vec<String> = elements.iter().map(element_text).collect();
                vec![format!("{{{}}}", members.join(", "))]
            }
            Self::Variant(types) => types.iter().map(ToString::to_string).collect(),
            Self::Wrapped(_, Some(inner)) if **inner != Self::Any => vec![wrapped_text(inner)],
            Self::Runtime(class) => vec!["ruby".to_owned(), puppet_quoted(class)],
            Self::Object { only: Some(only), .. } => vec![puppet_quoted(only)],
            _ => Vec::new(),
        }
    }
}

impl IntegerRange {
    /// Whether only zero is inside.
    pub fn is_empty(self) -> bool {
        self == Self::exactly(0)
    }

    fn parameters(self) -> Vec<String> {
        match (self.from, self.to) {
            (None, None) => Vec::new(),
            (from, to) => {
                let from = from.map_or_else(|| "default".to_owned(), |it| it.to_string());
                std::iter::once(from).chain(to.map(|it| it.to_string())).collect()
            }
        }
    }
}

/// A string in Puppet code: single quotes where they do.
pub fn puppet_quoted(text: &str) -> String {
    if text.chars().any(|it| it < ' ') {
        return puppet_double_quoted(text);
    }
    let mut out = String::from("'");
    let mut is_escaped = false;
    for character in text.chars() {
        if is_escaped {
            out.push('\\');
            out.push(character);
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else {
            if character == '\'' {
                out.push('\\');
            }
            out.push(character);
        }
    }
    // A closing backslash would escape the quote.
    if is_escaped {
        out.push('\\');
    }
    out.push('\'');
    out
}

/// A string in double quotes in Puppet code.
pub fn puppet_double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' | '$' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '\0'..' ' => {
                let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

fn with_range(mut parameters: Vec<String>, range: Option<IntegerRange>) -> Vec<String> {
    parameters.extend(range.into_iter().flat_map(IntegerRange::parameters));
    parameters
}

fn float_parameters(from: f64, to: f64) -> Vec<String> {
    if from == f64::NEG_INFINITY && to == f64::INFINITY {
        return Vec::new();
    }
    let mut parameters =
        vec![if from == f64::NEG_INFINITY { "default".to_owned() } else { float_to_s(from) }];
    if to != f64::INFINITY {
        parameters.push(float_to_s(to));
    }
    parameters
}

/// A regular expression between slashes, as Ruby's `Regexp#inspect` writes it.
fn slashed(source: &str) -> String {
    let mut out = String::from("/");
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                out.push('\\');
                out.extend(characters.next());
            }
            '/' => out.push_str("\\/"),
            '\n' => out.push('\n'),
            _ => out.push(character),
        }
    }
    out.push('/');
    out
}

fn element_text(element: &StructElement) -> String {
    let name = puppet_quoted(&element.name);
    let value_may_be_undef = element.value.is_assignable(&Type::Undef);
    let key = match (element.is_optional, value_may_be_undef) {
        (true, true) | (false, false) => name,
        (true, false) => format!("Optional[{name}]"),
        (false, true) => format!("NotUndef[{name}]"),
    };
    format!("{key} => {}", element.value)
}

fn wrapped_text(inner: &Type) -> String {
    match inner {
        Type::String(StringKind::Exactly(text)) => puppet_quoted(text),
        _ => inner.to_string(),
    }
}
