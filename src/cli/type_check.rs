//! `hiera-ls type-check`: whether values belong to Puppet types and, if not, Puppet's error message.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value as Json, json};

use super::place::complain_if_missing;
use super::print;
use super::terminal::complain;
use super::workspace::absolute;
use crate::data::json::from_oracle_json;
use crate::data::puppet_type::{self, Fit, Type, TypeAliases, TypeProblem};
use crate::settings::Settings;
use crate::syntax::json;
use crate::syntax::tree::{NodeKind, Pair};
use crate::world::{World, loader};

const HELP: &str = "\
Reads JSON objects with `type` and `value` from standard input, one per line, and prints one line for each:
  ok       whether the value is of the type; null if the type cannot be read
  message  Puppet's words if it is not: a line for each part that does not fit, or null
  error    what is wrong with the type
Other members, such as id, are passed on.

Example:
  echo '{\"type\":\"Integer[1,10]\",\"value\":11}' | hiera-ls type-check

A value that JSON does not have is an object with the member __ptype: {\"__ptype\":\"Sensitive\",\"value\":1}.
Exit status: 0, also if values do not fit their types; 2 if hiera-ls cannot read standard input.";

/// The maximum number of parsed types that are kept.
const MAX_KEPT_TYPES: usize = 20_000;

/// The digits of the smallest integer that has more than 64 bits.
const MIN_DIGITS: usize = 19;

/// The approximate size in bytes of the pieces in which output is written.
const PIECE: usize = 1 << 16;

/// The arguments.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct TypeCheckArguments {
    /// Directories with the modules whose type aliases the types may use, separated as in PATH
    #[arg(long, value_name = "DIRS")]
    pub modulepath: Option<String>,
    /// jsonl: one JSON object per line
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "FORMAT")]
    pub render_as: RenderAs,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum RenderAs {
    /// One JSON object per line
    #[default]
    Jsonl,
}

/// Checks each line.
pub fn run(arguments: &TypeCheckArguments) -> ExitCode {
    let directories = match directories(arguments.modulepath.as_deref().unwrap_or_default()) {
        Ok(directories) => directories,
        Err(problem) => {
            complain(&problem);
            return ExitCode::from(2);
        }
    };
    for directory in &directories {
        complain_if_missing("--modulepath", "directory", directory, Path::is_dir);
    }
    let world = World::on_disk(Arc::new(loader::Disk), Vec::new(), Settings::default());
    let aliases = world.type_aliases_in(&directories);
    let mut checker = Checker { aliases, types: HashMap::new() };
    let mut text = String::new();
    for line in std::io::stdin().lock().split(b'\n') {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                // What was answered before the error is still right.
                print(&text);
                complain(&format!("standard input: {error}"));
                return ExitCode::from(2);
            }
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        text.push_str(&Json::Object(checker.answer(&line)).to_string());
        text.push('\n');
        if text.len() > PIECE {
            print(&std::mem::take(&mut text));
        }
    }
    print(&text);
    ExitCode::SUCCESS
}

