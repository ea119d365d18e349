//! Converts a `hiera.yaml` of version 3 to version 5.
//!
//! Version 3 searches all paths with one back end before it uses the next one. With one back end, each path becomes a level
//! of its own; with several, each back end becomes a level with all paths. Comments stay with the path above or after which
//! they are written; other comments go to the top.

use std::fmt::Write as _;

use crate::config::hiera_yaml::{LayerKind, built_in_backend};
use crate::data::{DataFile, FileId, Format, Hash, Located, Member, Value, inspect};
use crate::ide::diagnostics::shared::fix::quoted;
use crate::ide::pair_edits::with_line_ends_of;
use crate::text::LineIndex;

/// The paths of version 3 without a `hierarchy`.
const DEFAULT_PATHS: [&str; 2] = ["nodes/%{::trusted.certname}", "common"];

/// What version 3 has beside the settings of each back end.
const KEYS: [&str; 6] =
    ["version", "backends", "logger", "merge_behavior", "deep_merge_options", "hierarchy"];

/// The whole text as version 5; `None` if it is not version 3, or needs something that version 5 cannot express, or has keys that
/// version 3 does not know: they would be lost.
pub(crate) fn converted(text: &str, layer: LayerKind) -> Option<String> {
    let data = DataFile::new(FileId(0), Format::Yaml, text.into());
    let old = Old::read(&data, layer)?;
    let mut comments = Comments::of(text);
    let paths: Vec<WrittenPath> = old.paths.iter().map(|it| comments.take(it)).collect();
    let mut new = String::new();
    for comment in comments.rest() {
        let _ = writeln!(new, "{comment}");
    }
    if text.lines().any(|line| line.trim_end() == "---") {
        new += "---\n";
    }
    new += "version: 5\n";
    match &old.backends[..] {
        [backend] => write_levels(&mut new, backend, &paths),
        backends => write_backends(&mut new, backends, &paths),
    }
    if let Some(merge) = old.merge_behavior.filter(|it| it != "native") {
        let _ = writeln!(
            new,
            "# merge_behavior was {merge}: lookup_options in the data say how to merge."
        );
    }
    if !old.deep_merge_options.is_empty() {
        let options = old.deep_merge_options.join(", ");
        let _ = writeln!(
            new,
            "# deep_merge_options were {options}: in lookup_options, they belong to a merge."
        );
    }
    Some(with_line_ends_of(text, &new))
}

/// The content of a file of version 3.
struct Old {
    backends: Vec<Backend>,
    paths: Vec<Located>,
    merge_behavior: Option<String>,
    /// Each as `name: value`.
    deep_merge_options: Vec<String>,
}

struct Backend {
    name: String,
    /// `data_hash: yaml_data` and the like.
    function: String,
    datadir: String,
    extension: String,
    options: Vec<(String, String)>,
}

/// A path with its comments.
struct WrittenPath {
    text: String,
    above: Vec<String>,
    behind: Option<String>,
}

impl Old {
    fn read(data: &DataFile, layer: LayerKind) -> Option<Self> {
        let member = |name: &str| {
            let mut entries = data.entries();
            entries.find(|it| key_text(&it.key) == Some(name)).map(|it| &it.value)
        };
        if member("version").is_some_and(|it| inspect::to_s(&it.value) != "3") {
            return None;
        }
        let names = member("backends").map_or_else(|| vec!["yaml".to_owned()], texts);
        let is_known = |key: &str| KEYS.contains(&key) || names.iter().any(|name| name == key);
        if !data.entries().all(|it| key_text(&it.key).is_some_and(is_known)) {
            return None;
        }
        let backends: Option<Vec<Backend>> =
            names.iter().map(|name| Backend::read(name, member(name), layer)).collect();
        let paths = match member("hierarchy") {
            Some(it) if it.value.as_array().is_some() => it.value.as_array()?.to_vec(),
            Some(it) => vec![it.clone()],
            None => DEFAULT_PATHS.iter().map(|path| Value::string(*path).unplaced()).collect(),
        };
        let are_texts = paths.iter().all(|path| path.value.as_str().is_some());
        let merge_behavior = member("merge_behavior").map(|it| inspect::to_s(&it.value));
        let options = member("deep_merge_options").and_then(|it| it.value.as_hash());
        let option = |(key, member): (&Value, &Member)| {
            let value = match &member.value.value {
                Value::String(text) => quoted(text),
                other => inspect::to_s(other),
            };
            Some(format!("{}: {value}", key_text(key)?))
        };
        let deep_merge_options = options.into_iter().flatten().filter_map(option).collect();
        let backends = backends.filter(|it| !it.is_empty() && are_texts && !paths.is_empty())?;
        Some(Self { backends, paths, merge_behavior, deep_merge_options })
    }
}

