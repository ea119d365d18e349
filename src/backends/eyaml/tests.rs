//! Values with blobs, and keys that exist, are missing, or are wrong.

use super::test_keys::{
    OTHER_TEST_CERTIFICATE, OTHER_TEST_KEY, TEST_BLOB, TEST_CERTIFICATE, TEST_KEY,
};
use super::*;
use crate::data::{Hash, MemoryFiles};

const OPTIONS: &str =
    "pkcs7_private_key: keys/private.pem\npkcs7_public_key: /env/keys/public.pem\n";

fn files() -> MemoryFiles {
    MemoryFiles::new([
        ("/env/keys/private.pem", TEST_KEY),
        ("/env/keys/public.pem", TEST_CERTIFICATE),
        ("/env/keys/other_private.pem", OTHER_TEST_KEY),
        ("/env/keys/other_public.pem", OTHER_TEST_CERTIFICATE),
        ("/env/keys/junk.pem", "junk\n"),
    ])
}

fn as_puppet() -> Eyaml {
    Eyaml { decryption: Decryption::AsPuppet, ..Eyaml::default() }
}

fn options(yaml: &str) -> Arc<Hash> {
    match crate::facts::formats::read_yaml(yaml).expect("the options are YAML").value {
        Value::Hash(hash) => hash,
        _ => Arc::default(),
    }
}

fn plain_text(eyaml: &Eyaml, yaml: &str, text: &str) -> Result<Option<Value>, DecryptionFailure> {
    let options = options(yaml);
    let keys = LevelKeys { options: &options, directory: "/env" };
    eyaml.plain_text(&files(), &keys, &text.replace("BLOB", TEST_BLOB.trim()))
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(plain_text(&as_puppet(), OPTIONS, text), Ok(Some(Value::string(expected))));
}

#[track_caller]
fn check_failure(yaml: &str, text: &str, expected: &str) {
    let found = plain_text(&as_puppet(), yaml, text);
    assert_eq!(found, Err(DecryptionFailure::Failed(expected.to_owned())));
}

#[test]
fn blobs_by_hiera_eyaml_are_decrypted_anywhere() {
    check("BLOB", "a secret");
    check("é: BLOB, BLOB", "é: a secret, a secret");
    check("BLOB\n\n", "a secret\n");
    check("BLOB\r\n", "a secret");
    let wrapped = TEST_BLOB.trim().replace("MII", "\nM I I") + "ENC[]";
    check(&wrapped, "a secretENC[]");
    check(&TEST_BLOB.trim().replace("PKCS7,", ""), "a secret");
    check(&TEST_BLOB.trim().replace("PKCS7", "pkcs7"), "a secret");
}

#[test]
fn what_is_no_blob_stays_but_for_its_line_end() {
    check("ENC[PKCS7,a-b]\n", "ENC[PKCS7,a-b]");
    assert_eq!(plain_text(&as_puppet(), OPTIONS, "plain\n"), Ok(None));
    assert_eq!(plain_text(&as_puppet(), "", "ENC[PKCS7,ab\ncd]\n"), Ok(None));
}

#[test]
fn failures_are_worded_as_puppet_words_them() {
    check_failure("{}", "BLOB", "pkcs7_public_key is not defined");
    check_failure("pkcs7_public_key: x", "BLOB", "pkcs7_private_key is not defined");
    check_failure(
        "{pkcs7_private_key: ./nope.pem, pkcs7_public_key: x}",
        "BLOB",
        "No such file or directory @ rb_sysopen - ./nope.pem",
    );
    check_failure(
        "{pkcs7_private_key: keys/private.pem, pkcs7_public_key: /nope.pem}",
        "BLOB",
        "No such file or directory @ rb_sysopen - /nope.pem",
    );
    check_failure(
        "{pkcs7_private_key: keys, pkcs7_public_key: x}",
        "BLOB",
        "Is a directory @ io_fread - keys",
    );
    check_failure(
        "{pkcs7_private_key: 3, pkcs7_public_key: x}",
        "BLOB",
        "no implicit conversion of Integer into String",
    );
    check_failure(
        "{pkcs7_private_key: keys/junk.pem, pkcs7_public_key: keys/public.pem}",
        "BLOB",
        "Neither PUB key nor PRIV key: unsupported",
    );
    check_failure(
        "{pkcs7_private_key: keys/private.pem, pkcs7_public_key: keys/junk.pem}",
        "BLOB",
        "PEM_read_bio_X509: no start line",
    );
    check_failure(
        "{pkcs7_private_key: keys/private.pem, pkcs7_public_key: keys/other_public.pem}",
        "BLOB",
        "private key does not match certificate",
    );
    check_failure(
        "{pkcs7_private_key: keys/other_private.pem, pkcs7_public_key: keys/other_public.pem}",
        "BLOB",
        "bad decrypt",
    );
    let truncated = format!("{}]", &TEST_BLOB[..200]);
    check_failure(OPTIONS, &truncated, "Could not parse the PKCS7: no start line");
    check_failure(OPTIONS, "ENC[PKCS7, ]", "undefined method `[]' for nil:NilClass");
}

