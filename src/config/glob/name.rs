//! Matches one name of a path with one name of a pattern, as Ruby's `File.fnmatch` does.

/// Whether `pattern` (without `/` and `{…}`) matches the whole `name`. A leading dot must be written out.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !unescaped(pattern).starts_with('.') {
        return false;
    }
    let (mut pattern, mut name) = (pattern, name);
    let mut star: Option<(&str, &str)> = None;
    loop {
        if pattern.starts_with('*') {
            pattern = pattern.trim_start_matches('*');
            if unescaped(pattern).is_empty() {
                return true;
            }
            if name.is_empty() {
                return false;
            }
            // Only the last `*` is tried again. What the earlier ones match can stay, so the time does not grow exponentially.
            star = Some((pattern, name));
            continue;
        }
        if let Some(after) = step(pattern, name) {
            (pattern, name) = after;
            continue;
        }
        let is_one_char = matches!(pattern.as_bytes().first(), Some(b'?' | b'['));
        if name.is_empty() {
            return !is_one_char && unescaped(pattern).is_empty();
        }
        match star {
            Some((after_star, tried)) => {
                name = &tried[first_char_len(tried)..];
                pattern = after_star;
                star = Some((after_star, name));
            }
            _ => return false,
        }
    }
}

/// `pattern` without its backslashes, each of which makes the next character an ordinary one.
pub(super) fn without_escapes(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(char) = rest.next() {
        if char == '\\' { text.extend(rest.next()) } else { text.push(char) }
    }
    text
}

/// Both without the first element of `pattern` and the text that it matches at the start of `name`.
pub(super) fn step<'p, 'n>(pattern: &'p str, name: &'n str) -> Option<(&'p str, &'n str)> {
    let char = name.chars().next()?;
    let rest = &name[char.len_utf8()..];
    match pattern.as_bytes().first()? {
        b'?' => Some((&pattern[1..], rest)),
        b'[' => brackets(&pattern[1..], char).map(|after| (after, rest)),
        _ => {
            let pattern = unescaped(pattern);
            pattern.strip_prefix(char).map(|after| (after, rest))
        }
    }
}

/// The text after `[…]` if the set matches `char`. `]` cannot be its first character; an unclosed set matches nothing.
fn brackets(set: &str, char: char) -> Option<&str> {
    let negated = set.strip_prefix(['!', '^']);
    let mut rest = negated.unwrap_or(set);
    let mut is_in = false;
    while !rest.starts_with(']') {
        let low = unescaped(rest).chars().next()?;
        rest = &unescaped(rest)[low.len_utf8()..];
        if rest.starts_with('-') && rest.len() > 1 && !rest[1..].starts_with(']') {
            let high = unescaped(&rest[1..]).chars().next()?;
            rest = &unescaped(&rest[1..])[high.len_utf8()..];
            // Ruby compares both ends on their own, so `[z-a]` matches `z` and `a`.
            is_in |= char == high || (low..=high).contains(&char) || char == low;
        } else {
            is_in |= char == low;
        }
    }
    (is_in != negated.is_some()).then(|| &rest[1..])
}

/// The pattern without a leading backslash.
fn unescaped(pattern: &str) -> &str {
    pattern.strip_prefix('\\').unwrap_or(pattern)
}

fn first_char_len(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}
