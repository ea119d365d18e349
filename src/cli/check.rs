//! `hiera-ls check`: runs the rules on a whole workspace, for people, for hooks and for CI.

mod arguments;
mod baseline;
mod checked;
mod findings;
mod fix;
mod output;
mod setup;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use super::shown::as_seen_from_here;
use super::terminal::{complain, tell};
use super::workspace;
use crate::config::Environment;
use crate::ide::diagnostics::{Fix, Severity, missing_places, nodes_that_lack};
use crate::ide::repair;
use crate::world::World;
pub use arguments::CheckArguments;
use arguments::rank;
use checked::{Checked, Output};
use findings::{FileFindings, Finding, findings};
use fix::{Fixing, fix};
pub(super) use output::fingerprint_of;
use setup::set_up;

/// The rule whose nodes the summary counts.
const MISSING_PARAMETERS: &str = "missing-required-parameter";

/// The rules that know of no missing key if keys may be elsewhere.
const ABOUT_MISSING_KEYS: [&str; 2] = ["missing-lookup-target", "lookup-without-data"];

/// The maximum number of missing places that a note names.
const MAX_PLACES: usize = 3;

/// Checks and prints.
pub fn run(arguments: &CheckArguments) -> ExitCode {
    if !arguments.watch {
        return run_once(arguments);
    }
    let ended = setup::workspace_root(arguments).map(|root| {
        watch::watch(&root, || {
            run_once(arguments);
        })
    });
    complain(&ended.unwrap_or_else(|message| message));
    ExitCode::from(2)
}

