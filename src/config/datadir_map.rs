//! Data directories that lie elsewhere on this machine: the setting `datadirMap`.

use std::borrow::Cow;

use super::path;

/// Leading directories of absolute data directories, and the whole paths that stand for them here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DatadirMap {
    /// Without a slash at their ends; the longest first.
    moves: Vec<(String, String)>,
}

impl DatadirMap {
    /// A map of these pairs; relative paths begin in `directory`.
    pub fn new<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>, directory: &str) -> Self {
        let whole = |(from, to): (&str, &str)| {
            let from = path::join(directory, from.trim_end_matches('/'));
            (from, path::join(directory, to))
        };
        let mut moves: Vec<_> = pairs.map(whole).collect();
        moves.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Self { moves }
    }

    /// Where what `directory` names lies here: the longest pair whose first directory is it, or holds it, counts.
    pub fn moved<'d>(&self, directory: &'d str) -> Cow<'d, str> {
        let below = |from: &str| {
            let rest = directory.strip_prefix(from)?;
            (rest.is_empty() || rest.starts_with('/')).then_some(rest)
        };
        let moved = self.moves.iter().find_map(|(from, to)| Some(format!("{to}{}", below(from)?)));
        moved.map_or(Cow::Borrowed(directory), Cow::Owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pairs: &[(&str, &str)], directory: &str, expected: &str) {
        let map = DatadirMap::new(pairs.iter().copied(), "/repo");
        assert_eq!(map.moved(directory), expected);
    }

    #[test]
    fn whole_names_are_replaced() {
        let pairs = [("/etc/data/", "/here")];
        check(&pairs, "/etc/data", "/here");
        check(&pairs, "/etc/data/%{environment}", "/here/%{environment}");
        check(&pairs, "/etc/database", "/etc/database");
        check(&[], "/etc/data", "/etc/data");
    }

    #[test]
    fn the_longest_pair_counts() {
        check(&[("/etc", "/a"), ("/etc/data", "/b")], "/etc/data/x", "/b/x");
        check(&[("/etc", "/a"), ("/etc/data", "/b")], "/etc/x", "/a/x");
    }

    #[test]
    fn relative_targets_begin_where_the_settings_are() {
        check(&[("/etc/data", "data")], "/etc/data/x", "/repo/data/x");
        check(&[("/etc/data", "../hieradata")], "/etc/data/x", "/hieradata/x");
        check(&[("/etc/data", ".")], "/etc/data/x", "/repo/x");
    }
}
