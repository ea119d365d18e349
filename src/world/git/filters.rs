//! Filters: programs that convert a file when Git checks it out or adds it. None of them is ever run.

use std::collections::{BTreeSet, HashMap};
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{ItemKind, Repository, TreeItem, cannot_be_run, command, git};

impl Repository {
    /// By path, the names of the filters that change files of a commit when these are checked out.
    pub(super) fn filters(
        &self,
        commit: &str,
        items: &[(String, TreeItem)],
    ) -> Result<HashMap<String, String>, String> {
        let defined = defined(&self.root)?;
        let is_run = |member: &str| member == "smudge" || member == "process";
        let names: BTreeSet<&str> = names_and_members(&defined)
            .filter_map(|(name, member)| is_run(member).then_some(name))
            .collect();
        if names.is_empty() {
            return Ok(HashMap::new());
        }
        let files = items.iter().filter(|(_, item)| item.kind == ItemKind::File);
        let asked: Vec<u8> = files.flat_map(|(path, _)| path.bytes().chain([0])).collect();
        let mut ask = command(self.top_or_root());
        // Older versions of Git do not know this variable. They use the attributes of the working tree.
        ask.env("GIT_ATTR_SOURCE", commit).args(["check-attr", "--stdin", "-z", "filter"]);
        let answer = answer_to(&mut ask, &asked)?;
        let answer = String::from_utf8_lossy(&answer);
        let words: Vec<&str> = answer.split('\0').collect();
        let files = words.chunks_exact(3).filter(|words| names.contains(words[2]));
        Ok(files.map(|words| (words[0].to_owned(), words[2].to_owned())).collect())
    }
}

/// The output of a program for an input.
fn answer_to(command: &mut Command, input: &[u8]) -> Result<Vec<u8>, String> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| cannot_be_run(&error))?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        // Git answers while it reads, and would wait forever if its answers were not read.
        scope.spawn(move || stdin.map(|mut it| it.write_all(input)));
        child.wait_with_output()
    });
    let output = output.map_err(|error| cannot_be_run(&error))?;
    output
        .status
        .success()
        .then_some(output.stdout)
        .ok_or_else(|| "git check-attr failed".to_owned())
}

/// Overrides the filters that the repository's settings define. Attributes outside of any commit can name them, and Git runs
/// them when it compares a working tree.
pub(super) fn without_filters(root: &str, command: &mut Command) -> Result<(), String> {
    let defined = defined(root)?;
    let names: BTreeSet<&str> = names_and_members(&defined).map(|(name, _)| name).collect();
    // The value is passed through a variable, because a name could be read as more than a name.
    command.env(NO_PROGRAM, "").env(NOT_REQUIRED, "false");
    for name in names {
        let members = ["clean", "smudge", "process"].map(|it| (it, "", NO_PROGRAM));
        for (member, value, variable) in
            members.into_iter().chain([("required", "false", NOT_REQUIRED)])
        {
            let key = format!("filter.{name}.{member}");
            // `-c` would cut the name at its first `=`.
            if name.contains('=') {
                command.arg(format!("--config-env={key}={variable}"));
            } else {
                command.args(["-c", &format!("{key}={value}")]);
            }
        }
    }
    Ok(())
}

/// Variables that contain the values that filters are set to.
const NO_PROGRAM: &str = "HIERA_LS_NO_PROGRAM";
const NOT_REQUIRED: &str = "HIERA_LS_NOT_REQUIRED";

/// The settings of all filters, each as `filter.NAME.MEMBER` and a NUL.
fn defined(root: &str) -> Result<String, String> {
    let defined = ["config", "--null", "--name-only", "--get-regexp", "^filter\\."];
    let output = command(root).args(defined).output();
    let output = output.map_err(|error| cannot_be_run(&error))?;
    let defined = match output.status.code() {
        Some(0) => output.stdout,
        // Git found none.
        Some(1) => Vec::new(),
        _ => return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    };
    // What cannot be overridden would be run.
    String::from_utf8(defined)
        .map_err(|_| "the settings of Git define a filter whose name is not UTF-8".to_owned())
}

/// The name and the member of each setting.
fn names_and_members(defined: &str) -> impl Iterator<Item = (&str, &str)> {
    defined.split('\0').filter_map(|key| key.strip_prefix("filter.")?.rsplit_once('.'))
}

/// A repository's attributes name filters; an empty tree has no attributes.
pub(super) fn without_attributes(root: &str, command: &mut Command) {
    let format = git(root, &["rev-parse", "--show-object-format"]).unwrap_or_default();
    let empty = if format.trim() == "sha256" { EMPTY_TREE_SHA256 } else { EMPTY_TREE };
    command.env("GIT_ATTR_SOURCE", empty);
}

/// The name of a tree without files, which every repository has.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY_TREE_SHA256: &str = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
