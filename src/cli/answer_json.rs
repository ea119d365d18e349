//! The answer to a lookup as members of a JSON object, written directly: a fleet has millions of answers.

use std::borrow::Cow;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value as Json};

use crate::data::render::{self, ExactJson};
use crate::engine::{Answer, Assumed, Case, Condition, LeftOut, TraceNode};

/// The members `status`, `value` and so on, with explanations if they are wanted.
pub(super) struct AnswerJson<'a>(pub(super) &'a Answer, pub(super) Option<Explain<'a>>);

/// Writes an explanation.
pub(super) type Explain<'a> = &'a dyn Fn(&TraceNode) -> Json;

/// A line of `--render-as jsonl`: the key, the members of the answer, and the merge if it is wanted.
pub(super) struct Record<'a> {
    pub(super) key: &'a str,
    pub(super) answer: &'a Answer,
    pub(super) merge: Option<&'a Json>,
    pub(super) explain: Option<Explain<'a>>,
}

/// The answer as `--render-as json` shows it: every `Sensitive` is redacted, as Puppet does it. JSON lines are exact.
pub(super) fn redacted(answer: &Answer) -> Cow<'_, Answer> {
    let is_secret =
        |it: &Answer| matches!(&it.outcome, Ok(Some(value)) if render::has_sensitive(&value.value));
    if !is_secret(answer) && !answer.cases.iter().any(|case| is_secret(&case.answer)) {
        return Cow::Borrowed(answer);
    }
    let mut shown = answer.clone();
    let cases = shown.cases.iter_mut().map(|case| &mut case.answer.outcome);
    for outcome in cases.chain([&mut shown.outcome]) {
        if let Ok(Some(value)) = outcome {
            *value = render::redacted(value);
        }
    }
    Cow::Owned(shown)
}

impl AnswerJson<'_> {
    /// The members as an object.
    pub(super) fn members(&self) -> Map<String, Json> {
        match serde_json::to_value(self) {
            Ok(Json::Object(members)) => members,
            _ => Map::new(),
        }
    }

    fn add_to<M: SerializeMap>(&self, members: &mut M) -> Result<(), M::Error> {
        let answer = self.0;
        if answer.is_certain() {
            return add_outcome(members, answer, self.1);
        }
        members.serialize_entry("status", "depends")?;
        let on: Vec<_> = answer.depends_on();
        members.serialize_entry("on", &on.iter().map(|name| &**name).collect::<Vec<_>>())?;
        members.serialize_entry("complete", &answer.left_out.is_empty())?;
        let alone = [Case { conditions: Vec::new(), answer: answer.clone() }];
        let cases = if answer.cases.is_empty() { &alone[..] } else { &answer.cases };
        members.serialize_entry(
            "cases",
            &cases.iter().map(|it| CaseJson(it, self.1)).collect::<Vec<_>>(),
        )?;
        if !answer.left_out.is_empty() {
            let left_out: Vec<Json> = answer.left_out.iter().map(left_out_json).collect();
            members.serialize_entry("left_out", &left_out)?;
        }
        Ok(())
    }
}

impl Serialize for AnswerJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        self.add_to(&mut members)?;
        members.end()
    }
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("key", self.key)?;
        AnswerJson(self.answer, self.explain).add_to(&mut members)?;
        if let Some(merge) = self.merge {
            members.serialize_entry("merge", merge)?;
        }
        members.end()
    }
}

impl Record<'_> {
    /// The record as JSON.
    pub(super) fn text(&self) -> String {
        // Nothing in a record refuses to be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

struct CaseJson<'a>(&'a Case, Option<Explain<'a>>);

impl Serialize for CaseJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("if", &conditions_json(&self.0.conditions))?;
        add_outcome(&mut members, &self.0.answer, self.1)?;
        members.end()
    }
}

/// The outcome of an answer without cases.
fn add_outcome<M: SerializeMap>(
    members: &mut M,
    answer: &Answer,
    explain: Option<Explain<'_>>,
) -> Result<(), M::Error> {
    let status = match &answer.outcome {
        // A level that was not evaluated may have another value, also if a value was found.
        Ok(_) if !answer.opaque.is_empty() => "unknown",
        Ok(Some(_)) => "found",
        Ok(None) => "not_found",
        Err(_) => "error",
    };
    members.serialize_entry("status", status)?;
    match &answer.outcome {
        Ok(Some(value)) => {
            members.serialize_entry("value", &ExactJson(&value.value))?;
            if render::has_encrypted_text(&value.value) {
                members.serialize_entry("encrypted", &true)?;
            }
        }
        Ok(None) => {}
        Err(failure) => {
            members.serialize_entry("error", &*failure.message)?;
            members.serialize_entry("error_class", failure.class.ruby_name())?;
        }
    }
    if let Some(names) = open_names(answer) {
        members.serialize_entry("open", &names)?;
    }
    if !answer.opaque.is_empty() {
        let names: Vec<&str> = answer.opaque.iter().map(|it| &*it.level).collect();
        members.serialize_entry("opaque", &names)?;
    }
    if let (Some(explain), Some(trace)) = (explain, &answer.trace) {
        members.serialize_entry("explain", &explain(trace))?;
    }
    Ok(())
}

/// The open variables that were read for a string, if there are any. Puppet 8 fails if one of them is not set, also where only another
/// member of the hash reads it.
pub(super) fn open_names(answer: &Answer) -> Option<Vec<&str>> {
    let names: Vec<&str> = answer.read_open.iter().map(|name| &**name).collect();
    (!names.is_empty()).then_some(names)
}

/// The conditions of a case.
pub(super) fn conditions_json(conditions: &[Condition]) -> Map<String, Json> {
    let condition = |it: &Condition| {
        let value = match &it.value {
            Assumed::Text(text) => Json::from(&**text),
            Assumed::Unset => Json::Null,
        };
        (it.variable.to_string(), value)
    };
    conditions.iter().map(condition).collect()
}

/// What the cases leave out.
pub(super) fn left_out_json(left_out: &LeftOut) -> Json {
    serde_json::json!({
        "level": left_out.level.as_deref(),
        "on": left_out.variables.iter().map(|it| &**it).collect::<Vec<_>>(),
        "files": left_out.files,
    })
}
