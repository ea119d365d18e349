//! Nodes that differ only in their names.

use super::*;
use crate::data::Value;
use crate::world::fleet::random_data::Texts;

/// The parts without names then are not only equal: they are the same in memory.
#[test]
fn nodes_that_differ_only_in_their_names_share_a_lookup() {
    let mut texts = Texts::new();
    let mut add = |path: &str, text: &str| {
        texts.insert(format!("{ROOT}/{path}"), text.to_owned());
    };
    add("hiera.yaml", "version: 5\nhierarchy:\n- {name: c, path: common.yaml}\n");
    let named = "a: {name: '%{trusted.certname}', same: {b: \"%{lookup('b')}\"}}\n";
    add("data/common.yaml", &format!("{named}b: 1\n"));
    let world = world_of(&texts, PuppetVersion::V8);
    let names = ["one.org", "two.org", "three.org"];
    let fleet = fleet_of_names(&world, &names).expect("an environment");
    let answers = fleet.answers(&Request::key("a"));
    let members = answers.iter().map(|it| {
        let value = it.answer.outcome.as_ref().expect("no error").as_ref().expect("a value");
        let hash = value.value.as_hash().expect("a hash");
        let member = |name: &str| hash.get(name).expect("a member").value.value.clone();
        let Value::Hash(same) = member("same") else { panic!("it is a hash") };
        (member("name"), Arc::as_ptr(&same).addr())
    });
    let (found, same): (Vec<Value>, Vec<usize>) = members.unzip();
    assert_eq!(found, names.map(Value::string));
    assert!(same.iter().all(|it| *it == same[0]), "{same:?}");
}

/// A node's name in a path with open variables distinguishes only nodes with such files.
#[test]
fn nodes_of_which_only_the_names_are_known_share_lookups_of_keys_that_their_files_do_not_have() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{site}/%{trusted.certname}.yaml'}\n\
                      - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n";
    let mut texts = super::random_data::Texts::new();
    let mut add = |path: String, text: &str| {
        texts.insert(format!("{ROOT}/{path}"), text.to_owned());
    };
    add("hiera.yaml".to_owned(), hiera_yaml);
    add("data/common.yaml".to_owned(), "a: 1\nb: \"%{lookup('a')}\"\nc: 2\n");
    add("data/roles/web.yaml".to_owned(), "a: 2\n");
    for number in 0..50 {
        let text = if number < 3 { "a: 3\n" } else { "own: 1\n" };
        add(format!("data/nodes/s{}/n{number}.yaml", number % 5), text);
    }
    let world = world_of(&texts, PuppetVersion::V8);
    let names: Vec<String> = (0..100).map(|number| format!("n{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let fleet = fleet_of_names(&world, &names).expect("an environment");
    let lookups = |key: &str| fleet.answers_by_reads(&Request::key(key)).len();
    assert_eq!([lookups("a"), lookups("b"), lookups("c"), lookups("own")], [4, 4, 1, 48]);
}
