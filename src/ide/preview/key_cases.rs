//! The individual cases of a key, for a user to pick one.

use std::sync::Arc;

use super::{Question, UnknownNode};
use crate::data::{Located, inspect};
use crate::engine::cases::in_words;
use crate::engine::{Assumed, CancelToken, Case, Request};
use crate::ide::perspective::Perspective;
use crate::world::World;

/// Longer values are truncated.
const MAX_VALUE_CHARS: usize = 80;

/// One case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCase {
    /// The condition in words.
    pub when: String,
    /// The variables and their texts; `None` for an unset variable.
    pub variables: Vec<(Arc<str>, Option<Arc<str>>)>,
    /// The value on one line, without secrets; `not found`, or Puppet's error.
    pub value: String,
}

/// The cases of the request's key, in order; none if the value is certain. `None` if there is no key.
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
    let case = |case: &Case| KeyCase {
        when: match case.conditions.as_slice() {
            [] => "otherwise".to_owned(),
            conditions => in_words(conditions),
        },
        variables: case
            .conditions
            .iter()
            .map(|it| {
                let text = match &it.value {
                    Assumed::Text(text) => Some(Arc::clone(text)),
                    Assumed::Unset => None,
                };
                (Arc::clone(&it.variable), text)
            })
            .collect(),
        value: match &case.answer.outcome {
            Ok(Some(value)) => on_one_line(&asked.perspective, value),
            Ok(None) => "not found".to_owned(),
            Err(failure) => failure.message.to_string(),
        },
    };
    Ok(Some(answer.cases.iter().map(case).collect()))
}

fn on_one_line(perspective: &Perspective, value: &Located) -> String {
    let text = inspect::inspect(&perspective.without_secrets(value)).replace('\n', "⏎");
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}
