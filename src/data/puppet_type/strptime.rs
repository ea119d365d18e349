//! Ruby's `DateTime._strptime`, as far as Puppet needs it for timestamps.

use super::time_range::TimeProblem;

/// `+HH:MM:SS` without its sign.
const MAX_OFFSET_LENGTH: usize = 8;

/// The parts of a date in a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parsed {
    pub(super) year: Option<i64>,
    pub(super) month: Option<i64>,
    pub(super) day: Option<i64>,
    pub(super) hour: Option<i64>,
    pub(super) minute: Option<i64>,
    pub(super) second: Option<i64>,
    /// Nanoseconds of the second; finer digits are dropped.
    pub(super) nanosecond: Option<i64>,
    /// As written.
    pub(super) zone: Option<String>,
}

/// Parses the whole text by a format: `None` if Ruby returns `nil` or if text is left over.
///
/// # Errors
/// A directive that is not implemented here.
pub(super) fn parse(text: &str, format: &str) -> Result<Option<Parsed>, TimeProblem> {
    let mut reader = DateReader { rest: text, ..DateReader::default() };
    if reader.read(format)?.is_none() || !reader.rest.is_empty() {
        return Ok(None);
    }
    // The format may have `%p` before `%I`, so the two are combined at the end.
    if let (Some(hour), Some(is_afternoon)) = (reader.parsed.hour, reader.is_afternoon) {
        reader.parsed.hour = Some(hour % 12 + if is_afternoon { 12 } else { 0 });
    }
    Ok(Some(reader.parsed))
}

#[derive(Default)]
struct DateReader<'a> {
    rest: &'a str,
    parsed: Parsed,
    is_afternoon: Option<bool>,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] =
    ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

