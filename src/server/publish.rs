//! The only task that publishes: it keeps the diagnostics and the active node of the client up to date.
//!
//! Clients that pull the diagnostics of open files only get those of other files from here.
//!
//! It waits until the user stops typing, works on a snapshot, and sends only what is different from what it sent before. A
//! newer edit stops the work and starts it again. Diagnostics of a file that was edited meanwhile are not sent, because the
//! edit already started the next round.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tower_lsp_server::ls_types::notification::PublishDiagnostics;
use tower_lsp_server::ls_types::{Diagnostic, PublishDiagnosticsParams, Uri};

use super::context::Context;
use super::handlers::nodes::{ActiveNodeItem, active_node};
use super::pool::Pool;
use super::session::{Session, SharedSession};
use super::to_proto;
use crate::config::Environment;
use crate::facts::formats::FactsProblem;
use crate::ide::diagnostics::Baseline;
use crate::settings::PROJECT_FILE;
use crate::world::{FileEntry, Structure, World};

/// The pause in the changes after which a round starts.
const PAUSE: Duration = Duration::from_millis(30);

/// The maximum time to wait for a pause.
const PATIENCE: Duration = Duration::from_millis(300);

/// The age up to which a newer edit stops a round. After that the round finishes, so that a user who types without a pause
/// also sees diagnostics.
const STOPPING: Duration = Duration::from_secs(2);

/// What was last sent.
#[derive(Default)]
struct Published {
    /// The open files at the last round.
    open: BTreeMap<Arc<str>, i32>,
    sets: BTreeMap<Arc<str>, Vec<Diagnostic>>,
    uris: BTreeMap<Arc<str>, Uri>,
    beside_texts: Option<BesideTexts>,
}

/// What edits of data and code do not change.
#[derive(Clone)]
struct BesideTexts {
    structure: Structure,
    open: Vec<Arc<str>>,
    /// Why no hierarchy reads one of the open files.
    unused_config: Option<String>,
    active_node: Option<ActiveNodeItem>,
}

/// The results of one round.
struct Findings {
    sets: Vec<FileFindings>,
    /// What is wrong with the nodes, or why no hierarchy reads an open file.
    problem: Option<String>,
    beside_texts: BesideTexts,
    /// The open files with their versions.
    open: BTreeMap<Arc<str>, i32>,
}

struct FileFindings {
    path: Arc<str>,
    uri: Uri,
    /// The editor's version of the text; `None` for a file that is not open.
    version: Option<i32>,
    set: Vec<Diagnostic>,
}

/// Publishes until the session ends.
pub(super) async fn publish(
    session: SharedSession,
    mut revisions: watch::Receiver<u64>,
    pool: Pool,
) {
    let mut published = Published::default();
    while revisions.changed().await.is_ok() {
        let last_stop = Instant::now() + STOPPING;
        let found = loop {
            pause(&mut revisions).await;
            let context = session.with(|session| session.context());
            let known = published.beside_texts.clone();
            let work = move |cancel: &_| {
                let context = Context { cancel: Clone::clone(cancel), ..context };
                Ok(find(&context, known))
            };
            tokio::select! {
                found = pool.run(work) => break found,
                // Dropping the future cancels the round.
                Ok(()) = revisions.changed(), if Instant::now() < last_stop => {}
            }
        };
        // Under the lock, no edit comes between the check of a file's version and the message.
        session.with(|session| {
            match found {
                Ok(findings) => {
                    session.note_problem(findings.problem.clone());
                    published.update(session, findings);
                }
                Err(error) => tracing::warn!("no diagnostics this time: {error}"),
            }
            // If something changed meanwhile, the next round starts.
            let is_checking = revisions.has_changed().unwrap_or(false);
            session.set_status(|status| status.is_checking = is_checking);
        });
    }
}

/// Waits until nothing has changed for a while.
async fn pause(revisions: &mut watch::Receiver<u64>) {
    let end = Instant::now() + PATIENCE;
    while let Ok(Ok(true)) = timeout_at(end, another_change(revisions)).await {}
}

/// Whether something changes before the pause is over.
async fn another_change(revisions: &mut watch::Receiver<u64>) -> Result<bool, ()> {
    match timeout(PAUSE, revisions.changed()).await {
        Ok(Ok(())) => Ok(true),
        Ok(Err(_)) => Err(()),
        Err(_) => Ok(false),
    }
}

