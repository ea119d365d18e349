//! The classes of a node in its preview, with the values of their parameters.

use super::LineKind;
use super::entry::without_result;
use super::page::Page;
use crate::binding::{Binder, Binding, Bound, BoundCase, Verdict};
use crate::code::ClassCode;
use crate::data::{Files as _, Place, render};
use crate::engine::cases::in_words;
use crate::engine::{CancelToken, Source};
use crate::ide::perspective::Perspective;
use crate::world::NodeClass;
use crate::world::node_classes::{CodePlace, RefusedCode};

/// Longer values are truncated here: they are shown completely below, with their keys.
const MAX_VALUE: usize = 60;

/// Writes the certain and possible classes of the node: missing parameters come first, then those that Puppet refuses for
/// other reasons.
pub(super) fn write(perspective: &Perspective, page: &mut Page, cancel: &CancelToken) {
    let evaluator = &perspective.evaluator;
    let in_catalogs = perspective.in_catalogs();
    let found = perspective.world.node_classes(&in_catalogs);
    let classes = &found.classes;
    if classes.is_empty() && found.refused.is_none() {
        return;
    }
    let aliases = perspective.world.type_aliases(evaluator.environment());
    let binder = Binder { evaluator: &in_catalogs, aliases: &aliases, cancel };
    // All classes are bound before anything is written, so a cancelled request leaves no half of the section.
    let mut bound = Vec::new();
    for class in classes {
        if cancel.is_cancelled() {
            return;
        }
        let bindings = class.code.as_ref().map(|it| binder.bind_class(it)).unwrap_or_default();
        bound.push((class, bindings));
    }
    page.plain("");
    page.comment("== classes ==", LineKind::Header, None);
    if let Some(refused) = &found.refused {
        write_refused_code(perspective, page, "not known", refused);
    }
    for (class, refused) in found.with_refusals() {
        if let Some(refused) = refused {
            let what = if class.is_certain { "no catalog" } else { "perhaps no catalog" };
            write_refused_code(perspective, page, what, &refused);
        }
    }
    for (class, bindings) in &bound {
        // The node may not have a class that is only possible, so nothing fails for certain.
        let Some(code) = class.code.as_ref().filter(|_| class.is_certain) else { continue };
        for binding in bindings {
            write_refusals(perspective, page, code, (class, binding));
        }
    }
    for (class, bindings) in &bound {
        write_class(perspective, page, class);
        for binding in bindings {
            if let Some(code) = &class.code {
                write_binding(perspective, page, code, (class, binding));
            }
        }
    }
}

fn write_refused_code(
    perspective: &Perspective,
    page: &mut Page,
    what: &str,
    refused: &RefusedCode,
) {
    let RefusedCode { place: CodePlace { path, range }, message } = refused;
    let place = Place { file: perspective.world.id(path), range: *range };
    let shown = perspective.shown_place(place);
    let line = format!("{what}: Puppet refuses {shown}: {message}");
    page.comment(&line, LineKind::Error, Some(place));
}

fn write_refusals(
    perspective: &Perspective,
    page: &mut Page,
    code: &ClassCode,
    (class, binding): (&NodeClass, &Binding),
) {
    // A value that code gives counts instead of the data.
    if class.may_be_given(&binding.name) {
        return;
    }
    for (index, case) in binding.cases.iter().enumerate() {
        let Some(message) = case.verdict.message(&binding.name) else { continue };
        let when = when(binding, case);
        let kind = match case.verdict {
            Verdict::Missing => "missing",
            _ => "refused",
        };
        let place = data_place(binding, index)
            .or_else(|| Some(parameter_place(perspective, code, binding)));
        let note = format!("{kind}{when}: {}: {message}", code.key_of(&binding.name));
        page.comment(&note, LineKind::Error, place);
    }
}

fn write_class(perspective: &Perspective, page: &mut Page, class: &NodeClass) {
    let world = &perspective.world;
    let at = Place { file: world.id(&class.included_at.path), range: class.included_at.range };
    let perhaps = if class.is_certain { "" } else { "perhaps " };
    let missing = if class.code.is_some() { "" } else { ", which is not here" };
    let title = format!(
        "-- {perhaps}class {}{missing}, included in {} --",
        class.name,
        perspective.shown_place(at)
    );
    page.comment(&title, LineKind::Header, Some(at));
}

fn write_binding(
    perspective: &Perspective,
    page: &mut Page,
    code: &ClassCode,
    (class, binding): (&NodeClass, &Binding),
) {
    let otherwise = if class.may_be_given(&binding.name) { ", unless code sets it" } else { "" };
    for (index, case) in binding.cases.iter().enumerate() {
        let place = data_place(binding, index);
        let shown = match &case.bound {
            Bound::Data(value) => {
                let value = cut(&render::to_json(&perspective.without_secrets(value)));
                match place {
                    Some(place) => format!("{value} from {}", perspective.shown_place(place)),
                    None => value,
                }
            }
            Bound::Default(value) => format!("{} by default", cut(&render::to_json(value))),
            Bound::Computed => "computed by code".to_owned(),
            Bound::Nothing => "missing".to_owned(),
            Bound::Failed(failure) => {
                format!("{}: {}", without_result(failure), failure.message)
            }
        };
        let line = format!("  {}{}: {shown}{otherwise}", binding.name, when(binding, case));
        let place = place.or_else(|| Some(parameter_place(perspective, code, binding)));
        let kind = if case.verdict.is_refused() { LineKind::Error } else { LineKind::Header };
        page.comment(&line, kind, place);
    }
}

/// ` if role is web`, if there are several cases.
fn when(binding: &Binding, case: &BoundCase) -> String {
    match (binding.cases.len(), case.conditions.as_slice()) {
        (1, _) => String::new(),
        (_, []) => " otherwise".to_owned(),
        (_, conditions) => format!(" if {}", in_words(conditions)),
    }
}

/// Where the first source with a part in the value is written.
fn data_place(binding: &Binding, case: usize) -> Option<Place> {
    let mut sources = binding.answer_of(case).sources.iter().filter(|it| it.counts());
    sources.find_map(Source::shown_place)
}

fn parameter_place(perspective: &Perspective, code: &ClassCode, binding: &Binding) -> Place {
    Place { file: perspective.world.id(&code.path), range: binding.name_range }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
