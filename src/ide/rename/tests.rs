//! What a rename writes, what it refuses, and what it says.

mod answers;
mod code;

use super::*;
use crate::ide::fixture::Fixture;
use crate::ide::fixture_world::ROOT;
use crate::ide::labelled_edits::LabelledFile;
use crate::text::TextEdit;
use crate::text::edit::apply_edits;
use crate::world::{Change, Host, MemoryDisk};

const HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: Json
    path: more.json
    data_hash: json_data
  - name: Hocon
    path: more.conf
    data_hash: hocon_data
  - name: Common
    path: common.yaml
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {a: 1}}}
";

fn run(files: &str, new_name: &str) -> (Arc<World>, Result<LabelledEdits, String>) {
    run_in("", files, new_name)
}

/// The same, except that the workspace is only one of the directories.
fn run_in(
    folder: &str,
    files: &str,
    new_name: &str,
) -> (Arc<World>, Result<LabelledEdits, String>) {
    let fixture = Fixture::parse(&format!("{HIERARCHY}{files}"));
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let world = fixture.world_in(folder);
    let path = file.world_path();
    let target = prepare_rename(&world, &path, offset);
    let found = rename(&world, &path, offset, new_name, &CancelToken::default());
    if let Ok(Some(target)) = target {
        assert!(target.range.touches(offset), "{target:?}");
    }
    (world, found.map(|edit| edit.expect("there is something to rename")))
}

/// `expected`: `path:line` and the line after the rename, for each line that is another one.
#[track_caller]
fn check(files: &str, new_name: &str, expected: &[&str]) -> Vec<String> {
    check_in("", files, new_name, expected)
}

/// The same, except that the workspace is only one of the directories.
#[track_caller]
fn check_in(folder: &str, files: &str, new_name: &str, expected: &[&str]) -> Vec<String> {
    let (world, edit) = run_in(folder, files, new_name);
    let edit = edit.expect("it can be renamed");
    let mut lines = Vec::new();
    for change in &edit.files {
        let LabelledFile { path, edits } = change;
        let text = &world.file(path).expect("it is there").text;
        let edits: Vec<TextEdit> = edits.iter().map(|it| it.edit.clone()).collect();
        let after = apply_edits(text, &edits);
        assert_eq!(after.split('\n').count(), text.split('\n').count());
        for (number, (old, new)) in text.split('\n').zip(after.split('\n')).enumerate() {
            if old != new {
                let path = path.strip_prefix(ROOT).expect("a file of the fixture");
                lines.push(format!("{path}:{} {new}", number + 1));
            }
        }
    }
    assert_eq!(lines, expected);
    edit.warnings
}

#[track_caller]
fn check_refusal(files: &str, new_name: &str, expected: &str) {
    let (_, edit) = run(files, new_name);
    assert_eq!(edit.expect_err("it cannot be renamed"), expected);
}

/// `expected`: the range's text and the name; or the reason why not.
#[track_caller]
fn check_target(files: &str, expected: &str) {
    let fixture = Fixture::parse(&format!("{HIERARCHY}{files}"));
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let shown = match prepare_rename(&fixture.world(), &file.world_path(), offset) {
        Ok(Some(target)) => format!("{}={}", target.range.slice(&file.text), target.name),
        Ok(None) => "nothing".to_owned(),
        Err(why) => why,
    };
    assert_eq!(shown, expected);
}

#[test]
fn exactly_the_name_is_offered() {
    check_target("#- /data/common.yaml\na$0::b: 1\n", "a::b=a::b");
    check_target("#- /data/common.yaml\n'a$0 b': 1\n", "a b=a b");
    check_target("#- /data/common.yaml\na: {\"b$0c\": 1}\n", "bc=bc");
    check_target("#- /data/common.yaml\na: \"%{lookup('b.'' c$0 ''.d')}\"\n", "nothing");
    check_target("#- /data/common.yaml\na: \"%{lookup('b.\\\"c.$0x\\\".d')}\"\n", "c.x=c.x");
    check_target("#- /data/common.yaml\na: '%{lookup(\"b$0.c\")}'\n", "b=b");
    check_target("#- /data/more.json\n{\"a$0\": 1}\n", "a=a");
    check_target("#- /data/more.conf\n\"a$0::b\" = 1\n", "a::b=a::b");
    check_target("#- /data/common.yaml\nlookup_options: {a$0: {merge: deep}}\n", "a=a");
    check_target("#- /data/common.yaml\nlookup_options: {a: {me$0rge: deep}}\n", "nothing");
    check_target("#- /data/common.yaml\na: 1$0\n", "nothing");
    check_target("#- /data/common.yaml\n# a$0\na: 1\n", "nothing");
    check_target("#- /hiera.yaml\nversion: 5\nhier$0archy: []\n", "nothing");
}

