//! `merge-key-replaces`: a member that a `<<` below it replaces. In YAML's own rule for `<<`, the members of the hash win, but
//! in Psych, which Puppet uses, the later one does.

use crate::data::{Format, Value};
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::{merges, text_of};
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::ide::pair_edits::{pair_range, whole_lines};
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "merge-key-replaces",
    name: "Merge key that replaces members",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "A `<<` replaces a member that is written above it.",
    page: include_str!("../../../../docs/rules/merge-key-replaces.md"),
    checks: &[Check::Lookup(check)],
    ..Rule::USUAL
};

pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    if at.file.data.format() != Format::Yaml || !at.entry.text.contains("<<") {
        return;
    }
    let Some(root) = at.file.data.get(at.key()) else { return };
    // If the key is repeated, the value is that of the last entry.
    if root.key_place.range == at.entry.key.range.shifted(at.entry.start) {
        Walk { at, report }.compare(at.entry.value, &root.value.value);
    }
}

/// A walk through an entry as it is written and as Puppet reads it.
struct Walk<'a> {
    at: &'a LookupContext<'a>,
    report: &'a mut Report,
}

impl Walk<'_> {
    fn compare(&mut self, node: &Node, value: &Value) {
        match (&node.kind, value) {
            (NodeKind::Sequence(items), Value::Array(values)) if items.len() == values.len() => {
                for (item, value) in items.iter().zip(values.iter()) {
                    self.compare(item, &value.value);
                }
            }
            (NodeKind::Mapping(pairs), Value::Hash(hash)) => {
                let merge = pairs.iter().rposition(is_merge);
                for (number, pair) in pairs.iter().enumerate() {
                    let Some(name) = text_of(&pair.key) else { continue };
                    let Some(member) = hash.get(name) else { continue };
                    // The value of an alias or of a repeated key is written elsewhere, too.
                    let is_alias = matches!(pair.value.kind, NodeKind::Alias(_));
                    let is_once =
                        pairs.iter().filter(|it| text_of(&it.key) == Some(name)).count() == 1;
                    let Some(place) = member.value.place.filter(|_| !is_alias && is_once) else {
                        continue;
                    };
                    let own = pair.value.range.shifted(self.at.entry.start);
                    match merge.filter(|merge| *merge > number) {
                        Some(merge) if !own.contains_range(place.range) => {
                            self.add(pair, name, pairs, merge);
                        }
                        _ => self.compare(&pair.value, &member.value.value),
                    }
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, pair: &Pair, name: &str, pairs: &[Pair], merge: usize) {
        let start = self.at.entry.start;
        let message = format!(
            "the `<<` below replaces this value of `{name}`\n\
             In Puppet, the later of both wins. Write `<<` first, so that it adds only what is missing."
        );
        let finding = self.report.add(&RULE, pair.key.range.shifted(start), message);
        let Some(edits) = merge_first(self.at.entry.text, pairs, merge) else { return };
        let edits = edits.into_iter().map(|it| TextEdit { range: it.range.shifted(start), ..it });
        finding.with_fix(Fix::changing("Move `<<` to the start of the hash", edits.collect()));
    }
}

fn is_merge(pair: &Pair) -> bool {
    merges(&pair.value) && text_of(&pair.key).is_some_and(|it| &**it == "<<")
}

/// Moves the lines of a pair before those of the first one.
fn merge_first(source: &str, pairs: &[Pair], number: usize) -> Option<[TextEdit; 2]> {
    let first = pair_range(pairs.first()?).start;
    let moved = whole_lines(source, pair_range(&pairs[number]))?;
    let line = source[..first as usize].rfind('\n')? + 1;
    // Behind `- `, the first pair has no line of its own.
    let is_own_line = source[line..first as usize].bytes().all(|byte| byte == b' ');
    let text = moved.slice(source);
    (is_own_line && text.ends_with('\n')).then(|| {
        let at = TextRange::empty(line as u32);
        [TextEdit::replace(at, text.to_owned()), TextEdit::delete(moved)]
    })
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn members_above_a_merge_are_replaced() {
        check(
            "
a: &a {x: 1, y: 1}
b:
  x: 0
# ^ warning[merge-key-replaces]: the `<<` below replaces this value of `x` In Puppet, the later of both wins. Write `<<` first…
  <<: *a
  y: 2
c:
  - {y: 0, <<: [*a], z: {x: 0}}
#    ^ warning[merge-key-replaces]
  - <<: *a
    x: 0
  - {z: 0, <<: *a}
",
        );
    }

    #[test]
    fn the_merge_moves_up() {
        check_fix(
            "a: &a {x: 1}\nb:\n  x: 0\n  z: 1\n  <<: *a\n",
            "Move `<<` to the start of the hash",
            "a: &a {x: 1}\nb:\n  <<: *a\n  x: 0\n  z: 1\n",
        );
    }
}
