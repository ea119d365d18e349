//! The output of `lookup --class`: a table for people; JSON, YAML and JSON lines for programs.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::output::if_text;
use crate::binding::{
    Binding, Bound, BoundCase, RefusedValue, Verdict, is_open, refusal, refusal_of_values,
};
use crate::cli::answer_json::{conditions_json, left_out_json, open_names};
use crate::cli::shown::{as_seen_from_here, here, in_lines, seen_from, within_a_line};
use crate::code::ClassCode;
use crate::data::{Files, Value, json as data_json, render};
use crate::engine::cases::left_out_in_words;
use crate::engine::{Answer, Source};
use crate::text::LineIndex;

/// Longer values are truncated in the table.
const MAX_SHOWN_VALUE: usize = 60;

/// A class with its bindings.
pub(super) struct BoundClass {
    pub(super) class: ClassCode,
    pub(super) bindings: Vec<Binding>,
    /// The parameters that the node's classifier sets. They are not among the bindings.
    pub(super) given: Vec<Box<str>>,
    /// Those of them that Puppet refuses.
    pub(super) refused: Vec<RefusedValue>,
}

impl BoundClass {
    /// The error that Puppet raises if the class is included.
    pub(super) fn refusal(&self) -> Option<String> {
        let of_file = self.class.syntax_error().map(str::to_owned);
        let of_values = || refusal_of_values(&self.class.name, &self.refused);
        of_file.or_else(of_values).or_else(|| refusal(&self.class.name, &self.bindings))
    }

    /// The open variables that the values show, where they stay as `%{…}`.
    pub(super) fn left_in_texts(&self) -> impl Iterator<Item = &Arc<str>> {
        let answers =
            self.bindings.iter().flat_map(|it| (0..it.cases.len()).map(|at| it.answer_of(at)));
        answers.flat_map(|it| &it.open)
    }
}

/// The files that values come from, and the directory that their paths are relative to.
#[derive(Clone, Copy)]
pub(super) struct Origins<'a> {
    pub(super) files: &'a dyn Files,
    pub(super) directory: &'a str,
}

/// A line of the table.
struct Row {
    cells: [String; 4],
    /// The lines below it.
    notes: Vec<String>,
}

/// Tables for people: missing parameters come first, then those that Puppet refuses for other reasons.
pub(super) fn table(all: &[BoundClass], node: &str, files: &dyn Files) -> String {
    let from = Origins { files, directory: &here() };
    let mut text = String::new();
    for (number, asked) in all.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let class = &asked.class;
        let place = place_of(class, class.declaration().name_range.start);
        let title = format!("{} for {node} ({place})", class.name);
        let _ = writeln!(text, "{}", within_a_line(&title));
        if let Some(problem) = class.syntax_error() {
            let _ = writeln!(text, "  Puppet refuses the file: {}", within_a_line(problem));
        }
        if !asked.given.is_empty() {
            let given = asked.given.join(", ");
            let _ = writeln!(text, "  The classifier of {node} sets {}", within_a_line(&given));
            for refused in &asked.refused {
                let _ = writeln!(text, "  error  {}", in_lines(&refused.message));
            }
        }
        let mut bindings: Vec<&Binding> = asked.bindings.iter().collect();
        // What needs attention comes first. The sort is stable, so the order of the parameters stays otherwise.
        bindings.sort_by_key(|it| it.cases.iter().map(|case| rank(&case.verdict)).min());
        let rows: Vec<Row> = bindings.iter().flat_map(|it| rows(class, it, from)).collect();
        write_rows(&mut text, &rows);
    }
    text
}

fn rank(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Missing => 0,
        Verdict::Misfit(_) | Verdict::Fails => 1,
        Verdict::Fits | Verdict::Unsure(_) => 2,
    }
}

