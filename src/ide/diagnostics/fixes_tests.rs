//! Whatever is wrong with a file, and however it is written: a fix removes its own diagnostic and no other.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::ide::fixture::Fixture;

const CASES: u32 = 60;

/// Values that rules report, and some that they do not, as they are written after `key: `. `K` is another key.
const VALUES: [&str; 30] = [
    "yes",
    "[off, 'x', 0644]",
    "0644",
    "007",
    "22:22",
    "1,000",
    "1e3 # many",
    "{x: :symbol}",
    "\n  - :symbol # ü\n  - 2",
    "\"é %{lookup( 'K' )}\"",
    "'%{lookup ('' K '')}'",
    "'%{lookup(K)}'",
    "\"%{lokup('K')} %{hira('K')}\"",
    "\"x %{alias('K')}\"",
    "' %{alias(\"K\")}'",
    "\"100%{ of it\"",
    "\"%{facts['os'][\"family\"]}\"",
    "\"%{facts.os.family}-%{osfamily}\"",
    "'%{::operatingsystem}'",
    "|\n  text\n  %{lokup('K')} # no comment",
    "{b: 1, b: 2, c: {d: yes, d: no}}",
    "\n  b: 1 # one\n  c: 2\n  b: 3",
    "\n  yes: 1\n  x: 0644",
    "1 # hiera-ls: ignore[octal-number]",
    "0644 # hiera-ls: ignore[octal-number, comma-number] why",
    "\"%{lookup('KK')}\"",
    "plain text",
    "[1, {a: [b]}]",
    "~",
    "'quoted'",
];

/// Options for a key `K`.
const OPTIONS: [&str; 8] = [
    "  K: {merge: deeper}\n",
    "  K:\n    mrege: deep # typo\n",
    "  K: {merge: {knockout_prefix: '--'}}\n",
    "  K:\n    merge:\n      strategy: deep\n      sort_merged_array: true\n",
    "  K: unique\n",
    "  K.x: {merge: hash}\n",
    "  '^K_nothing': {merge: hash}\n",
    "  K: {merge: first}\n",
];

const KEYS: [&str; 6] = ["alpha", "beta::gamma", "delta", "epsilon::zeta::eta", "theta", "'iota'"];

const NODE: &str = "diagnostics: {severity: {lookup-of-non-string: 'off'}}\nnodes: {one: {facts: {osfamily: Debian, os: {family: Debian}, operatingsystem: Debian}}}\n";

/// Entries by the numbers of their key, value and the key that the value names; then the options.
fn text(entries: &[(usize, usize, usize)], options: &[(usize, usize)]) -> String {
    let bare = |key: usize| KEYS[key].trim_matches('\'');
    let mut text = String::from("---\n# of all\n");
    for (key, value, other) in entries {
        let value = VALUES[*value].replace('K', bare(*other));
        text.extend(["# of ", bare(*key), "\n", KEYS[*key], ": ", &value, "\n"]);
    }
    if !options.is_empty() {
        text += "lookup_options:\n";
    }
    let mut seen = Vec::new();
    for (option, key) in options {
        if !seen.contains(key) {
            seen.push(*key);
            text += &OPTIONS[*option].replace('K', bare(*key));
        }
    }
    text
}

#[test]
fn fixes_do_what_they_say_and_nothing_else() {
    let entry = (0..KEYS.len(), 0..VALUES.len(), 0..KEYS.len());
    let option = (0..OPTIONS.len(), 0..KEYS.len());
    let files = (
        prop::collection::vec(entry.clone(), 1..6),
        prop::collection::vec(option, 0..3),
        prop::collection::vec(entry, 0..3),
    );
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let count = Cell::new(0);
    let outcome = TestRunner::new_with_rng(config, random).run(&files, |(high, options, low)| {
        let hierarchy = "version: 5\nhierarchy:\n  - {name: High, path: high.yaml}\n  - {name: Low, path: low.yaml}\n";
        let fixture = format!(
            "#- /hiera.yaml\n{hierarchy}#- /.hiera-ls.yaml\n{NODE}#- /data/high.yaml\n{}#- /data/low.yaml\n{}",
            text(&high, &options),
            text(&low, &[]),
        );
        let checked = Fixture::parse_without_marks(&fixture).check_fixes();
        match checked {
            Ok(fixes) => count.set(count.get() + fixes),
            Err(problems) => prop_assert!(false, "{problems}\n{fixture}"),
        }
        Ok(())
    });
    if let Err(problem) = outcome {
        panic!("{problem}");
    }
    assert!(count.get() > 200, "only {} fixes were done", count.get());
}
