//! Code actions: what can be done at a place, as data. One file per provider; the table lists them.
//!
//! A provider gets what was asked for and gives complete actions. It need not look at the kinds that are wanted: what
//! nobody asked for is left out here.

mod extract;
mod extract_to_hiera;
mod eyaml;
mod fix_all;
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

use super::diagnostics::{Diagnostic, diagnostics};
use super::edits::{FileChange, FileEdit};
use crate::engine::CancelToken;
use crate::text::TextRange;
use crate::world::{FileEntry, World};

pub use eyaml::secrets::{SecretAction, secret_actions, secret_edit};
pub use fix_all::{Repaired, repair};

/// Something that can be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// What it does, as an order.
    pub title: String,
    /// What sort of thing it is.
    pub kind: ActionKind,
    /// All that it changes; none twice for the same file.
    pub edits: Vec<FileEdit>,
    /// The diagnostics of the asked file that go away.
    pub fixes: Vec<Diagnostic>,
    /// Whether it is what most people would do.
    pub is_preferred: bool,
    /// Why it cannot be done here, as a sentence; then there are no edits.
    pub refusal: Option<String>,
}

impl Action {
    /// An action that makes these edits, or says why it cannot.
    fn new(title: String, kind: ActionKind, edits: Result<Vec<FileEdit>, String>) -> Self {
        let (edits, refusal) = match edits {
            Ok(edits) => (edits, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Self { title, kind, edits, fixes: Vec::new(), is_preferred: false, refusal }
    }
}

/// The sorts of actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActionKind {
    /// Makes a diagnostic go away.
    QuickFix,
    /// Any change of form.
    Refactor,
    /// Takes something out and gives it a place of its own.
    RefactorExtract,
    /// Puts something where it is used.
    RefactorInline,
    /// Says the same in another way.
    RefactorRewrite,
    /// Everything in the file that can be fixed without asking.
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

/// What providers are asked.
pub(super) struct ActionContext<'a> {
    /// The snapshot.
    pub(super) world: &'a Arc<World>,
    /// The file with its text and lines.
    pub(super) file: Arc<FileEntry>,
    /// The selection, in bytes; empty at a cursor.
    pub(super) range: TextRange,
    /// Whether the request still stands.
    pub(super) cancel: &'a CancelToken,
    diagnostics: OnceCell<Vec<Diagnostic>>,
}

impl ActionContext<'_> {
    /// Everything that the rules say of the file.
    pub(super) fn diagnostics(&self) -> &[Diagnostic] {
        self.diagnostics.get_or_init(|| diagnostics(self.world, &self.file.path))
    }

    /// What the rules say of the selection: whatever it touches.
    pub(super) fn touched_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let TextRange { start, end } = self.range;
        self.diagnostics().iter().filter(move |it| it.range.start <= end && start <= it.range.end)
    }
}

/// One that looks for something to do; `kinds` are those of all that it may offer.
struct Provider {
    kinds: &'static [ActionKind],
    provide: fn(&ActionContext<'_>) -> Vec<Action>,
}

/// In the order in which editors show what they offer.
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

/// What can be done with the selected bytes of the file at `path`; only actions of the kinds in `wanted`.
pub fn actions(
    world: &Arc<World>,
    path: &str,
    range: TextRange,
    wanted: &[ActionKind],
    cancel: &CancelToken,
) -> Vec<Action> {
    let Ok(file) = world.file(path) else { return Vec::new() };
    let context = ActionContext { world, file, range, cancel, diagnostics: OnceCell::new() };
    let asked = PROVIDERS.iter().filter(|it| it.kinds.iter().any(|kind| wanted.contains(kind)));
    let mut found: Vec<Action> = asked.flat_map(|it| (it.provide)(&context)).collect();
    found.retain(|action| wanted.contains(&action.kind) && changes_something(action));
    found
}

fn changes_something(action: &Action) -> bool {
    action.refusal.is_some()
        || action.edits.iter().any(|edit| match &edit.change {
            FileChange::Edit(edits) => !edits.is_empty(),
            FileChange::Create(_) => true,
        })
}

#[cfg(test)]
mod tests;
