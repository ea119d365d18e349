//! Applies all safe fixes in a file at once.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::{Action, ActionContext, ActionKind};
use crate::ide::diagnostics::{Diagnostic, Fix, diagnostics_until};
use crate::ide::edits::FileEdit;
use crate::ide::proof::refutation;
use crate::limits::MAX_FIX_PROOFS;
use crate::text::{TextEdit, TextRange, apply_edits};

/// The maximum number of rounds of fixes: a fix may make another one possible.
pub const MAX_FIX_ROUNDS: usize = 10;

/// The result of [`repair`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The edits, which do not overlap.
    pub edits: Vec<TextEdit>,
    /// The fixed diagnostics.
    pub fixed: Vec<Diagnostic>,
}

/// The result of [`proved_repair`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProvedRepair {
    /// The fixes that are proved together.
    pub repaired: Repaired,
    /// How many fixes are left out for each reason.
    pub left_out: Vec<(usize, String)>,
}

/// The fixes of a snapshot's files that are proved together, by path. Editors ask for actions whenever the cursor rests.
#[derive(Default)]
struct KnownRepairs(Mutex<HashMap<Arc<str>, Repaired>>);

impl KnownRepairs {
    fn get(&self, path: &str) -> Option<Repaired> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    fn add(&self, path: &Arc<str>, repaired: &Repaired) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(Arc::clone(path), repaired.clone());
    }
}

/// One action for all safe fixes of the file that are proved together.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    let Repaired { edits, fixed } = proved_fixes(context);
    if fixed.is_empty() {
        return Vec::new();
    }
    vec![Action {
        title: "Fix everything in this file that can be fixed safely".to_owned(),
        kind: ActionKind::FixAll,
        edits: vec![FileEdit::new(context.file.path.clone(), edits)],
        fixes: fixed,
        is_preferred: false,
        refusal: None,
    }]
}

/// All safe fixes that are proved together, found once in a snapshot.
fn proved_fixes(context: &ActionContext<'_>) -> Repaired {
    let path = &context.file.path;
    let environment = context.world.environment_of(path);
    let known = environment.map(|it| context.world.of_snapshot::<KnownRepairs>(&it));
    if let Some(found) = known.as_ref().and_then(|it| it.get(path)) {
        return found;
    }
    let found = in_rounds(context).unwrap_or_else(|| {
        let refute = |edits: &[TextEdit]| refuted(context, edits);
        proved_repair(context.diagnostics(), Fix::is_safe, refute).repaired
    });
    // After a cancellation, nothing is proved.
    if let Some(known) = known.filter(|_| !context.cancel.is_cancelled()) {
        known.add(path, &found);
    }
    found
}

/// All safe fixes, applied in rounds as `check --fix` does, because fixes that touch cannot be applied together. `None` if one
/// round is enough, or if the result is not proved.
fn in_rounds(context: &ActionContext<'_>) -> Option<Repaired> {
    let diagnostics = context.diagnostics();
    let first = repair(diagnostics, Fix::is_safe);
    let is_fixable = |it: &&Diagnostic| it.fixes.iter().any(Fix::is_safe);
    let fixed: Vec<Diagnostic> = diagnostics.iter().filter(is_fixable).cloned().collect();
    if first.fixed.len() == fixed.len() {
        return None;
    }
    let path = &context.file.path;
    let mut text = apply_edits(&context.file.text, &first.edits);
    for _ in 1..MAX_FIX_ROUNDS {
        let world = context.world.as_if(&[(Arc::clone(path), text.as_str().into())]);
        let next = repair(&diagnostics_until(&world, path, context.cancel), Fix::is_safe);
        if context.cancel.is_cancelled() {
            return None;
        }
        if next.fixed.is_empty() {
            break;
        }
        text = apply_edits(&text, &next.edits);
    }
    let edits = line_edits(&context.file.text, &text);
    refuted(context, &edits).is_none().then_some(Repaired { edits, fixed })
}

/// The edits of whole lines that turn one text into the other.
fn line_edits(before: &str, after: &str) -> Vec<TextEdit> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut at = 0;
    let mut edits = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (removed, added) = (operation.old_range(), operation.new_range());
        let length: usize = old[removed].iter().map(|line| line.len()).sum();
        let range = TextRange::new(at, at + length as u32);
        if operation.tag() != DiffTag::Equal {
            edits.push(TextEdit::replace(range, new[added].concat()));
        }
        at = range.end;
    }
    edits
}

/// Why it is not proved that all nodes keep the values that they get now.
fn refuted(context: &ActionContext<'_>, edits: &[TextEdit]) -> Option<String> {
    if context.cancel.is_cancelled() {
        return Some("the request was cancelled".to_owned());
    }
    let path = &context.file.path;
    let text = apply_edits(&context.file.text, edits);
    let after = context.world.as_if(&[(Arc::clone(path), text.into())]);
    refutation(context.world, &after, path)
}

