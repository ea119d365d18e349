//! Similar keys: finds the key that a misspelt one was meant to be.

use crate::text::edit_distance;

/// The maximum number of wrong letters.
const MAX_DISTANCE: usize = 2;

/// The key that `name` was most likely meant to be.
pub(crate) fn near_key<'a>(name: &str, keys: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // In a short name, every letter counts: a name of three to five letters may have one wrong letter, a shorter one none.
    let most = MAX_DISTANCE.min(name.len() / 3);
    let distances = keys.into_iter().filter_map(|key| Some((distance(name, key, most)?, key)));
    distances.filter(|(distance, _)| *distance > 0).min().map(|(_, key)| key)
}

/// The number of letters that must be added, removed, replaced or swapped with their neighbour; `None` if there are more
/// than `most`.
pub(crate) fn distance(left: &str, right: &str, most: usize) -> Option<usize> {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    // The time for the distance grows with the product of the lengths, and keys of one module share a long prefix.
    let same_start = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[same_start..], &right[same_start..]);
    let same_end = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    let left = &left[..left.len() - same_end];
    let right = &right[..right.len() - same_end];
    // If the mistakes are near one another, the rest is short. Longer rests would cost too much for each of many keys.
    if left.len().max(right.len()) > 2 * most + 2 || left.len().abs_diff(right.len()) > most {
        return None;
    }
    Some(edit_distance(left, right)).filter(|distance| *distance <= most)
}

/// Whether two names differ by one letter that is neither a digit, a plural nor the `s` of `https`, and not in a short word: names
/// that differ by those are different on purpose.
pub(crate) fn is_misspelling(name: &str, other: &str) -> bool {
    // `eth0` and `eth1`, or `user` and `users`, are probably both meant.
    let is_plural = |one: &str, many: &str| many.strip_suffix('s') == Some(one);
    let without_digits = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    distance(name, other, 1) == Some(1)
        && without_digits(name) != without_digits(other)
        && name.replace("https", "http") != other.replace("https", "http")
        && !differ_in_short_word(name, other)
        && !(is_plural(name, other) || is_plural(other, name))
}

/// Whether two names differ only in one word with few letters: `app_uri` and `app_url`, `main_ip` and `main_vip`.
fn differ_in_short_word(name: &str, other: &str) -> bool {
    const MAX_SHORT: usize = 3;
    let words = |text| str::split(text, ['_', '-', '.']);
    let mut differing = words(name).zip(words(other)).filter(|(one, another)| one != another);
    words(name).count() == words(other).count()
        && words(name).nth(1).is_some()
        && differing.next().is_some_and(|(one, another)| one.len().min(another.len()) <= MAX_SHORT)
        && differing.next().is_none()
}

/// Whether two keys end in different names of one or two letters, such as `app::a` and `app::b`: almost all of these are near one
/// another.
pub(crate) fn end_in_short_names(key: &str, other: &str) -> bool {
    const MAX_SHORT: usize = 2;
    let end = |key| str::rsplit(key, "::").next().unwrap_or_default();
    end(key) != end(other) && end(key).len().max(end(other).len()) <= MAX_SHORT
}

#[cfg(test)]
mod tests {
    use super::near_key;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        let keys = ["ntp::servers", "ntp::service", "ssh::port", "a", "ab"];
        assert_eq!(near_key(name, keys), expected);
    }

    #[test]
    fn near_keys() {
        check("ntp::server", Some("ntp::servers"));
        check("npt::servers", Some("ntp::servers"));
        check("ssh::prot", Some("ssh::port"));
        check("ssh::ports", Some("ssh::port"));
        check("ssh::listen", None);
        check("mtp::servicx", None);
        check("xy", None);
        check("b", None);
    }
}
