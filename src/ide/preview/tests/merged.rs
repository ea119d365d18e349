//! Merged values: the effective parts, what they hide, and the origin of each leaf.

use super::*;

#[test]
fn the_winner_with_what_it_hides() {
    let files = "#- /data/common.yaml\na::b$0: 1\n#- /data/nodes/web01.yaml\na::b: 2\n";
    check(
        files,
        &expect![[r"
            # a::b for node web01, environment production
            # merge strategy first, by default

            a::b: 2  # data/nodes/web01.yaml:1
            # a::b: 1  # data/common.yaml:1 · overridden
        "]],
    );
}

#[test]
fn each_line_leads_to_its_source() {
    let files = "#- /data/common.yaml\nlookup_options: {a: {merge: deep}}\na: {b$0: [x], c: 2}\n#- /data/nodes/web01.yaml\na: {b: [y], c: 4}\n";
    let (world, preview) = check(
        files,
        &expect![[r#"
            # a for node web01, environment production
            # merge strategy deep, set in data/common.yaml:1

            a:
              b:
                - x  # data/common.yaml:2
                - "y"  # data/nodes/web01.yaml:1
              c: 4  # data/nodes/web01.yaml:1
              # c: 2  # data/common.yaml:2 · overridden
        "#]],
    );
    let kinds: Vec<_> = preview.lines.iter().map(|line| line.kind).collect();
    assert_eq!(kinds[1..4], [LineKind::Header, LineKind::Value, LineKind::Value]);
    assert_eq!(kinds.last(), Some(&LineKind::Overridden));
    expect![[r#"
        [
            "1 /data/common.yaml:a",
            "3 /data/nodes/web01.yaml:a",
            "4 /data/nodes/web01.yaml:b",
            "5 /data/common.yaml:x",
            "6 /data/nodes/web01.yaml:y",
            "7 /data/nodes/web01.yaml:4",
            "8 /data/common.yaml:2",
        ]
    "#]]
    .assert_debug_eq(&places(&world, &preview));
}

#[test]
fn what_is_knocked_out_is_shown_with_the_knock() {
    check(
        "#- /data/common.yaml
lookup_options:
  a:
    merge: {strategy: deep, knockout_prefix: '--'}
a$0: [x, y, z]
#- /data/nodes/web01.yaml
a:
  - '--y'
  - w
",
        &expect![[r#"
            # a for node web01, environment production
            # merge strategy deep (knockout_prefix: "--"), set in data/common.yaml:2

            a:
              - x  # data/common.yaml:4
              - z  # data/common.yaml:4
              - w  # data/nodes/web01.yaml:3
              # - "y"  # data/common.yaml:4 · knocked out in data/nodes/web01.yaml:2
        "#]],
    );
}

#[test]
fn unique_lists_and_hashes() {
    check(
        "#- /data/common.yaml\nlookup_options: {a: {merge: unique}}\na$0: [x, [y]]\n#- /data/nodes/web01.yaml\na: [y, w]\n",
        &expect![[r#"
            # a for node web01, environment production
            # merge strategy unique, set in data/common.yaml:1

            a:
              - "y"  # data/nodes/web01.yaml:1
              - w  # data/nodes/web01.yaml:1
              - x  # data/common.yaml:2
        "#]],
    );
    check(
        "#- /data/common.yaml\nlookup_options: {^a: {merge: hash}}\na$0: {b: {x: 1}, c: ~}\n#- /data/nodes/web01.yaml\na: {b: {y: 1}}\n",
        &expect![[r#"
            # a for node web01, environment production
            # merge strategy hash, set in data/common.yaml:1 ^a

            a:
              b:
                "y": 1  # data/nodes/web01.yaml:1
                # x: 1  # data/common.yaml:2 · overridden
              c: ~  # data/common.yaml:2
        "#]],
    );
}

#[test]
fn whole_values_that_are_hidden() {
    check(
        "#- /data/common.yaml\na$0: {b: {c: 1}, d: [1, 2]}\n#- /data/nodes/web01.yaml\na: {b: text}\n",
        &expect![[r"
            # a for node web01, environment production
            # merge strategy first, by default

            a:
              b: text  # data/nodes/web01.yaml:1
              # b:
              #   c: 1  # data/common.yaml:1 · overridden
              # d:
              #   - 1  # data/common.yaml:1 · overridden
              #   - 2  # data/common.yaml:1 · overridden
        "]],
    );
}

#[test]
fn block_scalars_nested_lists_and_odd_keys() {
    check(
        "#- /data/common.yaml
a$0:
  text: |
    one
     two

    three
  '-': '# no comment'
  'y': [[1, {b: \"x\\ty\"}], []]
  list:
    - |-
      first
      second
    - k: |+
        kept

",
        &expect![[r##"
            # a for node web01, environment production

            a:
              text: |  # data/common.yaml:2
                one
                 two

                three
              "-": "# no comment"  # data/common.yaml:7
              "y":
                - - 1  # data/common.yaml:8
                  - b: "x\ty"  # data/common.yaml:8
                - []  # data/common.yaml:8
              list:
                - |-  # data/common.yaml:10
                  first
                  second
                - k: |+  # data/common.yaml:13
                    kept

        "##]],
    );
}

#[test]
fn secrets_stay_hidden() {
    let (_, preview) = check(
        "#- /data/common.yaml
lookup_options: {a: {merge: deep}, b: {convert_to: Sensitive}}
a$0: {b: 'ENC[PKCS7,MIIB]', c: 1}
b: hidden
#- /data/nodes/web01.yaml
a: {b: 'ENC[PKCS7,XXXX]'}
",
        &expect![[r"
            # a for node web01, environment production
            # merge strategy deep, set in data/common.yaml:1

            a:
              b: ENC[…] (encrypted, not shown)  # data/nodes/web01.yaml:1
              # b: ENC[…] (encrypted, not shown)  # data/common.yaml:2 · overridden
              c: 1  # data/common.yaml:2
        "]],
    );
    assert!(!preview.text.contains("PKCS7"));
    let fixture = fixture(
        "#- /data/common.yaml\nlookup_options: {b: {convert_to: Sensitive}}\nb$0: hidden\n",
    );
    let shown = ask(&fixture.world(), &at_cursor(&fixture)).expect("there is a key").text;
    assert!(!shown.contains("hidden") && shown.contains("redacted"), "{shown}");
}

#[test]
fn nothing_and_failures() {
    check(
        "#- /data/nodes/db02.yaml\na$0: 1\n",
        &expect![[r"
            # a for node web01, environment production

            # a: not found, a lookup of this key fails
        "]],
    );
    check(
        "#- /data/common.yaml\na$0: '%{lookup(\"a\")}'\n",
        &expect![[r"
            # a for node web01, environment production

            # a: the lookup fails
            # Lookup of key 'a' failed: Recursive lookup detected in [a]
        "]],
    );
    let none = |text: &str| {
        let fixture = fixture(text);
        assert_eq!(ask(&fixture.world(), &at_cursor(&fixture)), None, "{text}");
    };
    none("#- /data/common.yaml\nlookup_options:\n  ^a$0: {merge: deep}\n");
    none("#- /somewhere/else.yaml\na$0: 1\n");
}

#[test]
fn a_file_that_puppet_refuses_is_named() {
    check(
        "#- /data/common.yaml\na$0: 1\n#- /data/roles/web.yaml\nb: [1\n",
        &expect![[r"
            # a for node web01, environment production
            # data/roles/web.yaml has an error: as it is, Puppet refuses the whole file

            a: 1  # data/common.yaml:1
        "]],
    );
    check(
        "#- /data/nodes/db02.yaml\na$0: 1\n#- /data/common.yaml\nb: [1\n",
        &expect![[r"
            # a for node web01, environment production
            # data/common.yaml has an error: as it is, Puppet refuses the whole file

            # a: not in what can be read
        "]],
    );
}

#[test]
fn opaque_levels_are_marked() {
    let (_, preview) = check(
        "#- /hiera.yaml
version: 5
hierarchy:
  - {name: Vault, lookup_key: hiera_vault, path: common.yaml}
  - {name: Common, path: common.yaml}
#- /data/common.yaml
a$0: 1
",
        &expect![[r#"
            # a for node web01, environment production
            # may come from level "Vault" (hiera_vault is not evaluated here)

            a: 1  # data/common.yaml:1
        "#]],
    );
    assert_eq!(preview.lines[1].kind, LineKind::Opaque);
}

#[test]
fn other_formats_have_origins_too() {
    check(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: h, data_hash: hocon_data, path: h.conf}\n  - {name: j, data_hash: json_data, path: j.json}\n#- /data/h.conf\na { b = 1\n c = 2 }\n#- /data/j.json\n{\"a\": {\n\"b\": $03}}\n",
        &expect![[r"
            # a for node web01, environment production
            # merge strategy first, by default

            a:
              b: 1  # data/h.conf:1
              # b: 3  # data/j.json:2 · overridden
              c: 2  # data/h.conf:2
        "]],
    );
}

#[test]
fn anchors_aliases_and_interpolation_lead_to_what_they_stand_for() {
    check(
        "#- /data/common.yaml
base: &base {k: 1}
a$0:
  <<: *base
  l: \"%{alias('list')}\"
  os: 'on %{facts.os.family}'
list:
  - one
",
        &expect![[r"
            # a for node web01, environment production

            a:
              k: 1  # data/common.yaml:1
              l:
                - one  # data/common.yaml:7
              os: on Debian  # data/common.yaml:5
        "]],
    );
}

/// A preview is valid YAML with the value that the lookup returns.
#[test]
fn previews_can_be_read_as_yaml() {
    let text = "a: {b: [x, {c: ~, d: ''}], 'e f': |-\n    l1\n     l2\n, g: 0x1F, h: 'yes', i: 1.50, '12': \"a\\r\\nb\"}\n";
    let text = text.replace("|-\n    l1\n     l2\n", "\"l1\\n l2\"");
    let fixture = fixture(&format!("#- /data/common.yaml\n{text}"));
    let world = fixture.world();
    let path: Arc<str> = format!("{ROOT}/data/common.yaml").into();
    let question = Question { path: Some(path), key: Some("a".into()), ..Question::default() };
    let preview = ask(&world, &question).expect("there is a key");
    let again = super::tests::fixture(&format!("#- /data/common.yaml\n{}", preview.text));
    let value = |fixture: &Fixture| {
        let world = fixture.world();
        let environment = world.environments()[0].clone();
        let evaluator = world.active_evaluator(&environment);
        evaluator.lookup("a").outcome.expect("it succeeds").expect("it is there").value
    };
    assert_eq!(value(&fixture), value(&again), "{}", preview.text);
}

#[test]
fn a_preview_of_a_huge_value_ends() {
    let items = |item: &str| vec![item; 330].join(", ");
    let files =
        format!("#- /data/common.yaml\nsmall: &a [{}]\nlar$0ge: [{}]\n", items("1"), items("*a"));
    let fixture = fixture(&files);
    let preview = ask(&fixture.world(), &at_cursor(&fixture)).expect("there is a key");
    assert_is_consistent(&preview);
    let end =
        "# The preview ends here, after 100000 lines. `hiera-ls lookup` prints the whole value.";
    assert_eq!(preview.text.lines().last(), Some(end));
    assert_eq!(preview.text.lines().count(), 100_001);
}

#[test]
fn a_case_of_a_large_value_shows_what_differs() {
    check(
        "#- /.hiera-ls.yaml\nnodes: {}\n\
         #- /data/roles/web.yaml\nk: {e: {g: 8, h: 9}, s: 'ENC[x]'}\n\
         #- /data/roles/db.yaml\nk: {a: {b: 2}}\n\
         #- /data/common.yaml\nlookup_options: {k: {merge: deep}}\n\
         k$0: {a: {b: 1, c: 2, d: 3}, e: {f: 4, g: 5}, i: 7, s: 'ENC[y]'}\n",
        &expect![[r"
            # k for any node
            # merge strategy deep, set in data/common.yaml:1

            k:
              a:
                b: 1  # data/common.yaml:2
                c: 2  # data/common.yaml:2
                d: 3  # data/common.yaml:2
              e:
                f: 4  # data/common.yaml:2
                g: 5  # data/common.yaml:2
              i: 7  # data/common.yaml:2
              s: ENC[…] (encrypted, not shown)  # data/common.yaml:2
            # k: if role is db, the same but with
            # k:  # if role is db
            #   a:  # if role is db
            #     b: 2  # if role is db · data/roles/db.yaml:1
            # k: if role is web, the same but with
            # k:  # if role is web
            #   e:  # if role is web
            #     g: 8  # if role is web · data/roles/web.yaml:1
            #     h: 9  # if role is web · data/roles/web.yaml:1
            #   s: ENC[…] (encrypted, not shown)  # if role is web · data/roles/web.yaml:1
        "]],
    );
    check(
        "#- /.hiera-ls.yaml\nnodes: {}\n\
         #- /data/roles/ci.yaml\nk: [1, 2, 3, 4, 6]\n\
         #- /data/common.yaml\nk$0: [1, 2, 3, 4, 5, 6]\n",
        &expect![[r"
            # k for any node

            k:
              - 1  # data/common.yaml:1
              - 2  # data/common.yaml:1
              - 3  # data/common.yaml:1
              - 4  # data/common.yaml:1
              - 5  # data/common.yaml:1
              - 6  # data/common.yaml:1
            # k: if role is ci, the same without 5
        "]],
    );
}

#[test]
fn a_file_that_only_some_nodes_read_names_them() {
    let check_file = |levels: &str, expected: &Expect| {
        let fixture = fixture(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy:\n{levels}- {{name: Common, path: common.yaml}}\n\
             #- /.hiera-ls.yaml\nnodes: {{}}\n#- /data/os/RedHat.yaml\na$0: 1\n#- /data/common.yaml\nb: 1\n"
        ));
        let question = Question { scope: Scope::File, ..at_cursor(&fixture) };
        expected.assert_eq(&ask(&fixture.world(), &question).expect("the file has keys").text);
    };
    check_file(
        "- {name: OS, paths: ['os/%{facts.os.name}.yaml', 'os/%{facts.os.family}.yaml']}\n",
        &expect![[r"
            # keys of data/os/RedHat.yaml for any node where facts.os.name is RedHat, or where facts.os.family is RedHat

            a: 1  # data/os/RedHat.yaml:1
        "]],
    );
    check_file(
        "- {name: Groups, mapped_paths: [facts.groups, group, 'os/%{group}.yaml']}\n",
        &expect![[r"
            # keys of data/os/RedHat.yaml for any node where groups contains RedHat

            a: 1  # data/os/RedHat.yaml:1
        "]],
    );
}

#[test]
fn a_file_that_two_levels_lead_to_is_shown_once() {
    check(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: One, path: common.yaml}\n- {name: Two, glob: '*.yaml'}\n\
         #- /data/common.yaml\na$0: 1\n#- /data/last.yaml\na: 2\n",
        &expect![[r"
            # a for node web01, environment production
            # merge strategy first, by default

            a: 1  # data/common.yaml:1
            # a: 2  # data/last.yaml:1 · overridden
        "]],
    );
}

#[test]
fn a_conversion_that_is_not_evaluated_here_is_not_known() {
    check(
        "#- /data/common.yaml\nlookup_options: {k: {convert_to: URI}}\nk$0: a\n",
        &expect![[r"
            # k for node web01, environment production
            # converted to URI

            # k: the result is not known
            # what URI.new() gives is not known here
        "]],
    );
}
