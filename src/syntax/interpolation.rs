//! Interpolation tokens: `%{…}` inside a string, split and classified exactly as Puppet does it.
//!
//! Nothing is looked up here. Offsets are bytes of the decoded string, not of the file.

use std::sync::Arc;

use memchr::{memchr, memmem};

use super::key_path;
use crate::text::TextRange;

/// A `%{…}` in a decoded string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The bytes of the decoded string, from `%` to `}`.
    pub range: TextRange,
    /// The text between the braces, without surrounding white space.
    pub expression_range: TextRange,
    /// What the token refers to.
    pub expression: Expression,
}

/// The text between the braces, without surrounding white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// Nothing, `::`, or empty quotes, which give the empty string.
    Empty,
    /// `name('argument')`.
    Call {
        /// The method, known or not.
        method: Method,
        /// The text between the quotes, verbatim.
        argument: Arc<str>,
        /// The range of the argument in the decoded string.
        argument_range: TextRange,
    },
    /// Anything else: a variable, perhaps with sub keys (the whole text; [`super::key_path`] splits it).
    Variable(Arc<str>),
}

/// The method of a [`Expression::Call`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Method {
    /// `lookup`
    Lookup,
    /// `hiera`
    Hiera,
    /// `alias`
    Alias,
    /// `literal`
    Literal,
    /// `scope`
    Scope,
    /// A name that Puppet does not know.
    Unknown(Arc<str>),
}

/// Whether a token of a YAML or JSON file may mention `name`. If this returns false, no token does. `source` is the file's
/// text.
pub fn may_speak_of(source: &str, name: &str) -> bool {
    if has_disguise(source) {
        return true;
    }
    // A line break may stand for a space.
    let has_other_spellings = name.contains(char::is_whitespace);
    let finder = memmem::Finder::new(name);
    let mut rest = source.as_bytes();
    while let Some(start) = memmem::find(rest, b"%{") {
        rest = &rest[start..];
        let end = memchr(b'}', rest).unwrap_or(rest.len());
        let token = &rest[..end];
        // An escape may spell any part of the name.
        if has_other_spellings || memchr(b'\\', token).is_some() || finder.find(token).is_some() {
            return true;
        }
        rest = &rest[end..];
    }
    false
}

/// The tokens of `text` in order. Quotes do not affect the split: a token ends at the first `}`, and what follows is ordinary
/// text.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(start) = token_start(text, at) {
        let Some(length) = memchr(b'}', &text.as_bytes()[start + 2..]) else { break };
        let end = start + 2 + length + 1;
        tokens.push(token(text, start, end));
        at = end;
    }
    tokens
}

/// Where the first `%{` after the byte `from` starts.
fn token_start(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    // Most texts are short, and have no `%` at all.
    let mut signs = memchr::memchr_iter(b'%', &bytes[from..]).map(|at| from + at);
    signs.find(|at| bytes.get(at + 1) == Some(&b'{'))
}

/// The [`tokens`] of `text` that have parentheses: all that call a function, and perhaps others.
pub fn calls(text: &str) -> impl Iterator<Item = Token> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = token_start(text, at)?;
            let end = start + 2 + memchr(b'}', &text.as_bytes()[start + 2..])? + 1;
            at = end;
            if memchr(b'(', &text.as_bytes()[start..end]).is_some() {
                return Some(token(text, start, end));
            }
        }
    })
}

/// The first token in `text` after its `literal`s are replaced; `None` without a `literal`. Puppet interpolates the result of
/// a `lookup` once more, including such a token.
pub fn token_made_by_literals(text: &str) -> Option<String> {
    let mut made = String::new();
    let mut end = 0;
    let mut has_literal = false;
    for token in tokens(text) {
        made.push_str(&text[end..token.range.start as usize]);
        if let Expression::Call { method: Method::Literal, argument, .. } = &token.expression {
            made.push_str(argument);
            has_literal = true;
        }
        end = token.range.end as usize;
    }
    made.push_str(&text[end..]);
    let tokens = tokens(&made);
    let token = tokens.first().filter(|_| has_literal)?;
    Some(token.range.slice(&made).to_owned())
}

/// Whether Puppet reads the same in two texts, which differ at most in how their tokens are written: in quotes and blanks, or
/// in `hiera` instead of `lookup`.
pub fn read_the_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let tokens = (tokens(one), tokens(other));
    let is_alike = |(one, other): (&Token, &Token)| one.expression.reads_as(&other.expression);
    tokens.0.len() == tokens.1.len()
        && tokens.0.iter().zip(&tokens.1).all(is_alike)
        && between(one, &tokens.0).eq(between(other, &tokens.1))
}

