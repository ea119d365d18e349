//! What is written from the tables of settings and rules is as new as they are.
//!
//! `UPDATE_GENERATED=1 cargo test --test it generated` writes it anew.

use std::path::{Path, PathBuf};

use hiera_ls::ide::diagnostics::{RULES, codes};
use hiera_ls::settings;
use serde_json::Value;

/// Between these lines stands what is generated in a page; the rest is written by hand.
const BEGIN: &str = "<!-- generated: begin -->\n";
const END: &str = "<!-- generated: end -->\n";

#[test]
fn the_settings_of_the_vs_code_extension_are_those_of_the_server() {
    update("editors/vscode/package.json", |text| {
        let mut manifest: Value = serde_json::from_str(text).expect("package.json is JSON");
        // The second category has the settings of the extension itself.
        manifest["contributes"]["configuration"][0] = settings::vscode_configuration(&codes());
        serde_json::to_string_pretty(&manifest).expect("what was JSON is JSON") + "\n"
    });
}

#[test]
fn the_schema_of_the_project_file_names_all_rules() {
    update("schemas/hiera-ls.schema.json", |_| {
        let schema = settings::json_schema(&codes());
        serde_json::to_string_pretty(&schema).expect("what was JSON is JSON") + "\n"
    });
}

#[test]
fn the_page_of_settings_has_them_all() {
    update("docs/settings.md", |text| with_generated(text, &settings::markdown_table()));
}

#[test]
fn the_page_of_rules_has_them_all() {
    let mut table = String::from("| Rule | Severity | What it finds |\n|---|---|---|\n");
    for rule in RULES {
        let severity = if rule.is_on { rule.severity.name() } else { "off" };
        let code = rule.code;
        table += &format!("| [`{code}`](rules/{code}.md) | {severity} | {} |\n", rule.summary);
    }
    update("docs/rules.md", |text| with_generated(text, &table));
}

#[test]
fn the_book_has_a_page_for_each_rule() {
    update("docs/SUMMARY.md", |text| {
        let (before, rest) = text.split_once("](rules.md)\n").expect("the book has rules");
        let rest: String = rest.split_inclusive('\n').skip_while(|it| is_rule(it)).collect();
        let entry = |code: &str| format!("  - [{code}](rules/{code}.md)\n");
        let pages: String = RULES.iter().map(|rule| entry(rule.code)).collect();
        format!("{before}](rules.md)\n{pages}{rest}")
    });
}

fn is_rule(line: &str) -> bool {
    line.starts_with("  - [") && line.contains("](rules/")
}

fn with_generated(text: &str, generated: &str) -> String {
    let (before, rest) = text.split_once(BEGIN).expect("the page says where the table begins");
    let (_, after) = rest.split_once(END).expect("and where it ends");
    format!("{before}{BEGIN}\n{generated}\n{END}{after}")
}

/// Fails if the file is not what `generate` makes of it; writes that if asked to.
#[track_caller]
fn update(path: &str, generate: impl FnOnce(&str) -> String) {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let there = std::fs::read_to_string(&file).expect("the file is part of the project");
    let new = generate(&there);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&file, &new).expect("the file can be written");
    } else {
        assert!(
            there == new,
            "{path} is stale: run `UPDATE_GENERATED=1 cargo test --test it generated`"
        );
    }
}
