//! The functions that tests replace, as a table. Tests can then see the order of the calls, and test functions that fail or
//! take long. Handlers call all other functions of `ide` directly.

use std::sync::Arc;

use super::CancelToken;
use crate::ide;
use crate::settings::LogLevel;
use crate::world::World;

/// Reads everything, and reports how many of how many files it has read.
pub type WarmUpFeature = fn(&Arc<World>, &CancelToken, &(dyn Fn(usize, usize) + Sync));

/// Functions about files get the snapshot, the path of the file and, if necessary, a byte offset in it.
#[derive(Debug, Clone)]
pub struct Features {
    /// The text of a hover.
    pub hover: fn(&Arc<World>, &str, u32, &CancelToken) -> Option<ide::Hover>,
    /// Where a name is defined.
    pub definition: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Target>,
    /// All references to the name at a place.
    pub references: fn(&Arc<World>, &str, u32, &CancelToken) -> Vec<ide::Occurrence>,
    /// The keys of the workspace with a name like this.
    pub workspace_symbols: fn(&Arc<World>, &str, &CancelToken) -> Vec<ide::WorkspaceSymbol>,
    /// The files that can have diagnostics, open or not, sorted.
    pub workspace_files: fn(&Arc<World>, &CancelToken) -> Vec<String>,
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
            hover: ide::hover,
            definition: ide::definition,
            references: ide::references,
            workspace_symbols: ide::workspace_symbols,
            workspace_files: files_to_check,
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

fn read_all_keys(world: &Arc<World>, cancel: &CancelToken, tell: &(dyn Fn(usize, usize) + Sync)) {
    for environment in world.environments().iter() {
        world.read_ahead(environment, &|| cancel.is_cancelled(), tell);
        if cancel.is_cancelled() {
            return;
        }
        // The files have been read, so the keys and the code need no check for cancellation.
        world.all_keys(environment);
        world.code_index(environment);
        let any = world.any_node(environment);
        world.evaluator(environment, &any).prepare_open_paths(cancel);
    }
}
