//! Types as text: complete (`Integer[1, 5]`) and short (`Integer`), with aliases by name or expanded.

use std::fmt::{Display, Formatter, Result};

use super::argument::Argument;
use super::format_quoted::puppet_quoted;
use super::guard::Guard;
use super::resource::capitalized;
use super::time_range::Clock;
use super::{AliasName, Init, IntegerRange, StringKind, StructElement, Type, Wrapper, uri};
use crate::data::inspect::float_to_s;

/// Longer texts of types are truncated.
const MAX_LENGTH: usize = 1 << 20;

impl Type {
    /// The name without parameters; for an alias, the alias's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Alias(alias) => alias.name(),
            Self::Named(alias) => alias.name(),
            Self::Object { name } if is_nameless(name) => "Object",
            Self::Object { name } => name,
            other => other.class_name(),
        }
    }

    /// The name of the kind of type.
    pub(super) fn class_name(&self) -> &'static str {
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
            Self::Runtime { .. } => "Runtime",
            Self::Timestamp(_) => "Timestamp",
            Self::Timespan(_) => "Timespan",
            Self::SemVer(_) => "SemVer",
            Self::SemVerRange => "SemVerRange",
            Self::Uri(_) => "URI",
            Self::Init(_) => "Init",
            Self::Callable(_) => "Callable",
            Self::CatalogEntry => "CatalogEntry",
            Self::Class(_) => "Class",
            Self::Resource { .. } => "Resource",
            Self::Object { name } if &**name == "DefaultTypeSet" => "TypeSet",
            Self::Object { .. } => "Object",
            Self::Alias(_) | Self::Named(_) => "TypeAlias",
            Self::Reference(_) => "TypeReference",
        }
    }

    /// The name as messages use it: only wrapper types show their parameter.
    pub fn short_name(&self) -> String {
        let inner = match self {
            Self::Wrapped(_, inner) => inner.as_deref(),
            Self::Init(Some(init)) => Some(&init.wanted),
            _ => None,
        };
        match inner {
            // Puppet finds no name here and does not look for another.
            Some(Self::Object { name }) if is_nameless(name) || &**name == "Object" => {
                format!("{}[]", self.name())
            }
            Some(inner) if *inner != Self::Any => format!("{}[{}]", self.name(), inner.name()),
            _ => self.name().to_owned(),
        }
    }

    /// The text in which each alias is followed by its definition.
    pub fn expanded(&self) -> String {
        Writer { expands: true, ..Writer::default() }.text(self)
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
            Self::Iterator => "Iterator",
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let expands = matches!(self, Self::Named(_));
        f.write_str(&Writer { expands, ..Writer::default() }.text(self))
    }
}

/// Writes one type.
#[derive(Default)]
struct Writer {
    expands: bool,
    guard: Guard,
    written: usize,
}

impl Writer {
    fn text(&mut self, it: &Type) -> String {
        if self.written > MAX_LENGTH {
            return "…".to_owned();
        }
        let name = match it {
            Type::Named(alias) => return self.alias(alias),
            Type::Object { name } if self.expands => return expanded_object(name),
            Type::Resource { name: Some(name), .. } => capitalized(name),
            other => other.name().to_owned(),
        };
        self.written += name.len();
        let parameters = self.parameters(it);
        if parameters.is_empty() { name } else { format!("{name}[{}]", parameters.join(", ")) }
    }

    fn alias(&mut self, alias: &AliasName) -> String {
        let name = alias.name();
        self.written += name.len();
        if !self.expands || alias.is_object() {
            return name.to_string();
        }
        let expanded = |writer: &mut Self| {
            let resolved = alias.with_resolved(|it| writer.text(it));
            format!("{name} = {resolved}")
        };
        if !alias.is_recursive() {
            return expanded(self);
        }
        // The closure needs the writer and its guard, so the guard is outside of the writer except while the writer works.
        let mut guard = std::mem::take(&mut self.guard);
        let text = guard.through_this_once(alias.identity(), |guard, is_met| {
            std::mem::swap(guard, &mut self.guard);
            let text = if is_met { name.to_string() } else { expanded(self) };
            std::mem::swap(guard, &mut self.guard);
            text
        });
        self.guard = guard;
        text
    }

