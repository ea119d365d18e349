//! What is found in manifests, whole ones and broken ones.

use std::sync::Arc;

use crate::syntax::puppet::{Constant, Language, Manifest, names, parse};

/// Declarations as `kind name(parameters)`, calls as `function keys`, in the order of the file.
fn found(text: &str) -> Vec<String> {
    let Manifest { declarations, calls, .. } = parse(text, Language::Manifest);
    let mut records: Vec<(u32, String)> = Vec::new();
    for declaration in &declarations {
        let parameters: Vec<_> = declaration.parameters.iter().map(|it| it.name.as_str()).collect();
        let name = declaration.name.as_deref().unwrap_or("-");
        let line = format!("{} {name}({})", declaration.kind.name(), parameters.join(","));
        records.push((declaration.range.start, line));
    }
    for call in &calls {
        let names: Vec<_> = call.names.iter().map(|it| it.text.as_str()).collect();
        records.push((call.position, format!("{} {}", call.function, names.join(","))));
    }
    records.sort_by_key(|(offset, _)| *offset);
    records.into_iter().map(|(_, line)| line).collect()
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(parse(text, Language::Manifest).errors, [], "{text}");
    assert_eq!(found(text), expected, "{text}");
}

/// Types and defaults of the parameters of the first declaration, as they are written.
#[track_caller]
fn check_parameters(text: &str, expected: &[(Option<&str>, Option<&str>)]) {
    let manifest = parse(text, Language::Manifest);
    assert_eq!(manifest.errors, [], "{text}");
    let parameters: Vec<_> = manifest.declarations[0]
        .parameters
        .iter()
        .map(|it| {
            let default = it.default.as_ref().map(|it| it.range.slice(text));
            (it.type_range.map(|it| it.slice(text)), default)
        })
        .collect();
    assert_eq!(parameters, expected, "{text}");
}

#[test]
fn nested_declarations_are_named_after_the_classes_around() {
    // Puppet refuses some of these at their places.
    assert_eq!(
        found("class a { class b { define c($x) { } } define d { class e { } } function f { } }"),
        [
            "class a()",
            "class a::b()",
            "define a::b::c(x)",
            "define a::d()",
            "class a::e()",
            "function f()",
        ]
    );
    assert_eq!(found("class ::a { }\nnode 'x', /y/ { }"), ["class a()", "node -()"]);
}

#[test]
fn parameters_keep_their_text() {
    check_parameters(
        "class a(Integer[1, # one\n 2] $a = { 'x' => [1, 2] }, $b=1,Any $c, String$d='a,b',) inherits b { }",
        &[
            (Some("Integer[1, # one\n 2]"), Some("{ 'x' => [1, 2] }")),
            (None, Some("1")),
            (Some("Any"), None),
            (Some("String"), Some("'a,b'")),
        ],
    );
}

#[test]
fn a_comma_between_the_parameters_of_a_lambda_ends_no_default() {
    check_parameters(
        "class a($x = $y.map |$a, $b| { 1 }, $z = 2) { }",
        &[(None, Some("$y.map |$a, $b| { 1 }")), (None, Some("2"))],
    );
}

#[test]
fn the_default_of_a_heredoc_is_its_tag() {
    check_parameters(
        "class a($x = @(E), # c\ntext ) ,\nE\n $y = 1) { }",
        &[(None, Some("@(E)")), (None, Some("1"))],
    );
    check_parameters(
        "class a($x = [@(E),\ntext\nE\n 2]) { }",
        &[(None, Some("[@(E),\ntext\nE\n 2]"))],
    );
}

#[test]
fn defaults_that_are_written_out_have_values() {
    let manifest =
        parse("class a($x = [-1, foo-bar, undef, \"a\\n\"], $y = $x) { }", Language::Manifest);
    let defaults = &manifest.declarations[0].parameters;
    let constant = |at: usize| defaults[at].default.as_ref().and_then(|it| it.constant.clone());
    let text = |it: &str| Constant::Text(it.to_owned());
    let items =
        vec![Constant::Number("-1".to_owned()), text("foo-bar"), Constant::Undef, text("a\n")];
    assert_eq!(constant(0), Some(Constant::List(items)));
    assert_eq!(constant(1), None);
}

#[test]
fn inclusions_name_classes_in_every_form() {
    check("include a, '::b', [c, ['d', Class['e', f]]], $x", &["include a,::b,c,d,e,f"]);
    check("'a'.include ['b', 'c'].contain()", &["include a", "contain b,c"]);
    check("include(a)\ncontain ('b') require\n c", &["include a", "contain b", "require c"]);
    check(
        "class { ['a', 'b']: x => 1; default: y => lookup('k'); \"c${d}\": }",
        &["class a,b", "lookup k", "class "],
    );
    check("include { a => 1 }\ninclude\n$x = include", &["include ", "include "]);
}

