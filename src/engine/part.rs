//! The part of a value that a lookup of a sub key needs.
//!
//! Puppet interpolates the whole value of the root key before it digs, so that a text of another member can make the lookup
//! fail. If it is known that a text never fails, the lookups for a node that is not completely known skip it: for a hash of
//! twenty URLs, the cases of one URL do not depend on the files for the others. A file with a hash that does not have the
//! member is skipped, too, where hashes are merged.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use super::evaluator::ModuleScope;
use super::hierarchy::{Location, ResolvedLevel};
use super::invocation::{Found, InterpolatedText, Invocation, main_belongs_to_no_module};
use super::key::Key;
use super::layer::{Layer, Which};
use super::merge::{Merge, Strategy, merges_as_hash};
use super::request::{Explain, Request};
use super::sources::dig_value;
use super::{lookup, lookup_options, open_options, open_paths};
use crate::config::hiera_yaml::FunctionKind;
use crate::data::puppet_type::is_data;
use crate::data::{Hash, Located, Value};
use crate::facts::Reading;
use crate::facts::variable::NODE_HASHES;
use crate::syntax::interpolation::{self, Expression, Method, Token};
use crate::syntax::key_path::{self, Segment};

/// Stands for a value that is not needed. It is neither empty nor undef, because a deep merge treats these in another way.
const NOT_NEEDED: &str = "x";

/// What does not affect the result for one member of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Unneeded {
    texts: UnneededTexts,
    /// Whether files are not needed whose hash does not have the member.
    files: bool,
}

/// Which texts in other members do not affect the result for one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum UnneededTexts {
    None,
    /// Those that are not items of lists.
    OutsideLists,
    All,
}

impl Unneeded {
    /// Everything is needed.
    pub(super) const NOTHING: Self = Self { texts: UnneededTexts::None, files: false };

    fn by(merge: &Merge) -> Self {
        match merge.strategy() {
            Strategy::First | Strategy::Default => Self { texts: UnneededTexts::All, files: false },
            Strategy::Hash => Self { texts: UnneededTexts::All, files: true },
            Strategy::Deep if merge.takes_as_it_is(NOT_NEEDED) => {
                // Whether a list can be sorted depends on what its items are, and on which of them are knocked out.
                let sorts = merge.sorts_lists();
                let texts = if sorts { UnneededTexts::OutsideLists } else { UnneededTexts::All };
                Self { texts, files: true }
            }
            Strategy::Deep
            | Strategy::Unique
            | Strategy::UnconstrainedDeep
            | Strategy::ReverseDeep => Self::NOTHING,
        }
    }
}

/// What a lookup needs.
#[derive(Debug)]
pub(crate) struct Part {
    root: Arc<str>,
    rest: Arc<[Segment]>,
    /// Values of the root key, each as it is written, without which texts, and as far as it is needed.
    known: RefCell<Vec<(Arc<Hash>, Unneeded, Located)>>,
    /// Whether no file makes the lookup of another key of a module fail, by the module's name.
    plain_modules: RefCell<HashMap<Option<Arc<str>>, bool>>,
    /// Whether files are needed, by their paths.
    files: RefCell<HashMap<(Arc<str>, Unneeded), bool>>,
    /// Whether some files were left out because their hashes do not have the member.
    leaves_out_files: Cell<bool>,
    /// Whether such files can matter all the same.
    needs_all_files: Cell<bool>,
}

impl Part {
    /// The part for a request of a sub key; `None` if it is for a whole value, or if all steps are of interest.
    pub(super) fn of(request: &Request) -> Option<Self> {
        let is_plain = request.explain == Explain::Off
            && request.overrides.is_empty()
            && request.default_values.is_empty();
        let [name] = request.names.as_slice() else { return None };
        let key = Key::parse(name).ok().filter(|key| is_plain && !key.rest().is_empty())?;
        Some(Self {
            root: Arc::clone(key.root()),
            rest: key.rest().into(),
            plain_modules: RefCell::default(),
            known: RefCell::default(),
            files: RefCell::default(),
            leaves_out_files: Cell::default(),
            needs_all_files: Cell::default(),
        })
    }

