//! The hover text of a key, as Markdown for editors and as plain text for terminals. It uses short lists and fenced YAML,
//! which are also readable if an editor shows the Markdown source. It uses no tables.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::markup::Markup;
use crate::engine::Role;
use crate::facts::Origin;
use crate::ide::cases::NearlyTheSame;
use crate::ide::changes::counted;
use crate::ide::code::lookup_call::BLOCK;

/// The maximum number of listed places; the rest is counted.
pub(super) const MAX_SOURCES: usize = 12;

/// The maximum number of named places of one case.
const MAX_CASE_PLACES: usize = 3;

/// The content of a hover about a key.
#[derive(Debug, Clone)]
pub(crate) struct KeyCard {
    /// The key in the form in which it is looked up.
    pub(crate) key: String,
    /// The node of the answers.
    pub(crate) asked_for: AskedFor,
    /// What is not known of the request, as sentences.
    pub(crate) proviso: Option<String>,
    /// The result of the lookup; if there are cases, the result if none of them applies.
    pub(crate) answer: Answer,
    /// The results in other cases.
    pub(crate) cases: Vec<CaseLine>,
    /// The number of cases that are not listed.
    pub(crate) more_cases: usize,
    /// The merge strategy, unless there was nothing to merge.
    pub(crate) merge: Option<MergeLine>,
    /// Where the key is found, the highest priority first.
    pub(crate) sources: Vec<SourceLine>,
    /// Sentences about possible surprises.
    pub(crate) notes: Vec<String>,
}

/// The node of an answer.
#[derive(Debug, Clone)]
pub(crate) struct AskedFor {
    /// The node's name, or a description of the nodes.
    pub(crate) node: String,
    /// What is known of it.
    pub(crate) origin: Origin,
    /// Whether nothing but the user names it.
    pub(crate) is_unheard_of: bool,
    /// The environment's name; `None` if it is open, or among the nodes' conditions.
    pub(crate) environment: Option<String>,
}

/// The result of a lookup.
#[derive(Debug, Clone, Default)]
pub(crate) enum Answer {
    /// A value, as YAML, without secrets.
    Value(String),
    /// In a case: a value that is nearly the one that is shown first. What is new is YAML, without secrets.
    NearlyTheSame(NearlyTheSame<String>),
    /// Nothing: the lookup fails.
    #[default]
    NotFound,
    /// Nothing, which is an empty string inside `%{…}`.
    EmptyText,
    /// Nothing, so that a default is used.
    Default {
        /// Its code.
        code: String,
        /// Whether the data contains null.
        is_instead_of_null: bool,
    },
    /// Nothing, although a class parameter requires a value.
    Required,
    /// Nothing in the evaluated levels; other levels may have it.
    Unknown,
    /// Nothing in what can be read of the files. Puppet refuses one of them.
    Unread,
    /// Puppet's error.
    Error {
        message: String,
        /// The place to blame, if there is one.
        place: Option<String>,
    },
    /// Why it is not known what Puppet returns.
    NotEvaluated(String),
}

/// The result of a lookup in a case.
#[derive(Debug, Clone)]
pub(crate) struct CaseLine {
    /// The condition: `variant is alice`.
    pub(crate) when: String,
    /// The result.
    pub(crate) answer: Answer,
    /// `path:line` of the deciding values, at most a few; of nothing, the values that hide those of lower levels.
    pub(crate) places: Vec<String>,
}

/// The merge strategy, and what set it.
#[derive(Debug, Clone)]
pub(crate) struct MergeLine {
    /// Its name, with options if there are any.
    pub(crate) strategy: String,
    /// What sets it.
    pub(crate) set_by: MergeSetBy,
}

/// What sets a merge strategy.
#[derive(Debug, Clone)]
pub(crate) enum MergeSetBy {
    /// Nothing: it is Puppet's default.
    Default,
    /// The call in code that looks the key up.
    Call,
    /// lookup_options, at this place.
    Options(String),
}

