//! The values that class parameters get from the keys of one file, for the rules about types.
//!
//! Most values fit their types as they are written, also after a merge, and that needs no lookup. Only for the others, the
//! engine looks up the final value of the parameter.

use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, btree_map};
use std::sync::Arc;

use crate::binding::{Binder, Binding, Bound, BoundCase, ParameterType, Unsure, Verdict};
use crate::code::ClassCode;
use crate::data::puppet_type::{self, Misfit, Part, Type, TypeAliases};
use crate::data::{DataFile, Files as _, Located, Place, RootEntry, Value, render};
use crate::engine::merge::Merge;
use crate::engine::{Answer, AppliedOptions, CancelToken, Condition, Evaluator, Request};
use crate::ide::changes::on_one_line;
use crate::ide::code::given::may_be_given;
use crate::ide::diagnostics::shared::declared_classes::{DeclaredClasses, class_and_parameter};
use crate::ide::diagnostics::shared::failing_nodes::{UNLESS_ANOTHER_LEVEL, failing_nodes_of};
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::ide::diagnostics::shared::text_lookup::{
    looks_up_keys_elsewhere, looks_up_missing_keys,
};
use crate::ide::diagnostics::{Related, Report, Rule, Severity};
use crate::ide::perspective::Perspective;
use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextRange;
use crate::world::node_classes::ParameterFleets;
use crate::world::{FleetClasses, World};

/// Checks the keys of the file at `path`.
pub(crate) struct BoundValues<'a> {
    pub(crate) perspective: &'a Perspective,
    path: &'a str,
    in_catalogs: OnceCell<Arc<Evaluator>>,
    aliases: OnceCell<Arc<TypeAliases>>,
    /// The nodes with fact sets, and their classes.
    fleets: OnceCell<(Arc<FleetClasses>, ParameterFleets)>,
}

/// A parameter that Puppet refuses in some case, and the key of the file that may be the cause.
pub(crate) struct RefusedParameter<'a> {
    pub(crate) data: &'a DataFile,
    pub(crate) entry: &'a RootEntry,
    pub(crate) key: &'a str,
    pub(crate) class: ClassCode,
    pub(crate) wanted: ParameterType,
    pub(crate) parts: Vec<RefusedPart>,
}

/// A part of the value that comes from the file and does not fit.
pub(crate) struct RefusedPart {
    /// The whole value that the parameter gets.
    pub(crate) value: Located,
    pub(crate) misfit: Misfit,
    /// The place of the part in the file; the key if the place is not known.
    pub(crate) range: TextRange,
    /// Puppet's message, with several lines if several things do not fit.
    pub(crate) words: String,
    /// The cases of the binding in which the part does not fit.
    cases: Vec<usize>,
    /// The affected nodes, in words.
    pub(crate) nodes: String,
    /// The answers for nodes with fact sets whose catalogs certainly fail, by their numbers.
    certain: Vec<usize>,
    /// The lookup options that convert the value.
    pub(crate) conversion: Option<CausingOptions>,
    /// The lookup options that merge the value, and the name of the merge.
    pub(crate) merge: Option<(CausingOptions, &'static str)>,
    /// The lookup options that apply.
    pub(crate) options: Option<AppliedOptions>,
}

/// Lookup options that make a value other than it is written.
#[derive(Clone)]
pub(crate) struct CausingOptions {
    /// The entry of lookup_options.
    pub(crate) entry: Arc<str>,
    pub(crate) place: Option<Related>,
}

/// What is known about places in the file while the parts of one value are found: a value can have thousands.
struct Places<'p> {
    /// Whether a text looks up keys that may be stored elsewhere, as secrets often are.
    reads_elsewhere: &'p dyn Fn(&str) -> bool,
    /// The numbers of the parts by their places.
    parts: HashMap<TextRange, usize>,
    /// Whether nothing at a place looks up keys that may be stored elsewhere.
    whole: HashMap<TextRange, bool>,
}

impl<'p> Places<'p> {
    fn new(reads_elsewhere: &'p dyn Fn(&str) -> bool, parts: HashMap<TextRange, usize>) -> Self {
        Self { reads_elsewhere, parts, whole: HashMap::new() }
    }
}

