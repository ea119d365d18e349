//! Code actions as data: what the user can do at a place. One file per provider; the table lists them.
//!
//! A provider gets the request and returns complete actions. It does not need to check which kinds are requested: actions of
//! other kinds are filtered out here.

mod extract;
mod extract_to_hiera;
mod eyaml;
mod fix_all;
mod glob_files;
mod ignore;
mod inline;
mod levels;
mod members;
mod missing_parameter;
mod name_pattern;
mod quick_fixes;
mod root_entry;
mod yaml_entry;

use std::cell::OnceCell;
use std::sync::Arc;

use super::changes::on_one_line;
use super::diagnostics::{Diagnostic, diagnostics};
use super::edits::{FileChange, FileEdit, once_for_each_file};
use crate::engine::CancelToken;
use crate::text::TextRange;
use crate::world::{FileEntry, World};

pub use eyaml::secrets::{SecretAction, secret_actions, secret_edit};
pub use fix_all::{MAX_FIX_ROUNDS, ProvedRepair, Repaired, proved_repair, repair};

/// A code action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// What it does, in the imperative.
    pub title: String,
    /// Its kind.
    pub kind: ActionKind,
    /// All its edits; at most one for each file.
    pub edits: Vec<FileEdit>,
    /// The diagnostics of the requested file that it fixes.
    pub fixes: Vec<Diagnostic>,
    /// Whether it is the usual choice.
    pub is_preferred: bool,
    /// Why it is not possible here, as a sentence; then there are no edits.
    pub refusal: Option<String>,
}

impl Action {
    /// An action with these edits, or with the reason why it is not possible.
    fn new(title: String, kind: ActionKind, edits: Result<Vec<FileEdit>, String>) -> Self {
        let (edits, refusal) = match edits {
            Ok(edits) => (edits, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Self { title, kind, edits, fixes: Vec::new(), is_preferred: false, refusal }
    }
}

/// The kinds of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActionKind {
    /// Fixes a diagnostic.
    QuickFix,
    /// Any change of form.
    Refactor,
    /// Extracts something to a place of its own.
    RefactorExtract,
    /// Inlines something where it is used.
    RefactorInline,
    /// Rewrites something without changing its meaning.
    RefactorRewrite,
    /// Applies all safe fixes in the file.
    FixAll,
}

impl ActionKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::QuickFix,
        Self::Refactor,
        Self::RefactorExtract,
        Self::RefactorInline,
        Self::RefactorRewrite,
        Self::FixAll,
    ];
}

/// The request to providers.
pub(super) struct ActionContext<'a> {
    /// The snapshot.
    pub(super) world: &'a Arc<World>,
    /// The file with its text and lines.
    pub(super) file: Arc<FileEntry>,
    /// The selection, in bytes; empty at a cursor.
    pub(super) range: TextRange,
    /// Whether the request was cancelled.
    pub(super) cancel: &'a CancelToken,
    diagnostics: OnceCell<Vec<Diagnostic>>,
}

impl ActionContext<'_> {
    /// All diagnostics of the file.
    pub(super) fn diagnostics(&self) -> &[Diagnostic] {
        self.diagnostics.get_or_init(|| diagnostics(self.world, &self.file.path))
    }

    /// The diagnostics that touch the selection.
    pub(super) fn touched_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let TextRange { start, end } = self.range;
        self.diagnostics().iter().filter(move |it| it.range.start <= end && start <= it.range.end)
    }
}

/// A provider; `kinds` are those of all actions that it may offer.
struct Provider {
    kinds: &'static [ActionKind],
    provide: fn(&ActionContext<'_>) -> Vec<Action>,
}

/// In the order in which editors show the actions.
const PROVIDERS: &[Provider] = &[
    Provider { kinds: &[ActionKind::QuickFix], provide: quick_fixes::provide },
    Provider { kinds: &[ActionKind::QuickFix], provide: missing_parameter::provide },
    Provider { kinds: &[ActionKind::FixAll], provide: fix_all::provide },
    Provider { kinds: &[ActionKind::QuickFix], provide: ignore::provide },
    Provider { kinds: &[ActionKind::RefactorRewrite], provide: eyaml::provide },
    Provider { kinds: &[ActionKind::Refactor], provide: levels::provide },
    Provider { kinds: &[ActionKind::Refactor], provide: name_pattern::provide },
    Provider { kinds: &[ActionKind::RefactorExtract], provide: extract::provide },
    Provider { kinds: &[ActionKind::RefactorExtract], provide: extract_to_hiera::provide },
    Provider { kinds: &[ActionKind::RefactorInline], provide: inline::provide },
];

/// The actions for the selected bytes of the file at `path`; only those of the kinds in `wanted`.
pub fn actions(
    world: &Arc<World>,
    path: &str,
    range: TextRange,
    wanted: &[ActionKind],
    cancel: &CancelToken,
) -> Vec<Action> {
    let Ok(file) = world.file(path) else { return Vec::new() };
    let context = ActionContext { world, file, range, cancel, diagnostics: OnceCell::new() };
    // Clients often want one kind only, so the others, which may need lookups, do not run.
    let asked = PROVIDERS.iter().filter(|it| it.kinds.iter().any(|kind| wanted.contains(kind)));
    let mut found: Vec<Action> = asked.flat_map(|it| (it.provide)(&context)).collect();
    found.retain(|action| wanted.contains(&action.kind) && changes_something(action));
    // Editors show a title in one line, but a key that it names may have several.
    for action in &mut found {
        at_open_paths(world, &mut action.edits);
        action.title = on_one_line(&action.title);
        action.refusal = action.refusal.take().map(|it| on_one_line(&it));
    }
    found
}

/// Edits each file once, at the path by which it is open.
fn at_open_paths(world: &World, edits: &mut Vec<FileEdit>) {
    let mut changed = Vec::new();
    edits.retain_mut(|edit| match &mut edit.change {
        FileChange::Edit(edits) => {
            changed.push((edit.path.clone(), std::mem::take(edits)));
            false
        }
        FileChange::Create(_) => true,
    });
    let changed = once_for_each_file(world, changed);
    edits.extend(changed.into_iter().map(|(path, edits)| FileEdit::new(path, edits)));
}

fn changes_something(action: &Action) -> bool {
    // Clients can show such an action with the reason why it is not possible.
    action.refusal.is_some()
        || action.edits.iter().any(|edit| match &edit.change {
            FileChange::Edit(edits) => !edits.is_empty(),
            FileChange::Create(_) => true,
        })
}

#[cfg(test)]
mod tests;
