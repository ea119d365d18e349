//! Compares values with types; the expected results are those of real Puppet.

use super::*;
use crate::data::value::Hash;

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    Value::array(items.into_iter().map(Into::into).collect())
}

fn hash(members: impl IntoIterator<Item = (Value, Value)>) -> Value {
    let mut hash = Hash::new();
    members.into_iter().for_each(|(key, value)| hash.insert(key, None, value.into()));
    Value::hash(hash)
}

fn text(text: &str) -> Value {
    Value::string(text)
}

fn symbol() -> Value {
    Value::Symbol("sym".into())
}

fn check_in_full(value: &Value, brief: &str, full: &str) {
    assert_eq!((infer(value).as_str(), infer_in_full(value).as_str()), (brief, full));
}

fn check_lookup(value: &Value, got: Option<&str>) {
    assert_eq!(check_lookup_value(value).as_deref(), got);
}

fn check(type_text: &str, value: &Value, message: &str) {
    let expected = match message {
        "" => Ok(()),
        _ => Err(TypeProblem::Invalid(format!("Found value has wrong type, {message}"))),
    };
    assert_eq!(check_type(type_text, None, "Found value", value), expected, "{type_text}");
}

/// Confirmed with Puppet 7.23.
#[test]
fn an_empty_list_beside_one_of_undef_can_be_a_list_of_anything() {
    let (empty, of_undef) = (|| list([]), || list([Value::Undef]));
    check("Iterable[Array[Class]]", &list([empty(), of_undef()]), "");
    check("Iterable[Array[Class]]", &list([of_undef(), empty()]), "");
}

#[test]
fn types_of_values() {
    check_in_full(&Value::Undef, "Undef", "Undef");
    check_in_full(&text("a"), "String", "String");
    check_in_full(&Value::Integer(3), "Integer", "Integer[3, 3]");
    check_in_full(&list([]), "Array", "Array[0, 0]");
    check_in_full(&hash([]), "Hash", "Hash[0, 0]");
    check_in_full(&list([text("a"), Value::Integer(1)]), "Tuple", "Array[ScalarData, 2, 2]");
    check_in_full(
        &hash([(text("b"), text("x")), (text("a"), Value::Boolean(true))]),
        "Struct",
        "Hash[Enum['a', 'b'], ScalarData, 2, 2]",
    );
}

/// Confirmed with Puppet 7.23.
#[test]
fn values_with_equal_times_have_one_type() {
    let time = || Value::object("Timestamp", "2024-01-01T12:00:00.000000000 UTC");
    let several = |member: fn(Value) -> Value| {
        hash([(Value::Integer(5), member(time())), (Value::Integer(6), member(time()))])
    };
    let is_refused = |value: &Value, got: &str| {
        let message = format!("expects a Hash[String, String] value, got Hash[{got}]");
        check("Hash[String, String]", value, &message);
    };
    let shown = "Timestamp['2024-01-01T12:00:00.000000000 UTC']";
    is_refused(&several(|it| it), &format!("Integer[5, 6], {shown}"));
    let of_struct = several(|it| hash([(text("a"), it)]));
    is_refused(&of_struct, &format!("Integer[5, 6], Struct[{{'a' => {shown}}}]"));
    is_refused(&several(|it| list([it])), &format!("Integer[5, 6], Tuple[{shown}]"));
    let span = || Value::object("Timespan", "1-00:00:00.0");
    let spans = hash([(Value::Integer(5), span()), (Value::Integer(6), span())]);
    is_refused(&spans, "Integer[5, 6], Timespan['1-00:00:00.0']");
}

#[test]
fn lookup_refuses_symbols_and_odd_keys() {
    check_lookup(&list([text("a"), hash([(Value::Integer(1), Value::Undef)])]), None);
    check_lookup(&symbol(), Some("Runtime[ruby, 'Symbol']"));
    check_lookup(
        &hash([(text("a"), symbol())]),
        Some("Hash[String, Runtime[ruby, 'Symbol'], 1, 1]"),
    );
    check_lookup(
        &hash([(Value::Boolean(true), Value::Integer(2))]),
        Some("Hash[Boolean[true], Integer[2, 2], 1, 1]"),
    );
    check_lookup(
        &hash([(Value::Undef, Value::Integer(1))]),
        Some("Hash[Undef, Integer[1, 1], 1, 1]"),
    );
}

#[test]
fn data_has_string_keys() {
    assert!(is_data(&hash([(text("a"), list([Value::Undef, Value::Float(1.0)]))])));
    assert!(!is_data(&hash([(Value::Integer(1), Value::Integer(1))])));
    assert!(!is_data(&Value::Default));
}

