//! What the server asks of the rest of the program, as a table.
//!
//! Tests put functions of their own in the place of the real ones, to see in which order they are asked, to have them
//! fail, or to have them take long.

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

/// What can be done with a selection, given the kinds that are wanted.
pub type ActionsFeature =
    fn(&Arc<World>, &str, TextRange, &[ActionKind], &CancelToken) -> Vec<ide::Action>;

/// The name at a place; `Err` says why it cannot be renamed.
pub type PrepareRenameFeature =
    fn(&Arc<World>, &str, u32, &CancelToken) -> Result<Option<ide::RenameTarget>, String>;

/// The edit of a chosen action that decrypts a part of a file.
pub type SecretEditFeature =
    fn(&Arc<World>, &str, TextRange, ide::SecretAction) -> Option<ide::FileEdit>;

/// The edits that give a place another name; `Err` says why that cannot be.
pub type RenameFeature =
    fn(&Arc<World>, &str, u32, &str, &CancelToken) -> Result<Option<ide::LabelledEdits>, String>;

/// The same key in the next level.
pub type LevelJumpFeature =
    fn(&Arc<World>, &str, u32, ide::Direction, &CancelToken) -> Option<ide::Target>;

/// The reading of everything, which tells how many of how many files are read.
pub type WarmUpFeature = fn(&Arc<World>, &CancelToken, &dyn Fn(usize, usize));

/// What edits change for all nodes; `Err` says why it cannot be compared.
pub type ChangesFeature =
    fn(&Arc<World>, &Question, &Before, &CancelToken) -> Result<Option<Changes>, String>;

/// What is found in a file, entry by entry; entries whose findings are known are left out.
pub type PartsFeature<T> = fn(&Arc<World>, &str, Known<'_>, &CancelToken) -> Vec<ide::EntryPart<T>>;

/// The same for a range of it.
pub type TokensFeature = fn(
    &Arc<World>,
    &str,
    TextRange,
    Known<'_>,
    &CancelToken,
) -> Vec<ide::EntryPart<ide::SemanticToken>>;

/// The answer to a question about a node.
type Asked<T> = Result<Option<T>, UnknownNode>;

/// One function per feature; those about files get the snapshot, the file's path and, where it matters, a byte offset
/// in it.
#[derive(Debug, Clone)]
pub struct Features {
    /// What a hover shows.
    pub hover: fn(&Arc<World>, &str, u32, &CancelToken) -> Option<ide::Hover>,
    /// Where a name is defined.
    pub definition: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Target>,
    /// Where it is defined at last, in the lowest level.
    pub declaration: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Target>,
    /// The same key one level up or down.
    pub level_jump: LevelJumpFeature,
    /// The keys at a place, as items of a call hierarchy.
    pub call_items: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::CallItem>,
    /// Who interpolates a key of a file.
    pub callers: fn(&Arc<World>, &str, &str, &CancelToken) -> Vec<ide::Call>,
    /// What a key of a file interpolates.
    pub called: fn(&Arc<World>, &str, &str, &CancelToken) -> Vec<ide::Call>,
    /// The name at a place, if it can be renamed.
    pub prepare_rename: PrepareRenameFeature,
    /// Renames what stands there.
    pub rename: RenameFeature,
    /// What follows when a file gets another path.
    pub rename_file: fn(&Arc<World>, &str, &str, &CancelToken) -> ide::LabelledEdits,
    /// The ranges around a place, the innermost first.
    pub selections: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<TextRange>,
    /// Everything that speaks of it.
    pub references: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Occurrence>,
    /// What speaks of it in the same file.
    pub highlights: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Occurrence>,
    /// What can stand there.
    pub completion: fn(&Arc<World>, &str, u32, &CancelToken) -> ide::Completions,
    /// What there is to say of a key that a completion proposes for a file.
    pub completion_help: fn(&Arc<World>, &str, &str, &CancelToken) -> Option<String>,
    /// The outline of a file.
    pub document_symbols: PartsFeature<ide::Symbol>,
    /// The keys of the workspace with a name like this.
    pub workspace_symbols: fn(&Arc<World>, &str, &CancelToken) -> Vec<ide::WorkspaceSymbol>,
    /// The links in a file.
    pub document_links: fn(&Arc<World>, &str, &CancelToken) -> Vec<ide::DocumentLink>,
    /// What can be folded in a file.
    pub folds: PartsFeature<ide::Fold>,
    /// What can be done with a part of a file.
    pub actions: ActionsFeature,
    /// What can be decrypted of a part of a file.
    pub secret_actions: fn(&Arc<World>, &str, TextRange) -> Vec<ide::SecretAction>,
    /// The edit that decrypts it.
    pub secret_edit: SecretEditFeature,
    /// The files that something may be wrong with, open or not, sorted.
    pub workspace_files: fn(&Arc<World>, &CancelToken) -> Vec<String>,
    /// What stands above keys that several levels have.
    pub code_lenses: PartsFeature<ide::CodeLens>,
    /// What `%{…}` stands for, and what counts in the place of overridden values.
    pub inlay_hints: fn(&Arc<World>, &str, TextRange, &CancelToken) -> Vec<ide::InlayHint>,
    /// What the pieces of a file are.
    pub semantic_tokens: TokensFeature,
    /// What a lookup gives, as a document.
    pub merged_value: fn(&Arc<World>, &Question, &CancelToken) -> Asked<Preview>,
    /// How a lookup comes to its value.
    pub explain: fn(&Arc<World>, &Question, &CancelToken) -> Asked<Explained>,
    /// Two values and how they differ.
    pub compare: fn(&Arc<World>, &Question, &Counterpart, &CancelToken) -> Asked<Comparison>,
    /// What each sample node gets for a key.
    pub all_nodes: fn(&Arc<World>, &Question, &CancelToken) -> Asked<AllNodes>,
    /// What edits change for all nodes; `Err` says why it cannot be compared.
    pub changes: ChangesFeature,
    /// Whether an entry of a file is edited.
    pub is_edited: fn(&Arc<World>, &str, u32) -> bool,
    /// What stands above edited keys.
    pub edited_keys: fn(&Arc<World>, &str, &CancelToken) -> Vec<changes::EditedKey>,
    /// The levels with their files.
    pub hierarchy: fn(&Arc<World>, &Question, &CancelToken) -> Asked<ide::Hierarchy>,
    /// The cases of a key.
    pub cases: fn(&Arc<World>, &Question, &CancelToken) -> Asked<Vec<ide::preview::KeyCase>>,
    /// What is wrong with a file.
    pub diagnostics: fn(&Arc<World>, &str, &CancelToken) -> Vec<ide::Diagnostic>,
    /// Reads all of the workspace, so that what is asked later need not.
    pub warm_up: WarmUpFeature,
    /// Has the log hold as much as the setting `log.level` says.
    pub set_log_level: fn(LogLevel),
}

impl Features {
    /// The real ones, with a log that stays as it is.
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

/// All files that the rules know, unless the settings want to hear of open files only.
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
