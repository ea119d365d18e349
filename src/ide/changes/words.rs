//! A comparison in words: summaries, the affected nodes, and values without secrets. The command line, the views of editors
//! and the titles of actions use the same words.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

use crate::data::render;
use crate::engine::cases::pairs::{cases_that_differ, exceptions};
use crate::engine::cases::{in_words, left_out_in_words};
use crate::engine::{Answer, Assumed, Condition, OtherNodes};
use crate::facts::infer::MEMBER;
use crate::world::{AnswerChange, Differences};

use super::secrets::{Secrets, ShownSide};

/// The maximum number of names of nodes that are shown for each change.
const MAX_NAMES: usize = 10;

/// More exceptions than this are counted.
const MAX_EXCEPTIONS: usize = 3;

/// More values of one variable than this are counted.
const MAX_VALUES: usize = 6;

/// The maximum number of lines of a value that are shown.
const MAX_LINES: usize = 30;

/// How many lines before the first difference are shown of a long value.
const LINES_BEFORE: usize = 3;

impl Differences {
    /// `14 of 622 nodes change, 3 keys; nothing else`.
    pub fn summary(&self) -> String {
        let keys: BTreeSet<&Arc<str>> = self.changes.iter().map(|it| &it.key).collect();
        let all = counted(self.nodes.len(), "node");
        // Only if all keys were compared completely, nothing else certainly changes.
        let rest = if self.not_proved.is_empty() { "; nothing else" } else { "" };
        if self.changes.is_empty() {
            let compared = if self.nodes.is_empty() { "any node" } else { &*all };
            let keys = counted(self.keys, "key");
            let proof =
                if self.not_proved.is_empty() { "" } else { ", as far as hiera-ls can tell" };
            return format!("0 answers change: {keys} compared for {compared}{proof}");
        }
        let keys = counted(keys.len(), "key");
        let others = self.others_counted(self.changes.iter());
        let changing = |is_one| if is_one { "changes" } else { "change" };
        if self.nodes.is_empty() {
            let (others, is_one) = others.unwrap_or_default();
            return format!("{others} {}, {keys}{rest}", changing(is_one));
        }
        let others = others.map_or_else(String::new, |(others, _)| format!(", and {others}"));
        let nodes = CountedNodes::of(self.changes.iter());
        let changing = changing(nodes.first() == 1 || self.nodes.len() == 1);
        let cases = nodes.in_cases();
        format!("{} of {all} {changing}{cases}{others}, {keys}{rest}", nodes.first())
    }

