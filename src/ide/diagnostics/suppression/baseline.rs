//! Known findings that a team does not want to see again: how many a rule has for which key of which file.
//!
//! Lines and values are not stored: lines move, and values may be secret.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value as Json, json};

use crate::data::{DataFile, Files as _, PathKind, Verdict};
use crate::ide::diagnostics::suppression::control;
use crate::ide::diagnostics::{Diagnostic, current_code};
use crate::ide::file_role::FileRole;
use crate::text::TextRange;
use crate::world::World;

/// The version of the format.
const VERSION: u64 = 1;

/// The number of known findings by path, rule and root key.
type Counts = BTreeMap<String, BTreeMap<String, BTreeMap<String, u64>>>;

/// The findings that are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Baseline {
    counts: Counts,
}

/// The last baseline that was read, with its text.
#[derive(Default)]
struct BaselineCache(Mutex<Option<(Arc<str>, Arc<Baseline>)>>);

impl Baseline {
    /// The baseline of the workspace, if it has one. A file that cannot be read counts as empty.
    pub(crate) fn of(world: &World) -> Option<Arc<Self>> {
        let text = world.text(&world.baseline_path()).ok()?;
        let cache = world.attached::<BaselineCache>();
        let mut known = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, baseline)) = known.as_ref().filter(|(of, _)| Arc::ptr_eq(of, &text)) {
            return Some(baseline.clone());
        }
        let baseline = Arc::new(Self::read(&text).unwrap_or_default());
        *known = Some((text, baseline.clone()));
        Some(baseline)
    }

    /// Why the baseline of the workspace has no effect although something is there.
    pub fn problem(world: &World) -> Option<String> {
        let path = world.baseline_path();
        let why = match world.kind(&path) {
            PathKind::Missing => return None,
            PathKind::Directory => "this is a directory".to_owned(),
            PathKind::File => match world.text(&path) {
                Ok(text) => Self::read(&text).err()?,
                Err(error) => error,
            },
        };
        Some(format!("{path}: the baseline cannot be read, so all findings are reported: {why}"))
    }

    /// Reads a file that [`Self::write`] wrote; `Err` says why it is not valid.
    pub fn read(text: &str) -> Result<Self, String> {
        let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if json["version"] != VERSION {
            return Err(format!("the version is not {VERSION}"));
        }
        let written: Counts =
            serde_json::from_value(json["findings"].clone()).map_err(|error| error.to_string())?;
        let mut counts = Counts::new();
        for (path, rules) in written {
            let known = counts.entry(path).or_default();
            for (code, keys) in rules {
                // Two earlier codes may belong to one rule now, so their counts are added.
                let known = known.entry(current_code(&code).to_owned()).or_default();
                for (key, count) in keys {
                    let sum = known.entry(key).or_default();
                    *sum = sum.saturating_add(count);
                }
            }
        }
        Ok(Self { counts })
    }

    /// The file's content: JSON with sorted keys.
    pub fn write(&self) -> String {
        format!("{:#}\n", json!({"version": VERSION, "findings": self.counts}))
    }

    /// Adds the findings of the file at `path`.
    pub fn add(&mut self, world: &World, path: &str, findings: &[Diagnostic]) {
        let shown = shown_path(world, path);
        let role = FileRole::of(world, path);
        let keys = RootKeys::of(world, path, role.as_ref());
        for finding in findings {
            let rules = self.counts.entry(shown.clone()).or_default();
            let known = rules.entry(finding.code.to_owned()).or_default();
            *known.entry(keys.key_of(finding)).or_default() += 1;
        }
    }

    /// The number of known findings.
    pub fn len(&self) -> u64 {
        let counts = self.counts.values().flat_map(BTreeMap::values).flat_map(BTreeMap::values);
        counts.copied().fold(0, u64::saturating_add)
    }

    /// Whether there are no known findings.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Removes the known findings, and returns known findings that no longer exist. If a key has more findings of a rule
    /// than are known, it is not known which of them are new, so all stay.
    pub(crate) fn leave_out(
        &self,
        world: &World,
        path: &str,
        role: Option<&FileRole>,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<Stale<'_>> {
        let Some(known) = self.counts.get(&shown_path(world, path)) else { return Vec::new() };
        let keys = RootKeys::of(world, path, role);
        let mut found: BTreeMap<(&str, String), u64> = BTreeMap::new();
        for finding in &*findings {
            *found.entry((finding.code, keys.key_of(finding))).or_default() += 1;
        }
        // The rules find less in a broken file, so nothing in it counts as gone.
        let stale = keys.is_readable().then(|| stale(known, &found, &keys));
        findings.retain(|finding| {
            let key = keys.key_of(finding);
            let most = known.get(finding.code).and_then(|keys| keys.get(&key)).copied();
            most.unwrap_or(0) < found[&(finding.code, key)]
        });
        stale.unwrap_or_default()
    }
}

