//! `node_name`: regular expressions in the settings that extract variables from the names of nodes.

use std::sync::Arc;

use super::node::{Basis, Proved};
use super::variable;
use crate::data::Value;
use crate::syntax::ruby_regex::{self, RegexProblem, RubyRegex};
use crate::text::TextRange;

/// The patterns of the settings, in their order.
#[derive(Debug, Clone, Default)]
pub struct NamePatterns {
    patterns: Arc<[NamePattern]>,
}

/// One pattern. It must match a whole name.
#[derive(Debug, Clone)]
pub struct NamePattern {
    /// As written in the settings.
    pub source: Arc<str>,
    /// Its range in the project file; empty and at 0 for an editor's settings.
    pub range: TextRange,
    regex: Arc<RubyRegex>,
    groups: Arc<[Arc<str>]>,
}

impl PartialEq for NamePatterns {
    fn eq(&self, other: &Self) -> bool {
        let sources =
            |it: &Self| it.patterns.iter().map(|it| it.source.clone()).collect::<Vec<_>>();
        sources(self) == sources(other)
    }
}

impl NamePatterns {
    /// These patterns.
    pub fn new(patterns: Vec<NamePattern>) -> Self {
        Self { patterns: patterns.into() }
    }

    /// The patterns in the order of the settings.
    pub fn iter(&self) -> impl Iterator<Item = &NamePattern> {
        self.patterns.iter()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The variables that a node's name proves, by their canonical names: those of the first pattern that matches the whole
    /// name. A group that does not participate in the match proves nothing.
    pub fn proved_by(&self, name: &str) -> Vec<(Arc<str>, Arc<str>)> {
        self.patterns.iter().find_map(|pattern| pattern.read(name)).unwrap_or_default()
    }
}

impl NamePattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// It is not a regular expression, or one that cannot be evaluated here.
    pub fn new(source: &str, range: TextRange) -> Result<Self, RegexProblem> {
        // The message about a mistake shows the pattern as it is written.
        ruby_regex::translate(source)?;
        // Without the group, the anchors would apply only to the first and the last alternative of `a|b|c`.
        let regex = ruby_regex::translate(&format!("\\A(?:{source})\\z"))?;
        let groups = regex.group_names().into_iter().map(Arc::from).collect();
        Ok(Self { source: source.into(), range, regex: Arc::new(regex), groups })
    }

    /// The names of its groups, as written.
    pub fn groups(&self) -> &[Arc<str>] {
        &self.groups
    }

    /// The variables that the name proves; `None` if the pattern does not match it.
    pub fn read(&self, name: &str) -> Option<Vec<(Arc<str>, Arc<str>)>> {
        let captures = self.regex.named_captures(name)?;
        let proved = captures
            .into_iter()
            .filter_map(|(group, text)| Some((variable::name_of_text(&group)?, Arc::from(text))));
        Some(proved.collect())
    }
}

/// The hostname and the domain in a certname: the text before the first dot, and the text after it.
pub fn parts_of_certname(certname: &str) -> (&str, Option<&str>) {
    match certname.split_once('.') {
        Some((hostname, domain)) => (hostname, Some(domain)),
        None => (certname, None),
    }
}

/// What a certname proves of a node: the certname and its parts under all their names, and what the patterns extract from it.
pub fn proved_by_name(name: &str, patterns: &NamePatterns) -> Vec<Proved> {
    let (hostname, domain) = parts_of_certname(name);
    let mut proved = vec![
        ("trusted.certname", Value::string(name)),
        ("clientcert", Value::string(name)),
        ("facts.networking.fqdn", Value::string(name)),
        ("trusted.hostname", Value::string(hostname)),
        ("facts.networking.hostname", Value::string(hostname)),
        ("trusted.domain", domain.map_or(Value::Undef, Value::string)),
    ];
    proved.extend(domain.map(|it| ("facts.networking.domain", Value::string(it))));
    let of_patterns = patterns.proved_by(name).into_iter();
    let of_patterns = of_patterns.map(|(name, text)| (name, Value::String(text), Basis::Proved));
    // The patterns win, because the settings describe these names.
    of_patterns
        .chain(proved.into_iter().map(|(name, value)| (Arc::from(name), value, Basis::Proved)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sources: &[&str], name: &str, expected: &str) {
        let patterns =
            sources.iter().map(|it| NamePattern::new(it, TextRange::empty(0)).expect("a pattern"));
        let proved = NamePatterns::new(patterns.collect()).proved_by(name);
        let shown: Vec<_> = proved.iter().map(|(name, text)| format!("{name}={text}")).collect();
        assert_eq!(shown.join(" "), expected);
    }

    const LOCATION_ROLE: &str = "(?<location>[a-z]+)-(?<role>[a-z]+)(-(?<variant>[a-z]+))?-\\d+";

    #[test]
    fn a_mistake_is_shown_in_the_pattern_as_it_is_written() {
        let problem = NamePattern::new("(", TextRange::empty(0)).expect_err("it has no end");
        assert_eq!(problem.to_string(), "end pattern with unmatched parenthesis: /(/");
    }

    #[test]
    fn groups_prove_variables() {
        check(&[LOCATION_ROLE], "bgo-compute-007", "location=bgo role=compute");
        check(&[LOCATION_ROLE], "bgo-compute-alice-1", "location=bgo role=compute variant=alice");
    }

    #[test]
    fn the_whole_name_must_match() {
        check(&[LOCATION_ROLE], "bgo-compute-007.example.com", "");
        check(&["(?<a>x)", "(?<b>x+)"], "xx", "b=xx");
    }

    #[test]
    fn a_group_can_be_a_legacy_fact() {
        check(&["(?<osfamily>\\w+)\\d"], "Debian1", "facts.os.family=Debian");
    }
}
