//! What YAML tags request from Psych: mostly instances of Ruby classes, which Puppet does not allow.

/// The class that a scalar's tag requests and that Puppet refuses.
pub(super) fn class_of_scalar(tag: &str, text: &str) -> Option<String> {
    let class = match tag {
        "!ruby/object:BigDecimal" => "BigDecimal",
        "!ruby/object:DateTime" => "DateTime",
        "!ruby/object:Complex" => "Complex",
        "!ruby/object:Rational" => "Rational",
        "!ruby/regexp" => "Regexp",
        "!ruby/range" => "Range",
        "!ruby/class" | "!ruby/module" => text,
        _ => after(tag, &["!str:", "!ruby/string:"])?,
    };
    some_class(class)
}

/// The class that a list's tag requests and that Puppet refuses.
pub(super) fn class_of_list(tag: &str) -> Option<String> {
    some_class(after(tag, &["!seq:", "!ruby/array:"])?)
}

/// The class that a hash's tag requests and that Puppet refuses.
pub(super) fn class_of_hash(tag: &str) -> Option<String> {
    let or = |name: &str, otherwise: &str| {
        let name = name.strip_prefix(':').unwrap_or(name);
        some_class(if name.is_empty() { otherwise } else { name })
    };
    if let Some(name) = tag.strip_prefix("!ruby/struct") {
        return or(name, "Struct");
    }
    if let Some(name) = tag.strip_prefix("!ruby/object") {
        return if name == ":Hash" { None } else { or(name, "Object") };
    }
    if let Some(name) = tag.strip_prefix("!ruby/exception") {
        return or(name, "Exception");
    }
    match tag {
        "!ruby/range" => Some("Range".to_owned()),
        "!set" | "tag:yaml.org,2002:set" => Some("Psych::Set".to_owned()),
        "!omap" | "tag:yaml.org,2002:omap" => Some("Psych::Omap".to_owned()),
        _ => some_class(after(
            tag,
            &[
                "!str:",
                "!ruby/string:",
                "!ruby/array:",
                "!ruby/hash-with-ivars:",
                "!map:",
                "!ruby/hash:",
                "!ruby/marshalable:",
            ],
        )?),
    }
}

/// Whether the tag turns a hash into the string that it has as `str`.
pub(super) fn is_string_with_variables(tag: &str) -> bool {
    matches!(tag, "tag:yaml.org,2002:str" | "!str" | "!ruby/string")
        // The name of a class may follow.
        || after(tag, &["!str:", "!ruby/string:"]).is_some_and(|class| some_class(class).is_none())
}

/// Whether the tag turns a list of one-pair hashes into one hash.
pub(super) fn is_ordered_map(tag: &str) -> bool {
    matches!(tag, "!omap" | "tag:yaml.org,2002:omap")
}

/// `!ruby/sym`, `!ruby/symbol`, both also followed by a colon and any text.
pub(super) fn is_symbol(tag: &str) -> bool {
    tag.starts_with("!ruby/sym")
}

fn after<'t>(tag: &'t str, prefixes: &[&str]) -> Option<&'t str> {
    prefixes.iter().find_map(|prefix| tag.strip_prefix(prefix))
}

/// Only `Symbol` is allowed; an empty name requests no class.
fn some_class(name: &str) -> Option<String> {
    (!matches!(name, "" | "Symbol")).then(|| name.to_owned())
}
