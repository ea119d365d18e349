//! The paths that a template of `hiera.yaml` can lead to, for any facts.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use crate::facts::open_path::push_after_empty;
use crate::world::paths;

/// Represents a `%{…}` while paths are joined; no path contains it.
const ANY_TEXT: char = '\0';

/// The paths that a template can lead to.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Absolute and normalized, with [`ANY_TEXT`] for interpolations.
    text: String,
    /// The same without the names that disappear if an interpolation is empty: `a/%{b}/c.yaml` is then `a/c.yaml`.
    shorter: Vec<String>,
    is_glob: bool,
    /// The first byte of the text that is not the same for every node. Thousands of paths are compared with the text before it.
    first_open_byte: Option<usize>,
    globs: OnceLock<Vec<Regex>>,
}

/// With more names than this that may disappear, only the first ones are considered.
const MAX_EMPTY_NAMES: usize = 5;

/// Texts in templates that are the same for every node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// The text of `%{environment}` in all its spellings; `None` if it is not known.
    pub(super) environment: Option<&'a str>,
}

impl Pattern {
    /// The pattern of `location` below `datadir`, which are both templates; `root` is the directory of `hiera.yaml`.
    pub(super) fn new(
        root: &str,
        datadir: &str,
        location: &str,
        is_glob: bool,
        known: Known<'_>,
    ) -> Self {
        let datadir = paths::join(root, &without_interpolations(datadir, known));
        let location = without_interpolations(location, known);
        let text = paths::join(&datadir, &location);
        // If the name at the start of a location disappears, an absolute path is left, and the datadir does not count.
        let start = if location.starts_with(ANY_TEXT) { datadir.len() + 1 } else { text.len() };
        let shorter = without_names(&text, start);
        let first_open_byte = first_open_byte(&text, is_glob);
        Self { text, shorter, is_glob, first_open_byte, globs: OnceLock::new() }
    }

    /// The same pattern at another place.
    pub(super) fn moved(mut self, to: impl Fn(&str) -> String) -> Self {
        self.text = to(&self.text);
        self.shorter = self.shorter.iter().map(|it| to(it)).collect();
        self.first_open_byte = first_open_byte(&self.text, self.is_glob);
        self
    }

    /// The path, if it is the same for every node.
    pub(super) fn only_path(&self) -> Option<&str> {
        (self.first_open_byte.is_none()).then_some(&*self.text)
    }

    /// The deepest directory that contains all paths of the pattern.
    pub(super) fn directory(&self) -> &str {
        let fixed = &self.text[..self.first_open_byte.unwrap_or(self.text.len())];
        match fixed.rfind('/') {
            Some(0) | None => "/",
            Some(slash) => &fixed[..slash],
        }
    }

    /// Whether the facts of some node lead to `path`.
    pub(super) fn matches(&self, path: &str) -> bool {
        if self.is_glob {
            // A compiled glob is large, and most of them are never needed.
            let fixed = self.first_open_byte.unwrap_or(self.text.len());
            if !path.starts_with(&self.text[..fixed]) {
                return false;
            }
            let globs = self.globs.get_or_init(|| {
                self.texts().filter_map(|it| Regex::new(&glob_to_regex(it)).ok()).collect()
            });
            return globs.iter().any(|it| it.is_match(path));
        }
        self.texts().any(|text| matches(text, path))
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.text).chain(self.shorter.iter().map(String::as_str))
    }
}

fn first_open_byte(text: &str, is_glob: bool) -> Option<usize> {
    let is_open = |c: char| c == ANY_TEXT || (is_glob && "*?[{\\".contains(c));
    text.find(is_open)
}

