//! How a merge strategy goes through its sources: locations of a level, levels of a layer, the three layers.

use super::invocation::{Found, Invocation};
use super::merge::{Merge, Strategy};
use super::trace::{Outcome, TraceKind};
use crate::data::Located;

/// Searches the sources in order of priority and combines their values.
///
/// First-found stops at the first value. Every other strategy searches all sources. The type of a single source is not
/// checked. If there are several sources, the first value is converted even if no other source has the key.
pub(crate) fn merge_sources<'a, S>(
    invocation: &mut Invocation<'a>,
    merge: &Merge,
    sources: &[S],
    mut ask: impl FnMut(&mut Invocation<'a>, &S) -> Found,
) -> Found {
    if merge.is_first_found() {
        return first_found(invocation, sources, ask);
    }
    if let [only] = sources {
        let found = ask(invocation, only)?;
        if let Some(value) = found.as_ref().filter(|_| merge.strategy() == Strategy::Unique) {
            invocation.note_undecided_list(&value.value);
        }
        return Ok(found.map(|value| merge.merge_single(value)));
    }
    if sources.is_empty() {
        return Ok(None);
    }
    let kind =
        || TraceKind::Merge { strategy: merge.name(), options: merge.options_without_strategy() };
    invocation.within(kind, |invocation| {
        let mut merged: Option<Located> = None;
        for (number, source) in sources.iter().enumerate() {
            let found = ask(invocation, source);
            // The sources of a failed lookup include the levels below the one that fails.
            if found.is_err() {
                survey(invocation, &sources[number + 1..], &mut ask);
            }
            let Some(value) = found? else { continue };
            if merged.is_none() {
                invocation.note_first_of_merge(&value.value);
            }
            if let Some(higher) = &merged {
                invocation.note_undecided_merge(merge, &higher.value, &value.value);
            }
            merged = Some(match merged {
                None => merge.convert_first(value),
                Some(higher) => {
                    let (higher, value) = if invocation.is_traced() {
                        merge.with_copied_receiver(higher, value)
                    } else {
                        (higher, value)
                    };
                    let both = merge.merge(higher, value);
                    if both.is_err() {
                        survey(invocation, &sources[number + 1..], &mut ask);
                    }
                    both?
                }
            });
        }
        if let Some(value) = &merged {
            invocation.report(|| Outcome::Result(value.clone()));
        }
        Ok(merged)
    })
}

/// Other levels that have the key are searched for only if the request needs them.
fn first_found<'a, S>(
    invocation: &mut Invocation<'a>,
    sources: &[S],
    mut ask: impl FnMut(&mut Invocation<'a>, &S) -> Found,
) -> Found {
    for (number, source) in sources.iter().enumerate() {
        let found = ask(invocation, source);
        if !matches!(found, Ok(None)) {
            survey(invocation, &sources[number + 1..], &mut ask);
            return found;
        }
    }
    Ok(None)
}

/// Finds which other levels have the key, if the request needs them.
fn survey<'a, S>(
    invocation: &mut Invocation<'a>,
    sources: &[S],
    ask: &mut impl FnMut(&mut Invocation<'a>, &S) -> Found,
) {
    invocation.survey(|invocation| {
        for source in sources {
            let _ = ask(invocation, source);
        }
    });
}