    /// Whether runs left out files that matter after all, so that everything has to be run again, with all files.
    pub(super) fn must_begin_again(&self) -> bool {
        self.leaves_out_files.get() && self.needs_all_files.get()
    }

    /// Prepares for runs with all files.
    pub(super) fn begin_again(&self) {
        self.leaves_out_files.set(false);
    }

    fn member(&self) -> Option<&str> {
        match self.rest.first() {
            Some(Segment::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// Whether a hash without the member, merged with a result of the other files, would not change the part.
    fn stays_if_merged(&self, merge: &Merge, found: &Found) -> bool {
        match found {
            Ok(None) => true,
            Ok(Some(found)) if merges_as_hash(&found.value) => {
                let hash = found.value.as_hash();
                let member = hash.zip(self.member()).and_then(|(hash, name)| hash.get(name));
                let is_left_alone = member.is_none_or(|it| merge.leaves_alone(&it.value.value));
                // Another list that cannot be sorted would make the lookup fail.
                is_left_alone && !(merge.sorts_lists() && has_list(&found.value))
            }
            // What makes the lookup fail may come after such a hash.
            _ => false,
        }
    }

    fn known(&self, hash: &Arc<Hash>, unneeded: Unneeded) -> Option<Located> {
        let known = self.known.borrow();
        let is_it = |(it, without, _): &&(Arc<Hash>, Unneeded, Located)| {
            Arc::ptr_eq(it, hash) && *without == unneeded
        };
        known.iter().find(is_it).map(|(.., needed)| needed.clone())
    }
}

impl<'a> Invocation<'a> {
    /// The part of the request's key that is needed.
    fn part(&self) -> Option<&'a Part> {
        self.exploration.as_ref()?.part
    }

    /// The part that is needed of values of a key, if something of them is not.
    fn part_of(&self, key: &Key) -> Option<&'a Part> {
        // The options of a key are collected while it is searched for, too.
        let is_for_key = |it: &&Part| it.root == *key.root();
        self.part().filter(|_| self.unneeded != Unneeded::NOTHING).filter(is_for_key)
    }
}

impl Invocation<'_> {
    /// Runs `work`, which searches the layers for the key of the request, with only the part of its values that is needed.
    pub(super) fn in_part(
        &mut self,
        merge: &Merge,
        work: impl FnOnce(&mut Self) -> Found,
    ) -> Found {
        let is_nested = self.budget.is_nested();
        let unneeded = if is_nested { Unneeded::NOTHING } else { Unneeded::by(merge) };
        let outer = std::mem::replace(&mut self.unneeded, unneeded);
        let found = work(self);
        self.unneeded = outer;
        if let Some(part) = self.part().filter(|it| unneeded.files && it.leaves_out_files.get())
            && !part.stays_if_merged(merge, &found)
        {
            part.needs_all_files.set(true);
        }
        found
    }

    /// Notes the first value that a merge finds. If it is no hash, a deep merge keeps it and drops the hashes below. A hash above
    /// it that does not have the member would have been kept instead, and merged with these hashes.
    pub(super) fn note_first_of_merge(&self, value: &Value) {
        if let Some(part) = self.part().filter(|_| self.unneeded.files)
            && !merges_as_hash(value)
        {
            part.needs_all_files.set(true);
        }
    }

    /// Whether some files that have the root key may be left out.
    pub(super) fn may_leave_out_files(&self, key: &Key) -> bool {
        let part = self.part_of(key).filter(|_| self.unneeded.files);
        part.is_some_and(|it| !it.needs_all_files.get())
    }

    /// Whether a file that has the root key may affect the part. It does not if its value is a hash without the member that
    /// can be merged with any other, and in which no text fails.
    pub(super) fn needs_file(
        &mut self,
        (layer, level): (&Layer, &ResolvedLevel),
        key: &Key,
        path: &Arc<str>,
    ) -> bool {
        let Some(part) = self.part_of(key) else { return true };
        let asked = (Arc::clone(path), self.unneeded);
        let known = part.files.borrow().get(&asked).copied();
        let is_needed = known.unwrap_or_else(|| self.may_have_part((layer, level), key, path));
        part.files.borrow_mut().insert(asked, is_needed);
        if !is_needed {
            part.leaves_out_files.set(true);
        }
        is_needed
    }

