//! Rules about what the strings of an entry refer to: variables, other keys, and their values.

pub(super) mod dig_type_mismatch;
pub(super) mod legacy_fact;
pub(super) mod lookup_of_non_string;
pub(super) mod merge_key_replaces;
pub(super) mod missing_lookup_target;
pub(super) mod re_interpolated_percent;
pub(super) mod recursive_lookup;
pub(super) mod undefined_variable;
pub(super) mod unknown_fact_member;
pub(super) mod unscoped_variable;

use super::entry_cache::EntrySummary;
use super::file::DataContext;
use super::shared::known_keys::KnownKeys;
use super::shared::targets::Targets;
use super::shared::users::Users;
use super::shared::walk::text_of;
use crate::config::PuppetVersion;
use crate::data::EntryTree;
use crate::ide::perspective::Perspective;
use crate::ide::strings::PlacedName;
use undefined_variable::KnownVariables;

/// The variables that an entry of a data file reads, or a `hiera.yaml`.
pub(crate) struct VariablesContext<'a> {
    /// Their names.
    pub(crate) variables: &'a [PlacedName],
    /// The byte of the file that their places count from.
    pub(crate) start: u32,
    /// What is known about variables.
    pub(crate) known: &'a KnownVariables<'a>,
    /// The nodes whose variables are all known, and which use the value.
    pub(crate) users: Users<'a>,
    /// The version of Puppet.
    pub(crate) version: PuppetVersion,
}

/// An entry of a data file, with what it looks up.
pub(crate) struct LookupContext<'a> {
    /// The file.
    pub(crate) file: &'a DataContext<'a>,
    /// The entry's tree.
    pub(crate) entry: EntryTree<'a>,
    /// What is known about the entry itself.
    pub(crate) summary: &'a EntrySummary,
    /// The evaluator; `None` if it must not be used: for keys that are not strings, and beyond the limit of a very large
    /// file.
    pub(crate) perspective: Option<&'a Perspective>,
}

impl<'a> LookupContext<'a> {
    /// The key; empty if it is not a string.
    pub(crate) fn key(&self) -> &'a str {
        text_of(self.entry.key).map_or("", |it| it)
    }

    /// The keys of the environment; `None` outside of one.
    pub(crate) fn known(&self) -> Option<&'a KnownKeys<'a>> {
        self.file.around.as_ref().map(|it| &it.known)
    }

    /// Whether a class has the parameter that a key sets.
    pub(crate) fn is_parameter(&self, key: &str) -> bool {
        self.file.around.as_ref().is_some_and(|it| it.classes.is_parameter(key))
    }

    /// The values of keys; `None` if the entry does not look up any.
    pub(crate) fn targets(&self) -> Option<&'a Targets<'a>> {
        let looks_up = !self.summary.looked_up.is_empty();
        self.file.around.as_ref().filter(|_| looks_up).map(|it| &it.targets)
    }
}
