//! `missing-required-parameter`: a node certainly has a class, and some of its parameters have no value.
//!
//! The finding is where the way to the class starts: in the main manifest or in the output of a node classifier. Only classes
//! that are written out where no unknown condition decides about them are certain.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use indexmap::IndexMap;

use crate::binding::{Binder, Binding, Verdict};
use crate::code::ClassCode;
use crate::config::Environment;
use crate::data::puppet_type::TypeAliases;
use crate::engine::{CancelToken, Evaluator};
use crate::facts::{Node, Origin};
use crate::ide::cases::{MAX_LISTED, listed};
use crate::ide::diagnostics::code::{ClassifierContext, CodeContext, has_no_data};
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::ide::diagnostics::suppression::control;
use crate::ide::diagnostics::{Check, Cost, Diagnostic, Related, Report, Rule, Severity};
use crate::syntax::puppet::{Declaration, DeclarationKind, Parameter};
use crate::text::TextRange;
use crate::world::node_classes::{
    FleetClasses, MissingParameter, NodeBlock, NodeClass, host_name, hosts,
};
use crate::world::{World, paths};

pub(crate) const RULE: Rule = Rule {
    code: "missing-required-parameter",
    name: "Required parameter without a value",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "Catalogs fail: a node certainly has a class, and a parameter of the class has neither data nor a default.",
    page: include_str!("../../../../docs/rules/missing-required-parameter.md"),
    cost: Cost::High,
    checks: &[Check::Code(check), Check::Classifier(check_classifier)],
    ..Rule::USUAL
};

/// The maximum number of node blocks of a file that are checked.
const MAX_BLOCKS: usize = 32;

/// The parameters of a class that the same nodes lack, and the statement that leads to the class.
pub(crate) struct Missing {
    /// The statement in the main manifest, or the name in the output of a classifier.
    pub(crate) range: TextRange,
    /// The class.
    pub(crate) class: ClassCode,
    /// Without `$`, at least one.
    parameters: Vec<String>,
    /// A node that lacks them, or a node that represents all such nodes.
    pub(crate) node: Arc<Node>,
    /// The nodes that lack them, in words.
    nodes: String,
    /// Whether these nodes are completely known.
    is_certain: bool,
    /// The file whose code includes the class, if it is another file.
    through: Option<String>,
}

/// Checks a file of the main manifest: what all nodes have, and what the nodes of each node block have.
pub(crate) fn check(code: &CodeContext<'_>, report: &mut Report) {
    report_all(&all_missing(code), report);
}

/// Checks the output of a node classifier.
pub(crate) fn check_classifier(at: &ClassifierContext<'_>, report: &mut Report) {
    let ClassifierContext { world, environment, path } = *at;
    if !has_no_data(world, environment, &KnownKeys::new(world, environment.clone())) {
        report_all(&missing_in_fleet(world, environment, path), report);
    }
}

fn report_all(all: &[Missing], report: &mut Report) {
    for missing in all {
        let severity = if missing.is_certain { Severity::Error } else { RULE.severity };
        let finding = report.add_as(&RULE, severity, missing.range, missing.message());
        let places = missing.listed_parameters().filter_map(|it| missing.class.parameter(it));
        finding.related.extend(places.map(|it| Related {
            path: Some(missing.class.path.clone()),
            range: it.name_range,
            message: format!("`${}` is here", it.name),
        }));
    }
}

impl Missing {
    /// Those of the parameters that the message names.
    pub(crate) fn listed_parameters(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().take(MAX_LISTED).map(String::as_str)
    }

    /// Whether a finding reports this.
    pub(crate) fn is_reported_by(&self, finding: &Diagnostic) -> bool {
        finding.code == RULE.code
            && finding.range == self.range
            && finding.message == self.message()
    }

