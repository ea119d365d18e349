//! Blobs in values: `ENC[PKCS7,…]`, as the parser of `eyaml_lookup_key` finds them, and their errors.

use super::{DEFAULT_METHOD, KNOWN_METHODS, base64};
use crate::text::TextRange;

/// The start of a blob.
pub const OPENING: &str = "ENC[";

/// An encrypted part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blob<'a> {
    /// From `ENC[` to `]`.
    pub range: TextRange,
    /// The method, if it names one.
    pub method: Option<&'a str>,
    /// The encrypted text in base64, which may contain spaces and newlines.
    pub cipher: &'a str,
}

impl Blob<'_> {
    /// The encrypted text in base64, on one line.
    pub fn cipher_without_blanks(&self) -> String {
        self.cipher.chars().filter(|it| !it.is_ascii_whitespace()).collect()
    }
}

/// An error in an `ENC[…]`. Puppet passes such text on as it is, or fails to decrypt it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobProblem {
    /// From `ENC[` to `]` or to the end of its line.
    pub range: TextRange,
    /// The kind of error.
    pub kind: BlobProblemKind,
}

/// The kinds of [`BlobProblem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlobProblemKind {
    /// No `]` follows.
    Unterminated,
    /// There is nothing between the brackets.
    Empty,
    /// `]` is on another line, so Puppet does not recognize the value as encrypted.
    AcrossLines,
    /// A character that base64 does not have.
    NotBase64(char),
    /// The base64 text was cut off or lost its padding: its length is not a multiple of 4.
    WrongLength(usize),
    /// It is base64, but not a PKCS7 message: it was cut off, or is something else.
    NotPkcs7,
    /// hiera-eyaml does not have this method.
    UnknownMethod(String),
}

/// Whether `eyaml_lookup_key` treats the text as encrypted: it has `ENC[` and a later `]` on one line.
pub fn is_encrypted(text: &str) -> bool {
    text.split('\n').any(|line| line.find(OPENING).is_some_and(|at| line[at..].contains(']')))
}

/// The blobs of a value.
pub fn blobs(text: &str) -> Vec<Blob<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(OPENING) {
        let start = from + at;
        match blob_at(text, start) {
            Some(blob) => {
                from = blob.range.end as usize;
                found.push(blob);
            }
            None => from = start + OPENING.len(),
        }
    }
    found
}

/// The blob whose `ENC[` is at `start`.
fn blob_at(text: &str, start: usize) -> Option<Blob<'_>> {
    let (method, cipher_start) = method(text, start + OPENING.len());
    let cipher = &text[cipher_start..];
    let length = cipher.find(|it| !is_in_blob(it))?;
    if length == 0 || !cipher[length..].starts_with(']') {
        return None;
    }
    let end = cipher_start + length + 1;
    Some(Blob { range: range(start, end), method, cipher: &cipher[..length] })
}

/// The method and its comma, if there are any, and the start of what follows.
fn method(text: &str, start: usize) -> (Option<&str>, usize) {
    let rest = &text[start..];
    let length = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    match length {
        Some(length) if length > 0 && rest[length..].starts_with(',') => {
            (Some(&rest[..length]), start + length + 1)
        }
        _ => (None, start),
    }
}

fn is_in_blob(character: char) -> bool {
    character.is_ascii_alphanumeric() || "+/= \n".contains(character)
}

/// The text with `…` instead of the contents of its blobs.
pub fn shortened(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut done = 0;
    for blob in blobs(text) {
        shown.push_str(&text[done..blob.range.start as usize]);
        shown.push_str("ENC[…]");
        done = blob.range.end as usize;
    }
    shown + &text[done..]
}

/// The errors of the blobs in a value, in order.
pub fn problems(text: &str) -> Vec<BlobProblem> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(OPENING) {
        let start = from + at;
        let inside = start + OPENING.len();
        let next = text[inside..].find(OPENING).map(|it| inside + it);
        // A text may contain thousands of `ENC[`, so each is searched only up to the next one.
        let own = &text[inside..next.unwrap_or(text.len())];
        let close = own.find(']').map(|it| inside + it);
        let line_end = own.find('\n').map(|it| inside + it);
        let open_end = next.into_iter().chain(line_end).min().unwrap_or(text.len());
        let end = close.map_or(open_end, |it| it + 1);
        if let Some(kind) = problem(text, start, close) {
            found.push(BlobProblem { range: range(start, end), kind });
        }
        from = end;
    }
    found
}