impl<'a> BoundValues<'a> {
    pub(crate) fn new(perspective: &'a Perspective, path: &'a str) -> Self {
        let (in_catalogs, aliases, fleets) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { perspective, path, in_catalogs, aliases, fleets }
    }

    /// What is wrong with the parameter that a root key of the file sets; `None` if nothing is wrong, or if the key does
    /// not set a parameter.
    pub(crate) fn refused<'k>(
        &self,
        (known, classes): (&KnownKeys<'_>, &DeclaredClasses<'_>),
        data: &'k DataFile,
        (key, entry): (&'k str, &'k RootEntry),
    ) -> Option<RefusedParameter<'k>> {
        let (class, wanted) = self.wanted(classes, key)?;
        let (_, name) = class_and_parameter(key)?;
        let parameter = class.parameter(name)?;
        if is_half_read(data, entry) {
            return None;
        }
        // Most values fit as they are written, and then the parameter need not be looked up.
        if self.fits_as_written(key, entry, &wanted, parameter.default.is_some()) {
            return None;
        }
        let cancel = CancelToken::default();
        let evaluator = self.in_catalogs.get_or_init(|| self.perspective.in_catalogs());
        let binder = Binder { evaluator, aliases: self.aliases(), cancel: &cancel };
        let binding = binder.bind(&class, parameter);
        let mut refused = RefusedParameter { data, entry, key, class, wanted, parts: Vec::new() };
        // If not all nodes here have the key, the data may be stored elsewhere.
        let reads_elsewhere = |text: &str| looks_up_missing_keys(&self.perspective.evaluator, text);
        let mut places = Places::new(&reads_elsewhere, HashMap::new());
        for index in 0..binding.cases.len() {
            self.add_parts(&binding, index, &mut refused, &mut places);
        }
        // Most parts do not fit in the same cases.
        let mut by_cases: HashMap<Vec<usize>, String> = HashMap::new();
        for part in &mut refused.parts {
            let words = || self.nodes_of(&binding, &part.cases);
            part.nodes = by_cases.entry(part.cases.clone()).or_insert_with(words).clone();
        }
        if !refused.parts.is_empty() {
            self.note_values_in_code(name, &mut refused);
        }
        // A node with a fact set may get texts that are open here.
        if binding.cases.iter().any(|it| may_be_refused(&it.verdict)) {
            let reads_elsewhere = |text: &str| looks_up_keys_elsewhere(known, text);
            let places = Places::new(&reads_elsewhere, places.parts);
            self.note_certain_nodes(name, &mut refused, places);
        }
        (!refused.parts.is_empty()).then_some(refused)
    }

    /// The class whose parameter a key sets, and the type of the parameter; `None` if the type is not known, or accepts any value.
    pub(crate) fn wanted(
        &self,
        classes: &DeclaredClasses<'_>,
        key: &str,
    ) -> Option<(ClassCode, ParameterType)> {
        let (class, name) = class_and_parameter(key)?;
        let class = classes.only(class)?.code()?;
        let parameter = class.parameter(name)?;
        // A parameter without a type accepts any value.
        parameter.type_range?;
        let wanted = ParameterType::of(&class, parameter, self.aliases());
        (!wanted.known()?.is_assignable(&Type::Any)).then_some((class, wanted))
    }

    /// Whether `lookup_options` certainly set none of some options for a key.
    pub(crate) fn sets_none_of(&self, key: &str, names: &[&str]) -> bool {
        self.perspective.evaluator.options_for(key).is_ok_and(|options| {
            let options = options.as_ref().and_then(|it| it.options.value.as_hash());
            let has = |name: &&str| options.is_some_and(|it| it.get(name).is_some());
            !names.iter().any(has)
        })
    }

    /// Whether the value fits as it is, and lookups return it as it is, or merge it with others so that its parts still fit.
    fn fits_as_written(
        &self,
        key: &str,
        entry: &RootEntry,
        wanted: &ParameterType,
        has_default: bool,
    ) -> bool {
        let value = &entry.value.value;
        let has_open_texts = value.has_tokens() || render::has_encrypted_text(value);
        if has_open_texts && !fits_with_any_text(wanted, value) {
            return false;
        }
        // Puppet uses the default instead of a null in the data.
        let is_default_used = matches!(value, Value::Undef) && has_default;
        let fits = || !matches!(wanted.verdict_on(value), Verdict::Misfit(_));
        self.keeps_fit(key, value, wanted) && (has_open_texts || is_default_used || fits())
    }

    /// Whether a value that fits still does after what `lookup_options` request for its key.
    fn keeps_fit(&self, key: &str, value: &Value, wanted: &ParameterType) -> bool {
        let Ok(options) = self.perspective.evaluator.options_for(key) else { return false };
        let Some(options) = options.as_ref().and_then(|it| it.options.value.as_hash()) else {
            return true;
        };
        let merge = options.get("merge").map(|it| &it.value.value);
        let is_kept = |wanted| Merge::of(merge).is_ok_and(|it| it.keeps_fit(value, wanted));
        options.get("convert_to").is_none() && wanted.known().is_some_and(is_kept)
    }

    fn add_parts(
        &self,
        binding: &Binding,
        index: usize,
        refused: &mut RefusedParameter<'_>,
        places: &mut Places<'_>,
    ) {
        let case = &binding.cases[index];
        let (Bound::Data(value), Verdict::Misfit(misfits)) = (&case.bound, &case.verdict) else {
            return;
        };
        let answer = binding.answer_of(index);
        let known = refused.parts.len();
        for misfit in misfits {
            let range = self.range_of(misfit, value, answer, refused, places);
            let Some(range) = range else { continue };
            let words = words_about(&binding.name, misfit);
            let parts = &mut refused.parts;
            match places.parts.entry(range) {
                Entry::Occupied(at) if *at.get() < known => {
                    // Several cases often fail at the same place. The words are those of the first.
                    let cases = &mut parts[*at.get()].cases;
                    if cases.last() != Some(&index) {
                        cases.push(index);
                    }
                    continue;
                }
                Entry::Occupied(at) => {
                    parts[*at.get()].words.extend(["\n", &words]);
                    continue;
                }
                Entry::Vacant(at) => at.insert(parts.len()),
            };
            let part = self.new_part(range, words, (value, misfit), answer);
            parts.push(RefusedPart { cases: vec![index], ..part });
        }
    }

    fn new_part(
        &self,
        range: TextRange,
        words: String,
        (value, misfit): (&Located, &Misfit),
        answer: &Answer,
    ) -> RefusedPart {
        RefusedPart {
            value: value.clone(),
            misfit: misfit.clone(),
            range,
            words,
            cases: Vec::new(),
            nodes: String::new(),
            certain: Vec::new(),
            conversion: conversion_of(&self.perspective.world, answer),
            merge: merge_of(&self.perspective.world, answer),
            options: answer.merge.as_ref().and_then(|it| it.options.clone()),
        }
    }

    /// The nodes in some cases of a binding, in words.
    fn nodes_of(&self, binding: &Binding, cases: &[usize]) -> String {
        let conditions: Vec<&[Condition]> =
            cases.iter().map(|it| &*binding.cases[*it].conditions).collect();
        let is_in_all = cases.len() == binding.cases.len() && binding.answer.left_out.is_empty();
        failing_nodes_of(self.perspective.evaluator.node(), &conditions, is_in_all)
    }

    /// Notes that some nodes may not get the value from data, because code sets the parameter.
    fn note_values_in_code(&self, name: &str, refused: &mut RefusedParameter<'_>) {
        let (world, environment) =
            (&self.perspective.world, self.perspective.evaluator.environment());
        if !may_be_given(world, environment, &refused.class.name, name) {
            return;
        }
        for part in &mut refused.parts {
            let is_limited = part.nodes.ends_with(UNLESS_ANOTHER_LEVEL);
            let unless = if is_limited { " or" } else { ", unless" };
            part.nodes.extend([unless, " code sets the parameter"]);
        }
    }

    /// Notes the nodes that are completely known, that certainly have the class, and whose value has wrong parts.
    fn note_certain_nodes(
        &self,
        name: &str,
        refused: &mut RefusedParameter<'_>,
        mut places: Places<'_>,
    ) {
        let class = refused.class.clone();
        let Some(parameter) = class.parameter(name) else { return };
        let (classes, fleets) = self.fleets.get_or_init(|| self.new_fleets());
        // A class that code declares with a value for the parameter does not look it up.
        let bound = classes.bound_by_lookup(&class.name, name);
        if bound.is_empty() {
            return;
        }
        let request = Request::key(refused.key).with_sources();
        let mut of_answers: Vec<Vec<u32>> = Vec::new();
        for shared in fleets.for_class(&class, |fleet| fleet.answers_by_reads(&request)) {
            // What the answer leaves out may be a value that fits.
            if !shared.answer.left_out.is_empty() {
                continue;
            }
            let nodes = shared.nodes.iter().filter(|it| bound.binary_search(it).is_ok());
            let nodes: Vec<u32> = nodes.copied().collect();
            let case = BoundCase::new(parameter, &refused.wanted, &[], &shared.answer);
            let (Bound::Data(value), Verdict::Misfit(misfits), [_, ..]) =
                (&case.bound, &case.verdict, nodes.as_slice())
            else {
                continue;
            };
            let mut by_part: BTreeMap<usize, String> = BTreeMap::new();
            for misfit in misfits {
                let answer = &shared.answer;
                let range = self.range_of(misfit, value, answer, refused, &mut places);
                let Some(range) = range else { continue };
                let words = words_about(name, misfit);
                let part = *places.parts.entry(range).or_insert_with(|| {
                    let part = self.new_part(range, words.clone(), (value, misfit), answer);
                    refused.parts.push(part);
                    refused.parts.len() - 1
                });
                match by_part.entry(part) {
                    btree_map::Entry::Occupied(mut known) => known.get_mut().extend(["\n", &words]),
                    btree_map::Entry::Vacant(new) => _ = new.insert(words),
                }
            }
            for (part, words) in by_part {
                let part = &mut refused.parts[part];
                // The words must be about a value that the named nodes get.
                if part.certain.is_empty() {
                    part.words = words;
                }
                part.certain.push(of_answers.len());
            }
            of_answers.push(nodes);
        }
        // The nodes of the same answers are the same, and there may be many parts.
        let mut by_answers: HashMap<Vec<usize>, String> = HashMap::new();
        for part in refused.parts.iter_mut().filter(|it| !it.certain.is_empty()) {
            let words = || {
                let nodes = part.certain.iter().flat_map(|it| &of_answers[*it]).copied();
                let nodes: BTreeSet<u32> = nodes.collect();
                classes.in_words(&Vec::from_iter(nodes))
            };
            part.nodes = by_answers.entry(part.certain.clone()).or_insert_with(words).clone();
        }
    }

    fn new_fleets(&self) -> (Arc<FleetClasses>, ParameterFleets) {
        let (world, environment) =
            (&self.perspective.world, self.perspective.evaluator.environment());
        let classes = world.fleet_classes(environment);
        let fleets = ParameterFleets::new(world, environment, &classes);
        (classes, fleets)
    }

    /// The place in the file of a part that does not fit: the key if the place is not known, and `None` if the part does
    /// not come from the file.
    fn range_of(
        &self,
        misfit: &Misfit,
        value: &Located,
        answer: &Answer,
        refused: &RefusedParameter<'_>,
        places: &mut Places<'_>,
    ) -> Option<TextRange> {
        // Lines that could not be read may be the value of a key without one.
        if matches!(value.value, Value::Undef) && !answer.broken.is_empty() {
            return None;
        }
        let file = self.perspective.world.id(self.path);
        let mut is_whole = |range: TextRange| {
            let text = || range.slice(refused.data.text());
            let known = places.whole.entry(range);
            *known.or_insert_with(|| !(places.reads_elsewhere)(text()))
        };
        if let Some(place) = misfit.place(value) {
            let is_here = place.file == file;
            let place = if is_here { place } else { self.alias_to(place, misfit, answer)? };
            if misfit.path.is_empty() {
                let written = written_value(refused, place.range);
                return is_whole(written).then(|| with_text(refused, written));
            }
            return is_whole(place.range).then(|| with_text(refused, place.range));
        }
        // A value that Puppet makes, for example by a merge, has no place. The key is reported if its value is a part of it.
        let is_from_here = answer.sources.iter().any(|it| it.counts() && &*it.path == self.path);
        let written = refused.entry.value.place.map_or(TextRange::empty(0), |it| it.range);
        (is_from_here && is_whole(written)).then_some(refused.entry.key_place.range)
    }

    /// Where the file brings a part from another file, with `%{alias('…')}`. If that file has the parameter, too, the part is
    /// reported there.
    fn alias_to(&self, place: Place, misfit: &Misfit, answer: &Answer) -> Option<Place> {
        let mut sources = answer.sources.iter().filter(|it| it.counts());
        let path = self.perspective.world.path(place.file);
        if sources.clone().any(|it| it.path == path) {
            return None;
        }
        let source = sources.find(|it| &*it.path == self.path)?;
        let written = &source.written.as_ref()?.root_value;
        alias_in((written, source.interpolated.as_ref()?), &misfit.path, place)
    }

    fn aliases(&self) -> &Arc<TypeAliases> {
        self.aliases.get_or_init(|| {
            self.perspective.world.type_aliases(self.perspective.evaluator.environment())
        })
    }
}

