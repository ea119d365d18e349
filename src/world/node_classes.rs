//! The classes that a node has according to manifests, data and classifiers: certainly, or possibly.
//!
//! A class is certain if it is written where only the node's facts decide whether the code runs: outside of node blocks, in
//! the node's block, in classes that are certain themselves, or in data that such code looks up. It is also certain if the
//! node's classifier names it. Names that are built from variables are known if facts complete them.

mod blocks;
mod decide;
mod fleet;
mod givers;
mod missing;
mod redefined;
mod search;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::snapshot::World;
use crate::binding::{RefusedValue, refusal_of_values};
use crate::code::inclusions::ClassLookup;
use crate::code::roots::CodeRoots;
use crate::code::{ClassCode, CodeFile};
use crate::config::Environment;
use crate::data::{Located, Value};
use crate::engine::{Answer, Caller, Evaluator, Request};
use crate::text::TextRange;

pub(super) use blocks::node_block_of;
pub use blocks::{NodeBlock, host_name, hosts};
pub(super) use fleet::FleetClassesCache;
pub use fleet::{FleetClasses, ParameterFleets};
pub use missing::MissingParameter;
pub use redefined::{Redefinition, redefinitions, refusal};
pub use search::{ClassFinder, LookUp};

/// A class of a node.
#[derive(Debug, Clone)]
pub struct NodeClass {
    /// The name that Puppet uses.
    pub name: Arc<str>,
    /// The class; `None` if it is not in the workspace.
    pub code: Option<ClassCode>,
    /// Whether the class certainly does not exist, because its module is in the workspace and does not have it.
    pub is_missing: bool,
    /// Whether the node certainly has it.
    pub is_certain: bool,
    /// The first call in a main manifest that leads to it.
    pub origin: CodePlace,
    /// The call that includes it.
    pub included_at: CodePlace,
    /// Parameters that some `class { … }` sets, so that data for them may have no effect.
    pub given: Vec<Box<str>>,
    /// The parameters that a classifier sets and Puppet refuses.
    pub refused_values: Vec<RefusedValue>,
}

/// The classes of a node.
#[derive(Debug, Clone, Default)]
pub struct NodeClasses {
    /// The certain ones first, in the order in which they are found.
    pub classes: Vec<NodeClass>,
    /// Calls that include more classes, with unknown names.
    pub others: Vec<CodePlace>,
    /// Why no classes are known: Puppet refuses a main manifest, so it compiles no catalog.
    pub refused: Option<RefusedCode>,
}

/// Code that Puppet refuses.
#[derive(Debug, Clone)]
pub struct RefusedCode {
    /// Where the mistake is.
    pub place: CodePlace,
    /// Puppet's message.
    pub message: String,
}

/// A place in a code file, or a file that a classifier wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    /// The file.
    pub path: Arc<str>,
    /// The range in the file.
    pub range: TextRange,
}

/// A main manifest, and the node blocks in it.
#[derive(Debug, Clone)]
pub struct MainManifest {
    /// The file.
    pub path: Arc<str>,
    /// The content of the file.
    pub file: Arc<CodeFile>,
}

/// What a lookup of classes returns.
#[derive(Debug, Default)]
pub struct FoundClasses {
    /// Names of classes, and whether the lookup certainly returns each.
    pub classes: Vec<(Arc<str>, bool)>,
    /// Whether a variable that is not known may lead to more classes.
    pub may_be_more: bool,
}

/// [`FoundClasses`] that nodes share.
pub type LookedUp = Rc<FoundClasses>;

impl NodeClass {
    /// Whether some `class { … }` sets the parameter, or may set it.
    pub fn may_be_given(&self, parameter: &str) -> bool {
        self.given.iter().any(|it| **it == *parameter || &**it == "*")
    }

    /// What Puppet refuses in the parameters that a classifier sets.
    fn refusal_of_values(&self) -> Option<RefusedCode> {
        let RefusedValue { path, range, .. } = self.refused_values.first()?;
        Some(RefusedCode {
            place: CodePlace { path: path.clone(), range: *range },
            message: refusal_of_values(&self.name, &self.refused_values)?,
        })
    }
}

