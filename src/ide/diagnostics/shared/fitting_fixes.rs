//! Drops fixes that write a number or a boolean in another way, if the class parameter refuses what they write. Rules about
//! single entries offer such fixes, and do not know the types. If the number itself fits, it is offered as Puppet reads it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::data::puppet_type::{ChangedParts, Part, Type};
use crate::data::{DataFile, Located, Value, inspect, scalar};
use crate::ide::diagnostics::shared::bound_values::BoundValues;
use crate::ide::diagnostics::shared::declared_classes::DeclaredClasses;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Diagnostic, Subject, rule};
use crate::limits::MAX_TRIED_VALUES;
use crate::text::{TextEdit, TextRange};

/// The fixes of the scalars of one entry, by the places of the scalars.
type Rewritten<'f> = HashMap<TextRange, Vec<&'f mut Vec<Fix>>>;

/// Drops such fixes from the findings in a data file.
pub(crate) fn keep_fitting(
    bound: &BoundValues<'_>,
    classes: &DeclaredClasses<'_>,
    data: &DataFile,
    findings: &mut [Diagnostic],
) {
    let mut entries: BTreeMap<Arc<str>, Rewritten<'_>> = BTreeMap::new();
    for finding in findings.iter_mut().filter(|it| rewrites_scalar(it)) {
        if let Some(key) = data.key_at(finding.range.start) {
            let rewritten = entries.entry(key).or_default();
            rewritten.entry(finding.range).or_default().push(&mut finding.fixes);
        }
    }
    for (key, rewritten) in entries {
        let Some((_, wanted)) = bound.wanted(classes, &key) else { continue };
        let Some((wanted, entry)) = wanted.known().zip(data.get(&key)) else { continue };
        let converted = OnceCell::new();
        let is_converted = || *converted.get_or_init(|| !bound.sets_none_of(&key, &["convert_to"]));
        let (whole, changes) = (&entry.value, ChangedParts::new(MAX_TRIED_VALUES));
        let is_converted = &is_converted;
        Fitting { wanted, whole, is_converted, changes, rewritten, path: Vec::new() }.visit(whole);
    }
}

/// Whether some fix replaces exactly what is reported. The rules about types only offer what fits.
fn rewrites_scalar(finding: &Diagnostic) -> bool {
    let is_about_type =
        rule(finding.code).is_some_and(|it| it.explains == Some(Subject::ParameterType));
    !is_about_type && finding.fixes.iter().any(|fix| new_value(fix, finding.range).is_some())
}

/// What a fix writes in the place of a scalar.
fn new_value(fix: &Fix, scalar: TextRange) -> Option<Value> {
    let [edit] = &*fix.edits else { return None };
    let written = Some(&*edit.new_text).filter(|_| edit.range == scalar)?;
    let in_quotes = |quote: char| written.strip_prefix(quote)?.strip_suffix(quote);
    match in_quotes('\'').or_else(|| in_quotes('"')) {
        Some(text) => Some(Value::string(text)),
        None => scalar::by_looks(&written.into()).ok(),
    }
}

/// Goes through a value to find the paths to the scalars.
struct Fitting<'a, 'f> {
    wanted: &'a Type,
    whole: &'a Located,
    /// What is written does not show whether a converted value fits.
    is_converted: &'a dyn Fn() -> bool,
    changes: ChangedParts,
    rewritten: Rewritten<'f>,
    path: Vec<Part>,
}

impl Fitting<'_, '_> {
    fn visit(&mut self, value: &Located) {
        match &value.value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.visit_member(Part::Index(index), item);
                }
            }
            Value::Hash(hash) => {
                for (key, member) in hash.iter() {
                    if let Value::String(name) = key {
                        self.visit_member(Part::Entry(Arc::clone(name)), &member.value);
                    }
                }
            }
            Value::Integer(_) | Value::BigInteger(_) | Value::Float(_) | Value::Boolean(_) => {
                self.keep_fitting(value);
            }
            _ => {}
        }
    }

    fn visit_member(&mut self, step: Part, value: &Located) {
        self.path.push(step);
        self.visit(value);
        self.path.pop();
    }

    fn keep_fitting(&mut self, scalar: &Located) {
        let Some(range) = scalar.place.map(|it| it.range) else { return };
        let Some(rewritten) = self.rewritten.get_mut(&range) else { return };
        let (changes, whole) = (&mut self.changes, &self.whole.value);
        let mut fits = |new: &Value| {
            changes.fits(self.wanted, whole, &self.path, new) || (self.is_converted)()
        };
        for fixes in rewritten {
            fixes.retain(|fix| new_value(fix, range).is_none_or(|new| fits(&new)));
            if fixes.is_empty() && fits(&scalar.value) {
                let number = inspect::to_s(&scalar.value);
                let title = format!("Write `{number}`");
                fixes.push(Fix::by_hand(title, vec![TextEdit::replace(range, number)]));
            }
        }
    }
}
