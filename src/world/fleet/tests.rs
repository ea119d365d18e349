//! Answers that are shared are those that each node gets alone.

use super::difference::is_unchanged;
use super::groups::{MANY_GROUPS, MAX_GROUPS};
use super::random_data::{KEYS, ROOT, Random, world_of};
use super::*;
use crate::config::PuppetVersion;
use crate::engine::CancelToken;
use crate::engine::cases::in_words;
use crate::engine::cases::pairs::Lookups;
use crate::settings::Settings;
use crate::syntax::key_path;
use crate::world::MemoryDisk;

/// How many random workspaces are tried if `HIERA_LS_SCRIPTS` does not say.
const WORKSPACES: u64 = 120;

/// How many workspaces are tried: as many as `HIERA_LS_SCRIPTS` says.
fn workspaces(usual: u64) -> u64 {
    std::env::var("HIERA_LS_SCRIPTS").ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
}

/// A fleet as the command line has it, or as editors have it.
fn fleet(
    world: &Arc<World>,
    environment: &Arc<Environment>,
    nodes: Arc<[Arc<Node>]>,
    is_of_editor: bool,
) -> Fleet {
    let make = if is_of_editor { Fleet::reading_broken_files } else { Fleet::new };
    make(world, environment, nodes, world.back_ends().clone())
}

fn fleet_of(world: &Arc<World>, is_of_editor: bool) -> Option<Fleet> {
    let environment = world.environment_of(ROOT)?;
    let mut nodes: Vec<Arc<Node>> = world.nodes(&environment).to_vec();
    nodes.push(world.any_node(&environment));
    // Of these, only the name is known.
    nodes.push(world.node_named(&environment, "unknown"));
    nodes.push(world.node_named(&environment, "another"));
    Some(fleet(world, &environment, nodes.into(), is_of_editor))
}

#[test]
fn kept_differences_keep_no_fleet() {
    let mut random = Random(7);
    let (world, fleet) = loop {
        let world = world_of(&random.texts(), PuppetVersion::V8);
        if let Some(fleet) = fleet_of(&world, true) {
            break (world, Arc::new(fleet));
        }
    };
    // Nothing is edited, so a fleet is compared with itself.
    let pair = FleetPair::new(fleet.clone(), fleet.clone(), None);
    let keys = || KEYS.iter().copied().map(Arc::from).collect();
    let found = pair.all_differences(&CancelToken::default(), |_| keys());
    let again = pair.all_differences(&CancelToken::default(), |_| panic!("they are kept"));
    assert!(found.zip(again).is_some_and(|(found, again)| Arc::ptr_eq(&found, &again)));
    let weak = Arc::downgrade(&fleet);
    drop((pair, fleet, world));
    assert!(weak.upgrade().is_none());
}

#[test]
fn shared_answers_are_those_of_each_node() {
    let mut lookups = 0;
    let mut shared = 0;
    for seed in 0..workspaces(WORKSPACES) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let texts = random.texts();
        let version = if seed % 2 == 0 { PuppetVersion::V8 } else { PuppetVersion::V7 };
        let world = world_of(&texts, version);
        let Some(fleet) = fleet_of(&world, seed % 4 < 2) else { continue };
        // An editor's index shows which files have a key.
        if seed % 3 == 0 {
            world.key_index(fleet.environment());
        }
        let alone: Vec<Evaluator> =
            fleet.nodes().iter().map(|node| fleet.new_evaluator_of(node)).collect();
        let requests: Vec<Request> = KEYS.iter().copied().map(Request::key).collect();
        let mut together = Vec::new();
        let keep = |_, answer| Arc::new(answer);
        fleet.answers_to_each(&requests, keep, |at, answers| (at, answers), |it| together.push(it));
        for ((position, key), (at, answers)) in KEYS.iter().enumerate().zip(together) {
            assert_eq!(position, at, "the answers keep the order of the requests");
            let request = Request::key(*key);
            for (number, evaluator) in (0_u32..).zip(&alone) {
                let name = &evaluator.node().name;
                let has_it = |it: &&SharedAnswer| it.nodes.contains(&number);
                let found: Vec<&SharedAnswer> = answers.iter().filter(has_it).collect();
                assert_eq!(found.len(), 1, "{key} of {name} in {seed}");
                let expected = evaluator.call(&request);
                assert!(
                    is_same_with_cases(&found[0].answer, &expected),
                    "{key} of {name} in {seed}, with {:?}:\n{}\n{}\n{texts:#?}",
                    found[0].nodes,
                    shown(&found[0].answer),
                    shown(&expected),
                );
                lookups += 1;
                shared += usize::from(found[0].nodes.len() > 1);
            }
        }
    }
    assert!(lookups > 5_000 && shared * 2 > lookups, "{shared} of {lookups}");
}

