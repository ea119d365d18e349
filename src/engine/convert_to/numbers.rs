//! `Integer.new`, `Float.new`, `Numeric.new`.

use num_bigint::BigInt;

use super::{ConversionFailure, is_numeric, unknown_arguments, value_of_type};
use crate::data::inspect;
use crate::data::puppet_type::{self, Type};
use crate::data::value::{Hash, Located, Value};

type Number = Result<Value, ConversionFailure>;

/// `Integer.new(value, radix, abs)` or `Integer.new({from, radix, abs})`.
pub(super) fn integer(value: &Value, arguments: &[Located]) -> Number {
    if let (Value::Hash(named), []) = (value, arguments) {
        return integer_of_named(named);
    }
    if arguments.len() > 2 {
        let given = arguments.len() + 1;
        let message = format!("'new' expects between 1 and 3 arguments, got {given}");
        return Err(ConversionFailure::Error(message));
    }
    let radix = arguments.first().map(|it| &it.value);
    let abs = arguments.get(1).map(|it| &it.value);
    integer_of(value, radix, abs, arguments.len())
}

fn integer_of_named(named: &Hash) -> Number {
    let member = |name: &str| named.get(name).map(|it| &it.value.value);
    let wanted =
        "Struct[{NotUndef[from] => Any, Optional[radix] => Any, Optional[abs] => Boolean}]";
    let wanted = puppet_type::parse(wanted).expect("a correct type");
    let whole = Value::hash(named.clone());
    // Puppet complains about `from` first, then about the radix, and about the rest of the hash only if both are fine.
    if let Some(from) = member("from")
        && !is_integral(from)
    {
        return Err(not_an_integer(from));
    }
    match member("radix") {
        None | Some(Value::Undef | Value::Default) => {}
        Some(Value::Integer(radix)) => check_radix(*radix).map(|_| ())?,
        Some(other) => return Err(illegal_radix(other)),
    }
    let is_struct = named.is_empty() || matches!(puppet_type::type_set_of(&whole), Type::Struct(_));
    if !is_struct {
        return Err(unknown_arguments(&Type::integer()));
    }
    puppet_type::assert_instance("Integer.new", &wanted, &whole)
        .map_err(ConversionFailure::Error)?;
    let from = member("from").ok_or_else(|| unknown_arguments(&Type::integer()))?;
    let radix = member("radix").filter(|it| it.is_truthy());
    integer_of(from, radix, member("abs"), named.len())
}

fn integer_of(value: &Value, radix: Option<&Value>, abs: Option<&Value>, count: usize) -> Number {
    let radix = match radix {
        None | Some(Value::Default) => None,
        Some(Value::Integer(it)) => Some(*it),
        Some(_) => return Err(unknown_arguments(&Type::integer())),
    };
    let is_absolute = match abs {
        None => false,
        Some(Value::Boolean(it)) => *it,
        Some(_) => return Err(unknown_arguments(&Type::integer())),
    };
    if count > 3 {
        return Err(unknown_arguments(&Type::integer()));
    }
    let radix = radix.map(check_radix).transpose()?;
    let number = match value {
        Value::Integer(it) => BigInt::from(*it),
        Value::BigInteger(digits) => big(digits, 10)?,
        Value::Float(it) if it.is_finite() => big(&format!("{:.0}", it.trunc()), 10)?,
        Value::Float(it) if is_numeric(value) => {
            return Err(ConversionFailure::Error(inspect::float_to_s(*it)));
        }
        Value::Boolean(it) => BigInt::from(*it),
        Value::String(text) if is_integral(value) => parse_integer(text, radix)?,
        other => return Err(not_an_integer(other)),
    };
    let is_negative = number.sign() == num_bigint::Sign::Minus;
    Ok(integer_value(&if is_absolute && is_negative { -number } else { number }))
}

fn check_radix(radix: i64) -> Result<u32, ConversionFailure> {
    match radix {
        2 => Ok(2),
        8 => Ok(8),
        10 => Ok(10),
        16 => Ok(16),
        _ => Err(illegal_radix(&Value::Integer(radix))),
    }
}

fn illegal_radix(radix: &Value) -> ConversionFailure {
    let radix = inspect::to_s(radix);
    ConversionFailure::Error(format!("Illegal radix: {radix}, expected 2, 8, 10, 16, or default"))
}

fn not_an_integer(value: &Value) -> ConversionFailure {
    refused(value, "new", "Integer")
}

fn refused(value: &Value, function: &str, kind: &str) -> ConversionFailure {
    let what = match value {
        Value::String(text) => format!("The string '{text}'"),
        other => value_of_type(other),
    };
    ConversionFailure::Error(format!("'{function}' {what} cannot be converted to {kind}"))
}

