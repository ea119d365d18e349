//! A list of expressions, to find the first one that matches a text. Only expressions whose prefix the text has are tried.

use std::collections::HashMap;
use std::sync::Arc;

use super::RubyRegex;

/// Expressions in order, each with something that belongs to it.
#[derive(Debug)]
pub struct RegexList<T> {
    items: Vec<(Arc<RubyRegex>, T)>,
    by_prefix: HashMap<Box<str>, Vec<usize>, foldhash::fast::RandomState>,
    /// The lengths of the prefixes in bytes, each once.
    lengths: Vec<usize>,
}

impl<T> Default for RegexList<T> {
    fn default() -> Self {
        Self { items: Vec::new(), by_prefix: HashMap::default(), lengths: Vec::new() }
    }
}

impl<T> RegexList<T> {
    /// Adds an expression after the others.
    pub fn push(&mut self, regex: Arc<RubyRegex>, item: T) {
        let prefix = regex.prefix();
        if !self.lengths.contains(&prefix.len()) {
            self.lengths.push(prefix.len());
        }
        self.by_prefix.entry(prefix.into()).or_default().push(self.items.len());
        self.items.push((regex, item));
    }

    /// What belongs to each expression, in order.
    pub fn items(&self) -> impl Iterator<Item = &T> {
        self.items.iter().map(|(_, item)| item)
    }

    /// What belongs to the expressions that match a text, each with its number, in order.
    pub fn matching(&self, text: &str) -> impl Iterator<Item = (usize, &T)> {
        let mut numbers = Vec::new();
        if text.contains('\n') {
            // A prefix says something about texts of one line only.
            numbers.extend(0..self.items.len());
        } else {
            // All prefixes are ASCII, so a length that ends inside a character cannot fit.
            let prefixes = self.lengths.iter().filter_map(|length| text.get(..*length));
            let found = prefixes.filter_map(|prefix| self.by_prefix.get(prefix));
            numbers.extend(found.flatten());
            numbers.sort_unstable();
        }
        let matches = move |number: &usize| self.items[*number].0.is_match(text);
        numbers.into_iter().filter(matches).map(|number| (number, &self.items[number].1))
    }
}

impl<T> FromIterator<(Arc<RubyRegex>, T)> for RegexList<T> {
    fn from_iter<I: IntoIterator<Item = (Arc<RubyRegex>, T)>>(items: I) -> Self {
        let mut list = Self::default();
        items.into_iter().for_each(|(regex, item)| list.push(regex, item));
        list
    }
}

#[cfg(test)]
mod tests {
    use super::RegexList;
    use crate::syntax::ruby_regex::translate;

    #[test]
    fn the_list_finds_what_each_expression_finds() {
        let sources =
            ["^ntp::", "^nt", "servers$", "^ntp::servers$", "^n", "^(ntp|ssh)::", "^.", "^b"];
        let list: RegexList<&str> = sources
            .iter()
            .map(|source| (translate(source).expect("an expression").into(), *source))
            .collect();
        for text in ["ntp::servers", "ntp", "n", "", "ssh::servers", "\u{e4}", "a\nntp::x", "b\nc"]
        {
            let each = sources
                .iter()
                .enumerate()
                .filter(|(_, source)| translate(source).expect("an expression").is_match(text));
            let expected: Vec<_> = each.collect();
            assert_eq!(list.matching(text).collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}
