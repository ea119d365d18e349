//! `Timestamp['2024-01-01T00:00:00.000000000 UTC']`: points in time as text.

use super::strptime::{self, Parsed, zone_offset};
use super::time_range::{NANOSECONDS, TimeProblem};
use crate::data::civil;

/// Puppet's own formats in the order in which it tries them. The first ones have a time zone.
const USUAL_FORMATS: [&str; 10] = [
    "%FT%T.%N %Z",
    "%FT%T %Z",
    "%F %T.%N %Z",
    "%F %T %Z",
    "%F %Z",
    "%FT%T.%N",
    "%FT%T",
    "%F %T.%N",
    "%F %T",
    "%F",
];
const WITH_ZONE: usize = 5;

/// The formats of a text.
#[derive(Debug, Clone, Copy)]
pub enum TimestampFormats<'f> {
    /// Puppet's own.
    Usual,
    /// This one.
    One(&'f str),
    /// The first of these that fits.
    Any(&'f [&'f str]),
}

/// The nanoseconds since 1970 of a text in one of Puppet's own formats.
pub(super) fn parse(text: &str) -> Result<i128, TimeProblem> {
    read_timestamp(text, TimestampFormats::Usual, None)
}

/// The nanoseconds since 1970 of a text. `zone` is its time zone, if the text has none.
///
/// # Errors
/// Puppet's message, or that a format or a time zone is not known here.
pub fn read_timestamp(
    text: &str,
    formats: TimestampFormats<'_>,
    zone: Option<&str>,
) -> Result<i128, TimeProblem> {
    let has_zone = zone.is_some();
    let parsed = match formats {
        TimestampFormats::One(format) => parsed_by_one(text, format, has_zone)?,
        TimestampFormats::Any(formats) => parsed_by_any(text, formats, has_zone)?,
        TimestampFormats::Usual if has_zone => {
            parsed_by_any(text, &USUAL_FORMATS[WITH_ZONE..], true)?
        }
        TimestampFormats::Usual => parsed_by_any(text, &USUAL_FORMATS, false)?,
    };
    let offset = match zone.or(parsed.zone.as_deref()) {
        Some(zone) => zone_offset(zone)?
            .ok_or_else(|| TimeProblem::Refused(format!("Illegal timezone '{zone}'")))?,
        None => 0,
    };
    Ok(utc(&parsed)? - i128::from(offset) * NANOSECONDS)
}

fn parsed_by_one(text: &str, format: &str, has_zone: bool) -> Result<Parsed, TimeProblem> {
    let parsed = strptime::parse(text, format)?.ok_or_else(|| {
        TimeProblem::Refused(format!("Unable to parse '{text}' using format '{format}'"))
    })?;
    if has_zone && parsed.zone.is_some() {
        return Err(TimeProblem::Refused(
            "Using a Timezone designator in format specification is mutually exclusive to \
             providing an explicit timezone argument"
                .to_owned(),
        ));
    }
    Ok(parsed)
}

fn parsed_by_any(text: &str, formats: &[&str], has_zone: bool) -> Result<Parsed, TimeProblem> {
    for format in formats {
        if let Some(parsed) = strptime::parse(text, format)?
            && !(has_zone && parsed.zone.is_some())
        {
            return Ok(parsed);
        }
    }
    let formats = formats.join(", ");
    Err(TimeProblem::Refused(format!(
        "Unable to parse '{text}' using any of the formats {formats}"
    )))
}

/// Ruby's `Time.utc`: missing parts are the first ones; 30 February is 1 or 2 March, 24:00 is the next day.
fn utc(parsed: &Parsed) -> Result<i128, TimeProblem> {
    let Some(year) = parsed.year else {
        return Err(TimeProblem::Refused("no implicit conversion of nil into Integer".to_owned()));
    };
    let (hour, minute) = (parsed.hour.unwrap_or(0), parsed.minute.unwrap_or(0));
    let second = parsed.second.unwrap_or(0);
    if hour == 24 && (minute > 0 || second > 0) {
        let part = if minute > 0 { "min" } else { "sec" };
        return Err(TimeProblem::Refused(format!("{part} out of range")));
    }
    let days = civil::days(year, parsed.month.unwrap_or(1), parsed.day.unwrap_or(1));
    let seconds =
        days * 86_400 + i128::from(hour) * 3600 + i128::from(minute) * 60 + i128::from(second);
    Ok(seconds * NANOSECONDS + i128::from(parsed.nanosecond.unwrap_or(0)))
}

/// The nanoseconds of the digits after a decimal point.
pub(super) fn fraction_of(digits: &str) -> i128 {
    format!("{digits:0<9}")[..9].parse().unwrap_or(0)
}

/// `2024-01-01T00:00:00.000000000 UTC`
pub fn timestamp_text(nanoseconds: i128) -> String {
    let seconds = nanoseconds.div_euclid(NANOSECONDS);
    let fraction = nanoseconds.rem_euclid(NANOSECONDS);
    let (year, month, day) = civil::date(seconds.div_euclid(86_400));
    let second = seconds.rem_euclid(86_400);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let year = if year < 0 { format!("{year:05}") } else { format!("{year:04}") };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:09} UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_time() {
        let round = |it: &str| parse(it).map(timestamp_text);
        let new_year = Ok("2024-01-01T00:00:00.000000000 UTC".to_owned());
        assert_eq!(round("2024-01-01"), new_year);
        assert_eq!(round("2024-01-01T00:00:00.000000000 UTC"), new_year);
        assert_eq!(round("2024-01-01T02:00:00 +02:00"), new_year);
        assert_eq!(
            round("2023-12-31 23:00:00.5 -0100"),
            Ok("2024-01-01T00:00:00.500000000 UTC".to_owned())
        );
        // Confirmed with Puppet 7.23.
        let at = |hour: &str| Ok(format!("2024-01-01T{hour}:00:00.000000000 UTC"));
        assert_eq!(round("2024-01-01 10:00:00 EST"), at("15"));
        assert_eq!(round("2024-01-01 10:00:00 +2"), at("08"));
        assert_eq!(round("2024-01-01 10:00:00 utc"), at("10"));
        let refused = |it: &str| match parse(it) {
            Err(TimeProblem::Refused(message)) => message,
            other => format!("{other:?}"),
        };
        assert_eq!(refused("2024-01-01T24:30:00"), "min out of range");
        assert_eq!(refused("2024-01-01T24:00:01"), "sec out of range");
        assert_eq!(refused("2024-01-01 10:00:00 Foo"), "Illegal timezone 'Foo'");
        assert!(refused("2024-01-01t10:00:00").starts_with("Unable to parse "));
        assert!(parse("yesterday").is_err());
        assert!(parse("2024-01-01T00:00:00.\u{663}\u{663}").is_err(), "digits that are not ASCII");
    }
}
