//! The output of `lookup`: values in the formats of Puppet's `--render-as`, explanations, and JSON lines.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value as Json;

use super::arguments::{LookupArguments, RenderAs};
use crate::cli::answer_json::{AnswerJson, Explain, Record, redacted};
use crate::cli::shown::{as_seen_from_here, in_a_line, in_lines, within_a_line};
use crate::cli::terminal::complain;
use crate::data::{Files, Located, Place, render};
use crate::engine::cases::{left_out_in_words, not_known_in_words};
use crate::engine::explain::{self, Annotate};
use crate::engine::{Answer, Condition, Failure, OpaqueLevel, TraceNode};
use crate::facts::infer::names_machines;
use crate::facts::{Node, Origin};
use crate::text::{Encoding, LineIndex};
use crate::world::World;

/// The output of one command.
pub(super) struct Output {
    format: RenderAs,
    explain: bool,
    origins: bool,
    blame: bool,
    world: Arc<World>,
}

impl Output {
    pub(super) fn of(arguments: &LookupArguments, world: &Arc<World>) -> Self {
        let explain = arguments.explain || arguments.explain_options;
        let default = if explain { RenderAs::S } else { RenderAs::Yaml };
        Self {
            format: arguments.render_as.unwrap_or(default),
            explain,
            origins: arguments.origins,
            blame: arguments.blame,
            world: Arc::clone(world),
        }
    }

    pub(super) fn files(&self) -> &dyn Files {
        self.world.as_ref()
    }

    pub(super) fn is_per_key(&self) -> bool {
        self.format == RenderAs::Jsonl
    }

    /// One of several values: JSON, or the key and its value. `number` counts them from zero.
    pub(super) fn write(
        &self,
        text: &mut String,
        number: usize,
        (key, merge): (&str, Option<&Json>),
        answer: &Answer,
    ) {
        if self.format == RenderAs::Jsonl {
            let explain = |trace: &TraceNode| Json::from(self.explain_text(trace));
            let explain = self.explain.then_some(&explain as Explain<'_>);
            let _ = writeln!(text, "{}", Record { key, answer, merge, explain }.text());
            return;
        }
        if self.format == RenderAs::Json {
            let before = if number == 0 { "[" } else { "," };
            let answer = &redacted(answer);
            let record = Record { key, answer, merge, explain: None }.text();
            let _ = write!(text, "{before}\n{record}");
            return;
        }
        if !answer.is_certain() {
            let _ = write!(text, "# {key}\n{}", self.cases(answer, &[Arc::from(key)]));
            return;
        }
        let key = within_a_line(key);
        let _ = match &answer.outcome {
            Ok(Some(value)) => {
                let source = other_source(answer).map_or_else(String::new, |it| format!(": {it}"));
                write!(text, "# {key}{source}\n{}", self.value(value))
            }
            Ok(None) if !answer.opaque.is_empty() => {
                let source = other_source(answer).unwrap_or_default();
                writeln!(text, "# {key}: not known, {source}")
            }
            Ok(None) => writeln!(text, "# {key}: not found"),
            Err(failure) => {
                let failure = failure_with_place(failure, self.files());
                writeln!(text, "# {key}: {}", in_lines(&failure))
            }
        };
    }

    /// What follows the last of several values.
    pub(super) fn end(&self) -> &'static str {
        if self.format == RenderAs::Json { "\n]\n" } else { "" }
    }

    pub(super) fn value(&self, value: &Located) -> String {
        match self.format {
            RenderAs::S => with_newline(render::to_ruby_s(&value.value)),
            RenderAs::Json => format!("{}\n", render::to_json(&value.value)),
            RenderAs::Yaml | RenderAs::Jsonl | RenderAs::Table => render::to_yaml(&value.value),
        }
    }

