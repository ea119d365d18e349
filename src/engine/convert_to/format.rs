//! One format such as `%-8.3f`, and how it formats strings and numbers, like Ruby's `format`.

use num_bigint::{BigInt, Sign};

use super::ConversionFailure;

/// A format of Puppet's string converter.
#[derive(Debug, Clone)]
pub(super) struct Format {
    pub(super) letter: char,
    /// `#`
    pub(super) is_alternative: bool,
    flags: String,
    width: Option<usize>,
    precision: Option<usize>,
}

/// The maximum width and precision.
const MAX_WIDTH: usize = 10_000;

impl Format {
    /// Parses `%<flags><width>.<precision><letter>`.
    ///
    /// # Errors
    /// Puppet's message.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let invalid = || {
            format!(
                "The format '{text}' is not a valid format on the form '%<flags><width>.<prec><format>'"
            )
        };
        let rest = text.strip_prefix('%').ok_or_else(invalid)?;
        let is_flag = |it: char| " [+#0{<(|-".contains(it);
        let flags_end = rest.find(|it| !is_flag(it)).unwrap_or(rest.len());
        let (flags, rest) = rest.split_at(flags_end);
        let width_end = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
        let (width, rest) = rest.split_at(width_end);
        let (precision, letter) = match rest.strip_prefix('.') {
            Some(rest) => {
                let end = rest.find(|it: char| !it.is_ascii_digit()).unwrap_or(rest.len());
                let (precision, letter) = rest.split_at(end);
                (Some(precision), letter)
            }
            None => (None, rest),
        };
        let mut letters = letter.chars();
        let letter = letters.next().filter(char::is_ascii_alphabetic).ok_or_else(invalid)?;
        if letters.next().is_some() || precision == Some("") {
            return Err(invalid());
        }
        let is_repeated = |it: char| flags.matches(it).count() > 1;
        if flags.contains(is_repeated) {
            return Err(format!("The same flag can only be used once, got '{text}'"));
        }
        if flags.matches(['[', '{', '(', '<', '|']).count() > 1 {
            return Err(format!(
                "Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{text}'"
            ));
        }
        let number = |it: &str| it.parse::<usize>().ok().filter(|it| *it <= MAX_WIDTH);
        Ok(Self {
            letter,
            is_alternative: flags.contains('#'),
            flags: flags.to_owned(),
            width: number(width),
            precision: precision.and_then(number),
        })
    }

    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Whether the format is only a letter.
    pub(super) fn is_plain(&self) -> bool {
        self.flags.is_empty() && self.width.is_none() && self.precision.is_none()
    }

    /// Whether lists and hashes get other brackets than usual.
    pub(super) fn has_delimiters(&self) -> bool {
        self.flags.contains(['[', '{', '(', '<', '|', ' '])
    }

    /// The brackets around a list or a hash.
    pub(super) fn delimiters(&self, usual: [&'static str; 2]) -> [&'static str; 2] {
        let pairs = [('[', ["[", "]"]), ('{', ["{", "}"]), ('(', ["(", ")"]), ('<', ["<", ">"])];
        let found = pairs.into_iter().find(|(flag, _)| self.has(*flag)).map(|(_, pair)| pair);
        match found {
            Some(pair) => pair,
            None if self.has('|') => ["|", "|"],
            None if self.has(' ') => ["", ""],
            None => usual,
        }
    }

    /// `%s` with this width and precision.
    pub(super) fn text(&self, text: &str) -> String {
        let text: String = match self.precision {
            Some(precision) => text.chars().take(precision).collect(),
            None => text.to_owned(),
        };
        self.padded(&text)
    }

    fn padded(&self, text: &str) -> String {
        let missing = self.width.unwrap_or(0).saturating_sub(text.chars().count());
        let padding = " ".repeat(missing);
        if self.has('-') { format!("{text}{padding}") } else { format!("{padding}{text}") }
    }

    /// The sign and prefix, zeros if required, and the digits.
    fn number(&self, head: &str, digits: &str, may_fill: bool) -> String {
        let length = head.len() + digits.len();
        let missing = self.width.unwrap_or(0).saturating_sub(length);
        if self.has('0') && !self.has('-') && may_fill {
            format!("{head}{}{digits}", "0".repeat(missing))
        } else {
            self.padded(&format!("{head}{digits}"))
        }
    }

    /// Delimiters have no meaning in Ruby's `format`.
    pub(super) fn check_flags(&self) -> Result<(), ConversionFailure> {
        match self.flags.chars().find(|it| "[{(<|".contains(*it)) {
            None => Ok(()),
            Some(it @ ('[' | '(' | '|')) => {
                Err(ConversionFailure::Error(format!("malformed format string - %{it}")))
            }
            Some(_) => Err(ConversionFailure::Unknown("such a format is not supported".to_owned())),
        }
    }

    /// [`Self::text`] if Puppet passes the flags to Ruby.
    pub(super) fn ruby_text(&self, text: &str) -> Result<String, ConversionFailure> {
        self.check_flags().map(|()| self.text(text))
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        if is_negative {
            "-"
        } else if self.has('+') {
            "+"
        } else if self.has(' ') {
            " "
        } else {
            ""
        }
    }

    /// An integer, given in decimal digits.
    pub(super) fn integer(&self, decimal: &str) -> Result<String, ConversionFailure> {
        self.check_flags()?;
        let unsupported =
            || ConversionFailure::Unknown("such a format of a number is not supported".to_owned());
        let number = BigInt::parse_bytes(decimal.as_bytes(), 10).ok_or_else(unsupported)?;
        let is_negative = number.sign() == Sign::Minus;
        let radix = match self.letter {
            'x' | 'X' => 16,
            'o' => 8,
            'b' | 'B' => 2,
            _ => 10,
        };
        // Ruby writes -255 as `..f01`, where the dots stand for more of the digit after them. With a sign, it writes `-ff`.
        if is_negative && radix != 10 && !self.has('+') && !self.has(' ') {
            if self.width.is_some() || self.precision.is_some() || self.has('0') {
                return Err(unsupported());
            }
            let digits = complement_digits(&number, radix);
            // Octal numbers get no zero before the dots.
            let has_prefix = self.is_alternative && radix != 8;
            let head = if has_prefix { self.prefix() } else { "" };
            return Ok(cased(self.letter, &format!("{head}..{digits}")));
        }
        let mut digits = number.magnitude().to_str_radix(radix);
        if let Some(precision) = self.precision {
            digits = format!("{}{digits}", "0".repeat(precision.saturating_sub(digits.len())));
        }
        let is_zero = number.sign() == Sign::NoSign;
        // As in C, zero has no digits with the precision 0, except for the prefix of an octal number.
        if is_zero && self.precision == Some(0) && !(self.is_alternative && radix == 8) {
            digits.clear();
        }
        let prefix =
            if self.is_alternative && !is_zero && radix != 10 { self.prefix() } else { "" };
        let head = format!("{}{prefix}", self.sign(is_negative));
        // Beside a precision, the flag `0` has no effect: `%08.3d` fills with spaces.
        Ok(cased(self.letter, &self.number(&head, &digits, self.precision.is_none())))
    }

    fn prefix(&self) -> &'static str {
        match self.letter {
            'x' | 'X' => "0x",
            'b' => "0b",
            'B' => "0B",
            'o' => "0",
            _ => "",
        }
    }

    /// A float in one of the formats `f`, `e`, `g`.
    pub(super) fn float(&self, float: f64) -> Result<String, ConversionFailure> {
        self.check_flags()?;
        let unsupported =
            || ConversionFailure::Unknown("such a format of a number is not supported".to_owned());
        if self.is_alternative {
            return Err(unsupported());
        }
        let head = self.sign(float.is_sign_negative() && !float.is_nan());
        if !float.is_finite() {
            let name = if float.is_nan() { "NaN" } else { "Inf" };
            // Ruby fills these words with spaces even if the format has the flag `0`.
            return Ok(self.number(head, name, false));
        }
        let magnitude = float.abs();
        let precision = self.precision.unwrap_or(6);
        let digits = match self.letter {
            'f' => format!("{magnitude:.precision$}"),
            'e' | 'E' => scientific(magnitude, precision),
            _ => shortest(magnitude, precision.max(1)),
        };
        let digits = if self.letter.is_ascii_uppercase() { digits.to_uppercase() } else { digits };
        Ok(self.number(head, &digits, true))
    }
}

