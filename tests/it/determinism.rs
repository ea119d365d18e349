//! The same texts give the same answers in the same order, whatever happened before: a workspace after a random script
//! gives the same answers as a workspace that was just opened.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hiera_ls::engine::CancelToken;
use hiera_ls::ide;
use hiera_ls::ide::preview::{self, Counterpart, Question, Scope};
use hiera_ls::settings::Settings;
use hiera_ls::text::{BufferEdit, Encoding, LineCol, TextRange};
use hiera_ls::world::{Before, Change, Host, MemoryDisk, World};

/// The number of scripts if `HIERA_LS_SCRIPTS` is not set.
const SCRIPTS: u64 = 50;

/// The number of steps of a script.
const STEPS: usize = 14;

const ROOT: &str = "/w";

const HIERA_YAML: &[&str] = &[
    "version: 5\nhierarchy:\n  - {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n  - {name: r, path: 'r/%{role}.yaml'}\n  - {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n  - {name: g, glob: '**/*.yaml'}\n  - {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy:\n  - {name: r, path: 'r/%{role}.yaml', mapped_paths: []}\n  - {name: j, path: j.json, data_hash: json_data}\n  - {name: c, path: common.yaml}\n",
    "version: 5\nhierarchy: [\n",
];

const FILES: &[&str] = &[
    "hiera.yaml",
    "data/common.yaml",
    "data/nodes/a.yaml",
    "data/nodes/b.yaml",
    "data/r/web.yaml",
    "data/j.json",
    "modules/ntp/hiera.yaml",
    "modules/ntp/data/common.yaml",
    "modules/ntp/manifests/init.pp",
    "spec/factsets/f.yaml",
];

const LINES: &[&str] = &[
    "ntp::servers: 1\n",
    "ntp::serveers: 2\n",
    "ntp::servers: [a, b]\n",
    "common::name: \"%{lookup('ntp::servers')}\"\n",
    "common::nmae: \"%{alias('common::name')}\"\n",
    ":symbol: 1\n",
    "<<: {merged: 1}\n",
    "'quoted key': x\n",
    "broken: [\n",
    "broken: \"%{lookup('nothing::here')}\n",
    "anchored: &a {x: 1}\n",
    "aliased: *a\n",
    "deep: {a: {b: 1}, a: 2}\n",
    "lookup_options: {ntp::servers: {merge: unique}, '^common::.*': {merge: hash}}\n",
    "lookup_options: {'^ntp::serv(': {merge: deep}, common::nmae: {convert_to: String}}\n",
    "text: |\n  a %{facts.os.name}\n  b\n",
    "odd: a\rb: 2\n",
    "\u{2028}x: 1\n",
    "---\n",
    "# comment\n",
    "\n",
    "- item\n",
    "role: web\n",
    "certname: a\n",
    "{\"ntp::servers\": 1, \"common::name\": \"x\", \"common::name\": 2}\n",
    "class ntp($servers, $extra = lookup('common::name')) { }\n",
];

/// A small random number generator with the same results everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    fn text(&mut self, path: &str) -> String {
        if path.ends_with("hiera.yaml") && self.below(4) > 0 {
            return self.of(HIERA_YAML).to_owned();
        }
        (0..self.below(7)).map(|_| self.of(LINES)).collect()
    }
}

#[derive(Debug, Clone)]
enum Step {
    Write(String, String),
    Remove(String),
    Open(String, String),
    Edit(String, (u32, u32), (u32, u32), String),
    Close(String),
    Ask(String),
    Search(String),
    Node(Option<String>),
    Quiet(bool),
}

fn script(random: &mut Random) -> Vec<Step> {
    let mut steps: Vec<Step> = FILES
        .iter()
        .map(|file| {
            let path = format!("{ROOT}/{file}");
            let text = random.text(&path);
            Step::Write(path, text)
        })
        .collect();
    for _ in 0..STEPS {
        let path = format!("{ROOT}/{}", random.of(FILES));
        steps.push(match random.below(16) {
            0 | 1 => {
                let text = random.text(&path);
                Step::Write(path, text)
            }
            2 => Step::Remove(path),
            3..=5 => {
                let text = random.text(&path);
                Step::Open(path, text)
            }
            6..=9 => {
                let (from, to) = (random.below(7) as u32, random.below(3) as u32);
                let at = random.below(12) as u32;
                let new_text = if random.below(2) == 0 { random.of(LINES) } else { "s" };
                Step::Edit(path, (from, at), (from + to / 2, at + to), new_text.to_owned())
            }
            10 => Step::Close(path),
            11 => Step::Search(random.of(&["", "ntp", "nme", "zzz"]).to_owned()),
            12 => Step::Node(random.of(&["a", "b", "-"]).parse().ok().filter(|it| it != "-")),
            13 => Step::Quiet(random.below(2) == 0),
            _ => Step::Ask(path),
        });
    }
    steps
}

