//! The cases of an answer for users: those with the same outcome are on one line.

use std::borrow::Borrow;
use std::sync::Arc;

use super::perspective::Perspective;
use crate::data::{Located, Place, Value, ValueDifference, inspect};
use crate::engine::cases::{cases_to_tell, is_same, is_same_outcome, rule_each_other_out};
use crate::engine::{Answer, Assumed, Case, Source, UsedMerge};
use crate::facts::Node;
use crate::facts::infer::names_machines;

/// Values with fewer scalars than this are shown completely in each case.
const MIN_SCALARS: usize = 6;

/// The maximum number of names in a sentence; the others are counted.
pub(crate) const MAX_LISTED: usize = 6;

/// Cases that have the same outcome and differ in only one variable.
pub(crate) struct CaseGroup<'a> {
    cases: Vec<&'a Case>,
    /// The conditions: each variable with its possible values.
    conditions: Vec<(Arc<str>, Vec<&'a Assumed>)>,
    /// The answer for the first of the cases.
    pub(crate) answer: &'a Answer,
    /// Where the deciding values of all the cases are written.
    pub(crate) places: Vec<Place>,
}

/// A value in a case, by what differs from the value that is shown first.
#[derive(Debug, Clone)]
pub(crate) struct NearlyTheSame<T> {
    /// The members that differ or are new, or the items that are new; `None` if there are none.
    pub(crate) new: Option<T>,
    /// Whether it is a list.
    is_list: bool,
    /// The paths of the members, or the items, that it has not. Without secrets.
    missing: Vec<String>,
}

/// The cases of an answer except the last, which is the default.
pub(crate) fn groups(answer: &Answer) -> Vec<CaseGroup<'_>> {
    // The last case is the ordinary answer, which is shown by itself.
    let cases = cases_to_tell(answer);
    let Some((_, others)) = cases.split_last() else { return Vec::new() };
    let mut groups: Vec<CaseGroup<'_>> = Vec::new();
    for case in others {
        // The first case that is true counts, so a case can be moved only before those that are never true together with it.
        let behind = groups.iter().rposition(|it| !it.excludes(case)).unwrap_or(0);
        if !groups[behind..].iter_mut().rev().any(|it| it.takes(case)) {
            groups.push(CaseGroup::of(case));
        }
    }
    groups
}

/// The value in a case by what differs from the value that is shown first. `None` unless that is much shorter.
pub(crate) fn nearly_the_same(
    perspective: &Perspective,
    first: &Answer,
    case: &Answer,
) -> Option<NearlyTheSame<Located>> {
    if let Ok(Some(value)) = &case.outcome
        && !value.value.is_scalar()
        && is_same_outcome(first, case)
    {
        return Some(NearlyTheSame { new: None, is_list: false, missing: Vec::new() });
    }
    let (Ok(Some(first)), Ok(Some(value))) = (&first.outcome, &case.outcome) else { return None };
    let all = first.value.scalars().max(value.value.scalars());
    if all < MIN_SCALARS {
        return None;
    }
    let (new, is_list, missing) = match ValueDifference::between(first, value)? {
        ValueDifference::Members { differing, missing } => {
            ((!differing.is_empty()).then(|| Value::hash(differing)), false, missing)
        }
        ValueDifference::Items { added, missing } => {
            let missing = missing.iter().map(|it| perspective.without_secrets(it));
            let missing = missing.map(|it| it.is_scalar().then(|| inspect::to_s(&it)));
            let missing = missing.collect::<Option<_>>()?;
            ((!added.is_empty()).then(|| Value::array(added)), true, missing)
        }
    };
    let differing = new.as_ref().map_or(0, Value::scalars) + missing.len();
    let new = new.map(Located::from);
    (differing * 3 <= all * 2).then_some(NearlyTheSame { new, is_list, missing })
}

