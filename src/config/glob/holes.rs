//! Patterns with holes, where some text is not known: for which texts they match a path.

use std::collections::HashSet;
use std::sync::Arc;

use super::braces::expand_braces;
use super::name::step;

/// The maximum number of steps for one path.
const MAX_STEPS: usize = 50_000;

/// The text in each hole.
pub type HoleTexts = Vec<(Arc<str>, Arc<str>)>;

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

/// All non-empty texts without a slash for which `pattern` matches the whole `path`.
pub fn texts_of_holes(pattern: &str, hole: char, path: &str) -> Vec<HoleTexts> {
    let mut found: Vec<HoleTexts> = Vec::new();
    for alternative in expand_braces(pattern).texts {
        let mut walk = Walk { path, hole, found: &mut found, seen: HashSet::new() };
        walk.enter(&alternative, 0, &Vec::new());
    }
    found
}

struct Walk<'a> {
    path: &'a str,
    hole: char,
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
        for end in ends_in_name(rest) {
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
        let found = texts_of_holes(&pattern, '\0', path);
        let show = |it: &HoleTexts| {
            it.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found.iter().map(show).collect::<Vec<_>>(), expected, "{pattern} {path}");
    }

    #[test]
    fn every_text_that_the_pattern_lets_through() {
        check("/<role>*.yaml", "/web.yaml", &["role=w", "role=we", "role=web"]);
        check("/<role>?.yaml", "/web.yaml", &["role=we"]);
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
