//! Version 4, from the first previews of Hiera 4 and 5: back ends instead of functions, paths without extensions.

use std::collections::HashSet;
use std::sync::Arc;

use super::level::{text_member, texts_member};
use super::lines::find_line;
use super::reader::ConfigReader;
use super::{
    Function, FunctionKind, HieraYaml, LayerKind, Level, Locations, ProblemSubject,
    data_hash_backend, schema, v5,
};
use crate::data::{Hash, Located, Place, Value};
use crate::limits::MAX_LEVEL_NAME_CLASHES;

/// Reads a file whose `version` is 4.
pub(super) fn read(
    reader: &mut ConfigReader<'_>,
    mut root: Hash,
    version_place: Option<Place>,
) -> HieraYaml {
    reader.warn_of_old_version(4, version_place);
    set_if_null(&mut root, "datadir", || Value::string("data"));
    set_if_null(&mut root, "hierarchy", || {
        let mut common = Hash::new();
        common.insert(Value::string("name"), None, Value::string("common").into());
        common.insert(Value::string("backend"), None, Value::string("yaml").into());
        Value::array(vec![Value::hash(common).into()])
    });
    let is_valid = schema::check_version_4(reader, &schema::whole(&root));
    let default_datadir = text_member(&root, "datadir")
        .map_or_else(|| Value::string("data").unplaced(), |it| it.value.clone());
    let items = root.get("hierarchy").and_then(|it| it.value.value.as_array()).unwrap_or_default();
    if is_valid && reader.layer == LayerKind::Global {
        let message = "hiera.yaml version 4 cannot be used in the global layer";
        reader.fail(message, None, version_place);
        reader.is_about(ProblemSubject::Version);
    } else if is_valid {
        check_levels(reader, items);
    }
    HieraYaml {
        version: 4,
        path: reader.path.into(),
        exists: true,
        text: Arc::clone(reader.text),
        hierarchy: items.iter().filter_map(|item| read_level(item, &default_datadir)).collect(),
        default_datadir,
        default_hierarchy: Vec::new(),
        plan_hierarchy: Vec::new(),
        declares_default_hierarchy: false,
    }
}

/// Ruby's `||=` on a member: `key:` without a value, or `false`, counts as missing.
pub(super) fn set_if_null(root: &mut Hash, key: &str, value: impl FnOnce() -> Value) {
    if root.get(key).is_none_or(|it| !it.value.value.is_truthy()) {
        let place = root.get(key).and_then(|it| it.key_place);
        root.insert(Value::string(key), place, value().unplaced());
    }
}

fn check_levels(reader: &mut ConfigReader<'_>, levels: &[Located]) {
    let mut seen = HashSet::<&str>::new();
    let mut clashes = 0;
    for members in levels.iter().filter_map(|it| it.value.as_hash()) {
        let Some(name) = text_member(members, "name") else { continue };
        let Some(text) = name.value.value.as_str() else { continue };
        if !seen.insert(text) && clashes < MAX_LEVEL_NAME_CLASHES {
            clashes += 1;
            v5::multiply_defined(reader, text, name.value.place);
        }
        let Some(backend) = text_member(members, "backend") else { continue };
        let text = backend.value.value.as_str().unwrap_or_default();
        if data_hash_backend(text).is_none() {
            let message = format!("No data provider is registered for backend '{text}'");
            let line = find_line(reader.text, &format!(r"[^\w]{text}(?:[^\w]|$)"), 1);
            reader.fail(&message, line, backend.value.place);
        }
    }
}

fn read_level(item: &Located, default_datadir: &Located) -> Option<Level> {
    let members = item.value.as_hash()?;
    let name = text_member(members, "name");
    let backend = text_member(members, "backend");
    let backend_name = backend.and_then(|it| it.value.value.as_str()).unwrap_or("yaml");
    let paths = match members.get("paths") {
        Some(_) => texts_member(members, "paths"),
        None => {
            // In version 4, a level without a path uses its name as the path.
            text_member(members, "path").or(name).map(|it| it.value.clone()).into_iter().collect()
        }
    };
    Some(Level {
        name: name.and_then(|it| it.value.value.as_str()).unwrap_or_default().into(),
        name_place: name.and_then(|it| it.value.place),
        place: item.place,
        function: Function {
            kind: FunctionKind::DataHash,
            name: format!("{backend_name}_data").into(),
            place: backend.and_then(|it| it.value.place),
        },
        options: None,
        datadir: text_member(members, "datadir")
            .map_or_else(|| default_datadir.clone(), |it| it.value.clone()),
        extension: data_hash_backend(backend_name)
            .map(|(_, extension)| format!(".{extension}").into()),
        locations: Locations::Paths(paths),
    })
}
