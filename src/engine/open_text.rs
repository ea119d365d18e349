//! Strings with open variables whose content affects a result: lists without duplicates, keys of hashes, conversions. Such a
//! result is not certain, and records the variables that it depends on.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::cases::LeftOut;
use super::evaluator::Evaluator;
use super::invocation::Invocation;
use super::merge::{Merge, Strategy};
use super::request::Answer;
use crate::data::{Hash, Value, inspect};
use crate::facts::variable::VariablePath;
use crate::facts::{Node, Reading};
use crate::syntax::interpolation::{self, Token};

/// The number of pairs of keys in a hash that are compared.
const MAX_COMPARED_KEYS: usize = 1 << 22;

/// Types that every string has.
const TYPES_OF_ANY_TEXT: [&str; 8] =
    ["Any", "Data", "NotUndef", "Optional[String]", "RichData", "Scalar", "ScalarData", "String"];

impl Invocation<'_> {
    /// Records that the answer depends on the open variables in `values`, and returns whether there are any.
    pub(super) fn depends_on_texts<'v>(
        &mut self,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> bool {
        let variables = self.open_variables_of(values);
        self.depends_on_variables(variables)
    }

    /// The open variables in the tokens of values that were interpolated in this run, each once.
    pub(super) fn open_variables_of<'v>(
        &self,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Vec<Arc<str>> {
        let mut variables = Vec::new();
        let read = &self.notes.open;
        if self.has_open_texts() {
            let is_open = |name: &Arc<str>| read.contains(name);
            for value in values {
                collect_open(value, self.evaluator, &is_open, read.len(), &mut variables);
            }
        }
        variables
    }

    /// The same for values that may have been interpolated in an earlier run, as lookup_options are.
    pub(super) fn depends_on_texts_of_earlier_runs<'v>(
        &mut self,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> bool {
        let variables = self.open_variables_in(values);
        self.depends_on_variables(variables)
    }

    /// The variables in strings of values that are not known for the node, in whichever run the strings were interpolated.
    pub(super) fn open_variables_in<'v>(
        &self,
        values: impl IntoIterator<Item = &'v Value>,
    ) -> Vec<Arc<str>> {
        let evaluator = self.evaluator;
        let mut variables = Vec::new();
        let is_open = |name: &Arc<str>| {
            let variable = evaluator.variable_of(name);
            let read = variable.map(|it| evaluator.read_variable(&it));
            matches!(read, Some(Reading::Open(_)))
        };
        let texts = values.into_iter().filter(|value| value.has_tokens());
        texts
            .for_each(|value| collect_open(value, evaluator, &is_open, usize::MAX, &mut variables));
        variables
    }

    /// Records that the answer depends on open variables, and returns whether there are any.
    pub(super) fn depends_on_variables(&mut self, variables: Vec<Arc<str>>) -> bool {
        if variables.is_empty() {
            return false;
        }
        self.leave_out(LeftOut { level: None, variables: variables.into(), files: 0 });
        true
    }

    /// Records if open variables decide how two values are merged.
    pub(super) fn note_undecided_merge(&mut self, merge: &Merge, high: &Value, low: &Value) {
        if !self.has_open_texts() || !(high.has_tokens() || low.has_tokens()) {
            return;
        }
        let mut deciding = Deciding::default();
        let is_deep = !matches!(merge.strategy(), Strategy::Unique | Strategy::Hash);
        let (high, low) = if is_deep { self.needed_of_merge(high, low) } else { (high, low) };
        for value in [high, low] {
            match merge.strategy() {
                Strategy::First | Strategy::Default => return,
                Strategy::Unique => deciding.items(value),
                Strategy::Hash => deciding.keys(value, false),
                Strategy::Deep | Strategy::UnconstrainedDeep | Strategy::ReverseDeep => {
                    deciding.keys(value, true);
                }
            }
        }
        // A knockout prefix or a separator can match inside any string.
        let any_text_decides = is_deep && merge.options_without_strategy().is_some();
        if any_text_decides || deciding.is_undecided() {
            self.depends_on_texts([high, low]);
        }
    }

    /// Records if open variables decide which items of a list are equal.
    pub(super) fn note_undecided_list(&mut self, value: &Value) {
        if !self.has_open_texts() || !value.has_tokens() {
            return;
        }
        let mut deciding = Deciding::default();
        deciding.items(value);
        if deciding.is_undecided() {
            self.depends_on_texts([value]);
        }
    }

    /// Records if a member that is dug out may be one whose name is open.
    pub(super) fn note_undecided_member(&mut self, value: &Value, name: &str) {
        if !self.has_open_texts() {
            return;
        }
        let Some(hash) = value.as_hash() else { return };
        let keys = hash.iter().map(|(key, _)| key);
        let open = keys
            .filter(|key| key.as_str().is_some_and(|key| key != name && may_be_equal(key, name)));
        let open: Vec<Value> = open.cloned().collect();
        self.depends_on_texts(&open);
    }

    /// Records if open variables decide which keys of a hash are equal. Asked before the hash becomes a text, because
    /// afterwards nothing joins equal keys.
    pub(super) fn note_undecided_keys(&mut self, value: &Value) {
        if !self.has_open_texts() || !value.has_tokens() {
            return;
        }
        let mut open = Vec::new();
        collect_undecided_keys(value, &mut open);
        self.depends_on_texts(open);
    }

    /// Records if open variables decide which keys of a hash that was interpolated are equal. Of equal keys, only the last value
    /// counts.
    pub(super) fn note_undecided_keys_of(&mut self, hash: &Hash) {
        if self.has_open_texts() {
            self.depends_on_texts(undecided_keys(hash));
        }
    }

    /// Whether it is not known if a type fits, because that depends on open strings in the value; this is then recorded.
    pub(super) fn is_type_undecided(&mut self, value_type: &str, value: &Value) -> bool {
        let is_any = value.as_str().is_some() && TYPES_OF_ANY_TEXT.contains(&value_type.trim());
        value.has_tokens() && !is_any && self.depends_on_texts([value])
    }

    /// A value as text. Tokens of open variables in a list or hash stay as they are written, without the backslashes that
    /// Ruby adds before quotes, because they may be read again.
    pub(super) fn text_of(&self, value: &Value) -> String {
        let text = inspect::to_s(value);
        let is_inspected = matches!(value, Value::Array(_) | Value::Hash(_));
        if !is_inspected || !self.has_open_texts() || !text.contains('\\') {
            return text;
        }
        let mut kept = String::with_capacity(text.len());
        let mut done = 0;
        for token in interpolation::tokens(&text) {
            kept.push_str(&text[done..token.range.start as usize]);
            done = token.range.end as usize;
            let written = token.range.slice(&text);
            kept.push_str(&written.replace("\\\"", "\"").replace("\\\\", "\\"));
        }
        kept + &text[done..]
    }

    fn has_open_texts(&self) -> bool {
        !self.notes.open.is_empty()
    }
}

