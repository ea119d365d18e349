//! `workspace/diagnostic`
//!
//! Clients ask for it again and again, so the reports of a moment are kept until something changes. They are answered at
//! once and as a whole: a part that is sent ahead might arrive behind the answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tower_lsp_server::ls_types::{
    Diagnostic, FullDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
};

use super::diagnostic::result_id;
use crate::server::context::Context;
use crate::server::{from_proto, publish, to_proto};

/// The reports of the last moment that was asked about, by the number of its snapshot.
#[derive(Default)]
struct LastReports(Mutex<Option<(u64, Arc<[FileReport]>)>>);

/// What is wrong with one file.
struct FileReport {
    path: Arc<str>,
    version: Option<i64>,
    result_id: String,
    items: Vec<Diagnostic>,
}

/// What is wrong with all files of the workspace; of those that the client knows the newest state of, only that.
pub(in crate::server) fn workspace_diagnostic(
    context: &Context,
    params: WorkspaceDiagnosticParams,
) -> WorkspaceDiagnosticReportResult {
    let previous = params.previous_result_ids.iter();
    let mut known: HashMap<String, &str> =
        previous.filter_map(|it| Some((from_proto::path(&it.uri)?, it.value.as_str()))).collect();

    let reports = reports(context);

    let mut items: Vec<WorkspaceDocumentDiagnosticReport> = Vec::new();
    for report in &*reports {
        match known.remove(&*report.path) {
            Some(id) if id == report.result_id => items.push(unchanged(context, report)),
            None if report.items.is_empty() => {}
            _ => items.push(full(context, report)),
        }
    }
    let mut gone: Vec<_> = known.into_keys().collect();
    gone.sort_unstable();
    items.extend(gone.iter().map(|path| full(context, &FileReport::empty(context, path))));
    WorkspaceDiagnosticReport { items }.into()
}

fn reports(context: &Context) -> Arc<[FileReport]> {
    let last = context.world.attached::<LastReports>();
    let revision = context.world.revision();
    let kept = last.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some((_, reports)) = kept.filter(|(of, _)| *of == revision) {
        return reports;
    }
    let paths = (context.features.workspace_files)(&context.world, &context.cancel);
    let report = |path: &String| {
        if context.cancel.is_cancelled() {
            return FileReport::empty(context, path);
        }
        let file = context.world.file(path);
        let items =
            file.map_or_else(|_| Vec::new(), |file| publish::diagnostics_of(context, &file));
        FileReport { items, ..FileReport::empty(context, path) }.with_result_id()
    };
    let reports: Arc<[FileReport]> = paths.iter().map(report).collect();
    if !context.cancel.is_cancelled() {
        let reports = reports.clone();
        *last.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((revision, reports));
    }
    reports
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
