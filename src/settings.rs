//! The settings: one table of key, type, default and documentation, read from the project file and from the editor.
//!
//! The project file (`.hiera-ls.yaml` in the workspace's root) is the base that a team shares. The editor's settings win over
//! it, key by key; a key that the editor omits or sends as `null` is not set. If both contain a map (`nodes`, `variables`,
//! `diagnostics.severity`, …), the maps are merged, and the editor's members win; lists and single values are replaced.
//! Relative paths are relative to the workspace's root.

mod check;
mod raw;
mod render;
mod similar;
mod table;

use std::sync::Arc;

use indexmap::IndexMap;

use crate::backends::settings::BackEndSettings;
use crate::config::{DatadirMap, PuppetVersion};
use crate::data::Hash;
use crate::facts::NamePatterns;
use crate::text::TextRange;

pub use raw::RawSettings;
pub(crate) use raw::range_of;
pub use render::{json_schema, markdown_table, vscode_configuration, vscode_restricted};
pub use similar::nearest_name;
pub use table::{Kind, SETTINGS, Scope, Setting};

/// The name of the project file, in the workspace's root.
pub const PROJECT_FILE: &str = ".hiera-ls.yaml";

/// The prefix of every key in an editor's settings: `hiera.node`.
pub const EDITOR_PREFIX: &str = "hiera";

/// All settings, after validation.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting")]
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The directory to which their relative paths are relative: that of the project file, or else the first folder. The
    /// caller sets it.
    pub directory: Option<Arc<str>>,
    /// The directory to which the baseline's path and the paths in it are relative: that of the project file, or else the one that
    /// has the baseline, or the root of the environment. The caller sets it.
    pub baseline_directory: Option<Arc<str>>,
    /// `puppetVersion`
    pub puppet_version: PuppetVersion,
    /// `node`: the active node's name; `None` for no choice.
    pub node: Option<Arc<str>>,
    /// `node_name`: regular expressions that extract variables from the names of nodes.
    pub node_name: NamePatterns,
    /// `facts`: files, directories and globs with fact sets, in addition to those in the usual places.
    pub facts: Vec<Arc<str>>,
    /// `trusted`: members of `$trusted` for every node.
    pub trusted: Hash,
    /// `serverFacts`: members of `$server_facts` for every node.
    pub server_facts: Hash,
    /// `variables`: extra top-scope variables for every node.
    pub variables: Hash,
    /// `nodes`: nodes by name; parts of nodes from other sources, or complete nodes.
    pub nodes: IndexMap<Arc<str>, NodeSettings>,
    /// `environment`: the environment of nodes that do not name one; `None` if the workspace's layout decides.
    pub environment: Option<Arc<str>>,
    /// `modulepath`: directories with modules; `None` if `environment.conf` decides.
    pub modulepath: Option<Vec<Arc<str>>>,
    /// `basemodulepath`: the value of `$basemodulepath` in `environment.conf`.
    pub basemodulepath: Vec<Arc<str>>,
    /// `globalHieraYaml`: the path of the global layer's `hiera.yaml`.
    pub global_hiera_yaml: Option<Arc<str>>,
    /// `datadirMap`: leading directories of absolute datadirs, and where their content is on this machine.
    pub datadir_map: IndexMap<Arc<str>, Arc<str>>,
    /// `diagnostics.*`
    pub diagnostics: DiagnosticsSettings,
    /// `hover.maxLines`: how many lines of a value a hover shows.
    pub hover_max_lines: u32,
    /// `codeLens.enabled`: lenses above keys that several levels have.
    pub code_lens_enabled: bool,
    /// `codeLens.changes`: lenses above edited keys with the number of nodes that get another value.
    pub code_lens_changes: bool,
    /// `changes.before`: the revision that edits are compared with; `None`: the saved files.
    pub changes_before: Option<Arc<str>>,
    /// `hover.blame`: name the commit that wrote each line.
    pub hover_blame: bool,
    /// `codeLens.parameters`, `documentLinks.parameters`
    pub class_parameters: ClassParameterSettings,
    /// `codeLens.classParameters`: lenses above class parameters with the levels that set them.
    pub code_lens_class_parameters: bool,
    /// `inlayHints.*`
    pub inlay_hints: InlayHintsSettings,
    /// `coexistWithYamlLanguageServer`: leave plain YAML errors to another language server.
    pub coexist_with_yaml_language_server: bool,
    /// `log.level`
    pub log_level: LogLevel,
    /// `eyaml.*`
    pub eyaml: EyamlSettings,
    /// `backends`: the back ends of functions that are not built in.
    pub backends: BackEndSettings,
}

