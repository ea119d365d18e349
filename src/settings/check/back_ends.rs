//! The setting `backends`: functions by name, and the bridge.

use std::sync::Arc;
use std::time::Duration;

use super::{SettingsReader, key_text, set_if};
use crate::backends::settings::{BackEndSettings, BridgeSettings, FunctionSettings, StandInFile};
use crate::config::hiera_yaml::FunctionKind;
use crate::data::{Hash, Located, Value};
use crate::settings::SettingsSource;

/// The member of `backends` that is not a function.
const BRIDGE: &str = "bridge";

/// The keys that a function may have.
const FUNCTION_KEYS: &[&str] = &["kind", "stand_in", "command", "timeout"];

/// The keys that the bridge may have.
const BRIDGE_KEYS: &[&str] = &["enabled", "ruby", "timeout"];

const SWITCH: [(&str, bool); 2] = [("enabled", true), ("disabled", false)];

const KINDS: [(&str, FunctionKind); 3] = [
    ("data_hash", FunctionKind::DataHash),
    ("lookup_key", FunctionKind::LookupKey),
    ("data_dig", FunctionKind::DataDig),
];

impl SettingsReader<'_> {
    pub(super) fn back_ends(&mut self, key: &str, value: &Located, settings: &mut BackEndSettings) {
        for (name, member) in self.map(key, value).into_iter().flatten() {
            let name = key_text(name);
            let path = format!("{key}.{name}");
            if &*name == BRIDGE {
                self.bridge(&path, &member.value, &mut settings.bridge);
                continue;
            }
            let function = settings.functions.entry(name).or_default();
            // A name without a value means the same as `{}`.
            let is_bare_name = matches!(member.value.value, Value::Undef);
            if !is_bare_name && let Some(parts) = self.map(&path, &member.value) {
                self.find_unknown(&path, parts, FUNCTION_KEYS);
                self.function(&path, parts, function);
            }
        }
    }

    fn function(&mut self, path: &str, parts: &Hash, function: &mut FunctionSettings) {
        for (key, member) in parts {
            let (name, value) = (key_text(key), &member.value);
            let path = format!("{path}.{name}");
            match &*name {
                "kind" => set_if(&mut function.kind, self.choice(&path, value, &KINDS).map(Some)),
                "stand_in" => function.stand_in = self.stand_in(&path, value),
                "command" => {
                    // Only a command that the editor itself names is trusted: a wrong value leaves the project file's command.
                    let Some(command) = self.command(&path, value) else { continue };
                    function.command = Some(command);
                    function.is_trusted = self.raw.source == SettingsSource::Editor;
                }
                "timeout" => set_if(&mut function.timeout, self.seconds(&path, value).map(Some)),
                _ => {}
            }
        }
    }

    /// A file for all locations, or a map from locations to files.
    fn stand_in(&mut self, path: &str, value: &Located) -> Vec<StandInFile> {
        if let Value::String(file) = &value.value {
            return vec![StandInFile { site: None, file: file.clone() }];
        }
        let Some(files) = value.value.as_hash() else {
            self.wrong(path, value, "a file, or a map from paths or URIs to files");
            return Vec::new();
        };
        let files = files.iter().filter_map(|(site, member)| {
            let file = self.text(path, &member.value)?;
            Some(StandInFile { site: Some(key_text(site)), file })
        });
        files.collect()
    }

    fn command(&mut self, path: &str, value: &Located) -> Option<Vec<Arc<str>>> {
        let words = value.value.as_array().map(|words| {
            words.iter().filter_map(|word| word.value.as_str().map(Arc::from)).collect::<Vec<_>>()
        });
        let is_whole = words.as_ref().is_some_and(|found| {
            !found.is_empty() && Some(found.len()) == value.value.as_array().map(<[_]>::len)
        });
        if !is_whole {
            self.wrong(path, value, "a list of strings: the program and its arguments");
        }
        words.filter(|_| is_whole)
    }

    fn seconds(&mut self, path: &str, value: &Located) -> Option<Duration> {
        let seconds = match value.value {
            Value::Integer(whole) => u32::try_from(whole).ok().map(f64::from),
            Value::Float(seconds) => Some(seconds),
            _ => None,
        };
        let time = seconds.filter(|it| *it > 0.0 && *it <= 3600.0).map(Duration::from_secs_f64);
        if time.is_none() {
            self.wrong(path, value, "a number of seconds, at most 3600");
        }
        time
    }

    fn bridge(&mut self, path: &str, value: &Located, bridge: &mut BridgeSettings) {
        let Some(parts) = value.value.as_hash() else {
            let switch = self.switch(path, value);
            self.turn(bridge, switch);
            return;
        };
        self.find_unknown(path, parts, BRIDGE_KEYS);
        for (key, member) in parts {
            let (name, value) = (key_text(key), &member.value);
            let path = format!("{path}.{name}");
            match &*name {
                "enabled" => {
                    let switch = self.switch(&path, value);
                    self.turn(bridge, switch);
                }
                "ruby" => set_if(&mut bridge.ruby, self.text(&path, value).map(Some)),
                "timeout" => set_if(&mut bridge.timeout, self.seconds(&path, value)),
                _ => {}
            }
        }
    }

    fn turn(&self, bridge: &mut BridgeSettings, switch: Option<bool>) {
        let Some(is_enabled) = switch else { return };
        bridge.is_enabled = is_enabled;
        bridge.is_trusted = self.raw.source == SettingsSource::Editor;
    }

    fn switch(&mut self, path: &str, value: &Located) -> Option<bool> {
        match value.value {
            Value::Boolean(flag) => Some(flag),
            _ => self.choice(path, value, &SWITCH),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::config::hiera_yaml::FunctionKind;
    use crate::settings::Settings;

    #[track_caller]
    fn check(yaml: &str, expected: &str) {
        let (_, problems) = Settings::read(Some(yaml), None, &[]);
        let messages: Vec<&str> = problems.iter().map(|it| &*it.message).collect();
        assert_eq!(messages.join("\n"), expected);
    }

    #[test]
    fn problems_say_what_to_write() {
        check("backends: {f: {}, g: , h: {stand_in: x.yaml}}", "");
        check("backends: {f: {stand_in: {'http://a': x.yaml}, timeout: 2.5}}", "");
        check("backends: {f: {kind: lookup_key, command: [./f, -x]}}", "");
        check("backends: {bridge: enabled}", "");
        check("backends: {bridge: {enabled: true, ruby: /opt/ruby, timeout: 9}}", "");
        check("backends: {f: 1}", "`backends.f` must be a map.");
        check(
            "backends: {f: {comand: []}}",
            "`comand` is not a setting of `backends.f`. Did you mean `command`?",
        );
        check(
            "backends: {f: {command: [1]}}",
            "`backends.f.command` must be a list of strings: the program and its arguments.",
        );
        check(
            "backends: {f: {command: []}}",
            "`backends.f.command` must be a list of strings: the program and its arguments.",
        );
        check(
            "backends: {f: {timeout: 0}}",
            "`backends.f.timeout` must be a number of seconds, at most 3600.",
        );
        check(
            "backends: {f: {kind: v4}}",
            "`backends.f.kind` must be one of `data_hash`, `lookup_key`, `data_dig`.",
        );
        check(
            "backends: {bridge: maybe}",
            "`backends.bridge` must be one of `enabled`, `disabled`.",
        );
    }

    #[test]
    fn only_what_the_editor_says_is_trusted() {
        let yaml = "backends: {bridge: enabled, f: {command: [f]}, g: {command: [g]}}";
        let editor = json!({"backends": {"g": {"command": ["mine"]}}});
        let (settings, problems) = Settings::read(Some(yaml), Some(&editor), &[]);
        assert_eq!(problems, []);
        let back_ends = settings.backends;
        let trusted = |name: &str| back_ends.functions[name].is_trusted;
        assert_eq!((trusted("f"), trusted("g"), back_ends.bridge.is_trusted), (false, true, false));
        assert!(back_ends.clone().trusted().functions["f"].is_trusted);
        for wrong in [json!(null), json!([]), json!("g"), json!([1])] {
            let editor = json!({"backends": {"g": {"command": wrong}}});
            let (settings, problems) = Settings::read(Some(yaml), Some(&editor), &[]);
            assert_eq!(problems.len(), 1, "{editor}");
            assert!(!settings.backends.functions["g"].is_trusted, "{editor}");
        }
        let editor = json!({"backends": {"bridge": "enabled"}});
        let (settings, _) = Settings::read(Some(yaml), Some(&editor), &[]);
        assert!(settings.backends.bridge.is_trusted);
    }

    #[test]
    fn a_level_is_known_by_its_name_first() {
        let yaml = "backends: {Vault: {stand_in: a.yaml}, f: {kind: lookup_key, stand_in: b.yaml}}";
        let back_ends = Settings::read(Some(yaml), None, &[]).0.backends;
        let file = |level, kind| Some(&*back_ends.of(level, "f", kind)?.stand_in[0].file);
        assert_eq!(file("Vault", FunctionKind::LookupKey), Some("a.yaml"));
        assert_eq!(file("Other", FunctionKind::LookupKey), Some("b.yaml"));
        assert_eq!(file("Other", FunctionKind::DataHash), None);
    }
}
