//! The formats of `check`.

use std::collections::BTreeMap;
use std::fmt::{Display, Formatter, Write as _};
use std::io::{self, BufWriter, Write};

use anstyle::Style;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};

use super::arguments::OutputFormat;
use super::findings::{Excerpt, FileFindings, Finding, Said};
use crate::cli::shown::{counted, in_a_line, in_lines, with_separators, within_a_line};
use crate::cli::terminal::{FAINT, FRAME, GOOD, STRONG, style_of, styled};
use crate::ide::diagnostics::{RULES, Rule, Severity, rule};
use crate::text::is_hidden;

/// From this many findings on, a summary comes first.
const MANY_FINDINGS: usize = 50;

/// The number of files whose texts are made together.
const FILES_AT_ONCE: usize = 128;

/// How findings are written for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Styled,
    Plain,
}

impl Look {
    fn style(self, style: Style) -> Style {
        if self == Self::Styled { style } else { Style::new() }
    }

    fn styled(self, style: Style, text: &str) -> Styled<'_> {
        Styled { style: self.style(style), text }
    }
}

/// A text with its style.
struct Styled<'t> {
    style: Style,
    text: &'t str,
}

impl Display for Styled<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { style, text } = self;
        write!(f, "{style}{text}{style:#}")
    }
}

/// Writes all findings in a format.
pub(super) fn write(
    format: OutputFormat,
    look: Look,
    found: &[FileFindings],
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        OutputFormat::Full => {
            out.write_all(counts_first(look, found).as_bytes())?;
            write_texts(found, out, |path, finding, text| full(look, path, finding, text))
        }
        OutputFormat::Concise => {
            write_texts(found, out, |path, finding, text| concise(look, path, finding, text))
        }
        OutputFormat::Json => write_document(&json_report(found), out),
        OutputFormat::Sarif => write_document(&sarif(found), out),
        OutputFormat::Github => write_texts(found, out, github),
        OutputFormat::Gitlab => write_document(&gitlab(found), out),
        OutputFormat::Junit => write_junit(found, out),
    }
}

