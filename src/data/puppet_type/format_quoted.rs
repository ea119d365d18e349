//! Strings as literals of Puppet code.

use std::fmt::Write as _;

/// A string literal, in single quotes if possible.
pub fn puppet_quoted(text: &str) -> String {
    if text.chars().any(|it| it < ' ') {
        return puppet_double_quoted(text);
    }
    let mut out = String::from("'");
    let mut is_escaped = false;
    for character in text.chars() {
        if is_escaped {
            out.push('\\');
            out.push(character);
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else {
            if character == '\'' {
                out.push('\\');
            }
            out.push(character);
        }
    }
    // A backslash at the end would escape the quote.
    if is_escaped {
        out.push('\\');
    }
    out.push('\'');
    out
}

/// A string literal in double quotes.
pub fn puppet_double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' | '$' | '\\' => {
                out.push('\\');
                out.push(character);
            }
            '\0'..' ' => {
                let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}
