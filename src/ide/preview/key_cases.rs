//! The individual cases of a key, for a user to pick one.

use std::sync::Arc;

use super::{Question, UnknownNode};
use crate::data::{Located, inspect};
use crate::engine::cases::in_words;
use crate::engine::{Answer, Assumed, CancelToken, Case, Condition, Request};
use crate::ide::perspective::Perspective;
use crate::world::World;

/// Longer values are truncated.
const MAX_VALUE_CHARS: usize = 80;

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCase {
    /// The condition in words; or which cases are not listed.
    pub when: String,
    /// The variables and their texts; `None` for an unset variable.
    pub variables: Vec<(Arc<str>, Option<Arc<str>>)>,
    /// The value on one line, without secrets; `not found`, or Puppet's error; [`NOT_LISTED`].
    pub value: String,
}

impl KeyCase {
    /// Whether the case gives each of its variables a text, so that a user can assume it.
    pub fn can_be_assumed(&self) -> bool {
        !self.variables.is_empty() && self.variables.iter().all(|(_, text)| text.is_some())
    }
}

/// The value of what represents cases that are not listed.
const NOT_LISTED: &str = "not listed";

/// The cases of the request's key, in order; before the last one, those that represent what is not listed. None if the value
/// is certain. `None` if there is no key.
///
/// # Errors
/// The request's node does not exist.
pub fn key_cases(
    world: &Arc<World>,
    question: &Question,
    cancel: &CancelToken,
) -> Result<Option<Vec<KeyCase>>, UnknownNode> {
    let Some(asked) = question.find(world)? else { return Ok(None) };
    let Some(key) = asked.key else { return Ok(None) };
    let request = Request { cancel: cancel.clone(), ..Request::key(&*key) };
    let answer = asked.perspective.evaluator.call(&request);
    let case = |case: &Case| key_case(&asked.perspective, &case.conditions, &case.answer);
    let mut cases: Vec<KeyCase> = answer.cases.iter().map(case).collect();
    if !answer.left_out.is_empty() {
        let last = cases.pop().unwrap_or_else(|| key_case(&asked.perspective, &[], &answer));
        cases.extend(
            asked.perspective.left_out_in_words(&answer.left_out).into_iter().map(not_listed),
        );
        cases.push(last);
    }
    Ok(Some(cases))
}

fn key_case(perspective: &Perspective, conditions: &[Condition], answer: &Answer) -> KeyCase {
    let variable = |it: &Condition| {
        let text = match &it.value {
            Assumed::Text(text) => Some(Arc::clone(text)),
            Assumed::Unset => None,
        };
        (Arc::clone(&it.variable), text)
    };
    KeyCase {
        when: match conditions {
            [] => "otherwise".to_owned(),
            conditions => in_words(conditions),
        },
        variables: conditions.iter().map(variable).collect(),
        value: match &answer.outcome {
            Ok(Some(value)) => on_one_line(perspective, value),
            Ok(None) => "not found".to_owned(),
            Err(failure) => {
                // Puppet ends some messages with where a reason would be.
                perspective.shown_failure(&failure.message).trim_end_matches("; ").to_owned()
            }
        },
    }
}

fn not_listed(when: String) -> KeyCase {
    KeyCase { when, variables: Vec::new(), value: NOT_LISTED.to_owned() }
}

fn on_one_line(perspective: &Perspective, value: &Located) -> String {
    let text = inspect::inspect(&perspective.without_secrets(value)).replace('\n', "⏎");
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
