//! One key of a preview: its header, its value, and what each level has to say.

use std::sync::Arc;

use super::LineKind;
use super::page::Page;
use super::value::{Detail, Writer};
use crate::data::{Located, Place, Value, inspect};
use crate::engine::{Answer, AppliedOptions, CancelToken, Failure, SetBy, Source, UsedMerge};
use crate::ide::cases;
use crate::ide::changes::counted;
use crate::ide::perspective::Perspective;
use crate::ide::sources;
use crate::syntax::key_path::{self, Segment};

/// More cases than this are counted.
const MAX_CASES: usize = 12;

/// A key with everything that is known of it for one node.
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) answer: Arc<Answer>,
    rest: Vec<Segment>,
}

impl Entry {
    /// Looks the key up.
    pub(super) fn ask(perspective: &Perspective, key: &str, cancel: &CancelToken) -> Self {
        let answer = perspective.answer_until(key, cancel);
        let rest = key_path::parse(key).map_or_else(|_| Vec::new(), |path| path.rest);
        Self { key: key.to_owned(), answer, rest }
    }

    /// The key as data has it: a lookup quotes a root key with dots, data does not.
    fn as_written(&self) -> Value {
        let root = self.rest.is_empty().then(|| key_path::root_of(&self.key)).flatten();
        Value::String(root.unwrap_or_else(|| Arc::from(&*self.key)))
    }

    /// Whether anything is found in any case, or the lookup fails.
    pub(super) fn is_there(&self) -> bool {
        !matches!(self.answer.outcome, Ok(None)) || !self.answer.cases.is_empty()
    }

    /// Whether the first value found is the answer.
    fn takes_first(&self) -> bool {
        self.answer.merge.as_deref().is_none_or(UsedMerge::is_first_found)
    }

    /// The files that have the key.
    fn files(&self) -> impl Iterator<Item = &Source> + Clone {
        self.answer.sources.iter().filter(|source| source.written.is_some())
    }

    /// Writes a header about one key and the value.
    pub(super) fn write_alone(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let title = format!("{} for {}", self.key, asked_for(perspective));
        page.comment(&title, LineKind::Header, None);
        self.write_strategy(perspective, page, detail);
        self.write_notes(perspective, page);
        page.plain("");
        self.write_value(perspective, page, detail);
    }

    /// Writes the value among those of other keys.
    pub(super) fn write_among(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        if self.answer.merge.as_deref().is_some_and(|it| it.set_by != SetBy::Default) {
            self.write_strategy(perspective, page, detail);
        }
        self.write_notes(perspective, page);
        self.write_value(perspective, page, detail);
    }

    fn write_strategy(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let names_place = !matches!(detail, Detail::Bare);
        if let Some((line, place)) = strategy_line(perspective, &self.answer, names_place) {
            page.comment(&line, LineKind::Header, place);
        }
    }

    fn write_notes(&self, perspective: &Perspective, page: &mut Page) {
        for opaque in &self.answer.opaque {
            let level = self.answer.sources.iter().find(|source| source.level == opaque.level);
            // In a merge, a level that is not evaluated may add to a value that is found.
            let is_merged = matches!(self.answer.outcome, Ok(Some(_))) && !self.takes_first();
            let claim = if is_merged { "partial: more may come" } else { "may come" };
            let note = format!(
                "{claim} from level \"{}\" ({} {})",
                opaque.level, opaque.function, opaque.reason
            );
            page.comment(&note, LineKind::Opaque, level.and_then(|source| source.level_place));
        }
        let merge = self.answer.merge.as_deref();
        if let Some(conversion) = cases::conversion(&self.answer) {
            let proviso = cases::conversion_proviso(&self.answer, &self.key);
            let note = format!("converted to {}{proviso}", inspect::to_s(conversion));
            let place = merge.and_then(|it| it.options.as_ref()).and_then(sources::set_at);
            page.comment(&note, LineKind::Header, place);
        }
        let unknown = &self.answer.unknown_variables;
        if !unknown.is_empty() {
            let names = unknown.iter().map(|it| perspective.shown_name(&self.key, it));
            let names: Vec<&str> = names.collect();
            let note = format!("no such variable for this node: {}", names.join(", "));
            page.comment(&note, LineKind::Header, None);
        }
        let node = perspective.evaluator.node();
        if let Some(open) = cases::left_as_written([&*self.answer], node, |name| {
            perspective.shown_name(&self.key, name).to_owned()
        }) {
            let note = format!("not known, and left as it is written: {open}");
            page.comment(&note, LineKind::Header, None);
        }
        for path in &self.answer.broken {
            page.comment(
                &cases::refused_text(&perspective.shown_path(path)),
                LineKind::Error,
                None,
            );
        }
        for left_out in perspective.left_out_in_words(&self.answer.left_out) {
            page.comment(&left_out, LineKind::Opaque, None);
        }
    }

    /// Writes what the key is in other cases, each as a comment.
    fn write_cases(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let groups = cases::groups(&self.answer);
        let key = self.as_written();
        for group in groups.iter().take(MAX_CASES) {
            let when = format!("if {}", group.when());
            let place = group.places.first().copied();
            match &group.answer.outcome {
                Ok(Some(value)) => {
                    let nearly = cases::nearly_the_same(perspective, &self.answer, group.answer);
                    let nearly = nearly.map(|it| (it.in_words(str::to_owned), it.new));
                    if let Some((same, _)) = &nearly {
                        let note = format!("{}: {when}, {same}", self.key);
                        page.comment(&note, LineKind::Case, place);
                    }
                    let new = nearly.map_or_else(|| Some(value.clone()), |(_, new)| new);
                    if let Some(new) = new {
                        let mut writer = Writer::new(perspective, page, detail);
                        writer.case_member((&key, place), &new, when);
                    }
                }
                Ok(None) => {
                    page.comment(&format!("{}: not found {when}", self.key), LineKind::Case, place);
                }
                Err(failure) => {
                    let note = format!("{}: the lookup fails {when}", self.key);
                    page.comment(&note, LineKind::Case, failure.place);
                }
            }
        }
        if groups.len() > MAX_CASES {
            let more = groups.len() - MAX_CASES;
            page.comment(&format!("and {}", counted(more, "more case")), LineKind::Case, None);
        }
    }

