//! Whether code runs for a node, as far as its facts decide that. Otherwise the result is open.
//!
//! Only variables of the top scope are known: facts, trusted data, and those in the settings. A variable that code assigns,
//! or a parameter of the same name, hides them.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

use crate::code::literal;
use crate::data::{Hash, Value, inspect};
use crate::facts::variable::NODE_HASHES;
use crate::facts::{Node, Reading};
use crate::syntax::key_path::{KeyPath, Segment};
use crate::syntax::puppet::{Condition, Guard, Operator};
use crate::syntax::ruby_regex::{self, RubyRegex};

/// Variables that have another value in each class.
const OF_EACH_SCOPE: [&str; 4] = ["name", "title", "module_name", "caller_module_name"];

/// Compiled regular expressions by their sources.
pub(super) type Regexes = RefCell<HashMap<String, Option<Rc<RubyRegex>>>>;

/// Evaluates conditions for one node and one piece of code.
pub(super) struct Decider<'a> {
    pub(super) node: &'a Node,
    /// Whether code may assign a variable of this name in the scopes around this code.
    pub(super) is_set: &'a dyn Fn(&str) -> bool,
    pub(super) regexes: &'a Regexes,
}

/// The result of a condition.
#[derive(Clone, Copy)]
struct Holds {
    is_true: bool,
    /// Whether Puppet may refuse to evaluate a part of the condition, such as the comparison of a text with a number. There is no
    /// catalog then.
    may_fail: bool,
}

