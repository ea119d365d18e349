//! Paths with variables that are not known: which files they can lead to, and for which texts.
//!
//! A template is expanded as far as variables are known. An open variable stays in the text as a hole, so that paths can be
//! joined and extended as usual.

use std::borrow::Cow;
use std::sync::Arc;

use crate::config::glob::{self, HoleTexts};
use crate::config::path;
use crate::data::{Files, PathKind};
use crate::limits::{MAX_DIRECTORIES, MAX_PATH_BYTES};

/// Encloses the name of an open variable in a text; no path contains this character.
const HOLE: char = '\0';

/// A path with more variables is obscure, because each of them may be empty.
const MAX_EMPTY_VARIABLES: usize = 5;

/// The placeholder for an open variable in the text of a template.
pub fn hole(variable: &str) -> String {
    format!("{HOLE}{variable}{HOLE}")
}

/// Whether a text has holes.
pub fn has_holes(text: &str) -> bool {
    text.contains(HOLE)
}

/// The text for users: a hole is `%{variable}`.
pub fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (number, part) in text.split(HOLE).enumerate() {
        if number % 2 == 0 {
            shown.push_str(part);
        } else {
            shown.push_str("%{");
            shown.push_str(part);
            shown.push('}');
        }
    }
    shown
}

/// The variables of a text's holes, each once.
pub fn variables_of(text: &str) -> Vec<Arc<str>> {
    let mut variables: Vec<Arc<str>> = Vec::new();
    for name in text.split(HOLE).skip(1).step_by(2) {
        if !variables.iter().any(|it| **it == *name) {
            variables.push(name.into());
        }
    }
    variables
}

/// A complete path, or a glob, with holes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OpenPath {
    text: Arc<str>,
    is_glob: bool,
    /// The directory and the path in it, if they can be joined only once the variables are known.
    unjoined: Option<(Arc<str>, Arc<str>)>,
}

/// A file that an open path leads to, and the text of each variable, in the order of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// The variables with their texts.
    pub texts: Vec<(Arc<str>, Arc<str>)>,
    /// The file's path.
    pub path: Arc<str>,
}

impl OpenPath {
    pub fn new(text: Arc<str>, is_glob: bool) -> Self {
        Self { text, is_glob, unjoined: None }
    }

    /// The path `relative` in `directory`; `None` if the result has no holes.
    pub fn joined(directory: &str, relative: &str, is_glob: bool) -> Option<Self> {
        if !has_holes(directory) && !has_holes(relative) {
            return None;
        }
        let text = path::join(directory, relative);
        // `..` at the start of a path removes the last name of the directory. If that name is a variable, it may be empty,
        // and then `..` removes the name before it.
        let when_empty = path::join(&without_holes(directory), &without_holes(relative));
        if !path::are_same_names(&without_holes(&text), &when_empty) {
            let unjoined = Some((Arc::from(directory), Arc::from(relative)));
            return Some(Self {
                text: format!("{directory}/{relative}").into(),
                is_glob,
                unjoined,
            });
        }
        has_holes(&text).then(|| Self::new(text.into(), is_glob))
    }

    /// The text with its holes.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Whether several files may fit the same values.
    pub fn is_glob(&self) -> bool {
        self.is_glob
    }

    /// The open variables, each once.
    pub fn variables(&self) -> Vec<Arc<str>> {
        variables_of(&self.text)
    }