/// Whether some node of a case may get a value that Puppet refuses.
fn may_be_refused(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Misfit(_) | Verdict::Unsure(Unsure::Texts(_)))
}

/// Whether a syntax error in the file may be the reason why the value of an entry is not what is meant.
fn is_half_read(data: &DataFile, entry: &RootEntry) -> bool {
    if !data.is_broken() {
        return false;
    }
    let Some(value) = entry.value.place.map(|it| it.range) else { return true };
    let whole = TextRange::new(entry.key_place.range.start, value.end.max(value.start));
    let is_at_error = |error: TextRange| error.start <= whole.end && whole.start <= error.end;
    data.syntax_errors().iter().any(|it| is_at_error(it.range))
}

/// What Puppet says about a parameter. A message may quote a value with line ends, and editors show its first line alone.
fn words_about(parameter: &str, misfit: &Misfit) -> String {
    format!("parameter '{parameter}' {}", on_one_line(&misfit.message))
}

/// The options whose `convert_to` applies to the answer.
pub(crate) fn conversion_of(world: &World, answer: &Answer) -> Option<CausingOptions> {
    let options = answer.merge.as_ref()?.options.as_ref()?;
    options.convert_to()?;
    Some(CausingOptions::of(world, options, "these lookup options convert it"))
}

