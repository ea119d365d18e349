//! Paths as texts: joined like Ruby's `Pathname#+`, and normalized before [`Files`] is used.

use std::borrow::Cow;

use crate::data::{Files, PathKind};

/// `base + relative` like Ruby's Pathname: an absolute `relative` wins, and leading `.` and `..` are resolved against `base`.
/// Such parts in the middle stay, as they do in Puppet's messages.
pub fn join(base: &str, relative: &str) -> String {
    // Most paths have nothing to resolve, and each node has some for each of its levels.
    let is_usual = !matches!(relative.bytes().next(), None | Some(b'.' | b'/'))
        && drive(relative).is_none()
        && !matches!(base.bytes().last(), None | Some(b'.' | b'/'));
    if is_usual {
        return [base, "/", relative].concat();
    }
    let rest = relative.trim_start_matches('/');
    if is_absolute(relative) {
        return relative.to_owned();
    }
    let mut names = skip_dots(rest);
    let mut base = base;
    // As in Ruby, each `..` at the start of `relative` removes the last name of `base`.
    while let Some((parent, name)) = chop(base) {
        base = match name {
            "." => parent,
            _ if name != ".." && first_name(names) == ".." => {
                names = skip_dots(after_first_name(names));
                parent
            }
            _ => break,
        };
    }
    // The directory above the root is the root itself.
    if chop(base).is_none() && is_root(base) {
        while first_name(names) == ".." {
            names = skip_dots(after_first_name(names));
        }
    }
    match (base, names) {
        ("", "") => ".".to_owned(),
        (_, "") if is_root(base) => base.to_owned(),
        (_, "") => trim_end_slashes(base).to_owned(),
        ("", _) => names.to_owned(),
        _ if base.ends_with('/') => [base, names].concat(),
        _ => [base, "/", names].concat(),
    }
}

/// Whether the path is absolute: it starts with `/`, or with a drive and `/`.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || drive(path).is_some_and(|drive| path[drive.len()..].starts_with('/'))
}

/// The directory of a path, such as that of a `hiera.yaml`.
pub fn parent(path: &str) -> &str {
    match chop(path) {
        None => path,
        Some((parent, _)) if is_root(parent) => parent,
        Some((parent, _)) => trim_end_slashes(parent),
    }
}

/// The kind of `path`, which may contain `.`, `..` and double slashes. A directory before `..` must exist.
pub fn kind(files: &dyn Files, path: &str) -> PathKind {
    resolve(files, path).map_or(PathKind::Missing, |plain| {
        let kind = files.kind(&plain);
        // For the operating system, a path that ends with a slash can only be a directory.
        if kind == PathKind::File && path.ends_with('/') { PathKind::Missing } else { kind }
    })
}

/// `path` without `.`, `..` and double slashes, or `None` if a directory before `..` does not exist.
pub fn resolve<'a>(files: &dyn Files, path: &'a str) -> Option<Cow<'a, str>> {
    if is_plain(path) {
        return Some(Cow::Borrowed(path));
    }
    let root = drive(path).unwrap_or("");
    let mut plain = root.to_owned();
    for name in path[root.len()..].split('/') {
        match name {
            "." | ".." if plain.len() > root.len() && files.kind(&plain) != PathKind::Directory => {
                return None;
            }
            "" | "." => {}
            // The operating system goes to the directory above the one that a link leads to.
            ".." => {
                plain = files.target_of_link(&plain).unwrap_or(plain);
                plain.truncate(plain.rfind('/').unwrap_or(root.len()));
            }
            _ => {
                plain.push('/');
                plain.push_str(name);
            }
        }
    }
    if plain.len() == root.len() {
        plain.push('/');
    }
    Some(Cow::Owned(plain))
}

/// Whether two paths have the same names, however many slashes separate them.
pub fn are_same_names(one: &str, other: &str) -> bool {
    fn names(path: &str) -> impl Iterator<Item = &str> {
        path.split('/').filter(|it| !it.is_empty())
    }
    names(one).eq(names(other))
}

