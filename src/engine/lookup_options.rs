//! `lookup_options`: collected over all levels of all layers by a hash merge, then matched against a root key.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::convert_to::{self, SENSITIVE};
use super::evaluator::{Evaluator, ModuleScope};
use super::failure::{Failure, FailureClass};
use super::invocation::{Collecting, Found, Invocation};
use super::key::Key;
use super::layer::{Layer, Which};
use super::lookup::{self, LOOKUP_OPTIONS};
use super::merge::Merge;
use super::open_options;
use super::open_paths;
use super::open_text::may_be_equal;
use super::trace::{FoundIn, Outcome, TraceKind};
use crate::data::{Hash, Located, Member, Place, Value, inspect};
use crate::syntax::interpolation;
use crate::syntax::ruby_regex::{RegexList, RegexProblem};

/// The options of all keys, as one layer combination sees them.
#[derive(Debug, Default)]
pub(crate) struct OptionTable {
    plain: HashMap<Arc<str>, Arc<Options>, foldhash::fast::RandomState>,
    patterns: RegexList<Arc<Options>>,
    /// Keys with `%{…}` in them, which may be those of open variables.
    with_tokens: Vec<Arc<str>>,
    /// The open variables in its texts: Puppet reads them whatever the key is.
    open_variables: OnceLock<Vec<Arc<str>>>,
    /// What is merged over these.
    over: Option<Arc<OptionTable>>,
    /// Whether a pattern may take long to match.
    is_slow: bool,
    /// The entries for root keys, if that takes long.
    known: Mutex<HashMap<Arc<str>, Option<Arc<Options>>, foldhash::fast::RandomState>>,
}

/// The maximum number of root keys whose entries are kept.
const MAX_KNOWN: usize = 65_536;

/// One entry of lookup_options, with its options.
#[derive(Debug)]
pub(crate) struct Options {
    entry: Arc<str>,
    key_place: Option<Place>,
    written: Located,
    merge: OnceLock<OptionalMerge>,
    convert_to: OnceLock<Found>,
}

/// Outside: why the option cannot be read. Inside: why Puppet refuses the strategy, which it says later.
type OptionalMerge = Result<Option<Result<Merge, Failure>>, Failure>;

/// The entry of lookup_options that applies to a key.
#[derive(Debug, Clone)]
pub struct AppliedOptions {
    /// The entry's key: the root key itself, or a pattern.
    pub entry: Arc<str>,
    /// Whether it is a pattern.
    pub is_pattern: bool,
    /// Where the entry's key is written.
    pub key_place: Option<Place>,
    /// The options, a hash if the user wrote what is meant.
    pub options: Located,
}

impl OptionTable {
    /// The entry for a root key: a plain one that is not null, else the first pattern that matches. As a merged hash lists
    /// its lowest source first, so do the patterns; a pattern of several sources has the place of the lowest and the
    /// options of the highest.
    fn for_root(&self, root: &str) -> Option<Arc<Options>> {
        if let Some(options) = self.plain(root)
            && !matches!(options.written.value, Value::Undef)
        {
            return Some(Arc::clone(options));
        }
        if !self.is_slow {
            return self.by_pattern(root).cloned();
        }
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(root).cloned();
        known.unwrap_or_else(|| {
            let found = self.by_pattern(root).cloned();
            let mut known = lock();
            if known.len() == MAX_KNOWN {
                known.clear();
            }
            known.insert(root.into(), found.clone());
            found
        })
    }

    fn by_pattern(&self, root: &str) -> Option<&Arc<Options>> {
        let over = || self.over.as_deref()?.first_pattern_for(root);
        let options = self.first_pattern_for(root).or_else(over)?;
        let over = self.over.as_deref().and_then(|over| over.pattern(&options.entry));
        Some(over.unwrap_or(options))
    }

    fn open_variables(&self, invocation: &Invocation<'_>) -> Vec<Arc<str>> {
        let own = self.open_variables.get_or_init(|| {
            let keys = self.with_tokens.iter().map(|key| Value::String(Arc::clone(key)));
            let all = self.plain.values().chain(self.patterns.items());
            let values = all.map(|options| options.written.value.clone());
            invocation.open_variables_in(&keys.chain(values).collect::<Vec<_>>())
        });
        let over = self.over.as_deref().map(|over| over.open_variables(invocation));
        own.iter().cloned().chain(over.into_iter().flatten()).collect()
    }

