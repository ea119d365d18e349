//! `hiera-ls mcp`: a server of the Model Context Protocol on standard input and output, for assistants that need information
//! about data.
//!
//! The tools are in [`tools`]. This is the only module that uses the protocol's library.

mod tools;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{MaybeSendFuture, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};

use super::terminal::complain;
use super::workspace::existing_directory;
use crate::server::runtime;
use tools::TOOLS;

const INSTRUCTIONS: &str = "Answers questions about the Hiera 5 data of a Puppet control repository, as Puppet itself would \
                            answer them. Nothing is changed and nothing is run. Secrets are shown as stars. Long answers are \
                            cut, and say what was left out.";

/// The arguments.
#[derive(Debug, Args)]
pub(super) struct McpArguments {
    /// The control repository, environment or module that the assistant can read
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) root: PathBuf,
}

/// Serves until the client disconnects.
pub(super) fn run(arguments: &McpArguments) -> ExitCode {
    let served = existing_directory(&arguments.root).and_then(|root| {
        let runtime = runtime().map_err(|error| error.to_string())?;
        let served = runtime.block_on(serve(Server { root: root.into() }));
        // A read of standard input may wait forever.
        runtime.shutdown_background();
        served
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

async fn serve(server: Server) -> Result<(), String> {
    let running =
        server.serve(rmcp::transport::stdio()).await.map_err(|error| error.to_string())?;
    running.waiting().await.map(|_| ()).map_err(|error| error.to_string())
}

/// Serves one directory. Files are read again for each request, so that edits take effect at once.
#[derive(Clone)]
struct Server {
    root: Arc<str>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("hiera-ls", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + MaybeSendFuture + '_ {
        let tools = TOOLS.iter().map(described).collect();
        std::future::ready(Ok(ListToolsResult::with_all_items(tools)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let root = Arc::clone(&self.root);
        let arguments = request.arguments.unwrap_or_default();
        let name = request.name;
        let work = move || tools::call(&root, &name, &arguments);
        // A panic becomes a response as well, so that the client can continue.
        let answer = tokio::task::spawn_blocking(work).await;
        let answer = answer.unwrap_or_else(|_| Err("hiera-ls failed on this question".to_owned()));
        let (text, make): (_, fn(Vec<ContentBlock>) -> CallToolResult) = match answer {
            Ok(text) => (text, CallToolResult::success),
            Err(text) => (text, CallToolResult::error),
        };
        Ok(make(vec![ContentBlock::text(text)]).into())
    }
}

/// A tool as the protocol describes it.
fn described(tool: &tools::Tool) -> Tool {
    let annotations =
        ToolAnnotations::with_title(tool.title).read_only(true).idempotent(true).open_world(false);
    Tool::new(tool.name, tool.description, Arc::new(tool.schema())).with_annotations(annotations)
}
