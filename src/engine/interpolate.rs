//! Interpolation: `%{…}` in data and in hiera.yaml, token by token as Puppet expands them.

use std::sync::Arc;

use super::dig;
use super::evaluator::Evaluator;
use super::failure::{Failure, FailureClass};
use super::invocation::{Found, InterpolatedText, Invocation, Mapped, Stand, undef};
use super::lookup;
use super::open_names;
use super::steps::Subject;
use super::trace::{FoundIn, Outcome, TraceKind};
use super::within;
use crate::data::{Hash, Located, Value, inspect};
use crate::facts::Reading;
use crate::facts::mapped::member_of;
use crate::facts::open_path;
use crate::syntax::interpolation::{self, Expression, Method};
use crate::syntax::key_path::{KeyPath, Segment};

/// The bytes of stack that one nested lookup may need, including debug builds.
const STACK_RED_ZONE: usize = 256 * 1024;

/// The bytes of stack that are added if less than that is left.
const STACK_GROWTH: usize = 4 * 1024 * 1024;

/// Expands every token in a value: strings at any depth, and hash keys. Parts without tokens are shared, not copied.
pub(crate) fn interpolate(
    invocation: &mut Invocation<'_>,
    value: &Located,
    context: InterpolatedText,
) -> Result<Located, Failure> {
    Ok(changed(invocation, value, context)?.unwrap_or_else(|| value.clone()))
}

/// The value with every token expanded; `None` if it has none.
fn changed(
    invocation: &mut Invocation<'_>,
    value: &Located,
    context: InterpolatedText,
) -> Result<Option<Located>, Failure> {
    let work = |it: &mut Invocation<'_>| {
        let changed = match &value.value {
            Value::Array(items) => changed_items(it, items, context)?.map(Value::array),
            Value::Hash(hash) => changed_members(it, hash, context)?.map(Value::hash),
            _ => None,
        };
        Ok(changed.map(|it| Located::new(it, value.place)))
    };
    match &value.value {
        Value::String(text) if value.value.has_tokens() => {
            interpolate_string(invocation, text, value, context).map(Some)
        }
        Value::Array(_) | Value::Hash(_) if context == InterpolatedText::Data => {
            invocation.step(|| Subject::Part(value.value.clone()), work)
        }
        Value::Array(_) | Value::Hash(_) => work(invocation),
        _ => Ok(None),
    }
}

fn changed_items(
    invocation: &mut Invocation<'_>,
    items: &[Located],
    context: InterpolatedText,
) -> Result<Option<Vec<Located>>, Failure> {
    let mut result: Option<Vec<Located>> = None;
    for (number, item) in items.iter().enumerate() {
        let changed = changed(invocation, item, context)?;
        match (&mut result, changed) {
            (Some(result), changed) => result.push(changed.unwrap_or_else(|| item.clone())),
            (None, Some(changed)) => {
                let mut copy = Vec::with_capacity(items.len());
                copy.extend_from_slice(&items[..number]);
                copy.push(changed);
                result = Some(copy);
            }
            (None, None) => {}
        }
    }
    Ok(result)
}

fn changed_members(
    invocation: &mut Invocation<'_>,
    hash: &Hash,
    context: InterpolatedText,
) -> Result<Option<Hash>, Failure> {
    let mut result: Option<Hash> = None;
    let mut has_open_keys = false;
    for (number, (key, member)) in hash.iter().enumerate() {
        let changed_key = if key.has_tokens() {
            let placed_key = Located::new(key.clone(), member.key_place);
            invocation.with_names(|it| changed(it, &placed_key, context))?
        } else {
            None
        };
        has_open_keys |= changed_key.as_ref().is_some_and(|it| it.value.has_tokens());
        let changed_value = changed(invocation, &member.value, context)?;
        if result.is_none() && (changed_key.is_some() || changed_value.is_some()) {
            let mut copy = Hash::with_capacity(hash.len());
            for (key, member) in hash.iter().take(number) {
                copy.insert(key.clone(), member.key_place, member.value.clone());
            }
            result = Some(copy);
        }
        if let Some(result) = &mut result {
            let key = changed_key.map_or_else(|| key.clone(), |it| it.value);
            let value = changed_value.unwrap_or_else(|| member.value.clone());
            // Two keys can be equal after interpolation. As in Ruby, the first decides the position and the last the value.
            result.insert(key, member.key_place, value);
        }
    }
    if has_open_keys {
        invocation.note_undecided_keys_of(result.as_ref().unwrap_or(hash));
    }
    Ok(result)
}

