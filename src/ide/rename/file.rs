//! The edits that rename every occurrence in one file; they are proved by parsing the result.

use std::sync::Arc;

use super::renaming::{Renaming, Unsayable, beyond, ends_with, key_segment};
use super::spelling;
use crate::data::{DataFile, EntryTree, Format};
use crate::engine::sources::dig_written;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::labelled_edits::{EditLabel, LabelledEdit};
use crate::ide::strings::StringNode;
use crate::syntax::decode_map::DecodeMap;
use crate::syntax::interpolation::{self, Method, Token};
use crate::syntax::key_path::Segment;
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::syntax::{hocon, json, yaml};
use crate::text::edit::apply_edits;
use crate::text::{TextEdit, TextRange};

/// The effect of a rename on a file.
#[derive(Debug, Default)]
pub(super) struct FileRenaming {
    /// The edits.
    pub(super) edits: Vec<LabelledEdit>,
    /// Calls that return the whole value in which something is renamed.
    pub(super) whole_uses: Vec<TextRange>,
    /// Whether a part of the file could not be parsed, and was only searched as text.
    pub(super) is_partly_broken: bool,
    /// Whether such a part contains the old name, whatever it means there.
    pub(super) may_be_left: bool,
}

/// Why a rename is not possible in a file: the place, and the end of a sentence that starts with the place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RenameObstacle {
    pub(super) at: TextRange,
    pub(super) why: String,
}

/// Finds the edits of `data`. `keys` are the places where an index of root keys found the root key.
pub(super) fn rename_in(
    data: &DataFile,
    renaming: &Renaming,
    keys: &[TextRange],
) -> Result<FileRenaming, RenameObstacle> {
    let ways = renaming.ways();
    let ways: Vec<&[Segment]> = ways.iter().map(Vec::as_slice).collect();
    let mut walk = Walk { data, renaming, done: FileRenaming::default(), shared: 0 };
    for entry in data.trees() {
        walk.entry(entry, &ways)?;
    }
    if data.format() == Format::Hocon {
        walk.written_names(&ways);
    }
    if !data.syntax_errors().is_empty() {
        walk.broken_parts(keys);
    }
    let mut done = walk.done;
    done.edits.sort_unstable();
    done.edits.dedup();
    // The edited text is read again, because a rename must not change anything else.
    prove(data, renaming, &ways, &done.edits)?;
    Ok(done)
}

/// Parses the edited file: the new name must be everywhere, and everything else must be unchanged.
fn prove(
    data: &DataFile,
    renaming: &Renaming,
    ways: &[&[Segment]],
    edits: &[LabelledEdit],
) -> Result<(), RenameObstacle> {
    let edits: Vec<TextEdit> = edits.iter().map(|it| it.edit.clone()).collect();
    let edited = (!edits.is_empty()).then(|| {
        let outcome = apply_edits(data.text(), &edits);
        DataFile::new(data.file(), data.format(), outcome.into())
    });
    // A file without edits must not contain the name; it does not need to be parsed again for that.
    let outcome = edited.as_ref().unwrap_or(data);
    let pairs = |data: &DataFile| -> Vec<(Pair, u32)> {
        let pair = |entry: EntryTree<'_>| {
            let pair = Pair { key: entry.key.clone(), value: entry.value.clone() };
            (pair, entry.start)
        };
        let mut pairs: Vec<_> = data.trees().map(pair).collect();
        if data.format() == Format::Hocon {
            // The order of a HOCON object depends on its names.
            for (pair, _) in &mut pairs {
                sort_by_name(pair, renaming);
            }
        }
        pairs
    };
    let (mut before, mut after) = (pairs(data), pairs(outcome));
    if data.format() == Format::Hocon {
        let name = |it: &(Pair, u32)| name_of(&it.0.key, renaming);
        before.sort_by_key(name);
        after.sort_by_key(name);
    }
    let wrong = before.iter().zip(&after).find(|(old, new)| {
        let is_root_key = |key: &Node| !interpolation::may_have_tokens(text_of(key));
        if is_root_key(&old.0.key) {
            return !renaming.leads_pair_to(&old.0, &new.0, ways);
        }
        // Root keys are not interpolated.
        text_of(&old.0.key) != text_of(&new.0.key)
            || !renaming.leads_to(&old.0.value, &new.0.value, &[])
    });
    let wrong = wrong.map(|(old, _)| old.0.key.range.shifted(old.1));
    let lost = (before.len() != after.len()).then(|| TextRange::empty(0));
    match wrong.or(lost) {
        Some(at) => Err(RenameObstacle {
            at,
            why: format!("`{}` cannot be written there without other changes", renaming.new_name),
        }),
        None => Ok(()),
    }
}