fn rows(class: &ClassCode, binding: &Binding, from: Origins<'_>) -> Vec<Row> {
    let is_alone = binding.cases.len() == 1;
    let mut rows = Vec::new();
    for (index, case) in binding.cases.iter().enumerate() {
        let name = match (is_alone, index) {
            (true, _) => binding.name.to_string(),
            (false, 0) => format!("{} {}", binding.name, if_text(&case.conditions)),
            (false, _) => format!("  {}", if_text(&case.conditions)),
        };
        let value = value_of(&case.bound).map_or(String::new(), |it| cut(&render::to_json(&it)));
        let source = match &case.bound {
            Bound::Data(_) => from.of(binding.answer_of(index)).join(", "),
            Bound::Default(_) => format!("default, {}", default_place(class, binding)),
            Bound::Computed => format!("computed by code, {}", default_place(class, binding)),
            Bound::Nothing | Bound::Failed(_) => String::new(),
        };
        let notes = note(binding, case).into_iter().collect();
        rows.push(Row { cells: [mark(&case.verdict).to_owned(), name, value, source], notes });
    }
    if let Some(last) = rows.last_mut() {
        last.notes.extend(left_out_in_words(&binding.answer.left_out));
    }
    rows
}

fn mark(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Fits => "ok",
        Verdict::Missing => "missing",
        Verdict::Misfit(_) | Verdict::Fails => "error",
        Verdict::Unsure(_) => "?",
    }
}

fn note(binding: &Binding, case: &BoundCase) -> Option<String> {
    match (&case.bound, &case.verdict) {
        (Bound::Failed(failure), _) => Some(failure.message.to_string()),
        (Bound::Computed, Verdict::Unsure(_)) => None,
        (_, Verdict::Unsure(unsure)) => Some(unsure.words()),
        (_, verdict) => verdict.message(&binding.name),
    }
}

