//! How much of anything is worked on, named in one place: what broken or hostile input meets, and nothing else.
//!
//! Limits of taste, such as how many lines a hover shows, stand where they are used. docs/limits.md says what people see
//! where one of these is met.

/// Objects, lists and names of a path below one another in HOCON. Puppet's hocon gem runs out of stack at some depth, too.
pub const MAX_HOCON_NESTING: usize = 200;

/// Substitutions of HOCON that lead to one another.
pub const MAX_HOCON_SUBSTITUTIONS: usize = 300;

/// Steps of resolving HOCON: `a=${b}${b}, b=${c}${c}, …` doubles them with each name.
pub const MAX_HOCON_STEPS: usize = 50_000;

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

/// Directories below one another. What leads deeper is no tree of data, or a link to its own parent.
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
