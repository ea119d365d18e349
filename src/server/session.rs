//! The only mutable state: the newest world, and what is known about the client.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde_json::{Value, json};
use tower_lsp_server::ls_types::notification::ShowMessage;
use tower_lsp_server::ls_types::{
    InitializeParams, MessageType, ShowMessageParams, TraceValue, Uri, WorkspaceFolder,
};

use super::capabilities::{ClientAbilities, negotiated_encoding};
use super::context::{ClientUris, Context, SettingsFile};
use super::outgoing::Outgoing;
use super::output::Wire;
use super::parts::Parts;
use super::raw::RawAnswer;
use super::remembered::Remembered;
use super::signals::Signals;
use super::status::Status;
use super::stop::{Stop, stop_with_process};
use super::{CancelToken, Features, from_proto};
use crate::ide::diagnostics::rule_names;
use crate::settings::{EDITOR_PREFIX, PROJECT_FILE, Settings, SettingsProblem, SettingsSource};
use crate::text::Encoding;
use crate::world::loader::{Disk, WorkspaceDisk};
use crate::world::{Change, Effect, Host, Trust, WorkspaceSettings, World, paths};

/// The state of a session with one client.
pub(super) struct Session {
    host: Host,
    phase: Phase,
    folders: Vec<String>,
    settings: SettingsSources,
    client: Client,
    features: Features,
    signals: Signals,
    remembered: Arc<Remembered>,
    status: Status,
    stop: Stop,
    shared: Weak<Mutex<Self>>,
}

/// What is known about the client, and the ways to reach it.
struct Client {
    abilities: Arc<ClientAbilities>,
    encoding: Encoding,
    uris: Arc<ClientUris>,
    trace: TraceValue,
    outgoing: Outgoing,
    parts: Parts,
}

/// Where the settings come from, and what is wrong with them.
#[derive(Default)]
struct SettingsSources {
    editor: Option<Value>,
    file: SettingsFile,
    /// Whether the editor trusts the workspace.
    trust: Trust,
    /// What may be read beside the folders; `None` is everything.
    readable: Option<BTreeSet<String>>,
    last_complaint: String,
    /// What is wrong with the nodes that the settings or fact sets describe, or with a hierarchy.
    found_problem: Option<String>,
}

/// A session that several tasks share. Clones refer to the same session.
#[derive(Clone)]
pub(super) struct SharedSession(Arc<Mutex<Session>>);

/// The phase of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    BeforeInitialize,
    Running,
    AfterShutdown,
}

impl SharedSession {
    pub(super) fn new(features: Features, outgoing: Outgoing, wire: Wire, stop: Stop) -> Self {
        Self(Arc::new_cyclic(|shared| {
            let session = Session::new(features, outgoing, Parts::new(wire), stop);
            Mutex::new(Session { shared: shared.clone(), ..session })
        }))
    }

