//! Suggests a `node_name` pattern that fits the names of nodes and of data files. It is offered, never applied.
//!
//! A name is split at its dashes (or underscores). A piece is recognized as a variable if, in most names, its text is also a
//! text of that variable in the path of some data file.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use super::name_pattern::NamePattern;
use crate::text::TextRange;

/// Fewer names than this do not show a pattern.
const MIN_NAMES: usize = 3;

/// The minimum share of names that must match, in percent.
const MIN_SHARE: usize = 60;

/// A pattern and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The regular expression, for the setting `node_name`.
    pub pattern: String,
    /// How many names there are.
    pub nodes: usize,
    /// How many of them it matches.
    pub matched: usize,
    /// The number of names for which it proves each variable.
    pub proves: Vec<(Arc<str>, usize)>,
}

impl Suggestion {
    /// Its effect for users: `proves role for 612 of 622 nodes, variant for 166`.
    pub fn effect(&self) -> String {
        let mut text = String::from("proves ");
        for (number, (variable, count)) in self.proves.iter().enumerate() {
            if number == 0 {
                let _ = write!(text, "{variable} for {count} of {} nodes", self.nodes);
            } else {
                let _ = write!(text, ", {variable} for {count}");
            }
        }
        text
    }
}

/// The pattern that the names suggest. `texts` are the texts of each variable in paths of data files; `whole` are variables
/// whose text is the complete name of a machine.
pub fn suggest_pattern(
    names: &[Arc<str>],
    texts: &[(Arc<str>, BTreeSet<Arc<str>>)],
    whole: &[Arc<str>],
) -> Option<Suggestion> {
    if names.len() < MIN_NAMES {
        return None;
    }
    let separator = if count_of(names, '-') >= count_of(names, '_') { '-' } else { '_' };
    let cut: Vec<Vec<&str>> = names.iter().map(|name| pieces(name, separator)).collect();
    let longest = cut.iter().map(Vec::len).max()?;
    let mut left: Vec<&(Arc<str>, BTreeSet<Arc<str>>)> = texts.iter().collect();
    let mut places: Vec<Option<Place<'_>>> = Vec::new();
    for place in 0..longest {
        let here = cut.iter().filter_map(|it| it.get(place).copied());
        let here: Vec<&str> = here.filter(|it| !letters(it).is_empty()).collect();
        let fits = |texts: &BTreeSet<Arc<str>>| {
            here.iter().filter(|it| texts.contains(**it) || texts.contains(letters(it))).count()
        };
        // `max_by_key` returns the last of equals, so the position makes the first variable win.
        let best = left.iter().enumerate().max_by_key(|(at, it)| (fits(&it.1), usize::MAX - at));
        match best {
            Some((at, it)) if !here.is_empty() && fits(&it.1) * 2 > here.len() => {
                let with_number = here.iter().filter(|piece| it.1.contains(**piece));
                let without = here
                    .iter()
                    .filter(|piece| !it.1.contains(**piece) && it.1.contains(letters(piece)));
                let is_numbered =
                    without.count() > with_number.filter(|it| letters(it) != **it).count();
                places.push(Some(Place { variable: &it.0, is_numbered }));
                left.remove(at);
            }
            _ => places.push(None),
        }
    }
    let last = places.iter().rposition(Option::is_some)?;
    let pattern = written(&places[..=last], &cut, separator, whole);
    judged(pattern, names)
}

/// A piece that is a variable.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    variable: &'a Arc<str>,
    /// Whether a number follows the text.
    is_numbered: bool,
}

fn count_of(names: &[Arc<str>], c: char) -> usize {
    names.iter().filter(|name| name.contains(c)).count()
}

/// The pieces of a name's first part, before the domain.
fn pieces(name: &str, separator: char) -> Vec<&str> {
    name.split('.').next().unwrap_or(name).split(separator).collect()
}

/// A piece without the number at its end.
fn letters(piece: &str) -> &str {
    let without = piece.trim_end_matches(|c: char| c.is_ascii_digit());
    if without.is_empty() { "" } else { without }
}

