//! Hover on a variable in `%{…}`: what it expands to for the active node.

use super::markdown::fenced_yaml;
use super::markup::{Markup, code};
use crate::data::Located;
use crate::data::render;
use crate::engine::{dig_alone, main_belongs_to_no_module};
use crate::facts::variable::VARIABLES_OF_HIERA_3;
use crate::facts::{Basis, Origin, Reading, is_set_by_server};
use crate::ide::perspective::Perspective;
use crate::syntax::interpolation;
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::world::VariableSource;

/// The hover of the variable `name`, sub keys included.
pub(super) fn text(perspective: &Perspective, name: &str) -> String {
    let evaluator = &perspective.evaluator;
    let node = evaluator.node();
    let shown = perspective.shown_variable(name);
    let title = format!("**{}** for {}\n\n", code(shown), perspective.asked_for().markdown());
    let Ok(path) = key_path::parse(name) else {
        return format!("{title}Not a valid name: Puppet refuses the whole string.");
    };
    let Some(root) = path.root_name() else {
        return format!("{title}A variable's name cannot be a number.");
    };
    let unqualified = root.strip_prefix("::").unwrap_or(root);
    if let Some(value) = main_belongs_to_no_module(unqualified).filter(|_| path.rest.is_empty()) {
        let shown = fenced_yaml(&render::to_readable_yaml(&value.value), 1);
        return format!(
            "{title}{shown}\nHiera reads it in the top scope, which belongs to no module. For the parameters and the code of a \
             class, it belongs to the module of the class"
        );
    }
    let value = match node.read(&path) {
        Reading::Open(variable) => return title + &open_text(perspective, name, &variable),
        Reading::Unset if path.rest.is_empty() => {
            return title + &undefined_text(perspective, root);
        }
        Reading::Unset => None,
        Reading::Known(value, rest) => match dig_alone(shown, &rest, &value) {
            Ok(found) => found,
            Err(failure) => {
                let message = Markup::Markdown.block("text", &failure.message);
                let shown = code(shown);
                return format!("{title}A lookup that reads {shown} fails:\n\n{message}");
            }
        },
    };
    // Puppet does not warn about a missing member of a hash, even if it is strict.
    let Some(value) = value else {
        let missing = format!("{} has no such member: Puppet uses an empty string.", code(root));
        return title + &missing;
    };
    let max_lines = perspective.world.settings().hover_max_lines as usize;
    let shown = perspective.without_secrets(&value);
    let mut text = title + &fenced_yaml(&render::to_readable_yaml(&shown), max_lines);
    match &node.origin {
        Origin::File(_) if is_usual_server_version(perspective, root, &path, &value) => {
            text += "\nThe usual version of a server for the setting `puppetVersion`. A fact set or `serverFacts` can name another";
        }
        Origin::File(file) => {
            let source = perspective.world.variable_source(node, &path);
            text += &source.map_or_else(String::new, |it| source_text(perspective, file, it));
        }
        Origin::Name | Origin::Any => {
            text += match node.basis_of(&path) {
                Some(Basis::Proved) => "\nFollows from the node's name",
                Some(Basis::Path) => "\nFollows from the path of this file",
                Some(Basis::Set) | None => "\nSet for this view",
            };
        }
    }
    if shown.as_str().is_some_and(interpolation::may_have_tokens) {
        text += "\n\nThe text is interpolated again.";
    }
    text
}

/// Where a variable of a node with a fact set comes from.
fn source_text(perspective: &Perspective, facts: &str, source: VariableSource) -> String {
    let said = match source {
        VariableSource::FactSet => format!("From {}", code(&perspective.shown_path(facts))),
        VariableSource::Settings => "From the settings".to_owned(),
        VariableSource::Environment => "The name of the environment".to_owned(),
        VariableSource::MainClass => "Hiera reads it in the class `main`".to_owned(),
        VariableSource::Name => "Follows from the node's name".to_owned(),
        VariableSource::Assumed => "Puppet's usual value: the fact set does not say it".to_owned(),
    };
    format!("\n{said}")
}

/// Whether the value is the server's version, as hiera-ls assumes it where no fact set and no setting names one.
fn is_usual_server_version(
    perspective: &Perspective,
    root: &str,
    path: &KeyPath,
    value: &Located,
) -> bool {
    let is_version = match root.strip_prefix("::").unwrap_or(root) {
        "serverversion" => true,
        "server_facts" => {
            matches!(&*path.rest, [Segment::Name(name)] if &**name == "serverversion")
        }
        _ => false,
    };
    is_version
        && value.value.as_str() == Some(perspective.evaluator.version().usual_server_version())
}

/// The text about a variable that is not known, and how to make it known: the setting that has it, which depends on its
/// canonical name `variable`.
fn open_text(perspective: &Perspective, written: &str, variable: &str) -> String {
    let shown = code(perspective.shown_variable(written));
    if variable.starts_with("settings::") {
        return format!(
            "Not known: Puppet sets {shown} from the settings of the machine that it runs on."
        );
    }
    if is_set_by_server(variable.strip_prefix("server_facts.").unwrap_or(variable)) {
        return format!(
            "Not known: {shown} depends on the server that compiles the catalog. The setting `serverFacts` can make it known."
        );
    }
    let root = variable.split('.').next().unwrap_or(variable);
    // No node has it, whatever its facts are.
    if root.contains("::") || VARIABLES_OF_HIERA_3.contains(&root) {
        return undefined_text(perspective, root);
    }
    let nodes = perspective.world.nodes(perspective.evaluator.environment());
    let hint = match variable {
        // Fact sets rarely have these two.
        "environment" => "The setting `environment` can make it known.",
        _ if root == "server_facts" => "The setting `serverFacts` can make it known.",
        _ if nodes.iter().any(|node| node.is_complete()) => {
            "Choose a node with a fact set to see a value."
        }
        "trusted.certname" | "trusted.hostname" | "trusted.domain" => {
            "Choose a node to see a value, for example with the setting `node`."
        }
        _ if root == "trusted" => "A fact set or the setting `trusted` can make it known.",
        _ => "A fact set, or the setting `node_name` or `variables`, can make it known.",
    };
    format!("Not known: {shown} depends on the node. {hint}")
}

fn undefined_text(perspective: &Perspective, root: &str) -> String {
    let evaluator = &perspective.evaluator;
    let name = code(perspective.shown_variable(root));
    let unqualified = root.strip_prefix("::").unwrap_or(root);
    if unqualified.contains("::") {
        return format!("{name} belongs to a class: it exists once the class is evaluated.");
    }
    let (world, environment) = (&perspective.world, evaluator.environment());
    if world.code_variables(environment).may_set(unqualified) {
        let manifests = world.main_manifests(environment);
        let mut assigning = manifests.iter().filter(|it| it.file.manifest.assigns(unqualified));
        let place = assigning.next().map_or_else(String::new, |it| {
            format!(" {} assigns it.", code(&perspective.shown_path(&it.path)))
        });
        return format!("Not known: hiera-ls does not evaluate code.{place}");
    }
    let end = if evaluator.version().has_strict_variables() {
        "the lookup fails."
    } else {
        "Puppet uses an empty string and warns."
    };
    if VARIABLES_OF_HIERA_3.contains(&root) {
        return format!(
            "In a global layer of version 3, {name} depends on the class that calls, and is empty outside of classes. Elsewhere, \
             nothing defines it: {end}"
        );
    }
    format!("Nothing defines {name}: {end}")
}
