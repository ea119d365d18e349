//! The language server, as a client sees it.

mod actions;
mod back_ends;
mod cases;
mod changes;
mod code;
mod code_and_data;
mod diagnostics;
mod encodings;
mod features;
mod files;
mod glance;
mod hostile;
mod life;
mod manners;
mod nodes;
mod order;
mod outside;
mod parts;
mod previews;
#[cfg(unix)]
mod programs;
mod refactoring;
mod stdio;
mod typing;
