//! The Puppet version that the workspace is checked for, which determines the settings `strict` and `strict_variables`.

/// A major version of Puppet with its defaults. OpenVox 8 and 9 count as Puppet 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum PuppetVersion {
    /// `strict=warning`, `strict_variables=false`: unknown variables are empty strings, and some errors are only warnings.
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

    /// The value of `$serverversion` if nothing sets it: the last release of Puppet 7, or the first release of Puppet 8 that
    /// the tests compare with.
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
