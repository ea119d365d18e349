//! Who had a say in an answer: every level that has the key, in order of priority, with the role it plays, and the merge
//! that decided. Noted by the walk that finds the answer; hovers, previews, lenses and rules render it.

use std::sync::Arc;

use super::cases::Case;
use super::hierarchy::{Location, ResolvedLevel};
use super::invocation::Invocation;
use super::layer::Layer;
use super::lookup_options::AppliedOptions;
use super::merge::{Merge, Strategy};
use super::request::Answer;
use crate::config::hiera_yaml::LayerKind;
use crate::data::{Hash, Located, Place, RootEntry, Value, inspect};
use crate::syntax::key_path::{KeyPath, Segment};

/// A level's location that has the key, or that may have it.
#[derive(Debug, Clone)]
pub struct Source {
    /// The hierarchy level's name.
    pub level: Arc<str>,
    /// Where hiera.yaml defines the level.
    pub level_place: Option<Place>,
    /// Its layer.
    pub layer: LayerKind,
    /// The module's name in the module layer.
    pub module: Option<Arc<str>>,
    /// Whether the level is one of a default hierarchy: evaluated only if nothing else has the key.
    pub is_default: bool,
    /// The file; for a function without one, the function's name.
    pub path: Arc<str>,
    /// What a file writes; `None` for what a function answers.
    pub written: Option<Written>,
    /// The value of the whole root key after interpolation, where the lookup got so far.
    pub interpolated: Option<Located>,
    /// What it does for the answer. `None` if it has the root key, but not the member that is asked for.
    pub role: Option<Role>,
}

/// A root key in a file, and what of it is asked for.
#[derive(Debug, Clone)]
pub struct Written {
    /// Where the root key is written.
    pub root_key_place: Place,
    /// The root key's value, not interpolated.
    pub root_value: Located,
    /// Where the key is written that the last segment names; `None` if it cannot be dug out here.
    pub key_place: Option<Place>,
    /// The value there.
    pub value: Option<Located>,
}

/// What a source does for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The answer is its value.
    Wins,
    /// Its value is part of a merged answer.
    Contributes,
    /// A higher source hides it.
    Overridden,
    /// A higher source takes out all that it gives.
    KnockedOut,
    /// What it says is not known: its back end is not evaluated here.
    Opaque,
    /// Only some nodes read it: whether this one does is not known.
    Open,
}

impl Role {
    /// Whether the source has any share in the answer.
    pub fn counts(self) -> bool {
        matches!(self, Self::Wins | Self::Contributes)
    }
}

impl Source {
    /// Where the key is written, or the root key if it cannot be dug out here.
    pub fn shown_place(&self) -> Option<Place> {
        let written = self.written.as_ref()?;
        Some(written.key_place.unwrap_or(written.root_key_place))
    }

    /// Where the key is written, if it can be dug out here.
    pub fn key_place(&self) -> Option<Place> {
        self.written.as_ref()?.key_place
    }

    /// The value as it is written, if it can be dug out here.
    pub fn value(&self) -> Option<&Located> {
        self.written.as_ref()?.value.as_ref()
    }

    fn is_same_place(&self, other: &Self) -> bool {
        let place = |it: &Self| it.written.as_ref().map(|it| it.root_key_place);
        self.path == other.path && self.is_same_level(other) && place(self) == place(other)
    }

    fn is_same_level(&self, other: &Self) -> bool {
        self.level_place == other.level_place && self.is_default == other.is_default
    }

    /// Whether the source has a share in the answer.
    pub fn counts(&self) -> bool {
        self.role.is_some_and(Role::counts)
    }
}

/// The merge of an answer, and who asked for it.
#[derive(Debug, Clone)]
pub struct UsedMerge {
    merge: Merge,
    /// The entry of lookup_options that applies to the key, whatever it says.
    pub options: Option<AppliedOptions>,
    /// Who asked for the merge.
    pub set_by: SetBy,
}

/// Who asks for a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// No file: the first value found is the answer.
    Default,
    /// The caller of `lookup()`.
    Argument,
    /// lookup_options.
    Options,
}

