//! `left-by-git`: a data file with what Git wrote in the place of data: an unresolved conflict, a pointer of Git LFS, or a file
//! that git-crypt has encrypted.
//!
//! Whatever else a rule said about such a text would lead users away from the cause, so no other rule checks it.

use crate::ide::diagnostics::file::FileContext;
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity, Subject};
use crate::text::TextRange;
use crate::world::{LeftByGit, conflict_marks};

pub(crate) const RULE: Rule = Rule {
    code: "left-by-git",
    name: "Text of Git in place of data",
    severity: Severity::Error,
    since: "0.2.0",
    summary: "A data file has an unresolved merge conflict, is a pointer of Git LFS, or is encrypted by git-crypt.",
    page: include_str!("../../../../docs/rules/left-by-git.md"),
    explains: Some(Subject::BrokenFile),
    may_quote: |_| false,
    checks: &[Check::File(check)],
    ..Rule::USUAL
};

pub(crate) fn check(file: &FileContext<'_>, report: &mut Report) {
    let whole = TextRange::first_line(file.text);
    match file.left_by_git {
        None => {}
        Some(LeftByGit::Pointer) => {
            let message = "This file is only a pointer to what Git LFS keeps: run `git lfs pull`\n\
                           Lookups read the pointer as if it were the data.";
            report.add(&RULE, whole, message);
        }
        Some(LeftByGit::Encrypted) => {
            let message = "This file is still encrypted by git-crypt: run `git-crypt unlock`\n\
                           Do not save it from an editor, which would destroy it.";
            report.add(&RULE, whole, message);
        }
        Some(LeftByGit::ConflictMarks) => check_conflicts(file, report),
    }
}

/// One finding for each conflict, at its first mark.
fn check_conflicts(file: &FileContext<'_>, report: &mut Report) {
    let mut marks = conflict_marks(file.text).into_iter().peekable();
    while let Some(first) = marks.next() {
        let message = "Unresolved merge conflict: Puppet cannot read this file\n\
                       Keep what is meant of both sides, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`.";
        let finding = report.add(&RULE, first, message);
        let is_end = |range: &TextRange| range.slice(file.text).starts_with('>');
        if !is_end(&first)
            && let Some(end) = marks.next_if(is_end)
        {
            let message = "The conflict ends here".to_owned();
            finding.related.push(Related { path: None, range: end, message });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};

    /// Puppet: "could not find expected ':' while scanning a simple key".
    const CONFLICT: &str =
        "x: 1\n<<<<<<< HEAD\nplain: 0644\nlist: [a]\n=======\nplain: 0644\nlist: [b]\n>>>>>>> b\n";

    #[test]
    fn nothing_else_is_said_about_a_conflict() {
        check(
            r"
x: 1
<<<<<<< HEAD
#^^^^^^^^^^^ error[left-by-git]: Unresolved merge conflict: Puppet cannot read this file…
plain: 0644
list: [a]
=======
plain: 0644 # hiera-ls: ignore[comma-number]
list: [b]
>>>>>>> b
y: 2
",
        );
        check_related(
            CONFLICT,
            "left-by-git",
            &["/data/common.yaml: >>>>>>> b: The conflict ends here"],
        );
    }

    #[test]
    fn conflicts_in_json() {
        check(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, data_hash: json_data, path: common.json}]\n\
             #- /data/common.json\n{\n<<<<<<< HEAD\n#^^^^^^^^^^^ error[left-by-git]\n\"a\": 1\n=======\n\"a\": 2\n>>>>>>> b\n}\n",
        );
    }

    #[test]
    fn marks_in_a_string_are_text() {
        check("a: |\n  x\n  <<<<<<< HEAD\n  y\n");
    }

    #[test]
    fn files_without_their_content() {
        check(
            r"
version https://git-lfs.github.com/spec/v1
#^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[left-by-git]: This file is only a pointer to what Git LFS keeps: run `git lfs pull`…
oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393
size 12345
",
        );
        check(
            "\0GITCRYPT\0 1\n#^^^^^^^^^^^ error[left-by-git]: This file is still encrypted by git-crypt: run `git-crypt unlock`…\n",
        );
    }
}