    /// Reads or changes the state. `visit` must be short, because all other tasks wait.
    pub(super) fn with<R>(&self, visit: impl FnOnce(&mut Session) -> R) -> R {
        visit(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Session {
    fn new(features: Features, outgoing: Outgoing, parts: Parts, stop: Stop) -> Self {
        Self {
            host: Host::new(Arc::new(Disk)),
            phase: Phase::BeforeInitialize,
            folders: Vec::new(),
            settings: SettingsSources::default(),
            client: Client {
                abilities: Arc::default(),
                encoding: Encoding::Utf16,
                uris: Arc::default(),
                trace: TraceValue::Off,
                outgoing,
                parts,
            },
            features,
            signals: Signals::new(),
            remembered: Arc::default(),
            status: Status::default(),
            stop,
            shared: Weak::new(),
        }
    }

    /// Whether the client has initialized the session and not ended it.
    pub(super) fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    /// Whether the client has sent `shutdown`.
    pub(super) fn is_shut_down(&self) -> bool {
        self.phase == Phase::AfterShutdown
    }

    /// A snapshot of this moment.
    pub(super) fn context(&self) -> Context {
        Context {
            world: self.host.snapshot(),
            encoding: self.client.encoding,
            client: self.client.abilities.clone(),
            settings_file: self.settings.file.clone(),
            uris: self.client.uris.clone(),
            outgoing: self.client.outgoing.clone(),
            parts: self.client.parts.clone(),
            features: self.features.clone(),
            remembered: self.remembered.clone(),
            cancel: CancelToken::default(),
            raw: RawAnswer::default(),
        }
    }

    /// The queue of notifications and requests to the client.
    pub(super) fn outgoing(&self) -> &Outgoing {
        &self.client.outgoing
    }

    /// What the tasks in the background wait for.
    pub(super) fn signals(&self) -> &Signals {
        &self.signals
    }

    /// Starts to read the workspace in advance. Until that is done, the server is not idle.
    fn ask_for_warm_up(&mut self) {
        self.set_status(|status| status.is_reading = true);
        self.signals.start_warm_up();
    }

    /// What earlier responses contained.
    pub(super) fn remembered(&self) -> &Remembered {
        &self.remembered
    }

    /// How much of its work the server reports to the client.
    pub(super) fn trace(&self) -> TraceValue {
        self.client.trace
    }

    /// Sets how much of its work the server reports to the client.
    pub(super) fn set_trace(&mut self, trace: TraceValue) {
        self.client.trace = trace;
    }

    /// Notes the work in progress, and reports it to clients that want to know.
    pub(super) fn set_status(&mut self, change: impl FnOnce(&mut Status)) {
        change(&mut self.status);
        let problem = self.problem();
        if let Some(status) =
            self.status.news(problem).filter(|_| self.client.abilities.server_status)
        {
            self.client.outgoing.notify_custom("hiera/serverStatus", &status);
        }
    }

    /// Notes what is wrong with the nodes or a hierarchy; the next status contains it.
    pub(super) fn note_problem(&mut self, problem: Option<String>) {
        self.settings.found_problem = problem;
    }

    /// What is wrong with the settings, or else what hiera-ls does not read.
    fn problem(&self) -> Option<String> {
        let in_file = self.settings.file.as_deref().and_then(|(_, problems)| problems.first());
        let in_file = in_file.map(|problem| format!("{PROJECT_FILE}: {}", problem.message));
        let in_editor = (!self.settings.last_complaint.is_empty())
            .then(|| self.settings.last_complaint.clone());
        let found = self.settings.found_problem.clone();
        in_file.or(in_editor).or(found).or_else(|| self.host.snapshot().notes().into_iter().next())
    }

    /// Applies a change.
    pub(super) fn apply(&mut self, change: Change) {
        let effect = self.host.apply(change);
        self.note(&effect);
    }

    fn note(&mut self, effect: &Effect) {
        // The settings are applied as a change of their own, so this calls the function again, once.
        if effect.is_settings_file_changed {
            self.reread_settings();
        }
        let is_new = self.signals.note_revision(effect.revision);
        // Only a new revision wakes the task that reports the end of checking.
        if is_new && self.is_running() {
            self.set_status(|status| status.is_checking = true);
        }
    }

    /// Handles `initialize`.
    pub(super) fn initialize(&mut self, params: InitializeParams) {
        self.phase = Phase::Running;
        // The server reads the workspace as soon as the client is ready.
        self.status.is_reading = true;
        self.client.encoding = negotiated_encoding(&params.capabilities);
        self.client.abilities = Arc::new(ClientAbilities::new(&params.capabilities));
        self.client.trace = params.trace.unwrap_or_default();
        if let Some(process) = params.process_id {
            stop_with_process(process, &self.stop);
        }
        self.folders = initial_folders(&params);
        self.apply(Change::Folders(self.folders.clone()));
        let mut options = params.initialization_options;
        // Trust is not a setting, so it is taken out before the other options are read as settings.
        let trusted = options.as_mut().and_then(Value::as_object_mut);
        let trusted = trusted.and_then(|options| options.shift_remove("isWorkspaceTrusted"));
        let is_trusted = trusted == Some(Value::Bool(true));
        self.settings.trust = if is_trusted { Trust::Given } else { Trust::Missing };
        self.set_editor_settings(options);
        let shared = self.shared.clone();
        // The host belongs to the session, so a strong reference in its callback would keep both forever.
        self.host.on_back_ends_changed(move || {
            if let Some(session) = shared.upgrade() {
                SharedSession(session).with(|session| session.apply(Change::BackEnds));
            }
        });
    }

    /// Notes that the client can show documents of the server. The types of the LSP library do not have this capability
    /// yet.
    pub(super) fn takes_documents(&mut self) {
        Arc::make_mut(&mut self.client.abilities).text_document_content = true;
    }

    /// Handles `initialized`: the client now accepts requests.
    pub(super) fn initialized(&mut self) {
        let mut registrations = Vec::new();
        if self.client.abilities.watches_files {
            // Any file may be a data file. If a directory is removed, some clients only report the directory itself.
            registrations.push(json!({
                "id": "watched-files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": {"watchers": [{"globPattern": "**/*"}]},
            }));
        } else {
            tracing::debug!("hiera-ls watches {:?}", self.folders);
            self.signals.watch_folders(self.folders.clone());
        }
        if self.client.abilities.registers_configuration {
            registrations.push(json!({
                "id": "configuration",
                "method": "workspace/didChangeConfiguration",
                "registerOptions": {"section": EDITOR_PREFIX},
            }));
        }
        if !registrations.is_empty() {
            let params = json!({ "registrations": registrations });
            self.client.outgoing.request("client/registerCapability", &params, |answer| {
                if let Err(error) = answer {
                    tracing::warn!("the client refuses to report changes of files: {error}");
                }
            });
        }
        // Only now may the server send requests. The settings in `initialize` may be missing or old.
        self.ask_for_settings();
        self.ask_for_warm_up();
    }

    /// Handles `shutdown`.
    pub(super) fn shut_down(&mut self) {
        self.phase = Phase::AfterShutdown;
        self.stop_back_ends();
    }

    /// Stops the programs that the server started.
    pub(super) fn stop_back_ends(&self) {
        self.host.snapshot().back_ends().stop();
    }

    /// Notes that the client has a file open as `uri`.
    pub(super) fn remember_uri(&mut self, path: &str, uri: Uri) {
        Arc::make_mut(&mut self.client.uris).insert(normal(path), uri);
    }

    /// Notes that the client has closed the file.
    pub(super) fn forget_uri(&mut self, path: &str) {
        Arc::make_mut(&mut self.client.uris).remove(&normal(path));
    }

    /// How columns are counted.
    pub(super) fn encoding(&self) -> Encoding {
        self.client.encoding
    }

    /// Sets the folders of the workspace.
    pub(super) fn change_folders(&mut self, added: &[WorkspaceFolder], gone: &[WorkspaceFolder]) {
        let gone: Vec<String> = gone.iter().filter_map(|it| from_proto::path(&it.uri)).collect();
        self.folders.retain(|folder| !gone.contains(folder));
        for folder in added.iter().filter_map(|it| from_proto::path(&it.uri)) {
            if !self.folders.contains(&folder) {
                self.folders.push(folder);
            }
        }
        self.apply(Change::Folders(self.folders.clone()));
        self.read_only(self.settings.readable.clone());
        // The project file of the new folders may be another one.
        self.reread_settings();
        self.ask_for_warm_up();
        if !self.client.abilities.watches_files {
            self.signals.watch_folders(self.folders.clone());
        }
    }

    /// Handles changed settings. Some clients send them, others wait for a request.
    pub(super) fn settings_changed(&mut self, settings: Value) {
        if self.client.abilities.configuration {
            self.ask_for_settings();
        } else {
            self.set_editor_settings(Some(settings));
        }
    }

    fn ask_for_settings(&self) {
        if !self.client.abilities.configuration {
            return;
        }
        let shared = self.shared.clone();
        let params = json!({"items": [{"section": EDITOR_PREFIX}]});
        self.client.outgoing.request("workspace/configuration", &params, move |answer| {
            let settings = answer.ok().and_then(|it| it.get(0).cloned());
            // The session may be over when the client responds, and an error leaves the settings as they are.
            if let (Some(settings), Some(session)) = (settings, shared.upgrade()) {
                SharedSession(session).with(|session| session.set_editor_settings(Some(settings)));
            }
        });
    }

    /// Takes the editor's settings, with or without `hiera` around them. `null` means that there are none.
    fn set_editor_settings(&mut self, settings: Option<Value>) {
        let settings = settings.filter(|it| !it.is_null());
        // Clients disagree: some send the section itself, others an object that contains it.
        self.settings.editor = settings.map(|it| match it.get(EDITOR_PREFIX) {
            Some(inner) if inner.is_object() => inner.clone(),
            _ => it,
        });
        self.reread_settings();
    }

    /// Says which settings are not read because a file is open without a folder.
    pub(super) fn note_unread_settings(&mut self) {
        if self.folders.is_empty() {
            self.reread_settings();
        }
    }

    fn reread_settings(&mut self) {
        // The project file may be a link that leads out of the workspace.
        if self.settings.readable.is_none()
            && let Some(named) = self.readable(&Settings::default())
        {
            self.read_only(Some(named));
        }
        let world = self.host.snapshot();
        let folders: Vec<&str> = self.folders.iter().map(String::as_str).collect();
        let editor = self.settings.editor.as_ref();
        let WorkspaceSettings { settings, problems, file, unread } =
            world.workspace_settings(&folders, editor, &rule_names(), self.settings.trust);
        let (in_editor, in_file): (Vec<_>, Vec<_>) =
            problems.into_iter().partition(|it| it.source == SettingsSource::Editor);
        self.settings.file = file.map(|file| Arc::new((file, in_file)));
        let readable = self.readable(&settings);
        self.complain_about(&in_editor, &unread);
        (self.features.set_log_level)(settings.log_level);
        if readable != self.settings.readable {
            self.read_only(readable);
        }
        self.apply(Change::Settings(settings));
    }

    /// What may be read beside the folders with these settings; `None` is everything.
    fn readable(&self, settings: &Settings) -> Option<BTreeSet<String>> {
        let folders: Vec<&str> = self.folders.iter().map(String::as_str).collect();
        World::readable(&folders, settings, self.settings.trust)
    }

    /// Reads only what belongs to the workspace and what is `named`; everything if that is `None`.
    fn read_only(&mut self, named: Option<BTreeSet<String>>) {
        let folders: Vec<&str> = self.folders.iter().map(String::as_str).collect();
        let effect = match &named {
            None => self.host.read_from(Arc::new(Disk)),
            Some(named) => {
                let named: Vec<String> = named.iter().cloned().collect();
                self.host.read_from(Arc::new(WorkspaceDisk::around(&folders, &named)))
            }
        };
        self.settings.readable = named;
        self.note(&effect);
    }

    /// Shows what is wrong with the editor's settings, and which files with settings are not read, once for each set of wrong settings.
    fn complain_about(&mut self, problems: &[SettingsProblem], unread: &[String]) {
        let of_editor = problems.iter().map(|it| &it.message);
        let messages: Vec<&str> = of_editor.chain(unread).map(String::as_str).collect();
        let message = messages.join("\n");
        if !message.is_empty() && message != self.settings.last_complaint {
            self.client.outgoing.notify::<ShowMessage>(&ShowMessageParams {
                typ: MessageType::WARNING,
                message: format!("Hiera settings: {message}"),
            });
        }
        // A set without problems is kept as well, so that the same mistake is shown again when it comes back.
        self.settings.last_complaint = message;
    }
}

/// The folders in `initialize`: several, the single root of older clients, or none.
#[expect(deprecated, reason = "older clients only say a root")]
fn initial_folders(params: &InitializeParams) -> Vec<String> {
    match &params.workspace_folders {
        // Some clients send an empty list together with a root.
        Some(folders) if !folders.is_empty() => {
            folders.iter().filter_map(|folder| from_proto::path(&folder.uri)).collect()
        }
        _ => params.root_uri.iter().filter_map(from_proto::path).collect(),
    }
}

fn normal(path: &str) -> Arc<str> {
    paths::normalise(path).into()
}
