//! Renames that cross from code to data and back.

use super::*;

const WEB: &str = "/modules/web/manifests/init.pp";

#[test]
fn a_parameter_takes_its_keys_along() {
    let files = format!(
        "#- {WEB}\n# @param port The port.\nclass web(\n  Integer $po$0rt = 1,\n  $url = \"x:${{port}}\",\n) {{\n  \
         notice($port, \"$port\", $x.map |$y| {{ $port }})\n  $z.each |$port| {{ $port }}\n}}\n\
         #- /modules/web/manifests/heir.pp\nclass web::heir inherits web {{ notice($port) }}\n\
         #- /modules/web/manifests/own.pp\nclass web::own($port) inherits web {{ notice($port) }}\n\
         #- /modules/web/templates/a.epp\n<%= $web::port %> <%= $port %>\n\
         #- /manifests/site.pp\nclass {{ 'web': port => 1 }} notice($web::port, lookup('web::port'))\n\
         #- /data/nodes/web01.yaml\nweb::port: 2\n\
         #- /data/common.yaml\nlookup_options: {{web::port: {{merge: first}}}}\nweb::port: 1\nu: \"%{{lookup('web::port')}}\"\n"
    );
    let expected = [
        "/data/common.yaml:1 lookup_options: {web::listen: {merge: first}}",
        "/data/common.yaml:2 web::listen: 1",
        "/data/common.yaml:3 u: \"%{lookup('web::listen')}\"",
        "/data/nodes/web01.yaml:1 web::listen: 2",
        "/manifests/site.pp:1 class { 'web': listen => 1 } notice($web::listen, lookup('web::listen'))",
        "/modules/web/manifests/heir.pp:1 class web::heir inherits web { notice($listen) }",
        "/modules/web/manifests/init.pp:1 # @param listen The port.",
        "/modules/web/manifests/init.pp:3   Integer $listen = 1,",
        "/modules/web/manifests/init.pp:4   $url = \"x:${listen}\",",
        "/modules/web/manifests/init.pp:6   notice($listen, \"$listen\", $x.map |$y| { $listen })",
        "/modules/web/templates/a.epp:1 <%= $web::listen %> <%= $port %>",
    ];
    assert_eq!(check(&files, "listen", &expected), [""; 0]);
    assert_eq!(check(&files, "$listen", &expected), [""; 0]);
    // The same, asked for in data, and at a use.
    let from_data = files.replace("$po$0rt", "$port").replace("web::port: 2", "web::po$0rt: 2");
    assert_eq!(check(&from_data, "web::listen", &expected), [""; 0]);
    let from_use = files
        .replace("$po$0rt", "$port")
        .replace("notice($port, \"$port\"", "notice($po$0rt, \"$port\"");
    assert_eq!(check(&from_use, "listen", &expected), [""; 0]);
}

#[test]
fn a_name_that_cannot_be_an_attribute_is_refused_where_code_sets_the_parameter() {
    let class = format!("#- {WEB}\nclass web($po$0rt) {{ notice(\"${{port}}\") }}\n");
    check(&class, "_x", &["/modules/web/manifests/init.pp:1 class web($_x) { notice(\"${_x}\") }"]);
    let declared = format!("{class}#- /manifests/site.pp\nclass {{ 'web': port => 1 }}\n");
    check_refusal(
        &declared,
        "_x",
        "manifests/site.pp:1: Puppet does not parse `_x =>`, so the class could not get the parameter there",
    );
    let declared = declared.replace("port =>", "* =>");
    assert_eq!(
        check(
            &declared,
            "_x",
            &["/modules/web/manifests/init.pp:1 class web($_x) { notice(\"${_x}\") }"]
        )
        .len(),
        1
    );
}

#[test]
fn heirs_read_the_parameter_by_the_new_name() {
    let heirs = "#- /modules/web/manifests/a.pp\nclass web::a inherits web { $port }\n\
                 #- /modules/web/manifests/b.pp\nclass web::b inherits web::a { $port }\n\
                 #- /modules/web/manifests/own.pp\nclass web::own($port, $listen) inherits web { $port $listen }\n\
                 #- /manifests/site.pp\nnotice($web::b::port, $web::own::port)\n";
    let files = format!("#- {WEB}\nclass web($po$0rt) {{ }}\n{heirs}");
    check(
        &files,
        "listen",
        &[
            "/manifests/site.pp:1 notice($web::b::listen, $web::own::port)",
            "/modules/web/manifests/a.pp:1 class web::a inherits web { $listen }",
            "/modules/web/manifests/b.pp:1 class web::b inherits web::a { $listen }",
            "/modules/web/manifests/init.pp:1 class web($listen) { }",
        ],
    );
    let reading = files.replace("$port $listen", "$port $other");
    let refusal = "modules/web/manifests/own.pp:1: `$other` exists already";
    check_refusal(&reading, "other", refusal);
}