impl UsedMerge {
    /// The merge that an entry of lookup_options asks for; first found if it asks for none, or for one that Puppet does not
    /// know.
    pub fn of_options(options: Option<AppliedOptions>) -> Self {
        let written = options.as_ref().and_then(|it| it.options.value.as_hash()?.get("merge"));
        let merge = written.and_then(|it| Merge::of(Some(&it.value.value)).ok());
        let set_by = if merge.is_some() { SetBy::Options } else { SetBy::Default };
        Self { merge: merge.unwrap_or_else(Merge::first), options, set_by }
    }

    /// Whether hashes are merged at all depths, the highest priority winning.
    pub fn is_deep(&self) -> bool {
        matches!(self.merge.strategy(), Strategy::Deep | Strategy::UnconstrainedDeep)
    }

    /// Whether the first value found is the answer.
    pub fn is_first_found(&self) -> bool {
        self.merge.is_first_found()
    }

    /// The strategy's name: `first` by default.
    pub fn name(&self) -> &'static str {
        if self.is_first_found() { "first" } else { self.merge.name() }
    }

    /// The strategy as people read it, with its options: `deep (knockout_prefix: "--")`.
    pub fn line(&self) -> String {
        let Some(Value::Hash(options)) = self.merge.options_without_strategy() else {
            return self.name().to_owned();
        };
        let options = options.iter().map(|(key, member)| {
            format!("{}: {}", inspect::to_s(key), inspect::inspect(&member.value.value))
        });
        format!("{} ({})", self.name(), options.collect::<Vec<_>>().join(", "))
    }

    /// An option of the strategy that is set.
    pub fn option(&self, name: &str) -> Option<&Value> {
        self.merge.option(name).filter(|value| value.is_truthy())
    }

    /// What the key is converted to.
    pub fn convert_to(&self) -> Option<&Value> {
        self.options.as_ref()?.convert_to()
    }
}

impl AppliedOptions {
    /// What the key is converted to.
    pub fn convert_to(&self) -> Option<&Value> {
        let value = &self.options.value.as_hash()?.get("convert_to")?.value.value;
        value.is_truthy().then_some(value)
    }

    /// Whether the options make the value `Sensitive`.
    pub fn makes_sensitive(&self) -> bool {
        let names_it =
            |value: &Value| value.as_str().is_some_and(|name| name.starts_with("Sensitive"));
        self.convert_to().is_some_and(|conversion| match conversion {
            Value::Array(items) => items.first().is_some_and(|item| names_it(&item.value)),
            value => names_it(value),
        })
    }
}

/// Notes sources while a lookup runs.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    sources: Vec<Source>,
    merge: Option<UsedMerge>,
    is_default: bool,
    /// Whether the answer is found already, and only who else has the key is still looked for.
    pub(super) surveys: bool,
}

impl Recorder {
    /// What was noted about `key`, with roles as `result` tells.
    pub(super) fn finish(
        mut self,
        key: Option<&KeyPath>,
        result: Option<&Located>,
    ) -> (Vec<Source>, Option<UsedMerge>) {
        let rest = key.map_or(&[][..], |key| &key.rest);
        for source in &mut self.sources {
            if let Some(written) = &mut source.written {
                let dug = dig_written(&written.root_value, rest, written.root_key_place);
                written.key_place = dug.as_ref().map(|dug| dug.0);
                written.value = dug.map(|dug| dug.1);
            }
        }
        assign_roles(&mut self.sources, self.merge.as_ref(), result);
        (self.sources, self.merge)
    }
}

