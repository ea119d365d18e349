//! Finds the known name that a misspelt one was probably meant to be.

use crate::text::edit_distance;

/// The maximum length in bytes of a misspelt name. The names that are known are much shorter.
const MAX_NAME_BYTES: usize = 200;

/// The name in `known` that is most similar to `name`, if it is similar enough for a "did you mean".
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let (limit, name) = ((name.chars().count() / 3).max(1), fold(name));
    known
        .into_iter()
        .map(|candidate| (edit_distance(&name, &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters and digits in lower case, so that `puppet_version` is close to `puppetVersion`.
fn fold(name: &str) -> Vec<char> {
    name.chars().filter(|it| !matches!(it, '_' | '-')).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest_name;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        assert_eq!(nearest_name(name, ["node", "nodes", "facts", "puppetVersion"]), expected);
    }

    #[test]
    fn nearest_names() {
        check("noed", Some("node"));
        check("factz", Some("facts"));
        check("puppet_version", Some("puppetVersion"));
        check("puppetversoin", Some("puppetVersion"));
        check("colour", None);
        check(&"nodes".repeat(1_000_000), None);
    }
}
