//! Ruby's `Dir.glob` over the files of a snapshot: bytewise order, dot files, braces in the order written.
//!
//! No glob library has Ruby's order and rules, so this follows Ruby's own matcher step by step. A set of patterns walks down
//! the tree; `**/` stays in the set, and a brace is expanded when the walk reaches the name that contains it.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::path;
use crate::data::{DirItem, Files, OddItem, Oddity, PathKind};
use crate::limits::{MAX_DATA_FILES, MAX_DIRECTORY_DEPTH, MAX_GLOB_NAMES};

mod braces;
mod holes;
mod name;
mod whole_path;

use braces::expand_braces;
pub use holes::{HoleTexts, Search, Splits, has_hole_in_brackets, texts_of_holes};
use name::{matches_name, without_escapes};
pub use whole_path::matches_path;

/// The number of bytes of a pattern that messages show.
const MAX_SHOWN: usize = 200;

/// Files (not directories) that match the absolute `pattern`, in the order of Ruby 3.0 and later. If there are too many names
/// to compare, the rest is left out, and `files` records it.
pub fn glob(files: &dyn Files, pattern: &str) -> Vec<Arc<str>> {
    matching(files, pattern, PathKind::File)
}

/// [`glob`] for directories.
pub fn glob_directories(files: &dyn Files, pattern: &str) -> Vec<Arc<str>> {
    matching(files, pattern, PathKind::Directory)
}

fn matching(files: &dyn Files, pattern: &str, wanted: PathKind) -> Vec<Arc<str>> {
    let root_end = pattern.find('/').map_or(0, |slash| slash + 1);
    let (root, rest) = pattern.split_at(root_end);
    let mut walk = Walk {
        files,
        wanted,
        found: Vec::new(),
        alternatives: HashMap::new(),
        names: 0,
        is_cut: false,
    };
    walk.enter(Spot { path: root, kind: None, depth: 0, is_below_magic: false }, &[&cut(rest)]);
    if walk.is_cut {
        let fixed = pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len());
        let directory = pattern[..fixed].rsplit_once('/').map_or("/", |(it, _)| it).to_owned();
        let pattern: String = pattern.chars().take(MAX_SHOWN).collect();
        let why = format!(
            "the glob {pattern} matches more than hiera-ls reads ({MAX_GLOB_NAMES} names in directories \
             {MAX_DIRECTORY_DEPTH} deep, {MAX_DATA_FILES} files)"
        );
        files.left_out(&directory, why);
    }
    walk.found
}

/// One name of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// One or several `**/`.
    Recursive,
    /// A name with `{`.
    Brace(String),
    /// A name with `*`, `?` or `[`.
    Magical(String),
    /// Any other name.
    Plain(String),
    /// The pattern ends with `/`, so it matches only directories.
    DirectoryEnd,
}

struct Walk<'a> {
    files: &'a dyn Files,
    /// What the pattern is to find.
    wanted: PathKind,
    found: Vec<Arc<str>>,
    /// The expansions of names with braces.
    alternatives: HashMap<String, Rc<[String]>>,
    /// The number of names that were compared.
    names: usize,
    /// Whether a limit was reached.
    is_cut: bool,
}

/// The current position of the walk.
#[derive(Debug, Clone, Copy)]
struct Spot<'p> {
    path: &'p str,
    /// The kind of the path, if a directory's listing showed it.
    kind: Option<PathKind>,
    /// The number of names after the root.
    depth: usize,
    /// Whether one of them came from a directory's listing.
    is_below_magic: bool,
}

