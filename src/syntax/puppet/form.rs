//! What an expression is in Puppet's model, as far as Puppet's validator distinguishes it and a [`Shape`] does not.

use super::expression::{Expression, Shape};
use crate::text::TextRange;

/// The class of an expression in Puppet's model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As its [`Shape`] says.
    Plain,
    /// A heredoc; its range is that of its tag.
    Heredoc,
    /// Two operands and the operator between them.
    Operation(TextRange),
    /// `=~` and `!~`, which set the variables of matches.
    Match(TextRange),
    /// `!`
    Not,
    /// `*` before an expression.
    Unfold,
    /// An expression in parentheses.
    Parenthesised {
        /// Whether the inner expression has no effect.
        is_idle: bool,
    },
    /// A conditional.
    Conditional {
        /// Puppet's name for it.
        label: &'static str,
        /// Whether neither its condition nor its blocks have an effect.
        is_idle: bool,
    },
    Selector,
    /// `=`, `+=` and `-=`.
    Assignment(TextRange),
    /// `->` and the like.
    Relationship(TextRange),
    MethodCall,
    Resource,
    ResourceDefaults,
    ResourceOverride,
    /// `type { attribute => value }`, which Puppet reads as a name and a hash.
    ResourceWithoutTitle,
    /// `include { … }` and the like, which Puppet's grammar reads like a resource.
    CallWithHash,
    Collector {
        is_exported: bool,
    },
    Definition(Definition),
    /// Anything else that may have an effect.
    Other,
}

/// The kinds of definitions, with Puppet's name for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Definition {
    Class,
    Define,
    Function,
    Plan,
    Node,
    TypeAlias,
    TypeMapping,
    /// `type A { }`, which Puppet reads but does not support.
    UserType,
}

impl Definition {
    /// Puppet's name for it.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Class => "Host Class Definition",
            Self::Define => "'define' expression",
            Self::Function => "Function Definition",
            Self::Plan => "Plan Definition",
            Self::Node => "Node Definition",
            Self::TypeAlias => "Type Alias",
            Self::TypeMapping => "Type Mapping",
            Self::UserType => "Type Definition",
        }
    }

    /// Whether it is refused even inside a class.
    pub(super) fn is_for_top_level(self) -> bool {
        matches!(self, Self::Function | Self::Plan | Self::TypeAlias | Self::UserType)
    }
}

impl Expression {
    /// Whether Puppet knows that it has no effect, so that it is a mistake as a statement whose value is not used.
    pub(super) fn is_idle(&self) -> bool {
        match self.form {
            Form::Plain => !matches!(self.shape, Shape::Call | Shape::Other),
            Form::Parenthesised { is_idle } | Form::Conditional { is_idle, .. } => is_idle,
            Form::Heredoc
            | Form::Operation(_)
            | Form::Not
            | Form::Unfold
            | Form::Selector
            | Form::ResourceWithoutTitle => true,
            Form::Match(_)
            | Form::Assignment(_)
            | Form::Relationship(_)
            | Form::MethodCall
            | Form::Resource
            | Form::ResourceDefaults
            | Form::ResourceOverride
            | Form::CallWithHash
            | Form::Collector { .. }
            | Form::Definition(_)
            | Form::Other => false,
        }
    }

    /// Puppet's name for it in messages; `None` if it is not known.
    pub(super) fn label(&self, text: &str) -> Option<String> {
        let operator = |range: TextRange| format!("'{}' expression", range.slice(text));
        let fixed = match self.form {
            Form::Plain => return self.label_of_shape().map(str::to_owned),
            Form::Heredoc => return Some(label_of_heredoc(self.range.slice(text))),
            Form::Operation(range)
            | Form::Match(range)
            | Form::Assignment(range)
            | Form::Relationship(range) => return Some(operator(range)),
            Form::Not => "'not' expression",
            Form::Unfold => "Unfold",
            Form::Parenthesised { .. } => "Parenthesized Expression",
            Form::Conditional { label, .. } => label,
            Form::Selector => "Selector Expression",
            Form::MethodCall => "Method call",
            Form::Resource => "Resource Statement",
            Form::ResourceDefaults => "Resource Defaults Expression",
            Form::ResourceOverride => "Resource Override",
            Form::ResourceWithoutTitle => "Block Expression",
            Form::CallWithHash => "Function Call",
            Form::Collector { is_exported: true } => "Exported Query",
            Form::Collector { is_exported: false } => "Virtual Query",
            Form::Definition(definition) => definition.label(),
            Form::Other => return None,
        };
        Some(fixed.to_owned())
    }

    fn label_of_shape(&self) -> Option<&'static str> {
        Some(match &self.shape {
            Shape::Text(_) => "String",
            Shape::Interpolated(..) => "Double Quoted String",
            Shape::Name(_) => "Name",
            Shape::Number(number) if is_float(number) => "Literal Float",
            Shape::Number(_) => "Literal Integer",
            Shape::Negative(_) => "Unary Minus",
            Shape::Boolean(_) => "Boolean",
            Shape::Undef => "'undef' expression",
            Shape::Default => "'default' expression",
            Shape::Regex(_) => "Regular Expression",
            Shape::List(_) => "Array Expression",
            Shape::Hash(_) => "Hash Expression",
            Shape::Type(_) => "Type-Name",
            Shape::Access { .. } => "'[]' expression",
            Shape::Variable(_) => "Variable",
            Shape::Call => "Function Call",
            Shape::Condition(_) | Shape::Other => return None,
        })
    }
}

fn is_float(number: &str) -> bool {
    !number.starts_with("0x") && !number.starts_with("0X") && number.contains(['.', 'e', 'E'])
}

/// Puppet names a heredoc after its syntax: `@(END:json)` is a `'@(json)' expression`.
fn label_of_heredoc(tag: &str) -> String {
    format!("'@({})' expression", syntax_of_heredoc(tag))
}

/// The syntax in the tag of a heredoc: `json` in `@(END:json)`.
pub(super) fn syntax_of_heredoc(tag: &str) -> &str {
    let inner = tag.strip_prefix("@(").and_then(|it| it.strip_suffix(')')).unwrap_or_default();
    let before_escapes = inner.split_once('/').map_or(inner, |(before, _)| before);
    before_escapes.split_once(':').map_or("", |(_, syntax)| syntax.trim())
}

/// `label` with its article, as Puppet writes it: a label that starts with a quote counts by the letter after it.
pub(super) fn with_article(label: &str) -> String {
    let first = label.strip_prefix('\'').unwrap_or(label).chars().next();
    let is_vowel = first.is_some_and(|it| "aeiouy".contains(it.to_ascii_lowercase()));
    format!("{} {label}", if is_vowel { "an" } else { "a" })
}

/// [`with_article`] at the start of a sentence.
pub(super) fn with_capital_article(label: &str) -> String {
    let text = with_article(label);
    format!("A{}", &text[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_are_those_of_puppet() {
        assert_eq!(with_article("Host Class Definition"), "a Host Class Definition");
        assert_eq!(with_capital_article("'undef' expression"), "An 'undef' expression");
        assert_eq!(with_capital_article("Exported Query"), "An Exported Query");
    }

    #[test]
    fn heredocs_are_named_after_their_syntax() {
        assert_eq!(label_of_heredoc("@(\"E\": json /t)"), "'@(json)' expression");
        assert_eq!(label_of_heredoc("@(E)"), "'@()' expression");
    }

    #[test]
    fn hexadecimal_numbers_are_integers() {
        assert!(is_float("1.5") && is_float("1e5") && !is_float("0x1E") && !is_float("10"));
    }
}
