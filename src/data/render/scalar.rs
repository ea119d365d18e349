//! How Psych examines a string before it writes it: would the plain text be read as something else?

use std::sync::LazyLock;

use crate::syntax::ruby_regex::{self, RubyRegex};

macro_rules! pattern {
    ($source:expr) => {{
        static PATTERN: LazyLock<RubyRegex> =
            LazyLock::new(|| ruby_regex::translate($source).expect("a correct pattern"));
        &*PATTERN
    }};
}

/// Whether more text follows a newline.
pub(super) fn has_inner_newline(text: &str) -> bool {
    text.find('\n').is_some_and(|first| !text[first + 1..].is_empty() && text[first + 1..] != *"\n")
}

/// Whether a line starts with something other than a letter, digit or underscore and has no double quote.
pub(super) fn begins_oddly(text: &str) -> bool {
    pattern!(r#"^[^[:word:]][^"]*$"#).is_match(text)
}

/// Whether YAML would read the plain text as null, boolean, number, time or symbol, or older readers would read it as an
/// octal number.
pub(super) fn reads_as_other_type(text: &str) -> bool {
    pattern!(r"\A0[0-7]*[89]").is_match(text) || !is_string(text)
}

fn is_string(text: &str) -> bool {
    if text.is_empty() {
        return false;
    }
    let is_wordy = pattern!(r"^[^\d.:-]?[[:alpha:]_\s!@#$%\^&*(){}<>|/\\~;=]+").is_match(text);
    if is_wordy || text.contains('\n') {
        return text.chars().count() > 5
            || pattern!("(?i)^[^ytonf~]").is_match(text)
            || !(text == "~" || pattern!("(?i)^(null|yes|true|on|no|false|off)$").is_match(text));
    }
    if pattern!(
        r"^-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?$"
    )
    .is_match(text)
    {
        return !is_valid_time(text);
    }
    if pattern!(r"^\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)$").is_match(text) {
        return !is_valid_date(text);
    }
    let is_dotless_float = pattern!(r"\A[-+]?\.\Z").is_match(text);
    is_dotless_float
        || !(pattern!(r"(?i)^[-+]?\.inf$|^\.nan$").is_match(text)
            || pattern!("^:.").is_match(text)
            || pattern!(r"^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}(\.[0-9_]*)?$").is_match(text)
            || pattern!(r"^(?:[-+]?([0-9][0-9_,]*)?\.[0-9]*([eE][-+][0-9]+)?)$").is_match(text)
            || pattern!(
                r"^(?:[-+]?0b[0-1_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$"
            )
            .is_match(text))
}

/// The numbers in a text: the parts of a date or a time.
fn numbers(text: &str) -> Vec<u32> {
    text.split(|it: char| !it.is_ascii_digit()).filter_map(|it| it.parse().ok()).collect()
}

/// Whether Ruby's `Time.utc` accepts the numbers.
fn is_valid_time(text: &str) -> bool {
    match numbers(text).as_slice() {
        [_, month, day, hour, minute, second, ..] => {
            let is_day = (1..=12).contains(month) && (1..=31).contains(day);
            let is_midnight = *hour == 24 && *minute == 0 && *second == 0;
            is_day && (*hour < 24 || is_midnight) && *minute < 60 && *second <= 60
        }
        _ => false,
    }
}

fn is_valid_date(text: &str) -> bool {
    let [year, month, day] = numbers(text)[..] else { return false };
    // Ruby uses the Julian calendar before the Gregorian reform.
    let is_leap = year.is_multiple_of(4)
        && (year < 1582 || !year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    (1..=12).contains(&month) && (1..=days).contains(&day)
}