#[test]
fn a_lambda_with_a_variable_of_this_name_keeps_it_even_behind_the_class() {
    let heir =
        "class web::a inherits web { [1].each |$port| { notice($web::a::port, $web::port) } }";
    check(
        &format!(
            "#- {WEB}\nclass web($po$0rt) {{ [1].each |$port| {{ $web::port }} }}\n\
             #- /modules/web/manifests/a.pp\n{heir}\n"
        ),
        "listen",
        &[
            "/modules/web/manifests/a.pp:1 class web::a inherits web { [1].each |$port| { notice($web::a::port, \
             $web::listen) } }",
            "/modules/web/manifests/init.pp:1 class web($listen) { [1].each |$port| { $web::listen } }",
        ],
    );
}

#[test]
fn a_variable_with_the_heir_before_it_must_not_become_one_of_a_lambda() {
    let files = format!(
        "#- {WEB}\nclass web($po$0rt) {{ [1].each |$it| {{ $web::port }} }}\n\
         #- /modules/web/manifests/a.pp\nclass web::a inherits web {{\n[1].each |$it| {{ notice($web::a::port) }} }}\n"
    );
    let hidden = "`$it` already names a parameter of the lambda there";
    check_refusal(&files, "it", &format!("modules/web/manifests/a.pp:2: {hidden}"));
}

#[test]
fn in_a_default_a_lambda_hides_the_parameter_even_behind_the_class() {
    let files = |lambda: &str| {
        format!(
            "#- {WEB}\nclass web($po$0rt, $d = [1].map |{lambda}| {{ [{lambda}, $web::port] }}) {{ }}\n"
        )
    };
    let hidden = "`$it` already names a parameter of the lambda there";
    check_refusal(&files("$it"), "it", &format!("modules/web/manifests/init.pp:1: {hidden}"));
    check(
        &files("$port"),
        "listen",
        &[
            "/modules/web/manifests/init.pp:1 class web($listen, $d = [1].map |$port| { [$port, $web::port] }) { }",
        ],
    );
}

#[test]
fn a_key_that_leaves_the_class_leaves_the_parameter() {
    let files = format!("#- {WEB}\nclass web($port) {{ }}\n#- /data/common.yaml\nweb::po$0rt: 1\n");
    let warnings = check(&files, "www::port", &["/data/common.yaml:1 www::port: 1"]);
    let said = "`web::port` sets a parameter of class `web` (modules/web/manifests/init.pp:1). The manifest keeps the \
                parameter's name, so the class no longer gets this value.";
    assert_eq!(warnings, [said]);
}

#[test]
fn names_that_are_taken_or_none_are_refused() {
    let files = format!(
        "#- {WEB}\nclass web($po$0rt, $other) {{ $local = $port + $top\n$x.each |$inner| {{ $port }} }}\n\
         #- /data/common.yaml\nweb::data: 1\n"
    );
    let at = "modules/web/manifests/init.pp";
    check_refusal(&files, "other", &format!("{at}:1: `$other` exists already"));
    check_refusal(&files, "local", &format!("{at}:1: `$local` exists already"));
    check_refusal(&files, "top", &format!("{at}:1: `$top` exists already"));
    let lambda = "`$inner` already names a parameter of the lambda there";
    check_refusal(&files, "inner", &format!("{at}:2: {lambda}"));
    check_refusal(&files, "data", "data/common.yaml:1: `web::data` exists already");
    check_refusal(&files, "Port", "`Port` is not a name for a parameter");
    check_refusal(&files, "", "type a name");
    let value = "in a string, Puppet reads `${true}` as a value and not as a variable";
    check_refusal(&files, "true", value);
    check_refusal(&files, "title", "Puppet reserves the name `$title`");
    check_refusal(&files, "module_name", "Puppet reserves the name `$module_name`");
    let broken = files.replace("$local", "$local = (");
    let refused = run(&broken, "listen").1.expect_err("the file is broken");
    assert!(refused.contains("a syntax error hides where the class uses `$port`"), "{refused}");
}

