//! Tokens of the Puppet language, as Puppet's lexer names them.
//!
//! An interpolated string is a sequence of tokens: [`Kind::StringStart`], the tokens of an expression, [`Kind::StringMiddle`]
//! and another expression as often as needed, [`Kind::StringEnd`].

use crate::text::TextRange;

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    /// The kind.
    pub kind: Kind,
    /// Whether it belongs to the text of a heredoc, which is not in source order.
    pub is_heredoc_text: bool,
    /// First byte in the file.
    pub start: u32,
    /// First byte after it.
    pub end: u32,
    /// The index of its text in [`Tokens::texts`], for strings and their parts.
    pub text: u32,
}

impl Token {
    /// Its range in the file.
    pub(super) fn range(self) -> TextRange {
        TextRange::new(self.start, self.end)
    }
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `[` directly after another token.
    LeftBracket,
    /// `[` after white space: the start of a list.
    ListStart,
    RightBracket,
    LeftBrace,
    /// `{` directly after `?`.
    SelectorBrace,
    RightBrace,
    LeftParen,
    /// `(` that is the first token of its line and does not start a call.
    LineParen,
    RightParen,
    Assign,
    /// `+=` and `-=`.
    AssignMore,
    Equal,
    NotEqual,
    Match,
    NoMatch,
    GreaterEqual,
    Greater,
    LessEqual,
    Less,
    FatArrow,
    PlusArrow,
    ShiftLeft,
    ShiftRight,
    /// `<|` and `<<|`.
    CollectorStart,
    /// `|>` and `|>>`.
    CollectorEnd,
    Plus,
    Minus,
    Divide,
    Times,
    Modulo,
    Not,
    Dot,
    Pipe,
    At,
    Colon,
    Comma,
    Semicolon,
    Question,
    Tilde,
    /// `->`, `~>`, `<-` and `<~`.
    Edge,
    Regex,
    /// A string without interpolation; its text is decoded.
    String,
    /// A bare word that is not a name, because it has a dash or starts with `_`.
    Word,
    StringStart,
    StringMiddle,
    StringEnd,
    Number,
    Variable,
    /// `@(TAG)`; the tokens of its text follow directly.
    Heredoc,
    Name,
    /// A name with capitalized segments: a reference to a type.
    TypeName,
    True,
    False,
    And,
    Apply,
    Attr,
    Case,
    Class,
    Default,
    Define,
    Else,
    Elsif,
    Function,
    If,
    In,
    Inherits,
    Node,
    Or,
    Plan,
    Private,
    Type,
    Undef,
    Unless,
    /// The text of a template between its tags.
    TemplateText,
    /// `<%=`.
    TemplateValue,
    /// The `%>` of a `<%=`.
    TemplateValueEnd,
    /// A character that Puppet refuses.
    Unknown,
    /// The end of the file.
    End,
}

impl Kind {
    /// Whether it is text, or a piece of one.
    pub(super) fn is_text(self) -> bool {
        use Kind::{String, StringEnd, StringMiddle, StringStart, TemplateText};
        matches!(self, String | StringStart | StringMiddle | StringEnd | TemplateText)
    }

    /// The keyword `word`, if it is one. `plan` and `apply` are keywords only in the files of plans.
    pub(super) fn keyword(word: &str, is_plan_file: bool) -> Option<Self> {
        Some(match word {
            "and" => Self::And,
            "attr" => Self::Attr,
            "case" => Self::Case,
            "class" => Self::Class,
            "default" => Self::Default,
            "define" => Self::Define,
            "else" => Self::Else,
            "elsif" => Self::Elsif,
            "false" => Self::False,
            "function" => Self::Function,
            "if" => Self::If,
            "in" => Self::In,
            "inherits" => Self::Inherits,
            "node" => Self::Node,
            "or" => Self::Or,
            "private" => Self::Private,
            "true" => Self::True,
            "type" => Self::Type,
            "undef" => Self::Undef,
            "unless" => Self::Unless,
            "plan" if is_plan_file => Self::Plan,
            "apply" if is_plan_file => Self::Apply,
            _ => return None,
        })
    }

    /// Whether it is a reserved word; every reserved word is allowed as the name of an attribute.
    pub(super) fn is_keyword(self) -> bool {
        use Kind::{
            And, Apply, Attr, Case, Class, Default, Define, Else, Elsif, False, Function, If, In,
            Inherits, Node, Or, Plan, Private, True, Type, Undef, Unless,
        };
        matches!(
            self,
            And | Apply | Attr | Case | Class | Default | Define | Else | Elsif | False | Function
        ) || matches!(self, If | In | Inherits | Node | Or | Plan | Private | True | Type)
            || matches!(self, Undef | Unless)
    }

    /// Whether it closes a bracket.
    pub(super) fn is_closer(self) -> bool {
        matches!(self, Self::RightBracket | Self::RightBrace | Self::RightParen)
    }

    /// Whether it opens a bracket.
    pub(super) fn is_opener(self) -> bool {
        self.closer().is_some()
    }

    /// The token that closes this bracket.
    pub(super) fn closer(self) -> Option<Self> {
        match self {
            Self::LeftBracket | Self::ListStart => Some(Self::RightBracket),
            Self::LeftBrace | Self::SelectorBrace => Some(Self::RightBrace),
            Self::LeftParen | Self::LineParen => Some(Self::RightParen),
            _ => None,
        }
    }

    /// Whether a `/` after it starts a regular expression. It does after `}`, but not after `)`.
    pub(super) fn lets_a_regex_follow(self) -> bool {
        !matches!(
            self,
            Self::RightParen
                | Self::RightBracket
                | Self::CollectorEnd
                | Self::Name
                | Self::TypeName
                | Self::Number
                | Self::String
                | Self::True
                | Self::False
                | Self::StringStart
                | Self::StringMiddle
                | Self::StringEnd
                | Self::Heredoc
                | Self::Regex
                | Self::Variable
                | Self::Word
        )
    }
}

/// The text of a string or of a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenText {
    /// Equal to the source at this range.
    Written(TextRange),
    /// Text with decoded escapes or without its margin.
    Decoded(String),
}

/// All tokens of a file, and the texts of its strings.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub list: Vec<Token>,
    pub texts: Vec<TokenText>,
}
