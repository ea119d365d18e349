//! Line numbers as Puppet finds them: by searching the text of `hiera.yaml`, not by parsing it.

use crate::syntax::ruby_regex;

/// The first line from line `first` on (from 1) that matches the Ruby regular expression.
///
/// Puppet inserts names into the expression without escaping them, so `a.b` is found in `aXb`. If the expression is invalid,
/// nothing is found.
pub(super) fn find_line(text: &str, expression: &str, first: usize) -> Option<usize> {
    let regex = ruby_regex::translate(expression).ok()?;
    let found = text.lines().skip(first - 1).position(|line| regex.is_match(before_hash(line)));
    found.map(|index| index + first)
}

/// For Puppet, a `#` ends the line even inside quotes.
fn before_hash(line: &str) -> &str {
    line.split('#').next().unwrap_or(line)
}

/// The lines of the second and of the first occurrence; if there is no second, the first one replaces it.
pub(super) fn find_second_line(text: &str, expression: &str) -> (Option<usize>, Option<usize>) {
    let first = find_line(text, expression, 1);
    match first.and_then(|first| find_line(text, expression, first + 1)) {
        Some(second) => (Some(second), first),
        None => (first, None),
    }
}
