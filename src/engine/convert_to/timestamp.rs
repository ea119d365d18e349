//! `Timestamp.new`: from seconds, or from text by Ruby's date formats.

use super::{ConversionFailure, is_numeric, unknown_arguments};
use crate::data::puppet_type::{TimestampFormats, Type, read_timestamp, timestamp_text};
use crate::data::value::{Located, Value};

const NANOSECONDS: i128 = 1_000_000_000;

/// `Timestamp.new(seconds)`, `Timestamp.new(text, formats, timezone)`, `Timestamp.new({string, format, timezone})`.
pub(super) fn timestamp(
    wanted: &Type,
    value: &Value,
    arguments: &[Located],
) -> Result<Value, ConversionFailure> {
    let unknown = || unknown_arguments(wanted);
    let nanoseconds = match (value, arguments) {
        (Value::Integer(it), []) => i128::from(*it) * NANOSECONDS,
        (Value::Float(it), []) if is_numeric(value) => seconds_as_nanoseconds(*it)?,
        (Value::String(text), []) => parse(text, None, None, &unknown)?,
        (Value::String(text), [format]) => parse(text, Some(&format.value), None, &unknown)?,
        (Value::String(text), [format, zone]) => {
            let zone = non_empty(&zone.value).ok_or_else(unknown)?;
            parse(text, Some(&format.value), Some(zone), &unknown)?
        }
        (Value::Hash(named), []) => {
            let known = ["string", "format", "timezone"];
            let is_known =
                |key: &Value| matches!(key, Value::String(name) if known.contains(&&**name));
            if !named.iter().all(|(key, _)| is_known(key)) {
                return Err(unknown());
            }
            let member = |name: &str| named.get(name).map(|it| &it.value.value);
            let text = member("string").and_then(non_empty).ok_or_else(unknown)?;
            let zone =
                member("timezone").map(|it| non_empty(it).ok_or_else(unknown)).transpose()?;
            parse(text, member("format"), zone, &unknown)?
        }
        _ => return Err(unknown()),
    };
    Ok(Value::object("Timestamp", timestamp_text(nanoseconds)))
}

/// Ruby multiplies as floats and truncates.
pub(super) fn seconds_as_nanoseconds(seconds: f64) -> Result<i128, ConversionFailure> {
    let nanoseconds = (seconds * 1e9).trunc();
    if !nanoseconds.is_finite() {
        return Err(ConversionFailure::Error(crate::data::inspect::float_to_s(nanoseconds)));
    }
    #[allow(clippy::cast_possible_truncation)] // saturates beyond all calendars
    Ok(nanoseconds as i128)
}

/// A non-empty text.
pub(super) fn non_empty(value: &Value) -> Option<&str> {
    value.as_str().filter(|it| !it.is_empty())
}

/// The formats in an argument: a string of at least two characters, or a list of such strings.
pub(super) fn formats_of(argument: &Value) -> Option<Vec<&str>> {
    // The type of Puppet's argument is `Variant[String[2], Array[String[2], 1]]`.
    let long_enough = |it: &'_ Value| it.as_str().is_some_and(|text| text.chars().count() >= 2);
    match argument {
        Value::Array(items)
            if !items.is_empty() && items.iter().all(|it| long_enough(&it.value)) =>
        {
            Some(items.iter().filter_map(|it| it.value.as_str()).collect())
        }
        one if long_enough(one) => one.as_str().map(|it| vec![it]),
        _ => None,
    }
}

fn parse(
    text: &str,
    formats: Option<&Value>,
    zone: Option<&str>,
    unknown: &dyn Fn() -> ConversionFailure,
) -> Result<i128, ConversionFailure> {
    if text.is_empty() {
        return Err(unknown());
    }
    let several;
    let formats = match formats {
        Some(Value::String(format)) => {
            formats_of(&Value::String(format.clone())).ok_or_else(unknown)?;
            TimestampFormats::One(format)
        }
        Some(list) => {
            several = formats_of(list).ok_or_else(unknown)?;
            TimestampFormats::Any(&several)
        }
        None => TimestampFormats::Usual,
    };
    Ok(read_timestamp(text, formats, zone)?)
}