    /// The unlisted nodes that some changes affect, each case counted once: `2 cases of unlisted nodes`; and whether it is a
    /// singular. `None` if there are none.
    pub(super) fn others_counted<'a>(
        &self,
        changes: impl Iterator<Item = &'a AnswerChange>,
    ) -> Option<(String, bool)> {
        let cases: HashSet<&OtherNodes> = changes.flat_map(|it| &it.others).collect();
        let is_all = |it: &&OtherNodes| it.conditions.is_empty() && it.unless.is_empty();
        let are_unlisted = !self.nodes.is_empty();
        // If cases are left out, nodes of these may keep their values.
        if self.not_proved.is_empty() && cases.iter().any(is_all) {
            let every = if are_unlisted { "every unlisted node" } else { "every node" };
            return Some((every.to_owned(), true));
        }
        let counted = counted(cases.len(), "case");
        let counted = if are_unlisted { format!("{counted} of unlisted nodes") } else { counted };
        (!cases.is_empty()).then_some((counted, cases.len() == 1))
    }

    /// The nodes that are not listed, if there is a list.
    pub fn unlisted(&self) -> &'static str {
        if self.nodes.is_empty() { "any node" } else { "unlisted nodes" }
    }

    /// What is not proved, one line each.
    pub fn limits(&self) -> impl Iterator<Item = String> {
        self.not_proved
            .iter()
            .map(|(reason, keys)| format!("not proved for {}: {reason}", counted(*keys, "key")))
    }

    /// The names of the nodes that a change affects.
    pub fn names<'a>(&'a self, change: &'a AnswerChange) -> impl Iterator<Item = &'a Arc<str>> {
        change.nodes.iter().map(|node| &self.nodes[*node as usize])
    }

    /// `14 nodes: web01, web02 and 12 more`, and the cases of unlisted nodes.
    pub fn who(&self, change: &AnswerChange) -> String {
        let others = self.others(change);
        let nodes = (!change.nodes.is_empty()).then(|| self.nodes_of(change));
        nodes.into_iter().chain(others).collect::<Vec<_>>().join("; ")
    }

    /// The cases of unlisted nodes that a change affects: `any unlisted node where role is web, unless site is oslo`.
    pub fn others(&self, change: &AnswerChange) -> impl Iterator<Item = String> {
        let node = if self.nodes.is_empty() { "any node" } else { "any unlisted node" };
        change.others.iter().map(move |others| {
            let unless = match unless_text(&others.unless) {
                Some(unless) if others.conditions.is_empty() => format!(" {unless}"),
                Some(unless) => format!(", {unless}"),
                None => String::new(),
            };
            match others.conditions.as_slice() {
                [] => format!("{node}{unless}"),
                conditions => format!("{node} where {}{unless}", in_words(conditions)),
            }
        })
    }

    fn nodes_of(&self, change: &AnswerChange) -> String {
        let count = change.nodes.len();
        if count == self.nodes.len() && count > MAX_NAMES {
            return format!("all {}", counted(count, "node"));
        }
        let names: Vec<&str> = self.names(change).take(MAX_NAMES).map(|it| &**it).collect();
        let more = count - names.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}: {}{more}", counted(count, "node"), names.join(", "))
    }

    /// The changes by key, in order.
    pub fn by_key(&self) -> Vec<(&Arc<str>, Vec<&AnswerChange>)> {
        let mut groups: Vec<(&Arc<str>, Vec<&AnswerChange>)> = Vec::new();
        for change in &self.changes {
            match groups.last_mut() {
                Some((key, changes)) if **key == change.key => changes.push(change),
                _ => groups.push((&change.key, vec![change])),
            }
        }
        groups
    }
}

/// How many nodes get other answers.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedNodes {
    /// Whatever is not known of them.
    certain: usize,
    /// Only in some of the cases that are possible for them.
    perhaps: usize,
}

impl CountedNodes {
    /// The nodes that some changes affect.
    pub(super) fn of<'a>(changes: impl Iterator<Item = &'a AnswerChange>) -> Self {
        let (mut certain, mut perhaps): (BTreeSet<u32>, BTreeSet<u32>) = Default::default();
        for change in changes.filter(|it| !it.nodes.is_empty()) {
            let nodes = if change.is_certain() { &mut certain } else { &mut perhaps };
            nodes.extend(&change.nodes);
        }
        let perhaps = perhaps.difference(&certain).count();
        Self { certain: certain.len(), perhaps }
    }

    /// The number that comes first in a text: of nodes that change in some cases if there are no others.
    pub(super) fn first(self) -> usize {
        if self.certain > 0 { self.certain } else { self.perhaps }
    }

    /// What follows: ` in some cases`, or `, 3 more in some cases`.
    pub(super) fn in_cases(self) -> String {
        match self {
            Self { perhaps: 0, .. } => String::new(),
            Self { certain: 0, .. } => " in some cases".to_owned(),
            Self { perhaps, .. } => format!(", {perhaps} more in some cases"),
        }
    }
}

/// `nodes where role is web`; `None` without a condition.
pub(in crate::ide) fn nodes_where(others: &OtherNodes) -> Option<String> {
    let some = if others.unless.is_empty() { "" } else { "some " };
    let conditions = &others.conditions;
    (!conditions.is_empty()).then(|| format!("{some}nodes where {}", in_words(conditions)))
}

/// `unless role is web, or site is oslo`, or `unless role is web or db`; `None` if there are no exceptions.
fn unless_text(unless: &[Vec<Condition>]) -> Option<String> {
    match unless {
        [] => None,
        few if few.len() <= MAX_VALUES
            && let Some((variable, values)) = of_one_variable(few) =>
        {
            let (last, others) = values.split_last()?;
            let others = if others.is_empty() { String::new() } else { others.join(", ") + " or " };
            Some(format!("unless {variable} is {others}{last}"))
        }
        few if few.len() <= MAX_EXCEPTIONS => {
            let few: Vec<String> = few.iter().map(|it| in_words(it)).collect();
            Some(format!("unless {}", few.join(", or ")))
        }
        many => Some(format!("except in {} other cases", many.len())),
    }
}

