//! `hiera-ls lookup`: Puppet's own command, using only files, with positions.

mod arguments;
mod class;
mod class_output;
mod many_nodes;
mod output;
mod queries;
mod setup;

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::Value as Json;

use super::fleet;
use super::print;
use super::progress::Progress;
use super::shown::{here, in_lines, key_in_a_line};
use super::terminal::{STRONG, complain, print_styled, styled, with_marks};
use super::workspace;
use crate::data::puppet_type::{TypeAliases, TypeProblem};
use crate::data::{Located, Value, json};
use crate::engine::{Answer, Explain, Request};
use crate::ide::{Perspective, plain_text_of_key};
use crate::world::git::Repository;
use arguments::DEPENDS;
pub use arguments::{LookupArguments, RenderAs};
use output::Output;
use queries::Query;
use setup::Setup;

/// Represents all keys without a module when only lookup_options are explained.
const KEY_WITHOUT_MODULE: &str = "__global__";

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
    if many_nodes::is_wanted(arguments) {
        return for_many_nodes(arguments, merge.as_ref());
    }
    if arguments.render_as == Some(RenderAs::Table) && arguments.class.is_empty() {
        return Err("--render-as table is for many nodes (--nodes or --facts DIR) and for --class"
            .to_owned());
    }
    let setup = setup::prepare(arguments)?;
    if !arguments.class.is_empty() {
        return class::run(&setup, &arguments.class, arguments.render_as);
    }
    let aliases = setup.world().type_aliases(setup.evaluator.environment());
    check_that_type_is_known(arguments.value_type.as_deref(), &aliases)?;
    let mut queries: Vec<_> = arguments.keys.iter().map(Query::key).collect();
    if let Some(file) = &arguments.keys_from {
        queries.extend(queries::from_file(file)?);
    }
    if arguments.all {
        queries.extend(setup.place.all_keys().iter().map(|key| Query::key(&**key)));
    }
    if queries.is_empty() {
        if !arguments.explain_options || arguments.explain {
            return Err(no_keys(arguments));
        }
        // Puppet looks up the same key to collect the options if there is no other key.
        queries.push(Query::key(KEY_WITHOUT_MODULE));
    }
    if arguments.why {
        refuse_own_options(&queries)?;
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
    let is_data = matches!(arguments.render_as, Some(RenderAs::Json | RenderAs::Yaml));
    for (name, is_given) in [("--origins", arguments.origins), ("--blame", arguments.blame)] {
        if is_given && is_data {
            return Err(format!("{name} is for explanations as text, without --render-as"));
        }
    }
    if has_explanation && prints_values && arguments.render_as != Some(RenderAs::Jsonl) {
        let name = if arguments.explain { "--explain" } else { "--explain-options" };
        return Err(format!(
            "{name} is for the keys in the arguments; with --all or --keys-from, it needs --render-as jsonl"
        ));
    }
    Ok(())
}

/// `--why` shows what a lookup of the key alone finds, so it is refused for lines of `--keys-from` that say more, as it is with
/// these options.
fn refuse_own_options(queries: &[Query]) -> Result<(), String> {
    match queries.iter().find_map(|it| Some((it, it.own_option()?))) {
        None => Ok(()),
        Some((query, name)) => Err(format!(
            "--why cannot be used with lines that have merge, default or type, and the line for {} has {name}",
            key_in_a_line(&query.key)
        )),
    }
}

/// The hover text of the keys, without secrets, and what was not read.
pub(super) fn why_text(arguments: &LookupArguments) -> Result<String, String> {
    let setup = setup::prepare(arguments)?;
    let perspective = Perspective::hiding(setup.world(), Arc::new(setup.fresh_evaluator()));
    let perspective = perspective.seen_from(&here());
    let texts = arguments.keys.iter().map(|key| plain_text_of_key(&perspective, key));
    let not_read = workspace::not_read_in(setup.world(), &setup.place.environment);
    let notes = not_read.into_iter().map(|note| format!("\nnote: {note}\n"));
    Ok(in_lines(&texts.chain(notes).collect::<Vec<_>>().join("\n")).into_owned())
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

/// Why there is nothing to look up; the second message is Puppet's.
fn no_keys(arguments: &LookupArguments) -> String {
    if arguments.all { "No data file has a key." } else { "No keys were given to lookup." }
        .to_owned()
}

fn for_many_nodes(arguments: &LookupArguments, merge: Option<&Json>) -> Result<ExitCode, String> {
    many_nodes::check_arguments(arguments)?;
    let facts = arguments.facts.as_deref().map(fleet::fact_sets).transpose()?;
    let (place, wanted) =
        arguments.place.open_for_nodes(arguments.nodes.as_deref(), facts.as_deref())?;
    let aliases = place.world.type_aliases(&place.environment);
    check_that_type_is_known(arguments.value_type.as_deref(), &aliases)?;
    let nodes = fleet::nodes(&place, wanted)?;
    // The nodes have all of the fact sets, so these go at once.
    drop(facts);
    let mut queries: Vec<_> = arguments.keys.iter().map(Query::key).collect();
    if let Some(file) = &arguments.keys_from {
        queries.extend(queries::from_file(file)?);
    }
    if arguments.all {
        queries.extend(place.all_keys().iter().map(|key| Query::key(&**key)));
    }
    if queries.is_empty() {
        return Err(no_keys(arguments));
    }
    let decryption = setup::decryption(arguments.encrypted, place.world.reveals_secrets());
    let fleet = fleet::fleet_of(&place, nodes, decryption);
    let request = |query: &Query| request_of_query(arguments, query, merge, &aliases);
    let format = arguments.render_as.unwrap_or(RenderAs::Table);
    let code = many_nodes::run(fleet, &queries, request, format);
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
    for (number, query) in queries.iter().enumerate() {
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
        output.write(&mut text, number, (&query.key, merge), &answer);
        // Results appear while other keys are still looked up.
        if text.len() > 1 << 16 {
            print(&std::mem::take(&mut text));
        }
    }
    progress.end();
    text.push_str(output.end());
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
        complain(&output::depends_line(&answer, names, evaluator.node()));
        return ExitCode::from(DEPENDS);
    }
    if arguments.explain || arguments.explain_options {
        return explained(&answer, names, output);
    }
    output::complain_of_open(&answer.open);
    for level in &answer.opaque {
        complain(&format!("the value may come from {}", level.in_words()));
    }
    match &answer.outcome {
        Ok(Some(value)) => {
            print(&output.value(value));
            ExitCode::SUCCESS
        }
        // What an opaque level may have is not missing.
        Ok(None) if !answer.opaque.is_empty() => ExitCode::FAILURE,
        Ok(None) => {
            complain(&Answer::not_found_message(names));
            complain_of_missing(setup, names);
            ExitCode::FAILURE
        }
        Err(failure) => {
            complain(&output::failure_with_place(failure, output.files()));
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
            complain(&output::failure_with_place(failure, output.files()));
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