#[test]
fn a_value_for_several_classes_keeps_its_name() {
    let files = |declaration: &str| {
        format!(
            "#- {WEB}\nclass web($po$0rt) {{ }}\n#- /manifests/site.pp\n\n{declaration}\n\
             #- /modules/b/manifests/init.pp\nclass b($port) {{ }}\n"
        )
    };
    for declaration in [
        "class { ['web', 'b']: port => 1 }",
        "class { [b, web]: port => 1 }",
        "class { ['web', $x]: port => 1 }",
        "class { default: port => 1; 'web': ; 'b': }",
        "class { default: port => 1; 'b': port => 2; 'web': }",
        "class { 'web': ; 'b': ; default: port => 1 }",
        "class { default: port => 2; 'web': port => 1; 'b': }",
    ] {
        check_refusal(
            &files(declaration),
            "listen",
            "manifests/site.pp:2: `port` is set there for other classes, too, and they keep this name",
        );
    }
    for declaration in [
        "class { 'web': port => 1; 'b': port => 2 }",
        "class { default: port => 1; 'web': }",
        "class { ['web', '::web']: port => 1 }",
    ] {
        let renamed = declaration.replacen("port => 1", "listen => 1", 1);
        check(
            &files(declaration),
            "listen",
            &[
                &format!("/manifests/site.pp:2 {renamed}"),
                "/modules/web/manifests/init.pp:1 class web($listen) { }",
            ],
        );
    }
}

/// Puppet refuses them if the class has no such parameter.
#[test]
fn attributes_that_set_nothing_are_renamed() {
    let files = format!(
        "#- {WEB}\nclass web($po$0rt) {{ }}\n#- /manifests/site.pp\nclass {{ 'web': port => 1; default: port => 2 }}\n\
         class {{ 'web': port => undef }}\n"
    );
    let expected = [
        "/manifests/site.pp:1 class { 'web': listen => 1; default: listen => 2 }",
        "/manifests/site.pp:2 class { 'web': listen => undef }",
        "/modules/web/manifests/init.pp:1 class web($listen) { }",
    ];
    assert_eq!(check(&files, "listen", &expected), [""; 0]);
}

#[test]
fn what_may_be_meant_is_said() {
    let files = format!(
        "#- {WEB}\nclass web($po$0rt) {{ x {{ y: content => template('web/a.erb') }} }}\n\
         #- /modules/web/templates/a.erb\n<%= @port %> <%= @ports %>\n\
         #- /modules/web/lib/puppet/functions/web/f.rb\ncall_function('lookup', 'web::port') # web::ports\n\
         #- /manifests/site.pp\nclass {{ 'web': * => $h }} lookup(\"web::${{x}}\")\n"
    );
    let warnings = check(
        &files,
        "tag2",
        &[
            "/modules/web/manifests/init.pp:1 class web($tag2) { x { y: content => template('web/a.erb') } }",
        ],
    );
    assert_eq!(
        warnings,
        [
            "Lookups whose key holds expressions may mean `web::port`; they stay as they are: manifests/site.pp.",
            "`web::port` is used in Ruby code, which is not changed: modules/web/lib/puppet/functions/web/f.rb.",
            "manifests/site.pp:1 sets parameters of class `web` from a hash: a `port` in it stays.",
            "modules/web/templates/a.erb has `@port`, which may be the parameter: it stays as it is.",
        ]
    );
    let warnings = check(
        &format!("#- {WEB}\nclass web($po$0rt) {{ }}\n"),
        "schedule",
        &["/modules/web/manifests/init.pp:1 class web($schedule) { }"],
    );
    let said = "`schedule` is a metaparameter: Puppet refuses the class, because the parameter has no default.";
    assert_eq!(warnings, [said]);
    let warnings = check(
        &format!("#- {WEB}\nclass web($po$0rt = 1) {{ }}\n"),
        "schedule",
        &["/modules/web/manifests/init.pp:1 class web($schedule = 1) { }"],
    );
    let said = "`schedule` is a metaparameter: its value applies to all resources in the class.";
    assert_eq!(warnings, [said]);
}

