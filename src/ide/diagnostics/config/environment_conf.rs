//! `environment-conf`: what Puppet refuses or ignores in an `environment.conf`, and paths that lead nowhere because of how they are
//! written. Without the environment, there is no lookup at all.

use crate::config::environment_conf::{CONF_SETTINGS, ConfProblem, ConfProblemKind};
use crate::config::environment_conf::{EnvironmentConf, is_glob};
use crate::data::{Files as _, NOT_UTF8, PathKind};
use crate::ide::diagnostics::config::EnvironmentConfContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::near::near_key;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::settings::nearest_name;
use crate::text::{BYTE_ORDER_MARK, TextEdit, TextRange};
use crate::world::paths;

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
    let conf = EnvironmentConf::read(file.text, file.invalid_utf8_at);
    for setting in ["modulepath", "manifest"] {
        check_path(file, &conf, setting, report);
    }
    for problem in conf.problems {
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

/// Checks a setting whose value leads to directories of modules, or to the main manifest. Puppet does not say if nothing is there.
fn check_path(
    file: &EnvironmentConfContext<'_>,
    conf: &EnvironmentConf<'_>,
    setting: &str,
    report: &mut Report,
) {
    let (Some(value), Some(range)) = (conf.value(setting), conf.range(setting)) else { return };
    let Some(Misread { entry, meant, why }) = misread(file, setting, value) else { return };
    let effect = match setting {
        "manifest" => "Puppet evaluates no main manifest",
        _ => "Puppet does not find the modules that should be there",
    };
    let message =
        format!("`{entry}` does not exist, and {effect}\n{why}Write `{setting} = {meant}`.");
    let finding = report.add_as(&RULE, Severity::Warning, range, message);
    // What Puppet reads besides the path, such as the owner of a file, would be lost.
    if !range.slice(file.text).contains('{') {
        let edits = vec![TextEdit::replace(range, &*meant)];
        finding.with_fix(Fix::changing(format!("Write `{meant}`"), edits));
    }
}

/// A value of which Puppet takes a part for another path than was meant.
struct Misread {
    /// The path that Puppet uses.
    entry: String,
    /// The whole value as it was meant.
    meant: String,
    why: &'static str,
}

fn misread(file: &EnvironmentConfContext<'_>, setting: &str, value: &str) -> Option<Misread> {
    let root = paths::parent(file.path)?;
    let is_list = setting == "modulepath";
    let exists = |entry: &str| file.world.kind(&paths::join(root, entry)) != PathKind::Missing;
    let entries: Vec<&str> = if is_list { value.split(':').collect() } else { vec![value] };
    if let Some(at) = [" #", "\t#"].iter().filter_map(|it| value.find(it)).min() {
        let entry = (*entries.iter().find(|it| it.contains('#'))?).to_owned();
        let meant = value[..at].trim_end().trim_end_matches(['"', '\'']).to_owned();
        return Some(Misread { entry, meant, why: "A comment cannot follow a value. " });
    }
    // On Windows, Puppet splits at semicolons.
    let is_separator = |it: char| it == ',' || it == ';' && !cfg!(windows);
    let pieces_of = |entry: &&'_ str| -> Vec<String> {
        if !is_list || exists(entry) {
            return vec![(*entry).to_owned()];
        }
        entry.split(is_separator).map(|it| it.trim().to_owned()).collect()
    };
    let pieces: Vec<Vec<String>> = entries.iter().map(pieces_of).collect();
    let changed = entries.iter().zip(&pieces).find(|(entry, pieces)| *pieces != &[**entry]);
    if let Some((entry, pieces_of_it)) = changed {
        let why = match pieces_of_it.len() {
            1 => "Spaces beside a colon are part of the names. ",
            _ => "Only colons separate directories. ",
        };
        return Some(Misread { entry: (*entry).to_owned(), meant: pieces.concat().join(":"), why });
    }
    let is_literal = |it: &&&str| !it.is_empty() && !it.starts_with(['$', '/']) && !is_glob(it);
    let missing = entries.iter().filter(is_literal).filter(|it| !exists(it));
    let (entry, near) = { missing }.find_map(|entry| {
        let path = paths::join(root, entry);
        let directory = paths::parent(&path)?;
        let items = file.world.list(directory);
        let is_meant = |name: &&str| {
            let near = beside(entry, name);
            let path = paths::join(directory, name);
            !entries.contains(&&*near) && if is_list { holds_module(file, &path) } else { true }
        };
        let names = items.iter().map(|it| &*it.name).filter(is_meant);
        near_key(paths::file_name(entry), names).map(|name| (*entry, beside(entry, name)))
    })?;
    let meant: Vec<&str> =
        entries.iter().map(|it| if *it == entry { &*near } else { *it }).collect();
    Some(Misread { entry: entry.to_owned(), meant: meant.join(":"), why: "" })
}