/// `diagnostics.*`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticsSettings {
    /// `diagnostics.enabled`
    pub enabled: bool,
    /// `diagnostics.scope`: whether only open files get diagnostics.
    pub only_open_files: bool,
    /// `diagnostics.preset`
    pub preset: Preset,
    /// `diagnostics.severity`: rules whose severity is not their default.
    pub severity: SeverityMap,
    /// `diagnostics.severityByPath`: the same for the files that match a pattern; the last match wins.
    pub severity_by_path: IndexMap<Arc<str>, SeverityMap>,
    /// `diagnostics.baseline`: the file with the known findings.
    pub baseline: Arc<str>,
}

/// Severities by rule; [`ALL_RULES`] is for rules that are not named.
pub type SeverityMap = IndexMap<Arc<str>, Severity>;

/// The key for all other rules in a [`SeverityMap`].
pub const ALL_RULES: &str = "all";

/// The names of a rule in settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleName {
    /// Its current code.
    pub code: &'static str,
    /// Its codes in earlier versions.
    pub former: &'static [&'static str],
    /// What it finds, in one sentence.
    pub summary: &'static str,
}

/// The initial severities of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// `recommended`: each rule's own.
    #[default]
    Recommended,
    /// `strict`: every rule is on, and at least a warning. Findings that a rule is not certain of are left out.
    Strict,
    /// `ci`: only errors and warnings.
    Ci,
}

/// `eyaml.*`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EyamlSettings {
    /// `eyaml.decrypt`: whether encrypted values may be shown decrypted to the user who requests them.
    pub decrypt: bool,
    /// `eyaml.privateKey`: for levels whose own key cannot be read.
    pub private_key: Option<Arc<str>>,
    /// `eyaml.publicKey`: for levels whose own key cannot be read.
    pub public_key: Option<Arc<str>>,
}

/// What is shown at keys that set class parameters, in addition to hovers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassParameterSettings {
    /// A lens that says which parameter it is.
    pub lenses: bool,
    /// A link to the parameter.
    pub links: bool,
}

/// `inlayHints.*`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlayHintsSettings {
    /// `inlayHints.interpolations`: show the value of `%{…}`.
    pub interpolations: bool,
    /// `inlayHints.overridden`: show the value that overrides another.
    pub overridden: bool,
}

/// One member of `nodes`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodeSettings {
    /// `facts` given as a map.
    pub facts: Hash,
    /// `facts` given as text: the path of a facts file.
    pub facts_file: Option<Arc<str>>,
    /// `trusted`: members of `$trusted`.
    pub trusted: Hash,
    /// `serverFacts`: members of `$server_facts`.
    pub server_facts: Hash,
    /// `variables`: extra top-scope variables.
    pub variables: Hash,
    /// `environment`
    pub environment: Option<Arc<str>>,
}

/// The severity of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// `error`
    Error,
    /// `warning`
    Warning,
    /// `information`
    Information,
    /// `hint`
    Hint,
    /// `off`: the rule does not run.
    Off,
}

/// What the log contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum LogLevel {
    /// `off`
    Off,
    /// `error`
    Error,
    /// `warn`
    #[default]
    Warn,
    /// `info`
    Info,
    /// `debug`
    Debug,
    /// `trace`
    Trace,
}

/// An error in a setting. The wrong part is left out of the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The error, and what to write instead.
    pub message: String,
    /// The range in the project file; empty and at 0 for an editor's settings.
    pub range: TextRange,
    /// The setting's key, such as `diagnostics.severity`, or the unknown key.
    pub key: String,
    /// The source of the setting.
    pub source: SettingsSource,
    /// Whether it is only a warning: the setting is valid, but has no effect, or not the one that was meant.
    pub is_warning: bool,
}

