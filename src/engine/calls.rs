//! Calls of back ends by Puppet's conventions: how often, with which arguments, and how the result is used.
//!
//! Files of the built-in functions take another path through a layer, because everything that is checked here is known for
//! them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::budget::Budget;
use super::cases::not_known_in_words;
use super::encrypted::Unread;
use super::failure::{Failure, FailureClass};
use super::hierarchy::{Location, ResolvedLevel};
use super::interpolate::interpolate;
use super::invocation::{self, Found, Invocation, OpaqueLevel};
use super::key::Key;
use super::layer::{Layer, when_using};
use super::lookup;
use super::notes;
use super::trace::Outcome;
use crate::backends::{BackEnd, Call, DataHash, FunctionContext, PuppetContext, Returned, Site};
use crate::config::hiera_yaml::FunctionKind;
use crate::config::{Environment, PuppetVersion};
use crate::data::puppet_type::{self, Type};
use crate::data::{DataFile, Files, Hash, Located, Place, RootEntry, Value};
use crate::facts::Node;
use crate::syntax::key_path::Segment;

/// The reason for a function that hiera-ls does not know.
const NOT_EVALUATED: &str = "is not evaluated here";

/// The reason for back ends of Hiera 3.
const HIERA_3: &str = "is a back end of Hiera 3, which is not evaluated here";

/// What is known of one source of a level (a location, or the level itself) during the life of the evaluator. It is boxed,
/// because most sources are files that no function reads.
#[derive(Debug, Default)]
pub(crate) struct SourceState(OnceLock<Box<KnownOfSource>>);

/// No lock is held while a function runs, because it may look up something that leads back to itself.
#[derive(Debug, Default)]
struct KnownOfSource {
    context: OnceLock<Arc<FunctionContext>>,
    data_hash: OnceLock<Data>,
    /// The results of `lookup_key` and `data_dig`, by root key and by whole key.
    answers: Mutex<HashMap<Arc<str>, Located, foldhash::fast::RandomState>>,
}

/// The checked result of a `data_hash` function.
#[derive(Debug, Clone)]
enum Data {
    File(Arc<DataFile>),
    Hash(Arc<Hash>),
}

impl SourceState {
    fn get(&self) -> &KnownOfSource {
        self.0.get_or_init(Box::default)
    }
}

impl KnownOfSource {
    fn context(&self) -> &Arc<FunctionContext> {
        self.context.get_or_init(Arc::default)
    }

    fn answer(&self, key: &str) -> Option<Located> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    fn keep(&self, key: &Arc<str>, value: &Located) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.insert(Arc::clone(key), value.clone());
    }
}

impl Layer {
    /// Calls a level's function for a key, at an existing location or without one.
    pub(super) fn call(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: Option<&Location>,
        key: &Key,
    ) -> Found {
        if invocation.surveys() {
            // The value is already found. A function must not run only to find out which other levels have the key.
            return Ok(None);
        }
        let Some(back_end) = &level.back_end else {
            return Ok(opaque(invocation, (self, level), key, not_evaluated(level)));
        };
        if !level.open_options.is_empty() && back_end.depends_on_options() {
            return Ok(opaque(invocation, (self, level), key, depends_on(&level.open_options)));
        }
        invocation.note_any_read();
        let asked = CallSite { layer: self, level, location, back_end: back_end.as_ref() };
        invocation.with_names(|invocation| match level.function.kind {
            FunctionKind::LookupKey => asked.lookup_key(invocation, key),
            FunctionKind::DataDig | FunctionKind::Hiera3Backend => asked.data_dig(invocation, key),
            FunctionKind::DataHash | FunctionKind::V4DataHash => asked.data_hash(invocation, key),
        })
    }

    /// Calls a level's function for a key at a location that is not known, unless the location may matter.
    pub(super) fn call_while_open(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        key: &Key,
    ) -> Found {
        match (&level.back_end, &location.open) {
            (Some(back_end), Some(open)) if back_end.depends_on_location() => {
                let reason = depends_on(&open.variables);
                Ok(opaque(invocation, (self, level), key, reason))
            }
            _ => self.call(invocation, level, Some(location), key),
        }
    }