    fn write_value(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let key = self.as_written();
        match &self.answer.outcome {
            Ok(Some(value)) => {
                let parts = self.parts(perspective);
                let parts: Vec<&Located> = parts.iter().collect();
                let mut writer = Writer::new(perspective, page, detail);
                writer.knockout = self.knockout_prefix();
                writer.member(0, (&key, self.key_place(value)), value, &parts);
            }
            Ok(None) => {
                let (what, kind) = if !self.answer.opaque.is_empty() {
                    ("not known", LineKind::Opaque)
                } else if self.answer.broken.is_empty() {
                    ("not found, a lookup of this key fails", LineKind::Error)
                } else {
                    // Puppet fails because of the file, not because of the key.
                    ("not in what can be read", LineKind::Error)
                };
                page.comment(&format!("{}: {what}", self.key), kind, None);
                self.write_hidden(perspective, page, detail);
            }
            Err(failure) => {
                let note = format!("{}: {}", self.key, without_result(failure));
                page.comment(&note, LineKind::Error, failure.place);
                let message = perspective.shown_failure(&failure.message);
                page.comment(&message, LineKind::Error, failure.place);
            }
        }
        self.write_cases(perspective, page, detail);
    }

    /// What the levels have although nothing is found: a higher one hides it.
    fn write_hidden(&self, perspective: &Perspective, page: &mut Page, detail: Detail) {
        let key = self.as_written();
        let mut writer = Writer::new(perspective, page, detail);
        for part in &self.parts(perspective) {
            writer.hidden_member((&key, part.place), part);
        }
    }

    /// Where the key is written that the value is under.
    fn key_place(&self, value: &Located) -> Option<Place> {
        let has_key = |source: &&Source| source.key_place().is_some();
        let is_winner = |source: &&Source| {
            value.place.is_some() && source.value().is_some_and(|it| it.place == value.place)
        };
        let mut sources = self.files().filter(has_key);
        // A merged value has no place of its own, so the first key that is a part of it is shown.
        let winner = sources.clone().find(is_winner).or_else(|| sources.next());
        winner.and_then(Source::key_place)
    }

    fn knockout_prefix(&self) -> Option<String> {
        let prefix = self.answer.merge.as_deref()?.option("knockout_prefix")?;
        prefix.as_str().filter(|it| !it.is_empty()).map(str::to_owned)
    }

    /// The values in the files, the highest first. They are interpolated if the lookup did so.
    fn parts(&self, perspective: &Perspective) -> Vec<Located> {
        // The default hierarchy is searched only if the ordinary levels find nothing, so its values come last.
        let has_ordinary = self.files().any(|source| !source.is_default);
        let (counting, others): (Vec<_>, Vec<_>) =
            self.files().partition(|source| source.is_default != has_ordinary);
        let part = |source: &Source| source.part.clone();
        let mut parts: Vec<Located> = counting.into_iter().chain(others).filter_map(part).collect();
        // The winner of a `first` is in the answer with everything interpolated and converted.
        if self.takes_first()
            && let (Ok(Some(value)), Some(first)) = (&self.answer.outcome, parts.first_mut())
        {
            *first = value.clone();
        }
        // The parts are taken before the conversion to `Sensitive`, so they are hidden here.
        if self.is_sensitive(perspective) {
            let secret =
                |it: Located| Located { place: it.place, value: Value::Sensitive(it.into()) };
            parts = parts.into_iter().map(secret).collect();
        }
        parts
    }

    /// Whether what the levels have becomes sensitive only in the answer.
    fn is_sensitive(&self, perspective: &Perspective) -> bool {
        match self.answer.merge.as_deref() {
            Some(merge) => merge.options.as_ref().is_some_and(AppliedOptions::makes_sensitive),
            None => perspective.makes_path_sensitive(&self.key),
        }
    }
}

/// The merge strategy of an answer and where it is set, where that matters: something sets it, or several files have the key.
pub(super) fn strategy_line(
    perspective: &Perspective,
    answer: &Answer,
    names_place: bool,
) -> Option<(String, Option<Place>)> {
    let files = answer.sources.iter().filter(|source| source.written.is_some());
    match &answer.merge {
        Some(merge) if merge.set_by != SetBy::Default => {
            let by = sources::set_by(perspective, merge).filter(|_| names_place);
            let by = by.map_or(String::new(), |by| format!(", set in {by}"));
            let place = merge.merge_options().and_then(sources::set_at);
            Some((format!("merge strategy {}{by}", merge.line()), place))
        }
        _ if files.count() > 1 => Some(("merge strategy first, by default".to_owned(), None)),
        _ => None,
    }
}

/// What it means that there is a failure instead of a value.
pub(super) fn without_result(failure: &Failure) -> &'static str {
    if failure.class.is_our_own() { "the result is not known" } else { "the lookup fails" }
}

/// The node that the answers are for, without markup.
pub(super) fn asked_for(perspective: &Perspective) -> String {
    perspective.asked_for().text()
}