    /// The path with the variables filled in by `text_of`; `None` if it does not know one of them.
    pub fn filled<'t>(&self, text_of: impl Fn(&str) -> Option<&'t str>) -> Option<String> {
        let Some((directory, relative)) = &self.unjoined else {
            return filled_text(&self.text, &text_of);
        };
        Some(path::join(&filled_text(directory, &text_of)?, &filled_text(relative, &text_of)?))
    }

    /// Whether it is not known which texts make it lead to a file, because the text of a variable may change the meaning of
    /// the surrounding text.
    pub fn is_obscure(&self) -> bool {
        let variables = self.variables();
        if variables.len() > MAX_EMPTY_VARIABLES {
            return true;
        }
        // If the parts have been joined, an empty variable only leaves a name out.
        let choices = if self.unjoined.is_some() { empty_choices(variables.len()) } else { 0..1 };
        let mut choices = choices.map(|empty| Empty { variables: &variables, empty });
        choices.any(|empty| {
            let is_empty = |name: &str| empty.contains(name);
            if self.is_made_absolute(&is_empty) {
                return false;
            }
            let text = self.text_where(&is_empty);
            let is_gone = |it: &Arc<str>| !is_empty(it) && !variables_of(&text).contains(it);
            // A variable that `..` removes has no text for which the path leads to a file.
            variables.iter().any(is_gone)
                || if self.is_glob {
                    glob::has_hole_in_brackets(&text, HOLE)
                } else {
                    segments(&text, &is_empty).is_none()
                }
        })
    }

    /// Whether a path below the directory becomes an absolute one if some variables are empty, as `%{a}/b.yaml` does. Such a
    /// path is one of the server's own files, of which nothing is known here.
    fn is_made_absolute(&self, is_empty: &dyn Fn(&str) -> bool) -> bool {
        self.unjoined.as_ref().is_some_and(|(_, relative)| {
            !path::is_absolute(relative) && path::is_absolute(&text_without(relative, is_empty))
        })
    }

    /// Whether the path may become an absolute one, so that [`Self::fits`] lacks files.
    pub fn may_be_absolute(&self) -> bool {
        self.unjoined.as_ref().is_some_and(|(_, relative)| relative.starts_with(HOLE))
    }

    /// The number of names in the path that are written out.
    pub fn literal_names(&self) -> usize {
        let names = self.text.split('/').filter(|name| !name.is_empty());
        names.filter(|name| !name.contains([HOLE, '*', '?'])).count()
    }

    /// All files that the path can lead to, and directories, because Puppet fails to read them, in the order of their paths.
    /// A file that fits in several ways is listed several times. Texts with a slash are not considered. A text may be empty:
    /// `%{a}/common.yaml` can be `common.yaml`.
    pub fn fits(&self, files: &dyn Files) -> Vec<Fit> {
        self.in_every_way(|is_empty| {
            if self.is_glob {
                return self.glob_fits(files, is_empty);
            }
            let text = self.text_where(is_empty);
            let Some(segments) = segments(&text, is_empty) else { return Vec::new() };
            let mut walk = Walk { files, found: Vec::new(), directories: 0 };
            walk.enter(String::new(), &segments, &Vec::new());
            walk.found
        })
    }

    /// [`Self::fits`] for those of `paths` that fit, whether they exist or not.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an iterator is cheap to clone, and read several times"
    )]
    pub fn fits_among<'p>(&self, paths: impl Iterator<Item = &'p Arc<str>> + Clone) -> Vec<Fit> {
        self.in_every_way(|is_empty| {
            if self.is_glob {
                let pattern = self.without_empty_holes(is_empty);
                return paths.clone().flat_map(|path| glob_path_fits(&pattern, path)).collect();
            }
            let text = self.text_where(is_empty);
            let Some(segments) = segments(&text, is_empty) else { return Vec::new() };
            paths.clone().flat_map(|path| path_fits(&segments, path)).collect()
        })
    }

    /// Calls `find` for each choice of empty variables, and adds these variables to its results.
    fn in_every_way(&self, find: impl Fn(&dyn Fn(&str) -> bool) -> Vec<Fit>) -> Vec<Fit> {
        let variables = self.variables();
        let mut found = Vec::new();
        for empty in empty_choices(variables.len()) {
            let empty = Empty { variables: &variables, empty };
            let is_empty = |name: &str| empty.contains(name);
            if self.is_made_absolute(&is_empty) {
                continue;
            }
            let mut fits = find(&is_empty);
            for fit in &mut fits {
                let empty = variables.iter().filter(|it| is_empty(it));
                fit.texts.extend(empty.map(|name| (Arc::clone(name), Arc::from(""))));
                let rank = |it: &(Arc<str>, _)| variables.iter().position(|name| *name == it.0);
                fit.texts.sort_by_key(rank);
            }
            found.extend(fits);
        }
        // The sort is stable, so for each path the way without empty variables comes first.
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// The texts for which the glob finds a file; several files may have the same texts.
    fn glob_fits(&self, files: &dyn Files, is_empty: &dyn Fn(&str) -> bool) -> Vec<Fit> {
        let pattern = self.without_empty_holes(is_empty);
        let mut any = String::new();
        for (number, part) in pattern.split(HOLE).enumerate() {
            any.push_str(if number % 2 == 0 { part } else { "*" });
        }
        // `*` also finds files for which a variable would need two different texts, so each path is compared with the pattern again.
        let found = glob::glob(files, &any);
        found.iter().flat_map(|path| glob_path_fits(&pattern, path)).collect()
    }

    /// The text where some variables are empty and the others are not.
    fn text_where(&self, is_empty: &dyn Fn(&str) -> bool) -> Cow<'_, str> {
        let Some((directory, relative)) = &self.unjoined else { return Cow::Borrowed(&self.text) };
        Cow::Owned(path::join(
            &text_without(directory, is_empty),
            &text_without(relative, is_empty),
        ))
    }

    fn without_empty_holes(&self, is_empty: &dyn Fn(&str) -> bool) -> String {
        let template = self.text_where(is_empty);
        let mut text = String::with_capacity(template.len());
        for (number, part) in template.split(HOLE).enumerate() {
            if number % 2 == 0 {
                push_after_empty(&mut text, part);
            } else if !is_empty(part) {
                text.push_str(&hole(part));
            }
        }
        text
    }
}

