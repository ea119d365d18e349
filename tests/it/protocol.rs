//! The language server, as a client sees it.

mod actions;
mod back_ends;
mod diagnostics;
mod encodings;
mod features;
mod files;
mod life;
mod nodes;
mod order;
mod refactoring;
mod stdio;
