//! What hovers show, in data, in code and in `hiera.yaml`.

use expect_test::{Expect, expect};

use super::*;
use crate::ide::fixture::Fixture;

mod cases;
mod levels;
mod variables;

const NODE_HIERARCHY: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Nodes
    path: 'nodes/%{trusted.certname}.yaml'
  - name: Common data
    path: common.yaml
#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {os: {family: Debian}}}}
";

#[track_caller]
fn check(files: &str, expected: &Expect) {
    let fixture = Fixture::parse(&format!("{NODE_HIERARCHY}{files}"));
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
    let shown = hover.map_or("nothing".to_owned(), |hover| {
        format!("{}\n---\n{}", hover.range.slice(&file.text), hover.markdown)
    });
    expected.assert_eq(&shown);
}

#[test]
fn the_winner_and_what_it_hides() {
    check(
        "#- /data/common.yaml\na::b: 1\n#- /data/nodes/web01.yaml\na::b$0: 2\n",
        &expect![[r#"
            a::b
            ---
            **`a::b`** for node `web01`, environment `production`

            ```yaml
            2
            ```

            Merge strategy `first`, by default

            1. **level "Nodes" · `data/nodes/web01.yaml:1`**
            2. level "Common data" · `data/common.yaml:1` · overridden"#]],
    );
}

#[test]
fn a_node_that_names_its_environment() {
    check(
        "#- /.hiera-ls.yaml
node: web01
nodes: {web01: {facts: {x: 1}, environment: qa}}
#- /data/common.yaml\na::b$0: \"%{environment}\"\n",
        &expect![[r#"
            a::b
            ---
            **`a::b`** for node `web01`, environment `qa`

            ```yaml
            qa
            ```

            1. **level "Common data" · `data/common.yaml:1`**"#]],
    );
}

#[test]
fn a_merged_member() {
    check(
        "#- /data/common.yaml\nlookup_options: {a: {merge: deep}}\na: {b$0: [1], c: 2}\n#- /data/nodes/web01.yaml\na: {b: [3], c: 4}\n",
        &expect![[r#"
            b
            ---
            **`a.b`** for node `web01`, environment `production`

            ```yaml
            - 1
            - 3
            ```

            Merge strategy `deep`, set in `data/common.yaml:1`

            1. level "Nodes" · `data/nodes/web01.yaml:1`
            2. level "Common data" · `data/common.yaml:2`"#]],
    );
    check(
        "#- /data/common.yaml\nlookup_options: {a: {merge: deep}}\na: {b: [1], c$0: 2}\n#- /data/nodes/web01.yaml\na: {b: [3], c: 4}\n",
        &expect![[r#"
            c
            ---
            **`a.c`** for node `web01`, environment `production`

            ```yaml
            4
            ```

            Merge strategy `deep`, set in `data/common.yaml:1`

            1. **level "Nodes" · `data/nodes/web01.yaml:1`**
            2. level "Common data" · `data/common.yaml:2` · overridden"#]],
    );
}

#[test]
fn a_value_of_a_default_hierarchy() {
    const MODULE: &str = "#- /modules/m/hiera.yaml\nversion: 5\nhierarchy: [{name: M, path: common.yaml}]\n\
            default_hierarchy:\n- {name: D, path: d.yaml}\n- {name: E, path: e.yaml}\n\
            #- /modules/m/data/common.yaml\nm::h: {a: 1}\n\
            lookup_options: {m::a: {merge: unique}, m::b: {merge: unique}, m::h: {merge: hash}}\n\
            #- /modules/m/data/e.yaml\nm::a: [2]\nm::b: [2]\nm::h: {b: 2}\n\
            #- /modules/m/data/d.yaml\n";
    let check = |entries: &str, expected: &Expect| check(&format!("{MODULE}{entries}"), expected);
    check(
        "m::a$0: [1]\n",
        &expect![[r#"
        m::a
        ---
        **`m::a`** for node `web01`, environment `production`

        ```yaml
        - 1
        ```

        Merge strategy `first`, by default

        1. **level "D" (default hierarchy of module m) · `modules/m/data/d.yaml:1`**
        2. level "E" (default hierarchy of module m) · `modules/m/data/e.yaml:1` · overridden"#]],
    );
    check(
        "lookup_options: {m::b: {merge: unique}}\nm::b$0: [1]\n",
        &expect![[r#"
        m::b
        ---
        **`m::b`** for node `web01`, environment `production`

        ```yaml
        - 1
        - 2
        ```

        Merge strategy `unique`, set in `modules/m/data/d.yaml:1`

        1. level "D" (default hierarchy of module m) · `modules/m/data/d.yaml:2`
        2. level "E" (default hierarchy of module m) · `modules/m/data/e.yaml:2`"#]],
    );
    check(
        "m::h: {b$0: 1}\n",
        &expect![[r#"
        b
        ---
        **`m::h.b`** for node `web01`, environment `production`

        ```yaml
        1
        ```

        Merge strategy `first`, by default

        1. **level "D" (default hierarchy of module m) · `modules/m/data/d.yaml:1`**
        2. level "E" (default hierarchy of module m) · `modules/m/data/e.yaml:3` · overridden"#]],
    );
}

#[test]
fn a_hidden_member() {
    check(
        "#- /data/common.yaml\na: {b$0: 1}\n#- /data/nodes/web01.yaml\na: {c: 4}\n",
        &expect![[r#"
            b
            ---
            **`a.b`** for node `web01`, environment `production`

            Not found: a lookup of this key fails.

            Merge strategy `first`, by default

            1. level "Common data" · `data/common.yaml:1` · overridden

            `a` in `data/nodes/web01.yaml:1` has no such member and hides the values of lower levels: without a merge, Puppet uses the first value."#]],
    );
}

#[test]
fn secrets_stay_hidden() {
    check(
        "#- /data/common.yaml\na$0: {b: 'ENC[PKCS7,MIIB]', c: 1}\n",
        &expect![[r#"
            a
            ---
            **`a`** for node `web01`, environment `production`

            ```yaml
            b: ENC[…] (encrypted, not shown)
            c: 1
            ```

            1. **level "Common data" · `data/common.yaml:1`**"#]],
    );
    // The mark says that the value is a secret, which was not encrypted again.
    check(
        "#- /data/common.yaml\na$0: ['x DEC(1)::PKCS7[secret]! y', 'DEC::PKCS7[secret']\n",
        &expect![[r#"
            a
            ---
            **`a`** for node `web01`, environment `production`

            ```yaml
            - DEC[…] (decrypted for an edit, not shown)
            - DEC::PKCS7[secret
            ```

            1. **level "Common data" · `data/common.yaml:1`**"#]],
    );
}

const EYAML: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - name: Secrets
    lookup_key: eyaml_lookup_key
    path: common.yaml
    options: {pkcs7_private_key: /no/such/key.pem, pkcs7_public_key: k/public.pem}
#- /.hiera-ls.yaml
eyaml: {decrypt: true}
node: web01
nodes: {web01: {facts: {a: 1}}}
#- /k/public.pem
";

#[test]
fn a_value_that_stays_encrypted_says_why() {
    let notes = |text: &str| {
        let certificate = crate::backends::eyaml::test_keys::TEST_CERTIFICATE;
        let files = format!("{EYAML}{certificate}#- /data/common.yaml\n{text}\n");
        let fixture = Fixture::parse(&files);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let markdown = hover.expect("a key is touched").markdown;
        let notes = markdown.lines().filter(|line| line.starts_with("Stays"));
        notes.collect::<Vec<_>>().join("|")
    };
    assert_eq!(
        notes("a$0: ENC[PKCS7,YWJj]"),
        "Stays encrypted: level \"Secrets\": No such file or directory @ rb_sysopen - /no/such/key.pem"
    );
    assert_eq!(
        notes("a$0: {b: ['ENC[GPG,YWJj]']}"),
        "Stays encrypted: of eyaml's methods, `GPG` is not supported here, only PKCS7 is."
    );
    assert_eq!(notes("a$0: b"), "");
}

#[test]
fn an_encrypted_value_is_not_converted() {
    const PROVISO: &str = " where it is decrypted: here, the value is not known";
    let check = |conversion: &str, text: &str, expected: &str, is_known: bool| {
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: s, path: s.yaml, lookup_key: eyaml_lookup_key}}]\n\
             #- /data/s.yaml\nlookup_options: {{a: {{convert_to: {conversion}}}}}\na$0: {text}\n"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let markdown = hover.expect("a key is touched").markdown;
        assert!(markdown.contains(expected), "{conversion}: {markdown}");
        assert_eq!(markdown.contains(PROVISO), !is_known, "{conversion}: {markdown}");
    };
    let (blob, shown) = ("ENC[PKCS7,YWJj]", "```yaml\nENC[…] (encrypted, not shown)\n```");
    for kind in ["Integer", "Boolean", "Array", "'Array[Integer]'", "Regexp"] {
        check(kind, blob, shown, false);
    }
    // What these give follows from any text.
    check("String", blob, shown, true);
    check("[Array, true]", blob, "- ENC[…] (encrypted, not shown)", true);
    check("Sensitive", blob, "ensitive", true);
    check("'Sensitive[Integer]'", blob, "ensitive", false);
    check("'Array[Integer]'", &format!("[1, '{blob}']"), "- 1\n- ENC[…]", false);
    // Puppet can convert nothing to this type, and this text is not encrypted.
    check("'Enum[x]'", blob, "Creation of new instance of type", true);
    check("Integer", "x", "cannot be converted to Integer", true);
}

#[test]
fn tokens() {
    check(
        "#- /data/common.yaml\na: '%{facts.os.fam$0ily}'\n",
        &expect![[r"
            %{facts.os.family}
            ---
            **`facts.os.family`** for node `web01`, environment `production`

            ```yaml
            Debian
            ```

            From `.hiera-ls.yaml`"]],
    );
    check(
        "#- /data/common.yaml\na: '%{no$0pe}'\n",
        &expect![[r"
        %{nope}
        ---
        **`nope`** for node `web01`, environment `production`

        Nothing defines `nope`: the lookup fails."]],
    );
    check(
        "#- /data/common.yaml\na: \"%{lookup('b$0')}\"\nb: [1]\n",
        &expect![[r#"
            %{lookup('b')}
            ---
            **`b`** for node `web01`, environment `production`

            ```yaml
            - 1
            ```

            1. **level "Common data" · `data/common.yaml:2`**"#]],
    );
}

#[test]
fn files_that_the_node_does_not_read() {
    check(
        "#- /.hiera-ls.yaml\nnode: web01\nnodes: {web01: {facts: {a: 1}}}\n#- /data/nodes/db01.yaml\na$0: 1\n",
        &expect![[r"
            a
            ---
            **`a`** for node `web01`, environment `production`

            Not found: a lookup of this key fails.

            `data/nodes/db01.yaml` is not in the hierarchy of this node. It is read for `db01`."]],
    );
    check(
        "#- /.hiera-ls.yaml\nnode: web01\nnodes: {web01: {facts: {a: 1}}, db01: {facts: {a: 1}}}\n#- /data/nodes/db01.yaml\na$0: 1\n",
        &expect![[r"
            a
            ---
            **`a`** for node `web01`, environment `production`

            Not found: a lookup of this key fails.

            `data/nodes/db01.yaml` is not in the hierarchy of this node. It is read for `db01`."]],
    );
}

#[test]
fn a_file_of_one_machine_is_shown_for_it_if_nobody_chose_a_node() {
    check(
        "#- /.hiera-ls.yaml\nnodes: {web01: {facts: {a: 1}}, db01: {facts: {a: 1}}}\n#- /data/nodes/db01.yaml\na$0: 1\n",
        &expect![[r#"
            a
            ---
            **`a`** for node `db01`, environment `production`

            ```yaml
            1
            ```

            1. **level "Nodes" · `data/nodes/db01.yaml:1`**"#]],
    );
}

const ROLES: &str = "
#- /hiera.yaml
version: 5
hierarchy:
  - {name: Nodes, path: 'nodes/%{trusted.certname}.yaml'}
  - {name: Roles, paths: ['roles/%{role}-%{variant}.yaml', 'roles/%{role}.yaml']}
  - {name: Common, path: common.yaml}
#- /data/roles/compute-alice.yaml
virt::module: kvm_amd
#- /data/roles/compute-bob.yaml
virt::module: kvm_amd
#- /data/common.yaml
other: 1
";

#[track_caller]
fn check_open(files: &str, expected: &Expect) {
    let fixture = Fixture::parse(&format!("{ROLES}{files}"));
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
        .expect("a key is touched");
    expected.assert_eq(&hover.markdown);
}

#[test]
fn a_file_for_a_member_of_a_list() {
    check_open(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n- name: Groups\n  mapped_paths: [facts.groups, group, 'g/%{group}.yaml']\n\
             - {name: Common, path: common.yaml}\n#- /data/common.yaml\na: c\n#- /data/g/x.yaml\na$0: x\n",
        &expect![[r#"
            **`a`** for any node where groups contains x

            ```yaml
            x
            ```

            Merge strategy `first`, by default

            1. **level "Groups" · `data/g/x.yaml:1`**
            2. level "Common" · `data/common.yaml:1` · overridden"#]],
    );
}

#[test]
fn a_hiera_yaml_that_is_not_used() {
    let fixture = Fixture::parse("#- /hiera.yaml\n#- /data/common.yaml\na$0: 1\n");
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
        .expect("a key is touched");
    expect![[r"
        **`a`** for any node

        A lookup of this key fails:

        ```text
        hiera.yaml version 3 cannot be used in an environment (file: /repo/hiera.yaml)
        ```

        Puppet does not use hiera.yaml: it contains no hash and counts as version 3; hiera.yaml version 3 cannot be used in an environment."]].assert_eq(&hover.markdown);
}

#[test]
fn an_error_in_hiera_yaml_leaves_no_hierarchy() {
    check_open(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: New\n    pa\n#- /data/common.yaml\na$0: 1\n",
        &expect![[r"
            **`a`** for any node

            A lookup of this key fails at `hiera.yaml:4`:

            ```text
            (/repo/hiera.yaml): could not find expected ':' while scanning a simple key at line 4 column 5
            ```

            Until this error is fixed, no level reads `data/common.yaml`."]],
    );
    check_open(
        "#- /hiera.yaml\nversion: 5: x\n#- /data/common.yaml\na$0: 1\n",
        &expect![[r"
            **`a`** for any node

            A lookup of this key fails at `hiera.yaml:1`:

            ```text
            (/repo/hiera.yaml): mapping values are not allowed in this context at line 1 column 11
            ```

            Until this error is fixed, no level reads `data/common.yaml`."]],
    );
    let module = "#- /modules/m/hiera.yaml\nversion: 5\nhierarchy:\n  - {name: x, path: common.yaml, pa: x}\n\
                  #- /modules/m/data/common.yaml\nm::a$0: 1\n";
    check_open(
        module,
        &expect![[r"
            **`m::a`** for any node

            A lookup of this key fails at `modules/m/hiera.yaml:3`:

            ```text
            The Lookup Configuration at '/repo/modules/m/hiera.yaml' has wrong type, entry 'hierarchy' index 0 unrecognized key 'pa'
            ```

            Until this error is fixed, no level reads `modules/m/data/common.yaml`."]],
    );
}

#[test]
fn null_is_shown() {
    check_open(
        "#- /data/common.yaml\na$0:\n",
        &expect![[r#"
            **`a`** for any node

            ```yaml
            ~
            ```

            1. **level "Common" · `data/common.yaml:1`**"#]],
    );
}

#[test]
fn options_without_data_do_not_claim_a_value() {
    check_open(
        "#- /data/common.yaml\nlookup_options: {a$0: {merge: deep}}\n",
        &expect![[r"
            Lookup options for `a`

            **`a`** for any node

            Not found: a lookup of this key fails.

            Merge strategy `deep`, set in `data/common.yaml:1`"]],
    );
}

#[test]
fn a_path_that_names_the_environment() {
    let files = "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: x, path: '%{environment}.yaml'}]\n#- /data/staging.yaml\na$0: 1\n";
    let fixture = Fixture::parse(files);
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
        .expect("a key");
    expect![[r#"
        **`a`** for any node where environment is staging

        ```yaml
        1
        ```

        1. **level "x" · `data/staging.yaml:1`**"#]]
    .assert_eq(&hover.markdown);
}

#[test]
fn files_that_only_a_function_reads() {
    let files = |text: &str| {
        let config = "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: x, path: common.yaml}\n  - {name: y, lookup_key: my_fn, path: fn.yaml}\n#- /data/common.yaml\na: 1\n";
        Fixture::parse(&format!("{config}#- /data/fn.yaml\n{text}"))
    };
    let key = files("b$0: 2\n");
    let (file, offset) = key.mark(0).expect("the fixture has a $0");
    let shown =
        hover(&key.world(), &file.world_path(), offset, &CancelToken::default()).expect("a key");
    expect![[r#"
        **`b`** for any node

        Unknown: no level that is evaluated here has it.

        May come from level "y" (`my_fn` is not evaluated here)."#]]
    .assert_eq(&shown.markdown);
    let lookup = files("b: \"%{lookup('a$0')}\"\n");
    let (file, offset) = lookup.mark(0).expect("the fixture has a $0");
    let shown = hover(&lookup.world(), &file.world_path(), offset, &CancelToken::default())
        .expect("a lookup");
    assert!(shown.markdown.contains("data/common.yaml:1"), "{}", shown.markdown);
}

#[test]
fn functions_that_are_not_evaluated_need_no_variables() {
    let fixture = Fixture::parse(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - {name: c, path: common.yaml}\n  - {name: y, lookup_key: my_fn, uri: 'x://%{role}'}\n#- /data/common.yaml\nlookup_options: {b: {merge: unique}}\nb$0: [2]\n",
    );
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let shown = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
    let shown = shown.expect("a key").markdown;
    let note = "more may come from level \"y\" (`my_fn` is not evaluated here).";
    assert!(shown.contains(note), "{shown}");
}

#[test]
fn characters_are_shown_as_they_are() {
    let fixture = Fixture::parse(
        "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: c, path: common.yaml}]\n#- /data/common.yaml\nb$0: x😀y\n",
    );
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let shown = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
    let shown = shown.expect("a key").markdown;
    assert!(shown.contains("\nx😀y\n"), "{shown}");
}

#[test]
fn half_typed_text_leaves_other_keys_as_they_were() {
    check_open(
        "#- /data/common.yaml\nlookup_options: {list: {merge: unique}}\nlist$0: [a]\nx: \"\n",
        &expect![[r#"
            **`list`** for any node

            ```yaml
            - a
            ```

            Merge strategy `unique`, set in `data/common.yaml:1`

            1. **level "Common" · `data/common.yaml:2`**

            `data/common.yaml` has an error: as it is, Puppet refuses the whole file."#]],
    );
}

#[test]
fn a_file_that_puppet_refuses_fails_lookups_of_other_keys() {
    check_open(
        "#- /data/nodes/web01.yaml\nother$0: 2\nx: [1\n#- /.hiera-ls.yaml\nnode: web02\n#- /data/nodes/web02.yaml\nx: [\n",
        &expect![[r#"
            **`other`** for node `web02` (known by its name)

            ```yaml
            1
            ```

            1. **level "Common" · `data/common.yaml:1`**

            `data/nodes/web02.yaml` has an error: as it is, Puppet refuses the whole file.

            `data/nodes/web01.yaml` is not in the hierarchy of this node. It is read for `web01`."#]],
    );
    check_open(
        "#- /data/nodes/web01.yaml\nmine$0: 2\n#- /.hiera-ls.yaml\nnode: web02\n#- /data/nodes/web02.yaml\nx: [\n",
        &expect![[r"
            **`mine`** for node `web02` (known by its name)

            Not in what can be read.

            `data/nodes/web02.yaml` has an error: as it is, Puppet refuses the whole file.

            `data/nodes/web01.yaml` is not in the hierarchy of this node. It is read for `web01`."]],
    );
}

#[test]
fn levels_of_hiera_yaml() {
    let files = "#- /hiera.yaml\nversion: 5\nhierarchy:\n  - name: Nodes\n    paths: ['nodes/%{trusted.certname}.y$0aml', b.yaml]\n#- /.hiera-ls.yaml\nnode: web01\nnodes: {web01: {facts: {a: 1}}}\n#- /data/nodes/web01.yaml\na: 1\n";
    let fixture = Fixture::parse(files);
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
        .expect("a level is touched");
    expect![[r#"
        'nodes/%{trusted.certname}.yaml'
        ---
        **level "Nodes"** for node `web01`, environment `production`

        1. `data/nodes/web01.yaml` · exists

        Back end `yaml_data`"#]]
    .assert_eq(&format!("{}\n---\n{}", hover.range.slice(&file.text), hover.markdown));
}

#[test]
fn a_key_of_another_module_in_the_data_of_a_module() {
    let note = |key: &str| {
        let fixture = Fixture::parse(&format!(
            "{NODE_HIERARCHY}#- /modules/m/hiera.yaml\nversion: 5\nhierarchy: [{{name: o, path: '%{{facts.os.family}}.yaml'}}]\n\
             #- /modules/m/data/Debian.yaml\n{key}: 1\n"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        hover.expect("a key").markdown.lines().last().unwrap_or_default().to_owned()
    };
    let never = "`modules/m/data/Debian.yaml` is data of module `m`: Puppet never finds a key in it that does not start with `m::`.";
    assert_eq!(note("oth$0er"), never);
    assert_eq!(note("n::oth$0er"), never);
    assert_eq!(
        note("m::oth$0er"),
        "1. **level \"o\" (module m) · `modules/m/data/Debian.yaml:1`**"
    );
}

#[test]
fn options_are_named_where_they_are_written() {
    let check = |data: &str, expected: &str| {
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n#- /data/common.yaml\n{data}"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let markdown = hover.expect("a key is touched").markdown;
        assert!(markdown.contains(expected), "{markdown}");
    };
    check(
        "lookup_options:\n  '^a$0::': {merge: deep}\n  a::y: {merge: first}\na::x: 1\na::y: 2\n",
        "- `a::x`\n- `a::y` (has those in `data/common.yaml:3` instead)",
    );
    check(
        "lookup_options: {a: {convert_to: Array}}\na$0: 1\n",
        "Converted to `Array` by `lookup_options` in `data/common.yaml:1`",
    );
}
