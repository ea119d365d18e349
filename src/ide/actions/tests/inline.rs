//! Calls that give way to their values.

use super::refactorings::{check_same_answers, refusals, titles};

#[test]
fn a_call_gives_way_to_its_value() {
    let common = "#- /data/common.yaml\nlist: [one, {two: 'it''s'}]\nhost: www\nn: 0x1F\n";
    check_same_answers(
        &format!("{common}#- /data/nodes/web01.yaml\na: [\"%{{alias('list')$0}}\"]\n"),
        "Inline the value of `list`",
        "#- /data/nodes/web01.yaml\na: [[one, {two: 'it''s'}]]\n",
    );
    check_same_answers(
        &format!(
            "{common}#- /data/nodes/web01.yaml\na: 'http://%{{lookup(\"list.1.two\")$0}}/%{{lookup(\"host\")}}'\n"
        ),
        "Inline the value of `list.1.two`",
        "#- /data/nodes/web01.yaml\na: 'http://it''s/%{lookup(\"host\")}'\n",
    );
    let none: [&str; 0] = [];
    assert_eq!(
        titles(&format!("{common}#- /data/nodes/web01.yaml\na: \"%{{lookup('n')$0}}\"\n")),
        none
    );
    assert_eq!(
        titles(&format!("{common}#- /data/nodes/web01.yaml\na: \"%{{lookup('list')$0}}\"\n")),
        none
    );
    let twice = "#- /data/nodes/db01.yaml\nhost: db\n#- /data/nodes/web01.yaml\na: \"%{lookup('host')$0}\"\n";
    assert_eq!(titles(&format!("{common}{twice}")), none);
    let options = "lookup_options: {host: {convert_to: Sensitive}}\n#- /data/nodes/web01.yaml\na: \"%{lookup('host')$0}\"\n";
    assert_eq!(titles(&format!("{common}{options}")), none);
}

#[test]
fn a_shared_key_goes_when_all_its_calls_do() {
    let title = "Inline `host` everywhere (3 places) and remove it";
    let web01 = "#- /data/nodes/web01.yaml\na: 'http://%{lookup(\"host\")}/%{lookup(\"host\")}'\n";
    for (common, calling) in
        [("# who\nhost$0: www # as ever\nz: 1\n", ""), ("# who\nhost: www # as ever\nz: 1\n", "$0")]
    {
        let db01 = format!("#- /data/nodes/db01.yaml\nb: [\"%{{alias('host'){calling}}}\"]\n");
        check_same_answers(
            &format!("#- /data/common.yaml\n{common}{web01}{db01}"),
            title,
            "#- /data/common.yaml\nz: 1\n#- /data/nodes/web01.yaml\na: 'http://www/www'\n#- /data/nodes/db01.yaml\nb: [www]\n",
        );
    }
}

