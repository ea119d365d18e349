//! The formats of `diff`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write as _};
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use super::arguments::DiffFormat;
use crate::cli::answer_json::{AnswerJson, conditions_json};
use crate::cli::check::fingerprint_of;
use crate::cli::shown::{as_seen_from_here, in_a_line, in_lines, key_in_a_line, within_a_line};
use crate::data::render;
use crate::engine::{Answer, OtherNodes};
use crate::ide::changes::{
    Secrets, change_lines, counted, first_names, not_shown, without_own_secrets,
};
use crate::world::{AnswerChange, Cause, Differences, NotProved, parallel, paths};

/// The maximum number of keys that an annotation, or a failure of many keys, names.
const MAX_NAMES: usize = 10;

/// The maximum number of keys that show the same failure of the same nodes in a text, each by itself.
const MAX_FAILING_KEYS: usize = 3;

/// GitHub accepts comments of up to 65,536 characters; the rest is room for the text about what is left out.
const MAX_COMMENT: usize = 60_000;

/// The maximum number of changes of each key in a text. If each node changes in a way of its own, more of them say little, and
/// JSON has all.
const MAX_CHANGES: usize = 100;

/// The maximum number of changes of each key in a comment.
const MAX_CHANGES_IN_COMMENT: usize = 20;

/// The result of a comparison, with its place.
pub(super) struct Report {
    /// The environments, at least one.
    pub(super) parts: Vec<Part>,
    /// The directory of the comparison.
    pub(super) root: String,
    /// Its path in the repository, with a trailing `/`.
    pub(super) prefix: String,
    /// The paths in the repository of the causes that are not below the directory, or are read through links.
    pub(super) own_paths: BTreeMap<Arc<str>, String>,
}

/// The result for one environment, or for nodes that moved from one to another.
pub(super) struct Part {
    environment: Arc<str>,
    /// The environment that the nodes were in before, if it was another one.
    moved_from: Option<Arc<str>>,
    pub(super) found: Differences,
    secrets: Secrets,
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

impl Part {
    pub(super) fn new(environment: Arc<str>, found: Differences) -> Self {
        let secrets = Secrets::of(&found.changes);
        Self { environment, moved_from: None, found, secrets }
    }

    /// The result for nodes that moved from one environment to another.
    pub(super) fn of_moved_nodes([from, to]: [Arc<str>; 2], found: Differences) -> Self {
        Self { moved_from: Some(from), ..Self::new(to, found) }
    }

    fn who(&self, alike: &[&AnswerChange]) -> String {
        in_a_line(&self.found.who(alike)).into_owned()
    }

    /// The lines that differ, with signs and the lines around them, without secrets.
    fn shown(&self, change: &AnswerChange) -> Vec<String> {
        let lines = change_lines(change, &self.secrets);
        lines.iter().map(|line| format!("{} {}", line.sign, in_lines(&line.text))).collect()
    }

    /// What is not proved, one line each.
    fn limits(&self) -> impl Iterator<Item = String> {
        self.found.limits().map(|limit| in_a_line(&limit).into_owned())
    }
}

impl Report {
    /// Whether an answer changes.
    pub(super) fn has_changes(&self) -> bool {
        self.parts.iter().any(|it| it.found.has_changes())
    }

    /// The summary of an environment, with its name if there are several.
    fn summary(&self, part: &Part) -> String {
        format!("{}{}", self.label(part), part.found.summary())
    }

    /// The summary of each environment, and what is not proved there.
    fn write_summaries(&self, text: &mut String) {
        for part in &self.parts {
            let _ = writeln!(text, "{}", self.summary(part));
            for limit in part.limits() {
                let _ = writeln!(text, "{limit}");
            }
        }
    }

