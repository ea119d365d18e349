//! `String.new(value, format)`: Puppet's string converter.

use super::format::Format;
use super::{ConversionFailure, unknown_arguments};
use crate::data::inspect::{self, float_to_s};
use crate::data::puppet_type::{Type, puppet_double_quoted, puppet_quoted};
use crate::data::value::{Hash, Located, Value};

type Text = Result<String, ConversionFailure>;

/// `String.new(value)` and `String.new(value, '%x')`.
pub(super) fn string(value: &Value, arguments: &[Located]) -> Result<Value, ConversionFailure> {
    let text = match arguments {
        [] => default_text(value)?,
        [format] => match &format.value {
            Value::Default => default_text(value)?,
            Value::String(text) if !text.is_empty() => {
                let format = Format::parse(text).map_err(ConversionFailure::Error)?;
                formatted(value, &format)?
            }
            _ => return Err(unknown_arguments(&Type::string())),
        },
        _ => return Err(unknown_arguments(&Type::string())),
    };
    Ok(Value::string(text))
}

/// How a value is shown inside a list or a hash, as with `%p`.
pub(super) fn inside(value: &Value) -> String {
    match value {
        Value::Undef => "undef".to_owned(),
        Value::Default => "default".to_owned(),
        Value::String(text) => puppet_quoted(text),
        Value::Array(items) => array_text(items, ["[", "]"]),
        Value::Hash(hash) => hash_text(hash, ["{", "}"]),
        Value::Binary(_) => format!("Binary(\"{}\")", inspect::to_s(value)),
        Value::Object(object) => object.text.to_string(),
        other => inspect::inspect(other),
    }
}

fn array_text(items: &[Located], [open, close]: [&str; 2]) -> String {
    let items: Vec<String> = items.iter().map(|it| inside(&it.value)).collect();
    format!("{open}{}{close}", items.join(", "))
}

fn hash_text(hash: &Hash, [open, close]: [&str; 2]) -> String {
    let members: Vec<String> = hash
        .iter()
        .map(|(key, member)| format!("{} => {}", inside(key), inside(&member.value.value)))
        .collect();
    format!("{open}{}{close}", members.join(", "))
}

fn default_text(value: &Value) -> Text {
    Ok(match value {
        Value::Array(_) | Value::Hash(_) => inside(value),
        // The default format of a float is `%f`, but inside a list or a hash it is `%p`: 1.5 gives `1.500000`, and [1.5] gives `[1.5]`.
        Value::Float(it) => Format::parse("%f").map_err(ConversionFailure::Error)?.float(*it)?,
        other => inspect::to_s(other),
    })
}

fn formatted(value: &Value, format: &Format) -> Text {
    match value {
        Value::String(text) => string_text(text, format),
        Value::Integer(_) | Value::BigInteger(_) => integer_text(value, format),
        // Puppet applies a format to the values of a type, and NaN is of no type, not even its own.
        Value::Float(it) if it.is_nan() => Ok(float_to_s(*it)),
        Value::Float(it) => float_text(*it, format),
        Value::Boolean(it) => boolean_text(*it, format),
        Value::Undef => undef_text(format),
        Value::Default => default_value_text(format),
        Value::Array(items) => match format.letter {
            'a' | 's' | 'p' => {
                nested(items.iter().map(|it| &it.value), format, || array_text_with(items, format))
            }
            _ => Err(illegal(format, "Array", "asp")),
        },
        Value::Hash(hash) => hash_value_text(hash, format),
        Value::Sensitive(_) if format.is_plain() && format.letter == 's' => {
            Ok(inspect::to_s(value))
        }
        Value::Sensitive(_) if format.is_plain() && format.letter == 'p' => {
            Ok(inspect::inspect(value))
        }
        _ => Err(unknown_arguments(&Type::string())),
    }
}

fn illegal(format: &Format, kind: &str, letters: &str) -> ConversionFailure {
    let letter = format.letter;
    ConversionFailure::Error(format!(
        "Illegal format '{letter}' specified for value of {kind} type - expected one of the characters '{letters}'"
    ))
}

/// Pretty printing has its own rules for line breaks.
fn nested<'a>(
    mut items: impl Iterator<Item = &'a Value>,
    format: &Format,
    text: impl FnOnce() -> String,
) -> Text {
    let has_inner = format.has_delimiters() && items.any(contains_hash);
    if format.is_alternative || has_inner {
        return Err(unknown_arguments(&Type::string()));
    }
    Ok(text())
}

fn contains_hash(value: &Value) -> bool {
    match value {
        Value::Hash(_) => true,
        Value::Array(items) => items.iter().any(|it| contains_hash(&it.value)),
        _ => false,
    }
}

/// Lists inside the list are written in the same format, other items as usual.
fn array_text_with(items: &[Located], format: &Format) -> String {
    let [open, close] = format.delimiters(["[", "]"]);
    let item = |it: &Located| match &it.value {
        Value::Array(inner) => array_text_with(inner, format),
        other => inside(other),
    };
    format!("{open}{}{close}", items.iter().map(item).collect::<Vec<_>>().join(", "))
}