impl NodeClasses {
    /// The classes, and why Puppet refuses their files, or does not find them, and therefore refuses the catalogs that contain them.
    /// Each file is looked at once, because it can declare thousands of classes.
    pub fn with_refusals(&self) -> Vec<(&NodeClass, Option<RefusedCode>)> {
        let mut known: HashMap<&str, Option<RefusedCode>> = HashMap::new();
        let mut found = Vec::with_capacity(self.classes.len());
        for class in &self.classes {
            let of_file = class.code.as_ref().and_then(|code| {
                let find = || RefusedCode::of(&[(&code.path, &*code.file)]);
                known.entry(&code.path).or_insert_with(find).clone()
            });
            let of_missing = class.is_missing.then(|| RefusedCode {
                place: class.included_at.clone(),
                message: self.words_about_missing(class),
            });
            let refusal = of_file.or(of_missing).or_else(|| class.refusal_of_values());
            found.push((class, refusal));
        }
        found
    }

    /// Puppet's message about a class that does not exist.
    pub fn words_about_missing(&self, class: &NodeClass) -> String {
        let (name, CodePlace { path, range }) = (&class.name, &class.included_at);
        let inherits_there =
            |it: &ClassCode| it.path == *path && it.declaration().parent == Some(*range);
        if self.classes.iter().any(|it| it.code.as_ref().is_some_and(inherits_there)) {
            return format!("Could not find parent resource type '::{name}' of type hostclass");
        }
        format!("Could not find class ::{name}")
    }
}

impl RefusedCode {
    /// The first mistake in files that Puppet reads together, for which it refuses them.
    fn of(files: &[(&Arc<str>, &CodeFile)]) -> Option<Self> {
        let new = |path: &Arc<str>, range, message: &str| {
            let place = CodePlace { path: Arc::clone(path), range };
            Self { place, message: message.to_owned() }
        };
        let of_file = files.iter().find_map(|(path, file)| {
            let mistake = file.manifest.errors.first()?;
            Some(new(path, mistake.range, &mistake.message))
        });
        of_file.or_else(|| {
            let redefined = redefinitions(files.iter().map(|it| it.1));
            let redefined = redefined.first()?;
            Some(new(files[redefined.at.0].0, redefined.at.1, &redefined.message))
        })
    }
}

impl World {
    /// The files of the environment's main manifest.
    pub fn main_manifests(&self, environment: &Environment) -> Vec<MainManifest> {
        let roots = self.code_roots(environment);
        let main = CodeRoots { modules: Vec::new(), environment: None, ..roots };
        let files = main.files(self, &mut self.directories_met_once()).into_iter();
        files.filter_map(|path| Some(MainManifest { file: self.code_file(&path)?, path })).collect()
    }

    /// The files of a classifier that give classes to nodes of an environment.
    pub fn classifier_files(&self, environment: &Environment) -> BTreeSet<Arc<str>> {
        let nodes = self.nodes(environment);
        nodes.iter().flat_map(|it| it.classes()).map(|it| it.place.0.clone()).collect()
    }

    /// The environments whose nodes get classes from the classifier's output at `path`.
    pub fn classified_by(&self, path: &str) -> Vec<Arc<Environment>> {
        if !self.may_hold_facts_of_environments(path) {
            return Vec::new();
        }
        let environments = self.environments();
        let all = environments.iter().filter(|it| self.classifier_files(it).contains(path));
        all.cloned().collect()
    }

    /// Whether a fact set, the settings, a data file or a node block of the main manifest names a node.
    pub fn knows_node(&self, environment: &Environment, name: &str) -> bool {
        let is_host = |host: &str| host_name(host).is_some_and(|it| it == name.to_lowercase());
        let has_block = |it: &MainManifest| {
            let mut nodes = it.file.manifest.declarations.iter();
            nodes.any(|node| hosts(&it.file, node).any(is_host))
        };
        self.nodes(environment).iter().any(|node| *node.name == *name)
            || self.main_manifests(environment).iter().any(has_block)
    }