    /// The explanation as Puppet's command prints it. As text, its last line is the error or "did not find"; as data, it does
    /// not contain them.
    pub(super) fn explanation(
        &self,
        trace: &TraceNode,
        answer: &Answer,
        names: &[Arc<str>],
    ) -> String {
        match self.format {
            RenderAs::Json => return with_newline(explain::to_json(trace)),
            RenderAs::Yaml => return explain::to_yaml(trace),
            RenderAs::S | RenderAs::Jsonl | RenderAs::Table => {}
        }
        let mut text = self.explain_text(trace);
        match &answer.outcome {
            Ok(None) if answer.opaque.is_empty() => {
                text.push_str(&Answer::not_found_message(names));
            }
            Err(failure) if failure.class.is_lookup_error() => text.push_str(&failure.message),
            Ok(_) | Err(_) => {}
        }
        with_newline(in_lines(&text).into_owned())
    }

    fn explain_text(&self, trace: &TraceNode) -> String {
        if self.origins || self.blame {
            let blame = self.blame.then_some(&*self.world);
            explain::to_text(trace, &Origins { files: self.files(), blame })
        } else {
            explain::to_text(trace, &explain::Plain)
        }
    }

    /// A value that depends on facts that are not known: each case with its conditions.
    pub(super) fn cases(&self, answer: &Answer, names: &[Arc<str>]) -> String {
        if self.format == RenderAs::Json {
            let explain = |trace: &TraceNode| {
                let text = explain::to_json(trace);
                // Infinity and NaN are no JSON.
                serde_json::from_str(&text).unwrap_or_else(|_| Json::from(text))
            };
            let explain = self.explain.then_some(&explain as Explain<'_>);
            let members = AnswerJson(&redacted(answer), explain).members();
            return format!("{:#}\n", Json::Object(members));
        }
        cases_in_lines(answer, self.files(), |case| match (&case.trace, &case.outcome) {
            // An explanation contains the value or the error, so it replaces them.
            (Some(trace), _) if self.explain => Some(self.explanation(trace, case, names)),
            (_, Ok(Some(value))) => Some(self.value(value)),
            _ => None,
        })
    }

    /// A value that depends on facts that are not known, as YAML.
    pub(super) fn cases_as_yaml(answer: &Answer, files: &dyn Files) -> String {
        cases_in_lines(answer, files, |case| match &case.outcome {
            Ok(Some(value)) => Some(in_lines(&render::to_readable_yaml(&value.value)).into_owned()),
            _ => None,
        })
    }
}

/// Each case with its conditions, and what is left out. `show` writes what is found. Names of files and of levels are in the
/// lines around it.
fn cases_in_lines(
    answer: &Answer,
    files: &dyn Files,
    show: impl Fn(&Answer) -> Option<String>,
) -> String {
    let mut text = String::new();
    let cases = answer.each_case();
    let is_only = cases.len() == 1 && !answer.left_out.is_empty();
    for (conditions, case) in cases {
        let when = if is_only && conditions.is_empty() {
            "unless one of the following decides".to_owned()
        } else {
            if_text(conditions)
        };
        let _ = writeln!(text, "# {}:", within_a_line(&when));
        match (show(case), &case.outcome) {
            (Some(shown), _) => text.push_str(&shown),
            (None, Err(failure)) => {
                for line in failure_with_place(failure, files).lines() {
                    let _ = writeln!(text, "# {}", within_a_line(line));
                }
            }
            (None, Ok(_)) if !case.opaque.is_empty() => text.push_str("# not known\n"),
            (None, Ok(_)) => text.push_str("# not found\n"),
        }
        if let Some(source) = other_source(case) {
            let _ = writeln!(text, "# {source}");
        }
    }
    for left_out in left_out_in_words(&answer.left_out) {
        let _ = writeln!(text, "# {}", within_a_line(&left_out));
    }
    text
}

/// Which levels may have another value: `may come from level 'Vault' (vault_lookup is not evaluated here)`.
fn other_source(answer: &Answer) -> Option<String> {
    let levels: Vec<String> = answer.opaque.iter().map(OpaqueLevel::in_words).collect();
    let is_any = !levels.is_empty();
    is_any.then(|| format!("may come from {}", in_a_line(&levels.join(", "))))
}

/// `if role is web and facts.os.family is Debian`, or `otherwise`.
pub(super) fn if_text(conditions: &[Condition]) -> String {
    if conditions.is_empty() {
        return "otherwise".to_owned();
    }
    format!("if {}", crate::engine::cases::in_words(conditions))
}

/// The reason for the exit code, and what to do about it.
pub(super) fn depends_line(answer: &Answer, names: &[Arc<str>], node: &Node) -> String {
    let on = answer.depends_on();
    let key = names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ");
    // The first of several keys that is found has the answer.
    let key = if names.len() > 1 { format!("the answer for {key}") } else { key };
    if on.is_empty() {
        return format!("{key} depends on facts of the node that are not known");
    }
    // A name also brings the facts of its fact set.
    let advice = if node.origin == Origin::Any && on.iter().any(|it| names_machines(it)) {
        "name the node with --node NAME".to_owned()
    } else {
        let set = if on.len() == 1 { "set it" } else { "set them, for example" };
        format!("{set} with --set {}", in_shell(format!("{}=VALUE", on[0])))
    };
    format!("{key} depends on {}; {advice}", not_known_in_words(&on))
}

/// Which variables stay as `%{…}` in the texts of what is printed.
pub(super) fn complain_of_open(names: &[Arc<str>]) {
    if !names.is_empty() {
        complain(&format!("not known, and left in the text: {}", names.join(", ")));
    }
}

/// An argument as a shell reads it. Only names of variables whose members need quotes contain other characters.
fn in_shell(argument: String) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "_.:=-".contains(it);
    if argument.chars().all(is_plain) {
        argument
    } else if argument.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", argument.replace('\'', r"'\''"))
    } else {
        format!("\"{argument}\"")
    }
}

