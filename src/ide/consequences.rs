//! The effect of an edit on nodes: compares the values of a key before and after it, and describes the difference for a
//! title.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use super::changes::{counted, in_other_environment, nodes_where};
use super::edits::{FileChange, FileEdit};
use crate::config::Environment;
use crate::data::{Files as _, Located};
use crate::engine::cases::in_words;
use crate::engine::{Assumed, CancelToken, Condition, OtherNodes, Request, module_of_key};
use crate::facts::Node;
use crate::limits::MAX_ENVIRONMENTS_OF_FILE;
use crate::syntax::key_path::{self, KeyPath};
use crate::text::edit::apply_edits;
use crate::world::{AnswerChange, Difference, FleetPair, WayToFile, World};

/// The maximum number of nodes or cases that are named.
const MAX_NAMED: usize = 3;

/// The length in characters from which fewer of them are named: a title that does not fit in its menu is cut off.
const MAX_LENGTH: usize = 90;

/// The maximum number of files of which all ways to them are compared.
const MAX_FILES_WITH_WAYS: usize = 64;

/// The maximum number of results that are kept: the edits that one key offers, and those of a few keys before it.
const MAX_KNOWN: usize = 256;

/// Variables with their texts.
type Way = Vec<(Arc<str>, Arc<str>)>;

/// What edits change, the last one last. Editors ask for actions whenever the cursor rests, and again to show their titles.
#[derive(Default)]
struct KnownConsequences(Mutex<VecDeque<Known>>);

/// What some edits change in the answer to a request for these names with this default.
#[derive(Clone)]
struct Known {
    names: Vec<Arc<str>>,
    default: Option<Located>,
    edits: Vec<FileEdit>,
    said: Option<String>,
}

impl KnownConsequences {
    fn get(&self, request: &Request, edits: &[FileEdit]) -> Option<Known> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |it: &&Known| {
            it.names == request.names && it.default == request.default && it.edits == edits
        };
        known.iter().find(is_it).cloned()
    }

    fn add(&self, new: Known) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.push_back(new);
        if known.len() > MAX_KNOWN {
            known.pop_front();
        }
    }
}

/// What the edits change in the answer to `request`, and for which nodes: `removes the value for db01 and web02`, `changes the
/// value for nodes where role is db`. Other environments that read an edited file are compared, too. `None` if no answer changes, or
/// the request was cancelled.
pub(crate) fn consequences(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    request: &Request,
    edits: &[FileEdit],
    cancel: &CancelToken,
) -> Option<String> {
    let known = world.of_snapshot::<KnownConsequences>(environment);
    if let Some(found) = known.get(request, edits) {
        return found.said;
    }
    let after = world.as_if(&texts_after(world, edits)?);
    let request = Request { cancel: cancel.clone(), ..request.clone() };
    let comparison = Comparison { world, after: &after, request: &request, edits };
    let own = comparison.said_of(environment);
    let mut parts: Vec<String> = own.iter().cloned().collect();
    for other in other_environments(world, environment, edits) {
        let Some(said) = comparison.said_of(&other) else { continue };
        let label = world.environment_label(&other);
        parts.push(in_other_environment(&label, &said, own.as_deref()));
    }
    // After a cancellation, nothing is known.
    if cancel.is_cancelled() {
        return None;
    }
    let said = (!parts.is_empty()).then(|| parts.join("; "));
    known.add(Known {
        names: request.names,
        default: request.default,
        edits: edits.to_vec(),
        said: said.clone(),
    });
    said
}

/// The other environments that read one of the edited files.
fn other_environments(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    edits: &[FileEdit],
) -> Vec<Arc<Environment>> {
    let mut others: Vec<Arc<Environment>> = Vec::new();
    for other in edits.iter().flat_map(|edit| world.environments_with(&edit.path)) {
        let is_it = |it: &Arc<Environment>| it.directory() == other.directory();
        if !is_it(environment) && !others.iter().any(is_it) {
            others.push(other);
        }
    }
    others.truncate(MAX_ENVIRONMENTS_OF_FILE);
    others
}