    /// Those of its keys, open variables in them, that may become one that applies to a root key.
    fn open_keys_for(&self, root: &str) -> Vec<Value> {
        let over = self.over.as_deref().map_or(&[][..], |over| &over.with_tokens);
        let keys = self.with_tokens.iter().chain(over);
        let may_apply = |key: &&Arc<str>| key.starts_with(['^', '%']) || may_be_equal(key, root);
        keys.filter(may_apply).map(|key| Value::String(Arc::clone(key))).collect()
    }

    fn plain(&self, root: &str) -> Option<&Arc<Options>> {
        let over = self.over.as_deref().and_then(|over| over.plain(root));
        over.or_else(|| self.plain.get(root))
    }

    fn first_pattern_for(&self, root: &str) -> Option<&Arc<Options>> {
        self.patterns.matching(root).map(|(_, options)| options).next()
    }

    fn pattern(&self, text: &str) -> Option<&Arc<Options>> {
        self.patterns.items().find(|options| *options.entry == *text)
    }

    fn compile(evaluator: &Evaluator, options: Option<Located>) -> Result<Self, Failure> {
        let mut table = Self::default();
        let Some(Located { value: Value::Hash(options), .. }) = options else { return Ok(table) };
        for (key, member) in options.as_ref() {
            let text = string_key(key, member.key_place)?;
            let options = Arc::new(Options::new(&text, member));
            if interpolation::may_have_tokens(&text) {
                table.with_tokens.push(Arc::clone(&text));
            }
            // The first character alone decides what is a pattern: `.*foo` is an ordinary key.
            if text.starts_with('^') {
                let regex = evaluator
                    .prepared()
                    .regex(&text)
                    .map_err(|problem| regex_failure(&problem).at(member.key_place))?;
                table.is_slow |= regex.is_slow();
                table.patterns.push(regex, options);
            } else {
                table.plain.insert(text, options);
            }
        }
        Ok(table)
    }
}

impl Options {
    fn new(entry: &Arc<str>, member: &Member) -> Self {
        Self {
            entry: Arc::clone(entry),
            key_place: member.key_place,
            written: member.value.clone(),
            merge: OnceLock::new(),
            convert_to: OnceLock::new(),
        }
    }

