//! `lookup-options-not-a-hash`: `lookup_options`, or the options of a key, are not a hash.

use crate::data::{Format, Value, scalar};
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::shared::walk::{OPTIONS, meant_below, option_entries, text_of};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::ide::pair_edits::{pair_range, whole_lines};
use crate::syntax::interpolation;
use crate::syntax::tree::{Node, NodeKind};
use crate::text::{TextEdit, TextRange};

pub(crate) const RULE: Rule = Rule {
    code: "lookup-options-not-a-hash",
    name: "Lookup options that are not a hash",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "`lookup_options`, or the options of a key in it, are not a hash.",
    page: include_str!("../../../../docs/rules/lookup-options-not-a-hash.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    let Some(options) = &entry.options else { return };
    match shape(&options.value) {
        Shape::Hash => {}
        Shape::Null => {
            let effect = match entry.module {
                Some(_) => "The module's keys lose the options that the environment has for them.",
                // One null alone is harmless: the hash merge checks types only if at least two sources have lookup_options.
                None => "Lookups fail as soon as another file has lookup_options too.",
            };
            let message =
                format!("these lookup_options are null\n{effect} Write `{{}}`, or remove them.");
            let finding = report.add_as(&RULE, Severity::Warning, entry.key.range, message);
            finding.fixes.extend(with_empty_hash(entry));
        }
        Shape::Ignored | Shape::Other => {
            let message = "value of lookup_options must be a hash\n\
                           Write keys or `^patterns`, each with a hash of options.";
            report.add(&RULE, entry.value.range, message);
        }
    }
    let entries = option_entries(entry);
    for (number, pair) in entries.iter().enumerate() {
        match meant_below(entries, number) {
            Some(above) => report_unindented(entry, [above, number], report),
            None => check_options(entry, &pair.value, report),
        }
    }
}

/// Reports the first option that was meant to be indented below the entry `above`. The fix indents all of them.
fn report_unindented(entry: &EntryContext<'_>, [above, number]: [usize; 2], report: &mut Report) {
    let entries = option_entries(entry);
    let names = [above, number].map(|it| text_of(&entries[it].key));
    let [Some(key), Some(option)] = names else { return };
    if number > above + 1 {
        return;
    }
    let message = format!(
        "`{option}` has no effect: it is not one of the options of `{key}`\nIndent it below `{key}`."
    );
    let finding = report.add_as(&RULE, Severity::Warning, entries[number].key.range, message);
    let numbers = number..entries.len();
    let options = numbers.take_while(|it| meant_below(entries, *it) == Some(above));
    let indented = options.map(|it| indented(entry.text, pair_range(&entries[it])));
    let edits: Option<Vec<Vec<TextEdit>>> = indented.collect();
    let title = format!("Indent it below `{key}`");
    finding.fixes.extend(edits.map(|it| Fix::changing(title, it.concat())));
}

/// The edits that indent the lines of a pair; `None` if they contain something else.
fn indented(text: &str, pair: TextRange) -> Option<Vec<TextEdit>> {
    let lines = whole_lines(text, pair)?;
    let mut starts = lines.start;
    let edits = lines.slice(text).split_inclusive('\n').map(|line| {
        let start = starts;
        starts += line.len() as u32;
        TextEdit::insert(start, if line.trim().is_empty() { "" } else { "  " })
    });
    Some(edits.filter(|it| !it.new_text.is_empty()).collect())
}

fn check_options(entry: &EntryContext<'_>, options: &Node, report: &mut Report) {
    match shape(options) {
        // Null options are allowed: Puppet then goes on to the patterns.
        Shape::Hash | Shape::Null => {}
        Shape::Ignored => {
            let message =
                "these options have no effect: they are not a hash\nWrite e.g. `{merge: deep}`.";
            let finding = report.add_as(&RULE, Severity::Warning, options.range, message);
            finding.fixes.extend(as_merge(entry, options));
        }
        Shape::Other => {
            let message = "the lookup of the key fails: its options are not a hash\nWrite e.g. `{merge: deep}`.";
            report.add(&RULE, options.range, message);
        }
    }
}

/// `lookup_options: {}`
fn with_empty_hash(entry: &EntryContext<'_>) -> Option<Fix> {
    let edit = match (entry.value.range, entry.format) {
        (range, _) if !range.is_empty() => TextEdit::replace(range, "{}"),
        (_, Format::Yaml) => {
            let end = entry.key.range.end as usize;
            let colon = entry.text[end..].find(':')?;
            TextEdit::insert((end + colon + 1) as u32, " {}")
        }
        _ => return None,
    };
    let (title, edits) = ("Write `{}`", vec![edit]);
    // In the environment, null and `{}` are the same for a single file. In a module, null also removes the environment's options.
    Some(if entry.module.is_some() { Fix::changing(title, edits) } else { Fix::safe(title, edits) })
}

/// `{merge: deep}` for `deep`.
fn as_merge(entry: &EntryContext<'_>, options: &Node) -> Option<Fix> {
    let NodeKind::Scalar { text, .. } = &options.kind else { return None };
    let is_strategy = ["first", "unique", "hash", "deep"].contains(&&**text);
    let written = match entry.format {
        Format::Yaml => format!("{{merge: {text}}}"),
        Format::Json | Format::Hocon => format!("{{\"merge\": \"{text}\"}}"),
    };
    let title = format!("Write `{{merge: {text}}}`");
    is_strategy.then(|| Fix::changing(title, vec![TextEdit::replace(options.range, written)]))
}

enum Shape {
    Hash,
    Null,
    /// As the options of a key, it has no effect.
    Ignored,
    Other,
}

fn shape(node: &Node) -> Shape {
    match &node.kind {
        NodeKind::Mapping(_) | NodeKind::Alias(_) => Shape::Hash,
        NodeKind::Sequence(_) => Shape::Other,
        // The value of a `%{…}` is not known here, so it counts as a hash.
        NodeKind::Scalar { text, .. } if interpolation::may_have_tokens(text) => Shape::Hash,
        NodeKind::Scalar { text, style } => {
            match scalar::typed(text, *style, node.tag.as_deref()) {
                Ok(Value::Undef) => Shape::Null,
                // Puppet looks for the names of options in the string, and would use what it finds as their values.
                Ok(Value::String(text)) if OPTIONS.iter().any(|it| text.contains(it)) => {
                    Shape::Other
                }
                Ok(Value::String(_) | Value::Boolean(false)) => Shape::Ignored,
                _ => Shape::Other,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn as_a_whole() {
        check(
            r"
lookup_options: [a]
#               ^^^ error[lookup-options-not-a-hash]: value of lookup_options must be a hash…
a: 1
",
        );
        check(
            r"
lookup_options:
#^^^^^^^^^^^^^ warning[lookup-options-not-a-hash]: these lookup_options are null Lookups fail as soon as another file has lookup_options too. Write `{}`, or remove them.
a: 1
",
        );
    }

    #[test]
    fn null_in_a_module() {
        check(
            r"
#- /modules/m/hiera.yaml
version: 5
hierarchy: [{name: common, path: common.yaml}]
#- /modules/m/data/common.yaml
lookup_options: ~
#^^^^^^^^^^^^^ warning[lookup-options-not-a-hash]: these lookup_options are null The module's keys lose the options that the environment has for them. Write `{}`, or remove them.
m::a: 1
",
        );
    }

    #[test]
    fn of_a_key() {
        check(
            r"
lookup_options:
  a: deep
#    ^^^^ warning[lookup-options-not-a-hash]: these options have no effect…
  b: [merge]
#    ^^^^^^^ error[lookup-options-not-a-hash]: the lookup of the key fails…
  c: ~
a: 1
b: 1
c: 1
",
        );
    }

    #[test]
    fn options_that_are_not_indented() {
        check(
            r"
lookup_options:
  a:
  merge: deep
# ^^^^^ warning[lookup-options-not-a-hash]: `merge` has no effect: it is not one of the options of `a` Indent it below `a`.
  convert_to: Sensitive
  b:
  merge: deep
# ^^^^^ warning[lookup-options-not-a-hash]: `merge` has no effect: it is not one of the options of `b` Indent it below `b`.
  c: {merge: deep}
  convert_to: Array
#             ^^^^^ warning[lookup-options-not-a-hash]
a: 1
b: 1
c: 1
convert_to: 1
",
        );
        check_fix(
            "lookup_options:\n  a:\n  merge:\n    strategy: deep\n  # x\n  convert_to: Array\n  b:\n    merge: deep\na: {}\nb: {}\n",
            "Indent it below `a`",
            "lookup_options:\n  a:\n    merge:\n      strategy: deep\n  # x\n    convert_to: Array\n  b:\n    merge: deep\na: {}\nb: {}\n",
        );
    }

    #[test]
    fn scalars() {
        check(
            r"
lookup_options:
  a: NULL
  b: '~'
#    ^^^ warning[lookup-options-not-a-hash]: these options have no effect…
  c: false
#    ^^^^^ warning[lookup-options-not-a-hash]: these options have no effect…
  d: 5
#    ^ error[lookup-options-not-a-hash]: the lookup of the key fails…
  e: true
#    ^^^^ error[lookup-options-not-a-hash]: the lookup of the key fails…
  f: 'merge: deep'
#    ^^^^^^^^^^^^^ error[lookup-options-not-a-hash]: the lookup of the key fails…
a: 1
b: 1
c: 1
d: 1
e: 1
f: 1
",
        );
        check(
            "lookup_options: Null\n#^^^^^^^^^^^^^ warning[lookup-options-not-a-hash]: these lookup_options are null…\na: 1\n",
        );
    }

    #[test]
    fn fixes() {
        check_fix("lookup_options:\na: 1\n", "Write `{}`", "lookup_options: {}\na: 1\n");
        check_fix("lookup_options: ~\na: 1\n", "Write `{}`", "lookup_options: {}\na: 1\n");
        check_fix(
            "lookup_options:\n  a: deep\na: {}\n",
            "Write `{merge: deep}`",
            "lookup_options:\n  a: {merge: deep}\na: {}\n",
        );
    }
}
