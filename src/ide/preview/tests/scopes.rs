//! The scopes of requests: the key under the cursor, all keys of a file, all keys of a node.

use super::*;

/// The cursor determines the key, whatever the text looks like.
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

/// A lookup names such a key in quotes, but the quotes are no part of the key.
#[test]
fn keys_with_dots_are_written_as_in_data() {
    let fixture = fixture("#- /data/common.yaml\n$0a.b: 1\n'c: d.e': {x.y: 2}\n'yes': 3\n");
    let question = Question { scope: Scope::File, ..at_cursor(&fixture) };
    let preview = ask(&fixture.world(), &question).expect("it is a data file");
    expect![[r"
        # keys of data/common.yaml for node web01, environment production

        a.b: 1  # data/common.yaml:1

        'c: d.e':
          x.y: 2  # data/common.yaml:2

        'yes': 3  # data/common.yaml:3
    "]]
    .assert_eq(&preview.text);
    let question = Question { scope: Scope::Key, ..question };
    let preview = ask(&fixture.world(), &question).expect("it is a key");
    expect![[r"
        # 'a.b' for node web01, environment production

        a.b: 1  # data/common.yaml:1
    "]]
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
        # everything that node web01 gets in environment production

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
fn the_classes_of_a_node_with_what_is_missing_first() {
    let fixture = fixture(
        "#- /data/common.yaml\nweb::port: 80\nweb::bad: x\n#- /manifests/site.pp\ninclude web\nnode 'web01' { if $x { include extra } class { 'web::own': port => 1 } }\n\
         #- /modules/web/manifests/init.pp\n\
         class web($owner, Integer $port, $mode = 'x', $user = $mode, Integer $bad) { include web::none }\n\
         #- /modules/web/manifests/own.pp\nclass web::own($port = 2, $mode = 'y') { }\n",
    );
    let question = Question { scope: Scope::Node, ..Question::default() };
    let preview = ask(&fixture.world(), &question).expect("there is a node");
    assert_is_consistent(&preview);
    expect![[r#"
        # everything that node web01 gets in environment production

        # == classes ==
        # no catalog: Puppet refuses modules/web/manifests/init.pp:1: Could not find class ::web::none
        # missing: web::owner: expects a value for parameter 'owner'
        # refused: web::bad: parameter 'bad' expects an Integer value, got String
        # -- class web, included in manifests/site.pp:1 --
        #   owner: missing
        #   port: 80 from data/common.yaml:1
        #   mode: "x" by default
        #   user: computed by code
        #   bad: "x" from data/common.yaml:2
        # -- class web::own, included in manifests/site.pp:2 --
        #   port: 2 by default, unless code sets it
        #   mode: "y" by default
        # -- class web::none, which is not here, included in modules/web/manifests/init.pp:1 --
        # -- perhaps class extra, which is not here, included in manifests/site.pp:2 --

        # == module web ==
        web::bad: x  # data/common.yaml:2
        web::port: 80  # data/common.yaml:1
    "#]]
    .assert_eq(&preview.text);
}

#[test]
fn the_classes_of_a_node_are_not_known_if_puppet_refuses_the_manifest() {
    let preview = |site: &str| {
        let fixture = fixture(&format!(
            "#- /data/common.yaml\nx: 1\n#- /manifests/site.pp\n{site}\n\
             #- /modules/web/manifests/init.pp\nclass web {{\n"
        ));
        let question = Question { scope: Scope::Node, ..Question::default() };
        let preview = ask(&fixture.world(), &question).expect("there is a node");
        assert_is_consistent(&preview);
        preview.text
    };
    let broken = preview("include web\nnode web01 {");
    let line = "# not known: Puppet refuses manifests/site.pp:3: Syntax error at end of input\n";
    assert!(broken.contains(line), "{broken}");
    let of_class = preview("include web");
    let line = "# no catalog: Puppet refuses modules/web/manifests/init.pp:2: Syntax error at end of input\n";
    assert!(of_class.contains(line), "{of_class}");
}

#[test]
fn a_parameter_whose_conversion_is_not_evaluated_here_is_not_known() {
    let fixture = fixture(
        "#- /data/common.yaml\nlookup_options: {web::u: {convert_to: URI}}\nweb::u: x\n\
         #- /manifests/site.pp\ninclude web\n#- /modules/web/manifests/init.pp\nclass web(URI $u) { }\n",
    );
    let question = Question { scope: Scope::Node, ..Question::default() };
    let preview = ask(&fixture.world(), &question).expect("there is a node");
    let line = "u: the result is not known: what URI.new() gives is not known here";
    assert!(preview.text.contains(line), "{}", preview.text);
}
