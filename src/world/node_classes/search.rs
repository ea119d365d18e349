//! Walks through code that includes classes, then through the code of these classes, and so on.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use super::blocks::node_block_of;
use super::decide::{Decider, Regexes};
use super::givers::{Givers, Running};
use super::{CodePlace, LookedUp, MainManifest, NodeBlock, NodeClass, NodeClasses, RefusedCode};
use crate::binding::{caller_at, refused_values};
use crate::code::file::language_of;
use crate::code::inclusions::{Body, ClassLookup, Included, Inclusion, Inclusions};
use crate::code::summary::known_as;
use crate::code::{ClassCode, CodeFile};
use crate::config::Environment;
use crate::engine::Caller;
use crate::facts::Node;
use crate::syntax::puppet::{DeclarationKind, Language};
use crate::world::World;
use crate::world::code_variables::ScopeVariables;

/// The maximum number of classes of a node.
const MAX_CLASSES: usize = 5_000;

/// The maximum number of listed calls whose classes are not known.
const MAX_OTHERS: usize = 20;

/// A declaration in a code file.
type Declared = (Arc<str>, Arc<CodeFile>, usize);

/// Declarations by what they are and their names; `None` for those that no file here has.
type DeclaredByName = HashMap<(DeclarationKind, Arc<str>), Option<Declared>>;

/// The path of a file, and the number of a declaration in it.
type DeclarationPlace = (Arc<str>, usize);

/// Returns the classes that a caller looks up.
pub type LookUp<'a> = dyn Fn(&ClassLookup, Caller<'_>) -> LookedUp + 'a;

/// Finds the classes of nodes. What all nodes have in common is computed once.
pub struct ClassFinder<'w> {
    world: &'w World,
    environment: &'w Environment,
    manifests: Vec<MainManifest>,
    /// Why Puppet refuses the main manifests.
    refused: Option<RefusedCode>,
    classes: RefCell<HashMap<Arc<str>, Option<ClassCode>>>,
    /// Whether a class that is not found certainly does not exist.
    missing: RefCell<HashMap<Arc<str>, bool>>,
    /// Defined types and functions.
    declared: RefCell<DeclaredByName>,
    /// By the paths of the files.
    inclusions: RefCell<HashMap<Arc<str>, Rc<Inclusions>>>,
    /// The variables of the scopes of declarations that look up classes.
    variables: RefCell<HashMap<DeclarationPlace, Rc<[String]>>>,
    /// The parameters that `class { … }` in templates sets, by the name of the class.
    given_by_templates: OnceCell<HashMap<Arc<str>, Vec<Box<str>>>>,
    regexes: Regexes,
}

impl<'w> ClassFinder<'w> {
    /// A finder that has only read the main manifests.
    pub fn new(world: &'w World, environment: &'w Environment) -> Self {
        let manifests = world.main_manifests(environment);
        let files: Vec<_> = manifests.iter().map(|it| (&it.path, &*it.file)).collect();
        let refused = RefusedCode::of(&files);
        Self {
            world,
            environment,
            manifests,
            refused,
            classes: RefCell::default(),
            missing: RefCell::default(),
            declared: RefCell::default(),
            inclusions: RefCell::default(),
            variables: RefCell::default(),
            given_by_templates: OnceCell::new(),
            regexes: Regexes::default(),
        }
    }

    /// The classes of a node; `looked_up` returns the results of its lookups.
    pub fn of_node(&self, node: &Node, looked_up: &LookUp<'_>) -> NodeClasses {
        self.of_block(node, node_block_of(&self.manifests, node), looked_up)
    }

    /// [`Self::of_node`] for a node that has this block.
    pub fn of_block(&self, node: &Node, block: NodeBlock, looked_up: &LookUp<'_>) -> NodeClasses {
        // Puppet compiles nothing if it refuses a manifest.
        if self.refused.is_some() {
            return NodeClasses { refused: self.refused.clone(), ..NodeClasses::default() };
        }
        let mut search = Search::new(self, node, looked_up);
        for (number, manifest) in self.manifests.iter().enumerate() {
            search.add_body(manifest, Body::TopLevel);
            if let NodeBlock::At(file, index) = block
                && file == number
            {
                search.add_body(manifest, Body::Declaration(index));
            }
        }
        // Puppet evaluates the classes of the classifier after the main manifest and the node block.
        search.add_classified();
        search.finish()
    }

