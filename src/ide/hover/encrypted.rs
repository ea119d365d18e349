//! Explains why a value stays encrypted although the user chose to see it.

use super::markup::{code, plain};
use crate::backends::eyaml::{DEFAULT_METHOD, Decryption, LevelKeys, blob};
use crate::config::path;
use crate::data::{Located, Value};
use crate::ide::perspective::Perspective;

/// A remark on the value of a key of `module`; `None` if it contains nothing encrypted, or the setting is off.
pub(super) fn note(
    perspective: &Perspective,
    module: Option<&str>,
    value: &Located,
) -> Option<String> {
    // If secrets are hidden anyway, there is nothing to explain.
    if !perspective.reveals() {
        return None;
    }
    let text = first_encrypted(&value.value)?;
    if let Some(method) = blob::blobs(text).iter().find_map(|blob| other_method(blob.method?)) {
        return Some(format!(
            "Stays encrypted: of eyaml's methods, {} is not supported here, only {DEFAULT_METHOD} is.",
            code(method)
        ));
    }
    let problem = key_problem(perspective, module);
    problem.map(|it| format!("Stays encrypted: {it}"))
}

fn other_method(method: &str) -> Option<&str> {
    (!method.eq_ignore_ascii_case(DEFAULT_METHOD)).then_some(method)
}

/// What prevents the first eyaml level from being decrypted.
fn key_problem(perspective: &Perspective, module: Option<&str>) -> Option<String> {
    let Perspective { world, evaluator, .. } = perspective;
    evaluator.find_level(module, |config, level| {
        if *level.function.loaded_name() != *"eyaml_lookup_key" {
            return None;
        }
        let keys = LevelKeys { options: &level.options, directory: path::parent(&config.path) };
        let problem = keys.problem(&world.eyaml(Decryption::AsPuppet), world.as_ref())?;
        Some(format!("level \"{}\": {}", plain(&level.name), plain(&problem.message)))
    })
}

fn first_encrypted(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => blob::is_encrypted(text).then_some(text),
        Value::Array(items) => items.iter().find_map(|item| first_encrypted(&item.value)),
        Value::Hash(hash) => hash.iter().find_map(|(_, it)| first_encrypted(&it.value.value)),
        _ => None,
    }
}
