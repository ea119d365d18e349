//! The formats of `diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::diff::DiffFormat;
use super::lookup_output::Output;
use super::shown::{in_a_line, in_lines, within_a_line};
use crate::data::render;
use crate::engine::cases::in_words;
use crate::engine::{Answer, Condition};
use crate::ide::redacted;
use crate::world::{AnswerChange, Cause, paths};

/// Names of nodes that people are shown of each change.
const MAX_NAMES: usize = 10;

/// Lines of one value that people are shown.
const MAX_LINES: usize = 30;

/// GitHub takes no longer comments than 65,536 characters; what stands below is room for what is said of the rest.
const MAX_COMMENT: usize = 60_000;

/// What is compared, and what came of it.
pub(super) struct Report {
    /// The nodes, by their numbers.
    pub(super) nodes: Vec<Arc<str>>,
    /// How many keys were compared.
    pub(super) keys: usize,
    /// The changes, key by key.
    pub(super) changes: Vec<AnswerChange>,
    /// Why not everything is known, and of how many keys.
    pub(super) not_proved: BTreeMap<Arc<str>, usize>,
    /// The directory that was asked for.
    pub(super) root: String,
    /// Its path in the repository, with `/` at its end.
    pub(super) prefix: String,
}

pub(super) fn render(format: DiffFormat, report: &Report) -> String {
    match format {
        DiffFormat::Text => text(report),
        DiffFormat::Markdown => markdown(report),
        DiffFormat::Json => format!("{:#}\n", json_of(report)),
        DiffFormat::Github => github(report),
        DiffFormat::Gitlab => format!("{:#}\n", gitlab(report)),
    }
}

impl Report {
    /// `14 of 622 nodes change, 3 keys; nothing else`.
    fn summary(&self) -> String {
        let nodes: BTreeSet<u32> = self.changes.iter().flat_map(|it| &it.nodes).copied().collect();
        let keys: BTreeSet<&Arc<str>> = self.changes.iter().map(|it| &it.key).collect();
        let all = counted(self.nodes.len(), "node");
        let cases: usize = self.changes.iter().map(|it| it.cases.len()).sum();
        let rest = if self.not_proved.is_empty() { "; nothing else" } else { "" };
        if self.changes.is_empty() {
            let keys = counted(self.keys, "key");
            let proof = if self.not_proved.is_empty() { "" } else { ", as far as it can be told" };
            return format!("0 answers change: {keys} compared for {all}{proof}");
        }
        if self.nodes.is_empty() {
            let (cases, keys) = (counted(cases, "case"), counted(keys.len(), "key"));
            return format!("{cases} of any node change, {keys}{rest}");
        }
        let changing = if nodes.len() == 1 { "changes" } else { "change" };
        let other = match cases {
            0 => String::new(),
            count => format!(", and {} of other nodes", counted(count, "case")),
        };
        format!("{} of {all} {changing}{other}, {}{rest}", nodes.len(), counted(keys.len(), "key"))
    }

    /// What is not proved, a line each.
    fn limits(&self) -> impl Iterator<Item = String> {
        self.not_proved.iter().map(|(reason, keys)| {
            format!("not proved for {}: {}", counted(*keys, "key"), in_a_line(reason))
        })
    }

    fn names<'a>(&'a self, change: &'a AnswerChange) -> impl Iterator<Item = &'a Arc<str>> {
        change.nodes.iter().map(|node| &self.nodes[*node as usize])
    }

    /// `14 nodes: web01, web02 and 12 more`, or the cases.
    fn who(&self, change: &AnswerChange) -> String {
        let cases = change.cases.iter().map(|it| case_text(it));
        let nodes = (!change.nodes.is_empty()).then(|| self.nodes_of(change));
        nodes.into_iter().chain(cases).collect::<Vec<_>>().join("; ")
    }

