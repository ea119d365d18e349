//! The ranges of `Timestamp` and `Timespan`, in nanoseconds.

use super::argument::{Argument, out_of_order};
use super::{timespan, timestamp};
use crate::data::value::Value;

pub(super) const NANOSECONDS: i128 = 1_000_000_000;

/// A range of points in time or of durations; `None` means unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeRange {
    /// The earliest.
    pub from: Option<i128>,
    /// The latest.
    pub to: Option<i128>,
}

/// Why a time has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimeProblem {
    /// Puppet refuses it, with this message.
    Refused(String),
    /// It is not known here what Puppet does.
    Unknown(String),
}

impl From<String> for TimeProblem {
    fn from(message: String) -> Self {
        Self::Refused(message)
    }
}

/// Which of the two types a range belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    Timestamp,
    Timespan,
}

impl TimeRange {
    /// Exactly one time.
    pub(super) fn exactly(nanoseconds: i128) -> Self {
        Self { from: Some(nanoseconds), to: Some(nanoseconds) }
    }

    /// Whether the range contains all of `other`.
    pub(super) fn includes(self, other: Self) -> bool {
        let from_fits = self.from.is_none_or(|it| other.from.is_some_and(|other| it <= other));
        from_fits && self.to.is_none_or(|it| other.to.is_some_and(|other| it >= other))
    }

    /// The union of both, if they overlap.
    pub(super) fn merged(self, other: Self) -> Option<Self> {
        let ends_before = |a: Self, b: Self| a.to.zip(b.from).is_some_and(|(a, b)| a < b);
        (!ends_before(self, other) && !ends_before(other, self)).then(|| Self {
            from: self.from.zip(other.from).map(|(a, b)| a.min(b)),
            to: self.to.zip(other.to).map(|(a, b)| a.max(b)),
        })
    }

    /// The bounds as they are shown in a type.
    pub(super) fn parameters(self, clock: Clock) -> Vec<String> {
        let shown = |it: i128| format!("'{}'", clock.text_of(it));
        match (self.from, self.to) {
            (None, None) => Vec::new(),
            (from, to) => {
                let last = to.filter(|_| to != from).map(shown);
                let first = from.map_or_else(|| "default".to_owned(), shown);
                std::iter::once(first).chain(last).collect()
            }
        }
    }

    /// The range that at most two arguments describe.
    pub(super) fn of(arguments: &[Argument], clock: Clock) -> Result<Self, TimeProblem> {
        let bound = |index: usize| {
            arguments.get(index).map_or(Ok(None), |argument| clock.bound_of(argument))
        };
        let range = Self { from: bound(0)?, to: bound(1)? };
        match (range.from, range.to) {
            (Some(from), Some(to)) if from > to => {
                Err(out_of_order(clock.text_of(from), clock.text_of(to)).into())
            }
            _ => Ok(range),
        }
    }
}

impl Clock {
    /// The nanoseconds of a text.
    pub(super) fn parse(self, text: &str) -> Result<i128, TimeProblem> {
        match self {
            Self::Timestamp => timestamp::parse(text),
            Self::Timespan => Ok(timespan::parse(text)?),
        }
    }

    fn text_of(self, nanoseconds: i128) -> String {
        match self {
            Self::Timestamp => timestamp::timestamp_text(nanoseconds),
            Self::Timespan => timespan::timespan_text(nanoseconds),
        }
    }

    fn bound_of(self, argument: &Argument) -> Result<Option<i128>, TimeProblem> {
        match argument {
            Argument::Default | Argument::Undef => Ok(None),
            Argument::Integer(it) => Ok(Some(it.saturating_mul(NANOSECONDS))),
            #[expect(clippy::cast_possible_truncation, reason = "saturates beyond all calendars")]
            Argument::Float(it) => Ok(Some((it * 1e9) as i128)),
            Argument::Text(it) => self.parse(it).map(Some),
            Argument::Hash(_) => self.bound_of_hash(&argument.to_value()).map(Some),
            other => {
                let name = if self == Self::Timestamp { "Timestamp" } else { "Timespan" };
                let class = other.ruby_class();
                Err(format!("Unable to create a Puppet::Pops::Time::{name} from a {class}").into())
            }
        }
    }

    fn bound_of_hash(self, fields: &Value) -> Result<i128, TimeProblem> {
        let unreadable =
            || TimeProblem::Refused("the parameters of the time cannot be read".to_owned());
        let hash = fields.as_hash().ok_or_else(unreadable)?;
        if let Some(text) = hash.get("string").and_then(|it| it.value.value.as_str()) {
            return self.parse(text);
        }
        if self == Self::Timestamp {
            return Err(unreadable());
        }
        Ok(timespan::of_fields(hash))
    }
}