/// The fixes of [`repair`], without those for which `refute` has a reason. If it has one for all of them together, it gets
/// smaller and smaller parts of them.
pub fn proved_repair(
    diagnostics: &[Diagnostic],
    is_wanted: impl Fn(&Fix) -> bool,
    mut refute: impl FnMut(&[TextEdit]) -> Option<String>,
) -> ProvedRepair {
    let mut proof = ProvedRepair::default();
    let all = repair(diagnostics, &is_wanted).fixed;
    let mut waiting: Vec<&[Diagnostic]> = vec![&all];
    let mut proofs = 0;
    while let Some(part) = waiting.pop().filter(|part| !part.is_empty()) {
        // The parts come in source order, and their fixes do not touch.
        let tried = repair(&[&proof.repaired.fixed, part].concat(), &is_wanted);
        proofs += 1;
        match refute(&tried.edits) {
            None => proof.repaired = tried,
            Some(_) if part.len() > 1 && proofs + waiting.len() + 2 <= MAX_FIX_PROOFS => {
                let (first, second) = part.split_at(part.len() / 2);
                waiting.extend([second, first]);
            }
            Some(why) => leave_out(&mut proof.left_out, part.len(), why),
        }
    }
    proof
}

fn leave_out(left_out: &mut Vec<(usize, String)>, count: usize, why: String) {
    match left_out.iter_mut().find(|it| it.1 == why) {
        Some((sum, _)) => *sum += count,
        None => left_out.push((count, why)),
    }
}

/// The first fix of each diagnostic for which `is_wanted` holds, in source order. If two fixes overlap, only the first one is
/// applied: the other may no longer be needed, and can be applied afterwards.
pub fn repair(diagnostics: &[Diagnostic], is_wanted: impl Fn(&Fix) -> bool) -> Repaired {
    let mut repaired = Repaired::default();
    // The starts and ends of applied edits, which do not touch.
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    for diagnostic in diagnostics {
        let Some(fix) = diagnostic.fixes.iter().find(|fix| is_wanted(fix)) else { continue };
        let is_free = |edit: &TextEdit| {
            // Applied edits do not touch, so only the nearest one can be in the way.
            let nearest = taken.range(..=edit.range.end).next_back();
            nearest.is_none_or(|(_, end)| *end < edit.range.start)
        };
        if fix.edits.iter().all(is_free) {
            for edit in &fix.edits {
                let end = taken.entry(edit.range.start).or_default();
                *end = edit.range.end.max(*end);
            }
            repaired.edits.extend(fix.edits.iter().cloned());
            repaired.fixed.push(diagnostic.clone());
        }
    }
    repaired
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::CancelToken;
    use crate::ide::actions::actions;
    use crate::ide::diagnostics::{Severity, diagnostics};
    use crate::ide::fixture::Fixture;

    /// The proved fixes of `yes` in a list of `count` items, if those of the items in `refuted` are not. Returns the number
    /// of fixes, of those left out, and of proofs.
    fn prove(count: usize, refuted: &[usize]) -> (usize, Vec<(usize, String)>, usize) {
        let text = format!("a:\n{}", "- yes\n".repeat(count));
        let fixture = Fixture::parse(&text);
        let found = diagnostics(&fixture.world(), &fixture.files[0].world_path());
        assert_eq!(found.iter().filter(|it| it.severity == Severity::Hint).count(), count);
        let place = |item: &usize| text.match_indices("yes").nth(*item).expect("an item").0 as u32;
        let refuted: Vec<u32> = refuted.iter().map(place).collect();
        let mut proofs = 0;
        let proof = proved_repair(&found, Fix::is_safe, |edits| {
            proofs += 1;
            let is_refuted = edits.iter().any(|edit| refuted.contains(&edit.range.start));
            is_refuted.then(|| "because".to_owned())
        });
        (proof.repaired.fixed.len(), proof.left_out, proofs)
    }

    #[test]
    fn fixes_that_are_not_proved_are_left_out_alone() {
        let because = |count| vec![(count, "because".to_owned())];
        assert_eq!(prove(8, &[]), (8, vec![], 1));
        assert_eq!(prove(8, &[3]), (7, because(1), 7));
        assert_eq!(prove(3, &[0, 2]), (1, because(2), 5));
        assert_eq!(prove(1, &[0]), (0, because(1), 1));
    }

    /// All lookups fail before and after any edit of such a file, so nothing is proved.
    #[test]
    fn broken_files_get_only_fixes_of_what_breaks_them() {
        let count = |text: &str| {
            let fixture = Fixture::parse(text);
            let found = diagnostics(&fixture.world(), &fixture.files[0].world_path());
            repair(&found, Fix::is_safe).fixed.len()
        };
        assert_eq!(count("x: \"open\nplain: 1\nplain: 2\nyes: yes\n"), 0);
        assert_eq!(count("<<<<<<< HEAD\nplain: 1\n=======\nplain: 2\n>>>>>>> b\n"), 0);
        assert_eq!(count("x: 1\nx: 2\ny: %{facts.os}\n"), 1);
        assert_eq!(count("x: 1\nx: 2\n"), 1);
    }

    #[test]
    fn proofs_have_a_limit() {
        let all: Vec<usize> = (0..200).collect();
        let (fixed, left_out, proofs) = prove(200, &all);
        assert_eq!((fixed, left_out[0].0), (0, 200));
        assert!(proofs <= MAX_FIX_PROOFS, "{proofs}");
    }

    #[test]
    fn what_is_proved_is_kept_for_the_snapshot() {
        let fixture = Fixture::parse("a: yes\n");
        let (world, path) = (fixture.world(), fixture.files[0].world_path());
        let count = |cancel: &CancelToken| {
            let wanted = [ActionKind::FixAll];
            actions(&world, &path, TextRange::new(0, 0), &wanted, cancel).len()
        };
        let cancelled = CancelToken::default();
        cancelled.cancel();
        assert_eq!(count(&cancelled), 0);
        assert_eq!(count(&CancelToken::default()), 1);
        assert_eq!(count(&cancelled), 1);
    }
}
