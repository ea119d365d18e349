//! The names of the nodes of a comparison, which no other node has.
//!
//! A node with the certname of another one is that node. By the same inference that finds nodes in the names of data files, so is a
//! node with its `host`, if there are a `nodes/%{facts.host}.yaml` and a file that is called after the node.

use std::collections::HashSet;
use std::sync::Arc;

use super::Fleet;
use crate::facts::NamesByVariable;
use crate::facts::variable::CERTNAME;
use crate::world::nodes::known_text;

/// The names of the nodes on both sides: no node that is on neither side has one of them.
pub(super) fn names_of_listed(before: &Fleet, after: &Fleet) -> Arc<NamesByVariable> {
    let mut names = NamesByVariable::default();
    let certname = Arc::from(CERTNAME);
    for node in before.nodes().iter().chain(after.nodes().iter()) {
        for variable in [&certname].into_iter().chain(node.named_by()) {
            names.entry(Arc::clone(variable)).or_default().insert(Arc::clone(&node.name));
        }
    }
    let is_name = |it: &Fleet, variable: &str| *variable == *CERTNAME || tells_apart(it, variable);
    names.retain(|variable, _| is_name(before, variable) && is_name(after, variable));
    names.into()
}

/// Whether nodes with fact sets all differ in a variable. If two machines are called `web01` in different domains, a third one may
/// be, too.
fn tells_apart(fleet: &Fleet, variable: &str) -> bool {
    let nodes = fleet.world().nodes(fleet.environment());
    let texts = nodes.iter().filter(|it| it.is_complete());
    let mut texts = texts.filter_map(|it| known_text(it, variable)).filter(|it| !it.is_empty());
    let mut seen = HashSet::new();
    texts.all(|it| seen.insert(it))
}