impl Backend {
    fn read(name: &str, own: Option<&Located>, layer: LayerKind) -> Option<Self> {
        let nothing = Hash::new();
        let own = own.and_then(|it| it.value.as_hash()).unwrap_or(&nothing);
        // Only the global layer may have others, and only before Puppet 8.
        let (kind, function, extension) = built_in_backend(name)?;
        let mut backend = Self {
            name: name.to_owned(),
            function: format!("{}: {function}", kind.key()),
            datadir: "hieradata".to_owned(),
            extension: extension.to_owned(),
            options: Vec::new(),
        };
        let mut has_datadir = false;
        for (key, member) in own {
            let text = inspect::to_s(&member.value.value);
            match key_text(key)? {
                "datadir" if member.value.value.is_truthy() => {
                    backend.datadir = datadir(&text, layer);
                    has_datadir = true;
                }
                "extension" if member.value.value != Value::Undef => backend.extension = text,
                // Puppet takes those without a value for missing.
                "datadir" | "extension" => {}
                option if name == "eyaml" => backend.options.push((option.to_owned(), text)),
                _ => {}
            }
        }
        // Without a datadir, the location of the global layer's data depends on the machine.
        (has_datadir || layer != LayerKind::Global).then_some(backend)
    }

    fn path(&self, path: &str) -> String {
        // Version 3 adds the extension unless the path has it. Version 5 never adds one.
        let extension = format!(".{}", self.extension);
        if path.ends_with(&extension) { path.to_owned() } else { path.to_owned() + &extension }
    }
}

/// A directory as an environment's own file writes it: relative to the environment's directory.
fn datadir(text: &str, layer: LayerKind) -> String {
    // In an environment, a relative datadir starts from the directory of its hiera.yaml.
    let own = ["%{environment}/", "%{::environment}/"].iter().find_map(|it| text.split_once(it));
    match own {
        Some((_, rest)) if layer == LayerKind::Environment => rest.to_owned(),
        _ => text.to_owned(),
    }
}

fn write_levels(new: &mut String, backend: &Backend, paths: &[WrittenPath]) {
    let datadir = quoted(&backend.datadir);
    let _ = writeln!(new, "defaults:\n  datadir: {datadir}\n  {}", backend.function);
    write_options(new, "  ", backend);
    new.push_str("hierarchy:\n");
    for (number, path) in paths.iter().enumerate() {
        for comment in &path.above {
            let _ = writeln!(new, "  {comment}");
        }
        // Puppet refuses two levels with the same name.
        let is_second = paths[..number].iter().any(|before| before.text == path.text);
        let name =
            if is_second { format!("{} ({})", path.text, number + 1) } else { path.text.clone() };
        let behind = path.behind.as_ref().map_or(String::new(), |it| format!(" {it}"));
        let _ = writeln!(new, "  - name: {}{behind}", quoted(&name));
        let _ = writeln!(new, "    path: {}", quoted(&backend.path(&path.text)));
    }
}

fn write_backends(new: &mut String, backends: &[Backend], paths: &[WrittenPath]) {
    new.push_str("hierarchy:\n");
    for (number, backend) in backends.iter().enumerate() {
        let (name, datadir) = (&backend.name, quoted(&backend.datadir));
        let _ = writeln!(new, "  - name: {name}\n    datadir: {datadir}\n    {}", backend.function);
        write_options(new, "    ", backend);
        new.push_str("    paths:\n");
        for path in paths {
            for comment in path.above.iter().filter(|_| number == 0) {
                let _ = writeln!(new, "      {comment}");
            }
            let behind = path.behind.as_ref().filter(|_| number == 0);
            let behind = behind.map_or(String::new(), |it| format!(" {it}"));
            let _ = writeln!(new, "      - {}{behind}", quoted(&backend.path(&path.text)));
        }
    }
}

fn write_options(new: &mut String, indentation: &str, backend: &Backend) {
    if !backend.options.is_empty() {
        let _ = writeln!(new, "{indentation}options:");
    }
    for (name, value) in &backend.options {
        let _ = writeln!(new, "{indentation}  {name}: {}", quoted(value));
    }
}

/// The comments of a text, line by line.
struct Comments<'t> {
    text: &'t str,
    index: LineIndex,
    /// For each line: the comment, and whether it is alone on the line. Comments are removed when they are taken.
    lines: Vec<Option<(&'t str, bool)>>,
}

impl<'t> Comments<'t> {
    fn of(text: &'t str) -> Self {
        let comment = |line: &'t str| {
            let line = line.trim();
            if line.starts_with('#') {
                return Some((line, true));
            }
            // A `#` within a quoted path does not start a comment: a quote follows it.
            let at = line.find(" #").filter(|at| {
                !line[..*at].contains(['"', '\'']) || line[*at..].matches(['"', '\'']).count() == 0
            })?;
            Some((line[at + 1..].trim(), false))
        };
        Self { text, index: LineIndex::new(text), lines: text.lines().map(comment).collect() }
    }

    /// A path with the comments directly above it and after it.
    fn take(&mut self, path: &Located) -> WrittenPath {
        let text = path.value.as_str().unwrap_or_default().to_owned();
        let mut written = WrittenPath { text, above: Vec::new(), behind: None };
        let Some(place) = path.place.filter(|it| it.range.end as usize <= self.text.len()) else {
            return written;
        };
        let line = self.index.line_of(place.range.start) as usize;
        if let Some((comment, false)) = self.lines.get(line).copied().flatten() {
            written.behind = Some(comment.to_owned());
            self.lines[line] = None;
        }
        for above in (0..line).rev() {
            let Some((comment, true)) = self.lines[above] else { break };
            written.above.insert(0, comment.to_owned());
            self.lines[above] = None;
        }
        written
    }

    /// The comments that were not taken.
    fn rest(&self) -> impl Iterator<Item = &'t str> {
        self.lines.iter().filter_map(|line| line.map(|(comment, _)| comment))
    }
}

