//! EPP templates: text with tags that contain Puppet code.

use super::{Language, Lexer};
use crate::syntax::puppet::token::Kind;

/// The part of a template that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TemplateMode {
    /// The text is not a template.
    None,
    /// Inside `<% … %>`.
    Code,
    /// Inside `<%= … %>`.
    Value,
    /// In the text after the last tag.
    LastText,
}

impl TemplateMode {
    pub(super) fn of(language: Language) -> Self {
        if language == Language::Template { Self::Code } else { Self::None }
    }
}

impl Lexer<'_> {
    /// Whether `%>` or `-%>` is here and ends a tag.
    pub(super) fn is_template_end(&self) -> bool {
        let rest = &self.text().as_bytes()[self.at..];
        self.template != TemplateMode::None && (rest.starts_with(b"%>") || rest.starts_with(b"-%>"))
    }

    pub(super) fn template_end(&mut self) {
        let trims = self.byte(0) == b'-';
        let length = if trims { 3 } else { 2 };
        if self.template == TemplateMode::Value {
            self.add(Kind::TemplateValueEnd, self.at, self.at + length);
        }
        self.at += length;
        self.after = None;
        self.template_text(trims);
    }

    /// Reports the last tag if it has no end.
    pub(super) fn check_template_end(&mut self) {
        let is_open = matches!(self.template, TemplateMode::Code | TemplateMode::Value);
        // Puppet reports the first error.
        if is_open && self.errors.is_empty() {
            let is_at_end = self.template_tag + 2 == self.text().len();
            let words = if is_at_end {
                "Unbalanced embedded expression - opening <% and reaching end of input"
            } else {
                "Unbalanced epp tag, reached <eof> without closing tag."
            };
            self.error(self.template_tag, 2, words);
        }
    }

    /// Reads text up to the next tag with code. With `trims`, the spaces and the line end that follow are skipped.
    pub(super) fn template_text(&mut self, trims: bool) {
        if trims {
            self.skip_line_rest();
        }
        let mut start = self.at;
        loop {
            let rest = &self.text().as_bytes()[self.at..];
            let Some(tag) = memchr::memmem::find(rest, b"<%").map(|it| self.at + it) else {
                let end = self.text().len();
                self.add_template_text(start, end, false);
                self.at = end;
                self.template = TemplateMode::LastText;
                return;
            };
            self.template_tag = tag;
            self.at = tag + 2;
            match self.byte(0) {
                // `<%%` writes a `<%` into the text.
                b'%' => self.at += 1,
                b'#' => {
                    self.add_template_text(start, tag, false);
                    self.template_comment();
                    start = self.at;
                }
                b'=' => {
                    self.add_template_text(start, tag, false);
                    self.at += 1;
                    self.add(Kind::TemplateValue, tag, self.at);
                    return self.template = TemplateMode::Value;
                }
                next => {
                    let trims = next == b'-';
                    self.add_template_text(start, tag, trims);
                    self.at += usize::from(trims);
                    return self.template = TemplateMode::Code;
                }
            }
        }
    }

    /// Moves past the `%>` of a `<%#`; `%%>` does not end it.
    fn template_comment(&mut self) {
        let bytes = self.text().as_bytes();
        let start = self.at;
        let ends = memchr::memmem::find_iter(&bytes[start..], b"%>");
        let end = ends.map(|it| start + it).find(|it| bytes[it - 1] != b'%');
        let Some(end) = end else {
            self.error(start, 1, "Reaching end after opening <%# without seeing %>");
            self.at = bytes.len();
            return;
        };
        self.at = end + 2;
        if bytes[end - 1] == b'-' {
            self.skip_line_rest();
        }
    }

    /// Skips spaces and one line end.
    fn skip_line_rest(&mut self) {
        let rest = &self.text()[self.at..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let rest = &rest[blanks..];
        let line_end =
            if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
        self.at += blanks + line_end;
    }

    fn add_template_text(&mut self, start: usize, end: usize, trims: bool) {
        let text = &self.text()[start..end];
        let text = if trims { text.trim_end_matches([' ', '\t']) } else { text };
        if !text.is_empty() {
            self.add(Kind::TemplateText, start, start + text.len());
        }
    }
}
