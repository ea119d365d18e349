//! The table of settings: the one place that knows each key's type, default and doc.

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The key as users write it; a dot may be written as nesting.
    pub key: &'static str,
    /// The values that it may have.
    pub kind: Kind,
    /// The default as JSON; `null` where hiera-ls works the value out (the documentation says how).
    pub default: &'static str,
    /// One or more sentences in Markdown.
    pub doc: &'static str,
    /// Where an editor lets users change it.
    pub scope: Scope,
}

/// The values that a setting may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Boolean,
    /// A whole number of at least this.
    Integer(u32),
    /// Whole numbers of this list, or the same as text.
    Version(&'static [i64]),
    /// A word of this list.
    Choice(&'static [&'static str]),
    /// Text.
    Text,
    /// A path.
    Path,
    /// A list of paths (globs where the doc says so); a single text is a list of one.
    PathList,
    /// A list of regular expressions; a single text is a list of one.
    PatternList,
    /// A map from path to path.
    PathMap,
    /// A map from a rule's name to its severity.
    SeverityMap,
    /// A map from a glob to such a map.
    PathSeverityMap,
    /// A map of anything.
    DataMap,
    /// A map from a node's name to its parts.
    Nodes,
}

impl Kind {
    /// Whether it is a map whose members users name.
    pub(super) fn is_map(self) -> bool {
        matches!(
            self,
            Self::PathMap | Self::SeverityMap | Self::PathSeverityMap | Self::DataMap | Self::Nodes
        )
    }
}

/// Where an editor lets users change a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Per user or workspace. A server has one set of settings for all folders of a workspace.
    Window,
    /// Per user, or per workspace that the user trusts: other people's repository must not lead out of itself, decrypt or run
    /// anything.
    Trusted,
    /// Per user of a machine, never per workspace.
    Machine,
}

/// The words for severities.
pub(super) const SEVERITIES: &[&str] = &["error", "warning", "information", "hint", "off"];

