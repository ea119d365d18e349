//! The formats of `check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::check::OutputFormat;
use super::check_findings::{Excerpt, Finding};
use super::shown::{counted, in_a_line, in_lines, is_hidden, with_separators, within_a_line};
use super::terminal::{FAINT, FRAME, GOOD, STRONG, style_of, styled};
use crate::ide::diagnostics::{RULES, Severity, rule};

/// From this many findings on, a summary comes first.
const MANY_FINDINGS: usize = 50;

/// All findings in a format. Formats for people are styled.
pub(super) fn render(format: OutputFormat, findings: &[Finding]) -> String {
    match format {
        OutputFormat::Full => findings.iter().map(full).collect(),
        OutputFormat::Concise => findings.iter().map(concise).collect(),
        OutputFormat::Json => document(&json_report(findings)),
        OutputFormat::Sarif => document(&sarif(findings)),
        OutputFormat::Github => findings.iter().map(github).collect(),
        OutputFormat::Gitlab => document(&gitlab(findings)),
        OutputFormat::Junit => junit(findings),
    }
}

/// The number of findings of each rule, the most frequent rule first.
pub(super) fn statistics(findings: &[Finding]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.code).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(code, count)| (std::cmp::Reverse(*count), *code));
    let mut text = String::new();
    for (code, count) in counts {
        let summary = rule(code).map_or("", |rule| rule.summary);
        let style = rule(code).map_or(STRONG, |rule| style_of(rule.severity));
        let _ = writeln!(text, "{count:>6}  {style}{code:26}{style:#}  {summary}");
    }
    text
}

/// The number of findings of each rule, for output before lists that are too long to read.
pub(super) fn counts_first(format: OutputFormat, findings: &[Finding]) -> String {
    if format != OutputFormat::Full || findings.len() < MANY_FINDINGS {
        return String::new();
    }
    let title = format!("{} findings, by rule:", with_separators(findings.len()));
    format!("{}\n{}\n", styled(STRONG, &title), statistics(findings))
}

