//! Completion inside `%{…}`: variables with their values, functions, and the keys that these look up.

use std::sync::Arc;

use super::{Completion, CompletionKind, Completions, MAX_ITEMS, Place, variables};
use crate::data::{Format, Located, Value};
use crate::engine::Request;
use crate::ide::context::{LOOKUP_OPTIONS, SpotPart, spot_in_file};
use crate::ide::matching::{best, fit};
use crate::ide::places::places;
use crate::ide::rename::inside_string;
use crate::syntax::key_path;
use crate::text::TextRange;

/// Each function with its description.
const FUNCTIONS: [(&str, &str); 5] = [
    ("lookup", "the value of a key, as text"),
    ("hiera", "the same as lookup"),
    ("alias", "the value of a key as it is: must be the whole string"),
    ("literal", "this text, not interpolated"),
    ("scope", "the value of a variable"),
];

/// An open `%{` before the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenSpot {
    /// The function that is called, and the quote of its argument.
    call: Option<(String, char)>,
    /// Whether that quote is not typed yet: `%{lookup(`.
    lacks_quotes: bool,
    /// Where the name starts.
    start: u32,
    /// The quote around the whole string.
    outer_quote: Option<char>,
    /// Whether the string starts with the token.
    is_first: bool,
}

impl TokenSpot {
    /// The token at `offset`, if the line has one that is still open there.
    pub(super) fn at(text: &str, offset: u32) -> Option<Self> {
        let before = text.get(..offset as usize)?;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = &before[line_start..];
        let open = line.rfind("%{")?;
        let inside = &line[open + 2..];
        if inside.contains('}') || line.trim_start().starts_with('#') {
            return None;
        }
        let blanks = inside.len() - inside.trim_start().len();
        let in_front = &line[..open];
        let outer_quote = outer_quote(in_front);
        let (call, lacks_quotes, skipped) = match call(inside.trim_start(), outer_quote) {
            Some((call, length)) => (Some(call), false, length),
            None => match call_without_quotes(inside.trim_start()) {
                Some(name) => {
                    (Some((name.to_owned(), inner_quote(outer_quote))), true, name.len() + 1)
                }
                // Nothing fits in a call that is closed already, or is not written correctly.
                None if inside.contains('(') || has_quotes_of_no_segment(inside) => return None,
                None => (None, false, 0),
            },
        };
        Some(Self {
            call,
            lacks_quotes,
            start: (line_start + open + 2 + blanks + skipped) as u32,
            outer_quote,
            is_first: outer_quote.is_some_and(|quote| in_front.ends_with(quote)),
        })
    }

    /// The quote for an argument: not that of the string.
    fn quote(&self) -> char {
        inner_quote(self.outer_quote)
    }
}

/// Whether a variable has quotes other than those around a segment: `%{facts.'a.b'`.
fn has_quotes_of_no_segment(inside: &str) -> bool {
    let first = inside.find(['\'', '"']);
    first.is_some_and(|at| !inside[..at].trim_end_matches(['\\', '\'']).ends_with('.'))
}

/// The quote for an argument. The other kind of quote needs no escape within the string.
fn inner_quote(outer: Option<char>) -> char {
    if outer == Some('\'') { '"' } else { '\'' }
}

/// The function in `lookup(` or `lookup(ntp` at the start of an expression.
fn call_without_quotes(inside: &str) -> Option<&str> {
    let (name, rest) = inside.split_once('(')?;
    let is_part = |letter: char| letter.is_alphanumeric() || "_:-".contains(letter);
    rest.chars().all(is_part).then_some(name)
}

/// `lookup('` at the start of an expression: the function with its quote, and the length of this text.
fn call(inside: &str, outer: Option<char>) -> Option<((String, char), usize)> {
    let (name, rest) = inside.split_once('(')?;
    // Within the string, its own quote is written in another way.
    let (quote, written) = match outer {
        Some('\'') if rest.starts_with("''") => ('\'', "''"),
        Some('"') if rest.starts_with("\\\"") => ('"', "\\\""),
        _ => {
            let quote = rest.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
            (quote, &rest[..1])
        }
    };
    let is_open = !rest[written.len()..].contains(quote);
    is_open.then(|| ((name.to_owned(), quote), name.len() + 1 + written.len()))
}