#[test]
fn simple_types() {
    check("String", &text("a"), "");
    check("String", &Value::Undef, "expects a String value, got Undef");
    check("Integer[0, 3]", &Value::Integer(9), "expects an Integer[0, 3] value, got Integer[9, 9]");
    check("Integer", &text("9"), "expects an Integer value, got String");
    check("Numeric", &Value::Float(1.5), "");
    check("Optional[Integer]", &text("x"), "expects a value of type Undef or Integer, got String");
    check("Variant[Integer, Boolean]", &Value::Integer(1), "");
    check(
        "Variant[Integer, Array]",
        &text("x"),
        "expects a value of type Integer or Array, got String",
    );
    check("Enum[a, b]", &text("c"), "expects a match for Enum['a', 'b'], got 'c'");
    check("Enum['A', true]", &text("a"), "");
    check("Pattern[/^a/]", &text("b"), "expects a match for Pattern[/^a/], got 'b'");
    check("NotUndef", &Value::Undef, "expects a NotUndef value, got Undef");
}

#[test]
fn collections() {
    let numbers = list([Value::Integer(1), text("x")]);
    check("Array[Integer]", &numbers, "index 1 expects an Integer value, got String");
    check("Array[Data, 3]", &numbers, "expects size to be at least 3, got 2");
    check("Tuple[Integer, String]", &numbers, "");
    check("Hash[String, Data]", &numbers, "expects a Hash value, got Tuple");
    check("Hash", &list([]), "expects a Hash value, got Array");
    let nested = hash([(text("x"), hash([(Value::Integer(1), Value::Integer(1))]))]);
    check("Hash[String, Data]", &nested, "entry 'x' expects a Data value, got Hash");
    let one = hash([(text("a"), Value::Integer(1))]);
    // Several problems are listed, each with a leading space.
    let message = " Found value has wrong type, expects a value for key 'b'\n  \
                   Found value has wrong type, unrecognized key 'a'";
    assert_eq!(
        check_type("Struct[{b => String}]", None, "Found value", &one),
        Err(TypeProblem::Invalid(message.to_owned()))
    );
}

#[test]
fn types_we_do_not_know() {
    let unknown = |it: &str| matches!(parse(it), Err(TypeProblem::Unknown(_)));
    assert!(unknown("Stdlib::Port"));
    assert!(unknown("Array[Mine]"));
    assert!(unknown("Enum[\"a${b}\"]"));
    assert!(!unknown("Struct[{Optional[a] => Hash[String, Variant[Integer, Array[String, 1]]]}]"));
}

#[test]
fn pairs_without_braces_are_a_hash() {
    let shown = |text: &str| parse(text).map(|it| it.to_string()).map_err(|it| format!("{it:?}"));
    for (text, same) in [
        (
            "Struct['a' => String, Optional['b'] => Integer]",
            "Struct[{'a' => String, Optional['b'] => Integer}]",
        ),
        ("Optional[Struct[a => String,]]", "Optional[Struct[{a => String}]]"),
        ("Struct[type => String]", "Struct[{type => String}]"),
    ] {
        assert!(shown(same).is_ok(), "{same}: {:?}", shown(same));
        assert_eq!(shown(text), shown(same));
    }
    // Of two hashes in sequence, only those without braces are one.
    assert!(parse("Struct[{a => String}, b => String]").is_err());
}

#[test]
fn words_that_are_names_only_in_some_places() {
    assert!(parse("Struct[{function => Integer, type /* of */ => String, site => Any}]").is_ok());
    assert!(parse("Enum[application, import]").is_ok());
    let message = |it: &str| match parse(it) {
        Err(TypeProblem::Invalid(message)) => message,
        other => panic!("{it}: {other:?}"),
    };
    assert_eq!(message("Enum[type]"), "Syntax error at ']' (line: 1, column: 10)");
    assert_eq!(message("Enum[a, and]"), "Syntax error at 'and' (line: 1, column: 9)");
    let reserved = "The expression <private> is not a valid type specification.";
    assert_eq!(message("Struct[{private => String}]"), reserved);
}

#[test]
fn not_a_number_is_not_numeric() {
    let nan = Value::Float(f64::NAN);
    check_lookup(&nan, None);
    check_lookup(&list([nan.clone()]), None);
    check_lookup(
        &hash([(nan.clone(), Value::Integer(1))]),
        Some("Hash[Float[NaN, NaN], Integer[1, 1], 1, 1]"),
    );
    check("Numeric", &nan, "expects a Numeric value, got Float");
}

