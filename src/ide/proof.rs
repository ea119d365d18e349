//! Proves that edits change no value: for the nodes with fact sets, and for all cases of any other node that reads the edited
//! file. Nodes that do not read the file are not affected. A lookup that failed before may succeed now.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::config::Environment;
use crate::data::Files as _;
use crate::facts::Node;
use crate::ide::changes::nodes_where;
use crate::ide::file_role::FileRole;
use crate::syntax::key_path;
use crate::world::{AnswerChange, Difference, Fleet, FleetPair, World, parallel};

/// The number of keys that are compared between two checks for a difference.
const KEYS_AT_ONCE: usize = 64;

/// Why an edit of the file at `path` is not proved to change nothing, as a sentence; `None` if it is proved.
pub fn refutation(before: &Arc<World>, after: &Arc<World>, path: &str) -> Option<String> {
    // Many edits change only the notation, which this shows without a lookup.
    if holds_the_same(before, after, path) {
        return None;
    }
    let is_data = FileRole::of(before, path).is_some_and(|role| role.is_data());
    let readers_of = if is_data { before.environments_with(path) } else { Vec::new() };
    if !readers_of.is_empty() {
        return readers_of.iter().find_map(|environment| {
            let nodes = readers(environment, before, path);
            refutation_for(environment, (before, after), &nodes, None)
        });
    }
    let environments = before.environments();
    environments.iter().find_map(|environment| {
        let any = before.any_node(environment);
        let nodes = before.nodes(environment);
        refutation_for(environment, (before, after), &nodes, Some((Arc::clone(&any), any)))
    })
}

/// The nodes that may read a data file: the completely known ones, and any node that reads it.
fn readers(environment: &Arc<Environment>, world: &Arc<World>, path: &str) -> Arc<[Arc<Node>]> {
    let nodes = world.nodes(environment);
    let mut readers: Vec<Arc<Node>> = nodes.iter().filter(|it| it.is_complete()).cloned().collect();
    let view = world.view_of_file(environment, path);
    // A node with open variables stands for the nodes that are not completely known.
    if !view.is_complete() {
        readers.push(view);
    }
    readers.into()
}

fn refutation_for(
    environment: &Arc<Environment>,
    (before, after): (&Arc<World>, &Arc<World>),
    nodes: &Arc<[Arc<Node>]>,
    any: Option<(Arc<Node>, Arc<Node>)>,
) -> Option<String> {
    let later = after.environments();
    let later = later.iter().find(|it| it.directory() == environment.directory())?;
    let fleet = |world: &Arc<World>, environment: &Arc<Environment>| {
        Fleet::new(world, environment, Arc::clone(nodes), world.back_ends().clone())
    };
    let pair = FleetPair::new(fleet(before, environment), fleet(after, later), any);
    let keys: BTreeSet<Arc<str>> = pair.affected().unwrap_or_else(|| {
        let keys = |world: &Arc<World>, it: &Arc<Environment>| world.key_index(it).keys();
        let both = keys(before, environment).into_iter().chain(keys(after, later));
        both.map(|root| key_path::of_root(&root)).collect()
    });
    let keys: Vec<Arc<str>> = keys.into_iter().collect();
    // The keys are compared in parts, so that the first difference ends the search early.
    for part in keys.chunks(KEYS_AT_ONCE) {
        let found = parallel::map(part, |key| pair.difference(key));
        let refuted = part.iter().zip(&found).find_map(|(key, it)| refuted(&pair, key, it));
        if refuted.is_some() {
            return refuted;
        }
    }
    None
}

fn refuted(pair: &FleetPair, key: &str, difference: &Difference) -> Option<String> {
    // A lookup that failed before has no value that could change.
    let had_value = |change: &&AnswerChange| {
        change.before.each_case().iter().any(|(_, case)| case.outcome.is_ok())
    };
    let change = difference.changes.iter().find(had_value);
    if let Some(change) = change {
        return Some(format!("the value of `{key}` would change for {}", who(pair, change)));
    }
    // Levels that cannot be evaluated here keep their values; but if there are too many cases, they are not compared, and what
    // cannot be computed may be another value.
    let is_unclear = !(difference.is_complete() && difference.is_computed());
    is_unclear.then(|| format!("it is not known for all nodes that `{key}` keeps its value"))
}

fn who(pair: &FleetPair, change: &AnswerChange) -> String {
    let first = change.nodes.first().map(|node| &pair.after().nodes()[*node as usize].name);
    match first {
        Some(name) => name.to_string(),
        None => {
            change.others.first().and_then(nodes_where).unwrap_or_else(|| "other nodes".to_owned())
        }
    }
}