#[test]
fn lookups_name_keys_in_every_form() {
    check(
        "lookup('a')  ::lookup(\"b\")  lookup(['c', $x, d])",
        &["lookup a", "lookup b", "lookup c,d"],
    );
    check(
        "lookup({ 'name' => 'a', merge => deep })  lookup(merge => x, name => [b])",
        &["lookup a", "lookup b"],
    );
    check("'a'.lookup(String) hiera_hash(\"x::${y}\", {})", &["lookup a", "hiera_hash "]);
    check("$x = lookup\n('a')", &[]);
    check("$x = \"${lookup('a')} ${ 'b'.lookup } ${lookup}\"", &["lookup a", "lookup b"]);
    check("$x = @(\"E\")\n  ${lookup('a')}\n  | E\nlookup('b')", &["lookup a", "lookup b"]);
}

#[test]
fn interpolated_keys_are_patterns() {
    let manifest = parse("lookup(\"a::${x}::b\")", Language::Manifest);
    let text = |it: &str| Some(it.to_owned());
    assert_eq!(manifest.calls[0].pattern, Some(vec![text("a::"), None, text("::b")]));
}

#[test]
fn calls_are_where_puppet_says() {
    let text = "'k'\n .lookup\n'k'.\n lookup(1)\nclass { 'a' +\n 'b': }";
    let manifest = parse(text, Language::Manifest);
    let lines: Vec<_> = manifest
        .calls
        .iter()
        .map(|it| text[..it.position as usize].matches('\n').count())
        .collect();
    assert_eq!(lines, [1, 3, 4]);
}

#[test]
fn reserved_words_may_be_attributes_and_items() {
    check("file { 'x': type => 1, class => lookup('a'), if => 2 }", &["lookup a"]);
    check("$x = [type, function, { type => 1, default => lookup('a') }]", &["lookup a"]);
}

#[test]
fn all_statements_are_read_through() {
    let text = "case $x { 'a', /b/: { include a } default: { } }
      unless $x { include b } else { include c }
      if $x { include d } elsif $y { include e } else { include f }
      File <| title == lookup('g') |> { mode => lookup('h') } -> Class['x']
      @@file { lookup('i'): * => lookup('j'); default: a => 1 }
      $z = $x ? { 'a' => lookup('k'), default => $y.map |$v, $w = (lookup('l'))| >> Any { lookup('m') } }
      [$a, $b] = [1, -$c[lookup('n')]]
      type A = Object { a => lookup('o') }
      type('x') x::y { 'z': }";
    let keys: Vec<_> =
        found(text).iter().map(|it| it.rsplit(' ').next().unwrap().to_owned()).collect();
    let mut expected: Vec<_> = "abcdefghijklm".chars().map(String::from).collect();
    expected.extend(["n", "A()", "o"].map(str::to_owned));
    assert_eq!(keys, expected);
}

#[test]
fn what_stands_before_an_error_is_found() {
    let start = "class a(String $x) { include b }\n";
    for broken in [
        "class c { include d",
        "'",
        "\"${",
        "@(E)\n",
        "/*",
        "} } )",
        "class",
        "class {",
        "node",
        "$x =",
    ] {
        let text = format!("{start}{broken}");
        assert_eq!(found(&text)[..2], ["class a(x)", "include b"], "{broken}");
        assert_ne!(parse(&text, Language::Manifest).errors, [], "{broken}");
    }
}

/// Puppet refuses `text` first at the token that starts with `at`.
#[track_caller]
fn refused(text: &str, at: &str, message: &str) {
    let errors = parse(text, Language::Manifest).errors;
    let Some(error) = errors.first() else { panic!("accepted: {text}") };
    assert_eq!(error.message, message, "{text}");
    assert!(text[error.range.start as usize..].starts_with(at), "{text}: {error:?}");
}

#[test]
fn one_comma_is_between_two_items() {
    for (text, at) in [
        ("$x = { a => 1,, b => 2 }", ", b"),
        ("$x = [1,, 2]", ", 2"),
        ("$x = [, 2]", ", 2"),
        ("f(1, , 2)", ", 2"),
        ("lookup(, String)", ", String"),
        ("class m::x($a,, $b) { }", ", $b"),
        ("$l.each |$i,, $v| { }", ", $v"),
        ("$x = $y ? { 1 => 2,, default => 3 }", ", default"),
        ("file { 'x': a => 1,, b => 2 }", ", b"),
        ("file { 'x': ,, }", ", }"),
    ] {
        refused(text, at, "Syntax error at ','");
    }
    for value in ["present", "'a'", "\"a ${b}\"", "$x", "1", "true", "undef", "[1]", "f()", "/a/"] {
        let text = format!("file {{ '/x': ensure => {value} mode => '0644', }}");
        refused(&text, "mode", "Syntax error at 'mode'");
        refused(&format!("class {{ 'a': b => {value} c => 1 }}"), "c =>", "Syntax error at 'c'");
    }
}