impl Walk<'_> {
    /// Continues from `spot`, below which `patterns` must still be matched.
    fn enter(&mut self, spot: Spot<'_>, patterns: &[&[Part]]) {
        let is_recursive = patterns.iter().any(|it| it.first() == Some(&Part::Recursive));
        let nexts: Vec<Option<&Part>> =
            patterns.iter().map(|it| it.iter().find(|part| **part != Part::Recursive)).collect();
        if !is_recursive && nexts.iter().any(|it| matches!(it, Some(Part::Brace(_)))) {
            // Ruby also expands only the first pattern here, even if there are several.
            let alternatives = expand_braces(&rejoin(patterns[0]));
            self.is_cut |= alternatives.is_cut;
            for alternative in alternatives.texts {
                if !self.may_go_on(1) {
                    return;
                }
                self.enter(spot, &[&cut(&alternative)]);
            }
            return;
        }
        if patterns.iter().any(|it| it.is_empty()) {
            let kind = spot.kind.unwrap_or_else(|| path::kind(self.files, spot.path));
            let is_broken_link =
                || kind == PathKind::Missing && is_broken_link(self.files, spot.path);
            if kind == self.wanted || (self.wanted == PathKind::File && is_broken_link()) {
                self.found.push(spot.path.into());
            }
        }
        if spot.kind == Some(PathKind::File) {
            return;
        }
        if spot.depth > MAX_DIRECTORY_DEPTH {
            self.is_cut = true;
            return;
        }
        if is_recursive || nexts.iter().any(|it| matches!(it, Some(Part::Magical(_)))) {
            if !is_recursive && !spot.is_below_magic {
                self.enter_item(spot, &the_directory_itself(), patterns);
            }
            let Some(directory) = path::resolve(self.files, spot.path) else { return };
            let mut items = self.files.list(&directory);
            let odd = self.files.odd_items(&directory);
            if !odd.is_empty() {
                items = with_broken_links(&items, &odd);
                self.tell_names_that_are_not_utf8(&directory, &odd, patterns);
            }
            for item in items.iter() {
                if !self.may_go_on(patterns.len()) {
                    return;
                }
                self.enter_item(spot, item, patterns);
            }
        } else {
            self.enter_plain_names(spot, patterns);
        }
    }

    /// Puppet reads files with such names; paths are texts here.
    fn tell_names_that_are_not_utf8(
        &mut self,
        directory: &str,
        odd: &[OddItem],
        patterns: &[&[Part]],
    ) {
        for odd in odd.iter().filter(|it| it.oddity == Oddity::NotUtf8) {
            let item = DirItem { name: odd.name.clone(), is_directory: false, is_link: false };
            if self.patterns_below(patterns, &item).iter().any(|it| it.is_empty()) {
                let path = format!("{directory}/{}", odd.name);
                let why = format!("{path} is not read, because its name is not UTF-8");
                self.files.left_out(&path, why);
            }
        }
    }

    /// Counts compared names. Returns false once there are too many.
    fn may_go_on(&mut self, names: usize) -> bool {
        self.names += names;
        self.is_cut |= self.names > MAX_GLOB_NAMES || self.found.len() >= MAX_DATA_FILES;
        self.names <= MAX_GLOB_NAMES && self.found.len() < MAX_DATA_FILES
    }

    fn enter_item(&mut self, spot: Spot<'_>, item: &DirItem, patterns: &[&[Part]]) {
        let below = self.patterns_below(patterns, item);
        if !below.is_empty() {
            let kind = if item.is_directory { PathKind::Directory } else { PathKind::File };
            let path = join_name(spot, &item.name);
            let depth = spot.depth + 1;
            self.enter(Spot { path: &path, kind: Some(kind), depth, is_below_magic: true }, &below);
        }
    }

    /// The patterns that remain below `item`: `**/` stays, except in hidden directories and behind links.
    fn patterns_below<'p>(&mut self, patterns: &[&'p [Part]], item: &DirItem) -> Vec<&'p [Part]> {
        let mut below: Vec<&[Part]> = Vec::new();
        for pattern in patterns {
            let mut pattern = *pattern;
            if pattern.first() == Some(&Part::Recursive) {
                if item.is_directory && !item.is_link && !item.name.starts_with('.') {
                    below.push(pattern);
                }
                pattern = &pattern[1..];
            }
            let is_match = match pattern.first() {
                Some(Part::Brace(text)) => {
                    let alternatives = self.alternatives_of(text);
                    self.names += alternatives.len();
                    alternatives.iter().any(|alternative| matches_name(alternative, &item.name))
                }
                Some(Part::Plain(text) | Part::Magical(text)) => matches_name(text, &item.name),
                _ => false,
            };
            if is_match && !below.contains(&&pattern[1..]) {
                below.push(&pattern[1..]);
            }
        }
        below
    }

    fn alternatives_of(&mut self, name: &str) -> Rc<[String]> {
        if let Some(known) = self.alternatives.get(name) {
            return known.clone();
        }
        let alternatives = expand_braces(name);
        self.is_cut |= alternatives.is_cut;
        let texts: Rc<[String]> = alternatives.texts.into();
        self.alternatives.insert(name.to_owned(), texts.clone());
        texts
    }

    fn enter_plain_names(&mut self, spot: Spot<'_>, patterns: &[&[Part]]) {
        let mut plain: Vec<(&String, &[Part])> = patterns
            .iter()
            .filter_map(|pattern| match pattern.split_first() {
                Some((Part::Plain(name), rest)) => Some((name, rest)),
                _ => None,
            })
            .collect();
        while let Some(&(first, _)) = plain.first() {
            let name = without_escapes(first);
            // Ruby follows patterns with the same next name together, so it finds what is below that name only once.
            let below: Vec<&[Part]> = plain
                .extract_if(.., |(other, _)| *other == first || matches_name(other, &name))
                .map(|(_, rest)| rest)
                .collect();
            let path = join_name(spot, &name);
            self.enter(Spot { path: &path, kind: None, depth: spot.depth + 1, ..spot }, &below);
        }
    }
}

