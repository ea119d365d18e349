//! Decrypts in place. The list of actions reveals nothing of the secret. The edit does, so it is computed only after the user
//! has chosen the action, and only if the settings allow secrets to be shown.

use std::sync::Arc;

use super::keys::FileKeys;
use crate::backends::eyaml::DEFAULT_METHOD;
use crate::backends::eyaml::edit::{self, EncryptedPart, Layout};
use crate::ide::edits::FileEdit;
use crate::text::{TextEdit, TextRange};
use crate::world::World;

/// The ways to decrypt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretAction {
    /// To `DEC(1)::PKCS7[…]!`, which can be encrypted again.
    ForEdit,
    /// The same for all secrets of the file.
    AllForEdit,
    /// To plain text for good.
    ToText,
}

impl SecretAction {
    /// All of them, with the names that identify them in requests.
    pub const NAMES: [(&'static str, Self); 3] =
        [("edit", Self::ForEdit), ("editAll", Self::AllForEdit), ("text", Self::ToText)];

    /// What it does, in the imperative.
    pub fn title(self) -> &'static str {
        match self {
            Self::ForEdit => "Decrypt this value for an edit: DEC(…)::PKCS7[…]!",
            Self::AllForEdit => "Decrypt all values of this file for an edit",
            Self::ToText => "Decrypt this value to plain text",
        }
    }
}

/// The actions that can decrypt something in the selected bytes of the file at `path`.
pub fn secret_actions(world: &Arc<World>, path: &str, range: TextRange) -> Vec<SecretAction> {
    if !world.reveals_secrets() {
        return Vec::new();
    }
    let Ok(file) = world.file(path) else { return Vec::new() };
    let parts = edit::encrypted_parts(&file.text);
    let Some(part) = part_at(&parts, range) else { return Vec::new() };
    if !FileKeys::of(world, path).is_some_and(|keys| keys.can_decrypt(world)) {
        return Vec::new();
    }
    let mut offered = vec![SecretAction::ForEdit];
    if parts.len() > 1 {
        offered.push(SecretAction::AllForEdit);
    }
    if scalar_range(&file.text, part).is_some() {
        offered.push(SecretAction::ToText);
    }
    offered
}

/// The edit of a chosen action; `None` if nothing can be decrypted (any more).
pub fn secret_edit(
    world: &Arc<World>,
    path: &str,
    range: TextRange,
    action: SecretAction,
) -> Option<FileEdit> {
    let file = world.file(path).ok()?;
    let keys = FileKeys::of(world, path)?;
    let parts = edit::encrypted_parts(&file.text);
    let plain = |part: &EncryptedPart<'_>| {
        let bytes = keys.decrypted(world, &part.message())?;
        // A secret that is not text cannot be edited in the file.
        String::from_utf8(bytes.to_vec()).ok()
    };
    let for_edit = |part: &EncryptedPart<'_>| {
        Some(TextEdit::replace(part.range, part.decrypted_form(&plain(part)?)))
    };
    let edits = match action {
        SecretAction::ForEdit => vec![for_edit(part_at(&parts, range)?)?],
        SecretAction::AllForEdit => parts.iter().filter_map(for_edit).collect(),
        SecretAction::ToText => {
            let part = part_at(&parts, range)?;
            let range = scalar_range(&file.text, part)?;
            vec![TextEdit::replace(range, quoted(&as_looked_up(part, plain(part)?)))]
        }
    };
    (!edits.is_empty()).then(|| FileEdit::new(path, edits))
}

/// The first part that the selection touches.
fn part_at<'p, 't>(
    parts: &'p [EncryptedPart<'t>],
    range: TextRange,
) -> Option<&'p EncryptedPart<'t>> {
    let is_ours = |part: &EncryptedPart<'_>| {
        part.method.is_none_or(|it| it.eq_ignore_ascii_case(DEFAULT_METHOD))
    };
    let touches = |it: &TextRange| it.start <= range.end && range.start <= it.end;
    parts.iter().find(|part| touches(&part.range) && is_ours(part))
}

/// The value that a lookup returns: a part on one line loses a line end, a block has an extra one to lose.
fn as_looked_up(part: &EncryptedPart<'_>, mut plain: String) -> String {
    if part.layout == Layout::Line {
        let end =
            if plain.ends_with("\r\n") { 2 } else { usize::from(plain.ends_with(['\r', '\n'])) };
        plain.truncate(plain.len() - end);
    }
    plain
}

/// The whole scalar of a part that is a complete value, quotes included.
fn scalar_range(text: &str, part: &EncryptedPart<'_>) -> Option<TextRange> {
    let (start, end) = (part.range.start as usize, part.range.end as usize);
    let before = text[..start].trim_end_matches([' ', '\t']);
    let behind = text[end..].trim_start_matches([' ', '\t']);
    let ends = behind.is_empty() || behind.starts_with(['\n', '\r', ',', ']', '}', '#']);
    let begins = before.ends_with([':', '-', '[', ',', '{']);
    if begins && ends {
        return Some(part.range);
    }
    let quote = before.chars().last().filter(|it| "'\"".contains(*it))?;
    let is_whole = text[..start].ends_with(quote) && text[end..].starts_with(quote);
    let before = before[..before.len() - 1].trim_end_matches([' ', '\t']);
    let begins = before.ends_with([':', '-', '[', ',', '{']);
    (is_whole && begins).then(|| TextRange::new(part.range.start - 1, part.range.end + 1))
}

/// The text as a YAML string that cannot be read as anything else.
fn quoted(text: &str) -> String {
    let is_printable = text.chars().all(|it| !it.is_control());
    if is_printable {
        return format!("'{}'", text.replace('\'', "''"));
    }
    serde_json::Value::from(text).to_string()
}
