//! The description of a rule: how users see it, what it costs, and which phases run it.

use super::Report;
use super::code::{ClassifierContext, CodeContext};
use super::config::{ConfigContext, ConfigTextContext, EnvironmentConfContext};
use super::entry::EntryContext;
use super::file::{FileContext, UnreadContext};
use super::key::{KeyContext, OptionsContext};
use super::lookup::{LookupContext, VariablesContext};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Puppet refuses it.
    Error,
    /// Puppet accepts it, but it is probably not what was meant.
    Warning,
    /// Worth knowing.
    Information,
    /// Shown faintly.
    Hint,
}

impl Severity {
    /// Its name, as settings write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }
}

/// One row of the table of rules.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The code in messages and settings, in kebab case.
    pub code: &'static str,
    /// Its codes in earlier versions. Settings, comments, baselines and commands may still use them.
    pub former: &'static [&'static str],
    /// Its name in headings.
    pub name: &'static str,
    /// Its severity unless settings change it.
    pub severity: Severity,
    /// The version that introduced it.
    pub since: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The page that explains it, in Markdown.
    pub page: &'static str,
    /// Whether it runs by default.
    pub is_on: bool,
    /// How editors show its findings, besides the squiggle.
    pub tag: Option<Tag>,
    /// Which other tools report the same.
    pub family: Family,
    /// Whether it runs even if all its findings would be dropped.
    pub(super) cost: Cost,
    /// The subject that it explains; `None` if other rules may report the same thing as well.
    pub(super) explains: Option<Subject>,
    /// Whether a finding with this message may quote what is in a value, so that it must not be shown where values are secret.
    pub(super) may_quote: fn(&str) -> bool,
    /// What it checks.
    pub(super) checks: &'static [Check],
}

/// How an editor may show findings of a rule, besides the squiggle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// It has no effect: faded.
    Unnecessary,
    /// It is deprecated: struck through.
    Deprecated,
}

/// Which other tools report what a rule reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// No other tool, because it requires Hiera.
    Hiera,
    /// Any language server of the file's format.
    Syntax,
}

/// The cost of running a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cost {
    /// So cheap that it always runs.
    Low,
    /// So expensive that it only runs if the settings use its findings.
    High,
}

/// The subjects that rules can explain. Each thing is explained once: of the rules for the same subject, only the first in
/// the table that reports anything is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// Why a file cannot be read.
    BrokenFile,
    /// Why a file is not read by any level.
    UnreadFile,
    /// What is wrong with the name of a key.
    KeyName,
    /// Why a class refuses a value.
    ParameterType,
}

// What checks look like: each gets the context of its phase, and reports.
pub(super) type EntryCheck = fn(&EntryContext<'_>, &mut Report);
pub(super) type VariablesCheck = fn(&VariablesContext<'_>, &mut Report);
pub(super) type LookupCheck = fn(&LookupContext<'_>, &mut Report);
pub(super) type KeyCheck = fn(&KeyContext<'_>, &mut Report);
pub(super) type OptionsCheck = fn(&OptionsContext<'_>, &mut Report);
pub(super) type FileCheck = fn(&FileContext<'_>, &mut Report);
pub(super) type UnreadCheck = fn(&UnreadContext<'_>, &mut Report);
pub(super) type ConfigTextCheck = fn(&ConfigTextContext<'_>, &mut Report);
pub(super) type ConfigCheck = fn(&ConfigContext<'_>, &mut Report);
pub(super) type EnvironmentConfCheck = fn(&EnvironmentConfContext<'_>, &mut Report);
pub(super) type ClassifierCheck = fn(&ClassifierContext<'_>, &mut Report);
pub(super) type CodeCheck = fn(&CodeContext<'_>, &mut Report);

/// One check of a rule: the phase, and the function to call.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// Checks one top-level entry alone. The findings are kept until the entry is edited.
    Entry(EntryCheck),
    /// Checks the variables that an entry or a `hiera.yaml` reads.
    Variables(VariablesCheck),
    /// Checks an entry of a file that hierarchies read, and the keys that it looks up.
    Lookup(LookupCheck),
    /// Checks a key together with other files, options and code.
    Key(KeyCheck),
    /// Checks the entry `lookup_options`.
    Options(OptionsCheck),
    /// Checks a data file as a whole.
    File(FileCheck),
    /// Checks a file that is not read by any level.
    Unread(UnreadCheck),
    /// Checks the text of a `hiera.yaml`, even if it is not valid.
    ConfigText(ConfigTextCheck),
    /// Checks a `hiera.yaml` of version 5 that Puppet accepts.
    Config(ConfigCheck),
    /// The same, after all other rules.
    ConfigRest(ConfigCheck),
    /// Checks the `environment.conf` of an environment.
    EnvironmentConf(EnvironmentConfCheck),
    /// Checks the output of a node classifier.
    Classifier(ClassifierCheck),
    /// Checks a file of Puppet code that Puppet accepts.
    Code(CodeCheck),
    /// Checks a file of Puppet code that Puppet refuses.
    BrokenCode(CodeCheck),
}

impl Rule {
    /// Its code, and its earlier ones.
    pub(super) fn codes(&self) -> impl Iterator<Item = &'static str> {
        [self.code].into_iter().chain(self.former.iter().copied())
    }

    /// What most rules have in common.
    pub(super) const USUAL: Self = Self {
        code: "",
        former: &[],
        name: "",
        severity: Severity::Warning,
        since: "0.1.0",
        summary: "",
        page: "",
        is_on: true,
        tag: None,
        family: Family::Hiera,
        cost: Cost::Low,
        explains: None,
        may_quote: |_| true,
        checks: &[],
    };

    /// The address of the rule's page, if the package names its repository.
    pub fn url(&self) -> Option<String> {
        let repository = env!("CARGO_PKG_REPOSITORY");
        let page = format!("{repository}/blob/main/docs/rules/{}.md", self.code);
        (!repository.is_empty()).then_some(page)
    }
}
