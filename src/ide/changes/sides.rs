//! Both answers of a change as lines of text, without secrets: each answer alone, or only what differs.

use std::collections::HashSet;
use std::fmt::Write as _;

use indexmap::IndexMap;

use super::edit;
use super::line_diff::{self, ChangedLine};
use super::secrets::{Secrets, ShownSide};
use super::words::{counted, first_line, nodes_text, on_one_line};
use crate::data::render;
use crate::engine::Answer;
use crate::engine::cases::left_out_in_words;
use crate::engine::cases::pairs::EditedCase;
use crate::world::AnswerChange;

/// The maximum number of lines of a value that are shown.
const MAX_LINES: usize = 30;

/// How many lines before the first difference are shown of a long value.
const LINES_BEFORE: usize = 3;

/// Which nodes get an edit, if no case is known in which they do not.
const AS_FAR_AS_KNOWN: &str = "as far as hiera-ls can tell";

/// The answers of a change for users, before and after, without the secrets of its comparison: the value as YAML, or what there is
/// instead, for each edit if different nodes get different ones. Of long values, the lines from the first difference on are shown.
pub fn change_texts(change: &AnswerChange, secrets: &Secrets) -> [String; 2] {
    let shown = secrets.sides(change);
    let parts = Parts::of(change);
    let mut sides: [Vec<String>; 2] = Default::default();
    let (mut same, mut are_same) = (0, true);
    let mut left = 0;
    for part in parts.all() {
        if sides.iter().all(|it| it.len() >= same + MAX_LINES) {
            left += 1;
            continue;
        }
        let lines = part.lines(&shown);
        if are_same {
            let both = lines[0].iter().zip(&lines[1]).take_while(|(one, other)| one == other);
            let both = both.count();
            are_same = lines.iter().all(|it| it.len() == both);
            same += both + part.heading.iter().len();
        }
        for (side, lines) in sides.iter_mut().zip(lines) {
            side.extend(part.heading.clone());
            side.extend(lines);
        }
    }
    sides.map(|lines| excerpt(&lines, same, left))
}

/// The lines of both answers of a change that differ, with those around them, in the same form as [`change_texts`].
pub fn change_lines(change: &AnswerChange, secrets: &Secrets) -> Vec<ChangedLine> {
    let shown = secrets.sides(change);
    let parts = Parts::of(change);
    let mut lines: Vec<ChangedLine> = Vec::new();
    let mut left = 0;
    for part in parts.all() {
        if lines.len() >= line_diff::MAX_LINES {
            left += 1;
            continue;
        }
        lines.extend(part.heading.iter().map(|it| ChangedLine::new(' ', &**it)));
        lines.extend(part.differing(&shown));
    }
    lines.extend(left_out(&[(left, "more case")]).map(|text| ChangedLine::new(' ', text)));
    lines
}

/// What is edited, each edit once.
struct Parts<'a> {
    change: &'a AnswerChange,
    /// The cases of each edit.
    edits: Vec<Vec<EditedCase<'a, u64>>>,
}

/// One edit.
struct Part<'a> {
    /// Which nodes get it, as a line that ends with a colon; `None` if all do.
    heading: Option<String>,
    /// The answers before and after; of several cases with the same edit, those of the first one.
    answers: [&'a Answer; 2],
}

impl<'a> Parts<'a> {
    fn of(change: &'a AnswerChange) -> Self {
        let mut edits: IndexMap<u64, Vec<EditedCase<'_, u64>>> = IndexMap::new();
        for case in edit::cases_of(change) {
            edits.entry(case.edit).or_default().push(case);
        }
        Self { change, edits: edits.into_values().collect() }
    }

    fn all(&self) -> Vec<Part<'_>> {
        if self.edits.is_empty() {
            // No case differs, but what else decides the answers does.
            return vec![Part {
                heading: None,
                answers: [&self.change.before, &self.change.after],
            }];
        }
        // The edit may do nothing in cases that are left out.
        let leaves_out =
            !(self.change.before.left_out.is_empty() && self.change.after.left_out.is_empty());
        let part = |cases: &'_ Vec<EditedCase<'a, u64>>| {
            let nodes: Vec<_> = cases.iter().map(|it| &it.who).collect();
            let words =
                nodes_text(&nodes).or_else(|| leaves_out.then(|| AS_FAR_AS_KNOWN.to_owned()));
            let heading = words.map(|it| format!("{}:", on_one_line(&it)));
            Part { heading, answers: [cases[0].before, cases[0].after] }
        };
        self.edits.iter().map(part).collect()
    }
}

