//! Answers while the user types inside one text. The lookups run once, with [`TYPED_TOKEN`] in the place of what is typed, and each
//! further text is put into their answers. So a keystroke costs no lookups, unless the text matters for something else than for
//! the texts that contain it.
//!
//! It is used for nodes without fact sets. A lookup for one of these takes many runs, and each of them interpolates the texts
//! around the one that is typed again.

use std::collections::HashMap;
use std::ops::Range;
#[cfg(test)]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::affected::edited_roots;
use super::earlier_answers::{Question, question};
use super::groups::{Answered, OpenAnswers, Side};
use super::{Distinct, Fleet, FleetPair, KeptAnswer as _, SharedAnswer};
use crate::data::{Files as _, Format, Located, Value};
use crate::engine::{Answer, EditedEntries, Request, TYPED_TOKEN, WithNames};
use crate::syntax::interpolation;
use crate::world::parallel;

/// The maximum number of cases in all answers that are kept. Each takes some 100 bytes and what its value does not share.
const MAX_CASES: usize = 1 << 16;

/// A longer text is not left open.
const MAX_BYTES: usize = 4_096;

/// What encrypted texts begin with. Such a text is not interpolated as others are.
const ENCRYPTED: &str = "ENC[";

/// The text that is being typed, on the earlier side of the comparisons.
#[derive(Default)]
pub(super) struct KeptTyping {
    last: Mutex<Option<Arc<Typing>>>,
    /// How many questions were answered without lookups.
    #[cfg(test)]
    answered: AtomicUsize,
}

/// Lookups with the text left open.
struct Typing {
    edited: EditedEntries,
    /// The text of the file, with a token in the place of the text.
    with_token: String,
    /// The nodes, in the snapshot with that file; `None` if the file cannot be read like this.
    fleet: Option<Fleet>,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    questions: HashMap<Question, State>,
    /// The number of cases in all answers.
    cases: usize,
}

/// What is known of a question.
#[derive(Clone)]
enum State {
    /// It was asked once. If that was the only time, it would not pay to keep the answers.
    Asked,
    /// The answers depend on the text, or there are too many.
    Decided,
    Known(Arc<Open>),
}

/// The answers of some nodes.
struct Open {
    nodes: Vec<u32>,
    /// Those that are the same for every text.
    same: Vec<SharedAnswer>,
    /// Those that contain the text, or names.
    with_names: Vec<(Arc<WithNames>, Vec<u32>)>,
}

/// A text that is being typed.
pub(super) struct TypedText {
    /// The string that contains it, with a token in its place.
    string: String,
    /// The text of the file with this string.
    with_token: String,
    /// What is typed.
    text: String,
}

impl FleetPair {
    /// The later answers of some nodes, without a lookup; `None` if they are not known.
    pub(super) fn answers_with_typed_text(
        &self,
        request: &Request,
        nodes: &[u32],
        edited: &EditedEntries,
    ) -> Option<Vec<SharedAnswer>> {
        let all = self.after().nodes();
        if nodes.is_empty() || nodes.iter().any(|it| all[*it as usize].is_complete()) {
            return None;
        }
        let question = question(request)?;
        let typed = self.typed.get_or_init(|| self.typed_text(edited)).as_ref()?;
        let open = self.typing(edited, typed).answers(question, request, nodes)?;
        let answers = open.with_text(self.after(), &typed.text);
        #[cfg(test)]
        self.before().typing.answered.fetch_add(usize::from(answers.is_some()), Ordering::Relaxed);
        answers
    }

    /// The lookups for a text, which are kept while it is typed.
    fn typing(&self, edited: &EditedEntries, typed: &TypedText) -> Arc<Typing> {
        let mut kept = self.before().typing.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |it: &&Arc<Typing>| {
            let is_same_text = it.edited == *edited && it.with_token == typed.with_token;
            is_same_text && it.fleet.as_ref().is_none_or(|it| it.serves(self.after()))
        };
        if let Some(known) = kept.as_ref().filter(is_it) {
            return Arc::clone(known);
        }
        let typing = Arc::new(Typing {
            edited: edited.clone(),
            with_token: typed.with_token.clone(),
            fleet: self.fleet_with_token(edited, typed),
            kept: Mutex::default(),
        });
        *kept = Some(Arc::clone(&typing));
        typing
    }