#[test]
fn a_comma_may_follow_the_last_item_almost_everywhere() {
    check("$x = [[1,], { a => 1, }, f(1,), $y[1,], $z ? { 1 => 2, }]", &[]);
    check(
        "f() |$a,| { } file { 'x': a => 1, } file { 'x': , a => 1 } File { , } type A = B[1,]",
        &["type_alias A()"],
    );
    refused("'a'.f(1,)", ")", "Syntax error at ')'");
    refused("class a(Integer[1,] $x) { }", "]", "Syntax error at ']'");
    refused("function f() >> Integer[1,] { }", "]", "Syntax error at ']'");
}

#[test]
fn semicolons_separate() {
    check("f(1); f(2) file { 'x': ; } file { 'x': ; 'y': , ; } class { 'a': ; }", &["class a"]);
    for text in ["class m::x { ; }", "file { 'x': ;; }", "file { ; 'x': }", "f(1);; f(2)"] {
        refused(text, ";", "Syntax error at ';'");
    }
    refused("class a { f(1); }", "}", "Syntax error at '}'");
    refused("f(1);", "", "Syntax error at end of input");
}

#[test]
fn lists_that_must_not_be_empty() {
    for text in ["class { }", "case $x { }", "$x = $y ? { }"] {
        refused(text, "}", "Syntax error at '}'");
    }
}

#[test]
fn only_resources_are_virtual_or_exported() {
    let message = "Virtual (@) can only be applied to a Resource Expression";
    refused("@include foo", "@", message);
    refused("@@foo", "@@", "Exported (@@) can only be applied to a Resource Expression");
    refused("@foo(]", "]", "Syntax error at ']'");
    check("@file { 'a': } @@file { 'b': } @ @file { 'c': }", &[]);
}

#[test]
fn unless_has_no_elsif() {
    refused("unless true { } elsif false { }", "elsif", "Syntax error at 'elsif'");
}

#[test]
fn lists_that_belong_to_no_function() {
    let message = "illegal comma separated argument list";
    refused("$a = 10, notice", ", ", message);
    refused("1, 2 ]", ", ", message);
    let message = "attempt to pass argument list to the function 'foo' which cannot be called without parentheses";
    refused("foo 1, 2", ", ", message);
    refused("$a = foo, bar\n$b = ]", "]", "Syntax error at ']'");
}

#[test]
fn braces_that_make_no_resource() {
    let message = "Expression is not valid as a resource, resource-default, or resource-override";
    refused("if $x { f() } { a => 1 }", "if", message);
    refused("$x { a => 1 }", "$x", message);
    let message = "Syntax error resource body without title or hash with +>";
    refused("file { mode +> 1 }", "{", message);
    refused("file { 'x': true => 1 }", "true", "Syntax error at 'true'");
    refused("file { 'x': ensure }", "}", "Syntax error at '}'");
    check("if $x { f() } { 'a': }", &[]);
}

#[test]
fn errors_quote_values_as_puppet_does() {
    for (text, value) in [
        ("$x = [1 'it\\'s']", "it's"),
        ("$x = [1 $a]", "a"),
        ("$x = [1 \"b ${c} d\"]", "b "),
        ("$x = [1 @(E:json)]\nE", "json"),
        ("$x = ] 'a'", "]"),
        ("class a inherits /b\\/c/ { }", "(?-mix:b\\/c)"),
    ] {
        let errors = parse(text, Language::Manifest).errors;
        assert_eq!(errors[0].message, format!("Syntax error at '{value}'"), "{text}");
    }
}

#[test]
fn declarations_after_an_error_are_found() {
    for broken in [
        "file { '/x': ensure => present mode => '0644' }",
        "file { '/x': ;; }",
        "$x = [1,, 2]",
        "@include foo",
        "unless true { } elsif false { include d }",
        "$x += 1",
        "$x = { a => 1,, b => 2 }",
    ] {
        let text = format!("class a {{ {broken} }} class b {{ include c }}");
        assert_ne!(parse(&text, Language::Manifest).errors, [], "{broken}");
        let found = found(&text);
        assert_eq!(found[found.len() - 2..], ["class b()", "include c"], "{broken}");
    }
}

#[test]
fn the_text_of_a_heredoc_ends_its_interpolation() {
    check("$x = @(\"E\"/L)\n ${lookup('a')\n | E\n", &["lookup a"]);
    check("$x = @(\"E\")\n ${x[1]\n | E\ninclude b", &["include b"]);
    refused("$x = @(\"E\")\n${\nE\n", "E", "Syntax error at ''");
}

