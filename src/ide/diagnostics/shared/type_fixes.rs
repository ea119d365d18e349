//! Fixes for a value that does not fit its type: add quotes, remove quotes, or make a list of it. Only fixes after which
//! the part fits are offered.

use crate::data::puppet_type::{ChangedParts, Part};
use crate::data::{Format, Located, Value};
use crate::ide::diagnostics::shared::bound_values::{RefusedParameter, RefusedPart};
use crate::ide::diagnostics::shared::fix::{Fix, quoted};
use crate::limits::MAX_TRIED_VALUES;
use crate::text::TextEdit;

/// The fixes of each part that does not fit.
pub(crate) fn fixes_of_parts<'r>(
    refused: &'r RefusedParameter<'_>,
) -> impl Iterator<Item = (&'r RefusedPart, Vec<Fix>)> {
    let mut changes = ChangedParts::new(MAX_TRIED_VALUES);
    refused.parts.iter().map(move |part| (part, fixes(refused, part, &mut changes)))
}

/// The fixes of one part that does not fit.
fn fixes(
    refused: &RefusedParameter<'_>,
    part: &RefusedPart,
    changes: &mut ChangedParts,
) -> Vec<Fix> {
    let format = refused.data.format();
    let written = part.range.slice(refused.data.text());
    // If the value is interpolated or converted, the class does not get what is written, so a change of the text may not help.
    let is_simple = !written.contains(['\n', '%']) && part.conversion.is_none();
    let Some(value) = part_of(&part.value, part).filter(|_| is_simple && format != Format::Hocon)
    else {
        return Vec::new();
    };
    let Some(wanted) = refused.wanted.known() else { return Vec::new() };
    let Some(fix) = fix_at(refused.data.text(), part) else { return Vec::new() };
    let mut helps = |new: &Value| changes.fits(wanted, &part.value.value, &part.misfit.path, new);
    let mut fixes = Vec::new();
    let mut offer = |title: String, new: &Value, text: String| {
        if helps(new) {
            fixes.push(fix(title, vec![TextEdit::replace(part.range, text)]));
        }
    };
    match &value.value {
        Value::String(text) if is_quoted(written) => {
            if let Some(plain) = plain_value(text) {
                offer(format!("Write `{text}` without quotes"), &plain, text.to_string());
            }
        }
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => {
            let text = match format {
                Format::Json => serde_json::Value::from(written).to_string(),
                _ => quoted(written),
            };
            offer("Put quotes around it".to_owned(), &Value::string(written), text);
        }
        _ => {}
    }
    // In a list in brackets, these characters end an unquoted item or start something else.
    let may_stand_in_a_list =
        is_quoted(written) || !written.contains([',', '[', ']', '{', '}', '#', ':']);
    if !matches!(value.value, Value::Array(_) | Value::Hash(_) | Value::Undef)
        && may_stand_in_a_list
    {
        let list = Value::array(vec![value]);
        offer("Make a list of it".to_owned(), &list, format!("[{written}]"));
    }
    fixes
}

/// How a fix may change a part, by what is written before it; `None` if it may not.
fn fix_at(text: &str, part: &RefusedPart) -> Option<fn(String, Vec<TextEdit>) -> Fix> {
    let before = text[..part.range.start as usize].trim_end();
    let last = before.rsplit([' ', '\t', '\n', '[', '{', ',']).next().unwrap_or_default();
    match last.as_bytes().first() {
        // A tag says of which type the value is.
        Some(b'!') => None,
        // Another key that gets the same value by an alias may need it as it is.
        Some(b'&') => Some(Fix::by_hand),
        _ => Some(Fix::changing),
    }
}

fn is_quoted(written: &str) -> bool {
    written.starts_with(['"', '\''])
}

/// The value of a text without its quotes, if it is not a string then.
fn plain_value(text: &str) -> Option<Value> {
    match text {
        "true" => return Some(Value::Boolean(true)),
        "false" => return Some(Value::Boolean(false)),
        _ => {}
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    // YAML reads a number with a leading zero in base 8.
    let is_number = digits.starts_with(|it: char| it.is_ascii_digit())
        && digits.ends_with(|it: char| it.is_ascii_digit())
        && digits.bytes().all(|it| it.is_ascii_digit() || it == b'.')
        && (digits.len() == 1 || !digits.starts_with('0') || digits.starts_with("0."));
    if !is_number {
        return None;
    }
    let integer = text.parse().ok().map(Value::Integer);
    integer.or_else(|| text.parse().ok().filter(|it: &f64| it.is_finite()).map(Value::Float))
}

/// The value of the part, if its range contains exactly that value.
fn part_of(whole: &Located, part: &RefusedPart) -> Option<Located> {
    let mut value = whole;
    for step in &part.misfit.path {
        value = match (step, &value.value) {
            (Part::Index(index), Value::Array(items)) => items.get(*index)?,
            (Part::Entry(name), Value::Hash(hash)) => &hash.get(name)?.value,
            _ => return None,
        };
    }
    let is_there = value.place.is_some_and(|it| it.range == part.range);
    (is_there && part.misfit.extraneous_key.is_none()).then(|| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_yaml_reads_in_another_way_keep_their_quotes() {
        assert_eq!(plain_value("80"), Some(Value::Integer(80)));
        assert_eq!(plain_value("-1.5"), Some(Value::Float(-1.5)));
        assert_eq!(plain_value("0.5"), Some(Value::Float(0.5)));
        for text in ["0644", "1:30", "1_000", "", "yes", "1.2.3", "."] {
            assert_eq!(plain_value(text), None, "{text}");
        }
    }
}
