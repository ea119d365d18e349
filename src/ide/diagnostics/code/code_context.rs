//! A file of Puppet code, with the code and the data of its environment, for its rules.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use crate::binding;
use crate::code::roots::is_code;
use crate::code::summary::root_key;
use crate::code::{CodeFile, CodeIndex, CodeSummary};
use crate::config::Environment;
use crate::data::{Files as _, PathKind, Value};
use crate::engine::{Answer, Caller, Evaluator, Request, module_of_key};
use crate::ide::diagnostics::shared::declared_classes::DeclaredClasses;
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::limits::MAX_KEYS_WHILE_TYPING;
use crate::syntax::puppet::DeclarationKind;
use crate::world::{World, paths};

/// The name that is looked up, and the number of the declaration that calls.
type Asked = (Box<str>, Option<usize>);

/// One file that Puppet loads code from.
pub(crate) struct CodeContext<'a> {
    pub(crate) world: &'a Arc<World>,
    pub(crate) environment: &'a Arc<Environment>,
    pub(crate) path: &'a str,
    pub(crate) file: Arc<CodeFile>,
    pub(crate) index: &'a CodeIndex,
    pub(crate) summary: &'a CodeSummary,
    keys: OnceCell<KnownKeys<'a>>,
    evaluator: OnceCell<Arc<Evaluator>>,
    known: RefCell<HashMap<Asked, Answered>>,
    near: RefCell<HashMap<Box<str>, Option<Arc<str>>>>,
}

/// Whether nodes have data for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answered {
    /// Every node has data.
    Always,
    /// Every node has data, but for some of them, it may be null. Lookups find that, but a parameter gets its default.
    AlwaysOrNull,
    /// No node has data.
    Never,
    /// Some nodes may have data, or it is not known.
    Perhaps,
}

impl Answered {
    /// Whether every node has data, null or not.
    pub(crate) fn is_always(self) -> bool {
        matches!(self, Self::Always | Self::AlwaysOrNull)
    }
}

impl<'a> CodeContext<'a> {
    /// The file at `path`, which is in `index`; `None` if it cannot be read.
    pub(crate) fn new(
        world: &'a Arc<World>,
        environment: &'a Arc<Environment>,
        index: &'a CodeIndex,
        path: &'a str,
    ) -> Option<Self> {
        let summary = index.summary(path)?;
        let file = world.code_file(path).filter(|_| is_code(path))?;
        let (keys, evaluator) = (OnceCell::new(), OnceCell::new());
        let (known, near) = (RefCell::default(), RefCell::default());
        Some(Self { world, environment, path, file, index, summary, keys, evaluator, known, near })
    }

