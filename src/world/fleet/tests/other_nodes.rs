//! What a difference says of unlisted nodes is what a comparison of their answers gives, whatever their facts are.

use super::*;
use crate::data::{Value, inspect};
use crate::engine::{Assumed, Condition, OtherNodes};
use crate::facts::{NodeParts, Reading, formats};
use crate::world::fleet::random_data::Texts;

/// The workspaces before and after, without any listed node.
fn pair_without_nodes(before: &Texts, after: &Texts, puppet: PuppetVersion) -> Option<FleetPair> {
    let after = world_of(after, puppet);
    let disk = MemoryDisk::new(before.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let before = after.on_other_disk(Arc::new(disk), after.settings().as_ref().clone());
    let environments = (before.environment_of(ROOT)?, after.environment_of(ROOT)?);
    let (before, after) = with_same_files((&before, &environments.0), (&after, &environments.1));
    let of = |world, environment| fleet(world, environment, Arc::from([]), false);
    let any = (before.any_node(&environments.0), after.any_node(&environments.1));
    Some(FleetPair::new(of(&before, &environments.0), of(&after, &environments.1), Some(any)))
}

/// Whether a condition is true for a node with a fact set; `None` if the condition is not about a variable.
fn holds(condition: &Condition, node: &Node) -> Option<bool> {
    let path = key_path::parse(&condition.variable).ok()?;
    let (mut value, rest) = match node.read(&path) {
        Reading::Known(value, rest) => (Some(value.value), rest),
        Reading::Unset => (None, Vec::new()),
        Reading::Open(_) => return None,
    };
    for segment in rest {
        value = match value {
            Some(Value::Hash(hash)) => {
                hash.get(&segment.to_string()).map(|it| it.value.value.clone())
            }
            _ => None,
        };
    }
    Some(match (value, &condition.value) {
        (Some(value), Assumed::Text(text)) => inspect::to_s(&value) == **text,
        (None, Assumed::Text(text)) => text.is_empty(),
        (value, Assumed::Unset) => value.is_none(),
    })
}

fn all_hold(conditions: &[Condition], node: &Node) -> Option<bool> {
    let each: Option<Vec<bool>> = conditions.iter().map(|it| holds(it, node)).collect();
    Some(each?.into_iter().all(|it| it))
}

fn is_one_of(node: &Node, others: &OtherNodes) -> Option<bool> {
    let mut is_one = all_hold(&others.conditions, node)?;
    for exception in &others.unless {
        is_one &= !all_hold(exception, node)?;
    }
    Some(is_one)
}

/// The case of an answer that applies to a node.
pub(super) fn first<'a>(answer: &'a Answer, node: &Node) -> Option<&'a Answer> {
    for (conditions, case) in answer.each_case() {
        if all_hold(conditions, node)? {
            return Some(case);
        }
    }
    None
}

pub(super) fn fails_for_a_variable(answer: &Answer) -> bool {
    { answer.outcome.as_ref() }.is_err_and(|it| it.message.contains("Undefined variable"))
}

/// The same node before and after, with random facts.
fn random_node(random: &mut Random, pair: &FleetPair) -> (Arc<Node>, Arc<Node>) {
    let mut of = |all: &[&str]| all[random.below(all.len())].to_owned();
    let name = of(&["one", "two", "six", "x"]);
    let role = of(&["role: web\n", "role: db\n", "role: x3\n", "role: none\n", "role: ''\n", ""]);
    let site = of(&["site: oslo\n", "site: bgo\n", "site: x3\n", "site: none\n", ""]);
    let os = of(&["os: {family: Debian}\n", ""]);
    let (mut parts, _) = formats::read("/x.yaml", &format!("x: 1\n{role}{site}{os}"));
    let parts = NodeParts { name, ..parts.pop().expect("a fact set") };
    let sets = [("/x.yaml".to_owned(), parts)];
    let node = |fleet: &Fleet| {
        let found = fleet.world().nodes_of_fact_sets(fleet.environment(), &sets);
        found.nodes[0].in_environment(fleet.environment())
    };
    (node(pair.before()), node(pair.after()))
}

/// So many files of roles and sites, each with values of its own.
fn crowd(texts: &mut Texts, count: usize) {
    for number in 0..count {
        for kind in ["roles", "sites"] {
            let text: String = ["a", "b", "c", "d", "m::a", "m::b"]
                .map(|key| format!("{key}: {kind}{number}\n"))
                .concat();
            texts.insert(format!("{ROOT}/data/{kind}/x{number}.yaml"), text);
        }
    }
}

