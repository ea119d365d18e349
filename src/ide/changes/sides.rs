//! Both answers of a change as lines of text, without secrets: each answer alone, or only what differs.

use std::collections::{HashSet, VecDeque};
use std::fmt::Write as _;

use super::line_diff::{self, ChangedLine, Line};
use super::secrets::{Secrets, ShownSide};
use super::words::{counted, on_one_line, unless_text};
use crate::data::render;
use crate::engine::cases::pairs::{cases_that_differ, exceptions};
use crate::engine::cases::{in_words, left_out_in_words};
use crate::engine::{Answer, Condition};
use crate::world::AnswerChange;

/// The maximum number of lines of a value that are shown.
const MAX_LINES: usize = 30;

/// How many lines before the first difference are shown of a long value.
const LINES_BEFORE: usize = 3;

/// The answers of a change for users, before and after, without the secrets of its comparison: the value as YAML, or what there is
/// instead, for each case if there are several. Of long values, the lines from the first difference on are shown.
pub fn change_texts(change: &AnswerChange, secrets: &Secrets) -> [String; 2] {
    let shown = secrets.sides(change);
    let sides = sides(change, &shown, MAX_LINES);
    let same = same_lines(&sides);
    sides.map(|side| side.excerpt(same))
}

/// The lines of both answers of a change that differ, with those around them, in the same form as [`change_texts`].
pub fn change_lines(change: &AnswerChange, secrets: &Secrets) -> Vec<ChangedLine> {
    let shown = secrets.sides(change);
    let sides = sides(change, &shown, line_diff::MAX_COMPARED);
    let (mut lines, left) = line_diff::differing(&sides[0].lines, &sides[1].lines);
    if lines.is_empty() {
        // Two secrets look the same.
        let signed = |sign, text: String| {
            let lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines.into_iter().map(move |text| ChangedLine { sign, text })
        };
        let texts = sides.map(|side| side.excerpt(0));
        return ['-', '+'].into_iter().zip(texts).flat_map(|(sign, it)| signed(sign, it)).collect();
    }
    let cases = sides.iter().map(|side| side.left.len()).max().unwrap_or(0);
    let more = left_out(&[(left, "more changed line"), (cases, "more case")]);
    lines.extend(more.map(|text| ChangedLine { sign: ' ', text }));
    lines
}

/// Both sides, with at least `enough` lines from the first difference on, if there are as many.
fn sides<'a>(
    change: &'a AnswerChange,
    [before, after]: &'a [ShownSide<'a>; 2],
    enough: usize,
) -> [Side<'a>; 2] {
    let mut sides = [Side::new(&change.before, before), Side::new(&change.after, after)];
    let differ = cases_that_differ(&change.before, &change.after);
    // If no case differs, what else decides the answers does.
    if differ[0].contains(&true) {
        for (side, differ) in sides.iter_mut().zip(&differ) {
            side.leave_out_cases(differ);
        }
    }
    // An answer may have hundreds of cases, most of which are not shown.
    loop {
        let same = same_lines(&sides);
        let mut is_enough = true;
        for side in &mut sides {
            if side.lines.len() < same + enough && !side.left.is_empty() {
                side.add_case();
                is_enough = false;
            }
        }
        if is_enough {
            break;
        }
    }
    if sides[0].lines == sides[1].lines && sides.iter().all(|it| it.left.is_empty()) {
        // The values are equal, so what else may decide the answer differs.
        for side in &mut sides {
            side.lines.extend(what_else_decides(side.answer).into_iter().map(value_line));
        }
    }
    sides
}

fn value_line(text: String) -> Line {
    Line { text, is_heading: false }
}

/// `… 2 more lines and 24 more cases`; `None` if nothing is left out.
fn left_out(counts: &[(usize, &str)]) -> Option<String> {
    let left = counts.iter().filter(|(count, _)| *count > 0);
    let left: Vec<String> = left.map(|(count, what)| counted(*count, what)).collect();
    (!left.is_empty()).then(|| format!("… {}", left.join(" and ")))
}

/// One side of a change while it is written down.
struct Side<'a> {
    answer: &'a Answer,
    shown: &'a ShownSide<'a>,
    lines: Vec<Line>,
    /// The cases that are not written down yet.
    left: VecDeque<SideCase<'a>>,
}

