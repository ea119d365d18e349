//! Comments in a file that suppress findings: `# hiera-ls: ignore[rule]`.
//!
//! A comment applies to its own line and, if it is alone on its line, to the next one. If a string of several lines starts on
//! that line, the comment applies to the whole string. `ignore-file` applies to the whole file. With brackets, it applies to the
//! rules in them, without brackets to all rules.

use memchr::memmem;

use crate::ide::diagnostics::shared::fix::Safety;
use crate::ide::diagnostics::{Diagnostic, RULES, current_code, rule};
use crate::ide::written_strings::WrittenStrings;
use crate::settings::nearest_name;
use crate::text::{LineIndex, TextRange};

const MARK: &str = "hiera-ls:";

/// The end of [`MARK`], and the same in capitals: such a comment is meant to be one.
const ENDS_OF_MARK: [&str; 2] = ["-ls:", "-LS:"];

/// One comment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ignore<'t> {
    /// The comment, from its first character to the end of the line, without trailing spaces; in a template, the whole tag.
    pub(crate) range: TextRange,
    /// Whether nothing else is on its line.
    pub(crate) stands_alone: bool,
    /// Its line, from 0; `None` if it is for the whole file.
    line: Option<u32>,
    /// The rules and their places; without any, it is for all rules.
    pub(crate) codes: Vec<(&'t str, TextRange)>,
    /// Which of the rules reported something there; without rules, whether any rule did.
    pub(crate) used: Vec<bool>,
    /// For each of the rules that does not exist, the one with nearly its code, if that one reported something there.
    pub(crate) meant: Vec<Option<&'static str>>,
    /// Whether it is only meant to be such a comment: it suppresses nothing.
    pub(crate) is_misread: bool,
}

impl Ignore<'_> {
    /// The part of `text` that it is for: a line without the comment, or the whole file.
    pub(crate) fn subject<'t>(&self, text: &'t str) -> &'t str {
        let (before, after) =
            (&text[..self.range.start as usize], &text[self.range.end as usize..]);
        match self.line {
            None => text,
            Some(_) if self.stands_alone => after.lines().nth(1).unwrap_or_default(),
            Some(_) => before.lines().next_back().unwrap_or_default(),
        }
    }

    /// Whether it is for a line: its own or, if nothing else is there, also the next one. A byte order mark may be there.
    fn is_for(&self, line: u32) -> bool {
        !self.is_misread
            && self.line.is_none_or(|own| own == line || self.stands_alone && own + 1 == line)
    }
}

/// Removes the findings that the comments of `text` suppress, and returns the comments. `strings` are those of the text.
pub(crate) fn leave_out<'t>(
    text: &'t str,
    strings: impl FnOnce() -> WrittenStrings,
    findings: &mut Vec<Diagnostic>,
) -> Vec<Ignore<'t>> {
    // Nearly all files have no such comment, and a search shows that.
    if ENDS_OF_MARK.iter().all(|it| memmem::find(text.as_bytes(), it.as_bytes()).is_none()) {
        return Vec::new();
    }
    let strings = strings();
    let mut ignores = ignores(text, &strings);
    let index = LineIndex::new(text);
    findings.retain_mut(|finding| {
        let start = finding.range.start;
        let lines = [start, strings.start_of(start)].map(|it| index.line_of(it));
        let mut is_ignored = false;
        for ignore in ignores.iter_mut().filter(|it| lines.iter().any(|line| it.is_for(*line))) {
            let is_its = |(code, _): &(&str, _)| current_code(code) == finding.code;
            let named = ignore.codes.iter().position(is_its);
            // Without codes, `used` has one element, for the comment as a whole.
            if let Some(at) = named.or_else(|| ignore.codes.is_empty().then_some(0)) {
                ignore.used[at] = true;
                is_ignored = true;
            }
            let is_misspelt = |(code, _): &(&str, _)| nearest_rule(code) == Some(finding.code);
            if let Some(at) = ignore.codes.iter().position(is_misspelt) {
                ignore.meant[at] = Some(finding.code);
                // The user knows of the finding, and wants the value as it is.
                finding.fixes.iter_mut().for_each(|fix| fix.safety = Safety::ByHand);
            }
        }
        !is_ignored
    });
    ignores
}

/// The rule with nearly this code, if no rule has it.
pub(crate) fn nearest_rule(code: &str) -> Option<&'static str> {
    let codes = RULES.iter().map(|it| it.code);
    if rule(code).is_some() { None } else { nearest_name(code, codes) }
}

