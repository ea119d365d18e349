//! The keys of a `lookup` command: from arguments, from a file, or all of them.

use std::io::Read as _;
use std::path::Path;

use serde_json::Value as Json;

use crate::cli::input;

/// What a query can have.
const MEMBERS: [&str; 4] = ["key", "merge", "default", "type"];

/// One lookup.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Query {
    pub(super) key: String,
    /// A strategy's name or a hash; `None` for the command line's.
    pub(super) merge: Option<Json>,
    /// Its own default; `Some(Json::Null)` is an explicit undef.
    pub(super) default: Option<Json>,
    /// Its own Puppet type.
    pub(super) value_type: Option<String>,
}

impl Query {
    pub(super) fn key(key: impl Into<String>) -> Self {
        Self { key: key.into(), merge: None, default: None, value_type: None }
    }

    /// The name of something that it says itself besides the key.
    pub(super) fn own_option(&self) -> Option<&'static str> {
        let Self { merge, default, value_type, .. } = self;
        let said = [
            ("merge", merge.is_some()),
            ("default", default.is_some()),
            ("type", value_type.is_some()),
        ];
        said.into_iter().find(|(_, is_said)| *is_said).map(|(name, _)| name)
    }

    /// Parses a line of a key file: a plain key, a JSON string, or an object with `key` and optionally `merge`, `default`,
    /// `type`.
    fn parse(line: &str) -> Result<Self, String> {
        if line.starts_with('"') && line.ends_with('"') {
            let key = serde_json::from_str::<String>(line).unwrap_or_else(|_| line.to_owned());
            return Ok(Self::key(key));
        }
        // A key may start with a brace, but not with a brace and a quote.
        if !line.starts_with("{\"") {
            return Ok(Self::key(line));
        }
        let object: Json =
            serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
        let text = |name: &str| object.get(name).and_then(Json::as_str).map(str::to_owned);
        let key = text("key").ok_or_else(|| match object.get("key") {
            Some(_) => format!("the key is not a string: {line}"),
            None => format!("a query without `key`: {line}"),
        })?;
        let mut members = object.as_object().into_iter().flat_map(|it| it.keys());
        if let Some(unknown) = members.find(|it| !MEMBERS.contains(&it.as_str())) {
            return Err(format!("`{unknown}` is none of {}: {line}", MEMBERS.join(", ")));
        }
        Ok(Self {
            key,
            merge: object.get("merge").filter(|it| !it.is_null()).cloned(),
            default: object.get("default").cloned(),
            value_type: text("type"),
        })
    }
}

/// The lookups in a file, one per line; `-` is standard input.
pub(super) fn from_file(path: &str) -> Result<Vec<Query>, String> {
    let (shown, text) = if path == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        ("standard input", input::as_text(&"standard input", bytes)?)
    } else {
        (path, input::read(Path::new(path))?)
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
    let in_line = |(number, line)| {
        Query::parse(line).map_err(|why| format!("{shown}, line {}: {why}", number + 1))
    };
    lines.map(in_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_be_a_key_a_string_or_an_object() {
        let keys = ["a.b", "\"a.b\"", r#"{"key":"a.b","merge":"deep"}"#]
            .map(|line| Query::parse(line).expect("a legal line"));
        assert!(keys.iter().all(|query| query.key == "a.b"));
        assert_eq!(keys[2].merge, Some(Json::from("deep")));
        assert!(Query::parse(r#"{"merge":"deep"}"#).is_err());
        let misspelt = r#"{"key":"a","defualt":1}"#;
        let refusal = format!("`defualt` is none of key, merge, default, type: {misspelt}");
        assert_eq!(Query::parse(misspelt), Err(refusal));
    }
}
