//! Paths with variables that are not known: which files they can lead to, and for which texts.
//!
//! A template is expanded as far as variables are known. An open variable stays in the text as a hole, so that paths can be
//! joined and extended as usual.

mod fitting;

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use self::fitting::{Walk, path_fits, path_fits_with_slashes, segments};
use super::variable::{may_contain_dot, may_contain_slash};
use crate::config::glob::{self, Search, Splits};
use crate::config::path;
use crate::data::Files;

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPath {
    text: Arc<str>,
    is_glob: bool,
    /// The directory and the path in it, if they can be joined only once the variables are known.
    unjoined: Option<(Arc<str>, Arc<str>)>,
    /// The files that count if a text with a slash leads to them, sorted.
    by_slashes: Arc<[Arc<str>]>,
    /// The paths of its hierarchy. See [`Self::put_beside`].
    beside: Arc<[OpenPath]>,
}

impl Hash for OpenPath {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        // The paths of one hierarchy have the same files by slashes, and are beside the same paths.
        (&self.text, self.is_glob, &self.unjoined).hash(hasher);
    }
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
        Self { text, is_glob, unjoined: None, by_slashes: Arc::default(), beside: Arc::default() }
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
            let text = format!("{directory}/{relative}").into();
            return Some(Self { unjoined, ..Self::new(text, is_glob) });
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
        // Only `..` and the characters of a glob can give the text of a variable another meaning.
        if self.unjoined.is_none() && !self.is_glob && !self.text.contains("..") {
            return false;
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
    /// A file that fits in several ways is listed several times. A text may be empty: `%{a}/common.yaml` can be `common.yaml`,
    /// unless it leads to [the file of another path](Self::put_beside) by the same text. Texts with a slash are considered only for
    /// [files to which nothing else leads](Self::add_files_by_slashes). `None` if there are too many ways.
    pub fn fits(&self, files: &dyn Files) -> Option<Vec<Fit>> {
        self.in_every_way(|is_empty, search| {
            let mut found = if self.is_glob {
                self.glob_fits(files, is_empty, search)
            } else {
                let text = self.text_where(is_empty);
                let segments = segments(&text, is_empty);
                segments.map_or_else(Vec::new, |it| Walk::all(files, &it, search))
            };
            if !self.by_slashes.is_empty() {
                found.extend(self.fits_by_slashes(self.by_slashes.iter(), is_empty, search));
            }
            found
        })
    }

    /// The directories among [`Self::fits`], each once. A path that leads to thousands of files leads to few directories, if any, so
    /// they are found sooner than the files. A glob never finds a directory.
    pub fn directories(&self, files: &dyn Files) -> Vec<Arc<str>> {
        if self.is_glob {
            return Vec::new();
        }
        let fits = self.in_every_way(|is_empty, search| {
            let segments = segments(&self.text_where(is_empty), is_empty);
            segments.map_or_else(Vec::new, |it| Walk::directories(files, &it, search))
        });
        let mut paths: Vec<Arc<str>> = fits.into_iter().flatten().map(|it| it.path).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// [`Self::fits`] for those of `paths` that fit, whether they exist or not.
    pub fn fits_among<'p>(
        &self,
        paths: impl Iterator<Item = &'p Arc<str>> + Clone,
    ) -> Option<Vec<Fit>> {
        // Most paths lead to files in other directories.
        let start = self.certain_start();
        let paths = paths.filter(|path| path.starts_with(start));
        if paths.clone().next().is_none() {
            return Some(Vec::new());
        }
        self.in_every_way(|is_empty, search| {
            let mut found = self.fits_without_slashes(paths.clone(), is_empty, search);
            if !self.by_slashes.is_empty() {
                let by_slashes =
                    paths.clone().filter(|it| self.by_slashes.binary_search(it).is_ok());
                found.extend(self.fits_by_slashes(by_slashes, is_empty, search));
            }
            found
        })
    }

    fn fits_without_slashes<'p>(
        &self,
        paths: impl Iterator<Item = &'p Arc<str>>,
        is_empty: &dyn Fn(&str) -> bool,
        search: &Search<'_>,
    ) -> Vec<Fit> {
        if self.is_glob {
            let pattern = self.without_empty_holes(is_empty);
            let fixed = fixed_start(&pattern, true);
            let near = paths.filter(|path| path.starts_with(fixed));
            return near.flat_map(|path| glob_path_fits(&pattern, path, search)).collect();
        }
        let text = self.text_where(is_empty);
        let Some(segments) = segments(&text, is_empty) else { return Vec::new() };
        paths.flat_map(|path| path_fits(&segments, path, search)).collect()
    }

    /// The ways to those of `paths` to which a text with a slash leads, as far as a variable may have such a text.
    fn fits_by_slashes<'p>(
        &self,
        paths: impl Iterator<Item = &'p Arc<str>>,
        is_empty: &dyn Fn(&str) -> bool,
        search: &Search<'_>,
    ) -> Vec<Fit> {
        let search = Search { may_have_slash: Some(may_contain_slash), ..*search };
        if self.is_glob {
            let pattern = self.without_empty_holes(is_empty);
            return paths.flat_map(|path| glob_path_fits(&pattern, path, &search)).collect();
        }
        let text = self.text_where(is_empty);
        let Some(segments) = segments(&text, is_empty) else { return Vec::new() };
        let pieces = fitting::joined(&segments);
        paths.flat_map(|path| path_fits_with_slashes(&pieces, path, &search)).collect()
    }

    /// Adds files that count if a text with a slash leads to them. Others do not count, because with such texts, a path can lead
    /// to every file below its directory. `files` must be sorted, and no path of the hierarchy leads to them in another way.
    pub fn add_files_by_slashes(&mut self, files: Arc<[Arc<str>]>) {
        self.by_slashes = files;
    }

    /// Puts it beside all paths of its hierarchy. If one of these leads to a file by a text of a variable, it does not lead there by the
    /// same text of another variable after an empty name: `os/%{family}/%{release}.yaml` would lead to the files of `os/%{family}.yaml`.
    /// Nor does it by another text of the same variable: it would lead to the files of `os/%{name}-%{release}.yaml`.
    pub fn put_beside(&mut self, all: Arc<[Self]>) {
        self.beside = all;
    }

    /// Whether a variable is a whole name of the path, and not the last one.
    fn has_as_name(&self, variable: &str) -> bool {
        self.text.contains(&format!("/{}/", hole(variable)))
    }

    /// Whether it is no glob, and leads to the file of a fit, without empty texts and slashes, by the text of `variable` that the fit has
    /// for another variable, or by another text of such a variable.
    fn speaks_against(&self, variable: &str, fit: &Fit) -> bool {
        let reads = |name: &str| self.text.contains(&hole(name));
        if self.is_glob || !reads(variable) && !fit.texts.iter().any(|(name, _)| reads(name)) {
            return false;
        }
        let splits = Splits::default();
        let search = plain_search(&splits);
        let plain = self.fits_without_slashes(std::iter::once(&fit.path), &|_| false, &search);
        let is_of_fit = |text: &Arc<str>| fit.texts.iter().any(|(_, it)| it == text);
        let differs = |name: &Arc<str>, text: &Arc<str>| {
            fit.texts.iter().any(|(it, of_fit)| it == name && of_fit != text)
        };
        let mut texts = plain.iter().flat_map(|it| &it.texts);
        texts.any(|(name, text)| **name == *variable && is_of_fit(text) || differs(name, text))
    }

    /// Whether it leads to a file by texts none of which is empty, if they may have slashes.
    pub fn may_lead_by_slashes_to(&self, path: &Arc<str>) -> bool {
        let splits = Splits::default();
        let search = plain_search(&splits);
        let fits = self.fits_by_slashes(std::iter::once(path), &|_| false, &search);
        !fits.is_empty() || splits.are_too_many()
    }

    /// Those of `files`, which must be sorted, to which the paths of a hierarchy lead only if the text of a variable has a slash.
    /// `root` is the directory of the hiera.yaml: a path that leads to everything in it also leads to files of other kinds, and
    /// does not count.
    pub fn files_by_slashes(all: &[Self], root: &str, mut files: Vec<Arc<str>>) -> Vec<Arc<str>> {
        for path in all {
            if files.is_empty() {
                break;
            }
            let fits = if path.is_obscure() { None } else { path.fits_among(files.iter()) };
            match fits {
                Some(fits) => {
                    let found: HashSet<Arc<str>> = fits.into_iter().map(|it| it.path).collect();
                    files.retain(|it| !found.contains(it));
                }
                // It may lead to all of them.
                None => files.retain(|it| !it.starts_with(path.fixed_start())),
            }
        }
        let mut by_slashes: HashSet<Arc<str>> = HashSet::new();
        for path in all.iter().filter(|it| it.searches_by_slashes(root)) {
            let fits = path.in_every_way(|is_empty, search| {
                path.fits_by_slashes(files.iter(), is_empty, search)
            });
            if let Some(fits) = fits {
                by_slashes.extend(fits.into_iter().map(|it| it.path));
            } else {
                // It may lead to all of them.
                let near = files.iter().filter(|it| it.starts_with(path.fixed_start()));
                by_slashes.extend(near.cloned());
            }
        }
        files.retain(|it| by_slashes.contains(it));
        files
    }

    /// Whether texts with a slash may lead to more files of the hierarchy whose hiera.yaml is in `root`.
    pub fn searches_by_slashes(&self, root: &str) -> bool {
        let directory = self.directory();
        let rest = root.strip_prefix(directory);
        let is_around =
            directory == "/" || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        !is_around && !self.is_obscure() && self.variables().iter().any(|it| may_contain_slash(it))
    }

    /// The text before anything that is open.
    fn fixed_start(&self) -> &str {
        fixed_start(&self.text, self.is_glob)
    }

    /// A text with which the path of every file starts that this path can lead to.
    fn certain_start(&self) -> &str {
        let start = if self.unjoined.is_some() { "" } else { self.fixed_start() };
        // The files are known by paths without `.`, `..` and double slashes. After an empty name, a path may lead to the directory.
        if start.contains("//") || start.contains("/.") { "" } else { start.trim_end_matches('/') }
    }

    /// The deepest directory that contains all files that the path can lead to.
    pub fn directory(&self) -> &str {
        match self.fixed_start().rsplit_once('/') {
            Some(("", _)) | None => "/",
            Some((directory, _)) => directory,
        }
    }

    /// Whether the file at `path`, which need not exist, is among [`Self::fits`]. It is if there are too many ways to tell.
    pub fn may_lead_to(&self, path: &Arc<str>) -> bool {
        self.fits_among([path].into_iter()).is_none_or(|it| !it.is_empty())
    }

    /// Whether files can be split among the variables in many ways, so that there may be too many for [`Self::fits`].
    pub fn may_have_many_ways(&self) -> bool {
        let is_shared = |name: &str| {
            let holes = name.matches(HOLE).count() / 2;
            holes > 1 || holes == 1 && self.is_glob && name.contains('*')
        };
        let has_holes = || has_holes(&self.text);
        let has_stars = self.is_glob && self.text.matches('*').nth(1).is_some();
        !self.by_slashes.is_empty()
            || has_stars && has_holes()
            || self.text.split('/').any(is_shared)
    }

    /// Calls `find` for each choice of empty variables, and adds these variables to its results.
    /// `None` if there are too many ways.
    fn in_every_way(
        &self,
        find: impl Fn(&dyn Fn(&str) -> bool, &Search<'_>) -> Vec<Fit>,
    ) -> Option<Vec<Fit>> {
        let splits = Splits::default();
        let search = plain_search(&splits);
        let variables = self.variables();
        let mut found = Vec::new();
        for empty in empty_choices(variables.len()) {
            let empty = Empty { variables: &variables, empty };
            let is_empty = |name: &str| empty.contains(name);
            if self.is_made_absolute(&is_empty) {
                continue;
            }
            let mut fits = find(&is_empty, &search);
            if splits.are_too_many() {
                return None;
            }
            for name in variables.iter().filter(|it| is_empty(it) && self.has_as_name(it)) {
                fits.retain(|fit| !self.beside.iter().any(|it| it.speaks_against(name, fit)));
            }
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
        Some(found)
    }

    /// The texts for which the glob finds a file; several files may have the same texts.
    fn glob_fits(
        &self,
        files: &dyn Files,
        is_empty: &dyn Fn(&str) -> bool,
        search: &Search<'_>,
    ) -> Vec<Fit> {
        let pattern = self.without_empty_holes(is_empty);
        let mut any = String::new();
        for (number, part) in pattern.split(HOLE).enumerate() {
            any.push_str(if number % 2 == 0 { part } else { "*" });
        }
        // `*` also finds files for which a variable would need two different texts, so each path is compared with the pattern again.
        let found = glob::glob(files, &any);
        found.iter().flat_map(|path| glob_path_fits(&pattern, path, search)).collect()
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

/// A search for texts without slashes.
fn plain_search(splits: &Splits) -> Search<'_> {
    Search { splits, may_have_slash: None, may_have_dot: may_contain_dot }
}

/// The text before the first hole, or the first special character of a glob.
fn fixed_start(text: &str, is_glob: bool) -> &str {
    let is_open = |c: char| c == HOLE || is_glob && "*?[{\\".contains(c);
    &text[..text.find(is_open).unwrap_or(text.len())]
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
fn glob_path_fits(pattern: &str, path: &Arc<str>, search: &Search<'_>) -> Vec<Fit> {
    let texts = glob::texts_of_holes(pattern, HOLE, path, search);
    texts.into_iter().map(|texts| Fit { texts, path: Arc::clone(path) }).collect()
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

#[cfg(test)]
mod tests;