#[test]
fn other_methods_are_named() {
    let refused = |text| plain_text(&as_puppet(), OPTIONS, text).expect_err("no PKCS7");
    let message = "eyaml's method GPG is not supported here, only PKCS7 is".to_owned();
    assert_eq!(refused("ENC[GPG,abcd]"), DecryptionFailure::Unsupported(message));
    let message = "cannot load such file -- hiera/backend/eyaml/encryptors/foo".to_owned();
    assert_eq!(refused("ENC[Foo,abcd]"), DecryptionFailure::UnknownMethod(message));
}

#[test]
fn variables_of_the_environment_win_over_paths() {
    struct WithVariable(MemoryFiles);
    impl Files for WithVariable {
        fn kind(&self, path: &str) -> crate::data::PathKind {
            self.0.kind(path)
        }
        fn list(&self, directory: &str) -> Arc<[crate::data::DirItem]> {
            self.0.list(directory)
        }
        fn text(&self, path: &str) -> Result<Arc<str>, String> {
            self.0.text(path)
        }
        fn data(
            &self,
            path: &str,
            format: crate::data::Format,
        ) -> Result<Arc<crate::data::DataFile>, String> {
            self.0.data(path, format)
        }
        fn id(&self, path: &str) -> crate::data::FileId {
            self.0.id(path)
        }
        fn path(&self, file: crate::data::FileId) -> Arc<str> {
            self.0.path(file)
        }
        fn environment_variable(&self, name: &str) -> Option<Arc<str>> {
            match name {
                "KEY" => Some(TEST_KEY.into()),
                "CERTIFICATE" => Some(TEST_CERTIFICATE.into()),
                _ => None,
            }
        }
    }
    let check = |yaml: &str, expected: Result<&str, &str>| {
        let options = options(yaml);
        let keys = LevelKeys { options: &options, directory: "/env" };
        let found = as_puppet().plain_text(&WithVariable(files()), &keys, TEST_BLOB.trim());
        let expected = expected
            .map(|text| Some(Value::string(text)))
            .map_err(|message| DecryptionFailure::Failed(message.to_owned()));
        assert_eq!(found, expected);
    };
    check(
        "{pkcs7_private_key_env_var: KEY, pkcs7_public_key_env_var: CERTIFICATE}",
        Ok("a secret"),
    );
    check(
        "{pkcs7_private_key: nope, pkcs7_private_key_env_var: KEY, pkcs7_public_key: keys/public.pem}",
        Ok("a secret"),
    );
    check(
        "{pkcs7_private_key: keys/private.pem, pkcs7_private_key_env_var: NOPE, pkcs7_public_key: keys/public.pem}",
        Ok("a secret"),
    );
    check(
        "{pkcs7_private_key_env_var: NOPE, pkcs7_public_key_env_var: CERTIFICATE}",
        Err("no implicit conversion of nil into String"),
    );
}

#[test]
fn without_readable_keys_the_value_is_kept() {
    let eyaml = Eyaml { decryption: Decryption::WhereKeysAreReadable, ..Eyaml::default() };
    let kept = |yaml| plain_text(&eyaml, yaml, "BLOB");
    assert_eq!(kept("{}"), Err(DecryptionFailure::Kept));
    assert_eq!(
        kept("{pkcs7_private_key: nope, pkcs7_public_key: nope}"),
        Err(DecryptionFailure::Kept)
    );
    assert_eq!(kept(OPTIONS), Ok(Some(Value::string("a secret"))));
    assert_eq!(plain_text(&eyaml, OPTIONS, "ENC[GPG,abcd]"), Err(DecryptionFailure::Kept));
    assert_eq!(plain_text(&Eyaml::default(), OPTIONS, "BLOB"), Ok(None));
}

#[test]
fn settings_say_where_keys_are_that_the_level_cannot_read() {
    let eyaml = Eyaml {
        private_key: Some("/env/keys/private.pem".into()),
        public_key: Some("/env/keys/public.pem".into()),
        ..as_puppet()
    };
    let secret = Ok(Some(Value::string("a secret")));
    assert_eq!(plain_text(&eyaml, "{}", "BLOB"), secret);
    let nowhere = "{pkcs7_private_key: /etc/x.pem, pkcs7_public_key: /etc/y.pem}";
    assert_eq!(plain_text(&eyaml, nowhere, "BLOB"), secret);
}

#[test]
fn refused_is_refused_even_with_the_keys() {
    let eyaml = Eyaml { decryption: Decryption::Refused, ..Eyaml::default() };
    let refused = Err(DecryptionFailure::Failed("decryption was not asked for".to_owned()));
    assert_eq!(plain_text(&eyaml, OPTIONS, "BLOB"), refused);
    assert_eq!(plain_text(&eyaml, OPTIONS, "plain"), Ok(None));
}
