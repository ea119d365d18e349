//! Extracts a value that is written several times into a key of its own, which all places then read with `alias`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::yaml_entry::{append, is_self_contained};
use super::{Action, ActionContext, ActionKind, members};
use crate::config::hiera_yaml::LayerKind;
use crate::data::{DataFile, EntryTree, Files, Format, Value, Verdict, scalar};
use crate::ide::comments;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::edits::{FileChange, FileEdit};
use crate::ide::flow_value::{flow_value, value_of};
use crate::ide::flow_yaml::is_same_value;
use crate::ide::perspective::Perspective;
use crate::ide::rename::key_spelling;
use crate::limits::MAX_EXTRACTED_PLACES;
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::syntax::yaml;
use crate::syntax::{interpolation, key_path};
use crate::text::{TextEdit, TextRange, apply_edits};
use crate::world::{DataPlace, Reach, paths};

/// The key whose value YAML merges into the hash around it. A call would no longer be a hash to merge.
const MERGE_KEY: &str = "<<";

/// The minimum length of a string that deserves a name.
const MIN_TEXT: usize = 4;

/// An action if the value at the cursor is also written elsewhere in the environment's data.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    find(context).into_iter().collect()
}

fn find(context: &ActionContext<'_>) -> Option<Action> {
    let path = &*context.file.path;
    let perspective = Perspective::of_file(context.world, path)?;
    let environment = perspective.evaluator.environment().clone();
    let reach = context.world.reach(&environment);
    let format = format_in_environment(&reach, path)?;
    let data = context.file.data(format);
    let entry = data.entry_at(context.range.start)?;
    let at = context.range.start.checked_sub(entry.start)?;
    let root = text_of(entry.key).filter(|key| *key != LOOKUP_OPTIONS)?;
    let (name, wanted) = value_at(entry.key, entry.value, at)?;
    if !is_worth_a_name(wanted) {
        return None;
    }
    if format == Format::Hocon {
        return Some(refused(
            "HOCON has substitutions (`${…}`) for what is written several times.",
        ));
    }
    let places = places_of(context, &reach, (wanted, format))?;
    let count: usize = places.values().map(|(_, written)| written.len()).sum();
    let (shared, shared_format) = shared_file(context, &reach)?;
    let new_key = free_name(context, &perspective, name.unwrap_or(root))?;
    // What is written everywhere, such as `present`, is not one thing that has a name.
    if !(2..=MAX_EXTRACTED_PLACES).contains(&count) {
        return None;
    }
    let spelling = key_spelling(shared_format, "", &new_key);
    let copied = match (format, shared_format) {
        (Format::Yaml, Format::Yaml) => written_with_comments(entry.text, wanted, &spelling),
        _ => None,
    };
    let comments: usize = places.values().flat_map(|(_, it)| it).map(|it| it.comments).sum();
    let removed_comments = match copied {
        Some(_) => comments - comments_in(entry.text, wanted),
        None => comments,
    };
    let written = match copied {
        Some(copied) => copied,
        None => format!("{spelling}: {}", flow_value(wanted, format, shared_format)?),
    };
    // The argument is within `'` and the string within `"`, so a quoted segment gets escaped double quotes.
    let called = key_path::quote_segment_within(&new_key, '\'')?;
    let call = format!("\"%{{alias('{}')}}\"", called.replace('"', "\\\""));
    let mut edits: BTreeMap<Arc<str>, (Format, Vec<TextEdit>)> = BTreeMap::new();
    for (path, (format, written)) in places {
        let text = context.world.text(&path).ok()?;
        let replaced = written.into_iter().map(|it| call_edit(&text, it.range, &call));
        let replaced: Option<Vec<TextEdit>> = replaced.collect();
        edits.insert(path, (format, replaced?));
    }
    let shared_data = context.world.data(&shared, shared_format).ok()?;
    let added = match shared_format {
        Format::Json => members::paste(&shared_data, &written).ok()?,
        _ => vec![append(&shared_data, &format!("{written}\n")).ok()?],
    };
    edits.entry(shared.clone()).or_insert((shared_format, Vec::new())).1.extend(added);
    let is_fine = |(path, (format, edits)): (&Arc<str>, &(Format, Vec<TextEdit>))| {
        is_still_a_hash(context, (path, *format), edits, usize::from(*path == shared))
    };
    if !edits.iter().all(is_fine) {
        return None;
    }
    let shown = perspective.shown_path(&shared);
    let title = format!("Extract the value into `{new_key}` in {shown} ({count} places)");
    let loses_mark = perspective.makes_sensitive(root) && !perspective.makes_sensitive(&new_key);
    let title = if loses_mark { format!("{title}, which is not Sensitive") } else { title };
    Some(Action {
        title: comments::title(title, removed_comments),
        kind: ActionKind::RefactorExtract,
        edits: edits
            .into_iter()
            .map(|(path, (_, edits))| FileEdit { path, change: FileChange::Edit(edits) })
            .collect(),
        fixes: Vec::new(),
        is_preferred: false,
        refusal: None,
    })
}

