//! Hover on a key: its value for the active node, the levels that have it, and the merge strategy.

use std::fmt::Write as _;
use std::sync::Arc;

use super::encrypted;
use super::markdown::{Answer, CaseLine, KeyCard, MAX_SOURCES, MergeLine, MergeSetBy, SourceLine};
use super::markup::{code, plain};
use crate::backends::eyaml::blob;
use crate::data::{Files as _, Located, Place, Value, inspect, render};
use crate::engine::{
    self, Caller, NestedSource, OpaqueLevel, Request, Role, SetBy, Source, module_of_key,
};
use crate::facts::Node;
use crate::ide::cases::{self, CaseGroup};
use crate::ide::class_parameter;
use crate::ide::context::LookupOptionSpot;
use crate::ide::perspective::{Perspective, Reading};
use crate::ide::places;
use crate::ide::sources::{layer_text, place_of, set_by};
use crate::syntax::key_path::{self, KeyPath};

/// The maximum number of sample nodes that are checked for reading a file, and the maximum number that are named.
const MAX_OTHER_NODES: usize = 16;
const MAX_NAMES: usize = 3;

/// The maximum number of listed cases.
const MAX_CASES: usize = 8;

/// The maximum number of listed keys whose values are inserted.
const MAX_INSERTED: usize = 6;

/// The maximum number of listed keys that a pattern matches.
const MAX_MATCHING_KEYS: usize = 12;

/// A key and its lookup.
#[derive(Debug)]
pub(in crate::ide) struct AskedKey<'a> {
    /// The key that is touched.
    pub(in crate::ide) key: &'a str,
    /// The request, if it is for more than the key. If it has several names, the key is one of them.
    pub(in crate::ide) request: Option<Request>,
    /// The code that makes the request.
    pub(in crate::ide) caller: Caller<'a>,
    /// The file that has the key, if the hover is in that file.
    pub(in crate::ide) from: Option<&'a str>,
    /// The result if nothing is found.
    pub(in crate::ide) otherwise: Otherwise,
    /// Whether the request contains values of its own.
    pub(in crate::ide) brings_values: bool,
    /// What is not known of the request, as sentences.
    pub(in crate::ide) proviso: Option<String>,
    /// More notes, as sentences.
    pub(in crate::ide) notes: Vec<String>,
}

/// The result if nothing is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ide) enum Otherwise {
    /// Nothing: the lookup fails.
    Fails,
    /// An empty string.
    EmptyText,
    /// The default of a class parameter, which is also used instead of null. Its code.
    ParameterDefault(String),
    /// Nothing: the class parameter requires a value.
    Required,
    /// The default of a call, as written.
    CallDefault(String),
}

impl<'a> AskedKey<'a> {
    /// A lookup of a key without options.
    pub(in crate::ide) fn new(key: &'a str) -> Self {
        Self {
            key,
            request: None,
            caller: Caller::MAIN,
            from: None,
            otherwise: Otherwise::Fails,
            brings_values: false,
            proviso: None,
            notes: Vec::new(),
        }
    }

    fn answer(&self, perspective: &Perspective) -> Arc<engine::Answer> {
        match &self.request {
            None => perspective.answer(self.key),
            Some(request) => {
                let request = request.clone().with_sources();
                Arc::new(perspective.evaluator.call_from(self.caller, &request))
            }
        }
    }

    fn is_shown_at_the_parameter(&self) -> bool {
        matches!(self.otherwise, Otherwise::ParameterDefault(_) | Otherwise::Required)
    }

    fn shown_name(&self) -> String {
        match &self.request {
            Some(request) if !request.names.is_empty() => request.names.join(", "),
            _ => self.key.to_owned(),
        }
    }
}

/// The hover of a key; `from` is the file that has it, `None` for a key that `%{…}` looks up.
pub(super) fn text(perspective: &Perspective, key: &str, from: Option<&str>) -> String {
    let otherwise = if from.is_some() { Otherwise::Fails } else { Otherwise::EmptyText };
    asked_key_text(perspective, &AskedKey { from, otherwise, ..AskedKey::new(key) })
}

