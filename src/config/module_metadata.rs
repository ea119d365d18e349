//! The `metadata.json` of a module: without some of its members, Puppet does not see the module. Because of others, it fails.

use super::PuppetVersion;
use crate::syntax::json;
use crate::syntax::tree::{Node, NodeKind, Pair};
use crate::text::TextRange;

/// The members that must be there, in the order in which Puppet looks for them. It does not look at any value but the last.
const REQUIRED: [&str; 5] = ["source", "author", "version", "license", "dependencies"];

/// Why Puppet does not see a module: none of its data, classes, functions and types exist. Or why it sees no module at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseenModule {
    /// Puppet's words.
    pub message: String,
    /// Where to look for the cause in the `metadata.json`.
    pub range: TextRange,
    /// The Ruby class of the error, if Puppet does not expect it: then every lookup and every catalog of the environment fails.
    pub error_class: Option<&'static str>,
}

impl UnseenModule {
    fn new(message: String, range: TextRange) -> Self {
        Self { message, range, error_class: None }
    }

    /// A Ruby method that a value does not have.
    fn no_method(method: &str, value: &Node, text: &str) -> Self {
        let message = format!("undefined method `{method}' for {}", with_class(value, text));
        Self { error_class: Some("NoMethodError"), ..Self::new(message, value.range) }
    }

    /// A string is looked up in a list or a number.
    fn no_index(range: TextRange) -> Self {
        let message = "no implicit conversion of String into Integer".to_owned();
        Self { error_class: Some("TypeError"), ..Self::new(message, range) }
    }
}

/// Why Puppet does not see the module `name` because of the text of its `metadata.json`; a module without one is seen.
pub fn unseen_module(name: &str, text: &str, puppet: PuppetVersion) -> Option<UnseenModule> {
    if text.is_empty() {
        return None;
    }
    let parsed = json::parse(text);
    if let Some(error) = parsed.error {
        // Puppet 7 only warns, and takes the module for one without metadata.
        let message = format!(
            "{name} has an invalid and unparsable metadata.json file. The parse error: {}",
            json::without_quoted_text(&error.message)
        );
        return puppet.is_strict().then(|| UnseenModule::new(message, error.range));
    }
    let root = parsed.root?;
    let members = match &root.kind {
        NodeKind::Mapping(pairs) if pairs.is_empty() => return None,
        NodeKind::Mapping(pairs) => &pairs[..],
        // A text has no members.
        NodeKind::Scalar { .. } if is_text(&root, text) => &[],
        NodeKind::Scalar { .. } => return Some(UnseenModule::no_method("empty?", &root, text)),
        NodeKind::Sequence(items) if !items.is_empty() => {
            return Some(UnseenModule::no_index(root.range));
        }
        _ => return None,
    };
    if let Some(name) = member(members, "name", text).filter(|it| !is_name(it, text)) {
        return Some(UnseenModule::no_method("tr", name, text));
    }
    let start = members.first().map_or(root.range, |first| first.key.range);
    for name_of_member in REQUIRED {
        let value = member(members, name_of_member, text);
        let Some(value) = value else {
            let message = format!("No {name_of_member} module metadata provided for {name}");
            return Some(UnseenModule::new(message, start));
        };
        if name_of_member != "dependencies" {
            continue;
        }
        let NodeKind::Sequence(dependencies) = &value.kind else {
            let message = format!(
                "The value for the key dependencies in the file metadata.json of the module {name} must be an array, \
                 not: '{}'",
                value.range.slice(text)
            );
            return Some(UnseenModule::new(message, value.range));
        };
        return dependencies.iter().find_map(|it| refused_dependency(it, text));
    }
    None
}

/// Why Puppet fails because of a dependency: it reads and sets members of each, whatever it is.
fn refused_dependency(dependency: &Node, text: &str) -> Option<UnseenModule> {
    match &dependency.kind {
        NodeKind::Mapping(members) => member(members, "name", text)
            .filter(|it| !is_text(it, text))
            .map(|it| UnseenModule::no_method("tr", it, text)),
        NodeKind::Scalar { text: content, .. } if is_text(dependency, text) => {
            let message = "string not matched".to_owned();
            // Ruby replaces a part of the text, if it is there.
            (!content.contains("version_requirement")).then(|| UnseenModule {
                error_class: Some("IndexError"),
                ..UnseenModule::new(message, dependency.range)
            })
        }
        NodeKind::Sequence(_) => Some(UnseenModule::no_index(dependency.range)),
        _ if is_integer(dependency.range.slice(text)) => {
            Some(UnseenModule::no_index(dependency.range))
        }
        _ => Some(UnseenModule::no_method("[]", dependency, text)),
    }
}

/// Whether Puppet accepts the value of the member `name`: it ignores `false`.
fn is_name(value: &Node, text: &str) -> bool {
    is_text(value, text) || value.range.slice(text) == "false"
}

fn is_text(value: &Node, text: &str) -> bool {
    value.range.slice(text).starts_with('"')
}

fn is_integer(written: &str) -> bool {
    written.bytes().all(|it| it.is_ascii_digit() || it == b'-')
}

/// A value that is no text as Ruby shows it, with its class.
fn with_class(value: &Node, text: &str) -> String {
    let written = value.range.slice(text);
    let class = match (&value.kind, written) {
        (NodeKind::Sequence(_), _) => "Array",
        (NodeKind::Mapping(_), _) => "Hash",
        (_, "null") => return "nil:NilClass".to_owned(),
        (_, "true") => "TrueClass",
        (_, "false") => "FalseClass",
        _ if is_integer(written) => "Integer",
        _ => "Float",
    };
    format!("{written}:{class}")
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

    /// Puppet 7 and 8 stop with these errors.
    #[test]
    fn values_that_no_lookup_survives() {
        let fails = |text: &str, class: &str, message: &str| {
            let found = unseen_module("m", text, PuppetVersion::V7);
            let found = found.map(|it| (it.error_class, it.message));
            assert_eq!(found, Some((Some(class), message.to_owned())), "{text}");
        };
        let dependencies =
            |it: &str| with_dependencies(&format!(r#", "dependencies": [{{}}, {it}]"#));
        let no_index = "no implicit conversion of String into Integer";
        fails(&dependencies(r#""puppetlabs/stdlib""#), "IndexError", "string not matched");
        fails(&dependencies("5"), "TypeError", no_index);
        fails(&dependencies("[]"), "TypeError", no_index);
        fails(&dependencies("null"), "NoMethodError", "undefined method `[]' for nil:NilClass");
        fails(&dependencies("1.5"), "NoMethodError", "undefined method `[]' for 1.5:Float");
        let no_tr = "undefined method `tr' for 5:Integer";
        fails(&dependencies(r#"{"name": 5}"#), "NoMethodError", no_tr);
        fails(r#"{"name": 5}"#, "NoMethodError", no_tr);
        fails("true", "NoMethodError", "undefined method `empty?' for true:TrueClass");
        fails("[1]", "TypeError", no_index);
        let fine = dependencies(r#"{"name": "a/b"}, "a version_requirement", {"name": null}"#);
        check(&fine, PuppetVersion::V7, None);
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
