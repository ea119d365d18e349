//! Explains a lookup to people: the value first, with the levels that contribute to it; then the engine's trace as a tree
//! with positions.

mod fold;

use std::sync::Arc;

use super::entry::{asked_for, strategy_line, without_result};
use super::page::{Mark, Page};
use super::{Language, LineKind, Preview, Question, UnknownNode};
use crate::data::{Files, Located, Place, inspect};
use crate::engine::cases::depends_in_words;
use crate::engine::{Answer, CancelToken, Outcome, Request, Role, Source, TraceKind, TraceNode};
use crate::ide::cases::{self, CaseGroup};
use crate::ide::perspective::Perspective;
use crate::ide::sources::layer_text;
use crate::syntax::key_path::Segment;
use crate::text::TextRange;
use crate::world::World;

/// Longer values are truncated.
const MAX_VALUE_CHARS: usize = 120;

/// The document, and the same content as a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The document.
    pub preview: Preview,
    /// The value, and the outermost steps of the search.
    pub steps: Vec<Step>,
}

/// One step of a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The action or the thing that was searched.
    pub label: String,
    /// The result in few words; may be empty.
    pub detail: String,
    /// How it ended.
    pub kind: StepKind,
    /// The hierarchy level, the file, or the value.
    pub place: Option<Place>,
    /// The inner steps.
    pub children: Vec<Self>,
    topic: Topic,
}

/// The subject of a step, as far as it matters for folding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Topic {
    Search,
    /// A search that is shown elsewhere.
    Told,
    Location,
    Interpolation,
    Other,
}

impl Step {
    /// The step without its inner steps.
    fn without_children(&self) -> Self {
        Self {
            label: self.label.clone(),
            detail: self.detail.clone(),
            children: Vec::new(),
            ..*self
        }
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// See its inner steps.
    Step,
    /// A value was found.
    Found,
    /// Several values were merged.
    Result,
    /// A value was found, and a higher level hides it.
    Overridden,
    /// Nothing was found.
    Missing,
    /// It is not evaluated here.
    Opaque,
    /// The lookup fails.
    Failed,
}

/// Explains the lookup of a key: completely, or only the interesting part. `None` if there is no key, or the request was
/// cancelled.
///
/// # Errors
/// The request's node does not exist.
pub fn explain(
    world: &Arc<World>,
    question: &Question,
    cancel: &CancelToken,
) -> Result<Option<Explained>, UnknownNode> {
    let Some(asked) = question.find(world)? else { return Ok(None) };
    let Some(key) = asked.key else { return Ok(None) };
    let perspective = &asked.perspective;
    let request =
        Request { cancel: cancel.clone(), ..Request::key(&*key).explained().with_sources() };
    let (environment, node) = (perspective.evaluator.environment(), perspective.evaluator.node());
    // Only the first trace of an evaluator shows how lookup_options are collected, so this one is new.
    let answer = world.new_revealing_evaluator(environment, node).call(&request);
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let tree = Tree { perspective, hides: false };
    let mut steps = tree.answer(&answer);
    let mut search = answer.trace.as_deref().map_or(Vec::new(), |trace| tree.children(trace));
    let all = fold::line_count(&search);
    if !question.is_full {
        search = fold::folded(&search);
    }
    let shown = fold::line_count(&search);
    let mut page = Page::default();
    let title = format!("{key} for {}", asked_for(perspective));
    page.line(&title, Mark::of(LineKind::Header, None));
    for step in &steps {
        write(step, 0, &mut page);
    }
    page.plain("");
    if shown < all {
        let note = format!(
            "{shown} of {all} lines: files without the key are only counted, and nothing is shown twice"
        );
        page.line(&note, Mark::of(LineKind::More, None));
    }
    for step in &search {
        write(step, 0, &mut page);
    }
    steps.append(&mut search);
    let title = format!("{key} · {} · explained", perspective.evaluator.node().name);
    let preview = page.finish(perspective, title);
    let preview = Preview { key: Some(key), language: Language::Plain, ..preview };
    Ok(Some(Explained { preview, steps }))
}

fn simple(label: &str, kind: StepKind) -> Step {
    let label = label.to_owned();
    let topic = Topic::Other;
    Step { label, detail: String::new(), kind, place: None, children: Vec::new(), topic }
}

fn write(step: &Step, depth: usize, page: &mut Page) {
    let colon = if step.detail.is_empty() { "" } else { ": " };
    let text = format!("{}{}{colon}{}", "  ".repeat(depth), step.label, step.detail);
    let kind = match step.kind {
        StepKind::Found | StepKind::Result => LineKind::Value,
        StepKind::Overridden => LineKind::Overridden,
        StepKind::Opaque => LineKind::Opaque,
        StepKind::Failed => LineKind::Error,
        StepKind::Step | StepKind::Missing => LineKind::Header,
    };
    for line in text.split('\n') {
        page.line(line, Mark::of(kind, step.place));
    }
    for child in &step.children {
        write(child, depth + 1, page);
    }
}

#[derive(Clone, Copy)]
struct Tree<'a> {
    perspective: &'a Perspective,
    /// Whether the steps belong to a key that lookup options make sensitive. The values in its levels are not marked as
    /// sensitive themselves.
    hides: bool,
}

