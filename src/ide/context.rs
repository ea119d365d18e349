//! Determines what is at an offset of a file, for all features.

use std::sync::Arc;

use super::strings::StringNode;
use crate::data::{DataFile, EntryTree};
pub(crate) use crate::engine::LOOKUP_OPTIONS;
use crate::syntax::interpolation::{self, Token};
use crate::syntax::key_path::{self, Segment};
use crate::syntax::tree::{Node, NodeKind, Pair, ScalarStyle};
use crate::text::TextRange;

/// The part of a data file that an offset touches. Ranges refer to the whole file.
#[derive(Debug, Clone, PartialEq)]
pub struct DataSpot {
    /// The hash keys and list positions from the root key down to the touched part.
    pub steps: Vec<Step>,
    /// Whether the last step's key is touched, or something in its value.
    pub part: SpotPart,
    /// The `%{…}` that is touched.
    pub token: Option<TokenSpot>,
}

/// One step down from the root of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The hash key or list position; `None` if no lookup key can express it: `<<`, interpolated keys, other types.
    pub segment: Option<Segment>,
    /// Where the key, or the list item, is written.
    pub range: TextRange,
    /// The value's range.
    pub value_range: TextRange,
}

/// The touched part of a `key: value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpotPart {
    /// The key.
    Key,
    /// A scalar; its range.
    Scalar(TextRange),
    /// A YAML alias (`*name`); its range.
    Alias(TextRange),
    /// White space, brackets or comments of a list or a hash.
    Between,
}

/// A touched `%{…}`.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenSpot {
    /// Where the token is written.
    pub range: TextRange,
    /// Its content; its ranges refer to the decoded string.
    pub token: Token,
    /// The touched segment, if the token reads a key or a variable: its index and its range.
    pub segment: Option<(usize, TextRange)>,
}

/// The part of `lookup_options` that an offset touches.
#[derive(Debug, Clone, PartialEq)]
pub struct LookupOptionSpot {
    /// The key or `^pattern` that has the options.
    pub subject: Arc<str>,
    /// Where it is written.
    pub subject_range: TextRange,
    /// The touched option: `merge` or `convert_to`, and members of `merge` after a dot.
    pub option: Option<String>,
    /// Where the touched option's name is written.
    pub option_range: Option<TextRange>,
}

/// The part of a data file at `offset`.
pub fn spot_in_file(data: &DataFile, offset: u32) -> Option<DataSpot> {
    data_spot(data.entry_at(offset)?, offset)
}

/// The part of an entry at `offset` (of the whole file); `None` outside of the entry.
pub fn data_spot(entry: EntryTree<'_>, offset: u32) -> Option<DataSpot> {
    let at = offset.checked_sub(entry.start)?;
    let mut search = Search { entry, at, steps: Vec::new() };
    let (part, scalar) = search.pair(entry.key, entry.value, true)?;
    let token = scalar.and_then(|node| token_spot(entry, node, at));
    Some(DataSpot { steps: search.steps, part, token })
}

/// The touched lookup option, if `spot` is in `lookup_options`.
pub fn lookup_option_spot(spot: &DataSpot) -> Option<LookupOptionSpot> {
    if spot.root_key()? != LOOKUP_OPTIONS {
        return None;
    }
    let subject = spot.steps.get(1)?;
    let names: Option<Vec<&str>> = spot.steps[2..].iter().map(|step| step.name()).collect();
    let option = names.filter(|names| !names.is_empty()).map(|names| names.join("."));
    Some(LookupOptionSpot {
        subject: subject.name()?.into(),
        subject_range: subject.range,
        option_range: option.as_ref().and(spot.steps.last()).map(|step| step.range),
        option,
    })
}

impl DataSpot {
    /// The root key's text.
    pub fn root_key(&self) -> Option<&str> {
        self.steps.first()?.name()
    }

    /// The key to look up for the touched part: the longest one that a lookup can express, without list positions at the end.
    /// Also the number of its steps.
    pub fn lookup_key(&self) -> Option<(String, usize)> {
        let known = self.steps.iter().take_while(|step| step.segment.is_some()).count();
        let steps = &self.steps[..known];
        let is_index = |step: &Step| matches!(step.segment, Some(Segment::Index(_)));
        let trailing =
            steps.iter().rev().take_while(|step| is_index(step) && step.is_item()).count();
        let count = known - trailing;
        lookup_key(steps[..count].iter().filter_map(|step| step.segment.as_ref()))
            .map(|key| (key, count))
    }
}

