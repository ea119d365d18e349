//! `Timespan.new`: from seconds, from days, hours and so on, or from text by Puppet's own formats.

use regex::Regex;

use super::timestamp::{formats_of, non_empty, seconds_as_nanoseconds};
use super::{ConversionFailure, is_numeric, unknown_arguments};
use crate::data::puppet_type::{Type, timespan_text};
use crate::data::value::{Hash, Located, Value};

const FORMATS: [&str; 8] = [
    "%D-%H:%M:%S.%-N",
    "%H:%M:%S.%-N",
    "%M:%S.%-N",
    "%S.%-N",
    "%D-%H:%M:%S",
    "%H:%M:%S",
    "%D-%H:%M",
    "%S",
];
/// The members of a hash and the arguments of a call, in order, with their nanoseconds.
const FIELDS: [(&str, i128); 7] = [
    ("days", 86_400_000_000_000),
    ("hours", 3_600_000_000_000),
    ("minutes", 60_000_000_000),
    ("seconds", 1_000_000_000),
    ("milliseconds", 1_000_000),
    ("microseconds", 1_000),
    ("nanoseconds", 1),
];

/// `Timespan.new(seconds)`, `Timespan.new(text, formats)`, `Timespan.new(days, hours, …)`, `Timespan.new({…})`.
pub(super) fn timespan(
    wanted: &Type,
    value: &Value,
    arguments: &[Located],
) -> Result<Value, ConversionFailure> {
    let unknown = || unknown_arguments(wanted);
    let nanoseconds = match (value, arguments) {
        (Value::Integer(it), []) => i128::from(*it) * 1_000_000_000,
        (Value::Float(it), []) if is_numeric(value) => seconds_as_nanoseconds(*it)?,
        (Value::String(text), []) if !text.is_empty() => parsed_by_any(text, &FORMATS)?,
        (Value::String(text), [format]) if !text.is_empty() => {
            parsed_as_asked(text, &format.value).ok_or_else(unknown)??
        }
        // Puppet requires days, hours, minutes and seconds. The three smaller units are optional.
        (Value::Integer(days), rest) if (3..=6).contains(&rest.len()) => {
            let mut sum = i128::from(*days) * FIELDS[0].1;
            for ((_, unit), it) in FIELDS[1..].iter().zip(rest) {
                let Value::Integer(count) = it.value else { return Err(unknown()) };
                sum += i128::from(count) * unit;
            }
            sum
        }
        (Value::Hash(named), []) => of_named(named, &unknown)?,
        _ => return Err(unknown()),
    };
    Ok(Value::object("Timespan", timespan_text(nanoseconds)))
}

fn of_named(
    named: &Hash,
    unknown: &dyn Fn() -> ConversionFailure,
) -> Result<i128, ConversionFailure> {
    let member = |name: &str| named.get(name).map(|it| &it.value.value);
    if let Some(text) = member("string") {
        let text = non_empty(text).ok_or_else(unknown)?;
        return match (member("format"), named.len()) {
            (None, 1) => parsed_by_any(text, &FORMATS),
            (Some(format), 2) => parsed_as_asked(text, format).ok_or_else(unknown)?,
            _ => Err(unknown()),
        };
    }
    let mut sum = 0;
    let mut is_negative = false;
    for (key, member) in named {
        let field = FIELDS.iter().find(|(name, _)| key.as_str() == Some(name));
        match (field, key.as_str(), &member.value.value) {
            (Some((_, unit)), _, Value::Integer(count)) => sum += i128::from(*count) * unit,
            (None, Some("negative"), Value::Boolean(it)) => is_negative = *it,
            _ => return Err(unknown()),
        }
    }
    Ok(if is_negative { -sum } else { sum })
}

fn parsed_as_asked(text: &str, format: &Value) -> Option<Result<i128, ConversionFailure>> {
    let formats = formats_of(format)?;
    Some(match format {
        Value::Array(_) => parsed_by_any(text, &formats),
        _ => parsed_by_one(text, formats[0]),
    })
}

