//! Compares every recorded answer of real Puppet with that of hiera-ls: status, value, error, explanation.
//!
//! `CONFORMANCE=keys/grammar cargo test --test it conformance` compares only the files whose name contains that text.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hiera_ls::config::{Environment, PuppetVersion};
use hiera_ls::data::{DataFile, FileId, Files, Format, Hash};
use hiera_ls::engine::Evaluator;
use hiera_ls::facts::{Node, NodeParts, Origin};
use hiera_ls::settings::Settings;
use hiera_ls::world::{MemoryDisk, World};
use serde_json::Value as Json;

use crate::answers::{ANSWER_AND_WARNINGS, differences, hash, ours};
use crate::case_file::{self, Case, Query};

const ENVIRONMENT: &str = "/puppet/environments/production";
const GLOBAL: &str = "/puppet/global";
const NODE: &str = "node1.example.com";

/// The number of differences that are shown in full.
const SHOWN: usize = 25;

#[test]
fn our_answers_are_those_of_puppet_7() {
    compare_all(PuppetVersion::V7, "p7");
}

#[test]
fn our_answers_are_those_of_puppet_8() {
    compare_all(PuppetVersion::V8, "p8");
}

fn compare_all(version: PuppetVersion, suffix: &str) {
    let directory = directory();
    let wanted = std::env::var("CONFORMANCE").unwrap_or_default();
    let mut known = known_differences(&directory, suffix);
    let mut report = Report::default();
    for name in case_files(&directory.join("cases")) {
        if !name.contains(&wanted) {
            continue;
        }
        let cases = case_file::parse(&read(&directory.join(format!("cases/{name}.case"))));
        let expected = read(&directory.join(format!("expected/{name}.{suffix}.jsonl")));
        let mut expected = expected.lines().skip(1);
        for case in &cases {
            for query in case.queries() {
                // One for each query, as recorded: explanations depend on earlier lookups.
                let evaluator = evaluator(case, version);
                let puppet =
                    expected.next().expect("as many recorded answers as queries: record again");
                let puppet: Json = serde_json::from_str(puppet).expect("a recorded answer");
                let ours =
                    ours(&evaluator, &query, &[(ENVIRONMENT, "${ENV}"), (GLOBAL, "${GLOBAL}")]);
                let label = label(&name, case, &query);
                let differs = differences(&puppet, &ours, ANSWER_AND_WARNINGS);
                report.add(&label, known.remove(&label), &differs);
            }
        }
        assert_eq!(
            expected.next(),
            None,
            "{name}: more recorded answers than queries: record again"
        );
    }
    report.end(&known, wanted.is_empty());
}

/// The name of a query in differences.txt.
fn label(file: &str, case: &Case, query: &Query) -> String {
    let merge = query.merge.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
    format!("{file} {} {}{merge}", case.name, query.key)
}

#[derive(Default)]
struct Report {
    agreed: usize,
    differ: Vec<String>,
}

impl Report {
    fn add(&mut self, label: &str, is_known: bool, differences: &[String]) {
        match (is_known, differences.is_empty()) {
            (false, true) => self.agreed += 1,
            (true, false) => {}
            (true, true) => {
                self.differ.push(format!("{label}: agrees, but differences.txt says no"));
            }
            (false, false) => self.differ.push(format!("{label}\n{}", differences.concat())),
        }
    }

    fn end(&self, left_over: &BTreeSet<String>, all: bool) {
        let mut text = String::new();
        for difference in self.differ.iter().take(SHOWN) {
            let _ = writeln!(text, "{difference}");
        }
        if all {
            for label in left_over {
                let _ = writeln!(text, "differences.txt names what no case asks: {label}");
            }
        }
        let _ = write!(text, "{} answers agree, {} differ", self.agreed, self.differ.len());
        assert!(self.differ.is_empty() && (!all || left_over.is_empty()), "{text}");
    }
}

/// The evaluator for the case's node, with the case's files.
fn evaluator(case: &Case, version: PuppetVersion) -> Evaluator {
    let mut files = case.files_at(ENVIRONMENT, GLOBAL);
    let conf = format!("{ENVIRONMENT}/environment.conf");
    if files.iter().all(|(path, _)| *path != conf) {
        // Empty, but it makes a directory without hiera.yaml an environment.
        files.push((conf, Vec::new()));
    }
    let disk = Arc::new(MemoryDisk::new(files));
    let world = World::on_disk(disk, vec![ENVIRONMENT.into()], Settings::default());
    let found = world.environment_of(ENVIRONMENT).expect("a directory with environment.conf");
    let mut environment = Environment::clone(&found);
    environment.name = "production".into();
    environment.global_config = Some(format!("{GLOBAL}/hiera.yaml").into());
    let files: Arc<dyn Files> = world;
    Evaluator::new(files, Arc::new(environment), Arc::new(node(case)), version)
}

fn node(case: &Case) -> Node {
    let facts = case.text("/facts.json").unwrap_or_else(|| read(&directory().join("facts.json")));
    let facts = members(&facts);
    let name = facts.get("clientcert").and_then(|it| it.value.value.as_str());
    let name = name.unwrap_or(NODE).to_owned();
    let parts = NodeParts {
        name,
        environment: Some("production".to_owned()),
        facts,
        trusted: case.json("/trusted.json").as_ref().map(hash),
        server_facts: case.json("/server_facts.json").as_ref().map(hash),
        variables: case.json("/vars.json").as_ref().map(hash).unwrap_or_default(),
        classes: None,
    };
    Node::new(parts, Origin::File(Arc::from("facts.json")))
}

/// The value of a JSON text, with every digit of its numbers.
fn members(json: &str) -> Hash {
    let file = DataFile::new(FileId(0), Format::Json, json.into());
    let mut hash = Hash::new();
    for entry in file.entries() {
        hash.insert(entry.key.clone(), None, entry.value.clone());
    }
    hash
}

/// Known differences: lines `p7 FILE CASE KEY [MERGE]  # reason`, or `p*` for both versions.
fn known_differences(directory: &Path, suffix: &str) -> BTreeSet<String> {
    let text = read(&directory.join("differences.txt"));
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let labels = lines.filter_map(|line| {
        let (label, _) = line.split_once("  # ").expect("a reason after two blanks and #");
        let (version, label) = label.split_once(' ').expect("a version first");
        (version == suffix || version == "p*").then(|| label.trim().to_owned())
    });
    labels.collect()
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

/// `section/name` of every case file, sorted.
fn case_files(directory: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for section in std::fs::read_dir(directory).expect("sections of cases").flatten() {
        for file in std::fs::read_dir(section.path()).expect("a section is a directory").flatten() {
            let path = file.path();
            let below = path.strip_prefix(directory).expect("a file below the directory");
            let name = below.to_str().expect("a name in UTF-8").replace('\\', "/");
            names.extend(name.strip_suffix(".case").map(str::to_owned));
        }
    }
    names.sort();
    names
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
