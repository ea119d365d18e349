//! Inlay hints: the value of `%{…}`, and the value that a node gets instead of an overridden one.

use std::sync::Arc;

use super::changes::counted;
use super::file_role::FileRole;
use super::overridden::Overridden;
use super::perspective::Perspective;
use super::shared_keys::{EntryAnswers, FileLookups};
use super::strings::{StringNode, interpolated_strings};
use crate::data::{EntryTree, Located, Place, Value, inspect};
use crate::engine::CancelToken;
use crate::engine::sources::dig_value;
use crate::facts::Reading;
use crate::syntax::interpolation::Token;
use crate::syntax::key_path;
use crate::text::TextRange;
use crate::world::World;

/// Longer values are truncated.
const MAX_VALUE_CHARS: usize = 40;

/// A text that is shown inside the file's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    /// Its position, in bytes of the file.
    pub offset: u32,
    /// The value.
    pub label: String,
    /// `path:line` of the value that is used instead, and that place.
    pub source: Option<(String, Place)>,
}

/// The hints within `range` (bytes) of the file at `path`, for the active node. Empty if the request was cancelled.
pub fn inlay_hints(
    world: &Arc<World>,
    path: &str,
    range: TextRange,
    cancel: &CancelToken,
) -> Vec<InlayHint> {
    find(world, path, range, cancel).unwrap_or_default()
}

fn find(
    world: &Arc<World>,
    path: &str,
    range: TextRange,
    cancel: &CancelToken,
) -> Option<Vec<InlayHint>> {
    let role = FileRole::of(world, path)?;
    let settings = world.settings();
    let perspective = Perspective::shown(world, path)?;
    let file = world.file(path).ok()?;
    let mut hints = Hints { perspective: &perspective, cancel, found: Vec::new() };
    let data = file.data(role.format());
    let answers = (settings.inlay_hints.overridden && role.is_data())
        .then(|| EntryAnswers::of(&perspective, data));
    let lookups = FileLookups { perspective: &perspective, path, cancel };
    let is_near = |whole: TextRange| whole.start <= range.end && range.start <= whole.end;
    let sections = data.sections().enumerate();
    for (section_number, section) in sections.filter(|(_, section)| is_near(section.range)) {
        let entries = section.trees().enumerate();
        for (number, entry) in entries.filter(|(_, entry)| is_near(entry.range())) {
            if cancel.is_cancelled() {
                return None;
            }
            if settings.inlay_hints.interpolations {
                hints.interpolations(entry, role.is_data());
            }
            if let Some(answers) = &answers {
                let answers = answers.section(section_number);
                let answer = answers.get(number, entry, lookups)?;
                answer.overridden.iter().for_each(|it| hints.overridden(it, entry));
            }
        }
    }
    // An entry may be far longer than the range that the client shows.
    hints.found.retain(|hint| range.touches(hint.offset));
    hints.found.sort_by_key(|hint| hint.offset);
    Some(hints.found)
}

struct Hints<'a> {
    perspective: &'a Perspective,
    cancel: &'a CancelToken,
    found: Vec<InlayHint>,
}

