//! How the values of a key are merged, as far as rules want to know.

use std::sync::Arc;

use crate::data::{Hash, Value};
use crate::engine::Evaluator;

/// What the `merge` option of a key says.
#[derive(Debug, Clone, Default)]
pub(super) struct MergeOptions {
    strategy: Option<Arc<str>>,
    options: Option<Arc<Hash>>,
}

impl MergeOptions {
    /// What applies to the root key for the evaluator's node.
    pub(super) fn of(evaluator: &Evaluator, key: &str) -> Self {
        let applied = evaluator.options_for(key).ok().flatten();
        applied.map_or_else(Self::default, |applied| Self::written(&applied.options.value))
    }

    /// What the options of a key say.
    pub(super) fn written(options: &Value) -> Self {
        let merge = options.as_hash().and_then(|options| options.get("merge"));
        match merge.map(|member| &member.value.value) {
            Some(Value::String(strategy)) => {
                Self { strategy: Some(strategy.clone()), options: None }
            }
            Some(Value::Hash(options)) => {
                let strategy = options.get("strategy").and_then(|it| it.value.value.as_str());
                Self { strategy: strategy.map(Arc::from), options: Some(options.clone()) }
            }
            _ => Self::default(),
        }
    }

    /// The strategy's name, if one is given.
    pub(super) fn strategy(&self) -> Option<&str> {
        self.strategy.as_deref()
    }

    /// Whether the first value found is the answer.
    pub(super) fn is_first_found(&self) -> bool {
        matches!(self.strategy(), None | Some("first" | "default"))
    }

    /// Whether hashes are merged at all depths, the highest priority winning.
    pub(super) fn is_deep(&self) -> bool {
        matches!(self.strategy(), Some("deep" | "unconstrained_deep"))
    }

    /// An option of the strategy that is set.
    pub(super) fn option(&self, name: &str) -> Option<&Value> {
        let value = &self.options.as_ref()?.get(name)?.value.value;
        value.is_truthy().then_some(value)
    }
}

/// Whether the options of a key make its value `Sensitive`.
pub(super) fn asks_for_sensitive(options: &Value) -> bool {
    let conversion = options.as_hash().and_then(|options| options.get("convert_to"));
    let names_it = |value: &Value| value.as_str().is_some_and(|name| name.starts_with("Sensitive"));
    conversion.is_some_and(|conversion| match &conversion.value.value {
        Value::Array(items) => items.first().is_some_and(|item| names_it(&item.value)),
        value => names_it(value),
    })
}
