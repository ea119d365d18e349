//! Storage in which the layers above keep what they derive from texts, across snapshots.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::snapshot::World;

/// One value per type, shared by all snapshots of a host.
#[derive(Default)]
pub(super) struct Attachments {
    by_type: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
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
}
