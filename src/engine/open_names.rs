//! The names of nodes, which can stay open in texts, so that one lookup serves all nodes that differ in nothing but their names.
//!
//! A name that stays open is written as the token of a variable that no node has: `%{⟪trusted.certname}`. Everything that would
//! have to know the name treats it like any other open variable, so [`Names`] says so if it matters. Otherwise,
//! [`WithNames::of`] puts the name of each node there.
//!
//! A text that is being typed can stay open in the same way: data contain [`TYPED_TOKEN`] in its place. No node has that variable
//! either, so one lookup serves each text that is typed, unless the text matters.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::cases::{Case, LeftOut, is_identical};
use super::invocation::{InterpolatedText, Invocation};
use super::request::{Answer, Request};
use super::sources::dig_value;
use crate::data::{Hash, Located, Value};
use crate::facts::name_pattern::parts_of_certname;
use crate::facts::variable::VariablePath;
use crate::facts::{Node, Reading};
use crate::syntax::interpolation::{self, Token};

/// The first character of such a variable. Only an undefined variable could have such a name in data.
pub(super) const MARK: &str = "⟪";

/// The start of such a token.
pub(super) const START: &str = "%{⟪";

/// What data contain in the place of a text that is being typed. No name of a node can be read like this.
pub(crate) const TYPED_TOKEN: &str = "%{⟪text⟫}";

/// What texts read the text by that is being typed, without the mark.
const TYPED: &str = "text⟫";

/// The first of the variables of a [`LeftOut`] that says for which typed text two cases are one.
const SAME_IF_TYPED: &str = "⟪text⟫ =";

/// The text that a variable of a node has if it is a name of this node: its certname, or the part before the first dot.
pub(crate) fn own_name(node: &Node, variable: &VariablePath) -> Option<Arc<str>> {
    let Reading::Known(value, rest) = node.read_variable(variable) else { return None };
    let value = if rest.is_empty() { value } else { dig_value(&value, &rest)? };
    let Value::String(text) = value.value else { return None };
    let (host, _) = parts_of_certname(&node.name);
    let is_name = !text.is_empty() && (text == node.name || *text == *host);
    // A text with a token would be read again.
    (is_name && !text.contains('%')).then_some(text)
}

/// What texts contain where they read names of the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnNames {
    /// The names.
    Known,
    /// Tokens.
    Open,
}

impl OwnNames {
    /// What a request asks for.
    pub(super) fn of(request: &Request) -> Self {
        if request.leaves_names_open { Self::Open } else { Self::Known }
    }
}

impl Invocation<'_> {
    /// The variable that stands for the name of the node which a text reads as `expression`, if the request leaves names open.
    pub(super) fn name_left_open(
        &mut self,
        expression: &str,
        context: InterpolatedText,
    ) -> Option<Arc<str>> {
        if self.own_names == OwnNames::Known
            || context != InterpolatedText::Data
            || self.collects_options()
        {
            return None;
        }
        if expression.starts_with(MARK) {
            // A text is read again where another text inserts it.
            let name = self.evaluator.left_open(expression)?;
            return self.notes.open.contains(&name).then_some(name);
        }
        let name = self.evaluator.name_left_open(expression)?;
        self.note_name(expression);
        Some(name)
    }

    /// Runs `work` with the names of the node in all texts.
    pub(super) fn with_names<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.own_names, OwnNames::Known);
        if outer == OwnNames::Known {
            return work(self);
        }
        let result = self.without_nested_values(work);
        self.own_names = outer;
        result
    }
}

/// The variable that stands for a name which texts read as `expression`; `None` if it cannot be written in a token.
pub(super) fn left_open(expression: &str) -> Option<VariablePath> {
    let expression = expression.strip_prefix(MARK).unwrap_or(expression);
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b':');
    let is_plain = expression.bytes().all(is_plain);
    is_plain.then(|| VariablePath::parse(&[MARK, expression].concat())).flatten()
}

/// Whether a variable stands for a name.
pub(super) fn is_left_open(variable: &str) -> bool {
    variable.contains(MARK)
}

/// Whether a variable stands for the text that is being typed.
fn is_typed(variable: &str) -> bool {
    variable.strip_prefix(MARK) == Some(TYPED)
}

