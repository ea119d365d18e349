//! Matches a whole path with a pattern from the settings, without accessing the disk.

use super::braces::expand_braces;
use super::name::matches_name;

/// Whether `pattern` matches `path` or a directory that contains it. `**` matches any number of directories, `*` and `?`
/// match within a name, `{a,b}` are alternatives.
pub fn matches_path(pattern: &str, path: &str) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    expand_braces(pattern.trim_end_matches('/')).texts.iter().any(|pattern| {
        let parts: Vec<&str> = pattern.trim_start_matches("./").split('/').collect();
        matches_some_names(&parts, &names)
    })
}

/// Whether `parts` match the first names of `names`, at least one. The time grows with the product of their numbers.
fn matches_some_names(parts: &[&str], names: &[&str]) -> bool {
    // For each number of names, whether the parts so far match exactly these.
    let mut matched = vec![false; names.len() + 1];
    matched[0] = true;
    for part in parts {
        if *part == "**" {
            let first = matched.iter().position(|it| *it).unwrap_or(matched.len());
            matched[first..].fill(true);
        } else {
            // The loop goes backwards, because each number still needs what the parts before this one matched.
            for (number, name) in names.iter().enumerate().rev() {
                matched[number + 1] = matched[number] && matches_name(part, name);
            }
            matched[0] = false;
        }
    }
    matched[1..].contains(&true)
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
        check("**", &["a.yaml", "x/a.yaml"], &[]);
        check("**/**/x/**/*.yaml", &["x/a.yaml", "a/x/b/c.yaml"], &["a/b.yaml", "x"]);
        check(&"**/a/".repeat(40), &[&"a/".repeat(50)], &[&"a/b/".repeat(30)]);
        check("modules/ntp/", &["modules/ntp/data/b.yaml"], &["modules/ntpd/data/b.yaml"]);
        check(
            "data/{nodes,roles}/?.yaml",
            &["data/nodes/a.yaml", "data/roles/b.yaml"],
            &["data/x/a.yaml"],
        );
    }
}
