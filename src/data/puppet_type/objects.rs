//! Puppet objects that values contain as texts: whether the texts can be parsed.

use super::regexp::{Pattern, source_of};
use super::time_range::{Clock, TimeProblem};
use super::{Version, VersionRange};
use crate::data::value::Value;

/// The error of the first object in the value whose text cannot be parsed.
pub fn unreadable_object(value: &Value) -> Option<String> {
    match value {
        Value::Array(items) => items.iter().find_map(|it| unreadable_object(&it.value)),
        Value::Hash(hash) => hash.iter().find_map(|(key, member)| {
            unreadable_object(key).or_else(|| unreadable_object(&member.value.value))
        }),
        Value::Sensitive(inner) => unreadable_object(&inner.value),
        Value::Object(object) => problem_of(&object.class, &object.text),
        _ => None,
    }
}

fn problem_of(class: &str, text: &str) -> Option<String> {
    match class {
        "Timestamp" => refusal(Clock::Timestamp.parse(text)),
        "Timespan" => refusal(Clock::Timespan.parse(text)),
        "SemVer" => Version::parse(text)
            .is_none()
            .then(|| format!("Unable to parse '{text}' as a semantic version identifier")),
        "SemVerRange" => VersionRange::parse(text)
            .is_none()
            .then(|| format!("Unparsable version range: \"{text}\"")),
        "Type" => super::parse(text).err().and_then(|problem| match problem {
            super::TypeProblem::Invalid(message) => Some(message),
            super::TypeProblem::Unknown(_) => None,
        }),
        "Regexp" => Pattern::of(&source_of(text).into()).err().map(|it| it.to_string()),
        "URI" => super::uri::members_of(text)
            .is_none()
            .then(|| format!("bad URI(is not URI?): \"{text}\"")),
        _ => Some(format!("unknown __ptype {class}")),
    }
}

fn refusal(time: Result<i128, TimeProblem>) -> Option<String> {
    match time {
        Err(TimeProblem::Refused(message)) => Some(message),
        Ok(_) | Err(TimeProblem::Unknown(_)) => None,
    }
}
