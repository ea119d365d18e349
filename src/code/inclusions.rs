//! The classes that a piece of code includes when it runs, as far as they are constant.

use std::collections::HashMap;
use std::sync::Arc;

use super::CodeFile;
use super::lookup_arguments::LookupArguments;
use super::summary::known_as;
use crate::data::Value;
use crate::syntax::puppet::{
    ArgumentKind, Call, Condition, Declaration, DeclarationKind, FunctionUse, Guard, ResourceUse,
};
use crate::text::TextRange;

/// A part of a file, with its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Body {
    /// Outside of all declarations.
    TopLevel,
    /// In the declaration with this index, but not in declarations inside it.
    Declaration(usize),
}

/// A call that includes classes, or a resource whose definition may.
#[derive(Debug, Clone, PartialEq)]
pub struct Inclusion {
    /// What is included.
    pub included: Included,
    /// Where that is written.
    pub range: TextRange,
    /// The conditions under which it runs.
    pub guards: Box<[Guard]>,
    /// The parameters that `class { … }` sets, `*` for any; `None` for calls that set none.
    pub given: Option<Box<[Box<str>]>>,
}

/// What an [`Inclusion`] includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Included {
    /// A class, by the name that Puppet uses.
    Class(Arc<str>),
    /// The classes in the result of a lookup.
    Lookup(ClassLookup),
    /// The inclusions of the defined type with this name, and whether a resource of it is certainly created.
    Defined(Arc<str>, bool),
    /// The inclusions of the function with this name, if it is written in Puppet code.
    Function(Arc<str>),
    /// The result of an expression, which may depend on facts.
    Computed(Condition),
    /// Classes whose names are not constant.
    Unknown,
}

/// A lookup that returns names of classes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ClassLookup {
    /// The keys, of which the first that is found wins.
    pub keys: Box<[Arc<str>]>,
    /// The merge that it requests.
    pub merge: Option<Value>,
    /// A hash with values that win over data.
    pub overrides: Value,
    /// A hash with values for keys without data.
    pub default_values: Value,
    /// The classes if there is no data, if they are constant.
    pub default: Option<Box<[Arc<str>]>>,
    /// Whether code computes the classes if there is no data.
    pub has_open_default: bool,
}

/// The inclusions of a file by their bodies, in source order.
#[derive(Debug, Default)]
pub struct Inclusions(HashMap<Body, Vec<Inclusion>>);

impl Inclusions {
    /// All inclusions in a file.
    pub fn of(file: &CodeFile) -> Self {
        let calls = &file.manifest.calls;
        let lookups = calls.iter().filter(|it| it.is_lookup()).map(|it| (it.range, it)).collect();
        let mut found = Self::default();
        let mut around = Around::new(&file.manifest.declarations);
        for call in calls {
            let body = around.body_at(call.position);
            let inclusions = found.0.entry(body).or_default();
            let known = inclusions.len();
            if call.function == "hiera_include" {
                inclusions.push(of_hiera_include(call));
            } else if !call.is_lookup() {
                add_call(call, &lookups, inclusions);
            }
            // Puppet evaluates a default only if neither code nor data have a value for the parameter.
            if is_in_default(file, body, call.position) {
                inclusions[known..].iter_mut().for_each(|it| it.guards = [Guard::unknown()].into());
            }
        }
        // `Around` only moves forward, and resources are in a list of their own.
        let mut around = Around::new(&file.manifest.declarations);
        for resource in &file.manifest.resources {
            let body = around.body_at(resource.range.start);
            found.0.entry(body).or_default().push(of_resource(resource));
        }
        let mut around = Around::new(&file.manifest.declarations);
        for function in &file.manifest.functions {
            let body = around.body_at(function.range.start);
            found.0.entry(body).or_default().push(of_function(function));
        }
        found
    }

    /// The inclusions of one body.
    pub fn of_body(&self, body: Body) -> &[Inclusion] {
        self.0.get(&body).map_or(&[], Vec::as_slice)
    }
}

