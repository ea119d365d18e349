//! A file of Puppet code: its text, its lines, and its content.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use super::summary::known_as;
use crate::syntax::puppet::{self, Declaration, DeclarationKind, Language, Manifest};
use crate::syntax::tree::SyntaxError;
use crate::text::{LineIndex, TextRange};

/// In files with at most this many declarations, a name is compared with each of them.
const FEW_DECLARATIONS: usize = 16;

/// The indexes of declarations by what they are and the names by which Puppet knows them.
type DeclaredNames = HashMap<(DeclarationKind, Arc<str>), usize>;

/// A file that was read.
#[derive(Debug, Clone)]
pub struct CodeFile {
    /// The whole text. If the file is not UTF-8, `?` replaces each invalid byte, so that positions stay correct.
    pub text: Arc<str>,
    /// Its lines.
    pub lines: LineIndex,
    /// Its declarations and calls, and Puppet's errors.
    pub manifest: Manifest,
    /// Only files with many declarations have it.
    declared: OnceLock<DeclaredNames>,
}

impl CodeFile {
    /// Parses the text of the file at `path`. The path distinguishes templates and plans from manifests.
    pub fn of_text(path: &str, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let manifest = puppet::parse(&text, language_of(path));
        Self { lines: LineIndex::new(&text), text, manifest, declared: OnceLock::new() }
    }

    /// Parses the bytes of the file at `path`. Puppet refuses a file that is not UTF-8; the readable parts are parsed
    /// nevertheless.
    pub fn of_bytes(path: &str, bytes: Vec<u8>) -> Self {
        let (text, problem) = text_of(bytes);
        let mut file = Self::of_text(path, text);
        // Puppet checks the encoding before it parses, so this error comes before those of the syntax.
        file.manifest.errors.splice(0..0, problem);
        file
    }

    /// The index of the first declaration of this kind and name.
    pub fn declaration_of(&self, kind: DeclarationKind, name: &str) -> Option<usize> {
        let wanted = known_as(kind, name);
        let declarations = &self.manifest.declarations;
        let name_of = |it: &Declaration| Some(known_as(it.kind, it.name.as_deref()?));
        if declarations.len() <= FEW_DECLARATIONS {
            let is_it = |it: &Declaration| it.kind == kind && name_of(it).as_ref() == Some(&wanted);
            return declarations.iter().position(is_it);
        }
        let declared = self.declared.get_or_init(|| {
            // The first of a name is put in last, and so it stays.
            let all = declarations.iter().enumerate().rev();
            all.filter_map(|(index, it)| Some(((it.kind, name_of(it)?), index))).collect()
        });
        declared.get(&(kind, wanted)).copied()
    }

    /// The line of `offset`, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.lines.line_of(offset) + 1
    }

    /// The piece of the text in `range`.
    pub fn slice(&self, range: TextRange) -> &str {
        range.slice(&self.text)
    }
}

/// Plans have their own reserved words; Puppet recognizes them by the directory `plans`.
pub fn language_of(path: &str) -> Language {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.rsplit_once('.').is_some_and(|(_, extension)| extension == "epp") {
        Language::Template
    } else if path.split('/').rev().skip(1).any(|it| it == "plans") {
        Language::Plan
    } else {
        Language::Manifest
    }
}

/// The text with `?` instead of each invalid byte, and the error for the first of these.
fn text_of(bytes: Vec<u8>) -> (String, Option<SyntaxError>) {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, None),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    let mut first = None;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            first.get_or_insert(not_utf8(text.len() as u32));
        }
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    (text, first)
}

/// Puppet's error for a file whose byte at `offset` is not UTF-8.
pub(crate) fn not_utf8(offset: u32) -> SyntaxError {
    let range = TextRange::new(offset, offset + 1);
    SyntaxError { message: "invalid byte sequence in UTF-8".to_owned(), range }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_keep_their_places() {
        let file = CodeFile::of_bytes("/a.pp", b"# \xff\xfe\nclass a { }".to_vec());
        assert_eq!(&*file.text, "# ??\nclass a { }");
        assert_eq!(file.manifest.errors[0].range, TextRange::new(2, 3));
        assert_eq!(file.line(file.manifest.declarations[0].range.start), 2);
    }

    #[test]
    fn declarations_are_found_by_the_names_that_puppet_uses() {
        let few = "class a { class B { } } define a() { } class a { }";
        for text in [few.to_owned(), format!("{few}{}", "class x { }".repeat(FEW_DECLARATIONS))] {
            let file = CodeFile::of_text("/a.pp", text);
            let index = |kind, name: &str| file.declaration_of(kind, name);
            assert_eq!(index(DeclarationKind::Class, "::A"), Some(0));
            assert_eq!(index(DeclarationKind::Class, "a::b"), Some(1));
            assert_eq!(index(DeclarationKind::Define, "a"), Some(2));
            assert_eq!(index(DeclarationKind::Function, "a"), None);
        }
    }

    #[test]
    fn only_a_directory_named_plans_makes_a_plan() {
        assert_eq!(language_of("/m/plans/a/b.pp"), Language::Plan);
        assert_eq!(language_of("/m/manifests/plans.pp"), Language::Manifest);
        assert_eq!(language_of("/m/templates/plans/a.epp"), Language::Template);
    }
}