/// A path as baselines write it.
fn shown_path(world: &World, path: &str) -> String {
    control::path_from(&world.baseline_directory(), world, path)
}

/// Entries with fewer findings than are known.
fn stale<'b>(
    known: &'b BTreeMap<String, BTreeMap<String, u64>>,
    found: &BTreeMap<(&str, String), u64>,
    keys: &RootKeys,
) -> Vec<Stale<'b>> {
    let all = known.iter().flat_map(|(code, keys)| keys.iter().map(move |it| (&**code, it)));
    let stale = all.filter_map(|(code, (key, count))| {
        let found = found.get(&(code, key.clone())).copied().unwrap_or(0);
        let count = count.checked_sub(found).filter(|count| *count > 0)?;
        Some(Stale { code, key, count, range: keys.range_of(key) })
    });
    stale.collect()
}

/// Known findings that no longer exist.
pub(crate) struct Stale<'b> {
    /// The rule's code.
    pub(crate) code: &'b str,
    /// The root key; empty for findings about the whole file.
    pub(crate) key: &'b str,
    /// How many no longer exist.
    pub(crate) count: u64,
    /// The place of the key; the first line of the file if the key no longer exists either.
    pub(crate) range: TextRange,
}

/// Finds the key of a finding.
struct RootKeys(Option<Arc<DataFile>>);

impl RootKeys {
    fn of(world: &World, path: &str, role: Option<&FileRole>) -> Self {
        let Some(FileRole::Data { format, .. }) = role else { return Self(None) };
        Self(world.data(path, *format).ok())
    }

    /// Whether the rules can check the file completely.
    fn is_readable(&self) -> bool {
        self.0.as_ref().is_none_or(|data| !matches!(data.verdict(), Verdict::Broken(_)))
    }

    fn range_of(&self, key: &str) -> TextRange {
        let Some(data) = &self.0 else { return TextRange::empty(0) };
        // A finding needs a place, even if its key no longer exists.
        data.get(key).map_or(TextRange::first_line(data.text()), |entry| entry.key_place.range)
    }

