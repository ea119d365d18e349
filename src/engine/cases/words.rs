//! Cases in words: their conditions, and what they leave out.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::LeftOut;
use crate::engine::assumptions::{Assumed, Condition};
use crate::facts::mapped::{list_and_part, without_member};

/// Conditions in words: `role is web and variant is not set`.
pub fn in_words(conditions: &[Condition]) -> String {
    let said = conditions.iter().map(|condition| match &condition.value {
        Assumed::Unset => format!("{} is not set", condition.variable),
        Assumed::Text(text) => match of_member(&condition.variable, text) {
            Some(words) => words,
            None if text.is_empty() => format!("{} is empty", condition.variable),
            None => format!("{} is {text}", condition.variable),
        },
    });
    said.collect::<Vec<_>>().join(" and ")
}

/// The condition that a list contains a member; `None` for variables that are no members of a list.
fn of_member(variable: &str, text: &str) -> Option<String> {
    let (list, part) = list_and_part(variable)?;
    let text = if text.is_empty() { "an empty text" } else { text };
    Some(match part {
        "" => format!("{list} contains {text}"),
        part => format!("{part} of a member of {list} is {text}"),
    })
}

/// Names in words: `a`, `a and b`, `a, b and c`.
pub fn in_a_list<N: AsRef<str>>(names: &[N]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Variables that are not known, in words: `a and b, which are not known`.
pub fn not_known_in_words(variables: &[Arc<str>]) -> String {
    let are = if variables.len() == 1 { "is" } else { "are" };
    format!("{}, which {are} not known", in_a_list(variables))
}

/// What decides which of so many files a path leads to: `depends on role (2 files)`. Without the number if it is 0.
pub fn depends_in_words(variables: &[Arc<str>], files: usize) -> String {
    let names: IndexSet<&str> = variables.iter().map(|it| without_member(it)).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let files = match files {
        0 => String::new(),
        1 => " (1 file)".to_owned(),
        _ => format!(" ({files} files)"),
    };
    format!("depends on {}{files}", in_a_list(&names))
}

/// What the cases leave out, in words: `66 files of level "Nodes" may decide this, depending on x`. A value that looks up other
/// keys can depend on a level several times, each time on other files; that is one line.
pub fn left_out_in_words(left_out: &[LeftOut]) -> Vec<String> {
    let mut by_level: IndexMap<Option<&Arc<str>>, Vec<&LeftOut>> = IndexMap::new();
    for it in left_out {
        by_level.entry(it.level.as_ref()).or_default().push(it);
    }
    by_level.iter().map(|(level, them)| of_level_in_words(level.map(|it| &**it), them)).collect()
}

fn of_level_in_words(level: Option<&str>, left_out: &[&LeftOut]) -> String {
    let names = left_out.iter().flat_map(|it| it.variables.iter()).map(|name| without_member(name));
    let on: Vec<&str> = names.collect::<IndexSet<&str>>().into_iter().collect();
    let on = if on.is_empty() { "variables that are not known".to_owned() } else { in_a_list(&on) };
    let Some(level) = level else { return format!("The value itself depends on {on}") };
    let files = left_out.iter().map(|it| it.files).max().unwrap_or_default();
    // The same files may be left out for several keys.
    let at_least = if left_out.len() > 1 { "At least " } else { "" };
    match files {
        0 => format!("Level \"{level}\" may decide this, depending on {on}"),
        1 => format!("{at_least}1 file of level \"{level}\" may decide this, depending on {on}"),
        _ => format!(
            "{at_least}{files} files of level \"{level}\" may decide this, depending on {on}"
        ),
    }
}
