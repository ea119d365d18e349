//! Files that are written from tables of the program are up to date. `UPDATE_GENERATED=1 cargo test --test it generated`
//! writes them.

use std::path::Path;

use hiera_ls::ide::diagnostics::codes;
use hiera_ls::settings::{json_schema, markdown_table};

/// What stands before the table of settings.
const SETTINGS_PAGE: &str = include_str!("generated/settings.md");

#[track_caller]
fn check(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&path, expected).expect("the file can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == expected,
        "{name} is stale: run `UPDATE_GENERATED=1 cargo test --test it generated`"
    );
}

#[test]
fn the_schema_of_the_project_file() {
    let schema = serde_json::to_string_pretty(&json_schema(&codes())).expect("JSON");
    check("schemas/hiera-ls.schema.json", &(schema + "\n"));
}

#[test]
fn the_page_about_the_settings() {
    check("docs/settings.md", &SETTINGS_PAGE.replace("<!-- settings -->\n", &markdown_table()));
}