fn problem(text: &str, start: usize, close: Option<usize>) -> Option<BlobProblemKind> {
    use BlobProblemKind::{
        AcrossLines, Empty, NotBase64, NotPkcs7, UnknownMethod, Unterminated, WrongLength,
    };
    let Some(close) = close else { return Some(Unterminated) };
    let (method, cipher_start) = method(text, start + OPENING.len());
    let cipher = &text[cipher_start..close];
    if cipher.trim().is_empty() {
        return Some(Empty);
    }
    if let Some(method) = method
        && !KNOWN_METHODS.iter().any(|known| known.eq_ignore_ascii_case(method))
    {
        return Some(UnknownMethod(method.to_owned()));
    }
    if let Some(character) = cipher.chars().find(|it| !is_in_blob(*it)) {
        return Some(NotBase64(character));
    }
    if !is_encrypted(&text[start..=close]) {
        return Some(AcrossLines);
    }
    let cipher: String = cipher.chars().filter(|it| !it.is_ascii_whitespace()).collect();
    if !cipher.len().is_multiple_of(4) {
        return Some(WrongLength(cipher.len()));
    }
    if !base64::is_valid(&cipher) {
        return Some(NotBase64('='));
    }
    let is_pkcs7 = method.is_none_or(|it| it.eq_ignore_ascii_case(DEFAULT_METHOD));
    let message = base64::decode_as_ruby(&cipher);
    (is_pkcs7 && !super::pkcs7::is_message(&message)).then_some(NotPkcs7)
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(start as u32, end as u32)
}

/// `ENC[METHOD,…]` on one line.
pub fn written(message: &[u8]) -> String {
    format!("{OPENING}{DEFAULT_METHOD},{}]", base64::encode(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Option<&str>, &str)]) {
        let found = blobs(text);
        let found: Vec<_> =
            found.iter().map(|it| (it.range.slice(text), it.method, it.cipher)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn blobs_stand_anywhere() {
        check("ENC[PKCS7,ab+/=]", &[("ENC[PKCS7,ab+/=]", Some("PKCS7"), "ab+/=")]);
        check(
            "é ENC[ab] ENC[GPG,c d\ne]",
            &[("ENC[ab]", None, "ab"), ("ENC[GPG,c d\ne]", Some("GPG"), "c d\ne")],
        );
        check("ENC[ENC[x]", &[("ENC[x]", None, "x")]);
        check("ENC[PKCS7]", &[("ENC[PKCS7]", None, "PKCS7")]);
    }

    #[test]
    fn blobs_are_left_out_of_messages() {
        assert_eq!(shortened("a ENC[PKCS7,ab=] b ENC[c] d"), "a ENC[…] b ENC[…] d");
        assert_eq!(shortened("ENC[-]"), "ENC[-]");
    }

    #[test]
    fn what_is_no_blob() {
        for text in [
            "ENC[]",
            "ENC[PKCS7,]",
            "ENC[PKCS7,a-b]",
            "ENC[PKCS7,a\tb]",
            "ENC[a",
            "ENC[a,b,c]",
            "enc[a]",
        ] {
            check(text, &[]);
        }
    }

    #[test]
    fn encrypted_is_what_closes_on_its_line() {
        for text in ["ENC[a]", "x\ny ENC[-] z", "ENC[\nENC[]"] {
            assert!(is_encrypted(text), "{text}");
        }
        for text in ["", "ENC[", "ENC[a\n]", "]ENC["] {
            assert!(!is_encrypted(text), "{text}");
        }
    }

    #[track_caller]
    fn check_problems(text: &str, expected: &[(&str, BlobProblemKind)]) {
        let found: Vec<_> =
            problems(text).into_iter().map(|it| (it.range.slice(text), it.kind)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn broken_blobs_are_told_apart() {
        use BlobProblemKind::{
            AcrossLines, Empty, NotBase64, NotPkcs7, UnknownMethod, Unterminated, WrongLength,
        };
        check_problems("a ENC[PKCS7,ab b", &[("ENC[PKCS7,ab b", Unterminated)]);
        check_problems("ENC[a ENC[]", &[("ENC[a ", Unterminated), ("ENC[]", Empty)]);
        check_problems("ENC[]", &[("ENC[]", Empty)]);
        check_problems("ENC[PKCS7,]", &[("ENC[PKCS7,]", Empty)]);
        check_problems(
            "ENC[PKSC7,abcd]",
            &[("ENC[PKSC7,abcd]", UnknownMethod("PKSC7".to_owned()))],
        );
        check_problems("ENC[PKCS7,ab-d]", &[("ENC[PKCS7,ab-d]", NotBase64('-'))]);
        check_problems("ENC[PKCS7,ab=d]", &[("ENC[PKCS7,ab=d]", NotBase64('='))]);
        check_problems("ENC[GPG,abcde]", &[("ENC[GPG,abcde]", WrongLength(5))]);
        check_problems("ENC[PKCS7,ab\ncd]", &[("ENC[PKCS7,ab\ncd]", AcrossLines)]);
        check_problems("ENC[PKCS7,abcd]", &[("ENC[PKCS7,abcd]", NotPkcs7)]);
        check_problems("ENC[GPG,abcd] ENC[gpg,ab==]", &[]);
    }
}
