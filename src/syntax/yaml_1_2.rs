//! How a reader of YAML 1.2 sees a text: not Puppet, but most tools beside it.
//!
//! Only yaml-rust2 is asked here, and only about texts that libyaml accepts.

use yaml_rust2::parser::{Event, MarkedEventReceiver, Parser};
use yaml_rust2::scanner::Marker;
use yaml_rust2::yaml::Yaml;

/// Why a YAML 1.2 reader refuses a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Its words.
    pub message: String,
    /// Where, in bytes.
    pub offset: u32,
}

/// What a plain scalar is to a YAML 1.2 reader.
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
    /// A text.
    Text,
}

/// What a reader says of an alias whose anchor is not in the text.
const UNKNOWN_ANCHOR: &str = "while parsing node, found unknown anchor";

/// Why a YAML 1.2 reader refuses the text, which may be a part of a file; `None` if it reads it. Anchors may stand in the
/// other parts. Nothing is said of what follows such an alias.
pub fn refusal(text: &str) -> Option<Refusal> {
    struct Ignored;
    impl MarkedEventReceiver for Ignored {
        fn on_event(&mut self, _: Event, _: Marker) {}
    }
    let mut parser = Parser::new_from_str(text);
    let error = parser.load(&mut Ignored, true).err().filter(|it| it.info() != UNKNOWN_ANCHOR)?;
    let index = error.marker().index();
    let offset = text.char_indices().nth(index).map_or(text.len(), |(at, _)| at) as u32;
    Some(Refusal { message: error.info().to_owned(), offset })
}

/// What the text of a plain scalar is to a YAML 1.2 reader.
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
