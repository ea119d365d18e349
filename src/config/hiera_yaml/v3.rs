//! Version 3, the configuration of Hiera 3: one level for each back end, and each level has all paths.

use std::sync::Arc;

use super::ConfigErrorClass;
use super::level::texts_member;
use super::lines::find_second_line;
use super::reader::ConfigReader;
use super::v4::set_if_null;
use super::{
    Function, FunctionKind, HieraYaml, LayerKind, Level, Locations, built_in_backend, schema,
};
use crate::config::path;
use crate::data::{Hash, Located, Place, Value, inspect};

/// Reads a file of version 3, with or without `version`.
pub(super) fn read(
    reader: &mut ConfigReader<'_>,
    mut root: Hash,
    version_place: Option<Place>,
) -> HieraYaml {
    reader.warn_of_old_version(3, version_place);
    let texts = |texts: &[&str]| {
        Value::array(texts.iter().map(|text| Value::string(*text).into()).collect())
    };
    set_if_null(&mut root, "version", || Value::Integer(3));
    set_if_null(&mut root, "backends", || texts(&["yaml"]));
    set_if_null(&mut root, "hierarchy", || texts(&["nodes/%{::trusted.certname}", "common"]));
    set_if_null(&mut root, "merge_behavior", || Value::string("native"));
    set_if_null(&mut root, "deep_merge_options", || Value::hash(Hash::new()));
    let backends = texts_member(&root, "backends");
    let names: Vec<&str> = backends.iter().filter_map(|it| it.value.as_str()).collect();
    let is_valid = schema::check_version_3(reader, &schema::whole(&root), &names);
    // In the other layers, Puppet ignores or refuses version 3 before it looks at the back ends.
    if is_valid && reader.layer == LayerKind::Global {
        check_backends(reader, &root, &backends);
    }
    let default_datadir = default_datadir(reader.path);
    HieraYaml {
        version: 3,
        path: reader.path.into(),
        exists: true,
        text: Arc::clone(reader.text),
        hierarchy: backends.iter().map(|it| read_backend(it, &root, &default_datadir)).collect(),
        default_datadir,
        default_hierarchy: Vec::new(),
        plan_hierarchy: Vec::new(),
        declares_default_hierarchy: false,
    }
}

/// The `hieradata` directory of the environments beside the file, which is usually in the code directory.
fn default_datadir(hiera_yaml: &str) -> Located {
    let directory = match path::parent(hiera_yaml) {
        "/etc/puppetlabs/puppet" => "/etc/puppetlabs/code",
        "/etc/puppet" => "/etc/puppet/code",
        other => other,
    };
    let template = "environments/%{::environment}/hieradata";
    Value::string(path::join(directory, template)).unplaced()
}

fn check_backends(reader: &mut ConfigReader<'_>, root: &Hash, backends: &[Located]) {
    let mut seen: Vec<&str> = Vec::new();
    for backend in backends {
        let name = backend.value.as_str().unwrap_or_default();
        if seen.contains(&name) {
            let expression = format!(r"[^\w]{name}(?:[^\w]|$)");
            let (line, first) = find_second_line(reader.text, &expression);
            let first =
                first.map_or(String::new(), |line| format!(" First defined at (line: {line})"));
            let message = format!("Backend '{name}' is defined more than once.{first}");
            reader.fail(&message, line, backend.place);
        }
        seen.push(name);
        if let Some(datadir) = own_datadir(root, name).filter(|it| it.value.as_str().is_none()) {
            let class = ruby_class(&datadir.value);
            let message = format!("no implicit conversion of {class} into String");
            reader.crash(ConfigErrorClass::Ruby("TypeError"), message, datadir.place);
        }
    }
}

fn read_backend(backend: &Located, root: &Hash, default_datadir: &Located) -> Level {
    let name = backend.value.as_str().unwrap_or_default();
    let own = root.get(name).and_then(|it| it.value.value.as_hash());
    let extension = own.and_then(|own| own.get("extension"));
    let extension = match extension.filter(|it| it.value.value != Value::Undef) {
        Some(member) => format!(".{}", inspect::to_s(&member.value.value)),
        None => format!(".{}", built_in_backend(name).map_or(name, |(_, _, extension)| extension)),
    };
    // Puppet passes the settings of a back end only to eyaml. The functions for the other formats refuse options.
    let options = own.filter(|_| name == "eyaml").cloned().map(|mut own| {
        own.remove(&Value::string("datadir"));
        Arc::new(own)
    });
    Level {
        name: name.into(),
        name_place: backend.place,
        place: backend.place,
        function: Function { place: backend.place, ..function_of(name) },
        options,
        datadir: own_datadir(root, name).unwrap_or(default_datadir).clone(),
        extension: Some(extension.into()),
        locations: Locations::Paths(texts_member(root, "hierarchy")),
    }
}

fn own_datadir<'h>(root: &'h Hash, backend: &str) -> Option<&'h Located> {
    let own = root.get(backend)?.value.value.as_hash()?;
    own.get("datadir").map(|it| &it.value).filter(|it| it.value.is_truthy())
}

fn ruby_class(value: &Value) -> &'static str {
    match value {
        Value::Boolean(_) => "true",
        Value::Integer(_) | Value::BigInteger(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        Value::Symbol(_) => "Symbol",
        _ => "Object",
    }
}

/// The back ends that were part of Hiera 3 have become functions; others need Hiera 3 itself.
fn function_of(backend: &str) -> Function {
    let (kind, name) = match built_in_backend(backend) {
        Some((kind, name, _)) => (kind, name),
        None => (FunctionKind::Hiera3Backend, backend),
    };
    Function { kind, name: name.into(), place: None }
}
