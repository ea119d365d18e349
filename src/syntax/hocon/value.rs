//! Values that may contain unresolved substitutions, and how a later value for a key is merged over an earlier one.
//!
//! The detection of cycles compares values by identity, so values are shared and compared by address.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use super::Failure;
use super::path::render;
use crate::limits::MAX_HOCON_BYTES;
use crate::text::TextRange;

const OBJECT_NOT_RESOLVED: &str =
    "need to Config#resolve() before using this object, see the API docs for Config#resolve()";

/// A value and its position.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) kind: Kind,
    pub(super) range: TextRange,
    /// First and last line of the text that it was built from.
    pub(super) lines: (u32, u32),
    /// Whether it contains no unresolved substitution.
    pub(super) is_resolved: bool,
}

/// Shared values.
pub(super) type Shared = Rc<Value>;

/// Kinds of values.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    Scalar(Scalar),
    List(Vec<Shared>),
    Object(Object),
    /// `${path}` or `${?path}`.
    Reference {
        path: Vec<Arc<str>>,
        is_optional: bool,
        /// Whether the text contains it. A `+=` stands for one that it does not contain.
        is_written: bool,
    },
    /// A concatenation that contains an unresolved substitution.
    Pieces(Vec<Shared>),
    /// Values of one key, the last written first, that include an unresolved substitution.
    Stack(Vec<Shared>),
    /// The same if the first of them is an object.
    ObjectStack(Vec<Shared>),
    /// A value that environment variables of the server decide: with `${…}` in place of their values.
    OfEnvironment {
        text: Arc<str>,
        variables: Vec<Arc<str>>,
    },
}

/// A single value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
    Null,
    Boolean(bool),
    /// `value` as JSON spells it, `text` as it was written.
    Number {
        value: Arc<str>,
        text: Arc<str>,
    },
    Text {
        text: Arc<str>,
        is_quoted: bool,
    },
}

/// An object.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    pub(super) members: IndexMap<Arc<str>, Member>,
    /// Whether it hides earlier values for the same key completely.
    pub(super) ignores_fallbacks: bool,
}

/// The value of a key in an [`Object`].
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) key_range: TextRange,
    pub(super) value: Shared,
}

impl Scalar {
    /// A quoted string.
    pub(super) fn quoted(text: impl Into<Arc<str>>) -> Self {
        Self::Text { text: text.into(), is_quoted: true }
    }

    /// Whether it is a quoted string.
    pub(super) fn is_quoted(&self) -> bool {
        matches!(self, Self::Text { is_quoted: true, .. })
    }

    /// The value as a piece of a string.
    pub(super) fn as_text(&self) -> Arc<str> {
        match self {
            Self::Null => "null".into(),
            Self::Boolean(value) => value.to_string().into(),
            Self::Number { text, .. } | Self::Text { text, .. } => Arc::clone(text),
        }
    }

    /// The value as messages show it.
    pub(super) fn unwrapped(&self) -> Arc<str> {
        match self {
            Self::Null => "".into(),
            Self::Number { value, .. } => Arc::clone(value),
            other => other.as_text(),
        }
    }

    /// The type as messages name it.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Boolean(_) => "BOOLEAN",
            Self::Number { .. } => "NUMBER",
            Self::Text { .. } => "STRING",
        }
    }
}

impl Value {
    /// Creates a value, which is resolved if all its parts are.
    pub(super) fn new(kind: Kind, range: TextRange, lines: (u32, u32)) -> Self {
        let is_resolved = match &kind {
            Kind::Scalar(_) | Kind::OfEnvironment { .. } => true,
            Kind::List(items) => items.iter().all(|it| it.is_resolved),
            Kind::Object(object) => object.members.values().all(|it| it.value.is_resolved),
            _ => false,
        };
        Self { kind, range, lines, is_resolved }
    }

