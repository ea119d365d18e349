//! Values against types, with the answers of real Puppet.

use super::*;
use crate::data::value::Hash;

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::array(items.into_iter().map(Into::into).collect())
}

fn hash(members: impl IntoIterator<Item = (Value, Value)>) -> Value {
    let mut hash = Hash::new();
    members.into_iter().for_each(|(key, value)| hash.insert(key, None, value.into()));
    Value::hash(hash)
}

fn text(text: &str) -> Value {
    Value::string(text)
}

fn symbol() -> Value {
    Value::Symbol("sym".into())
}

fn check_in_full(value: &Value, brief: &str, full: &str) {
    assert_eq!((infer(value).as_str(), infer_in_full(value).as_str()), (brief, full));
}

fn check_lookup(value: &Value, got: Option<&str>) {
    assert_eq!(check_lookup_value(value).as_deref(), got);
}

fn check(type_text: &str, value: &Value, message: &str) {
    let expected = match message {
        "" => Ok(()),
        _ => Err(TypeProblem::Invalid(format!("Found value has wrong type, {message}"))),
    };
    assert_eq!(check_type(type_text, None, "Found value", value), expected, "{type_text}");
}

#[test]
fn types_of_values() {
    check_in_full(&Value::Undef, "Undef", "Undef");
    check_in_full(&text("a"), "String", "String");
    check_in_full(&Value::Integer(3), "Integer", "Integer[3, 3]");
    check_in_full(&list([]), "Array", "Array[0, 0]");
    check_in_full(&hash([]), "Hash", "Hash[0, 0]");
    check_in_full(&list([text("a"), Value::Integer(1)]), "Tuple", "Array[ScalarData, 2, 2]");
    check_in_full(
        &hash([(text("b"), text("x")), (text("a"), Value::Boolean(true))]),
        "Struct",
        "Hash[Enum['a', 'b'], ScalarData, 2, 2]",
    );
}

#[test]
fn lookup_refuses_symbols_and_odd_keys() {
    check_lookup(&list([text("a"), hash([(Value::Integer(1), Value::Undef)])]), None);
    check_lookup(&symbol(), Some("Runtime[ruby, 'Symbol']"));
    check_lookup(
        &hash([(text("a"), symbol())]),
        Some("Hash[String, Runtime[ruby, 'Symbol'], 1, 1]"),
    );
    check_lookup(
        &hash([(Value::Boolean(true), Value::Integer(2))]),
        Some("Hash[Boolean[true], Integer[2, 2], 1, 1]"),
    );
    check_lookup(
        &hash([(Value::Undef, Value::Integer(1))]),
        Some("Hash[Undef, Integer[1, 1], 1, 1]"),
    );
}

#[test]
fn data_has_string_keys() {
    assert!(is_data(&hash([(text("a"), list([Value::Undef, Value::Float(1.0)]))])));
    assert!(!is_data(&hash([(Value::Integer(1), Value::Integer(1))])));
    assert!(!is_data(&Value::Default));
}

#[test]
fn simple_types() {
    check("String", &text("a"), "");
    check("String", &Value::Undef, "expects a String value, got Undef");
    check("Integer[0, 3]", &Value::Integer(9), "expects an Integer[0, 3] value, got Integer[9, 9]");
    check("Integer", &text("9"), "expects an Integer value, got String");
    check("Numeric", &Value::Float(1.5), "");
    check("Optional[Integer]", &text("x"), "expects a value of type Undef or Integer, got String");
    check("Variant[Integer, Boolean]", &Value::Integer(1), "");
    check(
        "Variant[Integer, Array]",
        &text("x"),
        "expects a value of type Integer or Array, got String",
    );
    check("Enum[a, b]", &text("c"), "expects a match for Enum['a', 'b'], got 'c'");
    check("Enum['A', true]", &text("a"), "");
    check("Pattern[/^a/]", &text("b"), "expects a match for Pattern[/^a/], got 'b'");
    check("NotUndef", &Value::Undef, "expects a NotUndef value, got Undef");
}

#[test]
fn collections() {
    let numbers = list([Value::Integer(1), text("x")]);
    check("Array[Integer]", &numbers, "index 1 expects an Integer value, got String");
    check("Array[Data, 3]", &numbers, "expects size to be at least 3, got 2");
    check("Tuple[Integer, String]", &numbers, "");
    check("Hash[String, Data]", &numbers, "expects a Hash value, got Tuple");
    check("Hash", &list([]), "expects a Hash value, got Array");
    let nested = hash([(text("x"), hash([(Value::Integer(1), Value::Integer(1))]))]);
    check("Hash[String, Data]", &nested, "entry 'x' expects a Data value, got Hash");
    let one = hash([(text("a"), Value::Integer(1))]);
    // Several problems are listed, each with a blank in front.
    let message = " Found value has wrong type, expects a value for key 'b'\n  \
                   Found value has wrong type, unrecognized key 'a'";
    assert_eq!(
        check_type("Struct[{b => String}]", None, "Found value", &one),
        Err(TypeProblem::Invalid(message.to_owned()))
    );
}

#[test]
fn types_we_do_not_know() {
    let unknown = |it: &str| matches!(parse(it), Err(TypeProblem::Unknown(_)));
    assert!(unknown("Stdlib::Port"));
    assert!(unknown("Array[Mine]"));
    assert!(unknown("String["));
    assert!(!unknown("Struct[{Optional[a] => Hash[String, Variant[Integer, Array[String, 1]]]}]"));
}

#[test]
fn not_a_number_is_not_numeric() {
    let nan = Value::Float(f64::NAN);
    check_lookup(&nan, None);
    check_lookup(&list([nan.clone()]), None);
    check_lookup(
        &hash([(nan.clone(), Value::Integer(1))]),
        Some("Hash[Float[NaN, NaN], Integer[1, 1], 1, 1]"),
    );
    check("Numeric", &nan, "expects a Numeric value, got Float");
}