/// Does one round. `known` is what the last one found beside texts.
fn find(context: &Context, known: Option<BesideTexts>) -> Findings {
    let mut sets: Vec<FileFindings> = Vec::new();
    let mut open_versions = BTreeMap::new();
    for open in context.world.open_files() {
        let path = &open.entry.path;
        // A client that pulls would show these diagnostics twice.
        if !context.client.pulls_diagnostics {
            sets.push(file_findings(context, path, diagnostics_of(context, &open.entry)));
        }
        open_versions.insert(path.clone(), open.version);
    }
    if let Some((file, _)) = context.settings_file.as_deref()
        && !open_versions.contains_key(&file.path)
    {
        sets.push(file_findings(context, &file.path, settings_problems(context, &file.path)));
    }
    let looked_at = looked_at(context);
    let of_fact_sets = context.world.fact_set_problems(&looked_at);
    let paths: BTreeSet<&Arc<str>> = of_fact_sets.iter().map(|(path, _)| path).collect();
    for path in paths.into_iter().filter(|path| !open_versions.contains_key(*path)) {
        sets.push(file_findings(context, path, in_fact_set(context, path, &of_fact_sets)));
    }
    let of_settings = context.world.setting_problems().into_iter().next();
    let problem = match of_settings {
        Some(problem) => Some(format!("{PROJECT_FILE}: {}", problem.message)),
        None => of_fact_sets.first().map(|(path, it)| format!("{path}: {}", it.message)),
    };
    let (structure, open) = (context.world.structure(), open_versions.keys().cloned().collect());
    let beside_texts = known
        .filter(|it| it.structure == structure && it.open == open)
        .unwrap_or_else(|| BesideTexts::of(&context.world, structure, open));
    let problem = problem
        .or_else(|| Baseline::problem(&context.world))
        .or_else(|| context.world.usual_before_problem(&looked_at))
        .or_else(|| beside_texts.unused_config.clone());
    Findings { sets, problem, beside_texts, open: open_versions }
}

impl BesideTexts {
    fn of(world: &World, structure: Structure, open: Vec<Arc<str>>) -> Self {
        let (unused_config, active_node) = (unused_config(world), active_node(world));
        Self { structure, open, unused_config, active_node }
    }
}

/// Why no hierarchy reads one of the open files, if that is the `hiera.yaml`.
fn unused_config(world: &World) -> Option<String> {
    let unused = world.open_files().find_map(|it| world.unused_config_of(&it.entry.path))?;
    Some(unused.in_words(&unused.path))
}

/// The environments of the open files; the only one if no file is open. Others are not read for this.
fn looked_at(context: &Context) -> Vec<Arc<Environment>> {
    let world = &context.world;
    let all = world.environments();
    if let [only] = &*all {
        return vec![only.clone()];
    }
    world.environments_of(world.open_files().map(|it| &*it.entry.path))
}

/// All diagnostics of a file, including those about settings in it.
pub(super) fn diagnostics_of(context: &Context, file: &FileEntry) -> Vec<Diagnostic> {
    let found = (context.features.diagnostics)(&context.world, &file.path, &context.cancel);
    let found = found.into_iter().map(|it| to_proto::diagnostic(context, file, it));
    found
        .chain(settings_problems(context, &file.path))
        .chain(fact_set_problems(context, &file.path))
        .collect()
}

/// The diagnostics about a fact set.
fn fact_set_problems(context: &Context, path: &str) -> Vec<Diagnostic> {
    let world = &context.world;
    if !world.may_hold_facts(path) {
        return Vec::new();
    }
    let environments = world.environment_of(path).map_or_else(|| looked_at(context), |it| vec![it]);
    in_fact_set(context, path, &world.fact_set_problems(&environments))
}

fn in_fact_set(
    context: &Context,
    path: &str,
    problems: &[(Arc<str>, FactsProblem)],
) -> Vec<Diagnostic> {
    let Ok(file) = context.world.file(path) else { return Vec::new() };
    let of_file = problems.iter().filter(|(it, _)| &**it == path);
    of_file.map(|(_, it)| to_proto::fact_set_problem(context, &file, it)).collect()
}

/// The diagnostics about settings, if the file at `path` contains them.
fn settings_problems(context: &Context, path: &str) -> Vec<Diagnostic> {
    match context.settings_file.as_deref() {
        Some((file, problems)) if &*file.path == path => {
            let of_patterns = context.world.name_pattern_problems();
            let of_nodes = context.world.setting_problems();
            let all = problems.iter().chain(&of_patterns).chain(&of_nodes);
            all.map(|it| to_proto::settings_problem(context, file, it)).collect()
        }
        _ => Vec::new(),
    }
}

