//! The places that name a class parameter in ways that a rename does not change: a message lists them.
//!
//! Calls of code are only searched as text, because their arguments can be computed.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use super::inline_templates::TemplateVariable;
use super::{Work, listed};
use crate::code::summary::known_as;
use crate::config::Environment;
use crate::data::Files as _;
use crate::ide::code::variables::names_of;
use crate::ide::searched_code::{
    EXAMPLES, WITH_EXAMPLES, files_of_environment, holds_word, word_places,
};
use crate::ide::strings::interpolated_strings;
use crate::syntax::puppet::{Declaration, DeclarationKind};
use crate::text::TextRange;
use crate::world::World;

/// The maximum length of the arguments of a call that are looked at.
const MAX_ARGUMENTS: usize = 2_000;

impl Work<'_> {
    /// Warns of the places that keep the name `old` of a parameter of `class`. `qualified` are the names by which its variable
    /// is known outside of the class.
    pub(super) fn warn_of_what_stays(
        &mut self,
        environment: &Arc<Environment>,
        (class, old): (&str, &str),
        qualified: &[String],
    ) {
        let in_data = self.tokens_that_read(environment, qualified);
        if !in_data.is_empty() {
            self.warnings.insert(format!(
                "Data reads the variable of the parameter in {}: the old name stays there.",
                listed(&in_data)
            ));
        }
        let Some(mentions) = Mentions::new(class, old, qualified) else { return };
        let variable = TemplateVariable::new(old, qualified);
        let mut in_code = Vec::new();
        for (path, _) in self.world.code_index(environment).files() {
            let Ok(text) = self.world.text(path) else { continue };
            let mut places = mentions.places(&text);
            if let Some(variable) = variable.as_ref().filter(|_| text.contains("inline_")) {
                places.extend(self.inline_templates(path, variable, qualified));
                places.sort_unstable();
            }
            let places = places.into_iter();
            in_code.extend(places.map(|at| self.shown(environment, path, TextRange::empty(at))));
        }
        in_code.dedup();
        if !in_code.is_empty() {
            self.warnings.insert(format!(
                "Code may set or read `{old}` of class `{class}` in {}: the old name stays there.",
                listed(&in_code)
            ));
        }
    }

    /// Where templates in a file of code may read the variable.
    fn inline_templates(
        &self,
        path: &str,
        variable: &TemplateVariable<'_>,
        qualified: &[String],
    ) -> Vec<u32> {
        let Some(file) = self.world.code_file(path) else { return Vec::new() };
        let sees_it = |it: &&Declaration| {
            let class = it.name.as_deref().map(|it| known_as(DeclarationKind::Class, it));
            let class = class.filter(|_| it.kind == DeclarationKind::Class);
            class.is_some_and(|class| {
                qualified.iter().any(|it| it.rsplit_once("::").is_some_and(|(of, _)| *of == *class))
            })
        };
        let classes = file.manifest.declarations.iter().filter(sees_it).map(|it| it.range);
        let names = names_of(self.world, path).unwrap_or_default();
        variable.places(&file.text, &names, &classes.collect::<Vec<_>>())
    }

    /// Warns of examples and specs that set or read the parameter `old` of `class`. Puppet does not load them with the environment.
    pub(super) fn warn_of_examples(&mut self, environment: &Environment, class: &str, old: &str) {
        let files = files_of_environment(self.world, environment, &[(&WITH_EXAMPLES, &EXAMPLES)]);
        let variable = format!("{class}::{old}");
        let place = |path: Arc<str>| {
            let text = self.world.text(&path).ok()?;
            let of_class =
                class_place(&text, class).and_then(|_| parameter_places(&text, old).next());
            let at = of_class.into_iter().chain(class_place(&text, &variable)).min()?;
            Some(self.shown(environment, &path, TextRange::empty(at)))
        };
        let places: Vec<_> = files.into_iter().filter_map(place).collect();
        if !places.is_empty() {
            self.warnings.insert(format!(
                "Examples or specs may set or read `{old}` of class `{class}`, and are not changed: {}.",
                listed(&places)
            ));
        }
    }

    /// The strings of data that interpolate one of these variables.
    fn tokens_that_read(&self, environment: &Environment, variables: &[String]) -> Vec<String> {
        let is_one = |name: &str| {
            let name = name.strip_prefix("::").unwrap_or(name);
            let is_it = |it: &String| name.strip_prefix(&**it).is_some_and(is_end_or_member);
            variables.iter().any(is_it)
        };
        let strings =
            variables.iter().flat_map(|it| strings_that_read(self.world, environment, it, &is_one));
        let mut places: Vec<_> =
            strings.map(|(path, at)| self.shown(environment, &path, at)).collect();
        places.sort();
        places.dedup();
        places
    }
}