    /// The nodes in a snapshot with the token; `None` if that changes anything but the text in its place.
    fn fleet_with_token(&self, edited: &EditedEntries, typed: &TypedText) -> Option<Fleet> {
        let (file, root) = edited.only()?;
        let world = self.after().world();
        let path = world.path(file);
        let format = self.format_of(&path)?;
        let other = world.as_if(&[(Arc::clone(&path), typed.with_token.as_str().into())]);
        let (now, then) = (world.data(&path, format).ok()?, other.data(&path, format).ok()?);
        let are_others_the_same = edited_roots(&now, &then).iter().eq([root]);
        let (_, string) = different_text(&now.get(root)?.value.value, &then.get(root)?.value)?;
        let is_as_wanted = are_others_the_same
            && now.is_broken() == then.is_broken()
            && string.value.as_str() == Some(&typed.string);
        is_as_wanted.then(|| self.after().with_other_values(&other))
    }

    fn format_of(&self, path: &str) -> Option<Format> {
        self.after().world().reach(self.after().environment()).format_of(path)
    }

    /// What is being typed, if the edit is inside one text of one entry.
    fn typed_text(&self, edited: &EditedEntries) -> Option<TypedText> {
        let (file, root) = edited.only()?;
        let (before, after) = (self.before().world(), self.after().world());
        let path = after.path(file);
        let format = self.format_of(&path).filter(|it| *it != Format::Hocon)?;
        let (before, now) = (before.data(&path, format).ok()?, after.data(&path, format).ok()?);
        let (old, new) = different_text(&before.get(root)?.value.value, &now.get(root)?.value)?;
        let range: Range<usize> = new.place.filter(|it| it.file == file)?.range.into();
        let new = new.value.as_str()?;
        let typed = typed_part(old, new)?;
        let string = [&new[..typed.start], TYPED_TOKEN, &new[typed.end..]].concat();
        // Otherwise, the token would be a part of another one.
        if interpolation::tokens(&string).len() != interpolation::tokens(new).len() + 1 {
            return None;
        }
        // A string of JSON is one of YAML, too.
        let written = serde_json::to_string(&string).ok()?;
        let text = &after.file(&path).ok()?.text;
        let with_token = [text.get(..range.start)?, &written, text.get(range.end..)?].concat();
        Some(TypedText { string, with_token, text: new[typed].to_owned() })
    }
}

#[cfg(test)]
impl KeptTyping {
    /// How many questions were answered without lookups.
    pub(super) fn count_answered(&self) -> usize {
        self.answered.load(Ordering::Relaxed)
    }
}

impl Fleet {
    /// Whether its lookups are those of `after`, except for the text.
    fn serves(&self, after: &Self) -> bool {
        Arc::ptr_eq(self.nodes(), after.nodes())
            && self.environment() == after.environment()
            && self.readings.reads_broken_files == after.readings.reads_broken_files
            && self.world().has_same_disk(after.world())
    }
}

impl Typing {
    /// The answers to a question, from its second time on.
    fn answers(&self, question: Question, request: &Request, nodes: &[u32]) -> Option<Arc<Open>> {
        let fleet = self.fleet.as_ref()?;
        {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            match kept.questions.get(&question) {
                None => {
                    kept.questions.insert(question, State::Asked);
                    return None;
                }
                Some(State::Decided) => return None,
                Some(State::Known(open)) if open.nodes == nodes => return Some(Arc::clone(open)),
                Some(State::Asked | State::Known(_)) => {}
            }
        }
        let found = Open::of(fleet, request, nodes).map(Arc::new);
        if request.cancel.is_cancelled() {
            return None;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let count = found.as_ref().map_or(0, |it| it.cases());
        let is_too_much = kept.cases + count > MAX_CASES;
        let found = found.filter(|_| !is_too_much);
        let state = found.clone().map_or(State::Decided, State::Known);
        let earlier = kept.questions.insert(question, state);
        kept.cases += if found.is_some() { count } else { 0 };
        if let Some(State::Known(earlier)) = earlier {
            kept.cases -= earlier.cases();
        }
        found
    }
}

impl Open {
    fn of(fleet: &Fleet, request: &Request, nodes: &[u32]) -> Option<Self> {
        let open = OpenAnswers::default();
        let Answered { answers: same, .. } =
            fleet.answers_among(request, nodes, Side::Typed(&open));
        Some(Self { nodes: nodes.to_vec(), same, with_names: open.into_answers()? })
    }