/// The quote that is open at the end of a line's beginning.
fn outer_quote(line: &str) -> Option<char> {
    let mut open = None;
    let mut before = ' ';
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match open {
            None if ['\'', '"'].contains(&letter) && " [{,(:".contains(before) => {
                open = Some(letter);
            }
            Some('"') if letter == '\\' => drop(letters.next()),
            // In single quotes, two quotes are one character.
            Some('\'') if letter == '\'' && letters.peek() == Some(&'\'') => drop(letters.next()),
            Some(quote) if letter == quote => open = None,
            _ => {}
        }
        before = letter;
    }
    open
}

/// The suggestions for the place.
pub(super) fn complete(place: &Place<'_>, spot: &TokenSpot, with_functions: bool) -> Completions {
    match &spot.call {
        Some((name, quote)) if with_functions => match &**name {
            "lookup" | "hiera" | "alias" => keys(place, spot, *quote),
            "scope" if spot.lacks_quotes => Completions::default(),
            "scope" => complete_variables(place, spot, &[]),
            _ => Completions::default(),
        },
        Some(_) => Completions::default(),
        None => {
            let functions = if with_functions { &FUNCTIONS[..] } else { &[] };
            complete_variables(place, spot, functions)
        }
    }
}

fn keys(place: &Place<'_>, spot: &TokenSpot, quote: char) -> Completions {
    let typed = place.typed(spot.start);
    let string = StringStyle::of(place, spot);
    if let Some((parent, start)) = parent_of(typed, spot.start) {
        let parent = &string.unescaped(parent);
        let values = key_values(place, parent);
        let mut names: Vec<_> =
            values.iter().flat_map(|value| member_names(value, quote)).collect();
        names.sort_by(|a, b| a.0.cmp(&b.0));
        names.dedup_by(|a, b| a.0 == b.0);
        let range = place.word(start);
        let typed = place.typed(start);
        let names = names.into_iter().filter(|(name, _)| fit(name, typed).is_some());
        let item = |(name, _): (String, &Located)| Completion {
            key: Some(format!("{parent}.{name}")),
            insert: string.escaped(&name),
            ..Completion::new(&name, CompletionKind::Key, range)
        };
        return names.map(item).collect();
    }
    let range = place.word(spot.start);
    let mut known = place.perspective.world.all_keys(place.perspective.evaluator.environment());
    known.retain(|key| &**key != LOOKUP_OPTIONS);
    let behind = place.behind(range).lines().next().unwrap_or("");
    let end = match (behind.starts_with(')'), is_closed(behind, spot.outer_quote)) {
        (true, _) => "",
        (false, true) => ")",
        (false, false) => ")}",
    };
    let item = |key: Arc<str>| {
        let written = string.escaped(&written_key(&key, quote)?);
        let insert =
            if spot.lacks_quotes { format!("{quote}{written}{quote}{end}") } else { written };
        Some(Completion {
            insert,
            key: key_path::quote_segment(&key),
            ..Completion::new(&key, CompletionKind::Key, range)
        })
    };
    best(known, typed, MAX_ITEMS + 1, place.cancel).into_iter().filter_map(item).collect()
}

/// How the string around a token is written, which decides what is escaped in it.
struct StringStyle {
    format: Format,
    /// The start of the string, with its quote.
    begin: String,
}

impl StringStyle {
    fn of(place: &Place<'_>, spot: &TokenSpot) -> Self {
        let file = place.perspective.world.file(place.path).ok();
        let found = file.and_then(|file| spot_in_file(file.data(place.format), place.offset));
        let begin = match found.map(|it| it.part) {
            Some(SpotPart::Scalar(range)) => range.slice(place.text).chars().take(3).collect(),
            // The text is half-typed.
            _ => spot.outer_quote.map_or_else(String::new, String::from),
        };
        Self { format: place.format, begin }
    }

    /// The quote around the string. A string without quotes can hold both kinds.
    fn quote(&self) -> char {
        self.begin.chars().next().filter(|it| *it == '\'').unwrap_or('"')
    }

    fn escaped(&self, name: &str) -> String {
        inside_string(self.format, &self.begin, name)
    }

    /// The other way round, for the quotes around segments.
    fn unescaped(&self, written: &str) -> String {
        match self.begin.chars().next() {
            Some('"') => written.replace("\\\"", "\""),
            Some('\'') => written.replace("''", "'"),
            _ => written.to_owned(),
        }
    }
}

/// The value of a key; its values in all levels if the lookup fails, as it does while its file is broken.
fn key_values(place: &Place<'_>, key: &str) -> Vec<Located> {
    let evaluator = &place.perspective.evaluator;
    if let Ok(value) = evaluator.call(&Request::key(key)).outcome {
        return value.into_iter().collect();
    }
    // While a file is broken, lookups fail, but its values can still be read.
    let Ok(path) = key_path::parse(key) else { return Vec::new() };
    places(place.perspective, &path).iter().filter_map(|source| source.value().cloned()).collect()
}

