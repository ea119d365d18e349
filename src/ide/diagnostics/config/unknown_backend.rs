//! `unknown-backend`: a level's function cannot run here, so its data is missing in lookups.

use crate::config::hiera_yaml::FunctionKind;
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::fix::{Fix, replaced_in};
use crate::ide::diagnostics::shared::known_keys::FILE_BACKENDS;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::settings::nearest_name;

pub(crate) const RULE: Rule = Rule {
    code: "unknown-backend",
    name: "Back end that is not evaluated",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A level's data comes from a function that hiera-ls cannot run.",
    page: include_str!("../../../../docs/rules/unknown-backend.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let name = &level.function.name;
        let Some(place) = level.function.place else { continue };
        if world.back_ends().knows(&level.function, &level.name) {
            continue;
        }
        let near = nearest_name(name, FILE_BACKENDS);
        let advice = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
        let message = format!(
            "`{name}` cannot be run here\nIts values are missing. The setting `backends` can provide them.{advice}"
        );
        let is_of_hiera_3 = level.function.kind == FunctionKind::Hiera3Backend;
        let (severity, message) = if is_of_hiera_3 || is_function_name(name) {
            // The names of custom functions usually start with a module's name.
            let is_own = near.is_none() || name.contains("::");
            (if is_own { RULE.severity } else { Severity::Warning }, message)
        } else {
            let kind = level.function.kind.key();
            let words = format!("Unable to find '{kind}' function named '{name}'");
            (Severity::Error, format!("{words}\nA function cannot have this name.{advice}"))
        };
        let finding = report.add_once(&RULE, severity, place.range, message);
        if let (Some(finding), Some(near)) = (finding, near) {
            let edit = replaced_in(&config.text, place.range, name, near);
            let fix = |edit| Fix::changing(format!("Write `{near}`"), vec![edit]);
            finding.fixes.extend(edit.map(fix));
        }
    }
}

/// Whether the name is valid for a Puppet function. Names are not interpolated.
fn is_function_name(name: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_lowercase()) && part.bytes().all(is_inner)
    };
    name.trim_start_matches("::").split("::").all(is_part)
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn known_ones() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: a.yaml, data_hash: yaml_data}
  - {name: b, path: b.yaml, lookup_key: eyaml_lookup_key}
  - {name: c, path: c.yaml, data_hash: my::data}
#                                      ^^^^^^^^ information[unknown-backend]
",
        );
    }

    #[test]
    fn names_that_no_function_has() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: a.yaml, data_hash: yaml-data}
#                                      ^^^^^^^^^ error[unknown-backend]: Unable to find 'data_hash' function named 'yaml-data' A function cannot have this name. Did you mean `yaml_data`?
  - {name: b, path: b.yaml, data_hash: yaml_dat}
#                                      ^^^^^^^^ warning[unknown-backend]
  - {name: c, path: c.yaml, data_hash: my::yaml_data}
#                                      ^^^^^^^^^^^^^ information[unknown-backend]
",
        );
    }

    #[test]
    fn the_near_name() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: a, path: a.yaml, data_hash: 'yaml-data'} # x\n",
            "Write `yaml_data`",
            "version: 5\nhierarchy:\n  - {name: a, path: a.yaml, data_hash: 'yaml_data'} # x\n",
        );
    }
}
