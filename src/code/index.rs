//! The index of an environment's code: which files declare what, and which files look up which keys.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use super::summary::{CodeSummary, KeyPattern, known_as};
use crate::syntax::puppet::DeclarationKind;
use crate::text::TextRange;

/// The code of one environment. It consists of summaries, which are reused while their files stay the same.
#[derive(Debug, Default)]
pub struct CodeIndex {
    files: Vec<(Arc<str>, Arc<CodeSummary>)>,
    declared: HashMap<(DeclarationKind, Arc<str>), Vec<DeclaredAt>, foldhash::fast::RandomState>,
    keys: HashMap<Arc<str>, Vec<(u32, TextRange)>, foldhash::fast::RandomState>,
    interpolated: HashSet<Arc<str>>,
    /// The keys of lookups that have no module, sorted; computed on demand.
    without_module: OnceLock<Box<[Arc<str>]>>,
    patterns: Vec<(KeyPattern, u32)>,
}

/// The place of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredAt {
    /// The file.
    pub path: Arc<str>,
    /// The index of the declaration in the file.
    pub index: u32,
    /// Whether Puppet refuses the file.
    pub is_broken: bool,
}

impl CodeIndex {
    /// The index of `files`, which must be sorted by path.
    pub fn new(files: Vec<(Arc<str>, Arc<CodeSummary>)>) -> Self {
        let mut index = Self::default();
        for (number, (path, summary)) in files.iter().enumerate() {
            for it in &summary.declared {
                let place = DeclaredAt {
                    path: path.clone(),
                    index: it.index,
                    is_broken: summary.is_broken,
                };
                index.declared.entry((it.kind, it.name.clone())).or_default().push(place);
            }
            for it in &summary.keys {
                index.keys.entry(it.name.clone()).or_default().push((number as u32, it.range));
            }
            index.interpolated.extend(summary.interpolated.iter().cloned());
            for pattern in &summary.patterns {
                if !index.patterns.iter().any(|(known, _)| known == pattern) {
                    index.patterns.push((pattern.clone(), number as u32));
                }
            }
        }
        Self { files, ..index }
    }

    /// Where `name` is declared, in the order of the files.
    pub fn declared(&self, kind: DeclarationKind, name: &str) -> &[DeclaredAt] {
        self.declared.get(&(kind, known_as(kind, name))).map_or(&[], Vec::as_slice)
    }

    /// The names of all declarations of `kind`, sorted.
    pub fn names(&self, kind: DeclarationKind) -> Vec<Arc<str>> {
        let names = self.declared.keys().filter(|(of, _)| *of == kind);
        let mut names: Vec<_> = names.map(|(_, name)| name.clone()).collect();
        names.sort_unstable();
        names
    }

    /// Where code looks the key up by its constant name.
    pub fn lookups<'a>(&'a self, key: &str) -> impl Iterator<Item = (&'a Arc<str>, TextRange)> {
        let places = self.keys.get(key).map_or(&[][..], Vec::as_slice);
        places.iter().map(|(file, range)| (&self.files[*file as usize].0, *range))
    }

    /// Whether code looks up the key by its name, contains it in an interpolation, or looks up a name with expressions that
    /// can be the key's. Lookups of completely unknown keys are ignored.
    pub fn is_looked_up(&self, key: &str) -> bool {
        self.is_named(key) || self.pattern_of(key).is_some()
    }

    /// Whether code looks up the key by its constant name, or contains it in an interpolation.
    pub fn is_named(&self, key: &str) -> bool {
        self.keys.contains_key(key) || self.interpolated.contains(key)
    }

    /// The first file that looks up a name with expressions that can be the key's.
    pub fn pattern_of(&self, key: &str) -> Option<&Arc<str>> {
        let can_be = |it: &KeyPattern| !it.is_anything() && it.matches(key);
        let (_, file) = self.patterns.iter().find(|(pattern, _)| can_be(pattern))?;
        Some(&self.files[*file as usize].0)
    }

    /// The first file that looks up a completely unknown key.
    pub fn lookup_of_anything(&self) -> Option<&Arc<str>> {
        let (_, file) = self.patterns.iter().find(|(pattern, _)| pattern.is_anything())?;
        Some(&self.files[*file as usize].0)
    }

    /// The keys without a module that code looks up by their names, sorted.
    pub fn keys_without_module(&self) -> &[Arc<str>] {
        self.without_module.get_or_init(|| {
            let mut keys: Vec<_> =
                self.keys.keys().filter(|it| !it.contains("::")).cloned().collect();
            keys.sort_unstable();
            keys.into()
        })
    }

    /// The names in the file at `path`.
    pub fn summary(&self, path: &str) -> Option<&Arc<CodeSummary>> {
        let at = self.files.binary_search_by(|(known, _)| (**known).cmp(path)).ok()?;
        Some(&self.files[at].1)
    }

    /// The files, sorted by path, with their names.
    pub fn files(&self) -> &[(Arc<str>, Arc<CodeSummary>)] {
        &self.files
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::CodeFile;

    fn index(files: &[(&str, &str)]) -> CodeIndex {
        let summary = |path: &str, text: &str| CodeSummary::of(&CodeFile::of_text(path, text));
        let files =
            files.iter().map(|(path, text)| ((*path).into(), Arc::new(summary(path, text))));
        CodeIndex::new(files.collect())
    }

    #[test]
    fn names_lead_to_files() {
        let index = index(&[
            ("/a.pp", "class A { } class a::b { }"),
            ("/b.pp", "class a { } lookup('k') lookup(\"x::${y}\") lookup($z)"),
        ]);
        let places = index.declared(DeclarationKind::Class, "::a");
        let places: Vec<_> = places.iter().map(|it| (&*it.path, it.index)).collect();
        assert_eq!(places, [("/a.pp", 0), ("/b.pp", 0)]);
        assert_eq!(index.names(DeclarationKind::Class), ["a".into(), "a::b".into()]);
        assert_eq!(index.lookups("k").map(|(path, _)| &**path).collect::<Vec<_>>(), ["/b.pp"]);
        assert!(index.is_looked_up("k") && index.is_looked_up("x::1") && !index.is_looked_up("l"));
    }
}
