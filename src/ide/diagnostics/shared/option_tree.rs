//! The tree of `lookup_options` as Puppet reads it: with what aliases and `<<` bring.
//!
//! What they bring is written elsewhere, so its nodes have the range of the alias or of the `<<`. No fix can edit them.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::data::lower::may_merge;
use crate::data::{DataFile, EntryTree, Hash, Located, Member, Value, inspect};
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::Diagnostic;
use crate::ide::diagnostics::shared::walk::{pairs_of, text_of};
use crate::limits::MAX_OPTION_VALUES;
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextRange;

/// The value of the entry `lookup_options`.
#[derive(Debug)]
pub(crate) struct OptionTree<'a> {
    /// The value. Ranges count from the start of the entry.
    pub(crate) value: Cow<'a, Node>,
    /// The ranges of the aliases, and of the pairs whose key is `<<`; sorted.
    shared: Vec<TextRange>,
}

impl<'a> OptionTree<'a> {
    /// `None` if the entry is not `lookup_options`, or if its value is not known: another entry with this key replaces it, its
    /// aliases lead nowhere, or they bring too much.
    pub(crate) fn of(data: &DataFile, entry: &EntryTree<'a>) -> Option<Self> {
        text_of(entry.key).filter(|key| &***key == LOOKUP_OPTIONS)?;
        if !is_shared(entry.value) {
            return Some(Self { value: Cow::Borrowed(entry.value), shared: Vec::new() });
        }
        let place = entry.key.range.shifted(entry.start);
        let root = data.get(LOOKUP_OPTIONS).filter(|it| it.key_place.range == place)?;
        let (start, left) = (entry.start, MAX_OPTION_VALUES);
        let mut expansion = Expansion { start, left, shared: Vec::new() };
        let value = expansion.node(entry.value, &root.value)?;
        let mut shared = expansion.shared;
        shared.sort_unstable();
        Some(Self { value: Cow::Owned(value), shared })
    }

    /// Whether a node is written elsewhere.
    pub(crate) fn is_brought(&self, node: &Node) -> bool {
        self.shared.binary_search(&node.range).is_ok()
    }

    /// Whether the options depend on other entries of the file, or may.
    pub(crate) fn depends_on_others(entry: &EntryTree<'_>) -> bool {
        text_of(entry.key).is_some_and(|key| **key == *LOOKUP_OPTIONS) && is_shared(entry.value)
    }

    /// Removes what aliases and `<<` make wrong in findings: fixes that edit them, and findings that are there already.
    pub(crate) fn tidy(&self, findings: &mut Vec<Diagnostic>) {
        // An alias may be inside the value of a `<<`.
        let mut parts: Vec<TextRange> = Vec::new();
        for range in &self.shared {
            match parts.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => parts.push(*range),
            }
        }
        let touches_shared = |range: TextRange| {
            let before = parts.partition_point(|it| it.start <= range.end);
            parts[..before].last().is_some_and(|it| range.start <= it.end)
        };
        let mut seen = HashSet::new();
        findings.retain_mut(|finding| {
            let Diagnostic { code, range, message, fixes, .. } = finding;
            fixes.retain(|fix| !fix.edits.iter().any(|it| touches_shared(it.range)));
            !touches_shared(*range) || seen.insert((*code, *range, message.clone()))
        });
    }
}

/// Whether a value has an alias, or a hash with `<<`.
fn is_shared(value: &Node) -> bool {
    let mut waiting = vec![value];
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Alias(_) => return true,
            NodeKind::Sequence(items) => waiting.extend(items),
            NodeKind::Mapping(pairs) => {
                if pairs.iter().any(|pair| may_merge(&pair.key, &pair.value)) {
                    return true;
                }
                waiting.extend(pairs.iter().flat_map(|pair| [&pair.key, &pair.value]));
            }
            NodeKind::Scalar { .. } => {}
        }
    }
    false
}

/// Puts the values of aliases and `<<` in their place.
struct Expansion {
    /// The byte of the file from which ranges count.
    start: u32,
    /// How many more values may be brought.
    left: usize,
    shared: Vec<TextRange>,
}

impl Expansion {
    /// The node that is written with this value.
    fn node(&mut self, written: &Node, value: &Located) -> Option<Node> {
        match (&written.kind, &value.value) {
            (NodeKind::Alias(_), value) => {
                self.shared.push(written.range);
                self.brought(value, written.range)
            }
            (NodeKind::Mapping(pairs), Value::Hash(hash)) if is_shared(written) => {
                let kind = NodeKind::Mapping(self.pairs(pairs, hash)?);
                Some(Node { kind, ..written.clone() })
            }
            _ => Some(written.clone()),
        }
    }

    fn pairs(&mut self, pairs: &[Pair], hash: &Hash) -> Option<Vec<Pair>> {
        let merges = pairs.iter().filter(|it| may_merge(&it.key, &it.value));
        let merges: Vec<&Pair> = merges.collect();
        let of_merge = |it: &&Pair| TextRange::new(it.key.range.start, it.value.range.end);
        let first = merges.first().map(of_merge);
        self.shared.extend(merges.iter().map(of_merge));
        // What `<<` merges may be written as its value.
        let merged = merges.iter().flat_map(|it| written_in(&it.value));
        let written: Vec<&Pair> = pairs.iter().chain(merged).collect();
        let member = |(key, member): (&Value, &Member)| {
            let place = |pair: &&&Pair| {
                let place = pair.key.range.shifted(self.start);
                member.key_place.is_some_and(|it| it.range == place)
            };
            match (written.iter().find(place), first) {
                (Some(own), _) => {
                    let value = self.node(&own.value, &member.value)?;
                    Some(Pair { key: own.key.clone(), value })
                }
                (None, Some(range)) => {
                    let key = self.brought(key, range)?;
                    let value = self.brought(&member.value.value, range)?;
                    Some(Pair { key, value })
                }
                (None, None) => None,
            }
        };
        hash.iter().map(member).collect()
    }

