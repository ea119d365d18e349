//! `URI[{scheme => 'https'}]`: the required parts of a URI.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::argument::Argument;
use super::format_quoted::puppet_quoted;
use super::guard::Guard;
use super::regexp::Pattern;
use super::{Type, Wrapper};
use crate::data::value::Value;

/// The parts of a URI, or what they have to match, in order.
pub type UriMembers = Vec<(Arc<str>, UriMember)>;

/// Whether the URI matches the required parts.
pub(super) fn has_instance(wanted: &UriMembers, address: &str, guard: &mut Guard) -> bool {
    let members = members_of(address).unwrap_or_default();
    wanted.iter().all(|(name, wanted)| {
        let text = members.iter().find(|(it, _)| it == name).map(|(_, it)| it);
        // A port is a number in a URI, but text in a type that was created from a URI.
        if &**name == "port" {
            let port = text.map(UriMember::shown).or_else(|| usual_port_of(&members));
            let port = port.and_then(|it| it.trim_matches('\'').parse::<i64>().ok());
            return match wanted {
                UriMember::Number(number) => port.map(i128::from) == Some(*number),
                UriMember::Type(it) => {
                    it.has_instance(&port.map_or(Value::Undef, Value::Integer), guard)
                }
                UriMember::Text(_) | UriMember::Pattern(_) => false,
            };
        }
        match (wanted, text) {
            (UriMember::Type(it), None) => it.has_instance(&Value::Undef, guard),
            (wanted, Some(text)) => wanted.matches(text, guard),
            (_, None) => false,
        }
    })
}

/// The default port.
fn usual_port_of(members: &UriMembers) -> Option<String> {
    let is = |scheme: &str| {
        members
            .iter()
            .any(|(name, it)| &**name == "scheme" && *it == UriMember::Text(scheme.into()))
    };
    if is("http") { Some("80".to_owned()) } else { is("https").then(|| "443".to_owned()) }
}

/// A part of a URI, or what it has to match.
#[derive(Debug, Clone, PartialEq)]
pub enum UriMember {
    /// A string; letter case is ignored.
    Text(Arc<str>),
    /// A regular expression.
    Pattern(Arc<Pattern>),
    /// The number of a port.
    Number(i128),
    /// A type.
    Type(Type),
}

const MEMBERS: [&str; 8] =
    ["scheme", "userinfo", "host", "port", "path", "query", "fragment", "opaque"];

/// The parts of a URI.
pub(super) fn members_of(address: &str) -> Option<Arc<UriMembers>> {
    static GENERIC: LazyLock<Regex> = LazyLock::new(|| {
        let authority = r"(?://(?:([^@/?#]*)@)?(\[[^\]]*\]|[^:/?#]*)(?::(\d*))?)?";
        Regex::new(&format!(
            r"\A(?:([A-Za-z][A-Za-z0-9+.-]*):)?{authority}([^?#]*)(?:\?([^#]*))?(?:#(.*))?\z"
        ))
        .expect("a correct pattern")
    });
    let found = GENERIC.captures(address)?;
    let mut members: UriMembers = Vec::new();
    let mut add =
        |name: &str, text: &str| members.push((name.into(), UriMember::Text(text.into())));
    let part = |index: usize| found.get(index).map(|it| it.as_str());
    let scheme = part(1).map(str::to_lowercase);
    let is_opaque =
        scheme.is_some() && part(3).is_none() && !part(5).unwrap_or_default().starts_with('/');
    if let Some(scheme) = &scheme {
        add("scheme", scheme);
    }
    if let Some(it) = part(2) {
        add("userinfo", it);
    }
    part(3).filter(|it| !it.is_empty()).into_iter().for_each(|it| add("host", &it.to_lowercase()));
    let is_usual = |port: &str| {
        matches!((scheme.as_deref(), port), (Some("http"), "80") | (Some("https"), "443"))
    };
    if let Some(port) = part(4).filter(|it| !it.is_empty()) {
        if !is_usual(port) {
            add("port", port);
        }
    } else if let Some(port) = scheme.as_deref().and_then(usual_port).filter(|_| !is_opaque) {
        add("port", port);
    }
    let path = part(5).filter(|it| !it.is_empty());
    path.filter(|_| !is_opaque).into_iter().for_each(|it| add("path", it));
    if let Some(it) = part(6) {
        add("query", it);
    }
    if let Some(it) = part(7) {
        add("fragment", it);
    }
    path.filter(|_| is_opaque).into_iter().for_each(|it| add("opaque", it));
    (!members.is_empty()).then(|| Arc::new(members))
}

