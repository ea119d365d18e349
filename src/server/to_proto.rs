//! Converts our types to those of the protocol: paths to URIs, byte ranges to positions, plain data to LSP types.

use std::fmt::Write as _;

use tower_lsp_server::ls_types::{
    CodeDescription, CompletionItem, CompletionItemKind, CompletionTextEdit, Diagnostic,
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Hover, HoverContents,
    InsertTextFormat, InsertTextMode, Location, LocationLink, MarkupContent, MarkupKind,
    NumberOrString, Position, Range, SymbolInformation, SymbolKind, TextEdit, Uri,
};

use super::context::Context;
use crate::facts::formats::FactsProblem;
use crate::ide;
use crate::ide::diagnostics::Tag;
use crate::settings::SettingsProblem;
use crate::text::TextRange;
use crate::world::FileEntry;

/// The source of a diagnostic, as editors show it.
const DIAGNOSTIC_SOURCE: &str = "hiera";

/// The URI of a path: the client's spelling if the file is open, otherwise the spelling that VS Code uses.
pub(super) fn uri(context: &Context, path: &str) -> Uri {
    match context.uris.get(path) {
        Some(uri) => uri.clone(),
        None => uri_of(path).parse().expect("everything that may not stand in a URI is escaped"),
    }
}

/// Converts a byte range of a file.
pub(super) fn range(context: &Context, file: &FileEntry, range: TextRange) -> Range {
    let position = |offset| {
        let at = file.line_index().line_col(&file.text, offset, context.encoding);
        Position { line: at.line, character: at.col }
    };
    Range { start: position(range.start), end: position(range.end) }
}

/// Converts a hover.
pub(super) fn hover(context: &Context, file: &FileEntry, hover: ide::Hover) -> Hover {
    let mut value = hover.markdown;
    if context.client.markdown && context.client.hover_links {
        // From the back to the front, because each link moves the text after it.
        for place in ide::named_places(&context.world, &file.path, &value).into_iter().rev() {
            let target = uri(context, &place.path);
            let link =
                format!("[{}]({}#L{})", &value[place.span.clone()], target.as_str(), place.line);
            value.replace_range(place.span, &link);
        }
    }
    Hover {
        contents: HoverContents::Markup(markup(value, context.client.markdown)),
        range: Some(range(context, file, hover.range)),
    }
}

/// Markdown, or plain text for a client that does not read it.
pub(super) fn markup(markdown: String, is_read: bool) -> MarkupContent {
    if is_read {
        return MarkupContent { kind: MarkupKind::Markdown, value: markdown };
    }
    MarkupContent { kind: MarkupKind::PlainText, value: ide::plain_text_of(&markdown) }
}

/// Converts a place in another file; `None` if the file no longer exists.
pub(super) fn location(context: &Context, target: &ide::Target) -> Option<Location> {
    let file = context.world.file(&target.path).ok()?;
    Some(Location {
        uri: uri(context, &target.path),
        range: range(context, &file, target.focus_range),
    })
}

/// Converts a range of a file; `None` if the file no longer exists.
pub(super) fn place(context: &Context, path: &str, bytes: TextRange) -> Option<Location> {
    let file = context.world.file(path).ok()?;
    Some(Location { uri: uri(context, path), range: range(context, &file, bytes) })
}

/// Converts an outline for clients that do not show nested keys.
#[expect(deprecated, reason = "the type has a field that is")]
pub(super) fn flat_symbols(
    context: &Context,
    file: &FileEntry,
    symbols: &[ide::Symbol],
) -> Vec<SymbolInformation> {
    let uri = uri(context, &file.path);
    let mut flat = Vec::new();
    let mut waiting: Vec<(&ide::Symbol, Option<&str>)> =
        symbols.iter().rev().map(|symbol| (symbol, None)).collect();
    while let Some((symbol, container)) = waiting.pop() {
        flat.push(SymbolInformation {
            name: symbol.name.clone(),
            kind: symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: Location { uri: uri.clone(), range: range(context, file, symbol.range) },
            container_name: container.map(str::to_owned),
        });
        // The stack gives the last item first, so the children are put there in reverse.
        waiting.extend(symbol.children.iter().rev().map(|it| (it, Some(&*symbol.name))));
    }
    flat
}