/// Writes the text of each finding. The texts of some files are made by several threads, and then written in order.
fn write_texts(
    found: &[FileFindings],
    out: &mut dyn Write,
    add: impl Fn(&str, &Finding, &mut String) + Sync,
) -> io::Result<()> {
    let text_of = |file: &FileFindings| {
        let mut text = String::new();
        file.findings.iter().for_each(|finding| add(&file.path, finding, &mut text));
        text
    };
    for part in found.chunks(FILES_AT_ONCE) {
        let texts: Vec<String> = part.par_iter().map(text_of).collect();
        for text in texts {
            out.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

/// The number of findings of each rule, for programs as JSON.
pub(super) fn statistics_as(format: OutputFormat, look: Look, found: &[FileFindings]) -> String {
    if format != OutputFormat::Json {
        return statistics(look, found);
    }
    let counts = counts(found).into_iter();
    let counts = counts.map(|(code, count)| json!({"code": code, "findings": count}));
    format!("{:#}\n", Json::Array(counts.collect()))
}

/// The number of findings of each rule, the most frequent rule first.
pub(super) fn statistics(look: Look, found: &[FileFindings]) -> String {
    let mut text = String::new();
    for (code, count) in counts(found) {
        let summary = rule(code).map_or("", |rule| rule.summary);
        let style = look.style(rule(code).map_or(STRONG, |rule| style_of(rule.severity)));
        let _ = writeln!(text, "{count:>6}  {style}{code:26}{style:#}  {summary}");
    }
    text
}

fn counts(found: &[FileFindings]) -> Vec<(&str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in all(found) {
        *counts.entry(finding.said.code).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), *code));
    counts
}

/// The number of findings of each rule, for output before lists that are too long to read.
fn counts_first(look: Look, found: &[FileFindings]) -> String {
    let count = all(found).count();
    if count < MANY_FINDINGS {
        return String::new();
    }
    let title = format!("{} findings, by rule:", with_separators(count));
    format!("{}\n{}\n", look.styled(STRONG, &title), statistics(look, found))
}

/// The number of findings in a sentence, styled. `closed` is the number of files and directories that may not be
/// read.
pub(super) fn summary(
    found: &[FileFindings],
    files: usize,
    closed: usize,
    has_broken_settings: bool,
) -> String {
    if closed > 0 {
        let cannot = format!("{} cannot be read", counted(closed, "path"));
        let cannot = styled(style_of(Severity::Error), &cannot);
        return format!("{cannot}; {}", numbers(found, files));
    }
    if has_broken_settings {
        let wrong = styled(style_of(Severity::Error), "wrong settings");
        return format!("{wrong}; {}", numbers(found, files));
    }
    if files == 0 {
        return "No file was checked".to_owned();
    }
    if all(found).next().is_none() {
        let files = counted(files, "file");
        return format!("{} ({files})", styled(GOOD, "All checks passed"));
    }
    numbers(found, files)
}

fn numbers(found: &[FileFindings], files: usize) -> String {
    let count =
        |wanted: &[Severity]| all(found).filter(|it| wanted.contains(&it.said.severity)).count();
    let of = |severity: Severity, count: usize, what: &str| {
        let text = counted(count, what);
        if count == 0 { text } else { styled(style_of(severity), &text) }
    };
    let errors = of(Severity::Error, count(&[Severity::Error]), "error");
    let warnings = of(Severity::Warning, count(&[Severity::Warning]), "warning");
    let notes = count(&[Severity::Information, Severity::Hint]);
    let notes = match notes {
        0 => String::new(),
        notes => format!(", {}", of(Severity::Information, notes, "note")),
    };
    format!("{errors}, {warnings}{notes} in {}", counted(files, "file"))
}

/// The findings of all files.
pub(super) fn all(found: &[FileFindings]) -> impl Iterator<Item = &Finding> {
    found.iter().flat_map(|file| &file.findings)
}

/// The findings of all files, with their paths.
fn with_paths(found: &[FileFindings]) -> impl Iterator<Item = (&str, &Finding)> {
    found.iter().flat_map(|file| file.findings.iter().map(|it| (&*file.path, it)))
}

/// Writes a JSON document. It is not in memory as a whole, because there can be very many findings.
fn write_document(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, document)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// A list that is made while it is written.
struct List<F>(F);

impl<I: Iterator<Item = Json>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// The format of compilers.
fn full(look: Look, path: &str, finding: &Finding, text: &mut String) {
    let Finding { start, said, .. } = finding;
    let Said { severity, code, message, related } = &**said;
    let (title, notes) = message.split_once('\n').unwrap_or((message, ""));
    let (path, title) = (within_a_line(path), within_a_line(title));
    let number = (start.line + 1).to_string();
    let gutter = " ".repeat(number.len());
    let loud = look.style(style_of(*severity));
    let (frame, strong) = (look.style(FRAME), look.style(STRONG));
    let _ = writeln!(text, "{loud}{}[{code}]{loud:#}{strong}: {title}{strong:#}", severity.name());
    let _ = writeln!(text, "{gutter}{frame}-->{frame:#} {path}:{number}:{}", start.col + 1);
    if let Some((line, column, width)) = excerpt(finding) {
        let carets = "^".repeat(width);
        let space = " ".repeat(column);
        let _ = writeln!(text, "{gutter} {frame}|{frame:#}");
        let _ = writeln!(text, "{frame}{number} |{frame:#} {line}");
        let _ = writeln!(text, "{gutter} {frame}|{frame:#} {space}{loud}{carets}{loud:#}");
    }
    for related in related {
        let (line, column) = (related.start.line + 1, related.start.col + 1);
        let (path, message) = (within_a_line(&related.path), within_a_line(&related.message));
        let _ = writeln!(text, "{gutter} {frame}:::{frame:#} {path}:{line}:{column}: {message}");
    }
    for note in notes.lines().filter(|note| !note.is_empty()) {
        let _ = writeln!(text, "{gutter} {frame}={frame:#} {}", within_a_line(note));
    }
    text.push('\n');
}

/// The line as shown, and the column and number of the carets. Tabs are replaced by spaces.
fn excerpt(finding: &Finding) -> Option<(String, usize, usize)> {
    let Excerpt { text, before, marked } = finding.line.as_ref()?;
    let text: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    Some((within_a_line(&text).into_owned(), *before as usize, *marked as usize))
}

fn concise(look: Look, path: &str, finding: &Finding, text: &mut String) {
    let Finding { start, said, .. } = finding;
    let Said { severity, code, message, .. } = &**said;
    let (line, column) = (start.line + 1, start.col + 1);
    let message = in_one_line(message);
    let (path, message) = (in_a_line(path), within_a_line(&message));
    let (loud, faint) = (look.style(style_of(*severity)), look.style(FAINT));
    let _ = writeln!(
        text,
        "{}:{line}:{column}: {loud}{}{loud:#}{faint}[{code}]{faint:#} {message}",
        look.styled(STRONG, &path),
        severity.name()
    );
}

/// A message on one line: the first line is the text of Puppet or of the rule, the others become sentences.
fn in_one_line(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for part in message.lines() {
        if !line.is_empty() {
            line.push_str(if line.ends_with(['.', ':', '!', '?']) { " " } else { ". " });
        }
        line.push_str(part);
    }
    line
}

fn json_report(found: &[FileFindings]) -> impl Serialize {
    let place = |line: u32, column: u32| json!({"line": line + 1, "column": column + 1});
    let one = move |(path, it): (&str, &Finding)| {
        let Said { severity, code, message, related } = &*it.said;
        let related = related.iter().map(|related| {
            let start = place(related.start.line, related.start.col);
            json!({"path": related.path, "start": start, "message": related.message})
        });
        json!({
            "path": path,
            "start": place(it.start.line, it.start.col),
            "end": place(it.end.line, it.end.col),
            "severity": severity.name(),
            "code": code,
            "message": message,
            "url": rule(code).and_then(Rule::url),
            "related": related.collect::<Vec<_>>(),
        })
    };
    List(move || with_paths(found).map(one))
}

/// A report in SARIF.
#[derive(Serialize)]
struct Sarif<R> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun<R>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun<R> {
    tool: Json,
    column_kind: &'static str,
    results: R,
}

fn sarif(found: &[FileFindings]) -> impl Serialize {
    let level = |severity| match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    };
    let rules = RULES.iter().map(|rule| {
        json!({
            "id": rule.code,
            // Code scanning recognizes a finding under the former name of its rule.
            "deprecatedIds": (!rule.former.is_empty()).then_some(rule.former),
            "name": rule.name,
            "shortDescription": {"text": rule.summary},
            "help": {"text": rule.summary, "markdown": rule.page},
            "helpUri": rule.url(),
            "defaultConfiguration": {"level": level(rule.severity), "enabled": rule.is_on},
        })
    });
    let rules: Vec<Json> = rules.map(without_null).collect();
    let one = move |(path, it): (&str, &Finding)| {
        json!({
            "ruleId": it.said.code,
            "level": level(it.said.severity),
            "message": {"text": it.said.message},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri(path)},
                "region": {
                    "startLine": it.start.line + 1,
                    "startColumn": it.start.col + 1,
                    "endLine": it.end.line + 1,
                    "endColumn": it.end.col + 1,
                },
            }}],
            // The line is not part of it, so a finding that only moves is not reported as new.
            "partialFingerprints": {"hieraLs/v1": fingerprint(path, it)},
        })
    };
    let driver = json!({
        "name": "hiera-ls",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    });
    Sarif {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [SarifRun {
            tool: json!({"driver": driver}),
            column_kind: "unicodeCodePoints",
            results: List(move || with_paths(found).map(one)),
        }],
    }
}

