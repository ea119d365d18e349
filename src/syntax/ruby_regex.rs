//! Translates Ruby regular expressions (Onigmo's syntax) to the syntax of our regex library.
//!
//! Differences: `^` and `$` match at lines, `m` lets the dot match a newline, `\w \d \s` match ASCII only, options in the
//! middle apply up to the end of their group, and classes support `&&` and POSIX brackets. What cannot be translated is
//! reported, not guessed.

mod class;
mod groups;
mod list;
mod necessary;
mod translate;

use std::fmt::{Display, Formatter};
use std::sync::OnceLock;

use fancy_regex::{Regex, RegexBuilder};

use crate::limits::MAX_REGEX_STEPS;

pub use list::RegexList;

/// A Ruby regular expression, ready to match.
#[derive(Debug)]
pub struct RubyRegex {
    /// For texts of one line, where `^` and `$` match only at the ends of the text.
    single_line: Regex,
    /// For texts with a newline. They are rare, so this is compiled when it is first needed.
    multi_line: OnceLock<Option<Regex>>,
    translated: String,
    /// The prefix of every single-line text that matches. For most texts, comparing the prefix is enough.
    prefix: Box<str>,
    /// Whether it may take long to match.
    is_slow: bool,
    /// What a text of one line must match first, if the expression is slow.
    necessary: OnceLock<Option<regex::Regex>>,
}

/// Why an expression cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegexProblem {
    /// Ruby refuses it, with this RegexpError message.
    Invalid(String),
    /// We do not know what it matches, or whether Ruby accepts it.
    Unsupported(String),
}

/// Translates a Ruby regular expression.
///
/// # Errors
/// Ruby's own message, or that we cannot translate it.
pub fn translate(source: &str) -> Result<RubyRegex, RegexProblem> {
    let translated = translate::translated(source)?;
    let single_line = compiled(&anchored(&translated, false)).map_err(|error| {
        let message = format!("the regular expression /{source}/ is not supported: {error}");
        RegexProblem::Unsupported(message)
    })?;
    let prefix = literal_prefix(source).into();
    let is_slow = has_look_around_or_references(source);
    let (multi_line, necessary) = (OnceLock::new(), OnceLock::new());
    Ok(RubyRegex { single_line, multi_line, translated, prefix, is_slow, necessary })
}

/// Ruby's own message, if it certainly refuses the expression.
pub fn refusal(source: &str) -> Option<String> {
    match translate::translated(source) {
        Err(RegexProblem::Invalid(message)) => Some(message),
        Ok(_) | Err(RegexProblem::Unsupported(_)) => None,
    }
}

fn compiled(pattern: &str) -> fancy_regex::Result<Regex> {
    // The library would build a state machine up front, at ten times the cost of parsing. Most patterns are compared with a
    // few keys only, for which one that is built as it is needed is as fast.
    RegexBuilder::new(pattern).backtrack_limit(MAX_REGEX_STEPS).delegate_dfa_size_limit(0).build()
}

/// The letters, digits, `_` and `:` after a leading `^` that match themselves; empty if a quick look cannot prove it.
fn literal_prefix(source: &str) -> &str {
    let Some(rest) = source.strip_prefix('^') else { return "" };
    let is_literal = |it: &char| it.is_ascii_alphanumeric() || matches!(it, '_' | ':');
    let length = rest.chars().take_while(is_literal).count();
    // What a `+` repeats is there at least once, unless another sign repeats the whole: `a+*` is `a*`.
    let is_repeated = rest[length..].trim_start_matches('+').starts_with(['*', '?', '{']);
    let literal = &rest[..length.saturating_sub(usize::from(is_repeated))];
    if has_alternatives_at_top(&rest[length..]) { "" } else { literal }
}

