//! A whole path against a pattern of the settings, without a look at the disk.

use super::braces::expand_braces;
use super::name::matches_name;

/// Whether `pattern` matches `path` or a directory that it lies in. `**` stands for any number of directories, `*` and `?`
/// stay within a name, `{a,b}` are alternatives.
pub fn matches_path(pattern: &str, path: &str) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    expand_braces(pattern.trim_end_matches('/')).iter().any(|pattern| {
        let parts: Vec<&str> = pattern.trim_start_matches("./").split('/').collect();
        (1..=names.len()).any(|length| matches_names(&parts, &names[..length]))
    })
}

fn matches_names(parts: &[&str], names: &[&str]) -> bool {
    match (parts.split_first(), names.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            (0..=names.len()).any(|skipped| matches_names(rest, &names[skipped..]))
        }
        (Some((part, parts)), Some((name, names))) => {
            matches_name(part, name) && matches_names(parts, names)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        for path in matching {
            assert!(matches_path(pattern, path), "{pattern} must match {path}");
        }
        for path in others {
            assert!(!matches_path(pattern, path), "{pattern} must not match {path}");
        }
    }

    #[test]
    fn names_and_directories() {
        check("data/*.yaml", &["data/a.yaml"], &["data/x/a.yaml", "a.yaml", "x/data/a.yaml"]);
        check("**/a.yaml", &["a.yaml", "x/a.yaml", "x/y/a.yaml"], &["x/ba.yaml"]);
        check("modules/**", &["modules/a/data/b.yaml"], &["site/a.yaml"]);
        check("modules/ntp/", &["modules/ntp/data/b.yaml"], &["modules/ntpd/data/b.yaml"]);
        check(
            "data/{nodes,roles}/?.yaml",
            &["data/nodes/a.yaml", "data/roles/b.yaml"],
            &["data/x/a.yaml"],
        );
    }
}
