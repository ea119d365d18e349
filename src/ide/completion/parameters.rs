//! Suggestions from class parameters: those that a file does not set yet, and the values that their types allow.

use super::line::{Part, Spot};
use super::{Completion, CompletionKind, Place};
use crate::data::puppet_type::{Shape, Type};
use crate::data::{Format, Value, inspect};
use crate::ide::class_parameter::ClassParameter;
use crate::ide::flow_yaml::flow_text;
use crate::ide::matching::fit;
use crate::ide::parameter_type::ParameterType;
use crate::syntax::puppet::DeclarationKind;

/// The maximum number of classes, and of parameters whose types are read.
const MAX_CLASSES: usize = 200;
const MAX_TYPES: usize = 200;

/// The keys of class parameters that match the typed text and `may_stand` there, each with the start of its value.
pub(super) fn missing(
    place: &Place<'_>,
    spot: &Spot,
    may_stand: &dyn Fn(&str) -> bool,
) -> Vec<Completion> {
    let world = &place.perspective.world;
    let environment = place.perspective.evaluator.environment();
    let with_shape = |(number, (item, parameter)): (usize, (Completion, ClassParameter))| {
        // Each type must be evaluated, so only the first items show the start of their value.
        let is_wanted = number < MAX_TYPES;
        let allowed = is_wanted.then(|| ParameterType::of(world, environment, &parameter));
        with_shape(place, item, allowed.flatten().as_ref().map(|it| &it.of_values))
    };
    keys(place, spot, may_stand).into_iter().enumerate().map(with_shape).collect()
}

/// The same without values. The typed text must contain a module: `module::`.
pub(super) fn keys(
    place: &Place<'_>,
    spot: &Spot,
    may_stand: &dyn Fn(&str) -> bool,
) -> Vec<(Completion, ClassParameter)> {
    let typed = place.typed(spot.start);
    let Some((module, _)) = typed.split_once("::") else { return Vec::new() };
    let world = &place.perspective.world;
    let environment = place.perspective.evaluator.environment();
    let classes = world.code_index(environment).names(DeclarationKind::Class);
    let is_meant = |class: &str| {
        let is_of_module = class.split("::").next() == Some(module);
        is_of_module && (typed.starts_with(&format!("{class}::")) || fit(class, typed).is_some())
    };
    let mut found = Vec::new();
    for class in classes.iter().filter(|it| is_meant(it)).take(MAX_CLASSES) {
        if place.cancel.is_cancelled() {
            break;
        }
        for parameter in ClassParameter::of_class(world, environment, class) {
            let name = format!("{class}::{}", parameter.name());
            if !may_stand(&name) {
                continue;
            }
            let mut items = place.keys(spot, CompletionKind::Key, std::iter::once(&*name));
            let Some(item) = items.pop() else { continue };
            let item = Completion { detail: Some(parameter.brief()), ..item };
            found.push((item, parameter));
        }
    }
    found
}

/// The item; if nothing follows it, it also inserts the start of the value that the type requires.
fn with_shape(place: &Place<'_>, item: Completion, allowed: Option<&Type>) -> Completion {
    let rest = place.behind(item.range).lines().next().unwrap_or_default();
    let may_follow = |_: &&Type| {
        place.format == Format::Yaml && rest.trim().is_empty() && item.insert.ends_with(':')
    };
    let Some(allowed) = allowed.filter(may_follow) else {
        return item;
    };
    let (begin, behind) = match allowed.shape() {
        Shape::Scalar => return item,
        Shape::List => ("\n  - ".to_owned(), String::new()),
        Shape::Hash(members) => {
            let mut members = members.into_iter();
            let first = members.next().map_or(String::new(), |it| format!("{}: ", flow_text(&it)));
            let others = members.map(|it| format!("\n  {}: ", flow_text(&it)));
            (format!("\n  {first}"), others.collect())
        }
    };
    Completion { insert: item.insert + &begin, insert_behind: behind, ..item }
}

/// The members that the type of the parameter at this place names.
pub(super) fn members(place: &Place<'_>, spot: &Spot) -> Vec<Completion> {
    let mut names = Vec::new();
    with_type(place, spot, |allowed| {
        let at_place = at_positions(vec![allowed.clone()], &spot.items);
        names.extend(at_place.iter().flat_map(Type::member_names));
    });
    place.keys(spot, CompletionKind::Key, names.iter().map(String::as_str))
}

/// The values that the type of the parameter at this place names: `Enum`, `Boolean`, strings.
pub(super) fn values(place: &Place<'_>, spot: &Spot) -> Vec<Completion> {
    let Some(begin) = spot.before_value else { return Vec::new() };
    let mut found: Vec<Value> = Vec::new();
    with_type(place, spot, |allowed| {
        let here = if spot.part == Part::Key && spot.items.is_empty() {
            // The `-` of the item may not be typed yet.
            allowed.items()
        } else {
            at_positions(vec![allowed.clone()], &spot.items)
        };
        found.extend(here.iter().flat_map(Type::choices));
    });
    let (range, typed) = (place.word(spot.start), place.typed(spot.start));
    let item = |(number, value): (usize, Value)| {
        let text = inspect::to_s(&value);
        let written = place.written(spot, &value, &text)?;
        fit(&text, typed).is_some().then(|| Completion {
            insert: format!("{begin}{written}"),
            detail: Some("by its type".to_owned()),
            // `!` comes before all letters, so the values of the type are at the start of the list.
            sort_text: Some(format!("!{number:03}")),
            // Lists would show an empty label as an empty line.
            ..Completion::new(
                if text.is_empty() { "''" } else { &text },
                CompletionKind::Value,
                range,
            )
        })
    };
    found.into_iter().enumerate().filter_map(item).collect()
}

/// The types of the items at the place, if they depend on the position in a list.
pub(super) fn by_position(place: &Place<'_>, spot: &Spot) -> Option<Vec<Type>> {
    let mut found = Vec::new();
    let mut goes_by_position = false;
    with_type(place, spot, |allowed| {
        let mut types = vec![allowed.clone()];
        for position in &spot.items {
            goes_by_position |= types.iter().any(Type::goes_by_position);
            types = at_positions(types, &[*position]);
        }
        found.extend(types);
    });
    goes_by_position.then_some(found)
}

/// The types of the items at the positions, one list inside another.
fn at_positions(types: Vec<Type>, positions: &[usize]) -> Vec<Type> {
    positions
        .iter()
        .fold(types, |types, position| types.iter().flat_map(|it| it.item(*position)).collect())
}

/// Passes on each type that a value at the place can have, if it belongs to a class parameter.
fn with_type(place: &Place<'_>, spot: &Spot, mut take: impl FnMut(&Type)) {
    let Some((key, steps)) = spot.steps.split_first() else { return };
    let world = &place.perspective.world;
    let environment = place.perspective.evaluator.environment();
    let parameter = ClassParameter::of_key(world, environment, key);
    let allowed = parameter.and_then(|it| ParameterType::of(world, environment, &it));
    let Some(allowed) = allowed else { return };
    let mut types = vec![allowed.of_values];
    for step in steps {
        types = types.iter().flat_map(|it| it.member(step)).collect();
    }
    types.iter().for_each(&mut take);
}