/// The hover text of a key, for a terminal: nothing is truncated except the lists of cases.
pub(super) fn plain_text(perspective: &Perspective, key: &str) -> String {
    card(perspective, &AskedKey::new(key)).plain_text()
}

/// The hover of a key with a specific lookup.
pub(in crate::ide) fn asked_key_text(perspective: &Perspective, asked: &AskedKey<'_>) -> String {
    let max_lines = perspective.world.settings().hover_max_lines as usize;
    card(perspective, asked).markdown(max_lines)
}

/// The hover of an entry of `lookup_options`.
pub(super) fn lookup_option_text(perspective: &Perspective, spot: &LookupOptionSpot) -> String {
    let subject = code(&spot.subject);
    if !spot.is_pattern() {
        let card = asked_key_text(perspective, &AskedKey::new(&spot.subject));
        return format!("Lookup options for {subject}\n\n{card}");
    }
    let keys = places::keys_matching(perspective, &spot.subject);
    let mut text = format!(
        "Lookup options for keys that match {subject}, unless they have options of their own. Patterns of lower levels are \
         tried before those of higher ones.\n\n"
    );
    for key in keys.iter().take(MAX_MATCHING_KEYS) {
        let answer = perspective.answer(key);
        let options = answer.merge.as_deref().and_then(|it| it.options.as_ref());
        let others = options.filter(|it| !it.is_pattern || *it.entry != *spot.subject);
        let others = others.and_then(|it| place_of(perspective, it));
        let instead = others
            .map_or_else(String::new, |place| format!(" (has those in {} instead)", code(&place)));
        let _ = writeln!(text, "- {}{instead}", code(key));
    }
    match keys.len().checked_sub(MAX_MATCHING_KEYS) {
        _ if keys.is_empty() => text += "No key of the data matches.",
        Some(more @ 1..) => {
            let _ = write!(text, "\nand {more} more");
        }
        _ => {}
    }
    text
}

fn card(perspective: &Perspective, question: &AskedKey<'_>) -> KeyCard {
    let AskedKey { key, from, otherwise, .. } = question;
    let asked = question.answer(perspective);
    let groups = cases::groups(&asked);
    let usual_places = cases::deciding_places(&asked);
    let usual_inserted = cases::inserted_places(&asked);
    let places_of = |group: &CaseGroup<'_>| {
        // Where only a text inside the value differs, the list of sources has the same places for all cases.
        let places = if group.places == usual_places { &[][..] } else { &group.places };
        let inserted = group.inserted_places().into_iter();
        let inserted = inserted.filter(|it| !usual_inserted.contains(it));
        let inserted = inserted.map(|it| perspective.place_with_key(it));
        let all = places.iter().copied().chain(inserted);
        let mut all: Vec<String> = all.map(|it| perspective.shown_place(it)).collect();
        let failed_at = group.answer.outcome.as_ref().err().and_then(|it| it.place);
        let failed_at = failed_at.map(|it| perspective.shown_place(it));
        all.extend(failed_at.filter(|it| !all.contains(it)));
        all
    };
    let case = |group: &CaseGroup<'_>| {
        let nearly = cases::nearly_the_same(perspective, &asked, group.answer);
        let nearly = nearly.map(|it| Answer::NearlyTheSame(it.map(|new| yaml(perspective, &new))));
        CaseLine {
            when: group.when(),
            answer: nearly.unwrap_or_else(|| shown(perspective, group.answer, otherwise)),
            places: places_of(group),
        }
    };
    let mut card = KeyCard {
        key: question.shown_name(),
        asked_for: perspective.asked_for(),
        proviso: question.proviso.clone(),
        answer: shown(perspective, &asked, otherwise),
        cases: groups.iter().take(MAX_CASES).map(case).collect(),
        more_cases: groups.len().saturating_sub(MAX_CASES),
        merge: None,
        sources: Vec::new(),
        notes: Vec::new(),
    };
    add_sources(perspective, key, &asked, &mut card);
    card.notes.extend(inserted_text(perspective, &asked));
    card.notes.extend(own_value_note(question, &asked).map(str::to_owned));
    card.notes.extend(question.notes.iter().cloned());
    card.notes.extend(perspective.left_out_in_words(&asked.left_out).iter().map(|it| plain(it)));
    for opaque in &asked.opaque {
        card.notes.push(opaque_text(opaque, &asked));
    }
    if let Ok(Some(value)) = &asked.outcome {
        card.notes.extend(encrypted::note(perspective, module_of_key(key), value));
    }
    if !question.is_shown_at_the_parameter() {
        card.notes.extend(class_parameter::note(perspective, key, Some(&asked)));
        card.notes.extend(class_parameter::given_note(perspective, key));
    }
    if !asked.unknown_variables.is_empty() {
        let names = asked.unknown_variables.iter().map(|it| perspective.shown_name(key, it));
        card.notes.push(format!("No such variable for this node: {}", codes(names)));
    }
    let each_case = asked.each_case().into_iter().map(|(_, answer)| answer);
    // The answer that is shown first comes first.
    let answers = std::iter::once(&*asked).chain(each_case);
    if let Some(open) = cases::left_as_written(answers, perspective.evaluator.node(), |name| {
        code(perspective.shown_name(key, name))
    }) {
        card.notes.push(format!("Not known, and left as it is written: {open}"));
    }
    for path in &asked.broken {
        let path = code(&perspective.shown_path(path));
        card.notes.push(format!("{}.", cases::refused_text(&path)));
    }
    if let Some(from) = from {
        card.notes.extend(reader_note(perspective, key, from, &asked));
    }
    card
}