    fn texts<'a>(&mut self, types: impl IntoIterator<Item = &'a Type>) -> Vec<String> {
        types.into_iter().map(|it| self.text(it)).collect()
    }

    fn parameters(&mut self, it: &Type) -> Vec<String> {
        match it {
            Type::Array(_, Some(range)) | Type::Hash(_, _, Some(range)) if range.is_empty() => {
                vec!["0".to_owned(), "0".to_owned()]
            }
            Type::Array(item, None) if **item == Type::Any => Vec::new(),
            Type::Hash(key, value, None) if **key == Type::Any && **value == Type::Any => {
                Vec::new()
            }
            Type::Array(item, range) => with_range(vec![self.text(item)], *range),
            Type::Hash(key, value, range) => with_range(self.texts([&**key, &**value]), *range),
            Type::Tuple(types, _) if types.is_empty() => Vec::new(),
            Type::Tuple(types, range) => with_range(self.texts(types), *range),
            Type::Struct(elements) if !elements.is_empty() => {
                let members: Vec<String> = elements.iter().map(|it| self.element(it)).collect();
                vec![format!("{{{}}}", members.join(", "))]
            }
            Type::Variant(types) => self.texts(types),
            Type::Wrapped(Wrapper::NotUndef | Wrapper::Sensitive, Some(inner))
                if **inner == Type::Any =>
            {
                Vec::new()
            }
            Type::Wrapped(Wrapper::Optional | Wrapper::NotUndef, Some(inner)) => match &**inner {
                Type::String(StringKind::Exactly(text)) => vec![puppet_quoted(text)],
                inner => vec![self.text(inner)],
            },
            Type::Wrapped(_, Some(inner)) => vec![self.text(inner)],
            Type::Init(Some(init)) => self.init(init),
            Type::Callable(Some(callable)) => {
                let parameters = {
                    let expands = self.expands;
                    let shown = |it: &Type| Self { expands, ..Self::default() }.text(it);
                    callable.shown_parameters(&shown)
                };
                match &callable.returns {
                    None => parameters,
                    Some(returns) => {
                        vec![format!("[{}]", parameters.join(", ")), self.text(returns)]
                    }
                }
            }
            other => simple_parameters(other),
        }
    }

    fn init(&mut self, init: &Init) -> Vec<String> {
        let mut parameters = vec![self.text(&init.wanted)];
        parameters.extend(init.arguments.iter().map(argument_text));
        parameters
    }

    fn element(&mut self, element: &StructElement) -> String {
        let name = puppet_quoted(&element.name);
        let value_may_be_undef = element.value.is_assignable(&Type::Undef);
        // A plain key may be missing if its value may be undef. Only the other combinations need `Optional` or `NotUndef`.
        let key = match (element.is_optional, value_may_be_undef) {
            (true, true) | (false, false) => name,
            (true, false) => format!("Optional[{name}]"),
            (false, true) => format!("NotUndef[{name}]"),
        };
        format!("{key} => {}", self.text(&element.value))
    }
}

impl AliasName {
    /// Whether it is an object type: `type A = Object[…]` gives this type its name, and is not an alias of it.
    pub(super) fn is_object(&self) -> bool {
        self.with_resolved(|it| matches!(it, Type::Object { name } if is_nameless(name)))
    }
}

/// Whether an object type is shown as `Object[{…}]`.
fn is_nameless(name: &str) -> bool {
    name.starts_with("Object[")
}

/// `Object[{…}]` with these members; `Object` if there are none.
pub(super) fn object_of(members: &[(Argument, Argument)]) -> Type {
    let member = |(key, value): &(Argument, Argument)| match key {
        Argument::Text(key) => format!("{key} => {}", argument_text(value)),
        other => format!("{} => {}", argument_text(other), argument_text(value)),
    };
    let shown: Vec<String> = members.iter().map(member).collect();
    let name = if shown.is_empty() {
        "Object".to_owned()
    } else {
        format!("Object[{{{}}}]", shown.join(", "))
    };
    Type::Object { name: name.into() }
}

