//! A comparison in words: summaries, the affected nodes, and values without secrets. The command line, the views of editors
//! and the titles of actions use the same words.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

use crate::data::render;
use crate::engine::cases::{in_words, is_same, left_out_in_words};
use crate::engine::{Answer, Condition, OtherNodes};
use crate::world::{AnswerChange, Differences};

use super::secrets::{Secrets, ShownSide};

/// The maximum number of names of nodes that are shown for each change.
const MAX_NAMES: usize = 10;

/// More exceptions than this are counted.
const MAX_EXCEPTIONS: usize = 3;

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

/// `unless role is web or site is oslo`; `None` if there are no exceptions.
fn unless_text(unless: &[Vec<Condition>]) -> Option<String> {
    match unless {
        [] => None,
        few if few.len() <= MAX_EXCEPTIONS => {
            let few: Vec<String> = few.iter().map(|it| in_words(it)).collect();
            Some(format!("unless {}", few.join(", or ")))
        }
        many => Some(format!("except in {} other cases", many.len())),
    }
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
    if let Some(differ) = cases_that_differ(change) {
        for side in &mut sides {
            let mut differ = differ.iter();
            side.left.retain(|_| differ.next().is_some_and(|it| *it));
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
    left: VecDeque<(&'a [Condition], &'a Answer)>,
}

impl<'a> Side<'a> {
    fn new(answer: &'a Answer, shown: &'a ShownSide<'a>) -> Self {
        Self { answer, shown, lines: Vec::new(), left: answer.each_case().into() }
    }

    fn add_case(&mut self) {
        let Some((conditions, case)) = self.left.pop_front() else { return };
        if !self.answer.cases.is_empty() {
            let condition = if conditions.is_empty() {
                "otherwise".to_owned()
            } else {
                format!("if {}", in_words(conditions))
            };
            self.lines.push(format!("{}:", on_one_line(&condition)));
        }
        match &case.outcome {
            Ok(Some(value)) => {
                let yaml = render::to_readable_yaml(&self.shown.value(value));
                let yaml = yaml.strip_prefix("---").unwrap_or(&yaml);
                let lines = yaml.trim_start_matches([' ', '\n']).lines();
                self.lines.extend(lines.map(str::to_owned));
            }
            Ok(None) => self.lines.push("(not found)".to_owned()),
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

/// Which cases differ, if both answers have the same cases.
fn cases_that_differ(change: &AnswerChange) -> Option<Vec<bool>> {
    let cases = change.before.case_by_case(&change.after)?;
    let differ: Vec<bool> = cases.into_iter().map(|(one, other)| !is_same(one, other)).collect();
    differ.contains(&true).then_some(differ)
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
    use crate::engine::{Assumed, Case};

    /// An answer with these values, each if `a` is its number.
    fn answer(values: &[&[&str]]) -> Answer {
        let case = |(number, texts): (usize, &&[&str])| {
            let items = texts.iter().map(|it| Value::string(*it).unplaced());
            let value = Some(Value::array(items.collect()).unplaced());
            let text = Assumed::Text(number.to_string().into());
            let conditions = vec![Condition { variable: "a".into(), value: text }];
            Case { conditions, answer: Answer { outcome: Ok(value), ..Answer::nothing() } }
        };
        Answer { cases: values.iter().enumerate().map(case).collect(), ..Answer::nothing() }
    }

    fn texts(before: &[&[&str]], after: &[&[&str]]) -> [String; 2] {
        let change = AnswerChange {
            key: "k".into(),
            before: answer(before),
            after: answer(after),
            nodes: Vec::new(),
            others: Vec::new(),
            causes: Vec::new(),
        };
        change_texts(&change, &Secrets::default())
    }

    #[test]
    fn only_cases_that_differ_are_shown() {
        let [before, after] = texts(&[&["x"], &["v"]], &[&["x"], &["w"]]);
        assert_eq!(before, "if a is 1:\n- v\n");
        assert_eq!(after, "if a is 1:\n- w\n");
        let [before, after] = texts(&[&["x"], &["v"]], &[&["x"]]);
        assert_eq!(before, "if a is 0:\n- x\nif a is 1:\n- v\n");
        assert_eq!(after, "if a is 0:\n- x\n");
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
        assert_eq!(before, "… 75 lines above\n- x\nif a is 38:\n- x\nif a is 39:\n- x\n");
        assert!(after.starts_with("… 75 lines above\n"), "{after}");
        let long: Vec<&str> = vec!["x"; 50];
        let [_, after] = texts(&[&["x"], &["v"]], &[&long, &["w"]]);
        assert!(after.ends_with("\n… 21 more lines and 1 more case\n"), "{after}");
    }
}
