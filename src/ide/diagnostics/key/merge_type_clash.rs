//! `merge-type-clash`: values that the key's merge strategy cannot merge.
//!
//! `hash` merges only hashes; `unique` takes everything but a hash or `null` after the first value. Both refuse numbers as keys of
//! hashes, at all depths. The engine evaluates the key for the nodes that read the file. The finding is at the value of the wrong type,
//! or, if that value is in a file that more nodes read, at the value that it is merged with.

use crate::data::Place;
use crate::engine::merge::{merges_as_hash, merges_as_list};
use crate::engine::{Source, Written};
use crate::ide::context;
use crate::ide::diagnostics::lookup::LookupContext;
use crate::ide::diagnostics::shared::known_keys::KnownKeys;
use crate::ide::diagnostics::shared::option_keys::Demands;
use crate::ide::diagnostics::{Check, Related, Report, Rule, Severity};
use crate::ide::perspective::Perspective;
use crate::syntax::key_path::Segment;

pub(crate) const RULE: Rule = Rule {
    code: "merge-type-clash",
    name: "Values cannot be merged",
    severity: Severity::Error,
    since: "0.1.0",
    summary: "The key's merge strategy cannot merge this value with those of other levels.",
    page: include_str!("../../../../docs/rules/merge-type-clash.md"),
    checks: &[Check::Lookup(check)],
    ..Rule::USUAL
};

const PUPPETS_WORDS: &str = "element of the merge has wrong type";

/// Checks the root key `key` of the file at `path`.
pub(crate) fn check(at: &LookupContext<'_>, report: &mut Report) {
    let Some(perspective) = at.perspective else { return };
    let (key, path) = (at.key(), at.file.path);
    // Most keys are not merged, or so that nothing can clash, which their names and the index of keys show.
    let looks_up = at.file.do_variables_look_up();
    if at.known().is_some_and(|known| never_clashes(known, key, looks_up)) {
        return;
    }
    let asked = context::lookup_key([&Segment::Name(key.into())].into_iter());
    let Some(asked) = asked else { return };
    let evaluator = &perspective.evaluator;
    let merge = evaluator.merge_for(key);
    let strategy = merge.name();
    // Only these two strategies check the types of the values that they merge.
    if !matches!(strategy, "hash" | "unique") {
        return;
    }
    if !looks_up && at.known().is_some_and(|known| fits(known, key, strategy)) {
        return;
    }
    let Some(failure) = evaluator.certain_failure(&asked) else { return };
    if !failure.message.contains(PUPPETS_WORDS) {
        return;
    }
    let answer = perspective.answer(&asked);
    // Puppet never merges the values of a default hierarchy with those of other levels.
    let found: Vec<(&Source, &Written)> = answer
        .sources
        .iter()
        .filter(|source| !source.is_default)
        .filter_map(|source| Some((source, source.written.as_ref()?)))
        .collect();
    let is_wrong = |(number, (_, written)): &(usize, &(&Source, &Written))| match (
        strategy,
        &written.root_value,
    ) {
        ("hash", value) => !merges_as_hash(&value.value),
        (_, value) => !merges_as_list(value, *number == 0),
    };
    let wrong = found.iter().enumerate().filter(is_wrong).map(|(_, source)| source);
    let mut blamed: Vec<_> = wrong.clone().filter(|(source, _)| &*source.path == path).collect();
    let mut others = wrong;
    if others.all(|(source, _)| fails_for_fewer_nodes(perspective, path, &source.path)) {
        blamed.extend(found.iter().filter(|(source, _)| &*source.path == path).take(1));
    }
    for (_, written) in blamed {
        let Some(Place { range, .. }) = written.root_value.place else { continue };
        let message =
            format!("{}\nThe lookup options merge `{key}` with `{strategy}`.", failure.message);
        let finding = report.add_as(&RULE, RULE.severity, range, message);
        finding.related = found
            .iter()
            .filter(|(other, _)| &*other.path != path)
            .map(|(other, written)| Related {
                path: Some(other.path.clone()),
                range: written.root_key_place.range,
                message: format!("merged with this value of level \"{}\"", other.level),
            })
            .collect();
    }
}

/// Whether no options of the key request a strategy that could clash, for any node.
fn never_clashes(known: &KnownKeys<'_>, key: &str, do_variables_look_up: bool) -> bool {
    if !known.may_have_options(key) {
        return true;
    }
    let Some(Demands { hash, unique, .. }) = known.demands(key) else { return false };
    let may_clash = |strategy| do_variables_look_up || !fits(known, key, strategy);
    !(hash && may_clash("hash") || unique && may_clash("unique"))
}

/// Whether all values of the key are certainly of a type that the strategy merges, unless the text of a fact, which Puppet
/// interpolates again, looks up keys that no file shows.
fn fits(known: &KnownKeys<'_>, key: &str, strategy: &str) -> bool {
    match strategy {
        "hash" => known.has_only_hashes(key),
        _ => known.has_only_items(key),
    }
}

/// Whether `other` is read by more nodes than `path`, so that a lookup that fails for the nodes of `path` may succeed for
/// some of the nodes of `other`, and nothing is reported there.
fn fails_for_fewer_nodes(perspective: &Perspective, path: &str, other: &str) -> bool {
    let environment = perspective.evaluator.environment();
    let node_of = |path: &str| perspective.world.node_of_file(environment, path);
    path != other && node_of(path).name != node_of(other).name
}

