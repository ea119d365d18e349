//! One key for all sample nodes, grouped by value, the rarest value first.

use std::sync::Arc;

use indexmap::IndexMap;

use super::entry::Entry;
use super::page::Page;
use super::value::Detail;
use super::{LineKind, Preview, Question, UnknownNode};
use crate::data::{Place, Value, render};
use crate::engine::{Answer, CancelToken, Case, Condition, Request, Source};
use crate::facts::Node;
use crate::ide::cases;
use crate::ide::changes::counted;
use crate::ide::own_names::{together, value_without_names, with_example, without_names};
use crate::ide::perspective::Perspective;
use crate::world::{Fleet, World, parallel};

/// A value is an outlier if at most one in this many nodes has it.
const OUTLIER_SHARE: usize = 5;

/// The number of names of nodes on one line.
const NAMES_PER_LINE: usize = 6;

/// The maximum number of lines with names for an outlier, and for a common value.
const MAX_OUTLIER_LINES: usize = 8;
const MAX_USUAL_LINES: usize = 1;

/// The document, and the same content as data.
#[derive(Debug, Clone, PartialEq)]
pub struct AllNodes {
    /// The document.
    pub preview: Preview,
    /// One for each different value, in the order of the document.
    pub groups: Vec<NodeGroup>,
}

/// The nodes with one value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeGroup {
    /// As YAML, without secrets; or Puppet's error; or empty.
    pub value: String,
    /// The kind of outcome.
    pub kind: GroupKind,
    /// The nodes' names, sorted.
    pub nodes: Vec<Arc<str>>,
    /// Whether this value is rare.
    pub is_outlier: bool,
    /// The origins of the value for the first of the nodes, the highest level first.
    pub places: Vec<Place>,
}

/// The outcome of a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupKind {
    /// One of several values, depending on open variables.
    Depends,
    /// A value.
    Value,
    /// Nothing is found.
    Missing,
    /// An error.
    Failed,
}

/// The outcome by which nodes are grouped.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Outcome {
    Value(Value),
    Missing,
    Failed(Arc<str>),
    /// The cases, each with its conditions and its outcome.
    Depends(Vec<(Vec<Condition>, Outcome)>, Vec<Arc<str>>),
}

/// The values of a key for all sample nodes of the environment. `None` if there is no key, or the request was cancelled.
///
/// # Errors
/// The request's node does not exist.
pub fn all_nodes(
    world: &Arc<World>,
    question: &Question,
    cancel: &CancelToken,
) -> Result<Option<AllNodes>, UnknownNode> {
    let question = Question { node: None, ..question.clone() };
    let Some(asked) = question.find(world)? else { return Ok(None) };
    let Some(key) = asked.key else { return Ok(None) };
    let environment = asked.perspective.evaluator.environment().clone();
    let nodes = world.nodes(&environment);
    let back_ends = world.back_ends().clone();
    let fleet = Fleet::reading_broken_files(world, &environment, nodes.clone(), back_ends);
    let request = Request { cancel: cancel.clone(), ..Request::key(&*key) };
    let mut by_outcome: IndexMap<Outcome, Vec<u32>> = IndexMap::new();
    for shared in fleet.answers(&request) {
        by_outcome.entry(Outcome::of(&shared.answer)).or_default().extend(shared.nodes);
    }
    if cancel.is_cancelled() {
        // The answers of cancelled lookups are incomplete.
        return Ok(None);
    }
    let of_numbers = |(outcome, mut numbers): (Outcome, Vec<u32>)| {
        numbers.sort_unstable();
        (outcome, numbers.iter().map(|it| &nodes[*it as usize]).collect())
    };
    let mut sorted: Vec<(Outcome, Vec<&Arc<Node>>)> =
        by_outcome.into_iter().map(of_numbers).collect();
    // The sort is stable, so groups of the same size keep the order of their first nodes.
    sorted.sort_by_key(|(_, nodes)| nodes.len());
    let perspective = Perspective::hiding(world, asked.perspective.evaluator.clone());
    let entries = parallel::map(&sorted, |(_, nodes)| {
        let first = Arc::new(world.new_evaluator(&environment, nodes.first()?));
        Some(Entry::ask(&Perspective::hiding(world, first), &key, cancel))
    });
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let mut all = Overview {
        key: &key,
        total: nodes.len(),
        is_full: question.is_full,
        perspective: &perspective,
        page: Page::default(),
        groups: Vec::new(),
    };
    all.write_title(&sorted);
    let groups: Vec<Group<'_>> = { sorted.iter().zip(&entries) }
        .filter_map(|((outcome, nodes), entry)| {
            Some(Group { outcome, nodes, entry: entry.as_ref()? })
        })
        .collect();
    let groups = groups.iter().map(|group| (group.nameless(), group));
    for alike in together(groups, |group| group.nodes.len()) {
        all.write_alike(&alike);
    }
    let preview = all.page.finish(&asked.perspective, format!("{key} · all nodes"));
    let preview = Preview { key: Some(key.clone()), node: None, ..preview };
    Ok(Some(AllNodes { preview, groups: all.groups }))
}

impl Outcome {
    fn of(answer: &Answer) -> Self {
        if !answer.is_certain() {
            let case = |case: &Case| (case.conditions.clone(), Self::alone(&case.answer));
            let mut cases: Vec<_> = answer.cases.iter().map(case).collect();
            if cases.is_empty() {
                cases.push((Vec::new(), Self::alone(answer)));
            }
            return Self::Depends(cases, answer.depends_on());
        }
        Self::alone(answer)
    }

