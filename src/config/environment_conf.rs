//! `environment.conf`: the settings of an environment, line by line as Puppet reads them. One wrong line or value makes Puppet refuse
//! the file.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::data::inspect::quoted;
use crate::data::{Files, NOT_UTF8};
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

/// The names of all settings of Puppet 7 and 8, sorted: a value can name each of them after a `$`.
static PUPPET_SETTINGS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("puppet_settings.txt").lines().collect());

/// The settings in the order in which Puppet uses their values. Only the first error is shown.
const ORDER_OF_USE: [&str; 6] = [
    "modulepath",
    "manifest",
    "config_version",
    "environment_timeout",
    "static_catalogs",
    "rich_data",
];

/// The lines of an `environment.conf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentConf<'a> {
    /// Those of `[main]`.
    settings: Vec<Setting<'a>>,
    /// What Puppet refuses or ignores, in the order of the lines.
    pub problems: Vec<ConfProblem<'a>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting<'a> {
    name: &'a str,
    /// As it is written.
    written: &'a str,
    value: Converted<'a>,
    /// The place of `written`.
    range: TextRange,
    line: usize,
}

/// A value as Ruby sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Converted<'a> {
    Boolean(bool),
    Text(Cow<'a, str>),
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
    /// The number of the line, from 1.
    line: usize,
    /// When Puppet comes to it.
    moment: Moment,
}

/// When Puppet comes to a problem. The first one is the error of every lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    /// It splits the file into lines.
    Lines,
    /// It reads the sections, `[main]` first, whatever the order in the file.
    Section(usize),
    /// It uses the values, in this order.
    Use(usize),
}

/// The kind of a [`ConfProblem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfProblemKind {
    /// A byte that is not UTF-8. Puppet refuses the file, even if it is in a comment.
    NotUtf8,
    /// A line that is neither a setting, a section nor a comment. Puppet refuses the file, and thus the environment.
    NoSetting,
    /// A value that Puppet refuses, with its message.
    BadValue(String),
    /// A setting that Puppet does not know here, and ignores.
    UnknownSetting,
    /// A section other than `[main]`, whose settings Puppet ignores.
    IgnoredSection,
}

