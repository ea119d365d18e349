//! An edit spreads from key to key as it does if every key is looked up for every node.

use std::collections::{BTreeMap, BTreeSet};

use super::super::random_data::Texts;
use super::*;
use crate::data::inspect::inspect;

pub(super) const CERTNAMES: [&str; 4] = ["one", "two", "three", "four"];

pub(super) const ROOTS: [&str; 8] = ["k0", "k1", "m::k2", "k3", "m::k4", "k5", "k6", "k7"];

const PATHS: [&str; 5] = [
    "data/nodes/one.yaml",
    "data/nodes/two.yaml",
    "data/roles/web.yaml",
    "data/roles/db.yaml",
    COMMON,
];

const COMMON: &str = "data/common.yaml";

const OPTIONS: [&str; 6] = [
    "{k1: {merge: deep}, k3: {merge: unique}}",
    "{k0: {convert_to: Boolean}, k3: {convert_to: String}}",
    "{k0: {merge: hash}, '^m::': {merge: deep}}",
    "{k1: {convert_to: [Integer, 16]}, m::k2: {convert_to: Array}}",
    "{}",
    "{}",
];

/// Files as lists of entries, so that one value can be edited.
pub(super) type Entries = BTreeMap<&'static str, Vec<(&'static str, String)>>;

/// The value of the key with this number. Most references name an earlier key.
pub(super) fn value(random: &mut Random, number: usize) -> String {
    let other = ROOTS[if random.below(16) == 0 {
        random.below(ROOTS.len())
    } else {
        random.below(number.max(1))
    }];
    match random.below(if number == 0 { 6 } else { 14 }) {
        0 | 1 => format!("v{}", random.below(2)),
        2 => random.below(3).to_string(),
        3 => format!("{{p: {}, q: v{}}}", random.below(2), random.below(2)),
        4 => format!("[v{}, v{}]", random.below(2), random.below(2)),
        5 => "\"%{role}\"".to_owned(),
        6 | 7 => format!("\"%{{lookup('{other}')}}\""),
        8 | 9 => format!("\"x %{{lookup('{other}')}} y\""),
        10 => format!("\"%{{alias('{other}')}}\""),
        11 => format!("\"%{{lookup('{other}.p')}}\""),
        12 => format!("{{p: \"%{{lookup('{other}.q')}}\"}}"),
        _ => format!("{{r: \"%{{hiera('{other}')}}\"}}"),
    }
}

pub(super) fn entries(random: &mut Random) -> Entries {
    let mut entries = Entries::new();
    let module = ["modules/m/data/common.yaml", "modules/m/data/last.yaml"];
    for path in PATHS.into_iter().chain(module) {
        // Of ten entries, `common.yaml` has nine, and the others have three.
        let tenths = if path == COMMON { 9 } else { 3 };
        for (number, root) in ROOTS.iter().enumerate() {
            let is_of_layer = path.starts_with("data") || root.starts_with("m::");
            if is_of_layer && random.below(10) < tenths {
                entries.entry(path).or_default().push((root, value(random, number)));
            }
        }
    }
    entries
        .entry(COMMON)
        .or_default()
        .push(("lookup_options", OPTIONS[random.below(OPTIONS.len())].to_owned()));
    entries
}

pub(super) fn texts(entries: &Entries, has_facts: bool) -> Texts {
    let mut texts = Texts::new();
    let mut add = |path: &str, text: String| texts.insert(format!("{ROOT}/{path}"), text);
    add(
        "hiera.yaml",
        "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
         - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n"
            .to_owned(),
    );
    add(
        "modules/m/hiera.yaml",
        "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n\
         default_hierarchy:\n- {name: d, path: last.yaml}\n"
            .to_owned(),
    );
    for (path, entries) in entries {
        let lines = entries.iter().map(|(key, value)| format!("{key}: {value}\n"));
        add(path, lines.collect());
    }
    if has_facts {
        for (name, role) in CERTNAMES.into_iter().zip(["web", "db", "web", "none"]) {
            let facts = format!("{{\"certname\": \"{name}\", \"role\": \"{role}\"}}");
            add(&format!(".hiera-ls/facts/{name}.json"), facts);
        }
    }
    texts
}

/// A change without places: nodes share an answer, and which of them it is taken from does not matter.
pub(super) fn told(change: &AnswerChange) -> String {
    let side = |answer: &Answer| -> Vec<String> {
        let case = |(conditions, case): (&[_], &Answer)| {
            let outcome = match &case.outcome {
                Ok(found) => Ok(found.as_ref().map(|it| inspect(&it.value))),
                Err(failure) => Err(failure.message.clone()),
            };
            format!("{}: {outcome:?}, open {:?}", in_words(conditions), case.open)
        };
        answer.each_case().into_iter().map(case).collect()
    };
    let (before, after) = (side(&change.before), side(&change.after));
    format!("{} of {:?}, {:?}: {before:?}, {after:?}", change.key, change.nodes, change.others)
}

