//! What an external node classifier gives to a node: classes, and values for their parameters.

use std::sync::Arc;

use crate::data::Value;
use crate::text::TextRange;

/// A class that a node gets from an external node classifier.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassifiedClass {
    /// In lower case, without a leading `::`.
    pub name: Arc<str>,
    /// The parameters that the classifier sets.
    pub given: Box<[GivenValue]>,
    /// The file with the classifier's output, and the position of the name in it; its start if the format has no positions.
    pub place: (Arc<str>, TextRange),
}

/// A parameter that a classifier sets.
#[derive(Debug, Clone, PartialEq)]
pub struct GivenValue {
    /// Without `$`.
    pub name: Box<str>,
    /// The value, which is not `undef`.
    pub value: Value,
    /// The position of the name in the classifier's output; its start if the format has no positions.
    pub range: TextRange,
}

impl ClassifiedClass {
    /// The names of the parameters that the classifier sets.
    pub fn given_names(&self) -> Vec<Box<str>> {
        self.given.iter().map(|it| it.name.clone()).collect()
    }
}
