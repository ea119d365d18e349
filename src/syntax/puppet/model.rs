//! What a manifest declares and calls, as plain data.

use super::condition::Guard;
use super::expression::{Constant, Written};
use crate::syntax::tree::SyntaxError;
use crate::text::TextRange;

/// What a file of Puppet code says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// In the order of the file.
    pub declarations: Vec<Declaration>,
    /// Lookups and inclusions, in the order of the file.
    pub calls: Vec<Call>,
    /// Resources of types that may be defined in Puppet code, in the order of the file.
    pub resources: Vec<ResourceUse>,
    /// The variables that code sets, outside of the parameters of declarations; without `$`, sorted.
    pub assigned: Vec<String>,
    /// Empty for what Puppet's parser accepts; it refuses a file with any.
    pub errors: Vec<SyntaxError>,
}

/// A class, a defined type, a function, a type alias, a plan, or a node block.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// What it is.
    pub kind: DeclarationKind,
    /// With the names of the classes around it, without a leading `::`; `None` for a node block.
    pub name: Option<String>,
    /// The name as it is written; the keyword for a node block.
    pub name_range: TextRange,
    /// From the keyword to the last brace.
    pub range: TextRange,
    /// What stands after `inherits`.
    pub parent: Option<TextRange>,
    /// In the order of the list.
    pub parameters: Vec<Parameter>,
    /// The right side of a type alias.
    pub aliased_type: Option<TextRange>,
    /// What stands after `>>`.
    pub return_type: Option<TextRange>,
    /// What a node block matches.
    pub hosts: Vec<TextRange>,
}

/// What a [`Declaration`] declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeclarationKind {
    /// `class`
    Class,
    /// `define`
    Define,
    /// `function`
    Function,
    /// `type Name = …`
    TypeAlias,
    /// `plan`
    Plan,
    /// `node`
    Node,
}

impl DeclarationKind {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Define => "define",
            Self::Function => "function",
            Self::TypeAlias => "type_alias",
            Self::Plan => "plan",
            Self::Node => "node",
        }
    }
}

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Without `$`.
    pub name: String,
    /// Of the name with its `$`.
    pub name_range: TextRange,
    /// The type, if one is written.
    pub type_range: Option<TextRange>,
    /// What stands after `=`.
    pub default: Option<ParameterDefault>,
    /// Whether `*` stands before it: it takes all arguments that are left.
    pub captures_rest: bool,
}

/// What a parameter is without a value.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterDefault {
    /// From its first to its last token. Of a heredoc that is its `@(…)`.
    pub range: TextRange,
    /// Its value, if it is written out.
    pub constant: Option<Constant>,
}

/// A call of `lookup`, `hiera…`, `include`, `contain` or `require`, or one title list of `class { … }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The function without a leading `::`; `class` for `class { … }`.
    pub function: &'static str,
    /// How it is written.
    pub form: CallForm,
    /// Where Puppet says that the call is: the function's name; the `(` or the dot of a method; the title of `class { … }`.
    pub position: u32,
    /// The whole call; the title for `class { … }`.
    pub range: TextRange,
    /// The function's name; `class` of `class { … }`.
    pub function_range: TextRange,
    /// The constant keys or class names.
    pub names: Vec<CalledName>,
    /// Whether some name is not constant.
    pub is_dynamic: bool,
    /// A key with interpolations as its parts, `None` for each expression.
    pub pattern: Option<Vec<Option<String>>>,
    /// What the arguments are; of a method, the first is what stands before the dot.
    pub arguments: Vec<(ArgumentKind, TextRange)>,
    /// The options in a hash of a lookup, each with its value: `default_value`, `merge` and others. A name that is not constant
    /// is empty.
    pub options: Vec<(CalledName, TextRange)>,
    /// The arguments of a lookup as far as they are written out; of other calls, nothing is kept.
    pub written: Vec<Written>,
    /// The attributes of `class { … }`.
    pub attributes: Vec<CalledName>,
    /// Whether a lambda follows.
    pub has_lambda: bool,
    /// What decides whether it runs: it stands in an `if`, `unless`, `case`, selector or lambda, or behind `and` or `or`.
    pub guards: Box<[Guard]>,
    /// The name of the declaration around it.
    pub inside: Option<String>,
}

impl Call {
    /// Whether it looks up data; else it includes classes.
    pub fn is_lookup(&self) -> bool {
        self.function == "lookup" || self.function.starts_with("hiera")
    }
}

/// One title list of a resource: `type { titles: … }`.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceUse {
    /// The type without a leading `::`.
    pub type_name: String,
    /// Of the type's name.
    pub range: TextRange,
    /// Whether such a resource is certainly made: it is not virtual, and a title is written out.
    pub is_made: bool,
    /// What decides whether it is reached.
    pub guards: Box<[Guard]>,
}

/// A name in a [`Call`], and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledName {
    /// As it is meant: without quotes, escapes decoded.
    pub text: String,
    /// With its quotes.
    pub range: TextRange,
}

/// How a [`Call`] is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallForm {
    /// `lookup('x')`, `include x`
    Call,
    /// `'x'.lookup`
    Method,
    /// `class { 'x': }`
    Resource,
}

impl CallForm {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Method => "method",
            Self::Resource => "resource",
        }
    }
}

/// What an argument is, as far as its first look tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentKind {
    /// A constant string or a bare word.
    String,
    /// A string with interpolations.
    Interpolated,
    /// A list.
    Array,
    /// A hash.
    Hash,
    /// A variable.
    Variable,
    /// A type, with arguments or without.
    Type,
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// A number.
    Number,
    /// `true` or `false`
    Boolean,
    /// A regular expression.
    Regexp,
    /// A call of any function.
    Call,
    /// Anything else.
    Expression,
}

impl ArgumentKind {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Interpolated => "interpolated",
            Self::Array => "array",
            Self::Hash => "hash",
            Self::Variable => "variable",
            Self::Type => "type",
            Self::Undef => "undef",
            Self::Default => "default",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Regexp => "regexp",
            Self::Call => "call",
            Self::Expression => "expression",
        }
    }
}
