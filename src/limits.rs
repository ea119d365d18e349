//! How much of anything is worked on, named in one place: what broken or hostile input meets, and nothing else.
//!
//! Limits of taste, such as how many lines a hover shows, stand where they are used. docs/limits.md is written from the
//! table at the end.

use crate::data::lower::MAX_EXPANDED_VALUES;
use crate::engine::budget::{MAX_LOOKUP_DEPTH, MAX_STEPS};
use crate::syntax::{json, yaml};

/// Objects, lists and names of a path below one another in HOCON. Puppet's hocon gem runs out of stack at some depth, too.
pub const MAX_HOCON_NESTING: usize = 200;

/// Substitutions of HOCON that lead to one another.
pub const MAX_HOCON_SUBSTITUTIONS: usize = 300;

/// Steps of resolving HOCON: `a=${b}${b}, b=${c}${c}, …` doubles them with each name.
pub const MAX_HOCON_STEPS: usize = 50_000;

/// Bytes of all values that substitutions of HOCON copy, and that are put together from pieces.
pub const MAX_HOCON_BYTES: usize = 128 << 20;

/// Bytes of text that one lookup puts together for `%{…}`. A text that takes another one ten times, which takes another one
/// ten times, has a thousand times its bytes.
pub const MAX_INTERPOLATED_BYTES: usize = 128 << 20;

/// Bytes of one message from an editor.
pub const MAX_MESSAGE_BYTES: u64 = 512 << 20;

/// Bytes of the lines before a message that say how long it is.
pub const MAX_MESSAGE_HEADER_BYTES: u64 = 64 << 10;

/// Bytes of one file. A larger one is an error, as if it could not be read.
pub const MAX_FILE_BYTES: u64 = 256 << 20;

/// Bytes of a file that is said to have none. Some file systems do not know the sizes of their files.
pub const MAX_SIZELESS_FILE_BYTES: u64 = 1 << 20;

/// Bytes of all files together that are in memory at once.
pub const MAX_BYTES_READ: u64 = 2 << 30;

/// Names in one directory.
pub const MAX_DIRECTORY_NAMES: usize = 1_000_000;

/// Directories below one another. What lies deeper is not a data tree, or a link to its own parent.
pub const MAX_DIRECTORY_DEPTH: usize = 64;

/// Directories that are looked at for the data files of an environment.
pub const MAX_DIRECTORIES: usize = 100_000;

/// Data files of an environment.
pub const MAX_DATA_FILES: usize = 250_000;

/// Names that are compared with one glob.
pub const MAX_GLOB_NAMES: usize = 500_000;

/// Texts that one name of a pattern stands for by its braces.
pub const MAX_BRACE_ALTERNATIVES: usize = 10_000;

/// Bytes written while braces are multiplied out.
pub const MAX_BRACE_BYTES: usize = 16 << 20;

/// Directories of a workspace that are searched for a `hiera.yaml`, if its folder has none.
pub const MAX_SEARCHED_DIRECTORIES: usize = 20_000;

/// Steps that a regular expression with look-around or back references may go back in one text. Ruby knows no limit.
pub const MAX_REGEX_STEPS: usize = 10_000;

/// Bytes of a path that an editor names. No system has files with longer ones.
pub const MAX_PATH_BYTES: usize = 4_096;

/// Levels of a `hiera.yaml` with the name of an earlier one that are shown. Puppet stops at the first, and finds its line by
/// searching the text.
pub const MAX_LEVEL_NAME_CLASHES: usize = 100;

/// Lines of a preview. Aliases can make a value of any size out of a small file.
pub const MAX_PREVIEW_LINES: usize = 100_000;

/// Bytes of a preview, but for the line that reaches them.
pub const MAX_PREVIEW_BYTES: usize = 16 << 20;
/// Keys of one file that are compared with other files after each keystroke.
pub const MAX_KEYS_WHILE_TYPING: usize = 2_000;

/// Nodes with fact sets whose variables count for one file after each keystroke.
pub const MAX_NODES_WHILE_TYPING: usize = 64;

/// Bytes of a text with escapes or pieces that is searched for each of its tokens. In a longer one, the place of a token
/// with escapes is the place of its escapes, and that of a text in pieces is the whole text.
pub const MAX_SEARCHED_TEXT_BYTES: usize = 64 << 10;

/// Different orders in which nodes read what comes after one file, which rules about overridden values look at.
pub const MAX_READ_ORDERS: usize = 32;

/// Nodes that are asked what they read of one module after a file.
pub const MAX_READERS_OF_MODULES: usize = 64;

/// A limit, as people are told of it.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    /// What is counted.
    pub what: &'static str,
    /// How much of it is worked on.
    pub most: u64,
    /// Whether it is a number of bytes.
    pub is_bytes: bool,
    /// What people see where there is more.
    pub shown: &'static str,
}

const ERROR_OF_FILE: &str =
    "An error in the file, as if Puppet refused it; lookups that read it fail";
const UNREADABLE: &str =
    "The file counts as unreadable; `check` and the status of the server say so";
const REST_LEFT_OUT: &str = "The rest is left out; `check` and the status of the server say so";
const GIVEN_UP: &str = "The lookup fails with `the lookup was given up`";
const PREVIEW_ENDS: &str = "The preview ends with a line that says so";

/// All of them.
pub const LIMITS: &[Limit] = &[
    bytes("Size of a file", MAX_FILE_BYTES, UNREADABLE),
    bytes(
        "Size of a file that the file system reports as empty",
        MAX_SIZELESS_FILE_BYTES,
        UNREADABLE,
    ),
    bytes("All files that are in memory at once", MAX_BYTES_READ, UNREADABLE),
    count("Names in one directory", MAX_DIRECTORY_NAMES as u64, "The other names count as missing"),
    count("Directories below one another", MAX_DIRECTORY_DEPTH as u64, REST_LEFT_OUT),
    count("Data directories of an environment", MAX_DIRECTORIES as u64, REST_LEFT_OUT),
    count("Data files of an environment, or of a glob", MAX_DATA_FILES as u64, REST_LEFT_OUT),
    count("Names compared with one glob", MAX_GLOB_NAMES as u64, REST_LEFT_OUT),
    count("Names that `{a,b}` in a glob expands to", MAX_BRACE_ALTERNATIVES as u64, REST_LEFT_OUT),
    bytes("Bytes written while `{a,b}` is expanded", MAX_BRACE_BYTES as u64, REST_LEFT_OUT),
    count(
        "Directories searched for a `hiera.yaml`",
        MAX_SEARCHED_DIRECTORIES as u64,
        REST_LEFT_OUT,
    ),
    count("Nested lists and hashes in YAML", yaml::MAX_NESTING as u64, ERROR_OF_FILE),
    count("Nested lists and objects in JSON", json::MAX_NESTING as u64, ERROR_OF_FILE),
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
    count("Nested lookups", MAX_LOOKUP_DEPTH as u64, GIVEN_UP),
    count("Steps of one lookup", MAX_STEPS as u64, GIVEN_UP),
    bytes("Text that one lookup builds for `%{…}`", MAX_INTERPOLATED_BYTES as u64, GIVEN_UP),
    count(
        "Backtracking steps of a pattern with look-around or back references",
        MAX_REGEX_STEPS as u64,
        "The pattern does not match that key",
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
