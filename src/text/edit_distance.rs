//! How much two names differ: the measure for every "did you mean".

/// How many letters must be added, removed, replaced or swapped with their neighbour to turn `left` into `right`. The time
/// grows with the product of their lengths.
pub fn edit_distance<T: PartialEq>(left: &[T], right: &[T]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, a) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(a != b);
            let mut best = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *a == right[column - 1] && left[row - 1] == *b {
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
    use super::edit_distance;

    #[track_caller]
    fn check(left: &str, right: &str, expected: usize) {
        assert_eq!(edit_distance(left.as_bytes(), right.as_bytes()), expected);
        assert_eq!(edit_distance(right.as_bytes(), left.as_bytes()), expected);
    }

    #[test]
    fn distances() {
        check("", "", 0);
        check("node", "node", 0);
        check("node", "nodes", 1);
        check("node", "nude", 1);
        check("node", "noed", 1);
        check("", "node", 4);
        check("facts", "nodes", 4);
    }
}
