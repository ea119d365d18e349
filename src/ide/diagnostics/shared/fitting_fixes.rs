//! Drops fixes that write a number or a boolean in another way, if the class parameter refuses what they write. Rules about
//! single entries offer such fixes, and do not know the types. If the number itself fits, it is offered as Puppet reads it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::binding::ParameterType;
use crate::data::puppet_type::{ChangedParts, Part};
use crate::data::{DataFile, Located, Value, inspect, scalar};
use crate::ide::diagnostics::entry::number_looks_like_version;
use crate::ide::diagnostics::shared::bound_values::BoundValues;
use crate::ide::diagnostics::shared::declared_classes::DeclaredClasses;
use crate::ide::diagnostics::shared::fix::Fix;
use crate::ide::diagnostics::{Diagnostic, Subject, rule};
use crate::limits::MAX_TRIED_VALUES;
use crate::text::{TextEdit, TextRange};

/// The numbers of the findings about the scalars of one entry, by the places of the scalars.
type Rewritten = HashMap<TextRange, Vec<usize>>;

/// Drops such fixes from the findings in a data file, and findings that only say that a string was meant.
pub(crate) fn keep_fitting(
    bound: &BoundValues<'_>,
    classes: &DeclaredClasses<'_>,
    data: &DataFile,
    findings: &mut Vec<Diagnostic>,
) {
    let mut entries: BTreeMap<Arc<str>, Rewritten> = BTreeMap::new();
    for (number, finding) in findings.iter().enumerate().filter(|(_, it)| rewrites_scalar(it)) {
        if let Some(key) = data.key_at(finding.range.start) {
            let rewritten = entries.entry(key).or_default();
            rewritten.entry(finding.range).or_default().push(number);
        }
    }
    let mut wrong = HashSet::new();
    for (key, rewritten) in entries {
        let Some(mut parts) = FittingParts::new(bound, classes, data, &key) else { continue };
        parts.each_scalar(|scalar, fits| {
            let range = scalar.place.map(|it| it.range);
            for number in range.and_then(|it| rewritten.get(&it)).into_iter().flatten() {
                keep_fitting_scalar(scalar, fits, &mut findings[*number]);
                let finding = &findings[*number];
                let says_string = finding.code == number_looks_like_version::RULE.code;
                if says_string && finding.fixes.iter().all(Fix::is_by_hand) {
                    wrong.insert(*number);
                }
            }
        });
    }
    let mut numbers = 0..;
    findings.retain(|_| numbers.next().is_none_or(|number| !wrong.contains(&number)));
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

fn keep_fitting_scalar(
    scalar: &Located,
    fits: &mut dyn FnMut(&Value) -> bool,
    finding: &mut Diagnostic,
) {
    let (range, fixes) = (finding.range, &mut finding.fixes);
    let writes_number = |fix: &Fix| new_value(fix, range).as_ref().is_some_and(is_number);
    // Other fixes of a string may make something else of it, such as a list.
    let is_string = matches!(scalar.value, Value::String(_));
    if !(is_number(&scalar.value) || is_string && fixes.iter().any(writes_number)) {
        return;
    }
    fixes.retain(|fix| new_value(fix, range).is_none_or(|new| fits(&new)));
    if fixes.is_empty() && !is_string && fits(&scalar.value) {
        let number = inspect::to_s(&scalar.value);
        let title = format!("Write `{number}`");
        fixes.push(Fix::by_hand(title, vec![TextEdit::replace(range, number)]));
    }
}

/// Whether a value is a number or a boolean.
fn is_number(value: &Value) -> bool {
    use Value::{BigInteger, Boolean, Float, Integer};
    matches!(value, Integer(_) | BigInteger(_) | Float(_) | Boolean(_))
}

/// What the class accepts in the places of the parts of the value that an entry gives its parameter.
pub(crate) struct FittingParts<'a> {
    bound: &'a BoundValues<'a>,
    key: &'a str,
    wanted: ParameterType,
    whole: &'a Located,
    changes: ChangedParts,
    is_converted: OnceCell<bool>,
}

impl<'a> FittingParts<'a> {
    /// `None` if the class or the type is not known, or if the type accepts any value.
    pub(crate) fn new(
        bound: &'a BoundValues<'a>,
        classes: &DeclaredClasses<'_>,
        data: &'a DataFile,
        key: &'a str,
    ) -> Option<Self> {
        let (_, wanted) = bound.wanted(classes, key)?;
        let whole = &data.get(key)?.value;
        let (changes, is_converted) = (ChangedParts::new(MAX_TRIED_VALUES), OnceCell::new());
        Some(Self { bound, key, wanted, whole, changes, is_converted })
    }

    /// Calls `see` with each scalar of the value, and with whether another value would fit in its place.
    pub(crate) fn each_scalar(
        &mut self,
        mut see: impl FnMut(&Located, &mut dyn FnMut(&Value) -> bool),
    ) {
        each_scalar(self.whole, &mut Vec::new(), &mut |path, scalar| {
            see(scalar, &mut |new| self.fits(path, new));
        });
    }

    fn fits(&mut self, path: &[Part], new: &Value) -> bool {
        // What is written does not show whether a converted value fits.
        let is_converted = || !self.bound.sets_none_of(self.key, &["convert_to"]);
        let Some(wanted) = self.wanted.known() else { return true };
        self.changes.fits(wanted, &self.whole.value, path, new)
            || *self.is_converted.get_or_init(is_converted)
    }
}

/// Calls `see` with each scalar, and the path to it.
fn each_scalar(value: &Located, path: &mut Vec<Part>, see: &mut dyn FnMut(&[Part], &Located)) {
    let mut below = |step: Part, value: &Located| {
        path.push(step);
        each_scalar(value, path, see);
        path.pop();
    };
    match &value.value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| below(Part::Index(index), item));
        }
        Value::Hash(hash) => {
            for (key, member) in hash.iter() {
                if let Value::String(name) = key {
                    below(Part::Entry(Arc::clone(name)), &member.value);
                }
            }
        }
        _ => see(path, value),
    }
}
