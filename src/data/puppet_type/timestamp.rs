//! `Timestamp['2024-01-01T00:00:00.000000000 UTC']`: points in time as text.

use std::sync::LazyLock;

use regex::Regex;

use super::time_range::NANOSECONDS;
use crate::data::civil;

/// The formats that Puppet tries, as its message lists them.
const FORMATS: &str =
    "%FT%T.%N %Z, %FT%T %Z, %F %T.%N %Z, %F %T %Z, %F %Z, %FT%T.%N, %FT%T, %F %T.%N, %F %T, %F";

/// The nanoseconds since 1970 of a text in one of Puppet's own formats.
pub(super) fn parse(text: &str) -> Result<i128, String> {
    nanoseconds(text)
        .ok_or_else(|| format!("Unable to parse '{text}' using any of the formats {FORMATS}"))
}

fn nanoseconds(text: &str) -> Option<i128> {
    static FORMAT: LazyLock<Regex> = LazyLock::new(|| {
        let time = r"(?:(?:T|\s+)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?)?";
        let zone = r"(?:\s*(UTC|GMT|Z|[+-]\d\d(?::?\d\d)?))?";
        let pattern = format!(r"(?i)\A\s*([+-]?\d+)-(\d{{1,2}})-(\d{{1,2}}){time}{zone}\z");
        // Ruby's `\d` matches ASCII digits only.
        Regex::new(&pattern.replace(r"\d", "[0-9]")).expect("a correct pattern")
    });
    let found = FORMAT.captures(text)?;
    let number =
        |index: usize| found.get(index).map_or(Some(0), |it| it.as_str().parse::<i64>().ok());
    let (year, month, day) = (number(1)?, number(2)?, number(3)?);
    let (hour, minute, second) = (number(4)?, number(5)?, number(6)?);
    let is_time = hour <= 24 && minute < 60 && second <= 60;
    if !((1..=12).contains(&month) && (1..=31).contains(&day) && is_time) {
        return None;
    }
    let seconds = civil::days(year, month, day) * 86_400
        + i128::from(hour * 3600 + minute * 60 + second)
        - i128::from(found.get(8).map_or(Some(0), |it| offset_of(it.as_str()))?);
    let fraction = found.get(7).map_or(0, |it| fraction_of(it.as_str()));
    Some(seconds * NANOSECONDS + fraction)
}

/// The offset of a time zone in seconds.
fn offset_of(zone: &str) -> Option<i64> {
    let (sign, digits) = match zone.as_bytes().first()? {
        b'+' => (1, &zone[1..]),
        b'-' => (-1, &zone[1..]),
        _ => return Some(0),
    };
    let digits = digits.replace(':', "");
    let minutes = if digits.len() > 2 { digits[2..].parse::<i64>().ok()? } else { 0 };
    Some(sign * (digits[..2].parse::<i64>().ok()? * 3600 + minutes * 60))
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
        assert!(parse("yesterday").is_err());
        assert!(parse("2024-01-01T00:00:00.\u{663}\u{663}").is_err(), "digits that are not ASCII");
    }
}
