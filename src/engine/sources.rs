//! The sources of an answer: every level that has the key, in order of priority, with its role, and the merge that was used.
//! The lookup records them while it runs; hovers, previews, lenses and rules show them.

use std::collections::HashSet;
use std::sync::Arc;

use super::convert_to;
use super::failure::Failure;
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
    /// Whether the level belongs to a default hierarchy, which is evaluated only if nothing else has the key.
    pub is_default: bool,
    /// The file; for a function without one, the function's name.
    pub path: Arc<str>,
    /// What is written in a file; `None` for the result of a function.
    pub written: Option<Written>,
    /// The value of the whole root key after interpolation, if the lookup got that far.
    pub interpolated: Option<Located>,
    /// The requested part of that value, or else of what is written. In merged lists, it is what became the requested item.
    pub part: Option<Located>,
    /// Its role in the answer. `None` if it has the root key but not the requested part.
    pub role: Option<Role>,
}

/// A root key in a file, and the requested part of it.
#[derive(Debug, Clone)]
pub struct Written {
    /// Where the root key is written.
    pub root_key_place: Place,
    /// The root key's value, not interpolated.
    pub root_value: Located,
    /// Where the key of the last segment is written, or an alias above it; `None` if it cannot be dug out here.
    pub key_place: Option<Place>,
    /// The value there, not interpolated.
    pub value: Option<Located>,
}

/// The role of a source in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The answer is its value.
    Wins,
    /// Its value is part of a merged answer.
    Contributes,
    /// A higher source hides it.
    Overridden,
    /// A higher source removes everything that it contributes.
    KnockedOut,
    /// Its value is not known, because its back end is not evaluated here.
    Opaque,
    /// Only some nodes read it; it is not known whether this one does.
    Open,
}

impl Role {
    /// Whether the source has any part in the answer.
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

    /// Whether both are the same entry of a file, or the same function in one level.
    fn is_same_place(&self, other: &Self) -> bool {
        match (&self.written, &other.written) {
            (Some(one), Some(other)) => one.root_key_place == other.root_key_place,
            (None, None) => self.path == other.path && self.is_same_level(other),
            _ => false,
        }
    }

    fn is_same_level(&self, other: &Self) -> bool {
        self.level_place == other.level_place && self.is_default == other.is_default
    }

    /// Whether the source has a part in the answer.
    pub fn counts(&self) -> bool {
        self.role.is_some_and(Role::counts)
    }
}

/// The merge of an answer, and what requested it.
#[derive(Debug, Clone)]
pub struct UsedMerge {
    merge: Merge,
    /// The entry of lookup_options that applies to the key, whatever it contains.
    pub options: Option<AppliedOptions>,
    /// What requested the merge.
    pub set_by: SetBy,
    /// The options of the default hierarchy that set the merge, if the value comes from there.
    in_default: Option<AppliedOptions>,
}

/// What requests a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetBy {
    /// Nothing: the lookup returns the first value found.
    Default,
    /// The caller of `lookup()`.
    Argument,
    /// lookup_options.
    Options,
}

impl UsedMerge {
    /// The merge that an entry of lookup_options requests; first found if it requests none, or one that Puppet does not know.
    pub fn of_options(options: Option<AppliedOptions>) -> Self {
        let written = options.as_ref().and_then(|it| it.options.value.as_hash()?.get("merge"));
        let merge = written.and_then(|it| Merge::of(Some(&it.value.value)).ok());
        let set_by = if merge.is_some() { SetBy::Options } else { SetBy::Default };
        Self { merge: merge.unwrap_or_else(Merge::first), options, in_default: None, set_by }
    }

    /// The options that set the merge, if options do.
    pub fn merge_options(&self) -> Option<&AppliedOptions> {
        let options = self.in_default.as_ref().or(self.options.as_ref());
        options.filter(|_| self.set_by == SetBy::Options)
    }

    /// Whether hashes are merged at all depths and the highest priority wins.
    pub fn is_deep(&self) -> bool {
        matches!(self.merge.strategy(), Strategy::Deep | Strategy::UnconstrainedDeep)
    }

    /// Whether the lookup returns the first value found.
    pub fn is_first_found(&self) -> bool {
        self.merge.is_first_found()
    }

