//! What hovers show on variables in texts and in `hiera.yaml`.

use expect_test::{Expect, expect};

use super::{check, check_open};
use crate::engine::CancelToken;
use crate::ide::fixture::Fixture;
use crate::ide::hover::hover;

#[test]
fn what_would_make_a_variable_known() {
    let check = |variable: &str, expected: &Expect| {
        let fixture = Fixture::parse(&format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
             #- /data/common.yaml\na: '%{{$0{variable}}}'\n"
        ));
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        expected.assert_eq(hover.expect("a variable").markdown.lines().last().unwrap_or_default());
    };
    check(
        "environment",
        &expect![
            "Not known: `environment` depends on the node. The setting `environment` can make it known."
        ],
    );
    check(
        "server_facts.x",
        &expect![
            "Not known: `server_facts.x` depends on the node. The setting `serverFacts` can make it known."
        ],
    );
    check(
        "trusted.certname",
        &expect![
            "Not known: `trusted.certname` depends on the node. Choose a node to see a value, for example with the setting `node`."
        ],
    );
    check(
        "trusted.extensions.pp_role",
        &expect![
            "Not known: `trusted.extensions.pp_role` depends on the node. A fact set or the setting `trusted` can make it known."
        ],
    );
    check(
        "facts.role",
        &expect![
            "Not known: `facts.role` depends on the node. A fact set, or the setting `node_name` or `variables`, can make it known."
        ],
    );
    check(
        "::tier",
        &expect![
            "Not known: `::tier` depends on the node. A fact set, or the setting `node_name` or `variables`, can make it known."
        ],
    );
    check(
        "web::port",
        &expect!["`web::port` belongs to a class: it exists once the class is evaluated."],
    );
    check(
        "::web::port",
        &expect!["`web::port` belongs to a class: it exists once the class is evaluated."],
    );
    check(
        "calling_module",
        &expect![
            "In a global layer of version 3, `calling_module` depends on the class that calls, and is empty outside of classes. Elsewhere, nothing defines it: the lookup fails."
        ],
    );
}

#[test]
fn the_top_scope_belongs_to_no_module() {
    check_open(
        "#- /data/common.yaml\na: 'm %{module_$0name}'\n",
        &expect![[r"
            **`module_name`** for any node

            ```yaml
            ''
            ```

            Hiera reads it in the top scope, which belongs to no module. For the parameters and the code of a class, it belongs to the module of the class"]],
    );
}

#[test]
fn the_version_of_the_server_is_not_in_the_fact_set() {
    check(
        "#- /data/common.yaml\na: 'v%{server$0version}'\n",
        &expect![[r"
            %{serverversion}
            ---
            **`serverversion`** for node `web01`, environment `production`

            ```yaml
            8.11.0
            ```

            The usual version of a server for the setting `puppetVersion`. A fact set or `serverFacts` can name another"]],
    );
}

#[test]
fn what_the_server_sets_is_not_known() {
    let files = "#- /hiera.yaml\nversion: 5\n#- /.hiera-ls.yaml\nnode: web01\nnodes: {web01: {facts: {a: 1}}}\n#- /data/common.yaml\na: 'in %{settings::$0environment}'\n";
    let fixture = Fixture::parse(files);
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default())
        .expect("a variable");
    expect![[r"
        **`settings::environment`** for node `web01`, environment `production`

        Not known: Puppet sets `settings::environment` from the settings of the machine that it runs on."]]
    .assert_eq(&hover.markdown);
}

#[test]
fn members_of_a_value_without_members() {
    let end_of = |token: &str| {
        let files = format!(
            "#- /.hiera-ls.yaml\nnode: web01\nnodes: {{web01: {{facts: {{role: web, l: [a], n: 5, none: ~, h: {{a: 1}}}}}}}}\n\
             #- /data/common.yaml\na: \"%{{$0{token}}}\"\n"
        );
        let fixture = Fixture::parse(&files);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let markdown = hover.expect("a variable").markdown;
        let lines = markdown.lines().skip(2).filter(|it| !it.is_empty() && !it.starts_with("```"));
        lines.collect::<Vec<_>>().join(" / ")
    };
    let fails = |name: &str, class: &str| {
        format!(
            "A lookup that reads `{name}` fails: / Data Provider type mismatch: Got {class} when a hash-like object was \
             expected to access value using 'x' from key '{name}'"
        )
    };
    assert_eq!(end_of("facts.role.x"), fails("facts.role.x", "String"));
    assert_eq!(end_of("role.x"), fails("role.x", "String"));
    assert_eq!(end_of("facts.l.x"), fails("facts.l.x", "Array"));
    assert_eq!(end_of("scope('trusted.certname.x')"), fails("trusted.certname.x", "String"));
    assert_eq!(end_of("environment.x"), fails("environment.x", "String"));
    let number =
        "A lookup that reads `facts.n.x` fails: / undefined method `include?' for 5:Integer";
    assert_eq!(end_of("facts.n.x"), number);
    let missing = "`facts` has no such member: Puppet uses an empty string.";
    assert_eq!(end_of("facts.h.x"), missing);
    assert_eq!(end_of("facts.l.1"), missing);
    assert_eq!(end_of("facts.h.a"), "1 / From `.hiera-ls.yaml`");
}

#[test]
fn what_the_fact_set_does_not_contain() {
    let end_of = |token: &str| {
        let files = format!(
            "#- /hiera.yaml\nversion: 5\nhierarchy: [{{name: c, path: common.yaml}}]\n\
             #- /.hiera-ls.yaml\n{{node: n1, trusted: {{extensions: {{a: b}}}}, variables: {{site: x, role: db}}, \
             nodes: {{n1: {{facts: {{tier: 1}}}}}}}}\n\
             #- /spec/factsets/n1.json\n{{\"name\": \"n1\", \"values\": {{\"role\": \"web\", \"size\": 1}}, \"trusted\": {{\"extensions\": {{\"c\": \"d\"}}}}}}\n\
             #- /data/common.yaml\na: \"%{{$0{token}}}\"\n"
        );
        let fixture = Fixture::parse(&files);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let hover = hover(&fixture.world(), &file.world_path(), offset, &CancelToken::default());
        let markdown = hover.expect("a variable").markdown;
        markdown.lines().last().unwrap_or_default().to_owned()
    };
    let (facts, settings) = ("From `spec/factsets/n1.json`", "From the settings");
    for (token, expected) in [
        ("size", facts),
        ("::size", facts),
        ("facts.size", facts),
        ("facts.role", facts),
        // The setting `variables` overrides the fact.
        ("role", settings),
        ("site", settings),
        ("tier", settings),
        ("facts.tier", settings),
        ("trusted.extensions.a", settings),
        ("trusted.extensions.c", facts),
        ("title", "Hiera reads it in the class `main`"),
        ("name", "Hiera reads it in the class `main`"),
        ("environment", "The name of the environment"),
        ("server_facts.environment", "The name of the environment"),
        ("trusted.certname", "Follows from the node's name"),
        ("trusted.authenticated", "Puppet's usual value: the fact set does not say it"),
        (
            "server_facts.servername",
            "Not known: `server_facts.servername` depends on the server that compiles the catalog. The setting `serverFacts` can make it known.",
        ),
    ] {
        assert_eq!(end_of(token), expected, "{token}");
    }
}