/// The options whose `merge` applies to the answer, and the name of the merge.
fn merge_of(world: &World, answer: &Answer) -> Option<(CausingOptions, &'static str)> {
    let merge = answer.merge.as_ref().filter(|it| !it.is_first_found())?;
    let words = "these lookup options merge it";
    Some((CausingOptions::of(world, merge.merge_options()?, words), merge.name()))
}

impl CausingOptions {
    fn of(world: &World, options: &AppliedOptions, message: &str) -> Self {
        let place = options.key_place.map(|place| Related {
            path: Some(world.path(place.file)),
            range: place.range,
            message: message.to_owned(),
        });
        Self { entry: options.entry.clone(), place }
    }
}

/// The place of the key's value. This is the alias if the value is written at the anchor of another key.
fn written_value(refused: &RefusedParameter<'_>, value: TextRange) -> TextRange {
    let entry = refused.data.entry_at(refused.entry.key_place.range.start);
    // The place of an alias is that of its anchor, which may be in another entry. The finding belongs to the alias.
    let alias = entry.filter(|it| {
        let all = it.range();
        !(all.start <= value.start && value.end <= all.end)
    });
    alias.map_or(value, |it| it.value.range.shifted(it.start))
}

/// The place of a value, or that of its key if the value is a null without text, which editors could not mark.
fn with_text(refused: &RefusedParameter<'_>, value: TextRange) -> TextRange {
    if !value.is_empty() {
        return value;
    }
    let entry = refused.data.entry_at(refused.entry.key_place.range.start);
    let key = entry.and_then(|it| key_of(it.value, value.start.checked_sub(it.start)?, it.start));
    key.unwrap_or(refused.entry.key_place.range)
}

