//! Validates settings: invalid parts are reported and left out.

mod back_ends;

use std::sync::Arc;

use indexmap::IndexMap;

use super::raw::range_of;
use super::table::{SETTINGS, SEVERITIES};
use super::{
    ALL_RULES, Kind, LogLevel, NodeSettings, Preset, PuppetVersion, RawSettings, RuleName,
    Settings, SettingsProblem, Severity, SeverityMap, nearest_name,
};
use crate::data::{Hash, Located, Member, Value};
use crate::facts::formats::hash_without_places;
use crate::facts::{NamePattern, NamePatterns};
use crate::text::TextRange;

/// The name of the saved files in `changes.before`.
const SAVED: &str = "saved";

/// The keys that a member of `nodes` may have.
pub(super) const NODE_KEYS: &[&str] =
    &["facts", "trusted", "serverFacts", "variables", "environment"];

impl Settings {
    /// Applies `raw` over the existing settings; maps are merged, everything else is replaced.
    pub fn apply(&mut self, raw: &RawSettings, rules: &[RuleName]) -> Vec<SettingsProblem> {
        let mut reader = SettingsReader { raw, rules, problems: Vec::new() };
        reader.find_unknown_keys();
        for setting in SETTINGS {
            if let Some(value) = raw.get(setting.key) {
                self.set(setting.key, setting.kind, value, &mut reader);
            }
        }
        reader.problems
    }

    /// Sets the field that belongs to `key`.
    fn set(
        &mut self,
        key: &'static str,
        kind: Kind,
        value: &Located,
        reader: &mut SettingsReader<'_>,
    ) {
        match key {
            "puppetVersion" => set_if(&mut self.puppet_version, reader.version(key, value)),
            "node" => set_if(&mut self.node, reader.filled_text(key, value).map(Some)),
            "node_name" => set_if(&mut self.node_name, reader.name_patterns(key, value)),
            "facts" => set_if(&mut self.facts, reader.list(key, value)),
            "trusted" => join(&mut self.trusted, reader.map(key, value)),
            "serverFacts" => join(&mut self.server_facts, reader.map(key, value)),
            "variables" => join(&mut self.variables, reader.map(key, value)),
            "nodes" => reader.nodes(key, value, &mut self.nodes),
            "environment" => {
                set_if(&mut self.environment, reader.filled_text(key, value).map(Some));
            }
            "modulepath" => set_if(&mut self.modulepath, reader.list(key, value).map(Some)),
            "basemodulepath" => set_if(&mut self.basemodulepath, reader.list(key, value)),
            "globalHieraYaml" => {
                set_if(&mut self.global_hiera_yaml, reader.filled_text(key, value).map(Some));
            }
            "datadirMap" => self.datadir_map.extend(reader.text_map(key, value)),
            "diagnostics.enabled" => set_if(&mut self.diagnostics.enabled, reader.flag(key, value)),
            "diagnostics.severity" => {
                self.diagnostics.severity.extend(reader.severities(key, value));
            }
            "diagnostics.scope" => {
                let scopes = [("workspace", false), ("openFiles", true)];
                let scope = reader.choice(key, value, &scopes);
                set_if(&mut self.diagnostics.only_open_files, scope);
            }
            "diagnostics.preset" => {
                let is_former = value.value.as_str() == Some(Preset::FORMER_NAME);
                let preset = if is_former {
                    Some(Preset::Recommended)
                } else {
                    reader.choice(key, value, &Preset::NAMES)
                };
                set_if(&mut self.diagnostics.preset, preset);
            }
            "diagnostics.severityByPath" => {
                for (glob, severities) in reader.severities_by_path(key, value) {
                    // The last match wins, so an entry that is set again moves to the end.
                    let known = self.diagnostics.severity_by_path.shift_remove(&glob);
                    let mut joined = known.unwrap_or_default();
                    joined.extend(severities);
                    self.diagnostics.severity_by_path.insert(glob, joined);
                }
            }
            "diagnostics.baseline" => {
                set_if(&mut self.diagnostics.baseline, reader.filled_text(key, value));
            }
            "hover.maxLines" => set_if(&mut self.hover_max_lines, reader.number(key, kind, value)),
            "codeLens.enabled" => set_if(&mut self.code_lens_enabled, reader.flag(key, value)),
            "codeLens.changes" => set_if(&mut self.code_lens_changes, reader.flag(key, value)),
            "changes.before" => {
                if let Some(before) = reader.filled_text(key, value) {
                    self.changes_before = (&*before != SAVED).then_some(before);
                }
            }
            "hover.blame" => set_if(&mut self.hover_blame, reader.flag(key, value)),
            "codeLens.parameters" => {
                set_if(&mut self.class_parameters.lenses, reader.flag(key, value));
            }
            "documentLinks.parameters" => {
                set_if(&mut self.class_parameters.links, reader.flag(key, value));
            }
            "codeLens.classParameters" => {
                set_if(&mut self.code_lens_class_parameters, reader.flag(key, value));
            }
            "inlayHints.interpolations" => {
                set_if(&mut self.inlay_hints.interpolations, reader.flag(key, value));
            }
            "inlayHints.overridden" => {
                set_if(&mut self.inlay_hints.overridden, reader.flag(key, value));
            }
            "coexistWithYamlLanguageServer" => {
                set_if(&mut self.coexist_with_yaml_language_server, reader.flag(key, value));
            }
            "log.level" => {
                set_if(&mut self.log_level, reader.choice(key, value, &LogLevel::NAMES));
            }
            "eyaml.decrypt" => set_if(&mut self.eyaml.decrypt, reader.flag(key, value)),
            "eyaml.privateKey" => {
                set_if(&mut self.eyaml.private_key, reader.filled_text(key, value).map(Some));
            }
            "eyaml.publicKey" => {
                set_if(&mut self.eyaml.public_key, reader.filled_text(key, value).map(Some));
            }
            "backends" => reader.back_ends(key, value, &mut self.backends),
            _ => debug_assert!(false, "the setting {key} has no field"),
        }
    }
}

