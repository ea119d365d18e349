//! The nodes that `lookup` and `diff` ask for at once: those of the workspace, or the files of a directory of fact sets.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use regex::Regex;

use super::input;
use super::place::Place;
use super::terminal::{complain, complain_once};
use super::workspace::{self, absolute};
use crate::backends::eyaml::Decryption;
use crate::config::Environment;
use crate::data::PathKind;
use crate::facts::{Node, NodeParts, formats};
use crate::world::{
    DiskReader as _, Fleet, NodeElsewhere, SampleNodes, World, fact_files_on_disk, loader, parallel,
};

/// The fact sets that `--facts` names, each a node. In a directory, a file with the facts of one node is the node of its name. The
/// nodes of a file with several have their own names.
pub(super) fn fact_sets(path: &Path) -> Result<Vec<(String, NodeParts)>, String> {
    let path = absolute(path)?;
    let mut sets: Vec<(String, NodeParts)> = Vec::new();
    if !Path::new(&path).is_dir() {
        sets.extend(read_facts(&path)?.into_iter().map(|parts| (path.clone(), parts)));
        return Ok(sets);
    }
    let mut files = fact_files_on_disk(&path);
    files.sort_unstable();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let read = parallel::map(&files, |file| read_facts(file));
    for (file, read) in files.into_iter().zip(read) {
        let mut nodes = read?;
        // The name of a file says nothing about several nodes.
        if let [only] = nodes.as_mut_slice() {
            name_after_file(only, &file);
        }
        for parts in nodes {
            let Some(known) = by_name.get(&parts.name) else {
                by_name.insert(parts.name.clone(), sets.len());
                sets.push((file.clone(), parts));
                continue;
            };
            let (other, there) = &mut sets[*known];
            if !formats::lay_beside(there, &parts) {
                let name = &parts.name;
                return Err(if *other == file {
                    format!("{file} has two fact sets for {name}")
                } else {
                    format!("{other} and {file} are both for {name}")
                });
            }
        }
    }
    if sets.is_empty() {
        return Err(format!("{path}: no files with facts in it"));
    }
    Ok(sets)
}

fn read_facts(path: &str) -> Result<Vec<NodeParts>, String> {
    if !Path::new(path).exists() {
        return Err(format!("{path}: no such file or directory"));
    }
    let bytes = loader::Disk.read(path).map_err(|error| format!("{path}: {error}"))?;
    let text = input::as_text(&path, bytes)?;
    let (mut nodes, problems) = formats::read(path, &text);
    for problem in &problems {
        complain(&format!("{path}: {}", problem.message));
    }
    if nodes.is_empty() && text.trim() == "{}" {
        // A node of which it is known that it has no facts.
        nodes.push(NodeParts::default());
    }
    if nodes.is_empty() {
        return Err(format!("{path}: no facts in it"));
    }
    Ok(nodes)
}

/// Whatever the facts say: the certname is the file's name.
fn name_after_file(parts: &mut NodeParts, file: &str) {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.clone_into(&mut parts.name);
    if let Some(trusted) = &mut parts.trusted {
        for member in ["certname", "hostname", "domain"] {
            // These are parts of the old name. They are derived from the new one.
            trusted.remove(&crate::data::Value::string(member));
        }
    }
}

/// The nodes that a user wants.
#[derive(Clone, Copy)]
pub(super) struct Selection<'a> {
    /// `--nodes`: names and globs; all nodes if there are none.
    pub(super) names: Option<&'a str>,
    /// `--facts`: there are no other nodes than these.
    pub(super) facts: Option<&'a [(String, NodeParts)]>,
    /// What happens to nodes that are in other environments of the workspace.
    pub(super) elsewhere: Elsewhere,
}

/// What happens to nodes that are in other environments of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Elsewhere {
    /// The user chose the environment, so a node with the exact name is asked about in it. Others are left out with a note.
    NamedHere,
    /// The user did not choose it, so an exact name of such a node is an error. Others are left out with a note.
    Refused,
    /// The command asks about each environment in turn, so they are left out.
    Later,
}

