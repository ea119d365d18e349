//! PKCS #7 messages as hiera-eyaml creates them with OpenSSL: a random AES-256 key in CBC mode for the text, and that key
//! encrypted with RSA for the owner of one certificate.
//!
//! The errors are OpenSSL's final messages for the same failures, because Puppet shows those. One difference: if a wrong key
//! happens to produce a text with valid padding (one time in 256), OpenSSL returns these random bytes, and this module
//! reports `bad decrypt` as usual.

use std::fmt;

use aes::cipher::block_padding::Pkcs7;
use aes::cipher::{BlockDecryptMut, BlockEncryptMut, KeyIvInit};
use cms::cert::IssuerAndSerialNumber;
use cms::content_info::{CmsVersion, ContentInfo};
use cms::enveloped_data::{
    EncryptedContentInfo, EnvelopedData, KeyTransRecipientInfo, RecipientIdentifier, RecipientInfo,
    RecipientInfos,
};
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs8::{DecodePrivateKey, DecodePublicKey};
use rsa::rand_core::{OsRng, RngCore};
use rsa::traits::PublicKeyParts;
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey, RsaPublicKey};
use x509_cert::Certificate as X509;
use x509_cert::der::asn1::{Any, Null, ObjectIdentifier, OctetString, SetOfVec};
use x509_cert::der::{Decode, DecodePem, Encode, SliceReader};
use x509_cert::spki::AlgorithmIdentifierOwned;

const DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
const ENVELOPED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.3");
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const AES_128_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.2");
const AES_192_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.22");
const AES_256_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.42");

const KEY_BYTES: usize = 32;
const IV_BYTES: usize = 16;

const NOT_PARSED: &str = "Could not parse the PKCS7: no start line";
const WRONG_CONTENT: &str = "wrong content type";
const NOT_FOR_THIS_KEY: &str = "private key does not match certificate";
/// OpenSSL's message for recipients, ciphers and the like that it does not support.
const NOT_SERVED: &str = "decrypt error";
const BAD_DECRYPT: &str = "bad decrypt";
const WRONG_LENGTH: &str = "wrong final block length";
const NO_PRIVATE_KEY: &str = "Neither PUB key nor PRIV key: unsupported";
const NO_CERTIFICATE: &str = "PEM_read_bio_X509: no start line";

/// The key for decryption. Its text is never shown.
pub struct PrivateKey(RsaPrivateKey);

/// The key for encryption, which also names the recipient of a message.
#[derive(Clone)]
pub struct Certificate {
    key: RsaPublicKey,
    owner: IssuerAndSerialNumber,
}

impl PrivateKey {
    /// Parses a PEM text: `RSA PRIVATE KEY` or `PRIVATE KEY`, without a passphrase.
    pub fn from_pem(text: &str) -> Result<Self, String> {
        let pem = pem_block(text, "PRIVATE KEY").ok_or(NO_PRIVATE_KEY)?;
        RsaPrivateKey::from_pkcs1_pem(&pem)
            .or_else(|_| RsaPrivateKey::from_pkcs8_pem(&pem))
            .map(Self)
            .map_err(|_| NO_PRIVATE_KEY.to_owned())
    }
}

impl Certificate {
    /// Parses a PEM text: an X.509 certificate with an RSA key.
    pub fn from_pem(text: &str) -> Result<Self, String> {
        let read = || {
            let pem = pem_block(text, "CERTIFICATE")?;
            let content = X509::from_pem(pem.as_bytes()).ok()?.tbs_certificate;
            let key = content.subject_public_key_info.to_der().ok()?;
            let key = RsaPublicKey::from_public_key_der(&key).ok()?;
            let owner = IssuerAndSerialNumber {
                issuer: content.issuer,
                serial_number: content.serial_number,
            };
            Some(Self { key, owner })
        };
        read().ok_or_else(|| NO_CERTIFICATE.to_owned())
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PrivateKey")
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Certificate")
    }
}

