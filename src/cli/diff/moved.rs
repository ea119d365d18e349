//! The nodes that are in another environment after an edit than before. What they got in one is compared with what they get in the
//! other.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::{Nodes, Sides};
use crate::cli::fleet::{self, Elsewhere, Selection};
use crate::cli::place::Place;
use crate::config::Environment;
use crate::facts::{Node, NodeParts};
use crate::world::World;

/// The moves of nodes from one environment to another.
pub(super) struct Moves<'a> {
    /// The fact sets that the command line names.
    facts: Option<&'a [(String, NodeParts)]>,
    /// For an environment before (0) or after (1), the nodes that are in other ones.
    elsewhere: HashMap<(usize, Arc<str>), Rc<OtherEnvironments>>,
    /// By the directories of both environments.
    found: BTreeMap<[Arc<str>; 2], Move>,
}

/// The environments that nodes are in, by the names of the nodes.
type OtherEnvironments = HashMap<Arc<str>, Arc<Environment>>;

/// The nodes that moved from one environment to another.
struct Move {
    places: [Place; 2],
    names: BTreeSet<Arc<str>>,
}

impl<'a> Moves<'a> {
    pub(super) fn new(facts: Option<&'a [(String, NodeParts)]>) -> Self {
        Self { facts, elsewhere: HashMap::new(), found: BTreeMap::new() }
    }

    /// Takes the nodes out of `nodes` that are in another environment on one of the sides.
    pub(super) fn take_from(&mut self, sides: &Sides, nodes: &mut Nodes) {
        if self.facts.is_some() && sides.have_same_nodes_of_fact_sets() {
            return;
        }
        let places = [&sides.before, &sides.after];
        let names = [&nodes.before, &nodes.after].map(|it| names_of(it));
        let mut taken = BTreeSet::new();
        for (here, away) in [(0, 1), (1, 0)] {
            let elsewhere = self.elsewhere(away, &places[away].world, &places[away].environment);
            for name in names[here].difference(&names[away]) {
                let Some(there) = elsewhere.get(name) else { continue };
                taken.insert(Arc::clone(name));
                // A node counts in each environment if nothing says which one it is in. It does not move then.
                let others = self.elsewhere(here, &places[here].world, there);
                if others.contains_key(name) {
                    let mut environments = [there, there];
                    environments[here] = &places[here].environment;
                    self.add(sides, environments, name);
                }
            }
        }
        for nodes in [&mut nodes.before, &mut nodes.after] {
            nodes.retain(|node| !taken.contains(&node.name));
        }
    }

    /// Both sides of each move.
    pub(super) fn sides(self) -> Result<Vec<(Sides, Nodes)>, String> {
        let wanted = Selection { names: None, facts: self.facts, elsewhere: Elsewhere::Later };
        let nodes = |place: &Place, names: &BTreeSet<Arc<str>>| -> Result<_, String> {
            let (mut nodes, _) = fleet::nodes_and_others(place, wanted)?;
            nodes.retain(|node| names.contains(&node.name));
            Ok(nodes)
        };
        let sides = self.found.into_values().map(|Move { places: [before, after], names }| {
            let nodes = Nodes {
                before: nodes(&before, &names)?,
                after: nodes(&after, &names)?,
                are_all: true,
            };
            Ok((Sides { before, after }, nodes))
        });
        sides.collect()
    }

    fn add(&mut self, sides: &Sides, [from, to]: [&Arc<Environment>; 2], name: &Arc<str>) {
        let place = |world: &Arc<World>, environment: &Arc<Environment>| Place {
            world: Arc::clone(world),
            environment: Arc::clone(environment),
        };
        let places = || [place(&sides.before.world, from), place(&sides.after.world, to)];
        let directories = [from, to].map(|it| it.directory().into());
        let new = || Move { places: places(), names: BTreeSet::new() };
        self.found.entry(directories).or_insert_with(new).names.insert(Arc::clone(name));
    }

    /// The nodes that are in other environments, as seen from one of a side.
    fn elsewhere(
        &mut self,
        side: usize,
        world: &World,
        environment: &Environment,
    ) -> Rc<OtherEnvironments> {
        let find = || {
            let found = match self.facts {
                Some(sets) => world.nodes_of_fact_sets(environment, sets).elsewhere,
                None => world.sample_nodes(environment).elsewhere.clone(),
            };
            Rc::new(found.into_iter().map(|it| (it.name, it.environment)).collect())
        };
        let key = (side, environment.directory().into());
        self.elsewhere.entry(key).or_insert_with(find).clone()
    }
}

fn names_of(nodes: &[Arc<Node>]) -> BTreeSet<Arc<str>> {
    nodes.iter().map(|it| Arc::clone(&it.name)).collect()
}
