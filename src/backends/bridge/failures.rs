//! Converts Ruby's exceptions to JSON-RPC errors and back. A failure of the engine that passes unchanged through a function
//! becomes the same failure again, with its position.

use std::collections::BTreeSet;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::{Value as Json, json};

use crate::backends::failure::{Failure, FailureClass};

/// The maximum number of exception names that are distinguished.
const MAX_NAMES: usize = 256;

/// The failures that were sent to a function during one call.
#[derive(Debug, Default)]
pub(super) struct Failures {
    told: Vec<Failure>,
}

impl Failures {
    /// The error object for a failure.
    pub(super) fn error_of(&mut self, failure: Failure) -> Json {
        let error = json!({
            "code": -32000,
            "message": &*failure.message,
            "data": {"class": failure.class.ruby_name(), "failure": self.told.len()},
        });
        self.told.push(failure);
        error
    }

    /// The failure in a program's error object.
    pub(super) fn of(&self, error: &Json) -> Failure {
        let data = &error["data"];
        // The number comes from the program, so it may be any number.
        let told = data["failure"].as_u64().and_then(|at| self.told.get(usize::try_from(at).ok()?));
        if let Some(failure) = told {
            return failure.clone();
        }
        let message = error["message"].as_str().unwrap_or_default();
        let name = data["class"].as_str().unwrap_or("RuntimeError");
        let class = match name {
            "Puppet::DataBinding::LookupError" => FailureClass::Lookup,
            "Puppet::DataBinding::RecursiveLookupError" => FailureClass::Recursive,
            "Puppet::Pops::Types::TypeAssertionError" => FailureClass::TypeAssertion,
            _ if data["is_puppet_error"] == true => FailureClass::Puppet,
            _ => FailureClass::Ruby(static_name(name)),
        };
        let has_issue_code = data["has_issue_code"] == true;
        Failure { has_issue_code, ..Failure::of(class, message) }
    }
}

/// The name of an exception's class with a static lifetime. There are few of them.
fn static_name(name: &str) -> &'static str {
    static NAMES: LazyLock<Mutex<BTreeSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    // The names are leaked, so a program must not be able to invent new ones without end.
    if names.len() >= MAX_NAMES {
        return "StandardError";
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: &Json, expected: &str) {
        let failure = Failures::default().of(error);
        assert_eq!(format!("{}: {}", failure.class.ruby_name(), failure.message), expected);
    }

    #[test]
    fn errors_have_the_class_that_they_name() {
        check(&json!({"code": 1, "message": "m"}), "RuntimeError: m");
        check(&json!({"message": "m", "data": {"class": "KeyError"}}), "KeyError: m");
        let puppet = json!({"class": "Puppet::ParseError", "is_puppet_error": true});
        check(&json!({"message": "m", "data": puppet}), "Puppet::Error: m");
        let lookup = json!({"class": "Puppet::DataBinding::LookupError", "has_issue_code": true});
        check(&json!({"message": "m", "data": lookup}), "Puppet::DataBinding::LookupError: m");
    }

    #[test]
    fn a_failure_comes_back_as_it_went() {
        let mut failures = Failures::default();
        let failure = Failure::issue("there");
        let error = failures.error_of(failure.clone());
        assert_eq!(failures.of(&error), failure);
    }
}