/// All settings, in the order of the documentation.
pub const SETTINGS: &[Setting] = &[
    Setting {
        key: "puppetVersion",
        kind: Kind::Version(&[7, 8]),
        default: "8",
        doc: "The major version of Puppet (or OpenVox) to evaluate data for. Version 8 fails where version 7 only warns, for \
              example on an unknown variable in `%{…}`.",
        scope: Scope::Window,
    },
    Setting {
        key: "node",
        kind: Kind::Text,
        default: "null",
        doc: "The name of the node to show values for. Without it, hovers and hints are for any node that reads the file, and \
              list the cases on which a value depends.",
        scope: Scope::Window,
    },
    Setting {
        key: "node_name",
        kind: Kind::PatternList,
        default: "[]",
        doc: "Regular expressions that read variables from the names of nodes, such as \
              `(?<location>[a-z]+)-(?<role>[a-z]+)-\\d+`. A named group `role` sets the fact and the top-scope variable \
              `role` of nodes without fact sets. A pattern must match the whole name, and the first match is used. `hiera-ls nodes` suggests a \
              pattern if the names of the data files fit one.",
        scope: Scope::Window,
    },
    Setting {
        key: "facts",
        kind: Kind::PathList,
        default: "[]",
        doc: "Files, directories or globs with fact sets, in addition to those in the usual places such as `spec/factsets`. \
              All common formats are recognised.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "trusted",
        kind: Kind::DataMap,
        default: "{}",
        doc: "Members of `$trusted` for every node, for example `extensions: {pp_role: web}`. They override those in fact \
              sets.",
        scope: Scope::Window,
    },
    Setting {
        key: "serverFacts",
        kind: Kind::DataMap,
        default: "{}",
        doc: "Members of `$server_facts` for every node. They override those in fact sets.",
        scope: Scope::Window,
    },
    Setting {
        key: "variables",
        kind: Kind::DataMap,
        default: "{}",
        doc: "Top-scope variables for every node, for example those that a node classifier or `site.pp` sets. They override \
              facts of the same name. What the output of a classifier says of a node overrides them.",
        scope: Scope::Window,
    },
    Setting {
        key: "nodes",
        kind: Kind::Nodes,
        default: "{}",
        doc: "Nodes by name. Each may have `facts` (a map, or the path of a facts file), `trusted`, `serverFacts`, `variables` \
              and `environment`. If a fact set already describes the node, these parts replace its own; otherwise the \
              node is added.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "environment",
        kind: Kind::Text,
        default: "null",
        doc: "The environment of nodes that do not name one. All nodes of a directory below `environments/` are \
              in the environment of its name. In any other workspace, the name is not known without this setting, because \
              a checkout can be deployed as any environment.",
        scope: Scope::Window,
    },
    Setting {
        key: "modulepath",
        kind: Kind::PathList,
        default: "null",
        doc: "Directories with modules. Replaces the `modulepath` in `environment.conf`, and is relative to each environment \
              as well.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "basemodulepath",
        kind: Kind::PathList,
        default: r#"["/etc/puppetlabs/code/modules", "/opt/puppetlabs/puppet/modules"]"#,
        doc: "The value of `$basemodulepath` in `environment.conf`.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "globalHieraYaml",
        kind: Kind::Path,
        default: "null",
        doc: "The path to the `hiera.yaml` of the global layer. Without it, there is no global layer.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "datadirMap",
        kind: Kind::PathMap,
        default: "{}",
        doc: "Maps the start of an absolute datadir to a directory on this machine, for example \
              `/etc/puppetlabs/code/hieradata: ../hieradata`. The longest match is used.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "diagnostics.enabled",
        kind: Kind::Boolean,
        default: "true",
        doc: "Shows findings.",
        scope: Scope::Window,
    },
    Setting {
        key: "diagnostics.severity",
        kind: Kind::SeverityMap,
        default: "{}",
        doc: "The severity of each rule: `error`, `warning`, `information`, `hint` or `off`. Rules that are not listed keep \
              their default; `all` sets the severity of all of them.",
        scope: Scope::Window,
    },
    Setting {
        key: "diagnostics.scope",
        kind: Kind::Choice(&["workspace", "openFiles"]),
        default: "\"workspace\"",
        doc: "Which files to show findings for, if the editor can show those of the whole workspace. Other editors only get \
              findings of open files.",
        scope: Scope::Window,
    },
    Setting {
        key: "diagnostics.preset",
        kind: Kind::Choice(&["recommended", "strict", "ci"]),
        default: "\"recommended\"",
        doc: "The severities to start from. `recommended`: each rule's default. `strict`: all rules are on, and each is at \
              least a warning. `ci`: each rule's default, but only errors and warnings.",
        scope: Scope::Window,
    },
    Setting {
        key: "diagnostics.severityByPath",
        kind: Kind::PathSeverityMap,
        default: "{}",
        doc: "Severities for some files only. Maps a glob or a directory, relative to the directory of `.hiera-ls.yaml`, to \
              a map like `diagnostics.severity`. `**` matches any number of directories. If several entries match a file, the \
              last one that lists the rule is used.",
        scope: Scope::Window,
    },
    Setting {
        key: "diagnostics.baseline",
        kind: Kind::Path,
        default: "\".hiera-ls-baseline.json\"",
        doc: "A file with known findings, which are not reported again. `hiera-ls check --write-baseline` writes it. If the \
              file does not exist, all findings are reported.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "hover.maxLines",
        kind: Kind::Integer(1),
        default: "20",
        doc: "The maximum number of lines of a value that a hover shows.",
        scope: Scope::Window,
    },
    Setting {
        key: "codeLens.enabled",
        kind: Kind::Boolean,
        default: "true",
        doc: "Shows a lens above each key that is overridden or merged: how many levels have it, how their values are merged, \
              and which level overrides it. Editors that do not support the commands of the lenses do not get any.",
        scope: Scope::Window,
    },
    Setting {
        key: "codeLens.classParameters",
        kind: Kind::Boolean,
        default: "true",
        doc: "Shows a lens above each class parameter in Puppet code: which levels of the data set it, or how many. Requires \
              `codeLens.enabled`.",
        scope: Scope::Window,
    },
    Setting {
        key: "codeLens.parameters",
        kind: Kind::Boolean,
        default: "false",
        doc: "Shows a lens above each key that sets a class parameter: its class and its type. Hovers always show them.",
        scope: Scope::Window,
    },
    Setting {
        key: "codeLens.changes",
        kind: Kind::Boolean,
        default: "true",
        doc: "Shows a lens above each edited key: how many nodes get another value. Requires `codeLens.enabled`.",
        scope: Scope::Window,
    },
    Setting {
        key: "changes.before",
        kind: Kind::Text,
        default: "\"saved\"",
        doc: "What lenses and *What Changes* compare edits with: `saved` (the saved files), or a Git revision such as `HEAD` or \
              `origin/main`. With a revision, hiera-ls runs Git after each edit. For this reason, a project file can only \
              change this setting in a trusted workspace.",
        scope: Scope::Machine,
    },
    Setting {
        key: "hover.blame",
        kind: Kind::Boolean,
        default: "false",
        doc: "Shows, in hovers, the last commit of each line that contributes to a value. hiera-ls runs Git to find it. For this \
              reason, a project file can only change this setting in a trusted workspace.",
        scope: Scope::Machine,
    },
    Setting {
        key: "documentLinks.parameters",
        kind: Kind::Boolean,
        default: "false",
        doc: "Links each key that sets a class parameter to the parameter. In some editors, such a link replaces *Go to \
              Definition*, which also lists the levels.",
        scope: Scope::Window,
    },
    Setting {
        key: "inlayHints.interpolations",
        kind: Kind::Boolean,
        default: "true",
        doc: "Shows the value of each `%{…}` as an inlay hint.",
        scope: Scope::Window,
    },
    Setting {
        key: "inlayHints.overridden",
        kind: Kind::Boolean,
        default: "true",
        doc: "Shows the effective value as an inlay hint after each overridden value.",
        scope: Scope::Window,
    },
    Setting {
        key: "coexistWithYamlLanguageServer",
        kind: Kind::Boolean,
        default: "false",
        doc: "Does not report syntax errors and duplicate keys, for use with another YAML or JSON language server.",
        scope: Scope::Window,
    },
    Setting {
        key: "log.level",
        kind: Kind::Choice(&["off", "error", "warn", "info", "debug", "trace"]),
        default: "\"warn\"",
        doc: "How much hiera-ls writes to the log.",
        scope: Scope::Window,
    },
    Setting {
        key: "eyaml.decrypt",
        kind: Kind::Boolean,
        default: "false",
        doc: "Decrypts values that are encrypted with eyaml in hovers, previews and `lookup`, if the private key of the level \
              can be read. Diagnostics, reports and the log never contain decrypted text.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "eyaml.privateKey",
        kind: Kind::Path,
        default: "null",
        doc: "The private key (PEM) for levels that do not set `pkcs7_private_key`, or whose key cannot be read on this machine.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "eyaml.publicKey",
        kind: Kind::Path,
        default: "null",
        doc: "The public key (an X.509 certificate, PEM) for levels that do not set `pkcs7_public_key`, or whose key cannot be \
              read on this machine.",
        scope: Scope::Trusted,
    },
    Setting {
        key: "backends",
        kind: Kind::DataMap,
        default: "{}",
        doc: "How to evaluate lookup functions that are not built in. Maps the name of a function or of a level to \
              `{stand_in: FILE}` (sample data, or a map from paths or URIs to files), to `{kind: lookup_key, command: \
              [PROGRAM, …]}` (a program of your own), or to `{}` (the function finds nothing, and no rule reports it). \
              `bridge: enabled` calls the functions of the environment and its modules. hiera-ls only starts programs in \
              trusted workspaces. See docs/backends.md.",
        scope: Scope::Trusted,
    },
];
