//! `lookup` for many nodes at once: the answers by value, the rarest first.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Value as Json;

use super::arguments::{DEPENDS, LookupArguments, RenderAs};
use super::output::Output as LookupOutput;
use super::queries::Query;
use crate::cli::answer_json::{Record, redacted};
use crate::cli::fleet;
use crate::cli::print;
use crate::cli::progress::Progress;
use crate::cli::shown::{counted, in_a_line, in_lines, within_a_line};
use crate::cli::terminal::print_bytes;
use crate::data::{Files, Value, render};
use crate::engine::footprint::outcome_hash;
use crate::engine::{Answer, Request};
use crate::ide::own_names::{together, with_example, without_names};
use crate::world::{Fleet, KeptAnswer, SharedAnswer};

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
        ("--why", arguments.why),
        ("--origins", arguments.origins),
        ("--blame", arguments.blame),
        ("--class", !arguments.class.is_empty()),
    ];
    if let Some((name, _)) = given.iter().find(|(_, is_given)| *is_given) {
        let why = match &arguments.facts {
            Some(facts) if arguments.nodes.is_none() => format!(
                "; --facts {} is a directory, and all of its nodes are looked up: name a file in it for one node",
                facts.display()
            ),
            _ => String::new(),
        };
        return Err(format!("{name} is for one node and cannot be used with several{why}"));
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
    let keep = |at: usize, answer| printer.keep(&queries[at], answer);
    let write = |at: usize, answers| {
        progress.step();
        printer.write(&queries[at], answers)
    };
    fleet.answers_to_each(&requests, keep, write, |written| output.print(&written));
    progress.end();
    let code = output.end();
    // The process ends: its memory goes at once, and not piece by piece.
    std::mem::forget(fleet);
    code
}

/// What was printed so far.
struct Output {
    format: RenderAs,
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
        Self { format, records: 0, depends: false, has_failed: false }
    }

    fn print(&mut self, written: &Written) {
        // The list is written piece by piece, so its brackets and commas are written here.
        if self.format == RenderAs::Json && written.records > 0 {
            print(if self.records == 0 { "[\n" } else { ",\n" });
        }
        print_bytes(&written.text);
        self.records += written.records;
        self.depends |= written.depends;
        self.has_failed |= written.has_failed;
    }

    fn end(&self) -> ExitCode {
        if self.format == RenderAs::Json {
            print(if self.records == 0 { "[]\n" } else { "\n]\n" });
        }
        if self.depends && !self.has_failed { ExitCode::from(DEPENDS) } else { ExitCode::SUCCESS }
    }
}

/// The names of a fleet's nodes as JSON: they are written very often.
struct NodeNames {
    names: Vec<Box<str>>,
    /// The bytes of all names, with a comma for each.
    bytes: usize,
}

impl NodeNames {
    fn of(fleet: &Fleet) -> Self {
        // A name is written once for each key, so it is turned into JSON only once.
        let name = |name: &str| Json::from(name).to_string().into_boxed_str();
        let names: Vec<_> = fleet.nodes().iter().map(|node| name(&node.name)).collect();
        let bytes = names.iter().map(|name| name.len() + 1).sum();
        Self { names, bytes }
    }
}

/// What is kept of an answer until all nodes have theirs.
enum Kept {
    /// The text of a value that is found for sure, and the hash of the value. The value itself takes more memory.
    Found { hash: u64, text: Box<str> },
    /// Any other answer.
    Whole(Arc<Answer>),
}

impl Kept {
    fn is_certain(&self) -> bool {
        match self {
            Self::Found { .. } => true,
            Self::Whole(answer) => answer.is_certain(),
        }
    }

    /// Whether hiera-ls cannot compute what the nodes get, which need not be the same for all of them.
    fn is_unknown(&self) -> bool {
        match self {
            Self::Found { .. } => false,
            Self::Whole(answer) => answer.unknown_outcome().is_some(),
        }
    }

    fn has_failed(&self) -> bool {
        match self {
            Self::Found { .. } => false,
            Self::Whole(answer) => answer.is_certain() && answer.outcome.is_err(),
        }
    }
}

impl KeptAnswer for Kept {
    fn number(&self) -> u64 {
        match self {
            Self::Found { hash, .. } => *hash,
            Self::Whole(answer) => answer.number(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            // The texts of different values can be the same, so the hash counts as well.
            (Self::Found { hash, text }, Self::Found { hash: other_hash, text: other_text }) => {
                hash == other_hash && text == other_text
            }
            (Self::Whole(one), Self::Whole(other)) => {
                one.is_same(other) && reads_same_open_variables(one, other)
            }
            _ => false,
        }
    }
}

/// Tables show the values and what they leave open, but not what else was read.
fn forget_what_tables_do_not_show(answer: &mut Answer) {
    answer.read_open.clear();
    answer.cases.iter_mut().for_each(|case| case.answer.read_open.clear());
}

/// Whether the records of two answers list the same open variables.
fn reads_same_open_variables(one: &Answer, other: &Answer) -> bool {
    let (one, other) = (one.each_case(), other.each_case());
    one.iter().map(|(_, case)| &case.read_open).eq(other.iter().map(|(_, case)| &case.read_open))
}

struct Printer<'a> {
    fleet: &'a Fleet,
    format: RenderAs,
    names: &'a NodeNames,
}

