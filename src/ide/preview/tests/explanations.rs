//! Explanations as trees with places.

use super::*;

#[test]
fn explanations_are_trees_with_places() {
    let fixture = fixture(
        "#- /data/common.yaml\nlookup_options: {a: {merge: unique}}\na$0: [\"%{facts.os.family}\"]\n#- /data/nodes/web01.yaml\na: 'ENC[PKCS7,MIIB]'\n",
    );
    let world = fixture.world();
    let explained = explain(&world, &at_cursor(&fixture), &CancelToken::default())
        .expect("the node is there")
        .expect("there is a key");
    assert!(!explained.preview.text.contains("PKCS7"));
    expect![[r#"
        a for node web01, environment production
        the value: ["ENC[…] (encrypted, not shown)", "Debian"]
          data/nodes/web01.yaml:1 · level "Nodes"
          data/common.yaml:2 · level "Common"
          merge strategy unique, set in data/common.yaml:1

        collection of lookup_options
          Global Data Provider (hiera configuration version 5): does not have it
          Environment Data Provider (hiera configuration version 5)
            merge strategy hash: {"a"=>{"merge"=>"unique"}}
              level "Nodes"
                data/nodes/web01.yaml: does not have it
              level "Roles"
                data/roles/web.yaml: does not exist
              level "Common"
                data/common.yaml: {"a"=>{"merge"=>"unique"}}
        the merge strategy is in lookup_options
        search for a
          merge strategy unique: ["ENC[…] (encrypted, not shown)", "Debian"]
            Global Data Provider (hiera configuration version 5): does not have it
            Environment Data Provider (hiera configuration version 5)
              merge strategy unique: ["ENC[…] (encrypted, not shown)", "Debian"]
                level "Nodes"
                  data/nodes/web01.yaml: "ENC[…] (encrypted, not shown)"
                level "Roles"
                  data/roles/web.yaml: does not exist
                level "Common"
                  data/common.yaml: ["Debian"]
                    interpolation of "%{facts.os.family}"
                      Global Scope: {"os"=>{"family"=>"Debian"}}
                      sub key os.family
                        os: {"family"=>"Debian"}
                        family: "Debian"
    "#]]
    .assert_eq(&explained.preview.text);
    let found = explained.preview.lines.iter().filter(|line| line.kind == LineKind::Value);
    let found = Preview { lines: found.cloned().collect(), ..explained.preview.clone() };
    expect![[r#"
        [
            "2 /data/nodes/web01.yaml:a",
            "3 /data/common.yaml:a",
            "9 /data/common.yaml:{a: {merge: unique}}",
            "15 /data/common.yaml:{a: {merge: unique}}",
            "23 /data/nodes/web01.yaml:'ENC[PKCS7,MIIB]'",
            "27 /data/common.yaml:[\"%{facts.os.family}\"]",
        ]
    "#]]
    .assert_debug_eq(&places(&world, &found));
}

/// An explanation with repetitions.
fn repetitive() -> Fixture {
    let files = (1..=5).map(|number| format!("#- /data/modules/{number}.yaml\nm{number}: 1\n"));
    let calls = (1..=8).map(|at| format!("  - \"{at} %{{lookup('b')}}\"\n"));
    let calls = calls.collect::<Vec<_>>().concat();
    Fixture::parse(&format!(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {{name: Modules, glob: 'modules/*.yaml'}}\n  - {{name: Common, path: common.yaml}}\n{}#- /data/common.yaml\nb: x\nc: z\na$0:\n{calls}  - \"9 %{{lookup('c')}}\"\n",
        files.collect::<Vec<_>>().concat()
    ))
}

#[test]
fn explanations_tell_nothing_twice() {
    let fixture = repetitive();
    let world = fixture.world();
    let explained = |question: &Question| {
        let explained = explain(&world, question, &CancelToken::default());
        explained.expect("the node is there").expect("there is a key")
    };
    let question = at_cursor(&fixture);
    let folded = explained(&question);
    expect![[r#"
        a for any node
        the value: ["1 x", "2 x", "3 x", "4 x", "5 x", "6 x", "7 x", "8 x", "9 z"]
          data/common.yaml:3 · level "Common"

        41 of 132 lines: files without the key are only counted, and nothing is shown twice
        collection of lookup_options
          Global Data Provider (hiera configuration version 5): does not have it
          Environment Data Provider (hiera configuration version 5)
            merge strategy hash
              level "Modules"
                merge strategy hash
                  5 files: do not have it
              level "Common"
                data/common.yaml: does not have it
        search for a
          Global Data Provider (hiera configuration version 5): does not have it
          Environment Data Provider (hiera configuration version 5)
            level "Modules"
              5 files: do not have it
            level "Common"
              data/common.yaml: ["1 x", "2 x", "3 x", "4 x", "5 x", "6 x", "7 x", "8 x", "9 z"]
                interpolation of "1 %{lookup('b')}"
                  search for b
                    Global Data Provider (hiera configuration version 5): does not have it
                    Environment Data Provider (hiera configuration version 5)
                      level "Modules"
                        5 files: do not have it
                      level "Common"
                        data/common.yaml: "x"
                interpolation of "2 %{lookup('b')}"
                  search for b: "x" (as above)
                interpolation of "3 %{lookup('b')}"
                  search for b: "x" (as above)
                interpolation of "4 %{lookup('b')}"
                  search for b: "x" (as above)
                interpolation of "5 %{lookup('b')}"
                  search for b: "x" (as above)
                interpolation of "9 %{lookup('c')}"
                  search for c
                    Global Data Provider (hiera configuration version 5): does not have it
                    Environment Data Provider (hiera configuration version 5)
                      level "Modules"
                        5 files: do not have it
                      level "Common"
                        data/common.yaml: "z"
                3 more interpolations: of keys that are shown above
    "#]]
    .assert_eq(&folded.preview.text);
    let full = explained(&Question { is_full: true, ..question });
    let lines = full.preview.text.lines().count() - 4;
    assert!(folded.preview.text.contains(&format!(" of {lines} lines")), "{lines}");
    assert_eq!(full.preview.text.matches("data/modules/4.yaml: does not have it").count(), 11);
}

#[test]
fn a_file_that_puppet_refuses_is_named() {
    let fixture = fixture("#- /data/nodes/db02.yaml\na$0: 1\n#- /data/common.yaml\nb: [1\n");
    let found = explain(&fixture.world(), &at_cursor(&fixture), &CancelToken::default());
    let text = found.expect("a node").expect("a key").preview.text;
    assert!(text.contains("not in what can be read\n"), "{text}");
    assert!(text.contains("data/common.yaml has an error: as it is, Puppet refuses"), "{text}");
}

#[test]
fn a_case_of_a_large_value_is_what_differs() {
    let fixture = fixture(
        "#- /.hiera-ls.yaml\nnodes: {}\n#- /data/roles/db.yaml\nk: [1, 2, 4, 5, 6, 7, 8]\n\
         #- /data/roles/web.yaml\nk: 9\n#- /data/common.yaml\nk$0: [1, 2, 3, 4, 5, 6, 7]\n",
    );
    let explained = explain(&fixture.world(), &at_cursor(&fixture), &CancelToken::default());
    let explained = explained.expect("any node").expect("there is a key");
    let cases = explained.preview.text.lines().filter(|line| line.starts_with("if "));
    let expected = ["if role is db: the same without 3, plus [8]", "if role is web: 9"];
    assert_eq!(cases.collect::<Vec<_>>(), expected);
}

#[test]
fn a_path_with_open_variables_is_not_called_missing() {
    let fixture = fixture(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: Roles, path: 'roles/%{role}.yaml'}\n  \
         - {name: Sites, path: 'sites/%{site}.yaml'}\n  \
         - {name: Groups, mapped_paths: [facts.groups, group, 'roles/%{group}.yaml']}\n  \
         - {name: Common, path: common.yaml}\n#- /.hiera-ls.yaml\nnodes: {}\n\
         #- /data/roles/db.yaml\nb: 1\n#- /data/roles/web.yaml\nb: 1\n#- /data/common.yaml\na$0: 1\n",
    );
    let world = fixture.world();
    let explained = explain(&world, &at_cursor(&fixture), &CancelToken::default())
        .expect("the node is there")
        .expect("there is a key");
    expect![[r#"
        a for any node
        the value: 1
          data/common.yaml:1 · level "Common"

        collection of lookup_options
          Global Data Provider (hiera configuration version 5): does not have it
          Environment Data Provider (hiera configuration version 5)
            merge strategy hash
              level "Roles"
                data/roles/%{role}.yaml: not known: depends on role (2 files)
              level "Sites"
                data/sites/%{site}.yaml: does not exist
              level "Groups"
                data/roles/%{groups[]}.yaml: not known: depends on groups (2 files)
              level "Common"
                data/common.yaml: does not have it
        search for a
          Global Data Provider (hiera configuration version 5): does not have it
          Environment Data Provider (hiera configuration version 5)
            level "Roles"
              data/roles/%{role}.yaml: not known: depends on role (2 files)
            level "Sites"
              data/sites/%{site}.yaml: does not exist
            level "Groups"
              data/roles/%{groups[]}.yaml: not known: depends on groups (2 files)
            level "Common"
              data/common.yaml: 1
    "#]]
    .assert_eq(&explained.preview.text);
}