/// The strings of data that interpolate one of the wanted variables, each of whose names contains `part`.
pub(super) fn strings_that_read(
    world: &World,
    environment: &Environment,
    part: &str,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Vec<(Arc<str>, TextRange)> {
    let reach = world.reach(environment);
    let mut places = Vec::new();
    for file in world.files_containing(environment, part) {
        let Some(format) = reach.format_of(&file.path) else { continue };
        for entry in file.data(format).trees() {
            for string in interpolated_strings(entry.text, entry.value) {
                let mut read = string.tokens.iter().filter_map(|it| it.variable());
                if read.any(|(name, _)| is_wanted(name)) {
                    places.push((file.path.clone(), string.node.range.shifted(entry.start)));
                }
            }
        }
    }
    places
}

/// Where an example or a spec has the name of a parameter: `port => 1`, `port: 1`, `:port`, `with_port`.
fn parameter_places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = u32> + 't {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let places = text.match_indices(name).filter(move |(at, _)| {
        let (before, behind) = (&text[..*at], &text[at + name.len()..]);
        let before = before.strip_suffix("with_").unwrap_or(before);
        let goes_on_before = before.ends_with(is_part) || before.ends_with("::");
        let goes_on_behind = behind.starts_with(is_part) || behind.starts_with("::");
        !goes_on_before && !goes_on_behind
    });
    places.map(|(at, _)| at as u32)
}

fn is_end_or_member(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('.')
}

/// What such places look like in code.
struct Mentions<'a> {
    class: &'a str,
    old: &'a str,
    /// `getvar('class::old')` and `Class['class']['old']`.
    reads: Regex,
    /// The start of a call that declares classes with parameters in a hash.
    declares: Regex,
}

impl<'a> Mentions<'a> {
    /// `None` if there can be no such expressions.
    fn new(class: &'a str, old: &'a str, qualified: &[String]) -> Option<Self> {
        let variables: Vec<String> = qualified.iter().map(|it| regex::escape(it)).collect();
        let variables = variables.join("|");
        let (name, parameter) = (regex::escape(class), regex::escape(old));
        let reads = format!(
            r#"\bgetvar\s*\(\s*['"](?:::)?(?:{variables})\b|['"](?:::)?(?:{variables})(?:\.[^'"]*)?['"]\s*\.\s*getvar\b|\bclass\s*\[\s*['"]?(?:::)?{name}['"]?\s*\]\s*\[\s*['"]?{parameter}['"]?\s*\]"#
        );
        let declares =
            r#"\b(?:create_resources|ensure_resources?)\s*\(?\s*['"]?(?:::)?class['"]?\s*,"#;
        let regex = |it: &str| RegexBuilder::new(it).case_insensitive(true).build().ok();
        Some(Self { class, old, reads: regex(&reads)?, declares: regex(declares)? })
    }

    fn places(&self, text: &str) -> Vec<u32> {
        let reads = self.reads.find_iter(text).map(|it| it.start());
        let declares = self.declares.find_iter(text).filter(|it| {
            let arguments = arguments(&text[it.end()..]).to_lowercase();
            let may_hold_it = holds_word(&arguments, self.old) || arguments.contains('$');
            // Without a hash, the names of the classes are computed, too.
            let may_name_class =
                holds_class(&arguments, self.class) || !arguments.contains(['{', '\'', '"']);
            may_name_class && may_hold_it
        });
        let mut places: Vec<u32> =
            reads.chain(declares.map(|it| it.start())).map(|it| it as u32).collect();
        places.sort_unstable();
        places
    }
}

/// Whether arguments in lower case name the class.
fn holds_class(arguments: &str, class: &str) -> bool {
    class_place(arguments, class).is_some()
}

/// The first byte at which a text names the class.
pub(super) fn class_place(text: &str, class: &str) -> Option<u32> {
    let at_top = format!("::{class}");
    let places =
        word_places(text, class).next().into_iter().chain(word_places(text, &at_top).next());
    places.min()
}

/// The text up to the bracket that closes the arguments.
fn arguments(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().take(MAX_ARGUMENTS) {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' if depth == 0 => return &text[..at],
            b')' | b'}' | b']' => depth -= 1,
            b'\n' if depth == 0 && !text[..at].trim_end().ends_with(',') => return &text[..at],
            _ => {}
        }
    }
    let end = (0..=MAX_ARGUMENTS.min(text.len())).rev().find(|it| text.is_char_boundary(*it));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_set_or_read_a_parameter() {
        let qualified = ["a::p".to_owned(), "heir::p".to_owned()];
        let mentions = Mentions::new("a", "p", &qualified).expect("the patterns are valid");
        for text in [
            "getvar('a::p')",
            "getvar(\"::heir::p.x\")",
            "'a::p'.getvar",
            "Class['a']['p']",
            "Class[A][p]",
            "create_resources('class', { 'a' => { 'p' => 8 } })",
            "create_resources(class, $classes)",
            "ensure_resource('class', '::a', { p => 5 })",
            "ensure_resource('class', 'a', $x)",
            "ensure_resources('class', { 'a' => {\n  p => 5 } })",
        ] {
            assert_eq!(mentions.places(text), [0], "{text}");
        }
        for text in [
            "getvar('a::port')",
            "Class['a']['port']",
            "Class['b']['p']",
            "create_resources('class', { 'b' => { 'p' => 8 } })",
            "create_resources('file', { 'a' => { 'p' => 8 } })",
            "ensure_resource('class', 'a', { q => 5 })",
            "ensure_resource('class', 'b', $x)",
        ] {
            assert_eq!(mentions.places(text), [0; 0], "{text}");
        }
    }
}