    /// The classes of the evaluator's node.
    pub fn node_classes(&self, evaluator: &Evaluator) -> NodeClasses {
        let finder = ClassFinder::new(self, evaluator.environment());
        finder.of_node(evaluator.node(), &|lookup, caller| looked_up(evaluator, lookup, caller))
    }

    /// [`Self::node_classes`] of nodes that have this block.
    pub fn classes_of_block(&self, evaluator: &Evaluator, block: NodeBlock) -> NodeClasses {
        let finder = ClassFinder::new(self, evaluator.environment());
        let looked_up =
            |lookup: &ClassLookup, caller: Caller<'_>| looked_up(evaluator, lookup, caller);
        finder.of_block(evaluator.node(), block, &looked_up)
    }
}

fn looked_up(evaluator: &Evaluator, lookup: &ClassLookup, caller: Caller<'_>) -> LookedUp {
    classes_of_answer(&evaluator.call_from(caller, &request(lookup)), lookup)
}

fn request(lookup: &ClassLookup) -> Request {
    let hash = |it: &Value| it.as_hash().cloned().unwrap_or_default();
    Request {
        names: lookup.keys.to_vec(),
        merge: lookup.merge.clone(),
        overrides: hash(&lookup.overrides),
        default_values: hash(&lookup.default_values),
        ..Request::default()
    }
}

/// The classes in an answer, and whether each is in all of its cases.
fn classes_of_answer(answer: &Answer, lookup: &ClassLookup) -> LookedUp {
    let alone = std::slice::from_ref(answer).iter();
    let cases: Vec<&Answer> = match answer.cases.as_slice() {
        [] => alone.collect(),
        cases => cases.iter().map(|it| &it.answer).collect(),
    };
    let named: Vec<_> = cases.iter().map(|it| class_names(it, lookup)).collect();
    let are_accepted = named.iter().all(|it| it.1);
    let of_cases: Vec<Vec<Arc<str>>> = named.into_iter().map(|it| it.0).collect();
    // A back end that was not run may return other classes, so no class is certain then. Neither is one if Puppet refuses others.
    let is_known =
        are_accepted && answer.left_out.is_empty() && cases.iter().all(|it| it.opaque.is_empty());
    // A list can have thousands of names. The number of cases that have a name is counted, each case once.
    let mut counts: IndexMap<&Arc<str>, usize> = IndexMap::new();
    for names in &of_cases {
        for name in names.iter().collect::<IndexSet<_>>() {
            *counts.entry(name).or_default() += 1;
        }
    }
    let is_in_all = |count: usize| is_known && count == of_cases.len();
    let found = counts.into_iter().map(|(name, count)| (name.clone(), is_in_all(count)));
    let finds_nothing = |it: &&Answer| matches!(it.outcome, Ok(None));
    let has_others = lookup.has_open_default && cases.iter().any(finds_nothing);
    let may_be_more = has_others || !answer.left_out.is_empty();
    Rc::new(FoundClasses { classes: found.collect(), may_be_more })
}

/// The names of classes in an answer, and whether Puppet accepts all of them.
fn class_names(answer: &Answer, lookup: &ClassLookup) -> (Vec<Arc<str>>, bool) {
    let found = match &answer.outcome {
        Ok(Some(found)) => found,
        // The default of the call, as in `lookup('classes', default_value => [...])`, counts only if no level has the key.
        Ok(None) => return (lookup.default.as_deref().unwrap_or_default().to_vec(), true),
        Err(_) => return (Vec::new(), true),
    };
    let mut names = Vec::new();
    let are_accepted = add_class_names(&found.value, &mut names);
    (names, are_accepted)
}