    /// `staging: ` if there are several environments, and `from staging to production: ` for nodes that moved.
    fn label(&self, part: &Part) -> String {
        let environment = in_a_line(&part.environment);
        match (&part.moved_from, self.parts.as_slice()) {
            (Some(from), _) => format!("from {} to {environment}: ", in_a_line(from)),
            (None, [_]) => String::new(),
            (None, _) => format!("{environment}: "),
        }
    }

    /// A path for programs: relative to the directory of the comparison.
    fn path(&self, cause: &Cause) -> String {
        match (paths::below(&self.root, &cause.path), self.own_paths.get(&cause.path)) {
            (Some(below), _) => below.to_owned(),
            (None, Some(own)) => relative(&self.prefix, own),
            (None, None) => cause.path.to_string(),
        }
    }

    /// A path from the repository's top.
    fn path_of_repository(&self, cause: &Cause) -> String {
        if let Some(own) = self.own_paths.get(&cause.path) {
            return own.clone();
        }
        match paths::below(&self.root, &cause.path) {
            Some(below) => format!("{}{below}", self.prefix),
            None => cause.path.to_string(),
        }
    }
}

/// A path from the repository's top as seen from a directory with a trailing `/`, which is empty at the top.
fn relative(directory: &str, path: &str) -> String {
    let (mut directory, mut path) = (directory, path);
    while let (Some((one, rest)), Some((other, rest_of_path))) =
        (directory.split_once('/'), path.split_once('/'))
        && one == other
    {
        (directory, path) = (rest, rest_of_path);
    }
    format!("{}{path}", "../".repeat(directory.matches('/').count()))
}

/// The causes of a change on one line; `path` is the path of a cause as it is shown.
fn because<'c, P: Display>(change: &'c AnswerChange, path: impl Fn(&'c Cause) -> P) -> String {
    let causes = change.causes.iter();
    let causes: Vec<_> = causes.map(|it| format!("{}:{}", path(it), it.line)).collect();
    in_a_line(&causes.join(", ")).into_owned()
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    for part in &report.parts {
        write_part(report, part, &mut text);
    }
    report.write_summaries(&mut text);
    text
}

fn write_part(report: &Report, part: &Part, text: &mut String) {
    let shown = ShownPart::of(part, MAX_CHANGES, |it| as_seen_from_here(&it.path));
    for of_key in &shown.keys {
        let _ = writeln!(text, "{}{}", report.label(part), key_in_a_line(of_key.key));
        for change in &of_key.changes {
            write_change(text, change);
        }
        if let Some(left) = &of_key.left {
            let _ = writeln!(text, "  {left}; `--format json` lists all");
        }
        text.push('\n');
    }
    for (failure, keys) in &shown.failures {
        let _ = writeln!(text, "{}{}", report.label(part), first_keys(keys));
        write_change(text, failure);
        text.push('\n');
    }
}

/// The changes of an environment in a text or a comment.
struct ShownPart<'p> {
    /// Without the failures that are shown once.
    keys: Vec<ShownKey<'p>>,
    /// Failures of more than [`MAX_FAILING_KEYS`] keys, with these.
    failures: IndexMap<ShownChange, Vec<&'p str>>,
}

/// The changes of a key.
struct ShownKey<'p> {
    key: &'p str,
    changes: Vec<ShownChange>,
    /// For how many nodes of the fleet it changes.
    nodes: usize,
    /// How many changes are left out.
    left: Option<String>,
}

/// The text about changes that differ only in their nodes.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ShownChange {
    who: String,
    lines: Vec<String>,
    causes: String,
    nodes: usize,
}

