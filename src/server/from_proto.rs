//! Converts types of the protocol to our types: URIs to paths, positions to offsets. It makes no decisions.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp_server::ls_types::{
    Position, Range, TextDocumentContentChangeEvent, TextDocumentPositionParams, Uri,
};

use super::context::Context;
use crate::limits::MAX_PATH_BYTES;
use crate::text::{BufferEdit, LineCol, TextRange};
use crate::world::FileEntry;
use crate::world::paths;

/// The path of a `file:` URI, in the form that the rest of the program uses; `None` for other URIs.
///
/// All of `file:///c%3A/x`, `file:///C:/x` and `file://localhost/c:/x` mean `c:/x`; a host becomes `//host/…`.
pub(super) fn path(uri: &Uri) -> Option<String> {
    path_of(uri.as_str())
}

/// The file and the byte offset in it that a request is about. `None` if there is no such file.
pub(super) fn place(
    context: &Context,
    params: &TextDocumentPositionParams,
) -> Option<(Arc<FileEntry>, u32)> {
    let file = context.world.file(&path(&params.text_document.uri)?).ok()?;
    let at = line_col(params.position);
    let offset = file.line_index().offset(&file.text, at, context.encoding);
    Some((file, offset))
}

/// The file that a request is about. `None` if there is no such file.
pub(super) fn file(context: &Context, uri: &Uri) -> Option<Arc<FileEntry>> {
    context.world.file(&path(uri)?).ok()
}

/// The byte offset of a position.
pub(super) fn offset(context: &Context, file: &FileEntry, position: Position) -> u32 {
    file.line_index().offset(&file.text, line_col(position), context.encoding)
}

/// A range of a file in bytes, the right way round.
pub(super) fn range(context: &Context, file: &FileEntry, range: Range) -> TextRange {
    let (start, end) = (offset(context, file, range.start), offset(context, file, range.end));
    // A client may get the order of the two ends wrong.
    TextRange::new(start.min(end), start.max(end))
}

/// Converts the edits of a `didChange`.
pub(super) fn buffer_edits(changes: Vec<TextDocumentContentChangeEvent>) -> Vec<BufferEdit> {
    let edit = |change: TextDocumentContentChangeEvent| BufferEdit {
        range: change.range.map(|range| (line_col(range.start), line_col(range.end))),
        new_text: change.text,
    };
    changes.into_iter().map(edit).collect()
}

/// Escapes characters that a URI must not contain, such as spaces, brackets and umlauts, in all URIs of a message. Some
/// editors send them, and the protocol library would refuse the whole message.
pub(super) fn repair_uris(message: &mut Value) {
    match message {
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(uri) if is_uri_name(name) => {
                        if let Some(repaired) = repaired_uri(uri) {
                            *uri = repaired;
                        }
                    }
                    member => repair_uris(member),
                }
            }
        }
        Value::Array(members) => members.iter_mut().for_each(repair_uris),
        _ => {}
    }
}

fn line_col(position: Position) -> LineCol {
    LineCol { line: position.line, col: position.character }
}

fn path_of(uri: &str) -> Option<String> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    // A `?` in a file's name is escaped in a URI, so this one starts a query.
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (host, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/')?),
        None => ("", rest),
    };
    // The limit comes before the path is normalized and kept, because clients may send any length.
    let path = percent_decoded(path).filter(|path| path.len() <= MAX_PATH_BYTES)?;
    // No operating system accepts a null byte in a path.
    if !path.starts_with('/') || path.contains('\0') {
        return None;
    }
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return Some(paths::normalise(&format!("//{}{path}", percent_decoded(host)?)));
    }
    let after_slash = path.trim_start_matches('/');
    let has_drive = matches!(after_slash.as_bytes(),
        [drive, b':', rest @ ..] if drive.is_ascii_alphabetic() && matches!(rest, [] | [b'/', ..]));
    // One slash, because a path that starts with two would name a host.
    let path = if has_drive { after_slash.to_owned() } else { format!("/{after_slash}") };
    Some(paths::normalise(&path))
}

