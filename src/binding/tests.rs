//! Classes bound for complete and partial nodes.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{Binder, Binding, Bound, BoundCase, Verdict};
use crate::data::inspect;
use crate::engine::CancelToken;
use crate::engine::cases::in_words;
use crate::ide::fixture::Fixture;
use crate::world::World;

/// The hierarchy of a fixture, with data that depends on the role.
const HIERA_YAML: &str = "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
                          - {name: r, path: '%{role}.yaml'}\n- {name: c, path: common.yaml}\n";

fn bindings(world: &Arc<World>, class: &str) -> Vec<Binding> {
    let environment = &world.environments()[0];
    let evaluator = world.evaluator(environment, &world.any_node(environment));
    let class = world.class_code(environment, class).expect("the class is there");
    let (aliases, cancel) = (world.type_aliases(environment), CancelToken::default());
    Binder { evaluator: &evaluator, aliases: &aliases, cancel: &cancel }.bind_class(&class)
}

fn shown(binding: &Binding, case: &BoundCase) -> String {
    let mut text = match &case.bound {
        Bound::Data(value) => format!("data {}", inspect::inspect(&value.value)),
        Bound::Default(value) => format!("default {}", inspect::inspect(value)),
        Bound::Computed => "computed".to_owned(),
        Bound::Nothing => "nothing".to_owned(),
        Bound::Failed(failure) => format!("fails: {}", failure.message),
    };
    match &case.verdict {
        Verdict::Unsure(unsure) => {
            let _ = write!(text, "; {}", unsure.words());
        }
        verdict => {
            if let Some(message) = verdict.message(&binding.name) {
                let _ = write!(text, "; {message}");
            }
        }
    }
    text
}

#[track_caller]
fn check(parameters: &str, data: &str, expected: &[&str]) {
    let fixture = Fixture::parse_without_marks(&format!(
        "{HIERA_YAML}#- /modules/k/manifests/init.pp\nclass k({parameters}) {{ }}\n\
         #- /modules/k/types/port.pp\ntype K::Port = Integer[0, 10]\n\
         #- /modules/k/types/obj.pp\ntype K::Obj = Object[{{attributes => {{x => Integer}}}}]\n\
         #- /modules/k/types/tree.pp\ntype K::Tree = Variant[Integer, Array[K::Tree]]\n\
         #- /data/common.yaml\n{data}\n"
    ));
    let bindings = bindings(&fixture.world(), "::K");
    let mut found = Vec::new();
    for binding in &bindings {
        for case in &binding.cases {
            let conditions = in_words(&case.conditions);
            let conditions =
                if conditions.is_empty() { String::new() } else { format!(" if {conditions}") };
            found.push(format!("{}{conditions}: {}", binding.name, shown(binding, case)));
        }
    }
    assert_eq!(found, expected);
}

#[test]
fn puppets_words_about_a_class_have_a_line_for_each_parameter() {
    let refusal = |parameters: &str| {
        let text = format!("#- /modules/k/manifests/b.pp\nclass k::b({parameters}) {{ }}\n");
        let bindings = bindings(&Fixture::parse_without_marks(&text).world(), "k::b");
        super::refusal("k::b", &bindings)
    };
    assert_eq!(refusal("$a = 1"), None);
    let one = "Class[K::B]: expects a value for parameter 'a'";
    assert_eq!(refusal("Integer $a").as_deref(), Some(one));
    let two = "Class[K::B]:\n  expects a value for parameter 'a'\n  parameter 'b' expects an Integer value, got String";
    assert_eq!(refusal("$a, Integer $b = x").as_deref(), Some(two));
}

#[test]
fn data_then_the_default_then_nothing() {
    check(
        "Integer $a = 1, Integer $b = 1, Optional[Integer] $c, $d = $a, $e = upcase('x'),",
        "k::a: 2",
        &[
            "a: data 2",
            "b: default 1",
            "c: nothing; expects a value for parameter 'c'",
            "d: computed; not known: computed by code",
            "e: computed; not known: computed by code",
        ],
    );
}