/// One place where the key is found.
#[derive(Debug, Clone)]
pub(crate) struct SourceLine {
    /// The hierarchy level's name.
    pub(crate) level: String,
    /// The layer, unless it is the environment.
    pub(crate) layer: Option<String>,
    /// `path:line`.
    pub(crate) place: String,
    /// The commit that wrote the line, if requested.
    pub(crate) commit: Option<String>,
    /// Its role in the answer.
    pub(crate) role: Role,
}

impl KeyCard {
    /// The hover's text; values of more than `max_lines` lines are truncated.
    pub(crate) fn markdown(&self, max_lines: usize) -> String {
        self.text(Markup::Markdown, max_lines)
    }

    /// The same for a terminal, without truncation.
    pub(crate) fn plain_text(&self) -> String {
        self.text(Markup::None, usize::MAX)
    }

    fn text(&self, markup: Markup, max_lines: usize) -> String {
        let key = markup.strong(&markup.code(&self.key));
        let mut text = format!("{key} for {}\n\n", self.asked_for.marked(markup));
        if let Some(proviso) = &self.proviso {
            let _ = writeln!(text, "{}\n", markup.of_markdown(proviso));
        }
        let is_rest = !self.cases.is_empty();
        text += &self.answer_text(markup, max_lines);
        if is_rest {
            text.push('\n');
        }
        for case in &self.cases {
            text += &case.text(markup, max_lines);
        }
        if self.more_cases > 0 {
            let _ = writeln!(text, "- and {}", counted(self.more_cases, "more case"));
        }
        if is_rest {
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        if let Some(merge) = &self.merge {
            let by = match &merge.set_by {
                MergeSetBy::Default => "by default".to_owned(),
                MergeSetBy::Call => "set by the call".to_owned(),
                MergeSetBy::Options(place) => format!("set in {}", markup.code(place)),
            };
            let _ = writeln!(text, "\nMerge strategy {}, {by}", markup.code(&merge.strategy));
        }
        if !self.sources.is_empty() {
            text.push('\n');
        }
        let max_sources = if markup == Markup::Markdown { MAX_SOURCES } else { usize::MAX };
        for (number, source) in self.sources.iter().take(max_sources).enumerate() {
            let _ = writeln!(text, "{}. {}", number + 1, source.text(markup));
        }
        if self.sources.len() > max_sources {
            let _ = writeln!(text, "\nand {} more", self.sources.len() - max_sources);
        }
        for note in &self.notes {
            let _ = writeln!(text, "\n{}", markup.of_markdown(note));
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn answer_text(&self, markup: Markup, max_lines: usize) -> String {
        let is_rest = !self.cases.is_empty();
        // Such a case hides the cases after it. Nothing else is an exception.
        let are_in_order = self.cases.iter().any(|it| it.answer.is_like(&self.answer));
        match &self.answer {
            Answer::NotFound | Answer::EmptyText | Answer::Required if are_in_order => {
                "The first of these cases that is true counts. In all others, it is not found:\n"
                    .to_owned()
            }
            Answer::NotFound | Answer::EmptyText | Answer::Required if is_rest => {
                "Not found, except in these cases:\n".to_owned()
            }
            Answer::Default { code, is_instead_of_null } => {
                let why = if *is_instead_of_null { "The data has null" } else { "No data" };
                let but = match (is_rest, are_in_order) {
                    (false, _) => ".",
                    (true, false) => ", except in these cases:",
                    (true, true) => {
                        " if none of these cases is true. The first that is true counts:"
                    }
                };
                if code == BLOCK {
                    return format!("{why}: the block of the call gives the value{but}\n");
                }
                let code = markup.of_markdown(&code_in_line(code));
                format!("{why}: the default {code} is used{but}\n")
            }
            Answer::Required => {
                "No data and no default: the class must be given a value.\n".to_owned()
            }
            Answer::Value(yaml) => marked_yaml(markup, yaml, max_lines),
            // Only a case is compared with the answer.
            Answer::NearlyTheSame(_) => String::new(),
            Answer::NotFound => "Not found: a lookup of this key fails.\n".to_owned(),
            Answer::Unknown => "Unknown: no level that is evaluated here has it.\n".to_owned(),
            Answer::Unread => "Not in what can be read.\n".to_owned(),
            Answer::EmptyText => "Not found: Puppet uses an empty string.\n".to_owned(),
            Answer::NotEvaluated(why) => {
                format!("The result is not known: {}.\n", markup.plain(why))
            }
            // Puppet has no words for some values that do not fit the type of a call.
            Answer::Error { message, .. } if message.is_empty() => {
                "This call fails: the value has the wrong type.\n".to_owned()
            }
            Answer::Error { message, place } => {
                // Other lookups of the key request no type, or another one.
                let is_of_call = message.contains("value has wrong type");
                let what = if is_of_call { "This call" } else { "A lookup of this key" };
                let at = place.as_ref().map(|it| format!(" at {}", markup.code(it)));
                let at = at.unwrap_or_default();
                format!("{what} fails{at}:\n\n{}", markup.block("text", message))
            }
        }
    }
}

impl Answer {
    /// Whether a list of cases calls both by the same words.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Default { code: one, .. }, Self::Default { code: other, .. }) => one == other,
            _ => self.is_nothing() && other.is_nothing(),
        }
    }

    /// Whether no value was found, so that what decides is a value that hides others.
    fn is_without_value(&self) -> bool {
        match self {
            Self::Default { is_instead_of_null, .. } => !is_instead_of_null,
            Self::Unknown | Self::Unread => true,
            _ => self.is_nothing(),
        }
    }

    fn is_nothing(&self) -> bool {
        matches!(self, Self::NotFound | Self::EmptyText | Self::Required)
    }
}

impl AskedFor {
    /// ``node `web01`, environment `production` ``, or ``any node where role is web, environment `production` ``.
    pub(crate) fn markdown(&self) -> String {
        self.marked(Markup::Markdown)
    }

