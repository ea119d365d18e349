//! Determines the place of the cursor from the text of the line and the indentation above it.

/// A place in a YAML text, which may be invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spot {
    /// The keys from the root to the place; for [`Part::Value`], the last one is the value's own key.
    pub(super) steps: Vec<String>,
    /// What is being typed.
    pub(super) part: Part,
    /// The positions in the lists between the last step and the place, from the outside in, if the place is an item.
    pub(super) items: Vec<usize>,
    /// Whether the place is in an item of the list that the last step leads to: at its start, or in a hash that is the item.
    pub(super) is_in_item: bool,
    /// Where the typed text starts, after an opening quote.
    pub(super) start: u32,
    /// The open quote.
    pub(super) quote: Option<char>,
    /// Whether the line is neither indented nor a list item.
    pub(super) is_at_root: bool,
    /// What has to be inserted before a value: the space that is missing, or the `- ` of an item. `None` where a value would
    /// become a part of something else.
    pub(super) before_value: Option<&'static str>,
    /// The keys that the hash already has on other lines, or before the cursor in brackets. Empty at the root.
    pub(super) present: Vec<String>,
    /// The text after each of these keys, as far as it is on the same line.
    pub(super) present_values: Vec<String>,
}

impl Spot {
    /// The scalar that the hash already has for a key.
    pub(super) fn value_of(&self, key: &str) -> Option<&str> {
        let at = self.present.iter().position(|it| it == key)?;
        let text = self.present_values.get(at)?.trim_start();
        let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'));
        let value = match quote {
            Some(quote) => text[1..].split(quote).next(),
            None => text.split([',', '}', '#']).next(),
        };
        value.map(str::trim)
    }
}

/// What is being typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A key, or the first letters of a list item.
    Key,
    /// A value.
    Value,
}

/// The place at `offset`; `None` in comments, after a complete value, and where a string in quotes starts behind it.
pub(super) fn spot_at(text: &str, offset: u32) -> Option<Spot> {
    let (before, behind) = text.split_at_checked(offset as usize)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = &before[line_start..];
    let begin = Begin::of(line);
    let typed = typed(&line[begin.content..])?;
    if typed.quote.is_none() && behind.starts_with(['\'', '"']) {
        return None;
    }
    let (mut steps, is_in_item) = ancestors(&before[..line_start], &begin);
    let is_at_root = begin.content == 0;
    let is_first = typed.steps.is_empty();
    let mut items = if is_first && !typed.is_member {
        block_positions(&before[..line_start], &line[..begin.content])
    } else {
        Vec::new()
    };
    items.extend(typed.items);
    let is_on_own_line = typed.present.is_none() && typed.quote.is_none();
    let is_in_item = typed.is_in_item.unwrap_or(is_in_item);
    steps.extend(typed.steps);
    let pairs = match typed.present {
        Some(present) => present,
        None if is_first && !is_at_root => neighbours(text, line_start, &begin),
        None => Vec::new(),
    };
    let before_value = match typed.part {
        Part::Value if typed.needs_blank => Some(" "),
        Part::Key if items.is_empty() => before_item(text, line_start, begin.content)
            .filter(|it| it.is_empty() || is_on_own_line && pairs.is_empty() && !is_in_item),
        Part::Key | Part::Value => Some(""),
    };
    let (present, present_values) = pairs.into_iter().unzip();
    Some(Spot {
        steps,
        part: typed.part,
        items,
        is_in_item,
        start: (line_start + begin.content + typed.start) as u32,
        quote: typed.quote,
        is_at_root,
        before_value,
        present,
        present_values,
    })
}

/// The start of a line: spaces and `- `.
#[derive(Debug, Clone, Copy)]
struct Begin {
    /// The column of the first `-`.
    marker: Option<usize>,
    /// The column of the text after it.
    content: usize,
}

impl Begin {
    fn of(line: &str) -> Self {
        let mut content = line.len() - line.trim_start_matches(' ').len();
        let mut marker = None;
        while line[content..].starts_with("- ") {
            marker = marker.or(Some(content));
            let rest = &line[content + 2..];
            content += 2 + rest.len() - rest.trim_start_matches(' ').len();
        }
        Self { marker, content }
    }
}

