//! The order in which Puppet finds errors. It reads the text of a heredoc together with its tag, and it splits a whole string
//! into tokens before its parser looks at the first of them.

use crate::syntax::puppet::token::{Kind, Tokens};
use crate::syntax::tree::SyntaxError;
use crate::text::TextRange;

/// A key that increases in the order in which Puppet reads.
type Moment = (u32, u32);

/// When Puppet reads what.
#[derive(Debug)]
pub(super) struct ReadingOrder {
    /// The text of each heredoc, and where its tag starts; in the order of the texts.
    heredocs: Vec<(TextRange, u32)>,
    /// When Puppet finds each error of the lexer.
    lexed: Vec<Moment>,
}

impl ReadingOrder {
    /// The errors are those of the lexer, which precede all others in the list of errors.
    pub(super) fn new(tokens: &Tokens, errors: &[SyntaxError]) -> Self {
        let mut order = Self { heredocs: heredocs(tokens), lexed: Vec::new() };
        if !errors.is_empty() {
            let strings = outermost_strings(tokens);
            let lexed = |error: &SyntaxError| {
                let start = error.range.start;
                if let Some((_, tag)) = text_at(&order.heredocs, start) {
                    return (tag, 0);
                }
                text_at(&strings, start).map_or((start, 0), |(_, start)| (start, 0))
            };
            order.lexed = errors.iter().map(lexed).collect();
        }
        order
    }

    /// When Puppet reads the byte at `offset` of the file.
    pub(super) fn of(&self, offset: u32) -> Moment {
        text_at(&self.heredocs, offset).map_or((offset, 0), |(_, tag)| (tag, offset))
    }

    /// The errors in the order in which Puppet finds them.
    pub(super) fn sorted(&self, errors: Vec<SyntaxError>) -> Vec<SyntaxError> {
        let mut errors: Vec<_> = errors.into_iter().enumerate().collect();
        errors.sort_by_key(|(index, error)| self.of_error(*index, error));
        errors.into_iter().map(|(_, error)| error).collect()
    }

    /// When Puppet finds the error at `index` in the list.
    pub(super) fn of_error(&self, index: usize, error: &SyntaxError) -> Moment {
        self.lexed.get(index).copied().unwrap_or_else(|| self.of(error.range.start))
    }
}

fn heredocs(tokens: &Tokens) -> Vec<(TextRange, u32)> {
    let mut texts: Vec<(TextRange, u32)> = Vec::new();
    let mut tag = None;
    let mut is_in_text = false;
    for token in &tokens.list {
        match (token.is_heredoc_text, tag) {
            (true, Some(tag)) if !is_in_text => texts.push((token.range(), tag)),
            (true, Some(_)) => {
                if let Some((text, _)) = texts.last_mut() {
                    text.end = text.end.max(token.end);
                }
            }
            _ if token.kind == Kind::Heredoc => tag = Some(token.start),
            _ => {}
        }
        is_in_text = token.is_heredoc_text;
    }
    texts.sort_by_key(|(text, _)| text.start);
    texts
}

/// The strings with interpolations that are in no other string, each with its start. Those of heredocs are left out.
fn outermost_strings(tokens: &Tokens) -> Vec<(TextRange, u32)> {
    let mut strings = Vec::new();
    let mut open = Vec::new();
    for token in tokens.list.iter().filter(|it| !it.is_heredoc_text) {
        match token.kind {
            Kind::StringStart => open.push(token.start),
            Kind::StringEnd => match open.pop() {
                Some(start) if open.is_empty() => {
                    strings.push((TextRange::new(start, token.end), start));
                }
                _ => {}
            },
            _ => {}
        }
    }
    strings
}

/// The text that contains `offset`.
fn text_at(texts: &[(TextRange, u32)], offset: u32) -> Option<(TextRange, u32)> {
    let behind = texts.partition_point(|(text, _)| text.start <= offset);
    let found = texts[behind.checked_sub(1)?];
    (offset <= found.0.end).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::super::super::lexer::{Language, tokenize};
    use super::*;

    #[test]
    fn the_text_of_a_heredoc_is_read_with_its_tag() {
        let text = "a @(\"B\") @(C) d\nb${x}\nB\nc\nC\ne";
        let (tokens, errors) = tokenize(text, Language::Manifest);
        assert_eq!(errors, []);
        let order = ReadingOrder::new(&tokens, &errors);
        let place = |part: &str| order.of(text.find(part).unwrap_or_default() as u32);
        let read = ["a ", "@(\"B\")", "b$", "x}", "@(C)", "c\n", "d\n", "e"].map(place);
        assert!(read.is_sorted(), "{read:?}");
    }
}