    fn may_have_part(
        &mut self,
        (layer, level): (&Layer, &ResolvedLevel),
        key: &Key,
        path: &Arc<str>,
    ) -> bool {
        let evaluator = self.evaluator;
        let member = self.part_of(key).and_then(Part::member);
        let (Some(member), Some(format), FunctionKind::DataHash) =
            (member, level.reads, level.function.kind)
        else {
            return true;
        };
        let Ok(file) = evaluator.files().data(path, format) else { return true };
        let module = layer.module.as_ref();
        if file.is_broken() || open_paths::is_refused(evaluator, module, &file) {
            return true;
        }
        let entry = layer.entry(evaluator, &file, key.root());
        let Some(entry) = entry.filter(|it| it.misfit().is_none()) else { return true };
        let Value::Hash(hash) = &entry.value.value else { return true };
        let may_have_it = hash.get(member).is_some() || hash.iter().any(|(it, _)| it.has_tokens());
        let may_not_be_sorted =
            self.unneeded.texts == UnneededTexts::OutsideLists && has_list(&entry.value.value);
        may_have_it
            || may_not_be_sorted
            || !merges_as_hash(&entry.value.value)
            || self.needed_of(key, &entry.value).value.has_tokens()
    }

    /// A value of the key as far as it is needed: where a text is not, another one stands for it.
    pub(super) fn needed_of(&mut self, key: &Key, value: &Located) -> Located {
        let unneeded = self.unneeded;
        let (Some(part), Value::Hash(hash)) = (self.part_of(key), &value.value) else {
            return value.clone();
        };
        part.known(hash, unneeded).unwrap_or_else(|| {
            let needed = self.needed_at(part, value, &part.rest);
            part.known.borrow_mut().push((Arc::clone(hash), unneeded, needed.clone()));
            needed
        })
    }