impl Tree<'_> {
    /// The value, its sources, and the values in other cases.
    fn answer(&self, answer: &Answer) -> Vec<Step> {
        let outcome = match &answer.outcome {
            Ok(Some(value)) => self.result(value),
            Ok(None) if answer.broken.is_empty() => {
                simple("not found: a lookup of this key fails", StepKind::Missing)
            }
            Ok(None) => simple("not in what can be read", StepKind::Missing),
            Err(failure) => {
                let place = failure.place;
                let message = self.perspective.shown_failure(&failure.message);
                let label = format!("{}: {message}", without_result(failure));
                Step { place, ..simple(&label, StepKind::Failed) }
            }
        };
        let strategy = strategy_line(self.perspective, answer, true);
        let strategy =
            strategy.map(|(line, place)| Step { place, ..simple(&line, StepKind::Step) });
        let sources = answer.sources.iter().filter_map(|source| self.source(source));
        let children = sources.chain(strategy).collect();
        let mut steps = vec![Step { children, ..outcome }];
        let broken = answer.broken.iter().map(|path| self.perspective.shown_path(path));
        steps.extend(broken.map(|path| simple(&cases::refused_text(&path), StepKind::Failed)));
        steps.extend(cases::groups(answer).iter().map(|group| self.case(answer, group)));
        let left_out = self.perspective.left_out_in_words(&answer.left_out).into_iter();
        steps.extend(left_out.map(|words| simple(&words, StepKind::Opaque)));
        steps
    }

    /// A level that contributes: file and line, the level, and its role.
    fn source(&self, source: &Source) -> Option<Step> {
        let (kind, part) = match source.role? {
            Role::Wins | Role::Contributes => (StepKind::Found, ""),
            Role::Overridden => (StepKind::Overridden, " · overridden"),
            Role::KnockedOut => (StepKind::Overridden, " · knocked out"),
            Role::Opaque => (StepKind::Opaque, " · not evaluated"),
            Role::Open => (StepKind::Step, " · for some nodes"),
        };
        let place = source.shown_place();
        let shown = place.map(|place| self.perspective.shown_place(place));
        let shown = shown.unwrap_or_else(|| source.path.to_string());
        let layer = layer_text(source).map_or(String::new(), |layer| format!(" ({layer})"));
        let label = format!("{shown} · level \"{}\"{layer}{part}", source.level);
        Some(Step { place: place.or(source.level_place), ..simple(&label, kind) })
    }

    /// The value in another case, on one line.
    fn case(&self, first: &Answer, group: &CaseGroup<'_>) -> Step {
        let when = group.when();
        let nearly = cases::nearly_the_same(self.perspective, first, group.answer);
        let place = group.places.first().copied();
        let (label, kind) = match &group.answer.outcome {
            Ok(Some(value)) => {
                let shown = match nearly.filter(|_| !self.hides) {
                    None => self.shown(value),
                    Some(nearly) => {
                        let new = nearly.new.as_ref().map(|it| format!(" {}", self.shown(it)));
                        nearly.in_words(str::to_owned) + &new.unwrap_or_default()
                    }
                };
                (format!("if {when}: {shown}"), StepKind::Found)
            }
            Ok(None) => (format!("if {when}: not found"), StepKind::Missing),
            Err(failure) => {
                let message = self.perspective.shown_failure(&failure.message);
                (format!("if {when}: the lookup fails: {message}"), StepKind::Failed)
            }
        };
        Step { place, ..simple(&label, kind) }
    }

    fn children(&self, step: &TraceNode) -> Vec<Step> {
        let remarks = step.texts.iter().map(|text| simple(text, StepKind::Step));
        step.branches.iter().map(|branch| self.step(branch)).chain(remarks).collect()
    }

    fn step(&self, step: &TraceNode) -> Step {
        // A merge of a single source is not shown as a merge.
        if let (TraceKind::Merge { .. }, [only]) = (&step.kind, step.branches.as_slice()) {
            return self.step(only);
        }
        let (label, place) = self.label(&step.kind);
        let within = match &step.kind {
            TraceKind::Search { key, is_options: false } => {
                // The steps show values before their conversion to `Sensitive`, so they must be hidden here.
                let hides = self.hides || self.perspective.makes_path_sensitive(key);
                Tree { hides, ..*self }
            }
            _ => *self,
        };
        let (kind, detail, value_place) = match &step.outcome {
            None => (StepKind::Step, String::new(), None),
            Some(outcome) => within.outcome(outcome),
        };
        // A path with variables is not the path of a file.
        let is_open = matches!(step.outcome, Some(Outcome::LocationNotKnown { .. }));
        let place = value_place.or(place.filter(|_| !is_open));
        let children = within.children(step);
        Step { label, detail, kind, place, children, topic: topic(&step.kind) }
    }

    fn label(&self, kind: &TraceKind) -> (String, Option<Place>) {
        let perspective = self.perspective;
        match kind {
            TraceKind::Explanation => ("Explanation".to_owned(), None),
            TraceKind::Search { key, is_options: false } => (format!("search for {key}"), None),
            TraceKind::Search { key, is_options: true } => (format!("collection of {key}"), None),
            TraceKind::InvalidKey(key) => (format!("{key} may not be looked up"), None),
            TraceKind::MergeSource => ("the merge strategy is in lookup_options".to_owned(), None),
            TraceKind::Module(name) => (format!("module {name}"), None),
            TraceKind::Layer { title, config, .. } => {
                (title.to_string(), config.as_ref().map(|path| self.file_start(path)))
            }
            TraceKind::Level { name, place, .. } => (format!("level \"{name}\""), *place),
            TraceKind::Location { is_uri: true, location, .. } => (location.to_string(), None),
            TraceKind::Location { location, .. } => {
                (perspective.shown_path(location), Some(self.file_start(location)))
            }
            TraceKind::Merge { strategy, options } => {
                let options = options.as_ref().map(inspect::inspect);
                let options = options.map_or(String::new(), |options| format!(" {options}"));
                (format!("merge strategy {strategy}{options}"), None)
            }
            TraceKind::Interpolation(text) => {
                let text = Located::new(crate::data::Value::String(text.clone()), None);
                (format!("interpolation of {}", self.shown(&text)), None)
            }
            TraceKind::Scope(name) => (name.to_string(), None),
            TraceKind::SubKey(segments) => {
                let segments: Vec<String> = segments.iter().map(segment_text).collect();
                (format!("sub key {}", segments.join(".")), None)
            }
            TraceKind::Segment(segment) => (segment_text(segment), None),
        }
    }

    fn outcome(&self, outcome: &Outcome) -> (StepKind, String, Option<Place>) {
        let missing = |text: &str| (StepKind::Missing, text.to_owned(), None);
        match outcome {
            Outcome::Found { value, .. } => (StepKind::Found, self.shown(value), value.place),
            Outcome::Result(value) => (StepKind::Result, self.shown(value), value.place),
            Outcome::NotFound { .. } => missing("does not have it"),
            Outcome::LocationNotFound => missing("does not exist"),
            Outcome::LocationNotKnown { variables, files } => {
                let depends = depends_in_words(variables, *files);
                (StepKind::Opaque, format!("not known: {depends}"), None)
            }
            Outcome::ModuleNotFound => missing("there is no such module"),
            Outcome::ModuleProviderNotFound => missing("it has no hiera.yaml"),
            Outcome::Opaque { function, reason } => {
                (StepKind::Opaque, format!("{function} {reason}"), None)
            }
        }
    }

    fn result(&self, value: &Located) -> Step {
        let (detail, place) = (self.shown(value), value.place);
        Step { detail, place, ..simple("the value", StepKind::Result) }
    }

    fn shown(&self, value: &Located) -> String {
        if self.hides {
            return inspect::REDACTED.to_owned();
        }
        cut(&inspect::inspect(&self.perspective.without_secrets(value)))
    }

    fn file_start(&self, path: &str) -> Place {
        Place { file: self.perspective.world.id(path), range: TextRange::empty(0) }
    }
}

fn topic(kind: &TraceKind) -> Topic {
    match kind {
        TraceKind::Search { .. } => Topic::Search,
        TraceKind::Location { .. } => Topic::Location,
        TraceKind::Interpolation(_) => Topic::Interpolation,
        _ => Topic::Other,
    }
}

fn segment_text(segment: &Segment) -> String {
    match segment {
        Segment::Name(name) => name.to_string(),
        Segment::Index(index) => index.to_string(),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
