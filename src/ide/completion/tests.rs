//! The suggestions at some places.

use super::*;
use crate::ide::fixture::Fixture;

const HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: Common
    path: common.yaml
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian, 'a.b': 1}, uptime: 5}}}
#- /data/nodes/web01.yaml
ntp::servers: [a]
time::mode: pool
time::on: true
ntp::users: {root: {uid: 0}, 'x.y': 1}
secret: ENC[PKCS7,abc]
#- /data/nodes/db01.yaml
time::mode: two words
";

#[track_caller]
fn complete(files: &str) -> (FixtureText, Completions, Arc<World>) {
    let fixture = Fixture::parse(&format!("{HIERARCHY}{files}"));
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let world = fixture.world();
    let path = file.world_path();
    let found = completion(&world, &path, offset, &CancelToken::default());
    (FixtureText { text: file.text.clone(), path }, found, world)
}

struct FixtureText {
    text: Arc<str>,
    path: String,
}

/// `expected`: the edited line after each suggestion, with `|` at the cursor.
#[track_caller]
fn check(files: &str, expected: &[&str]) {
    let (file, found, _) = complete(files);
    let lines = found.items.iter().map(|item| {
        let start = file.text[..item.range.start as usize].rfind('\n').map_or(0, |at| at + 1);
        let before = &file.text[start..item.range.start as usize];
        let behind = file.text[item.range.end as usize..].lines().next().unwrap_or("");
        let cursor = if item.insert_behind.is_empty() { "" } else { "|" };
        format!("{before}{}{cursor}{}{behind}", item.insert, item.insert_behind)
    });
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}

/// Checks only that these labels exist, with their details.
#[track_caller]
fn check_details(files: &str, expected: &[(&str, Option<&str>)]) {
    let (_, found, _) = complete(files);
    for (label, detail) in expected {
        let item = found.items.iter().find(|item| item.label == *label);
        let item = item.unwrap_or_else(|| panic!("{label} is missing in {:?}", found.items));
        assert_eq!(item.detail.as_deref(), *detail, "{label}");
    }
}

#[test]
fn keys_in_calls() {
    check(
        "#- /data/common.yaml\na: \"%{lookup('ntp$0')}\"\n",
        &["a: \"%{lookup('ntp::users')}\"", "a: \"%{lookup('ntp::servers')}\""],
    );
    // The string's own quotes, as they are written in it.
    check(
        "#- /data/common.yaml\na: \"%{lookup(\\\"ntp$0\\\")}\"\n",
        &["a: \"%{lookup(\\\"ntp::users\\\")}\"", "a: \"%{lookup(\\\"ntp::servers\\\")}\""],
    );
    check(
        "#- /data/common.yaml\na: 'it''s %{lookup(''b'')} %{lookup(''ntp$0'')}'\n",
        &[
            "a: 'it''s %{lookup(''b'')} %{lookup(''ntp::users'')}'",
            "a: 'it''s %{lookup(''b'')} %{lookup(''ntp::servers'')}'",
        ],
    );
    check("#- /data/common.yaml\na: '%{scope(''upt$0'')}'\n", &["a: '%{scope(''uptime'')}'"]);
    check("#- /data/common.yaml\na: '%{alias(\"ntp::serv$0", &["a: '%{alias(\"ntp::servers"]);
    check(
        "#- /data/common.yaml\na: \"%{lookup('ntp::users.$0')}\"\n",
        &["a: \"%{lookup('ntp::users.\\\"x.y\\\"')}\"", "a: \"%{lookup('ntp::users.root')}\""],
    );
    check(
        "#- /data/common.yaml\na: [\n  \"%{hiera('ntp::users.root.u$0\n",
        &["  \"%{hiera('ntp::users.root.uid"],
    );
    check("#- /data/common.yaml\na: \"%{lookup('nope$0')}\"\n", &[]);
}

#[test]
fn quotes_of_segments_are_escaped_in_the_string() {
    let node = "#- /data/nodes/web01.yaml\nq.r: {'x.y': {z: 1}}\n";
    let line = |line: &str| format!("{node}#- /data/common.yaml\n{line}\n");
    check(&line("a: \"%{lookup('q$0')}\""), &["a: \"%{lookup('\\\"q.r\\\"')}\""]);
    check(&line("a: '%{lookup(\"q$0\")}'"), &["a: '%{lookup(\"''q.r''\")}'"]);
    // The string has no end yet.
    check(&line("a: \"%{lookup('q$0"), &["a: \"%{lookup('\\\"q.r\\\""]);
    check(&line("a: |\n  \"%{lookup('q$0')}\""), &["  \"%{lookup('\"q.r\"')}\""]);
    check(
        &line("a: \"%{lookup('\\\"q.r\\\".\\\"x.y\\\".$0')}\""),
        &["a: \"%{lookup('\\\"q.r\\\".\\\"x.y\\\".z')}\""],
    );
    check(
        "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: c.json, data_hash: json_data}]\n\
         #- /data/c.json\n{\"q.r\": 1,\n\"a\": \"%{lookup('q$0')}\"}\n",
        &["\"a\": \"%{lookup('\\\"q.r\\\"')}\"}"],
    );
}