/// Expands a template of hiera.yaml to a text.
pub(crate) fn interpolate_text(
    invocation: &mut Invocation<'_>,
    template: &Located,
    context: InterpolatedText,
) -> Result<Arc<str>, Failure> {
    let value = interpolate(invocation, template, context)?.value;
    Ok(match value {
        Value::String(text) => text,
        other => inspect::to_s(&other).into(),
    })
}

/// [`interpolate_text`] for a path. Ruby makes no path of a text with a null byte.
pub(super) fn interpolate_path(
    invocation: &mut Invocation<'_>,
    template: &Located,
    context: InterpolatedText,
) -> Result<Arc<str>, Failure> {
    if has_null_byte(template) {
        let message = "pathname contains null byte";
        return Err(Failure::ruby("ArgumentError", message).at(template.place));
    }
    interpolate_text(invocation, template, context)
}

/// Whether a template contains a null byte. In its text, this character marks open variables.
pub(super) fn has_null_byte(template: &Located) -> bool {
    template.value.as_str().is_some_and(|it| it.contains('\0'))
}

/// The result of a variable expression.
pub(crate) enum Variable {
    /// Its value, or nothing.
    Found(Option<Located>),
    /// The variable is open, so its value is not known.
    Open(Arc<str>),
}

/// A variable expression: a bare name, dug into if it has dots.
pub(crate) fn variable(
    invocation: &mut Invocation<'_>,
    expression: &str,
    subject: &str,
    context: InterpolatedText,
) -> Result<Variable, Failure> {
    let variable = invocation.evaluator.variable_of(expression);
    let variable =
        variable.ok_or_else(|| Failure::lookup(format!("Syntax error in string: {subject}")))?;
    if let Some(name) = invocation.name_left_open(expression, context) {
        return Ok(Variable::Open(name));
    }
    let path = &variable.path;
    if let Some(Mapped::AnyOf(list)) = path.root_name().and_then(|root| invocation.local(root)) {
        // The member may be a text, a list or a hash.
        return Ok(Variable::Open(member_of(list, &path.rest)));
    }
    if path.root_name().is_some_and(|root| within::depends_on_caller(root)) {
        invocation.evaluator.prepared().note_read_of_caller();
    }
    let found = match invocation.read_partial_node(&variable, context) {
        Some(stand) => partial_variable(invocation, expression, path, stand, context),
        None => known_variable(invocation, expression, path, context).map(Variable::Found),
    };
    // An expression that fails has read the variable, too.
    let value = match &found {
        Ok(Variable::Found(Some(value))) => Some(&value.value),
        _ => None,
    };
    invocation.note_variable(expression, value);
    found
}

/// A variable of a node that is not completely known.
fn partial_variable(
    invocation: &mut Invocation<'_>,
    expression: &str,
    path: &KeyPath,
    stand: Stand,
    context: InterpolatedText,
) -> Result<Variable, Failure> {
    let Some(root) = path.root_name() else { return Ok(Variable::Found(None)) };
    match stand {
        Stand::Open(name) => Ok(Variable::Open(name)),
        Stand::Unset if path.rest.is_empty() || is_certainly_unset(invocation, root) => {
            invocation.undefined_variable(root, context)?;
            Ok(Variable::Found(None))
        }
        Stand::Unset => Ok(Variable::Found(None)),
        Stand::Known(value, rest) => {
            invocation.within(
                || TraceKind::Scope(Arc::from("Global Scope")),
                |invocation| invocation.report_found(root, &value),
            );
            if rest.is_empty() {
                return Ok(Variable::Found(Some(value)));
            }
            dig::dig(invocation, expression, &rest, value).map(Variable::Found)
        }
    }
}

/// Whether a variable is not set itself, and not only without the member that a text reads.
fn is_certainly_unset(invocation: &Invocation<'_>, root: &str) -> bool {
    let evaluator = invocation.evaluator;
    let variable = evaluator.variable_of(root);
    variable.is_some_and(|it| matches!(evaluator.read_variable(&it), Reading::Unset))
}

/// Puppet's message for a variable such as `1.x`, whose first segment is an Integer.
pub fn refusal_of_number(index: i64) -> String {
    format!("Scope variable name {index} is a Integer, not a string")
}

fn known_variable(
    invocation: &mut Invocation<'_>,
    expression: &str,
    path: &KeyPath,
    context: InterpolatedText,
) -> Found {
    let value = invocation.within(
        || TraceKind::Scope(Arc::from("Global Scope")),
        |invocation| match &path.root {
            Segment::Name(name) => root_variable(invocation, name, context),
            Segment::Index(index) => {
                Err(Failure::of(FailureClass::Puppet, refusal_of_number(*index)))
            }
        },
    )?;
    match value {
        // Puppet does not dig in undef, so explanations show no step for its members.
        Some(value) if !path.rest.is_empty() && !matches!(value.value, Value::Undef) => {
            dig::dig(invocation, expression, &path.rest, value)
        }
        value => Ok(value),
    }
}