/// Checks that the nodes change that an incomplete difference lists.
#[track_caller]
fn check_what_is_listed(
    difference: &Difference,
    nodes: &[(Arc<Node>, Arc<Node>)],
    (pair, key): (&FleetPair, &str),
    seed: u64,
) {
    for (node_before, node_after) in nodes {
        let before = pair.before().new_evaluator_of(node_before);
        let after = pair.after().new_evaluator_of(node_after);
        let request = Request::key(key);
        let lookups = Lookups { before: &before, after: &after, request: &request };
        let (before, after) = (before.call(&request), after.call(&request));
        // Puppet 8 refuses a text with a variable that is not set, which is not a case of its own.
        let fails = fails_for_a_variable(&before) || fails_for_a_variable(&after);
        if fails || !is_unchanged(&before, &after, lookups) {
            continue;
        }
        // Where something stays open, or is not told, the two may be the same for this node.
        let is_certain = |it: &Answer, who: &OtherNodes| {
            let mut left_out = it.left_out.iter().flat_map(|it| it.variables.iter());
            let is_said = |name: &Arc<str>| who.conditions.iter().any(|it| it.variable == *name);
            it.open.is_empty() && left_out.all(is_said)
        };
        let is_listed = |change: &AnswerChange, who: &OtherNodes| {
            is_certain(&change.before, who)
                && is_certain(&change.after, who)
                && is_one_of(node_after, who) == Some(true)
        };
        let mut changes = difference.changes.iter();
        let told = changes.find(|it| {
            let mut others = it.others.iter();
            !is_same_outcome(&it.before, &it.after) && others.any(|who| is_listed(it, who))
        });
        if let Some(change) = told {
            panic!(
                "{key} of {} in {seed}: {}\n{}\nbut it is {}\n{:#?}",
                node_after.name,
                shown(&change.before),
                shown(&change.after),
                shown(&before),
                change.others,
            );
        }
    }
}

/// Compares what a difference says of random nodes with their answers, in workspaces with so many files of roles and sites. Returns
/// how many of the answers change, and how many do not.
fn check_random_edits(crowds: &[usize]) -> (usize, usize) {
    let (mut changed, mut unchanged) = (0, 0);
    for seed in 0..workspaces(WORKSPACES) {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x07EE);
        let mut texts = random.texts();
        texts.retain(|path, _| !path.contains("/facts/"));
        if !crowds.is_empty() {
            crowd(&mut texts, crowds[random.below(crowds.len())]);
        }
        let mut edited = random.edited(&texts);
        while random.below(2) == 0 {
            edited = random.edited(&edited);
        }
        edited.retain(|path, _| !path.contains("/facts/"));
        let version = if seed % 2 == 0 { PuppetVersion::V8 } else { PuppetVersion::V7 };
        let Some(pair) = pair_without_nodes(&texts, &edited, version) else { continue };
        let nodes: Vec<_> = (0..12).map(|_| random_node(&mut random, &pair)).collect();
        let any = pair.any().cloned().expect("any node");
        let of = |fleet: &Fleet, node: Arc<Node>| {
            super::fleet(fleet.world(), fleet.environment(), Arc::from([node]), false)
        };
        let listed = FleetPair::new(of(pair.before(), any.0), of(pair.after(), any.1), None);
        for key in KEYS {
            let difference = pair.difference(&key.into());
            if !difference.not_proved().is_empty() {
                check_what_is_listed(&difference, &nodes, (&pair, key), seed);
                continue;
            }
            let of_listed = listed.difference(&key.into());
            assert!(of_listed.not_proved().is_empty(), "{key} in {seed}");
            for (node_before, node_after) in &nodes {
                let before = pair.before().new_evaluator_of(node_before);
                let after = pair.after().new_evaluator_of(node_after);
                let request = Request::key(key);
                let lookups = Lookups { before: &before, after: &after, request: &request };
                let (before, after) = (before.call(&request), after.call(&request));
                let is_in = |change: &AnswerChange| -> Option<bool> {
                    let each: Option<Vec<bool>> =
                        change.others.iter().map(|it| is_one_of(node_after, it)).collect();
                    Some(each?.contains(&true))
                };
                let each: Option<Vec<bool>> = difference.changes.iter().map(is_in).collect();
                let Some(each) = each else { continue };
                let is_unchanged = is_unchanged(&before, &after, lookups);
                let said: Vec<&AnswerChange> = { difference.changes.iter().zip(each) }
                    .filter_map(|(change, is_in)| is_in.then_some(change))
                    .collect();
                // Puppet 8 refuses a text with a variable that is not set, which is not a case of its own.
                if fails_for_a_variable(&before) || fails_for_a_variable(&after) {
                    continue;
                }
                // A variable of the value itself may be such that nothing changes for this node.
                let is_open = |it: &AnswerChange| {
                    let is_open = !it.before.open.is_empty() || !it.after.open.is_empty();
                    is_open || is_same_outcome(&it.before, &it.after)
                };
                if is_unchanged && said.iter().any(|it| is_open(it)) {
                    continue;
                }
                for change in &of_listed.changes {
                    let of_node =
                        (first(&change.before, node_after), first(&change.after, node_after));
                    let is_uncertain =
                        |it: &Answer| !(it.open.is_empty() && it.left_out.is_empty());
                    if let (Some(one), Some(other)) = of_node
                        && !is_uncertain(one)
                        && !is_uncertain(other)
                    {
                        let are_same =
                            is_same_outcome(one, &before) && is_same_outcome(other, &after);
                        assert!(
                            are_same,
                            "{key} of {} in {seed}: {}\n{}\n{}\n{}\n{texts:#?}\n{edited:#?}",
                            node_after.name,
                            shown(one),
                            shown(other),
                            shown(&before),
                            shown(&after)
                        );
                    }
                }
                assert!(
                    is_unchanged || of_listed.changes.len() == 1,
                    "{key} of {} in {seed}: {}\n{}\n{texts:#?}\n{edited:#?}",
                    node_after.name,
                    shown(&before),
                    shown(&after),
                );
                assert_eq!(
                    said.len(),
                    usize::from(!is_unchanged),
                    "{key} of {} in {seed}: {}\n{}\n{:#?}\n{texts:#?}\n{edited:#?}",
                    node_after.name,
                    shown(&before),
                    shown(&after),
                    difference.changes.iter().map(|it| &it.others).collect::<Vec<_>>(),
                );
                *(if is_unchanged { &mut unchanged } else { &mut changed }) += 1;
            }
        }
    }
    (changed, unchanged)
}

