//! A known function that must not or cannot be called: its level is opaque, with a specific reason.

use std::sync::Arc;

use super::back_end::{BackEnd, Call, DataHash, Returned};
use super::context::PuppetContext;
use super::failure::Failure;
use crate::data::Located;
use crate::syntax::key_path::Segment;

/// Returns only the reason.
#[derive(Debug)]
pub(super) struct Silent(pub(super) Arc<str>);

impl BackEnd for Silent {
    fn data_hash(
        &self,
        _call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<DataHash>, Failure> {
        Ok(Returned::Unknown(Arc::clone(&self.0)))
    }

    fn lookup_key(
        &self,
        _key: &Arc<str>,
        _call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        Ok(Returned::Unknown(Arc::clone(&self.0)))
    }

    fn data_dig(
        &self,
        _segments: &[Segment],
        _call: &Call<'_>,
        _context: &mut dyn PuppetContext,
    ) -> Result<Returned<Located>, Failure> {
        Ok(Returned::Unknown(Arc::clone(&self.0)))
    }
}