    /// The `merge` option.
    pub(crate) fn merge(&self) -> Result<Option<&Result<Merge, Failure>>, Failure> {
        let merge = self.merge.get_or_init(|| {
            let merge = option(&self.written, "merge")?;
            Ok(merge.map(|it| Merge::of(Some(&it.value)).map_err(|failure| failure.at(it.place))))
        });
        merge.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// The `convert_to` option.
    pub(crate) fn convert_to(&self) -> Result<Option<&Located>, Failure> {
        let convert_to = self.convert_to.get_or_init(|| option(&self.written, "convert_to"));
        convert_to.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    /// What is written, interpolated.
    pub(crate) fn written(&self) -> &Value {
        &self.written.value
    }

    /// For readers outside the engine.
    pub(crate) fn applied(&self) -> AppliedOptions {
        AppliedOptions {
            entry: Arc::clone(&self.entry),
            is_pattern: self.entry.starts_with('^'),
            key_place: self.key_place,
            options: self.written.clone(),
        }
    }
}

fn regex_failure(problem: &RegexProblem) -> Failure {
    match problem {
        RegexProblem::Invalid(message) => Failure::ruby("RegexpError", message.as_str()),
        RegexProblem::Unsupported(message) => {
            Failure::of(FailureClass::Unsupported, message.as_str())
        }
    }
}

/// Ruby's `options[name]`, whatever the options are: a string is searched for the word. `~` and `false` are no options.
fn option(options: &Located, name: &'static str) -> Found {
    let found = match &options.value {
        Value::Undef | Value::Boolean(false) => None,
        Value::Hash(hash) => hash.get(name).map(|member| member.value.clone()),
        Value::String(text) => text.contains(name).then(|| Value::string(name).unplaced()),
        Value::Array(_) | Value::Integer(_) | Value::BigInteger(_) => {
            let message = "no implicit conversion of String into Integer";
            return Err(Failure::ruby("TypeError", message).at(options.place));
        }
        other => {
            let message = format!(
                "undefined method `[]' for {}:{}",
                inspect::inspect(other),
                inspect::ruby_class(other)
            );
            return Err(Failure::ruby("NoMethodError", message).at(options.place));
        }
    };
    Ok(found.filter(|it| !matches!(it.value, Value::Undef)))
}

/// The entry for `key`, from options that are collected at the first lookup and kept; `scope` is that of the key's
/// module.
pub(crate) fn for_key(
    invocation: &mut Invocation<'_>,
    scope: &Arc<ModuleScope>,
    key: &Key,
) -> Result<Option<Arc<Options>>, Failure> {
    if !invocation.evaluator.node().is_complete() && !invocation.collecting.asks_global_options {
        return for_key_of_partial_node(invocation, scope, key);
    }
    known_or_collected(invocation, scope, key)
}

/// The options of most keys do not depend on open variables: these are collected once. If a file that an open path leads to
/// has options for the key, they are collected for this key alone, and become cases.
fn for_key_of_partial_node(
    invocation: &mut Invocation<'_>,
    scope: &Arc<ModuleScope>,
    key: &Key,
) -> Result<Option<Arc<Options>>, Failure> {
    let evaluator = invocation.evaluator;
    let global = evaluator.global_layer().ok();
    let environment = evaluator.environment_layer().ok().flatten();
    let module = evaluator.module_layer(scope).ok().flatten();
    let mut depends = false;
    // The options of one layer are merged with those of the others, so odd ones concern all layers.
    let mut are_odd = false;
    for layer in [global, environment, module].into_iter().flatten() {
        if layer.levels(invocation, Which::Hierarchy).is_ok() {
            layer.breaks_without_a_variable(invocation)?;
            depends |= open_options::may_have_options_for(layer, invocation, key.root());
            are_odd |= open_options::has_odd_options(layer, invocation);
            depends |= open_paths::obscure_lead_to_files_or_are_left_out(layer, invocation);
        }
    }
    if depends && !invocation.skips_open_paths {
        let outer = invocation.collecting.wanted_for.replace(Arc::clone(key.root()));
        let outer_are_odd = std::mem::replace(&mut invocation.collecting.are_odd, are_odd);
        let table = collect(invocation, scope);
        invocation.collecting.wanted_for = outer;
        invocation.collecting.are_odd = outer_are_odd;
        let table = table?;
        return Ok(applying(invocation, &table, key));
    }
    let exploration = invocation.exploration.take();
    let outer = std::mem::replace(&mut invocation.skips_open_paths, true);
    // What is kept must not know what this run assumes.
    let assumptions = std::mem::take(&mut invocation.assumptions);
    let wanted_for = invocation.collecting.wanted_for.take();
    let found = known_or_collected(invocation, scope, key);
    invocation.collecting.wanted_for = wanted_for;
    invocation.assumptions = assumptions;
    invocation.skips_open_paths = outer;
    invocation.exploration = exploration;
    found
}

fn known_or_collected(
    invocation: &mut Invocation<'_>,
    scope: &Arc<ModuleScope>,
    key: &Key,
) -> Result<Option<Arc<Options>>, Failure> {
    let known = scope.options.get().filter(|_| !invocation.is_collecting_options_of(scope));
    let table = if let Some(table) = known {
        table
    } else {
        let table = collect(invocation, scope)?;
        if invocation.collecting.asks_global_options {
            return Ok(applying(invocation, &table, key));
        }
        scope.options.get_or_init(|| table)
    };
    Ok(applying(invocation, table, key))
}

/// The entry for a key; says so if open variables decide which that is.
fn applying(
    invocation: &mut Invocation<'_>,
    table: &OptionTable,
    key: &Key,
) -> Option<Arc<Options>> {
    if !invocation.evaluator.node().is_complete() {
        let open = table.open_keys_for(key.root());
        invocation.depends_on_texts_of_earlier_runs(&open);
        for variable in table.open_variables(invocation) {
            invocation.read_open(&variable);
        }
    }
    table.for_root(key.root())
}

/// Puppet merges a module's options with the others if there are some, and has none left if the module says `~`.
fn null_of_a_module_takes_away_all_options(own: &Located) -> bool {
    matches!(own.value, Value::Undef)
}

/// Collects only for `--explain-options`.
pub(crate) fn explain_collection(invocation: &mut Invocation<'_>) -> Result<(), Failure> {
    let key = options_key()?;
    let merge = Merge::hash();
    lookup::in_all_layers(invocation, &key, &merge).map(|_| ())
}

fn options_key() -> Result<Key, Failure> {
    Key::parse(&Arc::from(LOOKUP_OPTIONS))
}

fn collect(
    invocation: &mut Invocation<'_>,
    scope: &Arc<ModuleScope>,
) -> Result<Arc<OptionTable>, Failure> {
    let evaluator = invocation.evaluator;
    let key = options_key()?;
    let merge = Merge::hash();
    invocation.for_key(key.text(), Arc::clone(scope), |invocation| {
        let kind = || TraceKind::Search { key: Arc::clone(key.text()), is_options: true };
        invocation.within(kind, |invocation| {
            let shared = invocation.as_puppet_knows_shared_options(|invocation| {
                global_and_environment(invocation, &key, &merge)
            })?;
            let shared_table =
                options_of_keys_without_module_are_known_now(invocation, shared.as_ref())?;
            let Some(module) = &scope.name else { return Ok(shared_table) };
            let own = invocation
                .knowing_shared_options(|invocation| lookup::in_module(invocation, &key, &merge))?;
            if own.as_ref().is_some_and(null_of_a_module_takes_away_all_options) {
                return Ok(Arc::default());
            }
            let own = validated(own, Some(module))?;
            let Some(own) = own else { return Ok(shared_table) };
            if let Some(shared) = shared {
                explain_merge_with_module(invocation, &merge, module, &shared, &own);
            }
            let own = OptionTable::compile(evaluator, Some(own))?;
            let is_slow = own.is_slow || shared_table.is_slow;
            Ok(Arc::new(OptionTable { over: Some(shared_table), is_slow, ..own }))
        })
    })
}

/// So that a key without a module does not collect them again: explain would show it.
fn options_of_keys_without_module_are_known_now(
    invocation: &Invocation<'_>,
    shared: Option<&Located>,
) -> Result<Arc<OptionTable>, Failure> {
    let evaluator = invocation.evaluator;
    let cell = &evaluator.no_module().options;
    let compile = || OptionTable::compile(evaluator, shared.cloned()).map(Arc::new);
    if invocation.collecting.asks_global_options || invocation.collecting.wanted_for.is_some() {
        return compile();
    }
    if let Some(known) = cell.get() {
        return Ok(Arc::clone(known));
    }
    let table = compile()?;
    Ok(Arc::clone(cell.get_or_init(|| table)))
}

/// The options of the global layer merged over those of the environment.
fn global_and_environment(
    invocation: &mut Invocation<'_>,
    key: &Key,
    merge: &Merge,
) -> Result<Option<Located>, Failure> {
    let evaluator = invocation.evaluator;
    // Puppet has the options of the global layer when it collects those of the environment, and fails there.
    let is_recursion = invocation.is_collecting_options();
    let global = if invocation.collecting.asks_global_options || is_recursion {
        None
    } else {
        asked_once(invocation.kept_options(&evaluator.global_options), || {
            options_inside_global_options_are_none(invocation, key, merge)
        })?
    };
    let kept = invocation.kept_options(&evaluator.environment_options).filter(|_| !is_recursion);
    let environment =
        asked_once(kept, || validated(lookup::in_environment(invocation, key, merge)?, None))?;
    match (global, environment) {
        (Some(global), Some(environment)) => merge.merge(global, environment).map(Some),
        (global, environment) => Ok(global.or(environment)),
    }
}

/// A lookup inside the global layer's lookup_options does not ask that layer for them again: if the environment has no
/// layer, that is no recursion.
fn options_inside_global_options_are_none(
    invocation: &mut Invocation<'_>,
    key: &Key,
    merge: &Merge,
) -> Result<Option<Located>, Failure> {
    invocation.collecting.asks_global_options = true;
    let found = lookup::in_global(invocation, key, merge);
    invocation.collecting.asks_global_options = false;
    validated(found?, None)
}

/// The options of each layer are collected once, for whatever module. So a lookup inside the options of the environment
/// finds those of the global layer already collected, and the environment reports the recursion.
fn asked_once(
    cell: Option<&OnceLock<Option<Located>>>,
    ask: impl FnOnce() -> Result<Option<Located>, Failure>,
) -> Result<Option<Located>, Failure> {
    let Some(cell) = cell else { return ask() };
    if let Some(known) = cell.get() {
        return Ok(known.clone());
    }
    let options = ask()?;
    Ok(cell.get_or_init(|| options).clone())
}

impl Invocation<'_> {
    /// Whether this is a lookup inside lookup_options.
    fn is_collecting_options(&self) -> bool {
        self.names.iter().any(|name| **name == *LOOKUP_OPTIONS)
    }

    /// Whether lookup_options are collected, of whatever layers.
    pub(super) fn collects_options(&self) -> bool {
        let Collecting { asks_global_options, wanted_for, shared_are_known, .. } = &self.collecting;
        *asks_global_options
            || *shared_are_known
            || wanted_for.is_some()
            || self.is_collecting_options()
    }

    /// Whether Puppet needs the options of a module's keys before it has collected them. Options that earlier lookups
    /// collected are ignored, because the result must not depend on what was looked up before.
    fn is_collecting_options_of(&self, scope: &ModuleScope) -> bool {
        let are_known = scope.name.is_none() && self.collecting.shared_are_known;
        self.is_collecting_options() && !are_known
    }

    /// Where options are kept, unless they are those of one way in which open variables decide.
    fn kept_options<'c>(
        &self,
        cell: &'c OnceLock<Option<Located>>,
    ) -> Option<&'c OnceLock<Option<Located>>> {
        self.collecting.wanted_for.is_none().then_some(cell)
    }

    /// Looks up options of a module, which Puppet does when it knows those of the global layer and of the environment.
    fn knowing_shared_options<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.collecting.shared_are_known, true);
        let done = work(self);
        self.collecting.shared_are_known = outer;
        done
    }

    /// Collects the options of the global layer and of the environment. Where Puppet has them already, collecting them is no
    /// recursion: they may be needed again here, for another key of a partial node.
    fn as_puppet_knows_shared_options<R>(&mut self, collect: impl FnOnce(&mut Self) -> R) -> R {
        if !self.collecting.shared_are_known {
            return collect(self);
        }
        let names = std::mem::take(&mut self.names);
        self.collecting.shared_are_known = false;
        let collected = collect(self);
        self.collecting.shared_are_known = true;
        self.names = names;
        collected
    }
}

