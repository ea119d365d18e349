//! Expands `{a,b}` in a pattern, in the order written.

use crate::limits::{MAX_BRACE_ALTERNATIVES, MAX_BRACE_BYTES};

/// The expansion of a pattern.
#[derive(Debug, Default)]
pub(super) struct Alternatives {
    /// The texts in the order written; none if an opening brace is not closed.
    pub(super) texts: Vec<String>,
    /// Whether there would be more of them than the limit.
    pub(super) is_cut: bool,
}

/// The texts that `pattern` expands to.
pub(super) fn expand_braces(pattern: &str) -> Alternatives {
    let mut found = Alternatives::default();
    let mut bytes = 0;
    // The patterns that must still be expanded, the next one last.
    let mut waiting = vec![pattern.to_owned()];
    while let Some(pattern) = waiting.pop() {
        if found.texts.len() >= MAX_BRACE_ALTERNATIVES || bytes > MAX_BRACE_BYTES {
            found.is_cut = true;
            break;
        }
        match outermost_braces(&pattern) {
            Braces::None => found.texts.push(pattern),
            Braces::Unclosed => {}
            Braces::At { open, close } => {
                let inner = split_at_commas(&pattern[open + 1..close]);
                // This is about the length of all texts that follow: each repeats what is around the braces.
                bytes += inner.len() * (pattern.len() - (close - open)) + close - open;
                if bytes <= MAX_BRACE_BYTES {
                    let texts = inner.into_iter().rev();
                    let whole = |it: &str| [&pattern[..open], it, &pattern[close + 1..]].concat();
                    waiting.extend(texts.map(whole));
                } else {
                    found.is_cut = true;
                }
            }
        }
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, expected: &[&str]) {
        let found = expand_braces(pattern);
        let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!((found.texts, found.is_cut), (expected, false));
    }

    #[test]
    fn alternatives_come_in_the_order_written() {
        check("a", &["a"]);
        check("{a,b}{c,{d,e}f}", &["ac", "adf", "aef", "bc", "bdf", "bef"]);
        check("x{a,}y", &["xay", "xy"]);
        check("{a,b", &[]);
        check("\\{a,b}", &["\\{a,b}"]);
    }

    #[test]
    fn deep_and_many_braces_are_cut_off() {
        let deep = ["{".repeat(20_000), "}".repeat(20_000)].concat();
        assert!(expand_braces(&deep).is_cut);
        let many = expand_braces(&"{a,b}".repeat(40));
        assert_eq!((many.texts.len(), many.is_cut), (MAX_BRACE_ALTERNATIVES, true));
        let wide = expand_braces(&["{", &",".repeat(100_000), "}", &"x".repeat(1_000)].concat());
        assert!(wide.is_cut);
    }
}
