//! Applies all safe fixes in a file at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Action, ActionContext, ActionKind};
use crate::ide::diagnostics::{Diagnostic, Fix};
use crate::ide::edits::FileEdit;
use crate::ide::proof::refutation;
use crate::text::{TextEdit, apply_edits};

/// The result of [`repair`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The edits, which do not overlap.
    pub edits: Vec<TextEdit>,
    /// The fixed diagnostics.
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

/// Whether all nodes keep the values that they get now.
fn is_proved(context: &ActionContext<'_>, edits: &[TextEdit]) -> bool {
    let path = &context.file.path;
    let text = apply_edits(&context.file.text, edits);
    let after = context.world.as_if(&[(Arc::clone(path), text.into())]);
    refutation(context.world, &after, path).is_none()
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
