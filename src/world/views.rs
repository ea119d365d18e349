//! Views: which node is used if no node is chosen. For a file, this is any node that reads the file.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::indexes::key_of;
use super::nodes::{known_text, known_texts, of_all_nodes};
use super::paths;
use super::snapshot::World;
use crate::config::Environment;
use crate::data::Value;
use crate::engine::cases::in_words;
use crate::engine::{Assumed, Condition};
use crate::facts::infer::CERTNAMES;
use crate::facts::mapped::{is_member, without_member};
use crate::facts::open_path::Fit;
use crate::facts::variable::may_contain_slash;
use crate::facts::{Basis, Node, NodeParts, Origin, Proved, TextsOfWay, formats, proved_by_name};

/// The name of a node of which nothing is known.
const ANY_NODE: &str = "any node";

/// With more ways to a file, a name that tells all of them would be hard to read.
const MAX_WAYS: usize = 4;

/// A variable and its text.
type Known = (Arc<str>, Arc<str>);

/// A template that leads to a file, and the conditions under which it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayToFile {
    /// The level's name.
    pub level: Arc<str>,
    /// The module whose hiera.yaml has the level.
    pub module: Option<Arc<str>>,
    /// The variables with their texts; an empty text may mean that the variable is not set.
    pub conditions: Vec<(Arc<str>, Arc<str>)>,
    /// The names of these variables as the template has them.
    pub names: Vec<Arc<str>>,
    /// Whether other texts may lead to the file as well.
    pub is_obscure: bool,
}

impl WayToFile {
    /// The conditions in words; `None` if every node reads the file.
    pub fn in_words(&self) -> Option<String> {
        let conditions = self.names.iter().zip(&self.conditions);
        let conditions: Vec<Condition> = conditions
            .map(|(name, (_, text))| Condition {
                variable: Arc::clone(name),
                value: Assumed::Text(Arc::clone(text)),
            })
            .collect();
        (!conditions.is_empty()).then(|| in_words(&conditions))
    }
}

/// A template that can lead to a file for texts that hiera-ls does not search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnclearWay {
    /// The level's name.
    pub level: Arc<str>,
    /// The module whose hiera.yaml has the level.
    pub module: Option<Arc<str>>,
    /// The variables of the template that are not known.
    pub variables: Vec<Arc<str>>,
    /// Their names as the template has them.
    pub names: Vec<Arc<str>>,
    /// Whether lookups consider the template, as one whose files may matter. Otherwise, it leads to the file only if the text
    /// of a variable contains a slash.
    pub is_obscure: bool,
}

impl World {
    /// The ways in which hierarchies lead to the file at `path`, in their order.
    pub fn ways_to_file(&self, environment: &Arc<Environment>, path: &str) -> Vec<WayToFile> {
        let of_all = known_texts(&self.settings, environment);
        let path: Arc<str> = path.into();
        let mut ways: Vec<WayToFile> = Vec::new();
        let reach = self.reach(environment);
        for place in reach.places_of(&path) {
            let name = |(variable, _): &Known| {
                let name = place.template().name_in_template(variable);
                name.unwrap_or_else(|| Arc::clone(variable))
            };
            let way = |conditions: Vec<Known>, is_obscure| WayToFile {
                level: Arc::clone(&place.level),
                module: place.module.clone(),
                names: conditions.iter().map(name).collect(),
                conditions,
                is_obscure,
            };
            let open = place.template().open_path(&of_all);
            let Some(open) = open.map(|it| reach.in_hierarchy(place, environment, it, &path))
            else {
                // A template without open variables leads to the file for every node.
                ways.push(way(Vec::new(), false));
                continue;
            };
            let is_obscure = open.is_obscure();
            let fits = open.fits_among([&path].into_iter());
            ways.extend(fits.into_iter().flatten().map(|fit| way(fit.texts, is_obscure)));
        }
        ways.dedup();
        ways
    }

