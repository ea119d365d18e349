//! A merged value as YAML: each leaf with its origin, and overridden parts as comments at their places.

use std::collections::HashSet;

use super::LineKind;
use super::page::{Mark, Page};
use crate::data::{Hash, Located, Place, Value, render};
use crate::ide::perspective::Perspective;

/// Writes values to a page.
pub(super) struct Writer<'a> {
    pub(super) perspective: &'a Perspective,
    pub(super) page: &'a mut Page,
    pub(super) detail: Detail,
    /// `knockout_prefix` of the merge strategy.
    pub(super) knockout: Option<String>,
    /// The number of `- ` before the next line's text.
    dashes: usize,
    ghost: Option<Ghost>,
}

/// What is written in addition to the value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Detail {
    /// Only the value.
    Bare,
    /// The value with its origins.
    Origins,
    /// The value with its origins and its overridden parts.
    All,
}

/// How overridden lines are written.
#[derive(Debug, Clone)]
struct Ghost {
    /// The column of the `#`.
    base: usize,
    kind: LineKind,
    /// Why they are overridden.
    why: String,
}

impl<'a> Writer<'a> {
    pub(super) fn new(perspective: &'a Perspective, page: &'a mut Page, detail: Detail) -> Self {
        Self { perspective, page, detail, knockout: None, dashes: 0, ghost: None }
    }

    /// Writes `key: value`. `parts` are the values of all levels here, the highest first.
    pub(super) fn member(
        &mut self,
        indent: usize,
        (key, key_place): (&Value, Option<Place>),
        value: &Located,
        parts: &[&Located],
    ) {
        let lead = format!("{}:", render::to_yaml_key(key));
        self.value(indent, &lead, key_place, value, parts);
    }

    /// Writes `key: value` of a level without a part in the value.
    pub(super) fn hidden_member(&mut self, key: (&Value, Option<Place>), value: &Located) {
        self.ghost(0, LineKind::Overridden, "overridden".to_owned(), |writer| {
            writer.member(0, key, value, &[]);
        });
    }

    /// Writes `key: value` of a case.
    pub(super) fn case_member(
        &mut self,
        key: (&Value, Option<Place>),
        value: &Located,
        when: String,
    ) {
        self.commented(0, LineKind::Case, when, |writer| writer.member(0, key, value, &[]));
    }

    /// Writes a value after `lead`, which is empty for an item of a list.
    fn value(
        &mut self,
        indent: usize,
        lead: &str,
        key_place: Option<Place>,
        value: &Located,
        parts: &[&Located],
    ) {
        if self.page.is_full() {
            return;
        }
        let inner = if lead.is_empty() { indent } else { indent + 2 };
        let hidden = match &value.value {
            Value::Hash(hash) if !hash.is_empty() => {
                self.heading(indent, lead, key_place.or(value.place));
                self.hash(inner, hash, parts);
                others(parts, |part| matches!(part, Value::Hash(_)))
            }
            Value::Array(items) if !items.is_empty() => {
                self.heading(indent, lead, key_place.or(value.place));
                // `array` writes the hidden items itself, each at the end of its list.
                self.array(inner, items, parts);
                Vec::new()
            }
            _ => {
                self.leaf(indent, lead, value, value.place.or(key_place));
                hidden_by_leaf(value, parts)
            }
        };
        for part in hidden {
            self.ghost(indent, LineKind::Overridden, "overridden".to_owned(), |writer| {
                writer.value(indent, lead, None, part, &[]);
            });
        }
    }

    fn heading(&mut self, indent: usize, lead: &str, place: Option<Place>) {
        if !lead.is_empty() {
            self.emit(indent, lead, Mark::of(LineKind::Value, place));
        }
    }

    fn hash(&mut self, indent: usize, hash: &Hash, parts: &[&Located]) {
        let below: Vec<&Hash> = parts.iter().filter_map(|part| part.value.as_hash()).collect();
        for (key, member) in hash {
            if self.page.is_full() {
                return;
            }
            let parts = below.iter().filter_map(|hash| Some(&hash.get_value(key)?.value));
            let parts: Vec<&Located> = parts.collect();
            self.member(indent, (key, member.key_place), &member.value, &parts);
        }
        // Without a merge, members that only lower levels have are lost.
        let mut shown = HashSet::new();
        for (key, member) in below.iter().flat_map(|hash| hash.iter()) {
            if hash.get_value(key).is_none() && shown.insert(key) {
                let parts = below.iter().filter_map(|hash| Some(&hash.get_value(key)?.value));
                let parts: Vec<&Located> = parts.collect();
                self.ghost(indent, LineKind::Overridden, "overridden".to_owned(), |writer| {
                    writer.member(indent, (key, member.key_place), &member.value, &parts);
                });
            }
        }
    }

    fn array(&mut self, indent: usize, items: &[Located], parts: &[&Located]) {
        for item in items {
            if self.page.is_full() {
                return;
            }
            self.item(indent, item);
        }
        if parts.is_empty() {
            return;
        }
        let counting: HashSet<&Value> = items.iter().map(|item| &item.value).collect();
        let mut shown = HashSet::new();
        let mut gone = Vec::new();
        for part in parts {
            uncounted(part, &counting, &mut gone);
        }
        for item in gone {
            // An item that only removes another one is not a value that is lost.
            if shown.insert(&item.value) && !self.is_knockout(&item.value) {
                let (kind, why) = self.reason(item, parts);
                self.ghost(indent, kind, why, |writer| writer.item(indent, item));
            }
        }
    }

    fn item(&mut self, indent: usize, item: &Located) {
        self.dashes += 1;
        self.value(indent + 2, "", item.place, item, &[]);
    }

