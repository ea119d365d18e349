//! What Puppet refuses, each with its message and position, and what it accepts nearby.

use crate::syntax::puppet::{Language, parse};

/// The errors of a manifest, each with the text at its position and its message.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    check_in(Language::Manifest, text, expected);
}

#[track_caller]
fn check_in(language: Language, text: &str, expected: &[(&str, &str)]) {
    let mut errors = parse(text, language).errors;
    errors.sort_by_key(|it| it.range.start);
    assert_eq!(errors.len(), expected.len(), "{text}: {errors:?}");
    for (error, (at, message)) in errors.iter().zip(expected) {
        assert!(text[error.range.start as usize..].starts_with(at), "{text}: {error:?}");
        assert_eq!(error.message, *message, "{text}");
    }
}

/// Puppet accepts these.
#[track_caller]
fn accepted(texts: &[&str]) {
    for text in texts {
        check(text, &[]);
    }
}

#[test]
fn definitions_are_at_top_level_or_in_classes() {
    let message =
        "Classes, definitions, and nodes may only appear at toplevel or inside other classes";
    for (text, at) in [
        ("if $x { class a { } }", "class"),
        ("define a { define b { } }", "define b"),
        ("$x.each |$y| { node a { } }", "node"),
        ("if $x { function f() { } }", "function"),
        ("$x = class a { }", "class"),
        ("(class a { })", "class"),
        ("class a { } -> Class['b']", "class"),
        ("class a { } - 1.each |$x| { notice($x) }", "class"),
    ] {
        check(text, &[(at, message)]);
    }
    check(
        "class a { function f() { } type A = B }",
        &[
            ("function", "A Function Definition may only appear at toplevel"),
            ("A = B", "A Type Alias may only appear at toplevel"),
        ],
    );
    accepted(&[
        "class a { class b { } define c { } node d { } }",
        "class a { } function b() { } type C = D",
    ]);
}

#[test]
fn names_of_classes_and_types() {
    let message = |name: &str, label: &str| {
        format!("Unacceptable name. The name '{name}' is unacceptable as the name of {label}")
    };
    for (text, at, name, label) in [
        ("class ::a { }", "class", "::a", "a Host Class Definition"),
        ("class m::x-y { }", "class", "m::x-y", "a Host Class Definition"),
        ("define X { }", "define", "X", "a 'define' expression"),
        ("function ::f() { }", "function", "::f", "a Function Definition"),
        ("type ::A = B", "::A", "::A", "a Type Alias"),
    ] {
        check(text, &[(at, &message(name, label))]);
    }
    check(
        "class integer { }",
        &[(
            "class",
            "The name: 'integer' is already defined by Puppet and can not be used as the name of a Host Class Definition.",
        )],
    );
    accepted(&["class a::b_1 { define c { } }", "type A::B = C"]);
}

#[test]
fn parts_of_the_grammar_without_a_meaning() {
    let message =
        "Expressions of type a Type Definition are not supported in this version of Puppet";
    check("type A { }", &[("type", message)]);
    let message = "Expressions of type a Type Mapping are not supported in this version of Puppet";
    check("type A['ruby', 'X'] = B", &[("A[", message)]);
    let message = "Illegal expression. An Array Expression is unacceptable as a type reference in a Type Alias";
    check("type A = []", &[("[]", message)]);
    accepted(&["type Runtime['ruby', 'X'] = A", "type A = { attributes => { } }"]);
}

#[test]
fn parameters_that_every_resource_has() {
    let message =
        "The parameter $title redefines a built in parameter in the Host Class Definition";
    check("class a($title) { }", &[("$title", message)]);
    let message = "The parameter $name redefines a built in parameter in the 'define' expression";
    check("define a($name = 1) { }", &[("$name", message)]);
    accepted(&["function f($title, $name) { }", "$x.each |$title| { }"]);
}

#[test]
fn parameters_that_every_resource_has_and_that_need_a_default() {
    let message = |name: &str, of: &str| {
        format!(
            "{name} is a metaparameter; please choose another parameter name in the {of} definition"
        )
    };
    check("class a($tag) { }", &[("$tag", &message("tag", "a"))]);
    check("class a { class b($noop) { } }", &[("$noop", &message("noop", "a::b"))]);
    check("define a(String $alias) { }", &[("$alias", &message("alias", "a"))]);
    accepted(&["class a($tag = undef, $export, $name2) { }", "function f($tag) { }"]);
}