/// Whether `Integer.new` accepts the value at all.
fn is_integral(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let (_, digits) = sign_and_digits(text);
            is_all(digits, 10)
                || is_prefixed(digits, ['x', 'X'], 16)
                || is_prefixed(digits, ['b', 'B'], 2)
        }
        Value::Boolean(_) => true,
        _ => is_numeric(value),
    }
}

/// The sign, and what follows it and the spaces after it.
fn sign_and_digits(text: &str) -> (&str, &str) {
    let sign = if text.starts_with(['+', '-']) { &text[..1] } else { "" };
    // Ruby does not accept spaces after the sign. Puppet then tries again without them.
    let is_blank = |it: char| matches!(it, ' ' | '\t'..='\r');
    (sign, text[sign.len()..].trim_start_matches(is_blank))
}

fn is_all(digits: &str, radix: u32) -> bool {
    !digits.is_empty() && digits.chars().all(|it| it.is_digit(radix))
}

fn is_prefixed(digits: &str, letters: [char; 2], radix: u32) -> bool {
    digits
        .strip_prefix('0')
        .and_then(|it| it.strip_prefix(letters))
        .is_some_and(|it| is_all(it, radix))
}

/// Ruby's `Integer(text, radix)` for a text that [`is_integral`].
fn parse_integer(text: &str, radix: Option<u32>) -> Result<BigInt, ConversionFailure> {
    let (sign, digits) = sign_and_digits(text);
    let invalid = || {
        let text = inspect::quoted(text);
        ConversionFailure::Error(format!("invalid value for Integer(): {text}"))
    };
    let prefixed = |letters: [char; 2]| {
        digits.strip_prefix('0').and_then(|it| it.strip_prefix(letters)).filter(|it| !it.is_empty())
    };
    // Without a radix, the prefix decides, and a zero makes the number octal. With one, only the prefix of that radix is skipped.
    let (digits, radix) = match radix {
        None if prefixed(['x', 'X']).is_some() => (&digits[2..], 16),
        None if prefixed(['b', 'B']).is_some() => (&digits[2..], 2),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
        Some(16) => (prefixed(['x', 'X']).unwrap_or(digits), 16),
        Some(2) => (prefixed(['b', 'B']).unwrap_or(digits), 2),
        Some(other) => (digits, other),
    };
    if !is_all(digits, radix) {
        return Err(invalid());
    }
    let number = big(digits, radix)?;
    Ok(if sign == "-" { -number } else { number })
}

fn big(digits: &str, radix: u32) -> Result<BigInt, ConversionFailure> {
    BigInt::parse_bytes(digits.as_bytes(), radix)
        .ok_or_else(|| ConversionFailure::Unknown(format!("the number {digits} is not supported")))
}

fn integer_value(number: &BigInt) -> Value {
    i64::try_from(number)
        .map_or_else(|_| Value::BigInteger(number.to_string().into()), Value::Integer)
}

/// `Float.new(value, abs)` or `Float.new({from, abs})`.
pub(super) fn float(value: &Value, arguments: &[Located]) -> Number {
    let (value, is_absolute) = named_or_plain(value, arguments, &Type::float())?;
    let number = match value {
        Value::Float(it) if is_numeric(value) => *it,
        #[expect(clippy::cast_precision_loss, reason = "Ruby's Float() loses it as well")]
        Value::Integer(it) => *it as f64,
        Value::BigInteger(digits) => parse_decimal(digits)?,
        Value::Boolean(it) => f64::from(u8::from(*it)),
        Value::String(text) if is_numeric_text(text) => parse_float(text)?,
        other => return Err(refused(other, "new_float", "Float")),
    };
    Ok(Value::Float(if is_absolute { number.abs() } else { number }))
}

/// `Numeric.new(value, abs)` or `Numeric.new({from, abs})`.
pub(super) fn numeric(value: &Value, arguments: &[Located]) -> Number {
    let (value, is_absolute) = named_or_plain(value, arguments, &Type::Numeric)?;
    let number = match value {
        _ if is_numeric(value) => value.clone(),
        Value::Boolean(it) => Value::Integer((*it).into()),
        Value::String(text) if is_numeric_text(text) => parse_numeric(text)?,
        other => return Err(refused(other, "new_numeric", "Numeric")),
    };
    match (is_absolute, number) {
        (false, number) => Ok(number),
        (true, Value::Float(it)) => Ok(Value::Float(it.abs())),
        (true, number @ (Value::Integer(_) | Value::BigInteger(_))) => {
            let number = big(&inspect::inspect(&number), 10)?;
            let is_negative = number.sign() == num_bigint::Sign::Minus;
            Ok(integer_value(&if is_negative { -number } else { number }))
        }
        _ => Err(unknown_arguments(&Type::Numeric)),
    }
}

