//! Properties of every fix, checked on a fixture: it removes its own diagnostic and no other, and changes only the values
//! that it may change. It also works in a file with Windows line ends.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::diagnostics::{Diagnostic, Fix};
use super::file_role::FileRole;
use super::fixture::Fixture;
use crate::data::{Files as _, Verdict, inspect};
use crate::text::apply_edits;
use crate::world::World;

/// Diagnostics that appear only after Puppet understands a value.
const REVEALED: [&str; 3] = ["recursive-lookup", "missing-lookup-target", "merge-type-clash"];

/// Diagnostics that depend on lower levels: if a value there changes, others may appear.
const OF_LOWER_LEVELS: [&str; 2] = ["redundant-override", "null-hides-value"];

/// The values of all keys, by environment, node and key. `None` for lookups that fail or find nothing.
type Values = BTreeMap<(String, String, String), Option<String>>;

impl Fixture {
    /// Applies each fix of each diagnostic separately; `Err` describes unexpected effects. Returns the number of fixes.
    pub(crate) fn check_fixes(&self) -> Result<usize, String> {
        let before = Seen::of(self);
        let windows = self.with_windows_line_ends();
        let on_windows = Seen::of(&windows);
        let mut count = 0;
        let mut problems = String::new();
        for (number, file) in self.files.iter().enumerate() {
            let path = file.world_path();
            for (at, diagnostic) in before.diagnostics[number].iter().enumerate() {
                for (choice, fix) in diagnostic.fixes.iter().enumerate() {
                    count += 1;
                    let fixed = self.with_text(number, apply_edits(&file.text, &fix.edits));
                    let after = Seen::of(&fixed);
                    let mut found = before.unexpected(&after, number, &path, diagnostic, fix);
                    let other = on_windows.diagnostics[number].get(at);
                    if let Some(other) = other.and_then(|it| it.fixes.get(choice)) {
                        let text = apply_edits(&windows.files[number].text, &other.edits);
                        if text != with_windows_line_ends(&fixed.files[number].text) {
                            let _ = writeln!(found, "other edits with \\r\\n: {text:?}");
                        }
                    } else {
                        found += "no such fix with \\r\\n\n";
                    }
                    if !found.is_empty() {
                        let (code, title) = (diagnostic.code, &fix.title);
                        let text = &fixed.files[number].text;
                        let _ = writeln!(problems, "{code}: {title}\n{found}in\n{text}");
                    }
                }
            }
        }
        if problems.is_empty() { Ok(count) } else { Err(problems) }
    }

    /// The same fixture with another text in one file.
    #[must_use]
    pub(crate) fn with_text(&self, number: usize, text: String) -> Self {
        let mut other = self.clone();
        other.files[number].text = text.into();
        other
    }

    fn with_windows_line_ends(&self) -> Self {
        let mut other = self.clone();
        for file in &mut other.files {
            file.text = with_windows_line_ends(&file.text).into();
        }
        other
    }
}

