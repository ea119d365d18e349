//! Fleets of the snapshots that are compared again and again: the one that the editor shows, and the earlier one.

use std::sync::{Arc, Mutex, PoisonError};

use super::comparison::{SideNodes, aligned};
use super::same_files::{SideOfComparison, with_same_files};
use super::{Fleet, FleetPair};
use crate::backends::eyaml::Decryption;
use crate::config::Environment;
use crate::data::Files as _;
use crate::facts::{Node, Origin};
use crate::world::World;

/// The number of fleets that are kept: those that were used last.
const MAX_KEPT: usize = 4;

/// Who requests a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// A user. Functions are run if that is allowed.
    User,
    /// Background work, which starts no programs.
    Background,
}

/// The sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// The fleets that are kept.
#[derive(Default)]
struct KeptFleets(Mutex<Vec<KeptFleet>>);

/// Nodes by their numbers.
type Nodes = Arc<[Arc<Node>]>;

/// Lists of nodes for comparisons: what each was created from, the environment's name, and the list.
#[derive(Default)]
struct KeptNodes(Mutex<Vec<(Nodes, Arc<str>, Nodes)>>);

#[derive(Clone)]
struct KeptFleet {
    asker: Asker,
    side: Side,
    fleet: Arc<Fleet>,
}

impl World {
    /// This snapshot and an earlier one, with all nodes of `environment` that either knows, and any other node. Both are kept for
    /// the next comparison.
    pub fn beside(
        self: &Arc<Self>,
        before: &Arc<World>,
        environment: &Arc<Environment>,
        asker: Asker,
    ) -> FleetPair {
        // The edit may have created the environment.
        let here = before.environment_like(environment);
        let (before, after) = with_same_files((before, &here), (self, environment));
        let sides = Sides::of((&before, &here), (&after, environment));
        let earlier = self.kept_fleet((&before, &here), sides.nodes_before, (asker, Side::Before));
        let now = self.kept_fleet((&after, environment), sides.nodes_after, (asker, Side::After));
        FleetPair::new(earlier, now, Some(sides.any))
    }

    /// This snapshot, and the same with some data files edited. The nodes are those with fact sets that read one of these files
    /// for keys of `module`, the machines that one of them belongs to, and any other node. Nodes that read none of the files get
    /// the same values as before.
    pub fn beside_what_if(
        self: &Arc<Self>,
        after: &Arc<World>,
        environment: &Arc<Environment>,
        edited: &[Arc<str>],
        module: Option<&str>,
    ) -> FleetPair {
        let orders = after.read_orders(environment);
        let mut readers: Vec<Arc<Node>> = Vec::new();
        for path in edited {
            readers.extend(orders.complete_readers(after, environment, after.id(path), module));
            // There may be too many cases of other nodes to compare all, but this one certainly reads the file.
            let view = self.view_of_file(environment, path);
            let is_machine = view.origin == Origin::Name;
            readers.extend(self.node_called_as(environment, path).or(is_machine.then_some(view)));
        }
        readers.sort_by(|one, other| one.name.cmp(&other.name));
        // A node may read several of the files.
        readers.dedup_by(|one, other| one.name == other.name);
        let here = readers.iter().map(|node| node.in_environment(environment));
        let nodes: Nodes = here.collect();
        let any = self.any_node(environment);
        let fleet =
            |world: &Arc<World>| world.new_fleet(environment, nodes.clone(), Asker::Background);
        FleetPair::of_readers(fleet(self), fleet(after), (any.clone(), any), edited)
    }