/// A text `%{…}` that an answer contains as it is written, because its variable is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenToken {
    /// The text.
    pub written: String,
    /// The name of the variable for the node.
    pub variable: Arc<str>,
}

impl OpenToken {
    /// Whether the text calls the variable by another name, such as that of a legacy fact.
    pub fn has_another_name(&self) -> bool {
        let inside = self.written.trim_start_matches("%{").trim_end_matches('}').trim();
        let plain = |name: &str| name.trim_start_matches("::").replacen("facts.", "", 1);
        plain(inside) != plain(&self.variable)
    }
}

impl Answer {
    /// The texts in the value that stand for variables that are not known, or those in the message of the error.
    pub fn open_tokens(&self, node: &Node) -> Vec<OpenToken> {
        let mut tokens = Vec::new();
        if self.open.is_empty() {
            return tokens;
        }
        let mut add = |text: &str, token: &Token| {
            let variable = token.variable().and_then(|(name, _)| VariablePath::parse(name));
            let name = variable.and_then(|it| node.name_of(&it));
            let Some(variable) = name.filter(|name| self.open.contains(name)) else { return };
            let token = OpenToken { written: token.range.slice(text).to_owned(), variable };
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        };
        let mut add = |text: &str, token: &Token| {
            add(text, token);
            ControlFlow::Continue(())
        };
        let _ = match &self.outcome {
            Ok(Some(value)) => each_token(&value.value, &mut add),
            Ok(None) => ControlFlow::Continue(()),
            Err(failure) => each_token(&Value::string(&*failure.message), &mut add),
        };
        tokens
    }
}