    /// A value that is written elsewhere, as a node at `range`.
    fn brought(&mut self, value: &Value, range: TextRange) -> Option<Node> {
        self.left = self.left.checked_sub(1)?;
        let plain =
            |text: String| NodeKind::Scalar { text: text.into(), style: ScalarStyle::Plain };
        let kind = match value {
            Value::Hash(hash) => {
                let pair = |(key, member): (&Value, &Member)| {
                    let key = self.brought(key, range)?;
                    Some(Pair { key, value: self.brought(&member.value.value, range)? })
                };
                NodeKind::Mapping(hash.iter().map(pair).collect::<Option<_>>()?)
            }
            Value::Array(items) => {
                let item = |it: &Located| self.brought(&it.value, range);
                NodeKind::Sequence(items.iter().map(item).collect::<Option<_>>()?)
            }
            Value::String(text) => {
                NodeKind::Scalar { text: text.clone(), style: ScalarStyle::DoubleQuoted }
            }
            Value::Symbol(text) => plain(format!(":{text}")),
            other => plain(inspect::to_s(other)),
        };
        Some(Node { range, tag: None, anchor: None, kind })
    }
}

/// The pairs of the hashes that are written as the value of a `<<`.
fn written_in(value: &Node) -> Vec<&Pair> {
    let hashes = match &value.kind {
        NodeKind::Sequence(items) => items,
        _ => std::slice::from_ref(value),
    };
    hashes.iter().flat_map(pairs_of).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    #[test]
    fn what_aliases_and_merge_keys_bring_is_right() {
        check(
            r#"
s: &s deep
lookup_options:
  k:
    merge: &deep
      strategy: deep
  q:
    merge:
      <<: *deep
      knockout_prefix: "--"
  r: {merge: {strategy: *s}}
  t: {merge: {<<: {strategy: deep}}}
  u: &options {merge: unique}
  v: *options
k: {}
q: [a]
r: {}
t: {}
u: []
v: []
"#,
        );
        check(
            "a: &a\n  q: {merge: unique}\nb: &b\n  b: {merge: unique}\nlookup_options:\n  <<: [*a, *b]\nq: []\n",
        );
        check(
            "lookup_options:\n  <<: {q: {merge: unique}}\n  <<: &x\n    r: {merge: unique}\nq: []\nr: []\n",
        );
    }

    #[test]
    fn what_they_bring_is_checked() {
        check(
            r"
s: &s deeep
o: &o {merge: uniq}
lookup_options:
  q: {merge: *s}
#            ^^ error[unknown-merge-strategy]: Unknown merge strategy: 'deeep'…
  r: *o
#    ^^ error[unknown-merge-strategy]: Unknown merge strategy: 'uniq'…
  t: {<<: *o}
#     ^^^^^^ error[unknown-merge-strategy]: Unknown merge strategy: 'uniq'…
q: []
r: []
t: []
",
        );
        check(
            r#"
a: &a {"^(": {merge: unique}}
lookup_options: *a
#               ^^ error[bad-regex]…
"#,
        );
        check(
            r#"
a: &a {q: {merge: "%{lookup('q')}"}}
lookup_options:
  <<: *a
# ^^^^^^ error[function-inside-lookup-options]: Recursive lookup detected in [lookup_options]…
q: 1
"#,
        );
        check(
            "a: &a [q]\nlookup_options: *a\n#               ^^ error[lookup-options-not-a-hash]…\n",
        );
    }

    #[test]
    fn fixes_leave_it_alone() {
        let counts = |text: &str, code| fix_counts(text, code);
        let strategy = "unknown-merge-strategy";
        assert_eq!(counts("s: &s uniq\nlookup_options: {q: {merge: *s}}\nq: []\n", strategy), [0]);
        let option = "unknown-lookup-option";
        let moved = "m: &m {strategy: deep}\nlookup_options:\n  q:\n    merge: *m\n    knockout_prefix: x\nq: []\n";
        assert_eq!(counts(moved, option), [0]);
        check_fix(
            "o: &o {merge: deep}\nlookup_options:\n  q: *o\n  r: {merg: deep}\nq: []\nr: []\n",
            "Write `merge`",
            "o: &o {merge: deep}\nlookup_options:\n  q: *o\n  r: {merge: deep}\nq: []\nr: []\n",
        );
    }

    #[test]
    fn aliases_that_bring_too_much_are_left_out() {
        let mut text = "a0: &a0 {merge: [x, x, x, x, x, x, x, x]}\n".to_owned();
        for at in 1..6 {
            let aliases = format!("*a{}, ", at - 1).repeat(8);
            let _ = writeln!(text, "a{at}: &a{at} {{merge: [{aliases}]}}");
        }
        check(&format!("{text}lookup_options: {{q: *a5, r: {{merge: uniq}}}}\nq: []\nr: []\n"));
    }
}