#[test]
fn parameters_of_the_same_name() {
    let message = "The parameter 'a' is declared more than once in the parameter list";
    check("class a($a, $b, $a) { }", &[("$a) {", message)]);
    check_in(Language::Template, "<%- | $a, $a | -%>", &[("$a |", message)]);
    accepted(&["$x.each |$a, $a| { }"]);
}

#[test]
fn names_of_parameters() {
    let message = |name: &str| {
        format!(
            "Illegal parameter name. The given name '{name}' does not conform to the naming rule /^[a-z_]\\w*$/"
        )
    };
    check("class a($Xy) { }", &[("$Xy", &message("Xy"))]);
    check("$x.each |$a::b| { }", &[("$a::b", &message("a::b"))]);
    let numeric = "The numeric parameter name '$1' cannot be used (clashes with numeric match result variables)";
    check("function f($1) { }", &[("$1", numeric), ("$1", &message("1"))]);
    accepted(&["class a($_a, $aB) { }"]);
}

#[test]
fn parameters_that_take_all_arguments() {
    let message = "Parameter $a has 'captures rest' - not supported in a Host Class Definition";
    check("class a(String *$a) { }", &[("$a", message)]);
    let message = "Parameter $a is not last, and has 'captures rest'";
    check("$x.each |*$a, $b| { }", &[("$a", message)]);
    accepted(&["function f(*$a) { }", "$x.each |$a, *$b| { }"]);
}

#[test]
fn names_of_variables() {
    let message = |name: &str| {
        format!(
            "Illegal variable name, The given name '{name}' does not conform to the naming rule /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/"
        )
    };
    check("$x = \"$Xa\"", &[("$Xa", &message("Xa"))]);
    check("$x = $a::B", &[("$a::B", &message("a::B"))]);
    check("$x = $", &[("$", &message(""))]);
    let message = "Illegal numeric variable name, The given name '01' must be a decimal value if it starts with a digit 0-9";
    check("$x = \"${01}\"", &[("01", message)]);
    accepted(&["$x = [$::a, $a::_b, $0, $10, $_a]", "$x = \"${class} ${a.b} $1\""]);
}

#[test]
fn what_can_be_assigned_to() {
    let indexed = "Illegal attempt to assign via [index/key]. Not an assignable reference";
    check("$x[1] = 1", &[("$x[1]", indexed)]);
    let other =
        "Illegal attempt to assign to 'm::y'. Cannot assign to variables in other namespaces";
    check("[$a, [$m::y]] = 1", &[("$m::y", other)]);
    check("$a = $m::y = 1", &[("$m::y", other)]);
    let numeric = "Illegal attempt to assign to the numeric match result variable '$1'. Numeric variables are not assignable";
    check("$1 = 1", &[("$1", numeric)]);
    let call = "Illegal attempt to assign to 'a Function Call'. Not an assignable reference";
    check("f() = 1", &[("f()", call)]);
    accepted(&["[$a, $b] = [1, 2]", "$a = $b = 1"]);
}

#[test]
fn operators_of_puppet_3() {
    let message =
        "The operator '+=' is no longer supported. See http://links.puppet.com/remove-plus-equals";
    check("$x += 1", &[("+=", message)]);
    check("$x -= 1", &[("-=", &message.replace("+=", "-="))]);
}

#[test]
fn defaults_assign_nothing() {
    check("class a($x = ($y = 1)) { }", &[("= 1", "Assignment not allowed here")]);
    accepted(&["class a($x = f() |$z| { $y = 1 }) { $b = 1 }"]);
}

#[test]
fn collectors_are_not_values() {
    let message = "Invalid use of expression. A Virtual Query does not produce a value";
    for text in [
        "$x = File <| |>",
        "$x = [File <| |>]",
        "(File <| |>)",
        "if !File <| |> and $x { f() }",
        "x { 'a': b => File <| |> }",
    ] {
        check(text, &[("File", message)]);
    }
    accepted(&["File <| |> -> Class['a']", "f(File <| |>)"]);
}

