//! Compares two values: of two nodes, or of the saved files and the unsaved texts.

use std::ops::Range;
use std::sync::Arc;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::merged::document;
use super::page::{Mark, Page};
use super::value::Detail;
use super::{Language, LineKind, NodeQuestion, Preview, Question, UnknownNode};
use crate::data::Place;
use crate::engine::CancelToken;
use crate::ide::perspective::Perspective;
use crate::world::World;

/// The number of lines around a difference that are shown.
const CONTEXT_LINES: usize = 3;

/// What a value is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counterpart {
    /// That of another node.
    Node(Arc<str>),
    /// That of the files on disk.
    Saved,
}

/// Both sides and their difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// As a unified diff.
    pub diff: Preview,
    /// The left side: the request's node, or the saved files.
    pub left: Preview,
    /// The right side: the other node, or the unsaved texts.
    pub right: Preview,
    /// Whether there is a difference.
    pub differs: bool,
}

/// Compares the values of the request. `None` if there is nothing to compare, or the request was cancelled.
///
/// # Errors
/// One of the nodes does not exist.
pub fn compare(
    world: &Arc<World>,
    question: &Question,
    with: &Counterpart,
    cancel: &CancelToken,
) -> Result<Option<Comparison>, UnknownNode> {
    let Some(asked) = question.find(world)? else { return Ok(None) };
    let (left, right) = match with {
        Counterpart::Node(name) => {
            let other = Question { node: Some(name.clone()), ..question.clone() };
            let Some(other) = other.find(world)? else { return Ok(None) };
            let left_name = asked.perspective.evaluator.node().name.to_string();
            ((asked, left_name), (other, name.to_string()))
        }
        Counterpart::Saved => {
            let saved = as_saved(&asked);
            ((saved, "saved".to_owned()), (asked, "unsaved".to_owned()))
        }
    };
    let side = |(asked, name): &(NodeQuestion, String)| {
        // Without origins, the same value from another file is not a difference.
        let document = document(asked, question.scope, Detail::Bare, cancel)?;
        // The title ends with the name of the node, and each side gets a name of its own.
        let subject = document.title.rsplit_once(" · ").map_or("", |(subject, _)| subject);
        Some(Preview { title: format!("{subject} · {name}"), ..document })
    };
    let (Some(left_side), Some(right_side)) = (side(&left), side(&right)) else { return Ok(None) };
    let diff = diff(&right.0.perspective, &left_side, &right_side);
    let differs = !diff.lines.is_empty();
    Ok(Some(Comparison { diff, left: left_side, right: right_side, differs }))
}

/// The same request for the files without unsaved edits.
fn as_saved(asked: &NodeQuestion) -> NodeQuestion {
    let evaluator = &asked.perspective.evaluator;
    let world = asked.perspective.world.as_saved();
    let environment = world.environment_like(evaluator.environment());
    let perspective = Perspective::revealing_for(&world, &environment, evaluator.node());
    NodeQuestion { perspective, ..asked.clone() }
}

fn diff(perspective: &Perspective, left: &Preview, right: &Preview) -> Preview {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (left.text.lines().collect(), right.text.lines().collect());
    let mut page = Page::default();
    let sides = Sides { perspective, left, right };
    let changes = capture_diff_slices(Algorithm::Patience, &old, &new);
    let is_equal = |op: &DiffOp| matches!(op, DiffOp::Equal { .. });
    if changes.iter().all(is_equal) {
        page.plain(&format!("no difference between {} and {}", left.title, right.title));
    } else {
        page.plain(&format!("--- {}", left.title));
        page.plain(&format!("+++ {}", right.title));
        for hunk in group_diff_ops(changes, CONTEXT_LINES) {
            sides.write_hunk(&hunk, (&old, &new), &mut page);
        }
    }
    let subject = left.title.rsplit_once(" · ").map_or("", |(subject, _)| subject);
    let title = format!("{subject} · compared");
    Preview {
        language: Language::Diff,
        key: left.key.clone(),
        node: right.node.clone(),
        ..page.finish(perspective, title)
    }
}

struct Sides<'a> {
    perspective: &'a Perspective,
    left: &'a Preview,
    right: &'a Preview,
}

impl Sides<'_> {
    fn write_hunk(&self, hunk: &[DiffOp], (old, new): (&[&str], &[&str]), page: &mut Page) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
        let before = first.old_range().start..last.old_range().end;
        let after = first.new_range().start..last.new_range().end;
        page.plain(&format!("@@ -{} +{} @@", lines_of(&before), lines_of(&after)));
        for op in hunk {
            if let DiffOp::Equal { .. } = op {
                for at in op.new_range() {
                    page.plain(&format!(" {}", new[at]));
                }
                continue;
            }
            for at in op.old_range() {
                let mark = self.mark(LineKind::Deleted, place_of(self.left, at));
                page.line(&format!("-{}", old[at]), mark);
            }
            for at in op.new_range() {
                let mark = self.mark(LineKind::Added, place_of(self.right, at));
                page.line(&format!("+{}", new[at]), mark);
            }
        }
    }

    fn mark(&self, kind: LineKind, place: Option<Place>) -> Mark {
        let origin = place.map(|place| self.perspective.shown_place(place));
        Mark { kind: Some(kind), place, origin }
    }
}

fn place_of(side: &Preview, line: usize) -> Option<Place> {
    let at = side.lines.binary_search_by_key(&(line as u32), |it| it.line).ok()?;
    side.lines[at].place
}

/// The first line of a part and the number of its lines. As in `diff -u`, an empty part names the line before it.
fn lines_of(part: &Range<usize>) -> String {
    format!("{},{}", part.start + usize::from(!part.is_empty()), part.len())
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_empty_part_names_the_line_before_it() {
        assert_eq!(super::lines_of(&(0..0)), "0,0");
        assert_eq!(super::lines_of(&(2..2)), "2,0");
        assert_eq!(super::lines_of(&(2..5)), "3,3");
    }
}