#[test]
fn quotes_of_facts_fit_into_the_string() {
    let facts = "#- /.hiera-ls.yaml\nnode: web01\nnodes: {web01: {facts: {n: {'eth0.1': {ip: x}, \"a.b'\": 1, 'c.\"': 1}}}}\n";
    let line = |line: &str| format!("{facts}#- /data/common.yaml\n{line}\n");
    check(&line("a: \"%{facts.n.eth$0}\""), &["a: \"%{facts.n.'eth0.1'}\""]);
    check(&line("a: '%{facts.n.eth$0}'"), &["a: '%{facts.n.\"eth0.1\"}'"]);
    check(&line("a: b %{facts.n.eth$0}"), &["a: b %{facts.n.'eth0.1'}"]);
    check(
        &line("a: \"%{scope('facts.n.eth$0')}\""),
        &["a: \"%{scope('facts.n.\\\"eth0.1\\\"')}\""],
    );
    check(&line("a: '%{scope(\"facts.n.eth$0\")}'"), &["a: '%{scope(\"facts.n.''eth0.1''\")}'"]);
    // No quotes can hold the other names within the string.
    check(&line("a: \"%{facts.n.$0}\""), &["a: \"%{facts.n.'eth0.1'}\""]);
    check(&line("a: \"%{scope('facts.n.$0')}\""), &["a: \"%{scope('facts.n.\\\"eth0.1\\\"')}\""]);
    // What is in a member with quotes.
    check(&line("a: \"%{facts.n.'eth0.1'.$0}\""), &["a: \"%{facts.n.'eth0.1'.ip}\""]);
    check(&line("a: '%{facts.n.''eth0.1''.$0}'"), &["a: '%{facts.n.''eth0.1''.ip}'"]);
    check(&line("a: \"%{facts.n.\\\"eth0.1\\\".$0}\""), &["a: \"%{facts.n.\\\"eth0.1\\\".ip}\""]);
    check(&line("a: \"%{facts 'n'.$0}\""), &[]);
    check(
        &format!(
            "{facts}#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: a, path: \"%{{facts.n.eth$0}}\"}}]\n"
        ),
        &["hierarchy: [{name: a, path: \"%{facts.n.'eth0.1'}\"}]"],
    );
    check(
        &format!(
            "{facts}#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: c.json, data_hash: json_data}}]\n\
                  #- /data/c.json\n{{\"a\": \"%{{facts.n.eth$0}}\"}}\n"
        ),
        &["{\"a\": \"%{facts.n.'eth0.1'}\"}"],
    );
    check(
        &format!(
            "{facts}#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: c.conf, data_hash: hocon_data}}]\n\
                  #- /data/c.conf\na = \"%{{facts.n.eth$0}}\"\n"
        ),
        &["a = \"%{facts.n.'eth0.1'}\""],
    );
}

#[test]
fn keys_in_calls_without_quotes() {
    let line = |line: &str| format!("#- /data/common.yaml\n{line}\n");
    check(&line("a: \"%{lookup(ntp::serv$0)}\""), &["a: \"%{lookup('ntp::servers')}\""]);
    check(&line("a: \"%{lookup(ntp::serv$0"), &["a: \"%{lookup('ntp::servers')}"]);
    check(&line("a: '%{alias(ntp::serv$0}'"), &["a: '%{alias(\"ntp::servers\")}'"]);
    check(&line("a: \"%{scope($0)}\""), &[]);
    check_details(&line("a: \"%{lookup($0"), &[("ntp::servers", None), ("ntp::users", None)]);
}

#[test]
fn names_of_facts_without_fact_sets() {
    let none = "#- /.hiera-ls.yaml\nnode: null\n#- /hiera.yaml\nversion: 5\nhierarchy:\n\
                - {name: a, path: '%{facts.os.name}/%{facts.role}/%{trusted.extensions.pp_role}.yaml'}\n\
                - {name: c, path: common.yaml}\n#- /data/common.yaml\nb: '%{facts.site.name} %{::tier}'\n";
    let line = |line: &str| format!("{none}{line}\n");
    check_details(&line("a: '%{facts.$0}'"), &[("os", None), ("role", None), ("site", None)]);
    check(&line("a: '%{facts.os.na$0}'"), &["a: '%{facts.os.name}'"]);
    check(&line("a: '%{facts.site.$0}'"), &["a: '%{facts.site.name}'"]);
    check(&line("a: '%{trusted.extensions.$0}'"), &["a: '%{trusted.extensions.pp_role}'"]);
    check(&line("a: '%{tie$0}'"), &["a: '%{title}'", "a: '%{tier}'"]);
    check(&line("a: '%{facts.nothing$0}'"), &[]);
}

