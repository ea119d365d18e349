//! The functions of the program that the server calls, as a table.
//!
//! Tests replace functions in the table. They can then see the order of the calls, and test functions that fail or take
//! long.

use std::sync::Arc;

use super::CancelToken;
use crate::ide::changes::{self, Changes};
use crate::ide::preview::{
    self, AllNodes, Comparison, Counterpart, Explained, Preview, Question, UnknownNode,
};
use crate::ide::{self, ActionKind, Known};
use crate::settings::LogLevel;
use crate::text::TextRange;
use crate::world::{Before, World};

/// Returns the actions for a selection, of the given kinds.
pub type ActionsFeature =
    fn(&Arc<World>, &str, TextRange, &[ActionKind], &CancelToken) -> Vec<ide::Action>;

/// Returns the name at a place. `Err` says why it cannot be renamed.
pub type PrepareRenameFeature =
    fn(&Arc<World>, &str, u32, &CancelToken) -> Result<Option<ide::RenameTarget>, String>;

/// Returns the edit of an action that decrypts a part of a file.
pub type SecretEditFeature =
    fn(&Arc<World>, &str, TextRange, ide::SecretAction) -> Option<ide::FileEdit>;

/// Returns the edits that rename what is at a place. `Err` says why they are not possible.
pub type RenameFeature =
    fn(&Arc<World>, &str, u32, &str, &CancelToken) -> Result<Option<ide::LabelledEdits>, String>;

/// Returns the same key in the next level.
pub type LevelJumpFeature =
    fn(&Arc<World>, &str, u32, ide::Direction, &CancelToken) -> Option<ide::Target>;

/// Reads everything, and reports how many of how many files it has read.
pub type WarmUpFeature = fn(&Arc<World>, &CancelToken, &dyn Fn(usize, usize));

/// Returns what edits change for all nodes. `Err` says why it cannot be computed.
pub type ChangesFeature =
    fn(&Arc<World>, &Question, &Before, &CancelToken) -> Result<Option<Changes>, String>;

