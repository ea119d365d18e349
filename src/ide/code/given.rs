//! Where code sets a class parameter: `class { … }` wins over data.

use std::sync::Arc;

use crate::code::summary::{OpenClasses, known_as};
use crate::config::Environment;
use crate::data::{Files as _, Place};
use crate::ide::hover::markup::code;
use crate::ide::perspective::Perspective;
use crate::ide::searched_code::{holds_word, names_class};
use crate::syntax::puppet::{Attribute, Call, CalledName, DeclarationKind};
use crate::text::TextRange;
use crate::world::World;

/// An attribute of `class { … }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ide) struct Given {
    /// The file.
    pub(in crate::ide) path: Arc<str>,
    /// The range of the attribute's name.
    pub(in crate::ide) range: TextRange,
    /// Whether it is `*`, with a hash that may set anything.
    pub(in crate::ide) is_hash: bool,
    /// Whether it is, or may be, also for another class: one title has several names, or the body of `default:` has it.
    pub(in crate::ide) is_shared: bool,
    /// Whether it sets nothing: its value is `undef`, or the class has another attribute of this name. Puppet refuses it all the
    /// same if the class has no such parameter.
    pub(in crate::ide) is_idle: bool,
}

/// The maximum number of places that are named where code sets a parameter.
const MAX_PLACES: usize = 3;

/// Where code sets a parameter, or may set it, for a hover: it is not known which declaration of a class comes first.
pub(in crate::ide) fn note(
    perspective: &Perspective,
    class: &str,
    parameter: &str,
) -> Option<String> {
    let environment = perspective.evaluator.environment();
    let given = given_values(&perspective.world, environment, class, parameter);
    let given = given.into_iter().filter(|it| !it.is_idle);
    let given = given.map(|it| (it.path, it.range)).collect::<Vec<_>>();
    let (set, given) = if given.is_empty() {
        // Stdlib has a call that could create a class and hardly ever does. A note about it at each parameter would hide the
        // notes that matter.
        let given = perhaps_given(&perspective.world, environment, class, parameter);
        let given = given.into_iter().filter(|(.., is_certain)| *is_certain);
        ("May be set", given.map(|(path, range, _)| (path, range)).collect())
    } else {
        ("Set", given)
    };
    let place = |(path, range): &(Arc<str>, TextRange)| {
        let place = Place { file: perspective.world.id(path), range: *range };
        code(&perspective.shown_place(place))
    };
    let places: Vec<_> = given.iter().take(MAX_PLACES).map(place).collect();
    let more = if given.len() > MAX_PLACES { ", …" } else { "" };
    (!places.is_empty()).then(|| {
        format!(
            "{set} in {}{more}: if that code declares the class, its value wins over data.",
            places.join(", ")
        )
    })
}

/// Whether code sets the parameter of the class in some place, or may set it.
pub(in crate::ide) fn may_be_given(
    world: &World,
    environment: &Environment,
    class: &str,
    parameter: &str,
) -> bool {
    given_values(world, environment, class, parameter).iter().any(|it| !it.is_idle)
        || !perhaps_given(world, environment, class, parameter).is_empty()
}

/// The places that declare classes whose names are not constant, and may set the parameter: `class { $name: … }` and
/// `create_resources('class', …)`. Each with whether it certainly declares classes: `create_resources($type, …)` may not.
fn perhaps_given(
    world: &World,
    environment: &Environment,
    class: &str,
    parameter: &str,
) -> Vec<(Arc<str>, TextRange, bool)> {
    let index = world.code_index(environment);
    let mut found = Vec::new();
    for (path, summary) in index.files() {
        let sets = |it: &&OpenClasses| it.given.iter().any(|it| [parameter, "*"].contains(&&**it));
        for declaration in summary.open_classes.iter().filter(sets) {
            let Ok(text) = world.text(path) else { continue };
            if may_name(declaration.range.slice(&text), class, parameter) {
                found.push((path.clone(), declaration.range, declaration.is_certain));
            }
        }
    }
    found
}

/// Whether the text of a declaration may set the parameter of the class. It cannot if its second argument is a hash without
/// variables and calls, and it does not name both.
fn may_name(declaration: &str, class: &str, parameter: &str) -> bool {
    let second = declaration.split_once(',').map_or("", |(_, it)| it.trim_start());
    let is_written_out = second.starts_with('{') && !second.contains(['$', '(']);
    !is_written_out
        || holds_word(declaration, parameter) && names_class(&declaration.to_lowercase(), class)
}

/// The attributes that name `parameter` of `class`, or may set it, in the order of the files.
pub(in crate::ide) fn given_values(
    world: &World,
    environment: &Environment,
    class: &str,
    parameter: &str,
) -> Vec<Given> {
    let index = world.code_index(environment);
    let is_class = |it: &CalledName| *known_as(DeclarationKind::Class, &it.text) == *class;
    let is_of_class = |it: &&Call| it.function == "class" && it.names.iter().any(is_class);
    let mut found = Vec::new();
    for (path, summary) in index.files() {
        // The index shows which files name the class, so that the others need not be parsed.
        if !summary.included.iter().any(|it| *it.name == *class) {
            continue;
        }
        let Some(file) = world.code_file(path) else { continue };
        for call in file.manifest.calls.iter().filter(is_of_class) {
            let is_named = |it: &&Attribute| [parameter, "*"].contains(&&*it.name.text);
            let is_for_others =
                |it: &Call| it.is_dynamic || it.names.iter().any(|name| !is_class(name));
            let is_beside = |it: &&Call| it.function_range == call.function_range;
            let is_shared = |attribute: &Attribute| {
                let mut beside = file.manifest.calls.iter().filter(is_beside);
                is_for_others(call) || attribute.is_default && beside.any(is_for_others)
            };
            found.extend(call.attributes.iter().filter(is_named).map(|it| Given {
                path: path.clone(),
                range: it.name.range,
                is_hash: it.name.text == "*",
                is_shared: is_shared(it),
                is_idle: it.is_undef || it.is_overridden,
            }));
        }
    }
    found
}
