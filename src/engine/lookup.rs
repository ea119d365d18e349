//! One lookup: its options, its layers in order, its default hierarchy, its conversion.

use std::sync::Arc;

use super::convert_to;
use super::encrypted::Unread;
use super::failure::Failure;
use super::interpolate;
use super::invocation::{Found, Invocation, undef};
use super::key::Key;
use super::layer::Which;
use super::lookup_options;
use super::merge::Merge;
use super::merge_sources::merge_sources;
use super::notes;
use super::sources::SetBy;
use super::trace::{Outcome, TraceKind};
pub(crate) use crate::data::LOOKUP_OPTIONS;
use crate::data::{Located, Value, render};

/// Searches the override hash, then the data, then the hash of default values, as every `lookup()` call does, including those
/// inside `%{…}`.
pub(crate) fn search_with_hashes(
    invocation: &mut Invocation<'_>,
    key: &Arc<str>,
    merge: Option<&Value>,
) -> Found {
    if let Some(member) = invocation.overrides.get(key) {
        return Ok(Some(member.value.clone()));
    }
    if let Some(found) = search(invocation, key, merge)? {
        return Ok(Some(found));
    }
    Ok(invocation.default_values.get(key).map(|member| member.value.clone()))
}

/// A lookup by a function during another lookup.
pub(crate) fn search_from_function(
    invocation: &mut Invocation<'_>,
    key: &Arc<str>,
    merge: Option<&Value>,
) -> Found {
    invocation.budget.enter()?;
    let found = invocation
        .unrecorded(|invocation| interpolate::with_enough_stack(|| search(invocation, key, merge)));
    invocation.budget.leave();
    found
}

/// Searches all layers for a key, with the merge strategy of the call or of lookup_options.
pub(crate) fn search(
    invocation: &mut Invocation<'_>,
    text: &Arc<str>,
    merge: Option<&Value>,
) -> Found {
    invocation.budget.step()?;
    if is_reserved(text) {
        return Ok(invocation.within(|| TraceKind::InvalidKey(LOOKUP_OPTIONS.into()), |_| None));
    }
    let key = Key::parse(text)?;
    let scope = invocation.evaluator.module_scope(key.module());
    invocation.for_key(text, Arc::clone(&scope), |invocation| {
        if invocation.explains_options_only {
            lookup_options::explain_collection(invocation)?;
            return Ok(Some(undef()));
        }
        let of_options = invocation.scope_of_options(&scope);
        let options = invocation.unrecorded(|it| {
            it.without_footprint(|it| lookup_options::for_key(it, &of_options, &key))
        });
        // A lookup that fails because of its options has searched for the key, too.
        invocation.note_key(key.root(), options.as_ref().ok().and_then(Option::as_deref));
        invocation.note_variables_of_options();
        let options = options?;
        let options =
            options.filter(|it| !invocation.depends_on_texts_of_earlier_runs([it.written()]));
        // The argument `merge` of a call hides only the option `merge`, which is then not even checked. `convert_to` still applies.
        let from_options = match &options {
            Some(options) if merge.is_none() => options.merge()?,
            _ => None,
        };
        if from_options.is_some() {
            invocation.within(|| TraceKind::MergeSource, |_| ());
        }
        let given = merge.map(|merge| Merge::of(Some(merge)));
        let merge = given.as_ref().or(from_options);
        let merge = merge.unwrap_or_else(|| invocation.evaluator.default_merge());
        if invocation.is_recorded()
            && let Ok(merge) = merge
        {
            let set_by = match (&given, from_options) {
                (Some(_), _) => SetBy::Argument,
                (None, Some(_)) => SetBy::Options,
                (None, None) => SetBy::Default,
            };
            invocation.note_merge(merge, options.as_ref().map(|it| it.applied()), set_by);
        }
        let is_converted = options.as_ref().is_some_and(|it| !matches!(it.convert_to(), Ok(None)));
        let found = invocation.with_lookups(is_converted, |invocation| {
            search_layers_then_default_hierarchy(invocation, &key, merge)
        })?;
        // The conversion gets the value that was dug out, even undef. Overrides and default values are never converted.
        let (Some(value), Some(options)) = (&found, &options) else { return Ok(found) };
        match options.convert_to()? {
            Some(conversion)
                if !is_sensitive(&conversion.value)
                    && invocation.depends_on_texts([&value.value]) =>
            {
                // It is not known whether a conversion to `Sensitive` succeeds, but the value must not be shown in either case.
                let is_hidden = options.applied().makes_sensitive();
                Ok(found.map(|it| if is_hidden { hidden(it) } else { it }))
            }
            Some(conversion)
                if !invocation.notes.unread.is_empty()
                    && render::has_encrypted_text(&value.value) =>
            {
                let is_hidden = options.applied().makes_sensitive();
                convert_encrypted(invocation, &key, conversion, value.clone(), is_hidden).map(Some)
            }
            Some(conversion) => convert(invocation, &key, conversion, value.clone()).map(Some),
            None => Ok(found),
        }
    })
}

