//! Reads revisions from Git. Nothing of the repository is run (no hooks, no filters, no programs that its settings name),
//! nothing is fetched, and nothing is checked out.

mod blame;
mod contents;
mod disk;
mod filters;
mod not_compared;
mod working_tree;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::disk::DiskReader as _;

pub(crate) use disk::{GitDisk, NotAsData};
use filters::{without_attributes, without_filters};
pub(crate) use not_compared::Other;
pub(crate) use working_tree::WorkingTree;

/// The repository that a directory belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Repository {
    /// The directory.
    pub(crate) root: String,
    /// The directory as the repository names it, with a trailing `/`; empty at the top.
    pub(crate) prefix: String,
    /// The top of the working tree; `None` if there is no working tree.
    pub(crate) top: Option<String>,
}

/// An item in the tree of a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeItem {
    pub(crate) kind: ItemKind,
    /// The object name of its content.
    pub(crate) object: String,
}

/// The kind of item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemKind {
    File,
    Link,
    Submodule,
}

impl Repository {
    /// The repository that contains the directory `root`.
    pub(crate) fn of(root: &str) -> Result<Self, String> {
        let answer = git(root, &["rev-parse", "--is-bare-repository", "--show-prefix"]);
        let answer = answer.map_err(|words| {
            let is_none = words.contains("not a git repository");
            if is_none { format!("{root} is not in a Git repository") } else { words }
        })?;
        let mut lines = answer.lines();
        let is_bare = lines.next() == Some("true");
        let prefix = lines.next().unwrap_or_default().to_owned();
        let top = if is_bare { None } else { Some(git(root, &["rev-parse", "--show-toplevel"])?) };
        let top = top.map(|it| it.trim_end_matches(['\n', '\r']).to_owned());
        Ok(Self { root: root.to_owned(), prefix, top })
    }

    /// The commit of a revision.
    pub(crate) fn commit(&self, revision: &str) -> Result<String, String> {
        let name = if revision.is_empty() { "''" } else { revision };
        let no_commit = || format!("{name} is not a commit of the repository at {}", self.root);
        // The revision comes from settings or an editor. Git must not read it as an option.
        if revision.starts_with('-') || revision.is_empty() {
            return Err(no_commit());
        }
        let resolve = |name: &str| {
            git(&self.root, &["rev-parse", "--verify", "--quiet", "--end-of-options", name])
        };
        // Whatever follows a colon belongs to a path, or to the text that Git searches in messages of commits.
        let found = revision.contains(':').then(|| resolve(revision).ok()).flatten();
        let revision = found.as_deref().map_or(revision, str::trim);
        match resolve(&format!("{revision}^{{commit}}")) {
            Ok(commit) => Ok(commit.trim().to_owned()),
            // With `--quiet`, Git says nothing about an unknown revision. Words of Git mean that something else is wrong, such as
            // that the revision is a directory.
            Err(words) if words.contains("expected commit type") => Err(no_commit()),
            Err(words) if !words.is_empty() => Err(words),
            Err(_) if self.is_shallow() => Err(format!(
                "{}: this clone is shallow and may lack it; fetch more of the history \
                 (git fetch --unshallow, or fetch-depth: 0 in CI)",
                no_commit()
            )),
            Err(_) if self.is_empty() => {
                Err(format!("the repository at {} has no commits yet", self.root))
            }
            Err(_) => Err(no_commit()),
        }
    }

    /// Whether no branch and no tag has a commit.
    fn is_empty(&self) -> bool {
        git(&self.root, &["rev-list", "--all", "--max-count=1"]).is_ok_and(|it| it.is_empty())
    }

    /// The merge base of `commit` and the working tree's commit; `commit` itself if they have no common history.
    pub(crate) fn common_with_head(&self, commit: &str) -> String {
        let common = git(&self.root, &["merge-base", "HEAD", commit]);
        common.map_or_else(|_| commit.to_owned(), |it| it.trim().to_owned())
    }

    /// The top of the working tree; of a bare repository, the directory.
    fn top_or_root(&self) -> &str {
        self.top.as_deref().unwrap_or(&self.root)
    }

    /// The path of what the repository calls `name`. Paths below the directory start with it.
    fn path_of(&self, name: &str) -> String {
        match name.strip_prefix(&self.prefix) {
            Some(below) => super::paths::join(&self.root, below),
            None => super::paths::join(self.top_or_root(), name),
        }
    }

    /// The top of the repository as the user's path spells it, which may lead through links. `None` if it does not show where the
    /// repository starts.
    fn top_as_spelled(&self) -> Option<&str> {
        let prefix = self.prefix.trim_end_matches('/');
        let above = self.root.strip_suffix(prefix).filter(|_| !prefix.is_empty())?;
        above.strip_suffix('/').map(|it| if it.is_empty() { "/" } else { it })
    }

    fn is_shallow(&self) -> bool {
        git(&self.root, &["rev-parse", "--is-shallow-repository"])
            .is_ok_and(|it| it.trim() == "true")
    }

    /// All items in a commit, by their paths from the repository's top.
    pub(crate) fn tree(&self, commit: &str) -> Result<Vec<(String, TreeItem)>, String> {
        let listed = git_bytes(&self.root, &["ls-tree", "-r", "-z", "--full-tree", commit])?;
        let lines = listed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        Ok(lines.filter_map(tree_item).collect())
    }
}