#[test]
fn templates_in_code_that_may_read_the_parameter_are_said() {
    let files = format!(
        "#- {WEB}\nclass web($po$0rt) {{\n  notice(inline_epp('<%= $port %>'), $port)\n  inline_template('<%= @port %>')\n}}\n\
         #- /modules/web/manifests/heir.pp\nclass web::heir inherits web {{ inline_template('<%= @port %>') }}\n\
         #- /modules/web/manifests/own.pp\nclass web::own($port) inherits web {{ inline_template('<%= @port %>') }}\n\
         #- /manifests/site.pp\nnotice(inline_epp(@(E)))\n  <%= $web::port %>\n  | E\n\
         notice(inline_epp(\"<%= \\$web::port %>\"))\n"
    );
    let warnings = check(
        &files,
        "listen",
        &[
            "/modules/web/manifests/init.pp:1 class web($listen) {",
            "/modules/web/manifests/init.pp:2   notice(inline_epp('<%= $port %>'), $listen)",
        ],
    );
    assert_eq!(
        warnings,
        [
            "Code may set or read `port` of class `web` in manifests/site.pp:2, manifests/site.pp:4, \
             modules/web/manifests/heir.pp:1, modules/web/manifests/init.pp:2, modules/web/manifests/init.pp:3: the old name stays \
             there."
        ]
    );
}

#[test]
fn examples_and_specs_that_may_mean_the_parameter_are_said() {
    let files = format!(
        "#- {WEB}\nclass web($po$0rt) {{ }}\n\
         #- /modules/web/examples/init.pp\ninclude web\nclass {{ 'web': port => 1 }}\n\
         #- /modules/web/examples/other.pp\nclass {{ 'web::other': port => 1 }}\n\
         #- /modules/web/examples/plain.pp\ninclude web\n\
         #- /modules/web/examples/read.pp\nnotice($::web::port)\n\
         #- /modules/web/spec/classes/web_spec.rb\ndescribe 'web' do\n  it {{ is_expected.to contain_class('web').with_port(1) }}\n\
         #- /spec/classes/params_spec.rb\ndescribe 'web' do\n  let(:params) {{ {{port: 1}} }}\n\
         #- /spec/classes/symbol_spec.rb\ndescribe 'web' do\n  let(:params) {{ {{:port => 1}} }}\n\
         #- /spec/classes/other_spec.rb\ndescribe 'web' do\n  let(:params) {{ {{ports: 1, 'x::port' => 1}} }}\n"
    );
    let warnings =
        check(&files, "listen", &["/modules/web/manifests/init.pp:1 class web($listen) { }"]);
    assert_eq!(
        warnings,
        [
            "Examples or specs may set or read `port` of class `web`, and are not changed: modules/web/examples/init.pp:2, \
             modules/web/examples/read.pp:1, modules/web/spec/classes/web_spec.rb:2, spec/classes/params_spec.rb:2, \
             spec/classes/symbol_spec.rb:2."
        ]
    );
}

#[test]
fn messages_in_a_module_name_paths_in_it() {
    let fixture = Fixture::parse(
        "#- /metadata.json\n{\"name\": \"x-web\"}\n#- /manifests/init.pp\nclass web($po$0rt) { }\n\
         #- /examples/init.pp\nclass { 'web': port => 1 }\n",
    );
    let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
    let (world, cancel) = (fixture.world(), CancelToken::default());
    let found = rename(&world, &file.world_path(), offset, "listen", &cancel);
    let edit = found.expect("it can be renamed").expect("there is something");
    let said = "Examples or specs may set or read `port` of class `web`, and are not changed: examples/init.pp:1.";
    assert_eq!(edit.warnings, [said]);
}

#[test]
fn only_the_class_that_puppet_loads_is_renamed() {
    let files = format!(
        "#- {WEB}\nclass web($po$0rt) {{ }}\n#- /manifests/site.pp\nclass web($port) {{ }}\n"
    );
    check_refusal(&files, "p2", "Puppet loads class `web` from /repo/manifests/site.pp");
    check_target("#- /modules/web/manifests/d.pp\ndefine web::d($po$0rt) { $port }\n", "nothing");
    check_target(&format!("#- {WEB}\nclass web($port) {{ $x = $oth$0er }}\n"), "nothing");
    check_target(&format!("#- {WEB}\nclass web($port) {{ \"${{po$0rt}}\" }}\n"), "port=port");
}

