//! The levels of one `hiera.yaml` for the active node.

use super::perspective::Perspective;
use crate::engine::ResolvedLevel;

/// Runs `work` on all levels that the `hiera.yaml` at `path` defines, default hierarchies included. `None` if the node
/// does not use that file, or Puppet refuses it.
pub(crate) fn with_levels<R>(
    perspective: &Perspective,
    path: &str,
    work: impl FnOnce(&[&ResolvedLevel]) -> Option<R>,
) -> Option<R> {
    let evaluator = &perspective.evaluator;
    let module = perspective.world.module_of(evaluator.environment(), path).map(|it| it.0);
    let layers = evaluator.layers(module.as_deref());
    let layer = layers.iter().find(|layer| &*layer.config().path == path)?;
    let ordinary = layer.levels(evaluator).unwrap_or_default();
    let default = layer.default_levels(evaluator).unwrap_or_default();
    let levels: Vec<_> = ordinary.iter().chain(default).map(|it| &**it).collect();
    work(&levels)
}
