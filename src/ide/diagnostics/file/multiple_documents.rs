//! `multiple-documents`: Puppet reads only the first YAML document of a file.

use memchr::memmem;

use crate::data::{DataFile, FileId, Format, Verdict};
use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::shared::fix::{Fix, MAX_TRIED_BYTES};
use crate::ide::diagnostics::{Check, Report, Rule, Severity, Tag};
use crate::ide::pair_edits::whole_lines;
use crate::syntax::yaml;
use crate::text::{TextEdit, TextRange, apply_edits};

pub(crate) const RULE: Rule = Rule {
    code: "multiple-documents",
    name: "Second document",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A file has more than one YAML document; Puppet reads only the first.",
    page: include_str!("../../../../docs/rules/multiple-documents.md"),
    tag: Some(Tag::Unnecessary),
    checks: &[Check::File(check)],
    ..Rule::USUAL
};

pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let text = file.text;
    // A file that is read entry by entry has one document.
    if file.format != Format::Yaml || file.error().is_some() || file.data.is_split() {
        return;
    }
    // Most files have no such mark, and a search shows that faster than a parser.
    let has_mark = |mark: &str| memmem::find(text.as_bytes(), mark.as_bytes()).is_some();
    if !has_mark("\n---") && !has_mark("\n...") {
        return;
    }
    let Some(end) = yaml::parse(text).second_document else { return };
    if let Some(range) = first_content(text, end as usize) {
        let message = "Puppet reads nothing from here on: only the first document of a file counts.\n\
                       Remove this line, or move what follows to a file of its own.";
        let finding = report.add(&RULE, range, message);
        if range.slice(text) == "---"
            && text.len() <= MAX_TRIED_BYTES
            && let Some(line) = whole_lines(text, range)
        {
            let edit = TextEdit::delete(line);
            let without = apply_edits(text, std::slice::from_ref(&edit));
            // With the same key in both parts, the later value would win without notice.
            if is_one_hash(&without) {
                let title = "Remove this line: Puppet then reads what follows, too";
                finding.with_fix(Fix::changing(title, vec![edit]));
            }
        }
    }
}

/// Whether a text is one document with a hash that has no key twice.
fn is_one_hash(text: &str) -> bool {
    let data = DataFile::new(FileId(0), Format::Yaml, text.into());
    data.verdict() == Verdict::Hash
        && data.duplicate_keys().is_empty()
        && yaml::parse(text).second_document.is_none()
}

/// The first line from byte `from` on that is neither empty nor a comment, if something other than a mark follows.
fn first_content(text: &str, from: usize) -> Option<TextRange> {
    let mut start = from;
    let mut first = None;
    for line in text.get(from..)?.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            let at = (start + line.len() - line.trim_start().len()) as u32;
            first = first.or(Some(TextRange::new(at, at + content.len() as u32)));
            if !matches!(content, "---" | "...") {
                return first;
            }
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::MAX_TRIED_BYTES;
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts, padded};

    #[test]
    fn what_follows_is_lost() {
        check(
            r"
---
a: 1
---
#^^ warning[multiple-documents]: Puppet reads nothing from here on…
b: 2
",
        );
        check(
            r"
a: 1
...
# the end
b: 2
#^^^ warning[multiple-documents]
",
        );
    }

    #[test]
    fn one_document() {
        check("---\na: 1\n...\n# the end\n");
        check("a: |\n  x\n  ---\n  y\n");
    }

    #[test]
    fn the_mark_goes() {
        check_fix(
            "a: 1\n---\nb: 2\n",
            "Remove this line: Puppet then reads what follows, too",
            "a: 1\nb: 2\n",
        );
    }

    #[test]
    fn fixes_of_large_files_are_not_tried() {
        let fixes = |length| fix_counts(&padded("a: 1\n---\nb: 2\n", length), "multiple-documents");
        assert_eq!(fixes(MAX_TRIED_BYTES), [1]);
        assert_eq!(fixes(MAX_TRIED_BYTES + 1), [0]);
    }
}