fn with_windows_line_ends(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// The observable state of a fixture.
struct Seen {
    world: Arc<World>,
    diagnostics: Vec<Vec<Diagnostic>>,
    values: Values,
}

impl Seen {
    fn of(fixture: &Fixture) -> Self {
        let world = fixture.world();
        let of_file = |path: String| super::diagnostics(&world, &path);
        let diagnostics = fixture.files.iter().map(|file| of_file(file.world_path())).collect();
        let values = values(&world);
        Self { world, diagnostics, values }
    }

    /// The differences in `after` that the fix should not have caused.
    fn unexpected(
        &self,
        after: &Self,
        number: usize,
        path: &str,
        diagnostic: &Diagnostic,
        fix: &Fix,
    ) -> String {
        let mut problems = self.unexpected_diagnostics(after, number, path, diagnostic, fix);
        let was_broken = self.is_broken(path);
        let own_key = (!was_broken).then(|| self.root_key(path, diagnostic)).flatten();
        for (question, value) in &self.values {
            let now = after.values.get(question).cloned().flatten();
            let may_change = value.is_none()
                || (fix.changes_values() || fix.is_by_hand())
                    && own_key.as_deref().is_none_or(|own| {
                        self.depends_on(&question.2, own) || is_written(fix, &question.2)
                    });
            if *value != now && !may_change {
                let _ = writeln!(problems, "{question:?} gives {now:?} instead of {value:?}");
            }
        }
        problems
    }

    fn unexpected_diagnostics(
        &self,
        after: &Self,
        number: usize,
        path: &str,
        diagnostic: &Diagnostic,
        fix: &Fix,
    ) -> String {
        let mut problems = String::new();
        let was_broken = self.is_broken(path);
        for (file, (before, after)) in self.diagnostics.iter().zip(&after.diagnostics).enumerate() {
            let goes =
                |it: &&Diagnostic| file == number && *it != diagnostic && is_removed(fix, it);
            let gone = before.iter().filter(goes).cloned().collect::<Vec<_>>();
            let mut before = counts(before);
            if file == number {
                *before.entry(diagnostic.code).or_default() -= 1;
            }
            for (code, count) in counts(&gone) {
                let most = before.entry(code).or_default();
                // If a key is written three times, the second and the third have the same diagnostic.
                let left = counts(after).get(code).copied().unwrap_or_default();
                *most = left.clamp(*most - count, *most);
            }
            let mut after = counts(after);
            after.retain(|code, count| {
                let known = before.get(code).copied().unwrap_or_default();
                if REVEALED.contains(code) {
                    *count = known.min(*count);
                }
                *count > 0
            });
            if file != number && (fix.changes_values() || fix.is_by_hand()) {
                before.retain(|code, _| !OF_LOWER_LEVELS.contains(code));
                after.retain(|code, _| !OF_LOWER_LEVELS.contains(code));
            }
            if path.ends_with("/hiera.yaml") {
                // The files may be read now.
                before.remove("nothing-checked");
                before.remove("orphan-file");
                // And a level that was not read may lead nowhere.
                before.remove("level-never-matches");
                after.remove("level-never-matches");
                // What breaks the rules of one version may be right in another.
                if diagnostic.code == "hiera-yaml-version" {
                    before.remove("hiera-yaml-schema");
                }
                // Puppet may report the same problem in two sentences.
                let left = after.get(diagnostic.code).copied().unwrap_or_default();
                let most = before.entry(diagnostic.code).or_default();
                *most = left.min(*most);
            }
            before.retain(|_, count| *count > 0);
            // Other errors of a broken file may appear only now.
            let may_differ = was_broken && !after.contains_key(diagnostic.code);
            if before != after && !may_differ {
                let _ = writeln!(problems, "diagnostics {after:?} instead of {before:?}");
            }
        }
        problems
    }

    fn is_broken(&self, path: &str) -> bool {
        let Some(FileRole::Data { format, .. }) = FileRole::of(&self.world, path) else {
            return false;
        };
        let data = self.world.data(path, format);
        data.is_ok_and(|data| matches!(data.verdict(), Verdict::Broken(_)))
    }

    /// The key whose value contains the diagnostic; `None` if it is about several values.
    fn root_key(&self, path: &str, diagnostic: &Diagnostic) -> Option<String> {
        let Some(FileRole::Data { format, .. }) = FileRole::of(&self.world, path) else {
            return None;
        };
        let data = self.world.data(path, format).ok()?;
        let entry = data.entry_at(diagnostic.range.start)?;
        // `:key` is a symbol, and the key has its name.
        let written = entry.key.range.slice(entry.text);
        let written = written.strip_prefix(':').unwrap_or(written);
        let key = written.trim_matches(['"', '\'']).to_owned();
        let is_in_entry = entry.range().touches(diagnostic.range.start);
        (is_in_entry && key != "lookup_options").then_some(key)
    }

    /// Whether some file's value of `key` names `other`.
    fn depends_on(&self, key: &str, other: &str) -> bool {
        let names_it = |path: &str, format| {
            let Ok(data) = self.world.data(path, format) else { return false };
            let mut entries = data.trees();
            entries.any(|entry| {
                entry.key.range.slice(entry.text).trim_matches(['"', '\'']) == key
                    && entry.text.contains(other)
            })
        };
        key == other
            || self.world.environments().iter().any(|environment| {
                let index = self.world.key_index(environment);
                index.files().iter().any(|(path, format)| names_it(path, *format))
            })
    }
}

/// Whether a fix renames something to `key`.
fn is_written(fix: &Fix, key: &str) -> bool {
    fix.edits.iter().any(|edit| edit.new_text.trim_matches(['"', '\'']) == key)
}

/// Whether a fix removes what a diagnostic is about, or writes its code into a comment that suppresses it.
fn is_removed(fix: &Fix, diagnostic: &Diagnostic) -> bool {
    if fix.edits.iter().any(|edit| edit.new_text == diagnostic.code) {
        return true;
    }
    let mut edits = fix.edits.iter().filter(|edit| edit.new_text.is_empty());
    edits.any(|edit| edit.range.contains_range(diagnostic.range))
}

fn counts(diagnostics: &[Diagnostic]) -> BTreeMap<&'static str, i64> {
    let mut counts = BTreeMap::new();
    for diagnostic in diagnostics {
        *counts.entry(diagnostic.code).or_default() += 1;
    }
    counts
}

