//! Digging: from the value of a root key to a sub key, with Puppet's rules for what can be dug.

use std::sync::Arc;

use super::failure::Failure;
use super::invocation::{Found, Invocation};
use super::trace::TraceKind;
use crate::data::{Located, Value, inspect};
use crate::syntax::key_path::Segment;

/// Digs `segments` out of `value`; `key` is the whole key, for messages. A missing member is "not found"; a value without
/// members is an error.
pub(crate) fn dig(
    invocation: &mut Invocation<'_>,
    key: &str,
    segments: &[Segment],
    value: Located,
) -> Found {
    invocation.within(
        || TraceKind::SubKey(segments.into()),
        |invocation| {
            let mut value = value;
            for segment in segments {
                let found = invocation.within(
                    || TraceKind::Segment(segment.clone()),
                    |invocation| {
                        let name: Arc<str> = segment_text(segment);
                        invocation.note_undecided_member(&value.value, &name);
                        let found = member(key, segment, &value)?;
                        match &found {
                            Some(value) => invocation.report_found(&name, value),
                            None => invocation.report_not_found(&name),
                        }
                        Ok(found)
                    },
                )?;
                match found {
                    Some(member) => value = member,
                    None => return Ok(None),
                }
            }
            Ok(Some(value))
        },
    )
}

/// [`dig`] outside of a lookup, which leaves no trace.
pub(crate) fn dig_alone(key: &str, segments: &[Segment], value: &Located) -> Found {
    let mut value = value.clone();
    for segment in segments {
        match member(key, segment, &value)? {
            Some(member) => value = member,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// The segment as messages and explain show it.
pub(crate) fn segment_text(segment: &Segment) -> Arc<str> {
    match segment {
        Segment::Name(name) => Arc::clone(name),
        Segment::Index(index) => index.to_string().into(),
    }
}

fn member(key: &str, segment: &Segment, value: &Located) -> Found {
    match (&value.value, segment) {
        (Value::Undef, _) => Ok(None),
        (Value::Array(items), Segment::Index(index)) => {
            // A negative index does not count from the end as in Ruby: Puppet says that the key does not exist.
            Ok(usize::try_from(*index).ok().and_then(|index| items.get(index)).cloned())
        }
        (Value::Hash(hash), segment) => {
            let found = match segment {
                Segment::Name(name) => hash.get(name),
                // `h.1` finds an Integer key only. The string key `'1'` has to be quoted in the lookup as well.
                Segment::Index(index) => hash.get_value(&Value::Integer(*index)),
            };
            Ok(found.map(|member| member.value.clone()))
        }
        (Value::Integer(number), _) => Err(integers_crash_when_dug(number).at(value.place)),
        (Value::BigInteger(number), _) => Err(integers_crash_when_dug(number).at(value.place)),
        (other, segment) => {
            let message = format!(
                "Data Provider type mismatch: Got {} when a hash-like object was expected to access value using \
                 '{}' from key '{key}'",
                inspect::ruby_class(other),
                segment_text(segment),
            );
            Err(Failure::lookup(message).at(value.place))
        }
    }
}

/// Ruby's Integer has `[]` but no `include?`, so Puppet treats it as a hash and crashes.
fn integers_crash_when_dug(number: impl std::fmt::Display) -> Failure {
    Failure::ruby("NoMethodError", format!("undefined method `include?' for {number}:Integer"))
}