/// The columns of the `-` at the start of a line.
fn markers(line: &str) -> Vec<usize> {
    let content = line.trim_start_matches(['-', ' ']);
    let start = &line[..line.len() - content.len()];
    let is_marker = |at: &usize| matches!(line.as_bytes().get(at + 1), None | Some(b' ' | b'\r'));
    start.match_indices('-').map(|(at, _)| at).take_while(is_marker).collect()
}

/// The positions of the list items that a line starts, and of those around them up to the next key. `start` is the start of the
/// line.
fn block_positions(above: &str, start: &str) -> Vec<usize> {
    let columns = markers(start);
    let Some(mut column) = columns.first().copied() else { return Vec::new() };
    let mut positions = vec![0; columns.len()];
    for line in above.lines().rev() {
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let here = markers(line);
        match here.iter().position(|it| *it == column) {
            Some(at) => {
                positions[0] += 1;
                // The line also starts the items around this list.
                if at > 0 {
                    positions.splice(0..0, std::iter::repeat_n(0, at));
                    column = here[0];
                }
            }
            // The key of the list, or what is around it.
            None if Begin::of(line).content <= column => break,
            None => {}
        }
    }
    positions
}

/// The content of a line up to the cursor.
struct Typed {
    steps: Vec<String>,
    part: Part,
    items: Vec<usize>,
    /// Whether the place is in a hash in brackets.
    is_member: bool,
    /// Whether the place is in an item of a list in brackets; `None` if the line above decides.
    is_in_item: Option<bool>,
    start: usize,
    quote: Option<char>,
    needs_blank: bool,
    /// The keys before the cursor in the innermost bracket, each with the text after it; `None` outside of brackets.
    present: Option<Vec<(String, String)>>,
}

/// The keys on other lines of the hash that the line at `line_start` belongs to, each with the rest of its line.
fn neighbours(text: &str, line_start: usize, begin: &Begin) -> Vec<(String, String)> {
    let column = begin.content;
    let is_text =
        |line: &&str| !line.trim_start().is_empty() && !line.trim_start().starts_with('#');
    let key_at = |line: &str| {
        let here = Begin::of(line);
        let key = (here.content == column).then(|| key_of(&line[column..])).flatten();
        key.map(|key| (key, line.split_once(": ").map_or("", |(_, rest)| rest).to_owned()))
    };
    let mut found = Vec::new();
    // The line of a list item is the first one of its hash.
    if begin.marker.is_none() {
        for line in text[..line_start].lines().rev().filter(is_text) {
            let here = Begin::of(line);
            if here.content < column {
                break;
            }
            found.extend(key_at(line));
            if here.marker.is_some_and(|marker| marker < column) {
                break;
            }
        }
    }
    for line in text[line_start..].lines().skip(1).filter(is_text) {
        let here = Begin::of(line);
        if here.marker.unwrap_or(here.content) < column {
            break;
        }
        found.extend(key_at(line));
    }
    found
}

/// What has to be inserted before an item of a list on the line at `line_start`, whose text starts in this column: its `- `, or
/// nothing in a list in brackets. `None` if the item would become a part of something else.
fn before_item(text: &str, line_start: usize, column: usize) -> Option<&'static str> {
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let indentation = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_item_here = |line: &str| markers(line).first() == Some(&column);
    let mut above = text[..line_start].lines().rev().filter(is_text).peekable();
    let nearest = *above.peek()?;
    let beside = above.find(|line| indentation(line) <= column)?;
    let around = std::iter::once(beside).chain(above).find(|line| indentation(line) < column)?;
    if around.matches('[').count() > around.matches(']').count() {
        return Some("");
    }
    let mut below = text[line_start..].lines().skip(1).filter(is_text);
    let fits_above = if indentation(beside) == column {
        is_item_here(beside)
    } else {
        // The first item stands below a key that has no value yet.
        let begin = Begin::of(beside).content;
        let written = beside.split(" #").next().unwrap_or_default();
        nearest == beside && begin < column && written.trim_end().ends_with(':')
    };
    let fits_below = |line: &str| indentation(line) < column || is_item_here(line);
    (fits_above && below.next().is_none_or(fits_below)).then_some("- ")
}

