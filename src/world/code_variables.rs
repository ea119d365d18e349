//! Which variables code may have set when a node's catalog looks something up.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::World;
use super::indexes::key_of;
use super::node_classes::{MainManifest, NodeBlock, node_block_of};
use super::shards::Shards;
use crate::code::summary::known_as;
use crate::code::{ClassCode, CodeFile};
use crate::config::Environment;
use crate::engine::CodeVariables;
use crate::facts::{Node, Origin};
use crate::syntax::puppet::DeclarationKind;

/// What code may set, by environment.
pub(super) type CodeScopesCache = Shards<OnceLock<Arc<CodeScopes>>>;

/// The variables that code of an environment may set, by the node blocks. The scope of a node's block surrounds all classes.
#[derive(Debug)]
pub struct CodeScopes {
    manifests: Arc<[MainManifest]>,
    /// For nodes without a block, or with one that sets nothing.
    outside: Arc<CodeVariables>,
    /// For nodes with blocks that set variables.
    of_blocks: HashMap<NodeBlock, Arc<CodeVariables>>,
    /// For nodes whose block is not known: what any of these sets.
    of_any_block: Arc<CodeVariables>,
    /// By the names of nodes.
    known: Mutex<HashMap<Arc<str>, Arc<CodeVariables>>>,
}

impl World {
    /// The variables that code of an environment may set.
    pub fn code_scopes(&self, environment: &Environment) -> Arc<CodeScopes> {
        let slot = self.evaluators.code_scopes.slot(&key_of(environment));
        let find = || Arc::new(CodeScopes::of(self, environment));
        slot.get_or_init(find).clone()
    }

    /// The variables that only the scope around a position of a code file has, and classes that it inherits from.
    pub fn variables_around(
        &self,
        environment: &Environment,
        file: &CodeFile,
        position: u32,
    ) -> Vec<String> {
        let Some(declaration) = file.declaration_around(position) else { return Vec::new() };
        let class = |name: &Arc<str>| self.class_code(environment, name);
        ScopeVariables::of(file, declaration, class).names.into_iter().collect()
    }

    /// The variables that code of an environment may set, whatever the node is.
    pub fn code_variables(&self, environment: &Environment) -> Arc<CodeVariables> {
        self.code_scopes(environment).outside.clone()
    }
}

/// The variables that each resource of a defined type has. The last two are those of the class that declares the resource.
const OF_RESOURCES: [&str; 4] = ["name", "title", "calling_class", "calling_class_path"];

/// The maximum length of a chain of inheriting classes.
const MAX_ANCESTORS: usize = 20;

/// The variables that the scope of a declaration has beside those around it.
#[derive(Debug, Default)]
pub(super) struct ScopeVariables {
    pub(super) names: BTreeSet<String>,
    /// Whether it inherits from a class that is not here, or whose file Puppet refuses, and which may have more.
    pub(super) may_be_more: bool,
}

impl ScopeVariables {
    /// Those of a declaration in a file. `class` finds the classes that it inherits from.
    pub(super) fn of(
        file: &CodeFile,
        declaration: usize,
        class: impl Fn(&Arc<str>) -> Option<ClassCode>,
    ) -> Self {
        let mut found = Self::default();
        let Some(declared) = file.manifest.declarations.get(declaration) else { return found };
        let mut add = |file: &CodeFile, declaration| {
            found.names.extend(file.variables_of(declaration).into_iter().map(str::to_owned));
        };
        add(file, declaration);
        let mut next = declared.parent.map(|it| known_as(DeclarationKind::Class, file.slice(it)));
        let mut count = 0;
        while let Some(name) = next {
            let Some(code) = class(&name).filter(|_| count < MAX_ANCESTORS) else {
                found.may_be_more = true;
                break;
            };
            add(&code.file, code.index());
            next = code.parent();
            count += 1;
        }
        if declared.kind == DeclarationKind::Define {
            found.names.extend(OF_RESOURCES.map(str::to_owned));
        }
        found
    }
}

impl CodeScopes {
    fn of(world: &World, environment: &Environment) -> Self {
        let manifests = world.main_manifests(environment);
        let settings = world.settings();
        // With these settings, users say what code sets.
        let of_nodes = settings.nodes.values().map(|it| &it.variables);
        let is_told = |name: &str| {
            let mut all = of_nodes.clone().chain([&settings.variables]);
            all.any(|it| it.get(name).is_some())
        };
        let files = || manifests.iter().map(|it| &it.file);
        let of_manifests = files().flat_map(|it| &it.manifest.assigned);
        let mut assigned = world.variables_of_functions(environment);
        assigned.extend(of_manifests.map(|it| it.name.as_str().into()));
        let declared = files().flat_map(|it| &it.manifest.declarations);
        let classes = declared.filter(|it| it.kind == DeclarationKind::Class);
        let in_lambdas = files().flat_map(|it| it.variables_of_outer_lambdas());
        let outside = CodeVariables {
            assigned,
            hiding: in_lambdas.filter(|it| !is_told(it)).map(Arc::from).collect(),
            declared: classes
                .filter_map(|it| Some(known_as(it.kind, it.name.as_deref()?)))
                .collect(),
            not_evaluated: None,
        };
        let mut of_blocks = HashMap::new();
        let mut of_any_block = outside.clone();
        for (number, file) in files().enumerate() {
            let declarations = file.manifest.declarations.iter().enumerate();
            for (index, _) in declarations.filter(|(_, it)| it.kind == DeclarationKind::Node) {
                let mut set = file.variables_of(index);
                set.retain(|it| !is_told(it));
                if !set.is_empty() {
                    of_any_block = of_any_block.hidden_by(set.iter().copied());
                    let block = outside.hidden_by(set.iter().copied());
                    of_blocks.insert(NodeBlock::At(number, index), Arc::new(block));
                }
            }
        }
        let (outside, of_any_block) = (Arc::new(outside), Arc::new(of_any_block));
        let manifests = manifests.into();
        Self { manifests, outside, of_blocks, of_any_block, known: Mutex::default() }
    }

    /// The same for lookups of a caller that sets more variables.
    #[must_use]
    pub fn seen_from(&self, sets: &[String]) -> Self {
        let add = |it: &Arc<CodeVariables>| Arc::new(it.hidden_by(sets.iter().map(String::as_str)));
        Self {
            manifests: Arc::clone(&self.manifests),
            outside: add(&self.outside),
            of_blocks: self.of_blocks.iter().map(|(block, it)| (*block, add(it))).collect(),
            of_any_block: add(&self.of_any_block),
            known: Mutex::default(),
        }
    }

    /// The variables that code may set for a node.
    pub fn of_node(&self, node: &Node) -> Arc<CodeVariables> {
        if self.of_blocks.is_empty() {
            return Arc::clone(&self.outside);
        }
        let find = || match node_block_of(&self.manifests, node) {
            NodeBlock::Unknown => Arc::clone(&self.of_any_block),
            block => Arc::clone(self.of_blocks.get(&block).unwrap_or(&self.outside)),
        };
        // The name of such a node does not say which machine it is.
        if node.origin == Origin::Any {
            return find();
        }
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&node.name) {
            return Arc::clone(known);
        }
        let found = find();
        lock().insert(Arc::clone(&node.name), Arc::clone(&found));
        found
    }
}