impl Invocation<'_> {
    /// Whether who had a say is noted.
    pub(super) fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    /// Whether the answer is found already.
    pub(super) fn surveys(&self) -> bool {
        self.recorder.as_ref().is_some_and(|it| it.surveys)
    }

    /// Runs `work` with nothing noted: what it finds is no source of the answer itself.
    pub(super) fn unrecorded<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let recorder = self.recorder.take();
        let result = work(self);
        self.recorder = recorder;
        result
    }

    /// Runs `work` to see which other levels have the key, if the request wants to know. What it finds or fails with does not count.
    pub(super) fn survey(&mut self, work: impl FnOnce(&mut Self)) {
        let Some(recorder) = &mut self.recorder else { return };
        let outer = std::mem::replace(&mut recorder.surveys, true);
        let tracer = self.take_tracer();
        let (opaque, warnings) = (self.opaque.len(), self.warnings.len());
        work(self);
        self.opaque.truncate(opaque);
        self.warnings.truncate(warnings);
        self.put_tracer_back(tracer);
        if let Some(recorder) = &mut self.recorder {
            recorder.surveys = outer;
        }
    }

    /// Runs `work` on a default hierarchy.
    pub(super) fn in_default_hierarchy<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        self.note_default(true);
        let result = work(self);
        self.note_default(false);
        result
    }

    fn note_default(&mut self, is_default: bool) {
        if let Some(recorder) = &mut self.recorder {
            recorder.is_default = is_default;
        }
    }

    /// Notes the merge of the lookup.
    pub(super) fn note_merge(
        &mut self,
        merge: &Merge,
        options: Option<AppliedOptions>,
        set_by: SetBy,
    ) {
        if let Some(recorder) = &mut self.recorder {
            recorder.merge = Some(UsedMerge { merge: merge.clone(), options, set_by });
        }
    }

    /// Notes an entry of a file that has the root key.
    pub(super) fn note_entry(
        &mut self,
        (layer, level, location): (&Layer, &ResolvedLevel, &Location),
        entry: &RootEntry,
    ) {
        let Some(recorder) = &mut self.recorder else { return };
        let written = Written {
            root_key_place: entry.key_place,
            root_value: entry.value.clone(),
            key_place: None,
            value: None,
        };
        let path = Arc::clone(&location.location);
        let source = source(recorder, layer, level, path);
        recorder.sources.push(Source { written: Some(written), ..source });
    }

    /// Notes what became of the entry that was noted last.
    pub(super) fn note_interpolated(&mut self, value: &Located) {
        if let Some(source) = self.recorder.as_mut().and_then(|it| it.sources.last_mut()) {
            source.interpolated = Some(value.clone());
        }
    }

    /// Notes what a function answered, or that its answer is not known (`None`).
    pub(super) fn note_function(
        &mut self,
        layer: &Layer,
        level: &ResolvedLevel,
        value: Option<&Located>,
    ) {
        let Some(recorder) = &mut self.recorder else { return };
        let source = source(recorder, layer, level, Arc::clone(&level.function.name));
        let role = value.is_none().then_some(Role::Opaque);
        recorder.sources.push(Source { interpolated: value.cloned(), role, ..source });
    }
}

fn source(recorder: &Recorder, layer: &Layer, level: &ResolvedLevel, path: Arc<str>) -> Source {
    Source {
        level: Arc::clone(&level.name),
        level_place: level.place,
        layer: layer.kind,
        module: layer.module.clone(),
        is_default: recorder.is_default,
        path,
        written: None,
        interpolated: None,
        role: None,
    }
}

/// Follows `segments` down a value as it is written. Gives the place of the last key, or of the list item.
pub fn dig_written(
    value: &Located,
    segments: &[Segment],
    key_place: Place,
) -> Option<(Place, Located)> {
    let (mut value, mut place) = (value.clone(), key_place);
    for segment in segments {
        let (next, next_place) = step(&value.value, segment)?;
        place = next_place.or(next.place).unwrap_or(place);
        value = next;
    }
    Some((place, value))
}

/// Digs `segments` out of a value; `None` if they are not there.
pub fn dig_value(value: &Located, segments: &[Segment]) -> Option<Located> {
    segments.iter().try_fold(value.clone(), |value, segment| Some(step(&value.value, segment)?.0))
}

fn step(value: &Value, segment: &Segment) -> Option<(Located, Option<Place>)> {
    match (value, segment) {
        (Value::Array(items), Segment::Index(index)) => {
            let item = items.get(usize::try_from(*index).ok()?)?;
            Some((item.clone(), item.place))
        }
        (Value::Hash(hash), segment) => {
            let member = match segment {
                Segment::Name(name) => hash.get(name),
                Segment::Index(index) => hash.get_value(&Value::Integer(*index)),
            }?;
            Some((member.value.clone(), member.key_place))
        }
        _ => None,
    }
}