    /// Which nodes read the file at `path`: `role is web, or where team is web`. `None` if every node reads it, or no way to it is
    /// known.
    pub fn readers_in_words(&self, environment: &Arc<Environment>, path: &str) -> Option<String> {
        let ways = self.ways_to_file(environment, path);
        // `location is common and role is web, or where role is web` says no more than its second part.
        let is_within_another = |way: &WayToFile| {
            let contains_it = |other: &WayToFile| {
                other.module == way.module
                    && other.conditions.len() < way.conditions.len()
                    && other.conditions.iter().all(|it| way.conditions.contains(it))
            };
            ways.iter().any(contains_it)
        };
        let outermost = ways.iter().filter(|way| !is_within_another(way));
        let ways: Option<Vec<String>> = outermost.map(WayToFile::in_words).collect();
        ways.filter(|it| !it.is_empty()).map(|it| it.join(", or where "))
    }

    /// The modules in whose layers some template may lead to the file at `path`; `None` for the other layers. Each once.
    pub fn layers_of_file(
        &self,
        environment: &Arc<Environment>,
        path: &str,
    ) -> BTreeSet<Option<Arc<str>>> {
        let path: Arc<str> = path.into();
        let reach = self.reach(environment);
        reach.places_of(&path).map(|place| place.module.clone()).collect()
    }

