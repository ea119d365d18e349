//! The table of settings in other people's words: JSON schema, VS Code's configuration, a table for the docs.

use serde_json::{Map, Value, json};

use super::check::NODE_KEYS;
use super::table::{SETTINGS, SEVERITIES};
use super::{ALL_RULES, EDITOR_PREFIX, Kind, PROJECT_FILE, Scope, Setting};

/// The JSON schema of the project file. `rules` are the rules' names with a one-line doc each.
pub fn json_schema(rules: &[(&str, &str)]) -> Value {
    let mut properties = Map::new();
    for setting in SETTINGS {
        let schema = with_default(schema_of(setting, rules), setting);
        if let Some((group, member)) = setting.key.split_once('.') {
            let nested = properties.entry(group).or_insert_with(
                || json!({"type": "object", "additionalProperties": false, "properties": {}}),
            );
            nested["properties"][member] = schema.clone();
        }
        properties.insert(setting.key.to_owned(), schema);
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "hiera-ls",
        "description": format!("Settings of hiera-ls in `{PROJECT_FILE}`."),
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}

/// What VS Code's `contributes.configuration` holds. Every default is `null`, "not set": otherwise VS Code would send
/// the defaults as if the user had set them, and they would win over the project file.
pub fn vscode_configuration(rules: &[(&str, &str)]) -> Value {
    let mut properties = Map::new();
    for setting in SETTINGS {
        let mut schema = schema_of(setting, rules);
        let doc = format!("{} Default: `{}`.", setting.doc, setting.default);
        let description = if setting.default == "null" { setting.doc.to_owned() } else { doc };
        schema["markdownDescription"] = Value::from(description);
        let kind = schema["type"].take();
        schema["type"] = match kind {
            Value::Array(mut kinds) => {
                kinds.push("null".into());
                Value::Array(kinds)
            }
            kind => json!([kind, "null"]),
        };
        if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            words.push(Value::Null);
        }
        schema["default"] = Value::Null;
        schema["scope"] = match setting.scope {
            Scope::Resource => "resource".into(),
            Scope::Window => "window".into(),
            Scope::Machine => "machine".into(),
        };
        if let Some(members) = schema.as_object_mut() {
            members.shift_remove("description");
        }
        properties.insert(format!("{EDITOR_PREFIX}.{}", setting.key), schema);
    }
    json!({ "title": "Hiera", "properties": properties })
}

/// The table of the documentation, in Markdown.
pub fn markdown_table() -> String {
    let mut table =
        String::from("| Setting | Type | Default | What it does |\n|---|---|---|---|\n");
    for setting in SETTINGS {
        let (key, default) = (setting.key, setting.default);
        let (kind, doc) = (words_of(setting.kind), setting.doc);
        let default = if default == "null" { "–".to_owned() } else { format!("`{default}`") };
        table.extend(["| `", key, "` | ", &kind, " | ", &default, " | ", doc, " |\n"]);
    }
    table
}

fn with_default(mut schema: Value, setting: &Setting) -> Value {
    let default: Value =
        serde_json::from_str(setting.default).expect("the table's defaults are JSON");
    if !default.is_null() {
        schema["default"] = default;
    }
    schema
}

fn schema_of(setting: &Setting, rules: &[(&str, &str)]) -> Value {
    let mut schema = json!({ "description": setting.doc });
    let shape = match setting.kind {
        Kind::Boolean => json!({"type": "boolean"}),
        Kind::Integer(least) => json!({"type": "integer", "minimum": least}),
        Kind::Version(versions) => json!({"type": "integer", "enum": versions}),
        Kind::Choice(words) => json!({"type": "string", "enum": words}),
        Kind::Text | Kind::Path => json!({"type": "string"}),
        Kind::PathList | Kind::PatternList => {
            json!({"type": ["array", "string"], "items": {"type": "string"}})
        }
        Kind::PathMap => json!({"type": "object", "additionalProperties": {"type": "string"}}),
        Kind::SeverityMap => severity_schema(rules),
        Kind::PathSeverityMap => {
            json!({"type": "object", "additionalProperties": severity_schema(rules)})
        }
        Kind::DataMap => json!({"type": "object"}),
        Kind::Nodes => json!({"type": "object", "additionalProperties": node_schema()}),
    };
    if let (Some(schema), Value::Object(shape)) = (schema.as_object_mut(), shape) {
        schema.extend(shape);
    }
    schema
}

fn severity_schema(rules: &[(&str, &str)]) -> Value {
    let words = json!({"type": ["string", "boolean"], "enum": severity_words()});
    if rules.is_empty() {
        return json!({"type": "object", "additionalProperties": words});
    }
    let mut properties = Map::new();
    for (rule, doc) in [(ALL_RULES, "All rules that are not named.")].iter().chain(rules) {
        let mut schema = words.clone();
        schema["description"] = Value::from(*doc);
        properties.insert((*rule).to_owned(), schema);
    }
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

/// The severities; `false` is how a YAML 1.1 reader takes an unquoted `off`.
fn severity_words() -> Vec<Value> {
    SEVERITIES.iter().map(|it| Value::from(*it)).chain([Value::from(false)]).collect()
}

fn node_schema() -> Value {
    let mut properties = Map::new();
    for key in NODE_KEYS {
        let kind = match *key {
            "facts" => json!({"type": ["object", "string"]}),
            "environment" => json!({"type": "string"}),
            _ => json!({"type": "object"}),
        };
        properties.insert((*key).to_owned(), kind);
    }
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn words_of(kind: Kind) -> String {
    let listed = |words: Vec<String>| words.join(", ");
    match kind {
        Kind::Boolean => "`true` or `false`".into(),
        Kind::Integer(least) => format!("whole number ≥ {least}"),
        Kind::Version(versions) => listed(versions.iter().map(|it| format!("`{it}`")).collect()),
        Kind::Choice(words) => listed(words.iter().map(|it| format!("`{it}`")).collect()),
        Kind::Text => "text".into(),
        Kind::Path => "path".into(),
        Kind::PathList => "list of paths".into(),
        Kind::PatternList => "list of regular expressions".into(),
        Kind::PathMap => "map from path to path".into(),
        Kind::SeverityMap => "map from rule to severity".into(),
        Kind::PathSeverityMap => "map from glob to such a map".into(),
        Kind::DataMap => "map".into(),
        Kind::Nodes => "map from name to node".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vs_code_sends_nothing_that_the_user_did_not_set() {
        let configuration = vscode_configuration(&[("unused-key", "A key that is not looked up.")]);
        let properties = configuration["properties"].as_object().expect("an object");
        assert_eq!(properties.len(), SETTINGS.len());
        assert!(properties.values().all(|it| it["default"].is_null()));
        assert!(properties.keys().all(|key| key.starts_with("hiera.")));
        let version = &properties["hiera.puppetVersion"];
        assert_eq!(version["enum"], json!([7, 8, null]));
        let severity = &properties["hiera.diagnostics.severity"]["properties"]["unused-key"];
        assert_eq!(severity["description"], "A key that is not looked up.");
    }

    #[test]
    fn the_table_has_a_line_per_setting() {
        let table = markdown_table();
        assert_eq!(table.lines().count(), SETTINGS.len() + 2);
        assert!(table.contains("| `log.level` | `off`, `error`,"), "{table}");
    }
}