/// Whether a position in a body belongs to the default of a parameter.
fn is_in_default(file: &CodeFile, body: Body, position: u32) -> bool {
    let Body::Declaration(index) = body else { return false };
    let parameters = file.manifest.declarations.get(index).map_or(&[][..], |it| &it.parameters);
    let mut defaults = parameters.iter().filter_map(|it| it.default.as_ref());
    defaults.any(|it| it.range.touches(position))
}

fn of_hiera_include(call: &Call) -> Inclusion {
    Inclusion {
        included: lookup_of(call).map_or(Included::Unknown, Included::Lookup),
        range: call.names.first().map_or(call.range, |it| it.range),
        guards: call.guards.clone(),
        given: None,
    }
}

fn of_resource(resource: &ResourceUse) -> Inclusion {
    let name = resource.type_name.as_deref().filter(|it| *it != "class");
    let name = name.map(|it| known_as(DeclarationKind::Define, it));
    Inclusion {
        // `create_resources('class', …)` gets names and parameters from a hash.
        given: name.is_none().then(|| ["*".into()].into()),
        included: name.map_or(Included::Unknown, |name| Included::Defined(name, resource.is_made)),
        range: resource.range,
        guards: resource.guards.clone(),
    }
}

fn of_function(function: &FunctionUse) -> Inclusion {
    // What `call` calls may include any class, also with parameters.
    let is_any = function.name == "call";
    Inclusion {
        included: if is_any {
            Included::Unknown
        } else {
            Included::Function(known_as(DeclarationKind::Function, &function.name))
        },
        range: function.range,
        guards: function.guards.clone(),
        given: is_any.then(|| ["*".into()].into()),
    }
}

fn add_call(call: &Call, lookups: &HashMap<TextRange, &Call>, inclusions: &mut Vec<Inclusion>) {
    // Puppet accepts `undef` for a parameter without data, so such an attribute counts, too.
    let names = call.given().map(|it| it.name.text.as_str().into());
    let given = (call.function == "class").then(|| names.collect());
    let mut add = |included, range| {
        let (guards, given) = (call.guards.clone(), given.clone());
        inclusions.push(Inclusion { included, range, guards, given });
    };
    for name in &call.names {
        let class = known_as(DeclarationKind::Class, &name.text);
        // Puppet refuses an empty name, and no class has it.
        if !class.is_empty() {
            add(Included::Class(class), name.range);
        }
    }
    let mut looked_up = 0;
    for (kind, range) in &call.arguments {
        if let (ArgumentKind::Call, Some(lookup)) = (kind, lookups.get(range))
            && let Some(lookup) = lookup_of(lookup)
        {
            add(Included::Lookup(lookup), *range);
            looked_up += 1;
        }
    }
    let (known, unknown): (Vec<_>, Vec<_>) =
        call.computed.iter().partition(|it| **it != Condition::Unknown);
    for name in known {
        add(Included::Computed(name.clone()), call.range);
    }
    // The results of lookups are not known here either.
    if unknown.len() > looked_up {
        add(Included::Unknown, call.range);
    }
}

/// A call that looks up constant keys.
fn lookup_of(call: &Call) -> Option<ClassLookup> {
    let said = LookupArguments::of(call).ok().filter(|it| it.open.is_empty())?;
    let default: Option<Box<[_]>> =
        said.default_value.filter(|_| call.lambda.is_none()).and_then(|it| {
            let mut names = Vec::new();
            add_names(&it, &mut names).map(|()| names.into())
        });
    let has_default = said.default.is_some() || call.lambda.is_some();
    Some(ClassLookup {
        keys: said.names.into(),
        merge: said.merge,
        overrides: Value::hash(said.overrides),
        default_values: Value::hash(said.default_values),
        has_open_default: has_default && default.is_none(),
        default,
    })
}

fn add_names(value: &Value, names: &mut Vec<Arc<str>>) -> Option<()> {
    match value {
        Value::String(text) => names.push(known_as(DeclarationKind::Class, text)),
        Value::Array(items) => return items.iter().try_for_each(|it| add_names(&it.value, names)),
        _ => return None,
    }
    Some(())
}

/// Finds the innermost declaration around places that come in source order.
struct Around<'a> {
    left: std::iter::Peekable<std::iter::Enumerate<std::slice::Iter<'a, Declaration>>>,
    /// The open declarations, the innermost last: the end of each, and its index.
    open: Vec<(u32, usize)>,
}

