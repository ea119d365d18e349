//! The tools of `hiera-ls mcp`: they take arguments and return plain text that is short enough for a model.
//!
//! Each does the same as the command of its name; `explain` is `lookup --explain`. Arguments are values and never options:
//! nothing that a model writes can trust a directory or lead out of it.

use std::fmt::Write as _;

use clap::Parser as _;
use serde_json::{Map, Value as Json, json};

use crate::cli::check::check;
use crate::cli::place::NodeArgument;
use crate::cli::shown::{counted, here};
use crate::cli::terminal::unstyled;
use crate::cli::{Arguments, Command, diff, lookup, nodes, uses};
use crate::engine::CancelToken;
use crate::ide::preview::{Question, explain};
use crate::world::paths;

/// The maximum length of a response in bytes: some thousand tokens.
const MAX_BYTES: usize = 16_000;

/// The maximum number of findings that are listed.
const MAX_FINDINGS: usize = 40;

/// A tool and its arguments.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    arguments: &'static [Argument],
    answer: fn(&Call<'_>) -> Result<String, String>,
}

struct Argument {
    name: &'static str,
    description: &'static str,
    kind: Kind,
    is_required: bool,
}

enum Kind {
    Text,
    Texts,
}

const KEY: Argument = Argument {
    name: "key",
    description: "The key, such as ntp::servers; sub keys are separated by dots",
    kind: Kind::Text,
    is_required: true,
};
const NODE: Argument = Argument {
    name: "node",
    description: "The certname of a node, as the tool `nodes` lists them. Without it, the value is for the node that the \
                  settings name, or else for any node, with the cases that facts decide",
    kind: Kind::Text,
    is_required: false,
};
const ENVIRONMENT: Argument = Argument {
    name: "environment",
    description: "The name of the environment, where the directory holds several",
    kind: Kind::Text,
    is_required: false,
};

/// All tools.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "lookup",
        title: "Look up a key",
        description: "The value that Puppet's lookup() returns for a key on a node, how it is merged, and which files define it, \
                      with lines. The value that is used comes first.",
        arguments: &[KEY, NODE, ENVIRONMENT],
        answer: |call| {
            let text = lookup::why_text(&call.lookup()?)?;
            Ok(text.trim_end().to_owned())
        },
    },
    Tool {
        name: "explain",
        title: "Explain a lookup",
        description: "Every step of a lookup: each level and file that was searched, in order, and what was found there. Use \
                      `lookup` first; this answers why another value is not used.",
        arguments: &[KEY, NODE, ENVIRONMENT],
        answer: explanation,
    },
    Tool {
        name: "nodes",
        title: "List nodes",
        description: "The nodes of the repository, what is known of each, and which facts of the hierarchy are open.",
        arguments: &[ENVIRONMENT],
        answer: |call| match call.parsed("nodes", &call.options(&["environment"]), &[])? {
            Command::Nodes(arguments) => nodes::list_for_others(&arguments),
            _ => unreachable!("the first word names the command"),
        },
    },
    Tool {
        name: "check",
        title: "Check data",
        description: "Mistakes in data files, hiera.yaml and Puppet code: how often each rule reports something, then the findings \
                      with file and line. Narrow it with paths or rules.",
        arguments: &[
            Argument {
                name: "paths",
                description: "Files or directories below the repository; all files without it",
                kind: Kind::Texts,
                is_required: false,
            },
            Argument {
                name: "rules",
                description: "Only these rules, such as duplicate-key",
                kind: Kind::Texts,
                is_required: false,
            },
        ],
        answer: findings,
    },
    Tool {
        name: "diff",
        title: "Compare with a revision",
        description: "Which nodes get another value for which keys: between a Git revision and the working tree.",
        arguments: &[
            Argument {
                name: "revision",
                description: "The revision to compare with, such as HEAD, main or HEAD~3",
                kind: Kind::Text,
                is_required: true,
            },
            ENVIRONMENT,
        ],
        answer: |call| {
            let revision = call.text("revision")?.unwrap_or("HEAD");
            // After `--`, it would be read as a key.
            if revision.starts_with('-') {
                return Err(format!("{revision} is not a revision"));
            }
            let mut options = call.options(&["environment"]);
            options.push(revision.to_owned());
            match call.parsed("diff", &options, &[])? {
                Command::Diff(arguments) => diff::text(&arguments),
                _ => unreachable!("the first word names the command"),
            }
        },
    },
    Tool {
        name: "uses",
        title: "Find uses of a key",
        description: "Every place that names a key: data files, lookup_options, interpolations in other values, Puppet code.",
        arguments: &[KEY, ENVIRONMENT],
        answer: |call| {
            let key = call.text("key")?.unwrap_or_default();
            match call.parsed("uses", &call.options(&["environment"]), &[key])? {
                // Nothing is no error: it is the answer.
                Command::Uses(mut arguments) => {
                    arguments.place.is_bounded = true;
                    let found = uses::list(&arguments)?;
                    Ok(found.text + &found.notes.join("\n"))
                }
                _ => unreachable!("the first word names the command"),
            }
        },
    },
];

