//! The table of settings: the one place that knows each key's type, default and doc.

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The key as users write it; a dot may be written as nesting.
    pub key: &'static str,
    /// What it may hold.
    pub kind: Kind,
    /// The default as JSON; `null` where the program decides by itself (the doc says how).
    pub default: &'static str,
    /// One or more sentences in Markdown.
    pub doc: &'static str,
    /// Where an editor lets one set it.
    pub scope: Scope,
}

/// What a setting may hold.
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

/// Where an editor lets one set a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Per user, workspace or folder: it changes what is answered about a file.
    Resource,
    /// Per user or workspace window: it changes how the program runs.
    Window,
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
        doc: "Which Puppet the answers are for. Puppet 8 and OpenVox 8 fail where Puppet 7 only warns, such as \
              an unknown variable in `%{…}`.",
        scope: Scope::Resource,
    },
    Setting {
        key: "node",
        kind: Kind::Text,
        default: "null",
        doc: "The name of the node whose values hovers and hints show. Without it, each file is shown for any node that \
              reads it, and what a value depends on is listed as cases.",
        scope: Scope::Resource,
    },
    Setting {
        key: "node_name",
        kind: Kind::PatternList,
        default: "[]",
        doc: "Regular expressions with named groups that read variables out of the names of nodes, such as \
              `(?<location>[a-z]+)-(?<role>[a-z]+)-\\d+`. A pattern must match the whole name; the first one that does \
              counts. A group `role` proves the fact and the top-scope variable `role`. `hiera-ls nodes` suggests a \
              pattern if the names of the data files fit one.",
        scope: Scope::Resource,
    },
    Setting {
        key: "facts",
        kind: Kind::PathList,
        default: "[]",
        doc: "Files, directories or globs with fact sets (every usual format is recognised), beside those found in \
              the usual places such as `spec/factsets`.",
        scope: Scope::Resource,
    },
    Setting {
        key: "trusted",
        kind: Kind::DataMap,
        default: "{}",
        doc: "Members of `$trusted` for every node, e.g. `extensions: {pp_role: web}`. They win over what a fact set \
              says.",
        scope: Scope::Resource,
    },
    Setting {
        key: "serverFacts",
        kind: Kind::DataMap,
        default: "{}",
        doc: "Members of `$server_facts` for every node.",
        scope: Scope::Resource,
    },
    Setting {
        key: "variables",
        kind: Kind::DataMap,
        default: "{}",
        doc: "Extra top-scope variables for every node: what a node classifier or `site.pp` sets. They win over facts \
              of the same name.",
        scope: Scope::Resource,
    },
    Setting {
        key: "nodes",
        kind: Kind::Nodes,
        default: "{}",
        doc: "Nodes by name, each with any of `facts` (a map, or the path of a facts file), `trusted`, `serverFacts`, \
              `variables` and `environment`. A node that a facts file already describes is changed in these parts; \
              any other is added.",
        scope: Scope::Resource,
    },
    Setting {
        key: "environment",
        kind: Kind::Text,
        default: "null",
        doc: "Environment of nodes that name none. Without it, a directory below `environments/` gives its name, and \
              any other workspace is `production`.",
        scope: Scope::Resource,
    },
    Setting {
        key: "modulepath",
        kind: Kind::PathList,
        default: "null",
        doc: "Directories with modules, instead of the `modulepath` of `environment.conf`.",
        scope: Scope::Resource,
    },
    Setting {
        key: "basemodulepath",
        kind: Kind::PathList,
        default: r#"["/etc/puppetlabs/code/modules", "/opt/puppetlabs/puppet/modules"]"#,
        doc: "What `$basemodulepath` stands for in `environment.conf`.",
        scope: Scope::Resource,
    },
    Setting {
        key: "globalHieraYaml",
        kind: Kind::Path,
        default: "null",
        doc: "Path of the global layer's `hiera.yaml`. Without it, there is no global layer.",
        scope: Scope::Resource,
    },
    Setting {
        key: "datadirMap",
        kind: Kind::PathMap,
        default: "{}",
        doc: "Leading directories of absolute datadirs, and where their content is on this machine, e.g. \
              `/etc/puppetlabs/code/hieradata: ../hieradata`. The longest match wins.",
        scope: Scope::Resource,
    },
    Setting {
        key: "diagnostics.enabled",
        kind: Kind::Boolean,
        default: "true",
        doc: "Whether problems are shown at all.",
        scope: Scope::Resource,
    },
    Setting {
        key: "diagnostics.severity",
        kind: Kind::SeverityMap,
        default: "{}",
        doc: "Severity by rule: `error`, `warning`, `information`, `hint` or `off`. Rules that are not named keep \
              their default; `all` names those.",
        scope: Scope::Resource,
    },
    Setting {
        key: "diagnostics.scope",
        kind: Kind::Choice(&["workspace", "openFiles"]),
        default: "\"workspace\"",
        doc: "Whose problems an editor gets that asks for those of the whole workspace. Other editors only ever get those \
              of open files.",
        scope: Scope::Resource,
    },
    Setting {
        key: "diagnostics.preset",
        kind: Kind::Choice(&["recommended", "strict", "ci"]),
        default: "\"recommended\"",
        doc: "Where the severities begin: with each rule's own; in `strict` with every rule on and nothing less than a \
              warning; in `ci` with each rule's own, but only errors and warnings.",
        scope: Scope::Resource,
    },
    Setting {
        key: "diagnostics.severityByPath",
        kind: Kind::PathSeverityMap,
        default: "{}",
        doc: "Severities by rule for some files only: a map from a glob, or a directory, to what `diagnostics.severity` \
              holds. `**` stands for any number of directories. Where several match a file, the last one that names \
              the rule counts.",
        scope: Scope::Resource,
    },
    Setting {
        key: "diagnostics.baseline",
        kind: Kind::Path,
        default: "\".hiera-ls-baseline.json\"",
        doc: "File with findings that are known and not reported any more, written by `hiera-ls check \
              --write-baseline`. If the file does not exist, everything is reported.",
        scope: Scope::Resource,
    },
    Setting {
        key: "hover.maxLines",
        kind: Kind::Integer(1),
        default: "20",
        doc: "How many lines of a value a hover shows.",
        scope: Scope::Resource,
    },
    Setting {
        key: "codeLens.enabled",
        kind: Kind::Boolean,
        default: "true",
        doc: "Whether a lens above each key that several levels have says how many they are, how they are merged and \
              who wins. Editors without the commands behind the lenses get none.",
        scope: Scope::Resource,
    },
    Setting {
        key: "codeLens.classParameters",
        kind: Kind::Boolean,
        default: "true",
        doc: "Whether a lens above each parameter in the head of a class says which levels of the data set it, or how many. \
               Only with `codeLens.enabled`.",
        scope: Scope::Resource,
    },
    Setting {
        key: "codeLens.parameters",
        kind: Kind::Boolean,
        default: "false",
        doc: "Whether a lens above each key that sets a class parameter says of which class, and what its type is. Hovers say so \
              in any case.",
        scope: Scope::Resource,
    },
    Setting {
        key: "codeLens.changes",
        kind: Kind::Boolean,
        default: "true",
        doc: "Whether a lens above each edited key says how many nodes get another answer. Only with `codeLens.enabled`.",
        scope: Scope::Resource,
    },
    Setting {
        key: "changes.before",
        kind: Kind::Text,
        default: "\"saved\"",
        doc: "What edits are compared with, in lenses and in *What Changes*: `saved`, the files as they are saved; or a revision of \
              Git, such as `HEAD` or `origin/main`. With a revision, Git is run whenever something is edited, so this is a \
              setting of the user: a project file may only set it where the workspace is trusted.",
        scope: Scope::Machine,
    },
    Setting {
        key: "hover.blame",
        kind: Kind::Boolean,
        default: "false",
        doc: "Whether hovers name the commit behind each line that has a part in a value. Git is run for that, so this is a setting \
              of the user: a project file may only set it where the workspace is trusted.",
        scope: Scope::Machine,
    },
    Setting {
        key: "documentLinks.parameters",
        kind: Kind::Boolean,
        default: "false",
        doc: "Whether each key that sets a class parameter is a link to it. In some editors, such a link takes the place of go to \
              definition, which leads to the levels as well.",
        scope: Scope::Resource,
    },
    Setting {
        key: "inlayHints.interpolations",
        kind: Kind::Boolean,
        default: "true",
        doc: "Whether hints behind `%{…}` show what it stands for.",
        scope: Scope::Resource,
    },
    Setting {
        key: "inlayHints.overridden",
        kind: Kind::Boolean,
        default: "true",
        doc: "Whether hints behind overridden values show what counts instead.",
        scope: Scope::Resource,
    },
    Setting {
        key: "coexistWithYamlLanguageServer",
        kind: Kind::Boolean,
        default: "false",
        doc: "Leaves syntax errors and duplicate keys to another YAML or JSON language server that runs beside this \
              one.",
        scope: Scope::Resource,
    },
    Setting {
        key: "log.level",
        kind: Kind::Choice(&["off", "error", "warn", "info", "debug", "trace"]),
        default: "\"warn\"",
        doc: "What the log contains.",
        scope: Scope::Window,
    },
    Setting {
        key: "eyaml.decrypt",
        kind: Kind::Boolean,
        default: "false",
        doc: "Shows values that are encrypted with eyaml decrypted in hovers, previews and `lookup`, where the level's \
              private key can be read. Diagnostics, reports and the log never hold decrypted text.",
        scope: Scope::Resource,
    },
    Setting {
        key: "eyaml.privateKey",
        kind: Kind::Path,
        default: "null",
        doc: "Private key (PEM) for levels whose own `pkcs7_private_key` is not named or cannot be read here.",
        scope: Scope::Resource,
    },
    Setting {
        key: "eyaml.publicKey",
        kind: Kind::Path,
        default: "null",
        doc: "Public key (an X.509 certificate, PEM) for levels whose own `pkcs7_public_key` is not named or cannot be \
              read here.",
        scope: Scope::Resource,
    },
    Setting {
        key: "backends",
        kind: Kind::DataMap,
        default: "{}",
        doc: "What answers for functions that are not built in, by the name of the function or of the level: \
              `{stand_in: FILE}` for sample data (or a map from paths or URIs to files), `{kind: lookup_key, command: \
              [PROGRAM, …]}` for a program of your own, `{}` for nothing, without a finding. `bridge: enabled` calls the \
              functions of the environment and its modules. Programs are only started in trusted workspaces; see \
              docs/backends.md.",
        scope: Scope::Resource,
    },
];
