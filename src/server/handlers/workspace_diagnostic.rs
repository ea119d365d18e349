//! `workspace/diagnostic`
//!
//! Clients send it again and again, so the server keeps the reports until something changes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tower_lsp_server::ls_types::{
    Diagnostic, FullDocumentDiagnosticReport, ProgressToken, UnchangedDocumentDiagnosticReport,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
};

use super::diagnostic::result_id;
use crate::server::context::Context;
use crate::server::{from_proto, publish, to_proto};

/// The number of files in one part of the result.
const FILES_PER_PART: usize = 50;

/// After this number of files, the parsed data is freed.
const MAX_PARSED_FILES: usize = 2_000;

/// The reports of the last request, with the number of its snapshot.
#[derive(Default)]
struct LastReports(Mutex<Option<(u64, Arc<[FileReport]>)>>);

/// The diagnostics of one file.
struct FileReport {
    path: Arc<str>,
    version: Option<i64>,
    result_id: String,
    items: Vec<Diagnostic>,
}

/// Returns the diagnostics of all files of the workspace, or `unchanged` for files whose present diagnostics the client
/// already has. A client that gave a token for partial results gets the files one part after the other.
pub(in crate::server) fn workspace_diagnostic(
    context: &Context,
    params: WorkspaceDiagnosticParams,
) -> WorkspaceDiagnosticReportResult {
    let previous = params.previous_result_ids.into_iter();
    let known = previous.filter_map(|it| Some((from_proto::path(&it.uri)?, it.value))).collect();
    let token = params.partial_result_params.partial_result_token;
    let mut answer = Answer { context, known, token, items: Vec::new() };

    each_report(context, |report| answer.add(report));

    WorkspaceDiagnosticReport { items: answer.finish() }.into()
}

/// The result so far.
struct Answer<'a> {
    context: &'a Context,
    /// The ids of the results that the client has, by path.
    known: HashMap<String, String>,
    token: Option<ProgressToken>,
    items: Vec<WorkspaceDocumentDiagnosticReport>,
}

impl Answer<'_> {
    fn add(&mut self, report: &FileReport) {
        match self.known.remove(&*report.path) {
            Some(id) if id == report.result_id => self.items.push(unchanged(self.context, report)),
            // The client has nothing of this file, so it needs no report without diagnostics.
            None if report.items.is_empty() => {}
            _ => self.items.push(full(self.context, report)),
        }
        if self.items.len() >= FILES_PER_PART {
            self.send();
        }
    }

    fn send(&mut self) {
        // Without a token, the items stay here for the response.
        if let (Some(token), false) = (&self.token, self.items.is_empty()) {
            let items = std::mem::take(&mut self.items);
            self.context.parts.send(token, &WorkspaceDiagnosticReport { items });
        }
    }

    /// The rest, for the response itself.
    fn finish(mut self) -> Vec<WorkspaceDocumentDiagnosticReport> {
        // The client must remove the diagnostics of files that no longer exist.
        let mut gone: Vec<_> = self.known.drain().map(|(path, _)| path).collect();
        gone.sort_unstable();
        let gone =
            gone.iter().map(|path| full(self.context, &FileReport::empty(self.context, path)));
        self.items.extend(gone);
        self.send();
        self.items
    }
}

/// Visits the reports of all files: the kept reports, or new ones.
fn each_report(context: &Context, mut visit: impl FnMut(&FileReport)) {
    let last = context.world.attached::<LastReports>();
    let revision = context.world.revision();
    // The lock is not held while files are checked, because that may take minutes.
    let kept = last.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, reports)) = kept.filter(|(of, _)| *of == revision) {
        return reports.iter().for_each(visit);
    }
    let mut reports = Vec::new();
    let paths = (context.features.workspace_files)(&context.world, &context.cancel);
    for (world, paths) in context.world.in_parts(&paths, MAX_PARSED_FILES) {
        let context = &Context { world, ..context.clone() };
        for path in paths {
            // A part of the reports must not be kept as if it were all of them.
            if context.cancel.is_cancelled() {
                return;
            }
            let file = context.world.file(path);
            let items =
                file.map_or_else(|_| Vec::new(), |file| publish::diagnostics_of(context, &file));
            let report = FileReport { items, ..FileReport::empty(context, path) }.with_result_id();
            visit(&report);
            reports.push(report);
        }
    }
    *last.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((revision, reports.into()));
}

impl FileReport {
    fn empty(context: &Context, path: &str) -> Self {
        let open = context.world.open_file(path);
        Self {
            path: path.into(),
            version: open.map(|open| open.version.into()),
            result_id: result_id(&[]),
            items: Vec::new(),
        }
    }

    fn with_result_id(self) -> Self {
        Self { result_id: result_id(&self.items), ..self }
    }
}

fn full(context: &Context, report: &FileReport) -> WorkspaceDocumentDiagnosticReport {
    WorkspaceFullDocumentDiagnosticReport {
        uri: to_proto::uri(context, &report.path),
        version: report.version,
        full_document_diagnostic_report: FullDocumentDiagnosticReport {
            result_id: Some(report.result_id.clone()),
            items: report.items.clone(),
        },
    }
    .into()
}

fn unchanged(context: &Context, report: &FileReport) -> WorkspaceDocumentDiagnosticReport {
    let result_id = report.result_id.clone();
    WorkspaceUnchangedDocumentDiagnosticReport {
        uri: to_proto::uri(context, &report.path),
        version: report.version,
        unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
    }
    .into()
}