impl Tool {
    /// The JSON schema of the arguments.
    pub(super) fn schema(&self) -> Map<String, Json> {
        let properties: Map<String, Json> = self
            .arguments
            .iter()
            .map(|it| {
                let schema = match it.kind {
                    Kind::Text => json!({"type": "string", "description": it.description}),
                    Kind::Texts => {
                        json!({"type": "array", "items": {"type": "string"}, "description": it.description})
                    }
                };
                (it.name.to_owned(), schema)
            })
            .collect();
        let required: Vec<&str> =
            self.arguments.iter().filter(|it| it.is_required).map(|it| it.name).collect();
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        match schema {
            Json::Object(schema) => schema,
            _ => unreachable!("an object is written above"),
        }
    }
}

/// The result of a tool; `Err` describes an error in the arguments, so that the model can correct them.
pub(super) fn call(
    root: &str,
    name: &str,
    arguments: &Map<String, Json>,
) -> Result<String, String> {
    let tool = TOOLS.iter().find(|it| it.name == name);
    let tool = tool.ok_or_else(|| format!("there is no tool {name}"))?;
    let known = |name: &String| tool.arguments.iter().any(|it| it.name == name);
    // A misspelled argument would be ignored, and the answer would be to another question.
    if let Some(unknown) = arguments.keys().find(|name| !known(name)) {
        return Err(format!("{name} has no argument {unknown}"));
    }
    if let Some(missing) =
        tool.arguments.iter().find(|it| it.is_required && !arguments.contains_key(it.name))
    {
        return Err(format!("{name} needs the argument {}", missing.name));
    }
    let answer = (tool.answer)(&Call { root, arguments })?;
    Ok(cut(&unstyled(&answer)))
}

/// At most [`MAX_BYTES`] of whole lines, and the number of omitted lines.
fn cut(text: &str) -> String {
    if text.len() <= MAX_BYTES {
        return text.to_owned();
    }
    // The limit may be in the middle of a character.
    let end = (0..=MAX_BYTES).rev().find(|it| text.is_char_boundary(*it)).unwrap_or(0);
    let kept = text[..end].rfind('\n').map_or(&text[..end], |line_end| &text[..line_end]);
    let left_out = text[kept.len()..].lines().filter(|line| !line.is_empty()).count();
    format!("{kept}\n… {} left out: ask for less", counted(left_out, "more line"))
}

/// A request.
struct Call<'a> {
    root: &'a str,
    arguments: &'a Map<String, Json>,
}