/// `100644 blob 9daeafb…<TAB>data/common.yaml`. Names that are not UTF-8 are skipped.
fn tree_item(line: &[u8]) -> Option<(String, TreeItem)> {
    let line = std::str::from_utf8(line).ok()?;
    let (about, path) = line.split_once('\t')?;
    let mut words = about.split(' ');
    let kind = kind_of_mode(words.next()?);
    let object = words.nth(1)?.to_owned();
    Some((path.to_owned(), TreeItem { kind, object }))
}

fn kind_of_mode(mode: &str) -> ItemKind {
    match mode {
        "120000" => ItemKind::Link,
        "160000" => ItemKind::Submodule,
        _ => ItemKind::File,
    }
}

/// The top of the working tree around `path`, found without Git.
pub(crate) fn top_around(path: &str) -> Option<&str> {
    let mut above = std::iter::once(path).chain(super::paths::ancestors(path));
    above.find(|it| Path::new(&super::paths::join(it, ".git")).exists())
}

/// The files of the repository around `root` that differ from the merge base with `revision`, including deleted and untracked
/// files. Paths below `root` start with it. A path outside of it is there in both spellings: without links, and as `root` spells it.
pub(crate) fn changed_since(root: &str, revision: &str) -> Result<BTreeSet<String>, String> {
    let repository = Repository::of(root)?;
    // Changes by others since then are not changes of this branch.
    let common = repository.common_with_head(&repository.commit(revision)?);
    let files = files_other_than(root, &common)?;
    let spelled = files
        .iter()
        .filter_map(|name| Some(super::paths::join(repository.top_as_spelled()?, name)));
    Ok(files.iter().map(|name| repository.path_of(name)).chain(spelled).collect())
}

/// The files of the working tree around `root` that differ from a commit, including deleted and untracked files. Paths start at
/// the repository's top.
fn files_other_than(root: &str, commit: &str) -> Result<BTreeSet<String>, String> {
    let diff = [
        "diff",
        "--name-only",
        // A link below `root` may lead to a file outside of it.
        "--no-relative",
        "--no-ext-diff",
        "--no-textconv",
        // A renamed file counts as removed and added, because both paths changed.
        "--no-renames",
        // Git would start itself in a submodule, with the filters of that.
        "--ignore-submodules=dirty",
        "-z",
        commit,
        "--",
    ];
    // `git diff` does not list files that Git does not track yet.
    let unknown = ["ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/"];
    let mut compare = command(root);
    without_filters(root, &mut compare)?;
    without_attributes(root, &mut compare);
    let names = [bytes_of(compare.args(diff))?, git_bytes(root, &unknown)?].concat();
    // No level can lead to a file whose name is not UTF-8.
    let names = names.split(|it| *it == 0).filter_map(|name| std::str::from_utf8(name).ok());
    Ok(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
}

/// A call of Git that runs no other program and never prompts.
///
/// The settings of the user and of the machine stay, because they say which directories may be trusted. Settings in the
/// repository's own file are overridden if they could name a program.
pub(crate) fn command(root: &str) -> Command {
    let mut command = Command::new("git");
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    command.args(["--no-pager", "-C", root]);
    for setting in [
        "core.fsmonitor=false",
        "core.untrackedCache=false",
        "core.sshCommand=false",
        "core.alternateRefsCommand=false",
        "diff.external=",
        "protocol.allow=never",
        "submodule.recurse=false",
        "log.showSignature=false",
        &format!("core.hooksPath={nothing}"),
        &format!("core.attributesFile={nothing}"),
    ] {
        command.args(["-c", setting]);
    }
    for variable in ["GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_SSH", "GIT_SSH_COMMAND"] {
        command.env_remove(variable);
    }
    // Git sets these for hooks. In a linked worktree, it would take `root` for the top of the working tree.
    let names_no_tree = super::loader::Disk.environment_variable("GIT_WORK_TREE").is_none();
    if names_no_tree && top_around(root).is_some() {
        for variable in ["GIT_DIR", "GIT_PREFIX", "GIT_INDEX_FILE"] {
            command.env_remove(variable);
        }
    }
    command
        // In a partial clone, Git would otherwise fetch missing contents from the network.
        .env("GIT_NO_LAZY_FETCH", "1")
        // Git must not write to the index, which the user's own Git may be using.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_PAGER", "cat")
        // The output is read by this program, so it must not depend on the user's language.
        .env("LC_ALL", "C");
    command
}

/// Git's output; `Err` contains its error message.
fn git(root: &str, arguments: &[&str]) -> Result<String, String> {
    text_of(command(root).args(arguments))
}

fn text_of(command: &mut Command) -> Result<String, String> {
    let bytes = bytes_of(command)?;
    String::from_utf8(bytes).map_err(|_| "git names a file that is not UTF-8".to_owned())
}

fn git_bytes(root: &str, arguments: &[&str]) -> Result<Vec<u8>, String> {
    bytes_of(command(root).args(arguments))
}

fn bytes_of(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output();
    let output = output.map_err(|error| cannot_be_run(&error))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    Ok(output.stdout)
}

/// The message if Git cannot be run.
fn cannot_be_run(error: &std::io::Error) -> String {
    let advice = "revisions can only be read where Git is installed";
    format!("git cannot be run: {error}; {advice}")
}
