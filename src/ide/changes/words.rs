//! A comparison in words: summaries and the affected nodes. The command line, the views of editors and the titles of actions
//! use the same words.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::edit::has_same_values;
use crate::engine::cases::in_words;
use crate::engine::{Answer, Assumed, Condition, OtherNodes};
use crate::facts::mapped::is_member;
use crate::ide::own_names::with_example;
use crate::world::{AnswerChange, Differences, NotProved};

/// The maximum number of names of nodes that are shown for each change.
const MAX_NAMES: usize = 10;

/// The maximum number of keys that are named beside a reason why something is not proved.
const MAX_KEYS: usize = 5;

/// The maximum number of reasons why something is not proved that are shown.
const MAX_LIMITS: usize = 20;

/// More exceptions than this are counted.
const MAX_EXCEPTIONS: usize = 3;

/// The maximum number of cases of unlisted nodes that are shown for each change.
const MAX_OTHERS: usize = 4;

/// More cases than this are counted.
const MAX_CASES: usize = 4;

/// More values of one variable than this are counted.
const MAX_VALUES: usize = 6;

impl Differences {
    /// `14 of 622 nodes change, 3 keys; nothing else`; with another end if other keys were not compared, or not completely.
    pub fn summary(&self) -> String {
        self.summary_if(true)
    }

