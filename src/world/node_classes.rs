//! The classes of a node, as far as manifests and data say them: certainly, or perhaps.
//!
//! A class is certain if it is written out where nothing decides whether the code runs: outside of node blocks, in the node's
//! block, in classes that are certain themselves, or in data that such code looks up. Names that are put together, and what
//! external classifiers say, are not known.

use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::snapshot::World;
use crate::code::inclusions::{Body, Included, Inclusion, Inclusions};
use crate::code::roots::CodeRoots;
use crate::code::{ClassCode, CodeFile};
use crate::config::Environment;
use crate::data::Value;
use crate::engine::{Answer, Evaluator, Request};
use crate::facts::Origin;
use crate::syntax::puppet::{Declaration, DeclarationKind};
use crate::syntax::ruby_regex;
use crate::text::TextRange;

/// No node has more classes.
const MAX_CLASSES: usize = 5_000;

/// A class of a node.
#[derive(Debug, Clone)]
pub struct NodeClass {
    /// As Puppet knows it.
    pub name: Arc<str>,
    /// The class; `None` if it is not here.
    pub code: Option<ClassCode>,
    /// Whether the node certainly has it.
    pub is_certain: bool,
    /// Where the first call is written that leads to it, in a main manifest.
    pub origin: CodePlace,
    /// Where the call is written that includes it.
    pub included_at: CodePlace,
    /// Parameters that some `class { … }` gives: what data have for them may not count.
    pub given: Vec<Box<str>>,
}

/// A place in a file of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    /// The file.
    pub path: Arc<str>,
    /// Where in it.
    pub range: TextRange,
}

/// A main manifest, and the node blocks in it.
#[derive(Debug, Clone)]
pub struct MainManifest {
    /// The file.
    pub path: Arc<str>,
    /// What is in it.
    pub file: Arc<CodeFile>,
}

/// Which node block is a node's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeBlock {
    /// There is none.
    None,
    /// The declaration of this number in the main manifest of this number.
    At(usize, usize),
    /// It cannot be told.
    Unknown,
}

impl World {
    /// The files of the environment's main manifest.
    pub fn main_manifests(&self, environment: &Environment) -> Vec<MainManifest> {
        let roots = self.code_roots(environment);
        let main = CodeRoots { modules: Vec::new(), environment: None, ..roots };
        let files = main.files(self, &mut self.directories_met_once()).into_iter();
        files.filter_map(|path| Some(MainManifest { file: self.code_file(&path)?, path })).collect()
    }

    /// The classes of the evaluator's node, the certain ones first, in the order in which they are found.
    pub fn node_classes(&self, evaluator: &Evaluator) -> Vec<NodeClass> {
        let manifests = self.main_manifests(evaluator.environment());
        let block = node_block_of(&manifests, evaluator);
        self.classes_of_block(evaluator, &manifests, block)
    }

    /// [`Self::node_classes`] of nodes that have this block.
    pub fn classes_of_block(
        &self,
        evaluator: &Evaluator,
        manifests: &[MainManifest],
        block: NodeBlock,
    ) -> Vec<NodeClass> {
        // Puppet compiles nothing with a manifest that it refuses.
        if manifests.iter().any(|it| !it.file.manifest.errors.is_empty()) {
            return Vec::new();
        }
        let mut search = Search::new(self, evaluator);
        for (number, manifest) in manifests.iter().enumerate() {
            search.add_body(manifest, Body::TopLevel);
            if let NodeBlock::At(file, index) = block
                && file == number
            {
                search.add_body(manifest, Body::Declaration(index));
            }
        }
        search.finish()
    }
}