    /// What two values of the key that are merged contain of the part. If a key has tokens, or if a text in a list is needed
    /// wherever it is, that is all of them.
    pub(super) fn needed_of_merge<'v>(
        &self,
        high: &'v Value,
        low: &'v Value,
    ) -> (&'v Value, &'v Value) {
        let is_part = match self.unneeded.texts {
            UnneededTexts::None => false,
            UnneededTexts::OutsideLists => {
                !has_list_with_tokens(high) && !has_list_with_tokens(low)
            }
            UnneededTexts::All => true,
        };
        let part = self.part().filter(|_| is_part);
        let (mut high, mut low) = (high, low);
        for wanted in part.iter().flat_map(|it| it.rest.iter()) {
            let (Value::Hash(above), Value::Hash(below), Segment::Name(wanted)) =
                (high, low, wanted)
            else {
                break;
            };
            if above.iter().chain(below.iter()).any(|(key, _)| key.has_tokens()) {
                break;
            }
            let member =
                |hash: &'v Hash| hash.get(wanted).map_or(&Value::Undef, |it| &it.value.value);
            (high, low) = (member(above), member(below));
        }
        (high, low)
    }

    fn needed_at(&mut self, part: &Part, value: &Located, rest: &[Segment]) -> Located {
        let (Value::Hash(hash), Some((Segment::Name(wanted), rest))) =
            (&value.value, rest.split_first())
        else {
            return value.clone();
        };
        self.map_members(value, hash, |it, key, member| match key.as_str() {
            Some(key) if *key == **wanted => it.needed_at(part, member, rest),
            _ => it.unneeded_at(part, member),
        })
    }

    /// What stands for a value that is not needed. If neither a text nor a merge of it can fail, that is one text, so that
    /// runs do not go through the value.
    fn unneeded_at(&mut self, part: &Part, value: &Located) -> Located {
        // A hash merge refuses a hash with anything but data in it.
        let is_all = self.unneeded.texts == UnneededTexts::All;
        if is_all && is_data(&value.value) && !self.may_fail(part, &value.value) {
            return Located::new(Value::string(NOT_NEEDED), value.place);
        }
        self.without_texts(part, value)
    }

    /// Whether interpolating a value may fail or warn. If a key has tokens, it counts as if it may.
    fn may_fail(&mut self, part: &Part, value: &Value) -> bool {
        match value {
            Value::String(text) => value.has_tokens() && !self.never_fails(part, text),
            Value::Array(items) => items.iter().any(|it| self.may_fail(part, &it.value)),
            Value::Hash(hash) => hash
                .iter()
                .any(|(key, member)| key.has_tokens() || self.may_fail(part, &member.value.value)),
            _ => false,
        }
    }

    /// A value that is not needed, without the texts that never fail.
    fn without_texts(&mut self, part: &Part, value: &Located) -> Located {
        match &value.value {
            it if !it.has_tokens() => value.clone(),
            Value::String(text) if self.never_fails(part, text) => {
                Located::new(Value::string(NOT_NEEDED), value.place)
            }
            Value::Array(items) if self.unneeded.texts == UnneededTexts::All => {
                let items = items.iter().map(|item| self.without_texts(part, item)).collect();
                Located::new(Value::array(items), value.place)
            }
            Value::Hash(hash) => {
                self.map_members(value, hash, |it, _, member| it.without_texts(part, member))
            }
            _ => value.clone(),
        }
    }

    /// A hash with other values. If a key has tokens, members may replace each other, so the hash stays as it is.
    fn map_members(
        &mut self,
        value: &Located,
        hash: &Hash,
        mut map: impl FnMut(&mut Self, &Value, &Located) -> Located,
    ) -> Located {
        if hash.iter().any(|(key, _)| key.has_tokens()) {
            return value.clone();
        }
        let mut mapped = Hash::with_capacity(hash.len());
        for (key, member) in hash {
            mapped.insert(key.clone(), member.key_place, map(self, key, &member.value));
        }
        Located::new(Value::hash(mapped), value.place)
    }

    /// Whether interpolating a text succeeds and warns about nothing, whatever the open variables are.
    fn never_fails(&mut self, part: &Part, text: &str) -> bool {
        let tokens = interpolation::tokens(text);
        let is_whole = |token: &Token| token.range.slice(text).len() == text.len();
        tokens.iter().all(|token| match &token.expression {
            Expression::Empty => true,
            Expression::Variable(expression) => self.variable_never_fails(expression),
            Expression::Call { method: Method::Scope, argument, .. } => {
                self.variable_never_fails(argument)
            }
            Expression::Call { method: Method::Lookup | Method::Hiera, argument, .. } => {
                self.key_never_fails(part, argument)
            }
            Expression::Call { method: Method::Alias, argument, .. } => {
                is_whole(token) && self.key_never_fails(part, argument)
            }
            Expression::Call { .. } => false,
        })
    }

    fn variable_never_fails(&mut self, expression: &str) -> bool {
        let Ok(path) = key_path::parse(expression) else { return false };
        let Some(root) = path.root_name() else { return false };
        let unqualified = root.strip_prefix("::").unwrap_or(root);
        if main_belongs_to_no_module(unqualified).is_some() {
            return false;
        }
        match self.evaluator.node().read(&path) {
            Reading::Known(value, rest) => {
                let found = dig_value(&value, &rest).filter(|it| is_plain(&it.value));
                self.note_variable(expression, found.as_ref().map(|it| &it.value));
                found.is_some()
            }
            Reading::Unset => false,
            Reading::Open(_) => {
                self.note_variable(expression, None);
                // These are always set, so only their members may be missing.
                let is_member = !path.rest.is_empty() && NODE_HASHES.contains(&unqualified);
                is_member || !self.fails_if_unset(root, InterpolatedText::Data)
            }
        }
    }

    /// Whether every file that a lookup of the key can lead to has a plain value for it, or none.
    fn key_never_fails(&mut self, part: &Part, text: &Arc<str>) -> bool {
        let evaluator = self.evaluator;
        let (Ok(key), Some(finder)) = (Key::parse(text), evaluator.key_finder()) else {
            return false;
        };
        let is_root = key.rest().is_empty() && !lookup::is_reserved(text);
        if !is_root || !finder.has_only_plain_values(key.root()) {
            return false;
        }
        let scope = evaluator.module_scope(key.module());
        let known = part.plain_modules.borrow().get(&scope.name).copied();
        let is_plain = known.unwrap_or_else(|| {
            let is_plain = self.has_only_plain_files(&scope);
            part.plain_modules.borrow_mut().insert(scope.name.clone(), is_plain);
            is_plain
        });
        // The key decides the answer, although only its presence is of interest.
        self.note_key(key.root(), None);
        is_plain && !self.may_have_options(&scope, &key)
    }

    /// Whether no file that keys of a module can lead to makes a lookup fail.
    fn has_only_plain_files(&self, scope: &Arc<ModuleScope>) -> bool {
        let evaluator = self.evaluator;
        let (Ok(global), Ok(environment), Ok(module)) = (
            evaluator.global_layer(),
            evaluator.environment_layer(),
            evaluator.module_layer(scope),
        ) else {
            return false;
        };
        // The global layer may be outside of the workspace, whose keys are known.
        let has_levels = |layer: &Layer| {
            let levels = layer.levels(self, Which::Hierarchy);
            levels.as_ref().map_or(true, |it| !it.is_empty())
        };
        let mut others = environment.into_iter().chain(module);
        !has_levels(global) && others.all(|layer| self.is_plain_layer(layer))
    }

    fn is_plain_layer(&self, layer: &Layer) -> bool {
        let Ok(levels) = layer.levels(self, Which::Hierarchy) else { return false };
        layer.must_be_set().next().is_none()
            && !layer.config.has_default_hierarchy()
            && !open_options::has_odd_options(layer, self)
            && levels.iter().all(|level| self.is_plain_level(layer, level))
    }

    fn is_plain_level(&self, layer: &Layer, level: &ResolvedLevel) -> bool {
        let evaluator = self.evaluator;
        let (Some(format), Some(finder)) = (level.reads, evaluator.key_finder()) else {
            return false;
        };
        let module = layer.module.as_ref();
        let is_plain = |location: &Location| match &location.open {
            _ if location.is_uri => false,
            Some(open) => {
                let among = || open_paths::paths_of(evaluator, &open.path);
                !open.is_obscure
                    && open_paths::refused_files(
                        evaluator,
                        module,
                        (finder, &among),
                        (&open.path, format),
                    )
                    .is_empty()
            }
            None if location.exists => {
                let file = evaluator.files().data(&location.file, format);
                file.is_ok_and(|file| {
                    !file.is_broken() && !open_paths::is_refused(evaluator, module, &file)
                })
            }
            None => true,
        };
        level.function.kind == FunctionKind::DataHash
            && level.locations.iter().flatten().all(is_plain)
    }

    /// Whether lookup_options may apply to a key.
    fn may_have_options(&mut self, scope: &Arc<ModuleScope>, key: &Key) -> bool {
        let evaluator = self.evaluator;
        let environment = evaluator.environment_layer().ok().flatten();
        let mut layers =
            environment.into_iter().chain(evaluator.module_layer(scope).ok().flatten());
        if layers.any(|layer| open_options::may_have_options_for(layer, self, key.root())) {
            return true;
        }
        let options = self
            .unrecorded(|it| it.without_footprint(|it| lookup_options::for_key(it, scope, key)));
        !matches!(options, Ok(None))
    }
}

fn has_list(value: &Value) -> bool {
    has_list_that(value, &|_| true)
}

fn has_list_with_tokens(value: &Value) -> bool {
    has_list_that(value, &Value::has_tokens)
}

/// Whether a value is a list that `meets` a condition, or a hash with one.
fn has_list_that(value: &Value, meets: &dyn Fn(&Value) -> bool) -> bool {
    match value {
        Value::Array(_) => meets(value),
        Value::Hash(hash) => hash.iter().any(|(_, it)| has_list_that(&it.value.value, meets)),
        _ => false,
    }
}

/// Whether a value is inserted into a text without further ado.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(_) => !value.has_tokens(),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => true,
        _ => false,
    }
}
