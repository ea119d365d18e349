//! What an index keeps of a code file: names, without the code.

use std::sync::Arc;

use memchr::memmem;

use super::CodeFile;
use super::lookup_arguments::LookupArguments;
use crate::syntax::puppet::{Call, Declaration, DeclarationKind, Parameter};
use crate::syntax::{interpolation, key_path};
use crate::text::TextRange;

/// The names in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeSummary {
    /// Its declarations, except node blocks, which have no name.
    pub declared: Box<[DeclaredName]>,
    /// The root keys that it looks up: for `a.b`, this is `a`.
    pub keys: Box<[CodeName]>,
    /// The classes that it includes.
    pub included: Box<[CodeName]>,
    /// The declarations of classes whose names are not constant, with parameters.
    pub open_classes: Box<[OpenClasses]>,
    /// Root keys in Hiera interpolations inside its strings, which a back end written in Puppet code resolves.
    pub interpolated: Box<[Arc<str>]>,
    /// The keys of its lookups that are built from texts and expressions.
    pub patterns: Box<[KeyPattern]>,
    /// Whether a class has a parameter with a type, or a defined type has one with a type and a constant default.
    pub has_checked_types: bool,
    /// Whether Puppet refuses the arguments of a lookup, or a lookup is for no key.
    pub has_failing_lookup: bool,
    /// The number of its node blocks.
    pub node_blocks: u32,
    /// Whether Puppet refuses the file.
    pub is_broken: bool,
}

/// A declaration in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredName {
    /// The kind.
    pub kind: DeclarationKind,
    /// The name that Puppet uses: in lower case, except for type aliases.
    pub name: Arc<str>,
    /// The index of the declaration in the file.
    pub index: u32,
}

/// A constant name in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeName {
    /// The name; for a class, in lower case and without a leading `::`.
    pub name: Arc<str>,
    /// Its range, with its quotes.
    pub range: TextRange,
}

/// A declaration with parameters of classes whose names are not constant, such as `class { $name: port => 80 }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenClasses {
    /// The range of the declaration, or of `create_resources` with its arguments.
    pub range: TextRange,
    /// The names of the parameters; `*` for a hash, which may have any.
    pub given: Box<[Box<str>]>,
    /// Whether it is certain that it declares classes. `create_resources($type, …)` usually creates other resources.
    pub is_certain: bool,
}

/// The texts of a key, with `None` for each expression. Without any text it can be any key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyPattern(Box<[Option<Box<str>>]>);

impl CodeSummary {
    /// The names in `file`.
    pub fn of(file: &CodeFile) -> Self {
        let manifest = &file.manifest;
        let declared = manifest.declarations.iter().enumerate().filter_map(|(index, it)| {
            let name = known_as(it.kind, it.name.as_deref()?);
            Some(DeclaredName { kind: it.kind, name, index: index as u32 })
        });
        let lookups = || manifest.calls.iter().filter(|it| it.is_lookup());
        let patterns = lookups().filter(|it| it.is_dynamic).map(KeyPattern::of);
        let node_blocks =
            manifest.declarations.iter().filter(|it| it.kind == DeclarationKind::Node);
        let inclusions = manifest.calls.iter().filter(|it| !it.is_lookup());
        let class: fn(&str) -> Arc<str> = |name| known_as(DeclarationKind::Class, name);
        Self {
            declared: declared.collect(),
            keys: lookups().flat_map(looked_up).collect(),
            included: inclusions.flat_map(|it| names(it, class)).collect(),
            open_classes: open_classes(file),
            interpolated: interpolated_keys(&file.text),
            patterns: patterns.filter(|it| it.constant().is_none()).collect(),
            has_checked_types: manifest.declarations.iter().any(has_checked_types),
            has_failing_lookup: lookups().any(always_fails),
            node_blocks: node_blocks.count() as u32,
            is_broken: !manifest.errors.is_empty(),
        }
    }
}

/// Whether Puppet does not accept the arguments of a lookup, or they are an empty list of keys.
fn always_fails(lookup: &Call) -> bool {
    let has_no_key = lookup.names.is_empty() && !lookup.is_dynamic;
    has_no_key || LookupArguments::of(lookup).is_err()
}