    /// Calls a `lookup_key` function for a key that its file has.
    pub(super) fn ask_for_key_of_file(
        &self,
        invocation: &mut Invocation<'_>,
        (level, location): (&ResolvedLevel, &Location),
        back_end: &dyn BackEnd,
        key: &Key,
        file: &Arc<DataFile>,
    ) -> Found {
        let asked = CallSite { layer: self, level, location: Some(location), back_end };
        let root = key.root();
        let call = Call { file: Some(file), ..asked.call() };
        if back_end.keeps_encrypted_text() {
            let decrypted = Unread::Decrypted(Arc::clone(&level.options));
            notes::add(&mut invocation.notes.unread, decrypted);
        }
        // The result of the function is kept for other lookups.
        let returned = invocation.with_names(|it| {
            it.explained_once(location, root, |invocation| {
                back_end.lookup_key(root, &call, &mut asked.context(invocation))
            })
        })?;
        // The function interpolates before Puppet checks what it returns. Texts that insert nothing fit as they are written.
        if let (Returned::Value(value), Some(entry)) = (&returned, file.get(root))
            && (entry.has_tokens() || entry.misfit().is_some())
        {
            asked.check_value(root, value, entry.value.place)?;
        }
        Ok(asked.report(invocation, key, root, returned))
    }

    /// Lets a function read the file at a location.
    pub(super) fn read_file(
        &self,
        invocation: &mut Invocation<'_>,
        level: &ResolvedLevel,
        location: &Location,
        back_end: &dyn BackEnd,
    ) -> Result<Arc<DataFile>, Failure> {
        let asked = CallSite { layer: self, level, location: Some(location), back_end };
        match back_end.data_hash(&asked.call(), &mut asked.context(invocation))? {
            Returned::Value(DataHash::File(file)) => Ok(file),
            other => {
                let message = format!("a function that reads files gave no file: {other:?}");
                Err(Failure::of(FailureClass::Unsupported, message))
            }
        }
    }
}

/// A function and the place at which it is called.
#[derive(Clone, Copy)]
struct CallSite<'l> {
    layer: &'l Layer,
    level: &'l ResolvedLevel,
    location: Option<&'l Location>,
    back_end: &'l dyn BackEnd,
}