#[test]
fn each_unlisted_node_is_said_to_change_as_it_does() {
    let (changed, unchanged) = check_random_edits(&[]);
    assert!(changed > 300 && unchanged > 5_000, "{changed} changed, {unchanged} did not");
}

#[test]
fn what_is_said_is_true_if_one_side_has_too_many_cases_to_list() {
    let (changed, unchanged) = check_random_edits(&[13, 14, 15, 16, 30, 31]);
    assert!(changed > 50 && unchanged > 5_000, "{changed} changed, {unchanged} did not");
}

#[test]
fn so_is_each_of_more_cases_than_can_be_listed() {
    let (changed, unchanged) = check_random_edits(&[40]);
    assert!(changed > 50 && unchanged > 5_000, "{changed} changed, {unchanged} did not");
}

/// Levels for roles and sites, in this order, and some data files.
fn texts_of(levels: [&str; 2], data: &[(&str, &str)]) -> Texts {
    let paths = levels.map(|it| format!("'{it}/%{{facts.{it}}}.yaml'")).join(", ");
    let hiera_yaml =
        format!("version: 5\nhierarchy:\n- {{name: x, paths: [{paths}, common.yaml]}}\n");
    let data = data.iter().map(|(name, text)| (format!("{ROOT}/data/{name}"), (*text).to_owned()));
    data.chain([(format!("{ROOT}/hiera.yaml"), hiera_yaml)]).collect()
}

#[test]
fn a_role_that_comes_or_goes_is_compared_among_many() {
    let mut before = texts_of(["role", "site"], &[("common.yaml", "a: 0\n")]);
    for number in 0..40 {
        before.insert(format!("{ROOT}/data/role/x{number}.yaml"), format!("a: {number}\n"));
    }
    let mut after = before.clone();
    after.insert(format!("{ROOT}/data/role/new.yaml"), "a: 99\n".to_owned());
    after.remove(&format!("{ROOT}/data/role/x7.yaml"));
    let pair = pair_without_nodes(&before, &after, PuppetVersion::V8).expect("environments");
    let difference = pair.difference(&"a".into());
    assert_eq!(difference.not_proved(), Vec::<String>::new());
    let others = difference.changes.iter().flat_map(|it| &it.others);
    let told: BTreeSet<String> = others.map(|it| in_words(&it.conditions)).collect();
    assert_eq!(told, BTreeSet::from(["role is new".to_owned(), "role is x7".to_owned()]));
}

