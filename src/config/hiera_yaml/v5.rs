//! Version 5: Puppet's checks in Puppet's order, then the levels.

use std::collections::HashSet;

use super::level::{self, Defaults, LOCATION_KEYS, key_place, text_member};
use super::lines::{find_line, find_second_line};
use super::reader::ConfigReader;
use super::schema;
use super::v4::set_if_null;
use super::{FunctionKind, HieraYaml, LayerKind, Level};
use crate::data::{Hash, Located, Place, Value};
use crate::limits::MAX_LEVEL_NAME_CLASHES;

/// Options that Puppet sets itself.
const RESERVED_OPTIONS: [&str; 2] = ["path", "uri"];

const FUNCTIONS: &str = "data_hash, lookup_key, data_dig, or hiera3_backend";
const LOCATIONS: &str = "path, paths, glob, globs, uri, uris, or mapped_paths";

/// Names that `hiera3_backend` must not have, because there are functions for them.
const BACKENDS_WITH_FUNCTIONS: [&str; 3] = ["json", "yaml", "hocon"];

/// Reads a file whose `version` is 5.
pub(super) fn read(reader: &mut ConfigReader<'_>, mut root: Hash) -> HieraYaml {
    set_if_null(&mut root, "defaults", default_defaults);
    set_if_null(&mut root, "hierarchy", default_hierarchy);
    if schema::check_version_5(reader, &schema::whole(&root)) {
        check(reader, &root);
    }
    let defaults = Defaults::read(member_hash(&root, "defaults").unwrap_or(&Hash::new()));
    let hierarchy = levels(&root, "hierarchy", &defaults);
    let levels_of_defaults = match reader.layer {
        LayerKind::Module => levels(&root, "default_hierarchy", &defaults),
        _ => Vec::new(),
    };
    let plan_hierarchy = levels(&root, "plan_hierarchy", &defaults);
    HieraYaml {
        version: 5,
        path: reader.path.into(),
        exists: true,
        text: reader.text.clone(),
        default_datadir: defaults.datadir,
        hierarchy,
        default_hierarchy: levels_of_defaults,
        plan_hierarchy,
        declares_default_hierarchy: reader.layer == LayerKind::Module
            && root.get("default_hierarchy").is_some(),
    }
}

/// The value of a missing `defaults`. A `defaults` without a function leaves the levels without one.
fn default_defaults() -> Value {
    hash_of_texts(&[("datadir", "data"), ("data_hash", "yaml_data")])
}

/// The value of a missing `hierarchy`, even if the file has `defaults`.
fn default_hierarchy() -> Value {
    Value::array(vec![hash_of_texts(&[("name", "Common"), ("path", "common.yaml")]).into()])
}

fn hash_of_texts(members: &[(&str, &str)]) -> Value {
    let mut hash = Hash::new();
    for (key, text) in members {
        hash.insert(Value::string(*key), None, Value::string(*text).into());
    }
    Value::hash(hash)
}

fn levels(root: &Hash, key: &str, defaults: &Defaults) -> Vec<Level> {
    let items = items(root, key);
    items.iter().filter_map(|item| level::read_level(item, defaults)).collect()
}

fn items<'h>(root: &'h Hash, key: &str) -> &'h [Located] {
    root.get(key).and_then(|it| it.value.value.as_array()).unwrap_or_default()
}

fn member_hash<'h>(root: &'h Hash, key: &str) -> Option<&'h Hash> {
    root.get(key)?.value.value.as_hash()
}

/// Checks a file that matches the schema. Puppet stops at the first error; here the others follow it.
fn check(reader: &mut ConfigReader<'_>, root: &Hash) {
    let Some(defaults) = member_hash(root, "defaults") else { return };
    check_defaults(reader, defaults);
    let has_default_function = function_keys(defaults).next().is_some();
    for key in ["hierarchy", "plan_hierarchy"] {
        check_levels(reader, items(root, key), has_default_function);
    }
    if root.get("default_hierarchy").is_some() {
        if reader.layer == LayerKind::Module {
            check_levels(reader, items(root, "default_hierarchy"), has_default_function);
        } else {
            let line = find_line(reader.text, r"(?:^|\s+)default_hierarchy:", 1);
            let message = "'default_hierarchy' is only allowed in the module layer";
            reader.fail(message, line, key_place(root, "default_hierarchy"));
        }
    }
    // Puppet checks names when it builds the levels, and it builds those of `plan_hierarchy` only for plans.
    check_names(reader, items(root, "hierarchy"));
    if reader.layer == LayerKind::Module {
        check_names(reader, items(root, "default_hierarchy"));
    }
}