/// A root key as it is written in a call; `None` if it would need both quotes.
fn written_key(key: &str, quote: char) -> Option<String> {
    if key_path::is_verbatim(key) {
        return Some(key.to_owned());
    }
    let inner = if quote == '"' { '\'' } else { '"' };
    // Quotes around a segment know no escapes, and a `}` ends the token even within quotes.
    let is_sayable = !key.contains(['\'', '"', '}']);
    is_sayable.then(|| format!("{inner}{key}{inner}"))
}

fn complete_variables(
    place: &Place<'_>,
    spot: &TokenSpot,
    functions: &[(&'static str, &'static str)],
) -> Completions {
    let typed = place.typed(spot.start);
    let string = StringStyle::of(place, spot);
    // Without a call, a segment has the quotes that need no escapes in the string.
    let quote = spot.call.as_ref().map_or(string.quote(), |(_, quote)| *quote);
    let (parent, start) = if let Some((parent, start)) = parent_of(typed, spot.start) {
        (Some(string.unescaped(parent)), start)
    } else {
        let colons = typed.len() - typed.trim_start_matches("::").len();
        (None, spot.start + colons as u32)
    };
    let range = place.word(start);
    let wanted = place.typed(start);
    let names = variables::names(place, parent.as_deref(), wanted, quote);
    let variables = names.into_iter().map(|(name, detail)| Completion {
        detail,
        insert: string.escaped(&name),
        sort_text: (start == spot.start).then(|| sort_text(&name)),
        ..Completion::new(&name, CompletionKind::Variable, range)
    });
    let is_root = start == spot.start && !typed.contains("::");
    let fitting = functions.iter().filter(|(name, _)| is_root && fit(name, wanted).is_some());
    // Puppet accepts `alias` only as the whole string.
    let fitting = fitting.filter(|(name, _)| spot.is_first || *name != "alias");
    let functions = fitting
        .map(|(name, detail)| function(place, spot, (name, detail), range))
        .collect::<Vec<_>>();
    functions.into_iter().chain(variables).collect()
}

fn function(
    place: &Place<'_>,
    spot: &TokenSpot,
    (name, detail): (&str, &str),
    range: TextRange,
) -> Completion {
    let quote = spot.quote();
    let behind = place.behind(range).lines().next().unwrap_or("");
    let item = Completion {
        detail: Some(detail.to_owned()),
        sort_text: Some(format!("1{name}")),
        ..Completion::new(name, CompletionKind::Function, range)
    };
    if behind.trim_start().starts_with('(') {
        return item;
    }
    let end = if is_closed(behind, spot.outer_quote) { "" } else { "}" };
    Completion {
        insert: format!("{name}({quote}"),
        insert_behind: format!("{quote}){end}"),
        ..item
    }
}

/// Whether the rest of a line contains the `}` of the token. One after the end of the string belongs to a flow hash, and one
/// after another `%{` to the next token.
fn is_closed(behind: &str, outer_quote: Option<char>) -> bool {
    let in_string = outer_quote.map_or(behind, |quote| behind.split(quote).next().unwrap_or(""));
    let in_token = in_string.split("%{").next().unwrap_or("");
    in_token.contains('}')
}

/// The four hashes and names that Puppet itself sets come first.
fn sort_text(name: &str) -> String {
    // Functions have `1`, which puts them between Puppet's own variables and the others.
    let is_own = ["facts", "trusted", "server_facts", "environment"].contains(&name);
    format!("{}{name}", if is_own { '0' } else { '2' })
}

/// The part before the last dot, and where the rest starts.
fn parent_of(typed: &str, start: u32) -> Option<(&str, u32)> {
    let (parent, _) = typed.rsplit_once('.')?;
    Some((parent, start + parent.len() as u32 + 1))
}

/// The members of a hash or list as they are written after a dot, without those that cannot be written inside `quote`.
pub(super) fn member_names(value: &Located, quote: char) -> Vec<(String, &Located)> {
    match &value.value {
        Value::Hash(hash) => {
            let members = hash.iter().filter_map(|(key, member)| {
                let name = match key {
                    Value::Integer(number) => number.to_string(),
                    key => key_path::quote_segment_within(key.as_str()?, quote)?,
                };
                // A `}` ends the token, even within quotes.
                (!name.contains('}')).then_some((name, &member.value))
            });
            members.collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(number, item)| (number.to_string(), item)).collect()
        }
        _ => Vec::new(),
    }
}
