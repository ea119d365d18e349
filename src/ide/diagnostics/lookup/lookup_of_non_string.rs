//! `lookup-of-non-string`: `lookup` and `hiera` always return a string. For a hash or a list, it is in Ruby's notation.

use std::collections::HashSet;

use crate::data::{Located, Value};
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::fitting_fixes::FittingParts;
use crate::ide::diagnostics::shared::targets::{Dug, Targets};
use crate::ide::diagnostics::shared::text_lookup::TextLookup;
use crate::ide::diagnostics::{Check, Report, Rule, Severity};
use crate::syntax::key_path::{self, KeyPath};
use crate::text::TextRange;

pub(crate) const RULE: Rule = Rule {
    code: "lookup-of-non-string",
    name: "Lookup of a hash or list as text",
    severity: Severity::Warning,
    since: "0.1.0",
    summary: "A `%{lookup('…')}` writes a hash or a list as Ruby prints it.",
    page: include_str!("../../../../docs/rules/lookup-of-non-string.md"),
    checks: &[Check::Lookup(check)],
    ..Rule::USUAL
};

/// A lookup that inserts a hash or a list as text.
struct Inserted<'a> {
    lookup: &'a TextLookup,
    /// "hash" or "list".
    kind: &'static str,
    /// The values of the key in files.
    values: Vec<Located>,
}

/// Checks the lookups of an entry that return strings; `start` is where the entry starts.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    let Some(targets) = at.targets() else { return };
    let start = at.entry.start;
    let inserted = at.summary.texts.iter().filter_map(|it| inserted(at, targets, it));
    let inserted: Vec<Inserted<'_>> = inserted.collect();
    let refused = refused(at, &inserted);
    for Inserted { lookup, kind, values } in &inserted {
        // As a key, the text of a hash or a list is wrong, and a hash or a list would be worse.
        let is_alias_possible =
            lookup.is_alone && !lookup.is_in_key && !refused.contains(&lookup.range);
        let advice = if is_alias_possible {
            format!("Write `%{{alias('{}')}}` to get the {kind} itself.", lookup.name)
        } else {
            "Name a member that is a string.".to_owned()
        };
        let message =
            format!("`{}` is a {kind}: Puppet inserts it as Ruby prints it\n{advice}", lookup.name);
        let finding = report.add(&RULE, lookup.range.shifted(start), message);
        let found = values.first();
        finding.related.extend(found.and_then(|it| targets.related(it, format!("this {kind}"))));
        finding.fixes.extend(lookup.as_alias(start).filter(|_| is_alias_possible));
    }
}

fn inserted<'a>(
    at: &LookupContext<'_>,
    targets: &Targets<'_>,
    lookup: &'a TextLookup,
) -> Option<Inserted<'a>> {
    // If only a part of the files was read, a value in the others may be a string.
    let (dug, _) = targets.dug(&lookup.name).filter(|(_, is_whole)| *is_whole)?;
    let found = dug.iter().filter(|it| **it != Dug::Missing);
    let values: Vec<Located> = found.map(|it| it.found().cloned()).collect::<Option<_>>()?;
    let kinds: Vec<&str> = values.iter().map(kind).collect::<Option<_>>()?;
    let kind = *kinds.first()?;
    // A lookup of the entry itself never ends, and neither would an alias.
    let path = key_path::parse(&lookup.name).ok();
    let is_itself = path.as_ref().and_then(KeyPath::root_name).is_some_and(|it| **it == *at.key());
    (!is_itself && !has_conversion(targets, &lookup.name)).then_some(Inserted {
        lookup,
        kind,
        values,
    })
}

/// The lookups in whose place the class parameter accepts the text, but not the values themselves.
fn refused(at: &LookupContext<'_>, inserted: &[Inserted<'_>]) -> HashSet<TextRange> {
    let mut refused = HashSet::new();
    let around = at.file.around.as_ref().filter(|_| !inserted.is_empty());
    let parts = around.and_then(|around| {
        FittingParts::new(around.bound.as_ref()?, &around.classes, at.file.data, at.key())
    });
    let Some(mut parts) = parts else { return refused };
    let start_of = |it: &Inserted<'_>| it.lookup.range.start + at.entry.start;
    parts.each_scalar(|scalar, fits| {
        let Some(place) = scalar.place.map(|it| it.range) else { return };
        let next = inserted.partition_point(|it| start_of(it) < place.start);
        let Some(it) = inserted.get(next).filter(|it| start_of(it) < place.end) else { return };
        // What the texts in a value become is not known.
        let is_refused = |new: &Located, fits: &mut dyn FnMut(&Value) -> bool| {
            !fits(&new.value) && (!new.value.has_tokens() || fits(&scalar.value))
        };
        if it.values.iter().any(|new| is_refused(new, fits)) {
            refused.insert(it.lookup.range);
        }
    });
    refused
}

fn kind(found: &Located) -> Option<&'static str> {
    match found.value {
        Value::Hash(_) => Some("hash"),
        Value::Array(_) => Some("list"),
        _ => None,
    }
}

