//! The document of a comparison: a summary, then each key with the nodes that get another value, and the lines that cause it.

use std::sync::Arc;

use super::line_diff::ChangedLine;
use super::sides::change_lines;
use super::words::{counted, not_shown, on_one_line};
use super::{Compared, Secrets};
use crate::data::Place;
use crate::ide::perspective::Perspective;
use crate::ide::preview::{Language, LineKind, Mark, Page, Preview};
use crate::world::{AnswerChange, Before, Cause, Differences, World};

/// The maximum number of keys in the document; more are counted.
const MAX_KEYS: usize = 200;

/// The maximum number of changes of each key in the document. If each node has a value of its own, more of them say little.
const MAX_CHANGES: usize = 20;

/// Among this many changes, those are searched for that are alike. Values of thousands of nodes take long to compare.
const MAX_GROUPED: usize = 20_000;

pub(super) fn page(
    compared: &Compared<'_>,
    perspective: &Perspective,
    key: Option<&str>,
    differences: &Differences,
    problems: &[String],
) -> Preview {
    let mut page = Page::default();
    let title = Mark::of(LineKind::Header, None);
    page.line(&on_one_line(&compared.summary(differences)), title.clone());
    let environment = compared.world.environment_label(compared.environment);
    let with = match compared.what {
        Before::Saved => "with the saved files".to_owned(),
        Before::Revision(revision) => format!("with {revision}"),
    };
    page.line(&format!("compared {with}, environment {environment}"), title);
    for limit in differences.limits().chain(problems.iter().cloned()) {
        page.line(&on_one_line(&limit), Mark::of(LineKind::Opaque, None));
    }
    let secrets = Secrets::of(&differences.changes);
    let groups = differences.by_key();
    let mut left_to_group = MAX_GROUPED;
    for (key, changes) in groups.iter().take(MAX_KEYS) {
        page.plain("");
        let place = changes.iter().find_map(|it| place_of(compared, it));
        page.line(&on_one_line(key), Mark::of(LineKind::Header, place));
        let is_grouped = changes.len() <= left_to_group;
        left_to_group -= if is_grouped { changes.len() } else { 0 };
        let alike = if is_grouped {
            differences.alike(changes)
        } else {
            changes.iter().map(|it| vec![*it]).collect()
        };
        for alike in alike.iter().take(MAX_CHANGES) {
            if page.is_full() {
                break;
            }
            write_change(&mut page, compared, differences, (alike, &secrets));
        }
        if let Some(left) = not_shown(&alike, MAX_CHANGES) {
            page.plain(&format!("  {left}"));
        }
    }
    if groups.len() > MAX_KEYS {
        page.plain("");
        page.plain(&format!("{} not shown", counted(groups.len() - MAX_KEYS, "more key")));
    }
    let subject =
        key.map_or_else(|| "What changes".to_owned(), |key| format!("What changes in {key}"));
    let preview = page.finish(perspective, format!("{subject} · {}", compared.name()));
    Preview { language: Language::Diff, key: key.map(str::to_owned), node: None, ..preview }
}

fn write_change(
    page: &mut Page,
    compared: &Compared<'_>,
    differences: &Differences,
    (alike, secrets): (&[&AnswerChange], &Secrets),
) {
    let Some(change) = alike.first() else { return };
    let place = place_of(compared, change);
    page.line(
        &format!("  {}", on_one_line(&differences.who(alike))),
        Mark::of(LineKind::Header, place),
    );
    for cause in &change.causes {
        let line = format!("  because of {}:{}", compared.shown_path(&cause.path), cause.line);
        page.line(&on_one_line(&line), Mark::of(LineKind::Header, line_of(compared.world, cause)));
    }
    for ChangedLine { sign, text } in change_lines(change, secrets) {
        let line = format!("{sign} {text}");
        match sign {
            '-' => page.line(&line, Mark::of(LineKind::Deleted, place)),
            '+' => page.line(&line, Mark::of(LineKind::Added, place)),
            _ => page.plain(&line),
        }
    }
}

fn place_of(compared: &Compared<'_>, change: &AnswerChange) -> Option<Place> {
    change.causes.iter().find_map(|cause| line_of(compared.world, cause))
}

/// The current line; `None` in a deleted file.
fn line_of(world: &Arc<World>, cause: &Cause) -> Option<Place> {
    let file = world.file(&cause.path).ok()?;
    let lines = file.line_index();
    // The line may be from the earlier text, which may have had more lines.
    let line = cause.line.saturating_sub(1).min(lines.line_count().saturating_sub(1));
    Some(Place { file: file.id, range: lines.line_range(&file.text, line) })
}