#[test]
fn a_snapshot_with_added_files_is_kept() {
    let before = world_of(&texts_of(["role", "site"], &[WEB]), PuppetVersion::V8);
    let after = before.as_if(&[(format!("{ROOT}/data/role/db.yaml").into(), "a: 1\n".into())]);
    let environment = before.environment_of(ROOT).expect("an environment");
    let sides = || with_same_files((&before, &environment), (&after, &environment));
    let (one, now) = sides();
    assert!(Arc::ptr_eq(&one, &sides().0));
    assert!(Arc::ptr_eq(&now, &after) && !Arc::ptr_eq(&one, &before));
    assert_eq!(one.data_files(&environment), after.data_files(&environment));
}

const WEB: (&str, &str) = ("role/web.yaml", "a: X\n");
const SITE_B: (&str, &str) = ("site/b.yaml", "a: Y\n");

#[test]
fn levels_that_change_places_change_what_both_have() {
    let before = texts_of(["role", "site"], &[WEB, SITE_B]);
    let after = texts_of(["site", "role"], &[WEB, SITE_B]);
    let pair = pair_without_nodes(&before, &after, PuppetVersion::V8).expect("environments");
    let difference = pair.difference(&"a".into());
    let [change] = difference.changes.as_slice() else { panic!("{difference:?}") };
    let [others] = change.others.as_slice() else { panic!("{change:?}") };
    assert_eq!(in_words(&others.conditions), "role is web and site is b");
    assert_eq!(others.unless, Vec::<Vec<Condition>>::new());
}

#[test]
fn a_case_of_the_other_side_decides_what_a_value_contains() {
    let common = ("common.yaml", "a: \"%{role}\"\n");
    let before = texts_of(["role", "site"], &[common]);
    let after = |text| texts_of(["role", "site"], &[common, ("role/web.yaml", text)]);
    let changes = |text| {
        let pair = pair_without_nodes(&before, &after(text), PuppetVersion::V8);
        pair.expect("environments").difference(&"a".into()).changes
    };
    assert_eq!(changes("a: web\n").len(), 0);
    let changed = changes("a: other\n");
    let [change] = changed.as_slice() else { panic!("{changed:?}") };
    let before = change.before.outcome.as_ref().ok().and_then(Option::as_ref);
    assert_eq!(before.map(|it| &it.value), Some(&Value::string("web")));
}

#[test]
fn all_cases_of_a_listed_node_without_facts_are_compared() {
    let world =
        |data: &[(&str, &str)]| world_of(&texts_of(["role", "site"], data), PuppetVersion::V8);
    let (before, after) = (world(&[WEB, SITE_B]), world(&[WEB, SITE_B, ("site/c.yaml", "a: W\n")]));
    let of = |world| fleet_of_names(world, &["x"]).expect("an environment");
    let difference = FleetPair::new(of(&before), of(&after), None).difference(&"a".into());
    assert_eq!(difference.changes.len(), 1, "{difference:?}");
    let difference = FleetPair::new(of(&before), of(&before), None).difference(&"a".into());
    assert_eq!(difference.changes.len(), 0, "{difference:?}");
}

/// Two roles and forty sites.
fn crowded(edits: &[(&str, &str)]) -> Texts {
    let sites: Vec<_> =
        (0..40).map(|it| (format!("site/{it}.yaml"), format!("a: {it}\n"))).collect();
    let sites = sites.iter().map(|(path, text)| (&**path, &**text));
    let roles = [("role/web.yaml", "a: web\n"), ("role/db.yaml", "b: db\n")];
    let common = ("common.yaml", "a: none\nb: \"%{lookup('a')}\"\n");
    let files: Vec<_> = sites.chain(roles).chain([common]).chain(edits.iter().copied()).collect();
    texts_of(["site", "role"], &files)
}

/// What the difference says after edits of [`crowded`].
fn differences_in_crowd(edits: &[(&str, &str)], key: &str, listed: &[&str]) -> Difference {
    let worlds = [&[], edits].map(|it| world_of(&crowded(it), PuppetVersion::V8));
    let fleets = worlds.each_ref().map(|it| fleet_of_names(it, listed).expect("an environment"));
    let any = worlds.each_ref().map(|it| it.any_node(&it.environment_of(ROOT).expect("one")));
    let ([before, after], [one, other]) = (fleets, any);
    FleetPair::new(before, after, Some((one, other))).difference(&key.into())
}