/// Decodes `%41` to `A`; `None` if the result is not UTF-8.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match (byte, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                bytes.push((digit(*high)? * 16 + digit(*low)?) as u8);
                rest = tail;
            }
            _ => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).ok()
}

fn is_uri_name(name: &str) -> bool {
    matches!(name, "uri" | "rootUri" | "oldUri" | "newUri" | "targetUri" | "scopeUri")
}

fn repaired_uri(uri: &str) -> Option<String> {
    let is_fine = |at: usize, byte: u8| match byte {
        // A `%` that does not start an escape is escaped itself.
        b'%' => {
            matches!(&uri.as_bytes()[at + 1..], [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
        }
        b'[' | b']' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => false,
        _ => byte.is_ascii_graphic(),
    };
    let bytes = || uri.bytes().enumerate();
    if bytes().all(|(at, byte)| is_fine(at, byte)) {
        return None;
    }
    let mut repaired = String::with_capacity(uri.len() + 8);
    for (at, byte) in bytes() {
        if is_fine(at, byte) {
            repaired.push(char::from(byte));
        } else {
            super::to_proto::push_escaped(&mut repaired, byte);
        }
    }
    Some(repaired)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(uri: &str, expected: Option<&str>) {
        assert_eq!(path_of(uri).as_deref(), expected);
    }

    #[test]
    fn unix_paths() {
        check("file:///etc/hiera.yaml", Some("/etc/hiera.yaml"));
        check("file://localhost/etc/hiera.yaml", Some("/etc/hiera.yaml"));
        check("FILE:///etc/hiera.yaml", Some("/etc/hiera.yaml"));
        check("file:/etc/hiera.yaml", Some("/etc/hiera.yaml"));
        check("file:///etc//x/../hiera.yaml", Some("/etc/hiera.yaml"));
        check("file:///etc/data/", Some("/etc/data"));
    }

    #[test]
    fn windows_paths_in_all_spellings() {
        check("file:///c%3A/x/y.yaml", Some("c:/x/y.yaml"));
        check("file:///C:/x/y.yaml", Some("c:/x/y.yaml"));
        check("file:///c:/x/y.yaml", Some("c:/x/y.yaml"));
        check("file:///C%3a/x/y.yaml", Some("c:/x/y.yaml"));
        check("file://server/share/y.yaml", Some("//server/share/y.yaml"));
    }

    #[test]
    fn escapes_are_decoded() {
        check("file:///a%20b/%C3%A4%F0%9F%98%80.yaml", Some("/a b/ä😀.yaml"));
        check("file:///a%23b%3Fc%25.yaml", Some("/a#b?c%.yaml"));
        check("file:///a.yaml?query#fragment", Some("/a.yaml"));
        check("file:///a+b.yaml", Some("/a+b.yaml"));
    }

    #[test]
    fn what_is_no_file_is_ignored() {
        check("untitled:Untitled-1", None);
        check("git:/x/y.yaml?ref", None);
        check("vscode-notebook-cell:///x/y.ipynb#a", None);
        check("http://example.com/x.yaml", None);
        check("file:", None);
        check("file://", None);
        check("file:///%FF", None);
        check("file:///%zz", None);
        check("file:///a%00b", None);
        check("", None);
    }

    #[track_caller]
    fn check_repair(uri: &str, expected: &str) {
        let mut message =
            json!({"textDocument": {"uri": uri}, "changes": [{"uri": uri}], "text": uri});
        repair_uris(&mut message);
        assert_eq!(message["textDocument"]["uri"], expected);
        assert_eq!(message["changes"][0]["uri"], expected);
        assert_eq!(message["text"], uri);
        assert!(expected.parse::<Uri>().is_ok());
    }

    #[test]
    fn sloppy_uris_are_repaired() {
        check_repair("file:///a b/[ä].yaml", "file:///a%20b/%5B%C3%A4%5D.yaml");
        check_repair("file:///100%.yaml", "file:///100%25.yaml");
        check_repair("file:///a%20b", "file:///a%20b");
    }
}