/// A text whose holes are filled in by `text_of`; `None` if it does not know one of them.
fn filled_text<'t>(text: &str, text_of: &impl Fn(&str) -> Option<&'t str>) -> Option<String> {
    let mut filled = String::with_capacity(text.len());
    for (number, part) in text.split(HOLE).enumerate() {
        filled.push_str(if number % 2 == 0 { part } else { text_of(part)? });
    }
    Some(filled)
}

/// Appends what follows an empty variable in a path. If the variable is a whole name, the name disappears with one of its
/// slashes: `a/%{x}/b.yaml` is then `a/b.yaml`.
pub fn push_after_empty(path: &mut String, after: &str) {
    let is_whole_name = path.ends_with('/') && after.starts_with('/');
    path.push_str(&after[usize::from(is_whole_name)..]);
}

/// The text if some of its variables are empty.
fn text_without(text: &str, is_empty: &dyn Fn(&str) -> bool) -> String {
    let text_of = |name: &str| if is_empty(name) { String::new() } else { hole(name) };
    let parts = text.split(HOLE).enumerate();
    parts.map(|(at, part)| if at % 2 == 0 { part.to_owned() } else { text_of(part) }).collect()
}

/// The text if all its variables are empty.
fn without_holes(text: &str) -> String {
    text.split(HOLE).step_by(2).collect()
}

/// All ways in which a glob finds a path.
fn glob_path_fits(pattern: &str, path: &Arc<str>) -> Vec<Fit> {
    let texts = glob::texts_of_holes(pattern, HOLE, path);
    texts.into_iter().map(|texts| Fit { texts, path: Arc::clone(path) }).collect()
}

/// All ways in which a path fits.
fn path_fits(segments: &[Segment], path: &Arc<str>) -> Vec<Fit> {
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
        bindings = bindings.iter().flat_map(|it| matches(segment, name, it)).collect();
        if bindings.is_empty() {
            break;
        }
    }
    let fit = |texts| Fit { texts, path: Arc::clone(path) };
    bindings.into_iter().map(fit).collect()
}

/// Which variables are empty, as bits; first the choice in which none is.
fn empty_choices(count: usize) -> std::ops::Range<u32> {
    0..1 << count.min(MAX_EMPTY_VARIABLES)
}

/// One of these choices.
struct Empty<'v> {
    variables: &'v [Arc<str>],
    empty: u32,
}

impl Empty<'_> {
    fn contains(&self, name: &str) -> bool {
        let at = self.variables.iter().position(|it| **it == *name);
        at.is_some_and(|at| self.empty & 1 << at != 0)
    }
}

/// One name of a path: texts and holes.
type Segment = Vec<Piece>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Hole(Arc<str>),
}

/// Texts of variables.
type Binding = HoleTexts;

/// The names of a path; `.` and empty names are dropped, and `..` removes the name before it. `None` if that name is not a
/// fixed text.
fn segments(text: &str, is_empty: &dyn Fn(&str) -> bool) -> Option<Vec<Segment>> {
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

struct Walk<'a> {
    files: &'a dyn Files,
    found: Vec<Fit>,
    directories: usize,
}

