//! The values of keys that texts contain, within one run of a lookup. A value with twenty URLs names the same few keys again
//! and again.

use std::collections::HashMap;
use std::sync::Arc;

use super::invocation::{Found, Invocation, Scope};
use crate::data::Located;

/// The values by key and by the scope of the text, because texts in a global layer of version 3 may find others.
#[derive(Debug, Default)]
pub(crate) struct NestedValues(
    HashMap<(Arc<str>, Scope), NestedValue, foldhash::fast::RandomState>,
);

/// The value that a nested lookup found.
#[derive(Debug, Clone)]
pub(super) struct NestedValue {
    pub(super) value: Located,
    /// The number of assumptions when the lookup ended.
    pub(super) assumptions: usize,
    /// The steps and bytes that it needed.
    pub(super) cost: (u32, usize),
}

impl NestedValues {
    pub(super) fn insert(&mut self, key: &Arc<str>, scope: Scope, value: NestedValue) {
        self.0.insert((Arc::clone(key), scope), value);
    }
}

impl Invocation<'_> {
    /// The value that an earlier lookup in this run found for a key in a text. It costs the budget what that lookup did.
    ///
    /// # Errors
    /// The budget is used up.
    pub(super) fn nested_value(&mut self, key: &Arc<str>) -> Found {
        let asked = (Arc::clone(key), self.scope);
        let Some(known) = self.nested_values.0.get(&asked) else { return Ok(None) };
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
            let cost = self.budget.spent_since(before);
            let value = NestedValue { value: value.clone(), assumptions, cost };
            self.nested_values.insert(key, self.scope, value);
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
    pub(super) fn answers_nested_keys_in_another_way(&self) -> bool {
        self.is_traced() || self.skips_open_paths || self.collects_options()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::memory::MemoryFiles;
    use crate::data::{Files, Hash, Value};
    use crate::engine::Evaluator;
    use crate::engine::assumptions::{Assumed, Condition};
    use crate::engine::interpolate::interpolate_text;
    use crate::engine::invocation::InterpolatedText;
    use crate::facts::{Node, NodeParts, Origin};

    fn evaluator() -> Evaluator {
        let hiera_yaml = "version: 5\nhierarchy: [{name: c, path: common.yaml}]\n";
        let common = "a: '%{lookup(\"b\")}'\nb: 1\n";
        let files =
            MemoryFiles::new([("/e/hiera.yaml", hiera_yaml), ("/e/data/common.yaml", common)]);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let node = Node::partial(NodeParts::default(), &[], Origin::Any);
        let files = Arc::new(files) as Arc<dyn Files>;
        Evaluator::new(files, Arc::new(environment), Arc::new(node), PuppetVersion::V8)
    }

    #[test]
    fn a_key_that_a_text_names_is_known_until_something_is_assumed() {
        let (evaluator, none) = (evaluator(), Hash::default());
        let mut invocation = evaluator.invocation(&none, &none);
        let known = |invocation: &mut Invocation<'_>, key: &str| {
            invocation.nested_value(&key.into()).expect("the budget is not used up")
        };
        assert!(known(&mut invocation, "a").is_none());
        let text = Value::string("%{lookup('a')}").unplaced();
        let found = interpolate_text(&mut invocation, &text, InterpolatedText::Data);
        assert_eq!(&*found.expect("a value"), "1");
        let before = invocation.budget.spent();
        assert_eq!(known(&mut invocation, "b").map(|it| it.value), Some(Value::Integer(1)));
        assert_eq!(known(&mut invocation, "a").map(|it| it.value), Some(Value::string("1")));
        assert!(invocation.budget.spent().0 > before.0 + 1, "known values have their costs");
        invocation.without_nested_values(|it| assert!(known(it, "a").is_none()));
        assert!(known(&mut invocation, "a").is_some());
        invocation.skips_open_paths = true;
        assert!(known(&mut invocation, "a").is_none());
        invocation.skips_open_paths = false;
        let role = Condition { variable: "role".into(), value: Assumed::Unset };
        invocation.assumptions.assume(&[role], evaluator.node());
        assert!(known(&mut invocation, "a").is_none());
    }
}
