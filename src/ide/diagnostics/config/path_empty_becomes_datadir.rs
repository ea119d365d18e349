//! `path-empty-becomes-datadir`: a path consists only of variables. If they are empty, the level reads the data directory
//! itself, and every lookup fails.

use std::sync::Arc;

use crate::config::HieraYaml;
use crate::config::hiera_yaml::Locations;
use crate::data::Value;
use crate::engine::CodeVariables;
use crate::facts::{Node, Reading};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::known_keys::is_file_backend;
use crate::ide::diagnostics::shared::targets::{Dug, dig};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::interpolation;
use crate::syntax::key_path;
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "path-empty-becomes-datadir",
    name: "Path that may be empty",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A path of `hiera.yaml` consists of variables only; if they are empty, it is the datadir.",
    page: include_str!("../../../../docs/rules/path-empty-becomes-datadir.md"),
    checks: &[Check::Config(check), Check::ConfigRest(check_unknown)],
    ..Rule::USUAL
};

/// Checks the levels with `nodes`, which are completely known.
pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, nodes, .. } = *at;
    let of_code = at.environment.map_or_else(Arc::default, |it| world.code_variables(it));
    each_suspect(config, |text, range, variables| {
        let is_empty =
            |node: &&Arc<Node>| variables.iter().all(|it| is_empty_for(node, it, &of_code));
        if let Some(node) = nodes.iter().find(is_empty) {
            let message = format!(
                "For node {} this path is empty, and every lookup fails: `Is a directory`\n\
                 Add text around the variables, e.g. `{text}.yaml`.",
                node.name
            );
            report.add_once(&RULE, RULE.severity, range, message);
        }
    });
}

/// Checks what no completely known node and no other rule covers.
pub(crate) fn check_unknown(at: &ConfigContext<'_>, report: &mut Report) {
    let config = at.config;
    each_suspect(config, |text, range, _| {
        if !report.findings.iter().any(|finding| finding.range == range) {
            let message = format!(
                "If its variables are empty, this path is empty and every lookup fails: `Is a directory`\n\
                 Add text around the variables, e.g. `{text}.yaml`."
            );
            report.add_as(&RULE, Severity::Information, range, message);
        }
    });
}

/// Runs `work` on the paths that consist only of variables.
fn each_suspect(config: &HieraYaml, mut work: impl FnMut(&str, TextRange, &[Arc<str>])) {
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let Locations::Paths(templates) = &level.locations else { continue };
        for template in templates.iter().filter(|_| is_file_backend(level)) {
            if let (Some(text), Some(place)) = (template.value.as_str(), template.place)
                && let Some(variables) = only_variables(text)
            {
                work(text, place.range, &variables);
            }
        }
    }
}

/// The variables of a text that contains nothing else.
fn only_variables(text: &str) -> Option<Vec<Arc<str>>> {
    let tokens = interpolation::tokens(text);
    let length: u32 = tokens.iter().map(|token| token.range.len()).sum();
    let names: Option<Vec<_>> =
        tokens.iter().map(|token| token.variable().map(|(name, _)| name.clone())).collect();
    names.filter(|names| !names.is_empty() && length as usize == text.len())
}

fn is_empty_for(node: &Node, name: &str, of_code: &CodeVariables) -> bool {
    let Ok(path) = key_path::parse(name) else { return false };
    let Some(root) = path.root_name() else { return false };
    let is_known = match node.read(&path) {
        Reading::Known(..) => true,
        Reading::Unset => !of_code.may_set(root),
        Reading::Open(_) => false,
    };
    if !is_known {
        return false;
    }
    match node.variable(root.strip_prefix("::").unwrap_or(root)).map(|it| dig(it, &path.rest)) {
        // In paths, Puppet 8 also uses an empty string for a variable that does not exist.
        None | Some(Dug::Missing) => true,
        Some(Dug::Found(found)) => match &found.value {
            Value::Undef => true,
            Value::String(text) => text.is_empty(),
            _ => false,
        },
        Some(Dug::Mismatch(_) | Dug::Unknown) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn paths_of_variables_alone() {
        check(
            r#"
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {file: web.yaml, empty: ''}}}
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: "%{facts.file}"}
#                   ^^^^^^^^^^^^^^^ information[path-empty-becomes-datadir]: If its variables are empty, this path is empty and every lookup fails: `Is a directory`…
  - {name: b, paths: ["%{facts.nope}", "%{facts.empty}%{facts.nope}", "%{facts.nope}.yaml"]}
#                     ^^^^^^^^^^^^^^^ warning[path-empty-becomes-datadir]: For node web01 this path is empty…
#                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[path-empty-becomes-datadir]
#- /data/web.yaml
a: 1
#- /data/web
a: 1
"#,
        );
    }
}
