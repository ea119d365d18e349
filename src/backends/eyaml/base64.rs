//! Base64 in eyaml's blobs: written strictly, read as leniently as Ruby's `Base64.decode64`.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};

/// Padded, on one line.
pub(super) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bits after the last byte may have any value.
const TOLERANT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
);

/// Whether `text` is complete: it has the right length and padding.
pub(super) fn is_valid(text: &str) -> bool {
    TOLERANT.decode(text).is_ok()
}

/// Unknown characters are skipped; the first valid padding ends the text; a last character that does not complete a byte is
/// dropped.
pub(super) fn decode_as_ruby(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut quad: Vec<u32> = Vec::with_capacity(4);
    for character in text.bytes() {
        match sextet(character) {
            Some(value) => quad.push(value),
            None if character == b'=' && quad.len() >= 2 => break,
            None => {}
        }
        if quad.len() == 4 {
            push(&mut bytes, &quad);
            quad.clear();
        }
    }
    push(&mut bytes, &quad);
    bytes
}

/// The bytes of up to four characters: one fewer than there are characters.
fn push(bytes: &mut Vec<u8>, quad: &[u32]) {
    let joined = quad.iter().enumerate().fold(0, |all, (at, value)| all | value << (18 - 6 * at));
    let count = quad.len().saturating_sub(1);
    bytes.extend_from_slice(&joined.to_be_bytes()[1..=count]);
}

fn sextet(character: u8) -> Option<u32> {
    Some(u32::from(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[u8]) {
        assert_eq!(decode_as_ruby(text), expected);
    }

    #[test]
    fn what_is_whole_is_read_as_it_was_written() {
        for text in ["", "a", "ab", "abc", "abcd", "\u{0}\u{7f}é€"] {
            assert!(is_valid(&encode(text.as_bytes())));
            check(&encode(text.as_bytes()), text.as_bytes());
        }
    }

    #[test]
    fn ruby_passes_over_what_it_does_not_know() {
        check("aGVs bG8=", b"hello");
        check("=a=GVsbG8", b"hello");
        check("aGVsbG8=aGVs", b"hello");
        check("aGVsbG8", b"hello");
        check("aGVsb", b"hel");
        check("aG", b"h");
        check("a", b"");
    }
}
