//! Whether a class accepts the parameters that a node's classifier sets. Puppet does not look these up.

use std::sync::Arc;

use super::{ParameterType, Verdict, refusal_in_words};
use crate::code::ClassCode;
use crate::data::puppet_type::TypeAliases;
use crate::facts::ClassifiedClass;
use crate::syntax::puppet::METAPARAMETERS;
use crate::text::TextRange;

/// A parameter for which Puppet refuses the class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedValue {
    /// The file with the classifier's output.
    pub path: Arc<str>,
    /// Where the file names the parameter.
    pub range: TextRange,
    /// Puppet's message, one line for each part that does not fit.
    pub message: String,
    /// Whether the class does not have the parameter.
    pub is_unknown: bool,
}

/// Puppet's error about the values that a classifier sets; `None` if it refuses none of them.
pub fn refusal_of_values(class: &str, refused: &[RefusedValue]) -> Option<String> {
    let lines: Vec<String> = refused.iter().map(|it| it.message.clone()).collect();
    (!lines.is_empty()).then(|| refusal_in_words(class, &lines))
}

/// What Puppet refuses in the parameters that a classifier sets. Unknown parameters come first, as in Puppet's message.
pub fn refused_values(
    class: &ClassCode,
    classified: &ClassifiedClass,
    aliases: &TypeAliases,
) -> Vec<RefusedValue> {
    let mut refused: Vec<RefusedValue> = Vec::new();
    for value in &classified.given {
        let message = match class.parameter(&value.name) {
            Some(parameter) => {
                let verdict = ParameterType::of(class, parameter, aliases).verdict_on(&value.value);
                let is_misfit = matches!(verdict, Verdict::Misfit(_));
                verdict.message(&value.name).filter(|_| is_misfit)
            }
            // Every class has these.
            None if METAPARAMETERS.contains(&&*value.name) || &*value.name == "name" => None,
            None => Some(format!("has no parameter named '{}'", value.name)),
        };
        refused.extend(message.map(|message| RefusedValue {
            path: classified.place.0.clone(),
            range: value.range,
            message,
            is_unknown: class.parameter(&value.name).is_none(),
        }));
    }
    refused.sort_by_key(|it| !it.is_unknown);
    refused
}