#[test]
fn what_has_no_name_of_its_own_is_refused() {
    let variables = "variables are named by Puppet and by the node, not by the data";
    check_target("#- /data/common.yaml\na: '%{fac$0ts.a}'\n", variables);
    check_target("#- /data/common.yaml\na: '%{lookup(\"a.$00\")}'\n", "0 is a number, not a name");
    let pattern = "a pattern is not a key: edit it by hand";
    check_target("#- /data/common.yaml\nlookup_options: {^a$0: {}}\n", pattern);
    check_target(
        "#- /data/common.yaml\nlookup_op$0tions: {}\n",
        "`lookup_options` is Puppet's own name",
    );
    let later = "no lookup can name this key, as something in it is only known later";
    check_target("#- /data/common.yaml\na: {'x%{$0a}': 1}\n", variables);
    check_target("#- /data/common.yaml\na: {'$0x %{a}': 1}\n", later);
    let number = "no lookup can name this key, as it is not a string";
    check_target("#- /data/common.yaml\n1$023: x\n", number);
}

#[test]
fn a_root_key_everywhere() {
    let nodes = "#- /data/nodes/web01.yaml\n# a::b\na::b: 2 # a::b\n'z': '%{alias(\"a::b.c\")}'\n";
    let json = "#- /data/more.json\n{\"a::b\": [1], \"x\": \"\\\"%{hiera('a::b')}\\\"\"}\n";
    let hocon =
        "#- /data/more.conf\n\"a::b\" = 1\ny = \"%{lookup('a::b')}\" # a::b\nz = ${\"a::b\"}\n";
    let common = "#- /data/common.yaml\na::b$0: 1\nc: \"x %{lookup('a::b')} %{lookup('a::bc')}\"\n\
                  e: {'%{hiera(\"a::b\")}': 1}\nlookup_options:\n  'a::b': {merge: deep}\n  ^a::: {}\n";
    let warnings = check(
        &format!("{nodes}{json}{hocon}{common}"),
        "a::new",
        &[
            "/data/common.yaml:1 a::new: 1",
            "/data/common.yaml:2 c: \"x %{lookup('a::new')} %{lookup('a::bc')}\"",
            "/data/common.yaml:3 e: {'%{hiera(\"a::new\")}': 1}",
            "/data/common.yaml:5   'a::new': {merge: deep}",
            "/data/more.conf:1 \"a::new\" = 1",
            "/data/more.conf:2 y = \"%{lookup('a::new')}\" # a::b",
            "/data/more.conf:3 z = ${\"a::new\"}",
            "/data/more.json:1 {\"a::new\": [1], \"x\": \"\\\"%{hiera('a::new')}\\\"\"}",
            "/data/nodes/web01.yaml:2 a::new: 2 # a::b",
            "/data/nodes/web01.yaml:3 'z': '%{alias(\"a::new.c\")}'",
        ],
    );
    assert_eq!(warnings, <[String; 0]>::default());
}

#[test]
fn a_name_that_escapes_spell() {
    let nodes = "#- /data/nodes/web01.yaml\nx: \"%{lookup('key\\x5fa')} \\x25{lookup('key_a')}\"\n";
    let options = "#- /data/nodes/web02.yaml\nlookup_options: {\"key\\x5fa\": {merge: deep}}\n";
    let json = "#- /data/more.json\n{\"x\": \"%{lookup('key\\u005fa')}\"}\n";
    check(
        &format!("{nodes}{options}{json}#- /data/common.yaml\nkey_a$0: 1\n"),
        "b",
        &[
            "/data/common.yaml:1 b: 1",
            "/data/more.json:1 {\"x\": \"%{lookup('b')}\"}",
            "/data/nodes/web01.yaml:1 x: \"%{lookup('b')} \\x25{lookup('b')}\"",
            "/data/nodes/web02.yaml:1 lookup_options: {\"b\": {merge: deep}}",
        ],
    );
}

