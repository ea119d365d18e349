//! Which files differ from a commit: Git is asked.

use std::process::Command;

use crate::world::paths;

/// The files below `root` that differ from where this branch left `revision`, those that are gone included, and those that
/// Git does not know yet.
pub(super) fn changed(root: &str, revision: &str) -> Result<Vec<String>, String> {
    if revision.starts_with('-') {
        return Err(format!("{revision} is no commit"));
    }
    let commit =
        git(root, &["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])
            .map_err(|words| match words.as_str() {
                "" => format!("{revision} is no commit of the repository at {root}"),
                words => words.to_owned(),
            })?;
    // What others did meanwhile is none of ours.
    let common = git(root, &["merge-base", "HEAD", commit.trim()]).unwrap_or(commit);
    let diff = ["diff", "--name-only", "--relative", "--no-ext-diff", "-z", common.trim(), "--"];
    let unknown = ["ls-files", "--others", "--exclude-standard", "-z"];
    let names = git(root, &diff)? + &git(root, &unknown)?;
    let names = names.split('\0').filter(|name| !name.is_empty());
    Ok(names.map(|name| paths::join(root, name)).collect())
}

/// What Git prints; `Err` holds its complaint.
fn git(root: &str, arguments: &[&str]) -> Result<String, String> {
    // A repository may name a program that Git would run.
    let quiet = ["-c", "core.fsmonitor=false"];
    let output = Command::new("git").arg("-C").arg(root).args(quiet).args(arguments).output();
    let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
    }
    String::from_utf8(output.stdout).map_err(|_| "git names a file that is not UTF-8".to_owned())
}
