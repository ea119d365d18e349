//! The capabilities of the client that matter to the server, and the capabilities of the server.

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    CallHierarchyServerCapability, ClientCapabilities, CodeActionOptions,
    CodeActionProviderCapability, CodeLensOptions, CompletionOptions, DeclarationCapability,
    DiagnosticOptions, DiagnosticServerCapabilities, DiagnosticTag, DocumentLinkOptions,
    FileOperationFilter, FileOperationPattern, FileOperationRegistrationOptions,
    FoldingRangeProviderCapability, GotoCapability, HoverProviderCapability,
    ImplementationProviderCapability, InitializeResult, MarkupKind, OneOf, PositionEncodingKind,
    RenameOptions, ResourceOperationKind, SaveOptions, SelectionRangeProviderCapability,
    SemanticTokenModifier, SemanticTokenType, SemanticTokensFullOptions, SemanticTokensLegend,
    SemanticTokensOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
    WorkDoneProgressOptions, WorkspaceFileOperationsServerCapabilities,
    WorkspaceFoldersServerCapabilities, WorkspaceServerCapabilities,
};

use super::backend::names_of_custom_requests;
use super::handlers::{self, CHANGES_COMMAND, LENS_COMMANDS};
use crate::ide::SemanticKind;
use crate::text::Encoding;

/// The characters, besides letters, at which editors request completions.
const COMPLETION_TRIGGERS: [&str; 6] = ["{", "(", "'", "\"", ".", ":"];

/// The capabilities of the client.
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the protocol")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ClientAbilities {
    /// Shows Markdown in hovers.
    pub(super) markdown: bool,
    /// Accepts links (with the range of the origin) as definitions.
    pub(super) definition_links: bool,
    /// Accepts links as declarations.
    pub(super) declaration_links: bool,
    /// Accepts links as implementations.
    pub(super) implementation_links: bool,
    /// Shows nested keys in an outline.
    pub(super) nested_symbols: bool,
    /// Supports snippets: the cursor can stop in the middle of a completion.
    pub(super) snippets: bool,
    /// Shows Markdown in the documentation of completions.
    pub(super) markdown_in_completions: bool,
    /// Shows the related places of a diagnostic.
    pub(super) related_information: bool,
    /// The diagnostic tags that it supports.
    pub(super) diagnostic_tags: Vec<DiagnosticTag>,
    /// Opens the page about a rule from a diagnostic.
    pub(super) code_description: bool,
    /// Accepts code actions, and not only commands.
    pub(super) code_actions: bool,
    /// Shows disabled code actions with the reason.
    pub(super) disabled_actions: bool,
    /// Requests the edit of a code action when the user chooses the action.
    pub(super) resolves_actions: bool,
    /// Accepts edits of several files that name the version of each file.
    pub(super) versioned_edits: bool,
    /// Creates files as part of an edit.
    pub(super) creates_files: bool,
    /// Shows edits in groups, and asks for confirmation where an edit needs it.
    pub(super) annotated_edits: bool,
    /// Requests the range of the name before it asks the user for the new name.
    pub(super) prepares_rename: bool,
    /// Requests the edits that follow from another path of a file.
    pub(super) asks_before_file_rename: bool,
    /// Pulls the diagnostics of open files.
    pub(super) pulls_diagnostics: bool,
    /// Pulls them again when the server asks for that.
    pub(super) refreshes_diagnostics: bool,
    /// Watches files for the server.
    pub(super) watches_files: bool,
    /// Supports `workspace/configuration`.
    pub(super) configuration: bool,
    /// Shows progress.
    pub(super) progress: bool,
    /// Requests code lenses again when the server asks for that.
    pub(super) refreshes_code_lenses: bool,
    /// Requests inlay hints again when the server asks for that.
    pub(super) refreshes_inlay_hints: bool,
    /// Requests semantic tokens again when the server asks for that.
    pub(super) refreshes_semantic_tokens: bool,
    /// The command of a lens in this client; `None` if it has no such command.
    pub(super) lens_command: Option<&'static str>,
    /// Has the command that shows what edits change.
    pub(super) shows_changes: bool,
    /// Wants `hiera/previewChanged`.
    pub(super) preview_changed: bool,
    /// Wants links to places in hovers.
    pub(super) hover_links: bool,
    /// Wants `hiera/serverStatus`.
    pub(super) server_status: bool,
    /// Shows documents that the server makes.
    pub(super) text_document_content: bool,
    /// Reports changed settings if the server registers for them.
    pub(super) registers_configuration: bool,
}