impl<'p> ShownPart<'p> {
    /// At most `max` changes of each key; `path` is the path of a cause as it is shown.
    fn of<P: Display>(part: &'p Part, max: usize, path: impl Fn(&'p Cause) -> P + Sync) -> Self {
        // Hundreds of keys can change, each for thousands of nodes in another way.
        let by_key = part.found.by_key();
        let mut keys = parallel::map(&by_key, |(key, changes)| {
            let groups = part.found.alike(changes);
            let shown = groups.iter().take(max).map(|alike| ShownChange {
                who: part.who(alike),
                lines: part.shown(alike[0]),
                causes: because(alike[0], &path),
                nodes: alike.iter().map(|it| it.nodes.len()).sum(),
            });
            ShownKey {
                key,
                changes: shown.collect(),
                nodes: changes.iter().map(|it| it.nodes.len()).sum(),
                left: not_shown(&groups, max),
            }
        });
        // A broken file can fail every key, which would hide what else changes.
        let mut failures: IndexMap<ShownChange, Vec<&'p str>> = IndexMap::new();
        for of_key in &keys {
            for failure in of_key.changes.iter().filter_map(ShownChange::failure) {
                failures.entry(failure).or_default().push(of_key.key);
            }
        }
        failures.retain(|_, keys| keys.len() > MAX_FAILING_KEYS);
        for of_key in &mut keys {
            of_key.changes.retain(|change| {
                let is_shared = change.failure().is_some_and(|it| failures.contains_key(&it));
                if is_shared {
                    of_key.nodes -= change.nodes;
                }
                !is_shared
            });
        }
        keys.retain(|it| !it.changes.is_empty() || it.left.is_some());
        Self { keys, failures }
    }

    /// The number of keys; one that is shown for itself and for a failure counts twice.
    fn count_keys(&self) -> usize {
        self.keys.len() + self.failures.values().map(Vec::len).sum::<usize>()
    }
}

impl ShownChange {
    /// The error that nodes get instead of what they had, if the change is nothing else.
    fn failure(&self) -> Option<Self> {
        let (error, before) = self.lines.split_last()?;
        let is_failure =
            error.starts_with("+ (error: ") && before.iter().all(|it| it.starts_with('-'));
        is_failure.then(|| Self { lines: vec![error.clone()], ..self.clone() })
    }
}

/// The first of many keys, and how many more there are.
fn first_keys(keys: &[&str]) -> String {
    let names: Vec<_> = keys.iter().map(|it| key_in_a_line(it)).collect();
    first_names(&names, MAX_NAMES)
}

fn write_change(text: &mut String, change: &ShownChange) {
    let _ = writeln!(text, "  {}", change.who);
    for line in &change.lines {
        let _ = writeln!(text, "  {line}");
    }
    if !change.causes.is_empty() {
        let _ = writeln!(text, "    because of {}", change.causes);
    }
}

