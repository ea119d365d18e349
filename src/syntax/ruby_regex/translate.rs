//! The translation itself, in one pass over the expression.

use std::fmt::Write as _;
use std::ops::RangeInclusive;

use super::class::letter_set;
use super::{LAST_LINE_END, LINE_END, LINE_START, RegexProblem};

/// Groups and classes nested deeper than this are not translated.
const MAX_DEPTH: usize = 200;
/// Ruby's own limit.
const MAX_REPEAT: u32 = 100_000;

/// The expression in our syntax, with line anchors as the placeholder characters of the parent module.
pub(super) fn translated(source: &str) -> Result<String, RegexProblem> {
    let first = Translator::run(source, Vec::new())?;
    if first.names.is_empty() {
        return Ok(first.out);
    }
    // If there are named groups, groups without a name do not capture. That is known only now.
    Translator::run(source, first.names).map(|it| it.out)
}

pub(super) struct Translator<'a> {
    source: &'a str,
    characters: Vec<char>,
    pub(super) position: usize,
    depth: usize,
    pub(super) out: String,
    pub(super) options: Options,
    /// Where in `out` the last atom starts, which a quantifier would repeat.
    pub(super) atom: Option<Atom>,
    pub(super) groups: usize,
    pub(super) names: Vec<String>,
    /// The names that an earlier pass found.
    pub(super) known_names: Vec<String>,
    highest_number: usize,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Options {
    pub(super) ignores_case: bool,
    pub(super) is_multi_line: bool,
    pub(super) is_extended: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Atom {
    pub(super) start: usize,
    pub(super) is_quantified: bool,
    /// Whether it matches a position instead of a character. Our library does not repeat such atoms.
    pub(super) is_assertion: bool,
}

pub(super) type Done = Result<(), RegexProblem>;

impl<'a> Translator<'a> {
    fn run(source: &'a str, known_names: Vec<String>) -> Result<Self, RegexProblem> {
        let mut translator = Self {
            source,
            characters: source.chars().collect(),
            position: 0,
            depth: 0,
            out: String::new(),
            options: Options::default(),
            atom: None,
            groups: 0,
            names: Vec::new(),
            known_names,
            highest_number: 0,
        };
        translator.sequence(false)?;
        translator.check_numbers()?;
        Ok(translator)
    }

    fn check_numbers(&self) -> Done {
        if self.highest_number > 0 && !self.names.is_empty() {
            return Err(self.invalid("numbered backref/call is not allowed. (use name)"));
        }
        if self.highest_number > self.groups {
            return Err(self.invalid("invalid backref number/name"));
        }
        Ok(())
    }

    /// Everything up to the end of the group or of the expression.
    pub(super) fn sequence(&mut self, in_group: bool) -> Done {
        self.enter()?;
        self.atom = None;
        while let Some(character) = self.peek() {
            match character {
                ')' if in_group => break,
                ')' => return Err(self.invalid("unmatched close parenthesis")),
                '|' => {
                    self.next();
                    self.out.push('|');
                    self.atom = None;
                }
                '*' | '+' | '?' => self.quantifier()?,
                '{' => match self.interval()? {
                    Some((min, max)) => self.repeat(min, max),
                    None => self.literal()?,
                },
                '(' => {
                    if self.group(in_group)? {
                        break;
                    }
                }
                '#' if self.options.is_extended => {
                    while self.next().is_some_and(|it| it != '\n') {}
                }
                it if self.options.is_extended && it.is_ascii_whitespace() => {
                    self.next();
                }
                _ => self.single(character)?,
            }
        }
        self.leave();
        Ok(())
    }

    /// Anything that matches one character or position.
    fn single(&mut self, character: char) -> Done {
        match character {
            '[' => {
                self.next();
                let class = self.class()?;
                self.push_atom(&class);
            }
            '.' => {
                self.next();
                self.push_atom(if self.options.is_multi_line { r"[\s\S]" } else { r"[^\n]" });
            }
            '^' => {
                self.next();
                self.push_anchor(LINE_START);
            }
            '$' => {
                self.next();
                self.push_anchor(LINE_END);
            }
            '\\' => {
                self.next();
                return self.escape();
            }
            _ => self.literal()?,
        }
        Ok(())
    }

    fn literal(&mut self) -> Done {
        self.next().map_or(Ok(()), |character| self.push_character(character))
    }

    fn escape(&mut self) -> Done {
        let Some(letter) = self.peek() else {
            return Err(self.invalid("too short escape sequence"));
        };
        if let Some(set) = letter_set(letter) {
            self.next();
            let sign = if letter.is_ascii_uppercase() { "^" } else { "" };
            self.push_atom(&format!("[{sign}{set}]"));
            return Ok(());
        }
        match letter {
            'A' | 'z' | 'b' | 'B' => {
                self.next();
                self.push_assertion(&format!("\\{letter}"));
            }
            'Z' => {
                self.next();
                self.push_anchor(LAST_LINE_END);
            }
            'R' => {
                self.next();
                self.push_atom(r"(?>\r\n|[\n-\r\x{85}\x{2028}\x{2029}])");
            }
            'p' | 'P' if self.rest().get(1) == Some(&'{') => {
                let inside = self.property()?;
                self.push_atom(&format!("[{inside}]"));
            }
            '1'..='9' => self.number()?,
            'k' if matches!(self.rest().get(1), Some('<' | '\'')) => self.named_reference()?,
            'g' if matches!(self.rest().get(1), Some('<' | '\'')) => {
                return Err(self.unsupported("a subexpression call"));
            }
            'G' | 'K' | 'X' => return Err(self.unsupported("an escape")),
            'u' if self.rest().get(1) == Some(&'{') => self.code_points()?,
            _ => {
                let character = self.character_escape()?;
                self.push_character(character)?;
            }
        }
        Ok(())
    }

    /// A reference to a group by number, or an octal number.
    fn number(&mut self) -> Done {
        let digits: String = self.rest().iter().take_while(|it| it.is_ascii_digit()).collect();
        let number = digits.parse().unwrap_or(usize::MAX);
        // As in Ruby, `\12` is an octal number unless there are already twelve groups.
        if number > 9 && number > self.groups {
            let character = self.character_escape()?;
            return self.push_character(character);
        }
        self.skip(digits.len());
        self.highest_number = self.highest_number.max(number);
        // The parentheses separate it from a digit that follows.
        self.push_atom(&format!("(?:\\{number})"));
        Ok(())
    }

    fn named_reference(&mut self) -> Done {
        self.skip(1);
        let close = if self.next() == Some('<') { '>' } else { '\'' };
        let Some(name) = self.text_up_to(close) else {
            return Err(self.unsupported("a reference"));
        };
        if name.starts_with(|it: char| it.is_ascii_digit() || it == '-' || it == '+') {
            return Err(self.unsupported("a relative reference"));
        }
        if name.is_empty() {
            return Err(self.invalid("group name is empty"));
        }
        match self.names.iter().filter(|it| **it == name).count() {
            0 => return Err(self.invalid(&format!("undefined name <{name}> reference"))),
            1 => self.push_atom(&format!("(?:\\k<{name}>)")),
            _ => return Err(self.unsupported("a reference to several groups")),
        }
        Ok(())
    }

    /// `\u{41 42}`
    fn code_points(&mut self) -> Done {
        self.skip(2);
        let Some(codes) = self.text_up_to('}') else {
            return Err(self.invalid("invalid Unicode escape"));
        };
        for code in codes.split_ascii_whitespace() {
            let character = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
            match character {
                Some(character) => self.push_character(character)?,
                None => return Err(self.invalid("invalid Unicode range")),
            }
        }
        Ok(())
    }

    /// The character of an escape, inside and outside of classes; the backslash has been read.
    pub(super) fn character_escape(&mut self) -> Result<char, RegexProblem> {
        let Some(letter) = self.next() else {
            return Err(self.invalid("too short escape sequence"));
        };
        Ok(match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            'x' => {
                let digits = self.digits(16, 2);
                let code = u8::from_str_radix(&digits, 16)
                    .map_err(|_| self.invalid("invalid hex escape"))?;
                if !code.is_ascii() {
                    return Err(self.unsupported("a byte outside of ASCII"));
                }
                char::from(code)
            }
            'u' => {
                let digits = self.digits(16, 4);
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4);
                code.and_then(char::from_u32)
                    .ok_or_else(|| self.invalid("invalid Unicode escape"))?
            }
            '0'..='7' => {
                self.position -= 1;
                let digits = self.digits(8, 3);
                let code = u32::from_str_radix(&digits, 8).unwrap_or_default();
                char::from_u32(code)
                    .filter(char::is_ascii)
                    .ok_or_else(|| self.unsupported("a byte outside of ASCII"))?
            }
            'c' | 'C' | 'M' => return Err(self.unsupported("a control character")),
            other => other,
        })
    }

    fn digits(&mut self, radix: u32, most: usize) -> String {
        let digits: String =
            self.rest().iter().take(most).take_while(|it| it.is_digit(radix)).collect();
        self.skip(digits.len());
        digits
    }

    fn quantifier(&mut self) -> Done {
        let sign = self.next().unwrap_or_default();
        if self.atom.is_none() {
            return Err(self.invalid("target of repeat operator is not specified"));
        }
        let suffix = match self.peek() {
            Some(suffix @ ('?' | '+')) => {
                self.next();
                Some(suffix)
            }
            _ => None,
        };
        if self.is_after_assertion() {
            self.repeat_assertion(sign == '+');
        } else {
            self.wrap_quantified();
            self.out.push(sign);
            self.out.extend(suffix);
            self.mark_quantified();
        }
        Ok(())
    }

    /// The bounds of `{2}`, `{2,}`, `{,3}` or `{2,3}`; reads nothing if it is not an interval.
    fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>, RegexProblem> {
        let may_be_inside = |it: &&char| it.is_ascii_digit() || **it == ',';
        let inside: String = self.rest().iter().skip(1).take_while(may_be_inside).collect();
        let is_closed = self.rest().get(inside.chars().count() + 1) == Some(&'}');
        let (min, max) = inside.split_once(',').map_or((&*inside, None), |(a, b)| (a, Some(b)));
        let is_number = |it: &str| it.chars().all(|it| it.is_ascii_digit());
        let is_interval = is_closed
            && is_number(min)
            && max.is_none_or(is_number)
            && inside.contains(|it: char| it.is_ascii_digit());
        if !is_interval {
            return Ok(None);
        }
        if self.atom.is_none() {
            return Err(self.invalid("target of repeat operator is not specified"));
        }
        let bound = |text: &str, default: Option<u32>| match text {
            "" => Ok(default),
            _ => match text.parse() {
                Ok(it) if it <= MAX_REPEAT => Ok(Some(it)),
                _ => Err(self.invalid("too big number for repeat range")),
            },
        };
        let low = bound(min, Some(0))?.unwrap_or(0);
        let high = max.map_or(Ok(Some(low)), |it| bound(it, None))?;
        if high.is_some_and(|it| it < low) {
            return Err(self.invalid("upper is smaller than lower in repeat range"));
        }
        self.skip(inside.chars().count() + 2);
        Ok(Some((low, high)))
    }

    fn repeat(&mut self, min: u32, max: Option<u32>) {
        if self.is_after_assertion() {
            self.repeat_assertion(min > 0);
            // A `?` after an interval belongs to it, unless both bounds are the same.
            if max != Some(min) {
                self.eat('?');
            }
            return;
        }
        self.wrap_quantified();
        let bounds = match max {
            Some(max) if max == min => format!("{{{min}}}"),
            Some(max) => format!("{{{min},{max}}}"),
            None => format!("{{{min},}}"),
        };
        self.out.push_str(&bounds);
        self.mark_quantified();
        // In Ruby, `{2}?` is not lazy: the `?` makes it optional. A `+` after an interval always repeats it.
        if self.peek() == Some('?') && max != Some(min) {
            self.next();
            self.out.push('?');
        }
    }

    fn is_after_assertion(&self) -> bool {
        self.atom.is_some_and(|it| it.is_assertion)
    }

    /// Repeating an assertion is the same as checking it once, and an optional assertion checks nothing.
    fn repeat_assertion(&mut self, must_hold: bool) {
        if let Some(Atom { start, .. }) = self.atom
            && !must_hold
        {
            self.out.truncate(start);
            self.out.push_str("(?:)");
        }
    }

    /// Each of several quantifiers in a row repeats what precedes it.
    fn wrap_quantified(&mut self) {
        if let Some(Atom { start, is_quantified: true, .. }) = self.atom {
            self.out.insert_str(start, "(?:");
            self.out.push(')');
        }
    }

    fn mark_quantified(&mut self) {
        if let Some(atom) = &mut self.atom {
            atom.is_quantified = true;
        }
    }

    fn push_atom(&mut self, text: &str) {
        let start = self.out.len();
        self.atom = Some(Atom { start, is_quantified: false, is_assertion: false });
        self.out.push_str(text);
    }

    fn push_assertion(&mut self, text: &str) {
        let start = self.out.len();
        self.atom = Some(Atom { start, is_quantified: false, is_assertion: true });
        self.out.push_str(text);
    }

    fn push_anchor(&mut self, anchor: char) {
        self.push_assertion(anchor.encode_utf8(&mut [0; 4]));
    }

    fn push_character(&mut self, character: char) -> Done {
        self.check_letters(character..=character)?;
        if character.is_ascii_alphanumeric() || matches!(character, '_' | ':' | '-' | '/' | ' ') {
            self.push_atom(character.encode_utf8(&mut [0; 4]));
        } else {
            // As a number, no character has a special meaning in our library.
            self.push_atom(&format!("\\x{{{:x}}}", u32::from(character)));
        }
        Ok(())
    }

    /// If case does not matter, `ß` matches `ss` in Ruby. Our library does not compare one letter with several.
    pub(super) fn check_letters(&self, mut letters: RangeInclusive<char>) -> Done {
        let has_longer_form = |it: char| it.to_lowercase().flat_map(char::to_uppercase).count() > 1;
        if self.options.ignores_case && letters.any(has_longer_form) {
            return Err(self.unsupported("a letter that matches several letters"));
        }
        Ok(())
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.characters.get(self.position).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.position += 1;
        Some(character)
    }

    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.position += usize::from(is_next);
        is_next
    }

    pub(super) fn skip(&mut self, count: usize) {
        self.position = (self.position + count).min(self.characters.len());
    }

    pub(super) fn rest(&self) -> &[char] {
        &self.characters[self.position..]
    }

    /// The text before the next `end`, which is consumed as well.
    pub(super) fn text_up_to(&mut self, end: char) -> Option<String> {
        let length = self.rest().iter().position(|it| *it == end)?;
        let text = self.rest()[..length].iter().collect();
        self.skip(length + 1);
        Some(text)
    }

    pub(super) fn enter(&mut self) -> Done {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.unsupported("the depth")) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    pub(super) fn invalid(&self, message: &str) -> RegexProblem {
        RegexProblem::Invalid(format!("{message}: /{}/", described(self.source)))
    }

    pub(super) fn unsupported(&self, what: &str) -> RegexProblem {
        let source = self.source;
        RegexProblem::Unsupported(format!("{what} in /{source}/ is not supported"))
    }
}

/// The expression as Ruby's messages show it. If a slash or a control character must be escaped, Ruby escapes everything
/// outside ASCII as well.
fn described(source: &str) -> String {
    let is_odd = |it: char| it == '/' || it.is_control();
    if !source.contains(is_odd) {
        return source.to_owned();
    }
    let mut out = String::new();
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                out.push('\\');
                out.extend(characters.next());
            }
            '/' => out.push_str("\\/"),
            it if it.is_ascii_control() && !it.is_ascii_whitespace() => {
                let _ = write!(out, "\\x{:02X}", u32::from(it));
            }
            it if it.is_ascii() => out.push(it),
            it => {
                let code = u32::from(it);
                let _ = match code {
                    0..0x1_0000 => write!(out, "\\u{code:04X}"),
                    _ => write!(out, "\\u{{{code:X}}}"),
                };
            }
        }
    }
    out
}
