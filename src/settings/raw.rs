//! Settings as written: a tree of values with positions, before validation.

use super::{EDITOR_PREFIX, SettingsProblem, SettingsSource};
use crate::data::{Hash, Located, Place, Value, json};
use crate::facts::formats::read_yaml;
use crate::text::TextRange;

/// The settings from one source.
#[derive(Debug, Clone)]
pub struct RawSettings {
    /// Keys and values; keys with dots are written as one key or nested.
    pub root: Hash,
    /// The source.
    pub source: SettingsSource,
}

impl RawSettings {
    /// Parses the project file's text. A file that cannot be parsed contains no settings.
    pub fn from_yaml(text: &str) -> (Self, Vec<SettingsProblem>) {
        let source = SettingsSource::ProjectFile;
        let problem = |message: String, range: TextRange| {
            vec![SettingsProblem { message, range, key: String::new(), source, is_warning: false }]
        };
        let (root, problems) = match read_yaml(text) {
            Ok(Located { value: Value::Hash(root), .. }) => (root.as_ref().clone(), Vec::new()),
            Ok(Located { value: Value::Undef, .. }) => (Hash::new(), Vec::new()),
            Ok(Located { place, .. }) => {
                let message = "The settings must be a map, e.g. `node: web01.example.com`.";
                (Hash::new(), problem(message.to_owned(), range_of(place)))
            }
            Err(error) => (Hash::new(), problem(error.message, error.range)),
        };
        (Self { root, source }, problems)
    }

    /// Accepts what an editor sends: the members of its section `hiera`, or an object that contains the section, or flat keys
    /// with the prefix `hiera.`.
    pub fn from_json(editor: &serde_json::Value) -> Self {
        let prefix = format!("{EDITOR_PREFIX}.");
        let members: Vec<_> = editor.as_object().into_iter().flatten().collect();
        let section = editor.get(EDITOR_PREFIX).and_then(serde_json::Value::as_object);
        let is_whole = section.is_some() || members.iter().any(|(key, _)| key.starts_with(&prefix));
        let mut root = Hash::new();
        for (key, value) in members {
            match key.strip_prefix(&prefix) {
                Some(bare) => root.insert(Value::string(bare), None, json::to_value(value).into()),
                // An object with all settings of an editor also has those of other extensions.
                None if is_whole => {}
                None => root.insert(Value::string(&**key), None, json::to_value(value).into()),
            }
        }
        for (key, value) in section.into_iter().flatten() {
            root.insert(Value::string(&**key), None, json::to_value(value).into());
        }
        Self { root, source: SettingsSource::Editor }
    }

    /// The value under a key of the table, written as one key (`hover.maxLines:`) or nested; `null` counts as missing.
    pub fn get(&self, key: &str) -> Option<&Located> {
        member(&self.root, key).filter(|it| !matches!(it.value, Value::Undef))
    }
}

fn member<'h>(hash: &'h Hash, key: &str) -> Option<&'h Located> {
    let nested = || {
        let (group, rest) = key.split_once('.')?;
        member(hash.get(group)?.value.value.as_hash()?, rest)
    };
    hash.get(key).map(|member| &member.value).or_else(nested)
}

/// The range of a place, or the empty range at 0.
pub(crate) fn range_of(place: Option<Place>) -> TextRange {
    place.map_or(TextRange::empty(0), |it| it.range)
}