/// The keys above a line, outermost first, and whether the line belongs to an item of a list below the last of them.
fn ancestors(above: &str, begin: &Begin) -> (Vec<String>, bool) {
    let mut steps = Vec::new();
    let mut limit = begin.marker.unwrap_or(begin.content);
    let mut is_item = begin.marker.is_some();
    let mut is_in_item = is_item;
    // Only a line with less indentation than the last ancestor can be the next one.
    for line in above.lines().rev() {
        let trimmed = line.trim_start();
        if limit == 0 && !is_item {
            break;
        }
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let here = Begin::of(line);
        // The items of a list may be in the same column as the key of the list.
        let is_parent = here.content < limit || is_item && here.content == limit;
        match key_of(&line[here.content..]) {
            Some(key) if is_parent && !(is_item && here.marker == Some(limit)) => steps.push(key),
            // The first key of the list item that the line belongs to.
            _ if here.marker.is_some() && here.content == limit && !is_item => {}
            _ if here.content < limit && here.marker.is_none() => {}
            _ => continue,
        }
        is_item = here.marker.is_some();
        is_in_item |= is_item && steps.is_empty();
        limit = here.marker.unwrap_or(here.content);
    }
    steps.reverse();
    (steps, is_in_item)
}

/// The key at the start of a line.
fn key_of(line: &str) -> Option<String> {
    for (at, _) in line.match_indices(':') {
        let (key, behind) = line.split_at(at);
        if matches!(behind.as_bytes().get(1), None | Some(b' ' | b'\r' | b'\t')) {
            return Some(key.trim().trim_matches(['\'', '"']).to_owned());
        }
    }
    None
}

/// Reads a line after its start, up to the cursor.
fn typed(line: &str) -> Option<Typed> {
    let mut reader = LineReader::default();
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|it| it.1);
        if let Some(open) = reader.quote {
            match letter {
                '\\' if open == '"' => drop(letters.next()),
                // In single quotes, two quotes are one character.
                _ if letter == open && next == Some(open) && open == '\'' => drop(letters.next()),
                _ if letter == open => reader.quote = None,
                _ => {}
            }
            continue;
        }
        let is_begin = line[reader.start..at].trim().is_empty();
        match letter {
            // Without a space before it, a `#` is a part of the text.
            '#' if at == 0 || line[..at].ends_with(' ') => return None,
            '\'' | '"' if is_begin => {
                reader.quote = Some(letter);
                reader.start = at + 1;
            }
            '{' | '[' if is_begin => reader.open(letter, at),
            '}' | ']' if !reader.brackets.is_empty() => reader.close(at),
            ',' if !reader.brackets.is_empty() => {
                reader.pending = None;
                reader.is_complete = false;
                reader.start = at + 1;
                if let Some(commas) = reader.commas.last_mut() {
                    *commas += 1;
                }
            }
            ':' if (next == Some(' ') || next.is_none() && reader.is_lone_colon(line, at))
                && reader.pending.is_none() =>
            {
                let key = line[reader.start..at].trim().trim_end_matches(['\'', '"']);
                if let Some(present) = reader.present.last_mut() {
                    present.push((key.to_owned(), at + 1));
                }
                reader.pending = Some(key.to_owned());
                reader.start = at + 1;
            }
            _ => {}
        }
    }
    (!reader.is_complete).then(|| reader.end(line))
}

#[derive(Default)]
struct LineReader {
    start: usize,
    quote: Option<char>,
    /// The key whose value is being read.
    pending: Option<String>,
    /// The open brackets, each with the key before it.
    brackets: Vec<(char, Option<String>)>,
    /// The number of commas in each open bracket.
    commas: Vec<usize>,
    /// The keys in each open bracket, with the starts of their values.
    present: Vec<Vec<(String, usize)>>,
    /// Whether the value is one in brackets that is complete.
    is_complete: bool,
}