fn open_classes(file: &CodeFile) -> Box<[OpenClasses]> {
    let manifest = &file.manifest;
    let declared =
        manifest.calls.iter().filter(|it| it.function == "class" && it.is_dynamic).map(|it| {
            let given = it.given().map(|it| it.name.text.as_str().into());
            OpenClasses { range: it.range, given: given.collect(), is_certain: true }
        });
    let created = manifest.resources.iter().filter_map(|it| {
        let is_certain = it.type_name.is_some();
        let may_be_class = it.type_name.as_deref().is_none_or(|it| it == "class");
        let of_class = || OpenClasses { range: it.range, given: ["*".into()].into(), is_certain };
        may_be_class.then(of_class)
    });
    declared.filter(|it| !it.given.is_empty()).chain(created).collect()
}

impl KeyPattern {
    /// The key of a lookup that is not constant.
    pub fn of(call: &Call) -> Self {
        let parts: Vec<_> = call.pattern.iter().flatten().map(Option::as_deref).collect();
        let mut root = root_parts(&parts);
        root.retain(|it| it.as_deref() != Some(""));
        Self(root.into())
    }

    /// The key, if only its members are built from expressions: `"a.${b}"`.
    fn constant(&self) -> Option<&str> {
        match &*self.0 {
            [Some(only)] => Some(only),
            _ => None,
        }
    }

    /// Whether the key is completely unknown.
    pub fn is_anything(&self) -> bool {
        !self.0.iter().any(Option::is_some)
    }

    /// Whether the key can be `name`.
    pub fn matches(&self, name: &str) -> bool {
        if self.is_anything() {
            return true;
        }
        let mut rest = name;
        let mut is_free = false;
        for (index, part) in self.0.iter().enumerate() {
            let Some(text) = part else {
                is_free = true;
                continue;
            };
            let is_last = index + 1 == self.0.len();
            // The first place in the name that fits is enough, because it leaves the most text for the parts after it.
            let found = match (is_free, is_last) {
                (true, true) => rest.ends_with(&**text).then(|| rest.len() - text.len()),
                (true, false) => rest.find(&**text),
                (false, _) => rest.starts_with(&**text).then_some(0),
            };
            let Some(at) = found else { return false };
            rest = &rest[at + text.len()..];
            is_free = false;
        }
        is_free || rest.is_empty()
    }
}

/// The parts of the root key, without its quotes. After it come members of its value.
fn root_parts(parts: &[Option<&str>]) -> Vec<Option<Box<str>>> {
    let begin = parts.first().copied().flatten().map(str::trim_start);
    let quote = begin.and_then(|it| it.chars().next()).filter(|it| matches!(it, '\'' | '"'));
    // Dots between quotes belong to the name.
    let end = quote.unwrap_or('.');
    let mut root = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let Some(text) = *part else {
            root.push(None);
            continue;
        };
        let text = if number == 0 && quote.is_some() { &text.trim_start()[1..] } else { text };
        let (name, is_end) = match text.find(end) {
            Some(at) => (&text[..at], true),
            None => (text, false),
        };
        root.push(Some(name.into()));
        if is_end {
            break;
        }
    }
    root
}

/// The name that Puppet uses for a declaration `name`.
pub fn known_as(kind: DeclarationKind, name: &str) -> Arc<str> {
    let name = name.strip_prefix("::").unwrap_or(name);
    // Most names are plain ASCII, which needs no look at the tables of Unicode.
    let is_plain = name.bytes().all(|it| it.is_ascii() && !it.is_ascii_uppercase());
    let is_lower =
        is_plain || kind == DeclarationKind::TypeAlias || !name.contains(char::is_uppercase);
    if is_lower { name.into() } else { name.to_lowercase().into() }
}

fn has_checked_types(declaration: &Declaration) -> bool {
    let is_class = declaration.kind == DeclarationKind::Class;
    let has_constant = |it: &Parameter| it.default.as_ref().is_some_and(|it| it.constant.is_some());
    let is_checked = |it: &Parameter| it.type_range.is_some() && (is_class || has_constant(it));
    (is_class || declaration.kind == DeclarationKind::Define)
        && declaration.parameters.iter().any(is_checked)
}

