//! Finds out whether an entry ends where the next one seems to start. libyaml ignores the indentation inside of quotes and
//! brackets, so these may go on at the start of a line.

use crate::syntax::plain_yaml::plain_entries;
use crate::syntax::yaml::{RootScan, ScanStep, YamlError};

/// Whether quotes or brackets of the entry from `start` to `end` may be open at its end.
pub(super) fn may_go_on(text: &str, start: usize, end: usize) -> bool {
    let entry = &text[start..end];
    !is_closed_by_line(entry.as_bytes())
        && plain_entries(entry).is_none()
        && libyaml_fails_at_end(text, start, end)
}

fn libyaml_fails_at_end(text: &str, start: usize, end: usize) -> bool {
    let content_end = start + text[start..end].trim_ascii_end().len();
    // libyaml reads ahead, so a forbidden character hides other errors. A key without a colon has no end either, but no later line
    // belongs to it.
    let is_key = |error: &YamlError| error.message.ends_with("while scanning a simple key");
    let at_end = |error: &YamlError| {
        let is_unclosed = error.has_no_end && !is_key(error);
        error.is_of_reader || is_unclosed && error.offset as usize >= content_end
    };
    let mut scan = match RootScan::in_the_middle(&text[..end], start as u32) {
        Ok(scan) => scan,
        Err((error, _)) => return at_end(&error),
    };
    loop {
        match scan.step() {
            ScanStep::Key { .. } => {}
            ScanStep::End(_) => return false,
            ScanStep::Failed(error) => return at_end(&error),
            ScanStep::NotEntries => return true,
        }
    }
}

/// Whether each quoted scalar and each pair of brackets certainly ends in the line in which it starts.
fn is_closed_by_line(entry: &[u8]) -> bool {
    let mut at = 0;
    while let Some(opener) = next_opener(entry, at) {
        at = match role_of(entry, opener) {
            Role::Text => opener + 1,
            Role::Start => match end_of(entry, opener) {
                Some(end) => end,
                None => return false,
            },
            Role::Unknown => return false,
        };
    }
    true
}

/// The number of bytes that are compared at once.
const BLOCK: usize = 16;

/// The next quote or bracket.
#[expect(clippy::needless_bitwise_bool, reason = "branches would compare the bytes one by one")]
fn next_opener(entry: &[u8], from: usize) -> Option<usize> {
    let is_opener = |byte: u8| (byte == b'"') | (byte == b'\'') | (byte == b'[') | (byte == b'{');
    let mut at = from;
    while let Some(block) = entry[at..].first_chunk::<BLOCK>()
        && !block.iter().fold(false, |any, byte| any | is_opener(*byte))
    {
        at += BLOCK;
    }
    Some(at + entry[at..].iter().position(|byte| is_opener(*byte))?)
}

/// What a quote or bracket is, if everything before its line is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A character of a plain scalar, a comment or a block scalar.
    Text,
    /// The first character of a scalar or of brackets, or in a text of which the whole line is text.
    Start,
    Unknown,
}

fn role_of(entry: &[u8], opener: usize) -> Role {
    let mut before = &entry[..opener];
    if before.ends_with(b": ") {
        return Role::Start;
    }
    if let [.., last] = before
        && !matches!(last, b' ' | b'\t' | b'\n')
    {
        // A word goes on, unless this is punctuation.
        let is_word =
            last.is_ascii_alphanumeric() || !last.is_ascii() || b"%$/.=(_@+;#".contains(last);
        return if is_word { Role::Text } else { Role::Unknown };
    }
    loop {
        before = trim_blanks(before);
        match before {
            [] | [.., b'\n' | b':'] => return Role::Start,
            // Only at the start of a line is this the mark of an item.
            [rest @ .., b'-'] if matches!(rest, [] | [.., b' ' | b'\t' | b'\n']) => before = rest,
            _ => break,
        }
    }
    // A tag, an anchor or another value may stand before a value. After any other word, the line is text.
    let word = before.iter().rposition(|it| matches!(it, b' ' | b'\t' | b'\n'));
    let word = &before[word.map_or(0, |it| it + 1)..];
    // A tag or an anchor needs no blank after a quote or a bracket: `]!x "`.
    let may_precede = matches!(word, [b'!' | b'&' | b'*' | b'?' | b'[' | b'{', ..])
        || word.iter().any(|it| matches!(it, b'"' | b'\'' | b']' | b'}'));
    if may_precede { Role::Unknown } else { Role::Text }
}