impl Walk<'_> {
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
            if path::kind(self.files, &path) != PathKind::Missing {
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
            if !item.is_directory && !rest.is_empty() {
                continue;
            }
            for binding in matches(segment, &item.name, binding) {
                self.enter(format!("{path}/{}", item.name), rest, &binding);
            }
        }
    }
}

fn is_drive(name: &str) -> bool {
    name.len() == 2 && name.ends_with(':')
}

/// All ways in which a name fits, each with the values that it gives to the variables.
fn matches(segment: &[Piece], name: &str, binding: &Binding) -> Vec<Binding> {
    let Some((piece, rest)) = segment.split_first() else {
        return if name.is_empty() { vec![binding.clone()] } else { Vec::new() };
    };
    match piece {
        Piece::Text(text) => name
            .strip_prefix(text.as_str())
            .map_or_else(Vec::new, |after| matches(rest, after, binding)),
        Piece::Hole(variable) => {
            if let Some((_, known)) = binding.iter().find(|(it, _)| it == variable) {
                let after = name.strip_prefix(&**known);
                return after.map_or_else(Vec::new, |after| matches(rest, after, binding));
            }
            // A directory can have tens of thousands of names, so a text is built only where the rest of the name may fit.
            let may_fit = |end: &usize| match rest.first() {
                None => *end == name.len(),
                Some(Piece::Text(text)) => name[*end..].starts_with(text.as_str()),
                Some(Piece::Hole(_)) => true,
            };
            let ends = name.char_indices().map(|(at, c)| at + c.len_utf8()).filter(may_fit);
            let with = |end: usize| {
                let mut binding = binding.clone();
                binding.push((Arc::clone(variable), Arc::from(&name[..end])));
                matches(rest, &name[end..], &binding)
            };
            ends.flat_map(with).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MemoryFiles;

    /// `template` writes holes as `%{name}`; `expected`: `path variable=text …` for each candidate.
    #[track_caller]
    fn check(paths: &[&str], template: &str, is_glob: bool, expected: &[&str]) {
        let files = MemoryFiles::new(paths.iter().map(|path| (*path, "")));
        let names = ["role", "x", "y", "loc"];
        let text = names.iter().fold(template.to_owned(), |text, name| {
            text.replace(&format!("%{{{name}}}"), &hole(name))
        });
        let path = OpenPath::new(text.into(), is_glob);
        let show = |it: &Fit| {
            let texts = it.texts.iter().map(|(name, text)| format!(" {name}={text}"));
            format!("{}{}", it.path, texts.collect::<String>())
        };
        let found: Vec<_> = path.fits(&files).iter().map(show).collect();
        assert_eq!(found, expected, "{template}");
        let all: Vec<Arc<str>> = paths.iter().map(|it| Arc::from(*it)).collect();
        let among = path.fits_among(all.iter());
        assert_eq!(among.iter().map(show).collect::<Vec<_>>(), expected, "{template} among");
    }

    #[test]
    fn each_file_says_its_values() {
        let files = ["/d/roles/db.yaml", "/d/roles/web.yaml", "/d/roles/web.json", "/d/web.yaml"];
        check(
            &files,
            "/d/roles/%{role}.yaml",
            false,
            &["/d/roles/db.yaml role=db", "/d/roles/web.yaml role=web"],
        );
    }

    #[test]
    fn several_variables_are_tried_in_every_way() {
        check(
            &["/d/a-b-c.yaml"],
            "/d/%{x}-%{y}.yaml",
            false,
            &["/d/a-b-c.yaml x=a y=b-c", "/d/a-b-c.yaml x=a-b y=c"],
        );
        check(&["/d/a-a.yaml", "/d/a-b.yaml"], "/d/%{x}-%{x}.yaml", false, &["/d/a-a.yaml x=a"]);
    }

    #[test]
    fn an_empty_variable_takes_a_whole_name_away() {
        let check = |before: &str, after: &str, expected: &str| {
            let mut path = before.to_owned();
            push_after_empty(&mut path, after);
            assert_eq!(path, expected);
        };
        check("/data/a/", "/b.yaml", "/data/a/b.yaml");
        check("/data/a/", "-b.yaml", "/data/a/-b.yaml");
        check("/data/a-", "/b.yaml", "/data/a-/b.yaml");
        check("/data/a/", ".yaml", "/data/a/.yaml");
        // A name that is written as empty stays.
        check("/data//a/", "/b//c", "/data//a/b//c");
    }

    #[test]
    fn an_empty_variable_takes_its_directory_away() {
        check(
            &["/d/common.yaml", "/d/bgo/common.yaml"],
            "/d/%{loc}/common.yaml",
            false,
            &["/d/bgo/common.yaml loc=bgo", "/d/common.yaml loc="],
        );
        check(&["/d/.yaml"], "/d/%{loc}.yaml", false, &["/d/.yaml loc="]);
    }

    #[test]
    fn dots_are_taken_out() {
        check(&["/d/web.yaml"], "/d/./x/../%{role}.yaml", false, &["/d/web.yaml role=web"]);
    }

    #[test]
    fn a_directory_that_is_a_variable_leads_to_its_files() {
        let relative = format!("{}/common.yaml", hole("loc"));
        let open = OpenPath::joined("/d", &relative, false).expect("it has a variable");
        assert!(!open.is_obscure());
        let files = MemoryFiles::new(
            ["/d/bgo/common.yaml", "/d/common.yaml", "/common.yaml"].map(|it| (it, "")),
        );
        let found: Vec<_> = open.fits(&files).into_iter().map(|it| (it.path, it.texts)).collect();
        // If it is empty, Puppet reads the server's own `/common.yaml`.
        assert_eq!(
            found,
            [(Arc::from("/d/bgo/common.yaml"), vec![(Arc::from("loc"), Arc::from("bgo"))])]
        );
        assert_eq!(open.filled(|_| Some("")).as_deref(), Some("/common.yaml"));
    }

    #[test]
    fn names_that_may_be_empty_are_removed_once_they_are_known() {
        let path = |directory: &str| OpenPath::joined(directory, "../common.yaml", false);
        assert_eq!(path("/d/web"), None);
        assert_eq!(path(&format!("/d/web-{}", hole("role"))), None);
        let open = path(&format!("/d/e/{}", hole("role"))).expect("the role decides");
        assert!(open.is_obscure());
        assert_eq!(open.variables(), [Arc::from("role")]);
        assert_eq!(open.filled(|_| Some("web")).as_deref(), Some("/d/e/common.yaml"));
        assert_eq!(open.filled(|_| Some("")).as_deref(), Some("/d/common.yaml"));
        let files = MemoryFiles::new([("/d/common.yaml", ""), ("/d/e/common.yaml", "")]);
        let found = open.fits(&files);
        let found: Vec<_> = found.iter().map(|it| (&*it.path, it.texts.len())).collect();
        assert_eq!(found, [("/d/common.yaml", 1), ("/d/e/common.yaml", 0)]);
        let below = OpenPath::joined(&format!("/d/{}", hole("role")), "./common.yaml", false);
        let below = below.expect("the role is a directory");
        assert_eq!((below.is_obscure(), &**below.text()), (false, "/d/\0role\0/common.yaml"));
    }

    #[test]
    fn globs_too() {
        let files = ["/d/web/a.yaml", "/d/web/b.yaml", "/d/db/x/c.yaml"];
        check(
            &files,
            "/d/%{role}/*.yaml",
            true,
            &["/d/web/a.yaml role=web", "/d/web/b.yaml role=web"],
        );
        check(
            &files,
            "/d/%{role}/**/*.{yaml,json}",
            true,
            &[
                "/d/db/x/c.yaml role=db",
                "/d/db/x/c.yaml role=",
                "/d/web/a.yaml role=web",
                "/d/web/a.yaml role=",
                "/d/web/b.yaml role=web",
                "/d/web/b.yaml role=",
            ],
        );
    }

    #[test]
    fn holes_are_shown_as_variables() {
        let text = format!("/d/{}.yaml", hole("facts.os.family"));
        assert_eq!(shown(&text), "/d/%{facts.os.family}.yaml");
        assert_eq!(variables_of(&text), [Arc::from("facts.os.family")]);
    }
}