fn write_rows(text: &mut String, rows: &[Row]) {
    let shown = |cell: &String| within_a_line(cell).into_owned();
    let width = |column: usize| {
        rows.iter().map(|row| shown(&row.cells[column]).chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..4).map(width).collect();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.cells.iter().zip(&widths) {
            let _ = write!(line, "  {:<width$}", shown(cell));
        }
        let _ = writeln!(text, "{}", line.trim_end());
        let indentation = " ".repeat(widths[0] + 4);
        for note in row.notes.iter().flat_map(|it| it.lines()) {
            let _ = writeln!(text, "{indentation}{}", in_lines(note));
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_VALUE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// One object, or a list of them for several classes.
pub(super) fn json(all: &[BoundClass], node: &str, from: Origins<'_>) -> String {
    format!("{:#}\n", document(all, node, from))
}

/// The same as YAML.
pub(super) fn yaml(all: &[BoundClass], node: &str, from: Origins<'_>) -> String {
    render::to_yaml(&data_json::to_value(&document(all, node, from)))
}

fn document(all: &[BoundClass], node: &str, from: Origins<'_>) -> Json {
    let one = |asked: &BoundClass| {
        let parameters = asked.bindings.iter().map(|it| record(asked, it, from, false));
        let mut object = class_record(asked, node, from);
        object.insert("parameters".into(), parameters.map(Json::Object).collect());
        Json::Object(object)
    };
    match all {
        [only] => one(only),
        all => all.iter().map(one).collect(),
    }
}

/// A line for each parameter in the order of its class, and one that ends the class.
pub(super) fn json_lines(all: &[BoundClass], node: &str, from: Origins<'_>) -> String {
    let mut text = String::new();
    for asked in all {
        for binding in &asked.bindings {
            let mut line = Map::new();
            line.insert("class".into(), (&*asked.class.name).into());
            line.append(&mut record(asked, binding, from, true));
            let _ = writeln!(text, "{}", Json::Object(line));
        }
        let _ = writeln!(text, "{}", Json::Object(class_record(asked, node, from)));
    }
    text
}

fn class_record(asked: &BoundClass, node: &str, from: Origins<'_>) -> Map<String, Json> {
    let BoundClass { class, bindings, given, .. } = asked;
    let refusal = asked.refusal();
    let status = match &refusal {
        Some(_) => "error",
        None if bindings.iter().any(|it| !it.is_certain()) => "depends",
        None if is_open(bindings) => "unknown",
        None => "ok",
    };
    let mut record = json!({
        "class": &*class.name,
        "status": status,
        "error": refusal,
        "node": node,
        "file": seen_from(from.directory, &class.path),
        "line": class.file.line(class.declaration().name_range.start),
    });
    if !given.is_empty() {
        record["classifier"] = given.iter().map(|it| Json::from(&**it)).collect();
    }
    record.as_object().cloned().unwrap_or_default()
}

/// What is known of a parameter. Every `Sensitive` is redacted unless the record `is_exact`.
fn record(
    asked: &BoundClass,
    binding: &Binding,
    from: Origins<'_>,
    is_exact: bool,
) -> Map<String, Json> {
    let mut line = Map::new();
    line.insert("param".into(), (&*binding.name).into());
    line.insert("type".into(), binding.type_text.as_deref().into());
    line.insert("line".into(), asked.class.file.line(binding.name_range.start).into());
    if binding.is_certain() {
        add_case(&mut line, (binding, 0), from, is_exact);
        return line;
    }
    line.insert("status".into(), "depends".into());
    let on = binding.answer.depends_on().iter().map(|name| Json::from(&**name)).collect();
    line.insert("on".into(), Json::Array(on));
    line.insert("complete".into(), binding.answer.left_out.is_empty().into());
    let case = |(index, case): (usize, &BoundCase)| {
        let mut line = Map::new();
        line.insert("if".into(), Json::Object(conditions_json(&case.conditions)));
        add_case(&mut line, (binding, index), from, is_exact);
        Json::Object(line)
    };
    line.insert("cases".into(), binding.cases.iter().enumerate().map(case).collect());
    if !binding.answer.left_out.is_empty() {
        let left_out = binding.answer.left_out.iter().map(left_out_json).collect();
        line.insert("left_out".into(), Json::Array(left_out));
    }
    line
}

fn add_case(
    line: &mut Map<String, Json>,
    (binding, index): (&Binding, usize),
    origins: Origins<'_>,
    is_exact: bool,
) {
    let case = &binding.cases[index];
    let status = match &case.verdict {
        Verdict::Fits => "ok",
        Verdict::Unsure(_) => "unknown",
        Verdict::Missing | Verdict::Misfit(_) | Verdict::Fails => "error",
    };
    let from = match &case.bound {
        Bound::Data(_) => "data",
        Bound::Default(_) => "default",
        Bound::Computed => "code",
        Bound::Nothing | Bound::Failed(_) => "none",
    };
    line.insert("status".into(), status.into());
    line.insert("from".into(), from.into());
    if let Some(value) = value_of(&case.bound) {
        let value = if is_exact { value } else { render::redacted(&value.into()).value };
        line.insert("value".into(), render::to_exact_json(&value));
    }
    let error = match (&case.bound, &case.verdict) {
        (Bound::Failed(failure), _) => Some(failure.message.to_string()),
        (_, verdict) => verdict.message(&binding.name),
    };
    line.insert("error".into(), error.into());
    if let Verdict::Unsure(unsure) = &case.verdict {
        line.insert("why".into(), unsure.words().into());
    }
    let answer = binding.answer_of(index);
    if let Some(names) = open_names(answer) {
        line.insert("open".into(), names.into());
    }
    if matches!(case.bound, Bound::Data(_)) {
        line.insert("origins".into(), origins.of(answer).into());
    }
}

fn value_of(bound: &Bound) -> Option<Value> {
    match bound {
        Bound::Data(value) => Some(value.value.clone()),
        Bound::Default(value) => Some(value.clone()),
        Bound::Computed | Bound::Nothing | Bound::Failed(_) => None,
    }
}

impl Origins<'_> {
    /// The origins of the value, the highest priority first.
    fn of(self, answer: &Answer) -> Vec<String> {
        let counting = answer.sources.iter().filter(|it| it.counts());
        counting.map(|it| self.origin(it)).collect()
    }

    fn origin(self, source: &Source) -> String {
        let Some(place) = source.shown_place() else {
            return format!("level \"{}\" ({})", source.level, source.path);
        };
        let path = self.files.path(place.file);
        let shown = seen_from(self.directory, &path);
        match self.files.text(&path) {
            Ok(text) => {
                format!("{shown}:{}", LineIndex::new(&text).line_of(place.range.start) + 1)
            }
            Err(_) => shown.to_owned(),
        }
    }
}

fn default_place(class: &ClassCode, binding: &Binding) -> String {
    let range = binding.default_range.unwrap_or(binding.name_range);
    place_of(class, range.start)
}

fn place_of(class: &ClassCode, offset: u32) -> String {
    format!("{}:{}", as_seen_from_here(&class.path), class.file.line(offset))
}
