//! The table of requests, by method.
//!
//! Each request has a function in `handlers`. The pool runs it with the snapshot of the moment at which the request
//! arrived.

use tower_lsp_server::LanguageServer;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::request::{
    GotoDeclarationParams, GotoDeclarationResponse, GotoImplementationParams,
    GotoImplementationResponse,
};
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    CodeAction, CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionItem,
    CompletionParams, CompletionResponse, DocumentDiagnosticParams, DocumentDiagnosticReportResult,
    DocumentHighlight, DocumentHighlightParams, DocumentLink, DocumentLinkParams,
    DocumentSymbolParams, DocumentSymbolResponse, FoldingRange, FoldingRangeParams,
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams, InitializeParams,
    InitializeResult, InlayHint, InlayHintParams, Location, PrepareRenameResponse, ReferenceParams,
    RenameFilesParams, RenameParams, SelectionRange, SelectionRangeParams,
    SemanticTokensDeltaParams, SemanticTokensFullDeltaResult, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
    TextDocumentPositionParams, WorkspaceDiagnosticParams, WorkspaceDiagnosticReportResult,
    WorkspaceEdit, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use super::capabilities::initialize_result;
use super::context::Context;
use super::handlers;
use super::handlers::assume::AssumeParams;
use super::handlers::nodes::NodeItem;
use super::handlers::select_node::SelectNodeParams;
use super::handlers::{
    ActiveNodeItem, AllNodesItem, CaseItem, ChangesItem, ChangesParams, CompareParams,
    ComparisonItem, EditedKeyItem, ExplainItem, HierarchyItem, NodeOfParams,
    TextDocumentContentParams, TextDocumentContentResult,
};
use super::pool::Pool;
use super::preview_proto::{PreviewItem, QuestionParams};

/// Handles requests. It does not contain any state of the session.
pub(super) struct Backend {
    pool: Pool,
}

impl Backend {
    pub(super) fn new(pool: Pool) -> Self {
        Self { pool }
    }

    /// `hiera/nodes`
    pub(super) async fn nodes(&self) -> Result<Vec<NodeItem>> {
        self.run((), handlers::nodes).await
    }

    /// `hiera/nodeOf`
    pub(super) async fn node_of(&self, params: NodeOfParams) -> Result<Option<ActiveNodeItem>> {
        self.run(params, handlers::node_of).await
    }

    /// `hiera/selectNode`
    pub(super) async fn select_node(
        &self,
        params: SelectNodeParams,
    ) -> Result<Option<ActiveNodeItem>> {
        self.try_run(params, handlers::select_node).await
    }

    /// `hiera/assume`
    pub(super) async fn assume(&self, params: AssumeParams) -> Result<Option<ActiveNodeItem>> {
        self.try_run(params, handlers::assume).await
    }

    /// `hiera/cases`
    pub(super) async fn cases(&self, params: QuestionParams) -> Result<Option<Vec<CaseItem>>> {
        self.try_run(params, handlers::cases).await
    }