/// SARIF does not accept null for missing values.
fn without_null(mut json: Json) -> Json {
    if let Json::Object(members) = &mut json {
        members.retain(|_, value| !value.is_null());
    }
    json
}

/// A path in a URI: spaces and the like are written as `%20`.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:@!$&'()+,;=".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    if path.starts_with('/') { format!("file://{uri}") } else { uri }
}

/// One workflow command of GitHub Actions.
fn github(path: &str, finding: &Finding, text: &mut String) {
    let command = match finding.said.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    };
    let escaped = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    // In a property, `:` and `,` would end the value.
    let property = |text: &str| escaped(text).replace(':', "%3A").replace(',', "%2C");
    let (start, end) = (finding.start, finding.end);
    // GitHub accepts columns only for ranges on one line.
    let columns = if start.line == end.line {
        format!(",col={},endColumn={}", start.col + 1, end.col.max(start.col + 1))
    } else {
        String::new()
    };
    let _ = writeln!(
        text,
        "::{command} file={},line={},endLine={}{columns},title=hiera-ls ({})::{}",
        property(&within_a_line(path)),
        start.line + 1,
        end.line + 1,
        finding.said.code,
        escaped(&in_lines(&finding.said.message))
    );
}

fn gitlab(found: &[FileFindings]) -> impl Serialize {
    let issue = |seen: &mut BTreeMap<String, usize>, (path, finding): (&str, &Finding)| {
        let severity = match finding.said.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Information | Severity::Hint => "info",
        };
        let mut fingerprint = fingerprint(path, finding);
        // GitLab drops issues with a fingerprint that it has already seen.
        let count = seen.entry(fingerprint.clone()).or_default();
        *count += 1;
        if *count > 1 {
            let _ = write!(fingerprint, "-{count}");
        }
        json!({
            "description": finding.said.message,
            "check_name": finding.said.code,
            "fingerprint": fingerprint,
            "severity": severity,
            "location": {"path": path, "lines": {"begin": finding.start.line + 1}},
        })
    };
    List(move || {
        let mut seen = BTreeMap::new();
        with_paths(found).map(move |it| issue(&mut seen, it))
    })
}

