//! Values as JSON on one line.

use crate::data::{Format, scalar};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};

/// A value of a file of the format `from` as JSON; `None` if only YAML can express it, or writes it differently: anchors, tags,
/// `0644`, `yes`.
pub(super) fn flow_json(node: &Node, from: Format) -> Option<String> {
    if node.tag.is_some() || node.anchor.is_some() {
        return None;
    }
    match &node.kind {
        NodeKind::Scalar { text, style: ScalarStyle::Plain } if from == Format::Json => {
            Some(text.to_string())
        }
        NodeKind::Scalar { text, style } => flow_scalar(text, *style),
        NodeKind::Sequence(items) => {
            let items: Option<Vec<_>> = items.iter().map(|item| flow_json(item, from)).collect();
            Some(format!("[{}]", items?.join(", ")))
        }
        NodeKind::Mapping(pairs) => {
            let pair = |pair: &Pair| {
                let key = flow_json(&pair.key, from).filter(|key| key.starts_with('"'))?;
                Some(format!("{key}: {}", flow_json(&pair.value, from)?))
            };
            let pairs: Option<Vec<_>> = pairs.iter().map(pair).collect();
            Some(format!("{{{}}}", pairs?.join(", ")))
        }
        NodeKind::Alias(_) => None,
    }
}

fn flow_scalar(text: &str, style: ScalarStyle) -> Option<String> {
    if style != ScalarStyle::Plain || scalar::is_string(text) {
        return Some(serde_json::Value::from(text).to_string());
    }
    if matches!(text, "" | "~") {
        return Some("null".to_owned());
    }
    // A number such as 0x1F has no notation in JSON that stays as it is written.
    serde_json::from_str::<serde_json::Value>(text).is_ok().then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let node = yaml::parse(text).root.expect("a value");
        assert_eq!(flow_json(&node, Format::Yaml).as_deref(), expected);
    }

    #[test]
    fn values_that_json_can_say() {
        check(
            "a: [1, 'x\"y', ~, true]\nb: {c: 1.5}\n",
            Some(r#"{"a": [1, "x\"y", null, true], "b": {"c": 1.5}}"#),
        );
        check("|\n  a\n  b\n", Some(r#""a\nb\n""#));
        for only_yaml in ["0644", "yes", "1_000", "{1: a}", "!x a", "&x a", ".inf"] {
            check(only_yaml, None);
        }
    }
}
