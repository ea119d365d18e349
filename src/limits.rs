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
