//! Rules about a key in relation to other levels, other files, `lookup_options` and the Puppet code.

pub(super) mod convert_to_fails;
pub(super) mod convert_to_invalid;
pub(super) mod convert_to_misses_type;
pub(super) mod deep_merge_order;
pub(super) mod dotted_option_key;
pub(super) mod encrypted_but_not_sensitive;
pub(super) mod hash_members_lost;
pub(super) mod knockout_no_effect;
pub(super) mod malformed_key;
pub(super) mod matches_no_key;
pub(super) mod merge_changes_type;
pub(super) mod merge_option_type;
pub(super) mod merge_type_clash;
pub(super) mod misspelt_key;
pub(super) mod nested_parameter;
pub(super) mod null_hides_value;
pub(super) mod options_replaced_by_higher_level;
pub(super) mod parameter_without_effect;
pub(super) mod pattern_order;
pub(super) mod redundant_override;
pub(super) mod sensitive_parameter_plain_data;
pub(super) mod unknown_class;
pub(super) mod unknown_parameter;
pub(super) mod unsortable_arrays;
pub(super) mod unused_key;
pub(super) mod value_type_mismatch;

use std::cell::OnceCell;

use super::file::Surroundings;
use super::shared::bound_values::RefusedParameter;
use super::shared::declared_classes::DeclaredClasses;
use super::shared::known_keys::KnownKeys;
use super::shared::lower::{KeyAbove, LowerLevels};
use crate::data::{DataFile, EntryTree, RootEntry};
use crate::ide::perspective::Perspective;

/// A root key of a data file, with what other files and the Puppet code say about it.
pub(crate) struct KeyContext<'a> {
    /// The file.
    pub(crate) data: &'a DataFile,
    /// The key.
    pub(crate) key: &'a str,
    /// Its entry.
    pub(crate) entry: &'a RootEntry,
    /// All keys of the environment.
    pub(crate) known: &'a KnownKeys<'a>,
    /// The environment's code.
    pub(crate) classes: &'a DeclaredClasses<'a>,
    /// The levels below the file.
    pub(crate) lower: &'a LowerLevels<'a>,
    around: &'a Surroundings<'a>,
    above: OnceCell<Option<KeyAbove<'a>>>,
    refused: OnceCell<Option<RefusedParameter<'a>>>,
}

impl<'a> KeyContext<'a> {
    pub(super) fn new(
        data: &'a DataFile,
        around: &'a Surroundings<'a>,
        (key, entry): (&'a str, &'a RootEntry),
    ) -> Self {
        let Surroundings { known, classes, lower, .. } = around;
        let (above, refused) = (OnceCell::new(), OnceCell::new());
        Self { data, key, entry, known, classes, lower, around, above, refused }
    }

    /// The values of lower levels for the key; `None` if none of them has it and lookup options do not matter either.
    pub(crate) fn above(&self) -> Option<&KeyAbove<'a>> {
        self.above.get_or_init(|| self.lower.of_key(self.known, self.key, self.entry)).as_ref()
    }

    /// The node for which the file is checked; `None` if no level of an environment reads the file.
    pub(crate) fn perspective(&self) -> Option<&'a Perspective> {
        Some(self.around.bound.as_ref()?.perspective)
    }

    /// Why the class refuses the parameter that the key sets; `None` if it accepts the value, or if the key does not set a
    /// parameter.
    pub(crate) fn refused(&self) -> Option<&RefusedParameter<'a>> {
        let refused = self.refused.get_or_init(|| {
            let bound = self.around.bound.as_ref()?;
            bound.refused((self.known, self.classes), self.data, (self.key, self.entry))
        });
        refused.as_ref()
    }
}

/// The entry `lookup_options` of a data file.
pub(crate) struct OptionsContext<'a> {
    /// The file.
    pub(crate) data: &'a DataFile,
    /// The entry's tree.
    pub(crate) tree: EntryTree<'a>,
    /// The entry's value.
    pub(crate) entry: &'a RootEntry,
    /// The module whose data the file contains.
    pub(crate) module: Option<&'a str>,
    /// All keys of the environment.
    pub(crate) known: &'a KnownKeys<'a>,
    /// The environment's code.
    pub(crate) classes: &'a DeclaredClasses<'a>,
    /// The levels below the file.
    pub(crate) lower: &'a LowerLevels<'a>,
}
