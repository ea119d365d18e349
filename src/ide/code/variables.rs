//! Variables in code, and those that are named with their class before them: `$app::port`.

use crate::code::file::language_of;
use crate::data::Files as _;
use crate::syntax::puppet::{self, Names, VariableUse};
use crate::text::TextRange;
use crate::world::World;

/// Where a file of code names variables and classes.
pub(in crate::ide) fn names_of(world: &World, path: &str) -> Option<Names> {
    let text = world.text(path).ok()?;
    Some(puppet::names(&text, language_of(path)))
}

/// The variables in a file of code that are called one of `qualified`: the variable `name` of `class`, by the name of the class
/// or of one that inherits it.
pub(in crate::ide) fn qualified_variables<'n>(
    text: &str,
    names: &'n Names,
    qualified: &[String],
    (class, name): (&str, &str),
) -> Vec<&'n VariableUse> {
    let is_it = |it: &&VariableUse| {
        let written = it.name.strip_prefix("::").unwrap_or(&it.name);
        qualified.iter().any(|it| it == written) && !is_of_lambda(text, names, it, class, name)
    };
    names.variables.iter().filter(is_it).collect()
}

/// Whether a variable with the name of its class before it is one of a lambda in that class if it is called `last`. Puppet
/// takes the lambda's variable of this name, even with the name of an heir of `class` before it. It does the same in defaults
/// of the class's own parameters, because they are not set yet.
pub(in crate::ide) fn is_of_lambda(
    text: &str,
    names: &Names,
    variable: &VariableUse,
    class: &str,
    last: &str,
) -> bool {
    let name = variable.name.strip_prefix("::").unwrap_or(&variable.name);
    let Some((before, _)) = name.rsplit_once("::") else { return false };
    let takes_lambdas = names.class_around(variable.scope).is_some_and(|range| {
        let around = range.slice(text);
        around == before && (around != class || names.is_in_default(range, variable.range))
    });
    takes_lambdas && names.declaration_of(variable.scope, last).is_none()
}

/// Where the name of a variable is, without the names of classes before it.
pub(in crate::ide) fn last_segment(variable: &VariableUse, name: &str) -> TextRange {
    TextRange::new(variable.range.end - name.len() as u32, variable.range.end)
}