impl Printer<'_> {
    fn keep(&self, query: &Query, mut answer: Answer) -> Kept {
        if self.format == RenderAs::Table {
            forget_what_tables_do_not_show(&mut answer);
        }
        if !answer.is_only_a_value() {
            return Kept::Whole(Arc::new(answer));
        }
        Kept::Found { hash: outcome_hash(&answer), text: self.text(query, &answer).into() }
    }

    /// The answer as it is printed: lines of a table, or a record without nodes.
    fn text(&self, query: &Query, answer: &Answer) -> String {
        if self.format == RenderAs::Table {
            return answer_text(answer, self.fleet.world().as_ref());
        }
        let shown = match self.format {
            RenderAs::Json => redacted(answer),
            _ => Cow::Borrowed(answer),
        };
        Record { key: &query.key, answer: &shown, merge: query.merge.as_ref(), explain: None }
            .text()
    }

    fn text_of<'k>(&self, query: &Query, kept: &'k Kept) -> Cow<'k, str> {
        match kept {
            Kept::Found { text, .. } => Cow::Borrowed(text),
            Kept::Whole(answer) => Cow::Owned(self.text(query, answer)),
        }
    }

    fn write(&self, query: &Query, mut groups: Vec<SharedAnswer<Kept>>) -> Written {
        // The rarest answer comes first, because it is the most interesting one.
        groups.sort_by_key(|group| group.nodes.len());
        let mut written = Written::default();
        for SharedAnswer { answer, .. } in &groups {
            written.depends |= !answer.is_certain();
            written.has_failed |= answer.has_failed();
        }
        if self.format == RenderAs::Table {
            written.text = self.table(query, &groups).into_bytes();
            return written;
        }
        let is_list = self.format == RenderAs::Json;
        written.text.reserve(self.room_for(&groups));
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

    /// The bytes of most records: each node is named once. To enlarge a long text again and again takes time.
    fn room_for(&self, groups: &[SharedAnswer<Kept>]) -> usize {
        let record = |group: &SharedAnswer<Kept>| match &group.answer {
            Kept::Found { text, .. } => text.len() + ",\"nodes\":[]}\n".len(),
            Kept::Whole(_) => 0,
        };
        self.names.bytes + groups.iter().map(record).sum::<usize>()
    }

    /// `{"key": …, "status": …, …, "nodes": […]}`
    fn write_record(&self, text: &mut Vec<u8>, query: &Query, group: &SharedAnswer<Kept>) {
        text.extend(self.text_of(query, &group.answer).as_bytes());
        // The nodes are the last member.
        text.pop();
        text.extend(b",\"nodes\":[");
        for (at, node) in group.nodes.iter().enumerate() {
            if at > 0 {
                text.push(b',');
            }
            text.extend(self.names.names[*node as usize].as_bytes());
        }
        text.extend(b"]}");
    }

    fn table(&self, query: &Query, groups: &[SharedAnswer<Kept>]) -> String {
        let mut text = String::new();
        let total = self.fleet.nodes().len();
        let answers = match groups {
            [_] if total == 1 => "the answer for".to_owned(),
            [only] if !only.answer.is_certain() => "the same cases for all".to_owned(),
            [only] if only.answer.is_unknown() => "not known for any of".to_owned(),
            [_] => "the same for all".to_owned(),
            several => format!("{} different answers for", several.len()),
        };
        let _ = writeln!(text, "{}: {answers} {}", in_a_line(&query.key), counted(total, "node"));
        let rows = groups.iter().map(|group| {
            let answer = self.text_of(query, &group.answer);
            let nameless = match *group.nodes {
                [node] => Some(
                    without_names(&answer, &self.fleet.nodes()[node as usize].name).into_owned(),
                ),
                _ => None,
            };
            (nameless, (answer, &group.nodes))
        });
        // Single nodes share a row if their answers differ only in the names of the nodes.
        for row in together(rows, |(_, nodes)| nodes.len()) {
            let nodes: Vec<u32> = row.iter().flat_map(|(_, nodes)| *nodes).copied().collect();
            let mut line = self.names_line(&nodes);
            if row.len() > 1 {
                let shown = names(self.fleet, &nodes).next().map_or("", |it| &**it);
                line = with_example(&line, &in_a_line(shown));
            }
            let _ = writeln!(text, "  {line}");
            for line in row[0].0.lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        text
    }

    /// `2 nodes: web01, web02`.
    fn names_line(&self, nodes: &[u32]) -> String {
        let count = nodes.len();
        if count == self.fleet.nodes().len() && count > MAX_NAMES {
            return format!("all {}", counted(count, "node"));
        }
        let shown: Vec<_> =
            names(self.fleet, nodes).take(MAX_NAMES).map(|it| in_a_line(it)).collect();
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
        Ok(Some(value)) if value.value == Value::Undef => "~".to_owned(),
        Ok(Some(value)) => {
            let yaml = render::to_readable_yaml(&value.value);
            let yaml = yaml.strip_prefix("---").unwrap_or(&yaml).trim_start_matches([' ', '\n']);
            in_lines(yaml).into_owned()
        }
        Ok(None) if !answer.opaque.is_empty() => "# not known".to_owned(),
        Ok(None) => "# not found".to_owned(),
        Err(failure) => {
            let shown = super::output::failure_with_place(failure, files);
            format!("# {}", within_a_line(&shown))
        }
    };
    for level in &answer.opaque {
        let _ = write!(text, "\n# level '{}' may have another value", in_a_line(&level.level));
    }
    text
}
