//! Links in the pages lead to existing targets, and the shown commands print the shown output in the sample repository.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Pages whose commands are for the sample repository.
const ABOUT_THE_SAMPLE: [&str; 4] = ["README.md", "docs/tour.md", "docs/cli.md", "docs/diff.md"];

#[test]
fn links_lead_somewhere() {
    let mut problems = String::new();
    let mut count = 0;
    for page in pages() {
        let text = without_code(&read(&page));
        for target in links(&text) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            count += 1;
            if let Err(problem) = follow(&page, target) {
                writeln!(problems, "{}: {target}: {problem}", page.display())
                    .expect("strings take everything");
            }
        }
    }
    assert!(count > 100, "only {count} links found");
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn commands_do_what_is_shown() {
    let mut problems = String::new();
    let mut count = 0;
    for page in ABOUT_THE_SAMPLE {
        for (command, shown) in commands(&read(Path::new(page))) {
            count += 1;
            let output = Command::new(env!("CARGO_BIN_EXE_hiera-ls"))
                .args(command.split_whitespace())
                .current_dir(in_root(Path::new("examples/control-repo")))
                .output()
                .expect("the program runs");
            let said = String::from_utf8_lossy(&output.stdout);
            if !output.status.success() || !shown.is_empty() && said != shown {
                writeln!(problems, "{page}: hiera-ls {command}: {output:?}")
                    .expect("strings take everything");
            }
        }
    }
    assert!(count > 6, "only {count} commands found");
    assert!(problems.is_empty(), "{problems}");
}

/// Whether the target of a link exists.
fn follow(page: &Path, target: &str) -> Result<(), String> {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(it, at)| (it, Some(at)));
    let directory = page.parent().unwrap_or(Path::new(""));
    let file = if path.is_empty() { page.to_path_buf() } else { directory.join(path) };
    if !in_root(&file).exists() {
        return Err("there is no such file".to_owned());
    }
    let Some(anchor) = anchor else { return Ok(()) };
    let text = without_code(&read(&file));
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    if headings.any(|heading| slug(heading) == anchor) {
        return Ok(());
    }
    Err("the page has no such heading".to_owned())
}

/// The anchor of a heading, as mdbook and GitHub create it.
fn slug(heading: &str) -> String {
    let title = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = title.chars().filter(|it| it.is_alphanumeric() || matches!(it, ' ' | '-' | '_'));
    kept.map(|it| if it == ' ' { '-' } else { it }).collect()
}

/// The text in the parentheses of `[text](target)` and `![text](target)`.
fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// The lines outside fenced blocks.
fn without_code(text: &str) -> String {
    let mut is_code = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            prose += line;
            prose.push('\n');
        }
    }
    prose
}

/// The arguments of every `$ hiera-ls …` in a `console` block that needs no shell, and the output below it.
fn commands(text: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    let mut is_console = false;
    let mut is_ours = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_console = line == "```console";
            is_ours = false;
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| is_console) {
            let arguments = command.strip_prefix("hiera-ls ");
            let arguments = arguments.filter(|it| !it.contains(['|', '>', '<', '\'', '"']));
            is_ours = arguments.is_some();
            commands.extend(arguments.map(|it| (it.to_owned(), String::new())));
        } else if is_ours && let Some((_, shown)) = commands.last_mut() {
            shown.push_str(line);
            shown.push('\n');
        }
    }
    commands
}

/// All pages for users, from the project's root.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![PathBuf::from("editors/vscode/README.md")];
    for directory in ["", "docs", "docs/install", "docs/rules", "examples/control-repo"] {
        let entries =
            std::fs::read_dir(in_root(Path::new(directory))).expect("part of the sources");
        let files = entries.filter_map(|it| Some(Path::new(directory).join(it.ok()?.file_name())));
        pages.extend(files.filter(|it| it.extension().is_some_and(|it| it == "md")));
    }
    pages.sort();
    pages
}

fn in_root(path: &Path) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(in_root(path)).expect("a page in UTF-8")
}
