//! The parts that are generated from the tables of settings and rules are up to date.
//!
//! `UPDATE_GENERATED=1 cargo test --test it generated` writes them again.

use std::path::{Path, PathBuf};

use hiera_ls::ide::diagnostics::{RULES, rule_names};
use hiera_ls::{limits, settings};
use serde_json::Value;

/// The generated part of a page is between these lines; the rest is written by hand.
const BEGIN: &str = "<!-- generated: begin -->\n";
const END: &str = "<!-- generated: end -->\n";

#[test]
fn the_settings_of_the_vs_code_extension_are_those_of_the_server() {
    update("editors/vscode/package.json", |text| {
        let mut manifest: Value = serde_json::from_str(text).expect("package.json is JSON");
        // The last group has the settings of the extension itself.
        let groups = manifest["contributes"]["configuration"].as_array().expect("groups");
        let own = groups.last().expect("one at least").clone();
        let groups = settings::vscode_configuration(&rule_names()).into_iter().chain([own]);
        manifest["contributes"]["configuration"] = groups.collect();
        let restricted = ["hiera.server.path".to_owned()].into_iter();
        let restricted: Vec<String> = restricted.chain(settings::vscode_restricted()).collect();
        let capability = &mut manifest["capabilities"]["untrustedWorkspaces"];
        capability["restrictedConfigurations"] = restricted.into();
        serde_json::to_string_pretty(&manifest).expect("what was JSON is JSON") + "\n"
    });
}

#[test]
fn the_schema_of_the_project_file_names_all_rules() {
    update("schemas/hiera-ls.schema.json", |_| {
        let schema = settings::json_schema(&rule_names());
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
fn the_page_of_limits_has_them_all() {
    update("docs/limits.md", |text| with_generated(text, &limits::markdown_table()));
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

#[test]
fn the_book_has_every_page_and_every_page_is_there() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).expect("the book has a summary");
    let mut problems = Vec::new();
    for page in pages(&docs) {
        let name = page.strip_prefix(&docs).expect("it lies there").to_string_lossy().into_owned();
        if name != "SUMMARY.md" && !summary.contains(&format!("]({name})")) {
            problems.push(format!("SUMMARY.md does not list {name}"));
        }
        let text = std::fs::read_to_string(&page).expect("a page is text");
        let directory = page.parent().expect("a page lies in a directory");
        for target in relative_links(&text) {
            if !directory.join(&target).exists() {
                problems.push(format!("{name} leads to {target}, which does not exist"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// All Markdown files below a directory.
fn pages(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("the directory is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|it| it == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The targets of links and images outside of code that lead to files, without their anchors.
fn relative_links(text: &str) -> Vec<String> {
    let mut in_code = false;
    let mut targets = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let rest = line.split("](").skip(1).filter_map(|it| it.split(')').next());
            let paths = rest.filter(|it| !it.contains("://") && !it.starts_with('#'));
            targets.extend(paths.map(|it| it.split('#').next().unwrap_or(it).to_owned()));
        }
    }
    targets
}

fn is_rule(line: &str) -> bool {
    line.starts_with("  - [") && line.contains("](rules/")
}

fn with_generated(text: &str, generated: &str) -> String {
    let (before, rest) = text.split_once(BEGIN).expect("the page says where the table begins");
    let (_, after) = rest.split_once(END).expect("and where it ends");
    format!("{before}{BEGIN}\n{generated}\n{END}{after}")
}

/// Fails if the file does not equal the result of `generate`; writes it if requested.
#[track_caller]
fn update(path: &str, generate: impl FnOnce(&str) -> String) {
    let file: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let there = std::fs::read_to_string(&file).expect("the file is part of the project");
    let new = generate(&there);
    if there == new {
        return;
    }
    assert!(
        std::env::var_os("UPDATE_GENERATED").is_some(),
        "{path} is stale: run `UPDATE_GENERATED=1 cargo test --test it generated`"
    );
    // Other tests may read it at the same time.
    let written = file.with_extension("new");
    std::fs::write(&written, new).expect("the file can be written");
    std::fs::rename(written, file).expect("and take the place of the old one");
}
