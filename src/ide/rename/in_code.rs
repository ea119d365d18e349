//! What a rename of a key changes in Puppet code: the constant keys of lookups. What code does with a whole value is not
//! evaluated, so the rename of a sub key names the places where code gets it.

use std::sync::Arc;

use super::renaming::{Renaming, segments};
use super::{Work, listed};
use crate::code::CodeFile;
use crate::code::file::language_of;
use crate::config::Environment;
use crate::ide::code::spot::dynamic_key;
use crate::ide::labelled_edits::{EditLabel, LabelledEdit};
use crate::syntax::key_path::{self, Segment};
use crate::syntax::puppet::{
    Call, CalledName, Written, WrittenShape, is_bare_name, is_qualified_name,
};
use crate::text::{TextEdit, TextRange};

impl Work<'_> {
    /// Writes the new name into lookups, and names those whose key may be the old one and is put together.
    pub(super) fn lookups_in_code(&mut self, environment: &Arc<Environment>) -> Result<(), String> {
        let index = self.world.code_index(environment);
        let mut left = Vec::new();
        let mut whole_uses = Vec::from_iter(self.parameter_with_whole_value(environment));
        let mut dynamic = Vec::new();
        for (path, summary) in index.files() {
            if self.cancel.is_cancelled() {
                return Err("the request was cancelled".to_owned());
            }
            let root = self.renaming.root();
            let member = format!("{root}.");
            // `lookup("a.${b}")` has its root key as plain text, so it can be renamed there.
            let holds_root = summary.keys.iter().any(|it| it.name == *root)
                || summary.patterns.iter().any(|it| !it.is_anything() && it.matches(&member));
            if holds_root {
                self.lookups_of_file(environment, path, &mut left);
                self.whole_lookups_of_file(environment, path, &mut whole_uses);
            }
            let may_be = summary.patterns.iter().any(|it| !it.is_anything() && it.matches(root));
            if may_be {
                let shown = self.shown(environment, path, TextRange::empty(0));
                let shown = shown.rsplit_once(':').map_or(&*shown, |(path, _)| path);
                dynamic.push(shown.to_owned());
            }
        }
        let root = self.renaming.root();
        if !left.is_empty() {
            let places = listed(&left);
            self.warnings.insert(format!(
                "`{root}` is also looked up in {places}: the old name stays there."
            ));
        }
        if let Some(Segment::Name(member)) = self.renaming.path.last()
            && !whole_uses.is_empty()
        {
            let places = listed(&whole_uses);
            self.warnings.insert(format!(
                "The whole value of `{root}` is also used in {places}: code that reads `{member}` from it keeps the old name."
            ));
        }
        if !dynamic.is_empty() {
            let places = listed(&dynamic);
            self.warnings.insert(format!(
                "Lookups whose key holds expressions may mean `{root}`; they stay as they are: {places}."
            ));
        }
        Ok(())
    }

    fn lookups_of_file(
        &mut self,
        environment: &Environment,
        path: &Arc<str>,
        left: &mut Vec<String>,
    ) {
        let Some(file) = self.world.code_file(path) else { return };
        let is_ours = self.world.is_in_workspace(path);
        let mut edits = Vec::new();
        for call in file.manifest.calls.iter().filter(|it| it.is_lookup()) {
            for name in keys_of(call, self.renaming).filter(|it| is_meant(self.renaming, &it.text))
            {
                match key_edit(&file, path, &name, self.renaming).filter(|_| is_ours) {
                    Some(edit) => edits.push(LabelledEdit { edit, label: EditLabel::Code }),
                    // Code outside of the workspace, and names with escapes, stay as they are.
                    None => left.push(self.shown(environment, path, name.range)),
                }
            }
            let Some(range) = root_of_members(&file, call, self.renaming) else { continue };
            // The name comes between double quotes.
            let new = &self.renaming.new_name;
            let is_plain = is_qualified_name(new, |it| it.is_ascii_lowercase());
            if is_ours && self.renaming.path.len() == 1 && is_plain {
                let edit = TextEdit::replace(range, &**new);
                edits.push(LabelledEdit { edit, label: EditLabel::Code });
            } else {
                left.push(self.shown(environment, path, range));
            }
        }
        self.files.entry(path.clone()).or_default().extend(edits);
    }

    /// Adds the lookups of a file that return a value in which something is renamed.
    fn whole_lookups_of_file(
        &self,
        environment: &Environment,
        path: &Arc<str>,
        found: &mut Vec<String>,
    ) {
        let Some(file) = self.world.code_file(path).filter(|_| self.renaming.path.len() > 1) else {
            return;
        };
        let lookups = file.manifest.calls.iter().filter(|it| it.is_lookup());
        let whole = lookups.flat_map(|it| &it.names).filter(|it| self.renaming.is_within(&it.text));
        found.extend(whole.map(|it| self.shown(environment, path, it.range)));
        found.dedup();
    }
}

