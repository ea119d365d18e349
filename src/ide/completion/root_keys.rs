//! Root keys of a data file: those of other files, parameters of classes, and the prefixes of modules' keys.

use std::collections::HashSet;

use super::line::Spot;
use super::{Completion, CompletionKind, Completions, MAX_ITEMS, Place, parameters};
use crate::data::DataFile;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::matching::{best, fit};
use crate::syntax::key_path;

/// The suggestions for the place; `module` is the module whose layer reads the file.
pub(super) fn complete(
    place: &Place<'_>,
    spot: &Spot,
    data: &DataFile,
    module: Option<&str>,
) -> Completions {
    let typed = place.typed(spot.start);
    // The key at the cursor is being typed, so it does not count as a key that is already there.
    let here: HashSet<String> = data
        .root_keys()
        .into_iter()
        .filter(|known| !known.key.touches(place.offset))
        .map(|known| known.text.into_owned())
        .collect();
    let environment = place.perspective.evaluator.environment();
    let mut keys = place.perspective.world.all_keys(environment);
    let prefix = module.map(|module| format!("{module}::"));
    let may_stand = |key: &str| {
        let is_own = prefix.as_ref().is_none_or(|prefix| key.starts_with(&**prefix));
        is_own && key != LOOKUP_OPTIONS && !here.contains(key)
    };
    // The half-typed key is suggested only if another file has it, too.
    let index = place.perspective.world.key_index(environment);
    let is_known = |key: &str| {
        key != typed || index.places(key).iter().any(|found| &*found.path != place.path)
    };
    let parameters = parameters::missing(place, spot, &may_stand);
    let is_parameter: HashSet<&str> = parameters.iter().map(|it| &*it.label).collect();
    keys.retain(|key| {
        fit(key, typed).is_some()
            && may_stand(key)
            && is_known(key)
            && !is_parameter.contains(&**key)
    });
    let best = best(keys, typed, MAX_ITEMS + 1, place.cancel);
    let keys = place.keys(spot, CompletionKind::Key, best.iter().map(|key| &**key));
    let keys = keys
        .into_iter()
        .chain(parameters)
        .map(|item| Completion { key: key_path::quote_segment(&item.label), ..item });
    let modules: Vec<String> = match prefix {
        Some(prefix) => vec![prefix],
        None => environment.modules.keys().map(|name| format!("{name}::")).collect(),
    };
    let is_new = |name: &&String| !typed.starts_with(&***name);
    let modules =
        place.keys(spot, CompletionKind::Module, modules.iter().filter(is_new).map(String::as_str));
    // The rest of the key is still to be typed, so no colon follows the name.
    let modules = modules.into_iter().map(|item| Completion { insert: item.label.clone(), ..item });
    let options = Some(LOOKUP_OPTIONS).filter(|name| !here.contains(*name));
    let options = place.keys(spot, CompletionKind::Option, options.into_iter());
    options.into_iter().chain(modules).chain(keys).collect()
}