impl LineReader {
    fn open(&mut self, bracket: char, at: usize) {
        self.brackets.push((bracket, self.pending.take()));
        self.present.push(Vec::new());
        self.commas.push(0);
        self.start = at + 1;
    }

    fn close(&mut self, at: usize) {
        self.pending = self.brackets.pop().and_then(|(_, key)| key);
        self.present.pop();
        self.commas.pop();
        self.start = at + 1;
        self.is_complete = true;
    }

    /// Whether a `:` at the end of the typed text ends a key: `merge:`, but not `profile:`, which may become `profile::base`.
    fn is_lone_colon(&self, line: &str, at: usize) -> bool {
        const ENDING: [&str; 3] = ["merge", "strategy", "convert_to"];
        self.pending.is_none() && ENDING.contains(&line[self.start..at].trim())
    }

    fn end(mut self, line: &str) -> Typed {
        let with_value = |(key, start): (String, usize)| (key, line[start..].to_owned());
        let present = self.present.pop().map(|it| it.into_iter().map(with_value).collect());
        let is_list = self.brackets.last().is_some_and(|(bracket, _)| *bracket == '[');
        let part = if self.pending.is_some() || is_list { Part::Value } else { Part::Key };
        let rest = &line[self.start..];
        let blank = rest.len() - rest.trim_start().len();
        let needs_blank = self.pending.is_some()
            && self.quote.is_none()
            && self.start > 0
            && line[..self.start].ends_with(':')
            && blank == 0;
        let items = self.positions();
        let is_member = self.brackets.iter().any(|(bracket, _)| *bracket == '{');
        let is_in_item = self.is_in_item();
        let outer = self.brackets.into_iter().filter_map(|(_, key)| key);
        let steps = outer.chain(self.pending).collect();
        let start = if self.quote.is_some() { self.start } else { self.start + blank };
        let quote = self.quote;
        Typed { steps, part, items, is_member, is_in_item, start, quote, needs_blank, present }
    }

    /// Whether a list in brackets is between the last key and the place; `None` if there is no key.
    fn is_in_item(&self) -> Option<bool> {
        if self.pending.is_some() {
            return Some(false);
        }
        let last_key = self.brackets.iter().rposition(|(_, key)| key.is_some());
        let is_list = |(bracket, _): &(char, Option<String>)| *bracket == '[';
        let from = last_key.unwrap_or_default();
        let is_in_item = self.brackets[from..].iter().any(is_list);
        (last_key.is_some() || is_in_item).then_some(is_in_item)
    }