/// The line with integers outside of 64 bits in the form of values that JSON does not have. Otherwise, they would be read as
/// floating-point numbers.
fn with_marked_integers(line: &[u8]) -> Cow<'_, [u8]> {
    // Hardly any line has so many digits in a row.
    let has_many_digits =
        line.split(|it| !it.is_ascii_digit()).any(|digits| digits.len() >= MIN_DIGITS);
    let Some(text) = std::str::from_utf8(line).ok().filter(|_| has_many_digits) else {
        return Cow::Borrowed(line);
    };
    let parsed = json::parse(text);
    let root = parsed.root.filter(|_| parsed.error.is_none());
    let Some(NodeKind::Mapping(members)) = root.as_ref().map(|it| &it.kind) else {
        return Cow::Borrowed(line);
    };
    let is_value =
        |it: &&Pair| matches!(&it.key.kind, NodeKind::Scalar { text, .. } if **text == *"value");
    // Other members are passed on as they are.
    let mut waiting: Vec<_> = members.iter().rev().filter(is_value).map(|it| &it.value).collect();
    let (mut marked, mut done) = (String::with_capacity(2 * text.len()), 0);
    while let Some(node) = waiting.pop() {
        match &node.kind {
            NodeKind::Sequence(items) => waiting.extend(items.iter().rev()),
            NodeKind::Mapping(pairs) => waiting.extend(pairs.iter().rev().map(|it| &it.value)),
            NodeKind::Scalar { .. } => {
                let written = node.range.slice(text);
                if is_large_integer(written) {
                    marked.push_str(&text[done..node.range.start as usize]);
                    let value = json!({"__ptype": "Integer", "value": written});
                    marked.push_str(&value.to_string());
                    done = node.range.end as usize;
                }
            }
            NodeKind::Alias(_) => {}
        }
    }
    marked.push_str(&text[done..]);
    Cow::Owned(marked.into_bytes())
}

/// Whether a number as it is written is an integer that no type of 64 bits can hold.
fn is_large_integer(written: &str) -> bool {
    let digits = written.strip_prefix('-').unwrap_or(written);
    digits.len() >= MIN_DIGITS
        && digits.bytes().all(|it| it.is_ascii_digit())
        && written.parse::<i64>().is_err()
        && written.parse::<u64>().is_err()
}

/// The directories in a path like `A:B`.
fn directories(path: &str) -> Result<Vec<String>, String> {
    let directories = std::env::split_paths(path).filter(|it| it != Path::new(""));
    directories.map(|it| absolute(&it)).collect()
}

struct Checker {
    aliases: Arc<TypeAliases>,
    types: HashMap<String, Result<Arc<Type>, String>>,
}

impl Checker {
    fn answer(&mut self, line: &[u8]) -> Map<String, Json> {
        let (mut answer, checked) = match serde_json::from_slice(&with_marked_integers(line)) {
            Ok(Json::Object(mut question)) => {
                let wanted = question.shift_remove("type");
                let value = question.shift_remove("value").unwrap_or(Json::Null);
                let checked = match wanted {
                    Some(Json::String(wanted)) => self.checked(wanted, &value),
                    Some(_) => Err("`type` is not a string".to_owned()),
                    None => Err("`type` is missing".to_owned()),
                };
                (question, checked)
            }
            Ok(_) => (Map::new(), Err("the line is not a JSON object".to_owned())),
            Err(error) => (Map::new(), Err(format!("the line is not JSON: {error}"))),
        };
        let (is_instance, message, error) = match checked {
            Ok(Fit { is_instance, message, .. }) => (Some(is_instance), message, None),
            Err(error) => (None, None, Some(error)),
        };
        answer.insert("ok".to_owned(), is_instance.into());
        answer.insert("message".to_owned(), message.into());
        answer.insert("error".to_owned(), error.into());
        answer
    }

    fn checked(&mut self, wanted: String, value: &Json) -> Result<Fit, String> {
        let wanted = self.type_of(wanted)?;
        let value = from_oracle_json(value);
        if let Some(problem) = puppet_type::unreadable_object(&value) {
            return Err(problem);
        }
        puppet_type::fit(&wanted, &value)
    }

    fn type_of(&mut self, text: String) -> Result<Arc<Type>, String> {
        if let Some(known) = self.types.get(&text) {
            return known.clone();
        }
        // The input may have no end, so the memory for its types must have one.
        if self.types.len() >= MAX_KEPT_TYPES {
            self.types.clear();
        }
        let read = puppet_type::evaluate(&text, &self.aliases).map(Arc::new);
        let read = read.map_err(|problem| match problem {
            TypeProblem::Invalid(message) | TypeProblem::Unknown(message) => message,
        });
        self.types.insert(text, read.clone());
        read
    }
}
