//! The settings: one table of key, type, default and doc, read from the project file and from the editor.
//!
//! The project file (`.hiera-ls.yaml` in the workspace's root) is the base that a team shares. What an editor sets
//! wins over it, key by key; a key that the editor leaves out or gives as `null` is not set. Where both give a map
//! (`nodes`, `variables`, `diagnostics.severity`, …), the maps are joined, and the editor's members win; lists and
//! single values are replaced. Relative paths are relative to the workspace's root.

mod check;
mod complete;
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
pub use render::{json_schema, markdown_table, vscode_configuration};
pub use similar::nearest_name;
pub use table::{Kind, SETTINGS, Scope, Setting};

/// The name of the project file, in the workspace's root.
pub const PROJECT_FILE: &str = ".hiera-ls.yaml";

/// What stands before every key in an editor's settings: `hiera.node`.
pub const EDITOR_PREFIX: &str = "hiera";

/// All settings, checked: every field holds something that makes sense.
#[expect(clippy::struct_excessive_bools, reason = "each is a setting")]
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The directory where their relative paths begin: of the project file, else the first folder. Whoever reads them
    /// says it.
    pub directory: Option<Arc<str>>,
    /// `puppetVersion`
    pub puppet_version: PuppetVersion,
    /// `node`: the active node's name; `None` leaves the choice to the program.
    pub node: Option<Arc<str>>,
    /// `node_name`: regular expressions that read variables out of the names of nodes.
    pub node_name: NamePatterns,
    /// `facts`: files, directories and globs with fact sets, beside those found by convention.
    pub facts: Vec<Arc<str>>,
    /// `trusted`: members of `$trusted` for every node.
    pub trusted: Hash,
    /// `serverFacts`: members of `$server_facts` for every node.
    pub server_facts: Hash,
    /// `variables`: extra top-scope variables for every node.
    pub variables: Hash,
    /// `nodes`: nodes by name; parts of nodes found elsewhere, or whole nodes.
    pub nodes: IndexMap<Arc<str>, NodeSettings>,
    /// `environment`: the environment of nodes that name none; `None` leaves it to the workspace's layout.
    pub environment: Option<Arc<str>>,
    /// `modulepath`: directories with modules; `None` leaves it to `environment.conf`.
    pub modulepath: Option<Vec<Arc<str>>>,
    /// `basemodulepath`: what `$basemodulepath` stands for in `environment.conf`.
    pub basemodulepath: Vec<Arc<str>>,
    /// `globalHieraYaml`: the path of the global layer's `hiera.yaml`.
    pub global_hiera_yaml: Option<Arc<str>>,
    /// `datadirMap`: leading directories of absolute datadirs, and where their content is on this machine.
    pub datadir_map: IndexMap<Arc<str>, Arc<str>>,
    /// `diagnostics.*`
    pub diagnostics: DiagnosticsSettings,
    /// `hover.maxLines`: how many lines of a value a hover shows.
    pub hover_max_lines: u32,
    /// `codeLens.enabled`: say above keys that several levels have them.
    pub code_lens_enabled: bool,
    /// `codeLens.changes`: say above edited keys how many nodes get another answer.
    pub code_lens_changes: bool,
    /// `changes.before`: the revision that edits are compared with; `None`: the saved files.
    pub changes_before: Option<Arc<str>>,
    /// `hover.blame`: name the commit behind each line.
    pub hover_blame: bool,
    /// `codeLens.parameters`, `documentLinks.parameters`
    pub class_parameters: ClassParameterSettings,
    /// `codeLens.classParameters`: say above parameters in the heads of classes which levels set them.
    pub code_lens_class_parameters: bool,
    /// `inlayHints.*`
    pub inlay_hints: InlayHintsSettings,
    /// `coexistWithYamlLanguageServer`: leave plain YAML errors to another language server.
    pub coexist_with_yaml_language_server: bool,
    /// `log.level`
    pub log_level: LogLevel,
    /// `eyaml.*`
    pub eyaml: EyamlSettings,
    /// `backends`: what answers for functions that are not built in.
    pub backends: BackEndSettings,
}