#[test]
fn keys_that_are_made_of_others_change_where_these_change() {
    let (mut changes, mut spared, mut compared) = (0, 0, 0);
    for seed in 0..workspaces(2 * WORKSPACES) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x51AD);
        let before = entries(&mut random);
        let mut after = before.clone();
        let paths: Vec<&str> = after.keys().copied().collect();
        for _ in 0..=random.below(2) {
            let path = paths[random.below(paths.len())];
            let lines = after.get_mut(path).expect("the file is there");
            let at = random.below(lines.len());
            let number = ROOTS.iter().position(|it| *it == lines[at].0);
            // Other lookup_options may concern every key.
            if let Some(number) = number {
                lines[at].1 = value(&mut random, number);
            }
        }
        let has_facts = seed % 2 == 0;
        let version = if seed % 4 < 2 { PuppetVersion::V8 } else { PuppetVersion::V7 };
        let after = world_of(&texts(&after, has_facts), version);
        let disk = Arc::new(MemoryDisk::new(texts(&before, has_facts)));
        let before = after.on_other_disk(disk, after.settings().as_ref().clone());
        let environment = after.environment_of(ROOT).expect("there is one");
        let nodes: Arc<[Arc<Node>]> =
            CERTNAMES.iter().map(|name| after.node_named(&environment, name)).collect();
        let of = |world| fleet(world, &environment, nodes.clone(), false);
        let any = after.any_node(&environment);
        let any = Some((any.clone(), any));
        let narrow = FleetPair::new(of(&before), of(&after), any.clone()).with_whole_answers();
        let wide = FleetPair::new(of(&before), of(&after), any);
        assert!(wide.affected.set(None).is_ok(), "nothing is computed yet");
        let keys: Vec<Arc<str>> =
            ROOTS.iter().flat_map(|it| [(*it).into(), format!("{it}.p").into()]).collect();
        let differences = |pair: &FleetPair| {
            let found = pair.differences(&keys, &CancelToken::default(), || {});
            found.expect("it was not cancelled").changes
        };
        let (narrowly, widely) = (differences(&narrow), differences(&wide));
        // If cases are left out, the ways to the edited files may be compared instead.
        let is_complete = |it: &&AnswerChange| {
            let mut same_key = narrowly.iter().chain(&widely).filter(|other| other.key == it.key);
            same_key.all(|it| it.before.left_out.is_empty() && it.after.left_out.is_empty())
        };
        let told = |changes: &[AnswerChange]| -> BTreeSet<String> {
            changes.iter().filter(is_complete).map(told).collect()
        };
        assert_eq!(told(&narrowly), told(&widely), "seed {seed}");
        changes += widely.len();
        for concerned in ROOTS.iter().filter_map(|root| narrow.concerned_by_spread(root)) {
            compared += 1;
            spared += usize::from(concerned.nodes.contains(&false) || !concerned.others);
        }
    }
    assert!(changes > 200 && spared * 4 > compared, "{changes} changes, {spared} of {compared}");
}

const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                          - {name: c, path: common.yaml}\n";

/// The nodes `one` and `two` before and after an edit of the file at `path`.
fn pair_of_edit(others: &[(&str, &str)], path: &str, edit: [&str; 2]) -> FleetPair {
    let texts = |text: &str| -> Texts {
        let usual = [("hiera.yaml", HIERA_YAML), (path, text)];
        let all = usual.into_iter().chain(others.iter().copied());
        all.map(|(name, text)| (format!("{ROOT}/{name}"), text.to_owned())).collect()
    };
    let after = world_of(&texts(edit[1]), PuppetVersion::V8);
    let disk = Arc::new(MemoryDisk::new(texts(edit[0])));
    let before = after.on_other_disk(disk, after.settings().as_ref().clone());
    let fleet = |world| fleet_of_names(world, &["one", "two"]).expect("an environment");
    FleetPair::new(fleet(&before), fleet(&after), None)
}

/// The nodes that change, by their numbers, for each key.
fn changes(pair: &FleetPair, keys: &[&str]) -> Vec<Vec<u32>> {
    let keys: Vec<Arc<str>> = keys.iter().map(|it| Arc::from(*it)).collect();
    let found = pair.differences(&keys, &CancelToken::default(), || {});
    let found = found.expect("it was not cancelled").changes;
    let nodes = |key: &Arc<str>| {
        let of_key = found.iter().filter(|it| it.key == *key);
        of_key.flat_map(|it| it.nodes.clone()).collect()
    };
    keys.iter().map(nodes).collect()
}

#[test]
fn nodes_that_override_the_edited_key_are_spared_for_keys_that_are_made_of_it() {
    let own = [("data/nodes/one.yaml", "a: own\n")];
    let common = |a: &str| {
        format!(
            "a: {a}\nb: \"%{{lookup('a')}}\"\nc: \"%{{lookup('b')}}\"\nl: \"%{{lookup('l')}}%{{lookup('a')}}\"\n"
        )
    };
    let pair = pair_of_edit(&own, COMMON, [&common("1"), &common("2")]);
    // The order of the keys does not matter.
    assert_eq!(changes(&pair, &["c", "b", "a", "l"]), [vec![1], vec![1], vec![1], vec![]]);
    assert_eq!(pair.concerned_by_spread("a"), None);
    for key in ["b", "c"] {
        let concerned = pair.concerned_by_spread(key).expect("it is known");
        assert_eq!(*concerned.nodes, [false, true], "{key}");
        assert_eq!(pair.who_may_change(key), (vec![1], false), "{key}");
    }
    // What is part of a loop is always compared.
    assert_eq!(pair.concerned_by_spread("l"), None);
    assert_eq!(pair.who_may_change("l"), (vec![0, 1], true));
}

