//! Which classes a piece of code includes when it runs, as far as that is written out.

use std::collections::HashMap;
use std::sync::Arc;

use super::CodeFile;
use super::summary::known_as;
use crate::syntax::puppet::{ArgumentKind, Call, Declaration, DeclarationKind};
use crate::text::TextRange;

/// The part of a file whose calls are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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

/// The inclusions of a file by the bodies that they stand in, in the order of the file. Names that are not written out are left
/// out.
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
            if call.function == "hiera_include" {
                found.0.entry(body).or_default().extend(of_hiera_include(call));
            } else if !call.is_lookup() {
                add_call(file, call, &lookups, found.0.entry(body).or_default());
            }
        }
        found
    }

    /// Those of one body.
    pub fn of_body(&self, body: Body) -> &[Inclusion] {
        self.0.get(&body).map_or(&[], Vec::as_slice)
    }
}

fn of_hiera_include(call: &Call) -> Option<Inclusion> {
    let key = call.names.first()?;
    Some(Inclusion {
        included: Included::Lookup { key: key.text.as_str().into(), merge: Some("unique".into()) },
        range: key.range,
        is_certain: !call.is_conditional,
        given: None,
    })
}

fn add_call(
    file: &CodeFile,
    call: &Call,
    lookups: &HashMap<TextRange, &Call>,
    inclusions: &mut Vec<Inclusion>,
) {
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
        if let (ArgumentKind::Call, Some(lookup)) = (kind, lookups.get(range))
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

/// Tells the innermost declaration around places that come in the order of the file.
struct Around<'a> {
    left: std::iter::Peekable<std::iter::Enumerate<std::slice::Iter<'a, Declaration>>>,
    /// Those that are open, the innermost last: where each ends, and its number.
    open: Vec<(u32, usize)>,
}

impl<'a> Around<'a> {
    /// Declarations come in the order of the file, too.
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

    #[track_caller]
    fn check(text: &str, body: Body, expected: &[&str]) {
        let file = CodeFile::of_text("/a.pp", text);
        assert_eq!(file.manifest.errors, [], "{text}");
        let inclusions = Inclusions::of(&file);
        let shown = inclusions.of_body(body).iter().map(|it| {
            let what = match &it.included {
                Included::Class(name) => name.to_string(),
                Included::Lookup { key, merge } => {
                    format!("lookup {key} {}", merge.as_deref().unwrap_or("-"))
                }
            };
            let given =
                it.given.as_ref().map_or(String::new(), |it| format!(" given {}", it.join(",")));
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