/// The path of a name that is in the same directory as `path`.
fn beside(path: &str, name: &str) -> String {
    path.rsplit_once('/').map_or_else(|| name.to_owned(), |(parent, _)| format!("{parent}/{name}"))
}

/// Whether there is a module with code in the directory.
fn holds_module(file: &EnvironmentConfContext<'_>, directory: &str) -> bool {
    let items = file.world.list(directory);
    let manifests = |name: &str| paths::join(directory, &format!("{name}/manifests"));
    items.iter().any(|it| file.world.kind(&manifests(&it.name)) == PathKind::Directory)
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
    fn paths_that_puppet_takes_literally() {
        let files = "#- /site/s/manifests/init.pp\nclass s { }\n#- /sites/a/x/y.pp\n#- /manifests/site.pp\n\
                     #- /hiera.yaml\nversion: 5\n";
        let checked = |setting: &str, value: &str, finding: &str| {
            let marks = "^".repeat(value.len());
            let indent = " ".repeat(setting.len() + 2);
            check(&format!(
                "#- /environment.conf\n{setting} = {value}\n#{indent}{marks} warning[environment-conf]: {finding}\n{files}"
            ));
        };
        let modules = "does not exist, and Puppet does not find the modules that should be there";
        checked(
            "modulepath",
            "modules:site # our own: code",
            &format!(
                "`site # our own` {modules} A comment cannot follow a value. Write `modulepath = modules:site`."
            ),
        );
        checked(
            "modulepath",
            "$codedir : site",
            &format!(
                "`$codedir ` {modules} Spaces beside a colon are part of the names. Write `modulepath = $codedir:site`."
            ),
        );
        for value in ["site, modules", "site;modules"] {
            if cfg!(windows) && value.contains(';') {
                continue;
            }
            let why = "Only colons separate directories.";
            checked(
                "modulepath",
                value,
                &format!("`{value}` {modules} {why} Write `modulepath = site:modules`."),
            );
        }
        checked(
            "modulepath",
            "modules:./site2",
            &format!("`./site2` {modules} Write `modulepath = modules:./site`."),
        );
        checked(
            "modulepath",
            "modules:site2",
            &format!("`site2` {modules} Write `modulepath = modules:site`."),
        );
        let manifest = "does not exist, and Puppet evaluates no main manifest";
        checked(
            "manifest",
            "manifests/site.pp # main",
            &format!(
                "`manifests/site.pp # main` {manifest} A comment cannot follow a value. Write `manifest = manifests/site.pp`."
            ),
        );
        checked(
            "manifest",
            "manifests/sites.pp",
            &format!("`manifests/sites.pp` {manifest} Write `manifest = manifests/site.pp`."),
        );
        for right in ["modules:$basemodulepath", "sits:site", "site:modules#x", "teams/*/modules"] {
            check(&format!("#- /environment.conf\nmodulepath = {right}\n{files}"));
        }
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
            "#- /environment.conf\nmodulepath = 'site' # x\n#- /hiera.yaml\nversion: 5\n",
            "Write `site`",
            "modulepath = site\n",
        );
        check_fix(
            "#- /environment.conf\nmodulpath = site\n#- /hiera.yaml\nversion: 5\n",
            "Write `modulepath`",
            "modulepath = site\n",
        );
    }
}
