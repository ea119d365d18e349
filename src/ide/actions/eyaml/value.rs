//! The scalar of a YAML file that is selected, and the form of an encrypted text that replaces it.

use std::sync::Arc;

use crate::backends::eyaml::blob;
use crate::backends::eyaml::edit::Layout;
use crate::data::{EntryTree, Files as _, Format, Value, scalar};
use crate::syntax::tree::{Node, NodeKind, ScalarStyle};
use crate::text::TextRange;
use crate::world::World;

/// The indentation of a new block.
const INDENT: &str = "  ";

/// A value, or a part of one.
#[derive(Debug)]
pub(super) struct ValueSpot {
    /// The range to replace, in bytes of the file.
    pub(super) range: TextRange,
    /// Its decoded text.
    pub(super) text: String,
    form: Form,
}

/// What surrounds an encrypted text.
#[derive(Debug, PartialEq, Eq)]
enum Form {
    /// Nothing.
    Bare,
    /// These quotes.
    Quoted(char),
    /// A block below a `>`, with this line end and indentation before each line and this text after the last.
    Block(String, String),
    /// The rest of the scalar.
    Part,
}

impl ValueSpot {
    /// The value at a cursor, or the selected part of it. `None` if there is no string, or one that cannot be split.
    pub(super) fn at(world: &Arc<World>, path: &str, selection: TextRange) -> Option<Self> {
        let data = world.data(path, Format::Yaml).ok()?;
        let entry = data.entry_at(selection.start)?;
        Self::in_entry(entry, selection)
    }

    fn in_entry(entry: EntryTree<'_>, selection: TextRange) -> Option<Self> {
        let start = selection.start.checked_sub(entry.start)?;
        let end = selection.end.checked_sub(entry.start)?;
        let selection = TextRange::new(start, end);
        let (node, is_in_flow) = scalar_at(entry.value, entry.text, selection)?;
        let NodeKind::Scalar { text, style } = &node.kind else { return None };
        // The tag would also apply to the encrypted text.
        if node.tag.is_some() {
            return None;
        }
        // Nothing would become the word for it.
        if matches!(scalar::typed(text, *style, None), Ok(Value::Undef)) {
            return None;
        }
        let source = node.range.slice(entry.text);
        let is_part = !selection.is_empty() && selection != node.range;
        let (range, text, form) = if is_part {
            let inside = selection.slice(entry.text);
            let has_words_of_its_own = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
            let is_as_written = source.contains(&**text) && text.contains(inside);
            // Within brackets, the `]` of the encrypted text would end a plain scalar.
            let would_end = *style == ScalarStyle::Plain && is_in_flow;
            if has_words_of_its_own || !is_as_written || would_end {
                return None;
            }
            (selection, inside.to_owned(), Form::Part)
        } else {
            (node.range, text.to_string(), Form::of(*style, source, is_in_flow))
        };
        Some(Self { range: range.shifted(entry.start), text, form })
    }

    /// What to call it.
    pub(super) fn what(&self) -> &'static str {
        if self.form == Form::Part { "the selection" } else { "this value" }
    }

    /// The text, with an additional line end if `eyaml_lookup_key` would remove one that belongs to the value.
    pub(super) fn text_to_encrypt(&self) -> String {
        // A block ends with its own newline, and a part with the rest of its scalar.
        let is_last = matches!(self.form, Form::Bare | Form::Quoted(_));
        let more = match self.text.chars().last() {
            Some(end @ ('\n' | '\r')) if is_last => end.to_string(),
            _ => String::new(),
        };
        format!("{}{more}", self.text)
    }

    /// The text that replaces it when it is encrypted.
    pub(super) fn encrypted_form(&self, message: &[u8]) -> String {
        match &self.form {
            Form::Bare | Form::Part => blob::written(message),
            Form::Quoted(quote) => format!("{quote}{}{quote}", blob::written(message)),
            Form::Block(line_start, behind) => {
                Layout::Block(line_start.clone()).encrypted_form(message) + behind
            }
        }
    }
}

impl Form {
    fn of(style: ScalarStyle, source: &str, is_in_flow: bool) -> Self {
        match style {
            ScalarStyle::Plain if is_in_flow => Self::Quoted('\''),
            ScalarStyle::Plain => Self::Bare,
            ScalarStyle::SingleQuoted => Self::Quoted('\''),
            ScalarStyle::DoubleQuoted => Self::Quoted('"'),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let lines = source.lines().skip(1).filter(|line| !line.trim().is_empty());
                let indents = lines.map(|line| &line[..line.len() - line.trim_start().len()]);
                // Some lines of a block may be indented further, and that is part of its text.
                let indent = indents.min_by_key(|it| it.len()).unwrap_or(INDENT);
                let behind = &source[source.trim_end_matches(['\r', '\n']).len()..];
                let line_end = if source.contains("\r\n") { "\r\n" } else { "\n" };
                Self::Block(format!("{line_end}{indent}"), behind.to_owned())
            }
        }
    }
}

/// The scalar that contains the selection, and whether it is inside brackets or braces.
fn scalar_at<'n>(root: &'n Node, text: &str, selection: TextRange) -> Option<(&'n Node, bool)> {
    let holds =
        |node: &Node| node.range.start <= selection.start && selection.end <= node.range.end;
    let mut node = root;
    let mut is_in_flow = false;
    loop {
        let children: Vec<&Node> = match &node.kind {
            NodeKind::Scalar { .. } => return holds(node).then_some((node, is_in_flow)),
            NodeKind::Sequence(items) => items.iter().collect(),
            NodeKind::Mapping(pairs) => pairs.iter().map(|pair| &pair.value).collect(),
            NodeKind::Alias(_) => return None,
        };
        is_in_flow |= node.range.slice(text).starts_with(['[', '{']);
        node = children.into_iter().find(|child| holds(child))?;
    }
}
