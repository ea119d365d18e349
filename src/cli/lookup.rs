//! `hiera-ls lookup`: Puppet's own command, using only files, with positions.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueEnum};
use serde_json::Value as Json;

use super::completions;
use super::fleet;
use super::lookup_class;
use super::lookup_fleet;
use super::lookup_output::{self, Output};
use super::lookup_queries::{self, Query};
use super::lookup_setup::{self, Setup};
use super::place::PlaceArguments;
use super::print;
use super::progress::Progress;
use super::shown::{here, in_lines};
use super::terminal::{STRONG, complain, print_styled, styled, with_marks};
use crate::data::puppet_type::{TypeAliases, TypeProblem};
use crate::data::{Located, Value, json};
use crate::engine::{Answer, Explain, Request};
use crate::ide::{Perspective, plain_text_of_key};
use crate::world::git::Repository;

const EXAMPLES: &str = "\
Examples:
  hiera-ls lookup profile::web::port --root ~/control-repo --node web01.example.com
  hiera-ls lookup ntp::servers --node web01.example.com --why
  hiera-ls lookup ntp::servers --facts web01.json --explain --origins
  hiera-ls lookup --all --node web01.example.com --render-as jsonl
  hiera-ls lookup profile::web::port --set role=web --set facts.os.family=Debian
  hiera-ls lookup --class profile::web --node web01.example.com
  hiera-ls lookup ntp::servers --nodes all
  hiera-ls lookup --all --nodes 'web*,db01.example.com' --render-as jsonl

If the value depends on facts that are not known, the result is a list of cases. The first case whose \
conditions hold applies.

Exit status, as with Puppet: 0 if the key is found, 1 if it is not found or the lookup fails; standard error has \
the reason. 3 if the value depends on facts that are not known; the cases are printed.
With --class: 1 if Puppet refuses the class, because a parameter is missing or its value does not fit.
With --explain: 0 also if the key is missing or the data has an error; the explanation says so.";

/// The exit code if the value depends on facts that are not known.
pub(super) const DEPENDS: u8 = 3;

/// Represents all keys without a module when only lookup_options are explained.
const KEY_WITHOUT_MODULE: &str = "__global__";

