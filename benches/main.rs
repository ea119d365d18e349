//! How long the things take that users wait for. `cargo bench` prints medians; nothing here fails for being slow.
//!
//! Workspaces: `examples/control-repo`, and the one that `HIERA_LS_BENCH_WORKSPACE` names. Compare with
//! `puppet lookup` (about 1.4 s a question) and with a warm Puppet in one process.

use std::path::PathBuf;
use std::sync::Arc;

use divan::{Bencher, black_box};
use hiera_ls::data::Files;
use hiera_ls::engine::{CancelToken, Evaluator};
use hiera_ls::ide;
use hiera_ls::settings::Settings;
use hiera_ls::text::edit::BufferEdit;
use hiera_ls::text::{Encoding, LineCol};
use hiera_ls::world::{Change, Host, World, loader, paths};

fn main() {
    divan::main();
}

/// The directory of a benchmarked workspace; `None` if this run has none of that name.
fn workspace(name: &str) -> Option<Arc<str>> {
    let path = match name {
        "example" => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("examples/control-repo"),
        _ => PathBuf::from(std::env::var_os("HIERA_LS_BENCH_WORKSPACE")?),
    };
    let path = std::path::absolute(path).ok()?;
    Some(paths::normalise(path.to_str()?).into())
}

const WORKSPACES: [&str; 2] = ["example", "given"];

fn open(root: &Arc<str>) -> (Arc<World>, Arc<Evaluator>) {
    let folders = vec![Arc::clone(root)];
    let world = World::on_disk(Arc::new(loader::Disk), folders, Settings::default());
    let environment = world.environment_of(root).expect("the workspace has a hiera.yaml");
    let node = world.active_node(&environment);
    let files: Arc<dyn Files> = Arc::clone(&world) as Arc<dyn Files>;
    let node = node.in_environment(&environment);
    let version = world.settings().puppet_version;
    (world, Arc::new(Evaluator::new(files, environment, node, version)))
}

/// From nothing to the first answer: what a shell user waits for, process start apart.
#[divan::bench(args = WORKSPACES)]
fn cold_load_and_first_lookup(bencher: Bencher, name: &str) {
    let Some(root) = workspace(name) else { return };
    bencher.bench_local(|| {
        let (_, evaluator) = open(&root);
        black_box(evaluator.lookup("lookup_options_are_collected_for_any_key"));
    });
}

/// All keys of the workspace for one node, everything loaded: one iteration is all of them.
#[divan::bench(args = WORKSPACES)]
fn lookup_all_keys_warm(bencher: Bencher, name: &str) {
    let Some(root) = workspace(name) else { return };
    let (world, evaluator) = open(&root);
    let keys = world.all_keys(evaluator.environment());
    for key in &keys {
        black_box(evaluator.lookup(key));
    }
    bencher.counter(divan::counter::ItemsCount::new(keys.len())).bench_local(|| {
        for key in &keys {
            black_box(evaluator.lookup(black_box(key)));
        }
    });
}

/// A host with the largest data file of the workspace open.
fn typing(root: &Arc<str>) -> (Host, Arc<str>, Arc<str>) {
    let mut host = Host::new(Arc::new(loader::Disk));
    host.apply(Change::Folders(vec![root.to_string()]));
    let world = host.snapshot();
    let environment = world.environment_of(root).expect("the workspace has a hiera.yaml");
    let files = world.key_index(&environment).files();
    let (path, text) = files
        .iter()
        .filter_map(|(path, _)| Some((Arc::clone(path), world.text(path).ok()?)))
        .max_by_key(|(_, text)| text.len())
        .expect("the workspace has data");
    host.apply(Change::OpenBuffer { path: path.to_string(), text: text.to_string(), version: 0 });
    (host, path, text)
}

/// One typed character in the largest data file: the new snapshot and that file's diagnostics.
#[divan::bench(args = WORKSPACES)]
fn edit_one_character_and_diagnose(bencher: Bencher, name: &str) {
    let Some(root) = workspace(name) else { return };
    let (mut host, path, text) = typing(&root);
    black_box(ide::diagnostics(&host.snapshot(), &path));
    let line = text.lines().count() as u32 / 2;
    let mut version = 0;
    bencher.bench_local(|| {
        version += 1;
        let at = LineCol { line, col: 0 };
        let end = LineCol { line, col: u32::from(version % 2 == 0) };
        let new_text = if version % 2 == 0 { "" } else { "#" };
        let edit = BufferEdit { range: Some((at, end)), new_text: new_text.to_owned() };
        host.apply(Change::EditBuffer {
            path: path.to_string(),
            version,
            edits: vec![edit],
            encoding: Encoding::Utf16,
        });
        black_box(ide::diagnostics(&host.snapshot(), &path));
    });
}

/// A hover on each of the first hundred keys of the largest data file.
#[divan::bench(args = WORKSPACES)]
fn hover_on_keys(bencher: Bencher, name: &str) {
    let Some(root) = workspace(name) else { return };
    let (host, path, text) = typing(&root);
    let world = host.snapshot();
    let mut offsets = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with(|c: char| c.is_ascii_alphabetic()) && line.contains(':') {
            offsets.push(at + 1);
        }
        at += line.len() as u32;
    }
    offsets.truncate(100);
    bencher.counter(divan::counter::ItemsCount::new(offsets.len())).bench_local(|| {
        for offset in &offsets {
            black_box(ide::hover(&world, &path, *offset, &CancelToken::default()));
        }
    });
}
