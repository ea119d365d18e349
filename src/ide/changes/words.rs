//! A comparison in words: summaries, the affected nodes, and values without secrets. The command line, the views of editors
//! and the titles of actions use the same words.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::data::render;
use crate::engine::cases::in_words;
use crate::engine::{Answer, Condition};
use crate::ide::perspective::redacted;
use crate::world::{AnswerChange, Differences};

/// The maximum number of names of nodes that are shown for each change.
const MAX_NAMES: usize = 10;

/// The maximum number of lines of a value that are shown.
const MAX_LINES: usize = 30;

impl Differences {
    /// `14 of 622 nodes change, 3 keys; nothing else`.
    pub fn summary(&self) -> String {
        let nodes: BTreeSet<u32> = self.changes.iter().flat_map(|it| &it.nodes).copied().collect();
        let keys: BTreeSet<&Arc<str>> = self.changes.iter().map(|it| &it.key).collect();
        let all = counted(self.nodes.len(), "node");
        let cases: usize = self.changes.iter().map(|it| it.cases.len()).sum();
        // Only if all keys were compared completely, nothing else certainly changes.
        let rest = if self.not_proved.is_empty() { "; nothing else" } else { "" };
        if self.changes.is_empty() {
            let keys = counted(self.keys, "key");
            let proof =
                if self.not_proved.is_empty() { "" } else { ", as far as hiera-ls can tell" };
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

    /// What is not proved, one line each.
    pub fn limits(&self) -> impl Iterator<Item = String> {
        self.not_proved
            .iter()
            .map(|(reason, keys)| format!("not proved for {}: {reason}", counted(*keys, "key")))
    }

    /// The names of the nodes that a change affects.
    pub fn names<'a>(&'a self, change: &'a AnswerChange) -> impl Iterator<Item = &'a Arc<str>> {
        change.nodes.iter().map(|node| &self.nodes[*node as usize])
    }

    /// `14 nodes: web01, web02 and 12 more`, or the cases.
    pub fn who(&self, change: &AnswerChange) -> String {
        let cases = self.cases(change);
        let nodes = (!change.nodes.is_empty()).then(|| self.nodes_of(change));
        nodes.into_iter().chain(cases).collect::<Vec<_>>().join("; ")
    }

    /// The cases of unlisted nodes that a change affects.
    pub fn cases(&self, change: &AnswerChange) -> impl Iterator<Item = String> {
        change.cases.iter().map(|it| case_text(it))
    }

    fn nodes_of(&self, change: &AnswerChange) -> String {
        let count = change.nodes.len();
        if count == self.nodes.len() && count > MAX_NAMES {
            return format!("all {}", counted(count, "node"));
        }
        let names: Vec<&str> = self.names(change).take(MAX_NAMES).map(|it| &**it).collect();
        let more = count - names.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}: {}{more}", counted(count, "node"), names.join(", "))
    }

    /// The changes by key, in order.
    pub fn by_key(&self) -> Vec<(&Arc<str>, Vec<&AnswerChange>)> {
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
    format!("any other node where {}", in_words(conditions))
}

/// `1 node`, `2 nodes`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// An answer for users, without secrets: its value as YAML, or what there is instead, for each case if there are several.
/// Long values are truncated.
pub fn answer_text(answer: &Answer) -> String {
    let answer = without_secrets(answer);
    let mut text = String::new();
    for (conditions, case) in answer.each_case() {
        if !answer.cases.is_empty() {
            let condition = if conditions.is_empty() {
                "otherwise".to_owned()
            } else {
                format!("if {}", in_words(conditions))
            };
            let _ = writeln!(text, "{}:", on_one_line(&condition));
        }
        match &case.outcome {
            Ok(Some(value)) => {
                let yaml = render::to_yaml(&value.value);
                let yaml = yaml.strip_prefix("---").unwrap_or(&yaml);
                text.push_str(yaml.trim_start_matches([' ', '\n']));
                if !text.ends_with('\n') {
                    text.push('\n');
                }
            }
            Ok(None) => text.push_str("(not found)\n"),
            Err(failure) => {
                let _ = writeln!(text, "(error: {})", on_one_line(&failure.message));
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

fn on_one_line(text: &str) -> String {
    text.replace('\r', "\\r").replace('\n', "\\n")
}

/// The answer with encrypted and sensitive values replaced.
pub fn without_secrets(answer: &Answer) -> Answer {
    let mut answer = answer.clone();
    if let Ok(Some(value)) = &mut answer.outcome {
        value.value = redacted(value);
    }
    for case in &mut answer.cases {
        case.answer = without_secrets(&case.answer);
    }
    answer
}