/// The key of the value without text at byte `at`, in a tree whose ranges count from byte `start`.
fn key_of(node: &Node, at: u32, start: u32) -> Option<TextRange> {
    match &node.kind {
        NodeKind::Mapping(pairs) => pairs.iter().find_map(|pair| {
            let is_it = pair.value.range == TextRange::empty(at);
            let own = is_it.then(|| pair.key.range.shifted(start));
            own.or_else(|| key_of(&pair.value, at, start))
        }),
        NodeKind::Sequence(items) => items.iter().find_map(|it| key_of(it, at, start)),
        _ => None,
    }
}

/// Where a value has the alias that brings what is written at `place`. An alias at `path` comes first, because several aliases
/// may bring the same; a merge can move what they bring elsewhere.
fn alias_in(
    (written, interpolated): (&Located, &Located),
    path: &[Part],
    place: Place,
) -> Option<Place> {
    let (step, rest) = path.split_first().unzip();
    let rest = rest.unwrap_or_default();
    let below = |written, interpolated| alias_in((written, interpolated), rest, place);
    match (&written.value, &interpolated.value) {
        (Value::String(_), _) => {
            let is_alias = interpolated.place != written.place;
            written.place.filter(|_| is_alias && is_written_in(interpolated, place))
        }
        (Value::Array(written), Value::Array(interpolated)) => {
            let at = match step {
                Some(Part::Index(at)) => written.get(*at).zip(interpolated.get(*at)),
                _ => None,
            };
            let mut items = at.into_iter().chain(written.iter().zip(interpolated.iter()));
            items.find_map(|(written, interpolated)| below(written, interpolated))
        }
        (Value::Hash(written), Value::Hash(interpolated)) => {
            let named = match step {
                Some(Part::Entry(name) | Part::Key(name)) => {
                    written.get(name).zip(interpolated.get(name))
                }
                _ => None,
            };
            // A key may be another one after interpolation, but it keeps its position.
            let all = written.iter().zip(interpolated.iter());
            let mut members =
                named.into_iter().chain(all.map(|((_, one), (_, other))| (one, other)));
            members.find_map(|(one, other)| below(&one.value, &other.value))
        }
        _ => None,
    }
}

