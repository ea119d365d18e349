//! Levels by what their templates read. Nodes with the same values of the variables in a level see it in the same way, so it is
//! expanded for one of them only.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::evaluator::Evaluator;
use super::footprint::reading_of;
use super::hierarchy::ResolvedLevel;
use super::layer::Which;
use crate::syntax::key_path::{self, KeyPath};

/// After so many nodes, a level is no longer kept if most of them see it in a way of their own.
const TRIED: usize = 256;

/// The expanded levels of evaluators that read the same texts in the same way.
#[derive(Debug, Default)]
pub(super) struct ExpandedLevels {
    levels: Mutex<HashMap<LevelPlace, Expanded, foldhash::fast::RandomState>>,
}

/// A level of a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LevelPlace {
    /// The path of the hiera.yaml.
    pub(super) config: Arc<str>,
    pub(super) which: Which,
    pub(super) number: usize,
    /// The environment of the node, which can move the level's directory.
    pub(super) environment: Arc<str>,
}

/// A level, and the variable expressions in its templates.
pub(super) struct KnownLevel {
    pub(super) level: Arc<ResolvedLevel>,
    pub(super) variables: Arc<[TemplateVariable]>,
}

/// A variable expression in a template.
#[derive(Debug)]
pub(super) struct TemplateVariable {
    pub(super) expression: Arc<str>,
    /// `None` if Puppet refuses the expression.
    path: Option<KeyPath>,
}

/// What is known of a level.
#[derive(Debug)]
struct Expanded {
    variables: Arc<[TemplateVariable]>,
    by_readings: HashMap<Box<[u64]>, Arc<ResolvedLevel>, foldhash::fast::RandomState>,
    /// How often it was found here.
    found: usize,
}

impl Expanded {
    fn of(variables: &[Arc<str>]) -> Self {
        let variables = variables.iter().map(TemplateVariable::of).collect();
        Self { variables, by_readings: HashMap::default(), found: 0 }
    }

    /// Whether so few nodes see the level in the same way that it does not pay to keep it.
    fn is_of_single_nodes(&self) -> bool {
        self.by_readings.len() > TRIED && self.by_readings.len() > self.found
    }
}

/// The values of the variables for the node of an evaluator, as numbers.
fn readings(evaluator: &Evaluator, variables: &[TemplateVariable]) -> Box<[u64]> {
    variables.iter().map(|it| reading_of(evaluator.node(), it.path.as_ref())).collect()
}

impl ExpandedLevels {
    /// The level as a node with the same values of all its variables sees it.
    pub(super) fn find(&self, place: &LevelPlace, evaluator: &Evaluator) -> Option<KnownLevel> {
        let variables = {
            let levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
            let expanded = levels.get(place).filter(|it| !it.is_of_single_nodes())?;
            Arc::clone(&expanded.variables)
        };
        let readings = readings(evaluator, &variables);
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        let expanded = levels.get_mut(place)?;
        let level = Arc::clone(expanded.by_readings.get(&readings)?);
        expanded.found += 1;
        Some(KnownLevel { level, variables })
    }

    /// Keeps a level that read these variables and nothing else.
    pub(super) fn keep(
        &self,
        place: LevelPlace,
        evaluator: &Evaluator,
        variables: &[Arc<str>],
        level: &Arc<ResolvedLevel>,
    ) {
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        let expanded = levels.entry(place).or_insert_with(|| Expanded::of(variables));
        let are_the_same = expanded.variables.iter().map(|it| &it.expression).eq(variables);
        // If a list is empty, the templates for its members read nothing.
        if !are_the_same && expanded.variables.len() < variables.len() {
            *expanded = Expanded::of(variables);
        } else if !are_the_same || expanded.is_of_single_nodes() {
            return;
        }
        let readings = readings(evaluator, &expanded.variables);
        expanded.by_readings.insert(readings, Arc::clone(level));
    }
}

#[cfg(test)]
impl ExpandedLevels {
    /// How often a level was known.
    pub(super) fn count_found(&self) -> usize {
        let levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        levels.values().map(|it| it.found).sum()
    }
}

impl TemplateVariable {
    fn of(expression: &Arc<str>) -> Self {
        Self { expression: Arc::clone(expression), path: key_path::parse(expression).ok() }
    }
}
