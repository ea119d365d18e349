//! The regular expressions of `Pattern` and `Regexp`.

use std::sync::Arc;

use super::Type;
use super::argument::Argument;
use crate::syntax::ruby_regex::{self, RegexProblem, RubyRegex};

/// A regular expression of a `Pattern`.
#[derive(Debug)]
pub struct Pattern {
    pub(super) source: Arc<str>,
    regex: RubyRegex,
}

impl Pattern {
    /// The compiled expression.
    ///
    /// # Errors
    /// Ruby's message, or that it is not known what the expression matches.
    pub(super) fn of(source: &Arc<str>) -> Result<Arc<Self>, RegexProblem> {
        let regex = ruby_regex::translate(source)?;
        Ok(Arc::new(Self { source: source.clone(), regex }))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

/// `Pattern[…]`; `None` if an argument cannot be a pattern.
pub(super) fn pattern_of(arguments: &[Argument]) -> Option<Result<Type, RegexProblem>> {
    let mut distinct: Vec<Arc<Pattern>> = Vec::new();
    for argument in arguments {
        let more = match argument {
            Argument::Regexp(source) | Argument::Text(source) => {
                Pattern::of(source).map(|it| vec![it])
            }
            Argument::Type(Type::Regexp(source)) => {
                // A bare `Regexp` has no source, and the empty expression matches every string.
                let empty = Arc::from("");
                Pattern::of(source.as_ref().unwrap_or(&empty)).map(|it| vec![it])
            }
            Argument::Type(Type::Pattern(more)) => Ok(more.clone()),
            _ => return None,
        };
        match more {
            Ok(more) => {
                for pattern in more {
                    if !distinct.contains(&pattern) {
                        distinct.push(pattern);
                    }
                }
            }
            Err(problem) => return Some(Err(problem)),
        }
    }
    Some(Ok(Type::Pattern(distinct)))
}

/// The source of a regular expression that Ruby shows as `(?-mix:…)`.
pub(super) fn source_of(shown: &str) -> &str {
    shown.strip_prefix("(?-mix:").and_then(|it| it.strip_suffix(')')).unwrap_or(shown)
}