impl Selection<'_> {
    /// The environment that all nodes are in which the user lists by their exact names, if that is not `environment`.
    pub(super) fn other_environment(
        &self,
        world: &World,
        environment: &Arc<Environment>,
    ) -> Option<Arc<Environment>> {
        let elsewhere = |found: &SampleNodes| {
            let mut named = parts_of_list(self.names?).map(|name| {
                let node = found.elsewhere.iter().find(|it| *it.name == *name);
                let said = node.map(|it| Arc::clone(&it.environment));
                let is_given = self.facts.is_some();
                let only = || world.only_other_environment_with_node(environment, name);
                said.or_else(|| if is_given { None } else { only() })
            });
            let first = named.next()??;
            let is_first = |it: Option<Arc<Environment>>| {
                it.is_some_and(|other| other.directory() == first.directory())
            };
            named.all(is_first).then_some(first)
        };
        match self.facts {
            // Most users list no nodes, and thousands of fact sets take long.
            _ if self.names.is_none_or(|it| it == "all" || it.contains(['*', '?'])) => None,
            Some(sets) => elsewhere(&world.nodes_of_fact_sets(environment, sets)),
            None => elsewhere(&world.sample_nodes(environment)),
        }
    }
}

/// The names and globs in a list.
fn parts_of_list(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|it| !it.is_empty())
}

/// Says which nodes are left out, because they are in other environments.
pub(super) fn note_of_others(world: &World, elsewhere: &[NodeElsewhere]) {
    if let Some(places) = places_of(world, elsewhere) {
        complain(&format!(
            "note: nodes of other environments are left out ({places}); --environment chooses another"
        ));
    }
}

/// `2 in dev, 1 in test`.
fn places_of(world: &World, elsewhere: &[NodeElsewhere]) -> Option<String> {
    let mut counts: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for node in elsewhere {
        *counts.entry(world.environment_label(&node.environment)).or_default() += 1;
    }
    let shown: Vec<_> = counts.iter().map(|(label, count)| format!("{count} in {label}")).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}

/// The nodes of the environment that a user wants, sorted by name. Others are left out with a note.
pub(super) fn nodes(place: &Place, wanted: Selection<'_>) -> Result<Vec<Arc<Node>>, String> {
    let Place { world, environment } = place;
    if wanted.facts.is_none() {
        workspace::complain_of_setup(world, environment);
    }
    let (found, left_out) = nodes_and_others(place, wanted)?;
    if wanted.elsewhere == Elsewhere::Later {
        return Ok(found);
    }
    let are_listed = wanted.names.is_some() || wanted.facts.is_some();
    if let (true, Some(places)) = (are_listed && found.is_empty(), places_of(world, &left_out)) {
        let option = wanted.names.map_or(String::new(), |names| format!("--nodes {names}: "));
        return Err(format!(
            "{option}all nodes are in other environments: {places}; --environment chooses one"
        ));
    }
    note_of_others(world, &left_out);
    Ok(found)
}

/// The nodes of the environment that a user wants, sorted by name, and those that are left out because they are in other ones.
pub(super) fn nodes_and_others(
    place: &Place,
    wanted: Selection<'_>,
) -> Result<(Vec<Arc<Node>>, Vec<NodeElsewhere>), String> {
    let Place { world, environment } = place;
    let (mut nodes, mut left_out) = if let Some(sets) = wanted.facts {
        let found = world.nodes_of_fact_sets(environment, sets);
        (found.nodes.to_vec(), found.elsewhere)
    } else {
        let found = world.sample_nodes(environment);
        (found.nodes.to_vec(), found.elsewhere.clone())
    };
    if let Some(names) = wanted.names {
        (nodes, left_out) = chosen(place, (&nodes, &left_out), names, wanted)?;
    }
    for node in &mut nodes {
        *node = node.in_environment(environment);
    }
    nodes.sort_by(|one, other| one.name.cmp(&other.name));
    Ok((nodes, left_out))
}