/// Whether a lookup of `name` looks up the renamed key, or something in it.
fn is_meant(renaming: &Renaming, name: &str) -> bool {
    segments(name).starts_with(&renaming.path)
}

/// The place of the root key at the start of a key, with its quotes, if only the sub keys are computed: `"a.${b}"`.
fn root_of_members(file: &CodeFile, call: &Call, renaming: &Renaming) -> Option<TextRange> {
    let pattern = call.pattern.as_ref()?;
    let begin = pattern.first()?.as_deref()?;
    // What is behind the last dot belongs to the computed part.
    let (placed, _) = key_path::segment_ranges(begin);
    let root = placed.first().filter(|it| begin[it.full_range.end as usize..].starts_with('.'))?;
    let is_root = renaming.path.first() == Some(&root.segment);
    let range = dynamic_key(call).filter(|_| is_root)?;
    let written = file.slice(range).strip_prefix('"')?;
    let is_verbatim = written.starts_with(root.full_range.slice(begin));
    is_verbatim.then(|| root.full_range.shifted(range.start + 1))
}

/// The constant keys of a call, and those of its hashes with values for whole keys.
fn keys_of<'a>(call: &'a Call, renaming: &Renaming) -> impl Iterator<Item = CalledName> + use<'a> {
    // Puppet compares the keys of these hashes with whole names, so they never lead to a sub key.
    let is_root = renaming.path.len() == 1;
    let mut keys = call.names.clone();
    for options in call.written.iter().filter(|_| is_root) {
        let WrittenShape::Hash(options) = &options.shape else { continue };
        let by_key = |(option, _): &&(Written, Written)| {
            matches!(option.text(), Some("override" | "default_values_hash"))
        };
        for (_, values) in options.iter().filter(by_key) {
            let WrittenShape::Hash(values) = &values.shape else { continue };
            let names = values.iter().filter_map(|(key, _)| {
                Some(CalledName { text: key.text()?.to_owned(), range: key.range })
            });
            keys.extend(names);
        }
    }
    keys.into_iter()
}

/// The edit after which a constant key has the new name. `None` where it is not written in ordinary quotes, or these cannot
/// hold the name.
fn key_edit(
    file: &CodeFile,
    path: &str,
    name: &CalledName,
    renaming: &Renaming,
) -> Option<TextEdit> {
    let written = file.slice(name.range);
    let quote = written.chars().next().filter(|it| ['\'', '"'].contains(it));
    let inner = match quote {
        Some(quote) => written.strip_prefix(quote)?.strip_suffix(quote)?,
        None => written,
    };
    if inner != name.text {
        return None;
    }
    let number = renaming.path.len() - 1;
    let (placed, _) = key_path::segment_ranges(inner);
    let old = placed.get(number)?.full_range;
    let new = if placed.len() == 1 && key_path::is_verbatim(&renaming.new_name) {
        renaming.new_name.to_string()
    } else {
        key_path::quote_segment_within(&renaming.new_name, quote.unwrap_or('"'))?
    };
    // Such a name would need escapes, or Puppet would interpolate it.
    if new.contains(['\\', '$']) || quote.is_some_and(|it| new.contains(it)) {
        return None;
    }
    match quote {
        Some(quote) => {
            let start = name.range.start + quote.len_utf8() as u32;
            Some(TextEdit::replace(old.shifted(start), new))
        }
        None if is_bare_name(&new, language_of(path)) => Some(TextEdit::replace(name.range, new)),
        None if !new.contains('\'') => Some(TextEdit::replace(name.range, format!("'{new}'"))),
        None => None,
    }
}
