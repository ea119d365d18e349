//! The result of a run of `hiera-ls check`, and how it is printed.

use super::arguments::OutputFormat;
use super::findings::FileFindings;
use super::output::{self, Look};
use crate::cli::terminal::{is_styled, print_styled, unstyled, write_to_stdout};

/// The result of a run, and whether it found anything.
#[derive(Debug, Default)]
pub(in crate::cli) struct Checked {
    pub(in crate::cli) output: Output,
    pub(in crate::cli) summary: String,
    pub(in crate::cli) has_problems: bool,
    /// What was left out.
    pub(in crate::cli) notes: Vec<String>,
}

/// What a run prints.
#[derive(Debug)]
pub(in crate::cli) enum Output {
    /// A styled text.
    Text(String),
    /// Findings in a format.
    Findings(OutputFormat, Vec<FileFindings>),
    /// The number of findings of each rule, for programs if the format is one for programs.
    Statistics(OutputFormat, Vec<FileFindings>),
}

impl Default for Output {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Output {
    /// The output without styles.
    pub(in crate::cli) fn text(&self) -> String {
        match self {
            Self::Text(text) => unstyled(text),
            Self::Statistics(format, found) => output::statistics_as(*format, Look::Plain, found),
            Self::Findings(format, found) => {
                let mut text = Vec::new();
                // Nothing fails while it is written to memory.
                let _ = output::write(*format, Look::Plain, found, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
        }
    }

    /// The number of findings of each rule.
    pub(in crate::cli) fn by_rule(&self) -> String {
        match self {
            Self::Text(_) => String::new(),
            Self::Findings(_, found) | Self::Statistics(_, found) => {
                output::statistics(Look::Plain, found)
            }
        }
    }

    pub(super) fn print(&self) {
        match self {
            Self::Text(text) => print_styled(text),
            Self::Statistics(format, found) => {
                print_styled(&output::statistics_as(*format, Look::Styled, found));
            }
            Self::Findings(format, found) => {
                // Formats for programs must not contain escape sequences.
                let is_styled = format.is_for_people() && is_styled();
                let look = if is_styled { Look::Styled } else { Look::Plain };
                write_to_stdout(is_styled, |out| output::write(*format, look, found, out));
            }
        }
    }
}