    /// Whether it is an object, resolved or not.
    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_) | Kind::ObjectStack(_))
    }

    /// Whether it cannot be merged before substitutions are resolved.
    pub(super) fn is_unmergeable(&self) -> bool {
        matches!(
            self.kind,
            Kind::Reference { .. } | Kind::Pieces(_) | Kind::Stack(_) | Kind::ObjectStack(_)
        )
    }

    /// Whether it contains other values.
    pub(super) fn is_container(&self) -> bool {
        !matches!(self.kind, Kind::Scalar(_) | Kind::Reference { .. } | Kind::OfEnvironment { .. })
    }

    /// Whether earlier values for the same key are ignored.
    pub(super) fn ignores_fallbacks(&self) -> bool {
        match &self.kind {
            Kind::Object(object) => object.ignores_fallbacks,
            // If an optional variable is not set, an earlier value counts.
            Kind::Reference { .. } | Kind::Pieces(_) | Kind::OfEnvironment { .. } => false,
            Kind::Stack(stack) | Kind::ObjectStack(stack) => {
                stack.last().is_some_and(|it| it.ignores_fallbacks())
            }
            // Only objects are merged. Any other value hides the earlier ones as soon as it is known.
            _ => self.is_resolved,
        }
    }
}

/// `${?path}` as messages write it.
pub(super) fn render_reference(path: &[Arc<str>], is_optional: bool) -> String {
    format!("${{{}{}}}", if is_optional { "?" } else { "" }, render(path))
}

/// Merges `value` over `fallback`, an earlier value for the same key.
pub(super) fn with_fallback(value: &Shared, fallback: &Shared) -> Result<Shared, Failure> {
    if value.ignores_fallbacks() {
        return Ok(Rc::clone(value));
    }
    if let Some(open) = of_environment(value, fallback) {
        return Ok(Value { range: value.range, lines: value.lines, ..open }.into());
    }
    let is_object_over_object = matches!(value.kind, Kind::Object(_));
    Ok(match &fallback.kind {
        Kind::Stack(below) | Kind::ObjectStack(below) => stacked(value, below),
        Kind::Reference { .. } | Kind::Pieces(_) => stacked(value, &[Rc::clone(fallback)]),
        Kind::Object(_) if is_object_over_object => merge_objects(value, fallback)?,
        _ if value.is_resolved => ignoring_fallbacks(value),
        _ => stacked(value, &[Rc::clone(fallback)]),
    })
}

/// What an environment variable makes of two values that are merged: it decides whether the earlier one counts.
fn of_environment(value: &Value, fallback: &Value) -> Option<Value> {
    let is_open = |it: &Value| matches!(it.kind, Kind::OfEnvironment { .. });
    // What is not resolved yet is merged later.
    (is_open(value) || is_open(fallback) && value.is_resolved).then(|| {
        let mut variables = Vec::new();
        add_variables(value, &mut variables);
        add_variables(fallback, &mut variables);
        let kind = Kind::OfEnvironment { text: render_text(value), variables };
        Value::new(kind, value.range, value.lines)
    })
}

/// Adds the environment variables that decide a value or a part of it.
pub(super) fn add_variables(value: &Value, variables: &mut Vec<Arc<str>>) {
    match &value.kind {
        Kind::OfEnvironment { variables: own, .. } => {
            for variable in own {
                if !variables.contains(variable) {
                    variables.push(Arc::clone(variable));
                }
            }
        }
        Kind::List(items) => items.iter().for_each(|it| add_variables(it, variables)),
        Kind::Object(object) => {
            object.members.values().for_each(|it| add_variables(&it.value, variables));
        }
        _ => {}
    }
}

/// A value as a piece of a text that contains environment variables.
fn render_text(value: &Value) -> Arc<str> {
    match &value.kind {
        Kind::Scalar(scalar) => scalar.as_text(),
        Kind::OfEnvironment { text, .. } => Arc::clone(text),
        _ => render_value(value).into(),
    }
}

/// Merges the values of one key, the last written first, into one value.
pub(super) fn made_one(layers: &[Shared]) -> Result<Option<Shared>, Failure> {
    let Some((first, rest)) = layers.split_first() else { return Ok(None) };
    let mut over = Rc::clone(first);
    for (at, under) in rest.iter().enumerate() {
        if matches!(over.kind, Kind::Stack(_) | Kind::ObjectStack(_)) {
            return Ok(Some(stacked_up(&over, &rest[at..])));
        }
        over = with_fallback(&over, under)?;
    }
    Ok(Some(over))
}

