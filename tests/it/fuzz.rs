//! Every reader ends on every text, without a panic: random changes of a few seeds, the same ones each time.

use std::path::Path;
use std::sync::Arc;

use hiera_ls::config::hiera_yaml::LayerKind;
use hiera_ls::config::{HieraYaml, PuppetVersion};
use hiera_ls::data::{DataFile, FileId, Format};
use hiera_ls::facts::formats;
use hiera_ls::syntax::{hocon, interpolation, json, key_path, ruby_regex, yaml};

/// How many texts each reader gets if `HIERA_LS_FUZZ` does not say.
const TEXTS: u64 = 1_500;

/// Texts are not made longer than this.
const MAX_BYTES: usize = 4_000;

/// What readers look out for.
const TOKENS: &[&str] = &[
    "%{",
    "}",
    "${",
    "${?",
    "{",
    "[",
    "]",
    "(",
    ")",
    "'",
    "\"",
    "\\",
    "\n",
    "\r",
    "\r\n",
    " ",
    "\t",
    ": ",
    "- ",
    "#",
    "&a",
    "*a",
    "!!str ",
    "<<",
    "---\n",
    "...\n",
    "|",
    ">",
    "\u{feff}",
    "\u{2028}",
    "\u{0}",
    "\u{e000}",
    "😀",
    "ä",
    "0",
    "9999999999999999999999",
    "0x",
    "0o7",
    "1e999",
    "1:30",
    "::",
    ".",
    ",",
    "=",
    "+=",
    "^",
    "$",
    "(?=",
    "(?<n>",
    "\\k<n>",
    "{1,99999}",
    "[^",
    "&&",
    "*",
    "+",
    "?",
    "//",
    "/*",
    "null",
    "true",
    "include ",
];

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }

    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The text with some random changes.
    fn changed(&mut self, seed: &str) -> String {
        let mut text = seed.to_owned();
        for _ in 0..=self.below(8) {
            let (one, other) = (self.place(&text), self.place(&text));
            let (from, to) = (one.min(other), one.max(other));
            match self.below(6) {
                0 => text.replace_range(from..to, ""),
                1 => {
                    let again = text[from..to].to_owned();
                    text.insert_str(from, &again);
                }
                2 => text
                    .insert_str(to, &TOKENS[self.below(TOKENS.len())].repeat(1 + self.below(40))),
                _ => text.insert_str(from, TOKENS[self.below(TOKENS.len())]),
            }
            while text.len() > MAX_BYTES {
                text.pop();
            }
        }
        text
    }
}

/// Gives `read` many texts that begin as `seed` does.
fn fuzz(seed: &str, read: impl Fn(&str)) {
    let number = |name| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz").join(seed);
    let text = std::fs::read_to_string(path).expect("the seed is there");
    read(&text);
    let mut random = Random(number("HIERA_LS_FUZZ_SEED").unwrap_or(1));
    for _ in 0..number("HIERA_LS_FUZZ").unwrap_or(TEXTS) {
        let changed = random.changed(&text);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| read(&changed)));
        assert!(outcome.is_ok(), "{seed}: {changed:?}");
    }
}

/// All that is asked of a data file.
fn read_data(format: Format, text: &str) {
    let file = DataFile::new(FileId(0), format, text.into());
    let keys = file.root_keys().len();
    let _ = (file.verdict(), file.entries().count(), file.trees().count(), file.syntax_errors());
    let _ = file.duplicate_keys();
    assert_eq!(keys, file.root_keys().len(), "what was asked before changes nothing");
}

#[test]
fn yaml_texts() {
    fuzz("data.yaml", |text| {
        let _ = (yaml::parse(text), yaml::parse_entries(text));
        read_data(Format::Yaml, text);
    });
}

#[test]
fn json_texts() {
    fuzz("data.json", |text| {
        let _ = json::parse(text);
        read_data(Format::Json, text);
    });
}

#[test]
fn hocon_texts() {
    fuzz("data.conf", |text| {
        let _ = (hocon::parse(text), hocon::written_names(text), hocon::root_fields(text));
        read_data(Format::Hocon, text);
    });
}

#[test]
fn interpolations() {
    fuzz("interpolation.txt", |text| {
        for token in interpolation::tokens(text) {
            let _ = token.lookup_key();
        }
        let _ = interpolation::unclosed(text);
    });
}

#[test]
fn key_paths() {
    fuzz("key-path.txt", |text| {
        let _ =
            (key_path::parse(text), key_path::segment_ranges(text), key_path::quote_segment(text));
    });
}

#[test]
fn patterns() {
    fuzz("regex.txt", |text| {
        if let Ok(regex) = ruby_regex::translate(text.trim_end()) {
            let _ = (regex.is_match("common::name"), regex.remove_all("a\nbb\n"));
        }
    });
}

#[test]
fn hiera_yaml_texts() {
    fuzz("hiera.yaml", |text| {
        let text: Arc<str> = text.into();
        for layer in [LayerKind::Global, LayerKind::Environment, LayerKind::Module] {
            let _ =
                HieraYaml::read("/e/hiera.yaml", FileId(0), Some(&text), layer, PuppetVersion::V8);
        }
    });
}

#[test]
fn fact_sets() {
    fuzz("facts.json", |text| {
        for path in ["/f/n.json", "/f/n.yaml", "/f/n.facts"] {
            let _ = formats::read(path, text);
        }
    });
}