#[test]
fn empty_brackets_are_refused_after_types_and_values() {
    for text in [
        "class k(Array[] $p) {}",
        "class k(Variant[Array[ ], String] $p) {}",
        "class k($p = Array[]) {}",
        "function f() >> Array[] { }",
        "type A = Array[]",
        "[1].each |Array[] $x| {}",
        "$x[]",
    ] {
        let errors = parse(text, Language::Manifest).errors;
        let found: Vec<_> = errors.iter().map(|it| (it.range.start, &*it.message)).collect();
        let at = text.find(']').map(|it| it as u32).filter(|_| !text.starts_with("[1]"));
        let at = at.unwrap_or(16);
        assert_eq!(found, [(at, "Syntax error at ']'")], "{text}");
    }
    assert_eq!(parse("$x = []", Language::Manifest).errors, []);
}

#[test]
fn what_stands_after_a_missing_bracket_is_found() {
    for broken in [
        "class a { file { 'x': ",
        "class a(String $x, ",
        "class a { if $x { ",
        "class a { foo([1, ",
    ] {
        let text = format!("{broken}\n\nclass b($y) {{ include c }}\n");
        let found = found(&text);
        assert_eq!(found[found.len() - 2..], ["class b(y)", "include c"], "{broken}");
    }
}

#[test]
fn deep_nesting_is_bounded() {
    for (open, close) in
        [("[", "]"), ("{", "}"), ("(", ")"), ("class a { ", "}"), ("\"${", "}\""), ("!", "")]
    {
        let text = format!(
            "include first\n$x = {}{}\ninclude last",
            open.repeat(10_000),
            close.repeat(10_000)
        );
        let manifest = parse(&text, Language::Manifest);
        assert!(!manifest.errors.is_empty(), "{open}");
        assert_eq!(manifest.calls[0].names[0].text, "first", "{open}");
    }
    let text = format!("$x = {}1", "1 + ".repeat(100_000));
    assert_eq!(parse(&text, Language::Manifest).errors, []);
}

#[test]
fn hostile_files_take_linear_time() {
    for piece in
        ["@(A)\n", "@(A", "= / \\/", "\"${", "'", "/*", "(", "${", "lookup(", "a:", "<|", "|", "\\"]
    {
        let _ = parse(&piece.repeat(200_000 / piece.len()), Language::Manifest);
    }
    // The string behind each tag extends to the end of the file.
    let _ = parse(&format!("@(A)'\nA\n{}'\n", "@(A)\\'\nA\n".repeat(20_000)), Language::Manifest);
    let parameters: Vec<String> = (0..50_000).map(|it| format!("$a{it}")).collect();
    let _ = names(&format!("class a({}) {{ }}", parameters.join(", ")), Language::Manifest);
    for distinct in ["@(A{})\n", "= @(\"B{}\") / \n"] {
        let text: String = (0..20_000).map(|it| distinct.replace("{}", &it.to_string())).collect();
        let _ = parse(&text, Language::Manifest);
    }
}

#[test]
fn long_names_of_classes_are_not_repeated() {
    let inner = "class b { include c }\n".repeat(3);
    let long = "a".repeat(5_000);
    let manifest = parse(&format!("class {long} {{\n{inner}include d\n}}"), Language::Manifest);
    let lengths = manifest.declarations.iter().map(|it| it.name.as_ref().map(String::len));
    assert_eq!(lengths.collect::<Vec<_>>(), [Some(5_000), None, None, None]);
    assert!(manifest.calls.iter().all(|it| it.names.len() == 1));
    let short = parse("class a { include b\ninclude c }", Language::Manifest);
    let [b, c] = &short.calls[..] else { panic!("two calls") };
    let (Some(b), Some(c)) = (&b.inside, &c.inside) else { panic!("both are in a class") };
    assert!(Arc::ptr_eq(b, c));
}

#[test]
fn definitions_in_parameters_have_the_name_of_the_class() {
    let manifest = parse("class a($b = define c { }) { }", Language::Manifest);
    let names = manifest.declarations.iter().map(|it| it.name.as_deref());
    assert_eq!(names.collect::<Vec<_>>(), [Some("a"), Some("a::c")]);
}

#[test]
fn calls_are_inside_of_the_declaration_around_them() {
    for (text, inside) in [
        ("class a { include c }", Some("a")),
        ("function ::f() { include c }", Some("f")),
        ("type ::A = Struct[{ include(c) => 1 }]", Some("A")),
        ("type A = B include c", None),
    ] {
        let manifest = parse(text, Language::Manifest);
        let [call] = &manifest.calls[..] else { panic!("one call in {text}") };
        assert_eq!(call.inside.as_deref(), inside, "{text}");
    }
}