    /// The same without markup.
    pub(crate) fn text(&self) -> String {
        self.marked(Markup::None)
    }

    /// `everything that node web01 gets in environment production`, without markup.
    pub(crate) fn everything(&self) -> String {
        let node = self.marked_node(Markup::None);
        let environment = self.environment.as_ref();
        let environment = environment.map_or(String::new(), |it| format!(" in environment {it}"));
        format!("everything that {node} gets{environment}")
    }

    fn marked_node(&self, markup: Markup) -> String {
        let node = &self.node;
        match self.origin {
            Origin::File(_) => format!("node {}", markup.code(node)),
            Origin::Name if self.is_unheard_of => {
                format!("node {} (without facts and data of its own)", markup.code(node))
            }
            Origin::Name => format!("node {} (known by its name)", markup.code(node)),
            Origin::Any => markup.plain(node),
        }
    }

    fn marked(&self, markup: Markup) -> String {
        let node = self.marked_node(markup);
        match &self.environment {
            Some(environment) => format!("{node}, environment {}", markup.code(environment)),
            None => node,
        }
    }
}

impl CaseLine {
    /// ``- `kvm_amd` if variant is alice (`roles/compute-alice.yaml:6`)``; longer values in a fence below.
    fn text(&self, markup: Markup, max_lines: usize) -> String {
        let when = markup.plain(&self.when);
        let mut places: Vec<String> =
            self.places.iter().take(MAX_CASE_PLACES).map(|it| markup.code(it)).collect();
        if self.places.len() > MAX_CASE_PLACES {
            places.push("…".to_owned());
        }
        let lead = if self.answer.is_without_value() { "hidden by " } else { "" };
        let places = match places.as_slice() {
            [] => String::new(),
            places => format!(" ({lead}{})", places.join(", ")),
        };
        match &self.answer {
            Answer::Value(yaml) => {
                let yaml = bare_yaml(yaml);
                if yaml.contains('\n') {
                    return format!("- if {when}{places}:{}", below(markup, yaml, max_lines));
                }
                // A list of one item would look like an item of the list of cases.
                let yaml = match yaml.strip_prefix("- ") {
                    Some(item) if !item.starts_with("- ") && !item.contains(": ") => {
                        Cow::Owned(format!("[{item}]"))
                    }
                    _ => Cow::Borrowed(yaml),
                };
                format!("- {} if {when}{places}\n", markup.code(&yaml))
            }
            Answer::NearlyTheSame(nearly) => {
                let same = nearly.in_words(|it| markup.code(it));
                match &nearly.new {
                    None => format!("- {same} if {when}{places}\n"),
                    Some(new) => {
                        format!("- if {when}{places}, {same}:{}", below(markup, new, max_lines))
                    }
                }
            }
            Answer::NotFound | Answer::EmptyText | Answer::Required => {
                format!("- not found if {when}{places}\n")
            }
            Answer::Default { code, .. } => {
                let code = markup.of_markdown(&code_in_line(code));
                format!("- the default {code} if {when}{places}\n")
            }
            Answer::Unknown => format!("- unknown if {when}{places}\n"),
            Answer::Unread => format!("- not in what can be read if {when}{places}\n"),
            Answer::Error { message, .. } => {
                format!("- fails if {when}{places}: {}\n", markup.plain(message))
            }
            Answer::NotEvaluated(why) => {
                format!("- not known if {when}{places}: {}\n", markup.plain(why))
            }
        }
    }
}

/// The lines of a value below a line of a list.
fn below(markup: Markup, yaml: &str, max_lines: usize) -> String {
    let fence = marked_yaml(markup, yaml, max_lines);
    let fence: Vec<String> = fence.lines().map(|line| format!("  {line}")).collect();
    format!("\n\n{}\n\n", fence.join("\n"))
}

/// YAML without the mark at the start of a document. Null, which YAML may write as nothing, is `~`.
fn bare_yaml(yaml: &str) -> &str {
    let yaml = yaml.strip_prefix("---").map_or(yaml, |it| it.trim_start_matches([' ', '\n']));
    match yaml.trim_end_matches('\n') {
        // YAML reads an empty value as null.
        "" => "~",
        yaml => yaml,
    }
}

impl SourceLine {
    fn text(&self, markup: Markup) -> String {
        let layer = self.layer.as_ref().map_or(String::new(), |layer| format!(" ({layer})"));
        let (level, place) = (markup.plain(&self.level), markup.code(&self.place));
        let line = format!("level \"{level}\"{layer} · {place}");
        let line = match self.role {
            Role::Wins => markup.strong(&line),
            Role::Contributes => line,
            Role::Overridden => format!("{line} · overridden"),
            Role::KnockedOut => format!("{line} · knocked out"),
            Role::Opaque => format!("{line} · not evaluated"),
            Role::Open => format!("{line} · for some nodes"),
        };
        match &self.commit {
            Some(commit) => {
                // Two spaces at the end of a line are a line break in Markdown.
                let line_break = if markup == Markup::Markdown { "  " } else { "" };
                format!("{line}{line_break}\n   {}", markup.plain(commit))
            }
            None => line,
        }
    }
}

/// Puppet code of any length on one line.
fn code_in_line(text: &str) -> String {
    crate::ide::class_parameter::code(text)
}

/// YAML in a fence, truncated after `max_lines` lines.
pub(crate) fn fenced_yaml(yaml: &str, max_lines: usize) -> String {
    marked_yaml(Markup::Markdown, yaml, max_lines)
}

fn marked_yaml(markup: Markup, yaml: &str, max_lines: usize) -> String {
    let lines: Vec<&str> = bare_yaml(yaml).split('\n').collect();
    if lines.len() <= max_lines {
        return markup.block("yaml", &lines.join("\n"));
    }
    let hidden = lines.len() - max_lines;
    let shown = lines[..max_lines].join("\n");
    let lines = if hidden == 1 { "line" } else { "lines" };
    markup.block("yaml", &format!("{shown}\n# … {hidden} more {lines}"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(card: &KeyCard, max_lines: usize, expected: &Expect) {
        expected.assert_eq(&card.markdown(max_lines));
    }

    fn card(answer: Answer) -> KeyCard {
        KeyCard {
            key: "ntp::servers".to_owned(),
            asked_for: AskedFor {
                node: "web01".to_owned(),
                origin: Origin::Name,
                is_unheard_of: false,
                environment: Some("production".to_owned()),
            },
            proviso: None,
            answer,
            cases: Vec::new(),
            more_cases: 0,
            merge: None,
            sources: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn source(level: &str, place: &str, role: Role) -> SourceLine {
        SourceLine {
            level: level.to_owned(),
            layer: None,
            place: place.to_owned(),
            commit: None,
            role,
        }
    }

    #[test]
    fn cases_that_hide_others_are_no_exceptions() {
        let case = |when: &str, answer: Answer| CaseLine {
            when: when.to_owned(),
            answer,
            places: Vec::new(),
        };
        let mut card = card(Answer::NotFound);
        card.cases = vec![
            case("site is oslo", Answer::NotFound),
            case("role is web", Answer::Value("1\n".to_owned())),
        ];
        check(
            &card,
            9,
            &expect![[r"
                **`ntp::servers`** for node `web01` (known by its name), environment `production`

                The first of these cases that is true counts. In all others, it is not found:

                - not found if site is oslo
                - `1` if role is web"]],
        );
        card.cases.remove(0);
        assert!(
            card.markdown(9).contains("Not found, except in these cases:\n\n- `1` if role is web")
        );
        let default = || Answer::Default { code: "3".to_owned(), is_instead_of_null: false };
        card.answer = default();
        assert!(
            card.markdown(9).contains("No data: the default `3` is used, except in these cases:\n")
        );
        card.cases.insert(0, case("site is oslo", default()));
        assert!(card.markdown(9).contains(
            "No data: the default `3` is used if none of these cases is true. The first that is true counts:\n"
        ));
    }

    #[test]
    fn a_case_without_a_value_names_what_hides_it() {
        let shown = |answer: Answer| {
            let (when, places) = ("role is web".to_owned(), vec!["a.yaml:1".to_owned()]);
            CaseLine { when, answer, places }.text(Markup::Markdown, 9)
        };
        let hidden = "- not found if role is web (hidden by `a.yaml:1`)\n";
        assert_eq!(shown(Answer::NotFound), hidden);
        let default = |is_instead_of_null| {
            shown(Answer::Default { code: "3".to_owned(), is_instead_of_null })
        };
        assert_eq!(default(false), "- the default `3` if role is web (hidden by `a.yaml:1`)\n");
        // Null is a value, which does not hide others.
        assert_eq!(default(true), "- the default `3` if role is web (`a.yaml:1`)\n");
    }

    #[test]
    fn a_value_with_its_sources() {
        let mut card = card(Answer::Value("- a\n- b\n- c\n".to_owned()));
        card.merge = Some(MergeLine { strategy: "first".to_owned(), set_by: MergeSetBy::Default });
        card.sources = vec![
            source("Nodes", "data/nodes/web01.yaml:3", Role::Wins),
            source("Common_data", "data/common.yaml:12", Role::Overridden),
        ];
        check(
            &card,
            2,
            &expect![[r#"
                **`ntp::servers`** for node `web01` (known by its name), environment `production`

                ```yaml
                - a
                - b
                # … 1 more line
                ```

                Merge strategy `first`, by default

                1. **level "Nodes" · `data/nodes/web01.yaml:3`**
                2. level "Common_data" · `data/common.yaml:12` · overridden"#]],
        );
    }

    #[test]
    fn errors_and_nothing() {
        check(
            &card(Answer::NotFound),
            9,
            &expect![[r"
                **`ntp::servers`** for node `web01` (known by its name), environment `production`

                Not found: a lookup of this key fails."]],
        );
        check(
            &card(Answer::Error { message: "bad ``` text".to_owned(), place: None }),
            9,
            &expect![[r"
                **`ntp::servers`** for node `web01` (known by its name), environment `production`

                A lookup of this key fails:

                ````text
                bad ``` text
                ````"]],
        );
    }
}
