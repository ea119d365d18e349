//! `non-string-key-in-value`: the key of a hash is a boolean, null, a list or a hash. Puppet accepts strings and numbers.

use crate::data::{Format, Value, scalar};
use crate::engine::lookup_options::refusal_of_key;
use crate::ide::diagnostics::shared::fix::{Fix, quote};
use crate::ide::diagnostics::shared::walk::{mappings, option_entries};
use crate::ide::diagnostics::{Check, EntryContext, Report, Rule, Severity};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};

pub(crate) const RULE: Rule = Rule {
    code: "non-string-key-in-value",
    name: "Key of a wrong type",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A hash in a value has a key that is neither a string nor a number, which Puppet refuses.",
    page: include_str!("../../../../docs/rules/non-string-key-in-value.md"),
    checks: &[Check::Entry(check)],
    ..Rule::USUAL
};

pub(crate) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    for pairs in mappings(entry) {
        for key in pairs.iter().map(|pair| &pair.key) {
            let Some(what) = wrong_type(key) else { continue };
            let advice = match what {
                "a list" | "a hash" => "Keys are strings or numbers.",
                _ => "Put quotes around it.",
            };
            let message = format!(
                "{} has wrong type, expects Puppet::LookupValue\n\
                 This key is {what}, and the lookup of the whole value fails. {advice}",
                entry.subject()
            );
            let finding = report.add(&RULE, key.range, message);
            finding.fixes.extend(quoted(entry.text, pairs, key));
        }
    }
    let options = option_entries(entry);
    for key in options.iter().map(|pair| &pair.key).filter(|_| entry.format == Format::Yaml) {
        let number = value(key)
            .filter(|it| matches!(it, Value::Integer(_) | Value::BigInteger(_) | Value::Float(_)));
        let Some(number) = number else { continue };
        let message = format!(
            "{}\nThis key is a number, and every lookup fails. Put quotes around it.",
            refusal_of_key(&number)
        );
        let finding = report.add(&RULE, key.range, message);
        finding.fixes.extend(quoted(entry.text, options, key));
    }
}

/// The fix that turns a key into a string, unless the hash would then have that key twice.
fn quoted(source: &str, pairs: &[Pair], key: &Node) -> Option<Fix> {
    let NodeKind::Scalar { text, style: ScalarStyle::Plain } = &key.kind else { return None };
    // Psych keeps the last of two equal keys, so quotes could lose a value.
    let is_there =
        pairs.iter().any(|pair| matches!(value(&pair.key), Some(Value::String(it)) if it == *text));
    let is_written = !text.is_empty() && key.range.slice(source) == &**text;
    // A tag turns a quoted text into a boolean or null, too.
    let may_be_quoted = is_written && key.tag.is_none() && !is_there;
    may_be_quoted.then(|| Fix::safe("Put quotes around it", vec![quote(key.range, text)]))
}

fn wrong_type(key: &Node) -> Option<&'static str> {
    match &key.kind {
        NodeKind::Scalar { .. } => match value(key)? {
            Value::Boolean(_) => Some("a boolean"),
            Value::Undef => Some("null"),
            _ => None,
        },
        NodeKind::Sequence(_) => Some("a list"),
        NodeKind::Mapping(_) => Some("a hash"),
        NodeKind::Alias(_) => None,
    }
}

/// What Puppet reads where a scalar is written.
fn value(key: &Node) -> Option<Value> {
    let NodeKind::Scalar { text, style } = &key.kind else { return None };
    scalar::typed(text, *style, key.tag.as_deref()).ok()
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix, fix_counts};

    #[test]
    fn keys_within_values() {
        check(
            r"
a: {yes: 1, 'no': 2, 3: 4, 5.5: 6}
#   ^^^ error[non-string-key-in-value]: Value for key 'a' has wrong type, expects Puppet::LookupValue This key is a boolean…
b: [{~: 1}, {[x]: 2}]
#    ^ error[non-string-key-in-value]
#            ^^^ error[non-string-key-in-value]: Value for key 'b' has wrong type, expects Puppet::LookupValue This key is a list…
",
        );
    }

    #[test]
    fn numbers_in_lookup_options() {
        check(
            r"
lookup_options: {1: {merge: deep}, '2': {merge: deep}}
#                ^ error[non-string-key-in-value]: undefined method `start_with?' for 1:Integer This key is a number, and every lookup fails…
#                ^ hint[matches-no-key]
'2': {}
",
        );
    }

    #[test]
    fn quotes_help() {
        check_fix("a:\n  yes: 1\n  b: 2\n", "Put quotes around it", "a:\n  'yes': 1\n  b: 2\n");
    }

    #[test]
    fn no_quotes_where_the_quoted_key_is_there_already() {
        let fixable = |text: &str| fix_counts(text, "non-string-key-in-value");
        assert_eq!(fixable("a: {yes: 1, 'yes': 2}\n"), [0]);
        assert_eq!(fixable("a: {!!str yes: 1, yes: 2}\n"), [0]);
        assert_eq!(fixable("a: {yes: 1, b: {'yes': 2}, 'no': 3}\n"), [1]);
        assert_eq!(fixable("a:\n  ?\n  : 1\n"), [0]);
        assert_eq!(fixable("a: {!!bool yes: 2}\n"), [0]);
    }

    #[test]
    fn keys_of_other_formats_are_texts() {
        check(
            "#- /data/common.conf\na { yes = 1, 1 = x, null = y }\n#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{name: x, data_hash: hocon_data, path: common.conf}]\n",
        );
    }
}
