//! The members of the root object of a JSON or HOCON file as they are written: separated by commas or line breaks, with
//! comments beside them.

use super::root_entry::Cut;
use crate::data::{DataFile, Format, Verdict};
use crate::ide::pair_edits::line_end;
use crate::syntax::hocon;
use crate::syntax::tree::NodeKind;
use crate::text::{TextEdit, TextRange};

/// The text after a value on its line.
struct Tail {
    /// The comment after the value and the comma.
    comment: Option<TextRange>,
    /// The end of the line, including its line end.
    line_end: usize,
}

/// Cuts a member out.
pub(super) fn cut(data: &DataFile, key: &str) -> Result<Cut, String> {
    let text = &**data.text();
    let members = members(data);
    let named: Vec<usize> =
        members.iter().enumerate().filter(|(_, it)| it.name == key).map(|(at, _)| at).collect();
    let [number] = named[..] else { return Err("is written several times".to_owned()) };
    let member = &members[number];
    if data.format() == Format::Hocon && !hocon_can_spare(text, key, member.range) {
        return Err("takes part in a substitution, or in a path of several names".to_owned());
    }
    let shared = || "shares its lines with others".to_owned();
    let (start, end) = (member.range.start as usize, member.range.end as usize);
    let written = member.range.slice(text).replace("\r\n", "\n");
    let line_start = own_line(text, start);
    let (Some(line_start), Some(tail)) = (line_start, tail(data.format(), text, end)) else {
        let removal = between(text, &members, number).ok_or_else(shared)?;
        return Ok(Cut {
            with_comments: written.clone(),
            text: written,
            removal: vec![TextEdit::delete(removal)],
        });
    };
    let above = comments_above(data.format(), text, line_start);
    let comment = tail.comment.map_or(String::new(), |it| format!(" {}", it.slice(text)));
    let text_alone = format!("{written}{comment}");
    let comments = text[above..line_start].replace("\r\n", "\n");
    let mut removal = Vec::new();
    let is_last = number + 1 == members.len();
    // JSON allows no comma after the last member.
    if let (true, Some(before), Format::Json) = (is_last, number.checked_sub(1), data.format()) {
        let end = members[before].range.end as usize;
        let comma = comma_behind(text, end).ok_or_else(shared)?;
        removal.push(TextEdit::delete(TextRange::new(comma as u32, comma as u32 + 1)));
    }
    removal.push(TextEdit::delete(TextRange::new(above as u32, tail.line_end as u32)));
    Ok(Cut { text: written, with_comments: format!("{comments}{text_alone}"), removal })
}

/// The edits that add a member after the last one.
///
/// # Errors
/// Why it is not clear how, as the end of a sentence that starts with the file.
pub(super) fn paste(data: &DataFile, entry: &str) -> Result<Vec<TextEdit>, String> {
    let text = &**data.text();
    let new_line = line_end(text);
    let with_ends = |lines: String| lines.replace('\n', new_line);
    let members = members(data);
    let Some(last) = members.last() else {
        let edits = paste_into_empty(data, entry);
        return edits.ok_or_else(|| "contains something that is not a plain object".to_owned());
    };
    let (start, end) = (last.range.start as usize, last.range.end as usize);
    let rest = tail(data.format(), text, end);
    let (Some(line_start), Some(rest)) = (own_line(text, start), rest) else {
        // A line end or a comment would push the members after it out of place.
        let is_short = !entry.contains(['\n', '#']) && !entry.contains("//");
        let why = "has its last key on a line with other text, and the new key needs several lines";
        return is_short
            .then(|| vec![TextEdit::insert(end as u32, format!(", {entry}"))])
            .ok_or_else(|| why.to_owned());
    };
    let indent = &text[line_start..start];
    let mut edits = Vec::new();
    // In HOCON, a line end separates members, too.
    if data.format() == Format::Json {
        edits.push(TextEdit::insert(end as u32, ","));
    }
    let line_is_ended = text[..rest.line_end].ends_with('\n');
    let lines = indented(entry, indent);
    let lines = if line_is_ended { lines } else { format!("\n{}", lines.trim_end_matches('\n')) };
    edits.push(TextEdit::insert(rest.line_end as u32, with_ends(lines)));
    Ok(edits)
}

