//! Renders the table of settings as a JSON schema, as VS Code's configuration, and as a table for the documentation.

use serde_json::{Map, Value, json};

use super::check::NODE_KEYS;
use super::table::{SETTINGS, SEVERITIES};
use super::{ALL_RULES, EDITOR_PREFIX, Kind, PROJECT_FILE, RuleName, Scope, Setting};

/// The definition of a map from rules to severities. Four settings use it, and it is the longest part of the schema.
const SEVERITIES_DEFINITION: &str = "severities";

/// The JSON schema of the project file. `rules` are those that it may name.
pub fn json_schema(rules: &[RuleName]) -> Value {
    let mut properties = Map::new();
    for setting in SETTINGS {
        let schema = with_default(schema_of(setting), setting);
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
        "definitions": { SEVERITIES_DEFINITION: severity_schema(rules) },
    })
}

/// Titles on VS Code's settings page, and the prefixes of the keys below them. The first match is used.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Nodes and facts", &["node", "facts", "trusted", "serverFacts", "variables", "environment"]),
    ("Diagnostics", &["diagnostics.", "coexistWithYamlLanguageServer"]),
    ("What editors show", &["hover.", "codeLens.", "changes.", "documentLinks.", "inlayHints."]),
    ("eyaml and back ends", &["eyaml.", "backends"]),
    ("Log", &["log."]),
    ("Puppet and its directories", &[""]),
];

/// VS Code's `contributes.configuration`: groups in the order of [`GROUPS`]. Types are as simple as VS Code's page of
/// settings needs them to show boxes and menus. The extension sends only what the user set, so that a default does not win over
/// the project file.
pub fn vscode_configuration(rules: &[RuleName]) -> Vec<Value> {
    let group = |(index, (title, _)): (usize, &(&str, &[&str]))| {
        let of_group = SETTINGS.iter().filter(|it| group_of(it.key) == index);
        let properties: Map<String, Value> = of_group
            .map(|it| (format!("{EDITOR_PREFIX}.{}", it.key), vscode_setting(it, rules)))
            .collect();
        json!({ "title": title, "properties": properties })
    };
    GROUPS.iter().enumerate().map(group).collect()
}

/// The settings that VS Code does not read from a workspace that the user does not trust.
pub fn vscode_restricted() -> Vec<String> {
    let restricted = SETTINGS.iter().filter(|it| it.scope != Scope::Window);
    restricted.map(|it| format!("{EDITOR_PREFIX}.{}", it.key)).collect()
}

fn group_of(key: &str) -> usize {
    let matches = |prefixes: &&[&str]| prefixes.iter().any(|it| key.starts_with(it));
    GROUPS.iter().position(|(_, prefixes)| matches(prefixes)).expect("the last takes all keys")
}

fn vscode_setting(setting: &Setting, rules: &[RuleName]) -> Value {
    let mut schema = schema_of(setting);
    match setting.kind {
        Kind::PathList | Kind::PatternList => schema["type"] = "array".into(),
        Kind::SeverityMap => {
            schema = json!({
                "type": "object",
                "additionalProperties": false,
                "properties": vscode_severities(rules),
            });
        }
        // With all rules and their documentation once more for each glob, the file would be twice as large.
        Kind::PathSeverityMap => {
            schema["additionalProperties"] = json!({
                "type": "object",
                "propertyNames": {"enum": rule_names(rules)},
                "additionalProperties": {"type": "string", "enum": SEVERITIES},
            });
        }
        _ => {}
    }
    let empty = match schema["type"].as_str() {
        Some("string") if setting.default == "null" => Value::from(""),
        Some("array") => json!([]),
        _ => Value::Null,
    };
    let default: Value =
        serde_json::from_str(setting.default).expect("the table's defaults are JSON");
    schema["default"] = if default.is_null() { empty } else { default };
    schema["markdownDescription"] = setting.doc.into();
    schema["scope"] = match setting.scope {
        Scope::Window | Scope::Trusted => "window".into(),
        Scope::Machine => "machine".into(),
    };
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("description");
    }
    schema
}

/// A menu for each rule.
fn vscode_severities(rules: &[RuleName]) -> Value {
    let menu = |(rule, doc): (&str, String)| {
        (rule.to_owned(), json!({"type": "string", "enum": SEVERITIES, "description": doc}))
    };
    let former = former_names(rules).map(|(former, doc)| {
        let (former, mut menu) = menu((former, doc.clone()));
        menu["deprecationMessage"] = doc.into();
        (former, menu)
    });
    Value::Object(current_names(rules).map(menu).chain(former).collect())
}