impl LookupOptionSpot {
    /// Whether the options apply to all keys that match a pattern.
    pub fn is_pattern(&self) -> bool {
        self.subject.starts_with('^')
    }
}

impl Step {
    /// The hash key's text.
    pub fn name(&self) -> Option<&str> {
        match &self.segment {
            Some(Segment::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// Whether it is a list position.
    pub fn is_item(&self) -> bool {
        matches!(self.segment, Some(Segment::Index(_))) && self.range == self.value_range
    }
}

/// The key that looks up these segments; `None` if no key can.
pub fn lookup_key<'a>(segments: impl Iterator<Item = &'a Segment>) -> Option<String> {
    let segments: Vec<&Segment> = segments.collect();
    // A lookup takes a root key without dots and quotes as it is, even if it consists of digits.
    if let [Segment::Name(root)] = segments[..]
        && key_path::is_verbatim(root)
    {
        return Some(root.to_string());
    }
    let quoted = segments.iter().map(|segment| match segment {
        Segment::Name(name) => key_path::quote_segment(name),
        Segment::Index(index) => Some(index.to_string()),
    });
    quoted
        .collect::<Option<Vec<_>>>()
        .filter(|parts| !parts.is_empty())
        .map(|parts| parts.join("."))
}

struct Search<'a> {
    entry: EntryTree<'a>,
    at: u32,
    steps: Vec<Step>,
}

impl<'a> Search<'a> {
    fn pair(
        &mut self,
        key: &'a Node,
        value: &'a Node,
        is_root: bool,
    ) -> Option<(SpotPart, Option<&'a Node>)> {
        let on_key = key.range.touches(self.at);
        if !on_key && !value.range.touches(self.at) {
            return None;
        }
        self.steps.push(Step {
            segment: key_segment(key, is_root),
            range: key.range.shifted(self.entry.start),
            value_range: value.range.shifted(self.entry.start),
        });
        if on_key {
            // Puppet does not interpolate root keys.
            return Some((SpotPart::Key, (!is_root).then_some(key)));
        }
        Some(self.value(value))
    }

