//! Reads the members of one level, whether or not the whole file is valid.

use std::sync::Arc;

use super::{Function, FunctionKind, Level, Locations};
use crate::data::{Hash, Located, Member, Place, Value};

/// The location keys, in the order in which Puppet looks for them.
pub(crate) const LOCATION_KEYS: [&str; 7] =
    ["path", "paths", "glob", "globs", "uri", "uris", "mapped_paths"];

/// The content of `defaults`.
pub(super) struct Defaults {
    pub(super) function: Option<Function>,
    pub(super) datadir: Located,
    pub(super) options: Option<Arc<Hash>>,
}

impl Defaults {
    /// Reads a `defaults` hash: without a `datadir` it is `data`, without a function there is none.
    pub(super) fn read(defaults: &Hash) -> Self {
        Self {
            function: function_of(defaults),
            datadir: text_member(defaults, "datadir")
                .map_or_else(|| Value::string("data").unplaced(), |it| it.value.clone()),
            options: hash_member(defaults, "options"),
        }
    }
}

/// Reads one item of a hierarchy; `None` if it is not a hash.
pub(super) fn read_level(item: &Located, defaults: &Defaults) -> Option<Level> {
    let members = item.value.as_hash()?;
    let name = text_member(members, "name");
    Some(Level {
        name: name.and_then(|it| it.value.value.as_str()).unwrap_or_default().into(),
        name_place: name.and_then(|it| it.value.place),
        place: item.place,
        // Puppet refuses a level without any function (see `v5::check_levels`). Editors need its other parts nevertheless.
        function: function_of(members)
            .or_else(|| defaults.function.clone())
            .unwrap_or_else(Function::yaml_data),
        options: hash_member(members, "options").or_else(|| defaults.options.clone()),
        datadir: text_member(members, "datadir")
            .map_or_else(|| defaults.datadir.clone(), |it| it.value.clone()),
        extension: None,
        locations: locations_of(members),
    })
}

/// The level of the built-in default: `Common`, `common.yaml`.
pub(super) fn common(datadir: &Located, function: Function, options: Option<Arc<Hash>>) -> Level {
    Level {
        name: "Common".into(),
        name_place: None,
        place: None,
        function,
        options,
        datadir: datadir.clone(),
        extension: None,
        locations: Locations::Paths(vec![Value::string("common.yaml").unplaced()]),
    }
}

fn function_of(members: &Hash) -> Option<Function> {
    FunctionKind::ALL.into_iter().find_map(|kind| {
        let name = text_member(members, kind.key())?;
        Some(Function { kind, name: name.value.value.as_str()?.into(), place: name.value.place })
    })
}

fn locations_of(members: &Hash) -> Locations {
    let Some(key) = LOCATION_KEYS.into_iter().find(|key| members.get(key).is_some()) else {
        return Locations::None;
    };
    let texts = texts_member(members, key);
    match key {
        "path" | "paths" => Locations::Paths(texts),
        "glob" | "globs" => Locations::Globs(texts),
        "uri" | "uris" => Locations::Uris(texts),
        _ => match <[Located; 3]>::try_from(texts) {
            Ok(three) => Locations::MappedPaths(Box::new(three)),
            Err(_) => Locations::None,
        },
    }
}

/// The member if it is a string of at least one character.
pub(super) fn text_member<'h>(members: &'h Hash, key: &str) -> Option<&'h Member> {
    members.get(key).filter(|it| it.value.value.as_str().is_some_and(|text| !text.is_empty()))
}

/// The strings of a member that is a string or a list of strings, at any depth.
pub(super) fn texts_member(members: &Hash, key: &str) -> Vec<Located> {
    let mut texts = Vec::new();
    if let Some(member) = members.get(key) {
        collect_texts(&member.value, &mut texts);
    }
    texts
}

fn collect_texts(it: &Located, texts: &mut Vec<Located>) {
    match &it.value {
        Value::String(_) => texts.push(it.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        _ => {}
    }
}

fn hash_member(members: &Hash, key: &str) -> Option<Arc<Hash>> {
    match &members.get(key)?.value.value {
        Value::Hash(hash) => Some(Arc::clone(hash)),
        _ => None,
    }
}

/// Where the key is written.
pub(super) fn key_place(members: &Hash, key: &str) -> Option<Place> {
    members.get(key)?.key_place
}