impl<'a> EnvironmentConf<'a> {
    /// Reads a text. `invalid_utf8_at` is the offset of the first byte that is not UTF-8.
    pub fn read(text: &'a str, invalid_utf8_at: Option<u32>) -> Self {
        let mut conf = Self { settings: Vec::new(), problems: Vec::new() };
        let mut sections = vec![MAIN];
        let mut section_number = 0;
        let mut start = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let content = line.trim_matches(is_space);
            let at = start + line.len() - line.trim_start_matches(is_space).len();
            start += line.len();
            let moment = Moment::Section(section_number);
            let problem = |kind, part: &'a str| {
                let range = TextRange::new(at as u32, (at + part.len()) as u32);
                ConfProblem { kind, text: part, range, line: number + 1, moment }
            };
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            if let Some(section) = section(content) {
                section_number =
                    sections.iter().position(|it| *it == section).unwrap_or_else(|| {
                        sections.push(section);
                        sections.len() - 1
                    });
                if section != MAIN {
                    conf.problems.push(problem(ConfProblemKind::IgnoredSection, content));
                }
            } else if let Some((name, written)) = setting(content) {
                let is_main = section_number == 0;
                if is_main && !CONF_SETTINGS.contains(&name) {
                    conf.problems.push(problem(ConfProblemKind::UnknownSetting, name));
                }
                let end = (at + content.len()) as u32;
                let range = TextRange::new(end - written.len() as u32, end);
                match without_file_options(converted(written)) {
                    Ok(value) if is_main => {
                        let line = number + 1;
                        conf.settings.push(Setting { name, written, value, range, line });
                    }
                    Ok(_) => {}
                    Err(message) => {
                        let kind = ConfProblemKind::BadValue(message);
                        conf.problems.push(ConfProblem { range, ..problem(kind, written) });
                    }
                }
            } else {
                conf.problems.push(problem(ConfProblemKind::NoSetting, content));
            }
        }
        conf.check_values();
        if let Some(at) = invalid_utf8_at {
            conf.problems = vec![ConfProblem {
                kind: ConfProblemKind::NotUtf8,
                text: "",
                range: TextRange::empty(at),
                line: 1 + text[..at as usize].matches('\n').count(),
                moment: Moment::Lines,
            }];
        }
        conf
    }

    /// The value of a setting: the first one, without quotes.
    pub fn value(&self, name: &str) -> Option<&str> {
        let setting = self.settings.iter().find(|it| it.name == name)?;
        Some(match &setting.value {
            Converted::Boolean(true) => "true",
            Converted::Boolean(false) => "false",
            Converted::Text(text) => text,
        })
    }

    /// The place of a setting's value.
    pub fn range(&self, name: &str) -> Option<TextRange> {
        self.settings.iter().find(|it| it.name == name).map(|it| it.range)
    }

    /// The error with which Puppet refuses the environment whose `environment.conf` is at `path`.
    pub fn refusal(&self, path: &str, text: &str) -> Option<String> {
        let errors = self.problems.iter().filter(|it| it.kind.is_error());
        let first = errors.min_by_key(|it| (it.moment, it.line))?;
        Some(match &first.kind {
            ConfProblemKind::BadValue(message) => message.clone(),
            ConfProblemKind::NotUtf8 => NOT_UTF8.to_owned(),
            _ => {
                let number = first.line;
                let line = text.split_inclusive('\n').nth(number - 1).unwrap_or_default();
                format!("Could not match line {line} (file: {path}, line: {number})")
            }
        })
    }

    /// Finds the values that Puppet refuses when it uses them.
    fn check_values(&mut self) {
        for (number, name) in ORDER_OF_USE.iter().enumerate() {
            let Some(setting) = self.settings.iter().find(|it| it.name == *name) else { continue };
            let Some(message) = refused_value(name, &setting.value) else { continue };
            let (written, range) = (setting.written, setting.range);
            self.problems.push(ConfProblem {
                kind: ConfProblemKind::BadValue(message),
                text: written,
                range,
                line: setting.line,
                moment: Moment::Use(number),
            });
        }
        self.problems.sort_by_key(|it| it.range.start);
    }
}

impl ConfProblemKind {
    /// Whether Puppet refuses the environment because of it.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::NotUtf8 | Self::NoSetting | Self::BadValue(_))
    }
}

/// The error with which Puppet refuses the environment whose `environment.conf` is at `path`.
pub fn refusal(files: &dyn Files, path: &str) -> Option<String> {
    let text = files.text(path).ok()?;
    let invalid_utf8_at = files.invalid_utf8(path).map(|it| it.at);
    EnvironmentConf::read(&text, invalid_utf8_at).refusal(path, &text)
}

/// The name in `[name]`.
fn section(line: &str) -> Option<&str> {
    line.strip_prefix('[')?.strip_suffix(']').filter(|name| is_word(name))
}

/// The name and the value in `name = value`.
fn setting(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches(is_space);
    is_word(name).then(|| (name, value.trim_start_matches(is_space)))
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|it| it.is_alphanumeric() || it == '_')
}

