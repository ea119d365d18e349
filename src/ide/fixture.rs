//! The fixture language: several files, cursors and expected diagnostics in one string, for tests and for the examples in the
//! documentation.
//!
//! ```text
//! #- /data/common.yaml          starts a file; a fixture without such a line is one file with this name
//! a: "%{lokup('b')}$0"          $0 … $9 are marks; they are not part of the text
//! #    ^^^^^^^^^^ error[unknown-function]: Unknown interpolation method 'lokup'
//! b: 1
//! ```
//!
//! An expectation is below the line that it refers to, and is not part of the text. Its carets mark the columns; a `#`
//! directly followed by a caret marks its own column as well. The message may be omitted, or end with `…`.

use std::sync::Arc;

use crate::text::{LineIndex, TextRange};

/// The path of the only file of a fixture without file lines.
pub(crate) const DEFAULT_PATH: &str = "/data/common.yaml";

/// Files with marks and expected diagnostics.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fixture {
    /// The files in the order of the fixture.
    pub(crate) files: Vec<FixtureFile>,
}

/// One file of a [`Fixture`].
#[derive(Debug, Clone)]
pub(crate) struct FixtureFile {
    /// The path in the fixture.
    pub(crate) path: Arc<str>,
    /// `key:value` words after the path.
    pub(crate) attributes: Vec<(String, String)>,
    /// The content, without marks and expectations.
    pub(crate) text: Arc<str>,
    /// Byte offsets of `$0` … `$9`.
    pub(crate) marks: Vec<(u8, u32)>,
    /// The expected diagnostics, in source order.
    pub(crate) expectations: Vec<Expectation>,
}

/// `#^^^ severity[code]: message`
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expectation {
    /// The marked bytes of the file.
    pub(crate) range: TextRange,
    /// `error`, `warning`, `information` or `hint`.
    pub(crate) severity: String,
    /// The rule's code.
    pub(crate) code: String,
    /// The message; `None` if the fixture does not specify it.
    pub(crate) message: Option<String>,
}

/// A diagnostic in the form of an [`Expectation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The range.
    pub(crate) range: TextRange,
    /// `error`, `warning`, `information` or `hint`.
    pub(crate) severity: String,
    /// The rule's code.
    pub(crate) code: String,
    /// The message.
    pub(crate) message: String,
}

impl Fixture {
    /// Parses a fixture with marks `$0` … `$9`. Indentation that all its lines have in common is removed.
    pub(crate) fn parse(text: &str) -> Self {
        Self::read(text, true)
    }

    /// Parses a fixture in which `$` has no special meaning: the examples of the documentation.
    pub(crate) fn parse_without_marks(text: &str) -> Self {
        Self::read(text, false)
    }

    /// The file and offset of a mark.
    pub(crate) fn mark(&self, number: u8) -> Option<(&FixtureFile, u32)> {
        self.files.iter().find_map(|file| {
            file.marks.iter().find(|mark| mark.0 == number).map(|mark| (file, mark.1))
        })
    }

    /// The file at `path`; the last one if there are several.
    pub(crate) fn file(&self, path: &str) -> Option<&FixtureFile> {
        self.files.iter().rfind(|file| &*file.path == path)
    }

    fn read(text: &str, with_marks: bool) -> Self {
        let mut files: Vec<(String, Vec<&str>)> = Vec::new();
        let text = without_shared_indentation(text);
        for line in text.split_inclusive('\n') {
            if let Some(header) = line.strip_prefix("#- ") {
                files.push((header.trim().to_owned(), Vec::new()));
            } else if let Some((_, lines)) = files.last_mut() {
                lines.push(line);
            } else if !line.trim().is_empty() {
                files.push((DEFAULT_PATH.to_owned(), vec![line]));
            }
        }
        let files = files.into_iter().map(|(header, lines)| read_file(&header, &lines, with_marks));
        Self { files: files.collect() }
    }
}

impl FixtureFile {
    /// The difference between the expected and the actual diagnostics, as a text for a failing test; `None` if there is none.
    pub(crate) fn difference(&self, findings: &[Finding]) -> Option<String> {
        let mut missing: Vec<&Expectation> = self.expectations.iter().collect();
        let mut problems = Vec::new();
        for finding in findings {
            match missing.iter().position(|expected| self.fits(expected, finding)) {
                Some(at) => drop(missing.remove(at)),
                None => problems.push(format!("unexpected {}\n", self.show(finding))),
            }
        }
        for expected in missing {
            let Expectation { range, severity, code, message } = expected.clone();
            let message = message.unwrap_or_default();
            let show = self.show(&Finding { range, severity, code, message });
            problems.push(format!("missing    {show}\n"));
        }
        (!problems.is_empty()).then(|| problems.concat())
    }

    fn fits(&self, expected: &Expectation, actual: &Finding) -> bool {
        let message_fits = expected.message.as_ref().is_none_or(|expected| {
            let flat = actual.message.replace('\n', " ");
            match expected.strip_suffix('…') {
                Some(start) => flat.starts_with(start),
                None => flat == *expected,
            }
        });
        message_fits
            && expected.severity == actual.severity
            && expected.code == actual.code
            && expected.range == self.visible_range(actual.range)
    }

    /// The part of a range that carets can mark: on one line, and at least one column wide.
    fn visible_range(&self, range: TextRange) -> TextRange {
        let index = LineIndex::new(&self.text);
        let line = index.line_range(&self.text, index.line_of(range.start));
        TextRange::new(range.start, range.end.min(line.end).max(range.start + 1))
    }