impl Decider<'_> {
    /// Whether all guards allow the code to run; `None` if that is not known.
    pub(super) fn runs(&self, guards: &[Guard]) -> Option<bool> {
        // A guard that is not known does not end the loop, because a later one may still rule the code out.
        let mut is_known = true;
        for guard in guards {
            match self.holds(&guard.condition) {
                // Whether the condition fails or not, this code does not run.
                Some(holds) if holds.is_true != guard.if_it_holds => return Some(false),
                Some(holds) if !holds.may_fail => {}
                Some(_) | None => is_known = false,
            }
        }
        is_known.then_some(true)
    }

    /// The class names that an expression evaluates to: one name, or a list of names.
    pub(super) fn class_names(&self, computed: &Condition) -> Option<Vec<String>> {
        let one = |value: &Value| {
            let name = value.as_str()?.trim_start_matches("::").to_lowercase();
            // Puppet refuses an empty name, and with it the catalog.
            (!name.is_empty()).then_some(name)
        };
        match self.value(computed)? {
            Value::Array(items) => items.iter().map(|it| one(&it.value)).collect(),
            value => one(&value).map(|it| vec![it]),
        }
    }

    fn holds(&self, condition: &Condition) -> Option<Holds> {
        match condition {
            Condition::Not(inner) => {
                self.holds(inner).map(|it| Holds { is_true: !it.is_true, ..it })
            }
            Condition::Operation(Operator::And, left, right) => self.joined(left, right, false),
            Condition::Operation(Operator::Or, left, right) => self.joined(left, right, true),
            Condition::Operation(operator, left, right) => {
                let is_true = self.compared(*operator, &self.value(left)?, &self.value(right)?)?;
                Some(Holds { is_true, may_fail: false })
            }
            value => self.value(value).map(|it| Holds { is_true: is_true(&it), may_fail: false }),
        }
    }

    /// `and`, which one false side decides, or `or`, which one true side decides.
    fn joined(&self, left: &Condition, right: &Condition, deciding: bool) -> Option<Holds> {
        let left = self.holds(left);
        if let Some(left) = left.filter(|it| it.is_true == deciding) {
            // Puppet does not evaluate the right side then.
            return Some(left);
        }
        let right = self.holds(right)?;
        // The right side decides even if the left one is not known. But if evaluating that fails, there is no result.
        let may_fail = right.may_fail || left.is_none_or(|it| it.may_fail);
        (right.is_true == deciding || left.is_some()).then_some(Holds { may_fail, ..right })
    }

    fn value(&self, condition: &Condition) -> Option<Value> {
        match condition {
            Condition::Constant(constant) => literal::value_of(constant),
            Condition::Variable(_) | Condition::Member(..) => self.read(condition),
            Condition::Text(parts) => {
                let texts = parts.iter().map(|it| self.value(it).map(|it| inspect::to_s(&it)));
                texts.collect::<Option<String>>().map(Value::string)
            }
            Condition::Not(_) | Condition::Operation(..) => {
                let holds = self.holds(condition).filter(|it| !it.may_fail)?;
                Some(Value::Boolean(holds.is_true))
            }
            Condition::Unknown => None,
        }
    }

    /// A variable, or a member of one.
    fn read(&self, condition: &Condition) -> Option<Value> {
        let mut segments = Vec::new();
        let mut inner = condition;
        while let Condition::Member(of, key) = inner {
            segments.push(match self.value(key)? {
                Value::String(name) => Segment::Name(name),
                Value::Integer(index) => Segment::Index(index),
                _ => return None,
            });
            inner = of;
        }
        let Condition::Variable(written) = inner else { return None };
        let name = written.strip_prefix("::");
        // Code cannot assign `$facts` and the other reserved names. A leading `::` skips all inner scopes.
        let is_hidden =
            name.is_none() && !NODE_HASHES.contains(&&**written) && (self.is_set)(written);
        let name = name.unwrap_or(written);
        if is_hidden || OF_EACH_SCOPE.contains(&name) || name.contains("::") {
            return None;
        }
        // The expression was taken apart from its outer end, so the last member came first.
        segments.reverse();
        let path = KeyPath { root: Segment::Name(name.into()), rest: segments };
        if self.node.assumes(&path) {
            return None;
        }
        match self.node.read(&path) {
            // A node that is known only from a classifier has facts, too.
            Reading::Known(value, _) if name == "facts" && is_empty(&value.value) => None,
            Reading::Known(value, rest) => member(value.value, &rest, self.node.is_complete()),
            Reading::Unset | Reading::Open(_) => None,
        }
    }

    fn compared(&self, operator: Operator, left: &Value, right: &Value) -> Option<bool> {
        let ordered = |is_it: fn(Ordering) -> bool| order_of(left, right).map(is_it);
        match operator {
            Operator::Equal => is_equal(left, right),
            Operator::NotEqual => is_equal(left, right).map(|it| !it),
            Operator::Less => ordered(Ordering::is_lt),
            Operator::LessEqual => ordered(Ordering::is_le),
            Operator::Greater => ordered(Ordering::is_gt),
            Operator::GreaterEqual => ordered(Ordering::is_ge),
            Operator::In => self.is_in(left, right),
            Operator::Match => self.is_match(left, right),
            Operator::NoMatch => self.is_match(left, right).map(|it| !it),
            Operator::Fits => self.fits(left, right),
            Operator::And | Operator::Or => None,
        }
    }

    /// Whether an option of `case` matches a value.
    fn fits(&self, value: &Value, option: &Value) -> Option<bool> {
        match (value, regex_of(option)) {
            (Value::String(text), Some(source)) => self.regex(source).map(|it| it.is_match(text)),
            // A regular expression in `case` matches only strings.
            (_, Some(_)) => Some(false),
            _ => is_equal(value, option),
        }
    }

    fn is_in(&self, item: &Value, container: &Value) -> Option<bool> {
        match container {
            Value::String(text) => match (item, regex_of(item)) {
                (Value::String(part), _) => {
                    // In Puppet, `in` ignores case when it searches a string, unlike `==` also that of `É`.
                    Some(lower_case(text).contains(&lower_case(part)))
                }
                (_, Some(source)) => self.regex(source).map(|it| it.is_match(text)),
                _ => Some(false),
            },
            Value::Array(items) => {
                let found = items.iter().map(|it| match regex_of(item) {
                    Some(_) => self.fits(&it.value, item),
                    None => is_equal(item, &it.value),
                });
                any(found)
            }
            Value::Hash(hash) => any(hash.iter().map(|(key, _)| is_equal(item, key))),
            _ => None,
        }
    }

    fn is_match(&self, text: &Value, pattern: &Value) -> Option<bool> {
        let text = text.as_str()?;
        let source = regex_of(pattern).or_else(|| pattern.as_str())?;
        self.regex(source).map(|it| it.is_match(text))
    }

    fn regex(&self, source: &str) -> Option<Rc<RubyRegex>> {
        let mut known = self.regexes.borrow_mut();
        let compiled = || ruby_regex::translate(source).ok().map(Rc::new);
        known.entry(source.to_owned()).or_insert_with(compiled).clone()
    }
}

fn any(found: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut is_known = true;
    for found in found {
        match found {
            Some(true) => return Some(true),
            Some(false) => {}
            None => is_known = false,
        }
    }
    is_known.then_some(false)
}