    fn class(&self, name: &Arc<str>) -> Option<ClassCode> {
        let mut known = self.classes.borrow_mut();
        let load = || self.world.class_code(self.environment, name);
        known.entry(name.clone()).or_insert_with(load).clone()
    }

    fn lacks(&self, name: &Arc<str>) -> bool {
        let mut known = self.missing.borrow_mut();
        let find = || self.world.lacks_class(self.environment, name);
        *known.entry(name.clone()).or_insert_with(find)
    }

    fn declared(&self, kind: DeclarationKind, name: &Arc<str>) -> Option<Declared> {
        let mut known = self.declared.borrow_mut();
        let load = || self.world.loaded(self.environment, kind, name);
        known.entry((kind, name.clone())).or_insert_with(load).clone()
    }

    fn given_by_templates(&self) -> &HashMap<Arc<str>, Vec<Box<str>>> {
        self.given_by_templates.get_or_init(|| {
            let index = self.world.code_index(self.environment);
            let templates = index.files().iter().filter(|(path, summary)| {
                language_of(path) == Language::Template && !summary.included.is_empty()
            });
            let files = templates.filter_map(|(path, _)| self.world.code_file(path));
            let mut found: HashMap<Arc<str>, Vec<Box<str>>> = HashMap::new();
            for file in files {
                for call in file.manifest.calls.iter().filter(|it| it.function == "class") {
                    for name in &call.names {
                        let given = call.given().map(|it| it.name.text.as_str().into());
                        let name = known_as(DeclarationKind::Class, &name.text);
                        found.entry(name).or_default().extend(given);
                    }
                }
            }
            found
        })
    }

    fn inclusions_of(&self, path: &Arc<str>, file: &CodeFile) -> Rc<Inclusions> {
        let mut known = self.inclusions.borrow_mut();
        known.entry(path.clone()).or_insert_with(|| Rc::new(Inclusions::of(file))).clone()
    }

    /// Whether code may assign a variable of this name that is visible in a declaration of a file.
    fn may_set(&self, file: &CodeFile, declaration: Option<usize>, name: &str) -> bool {
        let assigns = |file: &CodeFile| file.manifest.assigns(name);
        // The scope of the main manifest surrounds all other code, so its variables are visible everywhere.
        if assigns(file) || self.manifests.iter().any(|it| assigns(&it.file)) {
            return true;
        }
        let scope = declaration.map(|it| ScopeVariables::of(file, it, |name| self.class(name)));
        scope.is_some_and(|it| it.may_be_more || it.names.contains(name))
    }

    /// The variables that only the scope of a body has.
    fn variables_of(&self, path: &Arc<str>, file: &CodeFile, body: Body) -> Rc<[String]> {
        let Body::Declaration(index) = body else { return Rc::default() };
        let mut known = self.variables.borrow_mut();
        let find = || {
            let scope = ScopeVariables::of(file, index, |name| self.class(name));
            scope.names.into_iter().collect()
        };
        known.entry((path.clone(), index)).or_insert_with(find).clone()
    }
}

/// The walk for one node.
struct Search<'a, 'w> {
    finder: &'a ClassFinder<'w>,
    node: &'a Node,
    looked_up: &'a LookUp<'a>,
    found: HashMap<Arc<str>, NodeClass>,
    order: Vec<Arc<str>>,
    waiting: VecDeque<Waiting>,
    /// The defined types and functions whose bodies were visited, and whether they were certain.
    visited: HashSet<(DeclarationKind, Arc<str>, bool)>,
    others: Vec<CodePlace>,
    givers: Givers,
}

/// Code that must still be visited.
enum Waiting {
    Class(Arc<str>),
    /// The body of a defined type or a function, its name, whether it certainly runs, and where the path to it starts.
    Defined(Declared, Running, bool, CodePlace),
}

/// How some code is reached.
#[derive(Clone, Copy)]
struct Reached<'a> {
    /// The code itself.
    running: &'a Running,
    is_certain: bool,
    /// The start of the path in the main manifest; `None` for code of the main manifest itself.
    origin: Option<&'a CodePlace>,
}

