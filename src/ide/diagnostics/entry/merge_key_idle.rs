//! `merge-key-idle`: a `<<` that merges nothing. Puppet merges only an alias, a hash or a list of these; with any other
//! value, it is a member named `<<`.

use crate::data::Format;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::{merges, pairs_of, text_of};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{Node, NodeKind};
use crate::text::TextEdit;

pub(crate) const RULE: Rule = Rule {
    code: "merge-key-idle",
    name: "Merge key without effect",
    severity: Severity::Warning,
    since: "0.2.0",
    summary: "The value of a `<<` is a string or missing, so `<<` merges nothing and becomes a member itself.",
    page: include_str!("../../../../docs/rules/merge-key-idle.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    if entry.format != Format::Yaml {
        return;
    }
    each_pair(entry, |key, value| {
        if text_of(key).is_none_or(|it| &**it != "<<") || merges(value) {
            return;
        }
        // Psych does not fail at such a value: it keeps `<<` as an ordinary key.
        let message = "this merges nothing: the hash gets a member that is called `<<`\n\
                       Write an alias without quotes: `<<: *name`.";
        let finding = report.add(&RULE, key.range, message);
        let Some(name) = text_of(value).map(|it| it.trim_start_matches(['*', '&'])) else { return };
        // The text was meant as an alias only if there is an anchor of this name.
        let anchor = format!("&{name}");
        let is_anchor = |it: &str| it == anchor;
        if !name.is_empty() && entry.text.split(char::is_whitespace).any(is_anchor) {
            let edit = TextEdit::replace(value.range, format!("*{name}"));
            finding.with_fix(Fix::changing(format!("Write `*{name}`"), vec![edit]));
        }
    });
}

/// Runs `work` on the pairs of the entry, including itself.
fn each_pair(entry: &EntryContext<'_>, mut work: impl FnMut(&Node, &Node)) {
    work(entry.key, entry.value);
    let mut waiting = vec![entry.value];
    while let Some(node) = waiting.pop() {
        if let NodeKind::Sequence(items) = &node.kind {
            waiting.extend(items.iter().rev());
        }
        for pair in pairs_of(node) {
            work(&pair.key, &pair.value);
            waiting.push(&pair.value);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn what_is_no_alias() {
        check(
            r#"
a: &a {x: 1}
b:
  <<: "a"
# ^^ warning[merge-key-idle]: this merges nothing: the hash gets a member that is called `<<` Write an alias…
c:
  <<: *a
d:
  <<: [*a]
  y: {<<: , z: 1}
#     ^^ warning[merge-key-idle]
"#,
        );
    }

    #[test]
    fn the_anchor_is_near() {
        check_fix(
            "a:\n  b: &x\n    c: 1\n  d:\n    <<: '*x'\n",
            "Write `*x`",
            "a:\n  b: &x\n    c: 1\n  d:\n    <<: *x\n",
        );
    }
}
