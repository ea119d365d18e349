//! The baseline of `check`: `--write-baseline` writes it, and from then on, only new findings are shown.

use super::arguments::CheckArguments;
use super::checked::Checked;
use super::setup::Setup;
use crate::data::{Files as _, PathKind};
use crate::ide::diagnostics::Baseline;
use crate::world::{Change, World};

/// Writes all findings, including those in the baseline, to the baseline's file.
pub(super) fn write(setup: &mut Setup) -> Result<Checked, String> {
    let world = setup.host.snapshot();
    let mut settings = world.settings().as_ref().clone();
    let path = world.baseline_path();
    refuse_other_file(&world, &path)?;
    // With the old baseline, its findings would be silent now, and missing in the new one.
    settings.diagnostics.baseline = "".into();
    setup.host.apply(Change::Settings(settings));
    let world = setup.host.snapshot();
    let mut baseline = Baseline::default();
    for (path, found) in setup.each_file(&world, |_, path, found| (path.to_owned(), found)) {
        baseline.add(&world, &path, &found);
    }
    std::fs::write(&path, baseline.write()).map_err(|error| format!("{path}: {error}"))?;
    let count = baseline.len();
    let findings = if count == 1 { "finding" } else { "findings" };
    let summary = format!("{count} {findings} written to {path}");
    Ok(Checked { summary, ..Checked::default() })
}

/// A link or a setting of the repository can lead the path of the baseline to any file.
fn refuse_other_file(world: &World, path: &str) -> Result<(), String> {
    if !world.may_read(path) {
        return Err(format!(
            "{path} is outside of the workspace and is not written; with --trust, hiera-ls writes it"
        ));
    }
    if world.kind(path) == PathKind::Missing {
        // Writing through a link would create a file wherever it leads.
        let why = "it, or a directory above it, is a file or a link that leads nowhere";
        let is_free = world.can_create(path);
        return is_free.then_some(()).ok_or_else(|| format!("{path} cannot be created: {why}"));
    }
    let text = world.text(path)?;
    match Baseline::read(&text) {
        Err(why) if !text.trim().is_empty() => Err(format!(
            "{path}: this file is not a baseline, so it is not overwritten: {why}; delete it if nothing needs it"
        )),
        _ => Ok(()),
    }
}

/// How many known findings the baseline lists, to end a sentence; empty if there is none.
pub(super) fn summary(world: &World) -> String {
    let count = Baseline::of(world).map_or(0, |it| it.len());
    match count {
        0 => String::new(),
        1 => "; the baseline lists 1 known finding".to_owned(),
        _ => format!("; the baseline lists {count} known findings"),
    }
}

/// Why the baseline has no effect: the file is broken, or the command line names a file that does not exist.
pub(super) fn problem(world: &World, arguments: &CheckArguments) -> Option<String> {
    let path = world.baseline_path();
    if arguments.baseline.is_some() && world.kind(&path) == PathKind::Missing {
        return Some(format!("{path}: no such file, so all findings are reported"));
    }
    Baseline::problem(world)
}