fn named_or_plain<'a>(
    value: &'a Value,
    arguments: &'a [Located],
    wanted: &Type,
) -> Result<(&'a Value, bool), ConversionFailure> {
    if let (Value::Hash(named), []) = (value, arguments)
        && let Some(from) = named.get("from").map(|it| &it.value.value)
        && is_convertible(from)
    {
        return match (named.get("abs").map(|it| &it.value.value), named.len()) {
            (None, 1) => Ok((from, false)),
            (Some(Value::Boolean(it)), 2) => Ok((from, *it)),
            // Puppet falls back to its handler of mismatches, whose message is about the whole hash.
            _ => Ok((value, false)),
        };
    }
    match arguments {
        [] => Ok((value, false)),
        [abs] => match abs.value {
            Value::Boolean(it) => Ok((value, it)),
            _ => Err(unknown_arguments(wanted)),
        },
        _ => Err(unknown_arguments(wanted)),
    }
}

fn is_convertible(value: &Value) -> bool {
    match value {
        Value::String(text) => is_numeric_text(text),
        Value::Boolean(_) => true,
        _ => is_numeric(value),
    }
}

/// The texts that `Float.new` and `Numeric.new` accept: decimal with fraction and exponent, hexadecimal, octal, binary.
fn is_numeric_text(text: &str) -> bool {
    let (_, digits) = sign_and_digits(text);
    is_prefixed(digits, ['x', 'X'], 16)
        || is_prefixed(digits, ['b', 'B'], 2)
        || digits.strip_prefix('0').is_some_and(|it| is_all(it, 8))
        || is_decimal(digits)
}

/// `(0|[1-9]\d*)(\.\d+)?([eE]-?\d+)?`
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) =
        text.split_once(['e', 'E']).map_or((text, None), |(a, b)| (a, Some(b)));
    let (whole, fraction) =
        mantissa.split_once('.').map_or((mantissa, None), |(a, b)| (a, Some(b)));
    let is_whole = is_all(whole, 10) && (whole == "0" || !whole.starts_with('0'));
    is_whole
        && fraction.is_none_or(|it| is_all(it, 10))
        && exponent.is_none_or(|it| is_all(it.strip_prefix('-').unwrap_or(it), 10))
}

/// Ruby's `Float(text)` as Puppet calls it, for a text that [`is_numeric_text`].
fn parse_float(text: &str) -> Result<f64, ConversionFailure> {
    // After a leading `0`, Puppet examines the second character even if there is none.
    if text == "0" {
        return Err(ConversionFailure::Error(
            "undefined method `casecmp' for nil:NilClass".to_owned(),
        ));
    }
    let (sign, digits) = sign_and_digits(text);
    let number = if is_prefixed(digits, ['x', 'X'], 16) {
        parse_decimal(&big(&digits[2..], 16)?.to_string())?
    } else if is_prefixed(digits, ['b', 'B'], 2) {
        // Puppet accepts the binary prefix only at the very start.
        if !text.starts_with('0') {
            let text = inspect::quoted(text);
            return Err(ConversionFailure::Error(format!("invalid value for Float(): {text}")));
        }
        parse_decimal(&big(&digits[2..], 2)?.to_string())?
    } else {
        parse_decimal(digits)?
    };
    Ok(if sign == "-" { -number } else { number })
}

fn parse_decimal(digits: &str) -> Result<f64, ConversionFailure> {
    digits
        .parse()
        .map_err(|_| ConversionFailure::Unknown(format!("the number {digits} is not supported")))
}

/// Puppet's own parser of numbers, which returns `undef` for a text that it cannot read.
fn parse_numeric(text: &str) -> Number {
    let (sign, digits) = sign_and_digits(text);
    let is_binary = is_prefixed(digits, ['b', 'B'], 2);
    if is_binary && !text.starts_with('0') {
        return Ok(Value::Undef);
    }
    if !is_binary && !is_prefixed(digits, ['x', 'X'], 16) && digits.contains(['.', 'e', 'E']) {
        let number = parse_decimal(digits)?;
        if number.is_infinite() {
            return Ok(Value::Undef);
        }
        return Ok(Value::Float(if sign == "-" { -number } else { number }));
    }
    parse_integer(text, None).map(|it| integer_value(&it))
}
