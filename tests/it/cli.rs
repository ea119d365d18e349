//! Runs the `lookup` command as a program and compares it with the recorded output of `puppet lookup`: standard output and
//! exit status byte for byte. Standard error must contain Puppet's messages.
//!
//! `CLI=values cargo test --test it cli` compares only the files whose name contains that text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::case_file::{self, Case};

const NODE: &str = "node1.example.com";

/// The start of Puppet's error messages.
const PUPPETS_PREFIX: &str = "Error: Could not run: ";

#[test]
fn the_command_answers_as_puppets_does() {
    let folder = folder();
    let wanted = std::env::var("CLI").unwrap_or_default();
    let mut situations = 0;
    let mut known = known_differences(&folder);
    let mut differences = Vec::new();
    for path in recordings(&folder) {
        let name = path.file_name().and_then(|it| it.to_str()).expect("a name in UTF-8");
        if !name.contains(&wanted) {
            continue;
        }
        let (file, rest) = name.split_once('.').expect("NAME.pN.txt");
        let version = &rest[1..2];
        let cases = case_file::parse(&read(&folder.join(format!("{file}.case"))));
        for recorded in parse_recording(&read(&path)) {
            let case = cases.iter().find(|it| it.name == recorded.case);
            let case = case.expect("the case of a recording: record again");
            let workspace = Workspace::write(case);
            for expected in &recorded.answers {
                situations += 1;
                let ours = workspace.run(&expected.command, version);
                let label = format!("{file} {}: {}", recorded.case, expected.command);
                let found = difference(&label, expected, &ours);
                match known.get_mut(&label) {
                    Some(is_met) if found.is_some() => *is_met = true,
                    _ => differences.extend(found),
                }
            }
        }
    }
    if wanted.is_empty() {
        let agreed = known.into_iter().filter(|(_, is_met)| !is_met);
        differences.extend(agreed.map(|(label, _)| format!("{label}\n  does not differ\n")));
    }
    let shown = differences.iter().take(20).map(String::as_str).collect::<String>();
    let differ = differences.len();
    assert!(differ == 0, "{shown}{differ} of {situations} situations differ");
}

/// The output of a command and its exit status.
#[derive(Debug, Default)]
struct Ran {
    command: String,
    out: String,
    err: String,
    status: i32,
}

struct Recorded {
    case: String,
    answers: Vec<Ran>,
}

/// `tests/conformance/record_cli.rb` explains the format.
fn parse_recording(text: &str) -> Vec<Recorded> {
    let mut cases: Vec<Recorded> = Vec::new();
    for line in text.lines().skip(1) {
        let (sign, rest) = line.split_at(line.len().min(2));
        if sign == "#=" {
            cases.push(Recorded { case: rest.trim().to_owned(), answers: Vec::new() });
            continue;
        }
        let answers = &mut cases.last_mut().expect("a case first").answers;
        if sign == "$ " || sign == "$" {
            answers.push(Ran { command: rest.to_owned(), ..Ran::default() });
            continue;
        }
        let answer = answers.last_mut().expect("a command first");
        match sign.trim() {
            ">" => answer.out += &format!("{rest}\n"),
            "!" => answer.err += &format!("{rest}\n"),
            "=" => answer.status = rest.parse().expect("an exit status"),
            _ => panic!("a line of no kind: {line}"),
        }
    }
    cases
}

fn difference(label: &str, puppet: &Ran, ours: &Ran) -> Option<String> {
    let said = |line: &&str| !ours.err.contains(line.trim_start_matches(PUPPETS_PREFIX));
    let silent: Vec<_> = errors_of_puppet(&puppet.err).filter(said).collect();
    if puppet.out == ours.out && puppet.status == ours.status && silent.is_empty() {
        return None;
    }
    Some(format!(
        "{label}\n--- puppet, {}\n{}{}--- ours, {}\n{}{}\n",
        puppet.status, puppet.out, puppet.err, ours.status, ours.out, ours.err
    ))
}

/// Puppet's standard error, without warnings and hints where to read more.
fn errors_of_puppet(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| line.starts_with(PUPPETS_PREFIX))
}

/// Known differences, as differences.txt names them, and whether they occurred.
fn known_differences(folder: &Path) -> BTreeMap<String, bool> {
    let text = read(&folder.join("differences.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let label = |line: &str| line.split_once("  # ").expect("a reason").0.to_owned();
    lines.map(|line| (label(line), false)).collect()
}

/// A case's files on the disk; they are deleted when it is dropped.
struct Workspace {
    root: PathBuf,
}

impl Workspace {
    fn write(case: &Case) -> Self {
        let unique = format!("hiera-ls-cli-{}-{}", std::process::id(), case.name);
        let root = std::env::temp_dir().join(unique);
        let workspace = Self { root };
        let files = case.files_at(&workspace.environment(), &workspace.path("global"));
        for (path, content) in files {
            let path = Path::new(&path);
            std::fs::create_dir_all(path.parent().expect("a file in a directory"))
                .expect("a directory for the test");
            std::fs::write(path, content).expect("a file for the test");
        }
        workspace
    }

    fn path(&self, below: &str) -> String {
        self.root.join(below).to_str().expect("a path in UTF-8").to_owned()
    }

    fn environment(&self) -> String {
        self.path("environments/production")
    }

    fn run(&self, command: &str, version: &str) -> Ran {
        let environment = self.environment();
        let words = shell_words(&command.replace("${ENV}", &environment));
        let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
            .args(["lookup", "--root", &environment, "--environment", "production"])
            .args(["--hiera-config", &self.path("global/hiera.yaml"), "--node", NODE, "--facts"])
            .arg(folder().join("facts.json"))
            .args(["--puppet-version", version])
            .args(words)
            .output()
            .expect("the program was built");
        let masked = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let text = text.replace(&environment, "${ENV}");
            let text = text.replace(&self.path("global"), "${GLOBAL}");
            text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
        };
        Ran {
            command: command.to_owned(),
            out: masked(&output.stdout),
            err: masked(&output.stderr),
            status: output.status.code().unwrap_or(-1),
        }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

/// Splits words as a shell does; it knows only single quotes.
fn shell_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for character in text.chars() {
        match character {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

fn recordings(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("tests/conformance/cli");
    let paths = entries.flatten().map(|entry| entry.path());
    let is_recording = |path: &PathBuf| {
        let path = path.to_string_lossy();
        path.ends_with(".p7.txt") || path.ends_with(".p8.txt")
    };
    let mut paths: Vec<_> = paths.filter(is_recording).collect();
    paths.sort();
    paths
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/cli")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
