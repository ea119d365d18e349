//! Parses tokens by Puppet's grammar and records declarations and calls. It continues after errors.
//!
//! Depth is bounded: deeper nesting is skipped and reported as an error. Each token is read once, so the time is linear.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::condition::{self, Guard};
use super::expression::{Expression, Shape};
use super::form::{self, Definition, Form};
use super::lexer::Language;
use super::model::{Assigned, Manifest, Parameter};
use super::token::{Kind, Token, TokenText, Tokens};
use crate::syntax::tree::SyntaxError;
use crate::text::TextRange;

mod calls;
mod checks;
mod control;
mod declarations;
mod expressions;
mod literals;
mod order;
mod resources;
mod statements;
#[cfg(test)]
mod tests;

/// The maximum nesting of expressions and blocks.
const MAX_NESTING: usize = 1_000;

/// Further errors of a file are not reported.
const MAX_ERRORS: usize = 100;

/// Whether a comma may follow the last item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LastComma {
    Allowed,
    Refused,
}

/// Whether Puppet reads one token more before it finds an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lookahead {
    None,
    NextToken,
}

/// How many bytes of stack must be left before it grows, and by how many it grows.
const STACK_RED_ZONE: usize = 128 * 1024;
const STACK_GROWTH: usize = 1024 * 1024;

use order::ReadingOrder;
use statements::Place;

/// Parses a whole file.
pub(super) fn parse(
    text: &str,
    language: Language,
    tokens: Tokens,
    errors: Vec<SyntaxError>,
) -> Manifest {
    parse_with_scopes(text, language, tokens, errors).manifest
}

/// The result of [`parse_with_scopes`].
pub(super) struct Parsed {
    pub(super) manifest: Manifest,
    pub(super) tokens: Tokens,
    /// In the order in which they end.
    pub(super) scopes: Vec<TokenScope>,
}

/// The tokens of a part of code that has its own variables, from its head to its last brace.
pub(super) struct TokenScope {
    pub(super) first: usize,
    /// The index after the last token.
    pub(super) end: usize,
    /// The name of a declaration as written; `None` for a lambda.
    pub(super) declaration: Option<TextRange>,
    pub(super) parameters: Vec<Parameter>,
}

/// Parses a whole file, and also records the scopes of variables.
pub(super) fn parse_with_scopes(
    text: &str,
    language: Language,
    tokens: Tokens,
    errors: Vec<SyntaxError>,
) -> Parsed {
    let is_unbalanced = !errors.is_empty() || has_unbalanced_brackets(&tokens);
    let order = ReadingOrder::new(&tokens, &errors);
    let found = Manifest { errors, ..Manifest::default() };
    let mut parser = Parser {
        text,
        tokens,
        order,
        at: 0,
        found,
        refusals: Vec::new(),
        statement_start: None,
        leading_definition: None,
        queries: 0,
        is_in_default: false,
        namespace: Vec::new(),
        inside: None,
        guards: Vec::new(),
        may_have_ended: false,
        assigned: BTreeSet::new(),
        lambdas: 0,
        depth: 0,
        open: 0,
        is_unbalanced,
        last_end: 0,
        previous_end: 0,
        scopes: Vec::new(),
    };
    if language == Language::Template {
        parser.template_parameters();
    }
    let place = match language {
        Language::Template => Place::Block,
        Language::Manifest | Language::Plan => Place::TopLevel,
    };
    loop {
        let _ = parser.statements(place);
        if parser.kind() == Kind::End {
            break;
        }
        parser.refuse();
    }
    let Parser { mut found, refusals, tokens, order, scopes, assigned, .. } = parser;
    // Puppet validates only what it can parse. It has other rules for plans.
    if found.errors.is_empty() && language != Language::Plan {
        found.errors = refusals;
    }
    found.assigned = assigned.into_iter().collect();
    // The parser adds an inner declaration before the outer one, and it reads the text of a heredoc together with its tag.
    found.functions.sort_by_key(|it| it.range.start);
    found.resources.sort_by_key(|it| it.range.start);
    found.declarations.sort_by_key(|it| it.range.start);
    found.calls.sort_by_key(|it| it.position);
    found.errors = order.sorted(found.errors);
    Parsed { manifest: found, tokens, scopes }
}

/// The state of the parser.
struct Parser<'text> {
    text: &'text str,
    tokens: Tokens,
    order: ReadingOrder,
    /// The index of the next token.
    at: usize,
    found: Manifest,
    /// What Puppet's validator refuses in code that its parser accepts.
    refusals: Vec<SyntaxError>,
    /// The index of the token that starts the statement.
    statement_start: Option<usize>,
    /// The definition that the statement starts with, and its position.
    leading_definition: Option<(Definition, TextRange)>,
    /// The number of collectors whose queries contain the code.
    queries: usize,
    /// Whether the code belongs to the default of a parameter, and not to a lambda in it.
    is_in_default: bool,
    /// The names of the enclosing classes, outermost first. They precede the names of classes and defined types in a class,
    /// and of those in its parameters.
    namespace: Vec<String>,
    /// The name of the enclosing declaration.
    inside: Option<Arc<str>>,
    /// The enclosing conditions, with an unknown one for each lambda.
    guards: Vec<Guard>,
    /// Whether a `return` precedes in the enclosing declaration.
    may_have_ended: bool,
    /// The variables that are assigned.
    assigned: BTreeSet<Assigned>,
    /// The number of lambdas around the code.
    lambdas: usize,
    depth: usize,
    /// The number of open brackets.
    open: usize,
    /// Whether some bracket is missing. Then a declaration at the start of a line closes everything that is open.
    is_unbalanced: bool,
    /// The end of the last token, ignoring texts of heredocs.
    last_end: u32,
    /// The same including the texts of heredocs.
    previous_end: u32,
    scopes: Vec<TokenScope>,
}

