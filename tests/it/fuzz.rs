//! Every parser ends on every input, without a panic: on interesting inputs, and on random changes of them, which are the
//! same each time. `fuzz/` does more of this with a Rust that can report which branches an input took.

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[path = "../fuzz/bodies.rs"]
mod bodies;

/// The number of inputs of each target beside its corpus if neither `HIERA_LS_FUZZ` nor `HIERA_LS_FUZZ_SECONDS` is set.
const INPUTS: u64 = 1_000;

/// The minimum number of inputs of a target; an input for a server costs as much as many others.
const SLOW_TARGETS: &[(&str, u64)] = &[("messages", 20), ("edit_script", 20)];

/// The maximum length of inputs.
const MAX_BYTES: usize = 4_000;

/// Texts that have a meaning for parsers.
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
    "class a($b) { }",
    "Array[",
    "ENC[PKCS7,",
    "@(EOT)",
    "\u{0}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":",
];

/// A small random number generator with the same results everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }

    /// The input with some random changes.
    fn changed(&mut self, seed: &[u8]) -> Vec<u8> {
        let mut input = seed.to_vec();
        for _ in 0..=self.below(8) {
            let (one, other) = (self.below(input.len() + 1), self.below(input.len() + 1));
            let (from, to) = (one.min(other), one.max(other));
            let token = TOKENS[self.below(TOKENS.len())].as_bytes();
            match self.below(7) {
                0 => drop(input.drain(from..to)),
                1 => {
                    let again = input[from..to].to_vec();
                    input.splice(from..from, again);
                }
                2 => drop(input.splice(to..to, token.repeat(1 + self.below(40)))),
                3 => drop(input.splice(from..from, [self.below(256) as u8])),
                _ => drop(input.splice(from..from, token.iter().copied())),
            }
            input.truncate(MAX_BYTES);
        }
        // Most parsers read only UTF-8, so a split byte should not end everything.
        match self.below(8) {
            0 => input,
            _ => String::from_utf8_lossy(&input).into_owned().into_bytes(),
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|it| it.parse().ok())
}

/// The seed of a target, and its interesting inputs, in the order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
    let entries = std::fs::read_dir(&folder).expect("the target has a corpus");
    let mut paths: Vec<_> = entries.map(|it| it.expect("it can be read").path()).collect();
    paths.sort();
    let texts = paths.iter().map(|path| std::fs::read(path).expect("it can be read"));
    let texts: Vec<Vec<u8>> = texts.collect();
    assert!(!texts.is_empty(), "{name} has no seed");
    texts
}

/// Runs a target on its corpus, and then on many changed inputs; returns their number.
fn fuzz((name, body): &bodies::Target) -> u64 {
    let run = |input: &[u8]| {
        let outcome = std::panic::catch_unwind(|| body(input));
        assert!(outcome.is_ok(), "{name}: {:?}", String::from_utf8_lossy(input));
    };
    let corpus = corpus(name);
    for input in &corpus {
        run(input);
    }
    let slow = SLOW_TARGETS.iter().find(|(slow, _)| slow == name);
    let inputs = number("HIERA_LS_FUZZ").unwrap_or(slow.map_or(INPUTS, |(_, inputs)| *inputs));
    let time = number("HIERA_LS_FUZZ_SECONDS").map(Duration::from_secs);
    let started = Instant::now();
    let mut random = Random(number("HIERA_LS_FUZZ_SEED").unwrap_or(1));
    let mut done = 0;
    while time.map_or(done < inputs, |time| started.elapsed() < time) {
        let seed = random.below(corpus.len());
        run(&random.changed(&corpus[seed]));
        done += 1;
    }
    done + corpus.len() as u64
}

#[test]
fn every_target_ends_on_every_input() {
    let wanted = std::env::var("HIERA_LS_FUZZ_TARGET").ok();
    let is_wanted = |it: &&bodies::Target| wanted.as_deref().is_none_or(|name| name == it.0);
    let targets: Vec<_> = bodies::TARGETS.iter().filter(is_wanted).collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    println!("{}: {} inputs", target.0, fuzz(target));
                }
            });
        }
    });
}