fn file_findings(context: &Context, path: &Arc<str>, set: Vec<Diagnostic>) -> FileFindings {
    FileFindings {
        path: path.clone(),
        uri: to_proto::uri(context, path),
        version: context.world.open_file(path).map(|open| open.version),
        set,
    }
}

impl Published {
    /// Sends what has changed.
    fn update(&mut self, session: &Session, findings: Findings) {
        let context = session.context();
        let world = &context.world;
        // At the first round, the client has no values of another node that it would have to ask for again.
        let active_node = findings.beside_texts.active_node.clone();
        let known = self.beside_texts.replace(findings.beside_texts);
        let known_node = known.and_then(|it| it.active_node);
        let is_other_node = known_node.is_some() && known_node != active_node;
        self.ask_again(session, findings.open, is_other_node);
        if context.client.preview_changed {
            let news = serde_json::json!({"revision": world.revision()});
            session.outgoing().notify_custom("hiera/previewChanged", &news);
        }
        for uri in context.remembered.documents() {
            let params = serde_json::json!({ "uri": uri });
            session.outgoing().request("workspace/textDocumentContent/refresh", &params, |_| {});
        }
        self.clear_all_but(session, &findings.sets);
        for file in findings.sets {
            // The text may have been edited during the round. Then the places of the diagnostics are wrong.
            let version = world.open_file(&file.path).map(|open| open.version);
            let is_known = match self.sets.get(&file.path) {
                Some(known) => *known == file.set && self.uris.get(&file.path) == Some(&file.uri),
                // An open file gets an empty set as well: it tells the client that this version was checked.
                None => file.set.is_empty() && file.version.is_none(),
            };
            if version == file.version && !is_known {
                self.send(session, file);
            }
        }
        if known_node != active_node {
            session.outgoing().notify_custom("hiera/activeNode", &active_node);
        }
    }

    /// Asks the client to repeat its own requests: for diagnostics when something other than an edit changed, and for
    /// lenses, hints and tokens also when an edit may change values in other open files.
    fn ask_again(&mut self, session: &Session, open: BTreeMap<Arc<str>, i32>, is_other_node: bool) {
        let client = session.context().client;
        // If all versions are as before, something other than an edit started the round, such as a change on the disk.
        let is_no_edit = !open.is_empty() && (self.open == open || is_other_node);
        // The client asks again for the file in which the user types. With only that file open, a refresh would be too much.
        let is_elsewhere = is_no_edit || (open.len() > 1 && self.open.len() > 1);
        let wanted = [
            (client.refreshes_diagnostics && is_no_edit, "workspace/diagnostic/refresh"),
            (client.refreshes_code_lenses && is_elsewhere, "workspace/codeLens/refresh"),
            (client.refreshes_inlay_hints && is_elsewhere, "workspace/inlayHint/refresh"),
            (client.refreshes_semantic_tokens && is_elsewhere, "workspace/semanticTokens/refresh"),
        ];
        for (_, method) in wanted.into_iter().filter(|(is_wanted, _)| *is_wanted) {
            session.outgoing().request(method, &Value::Null, |_| {});
        }
        self.open = open;
    }

    fn send(&mut self, session: &Session, file: FileFindings) {
        session.outgoing().notify::<PublishDiagnostics>(&PublishDiagnosticsParams {
            uri: file.uri.clone(),
            diagnostics: file.set.clone(),
            version: file.version,
        });
        self.uris.insert(file.path.clone(), file.uri);
        self.sets.insert(file.path, file.set);
    }

    /// Removes the diagnostics of files that are no longer checked.
    fn clear_all_but(&mut self, session: &Session, kept: &[FileFindings]) {
        let is_kept = |path: &Arc<str>| kept.iter().any(|file| file.path == *path);
        let gone: Vec<Arc<str>> = self.sets.keys().filter(|path| !is_kept(path)).cloned().collect();
        for path in gone {
            let set = self.sets.remove(&path).unwrap_or_default();
            let uri = self.uris.remove(&path);
            // The client has nothing to remove if the last set was empty.
            if let (false, Some(uri)) = (set.is_empty(), uri) {
                session.outgoing().notify::<PublishDiagnostics>(&PublishDiagnosticsParams {
                    uri,
                    diagnostics: Vec::new(),
                    version: None,
                });
            }
        }
    }
}
