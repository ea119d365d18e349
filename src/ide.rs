//! Editor features: byte offsets in, plain data out. Nothing here knows LSP.

mod actions;
mod calls;
mod cases;
pub mod changes;
mod class_parameter;
mod code;
mod code_lens;
mod comments;
mod completion;
mod consequences;
pub mod context;
mod definition;
pub mod diagnostics;
mod document_link;
pub mod edits;
mod file_part;
mod file_role;
#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod fixture_fixes;
#[cfg(test)]
mod fixture_world;
mod flow_json;
mod flow_value;
mod flow_yaml;
mod folding;
mod hierarchy;
mod highlight;
mod hover;
mod inlay_hints;
mod labelled_edits;
mod level_files;
mod level_jump;
mod matching;
mod node_facts;
mod overridden;
pub mod own_names;
mod pair_edits;
mod parameter_type;
mod perspective;
mod places;
pub mod preview;
mod proof;
mod references;
mod rename;
mod rename_file;
mod searched_code;
mod selection;
mod semantic_tokens;
mod sensitive_keys;
mod shared_keys;
mod sources;
mod strings;
mod symbols;
mod uses;
mod workspace_files;
mod written_strings;

pub use crate::engine::Role;
pub use actions::{
    Action, ActionKind, MAX_FIX_ROUNDS, ProvedRepair, Repaired, SecretAction, actions,
    proved_repair, repair, secret_actions, secret_edit,
};
pub use calls::{Call, CallItem, call_items, called, callers};
pub use code_lens::{CodeLens, code_lenses, lens_parts};
pub use completion::{Completion, CompletionKind, Completions, completion, completion_help};
pub use definition::{Target, declaration, definition};
pub use diagnostics::{
    Diagnostic, Related, Severity, all_diagnostics, diagnostics, diagnostics_until,
};
pub use document_link::{DocumentLink, document_links};
pub use edits::{FileChange, FileEdit};
pub(crate) use file_part::joined;
pub use file_part::{FilePart, Known, Movable};
pub use file_role::FileRole;
pub use folding::{Fold, fold_parts, folds};
pub use hierarchy::{Hierarchy, HierarchyFile, HierarchyLayer, HierarchyLevel, hierarchy};
pub use highlight::highlights;
pub use hover::markup::plain_text_of;
pub use hover::{Hover, NamedPlace, hover, named_places, plain_text_of_key};
pub use inlay_hints::{InlayHint, inlay_hints};
pub use labelled_edits::{EditLabel, LabelledEdit, LabelledEdits, LabelledFile};
pub use level_jump::{Direction, level_jump};
pub use node_facts::{
    NodeFact, all_hierarchy_variables, hierarchy_variables, node_facts, open_variables,
};
pub use perspective::{Perspective, redacted};
pub use proof::refutation;
pub use references::{Occurrence, references};
pub use rename::{RenameTarget, prepare_rename, rename};
pub use rename_file::rename_file;
pub use selection::selections;
pub use semantic_tokens::{SemanticKind, SemanticToken, semantic_tokens, token_parts};
pub(crate) use sensitive_keys::SensitiveKeys;
pub use strings::{StringNode, interpolated_strings};
pub use symbols::{
    Symbol, SymbolKind, WorkspaceSymbol, document_symbols, symbol_parts, workspace_symbols,
};
pub use uses::{KeyUse, UseKind, uses_of_key};
pub use workspace_files::workspace_files;

#[cfg(test)]
mod typing_tests;
