//! Finds the cursor in a root key of a JSON file, or in a string that is the key's value. The text may be half-typed, so it is only
//! scanned for strings and brackets.

use super::line::{Part, Spot};

/// The place at `offset` if it is in a string where the root object has a key, or a value.
pub(super) fn spot_at(text: &str, offset: u32) -> Option<Spot> {
    let offset = offset as usize;
    let mut brackets = Vec::new();
    let mut expects_key = false;
    let (mut start, mut present) = (None, Vec::new());
    // The key whose value comes next, and whether the cursor is in that value.
    let (mut key, mut is_value) = (None, false);
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => {
                let end = end_of_string(text, at + 1);
                let is_in_root = brackets == [b'{'];
                let is_root_key = expects_key && is_in_root;
                if (at + 1..=end).contains(&offset) {
                    is_value = is_in_root && !expects_key && key.is_some();
                    start = Some(at + 1).filter(|_| is_root_key || is_value);
                    // The string around the cursor is neither a key of the root object nor a value.
                    start?;
                } else if is_root_key {
                    let name = text[at + 1..end].to_owned();
                    if start.is_none() {
                        key = Some(name.clone());
                    }
                    present.push(name);
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
    let (steps, part) =
        if is_value { (key.into_iter().collect(), Part::Value) } else { (Vec::new(), Part::Key) };
    Some(Spot {
        steps,
        part,
        items: Vec::new(),
        is_in_item: false,
        start: start? as u32,
        quote: Some('"'),
        is_at_root: !is_value,
        before_value: Some(""),
        present: if is_value { Vec::new() } else { present },
        present_values: Vec::new(),
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
        let found = spot_at(&text, offset as u32);
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
    fn values_of_root_keys() {
        #[track_caller]
        fn check(text: &str, steps: &[&str]) {
            let offset = text.find('$').expect("a cursor");
            let spot = spot_at(&text.replace('$', ""), offset as u32).expect("a place");
            let found: Vec<&str> = spot.steps.iter().map(String::as_str).collect();
            assert_eq!((spot.part, &*found), (Part::Value, steps));
        }
        check("{\"a\": \"$\"}", &["a"]);
        check("{\"a\": 1, \"b\": \"x$", &["b"]);
        check("{\"a\": {\"c\": 1}, \"b\": \"x$\", \"d\": 1}", &["b"]);
    }

    #[test]
    fn other_places() {
        check("{\"a\": {\"$\"}}", None);
        check("{\"a\": [\"$\"]}", None);
        check("[{\"$\"}]", None);
        check("[\"$\"]", None);
        check("{$}", None);
        check("{\"a\"$: 1}", None);
        check("\"$\"", None);
    }
}
