//! What is done with each random input: the bodies of the targets of `fuzz/`, and of the loop in `tests/it/fuzz.rs`.
//!
//! An input breaks a body that panics, does not end, or finds two answers that should be one.

use std::sync::Arc;

use hiera_ls::backends::eyaml::blob;
use hiera_ls::config::hiera_yaml::LayerKind;
use hiera_ls::config::{HieraYaml, PuppetVersion};
use hiera_ls::data::{DataFile, FileId, Format, puppet_type};
use hiera_ls::facts::formats;
use hiera_ls::ide;
use hiera_ls::server::{Features, runtime, serve};
use hiera_ls::settings::Settings;
use hiera_ls::syntax::{hocon, interpolation, json, key_path, puppet, ruby_regex, yaml};
use hiera_ls::text::{Buffer, BufferEdit, Encoding, LineCol, LineIndex};
use hiera_ls::world::{Change, Host, MemoryDisk, World};

/// A target: its name, which is also the name of its seed and of the folder of its corpus.
pub(super) type Target = (&'static str, fn(&[u8]));

/// All targets.
pub(super) const TARGETS: &[Target] = &[
    ("yaml", |it| with_text(it, yaml_text)),
    ("json", |it| with_text(it, json_text)),
    ("hocon", |it| with_text(it, hocon_text)),
    ("interpolation", |it| with_text(it, interpolations)),
    ("key_path", |it| with_text(it, key_paths)),
    ("regex", |it| with_text(it, patterns)),
    ("hiera_yaml", |it| with_text(it, hiera_yaml)),
    ("settings", |it| with_text(it, settings)),
    ("facts", |it| with_text(it, fact_sets)),
    ("manifest", |it| with_text(it, manifests)),
    ("puppet_type", |it| with_text(it, types)),
    ("eyaml", |it| with_text(it, blobs)),
    ("edits", edits),
    ("edit_script", edit_script),
    ("messages", messages),
];

fn with_text(input: &[u8], body: fn(&str)) {
    if let Ok(text) = std::str::from_utf8(input) {
        body(text);
    }
}

/// All functions that read a data file.
fn data_file(format: Format, text: &str) {
    let file = DataFile::new(FileId(0), format, text.into());
    let keys = file.root_keys().len();
    let _ = (file.verdict(), file.entries().count(), file.trees().count(), file.syntax_errors());
    let _ = file.duplicate_keys();
    assert_eq!(keys, file.root_keys().len(), "what was asked before changes nothing");
}

fn yaml_text(text: &str) {
    let _ = (yaml::parse(text), yaml::parse_entries(text));
    data_file(Format::Yaml, text);
}

fn json_text(text: &str) {
    let _ = json::parse(text);
    data_file(Format::Json, text);
}

fn hocon_text(text: &str) {
    let _ = (hocon::parse(text), hocon::written_names(text), hocon::root_fields(text));
    data_file(Format::Hocon, text);
}

fn interpolations(text: &str) {
    for token in interpolation::tokens(text) {
        let _ = token.lookup_key();
    }
    let _ = interpolation::unclosed(text);
}

fn key_paths(text: &str) {
    let _ = (key_path::parse(text), key_path::segment_ranges(text), key_path::quote_segment(text));
}

fn patterns(text: &str) {
    if let Ok(regex) = ruby_regex::translate(text.trim_end()) {
        let _ = (regex.is_match("common::name"), regex.remove_all("a\nbb\n"));
    }
}

fn hiera_yaml(text: &str) {
    let text: Arc<str> = text.into();
    for layer in [LayerKind::Global, LayerKind::Environment, LayerKind::Module] {
        let _ = HieraYaml::read("/e/hiera.yaml", FileId(0), Some(&text), layer, PuppetVersion::V8);
    }
}

fn settings(text: &str) {
    let _ = Settings::read(Some(text), None, &[]);
}

fn fact_sets(text: &str) {
    for path in ["/f/n.json", "/f/n.yaml", "/f/n.facts"] {
        let _ = formats::read(path, text);
    }
}

fn manifests(text: &str) {
    let _ = puppet::parse(text, puppet::Language::Manifest);
    let _ = puppet::names(text, puppet::Language::Manifest);
}

fn types(text: &str) {
    let _ = puppet_type::parse(text);
}

fn blobs(text: &str) {
    let found: usize = blob::blobs(text).iter().map(|it| it.range.slice(text).len()).sum();
    assert!(found <= text.len(), "no two blobs overlap");
    let _ = (blob::is_encrypted(text), blob::problems(text), blob::shortened(text));
}

/// The bytes of an input, one after the other; zeros after its end.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    /// A text of at most this number of bytes.
    fn text(&mut self, most: usize) -> String {
        let (text, rest) = self.0.split_at(most.min(self.0.len()));
        self.0 = rest;
        String::from_utf8_lossy(text).into_owned()
    }

    fn edit(&mut self) -> BufferEdit {
        let mut place = || {
            let byte = self.next();
            LineCol { line: u32::from(byte >> 5), col: u32::from(byte & 31) }
        };
        let range = (place(), place());
        let length = usize::from(self.next());
        BufferEdit { range: (length != 255).then_some(range), new_text: self.text(length % 24) }
    }
}