    fn cases(&self) -> usize {
        let cases = |answer: &Answer| answer.cases.len().max(1);
        let same = self.same.iter().map(|it| cases(&it.answer));
        same.chain(self.with_names.iter().map(|(answer, _)| answer.count_cases())).sum()
    }

    /// The answers with a text; `None` if it would make two cases of an answer one.
    fn with_text(&self, after: &Fleet, text: &str) -> Option<Vec<SharedAnswer>> {
        let nodes = after.nodes();
        let typed = parallel::map(&self.with_names, |(answer, _)| answer.with_typed(text));
        let typed = typed.into_iter().collect::<Option<Vec<_>>>()?;
        let each: Vec<(&WithNames, &[u32])> = { typed.iter().zip(&self.with_names) }
            .flat_map(|(answer, (_, nodes))| {
                let at_once = if answer.has_names() { 1 } else { nodes.len() };
                nodes.chunks(at_once).map(move |it| (answer, it))
            })
            .collect();
        // The numbers are computed here as well, because the processors share this work.
        let put = |(answer, group): &(&WithNames, &[u32])| {
            let answer = Arc::new(answer.of(&nodes[group[0] as usize])?);
            Some((answer.number(), SharedAnswer { answer, nodes: group.to_vec() }))
        };
        let with_text = parallel::map(&each, put).into_iter().collect::<Option<Vec<_>>>()?;
        let same = self.same.iter().map(|it| (it.answer.number(), it.clone()));
        let mut distinct = Distinct::default();
        let mut numbered = Vec::new();
        for (number, SharedAnswer { answer, nodes }) in same.chain(with_text) {
            let at = distinct.add(number, nodes[0], answer);
            numbered.push(SharedAnswer { answer: at, nodes });
        }
        Some(distinct.of_nodes(numbered))
    }
}

/// The only string of a value that was another one before, with its earlier text; `None` if there are several, or if anything
/// else differs.
fn different_text<'v>(before: &'v Value, now: &'v Located) -> Option<(&'v str, &'v Located)> {
    let mut different = Vec::new();
    add_different_texts(before, now, &mut different).then_some(())?;
    different.pop()
}

/// Returns whether at most one string differs, and nothing else.
fn add_different_texts<'v>(
    before: &'v Value,
    now: &'v Located,
    different: &mut Vec<(&'v str, &'v Located)>,
) -> bool {
    match (before, &now.value) {
        (Value::String(old), Value::String(new)) => {
            if old != new {
                different.push((old, now));
            }
            different.len() <= 1
        }
        (Value::Array(old), Value::Array(new)) => {
            let mut items = old.iter().zip(new.iter());
            old.len() == new.len()
                && items.all(|(old, new)| add_different_texts(&old.value, new, different))
        }
        (Value::Hash(old), Value::Hash(new)) => {
            let mut members = old.iter().zip(new.iter());
            old.len() == new.len()
                && members.all(|((old_key, old), (key, new))| {
                    old_key == key && add_different_texts(&old.value.value, &new.value, different)
                })
        }
        (old, new) => old == new,
    }
}

/// The part of a string that is being typed: what is between two tokens, if nothing else differs. `None` if it matters as what
/// it is: a text that begins a token, is encrypted, or is not there at all.
fn typed_part(old: &str, new: &str) -> Option<Range<usize>> {
    let (old_parts, new_parts) = (parts(old), parts(new));
    if old_parts.len() != new_parts.len() {
        return None;
    }
    let mut different = None;
    for (at, (one, other)) in old_parts.into_iter().zip(new_parts).enumerate() {
        if old[one] == new[other.clone()] {
            continue;
        }
        // Every second part is a token.
        if at % 2 == 1 || different.is_some() {
            return None;
        }
        different = Some(other);
    }
    let part = different?;
    let text = &new[part.clone()];
    let is_usual = !text.is_empty() && text.len() <= MAX_BYTES && !text.contains('%');
    (is_usual && !new.contains(ENCRYPTED) && !old.contains(ENCRYPTED)).then_some(part)
}

/// The texts between the tokens of a string, and the tokens, in turn.
fn parts(string: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut done = 0;
    for token in interpolation::tokens(string) {
        let range: Range<usize> = token.range.into();
        parts.push(done..range.start);
        done = range.end;
        parts.push(range);
    }
    parts.push(done..string.len());
    parts
}