/// Writes the token of a name that stays open.
pub(super) fn write_token(expression: &str, into: &mut Vec<u8>) {
    let expression = expression.strip_prefix(MARK).unwrap_or(expression);
    into.extend_from_slice([START, expression, "}"].concat().as_bytes());
}

/// An answer of a request that leaves names open.
#[derive(Debug)]
pub(crate) enum Names {
    /// It contains no name, nor the text that is being typed.
    None(Answer),
    /// It contains some, and is the same for all nodes except for them.
    Open(WithNames),
}

/// An answer with open names.
#[derive(Debug)]
pub(crate) struct WithNames {
    answer: Answer,
    /// The lists and hashes with names.
    holders: Addresses,
    /// Whether it contains names of nodes, and not only the text that is being typed.
    has_names: bool,
    /// The typed texts with which two of its cases would be one.
    unlike: Vec<Arc<str>>,
}

impl Names {
    /// Looks for names in an answer; `None` if it depends on them.
    pub(crate) fn of(mut answer: Answer) -> Option<Self> {
        let unlike = take_unlike(&mut answer);
        let is_decided = |case: &Case| {
            is_decided_by_names(&case.answer)
                || case.conditions.iter().any(|it| is_left_open(&it.variable))
        };
        if is_decided_by_names(&answer) || answer.cases.iter().any(is_decided) {
            return None;
        }
        let has_names = has_names(&answer) || answer.cases.iter().any(|it| has_names(&it.answer));
        let mut holders = Addresses::default();
        let mut is_open = add_holders_of_answer(&answer, &mut holders);
        for case in &answer.cases {
            is_open |= add_holders_of_answer(&case.answer, &mut holders);
        }
        forget_variables(&mut answer);
        answer.cases.iter_mut().for_each(|it| forget_variables(&mut it.answer));
        Some(if is_open {
            Self::Open(WithNames { answer, holders, has_names, unlike })
        } else {
            Self::None(answer)
        })
    }

    /// The answer, in which names may be open.
    pub(crate) fn answer(&self) -> &Answer {
        match self {
            Self::None(answer) | Self::Open(WithNames { answer, .. }) => answer,
        }
    }
}

/// Whether an answer depends on a name, or may show one somewhere else than in its value.
fn is_decided_by_names(answer: &Answer) -> bool {
    let mut left_out = answer.left_out.iter().flat_map(|it| it.variables.iter());
    let in_failure = answer.outcome.as_ref().err().is_some_and(|it| is_left_open(&it.message));
    in_failure
        || left_out.any(|it| is_left_open(it))
        || answer.warnings.iter().any(|it| is_left_open(it))
}

/// Whether an answer contains names of the node.
fn has_names(answer: &Answer) -> bool {
    answer.open.iter().any(|it| is_left_open(it) && !is_typed(it))
}

/// Whether it contains the text that is being typed.
fn has_typed(answer: &Answer) -> bool {
    answer.open.iter().any(|it| is_typed(it))
}

/// Takes out of an answer for which typed texts two of its cases would be one.
fn take_unlike(answer: &mut Answer) -> Vec<Arc<str>> {
    let mut unlike = Vec::new();
    answer.left_out.retain(|it| match &*it.variables {
        [first, text] if **first == *SAME_IF_TYPED => {
            unlike.push(Arc::clone(text));
            false
        }
        _ => true,
    });
    unlike
}

/// The names are known, so they are not what the answer leaves open.
fn forget_variables(answer: &mut Answer) {
    answer.open.retain(|it| !is_left_open(it));
    answer.read_open.retain(|it| !is_left_open(it));
}

/// Addresses of lists and hashes.
type Addresses = HashSet<usize, foldhash::fast::RandomState>;

fn add_holders_of_answer(answer: &Answer, holders: &mut Addresses) -> bool {
    let is_found = answer.open.iter().any(|it| is_left_open(it));
    let value = answer.outcome.as_ref().ok().and_then(Option::as_ref);
    is_found && value.is_some_and(|it| add_holders(&it.value, holders))
}