/// Edits of a buffer, compared with an editor whose texts are arrays of UTF-16 units.
fn edits(input: &[u8]) {
    let mut bytes = Bytes(input);
    let length = usize::from(bytes.next());
    let mut expected: Vec<u16> = bytes.text(length).encode_utf16().collect();
    let mut buffer = Buffer::new(&String::from_utf16_lossy(&expected));
    while !bytes.is_over() {
        let edit = bytes.edit();
        let whole = |at: &LineCol| unit(&String::from_utf16_lossy(&expected), *at);
        let (one, other) = match &edit.range {
            Some((from, to)) => (whole(from), whole(to)),
            None => (0, expected.len()),
        };
        let new_text: Vec<u16> = edit.new_text.encode_utf16().collect();
        expected.splice(one.min(other)..one.max(other), new_text);
        buffer.apply(&[edit], Encoding::Utf16);
        assert_eq!(&*buffer.text(&mut String::new()), String::from_utf16_lossy(&expected));
    }
}

/// The unit of a text that a place of LSP means.
fn unit(text: &str, at: LineCol) -> usize {
    let line = LineIndex::new(text).line_range(text, at.line);
    let before = text[..line.start as usize].encode_utf16().count();
    before + (at.col as usize).min(line.slice(text).encode_utf16().count())
}

const ROOT: &str = "/w";

const SCRIPT_FILES: &[(&str, &str)] = &[
    (
        "/w/hiera.yaml",
        "version: 5\nhierarchy:\n  - {name: g, glob: 'g/*.yaml'}\n  - {name: c, path: c.yaml}\n",
    ),
    ("/w/data/c.yaml", "lookup_options: {a::b: {merge: deep}}\na::b: {x: 1}\n"),
    ("/w/data/g/d.yaml", "a::b: {y: \"%{lookup('a::c')}\"}\na::c: 1\n"),
    ("/w/modules/a/manifests/init.pp", "class a($b, Integer $c = 1) { }\n"),
];

/// A server after edits gives the same responses as one that opens the same texts.
fn edit_script(input: &[u8]) {
    let mut bytes = Bytes(input);
    let mut live = Host::new(Arc::new(MemoryDisk::new(SCRIPT_FILES.iter().copied())));
    live.apply(Change::Folders(vec![ROOT.to_owned()]));
    let mut steps = 0;
    while !bytes.is_over() && steps < 24 {
        steps += 1;
        let kind = bytes.next();
        let (path, text) = SCRIPT_FILES[usize::from(kind >> 3) % SCRIPT_FILES.len()];
        let path = path.to_owned();
        match kind % 8 {
            0 => {
                live.apply(Change::OpenBuffer { path, text: text.to_owned(), version: 1 });
            }
            1 => {
                live.apply(Change::CloseBuffer { path });
            }
            2 => drop(told(&live.snapshot())),
            _ => {
                let edits = vec![bytes.edit()];
                let encoding = Encoding::Utf16;
                live.apply(Change::EditBuffer { path, version: 2, edits, encoding });
            }
        }
    }
    let live = live.snapshot();
    let mut fresh = Host::new(Arc::new(MemoryDisk::new(SCRIPT_FILES.iter().copied())));
    fresh.apply(Change::Folders(vec![ROOT.to_owned()]));
    for open in live.open_files() {
        let (path, text) = (open.entry.path.to_string(), open.entry.text.to_string());
        fresh.apply(Change::OpenBuffer { path, text, version: 1 });
    }
    assert_eq!(told(&live), told(&fresh.snapshot()));
}

fn told(world: &Arc<World>) -> String {
    let diagnostics = SCRIPT_FILES.iter().map(|(path, _)| ide::diagnostics(world, path));
    format!("{:?}", diagnostics.collect::<Vec<_>>())
}

/// Bytes from an editor: unchanged if they start as a message does, otherwise each part between zeros is a message.
fn messages(input: &[u8]) {
    let framed: Vec<u8> = if input.starts_with(b"Content-Length") {
        input.to_vec()
    } else {
        let bodies = input.split(|byte| *byte == 0);
        let frame = |body: &[u8]| {
            [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
        };
        bodies.flat_map(frame).collect()
    };
    let runtime = runtime().expect("a runtime");
    runtime.block_on(serve(&*framed, tokio::io::sink(), Features::ide()));
}