#[test]
fn keys_of_lookups_are_renamed_with_the_data() {
    let files = "#- /manifests/site.pp\n\
                 lookup('a::$0b') lookup([\"a::b\", x]) hiera(a::b) lookup('a::b.c.d') lookup({name => 'a::b'})\n\
                 lookup('x', {default_values_hash => {'a::b' => 1}}) lookup('a::bc') 'a::b'.lookup\n\
                 #- /data/common.yaml\na::b: {c: {d: 1}}\n";
    check(
        files,
        "a::new",
        &[
            "/data/common.yaml:1 a::new: {c: {d: 1}}",
            "/manifests/site.pp:1 lookup('a::new') lookup([\"a::new\", x]) hiera(a::new) lookup('a::new.c.d') lookup({name => 'a::new'})",
            "/manifests/site.pp:2 lookup('x', {default_values_hash => {'a::new' => 1}}) lookup('a::bc') 'a::new'.lookup",
        ],
    );
    let member = files.replace("a::$0b", "a::b").replace("'a::b.c.d'", "'a::b.$0c.d'");
    check(
        &member,
        "new c",
        &[
            "/data/common.yaml:1 a::b: {'new c': {d: 1}}",
            "/manifests/site.pp:1 lookup('a::b') lookup([\"a::b\", x]) hiera(a::b) lookup('a::b.new c.d') lookup({name => 'a::b'})",
        ],
    );
    check(
        &member.replace("lookup([\"a::b\", x])", "lookup(\"a::b.c\")"),
        "new.c",
        &[
            "/data/common.yaml:1 a::b: {new.c: {d: 1}}",
            "/manifests/site.pp:1 lookup('a::b') lookup(\"a::b.'new.c'\") hiera(a::b) lookup('a::b.\"new.c\".d') lookup({name => 'a::b'})",
        ],
    );
    let bare = "#- /data/common.yaml\na$0: 1\n#- /manifests/site.pp\nlookup(a) lookup('a')\n";
    for (new, written) in [("new", "new"), ("if", "'if'"), ("class", "'class'")] {
        let expected = format!("/manifests/site.pp:1 lookup({written}) lookup('{new}')");
        check(bare, new, &[&format!("/data/common.yaml:1 {new}: 1"), &expected]);
    }
    let members = "#- /manifests/site.pp\nlookup(\"a.${x}\") lookup(\"a.b.${x}\") lookup(\"ab.${x}\")\n\
                   #- /data/common.yaml\na$0: {b: 1}\n";
    check(
        members,
        "new",
        &[
            "/data/common.yaml:1 new: {b: 1}",
            "/manifests/site.pp:1 lookup(\"new.${x}\") lookup(\"new.b.${x}\") lookup(\"ab.${x}\")",
        ],
    );
    let warnings =
        check(&members.replace("a$0: {b", "a: {b$0"), "new", &["/data/common.yaml:1 a: {new: 1}"]);
    let said = "`a` is also looked up in manifests/site.pp:1, manifests/site.pp:1: the old name stays there.";
    assert_eq!(warnings, [said]);
    check_target(
        "#- /manifests/site.pp\nlookup(\"a::$$0{x}\")\n",
        "the key holds expressions: it is only known when the code is evaluated",
    );
}

#[test]
fn code_that_gets_a_whole_value_keeps_the_names_of_sub_keys() {
    let files = "#- /modules/app/manifests/init.pp\nclass app (Hash $cfg) {\n  $x = $cfg['port']\n\
                 $m = lookup('app::cfg')['port'] }\n\
                 #- /manifests/site.pp\nlookup('app::cfg.port') lookup('app::cfg.name') lookup(app::cfg.port.x)\n\
                 #- /data/common.yaml\napp::cfg: {po$0rt: 1}\n";
    let warnings = check(
        files,
        "portz",
        &[
            "/data/common.yaml:1 app::cfg: {portz: 1}",
            "/manifests/site.pp:1 lookup('app::cfg.portz') lookup('app::cfg.name') lookup(app::cfg.port.x)",
        ],
    );
    let said = "The whole value of `app::cfg` is also used in modules/app/manifests/init.pp:1, \
                modules/app/manifests/init.pp:3: code that reads `port` from it keeps the old name.";
    assert_eq!(warnings, [said]);
}