fn others_in_words(difference: &Difference) -> Vec<String> {
    let others = difference.changes.iter().flat_map(|it| &it.others);
    let words = others.map(|it| {
        let unless: Vec<_> = it.unless.iter().map(|it| in_words(it)).collect();
        format!("{} unless {unless:?}", in_words(&it.conditions))
    });
    words.collect()
}

#[test]
fn an_edit_of_one_file_of_many_is_compared_for_its_readers() {
    let edits = [("site/7.yaml", "a: other\n")];
    let difference = differences_in_crowd(&edits, "a", &[]);
    assert_eq!(others_in_words(&difference), ["site is 7 unless []"]);
    assert_eq!(difference.not_proved(), Vec::<String>::new());
    // It is built from the edited key in a file that all nodes read.
    let difference = differences_in_crowd(&edits, "b", &[]);
    assert_eq!(difference.not_proved(), Vec::<String>::new());
    let words = others_in_words(&difference);
    assert_eq!(words, ["site is 7 unless [\"role is db\"]"]);
}

#[test]
fn an_edit_below_many_files_is_not_proved() {
    let difference = differences_in_crowd(&[("common.yaml", "a: other\n")], "a", &[]);
    assert_eq!(difference.not_proved().len(), 1, "{:?}", difference.not_proved());
}