#[test]
fn statements_without_an_effect() {
    for (text, at, label) in [
        ("'a' 'b' f()", "'a'", "String"),
        ("1.5 f()", "1.5", "Literal Float"),
        ("0x1e f()", "0x1e", "Literal Integer"),
        ("$x + f() 1", "+", "'+' expression"),
        ("$x ? { 1 => f() } 1", "$x", "Selector Expression"),
        ("if $x { } f()", "if", "'if' statement"),
        ("case $x { 1: { 2 } } f()", "case", "'case' statement"),
        ("unless $x { } f()", "unless", "'unless' Statement"),
        ("@(E:json) f()\n1\nE", "@(E", "'@(json)' expression"),
        ("($x) f()", "($x)", "Parenthesized Expression"),
        ("!$x f()", "!", "'not' expression"),
    ] {
        let message = format!(
            "This {label} has no effect. A value was produced and then forgotten (one or more preceding expressions may have the wrong form)"
        );
        check(text, &[(at, &message)]);
    }
    accepted(&[
        "1",
        "function f() { 1 }",
        "if $x =~ /a/ { } f()",
        "if f() { } 1",
        "case $x { f(): { } } 1",
        "($x = 1) 2",
        "Foo['a'] -> Bar['b'] include a 1",
    ]);
}

#[test]
fn last_statements_without_an_effect() {
    for (text, at, owner) in [
        ("class a { include b c }", "c }", "A Host Class Definition"),
        ("define a { if $x { } }", "if", "A 'define' expression"),
        ("node a { undef }", "undef", "A Node Definition"),
    ] {
        let errors = parse(text, Language::Manifest).errors;
        let [error] = errors.as_slice() else { panic!("{text}: {errors:?}") };
        assert!(text[error.range.start as usize..].starts_with(at), "{text}");
        let rest = format!(
            " has no effect. {owner} can not end with a value-producing expression without other effect"
        );
        assert!(error.message.ends_with(&rest), "{text}: {}", error.message);
    }
    accepted(&["class a { }", "class a { include b }"]);
}

#[test]
fn resources_without_a_title() {
    let message =
        "This expression is invalid. Did you try declaring a 'file' resource without a title?";
    check("class a { file { mode => '1' } }", &[("file", message)]);
    accepted(&["include { a => 1 }", "File { mode => '1' }"]);
}

#[test]
fn second_defaults() {
    let message = "This Selector Expression already has a 'default' entry - this is a duplicate";
    check("$x = $y ? { default => 1, default => 2 }", &[("default => 2", message)]);
    let message = "This 'case' statement already has a 'default' entry - this is a duplicate";
    check("case $x { default: { } 1, default: { f() } }", &[("default: { f", message)]);
}

#[test]
fn additions_to_attributes() {
    let message = "Illegal +> operation on attribute mode. This operator can not be used in a Resource Instance Definition";
    check("file { 'x': mode +> 1 }", &[("mode", message)]);
    let message = "Illegal +> operation on attribute mode. This operator can not be used in a Resource Defaults Expression";
    check("File { mode +> 1 }", &[("mode", message)]);
    accepted(&["File['x'] { mode +> 1 }", "File <| |> { mode +> 1 }"]);
}

#[test]
fn second_unfoldings() {
    let message = "Unfolding of attributes from Hash can only be used once per resource body";
    check("file { 'x': * => $a, * => $b }", &[("* => $b", message)]);
    accepted(&["file { 'x': * => $a; 'y': * => $b }"]);
}

#[test]
fn what_can_be_virtual() {
    check("@File { mode => 1 }", &[("@", "Resource Defaults are not virtualizable")]);
    check("@@class { 'a': }", &[("@@", "Classes are not virtualizable")]);
    // What the mark belongs to is a resource whose type is `class { … }`.
    accepted(&["@@class { 'a': } { 'b': }"]);
    accepted(&["@file { 'a': }"]);
}

#[test]
fn reserved_words() {
    let message = "Use of reserved word: attr, must be quoted if intended to be a String value";
    check("$x = attr", &[("attr", message)]);
    accepted(&["file { 'x': attr => 1 }"]);
}

#[test]
fn what_can_be_called_and_collected() {
    let message =
        "Illegal expression. A Variable is unacceptable as function name in a Function Call";
    check("$x(1)", &[("$x", message)]);
    let message = "Illegal expression. A Name is unacceptable as type name in an Exported Query";
    check("foo <<| |>>", &[("foo", message)]);
    accepted(&["Foo(1) Foo[1](2) type(3) ::foo(4)", "Foo::Bar <| |>"]);
}

#[test]
fn nodes() {
    let message = "Node inheritance is not supported in Puppet >= 4.0.0. See http://links.puppet.com/puppet-node-inheritance-deprecation";
    check("node a inherits b { }", &[("b {", message)]);
    let message = "The hostname 'a b' contains illegal characters (only letters, digits, '_', '-', and '.' are allowed)";
    check("node 'a b' { }", &[("'a b'", message)]);
    accepted(&["node a.b, 'x_y-z.1', /x y/, default { }"]);
}

