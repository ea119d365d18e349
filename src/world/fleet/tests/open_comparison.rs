//! What stays open in texts while answers are compared does not decide which of them change.

use super::super::random_data::Texts;
use super::narrowed::with_roles;
use super::other_nodes::{fails_for_a_variable, first};
use super::spread::{CERTNAMES, ROOTS, entries, texts};
use super::unedited::{number_of, value_with_name};
use super::*;
use crate::data::inspect::inspect;

/// The value of an answer in words.
fn value_of(answer: &Answer) -> String {
    match &answer.outcome {
        Ok(found) => format!("{:?}", found.as_ref().map(|it| inspect(&it.value))),
        Err(_) => "error".to_owned(),
    }
}

#[test]
fn what_is_compared_with_open_texts_changes_as_it_does_for_each_node() {
    let (mut changed, mut unchanged, mut open) = (0, 0, 0);
    for seed in 0..workspaces(WORKSPACES) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x0BE2);
        let mut before = entries(&mut random);
        for (key, value) in before.values_mut().flatten() {
            if let Some(number) = number_of(key) {
                *value = value_with_name(&mut random, number);
            }
        }
        let mut after = before.clone();
        let paths: Vec<&str> = after.keys().copied().collect();
        let lines = after.get_mut(paths[random.below(paths.len())]).expect("it is there");
        let at = random.below(lines.len());
        let Some(number) = number_of(lines[at].0) else { continue };
        lines[at].1 = value_with_name(&mut random, number);
        let version = if seed % 2 == 0 { PuppetVersion::V8 } else { PuppetVersion::V7 };
        let after = world_of(&texts(&after, false), version);
        let disk = Arc::new(MemoryDisk::new(texts(&before, false)));
        let before = after.on_other_disk(disk, after.settings().as_ref().clone());
        let fleet = |world| fleet_of_names(world, &CERTNAMES).expect("an environment");
        let mut pair = FleetPair::new(fleet(&before), fleet(&after), None);
        pair.min_open_nodes = 0;
        for key in ROOTS {
            let difference = pair.difference(&key.into());
            if !difference.not_proved().is_empty() {
                continue;
            }
            for (number, name) in (0_u32..).zip(CERTNAMES) {
                let mut told = difference.changes.iter().filter(|it| it.nodes.contains(&number));
                let (change, more) = (told.next(), told.next());
                assert!(more.is_none(), "{key} of {name} in {seed}");
                let sides = with_roles(pair.before(), name);
                for (one, other) in sides.iter().zip(&with_roles(pair.after(), name)) {
                    let was = pair.before().new_evaluator_of(one).lookup(key);
                    let is = pair.after().new_evaluator_of(other).lookup(key);
                    if fails_for_a_variable(&was) || fails_for_a_variable(&is) {
                        continue;
                    }
                    let are_same = value_of(&was) == value_of(&is);
                    let label = || format!("{key} of {name} in {seed}: {was:?}, {is:?}");
                    let Some(change) = change else {
                        assert!(are_same, "{}", label());
                        unchanged += 1;
                        continue;
                    };
                    let case = |answer| first(answer, other).expect("conditions about roles");
                    let (was_told, is_told) = (case(&change.before), case(&change.after));
                    let are_told_the_same = value_of(was_told) == value_of(is_told);
                    assert_eq!(are_told_the_same, are_same, "{change:?} {}", label());
                    changed += usize::from(!are_same);
                    let told = [value_of(was_told), value_of(is_told)].concat();
                    assert!(!told.contains('⟪'), "{told}");
                    open += usize::from(told.contains("%{lookup(") || told.contains("%{alias("));
                }
            }
        }
    }
    let enough = changed > 300 && unchanged > 2_000 && open > 30;
    assert!(enough, "{changed} changed, {unchanged} did not, {open} with lookups left open");
}

