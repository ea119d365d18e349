//! The text that Ruby produces for a value: `to_s`, which interpolation inserts, and `inspect`, which shows the members of
//! lists and hashes.
//!
//! The format is that of Ruby up to 3.3 (`{"k"=>"v"}`), which Puppet 7 and 8 use.

use std::fmt::Write as _;
use std::sync::LazyLock;

use base64::Engine as _;
use regex::Regex;

use super::value::{Hash, Located, Value};

/// Shown instead of the content of a `Sensitive`.
pub const REDACTED: &str = "Sensitive [value redacted]";

/// Ruby's `to_s`: the text that `%{…}` inserts.
pub fn to_s(value: &Value) -> String {
    match value {
        Value::Undef => String::new(),
        Value::Default => "default".to_owned(),
        Value::String(text) | Value::Symbol(text) => text.to_string(),
        Value::Object(object) => object.text.to_string(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Sensitive(_) => REDACTED.to_owned(),
        Value::Binary(bytes) => base64::prelude::BASE64_STANDARD.encode(bytes),
        other => inspect(other),
    }
}

/// Ruby's `inspect`: strings are quoted, `undef` is `nil`.
pub fn inspect(value: &Value) -> String {
    let mut out = String::new();
    write_inspected(value, &mut out);
    out
}

/// `Float#to_s`: the shortest digits that give the same float, with an exponent below 1e-4 and from 1e15 on.
pub fn float_to_s(float: f64) -> String {
    if float.is_nan() {
        return "NaN".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("{:e} writes an exponent");
    let exponent: i32 = exponent.parse().expect("{:e} writes a decimal exponent");
    if (-4..15).contains(&exponent) {
        let plain = format!("{float}");
        if plain.contains('.') { plain } else { plain + ".0" }
    } else {
        let point = if mantissa.contains('.') { "" } else { ".0" };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{mantissa}{point}e{sign}{:02}", exponent.abs())
    }
}

/// `String#inspect`.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_quoted(text, &mut out);
    out
}

/// Whether `String#inspect` shows the character as it is.
pub fn is_printable(character: char) -> bool {
    static PRINTABLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^[^\p{Cc}\p{Cn}\p{Zl}\p{Zp}]$").expect("a correct regexp"));
    match character {
        // Here Ruby prints NEL as it is, although its regular expressions do not count it as printable.
        ' '..='~' | '\u{85}' => true,
        '\0'..='\u{9f}' => false,
        _ if character.is_alphanumeric() => true,
        _ => PRINTABLE.is_match(character.encode_utf8(&mut [0; 4])),
    }
}

fn write_inspected(value: &Value, out: &mut String) {
    match value {
        Value::Undef => out.push_str("nil"),
        Value::Default => out.push_str(":default"),
        Value::Boolean(it) => out.push_str(if *it { "true" } else { "false" }),
        Value::Integer(it) => {
            let _ = write!(out, "{it}");
        }
        Value::BigInteger(digits) => out.push_str(digits),
        Value::Float(it) => out.push_str(&float_to_s(*it)),
        Value::String(text) => write_quoted(text, out),
        Value::Bytes(bytes) => write_quoted_bytes(bytes, out),
        Value::Symbol(name) => write_symbol(name, out),
        Value::Array(items) => write_array(items, out),
        Value::Hash(hash) => write_hash(hash, out),
        Value::Sensitive(_) => {
            let _ = write!(out, "#<{REDACTED}>");
        }
        Value::Binary(bytes) => {
            out.push_str("#<Puppet::Pops::Types::PBinaryType::Binary @binary_buffer=");
            write_quoted_bytes(bytes, out);
            out.push('>');
        }
        Value::Object(object) => out.push_str(&object.text),
    }
}

fn write_array(items: &[Located], out: &mut String) {
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_inspected(&item.value, out);
    }
    out.push(']');
}

fn write_hash(hash: &Hash, out: &mut String) {
    out.push('{');
    for (index, (key, member)) in hash.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_inspected(key, out);
        out.push_str("=>");
        write_inspected(&member.value.value, out);
    }
    out.push('}');
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            // Only before these characters does `#` start an interpolation in Ruby, so only there it is escaped.
            '#' if matches!(characters.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            _ if is_printable(character) => out.push(character),
            _ => match short_escape(character) {
                Some(letter) => {
                    out.push('\\');
                    out.push(letter);
                }
                None => write_code_point(character, out),
            },
        }
    }
    out.push('"');
}

fn write_code_point(character: char, out: &mut String) {
    let code = u32::from(character);
    let _ = match code {
        0..0x1_0000 => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\u{{{code:X}}}"),
    };
}

/// A Ruby string in ASCII-8BIT, as from `!!binary`: every byte outside ASCII is escaped.
fn write_quoted_bytes(bytes: &[u8], out: &mut String) {
    out.push('"');
    for (index, &byte) in bytes.iter().enumerate() {
        let character = char::from(byte);
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'#' if matches!(bytes.get(index + 1), Some(b'{' | b'$' | b'@')) => {
                out.push_str("\\#");
            }
            b' '..=b'~' => out.push(character),
            _ => match short_escape(character) {
                Some(letter) => {
                    out.push('\\');
                    out.push(letter);
                }
                None => {
                    let _ = write!(out, "\\x{byte:02X}");
                }
            },
        }
    }
    out.push('"');
}

