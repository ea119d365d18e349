//! From edits as data to edits as editors take them.

use std::collections::HashMap;

use tower_lsp_server::ls_types::{
    CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp, TextDocumentEdit,
    TextEdit, Uri, WorkspaceEdit,
};

use super::context::Context;
use super::to_proto;
use crate::ide::{FileChange, FileEdit};
use crate::text;

/// The edits for the texts of this moment: an editor that knows versions refuses them when a file has changed meanwhile.
/// `None` if the client cannot do them, or a file is not there any more.
pub(super) fn workspace_edit(context: &Context, edits: &[FileEdit]) -> Option<WorkspaceEdit> {
    let client = &context.client;
    let creates = edits.iter().any(|it| matches!(it.change, FileChange::Create(_)));
    if creates && !(client.creates_files && client.versioned_edits) {
        return None;
    }
    if !client.versioned_edits {
        return Some(WorkspaceEdit {
            changes: Some(changes(context, edits)?),
            ..WorkspaceEdit::default()
        });
    }
    let mut operations = Vec::new();
    for edit in edits {
        operations.extend(self::operations(context, edit)?);
    }
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    })
}

/// Edits by URI, without versions: what every client takes.
fn changes(context: &Context, edits: &[FileEdit]) -> Option<HashMap<Uri, Vec<TextEdit>>> {
    let mut changes = HashMap::new();
    for edit in edits {
        let uri = to_proto::uri(context, &edit.path);
        let FileChange::Edit(edits) = &edit.change else { continue };
        changes.insert(uri, text_edits(context, &edit.path, edits)?);
    }
    Some(changes)
}

fn operations(context: &Context, edit: &FileEdit) -> Option<Vec<DocumentChangeOperation>> {
    let uri = to_proto::uri(context, &edit.path);
    let version = context.world.open_file(&edit.path).map(|open| open.version);
    let edit_of = |uri, edits: Vec<TextEdit>| {
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version };
        let edits = edits.into_iter().map(OneOf::Left).collect();
        DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits })
    };
    match &edit.change {
        FileChange::Edit(edits) => {
            Some(vec![edit_of(uri, text_edits(context, &edit.path, edits)?)])
        }
        FileChange::Create(text) => {
            let create = CreateFile {
                uri: uri.clone(),
                options: Some(CreateFileOptions { overwrite: None, ignore_if_exists: Some(false) }),
                annotation_id: None,
            };
            let start = Position { line: 0, character: 0 };
            let range = Range { start, end: start };
            let content = TextEdit { range, new_text: text.clone() };
            let create = DocumentChangeOperation::Op(ResourceOp::Create(create));
            Some(vec![create, edit_of(uri, vec![content])])
        }
    }
}

fn text_edits(context: &Context, path: &str, edits: &[text::TextEdit]) -> Option<Vec<TextEdit>> {
    let file = context.world.file(path).ok()?;
    let edit = |it: &text::TextEdit| TextEdit {
        range: to_proto::range(context, &file, it.range),
        new_text: it.new_text.clone(),
    };
    Some(edits.iter().map(edit).collect())
}