/// Checks that each node gets the same answers together with the others as alone. Returns how many answers have cases.
#[track_caller]
fn check_each_node(fleet: &Fleet, keys: &[&str], about: &str) -> usize {
    let requests: Vec<Request> = keys.iter().copied().map(Request::key).collect();
    let mut together = Vec::new();
    let keep = |_, answer| Arc::new(answer);
    fleet.answers_to_each(&requests, keep, |_, answers| answers, |it| together.push(it));
    let alone: Vec<Evaluator> =
        fleet.nodes().iter().map(|node| fleet.new_evaluator_of(node)).collect();
    let mut with_cases = 0;
    for (request, answers) in requests.iter().zip(together) {
        for (number, evaluator) in (0_u32..).zip(&alone) {
            let found = answers.iter().find(|it| it.nodes.contains(&number)).expect("an answer");
            let expected = evaluator.call(request);
            with_cases += usize::from(!expected.cases.is_empty());
            assert!(
                is_same_with_cases(&found.answer, &expected),
                "{:?} of {}, {about}:\n{}\n{}",
                request.names,
                evaluator.node().name,
                shown(&found.answer),
                shown(&expected),
            );
        }
    }
    with_cases
}

/// The nodes with these names, of which nothing else is known.
fn fleet_of_names(world: &Arc<World>, names: &[&str]) -> Option<Fleet> {
    let environment = world.environment_of(ROOT)?;
    let nodes = names.iter().map(|name| world.node_named(&environment, name)).collect();
    Some(fleet(world, &environment, nodes, false))
}

#[test]
fn nodes_without_fact_sets_get_what_each_gets_alone() {
    let mut with_cases = 0;
    for seed in 0..workspaces(WORKSPACES) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xFACE);
        let mut texts = random.texts();
        texts.retain(|path, _| !path.contains("/facts/"));
        let version = if seed % 2 == 0 { PuppetVersion::V8 } else { PuppetVersion::V7 };
        let world = world_of(&texts, version);
        let names = ["x", "unknown", "one", "two", "six", "another"];
        let Some(fleet) = fleet_of_names(&world, &names) else { continue };
        with_cases += check_each_node(&fleet, &KEYS, &format!("seed {seed}, {texts:#?}"));
    }
    assert!(with_cases > 100, "{with_cases}");
}