/// Adds the names of classes in a value, and returns whether Puppet accepts all of them. Lists may be nested to any depth.
fn add_class_names(value: &Value, names: &mut Vec<Arc<str>>) -> bool {
    match value {
        Value::Array(items) => {
            let add = |accepted, it: &Located| add_class_names(&it.value, names) && accepted;
            items.iter().fold(true, add)
        }
        Value::String(name) => {
            if name.is_empty() {
                return false;
            }
            // Puppet ignores a leading `::` and the case of class names.
            let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
            // An interpolation whose value is not known stays in the text.
            if !name.is_empty() && !name.contains("%{") {
                names.push(name.into());
            }
            true
        }
        // Puppet refuses numbers, hashes and `undef`.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::world::MemoryDisk;

    const FILES: [(&str, &str); 14] = [
        (
            "/r/hiera.yaml",
            "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n- {name: c, path: common.yaml}\n",
        ),
        ("/r/data/common.yaml", "classes: ['::Base', no::such]\n"),
        ("/r/data/nodes/db01.yaml", "classes: [db, base]\n"),
        (
            "/r/manifests/site.pp",
            "include everywhere\nlookup('classes', Array[String], 'unique').include\n\
             node 'WEB01' { include role::web }\nnode /^db/, /^sql/ { class { 'role::db': port => 1 } }\n\
             node /b01$/ { include never }\nnode default { include other }\n",
        ),
        ("/r/modules/role/manifests/web.pp", "class role::web inherits role { include profile }\n"),
        (
            "/r/modules/role/manifests/init.pp",
            "class role { if $x { include perhaps } include role::web }\n",
        ),
        ("/r/modules/role/manifests/db.pp", "class role::db($port) { }\n"),
        ("/r/modules/perhaps/manifests/init.pp", "class perhaps { include from::perhaps }\n"),
        (
            "/r/modules/perhaps/functions/called.pp",
            "function perhaps::called() { include from::function perhaps::called() environment::too() }\n",
        ),
        ("/r/functions/too.pp", "function environment::too() { include from::environment }\n"),
        ("/r/modules/perhaps/manifests/made.pp", "define perhaps::made { include of::define }\n"),
        ("/r/.hiera-ls/facts/full.json", "{\"os\": {\"family\": \"Debian\"}, \"role\": \"web\"}"),
        (
            "/r/.hiera-ls/facts/full.yaml",
            "classes: {'::Classified': {port: 1, x: null}}\nparameters: {}\n",
        ),
        (
            "/r/modules/classified/manifests/init.pp",
            "class classified($role) {\n\
             if $facts['os']['family'] == 'debian' { include on::debian } else { include elsewhere }\n\
             if $role == 'web' { include parameter::decides }\n\
             if $facts['os']['family'] == 'debian' { perhaps::called(1) } else { perhaps::not() }\n\
             case $::role { /^w/: { perhaps::made { 'x': } } default: { include never } }\n\
             include \"a::${role}\" }\n",
        ),
    ];

    #[track_caller]
    fn check(node: Option<&str>, expected: &[&str]) {
        let disk = Arc::new(MemoryDisk::new(FILES));
        let world = World::on_disk(disk, vec!["/r".into()], Settings::default());
        let environment = world.environments()[0].clone();
        let node = match node {
            Some(name) => world.node_named(&environment, name),
            None => world.any_node(&environment),
        };
        let found = world.node_classes(&world.evaluator(&environment, &node));
        let shown = found.classes.iter().map(|it| {
            let given = if it.given.is_empty() {
                String::new()
            } else {
                format!(" {}", it.given.join(","))
            };
            format!("{}{}{given}", it.name, if it.is_certain { "" } else { "?" })
        });
        let others = found.others.iter().map(|it| format!("others in {}", it.path));
        assert_eq!(shown.chain(others).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_exact_name_then_the_first_regular_expression_then_the_default() {
        let web = [
            "everywhere",
            "base",
            "no::such",
            "role::web",
            "role",
            "profile",
            "perhaps?",
            "from::perhaps?",
        ];
        check(Some("web01"), &web);
        check(Some("db01"), &["everywhere", "db", "base", "no::such", "role::db port"]);
        check(Some("x"), &["everywhere", "base", "no::such", "other"]);
    }

    #[test]
    fn of_any_node_only_what_all_have_is_certain() {
        check(None, &["everywhere", "base", "no::such", "db?"]);
    }

    #[test]
    fn facts_and_classifiers_decide_for_a_node_that_has_them() {
        let expected = [
            "everywhere",
            "base",
            "no::such",
            "other",
            "classified port",
            "on::debian",
            "of::define",
            "parameter::decides?",
            "from::function?",
            "from::environment?",
            "others in /r/modules/classified/manifests/init.pp",
        ];
        check(Some("full"), &expected);
    }

    /// The classes of a complete node with this main manifest, the other calls, and what Puppet refuses.
    #[track_caller]
    fn check_site(site: &str, expected: &[&str]) {
        let files = [
            ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n"),
            ("/r/data/c.yaml", "known: [m, M, '::m::b']\n"),
            ("/r/manifests/site.pp", site),
            ("/r/modules/m/manifests/init.pp", "class m { }\nclass m::b { }\n"),
            ("/r/modules/broken/manifests/init.pp", "class broken {\n"),
            ("/r/modules/orphan/manifests/init.pp", "class orphan inherits m::none { }\n"),
            ("/r/.hiera-ls/facts/n.json", "{\"x\": 1}"),
        ];
        let world = World::on_disk(
            Arc::new(MemoryDisk::new(files)),
            vec!["/r".into()],
            Settings::default(),
        );
        let environment = world.environments()[0].clone();
        let node = world.node_named(&environment, "n");
        let found = world.node_classes(&world.evaluator(&environment, &node));
        let shown = found.with_refusals().into_iter().map(|(it, refused)| {
            let refused = refused.map_or(String::new(), |it| format!(": {}", it.message));
            format!("{}{}{refused}", it.name, if it.is_certain { "" } else { "?" })
        });
        let others = found.others.iter().map(|_| "others".to_owned());
        assert_eq!(shown.chain(others).collect::<Vec<_>>(), expected, "{site}");
    }

    #[test]
    fn what_code_computes_if_there_is_no_data_may_be_any_class() {
        check_site("lookup('classes') |$k| { ['m'] }.include", &["others"]);
        check_site("include lookup('classes') |$k| { ['m'] }", &["others"]);
        check_site("hiera_include('classes') |$k| { ['m'] }", &["others"]);
        check_site("lookup('known') |$k| { ['x'] }.include", &["m", "m::b"]);
        check_site("call('include', 'm')", &["others"]);
    }

    #[test]
    fn classes_that_their_modules_do_not_have() {
        check_site("include m::nope", &["m::nope: Could not find class ::m::nope"]);
        check_site(
            "include orphan",
            &[
                "orphan",
                "m::none: Could not find parent resource type '::m::none' of type hostclass",
            ],
        );
        // Another module path may have the first one, and the broken file may contain the second one.
        check_site("include elsewhere, broken::a, ''", &["elsewhere", "broken::a"]);
    }

    #[test]
    fn more_classes_than_are_listed_are_others() {
        let calls = (0..5_001).map(|it| format!("include m::c{it}\n"));
        let site: String = calls.collect();
        let world = World::on_disk(
            Arc::new(MemoryDisk::new([
                ("/r/hiera.yaml", "version: 5\n"),
                ("/r/manifests/site.pp", &*site),
            ])),
            vec!["/r".into()],
            Settings::default(),
        );
        let environment = world.environments()[0].clone();
        let found =
            world.node_classes(&world.evaluator(&environment, &world.any_node(&environment)));
        assert_eq!((found.classes.len(), found.others.len()), (5_000, 1));
    }

    #[test]
    fn the_nodes_of_a_fleet_have_the_classes_that_each_has_alone() {
        let disk = Arc::new(MemoryDisk::new(FILES));
        let world = Arc::new(World::on_disk(disk, vec!["/r".into()], Settings::default()));
        let environment = world.environments()[0].clone();
        let fleet = world.fleet_classes(&environment);
        assert_eq!(fleet.nodes.len(), 1);
        let alone = world.node_classes(&world.evaluator(&environment, &fleet.nodes[0]));
        let names =
            |it: &NodeClasses| it.classes.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(fleet.of(0)), names(&alone));
        assert_eq!(fleet.holders("base").count(), 1);
        assert_eq!(fleet.bound_by_lookup("classified", "role"), [0]);
        assert_eq!(fleet.bound_by_lookup("classified", "port"), [0; 0]);
    }

    #[test]
    fn a_main_manifest_that_puppet_refuses_leaves_the_classes_unknown() {
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/manifests/a.pp", "include a\n"),
            ("/r/manifests/b.pp", "\nnode 'n' {\n"),
            ("/r/.hiera-ls/facts/n.json", "{\"x\": 1}"),
        ];
        let disk = Arc::new(MemoryDisk::new(files));
        let world = Arc::new(World::on_disk(disk, vec!["/r".into()], Settings::default()));
        let environment = world.environments()[0].clone();
        let fleet = world.fleet_classes(&environment);
        let alone = world.node_classes(&world.evaluator(&environment, &fleet.nodes[0]));
        for found in [fleet.of(0), &alone] {
            assert!(found.classes.is_empty());
            let refused = found.refused.as_ref().expect("a mistake");
            assert_eq!(&*refused.place.path, "/r/manifests/b.pp");
            assert_eq!(refused.message, "Syntax error at end of input");
        }
    }

    #[test]
    fn node_blocks_with_the_same_name_leave_the_classes_unknown() {
        let files = [
            ("/r/hiera.yaml", "version: 5\n"),
            ("/r/manifests/a.pp", "include a\nnode 'n' { }\n"),
            ("/r/manifests/b.pp", "\nnode 'N' { }\n"),
        ];
        let disk = Arc::new(MemoryDisk::new(files));
        let world = World::on_disk(disk, vec!["/r".into()], Settings::default());
        let environment = world.environments()[0].clone();
        let any = world.any_node(&environment);
        let found = world.node_classes(&world.evaluator(&environment, &any));
        assert!(found.classes.is_empty());
        let refused = found.refused.as_ref().expect("a mistake");
        assert_eq!(&*refused.place.path, "/r/manifests/b.pp");
        assert_eq!(refused.message, "Node 'n' is already defined");
    }

    /// Puppet compiles no catalog with such a list.
    #[test]
    fn a_list_with_other_things_than_names_makes_no_class_certain() {
        let check = |list: &str, expected: &[&str]| {
            let data = format!("classes: {list}\n");
            let files = [
                ("/r/hiera.yaml", "version: 5\nhierarchy: [{name: c, path: c.yaml}]\n"),
                ("/r/data/c.yaml", &*data),
                ("/r/manifests/a.pp", "lookup('classes').include\n"),
            ];
            let disk = Arc::new(MemoryDisk::new(files));
            let world = World::on_disk(disk, vec!["/r".into()], Settings::default());
            let environment = world.environments()[0].clone();
            let any = world.any_node(&environment);
            let found = world.node_classes(&world.evaluator(&environment, &any));
            let shown = found.classes.iter().map(|it| (&*it.name, it.is_certain));
            let shown = shown.map(|(name, it)| format!("{name}{}", if it { "" } else { "?" }));
            assert_eq!(shown.collect::<Vec<_>>(), expected, "{list}");
        };
        check("[a, [b]]", &["a", "b"]);
        check("[a, ~]", &["a?"]);
        check("[[a, 1]]", &["a?"]);
        check("[a, '']", &["a?"]);
        check("{a: 1}", &[]);
    }

    #[test]
    fn what_a_fleet_lacks() {
        let disk = Arc::new(MemoryDisk::new(FILES));
        let world = Arc::new(World::on_disk(disk, vec!["/r".into()], Settings::default()));
        let environment = world.environments()[0].clone();
        let missing = world.missing_parameters(&environment);
        let shown =
            missing.iter().map(|it| format!("{} {} {:?}", it.class.name, it.parameter, it.nodes));
        assert_eq!(shown.collect::<Vec<_>>(), ["classified role [0]"]);
    }
}
