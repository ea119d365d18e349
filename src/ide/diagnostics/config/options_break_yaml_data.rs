//! `options-break-yaml-data`: Puppet's own back ends for data files need a path, and fail if they get anything else.

use crate::config::hiera_yaml::{FunctionKind, Level, Locations};
use crate::data::Place;
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::fix::{Fix, Safety};
use crate::ide::diagnostics::shared::known_keys::is_file_backend;
use crate::ide::diagnostics::shared::walk::text_of;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::ide::pair_edits::{Removal, remove_pair};
use crate::syntax::tree::{NodeKind, Pair};
use crate::syntax::yaml;

pub(crate) const RULE: Rule = Rule {
    code: "options-break-yaml-data",
    name: "Options for yaml_data",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A level gives options, or no path, to `yaml_data`, `json_data` or `hocon_data`, and these functions refuse that.",
    page: include_str!("../../../../docs/rules/options-break-yaml-data.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let config = at.config;
    let levels = || config.hierarchy.iter().chain(&config.default_hierarchy);
    for level in levels() {
        if !is_file_backend(level) {
            continue;
        }
        let name = &level.function.name;
        let (place, advice) = if refuses_options(level)
            && let Some(place) = first_option(level)
        {
            (Some(place), "It takes no options: remove them.")
        } else if matches!(level.locations, Locations::Uris(_) | Locations::None) {
            (level.name_place.or(level.place), "Give the level a path.")
        } else {
            continue;
        };
        let Some(place) = place else { continue };
        let (colon, tag) = match level.function.kind {
            FunctionKind::LookupKey => (":", "lookup_key"),
            _ => ("", "data_hash"),
        };
        let message = format!(
            "'{name}'{colon} one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml \
             when using this {tag} function\n{advice}"
        );
        let finding = report.add_once(&RULE, RULE.severity, place.range, message);
        // Levels with another back end may need the options of `defaults`.
        let is_needed = levels().any(|it| first_option(it) == Some(place) && !refuses_options(it));
        let removal = without_options(&config.text, place).filter(|_| !is_needed);
        if let (Some(finding), Some(removal)) = (finding, removal) {
            finding.with_fix(Fix::removing("Remove the options", Safety::Safe, removal));
        }
    }
}

/// `eyaml_lookup_key` takes any options. Only the functions of kind `data_hash` refuse them.
fn refuses_options(level: &Level) -> bool {
    is_file_backend(level) && level.function.kind == FunctionKind::DataHash
}

fn first_option(level: &Level) -> Option<Place> {
    level.options.as_ref()?.into_iter().next().and_then(|(_, member)| member.key_place)
}

/// Removes the `options` whose first key is at `place`.
fn without_options(text: &str, place: Place) -> Option<Removal> {
    let root = yaml::parse(text).root?;
    let mut waiting = vec![&root];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items),
            NodeKind::Mapping(pairs) => {
                let is_it = |pair: &Pair| {
                    let is_options = text_of(&pair.key).is_some_and(|key| &**key == "options");
                    is_options && pair.value.range.contains_range(place.range)
                };
                if let Some(number) = pairs.iter().position(is_it) {
                    return remove_pair(text, pairs, number);
                }
                waiting.extend(pairs.iter().map(|pair| &pair.value));
            }
            NodeKind::Scalar { .. } | NodeKind::Alias(_) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    #[test]
    fn inherited_options_and_missing_paths() {
        check(
            r#"
#- /hiera.yaml
version: 5
defaults:
  datadir: data
  lookup_key: eyaml_lookup_key
  options: {pkcs7_private_key: /k}
#           ^^^^^^^^^^^^^^^^^ error[options-break-yaml-data]: 'yaml_data' one of…
hierarchy:
  - {name: a, path: a.yaml}
  - {name: b, path: b.yaml, data_hash: yaml_data}
#          ^ hint[level-never-matches]
  - {name: c, path: c.yaml, data_hash: yaml_data, options: {}}
#          ^ hint[level-never-matches]
  - {name: d, data_hash: json_data, options: {}}
#          ^ error[options-break-yaml-data]: 'json_data' one of…
  - {name: e, lookup_key: eyaml_lookup_key, uri: "http://x"}
#          ^ error[options-break-yaml-data]: 'eyaml_lookup_key': one of…
#- /data/a.yaml
k: 1
"#,
        );
    }

    #[test]
    fn the_options_go() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: x\n    options: # none\n      a: 1\n    path: common.yaml\n#- /data/common.yaml\na: 1\n",
            "Remove the options (also removes a comment)",
            "version: 5\nhierarchy:\n  - name: x\n    path: common.yaml\n",
        );
    }
    #[test]
    fn options_that_another_level_inherits_stay() {
        let counts = |function: &str| {
            let config = format!(
                "#- /hiera.yaml\nversion: 5\ndefaults: {{data_hash: yaml_data, options: {{a: 1}}}}\nhierarchy:\n\
                 - {{name: x, path: x.yaml}}\n- {{name: y, path: y.yaml{function}}}\n"
            );
            fix_counts(&config, "options-break-yaml-data")
        };
        assert_eq!(counts(", lookup_key: eyaml_lookup_key"), [0]);
        assert_eq!(counts(", lookup_key: eyaml_lookup_key, options: {}"), [1]);
        assert_eq!(counts(""), [1]);
    }
}