#[test]
fn functions_have_the_other_quote() {
    check("#- /data/common.yaml\na: \"%{loo$0", &["a: \"%{lookup('|')}"]);
    check("#- /data/common.yaml\na: '%{loo$0}'\n", &["a: '%{lookup(\"|\")}'"]);
    check("#- /data/common.yaml\na: '%{alia$0}'\n", &["a: '%{alias(\"|\")}'"]);
    check("#- /data/common.yaml\na: 'x %{alia$0}'\n", &[]);
}

#[test]
fn functions_complete_what_their_token_lacks() {
    check("#- /data/common.yaml\na: {k: \"%{loo$0\"}\n", &["a: {k: \"%{lookup('|')}\"}"]);
    check("#- /data/common.yaml\na: \"%{loo$0 %{b}\"\n", &["a: \"%{lookup('|')} %{b}\""]);
    check("#- /data/common.yaml\na: \"%{loo$0('b')}\"\n", &["a: \"%{lookup('b')}\""]);
}

#[test]
fn variables_with_their_values() {
    check_details(
        "#- /data/common.yaml\na: '%{$0}'\n",
        &[("uptime", Some("5")), ("lookup", Some("the value of a key, as text"))],
    );
    check_details("#- /data/common.yaml\na: '%{facts.os.$0}'\n", &[("family", Some("\"Debian\""))]);
    check("#- /data/common.yaml\na: '%{facts.os.fam$0}'\n", &["a: '%{facts.os.family}'"]);
    check("#- /data/common.yaml\na: '%{::upti$0me}'\n", &["a: '%{::uptime}'"]);
    check("#- /data/common.yaml\na: \"%{scope('upt$0')}\"\n", &["a: \"%{scope('uptime')}\""]);
}

#[test]
fn facts_of_all_nodes_while_none_is_chosen() {
    let nodes = "#- /.hiera-ls.yaml\nnodes:\n  web01: {facts: {os: {family: Debian}, role: web}}\n  \
                 db01: {facts: {os: {family: RedHat}, disks: 2}}\n";
    let line = |line: &str| format!("{nodes}#- /data/common.yaml\n{line}\n");
    check_details(&line("a: '%{facts.os.$0}'"), &[("family", Some("\"Debian\", \"RedHat\""))]);
    check_details(&line("a: '%{$0}'"), &[("disks", Some("2")), ("role", Some("\"web\""))]);
    check_details(&line("a: '%{trusted.$0}'"), &[("certname", Some("\"web01\", \"db01\""))]);
    check(
        &format!("{nodes}#- /hiera.yaml\nversion: 5\nhierarchy: [{{path: '%{{facts.r$0}}'}}]\n"),
        &["hierarchy: [{path: '%{facts.role}'}]"],
    );
    // Without fact sets, no name is known.
    let none = "#- /.hiera-ls.yaml\nnode: null\n#- /data/common.yaml\n";
    check_details(&format!("{none}a: '%{{tr$0}}'\n"), &[("trusted", None)]);
    check_details(&format!("{none}a: '%{{trusted.$0}}'\n"), &[("certname", None)]);
}

#[test]
fn root_keys() {
    check("#- /data/common.yaml\nntp::servers: 1\nntp$0\n", &["ntp::users:"]);
    check("#- /data/common.yaml\nntp::u$0: 1\n", &["ntp::users: 1"]);
    check("#- /data/common.yaml\nlook$0", &["lookup_options:"]);
    check("#- /data/common.yaml\nbroken: [\n'ntp::s$0'\n", &["'ntp::servers'", "'ntp::users'"]);
}