impl Parser<'_> {
    /// Reads items up to `close`, whose opening bracket has been read. A closing bracket of another kind ends them, too. There
    /// is one comma between two items, and one may follow the last item if `last_comma` allows it.
    fn items(&mut self, close: Kind, last_comma: LastComma, mut item: impl FnMut(&mut Self)) {
        self.open += 1;
        let mut is_comma_expected = false;
        let mut is_after_comma = false;
        loop {
            if is_after_comma && last_comma == LastComma::Refused && self.kind() == close {
                self.refuse_here();
            }
            if self.eat(close) {
                break;
            }
            if self.is_at_stop() || self.kind().is_closer() {
                self.refuse_here();
                break;
            }
            if self.kind() == Kind::Comma {
                if !is_comma_expected {
                    self.refuse_here();
                }
                self.next();
                (is_comma_expected, is_after_comma) = (false, true);
                continue;
            }
            let before = self.at;
            item(self);
            (is_comma_expected, is_after_comma) = (true, false);
            if self.at == before {
                self.refuse();
            } else if self.kind() != Kind::Comma && self.kind() != close {
                self.refuse_here();
            }
        }
        self.open -= 1;
    }

    /// Runs `read` one level deeper, or skips the expression if that is too deep.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Expression) -> Expression {
        if self.depth >= MAX_NESTING {
            self.error(self.peek().range(), "Nested too deeply");
            let start = self.peek().start;
            self.skip_group();
            return self.expression_from(start, Shape::Other);
        }
        self.depth += 1;
        // The stack of a thread is too small for so many levels of recursion.
        let result = stacker::maybe_grow(STACK_RED_ZONE, STACK_GROWTH, || read(self));
        self.depth -= 1;
        result
    }

    /// Whether nothing that is open can continue here.
    fn is_at_stop(&self) -> bool {
        match self.kind() {
            Kind::End | Kind::StringMiddle | Kind::StringEnd | Kind::TemplateValueEnd => true,
            Kind::Class | Kind::Define | Kind::Node | Kind::Function | Kind::Plan => {
                self.is_unbalanced && self.open > 0 && self.is_declaration_at_line_start()
            }
            _ => false,
        }
    }

    fn is_declaration_at_line_start(&self) -> bool {
        let start = self.peek().start as usize;
        let is_line_start = start == 0 || self.text.as_bytes()[start - 1] == b'\n';
        is_line_start
            && matches!(
                self.ahead(1),
                Kind::Name | Kind::Word | Kind::String | Kind::Default | Kind::Regex
            )
    }

    fn peek(&self) -> Token {
        // At the end of the file, there is always one more token.
        let end = self.text.len() as u32;
        let behind =
            Token { kind: Kind::End, is_heredoc_text: false, start: end, end, text: u32::MAX };
        self.tokens.list.get(self.at).copied().unwrap_or(behind)
    }

    fn kind(&self) -> Kind {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> Kind {
        self.tokens.list.get(self.at + count).map_or(Kind::End, |it| it.kind)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != Kind::End {
            self.at += 1;
            self.previous_end = token.end;
            if !token.is_heredoc_text {
                self.last_end = token.end;
            }
        }
        token
    }

    fn eat(&mut self, kind: Kind) -> bool {
        let is_there = self.kind() == kind && kind != Kind::End;
        if is_there {
            self.next();
        }
        is_there
    }

    fn expect(&mut self, kind: Kind) -> bool {
        let is_there = self.eat(kind);
        if !is_there {
            self.refuse_here();
        }
        is_there
    }

    /// Reports that Puppet refuses the next token, and skips it; a string is skipped as a whole.
    fn refuse(&mut self) {
        self.refuse_here();
        if self.next().kind == Kind::StringStart {
            self.skip_to_string_part();
            while self.kind() == Kind::StringMiddle {
                self.next();
                self.skip_to_string_part();
            }
            self.next();
        }
    }

    /// Reports that Puppet refuses the next token.
    fn refuse_here(&mut self) {
        let token = self.peek();
        let message = match token.kind {
            Kind::End => "Syntax error at end of input".to_owned(),
            // The lexer may have said what is wrong with it.
            Kind::Unknown if self.found.errors.iter().any(|it| it.range == token.range()) => return,
            _ => format!("Syntax error at '{}'", self.value_of(token)),
        };
        self.error(token.range(), &message);
    }

    /// The value of a token in Puppet's messages: a string without its quotes, a variable without its `$`.
    fn value_of(&self, token: Token) -> String {
        match token.kind {
            Kind::Variable => self.text_of(token).trim_start_matches('$').to_owned(),
            Kind::Regex => format!("(?-mix:{})", self.text_of(token).replace('/', "\\/")),
            Kind::Heredoc => form::syntax_of_heredoc(token.range().slice(self.text)).to_owned(),
            Kind::TemplateValue | Kind::Unknown => String::new(),
            _ => self.text_of(token),
        }
    }

    /// Skips the rest of an interpolation.
    fn skip_to_string_part(&mut self) {
        let mut depth = 0;
        loop {
            let kind = self.kind();
            match kind {
                Kind::End => return,
                Kind::StringMiddle | Kind::StringEnd if depth == 0 => return,
                _ if depth == 0 => self.refuse_here(),
                _ => {}
            }
            depth += usize::from(kind == Kind::StringStart);
            depth -= usize::from(kind == Kind::StringEnd);
            self.next();
        }
    }

    /// Skips one token, or everything up to the bracket that closes the one that opens here.
    fn skip_group(&mut self) {
        let mut depth = 0_usize;
        while !matches!(self.kind(), Kind::End | Kind::StringMiddle | Kind::StringEnd) {
            if self.kind() == Kind::StringStart {
                self.refuse();
            } else {
                let kind = self.next().kind;
                depth += usize::from(kind.is_opener());
                depth = depth.saturating_sub(usize::from(kind.is_closer()));
            }
            if depth == 0 {
                return;
            }
        }
    }

    /// The conditions under which code at this place runs.
    fn kept_guards(&self) -> Box<[Guard]> {
        condition::kept(&self.guards, self.may_have_ended)
    }

    /// Records the variables on the left side of an assignment.
    fn note_assigned(&mut self, left: &Expression) {
        match &left.shape {
            Shape::Variable(name) => {
                let (position, is_in_lambda) = (left.range.start, self.lambdas > 0);
                self.assigned.insert(Assigned { name: name.clone(), position, is_in_lambda });
            }
            Shape::List(items) => items.iter().for_each(|it| self.note_assigned(it)),
            _ => {}
        }
    }

    /// Reports an error that Puppet finds when it has read everything from `from` to the last token, or to the next one: an
    /// error there comes first.
    fn late_error(&mut self, from: u32, to: Lookahead, range: TextRange, message: &str) {
        let before = match to {
            Lookahead::None => self.previous_end,
            Lookahead::NextToken => self.peek().start + 1,
        };
        let read = self.order.of(from)..self.order.of(before);
        let mut known = self.found.errors.iter().enumerate();
        if !known.any(|(index, it)| read.contains(&self.order.of_error(index, it))) {
            self.error(range, message);
        }
    }

    fn error(&mut self, range: TextRange, message: &str) {
        // After an error, several functions may refuse the same token, but it is one error.
        let is_known = self.found.errors.last().is_some_and(|it| it.range == range);
        if !is_known && self.found.errors.len() < MAX_ERRORS {
            self.found.errors.push(SyntaxError { message: message.to_owned(), range });
        }
    }

    /// An expression from `start` to the last token read.
    fn expression_from(&self, start: u32, shape: Shape) -> Expression {
        let (range, form) = (self.range_from(start), Form::Plain);
        Expression { position: start, range, shape, form, query_parts: Vec::new() }
    }

    /// An expression that Puppet's model names `form`; it is not constant.
    fn formed_from(&self, start: u32, form: Form) -> Expression {
        Expression { form, ..self.expression_from(start, Shape::Other) }
    }

    fn range_from(&self, start: u32) -> TextRange {
        // An expression that starts in the text of a heredoc also ends there.
        let end = if self.last_end > start { self.last_end } else { self.previous_end };
        TextRange::new(start, end.max(start))
    }

    /// The decoded text of a string or of a part of one; the source text of any other token.
    fn text_of(&self, token: Token) -> String {
        match self.tokens.texts.get(token.text as usize) {
            Some(TokenText::Decoded(text)) => text.clone(),
            Some(TokenText::Written(range)) => range.slice(self.text).to_owned(),
            None => token.range().slice(self.text).to_owned(),
        }
    }
}

/// Whether it is the name of a function that may be called without parentheses.
fn is_statement_function(expression: &Expression) -> bool {
    const NAMES: [&str; 15] = [
        "require", "realize", "include", "contain", "tag", "debug", "info", "notice", "warning",
        "err", "fail", "import", "break", "next", "return",
    ];
    matches!(&expression.shape, Shape::Name(name) if NAMES.contains(&name.as_str()))
}

fn has_unbalanced_brackets(tokens: &Tokens) -> bool {
    let mut counts = [0_i64; 3];
    for token in &tokens.list {
        let closer = token.kind.closer().unwrap_or(token.kind);
        let index = match closer {
            Kind::RightBrace => 0,
            Kind::RightBracket => 1,
            Kind::RightParen => 2,
            _ => continue,
        };
        counts[index] += if token.kind.is_opener() { 1 } else { -1 };
    }
    counts != [0; 3]
}