impl Part<'_> {
    /// The lines of both answers.
    fn lines(&self, shown: &[ShownSide<'_>; 2]) -> [Vec<String>; 2] {
        let [before, after] = self.answers;
        let lines_with = |error: fn(&str) -> String| {
            [answer_lines(before, &shown[0], error), answer_lines(after, &shown[1], error)]
        };
        // If `hiera.yaml` is refused, all keys have the same error of many lines.
        let mut lines = lines_with(first_line);
        if lines[0] == lines[1] {
            // Two errors may begin with the same line.
            lines = lines_with(on_one_line);
        }
        if lines[0] == lines[1] {
            // The values are equal, so what else may decide the answer differs.
            lines[0].extend(what_else_decides(before));
            lines[1].extend(what_else_decides(after));
        }
        lines
    }

    /// The lines that differ, with those around them.
    fn differing(&self, shown: &[ShownSide<'_>; 2]) -> Vec<ChangedLine> {
        let [before, after] = self.lines(shown);
        let (mut lines, left) = line_diff::differing(&before, &after);
        if lines.is_empty() {
            // Two secrets look the same.
            if self.answers.iter().zip(shown).any(|(answer, side)| side.hides(answer)) {
                let said = "The value changes; it contains a secret, so neither side is shown.";
                return vec![ChangedLine::new(' ', said)];
            }
            let signed = |sign, lines: &[String]| -> Vec<ChangedLine> {
                let text = excerpt(lines, 0, 0);
                text.lines().map(|line| ChangedLine::new(sign, line)).collect()
            };
            return [signed('-', &before), signed('+', &after)].concat();
        }
        let more = left_out(&[(left, "more changed line")]);
        lines.extend(more.map(|text| ChangedLine::new(' ', text)));
        lines
    }
}

/// The value of an answer as YAML, or what there is instead; `error` makes a line of the text of an error. The first answer of
/// several cases stands for them.
fn answer_lines(answer: &Answer, shown: &ShownSide<'_>, error: fn(&str) -> String) -> Vec<String> {
    let answer = answer.cases.first().map_or(answer, |case| &case.answer);
    let instead = match &answer.outcome {
        Ok(Some(value)) => {
            let yaml = render::to_readable_yaml(&shown.value(value));
            let yaml = yaml.strip_prefix("---").unwrap_or(&yaml);
            return yaml.trim_start_matches([' ', '\n']).lines().map(str::to_owned).collect();
        }
        Ok(None) => "(not found)".to_owned(),
        Err(_) if answer.is_elsewhere() => "(the edit does not affect this value)".to_owned(),
        Err(failure) => format!("(error: {})", error(&shown.message(&failure.message))),
    };
    vec![instead]
}

/// `… 2 more lines and 24 more cases`; `None` if nothing is left out.
fn left_out(counts: &[(usize, &str)]) -> Option<String> {
    let left = counts.iter().filter(|(count, _)| *count > 0);
    let left: Vec<String> = left.map(|(count, what)| counted(*count, what)).collect();
    (!left.is_empty()).then(|| format!("… {}", left.join(" and ")))
}

/// Some of the lines, of which the first `same` are the same on the other side. `cases` are not among them.
fn excerpt(lines: &[String], same: usize, cases: usize) -> String {
    let is_long = lines.len() > MAX_LINES;
    let skipped = if is_long { same.saturating_sub(LINES_BEFORE) } else { 0 };
    let mut text = String::new();
    if skipped > 0 {
        let _ = writeln!(text, "… {} above", counted(skipped, "line"));
    }
    for line in lines.iter().skip(skipped).take(MAX_LINES) {
        let _ = writeln!(text, "{line}");
    }
    let more = lines.len().saturating_sub(skipped + MAX_LINES);
    if let Some(more) = left_out(&[(more, "more line"), (cases, "more case")]) {
        let _ = writeln!(text, "{more}");
    }
    text
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
    let left_out = left_out_in_words(&answer.left_out);
    lines.extend(left_out.iter().map(|it| format!("(not certain: {it})")));
    let mut known = HashSet::new();
    lines.retain(|line| known.insert(line.clone()));
    lines.into_iter().map(|line| on_one_line(&line)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::Value;
    use crate::engine::{Assumed, Case, Condition, LeftOut};

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

    fn change_of(before: Answer, after: Answer) -> AnswerChange {
        AnswerChange {
            key: "k".into(),
            before: before.into(),
            after: after.into(),
            nodes: Vec::new(),
            others: Vec::new(),
            causes: Vec::new(),
        }
    }

    fn texts_of(before: Answer, after: Answer) -> [String; 2] {
        change_texts(&change_of(before, after), &Secrets::default())
    }

    #[test]
    fn only_secrets_explain_lines_that_are_the_same() {
        let change = |before: Value, after: Value| {
            let answer = |it: Value| Answer { outcome: Ok(Some(it.into())), ..Answer::nothing() };
            change_of(answer(before), answer(after))
        };
        let lines = |change: &AnswerChange, secrets: &Secrets| -> Vec<String> {
            let lines = change_lines(change, secrets).into_iter();
            lines.map(|it| format!("{}{}", it.sign, it.text)).collect()
        };
        let secret = |text: &str| Value::Sensitive(Arc::new(Value::string(text).into()));
        let of_secret = change(secret("hunter1"), secret("hunter2"));
        let secrets = Secrets::of(&[AnswerChange { key: "password".into(), ..of_secret }]);
        let text = change(Value::string("x:hunter1"), Value::string("x:hunter2"));
        let said = " The value changes; it contains a secret, so neither side is shown.";
        assert_eq!(lines(&text, &secrets), [said]);
        // The data may say the same words.
        let same = || Value::string("redacted (not shown)");
        let expected = ["-redacted (not shown)", "+redacted (not shown)"];
        assert_eq!(lines(&change(same(), same()), &secrets), expected);
    }

    #[test]
    fn only_cases_that_differ_are_shown() {
        let [before, after] = texts(&[&["x"], &["v"], &["z"]], &[&["x"], &["w"], &["z"]]);
        assert_eq!(before, "if a is 1:\n- v\n");
        assert_eq!(after, "if a is 1:\n- w\n");
        // The cases need not be the same.
        let [before, after] = texts(&[&["x"], &["v"], &["z"]], &[&["x"], &["z"]]);
        assert_eq!(before, "if a is 1:\n- v\n");
        assert_eq!(after, "if a is 1:\n- z\n");
        let [before, after] = texts(&[&["x"], &["v"], &["u"]], &[&["x"], &["w"], &["z"]]);
        assert_eq!(before, "if a is 1:\n- v\nunless a is 0 or 1:\n- u\n");
        assert_eq!(after, "if a is 1:\n- w\nunless a is 0 or 1:\n- z\n");
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
    fn the_same_edit_is_shown_once() {
        let list = |last| [["x", "a", last], ["y", "a", last], ["z", "a", "b"], ["x", "a", last]];
        let answer_of = |last| answer(&list(last).each_ref().map(|it| &it[..]));
        let [before, after] = texts_of(answer_of("v"), answer_of("w"));
        assert_eq!(before, "unless a is 2:\n- x\n- a\n- v\n");
        assert_eq!(after, "unless a is 2:\n- x\n- a\n- w\n");
        let of = |texts: [&'static str; 4]| answer(&texts.each_ref().map(std::slice::from_ref));
        let [before, _] = texts_of(of(["v", "x", "v", "z"]), of(["w", "x", "w", "z"]));
        assert_eq!(before, "if a is 0 or 2:\n- v\n");
    }

    #[test]
    fn cases_that_are_not_listed_may_not_be_edited() {
        let of = |text| {
            let left_out = LeftOut { level: None, variables: ["a".into()].into(), files: 0 };
            Answer { left_out: vec![left_out], ..answer(&[&[text], &[text]]) }
        };
        let [before, _] = texts_of(of("v"), of("w"));
        assert_eq!(before, "as far as hiera-ls can tell:\n- v\n");
    }

    /// The words about the other cases must not look like a value.
    #[test]
    fn only_cases_that_are_not_listed_differ() {
        let found = |left_out| {
            let value = Value::string("v").unplaced();
            Answer { outcome: Ok(Some(value)), left_out, ..Answer::nothing() }
        };
        let left_out = LeftOut { level: None, variables: ["a".into()].into(), files: 0 };
        let [_, after] = texts_of(found(Vec::new()), found(vec![left_out]));
        assert!(after.ends_with("v\n(not certain: The value itself depends on a)\n"), "{after}");
    }

    #[test]
    fn cases_that_do_not_fit_are_counted() {
        let texts_of = |sign: &str, count| {
            let texts: Vec<String> = (0..count).map(|it| format!("{sign}{it}")).collect();
            let cases: Vec<[&str; 1]> = texts.iter().map(|it| [&**it]).collect();
            answer(&cases.iter().map(|it| &it[..]).collect::<Vec<_>>())
        };
        let [before, after] = super::tests::texts_of(texts_of("x", 40), texts_of("v", 40));
        assert!(before.starts_with("if a is 0:\n- x0\nif a is 1:\n- x1\n"), "{before}");
        for text in [before, after] {
            assert_eq!(text.lines().count(), MAX_LINES + 1);
            assert!(text.ends_with("\n… 2 more lines and 24 more cases\n"), "{text}");
        }
        let long: Vec<&str> = vec!["x"; 50];
        let [_, after] = texts(&[&["x"], &["v"]], &[&long, &["w"]]);
        assert!(after.ends_with("\n… 23 more lines\n"), "{after}");
    }
}
