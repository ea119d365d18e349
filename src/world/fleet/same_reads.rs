//! Whether two lookups certainly end alike although open texts decide what they find, such as which items of a list are equal:
//! both read the same data, in the same order and with the same options.

use super::difference::has_same_cases;
use crate::engine::cases::pairs::Lookups;
use crate::engine::sources::Source;
use crate::engine::{Answer, Request};

/// Whether nodes certainly get the same from both answers, although only the texts in a value decide what that is. The lookups are
/// done again, to record what they read.
pub(super) fn are_alike(before: &Answer, after: &Answer, lookups: Lookups<'_>) -> bool {
    let is_of_values = |it: &Answer| it.left_out.iter().all(|it| it.level.is_none());
    let are_of_values = is_of_values(before) && is_of_values(after);
    // What decides may come from lookup_options, which sources do not include.
    if !are_of_values
        || before.left_out != after.left_out
        || has_same_cases(before, after) != Some(true)
    {
        return false;
    }
    let request = Request {
        wants_footprint: true,
        wants_sources: true,
        only_from: None,
        ..lookups.request.clone()
    };
    let (before, after) = (lookups.before.call(&request), lookups.after.call(&request));
    // A function may have read anything.
    let is_known = before.footprint.as_ref().is_some_and(|it| it.roots().is_some());
    is_known && before.footprint == after.footprint && have_same_sources(&before, &after)
}

/// Whether the values come from the same files in the same layers, case by case.
fn have_same_sources(before: &Answer, after: &Answer) -> bool {
    let is_same = |one: &Source, other: &Source| {
        one.path == other.path
            && one.layer == other.layer
            && one.module == other.module
            && one.is_default == other.is_default
            && one.role == other.role
    };
    let are_same = |one: &[Source], other: &[Source]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
    };
    before.case_by_case(after).is_some_and(|cases| {
        cases.into_iter().all(|(one, other)| are_same(&one.sources, &other.sources))
    })
}
