//! `textDocument/diagnostic`

use std::hash::{DefaultHasher, Hash, Hasher};

use tower_lsp_server::ls_types::{
    Diagnostic, DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
};

use crate::server::context::Context;
use crate::server::{from_proto, publish};

/// Returns the diagnostics of a file, unless the client already has them.
pub(in crate::server) fn diagnostic(
    context: &Context,
    params: DocumentDiagnosticParams,
) -> DocumentDiagnosticReportResult {
    let file = from_proto::file(context, &params.text_document.uri);

    let items = file.map_or_else(Vec::new, |file| publish::diagnostics_of(context, &file));

    let result_id = result_id(&items);
    let report = if params.previous_result_id.as_ref() == Some(&result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(result_id),
                items,
            },
        })
    };
    DocumentDiagnosticReportResult::Report(report)
}

/// An id that is equal for equal diagnostics. It is computed from them, so the server does not need to store anything.
pub(super) fn result_id(items: &[Diagnostic]) -> String {
    // It has no random seed, so the client's ids are still valid after the server was started again.
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(items).unwrap_or_default().hash(&mut hasher);
    format!("{:x}", hasher.finish())
}
