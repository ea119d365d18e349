//! `lookup` for many nodes at once: the answers by value, the rarest first.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Value as Json;

use super::answer_json::Record;
use super::fleet;
use super::lookup::{DEPENDS, LookupArguments, RenderAs};
use super::lookup_output::Output as LookupOutput;
use super::lookup_queries::Query;
use super::progress::Progress;
use super::shown::{counted, in_a_line, in_lines, within_a_line};
use super::{print, print_bytes};
use crate::data::{Files, render};
use crate::engine::{Answer, Request};
use crate::world::{Fleet, SharedAnswer};

/// Names of nodes that a table shows of each group.
const MAX_NAMES: usize = 8;

/// Whether the command is for several nodes.
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
        return Err(format!("{name} is for one node and cannot be used with several"));
    }
    if matches!(arguments.render_as, Some(RenderAs::S | RenderAs::Yaml)) {
        return Err("for several nodes, --render-as is table, json or jsonl".to_owned());
    }
    Ok(())
}

/// Prints the answers of all nodes, key by key.
pub(super) fn run(
    fleet: Fleet,
    queries: &[Query],
    request_of: impl Fn(&Query) -> Request,
    format: RenderAs,
) -> ExitCode {
    let progress = Progress::beside_answers(queries.len(), "keys");
    let names = NodeNames::of(&fleet);
    let mut output = Output::new(format);
    let printer = Printer { fleet: &fleet, format, names: &names };
    let requests: Vec<Request> = queries.iter().map(request_of).collect();
    let write = |at: usize, answers| {
        progress.step();
        printer.write(&queries[at], answers)
    };
    fleet.answers_to_each(&requests, write, |written| output.print(written));
    progress.end();
    let code = output.end();
    // The process ends: its memory goes at once, and not piece by piece.
    std::mem::forget(fleet);
    code
}

/// What was printed so far.
struct Output {
    format: RenderAs,
    keys: usize,
    records: usize,
    depends: bool,
    has_failed: bool,
}

/// The answers for one key, in the form that is printed.
#[derive(Default)]
struct Written {
    /// UTF-8.
    text: Vec<u8>,
    /// How many records of JSON these are.
    records: usize,
    depends: bool,
    has_failed: bool,
}

impl Output {
    fn new(format: RenderAs) -> Self {
        Self { format, keys: 0, records: 0, depends: false, has_failed: false }
    }

    fn print(&mut self, written: Vec<Written>) {
        for one in written {
            // The list is written piece by piece, so its brackets and commas are written here.
            if self.format == RenderAs::Json && one.records > 0 {
                print(if self.records == 0 { "[\n" } else { ",\n" });
            }
            print_bytes(&one.text);
            self.keys += 1;
            self.records += one.records;
            self.depends |= one.depends;
            self.has_failed |= one.has_failed;
        }
    }

    fn end(&self) -> ExitCode {
        if self.format == RenderAs::Json {
            print(if self.records == 0 { "[]\n" } else { "\n]\n" });
        }
        if self.depends && !self.has_failed { ExitCode::from(DEPENDS) } else { ExitCode::SUCCESS }
    }
}

/// The names of a fleet's nodes as JSON: they are written very often.
struct NodeNames(Vec<Box<str>>);

impl NodeNames {
    fn of(fleet: &Fleet) -> Self {
        // A name is written once for each key, so it is turned into JSON only once.
        let name = |name: &str| Json::from(name).to_string().into_boxed_str();
        Self(fleet.nodes().iter().map(|node| name(&node.name)).collect())
    }
}

struct Printer<'a> {
    fleet: &'a Fleet,
    format: RenderAs,
    names: &'a NodeNames,
}

impl Printer<'_> {
    fn write(&self, query: &Query, mut groups: Vec<SharedAnswer>) -> Written {
        // The rarest answer comes first, because it is the most interesting one.
        groups.sort_by_key(|group| group.nodes.len());
        let mut written = Written::default();
        for SharedAnswer { answer, .. } in &groups {
            written.depends |= !answer.is_certain();
            written.has_failed |= answer.is_certain() && answer.outcome.is_err();
        }
        if self.format == RenderAs::Table {
            written.text = self.table(&query.key, &groups).into_bytes();
            return written;
        }
        let is_list = self.format == RenderAs::Json;
        for group in &groups {
            if is_list && written.records > 0 {
                written.text.extend(b",\n");
            }
            self.write_record(&mut written.text, query, group);
            if !is_list {
                written.text.push(b'\n');
            }
            written.records += 1;
        }
        written
    }

    /// `{"key": …, "status": …, …, "nodes": […]}`
    fn write_record(&self, text: &mut Vec<u8>, query: &Query, group: &SharedAnswer) {
        let (key, answer, merge) = (&*query.key, &group.answer, query.merge.as_ref());
        Record { key, answer, merge, explain: None }.write(text);
        // The nodes are the last member.
        text.pop();
        text.extend(b",\"nodes\":[");
        for (at, node) in group.nodes.iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            text.extend(self.names.0[*node as usize].as_bytes());
        }
        text.extend(b"]}");
    }

    fn table(&self, key: &str, groups: &[SharedAnswer]) -> String {
        let mut text = String::new();
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
        text
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

/// An answer for people: the value as YAML, or what there is instead.
fn answer_text(answer: &Answer, files: &dyn Files) -> String {
    if !answer.is_certain() {
        return LookupOutput::cases_as_yaml(answer, files);
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
        let _ = write!(text, "\n# level '{}' may have another value", in_a_line(&level.level));
    }
    text
}