/// Problems after this many have no "did you mean".
const MAX_SUGGESTIONS: usize = 1_000;

/// Converts values to the types of settings, and records those that cannot be converted.
struct SettingsReader<'a> {
    raw: &'a RawSettings,
    rules: &'a [RuleName],
    problems: Vec<SettingsProblem>,
}

impl SettingsReader<'_> {
    fn problem(&mut self, key: &str, range: TextRange, message: String) {
        let (key, source) = (key.to_owned(), self.raw.source);
        self.problems.push(SettingsProblem { message, range, key, source, is_warning: false });
    }

    /// Records that `value` is not what `key` expects.
    fn wrong(&mut self, key: &str, value: &Located, expected: &str) {
        let message = format!("`{key}` must be {expected}.");
        self.problem(key, range_of(value.place), message);
    }

    fn unknown(&mut self, name: &str, range: TextRange, what: &str, known: &[&str]) {
        // Each suggestion compares the name with all known ones.
        let is_worth_it = self.problems.len() < MAX_SUGGESTIONS;
        let meant = is_worth_it.then(|| nearest_name(name, known.iter().copied())).flatten();
        let meant = meant.map_or(String::new(), |it| format!(" Did you mean `{it}`?"));
        self.problem(name, range, format!("`{name}` is not {what}.{meant}"));
    }

    fn find_unknown_keys(&mut self) {
        let raw = self.raw;
        let known: Vec<&str> = SETTINGS.iter().map(|it| it.key).collect();
        for (key, member) in &raw.root {
            let name = key_text(key);
            if known.contains(&&*name) {
                continue;
            }
            let prefix = format!("{name}.");
            let in_group: Vec<&str> =
                known.iter().filter_map(|it| it.strip_prefix(prefix.as_str())).collect();
            match member.value.value.as_hash() {
                Some(group) if !in_group.is_empty() => {
                    self.find_unknown(&name, group, &in_group);
                }
                _ if !in_group.is_empty() => {
                    let example = format!("a map with members such as `{}`", in_group[0]);
                    self.wrong(&name, &member.value, &example);
                }
                _ => {
                    let range = range_of(member.key_place);
                    match member_of_map(&name) {
                        Some((map, rest)) => {
                            let message =
                                format!("`{name}` is not a setting. Write `{map}: {{{rest}: …}}`.");
                            self.problem(&name, range, message);
                        }
                        None => self.unknown(&name, range, "a setting", &known),
                    }
                }
            }
        }
    }

    fn find_unknown(&mut self, group: &str, members: &Hash, known: &[&str]) {
        for (key, member) in members {
            let name = key_text(key);
            if !known.contains(&&*name) {
                let range = range_of(member.key_place);
                self.unknown(&name, range, &format!("a setting of `{group}`"), known);
            }
        }
    }

    fn flag(&mut self, key: &str, value: &Located) -> Option<bool> {
        if let Value::Boolean(flag) = value.value {
            return Some(flag);
        }
        self.wrong(key, value, "`true` or `false`");
        None
    }

    fn number(&mut self, key: &str, kind: Kind, value: &Located) -> Option<u32> {
        let least = if let Kind::Integer(least) = kind { least } else { 0 };
        if let Value::Integer(number) = value.value
            && let Ok(number) = u32::try_from(number)
            && number >= least
        {
            return Some(number);
        }
        self.wrong(key, value, &format!("a whole number of at least {least}"));
        None
    }

    fn version(&mut self, key: &str, value: &Located) -> Option<PuppetVersion> {
        let version = match (&value.value, value.value.as_str()) {
            (Value::Integer(7), _) | (_, Some("7")) => Some(PuppetVersion::V7),
            (Value::Integer(8), _) | (_, Some("8")) => Some(PuppetVersion::V8),
            _ => None,
        };
        if version.is_none() {
            self.wrong(key, value, "7 or 8");
        }
        version
    }

    fn text(&mut self, key: &str, value: &Located) -> Option<Arc<str>> {
        if let Value::String(text) = &value.value {
            return Some(text.clone());
        }
        self.wrong(key, value, "text");
        None
    }

    /// A text. An empty one counts as none: an empty box in an editor gives it, and so does a variable that is not set.
    fn filled_text(&mut self, key: &str, value: &Located) -> Option<Arc<str>> {
        self.text(key, value).filter(|it| !it.is_empty())
    }

    fn list(&mut self, key: &str, value: &Located) -> Option<Vec<Arc<str>>> {
        if let Value::String(text) = &value.value {
            return Some(vec![text.clone()]);
        }
        let Some(items) = value.value.as_array() else {
            self.wrong(key, value, "a list of paths");
            return None;
        };
        Some(items.iter().filter_map(|item| self.text(key, item)).collect())
    }

    /// The patterns that are regular expressions with a named group; others are left out.
    fn name_patterns(&mut self, key: &str, value: &Located) -> Option<NamePatterns> {
        let items = match &value.value {
            Value::String(_) => std::slice::from_ref(value),
            Value::Array(items) => items.as_slice(),
            _ => {
                self.wrong(key, value, "a regular expression, or a list of them");
                return None;
            }
        };
        let mut patterns = Vec::new();
        for item in items {
            let Some(source) = self.text(key, item) else { continue };
            let range = range_of(item.place);
            match NamePattern::new(&source, range) {
                Err(problem) => {
                    let message = format!("`{source}` is not a regular expression: {problem}.");
                    self.problem(key, range, message);
                }
                Ok(pattern) if pattern.groups().is_empty() => {
                    let message = format!(
                        "`{source}` has no named group, so it proves nothing. Write `(?<role>…)` around the part of the \
                         name that is the role."
                    );
                    self.problem(key, range, message);
                }
                Ok(pattern) => patterns.push(pattern),
            }
        }
        Some(NamePatterns::new(patterns))
    }

    fn map<'v>(&mut self, key: &str, value: &'v Located) -> Option<&'v Hash> {
        let hash = value.value.as_hash();
        if hash.is_none() {
            self.wrong(key, value, "a map");
        }
        hash
    }

    fn text_map(&mut self, key: &str, value: &Located) -> IndexMap<Arc<str>, Arc<str>> {
        let members = self.map(key, value);
        members
            .into_iter()
            .flatten()
            .filter_map(|(from, to)| Some((key_text(from), self.text(key, &to.value)?)))
            .collect()
    }

    fn severities(&mut self, key: &str, value: &Located) -> SeverityMap {
        let mut severities = SeverityMap::new();
        for (rule, member) in self.map(key, value).into_iter().flatten() {
            let rule = key_text(rule);
            let is_meant = |it: &&RuleName| *it.code == *rule || it.former.contains(&&*rule);
            let named = self.rules.iter().find(is_meant);
            if !self.rules.is_empty() && named.is_none() && &*rule != ALL_RULES {
                let codes: Vec<&str> = self.rules.iter().map(|it| it.code).collect();
                self.unknown(&rule, range_of(member.key_place), "a rule", &codes);
            }
            if let Some(severity) = self.severity(&format!("{key}.{rule}"), member) {
                // A former name sets the severity of the rule under its present name.
                let code = named.map_or(rule, |it| it.code.into());
                severities.insert(code, severity);
            }
        }
        severities
    }

    fn severities_by_path(
        &mut self,
        key: &str,
        value: &Located,
    ) -> IndexMap<Arc<str>, SeverityMap> {
        let mut by_path = IndexMap::new();
        for (glob, member) in self.map(key, value).into_iter().flatten() {
            let glob = key_text(glob);
            let severities = self.severities(&format!("{key}.{glob}"), &member.value);
            by_path.insert(glob, severities);
        }
        by_path
    }

    /// YAML 1.1 reads an unquoted `off` as `false`, which can only mean `off` here.
    fn severity(&mut self, key: &str, member: &Member) -> Option<Severity> {
        if let Value::Boolean(false) = member.value.value {
            return Some(Severity::Off);
        }
        self.choice(key, &member.value, &Severity::NAMES)
    }

    fn choice<T: Copy>(&mut self, key: &str, value: &Located, names: &[(&str, T)]) -> Option<T> {
        // As with severities, an unquoted `off` arrives as `false`.
        let is_off = matches!(value.value, Value::Boolean(false));
        let word = if is_off { Some("off") } else { value.value.as_str() };
        let found = names.iter().find(|(name, _)| Some(*name) == word).map(|(_, it)| *it);
        if found.is_none() {
            let words: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
            self.wrong(key, value, &format!("one of {}", words.join(", ")));
        }
        found
    }

    fn nodes(&mut self, key: &str, value: &Located, nodes: &mut IndexMap<Arc<str>, NodeSettings>) {
        for (name, member) in self.map(key, value).into_iter().flatten() {
            let name = key_text(name);
            let path = format!("{key}.{name}");
            let node = nodes.entry(name).or_default();
            // `web01:` without a value adds a node of which only the name is known.
            let is_bare_name = matches!(member.value.value, Value::Undef);
            if !is_bare_name && let Some(parts) = self.map(&path, &member.value) {
                self.find_unknown(&path, parts, NODE_KEYS);
                self.node(&path, parts, node);
            }
        }
    }

    fn node(&mut self, path: &str, parts: &Hash, node: &mut NodeSettings) {
        for (key, member) in parts {
            let value = &member.value;
            let name = key_text(key);
            let path = format!("{path}.{name}");
            match &*name {
                "facts" if value.value.as_str().is_some() => {
                    node.facts_file = self.text(&path, value);
                }
                "facts" => join(&mut node.facts, self.map(&path, value)),
                "trusted" => join(&mut node.trusted, self.map(&path, value)),
                "serverFacts" => join(&mut node.server_facts, self.map(&path, value)),
                "variables" => join(&mut node.variables, self.map(&path, value)),
                "environment" => set_if(&mut node.environment, self.text(&path, value).map(Some)),
                _ => {}
            }
        }
    }
}