#[test]
fn from_a_call_and_from_lookup_options() {
    let expected = [
        "/data/common.yaml:1 b: 1",
        "/data/common.yaml:2 c: \"%{lookup('b')}\"",
        "/data/common.yaml:3 lookup_options: {b: {merge: deep}}",
    ];
    let text =
        "#- /data/common.yaml\na: 1\nc: \"%{lookup('$0a')}\"\nlookup_options: {a: {merge: deep}}\n";
    check(text, "b", &expected);
    let text =
        "#- /data/common.yaml\na: 1\nc: \"%{lookup('a')}\"\nlookup_options: {$0a: {merge: deep}}\n";
    check(text, "b", &expected);
}

#[test]
fn a_sub_key_in_all_levels_and_calls() {
    let nodes = "#- /data/nodes/web01.yaml\na:\n  b: # stays\n    x: 1\nb: 1\n";
    let more = "#- /data/more.conf\na.b.x = 1\na { b { y = ${a.b.x} } }\n";
    let text = "#- /data/common.yaml\na: {b$0: {x: 2}, c: 1}\nc: [\"%{lookup('a.b.x')} %{lookup('a.c')} %{lookup('b.b')}\"]\n";
    check(
        &format!("{nodes}{more}{text}"),
        "n.n",
        &[
            "/data/common.yaml:1 a: {n.n: {x: 2}, c: 1}",
            "/data/common.yaml:2 c: [\"%{lookup('a.\\\"n.n\\\".x')} %{lookup('a.c')} %{lookup('b.b')}\"]",
            "/data/more.conf:1 a.\"n.n\".x = 1",
            "/data/more.conf:2 a { \"n.n\" { y = ${a.\"n.n\".x} } }",
            "/data/nodes/web01.yaml:2   n.n: # stays",
        ],
    );
    check(
        "#- /data/common.yaml\na:\n  - {b$0: 1}\n  - {b: 2}\nc: \"%{lookup('a.0.b')} %{lookup('a.1.b')}\"\n",
        "d",
        &[
            "/data/common.yaml:2   - {d: 1}",
            "/data/common.yaml:4 c: \"%{lookup('a.0.d')} %{lookup('a.1.b')}\"",
        ],
    );
}

#[test]
fn styles_line_ends_and_places_are_kept() {
    let text = "#- /data/common.yaml\n\"a$0\" : 1\r\nc: |\r\n  x 😀 %{lookup('a')}\r\n  y\r\n\
                d: >-\r\n  %{lookup('a')} z\r\ne: '😀 it''s %{lookup(\"a\")}'\r\nf: \"\\t😀 %{lookup('a')}\"\r\n";
    check(
        text,
        "b-b",
        &[
            "/data/common.yaml:1 \"b-b\" : 1\r",
            "/data/common.yaml:3   x 😀 %{lookup('b-b')}\r",
            "/data/common.yaml:6   %{lookup('b-b')} z\r",
            "/data/common.yaml:7 e: '😀 it''s %{lookup(\"b-b\")}'\r",
            "/data/common.yaml:8 f: \"\\t😀 %{lookup('b-b')}\"\r",
        ],
    );
    check(
        "#- /data/common.yaml\na$0: 1\nb: '%{lookup(''a'')}'\nc: \"%{lookup(\\\"a\\\")}\"\n",
        "x.y",
        &[
            "/data/common.yaml:1 x.y: 1",
            "/data/common.yaml:2 b: '%{lookup(''\"x.y\"'')}'",
            "/data/common.yaml:3 c: \"%{lookup(\\\"'x.y'\\\")}\"",
        ],
    );
    check("#- /data/common.yaml\na$0: 1\n", "yes", &["/data/common.yaml:1 'yes': 1"]);
    check("#- /data/common.yaml\n? a$0\n: 1\n", "b c", &["/data/common.yaml:1 ? 'b c'"]);
}

#[test]
fn a_token_that_goes_over_lines() {
    check(
        "#- /data/common.yaml\na$0: 1\nb: \"%{lookup('a')} x\n  %{lookup('a')}\n\n  %{lookup('a')}\"\n",
        "c",
        &[
            "/data/common.yaml:1 c: 1",
            "/data/common.yaml:2 b: \"%{lookup('c')} x",
            "/data/common.yaml:3   %{lookup('c')}",
            "/data/common.yaml:5   %{lookup('c')}\"",
        ],
    );
}

