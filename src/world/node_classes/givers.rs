//! Code that gives parameters to classes whose names are not known, such as `create_resources($type, …)`. A class through which
//! Puppet comes to this code gets none: it has its parameters before its body runs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::syntax::puppet::DeclarationKind;

/// Code that runs as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Running {
    /// The main manifest, or what a classifier says.
    Main,
    /// The body of a class, of a defined type or of a function.
    Body(DeclarationKind, Arc<str>),
}

/// The bodies that give parameters to classes with unknown names, and the ways to them.
#[derive(Default)]
pub(super) struct Givers {
    all: HashSet<Running>,
    /// By a body, the code that leads to it.
    leading: HashMap<Running, HashSet<Running>>,
}

impl Givers {
    /// Notes that some code leads to a body.
    pub(super) fn note_way(&mut self, from: &Running, to: Running) {
        self.leading.entry(to).or_default().insert(from.clone());
    }

    /// Notes that some code gives parameters to classes with unknown names.
    pub(super) fn note_giver(&mut self, running: &Running) {
        self.all.insert(running.clone());
    }

    /// Whether such code may run before the class of this name has its parameters.
    pub(super) fn may_give_to(&self, class: &Arc<str>) -> bool {
        let class = Running::Body(DeclarationKind::Class, class.clone());
        let mut left: Vec<&Running> = self.all.iter().collect();
        let mut seen = HashSet::new();
        while let Some(running) = left.pop() {
            if *running == Running::Main {
                return true;
            }
            if *running != class && seen.insert(running) {
                left.extend(self.leading.get(running).into_iter().flatten());
            }
        }
        false
    }
}
