//! Texts that the user names on the command line: fact sets, variables, lists of keys.

use std::fmt::Display;
use std::path::Path;

use crate::text::BYTE_ORDER_MARK;

/// The text of the file at `path`; `Err` says why there is none.
pub(super) fn read(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| format!("{shown}: {error}"))?;
    as_text(&shown, bytes)
}

/// The bytes of an input as text, without a byte order mark; `Err` starts with `shown`.
pub(super) fn as_text(shown: &dyn Display, bytes: Vec<u8>) -> Result<String, String> {
    // Each letter in UTF-16 has a zero byte.
    if bytes.contains(&0) {
        return Err(format!("{shown}: the text is in UTF-16; save it as UTF-8"));
    }
    let mut text = String::from_utf8(bytes)
        .map_err(|_| format!("{shown}: the text is not UTF-8; save it as UTF-8"))?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: Result<&str, &str>) {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(as_text(&"f", bytes.to_vec()), expected);
    }

    #[test]
    fn a_mark_is_skipped_and_other_encodings_are_named() {
        check("\u{feff}ä".as_bytes(), Ok("ä"));
        check(b"\xff\xfea\0", Err("f: the text is in UTF-16; save it as UTF-8"));
        check(b"\xe4", Err("f: the text is not UTF-8; save it as UTF-8"));
    }
}