/// Whether a data file contains the same values in the same order, whatever their spelling.
fn holds_the_same(before: &Arc<World>, after: &Arc<World>, path: &str) -> bool {
    let Some(FileRole::Data { format, .. }) = FileRole::of(before, path) else { return false };
    let (Ok(one), Ok(other)) = (before.data(path, format), after.data(path, format)) else {
        return false;
    };
    let entries = || one.entries().zip(other.entries());
    !one.is_broken()
        && !other.is_broken()
        && one.entries().count() == other.entries().count()
        && entries().all(|(one, other)| one.key == other.key && one.value == other.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Change, Host, MemoryDisk};

    #[track_caller]
    fn check(files: &[(&str, &str)], path: &str, text: &str, expected: Option<&str>) {
        let mut host = Host::new(Arc::new(MemoryDisk::new(files.iter().copied())));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let before = host.snapshot();
        let after = before.as_if(&[(path.into(), text.into())]);
        assert_eq!(refutation(&before, &after, path).as_deref(), expected);
    }

    const HIERA_YAML: (&str, &str) = (
        "/r/hiera.yaml",
        "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
         - {name: r, path: 'roles/%{facts.role}.yaml'}\n- {name: c, path: common.yaml}\n",
    );

    #[test]
    fn what_means_the_same_is_proved() {
        let files = [HIERA_YAML, ("/r/data/common.yaml", "a: yes\nb: 1\n")];
        check(&files, "/r/data/common.yaml", "a: true\nb:   1\n", None);
        check(
            &files,
            "/r/data/common.yaml",
            "a: yes\n",
            Some("the value of `b` would change for any node"),
        );
    }

    #[test]
    fn a_value_of_a_level_between_refutes_it() {
        let (node, common) = ("/r/data/nodes/one.yaml", "/r/data/common.yaml");
        let files = [HIERA_YAML, (node, "a: 1\nb: 1\n"), (common, "a: 1\nb: 1\n")];
        check(&files, node, "b: 1\n", None);
        let with_role = [&files[..], &[("/r/data/roles/web.yaml", "a: 2\n")]].concat();
        check(&with_role, node, "b: 1\n", Some("the value of `a` would change for one"));
        check(&with_role, node, "a: 1\n", None);
    }

    #[test]
    fn another_hierarchy_refutes_it() {
        let (config, common) = (HIERA_YAML.1, "/r/data/common.yaml");
        let files = [HIERA_YAML, (common, "a: 1\n"), ("/r/data/other.yaml", "a: 2\n")];
        let edited = config.replace("common.yaml", "other.yaml");
        let expected = "the value of `a` would change for other nodes";
        check(&files, HIERA_YAML.0, &edited, Some(expected));
        check(&files, HIERA_YAML.0, &config.replace("name: c", "name: common"), None);
    }

    /// Which items of the list are equal is not known, but the same items come together as before.
    #[test]
    fn texts_that_decide_refute_only_what_reads_other_data() {
        let config = |levels: &[&str]| {
            let levels: Vec<String> = levels
                .iter()
                .map(|it| format!("{{name: {it}, path: {}.yaml}}", &it[..1]))
                .collect();
            format!("version: 5\nhierarchy: [{}]\n", levels.join(", "))
        };
        let before = config(&["x", "y"]);
        let files = [
            ("/r/hiera.yaml", &*before),
            ("/r/data/x.yaml", "lookup_options: {a: {merge: unique}}\na: ['%{x}', b]\n"),
            ("/r/data/y.yaml", "a: [c, '%{y}']\n"),
            ("/r/data/z.yaml", "a: [b]\n"),
        ];
        check(&files, "/r/hiera.yaml", &config(&["x1", "y"]), None);
        let unclear = Some("it is not known for all nodes that `a` keeps its value");
        check(&files, "/r/hiera.yaml", &config(&["x", "y", "z"]), unclear);
        let other = Some("the value of `a` would change for other nodes");
        check(&files, "/r/hiera.yaml", &config(&["y", "x"]), other);
    }

    #[test]
    fn what_is_not_computed_refutes_it() {
        let common = "lookup_options: {a: {convert_to: URI}}\na: 'http://x'\nb: 1\n";
        let path = "/r/data/common.yaml";
        let files = [HIERA_YAML, (path, common)];
        let unclear = Some("it is not known for all nodes that `a` keeps its value");
        check(&files, path, &common.replace("//x", "//y"), unclear);
        let other = Some("the value of `b` would change for any node");
        check(&files, path, &common.replace("b: 1", "b: 2"), other);
    }

    #[test]
    fn what_failed_may_succeed() {
        let files = [HIERA_YAML, ("/r/data/common.yaml", "a: !ruby/regexp /^a/\nb: 1\n")];
        check(&files, "/r/data/common.yaml", "a: /^a/\nb: 1\n", None);
    }
}
