//! Values as YAML on one line, and whether two values are equal whatever their spelling.

use std::fmt::Write as _;

use crate::data::{Value, scalar};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};

/// A value of a YAML file on one line, with brackets and braces where necessary, and without its anchors and tags.
pub(super) fn flow_yaml(node: &Node) -> String {
    match &node.kind {
        NodeKind::Scalar { text, style } => flow_scalar(text, *style),
        NodeKind::Sequence(items) => {
            let items: Vec<_> = items.iter().map(flow_yaml).collect();
            format!("[{}]", items.join(", "))
        }
        NodeKind::Mapping(pairs) => {
            let pair =
                |pair: &Pair| format!("{}: {}", flow_yaml(&pair.key), flow_yaml(&pair.value));
            let pairs: Vec<_> = pairs.iter().map(pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        NodeKind::Alias(name) => format!("*{name}"),
    }
}

/// Whether two values are equal for Puppet; values with anchors, aliases or tags never are.
pub(crate) fn is_same_value(one: &Node, other: &Node) -> bool {
    if one.tag.is_some() || other.tag.is_some() {
        return false;
    }
    match (&one.kind, &other.kind) {
        (
            NodeKind::Scalar { text, style },
            NodeKind::Scalar { text: other, style: other_style },
        ) => text == other && is_text(text, *style) == is_text(other, *other_style),
        (NodeKind::Sequence(items), NodeKind::Sequence(others)) => {
            items.len() == others.len()
                && items.iter().zip(others).all(|(one, other)| is_same_value(one, other))
        }
        (NodeKind::Mapping(pairs), NodeKind::Mapping(others)) => {
            let is_same = |(one, other): (&Pair, &Pair)| {
                is_same_value(&one.key, &other.key) && is_same_value(&one.value, &other.value)
            };
            pairs.len() == others.len() && pairs.iter().zip(others).all(is_same)
        }
        _ => false,
    }
}

/// Whether a scalar is a String, and not a number or a word with a special meaning.
fn is_text(text: &str, style: ScalarStyle) -> bool {
    style != ScalarStyle::Plain || scalar::is_string(text)
}

/// A String on one line, quoted if necessary.
pub(crate) fn flow_text(text: &str) -> String {
    flow_scalar(text, ScalarStyle::SingleQuoted)
}

fn flow_scalar(text: &str, style: ScalarStyle) -> String {
    if !is_text(text, style) {
        return match scalar::by_looks(&text.into()) {
            // Within brackets, `:a` is not a Symbol but a colon without a key.
            Ok(Value::Symbol(name)) => format!("!ruby/symbol {}", flow_text(&name)),
            _ if text.is_empty() => "~".to_owned(),
            // Outside of brackets, Psych reads `1,000` as 1000; within them, a comma ends the item.
            _ => text.replace(',', ""),
        };
    }
    let is_plain = text.starts_with(char::is_alphabetic)
        && text.chars().all(|letter| letter.is_alphanumeric() || "_-./".contains(letter))
        && scalar::is_string(text);
    if is_plain {
        return text.to_owned();
    }
    let is_one_line = !text.contains(needs_escape);
    // A call in `%{…}` usually has single quotes, which need no escapes within double ones.
    if is_one_line
        && (style != ScalarStyle::DoubleQuoted || !text.contains('\''))
        && !text.contains("%{")
    {
        return format!("'{}'", text.replace('\'', "''"));
    }
    if is_one_line && !text.contains(['\\', '"']) {
        return format!("\"{text}\"");
    }
    format!("\"{}\"", escaped(text))
}

/// A String as it is written between double quotes.
pub(crate) fn escaped(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    let mut escaped = String::with_capacity(quoted.len());
    for letter in quoted[1..quoted.len() - 1].chars() {
        if needs_escape(letter) {
            let _ = write!(escaped, "\\u{:04X}", u32::from(letter));
        } else {
            escaped.push(letter);
        }
    }
    escaped
}

/// Whether Psych refuses a character in a quoted string, or takes it as the end of a line.
fn needs_escape(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let node = yaml::parse(text).root.expect("a value");
        let written = flow_yaml(&node);
        assert_eq!(written, expected);
        let again = yaml::parse(&written).root.expect("a value");
        assert!(is_same_value(&node, &again), "{written}");
    }

    #[test]
    fn values_on_one_line() {
        check("a:\n  - 1\n  - '1'\n  - it's\nb: {x: ~}\n", "{a: [1, '1', 'it''s'], b: {x: ~}}");
        check("|\n  a\n  b\n", "\"a\\nb\\n\"");
        check("\"it's %{x}\"", "\"it's %{x}\"");
        check("'say \"%{x}\"'", "\"say \\\"%{x}\\\"\"");
        check("a b", "'a b'");
        check("\"\\e[1m\\x7f\\x85\\u2028\"", "\"\\u001b[1m\\u007F\\u0085\\u2028\"");
        check("yes", "yes");
        check("'yes'", "'yes'");
    }

    #[test]
    fn plain_scalars_that_brackets_would_change() {
        let written = |text: &str| flow_yaml(&yaml::parse(text).root.expect("a value"));
        assert_eq!(written("- 1,000\n- -1,000.5\n- 0x1,F\n"), "[1000, -1000.5, 0x1F]");
        assert_eq!(written(":a: 1\n:b,c: 2\n"), "{!ruby/symbol a: 1, !ruby/symbol 'b,c': 2}");
        check("- a, b\n- '{c'\n- d]\n- e,\n", "['a, b', '{c', 'd]', 'e,']");
    }

    #[test]
    fn spelling_makes_no_difference_but_types_do() {
        let same = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|it| yaml::parse(it).root.expect("a value"));
            is_same_value(&one, &other)
        };
        assert!(same("[a, 'b c']", "- \"a\"\n- b c\n"));
        assert!(!same("1", "'1'"));
        assert!(!same("[a]", "[a, b]"));
        assert!(!same("!x a", "a"));
    }
}
