//! Folding ranges: hashes, lists and strings over several lines, and blocks of comments.

use std::sync::Arc;

use super::file_part::{FilePart, Known, Movable, joined, shifted};
use super::file_role::FileRole;
use crate::data::{DataFile, EntryTree, Format, Section};
use crate::engine::CancelToken;
use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextRange;
use crate::world::World;

/// Lines that can be folded into their first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// From the start of the first line to somewhere in the last line.
    pub range: TextRange,
    /// Whether the lines are comments.
    pub is_comment: bool,
}

/// The folds of the file at `path`, in source order.
pub fn folds(world: &Arc<World>, path: &str) -> Vec<Fold> {
    joined(fold_parts(world, path, &mut |_| false, &CancelToken::default()))
}

/// [`folds`] by section; empty if the request was cancelled.
pub fn fold_parts(
    world: &Arc<World>,
    path: &str,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Vec<FilePart<Fold>> {
    let Some(role) = FileRole::of(world, path) else { return Vec::new() };
    let Ok(file) = world.file(path) else { return Vec::new() };
    let data = file.data(role.format());
    let is_split = data.trees().next().is_some_and(|entry| entry.text.len() < file.text.len());
    if !is_split {
        return vec![of_whole(data)];
    }
    of_sections(data, known, cancel).unwrap_or_default()
}

/// The folds of a file whose entries each have their own text.
fn of_sections(
    data: &DataFile,
    known: Known<'_>,
    cancel: &CancelToken,
) -> Option<Vec<FilePart<Fold>>> {
    let first = data.sections().next().map_or(0, |it| it.range.start);
    let before = comments(TextRange::new(0, first).slice(data.text()));
    let mut parts = vec![FilePart::unnumbered(0, before)];
    for section in data.sections() {
        if cancel.is_cancelled() {
            return None;
        }
        let folds = || Some(of_section(section, data.text()));
        parts.extend(FilePart::of(section.id, section.range.start, known, folds));
    }
    Some(parts)
}

/// The folds of a section, with ranges that count from its start.
fn of_section(section: Section<'_>, text: &str) -> Vec<Fold> {
    let base = section.range.start;
    // Broken entries have no tree, but their comments can be folded.
    let between = |start, end: u32| {
        shifted(comments(TextRange::new(start, end.max(start)).slice(text)), start - base)
    };
    let mut folds = Vec::new();
    let mut end = base;
    for entry in section.trees() {
        folds.extend(between(end, entry.start));
        end = entry.start + entry.text.len() as u32;
        let mut of_entry = comments(entry.text);
        Finder { text: entry.text, folds: &mut of_entry }.pair(entry.key, entry.value);
        folds.extend(shifted(sorted(of_entry), entry.start - base));
    }
    folds.extend(between(end, section.range.end));
    folds
}

/// The folds of a file that cannot be split into entries.
fn of_whole(data: &DataFile) -> FilePart<Fold> {
    // In JSON, a line that starts with `#` is not a comment.
    let is_json = data.format() == Format::Json;
    let mut folds = if is_json { Vec::new() } else { comments(data.text()) };
    for entry in data.trees() {
        Finder { text: data.text(), folds: &mut folds }.entry(&entry);
    }
    FilePart::unnumbered(0, sorted(folds))
}

fn sorted(mut folds: Vec<Fold>) -> Vec<Fold> {
    folds.sort_by_key(|fold| (fold.range.start, std::cmp::Reverse(fold.range.end)));
    folds
}

impl Movable for Fold {
    fn shift(&mut self, by: u32) {
        self.range = self.range.shifted(by);
    }
}

struct Finder<'a> {
    text: &'a str,
    folds: &'a mut Vec<Fold>,
}

impl Finder<'_> {
    /// An entry of a file that cannot be split. A single entry may start after the start of the file.
    fn entry(&mut self, entry: &EntryTree<'_>) {
        let known = self.folds.len();
        Finder { text: entry.text, folds: self.folds }.pair(entry.key, entry.value);
        self.folds[known..].iter_mut().for_each(|fold| fold.shift(entry.start));
    }

    fn pair(&mut self, key: &Node, value: &Node) {
        self.add(key.range.start, value.range.end);
        self.inside(value);
    }

    fn inside(&mut self, value: &Node) {
        match &value.kind {
            NodeKind::Mapping(pairs) => {
                for pair in pairs {
                    self.pair(&pair.key, &pair.value);
                }
            }
            NodeKind::Sequence(items) => {
                for item in items {
                    if !matches!(item.kind, NodeKind::Scalar { .. }) {
                        self.add(item.range.start, item.range.end);
                    }
                    self.inside(item);
                }
            }
            _ => {}
        }
    }

    /// Adds a fold if it has several lines.
    fn add(&mut self, start: u32, end: u32) {
        let range = TextRange::new(start, end.max(start));
        let shown = range.slice(self.text).trim_end();
        if shown.contains('\n') {
            let range = TextRange::new(start, start + shown.len() as u32);
            // A hash in a list starts where its first key does.
            if self.folds.last().is_none_or(|last| last.range != range) {
                self.folds.push(Fold { range, is_comment: false });
            }
        }
    }
}

/// Two or more consecutive lines of comments.
fn comments(text: &str) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut block: Option<(TextRange, usize)> = None;
    let mut at = 0;
    let mut end_block = |block: Option<(TextRange, usize)>| {
        if let Some((range, lines)) = block
            && lines > 1
        {
            folds.push(Fold { range, is_comment: true });
        }
    };
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len() as u32;
        if line.trim_start().starts_with('#') {
            let end = start + line.trim_end().len() as u32;
            block = Some(match block {
                Some((range, lines)) => (TextRange::new(range.start, end), lines + 1),
                None => (TextRange::new(start, end), 1),
            });
        } else {
            end_block(block.take());
        }
    }
    end_block(block);
    folds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;

    /// `expected`: first and last line of each fold, from 1, with `#` for comments.
    #[track_caller]
    fn check(files: &str, expected: &str) {
        let fixture = Fixture::parse(files);
        let file = fixture.files.last().expect("the fixture has a file");
        let line = |offset: u32| file.text[..offset as usize].matches('\n').count() + 1;
        let show = |fold: &Fold| {
            let mark = if fold.is_comment { "#" } else { "" };
            format!("{mark}{}-{}", line(fold.range.start), line(fold.range.end))
        };
        let folds = folds(&fixture.world(), &file.world_path());
        assert_eq!(folds.iter().map(show).collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn keys_with_more_than_one_line() {
        check(
            "a:\n  b:\n    - 1\n    - 2\n\n\nc: 1\nd: |\n  x\n  y\ne: {f: 1,\n  g: 2}\n",
            "1-4 2-4 8-10 11-12",
        );
        check("a:\n  - b: 1\n    c: 2\n  - d\n", "1-4 2-3");
    }

    #[test]
    fn comments_and_broken_files() {
        check("# one\n# two\na: 1\n# three\nb:\n  - 1\n", "#1-2 5-6");
        check("a:\n  - 1\nb: [\nc:\n  - 1\n", "1-2 4-5");
    }
}
