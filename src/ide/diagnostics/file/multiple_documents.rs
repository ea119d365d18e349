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
    may_quote: |_| false,
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
    if !["\n---", "\n...", "\n%"].into_iter().any(has_mark) && !may_end_without_mark(text) {
        return;
    }
    let Some(end) = yaml::parse(text).second_document else { return };
    let (marks, content) = after_first_document(text, end as usize);
    let Some(content) = content else { return };
    let (range, advice) = match marks[..] {
        [] => (content, advice_at(content.slice(text))),
        [mark] => (mark, "Remove this line, or move what follows to a file of its own."),
        [mark, ..] => {
            (mark, "Remove this line and the next mark, or move what follows to a file of its own.")
        }
    };
    let message = format!(
        "Puppet reads nothing from here on: only the first document of a file counts.\n{advice}"
    );
    let finding = report.add(&RULE, range, message);
    if marks.is_empty() || text.len() > MAX_TRIED_BYTES {
        return;
    }
    let lines = marks.iter().map(|mark| whole_lines(text, *mark).map(TextEdit::delete));
    let Some(edits) = lines.collect::<Option<Vec<_>>>() else { return };
    // With the same key in both parts, the later value would win without notice.
    if is_one_hash(&apply_edits(text, &edits)) {
        let lines = match marks.len() {
            1 => "this line".to_owned(),
            count => format!("the {count} marks"),
        };
        let title = format!("Remove {lines}: Puppet then reads what follows, too");
        finding.with_fix(Fix::changing(title, edits));
    }
}

/// Whether the first line with content starts something other than a hash at the start of the line. Only such a hash goes on
/// up to a mark; the document ends with a closing brace, or before a line that is indented less.
fn may_end_without_mark(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().filter(|it| {
        let content = it.trim();
        !content.is_empty() && !content.starts_with('#') && content != "---"
    });
    lines.next().is_some_and(|it| it.starts_with([' ', '{', '[', '!', '&', '-']))
}

/// What to do about the first line that is not read, if no mark that can be removed precedes it.
fn advice_at(line: &str) -> &'static str {
    if line.starts_with("---") {
        "Move it to a file of its own."
    } else if line.starts_with('%') {
        "Remove this line, or move what follows to a file of its own."
    } else {
        "The hash before it has ended: its lines are indented further, or its brace is closed."
    }
}

/// Whether a text is one document with a hash that has no key twice.
fn is_one_hash(text: &str) -> bool {
    let data = DataFile::new(FileId(0), Format::Yaml, text.into());
    data.verdict() == Verdict::Hash
        && data.duplicate_keys().is_empty()
        && yaml::parse(text).second_document.is_none()
}

/// The marks between the first document, which ends at byte `end`, and the first line after it that is neither empty nor a
/// comment, and this line.
fn after_first_document(text: &str, end: usize) -> (Vec<TextRange>, Option<TextRange>) {
    let Some((before, behind)) = text.split_at_checked(end) else { return (Vec::new(), None) };
    let mut marks = Vec::new();
    // A `...` belongs to the document that it ends.
    if before.ends_with("\n...") {
        marks.push(TextRange::new(end as u32 - 3, end as u32));
    }
    let mut start = end;
    for line in behind.split_inclusive('\n') {
        let content = line.trim();
        let at = (start + line.len() - line.trim_start().len()) as u32;
        let range = TextRange::new(at, at + content.len() as u32);
        match content {
            "---" | "..." => marks.push(range),
            _ if content.is_empty() || content.starts_with('#') => {}
            _ => return (marks, Some(range)),
        }
        start += line.len();
    }
    (marks, None)
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
#^^ warning[multiple-documents]: Puppet reads nothing from here on: only the first document of a file counts. Remove this line, or…
# the end
b: 2
",
        );
        check(
            r"
a: 1
--- {b: 2}
#^^^^^^^^^ warning[multiple-documents]: Puppet reads nothing from here on: only the first document of a file counts. Move it…
",
        );
    }

    #[test]
    fn a_document_may_end_without_a_mark() {
        let lost = "^^^ warning[multiple-documents]: Puppet reads nothing from here on: only the first document of a file counts. \
                    The hash before it has ended: its lines are indented further, or its brace is closed.";
        for before in [
            "  k: v",
            "{a: 1}",
            "!!map {a: 1}",
            "&x\n  a: 1",
            "--- {a: 1}",
            "---\n{a: 1}\n",
            "  # c\n  a: 1\n# d",
        ] {
            check(&format!("{before}\nb: 2\n#{lost}\nc: 3\n"));
        }
        check(
            "a: 1\n%YAML 1.2\n#^^^^^^^^ warning[multiple-documents]: Puppet reads nothing from here on: only the first \
             document of a file counts. Remove this line, or…\nb: 2\n",
        );
    }

    #[test]
    fn one_document() {
        check("{a: 1}\n# the end\n");
        check("  a: 1\n  b: 2\n\n# the end\n");
        check("---\n{\na: 1,\nb: 2\n}\n");
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
        check_fix(
            "a: 1\n...\nb: 2\n",
            "Remove this line: Puppet then reads what follows, too",
            "a: 1\nb: 2\n",
        );
        check_fix(
            "a: 1\n...\n---\nb: 2\n",
            "Remove the 2 marks: Puppet then reads what follows, too",
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