/// That the value is in the arguments of the call, if it is, or in which cases it is.
fn own_value_note(question: &AskedKey<'_>, answer: &engine::Answer) -> Option<&'static str> {
    let is_own = |(_, case): &(&[_], &engine::Answer)| {
        matches!(case.outcome, Ok(Some(_))) && !case.sources.iter().any(Source::counts)
    };
    let cases = answer.each_case();
    let are_own = question.brings_values && cases.iter().any(is_own);
    let is_certain = answer.left_out.is_empty() && cases.iter().all(is_own);
    are_own.then_some(if is_certain {
        "The value comes from the call itself, not from data."
    } else {
        "Where no level has the key, the value comes from the call itself."
    })
}

/// The keys whose values the texts of the value contain, and where these values are written.
fn inserted_text(perspective: &Perspective, answer: &engine::Answer) -> Option<String> {
    let inserted = answer.inserted();
    let shown = |it: &&NestedSource| {
        format!(
            "{} ({})",
            code(&it.key),
            code(&perspective.shown_place(perspective.place_with_key(it.place)))
        )
    };
    let shown: Vec<String> = inserted.iter().take(MAX_INSERTED).map(shown).collect();
    let more = match inserted.len().saturating_sub(MAX_INSERTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!shown.is_empty()).then(|| format!("Inserted values: {}{more}", shown.join(", ")))
}

/// Which nodes read the file that has the key, unless the node certainly reads it.
fn reader_note(
    perspective: &Perspective,
    key: &str,
    from: &str,
    answer: &engine::Answer,
) -> Option<String> {
    match perspective.reading(module_of_key(key), from) {
        Reading::Always => None,
        Reading::Where(readers) => {
            let shown = code(&perspective.shown_path(from));
            Some(format!("{shown} is read only where {}.", plain(&readers)))
        }
        // A path may lead to the file for texts that hiera-ls does not search for.
        Reading::Unknown => {
            let is_in_a_case = answer.sources_of_all_cases().iter().any(|it| *it.path == *from);
            (!is_in_a_case).then(|| not_read_text(perspective, key, from))
        }
    }
}

fn codes<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(code).collect::<Vec<_>>().join(", ")
}

/// A value as YAML, without secrets.
fn yaml(perspective: &Perspective, value: &Located) -> String {
    render::to_readable_yaml(&perspective.without_secrets(value))
}