#[test]
fn root_keys_in_json() {
    let json = |text: &str| {
        format!(
            "{WEB}#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {{name: j, path: j.json, data_hash: json_data}}\n  \
             - {{name: c, path: common.yaml}}\n#- /data/common.yaml\nntp::a: 1\nntp::\"b\\: 1\n#- /data/j.json\n{text}\n"
        )
    };
    check(&json("{\"ntp$0\"}"), &["{\"ntp::a\"}", "{\"ntp::\\\"b\\\\\"}"]);
    check(&json("{\"ntp::a\": 1, \"ntp$0\"}"), &["{\"ntp::a\": 1, \"ntp::\\\"b\\\\\"}"]);
    check(&json("{\n  \"ntp::a$0\n}"), &["  \"ntp::a\":"]);
    check(&json("{\"look$0\": {}}"), &["{\"lookup_options\": {}}"]);
    check(&json("{\"web$0\"}"), &["{\"web::\"}"]);
    check(&json("{\n  \"web::server::modes$0\n}"), &["  \"web::server::modes\":"]);
    check_details(
        &json("{\"web::server::p$0\"}"),
        &[("web::server::port", Some("Integer[1, 65535] = 80"))],
    );
    check(&json("{\"a\": \"ntp$0\"}"), &[]);
    check(&json("{\"a\": {\"ntp$0\"}}"), &[]);
}

#[test]
fn keys_are_escaped_in_open_quotes() {
    let line = |line: &str| {
        format!(
            "#- /data/nodes/web01.yaml\nq::it's: 1\n'q::\"x\\': {{\"it's\": 1}}\n#- /data/common.yaml\n{line}\n"
        )
    };
    check(&line("lookup_options:\n  'q::it$0'"), &["  'q::it''s'"]);
    check(&line("lookup_options:\n  'q::it$0"), &["  'q::it''s':"]);
    check(&line("'q::it$0'"), &["'q::it''s'"]);
    check(&line("\"q::$0\": 1"), &["\"q::\\\"x\\\\\": 1", "\"q::it's\": 1"]);
    check(&line("'q::\"x\\':\n  'i$0'"), &["  'it''s'"]);
}

#[test]
fn members_of_the_same_hash() {
    check("#- /data/common.yaml\nntp::users:\n  ro$0\n", &["  root:"]);
    check("#- /data/common.yaml\nntp::users:\n  root:\n    $0\n", &["    uid:"]);
    // Without the space, YAML would not take the text after it for a value.
    check("#- /data/common.yaml\nntp::users: {ro$0}\n", &["ntp::users: {root: }"]);
    check("#- /data/common.yaml\nntp::users: {x: 1, \"ro$0\n", &["ntp::users: {x: 1, \"root\": "]);
    check("#- /data/common.yaml\nntp::users: {ro$0: 1}\n", &["ntp::users: {root: 1}"]);
    check("#- /data/common.yaml\nntp::users: {ro$0 }\n", &["ntp::users: {root: }"]);
    check("#- /data/common.yaml\nntp::users:\n  root:\n    $0\n    uid: 1\n", &[]);
    check("#- /data/common.yaml\nntp::users: {root: {uid: 1, $0}}\n", &[]);
}

#[test]
fn lookup_options() {
    check("#- /data/common.yaml\nlookup_options:\n  ntp::us$0\n", &["  ntp::users:"]);
    check("#- /data/common.yaml\nlookup_options:\n  ntp::users:\n    m$0\n", &["    merge:"]);
    check(
        &format!("{WEB}#- /data/common.yaml\nlookup_options:\n  web::server::m$0\n"),
        &["  web::server::modes:", "  web::server::mode:"],
    );
    check(
        "#- /data/common.yaml\nlookup_options: {a: {convert_to: Time$0}}\n",
        &[
            "lookup_options: {a: {convert_to: Timestamp}}",
            "lookup_options: {a: {convert_to: Timespan}}",
        ],
    );
    check(
        "#- /data/common.yaml\nlookup_options:\n  ntp::users:\n    merge: deep\n    $0\n",
        &["    convert_to:"],
    );
    check("#- /data/common.yaml\nlookup_options:\n  a:\n    merge: de$0\n", &["    merge: deep"]);
    check(
        "#- /data/common.yaml\nlookup_options:\n  a:\n    merge:$0\n",
        &["    merge: first", "    merge: unique", "    merge: hash", "    merge: deep"],
    );
    check(
        "#- /data/common.yaml\nlookup_options: {a: {merge: {strat$0\n",
        &["lookup_options: {a: {merge: {strategy: "],
    );
    check(
        "#- /data/common.yaml\nlookup_options:\n  a:\n    merge:\n      strategy: u$0\n",
        &["      strategy: unique"],
    );
}

