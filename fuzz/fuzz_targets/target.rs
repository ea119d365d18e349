//! The target that `HIERA_LS_FUZZ_TARGET` names, for libFuzzer.
#![no_main]

use std::sync::OnceLock;

#[path = "../../tests/fuzz/bodies.rs"]
mod bodies;

static BODY: OnceLock<fn(&[u8])> = OnceLock::new();

fn chosen() -> fn(&[u8]) {
    let name = std::env::var("HIERA_LS_FUZZ_TARGET").unwrap_or_default();
    let found = bodies::TARGETS.iter().find(|target| target.0 == name);
    let names: Vec<&str> = bodies::TARGETS.iter().map(|target| target.0).collect();
    found.unwrap_or_else(|| panic!("HIERA_LS_FUZZ_TARGET is one of {}", names.join(", "))).1
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| BODY.get_or_init(chosen)(input));