/// The parts of `text` around its tokens.
fn between<'t>(text: &'t str, tokens: &[Token]) -> impl Iterator<Item = &'t str> {
    let starts = std::iter::once(0).chain(tokens.iter().map(|it| it.range.end as usize));
    let ends = tokens.iter().map(|it| it.range.start as usize).chain([text.len()]);
    starts.zip(ends).map(|(start, end)| &text[start..end])
}

/// Whether `text` may contain a token.
pub fn may_have_tokens(text: &str) -> bool {
    token_start(text, 0).is_some()
}

/// Escapes for `%`, or for a break between it and the following `{`. All contain a backslash.
const DISGUISES: [&str; 4] = ["\\x25", "\\u0025", "\\U00000025", "%\\"];

/// Whether the values of a file may contain tokens that do not appear as `%{` in its text, because escapes spell them or
/// because `*name` or `<<` copies them from elsewhere.
pub fn hides_tokens(source: &str) -> bool {
    let bytes = source.as_bytes();
    let begins_word = |at: usize| {
        let before = bytes[..at].last();
        before.is_none_or(|it| it.is_ascii_whitespace() || b"[{,:-?".contains(it))
    };
    has_disguise(source)
        || memchr::memchr_iter(b'*', bytes).any(begins_word)
        || memmem::find(bytes, b"<<").is_some()
}

fn has_disguise(source: &str) -> bool {
    let bytes = source.as_bytes();
    let has = |disguise: &&str| memmem::find(bytes, disguise.as_bytes()).is_some();
    memchr(b'\\', bytes).is_some() && DISGUISES.iter().any(has)
}

/// The contents of the braces of calls (`%{lookup('a')}`) that appear in a file's text. `None` if the source of a call
/// differs from its decoded text, or does not show where the call ends.
pub fn calls_in(source: &str) -> Option<Vec<&str>> {
    let bytes = source.as_bytes();
    let mut calls = Vec::new();
    let mut from = 0;
    while let Some(found) = memchr(b'%', &bytes[from..]) {
        let start = from + found;
        if bytes.get(start + 1) != Some(&b'{') {
            from = start + 1;
            continue;
        }
        from = end_of_token(bytes, start + 2);
        let inside = &source[start..from];
        let is_call = inside.contains('(');
        // Another `%{` can be a part of the key that is looked up, or the start of a token in another string.
        if inside.contains('\\') || is_call && bytes[from..].starts_with(b"%{") {
            return None;
        }
        if is_call {
            calls.push(inside);
        }
    }
    Some(calls)
}

/// The byte at which a token ends that byte `from` is inside of: at its `}`, or before another `%{`, because text such as
/// `50%{` is no token.
pub fn end_of_token(source: &[u8], from: usize) -> usize {
    let ends = |at: &usize| source[*at] == b'}' || source.get(at + 1) == Some(&b'{');
    let mut candidates = memchr::memchr2_iter(b'}', b'%', &source[from..]).map(|at| from + at);
    candidates.find(ends).unwrap_or(source.len())
}

/// The words of a root key, or of a call that names it. Characters other than letters may be written in several ways.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '-');
    text.split(move |c| !is_part(c)).filter(|word| !word.is_empty())
}

/// The most specific word of a root key, or the key itself if it has no words.
pub fn longest_word(root: &str) -> &str {
    words(root).max_by_key(|word| word.len()).unwrap_or(root)
}

/// The offset of a `%{` that has no `}` after it. Puppet leaves it as text.
pub fn unclosed(text: &str) -> Option<u32> {
    let end_of_last = memchr::memrchr(b'}', text.as_bytes()).map_or(0, |at| at + 1);
    memmem::find(&text.as_bytes()[end_of_last..], b"%{").map(|at| (end_of_last + at) as u32)
}

impl Token {
    /// Whether Puppet refuses the whole string with `Syntax error in string`, because the expression is neither a call nor a
    /// name that can be split. Quotes are the most common cause (`%{facts['os']}`, `%{lookup( 'x' )}`).
    pub fn is_malformed(&self) -> bool {
        match &self.expression {
            Expression::Variable(name)
            | Expression::Call { method: Method::Scope, argument: name, .. } => {
                key_path::parse(name).is_err()
            }
            _ => false,
        }
    }

    /// Whether the token calls `alias`, which Puppet allows only as the entire string.
    pub fn is_alias(&self) -> bool {
        matches!(self.expression, Expression::Call { method: Method::Alias, .. })
    }