#[test]
fn a_run_counts_only_for_nodes_for_which_it_is_the_same() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: r, path: 'roles/%{role}.yaml'}\n\
                      - {name: s, path: 'sites/%{site}.yaml'}\n- {name: c, path: common.yaml}\n";
    let mut texts = super::random_data::Texts::new();
    let mut add = |path: &str, text: &str| {
        texts.insert(format!("{ROOT}/{path}"), text.to_owned());
    };
    add("hiera.yaml", hiera_yaml);
    // For the nodes `one` and `common`, the answers of two cases are the same.
    add("data/roles/web.yaml", "a: \"%{trusted.certname}\"\nl: {web: \"%{trusted.certname}\"}\n");
    add("data/roles/mail.yaml", "a: one\n");
    // Where a node has `b`, its lookup meets no fork.
    add("data/roles/db.yaml", "a: \"db %{lookup('b')}\"\nl: {db: \"%{lookup('b')}\"}\n");
    add("data/sites/oslo.yaml", "b: oslo\na: two\n");
    add(
        "data/common.yaml",
        "a: \"%{lookup('b')}\"\nb: common\nl: {c: \"%{lookup('b')}\"}\nm: common\n\
         o: [1, 2]\n\
         lookup_options: {l: {merge: hash}}\n",
    );
    // So many that the roles are summed up, unless one of them says the same as all other nodes get.
    for number in 0..crate::engine::cases::MAX_CASES - 1 {
        add(&format!("data/roles/r{number}.yaml"), &format!("m: m{number}\n"));
    }
    add("data/roles/last.yaml", "m: \"%{trusted.certname}\"\n");
    // The options of a role depend on the name of the node.
    add("data/roles/merged.yaml", "lookup_options: {o: {merge: '%{trusted.certname}'}}\no: [1]\n");
    add("data/nodes/own.yaml", "b: own\n");
    add("data/nodes/same.yaml", "b: common\n");
    add("data/nodes/first.yaml", "a: own\nl: {n: 1}\n");
    let world = world_of(&texts, PuppetVersion::V8);
    let names = ["typical", "one", "own", "common", "same", "first", "unique", "m3", "two"];
    let fleet = fleet_of_names(&world, &names).expect("an environment");
    assert!(check_each_node(&fleet, &["a", "b", "l", "m", "o"], "as written") > 20);
    let of = |node: u32| fleet.answer_of(node, &Request::key("m"));
    let summed_up = names.iter().zip(0..).filter(|(_, node)| !of(*node).left_out.is_empty());
    let summed_up: Vec<_> = summed_up.map(|(name, _)| *name).collect();
    assert!(summed_up.len() + 1 == names.len() && !summed_up.contains(&"common"), "{summed_up:?}");
}

/// The lookups for many groups are done in several parts, and none of their answers may be lost.
#[test]
fn more_groups_than_are_looked_up_at_once_all_get_an_answer() {
    let mut texts = super::random_data::Texts::new();
    let mut add = |path: &str, text: &str| {
        texts.insert(format!("{ROOT}/{path}"), text.to_owned());
    };
    add("hiera.yaml", "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n");
    add("data/common.yaml", "a: 'x-%{trusted.certname}'\nb: '%{trusted.certname}-y'\n");
    let world = world_of(&texts, PuppetVersion::V8);
    let names: Vec<String> = (0..=MAX_GROUPS).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let fleet = fleet_of_names(&world, &names).expect("an environment");
    let is_whole = |found: &[SharedAnswer]| {
        found.len() == names.len() && (0..).zip(found).all(|(node, group)| group.nodes == [node])
    };
    assert!(is_whole(&fleet.answers(&Request::key("a"))));
    let mut together = Vec::new();
    let requests = [Request::key("a"), Request::key("b")];
    let keep = |_, answer| Arc::new(answer);
    fleet.answers_to_each(&requests, keep, |_, answers| answers, |it| together.push(it));
    assert!(together.len() == 2 && together.iter().all(|it| is_whole(it)));
}

/// An answer as a failure of the test shows it.
fn shown(answer: &Answer) -> String {
    let cases = answer.cases.iter().map(|case| {
        let (answer, conditions) = (&case.answer, in_words(&case.conditions));
        format!("\n  {conditions}: {:?}, open {:?}", answer.outcome, answer.open)
    });
    let cases: String = cases.collect();
    format!("{:?}, open {:?}, without {:?}{cases}", answer.outcome, answer.open, answer.left_out)
}

