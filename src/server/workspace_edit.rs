//! Converts edits to the form that editors accept.

use std::collections::HashMap;

use tower_lsp_server::ls_types::{
    AnnotatedTextEdit, ChangeAnnotation, CreateFile, CreateFileOptions, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::context::Context;
use super::to_proto;
use crate::ide::{EditLabel, FileChange, FileEdit, LabelledEdit, LabelledEdits, LabelledFile};
use crate::text;

/// Converts edits of the texts of this moment. An editor that knows versions refuses them if a file has changed meanwhile.
/// `None` if the client does not support the edits, if a file no longer exists, or if the client cannot see what the edits remove,
/// such as a byte order mark.
pub(super) fn workspace_edit(context: &Context, edits: &[FileEdit]) -> Option<WorkspaceEdit> {
    let client = &context.client;
    let creates = edits.iter().any(|it| matches!(it.change, FileChange::Create(_)));
    // Only `documentChanges` can create files, and a client may support either without the other.
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

/// Converts edits with labels. An editor that supports labels shows the edits in groups, and asks for confirmation if there
/// is a warning.
pub(super) fn labelled_edit(context: &Context, edits: &LabelledEdits) -> Option<WorkspaceEdit> {
    let plain = |file: &LabelledFile| {
        let edits = file.edits.iter().map(|it| it.edit.clone()).collect();
        FileEdit::new(file.path.clone(), edits)
    };
    if !(context.client.annotated_edits && context.client.versioned_edits) {
        let edits: Vec<FileEdit> = edits.files.iter().map(plain).collect();
        return workspace_edit(context, &edits);
    }
    let mut annotations = HashMap::new();
    let mut documents = Vec::new();
    for file in &edits.files {
        let FileChange::Edit(plain) = plain(file).change else { continue };
        let plain = text_edits(context, &file.path, &plain)?;
        let annotated = |(text_edit, edit): (TextEdit, &LabelledEdit)| {
            let annotation_id = edit.label.text().to_owned();
            // Edits with the same label share one annotation, so that the editor shows them as one group.
            annotations.insert(annotation_id.clone(), annotation(edit.label, &edits.warnings));
            OneOf::Right(AnnotatedTextEdit { text_edit, annotation_id })
        };
        documents.push(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                uri: to_proto::uri(context, &file.path),
                // For a file that is not open, LSP wants `null` as its version.
                version: context.world.open_file(&file.path).map(|open| open.version),
            },
            edits: plain.into_iter().zip(&file.edits).map(annotated).collect(),
        });
    }
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(documents)),
        change_annotations: Some(annotations),
        ..WorkspaceEdit::default()
    })
}

fn annotation(label: EditLabel, warnings: &[String]) -> ChangeAnnotation {
    ChangeAnnotation {
        label: label.text().to_owned(),
        needs_confirmation: (!warnings.is_empty()).then_some(true),
        description: (!warnings.is_empty()).then(|| warnings.join(" ")),
    }
}

/// The edits by URI, without versions, which every client accepts.
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
            // If the file exists by now, the editor refuses the edit. It must not write into the file of somebody else.
            let create = CreateFile {
                uri: uri.clone(),
                options: Some(CreateFileOptions { overwrite: None, ignore_if_exists: Some(false) }),
                annotation_id: None,
            };
            let start = Position { line: 0, character: 0 };
            // The range ends where the empty line does. Without a character beyond it, Neovim takes the line end after the last
            // line of the text for an empty line.
            let range = Range { start, end: Position { line: 0, character: 1 } };
            let content = TextEdit { range, new_text: text.clone() };
            let create = DocumentChangeOperation::Op(ResourceOp::Create(create));
            Some(vec![create, edit_of(uri, vec![content])])
        }
    }
}

fn text_edits(context: &Context, path: &str, edits: &[text::TextEdit]) -> Option<Vec<TextEdit>> {
    let file = context.world.file(path).ok()?;
    let edit = |it: &text::TextEdit| {
        let it = before_last_line_end(&file.text, edits, it).unwrap_or_else(|| it.clone());
        TextEdit { range: to_proto::range(context, &file, it.range), new_text: it.new_text }
    };
    let edits: Vec<TextEdit> = edits.iter().map(edit).collect();
    let is_seen = |it: &TextEdit| it.range.start != it.range.end || !it.new_text.is_empty();
    (edits.is_empty() || edits.iter().any(is_seen)).then_some(edits)
}

/// An insertion of lines after the last line, moved before the line end of that line. Neovim takes a line end at the end of text
/// that it inserts after the last line for an empty line.
fn before_last_line_end(
    text: &str,
    edits: &[text::TextEdit],
    edit: &text::TextEdit,
) -> Option<text::TextEdit> {
    let line_end = if text.ends_with("\r\n") { "\r\n" } else { "\n" };
    let start = text.strip_suffix(line_end)?.len() as u32;
    let lines = edit.new_text.strip_suffix(line_end)?;
    let is_alone = edits.iter().all(|it| it == edit || it.range.end < start);
    let is_behind = edit.range.start as usize == text.len();
    (is_behind && is_alone).then(|| text::TextEdit::insert(start, format!("{line_end}{lines}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{TextEdit, TextRange, apply_edits};

    #[track_caller]
    fn check(text: &str, edits: &[TextEdit], expected: Option<(u32, &str)>) {
        let last = edits.last().expect("there is an edit");
        let moved = before_last_line_end(text, edits, last);
        assert_eq!(moved, expected.map(|(at, new)| TextEdit::insert(at, new)));
        if let Some(moved) = moved {
            let all = [&edits[..edits.len() - 1], &[moved]].concat();
            assert_eq!(apply_edits(text, &all), apply_edits(text, edits));
        }
    }

    #[test]
    fn lines_after_the_last_line_are_inserted_before_its_line_end() {
        let add = |at, lines: &str| TextEdit::insert(at, lines);
        check("a: 1\n", &[add(5, "b: 2\n")], Some((4, "\nb: 2")));
        check("a: 1\r\n", &[add(6, "b: 2\r\n")], Some((4, "\r\nb: 2")));
        check(
            "a: 1\n",
            &[TextEdit::delete(TextRange::new(0, 1)), add(5, "b: 2\n")],
            Some((4, "\nb: 2")),
        );
        check("", &[add(0, "b: 2\n")], None);
        check("a: 1", &[add(4, "\nb: 2\n")], None);
        check("a: 1\n", &[add(0, "b: 2\n")], None);
        check("a: 1\n", &[add(5, "b")], None);
        // The last line goes, and its line end with it.
        check("a: 1\nc: 1\n", &[TextEdit::delete(TextRange::new(5, 10)), add(10, "b: 2\n")], None);
    }
}
