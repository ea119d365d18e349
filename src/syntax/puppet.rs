//! Finds what Puppet code declares and looks up, with exact positions.
//!
//! The lexer and the parser cover the whole language, as in Puppet's grammar, and continue after errors. Code is not
//! evaluated. Positions of declarations and calls are those of Puppet's own model.

mod condition;
mod expression;
mod form;
mod lexer;
mod model;
mod names;
mod parser;
mod token;

pub use condition::{Condition, Guard, Operator};
pub use expression::{Constant, Written, WrittenShape};
pub use lexer::{Language, is_bare_name, is_qualified_name};
pub use model::{
    ArgumentKind, Assigned, Attribute, Call, CallForm, CalledName, Declaration, DeclarationKind,
    FunctionUse, Lambda, METAPARAMETERS, Manifest, Parameter, ParameterDefault, ResourceUse,
};
pub use names::{Names, Scope, VariableUse};

use crate::text::TextRange;

/// Parses a file. This never fails: for a broken file it returns what it can read, and errors.
pub fn parse(text: &str, language: Language) -> Manifest {
    let (tokens, errors) = lexer::tokenize(text, language);
    parser::parse(text, language, tokens, errors)
}

/// The parts of a file that are not white space or comments. The text of a heredoc starts before its first byte, which may be a `#`.
pub fn written_parts(text: &str, language: Language) -> Vec<TextRange> {
    let (tokens, _) = lexer::tokenize(text, language);
    let range = |token: &token::Token| match token.range() {
        TextRange { start, end } if token.is_heredoc_text => TextRange::new(start - 1, end),
        range => range,
    };
    tokens.list.iter().map(range).collect()
}

/// The strings of a file, in pieces between their interpolations, and the texts of templates and heredocs.
pub fn strings(text: &str, language: Language) -> Vec<TextRange> {
    let (tokens, _) = lexer::tokenize(text, language);
    tokens.list.iter().filter(|it| it.kind.is_text()).map(|token| token.range()).collect()
}

/// Where a file names variables and classes, in addition to what [`parse`] returns.
pub fn names(text: &str, language: Language) -> Names {
    let (tokens, errors) = lexer::tokenize(text, language);
    Names::of(text, parser::parse_with_scopes(text, language, tokens, errors))
}
