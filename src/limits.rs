//! All limits on the amount of work, which only broken or hostile input reaches.
//!
//! Limits that are a matter of taste, such as the number of lines in a hover, are defined where they are used. The table at
//! the end of this file is rendered as docs/limits.md.

/// The maximum nesting of lists and hashes in YAML. libyaml needs quadratic time in the depth, and Ruby itself gives up (`stack
/// level too deep`) at about 900.
pub const MAX_YAML_NESTING: usize = 500;

/// The nesting of lists and objects in JSON at which Ruby refuses a text.
pub const MAX_JSON_NESTING: usize = 100;

/// The maximum number of values in a file after its aliases are expanded. Puppet would need hours for more.
pub const MAX_EXPANDED_VALUES: u64 = 10_000_000;

/// The maximum nesting of lookups (`a` looks up `b`, which looks up `c`, …). Ruby's stack has room for 150 of them, but not
/// for 200.
pub const MAX_LOOKUP_DEPTH: u32 = 200;

/// The maximum depth below a directory at which code is searched for.
pub const MAX_CODE_DEPTH: usize = 32;

/// The maximum number of files with Puppet code in an environment, and of files with Ruby code in a module. No real one has
/// more.
pub const MAX_CODE_FILES: usize = 100_000;

/// The maximum number of steps (sources searched and tokens expanded) of one lookup.
pub const MAX_LOOKUP_STEPS: u32 = 250_000;

/// The maximum nesting of objects, lists and path elements in HOCON. Puppet's hocon gem runs out of stack at some depth, too.
pub const MAX_HOCON_NESTING: usize = 200;

/// The maximum length of a chain of HOCON substitutions.
pub const MAX_HOCON_SUBSTITUTIONS: usize = 300;

/// The maximum number of steps to resolve HOCON: in `a=${b}${b}, b=${c}${c}, …`, each name doubles them.
pub const MAX_HOCON_STEPS: usize = 50_000;

/// The maximum size in bytes of all values that HOCON substitutions copy or concatenate.
pub const MAX_HOCON_BYTES: usize = 128 << 20;

/// The maximum size in bytes of the text that one lookup builds for `%{…}`. If a text contains another one ten times, and
/// that one contains a third one ten times, it has a hundred times the bytes of the third.
pub const MAX_INTERPOLATED_BYTES: usize = 128 << 20;

/// The maximum size in bytes of all values that one action writes in place of the calls that return them.
pub const MAX_INLINED_BYTES: usize = 32 << 20;

/// The maximum number of places of a value that an action extracts into a key.
pub const MAX_EXTRACTED_PLACES: usize = 100;

/// The maximum number of proofs for the fixes of one file, if they are not proved together: parts of them are tried.
pub const MAX_FIX_PROOFS: usize = 64;

/// The maximum number of values that are compared with a type to find the fixes for the parts of one value that do not fit it.
/// Where the type of a part depends on the other members, all of them are compared for each fix.
pub const MAX_TRIED_VALUES: usize = 50_000;

/// The maximum number of files on each side of an entry's file to which actions copy or move the entry: the nearest ones.
pub const MAX_TARGET_FILES: usize = 40;

/// The maximum number of environments for which a file is checked that many of them read, such as one of the global layer.
pub const MAX_ENVIRONMENTS_OF_FILE: usize = 16;

/// The maximum number of files of a hierarchy for which actions say which nodes an override changes: each is looked up in all
/// of them, before and after.
pub const MAX_COMPARED_FILES: usize = 1_000;

/// The maximum number of lookups for nodes without fact sets with which an editor compares keys that look up an edited key, on
/// each side. They take a few seconds; all such keys of a large repository would take minutes.
pub const MAX_SPREAD_LOOKUPS: usize = 8_192;

/// The maximum size in bytes of a message from an editor.
pub const MAX_MESSAGE_BYTES: u64 = 512 << 20;

/// The maximum size in bytes of the header lines before a message.
pub const MAX_MESSAGE_HEADER_BYTES: u64 = 64 << 10;

/// The maximum size in bytes of a file. A larger file counts as unreadable.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// The maximum number of bytes that are read from a file that is reported as empty. Some file systems do not know the sizes
/// of their files.
pub const MAX_SIZELESS_FILE_BYTES: u64 = 1 << 20;

/// The maximum size in bytes of all files that are in memory at once.
pub const MAX_BYTES_READ: u64 = 2 << 30;

