//! Ruby's `Dir.glob` over the files of a snapshot: bytewise order, dot files, braces in the order written.
//!
//! No glob library has Ruby's order and rules, so this follows Ruby's own matcher step by step: a set of patterns walks
//! down the tree, `**/` staying in the set, and a brace is multiplied out when the walk reaches the name it is in.

use std::sync::Arc;

use super::path;
use crate::data::{Files, PathKind};

mod braces;
mod holes;
mod name;
mod whole_path;

use braces::expand_braces;
pub use holes::{HoleTexts, has_hole_in_brackets, texts_of_holes};
use name::{matches_name, without_escapes};
pub use whole_path::matches_path;

/// More directories below one another than any real tree has: ends the walk in a link that leads to its own parent.
const MAX_DEPTH: usize = 64;

/// Ruby offers it to the first name with magic, so that `.*/x` finds `./x`, but not below a `**/`.
const THE_DIRECTORY_ITSELF: &str = ".";

/// Files (no directories) that the absolute `pattern` names, in the order of Ruby 3.0 and later.
pub fn glob(files: &dyn Files, pattern: &str) -> Vec<Arc<str>> {
    let root_end = pattern.find('/').map_or(0, |slash| slash + 1);
    let (root, rest) = pattern.split_at(root_end);
    let mut walk = Walk { files, found: Vec::new() };
    walk.enter(Spot { path: root, kind: None, depth: 0, is_below_magic: false }, &[&cut(rest)]);
    walk.found
}

/// One name of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// `**/`, once for any number of them.
    Recursive,
    /// A name with `{`.
    Brace(String),
    /// A name with `*`, `?` or `[`.
    Magical(String),
    /// Any other name.
    Plain(String),
    /// The pattern ends in `/`: only directories.
    DirectoryEnd,
}

struct Walk<'a> {
    files: &'a dyn Files,
    found: Vec<Arc<str>>,
}

/// How far the walk has come.
#[derive(Debug, Clone, Copy)]
struct Spot<'p> {
    path: &'p str,
    /// What lies there, if a directory's list told it.
    kind: Option<PathKind>,
    /// How many names were added to the root.
    depth: usize,
    /// Whether one of them came from a directory's list.
    is_below_magic: bool,
}

impl Walk<'_> {
    /// Goes on from `spot`, below which `patterns` are still to be matched.
    fn enter(&mut self, spot: Spot<'_>, patterns: &[&[Part]]) {
        let is_recursive = patterns.iter().any(|it| it.first() == Some(&Part::Recursive));
        let nexts: Vec<Option<&Part>> =
            patterns.iter().map(|it| it.iter().find(|part| **part != Part::Recursive)).collect();
        if !is_recursive && nexts.iter().any(|it| matches!(it, Some(Part::Brace(_)))) {
            for alternative in expand_braces(&rejoin(patterns[0])) {
                self.enter(spot, &[&cut(&alternative)]);
            }
            return;
        }
        if patterns.iter().any(|it| it.is_empty()) {
            let kind = spot.kind.unwrap_or_else(|| path::kind(self.files, spot.path));
            if kind == PathKind::File {
                self.found.push(spot.path.into());
            }
        }
        if spot.depth > MAX_DEPTH || spot.kind == Some(PathKind::File) {
            return;
        }
        if is_recursive || nexts.iter().any(|it| matches!(it, Some(Part::Magical(_)))) {
            if !is_recursive && !spot.is_below_magic {
                self.enter_name(spot, THE_DIRECTORY_ITSELF, true, patterns);
            }
            let Some(directory) = path::resolve(self.files, spot.path) else { return };
            for item in self.files.list(&directory).iter() {
                self.enter_name(spot, &item.name, item.is_directory, patterns);
            }
        } else {
            self.enter_plain_names(spot, patterns);
        }
    }

    fn enter_name(&mut self, spot: Spot<'_>, name: &str, is_directory: bool, patterns: &[&[Part]]) {
        let below = patterns_below(patterns, name, is_directory);
        if !below.is_empty() {
            let kind = if is_directory { PathKind::Directory } else { PathKind::File };
            let path = join_name(spot, name);
            let depth = spot.depth + 1;
            self.enter(Spot { path: &path, kind: Some(kind), depth, is_below_magic: true }, &below);
        }
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
            let below: Vec<&[Part]> = plain
                .extract_if(.., |(other, _)| *other == first || matches_name(other, &name))
                .map(|(_, rest)| rest)
                .collect();
            let path = join_name(spot, &name);
            self.enter(Spot { path: &path, kind: None, depth: spot.depth + 1, ..spot }, &below);
        }
    }
}

/// What is left of `patterns` below the entry `name`: `**/` stays, except in hidden directories.
fn patterns_below<'p>(patterns: &[&'p [Part]], name: &str, is_directory: bool) -> Vec<&'p [Part]> {
    let mut below: Vec<&[Part]> = Vec::new();
    for pattern in patterns {
        let mut pattern = *pattern;
        if pattern.first() == Some(&Part::Recursive) {
            if is_directory && !name.starts_with('.') {
                below.push(pattern);
            }
            pattern = &pattern[1..];
        }
        let is_match = match pattern.first() {
            Some(Part::Brace(text)) => {
                expand_braces(text).iter().any(|alternative| matches_name(alternative, name))
            }
            Some(Part::Plain(text) | Part::Magical(text)) => matches_name(text, name),
            _ => false,
        };
        if is_match && !below.contains(&&pattern[1..]) {
            below.push(&pattern[1..]);
        }
    }
    below
}

fn join_name(spot: Spot<'_>, name: &str) -> String {
    let slash = if spot.depth == 0 { "" } else { "/" };
    [spot.path, slash, name].concat()
}

/// Cuts a pattern at its slashes. Those inside `[…]` and `{…}` do not count.
fn cut(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        if let Some(mut after) = rest.strip_prefix("**/") {
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

/// The text that [`cut`] cut.
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