impl SettingsProblem {
    /// The key and the error; only the error if it is about the whole file, or starts with the key.
    pub fn in_words(&self) -> String {
        if self.key.is_empty() || self.message.starts_with(&format!("`{}`", self.key)) {
            return self.message.clone();
        }
        format!("{}: {}", self.key, self.message)
    }
}

/// The source of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SettingsSource {
    /// `.hiera-ls.yaml`
    ProjectFile,
    /// The editor.
    Editor,
}

impl Settings {
    /// [`Self::datadir_map`] in its compiled form.
    pub fn datadirs(&self) -> DatadirMap {
        let pairs = self.datadir_map.iter().map(|(from, to)| (&**from, &**to));
        DatadirMap::new(pairs, self.directory.as_deref().unwrap_or("/"))
    }

    /// Reads and checks the project file's text and the editor's settings (either may be absent), and merges them.
    ///
    /// `rules` are those that `diagnostics.severity` may name; if it is empty, the names are not checked.
    pub fn read(
        project_file: Option<&str>,
        editor: Option<&serde_json::Value>,
        rules: &[RuleName],
    ) -> (Self, Vec<SettingsProblem>) {
        let mut settings = Self::default();
        let mut problems = Vec::new();
        if let Some(text) = project_file {
            let (raw, unreadable) = RawSettings::from_yaml(text);
            problems.extend(unreadable);
            problems.extend(settings.apply(&raw, rules));
        }
        if let Some(json) = editor {
            problems.extend(settings.apply(&RawSettings::from_json(json), rules));
        }
        (settings, problems)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            directory: None,
            baseline_directory: None,
            puppet_version: PuppetVersion::default(),
            node: None,
            node_name: NamePatterns::default(),
            facts: Vec::new(),
            trusted: Hash::new(),
            server_facts: Hash::new(),
            variables: Hash::new(),
            nodes: IndexMap::new(),
            environment: None,
            modulepath: None,
            basemodulepath: vec![
                Arc::from("/etc/puppetlabs/code/modules"),
                Arc::from("/opt/puppetlabs/puppet/modules"),
            ],
            global_hiera_yaml: None,
            datadir_map: IndexMap::new(),
            diagnostics: DiagnosticsSettings {
                enabled: true,
                only_open_files: false,
                preset: Preset::default(),
                severity: SeverityMap::new(),
                severity_by_path: IndexMap::new(),
                baseline: Arc::from(".hiera-ls-baseline.json"),
            },
            hover_max_lines: 20,
            code_lens_enabled: true,
            code_lens_changes: true,
            changes_before: None,
            hover_blame: false,
            class_parameters: ClassParameterSettings::default(),
            code_lens_class_parameters: true,
            inlay_hints: InlayHintsSettings { interpolations: true, overridden: true },
            coexist_with_yaml_language_server: false,
            log_level: LogLevel::default(),
            eyaml: EyamlSettings::default(),
            backends: BackEndSettings::default(),
        }
    }
}

impl Severity {
    /// All severities, highest first, by the names that settings use.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("error", Self::Error),
        ("warning", Self::Warning),
        ("information", Self::Information),
        ("hint", Self::Hint),
        ("off", Self::Off),
    ];
}

impl Preset {
    /// All presets by the names that settings use.
    pub const NAMES: [(&'static str, Self); 3] =
        [("recommended", Self::Recommended), ("strict", Self::Strict), ("ci", Self::Ci)];

    /// The original name of `recommended`, which settings may still use.
    pub const FORMER_NAME: &'static str = "default";
}

impl LogLevel {
    /// All levels, least verbose first, by the names that settings use.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("off", Self::Off),
        ("error", Self::Error),
        ("warn", Self::Warn),
        ("info", Self::Info),
        ("debug", Self::Debug),
        ("trace", Self::Trace),
    ];

    /// The name that settings use.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, level)| *level == self).map_or("warn", |(name, _)| name)
    }
}