/// [`with_fallback`] for an unresolved value over several others.
fn stacked_up(over: &Shared, rest: &[Shared]) -> Shared {
    let mut below: Vec<Shared> = Vec::new();
    let mut last = Rc::clone(over);
    for under in rest {
        if last.ignores_fallbacks() {
            break;
        }
        match &under.kind {
            Kind::Stack(stack) | Kind::ObjectStack(stack) => below.extend(stack.iter().cloned()),
            _ => below.push(Rc::clone(under)),
        }
        last = below.last().map_or(last, Rc::clone);
    }
    if below.is_empty() { Rc::clone(over) } else { stacked(over, &below) }
}

fn stacked(value: &Shared, below: &[Shared]) -> Shared {
    let mut stack = match &value.kind {
        Kind::Stack(stack) | Kind::ObjectStack(stack) => stack.clone(),
        _ => vec![Rc::clone(value)],
    };
    stack.extend(below.iter().cloned());
    let lines = stack.iter().map(|it| it.lines).reduce(merge_lines).unwrap_or_default();
    let kind = if value.is_object() { Kind::ObjectStack(stack) } else { Kind::Stack(stack) };
    Rc::new(Value::new(kind, value.range, lines))
}

fn ignoring_fallbacks(value: &Shared) -> Shared {
    let mut value = Value::clone(value);
    if let Kind::Object(object) = &mut value.kind {
        object.ignores_fallbacks = true;
    }
    Rc::new(value)
}

/// Later keys come first. The gem crashes on an inner object that has to wait for a substitution below it.
fn merge_objects(value: &Shared, fallback: &Shared) -> Result<Shared, Failure> {
    let (Kind::Object(over), Kind::Object(under)) = (&value.kind, &fallback.kind) else {
        return Ok(Rc::clone(value));
    };
    let mut merged =
        Object { members: over.members.clone(), ignores_fallbacks: under.ignores_fallbacks };
    let mut is_changed = over.ignores_fallbacks != under.ignores_fallbacks;
    for (key, member) in &under.members {
        let Some(known) = merged.members.get_mut(key) else {
            is_changed = true;
            merged.members.insert(Arc::clone(key), member.clone());
            continue;
        };
        let kept = with_fallback(&known.value, &member.value)?;
        let was_object = matches!(known.value.kind, Kind::Object(_));
        if was_object && matches!(kept.kind, Kind::ObjectStack(_)) {
            return Err(Failure::bare(OBJECT_NOT_RESOLVED, member.value.range));
        }
        is_changed |= !Rc::ptr_eq(&known.value, &kept);
        known.value = kept;
    }
    // Cycles are found by identity, so an object that does not change must remain the same one.
    if !is_changed {
        return Ok(Rc::clone(value));
    }
    let lines = merge_lines(value.lines, fallback.lines);
    Ok(Rc::new(Value::new(Kind::Object(merged), value.range, lines)))
}

/// Concatenates neighbouring values as far as possible; `None` if there are none.
pub(super) fn concatenate(pieces: Vec<Shared>) -> Result<Option<Shared>, Failure> {
    let mut joined = join_pieces(pieces, &Cell::new(0))?;
    if joined.len() < 2 {
        return Ok(joined.pop());
    }
    let lines = joined.iter().map(|it| it.lines).reduce(merge_lines).unwrap_or_default();
    let range = joined.iter().map(|it| it.range).reduce(spanning).unwrap_or_default();
    Ok(Some(Rc::new(Value::new(Kind::Pieces(joined), range, lines))))
}

/// Joins neighbours that are not separated by a substitution.
pub(super) fn join_pieces(
    pieces: Vec<Shared>,
    written: &Cell<usize>,
) -> Result<Vec<Shared>, Failure> {
    if pieces.len() < 2 {
        return Ok(pieces);
    }
    let flat = pieces.into_iter().flat_map(|piece| match &piece.kind {
        Kind::Pieces(inner) => inner.clone(),
        _ => vec![piece],
    });
    let mut joined: Vec<Shared> = Vec::new();
    // A run of texts is joined once at its end: a text may have as many pieces as words.
    let mut texts: Vec<Shared> = Vec::new();
    for right in flat {
        if matches!(right.kind, Kind::Scalar(_)) && (!texts.is_empty() || joined.is_empty()) {
            texts.push(right);
            continue;
        }
        joined.extend(one_text(std::mem::take(&mut texts), written)?);
        let Some(left) = joined.pop() else {
            joined.push(right);
            continue;
        };
        if let Some(both) = join(&left, &right)? {
            count_written(&both, written)?;
            joined.push(both);
            continue;
        }
        joined.push(left);
        match right.kind {
            Kind::Scalar(_) => texts.push(right),
            _ => joined.push(right),
        }
    }
    joined.extend(one_text(texts, written)?);
    Ok(joined)
}

