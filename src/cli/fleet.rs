//! The nodes that `lookup` and `diff` ask for at once: those of the workspace, or the files of a directory of fact sets.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use regex::Regex;

use super::place::Place;
use super::terminal::complain;
use super::workspace::{self, absolute};
use crate::backends::eyaml::Decryption;
use crate::data::{DirItem, PathKind};
use crate::facts::{Node, NodeParts, formats};
use crate::world::{DiskReader as _, Fleet, loader, parallel};

/// How deep below a directory fact sets are looked for.
const MAX_DEPTH: usize = 4;

/// Extensions of files that are taken for fact sets.
const FACTS_EXTENSIONS: [&str; 4] = ["json", "yaml", "yml", "facts"];

/// The fact sets that `--facts` names, each a node. Of a directory, each file is the node of its name; a file holds one node
/// or several.
pub(super) fn fact_sets(path: &Path) -> Result<Vec<(String, NodeParts)>, String> {
    let path = absolute(path)?;
    let mut sets: Vec<(String, NodeParts)> = Vec::new();
    if !Path::new(&path).is_dir() {
        sets.extend(read_facts(&path)?.into_iter().map(|parts| (path.clone(), parts)));
        return Ok(sets);
    }
    let mut files = Vec::new();
    collect_files(&path, MAX_DEPTH, &mut files);
    files.sort_unstable();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let read = parallel::map(&files, |file| read_facts(file));
    for (file, read) in files.into_iter().zip(read) {
        // In a directory, each file is one node, whose name is that of the file.
        let Some(mut parts) = read?.into_iter().next() else { continue };
        name_after_file(&mut parts, &file);
        let Some(known) = by_name.get(&parts.name) else {
            by_name.insert(parts.name.clone(), sets.len());
            sets.push((file, parts));
            continue;
        };
        let (other, there) = &mut sets[*known];
        if !formats::lay_beside(there, &parts) {
            return Err(format!("{other} and {file} are both for {}", parts.name));
        }
    }
    if sets.is_empty() {
        return Err(format!("{path}: no files with facts in it"));
    }
    Ok(sets)
}

fn collect_files(directory: &str, depth: usize, files: &mut Vec<String>) {
    let mut items: Vec<DirItem> = loader::Disk.list(directory).unwrap_or_default();
    items.sort();
    for item in items {
        let path = format!("{directory}/{}", item.name);
        let is_hidden = item.name.starts_with('.');
        if item.is_directory {
            // A link may lead back to a directory above it.
            if depth > 1 && !item.is_link && !is_hidden {
                collect_files(&path, depth - 1, files);
            }
        } else if !is_hidden && extension_of_facts(&item.name).is_some() {
            files.push(path);
        }
    }
}

fn extension_of_facts(name: &str) -> Option<&'static str> {
    let (_, extension) = name.rsplit_once('.')?;
    FACTS_EXTENSIONS.into_iter().find(|it| *it == extension)
}

fn read_facts(path: &str) -> Result<Vec<NodeParts>, String> {
    if !Path::new(path).exists() {
        return Err(format!("{path}: no such file or directory"));
    }
    let bytes = loader::Disk.read(path).map_err(|error| format!("{path}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{path}: not UTF-8"))?;
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

/// The nodes that `--nodes` and `--facts` name, sorted by name.
pub(super) fn nodes(
    place: &Place,
    wanted: Option<&str>,
    facts: Option<&[(String, NodeParts)]>,
) -> Result<Vec<Arc<Node>>, String> {
    let environment = &place.environment;
    let mut nodes: Vec<Arc<Node>> = if let Some(sets) = facts {
        place.world.nodes_of_fact_sets(environment, sets)
    } else {
        workspace::complain_of_nodes(&place.world, environment);
        place.world.nodes(environment).to_vec()
    };
    if let Some(wanted) = wanted {
        nodes = chosen(place, &nodes, wanted, facts.is_some())?;
    }
    for node in &mut nodes {
        *node = node.in_environment(environment);
    }
    nodes.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(nodes)
}

/// The nodes that a list of names and globs means. A name without a fact set is a node, too.
fn chosen(
    place: &Place,
    nodes: &[Arc<Node>],
    wanted: &str,
    is_only_these: bool,
) -> Result<Vec<Arc<Node>>, String> {
    let mut found: Vec<Arc<Node>> = Vec::new();
    let mut names: HashSet<Arc<str>> = HashSet::new();
    for pattern in wanted.split(',').map(str::trim).filter(|it| !it.is_empty()) {
        let before = found.len();
        let fits: Vec<&Arc<Node>> = if pattern == "all" {
            nodes.iter().collect()
        } else {
            let glob = glob(pattern)?;
            nodes.iter().filter(|node| glob.is_match(&node.name)).collect()
        };
        let is_known = !fits.is_empty();
        for node in fits {
            if names.insert(Arc::clone(&node.name)) {
                found.push(Arc::clone(node));
            }
        }
        let is_name = pattern != "all" && !pattern.contains(['*', '?']);
        // A machine of which nothing is known can be named as well, unless --facts lists all of them.
        if !is_known && is_name && !is_only_these {
            if names.insert(pattern.into()) {
                complain(&format!("note: {pattern} is not a known node; only its name is used"));
                found.push(place.world.node_named(&place.environment, pattern));
            }
        } else if !is_known && found.len() == before {
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
    if found.is_empty() {
        return Err("--nodes: the list is empty; write `all`, or names".to_owned());
    }
    Ok(found)
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

/// Whether `--facts` names a directory: every file of it is a node.
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
