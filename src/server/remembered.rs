//! What the server remembers of its own answers: semantic tokens to send only differences, previews to refresh.
//!
//! Nothing that is answered depends on it, but how little needs to be sent.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use tower_lsp_server::ls_types::SemanticToken;

/// Preview documents that are kept up to date: the ones that were asked for last.
const MAX_DOCUMENTS: usize = 64;

/// Shared by all requests of a session.
#[derive(Debug, Default)]
pub(super) struct Remembered(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last_id: u64,
    tokens: BTreeMap<String, (String, Vec<SemanticToken>)>,
    documents: VecDeque<String>,
    versions: BTreeMap<String, i32>,
}

impl Remembered {
    /// Keeps the tokens of a document and gives them a name.
    pub(super) fn keep_tokens(&self, uri: &str, tokens: Vec<SemanticToken>) -> String {
        self.with(|state| {
            state.last_id += 1;
            let id = state.last_id.to_string();
            state.tokens.insert(uri.to_owned(), (id.clone(), tokens));
            id
        })
    }

    /// The tokens of a document if they still have this name.
    pub(super) fn tokens(&self, uri: &str, id: &str) -> Option<Vec<SemanticToken>> {
        self.with(|state| {
            let (known, tokens) = state.tokens.get(uri)?;
            (known == id).then(|| tokens.clone())
        })
    }

    /// Remembers that the client shows a preview.
    pub(super) fn keep_document(&self, uri: &str) {
        self.with(|state| {
            state.documents.retain(|known| known != uri);
            state.documents.push_back(uri.to_owned());
            if state.documents.len() > MAX_DOCUMENTS {
                state.documents.pop_front();
            }
        });
    }

    /// The previews that the client may show.
    pub(super) fn documents(&self) -> Vec<String> {
        self.with(|state| state.documents.iter().cloned().collect())
    }

    /// The client shows this text of a file now.
    pub(super) fn keep_version(&self, path: &str, version: i32) {
        self.with(|state| state.versions.insert(path.to_owned(), version));
    }

    /// The number of the text that the client shows now.
    pub(super) fn version(&self, path: &str) -> Option<i32> {
        self.with(|state| state.versions.get(path).copied())
    }

    /// The client has closed a document.
    pub(super) fn forget(&self, uri: &str, path: Option<&str>) {
        self.with(|state| {
            state.tokens.remove(uri);
            state.documents.retain(|known| known != uri);
            if let Some(path) = path {
                state.versions.remove(path);
            }
        });
    }

    fn with<R>(&self, visit: impl FnOnce(&mut State) -> R) -> R {
        visit(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
