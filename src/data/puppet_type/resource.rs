//! References to catalog entries: `Class['a']`, `File['/tmp']`.

use std::sync::Arc;

use crate::syntax::puppet::is_qualified_name;

/// `foo::bar` as `Foo::Bar`; a segment that starts with a capital letter stays.
pub(super) fn capitalized(name: &str) -> String {
    if name.starts_with(|it: char| it.is_ascii_uppercase()) {
        return name.to_owned();
    }
    let segment = |it: &str| {
        let mut characters = it.chars();
        let first = characters.next().map(|it| it.to_uppercase().to_string());
        first.unwrap_or_default() + &characters.as_str().to_lowercase()
    };
    name.split("::").map(segment).collect::<Vec<_>>().join("::")
}

/// Whether the text is the name of a type, such as `Foo::Bar`.
pub(super) fn is_type_name(name: &str) -> bool {
    let name = name.strip_prefix("::").unwrap_or(name);
    is_qualified_name(name, |it| it.is_ascii_uppercase())
}

/// The name of a class as `Class[…]` accepts it; `None` if it is not one.
pub(super) fn class_name(written: &str) -> Option<Arc<str>> {
    let name = written.to_lowercase();
    let name = name.strip_prefix("::").unwrap_or(&name);
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let mut segments = name.split("::").enumerate();
    let is_name = segments.all(|(index, it)| {
        let may_begin = |it: char| it.is_ascii_lowercase() || index == 0 && it == '_';
        it.starts_with(may_begin) && it.chars().all(is_word)
    });
    is_name.then(|| name.into())
}