/// The result of a lookup, without secrets.
fn shown(perspective: &Perspective, answer: &engine::Answer, otherwise: &Otherwise) -> Answer {
    match (&answer.outcome, otherwise) {
        // A class parameter falls back to its default if the data has null.
        (Ok(Some(Located { value: Value::Undef, .. })), Otherwise::ParameterDefault(code)) => {
            Answer::Default { code: code.clone(), is_instead_of_null: true }
        }
        (Ok(Some(value)), _) => Answer::Value(yaml(perspective, value)),
        // A level that is not evaluated here may have the key.
        (Ok(None), _) if !answer.opaque.is_empty() => Answer::Unknown,
        // Puppet fails because of a file, so nothing takes the place of the value.
        (Ok(None), _) if !answer.broken.is_empty() => Answer::Unread,
        // One of the files that are left out may have the key.
        (Ok(None), Otherwise::EmptyText | Otherwise::Fails | Otherwise::Required)
            if !answer.left_out.is_empty() =>
        {
            Answer::Unknown
        }
        (Ok(None), Otherwise::EmptyText) => Answer::EmptyText,
        (Ok(None), Otherwise::Fails) => Answer::NotFound,
        (Ok(None), Otherwise::Required) => Answer::Required,
        (Ok(None), Otherwise::ParameterDefault(code) | Otherwise::CallDefault(code)) => {
            Answer::Default { code: code.clone(), is_instead_of_null: false }
        }
        (Err(failure), _) => {
            // Puppet's message may contain a whole encrypted value.
            let message = blob::shortened(&perspective.shown_failure(&failure.message));
            let is_our_own = failure.class.is_our_own();
            let place = failure.place.map(|it| perspective.shown_place(it));
            if is_our_own {
                Answer::NotEvaluated(message)
            } else {
                Answer::Error { message, place }
            }
        }
    }
}

/// What a level that could not be evaluated means for the answer.
fn opaque_text(opaque: &OpaqueLevel, answer: &engine::Answer) -> String {
    let (level, function) = (plain(&opaque.level), code(&opaque.function));
    let is_merged = answer.merge.as_deref().is_some_and(|it| !it.is_first_found());
    let claim = match &answer.outcome {
        Ok(Some(_)) if is_merged => "Partial: more may come from",
        _ => "May come from",
    };
    format!("{claim} level \"{level}\" ({function} {}).", plain(&opaque.reason))
}

/// The commit that wrote a place, if the settings turn this on.
fn commit_of(perspective: &Perspective, place: Place) -> Option<String> {
    let world = &perspective.world;
    if !world.settings().hover_blame {
        return None;
    }
    let path = world.path(place.file);
    let line = world.file(&path).ok()?.line_index().line_of(place.range.start) + 1;
    world.blame(&path, line).map(|it| it.to_string())
}

fn add_sources(perspective: &Perspective, key: &str, answer: &engine::Answer, card: &mut KeyCard) {
    // A note names each level that is not evaluated.
    let is_shown = |source: &&Source| source.role.is_some_and(|role| role != Role::Opaque);
    let files = answer.sources.iter().filter(|source| source.written.is_some());
    let has_options = answer.merge.as_deref().is_some_and(|it| it.set_by == SetBy::Options);
    // With one file and no options, there is nothing to merge.
    if files.count() > 1 || has_options {
        card.merge = answer.merge.as_deref().map(|merge| MergeLine {
            strategy: merge.line(),
            set_by: match merge.set_by {
                SetBy::Argument => MergeSetBy::Call,
                SetBy::Options => {
                    set_by(perspective, merge).map_or(MergeSetBy::Default, MergeSetBy::Options)
                }
                SetBy::Default => MergeSetBy::Default,
            },
        });
    }
    if let Some(merge) = answer.merge.as_deref()
        && let Some(conversion) = cases::conversion(answer)
    {
        let proviso = cases::conversion_proviso(answer, key);
        let place = merge.options.as_ref().and_then(|it| place_of(perspective, it));
        let by = place
            .map_or_else(String::new, |place| format!(" by `lookup_options` in {}", code(&place)));
        // The conversion may be what fails, or the lookup does not get that far.
        let lead = if answer.outcome.is_err() { "To be converted" } else { "Converted" };
        card.notes.push(format!("{lead} to {}{by}{proviso}", code(&inspect::to_s(conversion))));
    }
    for source in answer.sources.iter().filter(is_shown) {
        let place = source.shown_place().map(|place| perspective.shown_place(place));
        card.sources.push(SourceLine {
            level: source.level.to_string(),
            layer: layer_text(source),
            place: place.unwrap_or_else(|| source.path.to_string()),
            // Git is asked only about the lines that are shown.
            commit: source
                .shown_place()
                .filter(|_| card.sources.len() < MAX_SOURCES)
                .and_then(|place| commit_of(perspective, place)),
            role: source.role.unwrap_or(Role::Overridden),
        });
    }
    let hiding = cases::hiding_source(answer).filter(|_| !card.sources.is_empty());
    if let Some(place) = hiding.and_then(Source::shown_place) {
        let root = key_path::parse(key).ok();
        let root = root.as_ref().and_then(KeyPath::root_name).map_or(key, |root| root);
        card.notes.push(format!(
            "{} in {} has no such member and hides the values of lower levels: without a merge, Puppet uses the first value.",
            code(root),
            code(&perspective.shown_place(place))
        ));
    }
}