/// The arguments: Puppet's flags where Puppet has one.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own, as Puppet has them")]
#[command(after_help = EXAMPLES)]
pub struct LookupArguments {
    /// The keys. With several, the value of the first key that is found (with jsonl: a result for each key)
    #[arg(value_name = "KEY", add = completions::keys())]
    pub keys: Vec<String>,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// A file with facts (facter, puppet facts, onceover, facterdb, PuppetDB; JSON or YAML). Or a directory of such
    /// files: the name of each file is the name of its node, and all of them are looked up
    #[arg(long, value_name = "FILE|DIR", help_heading = "The node")]
    pub facts: Option<PathBuf>,
    /// The certname of the node. It may have a fact set, or be known only by its name. Without it: the node that the
    /// setting `node` names, or else any node
    #[arg(long, value_name = "NAME", help_heading = "The node", add = completions::nodes())]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub node: Option<String>,
    /// Any node, even if the settings name one
    #[arg(long, help_heading = "The node", conflicts_with_all = ["node", "nodes", "facts"])]
    pub any_node: bool,
    /// Several nodes at once: `all`, or names with * and ?, separated by commas
    #[arg(long, value_name = "all|GLOB,…", help_heading = "The node", add = completions::nodes())]
    pub nodes: Option<String>,
    /// Give an open variable a value: role=web, facts.os.family=Debian (repeatable)
    #[arg(long, value_name = "NAME=VALUE", help_heading = "The node")]
    pub set: Vec<String>,
    /// A file with $trusted
    #[arg(long, value_name = "FILE", help_heading = "The node")]
    pub trusted: Option<PathBuf>,
    /// A file with more top-scope variables
    #[arg(long, value_name = "FILE", help_heading = "The node")]
    pub vars: Option<PathBuf>,
    /// A file with $server_facts
    #[arg(long, value_name = "FILE", help_heading = "The node")]
    pub server_facts: Option<PathBuf>,
    /// first, unique, hash, deep, or a JSON object with `strategy` and options
    #[arg(long, value_name = "STRATEGY", help_heading = "As arguments of lookup()")]
    pub merge: Option<String>,
    /// With --merge deep: the prefix that removes values of lower levels
    #[arg(long, value_name = "PREFIX", help_heading = "As arguments of lookup()")]
    pub knock_out_prefix: Option<String>,
    /// With --merge deep: sort merged lists
    #[arg(long, help_heading = "As arguments of lookup()")]
    pub sort_merged_arrays: bool,
    /// With --merge deep: merge hashes at the same position in two lists
    #[arg(long, help_heading = "As arguments of lookup()")]
    pub merge_hash_arrays: bool,
    /// The value to return if nothing is found
    #[arg(long, value_name = "VALUE", help_heading = "As arguments of lookup()")]
    pub default: Option<String>,
    /// The Puppet type the value must have
    #[arg(long = "type", value_name = "TYPE", help_heading = "As arguments of lookup()")]
    pub value_type: Option<String>,
    /// Read keys from a file (`-` is standard input), one per line: plain, as JSON strings, or as objects with key, merge,
    /// default, type
    #[arg(long, value_name = "FILE", help_heading = "More keys")]
    pub keys_from: Option<String>,
    /// Look up every key of every data file that a level of a hierarchy can read
    #[arg(long, help_heading = "More keys")]
    pub all: bool,
    /// Show all parameters of a class, as Puppet sets them when a node includes the class: from data, or from the default.
    /// Also say whether each value fits its type (repeatable)
    #[arg(
        long,
        value_name = "CLASS",
        add = completions::classes(),
        help_heading = "More keys",
        conflicts_with_all = ["keys", "keys_from", "all", "merge", "default", "value_type", "explain", "explain_options"]
    )]
    pub class: Vec<String>,
    /// Say where the lookup searched and what it found, in Puppet's words
    #[arg(long, help_heading = "Output")]
    pub explain: bool,
    /// Say how the lookup found its lookup_options
    #[arg(long, help_heading = "Output")]
    pub explain_options: bool,
    /// Say why in a few lines: the value, what set the merge strategy, and file and line of each level that has the key
    #[arg(long, help_heading = "Output", conflicts_with_all = ["explain", "explain_options", "render_as", "merge", "default", "value_type"])]
    pub why: bool,
    /// With --explain: the file and line of each value, and of each part of a merged value
    #[arg(long, help_heading = "Output")]
    pub origins: bool,
    /// With --explain: like --origins, with the commit that wrote each line
    #[arg(long, help_heading = "Output")]
    pub blame: bool,
    /// What to do with values that are encrypted with eyaml: keep (leave them as they are
    /// written, or decrypt them if the setting eyaml.decrypt is on and the level's key can be read), fail (as Puppet does
    /// without the key), or decrypt (fail if there is no key)
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "keep|fail|decrypt",
        help_heading = "Output"
    )]
    pub encrypted: Encrypted,
    /// yaml (the default), s (plain text, the default with --explain and --class), json, or jsonl (one line with a JSON
    /// object per key, complete). For several nodes: table (the default), json or jsonl. --class also has table
    #[arg(
        long,
        value_enum,
        ignore_case = true,
        hide_possible_values = true,
        value_name = "FORMAT",
        help_heading = "Output"
    )]
    pub render_as: Option<RenderAs>,
}

/// What becomes of encrypted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Encrypted {
    /// They stay encrypted, unless the settings turn decryption on and the key exists
    #[default]
    Keep,
    /// The lookup fails, unless the settings turn decryption on and the key exists
    Fail,
    /// They are decrypted, or the lookup fails
    Decrypt,
}

/// Output formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RenderAs {
    /// Ruby's to_s; the default with --explain
    S,
    /// JSON
    Json,
    /// YAML; the default
    Yaml,
    /// One line with a JSON object per key, complete
    Jsonl,
    /// For many nodes: each different answer with the nodes that get it
    Table,
}