fn set_if<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

fn join(field: &mut Hash, members: Option<&Hash>) {
    for (key, member) in &members.map(hash_without_places).unwrap_or_default() {
        field.insert(Value::String(key_text(key)), None, member.value.clone());
    }
}

/// The setting and the member that a key with dots was meant for. Members of maps can have dots themselves, so they are not joined.
fn member_of_map(name: &str) -> Option<(&'static str, &str)> {
    let maps = SETTINGS.iter().filter(|it| it.kind.is_map()).map(|it| it.key);
    { maps }.find_map(|map| Some((map, name.strip_prefix(map)?.strip_prefix('.')?)))
}

/// A key as text: keys of settings are strings, but YAML reads `7:` as a number.
fn key_text(key: &Value) -> Arc<str> {
    match key {
        Value::String(text) | Value::BigInteger(text) | Value::Symbol(text) => text.clone(),
        Value::Integer(number) => Arc::from(number.to_string()),
        Value::Float(number) => Arc::from(number.to_string()),
        Value::Boolean(flag) => Arc::from(flag.to_string()),
        _ => Arc::from(""),
    }
}

const _: () = assert!(SEVERITIES.len() == Severity::NAMES.len(), "the words for severities");

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const RULE: RuleName = RuleName { code: "unused-key", former: &["idle-key"], summary: "" };

    #[track_caller]
    fn read(yaml: &str, editor: &serde_json::Value) -> (Settings, String) {
        let (settings, problems) = Settings::read(Some(yaml), Some(editor), &[RULE]);
        let at = |problem: &SettingsProblem| problem.range.slice(yaml).to_owned();
        let messages: Vec<String> =
            problems.iter().map(|it| format!("{}: {}", at(it), it.message)).collect();
        (settings, messages.join("\n"))
    }

    #[track_caller]
    fn check(yaml: &str, problems: &str) {
        assert_eq!(read(yaml, &json!({})).1, problems);
    }

    #[test]
    fn only_so_many_names_get_a_suggestion() {
        let names: Vec<String> = (0..5_000).map(|it| format!("  unused-key{it}: off\n")).collect();
        let (_, messages) = read(&format!("diagnostics.severity:\n{}", names.concat()), &json!({}));
        assert_eq!(messages.lines().count(), 5_000);
        assert_eq!(messages.matches("Did you mean").count(), MAX_SUGGESTIONS);
    }

    #[test]
    fn every_setting_has_a_field_and_its_default() {
        let defaults: serde_json::Map<String, serde_json::Value> = SETTINGS
            .iter()
            .map(|it| (it.key.to_owned(), serde_json::from_str(it.default).expect("JSON")))
            .collect();
        let (settings, problems) = Settings::read(None, Some(&defaults.into()), &[]);
        assert_eq!((settings, problems), (Settings::default(), Vec::new()));
    }

    #[test]
    fn problems_say_where_and_what_to_write() {
        check("node: web01\nfacts: spec/factsets\n", "");
        check("", "");
        check("- a", "- a: The settings must be a map, e.g. `node: web01.example.com`.");
        check(
            "a: [\n",
            ": The file is not valid YAML: did not find expected node content while parsing a flow node.",
        );
        check(
            "puppetversoin: 7",
            "puppetversoin: `puppetversoin` is not a setting. Did you mean `puppetVersion`?",
        );
        check("\u{feff}node: web01\npuppetVersion: 9", "9: `puppetVersion` must be 7 or 8.");
        check("puppetVersion: 9", "9: `puppetVersion` must be 7 or 8.");
        check(
            "diagnostics.severity.unused-key: error",
            "diagnostics.severity.unused-key: `diagnostics.severity.unused-key` is not a setting. Write \
             `diagnostics.severity: {unused-key: …}`.",
        );
        check(
            "hover: {maxLine: 3}",
            "maxLine: `maxLine` is not a setting of `hover`. Did you mean `maxLines`?",
        );
        check(
            "diagnostics: {preset: loud}",
            "loud: `diagnostics.preset` must be one of `recommended`, `strict`, `ci`.",
        );
        check("diagnostics: {preset: default}", "");
        check("hover: 3", "3: `hover` must be a map with members such as `maxLines`.");
        check("hover: {maxLines: 0}", "0: `hover.maxLines` must be a whole number of at least 1.");
        check(
            "nodes: {a: {fact: {}}}",
            "fact: `fact` is not a setting of `nodes.a`. Did you mean `facts`?",
        );
        check("nodes: {a: 3}", "3: `nodes.a` must be a map.");
        check(
            "diagnostics: {severity: {unused-keys: loud}}",
            "unused-keys: `unused-keys` is not a rule. Did you mean `unused-key`?\n\
             loud: `diagnostics.severity.unused-keys` must be one of `error`, `warning`, `information`, `hint`, `off`.",
        );
    }

    #[test]
    fn the_editor_wins_where_it_sets_something() {
        let yaml = "node: web01\npuppetVersion: 7\nvariables: {role: web, site: ber}\n\
                    diagnostics: {severity: {unused-key: off}}\nmodulepath: [a, b]\n";
        let editor = json!({"hiera": {
            "node": "db01", "puppetVersion": null, "variables": {"role": "db"},
            "diagnostics": {"enabled": false}, "modulepath": ["c"],
        }});
        let (settings, problems) = read(yaml, &editor);
        assert_eq!(problems, "");
        assert_eq!(settings.node.as_deref(), Some("db01"));
        assert_eq!(settings.puppet_version, PuppetVersion::V7);
        let variable = |name| settings.variables.get(name).and_then(|it| it.value.value.as_str());
        assert_eq!((variable("role"), variable("site")), (Some("db"), Some("ber")));
        assert_eq!(settings.diagnostics.severity["unused-key"], Severity::Off);
        assert!(!settings.diagnostics.enabled);
        assert_eq!(settings.modulepath, Some(vec![Arc::from("c")]));
    }

    #[test]
    fn an_empty_text_is_not_set() {
        let editor = json!({
            "node": "", "environment": "", "globalHieraYaml": "", "diagnostics": {"baseline": ""},
            "changes": {"before": ""}, "eyaml": {"privateKey": "", "publicKey": ""},
        });
        assert_eq!(read("", &editor), (Settings::default(), String::new()));
        assert_eq!(read("node: web01\n", &editor).0.node.as_deref(), Some("web01"));
    }

    #[test]
    fn a_former_name_of_a_rule_means_the_rule() {
        let yaml = "diagnostics: {severity: {idle-key: off, all: hint},\n\
                    severityByPath: {a: {idle-key: error}}}\n";
        let editor = json!({"diagnostics.severity": {"unused-key": "warning"}});
        let (settings, problems) = read(yaml, &editor);
        assert_eq!(problems, "");
        let severities: Vec<_> =
            settings.diagnostics.severity.iter().map(|(rule, it)| (&**rule, *it)).collect();
        assert_eq!(severities, [("unused-key", Severity::Warning), ("all", Severity::Hint)]);
        let by_path = &settings.diagnostics.severity_by_path["a"];
        assert_eq!(by_path.get("unused-key"), Some(&Severity::Error));
    }

    #[test]
    fn keys_with_dots_are_written_whole_or_nested() {
        let editor =
            json!({"yaml.schemas": {}, "hiera.hover.maxLines": 7, "hiera.log": {"level": "debug"}});
        let (settings, problems) = read("log.level: off\n", &editor);
        assert_eq!(problems, "");
        assert_eq!((settings.hover_max_lines, settings.log_level), (7, LogLevel::Debug));
    }

    #[test]
    fn nodes_name_a_facts_file_or_facts() {
        let yaml = "nodes:\n  a: {facts: spec/a.json, environment: test}\n  b: {facts: {role: web}}\n  c:\n";
        let (settings, problems) = read(yaml, &json!({}));
        assert_eq!(problems, "");
        assert_eq!(settings.nodes["a"].facts_file.as_deref(), Some("spec/a.json"));
        assert_eq!(settings.nodes["a"].environment.as_deref(), Some("test"));
        assert!(settings.nodes["b"].facts.get("role").is_some());
        assert!(settings.nodes.contains_key("c"));
    }
}
