//! Rules about a key and what other levels, other files, `lookup_options` and the Puppet code make of it.

pub(super) mod convert_to_misses_type;
pub(super) mod deep_merge_order;
pub(super) mod dotted_option_key;
pub(super) mod dropped_by_first;
pub(super) mod encrypted_but_not_sensitive;
pub(super) mod knockout_no_effect;
pub(super) mod malformed_key;
pub(super) mod matches_no_key;
pub(super) mod merge_changes_type;
pub(super) mod merge_type_clash;
pub(super) mod misspelt_key;
pub(super) mod nested_parameter;
pub(super) mod options_replaced_by_higher_level;
pub(super) mod parameter_without_effect;
pub(super) mod pattern_order;
pub(super) mod redundant_override;
pub(super) mod sensitive_parameter_plain_data;
pub(super) mod undef_wins;
pub(super) mod unknown_class;
pub(super) mod unknown_parameter;
pub(super) mod unsortable_arrays;
pub(super) mod unused_key;
pub(super) mod value_type_mismatch;
