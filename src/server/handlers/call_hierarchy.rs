//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `callHierarchy/outgoingCalls`

use serde::{Deserialize, Serialize};
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
    SymbolKind,
};

use crate::ide::{self, CallItem};
use crate::server::context::Context;
use crate::server::{from_proto, to_proto};
use crate::text::TextRange;

/// The data of an item. It names the key, because positions change with edits.
#[derive(Debug, Serialize, Deserialize)]
struct ItemData {
    path: String,
    key: String,
}

/// Returns the keys under the cursor.
pub(in crate::server) fn prepare_call_hierarchy(
    context: &Context,
    params: CallHierarchyPrepareParams,
) -> Option<Vec<CallHierarchyItem>> {
    let (file, offset) = from_proto::place(context, &params.text_document_position_params)?;

    let items = ide::call_items(&context.world, &file.path, offset, &context.cancel);

    let items: Vec<_> = items.iter().filter_map(|it| item(context, it)).collect();
    (!items.is_empty()).then_some(items)
}

/// Returns the keys that interpolate the key of an item.
pub(in crate::server) fn incoming_calls(
    context: &Context,
    params: CallHierarchyIncomingCallsParams,
) -> Option<Vec<CallHierarchyIncomingCall>> {
    let data = data_of(params.item)?;

    let calls = ide::callers(&context.world, &data.path, &data.key, &context.cancel);

    let call = |call: crate::ide::Call| {
        let from_ranges = ranges(context, &call.item.path, &call.ranges)?;
        Some(CallHierarchyIncomingCall { from: item(context, &call.item)?, from_ranges })
    };
    Some(calls.into_iter().filter_map(call).collect())
}

/// Returns the keys that the key of an item interpolates.
pub(in crate::server) fn outgoing_calls(
    context: &Context,
    params: CallHierarchyOutgoingCallsParams,
) -> Option<Vec<CallHierarchyOutgoingCall>> {
    let data = data_of(params.item)?;

    let calls = ide::called(&context.world, &data.path, &data.key, &context.cancel);

    let call = |call: crate::ide::Call| {
        let from_ranges = ranges(context, &data.path, &call.ranges)?;
        Some(CallHierarchyOutgoingCall { to: item(context, &call.item)?, from_ranges })
    };
    Some(calls.into_iter().filter_map(call).collect())
}

fn item(context: &Context, item: &CallItem) -> Option<CallHierarchyItem> {
    let file = context.world.file(&item.path).ok()?;
    let data = ItemData { path: item.path.to_string(), key: item.key.clone() };
    Some(CallHierarchyItem {
        name: item.key.clone(),
        kind: SymbolKind::KEY,
        tags: None,
        detail: Some(item.container.clone()),
        uri: to_proto::uri(context, &item.path),
        range: to_proto::range(context, &file, item.full_range),
        selection_range: to_proto::range(context, &file, item.focus_range),
        data: serde_json::to_value(data).ok(),
    })
}

fn data_of(item: CallHierarchyItem) -> Option<ItemData> {
    serde_json::from_value(item.data?).ok()
}

fn ranges(context: &Context, path: &str, ranges: &[TextRange]) -> Option<Vec<Range>> {
    let file = context.world.file(path).ok()?;
    Some(ranges.iter().map(|range| to_proto::range(context, &file, *range)).collect())
}
