//! The `type-check` command: compares its verdicts with those of real Puppet, and tries hostile texts.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

/// The records of `tests/conformance/types.rb --record`.
const EXPECTED: &str = include_str!("../conformance/types/expected.jsonl");

/// The aliases that the recorded types name, without their module.
const ALIASES: &str = include_str!("../conformance/types/aliases.json");

#[test]
fn values_belong_to_types_as_puppet_says() {
    let modules = modules();
    let answers = type_check(modules.path(), EXPECTED);
    let mut differences = Vec::new();
    for (expected, ours) in EXPECTED.lines().zip(&answers) {
        let expected: Json = serde_json::from_str(expected).expect("a recorded answer");
        if expected["ok"] != ours["ok"] || expected["message"] != ours["message"] {
            differences.push(format!("{expected}\n  ours: {ours}"));
        }
    }
    assert!(answers.len() > 1000, "only {} answers", answers.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn other_members_are_passed_on_and_lines_that_are_no_questions_are_answered() {
    let modules = tempfile::tempdir().expect("a directory");
    let questions = "{\"id\":7,\"type\":\"Integer\",\"value\":\"x\"}\n\nnothing\n{\"value\":1}\n[1]\n{\"type\":5}\n";
    let answers = type_check(modules.path(), questions);
    let message = "expects an Integer value, got String";
    assert_eq!(answers[0], json!({"id": 7, "ok": false, "message": message, "error": null}));
    let errors = [&answers[2]["error"], &answers[4]["error"]];
    assert_eq!(errors, ["`type` is missing", "`type` is not a string"]);
    assert_eq!(answers.len(), 5);
    for answer in &answers[1..] {
        assert!(answer["ok"].is_null() && answer["error"].is_string(), "{answer}");
    }
}

#[test]
fn integers_have_any_size() {
    let modules = tempfile::tempdir().expect("a directory");
    let questions = "{\"type\":\"Integer\",\"value\":18446744073709551616}\n\
                     {\"type\":\"Array[Integer]\",\"value\":[1,-9223372036854775809]}\n\
                     {\"type\":\"Float\",\"value\":100000000000000000000}\n\
                     {\"type\":\"Float\",\"value\":1000000000000000000000.0}\n\
                     {\"type\":\"String\",\"value\":\"18446744073709551616\"}\n";
    let answers = type_check(modules.path(), questions);
    let messages: Vec<_> = answers.iter().map(|it| &it["message"]).collect();
    let refused = json!("expects a Float value, got Integer");
    assert_eq!(messages, [&Json::Null, &Json::Null, &refused, &Json::Null, &Json::Null]);
}

#[test]
fn hostile_types_end_with_an_answer() {
    let modules = tempfile::tempdir().expect("a directory");
    let types = modules.path().join("bad/types");
    std::fs::create_dir_all(&types).expect("a directory");
    let write = |name: &str, body: &str| {
        let text = format!("type Bad::{name} = {body}\n");
        std::fs::write(types.join(format!("{}.pp", name.to_lowercase())), text).expect("a file");
    };
    write("Itself", "Bad::Itself");
    write("Ring1", "Bad::Ring2");
    write("Ring2", "Bad::Ring1");
    write("Option", "Optional[Bad::Option]");
    write("Options", "Variant[Integer, Array[Optional[Bad::Options]]]");
    write("Broken", "Integer[");
    // Each doubles the next one.
    for level in 0..40 {
        let next = level + 1;
        write(&format!("Twice{level}"), &format!("Tuple[Bad::Twice{next}, Bad::Twice{next}]"));
        write(
            &format!("Either{level}"),
            &format!("Variant[Array[Bad::Either{next}], Array[Bad::Either{next}]]"),
        );
    }
    write("Twice40", "Integer");
    write("Either40", "Integer");
    // A long chain from the first to the last.
    for level in 0..2000 {
        write(&format!("Chain{level}"), &format!("Optional[Bad::Chain{}]", level + 1));
    }
    let nested = |open: &str, close: &str, depth: usize| {
        open.repeat(depth) + "Integer" + &close.repeat(depth)
    };
    let deep_value = "[".repeat(100) + "1" + &"]".repeat(100);
    let questions = [
        ("Bad::Itself".to_owned(), "1"),
        ("Bad::Ring1".to_owned(), "1"),
        ("Bad::Option".to_owned(), "1"),
        ("Type[Bad::Option]".to_owned(), r#"{"__ptype":"Type","value":"Integer"}"#),
        ("Bad::Options".to_owned(), "[[[\"x\"]]]"),
        ("Bad::Broken".to_owned(), "1"),
        ("Bad::Twice0".to_owned(), "[[1, 1], [1, 1]]"),
        ("Bad::Either0".to_owned(), &deep_value),
        ("Bad::Chain0".to_owned(), "1"),
        (nested("Array[", "]", 10_000), "1"),
        (nested("Struct[{a => ", "}]", 10_000), "1"),
        (nested("-", "", 10_000), "1"),
        (nested("(", ")", 10_000), "1"),
        ("[".repeat(10_000), "1"),
        (nested("Variant[Integer, ", "]", 150), &deep_value),
    ];
    let lines = questions.iter().map(|(wanted, value)| {
        let wanted = Json::from(wanted.as_str());
        format!("{{\"type\":{wanted},\"value\":{value}}}\n")
    });
    let answers = type_check(modules.path(), &lines.collect::<String>());
    assert_eq!(answers.len(), questions.len());
    for ((wanted, _), answer) in questions.iter().zip(&answers) {
        let is_answer = answer["ok"].is_boolean() || answer["error"].is_string();
        assert!(is_answer, "{}: {answer}", &wanted[..wanted.len().min(40)]);
    }
    let message = "Type alias 'Bad::Itself' cannot be resolved to a real type";
    let error = answers[0]["error"].as_str().unwrap_or_default();
    assert!(error.contains(message), "{error}");
}

#[test]
fn lookup_knows_the_aliases_of_modules_and_of_the_environment() {
    let root = tempfile::tempdir().expect("a directory");
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    };
    write("hiera.yaml", "version: 5\nhierarchy:\n  - {name: all, path: all.yaml}\n");
    write("data/all.yaml", "port: 99999\n");
    write("modules/net/types/port.pp", "# A port.\ntype Net::Port = Integer[0, 65535]\n");
    write("types/size.pp", "type Size = Integer[0]\n");
    let lookup = |wanted: &str| {
        let arguments = ["lookup", "port", "--render-as", "s", "--type", wanted];
        let program = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
            .args(arguments)
            .current_dir(root.path())
            .output()
            .expect("the program runs");
        (program.status.code(), String::from_utf8_lossy(&program.stderr).into_owned())
    };
    let (status, said) = lookup("Net::Port");
    assert_eq!(status, Some(1));
    let words = "Found value has wrong type, expects a Net::Port = Integer[0, 65535] value, got Integer[99999, 99999]";
    assert!(said.contains(words), "{said}");
    assert_eq!(lookup("Size"), (Some(0), String::new()));
}

/// A directory with one module that has the recorded aliases.
fn modules() -> tempfile::TempDir {
    let modules = tempfile::tempdir().expect("a directory");
    let types = modules.path().join("fz/types");
    std::fs::create_dir_all(&types).expect("a directory");
    let aliases: serde_json::Map<String, Json> = serde_json::from_str(ALIASES).expect("JSON");
    for (name, body) in aliases {
        let text =
            format!("# @summary {name}\ntype Fz::{name} = {}\n", body.as_str().expect("a type"));
        std::fs::write(types.join(format!("{}.pp", name.to_lowercase())), text).expect("a file");
    }
    modules
}

#[test]
fn a_modulepath_that_is_missing_is_told() {
    let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(["type-check", "--modulepath", "nosuch"])
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success() && said.contains("nosuch: no such directory"), "{said}");
}

fn type_check(modulepath: &Path, questions: &str) -> Vec<Json> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
        .args(["type-check", "--render-as", "jsonl", "--modulepath"])
        .arg(modulepath)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = program.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(questions.as_bytes()).expect("the program reads"));
        program.wait_with_output().expect("the program ends")
    });
    assert!(output.status.success(), "{}", output.status);
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    answers.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}