/// The nodes that a list of names and globs means, among those of the environment and those elsewhere. A name without a fact
/// set is a node, too.
fn chosen(
    place: &Place,
    (nodes, elsewhere): (&[Arc<Node>], &[NodeElsewhere]),
    names: &str,
    wanted: Selection<'_>,
) -> Result<(Vec<Arc<Node>>, Vec<NodeElsewhere>), String> {
    let Place { world, environment } = place;
    let mut found: Vec<Arc<Node>> = Vec::new();
    let mut left_out: Vec<NodeElsewhere> = Vec::new();
    let mut known: HashSet<Arc<str>> = HashSet::new();
    for pattern in parts_of_list(names) {
        let before = (found.len(), left_out.len());
        let glob = if pattern == "all" { None } else { Some(glob(pattern)?) };
        let fits = |name: &str| glob.as_ref().is_none_or(|glob| glob.is_match(name));
        let mut is_known = false;
        for node in nodes.iter().filter(|node| fits(&node.name)) {
            is_known = true;
            if known.insert(Arc::clone(&node.name)) {
                found.push(Arc::clone(node));
            }
        }
        let is_name = pattern != "all" && !pattern.contains(['*', '?']);
        let there: Vec<_> = elsewhere.iter().filter(|node| fits(&node.name)).cloned().collect();
        let is_open = is_name && !is_known && there.is_empty() && wanted.facts.is_none();
        let only_there = || {
            let other = world.only_other_environment_with_node(environment, pattern)?;
            Some(NodeElsewhere { name: pattern.into(), environment: other })
        };
        let is_chosen = wanted.elsewhere == Elsewhere::NamedHere;
        let only_there = (is_open && !is_chosen).then(only_there).flatten();
        for node in there.into_iter().chain(only_there) {
            is_known = true;
            if !known.insert(Arc::clone(&node.name)) {
                continue;
            }
            match wanted.elsewhere {
                Elsewhere::NamedHere if is_name => found.push(named_here(place, pattern, wanted)),
                Elsewhere::Refused if is_name => {
                    let label = world.environment_label(&node.environment);
                    return Err(format!(
                        "--nodes {pattern}: this node is in the environment {label}; --environment chooses one for all nodes"
                    ));
                }
                _ => left_out.push(node),
            }
        }
        // A machine of which nothing is known can be named as well, unless --facts lists all of them.
        if !is_known && is_name && wanted.facts.is_none() {
            if known.insert(pattern.into()) {
                note_unknown(pattern);
                found.push(world.node_named(environment, pattern));
            }
        } else if !is_known && (found.len(), left_out.len()) == before {
            return Err(match (pattern, nodes.len()) {
                ("all", _) => {
                    "there are no nodes: no fact sets, and no data files that are named after \
                               machines; --facts DIR names some"
                        .to_owned()
                }
                (_, 0 | 1) => format!("--nodes {pattern}: no node has such a name"),
                (_, count) => {
                    format!("--nodes {pattern}: none of the {count} nodes has such a name")
                }
            });
        }
    }
    if found.is_empty() && left_out.is_empty() {
        return Err("--nodes: the list is empty; write `all`, or names".to_owned());
    }
    Ok((found, left_out))
}

/// Says that nothing is known of a node. Several environments, and both sides of a comparison, may have no such node.
pub(super) fn note_unknown(name: &str) {
    complain_once(&format!("note: {name} is not a known node; only its name is used"));
}

/// A node of another environment as a node of this one.
fn named_here(place: &Place, name: &str, wanted: Selection<'_>) -> Arc<Node> {
    let Place { world, environment } = place;
    let set = wanted.facts.and_then(|sets| sets.iter().find(|(_, parts)| parts.name == name));
    let of_set =
        set.and_then(|set| world.node_of_fact_set(environment, set.clone(), &NodeParts::default()));
    of_set.unwrap_or_else(|| world.node_named(environment, name))
}