/// A workspace during a script.
struct Live {
    disk: Arc<MemoryDisk>,
    host: Host,
    open: BTreeMap<String, i32>,
    node: Option<String>,
    is_quiet: bool,
}

fn settings(is_quiet: bool) -> Settings {
    let severity = if is_quiet { "off" } else { "hint" };
    let text =
        format!("diagnostics: {{severity: {{duplicate-key: '{severity}', unused-key: hint}}}}\n");
    Settings { directory: Some(ROOT.into()), ..Settings::read(Some(&text), None, &[]).0 }
}

impl Live {
    fn new() -> Self {
        let disk = Arc::new(MemoryDisk::default());
        let mut host = Host::new(disk.clone());
        host.apply(Change::Folders(vec![ROOT.to_owned()]));
        host.apply(Change::Settings(settings(false)));
        Self { disk, host, open: BTreeMap::new(), node: None, is_quiet: false }
    }

    fn take(&mut self, step: &Step) {
        match step.clone() {
            Step::Write(path, text) => {
                self.disk.write(&path, text);
                self.host.apply(Change::DiskChanged(vec![path]));
            }
            Step::Remove(path) => {
                self.disk.remove(&path);
                self.host.apply(Change::DiskChanged(vec![path]));
            }
            Step::Open(path, text) => {
                if self.open.insert(path.clone(), 1).is_none() {
                    self.host.apply(Change::OpenBuffer { path, text, version: 1 });
                }
            }
            Step::Edit(path, from, to, new_text) => {
                let at = |(line, col)| LineCol { line, col };
                let edits = vec![BufferEdit { range: Some((at(from), at(to))), new_text }];
                let encoding = Encoding::Utf16;
                self.host.apply(Change::EditBuffer { path, version: 2, edits, encoding });
            }
            Step::Close(path) => {
                self.open.remove(&path);
                self.host.apply(Change::CloseBuffer { path });
            }
            Step::Ask(path) => {
                answers_of(&self.host.snapshot(), &path, &mut String::new());
            }
            Step::Search(query) => {
                ide::workspace_symbols(&self.host.snapshot(), &query, &CancelToken::default());
            }
            Step::Node(name) => {
                self.node.clone_from(&name);
                self.host.apply(Change::ActiveNode(name.map(Into::into)));
            }
            Step::Quiet(is_quiet) => {
                self.is_quiet = is_quiet;
                self.host.apply(Change::Settings(settings(is_quiet)));
            }
        }
    }

    /// The same workspace, just opened.
    fn afresh(&self) -> Arc<World> {
        let mut host = Host::new(self.disk.clone());
        host.apply(Change::Folders(vec![ROOT.to_owned()]));
        host.apply(Change::Settings(settings(self.is_quiet)));
        host.apply(Change::ActiveNode(self.node.as_deref().map(Into::into)));
        for file in self.host.snapshot().open_files() {
            let (path, text) = (file.entry.path.to_string(), file.entry.text.to_string());
            host.apply(Change::OpenBuffer { path, text, version: 1 });
        }
        host.snapshot()
    }
}