impl<'a, 'w> Search<'a, 'w> {
    fn new(finder: &'a ClassFinder<'w>, node: &'a Node, looked_up: &'a LookUp<'a>) -> Self {
        Self {
            finder,
            node,
            looked_up,
            found: HashMap::new(),
            order: Vec::new(),
            waiting: VecDeque::new(),
            visited: HashSet::new(),
            others: Vec::new(),
            givers: Givers::default(),
        }
    }

    fn add_body(&mut self, manifest: &MainManifest, body: Body) {
        let reached = Reached { running: &Running::Main, is_certain: true, origin: None };
        self.add_inclusions(&manifest.path, &manifest.file, body, reached);
    }

    /// Adds the classes from the node's classifier.
    fn add_classified(&mut self) {
        for class in self.node.classes() {
            let (path, range) = class.place.clone();
            let place = CodePlace { path, range };
            self.add(&Running::Main, &class.name, true, (&place, &place), &class.given_names());
            let finder = self.finder;
            if let Some(found) = self.found.get_mut(&class.name)
                && let Some(code) = &found.code
            {
                let aliases = finder.world.type_aliases(finder.environment);
                found.refused_values = refused_values(code, class, &aliases);
            }
        }
    }

    fn finish(mut self) -> NodeClasses {
        while let Some(next) = self.waiting.pop_front() {
            match next {
                Waiting::Class(name) => self.walk_class(&name),
                Waiting::Defined((path, file, index), running, is_certain, origin) => {
                    let reached = Reached { running: &running, is_certain, origin: Some(&origin) };
                    self.add_inclusions(&path, &file, Body::Declaration(index), reached);
                }
            }
        }
        let (found, order) = (&mut self.found, self.order);
        let mut classes: Vec<NodeClass> = order.iter().filter_map(|it| found.remove(it)).collect();
        for class in classes.iter_mut().filter(|it| self.givers.may_give_to(&it.name)) {
            // It may be any class, and the code may run before what includes the class.
            class.given.push("*".into());
        }
        // It is not known which code renders a template.
        for class in &mut classes {
            let given = self.finder.given_by_templates().get(&class.name);
            class.given.extend(given.into_iter().flatten().cloned());
        }
        // The sort is stable, so the order in which classes were found stays within both groups.
        classes.sort_by_key(|it| !it.is_certain);
        NodeClasses { classes, others: self.others, refused: None }
    }

    fn walk_class(&mut self, name: &Arc<str>) {
        let Some(class) = self.found.get(name).cloned() else { return };
        // Puppet refuses the file, so nothing in it runs.
        let Some(code) = class.code.as_ref().filter(|it| it.syntax_error().is_none()) else {
            return;
        };
        // Puppet evaluates the class that another one inherits from before that one, so its body does not run within that one.
        if let (Some(parent), Some(range)) = (code.parent(), code.declaration().parent) {
            let place = CodePlace { path: code.path.clone(), range };
            let places = (&class.origin, &place);
            self.add(&Running::Main, &parent, class.is_certain, places, &[]);
        }
        let running = &Running::Body(DeclarationKind::Class, name.clone());
        let (is_certain, origin) = (class.is_certain, Some(&class.origin));
        let reached = Reached { running, is_certain, origin };
        let body = Body::Declaration(code.index());
        self.add_inclusions(&code.path, &code.file, body, reached);
    }

    fn add_inclusions(
        &mut self,
        path: &Arc<str>,
        file: &CodeFile,
        body: Body,
        reached: Reached<'_>,
    ) {
        let declaration = match body {
            Body::TopLevel => None,
            Body::Declaration(index) => Some(index),
        };
        let finder = self.finder;
        let is_set = |name: &str| finder.may_set(file, declaration, name);
        let decider = Decider { node: self.node, is_set: &is_set, regexes: &finder.regexes };
        for inclusion in finder.inclusions_of(path, file).of_body(body) {
            let place = CodePlace { path: path.clone(), range: inclusion.range };
            match decider.runs(&inclusion.guards) {
                Some(false) => {}
                runs => {
                    let sets = match inclusion.included {
                        Included::Lookup(_) => finder.variables_of(path, file, body),
                        _ => Rc::default(),
                    };
                    let position = inclusion.range.start;
                    let caller = caller_at(finder.environment, path, file, position);
                    let caller = Caller { sets: &sets, ..caller };
                    let runs = (runs.is_some(), &decider, caller);
                    self.add_inclusion(inclusion, runs, &place, reached);
                }
            }
        }
    }