impl ClientAbilities {
    /// Reads the capabilities that matter from those that the client sends.
    pub(super) fn new(said: &ClientCapabilities) -> Self {
        let text = said.text_document.as_ref();
        let workspace = said.workspace.as_ref();
        let hover = text.and_then(|it| it.hover.as_ref());
        let completion =
            text.and_then(|it| it.completion.as_ref()).and_then(|it| it.completion_item.as_ref());
        let takes_links =
            |said: Option<GotoCapability>| said.is_some_and(|it| it.link_support == Some(true));
        let diagnostics = text.and_then(|it| it.publish_diagnostics.as_ref());
        let watched = workspace.and_then(|it| it.did_change_watched_files);
        let can_pull = text.is_some_and(|it| it.diagnostic.is_some());
        let refresh = workspace.and_then(|it| it.diagnostics.as_ref());
        let edits = workspace.and_then(|it| it.workspace_edit.as_ref());
        let configuration = workspace.and_then(|it| it.did_change_configuration);
        let experimental = |name: &str| said.experimental.as_ref().and_then(|it| it.get(name));
        let wants = |name: &str| experimental(name).and_then(Value::as_bool) == Some(true);
        let commands = experimental("commands").and_then(|it| it.get("commands")?.as_array());
        let has_command = |name: &&str| {
            commands.is_some_and(|all| all.iter().any(|it| it.as_str() == Some(name)))
        };
        Self {
            markdown: hover
                .and_then(|it| it.content_format.as_ref())
                .is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            definition_links: takes_links(text.and_then(|it| it.definition)),
            declaration_links: takes_links(text.and_then(|it| it.declaration)),
            implementation_links: takes_links(text.and_then(|it| it.implementation)),
            nested_symbols: text
                .and_then(|it| it.document_symbol.as_ref())
                .is_some_and(|it| it.hierarchical_document_symbol_support == Some(true)),
            snippets: completion.is_some_and(|it| it.snippet_support == Some(true)),
            markdown_in_completions: completion
                .and_then(|it| it.documentation_format.as_ref())
                .is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            related_information: diagnostics.is_some_and(|it| it.related_information == Some(true)),
            diagnostic_tags: diagnostics
                .and_then(|it| it.tag_support.as_ref())
                .map_or_else(Vec::new, |it| it.value_set.clone()),
            code_description: diagnostics
                .is_some_and(|it| it.code_description_support == Some(true)),
            code_actions: text
                .and_then(|it| it.code_action.as_ref())
                .is_some_and(|it| it.code_action_literal_support.is_some()),
            disabled_actions: text
                .and_then(|it| it.code_action.as_ref())
                .is_some_and(|it| it.disabled_support == Some(true)),
            resolves_actions: text.and_then(|it| it.code_action.as_ref()).is_some_and(|it| {
                let resolved = it.resolve_support.as_ref().map(|it| it.properties.as_slice());
                it.data_support == Some(true)
                    && resolved.is_some_and(|it| it.iter().any(|property| property == "edit"))
            }),
            versioned_edits: edits.is_some_and(|it| it.document_changes == Some(true)),
            annotated_edits: edits.is_some_and(|it| it.change_annotation_support.is_some()),
            prepares_rename: text
                .and_then(|it| it.rename.as_ref())
                .is_some_and(|it| it.prepare_support == Some(true)),
            asks_before_file_rename: workspace
                .and_then(|it| it.file_operations.as_ref())
                .is_some_and(|it| it.will_rename == Some(true)),
            creates_files: edits
                .and_then(|it| it.resource_operations.as_ref())
                .is_some_and(|it| it.contains(&ResourceOperationKind::Create)),
            pulls_diagnostics: can_pull,
            // A client that does not pull has nothing to repeat.
            refreshes_diagnostics: can_pull
                && refresh.is_some_and(|it| it.refresh_support == Some(true)),
            watches_files: watched.is_some_and(|it| it.dynamic_registration == Some(true)),
            configuration: workspace.is_some_and(|it| it.configuration == Some(true)),
            progress: said.window.as_ref().is_some_and(|it| it.work_done_progress == Some(true)),
            refreshes_code_lenses: workspace
                .and_then(|it| it.code_lens.as_ref())
                .is_some_and(|it| it.refresh_support == Some(true)),
            refreshes_inlay_hints: workspace
                .and_then(|it| it.inlay_hint.as_ref())
                .is_some_and(|it| it.refresh_support == Some(true)),
            refreshes_semantic_tokens: workspace
                .and_then(|it| it.semantic_tokens.as_ref())
                .is_some_and(|it| it.refresh_support == Some(true)),
            lens_command: LENS_COMMANDS.into_iter().find(has_command),
            shows_changes: has_command(&CHANGES_COMMAND),
            preview_changed: wants("previewChanged"),
            hover_links: wants("hoverLinks"),
            server_status: wants("serverStatusNotification"),
            // The types of the LSP library do not have this capability yet. `Session::takes_documents` sets it.
            text_document_content: false,
            registers_configuration: configuration
                .is_some_and(|it| it.dynamic_registration == Some(true)),
        }
    }
}