impl<'l> CallSite<'l> {
    fn source(self) -> &'l KnownOfSource {
        self.location.map_or(&self.level.source, |location| &location.source).get()
    }

    fn call(self) -> Call<'l> {
        let site = match self.location {
            None => Site::Nowhere,
            Some(location) if location.is_uri => Site::Uri(&location.location),
            Some(location) => Site::Path(&location.location),
        };
        Call {
            function: &self.level.function,
            level: &self.level.name,
            config: &self.layer.config.path,
            options: &self.level.options,
            site,
            site_place: self.location.and_then(|it| it.template_place),
            level_place: self.level.place,
            file: None,
        }
    }

    fn context<'i, 'a>(self, invocation: &'i mut Invocation<'a>) -> CallContext<'i, 'a>
    where
        'l: 'i,
    {
        CallContext { invocation, asked: self }
    }

    fn data_hash(self, invocation: &mut Invocation<'_>, key: &Key) -> Found {
        let known = self.source().data_hash.get().cloned();
        let data = match known {
            Some(data) => data,
            None => match self.back_end.data_hash(&self.call(), &mut self.context(invocation))? {
                Returned::Value(data) => self.checked_data(invocation, data)?,
                Returned::NotFound => return Ok(None),
                Returned::Unknown(reason) => {
                    return Ok(opaque(invocation, (self.layer, self.level), key, reason));
                }
            },
        };
        let root = key.root();
        if let Data::File(file) = &data
            && self.layer.may_have(root)
            && let (Some(why), Some(entry)) = (file.why_open(root), file.get(root))
        {
            return open_entry(invocation, (self.layer, self.level), key, why.into(), entry);
        }
        let Some(value) = self.member(&data, root) else {
            invocation.report_not_found(root);
            return Ok(None);
        };
        // As in Puppet, the value is checked as it is written. What its tokens expand to is not checked here.
        self.check_value(root, &value, None)?;
        // Puppet's interpolation copies the value, and explanations in YAML have aliases where Puppet reports the same object twice.
        let value = if invocation.is_traced() { value.copied() } else { value };
        let value = interpolate(invocation, &value, invocation::InterpolatedText::Data)?;
        invocation.note_function(self.layer, self.level, Some(&value));
        invocation.report_found(root, &value);
        Ok(Some(value))
    }

    fn checked_data(
        self,
        invocation: &mut Invocation<'_>,
        data: DataHash,
    ) -> Result<Data, Failure> {
        let data = match data {
            DataHash::File(file) => Data::File(file),
            DataHash::Value(Value::Hash(hash)) => Data::Hash(hash),
            DataHash::Value(other) => {
                let name = &self.level.function.name;
                let place = when_using(self.location);
                let subject = format!("Value returned from data_hash function '{name}'{place}");
                let message = puppet_type::assert_instance(&subject, &Type::hash(), &other);
                let message = message.err().unwrap_or_default();
                return Err(self.type_failure(message, None));
            }
        };
        // Puppet checks the keys when it stores the hash in the function's context, so it warns once for each source.
        let (layer, level, location) = (self.layer, self.level, self.location);
        match &data {
            Data::File(file) => {
                let keys = file.entries().map(|entry| (&entry.key, Some(entry.key_place)));
                layer.check_module_keys(invocation, level, location, keys)?;
            }
            Data::Hash(hash) => {
                let keys = hash.iter().map(|(key, member)| (key, member.key_place));
                layer.check_module_keys(invocation, level, location, keys)?;
            }
        }
        // No lock is held during the call, so another thread may have stored its result first. All lookups must use that one.
        Ok(self.source().data_hash.get_or_init(|| data).clone())
    }

    fn member(self, data: &Data, root: &str) -> Option<Located> {
        if !self.layer.may_have(root) {
            return None;
        }
        match data {
            Data::File(file) => file.get(root).map(|entry| entry.value.clone()),
            Data::Hash(hash) => hash.get(root).map(|member| member.value.clone()),
        }
    }

    fn lookup_key(self, invocation: &mut Invocation<'_>, key: &Key) -> Found {
        let root = key.root();
        let returned = if let Some(known) = self.source().answer(root) {
            Returned::Value(known)
        } else {
            self.back_end.lookup_key(root, &self.call(), &mut self.context(invocation))?
        };
        if let Returned::Value(value) = &returned {
            // Only values are kept. As in Puppet, a function that calls `not_found` is called again by the next lookup.
            self.check_value(root, value, None)?;
            self.keep(invocation, root, value);
        }
        Ok(self.report(invocation, key, root, returned))
    }

    fn data_dig(self, invocation: &mut Invocation<'_>, key: &Key) -> Found {
        let text = key.text();
        let returned = if let Some(known) = self.source().answer(text) {
            Returned::Value(known)
        } else {
            let context = &mut self.context(invocation);
            let returned = self.back_end.data_dig(&key.segments(), &self.call(), context)?;
            if let Returned::Value(value) = &returned {
                // Puppet stores the result of `data_dig` before it checks the type; it checks that of `lookup_key` first.
                self.keep(invocation, text, value);
            }
            returned
        };
        if let Returned::Value(value) = &returned {
            self.check_value(text, value, None)?;
        }
        let found = self.report(invocation, key, text, returned);
        found.map(|value| key.undig(value, &mut invocation.budget)).transpose()
    }

    /// Keeps the result of a function, unless other assumptions could change it.
    fn keep(self, invocation: &Invocation<'_>, key: &Arc<str>, value: &Located) {
        if invocation.evaluator.node().is_complete() {
            self.source().keep(key, value);
        }
    }

    /// Refuses a value that no lookup may return; `place` is where it is written, if that is known.
    fn check_value(self, key: &str, value: &Located, place: Option<Place>) -> Result<(), Failure> {
        match puppet_type::check_lookup_value(&value.value) {
            None => Ok(()),
            Some(got) => {
                let message = self.layer.wrong_value_type(self.level, self.location, key, &got);
                Err(self.type_failure(message, place))
            }
        }
    }

    fn type_failure(self, message: String, place: Option<Place>) -> Failure {
        let place = place.or(self.level.function.place).or(self.level.place);
        Failure::of(FailureClass::TypeAssertion, message).at(place)
    }

    /// Records the outcome in the trace; `name` is the key as explain shows it.
    fn report(
        self,
        invocation: &mut Invocation<'_>,
        key: &Key,
        name: &Arc<str>,
        returned: Returned<Located>,
    ) -> Option<Located> {
        match returned {
            Returned::Value(value) => {
                // A level that reads files has already recorded the entry of its file as the source.
                if self.call().file.is_none() && self.level.reads.is_none() {
                    invocation.note_function(self.layer, self.level, Some(&value));
                }
                invocation.report_found(name, &value);
                Some(value)
            }
            Returned::NotFound => {
                invocation.report_not_found(name);
                None
            }
            Returned::Unknown(reason) => opaque(invocation, (self.layer, self.level), key, reason),
        }
    }
}

/// Why the function of a level without a back end is not called.
fn not_evaluated(level: &ResolvedLevel) -> Arc<str> {
    let is_of_3 = level.function.kind == FunctionKind::Hiera3Backend;
    Arc::from(if is_of_3 { HIERA_3 } else { NOT_EVALUATED })
}

/// Why a function is not called while variables are open.
fn depends_on(variables: &[Arc<str>]) -> Arc<str> {
    format!("depends on {}", not_known_in_words(variables)).into()
}

/// An entry whose value the environment of the server decides, or whether it is there at all.
pub(super) fn open_entry(
    invocation: &mut Invocation<'_>,
    level: (&Layer, &ResolvedLevel),
    key: &Key,
    why: Arc<str>,
    entry: &RootEntry,
) -> Found {
    // Without its options, no answer of the layer would be certain.
    if &**key.root() == lookup::LOOKUP_OPTIONS {
        let message = format!("{} {why}", lookup::LOOKUP_OPTIONS);
        return Err(Failure::of(FailureClass::Unsupported, message).at(entry.value.place));
    }
    Ok(opaque(invocation, level, key, why))
}