#[cfg(test)]
mod tests {
    use crate::ide::diagnostics::testing::{check, check_related};
    use crate::limits::MAX_KEYS_WHILE_TYPING;

    #[test]
    fn unique_takes_a_hash_only_first() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    paths: [a.yaml, b.yaml]
#- /data/a.yaml
lookup_options: {^.: {merge: unique}}
k: {x: 1}
l: [1]
m: 1
#- /data/b.yaml
k: [1]
l: {x: 1}
#  ^^^^^^ error[merge-type-clash]: The second element of the merge has wrong type…
m: [2]
",
        );
    }

    #[test]
    fn unique_takes_only_strings_as_keys() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    paths: [a.yaml, b.yaml]
#- /data/a.yaml
lookup_options: {^.: {merge: unique}}
k: [{1: x}]
#  ^^^^^^^^ error[merge-type-clash]
l: [1]
m: {80: x}
#  ^^^^^^^ error[merge-type-clash]
n: [{1: x}]
o: ['10.0.0.1:80']
#- /data/b.yaml
k: [1]
l: [a, {a: {1: x}}]
#  ^^^^^^^^^^^^^^^^ error[merge-type-clash]
m: [2]
o: [a]
",
        );
    }

    #[test]
    fn hash_takes_only_strings_as_keys() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - name: x
    paths: [a.yaml, b.yaml]
#- /data/a.yaml
k: {a: 1}
l: {a: {80: 1}}
#  ^^^^^^^^^^^^ error[merge-type-clash]: The first element of the merge has wrong type, entry 'a' expects a Data value, got Hash…
m: {a: 1}
#- /data/b.yaml
lookup_options: {^.: {merge: hash}}
k:
  1: b
# ^^^^ error[merge-type-clash]: The second element of the merge has wrong type, expects a Hash[String, Data] value, got Hash[Integer[1, 1], String]…
l: {b: 1}
m: {'1': b}
",
        );
    }

    #[test]
    fn the_other_values_are_shown() {
        check_related(
            r"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml, c.yaml]}]
#- /data/a.yaml
a: {x: 1}
#- /data/b.yaml
a: 1
#- /data/c.yaml
lookup_options: {a: {merge: hash}}
a: {y: 1}
",
            "merge-type-clash",
            &[
                "/data/a.yaml: a: merged with this value of level \"x\"",
                "/data/c.yaml: a: merged with this value of level \"x\"",
            ],
        );
    }

    #[test]
    fn a_wrong_value_that_other_nodes_read_too_is_told_where_lookups_fail() {
        check(
            r"
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Role, path: 'role/%{facts.role}.yaml'}
  - {name: Common, path: common.yaml}
#- /data/role/web.yaml
k: {x: 1}
#  ^^^^^^ error[merge-type-clash]: The second element of the merge has wrong type…
#- /data/role/db.yaml
k: [1]
#  ^^^ error[merge-type-clash]: The second element of the merge has wrong type…
#- /data/role/other.yaml
l: 1
#- /data/common.yaml
lookup_options: {k: {merge: unique}}
k: {y: 1}
",
        );
    }

    #[test]
    fn a_value_that_nothing_is_merged_with() {
        check(
            r"
lookup_options: {a: {merge: hash}, b: {merge: unique}}
a: 1
b: {x: 1}
",
        );
    }

    #[test]
    fn other_failures_are_the_matter_of_other_rules() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
lookup_options: {k: {merge: hash}}
k: {x: "%{Lookup('y')}"}
#       ^^^^^^^^^^^^^^ error[unknown-function]
#- /data/b.yaml
k: 1
"#,
        );
    }

    #[test]
    fn a_hash_that_looks_up_a_clash_is_not_to_blame() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
lookup_options: {a: {merge: hash}, k: {merge: hash}}
a: {x: "%{lookup('k')}"}
k: {x: 1}
#- /data/b.yaml
a: {y: 1}
k: 1
#  ^ error[merge-type-clash]
"#,
        );
    }

    #[test]
    fn a_text_may_become_a_hash() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
lookup_options: {k: {merge: unique}}
k: [1]
#  ^^^ error[merge-type-clash]
h: {x: 1}
#- /data/b.yaml
k: "%{alias('h')}"
#  ^^^^^^^^^^^^^^^ error[merge-type-clash]
"#,
        );
    }

    #[test]
    fn a_clash_in_another_key_is_told_there() {
        check(
            r#"
#- /hiera.yaml
version: 5
hierarchy: [{name: x, paths: [a.yaml, b.yaml]}]
#- /data/a.yaml
lookup_options: {a: {merge: deep}, k: {merge: hash}}
a: {x: "%{lookup('k')}"}
k: {x: 1}
#- /data/b.yaml
a: {y: 1}
k: 1
#  ^ error[merge-type-clash]
"#,
        );
    }

    #[test]
    fn only_so_many_keys_of_a_file_are_asked() {
        let others = (1..MAX_KEYS_WHILE_TYPING).map(|number| format!("key{number}: 1\n"));
        check(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: x, paths: [a.yaml, b.yaml]}}]\n\
             #- /data/a.yaml\nlookup_options: {{^._last: {{merge: hash}}}}\na_last: {{}}\nb_last: {{}}\n\
             #- /data/b.yaml\n{}a_last: 1\n#       ^ error[merge-type-clash]\nb_last: 1\n",
            others.collect::<String>()
        ));
    }
}
