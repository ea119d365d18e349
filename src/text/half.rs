//! Halves of characters, which editors that count in UTF-16 send when the user replaces one half of an emoji.
//!
//! Our texts are UTF-8 and cannot contain a half. Until an edit brings both halves together, a half is represented by three
//! noncharacters, which Unicode reserves for such internal uses. A half that stays alone becomes U+FFFD, which also has one
//! unit.

use std::borrow::Cow;

/// The first of 32 consecutive noncharacters.
const FIRST: u32 = 0xfdd0;

/// The first half in UTF-16.
const FIRST_HALF: u16 = 0xd800;

/// The text that represents `half`, a unit from U+D800 to U+DFFF.
pub fn marked_half(half: u16) -> [char; 3] {
    let number = u32::from(half.saturating_sub(FIRST_HALF)) & 0x7ff;
    [8, 4, 0].map(|shift| {
        let digit = number >> shift & 0xf;
        char::from_u32(FIRST + digit).expect("the noncharacters are no surrogates")
    })
}

/// `text` with U+FFFD for each half.
pub fn without_halves(text: &str) -> Cow<'_, str> {
    if has_halves(text) {
        Cow::Owned(String::from_utf16_lossy(&units(text)))
    } else {
        Cow::Borrowed(text)
    }
}

/// Whether `text` may contain halves.
pub(super) fn has_halves(text: &str) -> bool {
    // All noncharacters in question start with these two bytes. Most texts do not contain them.
    memchr::memmem::find(text.as_bytes(), &[0xef, 0xb7]).is_some()
        && text.chars().any(|it| digit(it).is_some())
}

/// The UTF-16 units of `text`, with its real halves.
pub(super) fn units(text: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if let Some(half) = half_at(char, chars.as_str()) {
            units.push(half);
            chars.nth(1);
        } else {
            units.extend_from_slice(char.encode_utf16(&mut [0; 2]));
        }
    }
    units
}

/// The half that `first` and the following characters represent.
fn half_at(first: char, rest: &str) -> Option<u16> {
    let mut rest = rest.chars();
    let digits = [digit(first)?, digit(rest.next()?)?, digit(rest.next()?)?];
    let number = digits.iter().fold(0, |number, digit| number << 4 | digit);
    (number < 0x800).then_some(FIRST_HALF + number)
}

fn digit(char: char) -> Option<u16> {
    let digit = u32::from(char).checked_sub(FIRST)?;
    (digit < 16).then_some(digit as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_travel_as_text() {
        for half in [0xd800, 0xd83d, 0xdbff, 0xdc00, 0xde01, 0xdfff] {
            let text: String = ['a'].into_iter().chain(marked_half(half)).chain(['b']).collect();
            assert_eq!(units(&text), [0x61, half, 0x62]);
            assert_eq!(without_halves(&text), "a\u{fffd}b");
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in ["", "a😀", "\u{fdd0}", "\u{fdd8}\u{fdd0}\u{fdd0}", "\u{fddf}\u{fdd0}x", "ﷰ"]
        {
            assert_eq!(without_halves(text), text);
        }
    }

    #[test]
    fn two_halves_next_to_each_other_make_a_character() {
        let text: String = [marked_half(0xd83d), marked_half(0xde00)].concat().iter().collect();
        assert_eq!(without_halves(&text), "😀");
    }
}