/// The nodes of two workspaces: those that one of them knows, on both sides.
fn pair_of(before: &Arc<World>, after: &Arc<World>, is_of_editor: bool) -> Option<FleetPair> {
    let environments = (before.environment_of(ROOT)?, after.environment_of(ROOT)?);
    let mut names: Vec<Arc<str>> = Vec::new();
    for node in before.nodes(&environments.0).iter().chain(after.nodes(&environments.1).iter()) {
        if !names.contains(&node.name) {
            names.push(node.name.clone());
        }
    }
    let fleet = |world: &Arc<World>, environment: &Arc<Environment>| {
        let nodes = names.iter().map(|name| world.node_named(environment, name)).collect();
        fleet(world, environment, nodes, is_of_editor)
    };
    let any = (before.any_node(&environments.0), after.any_node(&environments.1));
    Some(FleetPair::new(fleet(before, &environments.0), fleet(after, &environments.1), Some(any)))
}

#[test]
fn a_difference_is_what_comparing_all_answers_gives() {
    let (mut changed, mut unchanged, mut is_narrow, mut is_spared) = (0, 0, 0, 0);
    for seed in 0..workspaces(WORKSPACES) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE);
        let texts = random.texts();
        let mut edited = random.edited(&texts);
        while random.below(3) == 0 {
            edited = random.edited(&edited);
        }
        let version = if seed % 2 == 0 { PuppetVersion::V8 } else { PuppetVersion::V7 };
        let after = world_of(&edited, version);
        let disk = MemoryDisk::new(texts.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        let settings = after.settings().as_ref().clone();
        let before = after.on_other_disk(Arc::new(disk), settings);
        let Some(pair) = pair_of(&before, &after, seed % 4 < 2) else { continue };
        let pair = pair.with_whole_answers();
        if seed % 3 == 0 {
            for fleet in [pair.before(), pair.after()] {
                fleet.world().key_index(fleet.environment());
            }
        }
        let alone = |fleet: &Fleet| -> Vec<Evaluator> {
            fleet.nodes().iter().map(|node| fleet.new_evaluator_of(node)).collect()
        };
        let (before, after) = (alone(pair.before()), alone(pair.after()));
        let affected = pair.affected();
        is_narrow += usize::from(affected.is_some());
        let keys = KEYS.map(Arc::from);
        let differences = pair.differences(&keys, &CancelToken::default(), || {});
        let differences = differences.expect("it was not cancelled").changes;
        for key in KEYS {
            let difference: Vec<&AnswerChange> =
                differences.iter().filter(|it| &*it.key == key).collect();
            let root = key_path::root_of(key);
            if let (Some(root), Some(affected)) = (root, &affected) {
                let is_said = difference.is_empty() || affected.contains(&root);
                assert!(is_said, "{key} in {seed} is affected, too: {affected:?}");
                let concerned = pair.concerned_by_spread(&root);
                is_spared += usize::from(concerned.is_some_and(|it| it.nodes.contains(&false)));
            }
            for (number, (before, after)) in (0_u32..).zip(before.iter().zip(&after)) {
                let said: Vec<&&AnswerChange> =
                    difference.iter().filter(|it| it.nodes.contains(&number)).collect();
                let label = || format!("{key} of {} in {seed}", before.node().name);
                let lookups = Lookups { before, after, request: &Request::key(key) };
                let (before, after) = (before.lookup(key), after.lookup(key));
                // Then the ways to the edited files may be compared instead of the cases.
                if !(before.left_out.is_empty() && after.left_out.is_empty()) {
                    continue;
                }
                if is_unchanged(&before, &after, lookups) {
                    assert!(said.is_empty(), "{}: {said:?}", label());
                    unchanged += 1;
                    continue;
                }
                assert_eq!(said.len(), 1, "{}: {}\n{}", label(), shown(&before), shown(&after));
                assert!(is_same_with_cases(&said[0].before, &before), "{}", label());
                assert!(is_same_with_cases(&said[0].after, &after), "{}", label());
                changed += 1;
            }
        }
    }
    assert!(is_narrow > 10, "{is_narrow} edits concern few keys");
    assert!(is_spared > 5, "{is_spared} keys need not be looked up for all nodes");
    assert!(changed > 300 && unchanged > 2_000, "{changed} changed, {unchanged} did not");
}

