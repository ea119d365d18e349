//! Compares how hiera-ls and Ruby's own libraries read all available YAML and JSON texts: values and refusals must agree.
//!
//! Needs `ruby`; without it, the test says so and passes. `PSYCH_INPUTS` may name a folder with more texts.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hiera_ls::data::{DataFile, FileId, Format, Value, Verdict};
use serde_json::{Value as Json, json};

const SCRIPT: &str = "tests/conformance/psych.rb";
const CORPUS: &str = "../shared/corpus";

/// A text and where it comes from.
struct Case {
    name: String,
    format: Format,
    text: String,
}

#[test]
fn the_corpus_reads_as_ruby_reads_it() {
    let mut cases = Vec::new();
    for folder in [Some(CORPUS.into()), std::env::var_os("PSYCH_INPUTS")].into_iter().flatten() {
        collect(Path::new(&folder), &mut cases);
    }
    if cases.is_empty() {
        eprintln!("skipped: no texts at {CORPUS}");
    }
    check(&cases);
}

#[test]
fn damaged_files_are_refused_as_ruby_refuses_them() {
    let mut whole = Vec::new();
    collect(Path::new(CORPUS), &mut whole);
    let mut random = Random(0x5eed);
    let cases: Vec<Case> = (0..if whole.is_empty() { 0 } else { 3_000 })
        .map(|_| damaged(&whole[random.below(whole.len())], &mut random))
        .collect();
    check(&cases);
}

#[test]
fn odd_texts_read_as_ruby_reads_them() {
    let yaml = include_str!("psych/odd.yaml.txt").split("\n====\n");
    let json = include_str!("psych/odd.json.txt").split("\n====\n");
    let case = |format| {
        move |text: &str| Case { name: format!("{text:?}"), format, text: unescaped(text) }
    };
    let cases: Vec<Case> =
        yaml.map(case(Format::Yaml)).chain(json.map(case(Format::Json))).collect();
    check(&cases);
}

/// Runs Ruby on all texts and compares.
#[track_caller]
fn check(cases: &[Case]) {
    let Some(answers) = ask_ruby(cases) else {
        eprintln!("skipped: no ruby here");
        return;
    };
    let mut differences = Vec::new();
    for (case, expected) in cases.iter().zip(&answers) {
        let actual = read(case);
        if actual != *expected {
            let (ruby, we) = difference(&expected.to_string(), &actual.to_string());
            differences.push(format!("{}\n  ruby: {ruby}\n  we:   {we}", case.name));
        }
    }
    assert_eq!(answers.len(), cases.len(), "Ruby answers every text");
    assert!(
        differences.is_empty(),
        "{} of {} differ\n{}",
        differences.len(),
        cases.len(),
        differences[..differences.len().min(40)].join("\n")
    );
}

/// Both texts from shortly before the place where they differ.
fn difference(a: &str, b: &str) -> (String, String) {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let cut = |text: &str| text.chars().skip(same.saturating_sub(30)).take(150).collect();
    (cut(a), cut(b))
}

fn ask_ruby(cases: &[Case]) -> Option<Vec<Json>> {
    let mut ruby = Command::new("ruby")
        .arg(SCRIPT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = ruby.stdin.take().expect("stdin was asked for");
    let mut lines = String::new();
    for case in cases {
        let format = if case.format == Format::Json { "json" } else { "yaml" };
        lines += &json!({"format": format, "text": case.text}).to_string();
        lines.push('\n');
    }
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = ruby.wait_with_output().expect("ruby runs to its end");
    writer.join().expect("the writer ends").expect("ruby reads all");
    let text = String::from_utf8(output.stdout).expect("JSON is UTF-8");
    let answer = |line| serde_json::from_str(line).expect("ruby writes JSON");
    Some(text.lines().map(answer).collect())
}

fn read(case: &Case) -> Json {
    let file = DataFile::new(FileId(0), case.format, case.text.as_str().into());
    match file.verdict() {
        Verdict::Hash => {
            let members: Vec<Json> = file
                .entries()
                .map(|entry| json!([encode(&entry.key), encode(&entry.value.value)]))
                .collect();
            json!({"value": ["h", members]})
        }
        Verdict::Empty => json!({"value": null}),
        Verdict::NotAHash { .. } => json!({"value": "not a hash"}),
        Verdict::Broken(error) => json!({"error": error.message.replace("{path}", "F")}),
    }
}

fn encode(value: &Value) -> Json {
    match value {
        Value::Undef => Json::Null,
        Value::Boolean(it) => json!(it),
        Value::Integer(it) => json!(["i", it.to_string()]),
        Value::BigInteger(digits) => json!(["i", &**digits]),
        Value::Float(it) if it.is_nan() => json!(["f", "nan"]),
        Value::Float(it) => json!(["f", format!("{:016x}", it.to_bits())]),
        Value::String(text) => json!(["s", &**text]),
        Value::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!(["b", hex])
        }
        Value::Symbol(text) => json!([":", &**text]),
        Value::Array(items) => {
            json!(["a", items.iter().map(|item| encode(&item.value)).collect::<Vec<_>>()])
        }
        Value::Hash(hash) => {
            let members: Vec<Json> = hash
                .iter()
                .map(|(key, member)| json!([encode(key), encode(&member.value.value)]))
                .collect();
            json!(["h", members])
        }
        other => json!(["?", format!("{other:?}")]),
    }
}

fn collect(folder: &Path, cases: &mut Vec<Case>) {
    let mut waiting: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        if let Ok(items) = std::fs::read_dir(&path) {
            let mut items: Vec<PathBuf> = items.flatten().map(|item| item.path()).collect();
            items.sort();
            waiting.extend(items);
            continue;
        }
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("yaml" | "yml" | "eyaml") => Format::Yaml,
            Some("json") => Format::Json,
            _ => continue,
        };
        if let Ok(text) = std::fs::read_to_string(&path) {
            cases.push(Case { name: path.display().to_string(), format, text });
        }
    }
}

/// Replaces one place of a text by a few characters that have a meaning in YAML.
fn damaged(case: &Case, random: &mut Random) -> Case {
    const SPOILERS: &[&str] = &[
        "", ":", ": ", "- ", "\"", "'", "[", "]", "{", "}", ",", "#", " #", "&a ", "*a", "!", "|",
        ">", "%", "@", "\t", "\n", " ", "  ", "---\n", "...\n", "? ", "\\", "<<: ", "\r",
        "\u{feff}", "\u{85}", "\u{1}",
    ];
    let mut text: Vec<char> = case.text.chars().take(4_000).collect();
    let at = random.below(text.len() + 1);
    let length = random.below(3).min(text.len() - at);
    let spoiler = SPOILERS[random.below(SPOILERS.len())];
    text.splice(at..at + length, spoiler.chars());
    let name = format!("{} at {at}: {length} characters become {spoiler:?}", case.name);
    Case { name, format: case.format, text: text.into_iter().collect() }
}

/// In the list, characters that are hard to see are written as `\u{…}`.
fn unescaped(text: &str) -> String {
    let mut pieces = text.split("\\u{");
    let mut result = pieces.next().unwrap_or("").to_owned();
    for piece in pieces {
        let (code, rest) = piece.split_once('}').expect("a closed escape");
        let code = u32::from_str_radix(code, 16).expect("a hexadecimal number");
        result.push(char::from_u32(code).expect("a character"));
        result.push_str(rest);
    }
    result
}

/// A small random number generator with the same results every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}
