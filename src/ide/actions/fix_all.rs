//! Everything in a file that can be fixed without asking, at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Action, ActionContext, ActionKind};
use crate::ide::diagnostics::{Diagnostic, Fix};
use crate::ide::edits::FileEdit;
use crate::ide::proof::refutation;
use crate::text::{TextEdit, apply_edits};

/// What [`repair`] does to a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The edits; none overlaps another.
    pub edits: Vec<TextEdit>,
    /// The diagnostics that go away.
    pub fixed: Vec<Diagnostic>,
}

/// One action for all safe fixes of the file.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    let Repaired { edits, fixed } = repair(context.diagnostics(), Fix::is_safe);
    if fixed.is_empty() || !is_proved(context, &edits) {
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

/// Whether all nodes get the answers that they get now.
fn is_proved(context: &ActionContext<'_>, edits: &[TextEdit]) -> bool {
    let path = &context.file.path;
    let text = apply_edits(&context.file.text, edits);
    let after = context.world.as_if(&[(Arc::clone(path), text.into())]);
    refutation(context.world, &after, path).is_none()
}

/// The first fix of each diagnostic that `is_wanted`, in the order of the text. Of two that overlap, only the first
/// is done: the other one may not be needed any more, and can be done afterwards.
pub fn repair(diagnostics: &[Diagnostic], is_wanted: impl Fn(&Fix) -> bool) -> Repaired {
    let mut repaired = Repaired::default();
    // Where those begin and end that are done; they do not touch.
    let mut taken: BTreeMap<u32, u32> = BTreeMap::new();
    for diagnostic in diagnostics {
        let Some(fix) = diagnostic.fixes.iter().find(|fix| is_wanted(fix)) else { continue };
        let is_free = |edit: &TextEdit| {
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