/// A level that is not evaluated is neither found nor missing: the answer records that it might have the key.
fn opaque(
    invocation: &mut Invocation<'_>,
    (layer, level): (&Layer, &ResolvedLevel),
    key: &Key,
    reason: Arc<str>,
) -> Option<Located> {
    invocation.note_function(layer, level, None);
    let function = Arc::clone(&level.function.name);
    invocation.report(|| Outcome::Opaque {
        function: Arc::clone(&function),
        reason: Arc::clone(&reason),
    });
    let opaque = OpaqueLevel { level: Arc::clone(&level.name), function, reason };
    // Every lookup also searches for lookup_options, so this level would count as a possible source of every key.
    let is_options = &**key.text() == lookup::LOOKUP_OPTIONS;
    if !is_options {
        notes::add(&mut invocation.notes.opaque, opaque);
    }
    None
}

/// The context object of a call.
struct CallContext<'i, 'a> {
    invocation: &'i mut Invocation<'a>,
    asked: CallSite<'i>,
}

impl PuppetContext for CallContext<'_, '_> {
    fn environment(&self) -> &Arc<Environment> {
        self.invocation.evaluator.environment()
    }

    fn module_name(&self) -> Option<&Arc<str>> {
        self.asked.layer.module.as_ref()
    }

    fn interpolate(&mut self, value: &Located) -> Result<Located, Failure> {
        interpolate(self.invocation, value, invocation::InterpolatedText::Data)
    }

    fn is_explained(&self) -> bool {
        self.invocation.is_traced()
    }

    fn explain(&mut self, text: &str) {
        self.invocation.report_text(|| text.to_owned());
    }

    fn cache(&self) -> &Arc<FunctionContext> {
        self.asked.source().context()
    }

    fn reads_broken_files(&self) -> bool {
        self.invocation.evaluator.reads_broken_files()
    }

    fn lookup(&mut self, key: &Arc<str>, merge: Option<&Value>) -> Found {
        lookup::search_from_function(self.invocation, key, merge)
    }

    fn files(&self) -> &Arc<dyn Files> {
        self.invocation.evaluator.files()
    }

    fn node(&self) -> &Arc<Node> {
        self.invocation.evaluator.node()
    }

    fn version(&self) -> PuppetVersion {
        self.invocation.evaluator.version()
    }

    fn warn(&mut self, message: String) {
        self.invocation.warn(message);
    }

    fn is_cancelled(&self) -> bool {
        self.invocation.budget.is_cancelled()
    }
}

impl Key {
    /// The root and the segments that are dug out of it.
    fn segments(&self) -> Vec<Segment> {
        let root = Segment::Name(Arc::clone(self.root()));
        std::iter::once(root).chain(self.rest().iter().cloned()).collect()
    }

    /// A value of the root key that contains only `value`, at the place where this key digs, so that a merge finds it.
    fn undig(&self, value: Located, budget: &mut Budget) -> Result<Located, Failure> {
        self.rest().iter().rev().try_fold(value, |inner, segment| {
            let place = inner.place;
            let wrapped = match segment {
                Segment::Index(index) => {
                    let Ok(index) = usize::try_from(*index) else {
                        return Err(a_negative_index_of_an_empty_list(*index));
                    };
                    // The list has as many items as the key says: `a.99999999999` must not fill the memory.
                    budget.steps(index)?;
                    let mut items = vec![Value::Undef.unplaced(); index];
                    items.push(inner);
                    Value::array(items)
                }
                Segment::Name(name) => {
                    let mut hash = Hash::with_capacity(1);
                    hash.insert(Value::String(Arc::clone(name)), None, inner);
                    Value::hash(hash)
                }
            };
            Ok(Located::new(wrapped, place))
        })
    }
}

fn a_negative_index_of_an_empty_list(index: i64) -> Failure {
    let message = format!("index {index} too small for array; minimum: 0");
    Failure::ruby("IndexError", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::budget::CancelToken;

    #[test]
    fn an_index_does_not_fill_the_memory() {
        let undig = |key: &str| {
            let key = Key::parse(&key.into()).expect("a key");
            let mut budget = Budget::new(CancelToken::default());
            key.undig(Value::Integer(1).unplaced(), &mut budget).map_err(|it| it.class)
        };
        let two = Value::array(vec![Value::Undef.unplaced(), Value::Integer(1).unplaced()]);
        assert_eq!(undig("a.1"), Ok(two.unplaced()));
        assert_eq!(undig("a.99999999999"), Err(FailureClass::GivenUp));
    }
}
