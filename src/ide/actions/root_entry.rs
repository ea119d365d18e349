//! Root entries of data files as separate texts: cut out of one file, and pasted into another one of the same format, with
//! their comments.
//!
//! YAML is cut in whole lines (`yaml_entry`); `members` handles what JSON and HOCON put between members. Every edit of those
//! formats is proved by parsing the result.

use super::members;
use super::yaml_entry;
use crate::data::{DataFile, EntryTree, Format, Value, Verdict};
use crate::ide::pair_edits::{end_of_removal, has_line_end};
use crate::text::{TextEdit, TextRange, apply_edits};

/// An entry that can be removed from its file.
#[derive(Debug)]
pub(super) struct Cut {
    /// The entry as it is written; in YAML, on lines of its own.
    pub(super) text: String,
    /// The same with the comments above and after it.
    pub(super) with_comments: String,
    /// The edits that remove it, comments included.
    pub(super) removal: Vec<TextEdit>,
}

/// Cuts an entry out.
///
/// # Errors
/// Why this is not possible, as the end of a sentence that starts with the key.
pub(super) fn cut(data: &DataFile, entry: &EntryTree<'_>, key: &str) -> Result<Cut, String> {
    if data.format() != Format::Yaml {
        let cut = members::cut(data, key)?;
        let is_proved = is_proved(data, &cut.removal, key, None);
        return is_proved.then_some(cut).ok_or_else(|| "is not written in one place".to_owned());
    }
    let lines = yaml_entry::entry_lines(data.text(), entry)
        .ok_or("does not have lines of its own".to_owned())?;
    if !yaml_entry::is_self_contained(entry.value) {
        return Err("has an anchor or an alias".to_owned());
    }
    // The copy gets a line end.
    if !lines.lines.slice(data.text()).ends_with('\n') && has_line_end(entry.text, entry.value) {
        return Err(yaml_entry::WITHOUT_LINE_END.to_owned());
    }
    let end = end_of_removal(data, entry, lines.with_comments);
    let removal = vec![TextEdit::delete(TextRange::new(lines.with_comments.start, end))];
    // `...` ends a document, and Puppet refuses a file that has nothing before it.
    if data.beside(entry) == (None, None) {
        let rest = apply_edits(data.text(), &removal);
        let after = DataFile::new(data.file(), data.format(), rest.into());
        if !data.is_broken() && after.is_broken() {
            return Err("is the only entry before the end of the document".to_owned());
        }
    }
    Ok(Cut {
        text: yaml_entry::text_of(data.text(), lines.lines),
        with_comments: yaml_entry::text_of(data.text(), lines.with_comments),
        removal,
    })
}

/// The edits that add an entry at the end of a file.
///
/// # Errors
/// Why this is not possible, as the end of a sentence that starts with the file.
pub(super) fn paste(
    data: &DataFile,
    entry: &str,
    key: &str,
    value: &Value,
) -> Result<Vec<TextEdit>, String> {
    if data.format() == Format::Yaml {
        return Ok(vec![yaml_entry::append(data, entry)?]);
    }
    if data.is_broken() {
        return Err("has an error, so Puppet cannot read it".to_owned());
    }
    let edits = members::paste(data, entry)?;
    let is_proved = is_proved(data, &edits, key, Some(value));
    is_proved.then_some(edits).ok_or_else(|| "would get other values, too".to_owned())
}

/// A file that contains only an entry.
pub(super) fn new_file(format: Format, entry: &str) -> String {
    match format {
        Format::Yaml => format!("---\n{entry}"),
        Format::Json => format!("{{\n{}}}\n", members::indented(entry, "  ")),
        Format::Hocon => members::indented(entry, ""),
    }
}

/// Whether the edits change the value of `key` in the file to `value`, and nothing else.
fn is_proved(data: &DataFile, edits: &[TextEdit], key: &str, value: Option<&Value>) -> bool {
    let text = apply_edits(data.text(), edits);
    let after = DataFile::new(data.file(), data.format(), text.into());
    let is_hash = matches!(after.verdict(), Verdict::Hash);
    let others = |data: &DataFile| -> Vec<(Value, Value)> {
        let is_it = |it: &Value| it.as_str() == Some(key);
        let others = data.entries().filter(|entry| !is_it(&entry.key));
        let mut others: Vec<_> =
            others.map(|entry| (entry.key.clone(), entry.value.value.clone())).collect();
        // The order of a HOCON object depends on its names, so only the pairs are compared.
        others.sort_by_key(|(key, _)| crate::data::inspect::inspect(key));
        others
    };
    is_hash
        && after.get(key).map(|entry| &entry.value.value) == value
        && others(data) == others(&after)
}
