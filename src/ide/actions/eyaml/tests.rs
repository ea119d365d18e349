//! Encryption does not change the value that a lookup returns, and unchanged secrets keep their encrypted text.

use super::secrets::{SecretAction, secret_actions, secret_edit};
use super::*;
use crate::backends::eyaml::Decryption;
use crate::backends::eyaml::test_keys::{TEST_BLOB, TEST_CERTIFICATE, TEST_KEY};
use crate::data::inspect;
use crate::engine::CancelToken;
use crate::ide::actions::actions;
use crate::ide::edits::FileChange;
use crate::settings::Settings;
use crate::text::apply_edits;
use crate::world::{Change, Host, MemoryDisk};
use std::sync::Arc;

const PATH: &str = "/r/data/secrets.eyaml";
const TITLE: &str = "Encrypt this value with the key of level \"Secrets\"";
const PART_TITLE: &str = "Encrypt the selection with the key of level \"Secrets\"";
const HIERA_YAML: &str = "version: 5
hierarchy:
  - {name: Secrets, path: secrets.eyaml, lookup_key: eyaml_lookup_key, options: {pkcs7_private_key: k/private.pem, pkcs7_public_key: k/public.pem}}
  - {name: Plain, path: plain.yaml}
";

/// A workspace whose file of secrets has these texts on disk and in an editor.
fn host(on_disk: &str, in_editor: &str, decrypt: bool) -> Host {
    let files = [
        ("/r/hiera.yaml", HIERA_YAML),
        ("/r/k/private.pem", TEST_KEY),
        ("/r/k/public.pem", TEST_CERTIFICATE),
        ("/r/data/plain.yaml", "b: 1\n"),
        (PATH, on_disk),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/r".into()]));
    let settings =
        format!("eyaml: {{decrypt: {decrypt}}}\nnodes: {{web01: {{facts: {{a: 1}}}}}}\n");
    let (settings, problems) = Settings::read(Some(&settings), None, &[]);
    assert_eq!(problems, []);
    host.apply(Change::Settings(settings));
    show(&mut host, in_editor);
    host
}

fn show(host: &mut Host, text: &str) {
    let (path, text) = (PATH.to_owned(), text.to_owned());
    host.apply(Change::OpenBuffer { path, text, version: 1 });
}

/// A text without its `$0` and `$1`, and the selection between them.
fn selection(marked: &str) -> (String, TextRange) {
    let start = marked.find("$0").expect("the text has a $0") as u32;
    let text = marked.replacen("$0", "", 1);
    let end = text.find("$1").map_or(start, |it| it as u32);
    (text.replacen("$1", "", 1), TextRange::new(start, end))
}

fn offered(host: &Host, path: &str, range: TextRange) -> Vec<Action> {
    let rewrite = [ActionKind::RefactorRewrite];
    let all = actions(&host.snapshot(), path, range, &rewrite, &CancelToken::default());
    all.into_iter().filter(|it| it.title.starts_with("Encrypt")).collect()
}

fn applied(text: &str, edit: &FileEdit) -> String {
    let FileChange::Edit(edits) = &edit.change else { panic!("no edit") };
    apply_edits(text, edits)
}

/// The value of `a` for a user who has the key.
fn looked_up(host: &Host) -> String {
    let world = host.snapshot();
    let environment = world.environment_of(PATH).expect("an environment");
    let node = world.active_node(&environment);
    let evaluator = world.new_evaluator(&environment, &node);
    let back_ends = evaluator.back_ends().with_eyaml(world.eyaml(Decryption::AsPuppet));
    let evaluator = evaluator.with_back_ends(Arc::new(back_ends));
    let value = evaluator.lookup("a").outcome.expect("no failure").expect("it is found").value;
    inspect::inspect(&value)
}

/// The action is offered, hides the text, and does not change a lookup of `a`; `shape` is the result with `ENC` for each
/// blob.
#[track_caller]
fn check_encrypts(marked: &str, title: &str, shape: &str) {
    let (text, range) = selection(marked);
    let mut host = host("", &text, false);
    let before = looked_up(&host);
    let found = offered(&host, PATH, range);
    let titles: Vec<_> = found.iter().map(|it| &*it.title).collect();
    assert_eq!(titles, [title], "{marked}");
    let after = applied(&text, &found[0].edits[0]);
    let mut shown = after.clone();
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    assert_eq!(after.matches(line_end).count(), after.matches('\n').count());
    for part in edit::encrypted_parts(&after).iter().rev() {
        let end = part.range.end as usize;
        let start = after[..end].rfind("ENC[").expect("a part starts with ENC");
        shown.replace_range(start..end, "ENC");
    }
    assert_eq!(shown, shape);
    show(&mut host, &after);
    assert_eq!(looked_up(&host), before);
}

#[track_caller]
fn check_not_offered(path: &str, marked: &str) {
    let (text, range) = selection(marked);
    let mut host = host("", "", false);
    let (path, version) = (path.to_owned(), 1);
    host.apply(Change::OpenBuffer { path: path.clone(), text, version });
    assert_eq!(offered(&host, &path, range), [], "{marked}");
}

#[test]
fn values_are_encrypted_as_they_were_written() {
    check_encrypts("a: se$0cret # why\n", TITLE, "a: ENC # why\n");
    check_encrypts("b: 1\na: $0'it''s'\n", TITLE, "b: 1\na: 'ENC'\n");
    check_encrypts("a: \"two\\nlines\\n$0\"\n", TITLE, "a: \"ENC\"\n");
    check_encrypts("a: \"\\r$0\"\n", TITLE, "a: \"ENC\"\n");
    check_encrypts("a: {x: [s$0, t], y: u}\n", TITLE, "a: {x: ['ENC', t], y: u}\n");
    check_encrypts("a:\n  - x\n  - y$0\n", TITLE, "a:\n  - x\n  - ENC\n");
    check_encrypts("a: |\n  one$0\n  two\nb: 1\n", TITLE, "a: >\n  ENC\nb: 1\n");
    check_encrypts("a:\n  - >-\n     one$0\n     two\n\n", TITLE, "a:\n  - >\n     ENC\n\n");
    check_encrypts("a: \"größer ✓$0\"\n", TITLE, "a: \"ENC\"\n");
    let lines = "a: |\r\n  one$0\r\n  two\r\nb: 1\r\n";
    check_encrypts(lines, TITLE, "a: >\r\n  ENC\r\nb: 1\r\n");
    let long = "x".repeat(5 * 1024);
    check_encrypts(&format!("a: {long}$0\n"), TITLE, "a: ENC\n");
}

#[test]
fn a_part_of_a_text_is_encrypted_alone() {
    check_encrypts("a: user:$0pass$1@host\n", PART_TITLE, "a: user:ENC@host\n");
    check_encrypts("a: ['x $0y$1']\n", PART_TITLE, "a: ['x ENC']\n");
}

#[test]
fn what_is_not_offered() {
    check_not_offered(PATH, "a$0: secret\n");
    check_not_offered(PATH, "a: ENC[PKCS7,ab$0]\n");
    check_not_offered(PATH, "a: $0''\n");
    check_not_offered(PATH, "a: nu$0ll\n");
    check_not_offered(PATH, "a: [~$0]\n");
    check_not_offered(PATH, "a: !!binary x$0\n");
    check_not_offered(PATH, "a: [x $0y$1 z]\n");
    check_not_offered(PATH, "a: \"x\\n$0y$1\"\n");
    check_not_offered("/r/data/plain.yaml", "a: secret$0\n");
}

fn secret(host: &Host, range: TextRange) -> Vec<SecretAction> {
    secret_actions(&host.snapshot(), PATH, range)
}

fn decrypted(host: &Host, text: &str, range: TextRange, action: SecretAction) -> String {
    let edit = secret_edit(&host.snapshot(), PATH, range, action).expect("it can be decrypted");
    applied(text, &edit)
}

/// Replaces `BLOB` with a blob that contains `a secret`.
fn with_blob(text: &str) -> String {
    text.replace("BLOB", TEST_BLOB.trim())
}

#[track_caller]
fn check_decrypts(marked: &str, action: SecretAction, expected: &str) {
    let (text, range) = selection(&with_blob(marked));
    let host = host(&text, &text, true);
    assert!(secret(&host, range).contains(&action), "{marked}");
    assert_eq!(decrypted(&host, &text, range, action), with_blob(expected));
}

#[test]
fn blobs_are_decrypted_in_place() {
    use SecretAction::{AllForEdit, ForEdit, ToText};
    check_decrypts("a: $0BLOB\nb: BLOB\n", ForEdit, "a: DEC(1)::PKCS7[a secret]!\nb: BLOB\n");
    check_decrypts(
        "a: BLOB\nb: 'x BLOB$0'\n",
        ForEdit,
        "a: BLOB\nb: 'x DEC(3)::PKCS7[a secret]!'\n",
    );
    check_decrypts(
        "a: BLOB\nb: >\n  BLOB$0\n",
        AllForEdit,
        "a: DEC(1)::PKCS7[a secret]!\nb: >\n  DEC(3)::PKCS7[a secret]!\n",
    );
    check_decrypts(
        "a: >\r\n  BLOB$0\r\nb: 1\r\n",
        ForEdit,
        "a: >\r\n  DEC(1)::PKCS7[a secret]!\r\nb: 1\r\n",
    );
    check_decrypts("a: >\r\n  BLOB$0\r\nb: 1\r\n", ToText, "a: 'a secret'\r\nb: 1\r\n");
    check_decrypts("a: $0BLOB # x\n", ToText, "a: 'a secret' # x\n");
    check_decrypts("a: ['BLOB$0', \"BLOB\"]\n", ToText, "a: ['a secret', \"BLOB\"]\n");
    check_decrypts("a: >\n  BLOB$0\nb: 1\n", ToText, "a: 'a secret'\nb: 1\n");
}

#[test]
fn nothing_is_decrypted_without_the_setting() {
    let (text, range) = selection(&with_blob("a: BLOB$0\n"));
    let host = host(&text, &text, false);
    assert_eq!(secret(&host, range), []);
    for (_, action) in SecretAction::NAMES {
        assert_eq!(secret_edit(&host.snapshot(), PATH, range, action), None);
    }
}

#[test]
fn what_was_not_edited_keeps_its_blob() {
    let all = "Encrypt all decrypted values of this file again";
    let (before, start) = (with_blob("a: BLOB\nb: >\n  BLOB\nc: 1\n"), TextRange::empty(5));
    let mut host = host(&before, &before, true);
    let open = decrypted(&host, &before, start, SecretAction::AllForEdit);
    let edited = open.replace("c: 1", "c: DEC::PKCS7[new]!").replacen("a secret", "edited", 1);
    show(&mut host, &edited);
    let found = offered(&host, PATH, TextRange::empty(5));
    let titles: Vec<_> = found.iter().map(|it| &*it.title).collect();
    assert_eq!(titles, ["Encrypt this value again", all]);
    let after = applied(&edited, &found[1].edits[0]);
    show(&mut host, &after);
    assert_eq!(looked_up(&host), "\"edited\"");
    let parts = edit::encrypted_parts(&after);
    let same = edit::encrypted_parts(&before)[1].cipher_without_blanks();
    assert_eq!(parts.len(), 3, "{after}");
    assert_eq!(parts[1].cipher_without_blanks(), same);
    assert_ne!(parts[0].cipher_without_blanks(), same);
}

#[test]
fn new_values_need_the_public_key_alone() {
    let text = "a: DEC::PKCS7[two\nlines]! x\n";
    let mut host = host("", text, false);
    let found = offered(&host, PATH, TextRange::empty(4));
    let after = applied(text, &found[0].edits[0]);
    show(&mut host, &after);
    assert_eq!(looked_up(&host), "\"two\\nlines x\"");
    let elsewhere = offered(&host, PATH, TextRange::empty(0));
    assert_eq!(elsewhere, [], "nothing is decrypted any more");
}
