//! Whether a part of a value fits after it is changed.
//!
//! Most types say for each member of a collection what it must be, whatever the other members are. Then only the part is
//! compared, so that trying a change for each of many members takes no longer than going through the value once.

use super::{Misfit, Part, Type, Wrapper, fit};
use crate::data::value::{Hash, Located, Value};

/// Aliases may lead to each other without an end.
const MAX_DEPTH: usize = 1_000;

/// Tries changes of parts of one value. A part whose type depends on the other members, as in a `Variant` of collections, is
/// compared together with these, as long as there is work left.
#[derive(Debug)]
pub struct ChangedParts {
    /// How many values may still be compared that are not changed themselves.
    left: usize,
    steps: usize,
}

impl ChangedParts {
    /// Tries changes with which at most `most` values are compared that are not changed themselves.
    pub const fn new(most: usize) -> Self {
        Self { left: most, steps: 0 }
    }

    /// How many steps were taken through types and values.
    pub const fn steps(&self) -> usize {
        self.steps
    }

    /// Whether nothing is wrong at the end of `path`, or below it, if `new` is there; `false` if finding out takes too much work.
    pub fn fits(&mut self, wanted: &Type, whole: &Value, path: &[Part], new: &Value) -> bool {
        self.fits_below(wanted, (whole, path), new, MAX_DEPTH)
    }

    fn fits_below(
        &mut self,
        wanted: &Type,
        (value, path): (&Value, &[Part]),
        new: &Value,
        depth: usize,
    ) -> bool {
        self.steps += 1;
        let Some(depth) = depth.checked_sub(1) else { return false };
        let Some((step, rest)) = path.split_first() else { return fits_at(wanted, new, path) };
        match wanted {
            Type::Alias(alias) => self.fits_below(alias.resolved(), (value, path), new, depth),
            Type::Named(named) if !named.is_object() => {
                named.with_resolved(|it| self.fits_below(it, (value, path), new, depth))
            }
            Type::Wrapped(Wrapper::Optional | Wrapper::NotUndef, Some(inner)) => {
                self.fits_below(inner, (value, path), new, depth)
            }
            _ => match type_of_member(wanted, step).zip(member(value, step)) {
                Some((wanted, member)) => {
                    self.fits_below(wanted, (&member.value, rest), new, depth)
                }
                None => self.fits_together(wanted, value, path, new),
            },
        }
    }

    /// Compares the changed part with all members beside it.
    fn fits_together(&mut self, wanted: &Type, value: &Value, path: &[Part], new: &Value) -> bool {
        // Once a value is too large, no later one is compared, so none of them is counted.
        self.count(value);
        if self.left == 0 {
            return false;
        }
        fits_at(wanted, &with_part(value, path, new), path)
    }

    fn count(&mut self, value: &Value) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        self.steps += 1;
        match value {
            Value::Array(items) => {
                items.iter().take(left).for_each(|it| self.count(&it.value));
            }
            Value::Hash(hash) => {
                hash.iter().take(left).for_each(|(_, it)| self.count(&it.value.value));
            }
            _ => {}
        }
    }
}

/// Whether nothing is wrong at the end of the path or below it. Something else may still be wrong.
fn fits_at(wanted: &Type, value: &Value, path: &[Part]) -> bool {
    let is_here = |it: &Misfit| it.is_unresolved() || it.path.starts_with(path);
    fit(wanted, value).is_ok_and(|it| !it.misfits.iter().any(is_here))
}

/// The type of a member, if it does not depend on the other members.
fn type_of_member<'t>(wanted: &'t Type, step: &Part) -> Option<&'t Type> {
    match (wanted, step) {
        (Type::Array(item, _), Part::Index(_)) => Some(item),
        (Type::Tuple(types, _), Part::Index(index)) => types.get(*index).or(types.last()),
        (Type::Hash(_, value, _), Part::Entry(_)) => Some(value),
        (Type::Struct(elements), Part::Entry(name)) => {
            elements.iter().find(|it| it.name == *name).map(|it| &it.value)
        }
        _ => None,
    }
}

