//! Finds the cursor in a root key of a JSON file. The text may be half-typed, so it is only scanned for strings and brackets.

use super::line::{Part, Spot};

/// The place at `offset` if it is in a string where the root object has a key.
pub(super) fn root_key_at(text: &str, offset: u32) -> Option<Spot> {
    let offset = offset as usize;
    let mut brackets = Vec::new();
    let mut expects_key = false;
    let (mut start, mut present) = (None, Vec::new());
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(text, at + 1);
                let is_root_key = expects_key && brackets == [b'{'];
                if (at + 1..=end).contains(&offset) {
                    start = Some(at + 1).filter(|_| is_root_key);
                    // No string around the cursor is a key of the root object.
                    start?;
                } else if is_root_key {
                    present.push(text[at + 1..end].to_owned());
                }
                at = end;
            }
            b'{' | b'[' => {
                brackets.push(*byte);
                expects_key = *byte == b'{';
            }
            b'}' | b']' => {
                brackets.pop();
                expects_key = false;
            }
            b',' => expects_key = brackets.last() == Some(&b'{'),
            b':' => expects_key = false,
            _ => {}
        }
        at += 1;
    }
    Some(Spot {
        steps: Vec::new(),
        part: Part::Key,
        items: Vec::new(),
        is_in_item: false,
        start: start? as u32,
        quote: Some('"'),
        is_at_root: true,
        needs_blank: false,
        present,
    })
}

/// Where the quote is that ends the string with this start. A string without one ends with its line.
fn end_of_string(text: &str, start: usize) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'\r' | b'\n' => return at,
            b'"' if !is_escaped => return at,
            _ => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `$` is the cursor. `expected`: the typed text, and the other keys.
    #[track_caller]
    fn check(text: &str, expected: Option<(&str, &[&str])>) {
        let offset = text.find('$').expect("a cursor");
        let text = text.replace('$', "");
        let found = root_key_at(&text, offset as u32);
        let found = found.map(|it| (text[it.start as usize..offset].to_owned(), it.present));
        let expected = expected.map(|(typed, present)| {
            (typed.to_owned(), present.iter().map(|&it| it.to_owned()).collect::<Vec<_>>())
        });
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn keys_of_the_root_object() {
        check("{\"a::$\"}", Some(("a::", &[])));
        check("{\"$", Some(("", &[])));
        check("{\"a\": 1, \"$\"}", Some(("", &["a"])));
        check("{\"a\": {\"x\": [1]},\n\"b$\nb: \"c\", \"d\\\"\": 1}", Some(("b", &["a", "d\\\""])));
        check("{\"a$\": 1, \"b\": 2}", Some(("a", &["b"])));
    }

    #[test]
    fn other_places() {
        check("{\"a\": \"$\"}", None);
        check("{\"a\": {\"$\"}}", None);
        check("{\"a\": [\"$\"]}", None);
        check("[{\"$\"}]", None);
        check("[\"$\"]", None);
        check("{$}", None);
        check("{\"a\"$: 1}", None);
        check("\"$\"", None);
    }
}