/// A fingerprint that stays the same when lines move: FNV-1a of path, rule and message.
fn fingerprint(path: &str, finding: &Finding) -> String {
    fingerprint_of(&[path, finding.said.code, &*finding.said.message])
}

pub(in crate::cli) fn fingerprint_of(parts: &[&str]) -> String {
    // Each part ends with a null byte, so that two parts cannot pass for one.
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    // This is FNV-1a. It must not change between versions, because CI systems remember fingerprints.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn write_junit(found: &[FileFindings], out: &mut dyn Write) -> io::Result<()> {
    let mut files: Vec<&FileFindings> = found.iter().filter(|it| !it.findings.is_empty()).collect();
    files.sort_by_key(|file| &*file.path);
    let count = all(found).count();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"hiera-ls\" tests=\"{count}\" failures=\"{count}\">")?;
    for file in files {
        out.write_all(test_suite(file).as_bytes())?;
    }
    writeln!(out, "</testsuites>")
}

fn test_suite(file: &FileFindings) -> String {
    let mut text = String::new();
    let (path, count) = (xml(&file.path), file.findings.len());
    let _ = writeln!(text, "  <testsuite name=\"{path}\" tests=\"{count}\" failures=\"{count}\">");
    for finding in &file.findings {
        let place = format!("{}:{}", finding.start.line + 1, finding.start.col + 1);
        let message = xml(finding.said.message.lines().next().unwrap_or(""));
        let _ = writeln!(
            text,
            "    <testcase classname=\"{path}\" name=\"{} at {place}\">\n      \
             <failure type=\"{}\" message=\"{message}\">{}</failure>\n    </testcase>",
            finding.said.code,
            finding.said.severity.name(),
            xml(&finding.said.message)
        );
    }
    text + "  </testsuite>\n"
}

/// Text in XML; characters that XML 1.0 does not allow become question marks.
fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\n' | '\t' => escaped.push(c),
            // XML 1.0 does not allow most control characters.
            c if c.is_control() => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}
