//! Replaces a call of `alias` or `lookup` with its value, if the value is the same for every node: one call, or all calls,
//! and then the key is removed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::root_entry::cut;
use super::{Action, ActionContext, ActionKind};
use crate::config::Environment;
use crate::data::{DataFile, EntryTree, Format, Value};
use crate::ide::comments;
use crate::ide::context::{self, LOOKUP_OPTIONS, SpotPart};
use crate::ide::edits::FileEdit;
use crate::ide::file_role::FileRole;
use crate::ide::flow_value::{flow_value, read_within_brackets, value_of};
use crate::ide::perspective::Perspective;
use crate::ide::references::{Occurrence, files_that_may_ask_for, references};
use crate::ide::rename::inside_string;
use crate::ide::strings::{StringNode, interpolated_strings};
use crate::limits::MAX_INLINED_BYTES;
use crate::syntax::interpolation::{self, Expression, Method, Token};
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::{TextEdit, TextRange};
use crate::world::World;

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
    let edits = the_only_place(context, &context.file.path, &root).and_then(|shared| {
        let call = Call { format, entry, string: &string, token: &token };
        let edit = call.inlined(key, &shared.value(&parsed)?)?;
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
    let inlined = inlined_everywhere(context, root, asking.len());
    let removed = inlined.as_ref().map_or(0, |it| it.removed_comments);
    Some(action(comments::title(title, removed), inlined.map(|it| it.edits)))
}

/// The edits that replace all calls of a key and remove it.
struct Inlined {
    edits: Vec<FileEdit>,
    /// The number of comments within the value.
    removed_comments: usize,
}

fn inlined_everywhere(
    context: &ActionContext<'_>,
    root: &Arc<str>,
    places: usize,
) -> Result<Inlined, String> {
    let world = context.world;
    let shared = the_only_place(context, &context.file.path, root)?;
    // The key is removed for all environments that read its file.
    let shared = the_only_place(context, &shared.path, root)?;
    let environments = world.environments_with(&shared.path);
    let mut edits: BTreeMap<Arc<str>, Vec<TextEdit>> = BTreeMap::new();
    let mut written = 0;
    let asking = environments.iter().flat_map(|it| files_that_may_ask_for(world, it, root));
    // Environments may share a file.
    let asking: BTreeMap<_, _> =
        asking.map(|(file, format)| (file.path.clone(), (file, format))).collect();
    for (file, format) in asking.into_values() {
        for entry in file.data(format).trees() {
            for string in interpolated_strings(entry.text, entry.value) {
                for token in &string.tokens {
                    let Some((name, _)) = token.lookup_key() else { continue };
                    let key = key_path::parse(name).ok();
                    let Some(key) = key.filter(|key| key.root_name() == Some(root)) else {
                        continue;
                    };
                    let call = Call { format, entry, string: &string, token };
                    let edit = call.inlined(name, &shared.value(&key)?)?;
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
    let entry = shared.entry().ok_or_else(|| unknown(root))?;
    let removal = cut(&shared.data, &entry, root).map_err(|why| format!("`{root}` {why}."))?;
    let removed_comments = removed_comments(&shared, &entry, &removal.removal);
    edits.entry(shared.path.clone()).or_default().extend(removal.removal);
    let has_key =
        |it: &Environment| environments.iter().any(|key| key.directory() == it.directory());
    for path in edits.keys() {
        let other = world.environments_with(path).into_iter().find(|it| !has_key(it));
        if let Some(other) = other {
            let label = world.environment_label(&other);
            return Err(format!("A call is in a file that environment `{label}` reads, too."));
        }
    }
    let edits = edits.into_iter().map(|(path, edits)| FileEdit::new(path, edits)).collect();
    Ok(Inlined { edits, removed_comments })
}

/// The number of comments that are removed within a value of several lines and after it. Those above the key and on its line
/// are about the key, which goes.
fn removed_comments(shared: &Shared, entry: &EntryTree<'_>, removal: &[TextEdit]) -> usize {
    if shared.data.format() != Format::Yaml {
        return 0;
    }
    let end = removal.iter().map(|edit| edit.range.end).max().unwrap_or_default();
    let end = end.saturating_sub(entry.start);
    let TextRange { start, end: value_end } = entry.value.range;
    let is_of_one_line =
        !TextRange::new(entry.key.range.end, value_end).slice(entry.text).trim_end().contains('\n');
    if is_of_one_line {
        let line_end = entry.text[start as usize..].find('\n').map_or(end, |at| start + at as u32);
        return comments::between(entry.text, line_end, end);
    }
    let key_end = entry.key.range.end;
    let line_end =
        entry.text[key_end as usize..].find('\n').map_or(start, |at| key_end + at as u32);
    comments::between(entry.text, line_end, start) + comments::count(entry.text, entry.value, end)
}

fn action(title: String, edits: Result<Vec<FileEdit>, String>) -> Action {
    Action::new(title, ActionKind::RefactorInline, edits)
}

fn unknown(root: &str) -> String {
    format!("hiera-ls knows nothing about `{root}`.")
}

/// A call in a string of a data file.
struct Call<'a> {
    format: Format,
    entry: EntryTree<'a>,
    string: &'a StringNode<'a>,
    token: &'a Token,
}

impl Call<'_> {
    /// The edit that replaces the call of `name` with its value.
    ///
    /// # Errors
    /// Why the value cannot be written in the place of the call.
    fn inlined(&self, name: &str, value: &Written<'_>) -> Result<TextEdit, String> {
        if self.format == Format::Hocon {
            return Err("A call is in a HOCON file, which has values of its own.".to_owned());
        }
        let is_alias =
            matches!(self.token.expression, Expression::Call { method: Method::Alias, .. });
        if is_alias { self.instead_of_string(name, value) } else { self.within_string(name, value) }
    }

    /// `alias` must be the whole string, so the value replaces the string with its quotes.
    fn instead_of_string(&self, name: &str, value: &Written<'_>) -> Result<TextEdit, String> {
        let Self { string, token, entry, format } = self;
        if token.range.len() as usize != string.text.len() {
            return Err(format!("`alias('{name}')` is not the whole string."));
        }
        let written = flow_value(value.node, value.format, *format).ok_or_else(|| {
            let format = if *format == Format::Json { "JSON" } else { "YAML" };
            format!(
                "hiera-ls cannot write the value of `{name}` in {format} so that it stays the same."
            )
        })?;
        Ok(TextEdit::replace(string.node.range.shifted(entry.start), written))
    }

    fn within_string(&self, name: &str, value: &Written<'_>) -> Result<TextEdit, String> {
        let Self { string, token, entry, .. } = self;
        let NodeKind::Scalar { text: spelling, .. } = &value.node.kind else {
            return Err(format!("`{name}` is a list or a hash, which cannot be a part of a text."));
        };
        let text = match value_of(value.node, value.format) {
            Some(Value::String(text)) => text,
            Some(Value::Integer(number)) if number.to_string() == **spelling => spelling.clone(),
            _ => {
                return Err(format!(
                    "`{name}` is not a string, and Puppet may write it in a text in another way."
                ));
            }
        };
        if text.contains('\n') {
            return Err(format!("`{name}` has several lines."));
        }
        let styles = [ScalarStyle::SingleQuoted, ScalarStyle::DoubleQuoted];
        if !matches!(&string.node.kind, NodeKind::Scalar { style, .. } if styles.contains(style)) {
            return Err(format!("A call of `{name}` is in a string without quotes."));
        }
        if let Some(why) = self.changed_by(name, &text) {
            return Err(why);
        }
        let written = string.node.range.slice(entry.text);
        let range = string.source_range(token.range);
        let new = inside_string(self.format, written, &text);
        let (before, after) = (string.node.range.start, string.node.range.end);
        let whole = format!(
            "{}{new}{}",
            TextRange::new(before, range.start).slice(entry.text),
            TextRange::new(range.end, after).slice(entry.text)
        );
        // Single quotes cannot contain control characters, for example.
        if read_within_brackets(&whole, self.format)
            != Some(Value::String(self.joined(&text).into()))
        {
            return Err(format!("`{name}` has characters that the string here cannot contain."));
        }
        Ok(TextEdit::replace(range.shifted(entry.start), new))
    }

    /// The string with `text` in the place of the call.
    fn joined(&self, text: &str) -> String {
        let around = self.string.text;
        let (start, end) = (self.token.range.start as usize, self.token.range.end as usize);
        format!("{}{text}{}", &around[..start], &around[end..])
    }

    /// Why Puppet would interpolate `text` in the place of the call in another way.
    fn changed_by(&self, name: &str, text: &str) -> Option<String> {
        if let Some(made) = interpolation::token_made_by_literals(text) {
            return Some(format!(
                "`lookup` interpolates the text of `{name}` again, including its `{made}`."
            ));
        }
        let tokens = interpolation::tokens(text);
        let is_alias =
            |it: &Token| matches!(it.expression, Expression::Call { method: Method::Alias, .. });
        if tokens.iter().any(is_alias) {
            return Some(format!("`{name}` calls `alias`, which must be the whole string."));
        }
        let joined = self.joined(text);
        let expected = self.string.tokens.len() - 1 + tokens.len();
        // Next to another call of the same key, two copies could form a token.
        let is_half = text.starts_with('{') && text.ends_with('%');
        let is_changed = is_half || interpolation::tokens(&joined).len() != expected;
        is_changed
            .then(|| format!("The text around `{name}` would become another `%{{…}}` with it."))
    }
}

/// A value in a file.
struct Written<'a> {
    node: &'a Node,
    format: Format,
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
    ///
    /// # Errors
    /// Why it is not known.
    fn value(&self, key: &KeyPath) -> Result<Written<'_>, String> {
        let root = self.entry().map(|entry| entry.value);
        let value = key.rest.iter().try_fold(root, |node, segment| Some(step(node?, segment)));
        let name = || key.root_name().map_or("", |root| root);
        let value = value.flatten().ok_or_else(|| {
            format!("A call asks for a part of `{}` that is not written there.", name())
        })?;
        if !super::yaml_entry::is_self_contained(value) {
            return Err(format!("`{}` has an anchor or an alias.", name()));
        }
        Ok(Written { node: value, format: self.data.format() })
    }
}

/// The only place where the key is written for all environments that read the file at `path`: every node that finds the key finds
/// this value.
///
/// # Errors
/// Why this is not the case: the key is written several times, not every node reads it, or lookup options change its value.
fn the_only_place(
    context: &ActionContext<'_>,
    path: &str,
    root: &Arc<str>,
) -> Result<Shared, String> {
    let world = context.world;
    let environments = world.environments_with(path);
    if environments.len() < 2 {
        return the_only_place_in(world, path, root);
    }
    let mut only: Option<Shared> = None;
    for environment in &environments {
        let label = world.environment_label(environment);
        let found = the_only_place_in(&world.seen_from(environment), path, root)
            .map_err(|why| format!("In environment `{label}`: {why}"))?;
        if only.as_ref().is_some_and(|it| it.path != found.path) {
            return Err(format!("`{root}` is written in another file in environment `{label}`."));
        }
        only = Some(found);
    }
    only.ok_or_else(|| unknown(root))
}

/// [`the_only_place`] for the environment to which the file belongs.
fn the_only_place_in(world: &Arc<World>, path: &str, root: &Arc<str>) -> Result<Shared, String> {
    let unknown = || unknown(root);
    let perspective = Perspective::of_file(world, path).ok_or_else(unknown)?;
    let environment = perspective.evaluator.environment();
    if !matches!(perspective.evaluator.options_for(root), Ok(None)) {
        return Err(format!("`{root}` has lookup options."));
    }
    let places = world.key_index(environment).places(root);
    let place = match &places[..] {
        [place] => place,
        [] => return Err(format!("No data file has `{root}`.")),
        _ => return Err(format!("`{root}` is written in several places.")),
    };
    let reach = world.reach(environment);
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
    let file = world.file(&place.path).map_err(|_| unknown())?;
    let data = file.data(place.format).clone();
    let shared = Shared { path: place.path.clone(), data, start: place.key.start };
    if shared.entry().is_some_and(|entry| looks_up(&entry, root)) {
        return Err(format!("`{root}` looks itself up."));
    }
    Ok(shared)
}

/// Whether a string of the entry looks up a root key.
fn looks_up(entry: &EntryTree<'_>, root: &Arc<str>) -> bool {
    let strings = interpolated_strings(entry.text, entry.value);
    let mut names = strings.iter().flat_map(|it| &it.tokens).filter_map(Token::lookup_key);
    names.any(|(name, _)| key_path::parse(name).is_ok_and(|it| it.root_name() == Some(root)))
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
