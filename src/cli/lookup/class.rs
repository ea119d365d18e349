//! `hiera-ls lookup --class`: all parameters of a class with the values that they get when it is included.

use std::process::ExitCode;

use indexmap::IndexSet;

use super::arguments::{DEPENDS, RenderAs};
use super::class_output::{self, BoundClass, Origins};
use super::output::complain_of_open;
use super::setup::Setup;
use crate::binding::{Binder, refused_values};
use crate::cli::print;
use crate::cli::terminal::complain;
use crate::engine::CancelToken;
use crate::facts::ClassifiedClass;
use crate::ide::diagnostics::near_key;
use crate::syntax::puppet::DeclarationKind;

/// Prints the parameters of the classes.
pub(super) fn run(
    setup: &Setup,
    classes: &[String],
    render_as: Option<RenderAs>,
) -> Result<ExitCode, String> {
    let environment = setup.evaluator.environment();
    let (world, cancel) = (setup.world(), CancelToken::default());
    let aliases = world.type_aliases(environment);
    // Puppet binds parameters only in catalogs, where code may have set variables.
    let evaluator = setup.fresh_evaluator();
    let of_code = world.code_scopes(environment).of_node(evaluator.node());
    let evaluator = evaluator.with_code_variables(of_code);
    let binder = Binder { evaluator: &evaluator, aliases: &aliases, cancel: &cancel };
    let mut all = Vec::new();
    for name in classes {
        let found = world.class_code(environment, name);
        let class = found.ok_or_else(|| {
            let label = world.environment_label(environment);
            let classes = world.code_index(environment).names(DeclarationKind::Class);
            let meant = near_key(name, classes.iter().map(|it| &**it));
            let meant = meant.map_or_else(String::new, |it| format!("; did you mean {it}?"));
            format!("there is no class {name} in {label}{meant}")
        })?;
        let classified = evaluator.node().classes().iter().find(|it| it.name == class.name);
        let given = classified.map(ClassifiedClass::given_names).unwrap_or_default();
        let refused = classified.map(|it| refused_values(&class, it, &aliases)).unwrap_or_default();
        let mut bindings = binder.bind_class(&class);
        // Puppet does not look these up.
        bindings.retain(|it| !given.iter().any(|name| **name == *it.name));
        all.push(BoundClass { class, bindings, given, refused });
    }
    for warning in evaluator.config_warnings() {
        complain(&format!("warning: {warning}"));
    }
    let render_as = render_as.unwrap_or(RenderAs::Table);
    // The records for programs name them.
    if matches!(render_as, RenderAs::Table | RenderAs::S) {
        let open: IndexSet<_> = all.iter().flat_map(BoundClass::left_in_texts).cloned().collect();
        complain_of_open(&open.into_iter().collect::<Vec<_>>());
    }
    let node = &setup.evaluator.node().name;
    let files = setup.files().as_ref();
    let from = Origins { files, directory: environment.directory() };
    print(&match render_as {
        RenderAs::Table | RenderAs::S => class_output::table(&all, node, files),
        RenderAs::Json => class_output::json(&all, node, from),
        RenderAs::Yaml => class_output::yaml(&all, node, from),
        RenderAs::Jsonl => class_output::json_lines(&all, node, from),
    });
    // A refusal is certain, so it counts more than what depends on facts.
    Ok(if all.iter().any(|it| it.refusal().is_some()) {
        ExitCode::FAILURE
    } else if all.iter().flat_map(|it| &it.bindings).any(|it| !it.is_certain()) {
        ExitCode::from(DEPENDS)
    } else {
        ExitCode::SUCCESS
    })
}