/// Runs the command.
pub fn run(arguments: &LookupArguments) -> ExitCode {
    match answer(arguments) {
        Ok(code) => code,
        Err(message) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

fn answer(arguments: &LookupArguments) -> Result<ExitCode, String> {
    let merge = command_line_merge(arguments)?;
    refuse_options_without_effect(arguments)?;
    if lookup_fleet::is_wanted(arguments) {
        return for_many_nodes(arguments, merge.as_ref());
    }
    if arguments.render_as == Some(RenderAs::Table) && arguments.class.is_empty() {
        return Err("--render-as table is for many nodes (--nodes or --facts DIR) and for --class"
            .to_owned());
    }
    let setup = lookup_setup::prepare(arguments)?;
    if !arguments.class.is_empty() {
        return lookup_class::run(&setup, &arguments.class, arguments.render_as);
    }
    let aliases = setup.world().type_aliases(setup.evaluator.environment());
    check_that_type_is_known(arguments.value_type.as_deref(), &aliases)?;
    let mut queries: Vec<_> = arguments.keys.iter().map(Query::key).collect();
    if let Some(file) = &arguments.keys_from {
        queries.extend(lookup_queries::from_file(file)?);
    }
    if arguments.all {
        queries.extend(setup.place.all_keys().iter().map(|key| Query::key(&**key)));
    }
    if queries.is_empty() {
        if !arguments.explain_options || arguments.explain {
            return Err("No keys were given to lookup.".to_owned());
        }
        // Puppet looks up the same key to collect the options if there is no other key.
        queries.push(Query::key(KEY_WITHOUT_MODULE));
    }
    if arguments.why {
        return Ok(why(&setup, &queries));
    }
    if arguments.blame
        && let Err(why) = Repository::of(setup.evaluator.environment().directory())
    {
        complain(&format!("no commits are shown: {why}"));
    }
    let output = Output::of(arguments, setup.world());
    if output.is_per_key() || arguments.all || arguments.keys_from.is_some() {
        return Ok(each(arguments, (&setup, &aliases), &queries, merge.as_ref(), &output));
    }
    // As in Puppet, several keys are one question: the first that has a value wins.
    let names: Vec<_> = queries.iter().map(|query| Arc::from(query.key.as_str())).collect();
    Ok(first_found(arguments, (&setup, aliases), &names, merge.as_ref(), &output))
}

/// Says which options would have no effect.
fn refuse_options_without_effect(arguments: &LookupArguments) -> Result<(), String> {
    let has_explanation = arguments.explain || arguments.explain_options;
    let prints_values = arguments.all || arguments.keys_from.is_some();
    if arguments.origins && !has_explanation {
        return Err("--origins is for --explain".to_owned());
    }
    if arguments.blame && !arguments.explain {
        return Err("--blame is for --explain".to_owned());
    }
    if has_explanation && prints_values && arguments.render_as != Some(RenderAs::Jsonl) {
        let name = if arguments.explain { "--explain" } else { "--explain-options" };
        return Err(format!(
            "{name} is for the keys in the arguments; with --all or --keys-from, it needs --render-as jsonl"
        ));
    }
    Ok(())
}

/// The hover text of the keys, without secrets.
pub(super) fn why_text(arguments: &LookupArguments) -> Result<String, String> {
    let setup = lookup_setup::prepare(arguments)?;
    let perspective = Perspective::hiding(setup.world(), Arc::new(setup.fresh_evaluator()));
    let perspective = perspective.seen_from(&here());
    let texts = arguments.keys.iter().map(|key| plain_text_of_key(&perspective, key));
    Ok(in_lines(&texts.collect::<Vec<_>>().join("\n")).into_owned())
}

/// Prints the hover text of each key. The exit status is that of a lookup of the keys.
fn why(setup: &Setup, queries: &[Query]) -> ExitCode {
    let evaluator = Arc::new(setup.fresh_evaluator());
    let perspective = Perspective::hiding(setup.world(), Arc::clone(&evaluator)).seen_from(&here());
    let (mut depends, mut has_failed) = (false, false);
    for (number, query) in queries.iter().enumerate() {
        let between = if number == 0 { "" } else { "\n" };
        let text = plain_text_of_key(&perspective, &query.key);
        let text = in_lines(&text);
        let (question, answer) = text.split_once('\n').unwrap_or((&text, ""));
        print_styled(&with_marks(&format!("{between}{}\n{answer}\n", styled(STRONG, question))));
        let answer = evaluator
            .call(&Request { names: vec![Arc::from(query.key.as_str())], ..Request::default() });
        depends |= !answer.is_certain();
        has_failed |= answer.is_certain() && !matches!(answer.outcome, Ok(Some(_)));
        if answer.is_certain() && matches!(answer.outcome, Ok(None)) {
            complain_of_missing(setup, &[Arc::from(query.key.as_str())]);
        }
    }
    match (has_failed, depends) {
        (true, _) => ExitCode::FAILURE,
        (false, true) => ExitCode::from(DEPENDS),
        (false, false) => ExitCode::SUCCESS,
    }
}

fn for_many_nodes(arguments: &LookupArguments, merge: Option<&Json>) -> Result<ExitCode, String> {
    lookup_fleet::check_arguments(arguments)?;
    let place = arguments.place.open()?;
    let aliases = place.world.type_aliases(&place.environment);
    check_that_type_is_known(arguments.value_type.as_deref(), &aliases)?;
    let nodes = {
        // The nodes have all of the fact sets, so these go at once.
        let facts = arguments.facts.as_deref().map(fleet::fact_sets).transpose()?;
        fleet::nodes(&place, arguments.nodes.as_deref(), facts.as_deref())?
    };
    let mut queries: Vec<_> = arguments.keys.iter().map(Query::key).collect();
    if let Some(file) = &arguments.keys_from {
        queries.extend(lookup_queries::from_file(file)?);
    }
    if arguments.all {
        queries.extend(place.all_keys().iter().map(|key| Query::key(&**key)));
    }
    if queries.is_empty() {
        return Err("No keys were given to lookup.".to_owned());
    }
    let decryption = lookup_setup::decryption(arguments.encrypted, place.world.reveals_secrets());
    let fleet = fleet::fleet_of(&place, nodes, decryption);
    let request = |query: &Query| request_of_query(arguments, query, merge, &aliases);
    let format = arguments.render_as.unwrap_or(RenderAs::Table);
    let code = lookup_fleet::run(fleet, &queries, request, format);
    // The process ends, which frees its memory faster than dropping it piece by piece.
    std::mem::forget(place);
    Ok(code)
}

fn request_of_query(
    arguments: &LookupArguments,
    query: &Query,
    merge: Option<&Json>,
    aliases: &Arc<TypeAliases>,
) -> Request {
    // What a query says itself wins over the command line.
    let merge = query.merge.as_ref().or(merge);
    let mut request = request(arguments, vec![Arc::from(query.key.as_str())], merge);
    request.type_aliases = Some(Arc::clone(aliases));
    if let Some(default) = &query.default {
        request.default = Some(json::to_value(default).unplaced());
    }
    if query.value_type.is_some() {
        request.value_type.clone_from(&query.value_type);
    }
    request
}

/// Puppet parses the type before it looks anything up.
fn check_that_type_is_known(value_type: Option<&str>, aliases: &TypeAliases) -> Result<(), String> {
    match value_type.map(|it| aliases.parse(it)) {
        Some(Err(TypeProblem::Invalid(message) | TypeProblem::Unknown(message))) => {
            Err(format!("--type: {message}"))
        }
        Some(Ok(_)) | None => Ok(()),
    }
}

fn each(
    arguments: &LookupArguments,
    (setup, aliases): (&Setup, &Arc<TypeAliases>),
    queries: &[Query],
    merge: Option<&Json>,
    output: &Output,
) -> ExitCode {
    let mut text = String::new();
    let mut depends = false;
    let mut has_failed = false;
    let progress = Progress::beside_answers(queries.len(), "keys");
    for query in queries {
        progress.step();
        let merge = query.merge.as_ref().or(merge);
        let request = request_of_query(arguments, query, merge, aliases);
        // A kept evaluator would show the options only for the first key, so each explanation starts afresh.
        let answer = if request.explain == Explain::Off {
            setup.evaluator.call(&request)
        } else {
            setup.fresh_evaluator().call(&request)
        };
        depends |= !answer.is_certain();
        has_failed |= answer.is_certain() && answer.outcome.is_err();
        output.write(&mut text, &query.key, merge, &answer);
        // Results appear while other keys are still looked up.
        if text.len() > 1 << 16 {
            print(&std::mem::take(&mut text));
        }
    }
    progress.end();
    print(&text);
    if depends && !has_failed { ExitCode::from(DEPENDS) } else { ExitCode::SUCCESS }
}

fn first_found(
    arguments: &LookupArguments,
    (setup, aliases): (&Setup, Arc<TypeAliases>),
    names: &[Arc<str>],
    merge: Option<&Json>,
    output: &Output,
) -> ExitCode {
    let evaluator = &setup.evaluator;
    let request = request(arguments, names.to_vec(), merge);
    let answer = evaluator.call(&Request { type_aliases: Some(aliases), ..request });
    for warning in evaluator.config_warnings().iter().chain(&answer.warnings) {
        complain(&format!("warning: {warning}"));
    }
    if !answer.is_certain() {
        print(&output.cases(&answer, names));
        complain(&lookup_output::depends_line(&answer, names));
        return ExitCode::from(DEPENDS);
    }
    if arguments.explain || arguments.explain_options {
        return explained(&answer, names, output);
    }
    if !answer.open.is_empty() {
        complain(&format!("not known, and left in the text: {}", answer.open.join(", ")));
    }
    for level in &answer.opaque {
        complain(&format!(
            "the value may come from level '{}' ({} {})",
            level.level, level.function, level.reason
        ));
    }
    match &answer.outcome {
        Ok(Some(value)) => {
            print(&output.value(value));
            ExitCode::SUCCESS
        }
        Ok(None) => {
            complain(&not_found_line(names));
            complain_of_missing(setup, names);
            ExitCode::FAILURE
        }
        Err(failure) => {
            complain(&lookup_output::failure_with_place(failure, output.files()));
            ExitCode::FAILURE
        }
    }
}

/// Says why the keys may not be found.
fn complain_of_missing(setup: &Setup, names: &[Arc<str>]) {
    if let Some(meant) = setup.place.meant_key(names) {
        complain(&format!("did you mean `{meant}`?"));
    }
    for hint in &setup.hints(names) {
        complain(hint);
    }
}

/// Puppet explains the failures that it expects; for others it prints only the message. For failures of our own, both are
/// printed.
fn explained(answer: &Answer, names: &[Arc<str>], output: &Output) -> ExitCode {
    // Puppet explains lookup errors as a part of the text. Other errors end the program.
    let failure = answer.outcome.as_ref().err().filter(|it| !it.class.is_lookup_error());
    if let Some(trace) = &answer.trace
        && failure.is_none_or(|it| it.class.is_our_own())
    {
        print_styled(&with_marks(&output.explanation(trace, answer, names)));
    }
    match failure {
        Some(failure) => {
            complain(&lookup_output::failure_with_place(failure, output.files()));
            ExitCode::FAILURE
        }
        None => ExitCode::SUCCESS,
    }
}

fn request(arguments: &LookupArguments, names: Vec<Arc<str>>, merge: Option<&Json>) -> Request {
    let explain = match (arguments.explain, arguments.explain_options) {
        (true, _) => Explain::On,
        (false, true) => Explain::OptionsOnly,
        (false, false) => Explain::Off,
    };
    Request {
        names,
        value_type: arguments.value_type.clone(),
        merge: merge.map(json::to_value),
        default: default_value(arguments),
        explain,
        ..Request::default()
    }
}

fn default_value(arguments: &LookupArguments) -> Option<Located> {
    arguments.default.as_deref().map(|text| Value::string(text).unplaced())
}

/// The strategy in the flags. As in Puppet, `--merge deep` sets both list options, and the options of deep are not allowed
/// with other strategies.
fn command_line_merge(arguments: &LookupArguments) -> Result<Option<Json>, String> {
    let has_deep_options = arguments.knock_out_prefix.is_some()
        || arguments.sort_merged_arrays
        || arguments.merge_hash_arrays;
    let merge = match arguments.merge.as_deref() {
        Some("deep") => {
            let mut options = serde_json::json!({
                "strategy": "deep",
                "sort_merged_arrays": arguments.sort_merged_arrays,
                "merge_hash_arrays": arguments.merge_hash_arrays,
            });
            if let Some(prefix) = &arguments.knock_out_prefix {
                options["knockout_prefix"] = Json::from(prefix.as_str());
            }
            return Ok(Some(options));
        }
        Some(text) if text.starts_with('{') => {
            Some(serde_json::from_str(text).map_err(|error| format!("--merge: {error}"))?)
        }
        Some(name @ ("first" | "unique" | "hash")) => Some(Json::from(name)),
        Some(_) => {
            let message = "The --merge option only accepts 'first', 'hash', 'unique', or 'deep'";
            return Err(message.to_owned());
        }
        None => None,
    };
    if has_deep_options {
        let message = "The options --knock-out-prefix, --sort-merged-arrays, and --merge-hash-arrays are only \
                       available with '--merge deep'";
        return Err(message.to_owned());
    }
    Ok(merge)
}

/// The message of `lookup()` if it finds nothing, for explain's last line.
pub(super) fn not_found_line(names: &[Arc<str>]) -> String {
    Answer::not_found_message(names)
}