fn text_of(key: &Node) -> &str {
    match &key.kind {
        NodeKind::Scalar { text, .. } => text,
        _ => "",
    }
}

/// A name that is the same for both spellings, to sort by.
fn name_of(key: &Node, renaming: &Renaming) -> String {
    let text = text_of(key);
    let is_old = matches!(renaming.path.last(), Some(Segment::Name(old)) if **old == *text);
    if is_old { renaming.new_name.to_string() } else { text.to_owned() }
}

fn sort_by_name(pair: &mut Pair, renaming: &Renaming) {
    sort_node(&mut pair.value, renaming);
}

fn sort_node(node: &mut Node, renaming: &Renaming) {
    match &mut node.kind {
        NodeKind::Mapping(pairs) => {
            for pair in pairs.iter_mut() {
                sort_by_name(pair, renaming);
            }
            pairs.sort_by_key(|pair| name_of(&pair.key, renaming));
        }
        NodeKind::Sequence(items) => items.iter_mut().for_each(|item| sort_node(item, renaming)),
        _ => {}
    }
}

struct Walk<'a> {
    data: &'a DataFile,
    renaming: &'a Renaming,
    done: FileRenaming,
    /// The number of enclosing nodes with an anchor that some alias uses.
    shared: usize,
}

impl<'a> Walk<'a> {
    fn entry(&mut self, entry: EntryTree<'a>, ways: &[&[Segment]]) -> Result<(), RenameObstacle> {
        let keys_before = self.done.edits.iter().filter(|it| it.label == EditLabel::Key).count();
        self.pair(entry, (entry.key, entry.value), ways, true)?;
        let keys = self.done.edits.iter().filter(|it| it.label == EditLabel::Key).count();
        if self.renaming.path.len() > 1
            && keys == keys_before
            && self.data.format() != Format::Hocon
            && key_segment(entry.key).as_ref() == self.renaming.path.first()
        {
            self.refuse_borrowed(entry)?;
        }
        Ok(())
    }

    /// A sub key that a lookup finds, but that is not written below its root key.
    fn refuse_borrowed(&self, entry: EntryTree<'_>) -> Result<(), RenameObstacle> {
        let found = self.data.get(self.renaming.root());
        let found = found
            .and_then(|root| dig_written(&root.value, &self.renaming.path[1..], root.key_place));
        match found {
            Some((place, _)) if !entry.range().contains_range(place.range) => Err(RenameObstacle {
                at: place.range,
                why: format!(
                    "the key belongs to another value, which `{}` shares",
                    self.renaming.root()
                ),
            }),
            _ => Ok(()),
        }
    }

    fn pair(
        &mut self,
        entry: EntryTree<'a>,
        (key, value): (&'a Node, &'a Node),
        ways: &[&[Segment]],
        is_root: bool,
    ) -> Result<(), RenameObstacle> {
        let segment = key_segment(key);
        if segment.as_ref().is_some_and(|it| ends_with(ways, it)) {
            self.key(entry, key, is_root)?;
        } else if !is_root {
            // Puppet interpolates keys below the root, so they may contain calls.
            self.string(entry, key, &[])?;
        }
        let below = segment.map_or_else(Vec::new, |segment| beyond(ways, &segment));
        self.value(entry, value, &below)
    }

