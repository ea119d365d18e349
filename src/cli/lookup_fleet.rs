//! `lookup` for many nodes at once: the answers by value, the rarest first.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::fleet;
use super::lookup::{DEPENDS, LookupArguments, RenderAs};
use super::lookup_output::Output;
use super::lookup_queries::Query;
use super::print;
use super::progress::Progress;
use super::shown::{counted, in_a_line, in_lines, within_a_line};
use crate::data::{Files, render};
use crate::engine::{Answer, Request};
use crate::world::{Fleet, SharedAnswer, parallel};

/// Keys that are asked for at once, before their answers are printed.
const KEYS_AT_ONCE: usize = 64;

/// Names of nodes that a table shows of each group.
const MAX_NAMES: usize = 8;

/// Whether the command asks for many nodes.
pub(super) fn is_wanted(arguments: &LookupArguments) -> bool {
    let is_directory = arguments.facts.as_deref().is_some_and(fleet::is_directory);
    arguments.nodes.is_some() || is_directory
}

/// Says which arguments make no sense for many nodes.
pub(super) fn check_arguments(arguments: &LookupArguments) -> Result<(), String> {
    let given = [
        ("--node", arguments.node.is_some()),
        ("--set", !arguments.set.is_empty()),
        ("--trusted", arguments.trusted.is_some()),
        ("--vars", arguments.vars.is_some()),
        ("--server-facts", arguments.server_facts.is_some()),
        ("--explain", arguments.explain),
        ("--explain-options", arguments.explain_options),
        ("--origins", arguments.origins),
        ("--blame", arguments.blame),
    ];
    if let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given) {
        return Err(format!("{name} is for one node, and cannot stand with several"));
    }
    if matches!(arguments.render_as, Some(RenderAs::S | RenderAs::Yaml)) {
        return Err("for several nodes, --render-as is table, json or jsonl".to_owned());
    }
    Ok(())
}

/// Prints the answers of all nodes, key by key.
pub(super) fn run(
    fleet: &Fleet,
    queries: &[Query],
    request_of: impl Fn(&Query) -> Request + Sync,
    format: RenderAs,
) -> ExitCode {
    let mut printer = Printer { fleet, format, count: 0 };
    let progress = Progress::beside_answers(queries.len(), "keys");
    let (mut depends, mut has_failed) = (false, false);
    for part in queries.chunks(KEYS_AT_ONCE) {
        let answers = parallel::map(part, |query| {
            progress.step();
            fleet.answers(&request_of(query))
        });
        let mut text = String::new();
        for (query, mut groups) in part.iter().zip(answers) {
            groups.sort_by_key(|group| group.nodes.len());
            for SharedAnswer { answer, .. } in &groups {
                depends |= !answer.is_certain();
                has_failed |= answer.is_certain() && answer.outcome.is_err();
            }
            printer.write(&mut text, query, &groups);
        }
        print(&text);
    }
    progress.end();
    printer.end();
    if depends && !has_failed { ExitCode::from(DEPENDS) } else { ExitCode::SUCCESS }
}

struct Printer<'a> {
    fleet: &'a Fleet,
    format: RenderAs,
    /// Records so far.
    count: usize,
}

impl Printer<'_> {
    fn write(&mut self, text: &mut String, query: &Query, groups: &[SharedAnswer]) {
        if self.format == RenderAs::Table {
            self.write_table(text, &query.key, groups);
            return;
        }
        for group in groups {
            let record = self.record(query, group);
            let is_list = self.format == RenderAs::Json;
            let before = match (is_list, self.count) {
                (false, _) => "",
                (true, 0) => "[\n",
                (true, _) => ",\n",
            };
            let after = if is_list { "" } else { "\n" };
            let _ = write!(text, "{before}{record}{after}");
            self.count += 1;
        }
    }

    fn end(&self) {
        if self.format == RenderAs::Json {
            print(if self.count == 0 { "[]\n" } else { "\n]\n" });
        }
    }

    fn record(&self, query: &Query, group: &SharedAnswer) -> Json {
        let mut record = Map::new();
        record.insert("key".into(), query.key.as_str().into());
        record.append(&mut Output::answer_json(&group.answer));
        if let Some(merge) = &query.merge {
            record.insert("merge".into(), merge.clone());
        }
        let names = names(self.fleet, &group.nodes).map(|name| Json::from(&**name));
        record.insert("nodes".into(), names.collect());
        Json::Object(record)
    }

    fn write_table(&self, text: &mut String, key: &str, groups: &[SharedAnswer]) {
        let total = self.fleet.nodes().len();
        let answers = match groups.len() {
            1 => "the same for all".to_owned(),
            count => format!("{count} different answers for"),
        };
        let _ = writeln!(text, "{}: {answers} {}", in_a_line(key), counted(total, "node"));
        for group in groups {
            let _ = writeln!(text, "  {}", self.names_line(group));
            for line in answer_text(&group.answer, self.fleet.world().as_ref()).lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
    }

    /// `2 nodes: web01, web02`.
    fn names_line(&self, group: &SharedAnswer) -> String {
        let count = group.nodes.len();
        if count == self.fleet.nodes().len() && count > MAX_NAMES {
            return format!("all {}", counted(count, "node"));
        }
        let shown: Vec<_> =
            names(self.fleet, &group.nodes).take(MAX_NAMES).map(|it| in_a_line(it)).collect();
        let more = count - shown.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        format!("{}: {}{more}", counted(count, "node"), shown.join(", "))
    }
}

/// The names of nodes by their numbers.
pub(super) fn names<'f>(fleet: &'f Fleet, nodes: &'f [u32]) -> impl Iterator<Item = &'f Arc<str>> {
    nodes.iter().map(|node| &fleet.nodes()[*node as usize].name)
}

/// An answer for people: the value as YAML, or what came instead.
fn answer_text(answer: &Answer, files: &dyn Files) -> String {
    if !answer.is_certain() {
        return Output::cases_as_yaml(answer, files);
    }
    let mut text = match &answer.outcome {
        Ok(Some(value)) => {
            let yaml = render::to_yaml(&value.value);
            let yaml = yaml.strip_prefix("---").unwrap_or(&yaml).trim_start_matches([' ', '\n']);
            in_lines(yaml).into_owned()
        }
        Ok(None) => "# not found".to_owned(),
        Err(failure) => {
            let shown = super::lookup_output::failure_with_place(failure, files);
            format!("# {}", within_a_line(&shown))
        }
    };
    for level in &answer.opaque {
        let _ = write!(text, "\n# level '{}' may say something else", in_a_line(&level.level));
    }
    text
}