fn cased(letter: char, text: &str) -> String {
    if letter == 'X' { text.to_uppercase() } else { text.to_owned() }
}

/// The digits of a negative number in two's complement; repeated leading digits are reduced to one.
fn complement_digits(number: &BigInt, radix: u32) -> String {
    let bits_per_digit = radix.trailing_zeros();
    let top = char::from_digit(radix - 1, radix).expect("the highest digit of the radix");
    // The additional digit is always the one that the dots stand for.
    let count = number.bits().div_ceil(u64::from(bits_per_digit)) + 1;
    let modulus = BigInt::from(1) << (count * u64::from(bits_per_digit));
    let digits = (modulus + number).to_str_radix(radix);
    format!("{top}{}", digits.trim_start_matches(top))
}

fn scientific(magnitude: f64, precision: usize) -> String {
    let text = format!("{magnitude:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').expect("{:e} writes an exponent");
    let exponent: i32 = exponent.parse().expect("{:e} writes a decimal exponent");
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// `%g`: the shorter of `%e` and `%f`, without trailing zeros.
fn shortest(magnitude: f64, precision: usize) -> String {
    let text = scientific(magnitude, precision - 1);
    let (mantissa, exponent) = text.split_once('e').expect("there is an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is decimal");
    let without_zeros = |it: &str| {
        if it.contains('.') {
            it.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            it.to_owned()
        }
    };
    let digits = i32::try_from(precision).unwrap_or(i32::MAX);
    if exponent < -4 || exponent >= digits {
        let (_, exponent) = text.split_at(mantissa.len());
        return format!("{}{exponent}", without_zeros(mantissa));
    }
    let decimals = usize::try_from(digits - 1 - exponent).unwrap_or(0);
    without_zeros(&format!("{magnitude:.decimals$}"))
}
