//! The result of a lookup call if no data has the key: its default, if it has one.

use crate::syntax::puppet::{ArgumentKind, Call};
use crate::text::TextRange;

/// The result of a lookup that finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookupDefault {
    /// Nothing: the call fails.
    Missing,
    /// The expression in this range.
    Written(TextRange),
    /// The call has overrides or several defaults, or its arguments are not constant, or Puppet refuses it.
    Unknown,
}

/// The default of a call of `lookup` or of a function whose name starts with `hiera`.
pub fn of_call(call: &Call) -> LookupDefault {
    if call.has_lambda {
        return LookupDefault::Unknown;
    }
    let is_lookup = call.function == "lookup";
    match call.arguments.as_slice() {
        [_] if !is_lookup => LookupDefault::Missing,
        // The second argument of the `hiera` functions is always a default, even if it is a type or a hash.
        [_, (_, default), ..] if !is_lookup => LookupDefault::Written(*default),
        [(ArgumentKind::Hash, _)] | [_, (ArgumentKind::Hash, _)] => of_options(call),
        [_] | [_, (ArgumentKind::Type, _)] => LookupDefault::Missing,
        // Puppet refuses three arguments if the third one is `undef`.
        [_, (ArgumentKind::Type | ArgumentKind::Undef, _), (merge, _)]
            if *merge != ArgumentKind::Undef =>
        {
            LookupDefault::Missing
        }
        [_, _, _, (_, default)] => LookupDefault::Written(*default),
        _ => LookupDefault::Unknown,
    }
}

fn of_options(call: &Call) -> LookupDefault {
    let has = |wanted: &str| call.options.iter().any(|(name, _)| name.text == wanted);
    if has("") || has("override") || has("default_values_hash") {
        return LookupDefault::Unknown;
    }
    let default = call.options.iter().find(|(name, _)| name.text == "default_value");
    default.map_or(LookupDefault::Missing, |(_, range)| LookupDefault::Written(*range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::CodeFile;

    /// `expected`: the default as it is written.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let file = CodeFile::of_text("/a.pp", text);
        let found = match of_call(&file.manifest.calls[0]) {
            LookupDefault::Missing => "missing",
            LookupDefault::Written(range) => file.slice(range),
            LookupDefault::Unknown => "unknown",
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn all_forms_of_a_lookup() {
        for call in [
            "lookup('k')",
            "lookup(['k', 'l'])",
            "'k'.lookup",
            "'k'.lookup(String)",
            "lookup('k', Hash[String, Integer], 'deep')",
            "lookup('k', undef, { strategy => 'deep' })",
            "lookup('k', { merge => 'deep' })",
            "lookup({ name => 'k', value_type => String })",
            "hiera('k')",
            "hiera_include('k')",
        ] {
            check(call, "missing");
        }
        check("lookup('k', String, 'first', 'x')", "'x'");
        check("lookup('k', undef, undef, undef)", "undef");
        check("lookup('k', { default_value => [1] })", "[1]");
        check("lookup({ 'name' => 'k', 'default_value' => f($x) })", "f($x)");
        check("hiera('k', 'x')", "'x'");
        check("hiera_array('k', [], 'level')", "[]");
        for call in [
            "lookup('k') |$key| { 1 }",
            "lookup('k', $options)",
            "lookup('k', 'refused')",
            "lookup('k', undef)",
            "lookup('k', { default_value => 1, override => { k => 2 } })",
            "lookup('k', { 'default_values_hash' => {} })",
            "lookup('k', { $x => 1 })",
        ] {
            check(call, "unknown");
        }
    }
}