/// `key: value` as the value is written, if it has lines of its own and comments between them.
fn written_with_comments(source: &str, value: &Node, key: &str) -> Option<String> {
    if comments_in(source, value) == 0 {
        return None;
    }
    let start = value.range.start as usize;
    let line_start = source[..start].rfind('\n')? + 1;
    let column = start - line_start;
    if !source[line_start..start].bytes().all(|byte| byte == b' ') {
        return None;
    }
    let mut written = format!("{key}:");
    for line in source[line_start..value.range.end as usize].lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = &line[indent.min(column)..];
        written.push('\n');
        if !rest.is_empty() {
            written.push_str("  ");
            written.push_str(rest);
        }
    }
    let root = yaml::parse(&format!("{written}\n")).root?;
    let NodeKind::Mapping(pairs) = &root.kind else { return None };
    let is_same = matches!(&pairs[..], [pair] if is_same_value(&pair.value, value));
    is_same.then_some(written)
}

/// The number of comments between the lines of a value.
fn comments_in(source: &str, value: &Node) -> usize {
    comments::count(source, value, value.range.end)
}

fn refused(why: &str) -> Action {
    Action {
        title: "Extract the value into a shared key".to_owned(),
        kind: ActionKind::RefactorExtract,
        edits: Vec::new(),
        fixes: Vec::new(),
        is_preferred: false,
        refusal: Some(why.to_owned()),
    }
}

/// The edit that replaces a value with the call; a value on lines of its own is replaced by one after its key.
fn call_edit(text: &str, range: TextRange, call: &str) -> Option<TextEdit> {
    let before = &text[..range.start as usize];
    let key_end = before.trim_end();
    if !before[key_end.len()..].contains('\n') {
        return Some(TextEdit::replace(range, call));
    }
    // The value starts on a later line. The call moves up to the line of the key or the dash.
    let range = TextRange::new(key_end.len() as u32, range.end);
    key_end.ends_with([':', '-']).then(|| TextEdit::replace(range, format!(" {call}")))
}

/// Whether the file is still a hash after the edits, with the same number of entries and `more`.
fn is_still_a_hash(
    context: &ActionContext<'_>,
    (path, format): (&str, Format),
    edits: &[TextEdit],
    more: usize,
) -> bool {
    let Ok(data) = context.world.data(path, format) else { return false };
    let text = apply_edits(data.text(), edits);
    let after = DataFile::new(data.file(), format, text.into());
    after.verdict() == Verdict::Hash && after.trees().count() == data.trees().count() + more
}

/// The value whose key is at `at`, or the scalar there, with the key's name.
fn value_at<'a>(key: &'a Node, value: &'a Node, at: u32) -> Option<(Option<&'a str>, &'a Node)> {
    let touches = |node: &Node| node.range.touches(at);
    let is_ordinary = text_of(key) != Some(MERGE_KEY);
    if touches(key) || touches(value) && matches!(value.kind, NodeKind::Scalar { .. }) {
        return is_ordinary.then_some((text_of(key), value));
    }
    match &value.kind {
        NodeKind::Mapping(pairs) => {
            let near =
                |pair: &&crate::syntax::tree::Pair| touches(&pair.key) || touches(&pair.value);
            let pair = pairs.iter().find(near)?;
            value_at(&pair.key, &pair.value, at)
        }
        NodeKind::Sequence(items) => {
            let item = items.iter().find(|item| touches(item))?;
            match &item.kind {
                NodeKind::Scalar { .. } => is_ordinary.then_some((text_of(key), item)),
                _ => value_at(key, item, at).filter(|(_, found)| !std::ptr::eq(*found, item)),
            }
        }
        _ => None,
    }
}