/// The hash merge itself is left to [`OptionTable::for_root`]: modules can be many, and the shared options long.
fn explain_merge_with_module(
    invocation: &mut Invocation<'_>,
    merge: &Merge,
    module: &str,
    shared: &Located,
    own: &Located,
) {
    let kind = || TraceKind::Merge { strategy: merge.name(), options: None };
    invocation.within(kind, |invocation| {
        let sources =
            [("Global and Environment".to_owned(), shared), (format!("Module {module}"), own)];
        for (name, value) in sources {
            invocation.within(
                || TraceKind::Scope(name.into()),
                |invocation| {
                    let key = Arc::from(LOOKUP_OPTIONS);
                    let (value, source) = (value.clone(), FoundIn::Data);
                    invocation.report(|| Outcome::Found { key, value, source });
                },
            );
        }
        invocation.report(|| {
            // Two hashes can always be merged.
            let merged = merge.merge(shared.clone(), own.clone());
            Outcome::Result(merged.unwrap_or_else(|_| shared.clone()))
        });
    });
}

/// The `merge` that a module's default hierarchy sets for a key of its own, with the entry that sets it.
pub(crate) fn of_default_hierarchy(
    invocation: &mut Invocation<'_>,
    layer: &Layer,
    key: &Key,
) -> Result<Option<(Value, AppliedOptions)>, Failure> {
    let options_key = options_key()?;
    let merge = Merge::hash();
    let module = layer.module.clone();
    let found = invocation.within(
        || TraceKind::Scope(format!("Searching for \"{LOOKUP_OPTIONS}\"").into()),
        |invocation| {
            invocation.knowing_shared_options(|invocation| {
                layer.key_lookup_in_default(invocation, &options_key, &merge)
            })
        },
    )?;
    let found = validated(found, module.as_ref())?;
    let table = OptionTable::compile(invocation.evaluator, found)?;
    // Puppet reads only `merge` from these options. `convert_to` comes from the ordinary ones.
    match table.for_root(key.root()) {
        Some(options) => {
            let merge = option(&options.written, "merge")?;
            Ok(merge.map(|it| (it.value, options.applied())))
        }
        None => Ok(None),
    }
}