/// Adds the lists and hashes with names; returns whether there is one.
fn add_holders(value: &Value, holders: &mut Addresses) -> bool {
    let mut all = |items: &mut dyn Iterator<Item = &Value>, address: usize| {
        if holders.contains(&address) {
            return true;
        }
        let mut has_names = false;
        for item in items {
            has_names |= add_holders(item, holders);
        }
        if has_names {
            holders.insert(address);
        }
        has_names
    };
    match value {
        Value::String(text) => is_left_open(text),
        Value::Array(items) => {
            all(&mut items.iter().map(|it| &it.value), Arc::as_ptr(items).addr())
        }
        Value::Hash(hash) => all(
            // Keys contain no names, but the text that is being typed.
            &mut hash.iter().flat_map(|(key, it)| [key, &it.value.value]),
            Arc::as_ptr(hash).addr(),
        ),
        Value::Sensitive(inner) => add_holders(&inner.value, holders),
        _ => false,
    }
}

/// When two cases that differ have the same value. They would then be one case.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SameIf {
    /// Some names would have to be known.
    Names,
    /// If this text is typed.
    Typed(Arc<str>),
}

/// Whether two cases that differ may have the same value for some node, or for a text that may be typed.
pub(super) fn may_become_the_same(one: &Answer, other: &Answer) -> Option<SameIf> {
    let (Ok(Some(one_value)), Ok(Some(other_value))) = (&one.outcome, &other.outcome) else {
        return None;
    };
    let depends_on_names = has_names(one) || has_names(other);
    if !(depends_on_names || has_typed(one) || has_typed(other)) {
        return None;
    }
    // The first texts that differ.
    let mut different = None;
    let mut may_be_same = |one, other| {
        if one != other {
            different.get_or_insert((one, other));
        }
        may_be_equal(one, other)
    };
    if !is_identical(&one_value.value, &other_value.value, &mut may_be_same) {
        return None;
    }
    let typed = different.filter(|_| !depends_on_names).and_then(|(one, other)| {
        let without = |text: &str| !text.contains(START);
        match (without(one), without(other)) {
            (false, true) => between(one, other),
            (true, false) => between(other, one),
            _ => None,
        }
    });
    Some(typed.map_or(SameIf::Names, |text| SameIf::Typed(text.into())))
}

/// The text in the place of the only open name of `text` that makes it `other`.
fn between<'t>(text: &str, other: &'t str) -> Option<&'t str> {
    let (start, end) = text.split_once(TYPED_TOKEN).filter(|(_, end)| !end.contains(START))?;
    other.strip_prefix(start)?.strip_suffix(end)
}

/// What an answer leaves out if its cases depend on the names.
pub(super) fn names_decide() -> LeftOut {
    LeftOut { level: None, variables: [MARK.into()].into(), files: 0 }
}

/// What an answer leaves out if two of its cases are one as soon as a text is typed.
pub(super) fn same_if_typed(text: Arc<str>) -> LeftOut {
    LeftOut { level: None, variables: [SAME_IF_TYPED.into(), text].into(), files: 0 }
}

/// Whether two texts can be equal with some names in them.
pub(super) fn may_be_equal(one: &str, other: &str) -> bool {
    let (ends, other_ends) = (around_names(one), around_names(other));
    match (ends, other_ends) {
        (None, None) => one == other,
        (Some((start, end)), None) => other.starts_with(start) && other.ends_with(end),
        (None, Some((start, end))) => one.starts_with(start) && one.ends_with(end),
        (Some((start, end)), Some((other_start, other_end))) => {
            (start.starts_with(other_start) || other_start.starts_with(start))
                && (end.ends_with(other_end) || other_end.ends_with(end))
                && !has_other_length(one, other)
        }
    }
}

/// Whether two texts have different lengths whatever is typed: both contain the typed text the same number of times, and no names.
fn has_other_length(one: &str, other: &str) -> bool {
    let count = |text: &str, part: &str| memchr::memmem::find_iter(text.as_bytes(), part).count();
    let typed = count(one, TYPED_TOKEN);
    one.len() != other.len()
        && [count(other, TYPED_TOKEN), count(one, START), count(other, START)] == [typed; 3]
}

/// The text before the first name and after the last one; `None` if there is none.
fn around_names(text: &str) -> Option<(&str, &str)> {
    let (start, _) = text.split_once(START)?;
    let (_, last) = text.rsplit_once(START)?;
    let (_, end) = last.split_once('}')?;
    Some((start, end))
}