fn written(
    places: &[Option<Place<'_>>],
    cut: &[Vec<&str>],
    separator: char,
    whole: &[Arc<str>],
) -> String {
    let mut pattern = String::new();
    let has_place = |at: usize| {
        cut.iter().filter(|it| it.get(at).is_some_and(|piece| !letters(piece).is_empty())).count()
    };
    let separator = if separator == '-' { "-" } else { "_" };
    for (at, place) in places.iter().enumerate() {
        let piece = match place {
            Some(Place { variable, is_numbered: true }) => {
                format!("(?<{}>[a-z]+)\\d*", group_name(variable))
            }
            Some(Place { variable, .. }) => format!("(?<{}>[a-z][a-z0-9]*)", group_name(variable)),
            None => format!("[^{separator}.]+"),
        };
        let is_optional = at > 0 && has_place(at) < cut.len();
        let lead = if at > 0 { separator } else { "" };
        if is_optional {
            let _ = write!(pattern, "(?:{lead}{piece})?");
        } else {
            let _ = write!(pattern, "{lead}{piece}");
        }
    }
    let _ = write!(pattern, "(?:{separator}[^.]*?\\d+)?");
    for variable in whole {
        pattern = format!("(?<{}>{pattern})", group_name(variable));
    }
    pattern + "(?:\\..*)?"
}

/// A group's name cannot be a path, so it is the last name of the fact.
fn group_name(variable: &str) -> &str {
    variable.rsplit('.').next().unwrap_or(variable)
}

/// The effect of a pattern on the names; `None` if the effect is too small.
fn judged(pattern: String, names: &[Arc<str>]) -> Option<Suggestion> {
    let compiled = NamePattern::new(&pattern, TextRange::empty(0)).ok()?;
    let mut counts: HashMap<Arc<str>, usize> = HashMap::new();
    let mut order: Vec<Arc<str>> = Vec::new();
    let mut matched = 0;
    for name in names {
        let Some(proved) = compiled.read(name) else { continue };
        matched += 1;
        for (variable, _) in proved {
            if !order.contains(&variable) {
                order.push(Arc::clone(&variable));
            }
            *counts.entry(variable).or_default() += 1;
        }
    }
    if matched * 100 < names.len() * MIN_SHARE {
        return None;
    }
    let proves = order.into_iter().map(|variable| {
        let count = counts.get(&variable).copied().unwrap_or_default();
        (variable, count)
    });
    Some(Suggestion { pattern, nodes: names.len(), matched, proves: proves.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(variable: &str, texts: &[&str]) -> (Arc<str>, BTreeSet<Arc<str>>) {
        (variable.into(), texts.iter().map(|it| Arc::from(*it)).collect())
    }

    fn names(names: &[&str]) -> Vec<Arc<str>> {
        names.iter().map(|it| Arc::from(*it)).collect()
    }

    #[test]
    fn pieces_of_names_that_are_names_of_files() {
        let found = suggest_pattern(
            &names(&["bgo-compute-001", "bgo-compute-alice-002", "osl-web-01", "osl-db-02"]),
            &[
                texts("location", &["bgo", "osl"]),
                texts("role", &["compute", "web", "db", "alice"]),
                texts("variant", &["alice"]),
            ],
            &[],
        )
        .expect("a pattern");
        assert_eq!(found.matched, 4);
        assert_eq!(found.effect(), "proves location for 4 of 4 nodes, role for 4, variant for 1");
        let pattern = NamePattern::new(&found.pattern, TextRange::empty(0)).expect("it compiles");
        let read = |name: &str| {
            let proved = pattern.read(name).unwrap_or_default();
            let shown: Vec<_> =
                proved.iter().map(|(name, text)| format!("{name}={text}")).collect();
            shown.join(" ")
        };
        assert_eq!(read("bgo-compute-001"), "location=bgo role=compute");
        assert_eq!(read("bgo-compute-alice-002"), "location=bgo role=compute variant=alice");
        assert_eq!(read("osl-web-01.example.com"), "location=osl role=web");
    }

    #[test]
    fn numbers_behind_a_role() {
        let found = suggest_pattern(
            &names(&["web01.ex.com", "web02.ex.com", "db1.ex.com"]),
            &[texts("role", &["web", "db"])],
            &[],
        );
        assert_eq!(found.expect("a pattern").effect(), "proves role for 3 of 3 nodes");
    }

    #[test]
    fn names_that_say_nothing() {
        let roles = [texts("role", &["web", "db"])];
        assert_eq!(suggest_pattern(&names(&["zeus", "hera", "ares", "web"]), &roles, &[]), None);
        assert_eq!(suggest_pattern(&names(&["web1", "web2"]), &roles, &[]), None, "too few");
    }
}