fn run_once(arguments: &CheckArguments) -> ExitCode {
    match check(arguments) {
        Ok(checked) => {
            checked.output.print();
            if !arguments.quiet {
                for note in &checked.notes {
                    complain(&format!("note: {note}"));
                }
                if !checked.summary.is_empty() {
                    tell(&checked.summary);
                }
            }
            let is_failure = checked.has_problems && !arguments.exit_zero;
            if is_failure { ExitCode::from(1) } else { ExitCode::SUCCESS }
        }
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

pub(super) fn check(arguments: &CheckArguments) -> Result<Checked, String> {
    let mut setup = set_up(arguments)?;
    if arguments.write_baseline {
        return baseline::write(&mut setup);
    }
    let is_fixing = arguments.fix || arguments.diff;
    // Fixes change texts in memory. The files are written only when all rounds are over.
    let fixing =
        if is_fixing { fix(&mut setup, arguments.unsafe_fixes) } else { Fixing::default() };
    if arguments.diff {
        return Ok(fixing.show(&setup));
    }
    fixing.write()?;
    let world = setup.host.snapshot();
    let shared = Mutex::default();
    let found = setup.each_file(&world, |world, path, found| {
        // Fixes that change values are not counted, because --fix alone does not apply them, and neither are those that it has
        // just withdrawn.
        let is_fixable = |fix: &Fix| fix.is_safe() && !fixing.has_withdrawn(path);
        let fixable = repair(&found, is_fixable).fixed.len();
        (fixable, world.why_closed(path), findings(world, &setup.shown, path, found, &shared))
    });
    let has_broken_settings =
        setup.has_broken_settings || world.setting_problems().iter().any(|it| !it.is_warning);
    let fixable: usize = found.iter().map(|(fixable, ..)| fixable).sum();
    let mut closed: BTreeSet<String> = found.iter().filter_map(|(_, why, _)| why.clone()).collect();
    if arguments.is_about_all() {
        closed.extend(world.closed());
    }
    let mut found: Vec<FileFindings> = found.into_iter().map(|(.., found)| found).collect();
    setup.shown.merge(&mut found);
    let is_problem = |it: &Finding| rank(it.said.severity) >= rank(Severity::Warning);
    let mut summary = fixing.summary();
    if arguments.format.is_for_people() {
        let checked = number_of_checked(arguments, &world, &setup.files, &found);
        summary += &output::summary(&found, checked, closed.len(), has_broken_settings);
        if arguments.is_about_all() && setup.asks_for(MISSING_PARAMETERS) {
            summary += &lacking_nodes(&world);
        }
        if fixable > 0 {
            // --fix withdraws fixes that it cannot prove. The proofs take about as long as the check, so none is made here.
            let _ = write!(summary, "; --fix may fix {fixable} of them");
        }
        if arguments.is_about_all() {
            summary += &baseline::summary(&world);
        }
    }
    // Lookups that read such a file fail, and no rule can say anything about it.
    let is_incomplete = has_broken_settings || !closed.is_empty();
    let has_problems = is_incomplete || output::all(&found).any(is_problem);
    let of_setup =
        workspace::setup_problems(&world, &environments_of(arguments, &world, &setup.files));
    let notes = fixing.notes().chain(of_setup).chain(workspace::not_read(&world)).chain(closed);
    let notes = notes.chain(baseline::problem(&world, arguments));
    let asks = arguments.is_about_all() && ABOUT_MISSING_KEYS.iter().any(|it| setup.asks_for(it));
    let notes = notes.chain(asks.then(|| keys_elsewhere(&world)).into_iter().flatten());
    // Those of settings were printed when these were read.
    let of_settings = world.folders().iter().flat_map(|it| world.unread_project_files(it));
    let mut told: HashSet<String> = of_settings.map(workspace::with_advice).collect();
    let notes = notes.filter(|it| told.insert(it.clone())).collect();
    let output = if arguments.statistics {
        Output::Statistics(arguments.format, found)
    } else {
        Output::Findings(arguments.format, found)
    };
    Ok(Checked { output, summary, has_problems, notes })
}

/// The environments of the files to be checked.
fn environments_of(
    arguments: &CheckArguments,
    world: &World,
    files: &[String],
) -> Vec<Arc<Environment>> {
    if arguments.is_about_all() {
        return world.environments().to_vec();
    }
    world.environments_of(files.iter().map(String::as_str))
}

/// The number of files for the summary. Files that the user names may be none that a rule checks.
fn number_of_checked(
    arguments: &CheckArguments,
    world: &Arc<World>,
    files: &[String],
    found: &[FileFindings],
) -> usize {
    if arguments.is_about_all() {
        return files.len();
    }
    let is_checked = |(path, found): &(&String, &FileFindings)| {
        !found.findings.is_empty() || setup::is_looked_at(world, path)
    };
    files.iter().zip(found).filter(is_checked).count()
}

/// Why rules about missing keys are nearly silent, a line for each `hiera.yaml` with levels whose files are not here.
fn keys_elsewhere(world: &World) -> Vec<String> {
    let environments = world.environments();
    let with_data = environments.iter().filter(|it| may_look_up_missing_keys(world, it));
    let mut by_config: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (config, place) in with_data.flat_map(|it| missing_places(world, it)) {
        by_config.entry(config).or_default().insert(place);
    }
    let line = |(config, places): (String, BTreeSet<String>)| {
        let named: Vec<&str> =
            places.iter().take(MAX_PLACES).map(|it| as_seen_from_here(it)).collect();
        let more = if places.len() > MAX_PLACES { ", …" } else { "" };
        let verb = if places.len() == 1 { "does" } else { "do" };
        format!(
            "{}: keys may be elsewhere, because {}{more} {verb} not exist here; {} report only names that are nearly a known key",
            as_seen_from_here(&config),
            named.join(", "),
            ABOUT_MISSING_KEYS.join(" and ")
        )
    };
    by_config.into_iter().map(line).collect()
}

/// Whether there is data, and a text in it or code may look up keys that no file has.
fn may_look_up_missing_keys(world: &World, environment: &Environment) -> bool {
    let keys = world.key_index(environment);
    let in_data = || keys.keys().iter().any(|it| keys.may_call(it));
    let code = world.code_index(environment);
    let mut in_code = code.files().iter().flat_map(|(_, it)| &it.keys);
    !keys.is_empty() && (in_data() || in_code.any(|it| !keys.contains(&it.name)))
}

/// The number of nodes that lack values of parameters, to end a sentence; empty if there are none.
fn lacking_nodes(world: &Arc<World>) -> String {
    match nodes_that_lack(world) {
        None | Some((0, _)) => String::new(),
        Some((lacking, 1)) => format!("; {lacking} of 1 node lacks required parameters"),
        Some((lacking, all)) => {
            let verb = if lacking == 1 { "lacks" } else { "lack" };
            format!("; {lacking} of {all} nodes {verb} required parameters")
        }
    }
}