/// Recorded from catalogs of Puppet 7.23 and 8.11.
#[test]
fn the_scope_of_a_class_that_inherits_is_that_of_its_parent() {
    let class = |inherits: &str| {
        let fixture = Fixture::parse_without_marks(&format!(
            "{HIERA_YAML}#- /modules/b/manifests/init.pp\nclass b {{ }}\n\
             #- /modules/k/manifests/init.pp\nclass k(String $t){inherits} {{ }}\n\
             #- /data/common.yaml\nk::t: '%{{title}}|%{{name}}|%{{module_name}}'\n"
        ));
        let bindings = bindings(&fixture.world(), "k");
        shown(&bindings[0], &bindings[0].cases[0])
    };
    assert_eq!(class(""), r#"data "main|main|k""#);
    assert_eq!(class(" inherits ::b"), r#"data "b|b|k""#);
}

#[test]
fn null_selects_the_default_or_undef() {
    check(
        "Integer $a = 1, Optional[Integer] $b, Integer $c, $d, Integer $e = undef",
        "{k::a: ~, k::b: ~, k::c: ~, k::d: ~, k::e: ~}",
        &[
            "a: default 1",
            "b: data nil",
            "c: data nil; parameter 'c' expects an Integer value, got Undef",
            "d: data nil",
            "e: default nil; parameter 'e' expects an Integer value, got Undef",
        ],
    );
}

#[test]
fn the_value_is_checked_after_merge_and_conversion() {
    check(
        "String $a, Sensitive[String] $b, String $c, Sensitive[String] $d",
        "lookup_options: {k::a: {merge: unique}, k::b: {convert_to: Sensitive}, k::c: {convert_to: Sensitive}}\n\
         k::a: x\nk::b: x\nk::c: x\nk::d: x",
        &[
            "a: data [\"x\"]; parameter 'a' expects a String value, got Tuple",
            "b: data #<Sensitive [value redacted]>",
            "c: data #<Sensitive [value redacted]>; parameter 'c' expects a String value, got Sensitive[String]",
            "d: data \"x\"; parameter 'd' expects a Sensitive[String] value, got String",
        ],
    );
}

#[test]
fn an_object_type_has_its_own_name() {
    check(
        "K::Obj $a",
        "k::a: 1",
        &["a: data 1; parameter 'a' expects a K::Obj value, got Integer"],
    );
    check(
        "Optional[K::Obj] $a",
        "k::a: 1",
        &["a: data 1; parameter 'a' expects a value of type Undef or K::Obj, got Integer"],
    );
}

#[test]
fn cases_that_only_differ_in_where_the_default_comes_from_are_one() {
    check(
        "$s = 'd', $n = 1, $c = upcase('x')",
        "x: 1\n#- /data/web.yaml\nk::s: ~\nk::n: ~\nk::c: ~\n#- /data/db.yaml\nk::n: 2",
        &[
            "s: default \"d\"",
            "n if role is db: data 2",
            "n: default 1",
            "c: computed; not known: computed by code",
        ],
    );
}

#[test]
fn a_type_that_puppet_refuses_fails_whatever_the_value_is() {
    let problem = |place: &str, problem: &str| {
        format!(
            "{place}: fails: Evaluation Error: {problem} (file: /repo/modules/k/manifests/init.pp, line: 1, column: "
        )
    };
    let integer = "Integer-Type [] requires all arguments to be integers (or default). Got String";
    check(
        "Integer['a'] $a, Integer['a'] $b = $facts['x'], Integer[1, $facts['x']] $c",
        "{k::a: 1, k::c: 2}",
        &[
            &format!("{}17)", problem("a", integer)),
            &format!("{}34)", problem("b", integer)),
            "c: data 2; the type cannot be read: cannot read the type 'Integer[1, $facts['x']]': code that is not a literal type \
             (file: /repo/modules/k/manifests/init.pp, line: 1, column: 68)",
        ],
    );
}

#[test]
fn aliases_of_modules_are_known_and_other_names_are_not() {
    check(
        "K::Port $a, K::Tree $b, No::Such $c, Array[K::Port] $d",
        "{k::a: 11, k::b: [1, [2]], k::c: 1, k::d: [1, 11, x]}",
        &[
            "a: data 11; parameter 'a' expects a K::Port = Integer[0, 10] value, got Integer[11, 11]",
            "b: data [1, [2]]",
            "c: data 1; the type cannot be read: Evaluation Error: Resource type not found: No::Such (file: /repo/modules/k/manifests/init.pp, line: 1, column: 33)",
            "d: data [1, 11, \"x\"]; parameter 'd' index 1 expects a K::Port = Integer[0, 10] value, got Integer[11, 11]\n\
             parameter 'd' index 2 expects a K::Port = Integer[0, 10] value, got String",
        ],
    );
}

#[test]
fn a_lookup_that_fails_counts_even_with_a_default() {
    check(
        "$a = 1",
        "k::a: \"%{lookup('k::a')}\"",
        &["a: fails: Lookup of key 'k::a' failed: Recursive lookup detected in [k::a]"],
    );
}

/// Recorded from catalogs of Puppet 7.23 and 8.11.
#[test]
fn a_default_cannot_be_a_later_parameter_without_data() {
    let early = |name: &str, read: &str| {
        format!(
            "{name}: fails: Class[K]: default expression for ${name} tries to illegally access not yet evaluated ${read}"
        )
    };
    check(
        "$a = $b, $b = 1, $c = $e, $e = 2, $f = $g, $g = $f, $h = $h, $i = $facts",
        "k::b: 1",
        &[
            "a: computed; not known: computed by code",
            "b: data 1",
            &early("c", "e"),
            "e: default 2",
            &early("f", "g"),
            "g: computed; not known: computed by code",
            &early("h", "h"),
            "i: computed; not known: computed by code",
        ],
    );
}

#[test]
fn each_case_has_its_own_verdict() {
    check(
        "Integer $a = 1, Integer $b",
        "k::a: x\n#- /data/web.yaml\nk::a: 3\nk::b: 4",
        &[
            "a if role is web: data 3",
            "a: data \"x\"; parameter 'a' expects an Integer value, got String",
            "b if role is web: data 4",
            "b: nothing; expects a value for parameter 'b'",
        ],
    );
}

#[test]
fn texts_with_open_variables_are_judged_as_far_as_they_are_known() {
    check(
        "String $a, Integer $b, Enum['x'] $c",
        "{k::a: 'a%{x}', k::b: 'a%{x}', k::c: 'a%{x}'}",
        &[
            "a: data \"a%{x}\"",
            "b: data \"a%{x}\"; parameter 'b' expects an Integer value, got String",
            "c: data \"a%{x}\"; not known: it depends on the text of x",
        ],
    );
}

#[test]
fn texts_inside_sensitive_values_are_judged_in_the_same_way() {
    check(
        "Sensitive[Enum['x']] $a, Sensitive[Integer] $b",
        "lookup_options: {'^k::': {convert_to: Sensitive}}\nk::a: 'a%{x}'\nk::b: 'a%{x}'",
        &[
            "a: data #<Sensitive [value redacted]>; not known: it depends on the text of x",
            "b: data #<Sensitive [value redacted]>; \
             parameter 'b' expects a Sensitive[Integer] value, got Sensitive[String]",
        ],
    );
}