/// Ruby finds links without following them, so a link that leads nowhere counts as a file.
fn with_broken_links(items: &[DirItem], odd: &[OddItem]) -> Arc<[DirItem]> {
    let broken = odd.iter().filter(|it| it.oddity == Oddity::BrokenLink);
    let broken =
        broken.map(|it| DirItem { name: it.name.clone(), is_directory: false, is_link: true });
    let mut items: Vec<DirItem> = items.iter().cloned().chain(broken).collect();
    items.sort_unstable();
    items.into()
}

/// Whether there is a link at `path` that leads nowhere, which a glob finds.
pub(crate) fn is_broken_link(files: &dyn Files, path: &str) -> bool {
    let Some(plain) = path::resolve(files, path) else { return false };
    let Some((directory, name)) = plain.rsplit_once('/') else { return false };
    let directory = if directory.is_empty() { "/" } else { directory };
    let is_it = |it: &OddItem| it.oddity == Oddity::BrokenLink && *it.name == *name;
    files.odd_items(directory).iter().any(is_it)
}

/// Ruby matches it with the first magical name, so that `.*/x` finds `./x`, but not below a `**/`.
fn the_directory_itself() -> DirItem {
    DirItem { name: ".".into(), is_directory: true, is_link: false }
}

fn join_name(spot: Spot<'_>, name: &str) -> String {
    let slash = if spot.depth == 0 { "" } else { "/" };
    [spot.path, slash, name].concat()
}

/// Splits a pattern at its slashes, except those inside `[…]` and `{…}`.
fn cut(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        if let Some(mut after) = rest.strip_prefix("**/") {
            // As in Ruby, several `**/` in sequence mean the same as one. Otherwise every directory would be searched several times.
            while let Some(more) = after.trim_start_matches('/').strip_prefix("**/") {
                after = more;
            }
            parts.push(Part::Recursive);
            rest = after.trim_start_matches('/');
            if rest.is_empty() {
                parts.push(Part::DirectoryEnd);
            }
            continue;
        }
        let end = end_of_name(rest);
        parts.push(classify(&rest[..end]));
        rest = &rest[end..];
        if let Some(after) = rest.strip_prefix('/') {
            rest = after;
            if rest.is_empty() {
                parts.push(Part::DirectoryEnd);
            }
        }
    }
    parts
}

/// Where the first name of `pattern` ends.
fn end_of_name(pattern: &str) -> usize {
    let mut is_open = false;
    let mut is_escaped = false;
    for (index, byte) in pattern.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            // Ruby has one flag for both kinds of brackets, so a `]` also ends a `{`.
            b'[' | b'{' => is_open = true,
            b']' | b'}' => is_open = false,
            b'\\' => is_escaped = true,
            b'/' if !is_open => return index,
            _ => {}
        }
    }
    pattern.len()
}

fn classify(name: &str) -> Part {
    let mut is_magical = false;
    let mut is_escaped = false;
    for byte in name.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'{' => return Part::Brace(name.to_owned()),
            b'*' | b'?' | b'[' => is_magical = true,
            b'\\' => is_escaped = true,
            _ => {}
        }
    }
    if is_magical { Part::Magical(name.to_owned()) } else { Part::Plain(name.to_owned()) }
}

/// The text that [`cut`] split.
fn rejoin(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts
        .iter()
        .map(|part| match part {
            Part::Recursive => "**",
            Part::Brace(text) | Part::Magical(text) | Part::Plain(text) => text,
            Part::DirectoryEnd => "",
        })
        .collect();
    texts.join("/")
}

#[cfg(test)]
mod tests;