fn check_defaults(reader: &mut ConfigReader<'_>, defaults: &Hash) {
    if let Some(second) = function_keys(defaults).nth(1) {
        let message = format!("Only one of {FUNCTIONS} can be defined in defaults");
        reader.fail(&message, None, key_place(defaults, second));
    }
    check_options(reader, defaults, "defaults");
}

fn check_levels(reader: &mut ConfigReader<'_>, levels: &[Located], has_default_function: bool) {
    for members in levels.iter().filter_map(|it| it.value.as_hash()) {
        let name = text_member(members, "name");
        let name_place = name.and_then(|it| it.value.place);
        let name = name.and_then(|it| it.value.value.as_str()).unwrap_or_default();
        let functions: Vec<&str> = function_keys(members).collect();
        match functions.as_slice() {
            [] if !has_default_function => {
                let message = format!("One of {FUNCTIONS} must be defined in hierarchy '{name}'");
                reader.fail(&message, None, name_place);
            }
            [_, second, ..] => {
                let message =
                    format!("Only one of {FUNCTIONS} can be defined in hierarchy '{name}'");
                reader.fail(&message, None, key_place(members, second));
            }
            _ => {}
        }
        check_hiera3_backend(reader, members);
        let mut locations = LOCATION_KEYS.into_iter().filter(|key| members.get(key).is_some());
        if let Some(second) = locations.nth(1) {
            let message = format!("Only one of {LOCATIONS} can be defined in hierarchy '{name}'");
            reader.fail(&message, None, key_place(members, second));
        }
        check_options(reader, members, &format!("hierarchy '{name}'"));
    }
}

fn check_hiera3_backend(reader: &mut ConfigReader<'_>, members: &Hash) {
    let Some(member) = text_member(members, "hiera3_backend") else { return };
    let backend = member.value.value.as_str().unwrap_or_default();
    if reader.layer != LayerKind::Global {
        let line = find_line(reader.text, r"\s+hiera3_backend:", 1);
        let message = "'hiera3_backend' is only allowed in the global layer";
        reader.fail(message, line, member.key_place);
    }
    if BACKENDS_WITH_FUNCTIONS.contains(&backend) {
        let expression = format!(r#"\s+hiera3_backend:\s*['"]?{backend}(?:[^\w]|$)"#);
        let line = find_line(reader.text, &expression, 1);
        let message =
            format!("Use \"data_hash: {backend}_data\" instead of \"hiera3_backend: {backend}\"");
        reader.fail(&message, line, member.value.place);
    }
}

fn check_options(reader: &mut ConfigReader<'_>, members: &Hash, whose: &str) {
    let Some(options) = member_hash(members, "options") else { return };
    for key in RESERVED_OPTIONS {
        if let Some(option) = options.get(key) {
            let message = format!("Option key '{key}' used in {whose} is reserved by Puppet");
            reader.fail(&message, None, option.key_place);
        }
    }
}

fn function_keys(members: &Hash) -> impl Iterator<Item = &'static str> {
    FunctionKind::ALL.map(FunctionKind::key).into_iter().filter(|key| members.get(key).is_some())
}

/// A check that Puppet makes only when it builds the levels: a name must be unique in its hierarchy.
fn check_names(reader: &mut ConfigReader<'_>, levels: &[Located]) {
    let mut seen = HashSet::<&str>::new();
    let mut clashes = 0;
    for members in levels.iter().filter_map(|it| it.value.as_hash()) {
        let Some(name) = text_member(members, "name") else { continue };
        let Some(text) = name.value.value.as_str() else { continue };
        if !seen.insert(text) && clashes < MAX_LEVEL_NAME_CLASHES {
            clashes += 1;
            multiply_defined(reader, text, name.value.place);
        }
    }
}

/// Puppet finds the lines by searching the text, so a name in flow style has none.
pub(super) fn multiply_defined(reader: &mut ConfigReader<'_>, name: &str, place: Option<Place>) {
    let expression = format!(r#"\s+name:\s+['"]?{name}(?:[^\w]|$)"#);
    let (line, first) = find_second_line(reader.text, &expression);
    let first = first.map_or(String::new(), |line| format!(" First defined at (line: {line})"));
    let message = format!("Hierarchy name '{name}' defined more than once.{first}");
    reader.fail(&message, line, place);
}
