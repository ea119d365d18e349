//! While the user types in an entry, lookups that take over earlier runs end as they would without them.

use super::spread::{CERTNAMES, ROOTS, entries, texts, told, value};
use super::*;

/// The value of the key with this number. Without fact sets, the nodes differ in what is made of their names.
pub(super) fn value_with_name(random: &mut Random, number: usize) -> String {
    let other = |random: &mut Random| ROOTS[random.below(number.max(1))];
    if number > 0 && random.below(3) == 0 {
        let (one, two) = (other(random), other(random));
        return format!(
            "{{p: \"%{{lookup('{one}')}}\", q: \"%{{lookup('{two}')}} %{{trusted.certname}}\"}}"
        );
    }
    let value = value(random, number);
    match value.strip_suffix('"') {
        Some(rest) if random.below(2) == 0 => format!("{rest} %{{trusted.certname}}\""),
        _ => value,
    }
}

pub(super) fn number_of(key: &str) -> Option<usize> {
    ROOTS.iter().position(|it| *it == key)
}

fn changes(pair: &FleetPair) -> Vec<String> {
    let keys = ROOTS.map(Arc::from);
    let found = pair.differences(&keys, &CancelToken::default(), || {});
    found.expect("it was not cancelled").changes.iter().map(told).collect()
}

#[test]
fn runs_that_are_taken_over_end_as_they_would_again() {
    let (mut taken, mut changed) = (0, 0);
    for seed in 0..workspaces(WORKSPACES / 6) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x0DD5);
        let mut entries = entries(&mut random);
        for (key, value) in entries.values_mut().flatten() {
            if let Some(number) = number_of(key) {
                *value = value_with_name(&mut random, number);
            }
        }
        let before = world_of(&texts(&entries, false), PuppetVersion::V8);
        let environment = before.environment_of(ROOT).expect("there is one");
        let nodes: Arc<[Arc<Node>]> =
            CERTNAMES.iter().map(|name| before.node_named(&environment, name)).collect();
        let of = |world: &Arc<World>| Arc::new(fleet(world, &environment, nodes.clone(), true));
        let any = before.any_node(&environment);
        let kept = of(&before);
        for _ in 0..2 {
            let paths: Vec<&str> = entries.keys().copied().collect();
            let path = paths[random.below(paths.len())];
            let at = random.below(entries[path].len());
            let key = entries[path][at].0;
            let Some(number) = number_of(key) else { continue };
            for _ in 0..4 {
                let typed = value_with_name(&mut random, number);
                entries.get_mut(path).expect("it is there")[at].1 = typed;
                let disk = Arc::new(MemoryDisk::new(texts(&entries, false)));
                let after = before.on_other_disk(disk, before.settings().as_ref().clone());
                let any = Some((any.clone(), any.clone()));
                let pair = FleetPair::new(kept.clone(), of(&after), any.clone());
                let anew = FleetPair::new(of(&before), of(&after), any);
                let expected = changes(&anew);
                assert_eq!(changes(&pair), expected, "{path} {key} in {seed}");
                changed += expected.len();
                taken += kept.unedited.count_taken();
            }
        }
    }
    assert!(taken > 200 && changed > 50, "{taken} taken, {changed} changed");
}

/// Compares nodes whose files have nothing, and whose names are in `b`, after edits of entries in `common.yaml`. Returns how
/// many runs were taken over.
#[track_caller]
fn check_taken(edits: &[&str], expected: usize) {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n\
                      - {name: c, path: common.yaml}\n";
    let name = "%{trusted.certname}";
    let files = |common: &str| -> Vec<(String, String)> {
        let files = [
            ("hiera.yaml", hiera_yaml.to_owned()),
            ("data/roles/web.yaml", format!("b: 'web {name}'\n")),
            ("data/roles/db.yaml", format!("b: \"%{{lookup('a')}} {name}\"\n")),
            ("data/common.yaml", format!("b: \"%{{lookup('a')}} x {name}\"\n{common}")),
        ];
        files.map(|(path, text)| (format!("{ROOT}/{path}"), text)).to_vec()
    };
    let before = World::on_disk(
        Arc::new(MemoryDisk::new(files("a: 1\nc: 1\n"))),
        vec![ROOT.into()],
        Settings::default(),
    );
    let of = |world: &Arc<World>| {
        Arc::new(fleet_of_names(world, &["one", "two"]).expect("an environment"))
    };
    let kept = of(&before);
    for common in edits {
        let disk = Arc::new(MemoryDisk::new(files(common)));
        let after = before.on_other_disk(disk, before.settings().as_ref().clone());
        // Otherwise, the value of role web would not matter, because no edited key is in it.
        let pair = FleetPair::new(kept.clone(), of(&after), None).with_whole_answers();
        assert_eq!(pair.difference(&"b".into()).changes.len(), 2, "{common}");
    }
    assert_eq!(kept.unedited.count_taken(), expected, "{edits:?}");
}

#[test]
fn runs_that_do_not_read_the_edited_entry_are_not_done_again() {
    let (one, two, three) = ("a: 2\nc: 1\n", "a: 3\nc: 1\n", "a: 4\nc: 1\n");
    // A lookup that is made for the first time is not recorded, and the second one is.
    check_taken(&[one, two], 0);
    // For the second of the two nodes, which shares nothing else, the run with role web.
    check_taken(&[one, two, three], 1);
    check_taken(&[one, two, three, one], 2);
    // Another entry is edited as well, or an entry is missing.
    check_taken(&[one, two, "a: 3\nc: 2\n"], 0);
    check_taken(&[one, two, "a: 3\n", three], 1);
}
