//! Which texts of variables make the names of a path fit.

use std::sync::Arc;

use super::{Fit, HOLE};
use crate::config::glob::{HoleTexts, Search};
use crate::config::path;
use crate::data::{Files, PathKind};
use crate::limits::{MAX_DIRECTORIES, MAX_PATH_BYTES};

/// One name of a path: texts and holes.
pub(super) type Segment = Vec<Piece>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    Hole(Arc<str>),
}

/// Texts of variables.
type Binding = HoleTexts;

/// The names of a path; `.` and empty names are dropped, and `..` removes the name before it. `None` if that name is not a
/// fixed text.
pub(super) fn segments(text: &str, is_empty: &dyn Fn(&str) -> bool) -> Option<Vec<Segment>> {
    let mut segments: Vec<Segment> = vec![Vec::new()];
    for (number, part) in text.split(HOLE).enumerate() {
        if number % 2 == 1 {
            if !is_empty(part) {
                segments.last_mut()?.push(Piece::Hole(part.into()));
            }
            continue;
        }
        for (at, name) in part.split('/').enumerate() {
            if at > 0 {
                segments.push(Vec::new());
            }
            match (segments.last_mut()?.last_mut(), name) {
                (_, "") => {}
                (Some(Piece::Text(before)), name) => before.push_str(name),
                (_, name) => segments.last_mut()?.push(Piece::Text(name.to_owned())),
            }
        }
    }
    let mut kept: Vec<Segment> = Vec::new();
    for segment in segments {
        match segment.as_slice() {
            [] => {}
            [Piece::Text(name)] if name == "." => {}
            [Piece::Text(name)] if name == ".." => {
                let [Piece::Text(_)] = kept.pop()?.as_slice() else { return None };
            }
            _ => kept.push(segment),
        }
    }
    Some(kept)
}

/// All ways in which a path fits, if no text has a slash.
pub(super) fn path_fits(segments: &[Segment], path: &Arc<str>, search: &Search<'_>) -> Vec<Fit> {
    let names = || path.split('/').filter(|it| !it.is_empty());
    // Most paths differ in their literal names, which is fast to check.
    let mut rest = names();
    let differs = |segment: &Segment| match (segment.as_slice(), rest.next()) {
        ([Piece::Text(text)], Some(name)) => text != name,
        (_, name) => name.is_none(),
    };
    if segments.iter().any(differs) || rest.next().is_some() {
        return Vec::new();
    }
    let mut bindings = vec![Vec::new()];
    for (segment, name) in segments.iter().zip(names()) {
        if matches!(segment.as_slice(), [Piece::Text(_)]) {
            continue;
        }
        bindings = bindings.iter().flat_map(|it| ways_of(segment, name, it, search)).collect();
        if bindings.is_empty() {
            break;
        }
    }
    let fit = |texts| Fit { texts, path: Arc::clone(path) };
    bindings.into_iter().map(fit).collect()
}

/// All ways in which a path fits, if texts may have slashes where `search` allows it. `pieces` are those of [`joined`].
pub(super) fn path_fits_with_slashes(
    pieces: &[Piece],
    path: &Arc<str>,
    search: &Search<'_>,
) -> Vec<Fit> {
    let bindings = ways_of(pieces, path, &Vec::new(), search);
    bindings.into_iter().map(|texts| Fit { texts, path: Arc::clone(path) }).collect()
}

/// The names of a path as one text with holes.
pub(super) fn joined(segments: &[Segment]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut text = String::new();
    for (number, segment) in segments.iter().enumerate() {
        let is_first_drive =
            number == 0 && matches!(segment.as_slice(), [Piece::Text(name)] if is_drive(name));
        if !is_first_drive {
            text.push('/');
        }
        for piece in segment {
            match piece {
                Piece::Text(name) => text.push_str(name),
                Piece::Hole(_) => {
                    if !text.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut text)));
                    }
                    pieces.push(piece.clone());
                }
            }
        }
    }
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

/// Looks for all files that a path leads to.
pub(super) struct Walk<'a> {
    files: &'a dyn Files,
    search: &'a Search<'a>,
    found: Vec<Fit>,
    directories: usize,
    only_directories: bool,
}