/// Joins texts into one; `None` if there is no text.
fn one_text(texts: Vec<Shared>, written: &Cell<usize>) -> Result<Option<Shared>, Failure> {
    let [first, .., last] = &*texts else { return Ok(texts.into_iter().next()) };
    let parts = texts.iter().filter_map(|it| match &it.kind {
        Kind::Scalar(scalar) => Some(scalar.as_text()),
        _ => None,
    });
    let text: String = parts.fold(String::new(), |text, part| text + &part);
    let range = spanning(first.range, last.range);
    let lines = texts.iter().map(|it| it.lines).reduce(merge_lines).unwrap_or(first.lines);
    let text = Rc::new(Value::new(Kind::Scalar(Scalar::quoted(text)), range, lines));
    count_written(&text, written)?;
    Ok(Some(text))
}

/// Counts the bytes of a value that was concatenated or copied. Ruby fails when its memory is full.
pub(super) fn count_written(value: &Value, written: &Cell<usize>) -> Result<(), Failure> {
    let bytes = match &value.kind {
        Kind::Scalar(scalar) => scalar.as_text().len(),
        Kind::List(items) => items.len() * size_of::<Shared>(),
        Kind::Object(object) => object.members.len() * size_of::<Value>(),
        Kind::OfEnvironment { text, .. } => text.len(),
        _ => 0,
    };
    written.set(written.get() + bytes);
    if written.get() > MAX_HOCON_BYTES {
        return Err(Failure::bare(OUT_OF_MEMORY, value.range));
    }
    Ok(())
}

/// Ruby's message.
const OUT_OF_MEMORY: &str = "failed to allocate memory";

fn join(left: &Shared, right: &Shared) -> Result<Option<Shared>, Failure> {
    let range = spanning(left.range, right.range);
    let lines = merge_lines(left.lines, right.lines);
    let is_plain = matches!(&right.kind, Kind::Scalar(Scalar::Text { is_quoted: false, .. }));
    let joined = match (&left.kind, &right.kind) {
        (Kind::OfEnvironment { .. }, _) | (_, Kind::OfEnvironment { .. }) => {
            let mut variables = Vec::new();
            add_variables(left, &mut variables);
            add_variables(right, &mut variables);
            let text = format!("{}{}", render_text(left), render_text(right)).into();
            Rc::new(Value::new(Kind::OfEnvironment { text, variables }, range, lines))
        }
        (Kind::Object(object), Kind::List(_)) | (Kind::List(_), Kind::Object(object))
            if has_numeric_key(object) =>
        {
            let message =
                "uninitialized constant Hocon::Impl::DefaultTransformer::SimpleConfigList";
            return Err(Failure::bare(message, range));
        }
        // In `{a: 1} {a: 2}`, the right object counts as written later.
        _ if left.is_object() && right.is_object() => with_fallback(right, left)?,
        (Kind::List(a), Kind::List(b)) => {
            let items = a.iter().chain(b).cloned().collect();
            Rc::new(Value::new(Kind::List(items), range, lines))
        }
        // The gem treats any unquoted text after a list or an object as spaces.
        (Kind::List(_) | Kind::Object(_) | Kind::ObjectStack(_), _) if is_plain => Rc::clone(left),
        _ if left.is_unmergeable() || right.is_unmergeable() => return Ok(None),
        _ => {
            let message = format!(
                "Cannot concatenate object or list with a non-object-or-list, {} and {} \
                 are not compatible",
                inspect(left),
                inspect(right)
            );
            return Err(Failure::bare(format!("{}: {message}", describe_lines(left.lines)), range));
        }
    };
    Ok(Some(joined))
}

fn has_numeric_key(object: &Object) -> bool {
    let is_digits = |key: &str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
    object.members.keys().any(|key| is_digits(key.strip_prefix('+').unwrap_or(key)))
}

