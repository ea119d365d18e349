//! Several values side by side: all nodes by value, two nodes, before and after an edit.

use super::*;

fn all_of(fixture: &Fixture) -> AllNodes {
    all_nodes(&fixture.world(), &at_cursor(fixture), &CancelToken::default())
        .expect("no node is asked for")
        .expect("there is a key")
}

#[test]
fn nodes_are_grouped_by_value_and_the_rare_ones_come_first() {
    let fixture = fixture(
        "#- /data/common.yaml\na$0: 1\n#- /data/nodes/web02.yaml\na: 2\n#- /data/nodes/db01.yaml\na: '%{lookup(\"a\")}'\n",
    );
    let all = all_of(&fixture);
    assert_is_consistent(&all.preview);
    expect![[r"
        # a for 3 nodes of environment production: 3 different answers

        # 1 of 3 nodes:
        #   web01
        a: 1  # data/common.yaml:1
        ---
        # 1 of 3 nodes:
        #   web02
        a: 2  # data/nodes/web02.yaml:1
        ---
        # 1 of 3 nodes:
        #   db01
        # a: the lookup fails
        # Lookup of key 'a' failed: Recursive lookup detected in [a]
    "]]
    .assert_eq(&all.preview.text);
    let kinds: Vec<_> = all.groups.iter().map(|group| group.kind).collect();
    assert_eq!(kinds, [GroupKind::Value, GroupKind::Value, GroupKind::Failed]);
}

#[test]
fn one_answer_for_all_nodes_is_called_the_same() {
    let all = all_of(&fixture("#- /data/common.yaml\na$0: 1\n"));
    let title = "# a in environment production: the same answer for all 3 nodes";
    assert_eq!(all.preview.text.lines().next(), Some(title));
}

#[test]
fn nodes_with_their_own_names_in_a_value_are_together() {
    let fixture = fixture("#- /data/common.yaml\na$0: '%{trusted.certname}/%{role}'\n");
    let all = all_of(&fixture);
    assert_is_consistent(&all.preview);
    expect![[r"
        # a for 3 nodes of environment production: 3 different answers

        # 1 of 3 nodes:
        #   db01
        a: db01/db  # data/common.yaml:1
        ---
        # 2 of 3 nodes, each with its own name in the value; web01 is shown:
        #   web01, web02
        a: web01/web  # data/common.yaml:1
    "]]
    .assert_eq(&all.preview.text);
    let values: Vec<_> = all.groups.iter().map(|group| group.value.trim_end()).collect();
    assert_eq!(values, ["db01/db", "web01/web", "web02/web"]);
}

#[test]
fn no_node_is_known() {
    let fixture = Fixture::parse(
        "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n#- /data/common.yaml\na$0: 1\n",
    );
    let all = all_of(&fixture);
    assert_eq!(all.preview.text, "# a: no node is known in environment production\n");
}

#[test]
fn many_nodes_of_one_value_are_counted_until_all_are_asked_for() {
    let names: Vec<String> = (1..=40).map(|it| format!("n{it:02}: {{facts: {{a: 1}}}}")).collect();
    let own: Vec<String> =
        (1..=7).map(|it| format!("#- /data/nodes/n{it:02}.yaml\na: 2\n")).collect();
    let fixture = Fixture::parse(&format!(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {{name: Nodes, path: 'nodes/%{{trusted.certname}}.yaml'}}\n  - {{name: Common, path: common.yaml}}\n#- /.hiera-ls.yaml\nnodes: {{{}}}\n#- /data/common.yaml\na$0: 1\n{}",
        names.join(", "),
        own.concat()
    ));
    let world = fixture.world();
    let question = at_cursor(&fixture);
    let text = |question: &Question| {
        let all = all_nodes(&world, question, &CancelToken::default());
        all.expect("no node is asked for").expect("there is a key").preview
    };
    let short = text(&question);
    expect![[r"
        # a for 40 nodes of environment production: 2 different answers

        # 7 of 40 nodes:
        #   n01, n02, n03, n04, n05, n06
        #   n07
        a: 2  # data/nodes/n01.yaml:1
        ---
        # 33 of 40 nodes:
        #   n08, n09, n10, n11, n12, n13
        #   and 27 more
        a: 1  # data/common.yaml:1
    "]]
    .assert_eq(&short.text);
    let more: Vec<u32> =
        short.lines.iter().filter(|it| it.kind == LineKind::More).map(|it| it.line).collect();
    assert_eq!(more, [9]);
    let full = text(&Question { is_full: true, ..question });
    assert!(!full.text.contains("more"), "{}", full.text);
    assert!((1..=40).all(|it| full.text.contains(&format!("n{it:02}"))));
}

#[test]
fn two_nodes_compared() {
    let fixture = fixture(
        "#- /data/common.yaml\na$0: {b: 1, c: 2}\n#- /data/nodes/db01.yaml\na: {b: 1, c: 3}\n",
    );
    let world = fixture.world();
    let compared = |with: &str| {
        let with = Counterpart::Node(with.into());
        compare(&world, &at_cursor(&fixture), &with, &CancelToken::default())
            .expect("the node is there")
            .expect("there is a key")
    };
    let comparison = compared("db01");
    assert!(comparison.differs);
    assert_is_consistent(&comparison.diff);
    expect![[r"
        --- a · web01
        +++ a · db01
        @@ -1,3 +1,3 @@
         a:
           b: 1
        -  c: 2  # data/common.yaml:1
        +  c: 3  # data/nodes/db01.yaml:1
    "]]
    .assert_eq(&comparison.diff.text);
    expect![[r#"
        [
            "5 /data/common.yaml:2",
            "6 /data/nodes/db01.yaml:3",
        ]
    "#]]
    .assert_debug_eq(&places(&world, &comparison.diff));
    let same = compared("web02");
    assert!(!same.differs);
    assert_eq!(same.left.text, same.right.text);
}

#[test]
fn unsaved_text_compared_with_saved() {
    let fixture = fixture(
        "#- /data/common.yaml\na$0: 1\nb: 1\n\
         #- /modules/m/hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: c.yaml}]\n\
         #- /modules/m/data/c.yaml\nm::a: 1\n",
    );
    let files: Vec<(String, String)> =
        fixture.files.iter().map(|file| (file.world_path(), file.text.to_string())).collect();
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec![ROOT.to_owned()]));
    let path = format!("{ROOT}/data/common.yaml");
    let text = "# typed\na: 2\nb: 1\n".to_owned();
    host.apply(Change::OpenBuffer { path: path.clone(), text, version: 1 });
    let question = |key: &str| Question {
        path: Some(path.as_str().into()),
        key: Some(key.into()),
        ..Question::default()
    };
    let compared = |host: &Host, key: &str| {
        compare(&host.snapshot(), &question(key), &Counterpart::Saved, &CancelToken::default())
            .expect("no node is asked for")
            .expect("there is a key")
    };
    let comparison = compared(&host, "a");
    expect![[r"
        --- a · saved
        +++ a · unsaved
        @@ -1,1 +1,1 @@
        -a: 1  # data/common.yaml:1
        +a: 2  # data/common.yaml:2
    "]]
    .assert_eq(&comparison.diff.text);
    assert!(!compared(&host, "b").differs, "other lines have moved, and nothing else");
    // An unsaved module path decides only on one side.
    let text = "modulepath = none\n".to_owned();
    let conf = format!("{ROOT}/environment.conf");
    host.apply(Change::OpenBuffer { path: conf, text, version: 1 });
    assert!(compared(&host, "m::a").differs);
}