impl Hints<'_> {
    fn interpolations(&mut self, entry: EntryTree<'_>, is_data: bool) {
        for string in interpolated_strings(entry.text, entry.value) {
            for token in &string.tokens {
                // The lookup of such a string fails.
                if token.is_alias() && token.range.len() as usize != string.text.len() {
                    continue;
                }
                let Some(written) = written(&string, token, entry.text) else { continue };
                let Some(value) = self.value(token, is_data) else { continue };
                let label = format!("= {}", self.short(&value));
                let offset = written.shifted(entry.start).end;
                self.found.push(InlayHint { offset, label, source: None });
            }
        }
    }

    /// The value of a token; `None` if it is not known or empty.
    fn value(&self, token: &Token, is_data: bool) -> Option<Located> {
        let evaluator = &self.perspective.evaluator;
        if let Some((name, _)) = token.variable() {
            let path = key_path::parse(name).ok()?;
            return match evaluator.node().read(&path) {
                Reading::Known(value, rest) => dig_value(&value, &rest),
                Reading::Unset | Reading::Open(_) => None,
            };
        }
        let (key, _) = token.lookup_key().filter(|_| is_data)?;
        let answer = evaluator.answer_with_sources(key, self.cancel);
        // A hint has no room for conditions, so it shows only values that are certain.
        if answer.is_certain() { answer.outcome.clone().ok().flatten() } else { None }
    }

    fn overridden(&mut self, overridden: &Overridden, entry: EntryTree<'_>) {
        let text = entry.text;
        let value = overridden.winner.as_ref().map(|winner| self.short(winner));
        let source = overridden.winner_place;
        let source = source.map(|place| (self.perspective.shown_place(place), place));
        let is_one_line =
            overridden.is_scalar && !overridden.value.slice(text).trim_end().contains('\n');
        let offset = if is_one_line {
            overridden.value.end
        } else {
            behind_colon(overridden.key, overridden.value, text)
        };
        self.found.push(InlayHint {
            offset: entry.start + offset,
            label: value.map_or("overridden".to_owned(), |value| format!("node gets {value}")),
            source,
        });
    }

    fn short(&self, value: &Located) -> String {
        let text = match self.perspective.without_secrets(value) {
            Value::Hash(hash) => format!("{{{}}}", counted(hash.len(), "key")),
            Value::Array(items) => format!("[{}]", counted(items.len(), "item")),
            Value::String(text) if text.is_empty() => "''".to_owned(),
            Value::Undef => "~".to_owned(),
            other => inspect::to_s(&other),
        };
        let text = text.trim_end().replace('\n', "⏎");
        match text.char_indices().nth(MAX_VALUE_CHARS) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    }
}

/// The position after the `:` or `=` between a key and its value; after the key if there is none.
fn behind_colon(key: TextRange, value: TextRange, text: &str) -> u32 {
    let between = TextRange::new(key.end, value.start.max(key.end)).slice(text);
    between.find([':', '=']).map_or(key.end, |at| key.end + at as u32 + 1)
}