/// Says what each source does for the answer. A default hierarchy counts only if nothing else has the key.
fn assign_roles(sources: &mut [Source], merge: Option<&UsedMerge>, result: Option<&Located>) {
    let is_first = merge.is_none_or(UsedMerge::is_first_found);
    let has_ordinary = sources.iter().any(|it| !it.is_default && it.role != Some(Role::Opaque));
    let counts =
        |source: &Source| source.is_default != has_ordinary && source.role != Some(Role::Opaque);
    let winner = result.and_then(|result| result.place);
    let is_winner = |source: &Source| {
        winner.is_some() && source.value().is_some_and(|value| value.place == winner)
    };
    let first = sources.iter().position(counts);
    let one_wins = sources.iter().any(|source| counts(source) && is_winner(source));
    let knockout = merge.and_then(|it| it.option("knockout_prefix"));
    let knockout = knockout.and_then(Value::as_str).filter(|it| !it.is_empty());
    let roles: Vec<Option<Role>> = sources
        .iter()
        .enumerate()
        .map(|(number, source)| {
            if source.role == Some(Role::Opaque) {
                return source.role;
            }
            if source.written.is_some() && source.value().is_none() {
                return None;
            }
            Some(if !counts(source) {
                Role::Overridden
            } else if is_first {
                if Some(number) == first { Role::Wins } else { Role::Overridden }
            } else if one_wins {
                if is_winner(source) { Role::Wins } else { Role::Overridden }
            } else if knockout.is_some_and(|prefix| is_knocked_out(source, prefix, result)) {
                Role::KnockedOut
            } else {
                Role::Contributes
            })
        })
        .collect();
    for (source, role) in sources.iter_mut().zip(roles) {
        source.role = role;
    }
}

/// Whether nothing of a source is in the answer, and the source takes nothing out itself.
fn is_knocked_out(source: &Source, prefix: &str, result: Option<&Located>) -> bool {
    let (Some(value), Some(result)) = (source.value(), result) else { return false };
    let Some(whole) = value.place else { return false };
    let is_from_here = |place: Option<Place>| {
        place.is_some_and(|it| it.file == whole.file && whole.range.contains_range(it.range))
    };
    let has_leaves = any_leaf(value, &|_| true);
    has_leaves
        && !any_leaf(result, &|leaf| is_from_here(leaf.place))
        && !any_leaf(value, &|leaf| leaf.value.as_str().is_some_and(|it| it.starts_with(prefix)))
}

/// Whether a value that is neither a list nor a hash fulfils a condition, at any depth.
fn any_leaf(value: &Located, is_wanted: &dyn Fn(&Located) -> bool) -> bool {
    let in_hash = |hash: &Hash| hash.iter().any(|(_, it)| any_leaf(&it.value, is_wanted));
    match &value.value {
        Value::Array(items) => items.iter().any(|item| any_leaf(item, is_wanted)),
        Value::Hash(hash) => in_hash(hash),
        _ => is_wanted(value),
    }
}

impl Answer {
    /// The sources of all cases in order of priority. One that is not in every case, or plays another role in each, is
    /// [`Role::Open`].
    pub fn sources_of_all_cases(&self) -> Vec<Source> {
        if self.cases.is_empty() {
            return self.sources.clone();
        }
        let mut all = self.sources.clone();
        for case in &self.cases {
            let mut at = 0;
            for source in &case.answer.sources {
                if let Some(there) = all.iter().position(|it| it.is_same_place(source)) {
                    at = at.max(there + 1);
                    if all[there].role != source.role {
                        all[there].role = Some(Role::Open);
                    }
                } else {
                    // Files that take each other's place in a level stand in the order of the cases.
                    let own = &case.answer.sources;
                    let is_instead = |it: &Source| {
                        it.is_same_level(source) && !own.iter().any(|own| own.is_same_place(it))
                    };
                    at += all[at..].iter().take_while(|it| is_instead(it)).count();
                    all.insert(at, Source { role: Some(Role::Open), ..source.clone() });
                    at += 1;
                }
            }
        }
        for source in &mut all {
            let is_in = |case: &Case| case.answer.sources.iter().any(|it| it.is_same_place(source));
            if !self.cases.iter().all(is_in) {
                source.role = Some(Role::Open);
            }
        }
        all
    }
}