fn trim_blanks(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|it| !matches!(it, b' ' | b'\t')).map_or(0, |it| it + 1);
    &bytes[..end]
}

/// The byte behind the quotes or brackets that start at `at`, if they end in the same line.
fn end_of(entry: &[u8], at: usize) -> Option<usize> {
    if matches!(entry[at], b'"' | b'\'') {
        end_of_quotes(entry, at)
    } else {
        end_of_brackets(entry, at)
    }
}

fn end_of_quotes(entry: &[u8], at: usize) -> Option<usize> {
    let quote = entry[at];
    let rest = &entry[at + 1..];
    let end = memchr::memchr3(quote, b'\n', b'\\', rest)?;
    (rest[end] == quote).then_some(at + end + 2)
}

fn end_of_brackets(entry: &[u8], at: usize) -> Option<usize> {
    let (mut depth, mut at, mut before) = (0_usize, at, b' ');
    loop {
        let byte = *entry.get(at)?;
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b'"' | b'\'' if b"[{,:".contains(&before) => {
                at = end_of_quotes(entry, at)?;
                before = byte;
                continue;
            }
            // Another quote is text of a plain scalar, which may contain anything.
            b'"' | b'\'' | b'\n' | b'#' | b'?' => return None,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
        if !matches!(byte, b' ' | b'\t') {
            before = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::syntax::entries;

    /// Whether the entry is certainly closed, by its lines.
    fn is_closed(entry: &str) -> bool {
        is_closed_by_line(entry.as_bytes())
    }

    #[test]
    fn usual_entries_are_closed() {
        for entry in [
            "a: 1\n",
            "a: \"x: %{lookup('b')}\"\n",
            "a: it's a \"text\" with %{x}\n",
            "a::b: ['x', \"y\", {z: [1]}]\n",
            "'a': {b: 'c', d: e}  \nb:\n  - - 'x'\n",
            "a:\n  - \"x\"\n  - 'y': 'z'\n    u: \"v\"\n",
            "a: |\n  echo \"$x\"\n",
            "a: x # it's\n",
            "? a\n: 'b'\n",
        ] {
            assert!(is_closed(entry), "{entry}");
        }
    }

    #[test]
    fn open_entries_go_on() {
        for entry in [
            "a: \"x\n",
            "a: 'x\n",
            "a: [x,\n",
            "a: {b: c\n",
            "a:\n  - b: \"\n",
            "a: !x \"y\n",
            "a: &x 'y\n",
            "a: !x &y [\n",
            "a: 'it''s\n",
            "a: \"x\\\"\n",
            "it's: \"x'\n",
            "x - \"y: 'z\"\n",
            "a: {b's: \"x', c}\n",
            "a: {b 'c: \"x', d}\n",
            "a: [x, \"y]\n",
            "'a': \"x\n",
            "a:\n  - ? \"x\n",
            "a:\t'x\n",
            "a: [] # ]\nb: [ # ]\n",
            "a:\n  [, ]!x \"\n",
        ] {
            assert!(may_go_on(entry, 0, entry.len()), "{entry}");
            assert!(!is_closed(entry), "{entry}");
        }
    }

    #[test]
    fn libyaml_decides_what_is_not_certain() {
        for entry in
            ["a: 'it''s'\n", "a: \"x\\n\"\n", "a: !x 'y'\n", "a: [\n  b]\n", "a: 'x\n  y'\n"]
        {
            assert!(!is_closed(entry), "{entry}");
            assert!(!may_go_on(entry, 0, entry.len()), "{entry}");
        }
        // Broken, but not open.
        assert!(!may_go_on("a: b: \"c\n", 0, 9));
    }

    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "a", "b:", ": ", "- ", "?", " ", "\n  ", "\n", "\"", "'", "[", "]", "{", "}", ",",
            ", ", "#", " # ", "!x ", "&y ", "*y", "\\", "%{", "|\n", "it's", "x", "''", "\"\"",
            ":", "-",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn closed_entries_are_not_open_for_libyaml(pieces in prop::collection::vec(piece(), 1..16)) {
            let entry = format!("k: {}\n", pieces.concat());
            // A `?` or the mark of a document in column 0 keeps the file from being read line by line.
            let is_by_line = ["\n?", "\n---", "\n..."].iter().all(|it| !entry.contains(it));
            let is_entry = entries::next_entry(&entry, 1).is_none() && is_by_line;
            if is_entry && is_closed(&entry) {
                prop_assert!(!libyaml_fails_at_end(&entry, 0, entry.len()), "{:?}", entry);
            }
        }
    }
}