/// The range of a token, if its source equals its decoded text.
fn written(string: &StringNode<'_>, token: &Token, source: &str) -> Option<TextRange> {
    let range = string.source_range(token.range);
    (range.slice(source) == token.range.slice(string.text)).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::ide::fixture_world::ROOT;

    const FILES: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, path: common.yaml}
  - {name: Json, data_hash: json_data, path: j.json}
  - {name: Hocon, data_hash: hocon_data, path: h.conf}
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
";

    /// `expected`: the text with its hints between `‹` and `›`.
    #[track_caller]
    fn check(files: &str, path: &str, expected: &str) {
        let fixture = Fixture::parse_without_marks(&format!("{FILES}{files}"));
        let file = fixture.file(path).expect("the file is there");
        let range = TextRange::new(0, file.text.len() as u32);
        let path = format!("{ROOT}{path}");
        let hints = inlay_hints(&fixture.world(), &path, range, &CancelToken::default());
        let mut shown = file.text.to_string();
        for hint in hints.iter().rev() {
            let source = hint.source.as_ref().map_or(String::new(), |it| format!(" {}", it.0));
            shown.insert_str(hint.offset as usize, &format!("‹{}{source}›", hint.label));
        }
        assert_eq!(shown, expected);
    }

    #[test]
    fn tokens_show_what_they_stand_for() {
        check(
            "#- /data/common.yaml\na: \"%{facts.os.family}-😀%{lookup('b')}\"\nb: {c: 1}\nd: '%{nope} %{lookup(\"nope\")}'\n",
            "/data/common.yaml",
            "a: \"%{facts.os.family}‹= Debian›-😀%{lookup('b')}‹= {1 key}›\"\nb: {c: 1}\nd: '%{nope} %{lookup(\"nope\")}'\n",
        );
        check(
            "#- /data/common.yaml\na: \"x %{alias('c')}\"\nb: \"%{alias('c')}\"\nc: y\n",
            "/data/common.yaml",
            "a: \"x %{alias('c')}\"\nb: \"%{alias('c')}‹= y›\"\nc: y\n",
        );
        check(
            "#- /data/common.yaml\r\na: |\r\n  x %{trusted.certname}\r\n  y\r\n",
            "/data/common.yaml",
            "a: |\r\n  x %{trusted.certname}‹= web01›\r\n  y\r\n",
        );
    }

    #[test]
    fn paths_of_hiera_yaml_show_what_they_become() {
        let files = "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: Nodes, path: 'n/%{trusted.certname}.yaml'}\n";
        let expected = "version: 5\nhierarchy:\n  - {name: Nodes, path: 'n/%{trusted.certname}‹= web01›.yaml'}\n";
        check(files, "/hiera.yaml", expected);
    }

    #[test]
    fn overridden_values_show_the_winner() {
        check(
            "#- /data/common.yaml\na: 1\nb:\n  - x\n#- /data/nodes/web01.yaml\na: 2\nb: []\n",
            "/data/common.yaml",
            "a: 1‹node gets 2 data/nodes/web01.yaml:1›\nb:‹node gets [0 items] data/nodes/web01.yaml:2›\n  - x\n",
        );
    }

    #[test]
    fn members_that_a_merge_overrides() {
        check(
            "#- /data/common.yaml\nlookup_options: {a: {merge: deep}}\na: {b: 1, c: {d: 1, e: 2}, f: [1]}\n#- /data/nodes/web01.yaml\na: {b: 3, c: {d: 4}, f: [2]}\n",
            "/data/common.yaml",
            "lookup_options: {a: {merge: deep}}\na: {b: 1‹node gets 3 data/nodes/web01.yaml:1›, c: {d: 1‹node gets 4 data/nodes/web01.yaml:1›, e: 2}, f: [1]}\n",
        );
        check(
            "#- /data/common.yaml\nlookup_options: {a: {merge: hash}}\nx: &x 1\na:\n  b: {c: 1}\n  d: *x\n#- /data/nodes/web01.yaml\na: {b: {e: 3}}\n",
            "/data/common.yaml",
            "lookup_options: {a: {merge: hash}}\nx: &x 1\na:\n  b:‹node gets {1 key} data/nodes/web01.yaml:1› {c: 1}\n  d: *x\n",
        );
    }

    #[test]
    fn secrets_stay_hidden() {
        check(
            "#- /data/common.yaml\na: 1\nb: \"%{lookup('a')}\"\n#- /data/nodes/web01.yaml\na: ENC[PKCS7,MIIB]\n",
            "/data/common.yaml",
            "a: 1‹node gets ENC[…] (encrypted, not shown) data/nodes/web01.yaml:1›\nb: \"%{lookup('a')}‹= ENC[…] (encrypted, not shown)›\"\n",
        );
    }

    #[test]
    fn other_formats() {
        check(
            "#- /data/j.json\n{\"a\": \"%{facts.os.family}\", \"b\": 1}\n#- /data/h.conf\nb = 2\n",
            "/data/h.conf",
            "b = 2‹node gets 1 data/j.json:1›\n",
        );
        check(
            "#- /data/j.json\n{\"a\": \"%{facts.os.family}\"}\n",
            "/data/j.json",
            "{\"a\": \"%{facts.os.family}‹= Debian›\"}\n",
        );
    }

    #[test]
    fn each_kind_has_a_setting() {
        let files = "#- /data/common.yaml\na: 1\nb: '%{facts.os.family}'\n#- /data/nodes/web01.yaml\na: 2\n";
        let with = |setting: &str| {
            format!(
                "#- /.hiera-ls.yaml\nnode: web01\nnodes: {{web01: {{facts: {{os: {{family: Debian}}}}}}}}\ninlayHints: {{{setting}: false}}\n{files}"
            )
        };
        check(
            &with("interpolations"),
            "/data/common.yaml",
            "a: 1‹node gets 2 data/nodes/web01.yaml:1›\nb: '%{facts.os.family}'\n",
        );
        check(
            &with("overridden"),
            "/data/common.yaml",
            "a: 1\nb: '%{facts.os.family}‹= Debian›'\n",
        );
    }
}
