//! Editor features: byte offsets in, plain data out. Nothing here knows LSP.

mod code_lens;
mod completion;
pub mod context;
mod definition;
pub mod diagnostics;
mod document_link;
mod file_role;
#[doc(hidden)]
pub mod fixture;
#[doc(hidden)]
pub mod fixture_world;
mod folding;
mod hierarchy;
mod highlight;
mod hover;
mod inlay_hints;
mod level_files;
mod matching;
mod overridden;
mod perspective;
mod places;
pub mod preview;
mod references;
mod semantic_tokens;
mod sources;
mod strings;
mod symbols;

pub use code_lens::{CodeLens, code_lenses};
pub use completion::{Completion, CompletionKind, Completions, completion, completion_help};
pub use definition::{Target, declaration, definition};
pub use diagnostics::{Diagnostic, Related, Severity, diagnostics};
pub use document_link::{DocumentLink, document_links};
pub use file_role::FileRole;
pub use folding::{Fold, folds};
pub use hierarchy::{Hierarchy, HierarchyFile, HierarchyLayer, HierarchyLevel, hierarchy};
pub use highlight::highlights;
pub use hover::markdown::Part;
pub use hover::{Hover, hover};
pub use inlay_hints::{InlayHint, inlay_hints};
pub use perspective::Perspective;
pub use places::{KeyPlace, places};
pub use references::{Occurrence, references};
pub use semantic_tokens::{SemanticKind, SemanticToken, semantic_tokens};
pub use strings::{StringNode, interpolated_strings};
pub use symbols::{Symbol, SymbolKind, WorkspaceSymbol, document_symbols, workspace_symbols};
