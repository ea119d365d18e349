//! One path template cut at its slashes, and the names that fit a piece of it.

use crate::syntax::interpolation::{self, Expression, Method};

use super::Template;
use super::files::Row;
use super::variables::Variables;

/// One name of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) pieces: Vec<Piece>,
}

/// A part of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text as it is.
    Text(String),
    /// A variable, by number.
    Variable(usize),
    /// `*` of a glob.
    Anything,
    /// `?` of a glob.
    OneCharacter,
}

/// The segments of `path`, the whole path of a template; `None` if it can match nothing that we could learn from: with calls such as
/// `%{lookup('x')}`, with `..` after a variable, or with a glob's `**`, braces or brackets.
pub(super) fn segments(
    path: &str,
    template: &Template,
    variables: &mut Variables,
) -> Option<Vec<Segment>> {
    let mut cutter = Cutter { segments: vec![Segment::default()], is_glob: template.is_glob };
    let mapped = template.mapped.as_ref();
    let mut number_of = |name: &str| match mapped.filter(|mapped| mapped.member == name) {
        Some(mapped) => variables.number_of_member(&mapped.variable),
        None => variables.number_of(name),
    };
    let mut at = 0;
    for token in interpolation::tokens(path) {
        cutter.text(path.get(at..token.range.start as usize)?)?;
        at = token.range.end as usize;
        match &token.expression {
            Expression::Variable(name)
            | Expression::Call { method: Method::Scope, argument: name, .. } => {
                cutter.push(Piece::Variable(number_of(name)?));
            }
            Expression::Empty => {}
            Expression::Call { .. } => return None,
        }
    }
    cutter.text(path.get(at..)?)?;
    Some(cutter.segments)
}

impl Segment {
    /// The name, if no variable or wildcard is in it.
    pub(super) fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The variables in it.
    pub(super) fn variables(&self) -> impl Iterator<Item = usize> {
        self.pieces
            .iter()
            .filter_map(|it| if let Piece::Variable(number) = it { Some(*number) } else { None })
    }

    /// Fits `name` and puts the variables' values into `row`. Of several ways to fit, the earlier variables get the
    /// longer texts; but where two variables meet without text between, digits begin the second (`debian12`).
    pub(super) fn fit(&self, name: &str, row: &mut Row) -> bool {
        let starts_with_text = matches!(self.pieces.first(), Some(Piece::Text(_)));
        (starts_with_text || !name.starts_with('.')) && fit(&self.pieces, name, row)
    }
}

/// Whether `segments` are a path of the file's.
pub(super) fn fits(segments: &[Segment], file: &str) -> bool {
    let mut names = file.split('/').filter(|it| !it.is_empty());
    let mut row = Row::default();
    segments.iter().all(|segment| names.next().is_some_and(|name| segment.fit(name, &mut row)))
        && names.next().is_none()
}

/// How many of the names are spelt out.
pub(super) fn literal_names(segments: &[Segment]) -> usize {
    segments.iter().filter(|it| it.literal().is_some()).count()
}

fn fit(pieces: &[Piece], name: &str, row: &mut Row) -> bool {
    let Some((piece, rest)) = pieces.split_first() else { return name.is_empty() };
    match piece {
        Piece::Text(text) => name.strip_prefix(text.as_str()).is_some_and(|it| fit(rest, it, row)),
        Piece::OneCharacter => {
            let mut characters = name.chars();
            characters.next().is_some() && fit(rest, characters.as_str(), row)
        }
        Piece::Anything => {
            let mut ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.any(|end| fit(rest, &name[end..], row))
        }
        Piece::Variable(number) => {
            if let Some(known) = row.get(*number).cloned() {
                return name.strip_prefix(&*known).is_some_and(|it| fit(rest, it, row));
            }
            splits(name, matches!(rest.first(), Some(Piece::Variable(_)))).into_iter().any(|end| {
                let before = row.clone();
                row.set(*number, name[..end].into());
                let fits = fit(rest, &name[end..], row);
                if !fits {
                    *row = before;
                }
                fits
            })
        }
    }
}

/// Where a variable's text may end, the best place first.
fn splits(name: &str, meets_variable: bool) -> Vec<usize> {
    let mut ends: Vec<usize> =
        name.char_indices().map(|(at, it)| at + it.len_utf8()).rev().collect();
    let first_digit = name.find(|it: char| it.is_ascii_digit()).filter(|at| *at > 0);
    if let Some(digits) = first_digit.filter(|_| meets_variable) {
        ends.insert(0, digits);
    }
    ends
}

/// Cuts text at slashes.
struct Cutter {
    segments: Vec<Segment>,
    is_glob: bool,
}

impl Cutter {
    fn text(&mut self, text: &str) -> Option<()> {
        let is_too_clever = |it: &str| it.contains("**") || it.contains(['{', '[', '\\']);
        if self.is_glob && is_too_clever(text) {
            return None;
        }
        for (index, name) in text.split('/').enumerate() {
            if index > 0 {
                self.end_segment()?;
            }
            self.name(name);
        }
        Some(())
    }

    fn name(&mut self, name: &str) {
        let mut rest = name;
        while let Some(at) = rest.find(['*', '?']).filter(|_| self.is_glob) {
            self.push(Piece::Text(rest[..at].to_owned()));
            let is_star = rest.as_bytes()[at] == b'*';
            self.push(if is_star { Piece::Anything } else { Piece::OneCharacter });
            rest = &rest[at + 1..];
        }
        self.push(Piece::Text(rest.to_owned()));
    }

    fn push(&mut self, piece: Piece) {
        let pieces = &mut self.segments.last_mut().expect("there is always a segment").pieces;
        match (pieces.last_mut(), piece) {
            (_, Piece::Text(text)) if text.is_empty() => {}
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => pieces.push(piece),
        }
    }

    /// Starts a new segment; `.` and empty ones vanish, and `..` takes the one before away.
    fn end_segment(&mut self) -> Option<()> {
        let segment = self.segments.pop().expect("there is always a segment");
        match segment.literal() {
            Some("" | ".") => {}
            Some("..") => {
                self.segments.pop().as_ref().and_then(Segment::literal)?;
            }
            _ => self.segments.push(segment),
        }
        self.segments.push(Segment::default());
        Some(())
    }
}
