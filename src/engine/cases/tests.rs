//! Cases of small hierarchies.
