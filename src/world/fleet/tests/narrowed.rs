//! If only values of entries were edited, the values that come from other files need not be known.

use super::other_nodes::{fails_for_a_variable, first};
use super::spread::{CERTNAMES, ROOTS, entries, texts, value};
use super::*;
use crate::facts::{NodeParts, formats};

/// Nodes with this name and each of the roles.
pub(super) fn with_roles(fleet: &Fleet, name: &str) -> Vec<Arc<Node>> {
    let of_role = |role: &str| {
        let (mut parts, _) = formats::read("/x.yaml", &format!("x: 1\n{role}"));
        let parts = NodeParts { name: name.to_owned(), ..parts.pop().expect("a fact set") };
        let sets = [("/x.yaml".to_owned(), parts)];
        let found = fleet.world().nodes_of_fact_sets(fleet.environment(), &sets);
        found.nodes[0].in_environment(fleet.environment())
    };
    ["role: web\n", "role: db\n", "role: none\n", ""].map(of_role).to_vec()
}

#[test]
fn what_is_told_of_edited_entries_is_what_each_node_gets() {
    let (mut changed, mut unchanged, mut elsewhere) = (0, 0, 0);
    for seed in 0..workspaces(WORKSPACES) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xED17);
        let before = entries(&mut random);
        let mut after = before.clone();
        let paths: Vec<&str> = after.keys().copied().collect();
        for _ in 0..=random.below(2) {
            let lines = after.get_mut(paths[random.below(paths.len())]).expect("it is there");
            let at = random.below(lines.len());
            if let Some(number) = ROOTS.iter().position(|it| *it == lines[at].0) {
                lines[at].1 = value(&mut random, number);
            }
        }
        let version = if seed % 2 == 0 { PuppetVersion::V8 } else { PuppetVersion::V7 };
        let after = world_of(&texts(&after, false), version);
        let disk = Arc::new(MemoryDisk::new(texts(&before, false)));
        let before = after.on_other_disk(disk, after.settings().as_ref().clone());
        let fleet = |world| fleet_of_names(world, &CERTNAMES).expect("an environment");
        let pair = FleetPair::new(fleet(&before), fleet(&after), None);
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
                    let lookup_before = pair.before().new_evaluator_of(one);
                    let lookup_after = pair.after().new_evaluator_of(other);
                    let (one, now) = (lookup_before.lookup(key), lookup_after.lookup(key));
                    if fails_for_a_variable(&one) || fails_for_a_variable(&now) {
                        continue;
                    }
                    let are_same =
                        is_same_outcome(&one, &now) || one.outcome.is_err() && now.outcome.is_err();
                    let label = || format!("{key} of {name} in {seed}: {one:?}, {now:?}");
                    let Some(change) = change else {
                        assert!(are_same, "{}", label());
                        unchanged += 1;
                        continue;
                    };
                    let case = |answer| first(answer, other).expect("conditions about roles");
                    let (one_told, now_told) = (case(&change.before), case(&change.after));
                    assert_eq!(one_told.is_elsewhere(), now_told.is_elsewhere(), "{}", label());
                    if one_told.is_elsewhere() {
                        assert!(are_same, "{}", label());
                        elsewhere += 1;
                    } else if one_told.open.is_empty() && now_told.open.is_empty() {
                        assert!(is_same_outcome(one_told, &one), "{}", label());
                        assert!(is_same_outcome(now_told, &now), "{}", label());
                        changed += usize::from(!are_same);
                    }
                }
            }
        }
    }
    let enough = changed > 300 && unchanged > 2_000 && elsewhere > 100;
    assert!(enough, "{changed} changed, {unchanged} did not, {elsewhere} elsewhere");
}

const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                          - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n";

/// Checks that nodes of which only the names are known change together in `key` if `a` in common.yaml is edited, and that this is
/// proved. `b` in common.yaml is built from `a`.
#[track_caller]
fn check_change_together(key: &str, others: &[(&str, &str)]) {
    let names: Vec<String> = (0..50).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (difference, whole) = differences(HIERA_YAML, others, &names, key);
    assert_eq!(difference.changes.len(), 1);
    assert!(difference.not_proved().is_empty(), "{:?}", difference.not_proved());
    // With whole answers, each node has its own.
    assert_eq!(whole.changes.len(), names.len());
}