fn hash_value_text(hash: &Hash, format: &Format) -> Text {
    let values = || hash.iter().flat_map(|(key, member)| [key, &member.value.value]);
    let is_special =
        format.is_alternative || format.has_delimiters() && values().any(contains_hash);
    match format.letter {
        'h' | 's' | 'p' | 'a' if is_special => Err(unknown_arguments(&Type::string())),
        'h' | 's' | 'p' => Ok(hash_text(hash, format.delimiters(["{", "}"]))),
        'a' => {
            // Hashes inside become lists as well.
            if values().any(contains_hash) {
                return Err(unknown_arguments(&Type::string()));
            }
            let pair = |key: &Value, value: &Value| format!("[{}, {}]", inside(key), inside(value));
            let pairs: Vec<String> =
                hash.iter().map(|(key, member)| pair(key, &member.value.value)).collect();
            Ok(format!("[{}]", pairs.join(", ")))
        }
        _ => Err(illegal(format, "Hash", "hasp")),
    }
}

fn string_text(text: &str, format: &Format) -> Text {
    let changed = match format.letter {
        's' => return format.ruby_text(text),
        'p' => {
            let quoted = if format.is_alternative {
                puppet_double_quoted(text)
            } else {
                puppet_quoted(text)
            };
            return Ok(format.text(&quoted));
        }
        'c' => capitalized(text),
        'C' => text.split("::").map(capitalized).collect::<Vec<_>>().join("::"),
        'u' => text.to_uppercase(),
        'd' => text.to_lowercase(),
        't' => text.trim_matches(|it: char| matches!(it, '\0' | '\t'..='\r' | ' ')).to_owned(),
        _ => return Err(illegal(format, "String", "cCudspt")),
    };
    if format.is_alternative {
        Ok(format.text(&puppet_quoted(&changed)))
    } else {
        format.ruby_text(&changed)
    }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters.as_str().to_lowercase().chars()).collect()
    })
}

fn integer_text(value: &Value, format: &Format) -> Text {
    let digits = inspect::inspect(value);
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => format.integer(&digits),
        'e' | 'E' | 'f' | 'g' | 'G' => match digits.parse() {
            Ok(it) => format.float(it),
            Err(_) => Err(unknown_arguments(&Type::string())),
        },
        's' if format.is_alternative => format.ruby_text(&inspect::quoted(&digits)),
        's' | 'p' => format.ruby_text(&digits),
        'a' | 'A' | 'c' => Err(unknown_arguments(&Type::string())),
        _ => Err(illegal(format, "Integer", "dxXobBeEfgGaAspc")),
    }
}

fn float_text(float: f64, format: &Format) -> Text {
    match format.letter {
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' if float.is_finite() => {
            let digits = format!("{:.0}", float.trunc());
            // Integers have no negative zero: `-0.5` becomes `0`.
            format.integer(if digits == "-0" { "0" } else { &digits })
        }
        'e' | 'E' | 'f' | 'g' | 'G' => format.float(float),
        's' if format.is_alternative => format.ruby_text(&format!("\"{}\"", float_to_s(float))),
        's' | 'p' => format.ruby_text(&float_to_s(float)),
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'a' | 'A' => Err(unknown_arguments(&Type::string())),
        _ => Err(illegal(format, "Float", "dxXobBeEfgGaAsp")),
    }
}

fn boolean_text(boolean: bool, format: &Format) -> Text {
    let words = match format.letter {
        't' => ["false", "true"],
        'T' => ["False", "True"],
        'y' => ["no", "yes"],
        'Y' => ["No", "Yes"],
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' => {
            return format.integer(if boolean { "1" } else { "0" });
        }
        'e' | 'E' | 'f' | 'g' | 'G' => return format.float(f64::from(u8::from(boolean))),
        'a' | 'A' => return Err(unknown_arguments(&Type::string())),
        's' | 'p' => return Ok(format.text(&boolean.to_string())),
        _ => return Err(illegal(format, "Boolean", "tTyYdxXobBeEfgGaAsp")),
    };
    let word = words[usize::from(boolean)];
    Ok(format.text(if format.is_alternative { &word[..1] } else { word }))
}

fn undef_text(format: &Format) -> Text {
    let [plain, alternative] = match format.letter {
        'n' => ["nil", "null"],
        'u' => ["undef", "undefined"],
        'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => {
            ["NaN", "NaN"]
        }
        'v' => ["n/a", "n/a"],
        'V' => ["N/A", "N/A"],
        's' => ["", "\"\""],
        'p' => ["undef", "\"undef\""],
        _ => return Err(illegal(format, "Undef", "nudxXobBeEfgGaAvVsp")),
    };
    Ok(format.text(if format.is_alternative { alternative } else { plain }))
}

fn default_value_text(format: &Format) -> Text {
    let [plain, alternative] = match format.letter {
        'd' | 's' | 'p' => ["default", "\"default\""],
        'D' => ["Default", "\"Default\""],
        _ => return Err(illegal(format, "Default", "dDsp")),
    };
    Ok(format.text(if format.is_alternative { alternative } else { plain }))
}
