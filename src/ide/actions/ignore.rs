//! Comments that silence a rule: for a line, or for the whole file.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use super::{Action, ActionContext, ActionKind};
use crate::code::file::language_of;
use crate::code::roots::is_code;
use crate::data::{Files as _, Format, Verdict};
use crate::ide::diagnostics::{Diagnostic, heeds_comments};
use crate::ide::edits::FileEdit;
use crate::ide::file_role::FileRole;
use crate::ide::pair_edits::line_end;
use crate::ide::written_strings::WrittenStrings;
use crate::syntax::puppet::Language;
use crate::syntax::yaml;
use crate::text::{BYTE_ORDER_MARK, TextEdit, TextRange};

/// The start of a comment for one line.
const COMMENT: &str = "# hiera-ls: ignore[";

/// Two actions for each rule with a diagnostic in the selection.
pub(super) fn provide(context: &ActionContext<'_>) -> Vec<Action> {
    if !takes_comments(context) {
        return Vec::new();
    }
    let is_broken = is_broken(context);
    let scalars =
        LazyCell::new(|| WrittenStrings::of(context.world, &context.file.path, &context.file.text));
    let mut at_same_place: HashMap<_, Vec<Diagnostic>> = HashMap::new();
    for diagnostic in context.touched_diagnostics() {
        let same = at_same_place.entry((diagnostic.code, diagnostic.range)).or_default();
        same.push(diagnostic.clone());
    }
    let (mut codes, mut lines) = (HashSet::new(), HashSet::new());
    let mut actions: Vec<Action> = Vec::new();
    for diagnostic in context.touched_diagnostics().filter(|it| heeds_comments(it.code)) {
        let code = diagnostic.code;
        let start = if is_broken { diagnostic.range.start } else { start_of(&scalars, diagnostic) };
        let line = context.file.line_index().line_of(start) + 1;
        // A line can be very long and have very many findings, so it is searched only once for each rule.
        if !is_broken
            && lines.insert((code, line))
            && let Some(edit) = line_comment(context, &scalars, diagnostic)
        {
            let title = format!("Ignore {code} on line {line}");
            actions.push(action(context, title, edit, &at_same_place[&(code, diagnostic.range)]));
        }
        if codes.insert(code)
            && let Some(edit) = file_comment(&context.file.text, code)
        {
            let title = format!("Ignore {code} in this file");
            let fixed = &at_same_place[&(code, diagnostic.range)];
            actions.push(action(context, title, edit, fixed));
        }
    }
    // Actions for the whole file are the last resort.
    actions.sort_by_key(|it| it.title.ends_with("in this file"));
    actions
}

fn action(
    context: &ActionContext<'_>,
    title: String,
    edit: TextEdit,
    fixed: &[Diagnostic],
) -> Action {
    Action {
        title,
        kind: ActionKind::QuickFix,
        edits: vec![FileEdit::new(context.file.path.clone(), vec![edit])],
        fixes: fixed.to_vec(),
        is_preferred: false,
        refusal: None,
    }
}

/// Whether it is not known which texts are comments.
fn is_broken(context: &ActionContext<'_>) -> bool {
    let path = &context.file.path;
    match FileRole::of(context.world, path) {
        Some(FileRole::Data { format, .. }) => {
            let data = context.world.data(path, format);
            data.is_ok_and(|data| matches!(data.verdict(), Verdict::Broken(_)))
        }
        _ => yaml::parse(&context.file.text).root.is_none(),
    }
}

/// JSON has no comments, and what is written between the tags of a template is text.
fn takes_comments(context: &ActionContext<'_>) -> bool {
    let path = &context.file.path;
    if is_code(path) && language_of(path) == Language::Template {
        return false;
    }
    !matches!(FileRole::of(context.world, path), Some(FileRole::Data { format: Format::Json, .. }))
        && !path.ends_with(".json")
}

/// Where the diagnostic starts, or the string that it is in.
fn start_of(scalars: &WrittenStrings, diagnostic: &Diagnostic) -> u32 {
    scalars.start_of(diagnostic.range.start)
}

/// The comment for the line on which the diagnostic or its string starts: after the line, in existing brackets, or on a line of its own
/// above. `None` if both places are inside a string.
fn line_comment(
    context: &ActionContext<'_>,
    scalars: &WrittenStrings,
    diagnostic: &Diagnostic,
) -> Option<TextEdit> {
    let (text, index) = (&*context.file.text, context.file.line_index());
    let number = index.line_of(start_of(scalars, diagnostic));
    let line = index.line_range(text, number);
    let code = diagnostic.code;
    let above = index.line_range(text, number.saturating_sub(1));
    let is_comment = |at: &u32| !scalars.contain(*at);
    let beside = brackets_of(line.slice(text), false).map(|at| line.start + at);
    let comment = beside.filter(is_comment).or_else(|| {
        let found = brackets_of(above.slice(text), true).filter(|_| number > 0);
        found.map(|at| above.start + at).filter(is_comment)
    });
    if let Some(at) = comment {
        return Some(TextEdit::insert(at, format!("{code}, ")));
    }
    // After a `#`, all text up to the end of the line belongs to the comment that is there.
    if !scalars.contain(line.end) && !line.slice(text).contains(" #") {
        let at = line.start + line.slice(text).trim_end().len() as u32;
        let blank = TextRange::new(at, line.end);
        return Some(TextEdit::replace(blank, format!(" # hiera-ls: ignore[{code}]")));
    }
    if scalars.contain(line.start) {
        return None;
    }
    let content = line.slice(text);
    let indentation = &content[..content.len() - content.trim_start_matches([' ', '\t']).len()];
    let comment = format!("{indentation}# hiera-ls: ignore[{code}]{}", line_end(text));
    Some(TextEdit::insert(line.start, comment))
}

/// The comment for the whole file, on its first line. `None` if that would change the values: behind a byte order mark, Puppet may lose
/// the keys of all lines but the first, and finds them if the first line is a comment.
fn file_comment(text: &str, code: &str) -> Option<TextEdit> {
    // A byte order mark must stay the first character.
    let start = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(content) if !content.starts_with(['#', '\n', '\r']) => return None,
        Some(_) => BYTE_ORDER_MARK.len_utf8(),
        None => 0,
    };
    let comment = format!("# hiera-ls: ignore-file[{code}]{}", line_end(text));
    Some(TextEdit::insert(start as u32, comment))
}

/// Where the list of rules starts in a comment after other text, or in one that is alone on its line.
fn brackets_of(line: &str, stands_alone: bool) -> Option<u32> {
    let at = line.rfind(COMMENT).filter(|at| line[..*at].trim().is_empty() == stands_alone)?;
    Some((at + COMMENT.len()) as u32)
}