/// What changes in `key` if `a` in common.yaml is edited, without and with the values that stay the same.
fn differences(
    hiera_yaml: &str,
    others: &[(&str, &str)],
    names: &[&str],
    key: &str,
) -> (Difference, Difference) {
    let files = |common: &str| -> Vec<(String, String)> {
        let all = [("hiera.yaml", hiera_yaml), ("data/common.yaml", common)];
        let all = all.into_iter().chain(others.iter().copied());
        all.map(|(path, text)| (format!("{ROOT}/{path}"), text.to_owned())).collect()
    };
    let common = |a: u8| format!("a: {a}\nb: \"%{{lookup('a')}}\"\n");
    let after = world_of(&files(&common(2)).into_iter().collect(), PuppetVersion::V8);
    let disk = Arc::new(MemoryDisk::new(files(&common(1))));
    let before = after.on_other_disk(disk, after.settings().as_ref().clone());
    let fleet = |world| fleet_of_names(world, names).expect("an environment");
    let pair = || FleetPair::new(fleet(&before), fleet(&after), None);
    let key = key.into();
    (pair().difference(&key), pair().with_whole_answers().difference(&key))
}

#[test]
fn nodes_that_differ_in_other_values_change_together() {
    let name = "a: '%{trusted.certname}'\n";
    check_change_together("a", &[("data/roles/web.yaml", name), ("data/roles/db.yaml", "a: 3\n")]);
}

#[test]
fn nodes_that_differ_in_values_that_do_not_look_up_the_edited_key_change_together() {
    let name = "b: '%{trusted.certname}'\n";
    check_change_together("b", &[("data/roles/web.yaml", name), ("data/roles/db.yaml", "b: 3\n")]);
}

/// What a lookup of another key leaves out does not matter if that key has nothing to do with the edit.
#[test]
fn files_that_an_edit_does_not_concern_may_be_too_many() {
    let mut others = vec![(
        "data/roles/x.yaml".to_owned(),
        "a: \"%{lookup('c')} %{trusted.certname}\"\n".to_owned(),
    )];
    for number in 0..200 {
        others.push((format!("data/roles/r{number}.yaml"), format!("c: {number}\n")));
    }
    let others: Vec<(&str, &str)> =
        others.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    check_change_together("a", &others);
}

/// Files that are only counted do not matter if the value comes from another file in any case.
#[test]
fn an_edit_below_a_level_with_the_key_is_proved_to_change_nothing() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n\
                      - {name: c, paths: [all.yaml, common.yaml]}\n";
    let roles =
        (0..200).map(|number| (format!("data/roles/r{number}.yaml"), format!("a: {number}\n")));
    let mut others: Vec<(String, String)> = roles.collect();
    others.push(("data/all.yaml".to_owned(), "a: 3\n".to_owned()));
    let others: Vec<(&str, &str)> =
        others.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (difference, whole) = differences(hiera_yaml, &others, &["one", "two"], "a");
    assert!(difference.changes.is_empty() && difference.not_proved().is_empty(), "{difference:?}");
    assert!(whole.changes.is_empty() && !whole.not_proved().is_empty(), "{whole:?}");
}

/// In an editor, a file is broken most of the time.
#[test]
fn a_broken_file_concerns_all_keys_only_where_puppet_reads_it() {
    let files = |common: &str| {
        let hiera_yaml = "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n";
        let files = [("hiera.yaml", hiera_yaml), ("data/common.yaml", common)];
        files.map(|(path, text)| (format!("{ROOT}/{path}"), text.to_owned())).into()
    };
    let before = world_of(&files("a: 1\nb: 2\n"), PuppetVersion::V8);
    let edited = "a: 3\nb: 2\nc: [";
    let path = format!("{ROOT}/data/common.yaml");
    let after = before.as_if(&[(path.into(), edited.into())]);
    let affected = |is_of_editor| {
        let pair = pair_of(&before, &after, is_of_editor).expect("environments on both sides");
        pair.affected().map(|it| it.contains("b"))
    };
    assert_eq!(affected(true), Some(false));
    assert_eq!(affected(false), None);
}

/// A trusted workspace may start programs, but its settings describe none.
#[test]
fn trust_in_a_workspace_makes_no_key_count() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n";
    let files = [("hiera.yaml", hiera_yaml), ("data/common.yaml", "a: 1\nb: 2\n")];
    let files = files.map(|(path, text)| (format!("{ROOT}/{path}"), text.to_owned()));
    let untrusted = world_of(&files.clone().into(), PuppetVersion::V8);
    let mut settings = untrusted.settings().as_ref().clone();
    settings.backends = settings.backends.trusted();
    let before = untrusted.on_other_disk(Arc::new(MemoryDisk::new(files)), settings);
    let path = format!("{ROOT}/data/common.yaml");
    let after = before.as_if(&[(path.into(), "a: 3\nb: 2\n".into())]);
    let pair = pair_of(&before, &after, true).expect("environments on both sides");
    assert_eq!(pair.affected(), Some(BTreeSet::from(["a".into()])));
}
