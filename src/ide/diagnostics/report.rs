//! The findings of rules, and the report that collects them.

use std::sync::Arc;

use super::{Fix, Rule, Severity};
use crate::text::TextRange;

/// A finding of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The range, in bytes.
    pub range: TextRange,
    /// The severity.
    pub severity: Severity,
    /// The rule's code.
    pub code: &'static str,
    /// Whether it is about a value that must not be shown. The texts of the finding do not quote it.
    pub is_secret: bool,
    /// Puppet's message if there is one, and what to do.
    pub message: String,
    /// Related places.
    pub related: Vec<Related>,
    /// The rule's page.
    pub url: Option<String>,
    /// The fixes, the best first.
    pub fixes: Vec<Fix>,
}

/// A related place of a [`Diagnostic`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The file; `None` for the file of the diagnostic.
    pub path: Option<Arc<str>>,
    /// The range, in bytes.
    pub range: TextRange,
    /// Why the place is related.
    pub message: String,
}

impl Diagnostic {
    /// The same finding, moved by `by` bytes.
    pub(super) fn shifted(mut self, by: u32) -> Self {
        self.range = self.range.shifted(by);
        // A related place in another file does not move with the entry.
        for related in self.related.iter_mut().filter(|related| related.path.is_none()) {
            related.range = related.range.shifted(by);
        }
        self.fixes = self.fixes.into_iter().map(|fix| fix.shifted(by)).collect();
        self
    }

    /// Adds a fix; the best ones come first.
    pub(super) fn with_fix(&mut self, fix: Fix) -> &mut Self {
        self.fixes.push(fix);
        self
    }
}

/// Collects the findings of rules.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) findings: Vec<Diagnostic>,
}

impl Report {
    pub(super) fn add(
        &mut self,
        rule: &'static Rule,
        range: TextRange,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add_as(rule, rule.severity, range, message)
    }

    /// Adds a finding unless it exists: levels share the `defaults` of their hierarchy.
    pub(super) fn add_once(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        range: TextRange,
        message: String,
    ) -> Option<&mut Diagnostic> {
        let is_known = self.holds(rule, range);
        (!is_known).then(|| self.add_as(rule, severity, range, message))
    }

    /// Whether the rule already reported something at the range.
    pub(super) fn holds(&self, rule: &Rule, range: TextRange) -> bool {
        self.findings.iter().any(|it| it.range == range && it.code == rule.code)
    }

    pub(super) fn add_as(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        range: TextRange,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.findings.push(Diagnostic {
            range,
            severity,
            code: rule.code,
            is_secret: false,
            message: message.into(),
            related: Vec::new(),
            url: rule.url(),
            fixes: Vec::new(),
        });
        self.findings.last_mut().expect("one was just pushed")
    }
}
