//! The examples of the rules' pages are true: the bad ones have exactly the shown findings, the fixed ones have none.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::RULES;
use crate::ide::fixture::Fixture;

/// One fenced block of a page.
struct Example {
    line: usize,
    section: String,
    text: String,
}

#[test]
fn every_rule_has_a_page_and_every_page_a_rule() {
    let pages: BTreeSet<_> = pages().iter().map(|page| code_of(page)).collect();
    let rules: BTreeSet<_> = RULES.iter().map(|rule| rule.code.to_owned()).collect();
    assert_eq!(pages, rules);
}

#[test]
fn pages_say_what_the_table_says() {
    for page in pages() {
        let text = read(&page);
        let code = code_of(&page);
        assert!(text.starts_with(&format!("# {code}\n")), "{code}: the title must be the code");
        let rule = RULES.iter().find(|rule| rule.code == code).expect("checked by another test");
        let since = format!("Since {}.", rule.since);
        assert!(text.contains(&since), "{code}: the page must say `{since}`");
        for former in rule.former {
            let mentions = text.matches(&format!("`{former}`")).count();
            assert_eq!(mentions, 1, "{code}: the page must say once that it was `{former}`");
        }
        for section in ["## What", "## Why", "## Example", "## Fix"] {
            assert!(text.contains(&format!("\n{section}\n")), "{code}: no section `{section}`");
        }
    }
}

#[test]
fn examples_are_reported_as_shown() {
    let mut failures = Vec::new();
    for page in pages() {
        let code = code_of(&page);
        for example in examples(&read(&page)) {
            if let Err(problem) = check(&code, &example) {
                failures.push(format!("{code}.md:{}:\n{problem}\n", example.line));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.concat());
}

/// Bad examples (all except those under "Fix") have findings of the page's rule and no others.
fn check(code: &str, example: &Example) -> Result<(), String> {
    let fixture = Fixture::parse_without_marks(&example.text);
    let expected: Vec<_> = fixture.files.iter().flat_map(|file| &file.expectations).collect();
    let is_good = example.section == "Fix";
    if is_good != expected.is_empty() {
        return Err("expectations belong under Example, and only there".to_owned());
    }
    if let Some(other) = expected.iter().find(|expected| expected.code != code) {
        return Err(format!("the example of another rule: {}", other.code));
    }
    fixture.check_fixes()?;
    fixture.check_diagnostics().map_err(|problems| format!("{problems}\n{}", example.text))
}

fn examples(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut section = String::new();
    let mut open: Option<Example> = None;
    for (number, line) in page.lines().enumerate() {
        match &mut open {
            Some(_) if line == "```" => examples.extend(open.take()),
            Some(example) => {
                example.text += line;
                example.text.push('\n');
            }
            None if line.starts_with("```") => {
                let section = section.clone();
                open = Some(Example { line: number + 1, section, text: String::new() });
            }
            None => {
                if let Some(title) = line.strip_prefix("## ") {
                    title.clone_into(&mut section);
                }
            }
        }
    }
    examples
}

fn pages() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules");
    let entries = std::fs::read_dir(&directory).expect("docs/rules is part of the sources");
    let mut pages: Vec<_> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    pages
}

fn code_of(page: &Path) -> String {
    page.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

fn read(page: &Path) -> String {
    std::fs::read_to_string(page).expect("the page was just listed")
}