    fn value(&mut self, node: &'a Node) -> (SpotPart, Option<&'a Node>) {
        let range = node.range.shifted(self.entry.start);
        match &node.kind {
            NodeKind::Scalar { .. } => (SpotPart::Scalar(range), Some(node)),
            NodeKind::Alias(_) => (SpotPart::Alias(range), None),
            NodeKind::Mapping(pairs) => {
                let near = pairs_near(pairs, self.at);
                let found = near.iter().find_map(|pair| self.pair(&pair.key, &pair.value, false));
                found.unwrap_or((SpotPart::Between, None))
            }
            NodeKind::Sequence(items) => {
                let at = self.at;
                let first = items.partition_point(|item| item.range.end < at);
                match items.get(first).filter(|item| item.range.touches(at)) {
                    Some(item) => {
                        let range = item.range.shifted(self.entry.start);
                        let segment =
                            Some(Segment::Index(i64::try_from(first).unwrap_or(i64::MAX)));
                        self.steps.push(Step { segment, range, value_range: range });
                        self.value(item)
                    }
                    None => (SpotPart::Between, None),
                }
            }
        }
    }
}

/// The pairs that may touch `at`; pairs are in source order.
fn pairs_near(pairs: &[Pair], at: u32) -> &[Pair] {
    let first = pairs.partition_point(|pair| pair.value.range.end.max(pair.key.range.end) < at);
    // At most two pairs touch the same byte: one that ends there, and one that starts there.
    &pairs[first..pairs.len().min(first + 2)]
}

/// The segment of a lookup for a key. Plain integers are Integers, which unquoted digits dig for.
fn key_segment(key: &Node, is_root: bool) -> Option<Segment> {
    let NodeKind::Scalar { text, style } = &key.kind else { return None };
    if &**text == "<<" || (!is_root && interpolation::may_have_tokens(text)) {
        return None;
    }
    if *style != ScalarStyle::Plain {
        return Some(Segment::Name(text.clone()));
    }
    match text.parse::<i64>() {
        // No lookup finds an integer at the root of a file.
        Ok(_) if is_root => None,
        Ok(number) => Some(Segment::Index(number)),
        // Puppet turns symbols in keys into strings.
        Err(_) => Some(Segment::Name(text.strip_prefix(':').map_or(text.clone(), Arc::from))),
    }
}

fn token_spot(entry: EntryTree<'_>, node: &Node, at: u32) -> Option<TokenSpot> {
    let string = StringNode::of(entry.text, node)?;
    let touched = |decoded| Some(string.source_range(decoded)).filter(|range| range.touches(at));
    let (token, range) =
        string.tokens.iter().find_map(|token| Some((token, touched(token.range)?)))?;
    let text = token.lookup_key().or_else(|| token.variable());
    let segment = text.and_then(|(text, decoded)| {
        let (segments, _) = key_path::segment_ranges(text);
        segments.iter().enumerate().find_map(|(number, segment)| {
            let range = touched(segment.full_range.shifted(decoded.start))?;
            Some((number, range.shifted(entry.start)))
        })
    });
    Some(TokenSpot { range: range.shifted(entry.start), token: token.clone(), segment })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{FileId, Format};
    use crate::ide::fixture::Fixture;

    /// `expected`: the lookup key, then the touched part: `key`, `value`, `between`, `alias`; then the token and, after `@`,
    /// the touched segment's text.
    #[track_caller]
    fn check(fixture: &str, expected: &str) {
        let fixture = Fixture::parse(fixture);
        let (file, offset) = fixture.mark(0).expect("the fixture has a $0");
        let data = DataFile::new(FileId(0), Format::Yaml, file.text.clone().into());
        let actual = match spot_in_file(&data, offset) {
            None => "nothing".to_owned(),
            Some(spot) => show(&spot, &file.text),
        };
        assert_eq!(actual, expected);
    }

    fn show(spot: &DataSpot, text: &str) -> String {
        let key = spot.lookup_key().map_or("-".to_owned(), |(key, _)| key);
        let part = match spot.part {
            SpotPart::Key => "key",
            SpotPart::Scalar(_) => "value",
            SpotPart::Alias(_) => "alias",
            SpotPart::Between => "between",
        };
        let token = spot.token.as_ref().map_or(String::new(), |token| {
            let segment = token.segment.map_or("", |(_, range)| range.slice(text));
            format!(" {}@{segment}", token.range.slice(text))
        });
        format!("{key} {part}{token}")
    }

    #[test]
    fn keys_at_every_depth() {
        check("a$0::b: 1", "a::b key");
        check("a::b: $01", "a::b value");
        check("a:\n  b.c:\n    - d$0: 1", "a.'b.c'.0.d key");
        check("a.b: {c$0: 1}", "'a.b'.c key");
        check("a: {1$0: x}", "a.1 key");
        check("a: {'1'$0: x}", "a.'1' key");
    }

    #[test]
    fn list_items_stand_for_their_list() {
        check("a:\n  - x$0", "a value");
        check("a:\n  - [x, y$0]", "a value");
        check("a: [x, $0 ]", "a between");
    }

    #[test]
    fn what_no_lookup_key_can_say_stands_for_what_holds_it() {
        check("a:\n  <<: {x$0: 1}", "a key");
        check("a:\n  '%{b}': x$0", "a value");
        check("b: &x 1\na: *x$0", "a alias");
        check("# co$0mment\na: 1", "nothing");
    }

    #[test]
    fn tokens_and_their_segments() {
        check("a: '%{fac$0ts.os}'", "a value %{facts.os}@facts");
        check("a: \"x \\n %{facts.o$0s}\"", "a value %{facts.os}@os");
        check("a: \"%{lookup('k.x$0')}\"", "a value %{lookup('k.x')}@x");
        check("a: \"%{look$0up('k')}\"", "a value %{lookup('k')}@");
    }

    #[test]
    fn lookup_options_name_their_subject() {
        let text = "lookup_options:\n  a::b:\n    merge:\n      strategy: deep\n";
        let data = DataFile::new(FileId(0), Format::Yaml, text.into());
        let offset = text.find("strategy").expect("it is there") as u32;
        let spot = spot_in_file(&data, offset).and_then(|spot| lookup_option_spot(&spot));
        let spot = spot.expect("an option is touched");
        assert_eq!(&*spot.subject, "a::b");
        assert_eq!(spot.option.as_deref(), Some("merge.strategy"));
    }
}