#[test]
fn a_shared_key_that_must_stay_says_why() {
    let ask = "#- /data/nodes/web01.yaml\na: \"%{lookup('host')}\"\n";
    let why = |common: &str| {
        let refusals = refusals(&format!("#- /data/common.yaml\n{common}{ask}"));
        refusals.into_iter().filter(|it| it.contains("host")).collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(why("host$0: www\n"), none);
    assert_eq!(
        why("host$0: [www]\n"),
        ["`host` is a list or a hash, which cannot be a part of a text."]
    );
    assert_eq!(
        why("host$0: www\nlookup_options: {host: {merge: first}}\n"),
        ["`host` has lookup options."]
    );
    assert_eq!(
        why("host$0: www\n#- /data/roles/web.yaml\nhost: other\n"),
        ["`host` is written in several places."]
    );
    assert_eq!(why("host$0: \"x %{lookup('host')}\"\n"), ["`host` looks itself up."]);
    let of_class = "#- /data/common.yaml\na::b$0: www\nc: \"%{lookup('a::b')}\"\n";
    assert!(
        !titles(of_class).iter().any(|title| title.contains("everywhere")),
        "a class may take it"
    );
}

#[test]
fn a_value_that_a_call_cannot_give_way_to_says_why() {
    let check = |key: &str, call: &str, expected: &str| {
        let files = format!("#- /data/common.yaml\n{key}\nw: {call}\n");
        let why =
            refusals(&files).into_iter().find(|it| it.contains("`d`") || it.contains("HOCON"));
        assert_eq!(why.as_deref(), Some(expected), "{key}");
    };
    let lookup = "\"%{lookup('d')$0}\"";
    check("d: {a: 1}", lookup, "`d` is a list or a hash, which cannot be a part of a text.");
    check(
        "d: 0x1F",
        lookup,
        "`d` is not a string, and Puppet may write it in a text in another way.",
    );
    check("d: \"a\\nb\"", lookup, "`d` has several lines.");
    check("d: x", "x %{lookup('d')$0}", "A call of `d` is in a string without quotes.");
    let not_here = "`d` has characters that the string here cannot contain.";
    check("d: \"\\e[1m\"", "'%{lookup(\"d\")$0}'", not_here);
    let not_yaml = "hiera-ls cannot write the value of `d` in YAML so that it stays the same.";
    check("d: !!str 5", "\"%{alias('d')$0}\"", not_yaml);
    check("d: [!!binary aGVsbG8=]", "\"%{alias('d')$0}\"", not_yaml);
    check(
        "d: !!float 1",
        lookup,
        "`d` is not a string, and Puppet may write it in a text in another way.",
    );
    check("d: &x x", lookup, "`d` has an anchor or an alias.");
    check(
        "d: {a: 1}",
        "\"%{lookup('d.b')$0}\"",
        "A call asks for a part of `d` that is not written there.",
    );
    check("d: \"%{alias('z')}\"", lookup, "`d` calls `alias`, which must be the whole string.");
}

#[test]
fn control_characters_are_escaped_in_the_place_of_a_call() {
    check_same_answers(
        "#- /data/common.yaml\nbold: \"\\e[1m\\x85\"\nw: \"%{lookup('bold')$0}Hi\"\n",
        "Inline the value of `bold`",
        "#- /data/common.yaml\nbold: \"\\e[1m\\x85\"\nw: \"\\u001b[1m\\u0085Hi\"\n",
    );
    check_same_answers(
        "#- /data/common.yaml\nzone: !!str 5\nw: \"a%{lookup('zone')$0}\"\n",
        "Inline the value of `zone`",
        "#- /data/common.yaml\nzone: !!str 5\nw: \"a5\"\n",
    );
}

#[test]
fn a_text_that_puppet_would_interpolate_in_another_way_is_not_inlined() {
    let check = |q: &str, w: &str, expected: &str| {
        let files = format!("#- /data/common.yaml\nq$0: \"{q}\"\nw: \"{w}\"\n");
        let found = refusals(&files);
        assert!(found.iter().any(|it| it == expected), "{found:?}");
        let files = files.replace("$0", "").replace("lookup('q')}", "lookup('q')$0}");
        let found = refusals(&files);
        assert!(found.iter().any(|it| it == expected), "{found:?}");
    };
    let again = "`lookup` interpolates the text of `q` again, including its `%{foo}`.";
    check("%{literal('%')}{foo} long text", "%{lookup('q')}", again);
    let around = "The text around `q` would become another `%{…}` with it.";
    check("100%", "%{lookup('q')}{x}", around);
    check("{x}", "100%%{lookup('q')}", around);
    check_same_answers(
        "#- /data/common.yaml\nq: \"%{literal('%')} of %{facts.role}\"\nw: \"%{lookup('q')$0}\"\n",
        "Inline the value of `q`",
        "#- /data/common.yaml\nq: \"%{literal('%')} of %{facts.role}\"\nw: \"%{literal('%')} of %{facts.role}\"\n",
    );
}

#[test]
fn comments_that_go_with_a_shared_value_are_said() {
    let files = "#- /data/common.yaml\nn$0: # why\n  x: 1\n  y:\n    - a   # ca\n    - b\n  # z: 1\nw: \"%{alias('n')}\"\n";
    check_same_answers(
        files,
        "Inline `n` everywhere (1 place) and remove it: removes 2 comments",
        "#- /data/common.yaml\nw: {x: 1, y: [a, b]}\n",
    );
    let title = "Inline `n` everywhere (1 place) and remove it: removes a comment";
    for value in ["\n  # of all\n  - a", "\n  - a\n  # - b", " [a] # why\n  # - b", "\n- a # why"] {
        check_same_answers(
            &format!("#- /data/common.yaml\nn$0:{value}\nw: \"%{{alias('n')}}\"\n"),
            title,
            "#- /data/common.yaml\nw: [a]\n",
        );
    }
}

#[test]
fn values_are_inlined_up_to_a_limit() {
    let value = "x".repeat(crate::limits::MAX_INLINED_BYTES / 40);
    let calls = "- \"%{lookup('v')}\"\n".repeat(41);
    let found = refusals(&format!("#- /data/common.yaml\nv$0: '{value}'\nlist:\n{calls}"));
    assert!(
        found.contains(&"The value of `v` is too long for so many places.".to_owned()),
        "{found:?}"
    );
}