fn parsed_by_any(text: &str, formats: &[&str]) -> Result<i128, ConversionFailure> {
    for format in formats {
        // A list skips formats that do not match or cannot stand for a time span, but not formats that are invalid.
        if let Some(Ok(nanoseconds)) = Format::of(format)?.read(text) {
            return Ok(nanoseconds);
        }
    }
    let formats = formats.join(", ");
    Err(ConversionFailure::Error(format!(
        "Unable to parse '{text}' using any of the formats {formats}"
    )))
}

fn parsed_by_one(text: &str, format: &str) -> Result<i128, ConversionFailure> {
    let unable =
        || ConversionFailure::Error(format!("Unable to parse '{text}' using format '{format}'"));
    Format::of(format)?.read(text).ok_or_else(unable)?
}

/// One of Puppet's formats for time spans, such as `%D-%H:%M:%S.%-N`.
struct Format {
    /// With one group for each segment.
    pattern: Regex,
    /// The meaning of the groups; `None` for literal text.
    units: Vec<Option<Unit>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// A unit, by its nanoseconds.
    Whole(i128),
    /// Digits of a fraction of a second, which may or may not be the largest unit of the format.
    Fraction { is_largest: bool },
}

/// One directive: `%`, a padding, a width, a letter.
struct Directive {
    padding: Padding,
    width: Option<usize>,
    letter: char,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Padding {
    Zeroes,
    Blanks,
    None,
}

enum Segment {
    Literal(String),
    Directive(Directive),
}

/// The letters from the largest unit to the smallest, with the usual number of digits.
const LETTERS: [(char, usize); 6] = [('D', 1), ('H', 2), ('M', 2), ('S', 2), ('L', 3), ('N', 9)];

impl Format {
    fn of(format: &str) -> Result<Self, ConversionFailure> {
        let segments = segments_of(format)?;
        let rank = |letter: char| LETTERS.iter().position(|(it, _)| *it == letter);
        let letters = segments.iter().filter_map(|it| match it {
            Segment::Directive(it) => rank(it.letter),
            Segment::Literal(_) => None,
        });
        let largest = letters.min();
        let mut has_largest = false;
        let mut pattern = r"\A-?".to_owned();
        let mut units = Vec::new();
        for segment in &segments {
            match segment {
                Segment::Literal(text) => {
                    pattern.push('(');
                    pattern.push_str(&regex::escape(text));
                    pattern.push(')');
                    units.push(None);
                }
                Segment::Directive(it) => {
                    // Only the first directive of the largest unit takes any number of digits.
                    let is_largest = !has_largest && rank(it.letter) == largest;
                    has_largest |= is_largest;
                    pattern += &it.pattern(is_largest);
                    units.push(Some(it.unit(is_largest)));
                }
            }
        }
        pattern += r"\z";
        let unknown = |_| ConversionFailure::Unknown(format!("the format '{format}' is too large"));
        Ok(Self { pattern: Regex::new(&pattern).map_err(unknown)?, units })
    }

    /// The nanoseconds, if the text matches this format.
    fn read(&self, text: &str) -> Option<Result<i128, ConversionFailure>> {
        let groups = self.pattern.captures(text)?;
        let mut sum: i128 = 0;
        for (unit, group) in self.units.iter().zip(groups.iter().skip(1)) {
            let Some(unit) = unit else { continue };
            let digits = group?.as_str().trim_start();
            // The patterns for digits with spaces also accept spaces between digits, which is not a number.
            if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
                return None;
            }
            let number: i128 = digits.parse().ok()?;
            sum = sum.checked_add(match unit {
                Unit::Whole(scale) => number.checked_mul(*scale)?,
                Unit::Fraction { is_largest: true } => {
                    return Some(Err(ConversionFailure::Error(FRACTION_ALONE.to_owned())));
                }
                Unit::Fraction { is_largest: false } => {
                    // More than nine digits are not cut off. As in Puppet, they count as nanoseconds and can be more than a second.
                    let missing = 9_u32.saturating_sub(u32::try_from(digits.len()).ok()?);
                    number * 10_i128.pow(missing)
                }
            })?;
        }
        Some(Ok(if text.starts_with('-') { -sum } else { sum }))
    }
}