/// The maximum number of names in one directory.
pub const MAX_DIRECTORY_NAMES: usize = 1_000_000;

/// The maximum number of places in a file whose bytes are kept although they are not UTF-8. A file with more is hardly data.
pub const MAX_REPLACED_BYTES: usize = 1000;

/// The maximum depth of directories. Anything deeper is not a data tree, or is a link to its own parent.
pub const MAX_DIRECTORY_DEPTH: usize = 64;

/// The maximum number of directories that are searched for the data files of an environment, or listed for one path with
/// variables.
pub const MAX_DIRECTORIES: usize = 100_000;

/// The maximum number of data files of an environment.
pub const MAX_DATA_FILES: usize = 250_000;

/// The maximum number of names that are compared with one glob.
pub const MAX_GLOB_NAMES: usize = 500_000;

/// The maximum number of ways in which the name of a file is split among the variables of a path. With several variables side by
/// side, as in `%{a}%{b}%{c}%{d}.yaml`, a name has thousands of ways.
pub const MAX_NAME_SPLITS: usize = 1_000;

/// The maximum number of such ways for all files of a path, besides one way for each name.
pub const MAX_PATH_SPLITS: usize = 100_000;

/// The maximum number of texts that the braces of one name in a pattern expand to.
pub const MAX_BRACE_ALTERNATIVES: usize = 10_000;

/// The maximum number of bytes that are written while braces are expanded.
pub const MAX_BRACE_BYTES: usize = 16 << 20;

/// The maximum depth below a workspace's folder at which a `hiera.yaml` or environments are searched for, if the folder has none.
pub const MAX_SEARCH_DEPTH: usize = 3;

/// The maximum number of directories of a workspace that are searched for a `hiera.yaml`, if its folder has none.
pub const MAX_SEARCHED_DIRECTORIES: usize = 20_000;

/// The maximum number of values in a `hiera.yaml` after its aliases (`*name`) are expanded.
pub const MAX_CONFIG_VALUES: usize = 100_000;

/// The maximum number of values that aliases bring to `lookup_options`, for rules about them.
pub const MAX_OPTION_VALUES: usize = 100_000;

/// The maximum number of backtracking steps of a regular expression with look-around or back references. Ruby has no limit.
pub const MAX_REGEX_STEPS: usize = 500;

/// The maximum number of comparisons of keys with such patterns in one file, for rules.
pub const MAX_SLOW_COMPARISONS: usize = 20_000;

/// The maximum length in bytes of a path from an editor, and of one that is looked for. No system has files with longer paths.
pub const MAX_PATH_BYTES: usize = 4_096;

/// The maximum number of levels shown that have the name of an earlier level in their `hiera.yaml`. Puppet stops at the
/// first, and finds its line by searching the text.
pub const MAX_LEVEL_NAME_CLASHES: usize = 100;

/// The maximum number of lines of a preview. With aliases, a small file can contain a value of any size.
pub const MAX_PREVIEW_LINES: usize = 100_000;

/// The maximum size in bytes of a preview, except for the line that exceeds it.
pub const MAX_PREVIEW_BYTES: usize = 16 << 20;
/// The maximum number of keys of one file that are compared with other files after each keystroke.
pub const MAX_KEYS_WHILE_TYPING: usize = 2_000;

/// The maximum number of nodes with fact sets whose variables are used for one file after each keystroke.
pub const MAX_NODES_WHILE_TYPING: usize = 64;

/// The maximum size in bytes of a text with escapes or pieces in which each token is located. In a longer text, a token with
/// escapes gets the position of its escapes, and a token in a text of pieces gets that of the whole text.
pub const MAX_SEARCHED_TEXT_BYTES: usize = 64 << 10;

/// The maximum number of different orders in which nodes read the files after one file, for rules about overridden values.
pub const MAX_READ_ORDERS: usize = 32;

/// The maximum number of nodes for which the files of a module after a file are computed.
pub const MAX_READERS_OF_MODULES: usize = 64;

/// A limit as it is documented for users.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// What is counted.
    pub what: &'static str,
    /// The limit.
    pub most: u64,
    /// Whether it is a number of bytes.
    pub is_bytes: bool,
    /// What users see if there is more.
    pub shown: &'static str,
}

const ERROR_OF_FILE: &str =
    "An error in the file, as if Puppet refused it; lookups that read it fail";
const UNREADABLE: &str =
    "The file counts as unreadable; `check` and the status of the server say so";
