//! `absolute-path-by-slash`: a path with a leading slash is absolute. Reported if the path only exists below the datadir.

use crate::config::hiera_yaml::Locations;
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::config::ConfigContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::known_keys::{directory_of, fixed_part, is_file_backend};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::text::{TextEdit, TextRange};
use crate::world::paths;

pub(crate) const RULE: Rule = Rule {
    code: "absolute-path-by-slash",
    name: "Path that is absolute by mistake",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A path of a level starts with a slash, so Puppet does not search for it in the datadir.",
    page: include_str!("../../../../docs/rules/absolute-path-by-slash.md"),
    checks: &[Check::Config(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &ConfigContext<'_>, report: &mut Report) {
    let ConfigContext { world, config, .. } = *at;
    for level in config.hierarchy.iter().chain(&config.default_hierarchy) {
        let templates = match &level.locations {
            Locations::Paths(templates) | Locations::Globs(templates) => &**templates,
            Locations::MappedPaths(parts) => &parts[2..],
            _ => continue,
        };
        let Some(directory) = directory_of(world, config, level) else { continue };
        for template in templates.iter().filter(|_| is_file_backend(level)) {
            let (Some(text), Some(place)) = (template.value.as_str(), template.place) else {
                continue;
            };
            let Some(relative) = text.strip_prefix('/') else { continue };
            let fixed = fixed_part(relative);
            let is_there = |path: &str| world.kind(path) != PathKind::Missing;
            // A path that exists as it is written is meant to be absolute.
            if !fixed.is_empty()
                && is_there(&paths::join(&directory, fixed))
                && !is_there(&format!("/{fixed}"))
            {
                let message = format!(
                    "this path is absolute, so Puppet does not use the datadir\nWrite `{relative}`, without the slash."
                );
                let finding = report.add_once(&RULE, RULE.severity, place.range, message);
                // The fix removes the slash only at the very start of the value, or after its quote.
                let written = place.range.slice(&config.text);
                if let (Some(finding), Some(at)) = (finding, written.find('/').filter(|at| *at < 2))
                {
                    let slash = place.range.start + at as u32;
                    let edit = TextEdit::delete(TextRange::new(slash, slash + 1));
                    finding.with_fix(Fix::changing(format!("Write `{relative}`"), vec![edit]));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn judged_by_the_files() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: nodes, path: "/nodes/%{trusted.certname}.yaml"}
#                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[absolute-path-by-slash]: this path is absolute, so Puppet does not use the datadir Write `nodes/%{trusted.certname}.yaml`, without the slash.
  - {name: other, paths: [/etc/puppet/more.yaml, "/%{facts.x}.yaml"]}
#- /data/nodes/one.yaml
a: 1
"#,
        );
    }

    #[test]
    fn the_slash_goes() {
        check_fix(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: x\n    path: \"/common.yaml\"\n#- /data/common.yaml\na: 1\n\
             #- /.hiera-ls.yaml\ndiagnostics: {severity: {orphan-file: 'off'}}\n",
            "Write `common.yaml`",
            "version: 5\nhierarchy:\n  - name: x\n    path: \"common.yaml\"\n",
        );
    }
}
