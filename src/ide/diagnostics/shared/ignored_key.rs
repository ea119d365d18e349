//! Findings and fixes for a key that looks like a class parameter but is not one, so that Puppet ignores it.

use crate::data::{DataFile, RootEntry};
use crate::ide::diagnostics::shared::declared_classes::DeclaredClasses;
use crate::ide::diagnostics::shared::fix::{Fix, Safety, in_style_of};
use crate::ide::diagnostics::{Related, Report, Rule, Severity};
use crate::ide::pair_edits::remove_entry;
use crate::text::TextEdit;

/// What is wrong with the key of an entry.
pub(crate) struct IgnoredKey {
    pub(crate) rule: &'static Rule,
    /// What does not exist.
    pub(crate) problem: String,
    /// The key that was probably meant.
    pub(crate) meant: Option<String>,
    /// The advice if no key is similar and no code can look this one up.
    pub(crate) advice: &'static str,
    /// The place of the class that the key names, or probably should name.
    pub(crate) related: Vec<Related>,
}

impl IgnoredKey {
    /// Reports the key of `entry`; only as a hint if code may look it up by a computed name.
    pub(crate) fn report(
        self,
        classes: &DeclaredClasses<'_>,
        data: &DataFile,
        entry: &RootEntry,
        report: &mut Report,
    ) {
        // A lookup with a computed name may use any key, but a similar parameter makes a mistake more likely than that.
        let is_certain = self.meant.is_some() || !classes.has_lookups_of_anything();
        let severity = if is_certain { self.rule.severity } else { Severity::Hint };
        let advice = match &self.meant {
            Some(meant) => format!("Puppet ignores this key. Did you mean `{meant}`?"),
            None if is_certain => self.advice.to_owned(),
            None => {
                "Puppet ignores this key, unless code looks it up by a name that is put together."
                    .to_owned()
            }
        };
        let range = entry.key_place.range;
        let message = format!("{}\n{advice}", self.problem);
        let finding = report.add_as(self.rule, severity, range, message);
        finding.related.extend(self.related);
        finding.fixes.extend(self.meant.and_then(|it| renamed(data, entry, &it)));
        let removal = remove_entry(data, range);
        let fix = |it| Fix::removing("Remove the entry", Safety::ChangesValue, it);
        finding.fixes.extend(removal.map(fix));
    }
}

/// The fix that gives the entry another key.
fn renamed(data: &DataFile, entry: &RootEntry, name: &str) -> Option<Fix> {
    let range = entry.key_place.range;
    let tree = data.entry_at(range.start)?;
    let written = in_style_of(tree.key, tree.text, data.format(), name)?;
    Some(Fix::changing(format!("Write `{name}`"), vec![TextEdit::replace(range, written)]))
}