impl WithNames {
    /// The answer, with the names open.
    pub(crate) fn open_answer(&self) -> &Answer {
        &self.answer
    }

    /// Whether it is the same for all nodes as soon as the text that is being typed is known.
    pub(crate) fn has_names(&self) -> bool {
        self.has_names
    }

    /// The number of its cases.
    pub(crate) fn count_cases(&self) -> usize {
        self.answer.cases.len().max(1)
    }

    /// The same with a text in the place of the one that is being typed; `None` if the text would make two cases one.
    pub(crate) fn with_typed(&self, text: &str) -> Option<Self> {
        if self.unlike.iter().any(|it| **it == *text) {
            return None;
        }
        let answer = self.filled(None, vec![(TYPED.to_owned(), text.into())])?;
        let mut holders = Addresses::default();
        if self.has_names {
            for (_, case) in answer.each_case() {
                if let Ok(Some(value)) = &case.outcome {
                    add_holders(&value.value, &mut holders);
                }
            }
        }
        Some(Self { answer, holders, has_names: self.has_names, unlike: Vec::new() })
    }

    /// The answer for a node; `None` if a variable is not a name of the node.
    pub(crate) fn of(&self, node: &Node) -> Option<Answer> {
        self.filled(Some(node), Vec::new())
    }

    fn filled(&self, node: Option<&Node>, names: Vec<(String, Arc<str>)>) -> Option<Answer> {
        let (done, holders) = (HashMap::default(), &self.holders);
        let mut naming = Naming { node, names, done, holders, lacks_a_name: false };
        let mut answer = self.answer.clone();
        naming.name_in(&mut answer);
        answer.cases.iter_mut().for_each(|it| naming.name_in(&mut it.answer));
        (!naming.lacks_a_name).then_some(answer)
    }
}

/// Puts the names of one node into an answer.
struct Naming<'a> {
    /// Without a node, names that are not known stay open.
    node: Option<&'a Node>,
    /// The names by what texts read them by.
    names: Vec<(String, Arc<str>)>,
    /// The lists and hashes with their names, by the address of those without.
    done: HashMap<usize, Value, foldhash::fast::RandomState>,
    holders: &'a Addresses,
    /// Whether one of the variables was not a name of the node.
    lacks_a_name: bool,
}

impl Naming<'_> {
    fn name_in(&mut self, answer: &mut Answer) {
        if let Ok(Some(value)) = &mut answer.outcome {
            self.change(value);
        }
    }

    fn change(&mut self, value: &mut Located) {
        if let Some(changed) = self.changed(&value.value) {
            value.value = changed;
        }
    }

    /// The value with its names; `None` if it has none.
    fn changed(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) => is_left_open(text).then(|| Value::string(self.text(text))),
            Value::Array(items) => self.once(Arc::as_ptr(items).addr(), |it| {
                let mut copy = Vec::clone(items);
                for item in &mut copy {
                    it.change(item);
                }
                Value::array(copy)
            }),
            Value::Hash(hash) => self.once(Arc::as_ptr(hash).addr(), |it| {
                let mut copy = Hash::with_capacity(hash.len());
                for (key, member) in hash.iter() {
                    let mut value = member.value.clone();
                    it.change(&mut value);
                    let key = it.changed(key).unwrap_or_else(|| key.clone());
                    copy.insert(key, member.key_place, value);
                }
                Value::hash(copy)
            }),
            Value::Sensitive(inner) => {
                let changed = self.changed(&inner.value)?;
                Some(Value::Sensitive(Located::new(changed, inner.place).into()))
            }
            _ => None,
        }
    }

    /// Cases share most of their lists and hashes.
    fn once(&mut self, address: usize, change: impl FnOnce(&mut Self) -> Value) -> Option<Value> {
        if !self.holders.contains(&address) {
            return None;
        }
        if let Some(done) = self.done.get(&address) {
            return Some(done.clone());
        }
        let changed = change(self);
        self.done.insert(address, changed.clone());
        Some(changed)
    }

    fn text(&mut self, text: &str) -> String {
        let mut changed = String::with_capacity(text.len());
        let mut done = 0;
        for token in interpolation::tokens(text) {
            let Some(expression) = expression_left_open(&token) else { continue };
            let Some(name) = self.name(expression) else {
                self.lacks_a_name |= self.node.is_some();
                continue;
            };
            changed.push_str(&text[done..token.range.start as usize]);
            changed.push_str(&name);
            done = token.range.end as usize;
        }
        changed.push_str(&text[done..]);
        changed
    }

    fn name(&mut self, expression: &str) -> Option<Arc<str>> {
        if let Some((_, known)) = self.names.iter().find(|(it, _)| it == expression) {
            return Some(Arc::clone(known));
        }
        let name = own_name(self.node?, &VariablePath::parse(expression)?)?;
        self.names.push((expression.to_owned(), Arc::clone(&name)));
        Some(name)
    }
}