/// Whether a path has the fixed parts of a text in their order.
fn matches(text: &str, path: &str) -> bool {
    let Some((first, rest)) = text.split_once(ANY_TEXT) else {
        return text == path;
    };
    // Only the fixed start and end are bound to a place. The parts between them may match as early as possible.
    let (middle, last) = rest.rsplit_once(ANY_TEXT).unwrap_or(("", rest));
    let Some(mut left) = path.strip_prefix(first).and_then(|it| it.strip_suffix(last)) else {
        return false;
    };
    for part in middle.split(ANY_TEXT) {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    true
}

/// The text without each choice of the names that are interpolations only, except for the one that begins at byte `kept`.
fn without_names(text: &str, kept: usize) -> Vec<String> {
    let is_whole_name = |at: usize| {
        // The last name is that of the file.
        text[..at].ends_with('/') && text[at + ANY_TEXT.len_utf8()..].starts_with('/')
    };
    let holes = text.match_indices(ANY_TEXT).enumerate();
    let may_go = holes.filter(|(_, (at, _))| *at != kept && is_whole_name(*at));
    let may_go: Vec<usize> = may_go.map(|(hole, _)| hole).take(MAX_EMPTY_NAMES).collect();
    let without = |choice: u32| {
        let is_empty = |hole: usize| {
            let at = may_go.iter().position(|it| *it == hole);
            at.is_some_and(|at| choice >> at & 1 == 1)
        };
        let mut parts = text.split(ANY_TEXT);
        let mut shorter = parts.next().unwrap_or_default().to_owned();
        for (hole, after) in parts.enumerate() {
            if is_empty(hole) {
                push_after_empty(&mut shorter, after);
            } else {
                shorter.push(ANY_TEXT);
                shorter.push_str(after);
            }
        }
        shorter
    };
    (1..1 << may_go.len()).map(without).collect()
}

/// The template with its environment inserted and every other `%{…}` replaced by [`ANY_TEXT`].
fn without_interpolations(template: &str, known: Known<'_>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(Range { start, end }) = interpolation(rest) {
        text.push_str(&rest[..start]);
        match rest[start + 2..end - 1].trim() {
            "environment" | "::environment" | "server_facts.environment"
                if known.environment.is_some() =>
            {
                text.push_str(known.environment.unwrap_or_default());
            }
            // Puppet interpolates `%{}` as an empty string.
            "" => {}
            // Two texts of any length in a row are one such text.
            _ if text.ends_with(ANY_TEXT) => {}
            _ => text.push(ANY_TEXT),
        }
        rest = &rest[end..];
    }
    text.push_str(rest);
    text
}

fn interpolation(text: &str) -> Option<Range<usize>> {
    let start = text.find("%{")?;
    let end = start + text[start..].find('}')? + 1;
    Some(start..end)
}

/// Ruby's globs: `*` stays in its directory and skips names that start with a dot, `**/` matches any number of directories.
fn glob_to_regex(glob: &str) -> String {
    // A name may contain a line break, which `.` does not match without `s`.
    let mut regex = String::from("^(?s)");
    let mut chars = glob.chars().peekable();
    let mut depth = 0;
    let mut at_start = false;
    let mut name = BraceName::default();
    while let Some(c) = chars.next() {
        let starts_name = at_start;
        at_start = c == '/';
        name.may_be_empty |= name.is_empty && depth > 0 && matches!(c, ',' | '}');
        name.is_empty = match c {
            '{' | ',' => true,
            ANY_TEXT => name.is_empty,
            _ => false,
        };
        match c {
            ANY_TEXT => regex.push_str(".*"),
            '*' => {
                let is_double = chars.next_if_eq(&'*').is_some();
                while chars.next_if_eq(&'*').is_some() {}
                if is_double && starts_name && chars.next_if_eq(&'/').is_some() {
                    regex.push_str("(?:[^./][^/]*/)*");
                    at_start = true;
                } else {
                    regex.push_str(if starts_name { "(?:[^./][^/]*)?" } else { "[^/]*" });
                }
            }
            '?' => regex.push_str(if starts_name { "[^./]" } else { "[^/]" }),
            '[' => push_set(&mut regex, &mut chars),
            '{' => {
                if depth == 0 {
                    name.start = starts_name.then_some(regex.len());
                    name.may_be_empty = false;
                }
                depth += 1;
                regex.push_str("(?:");
                // Each alternative starts where the braces start.
                at_start = starts_name;
            }
            '}' if depth > 0 => {
                depth -= 1;
                regex.push(')');
                // `a//b` is the same path as `a/b`.
                if depth == 0
                    && name.may_be_empty
                    && let Some(start) = name.start
                    && chars.next_if_eq(&'/').is_some()
                {
                    regex.insert_str(start, "(?:");
                    regex.push_str("/)?");
                    at_start = true;
                }
            }
            ',' if depth > 0 => regex.push('|'),
            '\\' => match chars.next() {
                // The text begins with what the backslash escapes.
                Some(ANY_TEXT) => regex.push_str(".*"),
                escaped => push_literal(&mut regex, escaped.unwrap_or('\\')),
            },
            c => push_literal(&mut regex, c),
        }
    }
    regex.push('$');
    regex
}

/// A name of a glob that is `{…}` only.
#[derive(Default)]
struct BraceName {
    /// Where it starts in the regular expression; `None` if something comes before it in the name.
    start: Option<usize>,
    /// Whether nothing but interpolations came since the last `{` or comma.
    is_empty: bool,
    /// Whether one of the alternatives may be empty.
    may_be_empty: bool,
}

