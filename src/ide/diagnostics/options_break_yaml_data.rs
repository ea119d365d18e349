//! `options-break-yaml-data`: Puppet's own back ends for data files want a path, and fail if they get anything else.

use super::known_keys::is_file_backend;
use super::{Report, Rule, Severity};
use crate::config::HieraYaml;
use crate::config::hiera_yaml::{FunctionKind, Level, Locations};
use crate::data::Place;

pub(super) const RULE: Rule = Rule {
    code: "options-break-yaml-data",
    name: "Options for yaml_data",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A level gives options, or no path, to `yaml_data`, `json_data` or `hocon_data`, which refuse that.",
    page: include_str!("../../../docs/rules/options-break-yaml-data.md"),
    is_on: true,
};

pub(super) fn check(config: &HieraYaml, report: &mut Report) {
    if config.version != 5 {
        return;
    }
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        if !is_file_backend(level) {
            continue;
        }
        let name = &level.function.name;
        let (place, advice) = if level.function.kind == FunctionKind::DataHash
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
        report.add_once(&RULE, RULE.severity, place.range, message);
    }
}

fn first_option(level: &Level) -> Option<Place> {
    level.options.as_ref()?.into_iter().next().and_then(|(_, member)| member.key_place)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

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
}