    /// The code at a position of the file, as a caller of lookups.
    pub(crate) fn caller_at(&self, position: u32) -> Caller<'_> {
        binding::caller_at(self.environment, self.path, &self.file, position)
    }

    /// The variables that only the scope around a position has.
    pub(crate) fn variables_around(&self, position: u32) -> Vec<String> {
        self.world.variables_around(self.environment, &self.file, position)
    }

    /// Whether nodes have data for a lookup of `name` at a position of the file. If a file looks up too many names, the result is
    /// not known for the rest.
    pub(crate) fn answered(&self, name: &str, position: u32) -> Answered {
        let around = self.file.declaration_around(position);
        let kind = around.map(|it| self.file.manifest.declarations[it].kind);
        // Other variables that code sets are not known of any node, but the names of a resource would be.
        let sets = match kind {
            Some(DeclarationKind::Define) => self.variables_around(position),
            _ => Vec::new(),
        };
        let caller = Caller { sets: &sets, ..self.caller_at(position) };
        let asked = (name.into(), around);
        if let Some(known) = self.known.borrow().get(&asked) {
            return *known;
        }
        // Each new key costs a lookup, and a manifest may name very many.
        if self.known.borrow().len() >= MAX_KEYS_WHILE_TYPING {
            return Answered::Perhaps;
        }
        let answered = self.ask(name, caller);
        self.known.borrow_mut().insert(asked, answered);
        answered
    }

    fn ask(&self, name: &str, caller: Caller<'_>) -> Answered {
        let root = root_key(name);
        let is_open = self.keys().is_open(module_of_key(&root)) || self.has_no_data();
        if !self.keys().contains(&root) {
            // If the lookup fails, it does so in another way than without data.
            let fails = || {
                let answer = self.evaluator().call_from(caller, &Request::key(name));
                answer.outcome.is_err() || answer.cases.iter().any(|it| it.answer.outcome.is_err())
            };
            let may_be_there = is_open || fails() || self.keys().may_be_refused(&root);
            return if may_be_there { Answered::Perhaps } else { Answered::Never };
        }
        // Assumptions about variables are not true for all nodes.
        if !self.world.assumed().is_empty() {
            return Answered::Perhaps;
        }
        let answer = self.evaluator().call_from(caller, &Request::key(name));
        let cases = || answer.cases.iter().map(|case| &case.answer);
        let cases = || cases().chain(answer.cases.is_empty().then_some(&answer));
        // What a file contains that Puppet cannot parse is not certain.
        if !answer.left_out.is_empty() || cases().any(|it| !it.broken.is_empty()) {
            Answered::Perhaps
        } else if cases().all(|it| matches!(it.outcome, Ok(Some(_)))) {
            let is_null =
                |it: &Answer| matches!(&it.outcome, Ok(Some(it)) if it.value == Value::Undef);
            if cases().any(is_null) { Answered::AlwaysOrNull } else { Answered::Always }
        } else if !is_open && cases().all(is_nothing) && !self.keys().may_be_refused(&root) {
            Answered::Never
        } else {
            Answered::Perhaps
        }
    }

    /// Whether data for `name` may be where it cannot be read.
    pub(crate) fn may_be_elsewhere(&self, name: &str) -> bool {
        let root = root_key(name);
        self.keys().is_open(module_of_key(&root)) || self.keys().may_be_refused(&root)
    }

    /// Whether there are data files, but none has the root key of `name`. Data may also be elsewhere.
    pub(crate) fn is_missing_here(&self, name: &str) -> bool {
        self.keys().is_missing(&root_key(name)) && !self.keys().is_empty()
    }

    /// The key that a misspelt one was probably meant to be.
    pub(crate) fn near(&self, key: &str) -> Option<Arc<str>> {
        let mut near = self.near.borrow_mut();
        let find = || {
            // The name of a parameter is right, and it is the key of the data that is misspelt.
            let classes = DeclaredClasses::new(self.world, self.environment);
            self.keys().near(key, "").filter(|_| !classes.is_parameter(key))
        };
        near.entry(key.into()).or_insert_with(find).clone()
    }

    /// The keys of the environment's data.
    pub(crate) fn keys(&self) -> &KnownKeys<'a> {
        self.keys.get_or_init(|| KnownKeys::new(self.world, self.environment.clone()))
    }

    /// Whether the data is stored elsewhere.
    pub(crate) fn has_no_data(&self) -> bool {
        has_no_data(self.world, self.environment, self.keys())
    }

    /// The evaluator for any node.
    pub(crate) fn evaluator(&self) -> &Evaluator {
        self.evaluator.get_or_init(|| {
            let node = self.world.any_node(self.environment);
            self.world.quiet_evaluator(self.environment, &node)
        })
    }
}

/// Whether the data of an environment with these keys is stored elsewhere. If it has no `hiera.yaml`, a server uses its own.
pub(crate) fn has_no_data(world: &World, environment: &Environment, keys: &KnownKeys<'_>) -> bool {
    let file = paths::join(environment.directory(), "hiera.yaml");
    let is_missing = world.kind(&file) != PathKind::File;
    is_missing && environment.global_config.is_none() || keys.is_empty()
}

fn is_nothing(answer: &Answer) -> bool {
    matches!(answer.outcome, Ok(None)) && answer.opaque.is_empty()
}
