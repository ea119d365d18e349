//! `tab-indentation`: a tab before the first character of a line, where YAML wants blanks.

use super::yaml_syntax::reader_words;
use super::{Report, Rule, Severity};
use crate::data::FileError;
use crate::text::{LineIndex, TextRange};

pub(super) const RULE: Rule = Rule {
    code: "tab-indentation",
    name: "Tab in the indentation",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A line is indented with a tab, which YAML does not allow.",
    page: include_str!("../../../docs/rules/tab-indentation.md"),
    is_on: true,
};

/// Says whether that is why the file is broken.
pub(super) fn check(error: &FileError, text: &str, report: &mut Report) -> bool {
    let index = LineIndex::new(text);
    let line = index.line_of(error.range.start);
    // libyaml often sees the trouble one line earlier, where something is left open.
    let Some(range) = [line, line + 1].into_iter().find_map(|line| tabs(&index, text, line)) else {
        return false;
    };
    let words = reader_words(&error.message);
    report.add(&RULE, range, format!("{words}\nIndent with blanks instead of tabs."));
    true
}

/// The tabs before the first character of a line.
fn tabs(index: &LineIndex, text: &str, line: u32) -> Option<TextRange> {
    let range = index.line_range(text, line);
    let line = range.slice(text);
    let indentation = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
    let first = indentation.find('\t')?;
    let end = indentation.rfind('\t')? + 1;
    let is_blank = line.trim().is_empty();
    (!is_blank).then(|| TextRange::new(range.start + first as u32, range.start + end as u32))
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::check;

    #[test]
    fn tabs_that_break_the_file() {
        check("a:\n  b: 1\n  \tc: 2\n# ^ error[tab-indentation]\n");
    }

    #[test]
    fn tabs_that_do_no_harm() {
        check("a:\t1\nb: [1,\n\t2]\n");
    }
}
