//! Sets of bytes as tables. Scanners look up millions of bytes in them.

/// The letters and digits of ASCII, and `others`: `true` at each of these bytes.
pub(super) const fn alphanumerics_and(others: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    let mut byte = 0;
    while byte < set.len() {
        set[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < others.len() {
        set[others[at] as usize] = true;
        at += 1;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_its_bytes_and_no_others() {
        const SET: [bool; 256] = alphanumerics_and(b"_\xff");
        for byte in 0..=u8::MAX {
            let is_in = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0xff);
            assert_eq!(SET[byte as usize], is_in, "{byte}");
        }
    }
}