    /// All nodes of an environment for a comparison; the same list for the same nodes.
    fn kept_nodes(&self, world: &World, environment: &Environment) -> Nodes {
        let (nodes, name) = (world.nodes(environment), &environment.name);
        let kept = self.attached::<KeptNodes>();
        let mut known = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |it: &&(Nodes, Arc<str>, Nodes)| Arc::ptr_eq(&it.0, &nodes) && it.1 == *name;
        if let Some((_, _, made)) = known.iter().find(is_it) {
            return made.clone();
        }
        let made: Nodes = world.fleet_nodes(environment).into();
        known.insert(0, (nodes, name.clone(), made.clone()));
        known.truncate(MAX_KEPT);
        made
    }

    fn kept_fleet(
        &self,
        (world, environment): SideOfComparison<'_>,
        nodes: Nodes,
        (asker, side): (Asker, Side),
    ) -> Arc<Fleet> {
        let kept = self.attached::<KeptFleets>();
        // If no program would be started anyway, both requests are the same.
        let asker = if self.back_ends().quiet().is_none() { Asker::User } else { asker };
        let has_these_nodes = |it: &KeptFleet| {
            let known = it.fleet.nodes();
            let mut pairs = known.iter().zip(nodes.iter());
            // After an edit of facts, both lists have the same names but other nodes, and then the snapshots differ, too.
            let is_same = |(one, other): (&Arc<Node>, &Arc<Node>)| {
                one.name == other.name && one.named_by() == other.named_by()
            };
            Arc::ptr_eq(known, &nodes) || known.len() == nodes.len() && pairs.all(is_same)
        };
        let is_it = |it: &KeptFleet| {
            it.asker == asker
                && it.fleet.environment() == environment
                && it.fleet.world().is_same_moment(world)
                && has_these_nodes(it)
        };
        let mut known = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = known.iter().position(is_it) {
            let found = known.remove(at);
            known.insert(0, found.clone());
            return found.fleet;
        }
        // The fleet is kept in storage that snapshots share. A snapshot with that storage would keep itself in memory.
        let fleet = Arc::new(world.detached().new_fleet(environment, nodes, asker));
        // What was typed before is not compared again, and its answers may take hundreds of megabytes.
        known.retain(|it| {
            it.asker != asker
                || [it.side, side].contains(&Side::Before)
                || it.fleet.environment() != environment
                || !it.fleet.world().has_other_unsaved_texts(world)
        });
        known.insert(0, KeptFleet { asker, side, fleet: fleet.clone() });
        known.truncate(MAX_KEPT);
        fleet
    }

    fn new_fleet(
        self: &Arc<Self>,
        environment: &Arc<Environment>,
        nodes: Nodes,
        asker: Asker,
    ) -> Fleet {
        let back_ends = match asker {
            Asker::User => None,
            Asker::Background => self.back_ends().quiet(),
        };
        let back_ends = back_ends.unwrap_or_else(|| self.back_ends().as_ref().clone());
        // Secrets must not appear in a comparison: encrypted values are compared as they are written.
        let back_ends = Arc::new(back_ends.with_eyaml(self.eyaml(Decryption::Off)));
        Fleet::reading_broken_files(self, environment, nodes, back_ends)
    }
}

/// Which nodes are compared.
struct Sides {
    nodes_before: Nodes,
    nodes_after: Nodes,
    any: (Arc<Node>, Arc<Node>),
}

impl Sides {
    fn of(
        (before, here): SideOfComparison<'_>,
        (after, environment): SideOfComparison<'_>,
    ) -> Self {
        // As long as only values are edited, both have the same nodes.
        let earlier = after.kept_nodes(before, here);
        let now = after.kept_nodes(after, environment);
        let (nodes_before, nodes_after) = if Arc::ptr_eq(&earlier, &now) {
            (earlier, now)
        } else {
            let earlier = SideNodes { world: before, environment: here, nodes: earlier.to_vec() };
            let now = SideNodes { world: after, environment, nodes: now.to_vec() };
            let (earlier, now) = aligned(earlier, now);
            (earlier.into(), now.into())
        };
        Self {
            nodes_before,
            nodes_after,
            any: (before.any_node(here), after.any_node(environment)),
        }
    }
}