/// `String: 3` or `String: 3-5`.
fn describe_lines(lines: (u32, u32)) -> String {
    match lines {
        (first, last) if first == last => format!("String: {first}"),
        (first, last) => format!("String: {first}-{last}"),
    }
}

pub(super) fn merge_lines(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// From the start of `a` to the end of `b`; just `a` if that is not a range.
fn spanning(a: TextRange, b: TextRange) -> TextRange {
    if a.start <= b.end { TextRange::new(a.start, a.end.max(b.end)) } else { a }
}

/// A value as the gem prints it in messages: its class and its rendered text.
pub(super) fn inspect(value: &Value) -> String {
    format!("{}({})", class(value), render_value(value))
}

/// As Ruby names the object that lacks a method.
pub(super) fn inspect_with_class(value: &Value) -> String {
    let class = class(value);
    let module = if matches!(class, "Quoted" | "Unquoted") { "ConfigString::" } else { "" };
    format!("{}:Hocon::Impl::{module}{class}", inspect(value))
}

fn class(value: &Value) -> &'static str {
    match &value.kind {
        Kind::Scalar(Scalar::Null) => "ConfigNull",
        Kind::Scalar(Scalar::Boolean(_)) => "ConfigBoolean",
        Kind::Scalar(Scalar::Number { value, .. }) if is_integer(value) => "ConfigInt",
        Kind::Scalar(Scalar::Number { .. }) => "ConfigDouble",
        Kind::Scalar(Scalar::Text { is_quoted: true, .. }) | Kind::OfEnvironment { .. } => "Quoted",
        Kind::Scalar(Scalar::Text { .. }) => "Unquoted",
        Kind::List(_) => "SimpleConfigList",
        Kind::Object(_) => "SimpleConfigObject",
        Kind::Reference { .. } => "ConfigReference",
        Kind::Pieces(_) => "ConfigConcatenation",
        Kind::Stack(_) => "ConfigDelayedMerge",
        Kind::ObjectStack(_) => "ConfigDelayedMergeObject",
    }
}

fn is_integer(value: &str) -> bool {
    !value.contains(['.', 'e', 'E'])
}

fn render_value(value: &Value) -> String {
    let all = |values: &[Shared], between: &str| {
        values.iter().map(|it| render_value(it)).collect::<Vec<_>>().join(between)
    };
    match &value.kind {
        Kind::Scalar(Scalar::Text { text, .. }) | Kind::OfEnvironment { text, .. } => {
            render_json_string(text)
        }
        Kind::Scalar(Scalar::Null) => "null".to_owned(),
        Kind::Scalar(scalar) => scalar.unwrapped().to_string(),
        Kind::List(items) => format!("[{}]", all(items, ",")),
        Kind::Object(object) => {
            let mut keys: Vec<&Arc<str>> = object.members.keys().collect();
            keys.sort_by_cached_key(|key| sort_key(key));
            let members: Vec<String> = keys
                .into_iter()
                .map(|key| render_member(key, &object.members[key].value))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        Kind::Reference { path, is_optional, .. } => render_reference(path, *is_optional),
        Kind::Pieces(pieces) => all(pieces, ""),
        Kind::Stack(stack) | Kind::ObjectStack(stack) => {
            stack.iter().rev().fold(String::new(), |text, it| text + &render_value(it) + ",")
        }
    }
}

/// The layers of a key are rendered as separate members, the last written last.
fn render_member(key: &str, value: &Value) -> String {
    let quoted = render_json_string(key);
    match &value.kind {
        Kind::Stack(stack) | Kind::ObjectStack(stack) => {
            let layers = stack.iter().rev().map(|it| format!("{quoted}:{}", render_value(it)));
            layers.collect::<Vec<_>>().join(",")
        }
        _ => format!("{quoted}:{}", render_value(value)),
    }
}

/// Numbers come first, by value, then all other keys by their bytes.
fn sort_key(key: &str) -> (bool, u128, String) {
    let is_number = !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit());
    (!is_number, if is_number { key.parse().unwrap_or(u128::MAX) } else { 0 }, key.to_owned())
}

/// A string in JSON's quotes.
pub(super) fn render_json_string(text: &str) -> String {
    let mut quoted = String::from('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
