//! The fixes of diagnostics.

use super::{Action, ActionContext, ActionKind};
use crate::ide::edits::FileEdit;

/// All fixes of diagnostics that touch the selection; the first one of each diagnostic is preferred. Fixes that make the same edits
/// are one action.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    let mut actions = Vec::new();
    for diagnostic in context.touched_diagnostics() {
        for (number, fix) in diagnostic.fixes.iter().enumerate() {
            let edits = vec![FileEdit::new(context.file.path.clone(), fix.edits.clone())];
            let is_beside = |it: &&mut Action| it.fixes[0].range == diagnostic.range;
            let mut beside = actions.iter_mut().rev().take_while(is_beside);
            if let Some(same) = beside.find(|it| it.edits == edits) {
                same.fixes.push(diagnostic.clone());
                same.is_preferred |= number == 0;
                continue;
            }
            actions.push(Action {
                title: fix.title.clone(),
                kind: ActionKind::QuickFix,
                edits,
                fixes: vec![diagnostic.clone()],
                is_preferred: number == 0,
                refusal: None,
            });
        }
    }
    actions
}