fn rule_names(rules: &[RuleName]) -> Vec<Value> {
    let names = current_names(rules).chain(former_names(rules));
    names.map(|(name, _)| Value::from(name)).collect()
}

/// The names that editors suggest: the one for all rules, and that of each rule.
fn current_names(rules: &[RuleName]) -> impl Iterator<Item = (&str, String)> {
    let all = [(ALL_RULES, "All rules that are not named.".to_owned())];
    all.into_iter().chain(rules.iter().map(|it| (it.code, it.summary.to_owned())))
}

/// Names that are accepted, but not suggested.
fn former_names(rules: &[RuleName]) -> impl Iterator<Item = (&str, String)> {
    let now = |code| format!("Now `{code}`.");
    rules.iter().flat_map(move |it| it.former.iter().map(move |name| (*name, now(it.code))))
}

/// The Markdown table for the documentation.
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

fn schema_of(setting: &Setting) -> Value {
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
        // A reader of draft 7 ignores what is beside a `$ref`.
        Kind::SeverityMap => json!({"allOf": [severities()]}),
        Kind::PathSeverityMap => json!({"type": "object", "additionalProperties": severities()}),
        Kind::DataMap => json!({"type": "object"}),
        Kind::Nodes => json!({"type": "object", "additionalProperties": node_schema()}),
    };
    if let (Some(schema), Value::Object(shape)) = (schema.as_object_mut(), shape) {
        schema.extend(shape);
    }
    schema
}

fn severities() -> Value {
    json!({ "$ref": format!("#/definitions/{SEVERITIES_DEFINITION}") })
}

fn severity_schema(rules: &[RuleName]) -> Value {
    let words = json!({"type": ["string", "boolean"], "enum": severity_words()});
    let mut properties = Map::new();
    let mut add = |(rule, doc): (&str, String)| {
        let mut schema = words.clone();
        schema["description"] = doc.into();
        properties.insert(rule.to_owned(), schema);
    };
    current_names(rules).for_each(&mut add);
    former_names(rules).for_each(&mut add);
    for (name, _) in former_names(rules) {
        properties[name]["deprecated"] = true.into();
        properties[name]["doNotSuggest"] = true.into();
    }
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

/// The severities; a YAML 1.1 reader reads an unquoted `off` as `false`.
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
    fn vs_code_shows_boxes_and_menus() {
        let groups = vscode_configuration(&[RuleName {
            code: "unused-key",
            former: &["idle-key"],
            summary: "A key that is not looked up.",
        }]);
        let properties =
            groups.iter().flat_map(|it| it["properties"].as_object().expect("an object"));
        let properties: Map<String, Value> =
            properties.map(|(key, schema)| (key.clone(), schema.clone())).collect();
        assert_eq!(properties.len(), SETTINGS.len());
        assert!(
            groups.iter().all(|it| it["properties"].as_object().is_some_and(|it| !it.is_empty()))
        );
        // VS Code shows no input field for a type that allows several types, or null.
        assert!(properties.values().all(|it| it["type"].is_string() && !it["default"].is_null()));
        assert!(properties.keys().all(|key| key.starts_with("hiera.")));
        assert_eq!(properties["hiera.puppetVersion"]["enum"], json!([7, 8]));
        assert_eq!(properties["hiera.modulepath"]["default"], json!([]));
        let severity = &properties["hiera.diagnostics.severity"]["properties"]["unused-key"];
        assert_eq!(severity["description"], "A key that is not looked up.");
        let by_path = &properties["hiera.diagnostics.severityByPath"]["additionalProperties"];
        assert_eq!(by_path["propertyNames"]["enum"], json!(["all", "unused-key", "idle-key"]));
        assert_eq!(group_of("node_name"), 0);
        assert_eq!(GROUPS[group_of("modulepath")].0, "Puppet and its directories");
    }

    #[test]
    fn the_table_has_a_line_per_setting() {
        let table = markdown_table();
        assert_eq!(table.lines().count(), SETTINGS.len() + 2);
        assert!(table.contains("| `log.level` | `off`, `error`,"), "{table}");
    }
}
