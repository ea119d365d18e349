//! `environment-conf`: what Puppet refuses or ignores in an `environment.conf`. Without the environment, there is no lookup at all.

use crate::config::environment_conf::EnvironmentConf;
use crate::config::environment_conf::{CONF_SETTINGS, ConfProblem, ConfProblemKind};
use crate::ide::diagnostics::config::EnvironmentConfContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "environment-conf",
    name: "Wrong environment.conf",
    severity: Severity::Error,
    since: "0.2.0",
    summary: "Puppet refuses this `environment.conf`, or ignores a part of it.",
    page: include_str!("../../../../docs/rules/environment-conf.md"),
    checks: &[Check::EnvironmentConf(check)],
    ..Rule::USUAL
};

/// Puppet does not skip it.
const BYTE_ORDER_MARK: char = '\u{feff}';

pub(crate) fn check(file: &EnvironmentConfContext<'_>, report: &mut Report) {
    for problem in EnvironmentConf::read(file.text).problems {
        let ConfProblem { kind, text, range } = problem;
        match kind {
            ConfProblemKind::NoSetting => {
                let message = format!(
                    "Could not match line {text}\nPuppet refuses the environment because of it. {}",
                    advice(text)
                );
                report.add(&RULE, range, message).fixes.extend(as_setting(text, range));
            }
            ConfProblemKind::UnknownSetting => {
                let message =
                    format!("Puppet ignores the setting {text}: environment.conf does not have it");
                let finding = report.add_as(&RULE, Severity::Warning, range, message);
                finding.fixes.extend(known_setting(text, range));
            }
            ConfProblemKind::IgnoredSection => {
                let message = format!(
                    "Puppet ignores the settings of the section {text}: environment.conf has no sections"
                );
                report.add_as(&RULE, Severity::Warning, range, message);
            }
        }
    }
}

fn advice(line: &str) -> &'static str {
    if line.starts_with(BYTE_ORDER_MARK) {
        return "Save the file without a byte order mark.";
    }
    "Write `name = value`, or start a comment with `#`."
}

/// `name: value`, as in YAML, was meant to be a setting. Module data that Puppet did not find may change lookups.
fn as_setting(line: &str, range: TextRange) -> Option<Fix> {
    let (name, value) = line.split_once(':')?;
    let setting = CONF_SETTINGS.iter().find(|it| **it == name.trim_end())?;
    let written = format!("{setting} = {}", value.trim_start_matches([':', '=']).trim());
    let title = format!("Write `{written}`");
    Some(Fix::changing(title, vec![TextEdit::replace(range, written)]))
}

fn known_setting(name: &str, range: TextRange) -> Option<Fix> {
    let near = nearest_name(name, CONF_SETTINGS)?;
    Some(Fix::changing(format!("Write `{near}`"), vec![TextEdit::replace(range, near)]))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn lines_that_are_no_settings() {
        check(
            r"
#- /environment.conf
modulepath: site
#^^^^^^^^^^^^^^^ error[environment-conf]: Could not match line modulepath: site Puppet refuses the environment because of it. Write `name = value`, or start a comment with `#`.
  garbage
# ^^^^^^^ error[environment-conf]
# a comment
#- /hiera.yaml
version: 5
",
        );
        check("#- /environment.conf\nmodulepath = site:modules\n#- /hiera.yaml\nversion: 5\n");
    }

    #[test]
    fn what_puppet_ignores() {
        check(
            r"
#- /environment.conf
modulpath = site
#^^^^^^^^ warning[environment-conf]: Puppet ignores the setting modulpath: environment.conf does not have it
[agent]
#^^^^^^ warning[environment-conf]: Puppet ignores the settings of the section [agent]: environment.conf has no sections
x = y
#- /hiera.yaml
version: 5
",
        );
    }

    #[test]
    fn what_was_meant() {
        check_fix(
            "#- /environment.conf\n# c\nmodulepath: site:modules\n#- /hiera.yaml\nversion: 5\n",
            "Write `modulepath = site:modules`",
            "# c\nmodulepath = site:modules\n",
        );
        check_fix(
            "#- /environment.conf\nmodulpath = site\n#- /hiera.yaml\nversion: 5\n",
            "Write `modulepath`",
            "modulepath = site\n",
        );
    }
}
