//! The rules of a file of Puppet code. Most files have nothing that a rule asks about, which the index of the code tells.

use std::sync::Arc;

use crate::code::{CodeIndex, CodeSummary};
use crate::ide::diagnostics::Report;
use crate::ide::diagnostics::code::{
    broken_code, default_type_mismatch, duplicate_class, lookup_default_hides,
    lookup_type_mismatch, lookup_without_data, missing_required_parameter,
};
use crate::ide::diagnostics::shared::code_context::CodeContext;
use crate::ide::diagnostics::suppression::control;
use crate::syntax::puppet::DeclarationKind;
use crate::world::World;

/// Checks the file at `path` if Puppet loads code from it.
pub(crate) fn check(world: &Arc<World>, path: &str, report: &mut Report) {
    let Some(environment) = world.environment_of(path) else { return };
    let index = world.code_index(&environment);
    let Some(summary) = index.summary(path) else { return };
    let has_duplicates = has_duplicates(&index, summary);
    let wants_defaults =
        summary.has_typed_defaults && control::asks_for(world, &default_type_mismatch::RULE);
    let wants_required =
        !summary.included.is_empty() && control::asks_for(world, &missing_required_parameter::RULE);
    let is_quiet = summary.keys.is_empty() && !has_duplicates && !wants_defaults && !wants_required;
    if !summary.is_broken && is_quiet {
        return;
    }
    let Some(code) = CodeContext::new(world, &environment, &index, path) else { return };
    broken_code::check(&code, report);
    if !summary.is_broken {
        lookup_without_data::check(&code, report);
        lookup_default_hides::check(&code, report);
        lookup_type_mismatch::check(&code, report);
        if wants_defaults {
            default_type_mismatch::check(&code, report);
        }
        if wants_required || !summary.keys.is_empty() {
            missing_required_parameter::check(&code, report);
        }
        if has_duplicates {
            duplicate_class::check(&code, report);
        }
    }
}

fn has_duplicates(index: &CodeIndex, summary: &CodeSummary) -> bool {
    let mut classes = summary.declared.iter().filter(|it| it.kind == DeclarationKind::Class);
    classes.any(|it| index.declared(it.kind, &it.name).len() > 1)
}