/// What a text reads a name by that stays open.
pub(super) fn expression_left_open(token: &Token) -> Option<&str> {
    token.variable()?.0.strip_prefix(MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Environment, PuppetVersion};
    use crate::data::{Files, MemoryFiles, inspect};
    use crate::engine::cases::in_words;
    use crate::engine::{Dependency, Evaluator, Request};
    use crate::facts::{Basis, NodeParts, Origin};

    const HIERA_YAML: &str = "version: 5\nhierarchy:\n- {name: r, path: 'roles/%{role}.yaml'}\n\
                              - {name: e, path: e.yaml, lookup_key: eyaml_lookup_key}\n\
                              - {name: c, path: c.yaml}\n";

    const COMMON: &str = "
plain: 1
certname: 'is %{trusted.certname}'
spelled: '%{::fqdn} %{facts.networking.hostname}: %{scope(\"trusted.domain\")} %{scope(\"clientcert\")}'
open: '%{trusted.certname} as %{role}'
nested: [1, \"%{lookup('certname')}!\", {a: \"%{alias('spelled')}\"}]
shown: \"%{lookup('nested')}\"
literal: \"%{literal('%')}{trusted.certname} of %{trusted.certname}\"
part: {a: {b: 1, c: '%{trusted.certname}'}, d: [2]}
keys: {'%{trusted.certname}': 1, a: 2}
list: ['%{trusted.certname}', one.org, one.org]
dug: \"%{lookup('keys.a')}\"
bytes: \"%{lookup('raw')}%{trusted.certname}\"
raw: !!binary /w==
number: '%{trusted.certname}'
looked_up: \"%{lookup('secret')} %{trusted.certname}\"
cases: '%{trusted.certname}'
lookup_options: {list: {merge: unique}, number: {convert_to: Integer}}
";

    fn evaluator(certname: &str) -> Evaluator {
        let files = MemoryFiles::new([
            ("/e/hiera.yaml", HIERA_YAML),
            ("/e/data/c.yaml", COMMON),
            ("/e/data/e.yaml", "secret: 'for %{trusted.certname}'\n"),
            ("/e/data/roles/web.yaml", "cases: one.org\ncertname: 'at %{trusted.certname}'\n"),
        ]);
        let set = NodeParts { name: certname.into(), ..NodeParts::default() };
        let host = certname.split('.').next().expect("a host");
        let domain = &certname[host.len() + 1..];
        let proved = [
            ("trusted.certname", certname),
            ("trusted.domain", domain),
            ("clientcert", certname),
            ("facts.networking.fqdn", certname),
            ("facts.networking.hostname", host),
        ];
        let proved = proved.map(|(name, text)| (name.into(), Value::string(text), Basis::Proved));
        let node = Node::partial(set, &proved, Origin::Name);
        let environment = Environment { root: Some("/e".into()), ..Environment::default() };
        let files = Arc::new(files) as Arc<dyn Files>;
        Evaluator::new(files, Arc::new(environment), Arc::new(node), PuppetVersion::V8)
    }

    fn told(answer: &Answer) -> Vec<String> {
        let case = |(conditions, it): &(&[_], &Answer)| {
            let found =
                it.outcome.as_ref().map(|it| it.as_ref().map(|it| inspect::inspect(&it.value)));
            format!("{}: {found:?} {:?} {:?}", in_words(conditions), it.open, it.read_open)
        };
        answer.each_case().iter().map(case).collect()
    }

    /// Looks a key up for one node with open names, and returns the variables that it then depends on; `None` if it depends on
    /// the names. Checks that the answer for another node is made from it.
    #[track_caller]
    fn check(key: &str) -> Option<Vec<String>> {
        let (one, other) = (evaluator("one.org"), evaluator("two.org"));
        let request =
            Request { wants_footprint: true, leaves_names_open: true, ..Request::key(key) };
        let mut answer = one.call(&request);
        let footprint = answer.footprint.take().expect("it was wanted");
        let depends_on = footprint.dependencies().filter_map(|it| match it {
            Dependency::Variable(expression) => Some(expression.to_string()),
            Dependency::Name(expression) => Some(format!("name {expression}")),
            Dependency::Key(_) | Dependency::Node => None,
        });
        let names = Names::of(answer)?;
        for (at, evaluator) in [&one, &other].into_iter().enumerate() {
            let whole = match &names {
                Names::None(answer) => answer.clone(),
                Names::Open(names) => names.of(evaluator.node()).expect("the names are known"),
            };
            let depends_on_it = footprint.variables().iter().any(|it| &**it == "trusted.certname");
            if at == 0 || !depends_on_it {
                assert_eq!(told(&whole), told(&evaluator.call(&Request::key(key))), "{key}");
            }
        }
        Some(depends_on.collect())
    }

    #[test]
    fn an_answer_with_open_names_serves_other_nodes() {
        let found = |key: &str| check(key).expect("names do not decide");
        assert_eq!(found("plain"), [""; 0]);
        assert_eq!(found("certname"), ["name trusted.certname"]);
        assert!(found("spelled").contains(&"trusted.domain".to_owned()), "many nodes have it");
        assert!(found("open").contains(&"name trusted.certname".to_owned()));
        for key in ["nested", "shown", "literal", "part", "part.a.c"] {
            let depends_on = found(key);
            assert!(!depends_on.contains(&"trusted.certname".to_owned()), "{key}: {depends_on:?}");
        }
    }

    #[test]
    fn what_needs_a_name_reads_it() {
        for key in ["keys", "dug", "secret", "looked_up"] {
            let depends_on = check(key).unwrap_or_else(|| panic!("{key} needs no name"));
            assert!(depends_on.contains(&"trusted.certname".to_owned()), "{key}: {depends_on:?}");
        }
        for key in ["list", "bytes", "number", "cases"] {
            assert_eq!(check(key), None, "{key} depends on the name");
        }
    }

    #[test]
    fn texts_may_become_the_same_where_the_text_around_names_agrees() {
        assert!(may_be_equal("%{⟪a}", "web") && may_be_equal("a-%{⟪a}", "a-x"));
        assert!(may_be_equal("a-%{⟪a}", "%{⟪b}-b") && may_be_equal("x", "x"));
        assert!(!may_be_equal("a-%{⟪a}", "b-web") && !may_be_equal("%{⟪a} x", "%{⟪a} %{role}"));
        assert!(!may_be_equal("%{role}", "web") && !may_be_equal("x", "y"));
    }

    #[test]
    fn texts_with_the_same_typed_text_are_equal_only_if_the_rest_is_as_long() {
        let may_be = |one: &str, other: &str| {
            may_be_equal(&one.replace('T', TYPED_TOKEN), &other.replace('T', TYPED_TOKEN))
        };
        assert!(!may_be("el9T/x", "el9%{os}T/x") && !may_be("aT-T", "aT-bT"));
        // If `xyx` is typed, both are `xyxyx`.
        assert!(may_be("xyT", "Tyx") && may_be("T", "TT"));
        // A name may be any text.
        assert!(may_be("T%{⟪a}", "Txx") && may_be("T%{⟪a}", "xT"));
    }

    #[test]
    fn only_names_of_the_node_stay_open() {
        let evaluator = evaluator("one.org");
        let is_open = |expression: &str| evaluator.name_left_open(expression).is_some();
        assert!(
            ["trusted.certname", "::fqdn", "hostname", "clientcert"]
                .map(is_open)
                .iter()
                .all(|it| *it)
        );
        assert!(!["trusted.domain", "role", "trusted", "x y"].map(is_open).contains(&true));
    }
}