/// A comment for a merge request. It starts with the summary, the details are folded, and what does not fit is counted.
fn markdown(report: &Report) -> String {
    let mut text = String::new();
    for part in &report.parts {
        // An empty line separates the paragraphs.
        let before = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{before}**{}**", escaped_markdown(&report.summary(part)));
        for limit in part.limits() {
            let _ = writeln!(text, "\n_{}_", escaped_markdown(&limit));
        }
    }
    let path = |it: &Cause| report.path_of_repository(it);
    let shown = report.parts.iter();
    let shown: Vec<(&Part, ShownPart<'_>)> =
        shown.map(|part| (part, ShownPart::of(part, MAX_CHANGES_IN_COMMENT, path))).collect();
    // Most keys of a large change do not fit, so blocks are written one by one.
    let blocks = shown.iter().flat_map(|(part, shown)| {
        let failures = shown.failures.iter();
        let failures = failures.map(|it| (it.1.len(), markdown_of_failure(report, part, it)));
        failures.chain(shown.keys.iter().map(|it| (1, markdown_of_key(report, part, it))))
    });
    let mut left: usize = shown.iter().map(|(_, shown)| shown.count_keys()).sum();
    for (keys, block) in blocks {
        // GitHub and GitLab refuse longer comments.
        if text.len() + block.len() > MAX_COMMENT {
            let left = counted(left, "more key");
            let _ = writeln!(text, "\n{left} not shown: the comment would be too long.");
            break;
        }
        left -= keys;
        text.push_str(&block);
    }
    text
}

fn markdown_of_key(report: &Report, part: &Part, of_key: &ShownKey<'_>) -> String {
    let title = escaped_html(&key_in_a_line(of_key.key));
    let mut text = details_of(report, part, &format!("<code>{title}</code>"), of_key.nodes);
    for change in &of_key.changes {
        text.push_str(&markdown_of_change(change));
    }
    if let Some(left) = &of_key.left {
        let _ = writeln!(text, "\n{left}.");
    }
    text.push_str("\n</details>\n");
    text
}

fn markdown_of_failure(
    report: &Report,
    part: &Part,
    (failure, keys): (&ShownChange, &Vec<&str>),
) -> String {
    let mut text = details_of(report, part, &counted(keys.len(), "key"), failure.nodes);
    let _ = writeln!(text, "\n{}", escaped_markdown(&first_keys(keys)));
    text.push_str(&markdown_of_change(failure));
    text.push_str("\n</details>\n");
    text
}

/// The start of a folded block, with what it is about and the number of nodes.
fn details_of(report: &Report, part: &Part, what: &str, nodes: usize) -> String {
    let who = match nodes {
        0 => part.found.unlisted().to_owned(),
        count => counted(count, "node"),
    };
    let label = escaped_html(&report.label(part));
    format!("\n<details><summary>{label}{what}: {who}</summary>\n")
}

fn markdown_of_change(change: &ShownChange) -> String {
    let mut text = format!("\n{}", escaped_markdown(&change.who));
    if !change.causes.is_empty() {
        let _ = write!(text, " (because of {})", escaped_markdown(&change.causes));
    }
    let mut lines = String::new();
    for line in &change.lines {
        let _ = writeln!(lines, "{line}");
    }
    let fence = fence_for(&lines);
    let _ = write!(text, "\n\n{fence}diff\n{lines}{fence}\n");
    text
}

/// More backticks than the longest sequence of them in the text.
fn fence_for(text: &str) -> String {
    // A fence inside of the text must not end the block.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

/// Text from a repository, made harmless: without markup, mentions and links.
fn escaped_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // An `@` would notify a person, and a `#` would link an issue.
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

fn json_of(report: &Report) -> Json {
    // With a single environment, its name would say nothing.
    let environment = |part: &Part, json: &mut Json| {
        if report.parts.len() > 1 || part.moved_from.is_some() {
            json["environment"] = part.environment.as_ref().into();
        }
        if let Some(from) = &part.moved_from {
            json["environment_before"] = from.as_ref().into();
        }
    };
    let mut nodes: BTreeSet<&Arc<str>> = BTreeSet::new();
    let mut changes: Vec<Json> = Vec::new();
    let (mut other_keys, mut not_proved): (Vec<Json>, Vec<Json>) = (Vec::new(), Vec::new());
    for part in &report.parts {
        nodes.extend(&part.found.nodes);
        let json_of_change = |change: &AnswerChange| {
            let mut json = json_of_change(report, part, change);
            environment(part, &mut json);
            json
        };
        changes.extend(parallel::map(&part.found.changes, json_of_change));
        other_keys.extend(part.found.other_keys.iter().map(|change| {
            let mut json = json_of_change(change);
            json.as_object_mut().expect("an object").remove("key");
            json
        }));
        not_proved.extend(part.found.not_proved.iter().map(|(reason, keys)| {
            let mut json = json!({"reason": &**reason});
            match keys {
                NotProved::Keys(keys) => {
                    json["keys"] = keys.len().into();
                    json["names"] = keys.iter().map(|it| &**it).collect();
                }
                NotProved::KeysOfNoFile => json["keys"] = 0.into(),
                NotProved::AnyKey => {}
            }
            environment(part, &mut json);
            json
        }));
    }
    let mut json = json!({"nodes": nodes.len(), "changes": changes});
    if !other_keys.is_empty() {
        json["other_keys"] = other_keys.into();
    }
    if !not_proved.is_empty() {
        json["not_proved"] = not_proved.into();
    }
    json
}

fn json_of_change(report: &Report, part: &Part, change: &AnswerChange) -> Json {
    let names = part.found.names(change).map(|it| Json::from(&**it));
    let cases = change.others.iter().map(|it| conditions_json(&it.conditions));
    let causes = change.causes.iter();
    let causes = causes.map(|it| json!({"file": report.path(it), "line": it.line}));
    let mut json = json!({
        "key": &*change.key,
        "before": answer_json(&change.before),
        "after": answer_json(&change.after),
        "nodes": names.collect::<Vec<_>>(),
        "cases": cases.collect::<Vec<_>>(),
        "causes": causes.collect::<Vec<_>>(),
    });
    if change.others.iter().any(|it| !it.unless.is_empty()) {
        let unless = |it: &OtherNodes| -> Json {
            it.unless.iter().map(|it| Json::Object(conditions_json(it))).collect()
        };
        json["unless"] = change.others.iter().map(unless).collect();
    }
    json
}

/// As in `lookup --render-as jsonl`, without secrets.
fn answer_json(answer: &Answer) -> Map<String, Json> {
    let mut members = AnswerJson(&without_own_secrets(answer), None).members();
    if let Ok(Some(value)) = &answer.outcome
        && answer.is_certain()
        && render::has_encrypted_text(&value.value)
    {
        members.insert("encrypted".into(), true.into());
    }
    members
}

/// The changes of an environment by the line that causes them.
fn by_line<'a>(report: &Report, part: &'a Part) -> BTreeMap<(String, u32), Vec<&'a AnswerChange>> {
    let mut lines: BTreeMap<(String, u32), Vec<&AnswerChange>> = BTreeMap::new();
    for change in &part.found.changes {
        for cause in &change.causes {
            let place = (report.path_of_repository(cause), cause.line);
            lines.entry(place).or_default().push(change);
        }
    }
    lines
}

