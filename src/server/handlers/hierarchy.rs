//! `hiera/hierarchy`: the levels that lookups for a node search, with their files.

use serde::Serialize;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{Location, Uri};

use crate::config::hiera_yaml::LayerKind;
use crate::ide::{self, Hierarchy, HierarchyFile, HierarchyLayer, HierarchyLevel, Role};
use crate::server::context::Context;
use crate::server::preview_proto::{QuestionParams, location, unknown_node};
use crate::server::to_proto;

#[derive(Debug, Clone, Serialize)]
pub(in crate::server) struct HierarchyItem {
    node: String,
    environment: String,
    key: Option<String>,
    merge: Option<String>,
    layers: Vec<LayerItem>,
}

#[derive(Debug, Clone, Serialize)]
struct LayerItem {
    kind: &'static str,
    module: Option<String>,
    config: Option<Location>,
    error: Option<String>,
    levels: Vec<LevelItem>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct LevelItem {
    name: String,
    location: Option<Location>,
    function: String,
    opaque: bool,
    is_default: bool,
    files: Vec<FileItem>,
}

#[derive(Debug, Clone, Serialize)]
struct FileItem {
    label: String,
    uri: Option<Uri>,
    exists: bool,
    template: String,
    key: Option<KeyItem>,
}

#[derive(Debug, Clone, Serialize)]
struct KeyItem {
    location: Location,
    part: &'static str,
}

/// Handles the request: the hierarchy for a node, with the files that have a key.
pub(in crate::server) fn hierarchy(
    context: &Context,
    params: QuestionParams,
) -> Result<Option<HierarchyItem>> {
    let question = params.question(context);

    let hierarchy = ide::hierarchy(&context.world, &question, &context.cancel);

    let hierarchy = hierarchy.map_err(|error| unknown_node(&error))?;
    Ok(hierarchy.map(|hierarchy| item(context, hierarchy)))
}

fn item(context: &Context, hierarchy: Hierarchy) -> HierarchyItem {
    HierarchyItem {
        node: hierarchy.node.to_string(),
        environment: hierarchy.environment.to_string(),
        key: hierarchy.key,
        merge: hierarchy.merge,
        layers: hierarchy.layers.into_iter().map(|layer| layer_item(context, layer)).collect(),
    }
}

fn layer_item(context: &Context, layer: HierarchyLayer) -> LayerItem {
    LayerItem {
        kind: match layer.kind {
            LayerKind::Global => "global",
            LayerKind::Environment => "environment",
            LayerKind::Module => "module",
        },
        module: layer.module.map(|module| module.to_string()),
        config: layer.config.and_then(|place| location(context, place)),
        error: layer.error,
        levels: layer.levels.into_iter().map(|level| level_item(context, level)).collect(),
    }
}

fn level_item(context: &Context, level: HierarchyLevel) -> LevelItem {
    LevelItem {
        name: level.name.to_string(),
        location: level.place.and_then(|place| location(context, place)),
        function: level.function.to_string(),
        opaque: level.is_opaque,
        is_default: level.is_default,
        files: level.files.into_iter().map(|file| file_item(context, file)).collect(),
    }
}

fn file_item(context: &Context, file: HierarchyFile) -> FileItem {
    let key = file.key.and_then(|(place, part)| {
        let part = match part {
            Role::Wins => "wins",
            Role::Contributes => "contributes",
            Role::Overridden => "overridden",
            Role::KnockedOut => "knocked-out",
            Role::Opaque => "opaque",
            Role::Open => "open",
        };
        Some(KeyItem { location: location(context, place)?, part })
    });
    FileItem {
        label: file.label,
        uri: file.path.map(|path| to_proto::uri(context, &path)),
        exists: file.exists,
        template: file.template.to_string(),
        key,
    }
}
