//! Which classes a piece of code includes when it runs, as far as that is written out.

use std::sync::Arc;

use super::CodeFile;
use super::summary::{is_lookup, known_as};
use crate::syntax::puppet::{ArgumentKind, Call, Declaration, DeclarationKind};
use crate::text::TextRange;

/// The part of a file whose calls are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Outside of all declarations.
    TopLevel,
    /// In the declaration of this number, and in none inside of it.
    Declaration(usize),
}

/// A call that includes classes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inclusion {
    /// What is included.
    pub included: Included,
    /// Where that is written.
    pub range: TextRange,
    /// Whether nothing decides if the call runs.
    pub is_certain: bool,
    /// The parameters that `class { … }` gives; `None` for all other calls.
    pub given: Option<Box<[Box<str>]>>,
}

/// What an [`Inclusion`] includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Included {
    /// A class, as Puppet knows it.
    Class(Arc<str>),
    /// The classes that a lookup of this key gives, perhaps with a merge that is asked for.
    Lookup {
        /// The key.
        key: Arc<str>,
        /// The merge strategy.
        merge: Option<Arc<str>>,
    },
}

/// The inclusions of a body, in the order of the file. Names that are not written out are left out.
pub fn of_body(file: &CodeFile, body: Body) -> Vec<Inclusion> {
    let manifest = &file.manifest;
    let mut inclusions = Vec::new();
    for call in manifest.calls.iter().filter(|it| body_of(file, it) == body) {
        if call.function == "hiera_include" {
            let keys = call.names.iter().take(1);
            let merge = Some("unique".into());
            inclusions.extend(keys.map(|it| Inclusion {
                included: Included::Lookup { key: it.text.as_str().into(), merge: merge.clone() },
                range: it.range,
                is_certain: !call.is_conditional,
                given: None,
            }));
        } else if !is_lookup(call) {
            add_call(file, call, &mut inclusions);
        }
    }
    inclusions
}

fn add_call(file: &CodeFile, call: &Call, inclusions: &mut Vec<Inclusion>) {
    let attributes = call.attributes.iter().map(|it| it.text.as_str().into());
    let given = (call.function == "class").then(|| attributes.collect());
    let is_certain = !call.is_conditional;
    inclusions.extend(call.names.iter().map(|it| Inclusion {
        included: Included::Class(known_as(DeclarationKind::Class, &it.text)),
        range: it.range,
        is_certain,
        given: given.clone(),
    }));
    for (kind, range) in &call.arguments {
        let lookup = file.manifest.calls.iter().find(|it| is_lookup(it) && it.range == *range);
        if let (ArgumentKind::Call, Some(lookup)) = (kind, lookup)
            && let ([name], false) = (lookup.names.as_slice(), lookup.is_dynamic)
        {
            let key = name.text.as_str().into();
            let included = Included::Lookup { key, merge: merge_of(file, lookup) };
            inclusions.push(Inclusion { included, range: *range, is_certain, given: None });
        }
    }
}

/// The merge strategy that a lookup asks for by a constant name.
fn merge_of(file: &CodeFile, lookup: &Call) -> Option<Arc<str>> {
    let third = lookup.arguments.get(2).filter(|(kind, _)| *kind == ArgumentKind::String);
    let option = lookup.options.iter().find(|(name, _)| name.text == "merge");
    let range = third.map(|(_, range)| *range).or(option.map(|(_, range)| *range))?;
    let written = file.slice(range).trim_matches(['\'', '"']);
    written.bytes().all(|it| it.is_ascii_lowercase()).then(|| written.into())
}

/// The innermost declaration around a call.
fn body_of(file: &CodeFile, call: &Call) -> Body {
    let declarations = file.manifest.declarations.iter().enumerate();
    let around = declarations.filter(|(_, it)| holds(it, call.position));
    let innermost = around.max_by_key(|(_, it)| it.range.start);
    innermost.map_or(Body::TopLevel, |(index, _)| Body::Declaration(index))
}

fn holds(declaration: &Declaration, offset: u32) -> bool {
    declaration.range.start <= offset && offset < declaration.range.end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, body: Body, expected: &[&str]) {
        let file = CodeFile::of_text("/a.pp", text);
        assert_eq!(file.manifest.errors, [], "{text}");
        let shown = of_body(&file, body).into_iter().map(|it| {
            let what = match it.included {
                Included::Class(name) => name.to_string(),
                Included::Lookup { key, merge } => {
                    format!("lookup {key} {}", merge.as_deref().unwrap_or("-"))
                }
            };
            let given = it.given.map_or(String::new(), |it| format!(" given {}", it.join(",")));
            format!("{what}{}{given}", if it.is_certain { "" } else { "?" })
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
                    $g = $z ? { 1 => include(h), default => 2 }\n$z and include(i)\ninclude j\n";
        check(text, Body::TopLevel, &["a?", "b?", "c?", "d?", "f?", "h?", "i?", "j"]);
    }

    #[test]
    fn classes_that_are_looked_up() {
        let text = "lookup('classes', Array[String], 'unique').include\ninclude(lookup('more'))\n\
                    include lookup({name => 'x', merge => 'deep'})\nhiera_include('old')\nlookup($y).include\n";
        let expected =
            ["lookup classes unique", "lookup more -", "lookup x deep", "lookup old unique"];
        check(text, Body::TopLevel, &expected);
    }

    #[test]
    fn parameters_that_are_given() {
        check("class { 'a': p => 1, q => 2 }", Body::TopLevel, &["a given p,q"]);
    }
}
