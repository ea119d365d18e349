//! Files while their secrets are edited: `ENC[PKCS7,…]` becomes `DEC(1)::PKCS7[plain text]!` and back, as with `eyaml edit`.
//!
//! Like hiera-eyaml, this works on the text of a file instead of its values, because a decrypted text may be invalid YAML.

use super::{DEFAULT_METHOD, base64};
use crate::text::TextRange;

/// The length of a blob's lines if it is written on several.
const BLOCK_COLUMNS: usize = 60;

/// The start of a blob that is written on several lines.
const FOLDED: &str = ">";

/// The layout of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// On one line.
    Line,
    /// Below a `>`, with this line end and indentation before each line.
    Block(String),
}

/// An encrypted part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncryptedPart<'a> {
    /// Its number in `DEC(…)`: its position among the parts of the file, including those between blobs.
    pub id: usize,
    /// From `ENC[` (or from the `>` above it) to `]`.
    pub range: TextRange,
    /// Its layout.
    pub layout: Layout,
    /// The method, if it names one.
    pub method: Option<&'a str>,
    /// In base64, possibly with spaces and newlines.
    pub cipher: &'a str,
}

/// A part of a file that is decrypted and must be encrypted again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecryptedPart<'a> {
    /// The number of the encrypted part that it was; `None` for a new one.
    pub id: Option<usize>,
    /// From `DEC` (or from the `>` above it) to `!`.
    pub range: TextRange,
    /// Its layout.
    pub layout: Layout,
    /// The method to encrypt it with.
    pub method: &'a str,
    /// The secret.
    pub text: &'a str,
}

impl EncryptedPart<'_> {
    /// In base64, on one line.
    pub fn cipher_without_blanks(&self) -> String {
        self.cipher.chars().filter(|it| !it.is_whitespace()).collect()
    }

    /// The bytes of the message.
    pub fn message(&self) -> Vec<u8> {
        base64::decode_as_ruby(&self.cipher_without_blanks())
    }

    /// The decrypted part as it is written while it is edited.
    pub fn decrypted_form(&self, plain: &str) -> String {
        let method = self.method.unwrap_or(DEFAULT_METHOD).to_uppercase();
        let form = format!("DEC({})::{method}[{plain}]!", self.id);
        match &self.layout {
            Layout::Line => form,
            Layout::Block(line_start) => format!("{FOLDED}{line_start}{form}"),
        }
    }
}

impl Layout {
    /// A message as it is written in the file.
    pub fn encrypted_form(&self, message: &[u8]) -> String {
        self.form_of_cipher(DEFAULT_METHOD, &base64::encode(message))
    }

    /// A message in base64 as it is written in the file.
    pub fn form_of_cipher(&self, method: &str, cipher: &str) -> String {
        let form = format!("ENC[{method},{cipher}]");
        let Self::Block(line_start) = self else { return form };
        let lines: Vec<&str> = (0..form.len())
            .step_by(BLOCK_COLUMNS)
            .map(|at| &form[at..form.len().min(at + BLOCK_COLUMNS)])
            .collect();
        format!("{FOLDED}{line_start}{}", lines.join(line_start))
    }
}

/// The encrypted parts of a file's text.
pub fn encrypted_parts(text: &str) -> Vec<EncryptedPart<'_>> {
    let mut parts = Vec::new();
    let mut done = 0;
    let mut next_id = 0;
    while let Some(mut part) = next_part(text, done, "ENC[", encrypted_part) {
        let start = part.range.start as usize;
        if start > done {
            next_id += 1;
        }
        part.id = next_id;
        next_id += 1;
        done = part.range.end as usize;
        parts.push(part);
    }
    parts
}

/// The decrypted parts of a file's text.
pub fn decrypted_parts(text: &str) -> Vec<DecryptedPart<'_>> {
    let mut parts = Vec::new();
    let mut done = 0;
    // After the last end, each `DEC` would be searched to the end of the text.
    let text = text.rfind("]!").map_or("", |end| &text[..end + "]!".len()]);
    while let Some(part) = next_part(text, done, "DEC", decrypted_part) {
        done = part.range.end as usize;
        parts.push(part);
    }
    parts
}

fn next_part<'a, P>(
    text: &'a str,
    from: usize,
    opening: &str,
    read: impl Fn(&'a str, usize, usize, Layout) -> Option<P>,
) -> Option<P> {
    text[from..].match_indices(opening).find_map(|(at, _)| {
        let at = from + at;
        let (start, layout) = layout_before(text, from, at);
        read(text, start, at, layout)
    })
}

/// The start of a part whose `ENC` or `DEC` starts at `at`, and its layout: only white space may be between it and a `>` with
/// a newline.
fn layout_before(text: &str, from: usize, at: usize) -> (usize, Layout) {
    let before = &text[from..at];
    let rest = before.trim_end();
    let gap = &before[rest.len()..];
    if rest.ends_with('>') && gap.starts_with(['\n', '\r']) {
        return (from + rest.len() - 1, Layout::Block(gap.to_owned()));
    }
    (at, Layout::Line)
}

