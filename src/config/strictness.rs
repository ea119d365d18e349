//! Which Puppet the workspace is checked for: the settings `strict` and `strict_variables` follow from it.

/// A major version of Puppet with its own defaults. OpenVox 8 and 9 count as Puppet 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum PuppetVersion {
    /// `strict=warning`, `strict_variables=false`: unknown variables are empty texts, many errors are warnings.
    V7,
    /// `strict=error`, `strict_variables=true`.
    #[default]
    V8,
}

impl PuppetVersion {
    /// `strict=error`: version 3 files in environments and modules, data files without a hash and duplicates are errors.
    pub fn is_strict(self) -> bool {
        self == Self::V8
    }

    /// What `$serverversion` is where nothing else is known: the last release of Puppet 7, and the first that 8 is compared with.
    pub fn usual_server_version(self) -> &'static str {
        match self {
            Self::V7 => "7.34.0",
            Self::V8 => "8.11.0",
        }
    }

    /// `strict_variables=true`: an undefined variable is an error, except in the locations of a `hiera.yaml`.
    pub fn has_strict_variables(self) -> bool {
        self == Self::V8
    }
}