fn text_of(key: &Node) -> Option<&str> {
    match &key.kind {
        NodeKind::Scalar { text, .. } => Some(text),
        _ => None,
    }
}

fn is_worth_a_name(value: &Node) -> bool {
    let is_long = match &value.kind {
        // A single call is as short as the one that would replace it.
        NodeKind::Scalar { text, style, .. } => {
            let is_call = text.starts_with("%{") && text.ends_with('}');
            // Two booleans are seldom the same thing.
            let is_word = *style == ScalarStyle::Plain && !is_plain_text(text);
            text.chars().count() >= MIN_TEXT && !is_call && !is_word
        }
        NodeKind::Sequence(items) => !items.is_empty(),
        NodeKind::Mapping(pairs) => !pairs.is_empty(),
        NodeKind::Alias(_) => false,
    };
    is_long && is_self_contained(value) && has_no_tags(value)
}

/// Whether a plain scalar is neither a boolean nor null.
fn is_plain_text(text: &str) -> bool {
    !matches!(scalar::by_looks(&text.into()), Ok(Value::Boolean(_) | Value::Undef))
}

fn has_no_tags(node: &Node) -> bool {
    node.tag.is_none()
        && match &node.kind {
            NodeKind::Sequence(items) => items.iter().all(has_no_tags),
            NodeKind::Mapping(pairs) => {
                pairs.iter().all(|pair| has_no_tags(&pair.key) && has_no_tags(&pair.value))
            }
            _ => true,
        }
}

/// Where a value is written, by file.
type Places = BTreeMap<Arc<str>, (Format, Vec<Written>)>;

/// A place where a value is written.
struct Written {
    range: TextRange,
    /// The number of comments within it.
    comments: usize,
}

/// Where the value is written in YAML and JSON files of the environment's own layer. `None` if it is written in more places
/// than [`MAX_EXTRACTED_PLACES`].
fn places_of(
    context: &ActionContext<'_>,
    reach: &Reach,
    (wanted, format): (&Node, Format),
) -> Option<Places> {
    let value = value_of(wanted, format)?;
    let environment = context.world.environment_of(&context.file.path)?;
    // Only entries that contain the longest word of the value need to be parsed.
    let needle = longest_word(wanted)?;
    let mut places = BTreeMap::new();
    let (mut count, mut searched) = (0, BTreeSet::new());
    for file in context.world.files_containing(&environment, needle) {
        if context.cancel.is_cancelled() {
            return None;
        }
        let format = format_in_environment(reach, &file.path);
        let Some(format) = format.filter(|it| *it != Format::Hocon) else { continue };
        // The formats read the same text as different values, such as `1e6`.
        let is_wanted = |node: &Node| {
            is_same_value(node, wanted) && value_of(node, format).as_ref() == Some(&value)
        };
        let mut found = Vec::new();
        for entry in entries_containing(file.data(format), needle) {
            if text_of(entry.key) != Some(LOOKUP_OPTIONS) {
                collect_of_pair(entry.key, entry.value, &is_wanted, &entry, &mut found);
            }
        }
        // A file behind a link is searched once.
        if !found.is_empty() && searched.insert(context.world.real_path(&file.path)) {
            count += found.len();
            places.insert(file.path.clone(), (format, found));
        }
        if count > MAX_EXTRACTED_PLACES {
            return None;
        }
    }
    Some(places)
}

/// The entries whose text contains `needle`, each once. The others are not parsed.
fn entries_containing<'d>(data: &'d DataFile, needle: &str) -> Vec<EntryTree<'d>> {
    // A value without a word that all spellings contain may be in any entry.
    if needle.is_empty() {
        return data.trees().collect();
    }
    let mut entries: Vec<EntryTree<'d>> = Vec::new();
    for (at, _) in data.text().match_indices(needle) {
        let found = data.entry_at(at as u32);
        let is_last =
            |it: &EntryTree<'_>| entries.last().is_some_and(|last| std::ptr::eq(last.key, it.key));
        if let Some(found) = found.filter(|it| !is_last(it)) {
            entries.push(found);
        }
    }
    entries
}

