//! Storage in which the layers above keep what they derive from texts: across snapshots, or as long as one snapshot.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::indexes::key_of;
use super::snapshot::World;
use crate::config::Environment;

/// One value per type, shared by all snapshots of a host.
#[derive(Default)]
pub(super) struct Attachments {
    by_type: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// One value per type and environment, for one snapshot.
#[derive(Default)]
pub(super) struct OfSnapshot {
    values: Mutex<HashMap<(TypeId, String), Arc<dyn Any + Send + Sync>>>,
}

impl World {
    /// The value of this type that all snapshots of the host share. The layer that stores something there must keep it valid,
    /// by using keys that change with its inputs.
    pub fn attached<T: Any + Send + Sync + Default>(&self) -> Arc<T> {
        let by_type = &self.attachments.by_type;
        let mut by_type = by_type.lock().unwrap_or_else(PoisonError::into_inner);
        let value = by_type.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        value.clone().downcast().unwrap_or_default()
    }

    /// The value of this type for an environment of this snapshot. It is dropped with the snapshot, and snapshots with the
    /// same texts share it, so it may keep anything that follows from the snapshot.
    pub fn of_snapshot<T: Any + Send + Sync + Default>(&self, environment: &Environment) -> Arc<T> {
        let mut values = self.of_snapshot.values.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (TypeId::of::<T>(), key_of(environment));
        let value = values.entry(key).or_insert_with(|| Arc::new(T::default()));
        value.clone().downcast().unwrap_or_default()
    }
}
