//! How users control the rules: comments in the file, severities in the settings, and the baseline.

use std::sync::Arc;

use crate::code::roots::is_code;
use crate::config::glob::matches_path;
use crate::data::Files as _;
use crate::ide::diagnostics::lookup::legacy_fact;
use crate::ide::diagnostics::suppression::baseline::Baseline;
use crate::ide::diagnostics::suppression::{certain, ignored, unused_ignore};
use crate::ide::diagnostics::{Diagnostic, Report, Rule, Severity, current_code, rule};
use crate::ide::file_role::FileRole;
use crate::ide::written_strings::WrittenStrings;
use crate::settings::{self, ALL_RULES, DiagnosticsSettings, Preset, SeverityMap};
use crate::world::{World, paths};

/// Removes suppressed findings in the file at `path`, and sets the severities of the others.
pub(crate) fn apply(
    world: &Arc<World>,
    path: &str,
    role: Option<&FileRole>,
    findings: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let settings = &world.settings().diagnostics;
    let shown = path_from(&world.settings_directory(), world, path);
    let severities = FileSeverities { settings, path: &shown };
    let leaves_yaml = world.settings().coexist_with_yaml_language_server;
    let is_on = |code: &str| {
        severities.severity(current_code(code), Severity::Hint).is_some() && !leaves_yaml
    };
    let mut report = Report { findings };
    if let Ok(text) = world.text(path) {
        let strings = || WrittenStrings::of(world, path, &text);
        let ignores = ignored::leave_out(&text, strings, &mut report.findings);
        if is_checked_completely(world, path, role) {
            let is_certain = |rule: Option<&Rule>, subject: &str| {
                certain::is_certain(world, path, rule, subject)
            };
            unused_ignore::check(&text, &ignores, is_on, is_certain, &mut report);
        }
    }
    let mut findings = report.findings;
    findings.retain_mut(|finding| match severities.severity(finding.code, finding.severity) {
        None => false,
        Some(severity) => {
            finding.severity = severity;
            true
        }
    });
    // Only now it is known which places are left: a comment may suppress the first one.
    legacy_fact::once_for_each_fact(&mut findings);
    if let Some(baseline) = Baseline::of(world) {
        let stale = baseline.leave_out(world, path, role, &mut findings);
        if let Some(severity) =
            severities.severity(unused_ignore::RULE.code, unused_ignore::RULE.severity)
            && role.is_some()
        {
            let mut report = Report { findings };
            let spoken = stale.iter().filter(|it| is_on(it.code));
            unused_ignore::check_baseline(spoken, (severity, settings.preset), &mut report);
            findings = report.findings;
        }
    }
    findings
}

/// Whether rules check a file. In a broken one, they find less than they will find once it is mended.
fn is_checked_completely(world: &World, path: &str, role: Option<&FileRole>) -> bool {
    if let Some(role) = role {
        return !role.is_unparsable(world, path);
    }
    let environment = is_code(path).then(|| world.environment_of(path)).flatten();
    environment.is_some_and(|it| {
        world.code_index(&it).summary(path).is_some_and(|summary| !summary.is_broken)
    })
}

/// Whether a rule is on for any file. Expensive rules that are off do not run.
pub(crate) fn asks_for(world: &World, rule: &Rule) -> bool {
    let settings = &world.settings().diagnostics;
    let by_path = settings.severity_by_path.iter().map(|(_, map)| map);
    let chosen = |map: &SeverityMap| map.get(rule.code).or_else(|| map.get(ALL_RULES)).copied();
    // A rule that is off in general may be on for some paths. The severity of each finding is determined later, by its own path.
    let mut chosen = by_path.chain([&settings.severity]).filter_map(chosen);
    let is_chosen = chosen.any(|it| it != settings::Severity::Off);
    is_chosen
        || settings.preset == Preset::Strict
        || settings.severity.get(rule.code).is_none() && rule.is_on
}

