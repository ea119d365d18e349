//! One key of a preview: its header, its value, and what each level has to say.

use std::sync::Arc;

use super::LineKind;
use super::page::Page;
use super::value::{Detail, Writer};
use crate::data::{Located, Place, Value, inspect};
use crate::engine::{
    Answer, AppliedOptions, CancelToken, Explain, Outcome, Request, TraceKind, TraceNode,
};
use crate::ide::perspective::Perspective;
use crate::ide::places::{self, KeyPlace, dig_value};
use crate::ide::sources;
use crate::syntax::key_path::{self, KeyPath};

/// A key with everything that is known of it for one node.
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) answer: Answer,
    options: Option<AppliedOptions>,
    pub(super) places: Vec<KeyPlace>,
    /// What the levels have, interpolated where the lookup looked at them; the highest first.
    parts: Vec<Located>,
}

impl Entry {
    /// Looks the key up.
    pub(super) fn ask(perspective: &Perspective, key: &str, cancel: &CancelToken) -> Self {
        let evaluator = &perspective.evaluator;
        let path = key_path::parse(key).ok();
        let root = path.as_ref().and_then(KeyPath::root_name);
        let options = root.and_then(|root| evaluator.options_for(root).ok().flatten());
        let places = path.as_ref().map_or(Vec::new(), |path| places::places(evaluator, path));
        // Only a merge looks at several levels. What each of them gave is what is written there, or else in the trace.
        let is_merge = !sources::takes_first(options.as_ref());
        let is_as_written =
            |place: &KeyPlace| !place.root_value.value.has_tokens() && !perspective.reveals();
        let needs_trace = is_merge && !places.iter().all(is_as_written);
        let answer = evaluator.call(&Request {
            explain: if needs_trace { Explain::On } else { Explain::Off },
            cancel: cancel.clone(),
            ..Request::key(key)
        });
        let mut entry = Self { key: key.to_owned(), answer, options, places, parts: Vec::new() };
        if let Some(path) = &path {
            entry.parts = entry.parts(path);
        }
        entry
    }

    /// Whether anything is found, or the lookup fails.
    pub(super) fn is_there(&self) -> bool {
        !matches!(self.answer.outcome, Ok(None))
    }

    /// Whether the first value found is the answer.
    pub(super) fn takes_first(&self) -> bool {
        sources::takes_first(self.options.as_ref())
    }

    /// Writes a header about one key and the value.
    pub(super) fn write_alone(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let title = format!("{} for {}", self.key, asked_for(perspective));
        page.comment(&title, LineKind::Header, None);
        self.write_strategy(perspective, page, detail);
        self.write_notes(page);
        page.plain("");
        self.write_value(perspective, page, detail);
    }

    /// Writes the value among those of other keys.
    pub(super) fn write_among(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        if sources::strategy_line(self.options.as_ref()).is_some() {
            self.write_strategy(perspective, page, detail);
        }
        self.write_notes(page);
        self.write_value(perspective, page, detail);
    }

    fn write_strategy(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let options = self.options.as_ref();
        match sources::strategy_line(options) {
            Some(strategy) => {
                let by = sources::set_by(perspective, options);
                let by = by.filter(|_| !matches!(detail, Detail::Bare));
                let by = by.map_or(String::new(), |by| format!(", set in {by}"));
                let place = options.and_then(sources::set_at);
                let line = format!("merge strategy {strategy}{by}");
                page.comment(&line, LineKind::Header, place);
            }
            None if self.places.len() > 1 => {
                page.comment("merge strategy first, by default", LineKind::Header, None);
            }
            None => {}
        }
    }

    fn write_notes(&self, page: &mut Page) {
        for opaque in &self.answer.opaque {
            let level = self.places.iter().find(|place| place.level == opaque.level);
            let is_merged = matches!(self.answer.outcome, Ok(Some(_))) && !self.takes_first();
            let claim = if is_merged { "partial: more may come" } else { "may come" };
            let note = format!(
                "{claim} from level \"{}\" ({} {})",
                opaque.level, opaque.function, opaque.reason
            );
            page.comment(&note, LineKind::Opaque, level.and_then(|level| level.level_place));
        }
        let conversion = self.options.as_ref().and_then(|it| sources::option(it, "convert_to"));
        if let Some(conversion) = conversion {
            let note = format!("converted to {}", inspect::to_s(&conversion));
            page.comment(&note, LineKind::Header, self.options.as_ref().and_then(sources::set_at));
        }
        if !self.answer.unknown_variables.is_empty() {
            let names: Vec<&str> = self.answer.unknown_variables.iter().map(|it| &**it).collect();
            let note = format!("not known of this node: {}", names.join(", "));
            page.comment(&note, LineKind::Header, None);
        }
    }