/// The node block that Puppet takes for the evaluator's node: the exact name, then the first regular expression, then
/// `default`.
fn node_block_of(manifests: &[MainManifest], evaluator: &Evaluator) -> NodeBlock {
    let blocks = || {
        manifests.iter().enumerate().flat_map(|(number, manifest)| {
            let declarations = manifest.file.manifest.declarations.iter().enumerate();
            let nodes = declarations.filter(|(_, it)| it.kind == DeclarationKind::Node);
            nodes.map(move |(index, it)| (NodeBlock::At(number, index), &manifest.file, it))
        })
    };
    let node = evaluator.node();
    let is_default = |(_, file, it): &(NodeBlock, &Arc<CodeFile>, &Declaration)| {
        hosts(file, it).any(|host| host == "default")
    };
    let name = match node.origin {
        Origin::Any => {
            let mut others = blocks().filter(|it| !is_default(it));
            let default = blocks().find(is_default);
            return match (others.next(), default) {
                (None, default) => default.map_or(NodeBlock::None, |it| it.0),
                (Some(_), _) => NodeBlock::Unknown,
            };
        }
        Origin::Name | Origin::File(_) => node.name.to_lowercase(),
    };
    let exact = blocks().find(|(_, file, it)| hosts(file, it).any(|host| is_name(host, &name)));
    let by_regex = || blocks().find(|(_, file, it)| hosts(file, it).any(|it| is_match(it, &name)));
    let found = exact.or_else(by_regex).or_else(|| blocks().find(is_default));
    found.map_or(NodeBlock::None, |it| it.0)
}

/// What a node block matches, as it is written.
pub fn hosts<'a>(file: &'a CodeFile, node: &'a Declaration) -> impl Iterator<Item = &'a str> {
    node.hosts.iter().map(|it| file.slice(*it))
}

/// The name that a host is, if it is one.
pub fn host_name(host: &str) -> Option<String> {
    let quoted = host.strip_prefix(['\'', '"']).and_then(|it| it.strip_suffix(['\'', '"']));
    match quoted {
        Some(name) => Some(name.to_lowercase()),
        None => (host != "default" && !host.starts_with(['/', '@'])).then(|| host.to_lowercase()),
    }
}

fn is_name(host: &str, name: &str) -> bool {
    host_name(host).is_some_and(|it| it == name)
}

fn is_match(host: &str, name: &str) -> bool {
    let source = host.strip_prefix('/').and_then(|it| it.strip_suffix('/'));
    let regex = source.and_then(|it| ruby_regex::translate(it).ok());
    regex.is_some_and(|it| it.is_match(name))
}

/// A walk through the classes that lead to others.
struct Search<'a> {
    world: &'a World,
    evaluator: &'a Evaluator,
    found: HashMap<Arc<str>, NodeClass>,
    order: Vec<Arc<str>>,
    waiting: VecDeque<Arc<str>>,
    /// By the paths of the files.
    inclusions: HashMap<Arc<str>, Rc<Inclusions>>,
}

impl<'a> Search<'a> {
    fn new(world: &'a World, evaluator: &'a Evaluator) -> Self {
        let (found, order, waiting) = (HashMap::new(), Vec::new(), VecDeque::new());
        Self { world, evaluator, found, order, waiting, inclusions: HashMap::new() }
    }

    fn add_body(&mut self, manifest: &MainManifest, body: Body) {
        for inclusion in self.inclusions_of(&manifest.path, &manifest.file).of_body(body) {
            let place = CodePlace { path: manifest.path.clone(), range: inclusion.range };
            self.add_inclusion(inclusion, true, &place, &place);
        }
    }

    fn inclusions_of(&mut self, path: &Arc<str>, file: &CodeFile) -> Rc<Inclusions> {
        let known = self.inclusions.entry(path.clone());
        known.or_insert_with(|| Rc::new(Inclusions::of(file))).clone()
    }

    fn finish(mut self) -> Vec<NodeClass> {
        while let Some(name) = self.waiting.pop_front() {
            let Some(class) = self.found.get(&name).cloned() else { continue };
            let Some(code) = &class.code else { continue };
            if code.syntax_error().is_some() {
                continue;
            }
            if let (Some(parent), Some(range)) = (code.parent(), code.declaration().parent) {
                let place = CodePlace { path: code.path.clone(), range };
                self.add(&parent, class.is_certain, &class.origin, &place, None);
            }
            let inclusions = self.inclusions_of(&code.path, &code.file);
            for inclusion in inclusions.of_body(Body::Declaration(code.index())) {
                let place = CodePlace { path: code.path.clone(), range: inclusion.range };
                self.add_inclusion(inclusion, class.is_certain, &class.origin, &place);
            }
        }
        let (found, order) = (&mut self.found, self.order);
        let mut classes: Vec<NodeClass> = order.iter().filter_map(|it| found.remove(it)).collect();
        classes.sort_by_key(|it| !it.is_certain);
        classes
    }

