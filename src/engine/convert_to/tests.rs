//! Conversions; the expected results are those of real Puppet. Values are written as JSON.

use super::*;
use crate::data::render::to_exact_json;
use crate::data::value::Hash;

fn value(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Undef,
        Json::Bool(it) => Value::Boolean(*it),
        Json::Number(it) => {
            it.as_i64().map_or_else(|| Value::Float(it.as_f64().expect("a float")), Value::Integer)
        }
        Json::String(it) => Value::string(it.as_str()),
        Json::Array(items) => Value::array(items.iter().map(|it| value(it).into()).collect()),
        Json::Object(members) => {
            let mut hash = Hash::new();
            for (key, it) in members {
                hash.insert(Value::string(key.as_str()), None, value(it).into());
            }
            Value::hash(hash)
        }
    }
}

fn parsed(json: &str) -> Value {
    value(&serde_json::from_str(json).expect("JSON"))
}

fn converted(spec: &str, json: &str) -> Result<Value, Failure> {
    convert("k", &parsed(spec), parsed(json).unplaced()).map(|it| it.value)
}

fn check(spec: &str, json: &str, expected: &str) {
    let expected: serde_json::Value = serde_json::from_str(expected).expect("JSON");
    let got = converted(spec, json).map(|it| to_exact_json(&it));
    assert_eq!(got, Ok(expected), "{spec}: {json}");
}

fn check_text(spec: &str, json: &str, expected: &str) {
    assert_eq!(converted(spec, json), Ok(Value::string(expected)), "{spec}: {json}");
}

fn check_error(spec: &str, json: &str, message: &str) {
    let expected = format!("The convert_to lookup_option for key 'k' raised error: {message}");
    let got = converted(spec, json).map_err(|it| it.message.to_string());
    assert_eq!(got, Err(expected), "{spec}: {json}");
}

fn check_unknown(spec: &str, json: &str) {
    let class = converted(spec, json).map_err(|it| it.class);
    assert_eq!(class, Err(FailureClass::Unsupported), "{spec}: {json}");
}