/// The keys whose options differ between two values of `lookup_options`. `None` if other keys may be affected: those that match
/// a pattern, or all keys, because some options cannot be read, or because only a lookup tells what they are.
pub fn keys_with_other_options(before: &Value, now: &Value) -> Option<BTreeSet<Arc<str>>> {
    if before.has_tokens() || now.has_tokens() {
        return None;
    }
    let sides = [before.as_hash()?, now.as_hash()?];
    let keys = |options: &Hash| -> Option<Vec<Arc<str>>> {
        options.iter().map(|(key, _)| key.as_str().map(Arc::from)).collect()
    };
    let [before, now] = [keys(sides[0])?, keys(sides[1])?];
    // The first pattern that matches a key applies.
    let is_pattern = |key: &&Arc<str>| key.starts_with('^');
    if !before.iter().filter(is_pattern).eq(now.iter().filter(is_pattern)) {
        return None;
    }
    let mut different = BTreeSet::new();
    for key in before.into_iter().chain(now) {
        let [one, other] = sides.map(|it| it.get(&key).map(|member| &member.value.value));
        if one != other {
            // Whether some values are sensitive matters to all keys.
            let concerns_key = |it: &&Value| it.as_hash().is_some() && !may_make_sensitive(it);
            if is_pattern(&&key) || ![one, other].iter().flatten().all(concerns_key) {
                return None;
            }
            different.insert(key);
        }
    }
    Some(different)
}