#[test]
fn duplicates_anchors_and_broken_entries() {
    check(
        "#- /data/common.yaml\na$0: &x 1\nb: *x\na: 2\n",
        "c",
        &["/data/common.yaml:1 c: &x 1", "/data/common.yaml:3 c: 2"],
    );
    let warnings = check(
        "#- /data/common.yaml\na$0: 1\nb: [\nc: \"%{lookup('a')}\n#- /data/nodes/web01.yaml\nx: ]\na: 3\n",
        "n",
        &[
            "/data/common.yaml:1 n: 1",
            "/data/common.yaml:3 c: \"%{lookup('n')}",
            "/data/nodes/web01.yaml:2 n: 3",
        ],
    );
    let said =
        "has syntax errors: hiera-ls could not read some parts and only searched them as text.";
    assert_eq!(
        warnings,
        [format!("data/common.yaml {said}"), format!("data/nodes/web01.yaml {said}")]
    );
}

#[test]
fn broken_json_and_hocon_are_searched_as_text() {
    let warnings = check(
        "#- /data/common.yaml\na::b$0: 1\n#- /data/more.json\n{\"a::b\": 5, \"c\": \"%{lookup('a::b')}\",}\n\
         #- /data/more.conf\n\"a::b\" = 2\nx: [\n",
        "a::n",
        &[
            "/data/common.yaml:1 a::n: 1",
            "/data/more.conf:1 \"a::n\" = 2",
            "/data/more.json:1 {\"a::n\": 5, \"c\": \"%{lookup('a::n')}\",}",
        ],
    );
    let said =
        "has syntax errors: hiera-ls could not read some parts and only searched them as text.";
    assert_eq!(warnings, [format!("data/more.conf {said}"), format!("data/more.json {said}")]);
}

#[test]
fn files_that_are_not_utf8_are_named() {
    let hiera_yaml =
        b"version: 5\nhierarchy: [{name: A, path: a.yaml}, {name: C, path: common.yaml}]\n";
    let files: [(&str, &[u8]); 3] = [
        ("/w/hiera.yaml", hiera_yaml),
        ("/w/data/a.yaml", b"x: \xe9\na::b: 1\n"),
        ("/w/data/common.yaml", b"a::b: 1\n"),
    ];
    let mut host = Host::new(Arc::new(MemoryDisk::new(files)));
    host.apply(Change::Folders(vec!["/w".to_owned()]));
    let path = "/w/data/common.yaml";
    let edit = rename(&host.snapshot(), path, 0, "a::n", &CancelToken::default());
    let edit = edit.expect("it can be renamed").expect("there is a key");
    assert_eq!(edit.files.len(), 1);
    let said =
        "data/a.yaml:1 is not UTF-8, so hiera-ls cannot read this file: the old name stays there.";
    assert_eq!(edit.warnings, [said]);
}

#[test]
fn what_would_mix_or_break_answers_is_refused() {
    let taken = "#- /data/common.yaml\na$0: 1\n#- /data/nodes/web01.yaml\nx: 1\nb: 2\n";
    check_refusal(taken, "b", "data/nodes/web01.yaml:2: `b` exists already");
    let taken =
        "#- /data/common.yaml\na: {b$0: 1}\n#- /data/nodes/web01.yaml\na:\n  b: 1\n  c: 1\n";
    check_refusal(taken, "c", "data/nodes/web01.yaml:3: `c` exists already");
    // Merges put the members of both files together.
    let taken = "#- /data/common.yaml\na: {b$0: 1}\n#- /data/nodes/web01.yaml\na: {c: 1}\n";
    check_refusal(taken, "c", "data/nodes/web01.yaml:1: `c` exists already");
    let taken = "#- /data/common.yaml\na$0: 1\nlookup_options: {a: {merge: deep}, b: {}}\n";
    check_refusal(taken, "b", "data/common.yaml:2: `b` exists already");
    let shared = "#- /data/common.yaml\nx: &x {b: 1}\na: *x\nc: \"%{lookup('a.b$0')}\"\n";
    check_refusal(
        shared,
        "n",
        "data/common.yaml:1: the key belongs to another value, which `a` shares",
    );
    let shared = "#- /data/common.yaml\na: &x {b$0: 1}\nc: *x\n";
    check_refusal(
        shared,
        "n",
        "data/common.yaml:1: the value is shared by an alias: the other key would change, too",
    );
    let aliased =
        "#- /data/common.yaml\na: {b$0: 1}\n#- /data/nodes/web01.yaml\na: \"%{alias('x')}\"\n";
    check_refusal(
        aliased,
        "n",
        "data/nodes/web01.yaml:1: the value comes from `x`: rename the key there",
    );
    let quotes = "#- /data/common.yaml\na$0: 1\nb: \"%{lookup('a')}\"\n";
    check_refusal(quotes, "it's", "data/common.yaml:2: no quotes can hold `it's` there");
}