/// The encoding of positions: the cheapest one for us that the client offers; UTF-16 if it offers none.
pub(super) fn negotiated_encoding(said: &ClientCapabilities) -> Encoding {
    let offered = said.general.as_ref().and_then(|it| it.position_encodings.as_deref());
    let offered = offered.unwrap_or(&[]);
    // Texts are UTF-8 inside, so these columns cost least. UTF-16 is what every client must support.
    if offered.contains(&PositionEncodingKind::UTF8) {
        Encoding::Utf8
    } else if offered.contains(&PositionEncodingKind::UTF32)
        && !offered.contains(&PositionEncodingKind::UTF16)
    {
        Encoding::Utf32
    } else {
        Encoding::Utf16
    }
}

/// The result of `initialize`.
pub(super) fn initialize_result(client: &ClientAbilities, encoding: Encoding) -> InitializeResult {
    InitializeResult {
        capabilities: server_capabilities(client, encoding),
        server_info: Some(ServerInfo {
            name: "hiera-ls".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
        offset_encoding: None,
    }
}

fn server_capabilities(client: &ClientAbilities, encoding: Encoding) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions::default())),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        declaration_provider: Some(DeclarationCapability::Simple(true)),
        implementation_provider: Some(ImplementationProviderCapability::Simple(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(if client.prepares_rename {
            OneOf::Right(RenameOptions {
                prepare_provider: Some(true),
                work_done_progress_options: WorkDoneProgressOptions::default(),
            })
        } else {
            OneOf::Left(true)
        }),
        call_hierarchy_provider: Some(CallHierarchyServerCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            resolve_provider: Some(true),
            trigger_characters: Some(COMPLETION_TRIGGERS.map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        // A client without literals only takes commands, which the server does not have.
        code_action_provider: client.code_actions.then(|| {
            CodeActionProviderCapability::Options(CodeActionOptions {
                code_action_kinds: Some(handlers::offered_kinds()),
                resolve_provider: client.resolves_actions.then_some(true),
                ..CodeActionOptions::default()
            })
        }),
        code_lens_provider: (client.lens_command.is_some() || client.shows_changes)
            .then_some(CodeLensOptions { resolve_provider: Some(false) }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(semantic_tokens_options().into()),
        experimental: Some(
            json!({"hiera": {"requests": names_of_custom_requests().collect::<Vec<_>>()}}),
        ),
        diagnostic_provider: client.pulls_diagnostics.then(|| {
            DiagnosticServerCapabilities::Options(DiagnosticOptions {
                // An edit in one level changes which values of other files are overridden.
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                ..DiagnosticOptions::default()
            })
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: client.asks_before_file_rename.then(file_operations),
        }),
        ..ServerCapabilities::default()
    }
}

/// The renames that the client should report: those of data files and of directories.
fn file_operations() -> WorkspaceFileOperationsServerCapabilities {
    let filter = FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern { glob: "**".to_owned(), ..FileOperationPattern::default() },
    };
    WorkspaceFileOperationsServerCapabilities {
        will_rename: Some(FileOperationRegistrationOptions { filters: vec![filter] }),
        ..WorkspaceFileOperationsServerCapabilities::default()
    }
}

fn semantic_tokens_options() -> SemanticTokensOptions {
    let types = SemanticKind::NAMES.iter().map(|(_, name)| SemanticTokenType::new(name));
    SemanticTokensOptions {
        legend: SemanticTokensLegend {
            token_types: types.collect(),
            token_modifiers: vec![SemanticTokenModifier::new("overridden")],
        },
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..SemanticTokensOptions::default()
    }
}
