//! hiera-ls: the complete Hiera 5 lookup engine, and an editor's window into it.
//!
//! The layers in reading order; each uses only those above it. ARCHITECTURE.md says what each promises.

pub mod limits;

pub mod text;

pub mod syntax;

pub mod data;

pub mod code;

pub mod config;
pub mod facts;

pub mod backends;
pub mod engine;

pub mod binding;

pub mod settings;
pub mod world;

pub mod ide;

pub mod cli;
pub mod server;