/// The number of findings in a sentence, styled.
pub(super) fn summary(found: &[Finding], files: usize) -> String {
    if found.is_empty() {
        let files = counted(files, "file");
        return format!("{} ({files})", styled(GOOD, "All checks passed"));
    }
    let count =
        |wanted: &[Severity]| found.iter().filter(|it| wanted.contains(&it.severity)).count();
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

fn document(json: &Json) -> String {
    format!("{json:#}\n")
}

/// The format of compilers.
fn full(finding: &Finding) -> String {
    let Finding { path, start, severity, code, message, .. } = finding;
    let (title, notes) = message.split_once('\n').unwrap_or((message, ""));
    let (path, title) = (within_a_line(path), within_a_line(title));
    let number = (start.line + 1).to_string();
    let gutter = " ".repeat(number.len());
    let (loud, frame) = (style_of(*severity), |text: &str| styled(FRAME, text));
    let kind = styled(loud, &format!("{}[{code}]", severity.name()));
    let mut text = format!("{kind}{}\n", styled(STRONG, &format!(": {title}")));
    let _ = writeln!(text, "{gutter}{} {path}:{number}:{}", frame("-->"), start.col + 1);
    if let Some((line, column, width)) = excerpt(finding) {
        let carets = styled(loud, &"^".repeat(width));
        let _ = writeln!(text, "{gutter} {}", frame("|"));
        let _ = writeln!(text, "{} {line}", frame(&format!("{number} |")));
        let _ = writeln!(text, "{gutter} {} {}{carets}", frame("|"), " ".repeat(column));
    }
    for related in &finding.related {
        let (line, column) = (related.start.line + 1, related.start.col + 1);
        let (path, message) = (within_a_line(&related.path), within_a_line(&related.message));
        let _ = writeln!(text, "{gutter} {} {path}:{line}:{column}: {message}", frame(":::"));
    }
    for note in notes.lines().filter(|note| !note.is_empty()) {
        let _ = writeln!(text, "{gutter} {} {}", frame("="), within_a_line(note));
    }
    text.push('\n');
    text
}

/// The line as shown, and the column and number of the carets. Tabs are replaced by spaces.
fn excerpt(finding: &Finding) -> Option<(String, usize, usize)> {
    let Excerpt { text, before, marked } = finding.line.as_ref()?;
    let text: String = text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect();
    Some((within_a_line(&text).into_owned(), *before, *marked))
}

fn concise(finding: &Finding) -> String {
    let Finding { path, start, severity, code, .. } = finding;
    let (line, column) = (start.line + 1, start.col + 1);
    let message = in_one_line(&finding.message);
    let (path, message) = (in_a_line(path), within_a_line(&message));
    let (loud, code) = (style_of(*severity), styled(FAINT, &format!("[{code}]")));
    format!(
        "{}:{line}:{column}: {loud}{}{loud:#}{code} {message}\n",
        styled(STRONG, &path),
        severity.name()
    )
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

fn json_report(findings: &[Finding]) -> Json {
    let place = |line: u32, column: u32| json!({"line": line + 1, "column": column + 1});
    let one = |it: &Finding| {
        let related = it.related.iter().map(|related| {
            let start = place(related.start.line, related.start.col);
            json!({"path": related.path, "start": start, "message": related.message})
        });
        json!({
            "path": it.path,
            "start": place(it.start.line, it.start.col),
            "end": place(it.end.line, it.end.col),
            "severity": it.severity.name(),
            "code": it.code,
            "message": it.message,
            "url": it.url,
            "related": related.collect::<Vec<_>>(),
        })
    };
    findings.iter().map(one).collect()
}

fn sarif(findings: &[Finding]) -> Json {
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
    let results = findings.iter().map(|it| {
        json!({
            "ruleId": it.code,
            "level": level(it.severity),
            "message": {"text": it.message},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri(&it.path)},
                "region": {
                    "startLine": it.start.line + 1,
                    "startColumn": it.start.col + 1,
                    "endLine": it.end.line + 1,
                    "endColumn": it.end.col + 1,
                },
            }}],
            // The line is not part of it, so a finding that only moves is not reported as new.
            "partialFingerprints": {"hieraLs/v1": fingerprint(it)},
        })
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "hiera-ls",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    })
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
fn github(finding: &Finding) -> String {
    let command = match finding.severity {
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
    format!(
        "::{command} file={},line={},endLine={}{columns},title=hiera-ls ({})::{}\n",
        property(&within_a_line(&finding.path)),
        start.line + 1,
        end.line + 1,
        finding.code,
        escaped(&in_lines(&finding.message))
    )
}

fn gitlab(findings: &[Finding]) -> Json {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut issues = Vec::new();
    for finding in findings {
        let severity = match finding.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Information | Severity::Hint => "info",
        };
        let mut fingerprint = fingerprint(finding);
        // GitLab drops issues with a fingerprint that it has already seen.
        let count = seen.entry(fingerprint.clone()).or_default();
        *count += 1;
        if *count > 1 {
            let _ = write!(fingerprint, "-{count}");
        }
        issues.push(json!({
            "description": finding.message,
            "check_name": finding.code,
            "fingerprint": fingerprint,
            "severity": severity,
            "location": {"path": finding.path, "lines": {"begin": finding.start.line + 1}},
        }));
    }
    Json::Array(issues)
}

/// A fingerprint that stays the same when lines move: FNV-1a of path, rule and message.
fn fingerprint(finding: &Finding) -> String {
    fingerprint_of(&[&*finding.path, finding.code, &*finding.message])
}

pub(super) fn fingerprint_of(parts: &[&str]) -> String {
    // Each part ends with a null byte, so that two parts cannot pass for one.
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    // This is FNV-1a. It must not change between versions, because CI systems remember fingerprints.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn junit(findings: &[Finding]) -> String {
    let mut by_file: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        by_file.entry(&finding.path).or_default().push(finding);
    }
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let count = findings.len();
    let _ = writeln!(text, "<testsuites name=\"hiera-ls\" tests=\"{count}\" failures=\"{count}\">");
    for (path, findings) in by_file {
        let (path, count) = (xml(path), findings.len());
        let _ =
            writeln!(text, "  <testsuite name=\"{path}\" tests=\"{count}\" failures=\"{count}\">");
        for finding in findings {
            let place = format!("{}:{}", finding.start.line + 1, finding.start.col + 1);
            let message = xml(finding.message.lines().next().unwrap_or(""));
            let _ = writeln!(
                text,
                "    <testcase classname=\"{path}\" name=\"{} at {place}\">\n      \
                 <failure type=\"{}\" message=\"{message}\">{}</failure>\n    </testcase>",
                finding.code,
                finding.severity.name(),
                xml(&finding.message)
            );
        }
        text += "  </testsuite>\n";
    }
    text + "</testsuites>\n"
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
