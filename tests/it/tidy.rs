//! Checks what ARCHITECTURE.md promises, as far as a machine can: which layer may use which, and where code may not be.

use std::path::{Path, PathBuf};

/// The layers in order: each may use itself and those before it.
const LAYERS: [&[&str]; 12] = [
    &["limits"],
    &["text"],
    &["syntax"],
    &["data"],
    &["code"],
    &["config", "facts"],
    &["backends", "engine"],
    &["binding"],
    &["settings"],
    &["world"],
    &["ide"],
    &["cli", "server"],
];

/// For code; quoted text may be longer, because breaking it would change its meaning.
const MAX_CODE_COLUMNS: usize = 110;

/// For comments.
const MAX_PROSE_COLUMNS: usize = 140;

#[test]
fn each_layer_uses_only_those_before_it() {
    check(|file, line| {
        let own = layer_of(file.layer()?)?;
        let used = used_layers(line).find(|name| layer_of(name).is_some_and(|it| it > own))?;
        Some(format!("{} may not use {used}", file.layer()?))
    });
}

#[test]
fn the_disk_is_read_in_few_places() {
    let allowed = ["src/world/loader.rs", "src/cli", "src/backends"];
    absent("std::fs", &allowed);
    absent("std::env", &["src/cli", "src/world/loader.rs"]);
}

#[test]
fn programs_are_started_in_few_places() {
    absent("Command::new", &["src/world/git.rs", "src/backends/bridge"]);
}

#[test]
fn only_the_server_speaks_the_protocol() {
    for name in ["tower_lsp", "tokio::", "use tokio", "tower::"] {
        absent(name, &["src/server", "src/server.rs", "src/cli/server.rs", "src/cli/mcp.rs"]);
    }
    absent("rmcp", &["src/cli/mcp.rs"]);
}

#[test]
fn features_find_values_by_lookups_alone() {
    // These show the hierarchy itself, and where a value could be written.
    let allowed = ["src/ide/hierarchy.rs", "src/ide/level_files.rs", "src/ide/actions/levels.rs"];
    for walk in [".levels(&", ".levels(evaluator", ".default_levels(", ".layers("] {
        check(|file, line| {
            let is_feature = file.path.starts_with("src/ide/") && !allowed.contains(&&*file.path);
            (is_feature && line.contains(walk))
                .then(|| format!("`{walk}…` goes through levels; ask for an answer's sources"))
        });
    }
}

#[test]
fn libyaml_is_wrapped_in_one_module() {
    absent("libyaml_rs", &["src/syntax/yaml"]);
    for name in ["unsafe {", "unsafe fn", "allow(unsafe_code)", "expect(unsafe_code"] {
        absent(name, &["src/syntax/yaml"]);
    }
}

#[test]
fn ropes_stay_in_the_buffer() {
    absent("ropey", &["src/text/buffer.rs"]);
}

#[test]
fn other_libraries_are_wrapped_too() {
    absent("fancy_regex", &["src/syntax/ruby_regex.rs", "src/syntax/ruby_regex"]);
    absent("jsonc_parser", &["src/syntax/json.rs", "src/syntax/json"]);
    absent("use notify", &["src/server", "src/cli/check/watch.rs"]);
    absent("anstream", &["src/cli/terminal.rs", "src/cli/rule.rs"]);
    absent("yaml_rust2", &["src/syntax/yaml_1_2.rs"]);
    absent("clap", &["src/cli", "src/cli.rs"]);
}

#[test]
fn every_file_says_what_it_is() {
    let problems = sources().into_iter().filter(|file| !file.text.starts_with("//! "));
    let problems: Vec<_> =
        problems.map(|file| format!("{}: opens without `//! `", file.path)).collect();
    report(&problems);
}

#[test]
fn lines_fit_the_page() {
    let mut problems = Vec::new();
    for file in sources() {
        for (index, line) in file.text.lines().enumerate() {
            let columns = line.chars().count();
            let is_prose = line.trim_start().starts_with("//");
            let most = if is_prose { MAX_PROSE_COLUMNS } else { MAX_CODE_COLUMNS };
            let is_text = line.contains('"') || line.ends_with('\\');
            if columns > most && (is_prose || file.is_code(index) && !is_text) {
                problems.push(format!("{}:{}: {columns} columns", file.path, index + 1));
            }
        }
    }
    report(&problems);
}

#[test]
fn nothing_is_left_to_be_done_or_ignored() {
    let words = ["TODO", "FIXME", "todo!(", "unimplemented!(", "dbg!(", "#[ignore"];
    let mut problems = Vec::new();
    // Comments and unit tests count, too.
    for file in sources().into_iter().filter(|it| it.path != "tests/it/tidy.rs") {
        for (index, line) in file.text.lines().enumerate() {
            let found = words.iter().find(|word| line.contains(**word));
            problems.extend(found.map(|it| format!("{}:{}: `{it}`", file.path, index + 1)));
        }
    }
    report(&problems);
}

/// A file of the project.
struct Source {
    /// Below the project's root, with `/`.
    path: String,
    text: String,
}

impl Source {
    /// The name of the file's layer, if it has one.
    fn layer(&self) -> Option<&str> {
        let below = self.path.strip_prefix("src/")?;
        let name = below.split(['/', '.']).next()?;
        layer_of(name).map(|_| name)
    }

    /// Whether the line with this index is outside unit tests and their texts.
    fn is_code(&self, index: usize) -> bool {
        self.code().any(|(number, _)| number == index + 1)
    }

    /// Lines with their numbers, without those of comments and of the unit tests at the end: tests may use anything.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let tests = self.text.find("\nmod tests {").unwrap_or(self.text.len());
        let is_test_file = ["/tests.rs", "_tests.rs"].iter().any(|end| self.path.ends_with(end))
            || self.path.contains("/tests/");
        let code =
            if is_test_file && self.path.starts_with("src/") { "" } else { &self.text[..tests] };
        let lines = code.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}

fn layer_of(name: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&name))
}

/// The modules below the crate's root that a line names.
fn used_layers(line: &str) -> impl Iterator<Item = &str> {
    let parts = line.split("crate::").skip(1);
    parts.filter_map(|rest| rest.split(|it: char| !it.is_alphanumeric() && it != '_').next())
}

/// Fails if `text` is in code anywhere except in files whose path starts with one of `allowed`.
fn absent(text: &str, allowed: &[&str]) {
    check(|file, line| {
        let is_allowed = allowed.iter().any(|prefix| file.path.starts_with(prefix));
        (file.path.starts_with("src/") && !is_allowed && line.contains(text))
            .then(|| format!("`{text}` belongs only into {}", allowed.join(", ")))
    });
}

/// Fails if `problem` finds anything in a line of code.
fn check(problem: impl Fn(&Source, &str) -> Option<String>) {
    let mut problems = Vec::new();
    for file in sources() {
        for (number, line) in file.code() {
            let found = problem(&file, line);
            problems.extend(found.map(|what| format!("{}:{number}: {what}", file.path)));
        }
    }
    report(&problems);
}

fn report(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}", problems.join("\n"));
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    for directory in ["src", "tests", "benches"] {
        collect(&root.join(directory), &mut paths);
    }
    paths.sort();
    let read = |path: PathBuf| {
        let below = path.strip_prefix(root).expect("a path below the root").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("a source file in UTF-8");
        Source { path: below.replace('\\', "/"), text }
    };
    paths.into_iter().map(read).collect()
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|it| it == "rs") {
            paths.push(path);
        }
    }
}