fn short_escape(character: char) -> Option<char> {
    Some(match character {
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        '\u{c}' => 'f',
        '\u{b}' => 'v',
        '\u{8}' => 'b',
        '\u{7}' => 'a',
        '\u{1b}' => 'e',
        _ => return None,
    })
}

fn write_symbol(name: &str, out: &mut String) {
    static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:(?:\$|@@?)?[A-Za-z_\x{80}-\x{10ffff}][A-Za-z0-9_\x{80}-\x{10ffff}]*",
            r"|[A-Za-z_\x{80}-\x{10ffff}][A-Za-z0-9_\x{80}-\x{10ffff}]*[?!=]",
            r"|\[\]=?|\*\*?|<=>|===?|=~|![=~]?|<<|>>|<=?|>=?|\+@?|-@?|[/%&|^~`])$"
        ))
        .expect("a correct regexp")
    });
    out.push(':');
    if PLAIN.is_match(name) && name.chars().all(is_printable) {
        out.push_str(name);
    } else {
        write_quoted(name, out);
    }
}

/// The name of a value's Ruby class, as messages of exceptions show it.
pub fn ruby_class(value: &Value) -> &'static str {
    match value {
        Value::Undef => "NilClass",
        Value::Default | Value::Symbol(_) => "Symbol",
        Value::Boolean(true) => "TrueClass",
        Value::Boolean(false) => "FalseClass",
        Value::Integer(_) | Value::BigInteger(_) => "Integer",
        Value::Float(_) => "Float",
        Value::String(_) | Value::Bytes(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Sensitive(_) => "Puppet::Pops::Types::PSensitiveType::Sensitive",
        Value::Binary(_) => "Puppet::Pops::Types::PBinaryType::Binary",
        Value::Object(object) => match &*object.class {
            "Timestamp" => "Puppet::Pops::Time::Timestamp",
            "Timespan" => "Puppet::Pops::Time::Timespan",
            "SemVer" => "SemanticPuppet::Version",
            "SemVerRange" => "SemanticPuppet::VersionRange",
            _ => "Object",
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &Value, to_s_text: &str, inspect_text: &str) {
        assert_eq!(to_s(value), to_s_text);
        assert_eq!(inspect(value), inspect_text);
    }

    fn check_text(text: &str, inspect_text: &str) {
        check(&Value::string(text), text, inspect_text);
    }

    fn check_float(float: f64, text: &str) {
        check(&Value::Float(float), text, text);
    }

    #[test]
    fn floats() {
        check_float(1.0, "1.0");
        check_float(-0.0, "-0.0");
        check_float(2.5, "2.5");
        check_float(1_234_567.0, "1234567.0");
        check_float(1e20, "1.0e+20");
        check_float(1e16, "1.0e+16");
        check_float(1e15, "1.0e+15");
        check_float(123_456_789_012_345.0, "123456789012345.0");
        check_float(1_234_567_890_123_456.0, "1.234567890123456e+15");
        check_float(0.0001, "0.0001");
        check_float(1e-5, "1.0e-05");
        check_float(5e-324, "5.0e-324");
        check_float(1.5e300, "1.5e+300");
        check_float(f64::NAN, "NaN");
        check_float(f64::NEG_INFINITY, "-Infinity");
    }

    #[test]
    fn strings() {
        check_text("q'\"", r#""q'\"""#);
        check_text("a\\b\n\t\u{1b}", r#""a\\b\n\t\e""#);
        check_text("#{a} #$a #@a # b", r#""\#{a} \#$a \#@a # b""#);
        check_text("é\u{85}\u{200b}😀", "\"é\u{85}\u{200b}😀\"");
        check_text("\0\u{7f}\u{80}\u{2028}\u{10ffff}", r#""\u0000\u007F\u0080\u2028\u{10FFFF}""#);
    }

    #[test]
    fn others() {
        check(&Value::Undef, "", "nil");
        check(&Value::Default, "default", ":default");
        check(&Value::Symbol("a b".into()), "a b", ":\"a b\"");
        check(&Value::Symbol("a?".into()), "a?", ":a?");
        check(
            &Value::Sensitive(Value::Integer(1).unplaced().into()),
            "Sensitive [value redacted]",
            "#<Sensitive [value redacted]>",
        );
        assert_eq!(inspect(&Value::Bytes(b"\xc3\xa9a\n".as_slice().into())), r#""\xC3\xA9a\n""#);
    }

    #[test]
    fn collections_show_what_is_inside() {
        let list = Value::array(vec![Value::string("a").into(), Value::Undef.into()]);
        let mut hash = Hash::new();
        hash.insert(Value::string("k"), None, list.into());
        hash.insert(Value::Integer(1), None, Value::hash(Hash::new()).into());
        let text = r#"{"k"=>["a", nil], 1=>{}}"#;
        check(&Value::hash(hash), text, text);
    }
}
