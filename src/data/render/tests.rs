//! Values as text; the expected results are Ruby's.

use super::*;
use crate::data::value::{Hash, Located};

fn text(text: &str) -> Value {
    Value::string(text)
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::array(items.into_iter().map(Into::into).collect())
}

fn hash(members: impl IntoIterator<Item = (Value, Value)>) -> Value {
    let mut hash = Hash::new();
    members.into_iter().for_each(|(key, value)| hash.insert(key, None, value.into()));
    Value::hash(hash)
}

fn secret() -> Value {
    Value::Sensitive(std::sync::Arc::new(Located::from(text("secret"))))
}

fn check_yaml(value: &Value, expected: &str) {
    assert_eq!(to_yaml(value), expected);
}

fn check_yaml_text(plain: &str, expected: &str) {
    check_yaml(&text(plain), &format!("--- {expected}\n"));
}

#[test]
fn scalars_as_yaml() {
    check_yaml(&Value::Undef, "---\n");
    check_yaml(&Value::Integer(1), "--- 1\n");
    check_yaml(&Value::Float(1e20), "--- 1.0e+20\n");
    check_yaml(&Value::Float(f64::NEG_INFINITY), "--- -.inf\n");
    check_yaml(&Value::Boolean(true), "--- true\n");
    check_yaml(&Value::Default, "--- :default\n");
}

#[test]
fn strings_that_would_read_as_something_else_are_quoted() {
    check_yaml_text("x", "x");
    check_yaml_text("yes", "'yes'");
    check_yaml_text("y", "\"y\"");
    check_yaml_text("1", "'1'");
    check_yaml_text("1.5", "'1.5'");
    check_yaml_text("08", "'08'");
    check_yaml_text("22:30", "'22:30'");
    check_yaml_text("2020-01-31", "'2020-01-31'");
    check_yaml_text("2020-02-31", "2020-02-31");
    check_yaml_text("", "''");
    check_yaml_text("null", "'null'");
    check_yaml_text("/x", "\"/x\"");
    check_yaml_text("a: b", "'a: b'");
    check_yaml_text("%{x}", "\"%{x}\"");
    check_yaml_text("<<", "!!str '<<'");
    check_yaml_text("😀", "\"\\U0001F600\"");
    check_yaml_text("it's", "it's");
}

#[test]
fn long_and_multi_line_strings() {
    check_yaml_text("a\nb", "|-\n  a\n  b");
    check_yaml_text("a\nb\n", "|\n  a\n  b");
    check_yaml_text("a\n", "'a\n\n  '");
    let words = "word ".repeat(20) + "end";
    let folded = format!("{}word\n  word word word word end", "word ".repeat(15));
    check_yaml_text(&words, &folded);
}

#[test]
fn collections_as_yaml() {
    check_yaml(&list([]), "--- []\n");
    check_yaml(&hash([]), "--- {}\n");
    check_yaml(
        &list([Value::Integer(1), list([Value::Integer(2)]), hash([(text("a"), Value::Undef)])]),
        "---\n- 1\n- - 2\n- a:\n",
    );
    check_yaml(
        &hash([
            (text("x"), list([text("a")])),
            (Value::Integer(1), hash([(text("b"), text("l1\nl2"))])),
            (Value::Undef, Value::Integer(2)),
        ]),
        "---\nx:\n- a\n1:\n  b: |-\n    l1\n    l2\n! '': 2\n",
    );
}

#[test]
fn secrets_are_redacted() {
    check_yaml(&hash([(text("a"), secret())]), "---\na: Sensitive [value redacted]\n");
    assert_eq!(to_json(&list([secret()])), r#"["Sensitive [value redacted]"]"#);
    assert_eq!(to_ruby_s(&secret()), "Sensitive [value redacted]");
}

#[test]
fn json_has_no_blanks() {
    let value = hash([
        (text("a\n"), list([Value::Undef, Value::Float(1e20), text("é\"/\u{1}")])),
        (Value::Integer(1), Value::Symbol("s".into())),
    ]);
    assert_eq!(to_json(&value), r#"{"a\n":[null,1.0e+20,"é\"/\u0001"],"1":"s"}"#);
}

#[test]
fn json_lines_lose_nothing() {
    let value = hash([(Value::Integer(1), secret())]);
    let expected = serde_json::json!({
        "__ptype": "Hash",
        "pairs": [[1, {"__ptype": "Sensitive", "value": "secret"}]],
    });
    assert_eq!(to_exact_json(&value), expected);
    let nan = serde_json::json!({"__ptype": "Float", "value": "NaN"});
    assert_eq!(to_exact_json(&Value::Float(f64::NAN)), nan);
}

#[test]
fn encrypted_texts_are_found_anywhere() {
    assert!(has_encrypted_text(&list([hash([(text("a"), text("x ENC[PKCS7,abc]"))])])));
    assert!(!has_encrypted_text(&text("ENC[")));
}
