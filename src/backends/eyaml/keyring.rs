//! Caches keys and decrypted values, so that each is computed only once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::pkcs7::{self, Certificate, PrivateKey};

/// The maximum number of decrypted values that a key pair caches: more than a hierarchy has, but bounded.
const MAX_REMEMBERED: usize = 10_000;

/// Key pairs by the texts of their files.
#[derive(Default)]
pub struct Keyring {
    pairs: Mutex<HashMap<PairKey, PairResult>>,
}

type PairKey = (Arc<str>, Arc<str>);
type PairResult = Result<Arc<KeyPair>, String>;

/// A private key and its certificate.
pub(super) struct KeyPair {
    private: PrivateKey,
    certificate: Certificate,
    /// Decrypted texts by their messages.
    texts: Mutex<HashMap<Vec<u8>, Arc<[u8]>>>,
}

impl Keyring {
    /// The pair of two PEM texts; `Err` contains OpenSSL's message.
    pub(super) fn pair(&self, private: &Arc<str>, certificate: &Arc<str>) -> PairResult {
        let key = (private.clone(), certificate.clone());
        let mut pairs = self.pairs.lock().unwrap_or_else(PoisonError::into_inner);
        pairs.entry(key).or_insert_with(|| KeyPair::read(private, certificate)).clone()
    }
}

impl KeyPair {
    fn read(private: &str, certificate: &str) -> PairResult {
        Ok(Arc::new(Self {
            private: PrivateKey::from_pem(private)?,
            certificate: Certificate::from_pem(certificate)?,
            texts: Mutex::default(),
        }))
    }

    /// The content of a message; `Err` contains OpenSSL's message.
    pub(super) fn decrypted(&self, message: &[u8]) -> Result<Arc<[u8]>, String> {
        if let Some(text) = self.texts().get(message) {
            return Ok(text.clone());
        }
        // The lock is not held here, because decryption takes long and other threads decrypt other values.
        let text: Arc<[u8]> = pkcs7::decrypt(message, &self.private, &self.certificate)?.into();
        let mut texts = self.texts();
        if texts.len() >= MAX_REMEMBERED {
            texts.clear();
        }
        texts.insert(message.to_vec(), text.clone());
        Ok(text)
    }

    fn texts(&self) -> std::sync::MutexGuard<'_, HashMap<Vec<u8>, Arc<[u8]>>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
