//! The value of a YAML scalar according to its text and its tag, as Ruby's Psych 4 determines it.

use std::sync::{Arc, LazyLock};

use base64::Engine as _;
use num_bigint::BigInt;
use regex::Regex;

use super::tags;
use super::value::Value;
use crate::syntax::tree::ScalarStyle;

/// Why Psych cannot convert a scalar, which makes the whole file unreadable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScalarError {
    /// Psych would have to create an instance of a Ruby class that Puppet does not allow.
    Class(String),
    /// Any other Ruby exception, with its message. Puppet does not add the path of the file to it.
    Exception(String),
}

/// The value of a scalar.
pub fn typed(text: &Arc<str>, style: ScalarStyle, tag: Option<&str>) -> Result<Value, ScalarError> {
    let string = || Value::String(Arc::clone(text));
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain { by_looks(text) } else { Ok(string()) };
    };
    if let Some(class) = tags::class_of_scalar(tag, text) {
        return Err(ScalarError::Class(class));
    }
    match tag {
        "!binary" | "tag:yaml.org,2002:binary" => Ok(bytes(text)),
        "!str" | "!str:" | "tag:yaml.org,2002:str" | "!ruby/string" | "!ruby/string:" => {
            Ok(string())
        }
        "!float" | "tag:yaml.org,2002:float" => to_float(&by_looks(text)?),
        _ if tags::is_symbol(tag) => Ok(Value::Symbol(Arc::clone(text))),
        // For a tag that it does not know, Psych also examines the text of quoted scalars.
        _ => by_looks(text),
    }
}

/// Whether a plain scalar is a string.
pub fn is_string(text: &str) -> bool {
    if begins_as_word(text) {
        return word(text).is_none();
    }
    matches!(by_looks(&text.into()), Ok(Value::String(_)))
}

/// The value of a plain scalar.
pub fn by_looks(text: &Arc<str>) -> Result<Value, ScalarError> {
    let string = || Value::String(Arc::clone(text));
    if text.is_empty() {
        return Ok(Value::Undef);
    }
    if begins_as_word(text) || text.contains('\n') {
        return Ok(word(text).unwrap_or_else(string));
    }
    if text.starts_with(':') && text.len() > 1 {
        return Ok(symbol(text));
    }
    // All patterns below start with one of these characters. This check saves most strings from six regular expressions.
    if !matches!(text.as_bytes()[0], b'0'..=b'9' | b'+' | b'-' | b'.') {
        return Ok(string());
    }
    if TIME.is_match(text) {
        return Err(ScalarError::Class("Time".to_owned()));
    }
    if unquoted_dates_break_the_file(text) {
        return Err(ScalarError::Class("Date".to_owned()));
    }
    if let Some(value) = special_float(text).or_else(|| base_60(text)) {
        return Ok(value);
    }
    if let Some(float) = float(text) {
        return float;
    }
    integer(text).unwrap_or_else(|| Ok(string()))
}

/// `2001-01-01`, also for days that do not exist: Psych requests the class before it checks the day.
fn unquoted_dates_break_the_file(text: &str) -> bool {
    DATE.is_match(text)
}

/// `!!binary`: Ruby's lenient base64, which skips unknown characters and stops at padding.
fn bytes(text: &str) -> Value {
    let clean: String = text
        .chars()
        .take_while(|&c| c != '=')
        .filter(|c| c.is_ascii_alphanumeric() || "+/".contains(*c))
        .collect();
    let config = base64::engine::GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::RequireNone);
    let engine = base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, config);
    let usable = clean.len() - usize::from(clean.len() % 4 == 1);
    Value::of_bytes(engine.decode(&clean[..usable]).unwrap_or_default())
}

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the pattern is a constant")
}

static TIME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^-?[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t\r\n\f\x0b]+)[0-9]{1,2}:[0-9][0-9]:[0-9][0-9](?:\.[0-9]*)?(?:[ \t\r\n\f\x0b]*(?:Z|[-+][0-9]{1,2}:?(?:[0-9][0-9])?))?$",
    )
});
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^[0-9]{4}-(?:1[012]|0[0-9]|[0-9])-(?:[12][0-9]|3[01]|0[0-9]|[0-9])$")
});
static BASE_60: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}$"));
static BASE_60_FLOAT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[-+]?[0-9][0-9_]*(:[0-5]?[0-9]){1,2}\.[0-9_]*$"));
static FLOAT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[-+]?([0-9][0-9_,]*)?\.[0-9]*([eE][-+][0-9]+)?$"));
static INTEGER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[-+]?0b[0-1_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+)$",
    )
});