impl<'a> Walk<'a> {
    /// All files that fit, and directories.
    pub(super) fn all(
        files: &'a dyn Files,
        segments: &[Segment],
        search: &'a Search<'a>,
    ) -> Vec<Fit> {
        Self::new(files, search, false).run(segments)
    }

    /// The directories among them. Files are skipped by their kind, before their names are compared.
    pub(super) fn directories(
        files: &'a dyn Files,
        segments: &[Segment],
        search: &'a Search<'a>,
    ) -> Vec<Fit> {
        Self::new(files, search, true).run(segments)
    }

    fn new(files: &'a dyn Files, search: &'a Search<'a>, only_directories: bool) -> Self {
        Self { files, search, found: Vec::new(), directories: 0, only_directories }
    }

    fn run(mut self, segments: &[Segment]) -> Vec<Fit> {
        self.enter(String::new(), segments, &Vec::new());
        self.found
    }

    fn enter(&mut self, mut path: String, mut segments: &[Segment], binding: &Binding) {
        // A name without variables is taken as it is, because a directory with many names takes long to list.
        while let [segment, rest @ ..] = segments
            && let [Piece::Text(name)] = segment.as_slice()
        {
            if !(path.is_empty() && is_drive(name)) {
                path.push('/');
            }
            path.push_str(name);
            segments = rest;
        }
        if path.len() > MAX_PATH_BYTES {
            return;
        }
        let Some((segment, rest)) = segments.split_first() else {
            let counts = match path::kind(self.files, &path) {
                PathKind::Missing => false,
                PathKind::File => !self.only_directories,
                PathKind::Directory => true,
            };
            if counts {
                self.found.push(Fit { texts: binding.clone(), path: path.into() });
            }
            return;
        };
        self.directories += 1;
        if self.directories > MAX_DIRECTORIES {
            return;
        }
        let directory = if path.is_empty() { "/" } else { &path };
        for item in self.files.list(directory).iter() {
            if !item.is_directory && (self.only_directories || !rest.is_empty()) {
                continue;
            }
            for binding in ways_of(segment, &item.name, binding, self.search) {
                self.enter(format!("{path}/{}", item.name), rest, &binding);
            }
            if self.search.splits.are_too_many() {
                return;
            }
        }
    }
}

fn is_drive(name: &str) -> bool {
    name.len() == 2 && name.ends_with(':')
}

/// All ways in which a name fits, each with the values that it gives to the variables.
fn ways_of(segment: &[Piece], name: &str, binding: &Binding, search: &Search<'_>) -> Vec<Binding> {
    search.splits.begin_name();
    matches(segment, name, binding, search)
}

/// The same for the rest of a name.
fn matches(segment: &[Piece], name: &str, binding: &Binding, search: &Search<'_>) -> Vec<Binding> {
    let Some((piece, rest)) = segment.split_first() else {
        return if name.is_empty() { vec![binding.clone()] } else { Vec::new() };
    };
    match piece {
        Piece::Text(text) => name
            .strip_prefix(text.as_str())
            .map_or_else(Vec::new, |after| matches(rest, after, binding, search)),
        Piece::Hole(variable) => {
            if let Some((_, known)) = binding.iter().find(|(it, _)| it == variable) {
                let after = name.strip_prefix(&**known);
                return after.map_or_else(Vec::new, |after| matches(rest, after, binding, search));
            }
            // A directory can have tens of thousands of names, so a text is built only where the rest of the name may fit.
            let may_fit = |end: &usize| match rest.first() {
                None => *end == name.len(),
                Some(Piece::Text(text)) => name[*end..].starts_with(text.as_str()),
                Some(Piece::Hole(_)) => true,
            };
            let mut found = Vec::new();
            for (number, end) in search.ends(variable, name).filter(may_fit).enumerate() {
                if number > 0 && !search.splits.may_try() {
                    break;
                }
                let mut binding = binding.clone();
                binding.push((Arc::clone(variable), Arc::from(&name[..end])));
                found.extend(matches(rest, &name[end..], &binding, search));
            }
            found
        }
    }
}