fn member<'v>(value: &'v Value, step: &Part) -> Option<&'v Located> {
    match (step, value) {
        (Part::Index(index), Value::Array(items)) => items.get(*index),
        (Part::Entry(name), Value::Hash(hash)) => hash.get(name).map(|it| &it.value),
        _ => None,
    }
}

/// The value with another part.
fn with_part(whole: &Value, path: &[Part], new: &Value) -> Value {
    match (path, whole) {
        ([], _) => new.clone(),
        ([Part::Index(index), rest @ ..], Value::Array(items)) => {
            let item = |(at, it): (usize, &Located)| {
                let is_it = at == *index;
                if is_it { with_part(&it.value, rest, new).unplaced() } else { it.clone() }
            };
            Value::array(items.iter().enumerate().map(item).collect())
        }
        ([Part::Entry(name), rest @ ..], Value::Hash(hash)) => {
            let mut changed = Hash::with_capacity(hash.len());
            for (key, member) in hash.iter() {
                let is_it = key.as_str() == Some(name);
                let value = &member.value;
                let value = if is_it {
                    with_part(&value.value, rest, new).unplaced()
                } else {
                    value.clone()
                };
                changed.insert(key.clone(), member.key_place, value);
            }
            Value::hash(changed)
        }
        (_, other) => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::json::from_oracle_json;
    use crate::data::puppet_type::parse;

    #[track_caller]
    fn check(wanted: &str, value: &str, new: &Value, expected: bool) {
        let wanted = parse(wanted).expect("a type");
        let value = from_oracle_json(&serde_json::from_str(value).expect("JSON"));
        let found = fit(&wanted, &value).expect("no failure").misfits;
        let path = &found.first().expect("a misfit").path;
        let fits = ChangedParts::new(100).fits(&wanted, &value, path, new);
        assert_eq!(fits, expected, "{wanted}");
    }

    #[test]
    fn parts_that_fit_after_the_change() {
        check("Integer", "\"1\"", &Value::Integer(1), true);
        let list = Value::array(vec![Value::string("1").unplaced()]);
        check("Array[String]", "\"1\"", &list, true);
        check("Array[Integer]", "\"1\"", &list, false);
        check("Hash[String, Array[Integer]]", r#"{"a": "1"}"#, &list, false);
        check("Hash[String, Integer]", r#"{"a": "1", "b": "2"}"#, &Value::Integer(1), true);
        check("Hash[String, Integer]", r#"{"a": "1"}"#, &Value::Boolean(true), false);
        check(
            "Optional[Array[Struct[{a => Integer[2]}]]]",
            r#"[{"a": "1"}]"#,
            &Value::Integer(2),
            true,
        );
        check("Array[Struct[{a => Integer[2]}]]", r#"[{"a": "1"}]"#, &Value::Integer(1), false);
        check("Tuple[String, Integer]", r#"["a", "1"]"#, &Value::Integer(1), true);
        let either = "Variant[Array[Integer], Array[Boolean]]";
        check(either, r#"[1, "1"]"#, &Value::Integer(1), true);
        check(either, r#"[1, "1"]"#, &Value::Boolean(true), false);
    }

    /// The number of steps for a change of each of some wrong members.
    fn work(wanted: &str, members: usize) -> usize {
        let wanted = parse(wanted).expect("a type");
        let value = Value::array(vec![Value::string("1").unplaced(); members]);
        let mut parts = ChangedParts::new(10_000);
        for index in 0..members {
            parts.fits(&wanted, &value, &[Part::Index(index)], &Value::Integer(1));
        }
        parts.steps()
    }

    #[test]
    fn the_work_follows_the_number_of_members_and_not_its_square() {
        let list = "Array[Integer]";
        assert_eq!(work(list, 1_600), 16 * work(list, 100));
        // Here, each member is compared with all others, until no work is left.
        let either = "Variant[Array[Integer], Array[Boolean]]";
        assert_eq!(work(either, 50), 50 * 52);
        assert_eq!(work(either, 1_600), 10_000 + 1_600);
    }
}
