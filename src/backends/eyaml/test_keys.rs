//! Key pairs that were created by `eyaml createkeys` only for these tests.

pub(crate) const TEST_KEY: &str =
    include_str!("../../../tests/eyaml/TEST-ONLY-private_key.pkcs7.pem");
pub(crate) const TEST_CERTIFICATE: &str =
    include_str!("../../../tests/eyaml/TEST-ONLY-public_key.pkcs7.pem");
pub(crate) const OTHER_TEST_KEY: &str =
    include_str!("../../../tests/eyaml/TEST-ONLY-other-private_key.pkcs7.pem");
pub(crate) const OTHER_TEST_CERTIFICATE: &str =
    include_str!("../../../tests/eyaml/TEST-ONLY-other-public_key.pkcs7.pem");

/// `a secret`, encrypted by hiera-eyaml for [`TEST_KEY`].
pub(crate) const TEST_BLOB: &str = include_str!("../../../tests/eyaml/TEST-ONLY-blob.txt");
