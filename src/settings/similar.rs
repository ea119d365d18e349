//! The known name that a misspelt one was meant to be.

use crate::text::edit_distance;

/// The name of `known` that is nearest to `name`, if it is near enough to be worth a "did you mean".
pub fn nearest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (edit_distance(&fold(name), &fold(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters and digits in lower case: `puppet_version` is nearer to `puppetVersion` than its letters tell.
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
    }
}