    fn write_value(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let key = Value::string(&*self.key);
        match &self.answer.outcome {
            Ok(Some(value)) => {
                let parts: Vec<&Located> = self.parts.iter().collect();
                let mut writer = Writer::new(perspective, page, detail);
                writer.knockout = self.knockout_prefix();
                writer.member(0, (&key, self.key_place(value)), value, &parts);
            }
            Ok(None) => {
                let (what, kind) = if self.answer.opaque.is_empty() {
                    ("not found, a lookup of this key fails", LineKind::Error)
                } else {
                    ("not known", LineKind::Opaque)
                };
                page.comment(&format!("{}: {what}", self.key), kind, None);
                self.write_hidden(perspective, page, detail);
            }
            Err(failure) => {
                let note = format!("{}: the lookup fails", self.key);
                page.comment(&note, LineKind::Error, failure.place);
                page.comment(&failure.message, LineKind::Error, failure.place);
            }
        }
    }

    /// What the levels have although nothing is found: a higher one hides it.
    fn write_hidden(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let key = Value::string(&*self.key);
        let mut writer = Writer::new(perspective, page, detail);
        for part in &self.parts {
            writer.hidden_member((&key, part.place), part);
        }
    }

    /// Where the key is written that the value stands under.
    fn key_place(&self, value: &Located) -> Option<Place> {
        let has_key = |place: &&KeyPlace| place.key_place.is_some();
        let is_winner = |place: &&KeyPlace| {
            value.place.is_some() && place.value.as_ref().is_some_and(|it| it.place == value.place)
        };
        let mut places = self.places.iter().filter(has_key);
        let winner = places.clone().find(is_winner).or_else(|| places.next());
        winner.and_then(|place| place.key_place)
    }

    fn knockout_prefix(&self) -> Option<String> {
        let merge = sources::option(self.options.as_ref()?, "merge")?;
        let prefix = merge.as_hash()?.get("knockout_prefix")?.value.value.as_str()?.to_owned();
        (!prefix.is_empty()).then_some(prefix)
    }

    fn parts(&self, path: &KeyPath) -> Vec<Located> {
        let mut seen = Vec::new();
        if let Some(trace) = &self.answer.trace {
            found_in_files(trace, &mut seen);
        }
        let has_ordinary = self.places.iter().any(|place| !place.is_default);
        let counts = |place: &&KeyPlace| place.is_default != has_ordinary;
        let (counting, others): (Vec<_>, Vec<_>) = self.places.iter().partition(counts);
        let part = |place: &KeyPlace| {
            let traced = seen.iter().find(|(path, _)| ***path == *place.path);
            match traced {
                Some((_, root)) => dig_value(root, &path.rest),
                None => place.value.clone(),
            }
        };
        let mut parts: Vec<Located> = counting.into_iter().chain(others).filter_map(part).collect();
        // The winner of a `first` is in the answer with everything interpolated.
        if self.takes_first()
            && let (Ok(Some(value)), Some(first)) = (&self.answer.outcome, parts.first_mut())
        {
            *first = value.clone();
        }
        parts
    }
}

/// `node web01 (inferred), environment production`, without markup.
pub(super) fn asked_for(perspective: &Perspective) -> String {
    let asked_for = perspective.asked_for();
    let inferred = if asked_for.inferred { " (inferred)" } else { "" };
    format!("node {}{inferred}, environment {}", asked_for.node, asked_for.environment)
}

/// The values that the search itself found, by path: not those of what it interpolated or of lookup_options.
fn found_in_files<'t>(step: &'t TraceNode, found: &mut Vec<(&'t Arc<str>, &'t Located)>) {
    match &step.kind {
        TraceKind::Interpolation(_) | TraceKind::Search { is_options: true, .. } => {}
        TraceKind::Location { location, .. } => {
            if let Some(Outcome::Found { value, .. }) = &step.outcome {
                found.push((location, value));
            }
        }
        _ => step.branches.iter().for_each(|branch| found_in_files(branch, found)),
    }
}