/// Whether there may be a `|` outside of all groups.
fn has_alternatives_at_top(source: &str) -> bool {
    // Parentheses in classes and comments are not groups. To be safe, a `|` then counts as outside of all groups.
    if !source.contains('|') || source.contains('[') || source.contains("(?#") {
        return source.contains('|');
    }
    let mut depth = 0;
    let mut chars = source.chars();
    while let Some(next) = chars.next() {
        match next {
            '\\' => _ = chars.next(),
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// Whether there may be look-around, an atomic group or a back reference. For all other patterns, the time only depends on
/// the length of the text.
fn has_look_around_or_references(source: &str) -> bool {
    let is_reference =
        |pair: &[u8]| pair[0] == b'\\' && (pair[1].is_ascii_digit() || pair[1] == b'k');
    ["(?=", "(?!", "(?<", "(?>"].iter().any(|it| source.contains(it))
        || source.as_bytes().windows(2).any(is_reference)
}

impl RubyRegex {
    /// Whether it may take long to match, so that results are worth caching.
    pub fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// What every text of one line that matches starts with; may be empty.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Whether the expression matches anywhere in the text. If it needs more than [`MAX_REGEX_STEPS`] to find out, it does
    /// not match.
    pub fn is_match(&self, text: &str) -> bool {
        if !text.starts_with(&*self.prefix) && !text.contains('\n') {
            return false;
        }
        !self.is_slow_and_cannot_match(text)
            && self.regex_for(text).is_some_and(|it| it.is_match(text).unwrap_or(false))
    }

    fn is_slow_and_cannot_match(&self, text: &str) -> bool {
        let find = || necessary::condition(&anchored(&self.translated, false));
        let has_condition = self.is_slow && !text.contains('\n');
        let condition = has_condition.then(|| self.necessary.get_or_init(find).as_ref()).flatten();
        condition.is_some_and(|it| !it.is_match(text))
    }

    /// Ruby's `gsub(regex, '')`.
    pub fn remove_all(&self, text: &str) -> String {
        let replaced = self.regex_for(text).and_then(|it| it.try_replacen(text, 0, "").ok());
        replaced.map_or_else(|| text.to_owned(), std::borrow::Cow::into_owned)
    }

    /// The names of its groups, in order.
    pub fn group_names(&self) -> Vec<&str> {
        self.single_line.capture_names().flatten().collect()
    }

    /// The texts of the named groups of the first match, without groups that did not participate. `None` if nothing matches.
    pub fn named_captures(&self, text: &str) -> Option<Vec<(String, String)>> {
        let regex = self.regex_for(text)?;
        let captures = regex.captures(text).ok().flatten()?;
        let named = regex
            .capture_names()
            .flatten()
            .filter_map(|name| Some((name.to_owned(), captures.name(name)?.as_str().to_owned())));
        Some(named.collect())
    }

    fn regex_for(&self, text: &str) -> Option<&Regex> {
        if text.contains('\n') {
            let compile = || compiled(&anchored(&self.translated, true)).ok();
            self.multi_line.get_or_init(compile).as_ref()
        } else {
            Some(&self.single_line)
        }
    }
}

impl Display for RegexProblem {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Invalid(message) | Self::Unsupported(message) => f.write_str(message),
        }
    }
}

/// Represents `^` in a translated expression.
const LINE_START: char = '\u{fdd0}';
/// Represents `$`.
const LINE_END: char = '\u{fdd1}';
/// Represents `\Z`.
const LAST_LINE_END: char = '\u{fdd2}';

fn anchored(translated: &str, has_lines: bool) -> String {
    // No line starts after a newline that ends the text.
    let line_start = if has_lines { r"(?:\A|(?<=\n)(?!\z))" } else { r"\A" };
    let line_end = if has_lines { r"(?m:$)" } else { r"\z" };
    let last_line_end = if has_lines { r"(?=\n?\z)" } else { r"\z" };
    translated
        .replace(LINE_START, line_start)
        .replace(LINE_END, line_end)
        .replace(LAST_LINE_END, last_line_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, matching: &[&str], others: &[&str]) {
        let regex = translate(source).unwrap_or_else(|problem| panic!("{source}: {problem}"));
        for text in matching {
            assert!(regex.is_match(text), "/{source}/ must match {text:?}");
        }
        for text in others {
            assert!(!regex.is_match(text), "/{source}/ must not match {text:?}");
        }
    }

    fn check_invalid(source: &str, message: &str) {
        let problem = translate(source).map(|_| ()).map_err(|it| it.to_string());
        assert_eq!(problem, Err(format!("{message}: /{source}/")));
    }

    #[test]
    fn braces_are_translated_in_linear_time() {
        assert!(translate::translated(&"{".repeat(200_000)).is_ok());
        check(r"^\p{L}{2}\p{^Alpha}$", &["äb1"], &["1b1"]);
        check(r"^a{,2}b{2,}c{1}{,d}{1,2,3}$", &["aabbc{,d}{1,2,3}"], &["aaabbc{,d}{1,2,3}"]);
    }

    #[test]
    fn patterns_that_try_everything_give_up() {
        let regex = translate(r"^(a*)*\1z$").expect("it can be translated");
        let text = "a".repeat(40) + "b";
        assert!(!regex.is_match(&text));
        assert_eq!(regex.remove_all(&text), text);
    }

    #[test]
    fn what_a_match_begins_with_is_seen_at_a_glance() {
        let check_prefix = |source: &str, prefix: &str| {
            assert_eq!(literal_prefix(source), prefix, "/{source}/");
        };
        check_prefix("^profile::.*", "profile::");
        check_prefix("^ab*", "a");
        check_prefix("^ab?c", "a");
        check_prefix("^ab+", "ab");
        check_prefix("^ab+*c", "a");
        check_prefix("^ab{2}", "a");
        check_prefix("^ab(c|d)", "ab");
        check_prefix("^ab|c", "");
        check_prefix(r"^ab\(|c", "");
        check_prefix("^a[(]|c", "");
        check_prefix("^a(?#()|c", "");
        check_prefix("ab", "");
    }

    #[test]
    fn caret_and_dollar_are_anchors_of_lines() {
        check("^b$", &["b", "a\nb\nc", "b\n"], &["ab", "bc"]);
        check("^$", &["", "\n", "a\n\nb"], &["a\n"]);
        check(r"\Ab\z", &["b"], &["a\nb", "b\n"]);
        check(r"b\Z", &["b", "b\n"], &["b\n\n"]);
    }

    #[test]
    fn the_dot_matches_a_newline_with_m_only() {
        check("^a.b$", &["axb"], &["a\nb"]);
        check("(?m)^a.b$", &["axb", "a\nb"], &[]);
    }

    #[test]
    fn classes_by_letter_are_ascii_and_brackets_are_not() {
        check(r"^\w$", &["a", "_"], &["é"]);
        check(r"^\d$", &["1"], &["٣"]);
        check("^[[:alpha:]]$", &["a", "é"], &["1"]);
        check(r"^\h+$", &["fF0"], &["g"]);
        check(r"\bé", &["é", " é"], &["aé"]);
    }

    #[test]
    fn options_in_the_middle_hold_to_the_end_of_the_group() {
        check("^(?:a(?i)b|c)$", &["aB", "aC"], &["C", "AB"]);
        check("^(?i:a)b$", &["Ab"], &["aB"]);
        check("(?x) ^ a b $ # comment", &["ab"], &["a b"]);
    }

    #[test]
    fn intersections_and_nested_classes() {
        check("^[a-z&&[^aeiou]]$", &["b"], &["a", "B"]);
        check("^[^a&&a]$", &["b"], &[]);
        check("^[]a-c-]$", &["]", "b", "-"], &["d"]);
    }

    #[test]
    fn quantifiers() {
        check("^a{,2}$", &["", "aa"], &["aaa"]);
        check("^a{2}?$", &["", "aa"], &["a"]);
        check("^a{2,3}+$", &["aaaa"], &["a"]);
        check("^(?>a+)a$", &[], &["aa"]);
        check("^a++a$", &[], &["aa"]);
        check("^a{x}$", &["a{x}"], &[]);
        check("^a+*$", &["", "aa"], &["b"]);
    }

    #[test]
    fn groups_and_references() {
        check(r"^(?<n>a|b)\k<n>$", &["aa", "bb"], &["ab"]);
        check(r"^(a|b)\1$", &["aa"], &["ab"]);
        check("^(?<n>a)|(?<n>b)$", &["a", "b"], &["c"]);
        check("a(?=b)(?!bc)", &["ab"], &["abc", "a"]);
        check("(?<=x)a(?<!ya)", &["xa"], &["ya"]);
    }

    #[test]
    fn ruby_s_own_errors() {
        check_invalid("^a(", "end pattern with unmatched parenthesis");
        check_invalid("a)", "unmatched close parenthesis");
        check_invalid("*a", "target of repeat operator is not specified");
        check_invalid("[z-a]", "empty range in char class");
        check_invalid("[a", "premature end of char-class");
        check_invalid("[]", "empty char-class");
        check_invalid("(?z)", "undefined group option");
        check_invalid("a{3,2}", "upper is smaller than lower in repeat range");
        check_invalid("a\\", "too short escape sequence");
        check_invalid(r"\k<a>", "undefined name <a> reference");
        check_invalid(r"(a)\2", "invalid backref number/name");
        check_invalid("[[:foo:]]", "invalid POSIX bracket type");
        check_invalid(r"\p{IsGreek}", "invalid character property name {IsGreek}");
        check_invalid(r"[\P{^sc=Greek}]", "invalid character property name {sc=Greek}");
    }

    #[test]
    fn what_we_cannot_translate_is_told() {
        let unsupported = |source| matches!(translate(source), Err(RegexProblem::Unsupported(_)));
        assert!(unsupported(r"(?<n>a\g<n>?b)"));
        assert!(unsupported("(?~abc)"));
        assert!(unsupported(r"\X"));
        for one_letter_for_two in ["(?i)ß", "(?i:[ß])", "(?i)[À-ÿ]", r"(?i)\u1E9E", "(?i)ﬁ"] {
            assert!(unsupported(one_letter_for_two), "{one_letter_for_two}");
        }
        check("ß(?i)é", &["ßÉ"], &["ssÉ"]);
    }
}