    fn nodes_of(&self, change: &AnswerChange) -> String {
        let count = change.nodes.len();
        if count == self.nodes.len() && count > MAX_NAMES {
            return format!("all {}", counted(count, "node"));
        }
        let names: Vec<_> = self.names(change).take(MAX_NAMES).map(|it| in_a_line(it)).collect();
        let more = count - names.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}: {}{more}", counted(count, "node"), names.join(", "))
    }

    /// A path as people say it: from the directory that was asked for.
    fn path<'a>(&self, cause: &'a Cause) -> &'a str {
        paths::below(&self.root, &cause.path).unwrap_or(&cause.path)
    }

    /// A path from the repository's top.
    fn path_of_repository(&self, cause: &Cause) -> String {
        match paths::below(&self.root, &cause.path) {
            Some(below) => format!("{}{below}", self.prefix),
            None => cause.path.to_string(),
        }
    }

    fn because(&self, change: &AnswerChange) -> String {
        let causes = change.causes.iter();
        let causes: Vec<_> = causes.map(|it| format!("{}:{}", self.path(it), it.line)).collect();
        in_a_line(&causes.join(", ")).into_owned()
    }

    /// The changes by key, in order.
    fn by_key(&self) -> Vec<(&Arc<str>, Vec<&AnswerChange>)> {
        let mut groups: Vec<(&Arc<str>, Vec<&AnswerChange>)> = Vec::new();
        for change in &self.changes {
            match groups.last_mut() {
                Some((key, changes)) if **key == change.key => changes.push(change),
                _ => groups.push((&change.key, vec![change])),
            }
        }
        groups
    }
}