    fn value(
        &mut self,
        entry: EntryTree<'a>,
        node: &'a Node,
        ways: &[&[Segment]],
    ) -> Result<(), RenameObstacle> {
        // An anchor that no alias uses shares nothing.
        let is_shared =
            node.anchor.as_ref().is_some_and(|name| self.data.text().contains(&format!("*{name}")));
        self.shared += usize::from(is_shared);
        match &node.kind {
            NodeKind::Scalar { .. } => self.string(entry, node, ways)?,
            NodeKind::Alias(_) => {}
            NodeKind::Sequence(items) => {
                for (number, item) in (0..).zip(items) {
                    self.value(entry, item, &beyond(ways, &Segment::Index(number)))?;
                }
            }
            NodeKind::Mapping(pairs) => {
                self.refuse_clash(entry, pairs, ways)?;
                for pair in pairs {
                    self.pair(entry, (&pair.key, &pair.value), ways, false)?;
                }
            }
        }
        self.shared -= usize::from(is_shared);
        Ok(())
    }

    /// The new name must not exist beside the old one. In a hash of another file, it must not exist even alone, because merges
    /// put both together.
    fn refuse_clash(
        &self,
        entry: EntryTree<'_>,
        pairs: &[Pair],
        ways: &[&[Segment]],
    ) -> Result<(), RenameObstacle> {
        let new = Segment::Name(self.renaming.new_name.clone());
        let has_old =
            pairs.iter().any(|it| key_segment(&it.key).is_some_and(|it| ends_with(ways, &it)));
        let clash = pairs.iter().find(|it| key_segment(&it.key).as_ref() == Some(&new));
        let is_member = self.renaming.path.len() > 1 && ways.iter().any(|way| way.len() == 1);
        match clash.filter(|_| has_old || is_member) {
            Some(pair) => Err(RenameObstacle {
                at: pair.key.range.shifted(entry.start),
                why: format!("`{}` exists already", self.renaming.new_name),
            }),
            None => Ok(()),
        }
    }

    fn key(
        &mut self,
        entry: EntryTree<'_>,
        key: &Node,
        is_root: bool,
    ) -> Result<(), RenameObstacle> {
        let at = key.range.shifted(entry.start);
        if self.shared > 0 {
            let why = "the value is shared by an alias: the other key would change, too".to_owned();
            return Err(RenameObstacle { at, why });
        }
        // HOCON may build one key of the tree from several places, so `written_names` edits all of them.
        if self.data.format() == Format::Hocon {
            return Ok(());
        }
        let written = key.range.slice(entry.text);
        let is_option = !is_root && text_of(entry.key) == LOOKUP_OPTIONS;
        let label = if is_option { EditLabel::LookupOption } else { EditLabel::Key };
        let text = spelling::key(self.data.format(), written, &self.renaming.new_name);
        self.done.edits.push(LabelledEdit { edit: TextEdit::replace(at, text), label });
        Ok(())
    }

    fn string(
        &mut self,
        entry: EntryTree<'a>,
        node: &'a Node,
        ways: &[&[Segment]],
    ) -> Result<(), RenameObstacle> {
        let Some(string) = StringNode::of(entry.text, node) else { return Ok(()) };
        let at = node.range.shifted(entry.start);
        let edits = self.renaming.token_edits(string.text).map_err(|Unsayable| RenameObstacle {
            at,
            why: format!("no quotes can hold `{}` there", self.renaming.new_name),
        })?;
        if !ways.is_empty()
            && let Some(key) = string.tokens.iter().find_map(aliased_key)
        {
            let why = format!("the value comes from `{key}`: rename the key there");
            return Err(RenameObstacle { at, why });
        }
        let uses_whole =
            |it: &&Token| it.lookup_key().is_some_and(|(key, _)| self.renaming.is_within(key));
        let whole_uses = string.tokens.iter().filter(uses_whole);
        self.done.whole_uses.extend(whole_uses.map(|_| at));
        if edits.is_empty() {
            return Ok(());
        }
        let map = decode_map(self.data.format(), entry.text, node);
        let written = node.range.slice(entry.text);
        for edit in edits {
            let source = match &map {
                Some(map) => map.source_range(edit.range),
                None => string.source_range(edit.range),
            };
            // The string of a `${…}` is written elsewhere.
            if map.is_none() && source == node.range {
                continue;
            }
            let text = spelling::inside(self.data.format(), written, &edit.new_text);
            self.done.edits.push(LabelledEdit {
                edit: TextEdit::replace(source.shifted(entry.start), text),
                label: EditLabel::Interpolation,
            });
        }
        Ok(())
    }

