//! The parameters that a node classifier sets and Puppet refuses, for the rules about parameters.

use std::collections::BTreeMap;

use crate::ide::diagnostics::code::ClassifierContext;
use crate::ide::diagnostics::{Report, Rule, Severity};
use crate::text::TextRange;

/// Reports those that their classes do not have, or else those whose values do not fit.
pub(crate) fn report_refused_values(
    at: &ClassifierContext<'_>,
    (rule, of_unknown): (&'static Rule, bool),
    report: &mut Report,
) {
    let fleet = at.world.fleet_classes(at.environment);
    for name in fleet.certain_classes() {
        let mut by_place: BTreeMap<(u32, u32, &str), Vec<u32>> = BTreeMap::new();
        for (node, class) in fleet.holders(name) {
            let here = class.refused_values.iter().filter(|it| *it.path == *at.path);
            for refused in here.filter(|it| it.is_unknown == of_unknown) {
                let range = refused.range;
                by_place.entry((range.start, range.end, &refused.message)).or_default().push(node);
            }
        }
        for ((start, end, words), nodes) in by_place {
            let nodes = fleet.in_words(&nodes);
            let message = format!("{words}\nCatalogs with class `{name}` fail for {nodes}.");
            report.add_as(rule, Severity::Error, TextRange::new(start, end), message);
        }
    }
}
