//! One file per message: what changes the state takes the session, what asks takes a context.

#![allow(clippy::needless_pass_by_value, reason = "all handlers have one shape")]

mod all_nodes;
mod call_hierarchy;
mod code_action;
mod code_lens;
mod compare;
mod completion;
mod definition;
mod diagnostic;
mod did_change;
mod did_change_configuration;
mod did_change_watched_files;
mod did_change_workspace_folders;
mod did_close;
mod did_open;
mod did_save;
mod document_highlight;
mod document_link;
mod document_symbol;
mod explain;
mod folding_range;
mod hierarchy;
mod hover;
mod inlay_hint;
mod level_jump;
mod merged_value;
pub(super) mod nodes;
mod references;
mod rename;
pub(super) mod select_node;
mod selection_range;
pub(super) mod semantic_tokens;
mod set_trace;
mod symbol;
mod text_document_content;
mod will_rename_files;
mod work_done_progress_cancel;

pub(super) use all_nodes::{AllNodesItem, all_nodes};
pub(super) use call_hierarchy::{incoming_calls, outgoing_calls, prepare_call_hierarchy};
pub(super) use code_action::{code_action, offered_kinds};
pub(super) use code_lens::{LENS_COMMANDS, code_lens};
pub(super) use compare::{CompareParams, ComparisonItem, compare};
pub(super) use completion::{completion, completion_resolve};
pub(super) use definition::{declaration, definition, implementation};
pub(super) use diagnostic::diagnostic;
pub(super) use did_change::did_change;
pub(super) use did_change_configuration::did_change_configuration;
pub(super) use did_change_watched_files::did_change_watched_files;
pub(super) use did_change_workspace_folders::did_change_workspace_folders;
pub(super) use did_close::did_close;
pub(super) use did_open::did_open;
pub(super) use did_save::did_save;
pub(super) use document_highlight::document_highlight;
pub(super) use document_link::document_link;
pub(super) use document_symbol::document_symbol;
pub(super) use explain::{ExplainItem, explain};
pub(super) use folding_range::folding_range;
pub(super) use hierarchy::{HierarchyItem, hierarchy};
pub(super) use hover::hover;
pub(super) use inlay_hint::inlay_hint;
pub(super) use level_jump::{level_down, level_up};
pub(super) use merged_value::merged_value;
pub(super) use nodes::nodes;
pub(super) use references::references;
pub(super) use rename::{prepare_rename, rename};
pub(super) use select_node::select_node;
pub(super) use selection_range::selection_range;
pub(super) use set_trace::set_trace;
pub(super) use symbol::symbol;
pub(super) use text_document_content::{
    TextDocumentContentParams, TextDocumentContentResult, text_document_content,
};
pub(super) use will_rename_files::will_rename_files;
pub(super) use work_done_progress_cancel::work_done_progress_cancel;