fn encrypted_part(
    text: &str,
    start: usize,
    at: usize,
    layout: Layout,
) -> Option<EncryptedPart<'_>> {
    let inside = &text[at + "ENC[".len()..];
    let (method, cipher) = match word(inside) {
        Some(method) if inside[method.len()..].starts_with(',') => {
            (Some(method), &inside[method.len() + 1..])
        }
        _ => (None, inside),
    };
    let may_break = layout != Layout::Line;
    let is_in_blob = |it: char| {
        it.is_ascii_alphanumeric() || "+/=".contains(it) || may_break && it.is_ascii_whitespace()
    };
    let length = cipher.find(|it| !is_in_blob(it))?;
    let cipher = (length > 0 && cipher[length..].starts_with(']')).then(|| &cipher[..length])?;
    let prefix = method.map_or(0, |it| it.len() + 1);
    let end = at + "ENC[".len() + prefix + length + 1;
    Some(EncryptedPart { id: 0, range: range(start, end), layout, method, cipher })
}

fn decrypted_part(
    text: &str,
    start: usize,
    at: usize,
    layout: Layout,
) -> Option<DecryptedPart<'_>> {
    let rest = &text[at + "DEC".len()..];
    let (id, rest) = match rest.strip_prefix('(') {
        Some(inside) => {
            let (digits, rest) = inside.split_at(inside.find(|it: char| !it.is_ascii_digit())?);
            (Some(digits.parse().ok()?), rest.strip_prefix(')')?)
        }
        None => (None, rest),
    };
    let rest = rest.strip_prefix("::")?;
    let method = word(rest)?;
    let inside = rest[method.len()..].strip_prefix('[')?;
    // The secret has at least one character, which may be the bracket itself.
    let first = inside.chars().next()?.len_utf8();
    let length = first + inside[first..].find("]!")?;
    let end = text.len() - inside.len() + length + "]!".len();
    Some(DecryptedPart { id, range: range(start, end), layout, method, text: &inside[..length] })
}

/// The word at the start of `text`.
fn word(text: &str) -> Option<&str> {
    let length =
        text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(text.len());
    (length > 0).then(|| &text[..length])
}

fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(start as u32, end as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "a: ENC[PKCS7,abcd]\nb: >\n    ENC[PKCS7,ab\n    cd]\nc: [ENC[abcd], 'x ENC[PKCS7,ab cd]']\n";

    #[test]
    fn encrypted_parts_are_counted_with_what_is_between() {
        let parts = encrypted_parts(FILE);
        let shown: Vec<_> = parts
            .iter()
            .map(|it| (it.id, it.range.slice(FILE), it.cipher_without_blanks()))
            .collect();
        assert_eq!(
            shown,
            [
                (1, "ENC[PKCS7,abcd]", "abcd".to_owned()),
                (3, ">\n    ENC[PKCS7,ab\n    cd]", "abcd".to_owned()),
                (5, "ENC[abcd]", "abcd".to_owned()),
            ]
        );
        let forms: Vec<_> = parts.iter().map(|it| it.decrypted_form("x y")).collect();
        assert_eq!(
            forms,
            ["DEC(1)::PKCS7[x y]!", ">\n    DEC(3)::PKCS7[x y]!", "DEC(5)::PKCS7[x y]!",]
        );
        assert_eq!(encrypted_parts("ENC[ab]")[0].id, 0);
    }

    #[test]
    fn openings_without_an_end_take_linear_time() {
        for opening in ["DEC(", "DEC(1)::X[", "DEC::X[a", "ENC[", "ENC[X,"] {
            let text = opening.repeat(100_000);
            assert!(encrypted_parts(&text).is_empty(), "{opening}");
            assert!(decrypted_parts(&text).is_empty(), "{opening}");
        }
    }

    #[test]
    fn decrypted_parts_may_hold_anything() {
        let text = "a: DEC::PKCS7[x]!\nb: >\n  DEC(3)::PKCS7[l1\n  l]2]!\nc: DEC(x)::PKCS7[]! DEC(1)::GPG[]]!";
        let parts = decrypted_parts(text);
        let shown: Vec<_> =
            parts.iter().map(|it| (it.id, it.layout.clone(), it.method, it.text)).collect();
        assert_eq!(
            shown,
            [
                (None, Layout::Line, "PKCS7", "x"),
                (Some(3), Layout::Block("\n  ".to_owned()), "PKCS7", "l1\n  l]2"),
                (Some(1), Layout::Line, "GPG", "]"),
            ]
        );
        assert_eq!(parts[1].range.slice(text), ">\n  DEC(3)::PKCS7[l1\n  l]2]!");
    }

    #[test]
    fn long_blobs_are_broken_as_eyaml_breaks_them() {
        let layout = Layout::Block("\n  ".to_owned());
        let cipher = "a".repeat(60);
        assert_eq!(
            layout.form_of_cipher("PKCS7", &cipher),
            format!(">\n  ENC[PKCS7,{}\n  {}]", "a".repeat(50), "a".repeat(10))
        );
        let part = layout.form_of_cipher("PKCS7", &cipher);
        assert_eq!(encrypted_parts(&part)[0].cipher_without_blanks(), cipher);
        assert_eq!(Layout::Line.form_of_cipher("PKCS7", "ab"), "ENC[PKCS7,ab]");
    }
}