    fn add_inclusion(
        &mut self,
        inclusion: &Inclusion,
        (runs, decider, caller): (bool, &Decider<'_>, Caller<'_>),
        place: &CodePlace,
        reached: Reached<'_>,
    ) {
        let is_certain = runs && reached.is_certain;
        let (running, origin) = (reached.running, reached.origin.unwrap_or(place));
        let places = (origin, place);
        let given = inclusion.given.as_deref().unwrap_or_default();
        match &inclusion.included {
            Included::Class(name) => {
                self.add(running, name, is_certain, places, given);
            }
            Included::Lookup(lookup) => {
                let found = (self.looked_up)(lookup, caller);
                for (name, is_in_all) in &found.classes {
                    self.add(running, name, is_certain && *is_in_all, places, given);
                }
                if found.may_be_more {
                    self.add_other(running, place, given);
                }
            }
            Included::Defined(name, is_made) => {
                let is_made = is_certain && *is_made;
                self.add_declared(running, (DeclarationKind::Define, name), is_made, origin);
            }
            // What a function does depends on its arguments.
            Included::Function(name) => {
                self.add_declared(running, (DeclarationKind::Function, name), false, origin);
            }
            Included::Computed(computed) => match decider.class_names(computed) {
                Some(names) => {
                    for name in names {
                        self.add(running, &name.into(), is_certain, places, given);
                    }
                }
                None => self.add_other(running, place, given),
            },
            Included::Unknown => self.add_other(running, place, given),
        }
    }

    /// Adds what the body of a defined type or of a function includes.
    fn add_declared(
        &mut self,
        from: &Running,
        (kind, name): (DeclarationKind, &Arc<str>),
        is_certain: bool,
        origin: &CodePlace,
    ) {
        let running = Running::Body(kind, name.clone());
        self.givers.note_way(from, running.clone());
        // A body that runs certainly needs no second visit as one that may run.
        let is_known = self.visited.contains(&(kind, name.clone(), true))
            || !self.visited.insert((kind, name.clone(), is_certain));
        if let (false, Some(declared)) = (is_known, self.finder.declared(kind, name)) {
            let origin = origin.clone();
            self.waiting.push_back(Waiting::Defined(declared, running, is_certain, origin));
        }
    }

    fn add_other(&mut self, running: &Running, place: &CodePlace, given: &[Box<str>]) {
        if !given.is_empty() {
            self.givers.note_giver(running);
        }
        if self.others.len() < MAX_OTHERS && !self.others.contains(place) {
            self.others.push(place.clone());
        }
    }

    fn add(
        &mut self,
        from: &Running,
        name: &Arc<str>,
        is_certain: bool,
        (origin, place): (&CodePlace, &CodePlace),
        given: &[Box<str>],
    ) {
        self.givers.note_way(from, Running::Body(DeclarationKind::Class, name.clone()));
        if let Some(known) = self.found.get_mut(name) {
            known.given.extend_from_slice(given);
            if is_certain && !known.is_certain {
                known.is_certain = true;
                (known.origin, known.included_at) = (origin.clone(), place.clone());
                // Its own inclusions were found as possible ones. They are certain as well now, so the class is visited again.
                self.waiting.push_back(Waiting::Class(known.name.clone()));
            }
            return;
        }
        if self.found.len() >= MAX_CLASSES {
            return self.add_other(from, place, given);
        }
        let code = self.finder.class(name);
        let class = NodeClass {
            name: name.clone(),
            is_missing: code.is_none() && self.finder.lacks(name),
            code,
            is_certain,
            origin: origin.clone(),
            included_at: place.clone(),
            given: given.to_vec(),
            refused_values: Vec::new(),
        };
        self.found.insert(name.clone(), class);
        self.order.push(name.clone());
        self.waiting.push_back(Waiting::Class(name.clone()));
    }
}
