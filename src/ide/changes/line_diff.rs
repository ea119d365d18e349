//! What differs between two long texts: the lines of each side, with the lines around them, and those that they are under.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::words::counted;

/// The number of lines that are shown before and after a difference.
const CONTEXT: usize = 2;

/// From the first difference on, this many lines of each side are compared.
const MAX_COMPARED: usize = 400;

/// The maximum number of lines of one side in a row.
const MAX_IN_A_ROW: usize = 30;

/// The maximum number of lines in total.
pub(super) const MAX_LINES: usize = 120;

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedLine {
    /// `-` for a line before, `+` for a line after, and a space for a line of both or a note about lines that are left out.
    pub sign: char,
    /// The line.
    pub text: String,
}

impl ChangedLine {
    pub(super) fn new(sign: char, text: impl Into<String>) -> Self {
        Self { sign, text: text.into() }
    }
}

/// A line of either side, or of both.
type Signed<'a> = (char, &'a str);

/// What differs between the lines of both sides, and the number of lines that differ and are not shown. Empty if nothing
/// differs.
pub(super) fn differing(before: &[String], after: &[String]) -> (Vec<ChangedLine>, usize) {
    let same = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (rest, other_rest) = (&before[same..], &after[same..]);
    let at_end = { rest.iter().rev().zip(other_rest.iter().rev()) }
        .take_while(|(one, other)| one == other)
        .count();
    let part = |rest: &'_ [String]| 0..(rest.len() - at_end).min(MAX_COMPARED);
    let (old, new) = (&rest[part(rest)], &other_rest[part(other_rest)]);
    let not_compared = rest.len() + other_rest.len() - 2 * at_end - old.len() - new.len();

    let mut lines: Vec<Signed<'_>> = before[..same].iter().map(|line| (' ', &**line)).collect();
    for op in capture_diff_slices(Algorithm::Patience, old, new) {
        if let DiffOp::Equal { .. } = op {
            lines.extend(new[op.new_range()].iter().map(|line| (' ', &**line)));
        } else {
            lines.extend(old[op.old_range()].iter().map(|line| ('-', &**line)));
            lines.extend(new[op.new_range()].iter().map(|line| ('+', &**line)));
        }
    }
    if not_compared == 0 {
        lines.extend(rest[rest.len() - at_end..].iter().map(|line| (' ', &**line)));
    }
    let (shown, left) = shown(&lines);
    (shown, left + not_compared)
}

