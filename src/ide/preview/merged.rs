//! The merged value of a key, of all keys of a file, or of all keys that a node gets.

use std::sync::Arc;

use super::classes;
use super::entry::{Entry, asked_for};
use super::page::Page;
use super::question::data_of;
use super::value::Detail;
use super::{LineKind, NodeQuestion, Preview, Question, Scope, UnknownNode};
use crate::data::DataFile;
use crate::engine::{CancelToken, module_of_key};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::perspective::Reading;
use crate::syntax::key_path;
use crate::world::World;

/// The merged value with its origins and its overridden parts. `None` if there is nothing to look up, or the request was
/// cancelled.
///
/// # Errors
/// The request's node does not exist.
pub fn merged_value(
    world: &Arc<World>,
    question: &Question,
    cancel: &CancelToken,
) -> Result<Option<Preview>, UnknownNode> {
    let asked = question.find(world)?;
    Ok(asked.and_then(|asked| document(&asked, question.scope, Detail::All, cancel)))
}

/// The document for one request.
pub(super) fn document(
    asked: &NodeQuestion,
    scope: Scope,
    detail: Detail,
    cancel: &CancelToken,
) -> Option<Preview> {
    match scope {
        Scope::Key => one_key(asked, detail, cancel),
        Scope::File => all_keys_of_file(asked, detail, cancel),
        Scope::Node => all_keys_of_node(asked, detail, cancel),
    }
}

fn one_key(asked: &NodeQuestion, detail: Detail, cancel: &CancelToken) -> Option<Preview> {
    let (perspective, key) = (&asked.perspective, asked.key.as_deref()?);
    let entry = Entry::ask(perspective, key, cancel);
    if cancel.is_cancelled() {
        return None;
    }
    let mut page = Page::default();
    match detail {
        Detail::Bare => entry.write_among(perspective, &mut page, detail),
        _ => entry.write_alone(perspective, &mut page, detail),
    }
    let title = format!("{key} · {}", perspective.evaluator.node().name);
    Some(Preview { key: Some(key.to_owned()), ..page.finish(perspective, title) })
}

fn all_keys_of_file(asked: &NodeQuestion, detail: Detail, cancel: &CancelToken) -> Option<Preview> {
    let (perspective, path) = (&asked.perspective, asked.path.as_deref()?);
    let data = data_of(&perspective.world, path)?;
    let shown = perspective.shown_path(path);
    let mut page = Page::default();
    let title = format!("keys of {shown} for {}", asked_for(perspective));
    page.comment(&title, LineKind::Header, None);
    let module = perspective.world.module_of(perspective.evaluator.environment(), path);
    let module = module.map(|(name, _)| name);
    let note = match perspective.reading(module.as_deref(), path) {
        Reading::Always => None,
        Reading::Where(readers) => Some(format!("the file is read only where {readers}")),
        Reading::Unknown => Some("the file is not in the hierarchy of this node".to_owned()),
    };
    if let Some(note) = note {
        page.comment(&note, LineKind::Header, None);
    }
    for key in keys_of_file(&data) {
        if cancel.is_cancelled() {
            return None;
        }
        if page.is_full() {
            break;
        }
        page.plain("");
        Entry::ask(perspective, &key, cancel).write_among(perspective, &mut page, detail);
    }
    let title = format!("{shown} · {}", perspective.evaluator.node().name);
    Some(page.finish(perspective, title))
}

/// The keys that can be looked up, in source order.
fn keys_of_file(data: &DataFile) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for key in data.root_keys() {
        if key.text != LOOKUP_OPTIONS && seen.insert(key.text.to_string()) {
            keys.extend(as_lookup_key(&key.text));
        }
    }
    keys
}

fn as_lookup_key(root: &str) -> Option<String> {
    if key_path::is_verbatim(root) { Some(root.to_owned()) } else { key_path::quote_segment(root) }
}

fn all_keys_of_node(asked: &NodeQuestion, detail: Detail, cancel: &CancelToken) -> Option<Preview> {
    let perspective = &asked.perspective;
    let evaluator = &perspective.evaluator;
    let mut keys = perspective.world.all_keys(evaluator.environment());
    keys.retain(|key| &**key != LOOKUP_OPTIONS);
    // The keys of a class must be next to one another, so that its heading is written once.
    keys.sort_by(|a, b| group_of(a).cmp(&group_of(b)).then_with(|| a.cmp(b)));
    let mut page = Page::default();
    page.comment(&perspective.asked_for().everything(), LineKind::Header, None);
    classes::write(perspective, &mut page, cancel);
    let mut heading = Heading::default();
    for key in &keys {
        if cancel.is_cancelled() {
            return None;
        }
        if page.is_full() {
            break;
        }
        // No lookup can name a key with both kinds of quotes.
        let Some(asked_key) = as_lookup_key(key) else { continue };
        let entry = Entry::ask(perspective, &asked_key, cancel);
        if !entry.is_there() {
            continue;
        }
        heading.write(group_of(key), &mut page);
        entry.write_among(perspective, &mut page, detail);
    }
    if cancel.is_cancelled() {
        return None;
    }
    let title = format!("whole node · {}", evaluator.node().name);
    Some(page.finish(perspective, title))
}

/// The module and the class of a key: `None` and empty for keys without a module.
fn group_of(key: &str) -> (Option<&str>, &str) {
    let module = module_of_key(key);
    let class = key.rsplit_once("::").map_or("", |(class, _)| class);
    (module, class)
}

/// The module and class of the last key.
#[derive(Default)]
struct Heading {
    last: Option<(Option<String>, String)>,
}

impl Heading {
    fn write(&mut self, (module, class): (Option<&str>, &str), page: &mut Page) {
        let now = (module.map(str::to_owned), class.to_owned());
        let last = self.last.replace(now.clone());
        if last.as_ref() == Some(&now) {
            return;
        }
        page.plain("");
        if last.is_none_or(|last| last.0 != now.0) {
            let title = module.map_or("no module".to_owned(), |name| format!("module {name}"));
            page.comment(&format!("== {title} =="), LineKind::Header, None);
        }
        if !class.is_empty() && Some(class) != module {
            page.comment(&format!("-- class {class} --"), LineKind::Header, None);
        }
    }
}
