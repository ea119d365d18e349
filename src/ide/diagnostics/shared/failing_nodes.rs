//! The nodes for which something fails, in words, when it fails in some cases of an answer.

use crate::engine::cases::in_words;
use crate::engine::{Answer, Condition};
use crate::facts::{Node, variable};
use crate::ide::changes::counted;

/// The maximum number of cases that a message names.
const MAX_CASES: usize = 3;

/// Ends the words for nodes if their value may come from another level.
pub(crate) const UNLESS_ANOTHER_LEVEL: &str = ", unless another level decides";

/// A case of an answer.
pub(crate) type Case<'a> = (&'a [Condition], &'a Answer);

/// The nodes for which a call fails, if `fails` says in which cases it does. If nothing is left out, the cases are certain.
fn failing_nodes(cases: &[Case<'_>], fails: &[bool], is_certain: bool) -> String {
    let conditions = |wanted: bool| {
        let chosen = cases.iter().zip(fails).filter(move |(_, fails)| **fails == wanted);
        chosen.map(|((conditions, _), _)| *conditions)
    };
    // The last case may be that of all other nodes.
    let is_last_of_others = cases.last().is_some_and(|(conditions, _)| conditions.is_empty());
    let fails_for_others = is_last_of_others && fails.last() == Some(&true);
    if is_certain && (fails_for_others || fails.iter().all(|it| *it)) {
        let others = alternatives(conditions(false));
        return others
            .map_or_else(|| "every node".to_owned(), |it| format!("every node, unless {it}"));
    }
    format!("nodes where {}", alternatives(conditions(true)).unwrap_or_default())
}

/// Whether a call certainly fails with this answer: the lookup does, or it finds nothing and `needs_data`.
pub(crate) fn certainly_fails(answer: &Answer, needs_data: bool) -> bool {
    answer.opaque.is_empty()
        && match &answer.outcome {
            Ok(found) => found.is_none() && needs_data,
            Err(failure) => !failure.class.is_our_own(),
        }
}

/// The last line of a message about a call that fails in the cases `fails`, in those of `so` with this message; `None` if the code
/// around the call may set `variables` so that it fails for no node.
pub(crate) fn words_about_call(
    answer: &Answer,
    (cases, fails, so): (&[Case<'_>], &[bool], &[bool]),
    variables: &[String],
) -> Option<String> {
    if may_be_set_to_succeed(answer, fails, variables) {
        return None;
    }
    let nodes = |fails| failing_nodes(cases, fails, answer.left_out.is_empty());
    let (all, with_message) = (nodes(fails), nodes(so));
    Some(if all == with_message {
        format!("The call fails for {all}.")
    } else {
        format!("The call fails for {all}, with this message for {with_message}.")
    })
}

/// Whether the code around a call may set one of its variables so that the call fails for no node. `fails` says in which cases it
/// does.
fn may_be_set_to_succeed(answer: &Answer, fails: &[bool], variables: &[String]) -> bool {
    let depends_on = answer.depends_on();
    let decides = |variable: &String| {
        let name = variable::name_of_text(variable);
        depends_on.iter().any(|it| {
            let (it, name) = (without_facts(it), name.as_deref().map(without_facts));
            name.and_then(|name| it.strip_prefix(name))
                .is_some_and(|it| it.is_empty() || it.starts_with('.'))
        })
    };
    let fails_always = answer.left_out.is_empty() && fails.iter().all(|it| *it);
    !fails_always && variables.iter().any(decides)
}

fn without_facts(variable: &str) -> &str {
    variable.strip_prefix("facts.").unwrap_or(variable)
}

/// The nodes for which a value of data fails: `any node where role is web, if variant is alice`. `failing` has the conditions of
/// all cases in which it does, and `is_in_all_cases` says that there is no other case, and that nothing is left out.
pub(crate) fn failing_nodes_of(
    node: &Node,
    failing: &[&[Condition]],
    is_in_all_cases: bool,
) -> String {
    let node = &node.name;
    if is_in_all_cases {
        return node.to_string();
    }
    // The case without conditions is that of all nodes for which no other case is true.
    if failing.iter().any(|it| it.is_empty()) {
        return format!("{node}{UNLESS_ANOTHER_LEVEL}");
    }
    let conditions = alternatives(failing.iter().copied()).unwrap_or_default();
    format!("{node}, if {conditions}")
}

/// Some cases in words; `None` if there is none. A case is not named if all of its nodes are in another one.
fn alternatives<'a>(cases: impl Iterator<Item = &'a [Condition]>) -> Option<String> {
    let in_words = |conditions: &[Condition]| match conditions {
        [] => "no other level decides".to_owned(),
        conditions => in_words(conditions),
    };
    let cases: Vec<&[Condition]> = cases.collect();
    let is_within = |narrow: &[Condition], wide: &[Condition]| {
        wide.len() < narrow.len() && !wide.is_empty() && wide.iter().all(|it| narrow.contains(it))
    };
    let named = cases.iter().filter(|case| !cases.iter().any(|other| is_within(case, other)));
    let mut words: Vec<String> = named.map(|it| in_words(it)).collect();
    let more = words.len().saturating_sub(MAX_CASES);
    if more > 0 {
        words.truncate(MAX_CASES);
        words.push(format!("in {}", counted(more, "more case")));
    }
    (!words.is_empty()).then(|| words.join(", or "))
}
