//! The `metadata.json` of a module: without some of its members, Puppet does not see the module.

use super::PuppetVersion;
use crate::syntax::json;
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::text::TextRange;

/// The members that must be there, in the order in which Puppet looks for them. It does not look at any value but the last.
const REQUIRED: [&str; 5] = ["source", "author", "version", "license", "dependencies"];

/// Why Puppet does not see a module: none of its data, classes, functions and types exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseenModule {
    /// Puppet's words.
    pub message: String,
    /// Where to look for the cause in the `metadata.json`.
    pub range: TextRange,
}

/// Why Puppet does not see the module `name` because of the text of its `metadata.json`; a module without one is seen.
pub fn unseen_module(name: &str, text: &str, puppet: PuppetVersion) -> Option<UnseenModule> {
    if text.is_empty() {
        return None;
    }
    let parsed = json::parse(text);
    if let Some(error) = parsed.error {
        // Puppet 7 only warns, and takes the module for one without metadata.
        return puppet.is_strict().then(|| UnseenModule {
            message: format!(
                "{name} has an invalid and unparsable metadata.json file. The parse error: {}",
                json::without_quoted_text(&error.message)
            ),
            range: error.range,
        });
    }
    let root = parsed.root?;
    let members = match &root.kind {
        NodeKind::Mapping(pairs) if pairs.is_empty() => return None,
        NodeKind::Mapping(pairs) => &pairs[..],
        // A text has no members. Puppet fails because of numbers and lists, and does not take them for metadata.
        NodeKind::Scalar { .. } if text.trim_start().starts_with('"') => &[],
        _ => return None,
    };
    let start = members.first().map_or(root.range, |first| first.key.range);
    for name_of_member in REQUIRED {
        let value = member(members, name_of_member, text);
        let Some(value) = value else {
            let message = format!("No {name_of_member} module metadata provided for {name}");
            return Some(UnseenModule { message, range: start });
        };
        if name_of_member == "dependencies" && !matches!(value.kind, NodeKind::Sequence(_)) {
            let message = format!(
                "The value for the key dependencies in the file metadata.json of the module {name} must be an array, \
                 not: '{}'",
                value.range.slice(text)
            );
            return Some(UnseenModule { message, range: value.range });
        }
    }
    None
}

/// The text of the member `data_provider`, with which the module names the source of its data, as before Hiera 5.
pub fn data_provider(text: &str) -> Option<String> {
    const NAME: &str = "data_provider";
    // Hardly any module has it, and all of them are asked.
    if !text.contains(NAME) {
        return None;
    }
    let root = json::parse(text).root?;
    let NodeKind::Mapping(members) = &root.kind else { return None };
    let value = member(members, NAME, text)?;
    Some(match &value.kind {
        NodeKind::Scalar { text, .. } => text.to_string(),
        _ => value.range.slice(text).to_owned(),
    })
}

/// The value of a member, if it is not `null`. The last one of a name counts.
fn member<'a>(members: &'a [Pair], wanted: &str, text: &str) -> Option<&'a Node> {
    let is_it =
        |key: &Node| matches!(&key.kind, NodeKind::Scalar { text, .. } if **text == *wanted);
    let found = members.iter().rev().find(|pair| is_it(&pair.key)).map(|pair| &pair.value);
    found.filter(|it| it.range.slice(text) != "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, puppet: PuppetVersion, expected: Option<&str>) {
        let found = unseen_module("m", text, puppet);
        assert_eq!(found.as_ref().map(|it| &*it.message), expected, "{text}");
    }

    fn with_dependencies(value: &str) -> String {
        let rest = r#""source": "", "author": "", "version": "", "license": """#;
        format!("{{{rest}{value}}}")
    }

    #[test]
    fn members_that_must_be_there() {
        let check = |text: &str, expected| {
            check(text, PuppetVersion::V7, expected);
            check(text, PuppetVersion::V8, expected);
        };
        check("", None);
        check("{}", None);
        check("[]", None);
        check(&with_dependencies(r#", "dependencies": []"#), None);
        let without = Some("No dependencies module metadata provided for m");
        check(&with_dependencies(""), without);
        check(&with_dependencies(r#", "dependencies": null"#), without);
        check(&with_dependencies(r#", "dependencies": [], "dependencies": null"#), without);
        let no_list = "The value for the key dependencies in the file metadata.json of the module m must be an array, \
                       not: 'false'";
        check(&with_dependencies(r#", "dependencies": false"#), Some(no_list));
        let source = Some("No source module metadata provided for m");
        check(r#"{"name": "a-m", "dependencies": []}"#, source);
        check(r#""text""#, source);
        let version = Some("No version module metadata provided for m");
        check(r#"{"source": "", "author": "", "version": null, "dependencies": []}"#, version);
    }

    #[test]
    fn texts_that_are_no_json() {
        for text in ["{bad", " ", "\u{feff}{}"] {
            check(text, PuppetVersion::V7, None);
            let found = unseen_module("m", text, PuppetVersion::V8).expect("a reason");
            let start = "m has an invalid and unparsable metadata.json file. The parse error: ";
            assert!(found.message.starts_with(start), "{}", found.message);
        }
        check("{} // a comment\n", PuppetVersion::V8, None);
    }
}