    /// The same without the names of a node.
    fn without_names(&self, node: &str) -> Self {
        match self {
            Self::Value(value) => Self::Value(value_without_names(value, node)),
            Self::Missing => Self::Missing,
            Self::Failed(message) => Self::Failed(without_names(message, node).into()),
            Self::Depends(cases, variables) => {
                let case = |(conditions, it): &(Vec<Condition>, Self)| {
                    (conditions.clone(), it.without_names(node))
                };
                Self::Depends(cases.iter().map(case).collect(), variables.clone())
            }
        }
    }

    /// The outcome in one case.
    fn alone(answer: &Answer) -> Self {
        match &answer.outcome {
            Ok(Some(value)) => Self::Value(value.value.clone()),
            Ok(None) => Self::Missing,
            Err(failure) => Self::Failed(failure.message.clone()),
        }
    }
}

/// The nodes with one outcome.
struct Group<'a> {
    outcome: &'a Outcome,
    nodes: &'a [&'a Arc<Node>],
    /// The answer for the first of the nodes.
    entry: &'a Entry,
}

impl Group<'_> {
    /// The outcome without the name of the node, if it is of a single node.
    fn nameless(&self) -> Option<Outcome> {
        let [node] = self.nodes else { return None };
        Some(self.outcome.without_names(&node.name))
    }
}

struct Overview<'a> {
    key: &'a str,
    total: usize,
    is_full: bool,
    /// Shows values of all nodes; the presentation does not depend on the node.
    perspective: &'a Perspective,
    page: Page,
    groups: Vec<NodeGroup>,
}

impl Overview<'_> {
    fn write_title<N>(&mut self, outcomes: &[(Outcome, N)]) {
        let nodes = counted(self.total, "node");
        let (key, environment) = (self.key, &self.perspective.evaluator.environment().name);
        let title = match (self.total, outcomes) {
            (0, _) => format!("{key}: no node is known in environment {environment}"),
            (1, _) => format!("{key} for the only node of environment {environment}"),
            (_, [(Outcome::Depends(..), _)]) => {
                format!("{key} in environment {environment}: the same cases for all {nodes}")
            }
            (_, [_]) => {
                format!("{key} in environment {environment}: the same answer for all {nodes}")
            }
            (_, several) => format!(
                "{key} for {nodes} of environment {environment}: {} different answers",
                several.len()
            ),
        };
        self.page.comment(&title, LineKind::Header, None);
    }

    /// Writes groups that are shown together. The value is that of the first one.
    fn write_alike(&mut self, alike: &[&Group<'_>]) {
        let Some(first) = alike.first() else { return };
        let names = |groups: &[&Group<'_>]| {
            let nodes = groups.iter().flat_map(|group| group.nodes);
            let mut names: Vec<Arc<str>> = nodes.map(|node| node.name.clone()).collect();
            names.sort_unstable();
            names
        };
        let all = names(alike);
        let is_outlier = all.len() < self.total && all.len() * OUTLIER_SHARE <= self.total;
        let kind = if is_outlier { LineKind::Outlier } else { LineKind::Header };
        // One YAML document for each value, because the same key twice in one document would be an error.
        self.page.plain(if self.groups.is_empty() { "" } else { "---" });
        let mut share = format!("{} of {}", all.len(), counted(self.total, "node"));
        if alike.len() > 1 {
            share = with_example(&share, &first.nodes[0].name);
        }
        let depends = cases::depends_text(&first.entry.answer);
        let depends = depends.map_or(String::new(), |it| format!(", where it {it}"));
        self.page.comment(&format!("{share}{depends}:"), kind, None);
        let max_lines = match is_outlier {
            _ if self.is_full => usize::MAX,
            true => MAX_OUTLIER_LINES,
            false => MAX_USUAL_LINES,
        };
        for names in all.chunks(NAMES_PER_LINE).take(max_lines) {
            self.page.comment(&format!("  {}", names.join(", ")), kind, None);
        }
        let more = all.len().saturating_sub(NAMES_PER_LINE.saturating_mul(max_lines));
        if more > 0 {
            self.page.comment(&format!("  and {more} more"), LineKind::More, None);
        }
        first.entry.write_among(self.perspective, &mut self.page, Detail::Origins);
        for group in alike {
            let (value, kind) = shown(self.perspective, group.entry, group.outcome);
            let (nodes, places) = (names(&[group]), places_of(group.entry));
            self.groups.push(NodeGroup { value, kind, nodes, is_outlier, places });
        }
    }
}

fn shown(perspective: &Perspective, entry: &Entry, outcome: &Outcome) -> (String, GroupKind) {
    match (outcome, &entry.answer.outcome) {
        (Outcome::Depends(..), _) => {
            (cases::depends_text(&entry.answer).unwrap_or_default(), GroupKind::Depends)
        }
        (Outcome::Failed(message), _) => {
            (perspective.shown_failure(message).into_owned(), GroupKind::Failed)
        }
        (Outcome::Value(_), Ok(Some(value))) => {
            let yaml = render::to_readable_yaml(&perspective.without_secrets(value));
            let yaml = yaml.strip_prefix("---").unwrap_or(&yaml).trim_start_matches([' ', '\n']);
            (yaml.to_owned(), GroupKind::Value)
        }
        _ => (String::new(), GroupKind::Missing),
    }
}

/// The places that have a part in the answer.
fn places_of(entry: &Entry) -> Vec<Place> {
    let counting = entry.answer.sources.iter().filter(|source| source.counts());
    counting.filter_map(Source::key_place).collect()
}