/// The text of a DER message. Bytes after the message are ignored.
pub fn decrypt(
    message: &[u8],
    key: &PrivateKey,
    certificate: &Certificate,
) -> Result<Vec<u8>, &'static str> {
    let envelope = envelope(message)?;
    // OpenSSL compares both keys before it looks for the recipient.
    if key.0.n() != certificate.key.n() || key.0.e() != certificate.key.e() {
        return Err(NOT_FOR_THIS_KEY);
    }
    let content = &envelope.encrypted_content;
    let iv = content.content_enc_alg.parameters.as_ref().ok_or(NOT_SERVED)?;
    let iv = iv.decode_as::<OctetString>().map_err(|_| NOT_SERVED)?;
    let cipher = Cipher::of(content.content_enc_alg.oid).ok_or(NOT_SERVED)?;
    let encrypted_key = key_for(&envelope, certificate).ok_or(NOT_SERVED)?;
    let text = content.encrypted_content.as_ref().ok_or("no content")?.as_bytes();
    // Blinded, so that the time tells less about the key.
    let text_key = key.0.decrypt_blinded(&mut OsRng, Pkcs1v15Encrypt, encrypted_key);
    let text_key = text_key.map_err(|_| BAD_DECRYPT)?;
    if !text.len().is_multiple_of(IV_BYTES) {
        return Err(WRONG_LENGTH);
    }
    cipher.decrypt(&text_key, iv.as_bytes(), text).ok_or(BAD_DECRYPT)
}

/// A DER message that contains `text` for the owner of `certificate`.
pub fn encrypt(text: &[u8], certificate: &Certificate) -> Result<Vec<u8>, &'static str> {
    let mut key = [0; KEY_BYTES];
    let mut iv = [0; IV_BYTES];
    OsRng.fill_bytes(&mut key);
    OsRng.fill_bytes(&mut iv);
    let encrypted_key = certificate.key.encrypt(&mut OsRng, Pkcs1v15Encrypt, &key);
    let encrypted_key = encrypted_key.map_err(|_| "the public key is too short")?;
    let encrypted_text = cbc::Encryptor::<aes::Aes256>::new(&key.into(), &iv.into())
        .encrypt_padded_vec_mut::<Pkcs7>(text);
    message(certificate, &encrypted_key, &iv, &encrypted_text).map_err(|_| "the text is too long")
}

/// Whether the bytes are an encrypted message for any recipient.
pub fn is_message(bytes: &[u8]) -> bool {
    envelope(bytes).is_ok()
}

fn message(
    certificate: &Certificate,
    key: &[u8],
    iv: &[u8],
    text: &[u8],
) -> x509_cert::der::Result<Vec<u8>> {
    let recipient = RecipientInfo::Ktri(KeyTransRecipientInfo {
        version: CmsVersion::V0,
        rid: RecipientIdentifier::IssuerAndSerialNumber(certificate.owner.clone()),
        key_enc_alg: AlgorithmIdentifierOwned {
            oid: RSA_ENCRYPTION,
            parameters: Some(Any::encode_from(&Null)?),
        },
        enc_key: OctetString::new(key)?,
    });
    let envelope = EnvelopedData {
        version: CmsVersion::V0,
        originator_info: None,
        recip_infos: RecipientInfos(SetOfVec::try_from(vec![recipient])?),
        encrypted_content: EncryptedContentInfo {
            content_type: DATA,
            content_enc_alg: AlgorithmIdentifierOwned {
                oid: AES_256_CBC,
                parameters: Some(Any::encode_from(&OctetString::new(iv)?)?),
            },
            encrypted_content: Some(OctetString::new(text)?),
        },
        unprotected_attrs: None,
    };
    let content = Any::encode_from(&envelope)?;
    ContentInfo { content_type: ENVELOPED_DATA, content }.to_der()
}

fn envelope(message: &[u8]) -> Result<EnvelopedData, &'static str> {
    let mut reader = SliceReader::new(message).map_err(|_| NOT_PARSED)?;
    let message = ContentInfo::decode(&mut reader).map_err(|_| NOT_PARSED)?;
    if message.content_type != ENVELOPED_DATA {
        return Err(WRONG_CONTENT);
    }
    message.content.decode_as().map_err(|_| NOT_PARSED)
}

/// The encrypted key in the part of the message that is for the owner of the certificate.
fn key_for<'e>(envelope: &'e EnvelopedData, certificate: &Certificate) -> Option<&'e [u8]> {
    envelope.recip_infos.0.iter().find_map(|recipient| match recipient {
        RecipientInfo::Ktri(KeyTransRecipientInfo {
            rid: RecipientIdentifier::IssuerAndSerialNumber(owner),
            enc_key,
            ..
        }) if *owner == certificate.owner => Some(enc_key.as_bytes()),
        _ => None,
    })
}

/// The encryption of the text.
#[derive(Clone, Copy)]
enum Cipher {
    Aes128,
    Aes192,
    Aes256,
}

impl Cipher {
    fn of(oid: ObjectIdentifier) -> Option<Self> {
        match oid {
            AES_128_CBC => Some(Self::Aes128),
            AES_192_CBC => Some(Self::Aes192),
            AES_256_CBC => Some(Self::Aes256),
            _ => None,
        }
    }