fn values(world: &Arc<World>) -> Values {
    let mut values = Values::new();
    for environment in world.environments().iter() {
        let keys = world.key_index(environment).keys();
        let nodes = world.nodes(environment);
        let any = [world.any_node(environment)];
        for node in if nodes.is_empty() { &any[..] } else { &*nodes } {
            let evaluator = world.evaluator(environment, node);
            for key in &keys {
                let found = evaluator.lookup(key).outcome.ok().flatten();
                let value = found.map(|it| inspect::inspect(&it.value));
                let question =
                    (environment.name.to_string(), node.name.to_string(), key.to_string());
                values.insert(question, value);
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{TextEdit, TextRange};

    const TEXT: &str = "a: yes\nb: \"x %{lookup('a')}\"\nc: 1\n";

    /// The errors of these edits as a fix of the first diagnostic, which is about `a`.
    #[track_caller]
    fn check(make: fn(&'static str, Vec<TextEdit>) -> Fix, edits: &[TextEdit], expected: &[&str]) {
        let fixture = Fixture::parse(TEXT);
        let before = Seen::of(&fixture);
        let fixed = fixture.with_text(0, apply_edits(TEXT, edits));
        let fix = make("", edits.to_vec());
        let path = fixture.files[0].world_path();
        let diagnostic = &before.diagnostics[0][0];
        let problems = before.unexpected(&Seen::of(&fixed), 0, &path, diagnostic, &fix);
        let lines: Vec<_> = problems.lines().map(|it| it.split(" instead").next()).collect();
        assert_eq!(lines.len(), expected.len(), "{problems}");
        for (line, expected) in lines.iter().zip(expected) {
            assert!(line.is_some_and(|line| line.contains(expected)), "{problems}");
        }
    }

    #[test]
    fn a_fix_that_does_something_else_is_seen() {
        let replace = |(start, end), text| TextEdit::replace(TextRange::new(start, end), text);
        let quote = replace((3, 6), "'yes'");
        check(Fix::safe, &[replace((3, 6), "true")], &[]);
        check(Fix::changing, std::slice::from_ref(&quote), &[]);
        check(Fix::safe, std::slice::from_ref(&quote), &["\"a\")", "\"b\")"]);
        check(Fix::changing, &[quote, replace((32, 33), "2")], &["\"c\") gives Some(\"2\")"]);
        check(Fix::safe, &[replace((32, 33), "1 ")], &["diagnostics {\"yaml-1.1-boolean\": 1}"]);
        check(Fix::safe, &[replace((3, 6), "true"), replace((32, 33), "0x1")], &[]);
    }
}