/// Ruby's `\s`: a no-break space is part of a value.
fn is_space(it: char) -> bool {
    matches!(it, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

/// `true` and `false` without quotes, in any case, are booleans. Other values lose one quote at each end.
fn converted(written: &str) -> Converted<'_> {
    for boolean in [true, false] {
        if written.eq_ignore_ascii_case(if boolean { "true" } else { "false" }) {
            return Converted::Boolean(boolean);
        }
    }
    let value = written.strip_prefix(['"', '\'']).unwrap_or(written);
    let value = value.strip_suffix(['"', '\'']).unwrap_or(value);
    Converted::Text(value.trim_end_matches(is_space).into())
}

/// Puppet takes the first `{…}` of every value for the owner, group and mode of a file, and removes it. So `${name}` is an error.
fn without_file_options(value: Converted<'_>) -> Result<Converted<'_>, String> {
    let Converted::Text(text) = &value else { return Ok(value) };
    let Some((before, options, after)) = file_options(text) else { return Ok(value) };
    for option in pieces_at_commas(options) {
        let parts = option
            .split_once('=')
            .map(|(name, it)| (name.trim_matches(is_space), it.trim_matches(is_space)));
        let Some((name, it)) = parts.filter(|(name, it)| is_ascii_word(name) && is_ascii_word(it))
        else {
            return Err(format!("Could not parse '{text}'"));
        };
        if !matches!(name, "owner" | "group" | "mode") {
            return Err(format!("Invalid file option '{name}'"));
        }
        if name == "mode" && !it.bytes().all(|digit| digit.is_ascii_digit()) {
            return Err("File modes must be numbers".to_owned());
        }
    }
    let rest = format!("{before}{after}");
    Ok(Converted::Text(rest.trim_end_matches(is_space).to_owned().into()))
}

/// What `{…}` contains, unless that is nothing, and what is before and after it.
fn file_options(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let start = from + text[from..].find('{')?;
        let end = start + text[start..].find('}')?;
        if end > start + 1 {
            let options = &text[start + 1..end];
            // The pattern's `\s*` takes the blanks, but leaves a character for the options.
            let inner = options.trim_start_matches(is_space);
            let inner = if inner.is_empty() { &options[options.len() - 1..] } else { inner };
            return Some((&text[..start], inner, &text[end + 1..]));
        }
        from = start + 1;
    }
}

/// Ruby's `split(/\s*,\s*/)`, which leaves out what is empty at the end.
fn pieces_at_commas(text: &str) -> Vec<&str> {
    let mut pieces: Vec<&str> = text.split(',').collect();
    let last = pieces.len() - 1;
    for (number, piece) in pieces.iter_mut().enumerate() {
        if number > 0 {
            *piece = piece.trim_start_matches(is_space);
        }
        if number < last {
            *piece = piece.trim_end_matches(is_space);
        }
    }
    let used = pieces.iter().rposition(|it| !it.is_empty()).map_or(0, |it| it + 1);
    pieces.truncate(used);
    pieces
}

fn is_ascii_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

/// Puppet's message for a value that it refuses when it uses it.
fn refused_value(name: &str, value: &Converted<'_>) -> Option<String> {
    let inspected = || match value {
        Converted::Boolean(value) => value.to_string(),
        Converted::Text(text) => quoted(text),
    };
    match (name, value) {
        ("modulepath", Converted::Boolean(value)) => {
            let class = if *value { "TrueClass" } else { "FalseClass" };
            Some(format!("undefined method `map' for {value}:{class}"))
        }
        ("modulepath", Converted::Text(text)) => {
            // Puppet expands globs before variables, so a glob with a variable leads nowhere.
            let mut entries = text.split(':').filter(|it| !is_glob(it));
            entries.find_map(|entry| unknown_variable(name, entry))
        }
        ("environment_timeout", Converted::Text(text)) if is_time_to_live(text) => None,
        ("environment_timeout", _) => Some(format!(
            "Invalid 'time to live' format '{}' for parameter: environment_timeout",
            inspected()
        )),
        ("static_catalogs" | "rich_data", Converted::Text(text)) => unknown_variable(name, text)
            .or_else(|| {
                let is_known = matches!(&**text, "true" | "false") || text.contains('$');
                let message =
                    || format!("Invalid value '{}' for boolean parameter: {name}", inspected());
                (!is_known).then(message)
            }),
        (_, Converted::Text(text)) => unknown_variable(name, text),
        (_, Converted::Boolean(_)) => None,
    }
}

/// Whether Puppet takes an entry of the modulepath for a glob.
pub fn is_glob(entry: &str) -> bool {
    entry.contains(['*', '?', '[', '{'])
}

/// `unlimited`, or a number of seconds or of another unit.
fn is_time_to_live(text: &str) -> bool {
    let number = text.strip_suffix(['y', 'd', 'h', 'm', 's']).unwrap_or(text);
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    is_number || text == "unlimited"
}

/// The message for the first `$name` or `${name}` that is not a setting of Puppet.
fn unknown_variable(setting: &str, value: &str) -> Option<String> {
    let mut rest = value;
    while let Some(at) = rest.find('$') {
        let after = &rest[at + 1..];
        let (braces, name) = match after.strip_prefix('{') {
            Some(inner) => (2, word_at_start(inner)),
            None => (0, word_at_start(after)),
        };
        let is_closed = braces == 0 || after[1 + name.len()..].starts_with('}');
        if name.is_empty() || !is_closed {
            rest = after;
            continue;
        }
        let expression = &rest[at..at + 1 + braces + name.len()];
        if name != "run_mode" && PUPPET_SETTINGS.binary_search(&name).is_err() {
            return Some(format!(
                "Error converting value for param '{setting}': Could not find value for {expression}"
            ));
        }
        rest = &rest[at + expression.len()..];
    }
    None
}

fn word_at_start(text: &str) -> &str {
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    &text[..text.find(|it| !is_word(it)).unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::ConfProblemKind::{BadValue, IgnoredSection, NoSetting, UnknownSetting};
    use super::*;

    #[track_caller]
    fn check(text: &str, modulepath: Option<&str>, expected: &[(ConfProblemKind, &str)]) {
        let conf = EnvironmentConf::read(text, None);
        assert_eq!(conf.value("modulepath"), modulepath, "{text:?}");
        let found: Vec<_> =
            conf.problems.iter().map(|it| (it.kind.clone(), it.range.slice(text))).collect();
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

    /// The message with which Puppet refuses the environment.
    #[track_caller]
    fn check_refusal(text: &str, expected: Option<&str>) {
        let conf = EnvironmentConf::read(text, None);
        assert_eq!(conf.refusal("/e/environment.conf", text).as_deref(), expected, "{text:?}");
    }

    #[track_caller]
    fn check_value(text: &str, name: &str, expected: &str) {
        check_refusal(text, None);
        assert_eq!(EnvironmentConf::read(text, None).value(name), Some(expected), "{text:?}");
    }

    /// Real Puppet 7 and 8 have these messages.
    #[test]
    fn braces_are_the_rights_of_a_file() {
        for value in ["${codedir}/x:modules", "bin/${environment}", "a{ }b", "a{owner}b", "{x}"] {
            let message = format!("Could not parse '{value}'");
            for name in ["modulepath", "config_version", "manifest", "nope"] {
                check_refusal(&format!("{name} = {value}\n"), Some(&message));
            }
        }
        check_refusal("x = 'a{x}' \n", Some("Could not parse 'a{x}'"));
        check_refusal("config_version = {foo = x}", Some("Invalid file option 'foo'"));
        check_refusal("modulepath = site {mode=a}", Some("File modes must be numbers"));
        check_value("modulepath = site {owner = root}", "modulepath", "site");
        check_value("modulepath = site {owner = root, mode=0755}x", "modulepath", "site x");
        check_value("modulepath = {owner = root}${codedir}/x", "modulepath", "${codedir}/x");
        check_value("modulepath = a{}b", "modulepath", "a{}b");
        check_value("modulepath = a{,}b", "modulepath", "ab");
        check_value("modulepath = a{b", "modulepath", "a{b");
    }

    #[test]
    fn a_variable_is_a_setting_of_puppet() {
        let unknown = |name: &str, variable: &str| {
            format!(
                "Error converting value for param '{name}': Could not find value for {variable}"
            )
        };
        for name in ["modulepath", "manifest", "config_version", "rich_data"] {
            for value in ["$nope/x:modules", "a/$nope", "$$nope"] {
                let message = unknown(name, "$nope");
                check_refusal(&format!("{name} = {value}\n"), Some(&message));
            }
        }
        check_refusal("manifest = {mode=1}${nope}", Some(&unknown("manifest", "${nope}")));
        for value in
            ["$nope/*/x:modules", "a/$nope*", "$codedir/x", "$environment/x", "$", "$run_mode"]
        {
            check_value(&format!("modulepath = {value}\n"), "modulepath", value);
        }
        check_value("modulepath = a\nmodulepath = $nope", "modulepath", "a");
        assert!(PUPPET_SETTINGS.is_sorted() && PUPPET_SETTINGS.contains(&"codedir"));
    }

    #[test]
    fn times_and_booleans_have_a_format() {
        for value in ["zzz", "5x", "", "5M", "-1", "5 m"] {
            let message = format!(
                "Invalid 'time to live' format '\"{value}\"' for parameter: environment_timeout"
            );
            check_refusal(&format!("environment_timeout = {value}\n"), Some(&message));
        }
        let message = "Invalid 'time to live' format 'true' for parameter: environment_timeout";
        check_refusal("environment_timeout = True", Some(message));
        for value in ["unlimited", "5m", "'5m'", "0"] {
            check_refusal(&format!("environment_timeout = {value}"), None);
        }
        for name in ["static_catalogs", "rich_data"] {
            for value in ["maybe", "TRUE", ""] {
                let message = format!("Invalid value '\"{value}\"' for boolean parameter: {name}");
                check_refusal(&format!("{name} = '{value}'\n"), Some(&message));
            }
            for value in ["TRUE", "'true'", "false", "$static_catalogs"] {
                check_refusal(&format!("{name} = {value}\n"), None);
            }
        }
        check_refusal("modulepath = true", Some("undefined method `map' for true:TrueClass"));
        check_value("manifest = FALSE", "manifest", "false");
    }

    #[test]
    fn the_first_error_is_the_one_that_puppet_meets_first() {
        let line = "Could not match line garbage\n (file: /e/environment.conf, line: 1)";
        check_refusal("garbage\nmodulepath = {x}", Some(line));
        check_refusal("modulepath = {x}\ngarbage", Some("Could not parse '{x}'"));
        let later = "[other]\ngarbage\n[main]\nmodulepath = {x}";
        check_refusal(later, Some("Could not parse '{x}'"));
        let uses = "environment_timeout = x\nmanifest = $nope\nmodulepath = $nix";
        let message =
            "Error converting value for param 'modulepath': Could not find value for $nix";
        check_refusal(uses, Some(message));
        check(
            "modulepath = $nope\n[x]\ny={z}",
            Some("$nope"),
            &[
                (BadValue(message.replace("nix", "nope")), "$nope"),
                (IgnoredSection, "[x]"),
                (BadValue("Could not parse '{z}'".to_owned()), "{z}"),
            ],
        );
    }

    #[test]
    fn a_byte_in_a_comment_is_reason_enough() {
        let text = "garbage\n# caf\u{fffd}\n";
        let conf = EnvironmentConf::read(text, Some(13));
        let refusal = conf.refusal("/e/environment.conf", text);
        assert_eq!(refusal.as_deref(), Some("invalid byte sequence in UTF-8"));
        assert_eq!(conf.problems.len(), 1);
    }

    #[test]
    fn only_ascii_blanks_count() {
        check_value("modulepath = a\u{a0}\n", "modulepath", "a\u{a0}");
        check_value("\u{b}modulepath = a\u{b}b\u{b}", "modulepath", "a\u{b}b");
        check("\u{a0}modulepath = a", None, &[(NoSetting, "\u{a0}modulepath = a")]);
    }
}
