//! The checked content of the setting `backends`.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;

use crate::config::hiera_yaml::FunctionKind;

/// The default time limit of a function.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

/// `backends`
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BackEndSettings {
    /// By the name of a function or of a level.
    pub functions: IndexMap<Arc<str>, FunctionSettings>,
    /// `bridge`
    pub bridge: BridgeSettings,
}

/// One member of `backends`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FunctionSettings {
    /// `kind`: its calling convention; any if it is absent.
    pub kind: Option<FunctionKind>,
    /// `stand_in`
    pub stand_in: Vec<StandInFile>,
    /// `command`: program and arguments.
    pub command: Option<Vec<Arc<str>>>,
    /// `timeout`
    pub timeout: Option<Duration>,
    /// Whether `command` may run: it comes from outside the workspace, or the workspace is trusted.
    pub is_trusted: bool,
}

/// Sample data for a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandInFile {
    /// The path or URI that it is for; `None` for all.
    pub site: Option<Arc<str>>,
    /// The file, from the workspace's root.
    pub file: Arc<str>,
}

/// `backends.bridge`
#[derive(Debug, Clone, PartialEq)]
pub struct BridgeSettings {
    /// Whether the functions of the environment and its modules are called.
    pub is_enabled: bool,
    /// `ruby`: the Ruby that has Puppet.
    pub ruby: Option<Arc<str>>,
    /// `timeout`
    pub timeout: Duration,
    /// As [`FunctionSettings::is_trusted`].
    pub is_trusted: bool,
}

impl BackEndSettings {
    /// A copy with nothing held back: the user allowed the workspace's settings to start programs.
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.bridge.is_trusted = true;
        for function in self.functions.values_mut() {
            function.is_trusted = true;
        }
        self
    }

    /// A copy in which no program may run.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.bridge.is_trusted = false;
        for function in self.functions.values_mut() {
            function.is_trusted = false;
        }
        self
    }

    /// Whether programs may be started.
    pub fn starts_programs(&self) -> bool {
        self.bridge.is_enabled && self.bridge.is_trusted
            || self.functions.values().any(|it| it.is_trusted && it.command.is_some())
    }

    /// Whether the results of some function may come from what the settings describe. The trust in them alone means nothing.
    pub fn describe_functions(&self) -> bool {
        self.bridge.is_enabled || !self.functions.is_empty()
    }

    /// The settings of a level's function: by the level's name, or else by the function's.
    pub fn of(&self, level: &str, function: &str, kind: FunctionKind) -> Option<&FunctionSettings> {
        let named =
            |name| self.functions.get(name).filter(|it| it.kind.is_none_or(|is| is == kind));
        // The level comes first: several levels may call the same function with other options.
        named(level).or_else(|| named(function))
    }
}

impl Default for BridgeSettings {
    fn default() -> Self {
        Self { is_enabled: false, ruby: None, timeout: DEFAULT_TIMEOUT, is_trusted: false }
    }
}