/// Adds the open variables in the tokens of a value, by their names for the node, until there are `most`.
fn collect_open(
    value: &Value,
    evaluator: &Evaluator,
    is_open: &dyn Fn(&Arc<str>) -> bool,
    most: usize,
    into: &mut Vec<Arc<str>>,
) {
    let _ = each_token(value, &mut |_, token| {
        if into.len() >= most {
            return ControlFlow::Break(());
        }
        if let Some(name) = evaluator.name_in(token).filter(is_open)
            && !into.contains(&name)
        {
            into.push(name);
        }
        ControlFlow::Continue(())
    });
}

/// Passes on each token in the strings of a value, with its string, until `each` breaks off.
fn each_token(
    value: &Value,
    each: &mut dyn FnMut(&str, &Token) -> ControlFlow<()>,
) -> ControlFlow<()> {
    match value {
        Value::String(text) => {
            interpolation::tokens(text).iter().try_for_each(|token| each(text, token))
        }
        Value::Array(items) => items.iter().try_for_each(|it| each_token(&it.value, each)),
        Value::Hash(hash) => hash.iter().try_for_each(|(key, member)| {
            each_token(key, each)?;
            each_token(&member.value.value, each)
        }),
        Value::Sensitive(inner) => each_token(&inner.value, each),
        _ => ControlFlow::Continue(()),
    }
}

/// Adds the keys with tokens that may be equal to another key of the same hash, in the hashes of a value.
fn collect_undecided_keys<'v>(value: &'v Value, into: &mut Vec<&'v Value>) {
    match value {
        Value::Array(items) => {
            items.iter().for_each(|it| collect_undecided_keys(&it.value, into));
        }
        Value::Hash(hash) => {
            into.extend(undecided_keys(hash));
            for (_, member) in hash.iter() {
                collect_undecided_keys(&member.value.value, into);
            }
        }
        _ => {}
    }
}

/// The keys with tokens that may be equal to another key of the hash.
fn undecided_keys(hash: &Hash) -> Vec<&Value> {
    let texts = || hash.iter().filter_map(|(key, _)| Some((key, key.as_str()?)));
    let open: Vec<(&Value, &str)> =
        texts().filter(|(_, text)| interpolation::may_have_tokens(text)).collect();
    if open.is_empty() {
        return Vec::new();
    }
    // Of very many keys, it takes too long to find out that none are equal.
    if open.len().saturating_mul(hash.len()) > MAX_COMPARED_KEYS {
        return open.into_iter().map(|(key, _)| key).collect();
    }
    let all: Vec<(&str, Pieces<'_>)> = texts().map(|(_, text)| (text, Pieces::of(text))).collect();
    let is_undecided = |text: &str| {
        let pieces = Pieces::of(text);
        all.iter().any(|(other, it)| *other != text && pieces.may_be_equal_to(it))
    };
    open.into_iter().filter(|(_, text)| is_undecided(text)).map(|(key, _)| key).collect()
}

/// Strings that are compared with each other.
#[derive(Default)]
struct Deciding<'v> {
    texts: Vec<&'v str>,
    /// Whether lists or hashes with tokens are compared.
    has_collections: bool,
}