/// Whether [`resolve`] returns the path as it is.
fn is_plain(path: &str) -> bool {
    let bytes = path.as_bytes();
    // Nearly all paths have neither an empty name nor one that starts with a dot, which one search for slashes shows.
    let is_odd = |slash: usize| matches!(bytes.get(slash + 1), None | Some(b'/' | b'.'));
    let may_be_odd =
        matches!(bytes, [] | [_] | [b'.', ..]) || memchr::memchr_iter(b'/', bytes).any(is_odd);
    !may_be_odd
        || path.len() > 1
            && !path.ends_with('/')
            && !path.contains("//")
            && !path.split('/').any(|name| matches!(name, "." | ".."))
}

/// The `c:` of `c:/data`.
fn drive(path: &str) -> Option<&str> {
    let bytes = path.as_bytes();
    (bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':').then(|| &path[..2])
}

fn is_root(path: &str) -> bool {
    trim_end_slashes(path).is_empty() && !path.is_empty()
        || drive(path).is_some_and(|drive| trim_end_slashes(path) == drive)
}

/// Parent (with its slash) and last name of a path; `None` for a root or an empty path.
fn chop(path: &str) -> Option<(&str, &str)> {
    let path = trim_end_slashes(path);
    if path.is_empty() || drive(path) == Some(path) {
        return None;
    }
    Some(path.split_at(path.rfind('/').map_or(drive(path).map_or(0, str::len), |slash| slash + 1)))
}

fn trim_end_slashes(path: &str) -> &str {
    path.trim_end_matches('/')
}

fn first_name(path: &str) -> &str {
    path.split('/').next().unwrap_or("")
}

fn after_first_name(path: &str) -> &str {
    path.split_once('/').map_or("", |(_, rest)| rest.trim_start_matches('/'))
}

fn skip_dots(mut path: &str) -> &str {
    while first_name(path) == "." {
        path = after_first_name(path);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MemoryFiles;

    /// The expected results are those of Ruby's `Pathname#+`.
    #[test]
    fn joins_as_pathname_does() {
        fn check(base: &str, relative: &str, expected: &str) {
            assert_eq!(join(base, relative), expected, "{base} + {relative}");
        }
        check("/e", "common.yaml", "/e/common.yaml");
        check("/e", "././x/.", "/e/x/.");
        check("/e", "a/..", "/e/a/..");
        check("/e", "", "/e");
        check("/e/", "common.yaml", "/e/common.yaml");
        check("/e/", "..", "/");
        check("/e/", "", "/e");
        check("/", "../x", "/x");
        check("/", ".", "/");
        check("/", "..", "/");
        check("/", "x/", "/x/");
        check("/e/data", "../x", "/e/x");
        check("/e/data", "../../../x", "/x");
        check("/e/data", "a/../b", "/e/data/a/../b");
        check("/e/data", "/abs", "/abs");
        check("/e/data", "//abs", "//abs");
        check("/e/data", ".././x", "/e/x");
        check("/e/data", "x/", "/e/data/x/");
        check("/e/../f", "..", "/e/..");
        check("/e/.", "./x", "/e/x");
        check("/e//d", "a//b", "/e//d/a//b");
        check("/..", "../x", "/../../x");
        check("/e/..", "..", "/e/../..");
        check("/a/./b", "..", "/a");
    }

    #[test]
    fn drives_are_roots() {
        assert_eq!(join("c:/code", "data"), "c:/code/data");
        assert_eq!(join("c:/code", "d:/data"), "d:/data");
        assert_eq!(join("c:/code", "../../../x"), "c:/x");
        assert_eq!(parent("c:/hiera.yaml"), "c:/");
    }

    #[test]
    fn parents() {
        assert_eq!(parent("/env/hiera.yaml"), "/env");
        assert_eq!(parent("/hiera.yaml"), "/");
    }

    #[test]
    fn dots_are_resolved_through_directories_that_exist() {
        let files = MemoryFiles::new([("/a/b/x.yaml", "")]);
        assert_eq!(kind(&files, "/a/b/../b//x.yaml"), PathKind::File);
        assert_eq!(kind(&files, "/a/./b/x.yaml"), PathKind::File);
        assert_eq!(kind(&files, "/a/no/../b/x.yaml"), PathKind::Missing);
        assert_eq!(kind(&files, "/a/b/x.yaml/"), PathKind::Missing);
        assert_eq!(kind(&files, "/a/b/.."), PathKind::Directory);
        assert_eq!(kind(&files, "/../a"), PathKind::Directory);
    }
}