#[test]
fn an_error_of_the_parser_comes_first() {
    check("class a($title) { }\n]", &[("]", "Syntax error at ']'")]);
}

#[test]
fn plans_have_other_rules() {
    check_in(Language::Plan, "plan a($name) { 1 2 }", &[]);
}

#[test]
fn queries_compare_for_equality() {
    for (query, at, label) in [
        ("a == $x ? { 1 => 2 } and b == 'c'", "== $x", "A Selector Expression"),
        ("b == 1 or ($x =~ /x/)", "=~", "A '=~' expression"),
        ("((a > 1))", ">", "A '>' expression"),
        ("!(a == 1)", "!", "A 'not' expression"),
        ("a and [b]", "[b]", "An Array Expression"),
    ] {
        let text = format!("File <| {query} |>");
        check(
            &text,
            &[(at, &format!("Illegal query expression. {label} cannot be used in a query"))],
        );
    }
    accepted(&[
        "File <| a |>",
        "File <| $x or 'a' and true or 1 |>",
        "File <| (a == [1, $x > 2]) and (b != f(1 < 2) or ((c == d))) |>",
    ]);
}

#[test]
fn hosts_are_written_out() {
    let message = "An interpolated expression is not allowed in a hostname of a node";
    for (text, at) in [
        ("node \"${x}\" { }", "x}"),
        ("node 'a', \"b$x\" { }", "$x"),
        ("node \"${1 + 2}\" { }", "+"),
    ] {
        check(text, &[(at, message)]);
    }
    let heredoc =
        "Illegal expression. A '@()' expression is unacceptable as hostname in a Node Definition";
    check("node @(E) { }\na\nE\n", &[("@", heredoc)]);
    check("node a. { }", &[("{", "Syntax error at '{'")]);
}

#[test]
fn only_names_are_variables_where_the_end_of_a_heredoc_cuts_an_interpolation_off() {
    for inside in ["x-1", "x-y[1]", "0x1f", "012", "true", "default", "_x", "a::b"] {
        accepted(&[&format!("$x = @(\"E\")\n${{{inside}\nE\n")]);
    }
    let illegal = "Illegal variable name, The given name 'x-1' does not conform to the naming rule \
                   /^((::)?[a-z]\\w*)*((::)?[a-z_]\\w*)$/";
    check("$x = @(\"E\")\n${x-1}\nE\n", &[("x-1", illegal)]);
}

#[test]
fn errors_come_in_the_order_in_which_puppet_reads() {
    for (text, at, message) in [
        ("$x = @(\"A\"))\n${}}\nA\n", "}\n", "Syntax error at '}\n'"),
        (
            "\"a\" { b => 1 } \\",
            "\"a",
            "Expression is not valid as a resource, resource-default, or resource-override",
        ),
        ("@foo \\", "@", "Virtual (@) can only be applied to a Resource Expression"),
        ("@foo \"a", "\"", "Unclosed quote"),
        ("@foo \"${\\ 1a}\"", "1a", "Illegal number '1a'"),
        ("\"a\" { b => ] }", "]", "Syntax error at ']'"),
        ("A[include { a => 1 }]", "]", "Syntax error at ']'"),
        ("\"${x \"${y}\"}\"", "\"${y", "Syntax error at ''"),
    ] {
        let errors = parse(text, Language::Manifest).errors;
        let Some(first) = errors.first() else { panic!("{text} is refused") };
        assert!(text[first.range.start as usize..].starts_with(at), "{text}: {errors:?}");
        assert_eq!(first.message, message, "{text}");
    }
}

#[test]
fn ruby_accepts_regular_expressions() {
    let unmatched = "end pattern with unmatched parenthesis: ";
    check("$x = $a =~ /(a/", &[("/(a", &format!("{unmatched}/(a/"))]);
    check("node /^db\\d(\\.x$/ { }", &[("/^db", &format!("{unmatched}/^db\\d(\\.x$/"))]);
    check("$x = Pattern[/[a/]", &[("/[a", "premature end of char-class: /[a/")]);
    check("case $x { /(/: { } }", &[("/(", &format!("{unmatched}/(/"))]);
    accepted(&[
        "$x = $a =~ /a**/",
        "$x = $a ? { /(?<a>b)\\/[\\w.]/ => 1 }",
        "node /^db\\d+\\.x$/ { }",
    ]);
}