/// Puppet refuses options of any other strategy.
#[test]
fn only_deep_merges_have_options() {
    let block = |strategy: &str| {
        format!(
            "#- /data/common.yaml\nlookup_options:\n  a:\n    merge:\n      strategy: {strategy}\n      $0\n"
        )
    };
    let deep = ["      knockout_prefix:", "      sort_merged_arrays:", "      merge_hash_arrays:"];
    check(&block("deep"), &deep);
    check(&block("'reverse_deep' # x"), &deep);
    check(&block("hash"), &[]);
    check(&block("\"unique\""), &[]);
    check("#- /data/common.yaml\nlookup_options: {a: {merge: {strategy: first, $0\n", &[]);
    check(
        "#- /data/common.yaml\nlookup_options: {a: {merge: {strategy: deep, k$0\n",
        &["lookup_options: {a: {merge: {strategy: deep, knockout_prefix: "],
    );
    let line =
        "#- /data/common.yaml\nlookup_options: {a: {merge: {strategy: deep, sort_merged_arrays: ";
    let (_, found, _) = complete(&format!("{line}'$0\n"));
    assert_eq!(found.items, []);
}

#[test]
fn arguments_of_convert_to() {
    let list = |begin: &str| {
        format!("#- /data/common.yaml\nlookup_options: {{a: {{convert_to: [{begin}$0]}}}}\n")
    };
    let check = |begin: &str, expected: &[&str]| {
        let (_, found, _) = complete(&list(begin));
        let labels: Vec<&str> = found.items.iter().map(|it| &*it.label).collect();
        assert_eq!(labels, expected, "{begin}");
    };
    check("Arr", &["Array"]);
    check("Array, ", &["true", "false"]);
    check("'Array[Integer, 1]', t", &["true"]);
    check("Integer, ", &["2", "8", "10", "16"]);
    check("Integer, 16, ", &["true", "false"]);
    check("\"Numeric\", f", &["false"]);
    check("String, ", &[]);
    check("Array, true, ", &[]);
    let lines = |items: &str| {
        let (_, found, _) = complete(&format!(
            "#- /data/common.yaml\nlookup_options:\n  a:\n    convert_to:\n{items}$0\n"
        ));
        found.items.iter().map(|it| it.label.clone()).collect::<Vec<_>>()
    };
    assert_eq!(lines("      - Flo"), ["Float"]);
    assert_eq!(lines("    - Array # a list\n    - "), ["true", "false"]);
}

#[test]
fn values_seen_at_other_levels() {
    check(
        "#- /data/common.yaml\ntime::mode: $0\n",
        &["time::mode: pool", "time::mode: 'two words'"],
    );
    check("#- /data/common.yaml\ntime::mode: 'two$0\n", &["time::mode: 'two words"]);
    check("#- /data/common.yaml\ntime::on: $0\n", &["time::on: false", "time::on: true"]);
    check("#- /data/common.yaml\nntp::servers:\n  - $0\n", &["  - a"]);
    check("#- /data/common.yaml\nntp::servers: [x, $0]\n", &["ntp::servers: [x, a]"]);
    check(
        "#- /data/common.yaml\nntp::users: {root: {uid: $0}}\n",
        &["ntp::users: {root: {uid: 0}}"],
    );
    check("#- /data/common.yaml\nsecret: $0\n", &[]);
    check_details(
        "#- /data/common.yaml\ntime::mode: $0\n",
        &[("pool", Some("in data/nodes/web01.yaml"))],
    );
}

#[test]
fn patterns_and_new_entries_of_lookup_options() {
    check("#- /data/common.yaml\nlookup_options:\n  ^n$0\n", &["  '^ntp::':"]);
    let check_entry = |text: &str, expected: &str| {
        let (_, found, _) = complete(&format!("#- /data/common.yaml\n{text}"));
        let snippet = found.items.iter().find(|it| it.kind == CompletionKind::Snippet);
        let snippet = snippet.expect("a new entry");
        assert_eq!((&*snippet.insert, &*snippet.insert_behind), ("", expected), "{text}");
    };
    check_entry("lookup_options:\n  $0\n", ":\n  merge: unique");
    check_entry("lookup_options:\n  a: {merge: first}\n  $0\n", ":\n  merge: unique");
    // Lines cannot stand between braces.
    for text in [
        "lookup_options: {$0}\n",
        "lookup_options: {a: {merge: first}, $0}\n",
        "lookup_options: {\n  $0\n}\n",
        "lookup_options: {\r\n  a: {merge: first},\r\n  $0\r\n}\r\n",
        "{\"lookup_options\": {$0}}\n",
    ] {
        check_entry(text, ": {merge: unique}");
    }
}