/// What is compared.
struct Comparison<'a> {
    world: &'a Arc<World>,
    after: &'a Arc<World>,
    request: &'a Request,
    edits: &'a [FileEdit],
}

impl Comparison<'_> {
    /// What changes in an environment.
    fn said_of(&self, environment: &Arc<Environment>) -> Option<String> {
        let Self { world, after, request, edits } = self;
        let edited: Vec<Arc<str>> = edits.iter().map(|edit| edit.path.clone()).collect();
        let module = request.names.first().and_then(|key| module_of_key(key));
        let pair = world.beside_what_if(after, environment, &edited, module);
        let difference = pair.difference_of(request);
        let unlikely = unlikely_ways(world, environment, request, &edited);
        let fleet = Listed::of(&world.nodes(environment), &pair);
        let said = said(&pair, &difference, &fleet, &unlikely);
        // There can be too many cases to compare all of them.
        let not_all = (!difference.is_complete()).then(|| {
            let nodes = if fleet.count == 0 { "nodes" } else { fleet.others };
            format!("not all {nodes} are compared")
        });
        let not_computed = (!difference.is_computed())
            .then(|| "may change values that are not computed".to_owned());
        let parts: Vec<String> = said.into_iter().chain(not_computed).chain(not_all).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// The nodes that the user knows by their names.
struct Listed {
    count: usize,
    /// What the nodes are called that are not compared one by one.
    others: &'static str,
}

impl Listed {
    fn of(nodes: &[Arc<Node>], pair: &FleetPair) -> Self {
        let compared: HashSet<&Arc<str>> =
            pair.after().nodes().iter().map(|node| &node.name).collect();
        // Most nodes without fact sets are not compared one by one.
        let is_compared = |node: &Arc<Node>| node.is_complete() || compared.contains(&node.name);
        let are_all = nodes.iter().all(is_compared);
        Self { count: nodes.len(), others: if are_all { "unlisted nodes" } else { "other nodes" } }
    }
}

/// The conditions under which a template leads to a file that another template spells out more of: `os/Debian-12.yaml` belongs to
/// `os/%{facts.os.name}-%{facts.os.release.major}.yaml`, and hardly any node has a `facts.os.family` of that name. Titles do not name
/// such cases.
fn unlikely_ways(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    request: &Request,
    edited: &[Arc<str>],
) -> Vec<Way> {
    let key = request.names.first().and_then(|key| key_path::parse(key).ok());
    let root = key.as_ref().and_then(KeyPath::root_name);
    let (places, _) = root.map_or_else(Default::default, |root| {
        world.key_index(environment).first_places(root, MAX_FILES_WITH_WAYS)
    });
    let files: BTreeSet<&Arc<str>> = places.iter().map(|it| &it.path).chain(edited).collect();
    let mut unlikely = Vec::new();
    for path in files {
        let ways = world.ways_to_file(environment, path);
        // All of them spell out the same path, so one with shorter texts spells out more.
        let length =
            |way: &WayToFile| -> usize { way.conditions.iter().map(|it| it.1.len()).sum() };
        let least = ways.iter().map(length).min();
        unlikely.extend(ways.into_iter().filter(|way| Some(length(way)) > least));
    }
    unlikely.into_iter().map(|way| way.conditions).collect()
}

/// A case of other nodes: the number of its conditions, and its text. Simple cases come first.
type OtherCase = (usize, String);

/// What a change affects: nodes, by name, and cases of other nodes.
#[derive(Default, Clone)]
struct Who {
    nodes: Vec<Arc<str>>,
    others: Vec<OtherCase>,
    /// Cases that are only counted.
    unlikely: Vec<OtherCase>,
    /// The conditions of all cases.
    conditions: HashSet<Vec<Condition>>,
    /// The conditions that are not true of the rest of the other nodes, if the rest is affected.
    unless: Option<Vec<Vec<Condition>>>,
    /// Whether all other nodes are affected.
    is_any_other: bool,
}

fn said(
    pair: &FleetPair,
    difference: &Difference,
    fleet: &Listed,
    unlikely: &[Way],
) -> Option<String> {
    let (mut lost, mut gained, mut changed) = (Who::default(), Who::default(), Who::default());
    for change in &difference.changes {
        let who = match (&change.before.outcome, &change.after.outcome) {
            (Ok(Some(_)), Ok(None)) => &mut lost,
            (Ok(None), Ok(Some(_))) => &mut gained,
            _ => &mut changed,
        };
        who.add(pair, change, fleet, unlikely);
    }
    [&mut lost, &mut gained, &mut changed].into_iter().for_each(Who::join);
    let changes = [("removes", lost), ("adds", gained), ("changes", changed)];
    let said = |max_named| {
        let said = changes.iter().filter_map(|(verb, who)| {
            let who = who.clone().listed(fleet, max_named)?;
            Some(format!("{verb} the value {who}"))
        });
        said.collect::<Vec<_>>().join("; ")
    };
    let fits = |said: &String| said.chars().count() <= MAX_LENGTH;
    let said = (1..=MAX_NAMED).rev().map(said).find(fits).unwrap_or_else(|| said(0));
    (!said.is_empty()).then_some(said)
}

impl Who {
    fn add(&mut self, pair: &FleetPair, change: &AnswerChange, fleet: &Listed, unlikely: &[Way]) {
        let nodes = pair.after().nodes();
        self.nodes.extend(change.nodes.iter().map(|node| nodes[*node as usize].name.clone()));
        for others in &change.others {
            if others.conditions.is_empty() {
                self.unless = Some(others.unless.clone());
            } else if others.unless.is_empty() {
                self.conditions.insert(others.conditions.clone());
            }
            match nodes_where(others) {
                Some(nodes) if is_unlikely(others, unlikely) => {
                    self.unlikely.push((others.conditions.len(), nodes));
                }
                Some(nodes) => self.others.push((others.conditions.len(), nodes)),
                None if others.unless.is_empty() => {}
                None => {
                    let rest = with_exceptions(fleet.others, &others.unless);
                    self.others.push((usize::MAX, rest));
                }
            }
        }
    }

    /// Joins the cases if they are those of all other nodes: nodes where role is web, and other nodes unless role is web.
    fn join(&mut self) {
        let is_all =
            |unless: &Vec<Vec<Condition>>| unless.iter().all(|it| self.conditions.contains(it));
        if self.unless.as_ref().is_some_and(is_all) {
            self.is_any_other = true;
            self.others.clear();
            self.unlikely.clear();
        }
    }

    /// `for db01 and all unlisted nodes`, `for db01 and web02, for nodes where role is web, and in 2 more cases of unlisted nodes`;
    /// `None` if there are none. Conditions contain `and`, so each group then starts with a word of its own. At most `max_named`
    /// of several nodes and cases are named.
    fn listed(mut self, fleet: &Listed, max_named: usize) -> Option<String> {
        let all = fleet.count;
        self.nodes.sort_unstable();
        if self.is_any_other && self.nodes.len() == all {
            return Some("for every node".to_owned());
        }
        let nodes = if self.nodes.len() > max_named.max(1) {
            vec![format!("{} of {}", self.nodes.len(), counted(all, "node"))]
        } else {
            self.nodes.iter().map(ToString::to_string).collect()
        };
        // If there is nothing else to name, a case that hardly exists is named all the same.
        let is_only = nodes.is_empty() && self.others.is_empty();
        let counted_only = if is_only { 0 } else { self.unlikely.len() };
        if is_only {
            self.others.append(&mut self.unlikely);
        }
        // Most nodes without fact sets are in this one, so it is no case among others.
        let rest = self.others.iter().position(|(conditions, _)| *conditions == usize::MAX);
        let rest = rest.map(|at| self.others.remove(at).1);
        let room = max_named.saturating_sub(nodes.len()).max(max_named.min(1));
        let more = self.others.len().saturating_sub(room) + counted_only;
        self.others.sort_by_key(|(conditions, _)| *conditions);
        self.others.truncate(room);
        let mut others: Vec<String> = self.others.into_iter().map(|(_, text)| text).collect();
        others.extend(rest);
        others.extend(self.is_any_other.then(|| format!("all {}", fleet.others)));
        if more == 0 && !others.iter().any(|it| it.contains(" where ")) {
            let all = [nodes, others].concat();
            return (!all.is_empty()).then(|| format!("for {}", in_series(&all, "")));
        }
        // After the names of nodes, their cases could be meant.
        let of_others =
            if nodes.is_empty() { String::new() } else { format!(" of {}", fleet.others) };
        let case = if others.is_empty() { "case" } else { "more case" };
        let nodes = (!nodes.is_empty()).then(|| in_series(&nodes, ""));
        let groups = nodes.into_iter().chain(others).map(|it| format!("for {it}"));
        let mut groups: Vec<String> = groups.collect();
        groups.extend((more > 0).then(|| format!("in {}{of_others}", counted(more, case))));
        Some(in_series(&groups, ","))
    }
}

/// `unlisted nodes unless role is web`; several exceptions are only counted, because a title is short.
fn with_exceptions(nodes: &str, unless: &[Vec<Condition>]) -> String {
    match unless {
        [only] => format!("{nodes} unless {}", in_words(only)),
        several => format!("{nodes} (except in {} cases)", several.len()),
    }
}

fn is_unlikely(others: &OtherNodes, unlikely: &[Way]) -> bool {
    let holds = |(variable, text): &(Arc<str>, Arc<str>)| {
        let is_it = |it: &Condition| {
            it.variable == *variable && it.value == Assumed::Text(Arc::clone(text))
        };
        others.conditions.iter().any(is_it)
    };
    unlikely.iter().any(|way| way.iter().all(holds))
}

/// `a`, `a and b`, `a, b and c`; `comma` is written before the last `and` of several.
fn in_series(items: &[String], comma: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [one, other] => format!("{one} and {other}"),
        [first @ .., last] => format!("{}{comma} and {last}", first.join(", ")),
    }
}