/// Aliases by their lower-case names.
struct Defined(&'static [(&'static str, &'static str)]);

impl AliasFiles for Defined {
    fn alias(&self, name: &str) -> Option<AliasFile> {
        let (_, text) = self.0.iter().find(|(it, _)| *it == name)?;
        Some(AliasFile { path: format!("{name}.pp"), text: (*text).to_owned() })
    }

    fn is_resource_type(&self, name: &str) -> bool {
        name == "m::vhost"
    }
}

fn aliases() -> Arc<TypeAliases> {
    TypeAliases::new(Box::new(Defined(&[
        ("m::port", "# A port.\ntype M::Port = Integer[0, 65535]\n"),
        ("m::tree", "type M::Tree = Variant[Integer, Array[M::Tree]]"),
        ("m::itself", "type M::Itself = M::Itself"),
        ("m::misnamed", "type M::Other = Integer"),
        ("m::two", "type M::Two = Integer\ntype M::Three = Integer"),
        ("m::class", "class m::class { }"),
        ("m::broken", "type M::Broken = Integer[]"),
        ("m::gap", "type M::Gap = Array[No::Such]"),
    ])))
}

fn check_refused(text: &str, message: &str) {
    let refused = evaluate(text, &aliases());
    assert_eq!(refused, Err(TypeProblem::Invalid(message.to_owned())), "{text}");
}

#[test]
fn types_in_manifests_are_refused_in_the_words_of_code() {
    check_refused(
        "Integer['a']",
        "Evaluation Error: Integer-Type [] requires all arguments to be integers (or default). Got String (line: 1, \
         column: 9)",
    );
    check_refused("Array[]", "Syntax error at ']' (line: 1, column: 7)");
    check_refused("Integer[", "Syntax error at end of input");
    check_refused(
        "Array[Nope]",
        "Evaluation Error: Resource type not found: Nope (line: 1, column: 7)",
    );
    check_refused(
        "Float[2,1]",
        "Evaluation Error: Error while evaluating a '[]' expression, 'from' must be less or equal to 'to'. Got (2.0, 1.0 \
         (line: 1, column: 1)",
    );
    check_refused("'x'", "not a type: String");
}

#[test]
fn aliases_are_shown_with_what_they_stand_for_and_recursive_ones_once() {
    let aliases = aliases();
    let words = |text: &str, value: Value| {
        let wanted = evaluate(text, &aliases).expect(text);
        fit(&wanted, &value).expect(text).message
    };
    let port = "expects a M::Port = Integer[0, 65535] value, got String";
    assert_eq!(words("M::Port", Value::string("x")).as_deref(), Some(port));
    let tree = "expects a M::Tree = Variant[Integer, Array[M::Tree]] value, got String";
    assert_eq!(words("M::Tree", Value::string("x")).as_deref(), Some(tree));
    assert_eq!(words("M::Tree", list([list([Value::Integer(1)])])), None);
    let gap = "references an unresolved type 'No::Such'";
    assert_eq!(words("M::Gap", list([Value::Integer(1)])).as_deref(), Some(gap));
    let define = "expects a Resource value, got Integer";
    assert_eq!(words("M::Vhost", Value::Integer(1)).as_deref(), Some(define));
}

#[test]
fn definitions_of_aliases_are_checked() {
    let check = |name: &str, message: &str| {
        let message = format!(
            "Evaluation Error: Error while evaluating a Type-Name, {message} (line: 1, column: 1)"
        );
        check_refused(name, &message);
    };
    check("M::Itself", "Type alias 'M::Itself' cannot be resolved to a real type");
    check(
        "M::Misnamed",
        "The code loaded from m::misnamed.pp produced type with the wrong name, expected 'm::misnamed', actual 'M::Other'",
    );
    check(
        "M::Two",
        "The code loaded from m::two.pp must contain only the type 'm::two' - it has additional definitions.",
    );
    check(
        "M::Class",
        "The code loaded from m::class.pp does not define the type 'm::class' - no type alias or type definition found.",
    );
    check_refused("M::Broken", "Syntax error at ']' (file: m::broken.pp, line: 1, column: 26)");
}

#[test]
fn types_outlive_the_aliases_that_they_name() {
    let wanted = evaluate("Array[M::Port]", &aliases()).expect("a type");
    assert!(!wanted.is_instance(&list([Value::Integer(1)])));
}

#[test]
fn puppet_fails_to_simplify_some_variants() {
    let wanted = parse("Variant[Integer[9], Integer[0, 1]]").expect("a type");
    assert!(fit(&wanted, &Value::Integer(2)).is_err());
    assert!(fit(&wanted, &Value::Integer(1)).is_ok_and(|it| it.is_instance));
}
