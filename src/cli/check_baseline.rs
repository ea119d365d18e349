//! `check --write-baseline`: from now on, only new findings are shown.

use super::check::{Checked, each_file};
use super::check_setup::Setup;
use crate::ide::diagnostics::Baseline;
use crate::world::Change;

/// Writes all findings, including those in the baseline, to the baseline's file.
pub(super) fn write(setup: &mut Setup) -> Result<Checked, String> {
    let world = setup.host.snapshot();
    let mut settings = world.settings().as_ref().clone();
    let path = world.settings_path(&settings.diagnostics.baseline);
    // With the old baseline, its findings would be silent now, and missing in the new one.
    settings.diagnostics.baseline = "".into();
    setup.host.apply(Change::Settings(settings));
    let world = setup.host.snapshot();
    let mut baseline = Baseline::default();
    for (path, found) in each_file(&world, setup, |_, path, found| (path.to_owned(), found)) {
        baseline.add(&world, &path, &found);
    }
    std::fs::write(&path, baseline.write()).map_err(|error| format!("{path}: {error}"))?;
    let count = baseline.len();
    let findings = if count == 1 { "finding" } else { "findings" };
    let summary = format!("{count} {findings} written to {path}");
    Ok(Checked { summary, ..Checked::default() })
}