fn interpolated_keys(text: &str) -> Box<[Arc<str>]> {
    if memmem::find(text.as_bytes(), b"%{").is_none() {
        return Box::default();
    }
    let keys = interpolation::tokens(text).into_iter().filter_map(|token| {
        let (key, _) = token.lookup_key()?;
        key_path::root_of(key)
    });
    keys.collect()
}

/// The key whose value a lookup of `name` reads or digs into.
pub fn root_key(name: &str) -> Arc<str> {
    let root = key_path::root_of(name);
    root.unwrap_or_else(|| name.into())
}

/// The root keys that a call names.
fn looked_up(call: &Call) -> Vec<CodeName> {
    let mut found: Vec<_> = names(call, root_key).collect();
    let pattern = call.is_dynamic.then(|| KeyPattern::of(call));
    if let Some(root) = pattern.as_ref().and_then(KeyPattern::constant)
        && let Some((_, range)) = call.arguments.first()
    {
        found.push(CodeName { name: root.into(), range: *range });
    }
    found
}

fn names(call: &Call, meant: fn(&str) -> Arc<str>) -> impl Iterator<Item = CodeName> {
    call.names.iter().map(move |it| CodeName { name: meant(&it.text), range: it.range })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(parts: &[Option<&str>], matching: &[&str], others: &[&str]) {
        let pattern = KeyPattern(parts.iter().map(|it| it.map(Box::from)).collect());
        for name in matching {
            assert!(pattern.matches(name), "{parts:?} {name}");
        }
        for name in others {
            assert!(!pattern.matches(name), "{parts:?} {name}");
        }
    }

    #[test]
    fn patterns_match_whole_keys() {
        check(
            &[Some("a::"), None, Some("::b")],
            &["a::x::b", "a::::b"],
            &["a::x::c", "xa::y::b", "a::b"],
        );
        check(&[Some("a::"), None], &["a::", "a::b"], &["b::a::"]);
        check(&[None, Some("x"), None, Some("x")], &["xx", "axbx"], &["x", "xxa"]);
        check(&[], &["anything"], &[]);
        check(&[None], &["anything"], &[]);
    }

    #[test]
    fn dots_in_quotes_belong_to_the_root_key() {
        let text = "lookup(\"'a.b'.${c}\") lookup(\" 'x.${y}z' .c\")";
        let summary = CodeSummary::of(&CodeFile::of_text("/a.pp", text));
        assert_eq!((&*summary.keys[0].name, summary.patterns.len()), ("a.b", 1));
        let pattern = &summary.patterns[0];
        assert!(pattern.matches("x.yz") && !pattern.matches("x") && !pattern.matches("x.y"));
    }

    #[test]
    fn classes_are_known_in_lower_case_and_aliases_as_they_are_written() {
        let text = "class fooBar { include ::Baz }\ntype Foo::Bar = Any\nlookup('aB')\nlookup(\"x${y}\")\n";
        let summary = CodeSummary::of(&CodeFile::of_text("/a.pp", text));
        let declared: Vec<_> = summary.declared.iter().map(|it| &*it.name).collect();
        assert_eq!(declared, ["foobar", "Foo::Bar"]);
        assert_eq!(&*summary.keys[0].name, "aB");
        assert!(summary.included.is_empty() && !summary.is_broken);
        assert!(summary.patterns[0].matches("xz"));
        let text = "lookup(\"a_${b}.c\")";
        let pattern = CodeSummary::of(&CodeFile::of_text("/a.pp", text)).patterns[0].clone();
        assert!(pattern.matches("a_x") && !pattern.matches("b_x"));
        let text = "lookup(\"a::b.${c}\")";
        let summary = CodeSummary::of(&CodeFile::of_text("/a.pp", text));
        assert_eq!((&*summary.keys[0].name, summary.patterns.len()), ("a::b", 0));
        let text = "lookup('a::b.c.0')";
        let summary = CodeSummary::of(&CodeFile::of_text("/a.pp", text));
        assert_eq!(&*summary.keys[0].name, "a::b");
        let text = "include '::Baz' $c.interpolate(\"%{hiera('k.l')} %{facts.os}\")";
        let summary = CodeSummary::of(&CodeFile::of_text("/a.pp", text));
        assert_eq!(&*summary.included[0].name, "baz");
        assert_eq!(*summary.interpolated, ["k".into()]);
    }
}