/// The longest word of the value. Other spellings of the value contain it as well: they may break a text at spaces, and double or
/// escape quotes, backslashes, slashes, letters that are not ASCII, and what HTML escapes.
fn longest_word(node: &Node) -> Option<&str> {
    let breaks = |letter: char| !letter.is_ascii_graphic() || "'\"\\/<>&".contains(letter);
    match &node.kind {
        NodeKind::Scalar { text, .. } => text.split(breaks).max_by_key(|word| word.len()),
        NodeKind::Sequence(items) => {
            items.iter().filter_map(longest_word).max_by_key(|it| it.len())
        }
        NodeKind::Mapping(pairs) => {
            let texts = pairs.iter().flat_map(|pair| [&pair.key, &pair.value]);
            texts.filter_map(longest_word).max_by_key(|it| it.len())
        }
        NodeKind::Alias(_) => None,
    }
}

/// Whether a node is the value that is looked for.
type IsWanted<'a> = dyn Fn(&Node) -> bool + 'a;

fn collect(node: &Node, is_wanted: &IsWanted<'_>, entry: &EntryTree<'_>, found: &mut Vec<Written>) {
    // The new call has no anchor, but an alias may need it.
    if node.anchor.is_none() && is_wanted(node) {
        let is_block = matches!(
            node.kind,
            NodeKind::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. }
        );
        if !is_block {
            let comments = comments_in(entry.text, node);
            found.push(Written { range: node.range.shifted(entry.start), comments });
        }
        return;
    }
    collect_inside(node, is_wanted, entry, found);
}

fn collect_inside(
    node: &Node,
    is_wanted: &IsWanted<'_>,
    entry: &EntryTree<'_>,
    found: &mut Vec<Written>,
) {
    match &node.kind {
        NodeKind::Sequence(items) => {
            for item in items {
                collect(item, is_wanted, entry, found);
            }
        }
        NodeKind::Mapping(pairs) => {
            for pair in pairs {
                collect_of_pair(&pair.key, &pair.value, is_wanted, entry, found);
            }
        }
        _ => {}
    }
}

fn collect_of_pair(
    key: &Node,
    value: &Node,
    is_wanted: &IsWanted<'_>,
    entry: &EntryTree<'_>,
    found: &mut Vec<Written>,
) {
    match &value.kind {
        _ if text_of(key) != Some(MERGE_KEY) => collect(value, is_wanted, entry, found),
        // Each of several merged hashes has to stay one.
        NodeKind::Sequence(items) => {
            for item in items {
                collect_inside(item, is_wanted, entry, found);
            }
        }
        _ => collect_inside(value, is_wanted, entry, found),
    }
}

/// The file's format, if every node that reads the file also reads what all nodes of the environment read.
fn format_in_environment(reach: &Reach, path: &str) -> Option<Format> {
    let format = reach.format_of(path)?;
    let is_same = |it: &DataPlace| it.layer == LayerKind::Environment && it.format == format;
    reach.places_of(path).all(is_same).then_some(format)
}

/// The lowest file that all nodes read.
fn shared_file(context: &ActionContext<'_>, reach: &Reach) -> Option<(Arc<str>, Format)> {
    // Every node reads a fixed path, and each higher level can override the value in the lowest one.
    let fixed = reach.places.iter().rev().filter(|place| {
        place.layer == LayerKind::Environment
            && !place.is_default
            && place.is_built_in
            && place.format != Format::Hocon
            && !place.location().contains(['%', '*', '?', '[', '{'])
            && !place.datadir().contains('%')
    });
    let paths = fixed.map(|place| (paths::join(place.datadir(), place.location()), place.format));
    let mut existing = paths.filter(|(path, _)| context.world.file(path).is_ok());
    existing.next().map(|(path, format)| (Arc::from(path), format))
}

/// A name that no key has and that no pattern of lookup_options matches.
fn free_name(context: &ActionContext<'_>, perspective: &Perspective, key: &str) -> Option<String> {
    let evaluator = &perspective.evaluator;
    let index = context.world.key_index(evaluator.environment());
    let base = key.rsplit("::").next().unwrap_or(key);
    let names = std::iter::once(base.to_owned())
        .chain(std::iter::once(format!("{base}_shared")))
        .chain((2..10).map(|number| format!("{base}_shared{number}")));
    // Lookup options for the new name would change the value that `alias` returns.
    let is_free = |name: &String| {
        !index.contains(name)
            && key_path::is_verbatim(name)
            // The `}` of a token would end the call around it.
            && !interpolation::may_have_tokens(name)
            && matches!(evaluator.options_for(name), Ok(None))
    };
    names.into_iter().find(is_free)
}