impl<T> NearlyTheSame<T> {
    /// `the same without a.b and c, but with`. What is new comes after it. `quoted` marks code.
    pub(crate) fn in_words(&self, quoted: impl Fn(&str) -> String) -> String {
        let missing: Vec<String> = self.missing.iter().map(|it| quoted(it)).collect();
        let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
        let (without, comma) = match missing.as_slice() {
            [] => (String::new(), ""),
            missing => (format!(" without {}", listed(missing, "and")), ","),
        };
        let with = match (&self.new, self.is_list) {
            (None, _) => String::new(),
            (Some(_), false) => format!("{comma} but with"),
            (Some(_), true) => format!("{comma} plus"),
        };
        format!("the same{without}{with}")
    }

    /// With what is new in another form.
    pub(crate) fn map<U>(self, form: impl FnOnce(T) -> U) -> NearlyTheSame<U> {
        let Self { new, is_list, missing } = self;
        NearlyTheSame { new: new.map(form), is_list, missing }
    }
}

/// How many machines get another value than the others, if only the machine decides.
pub(crate) fn deviating_machines(answer: &Answer) -> Option<usize> {
    if !answer.left_out.is_empty() || answer.cases.is_empty() {
        return None;
    }
    let mut conditions = answer.cases.iter().flat_map(|case| &case.conditions);
    let is_one = |case: &Case| case.conditions.len() <= 1;
    let all_machines = conditions.all(|it| names_machines(&it.variable));
    (all_machines && answer.cases.iter().all(is_one)).then_some(answer.cases.len() - 1)
}

/// What an answer depends on, for a title: `depends on role and variant`, or `3 nodes override it`. `None` if it is certain.
pub(crate) fn depends_text(answer: &Answer) -> Option<String> {
    if answer.is_certain() {
        return None;
    }
    match deviating_machines(answer) {
        Some(1) => return Some("1 node overrides it".to_owned()),
        Some(count) => return Some(format!("{count} nodes override it")),
        None => {}
    }
    let names = answer.depends_on();
    let names: Vec<&str> = names.iter().map(|it| &**it).collect();
    Some(match names.as_slice() {
        [] => "depends on what is not known".to_owned(),
        names => format!("depends on {}", listed(names, "and")),
    })
}

/// What a file means whose readable entries were used although Puppet refuses it.
pub(crate) fn refused_text(path: &str) -> String {
    format!("{path} has an error: as it is, Puppet refuses the whole file")
}

/// The `convert_to` that applies to the values of the answer. Puppet converts what it finds, and no default.
pub(crate) fn conversion(answer: &Answer) -> Option<&Value> {
    let finds_nothing = |it: &Answer| matches!(it.outcome, Ok(None)) && it.opaque.is_empty();
    let is_nothing_found = answer.left_out.is_empty()
        && answer.each_case().iter().all(|(_, case)| finds_nothing(case));
    answer.merge.as_deref().and_then(UsedMerge::convert_to).filter(|_| !is_nothing_found)
}

/// What follows `converted to Integer` if `convert_to` would have to read the encrypted value of the key.
pub(crate) fn conversion_proviso(answer: &Answer, key: &str) -> &'static str {
    if answer.is_unconverted(key) {
        " where it is decrypted: here, the value is not known"
    } else {
        ""
    }
}

/// What the values of some answers contain as it is written, because it is not known: `%{::domain} (facts.networking.domain)`.
/// `quoted` marks code.
pub(crate) fn left_as_written<'a>(
    answers: impl IntoIterator<Item = &'a Answer>,
    node: &Node,
    quoted: impl Fn(&str) -> String,
) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for token in answers.into_iter().flat_map(|it| it.open_tokens(node)) {
        let written = quoted(&token.written);
        let said = if token.has_another_name() {
            format!("{written} ({})", quoted(&token.variable))
        } else {
            written
        };
        if !all.contains(&said) {
            all.push(said);
        }
    }
    (!all.is_empty()).then(|| all.join(", "))
}