#[test]
fn levels_and_their_paths() {
    let (_, found, _) = complete("#- /hiera.yaml\nversion: 5\nhierarchy:\n  - $0\n");
    let snippet = found.items.iter().find(|it| it.kind == CompletionKind::Snippet);
    let snippet = snippet.expect("a new level");
    assert_eq!(snippet.insert, "name: \"");
    assert_eq!(snippet.insert_behind, "\"\n  path: \"common.yaml\"");
    let common = "#- /data/common.yaml\na: 1\n";
    check(
        &format!("{common}#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: x\n    path: $0\n"),
        &[
            "    path: \"nodes/%{trusted.certname}.yaml\"",
            "    path: \"nodes/%{trusted.hostname}.yaml\"",
            "    path: common.yaml",
            "    path: nodes/db01.yaml",
            "    path: nodes/web01.yaml",
        ],
    );
    check(
        &format!("{common}#- /hiera.yaml\nversion: 5\nhierarchy:\n  - paths: ['com$0.yaml']\n"),
        &["  - paths: ['common.yaml']"],
    );
}

#[test]
fn a_path_ends_before_the_brace_of_its_hash() {
    let line = |line: &str| {
        format!("#- /data/common.yaml\na: 1\n#- /hiera.yaml\nversion: 5\nhierarchy:\n{line}\n")
    };
    check(&line("  - {name: x, path: com$0}"), &["  - {name: x, path: common.yaml}"]);
    check(&line("  - {name: x, glob: com$0*.yaml}"), &["  - {name: x, glob: common.yaml*.yaml}"]);
    check(&line("  - {name: x, path: com$0/%{a}.yaml}"), &["  - {name: x, path: common.yaml}"]);
    check(&line("  - {name: x, path: \"com$0%{a}.b\"}"), &["  - {name: x, path: \"common.yaml\"}"]);
    check(
        "#- /data/common.yaml\na: 1\n#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, path: com$0}]\n",
        &["hierarchy: [{name: x, path: common.yaml}]"],
    );
    check(
        "#- /data/it's.yaml\na: 1\n#- /hiera.yaml\nversion: 5\nhierarchy:\n  - path: 'it$0'\n",
        &["  - path: 'it''s.yaml'"],
    );
}