fn ignores<'t>(text: &'t str, strings: &WrittenStrings) -> Vec<Ignore<'t>> {
    let mut ignores = Vec::new();
    let mut line_start = 0;
    for (number, line) in (0..).zip(text.split_inclusive('\n')) {
        let start = line_start;
        line_start += line.len();
        let comment = line.match_indices(MARK).find_map(|(at, _)| {
            let before = line[..at].trim_end();
            let before = before.strip_suffix('#').or_else(|| before.strip_suffix("//"))?;
            (!strings.contain((start + before.len()) as u32)).then_some((at, before))
        });
        let read = comment.and_then(|(at, before)| {
            command(&line[at + MARK.len()..]).map(|(is_file, codes)| (before, is_file, codes))
        });
        let is_misread = read.is_none();
        let is_string = |at: usize| strings.contain((start + at) as u32);
        let misread = || Some((before_misread(line, &is_string)?, false, Vec::new()));
        let Some((before, is_file, codes)) = read.or_else(misread) else { continue };
        let (before, length) = in_its_tag(line, before);
        // A byte order mark may precede a comment on the first line.
        let is_first = before.trim_start_matches('\u{feff}').trim().is_empty();
        let stands_alone = is_first && line[length..].trim().is_empty();
        let place = |part: &str| {
            let from = (part.as_ptr() as usize - text.as_ptr() as usize) as u32;
            TextRange::new(from, from + part.len() as u32)
        };
        let end = (start + length) as u32;
        ignores.push(Ignore {
            range: TextRange::new((start + before.len()) as u32, end),
            stands_alone,
            line: (!is_file).then_some(number),
            used: vec![false; codes.len().max(1)],
            meant: vec![None; codes.len()],
            codes: codes.into_iter().map(|code| (code, place(code))).collect(),
            is_misread,
        });
    }
    ignores
}

/// What is before a comment that was meant to suppress a rule: `# known. hiera-ls: ignore[rule]`, `# hiera-ls: disable[rule]` or
/// `# HIERA-LS: ignore[rule]`.
fn before_misread<'l>(line: &'l str, is_string: &dyn Fn(usize) -> bool) -> Option<&'l str> {
    let at = line.to_ascii_lowercase().find(MARK)?;
    let (before, after) = (&line[..at], &line[at + MARK.len()..]);
    let word = after.trim_start();
    let rest = word.trim_start_matches(|it: char| it.is_ascii_alphabetic() || it == '-');
    let begins = |at: usize| before[..at].chars().next_back().is_none_or(char::is_whitespace);
    let mut hashes = before.match_indices('#').map(|(at, _)| at);
    let start = hashes.find(|at| begins(*at) && !is_string(*at))?;
    (rest.len() < word.len() && rest.starts_with('[')).then(|| &line[..start])
}

/// What is before a comment, and the length of the line up to its end. In a template of Puppet, `<%# … %>` is the comment.
fn in_its_tag<'l>(line: &'l str, before: &'l str) -> (&'l str, usize) {
    let tag = before.strip_suffix("<%").or_else(|| before.strip_suffix("<%-"));
    let end = line[before.len()..].find("%>").map(|at| before.len() + at + "%>".len());
    match (tag, end) {
        (Some(before), Some(end)) => (before, end),
        _ => (before, line.trim_end().len()),
    }
}