impl Call<'_> {
    fn text(&self, name: &str) -> Result<Option<&str>, String> {
        match self.arguments.get(name) {
            None | Some(Json::Null) => Ok(None),
            // This is how assistants leave an argument out.
            Some(Json::String(text)) if text.is_empty() => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("{name} must be a string")),
        }
    }

    fn texts(&self, name: &str) -> Result<Vec<&str>, String> {
        match self.arguments.get(name) {
            None | Some(Json::Null) => Ok(Vec::new()),
            Some(Json::Array(items)) => {
                let text = |it: &Json| it.as_str().is_some();
                if !items.iter().all(text) {
                    return Err(format!("{name} must be a list of strings"));
                }
                Ok(items.iter().filter_map(Json::as_str).collect())
            }
            Some(_) => Err(format!("{name} must be a list of strings")),
        }
    }

    /// Arguments that are options of the command, as `--name=value`, so that a value cannot become an option.
    fn options(&self, names: &[&str]) -> Vec<String> {
        let value = |name: &&str| Some(format!("--{name}={}", self.text(name).ok()??));
        names.iter().filter_map(value).collect()
    }

    /// Parses a command line as if the user had typed it.
    fn parsed(
        &self,
        command: &str,
        options: &[String],
        values: &[&str],
    ) -> Result<Command, String> {
        let root = format!("--root={}", self.root);
        let line =
            ["hiera-ls", command, &root].into_iter().chain(options.iter().map(String::as_str));
        // The assistant chooses the values. None of them may be read as an option, such as --trust.
        let line = line.chain(["--"]).chain(values.iter().copied());
        let parsed = Arguments::try_parse_from(line).map_err(|error| error.to_string())?;
        Ok(parsed.command)
    }

    fn lookup(&self) -> Result<lookup::LookupArguments, String> {
        let key = self.text("key")?.unwrap_or_default();
        if let Some(names) = self.text("node")?.filter(|it| it.contains(['*', '?'])) {
            return Err(format!("{names} is not the name of a node; the tool `nodes` lists them"));
        }
        match self.parsed("lookup", &self.options(&["node", "environment"]), &[key])? {
            Command::Lookup(mut arguments) => {
                arguments.place.is_bounded = true;
                Ok(*arguments)
            }
            _ => unreachable!("the first word names the command"),
        }
    }
}

fn explanation(call: &Call<'_>) -> Result<String, String> {
    let arguments = call.lookup()?;
    let node = NodeArgument { name: arguments.node.as_deref(), ..NodeArgument::default() };
    let place = arguments.place.open_for_node(&node)?;
    let question = Question {
        // The file only selects the environment.
        path: Some(format!("{}/hiera.yaml", place.environment.directory()).into()),
        key: call.text("key")?.map(Into::into),
        node: call.text("node")?.map(Into::into),
        seen_from: Some(here().into()),
        ..Question::default()
    };
    let explained = explain(&place.world, &question, &CancelToken::default());
    let explained =
        explained.map_err(|unknown| format!("{unknown}; the tool `nodes` lists them"))?;
    explained.map(|it| it.preview.text).ok_or_else(|| "this is not a key".to_owned())
}

fn findings(call: &Call<'_>) -> Result<String, String> {
    let paths: Vec<String> = call
        .texts("paths")?
        .into_iter()
        .map(|path| below(call.root, path))
        .collect::<Result<_, _>>()?;
    let rules = call.texts("rules")?.into_iter().map(|rule| format!("--select={rule}"));
    let options: Vec<String> = rules.chain(["--format=concise".to_owned()]).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let Command::Check(arguments) = call.parsed("check", &options, &paths)? else {
        unreachable!("the first word names the command")
    };
    let checked = check(&arguments)?;
    // In this format, each finding is one line.
    let found = checked.output.text();
    let lines: Vec<&str> = found.lines().collect();
    let mut text = format!("{}\n", checked.summary);
    if lines.len() > MAX_FINDINGS {
        let _ = write!(text, "\nBy rule:\n{}", checked.output.by_rule());
    }
    if !lines.is_empty() {
        text += "\n";
    }
    for line in lines.iter().take(MAX_FINDINGS) {
        text += line;
        text += "\n";
    }
    if lines.len() > MAX_FINDINGS {
        let more = counted(lines.len() - MAX_FINDINGS, "more finding");
        let _ = writeln!(text, "… {more} left out: name paths or rules");
    }
    for note in &checked.notes {
        let _ = writeln!(text, "note: {note}");
    }
    Ok(text)
}