    fn message(&self) -> String {
        let Self { class, parameters, nodes, through, .. } = self;
        // Puppet has a line for each parameter. Editors show the first line, and a class can lack dozens.
        let wanted = parameters.iter().enumerate().map(|(number, name)| match number {
            0 => format!("parameter '{name}'"),
            _ => format!("for '{name}'"),
        });
        let keys: Vec<String> =
            parameters.iter().map(|it| format!("`{}`", class.key_of(it))).collect();
        let have =
            if parameters.len() == 1 { "the parameter has" } else { "these parameters have" };
        let by = through.as_ref().map_or(String::new(), |it| format!(" through {it}"));
        format!(
            "expects a value for {}\nThis includes class `{}`{by}, and catalogs fail for {nodes}: no level has {}, and \
             {have} no default.",
            listed(&wanted.collect::<Vec<_>>(), "and"),
            class.name,
            listed(&keys, "or")
        )
    }
}

/// The missing parameters that statements of the main manifest at `path` lead to.
pub(crate) fn missing_in(world: &Arc<World>, path: &str) -> Vec<Missing> {
    let Some(environment) = world.environment_of(path) else { return Vec::new() };
    let index = world.code_index(&environment);
    CodeContext::new(world, &environment, &index, path).map_or_else(Vec::new, |it| all_missing(&it))
}

/// For how many nodes with fact sets this rule reports something, and how many there are; `None` if it is off.
pub(crate) fn nodes_that_lack(world: &Arc<World>) -> Option<(usize, usize)> {
    if !control::asks_for(world, &RULE) {
        return None;
    }
    let (mut lacking, mut all) = (0, 0);
    for environment in world.environments().iter() {
        // Nothing is reported if the data is elsewhere.
        if has_no_data(world, environment, &KnownKeys::new(world, environment.clone())) {
            continue;
        }
        let fleet = world.fleet_classes(environment);
        let missing = world.missing_parameters(environment);
        let holders = missing.iter().flat_map(|it| holders_without_value(&fleet, it));
        lacking += holders.map(|(node, _)| node).collect::<BTreeSet<u32>>().len();
        all += fleet.nodes.len();
    }
    Some((lacking, all))
}

/// The nodes that lack a value for the parameter, each with the class.
fn holders_without_value<'f>(
    fleet: &'f FleetClasses,
    missing: &'f MissingParameter,
) -> impl Iterator<Item = (u32, &'f NodeClass)> {
    let lacks = |node: u32| missing.nodes.binary_search(&node).is_ok();
    fleet.holders(&missing.class.name).filter(move |(node, _)| lacks(*node))
}

/// The missing parameters that statements of a main manifest lead to, each once.
fn all_missing(code: &CodeContext<'_>) -> Vec<Missing> {
    let manifests = code.world.main_manifests(code.environment);
    let Some(number) = manifests.iter().position(|it| &*it.path == code.path) else {
        return Vec::new();
    };
    // Without data, all required parameters would be missing. The data is probably elsewhere.
    if code.has_no_data() {
        return Vec::new();
    }
    let aliases = code.world.type_aliases(code.environment);
    let mut checker = Checker { code, aliases, found: Vec::new(), told: HashSet::new() };
    // Nodes with fact sets come first: a key that they certainly lack is not reported again for nodes that are only named.
    checker.check_fleet();
    checker.check_block(NodeBlock::None, None);
    let blocks = code.file.manifest.declarations.iter().enumerate();
    let blocks = blocks.filter(|(_, it)| it.kind == DeclarationKind::Node).take(MAX_BLOCKS);
    for (index, block) in blocks {
        checker.check_block(NodeBlock::At(number, index), Some(block));
    }
    checker.found
}

struct Checker<'a, 'w> {
    code: &'a CodeContext<'w>,
    aliases: Arc<TypeAliases>,
    found: Vec<Missing>,
    /// The keys that were reported.
    told: HashSet<String>,
}

impl Checker<'_, '_> {
    /// Checks the completely known nodes. What they lack is reported at each statement that leads to the class.
    fn check_fleet(&mut self) {
        let CodeContext { world, environment, path, .. } = *self.code;
        self.found = missing_in_fleet(world, environment, path);
        let keys_of =
            |it: &Missing| it.parameters.iter().map(|name| it.class.key_of(name)).collect();
        self.told.extend(self.found.iter().flat_map::<Vec<_>, _>(keys_of));
    }