    fn add_inclusion(
        &mut self,
        inclusion: &Inclusion,
        is_certain: bool,
        origin: &CodePlace,
        place: &CodePlace,
    ) {
        let is_certain = is_certain && inclusion.is_certain;
        let given = inclusion.given.as_deref();
        match &inclusion.included {
            Included::Class(name) => self.add(name, is_certain, origin, place, given),
            Included::Lookup { key, merge } => {
                let merge = merge.as_deref().map(Value::string);
                let answer = self.evaluator.call(&Request { merge, ..Request::key(key.clone()) });
                for (name, is_in_all) in classes_of_answer(&answer) {
                    self.add(&name, is_certain && is_in_all, origin, place, None);
                }
            }
        }
    }

    fn add(
        &mut self,
        name: &str,
        is_certain: bool,
        origin: &CodePlace,
        place: &CodePlace,
        given: Option<&[Box<str>]>,
    ) {
        let given = given.unwrap_or_default();
        if let Some(known) = self.found.get_mut(name) {
            known.given.extend_from_slice(given);
            if is_certain && !known.is_certain {
                known.is_certain = true;
                (known.origin, known.included_at) = (origin.clone(), place.clone());
                self.waiting.push_back(known.name.clone());
            }
            return;
        }
        if self.found.len() >= MAX_CLASSES {
            return;
        }
        let name: Arc<str> = name.into();
        let class = NodeClass {
            name: name.clone(),
            code: self.world.class_code(self.evaluator.environment(), &name),
            is_certain,
            origin: origin.clone(),
            included_at: place.clone(),
            given: given.to_vec(),
        };
        self.found.insert(name.clone(), class);
        self.order.push(name.clone());
        self.waiting.push_back(name);
    }
}

/// The classes in an answer, and whether each is in all of its cases.
fn classes_of_answer(answer: &Answer) -> Vec<(String, bool)> {
    let alone = std::slice::from_ref(answer).iter();
    let cases: Vec<&Answer> = match answer.cases.as_slice() {
        [] => alone.collect(),
        cases => cases.iter().map(|it| &it.answer).collect(),
    };
    let of_cases: Vec<Vec<String>> = cases.iter().map(|it| class_names(it)).collect();
    let is_known = answer.left_out.is_empty() && cases.iter().all(|it| it.opaque.is_empty());
    let mut found: Vec<(String, bool)> = Vec::new();
    for name in of_cases.iter().flatten() {
        if !found.iter().any(|(known, _)| known == name) {
            let is_in_all = is_known && of_cases.iter().all(|it| it.contains(name));
            found.push((name.clone(), is_in_all));
        }
    }
    found
}

fn class_names(answer: &Answer) -> Vec<String> {
    let Ok(Some(found)) = &answer.outcome else { return Vec::new() };
    let one = |value: &Value| {
        let name = value.as_str()?;
        let name = name.strip_prefix("::").unwrap_or(name).to_lowercase();
        (!name.is_empty() && !name.contains("%{")).then_some(name)
    };
    match &found.value {
        Value::Array(items) => items.iter().filter_map(|it| one(&it.value)).collect(),
        value => one(value).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use crate::world::MemoryDisk;

    const FILES: [(&str, &str); 8] = [
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
        let classes = world.node_classes(&world.evaluator(&environment, &node));
        let shown = classes.iter().map(|it| {
            let given = if it.given.is_empty() {
                String::new()
            } else {
                format!(" {}", it.given.join(","))
            };
            format!("{}{}{given}", it.name, if it.is_certain { "" } else { "?" })
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
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
}