#[test]
fn a_level_is_an_item() {
    let labels = |hierarchy: &str| {
        let (_, found, _) =
            complete(&format!("#- /hiera.yaml\nversion: 5\nhierarchy:\n{hierarchy}\n"));
        found.items.iter().map(|it| it.label.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(labels("  $0"), "- name: … path: …");
    assert_eq!(labels("  - name: x\n    path: a.yaml\n  $0"), "- name: … path: …");
    let all =
        "path paths glob globs mapped_paths uri uris datadir data_hash lookup_key data_dig options";
    assert_eq!(labels("  - name: x\n    $0"), all);
    assert_eq!(labels("- name: x\n  $0"), all);
    assert_eq!(labels("  - {name: x, $0}"), all);
    assert_eq!(labels("  - $0"), format!("name {all} name: … path: …"));
    assert_eq!(labels("  []\nplan_hierarchy:\n  - name: x\n    $0"), all);
}

#[test]
fn a_level_has_one_kind_of_location_and_one_function() {
    let labels = |members: &str| {
        let (_, found, _) = complete(&format!("#- /hiera.yaml\nversion: 5\n{members}\n"));
        found.items.iter().map(|it| it.label.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        labels("hierarchy:\n  - name: x\n    path: a.yaml\n    $0"),
        "datadir data_hash lookup_key data_dig options"
    );
    assert_eq!(
        labels("hierarchy: [{name: x, data_hash: yaml_data, globs: [a], $0}]"),
        "datadir options"
    );
    assert_eq!(labels("defaults:\n  $0\n  lookup_key: eyaml_lookup_key"), "datadir options");
    // The key that is typed is not another one.
    assert_eq!(labels("hierarchy:\n  - name: x\n    pat$0h: a.yaml"), "path paths mapped_paths");
}

#[test]
fn hiera_yaml() {
    check("#- /hiera.yaml\nversion: 5\nhier$0\n", &["hierarchy:", "plan_hierarchy:"]);
    check("#- /hiera.yaml\nversion: 5\nhierarchy:\n  - nam$0e: x\n", &["  - name: x"]);
    check(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: x\n    mapp$0\n",
        &["    mapped_paths:"],
    );
    check("#- /hiera.yaml\nversion: 5\ndefaults:\n  data_hash: j$0\n", &["  data_hash: json_data"]);
    check(
        "#- /hiera.yaml\nversion: 5\n$0\nhierarchy:\n  - {name: x, path: x.yaml}\n",
        &["defaults:", "plan_hierarchy:"],
    );
    let options = "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: x\n    lookup_key: eyaml_lookup_key\n    options:\n";
    check(
        &format!("{options}      pkcs$0\n"),
        &["      pkcs7_private_key:", "      pkcs7_public_key:"],
    );
    check(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - path: '%{upt$0'\n",
        &["  - path: '%{uptime'"],
    );
}

#[test]
fn the_merged_value_is_told_later() {
    let (file, found, world) = complete("#- /data/common.yaml\na: \"%{lookup('ntp::s$0')}\"\n");
    let key = found.items[0].key.clone().expect("it stands for a key");
    let help = completion_help(&world, &file.path, &key, &CancelToken::default()).expect("a text");
    assert!(help.contains("- a"), "{help}");
    let help =
        completion_help(&world, &file.path, "secret", &CancelToken::default()).expect("a text");
    assert!(!help.contains("PKCS7"), "{help}");
    let (file, _, world) = complete("#- /data/common.yaml\na: \"%{lookup('ntp::s$0\n");
    let help = completion_help(&world, &file.path, "ntp::servers", &CancelToken::default())
        .expect("a text");
    assert!(help.contains("- a") && help.contains("data/nodes/web01.yaml:1"), "{help}");
    let help =
        completion_help(&world, &file.path, "secret", &CancelToken::default()).expect("a text");
    assert!(!help.contains("PKCS7"), "{help}");
}

const WEB: &str = "#- /modules/web/types/mode.pp\ntype Web::Mode = Enum['fast', 'slow']\n\
                   #- /modules/web/manifests/server.pp\nclass web::server(\n  Integer[1, 65535] $port = 80,\n\
                   Optional[Array[Web::Mode]] $modes = undef,\n  Boolean $on,\n  Variant[Web::Mode, Boolean[false]] $mode,\n\
                   Hash $options = {},\n  Struct[{name => String, kind => Enum['a', 'b'], Optional[more] => Any}] $site,\n) { }\n";

#[test]
fn parameters_that_a_file_does_not_set() {
    check(
        &format!("{WEB}#- /data/common.yaml\nweb::server::on: true\nweb::server::$0\n"),
        &[
            "web::server::port:",
            "web::server::modes:\n  - ",
            "web::server::mode:",
            "web::server::options:\n  ",
            "web::server::site:\n  name: |\n  kind: ",
        ],
    );
    check_details(
        &format!("{WEB}#- /data/common.yaml\nweb::server::p$0\n"),
        &[("web::server::port", Some("Integer[1, 65535] = 80"))],
    );
    // The text after the name stays the value.
    check(
        &format!("{WEB}#- /data/common.yaml\nweb::server::mod$0es: [x]\n"),
        &["web::server::modes: [x]", "web::server::mode: [x]"],
    );
    check(
        &format!(
            "{WEB}#- /data/nodes/web01.yaml\nweb::server::por$0\n#- /data/common.yaml\nweb::server::port: 1\n"
        ),
        &["web::server::port:"],
    );
}

#[test]
fn values_that_the_type_of_a_parameter_names() {
    let line = |line: &str| format!("{WEB}#- /data/common.yaml\n{line}\n");
    check(
        &line("web::server::mode: $0"),
        &["web::server::mode: fast", "web::server::mode: slow", "web::server::mode: false"],
    );
    check(
        &line("web::server::mode: 's$0'"),
        &["web::server::mode: 'fast'", "web::server::mode: 'slow'"],
    );
    // In quotes, other values would be strings.
    check(&line("web::server::on: '$0'"), &[]);
    check(&line("time::on: \"$0\""), &[]);
    check(&line("web::server::on: $0"), &["web::server::on: true", "web::server::on: false"]);
    check(&line("web::server::modes:\n  - f$0"), &["  - fast"]);
    check(
        &line("web::server::modes: [$0]"),
        &["web::server::modes: [fast]", "web::server::modes: [slow]"],
    );
    check(&line("web::server::site:\n  k$0"), &["  kind:"]);
    check(&line("web::server::site:\n  kind: $0"), &["  kind: a", "  kind: b"]);
    check(&line("web::server::port: $0"), &[]);
}

#[test]
fn an_item_gets_its_mark() {
    let line = |lines: &str| {
        format!("#- /data/nodes/db01.yaml\np: [curl, jq]\n#- /data/common.yaml\n{lines}\n")
    };
    let both = ["  - curl", "  - jq"];
    check(&line("p:\n  $0"), &both);
    check(&line("p: # note\n\n  $0\n  - git"), &both);
    check(&line("p:\n  - vim\n  # note\n  $0\n  - git\nq: 1"), &both);
    check(&line("p:\n  - vim\n  cu$0"), &both[..1]);
    check(&line("p:\n  - vim\n  - cu$0"), &both[..1]);
    check(&line("p: [\n  vim,\n  cu$0\n]"), &["  curl"]);
    check(&line("p: [\n  'cu$0'\n]"), &["  'curl'"]);
    // Here, it would be a part of another text, or beside what is no list.
    for text in [
        "p: x\n  $0",
        "p:\n  - vim\n   $0",
        "p:\n  - vim\n    $0",
        "p:\n    - vim\n  $0",
        "p:\n  $0\n    - vim",
        "p:\n  vim\n  $0",
        "p:\n  - vim\n  'cu$0'",
    ] {
        check(&line(text), &[]);
    }
    check(&format!("{WEB}#- /data/common.yaml\nweb::server::modes:\n  f$0\n"), &["  - fast"]);
    let level = |lines: &str| {
        format!(
            "#- /data/common.yaml\na: 1\n#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: x\n{lines}\n"
        )
    };
    check(&level("    paths:\n      - a.yaml\n      com$0"), &["      - common.yaml"]);
    check(&level("    globs:\n      com$0"), &["      - common.yaml"]);
    check(&level("    path:\n      com$0"), &["      common.yaml"]);
    check(&level("    paths: [\n      com$0\n    ]"), &["      common.yaml"]);
    check(&level("    paths:\n      - a.yaml\n        com$0"), &[]);
}

#[test]
fn values_in_json() {
    let line = |line: &str| {
        format!(
            "{WEB}#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: x, path: x.json, data_hash: json_data}}]\n#- /data/x.json\n{line}\n"
        )
    };
    check(
        &line("{\"web::server::mode\": \"$0\"}"),
        &["{\"web::server::mode\": \"fast\"}", "{\"web::server::mode\": \"slow\"}"],
    );
    check(&line("{\"web::server::on\": \"$0\"}"), &[]);
    check(&line("{\"other\": {\"web::server::mode\": \"$0\"}}"), &[]);
}

#[test]
fn an_empty_value_has_a_label() {
    let class = "#- /modules/e/manifests/init.pp\nclass e(Enum['a', ''] $p) { }\n";
    let (_, found, _) = complete(&format!("{class}#- /data/common.yaml\ne::p: $0\n"));
    let shown = found.items.iter().map(|it| (&*it.label, &*it.insert));
    assert_eq!(shown.collect::<Vec<_>>(), [("''", "''"), ("a", "a")]);
    let (_, found, _) = complete(&format!("{class}#- /data/common.yaml\ne::p: \"$0\"\n"));
    assert_eq!(found.items.first().map(|it| (&*it.label, &*it.insert)), Some(("''", "")));
}

#[test]
fn values_by_their_position_in_a_tuple() {
    const TUPLES: &str = "#- /modules/t/manifests/init.pp\nclass t(\n  Tuple[Enum['a', 'b'], Integer, Boolean] $p,\n\
                          Array[Tuple[Enum['x'], Enum['y']]] $pairs,\n  Tuple[Enum['x'], Enum['y'], 1, 3] $more,\n\
                          Tuple[String, Struct[{name => String}]] $site,\n) { }\n\
                          #- /data/nodes/web01.yaml\nt::p: [b, 5, true]\n";
    let line = |line: &str| format!("{TUPLES}#- /data/common.yaml\n{line}\n");
    check(&line("t::p: [$0]"), &["t::p: [a]", "t::p: [b]"]);
    check(&line("t::p: [a, $0]"), &["t::p: [a, 5]"]);
    check(&line("t::p: [a, 5, $0]"), &["t::p: [a, 5, true]", "t::p: [a, 5, false]"]);
    check(&line("t::p: [a, 5, true, $0]"), &[]);
    check(&line("t::p:\n  - a\n  - $0"), &["  - 5"]);
    check(&line("t::p:\n  - a\n  - 5\n  - t$0"), &["  - true"]);
    check(&line("t::pairs: [[x, y], [$0]]"), &["t::pairs: [[x, y], [x]]"]);
    check(&line("t::pairs: [[x, y], [x, $0]]"), &["t::pairs: [[x, y], [x, y]]"]);
    check(&line("t::pairs:\n  - [x, y]\n  - - x\n    - $0"), &["    - y"]);
    check(&line("t::pairs: [$0]"), &[]);
    check(&line("t::more: [x, y, $0]"), &["t::more: [x, y, y]"]);
    check(&line("t::more: [x, y, y, $0]"), &[]);
    check(&line("t::site:\n  - a\n  - na$0"), &["  - name:"]);
    check(&line("t::site:\n  - na$0"), &[]);
}

#[test]
fn help_for_a_parameter_that_no_file_sets() {
    let (file, _, world) = complete(&format!("{WEB}#- /data/common.yaml\nweb::server::p$0\n"));
    let help = completion_help(&world, &file.path, "web::server::port", &CancelToken::default())
        .expect("there is some");
    assert_eq!(
        help,
        "Parameter of class `web::server` (`modules/web/manifests/server.pp:2`): `Integer[1, 65535]`, default `80`"
    );
}
