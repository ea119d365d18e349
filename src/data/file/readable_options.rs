//! The members of a `lookup_options` that is broken. They do not depend on each other, so those that can be read count while
//! another one is typed. Otherwise, all keys would lose their merges meanwhile.

use super::chunk::parse_entry;
use crate::syntax::tree::{NodeKind, Pair};

/// The key whose value contains the options of other keys. It cannot be looked up itself.
pub const LOOKUP_OPTIONS: &str = "lookup_options";

/// The entry without the members that are broken; `None` if `source` is not the block hash `lookup_options`. All places stay. Any
/// other hash is one value, which is not known without all of its members.
pub(super) fn readable_options(source: &str) -> Option<Pair> {
    let head_end = source.find('\n')? + 1;
    let (head, body) = source.split_at(head_end);
    let rest = head.strip_prefix(LOOKUP_OPTIONS)?.strip_prefix(':')?.trim();
    if !(rest.is_empty() || rest.starts_with('#')) {
        return None;
    }
    let indentation = body.lines().find(|line| is_content(line)).map(indentation_of)?;
    // A member that is indented otherwise is broken beside this one.
    let before = format!("{head}{}x: 1\n", " ".repeat(indentation));
    let mut readable = source.as_bytes().to_vec();
    let mut at = head_end;
    for member in members(body, indentation) {
        let is_readable = parse_entry(&[&before, member].concat()).is_ok_and(|it| is_hash(&it));
        let part = &mut readable[at..at + member.len()];
        if !is_readable {
            part.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|it| *it = b' ');
        }
        at += member.len();
    }
    parse_entry(str::from_utf8(&readable).ok()?).ok().filter(is_hash)
}

fn is_hash(pair: &Pair) -> bool {
    matches!(pair.value.kind, NodeKind::Mapping(_))
}

fn indentation_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether a line is neither empty nor a comment.
fn is_content(line: &str) -> bool {
    !matches!(line.trim_start().chars().next(), None | Some('#'))
}

/// The parts of a block hash that start at the indentation of its members, or before it.
fn members(body: &str, indentation: usize) -> Vec<&str> {
    let mut members: Vec<&str> = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in body.split_inclusive('\n') {
        if is_content(line) && indentation_of(line) <= indentation && at > start {
            members.push(&body[start..at]);
            start = at;
        }
        at += line.len();
    }
    members.push(&body[start..]);
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "lookup_options: # merges\n  a: {merge: unique}\n";
    const LAST: &str = "  '^b':\n    merge:\n      strategy: deep\n";

    /// The keys that stay, each with the place of its first byte.
    #[track_caller]
    fn check(typed: &str, expected: &[&str]) {
        let source = [FIRST, typed, LAST].concat();
        let pair = readable_options(&source).expect("a hash");
        let NodeKind::Mapping(pairs) = &pair.value.kind else { panic!("{source}") };
        let keys: Vec<&str> = pairs.iter().map(|it| it.key.range.slice(&source)).collect();
        assert_eq!(keys, expected, "{source}");
    }

    #[test]
    fn members_stay_while_another_one_is_typed() {
        check("", &["a", "'^b'"]);
        check("  foo\n", &["a", "'^b'"]);
        check("  'foo\n", &["a", "'^b'"]);
        check("  foo: {mer\n", &["a", "'^b'"]);
        check("  foo:\n    merge: [\n", &["a", "'^b'"]);
        check(" foo: {merge: hash}\n", &["a", "'^b'"]);
        // It belongs to the member before it.
        check("    foo: x\n", &["'^b'"]);
        check("  ä: '\r\n  c: {merge: hash}\r\n", &["a", "c", "'^b'"]);
    }

    #[test]
    fn other_entries_are_left_alone() {
        for source in ["lookup_options: {a: [\n", "lookup_options", "x:\n  a: 1\n  b\n"] {
            assert!(readable_options(source).is_none(), "{source}");
        }
    }
}