/// Returns the findings of a file, entry by entry, without the entries whose findings are known.
pub type PartsFeature<T> = fn(&Arc<World>, &str, Known<'_>, &CancelToken) -> Vec<ide::EntryPart<T>>;

/// Returns the same for a range of the file.
pub type TokensFeature = fn(
    &Arc<World>,
    &str,
    TextRange,
    Known<'_>,
    &CancelToken,
) -> Vec<ide::EntryPart<ide::SemanticToken>>;

/// Returns a preview for a question.
type NodeAnswer<T> = Result<Option<T>, UnknownNode>;

/// One function per feature. Functions about files get the snapshot, the path of the file and, if necessary, a byte offset
/// in it.
#[derive(Debug, Clone)]
pub struct Features {
    /// The text of a hover.
    pub hover: fn(&Arc<World>, &str, u32, &CancelToken) -> Option<ide::Hover>,
    /// Where a name is defined.
    pub definition: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Target>,
    /// The definition in the lowest level.
    pub declaration: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Target>,
    /// The same key one level up or down.
    pub level_jump: LevelJumpFeature,
    /// The keys at a place, as items of a call hierarchy.
    pub call_items: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::CallItem>,
    /// The keys that interpolate a key of a file.
    pub callers: fn(&Arc<World>, &str, &str, &CancelToken) -> Vec<ide::Call>,
    /// The keys that a key of a file interpolates.
    pub called: fn(&Arc<World>, &str, &str, &CancelToken) -> Vec<ide::Call>,
    /// The name at a place, if it can be renamed.
    pub prepare_rename: PrepareRenameFeature,
    /// Renames the name at a place.
    pub rename: RenameFeature,
    /// The edits that follow when a file gets another path.
    pub rename_file: fn(&Arc<World>, &str, &str, &CancelToken) -> ide::LabelledEdits,
    /// The ranges that contain a place, the innermost first.
    pub selections: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<TextRange>,
    /// All references to it.
    pub references: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Occurrence>,
    /// The references in the same file.
    pub highlights: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Occurrence>,
    /// The completions at a place.
    pub completion: fn(&Arc<World>, &str, u32, &CancelToken) -> ide::Completions,
    /// The documentation of a key that a completion offers.
    pub completion_help: fn(&Arc<World>, &str, &str, &CancelToken) -> Option<String>,
    /// The outline of a file.
    pub document_symbols: PartsFeature<ide::Symbol>,
    /// The keys of the workspace with a name like this.
    pub workspace_symbols: fn(&Arc<World>, &str, &CancelToken) -> Vec<ide::WorkspaceSymbol>,
    /// The links in a file.
    pub document_links: fn(&Arc<World>, &str, &CancelToken) -> Vec<ide::DocumentLink>,
    /// The foldable ranges of a file.
    pub folds: PartsFeature<ide::Fold>,
    /// The actions for a part of a file.
    pub actions: ActionsFeature,
    /// The actions that decrypt a part of a file.
    pub secret_actions: fn(&Arc<World>, &str, TextRange) -> Vec<ide::SecretAction>,
    /// The edit that decrypts it.
    pub secret_edit: SecretEditFeature,
    /// The files that can have diagnostics, open or not, sorted.
    pub workspace_files: fn(&Arc<World>, &CancelToken) -> Vec<String>,
    /// The lenses above keys that several levels have.
    pub code_lenses: PartsFeature<ide::CodeLens>,
    /// Hints with the values of `%{…}`, and with the values that are used instead of overridden ones.
    pub inlay_hints: fn(&Arc<World>, &str, TextRange, &CancelToken) -> Vec<ide::InlayHint>,
    /// The semantic tokens of a file.
    pub semantic_tokens: TokensFeature,
    /// The preview of a merged value.
    pub merged_value: fn(&Arc<World>, &Question, &CancelToken) -> NodeAnswer<Preview>,
    /// The explanation of a lookup.
    pub explain: fn(&Arc<World>, &Question, &CancelToken) -> NodeAnswer<Explained>,
    /// The comparison of two values.
    pub compare: fn(&Arc<World>, &Question, &Counterpart, &CancelToken) -> NodeAnswer<Comparison>,
    /// The values of a key for all sample nodes.
    pub all_nodes: fn(&Arc<World>, &Question, &CancelToken) -> NodeAnswer<AllNodes>,
    /// Returns what edits change for all nodes. `Err` says why it cannot be computed.
    pub changes: ChangesFeature,
    /// Whether an entry of a file is edited.
    pub is_edited: fn(&Arc<World>, &str, u32) -> bool,
    /// The lenses above edited keys.
    pub edited_keys: fn(&Arc<World>, &str, &CancelToken) -> Vec<changes::EditedKey>,
    /// The levels with their files.
    pub hierarchy: fn(&Arc<World>, &Question, &CancelToken) -> NodeAnswer<ide::Hierarchy>,
    /// The cases of a key.
    pub cases: fn(&Arc<World>, &Question, &CancelToken) -> NodeAnswer<Vec<ide::preview::KeyCase>>,
    /// The diagnostics of a file.
    pub diagnostics: fn(&Arc<World>, &str, &CancelToken) -> Vec<ide::Diagnostic>,
    /// Reads the whole workspace, so that later requests do not need to.
    pub warm_up: WarmUpFeature,
    /// Sets the level of the log to the setting `log.level`.
    pub set_log_level: fn(LogLevel),
}

impl Features {
    /// The real functions, with a log whose level never changes.
    pub fn ide() -> Self {
        Self {
            hover: |world, path, offset, _| ide::hover(world, path, offset),
            definition: |world, path, offset, _| ide::definition(world, path, offset),
            declaration: |world, path, offset, _| ide::declaration(world, path, offset),
            level_jump: |world, path, offset, direction, _| {
                ide::level_jump(world, path, offset, direction)
            },
            call_items: |world, path, offset, _| ide::call_items(world, path, offset),
            callers: ide::callers,
            called: |world, path, key, _| ide::called(world, path, key),
            prepare_rename: |world, path, offset, _| ide::prepare_rename(world, path, offset),
            rename: ide::rename,
            rename_file: |world, old, new, _| ide::rename_file(world, old, new),
            selections: |world, path, offset, _| ide::selections(world, path, offset),
            references: ide::references,
            highlights: |world, path, offset, _| ide::highlights(world, path, offset),
            completion: ide::completion,
            completion_help: |world, path, key, _| ide::completion_help(world, path, key),
            document_symbols: ide::symbol_parts,
            workspace_symbols: ide::workspace_symbols,
            document_links: |world, path, _| ide::document_links(world, path),
            folds: ide::fold_parts,
            actions: ide::actions,
            secret_actions: ide::secret_actions,
            secret_edit: ide::secret_edit,
            workspace_files: files_to_check,
            code_lenses: ide::lens_parts,
            inlay_hints: ide::inlay_hints,
            semantic_tokens: ide::token_parts,
            merged_value: preview::merged_value,
            explain: preview::explain,
            compare: preview::compare,
            all_nodes: preview::all_nodes,
            changes: changes::changes,
            is_edited: changes::is_edited,
            edited_keys: changes::edited_keys,
            hierarchy: ide::hierarchy,
            cases: ide::preview::key_cases,
            diagnostics: ide::diagnostics_until,
            warm_up: read_all_keys,
            set_log_level: |_| {},
        }
    }
}

/// All files that rules check, or only the open ones if the settings say so.
fn files_to_check(world: &Arc<World>, _: &CancelToken) -> Vec<String> {
    if world.settings().diagnostics.only_open_files {
        return world.open_files().map(|open| open.entry.path.to_string()).collect();
    }
    ide::workspace_files(world).into_iter().collect()
}

fn read_all_keys(world: &Arc<World>, cancel: &CancelToken, tell: &dyn Fn(usize, usize)) {
    for environment in world.environments().iter() {
        world.read_ahead(environment, &|| cancel.is_cancelled(), tell);
        if cancel.is_cancelled() {
            return;
        }
        world.all_keys(environment);
        world.code_index(environment);
    }
}