/// A case of one side.
struct SideCase<'a> {
    conditions: &'a [Condition],
    answer: &'a Answer,
    /// The conditions of earlier cases that are not written down.
    unless: Vec<Vec<Condition>>,
}

impl<'a> Side<'a> {
    fn new(answer: &'a Answer, shown: &'a ShownSide<'a>) -> Self {
        let case = |(conditions, answer)| SideCase { conditions, answer, unless: Vec::new() };
        let left = answer.each_case().into_iter().map(case).collect();
        Self { answer, shown, lines: Vec::new(), left }
    }

    /// Keeps only some cases. The others become exceptions of those after them.
    fn leave_out_cases(&mut self, is_kept: &[bool]) {
        let mut left_out: Vec<&[Condition]> = Vec::new();
        for (mut case, is_kept) in std::mem::take(&mut self.left).into_iter().zip(is_kept) {
            if *is_kept {
                case.unless = exceptions(case.conditions, &left_out);
                self.left.push_back(case);
            } else {
                left_out.push(case.conditions);
            }
        }
    }

    fn add_case(&mut self) {
        let Some(case) = self.left.pop_front() else { return };
        if !self.answer.cases.is_empty() {
            let condition = match (case.conditions, unless_text(&case.unless)) {
                ([], None) => "otherwise".to_owned(),
                // Without a case above it, there is nothing that it is the other case of.
                ([], Some(unless)) if self.lines.is_empty() => unless,
                ([], Some(unless)) => format!("otherwise, {unless}"),
                (conditions, None) => format!("if {}", in_words(conditions)),
                (conditions, Some(unless)) => format!("if {}, {unless}", in_words(conditions)),
            };
            let text = format!("{}:", on_one_line(&condition));
            self.lines.push(Line { text, is_heading: true });
        }
        match &case.answer.outcome {
            Ok(Some(value)) => {
                let yaml = render::to_readable_yaml(&self.shown.value(value));
                let yaml = yaml.strip_prefix("---").unwrap_or(&yaml);
                let lines = yaml.trim_start_matches([' ', '\n']).lines();
                self.lines.extend(lines.map(|it| value_line(it.to_owned())));
            }
            Ok(None) => self.lines.push(value_line("(not found)".to_owned())),
            Err(_) if case.answer.is_elsewhere() => {
                self.lines.push(value_line("(the edit does not affect this value)".to_owned()));
            }
            Err(failure) => {
                let message = self.shown.message(&failure.message);
                self.lines.push(value_line(format!("(error: {})", on_one_line(&message))));
            }
        }
    }

    /// Some of the lines, of which the first `same` are the same on the other side.
    fn excerpt(&self, same: usize) -> String {
        let is_long = self.lines.len() > MAX_LINES;
        let skipped = if is_long { same.saturating_sub(LINES_BEFORE) } else { 0 };
        let mut text = String::new();
        if skipped > 0 {
            let _ = writeln!(text, "… {} above", counted(skipped, "line"));
        }
        for line in self.lines.iter().skip(skipped).take(MAX_LINES) {
            let _ = writeln!(text, "{}", line.text);
        }
        let lines = self.lines.len().saturating_sub(skipped + MAX_LINES);
        if let Some(more) = left_out(&[(lines, "more line"), (self.left.len(), "more case")]) {
            let _ = writeln!(text, "{more}");
        }
        text
    }
}

