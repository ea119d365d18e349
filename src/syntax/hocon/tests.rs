//! What Puppet's hocon gem made of these texts.

use super::*;

fn json(node: &Node) -> String {
    let list = |items: Vec<String>| items.join(",");
    match &node.kind {
        NodeKind::Scalar { text, style: ScalarStyle::Plain } => text.to_string(),
        NodeKind::Scalar { text, .. } => value::render_json_string(text),
        NodeKind::Sequence(items) => format!("[{}]", list(items.iter().map(json).collect())),
        NodeKind::Mapping(pairs) => {
            let members = pairs.iter().map(|it| format!("{}:{}", json(&it.key), json(&it.value)));
            format!("{{{}}}", list(members.collect()))
        }
        NodeKind::Alias(name) => name.to_string(),
    }
}

#[test]
fn values() {
    fn check(text: &str, expected: &str) {
        let (root, errors) = parse(text);
        assert_eq!(errors, [], "{text}");
        assert_eq!(json(&root.expect("what has no error has a root")), expected, "{text}");
    }
    check("", "{}");
    check("{}", "{}");
    check("include \"foo\"\na=1", "{\"a\":1}");
    check("include file(\"/nonexist\")\na=1", "{\"a\":1}");
    check("include file(\"/nonexist.conf\")\na=1", "{\"a\":1}");
    check("a=1 include \"x\"", "{\"a\":\"1 include x\"}");
    check("a=[${?b.c}]", "{\"a\":[]}");
    check("a=[1] foo", "{\"a\":[1]}");
    check("a=b c\"d\" 1.50", "{\"a\":\"b cd 1.50\"}");
    check("a+=1\na+=2", "{\"a\":[1,2]}");
    check("a=${?a}", "{}");
    check("a=1\na=${a}2", "{\"a\":\"12\"}");
    check("a{x=1}\na{y=2}", "{\"a\":{\"y\":2,\"x\":1}}");
    check(
        "a.b=1\na.c=2\na=${b}{z=1}\nb={q=1}",
        "{\"a\":{\"z\":1,\"q\":1,\"c\":2,\"b\":1},\"b\":{\"q\":1}}",
    );
    check("a=\"\"\"x\ny\"\"\"\"", "{\"a\":\"x\\ny\\\"\"}");
    check("\"\"=1", "{\"\":1}");
    check("a=\n1", "{\"a\":1}");
    check("a=${ b }\nb=1", "{\"a\":1,\"b\":1}");
    check("a=true x", "{\"a\":\"true x\"}");
    check("a=null", "{\"a\":null}");
    check("a=nullx", "{\"a\":\"nullx\"}");
    check("a=1\na=null", "{\"a\":null}");
    check("a=1 // c\n# d\nb=2", "{\"a\":1,\"b\":2}");
    check("a b c = 1", "{\"a b c\":1}");
    check("true=1", "{\"true\":1}");
    check("1.2=3", "{\"1\":{\"2\":3}}");
    check("a=[1\n2\n3]", "{\"a\":[1,2,3]}");
    check("a:{b:1}{c:2}", "{\"a\":{\"c\":2,\"b\":1}}");
    check("a=[1][2]", "{\"a\":[1,2]}");
    check("a=/x", "{\"a\":\"/x\"}");
    check("a=x//y", "{\"a\":\"x\"}");
}