    fn decrypt(self, key: &[u8], iv: &[u8], text: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Aes128 => unlock::<cbc::Decryptor<aes::Aes128>>(key, iv, text),
            Self::Aes192 => unlock::<cbc::Decryptor<aes::Aes192>>(key, iv, text),
            Self::Aes256 => unlock::<cbc::Decryptor<aes::Aes256>>(key, iv, text),
        }
    }
}

fn unlock<C: BlockDecryptMut + KeyIvInit>(key: &[u8], iv: &[u8], text: &[u8]) -> Option<Vec<u8>> {
    let cipher = C::new_from_slices(key, iv).ok()?;
    cipher.decrypt_padded_vec_mut::<Pkcs7>(text).ok()
}

/// The first PEM block whose label ends with `label`, without the surrounding text.
fn pem_block(text: &str, label: &str) -> Option<String> {
    let mut block: Option<String> = None;
    for line in text.lines().map(str::trim_end) {
        if block.is_none() {
            let name = line.strip_prefix("-----BEGIN ").and_then(|it| it.strip_suffix("-----"));
            if name.is_some_and(|name| name.ends_with(label)) {
                block = Some(format!("{line}\n"));
            }
        } else if let Some(block) = &mut block {
            block.push_str(line);
            block.push('\n');
            if line.starts_with("-----END ") {
                return Some(std::mem::take(block));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::test_keys::{
        OTHER_TEST_CERTIFICATE, OTHER_TEST_KEY, TEST_CERTIFICATE, TEST_KEY,
    };
    use super::*;

    fn key(pem: &str) -> PrivateKey {
        PrivateKey::from_pem(pem).expect("a private key")
    }

    fn certificate(pem: &str) -> Certificate {
        Certificate::from_pem(pem).expect("a certificate")
    }

    fn encrypted(text: &[u8]) -> Vec<u8> {
        encrypt(text, &certificate(TEST_CERTIFICATE)).expect("a key that is long enough")
    }

    #[track_caller]
    fn check(message: &[u8], expected: Result<&[u8], &str>) {
        let found = decrypt(message, &key(TEST_KEY), &certificate(TEST_CERTIFICATE));
        assert_eq!(found, expected.map(<[u8]>::to_vec));
    }

    #[test]
    fn texts_of_any_length_come_back() {
        for length in [0, 1, 15, 16, 17, 5 * 1024, 100_000] {
            let text: Vec<u8> = (0..=250).cycle().take(length).collect();
            check(&encrypted(&text), Ok(&text));
        }
    }

    #[test]
    fn two_messages_with_one_text_differ() {
        assert_ne!(encrypted(b"text"), encrypted(b"text"));
    }

    #[test]
    fn damage_is_named_as_openssl_names_it() {
        let message = encrypted(b"text");
        for length in 0..message.len() {
            check(&message[..length], Err(NOT_PARSED));
        }
        check(b"no message at all", Err(NOT_PARSED));
        let mut damaged = message.clone();
        // The last byte of the initialization vector, before the tag, the length and the only block of the text. This changes
        // the length of the padding, but not its bytes: that is always an error.
        let at = damaged.len() - 16 - 2 - 1;
        damaged[at] ^= 1;
        check(&damaged, Err(BAD_DECRYPT));
        let mut behind = message;
        behind.extend_from_slice(b"more");
        check(&behind, Ok(b"text"));
    }

    #[test]
    fn keys_must_belong_together_and_to_the_message() {
        let message = encrypted(b"text");
        let (other_key, other) = (key(OTHER_TEST_KEY), certificate(OTHER_TEST_CERTIFICATE));
        assert_eq!(decrypt(&message, &other_key, &other), Err(BAD_DECRYPT));
        assert_eq!(decrypt(&message, &key(TEST_KEY), &other), Err(NOT_FOR_THIS_KEY));
        assert_eq!(
            decrypt(&message, &other_key, &certificate(TEST_CERTIFICATE)),
            Err(NOT_FOR_THIS_KEY)
        );
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "hello", TEST_CERTIFICATE] {
            assert_eq!(PrivateKey::from_pem(text).expect_err("no key"), NO_PRIVATE_KEY);
        }
        for text in ["", "hello", TEST_KEY] {
            assert_eq!(Certificate::from_pem(text).expect_err("no certificate"), NO_CERTIFICATE);
        }
        let padded = format!("some words\n{}\n", TEST_KEY.replace('\n', "\r\n"));
        assert!(PrivateKey::from_pem(&padded).is_ok());
    }

    #[test]
    fn a_private_key_is_not_shown() {
        assert_eq!(format!("{:?}", key(TEST_KEY)), "PrivateKey");
    }
}