impl<'a> Around<'a> {
    /// Declarations are in source order, too.
    fn new(declarations: &'a [Declaration]) -> Self {
        Self { left: declarations.iter().enumerate().peekable(), open: Vec::new() }
    }

    fn body_at(&mut self, offset: u32) -> Body {
        while let Some((index, it)) = self.left.next_if(|(_, it)| it.range.start <= offset) {
            self.close_before(it.range.start);
            self.open.push((it.range.end, index));
        }
        self.close_before(offset);
        self.open.last().map_or(Body::TopLevel, |(_, index)| Body::Declaration(*index))
    }

    fn close_before(&mut self, offset: u32) {
        while self.open.last().is_some_and(|(end, _)| *end <= offset) {
            self.open.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::inspect;

    #[track_caller]
    fn check(text: &str, body: Body, expected: &[&str]) {
        let file = CodeFile::of_text("/a.pp", text);
        assert_eq!(file.manifest.errors, [], "{text}");
        let inclusions = Inclusions::of(&file);
        let shown = inclusions.of_body(body).iter().map(|it| {
            let what = match &it.included {
                Included::Class(name) => name.to_string(),
                Included::Lookup(it) => {
                    let default = match it.default.as_deref() {
                        _ if it.has_open_default => Some(" or others".to_owned()),
                        default => default.map(|it| format!(" or {}", it.join(","))),
                    };
                    let merge = it.merge.as_ref().map_or("-".to_owned(), inspect::to_s);
                    let over = it.overrides.as_hash().filter(|it| !it.is_empty());
                    let over = over.map(|_| format!(" over {}", inspect::to_s(&it.overrides)));
                    format!(
                        "lookup {} {merge}{}{}",
                        it.keys.join("|"),
                        default.unwrap_or_default(),
                        over.unwrap_or_default()
                    )
                }
                Included::Defined(name, is_made) => {
                    format!("{} {name}", if *is_made { "made" } else { "perhaps" })
                }
                Included::Function(name) => format!("call of {name}"),
                Included::Computed(_) => "computed".to_owned(),
                Included::Unknown => "unknown".to_owned(),
            };
            let given =
                it.given.as_ref().map_or(String::new(), |it| format!(" given {}", it.join(",")));
            format!("{what}{}{given}", if it.guards.is_empty() { "" } else { "?" })
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn calls_of_a_body_and_of_none_inside() {
        let text = "include a\nnode default { include ::b, c }\nclass d { contain e class f { include g } }\n\
                    define h { include i }\n";
        check(text, Body::TopLevel, &["a"]);
        check(text, Body::Declaration(0), &["b", "c"]);
        check(text, Body::Declaration(1), &["e"]);
    }

    #[test]
    fn what_something_decides_about_is_not_certain() {
        let text = "if $x { include a } else { include b }\nunless $y { include c }\n\
                    case $z { 1: { include d } default: { } }\n['e'].each |$n| { include f }\n\
                    $g = $z ? { 1 => include(h), default => 2 }\n$h = $z and include(i)\ninclude j\n";
        check(text, Body::TopLevel, &["a?", "b?", "c?", "d?", "f?", "h?", "i?", "j"]);
    }

    #[test]
    fn classes_that_are_looked_up() {
        let text = "lookup('classes', Array[String], 'unique').include\ninclude(lookup('more'))\n\
                    include lookup({name => 'x', merge => 'deep'})\nhiera_include('old')\nlookup($y).include\n\
                    lookup('n', undef, undef, ['A', 'b']).include\n\
                    hiera_array('c', []).include\nhiera('c', [], 'site').include\n\
                    lookup('c', Array, {strategy => unique}).include\nlookup('c', {merge => {strategy => deep}}).include\n\
                    lookup(['c', 'd'], {override => {c => [x]}}).include\nlookup('c', 'refused').include\n\
                    lookup('c', Array, $merge).include\nlookup('c') |$k| { ['m'] }.include\n\
                    include lookup('c', Array, first, $x)\nhiera_include('c') |$k| { ['m'] }\n";
        let expected = [
            "lookup classes unique",
            "lookup more -",
            "lookup x deep",
            "lookup old unique",
            "unknown",
            "lookup n - or a,b",
            "lookup c unique or ",
            "lookup c first or ",
            "lookup c {\"strategy\"=>\"unique\"}",
            "lookup c {\"strategy\"=>\"deep\"}",
            "lookup c|d - over {\"c\"=>[\"x\"]}",
            "unknown",
            "unknown",
            "lookup c - or others",
            "lookup c first or others",
            "lookup c unique or others",
        ];
        check(text, Body::TopLevel, &expected);
    }

    #[test]
    fn functions_that_call_others() {
        let text = "call('include', 'm')\ncall('::contain', $x)\n$f.call(1)\ncall('m::f')\ncall('split', 'a', 'b')\ncall()\n";
        let any = "unknown given *";
        check(text, Body::TopLevel, &[any, any, any, "call of m::f", any]);
    }

    #[test]
    fn no_class_has_an_empty_name() {
        check("include '', a, '::'\n", Body::TopLevel, &["a"]);
    }

    #[test]
    fn what_is_not_written_out_is_named() {
        let text =
            "include a, \"b${x}\"\ninclude $y\nhiera_include($z)\nclass { $c: }\ninclude f()\n";
        let expected = ["a", "computed", "computed", "unknown", "computed given ", "unknown"];
        check(text, Body::TopLevel, &expected);
    }

    #[test]
    fn code_in_the_default_of_a_parameter_may_not_run() {
        let text = "class a($x = lookup('l').include, $y = include('b')) { include c }\n";
        check(text, Body::Declaration(0), &["lookup l -?", "b?", "c"]);
    }

    #[test]
    fn resources_that_may_be_defined_in_code() {
        let text = "m::a { 'x': }\n@b { 'y': }\nfile { '/z': }\nif $x { m::c { ['t', 'u']: } }\nm::d { $x: }\n";
        check(text, Body::TopLevel, &["made m::a", "perhaps b", "made m::c?", "perhaps m::d"]);
    }

    #[test]
    fn functions_that_may_be_written_in_code() {
        let text = "::m::f(split('a', 'b'))\nif $x { $y = 'z'.m::g }\nfunction m::f() { m::h() include a }\n";
        check(text, Body::TopLevel, &["call of m::f", "call of m::g?"]);
        check(text, Body::Declaration(0), &["a", "call of m::h"]);
    }

    #[test]
    fn classes_that_are_created_from_a_hash() {
        let text = "create_resources('class', {'a' => {}})\nif $x { create_resources('Class', $y) }\n\
                    'class'.create_resources($z)\ncreate_resources('file', $f)\n";
        check(text, Body::TopLevel, &["unknown given *", "unknown? given *", "unknown given *"]);
        let text = "create_resources(m::a, $x)\ncreate_resources('@@M::B', $x)\ncreate_resources($type, $x)\n\
                    create_resources(File, $x)\ncreate_resources()\n";
        check(text, Body::TopLevel, &["perhaps m::a", "perhaps m::b", "unknown given *"]);
        let text = "ensure_resource('class', 'a', {'p' => 1})\n['a'].each |$n| { ensure_resources('Class', $y) }\n\
                    Resource['class'] { 'a': p => 1 }\nResource[$type] { 'a': }\nResource['M::A'] { 'a': }\n\
                    Resource[File] { '/a': }\nensure_resource('file', '/a')\n";
        let any = "unknown given *";
        check(text, Body::TopLevel, &[any, "unknown? given *", any, any, "made m::a"]);
    }

    #[test]
    fn code_behind_a_return_may_not_run() {
        let text = "class a { include b if $x { return() } include c }\nclass d { include e }\n";
        check(text, Body::Declaration(0), &["b", "c?"]);
        check(text, Body::Declaration(1), &["e"]);
    }

    #[test]
    fn parameters_that_are_given() {
        check("class { 'a': p => 1, q => 2 }", Body::TopLevel, &["a given p,q"]);
        check("class { 'a': p => undef, q => $q }", Body::TopLevel, &["a given p,q"]);
        let text = "class { 'a': q => 2; default: p => 1, q => 1; 'b': }";
        check(text, Body::TopLevel, &["a given q,p", "b given p,q"]);
    }
}