/// The value of a key for node `one` after an edit of `data/common.yaml`, where both sides have the very same nodes.
#[track_caller]
fn check_change(others: &[(&str, &str)], edit: [&str; 2], key: &str, expected: [&str; 2]) {
    let texts = |common: &str| -> super::random_data::Texts {
        let files = others.iter().copied().chain([("data/common.yaml", common)]);
        files.map(|(name, text)| (format!("{ROOT}/{name}"), text.to_owned())).collect()
    };
    let before = world_of(&texts(edit[0]), PuppetVersion::V8);
    let disk = Arc::new(MemoryDisk::new(texts(edit[1])));
    let after = before.on_other_disk(disk, before.settings().as_ref().clone());
    let environment = before.environment_of(ROOT).expect("there is one");
    let nodes = before.nodes(&environment);
    let of = |world| fleet(world, &environment, nodes.clone(), false);
    let pair = FleetPair::new(of(&before), of(&after), None);
    assert_eq!(pair.concerned(&[key.into()]), [Arc::from(key)], "{:?}", pair.affected());
    let difference = pair.difference(&key.into());
    let [change] = difference.changes.as_slice() else { panic!("{key}: {difference:?}") };
    let value = |answer: &Answer| match &answer.outcome {
        Ok(Some(value)) => crate::data::inspect::inspect(&value.value),
        other => format!("{other:?}"),
    };
    assert_eq!([value(&change.before), value(&change.after)], expected, "{key}");
}

#[test]
fn what_facts_and_lookup_options_look_up_is_followed() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: c, path: common.yaml}\n";
    let facts = "{\"certname\": \"one\", \"say\": \"%{lookup('said')}\"}";
    let say = [("hiera.yaml", hiera_yaml), (".hiera-ls/facts/one.json", facts)];
    let edit = ["said: 1\nz: \"%{facts.say}\"\n", "said: 2\nz: \"%{facts.say}\"\n"];
    check_change(&say, edit, "z", ["\"1\"", "\"2\""]);
    let options = "lookup_options:\n  m::a: {merge: \"%{lookup('how')}\"}\n\
                   \x20 \"%{lookup('which')}\": {merge: unique}\nm::a: [1]\nm::b: [1]\n";
    let module = [
        ("hiera.yaml", hiera_yaml),
        (".hiera-ls/facts/one.json", "{\"certname\": \"one\"}"),
        ("data/nodes/one.yaml", "m::a: [9]\nm::b: [9]\n"),
        ("modules/m/hiera.yaml", "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n"),
        ("modules/m/data/common.yaml", options),
    ];
    let common = |deeper: &str, which: &str| {
        format!("how: \"%{{lookup('deeper')}}\"\ndeeper: {deeper}\nwhich: {which}\n")
    };
    let before = common("unique", "m::x");
    let edit = [before.as_str(), &common("first", "m::x")];
    check_change(&module, edit, "m::a", ["[9, 1]", "[9]"]);
    let edit = [before.as_str(), &common("unique", "m::b")];
    check_change(&module, edit, "m::b", ["[9]", "[9, 1]"]);
}

/// A fact can lead to a file that no index knows.
#[test]
fn files_outside_of_the_index_tell_nodes_apart() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: w, path: 'where/%{facts.where}.yaml'}\n- {name: c, path: common.yaml}\n";
    let mut texts = super::random_data::Texts::new();
    for (path, text) in [
        ("hiera.yaml", hiera_yaml),
        ("data/common.yaml", "a: 1\nb: 1\n"),
        ("data/where/here.yaml", "b: 2\n"),
        ("elsewhere/there.yaml", "a: 2\n"),
    ] {
        texts.insert(format!("{ROOT}/{path}"), text.to_owned());
    }
    for (name, place) in [("one", "here"), ("two", "../../elsewhere/there"), ("three", "here")] {
        let facts = format!(r#"{{"certname": "{name}", "where": "{place}"}}"#);
        texts.insert(format!("{ROOT}/.hiera-ls/facts/{name}.json"), facts);
    }
    let world = world_of(&texts, PuppetVersion::V8);
    let environment = world.environment_of(ROOT).expect("there is one");
    for is_indexed in [false, true] {
        if is_indexed {
            world.key_index(&environment);
        }
        let fleet = fleet_of(&world, true).expect("an environment");
        check_each_node(&fleet, &["a", "b"], "with a file elsewhere");
    }
}