/// If aliases are expanded, object types show their members. We know those of the common types.
fn expanded_object(name: &str) -> String {
    let members = match name {
        "Object" => "{}",
        "DefaultTypeSet" => {
            return "TypeSet[{pcore_uri => 'http://puppet.com/2016.1/pcore', pcore_version => '1.0.0', \
                    name_authority => 'http://puppet.com/2016.1/runtime', name => 'DefaultTypeSet', version => \
                    '0.0.0'}]"
                .to_owned();
        }
        "Deferred" => {
            r"{name => 'Deferred', attributes => {'name' => Pattern[/\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z/], 'arguments' => {type => Optional[Array], value => undef}}}"
        }
        "Error" => {
            "{name => 'Error', type_parameters => {'kind' => Variant[String, Regexp, Type[Enum], Type[Pattern], \
             Type[NotUndef], Type[Undef]], 'issue_code' => Variant[String, Regexp, Type[Enum], Type[Pattern], \
             Type[NotUndef], Type[Undef]]}, attributes => {'msg' => String[1], 'kind' => {type => \
             Optional[String[1]], value => undef}, 'details' => {type => Optional[Hash[String[1], Data]], value => \
             undef}, 'issue_code' => {type => Optional[String[1]], value => undef}}, functions => {'message' => \
             Callable[[0, 0], String[1]]}}"
        }
        other => return other.to_owned(),
    };
    format!("Object[{members}]")
}

fn argument_text(argument: &Argument) -> String {
    match argument {
        Argument::Type(it) => it.to_string(),
        Argument::Integer(it) => it.to_string(),
        Argument::Float(it) => float_to_s(*it),
        Argument::Text(it) => puppet_quoted(it),
        Argument::Regexp(it) => slashed(it),
        Argument::Boolean(it) => it.to_string(),
        Argument::Default => "default".to_owned(),
        Argument::Undef => "undef".to_owned(),
        Argument::List(items) => {
            format!("[{}]", items.iter().map(argument_text).collect::<Vec<_>>().join(", "))
        }
        Argument::Hash(members) => {
            let pair = |(key, value): &(Argument, Argument)| {
                format!("{} => {}", argument_text(key), argument_text(value))
            };
            format!("{{{}}}", members.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
    }
}

fn simple_parameters(it: &Type) -> Vec<String> {
    match it {
        Type::Boolean(Some(it)) => vec![it.to_string()],
        Type::Integer(range) => range.parameters(),
        Type::Float { from, to } => float_parameters(*from, *to),
        Type::String(StringKind::Sized(range)) | Type::Collection(Some(range)) => {
            range.parameters()
        }
        Type::Enum { values, ignores_case } => {
            let case = ignores_case.then(|| "true".to_owned());
            values.iter().map(|it| puppet_quoted(it)).chain(case).collect()
        }
        Type::Pattern(patterns) => patterns.iter().map(|it| slashed(&it.source)).collect(),
        Type::Regexp(Some(source)) => vec![slashed(source)],
        Type::Runtime { runtime: Some(runtime), name } => {
            let name = name.as_ref().map_or_else(|| "undef".to_owned(), |it| puppet_quoted(it));
            vec![runtime.to_string(), name]
        }
        Type::Timestamp(range) => range.parameters(Clock::Timestamp),
        Type::Timespan(range) => range.parameters(Clock::Timespan),
        Type::SemVer(ranges) => ranges.iter().map(|it| format!("'{}'", it.text)).collect(),
        Type::Uri(Some(members)) => uri::parameters(members),
        Type::Class(Some(name)) => vec![name.to_string()],
        Type::Resource { title: Some(title), .. } => vec![puppet_quoted(title)],
        Type::Reference(text) => vec![puppet_quoted(text)],
        _ => Vec::new(),
    }
}

impl IntegerRange {
    /// Whether it contains only zero.
    pub fn is_empty(self) -> bool {
        self == Self::exactly(0)
    }
}

fn with_range(mut parameters: Vec<String>, range: Option<IntegerRange>) -> Vec<String> {
    parameters.extend(range.into_iter().flat_map(IntegerRange::parameters));
    parameters
}

fn float_parameters(from: f64, to: f64) -> Vec<String> {
    if from == f64::NEG_INFINITY && to == f64::INFINITY {
        return Vec::new();
    }
    let first = if from == f64::NEG_INFINITY { "default".to_owned() } else { float_to_s(from) };
    let last = (to != f64::INFINITY).then(|| float_to_s(to));
    std::iter::once(first).chain(last).collect()
}

/// A regular expression between slashes, as Ruby's `Regexp#inspect` writes it.
pub(super) fn slashed(source: &str) -> String {
    let mut out = String::from("/");
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                out.push('\\');
                out.extend(characters.next());
            }
            '/' => out.push_str("\\/"),
            _ => out.push(character),
        }
    }
    out.push('/');
    // Ruby marks expressions that contain letters outside ASCII, and Puppet shows the mark.
    if source.is_ascii() { out } else { format!("/(?-mix:{})/", &out[1..out.len() - 1]) }
}