    /// The strategy's name: `first` by default.
    pub fn name(&self) -> &'static str {
        if self.is_first_found() { "first" } else { self.merge.name() }
    }

    /// The strategy for users, with its options: `deep (knockout_prefix: "--")`.
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

    /// The type that the key is converted to.
    pub fn convert_to(&self) -> Option<&Value> {
        self.options.as_ref()?.convert_to()
    }
}

impl AppliedOptions {
    /// The type that the key is converted to.
    pub fn convert_to(&self) -> Option<&Value> {
        let value = &self.options.value.as_hash()?.get("convert_to")?.value.value;
        value.is_truthy().then_some(value)
    }

    /// Whether the options make the value `Sensitive`.
    pub fn makes_sensitive(&self) -> bool {
        self.convert_to().is_some_and(convert_to::makes_sensitive)
    }
}

/// Records sources while a lookup runs.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    sources: Vec<Source>,
    merge: Option<UsedMerge>,
    is_default: bool,
    /// Whether the value has been found, and only other levels that have the key are still searched for.
    pub(super) surveys: bool,
    /// The value of the root key that was found.
    found: Option<Located>,
}

impl Recorder {
    /// The records about `key`, with roles according to what was found, or to where the lookup failed.
    pub(super) fn finish(
        mut self,
        key: Option<&KeyPath>,
        failure: Option<&Failure>,
    ) -> (Vec<Source>, Option<UsedMerge>) {
        each_place_once(&mut self.sources);
        let rest = key.map_or(&[][..], |key| &key.rest);
        let is_merged = self.merge.as_ref().is_some_and(|it| !it.is_first_found());
        let merged = self.found.as_ref().filter(|_| is_merged);
        for source in &mut self.sources {
            source.dig(rest, merged);
        }
        let found = self.found.as_ref().and_then(|root| dig_value(root, rest));
        let failed_at = failure.and_then(|it| it.place);
        assign_roles(&mut self.sources, self.merge.as_ref(), found.as_ref(), failed_at);
        (self.sources, self.merge)
    }
}

impl Source {
    /// Digs out the requested part. An item of a merged list may have another index in the list of the source.
    fn dig(&mut self, segments: &[Segment], merged: Option<&Located>) {
        let root = self.interpolated.as_ref().or(self.written.as_ref().map(|it| &it.root_value));
        let Some(mut part) = root.cloned() else { return };
        let mut written =
            self.written.as_ref().map(|it| (it.root_key_place, it.root_value.clone()));
        let mut is_above = false;
        let mut merged = merged.cloned();
        for segment in segments {
            merged = merged.and_then(|it| Some(step(&it.value, segment)?.0));
            let index = match (&part.value, segment, &merged) {
                (Value::Array(items), Segment::Index(_), Some(merged)) => {
                    let places = places_in(merged);
                    let Some(at) = items.iter().position(|it| has_one(it, &places)) else { return };
                    Some(Segment::Index(i64::try_from(at).unwrap_or(i64::MAX)))
                }
                _ => None,
            };
            let segment = index.as_ref().unwrap_or(segment);
            let Some((next, _)) = step(&part.value, segment) else { return };
            part = next;
            // What is below an alias is written in another place.
            if let Some((place, value)) = written.as_mut().filter(|_| !is_above) {
                match step(&value.value, segment) {
                    Some((next, next_place)) => {
                        *place = next_place.or(next.place).unwrap_or(*place);
                        *value = next;
                    }
                    None => is_above = true,
                }
            }
        }
        self.part = Some(part);
        if let (Some(own), Some((place, value))) = (&mut self.written, written) {
            own.key_place = Some(place);
            own.value = Some(value);
        }
    }
}