/// A path can name a file in several ways, also because a variable in it is empty.
#[test]
fn edits_of_files_that_are_named_in_another_way_are_found() {
    let levels = [
        "path: 'sub/../common.yaml'",
        "path: 'sub//../%{facts.none}/common.yaml'",
        "path: './common.yaml'",
        "glob: './sub/..//c*.yaml'",
        "{path: common.yaml, datadir: data//}",
        "{path: common.yaml, datadir: 'data/sub/..'}",
    ];
    let edit = ["a: 1\n", "a: 2\n"];
    for level in levels {
        let level = level.trim_matches(['{', '}']);
        let hiera_yaml = format!("version: 5\nhierarchy:\n- {{name: l, {level}}}\n");
        let others = [
            ("hiera.yaml", hiera_yaml.as_str()),
            ("data/sub/x.yaml", "b: 1\n"),
            (".hiera-ls/facts/one.json", "{\"certname\": \"one\"}"),
        ];
        check_change(&others, edit, "a", ["1", "2"]);
    }
}

#[test]
fn many_nodes_with_files_of_their_own_get_their_own_answers() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: c, path: c.yaml}\n";
    let mut texts = vec![
        (format!("{ROOT}/hiera.yaml"), hiera_yaml.to_owned()),
        (format!("{ROOT}/data/c.yaml"), "x: common\n".to_owned()),
    ];
    for number in 0..3 * MANY_GROUPS {
        let facts = format!("{ROOT}/.hiera-ls/facts/n{number}.json");
        texts.push((facts, format!("{{\"certname\": \"n{number}\"}}")));
        if number % 3 != 0 {
            let own = format!("{ROOT}/data/nodes/n{number}.yaml");
            texts.push((own, format!("x: {}\n", number / 3)));
        }
    }
    let world = world_of(&texts.into_iter().collect(), PuppetVersion::V8);
    let environment = world.environment_of(ROOT).expect("there is one");
    let fleet = fleet(&world, &environment, world.nodes(&environment), false);
    let request = Request::key("x");
    assert_eq!(fleet.answers_by_reads(&request).len(), 2 * MANY_GROUPS + 1);
    let answers = fleet.answers(&request);
    assert_eq!(answers.len(), MANY_GROUPS + 1);
    for shared in answers {
        for node in &shared.nodes {
            assert!(is_same_with_cases(&shared.answer, &fleet.answer_of(*node, &request)));
        }
    }
}

#[test]
fn cases_of_other_nodes_are_compared() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: c.yaml}\n";
    let texts = |web: &str| -> super::random_data::Texts {
        let files = [
            ("hiera.yaml", hiera_yaml),
            ("data/roles/web.yaml", web),
            ("data/c.yaml", "a: 1\nb: 1\n"),
        ];
        files.iter().map(|(name, text)| (format!("{ROOT}/{name}"), (*text).to_owned())).collect()
    };
    let (before, after) = (texts("a: 2\n"), texts("a: 3\n"));
    let pair =
        pair_of(&world_of(&before, PuppetVersion::V8), &world_of(&after, PuppetVersion::V8), false);
    let pair = pair.expect("environments on both sides");
    assert!(pair.difference(&"b".into()).changes.is_empty());
    let difference = pair.difference(&"a".into());
    assert!(difference.not_proved().is_empty());
    let [change] = difference.changes.as_slice() else { panic!("{difference:?}") };
    let cases: Vec<String> = change.others.iter().map(|it| in_words(&it.conditions)).collect();
    assert_eq!((change.nodes.len(), cases), (0, vec!["role is web".to_owned()]));
}

