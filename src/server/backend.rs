//! The two tables of requests: those of the protocol, and those that hiera-ls adds to it. A request is one row there.
//!
//! Each request has a function in `handlers`. The pool runs it with the snapshot of the moment at which the request
//! arrived.

use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare,
    CodeActionRequest, CodeActionResolveRequest, CodeLensRequest, Completion,
    DocumentDiagnosticRequest, DocumentHighlightRequest, DocumentLinkRequest,
    DocumentSymbolRequest, FoldingRangeRequest, GotoDeclaration, GotoDefinition,
    GotoImplementation, HoverRequest, InlayHintRequest, PrepareRenameRequest, References, Rename,
    Request, ResolveCompletionItem, SelectionRangeRequest, SemanticTokensFullDeltaRequest,
    SemanticTokensFullRequest, SemanticTokensRangeRequest, WillRenameFiles,
    WorkspaceDiagnosticRequest, WorkspaceSymbolRequest,
};
use tower_lsp_server::ls_types::{InitializeParams, InitializeResult, RenameFilesParams};
use tower_lsp_server::{LanguageServer, LspServiceBuilder};

use super::capabilities::initialize_result;
use super::context::Context;
use super::handlers::{self, semantic_tokens};
use super::pool::Pool;

/// Handles requests. It does not contain any state of the session.
pub(super) struct Backend {
    pool: Pool,
}

impl Backend {
    pub(super) fn new(pool: Pool) -> Self {
        Self { pool }
    }

    /// Runs a `handler` that cannot fail.
    fn run<P, R>(
        &self,
        params: P,
        handler: fn(&Context, P) -> R,
    ) -> impl Future<Output = Result<R>> + Send + use<P, R>
    where
        P: Send + 'static,
        R: Send + 'static,
    {
        self.start(params, move |context, params| Ok(handler(context, params)))
    }

    /// Runs a `handler` that can fail.
    fn try_run<P, R>(
        &self,
        params: P,
        handler: fn(&Context, P) -> Result<R>,
    ) -> impl Future<Output = Result<R>> + Send + use<P, R>
    where
        P: Send + 'static,
        R: Send + 'static,
    {
        self.start(params, handler)
    }

    fn start<P, R, H>(
        &self,
        params: P,
        handler: H,
    ) -> impl Future<Output = Result<R>> + Send + use<P, R, H>
    where
        P: Send + 'static,
        R: Send + 'static,
        H: FnOnce(&Context, P) -> Result<R> + Send + 'static,
    {
        let pool = self.pool.clone();
        async move {
            let context = Context::current();
            // Closed when this future is dropped. That happens before the response to a cancelled request.
            let (parts, _opened) = context.parts.opened();
            let work = move |cancel: &_| {
                let context = Context { cancel: Clone::clone(cancel), parts, ..context };
                handler(&context, params)
            };
            pool.run(work).await
        }
    }
}

/// A row: `run` or, if the handler can fail, `try_run`; the method of [`LanguageServer`]; the type of the request, which has
/// the types of its parameters and its result; the handler.
macro_rules! requests {
    ($($run:ident $method:ident: $request:ty => $handler:path;)*) => {$(
        async fn $method(
            &self,
            params: <$request as Request>::Params,
        ) -> Result<<$request as Request>::Result> {
            self.$run(params, $handler).await
        }
    )*};
}

impl LanguageServer for Backend {
    // `ingress` has already applied the parameters.
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        let context = Context::current();
        Ok(initialize_result(&context.client, context.encoding))
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    // Some clients send this without being asked, and the library would warn. The changes on disk are reported, too.
    async fn did_rename_files(&self, _: RenameFilesParams) {}

    requests! {
        run code_action: CodeActionRequest => handlers::code_action;
        run code_action_resolve: CodeActionResolveRequest => handlers::code_action_resolve;
        try_run code_lens: CodeLensRequest => handlers::code_lens;
        run completion: Completion => handlers::completion;
        run completion_resolve: ResolveCompletionItem => handlers::completion_resolve;
        run diagnostic: DocumentDiagnosticRequest => handlers::diagnostic;
        run document_highlight: DocumentHighlightRequest => handlers::document_highlight;
        run document_link: DocumentLinkRequest => handlers::document_link;
        run document_symbol: DocumentSymbolRequest => handlers::document_symbol;
        run folding_range: FoldingRangeRequest => handlers::folding_range;
        run goto_declaration: GotoDeclaration => handlers::declaration;
        run goto_definition: GotoDefinition => handlers::definition;
        run goto_implementation: GotoImplementation => handlers::implementation;
        run hover: HoverRequest => handlers::hover;
        run incoming_calls: CallHierarchyIncomingCalls => handlers::incoming_calls;
        try_run inlay_hint: InlayHintRequest => handlers::inlay_hint;
        run outgoing_calls: CallHierarchyOutgoingCalls => handlers::outgoing_calls;
        run prepare_call_hierarchy: CallHierarchyPrepare => handlers::prepare_call_hierarchy;
        try_run prepare_rename: PrepareRenameRequest => handlers::prepare_rename;
        run references: References => handlers::references;
        try_run rename: Rename => handlers::rename;
        run selection_range: SelectionRangeRequest => handlers::selection_range;
        try_run semantic_tokens_full: SemanticTokensFullRequest => semantic_tokens::full;
        try_run semantic_tokens_full_delta: SemanticTokensFullDeltaRequest => semantic_tokens::delta;
        try_run semantic_tokens_range: SemanticTokensRangeRequest => semantic_tokens::range;
        run symbol: WorkspaceSymbolRequest => handlers::symbol;
        run will_rename_files: WillRenameFiles => handlers::will_rename_files;
        run workspace_diagnostic: WorkspaceDiagnosticRequest => handlers::workspace_diagnostic;
    }
}

/// The nodes. Clients send no parameters with this request, and the library distinguishes that from other parameters, so it has
/// no row.
const NODES: &str = "hiera/nodes";

/// A row: `run` or `try_run`; the name of the request; its handler, whose signature has the types of the parameters and of
/// the result.
macro_rules! custom_requests {
    ($($run:ident $name:literal => $handler:path;)*) => {
        /// The names of the requests that hiera-ls adds to LSP.
        pub(super) fn names_of_custom_requests() -> impl Iterator<Item = &'static str> {
            let all = [NODES, $($name),*];
            all.into_iter().filter(|it| it.starts_with("hiera/"))
        }

        /// Registers the requests that the protocol library does not know.
        pub(super) fn with_custom_requests(
            builder: LspServiceBuilder<Backend>,
        ) -> LspServiceBuilder<Backend> {
            builder
                .custom_method(NODES, |backend: &Backend| backend.run((), handlers::nodes))
                $(.custom_method($name, |backend: &Backend, params| backend.$run(params, $handler)))*
        }
    };
}

custom_requests! {
    run "hiera/nodeOf" => handlers::node_of;
    try_run "hiera/selectNode" => handlers::select_node;
    try_run "hiera/assume" => handlers::assume;
    try_run "hiera/cases" => handlers::cases;
    run "hiera/levelUp" => handlers::level_up;
    run "hiera/levelDown" => handlers::level_down;
    try_run "hiera/mergedValue" => handlers::merged_value;
    try_run "hiera/explain" => handlers::explain;
    try_run "hiera/compare" => handlers::compare;
    try_run "hiera/allNodes" => handlers::all_nodes;
    try_run "hiera/changes" => handlers::changes;
    try_run "hiera/editedKeys" => handlers::edited_keys;
    try_run "hiera/hierarchy" => handlers::hierarchy;
    run "workspace/textDocumentContent" => handlers::text_document_content;
}