fn root_variable(
    invocation: &mut Invocation<'_>,
    name: &Arc<str>,
    context: InterpolatedText,
) -> Found {
    // The options `override` and `default_values_hash` of a call to `lookup()` also apply to variables in texts.
    if let Some(member) = invocation.overrides.get(name) {
        let value = member.value.clone();
        report_found_elsewhere(invocation, name, &value, FoundIn::Overrides);
        return Ok(Some(value));
    }
    if let Some(value) = invocation.variable(name, context)? {
        invocation.report_found(name, &value);
        return Ok(Some(value));
    }
    let Some(member) = invocation.default_values.get(name) else { return Ok(None) };
    let value = member.value.clone();
    report_found_elsewhere(invocation, name, &value, FoundIn::Defaults);
    Ok(Some(value))
}

fn report_found_elsewhere(
    invocation: &mut Invocation<'_>,
    key: &Arc<str>,
    value: &Located,
    source: FoundIn,
) {
    invocation.report(|| Outcome::Found { key: Arc::clone(key), value: value.clone(), source });
}

fn interpolate_string(
    invocation: &mut Invocation<'_>,
    subject: &Arc<str>,
    located: &Located,
    context: InterpolatedText,
) -> Result<Located, Failure> {
    invocation.within(
        || TraceKind::Interpolation(Arc::clone(subject)),
        |invocation| {
            let mut text = Vec::with_capacity(subject.len());
            let mut done = 0;
            let mut counted = 0;
            let mut kept = KeptTokens::default();
            for token in interpolation::tokens(subject) {
                invocation.budget.step()?;
                // Counted as the text grows: a single text with thousands of tokens must not fill the memory either.
                invocation.budget.write(text.len() - counted)?;
                counted = text.len();
                text.extend_from_slice(&subject.as_bytes()[done..token.range.start as usize]);
                done = token.range.end as usize;
                let is_whole = token.range.start == 0 && done == subject.len();
                let expanded = expand(invocation, located, &token.expression, is_whole, context)
                    .map_err(|failure| failure.at(located.place))?;
                match expanded {
                    // In data, the token stays as it is written. In hiera.yaml, a hole takes its place, because paths are joined and
                    // compared later.
                    Expanded::Open(variable) if context == InterpolatedText::Data => {
                        invocation.read_open(&variable);
                        match token.variable() {
                            Some((expression, _)) if open_names::is_left_open(&variable) => {
                                open_names::write_token(expression, &mut text);
                            }
                            None => open_names::write_token(&variable, &mut text),
                            _ => text.extend_from_slice(token.range.slice(subject).as_bytes()),
                        }
                        kept.variables.push(variable);
                    }
                    Expanded::Open(variable) => {
                        text.extend_from_slice(open_path::hole(&variable).as_bytes());
                    }
                    Expanded::Whole(value) => return Ok(value),
                    Expanded::Text(Value::Undef) => {}
                    Expanded::Text(Value::Bytes(bytes)) => text.extend_from_slice(&bytes),
                    Expanded::Text(value) => {
                        invocation.note_undecided_keys(&value);
                        let inserted = invocation.text_of(&value);
                        // Most texts that are inserted contain no token, nor a part of one.
                        if inserted.contains('%') {
                            kept.may_be_read_in_another_way = true;
                            kept.variables.extend(invocation.open_variables_of([&value]));
                        }
                        text.extend_from_slice(inserted.as_bytes());
                    }
                }
            }
            text.extend_from_slice(&subject.as_bytes()[done..]);
            invocation.budget.write(text.len() - counted)?;
            let text = Value::of_bytes(text);
            invocation.depends_on_variables(kept.swallowed_in(&text, invocation.evaluator));
            Ok(Located::new(text, located.place))
        },
    )
}

/// The tokens of open variables that stay in a text.
#[derive(Default)]
struct KeptTokens {
    /// The variable of each token.
    variables: Vec<Arc<str>>,
    /// Whether a text was inserted that may change how the rest is read.
    may_be_read_in_another_way: bool,
}

impl KeptTokens {
    /// The variables whose tokens are no longer tokens of the text, because a `%{` was inserted before them, as
    /// `%{literal('%{')}` does. What the text means then depends on their values.
    fn swallowed_in(mut self, text: &Value, evaluator: &Evaluator) -> Vec<Arc<str>> {
        let Value::String(text) = text else {
            // Nothing looks for tokens in bytes, so the names of nodes must not stay open there.
            self.variables.retain(|it| open_names::is_left_open(it));
            return self.variables;
        };
        if self.variables.is_empty() || !self.may_be_read_in_another_way {
            return Vec::new();
        }
        for token in interpolation::tokens(text) {
            let name = evaluator.name_in(&token);
            if let Some(at) = self.variables.iter().position(|it| Some(it) == name.as_ref()) {
                self.variables.swap_remove(at);
            }
        }
        self.variables
    }
}