#[test]
fn environment_variables() {
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let (root, open) = parse_with_open_keys(text).expect("the text is valid");
        let open: Vec<String> =
            open.iter().map(|it| format!("{}: {}", it.key, it.variables.join(" "))).collect();
        assert_eq!(format!("{} {}", json(&root), open.join(", ")).trim_end(), expected, "{text}");
    }
    check("a=${HOME}/x\nq=1", r#"{"a":"${HOME}/x","q":1} a: HOME"#);
    check("a=${?HOME}", r#"{"a":"${?HOME}"} a: HOME"#);
    check("a=[${?HOME}]", r#"{"a":["${?HOME}"]} a: HOME"#);
    check("a=${?A}\"/a\"${B}", r#"{"a":"${?A}/a${B}"} a: A B"#);
    check("a=${\"a.b\"}", r#"{"a":"${\"a.b\"}"} a: a.b"#);
    check("x=${?a.b}", "{}");
    check("a=1\na=${?A}\nb=${a}", r#"{"a":"${?A}","b":"${?A}"} a: A, b: A"#);
    check("a=${?A}\na=1", r#"{"a":1}"#);
    check("a={x:1}\na=${?A}\nb=${a.x}", r#"{"a":"${?A}","b":"${?A}"} a: A, b: A"#);
    check("a={x:1}\na=${?A}\na={y:2}\nb=1", r#"{"a":"{\"y\":2}","b":1} a: A"#);
    check("o {p=${?A}, q=1}\nr=${o.q}", r#"{"o":{"p":"${?A}","q":1},"r":1} o: A"#);
    check("a=${?A} [1]", r#"{"a":"${?A}[1]"} a: A"#);
    check("tags+=1\ntags+=2", r#"{"tags":[1,2]}"#);
    check("tags=${?tags}", "{}");
}

#[test]
fn errors() {
    fn check(text: &str, expected: &str) {
        let (_, errors) = parse(text);
        let messages: Vec<&str> = errors.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(messages, [expected], "{text}");
    }
    check("[1]", "String: 1:  has type LIST rather than object at file root");
    check(
        "include foo",
        "String: 1: expecting include parameter to be quoted filename, file(), classpath(), or url(). No spaces are allowed before the open paren. Not expecting: 'foo'",
    );
    check(
        "include package(\"x\")",
        "String: 1: expecting include parameter to be quoted filename, file(), classpath(), or url(). No spaces are allowed before the open paren. Not expecting: 'package('",
    );
    check("a=${b.c}", "String: 1: Could not resolve substitution to a value: ${b.c}");
    check("a=[${b.c}]", "unexpected exception");
    check(
        "a={x:1} [2]",
        "String: 1: Cannot concatenate object or list with a non-object-or-list, SimpleConfigObject({\"x\":1}) and SimpleConfigList([2]) are not compatible",
    );
    check(
        "a={0:1} [2]",
        "uninitialized constant Hocon::Impl::DefaultTransformer::SimpleConfigList",
    );
    check(
        "a= foo [1]",
        "String: 1: Cannot concatenate object or list with a non-object-or-list, Unquoted(\"foo\") and SimpleConfigList([1]) are not compatible",
    );
    check(
        "a=[{b+=1}]",
        "String: 1: Due to current limitations of the config parser, += does not work nested inside a list. += expands to a ${} substitution and the path in ${} cannot currently refer to list elements. You might be able to move the += outside of the list and then refer to it from inside the list with ${}.",
    );
    check(
        "a=${b}\nb=${a}",
        "String: 2: Could not resolve substitution to a value: ${a} was part of a cycle of substitutions involving ${b}, ${a}, ${b}",
    );
    check(
        "a=${a}",
        "String: 1: Could not resolve substitution to a value: ${a} was part of a cycle of substitutions involving ${a}, ${a}",
    );
    check(
        "a=${a}b",
        "String: 1: Could not resolve substitution to a value: ${a} was part of a cycle of substitutions involving ${a}, ${a}",
    );
    check("a=1e5,b=1.0,c=010,d=08,e=-0.5,f=1.,g=1e400", "Infinity");
    check(
        "\"\\u005f\"=1",
        "String: 1: expecting a close brace or a field name here, got '005f' (Malformed hex digits after \\u escape in string: '005f')",
    );
    check("a=\"\\q\"", "undefined method `line_number' for \"q\":String");
    check(
        "a=\"x",
        "String: 1: Expecting a value but got wrong token: '-1' (End of input but string quote was still open) (if you intended '-1' (End of input but string quote was still open) to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=1+2",
        "String: 1: Expecting a value but got wrong token: '+' (Reserved character '+'is not allowed outside quotes) (if you intended '+' (Reserved character '+'is not allowed outside quotes) to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=b+c",
        "String: 1: Expecting close brace } or a comma, got 'c' ('+' not followed by =, 'c' not allowed after '+') (if you intended 'c' ('+' not followed by =, 'c' not allowed after '+') to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=@",
        "String: 1: Expecting a value but got wrong token: '@' (Reserved character '@' is not allowed outside quotes) (if you intended '@' (Reserved character '@' is not allowed outside quotes) to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a..b=1",
        "path has a leading, trailing, or two adjacent period '.' (use quoted \"\" empty string if you want an empty element)",
    );
    check(
        "a.=1",
        "path has a leading, trailing, or two adjacent period '.' (use quoted \"\" empty string if you want an empty element)",
    );
    check("a 1", "String: 1: Key 'a 1' may not be followed by token: end of file");
    check("a=", "String: 1: Expecting a value but got wrong token: end of file");
    check("a={b=1", "String: 1: Expecting close brace } or a comma, got end of file");
    check(
        "a=}",
        "String: 1: Expecting a value but got wrong token: '}' (if you intended '}' to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=[1",
        "String: 1: List should have ended with ] or had a comma, instead had token: end of file (if you want end of file to be part of a string value, then double-quote it)",
    );
    check(
        "a=[1,,2]",
        "String: 1: List should have had new element after a comma, instead had token: ',' (if you want the comma or ',' to be part of a string value, then double-quote it)",
    );
    check(
        "a=,",
        "String: 1: Expecting a value but got wrong token: ',' (if you intended ',' to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=${",
        "String: 1: Expecting a value but got wrong token: 'end of file' (Substitution ${ was not closed with a }) (if you intended 'end of file' (Substitution ${ was not closed with a }) to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check("a=${}", "String: 1: Expecting a field name or path here, but got nothing");
    check(
        "a=${b.}",
        "String: 1: path has a leading, trailing, or two adjacent period '.' (use quoted \"\" empty string if you want an empty element)",
    );
    check(
        "a=${?b",
        "String: 1: Expecting a value but got wrong token: 'end of file' (Substitution ${ was not closed with a }) (if you intended 'end of file' (Substitution ${ was not closed with a }) to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check("{a=1} x", "String: 1: Document has trailing tokens after first object or array: 'x'");
    check(
        "}",
        "String: 1: unbalanced close brace '}' with no open brace (if you intended '}' to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=$x",
        "String: 1: Expecting a value but got wrong token: 'x' ('$' not followed by {, 'x' not allowed after '$') (if you intended 'x' ('$' not followed by {, 'x' not allowed after '$') to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=\"x\ny\"",
        "String: 1: Expecting a value but got wrong token: '\n' (JSON does not allow unescaped \n in quoted strings, use a backslash escape) (if you intended '\n' (JSON does not allow unescaped \n in quoted strings, use a backslash escape) to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=x:y",
        "String: 1: Expecting close brace } or a comma, got ':' (if you intended ':' to be part of a key or string value, try enclosing the key or value in double quotes",
    );
    check(
        "a=http://foo",
        "String: 1: Expecting close brace } or a comma, got ':' (if you intended ':' to be part of a key or string value, try enclosing the key or value in double quotes",
    );
}

#[test]
fn errors_have_places() {
    fn check(text: &str, expected: &str) {
        let (_, errors) = parse(text);
        let places: Vec<&str> = errors.iter().map(|it| it.range.slice(text)).collect();
        assert_eq!(places, [expected], "{text}");
    }
    check("a=1\nb=}", "}");
    check("a=${b.c}", "${b.c}");
    check("a=1+2", "1+2");
    check("a = x {b:1}", "x {b:1}");
    check("a.b. = 1", "a.b.");
}

#[test]
fn keys_and_values_have_places() {
    /// Each key and value with the text at its place.
    fn places(node: &Node, text: &str, found: &mut Vec<String>) {
        match &node.kind {
            NodeKind::Mapping(pairs) => {
                for pair in pairs {
                    found.push(format!("{}: {}", json(&pair.key), pair.key.range.slice(text)));
                    places(&pair.value, text, found);
                }
            }
            NodeKind::Sequence(items) => {
                found.push(node.range.slice(text).to_owned());
                for item in items {
                    places(item, text, found);
                }
            }
            _ => found.push(node.range.slice(text).to_owned()),
        }
    }
    fn check(text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        places(&parse(text).0.expect("the text is valid"), text, &mut found);
        assert_eq!(found, expected, "{text}");
    }
    check("a.\"b c\" = x y\n", &["\"a\": a", "\"b c\": \"b c\"", "x y"]);
    check("a = 1\nb = ${a}", &["\"a\": a", "1", "\"b\": b", "${a}"]);
    check("a: [1, {b: ü}]", &["\"a\": a", "[1, {b: ü}]", "1", "\"b\": b", "ü"]);
    check("a = 1, a = 2", &["\"a\": a", "2"]);
    check(
        "o {x: 1}\nr = ${o} {y: 2}",
        &["\"o\": o", "\"x\": x", "1", "\"r\": r", "\"y\": y", "2", "\"x\": x", "1"],
    );
}

#[test]
fn hostile_texts_end() {
    assert!(parse(&"[".repeat(100_000)).0.is_none());
    assert!(parse(&format!("a={}", "{a=".repeat(10_000))).0.is_none());
    let mut doubling = String::from("a60 = x\n");
    for i in (0..60).rev() {
        doubling = format!("{doubling}a{i} = ${{a{}}}${{a{}}}\n", i + 1, i + 1);
    }
    assert!(parse(&doubling).0.is_none());
    assert!(parse(&format!("a = {}", "${".repeat(50_000))).0.is_none());
    assert!(parse(&"k += 1\n".repeat(4_000)).0.is_none());
    let layers = "k = ${a}\n".repeat(2_000);
    assert_eq!(
        json(&parse(&format!("a = 1\n{layers}")).0.expect("it is valid")),
        r#"{"a":1,"k":1}"#
    );
    let digits = "1".repeat(1_000_000);
    assert_eq!(
        json(&parse(&format!("a={digits}")).0.expect("it is valid")),
        format!("{{\"a\":{digits}}}")
    );
}

#[test]
fn paths_and_brackets_nest_only_so_deep() {
    #[track_caller]
    fn refusal(text: &str) -> Option<String> {
        parse(text).1.pop().map(|error| error.message)
    }
    let path = |names: usize| vec!["a"; names].join(".");
    let deepest = crate::limits::MAX_HOCON_NESTING;
    assert_eq!(refusal(&format!("{} = 1", path(deepest))), None);
    for names in [deepest + 1, 5_000, 20_000, 40_000] {
        let text = format!("{} = 1\n", path(names));
        assert_eq!(refusal(&text).as_deref(), Some("stack level too deep"));
        assert_eq!((written_names(&text), root_fields(&text)), (Vec::new(), Vec::new()));
        let text = format!("b = ${{{}}}\n", path(names));
        assert_eq!(refusal(&text).as_deref(), Some("String: 1: stack level too deep"));
        assert_eq!(written_names(&text).len(), 1);
    }
    // The nesting is the sum of both.
    let half = path(deepest / 2);
    let nested = format!("{half} {{ {half} {{ b = 1 }} }}");
    assert_eq!(refusal(&nested).as_deref(), Some("String: 1: stack level too deep"));
    let beside = format!("{half} {{ b = 1 }}\n{half} {{ c = 1 }}\n");
    assert_eq!(refusal(&beside), None);
}