    /// The key that `lookup`, `hiera` or `alias` looks up.
    pub fn lookup_key(&self) -> Option<(&Arc<str>, TextRange)> {
        match &self.expression {
            Expression::Call {
                method: Method::Lookup | Method::Hiera | Method::Alias,
                argument,
                argument_range,
            } => Some((argument, *argument_range)),
            _ => None,
        }
    }

    /// The variable that the token reads, directly or with `scope`, sub keys included.
    pub fn variable(&self) -> Option<(&Arc<str>, TextRange)> {
        match &self.expression {
            Expression::Variable(name) => Some((name, self.expression_range)),
            Expression::Call { method: Method::Scope, argument, argument_range } => {
                Some((argument, *argument_range))
            }
            _ => None,
        }
    }
}

impl Expression {
    /// Whether Puppet reads the same in another expression.
    fn reads_as(&self, other: &Self) -> bool {
        let (
            Self::Call { method: one, argument, .. },
            Self::Call { method: other, argument: other_argument, .. },
        ) = (self, other)
        else {
            return self == other;
        };
        let looks_up = |it: &Method| matches!(it, Method::Lookup | Method::Hiera);
        argument == other_argument && (one == other || looks_up(one) && looks_up(other))
    }
}

impl Method {
    /// The methods that Puppet knows, by name. Names are case-sensitive.
    pub const NAMES: [&'static str; 5] = ["lookup", "hiera", "alias", "literal", "scope"];

    /// The method of this name.
    pub fn from_name(name: &str) -> Self {
        match name {
            "lookup" => Self::Lookup,
            "hiera" => Self::Hiera,
            "alias" => Self::Alias,
            "literal" => Self::Literal,
            "scope" => Self::Scope,
            _ => Self::Unknown(name.into()),
        }
    }

    /// Its name as written.
    pub fn name(&self) -> &str {
        match self {
            Self::Lookup => "lookup",
            Self::Hiera => "hiera",
            Self::Alias => "alias",
            Self::Literal => "literal",
            Self::Scope => "scope",
            Self::Unknown(name) => name,
        }
    }
}

/// The exact spellings that Puppet treats as an empty expression.
const EMPTY_EXPRESSIONS: [&str; 6] = ["", "::", "\"\"", "''", "\"::\"", "'::'"];

fn token(text: &str, start: usize, end: usize) -> Token {
    let inner = &text[start + 2..end - 1];
    let written = key_path::strip_as_ruby(inner);
    // `written` is a part of `inner`, so the distance of both pointers is its offset.
    let from = start + 2 + (written.as_ptr() as usize - inner.as_ptr() as usize);
    let expression = if EMPTY_EXPRESSIONS.contains(&written) {
        Expression::Empty
    } else {
        call(written, from).unwrap_or_else(|| Expression::Variable(written.into()))
    };
    Token {
        range: TextRange::new(start as u32, end as u32),
        expression_range: TextRange::new(from as u32, (from + written.len()) as u32),
        expression,
    }
}

/// Puppet's `^(\w+)\((?:"([^"]+)"|'([^']+)')\)$`. Its anchors match at lines, so a call may be on any line of the expression.
fn call(expression: &str, offset: usize) -> Option<Expression> {
    if !expression.contains('(') {
        return None;
    }
    let lines = std::iter::once(0).chain(expression.match_indices('\n').map(|(at, _)| at + 1));
    lines.into_iter().find_map(|line| call_at(expression, line, offset))
}

fn call_at(expression: &str, line: usize, offset: usize) -> Option<Expression> {
    let text = &expression[line..];
    let name_end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let after_name = text[name_end..].strip_prefix('(').filter(|_| name_end > 0)?;
    let quote = after_name.chars().next().filter(|&c| c == '\'' || c == '"')?;
    let argument = &after_name[1..];
    let argument = &argument[..argument.find(quote).filter(|&length| length > 0)?];
    let behind = after_name[1 + argument.len() + 1..].strip_prefix(')')?;
    if !(behind.is_empty() || behind.starts_with('\n')) {
        return None;
    }
    let start = (offset + line + name_end + 2) as u32;
    Some(Expression::Call {
        method: Method::from_name(&text[..name_end]),
        argument: argument.into(),
        argument_range: TextRange::new(start, start + argument.len() as u32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: the tokens, as `method[argument]`, `$variable`, `-` for empty; `!` behind a malformed one.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let show = |token: &Token| {
            assert!(token.range.slice(text).starts_with("%{"));
            let shown = match &token.expression {
                Expression::Empty => "-".to_owned(),
                Expression::Variable(name) => {
                    assert_eq!(token.expression_range.slice(text), &**name);
                    format!("${name}")
                }
                Expression::Call { method, argument, argument_range } => {
                    assert_eq!(argument_range.slice(text), &**argument);
                    format!("{}[{argument}]", method.name())
                }
            };
            if token.is_malformed() { shown + "!" } else { shown }
        };
        assert_eq!(tokens(text).iter().map(show).collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn texts_that_read_the_same() {
        let check = |one: &str, other: &str, expected| {
            assert_eq!(read_the_same(one, other), expected, "{one} {other}");
            assert_eq!(read_the_same(other, one), expected, "{other} {one}");
        };
        check("a %{lookup('b')} c", "a %{ hiera(\"b\") } c", true);
        check("%{b}%{}", "%{ b }%{::}", true);
        check("%{lookup('b')}", "%{alias('b')}", false);
        check("%{lookup('b')}", "%{lookup('c')}", false);
        check("%{b}", "%{facts.b}", false);
        check("%{b} ", "%{b}", false);
        check("%{b}%{b}", "%{b}", false);
    }

    #[test]
    fn sources_that_may_speak_of_a_name() {
        let check = |source: &str, expected| {
            assert_eq!(may_speak_of(source, "a::b"), expected, "{source}");
        };
        check("x: \"%{lookup('a::b.c')}\"", true);
        check("x: '%{c}'\ny: '%{alias(\"a::b\")}'", true);
        check("a::b: '%{c}'\nx: a::b", false);
        check("x: '%{c}a::b'", false);
        check("x: '%{ a::b", true);
        check("a::b: 1", false);
        check("x: \"%{lookup('c')}\"\ny: \"\\x20a::b\"", false);
    }

    #[test]
    fn another_spelling_of_a_name_may_be_in_a_token() {
        let check = |source: &str, name| assert!(may_speak_of(source, name), "{source}");
        check(r#"x: "%{lookup('key\x5fa')}""#, "key_a");
        check(r#"{"x": "%{lookup('caf\u00e9')}"}"#, "café");
        check("x: \"%{lookup('key_\\\n  a')}\"", "key_a");
        check(r#"x: "\x25{lookup('key_a')}""#, "key_a");
        check(r#"{"x": "\u0025\u007blookup('key_a')}"}"#, "key_a");
        check("x: \"%{lookup('a\n  b')}\"", "a b");
    }

    #[test]
    fn a_token_ends_at_the_first_brace() {
        check("no token %{ here", &[]);
        check("a %{x} b %{y}", &["$x", "$y"]);
        check("%{%{x}}", &["$%{x"]);
        check("%{lookup('o}ver')}", &["$lookup('o!"]);
        check("%%{int}", &["$int"]);
        check("%{a\n}", &["$a"]);
        assert_eq!(unclosed("%{a} %{b"), Some(5));
        assert_eq!(unclosed("%{a}"), None);
    }

    #[test]
    fn empty_forms() {
        check("%{}%{ }%{::}%{''}%{\"\"}%{'::'}%{\"::\"}", &["-"; 7]);
        check("%{ '' }", &["-"]);
        check("%{:}", &["$:"]);
    }

    #[test]
    fn only_the_exact_call_form_is_a_call() {
        check("%{lookup('a b')}", &["lookup[a b]"]);
        check("%{ alias(\"x'y\") }", &["alias[x'y]"]);
        check("%{Lookup('a')}", &["Lookup[a]"]);
        check("%{lookup(over)}", &["$lookup(over)"]);
        check("%{lookup()}", &["$lookup()"]);
        check("%{lookup( 'over' )}", &["$lookup( 'over' )!"]);
        check("%{lookup ('over')}", &["$lookup ('over')!"]);
        check("%{lookup('over','x')}", &["$lookup('over','x')!"]);
        check("%{lookup('')}", &["$lookup('')!"]);
        check("%{facts['os']}", &["$facts['os']!"]);
    }

    #[test]
    fn a_call_may_stand_on_any_line() {
        check("%{x\nlookup('a')}", &["lookup[a]"]);
        check("%{lookup('a')\ny}", &["lookup[a]"]);
        check("%{lookup('a\nb')}", &["lookup[a\nb]"]);
    }

    #[test]
    fn variables_are_checked_as_keys() {
        check("%{a.b}", &["$a.b"]);
        check("%{a..b}", &["$a..b!"]);
        check("%{'facts'.os}", &["$'facts'.os"]);
        check("%{scope('a..b')}", &["scope[a..b]!"]);
    }
}