/// What changes in `key` for 50 nodes if `a` in common.yaml is edited, with everything left open that may be: each change in
/// words, and its number of nodes.
fn changes(others: &[(&str, &str)], key: &str) -> Vec<(String, usize)> {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: c, path: common.yaml}\n- {name: o, paths: [other.yaml]}\n";
    let files = |a: &str| -> Texts {
        let common = format!("a: {a}\n");
        let all = [("hiera.yaml", hiera_yaml), ("data/common.yaml", &common)];
        let all = all.into_iter().chain(others.iter().copied());
        all.map(|(path, text)| (format!("{ROOT}/{path}"), text.to_owned())).collect()
    };
    let own =
        |number: usize| (format!("{ROOT}/data/nodes/n{number}.yaml"), format!("own: {number}\n"));
    let with_nodes = |mut files: Texts| {
        files.extend((0..50).map(own));
        files
    };
    let after = world_of(&with_nodes(files("2")), PuppetVersion::V8);
    let disk = Arc::new(MemoryDisk::new(with_nodes(files("1"))));
    let before = after.on_other_disk(disk, after.settings().as_ref().clone());
    let names: Vec<String> = (0..50).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let fleet = |world| fleet_of_names(world, &names).expect("an environment");
    let mut pair = FleetPair::new(fleet(&before), fleet(&after), None);
    pair.min_open_nodes = 0;
    let difference = pair.difference(&key.into());
    assert!(difference.not_proved().is_empty(), "{:?}", difference.not_proved());
    let in_words = |it: &AnswerChange| {
        (format!("{} -> {}", value_of(&it.before), value_of(&it.after)), it.nodes.len())
    };
    difference.changes.iter().map(in_words).collect()
}

#[track_caller]
fn check(other: &str, expected: &str) {
    let found = changes(&[("data/other.yaml", other)], "b");
    assert_eq!(found, [(expected.to_owned(), 50)]);
}

#[test]
fn nodes_that_differ_in_what_stays_open_change_together() {
    check(
        "b: \"%{lookup('a')} %{lookup('own')} %{trusted.certname}\"\n",
        "Some(\"\\\"1 %{lookup('own')} %{trusted.certname}\\\"\") -> \
         Some(\"\\\"2 %{lookup('own')} %{trusted.certname}\\\"\")",
    );
    check(
        "b: [\"%{alias('own')}\", \"%{lookup('a')}\"]\n",
        "Some(\"[\\\"%{alias('own')}\\\", \\\"1\\\"]\") -> Some(\"[\\\"%{alias('own')}\\\", \\\"2\\\"]\")",
    );
}

#[track_caller]
fn check_each(other: &str) {
    let found = changes(&[("data/other.yaml", other)], "b");
    assert_eq!(found.len(), 50, "{found:?}");
}

#[test]
fn what_decides_is_looked_up_for_each_node() {
    // A key of a hash is compared with others.
    check_each("b: {\"%{lookup('own')}\": \"%{lookup('a')}\"}\n");
    check_each(
        "lookup_options: {b: {merge: unique}}\nb: [\"%{lookup('own')}\", \"%{lookup('a')}\"]\n",
    );
    check_each("lookup_options: {b: {convert_to: Array}}\nb: \"%{lookup('own')}%{lookup('a')}\"\n");
    check_each("c: {x: \"%{alias('own')}\"}\nb: \"%{lookup('c.x')} %{lookup('a')}\"\n");
}

#[test]
fn a_lookup_that_may_fail_does_not_stay_open() {
    let none: [(String, usize); 0] = [];
    for fails in [
        "\"%{lookup('own.x')}\"",
        "\"%{lookup('c')}\"",
        "\"x %{alias('own')}\"",
        "\"%{nothing('x')}\"",
    ] {
        let other = format!("c: {fails}\nb: \"%{{lookup('c')}} %{{lookup('a')}}\"\n");
        assert_eq!(changes(&[("data/other.yaml", &other)], "b"), none, "{fails}");
    }
    let options = "lookup_options: {c: {convert_to: Integer}}\nc: x\n";
    let other = format!("{options}b: \"%{{lookup('c')}} %{{lookup('a')}}\"\n");
    assert_eq!(changes(&[("data/other.yaml", &other)], "b"), none);
}
