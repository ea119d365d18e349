//! Replaces a call of `alias` or `lookup` with its value, if the value is the same for every node: one call, or all calls,
//! and then the key is removed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::root_entry::cut;
use super::{Action, ActionContext, ActionKind};
use crate::data::{DataFile, EntryTree, Format, scalar};
use crate::ide::context::{self, LOOKUP_OPTIONS, SpotPart};
use crate::ide::edits::FileEdit;
use crate::ide::file_role::FileRole;
use crate::ide::flow_json::flow_json;
use crate::ide::flow_yaml::flow_yaml;
use crate::ide::perspective::Perspective;
use crate::ide::references::{Occurrence, files_that_may_ask_for, references};
use crate::ide::rename::inside_string;
use crate::ide::strings::{StringNode, interpolated_strings};
use crate::limits::MAX_INLINED_BYTES;
use crate::syntax::interpolation::{Expression, Method, Token};
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::TextEdit;

/// Actions for the call at the cursor, and for the key that is defined there.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    let call = one_call(context);
    let key = call.as_ref().map(|(key, _)| key.clone()).or_else(|| key_here(context));
    let everywhere = key.and_then(|key| everywhere(context, &key));
    call.map(|(_, action)| action).into_iter().chain(everywhere).collect()
}

/// The root key of the call at the cursor, and the action for the call.
fn one_call(context: &ActionContext<'_>) -> Option<(Arc<str>, Action)> {
    let FileRole::Data { format, .. } = FileRole::of(context.world, &context.file.path)? else {
        return None;
    };
    let data = context.file.data(format);
    let entry = data.entry_at(context.range.start)?;
    let touched = |string: &StringNode<'_>, token: &Token| {
        string.source_range(token.range).shifted(entry.start).touches(context.range.start)
    };
    let (string, token) =
        interpolated_strings(entry.text, entry.value).into_iter().find_map(|it| {
            let token = it.tokens.iter().find(|token| touched(&it, token)).cloned()?;
            Some((it, token))
        })?;
    let (key, _) = token.lookup_key()?;
    let parsed = key_path::parse(key).ok()?;
    let root = parsed.root_name().filter(|root| ***root != *LOOKUP_OPTIONS)?.clone();
    let edits = the_only_place(context, &root).and_then(|shared| {
        let call = Call { format, entry, string: &string, token: &token };
        let edit = shared.value(&parsed).and_then(|value| call.inlined(value));
        let edit = edit.ok_or_else(|| cannot_be_written(&root))?;
        Ok(vec![FileEdit::new(context.file.path.clone(), vec![edit])])
    });
    Some((root, action(format!("Inline the value of `{key}`"), edits)))
}

/// The root key under the cursor.
fn key_here(context: &ActionContext<'_>) -> Option<Arc<str>> {
    let FileRole::Data { format, .. } = FileRole::of(context.world, &context.file.path)? else {
        return None;
    };
    let spot = context::spot_in_file(context.file.data(format), context.range.start)?;
    let is_root_key = spot.steps.len() == 1 && spot.part == SpotPart::Key;
    let key = spot.root_key().filter(|key| is_root_key && *key != LOOKUP_OPTIONS)?;
    Some(key.into())
}

/// An action if some data looks up the key, and the key cannot be the parameter of a class.
fn everywhere(context: &ActionContext<'_>, root: &Arc<str>) -> Option<Action> {
    // Puppet may look up a key with a module's name as a class parameter, even if nothing names it.
    if root.contains("::") {
        return None;
    }
    let environment = context.world.environment_of(&context.file.path)?;
    let index = context.world.key_index(&environment);
    let declared = index.places(root).into_iter().next()?;
    let speak_of_it = references(context.world, &declared.path, declared.key.start, context.cancel);
    let asking: Vec<&Occurrence> = speak_of_it.iter().filter(|it| !it.is_declaration).collect();
    if asking.is_empty() {
        return None;
    }
    let plural = if asking.len() == 1 { "" } else { "s" };
    let title =
        format!("Inline `{root}` everywhere ({} place{plural}) and remove it", asking.len());
    Some(action(title, inlined_everywhere(context, root, asking.len())))
}

fn inlined_everywhere(
    context: &ActionContext<'_>,
    root: &Arc<str>,
    places: usize,
) -> Result<Vec<FileEdit>, String> {
    let shared = the_only_place(context, root)?;
    let environment = context.world.environment_of(&context.file.path);
    let environment = environment.ok_or_else(|| cannot_be_written(root))?;
    let mut edits: BTreeMap<Arc<str>, Vec<TextEdit>> = BTreeMap::new();
    let mut written = 0;
    for (file, format) in files_that_may_ask_for(context.world, &environment, root) {
        for entry in file.data(format).trees() {
            for string in interpolated_strings(entry.text, entry.value) {
                for token in &string.tokens {
                    let key = token.lookup_key().and_then(|(key, _)| key_path::parse(key).ok());
                    let Some(key) = key.filter(|key| key.root_name() == Some(root)) else {
                        continue;
                    };
                    let call = Call { format, entry, string: &string, token };
                    let edit = shared.value(&key).and_then(|value| call.inlined(value));
                    let edit = edit.ok_or_else(|| cannot_be_written(root))?;
                    written += edit.new_text.len();
                    if written > MAX_INLINED_BYTES {
                        return Err(format!(
                            "The value of `{root}` is too long for so many places."
                        ));
                    }
                    edits.entry(file.path.clone()).or_default().push(edit);
                }
            }
        }
    }
    // Code and lookup_options may name the key as well, and nothing can be inlined there.
    if edits.values().map(Vec::len).sum::<usize>() != places {
        return Err(format!("Not every use of `{root}` is a call."));
    }
    let entry = shared.entry().ok_or_else(|| cannot_be_written(root))?;
    let removal = cut(&shared.data, &entry, root).map_err(|why| format!("`{root}` {why}."))?;
    edits.entry(shared.path.clone()).or_default().extend(removal.removal);
    Ok(edits.into_iter().map(|(path, edits)| FileEdit::new(path, edits)).collect())
}