    /// `hiera/levelUp`
    pub(super) async fn level_up(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<Location>> {
        self.run(params, handlers::level_up).await
    }

    /// `hiera/levelDown`
    pub(super) async fn level_down(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<Location>> {
        self.run(params, handlers::level_down).await
    }

    /// `hiera/mergedValue`
    pub(super) async fn merged_value(&self, params: QuestionParams) -> Result<Option<PreviewItem>> {
        self.try_run(params, handlers::merged_value).await
    }

    /// `hiera/explain`
    pub(super) async fn explain(&self, params: QuestionParams) -> Result<Option<ExplainItem>> {
        self.try_run(params, handlers::explain).await
    }

    /// `hiera/compare`
    pub(super) async fn compare(&self, params: CompareParams) -> Result<Option<ComparisonItem>> {
        self.try_run(params, handlers::compare).await
    }

    /// `hiera/allNodes`
    pub(super) async fn all_nodes(&self, params: QuestionParams) -> Result<Option<AllNodesItem>> {
        self.try_run(params, handlers::all_nodes).await
    }

    /// `hiera/changes`
    pub(super) async fn changes(&self, params: ChangesParams) -> Result<Option<ChangesItem>> {
        self.try_run(params, handlers::changes).await
    }

    /// `hiera/editedKeys`
    pub(super) async fn edited_keys(
        &self,
        params: QuestionParams,
    ) -> Result<Option<Vec<EditedKeyItem>>> {
        self.try_run(params, handlers::edited_keys).await
    }

    /// `hiera/hierarchy`
    pub(super) async fn hierarchy(&self, params: QuestionParams) -> Result<Option<HierarchyItem>> {
        self.try_run(params, handlers::hierarchy).await
    }

    /// `workspace/textDocumentContent`
    pub(super) async fn text_document_content(
        &self,
        params: TextDocumentContentParams,
    ) -> Result<TextDocumentContentResult> {
        self.run(params, handlers::text_document_content).await
    }

    /// Runs a `handler` that cannot fail.
    async fn run<P, R>(&self, params: P, handler: fn(&Context, P) -> R) -> Result<R>
    where
        P: Send + 'static,
        R: Send + 'static,
    {
        self.try_run(params, move |context, params| Ok(handler(context, params))).await
    }

    /// Runs `handler`.
    async fn try_run<P, R>(
        &self,
        params: P,
        handler: impl FnOnce(&Context, P) -> Result<R> + Send + 'static,
    ) -> Result<R>
    where
        P: Send + 'static,
        R: Send + 'static,
    {
        let context = Context::current();
        // Closed when this future is dropped. That happens before the response to a cancelled request.
        let (parts, _opened) = context.parts.opened();
        let work = move |cancel: &_| {
            let context = Context { cancel: Clone::clone(cancel), parts, ..context };
            handler(&context, params)
        };
        self.pool.run(work).await
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        let context = Context::current();
        Ok(initialize_result(&context.client, context.encoding))
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        self.run(params, handlers::hover).await
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        self.run(params, handlers::diagnostic).await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        self.run(params, handlers::code_action).await
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        self.run(action, handlers::code_action_resolve).await
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        self.run(params, handlers::workspace_diagnostic).await
    }

    async fn goto_declaration(
        &self,
        params: GotoDeclarationParams,
    ) -> Result<Option<GotoDeclarationResponse>> {
        self.run(params, handlers::declaration).await
    }

    async fn goto_implementation(
        &self,
        params: GotoImplementationParams,
    ) -> Result<Option<GotoImplementationResponse>> {
        self.run(params, handlers::implementation).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        self.run(params, handlers::references).await
    }

    async fn prepare_rename(
        &self,
        params: TextDocumentPositionParams,
    ) -> Result<Option<PrepareRenameResponse>> {
        self.try_run(params, handlers::prepare_rename).await
    }

    async fn rename(&self, params: RenameParams) -> Result<Option<WorkspaceEdit>> {
        self.try_run(params, handlers::rename).await
    }

    async fn will_rename_files(&self, params: RenameFilesParams) -> Result<Option<WorkspaceEdit>> {
        self.run(params, handlers::will_rename_files).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        self.run(params, handlers::prepare_call_hierarchy).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        self.run(params, handlers::incoming_calls).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        self.run(params, handlers::outgoing_calls).await
    }

    async fn selection_range(
        &self,
        params: SelectionRangeParams,
    ) -> Result<Option<Vec<SelectionRange>>> {
        self.run(params, handlers::selection_range).await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        self.run(params, handlers::document_highlight).await
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        self.run(params, handlers::document_symbol).await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<WorkspaceSymbolResponse>> {
        self.run(params, handlers::symbol).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.run(params, handlers::document_link).await
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.run(params, handlers::folding_range).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        self.try_run(params, handlers::code_lens).await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.try_run(params, handlers::inlay_hint).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        self.try_run(params, handlers::semantic_tokens::full).await
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: SemanticTokensDeltaParams,
    ) -> Result<Option<SemanticTokensFullDeltaResult>> {
        self.try_run(params, handlers::semantic_tokens::delta).await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        self.try_run(params, handlers::semantic_tokens::range).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        self.run(params, handlers::completion).await
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        self.run(item, handlers::completion_resolve).await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        self.run(params, handlers::definition).await
    }
}