const FRACTION_ALONE: &str = "Format specifiers %L and %N denotes fractions and must be used \
                              together with a specifier of higher magnitude";

impl Directive {
    fn pattern(&self, is_largest: bool) -> String {
        let usual = LETTERS.iter().find(|(it, _)| *it == self.letter).map_or(1, |it| it.1);
        match (self.width, self.padding, is_largest) {
            (None, Padding::None | Padding::Zeroes, true) => "([0-9]+)".to_owned(),
            (None, Padding::None | Padding::Zeroes, false) => format!("([0-9]{{1,{usual}}})"),
            (None, Padding::Blanks, true) => r"\s*([0-9]+)".to_owned(),
            (None, Padding::Blanks, false) => format!(r"([0-9\s]{{1,{usual}}})"),
            (Some(width), Padding::None, _) => format!("([0-9]{{1,{width}}})"),
            (Some(width), Padding::Zeroes, _) => format!("([0-9]{{{width}}})"),
            (Some(width), Padding::Blanks, _) => format!(r"([0-9\s]{{{width}}})"),
        }
    }

    fn unit(&self, is_largest: bool) -> Unit {
        match self.letter {
            'D' => Unit::Whole(FIELDS[0].1),
            'H' => Unit::Whole(FIELDS[1].1),
            'M' => Unit::Whole(FIELDS[2].1),
            'S' => Unit::Whole(FIELDS[3].1),
            _ => Unit::Fraction { is_largest },
        }
    }
}

fn segments_of(format: &str) -> Result<Vec<Segment>, ConversionFailure> {
    let characters: Vec<char> = format.chars().collect();
    let mut segments = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while at < characters.len() {
        if characters[at] != '%' {
            literal.push(characters[at]);
            at += 1;
            continue;
        }
        let start = at;
        let bad = |end: usize| {
            let part: String = characters[start..end.min(characters.len())].iter().collect();
            ConversionFailure::Error(format!(
                "Bad format specifier '{part}' in '{format}', at position {end}"
            ))
        };
        at += 1;
        let mut padding = Padding::Zeroes;
        let mut width: Option<usize> = None;
        let mut is_first = true;
        loop {
            match characters.get(at) {
                // The position in Puppet's message is that of the last character, so the part that it shows ends before it.
                None => return Err(bad(characters.len() - 1)),
                Some('%') => literal.push('%'),
                Some('-') if is_first => padding = Padding::None,
                Some('_') if is_first => padding = Padding::Blanks,
                Some('0') if is_first => padding = Padding::Zeroes,
                Some(digit) if digit.is_ascii_digit() => {
                    let digit = digit.to_digit(10).expect("a digit") as usize;
                    width = Some(width.unwrap_or(0).saturating_mul(10).saturating_add(digit));
                }
                Some(letter) if LETTERS.iter().any(|(it, _)| it == letter) => {
                    if !literal.is_empty() {
                        segments.push(Segment::Literal(std::mem::take(&mut literal)));
                    }
                    let letter = *letter;
                    segments.push(Segment::Directive(Directive { padding, width, letter }));
                }
                Some(_) => return Err(bad(at)),
            }
            let ends = characters[at] == '%' || characters[at].is_ascii_alphabetic();
            at += 1;
            is_first = false;
            if ends {
                break;
            }
        }
    }
    if !literal.is_empty() {
        segments.push(Segment::Literal(literal));
    }
    Ok(segments)
}
