//! `missing-required-parameter`: a node certainly has a class, and nothing gives a parameter of it a value.
//!
//! Told in the main manifest, at the statement that leads to the class. Only classes that are written out where nothing decides
//! about them are certain.

use std::collections::HashSet;
use std::sync::Arc;

use crate::binding::{Binder, Binding, Verdict};
use crate::code::ClassCode;
use crate::data::puppet_type::TypeAliases;
use crate::engine::{CancelToken, Evaluator};
use crate::ide::diagnostics::shared::code_context::CodeContext;
use crate::ide::diagnostics::{Related, Report, Rule, Severity};
use crate::syntax::puppet::{Declaration, DeclarationKind, Parameter};
use crate::world::node_classes::{MainManifest, NodeBlock, NodeClass, host_name, hosts};
use crate::world::{World, paths};

pub(crate) const RULE: Rule = Rule {
    code: "missing-required-parameter",
    name: "Required parameter without a value",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A node certainly has a class, and neither data nor a default give a parameter of it a value.",
    page: include_str!("../../../../docs/rules/missing-required-parameter.md"),
    is_on: true,
};

/// More node blocks of a file are not looked at.
const MAX_BLOCKS: usize = 32;

/// Checks a file of the main manifest: what all nodes have, and what those of each node block have.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    let manifests = code.world.main_manifests(code.environment);
    let Some(number) = manifests.iter().position(|it| &*it.path == code.path) else { return };
    if code.has_no_data() {
        return;
    }
    let aliases = code.world.type_aliases(code.environment);
    let mut checker = Checker { code, manifests: &manifests, aliases, told: HashSet::new() };
    checker.check_block(NodeBlock::None, None, report);
    let blocks = code.file.manifest.declarations.iter().enumerate();
    let blocks = blocks.filter(|(_, it)| it.kind == DeclarationKind::Node).take(MAX_BLOCKS);
    for (index, block) in blocks {
        checker.check_block(NodeBlock::At(number, index), Some(block), report);
    }
}

struct Checker<'a, 'w> {
    code: &'a CodeContext<'w>,
    manifests: &'a [MainManifest],
    aliases: Arc<TypeAliases>,
    /// The keys that were spoken of.
    told: HashSet<String>,
}

impl Checker<'_, '_> {
    fn check_block(
        &mut self,
        block: NodeBlock,
        declaration: Option<&Declaration>,
        report: &mut Report,
    ) {
        let evaluator = self.evaluator(declaration);
        let classes = self.code.world.classes_of_block(&evaluator, self.manifests, block);
        let certain = classes.iter().filter(|it| it.is_certain);
        for class in certain.filter(|it| &*it.origin.path == self.code.path) {
            let Some(declared) = &class.code else { continue };
            let required = declared.parameters().iter().filter(|it| it.default.is_none());
            for parameter in required.filter(|it| !is_given(class, it)) {
                self.check_parameter(&evaluator, class, (declared, parameter), report);
            }
        }
    }

    /// Answers for the machine that the block names, else for any node.
    fn evaluator(&self, block: Option<&Declaration>) -> Arc<Evaluator> {
        let (world, environment): (&Arc<World>, _) = (self.code.world, self.code.environment);
        let name = block.and_then(|it| hosts(&self.code.file, it).find_map(host_name));
        let node = match name {
            Some(name) => Arc::new(world.node_named(environment, &name).as_ref().clone()),
            None => world.any_node(environment),
        };
        world.quiet_evaluator(environment, &node)
    }

    fn check_parameter(
        &mut self,
        evaluator: &Evaluator,
        class: &NodeClass,
        (declared, parameter): (&ClassCode, &Parameter),
        report: &mut Report,
    ) {
        let key = declared.key_of(&parameter.name);
        if self.told.contains(&key) {
            return;
        }
        let cancel = CancelToken::default();
        let binder = Binder { evaluator, aliases: &self.aliases, cancel: &cancel };
        if !is_missing(&binder.bind(declared, parameter)) {
            return;
        }
        let (name, node) = (&parameter.name, &evaluator.node().name);
        let by = if class.included_at == class.origin {
            String::new()
        } else {
            let directory = self.code.environment.directory();
            let path = paths::below(directory, &class.included_at.path);
            format!(" through {}", path.unwrap_or(&class.included_at.path))
        };
        let message = format!(
            "expects a value for parameter '{name}'\nThis includes class `{}`{by}, and catalogs fail for {node}: no level has \
             `{key}`, and the parameter has no default.",
            class.name
        );
        let finding = report.add(&RULE, class.origin.range, message);
        finding.related.push(Related {
            path: Some(declared.path.clone()),
            range: parameter.name_range,
            message: format!("`${name}` is here"),
        });
        self.told.insert(key);
    }
}

/// Whether no level that a node can read has a value, and none could have one.
fn is_missing(binding: &Binding) -> bool {
    binding.answer.left_out.is_empty()
        && binding.cases.iter().all(|it| it.verdict == Verdict::Missing)
}

/// Whether some `class { … }` gives the parameter a value, or all that are in a hash.
fn is_given(class: &NodeClass, parameter: &Parameter) -> bool {
    class.given.iter().any(|it| **it == *parameter.name || &**it == "*")
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    const CODE: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                        - {name: c, path: common.yaml}\n#- /data/common.yaml\nweb::port: 80\n\
                        #- /data/nodes/web02.yaml\nweb::owner: root\n\
                        #- /modules/web/manifests/init.pp\nclass web(Integer $port, $owner, $mode = 1) { include web::deep }\n\
                        #- /modules/web/manifests/deep.pp\nclass web::deep(Optional[String] $depth) { }\n";

    #[test]
    fn what_certainly_fails_is_told_where_the_main_manifest_leads_to_it() {
        check(&format!(
            "{CODE}#- /manifests/site.pp\n\
             node 'web01' {{ include web }}\n\
             #                      ^^^ warning[missing-required-parameter]: expects a value for parameter 'owner' This includes class `web`, and catalogs fail for web01: no level has `web::owner`, and the parameter has no default.\n\
             #                      ^^^ warning[missing-required-parameter]: expects a value for parameter 'depth' This includes class `web::deep` through modules/web/manifests/init.pp, and catalogs fail for web01: no level has `web::deep::depth`, and the parameter has no default.\n\
             node 'web02' {{ if $x {{ include web }} }}\n\
             node default {{ class {{ 'web': owner => 1, * => $rest }} include \"a${{x}}\" }}\n"
        ));
    }

    #[test]
    fn what_some_level_may_have_is_not_missing() {
        check(&format!(
            "{CODE}#- /manifests/site.pp\nclass {{ 'web::deep': depth => 'x' }}\ninclude web\n"
        ));
    }

    #[test]
    fn it_leads_to_the_parameter() {
        check_related(
            &format!("{CODE}#- /manifests/site.pp\ninclude web::deep\n"),
            "missing-required-parameter",
            &["/modules/web/manifests/deep.pp: $depth: `$depth` is here"],
        );
    }
}
