//! A call of `alias` or `lookup` gives way to the value it takes, where that is the same for every node.

use std::sync::Arc;

use super::{Action, ActionContext, ActionKind};
use crate::data::{EntryTree, Format};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::edits::FileEdit;
use crate::ide::file_role::FileRole;
use crate::ide::flow_yaml::flow_yaml;
use crate::ide::perspective::Perspective;
use crate::ide::rename::inside_string;
use crate::ide::strings::{StringNode, interpolated_strings};
use crate::syntax::interpolation::{Expression, Method, Token};
use crate::syntax::key_path::{self, KeyPath, Segment};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::TextEdit;

/// An action for the call at the cursor.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    find(context).into_iter().collect()
}

fn find(context: &ActionContext<'_>) -> Option<Action> {
    let path = &context.file.path;
    let FileRole::Data { format: Format::Yaml, .. } = FileRole::of(context.world, path)? else {
        return None;
    };
    let data = context.file.data(Format::Yaml);
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
    let edit = the_only_value(context, &parsed, |value| edit(&string, &token, entry, value))??;
    Some(Action {
        title: format!("Inline the value of `{key}`"),
        kind: ActionKind::RefactorInline,
        edits: vec![FileEdit::new(path.clone(), vec![edit])],
        fixes: Vec::new(),
        is_preferred: false,
        refusal: None,
    })
}

fn edit(
    string: &StringNode<'_>,
    token: &Token,
    entry: EntryTree<'_>,
    value: &Node,
) -> Option<TextEdit> {
    let is_alias = matches!(token.expression, Expression::Call { method: Method::Alias, .. });
    if is_alias {
        let range = string.node.range.shifted(entry.start);
        let is_alone = token.range.len() as usize == string.text.len();
        return is_alone.then(|| TextEdit::replace(range, flow_yaml(value)));
    }
    let NodeKind::Scalar { text, style } = &value.kind else { return None };
    // A number may be written in a way that its text has not: `0x1F`.
    let is_as_written = *style != ScalarStyle::Plain
        || crate::data::scalar::is_string(text)
        || text.parse::<i64>().is_ok_and(|number| number.to_string() == **text);
    let is_multi_line = text.contains('\n');
    let styles = [ScalarStyle::SingleQuoted, ScalarStyle::DoubleQuoted];
    let NodeKind::Scalar { style: around, .. } = &string.node.kind else { return None };
    if !is_as_written || is_multi_line || !styles.contains(around) {
        return None;
    }
    let written = string.node.range.slice(entry.text);
    let range = string.source_range(token.range).shifted(entry.start);
    Some(TextEdit::replace(range, inside_string(Format::Yaml, written, text)))
}

/// Runs `work` on the one place where the key is written: then every node that finds it finds this. `None` if there are
/// several, or if lookup options make something else of it.
fn the_only_value<R>(
    context: &ActionContext<'_>,
    key: &KeyPath,
    work: impl FnOnce(&Node) -> R,
) -> Option<R> {
    let root: &Arc<str> = key.root_name().filter(|root| ***root != *LOOKUP_OPTIONS)?;
    let perspective = Perspective::of_file(context.world, &context.file.path)?;
    let environment = perspective.evaluator.environment();
    if !matches!(perspective.evaluator.options_for(root), Ok(None)) {
        return None;
    }
    let places = context.world.key_index(environment).places(root);
    let [place] = &places[..] else { return None };
    let reach = context.world.reach(environment);
    let is_for_all = reach.places_of(&place.path).all(|it| {
        !it.location().contains(['%', '*', '?', '[', '{']) && !it.datadir().contains('%')
    });
    let file = context.world.file(&place.path).ok()?;
    if !is_for_all || place.format != Format::Yaml {
        return None;
    }
    let data = file.data(Format::Yaml);
    let entry = data.entry_at(place.key.start)?;
    let value = key.rest.iter().try_fold(entry.value, |node, segment| step(node, segment))?;
    super::yaml_entry::is_self_contained(value).then(|| work(value))
}

fn step<'a>(node: &'a Node, segment: &Segment) -> Option<&'a Node> {
    match (&node.kind, segment) {
        (NodeKind::Mapping(pairs), Segment::Name(name)) => {
            let is_it =
                |key: &Node| matches!(&key.kind, NodeKind::Scalar { text, .. } if text == name);
            pairs.iter().rfind(|pair| is_it(&pair.key)).map(|pair| &pair.value)
        }
        (NodeKind::Sequence(items), Segment::Index(number)) => {
            items.get(usize::try_from(*number).ok()?)
        }
        _ => None,
    }
}