#[test]
fn names_that_mean_something_else_are_refused() {
    let text = "#- /data/common.yaml\na$0: 1\n";
    check_refusal(text, " ", "the new name is empty");
    check_refusal(text, "a\nb", "the name of a key must be one line");
    check_refusal(text, "lookup_options", "Puppet never finds a key called `lookup_options`");
    check_refusal(text, "^a", "as a key of lookup_options, `^a` would be a pattern");
    check_refusal(text, "%{a}", "`%{a}` means something else to Puppet or to YAML");
    check(text, "a", &[]);
}

#[test]
fn keys_of_a_modules_data_stay_in_the_module() {
    let module = "#- /modules/ntp/hiera.yaml\nversion: 5\n#- /modules/ntp/data/common.yaml\nntp::a$0: 1\n\
                  lookup_options: {ntp::a: {merge: unique}}\n#- /data/common.yaml\nntp::a: 2\n";
    check(
        module,
        "ntp::b",
        &[
            "/data/common.yaml:1 ntp::b: 2",
            "/modules/ntp/data/common.yaml:1 ntp::b: 1",
            "/modules/ntp/data/common.yaml:2 lookup_options: {ntp::b: {merge: unique}}",
        ],
    );
    check_refusal(
        module,
        "time::b",
        "modules/ntp/data/common.yaml:1: in the data of the module ntp, Puppet only finds keys that start with `ntp::`",
    );
}

#[test]
fn patterns_that_stop_or_begin_to_match_are_said() {
    let text = "#- /data/common.yaml\na::x$0: 1\nlookup_options: {^a::: {merge: deep}, ^b::: {merge: hash}}\n\
                #- /data/nodes/web01.yaml\nlookup_options: {a::x: {merge: deep}, '^a': {}}\n";
    let warnings = check(
        text,
        "b::x",
        &[
            "/data/common.yaml:1 b::x: 1",
            "/data/nodes/web01.yaml:1 lookup_options: {b::x: {merge: deep}, '^a': {}}",
        ],
    );
    assert_eq!(
        warnings,
        [
            "The pattern `^a::` in the lookup_options of data/common.yaml stops matching.",
            "The pattern `^b::` in the lookup_options of data/common.yaml now matches.",
        ]
    );
}

#[test]
fn who_takes_the_whole_or_waits_for_the_name_is_said() {
    let warnings = check(
        "#- /data/common.yaml\na: {b$0: 1}\nc: \"%{alias('a')}\"\n",
        "n",
        &["/data/common.yaml:1 a: {n: 1}"],
    );
    assert_eq!(
        warnings,
        [
            "The whole value of `a` is also used in data/common.yaml:2: the new name appears there, too."
        ]
    );
    let warnings = check(
        "#- /data/common.yaml\na$0: 1\nc: \"%{lookup('n')}\"\nlookup_options: {n: {merge: deep}}\n",
        "n",
        &["/data/common.yaml:1 n: 1"],
    );
    assert_eq!(
        warnings,
        [
            "The lookup_options of data/common.yaml already have an entry for `n`, which then applies.",
            "`n` is already looked up in data/common.yaml:2, where it is not found so far.",
        ]
    );
}

#[test]
fn reads_through_aliases_are_said() {
    let warnings = check(
        "#- /data/common.yaml\nh: {user: {na$0me: x}}\nb: \"%{alias('h.user')}\"\nc: {in: [\"%{alias('b')}\"]}\n\
         d: \"%{lookup('b.name')}\"\ne: \"%{lookup('c.in.0.name')} %{lookup('c.in.1.name')}\"\n\
         f: \"%{lookup('b.other')}\"\ng: \"%{lookup('h.user')}\"\ni: \"%{lookup('g.name')}\"\n\
         #- /manifests/site.pp\nlookup('b')\nlookup('b.name.x')\n",
        "nick",
        &["/data/common.yaml:1 h: {user: {nick: x}}"],
    );
    assert_eq!(
        warnings,
        [
            "The whole value of `h` is also used in data/common.yaml:2, data/common.yaml:7: the new name appears there, too.",
            "`name` is also looked up through aliases of `h` in data/common.yaml:4, data/common.yaml:5, manifests/site.pp:2: \
             the old name stays there.",
        ]
    );
    let endless =
        "#- /data/common.yaml\nb: {x: \"%{alias('b')}\", y$0: 1}\nc: \"%{lookup('b.x.x.y')}\"\n";
    let (_, edit) = run(endless, "z");
    let said = "`y` is also looked up through aliases of `b` in data/common.yaml:2: the old name stays there.";
    assert!(edit.is_ok_and(|it| it.warnings.iter().any(|it| it == said)));
}

