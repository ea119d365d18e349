//! What hovers show for a node that is not completely known: the value in each case.

use expect_test::{Expect, expect};

use super::check_open;

#[test]
fn without_a_node_the_cases_are_shown() {
    check_open(
        "#- /data/roles/compute.yaml\nvirt::module$0: kvm_intel\n",
        &expect![[r#"
            **`virt::module`** for any node where role is compute

            ```yaml
            kvm_intel
            ```

            - `kvm_amd` if variant is alice or bob (`data/roles/compute-alice.yaml:1`, `data/roles/compute-bob.yaml:1`)

            1. **level "Roles" · `data/roles/compute.yaml:1`**"#]],
    );
    check_open(
        "#- /data/nodes/web01.yaml\nshared: 2\n#- /data/nodes/web02.yaml\nshared: 2\n#- /data/common.yaml\nshared$0: '%{site}'\n",
        &expect![[r#"
            **`shared`** for any node

            ```yaml
            "%{site}"
            ```

            - `2` if trusted.certname is web01 or web02 (`data/nodes/web01.yaml:1`, `data/nodes/web02.yaml:1`)

            1. **level "Common" · `data/common.yaml:1`**

            Not known, and left as it is written: `%{site}`"#]],
    );
}

#[test]
fn cases_with_the_same_value_share_a_line_if_their_order_does_not_matter() {
    let with = |second: &str, expected: Expect| {
        check_open(
            &format!(
                "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {{name: A, path: 'a/%{{x}}.yaml'}}\n- {{name: B, path: \
                 'b/%{{{second}}}.yaml'}}\n- {{name: C, path: 'c/%{{x}}.yaml'}}\n- {{name: D, path: d.yaml}}\n\
                 #- /data/a/1.yaml\nk: one\n#- /data/b/2.yaml\nk: two\n#- /data/c/3.yaml\nk: one\n\
                 #- /data/d.yaml\nk$0: 4\n"
            ),
            &expected,
        );
    };
    with(
        "x",
        expect![[r#"
            **`k`** for any node

            ```yaml
            4
            ```

            - `one` if x is 1 or 3 (`data/a/1.yaml:1`, `data/c/3.yaml:1`)
            - `two` if x is 2 (`data/b/2.yaml:1`)

            1. **level "D" · `data/d.yaml:1`**"#]],
    );
    with(
        "y",
        expect![[r#"
            **`k`** for any node

            ```yaml
            4
            ```

            - `one` if x is 1 (`data/a/1.yaml:1`)
            - `two` if y is 2 (`data/b/2.yaml:1`)
            - `one` if x is 3 (`data/c/3.yaml:1`)

            1. **level "D" · `data/d.yaml:1`**"#]],
    );
}

#[test]
fn cases_that_come_from_the_same_place_do_not_repeat_it() {
    check_open(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: A, path: 'a/%{x}.yaml'}\n- {name: D, path: d.yaml}\n\
         #- /data/a/1.yaml\nn: one\n#- /data/a/2.yaml\nn: two\n\
         #- /data/d.yaml\nn: usual\nk$0: \"%{x}: %{lookup('n')}\"\n",
        &expect![[r#"
            **`k`** for any node

            ```yaml
            "%{x}: usual"
            ```

            - `'1: one'` if x is 1 (`data/a/1.yaml:1`)
            - `'2: two'` if x is 2 (`data/a/2.yaml:1`)

            1. **level "D" · `data/d.yaml:2`**

            Inserted values: `n` (`data/d.yaml:1`)

            Not known, and left as it is written: `%{x}`"#]],
    );
}

#[test]
fn a_sub_key_is_shown_without_what_it_does_not_contain() {
    check_open(
        "#- /data/roles/web.yaml\nu: fixed\n#- /data/common.yaml\nk: {list$0: ['%{::domain}'], other: \"%{alias('u')}\"}\nu: '%{site}'\n",
        &expect![[r#"
            **`k.list`** for any node

            ```yaml
            - "%{::domain}"
            ```

            1. **level "Common" · `data/common.yaml:1`**

            Not known, and left as it is written: `%{::domain}` (`facts.networking.domain`)"#]],
    );
}

#[test]
fn a_value_that_is_the_same_in_all_cases_has_none() {
    check_open(
        "#- /data/roles/compute.yaml\nvirt::module$0: kvm_amd\n",
        &expect![[r#"
            **`virt::module`** for any node where role is compute

            ```yaml
            kvm_amd
            ```

            1. **level "Roles" · `data/roles/compute.yaml:1`**"#]],
    );
}

#[test]
fn a_case_of_a_large_value_shows_what_differs() {
    check_open(
        "#- /data/common.yaml\nlookup_options: {k: {merge: {strategy: deep, knockout_prefix: '--'}}}\n\
         k$0: {a: {b: 1, c: 2, d: 3}, e: {f: 4, g: 5}, h: 6, i: 7}\n\
         #- /data/roles/web.yaml\nk: {e: {g: 8}}\n\
         #- /data/roles/db.yaml\nk: {a: {c: '--'}, h: '--', j: {l: 9}}\n\
         #- /data/roles/ci.yaml\nk: {i: '--'}\n\
         #- /data/roles/own.yaml\nk: {a: {b: 9, c: 9, d: 9}, e: {f: 9}}\n",
        &expect![[r#"
            **`k`** for any node

            ```yaml
            a:
              b: 1
              c: 2
              d: 3
            e:
              f: 4
              g: 5
            h: 6
            i: 7
            ```

            - if role is ci (`data/roles/ci.yaml:1`, `data/common.yaml:2`), the same but with:

              ```yaml
              i: ''
              ```

            - if role is db (`data/roles/db.yaml:1`, `data/common.yaml:2`), the same but with:

              ```yaml
              a:
                c: ''
              h: ''
              j:
                l: 9
              ```

            - if role is own (`data/roles/own.yaml:1`, `data/common.yaml:2`), the same but with:

              ```yaml
              a:
                b: 9
                c: 9
                d: 9
              e:
                f: 9
              ```

            - if role is web (`data/roles/web.yaml:1`, `data/common.yaml:2`), the same but with:

              ```yaml
              e:
                g: 8
              ```

            Merge strategy `deep (knockout_prefix: "--")`, set in `data/common.yaml:1`

            1. **level "Common" · `data/common.yaml:2`**"#]],
    );
    check_open(
        "#- /data/common.yaml\nk$0: [a, b, c, d, e, f, g, h]\n\
         #- /data/roles/web.yaml\nk: [a, b, c, d, e, f, h, g: 1]\n\
         #- /data/roles/db.yaml\nk: [a, b, d, e, f, g, h]\n\
         #- /data/roles/ci.yaml\nk: [x, a, b, c, d, e, f, g, h]\n\
         #- /data/roles/own.yaml\nk: [f, e, d, c, b, a]\n",
        &expect![[r#"
            **`k`** for any node

            ```yaml
            - a
            - b
            - c
            - d
            - e
            - f
            - g
            - h
            ```

            - if role is ci (`data/roles/ci.yaml:1`), the same plus:

              ```yaml
              - x
              ```

            - the same without `c` if role is db (`data/roles/db.yaml:1`)
            - if role is own (`data/roles/own.yaml:1`):

              ```yaml
              - f
              - e
              - d
              - c
              - b
              - a
              ```

            - if role is web (`data/roles/web.yaml:1`), the same without `g`, plus:

              ```yaml
              - g: 1
              ```

            1. **level "Common" · `data/common.yaml:1`**"#]],
    );
    check_open(
        "#- /data/common.yaml\nk$0: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 'ENC[PKCS7,MIIB]'}\n\
         #- /data/roles/web.yaml\nk: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 'ENC[PKCS7,MIIC]'}\n\
         #- /data/roles/ci.yaml\nk: {a: 1, b: 2, c: 3, d: 4, e: 5}\n\
         #- /data/roles/db.yaml\nk: {a: 1, b: ~, c: 3, d: 4, e: 5, f: 'ENC[PKCS7,MIIB]'}\n",
        &expect![[r#"
            **`k`** for any node

            ```yaml
            a: 1
            b: 2
            c: 3
            d: 4
            e: 5
            f: ENC[…] (encrypted, not shown)
            ```

            - the same without `f` if role is ci (`data/roles/ci.yaml:1`)
            - if role is db (`data/roles/db.yaml:1`), the same but with:

              ```yaml
              b:
              ```

            - if role is web (`data/roles/web.yaml:1`), the same but with:

              ```yaml
              f: ENC[…] (encrypted, not shown)
              ```

            1. **level "Common" · `data/common.yaml:1`**"#]],
    );
}

#[test]
fn a_case_says_what_hides_a_member_and_where_a_value_is_the_same() {
    check_open(
        "#- /data/common.yaml\nk: {a$0: 1}\n#- /data/nodes/web01.yaml\nk: {b: 1}\n\
         #- /data/nodes/web02.yaml\nk: {b: 1}\n#- /data/roles/web.yaml\nk: 3\n",
        &expect![[r#"
            **`k.a`** for any node

            ```yaml
            1
            ```

            - not found if trusted.certname is web01 or web02 (hidden by `data/nodes/web01.yaml:1`, `data/nodes/web02.yaml:1`)
            - fails if role is web (`data/roles/web.yaml:1`): undefined method \`include?' for 3:Integer

            1. **level "Common" · `data/common.yaml:1`**"#]],
    );
    check_open(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: A, path: '%{site}/all.yaml'}\n- {name: B, path: 'roles/%{role}.yaml'}\n\
         - {name: C, path: common/all.yaml}\n#- /data/common/all.yaml\nk$0: {a: 1, b: 2}\n\
         #- /data/roles/web.yaml\nk: {a: 2}\n",
        &expect![[r#"
            **`k`** for any node

            ```yaml
            a: 1
            b: 2
            ```

            - the same if site is common
            - `a: 2` if role is web (`data/roles/web.yaml:1`)

            1. **level "C" · `data/common/all.yaml:1`**"#]],
    );
}

#[test]
fn inserted_values_are_named() {
    check_open(
        "#- /data/common.yaml\nurl$0: \"http://%{lookup('host')}:%{lookup('port')}/%{lookup('none')}\"\n\
         host: \"www.%{lookup('domain')}\"\nport: 80\ndomain: example.org\n\
         #- /data/roles/web.yaml\ndomain: example.net\n#- /data/roles/db.yaml\nport: 81\nurl: \"db:%{lookup('port')}\"\n",
        &expect![[r#"
            **`url`** for any node

            ```yaml
            http://www.example.org:80/
            ```

            - `db:81` if role is db (`data/roles/db.yaml:2`, `data/roles/db.yaml:1`)
            - `http://www.example.net:80/` if role is web (`data/roles/web.yaml:1`)

            1. **level "Common" · `data/common.yaml:1`**

            Inserted values: `host` (`data/common.yaml:2`), `port` (`data/common.yaml:3`), `domain` (`data/common.yaml:4`)"#]],
    );
    check_open(
        "#- /data/common.yaml\nk:\n  a: \"%{lookup('x')}\"\n  b$0: \"%{alias('y')}\"\n\
         x: 1\ny:\n  c: 2\n",
        &expect![[r#"
            **`k.b`** for any node

            ```yaml
            c: 2
            ```

            1. **level "Common" · `data/common.yaml:3`**

            Inserted values: `y` (`data/common.yaml:5`)"#]],
    );
}

#[test]
fn a_file_that_two_templates_lead_to_names_its_readers() {
    check_open(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: OS, paths: ['os/%{facts.os.name}.yaml', 'os/%{facts.os.family}.yaml']}\n\
         - {name: Common, path: common.yaml}\n#- /data/common.yaml\na: c\n#- /data/os/RedHat.yaml\na: rh\nonly$0: 1\n",
        &expect![[r#"
            **`only`** for any node where facts.os.name is RedHat, or where facts.os.family is RedHat

            ```yaml
            1
            ```

            1. **level "OS" · `data/os/RedHat.yaml:2`**"#]],
    );
}

/// A module's usual hierarchy: for many systems, the name is that of the family.
const OS: &str = "
#- /hiera.yaml
version: 5
hierarchy:
- {name: OS name, path: 'os/%{facts.os.name}.yaml'}
- {name: OS family, path: 'os/%{facts.os.family}.yaml'}
- {name: Common, path: common.yaml}
#- /data/os/Ubuntu.yaml
a: u
#- /data/common.yaml
a: c
";

#[test]
fn a_file_that_two_levels_lead_to_does_not_override_itself() {
    let node = "#- /.hiera-ls.yaml\nnode: deb\nnodes: {deb: {facts: {os: {name: Debian, family: Debian}}}}\n";
    check_open(
        &format!("{OS}{node}#- /data/os/Debian.yaml\na$0: 1\n"),
        &expect![[r#"
        **`a`** for node `deb`, environment `production`

        ```yaml
        1
        ```

        Merge strategy `first`, by default

        1. **level "OS name" · `data/os/Debian.yaml:1`**
        2. level "Common" · `data/common.yaml:1` · overridden"#]],
    );
    check_open(
        &format!(
            "{OS}{node}#- /data/os/Debian.yaml\nlookup_options: {{b: {{merge: unique}}}}\nb$0: [1]\n"
        ),
        &expect![[r#"
            **`b`** for node `deb`, environment `production`

            ```yaml
            - 1
            ```

            Merge strategy `unique`, set in `data/os/Debian.yaml:1`

            1. level "OS name" · `data/os/Debian.yaml:2`"#]],
    );
    check_open(
        &format!("{OS}#- /data/os/Debian.yaml\na$0: 1\n"),
        &expect![[r#"
            **`a`** for any node where facts.os.name is Debian, or where facts.os.family is Debian

            ```yaml
            1
            ```

            - `u` if facts.os.name is Ubuntu (`data/os/Ubuntu.yaml:1`)

            Merge strategy `first`, by default

            1. **level "OS family" · `data/os/Debian.yaml:1`**
            2. level "Common" · `data/common.yaml:1` · overridden"#]],
    );
}

/// With an empty family, the first path is `os//Debian.yaml`, which is the file of the second one.
#[test]
fn an_empty_variable_is_no_way_to_the_file_of_another_path() {
    check_open(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: R, path: 'os/%{family}/%{release}.yaml'}\n\
         - {name: F, path: 'os/%{family}.yaml'}\n- {name: C, path: c.yaml}\n\
         #- /data/os/Debian/12.yaml\nk: 12\n#- /data/os/Debian.yaml\nk$0: family\n#- /data/c.yaml\nk: common\n",
        &expect![[r#"
            **`k`** for any node where family is Debian

            ```yaml
            family
            ```

            - `12` if release is 12 (`data/os/Debian/12.yaml:1`)

            Merge strategy `first`, by default

            1. **level "F" · `data/os/Debian.yaml:1`**
            2. level "C" · `data/c.yaml:1` · overridden"#]],
    );
}

#[test]
fn the_environment_is_always_set() {
    check_open(
        "#- /hiera.yaml\nversion: 5\nhierarchy:\n- {name: E, datadir: 'e/%{environment}', path: c.yaml}\n\
         - {name: C, path: c.yaml}\n#- /e/production/c.yaml\nk: production\n#- /e/dev/c.yaml\nk: dev\n\
         #- /data/c.yaml\nk$0: common\n",
        &expect![[r#"
            **`k`** for any node

            ```yaml
            common
            ```

            - `dev` if environment is dev (`e/dev/c.yaml:1`)
            - `production` if environment is production (`e/production/c.yaml:1`)

            1. **level "C" · `data/c.yaml:1`**"#]],
    );
}

#[test]
fn a_file_for_a_member_of_a_list_is_read_where_the_list_contains_it() {
    let files = "#- /hiera.yaml\nversion: 5\nhierarchy:\n\
         - {name: T, mapped_paths: [facts.tiers, tier, 'tiers/%{tier}.yaml']}\n- {name: C, path: c.yaml}\n";
    check_open(
        &format!(
            "{files}#- /data/tiers/gold.yaml\nk$0: gold\n#- /data/tiers/blue.yaml\nk: blue\n#- /data/c.yaml\na: 1\n"
        ),
        &expect![[r#"
            **`k`** for any node where tiers contains gold

            ```yaml
            gold
            ```

            1. **level "T" · `data/tiers/gold.yaml:1`**

            1 file of level "T" may decide this, depending on tiers"#]],
    );
    check_open(
        &format!(
            "{files}#- /data/tiers/gold.yaml\nk: gold\n#- /data/c.yaml\na: \"%{{lookup('k$0')}}\"\n"
        ),
        &expect![[r#"
            **`k`** for any node

            Unknown: no level that is evaluated here has it.

            1 file of level "T" may decide this, depending on tiers"#]],
    );
}

/// Puppet can create a value of the type, so the lookup does not fail.
#[test]
fn a_conversion_that_is_not_evaluated_here_is_not_known() {
    check_open(
        "#- /hiera.yaml\nversion: 5\nhierarchy: [{name: C, path: c.yaml}]\n\
         #- /data/c.yaml\nlookup_options: {k: {convert_to: URI}}\nk$0: a\n",
        &expect![[r#"
            **`k`** for any node

            The result is not known: what URI.new() gives is not known here.

            1. **level "C" · `data/c.yaml:2`**

            To be converted to `URI` by `lookup_options` in `data/c.yaml:1`"#]],
    );
}