/// Whether a value or something in it is written at `place`.
fn is_written_in(value: &Located, place: Place) -> bool {
    let is_around = |it: Place| it.file == place.file && it.range.contains_range(place.range);
    value.place.is_some_and(is_around)
        || match &value.value {
            Value::Array(items) => items.iter().any(|it| is_written_in(it, place)),
            Value::Hash(hash) => hash.iter().any(|(_, it)| {
                it.key_place.is_some_and(is_around) || is_written_in(&it.value, place)
            }),
            _ => false,
        }
}

/// Whether a value fits with any value of its open interpolations. `alias` returns a value of any type, and all others a string.
fn fits_with_any_text(wanted: &ParameterType, value: &Value) -> bool {
    let open = |text: &str| match text.contains("%{") {
        true if text.contains("alias") => Some(Type::Any),
        is_open => (is_open || text.contains("ENC[")).then(Type::string),
    };
    wanted.known().is_some_and(|it| puppet_type::fits_with_any(it, value, &open))
}

/// What follows the reason in a message about a parameter.
const CONSEQUENCE: &str = "\nCatalogs with class ";

/// What comes before the value or its type in Puppet's message.
const GOT: &str = ", got ";

impl RefusedParameter<'_> {
    /// Reports that Puppet refuses a part, and points to the parameter.
    pub(crate) fn report<'r>(
        &self,
        rule: &'static Rule,
        part: &RefusedPart,
        range: TextRange,
        advice: &str,
        report: &'r mut Report,
    ) -> &'r mut crate::ide::diagnostics::Diagnostic {
        let class = &self.class.name;
        let message =
            format!("{}{CONSEQUENCE}`{class}` fail for {}.{advice}", part.words, part.nodes);
        let severity = if part.certain.is_empty() { rule.severity } else { Severity::Error };
        let finding = report.add_as(rule, severity, range, message);
        finding.related.extend(self.parameter());
        finding
    }

    /// Whether the value fits as it is written, so that something else makes it what does not fit.
    pub(crate) fn fits_as_written(&self) -> bool {
        let written = &self.entry.value.value;
        !written.has_tokens() && self.wanted.verdict_on(written) == Verdict::Fits
    }

    fn parameter(&self) -> Option<Related> {
        let (_, name) = self.key.rsplit_once("::")?;
        let parameter = self.class.parameter(name)?;
        let message = format!("`${name}` is here");
        Some(Related { path: Some(self.class.path.clone()), range: parameter.name_range, message })
    }
}