const SERVER: &str = "#- /modules/web/manifests/server.pp\nclass web::ser$0ver($port) inherits web { }\n\
    #- /modules/web/manifests/init.pp\nclass web { contain web::server include '::web::server', web::server2\n\
    notice($web::server::port, $::web::server::port, $web::server) Class['web::server'] -> Class[web::server2] }\n\
    #- /modules/web/manifests/more.pp\nclass web::more inherits ::web::server { class { 'web::server': port => 1 } }\n\
    #- /data/common.yaml\nweb::server::port: 1\nweb::server::lost: 1\nweb::server::sub::x: 1\nclasses: [web::server, web::server2]\n\
    lookup_options: {web::server::port: {}, '^web::server::': {}}\n\
    #- /modules/web/examples/init.pp\ninclude ::web::server\n\
    #- /modules/web/examples/more.pp\ninclude web::server::more\n\
    #- /modules/web/spec/classes/server_spec.rb\ndescribe 'web::server' do\n";

#[test]
fn a_class_takes_its_keys_along() {
    let warnings = check(
        SERVER,
        "web::listener",
        &[
            "/data/common.yaml:1 web::listener::port: 1",
            "/data/common.yaml:2 web::listener::lost: 1",
            "/data/common.yaml:5 lookup_options: {web::listener::port: {}, '^web::server::': {}}",
            "/modules/web/manifests/init.pp:1 class web { contain web::listener include '::web::listener', web::server2",
            "/modules/web/manifests/init.pp:2 notice($web::listener::port, $::web::listener::port, $web::server) Class['web::listener'] -> Class[web::server2] }",
            "/modules/web/manifests/more.pp:1 class web::more inherits ::web::listener { class { 'web::listener': port => 1 } }",
            "/modules/web/manifests/server.pp:1 class web::listener($port) inherits web { }",
        ],
    );
    assert_eq!(
        warnings,
        [
            "Rename the file modules/web/manifests/server.pp to modules/web/manifests/listener.pp: Puppet looks for the class there.",
            "The pattern `^web::server::` in the lookup_options of data/common.yaml stops matching.",
            "Values of the data that may mean the class stay as they are: data/common.yaml:4.",
            "`web::server` is used in examples, specs or Ruby code, which are not changed: modules/web/examples/init.pp:1, \
             modules/web/spec/classes/server_spec.rb:1.",
            "`web::server` may also be used where hiera-ls cannot see it: in names that code computes, or in a node classifier.",
        ]
    );
}

#[test]
fn strings_and_variables_of_a_class_are_named() {
    let warnings = check(
        "#- /modules/m/manifests/web.pp\nclass m::we$0b { $v = 1 }\nclass m::web::sub { }\nclass m::web::v { }\n\
         #- /manifests/site.pp\ninclude m::web\n$c = 'm::web'\nnotice(getvar(\"::m::web::v\"))\nnotice(defined('m::web'))\n\
         notice('m::web::sub::v', 'm::web is', 'm::web2', 'm::web::sub')\n\
         #- /data/common.yaml\nx: '%{m::web::v}'\ny: '%{::m::web::v.a}'\nz: '%{m::web::sub::v}'\n",
        "m::www",
        &[
            "/manifests/site.pp:1 include m::www",
            "/modules/m/manifests/web.pp:1 class m::www { $v = 1 }",
        ],
    );
    assert_eq!(
        warnings[..3],
        [
            "Data reads variables of the class in data/common.yaml:1, data/common.yaml:2: the old name stays there.",
            "Move the class from modules/m/manifests/web.pp to a file modules/m/manifests/www.pp, where Puppet looks for it. \
             `m::web::sub` has to stay in modules/m/manifests/web.pp.",
            "Strings in code that may mean the class or its variables stay as they are: manifests/site.pp:2, manifests/site.pp:3, \
             manifests/site.pp:4.",
        ]
    );
}

#[test]
fn names_that_no_class_can_have_are_refused() {
    check_refusal(SERVER, "web::Listener", "`web::Listener` is not a name for a class");
    check_refusal(SERVER, "web::more", "modules/web/manifests/more.pp: `web::more` exists already");
    let elsewhere = "Puppet only looks in the module web for classes that start with `web::`";
    check_refusal(SERVER, "www::server", elsewhere);
    let module = "#- /modules/web/manifests/init.pp\nclass we$0b { }\n";
    let own = "`web` has the name of its module: Puppet finds it only by that name";
    check_refusal(module, "www", own);
    check_target(module, own);
    let nested = "#- /modules/web/manifests/a.pp\nclass web::$0a { class b { } }\n";
    let inner = "`web::a::b` is declared inside of the class and would be renamed, too";
    check_refusal(nested, "web::c", inner);
}