/// `*` stands for any characters, `?` for one.
fn glob(pattern: &str) -> Result<Regex, String> {
    // The pattern is escaped as a whole first, so only its `*` and `?` have a meaning.
    let text = regex::escape(pattern).replace("\\*", ".*").replace("\\?", ".");
    Regex::new(&format!("^(?s:{text})$")).map_err(|error| format!("--nodes {pattern}: {error}"))
}

/// The nodes as a fleet, with encrypted values as `decryption` says.
pub(super) fn fleet_of(place: &Place, nodes: Vec<Arc<Node>>, decryption: Decryption) -> Fleet {
    let back_ends = place.world.back_ends().with_eyaml(place.world.eyaml(decryption));
    Fleet::new(&place.world, &place.environment, nodes.into(), Arc::new(back_ends))
}

/// Whether `--facts` names a directory, whose files have the nodes.
pub(super) fn is_directory(path: &Path) -> bool {
    absolute(path).is_ok_and(|path| loader::Disk.kind(&path) == PathKind::Directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_globs() {
        let check = |pattern: &str, name: &str, expected: bool| {
            let glob = glob(pattern).expect("a pattern");
            assert_eq!(glob.is_match(name), expected, "{pattern} {name}");
        };
        check("web*", "web01.example.com", true);
        check("web*", "aweb01", false);
        check("web0?.example.com", "web01.example.com", true);
        check("web01.example.com", "web01xexample.com", false);
        check("*", "", true);
    }

    #[test]
    fn the_nodes_of_a_file_with_several_have_their_own_names() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let write = |name: &str, text: &str| {
            std::fs::write(directory.path().join(name), text).expect("a file");
        };
        let row = |node: &str| format!(r#"{{"certname":"{node}","name":"role","value":"web"}}"#);
        write("export.json", &format!("[{},{}]", row("one"), row("two")));
        write("single.json", &format!("[{}]", row("other")));
        let sets = fact_sets(directory.path()).expect("three fact sets");
        let names: Vec<_> = sets.iter().map(|(_, parts)| parts.name.as_str()).collect();
        assert_eq!(names, ["one", "two", "single"]);
        write("two.yaml", "role: db\n");
        let problem = fact_sets(directory.path()).expect_err("two files for one node");
        assert!(problem.ends_with("are both for two"), "{problem}");
        write("a.yaml", r#"[{"values": {"x": 1}}, {"values": {"x": 2}}]"#);
        let problem = fact_sets(directory.path()).expect_err("two nodes without names");
        assert!(problem.ends_with("a.yaml has two fact sets for a"), "{problem}");
    }

    #[test]
    fn a_fact_set_goes_by_the_name_of_its_file() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let write = |name: &str, text: &str| {
            std::fs::write(directory.path().join(name), text).expect("a file");
        };
        write("one.example.com.json", r#"{"clientcert": "other", "role": "web"}"#);
        write("two.yaml", "role: db\n");
        write("README.md", "nothing\n");
        let sets = fact_sets(directory.path()).expect("two fact sets");
        let names: Vec<_> = sets.iter().map(|(_, parts)| parts.name.as_str()).collect();
        assert_eq!(names, ["one.example.com", "two"]);
        std::fs::create_dir(directory.path().join("enc")).expect("a directory");
        write("enc/two.yaml", "classes: [db]\n");
        let sets = fact_sets(directory.path()).expect("a classifier's output beside the facts");
        assert_eq!(sets.len(), 2);
        let two = &sets.iter().find(|(_, parts)| parts.name == "two").expect("a node").1;
        assert!(two.classes.is_some() && two.facts.get("role").is_some());
        write("enc/two.yaml", "role: db\n");
        write("two.json", "{}");
        let problem = fact_sets(directory.path()).expect_err("two files for one node");
        assert!(problem.ends_with("are both for two"), "{problem}");
        write("two.json", "[");
        assert!(fact_sets(directory.path()).is_err());
    }
}