impl Invocation<'_> {
    /// Whether sources are recorded.
    pub(super) fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    /// Whether the value has been found.
    pub(super) fn surveys(&self) -> bool {
        self.recorder.as_ref().is_some_and(|it| it.surveys)
    }

    /// Runs `work` without recording: what it finds is not a source of the answer itself.
    pub(super) fn unrecorded<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let recorder = self.recorder.take();
        let result = work(self);
        self.recorder = recorder;
        result
    }

    /// Runs `work` to find which other levels have the key, if the request needs them. Its result and its errors are ignored.
    pub(super) fn survey(&mut self, work: impl FnOnce(&mut Self)) {
        let Some(recorder) = &mut self.recorder else { return };
        let outer = std::mem::replace(&mut recorder.surveys, true);
        let tracer = self.take_tracer();
        // Puppet does not reach the levels of a survey, so it does not warn about them either.
        let (opaque, warnings) = (self.notes.opaque.len(), self.notes.warnings.len());
        self.without_nested_values(work);
        self.notes.opaque.truncate(opaque);
        self.notes.warnings.truncate(warnings);
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

    /// Records the merge of the lookup.
    pub(super) fn note_merge(
        &mut self,
        merge: &Merge,
        options: Option<AppliedOptions>,
        set_by: SetBy,
    ) {
        if let Some(recorder) = &mut self.recorder {
            recorder.merge =
                Some(UsedMerge { merge: merge.clone(), options, in_default: None, set_by });
        }
    }

    /// Records the merge of the default hierarchy from which the value comes. That of the lookup has no effect there.
    pub(super) fn note_default_merge(&mut self, merge: &Merge, options: Option<AppliedOptions>) {
        let surveys = self.surveys();
        let Some(used) = self.recorder.as_mut().and_then(|it| it.merge.as_mut()) else { return };
        if !surveys {
            used.merge = merge.clone();
            used.set_by = if options.is_some() { SetBy::Options } else { SetBy::Default };
            used.in_default = options;
        }
    }

    /// Records the value of the root key that was found.
    pub(super) fn note_found(&mut self, found: Option<&Located>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.found = found.cloned();
        }
    }

    /// Records an entry of a file that has the root key.
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
        let path = Arc::clone(&location.file);
        let source = source(recorder, layer, level, path);
        recorder.sources.push(Source { written: Some(written), ..source });
    }

    /// Records the interpolated value of the last entry.
    pub(super) fn note_interpolated(&mut self, value: &Located) {
        // Lookups inside the text are not recorded, so the last source still is this entry.
        if let Some(source) = self.recorder.as_mut().and_then(|it| it.sources.last_mut()) {
            source.interpolated = Some(value.clone());
        }
    }

    /// Records the result of a function, or that it is not known (`None`).
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
        part: None,
        role: None,
    }
}

/// Follows `segments` down a value as written. Returns the position of the last key, or of the list item.
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

/// Digs `segments` out of a value; `None` if they do not exist.
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