/// The variable and its values, if each of the exceptions is one value of the same variable.
fn of_one_variable(unless: &[Vec<Condition>]) -> Option<(&str, Vec<&str>)> {
    let [first, ..] = unless.first()?.as_slice() else { return None };
    let mut values: Vec<&str> = Vec::new();
    for exception in unless {
        let [Condition { variable, value: Assumed::Text(text) }] = exception.as_slice() else {
            return None;
        };
        if *variable != first.variable || text.is_empty() || variable.ends_with(MEMBER) {
            return None;
        }
        values.push(text);
    }
    Some((&first.variable, values))
}

/// `1 node`, `2 nodes`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The answers of a change for users, before and after, without the secrets of its comparison: the value as YAML, or what there is
/// instead, for each case if there are several. Of long values, the lines from the first difference on are shown.
pub fn change_texts(change: &AnswerChange, secrets: &Secrets) -> [String; 2] {
    let [before, after] = secrets.sides(change);
    let mut sides = [Side::new(&change.before, &before), Side::new(&change.after, &after)];
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
            if side.lines.len() < same + MAX_LINES && !side.left.is_empty() {
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
            side.lines.extend(what_else_decides(side.answer));
        }
    }
    let same = same_lines(&sides);
    sides.map(|side| side.excerpt(same))
}

/// One side of a change while it is written down.
struct Side<'a> {
    answer: &'a Answer,
    shown: &'a ShownSide<'a>,
    lines: Vec<String>,
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
            self.lines.push(format!("{}:", on_one_line(&condition)));
        }
        match &case.answer.outcome {
            Ok(Some(value)) => {
                let yaml = render::to_readable_yaml(&self.shown.value(value));
                let yaml = yaml.strip_prefix("---").unwrap_or(&yaml);
                let lines = yaml.trim_start_matches([' ', '\n']).lines();
                self.lines.extend(lines.map(str::to_owned));
            }
            Ok(None) => self.lines.push("(not found)".to_owned()),
            Err(_) if case.answer.is_elsewhere() => {
                self.lines.push("(the edit does not affect this value)".to_owned());
            }
            Err(failure) => {
                let message = self.shown.message(&failure.message);
                self.lines.push(format!("(error: {})", on_one_line(&message)));
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
            let _ = writeln!(text, "{line}");
        }
        let lines = self.lines.len().saturating_sub(skipped + MAX_LINES);
        let more = [(lines, "more line"), (self.left.len(), "more case")];
        let more: Vec<String> = { more.into_iter() }
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| counted(count, what))
            .collect();
        if !more.is_empty() {
            let _ = writeln!(text, "… {}", more.join(" and "));
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

fn on_one_line(text: &str) -> String {
    text.replace('\r', "\\r").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Value;
    use crate::engine::Case;

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
    fn exceptions_of_one_variable_share_it() {
        let unless = |lists: &[&[(&str, &str)]]| {
            let list = |it: &&[(&str, &str)]| it.iter().map(|(a, b)| if_is(a, b)).collect();
            unless_text(&lists.iter().map(list).collect::<Vec<_>>())
        };
        assert_eq!(unless(&[]), None);
        assert_eq!(unless(&[&[("a", "1")]]).as_deref(), Some("unless a is 1"));
        let four: &[&[(&str, &str)]] =
            &[&[("a", "1")], &[("a", "2")], &[("a", "3")], &[("a", "4")]];
        assert_eq!(unless(four).as_deref(), Some("unless a is 1, 2, 3 or 4"));
        let two = unless(&[&[("a", "1")], &[("a", "2"), ("b", "3")]]);
        assert_eq!(two.as_deref(), Some("unless a is 1, or a is 2 and b is 3"));
        let empty = unless(&[&[("a", "")], &[("a", "2")]]);
        assert_eq!(empty.as_deref(), Some("unless a is empty, or a is 2"));
        let many = [&[("a", "1")][..], &[("b", "1")], &[("c", "1")], &[("d", "1")]];
        assert_eq!(unless(&many).as_deref(), Some("except in 4 other cases"));
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