/// `ignore`, `ignore[a, b]`, `ignore-file[a]`; text after it is a reason for people.
fn command(text: &str) -> Option<(bool, Vec<&str>)> {
    let rest = text.trim_start().strip_prefix("ignore")?;
    let (is_file, rest) = match rest.strip_prefix("-file") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    match rest.chars().next() {
        Some('[') => {
            let codes = rest[1..].split_once(']')?.0.split(',').map(str::trim);
            Some((is_file, codes.filter(|code| !code.is_empty()).collect()))
        }
        Some(c) if !c.is_whitespace() && c != ':' => None,
        _ => Some((is_file, Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn on_the_line_and_on_the_line_above() {
        check(
            r#"
a: "%{lookup('')}" # hiera-ls: ignore[malformed-token]
# hiera-ls: ignore[malformed-token, unknown-function] because
#                                   ^^^^^^^^^^^^^^^^ information[unused-ignore]
b: "%{lookup('')}"
c: "%{lookup('')}"
#   ^^^^^^^^^^^^^ error[malformed-token]
d: "%{lookup('')}" # hiera-ls: ignore
e: "%{lookup('')}" # hiera-ls: ignore[unknown-function]
#   ^^^^^^^^^^^^^ error[malformed-token]
#                                     ^^^^^^^^^^^^^^^^ information[unused-ignore]
"#,
        );
    }

    const DATA: &str = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n#- /data/common.yaml\na: 1\n";

    #[test]
    fn in_code() {
        check(&format!(
            "{DATA}#- /manifests/site.pp\n\
             lookup('b') # hiera-ls: ignore[lookup-without-data]\n\
             lookup('a') # hiera-ls: ignore[lookup-without-data]\n\
             #                              ^^^^^^^^^^^^^^^^^^^ information[unused-ignore]\n\
             $x = 1 # hiera-ls: ignore[nosuch]\n\
             #                         ^^^^^^ information[unused-ignore]: there is no rule `nosuch`\n\
             #- /elsewhere/x.pp\n$x = 1 # hiera-ls: ignore[nosuch]\n"
        ));
    }

    /// Within a string, nothing is a comment.
    #[test]
    fn in_strings_of_several_lines() {
        check(
            r#"
a: | # hiera-ls: ignore[malformed-token] the first line of the string
  x
  %{lookup('')} %{lokup('a')}
#               ^^^^^^^^^^^^^ error[unknown-function]
# hiera-ls: ignore[malformed-token]
b: "x
  %{lookup('')}"
c:
  # hiera-ls: ignore[malformed-token]
  - >-
    x %{lookup('')}
  - >-
    x %{lookup('')}
#     ^^^^^^^^^^^^^ error[malformed-token]
d: # hiera-ls: ignore[malformed-token]
#                     ^^^^^^^^^^^^^^^ information[unused-ignore]
  e: "%{lookup('')}"
#     ^^^^^^^^^^^^^ error[malformed-token]
"#,
        );
    }

    #[test]
    fn in_templates() {
        check(&format!(
            "{DATA}#- /modules/m/templates/x.epp\n\
             <%# hiera-ls: ignore[lookup-without-data] %>\n<%= lookup('b') %>\n\
             <%= lookup('b') %> <%# hiera-ls: ignore %> x\n\
             <%= lookup('b') %>\n\
             #          ^^^ warning[lookup-without-data]\n"
        ));
        let template = "#- /modules/m/templates/x.epp\na <%# hiera-ls: ignore %> b\n<%# hiera-ls: ignore %>\nc\n";
        check_fix(
            &format!("{template}{DATA}"),
            "Remove the comment",
            "a b\n<%# hiera-ls: ignore %>\nc\n",
        );
    }

    #[test]
    fn in_the_whole_file() {
        check(
            r#"
# hiera-ls: ignore-file[malformed-token]
a: "%{lookup('')}"

b: "%{lokup('a')}"
#   ^^^^^^^^^^^^^ error[unknown-function]
"#,
        );
    }

    #[test]
    fn beside_a_byte_order_mark() {
        check("\u{feff} # hiera-ls: ignore[invalid-encoding, octal-number]\na: 0644\n");
        check("\u{feff}a: 1 # hiera-ls: ignore[invalid-encoding]\n");
    }

    /// A fix for the first one would break the file, and the block would silence a finding below it.
    #[test]
    fn strings_are_not_comments() {
        check(
            r##"
a: "x # hiera-ls: ignore[octal-number]"
b: |
  #!/bin/sh
  # hiera-ls: ignore
num: 010
#    ^^^ warning[octal-number]
c: 'x
  # hiera-ls: ignore-file

  y'
d: "# hiera-ls: ignore[x]" # hiera-ls: ignore
#                          ^^^^^^^^^^^^^^^^^^ information[unused-ignore]
e: > # hiera-ls: ignore
#    ^^^^^^^^^^^^^^^^^^ information[unused-ignore]
  x
f: x# hiera-ls:ignore
"##,
        );
    }

    #[test]
    fn strings_in_hocon_and_code() {
        check(
            r##"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, data_hash: hocon_data, path: common.conf}]
#- /data/common.conf
a = "x # hiera-ls: ignore"
b = """
  # hiera-ls: ignore
"""
c = 1 # hiera-ls: ignore
#     ^^^^^^^^^^^^^^^^^^ information[unused-ignore]
d = 1 // hiera-ls: ignore
#     ^^^^^^^^^^^^^^^^^^^ information[unused-ignore]
#- /manifests/site.pp
$a = "# hiera-ls: ignore-file ${x} # hiera-ls: ignore-file"
$b = @(E)
  # hiera-ls: ignore-file
  | E
lookup('h', undef, 'hash')
#^^^^^ warning[refused-lookup]
lookup('h', undef, 'hash') # hiera-ls: ignore
"##,
        );
    }

    #[test]
    fn words_that_only_look_like_it() {
        check(
            r#"
a: "%{lookup('')}" # hiera-ls: ignored
#   ^^^^^^^^^^^^^ error[malformed-token]
b: "%{lookup('')} hiera-ls: ignore"
#   ^^^^^^^^^^^^^ error[malformed-token]
"#,
        );
    }
}
