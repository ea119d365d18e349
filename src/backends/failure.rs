//! Why a lookup failed: Puppet's text and Ruby's exception class, and the position to blame.

use std::sync::Arc;

use crate::data::Place;

/// An error that ends a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Ruby's class: `puppet lookup` ends silently for the first three and prints a message for all others.
    pub class: FailureClass,
    /// Puppet's message.
    pub message: Arc<str>,
    /// Whether Puppet raised it with an issue code; such errors pass the global layer unchanged.
    pub has_issue_code: bool,
    /// The position to blame, if there is one.
    pub place: Option<Place>,
}

/// Ruby's exception classes, as far as Puppet treats them differently or prints them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureClass {
    /// `Puppet::DataBinding::LookupError`
    Lookup,
    /// `Puppet::DataBinding::RecursiveLookupError`, which is a LookupError as well.
    Recursive,
    /// `Puppet::Error`
    Puppet,
    /// `Puppet::Pops::Types::TypeAssertionError`, which is a `Puppet::Error`.
    TypeAssertion,
    /// `Puppet::Util::Yaml::YamlLoadError`, which is a `Puppet::Error`.
    YamlLoad,
    /// Any other Ruby exception, by its class name.
    Ruby(&'static str),
    /// Not Puppet's: the lookup was stopped because it had too many steps or went too deep.
    GivenUp,
    /// Not Puppet's: the request was cancelled.
    Cancelled,
    /// Not Puppet's: what Puppet would do here is not implemented, so any result would be a guess.
    Unsupported,
    /// Not Puppet's: the value is in a file that does not matter for the request.
    Elsewhere,
}

impl FailureClass {
    /// The name as Ruby prints it.
    pub fn ruby_name(self) -> &'static str {
        match self {
            Self::Lookup => "Puppet::DataBinding::LookupError",
            Self::Recursive => "Puppet::DataBinding::RecursiveLookupError",
            Self::Puppet => "Puppet::Error",
            Self::TypeAssertion => "Puppet::Pops::Types::TypeAssertionError",
            Self::YamlLoad => "Puppet::Util::Yaml::YamlLoadError",
            Self::Ruby(name) => name,
            Self::GivenUp => "HieraLs::GivenUp",
            Self::Cancelled => "HieraLs::Cancelled",
            Self::Unsupported => "HieraLs::Unsupported",
            Self::Elsewhere => "HieraLs::Elsewhere",
        }
    }

    /// Whether Puppet does not have this error and would have returned something else.
    pub fn is_our_own(self) -> bool {
        matches!(self, Self::GivenUp | Self::Cancelled | Self::Unsupported | Self::Elsewhere)
    }

    /// Whether Puppet may return any value or error here, because hiera-ls could not compute which.
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::GivenUp | Self::Unsupported)
    }

    /// Whether it is a LookupError: `puppet lookup` explains those, and aborts on all others.
    pub fn is_lookup_error(self) -> bool {
        matches!(self, Self::Lookup | Self::Recursive)
    }
}

impl Failure {
    /// A LookupError without an issue code.
    pub fn lookup(message: impl Into<Arc<str>>) -> Self {
        Self::of(FailureClass::Lookup, message)
    }

    /// A LookupError that Puppet raises from its table of issues.
    pub fn issue(message: impl Into<Arc<str>>) -> Self {
        Self { has_issue_code: true, ..Self::lookup(message) }
    }

    /// Any Ruby exception.
    pub fn ruby(class: &'static str, message: impl Into<Arc<str>>) -> Self {
        Self::of(FailureClass::Ruby(class), message)
    }

    /// A failure of this class.
    pub fn of(class: FailureClass, message: impl Into<Arc<str>>) -> Self {
        Self { class, message: message.into(), has_issue_code: false, place: None }
    }

    /// Sets the position to blame, unless there is one already.
    #[must_use]
    pub fn at(mut self, place: Option<Place>) -> Self {
        self.place = self.place.or(place);
        self
    }

    /// The failure as it leaves a provider: every `Puppet::Error` becomes a LookupError, other Ruby exceptions stay.
    #[must_use]
    pub(crate) fn leaving_provider(mut self) -> Self {
        use FailureClass::{Puppet, TypeAssertion, YamlLoad};
        if matches!(self.class, Puppet | TypeAssertion | YamlLoad) {
            self.class = FailureClass::Lookup;
            self.has_issue_code = false;
        }
        self
    }

    /// The failure as it leaves the global layer: `Lookup of key 'k' failed: …` around a LookupError without issue code.
    #[must_use]
    pub(crate) fn leaving_global_layer(self, top_key: &str) -> Self {
        if !self.class.is_lookup_error() || self.has_issue_code {
            return self;
        }
        let message = format!("Lookup of key '{top_key}' failed: {}", self.message);
        Self { place: self.place, ..Self::of(FailureClass::Puppet, message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lookup_errors_without_issue_code_are_wrapped_by_the_global_layer() {
        let wrapped = Failure::lookup("boom").leaving_global_layer("k");
        assert_eq!(&*wrapped.message, "Lookup of key 'k' failed: boom");
        assert_eq!(wrapped.class, FailureClass::Puppet);
        assert_eq!(&*Failure::issue("boom").leaving_global_layer("k").message, "boom");
        assert_eq!(
            &*Failure::ruby("RuntimeError", "boom").leaving_global_layer("k").message,
            "boom"
        );
    }
}
