//! Real repositories that are stored beside the project, with Puppet's answers for all of their keys. We may not copy them;
//! if they are missing, the tests say so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hiera_ls::config::{Environment, PuppetVersion};
use hiera_ls::data::Files;
use hiera_ls::engine::Evaluator;
use hiera_ls::facts::{Node, NodeParts, Origin};
use hiera_ls::settings::Settings;
use hiera_ls::world::{World, loader};
use serde_json::Value as Json;

use crate::answers::{ANSWER, differences, hash, ours};
use crate::case_file::Query;

/// The number of differences that are shown.
const SHOWN: usize = 10;

#[test]
fn real_repositories_get_puppets_answers() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let Ok(directory) = directory.canonicalize() else {
        println!("skipped: there is no ../shared/corpus");
        return;
    };
    let mut agreed = 0;
    let mut problems = Vec::new();
    for repository in directories(&directory) {
        for (recorded, node, version) in [
            ("expected.debian.p7.jsonl", "debian", PuppetVersion::V7),
            ("expected.debian.p8.jsonl", "debian", PuppetVersion::V8),
            ("expected.redhat.p7.jsonl", "redhat", PuppetVersion::V7),
            ("expected.redhat.p8.jsonl", "redhat", PuppetVersion::V8),
            ("expected.debian.merges.jsonl", "debian", PuppetVersion::V7),
            ("expected.debian.explain.jsonl", "debian", PuppetVersion::V7),
        ] {
            let found = compare(&repository, recorded, node, version);
            agreed += found.0;
            problems.extend(found.1);
        }
    }
    let shown = problems.iter().take(SHOWN).cloned().collect::<String>();
    println!("{agreed} answers of real repositories agree");
    assert!(agreed > 0, "there are no recorded answers");
    assert!(problems.is_empty(), "{shown}{agreed} answers agree, {} differ", problems.len());
}

/// The number of equal answers, and the differences in words.
fn compare(
    repository: &Path,
    recorded: &str,
    node: &str,
    version: PuppetVersion,
) -> (usize, Vec<String>) {
    let root = repository.to_str().expect("a path in UTF-8");
    let mut agreed = 0;
    let mut problems = Vec::new();
    let mut evaluator = evaluator(root, node, version);
    for line in read(&repository.join(recorded)).lines() {
        let puppet: Json = serde_json::from_str(line).expect("a recorded answer");
        let query = Query::asked_by(&puppet);
        if query.explain {
            // Recorded with a compiler for each key, because explanations leave out what is already known.
            evaluator = self::evaluator(root, node, version);
        }
        let ours = ours(&evaluator, &query, &[(root, "${ENV}")]);
        let different = differences(&puppet, &ours, ANSWER);
        if different.is_empty() || is_left_encrypted(&puppet, &ours) {
            agreed += 1;
        } else {
            problems.push(format!("{root} {recorded} {}\n{}", query.key, different.concat()));
        }
    }
    (agreed, problems)
}

/// Puppet fails without the private key; hiera-ls shows the encrypted text.
fn is_left_encrypted(puppet: &Json, ours: &Json) -> bool {
    let error = puppet["error"].as_str().unwrap_or_default();
    error.starts_with("hiera-eyaml backend error decrypting")
        && ours["value"].as_str().is_some_and(|text| text.contains("ENC["))
}

/// The evaluator for the node that a run file describes.
fn evaluator(root: &str, node: &str, version: PuppetVersion) -> Evaluator {
    let run = json(&format!("{root}/run.{node}.json"));
    let text = |name: &str| run[name].as_str().expect("a text in a run file").to_owned();
    let world = World::on_disk(Arc::new(loader::Disk), vec![root.into()], Settings::default());
    let found = world.environment_of(root).expect("a repository with a hiera.yaml");
    let mut environment = Environment::clone(&found);
    environment.name = text("environment").into();
    environment.global_config = None;
    let parts = NodeParts {
        name: text("node"),
        environment: Some(text("environment")),
        facts: hash(&json(&format!("{root}/{}", text("facts")))),
        trusted: Some(hash(&run["trusted"])),
        server_facts: None,
        variables: hash(&run["vars"]),
        classes: None,
    };
    let node = Node::new(parts, Origin::File(Arc::from(text("facts"))));
    let files: Arc<dyn Files> = world;
    Evaluator::new(files, Arc::new(environment), Arc::new(node), version)
}

fn directories(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the corpus is a directory").flatten();
    let mut found: Vec<_> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

fn json(path: &str) -> Json {
    serde_json::from_str(&read(Path::new(path))).expect("JSON")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