    fn check_block(&mut self, block: NodeBlock, declaration: Option<&Declaration>) {
        let evaluator = self.evaluator(declaration);
        // The block of a node with a name is for it alone, and others may not need the class.
        let is_any = evaluator.node().origin == Origin::Any;
        let within = if declaration.is_some() && is_any { " of this node block" } else { "" };
        let nodes = format!("{}{within}", evaluator.node().name);
        let classes = self.code.world.classes_of_block(&evaluator, block);
        let certain = classes.classes.iter().filter(|it| it.is_certain);
        for class in certain.filter(|it| &*it.origin.path == self.code.path) {
            let Some(declared) = &class.code else { continue };
            let required = declared.parameters().iter().filter(|it| it.default.is_none());
            // Code may pass a value to the class, and then Puppet does not look the parameter up.
            let required = required.filter(|it| !class.may_be_given(&it.name));
            let missing = required.filter(|it| self.tells(&evaluator, declared, it));
            let parameters: Vec<String> = missing.map(|it| it.name.clone()).collect();
            if !parameters.is_empty() {
                self.told.extend(parameters.iter().map(|it| declared.key_of(it)));
                self.found.push(Missing {
                    range: class.origin.range,
                    class: declared.clone(),
                    parameters,
                    node: evaluator.node().clone(),
                    nodes: nodes.clone(),
                    is_certain: false,
                    through: through(self.code.environment, class),
                });
            }
        }
    }

    /// The evaluator for the machine that the block names, or else for any node.
    fn evaluator(&self, block: Option<&Declaration>) -> Evaluator {
        let (world, environment): (&Arc<World>, _) = (self.code.world, self.code.environment);
        let name = block.and_then(|it| hosts(&self.code.file, it).find_map(host_name));
        let node = match name {
            Some(name) => Arc::new(world.node_named(environment, &name).as_ref().clone()),
            None => world.any_node(environment),
        };
        world.catalog_evaluator(environment, &node)
    }

    /// Whether the parameter has no value, and this was not reported.
    fn tells(&self, evaluator: &Evaluator, class: &ClassCode, parameter: &Parameter) -> bool {
        let key = class.key_of(&parameter.name);
        if self.told.contains(&key) {
            return false;
        }
        let cancel = CancelToken::default();
        let binder = Binder { evaluator, aliases: &self.aliases, cancel: &cancel };
        // A file that Puppet refuses may be meant to have it.
        is_missing(&binder.bind(class, parameter)) && !self.code.keys().may_be_refused(&key)
    }
}

/// What nodes with fact sets lack in classes to which the file at `path` leads.
fn missing_in_fleet(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    path: &str,
) -> Vec<Missing> {
    let fleet = world.fleet_classes(environment);
    // By the class, the statement and the nodes, so that a finding says what is true of all its parameters.
    let mut found: IndexMap<(&str, TextRange, Vec<u32>), Missing> = IndexMap::new();
    let all = world.missing_parameters(environment);
    for missing in all.iter() {
        let MissingParameter { class, parameter, .. } = missing;
        let mut by_origin: IndexMap<TextRange, (&NodeClass, Vec<u32>)> = IndexMap::new();
        let lacking = holders_without_value(&fleet, missing);
        for (node, held) in lacking.filter(|(_, it)| &*it.origin.path == path) {
            let of_origin = by_origin.entry(held.origin.range);
            of_origin.or_insert_with(|| (held, Vec::new())).1.push(node);
        }
        for (range, (held, nodes)) in by_origin {
            let new = || Missing {
                range,
                class: class.clone(),
                parameters: Vec::new(),
                node: fleet.nodes[nodes[0] as usize].clone(),
                nodes: fleet.in_words(&nodes),
                is_certain: true,
                through: through(environment, held),
            };
            let group = (&*class.name, range, nodes.clone());
            found.entry(group).or_insert_with(new).parameters.push(parameter.to_string());
        }
    }
    found.into_values().collect()
}

/// The file whose code includes a class, if that is another file than the one in which the way to the class starts.
fn through(environment: &Environment, class: &NodeClass) -> Option<String> {
    if class.included_at.path == class.origin.path {
        return None;
    }
    let path = &class.included_at.path;
    let below = paths::below(environment.directory(), path);
    Some(below.unwrap_or(path).to_owned())
}

