//! Paths as texts: absolute, separated by `/`, without `.`, `..` and a trailing slash. The disk is not accessed.

use std::borrow::Cow;

/// Converts an absolute path to the normal form that is used everywhere inside.
///
/// `c:\x` and `C:/x` become `c:/x`, `\\server\share` becomes `//server/share`; `.`, `..` and double slashes are removed. In
/// other paths, a backslash is an ordinary character of a name, as on Unix.
pub fn normalise(path: &str) -> String {
    let path: Cow<'_, str> =
        if is_windows(path) { path.replace('\\', "/").into() } else { path.into() };
    let (root, rest) = split_root(&path);
    let mut names: Vec<&str> = Vec::new();
    for name in rest.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                // As in a file system, `..` at the root stays there.
                names.pop();
            }
            _ => names.push(name),
        }
    }
    // Editors spell the letter of a drive in both cases.
    let mut normal = root.to_ascii_lowercase();
    normal.push_str(&names.join("/"));
    normal
}

/// `path` relative to `directory`; an absolute `path` wins.
pub fn join(directory: &str, path: &str) -> String {
    if is_absolute(path) { normalise(path) } else { normalise(&format!("{directory}/{path}")) }
}

/// The path of a name that a directory has. Unlike [`join`], it does not look at what the name may stand for.
pub fn child(directory: &str, name: &str) -> String {
    let slash = if directory.ends_with('/') { "" } else { "/" };
    [directory, slash, name].concat()
}

/// Whether a path is absolute.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || is_windows(path)
}

/// The directory that contains `path`; `None` for a root.
pub fn parent(path: &str) -> Option<&str> {
    let (root, rest) = split_root(path);
    if rest.is_empty() {
        return None;
    }
    Some(rest.rfind('/').map_or(root, |slash| &path[..root.len() + slash]))
}

/// The last name of `path`; empty for a root.
pub fn file_name(path: &str) -> &str {
    let (_, rest) = split_root(path);
    rest.rsplit('/').next().unwrap_or("")
}

/// The text after the last dot of the file's name; empty if there is no dot, or only a leading one.
pub fn extension(path: &str) -> &str {
    match file_name(path).rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    }
}

/// The part of `path` below `directory`, without a leading slash; empty for the directory itself.
pub fn below<'a>(directory: &str, path: &'a str) -> Option<&'a str> {
    let rest = path.strip_prefix(directory)?;
    // `/a/bc` starts with the text `/a/b`, but it is not below that directory.
    if rest.is_empty() || directory.ends_with('/') { Some(rest) } else { rest.strip_prefix('/') }
}

/// `path`'s directory, its parent, and so on up to the root.
pub fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent(path), |directory| parent(directory))
}

fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with(r"\\")
        || matches!(bytes, [drive, b':', rest @ ..]
            if drive.is_ascii_alphabetic() && matches!(rest.first(), None | Some(b'/' | b'\\')))
}

/// A path's root with its slash, and the rest. A text without a root is treated as if it started with `/`.
fn split_root(path: &str) -> (&str, &str) {
    // Two slashes name a host only if a share follows. Otherwise they are a root that was written twice.
    if path.starts_with("//") && !path[2..].starts_with('/') && path[2..].contains('/') {
        return path.split_at(2);
    }
    if is_windows(path) && path.len() >= 3 {
        return path.split_at(3);
    }
    if is_windows(path) {
        return (path, "");
    }
    match path.strip_prefix('/') {
        Some(rest) => ("/", rest),
        None => ("/", path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(normalise(path), expected);
        assert_eq!(normalise(expected), expected, "a normal path stays as it is");
    }

    #[test]
    fn paths_take_one_shape() {
        check("/a/b", "/a/b");
        check("/a//b/./c/../d/", "/a/b/d");
        check("/../..", "/");
        check("/", "/");
        check("a/b", "/a/b");
        check(r"/a\b", r"/a\b");
        check("/ä b/ö", "/ä b/ö");
    }

    #[test]
    fn windows_paths_take_the_same_shape() {
        check(r"c:\x", "c:/x");
        check(r"C:\Users\..\x\", "c:/x");
        check("C:/x", "c:/x");
        check(r"D:\", "d:/");
        check("d:/..", "d:/");
    }

    #[test]
    fn parts_of_paths() {
        assert_eq!(parent("/a/b"), Some("/a"));
        assert_eq!(parent("/a"), Some("/"));
        assert_eq!(parent("/"), None);
        assert_eq!(parent("c:/a"), Some("c:/"));
        assert_eq!(parent("c:/"), None);
        assert_eq!(file_name("/a/b.yaml"), "b.yaml");
        assert_eq!(extension("/a/b.c.yaml"), "yaml");
        assert_eq!(extension("/a/.hidden"), "");
        assert_eq!(ancestors("/a/b/c").collect::<Vec<_>>(), ["/a/b", "/a", "/"]);
    }

    #[test]
    fn below_keeps_names_whole() {
        assert_eq!(below("/a", "/a/b/c"), Some("b/c"));
        assert_eq!(below("/a", "/ab"), None);
        assert_eq!(below("/", "/ab"), Some("ab"));
        assert_eq!(below("/a", "/a"), Some(""));
    }

    #[test]
    fn joining_lets_absolute_paths_win() {
        assert_eq!(join("/e", "data/../x.yaml"), "/e/x.yaml");
        assert_eq!(join("/e", "/abs"), "/abs");
        assert_eq!(join("/", "x"), "/x");
    }
}
