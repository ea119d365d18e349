//! Patterns with holes, where some text is not known: for which texts they match a path.

use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Arc;

use super::braces::expand_braces;
use super::name::step;
use crate::limits::{MAX_NAME_SPLITS, MAX_PATH_SPLITS};

/// The maximum number of steps for one path.
const MAX_STEPS: usize = 50_000;

/// With more steps for one path, they count as splits.
const USUAL_STEPS: usize = 2_000;

/// So many of these steps take about as long as a split.
const STEPS_OF_A_SPLIT: usize = 16;

/// The text in each hole.
pub type HoleTexts = Vec<(Arc<str>, Arc<str>)>;

/// How texts for holes are searched for.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    /// Counts how often names are split.
    pub splits: &'a Splits,
    /// Which holes may have a text with a slash, by their names; `None` if no hole may.
    pub may_have_slash: Option<fn(&str) -> bool>,
    /// Which holes may have a text with a dot.
    pub may_have_dot: fn(&str) -> bool,
}

impl Search<'_> {
    /// Where the text of a hole may end that starts with `rest`. It neither starts nor ends with a slash.
    pub fn ends<'t>(&self, hole: &str, rest: &'t str) -> impl Iterator<Item = usize> + use<'t> {
        let may_have_slash = self.may_have_slash.is_some_and(|it| it(hole));
        let goes_on = may_have_slash && !rest.starts_with('/');
        let may_have_dot = (self.may_have_dot)(hole);
        let may_have = move |c: char| match c {
            '/' => goes_on,
            '.' => may_have_dot,
            _ => true,
        };
        let in_text = rest.char_indices().take_while(move |(_, c)| may_have(*c));
        in_text.filter(|(_, c)| *c != '/').map(|(at, c)| at + c.len_utf8())
    }
}

/// Counts the ways in which the names of files are split among variables, besides one way for each name.
#[derive(Debug)]
pub struct Splits {
    /// How many more may be tried; `None` if there are too many.
    left: Cell<Option<usize>>,
    /// How many more of the current name.
    left_of_name: Cell<usize>,
}

impl Default for Splits {
    fn default() -> Self {
        Self { left: Cell::new(Some(MAX_PATH_SPLITS)), left_of_name: Cell::new(MAX_NAME_SPLITS) }
    }
}

impl Splits {
    /// Another name is split from now on.
    pub fn begin_name(&self) {
        self.left_of_name.set(MAX_NAME_SPLITS);
    }

    /// Counts another one. Returns false if there are too many.
    pub fn may_try(&self) -> bool {
        match self.left_of_name.get().checked_sub(1) {
            Some(left) => {
                self.left_of_name.set(left);
                self.take(1);
            }
            None => self.left.set(None),
        }
        !self.are_too_many()
    }

    /// Whether some were left out because there are too many.
    pub fn are_too_many(&self) -> bool {
        self.left.get().is_none()
    }

    fn take(&self, count: usize) {
        self.left.set(self.left.get().and_then(|it| it.checked_sub(count)));
    }
}

