//! The known name that a misspelt one was meant to be.

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

/// How many letters must be added, taken away, replaced or swapped with their neighbour.
fn edit_distance(left: &[char], right: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(a != b);
            let mut best = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            let swapped = row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b;
            if swapped {
                best = best.min(before_last[column - 1] + 1);
            }
            current.push(best);
        }
        before_last = std::mem::replace(&mut last, current);
    }
    last[right.len()]
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