/// The results of the features for a file, as text.
fn answers_of(world: &Arc<World>, path: &str, told: &mut String) {
    for found in ide::diagnostics(world, path) {
        let _ = writeln!(
            told,
            "{path} {:?} {} {} {:?} {:?}",
            found.range, found.code, found.message, found.related, found.fixes
        );
    }
    let cancel = CancelToken::default();
    let question = Question { path: Some(path.into()), ..Question::default() };
    let changed = ide::changes::changes(world, &question, &Before::Saved, &cancel);
    let changed = changed.map(|it| it.map(|it| (it.preview.text, it.problems)));
    let edited = ide::changes::edited_keys(world, path, &cancel);
    let _ = writeln!(told, "{path} changes {changed:?} {edited:?}");
    let symbols = ide::document_symbols(world, path);
    let _ = writeln!(told, "{path} symbols {symbols:?}");
    let Ok(file) = world.file(path) else { return };
    let whole = TextRange::new(0, file.text.len() as u32);
    let _ = writeln!(told, "{path} folds {:?}", ide::folds(world, path));
    let _ = writeln!(told, "{path} lenses {:?}", ide::code_lenses(world, path, &cancel));
    // Places identify files by numbers, which depend on the order in which files are read.
    let hints = ide::inlay_hints(world, path, whole, &cancel);
    let hints = hints.iter().map(|it| (it.offset, &it.label, it.source.as_ref().map(|it| &it.0)));
    let _ = writeln!(told, "{path} hints {:?}", hints.collect::<Vec<_>>());
    let _ =
        writeln!(told, "{path} colours {:?}", ide::semantic_tokens(world, path, whole, &cancel));
    let of_file = Question { scope: Scope::File, ..question };
    let file_preview = preview::merged_value(world, &of_file, &cancel);
    let _ = writeln!(told, "{path} preview {:?}", file_preview.map(|it| it.map(|it| it.text)));
    let starts: BTreeSet<usize> = file.text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for at in starts.into_iter().take(3).chain([0]) {
        let found = ide::references(world, path, at as u32, &CancelToken::default());
        let found: Vec<_> = found.iter().map(|it| (&it.path, it.range)).collect();
        let _ = writeln!(told, "{path}:{at} references {found:?}");
        let completions = ide::completion(world, path, at as u32, &cancel);
        let _ = writeln!(told, "{path}:{at} completions {completions:?}");
        let hover = ide::hover(world, path, at as u32, &CancelToken::default());
        let _ = writeln!(told, "{path}:{at} hover {:?}", hover.map(|it| it.markdown));
    }
}

/// The previews of a key, as text.
fn previews_of(world: &Arc<World>, key: &str, told: &mut String) {
    let cancel = CancelToken::default();
    let question = Question { key: Some(key.into()), ..Question::default() };
    let merged = preview::merged_value(world, &question, &cancel);
    let _ = writeln!(told, "{key} merged {:?}", merged.map(|it| it.map(|it| it.text)));
    let explained = preview::explain(world, &question, &cancel);
    let _ =
        writeln!(told, "{key} explained {:?}", explained.map(|it| it.map(|it| it.preview.text)));
    let nodes = preview::all_nodes(world, &question, &cancel);
    let _ = writeln!(told, "{key} of nodes {:?}", nodes.map(|it| it.map(|it| it.preview.text)));
    let saved = preview::compare(world, &question, &Counterpart::Saved, &cancel);
    let _ = writeln!(told, "{key} saved {:?}", saved.map(|it| it.map(|it| it.diff.text)));
    let _ = writeln!(told, "{key} cases {:?}", preview::key_cases(world, &question, &cancel));
}

fn answers(world: &Arc<World>) -> String {
    let mut told = String::new();
    for file in FILES {
        answers_of(world, &format!("{ROOT}/{file}"), &mut told);
    }
    for key in ["ntp::servers", "common::name", "deep.a"] {
        previews_of(world, key, &mut told);
    }
    for query in ["", "ntp"] {
        let found = ide::workspace_symbols(world, query, &CancelToken::default());
        let found: Vec<_> = found.iter().map(|it| (&it.name, &it.path, it.range)).collect();
        let _ = writeln!(told, "symbols {query} {found:?}");
    }
    told
}

/// The differences between a workspace at the end of a script and one that was just opened.
fn difference(steps: &[Step]) -> Option<String> {
    let mut live = Live::new();
    for step in steps {
        live.take(step);
    }
    let (lived, fresh) = (answers(&live.host.snapshot()), answers(&live.afresh()));
    if lived == fresh {
        return None;
    }
    let differing = lived.lines().zip(fresh.lines()).find(|(lived, fresh)| lived != fresh);
    let (lived, fresh) = differing.unwrap_or(("more or fewer lines", &fresh));
    Some(format!("after the script:\n  {lived}\nafresh:\n  {fresh}"))
}

/// The script without the steps that do not matter.
fn shrunk(mut steps: Vec<Step>) -> Vec<Step> {
    let mut at = 0;
    while at < steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(at);
        if difference(&fewer).is_some() { steps = fewer } else { at += 1 }
    }
    steps
}

#[test]
fn what_happened_before_does_not_change_the_answers() {
    let wanted = std::env::var("HIERA_LS_SCRIPTS").ok().and_then(|it| it.parse().ok());
    let wanted = wanted.unwrap_or(SCRIPTS);
    let next = AtomicU64::new(0);
    let check_some = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= wanted {
                return;
            }
            check(seed);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(check_some);
        }
    });
}

fn check(seed: u64) {
    let steps = script(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    if difference(&steps).is_some() {
        let steps = shrunk(steps);
        let told = difference(&steps).expect("what is left still differs");
        panic!("script {seed}: {steps:#?}\n{told}");
    }
}
