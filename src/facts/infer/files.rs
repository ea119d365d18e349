//! The files that a template fits, as rows of variables and texts.

use std::collections::HashSet;
use std::sync::Arc;

use super::pattern::{self, Segment};
use super::variables::Variables;
use super::{ListDirectory, MAX_INFERRED_NODES, Template};

/// A template with variables, and what its existing files make of them.
#[derive(Debug)]
pub(super) struct Level {
    /// The numbers of its variables, each once.
    numbers: Vec<usize>,
    /// One row per file, in the order of the files' paths; no two are the same.
    pub(super) rows: Vec<Row>,
    /// The first file of each row.
    pub(super) files: Vec<String>,
    /// The directory that all files lie in, whatever the variables.
    base: String,
}

/// Texts of variables, by the variables' numbers, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Row {
    texts: Vec<(usize, Arc<str>)>,
}

/// The levels of those of `templates` that have variables, and no calls that only a lookup can answer.
///
/// A file that several of them fit belongs to those that spell out most of its path: beside `common/roles/%{role}.yaml`,
/// `common` is nobody's `%{location}`.
pub(super) fn levels(
    templates: &[Template],
    list: ListDirectory<'_>,
    variables: &mut Variables,
) -> Vec<Level> {
    let paths: Vec<TemplatePath<'_>> =
        templates.iter().filter_map(|it| TemplatePath::new(it, variables)).collect();
    let of_variables = paths.iter().filter(|path| !path.numbers().is_empty());
    of_variables.filter_map(|path| path.level(&paths, list)).collect()
}

/// A template, cut.
struct TemplatePath<'a> {
    datadir: &'a str,
    is_absolute: bool,
    segments: Vec<Segment>,
    literal_names: usize,
}

impl<'a> TemplatePath<'a> {
    fn new(template: &'a Template, variables: &mut Variables) -> Option<Self> {
        let path = format!("{}/{}", template.datadir, template.path);
        let segments = pattern::segments(&path, template, variables)?;
        let literal_names = pattern::literal_names(&segments);
        let is_absolute = path.starts_with('/');
        Some(Self { datadir: &template.datadir, is_absolute, segments, literal_names })
    }

    /// The numbers of its variables, each once.
    fn numbers(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = self.segments.iter().flat_map(Segment::variables).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    fn level(&self, all: &[Self], list: ListDirectory<'_>) -> Option<Level> {
        let spell_out_more = |it: &&Self| {
            it.literal_names > self.literal_names
                && it.segments.len() == self.segments.len()
                && it.datadir == self.datadir
        };
        let owners = all.iter().filter(spell_out_more).map(|it| &*it.segments).collect();
        let mut walk =
            Walk { list, owners, rows: Vec::new(), files: Vec::new(), seen: HashSet::new() };
        let root = if self.is_absolute { "" } else { self.segments.first()?.literal()? };
        let below = if self.is_absolute { &self.segments[..] } else { &self.segments[1..] };
        walk.directory(root, below, &Row::default());
        let base = base_of(self.datadir);
        Some(Level { numbers: self.numbers(), rows: walk.rows, files: walk.files, base })
    }
}

/// The part of a data directory before the name with the first variable.
fn base_of(datadir: &str) -> String {
    let fixed = datadir.split("%{").next().unwrap_or(datadir);
    let is_whole = fixed.len() == datadir.len();
    let end = if is_whole { fixed.len() } else { fixed.rfind('/').unwrap_or(0) };
    fixed[..end].trim_end_matches('/').to_owned()
}

impl Level {
    /// The numbers of its variables.
    pub(super) fn variables(&self) -> impl Iterator<Item = usize> {
        self.numbers.iter().copied()
    }

    /// What a node is called that is there for `file` alone: its path in the data directory, without extension.
    pub(super) fn name_of<'f>(&self, file: &'f str) -> &'f str {
        let path = file.strip_prefix(&self.base).unwrap_or(file).trim_start_matches('/');
        let name = path.rfind('/').map_or(path, |at| &path[at + 1..]);
        match name.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => {
                &path[..path.len() - extension.len() - 1]
            }
            _ => path,
        }
    }

    /// The texts that `row` has for the level's variables; `None` if it has not all of them. Two rows with the same texts
    /// read the same file.
    pub(super) fn texts_of(&self, row: &Row) -> Option<Vec<Arc<str>>> {
        self.variables().map(|it| row.get(it).cloned()).collect()
    }
}

impl Row {
    /// The text of a variable.
    pub(super) fn get(&self, number: usize) -> Option<&Arc<str>> {
        self.texts.iter().find(|(it, _)| *it == number).map(|(_, text)| text)
    }

    /// Gives a variable a text.
    pub(super) fn set(&mut self, number: usize, text: Arc<str>) {
        match self.texts.iter_mut().find(|(it, _)| *it == number) {
            Some((_, there)) => *there = text,
            None => self.texts.push((number, text)),
        }
    }

    /// All variables that have a text, in the order they got it.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Arc<str>)> {
        self.texts.iter().map(|(number, text)| (*number, text))
    }

    /// All texts, each once.
    pub(super) fn texts(&self) -> Vec<Arc<str>> {
        let mut texts: Vec<Arc<str>> = Vec::new();
        for (_, text) in &self.texts {
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        }
        texts
    }

    /// Whether no variable has another text in `other`.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        other.iter().all(|(number, text)| self.get(number).is_none_or(|it| it == text))
    }

    /// Takes over the texts of variables that have none yet.
    pub(super) fn take_missing_from(&mut self, other: &Self) {
        for (number, text) in other.iter() {
            if self.get(number).is_none() {
                self.set(number, text.clone());
            }
        }
    }
}

/// Goes down the directories that fit.
struct Walk<'a> {
    list: ListDirectory<'a>,
    /// The files of these templates are theirs.
    owners: Vec<&'a [Segment]>,
    rows: Vec<Row>,
    files: Vec<String>,
    seen: HashSet<Row>,
}

impl Walk<'_> {
    fn directory(&mut self, directory: &str, segments: &[Segment], row: &Row) {
        let Some((segment, rest)) = segments.split_first() else { return };
        if let Some(name) = segment.literal().filter(|_| !rest.is_empty()) {
            return self.directory(&format!("{directory}/{name}"), rest, row);
        }
        for item in (self.list)(if directory.is_empty() { "/" } else { directory }).iter() {
            if self.rows.len() == MAX_INFERRED_NODES {
                return;
            }
            let mut row = row.clone();
            if item.is_directory == rest.is_empty() || !segment.fit(&item.name, &mut row) {
                continue;
            }
            if !rest.is_empty() {
                self.directory(&format!("{directory}/{}", item.name), rest, &row);
                continue;
            }
            let file = format!("{directory}/{}", item.name);
            let is_ours = || !self.owners.iter().any(|owner| pattern::fits(owner, &file));
            if !self.seen.contains(&row) && is_ours() {
                self.seen.insert(row.clone());
                self.files.push(file);
                self.rows.push(row);
            }
        }
    }
}
