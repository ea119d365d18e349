//! `textDocument/documentSymbol`

use tower_lsp_server::ls_types::{DocumentSymbolParams, DocumentSymbolResponse};

use crate::ide::{self, FilePart, Symbol};
use crate::server::context::Context;
use crate::server::pieces::{Places, Spot, write_list};
use crate::server::raw::Json;
use crate::server::{from_proto, to_proto};
use crate::world::FileEntry;

/// A key of an outline in the form that is sent.
#[derive(Debug)]
pub(in crate::server) struct SymbolPiece {
    /// The name as JSON.
    name: Box<str>,
    kind: Box<str>,
    range: [Spot; 2],
    focus: [Spot; 2],
    children: Box<[Self]>,
}

/// Returns the keys of a file.
pub(in crate::server) fn document_symbol(
    context: &Context,
    params: DocumentSymbolParams,
) -> Option<DocumentSymbolResponse> {
    let file = from_proto::file(context, &params.text_document.uri)?;
    if !context.client.nested_symbols {
        let symbols =
            ide::symbol_parts(&context.world, &file.path, &mut |_| false, &context.cancel);
        return Some(DocumentSymbolResponse::Flat(flat(context, &file, symbols)));
    }

    let placed = context.remembered.symbols.of(
        context,
        &file,
        |known| ide::symbol_parts(&context.world, &file.path, known, &context.cancel),
        |places, symbols| symbols.into_iter().map(|it| piece(places, it)).collect::<Box<[_]>>(),
    );

    let mut json = Json::default();
    json.raw("[");
    write_list(&mut json, &placed, "", |json, line, symbols| {
        symbols.iter().for_each(|symbol| write(json, line, symbol));
    });
    json.raw("]");
    context.raw.set(json);
    // `raw` has the result. What is returned here is not sent.
    None
}

fn flat(
    context: &Context,
    file: &FileEntry,
    parts: Vec<FilePart<Symbol>>,
) -> Vec<tower_lsp_server::ls_types::SymbolInformation> {
    to_proto::flat_symbols(context, file, &crate::ide::joined(parts))
}

fn piece(places: &Places<'_>, symbol: Symbol) -> SymbolPiece {
    SymbolPiece {
        name: Json::of(&symbol.name),
        kind: Json::of(&to_proto::symbol_kind(symbol.kind)),
        range: places.range(symbol.range),
        focus: places.range(symbol.focus_range),
        children: symbol.children.into_iter().map(|child| piece(places, child)).collect(),
    }
}

fn write(json: &mut Json, line: u32, symbol: &SymbolPiece) {
    json.comma().raw(r#"{"name":"#).raw(&symbol.name);
    json.raw(r#","kind":"#).raw(&symbol.kind);
    json.raw(r#","range":"#).range(line, symbol.range);
    json.raw(r#","selectionRange":"#).range(line, symbol.focus);
    if !symbol.children.is_empty() {
        json.raw(r#","children":["#);
        symbol.children.iter().for_each(|child| write(json, line, child));
        json.raw("]");
    }
    json.raw("}");
}
