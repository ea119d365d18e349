//! `{a,b}` in a pattern, multiplied out in the order written.

/// More alternatives than anyone writes; a pattern with more is cut off here.
const MAX_ALTERNATIVES: usize = 10_000;

/// Every text that `pattern` stands for; none if an opening brace is not closed.
pub(super) fn expand_braces(pattern: &str) -> Vec<String> {
    let mut found = Vec::new();
    expand_into(pattern, &mut found);
    found
}

fn expand_into(pattern: &str, found: &mut Vec<String>) {
    if found.len() >= MAX_ALTERNATIVES {
        return;
    }
    match outermost_braces(pattern) {
        Braces::None => found.push(pattern.to_owned()),
        Braces::Unclosed => {}
        Braces::At { open, close } => {
            for alternative in split_at_commas(&pattern[open + 1..close]) {
                let text = [&pattern[..open], alternative, &pattern[close + 1..]].concat();
                expand_into(&text, found);
            }
        }
    }
}

enum Braces {
    None,
    Unclosed,
    At { open: usize, close: usize },
}

fn outermost_braces(pattern: &str) -> Braces {
    let mut open = None;
    let mut depth = 0usize;
    let mut is_escaped = false;
    for (index, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'{' => {
                open.get_or_insert(index);
                depth += 1;
            }
            b'}' => {
                if let Some(open) = open {
                    depth -= 1;
                    if depth == 0 {
                        return Braces::At { open, close: index };
                    }
                }
            }
            _ => {}
        }
    }
    if open.is_some() { Braces::Unclosed } else { Braces::None }
}

fn split_at_commas(inner: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut depth = 0i32;
    let mut is_escaped = false;
    for (index, byte) in inner.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                pieces.push(&inner[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    pieces.push(&inner[start..]);
    pieces
}