/// A message of [`RefusedParameter::report`] about a value that must not be shown: which parameter expects which type, and
/// which catalogs fail. If only a part of the value does not fit, `summary` is the reason, because the path to it is secret.
pub(crate) fn told_without_value(message: &str, summary: &str) -> String {
    let Some(at) = message.rfind(CONSEQUENCE) else { return summary.to_owned() };
    let (words, consequence) = message.split_at(at);
    let is_of_whole = words.split_once("' ").is_some_and(|(_, it)| it.starts_with("expects "));
    let parts =
        words.split_once(GOT).filter(|(expected, _)| is_of_whole && !expected.contains('\n'));
    let reason = match parts {
        None => summary,
        // The names of types have only letters. Quotes and numbers say what the value is.
        Some((_, got)) if got.chars().all(|it| it.is_alphabetic() || "[]:".contains(it)) => words,
        Some((expected, _)) => expected,
    };
    format!("{reason}{consequence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Format;
    use crate::ide::fixture::Fixture;

    /// The keys of the last file whose parameters are looked up.
    fn looked_up(fixture: &str) -> Vec<String> {
        let fixture = Fixture::parse_without_marks(fixture);
        let world = fixture.world();
        let path = fixture.files.last().expect("a file").world_path();
        let perspective = Perspective::of_file(&world, &path).expect("a level reads the file");
        let environment = perspective.evaluator.environment();
        let classes = DeclaredClasses::new(&world, environment);
        let known = KnownKeys::new(&world, environment.clone());
        let data = world.data(&path, Format::Yaml).expect("the file can be read");
        let is_looked_up = |key: &str, entry: &RootEntry| {
            let bound = BoundValues::new(&perspective, &path);
            assert!(bound.refused((&known, &classes), &data, (key, entry)).is_none(), "{key}");
            bound.in_catalogs.get().is_some()
        };
        let mut keys = Vec::new();
        data.each_key(|key| keys.push(key.to_owned()));
        keys.retain(|key| is_looked_up(key, data.get(key).expect("a key of the file")));
        keys
    }

    #[test]
    fn what_fits_with_any_merge_and_any_alias_needs_no_lookup() {
        let fixture = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: n, path: n.yaml}, {name: c, path: common.yaml}]\n\
            #- /modules/m/manifests/init.pp\nclass m(Any $any, Hash $hash, Array[String] $list, Array $mixed, String $text,\n  \
            Hash[String, Array[String]] $deep, Array[String] $aliased, Struct[{a => Integer}] $struct, Array[String] $knocked) {}\n\
            #- /data/common.yaml\n\
            lookup_options:\n  m::any: {merge: deep}\n  m::hash: {merge: hash}\n  m::list: {merge: unique}\n  \
            m::text: {merge: first}\n  m::deep: {merge: {strategy: deep}}\n  m::struct: {merge: deep}\n  \
            m::knocked: {merge: {strategy: deep, knockout_prefix: '--'}}\n\
            o: [x]\nm::list: [y]\nm::deep: {b: [y]}\n\
            #- /data/n.yaml\n\
            m::any: \"%{alias('o')}\"\nm::hash: {a: \"%{alias('o')}\"}\nm::list: [x, 'a%{b}']\nm::mixed: [\"%{alias('o')}\"]\n\
            m::text: x\nm::deep: {a: [x]}\nm::aliased: \"%{alias('o')}\"\nm::struct: {a: 1}\nm::knocked: [x]\n";
        assert_eq!(looked_up(fixture), ["m::aliased", "m::struct", "m::knocked"]);
    }
}
