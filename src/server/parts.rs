//! Partial results: parts of a long result, which a client with a token gets before the response.
//!
//! They are written like responses, and not through the queue of notifications. So no part comes after its response, or
//! after the request was cancelled.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::json;
use tower_lsp_server::ls_types::ProgressToken;

use super::output::Wire;

/// The number of items in one part of a list.
const ITEMS_PER_PART: usize = 200;

/// Sends parts of the result of one request until its response is sent.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    wire: Wire,
    is_open: Arc<Mutex<bool>>,
}

/// After this is dropped, no part is sent.
pub(super) struct Opened(Arc<Mutex<bool>>);

impl Parts {
    /// Creates a closed one, which sends nothing.
    pub(super) fn new(wire: Wire) -> Self {
        Self { wire, is_open: Arc::default() }
    }

    /// Opens it for one request.
    pub(super) fn opened(&self) -> (Self, Opened) {
        let is_open = Arc::new(Mutex::new(true));
        (Self { wire: self.wire.clone(), is_open: is_open.clone() }, Opened(is_open))
    }

    /// Sends one part.
    pub(super) fn send(&self, token: &ProgressToken, value: &impl Serialize) {
        let message = json!({
            "jsonrpc": "2.0",
            "method": "$/progress",
            "params": {"token": token, "value": value},
        });
        // The lock is held while the part is written, so the request cannot end in between.
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_open {
            self.wire.send(&message);
        }
    }

    /// Sends a list part by part if there is a token. Returns what is left for the response: everything, or nothing.
    pub(super) fn send_list<T: Serialize>(
        &self,
        token: Option<&ProgressToken>,
        items: Vec<T>,
    ) -> Vec<T> {
        let Some(token) = token else { return items };
        for part in items.chunks(ITEMS_PER_PART) {
            self.send(token, &part);
        }
        // LSP wants an empty response after partial results.
        Vec::new()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}