    fn leaf(&mut self, indent: usize, lead: &str, value: &Located, place: Option<Place>) {
        let text = render::to_yaml_leaf(&self.perspective.without_secrets(value));
        let mut lines = text.strip_suffix('\n').unwrap_or(&text).split('\n');
        let first = lines.next().unwrap_or_default();
        let blank = if lead.is_empty() || first.is_empty() { "" } else { " " };
        let kind = LineKind::Value;
        let origin = place.map(|place| self.perspective.shown_place(place));
        let mark = Mark { kind: Some(kind), place, origin };
        self.emit(indent, &format!("{lead}{blank}{first}"), mark);
        for line in lines {
            // A block already has an indentation of two, and two more than its key.
            let block_indent = if lead.is_empty() { indent.saturating_sub(2) } else { indent };
            self.emit_block_line(block_indent, line, Mark::of(kind, place));
        }
    }

    /// Lets `write` write overridden parts.
    fn ghost(&mut self, base: usize, kind: LineKind, why: String, write: impl FnOnce(&mut Self)) {
        if !matches!(self.detail, Detail::All) {
            return;
        }
        self.commented(base, kind, why, write);
    }

    /// Lets `write` write comments.
    fn commented(
        &mut self,
        base: usize,
        kind: LineKind,
        why: String,
        write: impl FnOnce(&mut Self),
    ) {
        // The parts of an overridden part are comments already.
        if self.ghost.is_some() {
            return write(self);
        }
        self.ghost = Some(Ghost { base, kind, why });
        write(self);
        self.ghost = None;
    }

    fn emit(&mut self, indent: usize, text: &str, mark: Mark) {
        let dashes = std::mem::take(&mut self.dashes);
        let indent = indent.saturating_sub(2 * dashes);
        let line = format!("{}{}", "- ".repeat(dashes), text);
        self.write(indent, &line, mark);
    }

    fn emit_block_line(&mut self, indent: usize, text: &str, mark: Mark) {
        if text.is_empty() { self.write(0, "", mark) } else { self.write(indent, text, mark) }
    }

    fn write(&mut self, indent: usize, text: &str, mut mark: Mark) {
        if matches!(self.detail, Detail::Bare) {
            mark.origin = None;
        }
        match &self.ghost {
            None => self.page.line(&format!("{}{text}", " ".repeat(indent)), mark),
            Some(ghost) => {
                let inner = " ".repeat(indent.saturating_sub(ghost.base));
                // The `#` is in the first column of the part, so the text after it keeps its shape.
                let line = format!("{}# {inner}{text}", " ".repeat(ghost.base));
                mark.kind = Some(ghost.kind);
                let is_case = ghost.kind == LineKind::Case;
                mark.origin = match mark.origin {
                    // Windows may be too narrow for both, and the condition distinguishes the cases.
                    Some(origin) if is_case => Some(format!("{} · {origin}", ghost.why)),
                    Some(origin) => Some(format!("{origin} · {}", ghost.why)),
                    None => is_case.then(|| ghost.why.clone()),
                };
                self.page.line(line.trim_end(), mark);
            }
        }
    }

    /// Whether an item only names what to remove.
    fn is_knockout(&self, item: &Value) -> bool {
        let text = item.as_str();
        self.knockout.as_ref().is_some_and(|it| text.is_some_and(|text| text.starts_with(&**it)))
    }

    /// Why an item of a list is not part of the value.
    fn reason(&self, item: &Located, parts: &[&Located]) -> (LineKind, String) {
        let knocks_out = |prefix: &String| {
            let named = item.value.as_str().map(|text| format!("{prefix}{text}"));
            let names = |it: &&Located| {
                let text = it.value.as_str();
                text.is_some() && (text == Some(prefix) || text == named.as_deref())
            };
            items_of(parts).find(names)
        };
        match self.knockout.as_ref().and_then(knocks_out) {
            Some(by) => {
                let place = by.place.map(|place| self.perspective.shown_place(place));
                let place = place.map_or(String::new(), |place| format!(" in {place}"));
                (LineKind::Removed, format!("knocked out{place}"))
            }
            None => (LineKind::Overridden, "overridden".to_owned()),
        }
    }
}

/// The parts of another kind.
fn others<'p>(parts: &[&'p Located], is_same: impl Fn(&Value) -> bool) -> Vec<&'p Located> {
    parts.iter().copied().filter(|part| !is_same(&part.value)).collect()
}

/// The parts that a leaf hides: all except its own.
fn hidden_by_leaf<'p>(leaf: &Located, parts: &[&'p Located]) -> Vec<&'p Located> {
    let is_winner = |part: &&Located| leaf.place.is_some() && part.place == leaf.place;
    // A value without a place of its own comes from the highest part.
    let winner = parts.iter().position(is_winner).unwrap_or(0);
    let hidden = parts.iter().enumerate().filter(|(at, _)| *at != winner);
    hidden.map(|(_, part)| *part).collect()
}

/// The items of a list and of nested lists that are not part of the value; a value that is not a list is one item.
fn uncounted<'p>(part: &'p Located, counting: &HashSet<&Value>, into: &mut Vec<&'p Located>) {
    match &part.value {
        counted if counting.contains(counted) => {}
        Value::Array(items) => items.iter().for_each(|item| uncounted(item, counting, into)),
        _ => into.push(part),
    }
}

/// All items of some lists.
fn items_of<'p>(parts: &[&'p Located]) -> impl Iterator<Item = &'p Located> {
    parts.iter().flat_map(|part| part.value.as_array().unwrap_or_default())
}
