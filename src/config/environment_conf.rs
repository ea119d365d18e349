//! `environment.conf`: the settings of an environment, line by line as Puppet reads them. One wrong line makes Puppet refuse the file.

use crate::text::TextRange;

/// The settings that Puppet knows here. It ignores others, with a warning.
pub const CONF_SETTINGS: [&str; 7] = [
    "modulepath",
    "manifest",
    "config_version",
    "environment_timeout",
    "environment_data_provider",
    "static_catalogs",
    "rich_data",
];

/// The only section whose settings count. Lines before the first section belong to it, too.
const MAIN: &str = "main";

/// The lines of an `environment.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentConf<'a> {
    settings: Vec<(&'a str, &'a str)>,
    /// What Puppet refuses or ignores, in the order of the lines.
    pub problems: Vec<ConfProblem<'a>>,
}

/// A part of the file that Puppet refuses or ignores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfProblem<'a> {
    /// What it is.
    pub kind: ConfProblemKind,
    /// The part itself: the line without the blanks around it, or the name of the setting or section.
    pub text: &'a str,
    /// The place of the part.
    pub range: TextRange,
}

/// The kind of a [`ConfProblem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfProblemKind {
    /// A line that is neither a setting, a section nor a comment. Puppet refuses the file, and thus the environment.
    NoSetting,
    /// A setting that Puppet does not know here, and ignores.
    UnknownSetting,
    /// A section other than `[main]`, whose settings Puppet ignores.
    IgnoredSection,
}

impl<'a> EnvironmentConf<'a> {
    /// Reads a file.
    pub fn read(text: &'a str) -> Self {
        let mut conf = Self { settings: Vec::new(), problems: Vec::new() };
        let mut is_main = true;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim();
            let at = start + line.len() - line.trim_start().len();
            start += line.len();
            let mut problem = |kind, part: &'a str| {
                let range = TextRange::new(at as u32, (at + part.len()) as u32);
                conf.problems.push(ConfProblem { kind, text: part, range });
            };
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            if let Some(section) = section(content) {
                is_main = section == MAIN;
                if !is_main {
                    problem(ConfProblemKind::IgnoredSection, content);
                }
            } else if let Some((name, value)) = setting(content) {
                if is_main && !CONF_SETTINGS.contains(&name) {
                    problem(ConfProblemKind::UnknownSetting, name);
                }
                if is_main {
                    conf.settings.push((name, value));
                }
            } else {
                problem(ConfProblemKind::NoSetting, content);
            }
        }
        conf
    }

    /// The value of a setting: the first one, without quotes.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        let (_, value) = self.settings.iter().find(|(it, _)| *it == name)?;
        let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
        Some(value.strip_suffix(['"', '\'']).unwrap_or(value).trim_end())
    }
}

/// The name in `[name]`.
fn section(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']').filter(|name| is_word(name))
}

/// The name and the value in `name = value`.
fn setting(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end();
    is_word(name).then(|| (name, value.trim()))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || it == '_')
}

#[cfg(test)]
mod tests {
    use super::ConfProblemKind::{IgnoredSection, NoSetting, UnknownSetting};
    use super::*;

    #[track_caller]
    fn check(text: &str, modulepath: Option<&str>, expected: &[(ConfProblemKind, &str)]) {
        let conf = EnvironmentConf::read(text);
        assert_eq!(conf.value("modulepath"), modulepath, "{text:?}");
        let found: Vec<_> =
            conf.problems.iter().map(|it| (it.kind, it.range.slice(text))).collect();
        assert_eq!(found, expected, "{text:?}");
        assert!(conf.problems.iter().all(|it| it.text == it.range.slice(text)));
    }

    /// Real Puppet reads all these texts in the same way.
    #[test]
    fn lines_are_read_as_puppet_reads_them() {
        check("modulepath = site:modules\n", Some("site:modules"), &[]);
        check("# c\n\n \tmodulepath=site\r\n\r\n  # d\r\n", Some("site"), &[]);
        check("modulepath = \"site\"\nmodulepath = other\n", Some("site"), &[]);
        check("[main]\nmodulepath = a = b\n", Some("a = b"), &[]);
        check("modulepath: site\n", None, &[(NoSetting, "modulepath: site")]);
        check("  garbage \nmodulepath = site", Some("site"), &[(NoSetting, "garbage")]);
        for line in ["; c", "[main", "[]", "[a b]", "[main] # c", "= site", "mod-x = y", "a := b"] {
            check(line, None, &[(NoSetting, line)]);
        }
        check("\u{feff}manifest = x\n", None, &[(NoSetting, "\u{feff}manifest = x")]);
        let other = "[other]\nmodulepath = site\nx\n[main]\nmodulepath = b\n";
        check(other, Some("b"), &[(IgnoredSection, "[other]"), (NoSetting, "x")]);
        check("modulpath = site\n", None, &[(UnknownSetting, "modulpath")]);
    }
}
