//! Refactorings of JSON and HOCON, and what is refused.

use super::refactorings::{check_files, refusals, titles};

const JSON: &str = "
#- /hiera.yaml
version: 5
defaults: {data_hash: json_data, datadir: data}
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.json'}
  - {name: Common, path: common.json}
";

const HOCON: &str = "
#- /hiera.yaml
version: 5
defaults: {data_hash: hocon_data, datadir: data}
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.conf'}
  - {name: Common, path: common.conf}
";

#[track_caller]
fn check(hierarchy: &str, files: &str, title: &str, expected: &str) {
    check_files(&format!("{hierarchy}{files}"), title, expected);
}

#[test]
fn members_of_json_are_overridden_in_new_files() {
    check(
        JSON,
        "#- /data/common.json\n{\n  \"a\": 1,\n  \"b\"$0: {\n    \"c\": [1]\n  }\n}\n",
        "Override `b` in data/nodes/web01.json (Nodes)",
        "#- /data/nodes/web01.json\n{\n  \"b\": {\n    \"c\": [1]\n  }\n}\n",
    );
}

#[test]
fn new_files_have_the_line_ends_of_the_source() {
    check(
        JSON,
        "#- /data/common.json\n{\r\n  \"a\": 1,\r\n  \"b\"$0: 2\r\n}\r\n",
        "Override `b` in data/nodes/web01.json (Nodes)",
        "#- /data/nodes/web01.json\n{\r\n  \"b\": 2\r\n}\r\n",
    );
}

#[test]
fn members_of_json_move_with_their_comments_and_commas() {
    let common = "#- /data/common.json\n{\n  \"x\": 1 // last\n}\n";
    check(
        JSON,
        &format!(
            "{common}#- /data/nodes/web01.json\n{{\n  \"a\": 1,\n  // why\n  \"b\"$0: 2, // so\n  // of c\n  \"c\": 3\n}}\n"
        ),
        "Move `b` down to data/common.json (Common): adds the value for db01 and all unlisted nodes",
        "#- /data/common.json\n{\n  \"x\": 1, // last\n  // why\n  \"b\": 2 // so\n}\n\
         #- /data/nodes/web01.json\n{\n  \"a\": 1,\n  // of c\n  \"c\": 3\n}\n",
    );
    check(
        JSON,
        &format!(
            "{common}#- /data/nodes/web01.json\r\n{{\r\n\t\"a\": 1,\r\n\t\"b\"$0: 2\r\n}}\r\n"
        ),
        "Move `b` down to data/common.json (Common): adds the value for db01 and all unlisted nodes",
        "#- /data/common.json\n{\n  \"x\": 1, // last\n  \"b\": 2\n}\n\
         #- /data/nodes/web01.json\n{\r\n\t\"a\": 1\r\n}\r\n",
    );
    check(
        JSON,
        "#- /data/common.json\n{}\n#- /data/nodes/web01.json\n{\"a\": 1, \"b\"$0: 2}\n",
        "Move `b` down to data/common.json (Common): adds the value for db01 and all unlisted nodes",
        "#- /data/common.json\n{\n  \"b\": 2\n}\n#- /data/nodes/web01.json\n{\"a\": 1}\n",
    );
    check(
        JSON,
        "#- /data/common.json\n{\"x\": 1}\n#- /data/nodes/web01.json\n{\"a\"$0: 1, \"b\": 2}\n",
        "Move `a` down to data/common.json (Common): adds the value for db01 and all unlisted nodes",
        "#- /data/common.json\n{\"x\": 1, \"a\": 1}\n#- /data/nodes/web01.json\n{\"b\": 2}\n",
    );
}

#[test]
fn fields_of_hocon_move_with_their_comments() {
    check(
        HOCON,
        "#- /data/common.conf\n# all\nx = 1 # last\n#- /data/nodes/web01.conf\na = 1\n# why\nb$0 { c = [1, 2] } // so\nd : 4\n",
        "Move `b` down to data/common.conf (Common): adds the value for db01 and all unlisted nodes",
        "#- /data/common.conf\n# all\nx = 1 # last\n# why\nb { c = [1, 2] } // so\n\
         #- /data/nodes/web01.conf\na = 1\nd : 4\n",
    );
    check(
        HOCON,
        "#- /data/common.conf\n{\n  x = 1\n}\n#- /data/nodes/web01.conf\n{ a = 1, b$0 = \"two words\" }\n",
        "Move `b` down to data/common.conf (Common): adds the value for db01 and all unlisted nodes",
        "#- /data/common.conf\n{\n  x = 1\n  b = \"two words\"\n}\n#- /data/nodes/web01.conf\n{ a = 1 }\n",
    );
}

