//! The description of a rule: how users see it, what it costs, and which phases run it.

use super::Report;
use super::code::CodeContext;
use super::config::{ConfigContext, ConfigTextContext};
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
    /// How editors show its findings, beside the squiggle.
    pub tag: Option<Tag>,
    /// Which other tools report the same.
    pub family: Family,
    /// Whether it runs even if all its findings would be dropped.
    pub(super) cost: Cost,
    /// The subject that it explains; `None` if other rules may report the same thing as well.
    pub(super) explains: Option<Subject>,
    /// What it looks at.
    pub(super) checks: &'static [Check],
}

/// How an editor may show what a rule is about, beside the squiggle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Tag {
    /// It has no effect: faded.
    Unnecessary,
    /// It is on its way out: struck through.
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
    /// So little that it always runs.
    Low,
    /// So much that it runs only if the settings use its findings.
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
pub(super) type CodeCheck = fn(&CodeContext<'_>, &mut Report);

/// One look of a rule at something: the phase, and the function to call.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// At one top-level entry alone. The findings are kept as long as the entry is not edited.
    Entry(EntryCheck),
    /// At the variables that an entry or a `hiera.yaml` reads.
    Variables(VariablesCheck),
    /// At an entry of a file that hierarchies read, and at the keys that it looks up.
    Lookup(LookupCheck),
    /// At a key, with what other files, options and code make of it.
    Key(KeyCheck),
    /// At the entry `lookup_options`.
    Options(OptionsCheck),
    /// At a data file as a whole.
    File(FileCheck),
    /// At a file that is not read by any level.
    Unread(UnreadCheck),
    /// At the text of a `hiera.yaml`, however wrong.
    ConfigText(ConfigTextCheck),
    /// At a `hiera.yaml` of version 5 that Puppet accepts.
    Config(ConfigCheck),
    /// The same, once all others have spoken.
    ConfigRest(ConfigCheck),
    /// At a file of Puppet code that Puppet accepts.
    Code(CodeCheck),
    /// At a file of Puppet code that Puppet refuses.
    BrokenCode(CodeCheck),
}

impl Rule {
    /// Whether a code means the rule: its own, or one that it had before.
    pub(super) fn is_named(&self, code: &str) -> bool {
        self.code == code || self.former.contains(&code)
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
        checks: &[],
    };

    /// Where the rule's page can be read, if the package says where its sources lie.
    pub fn url(&self) -> Option<String> {
        let repository = env!("CARGO_PKG_REPOSITORY");
        let page = format!("{repository}/blob/main/docs/rules/{}.md", self.code);
        (!repository.is_empty()).then_some(page)
    }
}
