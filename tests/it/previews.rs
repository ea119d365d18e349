//! Everything that a node gets, as one document: a YAML parser can read it, and its values equal those of lookups.
//!
//! For the sample repository, and for the real ones that are stored beside the project, if there are any.

use std::path::Path;
use std::sync::Arc;

use hiera_ls::data::{DataFile, FileId, Format, Value, Verdict, render};
use hiera_ls::engine::CancelToken;
use hiera_ls::ide::preview::{LineKind, Question, Scope, merged_value};
use hiera_ls::settings::{PROJECT_FILE, Settings};
use hiera_ls::world::{World, loader};

/// The number of differences that are shown.
const SHOWN: usize = 10;

#[test]
fn everything_that_a_node_gets_can_be_read_again() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut repositories = vec![root.join("examples/control-repo")];
    let beside = root.join("../shared/corpus");
    match beside.canonicalize().and_then(std::fs::read_dir) {
        Ok(found) => repositories.extend(found.flatten().map(|entry| entry.path())),
        Err(_) => println!("skipped: there is no ../shared/corpus"),
    }
    let mut agreed = 0;
    let mut problems = Vec::new();
    for repository in repositories.iter().filter(|it| it.join("hiera.yaml").is_file()) {
        agreed += check(repository, &mut problems);
    }
    println!("{agreed} values of previews agree with the lookups");
    assert!(agreed >= 30, "the sample repository has more keys than {agreed}");
    let shown: Vec<String> = problems.iter().take(SHOWN).cloned().collect();
    assert!(problems.is_empty(), "{}\n{} differ", shown.join("\n"), problems.len());
}

/// Compares the document of the active node with its lookups; returns the number of equal keys.
fn check(repository: &Path, problems: &mut Vec<String>) -> usize {
    let project_file = std::fs::read_to_string(repository.join(PROJECT_FILE)).ok();
    let (settings, _) = Settings::read(project_file.as_deref(), None, &[]);
    let root: Arc<str> = repository.to_str().expect("a path in UTF-8").into();
    let world = World::on_disk(Arc::new(loader::Disk), vec![root.clone()], settings);
    let question = Question {
        path: Some(format!("{root}/hiera.yaml").into()),
        scope: Scope::Node,
        ..Question::default()
    };
    let preview = merged_value(&world, &question, &CancelToken::default());
    let Some(preview) = preview.expect("no node is asked for") else { return 0 };
    let text: Arc<str> = preview.text.as_str().into();
    let read = DataFile::new(FileId(0), Format::Yaml, text.clone().into());
    if let Verdict::Broken(error) = read.verdict() {
        problems.push(format!("{root}: {}", error.message));
        return 0;
    }
    let lines: Vec<&str> = text.lines().collect();
    for line in preview.lines.iter().filter(|line| line.kind == LineKind::Overridden) {
        let is_comment = lines[line.line as usize].trim_start().starts_with('#');
        assert!(is_comment, "{root}: what does not count counts: {}", lines[line.line as usize]);
    }
    let environment = world.environment_of(&format!("{root}/hiera.yaml")).expect("it is there");
    let evaluator = world.active_evaluator(&environment);
    let mut agreed = 0;
    for key in world.all_keys(&environment) {
        let Ok(Some(found)) = evaluator.lookup(&key).outcome else { continue };
        let Some(entry) = read.get(&key) else {
            problems.push(format!("{root}: {key} is not shown"));
            continue;
        };
        if is_secret(&found.value) || entry.value.value == found.value {
            agreed += 1;
        } else {
            let (shown, asked) = (&entry.value.value, &found.value);
            let differs = format!("{}not\n{}", render::to_yaml(shown), render::to_yaml(asked));
            problems.push(format!("{root}: {key} is shown as\n{differs}"));
        }
    }
    agreed
}

/// Whether the preview replaces any part of the value.
fn is_secret(value: &Value) -> bool {
    match value {
        Value::Sensitive(_) => true,
        Value::Array(items) => items.iter().any(|item| is_secret(&item.value)),
        Value::Hash(hash) => hash.iter().any(|(_, member)| is_secret(&member.value.value)),
        Value::String(text) => text.contains("ENC["),
        _ => false,
    }
}