/// `any other node where role is web`.
fn case_text(conditions: &[Condition]) -> String {
    if conditions.is_empty() {
        return "any other node".to_owned();
    }
    format!("any other node where {}", in_a_line(&in_words(conditions)))
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    for (key, changes) in report.by_key() {
        let _ = writeln!(text, "{}", in_a_line(key));
        for change in changes {
            let _ = writeln!(text, "  {}", report.who(change));
            for (sign, answer) in [('-', &change.before), ('+', &change.after)] {
                for line in shown(answer).lines() {
                    let _ = writeln!(text, "  {sign} {line}");
                }
            }
            if !change.causes.is_empty() {
                let _ = writeln!(text, "    because of {}", report.because(change));
            }
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}", report.summary());
    for limit in report.limits() {
        let _ = writeln!(text, "{limit}");
    }
    text
}

/// A comment for a merge request. It begins with the summary; details are folded; what does not fit is counted.
fn markdown(report: &Report) -> String {
    let mut text = format!("**{}**\n", report.summary());
    for limit in report.limits() {
        let _ = writeln!(text, "\n_{}_", escaped_markdown(&limit));
    }
    let groups = report.by_key();
    for (at, (key, changes)) in groups.iter().enumerate() {
        let block = markdown_of_key(report, key, changes);
        if text.len() + block.len() > MAX_COMMENT {
            let left = groups.len() - at;
            let _ = writeln!(
                text,
                "\n{} not shown: the comment would be too long.",
                counted(left, "more key")
            );
            break;
        }
        text.push_str(&block);
    }
    text
}

fn markdown_of_key(report: &Report, key: &str, changes: &[&AnswerChange]) -> String {
    let nodes: usize = changes.iter().map(|it| it.nodes.len()).sum();
    let who = match nodes {
        0 => "nodes that are not listed".to_owned(),
        count => counted(count, "node"),
    };
    let title = escaped_html(&in_a_line(key));
    let mut text = format!("\n<details><summary><code>{title}</code>: {who}</summary>\n");
    for change in changes {
        let _ = write!(text, "\n{}", escaped_markdown(&report.who(change)));
        if !change.causes.is_empty() {
            let _ = write!(text, " (because of {})", escaped_markdown(&report.because(change)));
        }
        let mut lines = String::new();
        for (sign, answer) in [('-', &change.before), ('+', &change.after)] {
            for line in shown(answer).lines() {
                let _ = writeln!(lines, "{sign} {line}");
            }
        }
        let fence = fence_for(&lines);
        let _ = write!(text, "\n\n{fence}diff\n{lines}{fence}\n");
    }
    text.push_str("\n</details>\n");
    text
}

/// More backticks than anything in the text has in a row.
fn fence_for(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Text of others that is no markup, mentions nobody and links nowhere.
fn escaped_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '@' => escaped.push_str("&#64;"),
            '#' => escaped.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' | '$' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

fn escaped_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// An answer for people, without secrets.
fn shown(answer: &Answer) -> String {
    let answer = without_secrets(answer);
    let mut text = String::new();
    for (conditions, case) in answer.each_case() {
        if !answer.cases.is_empty() {
            let condition = if conditions.is_empty() {
                "otherwise".to_owned()
            } else {
                format!("if {}", in_words(conditions))
            };
            let _ = writeln!(text, "{}:", in_a_line(&condition));
        }
        match &case.outcome {
            Ok(Some(value)) => {
                let yaml = render::to_yaml(&value.value);
                let yaml = yaml.strip_prefix("---").unwrap_or(&yaml);
                text.push_str(&in_lines(yaml.trim_start_matches([' ', '\n'])));
                if !text.ends_with('\n') {
                    text.push('\n');
                }
            }
            Ok(None) => text.push_str("(not found)\n"),
            Err(failure) => {
                let _ = writeln!(text, "(error: {})", within_a_line(&failure.message));
            }
        }
    }
    let lines = text.lines().count();
    if lines > MAX_LINES {
        let kept: Vec<&str> = text.lines().take(MAX_LINES).collect();
        return format!("{}\n… {} more\n", kept.join("\n"), counted(lines - MAX_LINES, "line"));
    }
    text
}

/// The answer with what is encrypted or sensitive replaced.
fn without_secrets(answer: &Answer) -> Answer {
    let mut answer = answer.clone();
    if let Ok(Some(value)) = &mut answer.outcome {
        value.value = redacted(value);
    }
    for case in &mut answer.cases {
        case.answer = without_secrets(&case.answer);
    }
    answer
}

fn json_of(report: &Report) -> Json {
    let changes = report.changes.iter().map(|change| {
        let names = report.names(change).map(|it| Json::from(&**it));
        let cases = change.cases.iter().map(|it| Json::Object(Output::conditions_json(it)));
        let causes = change.causes.iter();
        let causes = causes.map(|it| json!({"file": report.path(it), "line": it.line}));
        json!({
            "key": &*change.key,
            "before": answer_json(&change.before),
            "after": answer_json(&change.after),
            "nodes": names.collect::<Vec<_>>(),
            "cases": cases.collect::<Vec<_>>(),
            "causes": causes.collect::<Vec<_>>(),
        })
    });
    let mut json = json!({"nodes": report.nodes.len(), "changes": changes.collect::<Vec<_>>()});
    if !report.not_proved.is_empty() {
        let reason =
            |(reason, keys): (&Arc<str>, &usize)| json!({"reason": &**reason, "keys": keys});
        json["not_proved"] = report.not_proved.iter().map(reason).collect();
    }
    json
}

/// As `lookup --render-as jsonl` has it, without secrets.
fn answer_json(answer: &Answer) -> Map<String, Json> {
    let mut members = Output::answer_json(&without_secrets(answer));
    if let Ok(Some(value)) = &answer.outcome
        && answer.is_certain()
        && render::has_encrypted_text(&value.value)
    {
        members.insert("encrypted".into(), true.into());
    }
    members
}

/// The changes by the line that causes them: how many keys change for how many nodes.
fn by_line(report: &Report) -> BTreeMap<(String, u32), Vec<&AnswerChange>> {
    let mut lines: BTreeMap<(String, u32), Vec<&AnswerChange>> = BTreeMap::new();
    for change in &report.changes {
        for cause in &change.causes {
            let place = (report.path_of_repository(cause), cause.line);
            lines.entry(place).or_default().push(change);
        }
    }
    lines
}

fn line_text(report: &Report, changes: &[&AnswerChange]) -> String {
    let nodes: BTreeSet<u32> = changes.iter().flat_map(|it| &it.nodes).copied().collect();
    let keys: BTreeSet<&Arc<str>> = changes.iter().map(|it| &it.key).collect();
    let named: Vec<_> = keys.iter().take(MAX_NAMES).map(|it| in_a_line(it)).collect();
    let more = keys.len() - named.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let total = counted(report.nodes.len(), "node");
    if nodes.is_empty() {
        return format!("Changes {}{more} for nodes that are not listed", named.join(", "));
    }
    format!("Changes {}{more} for {} of {total}", named.join(", "), nodes.len())
}

/// Workflow commands of GitHub Actions, one for each line that changes something, and the summary.
fn github(report: &Report) -> String {
    let escaped = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escaped(text).replace(':', "%3A").replace(',', "%2C");
    let mut text = String::new();
    for ((path, line), changes) in by_line(report) {
        let _ = writeln!(
            text,
            "::notice file={},line={line},title=hiera-ls diff::{}",
            property(&within_a_line(&path)),
            escaped(&within_a_line(&line_text(report, &changes)))
        );
    }
    let _ = writeln!(text, "{}", report.summary());
    for limit in report.limits() {
        let _ = writeln!(text, "{limit}");
    }
    text
}

/// A code quality report: one issue for each line that changes something.
fn gitlab(report: &Report) -> Json {
    let issue = |((path, line), changes): ((String, u32), Vec<&AnswerChange>)| {
        let description = line_text(report, &changes);
        let fingerprint = super::check_output::fingerprint_of(&[&path, "diff", &description]);
        json!({
            "description": description,
            "check_name": "hiera-ls diff",
            "fingerprint": fingerprint,
            "severity": "info",
            "location": {"path": path, "lines": {"begin": line}},
        })
    };
    by_line(report).into_iter().map(issue).collect()
}