const REST_LEFT_OUT: &str = "The rest is left out; `check` and the status of the server say so";
const TOO_MANY_WAYS: &str =
    "Answers say that the level may change them, and `readers` that nodes perhaps read its files";
const GIVEN_UP: &str = "The lookup fails with `the lookup was given up`";
const PREVIEW_ENDS: &str = "The preview ends with a line that says so";

/// All limits.
pub const LIMITS: &[Limit] = &[
    bytes("Size of a file", MAX_FILE_BYTES, UNREADABLE),
    bytes(
        "Size of a file that the file system reports as empty",
        MAX_SIZELESS_FILE_BYTES,
        UNREADABLE,
    ),
    bytes("All files that are in memory at once", MAX_BYTES_READ, UNREADABLE),
    count("Names in one directory", MAX_DIRECTORY_NAMES as u64, "The other names count as missing"),
    count(
        "Places in a file that are not UTF-8",
        MAX_REPLACED_BYTES as u64,
        "Strings in JSON have replacement characters at the other places",
    ),
    count("Directories below one another", MAX_DIRECTORY_DEPTH as u64, REST_LEFT_OUT),
    count("Data directories of an environment", MAX_DIRECTORIES as u64, REST_LEFT_OUT),
    count("Data files of an environment, or of a glob", MAX_DATA_FILES as u64, REST_LEFT_OUT),
    count("Names compared with one glob", MAX_GLOB_NAMES as u64, REST_LEFT_OUT),
    count(
        "Ways to split the name of a file among the variables of a path",
        MAX_NAME_SPLITS as u64,
        TOO_MANY_WAYS,
    ),
    count(
        "Such ways for all files of a path, besides one for each name",
        MAX_PATH_SPLITS as u64,
        TOO_MANY_WAYS,
    ),
    count("Names that `{a,b}` in a glob expands to", MAX_BRACE_ALTERNATIVES as u64, REST_LEFT_OUT),
    bytes("Bytes written while `{a,b}` is expanded", MAX_BRACE_BYTES as u64, REST_LEFT_OUT),
    count(
        "Depth below a folder at which a `hiera.yaml` or a directory `environments` is searched for",
        MAX_SEARCH_DEPTH as u64,
        "What is deeper is not found: open its directory, or name it with `--root`",
    ),
    count(
        "Directories searched for a `hiera.yaml`",
        MAX_SEARCHED_DIRECTORIES as u64,
        REST_LEFT_OUT,
    ),
    count(
        "Depth of a directory with code below `manifests`, `lib` and the like",
        MAX_CODE_DEPTH as u64,
        REST_LEFT_OUT,
    ),
    count(
        "Files with Puppet code in an environment, or with Ruby code in a module",
        MAX_CODE_FILES as u64,
        REST_LEFT_OUT,
    ),
    count("Nested lists and hashes in YAML", MAX_YAML_NESTING as u64, ERROR_OF_FILE),
    count("Nested lists and objects in JSON", MAX_JSON_NESTING as u64, ERROR_OF_FILE),
    count(
        "Nested lists, objects and path elements in HOCON",
        MAX_HOCON_NESTING as u64,
        ERROR_OF_FILE,
    ),
    count(
        "Length of a chain of HOCON substitutions",
        MAX_HOCON_SUBSTITUTIONS as u64,
        ERROR_OF_FILE,
    ),
    count("Steps to resolve HOCON", MAX_HOCON_STEPS as u64, ERROR_OF_FILE),
    bytes(
        "Values that HOCON substitutions copy or concatenate",
        MAX_HOCON_BYTES as u64,
        ERROR_OF_FILE,
    ),
    count(
        "Values of a file after its aliases (`*name`) are expanded",
        MAX_EXPANDED_VALUES,
        ERROR_OF_FILE,
    ),
    count(
        "Values of a `hiera.yaml` after its aliases are expanded",
        MAX_CONFIG_VALUES as u64,
        "An error in the file; lookups fail",
    ),
    count(
        "Values that aliases bring to `lookup_options`",
        MAX_OPTION_VALUES as u64,
        "Rules about lookup options report nothing in the entry",
    ),
    count("Nested lookups", MAX_LOOKUP_DEPTH as u64, GIVEN_UP),
    count("Steps of one lookup", MAX_LOOKUP_STEPS as u64, GIVEN_UP),
    bytes("Text that one lookup builds for `%{…}`", MAX_INTERPOLATED_BYTES as u64, GIVEN_UP),
    count(
        "Backtracking steps of a pattern with look-around or back references",
        MAX_REGEX_STEPS as u64,
        "The pattern does not match that key",
    ),
    count(
        "Comparisons of keys with such patterns, for the rules about patterns in one file",
        MAX_SLOW_COMPARISONS as u64,
        "These rules leave the other patterns out",
    ),
    count(
        "Levels that have the name of an earlier level",
        MAX_LEVEL_NAME_CLASHES as u64,
        "The others are shown after you fix these",
    ),
    count("Lines of a preview", MAX_PREVIEW_LINES as u64, PREVIEW_ENDS),
    bytes("Bytes of a preview", MAX_PREVIEW_BYTES as u64, PREVIEW_ENDS),
    count(
        "Different orders in which nodes read the files below one file",
        MAX_READ_ORDERS as u64,
        "Rules about overridden values report nothing in the file",
    ),
    count(
        "Nodes for which hiera-ls finds the files of a module that they read",
        MAX_READERS_OF_MODULES as u64,
        "Rules about overridden values report nothing for the module's keys",
    ),
    count(
        "Keys of one file that are compared with other files after each keystroke",
        MAX_KEYS_WHILE_TYPING as u64,
        "The status of the server says so; `check` compares all",
    ),
    count(
        "Nodes with fact sets whose variables are used for one file after each keystroke",
        MAX_NODES_WHILE_TYPING as u64,
        "Findings are for the first nodes only; `check` uses all nodes",
    ),
    bytes(
        "A concatenated HOCON string in which `%{…}` is located",
        MAX_SEARCHED_TEXT_BYTES as u64,
        "A finding underlines the whole text",
    ),
    bytes(
        "The values that \"Inline … everywhere\" writes",
        MAX_INLINED_BYTES as u64,
        "The action is disabled and says why",
    ),
    count(
        "Places of a value that \"Extract the value …\" replaces",
        MAX_EXTRACTED_PLACES as u64,
        "The action is not offered",
    ),
    count(
        "Proofs for the fixes of one file",
        MAX_FIX_PROOFS as u64,
        "Fixes that are not proved are left out",
    ),
    count(
        "Values compared with a type to find the fixes for the wrong parts of one value",
        MAX_TRIED_VALUES as u64,
        "The other parts have no fixes",
    ),
    count(
        "Files above and files below for which \"Override …\" and \"Move …\" are offered",
        MAX_TARGET_FILES as u64,
        "A disabled action says how many files are left out",
    ),
    count(
        "Environments for which a file is checked that several environments read",
        MAX_ENVIRONMENTS_OF_FILE as u64,
        "A note says how many environments read the file",
    ),
    count(
        "Files of a hierarchy for which \"Override …\" and \"Move …\" say which nodes change",
        MAX_COMPARED_FILES as u64,
        "The titles say that the nodes are not compared",
    ),
    count(
        "Lookups for nodes without fact sets with which \"What Changes\" compares keys that look up an edited key",
        MAX_SPREAD_LOOKUPS as u64,
        "The view says for how many keys nothing is proved; `diff` compares all",
    ),
    bytes(
        "A message from an editor",
        MAX_MESSAGE_BYTES,
        "The session ends with an error in the log",
    ),
    bytes(
        "The header lines before a message from an editor",
        MAX_MESSAGE_HEADER_BYTES,
        "The session ends with an error in the log",
    ),
    bytes(
        "A path that an editor names",
        MAX_PATH_BYTES as u64,
        "The file is not part of the workspace",
    ),
];

/// The table of docs/limits.md.
pub fn markdown_table() -> String {
    let row = |limit: &Limit| {
        let most = match limit.most {
            most if limit.is_bytes && most % (1 << 30) == 0 => format!("{} GiB", most >> 30),
            most if limit.is_bytes && most % (1 << 20) == 0 => format!("{} MiB", most >> 20),
            most if limit.is_bytes && most % (1 << 10) == 0 => format!("{} KiB", most >> 10),
            most => with_separators(most),
        };
        format!("| {} | {most} | {} |\n", limit.what, limit.shown)
    };
    let rows: String = LIMITS.iter().map(row).collect();
    format!("| What | Limit | What you see where there is more |\n|---|--:|---|\n{rows}")
}

fn with_separators(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

const fn count(what: &'static str, most: u64, shown: &'static str) -> Limit {
    Limit { what, most, is_bytes: false, shown }
}

const fn bytes(what: &'static str, most: u64, shown: &'static str) -> Limit {
    Limit { what, most, is_bytes: true, shown }
}
