//! Parts of a long answer, sent ahead of it to a client that gave a token for them.
//!
//! They take the way that answers take, and not the one of what is sent unasked: so none comes behind the answer that it
//! is a part of, and none comes once the request is cancelled.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::json;
use tower_lsp_server::ls_types::ProgressToken;

use super::output::Wire;

/// Items of a list that are sent at once.
const ITEMS_PER_PART: usize = 200;

/// Takes parts of the answer to one request, as long as it is not answered.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    wire: Wire,
    is_open: Arc<Mutex<bool>>,
}

/// Whoever drops this has the last word: after it no part is sent.
pub(super) struct Opened(Arc<Mutex<bool>>);

impl Parts {
    /// Sends nothing until it is opened.
    pub(super) fn new(wire: Wire) -> Self {
        Self { wire, is_open: Arc::default() }
    }

    /// The same for one request.
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
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_open {
            self.wire.send(&message);
        }
    }

    /// Sends a list part by part if there is a token. Returns what is left for the answer: everything, or nothing.
    pub(super) fn send_list<T: Serialize>(
        &self,
        token: Option<&ProgressToken>,
        items: Vec<T>,
    ) -> Vec<T> {
        let Some(token) = token else { return items };
        for part in items.chunks(ITEMS_PER_PART) {
            self.send(token, &part);
        }
        Vec::new()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = false;
    }
}
