//! `unsupported-tag`: a YAML tag requests a Ruby class. Puppet allows none, and refuses the whole file.

use crate::data::Format;
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::file::yaml_date_breaks_file::{is_of_a_date, refused_class};
use crate::ide::diagnostics::file::yaml_syntax::reader_words;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Subject};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "unsupported-tag",
    name: "Unsupported YAML tag",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A YAML tag names a Ruby class that Puppet does not allow, so it refuses the whole file.",
    page: include_str!("../../../../docs/rules/unsupported-tag.md"),
    explains: Some(Subject::BrokenFile),
    checks: &[Check::File(check)],
    ..Rule::USUAL
};

/// The whole file's error, if it is about a tag.
pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let Some(error) = file.error().filter(|_| file.format == Format::Yaml) else { return };
    let text = file.text;
    // Another rule reports dates.
    if refused_class(error).is_none_or(is_of_a_date) {
        return;
    }
    let words = reader_words(&error.message);
    let message =
        format!("{words}\nPuppet refuses the whole file because of this tag. Remove the tag.");
    let finding = report.add(&RULE, error.range, message);
    if let Some(tag) = tag_before(text, error.range.start) {
        let title = format!("Remove `{}`", tag.slice(text).trim_end());
        finding.with_fix(Fix::safe(title, vec![TextEdit::delete(tag)]));
    }
}

/// The tag before a value on its line, including the spaces after it. An anchor may be between the tag and the value.
pub(crate) fn tag_before(text: &str, value: u32) -> Option<TextRange> {
    let line = text[..value as usize].rfind('\n').map_or(0, |at| at + 1);
    let mut end = value as usize;
    loop {
        let before = text[line..end].trim_end_matches([' ', '\t']);
        let word = before.rsplit([' ', '\t']).next()?.trim_start_matches(['[', '{', ',']);
        let start = line + before.len() - word.len();
        if word.starts_with('!') {
            return Some(TextRange::new(start as u32, end as u32));
        }
        if !word.starts_with('&') {
            return None;
        }
        end = start;
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn classes_are_refused_and_other_tags_are_not() {
        check(
            r"
a: !!set {x, y}
#        ^^^^^^ error[unsupported-tag]: Tried to load unspecified class: Psych::Set Puppet refuses the whole file because of this tag. Remove the tag.
b: !foo x
c: !!str 5
d: !!binary aGVsbG8=
",
        );
    }

    #[test]
    fn the_tag_is_taken_away() {
        check_fix(
            "a: !ruby/regexp /^a/ # why\nb: 1\n",
            "Remove `!ruby/regexp`",
            "a: /^a/ # why\nb: 1\n",
        );
        check_fix(
            "a: [!ruby/regexp &x /^a/]\nb: 1\n",
            "Remove `!ruby/regexp`",
            "a: [&x /^a/]\nb: 1\n",
        );
    }

    /// Only a custom function knows what it accepts, but text that no parser of the format can read is certainly refused.
    #[test]
    fn files_that_only_functions_read() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: own, path: own.yaml, data_hash: site::permissive}
#                                          ^^^^^^^^^^^^^^^^ information[unknown-backend]
  - {name: broken, path: broken.yaml, data_hash: site::permissive}
#                                                ^^^^^^^^^^^^^^^^ information[unknown-backend]
#- /data/own.yaml
a: !ruby/regexp /^a/
b: 0644
#- /data/broken.yaml
a: [1
#  ^^ error[yaml-syntax]
",
        );
    }
}