#[test]
fn a_repeated_value_of_json_becomes_a_key() {
    check(
        JSON,
        "#- /data/common.json\n{\n  \"a\": [\"one\", 2]\n}\n#- /data/nodes/web01.json\n{\"b\": {\"c$0\": [\"one\",2]}}\n",
        "Extract the value into `c` in data/common.json (2 places)",
        "#- /data/common.json\n{\n  \"a\": \"%{alias('c')}\",\n  \"c\": [\"one\", 2]\n}\n#- /data/nodes/web01.json\n{\"b\": {\"c\": \"%{alias('c')}\"}}\n",
    );
    assert_eq!(
        refusals(&format!("{HOCON}#- /data/common.conf\na = long text$0\nb = long text\n")),
        ["HOCON has substitutions (`${…}`) for what is written several times."]
    );
}

#[test]
fn a_number_with_an_exponent_is_no_text_in_json() {
    let mixed = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Json, path: more.json, data_hash: json_data}
  - {name: Common, path: common.yaml}
";
    let none: [&str; 0] = [];
    let one = "#- /data/more.json\n{\"b\": 1e12}\n#- /data/common.yaml\na$0: '1e12'\n";
    assert_eq!(titles(&format!("{mixed}{one}")), none);
    let inlined =
        "#- /data/more.json\n{\"d\": 1e6, \"h\": {\"<<\": {\"x\": 1}}}\n#- /data/common.yaml\n";
    let why = "hiera-ls cannot write the value of `d` in YAML so that it stays the same.";
    let found = refusals(&format!("{mixed}{inlined}a: \"%{{alias('d')$0}}\"\n"));
    assert!(found.iter().any(|it| it == why), "{found:?}");
    let found = refusals(&format!("{mixed}{inlined}a: \"%{{alias('h')$0}}\"\n"));
    assert!(found.iter().any(|it| *it == why.replace("`d`", "`h`")), "{found:?}");
}

#[test]
fn calls_in_json_give_way_to_their_values() {
    check(
        JSON,
        "#- /data/common.json\n{\n  \"host\": \"w\\\"w\",\n  \"list\": [1, {\"a\": null}]\n}\n#- /data/nodes/web01.json\n{\"x\": \"%{alias('list')$0}\", \"y\": \"%{lookup('host')}\"}\n",
        "Inline the value of `list`",
        "#- /data/nodes/web01.json\n{\"x\": [1, {\"a\": null}], \"y\": \"%{lookup('host')}\"}\n",
    );
    check(
        JSON,
        "#- /data/common.json\n{\n  \"host\": \"w\\\"w\",\n  \"list\": [1]\n}\n#- /data/nodes/web01.json\n{\"x\": \"http://%{lookup('host')$0}\"}\n",
        "Inline `host` everywhere (1 place) and remove it",
        "#- /data/common.json\n{\n  \"list\": [1]\n}\n#- /data/nodes/web01.json\n{\"x\": \"http://w\\\"w\"}\n",
    );
}

#[test]
fn what_cannot_move_says_why() {
    let none: [&str; 0] = [];
    let web01 = |text: &str| {
        format!("{HOCON}#- /data/common.conf\nx = 1\n#- /data/nodes/web01.conf\n{text}")
    };
    let substitution = "`a` takes part in a substitution, or in a path of several names.";
    for text in ["a$0 = 1\nb = ${a}\n", "b = 1\na$0 = ${b}\n", "a$0.b = 1\n", "a$0 += 1\n"] {
        assert_eq!(titles(&web01(text)), none, "{text}");
        assert_eq!(refusals(&web01(text))[0], substitution, "{text}");
    }
    assert_eq!(refusals(&web01("a = 1\na$0 = 2\n")), ["`a` is written several times."]);
    let mixed = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Common, path: common.json, data_hash: json_data}
#- /data/common.json
{}
#- /data/nodes/web01.yaml
";
    assert_eq!(refusals(&format!("{mixed}a$0: 1\n")), ["data/common.json has another format."]);
    let yaml = "#- /data/common.yaml\nx: 1\n#- /data/nodes/web01.yaml\n";
    assert_eq!(refusals(&format!("{yaml}b: &x 1\na$0: *x\n")), ["`a` has an anchor or an alias."]);
    assert_eq!(refusals(&format!("{yaml}{{a$0: 1}}\n")), ["`a` does not have lines of its own."]);
    assert_eq!(
        refusals("#- /data/common.yaml\nx: [\n#- /data/nodes/web01.yaml\na$0: 1\n"),
        ["data/common.yaml has an error, so Puppet cannot read it."]
    );
}
