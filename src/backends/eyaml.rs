//! `eyaml_lookup_key`: values that are encrypted in the data, as hiera-eyaml writes and reads them.
//!
//! Nothing is decrypted unless a user requested it, and decrypted text is never logged: errors name the encrypted text, never
//! the decrypted one.

mod base64;
pub mod blob;
pub mod edit;
mod keyring;
mod keys;
mod level;
pub mod pkcs7;
#[cfg(test)]
pub(crate) mod test_keys;

use std::fmt;
use std::sync::Arc;

use self::blob::Blob;
pub use self::keyring::Keyring;
pub use self::keys::{KeyProblem, LevelKeys};
pub use self::level::EyamlLookupKey;
use crate::data::{Files, Value};

/// The method of blobs that do not name one.
pub const DEFAULT_METHOD: &str = "PKCS7";

/// Methods for which hiera-eyaml has plugins. Only PKCS7 is decrypted here.
pub const KNOWN_METHODS: [&str; 12] = [
    "PKCS7",
    "GPG",
    "GKMS",
    "KMS",
    "TWOFAC",
    "SecretBox",
    "VAULT",
    "GCPKMS",
    "RSA",
    "SSHAGENT",
    "VAULT_RS",
    "cli",
];

/// How a lookup handles encrypted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decryption {
    /// They stay as they are written.
    #[default]
    Off,
    /// They are decrypted if the level's keys can be read, and otherwise stay as they are written.
    WhereKeysAreReadable,
    /// They are decrypted as in Puppet: a value that cannot be decrypted fails the lookup.
    AsPuppet,
    /// They fail the lookup.
    Refused,
}

/// How one evaluator handles encrypted values.
#[derive(Clone, Default)]
pub struct Eyaml {
    /// Whether to decrypt.
    pub decryption: Decryption,
    /// Path of the private key for levels whose own key cannot be read.
    pub private_key: Option<Arc<str>>,
    /// Path of the public key (an X.509 certificate) for such levels.
    pub public_key: Option<Arc<str>>,
    /// The keys that were read and the values that were decrypted so far, shared by all clones.
    pub keyring: Arc<Keyring>,
}

/// Why a value was not decrypted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecryptionFailure {
    /// hiera-eyaml would fail, with this message of its exception.
    Failed(String),
    /// Ruby would fail because the encryption method does not exist, with this message of its `LoadError`.
    UnknownMethod(String),
    /// The method needs a plugin of hiera-eyaml and is not supported here.
    Unsupported(String),
    /// The value should stay as it is.
    Kept,
}

impl Eyaml {
    /// The decrypted form of `text` according to `eyaml_lookup_key`: every blob in it is replaced by its plain text, and one
    /// newline at the end is removed. `None` if it contains nothing encrypted. The plain text may be any bytes, not only
    /// UTF-8.
    pub fn plain_text(
        &self,
        files: &dyn Files,
        keys: &LevelKeys<'_>,
        text: &str,
    ) -> Result<Option<Value>, DecryptionFailure> {
        if !blob::is_encrypted(text) || !self.decrypts() {
            return Ok(None);
        }
        let mut plain = Vec::with_capacity(text.len());
        let mut done = 0;
        for blob in blob::blobs(text) {
            plain.extend_from_slice(&text.as_bytes()[done..blob.range.start as usize]);
            done = blob.range.end as usize;
            plain.extend_from_slice(&self.decrypted(files, keys, &blob)?);
        }
        plain.extend_from_slice(&text.as_bytes()[done..]);
        chomp(&mut plain);
        Ok(Some(Value::of_bytes(plain)))
    }

    /// The plain text of one blob.
    pub fn decrypted(
        &self,
        files: &dyn Files,
        keys: &LevelKeys<'_>,
        blob: &Blob<'_>,
    ) -> Result<Arc<[u8]>, DecryptionFailure> {
        let cipher = blob.cipher_without_blanks();
        if cipher.is_empty() {
            return Err(DecryptionFailure::Failed(
                "undefined method `[]' for nil:NilClass".to_owned(),
            ));
        }
        self.check_method(blob)?;
        self.decrypted_message(files, keys, &base64::decode_as_ruby(&cipher))
    }

    /// The plain text of a PKCS #7 message.
    pub fn decrypted_message(
        &self,
        files: &dyn Files,
        keys: &LevelKeys<'_>,
        message: &[u8],
    ) -> Result<Arc<[u8]>, DecryptionFailure> {
        let pair = match keys.pair(self, files) {
            Ok(pair) => pair,
            Err(problem) if problem.is_unreadable && self.keeps_what_has_no_key() => {
                return Err(DecryptionFailure::Kept);
            }
            Err(problem) => return Err(DecryptionFailure::Failed(problem.message)),
        };
        if self.decryption == Decryption::Refused {
            return Err(DecryptionFailure::Failed("decryption was not asked for".to_owned()));
        }
        pair.decrypted(message).map_err(DecryptionFailure::Failed)
    }

    /// Whether encrypted values may differ from what is written.
    pub fn decrypts(&self) -> bool {
        self.decryption != Decryption::Off
    }

    /// Whether values may contain encrypted text that Puppet decrypts.
    fn may_keep_encrypted_text(&self) -> bool {
        matches!(self.decryption, Decryption::Off | Decryption::WhereKeysAreReadable)
    }

    fn check_method(&self, blob: &Blob<'_>) -> Result<(), DecryptionFailure> {
        let method = blob.method.unwrap_or(DEFAULT_METHOD);
        if method.eq_ignore_ascii_case(DEFAULT_METHOD) {
            return Ok(());
        }
        if self.keeps_what_has_no_key() {
            return Err(DecryptionFailure::Kept);
        }
        if KNOWN_METHODS.iter().any(|known| known.eq_ignore_ascii_case(method)) {
            return Err(DecryptionFailure::Unsupported(format!(
                "eyaml's method {method} is not supported here, only {DEFAULT_METHOD} is"
            )));
        }
        let file = method.to_lowercase();
        Err(DecryptionFailure::UnknownMethod(format!(
            "cannot load such file -- hiera/backend/eyaml/encryptors/{file}"
        )))
    }

    fn keeps_what_has_no_key(&self) -> bool {
        self.decryption == Decryption::WhereKeysAreReadable
    }
}

/// Omits the keyring.
impl fmt::Debug for Eyaml {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Eyaml")
            .field("decryption", &self.decryption)
            .finish_non_exhaustive()
    }
}

/// Ruby's `chomp`: removes one line end.
fn chomp(text: &mut Vec<u8>) {
    let length = match text.as_slice() {
        [.., b'\r', b'\n'] => 2,
        [.., b'\r' | b'\n'] => 1,
        _ => 0,
    };
    text.truncate(text.len() - length);
}

#[cfg(test)]
mod tests;