/// A path below the repository.
fn below(root: &str, path: &str) -> Result<String, String> {
    let joined = paths::normalise(&format!("{root}/{path}"));
    let is_inside = joined == root || paths::below(root, &joined).is_some();
    // The assistant must not reach files outside of the repository, with `..` either.
    if path.starts_with('/') || !is_inside {
        return Err(format!("{path}: only paths below the repository are checked"));
    }
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_say_what_is_left_out() {
        assert_eq!(cut("a\nb\n"), "a\nb\n");
        let long = "0123456789012345678\n".repeat(1_000);
        let cut = cut(&long);
        assert!(
            cut.len() <= MAX_BYTES + 50
                && cut.ends_with("\n… 200 more lines left out: ask for less"),
            "{cut}"
        );
    }

    #[test]
    fn paths_stay_below_the_repository() {
        assert_eq!(below("/r", "data/a.yaml").as_deref(), Ok("/r/data/a.yaml"));
        assert_eq!(below("/r", "data/../a.yaml").as_deref(), Ok("/r/a.yaml"));
        assert_eq!(below("/r", ".").as_deref(), Ok("/r"));
        for path in ["/etc/passwd", "../r2/a.yaml", "data/../../x"] {
            assert!(below("/r", path).is_err(), "{path}");
        }
    }

    #[test]
    fn notes_belong_to_the_answer() {
        let Json::Object(arguments) = json!({"key": "nope"}) else { unreachable!("an object") };
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/control-repo");
        let answer = call(sample, "uses", &arguments);
        assert!(
            answer.as_ref().is_ok_and(|it| it.starts_with("nothing mentions nope")),
            "{answer:?}"
        );
    }

    #[test]
    fn names_of_nodes() {
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/control-repo");
        let ask = |tool: &str, node: &str| {
            let Json::Object(arguments) = json!({"key": "company::domain", "node": node}) else {
                unreachable!("an object")
            };
            call(sample, tool, &arguments)
        };
        for tool in ["lookup", "explain"] {
            assert!(ask(tool, "").is_ok(), "{tool}: {:?}", ask(tool, ""));
            let refused = "web* is not the name of a node; the tool `nodes` lists them".to_owned();
            assert_eq!(ask(tool, "web*"), Err(refused), "{tool}");
        }
    }

    #[test]
    fn tools_name_the_same_paths() {
        let Json::Object(arguments) = json!({"key": "company::domain"}) else {
            unreachable!("an object")
        };
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/control-repo");
        for tool in ["lookup", "explain"] {
            let answer = call(sample, tool, &arguments);
            let path = "examples/control-repo/data/common.yaml:";
            assert!(answer.as_ref().is_ok_and(|it| it.contains(path)), "{tool}: {answer:?}");
        }
    }

    #[test]
    fn values_are_not_options() {
        let ask = |name: &str, arguments: Json| {
            let Json::Object(arguments) = arguments else { unreachable!("an object") };
            call("/nowhere", name, &arguments)
        };
        let nowhere = Err("/nowhere: no such directory".to_owned());
        assert_eq!(ask("lookup", json!({"key": "--trust"})), nowhere);
        assert_eq!(ask("nodes", json!({"environment": "--trust"})), nowhere);
        let refused = Err("--trust is not a revision".to_owned());
        assert_eq!(ask("diff", json!({"revision": "--trust"})), refused);
        assert_eq!(ask("nodes", json!({"key": "a"})), Err("nodes has no argument key".to_owned()));
        assert_eq!(ask("lookup", json!({})), Err("lookup needs the argument key".to_owned()));
        assert_eq!(ask("uses", json!({"key": 1})), Err("key must be a string".to_owned()));
        assert_eq!(
            ask("check", json!({"paths": "x"})),
            Err("paths must be a list of strings".to_owned())
        );
    }
}
