//! The values of scalars; the expected results are those of Ruby's Psych 4.0.3.

use super::*;

#[track_caller]
fn check(text: &str, expected: &str) {
    let actual = match by_looks(&text.into()) {
        Ok(value) => crate::data::inspect::inspect(&value),
        Err(ScalarError::Class(class)) => format!("class {class}"),
        Err(ScalarError::Exception(message)) => message,
    };
    assert_eq!(actual, expected, "{text:?}");
}

#[test]
fn words_in_any_case() {
    for text in ["yes", "TRUE", "oN"] {
        check(text, "true");
    }
    for text in ["no", "False", "OFF"] {
        check(text, "false");
    }
    for text in ["", "~", "null", "nULL"] {
        check(text, "nil");
    }
    check("y", "\"y\"");
    check("N", "\"N\"");
    check("y\nno", "false");
}

#[test]
fn integers() {
    check("0777", "511");
    check("+0_7", "7");
    check("08", "\"08\"");
    check("0o14", "\"0o14\"");
    check("-0x1f", "-31");
    check("0b101", "5");
    check("1_000", "1000");
    check("1,0,0", "100");
    check("1__0", "\"1__0\"");
    check("12345678901234567890", "12345678901234567890");
    check("0b_", "invalid value for Integer(): \"0b\"");
}

#[test]
fn floats() {
    check("1.5", "1.5");
    check(".5", "0.5");
    check("5.", "5.0");
    check("1,000.5", "1000.5");
    check("1.5E-3", "0.0015");
    check("1e3", "\"1e3\"");
    check("1.5e3", "\"1.5e3\"");
    check("-.inf", "-Infinity");
    check(".NaN", "NaN");
    check(".", "\".\"");
    check(".e+3", "invalid value for Float(): \"e+3\"");
}

#[test]
fn base_60_numbers() {
    check("1:30", "5400");
    check("190:20:30", "685230");
    check("-1:30", "-1800");
    check("22:22", "80520");
    check("1:60", "\"1:60\"");
    check("1:30.5", "5430.0");
    check("8080:80", "\"8080:80\"");
    check("1:2:3:4", "\"1:2:3:4\"");
}

#[test]
fn unquoted_dates_break_the_whole_file() {
    check("2001-01-01", "class Date");
    check("2001-02-30", "class Date");
    check("2001-13-45", "\"2001-13-45\"");
    check("2001-01-01T00:00:00Z", "class Time");
    check("2001-12-14 21:59", "\"2001-12-14 21:59\"");
}

#[test]
fn symbols() {
    check(":sym", ":sym");
    check("::1", ":\":1\"");
    check(":\"a b\"", ":\"a b\"");
    check(":", "\":\"");
}
