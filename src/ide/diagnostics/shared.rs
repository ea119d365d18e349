//! Code that several rules share: what is known about keys and classes, walks through a tree, and fixes.

pub(super) mod bound_values;
pub(super) mod circles;
pub(super) mod declared_classes;
pub(super) mod failing_nodes;
pub(super) mod fitting_fixes;
pub(super) mod fix;
pub(super) mod ignored_key;
pub(super) mod kept_by_name;
pub(super) mod keys_in_code;
pub(super) mod known_keys;
pub(super) mod lower;
pub(super) mod near;
pub(super) mod option_edits;
pub(super) mod option_keys;
pub(super) mod option_tree;
pub(super) mod refused_values;
pub(super) mod targets;
pub(super) mod text_lookup;
pub(super) mod type_fixes;
pub(super) mod unread_code;
pub(super) mod users;
pub(super) mod walk;