/// An entry with its comments as lines: comments and the first line are indented, the other lines stay as they are.
pub(super) fn indented(entry: &str, indent: &str) -> String {
    let mut is_comment = true;
    let line = |line: &str| {
        // Later lines stay as they are, because they may be text of a string.
        if !is_comment {
            return format!("{line}\n");
        }
        let trimmed = line.trim_start();
        is_comment = trimmed.starts_with('#') || trimmed.starts_with("//");
        format!("{indent}{trimmed}\n")
    };
    let lines: Vec<String> = entry.trim_end_matches('\n').split('\n').map(line).collect();
    lines.concat()
}

fn paste_into_empty(data: &DataFile, entry: &str) -> Option<Vec<TextEdit>> {
    let text = &**data.text();
    let trimmed = text.trim();
    if data.format() == Format::Hocon && trimmed.is_empty() {
        return Some(vec![TextEdit::insert(text.len() as u32, indented(entry, ""))]);
    }
    let inside = trimmed.strip_prefix('{')?.strip_suffix('}')?;
    if !inside.trim().is_empty() || !matches!(data.verdict(), Verdict::Hash) {
        return None;
    }
    let open = text.find('{')? + 1;
    let close = text.rfind('}')?;
    let lines = format!("\n{}", indented(entry, "  ")).replace('\n', line_end(text));
    Some(vec![TextEdit::replace(TextRange::new(open as u32, close as u32), lines)])
}

struct Member {
    name: String,
    /// From the key to the end of the value.
    range: TextRange,
}

/// The members as they are written, in source order.
fn members(data: &DataFile) -> Vec<Member> {
    if data.format() == Format::Hocon {
        let fields = hocon::root_fields(data.text()).into_iter();
        return fields.map(|it| Member { name: it.name.to_string(), range: it.range }).collect();
    }
    let member = |entry: crate::data::EntryTree<'_>| {
        let NodeKind::Scalar { text, .. } = &entry.key.kind else { return None };
        let range = TextRange::new(entry.key.range.start, entry.value.range.end);
        Some(Member { name: text.to_string(), range: range.shifted(entry.start) })
    };
    data.trees().filter_map(member).collect()
}

/// Whether a field and the rest of a HOCON file do not depend on each other.
fn hocon_can_spare(text: &str, key: &str, range: TextRange) -> bool {
    let is_simple = hocon::root_fields(text).iter().any(|it| it.range == range && it.is_simple);
    let asks = |it: &hocon::WrittenName| {
        it.is_substitution
            && (range.contains_range(it.range)
                || it.path.first().is_some_and(|it| it.to_string() == key))
    };
    is_simple && !hocon::written_names(text).iter().any(asks)
}

/// Where the line starts, if nothing precedes `start` on it.
fn own_line(text: &str, start: usize) -> Option<usize> {
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    text[line_start..start].chars().all(|it| it == ' ' || it == '\t').then_some(line_start)
}

/// The text after a value on its line; `None` if it is more than a comma and a comment.
fn tail(format: Format, text: &str, end: usize) -> Option<Tail> {
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    let line = &text[end..line_end];
    let rest = line.trim_start();
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim();
    let is_comment = rest.starts_with("//") || format == Format::Hocon && rest.starts_with('#');
    if !(rest.is_empty() || is_comment) {
        return None;
    }
    let comment = is_comment.then(|| {
        let at = end + line.find(rest).unwrap_or(0);
        TextRange::new(at as u32, (at + rest.len()) as u32)
    });
    Some(Tail { comment, line_end })
}

/// The comma directly after a value.
fn comma_behind(text: &str, end: usize) -> Option<usize> {
    let rest = text[end..].trim_start();
    rest.starts_with(',').then(|| text.len() - rest.len())
}

/// Where the comments directly above a line start.
fn comments_above(format: Format, text: &str, line_start: usize) -> usize {
    let mut above = line_start;
    while let Some(lines) = text[..above].strip_suffix('\n') {
        let start = lines.rfind('\n').map_or(0, |at| at + 1);
        let line = lines[start..].trim_start();
        if !(line.starts_with("//") || format == Format::Hocon && line.starts_with('#')) {
            break;
        }
        above = start;
    }
    above
}

/// In `{a: 1, b: 2}`: the member and one comma.
fn between(text: &str, members: &[Member], number: usize) -> Option<TextRange> {
    let range = members[number].range;
    let removed = if let Some(next) = members.get(number + 1) {
        TextRange::new(range.start, next.range.start)
    } else if let Some(before) = number.checked_sub(1) {
        TextRange::new(members[before].range.end, range.end)
    } else {
        range
    };
    // A comment between two members may belong to either of them.
    let around = removed.slice(text).replace(range.slice(text), "");
    (!around.contains(['\n', '#', '/'])).then_some(removed)
}