#[test]
fn answers_that_do_not_tell_everything_spare_no_key() {
    // Two errors count as the same answer, but what leads to them may differ.
    let common =
        |a: &str| format!("a: {{p: {a}, q: \"%{{lookup('a')}}\"}}\nb: \"%{{lookup('a.p')}}\"\n");
    let pair = pair_of_edit(&[], COMMON, [&common("1"), &common("2")]);
    assert!(changes(&pair, &["a", "b"])[0].is_empty());
    assert_eq!(pair.who_may_change("b").0, [0, 1]);

    // More roles than there can be cases, and more of them than are compared one by one look up the edited key.
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n";
    let role = |number| {
        let text = format!("a: \"{number}%{{lookup('e')}}\"\n");
        (format!("data/roles/r{number}.yaml"), text)
    };
    let roles: Vec<(String, String)> = (0..2 * crate::engine::cases::MAX_CASES).map(role).collect();
    let roles = roles.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    let others: Vec<(&str, &str)> = roles.chain([("hiera.yaml", hiera_yaml)]).collect();
    let common = |e: &str| format!("e: {e}\na: 0\nb: \"%{{lookup('a')}}\"\n");
    let pair = pair_of_edit(&others, COMMON, [&common("1"), &common("2")]);
    let keys = ["a", "b", "e"].map(Arc::from);
    let found = pair.differences(&keys, &CancelToken::default(), || {}).expect("not cancelled");
    let unknown: Vec<NotProved> = found.not_proved.into_values().collect();
    let keys = ["a", "b"].map(Arc::from).to_vec();
    assert_eq!((found.changes.len(), unknown), (1, vec![NotProved::Keys(keys)]));
}

#[test]
fn keys_that_look_up_others_are_left_out_if_they_take_too_long() {
    let common =
        |a: &str| format!("a: {a}\nb: \"%{{lookup('a')}}\"\nc: \"%{{lookup('b')}}\"\nd: 1\n");
    let pair = pair_of_edit(&[], COMMON, [&common("1"), &common("2")]);
    let compare = |most| {
        let keys = ["a", "b", "c", "d"].map(Arc::from);
        let found = pair.differences_within(&keys, &CancelToken::default(), || {}, Some(most));
        let found = found.expect("not cancelled");
        let keys: Vec<String> = found.changes.iter().map(|it| it.key.to_string()).collect();
        let unknown = found.not_proved.into_values().map(|it| match it {
            NotProved::Keys(keys) => keys.concat(),
            it => format!("{it:?}"),
        });
        (keys.concat(), found.keys, unknown.collect::<String>())
    };
    // Both nodes have no fact set. The edited key is always compared.
    assert_eq!(compare(4), ("abc".to_owned(), 4, String::new()));
    assert_eq!(compare(3), ("ab".to_owned(), 3, "c".to_owned()));
    assert_eq!(compare(1), ("a".to_owned(), 2, "bc".to_owned()));
}

#[test]
fn a_part_can_change_although_its_key_does_not() {
    // The default hierarchy has what the value lacks.
    let module = [
        ("modules/m/hiera.yaml", "version: 5\ndefault_hierarchy: [{name: d, path: d.yaml}]\n"),
        (COMMON, "m::a: {q: 1}\nb: \"%{lookup('m::a.p')}\"\nc: \"%{lookup('m::a')}\"\n"),
    ];
    let edit = ["m::a: {p: 1}\n", "m::a: {p: 2}\n"];
    let pair = pair_of_edit(&module, "modules/m/data/d.yaml", edit);
    assert_eq!(changes(&pair, &["m::a", "b", "c"]), [vec![], vec![0, 1], vec![]]);
    assert!(pair.concerned_by_spread("c").is_some_and(|it| it.is_none()));

    // The options convert the whole value, or only the part that is looked up.
    let common = |a: &str, convert: &str| {
        format!(
            "a: {a}\nb: \"%{{lookup('a.abs')}}%{{lookup('a.from')}}\"\nlookup_options: {{a: {{{convert}}}}}\n"
        )
    };
    let (before, after) = ("{from: 5, abs: true}", "{from: -5, abs: true}");
    let convert = "convert_to: Integer";
    let pair = pair_of_edit(&[], COMMON, [&common(before, convert), &common(after, convert)]);
    changes(&pair, &["a", "b"]);
    assert_eq!(pair.concerned_by_spread("b"), None);
    let pair = pair_of_edit(&[], COMMON, [&common(before, ""), &common(after, "")]);
    changes(&pair, &["a", "b"]);
    assert!(pair.concerned_by_spread("b").is_some());
}
