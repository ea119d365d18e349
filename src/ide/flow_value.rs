//! Values on one line that mean the same in a file of another format.

use super::flow_json::flow_json;
use super::flow_yaml::flow_yaml;
use crate::data::lower::{Lowering, lower_json};
use crate::data::{DataFile, FileId, Format, Value};
use crate::syntax::tree::Node;

/// The value of a node without aliases, as Puppet reads it in a file of this format; `None` if Puppet refuses it, and for HOCON,
/// whose values depend on other entries.
pub(crate) fn value_of(node: &Node, format: Format) -> Option<Value> {
    let file = FileId(0);
    match format {
        Format::Yaml => Lowering::new(file, 0).node(node).ok().map(|it| it.value),
        Format::Json => Some(lower_json(file, node).value),
        Format::Hocon => None,
    }
}

/// A node of a file of the format `from` as it is written on one line in the format `to`. `None` if Puppet would read another value
/// there: YAML reads `1e6` as a String, and JSON as a Float.
pub(crate) fn flow_value(node: &Node, from: Format, to: Format) -> Option<String> {
    let value = value_of(node, from)?;
    let written = match to {
        Format::Yaml => flow_yaml(node),
        Format::Json => flow_json(node, from)?,
        Format::Hocon => return None,
    };
    let is_same = read_within_brackets(&written, to).as_ref() == Some(&value);
    is_same.then_some(written)
}

/// The value of a text that is an item of a list in brackets in a file.
pub(crate) fn read_within_brackets(written: &str, format: Format) -> Option<Value> {
    let file = DataFile::new(FileId(0), format, format!("{{\"k\": [{written}]}}").into());
    let Value::Array(items) = &file.get("k")?.value.value else { return None };
    let [item] = &items[..] else { return None };
    Some(item.value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{json, yaml};

    #[track_caller]
    fn check(text: &str, (from, to): (Format, Format), expected: Option<&str>) {
        let root = match from {
            Format::Json => json::parse(text).root,
            _ => yaml::parse(text).root,
        };
        let written = flow_value(&root.expect("a value"), from, to);
        assert_eq!(written.as_deref(), expected, "{text}");
    }

    #[test]
    fn values_are_written_where_they_stay_the_same() {
        let within_yaml = (Format::Yaml, Format::Yaml);
        check("- 0644\n- {<<: {x: 1}, y: 2}\n", within_yaml, Some("[0644, {'<<': {x: 1}, y: 2}]"));
        check("\"\\e\\x85\"", within_yaml, Some("\"\\u001b\\u0085\""));
        for tagged in ["!!str 5", "!!binary aGVsbG8=", "[!!float 1]", "{a: !!str 1}"] {
            check(tagged, within_yaml, None);
        }
        let into_yaml = (Format::Json, Format::Yaml);
        check("{\"a\": [1, \"1\", null]}", into_yaml, Some("{a: [1, '1', null]}"));
        for other in ["{\"n\": 1e6}", "{\"<<\": {\"x\": 1}}"] {
            check(other, into_yaml, None);
        }
        let into_json = (Format::Yaml, Format::Json);
        check("[a, 1.5]", into_json, Some("[\"a\", 1.5]"));
        for other in ["{<<: {x: 1}, y: 2}", "1e6", "0644"] {
            check(other, into_json, (other == "1e6").then_some("\"1e6\""));
        }
        check("{\"n\": 1e6}", (Format::Json, Format::Json), Some("{\"n\": 1e6}"));
    }
}
