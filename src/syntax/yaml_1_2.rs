//! How a YAML 1.2 reader sees a text: not Puppet, but most other tools.
//!
//! The only reader used here is yaml-rust2, and only for texts that libyaml accepts.

use yaml_rust2::parser::{Event, MarkedEventReceiver, Parser};
use yaml_rust2::scanner::Marker;
use yaml_rust2::yaml::Yaml;

/// Why a YAML 1.2 reader refuses a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yaml12Error {
    /// Its message.
    pub message: String,
    /// The byte of the error.
    pub offset: u32,
}

/// How a YAML 1.2 reader interprets a plain scalar.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// A string.
    Text,
}

/// The reader's message for an alias whose anchor is not in the text.
const UNKNOWN_ANCHOR: &str = "while parsing node, found unknown anchor";

/// Why a YAML 1.2 reader refuses the text, which may be a part of a file; `None` if it accepts it. Anchors may be in the
/// other parts of the file, so errors after an alias to such an anchor are not reported.
pub fn refusal(text: &str) -> Option<Yaml12Error> {
    struct Ignored;
    impl MarkedEventReceiver for Ignored {
        fn on_event(&mut self, _: Event, _: Marker) {}
    }
    let mut parser = Parser::new_from_str(text);
    let error = parser.load(&mut Ignored, true).err().filter(|it| it.info() != UNKNOWN_ANCHOR)?;
    // The library counts characters, not bytes.
    let index = error.marker().index();
    let offset = text.char_indices().nth(index).map_or(text.len(), |(at, _)| at) as u32;
    Some(Yaml12Error { message: error.info().to_owned(), offset })
}

/// How a YAML 1.2 reader interprets the text of a plain scalar.
pub fn read_plain(text: &str) -> Reading {
    match Yaml::from_str(text) {
        Yaml::Null => Reading::Null,
        Yaml::Boolean(it) => Reading::Boolean(it),
        Yaml::Integer(it) => Reading::Integer(it),
        Yaml::Real(it) => it.parse().map_or(Reading::Text, Reading::Float),
        _ => Reading::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars() {
        assert_eq!(read_plain("yes"), Reading::Text);
        assert_eq!(read_plain("true"), Reading::Boolean(true));
        assert_eq!(read_plain("0o17"), Reading::Integer(15));
        assert_eq!(read_plain("017"), Reading::Integer(17));
        assert_eq!(read_plain("1:30"), Reading::Text);
        assert_eq!(read_plain("1e3"), Reading::Float(1000.0));
        assert_eq!(read_plain("~"), Reading::Null);
    }

    #[test]
    fn texts_that_are_refused() {
        assert_eq!(refusal("a: [1]\nb: {c: 'x'}\n"), None);
        let refused = refusal("a: 'x'# comment\n").expect("1.2 wants a blank there");
        assert!(refused.offset > 0 && !refused.message.is_empty());
    }
}
