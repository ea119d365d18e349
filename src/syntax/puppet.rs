//! Puppet code as what it declares and what it looks up, with exact places.
//!
//! A lexer and a parser of the whole language, as Puppet's grammar has it, that go on behind errors. Code is not evaluated.
//! Positions of declarations and calls are those of Puppet's own model.

mod condition;
mod expression;
mod lexer;
mod model;
mod names;
mod parser;
mod token;

pub use condition::{Condition, Guard, Operator};
pub use expression::{Constant, Written, WrittenShape};
pub use lexer::Language;
pub use model::{
    ArgumentKind, Call, CallForm, CalledName, Declaration, DeclarationKind, Manifest, Parameter,
    ParameterDefault, ResourceUse,
};
pub use names::{Names, Scope, VariableUse};

/// Reads a file. It never fails: a broken file gives what can be understood, and errors.
pub fn parse(text: &str, language: Language) -> Manifest {
    let (tokens, errors) = lexer::tokenize(text, language);
    parser::parse(text, tokens, errors)
}

/// Where a file names variables and classes, beside what [`parse`] gives.
pub fn names(text: &str, language: Language) -> Names {
    let (tokens, errors) = lexer::tokenize(text, language);
    Names::of(text, parser::parse_with_scopes(text, tokens, errors))
}