#[test]
fn integers() {
    check(r#""Integer""#, r#""0x1F""#, "31");
    check(r#""Integer""#, r#""010""#, "8");
    check(r#""Integer""#, r#""- 5""#, "-5");
    check(r#""Integer""#, "-2.7", "-2");
    check(r#""Integer""#, "true", "1");
    check(r#"["Integer", 16]"#, r#""12""#, "18");
    check(r#"["Integer", 10, true]"#, r#""-12""#, "12");
    check(r#""Integer""#, r#"{"from": "5"}"#, "5");
    check(r#""Optional[Integer]""#, "null", "null");
    check_error(
        r#""Integer""#,
        r#""foo""#,
        "'new' The string 'foo' cannot be converted to Integer",
    );
    check_error(r#""Integer""#, "null", "'new' Value of type Undef cannot be converted to Integer");
    check_error(r#""Integer""#, r#""08""#, "invalid value for Integer(): \"08\"");
    check_error(
        r#""Integer[0, 3]""#,
        r#""9""#,
        "Converted value from Integer[0, 3].new() has wrong type, expects an Integer[0, 3] value, got Integer[9, 9]",
    );
    check_error(r#"["Integer", 3]"#, "1", "Illegal radix: 3, expected 2, 8, 10, 16, or default");
}

#[test]
fn floats_and_numbers() {
    check(r#""Float""#, r#""1e3""#, "1000.0");
    check(r#""Float""#, r#""010""#, "10.0");
    check(r#""Float""#, "5", "5.0");
    check(r#""Numeric""#, r#""1.5""#, "1.5");
    check(r#""Numeric""#, r#""12""#, "12");
    check_error(
        r#""Float""#,
        r#""5 ""#,
        "'new_float' The string '5 ' cannot be converted to Float",
    );
    check_error(
        r#""Numeric""#,
        "[1]",
        "'new_numeric' Value of type Array[Integer] cannot be converted to Numeric",
    );
}

#[test]
fn booleans() {
    check(r#""Boolean""#, r#""YES""#, "true");
    check(r#""Boolean""#, r#""n""#, "false");
    check(r#""Boolean""#, "0", "false");
    check_error(
        r#""Boolean""#,
        r#""on""#,
        "'new_boolean' The string 'on' cannot be converted to Boolean",
    );
}

#[test]
fn strings() {
    check_text(r#""String""#, "null", "");
    check_text(r#""String""#, "1.5", "1.500000");
    check_text(r#""String""#, r#"[1, "a", [null, true]]"#, "[1, 'a', [undef, true]]");
    check_text(r#""String""#, r#"{"a": {"b": 1.5}}"#, "{'a' => {'b' => 1.5}}");
    check_text(r#"["String", "%x"]"#, "255", "ff");
    check_text(r#"["String", "%#x"]"#, "255", "0xff");
    check_text(r#"["String", "%x"]"#, "-3", "..fd");
    check_text(r#"["String", "%05d"]"#, "-3", "-0003");
    check_text(r#"["String", "%.0d"]"#, "0.1", "");
    check_text(r#"["String", "% .0o"]"#, "0", " ");
    check_text(r#"["String", "%#.0o"]"#, "0", "0");
    check_text(r#"["String", "%8.3f"]"#, "1.5", "   1.500");
    check_text(r#"["String", "%p"]"#, r#""it's""#, "'it\\'s'");
    check_text(r#"["String", "%C"]"#, r#""a::bC""#, "A::Bc");
    check_text(r#"["String", "%y"]"#, "true", "yes");
    check_text(r#"["String", "%(a"]"#, "[1, [2]]", "(1, (2))");
    check_error(
        r#"["String", "%x"]"#,
        r#""foo""#,
        "Illegal format 'x' specified for value of String type - expected one of the characters 'cCudspt'",
    );
    check_error(
        r#"["String", "x"]"#,
        "1",
        "The format 'x' is not a valid format on the form '%<flags><width>.<prec><format>'",
    );
}

#[test]
fn collections() {
    check(r#""Array""#, r#""ab""#, r#"["a", "b"]"#);
    check(r#""Array""#, "2", "[0, 1]");
    check(r#""Array""#, r#"{"a": 1}"#, r#"[["a", 1]]"#);
    check(r#"["Array", true]"#, r#"{"a": 1}"#, r#"[{"a": 1}]"#);
    check(r#"["Array", true]"#, "[1]", "[1]");
    check(r#""Hash""#, r#"[["a", 1], ["b", 2]]"#, r#"{"a": 1, "b": 2}"#);
    check(r#""Hash""#, r#"["a", 1]"#, r#"{"a": 1}"#);
    check_error(r#""Hash""#, "[1, 2, 3]", "odd number of arguments for Hash");
    check_error(
        r#""Array""#,
        "null",
        "'new_array' Value of type Undef cannot be converted to Array",
    );
}

#[test]
fn secrets_and_bytes() {
    check(r#""Sensitive""#, r#""x""#, r#"{"__ptype": "Sensitive", "value": "x"}"#);
    check(r#""Binary""#, r#""YWJj""#, r#"{"__ptype": "Binary", "value": "YWJj"}"#);
    check(r#"["Binary", "%s"]"#, r#""abc""#, r#"{"__ptype": "Binary", "value": "YWJj"}"#);
    check_error(r#""Binary""#, r#""YWJ""#, "invalid base64");
    for (format, text, expected) in [
        ("%b", "aGVsbG8", "aGVsbG8="),
        ("%b", "a", ""),
        ("%b", "aG", "aA=="),
        ("%b", "aGVsbG8=aGVs", "aGVsbG8="),
        ("%b", "a-GVs", "aGVs"),
        ("%b", "=aGVs", "aGVs"),
        ("%b", "ab==cd", "aQ=="),
        ("%u", "aGVsbG8", "aGVsbG8="),
        ("%u", "-_+/", "+/+/"),
        ("%u", "aGVsb_8", "aGVsb/8="),
    ] {
        let expected = format!(r#"{{"__ptype": "Binary", "value": "{expected}"}}"#);
        check(&format!(r#"["Binary", "{format}"]"#), &format!(r#""{text}""#), &expected);
    }
    for text in ["aG", "a", "aG!Vs", "aGV=sbG8="] {
        check_error(r#"["Binary", "%u"]"#, &format!(r#""{text}""#), "invalid base64");
    }
}

#[test]
fn types_that_have_no_instances_to_make() {
    check(r#""Enum[a]""#, r#""a""#, r#""a""#);
    check_error(
        r#""Enum[a]""#,
        r#""b""#,
        "Creation of new instance of type 'Enum['a']' is not supported",
    );
    check_error("[]", "1", "'new' parameter 'type' expects a Type value, got Undef");
    check_error("5", "1", "'new' parameter 'type' expects a Type value, got Integer");
}

#[test]
fn invalid_types() {
    let message = converted(r#""12""#, "1").map_err(|it| it.message.to_string());
    let expected = "Invalid data type in lookup_options for key 'k' could not parse '12', \
                    error: 'The expression <12> is not a valid type specification.";
    assert_eq!(message, Err(expected.to_owned()));
}

#[test]
fn dates_without_end_do_not_overflow() {
    let far = r#""9000000000000000000-01-01""#;
    assert!(converted(r#""Timestamp""#, far).is_ok());
    check_unknown(r#""Timestamp""#, r#""2001-02-03 +9999999999999999:00""#);
    assert!(converted(r#""Timespan""#, r#"{"days": 9223372036854775807}"#).is_ok());
}

#[test]
fn formats_of_time_spans_are_tried_one_after_the_other() {
    let spans = r#"["Timespan", ["%L/%N", "%S/%N"]]"#;
    let text = converted(spans, r#""1/2""#).map(|it| to_exact_json(&it).to_string());
    assert!(text.as_ref().is_ok_and(|it| it.contains("0-00:00:01.2")), "{text:?}");
    check_error(
        r#"["Timespan", "%L/%N"]"#,
        r#""1/2""#,
        "Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher \
         magnitude",
    );
}

#[test]
fn what_we_do_not_know_is_no_guess() {
    check_unknown(r#""Stdlib::Port""#, "1");
    check_unknown(r#""Timestamp""#, "true");
    check_unknown(r#"["Hash", "tree"]"#, "[]");
    check_unknown(r#""not a type!""#, "1");
    // Puppet converts the value although `Init` contains it.
    check_unknown(r#""Init[Integer]""#, r#""1""#);
}

#[test]
fn arguments_in_explanations() {
    let text = |spec| arguments_text(&parsed(spec));
    assert_eq!(text(r#""Sensitive""#), "[Sensitive]");
    assert_eq!(text(r#"["Integer", 16, true]"#), "[Integer, 16, true]");
    assert_eq!(text(r#"["String", "%x"]"#), "[String, '%x']");
}
