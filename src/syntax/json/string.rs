//! JSON strings as Ruby's JSON decodes them: an unknown escape is the character itself.

/// Why a string cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringError {
    /// It has no end, or contains a character that strings must not contain, at this byte.
    NoString(usize),
    /// Half of a surrogate pair is too close to the end; the byte of its backslash.
    IncompleteSurrogates(usize),
}

/// Where the string ends whose opening quote is at `start`: the byte after the closing quote.
pub(super) fn end(text: &str, start: usize) -> Result<usize, StringError> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => {
                at += 1;
                match bytes.get(at) {
                    Some(b'u') => {
                        let digits = bytes.get(at + 1..at + 5);
                        if !digits.is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit)) {
                            return Err(StringError::NoString(at));
                        }
                        at += 5;
                    }
                    Some(0..=0x1f) | None => return Err(StringError::NoString(at)),
                    Some(_) => at += 1,
                }
            }
            Some(0..=0x1f) | None => return Err(StringError::NoString(at)),
            Some(_) => at += 1,
        }
    }
}

/// The decoded string whose opening quote is at `start`, and where it ends.
pub(super) fn read(text: &str, start: usize) -> Result<(String, usize), StringError> {
    let end = end(text, start)?;
    let mut decoded = String::with_capacity(end - start);
    decode(text, start, end, &mut |_, _, piece| decoded.push_str(piece))?;
    Ok((decoded, end))
}

/// Passes `push` the decoded pieces of the string from `start` to `end` (quotes included), each with the start and end of its
/// source.
pub(super) fn decode(
    text: &str,
    start: usize,
    end: usize,
    push: &mut dyn FnMut(usize, usize, &str),
) -> Result<(), StringError> {
    let inner_end = end - 1;
    let mut at = start + 1;
    while at < inner_end {
        let rest = &text[at..inner_end];
        let plain = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        if plain > 0 {
            push(at, at + plain, &rest[..plain]);
            at += plain;
            continue;
        }
        at = escape(text, at, inner_end, push)?;
    }
    Ok(())
}

fn escape(
    text: &str,
    at: usize,
    inner_end: usize,
    push: &mut dyn FnMut(usize, usize, &str),
) -> Result<usize, StringError> {
    let code = |at: usize| {
        text.get(at..at + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok()).unwrap_or(0)
    };
    let mut characters = text[at + 1..inner_end].chars();
    let Some(escaped) = characters.next() else { return Ok(inner_end) };
    let decoded = match escaped {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let after = boundary(text, at + 6, inner_end);
            let unit = code(at + 2);
            if unit & 0xfc00 == 0xd800 {
                return high_surrogate(text, at, inner_end, unit, push);
            }
            push(at, after, char::from_u32(unit).unwrap_or('\u{fffd}').encode_utf8(&mut [0; 4]));
            return Ok(after);
        }
        other => other,
    };
    let after = at + 1 + escaped.len_utf8();
    push(at, after, decoded.encode_utf8(&mut [0; 4]));
    Ok(after)
}

/// The first half of a surrogate pair. Without a second half, Ruby writes `?` and swallows the next character; near the end
/// of the string it refuses the text.
fn high_surrogate(
    text: &str,
    at: usize,
    inner_end: usize,
    unit: u32,
    push: &mut dyn FnMut(usize, usize, &str),
) -> Result<usize, StringError> {
    let after = at + 6;
    if after + 6 > inner_end {
        return Err(StringError::IncompleteSurrogates(at));
    }
    if text.get(after..after + 2) != Some("\\u") {
        let skipped = text[after..].chars().next().map_or(0, char::len_utf8);
        push(at, after + skipped, "?");
        return Ok(after + skipped);
    }
    let low = text.get(after + 2..after + 6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let high = ((unit & 0x3f) << 10) | ((((unit >> 6) & 0xf) + 1) << 16);
    let character = char::from_u32(high | (low.unwrap_or(0) & 0x3ff)).unwrap_or('\u{fffd}');
    let after = boundary(text, after + 6, inner_end);
    push(at, after, character.encode_utf8(&mut [0; 4]));
    Ok(after)
}

/// The start of the character at `at`, or of the next character. Half of a surrogate pair swallows a backslash, so the next
/// escape may end inside a character. Ruby turns this into bytes that are not UTF-8.
fn boundary(text: &str, at: usize, inner_end: usize) -> usize {
    let ends = (at..inner_end).find(|it| text.is_char_boundary(*it));
    ends.unwrap_or(inner_end)
}