/// Whether a conversion only wraps the value, or refuses it because of its shape, so that the content of its strings does not
/// matter.
fn is_sensitive(conversion: &Value) -> bool {
    match conversion {
        Value::String(name) => matches!(&**name, "Sensitive" | "Sensitive[String]"),
        Value::Array(items) => matches!(items.as_slice(), [only] if is_sensitive(&only.value)),
        _ => false,
    }
}

/// The value as `Sensitive`, if Puppet accepts it.
fn hidden(value: Located) -> Located {
    let place = value.place;
    match value.value {
        Value::Sensitive(_) => value,
        _ => Located::new(Value::Sensitive(value.into()), place),
    }
}

/// `lookup_options` and every key that starts with `lookup_options.`; in quotes it is accepted.
pub(crate) fn is_reserved(key: &str) -> bool {
    key.strip_prefix(LOOKUP_OPTIONS).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn search_layers_then_default_hierarchy(
    invocation: &mut Invocation<'_>,
    key: &Key,
    merge: &Result<Merge, Failure>,
) -> Found {
    let kind = || TraceKind::Search { key: Arc::clone(key.text()), is_options: false };
    invocation.within(kind, |invocation| {
        let merge = merge.as_ref().map_err(Clone::clone)?;
        // This also digs: a missing member leads to the default hierarchy even if the layers have the root key.
        let found = search_layers(invocation, key, merge);
        if !matches!(found, Ok(None)) {
            invocation.survey(|invocation| {
                let _ = search_default_hierarchy(invocation, key);
            });
            return found;
        }
        let found = search_default_hierarchy(invocation, key)?;
        invocation.note_found(found.as_ref());
        key.dig(invocation, found)
    })
}

/// The three layers are sources like any others: the strategy decides whether the first one wins or all are merged.
#[derive(Debug, Clone, Copy)]
enum LayerStep {
    Global,
    Environment,
    Module,
}

fn search_layers(invocation: &mut Invocation<'_>, key: &Key, merge: &Merge) -> Found {
    let found = invocation.foreseeing(merge, |invocation| {
        invocation.ending_elsewhere(merge, |invocation| {
            invocation.in_part(merge, |it| in_all_layers(it, key, merge))
        })
    })?;
    invocation.note_found(found.as_ref());
    key.dig(invocation, found)
}

pub(crate) fn in_all_layers(invocation: &mut Invocation<'_>, key: &Key, merge: &Merge) -> Found {
    if invocation.is_confined_to_global_layer() {
        return in_global(invocation, key, merge);
    }
    let steps = [LayerStep::Global, LayerStep::Environment, LayerStep::Module];
    merge_sources(invocation, merge, &steps, |invocation, step| match step {
        LayerStep::Global => in_global(invocation, key, merge),
        LayerStep::Environment => in_environment(invocation, key, merge),
        LayerStep::Module => in_module(invocation, key, merge),
    })
}

pub(crate) fn in_global(invocation: &mut Invocation<'_>, key: &Key, merge: &Merge) -> Found {
    let evaluator = invocation.evaluator;
    let found = match evaluator.global_layer() {
        Ok(layer) => layer.key_lookup(invocation, key, merge, Which::Hierarchy),
        // Puppet reads the hiera.yaml of an environment before it enters the provider, but the global one inside, where every
        // `Puppet::Error` becomes a LookupError.
        Err(failure) => Err(failure.clone().leaving_provider()),
    };
    found.map_err(|failure| failure.leaving_global_layer(&invocation.top_key))
}

pub(crate) fn in_environment(invocation: &mut Invocation<'_>, key: &Key, merge: &Merge) -> Found {
    let evaluator = invocation.evaluator;
    match evaluator.environment_layer().map_err(Clone::clone)? {
        Some(layer) => layer.key_lookup(invocation, key, merge, Which::Hierarchy),
        None => Ok(None),
    }
}

pub(crate) fn in_module(invocation: &mut Invocation<'_>, key: &Key, merge: &Merge) -> Found {
    let scope = Arc::clone(&invocation.module);
    let Some(module) = &scope.name else { return Ok(None) };
    let evaluator = invocation.evaluator;
    if let Some(layer) = evaluator.module_layer(&scope).map_err(Clone::clone)? {
        return layer.key_lookup(invocation, key, merge, Which::Hierarchy);
    }
    let exists = || evaluator.environment().modules.contains_key(module);
    invocation.within(
        || TraceKind::Module(Arc::clone(module)),
        |invocation| {
            invocation.report(|| {
                if exists() { Outcome::ModuleProviderNotFound } else { Outcome::ModuleNotFound }
            });
        },
    );
    Ok(None)
}

/// Searched only if nothing was found, never merged with the rest, and only with its own lookup_options.
fn search_default_hierarchy(invocation: &mut Invocation<'_>, key: &Key) -> Found {
    if invocation.is_confined_to_global_layer() {
        return Ok(None);
    }
    let scope = Arc::clone(&invocation.module);
    let Some(module) = &scope.name else { return Ok(None) };
    let evaluator = invocation.evaluator;
    let Some(layer) = evaluator.module_layer(&scope).map_err(Clone::clone)? else {
        return Ok(None);
    };
    if !layer.config.has_default_hierarchy() {
        return Ok(None);
    }
    let title = || format!("Searching default_hierarchy of module \"{module}\"").into();
    invocation.within(
        || TraceKind::Scope(title()),
        |invocation| {
            let options =
                invocation.unrecorded(|it| lookup_options::of_default_hierarchy(it, layer, key))?;
            let merge = Merge::of(options.as_ref().map(|(merge, _)| merge))?;
            let found = invocation.within(
                || TraceKind::Scope(format!("Searching for \"{}\"", key.text()).into()),
                |invocation| {
                    invocation.in_default_hierarchy(|invocation| {
                        layer.key_lookup_in_default(invocation, key, &merge)
                    })
                },
            )?;
            if found.is_some() {
                invocation.note_default_merge(&merge, options.map(|(_, applied)| applied));
            }
            Ok(found)
        },
    )
}

fn convert(
    invocation: &mut Invocation<'_>,
    key: &Key,
    conversion: &Located,
    value: Located,
) -> Result<Located, Failure> {
    let place = value.place;
    let converted = convert_to::convert(key.text(), &conversion.value, value)
        .map_err(|failure| failure.at(conversion.place))?;
    invocation.report_text(|| {
        let arguments = convert_to::arguments_text(&conversion.value);
        format!("Applying convert_to lookup_option with arguments {arguments}")
    });
    Ok(Located::new(converted.value, converted.place.or(place)))
}

/// Converts a value with encrypted text. It stays as it is if the conversion would have to read the text: what Puppet makes of it
/// is not known.
fn convert_encrypted(
    invocation: &mut Invocation<'_>,
    key: &Key,
    conversion: &Located,
    value: Located,
    is_hidden: bool,
) -> Result<Located, Failure> {
    let converted = convert(invocation, key, conversion, value.clone());
    let is_known = match &converted {
        Ok(converted) => render::has_encrypted_text(&converted.value),
        Err(failure) => !convert_to::is_about_the_value(key.text(), &failure.message),
    };
    if is_known {
        return converted;
    }
    let converted = Unread::Converted(Arc::clone(key.text()), conversion.value.clone());
    notes::add(&mut invocation.notes.unread, converted);
    Ok(if is_hidden { hidden(value) } else { value })
}

/// The message of `lookup()` if none of the names is found.
pub(crate) fn not_found_message(names: &[Arc<str>]) -> String {
    match names {
        [name] => format!("Function lookup() did not find a value for the name '{name}'"),
        names => {
            let names: Vec<_> = names.iter().map(|name| format!("'{name}'")).collect();
            format!(
                "Function lookup() did not find a value for any of the names [{}]",
                names.join(", ")
            )
        }
    }
}
