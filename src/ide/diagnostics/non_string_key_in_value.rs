//! `non-string-key-in-value`: a hash whose key is a boolean, null, a list or a hash. Puppet takes strings and numbers.

use super::fix::{Fix, quote};
use super::walk::mappings;
use super::{EntryContext, Report, Rule, Severity};
use crate::data::{Format, Value, scalar};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};

pub(super) const RULE: Rule = Rule {
    code: "non-string-key-in-value",
    name: "Key of a wrong type",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "A hash in a value has a key that is neither a string nor a number, which Puppet refuses.",
    page: include_str!("../../../docs/rules/non-string-key-in-value.md"),
    is_on: true,
};

pub(super) fn check(entry: &EntryContext<'_>, report: &mut Report) {
    if entry.format != Format::Yaml {
        return;
    }
    let keys = mappings(entry).into_iter().flatten().map(|pair| &pair.key);
    for key in keys {
        let Some(what) = wrong_type(key) else { continue };
        let advice = match what {
            "a list" | "a hash" => "Keys are strings or numbers.",
            _ => "Put quotes around it.",
        };
        let message = format!(
            "has wrong type, expects Puppet::LookupValue\n\
             This key is {what}, and the lookup of the whole value fails. {advice}"
        );
        let finding = report.add(&RULE, key.range, message);
        let written = key.range.slice(entry.text);
        if let NodeKind::Scalar { text, style: ScalarStyle::Plain } = &key.kind
            && !written.is_empty()
            && written == &**text
        {
            let quoted = vec![quote(key.range, text)];
            finding.with_fix(Fix::safe("Put quotes around it", quoted));
        }
    }
}

fn wrong_type(key: &Node) -> Option<&'static str> {
    match &key.kind {
        NodeKind::Scalar { text, style } => {
            match scalar::typed(text, *style, key.tag.as_deref()).ok()? {
                Value::Boolean(_) => Some("a boolean"),
                Value::Undef => Some("null"),
                _ => None,
            }
        }
        NodeKind::Sequence(_) => Some("a list"),
        NodeKind::Mapping(_) => Some("a hash"),
        NodeKind::Alias(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_fix};

    #[test]
    fn keys_within_values() {
        check(
            r"
a: {yes: 1, 'no': 2, 3: 4, 5.5: 6}
#   ^^^ error[non-string-key-in-value]: has wrong type, expects Puppet::LookupValue This key is a boolean…
b: [{~: 1}, {[x]: 2}]
#    ^ error[non-string-key-in-value]
#            ^^^ error[non-string-key-in-value]: has wrong type, expects Puppet::LookupValue This key is a list…
",
        );
    }

    #[test]
    fn quotes_help() {
        check_fix("a:\n  yes: 1\n  b: 2\n", "Put quotes around it", "a:\n  'yes': 1\n  b: 2\n");
    }

    #[test]
    fn keys_of_other_formats_are_texts() {
        check(
            "#- /data/common.conf\na { yes = 1, 1 = x, null = y }\n#- /hiera.yaml\nversion: 5\n\
             hierarchy: [{name: x, data_hash: hocon_data, path: common.conf}]\n",
        );
    }
}
