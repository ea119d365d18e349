//! `eyaml_lookup_key`: a YAML file in which values may be encrypted.
//!
//! Encrypted values stay as they are written.

use std::sync::Arc;

use super::back_end::{BackEnd, Call, DataHash, Returned};
use super::context::Context;
use super::failure::Failure;
use super::files;
use crate::data::{Format, Located};

/// The function.
#[derive(Debug, Clone, Copy, Default)]
pub struct EyamlLookupKey;

impl BackEnd for EyamlLookupKey {
    /// The file, still encrypted.
    fn data_hash(
        &self,
        call: &Call<'_>,
        context: &mut dyn Context,
    ) -> Result<Returned<DataHash>, Failure> {
        let file = files::load(call, context, Format::Yaml)?;
        Ok(Returned::Value(DataHash::File(file)))
    }

    /// What the file has, decrypted and then interpolated.
    fn lookup_key(
        &self,
        key: &Arc<str>,
        call: &Call<'_>,
        context: &mut dyn Context,
    ) -> Result<Returned<Located>, Failure> {
        let Some(entry) = call.file.and_then(|file| file.get(key)) else {
            return Ok(Returned::NotFound);
        };
        if !entry.has_tokens() {
            return Ok(Returned::Value(entry.value.clone()));
        }
        context.interpolate(&entry.value).map(Returned::Value)
    }

    fn reads(&self) -> Option<Format> {
        Some(Format::Yaml)
    }
}