/// Digs into a value. A member that a complete node does not have is `undef`; nothing can be dug out of `undef`.
fn member(mut value: Value, segments: &[Segment], is_complete: bool) -> Option<Value> {
    for segment in segments {
        let found = match (&value, segment) {
            (Value::Hash(hash), Segment::Name(name)) => hash.get(name).map(|it| it.value.clone()),
            (Value::Hash(hash), Segment::Index(at)) => {
                hash.get_value(&Value::Integer(*at)).map(|it| it.value.clone())
            }
            (Value::Array(items), Segment::Index(at)) => {
                // A negative index counts from the end.
                let at = if *at < 0 { *at + i64::try_from(items.len()).ok()? } else { *at };
                usize::try_from(at).ok().and_then(|at| items.get(at)).cloned()
            }
            _ => return None,
        };
        value = match found {
            Some(found) => found.value,
            // A node without a fact set may have the member.
            None if is_complete => Value::Undef,
            None => return None,
        };
    }
    Some(value)
}

fn is_empty(value: &Value) -> bool {
    value.as_hash().is_some_and(Hash::is_empty)
}

/// Only `undef` and `false` are false.
fn is_true(value: &Value) -> bool {
    !matches!(value, Value::Undef | Value::Boolean(false))
}

fn regex_of(value: &Value) -> Option<&str> {
    match value {
        Value::Object(object) if &*object.class == "Regexp" => Some(&object.text),
        _ => None,
    }
}

/// Puppet's `==`: ASCII letters are equal in both cases, and integers equal floats. Strings do not equal numbers.
fn is_equal(left: &Value, right: &Value) -> Option<bool> {
    Some(match (left, right) {
        (Value::String(left), Value::String(right)) => left.eq_ignore_ascii_case(right),
        (Value::Boolean(left), Value::Boolean(right)) => left == right,
        (Value::Undef, Value::Undef) => true,
        (Value::Integer(_) | Value::Float(_), Value::Integer(_) | Value::Float(_)) => {
            order_of(left, right)? == Ordering::Equal
        }
        (Value::Array(left), Value::Array(right)) => {
            if left.len() != right.len() {
                return Some(false);
            }
            let differs = left
                .iter()
                .zip(right.iter())
                .map(|(left, right)| is_equal(&left.value, &right.value).map(|it| !it));
            !any(differs)?
        }
        (Value::Hash(_), Value::Hash(_)) => return None,
        // Values of different kinds are not equal. Other values, such as types, have rules of their own.
        (left, right) if is_plain(left) && is_plain(right) => false,
        _ => return None,
    })
}

fn is_plain(value: &Value) -> bool {
    let is_number = matches!(value, Value::Integer(_) | Value::Float(_));
    let is_scalar = matches!(value, Value::String(_) | Value::Boolean(_) | Value::Undef);
    is_number || is_scalar || matches!(value, Value::Array(_) | Value::Hash(_))
}

fn exact_float(number: i64) -> Option<f64> {
    // Larger integers do not always have an equal float.
    i32::try_from(number).ok().map(f64::from)
}