/// How many keys change for how many nodes.
fn line_text(report: &Report, part: &Part, changes: &[&AnswerChange]) -> String {
    let nodes: BTreeSet<u32> = changes.iter().flat_map(|it| &it.nodes).copied().collect();
    let keys: BTreeSet<&str> = changes.iter().map(|it| &*it.key).collect();
    let named = first_keys(&Vec::from_iter(keys));
    let label = report.label(part);
    let total = counted(part.found.nodes.len(), "node");
    if nodes.is_empty() {
        let unlisted = part.found.unlisted();
        return format!("{label}Changes {named} for {unlisted}");
    }
    format!("{label}Changes {named} for {} of {total}", nodes.len())
}

/// Workflow commands of GitHub Actions, one for each line that changes something, and the summary.
fn github(report: &Report) -> String {
    let escaped = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escaped(text).replace(':', "%3A").replace(',', "%2C");
    let mut text = String::new();
    for part in &report.parts {
        for ((path, line), changes) in by_line(report, part) {
            let _ = writeln!(
                text,
                "::notice file={},line={line},title=hiera-ls diff::{}",
                property(&within_a_line(&path)),
                escaped(&within_a_line(&line_text(report, part, &changes)))
            );
        }
    }
    report.write_summaries(&mut text);
    text
}

/// A code quality report: one issue for each line that changes something.
fn gitlab(report: &Report) -> Json {
    let mut issues: Vec<Json> = Vec::new();
    for part in &report.parts {
        for ((path, line), changes) in by_line(report, part) {
            let description = line_text(report, part, &changes);
            let fingerprint = fingerprint_of(&[&path, "diff", &description]);
            issues.push(json!({
                "description": description,
                "check_name": "hiera-ls diff",
                "fingerprint": fingerprint,
                "severity": "info",
                "location": {"path": path, "lines": {"begin": line}},
            }));
        }
    }
    issues.into()
}
