//! `Array.new`, `Hash.new`, `Binary.new`.

use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;

use super::{ConversionFailure, Converted, unknown_arguments, value_of_type};
use crate::data::puppet_type::Type;
use crate::data::value::{Hash, Located, Value};

/// Larger numbers are not iterated over.
const MAX_COUNT: i64 = 100_000;

/// `Array.new(value, wrap)`
pub(super) fn array(value: Located, arguments: &[Located]) -> Converted {
    let is_wrapped = match arguments {
        [] => false,
        [wrap] => match wrap.value {
            Value::Boolean(it) => it,
            _ => return Err(unknown_arguments(&Type::array())),
        },
        _ => return Err(unknown_arguments(&Type::array())),
    };
    let place = value.place;
    if matches!(value.value, Value::Array(_)) {
        return Ok(value);
    }
    if is_wrapped {
        return Ok(Located::new(Value::array(vec![value]), place));
    }
    let items = match &value.value {
        Value::Hash(hash) => hash
            .iter()
            .map(|(key, member)| {
                let key = Located::new(key.clone(), member.key_place);
                Value::array(vec![key, member.value.clone()]).unplaced()
            })
            .collect(),
        Value::Binary(bytes) => {
            bytes.iter().map(|it| Value::Integer((*it).into()).unplaced()).collect()
        }
        other => items_of(other)?.ok_or_else(|| {
            let what = value_of_type(other);
            ConversionFailure::Error(format!("'new_array' {what} cannot be converted to Array"))
        })?,
    };
    Ok(Located::new(Value::array(items), place))
}

/// The items that Puppet iterates over: the characters of a string, the numbers below a number.
fn items_of(value: &Value) -> Result<Option<Vec<Located>>, ConversionFailure> {
    match value {
        Value::String(text) => {
            let character = |it: char| Value::string(it.to_string()).unplaced();
            Ok(Some(text.chars().map(character).collect()))
        }
        Value::Integer(count @ 0..=MAX_COUNT) => {
            Ok(Some((0..*count).map(|it| Value::Integer(it).unplaced()).collect()))
        }
        Value::Integer(it) if *it > MAX_COUNT => {
            Err(ConversionFailure::Unknown(format!("counting up to {it} is not supported")))
        }
        Value::BigInteger(it) if !it.starts_with('-') => {
            Err(ConversionFailure::Unknown(format!("counting up to {it} is not supported")))
        }
        _ => Ok(None),
    }
}

/// `Hash.new(value, option)`
pub(super) fn hash(value: Located, arguments: &[Located]) -> Converted {
    if !arguments.is_empty() {
        let tree = tree(&value.value, arguments).ok_or_else(|| unknown_arguments(&Type::hash()))?;
        return Ok(Located::new(tree, value.place));
    }
    let hash = match &value.value {
        Value::Hash(_) => return Ok(value),
        Value::Array(items) => match pairs_of(items) {
            // Pairs come first: a list whose items are all lists of two is never read as key, value, key, value.
            Some(hash) => hash,
            None => alternating(items)?,
        },
        other => {
            let items = items_of(other)?.ok_or_else(|| {
                let what = value_of_type(other);
                ConversionFailure::Error(format!("{what} cannot be converted to Hash"))
            })?;
            alternating(&items)?
        }
    };
    Ok(Located::new(Value::hash(hash), value.place))
}

/// The hash of `[[key, value], …]`.
fn pairs_of(items: &[Located]) -> Option<Hash> {
    if items.is_empty() {
        return None;
    }
    let mut hash = Hash::with_capacity(items.len());
    for item in items {
        let [key, value] = item.value.as_array()? else { return None };
        hash.insert(key.value.clone(), key.place, value.clone());
    }
    Some(hash)
}

/// The hash of `[key, value, key, value, …]`.
fn alternating(items: &[Located]) -> Result<Hash, ConversionFailure> {
    if !items.len().is_multiple_of(2) {
        return Err(ConversionFailure::Error("odd number of arguments for Hash".to_owned()));
    }
    let mut hash = Hash::with_capacity(items.len() / 2);
    for pair in items.chunks_exact(2) {
        hash.insert(pair[0].value.clone(), pair[0].place, pair[1].clone());
    }
    Ok(hash)
}

/// The hash of `[[path, value], …]` with the option `tree`, or `hash_tree`, which also turns lists into hashes. `None` if Puppet
/// fails.
fn tree(value: &Value, arguments: &[Located]) -> Option<Value> {
    let [option] = arguments else { return None };
    let has_only_hashes = match option.value.as_str()? {
        "tree" => false,
        "hash_tree" => true,
        _ => return None,
    };
    let items = value.as_array().filter(|it| !it.is_empty())?;
    let mut root = Value::hash(Hash::new());
    for item in items {
        let [path, value] = item.value.as_array()? else { return None };
        match path.value.as_array()?.split_last() {
            Some((last, above)) => {
                let value = if has_only_hashes { hash_of_lists(value) } else { value.clone() };
                set_member(container(&mut root, above)?, last, value)?;
            }
            None => add_to_root(&mut root, &value.value)?,
        }
    }
    Some(root)
}