    /// The root key, or an empty text for findings about the whole file.
    fn key_of(&self, finding: &Diagnostic) -> String {
        let entry = self.0.as_ref().and_then(|data| data.entry_at(finding.range.start));
        let entry = entry.filter(|it| it.range().touches(finding.range.start));
        let key = entry.map(|it| it.key.range.slice(it.text).trim_matches(['"', '\'']).to_owned());
        key.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::diagnostics::testing::check;
    use crate::ide::fixture::Fixture;
    use crate::world::{Change, Host, MemoryDisk};

    #[test]
    fn what_is_known_is_not_said() {
        check(
            r#"
#- /.hiera-ls-baseline.json
{"version": 1, "findings": {"data/common.yaml": {
  "octal-number": {"a": 1, "c": 1}, "sexagesimal-number": {"b": 2}}}}
#- /data/common.yaml
a: 0644
b: [22:22, 23:23]
c: [0644, 0755, 0700]
#   ^^^^ warning[octal-number]
#         ^^^^ warning[octal-number]
#               ^^^^ warning[octal-number]
d: 0644
#  ^^^^ warning[octal-number]
"#,
        );
    }

    #[test]
    fn it_may_lie_elsewhere() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {baseline: ci/known.json}
#- /ci/known.json
{"version": 1, "findings": {"data/common.yaml": {"octal-number": {"a": 1}}}}
#- /data/common.yaml
a: 0644
"#,
        );
    }

    #[test]
    fn what_is_gone_is_reported() {
        check(
            r#"
#- /.hiera-ls-baseline.json
{"version": 1, "findings": {"data/common.yaml": {
  "octal-number": {"aa": 3, "b": 1, "c": 1}, "empty-file": {"": 1}, "unused-key": {"aa": 1},
  "no-such-rule": {"aa": 1}}}}
#- /data/common.yaml
---
#^^ information[unused-ignore]: the baseline lists 3 findings that are gone, such as `empty-file` of this file…
aa: [0644, 0755]
b: 0644
"#,
        );
        check(
            r#"
#- /.hiera-ls-baseline.json
{"version": 1, "findings": {"data/common.yaml": {"octal-number": {"aa": 3, "b": 1}}}}
#- /data/common.yaml
---
aa: [0644, 0755]
#^ information[unused-ignore]: the baseline lists 1 finding that is gone: `octal-number` of `aa`…
b: 0644
"#,
        );
        check(
            r#"
#- /.hiera-ls-baseline.json
{"version": 1, "findings": {"data/common.yaml": {"octal-number": {"a": 3}}}}
#- /.hiera-ls.yaml
diagnostics: {severity: {unused-ignore: "off"}}
#- /data/common.yaml
a: 1
"#,
        );
    }

    #[test]
    fn counts_may_be_of_any_size() {
        let most = u64::MAX;
        let known = format!(
            r#"{{"version": 1, "findings": {{"data/common.yaml": {{"octal-number": {{"aa": {most}, "b": {most}}}}}}}}}"#
        );
        assert_eq!(Baseline::read(&known).map(|it| it.len()), Ok(most));
        check(&format!(
            "
#- /.hiera-ls-baseline.json
{known}
#- /data/common.yaml
aa: 1
#^ information[unused-ignore]: the baseline lists {most} findings that are gone, such as `octal-number` of `aa`…
b: 1
"
        ));
    }

    #[test]
    fn it_is_read_again_when_it_changes() {
        let known = |count: u64| {
            format!(
                "{{\"version\": 1, \"findings\": {{\"common.yaml\": {{\"octal-number\": {{\"a\": {count}}}}}}}}}"
            )
        };
        let files = [
            (
                "/r/hiera.yaml",
                "version: 5\nhierarchy: [{name: x, datadir: ., path: common.yaml}]\n".to_owned(),
            ),
            ("/r/common.yaml", "a: [0644, 0755]\n".to_owned()),
            ("/r/.hiera-ls-baseline.json", known(1)),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text));
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let count = |host: &Host| crate::ide::diagnostics(&host.snapshot(), "/r/common.yaml").len();
        assert_eq!(count(&host), 2);
        let path = "/r/.hiera-ls-baseline.json".to_owned();
        host.apply(Change::OpenBuffer { path, text: known(2), version: 1 });
        assert_eq!(count(&host), 0);
        assert_eq!(count(&host), 0);
    }

    #[test]
    fn a_broken_file_hides_what_it_had() {
        check(
            r#"
#- /.hiera-ls-baseline.json
{"version": 1, "findings": {"data/common.yaml": {"octal-number": {"a": 3}}}}
#- /data/common.yaml
a: [1
#  ^^ error[yaml-syntax]
b: 1
"#,
        );
    }

    #[test]
    fn what_is_written_can_be_read() {
        let fixture = Fixture::parse("a: [0644, 0755]\nb: {c: 22:22}\n\u{e9}: 1,5\n---\nx: 1\n");
        let world = fixture.world();
        let path = fixture.files[0].world_path();
        let mut baseline = Baseline::default();
        baseline.add(&world, &path, &crate::ide::diagnostics(&world, &path));
        assert_eq!(baseline.len(), 5);
        assert!(!baseline.is_empty() && Baseline::default().is_empty());
        let text = baseline.write();
        assert_eq!(Baseline::read(&text), Ok(baseline));
        let expected = r#"{
  "version": 1,
  "findings": {
    "data/common.yaml": {
      "comma-number": {
        "é": 1
      },
      "multiple-documents": {
        "": 1
      },
      "octal-number": {
        "a": 2
      },
      "sexagesimal-number": {
        "b": 1
      }
    }
  }
}
"#;
        assert_eq!(text, expected);
        assert!(Baseline::read("{\"version\": 2}").is_err());
        assert!(Baseline::read("[").is_err());
    }
}
