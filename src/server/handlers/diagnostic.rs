//! `textDocument/diagnostic`

use std::hash::{DefaultHasher, Hash, Hasher};

use tower_lsp_server::ls_types::{
    Diagnostic, DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
};

use crate::server::context::Context;
use crate::server::raw::Json;
use crate::server::{from_proto, publish};

/// Returns the diagnostics of a file, unless the client already has them.
pub(in crate::server) fn diagnostic(
    context: &Context,
    params: DocumentDiagnosticParams,
) -> DocumentDiagnosticReportResult {
    let file = from_proto::file(context, &params.text_document.uri);

    let items = file.map_or_else(Vec::new, |file| publish::diagnostics_of(context, &file));

    let items = Json::of(&items);
    let result_id = id_of(&items);
    if params.previous_result_id.as_ref() != Some(&result_id) {
        let mut full = Json::default();
        full.raw(r#"{"kind":"full","resultId":""#).raw(&result_id);
        full.raw(r#"","items":"#).raw(&items).raw("}");
        context.raw.set(full);
    }
    // It is sent only if the client has these diagnostics: otherwise, the JSON above takes its place.
    let unchanged = RelatedUnchangedDocumentDiagnosticReport {
        related_documents: None,
        unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
    };
    DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Unchanged(unchanged))
}

/// An id that is equal for equal diagnostics. It is computed from them, so the server does not need to store anything.
pub(super) fn result_id(items: &[Diagnostic]) -> String {
    id_of(&Json::of(&items))
}

/// The id of diagnostics that are already written.
fn id_of(json: &str) -> String {
    // It has no random seed, so the client's ids are still valid after the server was started again.
    let mut hasher = DefaultHasher::new();
    json.hash(&mut hasher);
    format!("{:x}", hasher.finish())
}
