//! A preview that is being written line by line.

use super::{Language, LineKind, Preview, PreviewLine};
use crate::data::Place;
use crate::ide::perspective::Perspective;
use crate::limits::{MAX_PREVIEW_BYTES, MAX_PREVIEW_LINES};
use crate::text::TextRange;

/// The lines so far.
#[derive(Debug, Default)]
pub(in crate::ide) struct Page {
    text: String,
    lines: Vec<PreviewLine>,
    next: u32,
}

/// Information about a line.
#[derive(Debug, Clone, Default)]
pub(in crate::ide) struct Mark {
    pub(in crate::ide) kind: Option<LineKind>,
    pub(in crate::ide) place: Option<Place>,
    /// The comment after the line, without its `#`.
    pub(in crate::ide) origin: Option<String>,
}

impl Mark {
    pub(in crate::ide) fn of(kind: LineKind, place: Option<Place>) -> Self {
        Self { kind: Some(kind), place, origin: None }
    }
}

impl Page {
    /// Adds a line without information.
    pub(in crate::ide) fn plain(&mut self, line: &str) {
        self.line(line, Mark::default());
    }

    /// Adds YAML comments, one for each line of `text`.
    pub(in crate::ide) fn comment(&mut self, text: &str, kind: LineKind, place: Option<Place>) {
        // A line end in a message would end the comment.
        for line in text.split(['\n', '\r']) {
            let line = if line.is_empty() { "#".to_owned() } else { format!("# {line}") };
            self.line(&line, Mark::of(kind, place));
        }
    }

    /// Adds one line.
    pub(in crate::ide) fn line(&mut self, line: &str, mark: Mark) {
        self.text.push_str(line);
        let origin = mark.origin.map(|origin| {
            let start = line.len() as u32 + 2;
            let comment = format!("  # {origin}");
            self.text.push_str(&comment);
            TextRange::new(start, start + comment.len() as u32 - 2)
        });
        self.text.push('\n');
        if let Some(kind) = mark.kind {
            self.lines.push(PreviewLine { line: self.next, kind, place: mark.place, origin });
        }
        self.next += 1;
    }

    /// Whether the document has reached its maximum number of lines or bytes.
    pub(in crate::ide) fn is_full(&self) -> bool {
        self.next as usize >= MAX_PREVIEW_LINES || self.text.len() >= MAX_PREVIEW_BYTES
    }

    /// The finished document, of one node.
    pub(in crate::ide) fn finish(mut self, perspective: &Perspective, title: String) -> Preview {
        if self.is_full() {
            let lines = self.next;
            let note = format!(
                "The preview ends here, after {lines} lines. `hiera-ls lookup` prints the whole value."
            );
            self.comment(&note, LineKind::Header, None);
        }
        Preview {
            title,
            language: Language::Yaml,
            text: self.text,
            key: None,
            node: Some(perspective.evaluator.node().name.to_string()),
            environment: perspective.evaluator.environment_name().to_string(),
            lines: self.lines,
        }
    }
}