/// `diagnostics.*`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticsSettings {
    /// `diagnostics.enabled`
    pub enabled: bool,
    /// `diagnostics.scope`: whether nothing is said of files that no editor has open.
    pub only_open_files: bool,
    /// `diagnostics.preset`
    pub preset: Preset,
    /// `diagnostics.severity`: rules whose severity is not their default.
    pub severity: SeverityMap,
    /// `diagnostics.severityByPath`: the same for the files that a pattern matches; the last one counts.
    pub severity_by_path: IndexMap<Arc<str>, SeverityMap>,
    /// `diagnostics.baseline`: the file with the findings that are known already.
    pub baseline: Arc<str>,
}

/// Severities by rule; [`ALL_RULES`] stands for those that are not named.
pub type SeverityMap = IndexMap<Arc<str>, Severity>;

/// What stands for all rules in a [`SeverityMap`].
pub const ALL_RULES: &str = "all";

/// What a rule may be called in settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleName {
    /// The code that it has.
    pub code: &'static str,
    /// Codes that it had in earlier versions.
    pub former: &'static [&'static str],
    /// What it finds, in one sentence.
    pub summary: &'static str,
}

/// Where the rules' severities begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// `recommended`: each rule's own.
    #[default]
    Recommended,
    /// `strict`: every rule is on, and at least a warning. What a rule is not certain of is left out.
    Strict,
    /// `ci`: errors and warnings alone.
    Ci,
}

/// `eyaml.*`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EyamlSettings {
    /// `eyaml.decrypt`: whether encrypted values may be shown decrypted to the user who asks for them.
    pub decrypt: bool,
    /// `eyaml.privateKey`: for levels whose own cannot be read.
    pub private_key: Option<Arc<str>>,
    /// `eyaml.publicKey`, likewise.
    pub public_key: Option<Arc<str>>,
}

/// What is shown at keys that set class parameters, beside hovers.
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
    /// `inlayHints.interpolations`: show what `%{…}` stands for.
    pub interpolations: bool,
    /// `inlayHints.overridden`: show what counts in the place of an overridden value.
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

/// How loudly a rule speaks.
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
    /// `off`: not at all.
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

/// Something wrong with a setting. The settings that were read leave the wrong part out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblem {
    /// What is wrong, and what to write instead.
    pub message: String,
    /// Where in the project file; empty and at 0 for an editor's settings.
    pub range: TextRange,
    /// The setting's key, e.g. `diagnostics.severity`, or the unknown one.
    pub key: String,
    /// Who said it.
    pub source: SettingsSource,
    /// Whether it is only a warning: a name that is not known.
    pub is_warning: bool,
}

/// Who a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SettingsSource {
    /// `.hiera-ls.yaml`
    ProjectFile,
    /// The editor.
    Editor,
}

impl Settings {
    /// [`Self::datadir_map`], ready to be asked.
    pub fn datadirs(&self) -> DatadirMap {
        let pairs = self.datadir_map.iter().map(|(from, to)| (&**from, &**to));
        DatadirMap::new(pairs, self.directory.as_deref().unwrap_or("/"))
    }

    /// Reads and checks the project file's text and the editor's settings (either may be absent), and joins them.
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
    /// All of them, loudest first, under the names that settings use.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("error", Self::Error),
        ("warning", Self::Warning),
        ("information", Self::Information),
        ("hint", Self::Hint),
        ("off", Self::Off),
    ];
}

impl Preset {
    /// All of them under the names that settings use.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("recommended", Self::Recommended),
        ("strict", Self::Strict),
        ("ci", Self::Ci),
        // What `recommended` was called first.
        ("default", Self::Recommended),
    ];
}

impl LogLevel {
    /// All of them, quietest first, under the names that settings use.
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