enum Expanded {
    /// An alias: the value replaces the whole string.
    Whole(Located),
    /// Any other token: its text is inserted into the string.
    Text(Value),
    /// The token reads a variable that is not known, so it stays in the string.
    Open(Arc<str>),
}

fn expand(
    invocation: &mut Invocation<'_>,
    located: &Located,
    expression: &Expression,
    is_whole: bool,
    context: InterpolatedText,
) -> Result<Expanded, Failure> {
    let subject = located.value.as_str().unwrap_or_default();
    let (method, argument) = match expression {
        Expression::Empty => return Ok(Expanded::Text(Value::Undef)),
        Expression::Variable(expression) => (None, expression),
        Expression::Call { .. } if context != InterpolatedText::Data => {
            // Puppet refuses even `literal()` in hiera.yaml.
            let message = "Interpolation using method syntax is not allowed in this context";
            return Err(Failure::issue(message));
        }
        Expression::Call { method, argument, .. } => (Some(method), argument),
    };
    if method == Some(&Method::Alias) && !is_whole {
        let message = "'alias' interpolation is only permitted if the expression is equal to the entire string";
        return Err(Failure::issue(message));
    }
    let value = match method {
        Some(method @ (Method::Lookup | Method::Hiera | Method::Alias)) => {
            if let Some(variable) = invocation.lookup_left_open(method, argument, context) {
                return Ok(Expanded::Open(variable));
            }
            let before = invocation.notes.nested.len();
            let value = nested_lookup(invocation, argument)?;
            let token = (located, argument, method == &Method::Alias);
            invocation.note_nested_source(token, &value, before);
            value
        }
        Some(Method::Literal) => Value::String(Arc::clone(argument)).unplaced(),
        Some(Method::Unknown(name)) => {
            return Err(Failure::issue(format!("Unknown interpolation method '{name}'")));
        }
        Some(Method::Scope) | None => match variable(invocation, argument, subject, context)? {
            Variable::Found(value) => value.unwrap_or_else(undef),
            Variable::Open(name) => {
                // Puppet 8 fails for an undefined variable, but never for a missing member such as `facts.x`.
                if context == InterpolatedText::Config && !argument.contains('.') {
                    invocation.must_be_set(&name);
                }
                return Ok(Expanded::Open(name));
            }
        },
    };
    if method == Some(&Method::Alias) {
        return Ok(Expanded::Whole(value));
    }
    // Puppet keeps variables and keys on one stack. The prefix keeps a variable from being a recursion of a key with its name.
    let prefix = match method {
        Some(Method::Scope) | None => "scope:",
        Some(_) => "",
    };
    let value = results_are_interpolated_again(invocation, [prefix, argument], value, context)?;
    Ok(Expanded::Text(value.value))
}

/// Puppet interpolates the value of every token except an alias again, with the token's own name on the stack. This is also
/// what makes `foo: "%{literal('foo')}"` a recursion.
fn results_are_interpolated_again(
    invocation: &mut Invocation<'_>,
    name: [&str; 2],
    value: Located,
    context: InterpolatedText,
) -> Result<Located, Failure> {
    // Most values have no tokens. Then only a recursion matters, and the name needs no memory of its own.
    if !value.value.has_tokens() && !invocation.is_on_stack(name) {
        return Ok(value);
    }
    invocation.guarded(&name.concat().into(), |it| interpolate(it, &value, context))
}

/// Runs a nested lookup.
pub(crate) fn with_enough_stack<R>(work: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(STACK_RED_ZONE, STACK_GROWTH, work)
}

/// A missing key becomes the empty string, for an alias as well.
fn nested_lookup(invocation: &mut Invocation<'_>, key: &Arc<str>) -> Result<Located, Failure> {
    if let Some(known) = invocation.nested_value(key)? {
        return Ok(known);
    }
    let (before, scope) = (invocation.budget.spent(), invocation.scope);
    let found = invocation.step(
        || Subject::Key(Arc::clone(key), scope),
        |invocation| {
            invocation.budget.enter()?;
            let found = invocation.unrecorded(|invocation| {
                with_enough_stack(|| lookup::search_with_hashes(invocation, key, None))
            });
            invocation.budget.leave();
            Ok(Some(found?.unwrap_or_else(|| Value::string("").unplaced())))
        },
    )?;
    let value = found.unwrap_or_else(|| Value::string("").unplaced());
    invocation.keep_nested_value(key, &value, before);
    Ok(value)
}
