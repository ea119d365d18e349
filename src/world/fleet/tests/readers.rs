//! The nodes that are looked up again after an edit: those whose lookups may have read an edited entry.

use super::*;

/// Which of the nodes `one` to `four` are looked up again for `key` after an edit of `a` in `common.yaml`: with fact sets, and
/// without.
#[track_caller]
fn check_readers(others: &[(&str, &str)], key: &str, expected: [&str; 2]) {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: r, path: 'roles/%{role}.yaml'}\n- {name: c, path: common.yaml}\n";
    let names = ["two", "three", "four", "one"];
    let files = |a: u32, has_facts: bool| -> Vec<(String, String)> {
        let facts = names.map(|name| {
            let role = if name == "four" { "web" } else { "db" };
            let text = format!(r#"{{"certname": "{name}", "role": "{role}"}}"#);
            (format!(".hiera-ls/facts/{name}.json"), text)
        });
        let common = format!(
            "a: {a}\nb: \"%{{lookup('a')}}\"\nc: \"%{{lookup('d')}}\"\nd: \"%{{lookup('b')}} %{{trusted.certname}}\"\ne: 1\nf: \"%{{lookup('a')}}\"\n"
        );
        let mut files = vec![
            ("hiera.yaml".to_owned(), hiera_yaml.to_owned()),
            ("data/common.yaml".to_owned(), common),
            ("data/nodes/one.yaml".to_owned(), "a: 0\n".to_owned()),
            ("data/nodes/two.yaml".to_owned(), "b: 0\n".to_owned()),
            ("data/roles/web.yaml".to_owned(), "a: 0\nb: 0\nf: '%{trusted.certname}'\n".to_owned()),
        ];
        files.extend(others.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
        files.extend(has_facts.then_some(facts).into_iter().flatten());
        files.into_iter().map(|(path, text)| (format!("{ROOT}/{path}"), text)).collect()
    };
    let of = |has_facts: bool| {
        let disk = |a| Arc::new(MemoryDisk::new(files(a, has_facts)));
        let before = World::on_disk(disk(1), vec![ROOT.into()], Settings::default());
        let after = before.on_other_disk(disk(2), before.settings().as_ref().clone());
        let fleet = |world: &Arc<World>| {
            let environment = world.environment_of(ROOT).expect("there is one");
            let nodes = names.iter().map(|name| world.node_named(&environment, name));
            super::fleet(world, &environment, nodes.collect(), true)
        };
        let pair = FleetPair::new(fleet(&before), fleet(&after), None);
        let edited = pair.affected_keys().and_then(|it| it.edited_entries.clone());
        let edited = edited.expect("only an entry was edited");
        let earlier =
            pair.before().earlier_answers(&Request::key(key), &[0, 1, 2, 3], Some(&edited));
        let readers = earlier.may_change(Some(&edited)).iter().map(|node| names[*node as usize]);
        readers.collect::<Vec<_>>().join(" ")
    };
    assert_eq!([of(true), of(false)], expected, "{key}");
}

#[test]
fn nodes_that_do_not_read_what_was_edited_are_not_looked_up_again() {
    // Without fact sets, node four may have another role.
    check_readers(&[], "a", ["two three", "two three four"]);
    check_readers(&[], "b", ["three", "three four"]);
    // Each node has an answer of its own, because its name is in it.
    check_readers(&[], "c", ["three", "three four"]);
    check_readers(&[], "e", ["", ""]);
    // The names are only in the case of role web. The other case is taken from the lookup for the first node.
    check_readers(&[], "f", ["two three", "two three four"]);
    let merge = ("data/roles/web.yaml", "lookup_options: {a: {merge: unique}}\n");
    check_readers(&[merge], "a", ["two three four", "two three four one"]);
}

#[test]
fn nodes_with_incomplete_answers_are_looked_up_again() {
    let level = "version: 5\nhierarchy:\n- {name: s, lookup_key: secrets}\n- {name: c, path: common.yaml}\n";
    check_readers(&[("hiera.yaml", level)], "e", ["two three four one"; 2]);
}

/// What a comparison found out about one edit does not hold for another one.
#[test]
fn nodes_are_looked_up_again_after_an_edit_of_other_entries() {
    let hiera_yaml = "version: 5\nhierarchy:\n- {name: n, path: 'nodes/%{trusted.certname}.yaml'}\n\
                      - {name: c, path: common.yaml}\n";
    let world = |own: &str, common: &str| {
        let files = [
            ("hiera.yaml", hiera_yaml),
            ("data/nodes/one.yaml", own),
            ("data/common.yaml", common),
        ];
        let files = files.map(|(path, text)| (format!("{ROOT}/{path}"), text.to_owned()));
        Arc::new(MemoryDisk::new(files))
    };
    let before = World::on_disk(world("a: 0\n", "a: 1\n"), vec![ROOT.into()], Settings::default());
    let kept = Arc::new(fleet_of_names(&before, &["one"]).expect("an environment"));
    let edits = [
        ("a: 0\n", "a: 2\n", 0),
        ("b: 0\n", "a: 2\n", 1),
        ("a: 0\n", "a: 3\n", 0),
        ("a: 3\n", "a: 3\n", 1),
    ];
    for (own, common, changed) in edits {
        let after = before.on_other_disk(world(own, common), before.settings().as_ref().clone());
        let after = fleet_of_names(&after, &["one"]).expect("an environment");
        let pair = FleetPair::new(kept.clone(), after, None);
        assert_eq!(pair.difference(&"a".into()).changes.len(), changed, "{own} {common}");
    }
}
