//! The lengths of the common start and the common end of two texts.

/// The number of equal bytes at the start.
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 64;
    // Whole blocks are compared many bytes at once. Only the block that differs is compared byte by byte.
    let blocks = a.chunks_exact(STEP).zip(b.chunks_exact(STEP)).take_while(|(a, b)| a == b).count();
    let done = blocks * STEP;
    done + a[done..].iter().zip(&b[done..]).take_while(|(a, b)| a == b).count()
}

/// How many bytes both end with.
pub fn common_suffix(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 64;
    let blocks =
        a.rchunks_exact(STEP).zip(b.rchunks_exact(STEP)).take_while(|(a, b)| a == b).count();
    let done = blocks * STEP;
    let (a, b) = (&a[..a.len() - done], &b[..b.len() - done]);
    done + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: &str, b: &str, prefix: usize, suffix: usize) {
        assert_eq!(common_prefix(a.as_bytes(), b.as_bytes()), prefix, "{a} {b}");
        assert_eq!(common_suffix(a.as_bytes(), b.as_bytes()), suffix, "{a} {b}");
    }

    #[test]
    fn texts_are_the_same_up_to_an_edit() {
        check("", "", 0, 0);
        check("abc", "abc", 3, 3);
        check("abc", "xbc", 0, 2);
        check("abc", "abcd", 3, 0);
        let long = "x".repeat(200);
        check(&long, &format!("{long}y"), 200, 0);
        check(&format!("{long}a{long}"), &format!("{long}bc{long}"), 200, 200);
    }
}