/// Puppet 8 fails if such a variable is not set, so an answer names it, but the value is the same.
#[test]
fn variables_that_are_read_for_something_else_change_no_value() {
    let files = |role: &str, hash: &str| -> super::random_data::Texts {
        let hiera_yaml = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: c.yaml}\n";
        let files = [
            ("hiera.yaml", hiera_yaml),
            ("data/roles/web.yaml", role),
            ("data/c.yaml", hash),
            (".hiera-ls/facts/one.json", "{\"certname\": \"one\"}"),
        ];
        files.iter().map(|(name, text)| (format!("{ROOT}/{name}"), (*text).to_owned())).collect()
    };
    let options = "lookup_options: {'%{role}': {merge: unique}, x: {merge: '%{merge}'}}\n";
    let before = files(options, "a: 1\nk: {a: 1, b: '%{y}'}\n");
    let after = files("x: 1\n", "a: 1\nk: {a: 1, b: '%{z}'}\n");
    let worlds = [before, after].map(|texts| world_of(&texts, PuppetVersion::V8));
    let pair = pair_of(&worlds[0], &worlds[1], false).expect("environments on both sides");
    let [one, other] = [pair.before(), pair.after()]
        .map(|fleet| fleet.new_evaluator_of(&fleet.world().node_named(fleet.environment(), "new")));
    for key in ["a", "k.a"] {
        let (one, other) = (one.lookup(key), other.lookup(key));
        assert_ne!(one.read_open, other.read_open, "{key}");
        assert!(is_same_with_cases(&one, &other), "{key}");
        let difference = pair.difference(&key.into());
        assert!(difference.changes.is_empty(), "{key}: {difference:?}");
    }
}