    /// The positions in the lists in brackets up to the next key.
    fn positions(&self) -> Vec<usize> {
        let mut positions = Vec::new();
        if self.pending.is_none() {
            for ((bracket, key), commas) in self.brackets.iter().zip(&self.commas).rev() {
                if *bracket != '[' {
                    break;
                }
                positions.push(*commas);
                if key.is_some() {
                    break;
                }
            }
            positions.reverse();
        }
        positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected`: the steps, then `k` or `v`, then the typed text.
    #[track_caller]
    fn check(before: &str, expected: &str) {
        let shown = spot_at(before, before.len() as u32).map_or("-".to_owned(), |spot| {
            let part = if spot.part == Part::Key { "k" } else { "v" };
            format!("{} {part} {}", spot.steps.join("/"), &before[spot.start as usize..])
        });
        assert_eq!(shown.trim_start(), expected);
    }

    #[test]
    fn block_style() {
        check("a: 1\nb", "k b");
        check("a::b", "k a::b");
        check("a::", "k a::");
        check("a: x", "a v x");
        check("a: 'x: y", "a v x: y");
        check("a:\n  b:\n    c", "a/b k c");
        check("a:\n  b: 1\n\n  # x\n  c", "a k c");
        check("a:\n  b:\n    c: 1\n  d: ", "a/d v ");
        check("'a.b':\n  'c", "a.b k c");
        check("# x", "-");
        check("a: 1 # x", "-");
    }

    #[test]
    fn lists() {
        check("a:\n  - b", "a k b");
        check("a:\n- b", "a k b");
        check("a:\n  - b: 1\n    c", "a k c");
        check("a:\n- b: 1\n  c: x", "a/c v x");
        check("a:\n  - b: 1\n  - c", "a k c");
        check("a:\n  - b:\n      - c: 1\n        d", "a/b k d");
    }

    #[test]
    fn flow_style() {
        check("a: {b: {c: x, d", "a/b k d");
        check("a: {b: 1, c: x", "a/c v x");
        check("a: [x, y", "a v y");
        check("a: {b: 1}\nc", "k c");
        check("a: {b: {c: 1}, d", "a k d");
        check("a: {b: [x], c", "a k c");
    }

    #[test]
    fn nothing_follows_a_value_or_stands_before_one() {
        for complete in ["a: {b: 1}", "a: [x] ", "a: {b: [x]", "a:\n  - {b: 1}", "a: [{b: 1}"] {
            check(complete, "-");
        }
        for (text, offset) in [("a: 'x'", 3), ("a: \"x\"", 3), ("a: ['x']", 4), ("'a': 1", 0)] {
            assert_eq!(spot_at(text, offset), None, "{text}");
        }
    }

    #[track_caller]
    fn check_items(before: &str, expected: &[usize]) {
        let spot = spot_at(before, before.len() as u32).expect("a place");
        assert_eq!(spot.items, expected, "{before}");
    }

    #[test]
    fn positions_in_lists() {
        check_items("a: [", &[0]);
        check_items("a: [x, 'y, z', ", &[2]);
        check_items("a: [x, [y, ", &[1, 1]);
        check_items("a: [{b: [x, y], c: z}, ", &[1]);
        check_items("a: {b: [x, ", &[1]);
        check_items("a: [x, {b: ", &[]);
        check_items("a: [x, {", &[]);
        check_items("a: x", &[]);
        check_items("a:\n- x\n- ", &[1]);
        check_items("a:\n  - x\n  # -\n\n  - b: 1\n    c:\n      - 1\n  - y", &[2]);
        check_items("a:\n  - b:\n    - x\n    - ", &[1]);
        check_items("a:\n  - - x\n    - ", &[0, 1]);
        check_items("a:\n  - 1\n  - - x\n    - y\n    - ", &[1, 2]);
        check_items("a:\n  - 1\n  - [x, ", &[1, 1]);
        check_items("a:\n  - 1\n  - - ", &[1, 0]);
        check_items("a:\n  - -1\n  - ", &[1]);
        check_items("b: [1]\na:\n  - b: ", &[]);
        check_items("a:\n  -\n    b: 1\n  - ", &[1]);
    }

    /// `$` is the cursor.
    #[track_caller]
    fn check_present(text: &str, expected: &[&str]) {
        let offset = text.find('$').expect("a cursor") as u32;
        let spot = spot_at(&text.replace('$', ""), offset).expect("a place");
        assert_eq!(spot.present, expected, "{text}");
    }

    #[test]
    fn keys_that_are_there() {
        check_present(
            "a:\n  b: 1\n  c:\n    x: 1\n\n  # n: 1\n  $\n  d: 1\ne: 1",
            &["c", "b", "d"],
        );
        check_present("a:\n  - b: 1\n    $\n    c: 1\n  - d: 1\n", &["b", "c"]);
        check_present("a:\n  - b: 1\n  - $\n    c: 1\n  - d: 1\n", &["c"]);
        check_present("a:\n  b:\n  - x: 1\n  $\n", &["b"]);
        check_present("a: {b: {x: 1}, c: [y], $", &["b", "c"]);
        check_present("a: {b: {x: 1, $", &["x"]);
        check_present("a: {b: 1}\n$", &[]);
        check_present("a:\n  b: $\n  c: 1\n", &[]);
    }

    #[test]
    fn a_colon_behind_an_option_ends_it() {
        check("lookup_options:\n  x:\n    merge:", "lookup_options/x/merge v ");
    }
}
