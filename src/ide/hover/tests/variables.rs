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
            "`calling_module` is empty in a global layer of version 3. Elsewhere, nothing defines it: the lookup fails."
        ],
    );
}

#[test]
fn the_top_scope_belongs_to_no_module() {
    check_open(
        "#- /data/common.yaml\na: 'm %{module_$0name}'\n",
        &expect![[r"
            **`module_name`** for any node, environment `production`

            ```yaml
            ''
            ```

            Hiera reads it in the top scope, which belongs to no module"]],
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

        Not known: the Puppet server sets `settings::environment` from its own settings whenever it compiles a catalog. `puppet lookup` does not set it without `--compile`."]]
    .assert_eq(&hover.markdown);
}
