//! Hover on a variable in `%{…}`: what it expands to for the active node.

use super::markdown::{code, fenced_yaml};
use crate::data::render;
use crate::facts::node::Origin;
use crate::ide::perspective::Perspective;
use crate::ide::places::dig_value;
use crate::syntax::interpolation;
use crate::syntax::key_path;

/// The hover of the variable `name`, sub keys included.
pub(super) fn text(perspective: &Perspective, name: &str) -> String {
    let evaluator = &perspective.evaluator;
    let node = evaluator.node();
    let title = format!("**{}** for {}\n\n", code(name), perspective.asked_for().markdown());
    let Ok(path) = key_path::parse(name) else {
        return format!("{title}Not a valid name: Puppet refuses the whole string.");
    };
    let Some(root) = path.root_name() else {
        return format!("{title}A variable's name cannot be a number.");
    };
    let Some(variable) = node.variable(root.strip_prefix("::").unwrap_or(root)) else {
        return title + &undefined_text(perspective, root);
    };
    let Some(value) = dig_value(variable, &path.rest) else {
        let missing = format!("{} has no such member: an empty text.", code(root));
        return title + &missing;
    };
    let max_lines = perspective.world.settings().hover_max_lines as usize;
    let shown = perspective.without_secrets(&value);
    let mut text = title + &fenced_yaml(&render::to_yaml(&shown), max_lines);
    if let Origin::File(file) = &node.origin {
        text += "\nFrom ";
        text += &code(&perspective.shown_path(file));
    }
    if shown.as_str().is_some_and(interpolation::may_have_tokens) {
        text += "\n\nThe text is interpolated again.";
    }
    text
}

fn undefined_text(perspective: &Perspective, root: &str) -> String {
    let evaluator = &perspective.evaluator;
    let name = code(root);
    if !evaluator.node().is_complete() {
        return format!("{name} is not known of an inferred node. Taken as an empty text.");
    }
    if root.contains("::") && !root.starts_with("::") {
        return format!("{name} belongs to a class: it exists once the class is evaluated.");
    }
    if evaluator.version().has_strict_variables() {
        format!("Nothing defines {name}: the lookup fails.")
    } else {
        format!("Nothing defines {name}: an empty text, and a warning.")
    }
}