    /// The templates that can lead to the file at `path` in other ways than those of [`Self::ways_to_file`].
    pub fn unclear_ways_to_file(
        &self,
        environment: &Arc<Environment>,
        path: &str,
    ) -> Vec<UnclearWay> {
        let of_all = known_texts(&self.settings, environment);
        let path: Arc<str> = path.into();
        let mut ways: Vec<UnclearWay> = Vec::new();
        let reach = self.reach(environment);
        for place in reach.places_of(&path) {
            let Some(open) = place.template().open_path(&of_all) else { continue };
            let open = reach.in_hierarchy(place, environment, open, &path);
            let fits = open.fits_among([&path].into_iter());
            if fits.as_ref().is_none_or(Vec::is_empty) {
                let list = |name: &Arc<str>| Arc::from(without_member(name));
                let name = |variable: &Arc<str>| {
                    let name = place.template().name_in_template(variable);
                    list(name.as_ref().unwrap_or(variable))
                };
                let is_obscure = open.is_obscure() || fits.is_none();
                if !is_obscure && !open.may_lead_by_slashes_to(&path) {
                    continue;
                }
                let decides = |name: &&Arc<str>| is_obscure || may_contain_slash(name);
                let variables = open.variables();
                let variables: Vec<&Arc<str>> = variables.iter().filter(decides).collect();
                let way = UnclearWay {
                    level: Arc::clone(&place.level),
                    module: place.module.clone(),
                    names: variables.iter().copied().map(name).collect(),
                    variables: variables.iter().copied().map(list).collect(),
                    is_obscure,
                };
                if !variables.is_empty() && !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
        ways
    }

    /// Any node of the environment: nothing is known about it except what the settings say about all nodes.
    pub fn any_node(&self, environment: &Environment) -> Arc<Node> {
        self.view(environment, &[])
    }

    /// Any node of the environment of which these parts are known.
    pub fn any_node_with(&self, environment: &Environment, given: &NodeParts) -> Arc<Node> {
        if given.is_only_name() {
            return self.any_node(environment);
        }
        Arc::new(self.new_view(environment, ANY_NODE, &[], given))
    }

    /// The node for results about the file at `path`: the chosen one, or else any node that reads the file. The variables in
    /// the path are known for such nodes, everything else is open.
    pub fn node_of_file(self: &Arc<Self>, environment: &Arc<Environment>, path: &str) -> Arc<Node> {
        self.chosen_node(environment).unwrap_or_else(|| self.view_of_file(environment, path))
    }

    /// The environment for which the file at `path` is shown: its own, unless several environments share the file and only
    /// another one of them has the chosen node.
    pub fn environment_shown(&self, path: &str) -> Option<Arc<Environment>> {
        let mut chosen = self.names_of_choices();
        let with_node = chosen.find_map(|name| self.environment_with_node(path, name));
        with_node.or_else(|| self.environment_of(path))
    }

    /// The environment of the file at `path` that has a sample node of this name. If several environments share the file, its
    /// own comes first.
    pub fn environment_with_node(&self, path: &str, name: &str) -> Option<Arc<Environment>> {
        let has_node = |it: &Arc<Environment>| self.nodes(it).iter().any(|it| *it.name == *name);
        // Other environments are searched only if it is not the file's own.
        let own = self.environment_of(path)?;
        if has_node(&own) {
            return Some(own);
        }
        self.environments_with(path).into_iter().find(has_node)
    }

    /// Any node that reads the file at `path`. If the path names a single machine, this is that machine, with its facts if it
    /// has a fact set.
    pub fn view_of_file(&self, environment: &Arc<Environment>, path: &str) -> Arc<Node> {
        let assumed = name_of(&self.assumed);
        let key = format!("{} {assumed} {path}", key_of(environment));
        let slot = self.nodes.views_of_files.slot(&key);
        slot.get_or_init(|| self.find_view_of_file(environment, path)).clone()
    }

    fn find_view_of_file(&self, environment: &Arc<Environment>, path: &str) -> Arc<Node> {
        let SaidByPath { known, ways } =
            self.said_by_path(environment, &self.read_as(environment, path));
        let named = known.iter().filter(|(name, _)| CERTNAMES.contains(&&**name));
        for (variable, text) in named {
            // A machine with a fact set has real values, which are better than those that its path says.
            if let Some(node) = self.sample_nodes(environment).complete(text)
                && known_text(node, variable).as_ref() == Some(text)
            {
                return Arc::clone(node);
            }
        }
        self.view_in_one_of(environment, &known, ways)
    }

    /// The node of the environment that the file at `path` is called after.
    pub(super) fn node_called_as(
        &self,
        environment: &Arc<Environment>,
        path: &str,
    ) -> Option<Arc<Node>> {
        let path = self.read_as(environment, path);
        let SaidByPath { known, .. } = self.said_by_path(environment, &path);
        let nodes = self.nodes(environment);
        let is_its_name = |node: &Arc<Node>| {
            let is_it = |it: &Known| it.1 == node.name && node.named_by().contains(&it.0);
            known.iter().any(is_it)
        };
        nodes.iter().find(|it| is_its_name(it)).cloned()
    }

    /// The node with the assumptions about its open variables.
    pub(super) fn as_assumed(&self, environment: &Environment, node: Arc<Node>) -> Arc<Node> {
        if node.is_complete() || self.assumed.is_empty() {
            return node;
        }
        let assumed = name_of(&self.assumed);
        let key = format!("{} {} {assumed}", key_of(environment), node.name);
        let slot = self.nodes.views.slot(&key);
        slot.get_or_init(|| Arc::new(self.assuming(node.as_ref().clone()))).clone()
    }

    fn assuming(&self, node: Node) -> Node {
        self.assumed.iter().fold(node, |node, (name, text)| {
            let value = Value::String(Arc::clone(text));
            node.with(&[(Arc::clone(name), value)]).unwrap_or(node)
        })
    }

    fn said_by_path(&self, environment: &Environment, path: &str) -> SaidByPath {
        let of_all = known_texts(&self.settings, environment);
        let path: Arc<str> = path.into();
        let reach = self.reach(environment);
        let mut ways: Vec<TextsOfWay> = Vec::new();
        let mut are_all = true;
        for place in reach.places_of(&path) {
            let open = place.template().open_path(&of_all);
            let open = open.map(|it| reach.in_hierarchy(place, environment, it, &path));
            let fits = open.as_ref().and_then(|it| it.fits_among([&path].into_iter()));
            are_all &= fits.is_some() && !open.is_some_and(|it| it.is_obscure());
            for way in fits.into_iter().flatten().map(of_variables) {
                if !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
        // Several templates may lead to the file. Only what all of them say holds for every node that reads it.
        let known = ways.first().cloned().unwrap_or_default();
        let is_common = |it: &Known| ways.iter().all(|way| way.contains(it));
        let known: Vec<Known> = known.into_iter().filter(is_common).collect();
        for way in &mut ways {
            way.retain(|it| !known.contains(it));
        }
        // A list can have several members, so a way with one of them does not exclude the others.
        let is_plain =
            |way: &TextsOfWay| !way.is_empty() && !way.iter().any(|(name, _)| is_member(name));
        let are_told = are_all && ways.len() <= MAX_WAYS && ways.iter().all(is_plain);
        SaidByPath { known, ways: if are_told { ways } else { Vec::new() } }
    }

    fn view(&self, environment: &Environment, known: &[Known]) -> Arc<Node> {
        self.view_in_one_of(environment, known, Vec::new())
    }

    fn view_in_one_of(
        &self,
        environment: &Environment,
        known: &[Known],
        ways: Vec<TextsOfWay>,
    ) -> Arc<Node> {
        // What the path says is certain, so it wins over assumptions.
        let is_new = |(name, _): &&Known| !known.iter().any(|(known, _)| known == name);
        let assumed = self.assumed.iter().filter(is_new).cloned();
        let said: Vec<Known> = known.iter().cloned().chain(assumed).collect();
        let in_way = |way: &TextsOfWay| name_of(&[&said[..], &way[..]].concat());
        let name = match ways.split_first() {
            None => name_of(&said),
            Some((first, others)) => others.iter().fold(in_way(first), |name, way| {
                let way = in_way(way);
                format!("{name}, or{}", way.strip_prefix(ANY_NODE).unwrap_or(&way))
            }),
        };
        let slot: Arc<OnceLock<Arc<Node>>> =
            self.nodes.views.slot(&format!("{} {name}", key_of(environment)));
        slot.get_or_init(|| {
            let node = self.new_view(environment, &name, known, &NodeParts::default());
            Arc::new(node.in_one_of(ways))
        })
        .clone()
    }

    fn new_view(
        &self,
        environment: &Environment,
        name: &str,
        known: &[Known],
        given: &NodeParts,
    ) -> Node {
        let mut parts = of_all_nodes(&self.settings);
        name.clone_into(&mut parts.name);
        let named = environment.known_name();
        if let Some(name) = named {
            parts.environment = Some(name.to_string());
        }
        formats::lay_over(&mut parts, given);
        let patterns = &self.settings.node_name;
        let mut proved: Vec<Proved> = known
            .iter()
            .map(|(name, text)| (Arc::clone(name), Value::String(Arc::clone(text)), Basis::Path))
            .collect();
        let mut origin = Origin::Any;
        if let Some((_, certname)) = known.iter().find(|(name, _)| &**name == "trusted.certname") {
            parts.name = certname.to_string();
            origin = Origin::Name;
            proved.extend(proved_by_name(certname, patterns));
        }
        let node = Node::partial(parts, &proved, origin).with_patterns(patterns.clone());
        self.assuming(match named {
            Some(_) => Arc::unwrap_or_clone(Arc::new(node).in_environment(environment)),
            None => node,
        })
    }

    /// Whether a path is below one of the workspace's folders.
    pub fn is_in_workspace(&self, path: &str) -> bool {
        self.folders().iter().any(|folder| paths::below(folder, path).is_some())
    }
}

/// What the templates that lead to a file say of the nodes that read it.
struct SaidByPath {
    /// The variables that all of these nodes have in common, whichever template leads to the file.
    known: Vec<Known>,
    /// The ways in which the nodes differ, if they are known and not too many to tell.
    ways: Vec<TextsOfWay>,
}

/// What a fit says about a node. An empty text may mean that the variable is not set.
fn of_variables(fit: Fit) -> Vec<Known> {
    fit.texts.into_iter().filter(|(_, text)| !text.is_empty()).collect()
}

/// `any node`, `any node where role is web`, or `any node where groups contains web`.
fn name_of(known: &[Known]) -> String {
    if known.is_empty() {
        return ANY_NODE.to_owned();
    }
    let condition = |(name, text): &Known| Condition {
        variable: Arc::clone(name),
        value: Assumed::Text(Arc::clone(text)),
    };
    let conditions: Vec<Condition> = known.iter().map(condition).collect();
    format!("{ANY_NODE} where {}", in_words(&conditions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Answer, Request};
    use crate::world::{Change, Host, MemoryDisk};

    const FILES: [(&str, &str); 7] = [
        (
            "/r/hiera.yaml",
            "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
             - {name: r, paths: ['%{location}/roles/%{role}.yaml', 'common/roles/%{role}.yaml']}\n\
             - {name: c, paths: ['%{facts.os.family}.yaml', common.yaml]}\n",
        ),
        ("/r/data/nodes/web01.ex.com.yaml", "a: 1\n"),
        ("/r/data/nodes/db01.ex.com.yaml", "a: 1\n"),
        ("/r/data/common/roles/web.yaml", "a: 1\n"),
        ("/r/data/bgo/roles/web.yaml", "a: 1\n"),
        ("/r/data/common.yaml", "a: 1\n"),
        ("/r/.hiera-ls/facts/db01.ex.com.json", "{\"certname\": \"db01.ex.com\"}"),
    ];

    #[track_caller]
    fn check(path: &str, expected: &str) {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let world = host.snapshot();
        let path = format!("/r/data/{path}");
        let environment = world.environment_of(&path).expect("there is one");
        let node = world.node_of_file(&environment, &path);
        assert_eq!(&*node.name, expected);
        if let Some(readers) = expected.strip_prefix("any node where ") {
            assert_eq!(world.readers_in_words(&environment, &path).as_deref(), Some(readers));
        }
        assert!(Arc::ptr_eq(&node, &world.node_of_file(&environment, &path)), "made once");
    }

    #[test]
    fn the_variables_of_the_path_are_known() {
        check("bgo/roles/web.yaml", "any node where location is bgo and role is web");
    }

    #[test]
    fn what_only_one_of_several_templates_says_is_not_known() {
        check("common/roles/web.yaml", "any node where role is web");
        check("common.yaml", "any node");
    }

    #[test]
    fn nodes_that_read_a_file_in_one_of_several_ways() {
        let config = "version: 5\nhierarchy:\n- {name: o, paths: ['%{facts.os.name}.yaml', '%{facts.os.family}.yaml']}\n";
        let (path, other) = ("/r/data/Debian.yaml", "/r/data/RedHat.yaml");
        let files = [("/r/hiera.yaml", config), (path, "a: 1\n"), (other, "a: 2\n")];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let cases = |world: &World| {
            let environment = world.environment_of(path).expect("there is one");
            let view = world.view_of_file(&environment, path);
            let answer = world.evaluator(&environment, &view).lookup("a");
            let case = |(conditions, case): (&[Condition], &Answer)| {
                let value = case.outcome.clone().expect("no error").expect("found").value;
                format!("{:?} if {}", value, in_words(conditions))
            };
            (view.name.to_string(), answer.each_case().into_iter().map(case).collect::<Vec<_>>())
        };
        let (name, found) = cases(&host.snapshot());
        assert_eq!(
            name,
            "any node where facts.os.name is Debian, or where facts.os.family is Debian"
        );
        let of_name = "Integer(2) if facts.os.name is RedHat";
        assert_eq!(found, [of_name, "Integer(1) if "]);
        // Of a name that is known, only one of the ways is left.
        host.apply(Change::Assumed(vec![("facts.os.name".into(), "Ubuntu".into())]));
        assert_eq!(cases(&host.snapshot()).1, ["Integer(1) if "]);
    }

    #[test]
    fn a_file_of_one_machine_is_shown_for_it() {
        check("nodes/web01.ex.com.yaml", "web01.ex.com");
        check("nodes/db01.ex.com.yaml", "db01.ex.com");
    }

    #[test]
    fn a_fact_set_counts_for_the_file_of_its_fqdn() {
        let (config, facts) = (
            "version: 5\nhierarchy: [{name: n, path: 'nodes/%{::fqdn}.yaml'}]\n",
            "{\"networking\": {\"fqdn\": \"web01.ex.com\"}, \"role\": \"web\"}",
        );
        let (web, db) = ("/r/data/nodes/web01.ex.com.yaml", "/r/data/nodes/db01.ex.com.yaml");
        let mut host = Host::new(Arc::new(MemoryDisk::new([
            ("/r/hiera.yaml", config),
            (web, "a: 1\n"),
            (db, "a: 1\n"),
            ("/r/.hiera-ls/facts/web01.ex.com.json", facts),
            // The facts of another machine in a file with this name.
            ("/r/.hiera-ls/facts/db01.ex.com.json", facts),
        ])));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let world = host.snapshot();
        let environment = world.environment_of(web).expect("there is one");
        let name = |path: &str| world.node_of_file(&environment, path).name.to_string();
        assert_eq!(name(web), "web01.ex.com");
        assert_eq!(name(db), "any node where facts.networking.fqdn is db01.ex.com");
    }

    #[test]
    fn a_file_for_a_member_of_a_list_names_the_list() {
        let files = [
            (
                "/r/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: g, mapped_paths: [facts.groups, group, 'g/%{group}.yaml']}\n\
                 - {name: x, path: 'g/x/%{x}.yaml'}\n",
            ),
            ("/r/data/g/x.yaml", "a: 1\n"),
            ("/r/data/g/x/y.yaml", "b: 1\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let (world, path) = (host.snapshot(), "/r/data/g/x.yaml");
        let environment = world.environment_of(path).expect("there is one");
        let ways = world.ways_to_file(&environment, path);
        assert_eq!(ways[0].in_words().as_deref(), Some("facts.groups contains x"));
        let node = world.any_node(&environment);
        let answer = world.evaluator(&environment, &node).call(&Request::key("a"));
        assert_eq!(answer.depends_on(), ["groups".into()]);
        let unclear = world.unclear_ways_to_file(&environment, "/r/data/g/x/y.yaml");
        assert_eq!(unclear[0].names, ["facts.groups".into()]);
        assert_eq!(unclear[0].variables, ["groups".into()]);
    }

    #[test]
    fn a_file_for_a_part_of_a_member_names_the_list() {
        let files = [
            (
                "/r/hiera.yaml",
                "version: 5\nhierarchy:\n- {name: v, mapped_paths: [facts.volumes, vol, 'k/%{vol.0}.yaml']}\n",
            ),
            ("/r/data/k/x.yaml", "a: 1\n"),
        ];
        let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let (world, path) = (host.snapshot(), "/r/data/k/x.yaml");
        let environment = world.environment_of(path).expect("there is one");
        let ways = world.ways_to_file(&environment, path);
        assert_eq!(ways[0].in_words().as_deref(), Some("0 of a member of facts.volumes is x"));
        let view = world.view_of_file(&environment, path);
        assert_eq!(&*view.name, "any node where 0 of a member of volumes is x");
    }

    #[test]
    fn a_short_lived_snapshot_keeps_its_views_to_itself() {
        let mut host = Host::new(Arc::new(MemoryDisk::new(FILES)));
        host.apply(Change::Folders(vec!["/r".to_owned()]));
        let (world, path) = (host.snapshot(), "/r/data/bgo/roles/web.yaml");
        let environment = world.environment_of(path).expect("there is one");
        let short_lived = world.short_lived();
        let [own, other] = [&world, &short_lived].map(|it| it.node_of_file(&environment, path));
        assert!(own.name == other.name && !Arc::ptr_eq(&own, &other));
        let [own, other] = [&world, &short_lived].map(|it| it.read_orders(&environment));
        assert!(Arc::ptr_eq(&own, &other), "computed once");
    }
}