/// Converts a key that a search found; `None` if its file no longer exists.
#[expect(deprecated, reason = "the type has a field that is")]
pub(super) fn workspace_symbol(
    context: &Context,
    symbol: ide::WorkspaceSymbol,
) -> Option<SymbolInformation> {
    Some(SymbolInformation {
        location: place(context, &symbol.path, symbol.range)?,
        name: symbol.name.to_string(),
        kind: SymbolKind::KEY,
        tags: None,
        deprecated: None,
        container_name: Some(symbol.container),
    })
}

/// Converts the kind of a key's value.
pub(super) fn symbol_kind(kind: ide::SymbolKind) -> SymbolKind {
    match kind {
        ide::SymbolKind::Hash => SymbolKind::OBJECT,
        ide::SymbolKind::List => SymbolKind::ARRAY,
        ide::SymbolKind::Text => SymbolKind::STRING,
        ide::SymbolKind::Number => SymbolKind::NUMBER,
        ide::SymbolKind::Boolean => SymbolKind::BOOLEAN,
        ide::SymbolKind::Null => SymbolKind::NULL,
        ide::SymbolKind::Unknown => SymbolKind::KEY,
    }
}

/// Converts a completion.
pub(super) fn completion(
    context: &Context,
    file: &FileEntry,
    completion: ide::Completion,
) -> CompletionItem {
    let kind = match completion.kind {
        ide::CompletionKind::Key => CompletionItemKind::PROPERTY,
        ide::CompletionKind::Variable => CompletionItemKind::VARIABLE,
        ide::CompletionKind::Function => CompletionItemKind::FUNCTION,
        ide::CompletionKind::Option => CompletionItemKind::FIELD,
        ide::CompletionKind::Value => CompletionItemKind::ENUM_MEMBER,
        ide::CompletionKind::Module => CompletionItemKind::MODULE,
        ide::CompletionKind::Snippet => CompletionItemKind::SNIPPET,
    };
    // Without support for snippets, the cursor could not be placed before the rest of the text.
    let is_snippet = context.client.snippets && !completion.insert_behind.is_empty();
    let new_text = if is_snippet {
        let (before, behind) = (&completion.insert, &completion.insert_behind);
        format!("{}$0{}", escaped_for_snippet(before), escaped_for_snippet(behind))
    } else if completion.kind == ide::CompletionKind::Snippet {
        completion.insert + &completion.insert_behind
    } else {
        completion.insert
    };
    let spans_lines = new_text.contains('\n');
    let edit = TextEdit { range: range(context, file, completion.range), new_text };
    CompletionItem {
        label: completion.label,
        kind: Some(kind),
        detail: completion.detail,
        sort_text: completion.sort_text,
        insert_text_format: is_snippet.then_some(InsertTextFormat::SNIPPET),
        // Without this, some editors keep the lines as they are, at the wrong indentation.
        insert_text_mode: spans_lines.then_some(InsertTextMode::ADJUST_INDENTATION),
        text_edit: Some(CompletionTextEdit::Edit(edit)),
        ..CompletionItem::default()
    }
}

fn escaped_for_snippet(text: &str) -> String {
    // Backslashes come first. Later, they would include those of the other escapes.
    text.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}")
}

/// Converts a link from a range in `origin` to a place in another file; `None` if the file no longer exists.
pub(super) fn location_link(
    context: &Context,
    origin: &FileEntry,
    target: &ide::Target,
) -> Option<LocationLink> {
    let file = context.world.file(&target.path).ok()?;
    Some(LocationLink {
        origin_selection_range: Some(range(context, origin, target.origin_range)),
        target_uri: uri(context, &target.path),
        target_range: range(context, &file, target.full_range),
        target_selection_range: range(context, &file, target.focus_range),
    })
}