    /// The same if Puppet can read all edited files, or not.
    pub(super) fn summary_if(&self, are_all_read: bool) -> String {
        let keys: BTreeSet<&Arc<str>> = self.changes.iter().map(|it| &it.key).collect();
        let all = counted(self.nodes.len(), "node");
        // Only if all keys were compared completely, nothing else certainly changes.
        let is_complete = are_all_read && self.not_proved.is_empty();
        let proof = if is_complete { "" } else { ", as far as hiera-ls can tell" };
        let rest = match (self.other_keys.is_empty(), self.are_all_keys && is_complete) {
            (false, _) => ", and all keys that no data file has",
            (true, true) => "; nothing else",
            (true, false) => proof,
        };
        if self.changes.is_empty() && !self.other_keys.is_empty() {
            return "only keys that no data file has change".to_owned();
        }
        if self.changes.is_empty() {
            let compared = if self.nodes.is_empty() { "any node" } else { &*all };
            let keys = counted(self.keys, "key");
            if self.keys == 0 && is_complete {
                return "0 answers change: no key is edited".to_owned();
            }
            return format!("0 answers change: {keys} compared for {compared}{proof}");
        }
        let keys = counted(keys.len(), "key");
        let others = self.others_counted(self.changes.iter());
        let changing = |is_one| if is_one { "changes" } else { "change" };
        if self.nodes.is_empty() {
            let (others, is_one) = others.unwrap_or_default();
            return format!("{others} {}, {keys}{rest}", changing(is_one));
        }
        let nodes = CountedNodes::of(self.changes.iter());
        let others = match (others, nodes.first()) {
            (None, _) => String::new(),
            (Some((others, is_one)), 0) => {
                format!(", but {others} {}", if is_one { "does" } else { "do" })
            }
            (Some((others, _)), _) => format!(", and {others}"),
        };
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
        let changes: Vec<&AnswerChange> = changes.collect();
        let cases: HashSet<&OtherNodes> = changes.iter().flat_map(|it| &it.others).collect();
        let is_all = |it: &OtherNodes| it.conditions.is_empty() && it.unless.is_empty();
        let is_whole = |it: &Answer| it.left_out.is_empty() && it.opaque.is_empty();
        let is_of_all = |it: &&AnswerChange| {
            is_whole(&it.before) && is_whole(&it.after) && it.others.iter().any(is_all)
        };
        let are_unlisted = !self.nodes.is_empty();
        // If cases are left out, nodes of these may keep their values.
        let may_be_any_key = self.not_proved.values().any(|it| *it == NotProved::AnyKey);
        if !may_be_any_key && changes.iter().any(is_of_all) {
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

    /// What is not proved, one line each, and a line about the others if there are very many.
    pub fn limits(&self) -> impl Iterator<Item = String> {
        let limit = |(reason, keys): (&Arc<str>, &NotProved)| match keys {
            NotProved::KeysOfNoFile => {
                format!("not proved for keys that no data file has: {reason}")
            }
            NotProved::Keys(keys) => format!("not proved for {}: {reason}", named_keys(keys)),
            NotProved::AnyKey => format!("not proved: {reason}"),
        };
        let more = self.not_proved.len().saturating_sub(MAX_LIMITS);
        let more = (more > 0).then(|| format!("not proved for {}", counted(more, "other reason")));
        self.not_proved.iter().take(MAX_LIMITS).map(limit).chain(more)
    }

    /// The names of the nodes that a change affects.
    pub fn names<'a>(&'a self, change: &'a AnswerChange) -> impl Iterator<Item = &'a Arc<str>> {
        change.nodes.iter().map(|node| &self.nodes[*node as usize])
    }

    /// The nodes of changes that are [alike](Self::alike), of which the first is shown: `14 nodes: web01, web02 and 12 more`, and
    /// the cases of unlisted nodes.
    pub fn who(&self, alike: &[&AnswerChange]) -> String {
        let nodes: Vec<u32> = alike.iter().flat_map(|it| &it.nodes).copied().collect();
        let named = (!nodes.is_empty()).then(|| self.named(&nodes));
        let unlisted = |change: &&AnswerChange| {
            if alike.first().is_some_and(|first| self.are_in_the_cases_of(change, first)) {
                return vec![self.any_node().to_owned()];
            }
            self.others(change).collect()
        };
        let others = alike.iter().flat_map(unlisted);
        let others = some_of(others.collect(), MAX_OTHERS, "case");
        let others = Some(others).filter(|it| !it.is_empty());
        let who = named.into_iter().chain(others).collect::<Vec<_>>().join("; ");
        let Some((first, others)) = alike.split_first() else { return who };
        if others.iter().all(|it| has_same_values(first, it)) {
            return who;
        }
        let shown = self.names(first).next().map_or("the first one", |it| &**it);
        if self.has_own_name(first) {
            return with_example(&who, shown);
        }
        format!("{who}, all changed in the same way; {shown} is shown")
    }

    /// The cases of unlisted nodes that a change affects: `any unlisted node where role is web, unless site is oslo`.
    pub fn others(&self, change: &AnswerChange) -> impl Iterator<Item = String> {
        let node = self.any_node();
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

    fn any_node(&self) -> &'static str {
        if self.nodes.is_empty() { "any node" } else { "any unlisted node" }
    }

    /// `14 nodes: web01, web02 and 12 more`
    fn named(&self, nodes: &[u32]) -> String {
        let count = nodes.len();
        if count == self.nodes.len() && count > MAX_NAMES {
            return format!("all {}", counted(count, "node"));
        }
        let names = nodes.iter().map(|node| &*self.nodes[*node as usize]);
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        format!("{}: {}", counted(count, "node"), first_names(&names, MAX_NAMES))
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

/// `if role is web or db`, `unless site is oslo`, or `if role is web, unless site is oslo; if site is bergen`: some of the nodes that
/// are not completely known, in all of `cases`. `None` for all of them.
pub(super) fn nodes_text(cases: &[&OtherNodes]) -> Option<String> {
    let is_plain = cases.iter().all(|it| it.unless.is_empty());
    let conditions: Vec<&[Condition]> = cases.iter().map(|it| &*it.conditions).collect();
    if is_plain
        && cases.len() <= MAX_VALUES
        && let Some((variable, values)) = of_one_variable(&conditions)
    {
        return Some(format!("if {variable} is {}", one_of(&values)));
    }
    let text = |nodes: &OtherNodes| match (&*nodes.conditions, unless_text(&nodes.unless)) {
        ([], unless) => unless,
        (conditions, None) => Some(format!("if {}", in_words(conditions))),
        (conditions, Some(unless)) => Some(format!("if {}, {unless}", in_words(conditions))),
    };
    let texts: Option<Vec<String>> = cases.iter().map(|it| text(it)).collect();
    Some(some_of(texts?, MAX_CASES, "case"))
}

/// The texts, or the first `most` of them and the number of the others: `a; b and 3 more cases`.
fn some_of(mut texts: Vec<String>, most: usize, what: &str) -> String {
    let more = texts.len().saturating_sub(most);
    texts.truncate(most);
    texts.extend((more > 0).then(|| counted(more, &format!("more {what}"))));
    texts.join("; ")
}

/// `unless role is web, or site is oslo`, or `unless role is web or db`; `None` if there are no exceptions.
pub(super) fn unless_text(unless: &[Vec<Condition>]) -> Option<String> {
    match unless {
        [] => None,
        few if few.len() <= MAX_VALUES
            && let Some((variable, values)) = of_one_variable(few) =>
        {
            Some(format!("unless {variable} is {}", one_of(&values)))
        }
        few if few.len() <= MAX_EXCEPTIONS => {
            let few: Vec<String> = few.iter().map(|it| in_words(it)).collect();
            Some(format!("unless {}", few.join(", or ")))
        }
        many => Some(format!("in all but {} cases", many.len())),
    }
}

/// `a, b or c`
fn one_of(values: &[&str]) -> String {
    match values {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        values => values.concat(),
    }
}

/// The variable and its values, if each of the lists is one value of the same variable.
fn of_one_variable<L: AsRef<[Condition]>>(lists: &[L]) -> Option<(&str, Vec<&str>)> {
    let [first, ..] = lists.first()?.as_ref() else { return None };
    let mut values: Vec<&str> = Vec::new();
    for list in lists {
        let [Condition { variable, value: Assumed::Text(text) }] = list.as_ref() else {
            return None;
        };
        if *variable != first.variable || text.is_empty() || is_member(variable) {
            return None;
        }
        values.push(text);
    }
    Some((&first.variable, values))
}

/// `3 more changes of this key not shown, for 14 nodes`: the groups of alike changes after the first `most`; `None` if there are no
/// more.
pub fn not_shown(groups: &[Vec<&AnswerChange>], most: usize) -> Option<String> {
    let left = groups.get(most..).filter(|it| !it.is_empty())?;
    let nodes: usize = left.iter().flatten().map(|it| it.nodes.len()).sum();
    let (left, nodes) = (counted(left.len(), "more change"), counted(nodes, "node"));
    Some(format!("{left} of this key not shown, for {nodes}"))
}

/// The first line of the text of an error, with a mark if there is more.
pub fn first_line(message: &str) -> String {
    let message = message.trim();
    match message.split_once(['\n', '\r']) {
        Some((first, _)) => format!("{} …", first.trim_end()),
        None => message.to_owned(),
    }
}

/// `1 key (web::port)`, `7 keys (a, b, c, d, e and 2 more)`
fn named_keys(keys: &[Arc<str>]) -> String {
    format!("{} ({})", counted(keys.len(), "key"), first_names(keys, MAX_KEYS))
}

/// The names, or the first `most` of them and the number of the others: `a, b and 2 more`.
pub fn first_names<N: AsRef<str>>(names: &[N], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    let more = names.len() - shown.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}

/// A text that may have line ends, on one line.
pub(in crate::ide) fn on_one_line(text: &str) -> String {
    text.replace('\r', "\\r").replace('\n', "\\n")
}

/// What an edit changes in another environment, after what it changes in the first one (`own`): `in dev, changes 1 of 2 nodes`.
pub(in crate::ide) fn in_other_environment(label: &str, said: &str, own: Option<&str>) -> String {
    if own == Some(said) { format!("the same in {label}") } else { format!("in {label}, {said}") }
}

/// `1 node`, `2 nodes`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Answer;

    fn if_is(variable: &str, text: &str) -> Condition {
        let value = Assumed::Text(text.into());
        Condition { variable: variable.into(), value }
    }

    #[test]
    fn what_is_too_much_to_show_is_counted() {
        let reasons = |count: usize| Differences {
            not_proved: (0..count)
                .map(|it| (format!("{it:02}").into(), NotProved::AnyKey))
                .collect(),
            ..Differences::default()
        };
        assert_eq!(reasons(MAX_LIMITS).limits().count(), MAX_LIMITS);
        let more = reasons(MAX_LIMITS + 2).limits().last();
        assert_eq!(more.as_deref(), Some("not proved for 2 other reasons"));

        let keys = |count: u8| (b'a'..b'a' + count).map(|it| char::from(it).to_string().into());
        let named = |count| named_keys(&keys(count).collect::<Vec<_>>());
        assert_eq!((&*named(1), &*named(2)), ("1 key (a)", "2 keys (a, b)"));
        assert_eq!(named(8), "8 keys (a, b, c, d, e and 3 more)");

        let others = (0..MAX_OTHERS + 2).map(|it| OtherNodes {
            conditions: vec![if_is("a", &it.to_string())],
            unless: Vec::new(),
        });
        let change = AnswerChange {
            key: "k".into(),
            before: Answer::nothing().into(),
            after: Answer::nothing().into(),
            nodes: vec![0],
            others: others.collect(),
            causes: Vec::new(),
        };
        let all = Differences { nodes: vec!["n".into()], ..Differences::default() };
        let who = all.who(&[&change]);
        assert!(who.starts_with("1 node: n; any unlisted node where a is 0; "), "{who}");
        assert!(who.ends_with("; any unlisted node where a is 3; 2 more cases"), "{who}");

        let groups = vec![vec![&change], vec![&change, &change], vec![&change]];
        assert_eq!(not_shown(&groups, 3), None);
        let more = "2 more changes of this key not shown, for 3 nodes";
        assert_eq!(not_shown(&groups, 1).as_deref(), Some(more));
    }

    #[test]
    fn a_summary_says_how_certain_it_is() {
        let change = AnswerChange {
            key: "k".into(),
            before: Answer::nothing().into(),
            after: Answer::nothing().into(),
            nodes: vec![0],
            others: Vec::new(),
            causes: Vec::new(),
        };
        let (changes, nodes) = (vec![change], vec!["n".into()]);
        let proved = Differences { nodes, changes, are_all_keys: true, ..Differences::default() };
        assert_eq!(proved.summary(), "1 of 1 node changes in some cases, 1 key; nothing else");
        let not_proved = [("a reason".into(), NotProved::AnyKey)].into_iter().collect();
        let not_proved = Differences { not_proved, ..proved };
        let summary = "1 of 1 node changes in some cases, 1 key, as far as hiera-ls can tell";
        assert_eq!(not_proved.summary(), summary);
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
        assert_eq!(unless(&many).as_deref(), Some("in all but 4 cases"));
    }
}