/// How many lines at the start are the same on both sides.
fn same_lines([one, other]: &[Side<'_>; 2]) -> usize {
    one.lines.iter().zip(&other.lines).take_while(|(one, other)| one == other).count()
}

/// What decides an answer apart from its cases, one line each.
fn what_else_decides(answer: &Answer) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (_, case) in answer.each_case() {
        let levels = case.opaque.iter();
        lines.extend(levels.map(|it| format!("(unless level '{}' has another value)", it.level)));
        if !case.open.is_empty() {
            let open: Vec<&str> = case.open.iter().map(|it| &**it).collect();
            lines.push(format!("(with {} filled in)", open.join(", ")));
        }
    }
    lines.extend(left_out_in_words(&answer.left_out).iter().map(|it| format!("({it})")));
    let mut known = HashSet::new();
    lines.retain(|line| known.insert(line.clone()));
    lines.into_iter().map(|line| on_one_line(&line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Value;
    use crate::engine::{Assumed, Case};

    fn if_is(variable: &str, text: &str) -> Condition {
        let value = Assumed::Text(text.into());
        Condition { variable: variable.into(), value }
    }

    fn case(conditions: Vec<Condition>, texts: &[&str]) -> Case {
        let items = texts.iter().map(|it| Value::string(*it).unplaced());
        let value = Some(Value::array(items.collect()).unplaced());
        Case { conditions, answer: Answer { outcome: Ok(value), ..Answer::nothing() } }
    }

    /// An answer with these values: each if `a` is its number, and the last one otherwise.
    fn answer(values: &[&[&str]]) -> Answer {
        let mut cases: Vec<Case> = { values.iter().enumerate() }
            .map(|(number, texts)| case(vec![if_is("a", &number.to_string())], texts))
            .collect();
        cases.last_mut().expect("there is a value").conditions.clear();
        Answer { cases, ..Answer::nothing() }
    }

    fn texts(before: &[&[&str]], after: &[&[&str]]) -> [String; 2] {
        texts_of(answer(before), answer(after))
    }

    fn texts_of(before: Answer, after: Answer) -> [String; 2] {
        let change = AnswerChange {
            key: "k".into(),
            before: before.into(),
            after: after.into(),
            nodes: Vec::new(),
            others: Vec::new(),
            causes: Vec::new(),
        };
        change_texts(&change, &Secrets::default())
    }

    #[test]
    fn only_cases_that_differ_are_shown() {
        let [before, after] = texts(&[&["x"], &["v"], &["z"]], &[&["x"], &["w"], &["z"]]);
        assert_eq!(before, "if a is 1:\n- v\n");
        assert_eq!(after, "if a is 1:\n- w\n");
        // The cases need not be the same.
        let [before, after] = texts(&[&["x"], &["v"], &["z"]], &[&["x"], &["z"]]);
        assert_eq!(before, "if a is 1:\n- v\n");
        assert_eq!(after, "unless a is 0:\n- z\n");
        let [before, after] = texts(&[&["x"], &["v"], &["u"]], &[&["x"], &["w"], &["z"]]);
        assert_eq!(before, "if a is 1:\n- v\notherwise, unless a is 0:\n- u\n");
        assert_eq!(after, "if a is 1:\n- w\notherwise, unless a is 0:\n- z\n");
    }

    #[test]
    fn cases_that_are_not_shown_are_exceptions() {
        let of = |text: &str, first: Vec<Condition>| {
            let cases = vec![
                case(first, &["x"]),
                case(vec![if_is("b", "1")], &["y"]),
                case(vec![if_is("a", "0"), if_is("c", "2")], &[text]),
                case(Vec::new(), &["z"]),
            ];
            Answer { cases, ..Answer::nothing() }
        };
        let first = || vec![if_is("a", "0"), if_is("d", "3")];
        let [before, after] = texts_of(of("v", first()), of("w", first()));
        assert_eq!(before, "if a is 0 and c is 2, unless d is 3, or b is 1:\n- v\n");
        assert_eq!(after, "if a is 0 and c is 2, unless d is 3, or b is 1:\n- w\n");
        // No node is in both cases.
        let [before, _] = texts_of(of("v", vec![if_is("a", "1")]), of("w", vec![if_is("a", "1")]));
        assert_eq!(before, "if a is 0 and c is 2, unless b is 1:\n- v\n");
    }

    #[test]
    fn cases_that_do_not_fit_are_counted() {
        let (one, other): (Vec<&[&str]>, Vec<&[&str]>) = (vec![&["x"]; 40], vec![&["v"]; 40]);
        let [before, after] = texts(&one, &other);
        assert!(before.starts_with("if a is 0:\n- x\nif a is 1:\n"), "{before}");
        for text in [before, after] {
            assert_eq!(text.lines().count(), MAX_LINES + 1);
            assert!(text.ends_with("\n… 2 more lines and 24 more cases\n"), "{text}");
        }
        // Answers with other cases agree at first.
        let [before, after] = texts(&one, &one[..39]);
        let last = "if a is 37:\n- x\nif a is 38:\n- x\notherwise:\n- x\n";
        assert_eq!(before, format!("… 73 lines above\n- x\n{last}"));
        assert!(after.starts_with("… 73 lines above\n"), "{after}");
        let long: Vec<&str> = vec!["x"; 50];
        let [_, after] = texts(&[&["x"], &["v"]], &[&long, &["w"]]);
        assert!(after.ends_with("\n… 21 more lines and 1 more case\n"), "{after}");
    }
}
