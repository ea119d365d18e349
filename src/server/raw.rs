//! Writes long results directly as JSON, because it is slow to build a tree of values first.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use tower_lsp_server::jsonrpc::Id;

use super::pieces::Spot;

/// Bytes that several messages can contain.
pub(super) type Bytes = Arc<[u8]>;

/// The result of one request, if it is written as JSON.
#[derive(Debug, Clone, Default)]
pub(super) struct RawAnswer(Arc<Mutex<Option<Json>>>);

impl RawAnswer {
    /// Sets the JSON to send instead of the handler's result, unless that is an error.
    pub(super) fn set(&self, json: Json) {
        *self.lock() = Some(json);
    }

    /// The whole message in parts, if there is such a result.
    pub(super) fn take_message(&self, id: &Id) -> Option<Vec<Bytes>> {
        let mut json = self.lock().take()?;
        let mut begin = br#"{"jsonrpc":"2.0","id":"#.to_vec();
        serde_json::to_writer(&mut begin, id).ok()?;
        begin.extend_from_slice(br#","result":"#);
        json.raw("}");
        // The parts are not joined, because a result may have megabytes.
        let mut parts = vec![begin.into()];
        parts.extend(json.into_parts());
        Some(parts)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Json>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The maximum length of a range in bytes: its numbers have ten digits at most.
const LONGEST_RANGE: usize = 112;

/// Writes JSON.
#[derive(Debug, Default)]
pub(super) struct Json {
    /// What is complete.
    parts: Vec<Bytes>,
    last: Vec<u8>,
}

impl Json {
    /// The text of a JSON value.
    pub(super) fn of(value: &impl Serialize) -> Box<str> {
        serde_json::to_string(value).unwrap_or_default().into()
    }

    /// Adds text that is already JSON.
    pub(super) fn raw(&mut self, json: &str) -> &mut Self {
        self.last.extend_from_slice(json.as_bytes());
        self
    }

    /// The same without a copy.
    pub(super) fn shared(&mut self, json: Bytes) -> &mut Self {
        if !self.last.is_empty() {
            self.parts.push(std::mem::take(&mut self.last).into());
        }
        self.parts.push(json);
        self
    }

    /// Adds a number.
    pub(super) fn number(&mut self, number: u32) -> &mut Self {
        self.last.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        self
    }

    /// Adds a comma, unless a list or an object has just started.
    pub(super) fn comma(&mut self) -> &mut Self {
        let part = self.parts.last().map(|it| &**it);
        let last = self.last.last().or_else(|| part.and_then(<[u8]>::last));
        if !matches!(last, None | Some(b'[' | b'{')) {
            self.last.push(b',');
        }
        self
    }

    /// Adds a position in a part that starts at `line`.
    pub(super) fn position(&mut self, line: u32, spot: Spot) -> &mut Self {
        self.raw(r#"{"line":"#).number(line + spot.line);
        self.raw(r#","character":"#).number(spot.col).raw("}")
    }

    /// Adds a range in a part that starts at `line`.
    pub(super) fn range(&mut self, line: u32, [start, end]: [Spot; 2]) -> &mut Self {
        // Responses have thousands of ranges, so the memory for all parts of one is reserved at once.
        self.last.reserve(LONGEST_RANGE);
        self.raw(r#"{"start":"#).position(line, start);
        self.raw(r#","end":"#).position(line, end).raw("}")
    }

    /// The JSON in one piece.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let mut all = self.parts.concat();
        // Usually, nothing is shared.
        if all.is_empty() {
            return self.last;
        }
        all.extend(self.last);
        all
    }

    fn into_parts(mut self) -> Vec<Bytes> {
        if !self.last.is_empty() {
            self.parts.push(self.last.into());
        }
        self.parts
    }
}
