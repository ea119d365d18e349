//! The values of keys that texts contain, within one run of a lookup. A value with twenty URLs names the same few keys again
//! and again.

use std::collections::HashMap;
use std::sync::Arc;

use super::invocation::{Found, Invocation};
use crate::data::Located;

/// The values by key.
#[derive(Debug, Default)]
pub(crate) struct NestedValues(HashMap<Arc<str>, NestedValue, foldhash::fast::RandomState>);

#[derive(Debug)]
struct NestedValue {
    value: Located,
    /// The number of assumptions when the lookup ended.
    assumptions: usize,
    /// The steps and bytes that it needed.
    cost: (u32, usize),
}

impl Invocation<'_> {
    /// The value that an earlier lookup in this run found for a key in a text. It costs the budget what that lookup did.
    ///
    /// # Errors
    /// The budget is used up.
    pub(super) fn nested_value(&mut self, key: &Arc<str>) -> Found {
        let Some(known) = self.nested_values.0.get(key) else { return Ok(None) };
        let is_same = known.assumptions == self.assumptions.held().len();
        if !is_same || self.answers_nested_keys_in_another_way() {
            return Ok(None);
        }
        self.budget.spend_again(known.cost)?;
        Ok(Some(known.value.clone()))
    }

    /// Keeps the value of a key in a text. If the key was found once, it is not part of a recursion: a name on the stack that
    /// its lookup reaches would have reached the key again. `before` is what was spent before the lookup.
    pub(super) fn keep_nested_value(
        &mut self,
        key: &Arc<str>,
        value: &Located,
        before: (u32, usize),
    ) {
        if !self.answers_nested_keys_in_another_way() {
            let assumptions = self.assumptions.held().len();
            let (steps, bytes) = self.budget.spent();
            let cost = (steps - before.0, bytes - before.1);
            let value = NestedValue { value: value.clone(), assumptions, cost };
            self.nested_values.0.insert(Arc::clone(key), value);
        }
    }

    /// Runs `work` without the values that are known, and forgets those that it finds.
    pub(super) fn without_nested_values<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::take(&mut self.nested_values);
        let result = work(self);
        self.nested_values = outer;
        result
    }

    /// Whether keys may have other values than usual, as they have while lookup_options are collected, or whether every step
    /// is explained.
    fn answers_nested_keys_in_another_way(&self) -> bool {
        self.is_traced() || self.skips_open_paths || self.collects_options()
    }
}
