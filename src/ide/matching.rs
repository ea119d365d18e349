//! Matches names with typed letters: from an exact match to names that contain the letters in this order.

use std::sync::Arc;

use crate::engine::CancelToken;

/// The number of names between two checks for cancellation.
const NAMES_PER_LOOK: usize = 4_096;

/// The quality of a match; lower is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// The name itself.
    Exact,
    /// Its start.
    Prefix,
    /// The start of one of its words.
    Word,
    /// A part of it.
    Part,
    /// Its letters, with others between them.
    Letters,
}

/// How `name` matches `query`, ignoring the case of ASCII letters; `None` if it does not.
pub(crate) fn fit(name: &str, query: &str) -> Option<Fit> {
    let (name, query) = (name.as_bytes(), query.as_bytes());
    if query.is_empty() {
        return Some(Fit::Prefix);
    }
    let mut is_part = false;
    let (small, capital) = (query[0].to_ascii_lowercase(), query[0].to_ascii_uppercase());
    // No match starts where the rest is shorter than the query.
    let starts = &name[..(name.len() + 1).saturating_sub(query.len())];
    for at in memchr::memchr2_iter(small, capital, starts) {
        if name[at..at + query.len()].eq_ignore_ascii_case(query) {
            is_part = true;
            if at == 0 {
                return Some(if name.len() == query.len() { Fit::Exact } else { Fit::Prefix });
            }
            if !name[at - 1].is_ascii_alphanumeric() {
                return Some(Fit::Word);
            }
        }
    }
    if is_part {
        return Some(Fit::Part);
    }
    let mut letters = name.iter();
    let has_letter = |wanted: &u8| letters.any(|letter| letter.eq_ignore_ascii_case(wanted));
    query.iter().all(has_letter).then_some(Fit::Letters)
}

/// The best matches, best first, at most `most`.
pub(crate) fn best(
    names: Vec<Arc<str>>,
    query: &str,
    most: usize,
    cancel: &CancelToken,
) -> Vec<Arc<str>> {
    let mut fitting = Vec::new();
    for (number, name) in names.into_iter().enumerate() {
        if number.is_multiple_of(NAMES_PER_LOOK) && cancel.is_cancelled() {
            return Vec::new();
        }
        if let Some(fit) = fit(&name, query) {
            // If nothing is typed, the names are in alphabetical order, not in that of their lengths.
            let length = if query.is_empty() { 0 } else { name.len() };
            fitting.push((fit, length, name));
        }
    }
    // Only the best matches are sorted, because a workspace may have very many names.
    if fitting.len() > most {
        fitting.select_nth_unstable(most);
        fitting.truncate(most);
    }
    fitting.sort_unstable();
    fitting.into_iter().map(|(_, _, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, query: &str, expected: Option<Fit>) {
        assert_eq!(fit(name, query), expected);
    }

    #[test]
    fn fits() {
        check("ntp::servers", "NTP::servers", Some(Fit::Exact));
        check("ntp::servers", "ntp", Some(Fit::Prefix));
        check("ntp::servers", "serv", Some(Fit::Word));
        check("ntp::servers", "vers", Some(Fit::Part));
        check("ntp::servers", "nsv", Some(Fit::Letters));
        check("ntp::servers", "x", None);
        check("ä", "ä", Some(Fit::Exact));
        check("a", "aa", None);
        check("a", "", Some(Fit::Prefix));
    }

    #[test]
    fn the_best_come_first() {
        let names = ["xab", "ab", "a::b", "abc"].map(Arc::from).to_vec();
        let found = best(names, "ab", 3, &CancelToken::default());
        assert_eq!(found.iter().map(|name| &**name).collect::<Vec<_>>(), ["ab", "abc", "xab"]);
    }
}
