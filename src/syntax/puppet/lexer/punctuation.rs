//! Operators, brackets and marks.

use super::Lexer;
use super::characters::is_blank;
use crate::syntax::puppet::token::Kind;

impl Lexer<'_> {
    /// Reads a token that consists of neither letters nor quotes.
    pub(super) fn punctuation(&mut self) {
        let (next, third) = (self.byte(1), self.byte(2));
        let (kind, length) = match self.byte(0) {
            b'.' => (Kind::Dot, 1),
            b',' => (Kind::Comma, 1),
            b';' => (Kind::Semicolon, 1),
            b'?' => (Kind::Question, 1),
            b'*' => (Kind::Times, 1),
            b'%' => (Kind::Modulo, 1),
            b':' => (Kind::Colon, 1),
            b']' => (Kind::RightBracket, 1),
            b')' => (Kind::RightParen, 1),
            b'[' if self.is_after_white_space() => (Kind::ListStart, 1),
            b'[' => (Kind::LeftBracket, 1),
            b'(' if self.is_first_in_line() => (Kind::LineParen, 1),
            b'(' => (Kind::LeftParen, 1),
            b'@' if next == b'@' => (Kind::At, 2),
            b'@' => (Kind::At, 1),
            b'|' if next == b'>' && third == b'>' => (Kind::CollectorEnd, 3),
            b'|' if next == b'>' => (Kind::CollectorEnd, 2),
            b'|' => (Kind::Pipe, 1),
            b'=' => one_or_two(
                next,
                Kind::Assign,
                &[(b'=', Kind::Equal), (b'>', Kind::FatArrow), (b'~', Kind::Match)],
            ),
            b'+' => {
                one_or_two(next, Kind::Plus, &[(b'=', Kind::AssignMore), (b'>', Kind::PlusArrow)])
            }
            b'-' => one_or_two(next, Kind::Minus, &[(b'=', Kind::AssignMore), (b'>', Kind::Edge)]),
            b'!' => one_or_two(next, Kind::Not, &[(b'=', Kind::NotEqual), (b'~', Kind::NoMatch)]),
            b'~' => one_or_two(next, Kind::Tilde, &[(b'>', Kind::Edge)]),
            b'<' if next == b'<' && third == b'|' => (Kind::CollectorStart, 3),
            b'<' => one_or_two(
                next,
                Kind::Less,
                &[
                    (b'<', Kind::ShiftLeft),
                    (b'=', Kind::LessEqual),
                    (b'|', Kind::CollectorStart),
                    (b'-', Kind::Edge),
                    (b'~', Kind::Edge),
                ],
            ),
            b'>' => one_or_two(
                next,
                Kind::Greater,
                &[(b'>', Kind::ShiftRight), (b'=', Kind::GreaterEqual)],
            ),
            _ => return self.unknown(),
        };
        self.emit(kind, length);
    }

    /// Whether white space or nothing precedes. Only then does `[` start a list.
    fn is_after_white_space(&self) -> bool {
        let before = self.text()[..self.at].chars().next_back();
        before.is_none_or(|it| is_blank(it) || it == '\r' || it == '\n')
    }

    /// Whether only spaces precede in the line. Then `(` does not start a call.
    fn is_first_in_line(&self) -> bool {
        let before = self.text().get(self.line_start..self.at).unwrap_or("");
        before.chars().all(|it| is_blank(it) || it == '\r')
    }
}

/// The two-byte token for `next`, or else `alone`.
fn one_or_two(next: u8, alone: Kind, pairs: &[(u8, Kind)]) -> (Kind, usize) {
    let pair = pairs.iter().find(|(byte, _)| *byte == next);
    pair.map_or((alone, 1), |(_, kind)| (*kind, 2))
}