/// Converts a diagnostic of `file`.
pub(super) fn diagnostic(
    context: &Context,
    file: &FileEntry,
    diagnostic: ide::Diagnostic,
) -> Diagnostic {
    let severity = match diagnostic.severity {
        ide::Severity::Error => DiagnosticSeverity::ERROR,
        ide::Severity::Warning => DiagnosticSeverity::WARNING,
        ide::Severity::Information => DiagnosticSeverity::INFORMATION,
        ide::Severity::Hint => DiagnosticSeverity::HINT,
    };
    let href = diagnostic.url.filter(|_| context.client.code_description);
    let related: Vec<_> = diagnostic
        .related
        .into_iter()
        .filter(|_| context.client.related_information)
        .filter_map(|related| related_information(context, file, related))
        .collect();
    Diagnostic {
        range: range(context, file, diagnostic.range),
        severity: Some(severity),
        code: Some(NumberOrString::String(diagnostic.code.to_owned())),
        code_description: href
            .and_then(|url| url.parse().ok())
            .map(|href| CodeDescription { href }),
        source: Some(DIAGNOSTIC_SOURCE.to_owned()),
        message: diagnostic.message,
        related_information: (!related.is_empty()).then_some(related),
        tags: tag_of(context, diagnostic.code).map(|tag| vec![tag]),
        data: None,
    }
}

/// Converts the tags of a diagnostic that the client supports.
fn tag_of(context: &Context, code: &str) -> Option<DiagnosticTag> {
    let tag = match ide::diagnostics::rule(code)?.tag? {
        Tag::Unnecessary => DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => DiagnosticTag::DEPRECATED,
    };
    context.client.diagnostic_tags.contains(&tag).then_some(tag)
}

/// The diagnostic about a setting in the settings file of the workspace.
pub(super) fn settings_problem(
    context: &Context,
    file: &FileEntry,
    problem: &SettingsProblem,
) -> Diagnostic {
    let severity =
        if problem.is_warning { DiagnosticSeverity::WARNING } else { DiagnosticSeverity::ERROR };
    Diagnostic {
        range: range(context, file, problem.range),
        severity: Some(severity),
        code: Some(NumberOrString::String("setting".to_owned())),
        source: Some(DIAGNOSTIC_SOURCE.to_owned()),
        message: problem.message.clone(),
        ..Diagnostic::default()
    }
}

/// The diagnostic about a fact set that cannot be read.
pub(super) fn fact_set_problem(
    context: &Context,
    file: &FileEntry,
    problem: &FactsProblem,
) -> Diagnostic {
    Diagnostic {
        range: range(context, file, problem.range),
        severity: Some(DiagnosticSeverity::WARNING),
        code: Some(NumberOrString::String("fact-set".to_owned())),
        source: Some(DIAGNOSTIC_SOURCE.to_owned()),
        message: problem.message.clone(),
        ..Diagnostic::default()
    }
}

fn related_information(
    context: &Context,
    file: &FileEntry,
    related: ide::Related,
) -> Option<DiagnosticRelatedInformation> {
    let location = match &related.path {
        Some(path) => {
            let file = context.world.file(path).ok()?;
            Location { uri: uri(context, path), range: range(context, &file, related.range) }
        }
        None => {
            Location { uri: uri(context, &file.path), range: range(context, file, related.range) }
        }
    };
    Some(DiagnosticRelatedInformation { location, message: related.message })
}

/// Appends `%` and the byte's two digits.
pub(super) fn push_escaped(uri: &mut String, byte: u8) {
    write!(uri, "%{byte:02X}").expect("writing to a string does not fail");
}

fn uri_of(path: &str) -> String {
    let (start, rest) = match path.strip_prefix("//") {
        Some(rest) => ("file://", rest),
        None if path.starts_with('/') => ("file://", path),
        // A path with a drive does not start with a slash.
        None => ("file:///", path),
    };
    let mut uri = String::with_capacity(path.len() + 8);
    uri.push_str(start);
    for byte in rest.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => push_escaped(&mut uri, byte),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::from_proto;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(uri_of(path), expected);
        let uri: Uri = expected.parse().expect("a valid URI");
        assert_eq!(from_proto::path(&uri).as_deref(), Some(path), "the way back");
    }

    #[test]
    fn paths_become_uris_and_come_back() {
        check("/etc/hiera.yaml", "file:///etc/hiera.yaml");
        check("/a b/ä😀.yaml", "file:///a%20b/%C3%A4%F0%9F%98%80.yaml");
        check("/a#b?c%[d].yaml", "file:///a%23b%3Fc%25%5Bd%5D.yaml");
        check("c:/x/y.yaml", "file:///c%3A/x/y.yaml");
        check("//server/share/y.yaml", "file://server/share/y.yaml");
    }
}