/// Whether lookup options convert the key's value.
fn has_conversion(targets: &Targets<'_>, name: &str) -> bool {
    let path = key_path::parse(name).ok();
    let Some(root) = path.as_ref().and_then(KeyPath::root_name) else { return true };
    targets.readers().first().is_some_and(|evaluator| {
        let options = evaluator.options_for(root);
        // If the options cannot be determined, a conversion is possible.
        options.map_or(true, |it| it.is_some_and(|it| it.convert_to().is_some()))
    })
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::shared::targets::MAX_FILES;
    use crate::ide::diagnostics::testing::{check, check_fix, check_related, fix_counts};

    #[test]
    fn hashes_and_lists() {
        check(
            r#"
lookup_options: {e: {convert_to: String}}
a: "%{lookup('b')}"
#   ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `b` is a list: Puppet inserts it as Ruby prints it Write `%{alias('b')}` to get the list itself.
b: [x]
c: "x %{hiera('d')}"
#     ^^^^^^^^^^^^^ warning[lookup-of-non-string]: `d` is a hash: Puppet inserts it as Ruby prints it Name a member that is a string.
d: {x: 1}
e: [1]
f: "%{alias('d.x')} %{lookup('d.x')} %{lookup('e')} %{lookup('b.0')} %{lookup('d.y')}"
#                                                                    ^^^^^^^^^^^^^^^^ warning[missing-lookup-target]
#   ^^^^^^^^^^^^^^^ error[alias-not-alone]
"#,
        );
    }

    #[test]
    fn a_lookup_of_the_entry_itself_is_told_once() {
        check(
            r#"
b: {x: "%{lookup('b')}"}
#       ^^^^^^^^^^^^^^ error[recursive-lookup]
"#,
        );
    }

    #[test]
    fn options_of_a_key_with_a_dot() {
        check(
            r#"
lookup_options: {g.h: {convert_to: String}}
a: "%{lookup(\"'g.h'\")} %{lookup(\"'g.i'\")}"
#                        ^^^^^^^^^^^^^^^^^^^^ warning[lookup-of-non-string]
g.h: [1]
g.i: [1]
"#,
        );
    }

    #[test]
    fn all_files_must_agree() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
a: "%{lookup('b')}%{lookup('c')}"
#                 ^^^^^^^^^^^^^^ warning[lookup-of-non-string]
b: [x]
#- /data/b.yaml
b: x
c: {}
"#,
        );
    }

    #[test]
    fn the_value_is_shown() {
        check_related(
            r#"
a: "%{lookup('b')}"
b: [x]
"#,
            "lookup-of-non-string",
            &["/data/common.yaml: [x]: this list"],
        );
    }

    #[test]
    fn alias_takes_the_value_as_it_is() {
        check_fix(
            "a: '%{ hiera(\"b\") }'\nb: [x]\n",
            "Write `%{alias('b')}`",
            "a: '%{ alias(\"b\") }'\nb: [x]\n",
        );
    }

    /// The class accepts the text, and would refuse the hash.
    #[test]
    fn what_the_class_refuses_is_not_offered() {
        let text = r#"
m::s: "%{lookup('h')}"
#      ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `h` is a hash: Puppet inserts it as Ruby prints it Name a member that is a string.
m::h: {a: "%{lookup('l')}", x: "%{lookup('h')}", y: {z: "%{lookup('h')}"}}
#          ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `l` is a list: Puppet inserts it as Ruby prints it Name a member that is a string.
#                               ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `h` is a hash: Puppet inserts it as Ruby prints it Write `%{alias('h')}` to get the hash itself.
#                                                        ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `h` is a hash: Puppet inserts it as Ruby prints it Name a member that is a string.
m::t: "%{lookup('t')}"
#      ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `t` is a hash: Puppet inserts it as Ruby prints it Name a member that is a string.
m::u: "%{lookup('h')}"
#      ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `h` is a hash: Puppet inserts it as Ruby prints it Write `%{alias('h')}` to get the hash itself.
h: {a: 1}
l: [1]
t: {a: "%{facts.x}"}
#- /hiera.yaml
version: 5
hierarchy: [{name: c, path: common.yaml}]
#- /modules/m/manifests/init.pp
class m(String $s, Hash[String, Variant[String, Hash[String, Scalar]]] $h, Optional[String] $t, $u) { }
"#;
        check(text);
        assert_eq!(fix_counts(text, "lookup-of-non-string"), [0, 0, 1, 0, 0, 1]);
    }

    #[test]
    fn a_key_is_not_made_a_hash() {
        let text = r#"
a: {"%{lookup('b')}": 1, c: ["%{lookup('b')}"]}
#    ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `b` is a hash: Puppet inserts it as Ruby prints it Name a member that is a string.
#                             ^^^^^^^^^^^^^^ warning[lookup-of-non-string]: `b` is a hash: Puppet inserts it as Ruby prints it Write `%{alias('b')}` to get the hash itself.
b: {x: 1}
"#;
        check(text);
        assert_eq!(fix_counts(text, "lookup-of-non-string"), [0, 1]);
    }

    #[test]
    fn keys_of_very_many_files_are_left_alone() {
        let fixture = |count: usize, mark: &str| {
            let files = (0..count).map(|number| format!("#- /data/{number}.yaml\nb: [{number}]\n"));
            check(&format!(
                "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: x, glob: '*.yaml'}}]\n\
                 #- /data/a.yaml\na: \"%{{lookup('b')}}\"\n{mark}{}",
                files.collect::<String>()
            ));
        };
        fixture(MAX_FILES, "#   ^^^^^^^^^^^^^^ warning[lookup-of-non-string]\n");
        fixture(MAX_FILES + 1, "");
    }
}