/// Whether a hole is inside `{…}` or `[…]`, where its text may change the meaning of the pattern itself. The character `hole`
/// encloses each hole's name.
pub fn has_hole_in_brackets(pattern: &str, hole: char) -> bool {
    let mut depth = 0_usize;
    let mut is_escaped = false;
    for (number, part) in pattern.split(hole).enumerate() {
        if number % 2 == 1 {
            if depth > 0 || is_escaped {
                return true;
            }
            continue;
        }
        for c in part.chars() {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '{' | '[' => depth += 1,
                '}' | ']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    false
}

/// All non-empty texts for which `pattern` matches the whole `path`.
pub fn texts_of_holes(
    pattern: &str,
    hole: char,
    path: &str,
    search: &Search<'_>,
) -> Vec<HoleTexts> {
    let mut found: Vec<HoleTexts> = Vec::new();
    search.splits.begin_name();
    for alternative in expand_braces(pattern).texts {
        if search.splits.are_too_many() {
            break;
        }
        let mut walk = Walk { path, hole, search, found: &mut found, seen: HashSet::new() };
        walk.enter(&alternative, 0, &Vec::new());
        let steps = walk.seen.len();
        if steps >= MAX_STEPS {
            search.splits.take(MAX_PATH_SPLITS + 1);
        }
        search.splits.take(steps.saturating_sub(USUAL_STEPS) / STEPS_OF_A_SPLIT);
    }
    found
}

struct Walk<'a> {
    path: &'a str,
    hole: char,
    search: &'a Search<'a>,
    found: &'a mut Vec<HoleTexts>,
    /// The rest of the pattern, the position in the path, and the texts so far.
    seen: HashSet<(usize, usize, HoleTexts)>,
}

impl Walk<'_> {
    fn enter(&mut self, pattern: &str, at: usize, texts: &HoleTexts) {
        // The rest of the pattern is always an end of the same text, so its length identifies it.
        if self.seen.len() >= MAX_STEPS || !self.seen.insert((pattern.len(), at, texts.clone())) {
            return;
        }
        let rest = &self.path[at..];
        if pattern.is_empty() {
            if rest.is_empty() && !self.found.contains(texts) {
                self.found.push(texts.clone());
            }
        } else if let Some(after) = pattern.strip_prefix(self.hole) {
            self.enter_hole(after, at, texts);
        } else if let Some(after) = pattern.strip_prefix("**/")
            && self.begins_name(at)
        {
            self.enter(after, at, texts);
            // As in Ruby, `**/` does not enter hidden directories.
            if let Some(slash) = rest.find('/').filter(|_| !rest.starts_with('.')) {
                self.enter(pattern, at + slash + 1, texts);
            }
        } else if pattern.starts_with('*') {
            let after = pattern.trim_start_matches('*');
            // As in Ruby, only a dot in the pattern itself matches the dot of a hidden file.
            if self.begins_name(at) && rest.starts_with('.') {
                return;
            }
            self.enter(after, at, texts);
            for end in ends_in_name(rest) {
                self.enter(after, at + end, texts);
            }
        } else if rest.starts_with('/') != pattern.starts_with('/')
            || self.begins_name(at) && rest.starts_with('.') && pattern.starts_with(['?', '['])
        {
        } else if let Some((after, left)) = step(pattern, rest) {
            self.enter(after, self.path.len() - left.len(), texts);
        }
    }

    /// `after` starts with the name of the hole.
    fn enter_hole(&mut self, after: &str, at: usize, texts: &HoleTexts) {
        let Some((name, after)) = after.split_once(self.hole) else { return };
        let rest = &self.path[at..];
        // A variable has one text, so a hole that comes again must have the text of the first one.
        if let Some((_, known)) = texts.iter().find(|(it, _)| **it == *name) {
            if rest.starts_with(&**known) {
                self.enter(after, at + known.len(), texts);
            }
            return;
        }
        // Only where what follows in the pattern may fit, a text is worth the work.
        let next = after.chars().next();
        let next = next.filter(|it| !"*?[\\".contains(*it) && *it != self.hole);
        let may_fit = |end: &usize| match next {
            Some(next) => rest[*end..].starts_with(next),
            None => !after.is_empty() || *end == rest.len(),
        };
        for (number, end) in self.search.ends(name, rest).filter(may_fit).enumerate() {
            if number > 0 && !self.search.splits.may_try() {
                return;
            }
            let mut texts = texts.clone();
            texts.push((name.into(), rest[..end].into()));
            self.enter(after, at + end, &texts);
        }
    }

    fn begins_name(&self, at: usize) -> bool {
        at == 0 || self.path[..at].ends_with('/')
    }
}

/// The position after each character before the next slash.
fn ends_in_name(text: &str) -> impl Iterator<Item = usize> {
    text.char_indices().take_while(|(_, c)| *c != '/').map(|(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, path: &str, expected: &[&str]) {
        let pattern = pattern.replace(['<', '>'], "\0");
        let splits = Splits::default();
        let search =
            Search { splits: &splits, may_have_slash: None, may_have_dot: |it| it != "host" };
        let found = texts_of_holes(&pattern, '\0', path, &search);
        let show = |it: &HoleTexts| {
            it.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found.iter().map(show).collect::<Vec<_>>(), expected, "{pattern} {path}");
    }

    #[test]
    fn every_text_that_the_pattern_lets_through() {
        check("/<role>*.yaml", "/web.yaml", &["role=w", "role=we", "role=web"]);
        check("/<role>?.yaml", "/web.yaml", &["role=we"]);
        check("/<host>.<rest>.yaml", "/a.b.c.yaml", &["host=a rest=b.c"]);
        check("/**/<role>.yaml", "/a/b/web.yaml", &["role=web"]);
        check("/<role>/**/*.yaml", "/web/a/b.yaml", &["role=web"]);
        check("/<a>-<a>.{yaml,json}", "/x-x.json", &["a=x"]);
        check("/<a>-<b>.yaml", "/x-y-z.yaml", &["a=x b=y-z", "a=x-y b=z"]);
        check("/[!x]<a>.yaml", "/web.yaml", &["a=eb"]);
        check("/<a>/*.yaml", "/web/.hidden.yaml", &[]);
        check("/<a>.yaml", "/x/web.yaml", &[]);
    }

    #[test]
    fn holes_in_brackets() {
        assert!(has_hole_in_brackets("/{\0a\0,b}.yaml", '\0'));
        assert!(has_hole_in_brackets("/[\0a\0].yaml", '\0'));
        assert!(!has_hole_in_brackets("/\0a\0.{yaml,json}", '\0'));
    }
}
