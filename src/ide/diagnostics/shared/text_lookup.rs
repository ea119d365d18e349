//! Lookups whose results become strings, for the rules about them.

use std::sync::Arc;

use crate::code::summary::root_key;
use crate::engine::{Answer, Evaluator, module_of_key};
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::ide::strings::StringNode;
use crate::syntax::interpolation::{self, Expression, Token};
use crate::text::{TextEdit, TextRange};

/// A lookup whose result becomes a string. Ranges count from the entry's first byte.
#[derive(Debug, Clone)]
pub(crate) struct TextLookup {
    /// The key.
    pub(crate) name: Arc<str>,
    /// The token.
    pub(crate) range: TextRange,
    /// Whether the token is the whole string, so that `alias` is possible.
    pub(crate) is_alone: bool,
    /// Whether the string is a key of a hash, which `alias` would give the value as it is, such as a hash.
    pub(crate) is_in_key: bool,
    /// The function's name; `None` if it is not written literally.
    method: Option<TextRange>,
}

impl TextLookup {
    /// The lookups in some strings.
    pub(crate) fn all(strings: &[StringNode<'_>]) -> Vec<Self> {
        let lookups = strings.iter().flat_map(|string| {
            let tokens = string.tokens.iter().filter(|token| !token.is_alias());
            tokens.filter_map(move |token| Self::of(string, token))
        });
        lookups.collect()
    }

    fn of(string: &StringNode<'_>, token: &Token) -> Option<Self> {
        let (name, _) = token.lookup_key()?;
        let Expression::Call { method, .. } = &token.expression else { return None };
        let start = token.expression_range.start;
        let part = TextRange::new(start, start + method.name().len() as u32);
        // Spaces may precede the name within the braces. Then there is no fix.
        let is_first = part.slice(string.text) == method.name();
        Some(Self {
            name: name.clone(),
            range: string.source_range(token.range),
            is_in_key: string.is_key,
            is_alone: token.range.len() as usize == string.text.len(),
            method: string.verbatim_range(token, part).filter(|_| is_first),
        })
    }

    /// The fix that writes `alias`, in an entry that starts at `start`; only if the token is the whole string.
    pub(crate) fn as_alias(&self, start: u32) -> Option<Fix> {
        let method = self.method.filter(|_| self.is_alone)?.shifted(start);
        let title = format!("Write `%{{alias('{}')}}`", self.name);
        Some(Fix::changing(title, vec![TextEdit::replace(method, "alias")]))
    }
}

/// Whether a text looks up a key that not all of the nodes have data for.
pub(crate) fn looks_up_missing_keys(evaluator: &Evaluator, written: &str) -> bool {
    looks_up(written, |key| {
        let answer = evaluator.lookup(key);
        let is_found = |it: &Answer| matches!(it.outcome, Ok(Some(_)));
        !is_found(&answer) || answer.cases.iter().any(|it| !is_found(&it.answer))
    })
}

/// Whether a text looks up a key that no file here has, and that may be stored elsewhere.
pub(crate) fn looks_up_keys_elsewhere(known: &KnownKeys<'_>, written: &str) -> bool {
    looks_up(written, |key| {
        let root = root_key(key);
        let may_be_elsewhere = known.is_open(module_of_key(&root)) || known.may_be_refused(&root);
        may_be_elsewhere && !known.contains(&root)
    })
}

/// Whether a text looks up a key of some kind.
fn looks_up(written: &str, is_meant: impl Fn(&str) -> bool) -> bool {
    written.contains("%{")
        && interpolation::tokens(written)
            .into_iter()
            .any(|token| token.lookup_key().is_some_and(|(key, _)| is_meant(key)))
}