/// Psych's `^[^\d.:-]?[[:alpha:]_\s!@#$%\^&*(){}<>|/\\~;=]+`, which excludes most numbers.
fn begins_as_word(text: &str) -> bool {
    let mut characters = text.chars();
    let is_word = |c: char| {
        c.is_alphabetic() || c.is_ascii_whitespace() || "\u{b}_!@#$%^&*(){}<>|/\\~;=".contains(c)
    };
    let Some(first) = characters.next() else { return false };
    is_word(first)
        || !(first.is_ascii_digit() || ".:-".contains(first))
            && characters.next().is_some_and(is_word)
}

/// Words with a special meaning, in any letter case. Psych checks each line of a text of at most 5 characters.
fn word(text: &str) -> Option<Value> {
    // A character has at most four bytes.
    if text.len() > 20 || text.chars().count() > 5 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let lines = || lower.split('\n');
    let starts_otherwise = |line: &str| line.chars().next().is_some_and(|c| !"ytonf~".contains(c));
    if lower.starts_with('\n') || lines().any(starts_otherwise) {
        return None;
    }
    if lower == "~" || lines().any(|line| line == "null") {
        Some(Value::Undef)
    } else if lines().any(|line| matches!(line, "yes" | "true" | "on")) {
        Some(Value::Boolean(true))
    } else if lines().any(|line| matches!(line, "no" | "false" | "off")) {
        Some(Value::Boolean(false))
    } else {
        None
    }
}

fn special_float(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        ".inf" | "+.inf" => Some(Value::Float(f64::INFINITY)),
        "-.inf" => Some(Value::Float(f64::NEG_INFINITY)),
        ".nan" => Some(Value::Float(f64::NAN)),
        _ => None,
    }
}

/// `:name`, `:"quoted name"`: a Ruby symbol.
fn symbol(text: &str) -> Value {
    let name = text.strip_prefix(':').unwrap_or(text);
    for quote in ['"', '\''] {
        if let Some(rest) = name.strip_prefix(quote)
            && let Some(end) = rest.rfind(quote)
        {
            let inner = &rest[..end];
            return Value::Symbol(inner.strip_prefix(':').unwrap_or(inner).into());
        }
    }
    Value::Symbol(name.into())
}

/// `1:30` and `1:30:00`: the weights are 3600, 60 and 1 from the left.
fn base_60(text: &str) -> Option<Value> {
    let weights = [3600_u32, 60, 1];
    if BASE_60.is_match(text) {
        let parts = text.split(':').zip(weights);
        let sum: BigInt = parts.map(|(part, weight)| ruby_to_i(part) * BigInt::from(weight)).sum();
        return Some(integer_value(&sum));
    }
    if BASE_60_FLOAT.is_match(text) {
        let parts = text.split(':').zip(weights);
        let sum = parts.map(|(part, weight)| ruby_to_f(part) * f64::from(weight));
        return Some(Value::Float(sum.fold(0.0, |sum, part| sum + part)));
    }
    None
}

/// Ruby's `to_i`: reads digits as far as possible, and skips single underscores between them.
fn ruby_to_i(text: &str) -> BigInt {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = leading_digits(digits);
    BigInt::parse_bytes(format!("{sign}{digits}").as_bytes(), 10).unwrap_or_default()
}

/// Ruby's `to_f` for digits with a decimal point.
fn ruby_to_f(text: &str) -> f64 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let sign = if whole.starts_with('-') { "-" } else { "" };
    let digits = whole.trim_start_matches(['-', '+']);
    let used = leading_digits(digits);
    let stops_early = digits.contains("__") || digits.ends_with('_');
    let fraction = if stops_early { String::new() } else { leading_digits(fraction) };
    format!("{sign}{used}.{fraction}0").parse().unwrap_or(0.0)
}

