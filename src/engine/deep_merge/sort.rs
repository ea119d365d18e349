//! Ruby's `Array#sort!`, with its error for items that cannot be compared.

use std::cmp::Ordering;

use crate::data::inspect;
use crate::data::value::{Located, Value};
use crate::engine::failure::Failure;

/// The sorted items.
///
/// # Errors
/// `comparison of String with 1 failed`, for the first pair that Ruby would fail to compare.
pub(super) fn sorted(mut items: Vec<Located>) -> Result<Vec<Located>, Failure> {
    if items.len() < 2 {
        return Ok(items);
    }
    // The C library uses merge sort, which determines the order in which pairs are compared.
    let right = sorted_halves(&mut items)?;
    merged(items, right)
}

fn sorted_halves(items: &mut Vec<Located>) -> Result<Vec<Located>, Failure> {
    let right = items.split_off(items.len() / 2);
    *items = sorted(std::mem::take(items))?;
    sorted(right)
}

fn merged(left: Vec<Located>, right: Vec<Located>) -> Result<Vec<Located>, Failure> {
    let mut all = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let is_left = compare(&a.value, &b.value).ok_or_else(|| failed(&a.value, &b.value))?;
        all.extend(if is_left.is_le() { left.next() } else { right.next() });
    }
    all.extend(left);
    all.extend(right);
    Ok(all)
}

/// Ruby's `<=>`.
fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::String(a), Value::String(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
        (Value::Integer(a), Value::Integer(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Integer(a), Value::Float(b)) => compare_with_float(*a, *b),
        (Value::Float(a), Value::Integer(b)) => compare_with_float(*b, *a).map(Ordering::reverse),
        (Value::BigInteger(a), Value::BigInteger(b)) => Some(compare_digits(a, b)),
        (Value::BigInteger(a), Value::Integer(_)) => Some(sign(a)),
        (Value::Integer(_), Value::BigInteger(b)) => Some(sign(b).reverse()),
        (Value::BigInteger(a), Value::Float(b)) => a.parse::<f64>().ok()?.partial_cmp(b),
        (Value::Float(a), Value::BigInteger(b)) => a.partial_cmp(&b.parse::<f64>().ok()?),
        (Value::Symbol(a), Value::Symbol(b)) => Some(a.cmp(b)),
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                match compare(&a.value, &b.value)? {
                    Ordering::Equal => {}
                    other => return Some(other),
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        // Ruby's `Object#<=>` returns 0 for equal objects, so a list of equal hashes can be sorted.
        _ => (a == b).then_some(Ordering::Equal),
    }
}

#[expect(clippy::cast_precision_loss, reason = "only where the distance is far larger")]
fn compare_with_float(integer: i64, float: f64) -> Option<Ordering> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if float.abs() < EXACT || float.is_nan() {
        // Beyond 2^53, rounding the integer cannot move it past such a float.
        return (integer as f64).partial_cmp(&float);
    }
    // All these floats are beyond the range of i64, so their sign decides. The cast to i128 below is exact for the others.
    if float.abs() >= 9.3e18 {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    Some(i128::from(integer).cmp(&(float as i128)))
}

fn sign(digits: &str) -> Ordering {
    if digits.starts_with('-') { Ordering::Less } else { Ordering::Greater }
}

fn compare_digits(a: &str, b: &str) -> Ordering {
    let by_size = |a: &str, b: &str| a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    match (a.strip_prefix('-'), b.strip_prefix('-')) {
        (None, None) => by_size(a, b),
        (Some(a), Some(b)) => by_size(b, a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
    }
}

fn failed(a: &Value, b: &Value) -> Failure {
    // Ruby shows the second value if it is a float or is not allocated on the heap, and otherwise its class.
    let with = match b {
        Value::Undef
        | Value::Boolean(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Symbol(_)
        | Value::Default => inspect::inspect(b),
        other => inspect::ruby_class(other).to_owned(),
    };
    Failure::ruby(
        "ArgumentError",
        format!("comparison of {} with {with} failed", inspect::ruby_class(a)),
    )
}