/// Symbols count as strings here.
fn key_text(key: &Value) -> Option<&str> {
    match key {
        Value::String(text) | Value::Symbol(text) => Some(text.strip_prefix(':').unwrap_or(text)),
        _ => None,
    }
}

fn texts(value: &Located) -> Vec<String> {
    match value.value.as_array() {
        Some(items) => items.iter().map(|it| inspect::to_s(&it.value)).collect(),
        None => vec![inspect::to_s(&value.value)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, layer: LayerKind, expected: Option<&str>) {
        assert_eq!(converted(text, layer).as_deref(), expected);
        let windows = converted(&text.replace('\n', "\r\n"), layer);
        assert_eq!(windows, expected.map(|it| it.replace('\n', "\r\n")));
    }

    const ONE_BACKEND: &str = "\
# Ours
---
:backends: yaml
:yaml:
  :datadir: /etc/puppetlabs/code/environments/%{environment}/hieradata
# who
:hierarchy:
  # per machine
  - \"nodes/%{::trusted.certname}\"
  - common # last
:logger: console
:merge_behavior: deeper
:deep_merge_options:
  :knockout_prefix: '--'
  :overwrite_arrays: true
";

    #[test]
    fn a_level_for_each_path() {
        check(
            ONE_BACKEND,
            LayerKind::Environment,
            Some(
                "\
# Ours
# who
---
version: 5
defaults:
  datadir: 'hieradata'
  data_hash: yaml_data
hierarchy:
  # per machine
  - name: 'nodes/%{::trusted.certname}'
    path: 'nodes/%{::trusted.certname}.yaml'
  - name: 'common' # last
    path: 'common.yaml'
# merge_behavior was deeper: lookup_options in the data say how to merge.
# deep_merge_options were knockout_prefix: '--', overwrite_arrays: true: in lookup_options, they belong to a merge.
",
            ),
        );
    }

    #[test]
    fn a_level_for_each_of_several_back_ends() {
        check(
            "\
:backends: [eyaml, json]
:eyaml:
  :datadir: /data
  :extension: yaml
  :pkcs7_private_key: /keys/private.pem
:json:
  :datadir: /data
:hierarchy: [a, b.json]
",
            LayerKind::Global,
            Some(
                "\
version: 5
hierarchy:
  - name: eyaml
    datadir: '/data'
    lookup_key: eyaml_lookup_key
    options:
      pkcs7_private_key: '/keys/private.pem'
    paths:
      - 'a.yaml'
      - 'b.json.yaml'
  - name: json
    datadir: '/data'
    data_hash: json_data
    paths:
      - 'a.json'
      - 'b.json'
",
            ),
        );
    }

    #[test]
    fn settings_without_a_value_count_as_missing() {
        check(
            ":backends: hocon\n:hocon:\n  :datadir: ~\n  :extension: ~\n:hierarchy: common\n",
            LayerKind::Environment,
            Some(
                "\
version: 5
defaults:
  datadir: 'hieradata'
  data_hash: hocon_data
hierarchy:
  - name: 'common'
    path: 'common.conf'
",
            ),
        );
        check(":yaml: {:datadir: ~}\n:hierarchy: a\n", LayerKind::Global, None);
    }

    #[test]
    fn comments_on_a_path_are_said_once() {
        check(
            "\
:backends: [yaml, json]
:yaml:
  :datadir: /data
:json:
  :datadir: /data
:hierarchy:
  # for all
  - common # last
",
            LayerKind::Global,
            Some(
                "\
version: 5
hierarchy:
  - name: yaml
    datadir: '/data'
    data_hash: yaml_data
    paths:
      # for all
      - 'common.yaml' # last
  - name: json
    datadir: '/data'
    data_hash: json_data
    paths:
      - 'common.json'
",
            ),
        );
    }

    #[test]
    fn what_cannot_be_said_is_left_alone() {
        check(":backends: mysql\n", LayerKind::Global, None);
        check("version: 5\n", LayerKind::Environment, None);
        check(":hierarchy: [a]\n", LayerKind::Global, None);
        for unknown in ["Hierarchy: [a]", ":eyaml: {datadir: x}", ":puppet: {}", "1: x"] {
            check(&format!(":backends: yaml\n{unknown}\n"), LayerKind::Environment, None);
        }
    }
}