#[test]
fn among_several_environments_the_message_names_the_one_of_the_file() {
    let environment = |name: &str, data: &str| {
        format!(
            "#- /environments/{name}/hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
             #- /environments/{name}/data/common.yaml\n{data}\n"
        )
    };
    let files = format!(
        "#- /.hiera-ls.yaml\nglobalHieraYaml: hiera.yaml\n#- /data/common.yaml\na$0: 1\n{}{}",
        environment("dev", "taken: 1"),
        environment("production", "a: 1"),
    );
    check_refusal(&files, "taken", "environments/dev/data/common.yaml:1: `taken` exists already");
    let warnings = check(
        &files.replace("a: 1", "b: \"%{lookup('new')}\""),
        "new",
        &["/data/common.yaml:1 new: 1"],
    );
    let said = "`new` is already looked up in environments/production/data/common.yaml:1, where it is not found so far.";
    assert_eq!(warnings, [said]);
}

/// A global layer and a module that the environments production and dev share. The workspace is only production.
#[test]
fn environments_beside_the_workspace_share_files() {
    let environment = |name: &str, data: &str| {
        format!(
            "#- /environments/{name}/hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
             #- /environments/{name}/environment.conf\nmodulepath = ../../modules\n\
             #- /environments/{name}/data/common.yaml\n{data}\n"
        )
    };
    let files = |global: &str, production: &str, dev: &str| {
        format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: g, path: g.yaml, datadir: gdata}}]\n\
             #- /gdata/g.yaml\n{global}\n{}{}\
             #- /modules/m/hiera.yaml\nversion: 5\n#- /modules/m/data/common.yaml\nm::p: 1\n\
             #- /modules/m/manifests/init.pp\nclass m ($p) {{ }}\n",
            environment("production", production),
            environment("dev", dev)
        )
    };
    let folder = "/environments/production";
    let (own, other) = (format!("{folder}/data/common.yaml"), "/environments/dev/data/common.yaml");
    let uses = "u: \"%{alias('a')}\"";
    let renamed = "u: \"%{alias('b')}\"";
    let all =
        [&format!("{other}:1 {renamed}"), &format!("{own}:1 {renamed}"), "/gdata/g.yaml:1 b: 1"];
    assert_eq!(check_in(folder, &files("a$0: 1", uses, uses), "b", &all), [""; 0]);
    // The key is renamed in the global layer, too, whose value dev overrides.
    let all = [&format!("{other}:1 b: 3"), &format!("{own}:1 b: 2"), "/gdata/g.yaml:1 b: 1"];
    assert_eq!(check_in(folder, &files("a: 1", "a$0: 2", "a: 3"), "b", &all), [""; 0]);
    let (_, edit) = run_in(folder, &files("a: 1", "a$0: 2", "b: 3"), "b");
    assert_eq!(edit.expect_err("the name is taken"), "dev/data/common.yaml:1: `b` exists already");
    let all = [&format!("{own}:1 m::q: 2"), "/modules/m/data/common.yaml:1 m::q: 1"];
    let warnings = check_in(folder, &files("z: 1", "m::p$0: 2", "z: 3"), "m::q", &all);
    let said = "The manifest keeps the parameter's name, so the class no longer gets this value in the environments dev and \
                production.";
    assert!(warnings[0].ends_with(said), "{warnings:?}");
}

#[test]
fn places_that_keep_the_name_of_a_parameter_are_said() {
    let warnings = check(
        "#- /data/common.yaml\np::port$0: 1\nx: \"%{::p::port} %{p::ports}\"\ny: \"%{scope('p::port')}\"\n\
         #- /modules/p/manifests/init.pp\nclass p($port) { }\n\
         #- /manifests/site.pp\ninclude p\nnotice(getvar('p::port'), Class['p']['port'])\n\
         create_resources('class', { 'p' => { 'port' => 8 } })\n",
        "p::listen",
        &[
            "/data/common.yaml:1 p::listen: 1",
            "/modules/p/manifests/init.pp:1 class p($listen) { }",
        ],
    );
    assert_eq!(
        warnings,
        [
            "Code may set or read `port` of class `p` in manifests/site.pp:2, manifests/site.pp:3: the old name stays there.",
            "Data reads the variable of the parameter in data/common.yaml:2, data/common.yaml:3: the old name stays there.",
        ]
    );
}
