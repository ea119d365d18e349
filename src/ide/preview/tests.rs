//! Previews, explanations and comparisons of small repositories, as text.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::data::Files;
use crate::engine::CancelToken;
use crate::ide::fixture::Fixture;
use crate::ide::fixture_world::ROOT;
use crate::world::{Change, Host, MemoryDisk, World};

const HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: Roles
    path: 'roles/%{role}.yaml'
  - name: Common
    path: common.yaml
#- /.hiera-ls.yaml
nodes:
  web01: {facts: {os: {family: Debian}}, variables: {role: web}}
  web02: {facts: {os: {family: Debian}}, variables: {role: web}}
  db01: {facts: {os: {family: RedHat}}, variables: {role: db}}
";

fn fixture(files: &str) -> Fixture {
    Fixture::parse(&format!("{HIERARCHY}{files}"))
}

/// The question that the cursor of a fixture asks.
fn at_cursor(fixture: &Fixture) -> Question {
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    Question { path: Some(file.world_path().into()), offset: Some(offset), ..Question::default() }
}

fn ask(world: &Arc<World>, question: &Question) -> Option<Preview> {
    merged_value(world, question, &CancelToken::default()).expect("the node is there")
}

#[track_caller]
fn check(files: &str, expected: &Expect) -> (Arc<World>, Preview) {
    let fixture = fixture(files);
    let world = fixture.world();
    let preview = ask(&world, &at_cursor(&fixture)).expect("there is a key");
    assert_is_consistent(&preview);
    expected.assert_eq(&preview.text);
    (world, preview)
}

/// Lines are in order, origins are comments of their lines.
#[track_caller]
fn assert_is_consistent(preview: &Preview) {
    let lines: Vec<&str> = preview.text.lines().collect();
    assert!(preview.lines.windows(2).all(|pair| pair[0].line < pair[1].line));
    for line in &preview.lines {
        let text = lines[line.line as usize];
        if let Some(origin) = line.origin {
            assert!(origin.slice(text).starts_with("# "), "{text}");
            assert_eq!(origin.end as usize, text.len());
        }
    }
}

/// What stands at the places of all lines that have one: `number file:text`.
fn places(world: &Arc<World>, preview: &Preview) -> Vec<String> {
    let shown = |line: &PreviewLine| {
        let place = line.place?;
        let path = world.path(place.file);
        let text = world.text(&path).ok()?;
        let path = path.strip_prefix(ROOT).unwrap_or(&path);
        Some(format!("{} {path}:{}", line.line, place.range.slice(&text)))
    };
    preview.lines.iter().filter_map(shown).collect()
}

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

/// The place under the cursor names the key, however the text looks.
#[track_caller]
fn check_key(files: &str, expected: Option<&str>) {
    let fixture = fixture(files);
    let preview = ask(&fixture.world(), &at_cursor(&fixture));
    assert_eq!(preview.and_then(|preview| preview.key).as_deref(), expected);
}

