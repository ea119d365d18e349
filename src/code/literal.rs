//! Converts constants in code to values of data.

use crate::data::{Hash, Value};
use crate::syntax::puppet::Constant;

/// The value of `constant`; `None` if it is an invalid number.
pub fn value_of(constant: &Constant) -> Option<Value> {
    Some(match constant {
        Constant::Undef => Value::Undef,
        Constant::Default => Value::Default,
        Constant::Boolean(value) => Value::Boolean(*value),
        Constant::Text(text) => Value::string(text.as_str()),
        Constant::Regex(source) => Value::object("Regexp", source.as_str()),
        Constant::Number(number) => number_of(number)?,
        Constant::List(items) => {
            let items = items.iter().map(|it| value_of(it).map(Into::into));
            Value::array(items.collect::<Option<_>>()?)
        }
        Constant::Hash(pairs) => {
            let mut hash = Hash::with_capacity(pairs.len());
            for (key, value) in pairs {
                hash.insert(value_of(key)?, None, value_of(value)?.into());
            }
            Value::hash(hash)
        }
    })
}

/// `0x1F` and `0755` are hexadecimal and octal; a point or an exponent makes a float.
fn number_of(number: &str) -> Option<Value> {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    let prefixed = |digits: &str| format!("{sign}{digits}");
    if let Some(digits) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        return i64::from_str_radix(&prefixed(digits), 16).ok().map(Value::Integer);
    }
    if digits.contains(['.', 'e', 'E']) {
        return number.parse().ok().map(Value::Float);
    }
    if digits.len() > 1 && digits.starts_with('0') {
        return i64::from_str_radix(&prefixed(digits), 8).ok().map(Value::Integer);
    }
    let integer = number.parse().ok().map(Value::Integer);
    integer.or_else(|| Some(Value::BigInteger(number.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_base_that_they_are_written_in() {
        for (text, expected) in [("0x1F", 31), ("-0x1F", -31), ("0755", 493), ("0", 0), ("-7", -7)]
        {
            assert_eq!(number_of(text), Some(Value::Integer(expected)), "{text}");
        }
        assert_eq!(number_of("1.5e-3"), Some(Value::Float(0.0015)));
    }
}