fn push_set(regex: &mut String, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    let mut set = String::new();
    let mut ahead = chars.clone();
    let is_negated = ahead.next_if(|it| matches!(it, '^' | '!')).is_some();
    loop {
        match ahead.next() {
            Some(']') if !set.is_empty() => break,
            // The text may end the set anywhere, and go on after it.
            Some(ANY_TEXT) => {
                *chars = ahead;
                while chars.next().is_some_and(|it| it != ']') {}
                return regex.push_str(".*");
            }
            Some('-') if !set.is_empty() => set.push('-'),
            Some('\\') => push_literal(&mut set, ahead.next().unwrap_or('\\')),
            Some(c) => push_literal(&mut set, c),
            // A set that is not closed is an ordinary bracket. `chars` was not moved, so what follows it is read again.
            None => return push_literal(regex, '['),
        }
    }
    *chars = ahead;
    // A negated set must not match a slash, because a set stays in its directory.
    regex.push_str(if is_negated { "[^/" } else { "[" });
    regex.push_str(&set);
    regex.push(']');
}

fn push_literal(regex: &mut String, c: char) {
    if "\\.+*?()|[]{}^$#&-~".contains(c) {
        regex.push('\\');
    }
    regex.push(c);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MemoryFiles;
    use crate::facts::open_path::{self, OpenPath};

    fn pattern(datadir: &str, location: &str, is_glob: bool) -> Pattern {
        Pattern::new("/r", datadir, location, is_glob, Known { environment: Some("test") })
    }

    #[track_caller]
    fn check(pattern: &Pattern, directory: &str, reached: &[&str], not_reached: &[&str]) {
        assert_eq!(pattern.directory(), directory);
        for path in reached {
            assert!(pattern.matches(path), "{path} is reached");
        }
        for path in not_reached {
            assert!(!pattern.matches(path), "{path} is not reached");
        }
    }

    #[test]
    fn a_path_without_variables_is_one_file() {
        let fixed = pattern("data", "common.yaml", false);
        assert_eq!(fixed.only_path(), Some("/r/data/common.yaml"));
        check(&fixed, "/r/data", &["/r/data/common.yaml"], &["/r/data/common.yml"]);
        let absolute = pattern("/etc/%{::environment}", "../x/*.yaml", false);
        assert_eq!(absolute.only_path(), Some("/etc/x/*.yaml"));
    }

    #[test]
    fn an_interpolation_can_be_any_text() {
        check(
            &pattern("data", "nodes/%{trusted.certname}.yaml", false),
            "/r/data/nodes",
            &["/r/data/nodes/a.yaml", "/r/data/nodes/a/b.yaml", "/r/data/nodes/.yaml"],
            &["/r/data/nodes/a.json", "/r/data/a.yaml", "/r/data/nodes/a.yaml.bak"],
        );
        check(
            &pattern("%{environment}/d", "os/%{facts.os.name}-%{lookup('x')}%{y}/%{z}.yaml", false),
            "/r/test/d/os",
            &["/r/test/d/os/a-b/c.yaml", "/r/test/d/os/-/.yaml"],
            &["/r/test/d/os/ab/c.yaml", "/r/test/d/os/a-c.yaml"],
        );
        check(
            &pattern("%{x}", "a.yaml", false),
            "/r",
            &["/r/x/y/a.yaml", "/r/a.yaml"],
            &["/a.yaml"],
        );
        check(&pattern("data", "%{literal", false), "/r/data", &["/r/data/%{literal"], &[]);
    }

    #[test]
    fn an_empty_interpolation_leaves_a_name_out() {
        check(
            &pattern("data", "a/%{x}/%{y}/%{z}.yaml", false),
            "/r/data/a",
            &["/r/data/a/b/c/d.yaml", "/r/data/a/b/c.yaml", "/r/data/a/b.yaml"],
            &["/r/data/b.yaml"],
        );
        check(
            &pattern("data", "a/%{x}/*.yaml", true),
            "/r/data/a",
            &["/r/data/a/b.yaml"],
            &["/r/data/a.yaml", "/r/data/b.yaml"],
        );
        // What is left is an absolute path.
        check(
            &pattern("data", "%{x}/a.yaml", false),
            "/r/data",
            &["/r/data/x/a.yaml"],
            &["/r/data/a.yaml"],
        );
        check(
            &pattern("data/%{x}", "%{y}/%{z}/a.yaml", false),
            "/r/data",
            &["/r/data/y/a.yaml", "/r/data/y/z/a.yaml"],
            &["/r/data/a.yaml"],
        );
    }

    #[test]
    fn an_interpolation_in_a_set_can_end_it() {
        check(
            &pattern("data", "x/[%{a}]*.yaml", true),
            "/r/data/x",
            &["/r/data/x/a.yaml", "/r/data/x/b/a.yaml"],
            &["/r/data/x/a.json", "/r/data/y/a.yaml"],
        );
        check(
            &pattern("data", "[a-%{b}", true),
            "/r/data",
            &["/r/data/a.yaml", "/r/data/x.yaml"],
            &["/r/x.yaml"],
        );
    }

    /// Lookups find the files of a path in another way, which must not lead to files outside of its reach.
    #[test]
    fn all_files_that_lookups_find_are_reached() {
        let names = ["a", "x", "a.yaml", "x.yaml"];
        let below = |directory: &str| names.map(|name| format!("{directory}/{name}"));
        let two = below("/r/data").iter().flat_map(|it| below(it)).collect::<Vec<_>>();
        let three = two.iter().flat_map(|it| below(it)).collect::<Vec<_>>();
        let all = [&below("/r/data")[..], &two, &three].concat();
        let is_file = |path: &str| path.strip_suffix(".yaml").is_some_and(|it| !it.contains('.'));
        let files =
            MemoryFiles::new(all.iter().filter(|it| is_file(it)).map(|path| (path.as_str(), "")));
        let mut found = 0;
        for (location, is_glob) in [
            ("%{x}/a.yaml", false),
            ("a/%{x}/%{y}.yaml", false),
            ("%{x}/%{y}/%{z}.yaml", false),
            ("%{x}%{y}/x/a.yaml", false),
            ("a/%{x}%{y}/a.yaml", false),
            ("a/%{x}/*.yaml", true),
            ("%{x}/%{y}/*.yaml", true),
            ("*/%{x}*/%{y}.yaml", true),
        ] {
            let reach = pattern("data", location, is_glob);
            let open = ["x", "y", "z"].iter().fold(location.to_owned(), |text, name| {
                text.replace(&format!("%{{{name}}}"), &open_path::hole(name))
            });
            let open = OpenPath::joined("/r/data", &open, is_glob).expect("an open path");
            for fit in open.fits(&files).into_iter().flatten().filter(|it| is_file(&it.path)) {
                assert!(reach.matches(&fit.path), "{location} leads to {}", fit.path);
                found += 1;
            }
        }
        assert!(found > 30, "{found}");
    }

    #[test]
    fn globs_are_rubys() {
        check(
            &pattern("data", "**/*.{yaml,yml}", true),
            "/r/data",
            &["/r/data/a.yaml", "/r/data/x/y/a.yml"],
            &["/r/data/.a.yaml", "/r/data/.git/a.yaml", "/r/data/a.json"],
        );
        check(
            &pattern("data", "g?/[a-c][!x]*.yaml", true),
            "/r/data",
            &["/r/data/g1/ab.yaml"],
            &["/r/data/g1/ax.yaml", "/r/data/g1/db.yaml", "/r/data/g1/x/ab.yaml"],
        );
        check(
            &pattern("data", "%{role}/*.yaml", true),
            "/r/data",
            &["/r/data/web/a.yaml", "/r/data/web/front/a.yaml"],
            &["/r/data/web/.a.yaml"],
        );
        check(
            &pattern("data", "g/{web,%{x}}/*.yaml", true),
            "/r/data/g",
            &["/r/data/g/web/a.yaml", "/r/data/g/y/a.yaml", "/r/data/g/a.yaml"],
            &["/r/data/a.yaml", "/r/data/g/.a.yaml"],
        );
        check(
            &pattern("data", "g/{web,}/{b,c}/*.yaml", true),
            "/r/data/g",
            &["/r/data/g/web/b/a.yaml", "/r/data/g/c/a.yaml"],
            &["/r/data/g/web/a.yaml"],
        );
        check(&pattern("data", "[a.yaml", true), "/r/data", &["/r/data/[a.yaml"], &[]);
    }

    #[test]
    fn a_datadir_can_lie_elsewhere_on_this_machine() {
        let moved = pattern("/etc/code/hiera", "%{x}.yaml", false);
        let moved = moved.moved(|path| path.replace("/etc/code", "/home/me/data"));
        check(&moved, "/home/me/data/hiera", &["/home/me/data/hiera/a.yaml"], &[]);
    }
}
