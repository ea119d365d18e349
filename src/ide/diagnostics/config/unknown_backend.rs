//! `unknown-backend`: a level's function cannot run here, so its data is missing in lookups.

use crate::backends::Refusal;
use crate::config::hiera_yaml::{Function, FunctionKind, built_in_backend};
use crate::data::Place;
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::fix::{Fix, replaced_in};
use crate::ide::diagnostics::shared::known_keys::FILE_BACKENDS;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::text::{TextEdit, TextRange};

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
    let ConfigContext { world, config, environment, .. } = *at;
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let name = &level.function.name;
        let Some(place) = level.function.place else { continue };
        if world.back_ends().knows(&level.function, &level.name) {
            continue;
        }
        let environment = environment.map(|it| &**it);
        let refusal = Refusal::of(&level.function, &**world, environment);
        match refusal {
            Some(Refusal::OtherKind(kind)) => {
                report_other_kind(&level.function, place, kind, &config.text, report);
                continue;
            }
            Some(Refusal::Missing) => {
                report_missing(&level.function, place, &config.text, report);
                continue;
            }
            Some(Refusal::NotAName) | None => {}
        }
        // What is written for Hiera 3 and 4 is none of Puppet's own functions.
        let is_of_hiera_5 =
            !matches!(level.function.kind, FunctionKind::Hiera3Backend | FunctionKind::V4DataHash);
        let near = nearest_name(name, FILE_BACKENDS).filter(|_| is_of_hiera_5);
        let advice = near.map_or(String::new(), |near| format!(" Did you mean `{near}`?"));
        let message = format!(
            "hiera-ls does not run `{name}`, so this level's values are not known\n\
             The setting `backends` can provide them.{advice}"
        );
        // Puppet 7 contains Hiera 3, and Puppet 8 does not.
        let needs_hiera_3 = level.function.kind == FunctionKind::Hiera3Backend
            && world.settings().puppet_version.is_strict();
        let (severity, message) = if needs_hiera_3 {
            let need = "Puppet 8 also needs the gem `hiera` for it: without it, lookups fail with `Hiera 3 is not installed`.";
            (Severity::Warning, format!("{message} {need}"))
        } else if refusal.is_none() {
            // The names of custom functions usually start with a module's name.
            let is_own = near.is_none() || name.contains("::");
            (if is_own { RULE.severity } else { Severity::Warning }, message)
        } else {
            let words = Refusal::NotAName.in_words(&level.function);
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

/// Reports a function that certainly does not exist.
fn report_missing(function: &Function, place: Place, text: &str, report: &mut Report) {
    let Function { name, kind, .. } = function;
    let meant = built_in_backend(name).map(|(kind, function, _)| (kind, function));
    let advice = match meant {
        Some((of, meant)) if of == *kind => format!(" Did you mean `{meant}`?"),
        Some((of, meant)) => format!(" Did you mean `{}: {meant}`?", of.key()),
        None => " The module has no such function.".to_owned(),
    };
    let message = format!(
        "{}\nEvery lookup that reads this level fails.{advice}",
        Refusal::Missing.in_words(function)
    );
    let finding = report.add_once(&RULE, Severity::Error, place.range, message);
    if let (Some(finding), Some((_, meant))) = (finding, meant.filter(|(of, _)| of == kind)) {
        let edit = replaced_in(text, place.range, name, meant);
        let fix = |edit| Fix::changing(format!("Write `{meant}`"), vec![edit]);
        finding.fixes.extend(edit.map(fix));
    }
}

/// Reports that Puppet calls the function with arguments that it refuses.
fn report_other_kind(
    function: &Function,
    place: Place,
    kind: FunctionKind,
    text: &str,
    report: &mut Report,
) {
    let name = &function.name;
    let words = Refusal::OtherKind(kind).in_words(function);
    let meant = format!("{}: {name}", kind.key());
    let message = format!("{words}\nEvery lookup that reads this level fails. Write `{meant}`.");
    let finding = report.add_once(&RULE, Severity::Error, place.range, message);
    let written = function.kind.key();
    let before = text[..place.range.start as usize].trim_end_matches(['"', '\'', ' ', ':']);
    if let Some(finding) = finding.filter(|_| before.ends_with(written)) {
        let end = before.len() as u32;
        let range = TextRange::new(end - written.len() as u32, end);
        let edit = TextEdit::replace(range, kind.key());
        finding.fixes.push(Fix::changing(format!("Write `{meant}`"), vec![edit]));
    }
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
    fn back_ends_of_hiera_3() {
        let files = "#- /data/common.yaml\na: 1\n#- /global.yaml\nversion: 5\nhierarchy:\n  - {name: h, hiera3_backend: http}\n";
        let puppet = |version: &str| {
            format!(
                "#- /.hiera-ls.yaml\nglobalHieraYaml: global.yaml\npuppetVersion: {version}\n{files}"
            )
        };
        let words = "hiera-ls does not run `http`, so this level's values are not known The setting `backends` can provide them.";
        let mark = "#                             ^^^^";
        check(&format!("{}{mark} information[unknown-backend]: {words}\n", puppet("7")));
        let needs = "Puppet 8 also needs the gem `hiera` for it: without it, lookups fail with `Hiera 3 is not installed`.";
        check(&format!("{}{mark} warning[unknown-backend]: {words} {needs}\n", puppet("8")));
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
    fn functions_of_another_key() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: a.yaml, lookup_key: yaml_data}
#                                       ^^^^^^^^^ error[unknown-backend]: 'yaml_data' expects 2 arguments, got 3 Every lookup that reads this level fails. Write `data_hash: yaml_data`.
  - {name: b, path: b.yaml, data_hash: eyaml_lookup_key}
#                                      ^^^^^^^^^^^^^^^^ error[unknown-backend]: 'eyaml_lookup_key' expects 3 arguments, got 2…
  - {name: c, path: c.yaml, data_dig: eyaml_lookup_key}
#                                     ^^^^^^^^^^^^^^^^ error[unknown-backend]: 'eyaml_lookup_key' parameter 'key' expects a String value, got Tuple…
  - {name: d, path: d.yaml, v4_data_hash: yaml_data}
#                                         ^^^^^^^^^ error[unknown-backend]: 'yaml_data' expects 2 arguments, got none Every lookup that reads this level fails. Write `data_hash: yaml_data`.
  - {name: e, path: e.yaml, v4_data_hash: eyaml_lookup_key}
#                                         ^^^^^^^^^^^^^^^^ error[unknown-backend]: 'eyaml_lookup_key' expects 3 arguments, got none Every lookup that reads this level fails. Write `lookup_key: eyaml_lookup_key`.
  - {name: f, path: f.yaml, v4_data_hash: yaml_dat}
#                                         ^^^^^^^^ information[unknown-backend]: hiera-ls does not run `yaml_dat`, so this level's values are not known The setting `backends` can provide them.
",
        );
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: a\n    v4_data_hash: yaml_data\n    path: a.yaml\n",
            "Write `data_hash: yaml_data`",
            "version: 5\nhierarchy:\n  - name: a\n    data_hash: yaml_data\n    path: a.yaml\n",
        );
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: a, path: a.yaml, 'lookup_key': 'yaml_data'}\n",
            "Write `data_hash: yaml_data`",
            "version: 5\nhierarchy:\n  - {name: a, path: a.yaml, 'data_hash': 'yaml_data'}\n",
        );
    }

    /// Puppet finds a function with a module's name only in this module, and any other one in all of them.
    #[test]
    fn functions_that_do_not_exist() {
        check(
            r"
#- /modules/m/manifests/init.pp
class m {}
#- /modules/m/functions/there.pp
function m::there($o, $c) { {} }
#- /modules/m/lib/puppet/functions/m/ruby.rb
#- /modules/m/lib/puppet/functions/json.rb
#- /hiera.yaml
version: 5
hierarchy:
  - {name: a, path: a.yaml, data_hash: yaml}
#                                      ^^^^ error[unknown-backend]: Unable to find 'data_hash' function named 'yaml' Every lookup that reads this level fails. Did you mean `yaml_data`?
  - {name: b, path: b.yaml, data_hash: eyaml}
#                                      ^^^^^ error[unknown-backend]: Unable to find 'data_hash' function named 'eyaml' Every lookup that reads this level fails. Did you mean `lookup_key: eyaml_lookup_key`?
  - {name: c, path: c.yaml, data_hash: json}
#                                      ^^^^ information[unknown-backend]
  - {name: d, lookup_key: m::nope}
#                         ^^^^^^^ error[unknown-backend]: Unable to find 'lookup_key' function named 'm::nope' Every lookup that reads this level fails. The module has no such function.
  - {name: e, lookup_key: m::there}
#                         ^^^^^^^^ information[unknown-backend]: hiera-ls does not run `m::there`, so this level's values are not known…
  - {name: f, lookup_key: m::ruby}
#                         ^^^^^^^ information[unknown-backend]
  - {name: g, lookup_key: other::nope}
#                         ^^^^^^^^^^^ information[unknown-backend]
",
        );
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: a, path: a.yaml, data_hash: yaml}\n",
            "Write `yaml_data`",
            "version: 5\nhierarchy:\n  - {name: a, path: a.yaml, data_hash: yaml_data}\n",
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