#[test]
fn root_keys_with_dots() {
    let code = "#- /manifests/site.pp\nlookup('a') lookup('a.b') lookup(\"'a.b'.c\") lookup(\"a.${x}\")\n\
                #- /modules/web/manifests/init.pp\nclass web { lookup(\"'a.b'\") }\n";
    let data = "y: \"%{lookup('a.b')}\"\nz: '%{lookup(\"''a.b''\")}'\n";
    check(
        &format!("#- /data/common.yaml\na$0.b: {{c: 1}}\na: {{b: 2}}\n{data}{code}"),
        "n.n",
        &[
            "/data/common.yaml:1 n.n: {c: 1}",
            "/data/common.yaml:4 z: '%{lookup(\"''n.n''\")}'",
            "/manifests/site.pp:1 lookup('a') lookup('a.b') lookup(\"'n.n'.c\") lookup(\"a.${x}\")",
            "/modules/web/manifests/init.pp:1 class web { lookup(\"'n.n'\") }",
        ],
    );
    check(
        &format!("#- /data/common.yaml\na.b: {{c: 1}}\na$0: {{b: 2}}\n{data}{code}"),
        "n",
        &[
            "/data/common.yaml:2 n: {b: 2}",
            "/data/common.yaml:3 y: \"%{lookup('n.b')}\"",
            "/manifests/site.pp:1 lookup('n') lookup('n.b') lookup(\"'a.b'.c\") lookup(\"n.${x}\")",
        ],
    );
}

#[test]
fn a_computed_member_of_another_key_in_quotes_stays() {
    let code = "#- /manifests/site.pp\nlookup('k') lookup(\"'a.b'.${x}\")\n";
    check(
        &format!("#- /data/common.yaml\nk$0: 1\na.b: {{c: 1}}\n{code}"),
        "new",
        &[
            "/data/common.yaml:1 new: 1",
            "/manifests/site.pp:1 lookup('new') lookup(\"'a.b'.${x}\")",
        ],
    );
    let warnings = check(
        &format!("#- /data/common.yaml\nk: 1\na$0.b: {{c: 1}}\n{code}"),
        "new",
        &[
            "/data/common.yaml:2 new: {c: 1}",
            "/manifests/site.pp:1 lookup('k') lookup(\"new.${x}\")",
        ],
    );
    assert_eq!(warnings, [""; 0]);
}

/// Two environments with a common module, in which `$0` marks what is renamed.
fn with_common_module(name: &str, manifest: &str) -> String {
    let environment = |name: &str| {
        format!(
            "#- /environments/{name}/hiera.yaml\nversion: 5\n\
             #- /environments/{name}/environment.conf\nmodulepath = ../../modules\n\
             #- /environments/{name}/manifests/site.pp\nclass {{ 'm': port => 1 }}\n\
             #- /environments/{name}/data/common.yaml\nm::port: 1\nother: 2\n"
        )
    };
    let (one, two) = (environment("production"), environment("qa"));
    format!("{one}{two}#- /modules/m/manifests/{name}.pp\n{manifest}\n")
}

#[test]
fn a_module_of_several_environments() {
    let files = with_common_module("init", "class m ($po$0rt, $q = lookup('other')) { }");
    check(
        &files,
        "p",
        &[
            "/environments/production/data/common.yaml:1 m::p: 1",
            "/environments/production/manifests/site.pp:1 class { 'm': p => 1 }",
            "/environments/qa/data/common.yaml:1 m::p: 1",
            "/environments/qa/manifests/site.pp:1 class { 'm': p => 1 }",
            "/modules/m/manifests/init.pp:1 class m ($p, $q = lookup('other')) { }",
        ],
    );
    let files = with_common_module("init", "class m ($port, $q = lookup('oth$0er')) { }");
    check(
        &files,
        "another",
        &[
            "/environments/production/data/common.yaml:2 another: 2",
            "/environments/qa/data/common.yaml:2 another: 2",
            "/modules/m/manifests/init.pp:1 class m ($port, $q = lookup('another')) { }",
        ],
    );
    let (_, edit) = run(&with_common_module("a", "class m::a$0 ($port) { }"), "m::b");
    let warnings = edit.expect("it can be renamed").warnings;
    let others =
        "The module of `m::a` also belongs to other environments: qa. Their code is not changed.";
    assert!(warnings.iter().any(|it| it == others), "{warnings:?}");
}