fn leading_digits(text: &str) -> String {
    let mut digits = String::new();
    let mut after_underscore = true;
    for c in text.chars() {
        match c {
            '0'..='9' => digits.push(c),
            '_' if !after_underscore => {}
            _ => break,
        }
        after_underscore = c == '_';
    }
    digits
}

fn float(text: &str) -> Option<Result<Value, ScalarError>> {
    if !FLOAT.is_match(text) || matches!(text, "." | "-." | "+.") {
        return None;
    }
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let digits = digits.strip_suffix('.').unwrap_or(&digits);
    // `1.` and `1.e+3` are floats in YAML, but Ruby's `Float()` refuses them. Psych removes the point.
    let digits = digits.replace(".e", "e").replace(".E", "E");
    Some(kernel_float(&digits).map(Value::Float))
}

/// Ruby's `Float(text)`.
fn kernel_float(text: &str) -> Result<f64, ScalarError> {
    let trimmed = text.trim_ascii();
    let bytes = trimmed.as_bytes();
    let is_between_digits = |at: usize| {
        at > 0
            && bytes[at - 1].is_ascii_digit()
            && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
    };
    let known = |c: u8| c.is_ascii_digit() || b"+-.eE_".contains(&c);
    let is_sound = bytes.iter().all(|&c| known(c))
        && bytes.iter().enumerate().all(|(at, &c)| c != b'_' || is_between_digits(at))
        && !trimmed.ends_with('.')
        && !trimmed.contains(".e")
        && !trimmed.contains(".E");
    let invalid = || ScalarError::Exception(format!("invalid value for Float(): {text:?}"));
    if !is_sound {
        let (sign, unsigned) = match trimmed.strip_prefix('-') {
            Some(rest) => (-1.0, rest),
            None => (1.0, trimmed),
        };
        let hex = unsigned.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
        return hex.map(|number| sign * as_float(i128::from(number))).ok_or_else(invalid);
    }
    trimmed.replace('_', "").parse().map_err(|_| invalid())
}

/// The result of Ruby's `Float()` for a value (`!!float`).
fn to_float(value: &Value) -> Result<Value, ScalarError> {
    let cannot =
        |what: &str| Err(ScalarError::Exception(format!("can't convert {what} into Float")));
    match value {
        Value::Integer(number) => Ok(Value::Float(as_float(i128::from(*number)))),
        Value::BigInteger(digits) => Ok(Value::Float(digits.parse().unwrap_or(f64::INFINITY))),
        Value::String(text) => kernel_float(text).map(Value::Float),
        Value::Undef => cannot("nil"),
        Value::Boolean(it) => cannot(if *it { "true" } else { "false" }),
        Value::Symbol(_) => cannot("Symbol"),
        other => Ok(other.clone()),
    }
}

#[allow(clippy::cast_precision_loss, reason = "Ruby's to_f rounds as well")]
fn as_float(number: i128) -> f64 {
    number as f64
}

/// Integers: decimal, `0777` and `0b101` and `0x1f` with an optional sign, commas and underscores inside.
fn integer(text: &str) -> Option<Result<Value, ScalarError>> {
    if !INTEGER.is_match(text) {
        return None;
    }
    let clean: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let (sign, digits) = match clean.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", clean.strip_prefix('+').unwrap_or(&clean)),
    };
    let (digits, radix) = if let Some(hex) = digits.strip_prefix("0x") {
        (hex, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        (binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (digits, 10)
    };
    if radix == 10 && !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit()) {
        // A decimal number keeps its spelling, however long it is.
        let number = format!("{sign}{digits}");
        let small = number.parse().map(Value::Integer);
        return Some(Ok(small.unwrap_or_else(|_| Value::BigInteger(number.into()))));
    }
    let number = BigInt::parse_bytes(format!("{sign}{digits}").as_bytes(), radix);
    Some(
        number.map(|number| integer_value(&number)).ok_or_else(|| {
            ScalarError::Exception(format!("invalid value for Integer(): {clean:?}"))
        }),
    )
}

fn integer_value(number: &BigInt) -> Value {
    match i64::try_from(number) {
        Ok(small) => Value::Integer(small),
        Err(_) => Value::BigInteger(number.to_string().into()),
    }
}

#[cfg(test)]
mod tests;
