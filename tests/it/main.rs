//! The tests that need the whole program.
#![allow(clippy::print_stdout, reason = "a test says so when it is skipped")]
#![allow(clippy::format_push_string, clippy::format_collect, reason = "speed does not matter here")]

mod answers;
mod canary;
mod case_file;
mod check;
mod check_control;
mod classes;
mod cli;
mod conformance;
mod corpus;
mod determinism;
mod diff;
mod docs;
mod fuzz;
mod generated;
mod hostile;
mod linked_data;
mod links;
mod lookup_class;
mod nodes;
mod opaque;
mod packaging;
mod previews;
mod protocol;
mod psych;
#[cfg(unix)]
mod refusals;
mod support;
mod terminal;
mod tidy;
mod types;
mod uses;
mod why;
mod workspaces;
