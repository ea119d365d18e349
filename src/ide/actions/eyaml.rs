//! Encrypts values with eyaml: plain-text values, and values that were decrypted for an edit.
//!
//! This needs only the public key. The opposite direction is in [`secrets`], where the edit is computed after the user has
//! chosen the action.

mod keys;
pub(in crate::ide) mod secrets;
mod value;

use self::keys::FileKeys;
use self::value::ValueSpot;
use super::{Action, ActionContext, ActionKind};
use crate::backends::eyaml::edit::{self, DecryptedPart};
use crate::backends::eyaml::pkcs7::{self, Certificate};
use crate::backends::eyaml::{DEFAULT_METHOD, blob};
use crate::ide::edits::FileEdit;
use crate::text::{TextEdit, TextRange};

pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    let Some(keys) = FileKeys::of(context.world, &context.file.path) else { return Vec::new() };
    let parts: Vec<_> = edit::decrypted_parts(&context.file.text)
        .into_iter()
        .filter(|part| part.method.eq_ignore_ascii_case(DEFAULT_METHOD))
        .collect();
    if !parts.is_empty() {
        return encrypt_again(context, &keys, &parts);
    }
    encrypt_value(context, &keys).into_iter().collect()
}

/// The scalar at the cursor, or the selected part of one. Its decrypted value stays the same.
fn encrypt_value(context: &ActionContext<'_>, keys: &FileKeys) -> Option<Action> {
    let spot = ValueSpot::at(context.world, &context.file.path, context.range)?;
    if spot.text.is_empty() || !blob::blobs(&spot.text).is_empty() {
        return None;
    }
    let certificate = keys.certificate(context.world)?;
    let message = pkcs7::encrypt(spot.text_to_encrypt().as_bytes(), &certificate).ok()?;
    let edit = TextEdit::replace(spot.range, spot.encrypted_form(&message));
    let title = format!("Encrypt {} with the key of level \"{}\"", spot.what(), keys.level);
    Some(action(context, title, vec![edit]))
}

fn encrypt_again(
    context: &ActionContext<'_>,
    keys: &FileKeys,
    parts: &[DecryptedPart<'_>],
) -> Vec<Action> {
    let Some(certificate) = keys.certificate(context.world) else { return Vec::new() };
    let originals = keys.originals(context.world, &context.file.path);
    let encrypted = |part: &DecryptedPart<'_>| {
        // Each encryption has another result, so a secret that was not edited gets its old text back and shows no change.
        let known = originals.iter().filter(|it| *it.plain == *part.text.as_bytes());
        let known: Vec<_> = known.collect();
        // Several secrets may have the same text. The number in `DEC(…)` says which one this was.
        let same = known.iter().find(|it| Some(it.id) == part.id).or(known.first());
        let new_text = match same {
            Some(original) => part.layout.form_of_cipher(DEFAULT_METHOD, &original.cipher),
            None => encrypted(part, &certificate)?,
        };
        Some(TextEdit::replace(part.range, new_text))
    };
    let touches = |range: TextRange| {
        let wanted = context.range;
        range.start <= wanted.end && wanted.start <= range.end
    };
    let mut actions = Vec::new();
    if let Some(part) = parts.iter().find(|part| touches(part.range)) {
        let edits = encrypted(part).into_iter().collect();
        actions.push(action(context, "Encrypt this value again".to_owned(), edits));
    }
    let all: Vec<_> = parts.iter().filter_map(encrypted).collect();
    // The title promises all values, so no part may stay as plain text.
    if all.len() == parts.len() {
        let title = "Encrypt all decrypted values of this file again".to_owned();
        actions.push(action(context, title, all));
    }
    actions
}

fn encrypted(part: &DecryptedPart<'_>, certificate: &Certificate) -> Option<String> {
    let message = pkcs7::encrypt(part.text.as_bytes(), certificate).ok()?;
    Some(part.layout.encrypted_form(&message))
}

fn action(context: &ActionContext<'_>, title: String, edits: Vec<TextEdit>) -> Action {
    Action {
        title,
        kind: ActionKind::RefactorRewrite,
        edits: vec![FileEdit::new(context.file.path.clone(), edits)],
        fixes: Vec::new(),
        is_preferred: false,
        refusal: None,
    }
}

#[cfg(test)]
mod tests;
