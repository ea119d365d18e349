//! How names are written: as keys of the three formats, in calls within `%{…}`, and inside of strings of any style.

use crate::data::{Format, scalar};
use crate::ide::flow_yaml::escaped;
use crate::syntax::interpolation::Token;
use crate::syntax::key_path;
use crate::text::{TextEdit, TextRange};

/// `name` as a key, in the style in which `written` is; quoted where the format would read something else.
pub(crate) fn key(format: Format, written: &str, name: &str) -> String {
    let quote = written.chars().next().filter(|quote| ['\'', '"'].contains(quote));
    match (format, quote) {
        (Format::Hocon, None) if is_plain_hocon(name) => name.to_owned(),
        (Format::Json | Format::Hocon, _) => json_string(name),
        (Format::Yaml, Some('"')) => format!("\"{}\"", inside(Format::Yaml, written, name)),
        (Format::Yaml, None) if is_plain_yaml(name) => match written.strip_prefix(':') {
            // Puppet reads `:a` and `a` as the same key, so a symbol stays a symbol.
            Some(_) => format!(":{name}"),
            None => name.to_owned(),
        },
        (Format::Yaml, _) => format!("'{}'", name.replace('\'', "''")),
    }
}

/// `text` as a part of a string that is written like `written`.
pub(crate) fn inside(format: Format, written: &str, text: &str) -> String {
    match written.as_bytes() {
        // HOCON has no escapes within triple quotes.
        [b'"', b'"', b'"', ..] if format == Format::Hocon => text.to_owned(),
        [b'"', ..] if format == Format::Yaml => escaped(text),
        [b'"', ..] => {
            let quoted = json_string(text);
            quoted[1..quoted.len() - 1].to_owned()
        }
        [b'\'', ..] if format == Format::Yaml => text.replace('\'', "''"),
        _ => text.to_owned(),
    }
}

/// The edit of a decoded string after which the segment with this number of a token's key is `name`. `None` if no quoting
/// can say that within the call's own quotes.
pub(crate) fn segment_edit(
    text: &str,
    token: &Token,
    number: usize,
    name: &str,
) -> Option<TextEdit> {
    let (argument, range) = token.lookup_key()?;
    let (segments, _) = key_path::segment_ranges(argument);
    let old = segments.get(number)?.full_range;
    // Puppet ignores spaces around a segment, and they stay as they are.
    let slice = old.slice(argument);
    let trimmed = slice.trim_start();
    let start = old.start + (slice.len() - trimmed.len()) as u32;
    let old = TextRange::new(start, start + trimmed.trim_end().len() as u32);
    let call_quote = text[..range.start as usize].chars().next_back()?;
    // Puppet takes a key of one segment as it is. In a path, a segment with digits only or with outer spaces needs quotes.
    let is_whole = segments.len() == 1 && key_path::is_verbatim(name);
    let new =
        if is_whole { name.to_owned() } else { key_path::quote_segment_within(name, call_quote)? };
    // A `}` ends the token, even within quotes.
    let is_sayable = !new.contains([call_quote, '}']);
    is_sayable.then(|| TextEdit::replace(old.shifted(range.start), new))
}

/// Whether YAML reads `name` as this text where it is written without quotes, also within `{}` and `[]`.
pub(crate) fn is_plain_yaml(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_alphanumeric() || "_:-./".contains(letter))
        && !name.ends_with(':')
        && scalar::is_string(name)
}

fn is_plain_hocon(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
        && !["include", "true", "false", "null"].contains(&name)
}

fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::interpolation::tokens;
    use crate::text::edit::apply_edits;

    #[test]
    fn keys_keep_their_style() {
        assert_eq!(key(Format::Yaml, "a", "b::c"), "b::c");
        assert_eq!(key(Format::Yaml, "a", "yes"), "'yes'");
        assert_eq!(key(Format::Yaml, "a", "b c"), "'b c'");
        assert_eq!(key(Format::Yaml, "'a'", "it's"), "'it''s'");
        assert_eq!(key(Format::Yaml, "\"a\"", "b\"\\"), "\"b\\\"\\\\\"");
        assert_eq!(key(Format::Yaml, ":a", "b"), ":b");
        assert_eq!(key(Format::Json, "\"a\"", "b\"ä"), "\"b\\\"ä\"");
        assert_eq!(key(Format::Hocon, "a", "b"), "b");
        assert_eq!(key(Format::Hocon, "a", "b::c"), "\"b::c\"");
        assert_eq!(key(Format::Hocon, "\"a\"", "b"), "\"b\"");
    }

    /// Renames the segment `number` of the only token.
    #[track_caller]
    fn check(text: &str, number: usize, name: &str, expected: Option<&str>) {
        let token = &tokens(text)[0];
        let edit = segment_edit(text, token, number, name);
        assert_eq!(edit.map(|edit| apply_edits(text, &[edit])).as_deref(), expected);
    }

    #[test]
    fn segments_are_quoted_against_the_call() {
        check("x %{lookup('a')} y", 0, "b::c", Some("x %{lookup('b::c')} y"));
        check("%{lookup('a')}", 0, "b.c", Some("%{lookup('\"b.c\"')}"));
        check("%{lookup(\"a.d\")}", 0, "b.c", Some("%{lookup(\"'b.c'.d\")}"));
        check("%{alias('a.\"x.y\".z')}", 1, "q", Some("%{alias('a.q.z')}"));
        check("%{alias('a. b .z')}", 1, "q", Some("%{alias('a. q .z')}"));
        check("%{hiera('a.b')}", 1, "0", Some("%{hiera('a.\"0\"')}"));
        check("%{hiera('a')}", 0, "it's", None);
        check("%{hiera('a')}", 0, "b}", None);
        check("%{hiera(\"a\")}", 0, "it's.b", None);
    }
}
