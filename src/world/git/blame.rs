//! Finds the commit that wrote a line of a file.
//!
//! Git is only used for lines of the last commit: for a working tree, it would run the filters that the repository names.
//! The line in the commit follows from the difference between the committed text and the current text.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{Repository, git};
use crate::data::{Files as _, civil};
use crate::world::{World, paths};

/// The number of characters of a commit's name that are shown.
const SHORT: usize = 8;

/// The maximum number of characters of a summary.
const MAX_SUMMARY: usize = 60;

/// The maximum number of cached lines.
const MAX_KEPT: usize = 4096;

/// The origin of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blame {
    /// The commit that wrote it.
    Commit {
        /// Its short name.
        name: String,
        /// The date in the author's time zone: `2026-01-05`.
        date: String,
        /// The author.
        author: String,
        /// The first line of its message.
        summary: String,
    },
    /// The line is not in any commit.
    NotCommitted,
}

impl std::fmt::Display for Blame {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Commit { name, date, author, summary } => {
                write!(formatter, "{name} {date} {author}: {summary}")
            }
            Self::NotCommitted => formatter.write_str("not committed yet"),
        }
    }
}

/// Results by the commit of the working tree, the path, and the line in the commit.
#[derive(Default)]
struct KeptBlames(Mutex<HashMap<(String, String, u32), Option<Blame>>>);

impl World {
    /// The commit that wrote a line (from 1) of the file at `path`, in its current text. `None` if Git does not know: there
    /// is no repository, no Git, or no commit yet.
    pub fn blame(&self, path: &str, line: u32) -> Option<Blame> {
        let directory = paths::parent(path)?;
        let repository = Repository::of(directory).ok()?;
        let commit = repository.commit("HEAD").ok()?;
        let name = format!("{}{}", repository.prefix, paths::file_name(path));
        // A file that the commit does not have is new, so none of its lines is committed.
        let Some(committed) = committed_text(directory, &commit, &name) else {
            return Some(Blame::NotCommitted);
        };
        let now = self.text(path).ok()?;
        let Some(line) = line_before(&committed, &now, line) else {
            return Some(Blame::NotCommitted);
        };
        let kept = self.attached::<KeptBlames>();
        let key = (commit, path.to_owned(), line);
        let mut known = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&key) {
            return found.clone();
        }
        // Git may take seconds, so other threads must not wait for the lock meanwhile.
        drop(known);
        let found = blame_of(directory, &key.0, paths::file_name(path), line);
        known = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_KEPT {
            known.clear();
        }
        known.insert(key, found.clone());
        found
    }
}

/// The content of a path, from the repository's top, in a commit.
fn committed_text(directory: &str, commit: &str, name: &str) -> Option<Arc<str>> {
    git(directory, &["cat-file", "blob", &format!("{commit}:{name}")]).ok().map(Arc::from)
}

/// The number in `before` of a line of `now`; `None` if it is not in `before`.
fn line_before(before: &str, now: &str, line: u32) -> Option<u32> {
    let wanted = line.checked_sub(1)? as usize;
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    let found =
        capture_diff_slices(Algorithm::Myers, &old, &new).into_iter().find_map(|op| match op {
            DiffOp::Equal { old_index, new_index, len }
                if (new_index..new_index + len).contains(&wanted) =>
            {
                Some(old_index + wanted - new_index)
            }
            _ => None,
        });
    found.map(|index| index as u32 + 1)
}

fn blame_of(directory: &str, commit: &str, name: &str, line: u32) -> Option<Blame> {
    let range = format!("{line},{line}");
    let asked = ["blame", "--porcelain", "--no-textconv", "-L", &range, commit, "--", name];
    read(&git(directory, &asked).ok()?)
}

/// Parses the output of `git blame --porcelain` for one line.
fn read(text: &str) -> Option<Blame> {
    let mut lines = text.lines();
    let name = lines.next()?.split(' ').next()?.get(..SHORT)?.to_owned();
    let (mut author, mut summary, mut seconds, mut zone) = (String::new(), String::new(), 0, 0);
    // A tab starts the line of the file itself, which could look like a member.
    for line in lines.take_while(|line| !line.starts_with('\t')) {
        match line.split_once(' ') {
            Some(("author", text)) => text.clone_into(&mut author),
            Some(("summary", text)) => summary = shortened(text),
            Some(("author-time", text)) => seconds = text.parse().unwrap_or_default(),
            Some(("author-tz", text)) => zone = seconds_of_zone(text),
            _ => {}
        }
    }
    Some(Blame::Commit { name, date: date_of(seconds + zone), author, summary })
}

/// The whole words of a summary for which there is room.
fn shortened(summary: &str) -> String {
    let Some((end, _)) = summary.char_indices().nth(MAX_SUMMARY) else {
        return summary.to_owned();
    };
    let shown = &summary[..end];
    // A word can end exactly there.
    let is_at_end = summary[end..].starts_with(' ');
    let shown =
        shown.rsplit_once(' ').map_or(shown, |(words, _)| if is_at_end { shown } else { words });
    format!("{}…", shown.trim_end())
}

/// `+0130` as seconds.
fn seconds_of_zone(text: &str) -> i64 {
    let number: i64 = text.parse().unwrap_or_default();
    (number / 100 * 60 + number % 100) * 60
}

/// The date of a number of seconds since 1970.
fn date_of(seconds: i64) -> String {
    let (year, month, day) = civil::date(i128::from(seconds.div_euclid(86_400)));
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let check = |seconds, expected: &str| assert_eq!(date_of(seconds), expected);
        check(0, "1970-01-01");
        check(-1, "1969-12-31");
        check(951_782_400, "2000-02-29");
        check(951_868_800, "2000-03-01");
        check(1_767_571_200, "2026-01-05");
        check(4_107_542_400, "2100-03-01");
    }

    #[test]
    fn a_line_is_found_again_in_the_committed_text() {
        let (before, now) = ("a\nb\nc\n", "a\nnew\nb\nc changed\n");
        let lines: Vec<_> = (0..=5).map(|line| line_before(before, now, line)).collect();
        assert_eq!(lines, [None, Some(1), None, Some(2), None, None]);
    }

    #[test]
    fn a_long_summary_ends_after_a_word() {
        let words = "word ".repeat(12);
        assert_eq!(shortened(words.trim_end()), words.trim_end());
        assert_eq!(shortened(&format!("{words}end")), format!("{}…", words.trim_end()));
        assert_eq!(shortened(&format!("{words}ending of it")), format!("{}…", words.trim_end()));
        assert_eq!(shortened(&"ä".repeat(61)), format!("{}…", "ä".repeat(60)));
    }

    #[test]
    fn what_git_says_is_read() {
        let said = "3f2a1b0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a 5 7 1\nauthor Jane Doe\nauthor-mail <j@x>\n\
                    author-time 1767564000\nauthor-tz +0300\ncommitter X\nsummary Set the port\nfilename a.yaml\n\tport: 80\n";
        let found = read(said).expect("a commit");
        assert_eq!(found.to_string(), "3f2a1b0c 2026-01-05 Jane Doe: Set the port");
        assert_eq!(read(""), None);
    }
}
