//! The declarations and calls of a manifest, as plain data.

use std::sync::Arc;

use super::condition::{Condition, Guard};
use super::expression::{Constant, Written};
use crate::syntax::tree::SyntaxError;
use crate::text::TextRange;

/// The parameters of every resource. Puppet does not look them up. If a class declares one with a default, it is passed on to all
/// resources in the class.
pub const METAPARAMETERS: [&str; 11] = [
    "alias",
    "audit",
    "before",
    "loglevel",
    "noop",
    "notify",
    "require",
    "schedule",
    "stage",
    "subscribe",
    "tag",
];

/// The content of a file of Puppet code.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Manifest {
    /// In source order.
    pub declarations: Vec<Declaration>,
    /// Lookups and inclusions, in source order.
    pub calls: Vec<Call>,
    /// Calls of functions that may be defined in Puppet code, in source order.
    pub functions: Vec<FunctionUse>,
    /// Resources of types that may be defined in Puppet code, in source order.
    pub resources: Vec<ResourceUse>,
    /// The variables that code assigns, except the parameters of declarations; sorted.
    pub assigned: Vec<Assigned>,
    /// Errors of Puppet's parser; if there are none, those of its validator. Puppet refuses a file with an error.
    pub errors: Vec<SyntaxError>,
}

impl Manifest {
    /// Whether code assigns the variable.
    pub fn assigns(&self, variable: &str) -> bool {
        self.assigned.binary_search_by(|it| it.name.as_str().cmp(variable)).is_ok()
    }
}

/// A variable that code assigns, or a parameter of a lambda.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assigned {
    /// Without `$`.
    pub name: String,
    /// Where it gets its value.
    pub position: u32,
    /// Whether only the code of a lambda sees it.
    pub is_in_lambda: bool,
}

/// A class, a defined type, a function, a type alias, a plan, or a node block.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// What it is.
    pub kind: DeclarationKind,
    /// With the names of the enclosing classes, without a leading `::`; `None` for a node block.
    pub name: Option<String>,
    /// The name as written; the keyword for a node block.
    pub name_range: TextRange,
    /// From the keyword to the last brace.
    pub range: TextRange,
    /// The name after `inherits`.
    pub parent: Option<TextRange>,
    /// In source order.
    pub parameters: Vec<Parameter>,
    /// The right side of a type alias.
    pub aliased_type: Option<TextRange>,
    /// The type after `>>`.
    pub return_type: Option<TextRange>,
    /// What a node block matches.
    pub hosts: Vec<TextRange>,
}

/// The kind of a [`Declaration`].
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
    /// The name for output.
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
    /// The range of the name with its `$`.
    pub name_range: TextRange,
    /// The type, if there is one.
    pub type_range: Option<TextRange>,
    /// The default after `=`.
    pub default: Option<ParameterDefault>,
    /// Whether `*` precedes it, so that it takes all remaining arguments.
    pub captures_rest: bool,
}

/// The default of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct ParameterDefault {
    /// From its first to its last token. For a heredoc, this is its `@(…)`.
    pub range: TextRange,
    /// Its value, if it is constant.
    pub constant: Option<Constant>,
}

/// A call of `lookup`, `hiera…`, `include`, `contain` or `require`, or one list of titles in `class { … }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The function without a leading `::`; `class` for `class { … }`.
    pub function: &'static str,
    /// How it is written.
    pub form: CallForm,
    /// The position that Puppet reports: the function's name; the `(` or the dot of a method; the title of `class { … }`.
    pub position: u32,
    /// The whole call; the title for `class { … }`.
    pub range: TextRange,
    /// The function's name, or the word `class` in `class { … }`.
    pub function_range: TextRange,
    /// The constant keys or class names.
    pub names: Vec<CalledName>,
    /// Whether some name is not constant.
    pub is_dynamic: bool,
    /// The class names that are not constant, as far as facts can decide them.
    pub computed: Vec<Condition>,
    /// The parts of a key with interpolations, with `None` for each expression.
    pub pattern: Option<Vec<Option<String>>>,
    /// The kinds of the arguments. For a method, the first one is what precedes the dot.
    pub arguments: Vec<(ArgumentKind, TextRange)>,
    /// The options of a lookup that are in a hash, each with its value: `default_value`, `merge` and others. A name that is
    /// not constant is empty.
    pub options: Vec<(CalledName, TextRange)>,
    /// The arguments of a lookup as far as they are constant; empty for other calls.
    pub written: Vec<Written>,
    /// The attributes of `class { … }`.
    pub attributes: Vec<Attribute>,
    /// The lambda that follows.
    pub lambda: Option<Lambda>,
    /// The conditions under which it runs: it is in an `if`, `unless`, `case`, selector or lambda, or after `and` or `or`.
    pub guards: Box<[Guard]>,
    /// The name of the enclosing declaration.
    pub inside: Option<Arc<str>>,
}

/// A lambda after a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Lambda {
    /// From its first `|` to its `}`.
    pub range: TextRange,
    /// Whether it can be called with one argument.
    pub takes_one: bool,
    /// The type of its first parameter, if there is one.
    pub first_type: Option<String>,
}

impl Call {
    /// The attributes of `class { … }` that set something.
    pub fn given(&self) -> impl Iterator<Item = &Attribute> {
        self.attributes.iter().filter(|it| !it.is_overridden)
    }

    /// Whether it looks up data; otherwise it includes classes.
    pub fn is_lookup(&self) -> bool {
        self.function == "lookup" || self.function.starts_with("hiera")
    }
}

/// One list of titles of a resource, `type { titles: … }`, or a call such as `create_resources('type', …)`.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceUse {
    /// The type without a leading `::`; `class` only in such calls and in `Resource['class'] { … }`. `None` if it is not constant:
    /// then it may be `class`, too.
    pub type_name: Option<String>,
    /// The range of the type's name, or of the call.
    pub range: TextRange,
    /// Whether it certainly creates a resource: it is not virtual, and a title is constant.
    pub is_made: bool,
    /// The conditions under which it runs.
    pub guards: Box<[Guard]>,
}

/// A call of a function in a namespace, such as `profile::settings()`. All functions in code, except those in main manifests,
/// have such a name, and none of Puppet's own functions has. Or the call of `call` with the name of a function that is not constant,
/// or that includes classes.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionUse {
    /// Without a leading `::`.
    pub name: String,
    /// The range of the name.
    pub range: TextRange,
    /// The conditions under which it runs.
    pub guards: Box<[Guard]>,
}

/// A name in a [`Call`], and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledName {
    /// Decoded, without quotes.
    pub text: String,
    /// With its quotes.
    pub range: TextRange,
}

/// An attribute of `class { … }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The parameter, or `*`.
    pub name: CalledName,
    /// Whether its value is written as `undef`: then data still counts.
    pub is_undef: bool,
    /// Whether the body of `default:` has it.
    pub is_default: bool,
    /// Whether it sets nothing, because it is in the body of `default:` and the titles have an attribute of this name.
    pub is_overridden: bool,
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
    /// The name for output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Method => "method",
            Self::Resource => "resource",
        }
    }
}

/// The kind of an argument, as far as its first token shows it.
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
    /// The name for output.
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
