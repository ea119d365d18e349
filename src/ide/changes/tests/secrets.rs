//! Texts of changes never show what is a secret on one side.

use super::*;

const SENSITIVE: &str = "lookup_options: {pw: {convert_to: Sensitive}}\n";

/// Checks both directions: what becomes readable, and what was.
#[track_caller]
fn check_hidden(data: &str, lost: [&str; 2], won: [&str; 2]) {
    let sensitive = format!("{SENSITIVE}{data}");
    assert_eq!(shown(&sensitive, data), lost);
    assert_eq!(shown(data, &sensitive), won);
}

#[test]
fn what_is_sensitive_on_one_side_is_shown_on_neither() {
    let [mark, no_longer] = ["Sensitive [value redacted]", "no longer Sensitive (not shown)"];
    let not_yet = "not yet Sensitive (not shown)";
    let data = "pw: TOPSECRET\nuse: \"x %{lookup('pw')} y\"\n";
    check_hidden(
        data,
        [&format!("pw: {mark} -> {no_longer}"), &format!("use: x {mark} y -> {no_longer}")],
        [&format!("pw: {not_yet} -> {mark}"), &format!("use: {not_yet} -> x {mark} y")],
    );
    // In a list and a hash, what contains no secret is shown.
    let data = "pw: {user: root, pin: 123456}\nuse: [{a: \"%{lookup('pw.pin')}\", b: 1}, 2]\n";
    check_hidden(
        data,
        [
            &format!("pw: {mark} -> {no_longer}"),
            &format!("use: - a: {mark}\n  b: 1\n- 2 -> - a: {no_longer}\n  b: 1\n- 2"),
        ],
        [
            &format!("pw: {not_yet} -> {mark}"),
            &format!("use: - a: {not_yet}\n  b: 1\n- 2 -> - a: {mark}\n  b: 1\n- 2"),
        ],
    );
}

#[test]
fn other_texts_with_a_secret_are_not_shown_either() {
    let before = format!("{SENSITIVE}pw: TOPSECRET\nuse: [1]\n");
    let after = "pw: other\nuse: [1, 'the TOPSECRET']\nnew: 2\n";
    let expected = [
        "new: (not found) -> 2",
        "pw: Sensitive [value redacted] -> no longer Sensitive (not shown)",
        "use: - 1 -> - 1\n- contains a Sensitive value (not shown)",
    ];
    assert_eq!(shown(&before, after), expected);
    let after = before.replace("Sensitive}", "Integer}");
    let expected =
        "pw: Sensitive [value redacted] -> (error: the message contains a secret and is not shown)";
    assert_eq!(shown(&before, &after), [expected]);
}

#[test]
fn what_is_encrypted_on_one_side_is_shown_on_neither() {
    let (encrypted, plain) = ("pw: ENC[PKCS7,b25l]\n", "pw: hunter2\n");
    let mark = "ENC[…] (encrypted, not shown)";
    let expected = format!("pw: {mark} -> no longer encrypted (not shown)");
    assert_eq!(shown(encrypted, plain), [expected]);
    let expected = format!("pw: not yet encrypted (not shown) -> {mark}");
    assert_eq!(shown(plain, encrypted), [expected]);
    let list = "pw: [hunter2, 'ENC[PKCS7,b25l]']\n";
    let expected = format!("pw: {mark} -> - no longer encrypted (not shown)\n- {mark}");
    assert_eq!(shown(encrypted, list), [expected]);
    let expected = format!("pw: {mark} -> now Sensitive (not shown)");
    assert_eq!(shown(encrypted, &[SENSITIVE, encrypted].concat()), [expected]);
}

#[test]
fn a_secret_that_became_another_one_is_marked() {
    let encrypted =
        |pin: &str, port: u16| format!("pw: {{pin: 'ENC[PKCS7,{pin}]', port: {port}}}\n");
    let (mark, another) = ("ENC[…] (encrypted, not shown)", "another encrypted value (not shown)");
    let expected = format!("pw: pin: {mark}\nport: 1 -> pin: {another}\nport: 2");
    assert_eq!(shown(&encrypted("b25l", 1), &encrypted("dHdv", 2)), [expected]);
    let expected = format!("pw: pin: {mark}\nport: 1 -> pin: {mark}\nport: 2");
    assert_eq!(shown(&encrypted("b25l", 1), &encrypted("b25l", 2)), [expected]);
    let sensitive = |pw: &str| format!("{SENSITIVE}pw: {pw}\n");
    let expected = "pw: Sensitive [value redacted] -> another Sensitive value (not shown)";
    assert_eq!(shown(&sensitive("one"), &sensitive("two")), [expected]);
    // Of lists of different lengths, no item is at the place of another one.
    let expected = format!("pw: - {mark} -> - {mark}\n- {another}");
    let [one, both] = ["'ENC[PKCS7,b25l]'", "'ENC[PKCS7,b25l]', 'ENC[PKCS7,dHdv]'"];
    assert_eq!(shown(&format!("pw: [{one}]\n"), &format!("pw: [{both}]\n")), [expected]);
}

#[test]
fn secrets_are_not_shown() {
    let world = edited(PATH, &COMMON.replace("b25l", "dHdv")).snapshot();
    let found = of(&world, &question());
    assert!(found.summary.starts_with("3 of 3 nodes change"), "{}", found.summary);
    assert!(!found.preview.text.contains("b25l") && !found.preview.text.contains("dHdv"));
}