/// Sets the role of each source. A default hierarchy matters only if nothing else has the key.
fn assign_roles(
    sources: &mut [Source],
    merge: Option<&UsedMerge>,
    found: Option<&Located>,
    failed_at: Option<Place>,
) {
    let is_first = merge.is_none_or(UsedMerge::is_first_found);
    // A level that has the root key without the member that is looked up leads to the default hierarchy.
    let has_member = |it: &Source| it.written.is_none() || it.part.is_some();
    let is_ordinary = |it: &Source| !it.is_default && it.role != Some(Role::Opaque);
    let has_ordinary = sources.iter().any(|it| is_ordinary(it) && has_member(it));
    let counts =
        // If an ordinary source has the key, only ordinary sources count. Otherwise only those of the default hierarchy do.
        |source: &Source| source.is_default != has_ordinary && source.role != Some(Role::Opaque);
    // A value that is merged from several files has no place.
    let winner = found.and_then(|found| found.place);
    let is_winner = |source: &Source| {
        winner.is_some() && source.part.as_ref().is_some_and(|part| part.place == winner)
    };
    let failed_at: HashSet<Place> = failed_at.into_iter().collect();
    let fails = |source: &Source| {
        source.interpolated.as_ref().is_some_and(|root| has_one(root, &failed_at))
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
            if source.written.is_some() && source.part.is_none() {
                // The lookup digs into this value and fails.
                let role = if is_first { Role::Wins } else { Role::Contributes };
                return fails(source).then_some(role);
            }
            Some(if !counts(source) {
                Role::Overridden
            } else if is_first {
                if Some(number) == first { Role::Wins } else { Role::Overridden }
            } else if one_wins {
                if is_winner(source) { Role::Wins } else { Role::Overridden }
            } else if knockout.is_some_and(|prefix| is_knocked_out(source, prefix, found)) {
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

/// Whether the answer contains nothing of a source, and the source itself knocks nothing out.
fn is_knocked_out(source: &Source, prefix: &str, found: Option<&Located>) -> bool {
    let (Some(part), Some(found)) = (&source.part, found) else { return false };
    let places = places_in(part);
    let is_from_here = |leaf: &Located| leaf.place.is_some_and(|it| places.contains(&it));
    let has_leaves = any_leaf(part, &|_| true);
    has_leaves
        && !places.is_empty()
        && !any_leaf(found, &is_from_here)
        && !any_leaf(part, &|leaf| leaf.value.as_str().is_some_and(|it| it.starts_with(prefix)))
}

/// The places of a value and of all values in it.
fn places_in(value: &Located) -> HashSet<Place> {
    let mut places = HashSet::new();
    each_value(value, &mut |it| places.extend(it.place));
    places
}

/// Whether a value or a value in it has one of these places.
fn has_one(value: &Located, places: &HashSet<Place>) -> bool {
    let mut has_one = false;
    each_value(value, &mut |it| has_one |= it.place.is_some_and(|it| places.contains(&it)));
    has_one
}

fn each_value(value: &Located, visit: &mut dyn FnMut(&Located)) {
    visit(value);
    match &value.value {
        Value::Array(items) => items.iter().for_each(|it| each_value(it, visit)),
        Value::Hash(hash) => hash.iter().for_each(|(_, it)| each_value(&it.value, visit)),
        _ => {}
    }
}

/// Whether some leaf (neither a list nor a hash), at any depth, meets a condition.
fn any_leaf(value: &Located, is_wanted: &dyn Fn(&Located) -> bool) -> bool {
    let in_hash = |hash: &Hash| hash.iter().any(|(_, it)| any_leaf(&it.value, is_wanted));
    match &value.value {
        Value::Array(items) => items.iter().any(|item| any_leaf(item, is_wanted)),
        Value::Hash(hash) => in_hash(hash),
        _ => is_wanted(value),
    }
}

impl Answer {
    /// Whether two sources are files of one level, and no node of the cases reads both.
    pub fn are_alternatives(&self, one: &Source, other: &Source) -> bool {
        let is_in =
            |answer: &Self, source| answer.sources.iter().any(|it| it.is_same_place(source));
        let reads_both = |answer: &Self| is_in(answer, one) && is_in(answer, other);
        one.is_same_level(other) && !self.each_case().iter().any(|(_, it)| reads_both(it))
    }

    /// The sources of all cases in order of priority, each place once. A source that is not in every case, or has different
    /// roles, is [`Role::Open`].
    pub fn sources_of_all_cases(&self) -> Vec<Source> {
        if self.cases.is_empty() {
            return self.sources.clone();
        }
        let mut all = self.sources.clone();
        for case in &self.cases {
            // A source is inserted after those that precede it in its own case, so the list keeps the priorities of every case.
            let mut at = 0;
            for source in &case.answer.sources {
                let is_there = |it: &Source| it.is_same_place(source) && it.is_same_level(source);
                if let Some(there) = all.iter().position(is_there) {
                    at = at.max(there + 1);
                } else {
                    // Files that are alternatives in a level keep the order of the cases.
                    let own = &case.answer.sources;
                    let is_instead = |it: &Source| {
                        it.is_same_level(source) && !own.iter().any(|own| own.is_same_place(it))
                    };
                    at += all[at..].iter().take_while(|it| is_instead(it)).count();
                    all.insert(at, source.clone());
                    at += 1;
                }
            }
        }
        // Different nodes may read a file in different levels.
        each_place_once(&mut all);
        for source in &mut all {
            let is_same = |it: &Source| it.is_same_place(source) && it.role == source.role;
            if !self.cases.iter().all(|case| case.answer.sources.iter().any(is_same)) {
                source.role = Some(Role::Open);
            }
        }
        all
    }
}

/// Keeps each place only in the highest level that leads to it, so that no file overrides itself.
fn each_place_once(sources: &mut Vec<Source>) {
    if sources.len() > 1 {
        let mut seen = HashSet::new();
        sources.retain(|it| it.written.as_ref().is_none_or(|it| seen.insert(it.root_key_place)));
    }
}
