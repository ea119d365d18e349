//! Settings as written: a tree of values with positions, before validation.

use super::{EDITOR_PREFIX, SettingsProblem, SettingsSource};
use crate::data::{Hash, Located, Place, Value, json};
use crate::facts::formats::read_yaml;
use crate::syntax::yaml;
use crate::text::{BYTE_ORDER_MARK, LineIndex, TextRange};

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
            Ok(Located { value: Value::Hash(root), .. }) => {
                (root.as_ref().clone(), more_documents(text).into_iter().collect())
            }
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

/// That the project file has more documents than the first, at the first line of content in them.
fn more_documents(text: &str) -> Option<SettingsProblem> {
    let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let end = yaml::parse(bare).second_document? + (text.len() - bare.len()) as u32;
    let lines = LineIndex::new(text);
    let is_content = |range: &TextRange| {
        let line = range.slice(text).trim();
        !line.is_empty() && !line.starts_with('#') && !["---", "..."].contains(&line)
    };
    let later = (lines.line_of(end)..lines.line_count()).map(|it| lines.line_range(text, it));
    Some(SettingsProblem {
        message: "Only the first YAML document of the file counts.".to_owned(),
        range: { later }.find(is_content)?,
        key: String::new(),
        source: SettingsSource::ProjectFile,
        is_warning: true,
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_document_counts() {
        let later = |text: &str| -> Vec<String> {
            let problems = RawSettings::from_yaml(text).1;
            problems.iter().map(|it| it.range.slice(text).trim().to_owned()).collect()
        };
        for text in ["node: a\n", "---\nnode: a\n---\n# x\n", "node: a\n...\n"] {
            assert_eq!(later(text), [""; 0], "{text}");
        }
        assert_eq!(later("\u{feff}node: a\n---\n# x\nfacts: f\nnode: b\n"), ["facts: f"]);
    }
}