#[test]
fn the_files_of_listed_nodes_are_not_those_of_others() {
    let names: Vec<String> = (0..40).map(|it| format!("n{it}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: c, path: common.yaml}\n";
    let texts = |common: &str| -> Texts {
        let files = [("hiera.yaml", hiera_yaml), ("data/common.yaml", common)];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let of_nodes =
            names.iter().map(|it| (format!("data/nodes/{it}.yaml"), "a: 1\n".to_owned()));
        let all = files.into_iter().chain(of_nodes);
        all.map(|(path, text)| (format!("{ROOT}/{path}"), text)).collect()
    };
    let check = |listed: &[&str], expected: &[&str], proved: bool| {
        let sides = ["a: 2\n", "a: 3\n"].map(|it| world_of(&texts(it), PuppetVersion::V8));
        let any = sides.each_ref().map(|it| it.any_node(&it.environment_of(ROOT).expect("one")));
        let fleet = |world| fleet_of_names(world, listed).expect("an environment");
        let ([before, after], [one, other]) = (sides.each_ref().map(fleet), any);
        let difference = FleetPair::new(before, after, Some((one, other))).difference(&"a".into());
        assert_eq!(others_in_words(&difference), expected);
        assert_eq!(difference.not_proved().is_empty(), proved, "{:?}", difference.not_proved());
    };
    check(&names, &[" unless []"], true);
    check(&names[..39], &[" unless [\"trusted.certname is n39\"]"], true);
    // Too many others have files of their own.
    check(&names[..2], &[" unless []"], false);
}

#[test]
fn the_file_of_a_listed_node_is_not_that_of_others_with_its_name() {
    let check = |path: &str, facts: &[(&str, &str)], expected: &[&str]| {
        let config = format!(
            "version: 5\nhierarchy:\n- {{name: n, path: '{path}.yaml'}}\n- {{name: c, path: common.yaml}}\n"
        );
        let facts =
            facts.iter().map(|(name, text)| (format!(".hiera-ls/facts/{name}.json"), *text));
        let of_facts: Vec<(String, &str)> = facts.collect();
        let sides = ["a: 1\n", "a: 2\n"].map(|value| {
            let files = [("hiera.yaml", &*config), ("data/n/web01.yaml", value)];
            let files = files.into_iter().chain([("data/common.yaml", "a: 0\n")]);
            let facts = of_facts.iter().map(|(path, text)| (&**path, *text));
            let texts = files.chain(facts);
            let texts = texts.map(|(path, text)| (format!("{ROOT}/{path}"), text.to_owned()));
            world_of(&texts.collect(), PuppetVersion::V8)
        });
        let environments = sides.each_ref().map(|it| it.environment_of(ROOT).expect("one"));
        let [before, after] = [0, 1].map(|side| {
            let (world, environment) = (&sides[side], &environments[side]);
            let any = world.any_node(environment);
            (fleet(world, environment, world.fleet_nodes(environment).into(), false), any)
        });
        let pair = FleetPair::new(before.0, after.0, Some((before.1, after.1)));
        let difference = pair.difference(&"a".into());
        assert_eq!(others_in_words(&difference), expected, "{path} {of_facts:?}");
        assert_eq!(difference.not_proved(), Vec::<String>::new());
    };
    check("n/%{trusted.certname}", &[], &[]);
    check("n/%{host}", &[], &[]);
    check("n/%{::hostname}", &[], &[]);
    check("n/%{role}", &[], &["role is web01 unless []"]);
    let of_host = ["host is web01 unless []"];
    check("n/%{host}", &[("web01", r#"{"host": "web01"}"#)], &[]);
    check("n/%{host}", &[("web01", r#"{"host": "other"}"#)], &of_host);
    check("n/%{host}", &[("web01", r#"{"x": 1}"#)], &of_host);
    check("n/%{host}", &[("a.ex.org", r#"{"host": "web01"}"#)], &[]);
    // If two nodes have this host, a third one may have it, too.
    let both = [("a.ex.org", r#"{"host": "web01"}"#), ("b.ex.org", r#"{"host": "web01"}"#)];
    check("n/%{host}", &both, &of_host);
}

#[test]
fn nodes_that_read_several_edited_files_are_named_once() {
    let edits = [("site/7.yaml", "a: other\n"), ("role/web.yaml", "a: new\n")];
    let difference = differences_in_crowd(&edits, "a", &[]);
    let words = others_in_words(&difference);
    assert_eq!(words, ["role is web unless []", "site is 7 unless [\"role is web\"]"]);
    // Among the nodes with this role, the sites are too many again.
    assert_eq!(difference.not_proved().len(), 1, "{:?}", difference.not_proved());
}

#[test]
fn listed_nodes_are_compared_where_they_may_read_the_edited_file() {
    let difference = differences_in_crowd(&[("site/7.yaml", "a: other\n")], "a", &["x", "y"]);
    assert_eq!(difference.not_proved(), Vec::<String>::new());
    let listed = difference.changes.iter().find(|it| !it.nodes.is_empty()).expect("a change");
    assert_eq!(listed.nodes, [0, 1]);
    let of_7 = |answer: &Answer| {
        let (conditions, case) = answer.each_case()[0];
        (in_words(conditions), shown(case))
    };
    let (before, after) = (of_7(&listed.before), of_7(&listed.after));
    assert_eq!((&*before.0, &*after.0), ("site is 7", "site is 7"));
    assert!(before.1.contains('7') && after.1.contains("other"), "{before:?} {after:?}");
    assert_eq!(listed.causes.len(), 1);
}

#[test]
fn an_edit_of_a_file_to_which_a_text_with_a_slash_leads() {
    let texts = |value: &str| -> Texts {
        let config = "version: 5\nhierarchy:\n- {name: r, path: 'role/%{role}.yaml'}\n";
        let all = [("hiera.yaml", config), ("data/role/web/front.yaml", value)];
        all.map(|(name, text)| (format!("{ROOT}/{name}"), text.to_owned())).into()
    };
    let pair = pair_without_nodes(&texts("a: 2\n"), &texts("a: 3\n"), PuppetVersion::V8);
    let difference = pair.expect("environments").difference(&"a".into());
    assert_eq!(others_in_words(&difference), ["role is web/front unless []"]);
    assert!(difference.is_complete(), "{difference:?}");
}

#[test]
fn nothing_is_proved_of_a_file_that_other_texts_may_lead_to() {
    let check = |location: &str| {
        let texts = |value: &str| -> Texts {
            let config = format!(
                "version: 5\nhierarchy:\n- {{name: x, {location}}}\n- {{name: c, path: common.yaml}}\n"
            );
            let all = [
                ("hiera.yaml", &*config),
                ("data/x/z.yaml", value),
                ("data/common.yaml", "a: 1\n"),
            ];
            all.map(|(name, text)| (format!("{ROOT}/{name}"), text.to_owned())).into()
        };
        let pair = pair_without_nodes(&texts("a: 2\n"), &texts("a: 3\n"), PuppetVersion::V8);
        let difference = pair.expect("environments").difference(&"a".into());
        assert!(!difference.is_complete(), "{location}: {difference:?}");
    };
    // With more variables than this, not each choice of empty ones is tried.
    check("path: 'x/%{a}%{b}%{c}%{d}%{e}%{f}.yaml'");
    check("glob: 'x/[%{a}]*.yaml'");
    check("glob: 'x/{web,%{a}}/*.yaml'");
}