impl<'v> Deciding<'v> {
    /// The items of a list and of nested lists, or the only item.
    fn items(&mut self, value: &'v Value) {
        match value {
            Value::String(text) => self.texts.push(text),
            Value::Array(items) => items.iter().for_each(|it| self.items(&it.value)),
            Value::Hash(_) if value.has_tokens() => self.has_collections = true,
            _ => {}
        }
    }

    /// The keys of a hash; if `is_deep`, also those of nested hashes, and the items of lists.
    fn keys(&mut self, value: &'v Value, is_deep: bool) {
        match value {
            Value::Hash(hash) => {
                for (key, member) in hash.iter() {
                    if let Value::String(key) = key {
                        self.texts.push(key);
                    }
                    if is_deep {
                        self.keys(&member.value.value, true);
                    }
                }
            }
            Value::Array(_) => self.items(value),
            _ => {}
        }
    }

    fn is_undecided(&self) -> bool {
        if self.has_collections {
            return true;
        }
        let open = self.texts.iter().filter(|text| interpolation::may_have_tokens(text));
        open.into_iter()
            .any(|open| self.texts.iter().any(|it| it != open && may_be_equal(open, it)))
    }
}

/// Whether two strings can be equal after their tokens are replaced.
pub(super) fn may_be_equal(one: &str, other: &str) -> bool {
    Pieces::of(one).may_be_equal_to(&Pieces::of(other))
}

/// The pieces of a string that decide what it can be equal to.
struct Pieces<'t> {
    text: &'t str,
    /// The tokens, sorted.
    tokens: Vec<&'t str>,
    /// The text before the first token.
    start: &'t str,
    /// The text after the last token.
    end: &'t str,
    /// The number of bytes outside of tokens.
    fixed: usize,
}

impl<'t> Pieces<'t> {
    fn of(text: &'t str) -> Self {
        let found = interpolation::tokens(text);
        let mut tokens: Vec<&str> = found.iter().map(|it| it.range.slice(text)).collect();
        let fixed = text.len() - tokens.iter().map(|it| it.len()).sum::<usize>();
        tokens.sort_unstable();
        let (start, end) = match (found.first(), found.last()) {
            (Some(first), Some(last)) => {
                (&text[..first.range.start as usize], &text[last.range.end as usize..])
            }
            _ => (text, text),
        };
        Self { text, tokens, start, end, fixed }
    }

    /// Whether the two strings can be equal after their tokens are replaced.
    fn may_be_equal_to(&self, other: &Self) -> bool {
        match (self.tokens.is_empty(), other.tokens.is_empty()) {
            (true, true) => self.text == other.text,
            (false, true) => self.may_become(other.text),
            (true, false) => other.may_become(self.text),
            (false, false) => {
                // The same tokens have the same texts, so `%{x}` is never `www.%{x}`.
                if self.tokens == other.tokens && self.fixed != other.fixed {
                    return false;
                }
                let starts = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
                let ends = |a: &str, b: &str| a.ends_with(b) || b.ends_with(a);
                starts(self.start, other.start) && ends(self.end, other.end)
            }
        }
    }

    fn may_become(&self, text: &str) -> bool {
        // The two ends must not overlap in the other string.
        text.starts_with(self.start)
            && text.ends_with(self.end)
            && text.len() >= self.start.len() + self.end.len()
    }
}

#[cfg(test)]
mod tests {
    use super::may_be_equal;

    #[test]
    fn texts_may_be_equal_where_their_fixed_ends_agree() {
        assert!(may_be_equal("%{role}", "web"));
        assert!(may_be_equal("a-%{role}", "a-"));
        assert!(may_be_equal("a-%{role}", "%{site}-b"));
        assert!(!may_be_equal("a-%{role}", "b-web"));
        assert!(!may_be_equal("a%{role}a", "a"));
        assert!(!may_be_equal("a-%{role}", "b%{role}"));
        assert!(!may_be_equal("a", "b"));
        assert!(!may_be_equal("%{fqdn}", "www.%{fqdn}"));
        assert!(may_be_equal("a%{x}", "%{x}a"));
    }
}
