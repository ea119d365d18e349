//! The phases, and running their rules in the order of the table.

use std::sync::LazyLock;

use super::rule::{
    Check, ClassifierCheck, CodeCheck, ConfigCheck, ConfigTextCheck, Cost, EntryCheck,
    EnvironmentConfCheck, FileCheck, KeyCheck, LookupCheck, OptionsCheck, UnreadCheck,
    VariablesCheck,
};
use super::{RULES, Report, Rule};

/// A rule with one of its checks.
type Row<F> = (&'static Rule, F);

/// The rules of each phase, in the order of the table.
#[derive(Default)]
pub(super) struct Phases {
    pub(super) entry: Vec<Row<EntryCheck>>,
    pub(super) variables: Vec<Row<VariablesCheck>>,
    pub(super) lookup: Vec<Row<LookupCheck>>,
    pub(super) key: Vec<Row<KeyCheck>>,
    pub(super) options: Vec<Row<OptionsCheck>>,
    pub(super) file: Vec<Row<FileCheck>>,
    pub(super) unread: Vec<Row<UnreadCheck>>,
    pub(super) config_text: Vec<Row<ConfigTextCheck>>,
    pub(super) config: Vec<Row<ConfigCheck>>,
    pub(super) config_rest: Vec<Row<ConfigCheck>>,
    pub(super) environment_conf: Vec<Row<EnvironmentConfCheck>>,
    pub(super) classifier: Vec<Row<ClassifierCheck>>,
    pub(super) code: Vec<Row<CodeCheck>>,
    pub(super) broken_code: Vec<Row<CodeCheck>>,
}

/// Sorted once from [`RULES`].
pub(super) static PHASES: LazyLock<Phases> = LazyLock::new(|| {
    let mut phases = Phases::default();
    for rule in RULES {
        for check in rule.checks {
            match *check {
                Check::Entry(check) => phases.entry.push((rule, check)),
                Check::Variables(check) => phases.variables.push((rule, check)),
                Check::Lookup(check) => phases.lookup.push((rule, check)),
                Check::Key(check) => phases.key.push((rule, check)),
                Check::Options(check) => phases.options.push((rule, check)),
                Check::File(check) => phases.file.push((rule, check)),
                Check::Unread(check) => phases.unread.push((rule, check)),
                Check::ConfigText(check) => phases.config_text.push((rule, check)),
                Check::Config(check) => phases.config.push((rule, check)),
                Check::ConfigRest(check) => phases.config_rest.push((rule, check)),
                Check::EnvironmentConf(check) => phases.environment_conf.push((rule, check)),
                Check::Classifier(check) => phases.classifier.push((rule, check)),
                Check::Code(check) => phases.code.push((rule, check)),
                Check::BrokenCode(check) => phases.broken_code.push((rule, check)),
            }
        }
    }
    phases
});

/// Runs the rules of a phase on one thing. Of the rules that explain the same subject, only the first that reports anything
/// is used.
pub(super) fn ask<C>(
    rows: &[Row<impl Fn(&C, &mut Report)>],
    thing: &C,
    is_wanted: &dyn Fn(&Rule) -> bool,
    report: &mut Report,
) {
    let mut explained = Vec::new();
    for (rule, check) in rows {
        let is_explained = rule.explains.is_some_and(|it| explained.contains(&it));
        if is_explained || !is_wanted(rule) {
            continue;
        }
        let before = report.findings.len();
        check(thing, report);
        if report.findings.len() > before {
            explained.extend(rule.explains);
        }
    }
}

/// Whether a rule must run: an expensive rule does not if the findings of all rules for its subject would be dropped.
pub(super) fn is_asked(rule: &Rule, is_let_through: impl Fn(&Rule) -> bool) -> bool {
    // Each expensive rule for the subject must run: if it explains the problem first, a later rule must not report it.
    let explains_same = |it: &&&Rule| it.explains.is_some() && it.explains == rule.explains;
    rule.cost == Cost::Low
        || is_let_through(rule)
        || RULES.iter().filter(explains_same).any(|it| it.cost == Cost::High && is_let_through(it))
}
