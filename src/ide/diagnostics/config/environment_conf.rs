//! `environment-conf`: what Puppet refuses or ignores in an `environment.conf`. Without the environment, there is no lookup at all.

use crate::config::environment_conf::EnvironmentConf;
use crate::config::environment_conf::{CONF_SETTINGS, ConfProblem, ConfProblemKind};
use crate::data::NOT_UTF8;
use crate::ide::diagnostics::config::EnvironmentConfContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::text::{BYTE_ORDER_MARK, TextEdit, TextRange};

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

const REFUSED: &str = "Puppet refuses the environment because of it.";

pub(crate) fn check(file: &EnvironmentConfContext<'_>, report: &mut Report) {
    for problem in EnvironmentConf::read(file.text, file.invalid_utf8_at).problems {
        let ConfProblem { kind, text, range, .. } = problem;
        match kind {
            ConfProblemKind::NotUtf8 => {
                let message = format!(
                    "{NOT_UTF8}\n{REFUSED} This also holds for comments. Save the file as UTF-8."
                );
                report.add(&RULE, range, message);
            }
            ConfProblemKind::BadValue(words) => {
                let advice = advice_on_value(&words);
                let message = format!("{words}\n{REFUSED}{advice}");
                report.add(&RULE, range, message).fixes.extend(without_braces(&words, text, range));
            }
            ConfProblemKind::NoSetting => {
                let message = format!("Could not match line {text}\n{REFUSED} {}", advice(text));
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
    // Puppet does not skip it.
    if line.starts_with(BYTE_ORDER_MARK) {
        return "Save the file without a byte order mark.";
    }
    "Write `name = value`, or start a comment with `#`."
}

fn advice_on_value(words: &str) -> &'static str {
    match words {
        _ if words.starts_with("Could not parse") => {
            " It takes `{…}` for the owner, group and mode of a file. Write `$name` instead of `${name}`."
        }
        _ if words.contains("Could not find value") => {
            " Only Puppet's own settings can follow a `$`, such as `$codedir`."
        }
        _ if words.starts_with("Invalid 'time to live'") => {
            " Write a number of seconds, a number with one of y, d, h, m and s, or `unlimited`."
        }
        _ if words.starts_with("Invalid value") => " Write `true` or `false`.",
        _ => "",
    }
}

/// `$name` means what `${name}` was meant to mean, if no letter follows.
fn without_braces(words: &str, value: &str, range: TextRange) -> Option<Fix> {
    let is_parsed = !words.starts_with("Could not parse");
    let mut written = value.to_owned();
    for name in ["basemodulepath", "codedir", "confdir", "environmentpath", "environment"] {
        let (braced, plain) = (format!("${{{name}}}"), format!("${name}"));
        let continues = |(at, _): (usize, &str)| {
            let next = written[at + braced.len()..].chars().next();
            next.is_some_and(|it| it.is_ascii_alphanumeric() || it == '_')
        };
        if !written.match_indices(&braced).any(continues) {
            written = written.replace(&braced, &plain);
        }
    }
    if is_parsed || written == value || written.contains('{') {
        return None;
    }
    let title = format!("Write `{written}`");
    Some(Fix::changing(title, vec![TextEdit::replace(range, written)]))
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
    fn values_that_puppet_refuses() {
        check(
            r#"
#- /environment.conf
modulepath = $nope/x:modules
#            ^^^^^^^^^^^^^^^ error[environment-conf]: Error converting value for param 'modulepath': Could not find value for $nope Puppet refuses the environment because of it. Only Puppet's own settings can follow a `$`, such as `$codedir`.
config_version = bin/${environment}
#                ^^^^^^^^^^^^^^^^^^ error[environment-conf]: Could not parse 'bin/${environment}'…
environment_timeout = 5x
#                     ^^ error[environment-conf]: Invalid 'time to live' format '"5x"' for parameter: environment_timeout…
static_catalogs = maybe
#                 ^^^^^ error[environment-conf]: Invalid value '"maybe"' for boolean parameter: static_catalogs…
#- /hiera.yaml
version: 5
"#,
        );
    }

    #[test]
    fn what_was_meant() {
        check_fix(
            "#- /environment.conf\nmodulepath = ${codedir}/x:${basemodulepath}\n#- /hiera.yaml\nversion: 5\n",
            "Write `$codedir/x:$basemodulepath`",
            "modulepath = $codedir/x:$basemodulepath\n",
        );
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