    /// HOCON may write a key several times, and again in substitutions.
    fn written_names(&mut self, ways: &[&[Segment]]) {
        for name in hocon::written_names(self.data.text()) {
            if ways.contains(&&*name.path) {
                let written = name.range.slice(self.data.text());
                let text = spelling::key(Format::Hocon, written, &self.renaming.new_name);
                let is_option =
                    matches!(&name.path[0], Segment::Name(it) if **it == *LOOKUP_OPTIONS);
                let label = if is_option { EditLabel::LookupOption } else { EditLabel::Key };
                let edit = TextEdit::replace(name.range, text);
                self.done.edits.push(LabelledEdit { edit, label });
            }
        }
    }

    /// Text that is not in any tree is searched as plain text.
    fn broken_parts(&mut self, keys: &[TextRange]) {
        let mut start = 0;
        let mut gaps = Vec::new();
        for entry in self.data.trees() {
            let range = entry.range();
            gaps.push((start, range.start));
            start = start.max(range.end);
        }
        gaps.push((start, self.data.text().len() as u32));
        for (start, end) in gaps.into_iter().filter(|(start, end)| start < end) {
            self.broken_part(TextRange::new(start, end), keys);
        }
    }

    fn broken_part(&mut self, part: TextRange, keys: &[TextRange]) {
        let text = part.slice(self.data.text());
        let is_comment = |line: &str| line.trim_start().starts_with('#') || line.trim().is_empty();
        if text.lines().all(is_comment) {
            return;
        }
        self.done.is_partly_broken = true;
        self.done.may_be_left |= text.contains(&**self.renaming.root());
        // Where nothing can be parsed, only the index knows keys, and it has root keys only.
        if self.renaming.path.len() == 1 {
            for key in keys.iter().filter(|key| part.contains_range(**key)) {
                let written = key.slice(self.data.text());
                let text = spelling::key(self.data.format(), written, &self.renaming.new_name);
                let edit = TextEdit::replace(*key, text);
                self.done.edits.push(LabelledEdit { edit, label: EditLabel::Key });
            }
        }
        // The quotes around a token are not known here.
        let is_simple = spelling::is_plain_yaml(&self.renaming.new_name);
        for edit in self.renaming.token_edits(text).unwrap_or_default() {
            if is_simple && !edit.new_text.contains(['\'', '"']) {
                let edit = TextEdit { range: edit.range.shifted(part.start), ..edit };
                self.done.edits.push(LabelledEdit { edit, label: EditLabel::Interpolation });
            }
        }
    }
}

/// Where each byte of a scalar is written; `None` where only looking for it helps.
fn decode_map(format: Format, source: &str, node: &Node) -> Option<DecodeMap> {
    match format {
        Format::Yaml => Some(yaml::decode_map(source, node)),
        Format::Json => Some(json::decode_map(source, node)),
        Format::Hocon => None,
    }
}

fn aliased_key(token: &Token) -> Option<Arc<str>> {
    match &token.expression {
        interpolation::Expression::Call { method: Method::Alias, argument, .. } => {
            Some(argument.clone())
        }
        _ => None,
    }
}
