//! Converts answers of hiera-ls to the form of the recorded ones of Puppet, and compares both.

use std::sync::Arc;

use hiera_ls::data::{Hash, Value, json, render};
use hiera_ls::engine::{Answer, Evaluator, Explain, Request, explain};
use serde_json::{Map, Value as Json};

use crate::case_file::Query;

/// The compared members of an answer; with warnings, if those are recorded.
pub(crate) const ANSWER: &[&str] = &["status", "value", "error", "error_class", "explain"];
pub(crate) const ANSWER_AND_WARNINGS: &[&str] =
    &["status", "value", "error", "error_class", "explain", "warnings"];

/// The differences of Puppet's answer from that of hiera-ls, in words; only the named fields are compared.
pub(crate) fn differences(puppet: &Json, ours: &Json, fields: &[&str]) -> Vec<String> {
    let mut texts = Vec::new();
    let puppet = &without_places(puppet);
    for &field in fields {
        let (theirs, ours) = (puppet.get(field), ours.get(field));
        // As text: two JSON objects are equal whatever the order of their members, two hashes of Puppet's are not.
        let texts_of = |it: Option<&Json>| it.map(Json::to_string).unwrap_or_default();
        if texts_of(theirs) != texts_of(ours) {
            let show = |it: Option<&Json>| match it {
                Some(Json::String(text)) if field == "explain" => format!("\n{text}"),
                other => texts_of(other),
            };
            texts.push(format!(
                "  {field}\n    puppet: {}\n    ours:   {}\n",
                show(theirs),
                show(ours)
            ));
        }
    }
    texts
}

/// Puppet ends most warnings with a second line with the place: a file, or that it is not known. It repeats some warnings
/// for every key that causes them.
fn without_places(puppet: &Json) -> Json {
    let mut answer = puppet.clone();
    let warnings = puppet.get("warnings").and_then(Json::as_array).into_iter().flatten();
    let mut kept: Vec<&str> = Vec::new();
    for warning in warnings.filter_map(Json::as_str) {
        let text = warning.split("\n   (file").next().unwrap_or_default();
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    if !kept.is_empty() {
        answer["warnings"] = kept.into();
    }
    answer
}

/// The answer of hiera-ls to a query in the form of the recorded ones, with the names of directories.
pub(crate) fn ours(evaluator: &Evaluator, query: &Query, names: &[(&str, &str)]) -> Json {
    let one = std::slice::from_ref(&query.key);
    let keys = if query.names.is_empty() { one } else { query.names.as_slice() };
    let request = Request {
        names: keys.iter().map(|name| Arc::from(name.as_str())).collect(),
        value_type: query.value_type.clone(),
        merge: query.merge.as_ref().map(json::to_value),
        default: query.default.as_ref().map(|it| json::to_value(it).unplaced()),
        overrides: query.overrides.as_ref().map(hash).unwrap_or_default(),
        default_values: query.default_values.as_ref().map(hash).unwrap_or_default(),
        explain: if query.explain { Explain::On } else { Explain::Off },
        ..Request::default()
    };
    let answer = evaluator.call(&request);
    let mut recorded = as_recorded(&answer, query.explain);
    // Those of hiera.yaml come first, because it is read before data.
    let warnings: Vec<Arc<str>> =
        evaluator.config_warnings().into_iter().chain(answer.warnings).collect();
    if !warnings.is_empty() {
        recorded["warnings"] = warnings.iter().map(|it| &**it).collect();
    }
    let mut text = recorded.to_string();
    for (directory, name) in names {
        text = text.replace(directory, name);
    }
    serde_json::from_str(&text).expect("names are as legal in JSON as paths")
}

fn as_recorded(answer: &Answer, with_explanation: bool) -> Json {
    let mut fields = Map::new();
    match &answer.outcome {
        Ok(Some(value)) => {
            fields.insert("status".into(), "found".into());
            fields.insert("value".into(), render::to_exact_json(&value.value));
        }
        Ok(None) => {
            fields.insert("status".into(), "not_found".into());
        }
        Err(failure) => {
            fields.insert("status".into(), "error".into());
            fields.insert("error".into(), (&*failure.message).into());
            fields.insert("error_class".into(), failure.class.ruby_name().into());
        }
    }
    if with_explanation && let Some(trace) = &answer.trace {
        fields.insert("explain".into(), explain::to_text(trace, &explain::Plain).into());
    }
    Json::Object(fields)
}

/// A JSON object as a hash of Puppet.
pub(crate) fn hash(json: &Json) -> Hash {
    match json::to_value(json) {
        Value::Hash(hash) => Hash::clone(&hash),
        other => panic!("facts are a hash, not {other:?}"),
    }
}