/// Says that the active node does not read a file, and which nodes do.
fn not_read_text(perspective: &Perspective, key: &str, file: &str) -> String {
    let unused = perspective.world.unused_config_of(file);
    // While a hiera.yaml has an error, there is no hierarchy, so nothing is known of the nodes.
    if perspective.evaluator.config_failure(module_of_key(key)).is_some()
        && unused.as_ref().is_none_or(|it| !it.is_of_other_version)
    {
        let shown = code(&perspective.shown_path(file));
        return format!("Until this error is fixed, no level reads {shown}.");
    }
    if let Some(unused) = unused {
        let why = unused.in_words(&perspective.shown_path(&unused.path));
        return format!("{}.", plain(&why));
    }
    let environment = perspective.evaluator.environment();
    if let Some(module) = other_module(perspective, key, file) {
        let shown = code(&perspective.shown_path(file));
        let prefix = code(&format!("{module}::"));
        return format!(
            "{shown} is data of module {}: Puppet never finds a key in it that does not start with {prefix}.",
            code(&module)
        );
    }
    let links = perspective.world.links_to(environment, file);
    if let Some((first, more)) = links.split_first() {
        let more =
            if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        let [file, first] = [file, first].map(|it| code(&perspective.shown_path(it)));
        return format!("{file} is read through the link {first}{more}.");
    }
    let nodes = perspective.world.nodes(environment);
    // A file often has the name of its node, so these nodes are tried first.
    let is_named = |node: &&Arc<Node>| file.contains(&*node.name);
    let likely = nodes.iter().filter(is_named).take(MAX_NAMES + 1);
    let others = nodes.iter().filter(|node| !is_named(node));
    let asked = likely.chain(others).take(MAX_OTHER_NODES);
    let reads = |node: &&Arc<Node>| {
        let evaluator = perspective.world.evaluator(environment, node);
        evaluator.reads(module_of_key(key), file)
    };
    let mut names: Vec<_> = asked.filter(reads).map(|node| code(&node.name)).collect();
    let shown = code(&perspective.shown_path(file));
    let mut text = format!("{shown} is not in the hierarchy of this node.");
    if !names.is_empty() {
        let more = if names.len() > MAX_NAMES { ", …" } else { "" };
        names.truncate(MAX_NAMES);
        let _ = write!(text, " It is read for {}{more}.", names.join(", "));
    }
    text
}

/// The module whose data a file is, if a lookup of the key searches no layer that reads the file.
fn other_module(perspective: &Perspective, key: &str, file: &str) -> Option<Arc<str>> {
    let layers = perspective.world.layers_of_file(perspective.evaluator.environment(), file);
    let is_searched = |it: &Option<Arc<str>>| it.is_none() || it.as_deref() == module_of_key(key);
    if layers.iter().any(is_searched) { None } else { layers.into_iter().flatten().next() }
}