fn action(title: String, edits: Result<Vec<FileEdit>, String>) -> Action {
    Action::new(title, ActionKind::RefactorInline, edits)
}

fn cannot_be_written(root: &str) -> String {
    format!("The value of `{root}` cannot be written in the place of every such call.")
}

/// A call in a string of a data file.
struct Call<'a> {
    format: Format,
    entry: EntryTree<'a>,
    string: &'a StringNode<'a>,
    token: &'a Token,
}

impl Call<'_> {
    /// The edit that replaces the call with `value`.
    fn inlined(&self, value: &Node) -> Option<TextEdit> {
        let Self { string, token, entry, .. } = self;
        if matches!(token.expression, Expression::Call { method: Method::Alias, .. }) {
            // `alias` must be the whole string, so the value replaces the string with its quotes.
            let range = string.node.range.shifted(entry.start);
            let is_alone = token.range.len() as usize == string.text.len();
            let written = match self.format {
                Format::Yaml => flow_yaml(value),
                Format::Json => flow_json(value)?,
                Format::Hocon => return None,
            };
            return is_alone.then(|| TextEdit::replace(range, written));
        }
        let NodeKind::Scalar { text, style } = &value.kind else { return None };
        // The spelling of a number may differ from its text: `0x1F`.
        let is_as_written = *style != ScalarStyle::Plain
            || scalar::is_string(text)
            || text.parse::<i64>().is_ok_and(|number| number.to_string() == **text);
        let is_multi_line = text.contains('\n');
        let styles = [ScalarStyle::SingleQuoted, ScalarStyle::DoubleQuoted];
        let NodeKind::Scalar { style: around, .. } = &string.node.kind else { return None };
        if !is_as_written
            || is_multi_line
            || !styles.contains(around)
            || self.format == Format::Hocon
        {
            return None;
        }
        let written = string.node.range.slice(entry.text);
        let range = string.source_range(token.range).shifted(entry.start);
        Some(TextEdit::replace(range, inside_string(self.format, written, text)))
    }
}

/// The only place where a key is written.
struct Shared {
    path: Arc<str>,
    data: Arc<DataFile>,
    start: u32,
}

impl Shared {
    fn entry(&self) -> Option<EntryTree<'_>> {
        self.data.entry_at(self.start)
    }

    /// The value that a call of `key` returns.
    fn value(&self, key: &KeyPath) -> Option<&Node> {
        let value =
            key.rest.iter().try_fold(self.entry()?.value, |node, segment| step(node, segment))?;
        super::yaml_entry::is_self_contained(value).then_some(value)
    }
}

/// The only place where the key is written: every node that finds the key finds this value.
///
/// # Errors
/// Why this is not the case: the key is written several times, not every node reads it, or lookup options change its value.
fn the_only_place(context: &ActionContext<'_>, root: &Arc<str>) -> Result<Shared, String> {
    let unknown = || format!("hiera-ls knows nothing about `{root}`.");
    let perspective =
        Perspective::of_file(context.world, &context.file.path).ok_or_else(unknown)?;
    let environment = perspective.evaluator.environment();
    if !matches!(perspective.evaluator.options_for(root), Ok(None)) {
        return Err(format!("`{root}` has lookup options."));
    }
    let places = context.world.key_index(environment).places(root);
    let [place] = &places[..] else {
        return Err(format!("`{root}` is not written in exactly one place."));
    };
    let reach = context.world.reach(environment);
    // Every node reads a path without variables and patterns.
    let is_for_all = reach.places_of(&place.path).all(|it| {
        !it.location().contains(['%', '*', '?', '[', '{']) && !it.datadir().contains('%')
    });
    if !is_for_all {
        return Err(format!("`{root}` is not the same for every node."));
    }
    if place.format == Format::Hocon {
        return Err(format!("`{root}` is written in HOCON, which has values of its own."));
    }
    let file = context.world.file(&place.path).map_err(|_| unknown())?;
    let data = file.data(place.format).clone();
    Ok(Shared { path: place.path.clone(), data, start: place.key.start })
}

fn step<'a>(node: &'a Node, segment: &Segment) -> Option<&'a Node> {
    match (&node.kind, segment) {
        (NodeKind::Mapping(pairs), Segment::Name(name)) => {
            let is_it =
                |key: &Node| matches!(&key.kind, NodeKind::Scalar { text, .. } if text == name);
            // Psych keeps the last of equal keys.
            pairs.iter().rfind(|pair| is_it(&pair.key)).map(|pair| &pair.value)
        }
        (NodeKind::Sequence(items), Segment::Index(number)) => {
            items.get(usize::try_from(*number).ok()?)
        }
        _ => None,
    }
}
