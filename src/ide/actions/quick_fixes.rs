//! The fixes of diagnostics.

use super::{Action, ActionContext, ActionKind};
use crate::ide::edits::FileEdit;

/// All fixes of diagnostics that touch the selection; the first one of each diagnostic is preferred.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    let mut actions = Vec::new();
    for diagnostic in context.touched_diagnostics() {
        for (number, fix) in diagnostic.fixes.iter().enumerate() {
            actions.push(Action {
                title: fix.title.clone(),
                kind: ActionKind::QuickFix,
                edits: vec![FileEdit::new(context.file.path.clone(), fix.edits.clone())],
                fixes: vec![diagnostic.clone()],
                is_preferred: number == 0,
                refusal: None,
            });
        }
    }
    actions
}