impl DateReader<'_> {
    /// `Some` if the text continues as the format requires.
    fn read(&mut self, format: &str) -> Result<Option<()>, TimeProblem> {
        let mut characters = format.chars();
        while let Some(it) = characters.next() {
            let directive = match it {
                '%' => characters.next(),
                it if is_ruby_space(it) => {
                    self.skip_spaces();
                    continue;
                }
                _ => None,
            };
            let read = match directive {
                Some(directive) => self.directive(directive, characters.as_str())?,
                None => self.literal(it),
            };
            if read.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    fn directive(&mut self, directive: char, after: &str) -> Result<Option<()>, TimeProblem> {
        let next_is_number = begins_with_number(after);
        Ok(match directive {
            'F' => return self.read("%Y-%m-%d"),
            'T' | 'X' => return self.read("%H:%M:%S"),
            'R' => return self.read("%H:%M"),
            'D' | 'x' => return self.read("%m/%d/%y"),
            'r' => return self.read("%I:%M:%S %p"),
            'c' => return self.read("%a %b %e %H:%M:%S %Y"),
            'v' => return self.read("%e-%b-%Y"),
            'Y' => self.year(next_is_number),
            'y' => self.short_year(),
            'm' => self.number(2, 1..=12).map(|it| self.parsed.month = Some(it)),
            'd' | 'e' => self.padded(1..=31).map(|it| self.parsed.day = Some(it)),
            'j' => self.number(3, 1..=366).map(|_| ()), // Puppet has no use for it
            // 24:00 is the end of the day. `timestamp::utc` refuses 24:01.
            'H' | 'k' => self.padded(0..=24).map(|it| self.parsed.hour = Some(it)),
            'I' | 'l' => self.padded(1..=12).map(|it| self.parsed.hour = Some(it)),
            'M' => self.number(2, 0..=59).map(|it| self.parsed.minute = Some(it)),
            // 60 is a leap second, which Ruby takes for the start of the next minute.
            'S' => self.number(2, 0..=60).map(|it| self.parsed.second = Some(it)),
            'L' => self.fraction(if next_is_number { 3 } else { usize::MAX }),
            'N' => self.fraction(if next_is_number { 9 } else { usize::MAX }),
            // Puppet needs the parts of a date. Seconds since 1970 lead to its error about the missing year.
            's' | 'Q' => self.signed_digits(usize::MAX).map(|_| ()),
            'a' | 'A' => self.name(&DAYS).map(|_| ()),
            'b' | 'B' | 'h' => self.name(&MONTHS).map(|it| self.parsed.month = Some(it + 1)),
            'p' | 'P' => self.half_of_day(),
            'Z' | 'z' => self.zone(),
            'n' | 't' => {
                self.skip_spaces();
                Some(())
            }
            '%' => self.literal('%'),
            other => {
                let message = format!("the format %{other} of Timestamp.new is not known here");
                return Err(TimeProblem::Unknown(message));
            }
        })
    }

    fn literal(&mut self, wanted: char) -> Option<()> {
        self.rest = self.rest.strip_prefix(wanted)?;
        Some(())
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches(is_ruby_space);
    }

    fn digits(&mut self, width: usize) -> Option<&str> {
        let count = self.rest.bytes().take(width).take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        (count > 0).then_some(digits)
    }

    fn number(&mut self, width: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let number = self.digits(width)?.parse().ok()?;
        range.contains(&number).then_some(number)
    }

    /// Two digits, or a space and one digit.
    fn padded(&mut self, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        match self.rest.strip_prefix(' ') {
            Some(rest) => {
                self.rest = rest;
                self.number(1, range)
            }
            None => self.number(2, range),
        }
    }

    fn signed_digits(&mut self, width: usize) -> Option<i64> {
        let sign = self.sign();
        Some(sign * self.digits(width)?.parse::<i64>().ok()?)
    }

    fn sign(&mut self) -> i64 {
        let Some(rest) = self.rest.strip_prefix(['+', '-']) else { return 1 };
        let sign = if self.rest.starts_with('-') { -1 } else { 1 };
        self.rest = rest;
        sign
    }

    fn year(&mut self, next_is_number: bool) -> Option<()> {
        let year = self.signed_digits(if next_is_number { 4 } else { usize::MAX })?;
        self.parsed.year = Some(year);
        Some(())
    }

    /// 69 to 99 belong to the last century.
    fn short_year(&mut self) -> Option<()> {
        let sign = self.sign();
        let year = sign * self.number(2, 0..=99)?;
        self.parsed.year = Some(year + if year >= 69 { 1900 } else { 2000 });
        Some(())
    }

    fn fraction(&mut self, width: usize) -> Option<()> {
        let sign = self.sign();
        let digits = self.digits(width)?;
        // The digits are a fraction: `.5` is half a second, so zeros are added at the end.
        let nine: String = digits.chars().chain(std::iter::repeat('0')).take(9).collect();
        self.parsed.nanosecond = Some(sign * nine.parse::<i64>().ok()?);
        Some(())
    }

    /// The number of a name, written in full or as its first three letters.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let starts = |prefix: &str| {
            self.rest.get(..prefix.len()).is_some_and(|it| it.eq_ignore_ascii_case(prefix))
        };
        let (index, length) = names.iter().enumerate().find_map(|(index, name)| {
            // The full name is tried first: after `Mar`, the rest of `March` would not match the format.
            let lengths = [name.len(), 3];
            lengths.into_iter().find(|length| starts(&name[..*length])).map(|it| (index, it))
        })?;
        self.rest = &self.rest[length..];
        i64::try_from(index).ok()
    }

    fn half_of_day(&mut self) -> Option<()> {
        let lower = self.rest.to_ascii_lowercase();
        let mark = ["a.m.", "p.m.", "am", "pm"].into_iter().find(|it| lower.starts_with(it))?;
        self.rest = &self.rest[mark.len()..];
        self.is_afternoon = Some(mark.starts_with('p'));
        Some(())
    }

    fn zone(&mut self) -> Option<()> {
        let length = zone_length(self.rest)?;
        let (zone, rest) = self.rest.split_at(length);
        self.parsed.zone = Some(zone.to_owned());
        self.rest = rest;
        Some(())
    }
}

/// The length in bytes of the time zone at the start of the text: `Z`, `CEST`, `+01:00`, `GMT+3`.
fn zone_length(text: &str) -> Option<usize> {
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let is_greenwich = ["", "gmt", "utc", "ut"].contains(&&*text[..letters].to_ascii_lowercase());
    let after = &text[letters..];
    if is_greenwich && after.starts_with(['+', '-']) {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(&after[1..]);
        if whole > 0 {
            // Ruby's pattern is `[-+]\d+(?:[,.:]\d+(?::\d+)?)?`: `+5.5` is a fraction of hours, and seconds can only follow a colon.
            let mut length = letters + 1 + whole;
            for separators in [[',', '.', ':'].as_slice(), [':'].as_slice()] {
                let rest = &text[length..];
                let count = rest.get(1..).map_or(0, digits);
                if count == 0 || !rest.starts_with(separators) {
                    break;
                }
                length += 1 + count;
            }
            return Some(length);
        }
    }
    (letters > 0).then_some(letters)
}