/// How many lookups are run for a key of many nodes.
#[track_caller]
fn check_lookups(data: &[(&str, &str)], key: &str, expected: usize) {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n";
    let mut files = vec![("/w/hiera.yaml".to_owned(), hiera_yaml.to_owned())];
    for number in 0..100 {
        let role = ["web", "db"][number % 2];
        let facts =
            format!(r#"{{"certname": "n{number}", "role": "{role}", "site": "s{}"}}"#, number % 5);
        files.push((format!("/w/.hiera-ls/facts/n{number}.json"), facts));
        files.push((format!("/w/data/nodes/n{number}.yaml"), "own: 1\n".to_owned()));
    }
    files.extend(data.iter().map(|(path, text)| (format!("/w/data/{path}"), (*text).to_owned())));
    let world =
        World::on_disk(Arc::new(MemoryDisk::new(files)), vec!["/w".into()], Settings::default());
    let environment = world.environment_of("/w").expect("there is one");
    let nodes = world.nodes(&environment);
    assert_eq!(nodes.len(), 100);
    let fleet = Fleet::new(&world, &environment, nodes, world.back_ends().clone());
    assert_eq!(fleet.answers_by_reads(&Request::key(key)).len(), expected);
}

/// How many of `count` nodes are compared for a key after an edit of one file. Each node has a file of its own with `own`, which
/// is made of `port`, and one of 10 roles with a file.
#[track_caller]
fn check_compared(count: usize, key: &str, (path, text): (&str, &str), expected: usize) {
    let mut files: Vec<(String, String)> = vec![(
        "/w/hiera.yaml".to_owned(),
        "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
         - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n"
            .to_owned(),
    )];
    for number in 0..count {
        let facts = format!(r#"{{"certname": "n{number}", "role": "r{}"}}"#, number % 10);
        files.push((format!("/w/.hiera-ls/facts/n{number}.json"), facts));
        let own = format!("own{}: \"%{{lookup('port')}}\"\n", number % 20);
        files.push((format!("/w/data/nodes/n{number}.yaml"), own));
    }
    for role in 0..10 {
        files.push((format!("/w/data/roles/r{role}.yaml"), "role: 1\nhost: a\n".to_owned()));
    }
    files.push(("/w/data/common.yaml".to_owned(), "port: 1\nother: 1\n".to_owned()));
    let before = World::on_disk(
        Arc::new(MemoryDisk::new(files.clone())),
        vec!["/w".into()],
        Settings::default(),
    );
    let path = format!("/w/data/{path}");
    for file in files.iter_mut().filter(|it| it.0 == path) {
        text.clone_into(&mut file.1);
    }
    let after =
        before.on_other_disk(Arc::new(MemoryDisk::new(files)), before.settings().as_ref().clone());
    let fleet = |world: &Arc<World>| {
        let environment = world.environment_of("/w").expect("there is one");
        let nodes = world.nodes(&environment);
        assert_eq!(nodes.len(), count);
        Fleet::new(world, &environment, nodes, world.back_ends().clone())
    };
    let pair = FleetPair::new(fleet(&before), fleet(&after), None);
    assert!(pair.affected().is_some_and(|keys| keys.contains(key)), "{:?}", pair.affected());
    assert_eq!(pair.who_may_change(key).0.len(), expected);
}

#[test]
fn only_nodes_that_read_what_was_edited_are_compared() {
    for count in [100, 1_600] {
        check_compared(count, "role", ("roles/r3.yaml", "role: 2\nhost: a\n"), count / 10);
        check_compared(count, "own7", ("common.yaml", "port: 2\nother: 1\n"), count / 20);
        check_compared(count, "other", ("common.yaml", "port: 1\nother: 2\n"), count);
        check_compared(count, "own5", ("nodes/n5.yaml", "own5: 1\n"), 1);
    }
}

#[test]
fn lookups_are_run_for_different_reads_and_not_for_nodes() {
    let common = ("common.yaml", "a: 1\nb: \"%{lookup('c')} %{site}\"\nc: 2\n");
    check_lookups(&[common], "a", 1);
    check_lookups(&[common], "none", 1);
    check_lookups(&[common], "b", 5);
    check_lookups(&[common, ("roles/web.yaml", "a: 3\n")], "a", 2);
    check_lookups(&[common, ("roles/web.yaml", "c: 3\n")], "b", 10);
    check_lookups(&[common, ("nodes/n7.yaml", "a: 3\n")], "a", 2);
    let options = ("roles/db.yaml", "lookup_options: {c: {merge: unique}}\n");
    check_lookups(&[common, options], "a", 1);
    check_lookups(&[common, options], "c", 2);
    check_lookups(&[common], "own", 100);
}

/// Keys are indexed in parts of the files, which are put together.
#[test]
fn the_index_of_many_files_has_the_keys_of_all() {
    let mut files = vec![(
        "/w/hiera.yaml".to_owned(),
        "version: 5\nhierarchy: [{name: n, path: 'nodes/%{trusted.certname}.yaml'}]\n".to_owned(),
    )];
    for number in 0..1_100 {
        let facts = format!(r#"{{"certname": "n{number}"}}"#);
        files.push((format!("/w/.hiera-ls/facts/n{number}.json"), facts));
        let own = format!("own{}: 1\n", number % 100);
        files.push((format!("/w/data/nodes/n{number}.yaml"), own));
    }
    let world =
        World::on_disk(Arc::new(MemoryDisk::new(files)), vec!["/w".into()], Settings::default());
    let environment = world.environment_of("/w").expect("there is one");
    let nodes = world.nodes(&environment);
    let fleet = Fleet::new(&world, &environment, nodes, world.back_ends().clone());
    for key in 0..100 {
        let answers = fleet.answers(&Request::key(format!("own{key}")));
        let mut counts: Vec<usize> = answers.iter().map(|it| it.nodes.len()).collect();
        counts.sort_unstable();
        assert_eq!(counts, [11, 1_089], "own{key}");
    }
}

mod causes;
mod names;
mod narrowed;
mod open_comparison;
mod other_nodes;
mod readers;
mod spread;
mod typed;
mod unedited;
