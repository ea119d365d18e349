//! `Timespan['0-01:00:00.0']`: durations as text.

use std::sync::LazyLock;

use regex::Regex;

use super::time_range::NANOSECONDS;
use super::timestamp::fraction_of;
use crate::data::value::{Hash, Value};

/// Puppet's formats in the order in which it tries them, with the parts that each of them reads.
const FORMATS: [(&str, &str); 8] = [
    ("%D-%H:%M:%S.%-N", r"(?<D>\d+)-(?<H>\d{1,2}):(?<M>\d{1,2}):(?<S>\d{1,2})\.(?<N>\d{1,9})"),
    ("%H:%M:%S.%-N", r"(?<H>\d+):(?<M>\d{1,2}):(?<S>\d{1,2})\.(?<N>\d{1,9})"),
    ("%M:%S.%-N", r"(?<M>\d+):(?<S>\d{1,2})\.(?<N>\d{1,9})"),
    ("%S.%-N", r"(?<S>\d+)\.(?<N>\d{1,9})"),
    ("%D-%H:%M:%S", r"(?<D>\d+)-(?<H>\d{1,2}):(?<M>\d{1,2}):(?<S>\d{1,2})"),
    ("%H:%M:%S", r"(?<H>\d+):(?<M>\d{1,2}):(?<S>\d{1,2})"),
    ("%D-%H:%M", r"(?<D>\d+)-(?<H>\d{1,2}):(?<M>\d{1,2})"),
    ("%S", r"(?<S>\d+)"),
];

/// The members of a hash of parts, with their nanoseconds.
const FIELDS: [(&str, i128); 7] = [
    ("days", 86_400 * NANOSECONDS),
    ("hours", 3600 * NANOSECONDS),
    ("minutes", 60 * NANOSECONDS),
    ("seconds", NANOSECONDS),
    ("milliseconds", 1_000_000),
    ("microseconds", 1000),
    ("nanoseconds", 1),
];

/// Puppet has no limit here. More units than this count as this many, so that the sum cannot overflow.
const LONGEST: i128 = i64::MAX as i128;

/// The nanoseconds of a text in one of Puppet's own formats.
pub(super) fn parse(text: &str) -> Result<i128, String> {
    static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let pattern = |(_, it): &(&str, &str)| {
            // In this library, `\d` matches the digits of all scripts. In Ruby, it matches only those of ASCII.
            Regex::new(&format!(r"\A-?{it}\z").replace(r"\d", "[0-9]")).expect("a correct pattern")
        };
        FORMATS.iter().map(pattern).collect()
    });
    let found = PATTERNS.iter().find_map(|it| it.captures(text)).ok_or_else(|| {
        let formats: Vec<&str> = FORMATS.iter().map(|(it, _)| *it).collect();
        format!("Unable to parse '{text}' using any of the formats {}", formats.join(", "))
    })?;
    let part = |name: &str| {
        let digits = found.name(name).map_or("0", |it| it.as_str());
        digits.parse::<i128>().map_or(LONGEST, |it| it.min(LONGEST))
    };
    let seconds = ((part("D") * 24 + part("H")) * 60 + part("M")) * 60 + part("S");
    let fraction = found.name("N").map_or(0, |it| fraction_of(it.as_str()));
    let nanoseconds = seconds.saturating_mul(NANOSECONDS) + fraction;
    Ok(if text.starts_with('-') { -nanoseconds } else { nanoseconds })
}

/// The nanoseconds of `{days => 1, hours => 2}`.
pub(super) fn of_fields(fields: &Hash) -> i128 {
    let number = |name: &str| match fields.get(name).map(|it| &it.value.value) {
        Some(Value::Integer(it)) => i128::from(*it),
        _ => 0,
    };
    let sum = FIELDS.iter().map(|(name, unit)| number(name) * unit).sum::<i128>();
    let is_negative = fields.get("negative").is_some_and(|it| it.value.value.is_truthy());
    if is_negative { -sum } else { sum }
}

/// `1-02:03:04.5`, as Puppet's format `%D-%H:%M:%S.%-N` shows it.
pub fn timespan_text(nanoseconds: i128) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let total = nanoseconds.unsigned_abs();
    let unit = NANOSECONDS.unsigned_abs();
    let seconds = total / unit;
    let mut fraction = total % unit;
    // Puppet drops leading zeroes as well as trailing ones: 5 ns and 0.5 s both end in `.5`.
    while fraction != 0 && fraction.is_multiple_of(10) {
        fraction /= 10;
    }
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    format!("{sign}{days}-{hours:02}:{minutes:02}:{seconds:02}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        let round = |it: &str| parse(it).map(timespan_text);
        assert_eq!(round("3600"), Ok("0-01:00:00.0".to_owned()));
        assert_eq!(round("1-02:03:04.5"), Ok("1-02:03:04.5".to_owned()));
        assert_eq!(round("-1.25"), Ok("-0-00:00:01.25".to_owned()));
        assert_eq!(round("90:00.0"), Ok("0-01:30:00.0".to_owned()));
        assert_eq!(round("0.05"), Ok("0-00:00:00.5".to_owned()));
        assert!(parse("1 hour").is_err());
        assert!(parse(&format!("{}-00:00:00.0", "9".repeat(38))).is_ok(), "no overflow");
    }
}