/// The lines that are shown, and the number of those that differ and are not.
fn shown(lines: &[Signed<'_>]) -> (Vec<ChangedLine>, usize) {
    let is_shown = around_differences(lines);
    let mut shown = Vec::new();
    // The lines that are left out before the next one that is shown.
    let mut skipped: Vec<&Signed<'_>> = Vec::new();
    let mut in_a_row = (' ', 0);
    for (at, line) in lines.iter().enumerate() {
        let (sign, text) = *line;
        if sign != in_a_row.0 {
            in_a_row = (sign, 0);
        }
        in_a_row.1 += 1;
        let is_last = lines.get(at + 1).is_none_or(|next| next.0 != sign);
        if sign != ' ' && in_a_row.1 > MAX_IN_A_ROW {
            if is_last {
                let left = counted(in_a_row.1 - MAX_IN_A_ROW, "more line");
                shown.push(ChangedLine::new(sign, format!("… {left}")));
            }
        } else if is_shown[at] {
            match skipped.as_slice() {
                [] => {}
                [(sign, only)] => shown.push(ChangedLine::new(*sign, *only)),
                skipped => {
                    let left = counted(skipped.len(), "line");
                    shown.push(ChangedLine::new(' ', format!("… {left}")));
                }
            }
            skipped.clear();
            shown.push(ChangedLine::new(sign, text));
        } else {
            skipped.push(line);
        }
        if shown.len() >= MAX_LINES {
            return (shown, lines[at + 1..].iter().filter(|(sign, _)| *sign != ' ').count());
        }
    }
    (shown, 0)
}

/// For each line, whether it differs, is near one that does, or is above one that does in the hierarchy of the value.
fn around_differences(lines: &[Signed<'_>]) -> Vec<bool> {
    let mut is_shown = vec![false; lines.len()];
    let differs = |at: usize| lines[at].0 != ' ';
    for at in (0..lines.len()).filter(|at| differs(*at)) {
        let near = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(lines.len());
        // In a row of lines that differ, the others are near the first and the last one.
        let is_first = at == 0 || !differs(at - 1);
        if is_first {
            // What the line itself is under is among these, or is near it.
            mark_above(lines, near.start, &mut is_shown);
        }
        is_shown[near].fill(true);
    }
    is_shown
}

/// Marks the lines that the line at `at` is under: those with a smaller indent.
fn mark_above(lines: &[Signed<'_>], at: usize, is_shown: &mut [bool]) {
    let mut under = Indent::of(lines[at].1);
    for above in (0..at).rev() {
        let line = lines[above].1;
        let indent = Indent::of(line);
        if indent.is_above(under) && !line.is_empty() {
            is_shown[above] = true;
            under = indent;
        }
    }
}

/// Where a line of YAML starts.
#[derive(Clone, Copy)]
struct Indent {
    spaces: usize,
    is_item: bool,
}

impl Indent {
    fn of(line: &str) -> Self {
        let text = line.trim_start_matches(' ');
        Self { spaces: line.len() - text.len(), is_item: text.starts_with("- ") || text == "-" }
    }

    /// The items of a list may have the indent of their key.
    fn is_above(self, other: Self) -> bool {
        self.spaces < other.spaces || self.spaces == other.spaces && other.is_item && !self.is_item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[track_caller]
    fn check(before: &str, after: &str, expected: &[&str]) {
        let (shown, left) = differing(&lines(before), &lines(after));
        let shown: Vec<_> = shown.iter().map(|it| format!("{}{}", it.sign, it.text)).collect();
        assert_eq!(shown, expected);
        assert_eq!(left, 0);
    }

    #[test]
    fn short_values_are_shown_completely() {
        check("1", "2", &["-1", "+2"]);
        check("a: 1\nb: 2", "a: 1\nb: 3", &[" a: 1", "-b: 2", "+b: 3"]);
        check("- 1", "- 0\n- 1", &["+- 0", " - 1"]);
        check("1", "1", &[]);
    }

    #[test]
    fn a_line_is_shown_with_those_that_it_is_under() {
        let before = "a:\n  x: 1\nb:\n  c: 1\n  d:\n    e:\n    - f: 1\n      g: 1\n      h: 1\n      i: 1\n  j: 1\nk: 1\n";
        check(
            before,
            &before.replace("i: 1", "i: 2"),
            &[
                " … 2 lines",
                " b:",
                "   c: 1",
                "   d:",
                "     e:",
                "     - f: 1",
                "       g: 1",
                "       h: 1",
                "-      i: 1",
                "+      i: 2",
                "   j: 1",
                " k: 1",
            ],
        );
        let list = |item: &str| format!("a: 0\nb:\n- 1\n- 2\n- 3\n- 4\n- {item}\n- 6\n- 7\n- 8\n");
        check(
            &list("5"),
            &list("five"),
            &[" a: 0", " b:", " … 2 lines", " - 3", " - 4", "-- 5", "+- five", " - 6", " - 7"],
        );
    }

    /// A list of so many items, with `odd` after each one whose number can be divided by `step`.
    fn list(items: usize, step: usize, odd: &str) -> Vec<String> {
        let odd = |number: usize| if number.is_multiple_of(step) { odd } else { "" };
        (0..items).map(|number| format!("- {number}{}", odd(number))).collect()
    }

    #[test]
    fn long_rows_are_cut() {
        let (shown, left) = differing(&list(40, 1, "a"), &list(40, 1, "b"));
        assert_eq!((shown.len(), left), (2 * MAX_IN_A_ROW + 2, 0));
        assert_eq!(shown[MAX_IN_A_ROW], ChangedLine::new('-', "… 10 more lines"));
        assert_eq!(shown.last(), Some(&ChangedLine::new('+', "… 10 more lines")));
    }

    #[test]
    fn the_number_of_lines_has_a_limit() {
        let (shown, left) = differing(&list(1_000, 10, "a"), &list(1_000, 10, "b"));
        assert_eq!(shown.len(), MAX_LINES);
        assert!(left > 100, "{left}");
    }
}