/// Seconds east of Greenwich, or `None` for a name that Ruby does not know.
///
/// # Errors
/// A name for which this is not known here.
pub(super) fn zone_offset(zone: &str) -> Result<Option<i64>, TimeProblem> {
    let letters = zone.bytes().take_while(u8::is_ascii_alphabetic).count();
    let name = zone[..letters].to_ascii_lowercase();
    if letters == zone.len() {
        let minutes = ZONES
            .iter()
            .find(|(_, names)| names.split(' ').any(|it| it == name))
            .map(|(minutes, _)| minutes * 60);
        return match minutes {
            // Ruby also knows longer names of time zones, which the table does not have.
            None if letters > 4 => Err(unknown_zone(zone)),
            known => Ok(known),
        };
    }
    if zone_length(zone) != Some(zone.len()) {
        return Err(unknown_zone(zone));
    }
    let sign = if zone[letters..].starts_with('-') { -1 } else { 1 };
    let number = |text: &str| text.parse::<i64>().map_err(|_| unknown_zone(zone));
    let digits = &zone[letters + 1..];
    // A time zone can have any number of digits. Those that would overflow the arithmetic are left out.
    if digits.len() > MAX_OFFSET_LENGTH {
        return Err(unknown_zone(zone));
    }
    if digits.contains(':') {
        let mut seconds = 0;
        for (part, unit) in digits.split(':').zip([3600, 60, 1]) {
            seconds += number(part)? * unit;
        }
        return Ok(Some(sign * seconds));
    }
    if digits.contains([',', '.']) || digits.len() > 6 {
        return Err(unknown_zone(zone));
    }
    // With an odd number of digits, the hour has one digit: Ruby reads `+130` as 1:30.
    let (hours, rest) = digits.split_at(2 - digits.len() % 2);
    let minutes = if rest.len() >= 2 { number(&rest[..2])? } else { 0 };
    let seconds = if rest.len() >= 4 { number(&rest[2..])? } else { 0 };
    Ok(Some(sign * (number(hours)? * 3600 + minutes * 60 + seconds)))
}

fn unknown_zone(zone: &str) -> TimeProblem {
    TimeProblem::Unknown(format!("the time zone {zone} is not known here"))
}

fn is_ruby_space(it: char) -> bool {
    matches!(it, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

/// Whether the format continues with a number, so that a number before it must not take all digits.
fn begins_with_number(format: &str) -> bool {
    let mut characters = format.chars();
    match characters.next() {
        Some('%') => characters.next().is_some_and(|it| {
            it.is_ascii_digit() || "CDdeFGgHIjkLlMmNQRrSsTUuVvWwXxYy".contains(it)
        }),
        Some(it) => it.is_ascii_digit(),
        None => false,
    }
}

/// The names of up to four letters that Ruby 3.1 knows, by minutes east of Greenwich.
const ZONES: [(i64, &str); 37] = [
    (-720, "y aoe idlw"),
    (-660, "x nt nut sst"),
    (-600, "w ckt hst ahst hast taht"),
    (-540, "v hdt yst akst gamt hadt"),
    (-510, "mart"),
    (-480, "u pst ydt akdt"),
    (-420, "t mst pdt"),
    (-360, "s cst mdt east galt"),
    (-300, "r act cdt cot ect est pet cist"),
    (-240, "q ast bot clt edt fkt gyt vet"),
    (-180, "p adt art brt gft srt uyt wgt clst fkst pmst pyst rott"),
    (-150, "nst"),
    (-120, "o at fnt brst pmdt uyst wgst"),
    (-90, "ndt"),
    (-60, "n cvt egt azot"),
    (0, "z ut wt gmt utc wet egst"),
    (60, "a bst cet fwt met mez swt wat mewt west"),
    (120, "b cat eet fle fst gtb cest mest mesz sast wast"),
    (180, "c bt eat fet idt msk trt arab eest syot"),
    (210, "iran irst"),
    (240, "d azt get msd mut ret sct kuyt samt"),
    (270, "aft irdt"),
    (300, "e mvt pkt tft tjt tmt uzt aqtt azst mawt orat yekt"),
    (330, "ist"),
    (345, "npt"),
    (360, "f btt iot kgt almt omst qyzt vost"),
    (390, "cct mmt"),
    (420, "g cxt ict wib davt hovt krat novt"),
    (480, "h bnt hkt myt pht sgt awst cast chot irkt ulat wadt wita"),
    (540, "i jst kst pwt tlt wit awdt yakt"),
    (570, "acst"),
    (600, "k gst pgt aest chst chut ddut vlat yapt"),
    (630, "acdt lhst"),
    (660, "l nct nft sbt vut aedt eadt kost lhdt magt pont sakt sret"),
    (720, "m fjt mht nrt nzt tvt wft anat fiji gilt idle nfdt nzst pett wakt"),
    (780, "tkt tot fjst nzdt phot"),
    (840, "lint tost"),
];
