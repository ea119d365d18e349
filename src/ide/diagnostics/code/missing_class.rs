//! `missing-class`: a node certainly gets a class that its module does not have.
//!
//! The finding is where the way to the class starts: in the main manifest or in the output of a node classifier. The name may
//! be in data.

use std::sync::Arc;

use crate::config::Environment;
use crate::ide::diagnostics::code::{ClassifierContext, CodeContext};
use crate::ide::diagnostics::{Check, Cost, Report, Rule, Severity};
use crate::text::TextRange;
use crate::world::World;
use crate::world::node_classes::NodeClass;

pub(crate) const RULE: Rule = Rule {
    code: "missing-class",
    name: "Class that does not exist",
    severity: Severity::Error,
    since: "0.2.0",
    summary: "Catalogs fail: a node with a fact set certainly gets a class that its module does not have.",
    page: include_str!("../../../../docs/rules/missing-class.md"),
    cost: Cost::High,
    checks: &[Check::Code(check), Check::Classifier(check_classifier)],
    ..Rule::USUAL
};

/// Checks a file of the main manifest.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    if code.world.is_main_manifest(code.environment, code.path) {
        check_origin(code.world, code.environment, code.path, report);
    }
}

/// Checks the output of a node classifier.
pub(crate) fn check_classifier(at: &ClassifierContext<'_>, report: &mut Report) {
    check_origin(at.world, at.environment, at.path, report);
}

/// Reports the missing classes to which the file at `path` leads.
fn check_origin(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    path: &str,
    report: &mut Report,
) {
    let fleet = world.fleet_classes(environment);
    for name in fleet.certain_classes() {
        let mut by_origin: Vec<(TextRange, &NodeClass, Vec<u32>)> = Vec::new();
        let is_here = |it: &NodeClass| it.is_missing && &*it.origin.path == path;
        for (node, class) in fleet.holders(name).filter(|(_, it)| is_here(it)) {
            match by_origin.iter_mut().find(|(range, ..)| *range == class.origin.range) {
                Some((.., nodes)) => nodes.push(node),
                None => by_origin.push((class.origin.range, class, vec![node])),
            }
        }
        for (range, class, nodes) in by_origin {
            let words = fleet.of(nodes[0]).words_about_missing(class);
            let nodes = fleet.in_words(&nodes);
            let message = format!("{words}\nCatalogs fail for {nodes}.");
            report.add(&RULE, range, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    const CODE: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                        - {name: c, path: common.yaml}\n\
                        #- /data/common.yaml\nclasses: [prof::web, prof::wbe]\n\
                        #- /data/nodes/b.yaml\nclasses: [other::none]\n\
                        #- /modules/prof/manifests/web.pp\nclass prof::web { }\n\
                        #- /modules/prof/manifests/child.pp\nclass prof::child inherits prof::none { }\n\
                        #- /.hiera-ls/facts/a.json\n{\"role\": \"web\"}\n\
                        #- /.hiera-ls/facts/b.json\n{\"role\": \"db\"}\n";

    #[test]
    fn classes_that_their_modules_lack() {
        check(&format!(
            "{CODE}#- /manifests/site.pp\n\
             lookup('classes', Array, 'first').include\n\
             #^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[missing-class]: Could not find class ::prof::wbe Catalogs fail for 1 of 2 nodes: a.\n\
             node 'b' {{ include prof::child }}\n\
             #                  ^^^^^^^^^^^ error[missing-class]: Could not find parent resource type '::prof::none' of type hostclass Catalogs fail for 1 of 2 nodes: b.\n\
             node default {{ if $x {{ include prof::none }} }}\n"
        ));
    }

    #[test]
    fn names_that_facts_complete() {
        let check = |include: &str, finding: &str| {
            check(&format!("{CODE}#- /manifests/site.pp\n{include}\n{finding}"));
        };
        check(
            "include \"prof::${facts['role']}\"",
            "#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[missing-class]: Could not find class ::prof::db Catalogs fail for 1 of 2 nodes: b.\n",
        );
        // No node has the fact.
        check(
            "include \"none::${facts['rol']}\"",
            "#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[missing-class]: Could not find class ::none:: Catalogs fail for 2 of 2 nodes: a, b.\n",
        );
        check("include \"prof::${rol}\"", "");
        check("include \"prof::${facts['os']['family']}\"", "");
        check("include \"${facts['rol']}\"", "");
    }

    #[test]
    fn classes_of_a_classifier() {
        check(&format!(
            "{CODE}#- /.hiera-ls/facts/b.yaml\nclasses:\n  prof::web:\n  prof::nope: {{}}\n\
             # ^^^^^^^^^^ error[missing-class]: Could not find class ::prof::nope Catalogs fail for 1 of 2 nodes: b.\n"
        ));
    }
}