/// The texts of the files after the edits; `None` if one cannot be read.
fn texts_after(world: &Arc<World>, edits: &[FileEdit]) -> Option<Vec<(Arc<str>, Arc<str>)>> {
    let text = |edit: &FileEdit| {
        let text = match &edit.change {
            FileChange::Create(text) => text.clone(),
            FileChange::Edit(edits) => apply_edits(&world.text(&edit.path).ok()?, edits),
        };
        Some((edit.path.clone(), Arc::from(text)))
    };
    edits.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::fixture::Fixture;
    use crate::text::{TextEdit, TextRange};

    #[test]
    fn what_edits_change_is_found_once_in_a_snapshot() {
        let fixture = Fixture::parse_without_marks(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n#- /data/common.yaml\na: 1\n",
        );
        let world = fixture.world();
        let path = fixture.files[1].world_path();
        let environment = world.environment_of(&path).expect("the file is in an environment");
        let said = |new_text: &str, cancel: &CancelToken| {
            let range = TextRange::new(3, 4);
            let edits = vec![TextEdit { range, new_text: new_text.to_owned() }];
            let edits = [FileEdit::new(&*path, edits)];
            consequences(&world, &environment, &Request::key("a"), &edits, cancel)
        };
        let cancelled = CancelToken::default();
        cancelled.cancel();
        assert_eq!(said("2", &cancelled), None);
        let found = said("2", &CancelToken::default());
        assert_eq!(found.as_deref(), Some("changes the value for every node"));
        assert_eq!(said("2", &cancelled), found);
        assert_eq!(said("3", &cancelled), None);
    }

    /// The error that stands for both values is the same.
    #[test]
    fn values_that_are_not_computed_may_change() {
        let fixture = Fixture::parse_without_marks(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n\
             #- /data/common.yaml\na: 1\nlookup_options: {a: {convert_to: URI}}\n",
        );
        let world = fixture.world();
        let path = fixture.files[1].world_path();
        let environment = world.environment_of(&path).expect("the file is in an environment");
        let edit = TextEdit::replace(TextRange::new(3, 4), "2");
        let edits = [FileEdit::new(&*path, vec![edit])];
        let cancel = CancelToken::default();
        let said = consequences(&world, &environment, &Request::key("a"), &edits, &cancel);
        assert_eq!(said.as_deref(), Some("may change values that are not computed"));
    }

    const FLEET: Listed = Listed { count: 5, others: "unlisted nodes" };

    #[track_caller]
    fn check(nodes: &[&str], others: &[&str], is_any_other: bool, expected: Option<&str>) {
        let who = Who {
            nodes: nodes.iter().map(|it| Arc::from(*it)).collect(),
            others: others.iter().map(|it| (1, it.to_string())).collect(),
            is_any_other,
            ..Who::default()
        };
        assert_eq!(who.listed(&FLEET, MAX_NAMED).as_deref(), expected);
    }

    #[test]
    fn fewer_nodes_and_cases_where_there_is_no_room() {
        let who = Who {
            nodes: ["a", "b"].map(Arc::from).to_vec(),
            others: ["nodes where x is 1", "nodes where y is 2"]
                .map(|it| (1, it.to_owned()))
                .into(),
            ..Who::default()
        };
        let listed =
            |who: &Who, max_named| who.clone().listed(&FLEET, max_named).unwrap_or_default();
        assert_eq!(
            listed(&who, 2),
            "for a and b, for nodes where x is 1, and in 1 more case of unlisted nodes"
        );
        assert_eq!(
            listed(&who, 1),
            "for 2 of 5 nodes, for nodes where x is 1, and in 1 more case of unlisted nodes"
        );
        assert_eq!(listed(&who, 0), "for 2 of 5 nodes and in 2 cases of unlisted nodes");
        let any = Who { is_any_other: true, ..who.clone() };
        assert_eq!(
            listed(&any, 0),
            "for 2 of 5 nodes, for all unlisted nodes, and in 2 more cases of unlisted nodes"
        );
        let rest = Who {
            others: [
                who.others[0].clone(),
                (usize::MAX, "unlisted nodes (except in 2 cases)".to_owned()),
            ]
            .into(),
            ..who.clone()
        };
        assert_eq!(
            listed(&rest, 0),
            "for 2 of 5 nodes, for unlisted nodes (except in 2 cases), and in 1 more case of unlisted nodes"
        );
        assert_eq!(listed(&Who { nodes: Vec::new(), ..who }, 0), "in 2 cases");
    }

    #[test]
    fn nodes_and_cases_in_words() {
        check(&[], &[], false, None);
        check(&["web01"], &[], false, Some("for web01"));
        check(&["b", "a", "c"], &[], false, Some("for a, b and c"));
        check(&["a", "b", "c", "d"], &[], false, Some("for 4 of 5 nodes"));
        check(&["a"], &[], true, Some("for a and all unlisted nodes"));
        let (web, oslo) = ("nodes where role is web", "some nodes where site is oslo");
        check(&["a", "b"], &[web], false, Some("for a and b and for nodes where role is web"));
        check(
            &["a"],
            &[web, oslo],
            false,
            Some("for a, for nodes where role is web, and for some nodes where site is oslo"),
        );
        check(
            &["a", "b", "c"],
            &[web, oslo],
            false,
            Some(
                "for a, b and c, for nodes where role is web, and in 1 more case of unlisted nodes",
            ),
        );
    }
}
