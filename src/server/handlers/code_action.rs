//! `textDocument/codeAction`

use std::collections::{HashMap, HashSet};

use tower_lsp_server::ls_types::{
    CodeAction, CodeActionContext, CodeActionDisabled, CodeActionKind, CodeActionOrCommand,
    CodeActionParams, CodeActionResponse, Diagnostic, Range,
};

use super::code_lens::show_changes;
use super::secret_actions;
use crate::ide::changes;
use crate::ide::{self, ActionKind};
use crate::server::context::Context;
use crate::server::workspace_edit::workspace_edit;
use crate::server::{from_proto, to_proto};
use crate::world::FileEntry;

/// Our kind of `source.fixAll`. Editors can request only this kind.
const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.hiera");

/// Returns the actions for the selection.
pub(in crate::server) fn code_action(
    context: &Context,
    params: CodeActionParams,
) -> Option<CodeActionResponse> {
    let file = from_proto::file(context, &params.text_document.uri)?;
    let range = from_proto::range(context, &file, params.range);
    let wanted = wanted(params.context.only.as_deref());

    let actions = ide::actions(&context.world, &file.path, range, &wanted, &context.cancel);

    let known = KnownDiagnostics::of(&params.context);
    let with_fixed = |mut action: ide::Action| {
        let fixed = std::mem::take(&mut action.fixes).into_iter();
        let fixed: Vec<_> = fixed.map(|it| to_proto::diagnostic(context, &file, it)).collect();
        (action, fixed)
    };
    let actions: Vec<_> = actions.into_iter().map(with_fixed).collect();
    let current: HashSet<String> =
        actions.iter().flat_map(|(_, fixed)| fixed).map(|it| it.message.clone()).collect();
    let actions = actions.into_iter().filter(|(_, fixed)| known.ask_for(fixed, &current));
    let action = |(action, fixed)| code_action_of(context, &known, action, fixed).map(Into::into);
    let actions = actions.filter_map(action);
    let asked = (&params.text_document.uri, params.range);
    let secret = secret_actions::offered(context, &file, asked, range, &wanted);
    let shown = show_changes_of(context, &file, &params, range.start);
    Some(actions.chain(secret).chain(shown).collect())
}

/// The action that shows which nodes the edit at a place changes. Only for clients that have the command, and only if they
/// do not request other kinds of actions.
fn show_changes_of(
    context: &Context,
    file: &FileEntry,
    params: &CodeActionParams,
    offset: u32,
) -> Option<CodeActionOrCommand> {
    // The action has no kind, so it does not belong to any kind that a client requests.
    let is_wanted = params.context.only.as_ref().is_none_or(Vec::is_empty);
    if !is_wanted
        || !context.client.shows_changes
        || !changes::is_edited(&context.world, &file.path, offset)
    {
        return None;
    }
    let title = "Show which nodes change";
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: title.to_owned(),
        command: Some(show_changes(title.to_owned(), &params.text_document.uri)),
        ..CodeAction::default()
    }))
}

/// The kinds of actions that the server may return.
pub(in crate::server) fn offered_kinds() -> Vec<CodeActionKind> {
    ActionKind::ALL.map(kind).to_vec()
}

fn kind(kind: ActionKind) -> CodeActionKind {
    match kind {
        ActionKind::QuickFix => CodeActionKind::QUICKFIX,
        ActionKind::Refactor => CodeActionKind::REFACTOR,
        ActionKind::RefactorExtract => CodeActionKind::REFACTOR_EXTRACT,
        ActionKind::RefactorInline => CodeActionKind::REFACTOR_INLINE,
        ActionKind::RefactorRewrite => CodeActionKind::REFACTOR_REWRITE,
        ActionKind::FixAll => FIX_ALL,
    }
}

/// The kinds that a client requests. Each kind includes the kinds that continue it after a dot. A client that names none
/// gets all actions.
fn wanted(only: Option<&[CodeActionKind]>) -> Vec<ActionKind> {
    let is_wanted = |it: &ActionKind| {
        let kind = kind(*it);
        let is_below = |word: &CodeActionKind| {
            // `refactor` includes `refactor.inline`, but not `refactoring`.
            let rest = kind.as_str().strip_prefix(word.as_str());
            word.as_str().is_empty()
                || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        only.is_none_or(|only| only.is_empty() || only.iter().any(is_below))
    };
    ActionKind::ALL.into_iter().filter(is_wanted).collect()
}

/// Converts an action that fixes the diagnostics `fixed`; `None` if the client does not support it.
fn code_action_of(
    context: &Context,
    known: &KnownDiagnostics<'_>,
    action: ide::Action,
    fixed: Vec<Diagnostic>,
) -> Option<CodeAction> {
    let disabled = action.refusal.map(|reason| CodeActionDisabled { reason });
    let edit = match &disabled {
        // A client that does not know disabled actions would offer this one as usable.
        Some(_) if !context.client.disabled_actions => return None,
        Some(_) => None,
        None => Some(workspace_edit(context, &action.edits)?),
    };
    let diagnostics: Vec<_> =
        fixed.into_iter().map(|it| known.as_the_client_knows_it(it)).collect();
    Some(CodeAction {
        title: action.title,
        kind: Some(kind(action.kind)),
        diagnostics: (!diagnostics.is_empty()).then_some(diagnostics),
        edit,
        disabled,
        is_preferred: action.is_preferred.then_some(true),
        ..CodeAction::default()
    })
}

/// The diagnostics that a client sends with its request, by their ranges.
struct KnownDiagnostics<'a>(HashMap<Range, Vec<&'a Diagnostic>>);

impl<'a> KnownDiagnostics<'a> {
    fn of(asked: &'a CodeActionContext) -> Self {
        let mut by_range: HashMap<Range, Vec<&Diagnostic>> = HashMap::new();
        for diagnostic in &asked.diagnostics {
            by_range.entry(diagnostic.range).or_default().push(diagnostic);
        }
        Self(by_range)
    }

    /// The client's diagnostics of the same rule at the same place.
    fn alike(&self, diagnostic: &Diagnostic) -> impl Iterator<Item = &'a Diagnostic> {
        let same_range = self.0.get(&diagnostic.range).into_iter().flatten().copied();
        same_range.filter(|it| it.code == diagnostic.code)
    }

    /// Whether the client wants an action that fixes these diagnostics. A rule may have several findings at one place, such as one
    /// for each parameter of a class, and the client may ask about one of them. `current` are the messages of all findings with
    /// an action: a client may still know an older message.
    fn ask_for(&self, fixed: &[Diagnostic], current: &HashSet<String>) -> bool {
        let is_wanted = |it: &Diagnostic| {
            let mut alike = self.alike(it).peekable();
            let knows_none = alike.peek().is_none();
            knows_none
                || alike
                    .any(|known| known.message == it.message || !current.contains(&known.message))
        };
        fixed.is_empty() || fixed.iter().any(is_wanted)
    }

    /// Finds the client's copy of a diagnostic, which links the action to the diagnostic in the editor.
    fn as_the_client_knows_it(&self, diagnostic: Diagnostic) -> Diagnostic {
        let copy = self.alike(&diagnostic).find(|it| it.message == diagnostic.message);
        let copy = copy.or_else(|| self.alike(&diagnostic).next());
        copy.map_or(diagnostic, |it| (*it).clone())
    }
}