/// The text as Ruby's `puts` writes it: with a newline at its end, unless it already has one.
fn with_newline(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Puppet's message and, if there is a position to blame, the file and line.
pub(super) fn failure_with_place(failure: &Failure, files: &dyn Files) -> String {
    match failure.place.and_then(|place| place_text(place, files)) {
        Some(place) => format!("{} [{place}]", failure.message),
        None => failure.message.to_string(),
    }
}

struct Origins<'a> {
    files: &'a dyn Files,
    /// The world that finds the commits behind lines, if they are requested.
    blame: Option<&'a World>,
}

impl Annotate for Origins<'_> {
    fn origin(&self, value: &Located) -> String {
        let Some(place) = value.place else { return String::new() };
        let commit = self.blame.and_then(|world| commit_text(place, world));
        let place = place_text(place, self.files);
        let said: Vec<String> = place.into_iter().chain(commit).collect();
        if said.is_empty() { String::new() } else { format!("  # {}", said.join("  # ")) }
    }
}

/// `3f2a1b0c 2026-01-05 Jane Doe: Set the port`
fn commit_text(place: Place, world: &World) -> Option<String> {
    let path = world.path(place.file);
    let line = world.file(&path).ok()?.line_index().line_of(place.range.start) + 1;
    world.blame(&path, line).map(|it| it.to_string())
}

fn place_text(place: Place, files: &dyn Files) -> Option<String> {
    let path = files.path(place.file);
    let text = files.text(&path).ok()?;
    let at = LineIndex::new(&text).line_col(&text, place.range.start, Encoding::Utf32);
    Some(format!("{}:{}:{}", as_seen_from_here(&path), at.line + 1, at.col + 1))
}

#[cfg(test)]
mod tests {
    use super::in_shell;

    #[test]
    fn an_argument_with_quotes_is_quoted() {
        let check = |argument: &str, expected| assert_eq!(in_shell(argument.to_owned()), expected);
        check("facts.os.family=VALUE", "facts.os.family=VALUE");
        check("facts.m.'/var/x.y'=VALUE", "\"facts.m.'/var/x.y'=VALUE\"");
        check("facts.'a$b.c'=VALUE", r"'facts.'\''a$b.c'\''=VALUE'");
    }
}
