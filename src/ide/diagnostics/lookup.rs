//! Rules about what the texts of an entry refer to: variables, other keys, and what these hold.

pub(super) mod dig_type_mismatch;
pub(super) mod legacy_fact;
pub(super) mod lookup_of_non_string;
pub(super) mod missing_lookup_target;
pub(super) mod re_interpolated_percent;
pub(super) mod recursive_lookup;
pub(super) mod undefined_variable;
pub(super) mod unknown_fact_member;
pub(super) mod unscoped_variable;