impl<'a> CaseGroup<'a> {
    fn of(case: &'a Case) -> Self {
        let conditions =
            case.conditions.iter().map(|it| (Arc::clone(&it.variable), vec![&it.value]));
        Self {
            cases: vec![case],
            conditions: conditions.collect(),
            answer: &case.answer,
            places: deciding_places(&case.answer),
        }
    }

    /// Whether no node is in this case and in one of the group.
    fn excludes(&self, case: &Case) -> bool {
        self.cases.iter().all(|it| rule_each_other_out(&it.conditions, &case.conditions))
    }

    /// Adds the case if it belongs to the group.
    fn takes(&mut self, case: &'a Case) -> bool {
        let is_same_shape = self.conditions.len() == case.conditions.len()
            && self.conditions.iter().zip(&case.conditions).all(|(own, it)| own.0 == it.variable);
        if !is_same_shape || !is_same(self.answer, &case.answer) {
            return false;
        }
        let pairs = self.conditions.iter().zip(&case.conditions).enumerate();
        let others = pairs.filter(|(_, (own, it))| own.1 != [&it.value]).map(|(at, _)| at);
        // Cases that differ in two variables cannot share a line: `a is 1 or 2 and b is 3 or 4` would also mean other pairs.
        let [at] = others.collect::<Vec<_>>()[..] else { return false };
        self.cases.push(case);
        self.conditions[at].1.push(&case.conditions[at].value);
        add_new(&mut self.places, deciding_places(&case.answer));
        true
    }

    /// Where the values are written that the texts of the cases insert.
    pub(crate) fn inserted_places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        for case in &self.cases {
            add_new(&mut places, inserted_places(&case.answer));
        }
        places
    }

    /// `variant is alice or bob and role is web`.
    pub(crate) fn when(&self) -> String {
        let said = self.conditions.iter().map(|(variable, values)| {
            let values: Vec<&str> = values
                .iter()
                .map(|value| match value {
                    Assumed::Unset => "not set",
                    Assumed::Text(text) if text.is_empty() => "empty",
                    Assumed::Text(text) => text,
                })
                .collect();
            format!("{variable} is {}", listed(&values, "or"))
        });
        said.collect::<Vec<_>>().join(" and ")
    }
}

/// `a, b and c`; if there are more than [`MAX_LISTED`], the others are counted.
pub(crate) fn listed<S: Borrow<str>>(names: &[S], word: &str) -> String {
    match names {
        [] => String::new(),
        [only] => only.borrow().to_owned(),
        names if names.len() > MAX_LISTED => {
            let more = names.len() - MAX_LISTED;
            format!("{} {word} {more} more", names[..MAX_LISTED].join(", "))
        }
        [first @ .., last] => format!("{} {word} {}", first.join(", "), last.borrow()),
    }
}

/// Where the values that have a part in an answer are written; or the one that hides those of lower levels.
pub(crate) fn deciding_places(answer: &Answer) -> Vec<Place> {
    let counting = answer.sources.iter().filter(|source| source.counts());
    counting.chain(hiding_source(answer)).filter_map(Source::shown_place).collect()
}

/// The first value of the key if nothing is found in it. Without a merge, Puppet digs into the first value only, even if a
/// lower level has the member.
pub(crate) fn hiding_source(answer: &Answer) -> Option<&Source> {
    let is_merged = answer.merge.as_deref().is_some_and(|it| !it.is_first_found());
    if is_merged || !matches!(answer.outcome, Ok(None)) {
        return None;
    }
    let mut written = answer.sources.iter().filter(|it| !it.is_default && it.written.is_some());
    written.next().filter(|first| first.value().is_none())
}

/// Where the values are written that texts of the result insert.
pub(crate) fn inserted_places(answer: &Answer) -> Vec<Place> {
    answer.inserted().iter().map(|it| it.place).collect()
}

fn add_new(places: &mut Vec<Place>, more: Vec<Place>) {
    let more = more.into_iter();
    places.extend(more.filter(|it| !places.contains(it)).collect::<Vec<_>>());
}
