//! `check --fix` and `check --diff`: applies fixes in rounds until none is left.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use similar::{ChangeTag, TextDiff};

use super::checked::{Checked, Output};
use super::findings::{hidden_lines, without_encrypted};
use super::setup::Setup;
use crate::cli::shown::{counted, in_lines, within_a_line};
use crate::data::Files as _;
use crate::ide::diagnostics::Fix;
use crate::ide::{MAX_FIX_ROUNDS, all_diagnostics, proved_repair, refutation, repair};
use crate::text::{LineIndex, TextEdit, apply_edits};
use crate::world::World;

/// The number of lines around a change that a diff shows.
const CONTEXT_LINES: usize = 3;

/// Shown instead of a line of a secret.
const NOT_SHOWN: &str = "(not shown)";

/// The applied fixes.
#[derive(Default)]
pub(super) struct Fixing {
    /// The texts before and after, by path.
    files: BTreeMap<String, (Arc<str>, Arc<str>)>,
    /// How many findings were fixed, by path.
    counts: BTreeMap<String, usize>,
    /// The paths of files with fixes that were withdrawn.
    withdrawn: BTreeSet<String>,
    /// Which fixes were withdrawn, and why.
    notes: Vec<String>,
    /// The world before.
    before: Option<Arc<World>>,
}

/// Applies the safe fixes, and with `all` also those that change values, to the texts of the host; nothing is written yet.
pub(super) fn fix(setup: &mut Setup, all: bool) -> Fixing {
    let is_wanted = |fix: &Fix| all && !fix.is_by_hand() || fix.is_safe();
    let mut fixing = Fixing { before: Some(setup.host.snapshot()), ..Fixing::default() };
    for _ in 0..MAX_FIX_ROUNDS {
        let world = setup.host.snapshot();
        let repaired = setup.each_file(&world, |_, path, found| {
            let repaired = repair(&found, is_wanted);
            (!repaired.fixed.is_empty()).then(|| (path.to_owned(), repaired))
        });
        let repaired: Vec<_> = repaired.into_iter().flatten().collect();
        let mut is_over = true;
        // A fix may make others possible or impossible, also in other files, so the next round finds all of them again.
        for (path, repaired) in repaired {
            let Ok(text) = world.text(&path) else { continue };
            let fixed: Arc<str> = apply_edits(&text, &repaired.edits).into();
            if fixed == text {
                continue;
            }
            is_over = false;
            setup.host.assume(&path, fixed.clone());
            *fixing.counts.entry(path.clone()).or_default() += repaired.fixed.len();
            // The first text of a file is kept over all rounds, because the diff starts from it.
            fixing.files.entry(path).or_insert_with(|| (text.clone(), text)).1 = fixed;
        }
        if is_over {
            break;
        }
    }
    // The user who wants fixes that change values does not want them withdrawn for that reason.
    if !all {
        fixing.prove(setup);
    }
    fixing.files.retain(|_, (before, after)| before != after);
    let Fixing { files, counts, .. } = &mut fixing;
    counts.retain(|path, _| files.contains_key(path));
    fixing
}

impl Fixing {
    /// Withdraws fixes that are not proved to leave all values as they are: file by file, each together with those that are
    /// proved.
    fn prove(&mut self, setup: &mut Setup) {
        let Some(mut world) = self.before.clone() else { return };
        let edited: Vec<(String, Arc<str>)> =
            self.files.iter().map(|(path, (_, after))| (path.clone(), after.clone())).collect();
        for (path, text) in edited {
            // Each file is compared with the state in which the files proved before are already fixed.
            let after = world.as_if(&[(path.as_str().into(), text)]);
            world = match refutation(&world, &after, &path) {
                None => after,
                Some(_) => self.withdraw(setup, &world, &path),
            };
        }
    }

    /// Fixes a file again with those of its first fixes that are proved. Returns the world after that.
    fn withdraw(&mut self, setup: &mut Setup, world: &Arc<World>, path: &str) -> Arc<World> {
        let Some((text, _)) = self.files.remove(path) else { return Arc::clone(world) };
        let if_fixed = |edits: &[TextEdit]| {
            let fixed: Arc<str> = apply_edits(&text, edits).into();
            (world.as_if(&[(path.into(), fixed.clone())]), fixed)
        };
        let mut found = all_diagnostics(world, path);
        found.retain(|it| setup.reports(it));
        let proof = proved_repair(&found, Fix::is_safe, |edits| {
            refutation(world, &if_fixed(edits).0, path)
        });
        let shown = setup.shown.of(world, path);
        for (count, why) in &proof.left_out {
            let fixes = if *count == 1 { "a fix" } else { "fixes" };
            self.notes.push(format!("{shown}: {fixes} withdrawn: {why}"));
        }
        let (after, fixed) = if_fixed(&proof.repaired.edits);
        self.counts.insert(path.to_owned(), proof.repaired.fixed.len());
        self.withdrawn.insert(path.to_owned());
        setup.host.assume(path, fixed.clone());
        self.files.insert(path.to_owned(), (text, fixed));
        after
    }

    /// Whether a fix of this file was withdrawn.
    pub(super) fn has_withdrawn(&self, path: &str) -> bool {
        self.withdrawn.contains(path)
    }

    fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// The withdrawn fixes, and why.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.notes.iter().cloned()
    }

    /// Writes the changes to disk.
    pub(super) fn write(&self) -> Result<(), String> {
        for (path, (_, after)) in &self.files {
            std::fs::write(path, after.as_bytes()).map_err(|error| format!("{path}: {error}"))?;
        }
        Ok(())
    }

    /// The number of fixes; empty if there are none.
    pub(super) fn summary(&self) -> String {
        match self.count() {
            0 => String::new(),
            count => format!("{} fixed; ", counted(count, "finding")),
        }
    }

    /// The diffs. The result says that there is something to do.
    pub(super) fn show(&self, setup: &Setup) -> Checked {
        let mut text = String::new();
        let after = setup.host.snapshot();
        for (path, texts) in &self.files {
            let hidden = |world| hidden_lines(world, path);
            let hidden = (self.before.as_ref().map_or_else(BTreeSet::new, hidden), hidden(&after));
            text += &difference(&setup.shown.of(&after, path), texts, &hidden);
        }
        let files = counted(self.files.len(), "file");
        let summary = match self.count() {
            0 => "nothing to fix".to_owned(),
            count => format!("{} would be fixed in {files}", counted(count, "finding")),
        };
        let has_problems = !self.files.is_empty();
        let notes = self.notes().chain(after.notes()).collect();
        Checked { output: Output::Text(text), summary, has_problems, notes }
    }
}

/// A unified diff without secrets.
fn difference(
    path: &str,
    (before, after): &(Arc<str>, Arc<str>),
    hidden: &(BTreeSet<usize>, BTreeSet<usize>),
) -> String {
    let path = within_a_line(path);
    let mut text = format!("--- {path}\n+++ {path}\n");
    // Secrets may continue over several lines, so they are searched for in the whole text.
    let (shown_before, shown_after) = (without_encrypted(before), without_encrypted(after));
    let (before_lines, after_lines) = (lines_of(&shown_before), lines_of(&shown_after));
    let line = |lines: &[&str], hidden: &BTreeSet<usize>, number: Option<usize>| {
        let number = number.filter(|number| !hidden.contains(number));
        number
            .and_then(|it| lines.get(it))
            .map_or_else(|| NOT_SHOWN.to_owned(), |line| (*line).to_owned())
    };
    // The real texts are compared. Two secrets of the same length look the same when they are hidden.
    let diff = TextDiff::from_lines(&**before, &**after);
    for hunk in diff.unified_diff().context_radius(CONTEXT_LINES).iter_hunks() {
        let _ = writeln!(text, "{}", hunk.header());
        for change in hunk.iter_changes() {
            let (sign, line) = match change.tag() {
                ChangeTag::Equal => (' ', line(&before_lines, &hidden.0, change.old_index())),
                ChangeTag::Delete => ('-', line(&before_lines, &hidden.0, change.old_index())),
                ChangeTag::Insert => ('+', line(&after_lines, &hidden.1, change.new_index())),
            };
            // A patch fits only with the line ends of the file.
            let end = if change.value().ends_with("\r\n") { "\r\n" } else { "\n" };
            let _ = write!(text, "{}{end}", in_lines(&format!("{sign}{line}")));
            if change.missing_newline() {
                text += "\\ No newline at end of file\n";
            }
        }
    }
    text
}

/// The lines of a text without their line ends, counted as those of secrets are.
fn lines_of(text: &str) -> Vec<&str> {
    let index = LineIndex::new(text);
    (0..index.line_count()).map(|line| index.line_range(text, line).slice(text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A CI server runs only what a line starts with, without the spaces before it.
    #[test]
    fn only_what_starts_a_line_is_like_a_command() {
        let (before, after): (Arc<str>, Arc<str>) = (
            "## NTP\n::error::a: 1\n::b: yes\n".into(),
            "## NTP\n::error::a: 1\n::b: true\n".into(),
        );
        let shown = difference("x.yaml", &(before, after), &Default::default());
        assert!(
            shown.ends_with("\n ## NTP\n \\u{3a}:error::a: 1\n-::b: yes\n+::b: true\n"),
            "{shown}"
        );
    }

    #[test]
    fn a_patch_has_the_line_ends_of_the_file() {
        let (before, after): (Arc<str>, Arc<str>) =
            ("a: 1\r\nb: yes\r\nc: 1".into(), "a: 1\r\nb: true\r\nc: 1".into());
        let shown = difference("x.yaml", &(before, after), &Default::default());
        let lines = " a: 1\r\n-b: yes\r\n+b: true\r\n c: 1\n\\ No newline at end of file\n";
        assert!(shown.ends_with(lines), "{shown:?}");
    }

    #[test]
    fn lines_that_end_as_on_old_machines_keep_their_secrets() {
        let before: Arc<str> = "a: 1\rsecret: hunter2\rb: yes\n".into();
        let after: Arc<str> = "a: 1\rsecret: hunter2\rb: true\n".into();
        let hidden = BTreeSet::from([1]);
        let shown = difference("x.yaml", &(before, after), &(hidden.clone(), hidden));
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.contains("-b: yes\n+b: true\n"), "{shown}");
    }
}