/// The value that a path leads to. Hashes that do not exist are created.
fn container<'v>(root: &'v mut Value, path: &[Located]) -> Option<&'v mut Value> {
    path.iter().try_fold(root, |at, step| match at {
        Value::Hash(hash) => {
            let hash = Arc::make_mut(hash);
            if hash.get_value(&step.value).is_none() {
                let empty = Value::hash(Hash::new()).unplaced();
                hash.insert(step.value.clone(), step.place, empty);
            }
            Some(&mut hash.get_value_mut(&step.value)?.value.value)
        }
        Value::Array(items) => {
            let index = index_of(&step.value)?;
            Some(&mut Arc::make_mut(items).get_mut(index)?.value)
        }
        _ => None,
    })
}

fn set_member(at: &mut Value, key: &Located, value: Located) -> Option<()> {
    match at {
        Value::Hash(hash) => Arc::make_mut(hash).insert(key.value.clone(), key.place, value),
        Value::Array(items) => {
            *Arc::make_mut(items).get_mut(index_of(&key.value)?)? = value;
        }
        _ => return None,
    }
    Some(())
}

/// Puppet adds the value of an empty path to the root, and the items of a list by their numbers.
fn add_to_root(root: &mut Value, value: &Value) -> Option<()> {
    let value = match value {
        Value::Hash(hash) => hash.clone(),
        Value::Array(items) => Arc::new(numbered(items)),
        _ => return None,
    };
    for (key, member) in value.iter() {
        let key = Located::new(key.clone(), member.key_place);
        set_member(root, &key, member.value.clone())?;
    }
    Some(())
}

/// The value with hashes in place of lists. Like Puppet, it does not look into hashes.
fn hash_of_lists(value: &Located) -> Located {
    let Some(items) = value.value.as_array() else { return value.clone() };
    let items: Vec<Located> = items.iter().map(hash_of_lists).collect();
    Located::new(Value::hash(numbered(&items)), value.place)
}

fn numbered(items: &[Located]) -> Hash {
    let mut hash = Hash::with_capacity(items.len());
    for (number, item) in (0..).zip(items) {
        hash.insert(Value::Integer(number), None, item.clone());
    }
    hash
}

fn index_of(value: &Value) -> Option<usize> {
    match value {
        Value::Integer(index) => usize::try_from(*index).ok(),
        _ => None,
    }
}

/// `Binary.new(text, format)`, `Binary.new([bytes])`, `Binary.new({value, format})`.
pub(super) fn binary(value: &Value, arguments: &[Located]) -> Result<Value, ConversionFailure> {
    let format = |it: &Value| match it {
        Value::String(text) => Ok(text.to_string()),
        _ => Err(unknown_arguments(&Type::Binary)),
    };
    match (value, arguments) {
        (Value::String(text), []) => binary_of_text(text, "%B"),
        (Value::String(text), [it]) => binary_of_text(text, &format(&it.value)?),
        (Value::Array(items), []) => binary_of_items(items),
        (Value::Hash(named), []) => {
            let member = |name: &str| named.get(name).map(|it| &it.value.value);
            match (member("value"), member("format"), named.len()) {
                (Some(Value::Array(items)), None, 1) => binary_of_items(items),
                (Some(Value::String(text)), None, 1) => binary_of_text(text, "%B"),
                (Some(Value::String(text)), Some(it), 2) => binary_of_text(text, &format(it)?),
                _ => Err(unknown_arguments(&Type::Binary)),
            }
        }
        _ => Err(unknown_arguments(&Type::Binary)),
    }
}

fn binary_of_text(text: &str, format: &str) -> Result<Value, ConversionFailure> {
    let strict = |text: &str| {
        let invalid = |_| ConversionFailure::Error("invalid base64".to_owned());
        BASE64_STANDARD.decode(text).map_err(invalid)
    };
    let bytes = match format {
        "%B" => strict(text)?,
        "%u" => strict(&standard_of_url_safe(text))?,
        "%b" => lenient_base64(text),
        "%s" | "%r" => text.as_bytes().to_vec(),
        _ => return Err(unknown_arguments(&Type::Binary)),
    };
    Ok(Value::Binary(bytes.into()))
}

/// The standard form of base64 in the form for URLs, as `Base64.urlsafe_decode64` makes it: with `=` at the end if it has none.
fn standard_of_url_safe(text: &str) -> String {
    let mut standard = text.replace('-', "+").replace('_', "/");
    if !text.ends_with('=') {
        let missing = text.chars().count().wrapping_neg() % 4;
        standard.extend(std::iter::repeat_n('=', missing));
    }
    standard
}

/// Base64 as `String#unpack("m")` reads it. It skips what is no digit, ends at a `=` after the second digit of a group, and
/// drops bits that are no whole byte.
fn lenient_base64(text: &str) -> Vec<u8> {
    const WITHOUT_PADDING: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::RequireNone)
            .with_decode_allow_trailing_bits(true),
    );
    let mut digits = Vec::new();
    for byte in text.bytes() {
        if byte == b'=' && digits.len() % 4 >= 2 {
            break;
        }
        if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/') {
            digits.push(byte);
        }
    }
    // A single digit is less than a byte.
    if digits.len() % 4 == 1 {
        digits.pop();
    }
    WITHOUT_PADDING.decode(digits).unwrap_or_default()
}

fn binary_of_items(items: &[Located]) -> Result<Value, ConversionFailure> {
    let bytes: Option<Vec<u8>> = items
        .iter()
        .map(|it| match it.value {
            Value::Integer(byte) => u8::try_from(byte).ok(),
            _ => None,
        })
        .collect();
    bytes.map(|it| Value::Binary(it.into())).ok_or_else(|| unknown_arguments(&Type::Binary))
}
