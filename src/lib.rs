//! hiera-ls: the complete Hiera 5 lookup engine, and a language server for it.
//!
//! The modules are layers in reading order; each uses only those above it. ARCHITECTURE.md describes their guarantees.

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
