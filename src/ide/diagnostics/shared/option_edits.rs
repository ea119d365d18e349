//! Lookup options that a key needs: the edits that add one to the file that has the key, and advice for users.

use crate::data::{DataFile, Files as _, Format, Value};
use crate::engine::AppliedOptions;
use crate::ide::context::LOOKUP_OPTIONS;
use crate::ide::diagnostics::shared::fix::{Fix, is_plain_word};
use crate::ide::diagnostics::shared::walk::{pairs_of, text_of};
use crate::ide::pair_edits::{insert_first, line_end, separates_entries};
use crate::ide::perspective::Perspective;
use crate::ide::sources;
use crate::syntax::tree::Pair;
use crate::text::TextEdit;

/// What to do so that lookups of a key make its value `Sensitive`, and the fix that does it. `options` are those that apply to the
/// key now.
pub(crate) fn make_sensitive(
    perspective: &Perspective,
    data: &DataFile,
    key: &str,
    options: Option<&AppliedOptions>,
) -> (String, Option<Fix>) {
    const OPTION: &str = "convert_to: Sensitive";
    let advice = match options {
        // An entry of another level would replace this one, or have no effect.
        Some(options) if !options.is_pattern => {
            let file = sources::set_at(options).map(|it| perspective.world.path(it.file));
            let file = file.map(|it| format!(" in {}", perspective.shown_path(&it)));
            format!("Set `{OPTION}` in the options of `{key}`{}", file.unwrap_or_default())
        }
        _ => {
            let repeated = options.map(|it| (other_options(&it.options.value), &it.entry));
            // If the key has an entry, no pattern applies to it.
            let repeated = repeated.filter(|(names, _)| !names.is_empty()).map(|(names, entry)| {
                format!(", and repeat there the `{}` of `{entry}`", names.join("` and `"))
            });
            let entry = format!("`lookup_options: {{{key}: {{{OPTION}}}}}`");
            format!("Add {entry}{}", repeated.unwrap_or_default())
        }
    };
    let is_own = |it: &AppliedOptions| it.key_place.is_some_and(|it| it.file == data.file());
    let is_simple = options.is_none_or(|it| !it.is_pattern && is_own(it));
    let edit = with_option(data, key, "convert_to", "Sensitive").filter(|_| is_simple);
    let fix = |edit| Fix::changing("Make the value Sensitive with lookup_options", vec![edit]);
    (advice, edit.map(fix))
}

fn other_options(options: &Value) -> Vec<&str> {
    let options = options.as_hash().into_iter().flatten();
    options.filter_map(|(name, _)| name.as_str()).filter(|it| *it != "convert_to").collect()
}

/// The edit that adds `option: value` for `key` to the file's `lookup_options`. `None` if the edit is not simple.
pub(crate) fn with_option(
    data: &DataFile,
    key: &str,
    option: &str,
    value: &str,
) -> Option<TextEdit> {
    if data.format() != Format::Yaml || !is_plain_word(key) {
        return None;
    }
    let is_named = |pair: &&Pair, name: &str| text_of(&pair.key).is_some_and(|it| **it == *name);
    let options = data.trees_called(LOOKUP_OPTIONS).into_iter().next();
    let Some(entry) = options else { return at_the_end(data, key, option, value) };
    let own = pairs_of(entry.value).iter().find(|pair| is_named(pair, key));
    let mut edit = match own {
        Some(own) if pairs_of(&own.value).iter().any(|it| is_named(&it, option)) => return None,
        Some(own) => insert_first(entry.text, Format::Yaml, &own.value, &[(option, value)])?,
        None => {
            let options = format!("{{{option}: {value}}}");
            insert_first(entry.text, Format::Yaml, entry.value, &[(key, &options)])?
        }
    };
    edit.range = edit.range.shifted(entry.start);
    Some(edit)
}

/// Adds an entry after all others, unless there is more text after them.
fn at_the_end(data: &DataFile, key: &str, option: &str, value: &str) -> Option<TextEdit> {
    let (text, end) = (data.text(), line_end(data.text()));
    let last = data.entry_at(text.len() as u32)?;
    // If the root is a hash in braces, text after it is not a part of it.
    let is_flow = data.trees().next().is_some_and(|it| {
        !text[..it.range().start as usize].ends_with(['\n', '\u{feff}']) && it.range().start > 0
    });
    // After the end of the document or before another one, Puppet would not read the new entry.
    let behind = &text[last.range().end as usize..];
    if is_flow || behind.lines().any(|line| line.starts_with(['-', '.', '%'])) {
        return None;
    }
    let between = if text.ends_with('\n') { "" } else { end };
    let entry = format!("{LOOKUP_OPTIONS}:{end}  {key}: {{{option}: {value}}}{end}");
    let gap = if separates_entries(data, text, &entry) { end } else { "" };
    Some(TextEdit::insert(text.len() as u32, format!("{between}{gap}{entry}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::FileId;
    use crate::text::apply_edits;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        for (text, expected) in [
            (text.to_owned(), expected.map(str::to_owned)),
            (text.replace('\n', "\r\n"), expected.map(|it| it.replace('\n', "\r\n"))),
        ] {
            let data = DataFile::new(FileId(0), Format::Yaml, text.clone().into());
            let edit = with_option(&data, "m::a", "merge", "hash");
            assert_eq!(edit.map(|edit| apply_edits(&text, &[edit])), expected, "{text}");
        }
    }

    #[test]
    fn options_that_are_there_are_added_to() {
        check(
            "---\nm::a: 1\nlookup_options:\n  # b\n  m::b: {}\n",
            Some("---\nm::a: 1\nlookup_options:\n  # b\n  m::a: {merge: hash}\n  m::b: {}\n"),
        );
        check(
            "lookup_options:\n  m::a:\n    convert_to: x\nm::a: 1\n",
            Some("lookup_options:\n  m::a:\n    merge: hash\n    convert_to: x\nm::a: 1\n"),
        );
        check(
            "lookup_options: {m::b: {}}\n",
            Some("lookup_options: {m::a: {merge: hash}, m::b: {}}\n"),
        );
        check("lookup_options: {m::a: {merge: first}}\n", None);
        check("lookup_options: {}\n", None);
    }

    #[test]
    fn a_file_without_any_gets_some() {
        let options = "lookup_options:\n  m::a: {merge: hash}\n";
        check("# x\nm::a: 1 # y\n", Some(&format!("# x\nm::a: 1 # y\n{options}")));
        check("m::a:\n  - 1", Some(&format!("m::a:\n  - 1\n{options}")));
        let separated = "m::a: 1\n\nm::b: 2\n";
        check(separated, Some(&format!("{separated}\n{options}")));
        check("{m::a: 1}\n", None);
        check("m::a: 1\n...\n", None);
        check("m::a: 1\n---\nm::b: 1\n", None);
    }

    #[test]
    fn other_formats_and_keys_that_need_quotes_are_left_alone() {
        let with = |format, text: &str, key| {
            with_option(&DataFile::new(FileId(0), format, text.into()), key, "merge", "hash")
        };
        assert_eq!(with(Format::Json, r#"{"lookup_options": {"b": {}}, "a": {}}"#, "a"), None);
        assert_eq!(with(Format::Hocon, "lookup_options { b = {} }\na = {}\n", "a"), None);
        assert_eq!(with(Format::Yaml, "lookup_options: {b: {}}\n'a: b': {}\n", "a: b"), None);
    }
}