    fn show(&self, finding: &Finding) -> String {
        let index = LineIndex::new(&self.text);
        let line = index.line_of(finding.range.start);
        let shown = index.line_range(&self.text, line);
        let range = self.visible_range(finding.range);
        let column = (range.start - shown.start) as usize;
        let carets = "^".repeat(range.len() as usize);
        let Finding { severity, code, message, .. } = finding;
        let text = shown.slice(&self.text);
        format!(
            "in {}:{}\n  {text}\n  {}{carets} {severity}[{code}]: {message}",
            self.path,
            line + 1,
            " ".repeat(column)
        )
    }
}

fn read_file(header: &str, lines: &[&str], with_marks: bool) -> FixtureFile {
    let mut words = header.split_whitespace();
    let path = words.next().unwrap_or(DEFAULT_PATH).into();
    let attributes = words.filter_map(|word| word.split_once(':'));
    let attributes = attributes.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let mut text = String::new();
    let mut marks = Vec::new();
    let mut expectations = Vec::new();
    let mut line_start = 0;
    for line in lines {
        if let Some(expectation) = read_expectation(line, line_start) {
            expectations.push(expectation);
        } else {
            line_start = text.len() as u32;
            push_line(&mut text, &mut marks, line, with_marks);
        }
    }
    FixtureFile { path, attributes, text: text.into(), marks, expectations }
}

fn push_line(text: &mut String, marks: &mut Vec<(u8, u32)>, line: &str, with_marks: bool) {
    let mut rest = line;
    while let Some(at) = rest.find('$').filter(|_| with_marks) {
        let (before, behind) = rest.split_at(at);
        text.push_str(before);
        if let Some(digit @ b'0'..=b'9') = behind.as_bytes().get(1) {
            marks.push((digit - b'0', text.len() as u32));
            rest = &behind[2..];
        } else {
            text.push('$');
            rest = &behind[1..];
        }
    }
    text.push_str(rest);
}

/// Parses `#   ^^^ error[code]: message`; `line_start` is where the line above starts.
fn read_expectation(line: &str, line_start: u32) -> Option<Expectation> {
    let hash = line.find(|c| c != ' ').filter(|&at| line[at..].starts_with('#'))?;
    let first = hash + 1 + line[hash + 1..].find(|c| c != ' ')?;
    let carets = line[first..].len() - line[first..].trim_start_matches('^').len();
    if carets == 0 {
        return None;
    }
    let (severity, rest) = line[first + carets..].trim().split_once('[')?;
    let (code, message) = rest.split_once(']')?;
    let message = message.strip_prefix(':').map(|text| text.trim().to_owned());
    let start = if first == hash + 1 { hash } else { first } as u32;
    let range = TextRange::new(line_start + start, line_start + (first + carets) as u32);
    Some(Expectation {
        range,
        severity: severity.trim().to_owned(),
        code: code.to_owned(),
        message,
    })
}

fn without_shared_indentation(text: &str) -> String {
    let text = text.strip_prefix('\n').unwrap_or(text);
    let indents = text.lines().filter(|line| !line.trim().is_empty());
    let shared = indents.map(|line| line.len() - line.trim_start_matches(' ').len()).min();
    let blank = |line: &str| if line.ends_with('\n') { "\n" } else { "" }.to_owned();
    let cut =
        |line: &str| line.get(shared.unwrap_or(0)..).map_or_else(|| blank(line), str::to_owned);
    text.split_inclusive('\n').map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_FILES: &str = "
        #- /hiera.yaml version:5
        hierarchy:
          - name: $0x
        #- /data/a.yaml
        key: 1
        #^^ error[some-rule]: bad
        #    ^ hint[other]
        last: $1
    ";

    #[test]
    fn files_marks_and_expectations() {
        let fixture = Fixture::parse(TWO_FILES);
        assert_eq!(fixture.files.len(), 2);
        assert_eq!(&*fixture.files[0].text, "hierarchy:\n  - name: x\n");
        assert_eq!(fixture.files[0].attributes, [("version".to_owned(), "5".to_owned())]);
        assert_eq!(fixture.mark(0).map(|(file, at)| (&*file.path, at)), Some(("/hiera.yaml", 21)));
        let file = fixture.file("/data/a.yaml").expect("the second file");
        assert_eq!(&*file.text, "key: 1\nlast: \n");
        let ranges: Vec<_> =
            file.expectations.iter().map(|it| it.range.slice(&file.text)).collect();
        assert_eq!(ranges, ["key", "1"]);
        assert_eq!(file.expectations[1].message, None);
    }

    #[test]
    fn differences_are_shown_where_they_are() {
        let fixture = Fixture::parse(TWO_FILES);
        let file = fixture.file("/data/a.yaml").expect("the second file");
        let finding = |range, severity: &str, code: &str, message: &str| Finding {
            range,
            severity: severity.to_owned(),
            code: code.to_owned(),
            message: message.to_owned(),
        };
        let bad = finding(TextRange::new(0, 3), "error", "some-rule", "bad");
        let other = finding(TextRange::new(5, 6), "hint", "other", "whatever");
        assert_eq!(file.difference(&[bad, other.clone()]), None);
        let text = file.difference(&[other]).expect("one is missing");
        assert!(text.contains("missing") && text.contains("  key: 1\n  ^^^ error[some-rule]: bad"));
    }
}