#[test]
fn keys_under_the_cursor() {
    check_key("#- /data/common.yaml\na: {b: [1, {c$0: 2}]}\n", Some("a"));
    check_key("#- /data/common.yaml\n'a.b'$0: 1\n", Some("'a.b'"));
    check_key("#- /data/common.yaml\na: \"😀%{lookup('b.c$0')}\"\n", Some("b.c"));
    check_key("#- /data/common.yaml\r\na: 1\r\nb:\r\n  - $0x\r\n", Some("b"));
    check_key("#- /data/common.yaml\nx: &x {k: 1}\na:\n  <<: *x$0\n", Some("a"));
    check_key("#- /data/common.yaml\na:\n  b: [\n  $0\nc: 1\n", Some("a"));
    check_key("#- /data/common.yaml\na: 1\n\n$0\nb: 1\n", Some("a"));
    check_key("#- /data/common.yaml\nlookup_options:\n  b$0: {merge: deep}\n", Some("b"));
    check_key("#- /data/common.yaml\n$0\na: 1\n", None);
    let json = "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: j, data_hash: json_data, path: j.json}\n#- /data/j.json\n{\"a\": {\"b\": $01}}\n";
    check_key(json, Some("a"));
    let hocon = "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: h, data_hash: hocon_data, path: h.conf}\n#- /data/h.conf\na { b = $01 }\n";
    check_key(hocon, Some("a"));
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

#[test]
fn all_keys_of_a_file() {
    let fixture = fixture(
        "#- /data/common.yaml\nlookup_options: {b: {merge: unique}}\n$0a: 1\nb: [x]\n#- /data/nodes/web01.yaml\nb: [y]\n",
    );
    let question = Question { scope: Scope::File, ..at_cursor(&fixture) };
    let preview = ask(&fixture.world(), &question).expect("it is a data file");
    assert_is_consistent(&preview);
    expect![[r#"
        # keys of data/common.yaml for node web01, environment production

        a: 1  # data/common.yaml:2

        # merge strategy unique, set in data/common.yaml:1
        b:
          - "y"  # data/nodes/web01.yaml:1
          - x  # data/common.yaml:3
    "#]]
    .assert_eq(&preview.text);
}

#[test]
fn everything_that_a_node_gets() {
    let fixture = fixture(
        "#- /data/common.yaml\nzone: 1\nntp::server::pool: x\nntp::ensure: y\napache::port: 80\n#- /data/nodes/db01.yaml\nonly::db: 1\n#- /data/roles/web.yaml\napache::port: 8080\n",
    );
    let question = Question { scope: Scope::Node, ..Question::default() };
    let preview = ask(&fixture.world(), &question).expect("there is a node");
    assert_is_consistent(&preview);
    expect![[r#"
        # everything that node web01, environment production gets

        # == no module ==
        zone: 1  # data/common.yaml:1

        # == module apache ==
        apache::port: 8080  # data/roles/web.yaml:1
        # apache::port: 80  # data/common.yaml:4 · overridden

        # == module ntp ==
        ntp::ensure: "y"  # data/common.yaml:3

        # -- class ntp::server --
        ntp::server::pool: x  # data/common.yaml:2
    "#]]
    .assert_eq(&preview.text);
    let db = Question { node: Some("db01".into()), ..question.clone() };
    let preview = ask(&fixture.world(), &db).expect("there is a node");
    assert!(preview.text.contains("only::db: 1"));
    let unknown = Question { node: Some("nobody".into()), ..question };
    let error = merged_value(&fixture.world(), &unknown, &CancelToken::default());
    assert_eq!(error, Err(UnknownNode("nobody".into())));
}

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
        the value: ["ENC[…] (encrypted, not shown)", "Debian"]
    "#]]
    .assert_eq(&explained.preview.text);
    let found = explained.preview.lines.iter().filter(|line| line.kind == LineKind::Value);
    let found = Preview { lines: found.cloned().collect(), ..explained.preview.clone() };
    expect![[r#"
        [
            "5 /data/common.yaml:{a: {merge: unique}}",
            "11 /data/common.yaml:{a: {merge: unique}}",
            "19 /data/nodes/web01.yaml:'ENC[PKCS7,MIIB]'",
            "23 /data/common.yaml:[\"%{facts.os.family}\"]",
        ]
    "#]]
    .assert_debug_eq(&places(&world, &found));
}

#[test]
fn nodes_are_grouped_by_value_and_the_rare_ones_come_first() {
    let fixture = fixture(
        "#- /data/common.yaml\na$0: 1\n#- /data/nodes/web02.yaml\na: 2\n#- /data/nodes/db01.yaml\na: '%{lookup(\"a\")}'\n",
    );
    let all = all_nodes(&fixture.world(), &at_cursor(&fixture), &CancelToken::default())
        .expect("no node is asked for")
        .expect("there is a key");
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
    let fixture = fixture("#- /data/common.yaml\na$0: 1\nb: 1\n");
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
    let compared = |key: &str| {
        compare(&host.snapshot(), &question(key), &Counterpart::Saved, &CancelToken::default())
            .expect("no node is asked for")
            .expect("there is a key")
    };
    let comparison = compared("a");
    expect![[r"
        --- a · saved
        +++ a · unsaved
        @@ -1,1 +1,1 @@
        -a: 1  # data/common.yaml:1
        +a: 2  # data/common.yaml:2
    "]]
    .assert_eq(&comparison.diff.text);
    assert!(!compared("b").differs, "other lines have moved, and nothing else");
}

/// A preview is YAML, and says what the lookup says.
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
        let evaluator = world.active_evaluator(&environment).expect("there is a node");
        evaluator.lookup("a").outcome.expect("it succeeds").expect("it is there").value
    };
    assert_eq!(value(&fixture), value(&again), "{}", preview.text);
}