/// A path as settings and baselines write it: relative to a directory, wherever below it the command runs. What is not there is
/// relative to the workspace's folder.
pub(super) fn path_from(directory: &str, world: &World, path: &str) -> String {
    let folders = world.folders().iter().map(|it| &**it);
    let mut directories = std::iter::once(directory).chain(folders);
    let below = directories.find_map(|directory| paths::below(directory, path));
    below.filter(|it| !it.is_empty()).unwrap_or(path).to_owned()
}

/// The severities for one file.
struct FileSeverities<'a> {
    settings: &'a DiagnosticsSettings,
    path: &'a str,
}

impl FileSeverities<'_> {
    /// The severity of a finding that the rule reports as `given`; `None` if it is off.
    fn severity(&self, code: &str, given: Severity) -> Option<Severity> {
        let chosen = |map: &SeverityMap| map.get(code).or_else(|| map.get(ALL_RULES)).copied();
        // A later pattern takes precedence over an earlier one.
        let by_path = self.settings.severity_by_path.iter().rev();
        let mut matching = by_path.filter(|(glob, _)| matches_path(glob, self.path));
        match matching.find_map(|(_, map)| chosen(map)).or_else(|| chosen(&self.settings.severity))
        {
            Some(chosen) => severity_of(chosen),
            None => self.severity_of_preset(rule(code), given),
        }
    }
}

impl FileSeverities<'_> {
    fn severity_of_preset(&self, rule: Option<&Rule>, given: Severity) -> Option<Severity> {
        let is_on = rule.is_none_or(|rule| rule.is_on);
        match self.settings.preset {
            Preset::Recommended => is_on.then_some(given),
            Preset::Ci => {
                let is_loud = matches!(given, Severity::Error | Severity::Warning);
                (is_on && is_loud).then_some(given)
            }
            Preset::Strict => {
                // If a rule that is off by default lowers the severity of a finding, it is not certain.
                let is_certain = is_on || rule.is_none_or(|rule| given == rule.severity);
                is_certain.then_some(match given {
                    Severity::Error => Severity::Error,
                    _ => Severity::Warning,
                })
            }
        }
    }
}

fn severity_of(severity: settings::Severity) -> Option<Severity> {
    match severity {
        settings::Severity::Error => Some(Severity::Error),
        settings::Severity::Warning => Some(Severity::Warning),
        settings::Severity::Information => Some(Severity::Information),
        settings::Severity::Hint => Some(Severity::Hint),
        settings::Severity::Off => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn severities_by_rule_and_by_path() {
        check(
            r"
#- /.hiera-ls.yaml
diagnostics:
  severity: {octal-number: error, all: hint, unused-key: off, yaml-1.2-disagrees: off}
  severityByPath:
    'data/*.yaml': {sexagesimal-number: off}
    data/common.yaml: {all: information, octal-number: warning, unused-key: off, yaml-1.2-disagrees: off}
    other: {all: off}
#- /data/common.yaml
a: 0644
#  ^^^^ warning[octal-number]
b: 22:22
#  ^^^^^ information[sexagesimal-number]
",
        );
        check(
            r"
#- /.hiera-ls.yaml
diagnostics:
  severity: {octal-number: error, all: hint, unused-key: off, yaml-1.2-disagrees: off}
  severityByPath: {'data/*.yaml': {sexagesimal-number: off}}
#- /data/common.yaml
a: 0644
#  ^^^^ error[octal-number]
b: 22:22
c: 1,5
#  ^^^ hint[comma-number]
",
        );
    }

    #[test]
    fn strict_is_everything() {
        check(
            r#"
#- /.hiera-ls.yaml
diagnostics: {preset: strict, severity: {octal-number: off, unused-key: off, yaml-1.2-disagrees: off}}
#- /data/common.yaml
a: yes
#  ^^^ warning[yaml-1.1-boolean]
b: "%{role}"
#   ^^^^^^^ warning[unscoped-variable]
c: :d
#  ^^ error[yaml-symbol-value]
d: 0644
"#,
        );
    }

    #[test]
    fn another_server_may_speak_of_syntax() {
        check(
            r"
#- /.hiera-ls.yaml
coexistWithYamlLanguageServer: true
#- /data/common.yaml
a: 0644
#  ^^^^ warning[octal-number]
b: {c: 1, c: 2}
",
        );
    }
}