/// Ruby knows the default ports of some schemes, and omits those of `http` and `https`.
fn usual_port(scheme: &str) -> Option<&'static str> {
    match scheme {
        "ftp" => Some("21"),
        "ldap" => Some("389"),
        "ldaps" => Some("636"),
        "ws" => Some("80"),
        "wss" => Some("443"),
        _ => None,
    }
}

/// `URI[…]` with this argument; `None` if it is not a valid parameter.
pub(super) fn uri_of(argument: &Argument) -> Option<Type> {
    match argument {
        Argument::Text(address) if has_scheme(address) => Some(Type::Uri(members_of(address))),
        Argument::Hash(members) => {
            let members: Option<UriMembers> = members
                .iter()
                .map(|(name, wanted)| match name {
                    Argument::Text(name) if MEMBERS.contains(&&**name) => {
                        Some((name.clone(), member_of(name, wanted)?))
                    }
                    _ => None,
                })
                .collect();
            members.map(|it| Type::Uri(Some(it).filter(|it| !it.is_empty()).map(Arc::new)))
        }
        _ => None,
    }
}

/// A port is a number, all other parts are strings; both can be described by some types.
fn member_of(name: &str, wanted: &Argument) -> Option<UriMember> {
    let is_port = name == "port";
    match wanted {
        Argument::Integer(number) if is_port && *number >= 0 => Some(UriMember::Number(*number)),
        Argument::Text(text) if !is_port && !text.is_empty() => Some(UriMember::Text(text.clone())),
        Argument::Regexp(source) if !is_port => Pattern::of(source).ok().map(UriMember::Pattern),
        Argument::Type(it @ (Type::Wrapped(Wrapper::NotUndef, _) | Type::Undef)) => {
            Some(UriMember::Type(it.clone()))
        }
        Argument::Type(it @ (Type::Pattern(_) | Type::Enum { .. })) if !is_port => {
            Some(UriMember::Type(it.clone()))
        }
        _ => None,
    }
}

/// A URI that is given as a string must be complete.
fn has_scheme(address: &str) -> bool {
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\A[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+\z").expect("a correct pattern")
    });
    WHOLE.is_match(address)
}

/// Whether every URI with the parts `theirs` matches `ours`.
pub(super) fn takes(ours: &UriMembers, theirs: Option<&UriMembers>, guard: &mut Guard) -> bool {
    ours.iter().all(|(name, wanted)| {
        let their = theirs.and_then(|it| it.iter().find(|(it, _)| it == name));
        their.is_some_and(|(_, their)| wanted.matches(their, guard))
    })
}

impl UriMember {
    fn matches(&self, their: &Self, guard: &mut Guard) -> bool {
        match (self, their) {
            (Self::Text(ours), Self::Text(theirs)) => ours.to_lowercase() == theirs.to_lowercase(),
            (Self::Pattern(ours), Self::Text(theirs)) => ours.is_match(theirs),
            (Self::Type(ours), Self::Type(theirs)) => ours.assignable(theirs, guard),
            (Self::Type(ours), Self::Text(theirs)) => {
                ours.has_instance(&Value::String(theirs.clone()), guard)
            }
            (Self::Number(ours), Self::Number(theirs)) => ours == theirs,
            _ => false,
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => puppet_quoted(text),
            Self::Pattern(pattern) => super::format::slashed(&pattern.source),
            Self::Number(number) => number.to_string(),
            Self::Type(it) => it.to_string(),
        }
    }
}

/// The text between the brackets.
pub(super) fn parameters(members: &UriMembers) -> Vec<String> {
    let shown =
        |(name, it): &(Arc<str>, UriMember)| format!("{} => {}", puppet_quoted(name), it.shown());
    vec![format!("{{{}}}", members.iter().map(shown).collect::<Vec<_>>().join(", "))]
}