/// Whether a text in the options of a key names the type that makes values sensitive, or may become such a text.
pub fn may_make_sensitive(options: &Value) -> bool {
    match options {
        Value::String(text) => [SENSITIVE, "%{", "ENC["].iter().any(|it| text.contains(it)),
        Value::Array(items) => items.iter().any(|item| may_make_sensitive(&item.value)),
        Value::Hash(hash) => hash.iter().any(|(key, member)| {
            let value = &member.value.value;
            may_make_sensitive(value)
                || key.as_str() == Some("convert_to") && convert_to::makes_sensitive(value)
        }),
        _ => false,
    }
}

/// lookup_options must be a hash, and a module may only have options for its own keys.
fn validated(
    options: Option<Located>,
    module: Option<&Arc<str>>,
) -> Result<Option<Located>, Failure> {
    let Some(options) = options else { return Ok(None) };
    let hash = match &options.value {
        // Puppet takes an undef for "no options".
        Value::Undef => return Ok(None),
        Value::Hash(hash) => hash,
        _ => {
            let message = format!("value of {LOOKUP_OPTIONS} must be a hash");
            return Err(Failure::lookup(message).at(options.place));
        }
    };
    let Some(module) = module else { return Ok(Some(options)) };
    let prefix = format!("{module}::");
    for (key, member) in hash.as_ref() {
        let text = string_key(key, member.key_place)?;
        // The name of the module must follow `^` directly: Puppet refuses `^(m1::a)`.
        let (what, rest) = match text.strip_prefix('^') {
            Some(rest) => ("patterns must match a key starting", rest),
            None => ("keys must start", &*text),
        };
        if !rest.starts_with(&prefix) {
            let message = format!("all {LOOKUP_OPTIONS} {what} with module name '{module}'");
            return Err(Failure::lookup(message).at(member.key_place));
        }
    }
    Ok(Some(options))
}

fn string_key(key: &Value, place: Option<Place>) -> Result<Arc<str>, Failure> {
    if let Value::String(text) = key {
        return Ok(Arc::clone(text));
    }
    Err(Failure::ruby("NoMethodError", refusal_of_key(key)).at(place))
}

/// Puppet's message for a key of `lookup_options` that is not a string. It breaks every lookup.
pub fn refusal_of_key(key: &Value) -> String {
    let (key, class) = (inspect::inspect(key), inspect::ruby_class(key));
    format!("undefined method `start_with?' for {key}:{class}")
}