/// The text as Ruby's `downcase` writes it: character by character, so that each `Σ` becomes `σ`.
fn lower_case(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// `None` if Puppet does not compare these values.
fn order_of(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::String(left), Value::String(right)) => {
            Some(left.to_ascii_lowercase().cmp(&right.to_ascii_lowercase()))
        }
        (Value::Integer(left), Value::Integer(right)) => Some(left.cmp(right)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::Integer(left), Value::Float(right)) => exact_float(*left)?.partial_cmp(right),
        (Value::Float(left), Value::Integer(right)) => left.partial_cmp(&exact_float(*right)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::CodeFile;
    use crate::data::json::from_oracle_json;
    use crate::facts::{NodeParts, Origin};

    /// Checks whether `include a` runs in a piece of code for a node with some facts.
    #[track_caller]
    fn check_code(code: &str, expected: Option<bool>) {
        let facts = from_oracle_json(&serde_json::json!({
            "os": {"family": "Debian", "release": {"major": 12}}, "roles": ["Web", "db"], "is_virtual": true, "load": 1.5
        }));
        let facts = facts.as_hash().cloned().expect("a hash");
        let parts = NodeParts { name: "web01.example".to_owned(), facts, ..NodeParts::default() };
        let node = Node::new(parts, Origin::File("/f.json".into()));
        let file = CodeFile::of_text("/a.pp", code);
        assert_eq!(file.manifest.errors, [], "{code}");
        let regexes = Regexes::default();
        let is_set = |name: &str| name == "local";
        let decider = Decider { node: &node, is_set: &is_set, regexes: &regexes };
        let mut calls = file.manifest.calls.iter();
        let call = calls.find(|it| it.names.iter().any(|name| name.text == "a")).expect("a call");
        assert_eq!(decider.runs(&call.guards), expected, "{code}");
    }

    #[track_caller]
    fn check(condition: &str, expected: Option<bool>) {
        check_code(&format!("if {condition} {{ include a }}"), expected);
    }

    #[test]
    fn facts_decide() {
        check("$facts['os']['family'] == 'debian'", Some(true));
        check("$facts['os']['family'] != 'debian'", Some(false));
        check("$::os['family'] in ['RedHat', 'debian']", Some(true));
        check("$trusted['certname'] =~ /^web\\d+/", Some(true));
        check("$facts['os']['release']['major'] >= 11 and !$facts['nope']", Some(true));
        check("($is_virtual and $facts['load'] > 2) or 'DB' in $roles", Some(true));
        check("'É' in 'xéy' and 'É' != 'é' and 'ος' in 'ΟΣ' == false", Some(true));
        check("'bia' in $facts['os']['family'] and $facts['roles'][0] !~ 'w'", Some(true));
        check("$facts['os']['release']['major'] == '12'", Some(false));
        check("$facts['roles'] == ['web', 'DB']", Some(true));
        check("/^d/ in $roles", Some(true));
    }

    #[test]
    fn what_they_do_not_decide_stays_open() {
        check("$unknown", None);
        check("$local == 'x'", None);
        check("$a::b", None);
        check("$name == 'main'", None);
        check("$facts['nope']['deeper']", None);
        check("$facts['os']['release']['major'] < '13'", None);
        check("versioncmp('1', '2') < 0", None);
        check("$unknown and $facts['nope']", Some(false));
    }

    /// Puppet may refuse to evaluate the left side, and with it the catalog.
    #[test]
    fn what_may_fail_makes_nothing_certain() {
        check("$unknown or $facts['is_virtual']", None);
        check("'a' < 1 or true", None);
        check("!($unknown and false)", None);
        check("($unknown or true) == true", None);
        check("true or 'a' < 1", Some(true));
        check("!(false and 'a' < 1)", Some(true));
        check("false or true", Some(true));
        // It does not run, whether the left side fails or not.
        check("$unknown and false", Some(false));
        check("!('a' < 1 or true)", Some(false));
        check_code("if $unknown or true { include b } else { include a }", Some(false));
    }

    #[test]
    fn other_branches() {
        check_code("unless $is_virtual { include b } else { include a }", Some(true));
        check_code("unless $is_virtual { include a }", Some(false));
        check_code("if $facts['x'] { include b } elsif $is_virtual { include a }", Some(true));
        check_code("if $is_virtual { include b } elsif $is_virtual { include a }", Some(false));
        check_code("if $facts['x'] { include b } elsif $y { } else { include a }", None);
        check_code("if $facts['x'] { include b } else { include a }", Some(true));
        check_code("$is_virtual and include(a)", Some(true));
        check_code("$is_virtual or include(a)", Some(false));
        check_code("[1].each |$x| { include a }", None);
    }

    #[test]
    fn texts_and_names_that_facts_complete() {
        check("\"${facts['os']['family']}-${role}\" == 'x'", None);
        check(
            "\"${facts['os']['family']}${facts['os']['release']['major']}\" == 'debian12'",
            Some(true),
        );
    }

    #[test]
    fn options_of_a_case() {
        let case = |options: &str, expected| {
            check_code(&format!("case $facts['os']['family'] {{ {options} }}"), expected);
        };
        case("'debian': { include a } default: { }", Some(true));
        case("'RedHat', /^D/: { include a }", Some(true));
        case("/^d/: { include a } default: { }", Some(false));
        case("'RedHat': { } default: { include a }", Some(true));
        case("'Debian': { } 'debian': { include a }", Some(false));
        case("default: { include a } 'Debian': { }", None);
        case("default: { } 'Debian': { include a }", Some(true));
        case("String: { } 'Debian': { include a }", None);
    }

    #[test]
    fn conditions_that_are_very_large_are_not_kept() {
        let many = vec!["$facts['x']"; 5_000].join(" or ");
        check(&many, None);
        check_code(&format!("{}include a{}", "if true { ".repeat(40), " }".repeat(40)), None);
    }
}
