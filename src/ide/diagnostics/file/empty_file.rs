//! `empty-file`: a YAML file without content. It counts as an empty hash, and Puppet warns at every compilation.

use crate::data::{Format, Verdict};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::ide::pair_edits::line_end;
use crate::syntax::yaml;
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "empty-file",
    name: "Empty file",
    severity: Severity::Information,
    since: "0.1.0",
    summary: "A data file is empty; Puppet warns about it at every compilation.",
    page: include_str!("../../../../docs/rules/empty-file.md"),
    checks: &[Check::File(check)],
    may_quote: |_| false,
    ..Rule::USUAL
};

pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let FileContext { text, format, verdict, .. } = file;
    if !matches!((verdict, format), (Verdict::Empty, Format::Yaml)) {
        return;
    }
    // A second document would be lost with the file. Another rule says how Puppet reads it.
    let advice = match yaml::parse(text).second_document {
        Some(_) => "The first document of the file is empty.",
        None => "Write `{}`, or remove the file.",
    };
    let message = format!(
        "file does not contain a valid yaml hash\nPuppet takes it as an empty hash, and warns each time. {advice}"
    );
    let finding = report.add(&RULE, TextRange::first_line(text), message);
    // A file with `null` or `~` is empty for Puppet, too, but `{}` after it would not be valid.
    if text.lines().all(holds_nothing) {
        let line_end = line_end(text);
        let before = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
        let edit = TextEdit::insert(text.len() as u32, format!("{before}{{}}{line_end}"));
        finding.with_fix(Fix::safe("Write `{}`", vec![edit]));
    }
}

/// Empty lines, comments and the mark for the start of a document.
fn holds_nothing(line: &str) -> bool {
    let content = line.trim_start_matches('\u{feff}').trim();
    content.is_empty() || content.starts_with('#') || content == "---"
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn nothing_but_comments() {
        check(
            r"
# Nothing here
#^^^^^^^^^^^^^ information[empty-file]: file does not contain a valid yaml hash…

# at all
",
        );
        check("--- {}\n");
    }

    #[test]
    fn a_second_document_is_not_removed() {
        check(
            r"
---
#^^ information[empty-file]: file does not contain a valid yaml hash Puppet takes it as an empty hash, and warns each time. The first document of the file is empty.
---
#^^ warning[multiple-documents]
a: 1
a: 2
",
        );
    }

    #[test]
    fn an_empty_hash() {
        check_fix("# nothing\n# yet", "Write `{}`", "# nothing\n# yet\n{}\n");
        check_fix("---\n", "Write `{}`", "---\n{}\n");
    }
}