/// Whether no level that a node can read has or could have a value.
fn is_missing(binding: &Binding) -> bool {
    binding.answer.left_out.is_empty()
        && binding.cases.iter().all(|it| it.verdict == Verdict::Missing)
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

    /// Puppet refuses a class once, with all that it lacks.
    #[test]
    fn what_the_same_nodes_lack_is_one_finding() {
        let check = |facts: &str, parameters: &str, site: &str| {
            check(&format!(
                "{CODE}{facts}\
                 #- /modules/all/manifests/init.pp\nclass all({parameters}) {{ }}\n\
                 #- /manifests/site.pp\n{site}"
            ));
        };
        check(
            "",
            "$a, $c",
            "include all\n\
             #       ^^^ warning[missing-required-parameter]: expects a value for parameter 'a' and for 'c' This includes class `all`, and catalogs fail for any node: no level has `all::a` or `all::c`, and these parameters have no default.\n",
        );
        let facts = "#- /.hiera-ls.yaml\nnodes:\n  n1: {facts: {a: 1}}\n  n2: {facts: {a: 1}}\n";
        check(
            &format!("{facts}#- /data/nodes/n1.yaml\nall::b: 1\n"),
            "$a, $b, $c",
            "include all\n\
             #       ^^^ error[missing-required-parameter]: expects a value for parameter 'a' and for 'c' This includes class `all`, and catalogs fail for 2 of 2 nodes: n1, n2: no level has `all::a` or `all::c`, and these parameters have no default.\n\
             #       ^^^ error[missing-required-parameter]: expects a value for parameter 'b' This includes class `all`, and catalogs fail for 1 of 2 nodes: n2: no level has `all::b`, and the parameter has no default.\n",
        );
        check(
            facts,
            "$p1, $p2, $p3, $p4, $p5, $p6, $p7, $p8",
            "include all\n\
             #       ^^^ error[missing-required-parameter]: expects a value for parameter 'p1', for 'p2', for 'p3', for 'p4', for 'p5', for 'p6' and 2 more…\n",
        );
    }

    #[test]
    fn a_node_block_is_not_for_all_nodes() {
        check(&format!(
            "{CODE}#- /manifests/site.pp\nnode 'web02' {{ }}\nnode default {{ include web::deep }}\n\
             #                      ^^^^^^^^^ warning[missing-required-parameter]: expects a value for parameter 'depth' This includes class `web::deep`, and catalogs fail for any node of this node block: no level has `web::deep::depth`, and the parameter has no default.\n"
        ));
    }

    #[test]
    fn what_some_level_may_have_is_not_missing() {
        check(&format!(
            "{CODE}#- /manifests/site.pp\nclass {{ 'web::deep': depth => 'x' }}\ninclude web\n"
        ));
    }

    #[test]
    fn nodes_with_fact_sets_are_named() {
        let facts = "#- /.hiera-ls.yaml\nnodes:\n  web01: {facts: {os: {family: Debian}}}\n  web02: {facts: {os: {family: Debian}}}\n  \
                     db01: {facts: {os: {family: RedHat}}}\n";
        check(&format!(
            "{CODE}{facts}#- /manifests/site.pp\n\
             if $facts['os']['family'] == 'Debian' {{\n  include web\n\
             #         ^^^ error[missing-required-parameter]: expects a value for parameter 'owner' This includes class `web`, and catalogs fail for 1 of 3 nodes: web01: no level has `web::owner`, and the parameter has no default.\n\
             #         ^^^ error[missing-required-parameter]: expects a value for parameter 'depth' This includes class `web::deep` through modules/web/manifests/init.pp, and catalogs fail for 2 of 3 nodes: web01, web02: no level has `web::deep::depth`, and the parameter has no default.\n}}\n"
        ));
    }

    #[test]
    fn names_that_facts_complete() {
        check(&format!(
            "{CODE}#- /.hiera-ls/facts/n1.json\n{{\"part\": \"deep\"}}\n\
             #- /manifests/site.pp\ninclude \"web::${{facts['part']}}\"\n\
             #^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[missing-required-parameter]: expects a value for parameter 'depth' This includes class `web::deep`, and catalogs fail for n1: no level has `web::deep::depth`, and the parameter has no default.\n"
        ));
    }

    #[test]
    fn classes_of_a_classifier() {
        check(&format!(
            "{CODE}#- /.hiera-ls/facts/n1.json\n{{\"kernel\": \"Linux\"}}\n\
             #- /.hiera-ls/facts/n1.yaml\nclasses:\n  web: {{owner: root}}\n\
             # ^^^ error[missing-required-parameter]: expects a value for parameter 'depth' This includes class `web::deep` through modules/web/manifests/init.pp, and catalogs fail for n1: no level has `web::deep::depth`, and the parameter has no default.\n"
        ));
    }

    /// What is in such a file is not known, and all lookups that read it fail because of it.
    #[test]
    fn what_a_file_may_have_that_puppet_refuses_is_not_missing() {
        let nodes =
            "#- /.hiera-ls.yaml\nnodes:\n  web01: {facts: {a: 1}}\n  web02: {facts: {a: 1}}\n";
        let data = "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                    - {name: c, path: common.yaml}\n#- /data/common.yaml\nx: 1\n\
                    #- /modules/web/manifests/init.pp\nclass web($port, $none) { }\n\
                    #- /data/nodes/web02.yaml\nweb::port: @80\n\
                    #          ^^^ error[yaml-syntax]: found character that cannot start any token while scanning for the next token A value that starts with `@` needs quotes.\n";
        check(&format!(
            "{data}#- /manifests/site.pp\ninclude web\n\
             #       ^^^ warning[missing-required-parameter]: expects a value for parameter 'none'…\n"
        ));
        check(&format!(
            "{data}{nodes}#- /manifests/site.pp\ninclude web\n\
             #       ^^^ error[missing-required-parameter]: expects a value for parameter 'port' and for 'none' This includes class `web`, and catalogs fail for 1 of 2 nodes: web01…\n"
        ));
    }

    /// Puppet looks the parameters of a class up in the class's module.
    #[test]
    fn levels_that_depend_on_the_module() {
        let files = |facts: &str, severity: &str, nodes: &str| {
            format!(
                "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {{name: m, path: 'mods/%{{module_name}}.yaml'}}\n\
                 - {{name: c, path: common.yaml}}\n#- /data/common.yaml\nx: 1\n\
                 #- /data/mods/web.yaml\nweb::port: 80\nonly: 1\nother::port: 80\n{facts}\
                 #- /modules/web/manifests/init.pp\n\
                 class web(Integer $port) {{\n  lookup('only')\n  lookup('web::port', String)\n\
                 #        ^^^^^^^^^^^ warning[lookup-type-mismatch]: Found value has wrong type, expects a String value, got Integer The call fails for every node.\n}}\n\
                 #- /modules/other/manifests/init.pp\nclass other(Integer $port) {{ }}\n\
                 #- /manifests/site.pp\ninclude web\ninclude other\n\
                 #       ^^^^^ {severity}[missing-required-parameter]: expects a value for parameter 'port' This includes class `other`, and catalogs fail for {nodes}: no level has `other::port`, and the parameter has no default.\n\
                 lookup('only')\n\
                 #      ^^^^^^ warning[lookup-without-data]: no node has data for `only`…\n"
            )
        };
        check(&files("", "warning", "any node"));
        let facts = "#- /.hiera-ls.yaml\nnodes: {n1: {facts: {a: 1}}}\n";
        check(&files(facts, "error", "n1"));
    }

    /// Code that runs before the lookup may set the variables.
    #[test]
    fn levels_that_depend_on_variables_of_code() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n\
             - {name: t, path: 'tiers/%{p::tier}.yaml'}\n- {name: c, path: common.yaml}\n\
             #- /.hiera-ls.yaml\nnodes: {n1: {facts: {a: 1}}}\n\
             #- /data/common.yaml\nx: '%{role} %{p::tier}'\n#- /data/roles/web.yaml\nweb::port: 80\ndb::port: 1\n\
             #- /data/tiers/prod.yaml\nweb::tier: 80\ndb::tier: 1\n\
             #- /modules/db/manifests/init.pp\nclass db($port, $tier) { }\n\
             #- /modules/web/manifests/init.pp\nclass web($port, $tier, $none) { }\n\
             #- /modules/p/manifests/init.pp\nclass p { $tier = 'prod' }\n\
             #- /manifests/site.pp\n$role = 'web'\ninclude p\ninclude web\n\
             #       ^^^ error[missing-required-parameter]: expects a value for parameter 'none'…\n\
             node 'n1' { include db }\n",
        );
    }

    #[test]
    fn classes_with_other_names_may_be_given_values() {
        let check = |code: &str| {
            check(&format!(
                "{CODE}#- /.hiera-ls.yaml\nnodes: {{n1: {{facts: {{a: 1}}}}}}\n\
                 #- /modules/p/manifests/init.pp\nclass p($c) {{ {code} include web::deep }}\n\
                 #- /data/nodes/n1.yaml\np::c: web::deep\n#- /manifests/site.pp\ninclude p\n"
            ));
        };
        check("create_resources('class', { 'web::deep' => { depth => 'x' } })");
        check("ensure_resource('class', 'web::deep', { depth => 'x' })");
        check("Resource['class'] { 'web::deep': depth => 'x' }");
        check("$n = 'web::deep' class { $n: depth => 'x' }");
        check("class { \"${c}\": depth => 'x' }");
        check("['web::deep'].each |$n| { class { $n: depth => 'x' } }");
        check("class { lookup('p::c'): depth => 'x' }");
        check(
            "notice(epp('p/x.epp')) include web::deep }\n#- /modules/p/templates/x.epp\n\
             <% class { 'web::deep': depth => 'x' } %>\n#- /modules/p/manifests/other.pp\nclass p::other {",
        );
    }

    /// A class has its parameters before its body runs.
    #[test]
    fn code_within_a_class_gives_it_no_values() {
        let fails = "#       ^ error[missing-required-parameter]: expects a value for parameter 'p' This includes class `q`, and…\n";
        let check = |site: &str, fails: &str| {
            check(&format!(
                "{CODE}#- /.hiera-ls.yaml\nnodes: {{n1: {{facts: {{a: 1}}}}}}\n\
                 #- /modules/q/manifests/init.pp\nclass q($p) {{ include q::in }}\n\
                 #- /modules/q/manifests/in.pp\nclass q::in {{ q::d {{ 'x': }} }}\n\
                 #- /modules/q/manifests/d.pp\ndefine q::d {{ create_resources(\"${{name}}_config\", {{}}) }}\n\
                 #- /modules/r/manifests/init.pp\nclass r {{ include q::in }}\n\
                 #- /modules/s/manifests/init.pp\nclass s inherits r {{ include q }}\n\
                 #- /manifests/site.pp\n{site}\n{fails}"
            ));
        };
        check("include q", fails);
        check("include q, r", "");
        check("include s", "");
    }

    /// Such a function is older than `hiera.yaml` files of modules, and may have any key of its module.
    #[test]
    fn functions_with_the_data_of_a_module_may_have_values() {
        let members = "\"source\": \"\", \"author\": \"\", \"version\": \"\", \"license\": \"\", \"dependencies\": []";
        let files = |provider: &str| {
            format!(
                "{CODE}#- /modules/web/metadata.json\n{{{members}, \"data_provider\": \"{provider}\"}}\n\
                 #- /modules/web/data/common.yaml\nweb::deep::depth: x\n#- /manifests/site.pp\ninclude web::deep\n"
            )
        };
        check(&files("function"));
        check(&files("hiera"));
        let without = "#- /hiera.yaml\nversion: 5\ndefaults: {datadir: data, data_hash: yaml_data}\n\
                       #                   ^^^^ information[unread-data]: 1 file in modules/web/data…\n";
        check(&format!(
            "{}#       ^^^^^^^^^ warning[missing-required-parameter]: expects a value for parameter 'depth'…\n",
            files("none").replace("#- /hiera.yaml\nversion: 5\n", without)
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
